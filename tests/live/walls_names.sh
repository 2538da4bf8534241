#!/usr/bin/env bash
# The names that a run's walls hang on, where they are no plain ones: links on the
# way, a tree at a second place, names of odd bytes and lengths, a work tree whose
# repository is elsewhere, exchanges, descriptors from before.
# week: once a week, as root and as a user in turn
# timing: waits for runs to begin and to end
# places:
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/walls.sh
. "$(dirname "$0")/../lib/walls.sh"

goes_on() { # the run has not ended; it is ended here, and has not seen anything
	sleep 0.3 # time: nothing may come of it
	kill -0 "$pid" 2>/dev/null || bad "the run has ended: $(cat "$WORK/.err")"
	kill -TERM "$pid" 2>/dev/null
	wait "$pid"
	rc=$?
	want_rc 143
	no_file "$P/got"
}

# As who keeps such files in a repository does: the names in HOME are links.
for line in 'mkdir real; echo SECRET >real/token; ln -s real late' \
	'mkdir real; echo SECRET >real/token; mkdir x; ln -s ../real x/late; mv x/late .' \
	'mkdir late; echo SECRET >real; sleep 0.1; ln -s ../real late/token'; do
	t "anywhere: a link appears on the way to a hidden name: $line"
	made
	rm -rf "$HOME/real" "$HOME/x"
	begin anywhere r "$HOME/late/token"
	bash -c "cd '$HOME'; $line" >/dev/null 2>&1
	ended '\.pol:' 'late/token'
done
t "anywhere, the control: a link that leads to no hidden name"
made
rm -rf "$HOME/real" "$HOME/x" "$HOME/link"
begin anywhere r "$HOME/late/token"
(cd "$HOME" && mkdir real && ln -s real link && echo x >real/token)
goes_on
rm -rf "$HOME/real" "$HOME/link"

# A link that was there has a wall of its own; below the place of a mount, too.
policy "$RULES"'file { hide "${PROJECT_DIR}/sub/way/none"  mount "${PROJECT_DIR}/sub" at "/place" read  hide "/place/way/none2" }' linked
t "project, the control: a link was on the way to a hidden, absent name"
made
begin linked r "$P/sub/way/none"
touch "$P/new"
goes_on
t "project: that link is made to lead elsewhere"
made
begin linked r "$P/sub/way/none"
echo SECRET >"$P/other/none"
(cd "$P" && ln -sfn ../other sub/way)
ended '\.pol:' '/way'

# As who installs a program does while a run is alive that is not to run it.
anywhere_policy "$RULES"'file {
	allow exec "${HOME}/bin"  deny exec "${HOME}/bin/late", "${HOME}/bin/way/late", "${PROJECT_DIR}/bin/late"
}' programs
programs() { # ends when one of them has run
	made
	rm -rf "${HOME:?}/bin"
	mkdir -p "$HOME/bin" "$P/bin"
	echo 'echo refused; while :; do for p in "$@"; do "$p" 2>/dev/null && echo ran >got; done; done' >line.sh
	start programs "$@"
}
for late in "$HOME/bin/late" "$HOME/bin/way/late" "$P/bin/late"; do
	t "anywhere: a program that is denied and was absent appears: ${late#"$WORK/"}"
	programs "$late"
	mkdir -p "${late%/*}"
	cp /bin/true "$HOME/new" && mv "$HOME/new" "$late"
	ended '\.pol:' "$late"
done
t "anywhere, the control: a program that is not denied appears"
programs "$HOME/bin/other"
cp /bin/true "$HOME/new" && mv "$HOME/new" "$HOME/bin/other"
gets_it

