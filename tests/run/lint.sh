#!/usr/bin/env bash
# Lints of the whole tree.  Each check is one line "ok" or "FAIL"; the last
# line is the sum.  With POL_SLICE the slow ones take a quarter of their files.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/count.sh
. tests/lib/slice.sh
: "${BUILD:=$PWD/build/dev}"

check() { # NAME COMMAND…: passes when the command prints nothing and exits 0
	local name=$1 out
	shift
	if out=$("$@" 2>&1) && [ -z "$out" ]; then
		printf 'ok   %s\n' "$name"
		count_pass
	else
		printf 'FAIL %s\n%s\n' "$name" "$out"
		count_fail
	fi
}

of_the_day() {
	local line index=0
	while IFS= read -r line; do
		index=$((index + 1))
		! in_slice "$index" 4 || printf '%s\n' "$line"
	done
}
sources() { git ls-files --cached --others --exclude-standard -- "$@"; }

at_the_top() { # what nobody has agreed on: a note that was committed by mistake
	sources | sed 's,/.*,,' | sort -u | grep -vxE 'compiler|grammar|runtime|stdlib-policies|tests|examples|doc' |
		grep -vxE '\.ci|\.clang-format|\.gitignore|\.pre-commit-hooks\.yaml|LICENSE|Makefile|README\.md|dev'
	return 0
}
layers() { python3 tests/lint/layers.py; }
circles() { python3 tests/lint/circles.py; }
kept_names() { python3 tests/lint/kept_names.py; }
hook_fields() { python3 tests/lint/hook_fields.py; }
layers_refuse() { python3 tests/lint/layers_test.py; }
basenames() {
	# two files of one name are told apart by their folder only: in messages of the
	# linker, in archives and by people they are one
	sources 'runtime/*.c' 'runtime/*.h' | while read -r f; do
		[ ! -e "$f" ] || printf '%s\n' "${f##*/}"
	done | sort | uniq -d | sed 's/$/ is there twice in runtime/'
}
headers_alone() {
	local h
	for h in $(sources 'compiler/*.h' 'runtime/*.h' | of_the_day); do
		gcc -std=gnu11 -D_GNU_SOURCE -I. -I"$BUILD/gen" -fsyntax-only -x c \
			-include "$h" /dev/null 2>&1 || echo "$h does not compile alone"
	done
}
suite() { ! in_slice 0 4 || python3 tests/lint/suite.py; }
passes() { python3 tests/lint/passes.py; }
codes() { python3 tests/lint/codes.py; }
banned() {
	# alloca, unbounded copies, text-to-number without checks, shells; and the
	# compiler prints nothing below cli/ (diag/render and the printers write to
	# the stream that they are given)
	git grep -nE '\b(gets|strcpy|strcat|sprintf|vsprintf|strtok|atoi|atol|alloca|system|popen|mktemp|tmpnam)\(' \
		-- 'compiler/*.c' 'runtime/*.c' 'compiler/*.h' 'runtime/*.h'
	git grep -nE '\b(printf|puts|putchar|perror|exit|abort)\(|fprintf\(std(out|err)' \
		-- 'compiler/*.c' ':!compiler/cli' ':!compiler/base/arena.c' | grep -v '_printf('
	return 0
}
shell() { sources '*.sh' dev .ci/run | of_the_day | xargs shellcheck -x -S warning; }
file_sizes() {
	# over 600 lines needs a reason in the first comment
	local f n
	for f in $(sources 'compiler/*.c' 'runtime/*.c' 'compiler/*.h' 'runtime/*.h'); do
		n=$(wc -l <"$f")
		[ "$n" -le 600 ] || head -n 12 "$f" | grep -qi 'one file because' ||
			echo "$f has $n lines"
	done
}
static_runtime() {
	# of the variant dev or rel: san is dynamic, since gcc refuses -static
	# with ASan
	local b
	for b in polrun polinit; do
		[ -x "$BUILD/bin/$b" ] || { echo "$BUILD/bin/$b is not built"; continue; }
		if ldd "$BUILD/bin/$b" 2>&1 | grep '=>' >/dev/null; then echo "$b is dynamic"; fi
		nm "$BUILD/bin/$b" 2>/dev/null |
			grep -E ' T (dlopen|sqlite3_open|json_object_new_object|getpwnam|getaddrinfo)$'
	done
	return 0
}
no_libnftables() {
	# only polnft and polnft-record are linked with it; polnft-record replaces sendmsg() for it
	local b
	for b in polc polrun polinit polquery; do
		readelf -d "$BUILD/bin/$b" | grep -F nftables
		nm "$BUILD/bin/$b" | grep ' T sendmsg$'
	done
	nm "$BUILD/bin/polnft-record" | grep ' T sendmsg$' >/dev/null ||
		echo "polnft-record replaces no sendmsg()"
	return 0
}
formatted() {
	# policies that people read and copy are in canonical layout
	sources 'stdlib-policies/*.pol' 'examples/*.pol' | xargs "$BUILD/bin/polc" fmt --diff 2>&1
}
first_comment() {
	local f
	for f in $(sources 'compiler/*.c' 'runtime/*.c'); do
		head -n 1 "$f" | grep -q '^/\*' || echo "$f does not say what it decides"
	done
}
# "Go on as if nobody had asked" is no decision: it may stand only where the kernel's own walls
# decide the same call again.  The trace looks at calls, and the broker hands back what is not its own.
continued() {
	git grep -c 'FLAG_CONTINUE' -- 'compiler/*.[ch]' 'runtime/*.[ch]' |
		grep -vxE 'runtime/(supervise/listener|broker/serve)\.c:1'
	return 0
}
unfinished() {
	git grep -nE '\b(TODO|FIXME|XXX|HACK)\b' -- 'compiler' 'runtime' 'grammar' \
		'stdlib-policies' 'examples' Makefile dev
	return 0
}
# On a machine where everything is installed nothing else would notice.
dev_names_missing() {
	local got
	# shellcheck disable=SC2016
	got=$(bash -euo pipefail -c 'eval "$(sed -n "/^missing()/,/^}/p" dev)"
		mapfile -t need < <(missing bash no-such-package-1 no-such-package-2)
		printf "%s " "${need[@]}"' 2>&1)
	[ "$got" = 'no-such-package-1 no-such-package-2 ' ] || printf 'dev names as missing: %s\n' "$got"
}

check at-the-top at_the_top
check hook-fields hook_fields
check kept-names kept_names
check layers layers
check file-circles circles
check layers-refuse layers_refuse
check basenames basenames
check headers-compile-alone headers_alone
check suite-groups suite
check passes passes
check diagnostic-codes codes
check banned-functions banned
check shellcheck shell
check dev-names-missing dev_names_missing
check file-sizes file_sizes
check static-runtime static_runtime
check no-libnftables no_libnftables
check first-comment first_comment
check unfinished unfinished
check continued-calls continued
check policies-formatted formatted
count_end
