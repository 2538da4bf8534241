#!/usr/bin/env bash
# The live tests: each through polrun itself, as root and as an ordinary user.
#   BUILD=FOLDER T=NAME tests/run/live.sh        NAME: files, escape, escape/mounts
# Tests that say "# places:" run once in each place of tests/lib/place.sh; PLACE=NAME: in that one.
# With POL_SLICE (tests/lib/slice.sh) a day's share (as root only): in dev every other day; those that say
# "# long:" in their head every fourth day, and those that say "# week:" once a week (or each time, if NAME
# asks for one); with the sanitizers a twenty-eighth of all.  A turn is as one of the two users in one place;
# the turns go round all of these: twelve of them, which are 24, 48 or 84 days.
# POL_SHARD as there; POL_TEST_LIST=1 only prints the names.
# POL_TEST_REQUIRE=1 turns every skip into a failure (or name those that must
# not skip).  Last line: N passed, N failed, N skipped.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/count.sh
. tests/lib/user.sh
. tests/lib/slice.sh
. tests/lib/turns.sh
. tests/lib/place.sh
: "${BUILD:=$PWD/build/dev}" "${VARIANT:=dev}"
only=${1:-${T:-}}
mapfile -t turns < <(turns_given)
user=${POL_TEST_USER:-poltest}
here=$PWD

