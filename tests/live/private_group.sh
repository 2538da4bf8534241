#!/usr/bin/env bash
# A file that its user's private group may write counts, as Debian's umask 0002 makes it; one that another user
# may write does not: by the group's members, as a primary group, by an access control list, or everybody.
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
policy ''
if ! is_root; then
	t "with the machine's own /etc/passwd and /etc/group"
	own=$(id -un):x:$(id -g): # as useradd has made it
	cut -d: -f1,3,4 /etc/group | grep -qx "$(id -un):$(id -g):" || own=''
	[ "$(awk -F: -v g="$(id -g)" '$4 == g' /etc/passwd | wc -l)" = 1 ] || own=''
	chmod g+w "$WORK/p.polb"
	run true
	want_rc "$([ -n "$own" ] && echo 0 || echo 125)"
	chmod o+w "$WORK/p.polb"
	run true
	want_rc 125
	want_line "is writable by its group or others \(mode 0622\), and everybody may write it: chmod go-w it$"
	done_
	exit
fi
command -v python3 >/dev/null && command -v ssh-keygen >/dev/null && command -v jq >/dev/null || {
	skip private_group 'no python3, ssh-keygen or jq'
	done_
	exit
}

ann=4711 ben=4712 team=4713 E=$WORK/etc
chmod 0711 "$WORK"
mkdir -p "$E" && cp -a /etc/. "$E" && rm -rf "$E/pol"
as() { # UID COMMAND…: where /etc is the copy, and with that user's umask
	unshare -m sh -c 'umask 0002; mount --bind "$1" /etc && id=$2 home=$3 && shift 3 &&
		exec setpriv --reuid="$id" --regid="$id" --clear-groups env HOME="$home" CLAUDE_PROJECT_DIR="$PWD" "$@"' - "$E" "$1" "$HOME" "${@:2}" \
		>"$WORK/.out" 2>"$WORK/.err" </dev/null
	rc=$? out=$(<"$WORK/.out") err=$(<"$WORK/.err")
}
# MEMBERS GROUP-OF-BEN LINE: the two files, and one more line in the second
users() {
	printf 'root:x:0:0:root:/root:/bin/sh\nann:x:%s:%s::%s:/bin/sh\nben:x:%s:%s::/:/bin/sh\n' $ann $ann "$HOME" $ben "$2" >"$E/passwd"
	printf 'root:x:0:\nann:x:%s:%s\nben:x:%s:\nteam:x:%s:ann,ben\n%s' $ann "$1" $ben $team "$3" >"$E/group"
	chmod 0644 "$E/passwd" "$E/group"
}
# acl FILE TAG ID: rw for one more user (2) or group (8)
acl() {
	python3 -c '
import os, struct, sys
no, tag, who = 0xffffffff, int(sys.argv[2]), int(sys.argv[3])
rows = sorted([(1, 7, no), (4, 5, no), (16, 7, no), (32, 5, no), (tag, 7, who)])
os.setxattr(sys.argv[1], "system.posix_acl_access", struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *r) for r in rows))' "$@"
}
no_acl() { python3 -c '
import os, sys
if "system.posix_acl_access" in os.listxattr(sys.argv[1]):
    os.removexattr(sys.argv[1], "system.posix_acl_access")' "$1"; }
cat >"$WORK/libpol.py" <<'PY'
import ctypes, os, sys

class Error(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("code", ctypes.c_int32), ("text", ctypes.c_char * 400)]

lib, bundle, err = ctypes.CDLL(sys.argv[1]), ctypes.c_void_p(), Error(ctypes.sizeof(Error))
if lib.pol_open(os.fsencode(sys.argv[2]), None, ctypes.byref(bundle), ctypes.byref(err)) < 0:
    sys.exit(err.text.decode())
PY

# --- what is judged, and by whom ------------------------------------------------------------
C=$HOME/.config/pol
mkdir -p "$C" "$WORK/in" "$WORK/run"
B=$WORK/in/b.polb
cp "$WORK/p.polb" "$B" && cp "$WORK/p.pol" "$WORK/in/p.pol" && sed 1d "$WORK/p.pol" >"$C/u.pol"
(cd "$WORK/in" && ssh-keygen -q -t ed25519 -N '' -C x -f key && "$BIN/polc" sign --key key -o s.polb b.polb &&
	printf 'x namespaces="polc-bundle" %s\n' "$(cat key.pub)" >list) || bad "not signed"
chmod 0755 "$WORK/in" && chmod 0644 "$WORK"/in/* "$WORK/libpol.py" "$C/u.pol"
chown -R $ann:$ann "$HOME" "$WORK/in" "$WORK/run"

with_polrun() { as "$1" "$BIN/polrun" -q -b "$B" true; }
with_polquery() { as "$1" sh -c 'echo "{\"kind\":\"command\",\"line\":\"true\"}" | "$1" -b "$2"' - "$BIN/polquery" "$B"; }
with_hook() { as "$1" sh -c 'echo "$3" | "$1" -b "$2" hook claude-code' - "$BIN/polquery" "$B" \
	'{"session_id":"x","cwd":"'"$P"'","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"true"}}'
	[[ $out == *'"permissionDecision":"allow"'* ]] && rc=0 || { rc=1 err+=$out; }; }
with_libpol() { as "$1" python3 "$WORK/libpol.py" "$BIN/libpol.so.0" "$B"; }
with_named() { as "$1" "$BIN/polrun" -q -p "$WORK/in/p.pol" true; }
with_found() { as "$1" "$BIN/polrun" -q true; }
with_signers() { as "$1" "$BIN/polrun" -q --allowed-signers "$WORK/in/list" -b "$WORK/in/s.polb" true; }
with_verify() { as "$1" "$BIN/polc" verify --allowed-signers "$WORK/in/list" "$WORK/in/s.polb"; }
with_serve() { # 0 if it serves: `timeout` ends it, with a status of its own
	as "$1" timeout -s INT 1 "$BIN/polquery" -b "$B" serve "$WORK/run/s"
	[[ $err == *'others may write its directory'* ]] && rc=125 || rc=0
}
# WHO FILE
judges="polrun $B
polquery $B
hook $B
libpol $B
named $WORK/in/p.pol
found $C/u.pol
found $C
signers $WORK/in/list
verify $WORK/in/list"
[ "$VARIANT" != san ] || judges=$(grep -v libpol <<<"$judges") # python does not begin with the sanitizers

fine() { # JUDGE WHAT
	"with_$1" "${who:-$ann}"
	[ "$rc" = 0 ] || bad "$1: $2: status $rc"
}
no() { # JUDGE WHAT PATTERN
	"with_$1" "${who:-$ann}"
	[ "$rc" != 0 ] || bad "$1: $2: it counts"
	grep -qE -- "$3" <<<"$err" || bad "$1: $2: it does not say '$3'"
}
usual() { # FILE
	users '' $ben ''
	no_acl "$1"
	chown $ann:$ann "$1"
	chmod go-w "$1"
}
# JUDGE FILE WHAT PATTERN COMMAND…: after it the file does not count, and without the group's bit it does
closed() {
	usual "$2"
	chmod g+w "$2"
	fine "$1" "before: $3"
	"${@:5}"
	no "$1" "$3" "$4"
	chmod go-w "$2"
	fine "$1" "and then chmod go-w: $3"
}
while read -r judge file; do
	t "$judge ${file##*/}: the private group may write it"
	usual "$file"
	fine "$judge" "nobody else may write it"
	chmod g+w "$file"
	fine "$judge" "the private group may"
	users ann $ben ''
	fine "$judge" "the user is a member, too"
	chown 0 "$file"
	fine "$judge" "it is root's, with the caller's group"

	t "$judge ${file##*/}: another user may write it"
	way='chmod g-w it'
	[ "$judge" != hook ] || way='' # it says no more than that the bundle cannot be used
	why() { [ "$judge" = hook ] && echo . || echo "$1"; }
	closed "$judge" "$file" 'a second member' "$(why "writable by its group or others .*another member: $way")" users ann,ben $ben ''
	closed "$judge" "$file" "another user's primary group" "$(why "another user's primary group: $way")" users '' $ann ''
	closed "$judge" "$file" 'a group of several' "$(why "not this user's primary group: $way")" chgrp $team "$file"
	closed "$judge" "$file" "another user's private group" "$(why "another user's primary group: $way")" chgrp $ben "$file"
	closed "$judge" "$file" "root's group" "$(why "root has no private group: $way")" chgrp 0 "$file"
	closed "$judge" "$file" 'a list with another user' "$(why "access control list.*: $way")" acl "$file" 2 $ben
	closed "$judge" "$file" 'a list with a group' "$(why "access control list.*: $way")" acl "$file" 8 $team
	closed "$judge" "$file" 'everybody' "$(why "everybody may write it: chmod go-w it")" chmod o+w "$file"
	closed "$judge" "$file" 'two entries' "$(why "do not tell whose it is: $way")" users '' $ben "ann:x:$ann:ben"
	closed "$judge" "$file" 'a line that is no entry' "$(why 'do not tell')" users '' $ben "+:::"
	closed "$judge" "$file" '/etc/group that others may write' "$(why 'do not tell')" chmod g+w "$E/group"
	closed "$judge" "$file" 'no /etc/group' "$(why 'do not tell')" rm "$E/group"
	usual "$file"
