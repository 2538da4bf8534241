#!/usr/bin/env bash
# libpol as other programs meet it: what it exports, that polc, polrun and polquery
# decide with its objects and with no others, the examples against an installed copy
# (shared and static), eight threads against one, and no allocation while it
# decides.  The threads run under ThreadSanitizer as well.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/count.sh
: "${BUILD:=$PWD/build/dev}" "${VARIANT:=dev}"
work=$(mktemp -d /var/tmp/pol-libpol.XXXXXX) || exit 1
trap 'rm -rf "$work"' EXIT
example=$PWD/examples/libpol

# NAME STATUS PATTERN COMMAND…: it ends so, and prints that
want() {
	local name=$1 status=$2 pattern=$3 out rc
	shift 3
	out=$("$@" 2>&1)
	rc=$?
	if [ "$rc" -eq "$status" ] && grep -qE "$pattern" <<<"$out"; then
		count_check "$name" ""
	else
		count_check "$name" "status $rc, not $status (or no '$pattern'): $out"
	fi
}

# --- exports
declared=$(grep -oE '\bpol_[a-z_]+\(' <(grep -A2 '^POL_API' runtime/libpol/pol.h) | tr -d '(' | sort -u)
mapped=$(sed -n '/global:/,/local:/p' runtime/libpol/pol.map | grep -oE 'pol_[a-z_]+' | sort -u)
shared=$(nm -D --defined-only "$BUILD/lib/libpol.so.0" | awk '$2 == "T" {sub(/@.*/, "", $3); print $3}' | sort -u)
other=$(nm -D --defined-only "$BUILD/lib/libpol.so.0" | awk '$2 != "T" && $3 !~ /^POL_[0-9.]+$/')
archive=$(nm -g --defined-only "$BUILD/lib/libpol.a" 2>/dev/null |
	awk 'NF == 3 && $3 !~ /^__(odr_|asan|gcov|emutls)|^__sanitizer|^__local_asan/ {print $3}' | sort -u)
count_check "pol.h declares what pol.map exports" "$(diff <(echo "$declared") <(echo "$mapped"))"
count_check "libpol.so exports it" "$(diff <(echo "$mapped") <(echo "$shared"))$other"
[ "$VARIANT" = dev ] || [ "$VARIANT" = rel ] &&
	count_check "libpol.a has no other names" "$(diff <(echo "$mapped") <(echo "$archive"))"
count_check "soname" "$(readelf -d "$BUILD/lib/libpol.so.0" | grep 'SONAME.*\[libpol.so.0\]' >/dev/null || echo none)"

# --- one decision function
deciders='decide_(line|words|file|unix|net|net_name|tool|syscall)'
for b in polc polrun polquery; do
	wrong=$(nm "$BUILD/bin/$b" | awk '$2 ~ /^[tT]$/ {print $3}' | grep -xE "$deciders|pol_ask" | sort | uniq -d)
	for f in decide_line decide_words decide_file decide_tool pol_ask; do
		# where it comes from: in the map the object stands before its symbol
		member=$(awk -v f="$f" '/^ \.text/ {m = $NF} $2 == f && NF == 2 {print m}' "$BUILD/map/$b.map")
		[[ $member == *libpolparts.a\(*.o\) ]] || wrong+=" $f comes from '$member'"
	done
	count_check "$b decides with libpol" "$wrong"
done
users() { # PATTERN FOLDER…: objects that call such a function
	local pattern=$1
	shift
	find "$@" -name '*.o' -exec nm -A -u {} + | grep -E " ($pattern)\$" | sed -E 's/:.*//; s/.*\/obj\///' | sort -u
}
# all folders of the runtime that are no part of libpol
mapfile -t others < <(find runtime -name '*.c' -printf '%h\n' | sort -u |
	grep -vxE 'runtime/(base|shell|bundle|decide|line|libpol)' | sed "s|^|$BUILD/obj/|")
[ "${#others[@]}" -gt 2 ] || count_check "the runtime's other folders" "none in $BUILD/obj"
# the view of a sandbox, the names that are decided one by one, the names of denials, the reasons of
# a failure, the report's own name, a socket, the file of a secret and what is reviewed ask about
# single paths and addresses
count_check "nothing else asks the automata" "$(users "$deciders" "$BUILD/obj/compiler" "${others[@]}" |
	grep -vxE 'runtime/(sandbox/view_bundle|sandbox/view_answer|polrun/stage_rules|supervise/repos|supervise/judge|supervise/trace_net|polrun/report_file|polrun/blame|polrun/outside|polrun/ask_path|polrun/secrets)\.o')"
