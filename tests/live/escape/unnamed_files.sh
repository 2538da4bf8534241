#!/usr/bin/env bash
# Tries: to write a name that is denied by a file that has none yet (O_TMPFILE,
# linkat): made in a free directory, linked to the denied name.
# Stops it: the denied name and its directory are mounts of their own, which
# linkat(2) does not cross, and read-only.
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/escape.sh
. "$(dirname "$0")/../../lib/escape.sh"
mkdir -p "$P/kept" "$P/free" "$P/.git/hooks"
echo kept >"$P/alone"
echo kept >"$P/.git/config"
bare_policy 'file { deny write "${PROJECT_DIR}/kept", "${PROJECT_DIR}/alone", "${PROJECT_DIR}/keep*" }'

policy "$ADD" q

t "the control: to a free name it works, in the same directory and in another one"
run_with q "$X" link-unnamed free free/new
worked
run_with q "$X" link-unnamed . free/second
worked
run_with q "$X" link-unnamed free kept/new
worked
rm -f "$P/kept/new"

t "to a name in a denied directory"
run_with q "$X" link-unnamed free .git/hooks/post-checkout
stopped 'EXDEV|EROFS'
run "$X" link-unnamed . kept/new
stopped 'EXDEV|EROFS'
run "$X" link-unnamed kept kept/new
stopped 'EROFS'
no_file "$P/kept/new"
no_file "$P/.git/hooks/post-checkout"

t "to a denied name that exists"
rm -f "$P/free/new"
run_with q sh -c "'$X' link-unnamed .git .git/config || rm .git/config"
[ "$rc" -ne 0 ] || bad 'it worked'
want_text kept "$P/.git/config"

t "to a name that a wildcard denies: its directory is read-only"
run "$X" link-unnamed free keep-this
stopped 'EXDEV|EROFS'
no_file "$P/keep-this"

done_
