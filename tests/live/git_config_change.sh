#!/usr/bin/env bash
# What a run may change of a repository's configuration, which the floor keeps: what names nothing to
# run, and nothing else of the same file.
# long: every fourth day, as root and as a user in turn
# shellcheck disable=SC2016,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"

for c in 'user.email a@example.org' 'user.name n' 'init.defaultBranch main' 'advice.detachedHead false'; do
	# shellcheck disable=SC2086
	git config --global $c
done
git init -q "$WORK/origin" && git -C "$WORK/origin" commit -q --allow-empty -m one && git -C "$WORK/origin" branch y
rmdir "$P" 2>/dev/null
cd "$HOME" && git clone -q "$WORK/origin" "$P" && cd "$P" || exit 1
policy 'file { allow read "${HOME}/.gitconfig" }'

t "git changes what names nothing to run, as outside"
run git branch -M trunk
want_rc 0
run git remote add other https://a.example/x.git
want_rc 0
run git remote set-url origin https://b.example/y.git
want_rc 0
run git checkout -q -b x --track origin/y
want_rc 0
run git config user.name "A B"
want_rc 0
run git config pull.rebase true
want_rc 0
no_err '^polrun: blocked'
for c in 'remote.other.url https://a.example/x.git' 'remote.origin.url https://b.example/y.git' 'branch.x.merge refs/heads/y' \
	'user.name A B' 'pull.rebase true'; do
	[ "$(git config "${c%% *}")" = "${c#* }" ] || bad "$c is not there"
done
run git sparse-checkout set src
want_rc 0
[ "$(git config core.sparseCheckout)" = true ] || bad "no sparse checkout"
git sparse-checkout disable
chmod 600 .git/config
run git config user.email c@example.org
want_rc 0
[ "$(stat -c %a .git/config)" = 600 ] || bad "the mode is another one"

t "what names a program, or leads to another file, is refused as a whole"
kept() { # KEY VALUE
	local before
	before=$(cat .git/config)
	run sh -c 'git config user.name "C D"; git config -- "$1" "$2"' sh "$1" "$2"
	[ "$(cat .git/config)" = "$(sed 's/A B/C D/' <<<"$before")" ] || bad "$1 = $2 was written"
	want_err "^polrun: blocked: write $P/\.git/config"
	git config user.name "A B"
}
kept core.pager x
kept core.hooksPath /tmp/h
kept core.fsmonitor ./x
kept core.sshCommand ./x
kept core.editor x
kept alias.st '!x'
kept include.path ../x
kept filter.f.clean ./x
kept diff.d.textconv ./x
kept credential.helper ./x
kept remote.origin.uploadpack ./x
kept remote.origin.vcs x
kept remote.e.url 'ext::sh -c x'
kept remote.e.url '-oProxyCommand=x'
kept remote.e.url 'ssh://-oProxyCommand=x/y'
kept submodule.s.update '!x'
kept branch.x.remote 'ext::x'
kept branch.x.remote '-x'
kept branch.x.remote ./evil.git
kept branch.x.pushRemote evil
kept remote.e.url ./evil.git
kept remote.e.url file:///tmp/evil.git
kept remote.e.url ssh://localhost/tmp/evil.git
kept remote.e.url LocalHost:tmp/evil.git
kept remote.e.url ssh://2130706433/tmp/evil.git
kept remote.e.url "ssh://$(uname -n)/tmp/evil.git"
kept remote.e.url 'x&make&y:z'
kept "remote.$P/evil.git.url" https://a.example/x
kept gpg.program ./x
kept url.x.insteadOf https://

t "a remote's name does not become a path: a push would run the hooks of a repository that the run made"
before=$(cat .git/config)
run sh -c 'git init -q --bare other && git config --file .git/config --remove-section remote.origin'
[ "$(cat .git/config)" = "$before" ] || bad "the branch's remote is gone"
want_err "remote\.origin\.url"
rm -rf other

