#!/usr/bin/env bash
# Whatever our own programs write, on whose word ever: what an agent may have
# them write is a write of that file, and polrun, which runs for a policy, itself
# keeps to what the run may not write.
# long: every fourth day, as root and as a user in turn
# shellcheck disable=SC2016,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"

# --- what an agent asks ------------------------------------------------------------

cat >"$WORK/agent.pol" <<'E2'
policy agent { level user }
command { allow "polc:*", "polrun:*", "polquery:*", "ls:*"  deny "rm:*" }
file { allow read, write "${PROJECT_DIR}" }
E2
asked() { # LINE: sets effect
	effect=$("$BIN/polc" explain --scope host --root PROJECT_DIR=/p --root HOME=/h --cwd /p \
		"$WORK/agent.pol" command "$1" 2>&1 | sed -n '1s/:.*//p')
}
# FORM: with a name that the floor keeps it is denied, with another allowed.  %: the name.
output() {
	local name
	outputs+=" $1"
	for name in .git/hooks/post-checkout .git/config '"$HOME/.bashrc"' /h/.zshrc vendor/x/.git/hooks/x .envrc; do
		asked "${1//%/$name}"
		[ "$effect" = deny ] || bad "${1//%/$name}: $effect"
	done
	for name in out.x /p/sub/out.x; do
		asked "${1//%/$name}"
		[ "$effect" = allow ] || bad "the control: ${1//%/$name}: $effect"
	done
}
# FORM: it only reads that name.
input() {
	outputs+=" $1"
	asked "${1//%/.git/config}"
	[ "$effect" = allow ] || bad "${1//%/.git/config}: $effect"
}

t "an agent's line: each output of each program is a write"
outputs=
output 'polc compile a.pol -o %'
output 'polc compile -o% a.pol'
output 'polc compile a.pol --output %'
output 'polc compile --output=% --serial 3 a.pol'
output 'polc compile a.pol -o out.polb --inputs %'
output 'polc sign --key k -o % b.polb'
output 'polc sign --output=% --key k b.polb'
output 'polc sign --key k %'
output 'polc fmt -w %'
output 'polc fmt --write a.pol %'
output 'polrun -b b.polb --report % ls'
output 'polrun --report=% -b b.polb -y ls'
output 'polrun -b b.polb --record % ls'
output 'polrun --record=% -b b.polb -y ls'
output 'polquery -b b.polb --record % serve'
output 'polquery --record=% -b b.polb hook codex'
output 'polquery -b b.polb serve %'
output 'polquery --scope host -b b.polb serve %'

t "what is read is no write"
input 'polc fmt %'
input 'polc fmt --check --diff %'
input 'polc compile % -o out.polb'
input 'polc compile --managed % --managed-file % --project % --user % --previous % --against % --sign % a.pol -o out.polb'
input 'polc compile --reproduce % --against %'
input 'polc sign --key % -o out.polb %'
input 'polc verify --allowed-signers % b.polb'
input 'polc diff --traffic % a.pol b.pol'
input 'polc check a.pol --against %'
input 'polrun --bundle % --allowed-signers % ls'
input 'polrun --policy % ls'
input 'polquery --bundle % --allowed-signers % hook codex --run %'

t "what git believes of other repositories, by name"
for name in .git/modules/lib/config .git/modules/a/b/hooks/x vendor/x/.git/modules/y/commondir .git/worktrees/w/gitdir \
	vendor/x/.git/worktrees/w/config.worktree vendor/x/.git vendor/x/.git/description vendor/HEAD HEAD; do
	asked "polc compile a.pol -o $name"
	[ "$effect" = deny ] || bad "$name: $effect"
done
for name in .git/info/exclude .git/description .git/modules/lib/description modules/lib/config vendor/.gitignore; do
	asked "polc compile a.pol -o $name"
	[ "$effect" = allow ] || bad "the control: $name: $effect"
done

