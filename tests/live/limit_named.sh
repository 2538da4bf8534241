#!/usr/bin/env bash
# long: every fourth day, as root and as a user in turn
# A limit that ended the command, or is likely to be why it failed, is named on stderr and
# in the report; check says what cannot live in a small one.
# shellcheck disable=SC2016,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"

silent() { [ -z "$err" ] || bad "something is on stderr"; }
# LIMIT…: what limits_hit of the report has
hits() {
	python3 - "$WORK/r.json" "$@" <<'EOS' || bad "$(cat "$WORK/r.json")"
import json, sys
d = json.load(open(sys.argv[1]))
assert [(x["limit"], x["rule"]["id"]) for x in d["limits_hit"]] == [(l, "limits-" + l) for l in sys.argv[2:]], d["limits_hit"]
assert ("memory" in sys.argv[2:]) == any(m.startswith("limits_hit: memory is inferred") for m in d["mechanisms"])
EOS
}
run_r() { rm -f "$WORK/r.json"; run --report "$WORK/r.json" "$@"; }

t "file-size: the signal of the command, and as a shell passes it on"
policy 'limits { file-size 10K }'
policy '' q
run_r dd if=/dev/zero of=big bs=20000 count=1
want_rc 153
want_line 'a file was to grow beyond the 10 KiB .*rule limits-file-size at p\.pol:[0-9]+'
hits file-size
run_r sh -c 'dd if=/dev/zero of=big bs=20000 count=1'
want_line 'a file was to grow beyond'
hits file-size
run_r sh -c 'exit 3'
want_rc 3
silent
hits
run_with q dd if=/dev/zero of=big bs=20000 count=1 status=none
want_rc 0
silent

if [ "$VARIANT" != san ] && command -v python3 >/dev/null; then
	t "memory: the command failed when a process was near it"
	EAT='x = []
for i in range(100): x.append(bytearray(8 << 20))'
	policy 'limits { memory 256M }'
	run_r python3 -c "$EAT"
	want_rc 1
	want_err MemoryError
	want_line 'the command failed when a process of it had [0-9]+ of the 256 MiB .*rule limits-memory at p\.pol:[0-9]+'
	hits memory
	run -q python3 -c "$EAT"
	want_rc 1
	no_err '^polrun:'
	run_r python3 -c 'import sys; sys.exit(3)'
	want_rc 3
	silent
	hits
	run_r python3 -c 'x = bytearray(220 << 20)'
	want_rc 0
	silent
	hits
	run_with q python3 -c "$EAT"
	want_rc 0
	silent
fi

t "time: the report and the line"
policy 'limits { time 300ms }'
run_r sleep 9
want_rc 124
want_line 'time limit reached after .*rule limits-time at p\.pol'
hits time

t "check says what cannot live in a small memory"
for x in '256M P0444' '511M P0444' '512M -' '4G -'; do
	printf 'policy p { level user }\nlimits { memory %s }\n' "${x% *}" >"$WORK/m.pol"
	out=$(cd "$WORK" && "$BIN/polc" check m.pol 2>&1)
	case $x in
	*P0444) want_out 'warning: .* MiB of private memory for each process: java needs 512 .*\[P0444\]' ;;
	*) no_out P0444 ;;
	esac
done
printf 'policy p { level user }\n' >"$WORK/m.pol"
out=$(cd "$WORK" && "$BIN/polc" check m.pol 2>&1)
no_out P0444

done_