test_name() {
	local name=${1#tests/live/}
	printf '%s' "${name%.sh}"
}

# Lines "SCRIPT WHO PLACE": what is to be run, in this order.
chosen() {
	local script name place turn=0 index=-1 day=${POL_SLICE:-} every count who whos=(root "$user") long='' week=''
	[ "$(id -u)" -eq 0 ] || { whos=("$(id -un)"); day=''; }
	# four weeks have fewer turns than there are users and places; POL_WEEKS: which four weeks
	local before=$((${POL_WEEKS:-$(($(date -u +%s) / 86400 / 28))} * 28))
	if [ -n "$day" ]; then
		long=" $(grep -l '^# long:' tests/live/*.sh tests/live/*/*.sh | paste -sd' ') "
		week=" $(grep -l '^# week:' tests/live/*.sh tests/live/*/*.sh | paste -sd' ') "
	fi
	for script in tests/live/*.sh tests/live/*/*.sh; do
		name=${script#tests/live/} name=${name%.sh}
		[ -z "$only" ] || [ "$only" = "$name" ] || [ "$only" = "${name%%/*}" ] || continue
		turn=$((turn + 1)) every=2
		[[ $long != *" $script "* ]] || every=4
		[[ $week != *" $script "* ]] || every=7
		[ "$VARIANT" = dev ] || every=28
		[ "$only" != "$name" ] || every=1
		[ -z "$day" ] || [ $(((turn + day) % every)) -eq 0 ] || continue
		[ -z "$day" ] || count=$(((before + turn + day) / every + turn))
		for who in "${whos[@]}"; do
			[ -z "$day" ] || [ "$who" = "${whos[count % 2]}" ] || continue
			for place in $(places_of "$script" "${day:+$((count / 2))}"); do
				index=$((index + 1))
				! in_shard "$index" || printf '%s %s %s\n' "$script" "$who" "$place"
			done
		done
	done
}
if [ -n "${POL_TEST_LIST:-}" ]; then
	chosen | sed 's|^tests/live/||; s|\.sh | as |; s| var$||; s| \([a-z0-9]*\)$| in \1|; s| as in | as |'
	exit
fi

# Not mktemp's letters: a pattern of a test matched them once ("OK").
base=/var/tmp/pol-live.$(date +%N | cut -c 1-6 | tr 0-9 q-z)
mkdir "$base" || exit 1
base=$(cd "$base" && pwd -P)
cleanup() { rm -rf --one-file-system "$base"; }
trap cleanup EXIT
trap 'exit 130' INT TERM
chmod 0755 "$base"
# The ordinary user may not be able to look into the tree: everything that the
# tests need lies in a folder that everybody can read and only we can write.
mkdir -p "$base/bin" "$base/bin/probes" "$base/tests" "$base/log"
cp "$BUILD"/bin/pol* "$base/bin/" || exit 1
cp "$BUILD"/tests/probes/* "$base/bin/probes/" 2>/dev/null
cp "$BUILD/lib/libpol.so.0" "$base/bin/" || exit 1
cp "$BUILD"/tests/conformance/{file,net,gate}_oracle "$base/bin/" || exit 1
cp -r "$here/tests/live" "$here/tests/lib" "$here/tests/lab" "$here/tests/agents" "$here/tests/conformance" "$base/tests/" ||
	exit 1
cp -r "$here/examples" "$here/doc" "$base/" || exit 1
# Laid out as an installed polc: its library is below the folder of its own.
mkdir -p "$base/share/pol" && cp -r "$here/stdlib-policies" "$base/share/pol/" || exit 1
if [ -r "${POL_SK_DUMMY:=$here/build/sk-dummy/sk-dummy.so}" ]; then
	cp "$POL_SK_DUMMY" "$base/bin/"
	export POL_SK_DUMMY="$base/bin/sk-dummy.so"
fi
chmod -R go+rX,go-w "$base/bin" "$base/tests" "$base/examples" "$base/doc" "$base/share"
# Tests that say "# lab: SERVICES" run on the host of a closed network (tests/lab/lab.sh), which only root can make.
export POL_LAB="${POL_LAB:-$here/build/lab}"
# Real agents, for tests that say "# agents:": the small one that ./dev test fetches, or POL_AGENTS=build/agents.
export POL_AGENTS="${POL_AGENTS:-$here/build/agent-of-day}"
agents_for() { # SCRIPT: their folder, which every user can read; or nothing
	grep -q '^# agents:' "$1" && [ -d "$POL_AGENTS/node_modules" ] || return 0
	if [ ! -d "$base/agents" ]; then
		mkdir "$base/agents"
		cp -al "$POL_AGENTS/node_modules" "$base/agents/" 2>/dev/null || cp -a "$POL_AGENTS/node_modules" "$base/agents/"
	fi
	printf '%s' "$base/agents"
}
# A set-user-ID program that only prints who it is.
if [ "$(id -u)" -eq 0 ] && [ -x "$base/bin/probes/who_probe" ]; then
	install -m 4755 "$base/bin/probes/who_probe" "$base/bin/probes/who_suid"
fi

try_one() { # SCRIPT WHO PLACE [PREFIX…]: its status; what it printed is in $log
	local script=$1 who=$2 place=$3 name work status lab=''
	name=$(test_name "$1")
	shift 3
	work=$(place_dir "$place" "$base/${name//\//-}.$who")
	if [ "$(id -u)" -eq 0 ] && [ -x "$POL_LAB/root/usr/sbin/nginx" ] && grep -q '^# lab:' "$script"; then
		lab=$base/lab-${name//\//-}.$who
		mkdir -m 0755 "$lab"
		# shellcheck disable=SC2046
		set -- "$base/tests/lab/lab.sh" -d "$lab" $(sed -n 's/^# lab://p' "$script") -- "$@"
	fi
	set -- tests/lib/place.sh "$place" "$work" "$who" "$@"
	timeout --kill-after=10 "${POL_LIVE_TIMEOUT:-900}" "$@" env -i PLACE="$place" \
		 POL_SK_DUMMY="${POL_SK_DUMMY:-}" \
		PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
		LANG=C.UTF-8 TERM=dumb HOME="$work" WORK="$work" BIN="$base/bin" LAB="$lab" \
		PROBES="$base/bin/probes" VARIANT="$VARIANT" AGENTS="$(agents_for "$script")" \
		POL_TEST_REQUIRE="${POL_TEST_REQUIRE:-}" POL_TEST_FAST="${POL_TEST_FAST:-}" \
		"${turns[@]}" \
		bash "$base/tests/live/$name.sh" >"$log" 2>&1 </dev/null
	status=$?
	rm -rf --one-file-system "$work" ${lab:+"$lab"}
	return "$status"
}

# Processes of the programs under test that outlive their script by two seconds.
left_behind() {
	local e try
	for try in {1..20}; do
		left=()
		for e in /proc/[0-9]*/exe; do
			[[ $(readlink "$e" 2>/dev/null) != "$base/bin/"* ]] || left+=("${e//[!0-9]/}")
		done
		[ "${#left[@]}" -ne 0 ] || return 1
		[ "$try" -eq 20 ] || sleep 0.1
	done
}

no_process_is_left() { # NAME WHO
	local left e
	left_behind || return 0
	for e in "${left[@]}"; do
		printf '     %s: %s\n' "$e" "$(tr '\0' ' ' <"/proc/$e/cmdline" | cut -c-120)"
	done
	kill -KILL "${left[@]}" 2>/dev/null
	# The search for leaks at the end of a program waits for a helper of its own,
	# for ever where a hangup of the terminal has killed that.
	[ "$VARIANT" != san ] || return 0
	printf 'FAIL %s as %s: these processes are left\n' "$1" "$2"
	count_fail
}

run_one() { # SCRIPT WHO PLACE [PREFIX…]
	local name log where='' status=0 TIMEFORMAT='%0R s, %0U+%0S s of processor'
	name=$(test_name "$1")
	log=$base/log/${name//\//-}.$2
	[ "$3" = var ] || where=" in $3"
	{ time try_one "$@" || status=$?; } 2>"$base/time"
	# A script that waits for others to be scheduled may be late on a loaded
	# machine; it says so ("# timing:") and gets a second try, which is told.
	if [ "$status" -ne 0 ] && grep -q '^# timing:' "$1"; then
		printf -- '-- live %s as %s%s failed and is tried again:\n' "$name" "$2" "$where"
		# a script that did not come to its first row says why in its last lines
		if grep -q '^FAIL' "$log"; then grep -A4 '^FAIL' "$log" | sed 's/^FAIL/late/'; else tail -n 5 "$log"; fi
		status=0
		{ time try_one "$@" || status=$?; } 2>"$base/time"
	fi
	printf -- '-- live %s as %s%s (%s)\n' "$name" "$2" "$where" "$(tail -n 1 "$base/time")"
	sed '$d' "$log"
	[ "$status" -eq 0 ] || printf '     again: %s%s./dev test live/%s\n' \
		"$([ "$VARIANT" = dev ] || printf 'VARIANT=%s ' "$VARIANT")" "${where:+PLACE=$3 }" "$name"
	count_add_line "$(tail -n 1 "$log")" "$status" "$name as $2"
	if ! [[ $(tail -n 1 "$log") =~ ^[0-9]+\ passed ]]; then tail -n 1 "$log"; fi
	no_process_is_left "$name" "$2"
}

ran=0
while read -r script who place; do
	ran=1
	if [ "$who" = "$(id -un)" ]; then
		run_one "$script" "$who" "$place"
	elif have_user "$user"; then
		run_one "$script" "$user" "$place" setpriv --reuid "$user" --regid "$user" \
			--clear-groups
	elif [ -n "${POL_TEST_REQUIRE:-}" ]; then
		echo "FAIL $(test_name "$script"): there is no ordinary user '$user' to run it as"
		count_fail
	else
		echo "skip $(test_name "$script"): there is no ordinary user '$user' to run it as"
		count_skip
	fi
done < <(chosen)
if [ "$ran" -eq 0 ]; then
	echo "FAIL: no live test '$only'"
	count_fail
fi
count_end
