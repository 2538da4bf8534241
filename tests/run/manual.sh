#!/usr/bin/env bash
# The manual pages and the shells' completions name what --help names, are clean,
# and work in the shells.
#   BUILD=FOLDER tests/run/manual.sh
# POL_TEST_REQUIRE=1 turns a skip into a failure.  Last line: N passed, N failed, N skipped.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/count.sh
: "${BUILD:=$PWD/build/dev}" "${VARIANT:=dev}"
work=$(mktemp -d /var/tmp/pol-manual.XXXXXX) || exit 1
trap 'rm -rf --one-file-system "$work"' EXIT
completions=$BUILD/completions
programs=(polc polrun polquery)

# As grep -q, but it reads to the end: what writes to it must not end by SIGPIPE.
has() { grep "$@" >/dev/null; }
skip() {
	if [[ ${POL_TEST_REQUIRE:-} == 1 || ${POL_TEST_REQUIRE:-} == all ]]; then
		count_check "$1" "required, but: $2"
	else
		printf 'skip %s: %s\n' "$1" "$2"
		count_skip
	fi
}

# --- what --help names ---------------------------------------------------------
# PROGRAM WORDS…: its options, a line each, from what it prints
options() {
	"$BUILD/bin/$1" "${@:2}" --help | sed -nE 's/^ {2,6}(-[A-Za-z])?(, )?(--[a-z-]+)?([ [].*)?$/\1\n\3/p' |
		grep -- '^-'
}
verbs() { "$BUILD/bin/polc" --help | sed -nE 's/^  ([a-z]+) {2,}.*/\1/p'; }
page() { man --warnings -E UTF-8 -l -P cat "$BUILD/man/$1" 2>"$work/warnings" | sed 's/.\x08//g'; }
roff() { sed 's/\\-/-/g; s/\\f[BIR]//g' "$BUILD/man/$1"; }

in_page() { # PAGE OPTION
	roff "$1" | has -E -- "^(-[A-Za-z], )?$2([ [,]|\$)"
}
# PROGRAM OPTION VERB: in the three completions, for that verb
in_bash() { # PROGRAM OPTION WORDS…
	local program=$1 option=$2
	shift 2
	complete_bash "$program" "$@" "$option" | has -x -- "$option"
}
in_zsh() { grep -qE -- "^		'\*$1(=|=-|\+)?\[" "$completions/$2.zsh"; }
in_fish() {
	case $1 in
	--*) grep -qE -- "^complete -c $2 .*-l ${1#--}( |\$)" "$completions/$2.fish" ;;
	*) grep -qE -- "^complete -c $2 .*-s ${1#-}( |\$)" "$completions/$2.fish" ;;
	esac
}
# PROGRAM WORD…: what bash offers for the last word
complete_bash() {
	bash --norc --noprofile -c '
		. "$1"
		shift
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		"_$1"
		printf "%s\n" "${COMPREPLY[@]}"' bash "$completions/$1.bash" "$@"
}

missing() { # PROGRAM WORDS…
	local o
	for o in $(options "$@"); do
		in_page "$1.1" "$o" || printf '%s is not in %s.1; ' "$o" "$1"
		in_bash "$1" "$o" "${@:2}" || printf '%s is not completed by bash; ' "$o"
		in_zsh "$o" "$1" || printf '%s is not completed by zsh; ' "$o"
		in_fish "$o" "$1" || printf '%s is not completed by fish; ' "$o"
	done
	[ -n "${o:-}" ] || printf 'there are no options'
}
for verb in $(verbs); do
	count_check "polc $verb: its options" "$(missing polc "$verb")"
	wrong=
	roff polc.1 | has "^$verb " || wrong+="not in polc.1; "
	complete_bash polc "${verb:0:2}" | has -x "$verb" || wrong+="not completed by bash; "
	grep -q "^		'$verb:" "$completions/polc.zsh" || wrong+="not completed by zsh; "
	grep -q -- " -a $verb " "$completions/polc.fish" || wrong+="not completed by fish; "
	count_check "polc $verb: the verb" "$wrong"
