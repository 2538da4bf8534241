#!/usr/bin/env bash
# polquery install and uninstall: the change of an agent's settings is shown, asked about and
# made; everything else in the file stays, and what cannot be read is refused.
# long: every fourth day, as root and as a user in turn
# shellcheck disable=SC2034,SC2154,SC2016
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
top=$(cd "$(dirname "$0")/../.." && pwd)
RULES='tools { allow "a" }'
policy "$RULES" p
B=$WORK/p.polb
S=$HOME/.claude/settings.json
mkdir -p "$HOME/.claude" "$P/.git"
# The doctor runs only programs that nobody else may write.
Q=$BIN/polquery
install() { # ARGS…: without a terminal
	out=$(setsid -w "$Q" install "$@" 2>"$WORK/.err" </dev/null)
	rc=$?
	err=$(<"$WORK/.err")
}

t "many layouts: installed, twice, and taken out again"
mkdir -p "$WORK/h2"
out=$(python3 "$top/tests/lib/hook_install.py" "$Q" "$B" "$WORK/h2" 2>&1)
[ -z "$out" ] || bad "settings"

t "nothing is changed without a yes"
echo '{"model":"x"}' >"$S"
install claude-code --bundle "$B"
want_rc 1
want_out '^\+.*polquery -b .* hook claude-code'
want_err 'nothing is changed.*no terminal'
[ "$(<"$S")" = '{"model":"x"}' ] || bad "it is changed"
answer() { # TEXT
	python3 - "$1" "$Q" install claude-code --bundle "$B" <<-'PY'
		import os, pty, sys, time
		pid, fd = pty.fork()
		if pid == 0:
		    os.execv(sys.argv[2], sys.argv[2:])
		said = b""
		while b"[y/N]" not in said:
		    said += os.read(fd, 4096)
		os.write(fd, sys.argv[1].encode() + b"\n")
		try:
		    while os.read(fd, 4096):
		        pass
		except OSError:
		    pass
		os.waitpid(pid, 0)
	PY
}
for no in n '' no maybe Y1; do
	answer "$no"
	[ "$(<"$S")" = '{"model":"x"}' ] || bad "'$no' changes it"
done
answer y
grep -q 'hook claude-code || { echo polquery: no answer >&2; exit 2; }' "$S" || bad "a yes does not change it"
grep -q '"model":"x"' "$S" || bad "the rest is gone"

t "the line is the one that the doctor calls good"
for agent in claude-code gemini-cli cursor; do
	install "$agent" --bundle "$B" --yes
	want_rc 0
	install "$agent" --bundle "$B" --yes
	want_out 'installed already'
	out=$("$Q" doctor "$agent" 2>&1)
	rc=$?
	want_rc 0
	want_out 'denies: what must be denied'
	out=$("$Q" uninstall "$agent" --yes)
	rc=$?
	want_rc 0
	"$Q" doctor "$agent" >"$WORK/.out" 2>&1
	rc=$?
	want_rc 1
done
install codex --bundle "$B" --yes
want_rc 1
want_out 'does not trust it'
"$Q" uninstall codex --yes >/dev/null

t "with --run a command runs under polrun, and the doctor has seen it"
install claude-code --run "$B" --yes
want_rc 0
want_out 'a command that is allowed runs under polrun'
grep -q -- "hook claude-code --run $B || { echo polquery: no answer >&2; exit 2; }" "$S" || bad "the line: $(<"$S")"
# Claude Code holds its own rules against polrun's line
echo '{"permissions":{"allow":["Bash(ls)"],"deny":["Read(x)","Bash(curl:*)"]}}' >"$S"
install claude-code --bundle "$B" --yes
want_rc 0
no_out 'do not hold'
install claude-code --run "$B" --yes
want_rc 1
want_out 'own rules about commands see the line of polrun.*deny Bash.curl'
policy 'command { deny "true" }' none
install claude-code --bundle "$B" --run "$WORK/none.polb" --yes
want_rc 1
want_out "the command 'true' does not run under polrun"
[ "$(grep -o '/polquery ' "$S" | wc -l)" -eq 2 ] || bad "the other line is still there"
cp "$B" "$P/p.polb"
chmod 600 "$P/p.polb"
install claude-code --run "$P/p.polb" --yes
want_rc 2
want_err 'p.polb lies where the policy lets the agent write'
mkdir -p "$P/sub/deep"
for at in "$P/sub/deep" "$WORK"; do
	out=$(cd "$at" && setsid -w "$Q" install claude-code --bundle "$P/p.polb" --yes 2>&1 </dev/null)
	rc=$?
	want_rc 2
	want_out 'p.polb lies where the policy lets the agent write'
