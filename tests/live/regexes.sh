#!/usr/bin/env bash
# Commands decided by regular expressions that are no automata: PCRE2 searches,
# linked into polrun.
# shellcheck disable=SC2016
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
rules='command { opaque deny
    allow /^(echo|printf)(?! .*-x)( [\w!.-]+)*$/ as plain
    allow "cat:*"
    deny /\b(\w+) \1\b/ as twice
    deny /(a*)*\1!b/ as steps }'
raw_policy "${HEAD/otherwise allow/otherwise deny}$rules"

t "a back-reference denies"
run echo one two
want_rc 0
want_out '^one two$'
run echo one one
want_rc 126
want_line 'denied by rule twice at p\.pol'
run /bin/echo one one
want_rc 126
run cat "$P/one one"
want_rc 126

t "a line's part is searched as the command that it runs"
run -c 'echo one two && printf three'
want_rc 0
want_out 'three'
run -c 'echo one two && printf "one"\ one'
want_rc 126
want_line 'denied by rule twice'

t "look-ahead keeps an allow from what it does not mean"
run echo -n one
want_rc 0
run echo -n -x
want_rc 126
want_line 'command-otherwise'

t "an allow takes one word for one, and no dynamic one"
run echo 'one two'
want_rc 126
run -c 'V=$(cat x); echo "$V"'
want_rc 126
run -c 'V=one; echo "$V"'
want_rc 0
run -c 'echo one'
want_rc 0

t "past its steps a search may match a deny, and no more"
run echo aaaaaaaaaaaaaa
want_rc 0
run echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
want_rc 126
want_line 'command-opaque'

done_
