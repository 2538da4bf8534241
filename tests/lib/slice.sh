# Which tests of a week are today's; sourced.
# POL_SLICE is the day, 0 to 6.  Where it is not set, nothing is left out: so it is when a
# runner is started by hand.  tests/run/everything.sh sets it from the date.  In Python:
# slices.py.
# shellcheck shell=bash

slice_of_today() { printf '%d' $(($(date -u +%s) / 86400 % 7)); }

# INDEX [PARTS]: is it today's turn?  Each day has one of PARTS (2 to 7) parts, so that all
# of them are run within a week.
in_slice() { [ -z "${POL_SLICE:-}" ] || [ $((($1 + POL_SLICE) % ${2:-7})) -eq 0 ]; }

# INDEX: does it belong to this part of a group that runs in several at a time (POL_SHARD=I/N)?
in_shard() { [ -z "${POL_SHARD:-}" ] || [ $(($1 % ${POL_SHARD#*/})) -eq "${POL_SHARD%/*}" ]; }
