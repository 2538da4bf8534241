#!/usr/bin/env bash
# Goldens: each sibling of tests/golden/AREA/NAME.pol or NAME.yml is one check.
#   tests/run/golden.sh [AREA[/NAME]]     (also CASE=; UPDATE=1 rewrites; POL_SLICE: the day's)
#   .ast .resolved       polc dump --after parse, resolve
#   .ir                  polc dump --after lift
#   .rules .matcher .commands .seccomp .landlock .mounts .limits .env .publish .net   dump --after THAT
#   .err                 stderr of polc check, its exit status on the last line
#   .out                 its stdout (a summary, or JSON) and exit status
#   .compile             the same as .err of polc compile, which writes to a scratch place
#   .effective           polc effective
#   .nfthost             polc emit --to nft-host --uid agent --strict: stdout, stderr, exit status
#   .diff .diffmd        polc diff of the two that NAME.options names, as text
#                        and Markdown, the exit status on the last line
#   .fmt                 polc fmt, and its exit status where it is not 0
#   .convert             polc convert to the other spelling; and, where converting
#                        that again gives another text than polc fmt of the
#                        first, the difference
#   .explain             lines "REQUEST => first line of the answer"; "#" and
#                        empty lines stay; UPDATE fills what stands after "=>"
#   .asked               lines "$ REQUEST" (options of explain may stand before it), each with
#                        the whole answer below it and its exit status; with --why-not
#                        the first line and what that adds
#   .exposure .exposuremd   polc exposure as text and Markdown, the exit status on the last line
#   .prove               lines "ASSERTION => what polc prove says, and its status", likewise
# NAME.make, in place of NAME.pol, is a shell script that prints the policy;
# one with the line "# as yml" prints YAML.
# NAME.options, where it is there, holds words for the command line instead of
# NAME.pol; "@" in them is the golden's folder.  Everything runs in the
# golden's folder, so that the names in the output are relative and stable.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/count.sh
. tests/lib/slice.sh
: "${BUILD:=$PWD/build/dev}"
polc=$BUILD/bin/polc
top=$PWD
want=${1:-${CASE:-}}
update=${UPDATE:-0}
work=$(mktemp -d /var/tmp/pol-golden.XXXXXX)
trap 'rm -rf "$work"' EXIT
unset NO_COLOR CLICOLOR_FORCE XDG_CONFIG_HOME
export LC_ALL=C XDG_STATE_HOME=/nonexistent/state

# Where decisions take place: directories that exist nowhere, so that no
# symbolic link of this machine has a say.
roots=(--root HOME=/nonexistent/dev --root PROJECT_DIR=/nonexistent/dev/app
	--root TMPDIR=/nonexistent/tmp)

words_of() { # NAME: the words that name its policy, one a line
	if [ -e "$1.options" ]; then
		sed -e 's/[[:space:]]\+/\n/g' -e 's|@/||g' "$1.options" | sed '/^$/d'
	elif [ -e "$1.yml" ]; then
		printf '%s.yml\n' "$1"
	else
		printf '%s.pol\n' "$1"
	fi
}

convert() { # FILE: in the other spelling, and whether it comes back
	case $1 in
	*.yml)
		"$polc" convert --color=never --to pol "$1" 2>&1 || printf 'exit %d\n' "$?"
		return
		;;
	esac
	if ! "$polc" convert --color=never --to yaml "$1" >"$work/there.yml" 2>"$work/err"; then
		cat "$work/err"
		return
	fi
	cat "$work/there.yml"
	"$polc" fmt "$1" >"$work/was.pol"
	"$polc" convert --to pol "$work/there.yml" 2>&1 |
		diff -U0 --label was --label back "$work/was.pol" -
}

asked() { # FILE: answers each of its requests, in full
	local line words status
	while IFS= read -r line || [ -n "$line" ]; do
		case $line in
		'#'*) printf '%s\n' "$line" ;;
		'$ '*)
			printf '%s\n' "$line"
			eval "words=(${line#?})"
			"$polc" explain "${roots[@]}" "${policy[@]}" "${words[@]}" >"$work/answer" 2>&1
			status=$?
			# of --why-not, only what it adds
			case $line in
			*--why-not*) sed -n '1p; /^why not/,$p' "$work/answer" ;;
			*) cat "$work/answer" ;;
			esac
			printf '[%d]\n\n' "$status"
			;;
		esac
	done <"$1"
}

