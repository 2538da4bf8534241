#!/usr/bin/env bash
# What the documents show is what the programs do: each policy in them passes
# `polc check`, each console block is run and printed the same, and each JSON
# format keeps the schema that doc/schema/ describes.
#   tests/run/docs.sh [FILE…]      without FILE all; with POL_SLICE those of the day
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
: "${BUILD:=$PWD/build/dev}"
export BUILD
# the python that Debian's python3-jsonschema is for, where another comes first
python=python3
python3 -c 'import jsonschema' 2>/dev/null || python=/usr/bin/python3
exec "$python" tests/doc/docs.py "$@"
