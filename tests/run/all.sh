#!/usr/bin/env bash
# The suite of one variant (BUILD, VARIANT): unit and properties, seeds of random policies, shell text, command lines, fuzz corpora,
# goldens, the ready policies, the JSON Schema, manual pages and completions, an installation, the table of semantics 3, examples, other systems'
# files, documents, live tests; PARTS="…" are some of these.  Last line: the sum.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/count.sh
: "${PARTS:=unit seeds libpol shell commands fuzz-replay golden library schema manual install table examples reference docs live}"
for part in $PARTS; do
	log=$(mktemp)
	begun=$SECONDS
	printf -- '-- %s\n' "$part"
	"tests/run/$part.sh" 2>&1 | tee "$log"
	status=${PIPESTATUS[0]}
	count_add_line "$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$log" | tail -n 1)" \
		"$status" "$part"
	printf -- '-- %s took %s s\n' "$part" $((SECONDS - begun))
	rm -f "$log"
done
count_end
