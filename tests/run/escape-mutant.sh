#!/usr/bin/env bash
# A polrun that only executes its command: every file of the escape suite must
# fail with it, and every test in it but the controls (their names say so), or
# it shows nothing.  In namespaces of its own: the tricks work here.
#   BUILD=FOLDER tests/run/escape-mutant.sh [NAME]
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/count.sh
: "${BUILD:=$PWD/build/dev}"
if [ "$(id -u)" -ne 0 ]; then
	echo "skip escape-mutant: only root may do all the tricks"
	count_skip
	count_end
	exit
fi
if [ -z "${POL_ESCAPE_INSIDE:-}" ]; then
	export BUILD POL_ESCAPE_INSIDE=1
	exec unshare -muipf --mount-proc --propagation private "$0" "$@"
fi
fake=$(mktemp -d /var/tmp/pol-fake.XXXXXX) || exit 1
trap 'rm -rf --one-file-system "$fake"' EXIT
chmod 0755 "$fake"
mkdir -p "$fake/bin" "$fake/share/pol"
cp -r stdlib-policies "$fake/share/pol/"
cp "$BUILD/bin/polc" "$BUILD/bin/polnft-record" "$BUILD/bin/polinit" "$fake/bin/"
ln -s "$BUILD/tests" "$fake/tests"
cat >"$fake/bin/polrun" <<'EOS'
#!/bin/bash
while [ $# -gt 0 ]; do
	case $1 in
	-b | --project | --user | --report) shift 2 ;;
	-*) shift ;;
	*) break ;;
	esac
done
exec "$@"
EOS
chmod 0755 "$fake/bin/polrun"
BUILD=$fake tests/run/live.sh "escape${1:+/$1}" >"$fake/log" 2>&1 </dev/null
# What an ordinary user may not do anywhere fails as root.
declare -A seen=()
while IFS= read -r line; do
	case $line in
	'-- live '*) file=${line#-- live } file=${file% as *} ;;
	'ok '* | 'FAIL '*)
		[[ $line != *control* ]] || continue
		name=${line#FAIL } name=${name#ok   } name="$file: ${name% (*}"
		[ "${seen[$name]:-}" = FAIL ] || seen[$name]=${line%% *}
		;;
	esac
done <"$fake/log"
for name in "${!seen[@]}"; do
	if [ "${seen[$name]}" = FAIL ]; then
		count_pass
	else
		printf 'FAIL %s: passes without a sandbox\n' "$name"
		count_fail
	fi
done
[ $((count_passed + count_failed)) -gt 0 ] || { cat "$fake/log"; count_fail; }
count_end
