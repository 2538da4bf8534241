#!/usr/bin/env bash
# The names that a run's walls hang on, where they are no plain ones: links on the
# way, a tree at a second place, names of odd bytes and lengths, a work tree whose
# repository is elsewhere, exchanges, descriptors from before.
# timing: waits for runs to begin and to end
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/walls.sh
. "$(dirname "$0")/../lib/walls.sh"

goes_on() { # the run has not ended; it is ended here, and has not seen anything
	sleep 0.3
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
for ((i = 0; i < 400; i++)); do
	[ ! -s got ] || break
	sleep 0.01
done
want_file got
kill -TERM "$pid"
wait "$pid"
rc=$?
want_rc 143

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
	twice open 'echo new >b/file; cat locked/file'
	want_out '^new$'
	twice closed 'echo newer >b/file; cat locked/file'
	want_out '^new$'
	twice closed 'echo new >new; cat new'
	want_out '^new$'
	chmod 700 "$WORK"
fi
done_
