#!/usr/bin/env bash
# Tries: a process of the host, and one of the run, exchange a directory and links below the
# path of open, mkdir, rename, link, unlink, truncate, chmod of the run (swap_probe.c).
# Stops it: the broker, which finds names by descriptors and asks about what it has found.
#   SWAPS=N (5000; 200000: some minutes for each)
# long: every fourth day, as root and as a user in turn
# places:
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
# shellcheck source=tests/lib/kept.sh
. "$(dirname "$0")/../lib/kept.sh"

swaps=${SWAPS:-5000}
S=$PROBES/swap_probe
mkdir -p "$WORK/out"
for name in narrow wide; do
	raw_policy "policy t { base none }
command { otherwise allow }
file {
	allow read, exec \"/usr\", \"/bin\", \"/lib\", \"/lib64\", \"$PROBES\"
	allow read \"/etc\", \"$WORK/out\", \"\${PROJECT_DIR}\"
	allow write \"$([ $name = narrow ] && echo 'src/**/*.ts' || echo '${PROJECT_DIR}')\"
	deny write \"\${PROJECT_DIR}/src/no\", \"kept.*\"
}
network disabled" $name
done

made() {
	cd "$WORK" && rm -rf "${P:?}" "${WORK:?}/out" && mkdir -p "$P/src/no" "$P/src/d.ts" "$WORK/out"
	cd "$P/src" || exit 1
	for f in no/f.ts kept.txt d.ts/f.ts source.ts "$WORK/out/f.ts"; do echo keep >"$f"; done
	chmod 600 no/f.ts kept.txt d.ts/f.ts "$WORK/out/f.ts"
	ln -s no l.ts
	ln -s "$WORK/out" m.ts
	ln -s ../no/f.ts d.ts/g.ts
	ln -s "$WORK/out/f.ts" d.ts/h.ts
	ln -s ../kept.txt d.ts/e.ts
	is_root && chown -R --no-dereference 12345:12345 "$P" "$WORK/out"
	cd "$P" || exit 1
	kept_save "$P" "$WORK/out"
}
told() { sed -n "s/.*\<$1 \([0-9]*\).*/\1/p" <<<"$out"; } # a number that the probe printed

# The process of the host: it begins when the run has.
swap_outside() {
	within 30 test -e src/begun.ts
	"$S" swap src "$1" >"$WORK/swaps" 2>&1
	echo $? >>"$WORK/swaps"
	: >over
}
# POLICY [swap]: the run, and what became of the names.
race() {
	made
	swap_outside "$swaps" &
	swapper=$!
	run_with "$1" timeout -s KILL 3000 "$S" call src "$P/over" ${2:+"$2"}
	wait $swapper
	want_rc 0
	printf '     %s; %s\n' "$(head -n 1 "$WORK/swaps")" "$out"
	[ "$(tail -n 1 "$WORK/swaps")" = 0 ] || bad "outside: $(cat "$WORK/swaps")"
	for what in 'done' denied elsewhere ${2:+inside}; do # the calls met each face of the path
		[ "$(told "$what")" -gt 20 ] || bad "hardly any: $what"
	done
	rm -f over
	kept_check "$1"
}

for policy in narrow wide; do
	t "$policy: $swaps swaps by a process of the host"
	race $policy
	t "$policy: $swaps swaps, and others by the run itself"
	race $policy swap
done

t "the control: by name, outside of polrun, these calls are led astray"
made
swap_outside "$swaps" &
swapper=$!
"$S" call src "$P/over" >"$WORK/.out"
wait $swapper
rm -f over
kept_control narrow
kept_control wide

done_
