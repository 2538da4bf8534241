# Everyday actions, each done outside of the sandbox and inside; sourced behind live.sh.  Each is a line of bash on
# stdin, and begins in a fresh project below a fresh HOME.
#   same NAME [PROGRAM…]           inside it ends as outside, with the same output and files, and polrun says nothing
#   told NAME LINE WAY [PROGRAM…]  inside it fails, and polrun says LINE, which names the rule and what to write; with
#                                  WAY, which is that, it ends as outside.  WAY '': no rule lets it pass
# Inside is under the profile that a newcomer has, or under the policies in POLICIES.  An action whose PROGRAM is not
# here is skipped.
# shellcheck shell=bash disable=SC2030,SC2031,SC2034,SC2154

SAID=$WORK/said TEMPLATE=$WORK/template POLICIES=('')
export PATH="$PATH:$BIN"
# The same commits in both.
export GIT_AUTHOR_DATE='2026-01-02T03:04:05Z' GIT_COMMITTER_DATE='2026-01-02T03:04:05Z' GIT_TERMINAL_PROMPT=0

mkdir -p "$TEMPLATE/project/src"
(
	cd "$TEMPLATE/project" || exit
	export HOME=$TEMPLATE
	printf '[user]\n\tname = A\n\temail = a@b.c\n[init]\n\tdefaultBranch = main\n' >../.gitconfig
	echo beside >../beside.txt
	echo one >a.txt
	echo 'int main(void) { return 0; }' >src/a.c
	git init -q && git add -A && git commit -q -m one
)

fresh() {
	cd / && chmod -R u+rwx "$HOME" 2>/dev/null
	# what polrun has compiled is kept
	[ ! -d "$HOME/.cache/pol" ] || { rm -rf "$TEMPLATE/.cache" && mkdir "$TEMPLATE/.cache" && mv "$HOME/.cache/pol" "$TEMPLATE/.cache/"; }
	rm -rf "$HOME" && cp -a "$TEMPLATE" "$HOME" && cd "$P" || exit 1
}
# Names, kinds, modes, links and sizes of what is there; of .git and .pol only themselves.
left() { find . \( -path ./.git -o -path ./.pol \) -prune -o -printf '%P %y %m %l ' \( -type f -printf '%s\n' -o -printf '\n' \) | sort; }

# WHERE COMMAND…: what it prints and leaves is in $SAID.WHERE.*, and in rc, out and err.  What bash says of a process
# that a signal has ended has its number.
did() {
	local where=$1
	shift
	timeout -k 5 40 "$@" >"$SAID.$where.out" 2>"$WORK/.err" </dev/null
	rc=$?
	echo $rc >"$SAID.$where.rc"
	sed -E 's/^(.*bash: line [0-9]+): +[0-9]+ /\1: PID /' "$WORK/.err" >"$SAID.$where.err"
	left >"$SAID.$where.left"
	out=$(tr -d '\0' <"$SAID.$where.out") err=$(tr -d '\0' <"$SAID.$where.err")
}
# What ./dev test does not install, since it is large: an action without it is only noted.
LARGE=' cargo cmake g++ gdb go java javac valgrind '
needs() { # NAME PROGRAM…
	local name=$1 p
	shift
	for p in "$@"; do
		[ -z "$(type -P "$p")" ] || continue
		if [[ $LARGE == *" $p "* ]]; then echo "note: $name: no $p"; else skip "$name" "no $p"; fi
		return 1
	done
}
as_outside() {
	local what
	for what in rc out err left; do
		cmp -s "$SAID.outside.$what" "$SAID.inside.$what" ||
			bad "$what differs: $(diff "$SAID.outside.$what" "$SAID.inside.$what" | head -n 20)"
	done
}
# POLICY LINE: a file, `init` for the one that `polc init` writes, or nothing
inside() {
	local which=()
	fresh
	case $1 in
	'') ;;
	init) "$BIN/polc" init >/dev/null 2>&1 || bad "polc init" ;;
	*) which=(-p "$1") ;;
	esac
	did inside polrun "${which[@]}" -c "$2"
}
outside() { # LINE
	fresh
	did outside /bin/bash -c -- "$1"
}

same() {
	local line policy
	line=$(cat)
	needs "$@" || return 0
	for policy in "${POLICIES[@]}"; do
		t "$1${policy:+ (${policy##*/})}"
		outside "$line"
		inside "$policy" "$line"
		as_outside
	done
}

# TEXT: a user's policy, which adds it to the profile
profile_and() {
	printf 'policy u { level user }\nuse std/profile/project\n%s\n' "$1" >"$WORK/way.pol"
}
told() {
	local line expected=$2 way=$3
	line=$(cat)
	needs "$1" "${@:4}" || return 0
	t "$1"
	inside '' "$line"
	[ "$rc" -ne 0 ] || bad "it works"
	want_line "$expected"
	[ -n "$way" ] || return 0
	outside "$line"
	want_rc 0
	profile_and "$way"
	inside "$WORK/way.pol" "$line"
	as_outside
}
