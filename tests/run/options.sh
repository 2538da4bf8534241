#!/usr/bin/env bash
# The option tables of the standard library against the programs' own help.
#   tests/run/options.sh [PROGRAM…]      without PROGRAM all; with POL_SLICE those of the day
#   tests/run/options.sh --mutate   each option of the tables, changed, must be missed
set -uo pipefail
exec python3 "$(dirname "$(readlink -f "$0")")/options.py" "$@"
