#!/usr/bin/env bash
# What `polc diff` says about 30 changes of each of the rule sets R1 to R9, as goldens.
#   tests/run/rulesets.sh [--ask] [NAME…]     (UPDATE=1 rewrites; POL_SLICE: the day's)
# See tests/conformance/rulesets.py.
set -euo pipefail
cd "$(dirname "$0")/../.."
exec env BUILD="${BUILD:-$PWD/build/dev}" python3 tests/conformance/rulesets.py ${UPDATE:+--update} "$@"
