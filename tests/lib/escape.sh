# Helpers of the escape suite (tests/live/escape/); sourced by each file of it.
# A file names what it tries and which layer must stop it; each trick is also
# done where it works, outside of polrun (`outside`) or under a policy that
# lets it: so a trick that never works anywhere is seen.
# shellcheck shell=bash disable=SC2034,SC2154,SC1091
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"

F=$PROBES/file_probe C=$PROBES/syscall_probe N=$PROBES/ns_probe
K=$PROBES/escape_kernel X=$PROBES/escape_files S=$PROBES/escape_net
# A command that names what is hidden is asked about; here the walls are tried.
RUN_OPTIONS=(-y)
SECRET=$WORK/out/secret
echo the-secret >"$SECRET"
ADD="file { allow read, exec \"$PROBES\" }"

# [TEXT]: the bundle p, of `base none`: namespaces, mounts, credentials and
# Landlock stand alone, but for the few calls of the floor.
bare_policy() { policy "$ADD ${1:-}"; }
# [TEXT]: the bundle s, with std/base.
std_policy() {
	# shellcheck disable=SC2016
	raw_policy 'policy s { } command { otherwise allow  opaque allow } network disabled
file { allow read, write "${PROJECT_DIR}" }
'"$ADD ${1:-}" s
}

# COMMAND…: without a sandbox; sets out, err, rc.
outside() {
	"$@" >"$WORK/.out" 2>"$WORK/.err" </dev/null
	rc=$?
	out=$(tr -d '\0' <"$WORK/.out")
	err=$(tr -d '\0' <"$WORK/.err")
}

worked() {
	want_rc 0
	want_out '^OK'
}
# ERRNOS: the trick gave one of these and nothing else.
stopped() {
	[ "$rc" -ne 0 ] || bad "it worked: $out"
	want_out "^($1)\$"
	no_out '^OK|the-secret|^reached'
}
# Lines for tests/lib/term.py on stdin: a shell on a pseudo-terminal.
term() {
	cat >"$WORK/script"
	local said
	out='' err=''
	said=$(timeout 60 python3 "$(dirname "${BASH_SOURCE[0]}")/term.py" "$WORK/script" 2>&1) ||
		bad "$said"
}
