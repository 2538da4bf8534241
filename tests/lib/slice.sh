# Which tests of four weeks are today's; sourced.
# POL_SLICE is the day, 0 to 27; for a group that runs every few days only (tests/run/groups)
# its turn.  Where it is not set, nothing is left out: so it is when a runner is started by
# hand.  tests/run/everything.sh sets it from the date.  In Python: slices.py.
# shellcheck shell=bash

slice_of_today() { printf '%d' $(($(date -u +%s) / 86400 % 28)); }

# INDEX [PARTS]: is it today's turn?  Each turn has one of PARTS parts (7), so that PARTS
# turns have them all.
in_slice() { [ -z "${POL_SLICE:-}" ] || [ $((($1 + POL_SLICE) % ${2:-7})) -eq 0 ]; }

# INDEX: does it belong to this part of a group that runs in several at a time (POL_SHARD=I/N)?
in_shard() { [ -z "${POL_SHARD:-}" ] || [ $(($1 % ${POL_SHARD#*/})) -eq "${POL_SHARD%/*}" ]; }
