#!/usr/bin/env bash
# long: every fourth day, as root and as a user in turn
# A tree that the rules let be written, and that a run makes read-only because a name that
# is protected in it is absent: the run says so before its command, and so do --plan, the
# report and explain.
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"

SAID='^polrun: .* read-only because '
silent() { [ -z "$err" ] || bad "something is on stderr"; }
# PATH: the layer "mounts" of explain's answer about writing there, in out.
explain() {
	out=$(cd "$P" && HOME=$HOME "$BIN/polc" explain --format json "$WORK/w.pol" file write "$1" |
		python3 -c 'import json, sys
d = json.load(sys.stdin)
print(d["effect"], *["%s: %s" % (l["exactness"], l["note"]) for l in d["layers"] if l["layer"] == "mounts"])')
}

t "a protected name that is absent: said before the command, once, and only there"
mkdir -p src docs
policy 'file { deny write "${PROJECT_DIR}/.env" as no-env }' w
run_with w sh -c 'echo first >&2; echo x > src/new; echo y > top'
no_file src/new
no_file top
want_line "the project is read-only because \.env is absent: rule no-env at w\.pol:[0-9]+; create it, or .*allow write \"\\$\{PROJECT_DIR\}/FOLDER\""
[ "$(grep -n first <<<"$err" | head -n 1 | cut -d: -f1)" -gt "$(grep -nE "$SAID" <<<"$err" | cut -d: -f1)" ] ||
	bad "it was said after the command had begun"
run_with w -q true
want_rc 0
silent
run_with w --plan true
want_out "read .*$P .*read-only because of rule no-env at w\.pol:[0-9]+: \.env is absent"
explain src/new
want_out '^allow over: .*/\.env is absent \(rule no-env at .*w\.pol:[0-9]+\)'
explain .env
want_out '^deny exact'

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
silent
run_with w sh -c 'echo bad > .env'
[ "$rc" -ne 0 ] || bad "written"
want_text old .env
no_err "$SAID"
explain src/new
want_out '^allow exact'
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
explain docs/new
want_out '^allow over: .*docs/key is absent'
explain src/new
want_out '^allow exact'
rm -f src/new

t "what the line advises works: a folder by its name"
policy 'file { deny write "${PROJECT_DIR}/.env" as no-env  allow write "${PROJECT_DIR}/src" }' w
run_with w sh -c 'echo x > src/new && ! echo y > top && ! echo bad > .env'
want_rc 0
want_text x src/new
no_file top
no_file .env
explain src/new
want_out '^allow exact'
explain top
want_out '^allow over'
rm -f src/new

t "a link that the run could replace"
mkdir -p kept && echo old >kept/real && ln -s kept/real link
policy 'file { deny write "${PROJECT_DIR}/link" as no-link }' w
run_with w sh -c 'echo bad > kept/real; ln -sf /tmp/x link'
want_text old kept/real
[ "$(readlink link)" = kept/real ] || bad "the link was replaced"
want_line 'the project is read-only because link is a link that the run could replace: rule no-link at w\.pol'
rm -rf kept link

t "a pattern is the bundle's fact: check has said it, and the run says nothing"
policy 'file { deny write "${PROJECT_DIR}/src/*.gen" as no-gen }' w
run_with w true
want_rc 0
silent
run_with w --plan true
want_out "read +$P/src .*read-only because of rule no-gen at w\.pol:[0-9]+\$"
explain src/x
want_out '^allow over: .*a pattern denies names below .*/src \(rule no-gen'
explain docs/x
want_out '^allow exact'

t "in trees of the run's own the name is made: nothing is said"
policy 'file { scratch "${HOME}"  deny write "${HOME}/.rc", "${TMPDIR}/no" }' w
run_with w sh -c 'echo x > ~/free && cat ~/free'
want_rc 0
want_out '^x$'
silent

t "more than three trees: the others are counted"
mkdir -p d1 d2 d3 d4 d5
policy 'file { deny write "${PROJECT_DIR}/{d1,d2,d3,d4,d5}/absent" as five }' w
run_with w true
want_rc 0
[ "$(grep -cE "$SAID" <<<"$err")" -eq 3 ] || bad "not three lines"
want_line '2 more trees are read-only for such reasons: see --plan'

t "no policy of the library does it to an empty project"
for x in "$(dirname "$BIN")"/share/pol/stdlib-policies/profile/*.pol; do
	x=$(basename "$x" .pol)
	[ "$x" != tools ] || continue # what the others share
	printf 'policy x { level user }\nuse std/profile/%s\n' "$x" >"$WORK/x.pol"
	raw_policy "$(<"$WORK/x.pol")" x
	run_with x -y true
	want_rc 0
	no_err "$SAID"
done

done_
