# What a process of the host does to a running sandbox's walls: helpers of the
# tests; sourced.  WALLS_RUNS: how often each (2).
# shellcheck shell=bash disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"

runs=${WALLS_RUNS:-2}
export GIT_CONFIG_GLOBAL=/dev/null GIT_TERMINAL_PROMPT=0

RULES='file {
    allow read, write, exec "${PROJECT_DIR}"
    hide "${PROJECT_DIR}/.env", "${PROJECT_DIR}/keys", "${HOME}/token", "${HOME}/late/token"
    deny write "${PROJECT_DIR}/locked", "${PROJECT_DIR}/sub/way/name"
}
'
anywhere_policy() { # RULES NAME: all of the host can be read
	raw_policy "policy t { base none }
command { otherwise allow }
file { allow read \"/\"  allow exec \"/usr\", \"/bin\", \"/lib\", \"/lib64\"  scratch \"/tmp\" }
network disabled
env { keep PATH, HOME }
$1" "$2"
}
policy "$RULES" project
anywhere_policy "$RULES" anywhere

made() { # everything anew
	cd "$WORK" || exit 1
	[ ! -d "$HOME/late" ] || chmod 700 "$HOME/late"
	rm -rf "$P" "$HOME/token" "$HOME/late" "$WORK/remote"
	mkdir -p "$P/keys" "$P/locked" "$P/real" "$P/other" "$P/sub"
	cd "$P" || exit 1
	git init -q -b main . && git init -q --bare "$WORK/remote" &&
		git remote add origin "$WORK/remote" && git config user.email a@b.c &&
		git config user.name A && git commit -q --allow-empty -m m || bad "no repository"
	echo SECRET >.env
	echo SECRET >keys/key
	echo SECRET >"$HOME/token"
	echo kept >locked/file
	echo kept >real/name
	echo other >other/name
	ln -s ../real sub/way
	cp "$PROBES/wall_probe" probe
}

around=()
# VIEW [ARGUMENT…]: a run of line.sh, which says so when it has begun.
start() {
	local view=$1
	shift
	: >"$WORK/began"
	"${around[@]}" "$BIN/polrun" -b "${bundle:-$WORK/$view.polb}" --report "$WORK/report" \
		sh line.sh "$@" >"$WORK/began" 2>"$WORK/.err" </dev/null &
	pid=$!
	within 30 has_begun
	[ -s "$WORK/began" ] || bad "the run did not begin"
}
has_begun() { [ -s "$WORK/began" ] || is_over "$pid"; }

# VIEW MODE FILE [BEFORE]: a run that tries FILE until it ends.
begin() {
	cat >"$P/line.sh" <<-EOF2
		${4:-}
		exec ./probe $2 "$3" "$P/got"
	EOF2
	start "$1"
}

# RULE PATH: the run ends by itself, in 123.
ended() {
	if ! within 30 is_over "$pid"; then
		kill -KILL "$pid" # it may be stopped
		bad "the run went on"
	fi
	wait "$pid"
	rc=$? out=$(cat "$WORK/began") err=$(cat "$WORK/.err")
	want_rc 123
	want_out '^refused$'
	want_line "run ended: outside of it .*$2 .*$1"
	grep -q '"wall_gone": *{' "$WORK/report" || bad "the report does not tell it"
	! alive "$P/got" || bad "something of the run is left"
}

# What is only not to be written is decided by name: the run goes on, and gets nothing.
unharmed() { # RULE PATH, of which nothing is said
	sleep 0.3 # time: nothing may come of it
	kill -0 "$pid" 2>/dev/null || bad "the run has ended: $(cat "$WORK/.err")"
	kill -TERM "$pid"
	wait "$pid"
	rc=$? err=$(cat "$WORK/.err")
	want_rc 143
	no_file got
	grep -q '"wall_gone": *null' "$WORK/report" || bad "the report tells of a wall"
}

# Waits until polrun has stopped, as its command did.  No process is begun to look:
# on a busy machine that takes longer than polrun stays stopped.
is_stopped() {
	local state
	read -r state <"/proc/$pid/stat" && [[ ${state##*) } == T* ]]
}
stopped() { within 30 is_stopped || bad "polrun has not stopped"; }
# Stops it from outside, again and again until that is seen: it wakes itself.
halt() { kill -STOP "$pid" && is_stopped; }
halted() { within 30 halt || bad "polrun does not stop"; }

appears() { within 30 test -s "$1" || bad "$1 does not appear"; } # FILE

# A control: the run gets what it tries, into "got", and is ended here.
gets_it() {
	appears got
	want_file got
	kill -TERM "$pid"
	wait "$pid"
	rc=$?
	want_rc 143
}
