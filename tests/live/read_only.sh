#!/usr/bin/env bash
# long: every fourth day, as root and as a user in turn
# Without a seccomp listener nobody decides names one by one: a tree that the rules let be
# written is then read-only where a name that is protected in it is absent.  The run says so
# before its command, and so does the report.
# places:
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"

SAID='^polrun: .* read-only because '
with_listener() { "$BIN/polrun" -b "$WORK/w.polb" "$@" >"$WORK/.out" 2>"$WORK/.err" </dev/null; }
[ -x "$PROBES/outer" ] || { skip outer "not built"; done_; exit; }
real=$BIN
mkdir "$WORK/bin"
ln -s "$real"/* "$WORK/bin/"
rm "$WORK/bin/polrun"
printf '#!/bin/sh\nexec "%s" listener "%s" "$@"\n' "$PROBES/outer" "$real/polrun" >"$WORK/bin/polrun"
chmod 755 "$WORK/bin/polrun"

t "with a listener only the name itself is denied, and nothing is said"
mkdir -p src docs
policy 'file { deny write "${PROJECT_DIR}/.env" as no-env }' w
with_listener sh -c 'echo x > src/new; echo y > top; echo bad > .env'
want_text x src/new
want_text y top
no_file .env
err=$(<"$WORK/.err")
no_err "$SAID"
rm -f src/new top
BIN=$WORK/bin

t "a protected name that is absent: said before the command, once, and only there"
policy 'file { deny write "${PROJECT_DIR}/.env" as no-env }' w
run_with w sh -c 'echo first >&2; echo x > src/new; echo y > top'
no_file src/new
no_file top
want_line "the project is read-only because \.env is absent: rule no-env at w\.pol:[0-9]+; create it, or .*allow write \"\\$\{PROJECT_DIR\}/FOLDER\""
[ "$(grep -n first <<<"$err" | head -n 1 | cut -d: -f1)" -gt "$(grep -nE "$SAID" <<<"$err" | cut -d: -f1)" ] ||
	bad "it was said after the command had begun"

t "the report has the tree, the name and the rule"
run_with w --report "$WORK/r.json" true
python3 - "$WORK/r.json" "$P" <<'EOS' || bad "$(cat "$WORK/r.json")"
import json, sys
l, p = json.load(open(sys.argv[1]))["read_only"], sys.argv[2]
assert [(x["path"], x["because_of"], x["rule"]["id"]) for x in l] == [(p, p + "/.env", "no-env")], l
EOS

t "the control: the name is there, and nothing is said"
echo old >.env
run_with w sh -c 'echo x > src/new'
want_rc 0
want_text x src/new
run_with w sh -c 'echo bad > .env'
[ "$rc" -ne 0 ] || bad "written"
want_text old .env
no_err "$SAID"
run_with w --report "$WORK/r.json" true
grep -q '"read_only": *\[\]' "$WORK/r.json" || bad "$(cat "$WORK/r.json")"
rm -f src/new

t "a hidden name does the same, and a name in a folder closes only that folder"
rm -f .env
policy 'file { hide "${PROJECT_DIR}/docs/key" as no-key }' w
run_with w sh -c 'echo x > docs/new; echo x > src/new'
no_file docs/new
want_text x src/new
want_line 'docs is read-only because docs/key is absent: rule no-key at .*allow write "docs/FOLDER"'
no_err 'the project is'
rm -f src/new

t "what the line advises works: a folder by its name"
policy 'file { deny write "${PROJECT_DIR}/.env" as no-env  allow write "${PROJECT_DIR}/src" }' w
run_with w sh -c 'echo x > src/new && ! echo y > top && ! echo bad > .env'
want_rc 0
want_text x src/new
no_file top
no_file .env
rm -f src/new

t "a link that the run could replace"
mkdir -p kept && echo old >kept/real && ln -s kept/real link
policy 'file { deny write "${PROJECT_DIR}/link" as no-link }' w
run_with w sh -c 'echo bad > kept/real; ln -sf /tmp/x link'
want_text old kept/real
[ "$(readlink link)" = kept/real ] || bad "the link was replaced"
want_line 'the project is read-only because link is a link that the run could replace: rule no-link at w\.pol'
rm -rf kept link

t "more than three trees: the others are counted"
mkdir -p d1 d2 d3 d4 d5
policy 'file { deny write "${PROJECT_DIR}/{d1,d2,d3,d4,d5}/absent" as five }' w
run_with w true
want_rc 0
[ "$(grep -cE "$SAID" <<<"$err")" -eq 3 ] || bad "not three lines"
want_line '2 more trees are read-only for such reasons: see --plan'

done_
