#!/usr/bin/env bash
# Repositories that appear while a run goes on: what git takes commands from is kept in those that
# somebody outside makes, and the run's own work (git init, clone, submodule, worktree).
# places:
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"

have_git() { command -v git >/dev/null 2>&1; }
have_git || { skip git 'git is not installed'; done_; exit; }
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
NAMED=(-c user.name=a -c user.email=a@b -c init.defaultBranch=main -c protocol.file.allow=always)
outside() { git "${NAMED[@]}" "$@"; }
mkdir "$WORK/lib"
outside init -q "$WORK/lib"
outside -C "$WORK/lib" commit -q --allow-empty -m x
outside init -q "$P"
outside -C "$P" commit -q --allow-empty -m x
policy ''

# LINE: runs it inside once the host has done what make_later does.
later() {
	rm -f "$P/go" "$P/ready"
	("$BIN/polrun" -b "$WORK/p.polb" sh -c "touch go; while [ ! -e ready ]; do sleep 0.05; done; $1" \
		>"$WORK/.out" 2>"$WORK/.err" </dev/null; echo $? >"$WORK/.rc") &
	within 30 test -e "$P/go" || bad "the run does not begin"
	make_later
	touch "$P/ready"
	wait
	rc=$(<"$WORK/.rc") out=$(<"$WORK/.out") err=$(<"$WORK/.err")
}
make_later() {
	outside init -q "$P/sub"
	outside -C "$P/sub" commit -q --allow-empty -m x
	outside -C "$P/sub" submodule -q add "$WORK/lib" mod
	outside -C "$P/sub" worktree add -q ../wt 2>/dev/null
	outside init -q --bare "$P/b.git"
	mkdir -p "$P/src/hooks" "$P/src/config"
	snap >"$WORK/before"
}
snap() { (cd "$P" && find sub/.git wt/.git sub/mod/.git b.git -type f ! -name description -exec sha256sum {} + | sort); }

t "what git takes commands from in a repository that appeared"
later '
	for f in sub/.git/config sub/.git/hooks/pre-commit sub/.git/commondir \
		sub/.git/config.worktree sub/.git/modules/mod/config sub/.git/modules/mod/hooks/post-checkout \
		sub/.git/worktrees/wt/commondir sub/.git/worktrees/wt/gitdir sub/.git/worktrees/wt/config.worktree \
		b.git/config b.git/hooks/update sub/mod/.git wt/.git; do
		{ echo x >>$f; } 2>/dev/null && echo "wrote $f"
		echo y >mine; mv mine $f 2>/dev/null && echo "moved over $f"
		ln mine $f 2>/dev/null && echo "linked $f"; ln -s mine $f 2>/dev/null && echo "link at $f"
		mkdir $f 2>/dev/null && echo "made $f"; [ ! -e $f ] || { rm -r $f 2>/dev/null && echo "removed $f"; }
	done
	for d in sub/.git sub/.git/hooks sub b.git b.git/hooks sub/.git/modules wt; do
		mv $d away 2>/dev/null && echo "moved $d"; done
	echo a >src/hooks/use.ts && echo b >src/config/a && echo c >src/config/config && echo z >sub/.git/description &&
	echo n >b.git/description && echo fine'
want_rc 0
want_out '^fine$'
no_out '^(wrote|moved|linked|link at|made|removed)'
[ -f "$P/sub/.git/hooks/pre-commit" ] && bad "a hook was made"
want_text z "$P/sub/.git/description"
snap >"$WORK/after"
cmp -s "$WORK/before" "$WORK/after" || bad "$(diff "$WORK/before" "$WORK/after")"

t "the control: without a floor's name in it such a folder is written"
rm -rf "$P"/{sub,wt,b.git,src}
make_later() { mkdir -p "$P/sub/x.git/hooks" "$P/sub/git"; }
later 'echo x >sub/x.git/config && echo x >sub/x.git/hooks/update && echo x >sub/git/config && echo fine'
want_out '^fine$'

t "the .pol of a project below that appeared, and one that the run makes"
make_later() { mkdir -p "$P/app/.pol" "$P/two"; echo theirs >"$P/app/.pol/signers"; echo theirs >"$P/two/.pol"; }
later 'for f in app/.pol/signers app/.pol/new two/.pol; do
		{ echo x >>$f; } 2>/dev/null && echo "wrote $f"
		echo y >y; mv y $f 2>/dev/null && echo "moved over $f"; rm -f $f 2>/dev/null && echo "removed $f"; done
	for d in app/.pol app two; do mv $d away 2>/dev/null && echo "moved $d"; done
	mkdir own && mkdir own/.pol && echo mine >own/.pol/signers && echo free >app/free && echo fine'
