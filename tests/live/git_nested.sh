#!/usr/bin/env bash
# Other repositories below the project: what git would run of them stays as it
# is, and those that a run makes are named, until somebody has seen it.
# timing: runs are killed, and polrun is waited for
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
export GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b

if ! command -v git >/dev/null; then
	skip git "git is not installed"
	done_
fi
policy ''
state=$HOME/.local/state/pol
fresh() {
	rm -rf "${P:?}"/* "$P"/.[!.]* "$WORK/ran" "$state"
	git init -q . && git commit -q --allow-empty -m one
}
# What the run plants: git outside runs it, and it leaves a mark.
printf '#!/bin/sh\necho ran >>%s\n' "$WORK/ran" >"$WORK/out/evil"
chmod 755 "$WORK/out/evil"
PLANT="[core]
	fsmonitor = $WORK/out/evil"
# CONFIG: appends to it, as a run would
plant() { printf 'printf "%%s\\n" "%s" >>%s' "$PLANT" "$1"; }
# FOLDER: git there, outside
outside_git() {
	rm -f "$WORK/ran"
	git -C "$1" status >/dev/null 2>&1
}
# ATTACK-folder CONFIG: the control first, outside; then inside.
attack() {
	local was
	was=$(cat "$2")
	sh -c "$(plant "$2")"
	outside_git "$1"
	[ -e "$WORK/ran" ] || bad "the control: git in $1 does not run what $2 names"
	printf '%s\n' "$was" >"$2"
	run sh -c "$(plant "$2")"
	[ "$rc" -ne 0 ] || bad "a run wrote $2"
	outside_git "$1"
	[ ! -e "$WORK/ran" ] || bad "git in $1 ran what a run put into $2"
	want_text "$was" "$2"
}

t "a submodule's repository, seen from the top"
fresh
git init -q "$WORK/out/lib" && git -C "$WORK/out/lib" commit -q --allow-empty -m one
git -c protocol.file.allow=always submodule add -q "$WORK/out/lib" deps/lib 2>/dev/null
git commit -q -m sub
attack . .git/modules/deps/lib/config
run sh -c 'echo bad > .git/modules/deps/lib/hooks/post-checkout; echo bad > deps/lib/.git
	mv .git/modules away; rm -f .git/modules/deps/lib/config; echo free > deps/lib/new'
no_file .git/modules/deps/lib/hooks/post-checkout
want_file .git/modules/deps/lib/config
want_text free deps/lib/new
grep -q '^gitdir: ' deps/lib/.git || bad "deps/lib/.git: $(cat deps/lib/.git)"

t "a repository below the project, and one in its submodule"
fresh
git init -q vendor/x && git -C vendor/x commit -q --allow-empty -m one
attack vendor/x vendor/x/.git/config
run sh -c 'echo bad > vendor/x/.git/hooks/pre-commit; mv vendor gone; echo free > vendor/x/.git/description'
no_file vendor/x/.git/hooks/pre-commit
want_text free vendor/x/.git/description
run sh -c 'echo ../../evil > vendor/x/.git/commondir'
want_line 'vendor/x/\.git/commondir has appeared'

t "one without hooks: git goes on working there"
fresh
git init -q --template= bare2 && git -C bare2 commit -q --allow-empty -m one
run sh -c 'cd bare2 && echo x >f && git add f && git -c user.name=a -c user.email=a@b commit -qm two && mkdir .git/hooks'
want_rc 0
want_line 'bare2/\.git/hooks has appeared'

t "a bare repository in an ordinary folder"
fresh
git init -q --bare docs
PLANT="$PLANT
	bare = false
	worktree = $P/docs"
attack docs docs/config
run sh -c 'echo bad > docs/hooks/pre-receive; echo free > docs/description'
no_file docs/hooks/pre-receive
want_text free docs/description

t "the administrative files of a worktree"
fresh
git worktree add -q "$WORK/out/tree" -b other 2>/dev/null
was=$(cat .git/worktrees/tree/commondir .git/worktrees/tree/gitdir)
run sh -c 'echo ../../evil > .git/worktrees/tree/commondir; echo /x > .git/worktrees/tree/gitdir'
[ "$(cat .git/worktrees/tree/commondir .git/worktrees/tree/gitdir)" = "$was" ] || bad "they were changed"
run sh -c 'echo x > .git/worktrees/tree/config.worktree'
want_line 'worktrees/tree/config\.worktree has appeared'
rm -rf "$WORK/out/tree"

t "the control: git makes repositories in a run, and they are named"
fresh
cp -r "$WORK/out/lib" lib
run sh -c 'git clone -q lib copy 2>&1 && git init -q mine && git init -q --bare bare && git -C copy pull -q'
want_rc 0
want_line '/project/copy/\.git has appeared: a repository, whose configuration git believes'
want_line '/project/mine/\.git has appeared'
want_line '/project/bare has appeared: a folder that git takes for a bare repository'
no_err '/project/lib/\.git has appeared'
run sh -c 'mkdir -p d/e && cp -r mine/.git d/e/.git && echo "gitdir: ../bare" >d/.git
	mkdir -p hid/objects hid/refs && echo "ref: refs/heads/x" >hid/HEAD
	mkdir -p .git/modules/new && cp -r bare/. .git/modules/new; ln -s ../bare d/e/f'
for what in 'd/e/\.git has appeared' 'd/\.git has appeared: a .git file' 'hid has appeared' \
	'\.git/modules/new has appeared: a submodule'; do
	want_line "$what"
done

t "they are shown again until they were shown at a terminal, or are gone"
run true
want_line '/project/copy/\.git has appeared'
want_line '/project/mine/\.git has appeared'
rm -rf mine
run true
no_err '/project/mine/'
want_line '/project/copy/\.git has appeared'
if command -v script >/dev/null; then
	out=$(script -qec "$BIN/polrun -b $WORK/p.polb true" /dev/null 2>&1 </dev/null)
	want_out '/project/copy/\.git has appeared'
	run true
	no_err 'has appeared'
fi

t "another project is not told"
fresh
run git init -q mine
mkdir "$WORK/home/second"
run --project "$WORK/home/second" true
no_err 'has appeared'
run true
want_line '/project/mine/\.git has appeared'

t "a polrun that was killed: the next one looks"
fresh
"$BIN/polrun" -b "$WORK/p.polb" sh -c 'git init -q mine; echo x >.envrc; echo up >up; sleep 30' \
	>/dev/null 2>&1 </dev/null &
for _ in $(seq 100); do
	[ ! -e up ] || break
	sleep 0.05
done
want_file up
# one that lives says for itself what it leaves
run true
no_err 'mine'
kill -9 $!
wait $! 2>/dev/null
sleep 0.3
run true
want_line '/project/mine/\.git has appeared since a run of .* that was killed'
want_line '/project/\.envrc has appeared since a run of .* that was killed'
run true
want_line '/project/mine/\.git has appeared since'
no_out x

t "where nothing can be remembered one line says so"
fresh
mkdir -p "$HOME/.local" && rm -rf "$HOME/.local/state" && : >"$HOME/.local/state"
run git init -q mine
want_rc 0
want_line 'will not be remembered'
want_line '/project/mine/\.git has appeared'
rm -f "$HOME/.local/state"

t "a search that ends before its end says so"
fresh
run sh -c 'i=0; while [ $i -lt 140 ]; do mkdir -p r/$i/.git; i=$((i+1)); done'
want_line 'not all of .*/project was searched for repositories that this run may have made .*too large'
run true
want_line 'not all of .*/project was searched for repositories \(it is too large\): those below'
fresh
run sh -c 'mkdir shut && git init -q shut/x && chmod 0 shut'
[ -n "$(find . -name shut -perm 0)" ] || bad "the folder is not shut"
is_root || want_line 'not all of .*/project was searched .*cannot be looked at'
chmod 700 shut

t "names of the user's home, where a policy lets it be written"
fresh
printf '[user]\n\tname = me\n' >"$HOME/.gitconfig"
mkdir -p "$HOME/.local/bin" "$HOME/.claude" "$HOME/.config/git" "$HOME/.config/autostart" "$HOME/.config/systemd" "$HOME/.cargo"
for f in .bash_aliases .zlogout .xprofile .vimrc .cargo/config.toml; do echo mine >"$HOME/$f"; done
policy 'file { allow read "/"  allow read, write "${HOME}" }' h
run_with h sh -c 'for f in .gitconfig .bash_aliases .zlogout .xprofile .vimrc .cargo/config.toml .local/bin/ls .claude/x \
	.config/git/config .config/autostart/x .config/systemd/x; do echo bad 2>/dev/null >>"$HOME/$f" && echo "wrote $f"; done
	echo free >"$HOME/free" && echo free >"$HOME/.cargo/free" && echo free >"$HOME/.config/free"'
no_out wrote
want_text free "$HOME/free"
want_text free "$HOME/.cargo/free"
want_text free "$HOME/.config/free"
rm -rf "$HOME/.local" "$HOME/.claude" "$HOME/.config" "$HOME"/.[bzxvgc]*
run_with h sh -c 'echo x >$HOME/.gitconfig; mkdir -p $HOME/.local/bin; echo x >$HOME/.vimrc'
want_line '/\.gitconfig has appeared'
want_line '/\.local/bin has appeared'
want_line '/\.vimrc has appeared'
rm -rf "$HOME/.local" "$HOME/.gitconfig" "$HOME/.vimrc"
policy 'file { allow read, write "${HOME}/.cargo", "${HOME}/.local" }' h
mkdir -p "$HOME/.cargo" "$HOME/.local/bin"
echo mine >"$HOME/.cargo/config.toml"
run_with h sh -c 'echo bad >$HOME/.cargo/config.toml; echo bad >$HOME/.local/bin/ls; echo free >$HOME/.cargo/free; echo free >$HOME/.local/free'
want_text mine "$HOME/.cargo/config.toml"
no_file "$HOME/.local/bin/ls"
want_text free "$HOME/.cargo/free"
want_text free "$HOME/.local/free"
rm -rf "$HOME/.cargo" "$HOME/.local"
# the control: a home of the run's own takes them
raw_policy 'policy own { } command { otherwise allow  opaque allow } file { allow read, write "${PROJECT_DIR}" }' own
run_with own sh -c 'git config --global user.name x && mkdir -p ~/.local/bin && : >~/.local/bin/x && mkdir ~/.claude && echo done'
want_out '^done$'

t "names of the project: kept where they are, named where they appear"
fresh
names='.devcontainer.json .yarnrc.yml .aider.conf.yml opencode.json CLAUDE.md AGENTS.md .github/copilot-instructions.md'
mkdir .github .husky .zed
for f in $names .husky/x .zed/x; do echo mine >"$f"; done
run sh -c 'for f in '"$names"' .husky/x .husky/y .zed/y; do echo bad 2>/dev/null >>$f && echo "wrote $f"; done; echo free >.github/free'
no_out wrote
want_text free .github/free
for f in $names; do rm -f "$f"; done
rm -rf .husky .zed
run sh -c 'for f in '"$names"'; do echo x >$f; done; mkdir .husky .zed'
for f in $names .husky .zed; do want_line "/${f//./\\.} has appeared"; done

done_
