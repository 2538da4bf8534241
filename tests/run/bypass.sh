#!/usr/bin/env bash
# bypass.sh FILE.tsv: the lines of a corpus with their verdicts, asked of polquery under the
# rule sets of tests/data/rulesets.  Prints each miss; the last line is
# "bypass: security N, usability N, exact N of N".  See tests/conformance/bypass.py.
set -euo pipefail
cd "$(dirname "$0")/../.."
exec env BUILD="${BUILD:-$PWD/build/dev}" python3 tests/conformance/bypass.py "$@"
