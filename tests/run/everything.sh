#!/usr/bin/env bash
# The suite: the groups of tests/run/groups in the variants dev and san, one more at a time than
# there are processors.
#   everything.sh                 a day's run, which is what CI runs: of what is cut into the days
#                                 of four weeks only the day's
#   everything.sh --all           all of it
#   everything.sh --conformance   the long comparisons, of which a day has its slice
#   everything.sh --list …        what would be run, without running it
#   everything.sh NAME…           groups, live tests, unit tests, goldens, corpora, documents; all of each
# POL_SLICE=0 to 27: another day's.  VARIANT=dev, rel or san: that one alone (NAME: dev).
# POL_TEST_JOBS=N: so many at a time.  At the end stand the times of the groups, the failures once
# more, and the sum on the last line.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/count.sh
. tests/lib/slice.sh
. tests/lib/names.sh
. tests/lib/tasks.sh
only=${VARIANT:-}
# a caller's would build in one place and test in another
unset BUILD VARIANT POL_SHARD

mode=day list='' names=() build_targets=(all unit-tests probes) build_less=''
for word in "$@"; do
	case $word in
	--list) list=yes ;;
	--all | --conformance) mode=${word#--} ;;
	-*) echo "usage: everything.sh [--list] [--all | --conformance | NAME…]" >&2; exit 2 ;;
	*) mode=names; names+=("$word") ;;
	esac
done
case $mode in
# linking every test with the sanitizers takes longer than running the day's
day) : "${POL_SLICE:=$(slice_of_today)}"; build_less=yes ;;
all | names) unset POL_SLICE ;;
esac
if ! [[ ${POL_SLICE:-0} =~ ^(1?[0-9]|2[0-7])$ ]]; then
	echo "everything.sh: POL_SLICE is a day, 0 to 27" >&2
	exit 2
fi
slice=${POL_SLICE:-}
unset POL_SLICE
export POL_DAY=$slice # what draws of SEED draws others each day

# VARIANT GROUP WHEN COMMAND…: where it is its turn
plan_group() {
	local variant=$1 group=$2 when=$3 shards=1 every=1 first=0 i sliced=''
	shift 3
	[[ $when != */* ]] || shards=${when#*/}
	when=${when%/*}
	[[ $when != *@* ]] || every=${when#*@}
	first=${every#*+} every=${every%+*}
	[ "$every" -gt 1 ] || first=0
	case ${when%@*} in
	-) return ;;
	day) [ "$mode" != conformance ] || return ;;
	cut) [ "$mode" != conformance ] || return; sliced=yes ;;
	long) sliced=yes ;;
	conf) [ "$mode" = conformance ] || return; sliced=yes ;;
	esac
	if [ -n "$slice" ] && [ "$mode" = day ]; then
		[ $((slice % every)) -eq "$first" ] || return 0
		# its turns are counted, so that all parts come
		sliced=${sliced:+$((slice / every))}
	else
		sliced=${sliced:+$slice}
	fi
	if [ "$shards" -eq 1 ]; then
		task_add "$variant" "$group" "$sliced" '' "$@"
		return
	fi
	for ((i = 0; i < shards; i++)); do
		task_add "$variant" "$group" "$sliced" "$i/$shards" "$@"
	done
}
plan() {
	local group dev san command words
	while read -r group dev san command; do
		[[ $group != '#'* && -n $group ]] || continue
		read -ra words <<<"$command"
		[ "$only" = san ] || plan_group "${only:-dev}" "$group" "$dev" "${words[@]}"
		[ "${only:-san}" != san ] || [ "$mode" = conformance ] ||
			plan_group san "$group" "$san" "${words[@]}"
	done <tests/run/groups
}

if [ "$mode" = names ]; then
	names_find "${names[@]}" || exit 2
	while IFS=$'\t' read -r group command; do
		read -ra words <<<"$command"
		task_add "${only:-dev}" "$group" '' '' "${words[@]}"
	done <<<"$names_found"
else
	plan
fi
if [ -n "$list" ]; then
	tasks_list
	exit
fi

if [ -n "$slice" ]; then
	slice_says="slice $slice of 0 to 27, $(date -u +%F): POL_SLICE=$slice ./dev test${only:+ with VARIANT=$only}"
	printf '== %s\n' "$slice_says"
fi
before=$(git status --porcelain 2>/dev/null | sort)
tasks_run
if [ "$mode" != names ]; then
	if [ "${POL_TEST_REQUIRE:-}" = all ] && [ "$count_skipped" -ne 0 ]; then
		task_fail "$count_skipped tests were skipped, and all are required"
	fi
	after=$(git status --porcelain 2>/dev/null | sort)
	if [ "$before" = "$after" ]; then
		count_pass
	else
		task_fail "the tests left files in the tree: $(diff <(echo "$before") <(echo "$after"))"
	fi
	tasks_times
fi
[ "$count_failed" -eq 0 ] || tasks_failed
[ -z "$slice" ] || printf '== %s\n' "$slice_says"
count_end