if is_root; then # an ordinary user has no place outside of HOME and /var/tmp
	D=$(mktemp -d /opt/pol-walls.XXXXXX)
	chmod 755 "$D"
	tree() {
		rm -rf "$D"
		mkdir -p "$D/tree" "$D/place"
		chmod -R go+rX "$D"
		echo kept >"$D/tree/name"
	}
	MOUNT="file { mount \"$D/tree\" at \"$D/place\" read"
	anywhere_policy "$RULES $MOUNT  hide \"$D/place/secret\", \"$D/place/name\" }" placed
	anywhere_policy "$RULES $MOUNT }" placed_open
	away='mkdir place; echo SECRET >place/secret; echo SECRET >place/name'
	for view in placed placed_open; do
		for line in "mv place p2; $away" "mv place p2; sleep 0.1; $away" "rmdir place; $away" \
			"cd ..; mv '$D' '$D.2'; mkdir '$D'; cd '$D'; $away"; do
			t "$view: a tree at a place of the host's loses the place: ${line%%;*}"
			made
			tree
			begin "$view" r "$D/place/secret"
			bash -c "cd '$D'; $line" >/dev/null 2>&1
			ended '\.pol:' "$D/[a-z/]*"
			rm -rf "$D.2"
		done
		t "$view, the control: what is done beside the place"
		made
		tree
		begin "$view" r "$D/place/secret"
		(cd "$D" && echo n >tree/new && mkdir p3 && mv p3 p4)
		goes_on
	done
	rm -rf "$D"
fi

exchange() { # A B, as one call
	python3 -c 'import ctypes, os, sys
r = ctypes.CDLL(None, use_errno=True).renameat2(-100, os.fsencode(sys.argv[1]), -100, os.fsencode(sys.argv[2]), 2)
sys.exit(0 if r == 0 else os.strerror(ctypes.get_errno()))' "$1" "$2"
}

