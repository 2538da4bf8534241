#!/usr/bin/env bash
# What `polc prove` answers to a reviewer's questions about the examples and the library's
# profiles, against tests/data/proofs.tsv.  See tests/conformance/proofs.py.
set -euo pipefail
cd "$(dirname "$0")/../.."
exec env BUILD="${BUILD:-$PWD/build/dev}" python3 tests/conformance/proofs.py "$@"