done <<<"$judges"

t "the list is looked at: without one that gives rights the same mode counts"
usual "$B"
acl "$B" 2 $ben && as $ben sh -c ': >>"$1"' - "$B"
want_rc 0
no polrun 'the other user can write it' 'access control list'
no_acl "$B" && chmod g+w "$B" && as $ben sh -c ': >>"$1"' - "$B"
[ "$rc" != 0 ] || bad "the other user can write it without the list"
fine polrun "no list"
usual "$B"

t "root has no private group, whoever owns the file"
who=0
chown 0:0 "$B" && chmod g+w "$B"
no polrun "root's" 'root has no private group: chmod g-w'
chmod g-w "$B"
fine polrun "the control"
chgrp $ann "$B" && chmod g+w "$B"
no polrun "root's with a user's group" 'root has no private group: chmod g-w'
who=''
usual "$B"

t "what only root may write has no private group either: managed policies"
mkdir -p "$E/pol/managed.d" && echo 'command { deny "gulp *" as managed-no }' >"$E/pol/managed.d/m.pol"
for file in "$E/pol/managed.d/m.pol" "$E/pol/managed.d"; do
	fine found "the control"
	chgrp $ann "$file" && chmod g+w "$file"
	no found "$file" "the managed policy '.*' is writable by its group or others .*only root may write it: chmod g-w"
	chmod g-w "$file"