want_rc 0
want_out '^fine$'
no_out '^(wrote|moved|moved over)'
want_text theirs "$P/app/.pol/signers"
want_text theirs "$P/two/.pol"
no_file "$P/app/.pol/new"
want_text mine "$P/own/.pol/signers"
want_text free "$P/app/free"
want_err 'own/\.pol has appeared: the policy of a project'
rm -rf "$P"/{app,two,own}

t "git works in what the run makes, and is told"
rm -rf "$P"/sub
make_later() { :; }
later 'set -e; g() { git -c user.name=a -c user.email=a@b -c protocol.file.allow=always "$@"; }
	g init -q own; g -C own config a.b c; echo x >own/.git/hooks/pre-push
	g -C own commit -q --allow-empty -m x
	g clone -q own cl; (cd cl; g config x.y z; g submodule --quiet add "$PWD/../own" s; g commit -qm s)
	g worktree add -q mywt; (cd mywt; echo b >b; g add b; g commit -qm b)
	g init -q --bare own.git; g push -q own.git HEAD:refs/heads/m; echo fine'
want_rc 0
want_out '^fine$'
want_err 'own/.git has appeared'
want_err 'cl/.git has appeared'
want_err 'own.git has appeared'

t "what a run has made is somebody else's for the next one"
run sh -c 'echo x >>own/.git/config; echo x >own/.git/hooks/pre-commit; echo x >own.git/hooks/update; echo x >own/.git/description && echo fine'
want_out '^fine$'
no_file "$P/own/.git/hooks/pre-commit"
no_file "$P/own.git/hooks/update"

t "the project's own, made outside while the run goes on"
rm -rf "$P/.git" "$P"/{own,own.git,cl,mywt}
make_later() { outside init -q "$P"; }
later '{ echo x >>.git/config; } 2>/dev/null && echo wrote; { echo x >.git/hooks/pre-commit; } 2>/dev/null && echo wrote
	echo x >.git/description && echo fine'
no_out wrote
no_file "$P/.git/hooks/pre-commit"

t "what a commit holds is put in place by git outside, and polrun does not read it (doc/threat-model.md)"
rm -rf "$P/.git"
outside init -q "$P" && outside -C "$P" commit -q --allow-empty -m x
run sh -c 'echo by-name >.envrc; b=$(echo by-git | git hash-object -w --stdin)
	git update-index --add --cacheinfo 100644,$b,.envrc
	t=$(git write-tree); c=$(git -c user.name=a -c user.email=a@b commit-tree -p HEAD -m more $t)
	git update-ref refs/heads/more $c; git reset -q'
want_rc 0
no_file "$P/.envrc" # the control: the name itself is kept
want_line 'blocked: write .*/\.envrc: rule .* at std/floor\.pol'
outside -C "$P" checkout -q more
want_text by-git "$P/.envrc"

t "what appears between two runs, in folders that the first has searched"
mkdir -p "$P"/many/{a,b,c,d,e,f,g,h,i,j,k,l}/{1,2,3,4,5,6,7,8,9}
sleep 0.1 # time: a folder that has just changed is not remembered
run true
state=$HOME/.local/state/pol
ls "$state"/tree-* >/dev/null 2>&1 || bad "nothing is remembered of the search: $(ls "$state")"
run sh -c 'mkdir -p many/a/1/.git/hooks && echo x >many/a/1/.git/hooks/mine' # the control: nothing was there
want_rc 0
rm -rf "$P/many/a/1"
outside init -q "$P/many/c/7/new"
outside init -q "$P/moved" && mv "$P/moved" "$P/many/d/3/moved"
for damage in none cut other; do
	case $damage in
	cut) for f in "$state"/tree-*; do truncate -s -9 "$f"; done ;;
	other) for f in "$state"/tree-*; do printf 'moved' | dd of="$f" bs=1 seek=200 conv=notrunc 2>/dev/null; done ;;
	esac
	run sh -c 'for r in c/7/new d/3/moved; do
		{ echo x >>many/$r/.git/config; } 2>/dev/null && echo "wrote $r"
		echo x >many/$r/.git/hooks/pre-commit && echo "hook in $r"; done; echo over'
	want_out '^over$'
	no_out '^(wrote|hook in)'
done
done_
