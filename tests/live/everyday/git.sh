#!/usr/bin/env bash
# git, and what it signs and connects with, inside as outside.
# long: every fourth day, as root and as a user in turn
# shellcheck disable=SC2016,SC2031,SC2088
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../../lib/live.sh"
# shellcheck source=tests/lib/everyday.sh
. "$(dirname "$0")/../../lib/everyday.sh"
git init -q --bare "$TEMPLATE/remote.git"

same 'commit, rebase, stash, bisect' git <<'X'
for n in 1 2 3 4; do echo $n >n; git add n; git commit -q -m n$n; done
git switch -q -c topic HEAD~2 && echo t >t && git add t && git commit -q -m t && git rebase -q main
echo x >>a.txt; git stash -q; git stash list; git stash pop -q; git checkout -q a.txt
git bisect start HEAD HEAD~4 >/dev/null; git bisect run sh -c '! grep -q 3 n' | grep 'first bad'; git bisect reset -q 2>/dev/null || git bisect reset >/dev/null 2>&1
git log --format='%H %s'; git status -s
X
same 'merge with a conflict, cherry-pick, revert, tag, gc' git <<'X'
git switch -q -c other; echo other >a.txt; git commit -qam other; git switch -q main; echo main >a.txt; git commit -qam main; git merge -q other; cat a.txt; git checkout -q --ours a.txt; git add a.txt; git commit -qm merged
git revert --no-edit -m 1 HEAD 2>&1 | tail -n 1; git switch -q -c pick HEAD~2; git cherry-pick other >/dev/null; git tag -a v1 -m v1; git describe; git gc -q; git fsck 2>/dev/null; git log --all --format=%s | sort; git reflog | wc -l
X
same 'an editor, a hook that is there, aliases, grep, blame' git <<'X'
echo x >x; git add x; GIT_EDITOR='sh -c "echo edited >\$0"' git commit -q && git log -1 --format=%s; git grep one; git blame -s a.txt; git -c alias.st='status -s' st; git config user.name; git shortlog -sn HEAD | cat
X
same 'archives, bundles, patches' git <<'X'
git archive HEAD | tar t; git bundle create -q b.bundle HEAD && git bundle verify -q b.bundle && git clone -q b.bundle c 2>/dev/null; git -C c log --format=%s; rm -rf c; echo two >>a.txt; git commit -qam two; git format-patch -q -1; git reset -q --hard HEAD~; git am -q 0001*; git log --format=%s; git diff --stat HEAD~; git apply --check -R 0001*
X
same 'a worktree in the project' git <<'X'
git worktree add -q wt -b side && cd wt && echo x >x && git add x && git commit -qm x && cd .. && git log --all --format=%s && git worktree remove wt; git worktree list | wc -l
X
same 'a second repository, cloned and pushed to, in the project' git <<'X'
git clone -q --bare . r.git && git clone -q r.git c && cd c && echo y >y && git add y && git commit -qm y && git push -q && git -C ../r.git log --format=%s && git fetch -q && git pull -q; cd .. && rm -rf c r.git
X
told 'git push to a repository beside the project' '~/remote\.git exists outside of the sandbox, .*: rule file-[a-z0-9-]+ at std/base\.pol:[0-9]+' \
	'file { allow read, write "${HOME}/remote.git" }' git <<'X'
git push -q ~/remote.git main && git ls-remote ~/remote.git
X
told 'a hook' 'denied by rule file-[a-z0-9]+ at std/floor\.pol:[0-9]+: git would run it outside of the sandbox; to pass: nothing' '' git <<'X'
echo 'echo hook' >.git/hooks/pre-commit
X

# gpg-agent and ssh-agent serve their own user, who is not the run's where root has started it.
if ! is_root && needs 'signing' gpg git; then
	# the sockets' names are too long for a socket in the project of some places
	GNUPGHOME=$(mktemp -d /tmp/pol-gpg.XXXXXX)
	export GNUPGHOME
	gpg -q --batch --passphrase '' --quick-gen-key 'A <a@b.c>' default default never 2>/dev/null
	t "gpg signs with the agent's socket, which a policy names"
	fresh
	profile_and "file { allow read \"$GNUPGHOME/pubring.kbx\", \"$GNUPGHOME/trustdb.gpg\" }
unix { allow \"$(gpgconf --list-dirs agent-socket)\" }
env { keep += GNUPGHOME }"
	did inside polrun -p "$WORK/way.pol" gpg -q --batch --sign a.txt
	want_rc 0
	gpg -q --verify a.txt.gpg 2>/dev/null || bad "no good signature"
	rm -f a.txt.gpg
	did inside polrun -p "$WORK/way.pol" git commit -q -S --allow-empty -m signed
	want_rc 0
	[ "$(git log -1 --format=%G?)" = G ] || bad "the commit is not signed"
	did inside polrun gpg -q --batch --sign a.txt
	[ "$rc" -ne 0 ] || bad "it signs without the rule"
	no_file a.txt.gpg
	gpgconf --kill all
	rm -rf "$GNUPGHOME"
	unset GNUPGHOME
fi
done_
