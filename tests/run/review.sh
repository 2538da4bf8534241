#!/usr/bin/env bash
# What a reviewer reads: the page of `polc diff`, policies of a git revision, and the
# scripts of examples/ci.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/count.sh
: "${BUILD:=$PWD/build/dev}"
export BUILD
top=$PWD polc=$BUILD/bin/polc
work=$(mktemp -d /var/tmp/pol-review.XXXXXX)
trap 'rm -rf "$work"' EXIT
export HOME=$work XDG_STATE_HOME=$work/state LC_ALL=C.UTF-8
unset XDG_CONFIG_HOME NO_COLOR

# --- the page ----------------------------------------------------------------

page() { # OLD NEW [TEXT...]
	python3 "$top/tests/lib/diff_page.py" "$polc" "$@" 2>&1
}

for new in tests/golden/cli/diff*.new.pol; do
	count_check "page: $(basename "$new" .new.pol)" "$(page "${new%.new.pol}.pol" "$new")"
done

# Texts that would be elements, entities, ends of something or other directions.
hostile=('<script>alert(1)</script>' '</code></td></table><img src=x onerror=alert(2)>'
	'x" onmouseover="alert(3)' "x' onmouseover='alert(4)" '&lt;b&gt;' '&#x3c;i' ']]>'
	'<!--' '-->' '</style><style>@import "http:a.example"' '<?php ?>' '${x}'
	$'\u202egnol.exe' $'\u0130<' 'javascript:alert(5)')

