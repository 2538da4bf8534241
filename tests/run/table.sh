#!/usr/bin/env bash
# The table of semantics 3 (tests/conformance/table.txt), its rows for the
# kernel as root and as an ordinary user; then: equal policies make equal bytes.
#   BUILD=FOLDER tests/run/table.sh
# Last line: N passed, N failed, N skipped.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/count.sh
. tests/lib/user.sh
: "${BUILD:=$PWD/build/dev}"
user=${POL_TEST_USER:-poltest}

base=$(mktemp -d /var/tmp/pol-table.XXXXXX) || exit 1
base=$(cd "$base" && pwd -P)
trap 'rm -rf --one-file-system "$base"' EXIT
trap 'exit 130' INT TERM
# The ordinary user may not be able to look into the tree.
mkdir -p "$base/bin"
cp "$BUILD/bin/polc" "$BUILD/bin/polnft-record" "$BUILD/bin/polrun" "$BUILD/bin/polinit" \
	"$BUILD/tests/conformance/table" "$base/bin/" || exit 1
cp "$BUILD/tests/probes/file_probe" "$BUILD/tests/probes/syscall_probe" "$base/bin/" ||
	exit 1
cp tests/conformance/table.txt "$base/" || exit 1
mkdir -p "$base/share/pol" && cp -r stdlib-policies "$base/share/pol/" || exit 1
chmod -R go+rX,go-w "$base"

as() { # WHO [PREFIX…]: the table, as somebody
	local who=$1 log status
	shift
	mkdir "$base/$who"
	[ "$who" = "$(id -un)" ] || chown "$who" "$base/$who"
	log=$base/$who.log
	(cd "$base" && timeout --kill-after=10 600 "$@" env -i PATH="$PATH" LANG=C.UTF-8 \
		"$base/bin/table" "$base/table.txt" "$base/bin" "$base/$who") >"$log" 2>&1
	status=$?
	printf -- '-- table as %s\n' "$who"
	# what it holds is the same for everybody
	if [ "$who" = "$(id -un)" ] || [ "$status" -ne 0 ]; then cat "$log"; fi
	count_add_line "$(tail -n 1 "$log")" "$status" "table as $who"
}

as "$(id -un)"
if [ "$(id -u)" -eq 0 ]; then
	if have_user "$user"; then
		as "$user" setpriv --reuid "$user" --regid "$user" --clear-groups
	elif [ -n "${POL_TEST_REQUIRE:-}" ]; then
		echo "FAIL table: there is no ordinary user '$user' to run it as"
		count_fail
	else
		echo "skip table: there is no ordinary user '$user' to run it as"
		count_skip
	fi
fi

log=$base/identical.log
BUILD=$BUILD tests/conformance/identical.sh >"$log" 2>&1
status=$?
echo '-- identical bundles'
cat "$log"
count_add_line "$(tail -n 1 "$log")" "$status" identical
count_end
