# Helpers of the live tests; sourced.  Given by tests/run/live.sh:
#   BIN      polc, polrun, polinit (and PROBES beside it)
#   WORK     a directory of this test's own, 0700, on a real file system
#   VARIANT  dev, rel or san
# A test is begun by `t NAME`; every check after it belongs to it.  A deny has
# its positive control beside it: `want_rc 0` of the same call without the rule.
# shellcheck shell=bash disable=SC2034
set -u
. "$(dirname "${BASH_SOURCE[0]}")/count.sh"
. "$(dirname "${BASH_SOURCE[0]}")/wait.sh"

me=$(id -un 2>/dev/null || id -u)
live_name='' live_bad=0 live_log=''
live_cat=$(command -v cat) # a test may put programs of its own before it
P=$WORK/home/project
export HOME=$WORK/home
mkdir -p "$P" "$WORK/out"
unset XDG_CONFIG_HOME XDG_CACHE_HOME XDG_STATE_HOME TMPDIR
cd "$P" || exit 1

# What every policy of the tests begins with: no std/base, so that each test
# says what it needs.
# shellcheck disable=SC2016
HEAD='policy t { base none }
command { otherwise allow }
file {
    allow read, exec "/usr", "/bin", "/lib", "/lib64", "/sbin"
    allow read "/etc"
    allow read, write "${PROJECT_DIR}"
    scratch "${TMPDIR}"
}
network disabled
env { keep PATH, HOME, TERM, LANG, PWD, USER }
'

# below a private HOME: tests/lib/place.sh
# shellcheck disable=SC2016
[ "${PLACE:-var}" != home ] || HEAD=${HEAD/'scratch "${TMPDIR}"'/'scratch "${TMPDIR}", "${HOME}"'}

# bash calls this for a command that it does not find, in a process of its own: so it
# leaves a file for live_end, which fails the test.  Without it a row whose helper is
# missing or misspelt would check nothing.
command_not_found_handle() {
	local said
	printf -v said '%s: line %s: %s: command not found' "${BASH_SOURCE[1]##*/tests/}" "${BASH_LINENO[0]}" "$1"
	printf '%s\n' "$said" >&2
	printf '%s\n' "$said" >>"$WORK/.absent"
	return 127
}

live_end() {
	local absent
	if [ -s "$WORK/.absent" ]; then
		: "${live_name:=before the first test}"
		absent=$(<"$WORK/.absent")
		bad "${absent//$'\n'/$'\n'     }"
		rm -f "$WORK/.absent"
	fi
	[ -n "$live_name" ] || return 0
	if [ "$live_bad" -eq 0 ]; then
		printf 'ok   %s (%s)\n' "$live_name" "$me"
		count_pass
	else
		printf 'FAIL %s (%s)\n%s' "$live_name" "$me" "$live_log"
		count_fail
	fi
	live_name=''
}

t() {
	live_end
	live_name=$1 live_bad=0 live_log=''
	out='' err='' rc=0
}

bad() {
	# The first finding of a test is shown with what was printed.
	live_bad=$((live_bad + 1))
	live_log+="     $1"$'\n'
	[ "$live_bad" -le 2 ] || return 0
	[ -z "${out:-}" ] || live_log+="     stdout: ${out:0:1500}"$'\n'
	[ -z "${err:-}" ] || live_log+="     stderr: ${err:0:1500}"$'\n'
}

# NAME REASON: a skip; with POL_TEST_REQUIRE set (any value, or a list with
# this name in it) it is a failure.
skip() {
	live_end
	if [[ ${POL_TEST_REQUIRE:-} == 1 || ${POL_TEST_REQUIRE:-} == all ||
		" ${POL_TEST_REQUIRE:-} " == *" $1 "* ]]; then
		printf 'FAIL %s: required, but: %s (%s)\n' "$1" "$2" "$me"
		count_fail
	else
		printf 'skip %s: %s (%s)\n' "$1" "$2" "$me"
		count_skip
	fi
}

done_() {
	live_end
	cd / || exit 1
	count_end
}

# TEXT [NAME]: compiles HEAD and TEXT into $WORK/NAME.polb (NAME: p).
policy() {
	raw_policy "$HEAD$1" "${2:-p}"
}
raw_policy() {
	local name=${2:-p} msg
	printf '%s\n' "$1" >"$WORK/$name.pol"
	rm -f "$WORK/$name.polb"
	if ! msg=$(cd "$WORK" && "$BIN/polc" compile "$name.pol" -o "$name.polb" 2>&1); then
		bad "polc compile $name.pol: $msg"
		return 1
	fi
	chmod 0600 "$WORK/$name.polb"
}

# What every run gets, too.
RUN_OPTIONS=()
# ARGS…: polrun with the bundle p; sets out, err, rc.
run() {
	run_with p "$@"
}
run_with() {
	local b=$1
	shift
	if is_root; then
		"$BIN/polrun" -b "$WORK/$b.polb" "${RUN_OPTIONS[@]}" "$@" >"$WORK/.out" \
			2>"$WORK/.err" </dev/null
		rc=$?
	else
		# an ordinary user's run begins ahead, unless a file on 0-2 forbids it
		{
			{
				"$BIN/polrun" -b "$WORK/$b.polb" "${RUN_OPTIONS[@]}" "$@" </dev/null
				echo $? >"$WORK/.rc"
			} 2>&1 >&4 4>&- | "$live_cat" >"$WORK/.err"
		} 4>&1 | "$live_cat" >"$WORK/.out"
		rc=$(<"$WORK/.rc")
	fi
	out=$(tr -d '\0' <"$WORK/.out")
	err=$(tr -d '\0' <"$WORK/.err")
}

# VERSION: the kernel is at least that.  For what only its version tells; what can be tried is tried.
kernel_since() { [ "$(printf '%s\n' "$1" "$(uname -r)" | sort -V | head -n 1)" = "$1" ]; }

want_rc() { [ "$rc" -eq "$1" ] || bad "exit status $rc, want $1"; }
want_out() { grep -qE -- "$1" <<<"$out" || bad "stdout has no match of: $1"; }
no_out() { ! grep -qE -- "$1" <<<"$out" || bad "stdout matches: $1"; }
want_err() { grep -qE -- "$1" <<<"$err" || bad "stderr has no match of: $1"; }
no_err() { ! grep -qE -- "$1" <<<"$err" || bad "stderr matches: $1"; }
# One line of polrun's own that matches.
want_line() {
	[ "$(grep -cE -- "^polrun: .*$1" <<<"$err")" -eq 1 ] ||
		bad "stderr has not exactly one line of polrun with: $1"
}
want_file() { [ -e "$1" ] || bad "$1 is not there"; }
no_file() { [ ! -e "$1" ] && [ ! -L "$1" ] || bad "$1 is there"; }
# TEXT FILE
want_text() { [ "$(cat "$2" 2>&1)" = "$1" ] || bad "$2 holds '$(cat "$2" 2>&1)', want '$1'"; }

# A process whose command line holds TEXT (this shell's own do not count).
alive() {
	local f
	for f in /proc/[0-9]*/cmdline; do
		[ "$f" != "/proc/$$/cmdline" ] && [ "$f" != "/proc/$BASHPID/cmdline" ] || continue
		tr '\0' ' ' <"$f" 2>/dev/null | grep -qF -- "$1" && return 0
	done
	return 1
} 2>/dev/null

is_gone() { ! alive "$1"; } # TEXT

is_root() { [ "$(id -u)" -eq 0 ]; }