count_check "polrun, polquery and polc ask libpol" "$(diff <(users 'pol_ask' "$BUILD/obj/compiler" "${others[@]}") \
	<(printf '%s\n' compiler/cli/compiled.o runtime/entry/entry.o runtime/query/query.o))"

# --- threads, allocations, misuse
"$BUILD/bin/polc" compile "$example/policy.pol" -o "$work/p.polb" || exit 1
want "eight threads as one, no allocation" 0 '^[0-9]+ questions, 8 threads$' \
	"$BUILD/tests/libpol/same" "$work/p.polb"
if [ "$VARIANT" = dev ]; then
	tsan=$BUILD/tsan
	if out=$(make -s VARIANT=tsan BUILD="$tsan" -j2 "$tsan/tests/libpol/same" 2>&1); then
		want "ThreadSanitizer" 0 '^[0-9]+ questions, 8 threads$' \
			env TSAN_OPTIONS=halt_on_error=1 "$tsan/tests/libpol/same" "$work/p.polb"
	else
		count_check "ThreadSanitizer" "$out"
	fi
fi

# --- the examples, against an installed copy
prefix=$work/usr
make -s install VARIANT="$VARIANT" BUILD="$BUILD" PREFIX="$prefix" >"$work/log" 2>&1 ||
	count_check install "$(tail -n 5 "$work/log")"
count_check "pol.pc has the prefix of the install, not that of the build" \
	"$(grep -qx "prefix=$prefix" "$prefix/lib/pkgconfig/pol.pc" || echo no)"
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig HOME=$work/home
mkdir -p "$HOME/app"
sanitize=()
[ "$VARIANT" != san ] || sanitize=(-fsanitize="address,undefined")
flags() { pkg-config "$@" --cflags --libs pol; }
# shellcheck disable=SC2046 # words of pkg-config
gcc -Wall -Wextra -Werror "${sanitize[@]}" -o "$work/shared" "$example/decide.c" $(flags) ||
	count_check "the example compiles" no
# shellcheck disable=SC2046
gcc -Wall -Wextra -Werror "${sanitize[@]}" -o "$work/static" "$example/decide.c" \
	$(flags --static | sed 's/-lpol /-l:libpol.a /') || count_check "the static example compiles" no
# shellcheck disable=SC2046
g++ --version >/dev/null 2>&1 && count_check "pol.h is C++, too" \
	"$(echo '#include <pol.h>' | g++ -Wall -Werror -fsyntax-only -x c++ $(pkg-config --cflags pol) - 2>&1)"
count_check "the shared example needs the library" \
	"$(readelf -d "$work/shared" | grep 'NEEDED.*libpol.so.0' >/dev/null || echo no)"
count_check "the static one does not" "$(readelf -d "$work/static" | grep 'libpol')"
cd "$HOME/app" || exit 1
for e in shared static; do
	run=(env LD_LIBRARY_PATH="$prefix/lib" "$work/$e" "$work/p.polb")
	[ $e = shared ] || run=("$work/$e" "$work/p.polb")
	want "C ($e): allowed" 0 '^allow' "${run[@]}" 'npm run test'
	want "C ($e): denied, with the rule" 1 '^deny: use the fetch tool$' "${run[@]}" 'curl http://a.example'
	want "C ($e): where it stands" 1 'by rule publishing at .*policy\.pol:5' "${run[@]}" 'git push'
	want "C ($e): no bundle" 2 'cannot be opened' "${run[@]:0:${#run[@]}-1}" "$work/none" x
done
head -c 5000 "$work/p.polb" >"$work/cut.polb"
want "C: half a bundle" 2 'decide: bundle' "$work/static" "$work/cut.polb" true
preload=
[ "$VARIANT" != san ] || preload=$(gcc -print-file-name=libasan.so):$(gcc -print-file-name=libubsan.so)
python=(env LD_LIBRARY_PATH="$prefix/lib" ${preload:+LD_PRELOAD="$preload" ASAN_OPTIONS=detect_leaks=0}
	python3 "$example/decide.py" "$work/p.polb")
want "Python: allowed" 0 '^allow:' "${python[@]}" 'npm run test'
want "Python: denied" 1 '^deny: use the fetch tool \(rule no-raw-http\)$' "${python[@]}" 'npm run test && curl x'
want "Python: a long answer" 1 '^ask: .*rule command-otherwise' "${python[@]}" "$(printf 'a%.0s;' {1..300})true"
python[-1]=$work/absent.polb
want "Python: no bundle" 1 '^decide.py: .*absent.polb' "${python[@]}" 'npm run test'
count_end
