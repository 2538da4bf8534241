#!/usr/bin/env bash
# The configuration files of other systems in examples/reference/: each is
# checked as it stands, has a twin in the language with the same IR, and a
# misspelt key anywhere in it is a finding with a caret at that key; the other
# spelling and back changes nothing.  What the
# systems say that their files do is asked of the decisions.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/count.sh
: "${BUILD:=$PWD/build/dev}"
polc=$BUILD/bin/polc
work=$(mktemp -d /var/tmp/pol-reference.XXXXXX)
trap 'rm -rf "$work"' EXIT

ok() {
	printf 'ok   %s\n' "$1"
	count_pass
}
bad() { # NAME OUTPUT
	printf 'FAIL %s\n%s\n' "$1" "$2"
	count_fail
}

# The option that gives a file its level, from examples/reference/levels.
level_of() { awk -v f="$1" '$1 == f { print "--" $2 }' examples/reference/levels; }

# The IR without the places of this one file.
ir_of() { # FILE [LEVEL-OPTION]
	"$polc" dump --after lift ${2:+"$2"} "$1" >"$work/dump" 2>"$work/err" || {
		cat "$work/err"
		return 1
	}
	sed -e "/^file [a-z-]* ${1//\//\\/}\$/d" -e "s|${1}:[0-9]*|HERE|g" "$work/dump"
}

# All of them in one command, each as a policy of its own; together they are
# none, since they contradict each other.
files=(examples/reference/*.yml)
if out=$("$polc" check "${files[@]}" 2>&1) &&
	grep -q "^${#files[@]} files were checked" <<<"$out"; then
	ok "polc check examples/reference/*.yml"
else
	bad "polc check examples/reference/*.yml" "$out"
fi
together=()
for yml in "${files[@]}"; do
	together+=(--project "$yml")
done
if "$polc" check "${together[@]}" >"$work/err" 2>&1; then
	bad "all as one policy contradict each other" "$(cat "$work/err")"
else
	ok "all as one policy contradict each other"
fi

for yml in examples/reference/*.yml; do
	name=$(basename "$yml" .yml)
	level=$(level_of "$name")
	if out=$("$polc" check ${level:+"$level"} "$yml" 2>&1); then
		ok "$name: check"
	else
		bad "$name: check" "$out"
	fi
	pol=${yml%.yml}.pol
	if [ ! -e "$pol" ]; then
		bad "$name: a twin" "$pol is missing"
		continue
	fi
	ir_of "$yml" "$level" >"$work/a" && ir_of "$pol" "$level" >"$work/b" || {
		bad "$name: both have an IR" "$(cat "$work/a" "$work/b")"
		continue
	}
	if out=$(diff "$work/a" "$work/b"); then
		ok "$name: the twin has the same IR"
	else
		bad "$name: the twin has the same IR" "$out"
	fi
done

# Each file and its twin, in the other spelling and back: the text in canonical
# layout is the same, comments and all.
back() { # FILE.pol FILE.pol
	"$polc" convert --to yaml "$1" >"$work/there.yml" 2>"$work/err" &&
		"$polc" convert --to pol "$work/there.yml" >"$2" 2>>"$work/err"
}
comments() { grep -o '#.*' "$1" | sort; }
for yml in "${files[@]}"; do
	name=$(basename "$yml" .yml)
	"$polc" convert --to pol "$yml" >"$work/a.pol" 2>"$work/err"
	"$polc" fmt "${yml%.yml}.pol" >"$work/twin.pol"
	for first in a twin; do
		if back "$work/$first.pol" "$work/c.pol" &&
			out=$(diff "$work/$first.pol" "$work/c.pol"); then
			ok "$name: $first.pol there and back"
		else
			bad "$name: $first.pol there and back" "$out$(cat "$work/err")"
		fi
	done
	if back "$work/a.pol" "$work/c.pol" && cp "$work/there.yml" "$work/was.yml" &&
		"$polc" convert --to yaml "$work/c.pol" 2>"$work/err" |
		cmp - "$work/was.yml" && out=$(diff <(comments "$yml") <(comments "$work/was.yml")); then
		ok "$name: as YAML there and back, with each comment"
	else
		bad "$name: as YAML there and back, with each comment" "$out$(cat "$work/err")"
	fi
done

# Every key in turn with a letter too many; names that people choose freely
# (variables) are no keys of the schema.
misspelt() { # FILE LINE KEY
	local name copy=$work/x.yml want
	name=$(basename "$1" .yml)
	sed "$2s/$3:/${3}q:/" "$1" >"$copy"
	out=$("$polc" check "$copy" 2>&1)
	want=$?
	if [ "$want" -eq 1 ] && grep -q "x\.yml:$2:[0-9]*: error: .*'${3}q'" <<<"$out" &&
		grep -q '\^' <<<"$out"; then
		return 0
	fi
	printf '%s:%s: %sq: exit %s\n%s\n' "$1" "$2" "$3" "$want" "$out"
	return 1
}
for yml in examples/reference/*.yml; do
	name=$(basename "$yml" .yml)
	faults='' keys=0
	while IFS=: read -r line key; do
		[[ $key =~ ^[A-Z_]+$ ]] && continue
		keys=$((keys + 1))
		out=$(misspelt "$yml" "$line" "$key") || faults+=$out$'\n'
	done < <(sed -n 's/#.*//; /^[ -]*[A-Za-z_]*:/{=;s/^[ -]*\([A-Za-z_]*\):.*/\1/p}' "$yml" |
		paste -d: - -)
	if [ -z "$faults" ] && [ "$keys" -gt 0 ]; then
		ok "$name: each of $keys keys misspelt is found"
	else
		bad "$name: each of $keys keys misspelt is found" "$faults"
	fi
done

# --- what the systems say that they do --------------------------------------

asked() { # FILE EFFECT REQUEST…
	local file=$1 effect=$2 level
	shift 2
	level=$(level_of "$file")
	out=$("$polc" explain ${level:+"$level"} "examples/reference/$file.yml" \
		--root HOME=/home/dev --root PROJECT_DIR=/srv/app "$@" 2>&1)
	if [ "$(sed -n '1s/^\([a-z]*\).*/\1/p' <<<"$out")" = "$effect" ]; then
		ok "$file: $* is $effect"
	else
		bad "$file: $* is $effect" "$out"
	fi
}
while read -r file effect rest; do
	[[ -z $file || $file == '#'* ]] && continue
	eval "set -- $rest"
	asked "$file" "$effect" "$@"
done <tests/conformance/reference.txt

# The plain text secret is reported, the reference to one is not.
out=$("$polc" check examples/reference/env-bad.yml 2>&1)
if grep -q 'env-bad.yml:3:.*warning: .*secret' <<<"$out"; then
	ok "env-bad: the secret in plain text is reported"
else
	bad "env-bad: the secret in plain text is reported" "$out"
fi
out=$("$polc" check examples/reference/env-good.yml 2>&1)
if grep -q 'looks like a secret' <<<"$out"; then
	bad "env-good: a reference is no finding" "$out"
else
	ok "env-good: a reference is no finding"
fi
count_end
