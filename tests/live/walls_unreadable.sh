#!/usr/bin/env bash
# Programs of root replace files that a user cannot read, and that a policy hides as well: useradd(8) does so with
# /etc/shadow.  The mask of the run is lost by it, and the run goes on: the kernel refuses the new file for its mode.
# The run ends as soon as that mode, or the owner, gives it the file.  A run by root is nobody on the host, so that
# useradd does not end it either.
# timing: waits for runs to begin and to end
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"

caller=$(id -u) as_caller=()
if is_root; then
	caller=61234
	as_caller=(setpriv "--reuid=$caller" "--regid=$caller" --clear-groups)
fi
KEPT=$WORK/kept
chmod 0711 "$WORK"
chmod 0755 "$HOME" "$P"
HEAD=${HEAD/'allow read, exec "/usr"'/"allow read, exec \"$PROBES\", \"/usr\"  allow read \"$KEPT\""}
policy "file { hide \"$KEPT/secret\", \"$KEPT/dir\" }"
! is_root || chown "$caller" "$WORK/p.polb" "$HOME" "$P"
cat >"$P/reader.sh" <<EOF2
echo began
while ! cat "$KEPT/secret" "$KEPT/dir/file" 2>/dev/null; do sleep 0.01; done
EOF2

make_kept() {
	rm -rf "$KEPT"
	mkdir -m 755 "$KEPT"
	mkdir -m 700 "$KEPT/dir"
	echo SECRET >"$KEPT/secret"
	echo SECRET >"$KEPT/dir/file"
	chmod 600 "$KEPT/secret"
}
has_begun() { grep -q began "$WORK/said" || is_over "$pid"; }

begin_reader() {
	make_kept
	: >"$WORK/said"
	"${as_caller[@]}" env HOME="$HOME" "$BIN/polrun" -b "$WORK/p.polb" -y sh reader.sh >"$WORK/said" 2>"$WORK/.err" </dev/null &
	pid=$!
	within 30 has_begun
	grep -q began "$WORK/said" || bad "the run did not begin: $(cat "$WORK/.err")"
}
# As passwd(5)'s programs do it: a new file, its mode, its name.
replace() { # MODE [OWNER]
	echo SECRET >"$KEPT/new"
	[ -z "${2:-}" ] || chown "$2" "$KEPT/new"
	chmod "$1" "$KEPT/new"
	mv "$KEPT/new" "$KEPT/secret"
}
goes_on() {
	sleep 0.3 # time: nothing may come of it
	kill -0 "$pid" 2>/dev/null || bad "the run has ended: $(cat "$WORK/.err")"
}
over() {
	kill -TERM "$pid" 2>/dev/null
	wait "$pid"
	rc=$?
	! grep -q SECRET "$WORK/said" || bad "the run has read the secret"
}
ended() {
	within 30 is_over "$pid" || { kill -KILL "$pid" && bad "the run went on"; }
	wait "$pid"
	rc=$? err=$(<"$WORK/.err")
	want_rc 123
	want_line "run ended: outside of it .*/kept/(secret|dir)"
}

t "the control: one that the caller can read ends the run"
begin_reader
replace 644
ended

t "one that belongs to the caller, whatever its mode, ends the run"
begin_reader
replace 000 "$caller"
ended
! grep -q SECRET "$WORK/said" || bad "the run has read the secret"

is_root || { done_; exit; }

# as the user who cannot read the files, and by root
tries() {
	t "$1: a hidden file that the run cannot read is replaced: it goes on, and reads nothing"
	begin_reader
	replace 600 root
	goes_on
	replace 640 root
	goes_on
	over
	want_rc 143

	t "$1: so is a directory, at once (RENAME_EXCHANGE)"
	begin_reader
	mkdir -m 700 "$KEPT/d2"
	echo SECRET >"$KEPT/d2/file"
	python3 -c 'import ctypes, sys
a, b = (p.encode() for p in sys.argv[1:])
sys.exit(ctypes.CDLL(None).syscall(316, -100, a, -100, b, 2) != 0)' "$KEPT/d2" "$KEPT/dir" || bad "not exchanged"
	goes_on
	over
	want_rc 143

	t "$1: what the run could not read is looked at until it can be: the run ends then"
	begin_reader
	replace 600 root
	goes_on
	chmod 644 "$KEPT/secret"
	ended

	t "$1: a program that the run may only execute is no file that is out of reach"
	begin_reader
	replace 711 root
	ended
}
tries user
as_caller=()
chown 0:0 "$WORK/p.polb" "$HOME" "$P"
tries root
done_
