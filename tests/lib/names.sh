# What can be named to `./dev test`; sourced by tests/run/everything.sh.
# shellcheck shell=bash disable=SC2034

# A line each: NAME, group, the runner's command.  A name that two groups have stands for both;
# GROUP/NAME is one.
names_all() {
	local group dev san command f name
	while read -r group dev san command; do
		[[ $group == '#'* || -z $group ]] || printf '%s\t%s\t%s\n' "$group" "$group" "$command"
	done <tests/run/groups
	for f in tests/unit/test_*.c tests/prop/prop_*.c tests/conformance/conf_*.c; do
		name=${f##*/} name=${name%.c}
		printf '%s\tunit\tunit.sh %s\n' "$name" "$name"
	done
	for f in tests/live/*.sh tests/live/*/*.sh; do
		name=${f#tests/live/}
		printf '%s\tlive\tlive.sh %s\n' "${name%.sh}" "${name%.sh}"
	done
	printf 'escape\tlive\tlive.sh escape\n'
	for f in tests/golden/*/; do
		name=${f%/} name=${name##*/}
		printf '%s\tgolden\tgolden.sh %s\n' "$name" "$name"
	done
	for f in tests/golden/*/*.{pol,yml,make}; do
		name=${f#tests/golden/}
		printf '%s\tgolden\tgolden.sh %s\n' "${name%.*}" "${name%.*}"
	done
	for f in tests/fuzz/fuzz_*.c; do
		name=${f##*/} name=${name%.c}
		printf '%s\tfuzz\tfuzz-replay.sh %s\n' "$name" "${name#fuzz_}"
	done
	for f in README.md doc/*.md examples/*/README.md; do
		printf '%s\tdocs\tdocs.sh %s\n' "$f" "$f"
	done
}

# NAME: the program of a unit test, as make builds it.
names_program() {
	case $1 in
	prop_*) printf 'BUILD/tests/prop/%s' "$1" ;;
	conf_*) printf 'BUILD/tests/conformance/%s' "$1" ;;
	*) printf 'BUILD/tests/unit/%s' "$1" ;;
	esac
}

# NAME…: sets names_found, lines "GROUP<tab>COMMAND", and build_targets; false, and near names are
# said, where one is unknown.
names_find() {
	local all word found status=0
	all=$(names_all)
	names_found='' build_targets=(all)
	for word; do
		word=${word#tests/*/} word=${word%.[ch]} word=${word%.sh}
		found=$(awk -F'\t' -v w="$word" '$1 == w || $2 "/" $1 == w { print $2 "\t" $3 }' <<<"$all" | sort -u)
		if [ -n "$found" ]; then
			names_found+=${names_found:+$'\n'}$found
			continue
		fi
		status=1
		printf "everything.sh: no test '%s'; near: %s\n" "$word" "$(cut -f1 <<<"$all" |
			python3 -c 'import difflib, sys
names = sys.stdin.read().split("\n")[:-1]
word = sys.argv[1].split("/")[-1]
near = [n for n in names if word in n] + difflib.get_close_matches(word, names, 8, 0.5)
print(", ".join(list(dict.fromkeys(near))[:8]) or "none (everything.sh --list)")' "$word")" >&2
	done
	# what these need; one program of a unit test alone is linked, not all
	while IFS=$'\t' read -r _ found; do
		case $found in
		unit.sh\ test_* | unit.sh\ prop_* | unit.sh\ conf_*) build_targets+=("$(names_program "${found#* }")") ;;
		golden.sh*) ;;
		fuzz-replay.sh\ *) build_targets+=("BUILD/tests/fuzz/${found#* }") ;;
		*) build_targets=(all unit-tests probes) && break ;;
		esac
	done <<<"$names_found"
	return "$status"
}
