#!/usr/bin/env bash
# The git commands of everyday work, in a plain clone, a worktree, a submodule and a worktree of a bare
# repository: with polrun each ends and says what it does without, and the repository is the same after it.
# long: every fourth day, as root and as a user in turn
# shellcheck disable=SC2016,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"

if ! command -v git >/dev/null; then
	skip git "git is not installed"
	done_
fi
export GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b.example GIT_COMMITTER_NAME=a
export GIT_COMMITTER_EMAIL=a@b.example GIT_AUTHOR_DATE='1700000000 +0000' GIT_COMMITTER_DATE='1700000000 +0000'
export GIT_PAGER=cat GIT_EDITOR=true LC_ALL=C TZ=UTC

world=$HOME/world

# What the host has: a remote, and the layout at $world/project.
make_world() { # LAYOUT
	rm -rf "$world" && mkdir "$world" && cd "$world" || exit 1
	git init -q -b main seed
	(
		cd seed && mkdir src docs && echo one >src/a && echo two >docs/b && printf '1\n2\n3\n4\n5\n' >lines &&
			git add . && git commit -q -m one && echo more >>src/a && git commit -q -am two && git tag v1 &&
			git checkout -q -b topic && echo t >topic && git add . && git commit -q -m topic && git checkout -q main
	)
	git clone -q --bare seed origin.git
	case $1 in
	clone) git clone -q origin.git project ;;
	worktree)
		git clone -q origin.git other
		git -C other worktree add -q -b work ../project origin/main
		;;
	submodule)
		git init -q -b main above
		git -C above -c protocol.file.allow=always submodule add -q "$world/origin.git" sub
		git -C above commit -q -m above
		ln -s above/sub project
		;;
	bare)
		git clone -q --bare origin.git store.git
		git -C store.git worktree add -q -b work ../project main
		git -C store.git config remote.origin.fetch '+refs/heads/*:refs/remotes/origin/*'
		git -C store.git fetch -q origin
		;;
	esac
	cd -P project || exit 1
}

# One a line.  Each goes on from what the one before has left.
commands() { # LAYOUT
	cat <<'END'
git status
git log --oneline --all
echo new >src/c && git add src/c && git commit -m new
git show --stat HEAD
echo x >>lines && git diff
git stash push -m kept && git stash list && git stash pop
git commit -am lines && git commit --amend -m "lines again"
git branch side && git branch -m side beside && git branch --list
git switch -c away && git switch -
git checkout -b tracked --track origin/topic
git merge main -m merged
git switch away && git cherry-pick tracked~1 || git cherry-pick --abort
git revert --no-edit HEAD
git tag -a v2 -m two && git describe --tags
git rebase main
git rebase -i --autosquash HEAD~1
git reset --soft HEAD~1 && git commit -m squashed
git reset --hard HEAD && git restore --source=HEAD~1 src/a && git restore src/a
git mv docs/b docs/d && git rm -q lines && git commit -m moved
git clean -ndx && echo junk >junk && git clean -fd
git bisect start HEAD v1 && git bisect run true
git bisect reset
git worktree add below -b below && echo y >below/f && git -C below add f && git -C below commit -m below
git worktree list --porcelain && git -C below status
git worktree add gone -b gone && git worktree remove gone && git branch -D gone
git submodule status
git remote add second https://a.example/second.git && git remote -v
git remote set-url second https://b.example/second.git && git remote get-url second
git fetch origin
git push -u origin HEAD:refs/heads/pushed
git pull --ff-only origin pushed
git push origin --delete pushed
git config user.name "A B" && git config --get user.name
git notes add -m note && git log -1 --show-notes
git reflog -3
git blame src/a && git grep -n more
git archive HEAD | wc -c
git format-patch -1 --stdout >../p.patch || git format-patch -1 --stdout >p.patch
git format-patch -1 -o out && git reset --hard HEAD~1 && git am out/*.patch
git apply --check out/*.patch
git bundle create all.bundle HEAD && git bundle verify all.bundle
echo blob | git hash-object -w --stdin && git cat-file -p HEAD
git ls-files && git for-each-ref
git update-ref refs/heads/direct HEAD && git symbolic-ref HEAD
git gc -q && git fsck
git repack -adq && git pack-refs --all && git count-objects
git clone -q . copy && git -C copy log -1 --format=%s
git init -q fresh && git -C fresh status
END
	# elsewhere it moves a setting that says what the repository is: below
	case $1 in clone | worktree) printf '%s\n' 'git sparse-checkout set src && git sparse-checkout list' 'git sparse-checkout disable' ;; esac
}

# What git says, without what differs by itself: times, and polrun's own lines.
run_all() { # LAYOUT RESULT WORDS-BEFORE…
	local line layout=$1 to=$2
	shift 2
	while IFS= read -r line; do
		printf '== %s\n' "$line"
		"$@" sh -c "$line" 2>&1 </dev/null
		printf 'rc %s\n' "$?"
	done < <(commands "$layout") | grep -v '^polrun: ' >"$to"
	{
		git for-each-ref
		git status --porcelain
		git log --all --format='%H %s'
		git config --list --local
	} >>"$to" 2>&1
}

policy_text='use std/profile/project
file { allow read, write "${HOME}/world/origin.git" }
env { keep += GIT_CONFIG_NOSYSTEM }'
t "the policy"
raw_policy "$policy_text"

for layout in clone worktree submodule bare; do
	t "$(commands $layout | wc -l) git commands in a $layout"
	make_world $layout
	run_all $layout "$WORK/outside" env
	make_world $layout
	run_all $layout "$WORK/inside" "$BIN/polrun" -b "$WORK/p.polb"
	[ "$(grep -c '^rc 0$' "$WORK/outside")" -ge 45 ] || bad "outside: $(grep -B3 '^rc [^0]' "$WORK/outside")"
	diff "$WORK/outside" "$WORK/inside" >"$WORK/diff" || bad "$(head -40 "$WORK/diff")"
done

# What is refused, because the next git of the user would go elsewhere: the line names the setting.
refused() { # SETTING WORDS…
	local before setting=$1
	before=$(git config --list --local | grep -iF "$setting=")
	shift
	run "$@"
	[ "$rc" -ne 0 ] || bad "$*: it ended with 0"
	want_err "^polrun: blocked: write .*config.* \\(${setting//./\\.}\\): rule .* at std/floor\\.pol"
	[ "$(git config --list --local | grep -iF "$setting=")" = "$before" ] || bad "$*: $setting is another one"
	"$@" >/dev/null 2>&1 || bad "the control: $* does not work outside"
	[ "$(git config --list --local | grep -iF "$setting=")" != "$before" ] || bad "the control: $* does not change $setting"
}
t "a remote that goes, a path for a submodule and a repository that says where it works: refused, with the setting"
make_world clone
git remote add second https://a.example/second.git
refused remote.second.url git remote rename second third
refused remote.third.url git remote remove third
run git -c protocol.file.allow=always submodule add ../origin.git mod
want_rc 0
refused submodule.mod.url git submodule init
make_world submodule
# git would first say that each worktree has settings of its own, and then move core.worktree and core.bare there
refused extensions.worktreeConfig git sparse-checkout set src
make_world bare
refused extensions.worktreeConfig git sparse-checkout set src
cd / && rm -rf "$world"
done_
