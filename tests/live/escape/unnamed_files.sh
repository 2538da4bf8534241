#!/usr/bin/env bash
# Tries: to write a name that is denied by a file that has none yet (O_TMPFILE,
# linkat): made in a free directory, linked to the denied name.
# Stops it: the broker asks the rules about the name that the file is to get, and
# about a directory in which one is made without a name.
# places:
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
stopped EACCES
want_line 'blocked: write .*/\.git/hooks/post-checkout: rule .* at std/floor\.pol'
run "$X" link-unnamed . kept/new
stopped EACCES
want_line 'blocked: write .*/kept/new: rule .* deny write'
run "$X" link-unnamed kept kept/new
stopped EACCES
want_line 'blocked: write .*/kept: rule .* deny write'
run "$X" link-unnamed kept free/third
stopped EACCES
no_file "$P/free/third"
no_file "$P/kept/new"
no_file "$P/.git/hooks/post-checkout"

t "to a denied name that exists"
rm -f "$P/free/new"
run_with q sh -c "'$X' link-unnamed .git .git/config || rm .git/config"
[ "$rc" -ne 0 ] || bad 'it worked'
want_text kept "$P/.git/config"

t "to a name that a wildcard denies, and beside it to one that it does not"
run "$X" link-unnamed free keep-this
stopped EACCES
want_line 'blocked: write .*/keep-this: rule .* deny write'
no_file "$P/keep-this"
run "$X" link-unnamed free kee
worked
want_file "$P/kee"

done_
