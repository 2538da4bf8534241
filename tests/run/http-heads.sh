#!/usr/bin/env bash
# Odd HTTP requests, read by the gateway and by real servers: none may take one for another
# host (tests/conformance/http_heads.py).  SEED= RUNS= of the random ones.
# Last line: N passed, N failed, N skipped.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
: "${BUILD:=$PWD/build/dev}"
exec python3 tests/conformance/http_heads.py "$BUILD/tests/conformance/http_reader" "${SEED:-}"
