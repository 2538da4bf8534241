#!/usr/bin/env bash
# polinject between a program that speaks plain HTTP and real TLS servers
# (tests/conformance/inject.py).
#   BUILD=FOLDER tests/run/inject.sh [WORD]
# Last line: N passed, N failed, N skipped.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
: "${BUILD:=$PWD/build/dev}"
command -v openssl >/dev/null || { echo "skip inject: no openssl"; echo "0 passed, 0 failed, 1 skipped"; exit 0; }
exec python3 tests/conformance/inject.py "$BUILD" "${1:-}"
