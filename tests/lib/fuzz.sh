# Where the seeds of a fuzz target lie; sourced.
# shellcheck shell=bash

# POLC OUT: seeds that are made of a bundle.
fuzz_make_seeds() { python3 tests/fuzz/seeds.py "$1" "$2"; }

# TARGET MADE: its files, one a line.
fuzz_seeds() {
	[ ! -d "tests/fuzz/corpus/$1" ] || find "tests/fuzz/corpus/$1" -type f | LC_ALL=C sort
	[ ! -d "$2/$1" ] || find "$2/$1" -type f | LC_ALL=C sort
	case $1 in
	dsl | policy) find tests/golden examples stdlib-policies -type f -name '*.pol' -size -12k ;;
	yaml) find tests/golden examples \( -name '*.yml' -o -name '*.yaml' \) -type f -size -12k ;;
	esac | LC_ALL=C sort
}
