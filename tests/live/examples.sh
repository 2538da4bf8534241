#!/usr/bin/env bash
# long: every fourth day, as root and as a user in turn
# shellcheck shell=bash disable=SC2154
# The shipped examples do what their READMEs say, on their own sample projects.
# shellcheck disable=SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
examples=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../examples" && pwd)

# NAME: its bundle and a fresh copy of its sample as a repository below HOME.
example() {
	local name=$1 msg word opts=()
	while read -r word; do
		opts+=("${word//@/$examples/$name}")
	done < <(cat "$examples/$name/options" 2>/dev/null || echo "@/policy.pol")
	if ! msg=$("$BIN/polc" compile "${opts[@]}" -o "$WORK/$name.polb" 2>&1); then
		bad "polc compile: $msg"
	fi
	chmod 0600 "$WORK/$name.polb"
	S=$HOME/$name
	cp -r "$examples/$name/sample" "$S"
	chmod -R u+w "$S"
	cd "$S" || exit 1
	git init -q -b main . && git add . &&
		git -c user.name=t -c user.email=t@t commit -qm start
	current=$name
}
in_it() { run_with "$current" "$@"; }

t "node project: work goes on"
example node-project
if command -v npm >/dev/null; then
	in_it npm test
	want_rc 0
	want_out '2 tests passed'
	in_it npm run build
	want_rc 0
	want_text 6 "$S/dist/sum.txt"
else
	in_it git status --short
	want_rc 0
fi

t "node project: what leaves the machine does not"
in_it npm publish
want_rc 126
want_line 'denied by rule no-publishing at .*policy\.pol:[0-9]+: releases are made by CI'
in_it git push origin main
want_rc 126
want_line 'asks first .*rule pushing at .*policy\.pol:[0-9]+'
in_it -y -c 'echo x >>package-lock.json'
want_rc 126
want_line 'denied by rule locked-dependencies at .*policy\.pol:[0-9]+'
echo 'echo x >>package-lock.json' >try.sh
in_it -y --explain-denials sh try.sh
want_err '^polrun: blocked: write .*/package-lock\.json: rule locked-dependencies at .*policy\.pol:[0-9]+'
[ "$rc" -ne 0 ] || bad "it was written"
in_it -y sh -c 'echo x >>package.json'
want_rc 0
git diff --quiet -- package-lock.json || bad "package-lock.json changed"
! git diff --quiet -- package.json || bad "package.json did not change"

t "read-only review: reading works, changing does not"
example read-only-review
in_it grep -rn strcpy src
want_rc 0
want_out '^src/main\.c:6:'
in_it git log --oneline
want_rc 0
want_out 'start'
in_it git commit -m x
want_rc 126
want_line 'denied by rule no-changes at .*policy\.pol:[0-9]+'
in_it sed -i s/strcpy/memcpy/ src/main.c
want_rc 126

t "read-only review: the walls hold whatever the command list says"
# Its tests of the default are left out: they would rightly fail now.
sed -e 's/^    otherwise deny$/    otherwise allow/' -e '/^test /,$d' \
	"$examples/read-only-review/policy.pol" >"$WORK/loose.pol"
raw_policy "$(cat "$WORK/loose.pol")" loose
run_with loose sed -i s/strcpy/memcpy/ src/main.c
want_rc 126
want_line 'denied by rule untouched at .*what it writes'
echo 'open("src/main.c", "a").write("x")' >edit.py
run_with loose --explain-denials python3 edit.py
[ "$rc" -ne 0 ] && [ "$rc" -ne 126 ] || bad "python3 worked, or did not run: $rc"
want_err '^polrun: blocked: write .*rule untouched at '
rm -f edit.py
run_with loose sed s/strcpy/memcpy/ src/main.c
want_rc 0
git diff --quiet || bad "the project changed"

t "CI floor: the job's work, and the floor"
example ci-floor
in_it make
want_rc 0
want_out 'built and run inside the sandbox'
want_file "$S/build/main"
in_it git push
want_rc 126
want_line 'denied by rule no-pushing at .*managed\.pol:[0-9]+'
in_it curl https://example.com
want_rc 126
want_line 'denied by rule no-fetching at .*managed\.pol:[0-9]+'
printf 'all:\n\techo x >>.github/workflows/ci.yml\n' >evil.mk
in_it --explain-denials make -f evil.mk
[ "$rc" -ne 0 ] || bad "the workflow was written"
want_err '^polrun: blocked: write .*/ci\.yml: rule workflows-are-reviewed at .*managed\.pol:[0-9]+'
printf 'all:\n\techo x >>vendor/greet.h\n' >evil.mk
in_it make -f evil.mk
[ "$rc" -ne 0 ] || bad "vendored code was written"
printf 'all:\n\techo x >>src/main.c\n' >good.mk
in_it make -f good.mk
want_rc 0
git diff --quiet -- .github vendor || bad "what the floor protects has changed"

done_
