#!/usr/bin/env bash
# A bundle that -b names stands under the host's managed policies, or is refused: by
# polrun, by polquery and by its hooks.  Only root makes a managed policy, so that root's
# run makes them (in a copy of /etc that only the program sees) and runs as both.
# shellcheck disable=SC2016,SC2088,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
M=$WORK/etc/pol/managed.d
RULES='file { allow read, write, exec "${PROJECT_DIR}" } command { otherwise allow }'

t "a host without managed policies: a bundle runs as it is"
policy "$RULES" plain
run_with plain touch x
want_rc 0
want_file x
is_root || {
	done_
	exit
}

mkdir -p "$WORK/etc" && cp -a /etc/. "$WORK/etc" && mkdir -p "$M/lib"
there() { # PROGRAM ARGS…: where /etc is the copy
	unshare -m sh -c 'mount --bind "$1" /etc && shift && exec "$@"' - "$WORK/etc" "$@" \
		>"$WORK/.out" 2>"$WORK/.err" </dev/null
	rc=$? out=$(<"$WORK/.out") err=$(<"$WORK/.err")
}
on() { rm -f x && there "$BIN/polrun" -b "$WORK/$1.polb" "${@:2}"; } # BUNDLE COMMAND…
managed() { # NAME TEXT
	printf '%s\n' "$2" >"$M/$1"
	chmod -R go-w "$WORK/etc/pol"
}
compile() { # NAME OPTIONS… POLICY: as the administrator's, or a developer's, polc does
	rm -f "$WORK/$1.polb"
	there "$BIN/polc" compile "${@:2}" -o "$WORK/$1.polb"
	[ "$rc" -eq 0 ] || bad "polc compile: $err"
	chmod 0600 "$WORK/$1.polb"
}
# BUNDLE NAME: nothing is run, and the text names the managed policy.
refused() {
	on "$1" touch x
	want_rc 125
	want_line "the managed policy '[^']*$2' "
	no_file x
}
# BUNDLE: it runs, and under the managed rule.
under() {
	on "$1" touch x
	want_rc 126
	want_line 'rule managed-no at .*m\.pol'
	no_file x
	on "$1" sh -c ': >x'
	want_rc 0
	want_file x
}
NO='policy m { level managed-file }
use "./lib/more.pol"
command { deny "touch:*" as managed-no }'
MORE='command { deny "rm:*" as managed-more }'
printf '%s\n' "policy u { level user } use std/base $RULES" >"$WORK/u.pol"

t "an empty folder of managed policies is none"
on plain touch x
want_rc 0

t "a bundle that was compiled without them"
managed lib/more.pol "$MORE"
managed m.pol "$NO"
refused plain m.pol
want_line '--discover, or with --managed-file'

t "polquery and its hooks refuse it as well"
there sh -c 'echo "{\"command\":\"ls\"}" | "$1" -b "$2"' - "$BIN/polquery" "$WORK/plain.polb"
want_rc 4
want_err "^polquery: the managed policy '/etc/pol/managed\.d/m\.pol' "
there sh -c 'echo "{\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"ls\"},\"cwd\":\"/\"}" |
	"$1" -b "$2" hook claude-code' - "$BIN/polquery" "$WORK/plain.polb"
want_out '"permissionDecision": *"deny"'
want_out "the managed policy '/etc/pol/managed\.d/m\.pol' "

t "compiled with them, in every way there is"
compile all --managed-file /etc/pol/managed.d/m.pol "$WORK/u.pol"
under all
(cd "$WORK/etc/pol" && "$BIN/polc" compile --managed-file managed.d/m.pol "$WORK/u.pol" -o "$WORK/other.polb") ||
	bad "polc compile"
under other
cp -a "$M" "$WORK/copy"
(cd "$WORK/copy" && "$BIN/polc" compile --managed-file m.pol "$WORK/u.pol" -o "$WORK/copy.polb") || bad "polc compile"
under copy
there sh -c 'echo "{\"kind\":\"command\",\"line\":\"touch x\"}" | "$1" -b "$2"' - "$BIN/polquery" "$WORK/all.polb"
want_rc 0
want_out '"effect": *"deny".*"managed-no"'

t "what an ordinary user runs is under them, too"
chmod 0755 "$WORK" && cp "$WORK/all.polb" "$WORK/plain.polb" "$P/" && chown poltest "$P" "$P"/*.polb
mv "$P/all.polb" "$P/plain.polb" "$WORK/etc/" # where the run cannot write
for b in all plain; do
	rm -f x
	there setpriv --reuid poltest --regid poltest --clear-groups env HOME="$WORK" \
		"$BIN/polrun" -b /etc/$b.polb touch x
	case $b in
	all) want_rc 126 && want_line 'rule managed-no at .*m\.pol' ;;
	plain) want_rc 125 && want_line "the managed policy '/etc/pol/managed\.d/m\.pol' " ;;
	esac
	no_file x
done

t "one of them changes, or a file that it uses; another comes, or goes"
managed m.pol "$NO
command { deny \"mkdir:*\" }"
refused all m.pol
managed m.pol "$NO"
under all
managed lib/more.pol 'command { allow "rm:*" }'
refused all lib/more.pol
managed lib/more.pol "$MORE"
managed n.pol 'policy n { level managed-file }'
refused all n.pol
compile two --managed-file /etc/pol/managed.d/m.pol --managed-file /etc/pol/managed.d/n.pol "$WORK/u.pol"
under two
compile turned --managed-file /etc/pol/managed.d/n.pol --managed-file /etc/pol/managed.d/m.pol "$WORK/u.pol"
refused turned n.pol
want_line 'in another order'
rm "$M/n.pol"
refused two n.pol
under all

t "more of that level, or above it, than the host has"
printf '%s\n' 'policy e { level managed-file } command { allow "touch:*" }' >"$WORK/e.pol"
chmod 644 "$WORK/e.pol"
compile more --managed-file /etc/pol/managed.d/m.pol --managed-file "$WORK/e.pol" "$WORK/u.pol"
mv "$WORK/e.pol" "$WORK/gone.pol"
refused more e.pol
printf '%s\n' 'policy e { level managed } command { final allow "touch:*" }' >"$WORK/e.pol"
compile above --managed "$WORK/e.pol" --managed-file /etc/pol/managed.d/m.pol "$WORK/u.pol"
on above touch x
want_rc 125
want_line "level 'managed', above the policies in '/etc/pol/managed\.d'"
no_file x

t "what is not root's alone to write is no managed policy, and nothing runs"
chown poltest "$M/m.pol"
refused all m.pol
chown root "$M/m.pol" && chmod g+w "$M/m.pol"
refused all m.pol
chmod g-w "$M/m.pol" && chmod o+w "$M"
refused all managed.d
chmod o-w "$M"
under all
mkfifo "$M/z.pol"
refused all z.pol
rm "$M/z.pol" && chmod 0700 "$M"
there setpriv --reuid poltest --regid poltest --clear-groups env HOME="$WORK" \
	"$BIN/polrun" -b /etc/all.polb sh -c ': >x'
want_rc 125
want_line "in '/etc/pol/managed\.d' cannot be read"

rm -rf "${WORK:?}/etc"
done_