done
count_check 'polc has verbs' "$([ "$(verbs | wc -l)" -ge 11 ] || verbs)"
count_check 'polrun: its options' "$(missing polrun)"
count_check 'polquery: its options' "$(missing polquery)"
# bash knows of each verb of approvals and left what it takes; --help names all
for sub in 'approvals list revoke' 'left list seen'; do
	read -r sub first second <<<"$sub"
	for o in $(options polquery "$sub"); do
		wrong=
		in_page polquery.1 "$o" || wrong+="not in polquery.1; "
		in_bash polquery "$o" "$sub" "$first" || in_bash polquery "$o" "$sub" "$second" ||
			wrong+="not completed by bash; "
		in_zsh "$o" polquery || wrong+="not completed by zsh; "
		in_fish "$o" polquery || wrong+="not completed by fish; "
		count_check "polquery $sub: $o" "$wrong"
	done
done
# the other way round: nothing is offered that is refused
extra=
for verb in $(verbs); do
	for o in $(complete_bash polc "$verb" -); do
		options polc "$verb" | has -x -- "$o" || extra+="polc $verb $o; "
	done
done
count_check 'nothing else is completed' "$extra"

# --- the pages --------------------------------------------------------------------
if command -v man >/dev/null && command -v groff >/dev/null; then
	for p in polc.1 polrun.1 polquery.1 pol.5; do
		page "$p" >"$work/text"
		count_check "$p: no warnings" "$(cat "$work/warnings")"
		count_check "$p: is a page" "$(grep -q '^NAME' "$work/text" && grep -q '^SEE ALSO' "$work/text" ||
			echo 'no NAME, no SEE ALSO')"
	done
	printf '.TH X 1\n.SH NAME\n.nosuchrequest\n' >"$work/bad.1"
	count_check 'man sees what is wrong' "$(man --warnings -E UTF-8 -l -P cat "$work/bad.1" 2>&1 >/dev/null |
		has . || echo 'no warning')"
else
	skip 'the pages are clean' 'no man or groff here'
fi
reserved() { tr -s ' \n' '\n' | grep -E '^[a-z]+$' | sort; }
count_check 'pol.5: the reserved words' "$(diff \
	<(sed -n '/^policy use let/,/^\.fi/p' doc/man/pol.5 | grep -v '^\.' | reserved) \
	<(sed -n '/^\* Reserved: /,/`\./p' doc/language.md |
		sed 's/.*`policy/policy/; s/`\..*//' | reserved))"
sed -n '/^\.SH EXAMPLE$/,/^\.fi/p' doc/man/pol.5 | sed '/^\./d; s/\\-/-/g' >"$work/example.pol"
count_check 'pol.5: the example is a policy' "$("$BUILD/bin/polc" check "$work/example.pol" 2>&1 |
	grep -E 'error|[1-9][0-9]* failed|no such' | grep -v '^0 errors')"
count_check 'pol.5: the example is tested' "$("$BUILD/bin/polc" check "$work/example.pol" 2>&1 |
	has '2 tests passed' || cat "$work/example.pol")"

# --- the shells ---------------------------------------------------------------------
for p in "${programs[@]}"; do
	count_check "$p.bash: shellcheck" "$(shellcheck -S warning "$completions/$p.bash" 2>&1)"
done
if command -v zsh >/dev/null; then
	for p in "${programs[@]}"; do
		count_check "$p.zsh: syntax" "$(zsh -n "$completions/$p.zsh" 2>&1)"
	done
	mkdir -p "$work/zsh"
	for p in "${programs[@]}"; do
		cp "$completions/$p.zsh" "$work/zsh/_$p"
	done
	count_check 'zsh completes' "$(timeout 200 zsh -f tests/lib/complete.zsh "$work/zsh" \
		'polquery -b x.polb hook ge' gemini-cli 'polquery doctor cu' cursor 'polquery ser' serve \
		'polquery approvals rev' revoke 'polquery left se' seen 'polquery left list --p' --project 'polc compi' compile 'polc effective --format ya' yaml 'polrun --ask fa' fail \
		"polquery -b x serve $completions/polquery.z" polquery.zsh 2>&1)"
else
	skip 'zsh' 'no zsh here'
fi
# the agents are those that polquery knows
count_check 'the agents' "$(diff <("$BUILD/bin/polquery" -b x hook nobody 2>&1 | sed 's/.*agents: //; s/, /\n/g' | sort) \
	<(complete_bash polquery hook '' | sort))"