quoted() { # as a word of a policy
	local s=${1//\\/\\\\}
	s=${s//\"/\\\"}
	s=${s//$'\u202e'/\\u{202e\}} # written as it is, it is warned about
	printf '"%s"' "${s//\$/\\\$}"
}

pattern() { # the same, where it stands for itself in a pattern
	quoted "$(sed 's/[][ {}|*?,\\]/\\&/g' <<<"$1")"
}

hostile_policy() { # EFFECT PATHS
	local t n=0
	echo 'policy p { level user }'
	for t in "${hostile[@]}"; do
		n=$((n + 1))
		printf 'command { %s "probe%d" because %s }\n' "$1" "$n" "$(quoted "$t")"
		printf 'file { %s read %s }\n' "$1" "$(pattern "/srv/$2/${t//\/\///}/x")"
		printf 'tools { %s %s }\n' "$1" "$(pattern "$t")"
	done
	printf 'env { set A = %s }\n' "$(quoted "$1 ${hostile[0]}")"
}
odd=$work/'<b onclick=x>&amp;"'\''.pol'
hostile_policy ask a >"$odd"
hostile_policy allow b >"$work/new.pol"
count_check 'page: hostile texts are texts' \
	"$(page "$odd" "$work/new.pol" "${hostile[@]}" "$odd")"
# the control: without put_text() they would be elements, and this test sees that
sed 's/&lt;/</g' <<<"$("$polc" diff --format html "$odd" "$work/new.pol")" >"$work/raw.html"
cat >"$work/raw" <<'END'
#!/bin/sh
case "$*" in
*html*) cat "${0%/*}/raw.html"; exit 1 ;;
*) exec "$BUILD/bin/polc" "$@" ;;
esac
END
chmod +x "$work/raw"
if python3 tests/lib/diff_page.py "$work/raw" "$odd" "$work/new.pol" >"$work/said" 2>&1 &&
	[ ! -s "$work/said" ]; then
	count_check 'page: the test sees an element that is none of ours' 'nothing was said'
else
	count_check 'page: the test sees an element that is none of ours' ''
fi

# The same as Markdown: no text is a mention, a reference, an address or markup.
hostile+=('@admin' 'o/r#12' '#12' 'GH-12' '!7' '$3' '~bug' 'www.a.example' 'https://a.example/x' 'm@a.example' '`a`' '``'
	'`' ' x ' 'a|b' 'a\|b' '\' '**b**' '[l](http://a.example)' '![i](http://a.example)' ':tada:')
markdown() { python3 "$top/tests/lib/markdown_cells.py" "$@" 2>&1; }
hostile_policy ask a >"$odd"
hostile_policy allow b >"$work/new.pol"
"$polc" diff --format markdown "$odd" "$work/new.pol" >"$work/said.md"
count_check 'markdown: hostile texts are texts' "$(markdown 'tool @admin' 'tool '\''#12'\''' 'tool '\''a|b'\''' \
	'tool '\''a\|b'\''' 'tool '\''`a`'\''' 'tool m@a.example' "allow read \"/srv/b/@admin/x\"" <"$work/said.md")"
count_check 'markdown: of the goldens' "$(for f in tests/golden/cli/*.diffmd; do sed '/^exit [0-9]$/d' "$f" | markdown; done)"
# the controls: with escapes in place of code, and with a bar that is none
[[ $(sed 's/`//g;s/#/\\#/g' "$work/said.md" | markdown) == *'outside of code: tool @admin'* ]]
count_check 'markdown: the test sees a mention' "$([ $? -eq 0 ] || echo 'nothing was said')"
[[ $(sed 's/&#124;/|/g' "$work/said.md" | markdown) == *'cells, the head has'* ]]
count_check 'markdown: the test sees a bar' "$([ $? -eq 0 ] || echo 'nothing was said')"

# --- policies of a revision -----------------------------------------------------

repo=$work/repo
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null GIT_CEILING_DIRECTORIES=$work
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@a.example GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@a.example
unset GIT_DIR GIT_WORK_TREE
git init -q -b main "$repo"

in_repo() { (cd "$repo/${dir:-.}" && "$@"); }

commit() { # MESSAGE
	in_repo git add -A && in_repo git commit -qm "$1"
}

said() { # NAME STATUS TEXT WORDS...: the diff's exit status, and TEXT in what it says
	local name=$1 status=$2 text=$3 out got
	shift 3
	out=$(in_repo /usr/bin/timeout 20 "$polc" ${verb-diff} "$@" 2>&1 </dev/null)
	got=$?
	if [ "$got" -eq "$status" ] && [[ $out == *"$text"* ]]; then
		count_check "$name" ''
	else
		count_check "$name" "status $got: $out"
	fi
}

mkdir -p "$repo/pol/parts"
printf 'policy p { level user }\nuse "parts/net.pol"\nuse "std/profile/read-only"\ncommand { allow "a" }\n' \
	>"$repo/pol/p.pol"
printf 'file { allow read "/srv/one" }\n' >"$repo/pol/parts/net.pol"
ln -s p.pol "$repo/pol/link.pol"
printf 'policy p { level user }\nuse "../../up.pol"\n' >"$repo/pol/out.pol"
printf 'policy p { level user }\nuse "%s/up.pol"\n' "$work" >"$repo/pol/abs.pol"
printf 'policy p { level user }\nuse "link.pol"\n' >"$repo/pol/by-link.pol"
cp "$repo/pol/p.pol" "$repo/pol/-x.pol"
echo 'file { allow read "/" }' >"$work/up.pol"
commit one
in_repo git tag v1
printf 'file { allow read "/srv/two" }\n' >"$repo/pol/parts/net.pol"
commit 'two: more'
said 'revision: what it uses is of the revision too' 1 'newly allowed: file read /srv/two' \
	v1:pol/p.pol main:pol/p.pol
said 'revision: a rule is named with it' 1 '(user, HEAD~1:pol/parts/net.pol:1:8)' \
	HEAD~1:pol/p.pol pol/p.pol
said 'revision: beside the file of now, which is the same' 0 alike HEAD:pol/p.pol pol/p.pol
printf 'file { allow read "/srv/three" }\n' >"$repo/pol/parts/net.pol"
said 'revision: … and is not' 1 /srv/three HEAD:pol/p.pol pol/p.pol
said 'revision: a colon in braces' 1 /srv/two v1:pol/p.pol 'HEAD^{/two: more}:pol/p.pol'
dir=pol said 'revision: ./ is below the working directory' 0 alike HEAD:./p.pol HEAD:pol/p.pol
dir=pol/parts said 'revision: and ../ too' 0 alike HEAD:../p.pol HEAD:pol/p.pol
said 'revision: as a page' 1 'HEAD:pol/parts/net.pol:1:8</span>' --format html v1:pol/p.pol HEAD:pol/p.pol

# what is refused says why
said 'revision: none of this name' 2 'no such revision' nosuch:pol/p.pol pol/p.pol
said 'revision: a file that it has not' 2 'no such file' HEAD:pol/q.pol pol/p.pol
said 'revision: a folder' 2 'it is a folder' HEAD:pol pol/p.pol
said 'revision: a link' 2 'symbolic link' HEAD:pol/link.pol pol/p.pol
said 'revision: a link that is used' 2 'symbolic link' HEAD:pol/by-link.pol pol/p.pol
said 'revision: outside' 2 'outside of the repository' HEAD:../up.pol pol/p.pol
said 'revision: an absolute path' 2 'the path of a file' "HEAD:$repo/pol/p.pol" pol/p.pol
said 'revision: what it uses is outside' 2 "is no file of 'HEAD:'" HEAD:pol/out.pol pol/p.pol
said 'revision: what it uses is absolute' 2 "is no file of 'HEAD:'" HEAD:pol/abs.pol pol/p.pol
said 'revision: a bundle that it has not' 2 'no such file' HEAD:pol/p.polb pol/p.pol
said 'revision: an option in its place' 2 'comes a git revision' -- -h:pol/p.pol pol/p.pol
said 'revision: a range' 2 'no such revision' v1..HEAD:pol/p.pol pol/p.pol
said 'revision: a colon in the path' 2 'no such file' HEAD:pol/p.pol:x pol/p.pol
said 'revision: a path that looks like an option' 0 alike HEAD:pol/-x.pol HEAD:pol/p.pol
said 'revision: no path' 2 'the path of a file' HEAD: pol/p.pol
# shellcheck disable=SC2016 # nobody is to expand it
said 'revision: no shell' 2 'no such revision' '$(touch hit);touch hit:pol/p.pol' pol/p.pol
# shellcheck disable=SC2016
said 'revision: no shell for the path' 2 'no such file' 'HEAD:$(touch hit);touch hit' pol/p.pol
count_check 'revision: nothing was run' "$(find "$work" -name hit)"
(cd "$work" && mkdir -p bare && cd bare && "$polc" diff HEAD:p.pol HEAD:p.pol) >"$work/said" 2>&1
count_check 'revision: no repository' "$(grep -q 'no repository here' "$work/said" || cat "$work/said")"
PATH=$work said 'revision: no git' 2 'No such file' HEAD:pol/p.pol pol/p.pol

# A file of this name in the working directory must not stand in for the revision.
cp "$repo/pol/p.pol" "$repo/pol/v1:pol.pol"
dir=pol said 'revision: no file stands in for it' 2 'no such file' v1:pol.pol p.pol
dir=pol said 'revision: the file by ./' 0 alike ./v1:pol.pol p.pol
# Nor may a replaced object.
in_repo git replace "$(in_repo git rev-parse v1:pol/parts/net.pol)" \
	"$(in_repo git rev-parse HEAD:pol/parts/net.pol)"
said 'revision: no replaced object' 1 /srv/two v1:pol/p.pol HEAD:pol/p.pol

# A revision as ceiling, and a bundle of a revision.
dir=pol
in_repo git checkout -q parts # what v1 has not
verb=check said 'ceiling: the revision itself' 0 'nothing is beyond' p.pol --against HEAD:pol/p.pol
verb=check said 'ceiling: of an older one' 1 'beyond the ceiling: file read /srv/two' p.pol --against v1:./p.pol
verb=check said 'ceiling: is named as it was' 1 "ceiling 'v1:./p.pol'" p.pol --against v1:./p.pol
verb=check said 'ceiling: a revision that is none' 2 'no such revision' p.pol --against nosuch:./p.pol
verb=check said 'ceiling: a file by ./' 0 'nothing is beyond' p.pol --against ./v1:pol.pol
compiled() { # FROM TO OPTIONS...
	in_repo "$polc" compile --no-nft-batch "$1" -o "$2" "${@:3}" >"$work/said" 2>&1
	count_check "revision: $2 is compiled" "$([ -s "$repo/pol/$2" ] || cat "$work/said")"
}
compiled p.pol p.polb --serial 1
ln -s p.polb "$repo/pol/link.polb"
echo 'no bundle' >"$repo/pol/text.polb"
head -c 70000 "$repo/pol/p.polb" >"$repo/pol/cut.polb"
commit bundles
printf 'file { allow read "/srv/two", "/srv/four" }\n' >"$repo/pol/parts/net.pol"
compiled p.pol p.polb --serial 2 --against HEAD:pol/p.polb
said 'revision: two bundles' 1 'newly allowed: file read /srv/four' HEAD:pol/p.polb p.polb
said 'revision: a bundle and its source' 0 alike HEAD:pol/p.polb HEAD:pol/p.pol
said 'revision: a bundle and itself' 0 alike HEAD:pol/p.polb HEAD:./p.polb
verb=check said 'ceiling: a bundle of a revision' 1 /srv/four p.polb --against HEAD:pol/p.polb
verb=check said 'ceiling: … which holds' 0 'nothing is beyond' p.polb --against ./p.polb
verb=inspect said 'revision: a change statement against one' 0 \
	'against serial 1 (manifest' p.polb
said 'revision: a link to a bundle' 2 'symbolic link' HEAD:pol/link.polb p.polb
said 'revision: a bundle that is text' 2 "'HEAD:pol/text.polb' cannot be read" HEAD:pol/text.polb p.polb
said 'revision: a bundle that is cut' 2 "'HEAD:pol/cut.polb' cannot be read" HEAD:pol/cut.polb p.polb
said 'revision: a bundle and more sources' 2 'a bundle is a whole policy' --user p.pol HEAD:pol/p.polb p.polb
dir=

# --- examples/ci ------------------------------------------------------------------

# The review: the README's text change and output are those of the two policies.
shown() { # LANGUAGE: what the README has in a block of it, without the command
	sed -n '/^```'"$1"'$/,/^```$/p' "$top/examples/ci/review/README.md" | sed '1d;$d;/^\$ /d'
}
in_review() { (cd "$top/examples/ci/review" && "$@"); }
count_check 'review: the change is the one shown' "$(diff <(shown diff) \
	<(in_review diff -U0 --label before.pol --label after.pol before.pol after.pol))"
count_check 'review: so is what it does' "$(diff <(shown console) \
	<(in_review "$polc" diff --color=never before.pol after.pol))"
count_check 'review: three findings, and each widens' \
	"$(shown console | grep -qx '3 differences, 3 widening, 0 undecided' || echo no)"

# The steps as they stand in the files, so that those are what is tested.
step() { # FILE PATH...: the text at keys and numbers of a YAML file
	python3 - "$@" <<'END'
import sys, yaml
at = yaml.safe_load(open(sys.argv[1]))
for key in sys.argv[2:]:
    at = at[int(key) if key.isdigit() else key]
print(at if isinstance(at, str) else "\n".join(at), end="")
END
}
action=$top/examples/ci/action.yml
if ! python3 -c 'import yaml' 2>/dev/null; then
	if [ -n "${POL_TEST_REQUIRE:-}" ]; then
		count_check 'ci: python3-yaml' 'required, and not here'
	else
		echo 'skip ci: no python3-yaml here'
		count_skip
	fi
	count_end
	exit
fi
step "$action" runs steps 0 run >"$work/check.sh"
step "$action" runs steps 1 run >"$work/diff.sh"
step "$action" runs steps 2 run >"$work/comment.sh"
step "$top/examples/ci/gitlab.yml" polc script >"$work/gitlab.sh"
count_check 'ci: no expression stands in a script' "$(grep -Fn '${{' "$work"/{check,diff,comment,gitlab}.sh)"
count_check 'ci: each of the scripts is there' \
	"$(for f in check diff comment gitlab; do [ -s "$work/$f.sh" ] || echo "$f"; done)"

# what the README has somebody write gives the action inputs that it has
count_check 'ci: the workflow of the README' "$(sed -n '/^```yml$/,/^```$/p' examples/ci/README.md |
	sed '1d;$d' | python3 -c 'import sys, yaml
given = yaml.safe_load(sys.stdin)["jobs"]["policy"]["steps"][-1]["with"]
print("\n".join(set(given) - set(yaml.safe_load(open(sys.argv[1]))["inputs"])))' "$action" 2>&1)"

ci=$work/ci origin=$work/origin
mkdir -p "$work/bin"
ln -s "$polc" "$work/bin/polc"
cat >"$work/bin/gh" <<'END'
#!/bin/sh
echo "$*" >"$CI_WORK/gh.args"
cp "$5" "$CI_WORK/gh.body"
exit "${GH_STATUS:-0}"
END
cat >"$work/bin/curl" <<'END'
#!/bin/sh
echo "$*" >"$CI_WORK/curl.args"
cat >"$CI_WORK/curl.head"
exit "${CURL_STATUS:-0}"
END
chmod +x "$work/bin/gh" "$work/bin/curl"
export CI_WORK=$work PATH=$work/bin:$PATH

git init -q -b main "$origin"
repo=$origin
git -C "$origin" config uploadpack.allowAnySHA1InWant true
cp examples/ci/review/before.pol "$origin/policy.pol"
commit base
base=$(in_repo git rev-parse HEAD)
cp examples/ci/review/after.pol "$origin/policy.pol"
commit change

clone() { # a checkout as CI has it: of depth 1
	rm -rf "$ci"
	git clone -q --depth=1 "file://$origin" "$ci"
}

github() { # STEP POLICY BASE: runs it as GitHub does
	rm -f "$work/summary" "$work/output"
	(cd "$ci" && POLICY=$2 BASE=$3 FAIL_ON=${fail_on:-widening} REPORT=$work/report.md PR=7 \
		GITHUB_STEP_SUMMARY=$work/summary GITHUB_OUTPUT=$work/output GH_TOKEN=secret \
		bash --noprofile --norc -eo pipefail "$work/$1.sh") >"$work/said" 2>&1 </dev/null
}

ends() { # NAME STATUS COMMAND...
	local name=$1 status=$2 got
	shift 2
	"$@"
	got=$?
	count_check "$name" "$([ "$got" -eq "$status" ] || { echo "status $got"; cat "$work/said"; })"
}

holds() { # NAME FILE TEXT...
	local name=$1 file=$2 text wrong=
	shift 2
	for text; do
		grep -qF -- "$text" "$file" || wrong+="no '$text' in: $(cat "$file") "
	done
	count_check "$name" "$wrong"
}

clone
ends 'action: check' 0 github check policy.pol "$base"
ends 'action: diff of a widening, from a clone of depth 1' 1 github diff policy.pol "$base"
holds 'action: the summary has the findings' "$work/summary" 'git push -f' '3 widening' \
	"$base:policy.pol:8" '### What the policy `policy.pol`'
cp "$work/summary" "$work/wrote"
holds 'action: and the output the status' "$work/output" status=1
ends 'action: the comment' 0 github comment policy.pol "$base"
holds 'action: is of this pull request' "$work/gh.args" 'pr comment 7 --body-file'
count_check 'action: has the same text' "$(diff "$work/gh.body" "$work/wrote")"
GH_STATUS=1 ends 'action: a comment that is refused is a warning' 0 github comment policy.pol "$base"
holds 'action: which says so' "$work/said" '::warning::'
ends 'action: without a base' 2 github diff policy.pol ''
ends 'action: a base that is an option' 2 github diff policy.pol --upload-pack=x
ends 'action: a base that nobody has' 128 github diff policy.pol "${base//[0-9]/a}"
ends 'action: a policy that the base has not' 2 github diff other.pol "$base"
holds 'action: which is no silence' "$work/summary" 'The comparison failed'
ends 'action: the same policy' 0 github diff policy.pol "$(git -C "$origin" rev-parse HEAD)"
cp examples/ci/review/before.pol "$ci/policy.pol"
sed -i '/npm run/d' "$ci/policy.pol"
ends 'action: what only narrows' 0 github diff policy.pol "$base"
holds 'action: is shown' "$work/summary" 'newly asked' '0 widening'
fail_on=any ends 'action: and fails if anything is to' 1 github diff policy.pol "$base"
printf 'policy p { level nowhere }\n' >"$ci/policy.pol"
ends 'action: check of a wrong policy' 1 github check policy.pol "$base"
ends 'action: diff of a wrong policy' 2 github diff policy.pol "$base"

gitlab() { # POLICY BASE
	rm -f "$work"/curl.*
	(cd "$ci" && POLICY=$1 CI_MERGE_REQUEST_DIFF_BASE_SHA=$2 FAIL_ON=widening \
		POLC_TOKEN=${token-} CI_API_V4_URL=https://gitlab.example/api/v4 CI_PROJECT_ID=3 \
		CI_MERGE_REQUEST_IID=9 sh -e "$work/gitlab.sh") >"$work/said" 2>&1 </dev/null
}
clone
ends 'gitlab: a widening' 1 gitlab policy.pol "$base"
holds 'gitlab: the findings' "$ci/polc-diff.md" 'git push -f' '3 widening'
holds 'gitlab: the page' "$ci/polc-diff.html" 'git push -f' '</html>'
count_check 'gitlab: nothing is posted without a token' "$(ls "$work"/curl.* 2>/dev/null)"
token=s3cret ends 'gitlab: with a token' 1 gitlab policy.pol "$base"
holds 'gitlab: they are posted' "$work/curl.args" /projects/3/merge_requests/9/notes \
	body@polc-diff.md
holds 'gitlab: with the token' "$work/curl.head" 'PRIVATE-TOKEN: s3cret'
count_check 'gitlab: which is in no argument' "$(grep -F s3cret "$work/curl.args")"
token=x CURL_STATUS=22 ends 'gitlab: not posted is the same status' 1 gitlab policy.pol "$base"
ends 'gitlab: without a base' 2 gitlab policy.pol ''
cp "$ci/policy.pol" "$ci/other.pol"
ends 'gitlab: a policy that the base has not' 2 gitlab other.pol "$base"
holds 'gitlab: is compared with nothing' "$ci/polc-diff.md" 'The comparison failed'
ends 'gitlab: no change' 0 gitlab policy.pol "$(git -C "$origin" rev-parse HEAD)"

# The hooks as pre-commit runs them: the words of entry, then args or the files.
hook() { # ID WORDS...
	local id=$1 entry
	shift
	entry=$(python3 -c 'import sys, yaml
print(next(h["entry"] for h in yaml.safe_load(open(sys.argv[1])) if h["id"] == sys.argv[2]))' \
		"$top/.pre-commit-hooks.yaml" "$id")
	# shellcheck disable=SC2086 # it is words
	(cd "$ci" && $entry "$@") >"$work/said" 2>&1 </dev/null
}
ends 'hook: check' 0 hook polc-check policy.pol other.pol
ends 'hook: fmt' 0 hook polc-fmt policy.pol
ends 'hook: diff' 0 hook polc-diff HEAD:policy.pol policy.pol
sed -i 's/allow "git push:\*"/allow "git {push|pull}:*"/' "$ci/policy.pol"
ends 'hook: diff of a widening' 1 hook polc-diff HEAD:policy.pol policy.pol
printf 'command{allow "x"' >"$ci/other.pol"
ends 'hook: check of a wrong one' 1 hook polc-check policy.pol other.pol
printf 'command{allow "x"}\n' >"$ci/other.pol"
ends 'hook: fmt of another layout' 1 hook polc-fmt other.pol

count_end