t "a text that could be read in another way is refused, whatever it seems to say"
cp .git/config "$WORK/config"
refused() { # TEXT behind the old one, as printf writes it
	cp "$WORK/config" .git/config
	run sh -c '{ cat .git/config; printf "$1"; } >.git/config.lock && mv .git/config.lock .git/config' sh "$1"
	[ "$rc" -ne 0 ] || bad "$1: it ended with 0"
	cmp -s .git/config "$WORK/config" || bad "$1 was written"
	rm -f .git/config.lock
}
refused '[user]\n\tname = a\\\n\tpager = x\n'
refused '[user]\n\tname = "a\n'
refused '[user]\r\n\tname = a\n'
refused '[user] name = a\n'
refused '[user "x"]\n\tname = a\n'
refused '[core.x]\n\turl = a\n'
refused '[remote "a\\"]\n\turl = b\n'
refused '[remote "a"]\n\turl = b # c\n'
refused '\xef\xbb\xbf[user]\n\tname = a\n'
refused '[user]\n\tname\n'
refused '[user]\n\tname = a\x00b\n'
refused '[user]\n\tname = a\n[core]\n\tpager = x\n'
refused "$(printf '#%070000d' 0)\n"
# the control: the same way, with a text that is read in one way
run sh -c '{ cat .git/config; printf "[remote \"z\"]\n\turl = https://z.example/\n"; } >.git/config.lock && mv .git/config.lock .git/config'
want_rc 0
[ "$(git config remote.z.url)" = https://z.example/ ] || bad "the remote is not there"
# nor does anything else go
for key in repositoryformatversion filemode bare; do
	run sh -c 'grep -v "$1" .git/config >.git/config.lock; mv .git/config.lock .git/config' sh "$key"
	[ "$rc" -ne 0 ] && grep -q "$key" .git/config || bad "$key was taken away"
done
rm -f .git/config.lock
git config core.repositoryformatversion 1
run sh -c 'sed "s/repositoryformatversion = 1/repositoryformatversion = 0/" .git/config >.git/config.lock; mv .git/config.lock .git/config'
grep -q 'repositoryformatversion = 1' .git/config || bad "the format went back"

t "the file that the run wrote does not get the name: it cannot change it afterwards"
run sh -c 'exec 3<>.git/config.lock; cat .git/config >&3; ln .git/config.lock .git/again; mv .git/config.lock .git/config; echo "	pager = x" >&3; echo "	pager = y" >>.git/again; cat .git/again | tail -n 2'
want_rc 0
want_out 'pager = y'
! grep -q pager .git/config || bad "it was written through a descriptor or another name"
[ "$(stat -c %h .git/config)" = 1 ] || bad "it has another name"
rm -f .git/again
run sh -c 'ln -s ../x .git/config.lock; mv .git/config.lock .git/config'
[ ! -L .git/config ] || bad "it is a link"
rm -f .git/config.lock
run sh -c 'echo >.git/config'
[ "$rc" -ne 0 ] && [ -s .git/config ] || bad "it was written directly"
run sh -c 'rm -f .git/config'
[ -s .git/config ] || bad "it was removed"

t "another run cannot write the file while the broker gives it its name"
run sh -c 'echo x >.git/config.polrun || mkdir .git/config.polrun || ln -s x .git/config.polrun'
[ "$rc" -ne 0 ] || bad "the name of the broker's file was made"
no_file .git/config.polrun
cat >"$WORK/race.py" <<'EOT'
import os, time
end = time.time() + 4
while time.time() < end:
    try: fd = os.open(".git/config.polrun", os.O_WRONLY | os.O_APPEND)
    except OSError: continue
    os.write(fd, b"[core]\n\tpager = raced\n"); os.close(fd)
EOT
cp "$WORK/race.py" race.py
"$BIN/polrun" -b "$WORK/p.polb" python3 race.py >/dev/null 2>&1 </dev/null &
run sh -c 'for i in $(seq 60); do git config user.name "A B$i" || exit; done; git config user.name "A B"'
want_rc 0
wait
! grep -q raced .git/config || bad "another run wrote the configuration"
rm -f race.py

t "what a broker has left that was killed is no hindrance"
echo left >.git/config.polrun
run git config user.name "A E"
want_rc 0
[ "$(git config user.name)" = "A E" ] || bad "the name is $(git config user.name)"
no_file .git/config.polrun
git config user.name "A B"

t "a change that somebody outside makes at the same time is not lost"
cat >"$WORK/outside.py" <<'EOT'
import os, re, time
end = time.time() + 4
lost = n = 0
while time.time() < end:
    n += 1
    text = re.sub(r"\[test\]\n\tn = \d+\n", "", open(".git/config").read()) + "[test]\n\tn = %d\n" % n
    open(".git/other", "w").write(text)
    os.rename(".git/other", ".git/config")
    for i in range(20): # the broker may have it in its hands for a moment
        time.sleep(0.0003)
        there = "n = %d\n" % n in open(".git/config").read()
        if there: break
    lost += not there
print(n, lost)
EOT
cat >inside.py <<'EOT'
import os, time
end = time.time() + 5
done = 0
while time.time() < end:
    text = open(".git/config").read()
    open("x", "w").write(text.replace("name = A B\n", "name = A C\n" if done % 2 else "name = A D\n").replace("name = A C\n", "name = A B\n"))
    try: os.rename("x", ".git/config"); done += 1
    except OSError: pass
print(done)
EOT
python3 "$WORK/outside.py" >"$WORK/changes" &
run python3 inside.py
wait
[ "$out" -gt 50 ] || bad "the run made $out changes"
read -r changes lost <"$WORK/changes"
[ "$changes" -gt 50 ] && [ "$lost" -eq 0 ] || bad "of $changes changes $lost were lost"
no_file .git/config.polrun
rm -f x inside.py
git config user.name "A B"
git config --remove-section test

t "other repositories below the project; not where a rule of a policy denies it"
git clone -q "$WORK/origin" sub
run git -C sub remote add other https://a.example/x.git
want_rc 0
[ "$(git -C sub config remote.other.url)" = https://a.example/x.git ] || bad "sub: no remote"
run git -C sub config core.pager x
[ "$rc" -ne 0 ] || bad "sub: the pager was set"
git worktree add -q "$P/wt" y 2>/dev/null
run git -C wt remote add third https://a.example/x.git
want_rc 0
policy 'file { allow read "${HOME}/.gitconfig"  deny write "${PROJECT_DIR}/.git/config" }' own
run_with own git remote add fourth https://a.example/x.git
[ "$rc" -ne 0 ] || bad "a policy's own rule does not hold"
want_err 'own.pol:'
done_
