#!/usr/bin/env bash
# Every example is checked (its in-language tests run), compiled twice to the
# same bytes, listed by tar and inspected; then the demo runs, and must fail
# when polrun is replaced by a program that only executes.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/count.sh
. tests/lib/user.sh
: "${BUILD:=$PWD/build/dev}"
work=$(mktemp -d /var/tmp/pol-examples.XXXXXX)
trap 'rm -rf "$work"' EXIT
chmod 0755 "$work"

ok() { # NAME COMMAND…
	local name=$1 out
	shift
	if out=$("$@" 2>&1); then
		printf 'ok   %s\n' "$name"
		count_pass
	else
		printf 'FAIL %s\n%s\n' "$name" "$out"
		count_fail
	fi
}

# The options of an example: examples/NAME/options, or its policy.pol.
options_of() {
	local d=$1 word
	if [ -e "$d/options" ]; then
		while read -r word; do printf '%s\n' "${word//@/$d}"; done <"$d/options"
	else
		printf '%s\n' "$d/policy.pol"
	fi
}

one_example() {
	local d=$1 n opts
	n=$(basename "$d")
	mapfile -t opts < <(options_of "$d")
	ok "$n: check" "$BUILD/bin/polc" check "${opts[@]}"
	ok "$n: compile" "$BUILD/bin/polc" compile "${opts[@]}" -o "$work/$n.polb"
	ok "$n: compile again" "$BUILD/bin/polc" compile "${opts[@]}" -o "$work/$n.2.polb"
	ok "$n: identical bytes" cmp "$work/$n.polb" "$work/$n.2.polb"
	ok "$n: tar lists it" tar tvf "$work/$n.polb"
	ok "$n: inspect" "$BUILD/bin/polc" inspect "$work/$n.polb"
	ok "$n: README" test -s "$d/README.md"
}

# Collections, and no policy each: tests/run/reference.sh and review.sh look at them
for d in examples/*/; do
	case $d in
	examples/reference/ | examples/ci/) ;;
	*) one_example "${d%/}" ;;
	esac
done

demo_of() { # NAME BINDIR
	if [ "$(id -u)" -eq 0 ] && have_user "${POL_TEST_USER:-poltest}"; then
		ok "demo as an ordinary user ($1)" setpriv --reuid "${POL_TEST_USER:-poltest}" \
			--regid "${POL_TEST_USER:-poltest}" --init-groups \
			env HOME=/nonexistent examples/demo.sh "$2"
	fi
	ok "demo as $(id -un) ($1)" examples/demo.sh "$2"
}
demo_of real "$BUILD/bin"

# The control: the same demo with a polrun that only executes must fail and
# must not print one line that names a rule.
mkdir -p "$work/fake" "$work/share/pol"
cp -r stdlib-policies "$work/share/pol/"
chmod -R go+rX,go-w "$work/share"
cp "$BUILD/bin/polc" "$BUILD/bin/polnft-record" "$BUILD/bin/polinit" "$work/fake/"
cat >"$work/fake/polrun" <<'EOF'
#!/bin/sh
while [ $# -gt 0 ]; do
	case $1 in
	-b | --bundle | --project | --report) shift 2 ;;
	--) shift; break ;;
	-*) shift ;;
	*) break ;;
	esac
done
exec "$@"
EOF
chmod 0755 "$work/fake" "$work/fake/polrun"
if out=$(timeout 120 examples/demo.sh "$work/fake" 2>&1 </dev/null); then
	echo "FAIL demo passes without a sandbox"
	count_fail
elif grep -qE '^polrun: .*\.pol:[0-9]+' <<<"$out"; then
	printf 'FAIL demo names a rule without a sandbox\n%s\n' "$out"
	count_fail
else
	echo "ok   demo fails when polrun only executes"
	count_pass
fi
count_end