done
# the control: the floor keeps .pol, and a bundle that lets nobody write there is accepted, and not tried
mkdir -p "$P/.pol"
cp "$B" "$P/.pol/p.polb"
chmod 600 "$P/.pol/p.polb"
install claude-code --run "$P/.pol/p.polb" --yes
want_rc 1
want_out 'lies in the project'
no_out 'runs under polrun'
install cursor --run "$B" --yes
want_rc 2

t "files that are not this user's alone, and lines that a shell would change"
echo '{}' >"$S"
ln "$S" "$WORK/second"
install claude-code --bundle "$B" --yes
want_rc 2
want_err 'hard link'
rm "$WORK/second"
mkdir -p "$HOME/dots"
mv "$S" "$HOME/dots/settings.json"
ln -s "$HOME/dots/settings.json" "$S"
install claude-code --bundle "$B" --yes
want_rc 0
[ -L "$S" ] || bad "the link is gone"
grep -q polquery "$HOME/dots/settings.json" || bad "what the link names is not changed"
ln -sf /nowhere/x "$S"
install claude-code --bundle "$B" --yes
want_rc 2
rm "$S"
mkdir "$S"
install claude-code --bundle "$B" --yes
want_rc 2
rmdir "$S"
install claude-code --bundle "$WORK/none-such.polb" --yes
want_rc 2
[ ! -e "$S" ] || bad "a file is made"
mkdir -p "$WORK/a b" "$WORK/a\$b" "$WORK/a'b"
for d in "a b" "a\$b" "a'b"; do
	cp "$B" "$WORK/$d/p.polb"
	chmod 600 "$WORK/$d/p.polb"
done
install claude-code --bundle "$WORK/a b/p.polb" --yes
want_rc 0
grep -q "'$WORK/a b/p.polb'" "$S" || bad "a blank is not quoted"
rm "$S"
for d in "a\$b" "a'b"; do
	install claude-code --bundle "$WORK/$d/p.polb" --yes
	want_rc 2
	want_err 'cannot stand in a hook'
done
if [ "$(id -u)" -eq 0 ]; then
	echo '{}' >"$S"
	chown 65534 "$S"
	install claude-code --bundle "$B" --yes
	want_rc 2
	want_err 'belongs to somebody else'
	rm "$S"
	chown 65534 "$HOME/.claude"
	install claude-code --bundle "$B" --yes
	want_rc 2
	want_err 'belongs to somebody else'
	[ ! -e "$S" ] || bad "a file of root in somebody else's folder"
	chown 0 "$HOME/.claude"
fi

t "what is no file yet is made, for this user alone"
rm -rf "$HOME/.gemini"
install gemini-cli --bundle "$B" --yes
want_rc 0
[ "$(stat -c %a "$HOME/.gemini/settings.json")" = 600 ] || bad "its mode"
[ "$(stat -c %a "$HOME/.gemini")" = 700 ] || bad "its folder's mode"
CLAUDE_CONFIG_DIR=$WORK/other "$Q" install claude-code --bundle "$B" --yes >/dev/null 2>&1
grep -q polquery "$WORK/other/settings.json" || bad "the agent's own variable is not read"

t "options"
for args in 'install' 'install claude-code' 'install other -b x' 'uninstall claude-code --bundle x' 'uninstall claude-code x' 'install claude-code --bundle' 'install claude-code --bundle a --bundle b' '--yes doctor'; do
	# shellcheck disable=SC2086
	out=$("$Q" $args 2>&1 </dev/null)
	rc=$?
	want_rc 2
done

done_