explain() { # FILE: answers each of its requests
	local line request answer words status
	while IFS= read -r line || [ -n "$line" ]; do
		case $line in '' | \#*)
			printf '%s\n' "$line"
			continue
			;;
		esac
		request=${line%% => *}
		# requests are written as a shell would read them
		if ! eval "words=($request)" 2>/dev/null; then
			printf '%s => not a request\n' "$request"
			continue
		fi
		answer=$("$polc" explain "${roots[@]}" "${policy[@]}" "${words[@]}" 2>&1)
		status=$?
		printf '%s => %s [%d]\n' "$request" "$(awk '
			NR == 1 { first = $0; sub(/:.*/, "", first) }
			/^  decided by / { sub(/^  decided by /, ""); sub(/: .*/, ""); by = $0 }
			/^polc: / { first = $0 }
			END { print first (by == "" ? "" : " by " by) }' <<<"$answer")" "$status"
	done <"$1"
}

prove() { # FILE: proves each of its assertions
	local line assertion answer status
	while IFS= read -r line || [ -n "$line" ]; do
		case $line in '' | \#*)
			printf '%s\n' "$line"
			continue
			;;
		esac
		assertion=${line%% => *}
		answer=$("$polc" prove --color=never "${roots[@]}" "${policy[@]}" "$assertion" 2>&1)
		status=$?
		printf '%s => %s [%d]\n' "$assertion" "$(awk -v said="$assertion" '
			/^    policy / { sub(/^    policy +/, "is "); sub(/: .*/, "") }
			/^    assertion / { next }
			/^ / { next }
			{ if (i = index($0, ": " said)) $0 = substr($0, 1, i - 1)
			  out = out (out == "" ? "" : "; ") $0 }
			END { print out }' <<<"$answer")" "$status"
	done <"$1"
}

produce() { # KIND FILE: what the golden should hold
	case $1 in
	ast) "$polc" dump --after parse "${policy[@]}" 2>&1 ;;
	resolved) "$polc" dump --after resolve "${policy[@]}" 2>&1 ;;
	ir) "$polc" dump --after lift "${policy[@]}" 2>"$work/err" || cat "$work/err" ;;
	rules | matcher | commands | seccomp | landlock | mounts | limits | env | publish | net)
		"$polc" dump --after "$1" "${policy[@]}" 2>"$work/err" || cat "$work/err" ;;
	err)
		{ "$polc" check --color=never "${policy[@]}" >/dev/null; } 2>&1
		printf 'exit %d\n' "$?"
		;;
	out)
		"$polc" check --color=never "${policy[@]}" 2>/dev/null
		printf 'exit %d\n' "$?"
		;;
	compile)
		{ "$polc" compile --color=never "${policy[@]}" -o "$work/x.polb" >/dev/null; } 2>&1
		printf 'exit %d\n' "$?"
		;;
	diff | diffmd)
		format=text
		[ "$1" = diff ] || format=markdown
		"$polc" diff "${roots[@]}" --format "$format" "${policy[@]}" 2>&1
		printf 'exit %d\n' "$?"
		;;
	exposure | exposuremd)
		format=text
		[ "$1" = exposure ] || format=markdown
		"$polc" exposure --format "$format" "${policy[@]}" 2>&1
		printf 'exit %d\n' "$?"
		;;
	nfthost)
		"$polc" emit --color=never --to nft-host --uid agent --strict "${policy[@]}" 2>"$work/err"
		printf 'exit %d\n' "$?"
		cat "$work/err"
		;;
	effective) "$polc" effective "${policy[@]}" 2>&1 ;;
	fmt) "$polc" fmt --color=never "${policy[@]}" 2>&1 || printf 'exit %d\n' "$?" ;;
	convert) convert "${policy[0]}" ;;
	explain) explain "$2" ;;
	asked) asked "$2" ;;
	prove) prove "$2" ;;
	esac
}

