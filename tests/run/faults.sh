#!/usr/bin/env bash
# Makes the system calls of a run fail, one by one, as root and as an ordinary
# user, in a build of its own; see tests/faults/faults.py, and askers.py for what asks about
# connections.
#   tests/run/faults.sh [all|each|first [FUNCTION|CALL]]
# "each" is what the suite runs: every call with one of its errnos, another one each time
# (POL_SLICE), so that seven times have them all, and of the rest a seventh; without POL_SLICE all of them, as "all".
# Last line: N passed, N failed, N skipped.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/count.sh
. tests/lib/user.sh
: "${BUILD:=$PWD/build/dev}"
faults=${POL_FAULTS_BUILD:-$PWD/build/faults}
release=${POL_RELEASE_BUILD:-$PWD/build/rel}
user=${POL_TEST_USER:-poltest}
how=${1:-each}
[ "$how" != each ] || [ -n "${POL_SLICE:-}" ] || how=all

programs() { # VARIANT BUILD
	local build=${2#"$PWD/"} # make names a folder of the tree without it

	make -s -j"$(nproc)" VARIANT="$1" BUILD="$build" "$build/bin/polrun" "$build/bin/polinit" "${@:3}"
}
programs faults "$faults" "${faults#"$PWD/"}/tests/faults/asker" && programs rel "$release" || exit 1
base=$(mktemp -d /var/tmp/pol-faults.XXXXXX) || exit 1
base=$(cd "$base" && pwd -P)
cleanup() { rm -rf --one-file-system "$base"; }
trap cleanup EXIT
trap 'exit 130' INT TERM
chmod 0755 "$base"
mkdir "$base/bin" "$base/rel"
cp "$BUILD/bin/polc" "$BUILD/bin/polnft" "$BUILD/bin/polnft-record" "$BUILD/bin/polgate" "$faults/bin/polrun" "$faults/bin/polinit" "$faults/tests/faults/asker" "$base/bin/" || exit 1
cp "$release/bin/polrun" "$release/bin/polinit" "$base/rel/" || exit 1
cp -r tests/faults "$base/"
mkdir -p "$base/share/pol" && cp -r stdlib-policies "$base/share/pol/" || exit 1
# All of the runtime but what polquery or the programs of the gateway alone are made of, and polnft.
mapfile -t objects < <(find runtime -name '*.c' | grep -Ev '^runtime/(query|hooks|polquery)/|^runtime/egress/[^fl]|/verb\.c$|(left|approvals)_verb\.c$|/polnft\.c$' |
	sed "s|^\(.*\)\.c$|$faults/obj/\1.o|")
[ "${#objects[@]}" -gt 50 ] || { echo "faults: no objects in $faults" >&2; exit 1; }
nm --defined-only "${objects[@]}" 2>/dev/null | awk 'NF == 3 && $2 ~ /[tT]/ {print $3}' |
	sort -u >"$base/ours"
chmod -R go+rX,go-w "$base"

# A call that no wrapper stands before would never be made to fail.
missing=$(comm -23 <(nm -u "${objects[@]}" 2>/dev/null | awk '$1 == "U" {print $2}' |
	grep -v '^__wrap_\|^__real_\|^__executable_start$\|^etext$' | sort -u) \
	<({
		cat "$base/ours"
		nm --defined-only "${objects[@]}" 2>/dev/null | awk 'NF == 3 {print $3}'
		grep -v '^#' tests/faults/harmless.txt | tr ' ' '\n'
		awk -F', *' '/^X/ {print $3} /^H/ {gsub(/[H()]/, ""); print}' \
			runtime/base/fault.def
	} | sort -u) | tr '\n' ' ')
count_check 'every call of libc is wrapped or harmless' "$missing"
unlisted=$(comm -3 <(awk -F', *' '/^X/ {print $3} /^H/ {gsub(/[H()]/, ""); print}
	/^S/ {gsub(/[)]/, "", $2); print $2}' runtime/base/fault.def | grep -v '^syscall$' |
	sort -u) <(grep -v '^#' tests/faults/calls.txt | awk '{print $1}' | sort -u) |
	tr '\n' ' ')
count_check 'every wrapped call has its errnos' "$unlisted"

# A row about a function that has another name by now says nothing.
gone=$(comm -23 <(awk '/^[^#]/ && $1 != "*" {sub(/^.*\//, "", $1); sub(/^=/, "", $1); print $1}' \
	tests/faults/sites.txt | sort -u) "$base/ours" | tr '\n' ' ')
count_check 'every row of sites.txt is about a function of the runtime' "$gone"

# The variant that is installed has nothing of it.
wrong=''
for p in polrun polinit; do
	! grep -qa 'POL_FAULT' "$base/rel/$p" || wrong+="$p holds POL_FAULT "
	grep -qa 'POL_FAULT' "$base/bin/$p" || wrong+="(control: $p of the variant faults lacks it) "
done
first() { # BIN: the status of --help, which closes descriptors first
	POL_FAULT=polrun:close_range:1:EMFILE "$1/polrun" --help >/dev/null 2>&1
	printf '%s' $?
}
[ "$(first "$base/rel")" = 0 ] || wrong+="the environment makes a call fail "
[ "$(first "$base/bin")" = 125 ] || wrong+="(control: it does not in the variant faults) "
count_check 'rel ignores the hook' "$wrong"

# Other tests' mounts must not be taken for what a run has left.
apart=()
[ "$(id -u)" -ne 0 ] || apart=(unshare --mount --propagation private)
as() { # WHO [PREFIX…]
	local who=$1
	shift
	mkdir -m 0755 "$base/$who"
	[ "$who" = "$(id -un)" ] || chown "$who" "$base/$who"
	each_as "$who" faults "$@"
	each_as "$who" askers "$@"
}
each_as() { # WHO SCRIPT [PREFIX…]
	local who=$1 script=$2 log=$base/$1.$2.log status
	shift 2
	printf -- '-- %s (%s) as %s\n' "$script" "$how" "$who"
	"${apart[@]}" "$@" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
		LANG=C.UTF-8 POL_SLICE="${POL_SLICE:-}" POL_HALF="$half" /usr/bin/python3 "$base/faults/$script.py" "$base" "$base/$who" \
		"$how" "${only:-}" >"$log" 2>&1 </dev/null
	status=$?
	sed '$d' "$log"
	[ "$status" -eq 0 ] || printf '     again: POL_SLICE=%s tests/run/faults.sh %s FUNCTION, a function of the call\x27s way\n' \
		"${POL_SLICE:-}" "$how"
	count_add_line "$(tail -n 1 "$log")" "$status" "$script as $who"
	if ! [[ $(tail -n 1 "$log") =~ ^[0-9]+\ passed ]]; then tail -n 1 "$log"; fi
}
only=${2:-} half=''
# two users share the calls of a day
if [ "$how" = each ] && [ "$(id -u)" -eq 0 ] && have_user "$user"; then half=0; fi
as "$(id -un)"
half=${half:+1}
if [ "$(id -u)" -eq 0 ]; then
	if have_user "$user"; then
		as "$user" setpriv --reuid "$user" --regid "$user" --clear-groups
	elif [ -n "${POL_TEST_REQUIRE:-}" ]; then
		echo "FAIL faults: there is no ordinary user '$user'"
		count_fail
	else
		echo "skip faults: there is no ordinary user '$user'"
		count_skip
	fi
fi
count_end
