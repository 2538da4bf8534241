# What a program said of its failure, in short; sourced.
# shellcheck shell=bash

# stdin: without the search for leaks.  A test that was aborted leaves all of its memory, and
# the reports of that stand where the reason should.  A program of which only leaks are said
# keeps them.
said_without_leaks() {
	awk '{ line[NR] = $0
		if (/ERROR: LeakSanitizer/ && !from) from = NR
		if (!from && (/^\[  FAILED  \]/ || /^FAIL/ || /ERROR: AddressSanitizer|runtime error:/)) other = 1 }
	END {
		for (i = 1; i <= NR; i++) {
			if (other && i == from) leak = 1
			if (!leak && !(other && line[i] ~ /^=+$/)) print line[i]
			if (line[i] ~ /^SUMMARY: .*Sanitizer/) leak = 0
		}
	}'
}

# stdin: the reason, a line.
said_reason() {
	grep -aE '^\[  ERROR   \] --- .|^\[   LINE   \]|^FAIL|ERROR: [A-Za-z]*Sanitizer|runtime error:|[Aa]ssert' |
		sed -E 's/^\[ +(ERROR|LINE) +\] --- //; s/^FAIL:? *//; s/^=+[0-9]+=+//' |
		awk '!seen[$0]++' | head -n 3 | cut -c -400 | paste -sd'|' | sed 's/|/; /g'
}

# stdin: "SEED=N RUNS=N" of what failed: of the one run where it is named, else of the last test
# that began.
said_seed() {
	local text
	text=$(grep -aoE 'SEED=[0-9]+( RUNS=[0-9]+)?')
	grep -m 1 ' RUNS=1$' <<<"$text" || tail -n 1 <<<"$text"
}