done
rm -r "$E/pol"

t "the directory of a socket"
chmod 0775 "$WORK/run"
fine serve "the private group"
users ann,ben $ben ''
no serve "a second member" 'others may write its directory \(chmod go-w\)'
users '' $ben ''
acl "$WORK/run" 2 $ben
no serve "a list" 'others may write its directory'
no_acl "$WORK/run"

t "the programs that doctor asks, and the folders above them"
mkdir "$WORK/in/bin" && cp "$BIN/polquery" "$WORK/in/bin" && chown -R $ann:$ann "$WORK/in/bin"
Q=$WORK/in/bin/polquery
mkdir -p "$HOME/.claude" && jq -n --arg c "/usr/bin/timeout 20 $Q -b $B hook claude-code || { echo none >&2; exit 2; }" \
	'{hooks: {PreToolUse: [{matcher: "*", hooks: [{type: "command", command: $c}]}]}}' >"$HOME/.claude/settings.json"
chown -R $ann:$ann "$HOME/.claude"
with_doctor() {
	as "$1" "$Q" doctor claude-code
	err=$out # it reports its findings as its answer
	! grep -q 'others may write' <<<"$out" && grep -q "answers: the command 'true' is" <<<"$out" && rc=0 || rc=1
}
for file in "$Q" "$WORK/in/bin"; do
	chmod g+w "$file"
	fine doctor "the private group: $file"
	users ann,ben $ben ''
	no doctor "a second member: $file" "cannot tell what it answers: others may write"
	users '' $ben ''
	acl "$file" 2 $ben
	no doctor "a list: $file" "cannot tell what it answers: others may write"
	no_acl "$file" && chmod 0755 "$file"
done

t "what polrun keeps for itself no group may write: it makes these with 0700, whatever the umask is"
state=$HOME/.local/state/pol
mkdir -p "$P/.git" "$P/.pol" && echo 'command { allow "frob *" }' >"$P/.pol/x.pol" && chown -R $ann:$ann "$P"
as $ann "$BIN/polc" trust "$P/.pol/x.pol"
want_rc 0
[ "$(stat -c %a "$state" "$state/trusted" | sort -u)" = 700 ] || bad "other modes: $(stat -c %a "$state" "$state/trusted")"
as $ann "$BIN/polc" trust --list
want_rc 0
want_out x.pol
chmod g+w "$state/trusted"
as $ann "$BIN/polc" trust --list
[ "$rc" != 0 ] || bad "it counts"
want_err "could have been written by somebody else: it must be this user's, and chmod go-w"
done_