# What `check` finds beyond the old policy as a ceiling is what widens it.  Sources that
# both sides have are no part of a ceiling.
agree() { # NAME
	local n=${#policy[@]} role=() widens beyond
	case $n:${policy[0]} in
	2:*) ;;
	4:--role) role=("${policy[@]:0:2}") ;;
	*) return ;;
	esac
	"$polc" diff "${roots[@]}" --fail-on=widening "${policy[@]}" >/dev/null 2>&1
	widens=$?
	"$polc" check "${roots[@]}" "${role[@]}" "${policy[n - 1]}" --against "${policy[n - 2]}" >/dev/null 2>&1
	beyond=$?
	if [ "$widens" = "$beyond" ] || [ "$widens" = 2 ]; then
		count_pass
	else
		printf 'FAIL %s: diff --fail-on=widening ends with %d, check --against with %d\n' "$1" "$widens" "$beyond"
		count_fail
	fi
}

one() { # FILE: one golden
	local file=$1 dir base name kind
	dir=$(dirname "$file")
	base=$(basename "$file")
	name=${base%.*}
	kind=${base##*.}
	cd "$top/$dir" || return
	if [ -e "$name.make" ]; then
		local suffix=pol
		grep -qx '# as yml' "$name.make" && suffix=yml
		rm -f "$work/$name".*
		bash "$name.make" >"$work/$name.$suffix" && cd "$work" || return
	fi
	mapfile -t policy < <(words_of "$name")
	produce "$kind" "$base" >"$work/got"
	[ "$kind" != diff ] || agree "$file"
	cd "$top" || exit 1
	if cmp -s "$file" "$work/got"; then
		count_pass
	elif [ "$update" = 1 ]; then
		printf 'updated %s\n' "$file"
		diff -u "$file" "$work/got"
		cp "$work/got" "$file"
		count_pass
	else
		printf 'FAIL %s\n' "$file"
		diff -u "$file" "$work/got"
		printf '     again: %s./dev test golden/%s\n' "${VARIANT:+VARIANT=$VARIANT }" "$case"
		count_fail
	fi
}

[ -x "$polc" ] || { echo "FAIL: no $polc"; count_fail; count_end; exit 1; }
matched=0 index=0
while IFS= read -r pol; do
	case=${pol#tests/golden/}
	case=${case%.*}
	case $want in
	'')
		index=$((index + 1))
		in_slice "$index" || continue
		;;
	*/*) [ "$case" = "$want" ] || continue ;;
	*) [ "${case%%/*}" = "$want" ] || continue ;;
	esac
	siblings=0
	for file in "${pol%.*}".*; do
		[ -f "$file" ] || continue # NAME.d holds what it uses
		case ${file##*.} in
		pol | yml | options | make) continue ;;
		ast | resolved | ir | rules | matcher | commands | seccomp | landlock | mounts | limits | env | publish | net | err | out | compile | effective | nfthost | diff | diffmd | fmt | convert | explain | asked | prove | exposure | exposuremd) ;;
		*)
			printf 'FAIL %s: no golden has this suffix\n' "$file"
			count_fail
			continue
			;;
		esac
		matched=$((matched + 1))
		siblings=$((siblings + 1))
		one "$file"
	done
	# a policy that is used by another needs no golden of its own
	if [ "$siblings" = 0 ] && ! grep -rqsF "$(basename "$pol")" \
		--include='*.pol' --include='*.yml' --include='*.options' "$(dirname "$pol")"; then
		printf 'FAIL %s has no golden beside it and nothing uses it\n' "$pol"
		count_fail
	fi
done < <(find tests/golden -mindepth 2 -maxdepth 2 -type f \( -name '*.pol' -o -name '*.yml' -o -name '*.make' \) | LC_ALL=C sort)
if [ "$matched" = 0 ]; then
	printf 'FAIL no golden matches "%s"\n' "$want"
	count_fail
fi
count_end
