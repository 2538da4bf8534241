#!/usr/bin/env bash
# Shell text as it is read here against what bash and dash run: RUNS= lines of
# each dialect (300), SEED=; arguments go to tests/conformance/shell.py.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
: "${BUILD:=$PWD/build/dev}"
export BUILD
exec python3 tests/conformance/shell.py "$@"
