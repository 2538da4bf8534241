#!/usr/bin/env bash
# The JSON Schema for editors: the one in the tree is what the table of keys
# makes, and ajv agrees with polc on every golden and example in YAML.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/count.sh
: "${BUILD:=$PWD/build/dev}"
schema=grammar/editors/policy.schema.json
work=$(mktemp -d /var/tmp/pol-schema.XXXXXX)
trap 'rm -rf "$work"' EXIT

if "$BUILD/tools/yaml-schema" >"$work/new" && cmp -s "$schema" "$work/new"; then
	count_pass
else
	echo "FAIL $schema is not what the table makes: make schema"
	count_fail
fi

export NODE_PATH=/usr/share/nodejs
if ! node -e 'require("ajv"); require("js-yaml")' 2>/dev/null; then
	if [ -n "${POL_TEST_REQUIRE:-}" ]; then
		echo "FAIL ajv: required, but no node-ajv or node-js-yaml here"
		count_fail
	else
		echo "skip ajv: no node-ajv or node-js-yaml here"
		count_skip
	fi
	count_end
	exit
fi

# scripts that print a policy print it here; the largest is refused by its size
for make in tests/golden/yaml/*.make; do
	name=$(basename "$make" .make)
	[ "$name" != huge ] && bash "$make" >"$work/$name.yml"
done
mapfile -t files < <(find "$PWD/tests/golden" "$PWD/examples" "$work" -type f \
	\( -name '*.yml' -o -name '*.yaml' \) | LC_ALL=C sort)
if node tests/schema/agree.js "$BUILD/bin/polc" "$schema" "${files[@]}" >"$work/out"; then
	count_add_line "$(tail -n 1 "$work/out")" 0 ajv
	tail -n 2 "$work/out" | head -n 1
else
	count_add_line "$(tail -n 1 "$work/out")" 1 ajv
	cat "$work/out"
fi
count_end
