#!/usr/bin/env bash
# Switches off each row of the step table in a build of its own and expects a
# live test to fail; a row that another one covers is switched off together
# with it.  Which test, which cover: the table in doc/enforcement.md.
#   tests/run/step-mutants.sh [ROW…]      (POL_SLICE: the day's rows)
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/count.sh
. tests/lib/slice.sh
. tests/lib/wait.sh
: "${BUILD:=$PWD/build/dev}"
here=$PWD build=${POL_STEPS_BUILD:-$PWD/build/steps}
user=${POL_TEST_USER:-poltest}
# only they have steps; the rest is that of the ordinary build
make -s -j"$(nproc)" VARIANT=dev BUILD="$build" EXTRA_CFLAGS=-DPOL_TEST_STEPS \
	"$build/bin/polrun" "$build/bin/polinit" || exit 1
base=$(mktemp -d /var/tmp/pol-steps.XXXXXX) || exit 1
base=$(cd "$base" && pwd -P)
cleanup() { rm -rf --one-file-system "$base"; }
trap cleanup EXIT
trap 'exit 130' INT TERM
chmod 0755 "$base"
mkdir -p "$base/bin/probes" "$base/tests"
cp "$BUILD"/bin/pol* "$base/bin/"
cp -f "$build"/bin/{polrun,polinit} "$base/bin/"
cp "$BUILD"/tests/probes/* "$base/bin/probes/"
cp -r tests/live tests/lib "$base/tests/"
mkdir -p "$base/share/pol" && cp -r stdlib-policies "$base/share/pol/" || exit 1
chmod -R go+rX,go-w "$base/bin" "$base/tests" "$base/share"
if [ "$(id -u)" -eq 0 ] && ! id "$user" >/dev/null 2>&1; then
	useradd --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin "$user"
fi

# ROWS SCRIPT WHO: the live test's own status.
try() {
	local work=$base/work as=()
	rm -rf --one-file-system "$work"
	mkdir -m 0700 "$work"
	if [ "$3" != root ] && [ "$(id -u)" -eq 0 ]; then
		chown "$user" "$work"
		as=(setpriv --reuid "$user" --regid "$user" --clear-groups)
	fi
	timeout --kill-after=10 180 "${as[@]}" env -i PATH="$PATH" LANG=C.UTF-8 TERM=dumb \
		HOME="$work" WORK="$work" BIN="$base/bin" PROBES="$base/bin/probes" \
		PLACE="${PLACE:-var}" VARIANT=dev POL_TEST_PAUSE="${4:-}" POL_STEPS_OFF="$1" FLIP_MS="${FLIP_MS:-}" \
		bash "$base/tests/live/$2.sh" >"$base/log" 2>&1 </dev/null
}

whos=(user)
[ "$(id -u)" -ne 0 ] || whos+=(root)
# Nothing off: everything passes, or a failure below would say nothing.
for who in "${whos[@]}"; do
	for script in steps kill9; do
		if ! try none "$script" "$who"; then
			printf 'FAIL %s.sh as %s fails with every step on\n' "$script" "$who"
			grep -A3 '^FAIL' "$base/log"
			count_fail
			count_end
			exit 1
		fi
	done
done

# A supervisor that opens a path by its name dies of it, and the run with it.
# shellcheck disable=SC2016
printf 'policy m { base none }\ncommand { otherwise allow }\nfile { allow read, exec "/usr", "/bin", "/lib", "/lib64"  allow read "${PROJECT_DIR}" }\n' \
	>"$base/m.pol"
mkdir -p "$base/m/project"
if "$base/bin/polc" compile "$base/m.pol" -o "$base/m.polb" 2>/dev/null; then
	opens() { # NAME=VALUE…: its exit status
		(cd "$base/m/project" && env HOME="$base/m" "$@" timeout 20 "$base/bin/polrun" \
			-b "$base/m.polb" sleep 0.8125 >/dev/null 2>&1 </dev/null)
	}
	opens A=1
	control=$?
	opens POL_SUPERVISOR_OPENS=1
	status=$?
	none_left() { ! pgrep -f 'sleep 0.8125' >/dev/null; }
	if [ "$control" -eq 0 ] && [ "$status" -eq 159 ] && within 10 none_left; then
		echo "ok   a supervisor that opens a path by its name: SIGSYS, and nothing left"
		count_pass
	else
		echo "FAIL a supervisor that opens a path by its name: $status, without that $control"
		count_fail
	fi
else
	echo "FAIL the policy for the supervisor does not compile"
	count_fail
fi

covered=0 index=0
while IFS='|' read -r _ row _ _ _ _ _ proof _; do
	row=${row//[\` ]/} proof=${proof//\`/}
	[ $# -eq 0 ] || [[ " $* " == *" $row "* ]] || continue
	[[ ! $proof =~ with\ ([a-z-]+) ]] || covered=$((covered + 1))
	index=$((index + 1))
	[ $# -gt 0 ] || in_slice "$index" || continue
	# a kernel without the file has nothing to mask
	case $row in
	proc-kcore) file=/proc/kcore ;;
	proc-keys) file=/proc/keys ;;
	proc-sysrq) file=/proc/sysrq-trigger ;;
	proc-timers) file=/proc/timer_list ;;
	mptcp) file=/proc/sys/net/mptcp/enabled ;;
	*) file=/proc ;;
	esac
	if [ ! -e "$file" ]; then
		printf -- '-- %s: no %s here\n' "$row" "$file"
		continue
	fi
	off=$row script=$(grep -oE '[a-z0-9_]+\.sh' <<<"$proof" | head -n 1)
	if [[ $proof =~ with\ ([a-z-]+) ]]; then
		off=$row,${BASH_REMATCH[1]}
	fi
	found='' pause=''
	[[ $row != *-check ]] || pause=1
	for who in "${whos[@]}"; do
		try "$off" "${script%.sh}" "$who" "$pause" && continue
		found="$who: $(grep -m 1 '^FAIL' "$base/log")"
		break
	done
	if [ -n "$found" ]; then
		printf 'ok   without %s: %s\n' "$off" "$found"
		count_pass
	else
		printf 'FAIL without %s every test of %s passes\n' "$off" "$script"
		printf '     again: tests/run/step-mutants.sh %s\n' "$row"
		count_fail
	fi
done < <(sed -n '/^## The step table/,/^## /p' doc/enforcement.md | grep '^| `')

# What stands behind a call that the broker leaves to the kernel: switched off, the test of its row fails.
# The project lies below a private HOME, where Landlock has less to give.
export PLACE=home
# A call that reaches something has to meet a moment.
export FLIP_MS=4000
while IFS='|' read -r _ call _ _ row proof _; do
	row=${row//[\` ]/}
	[ "$row" != – ] || continue
	[ $# -eq 0 ] || [[ " $* " == *" $row "* ]] || continue
	index=$((index + 1))
	[ $# -gt 0 ] || in_slice "$index" || continue
	script=${proof%%:*} script=${script// /}
	mapfile -t rows < <(tr ',' '\n' <<<"${proof#*:}" | sed 's/^ *//; s/ *$//')
	unfound=''
	for who in "${whos[@]}"; do
		try "$row" "${script%.sh}" "$who"
		unfound=''
		for name in "${rows[@]}"; do
			grep -q "^FAIL $name" "$base/log" || unfound+="$name, "
		done
		[ -n "$unfound" ] || break
	done
	if [ -z "$unfound" ]; then
		printf 'ok   without %s, which stands behind:%s(%s)\n' "$row" "$call" "$who: ${#rows[@]} rows of $script fail"
		count_pass
	else
		printf 'FAIL without %s these rows of %s pass: %s\n' "$row" "$script" "${unfound%, }"
		printf '     again: tests/run/step-mutants.sh %s\n' "$row"
		count_fail
	fi
done < <(sed -n '/^### What the broker leaves/,/^## /p' doc/enforcement.md | grep -E '^\|.*\.sh: .* \|$')

# The table names every row, in its order.
if [ $# -eq 0 ]; then
	diff <(sed -nE 's/^X0?\([A-Z0-9_]+, "([a-z-]+)".*/\1/p' runtime/sandbox/steps.def) \
		<(sed -n '/^## The step table/,/^## /p' doc/enforcement.md |
			sed -nE 's/^\| `([a-z-]+)`.*/\1/p') >&2
	if [ "${PIPESTATUS[0]}" -eq 0 ] && [ "$covered" -le 6 ]; then
		count_pass
	else
		printf 'FAIL doc/enforcement.md and the table differ, or %s rows are covered\n' \
			"$covered"
		count_fail
	fi
fi
cd "$here" || exit 1
count_end
