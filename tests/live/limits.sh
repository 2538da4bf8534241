#!/usr/bin/env bash
# long: every fourth day, as root and as a user in turn
# timing: waits for processes that a loaded machine starts late
# Limits: each one hit, beside the same run without it.
# shellcheck disable=SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"

t "the time limit: TERM, then KILL, 124, and the rule is named"
policy 'limits { time 1s }'
policy '' q
start=$(date +%s%N)
run sleep 30
want_rc 124
want_line 'time limit .*rule limits-time at p\.pol:[0-9]+'
[ $((($(date +%s%N) - start) / 1000000)) -lt 20000 ] || bad "TERM did not end it"
run sh -c 'trap "" TERM; while :; do sleep 0.2; done'
want_rc 124
run_with q sleep 1.2
want_rc 0

t "a command that catches TERM ends in its own way, and it is still 124"
run sh -c 'trap "echo bye; exit 3" TERM; while :; do sleep 0.1; done'
want_rc 124
want_out '^bye$'

t "a stopped command does not outlive its limit"
start=$(date +%s%N)
run sh -c 'kill -STOP $$; sleep 30'
want_rc 124
[ $((($(date +%s%N) - start) / 1000000)) -lt 20000 ] || bad "it took longer than 20 s"

t "what is left in the background ends with the command"
run_with q sh -c "sleep 77.$$ & echo started"
want_rc 0
want_out started
! alive "sleep 77.$$" || bad "something is left"

t "memory"
policy 'limits { memory 300M }'
run sh -c 'head -c 600000000 /dev/zero | tail | wc -c'
no_out '^600000000$'
run_with q sh -c 'head -c 60000000 /dev/zero | tail | wc -c'
want_out '^60000000$'

t "std/base: what an accident may take of the machine, and --plan says so"
raw_policy 'policy b { } command { otherwise allow  opaque allow }
file { allow read, write "${PROJECT_DIR}" }' b
run_with b --plan true
no_out '^  memory ' # sanitizers, Java and race detectors reserve more than any limit of a process
want_out '^  disk +4 GiB  size of the scratch trees  \(rule limits-disk at std/base\.pol:[0-9]+\)'
# not touched (0x4000 is MAP_NORESERVE), so that the test does not take what the limit leaves
take='import mmap, sys
try: mmap.mmap(-1, int(sys.argv[1]), mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000); print("taken")
except OSError as e: print(e.strerror)'
run_with b sh -c 'python3 -c "$1" 9000000000; df -B1 --output=size "$TMPDIR" /tmp | tail -1' - "$take"
want_out '^taken$'
want_out '^4294967296$'
run_with b sh -c 'head -c 600000000 /dev/zero | tail | wc -c'
want_out '^600000000$'
# the control: programs that reserve much more than they use
if command -v node >/dev/null; then
	run_with b node -e 'for (let i = 0; i < 3; i++) new WebAssembly.Memory({initial: 1, maximum: 65536}); console.log("node", 7)'
	want_out '^node 7$'
fi
if command -v java >/dev/null; then
	run_with b java -version
	want_rc 0
fi

t "processes, counted per sandbox"
policy 'limits { processes 5 }'
run sh -c 'for i in 1 2 3 4 5 6 7 8 9; do sleep 1 & done; wait'
want_err 'fork|Resource|unavailable'
run_with q sh -c 'for i in 1 2 3 4 5 6 7 8 9; do sleep 0.1 & done; wait'
want_rc 0
no_err 'fork|unavailable'

t "files"
policy 'limits { files 16 }'
run sh -c 'ulimit -n'
want_out '^16$'
t "the lower of the policy's limit and the caller's soft one"
policy 'limits { files 64  file-size 10M }' soft
soft=$(ulimit -Sn)
ulimit -Sn 40
run_with soft sh -c 'ulimit -Sn; ulimit -Hn; ulimit -Sn 50 && ulimit -Sn'
ulimit -Sn "$soft"
want_out '^40$'
want_out '^64$'
want_out '^50$'
run_with soft sh -c 'ulimit -Sn'
want_out '^64$'

t "file-size"
policy 'limits { file-size 10K }'
run sh -c 'head -c 20000 /dev/zero > big; ls -l big | cut -d" " -f5'
want_out '^10240$'
run_with q sh -c 'head -c 20000 /dev/zero > big; ls -l big | cut -d" " -f5'
want_out '^20000$'

t "disk: the scratch trees"
policy 'limits { disk 1M }'
run sh -c 'head -c 3000000 /dev/zero > /tmp/big'
want_rc 1
want_err 'No space'
run_with q sh -c 'head -c 3000000 /dev/zero > /tmp/big'
want_rc 0

t "no core files"
run_with q sh -c 'ulimit -c; ulimit -Hc'
want_out '^0$'
no_out '[1-9u]'

t "the report tells the limit and its rule"
policy 'limits { time 1s }'
run --report "$WORK/r.json" sleep 5
want_rc 124
grep -q '"limit": "time"' "$WORK/r.json" && grep -q '"id": "limits-time"' "$WORK/r.json" ||
	bad "$(cat "$WORK/r.json")"

done_