t "no option that names a file is forgotten"
files() { # PROGRAM [VERB]: its options that take a file
	"$BIN/$1" ${2:+"$2"} --help | sed -nE 's/^ *(-., )?--([a-z-]+) (FILE|KEY|[A-Z]+\.polb).*/--\2/p'
}
n=0
for p in polrun polquery $("$BIN/polc" --help | sed -nE 's/^  ([a-z]+) +[a-z].*/polc:\1/p'); do
	for o in $(files "${p%%:*}" "$([ "$p" = "${p#*:}" ] || echo "${p#*:}")"); do
		n=$((n + 1))
		[[ $outputs == *"$o"[=\ ]* ]] || bad "$p $o is neither said to write nor to read"
	done
done
[ "$n" -ge 20 ] || bad "only $n options that take a file were found"

t "what polrun starts is seen, whatever its bundle says"
for l in 'polrun -b own.polb rm -rf x' 'polrun -b own.polb -c "ls; rm -rf x"' \
	'polrun --project /p -yb own.polb -- sh -c "rm x"'; do
	asked "$l"
	[ "$effect" = deny ] || bad "$l: $effect"
done
for l in 'polrun -b own.polb ls' 'polrun -b own.polb -c "ls; ls -l"' 'polrun --plan -b own.polb true'; do
	asked "$l"
	[ "$effect" = allow ] || bad "the control: $l: $effect"
done

# --- what polrun itself writes -----------------------------------------------------

export GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
if ! command -v git >/dev/null; then
	skip "a report" 'git is not installed'
	done_
fi
policy ''
# NAME [CONTROL]: no report is made there, but beside it.
no_report() {
	run --report "$1" true
	[ "$rc" -eq 125 ] || bad "--report $1: exit status $rc"
	[ ! -e "$1" ] || [ -s "$1" ] || bad "$1 was made"
	want_err 'has a name that rule .* keeps from being written'
	if [ -n "${2:-}" ]; then
		run --report "$2" true
		want_rc 0
		want_file "$2"
		rm -f "$2"
	fi
}

t "no report at a name of the floor"
git init -q .
no_report .git/hooks/post-checkout .git/report
no_report .envrc .envrc.json
mkdir .github
no_report .github/copilot-instructions.md .github/report.json
no_report CLAUDE.md CLAUDE.json
no_report "$HOME/.bashrc" "$HOME/report.json"
no_report "$HOME/.gitconfig"
mkdir -p "$HOME/.claude"
no_report "$HOME/.claude/settings.json"

t "nor in another repository, wherever its search ends"
git init -q vendor/x
mkdir -p .git/modules/lib .git/worktrees/w
cp -r vendor/x/.git/. .git/modules/lib
no_report vendor/x/.git/hooks/post-checkout vendor/x/report
no_report vendor/x/.git/config.worktree
no_report .git/modules/lib/hooks/post-checkout .git/modules/lib/report
no_report .git/worktrees/w/commondir .git/worktrees/w/report
git init -q --bare docs
no_report docs/hooks/pre-receive docs/report
for i in $(seq 130); do mkdir -p "decoy/$i/.git"; done
no_report vendor/x/.git/hooks/post-checkout vendor/x/report
no_report .git/modules/lib/hooks/post-checkout .git/modules/lib/report
rm -rf decoy

t "nor where git's settings lead"
mkdir -p githooks sub/hooks2
git config core.hooksPath githooks
git config --add include.path ../more.inc
no_report githooks/pre-commit githooks.json
no_report more.inc more.json
git -C vendor/x config core.hooksPath ../../sub/hooks2
no_report sub/hooks2/pre-commit sub/report.json
printf '[core]\n\thooksPath = ~/hooks3\n' >"$HOME/.config.inc"
printf '[include]\n\tpath = .config.inc\n' >"$WORK/gitconfig" && cp "$WORK/gitconfig" "$HOME/.gitconfig"
mkdir "$HOME/hooks3"
no_report "$HOME/hooks3/pre-commit" "$HOME/hooks.json"

t "a report that was there before is judged as well"
: >githooks/old && : >old
run --report githooks/old true
want_rc 125
[ ! -s githooks/old ] || bad "it was written"
run --report old true
want_rc 0
[ -s old ] || bad "the control: nothing was written"

# --- links that a run makes --------------------------------------------------------

# FILE: neither output is written where a link leads, and the command does not run.
not_led() {
	local kind
	for kind in report record; do
		run --$kind "$1" touch ran
		want_rc 125
		want_err "the $kind '.*' is .*symbolic link"
		no_file ran
		[ -z "$(ls "$WORK/elsewhere")" ] || bad "--$kind $1: $(ls "$WORK/elsewhere")"
	done
}

t "neither through a link that a run has made"
mkdir -p "$WORK/elsewhere" real
run sh -c 'ln -s "$1" led; ln -s "$1/x" last; ln -s real own' - "$WORK/elsewhere"
want_rc 0
not_led led/x
not_led "$P/led/x"
not_led "$P/led/../elsewhere/x"
not_led last
not_led own/x
for kind in report record; do
	run --$kind real/x.$kind true
	want_rc 0
	[ -s real/x.$kind ] || bad "the control: real/x.$kind is empty"
done

t "no record at a name of the floor"
for name in .envrc .git/hooks/post-merge CLAUDE.md "$HOME/.bashrc" githooks/post-merge vendor/x/.git/hooks/post-merge; do
	[ -e "$name" ] && was=there || was=
	run --record "$name" true
	want_rc 125
	want_err "the record '.*' has a name that rule .* keeps from being written"
	[ -n "$was" ] || no_file "$name"
done
run --record envrc.json true
want_rc 0
[ -s envrc.json ] || bad "the control: no record"

t "polquery keeps to it as well"
ask_record() { # FILE
	rc=0
	echo '{"kind":"net","host":"a.example","port":443,"proto":"tcp"}' |
		"$BIN/polquery" -b "$WORK/p.polb" --record "$1" >"$WORK/.out" 2>"$WORK/.err" || rc=$?
}
for name in led/x .envrc; do
	ask_record "$name"
	[ "$rc" -ne 0 ] || bad "polquery --record $name: exit status 0"
	no_file "$name"
done
ask_record asked.json
[ "$rc" -eq 0 ] && [ -s asked.json ] || bad "the control: $rc $(cat "$WORK/.err")"

t "nor is a socket made where a run's link leads"
serve() { # PATH: 0 if it listens
	rm -f "$WORK/.err"
	"$BIN/polquery" -b "$WORK/p.polb" serve "$1" 2>"$WORK/.err" &
	server=$!
	within 20 eval '[ -S "$1" ] || ! kill -0 $server 2>/dev/null'
	[ -S "$1" ] && [ -z "$(ls "$WORK/elsewhere")" ]
	rc=$?
	kill "$server" 2>/dev/null
	wait "$server"
	err=$(cat "$WORK/.err")
	return $rc
}
chmod 755 real
serve real/x.sock || bad "the control: it does not listen: $err"
[ ! -e real/x.sock ] || bad "the socket is left"
for name in led/x.sock "$P/led/x.sock" own/x.sock; do
	! serve "$name" || bad "polquery serve $name listens"
	want_err "the socket '.*' is reached by a symbolic link"
	[ -z "$(ls "$WORK/elsewhere")" ] || bad "polquery serve $name: $(ls "$WORK/elsewhere")"
done
! serve .git/hooks/post-merge || bad "polquery serve .git/hooks/post-merge listens"
want_err "the socket '.*' has a name that rule .* keeps from being written"
no_file .git/hooks/post-merge

t "nor where a live run exchanges a directory and a link"
cat >"$WORK/swap.py" <<'E2'
import ctypes, os, sys, time
libc = ctypes.CDLL(None, use_errno=True)
os.symlink(sys.argv[1], "rl")
os.mkdir("rr")
end = time.time() + 60
while time.time() < end and not os.path.exists("stop"):
    for _ in range(200):
        libc.renameat2(-100, b"rr", -100, b"rl", 2)
E2
cp "$WORK/swap.py" swap.py
"$BIN/polrun" -q -b "$WORK/p.polb" python3 swap.py "$WORK/elsewhere" & swapper=$!
for _ in $(seq 100); do [ -e rr ] && break; sleep 0.05; done
led=0
for i in $(seq 20); do
	for kind in report record; do
		"$BIN/polrun" -q -b "$WORK/p.polb" --$kind "rr/$kind$i" true 2>"$WORK/.err" || :
		! grep -q 'symbolic link' "$WORK/.err" || led=$((led + 1))
	done
done
touch stop
wait $swapper
[ -z "$(ls "$WORK/elsewhere")" ] || bad "written outside of the project: $(ls "$WORK/elsewhere")"
written=$(find rr rl -type f | wc -l)
[ "$written" -gt 0 ] && [ $led -gt 0 ] || bad "the control: $written written, $led refused: $(cat "$WORK/.err")"

t "a link of the system's is followed"
if [ -L /var/run ] && [ -w /run/. ] && [ "$(id -u)" = 0 ]; then
	run --report "/var/run/pol-report.$$" true
	want_rc 0
	want_file "/run/pol-report.$$"
	rm -f "/run/pol-report.$$"
elif [ -L /var/lock ] && [ -w /var/lock/. ]; then
	run --report "/var/lock/pol-report.$$" true
	want_rc 0
	want_file "/run/lock/pol-report.$$"
	rm -f "/run/lock/pol-report.$$"
else
	skip "a link of the system's" 'there is none to a directory that we may write'
fi

done_