# LINE: of the project as made, at another place.
at_place() { # DIR
	made
	rm -rf "$1"
	mkdir -p "$(dirname "$1")"
	mv "$P" "$1"
	cd "$1" || bad "no directory"
}
deep=$HOME/deep
while [ "${#deep}" -lt 3700 ]; do deep+=/$(printf 'n%.0s' {1..255}); done
deep+=/$(head -c $((4020 - ${#deep})) /dev/zero | tr '\0' m)
plain=$P
for view in project anywhere; do
	for name in 'back\040slash' 'a b#c' $'bad\xff\xfeutf' '*glob?[x]' 'x (deleted)' '-dash' '${HOME}' deep; do
		t "$view: the project's name: $(printf %q "$name")"
		for line in 'mv .env old; echo SECRET >.env' 'exchange .env other/name' 'exchange keys other'; do
			P=$plain
			at_place "$([ "$name" = deep ] && echo "$deep" || echo "$HOME/$name")"
			P=$PWD
			begin "$view" r .env
			eval "$line" || bad "outside: $line"
			ended '' ''
			cd "$WORK" && rm -rf "$P"
		done
		P=$plain
	done
done

t "project: control bytes in the name of the project"
at_place "$HOME/new"$'\n'"line"
"$BIN/polrun" -b "$WORK/project.polb" true 2>"$WORK/.err"
rc=$? err=$(cat "$WORK/.err")
want_rc 125
want_line 'control bytes'
cd "$WORK" && rm -rf "$HOME/new"*

t "anywhere: the project and HOME are reached by links"
for line in 'mv .env old; echo SECRET >.env' 'mv "$plain" "$WORK/p2"; mkdir "$plain"; echo SECRET >"$plain/.env"'; do
	made
	ln -sfn home/project "$WORK/link"
	ln -sfn home "$WORK/h"
	cd "$WORK/link" || bad "no directory"
	HOME=$WORK/h begin anywhere r "$WORK/link/.env"
	(cd "$plain" && eval "$line") || bad "outside: $line"
	ended '' ''
	rm -rf "$WORK/p2"
	rm -f "$WORK/link" "$WORK/h"
done

work_tree() { # the project is a work tree of the repository in HOME/main
	made
	rm -rf "$HOME/main"
	mv "$P" "$HOME/main"
	(cd "$HOME/main" && git worktree add -q "$P" -b side) || bad "no work tree"
	cd "$P" || bad "no directory"
	cp "$HOME/main/probe" .
	cp -a "$HOME/main"/{.env,keys,locked,real,other,sub} . # else a rule's parent is read-only
}
for view in project anywhere; do
	for line in 'sed -i s/main/other/ .git' 'mv .git x && cp x .git'; do
		t "$view: a work tree whose repository is elsewhere: $line"
		work_tree
		begin "$view" w .git
		eval "$line" >/dev/null 2>&1 || bad "outside: $line"
		unharmed
	done
	t "$view, the control: git works in the repository of a work tree"
	work_tree
	begin "$view" w .git
	if ! { git add locked && git commit -q -m side && git -C "$HOME/main" config user.name X &&
		git -C "$HOME/main" worktree add -q "$HOME/third" -b third; }; then bad "outside"; fi
	goes_on
	rm -rf "$HOME/third"
	t "$view: the project has a work tree elsewhere, which is taken away"
	made
	git worktree add -q "$HOME/third" -b third
	begin "$view" w .git/worktrees/third/gitdir
	if ! { git worktree remove "$HOME/third" && git worktree add -q "$HOME/third" third; }; then
		bad "outside"
	fi
	unharmed
	rm -rf "$HOME/third"
done
rm -rf "$HOME/main"

# What is held from before goes along with what is moved, and so does its wall.
policy "$RULES"'file { hide "${PROJECT_DIR}/real/name" }' held
for line in 'mv real r2; mkdir real; echo SECRET >real/name' 'exchange real other' 'mv real/name real/n2; echo SECRET >real/name'; do
	t "project: a directory that is held from before: $line"
	made
	cat >line.sh <<-'EOF2'
		exec 9<real
		cd real
		echo refused
		while :; do
			cat name ../real/name /proc/self/fd/9/name 2>/dev/null | grep -q . && echo read >>../got
		done
	EOF2
	start held
	eval "$line"
	ended '\.pol:' '/real/name'
done

# What is mounted twice inside of the project before the run begins: a rule that
# speaks of one name holds by the other.
if is_root && unshare -m --propagation private true 2>/dev/null; then
	policy 'file { allow read "'"$WORK"'/twice" }' open
	policy 'file { allow read "'"$WORK"'/twice"
		hide "${PROJECT_DIR}/keys", "${PROJECT_DIR}/.env"  deny write "${PROJECT_DIR}/locked" }' closed
	twice() { # BUNDLE LINE
		mkdir -p "$P/a" "$P/b" "$WORK/twice"
		: >"$P/c"
		out=$(unshare -m --propagation private sh -c '
			mount --bind keys a && mount --bind .env c && mount --bind locked b &&
			mount --bind . "$WORK/twice" && exec "$@"' - \
			"$BIN/polrun" -b "$WORK/$1.polb" sh -c "$2" 2>"$WORK/.err" </dev/null)
		rc=$? err=$(cat "$WORK/.err")
	}
	t "project: another mount shows what is hidden by a second name"
	made
	chmod 755 "$WORK"
	for path in a/key c "$WORK/twice/.env" "$WORK/twice/keys/key"; do
		twice open "cat '$path'"
		want_out SECRET
		twice closed "cat '$path'"
		no_out SECRET
		want_rc 1
	done
	t "project: another mount shows what is not to be written by a second name"
	twice open 'echo new >locked/file; cat b/file'
	want_out '^new$'
	twice closed 'echo newer >locked/file; echo newer >b/file; cat locked/file b/file | sort -u'
	want_out '^new$'
	no_out newer
	# a second mount of the project's file system is not entered for writing, whoever may write there
	twice open 'echo newer >b/file; cat locked/file'
	want_out '^new$'
	want_err 'Read-only file system'
	twice closed 'echo new >new; cat new'
	want_out '^new$'
	chmod 700 "$WORK"
fi
t "project: other names in a watched directory cost no look at all walls, and a wall's own name among them is seen"
if strace -o /dev/null true 2>/dev/null; then
	made
	# who looks for leaks may not be traced
	opened() { # DIR: calls openat2 of polrun in a run that makes 200 files there
		ASAN_OPTIONS=detect_leaks=0 strace -c -e trace=openat2 -o "$WORK/count" "$BIN/polrun" -q -b "$WORK/project.polb" \
			python3 -c "for i in range(200): open('$1/new%d' % i, 'w').close()" 2>/dev/null </dev/null ||
			bad "the run failed"
		awk '$NF == "openat2" { print $4 }' "$WORK/count"
	}
	top=$(opened .) below=$(opened other)
	[ "$top" -lt $((below + 1000)) ] || bad "at the top $top, below $below"
	begin project r .env
	for ((i = 0; i < 3000; i++)); do : >"other$i"; done
	git mv -f locked .env >/dev/null 2>&1 || mv .env away
	ended '\.pol:' '\.env'
else
	skip strace "there is no strace, or it may trace nothing"
fi

done_