if command -v fish >/dev/null; then
	for p in "${programs[@]}"; do
		count_check "$p.fish: syntax" "$(fish --no-config -n "$completions/$p.fish" 2>&1)"
	done
	fish_says() { # PROGRAM LINE WANTED
		HOME=$work fish --no-config -c "source $completions/$1.fish; complete -C '$2'" 2>&1 |
			has -E -- "^$3(	|\$)" || echo "of '$2' no '$3'"
	}
	count_check 'fish completes' "$(fish_says polc 'polc che' check
		fish_says polc 'polc check --fa' --fail-on
		fish_says polc 'polc effective --color ' never
		fish_says polc 'polc effective --format ' yaml
		fish_says polc 'polc diff --fail-on ' widening
		fish_says polrun 'polrun --as' --ask
		fish_says polrun 'polrun --ask ' fail
		fish_says polquery 'polquery approvals re' revoke
		fish_says polquery 'polquery le' left
		fish_says polquery 'polquery left se' seen
		fish_says polquery 'polquery left list --pro' --project
		[ -n "$(fish_says polquery 'polquery approvals list --pro' --project)" ] ||
			echo 'an option of left is offered to approvals'
		fish_says polquery 'polquery do' doctor
		fish_says polquery 'polquery -b x.polb se' serve
		fish_says polquery 'polquery -b x.polb hook ge' gemini-cli
		fish_says polquery 'polquery doctor cl' claude-code)"
else
	skip 'fish' 'no fish here'
fi

offers() { # WANTED WORD…: exactly these
	local got
	got=$(cd "$work/files" && complete_bash "${@:2}" | sort | tr '\n' ' ')
	[ "$got" = "$1" ] || echo "of '${*:2}': '$got', want '$1'"
}
mkdir -p "$work/files/dir"
touch "$work/files/a.pol" "$work/files/b.polb"
count_check 'bash completes' "$(offers 'check ' polc ch
	offers 'compile convert ' polc co
	offers '--fail-on --fallback --format ' polc check --f
	offers '--fail-on --fallback --format ' polc diff --f
	offers 'json text ' polc inspect --format ''
	offers 'json text yaml ' polc effective --format ''
	offers 'json markdown text ' polc exposure --format ''
	offers 'error warning ' polc check --fail-on ''
	offers 'any widening ' polc diff --fail-on ''
	offers 'json ' polc inspect --format j
	offers 'json ' polc inspect --format = j
	offers 'json text ' polc inspect --format =
	offers 'a.pol ' polc check a
	offers 'a.pol b.polb dir ' polc check --user ''
	offers 'dir ' polc explain --cwd ''
	offers ' ' polc check --role ''
	offers 'deny fail tty ' polrun --ask ''
	offers 'dir ' polrun --project ''
	offers 'a.pol ' polrun -b x.polb cat a
	offers 'a.pol ' polrun --ask = deny -- cat a
	offers '--record --report --require-signed --role ' polrun -b x --r
	offers 'approvals ' polquery app
	offers 'left ' polquery le
	offers 'list seen ' polquery left ''
	offers '--all ' polquery left seen --a
	offers '--project ' polquery left list --p
	offers ' ' polquery approvals list --p
	offers 'json ' polquery left list --format j
	offers 'doctor ' polquery 'do'
	offers 'hook ' polquery -b x.polb ho
	offers 'serve ' polquery --bundle = x.polb ser
	offers 'claude-code codex copilot-cli cursor gemini-cli opencode pi qwen-code ' polquery hook ''
	offers 'cursor ' polquery -b x.polb hook cu
	offers 'codex ' polquery doctor cod
	offers 'codex copilot-cli ' polquery doctor co
	offers 'a.pol ' polquery -b x.polb serve a
	offers ' ' polquery hook codex ''
	offers ' ' polquery doctor codex c
	offers 'list revoke ' polquery approvals ''
	offers '--all ' polquery approvals revoke --a
	offers ' ' polquery approvals list --a
	offers 'host sandbox ' polquery --scope '')"
count_check 'bash completes commands' "$(complete_bash polrun -b x sh | has -x sh || echo 'no sh')"

# --- the installation ----------------------------------------------------------------
make -s BUILD="$BUILD" VARIANT="$VARIANT" DESTDIR="$work/root" PREFIX=/usr install >"$work/log" 2>&1 ||
	cat "$work/log"
wrong=
for f in man/man1/{polc,polrun,polquery}.1 man/man5/pol.5 \
	bash-completion/completions/{polc,polrun,polquery} \
	zsh/site-functions/_{polc,polrun,polquery} \
	fish/vendor_completions.d/{polc,polrun,polquery}.fish; do
	[ -s "$work/root/usr/share/$f" ] || wrong+="$f is not there; "
done
count_check 'make install puts them' "$wrong"
count_end
