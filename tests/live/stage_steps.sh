#!/usr/bin/env bash
# The steps of the set-up that only a staged run has: each without which a row here fails.
# places:
# shellcheck disable=SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
# shellcheck source=tests/lib/stage.sh
. "$(dirname "$0")/../lib/stage.sh"
mkdir -p "$P/hid" && echo s >"$P/hid/s"
policy "file { allow read, write \"$WORK/out\" }"

t "overlay: what a staged run writes is not outside"
staged sh -c "echo x >new; echo x >$WORK/out/new"
want_rc 0
no_file "$P/new"
no_file "$WORK/out/new"
verb discard
want_rc 0
run sh -c "echo x >new; echo x >$WORK/out/new"
want_text x "$P/new"
want_text x "$WORK/out/new"

t "overlay-probe: an upper layer that takes no write is a refusal, before the command starts"
if is_root; then
	mkdir -p "$WORK/few"
	# shellcheck disable=SC2016
	for n in $(seq 8 26); do # inodes: with few there is no stage, with some no room for a file
		unshare -m bash -c "$(declare -f small_fs)"'
			small_fs 2m "$1/few" && export XDG_STATE_HOME="$1/few" || exit 9
			if [ "$(stat -f -c %T "$1/few")" = tmpfs ]; then
				mount -o "remount,nr_inodes=$3" "$1/few"
			else
				seq "$(($(df --output=iavail "$1/few" | tail -n 1) - $3 + 1))" | (cd "$1/few" && xargs touch)
			fi || exit 9
			"$2/polrun" --stage -b "$1/p.polb" sh -c "echo started; echo x >no"' - "$WORK" "$BIN" "$n" \
			>>"$WORK/few.out" 2>&1 </dev/null
	done
	no_file "$P/no"
	out=$(<"$WORK/few.out")
	want_out "^polrun: refused: /.*/project cannot be staged: (the state's file system takes no upper layer|a write for a trial failed): [A-Z][a-z -]*\$"
	want_out '^started$'
	# who has started could write
	no_out 'cannot create no'
fi

if [ -n "${POL_TEST_PAUSE:-}" ]; then
	t "overlay-check: a place in a staged tree that is exchanged after the decision is refused"
	# shellcheck disable=SC2016
	policy 'file { hide "${PROJECT_DIR}/hid" }' hidden
	(
		sleep 0.2 # polrun waits for half a second before the clone
		mv "$P/hid" "$P/hid.old" && mkdir "$P/hid"
	) &
	run_with hidden --stage true
	wait $!
	want_rc 125
	want_err 'exchanged'
	rmdir "$P/hid" && mv "$P/hid.old" "$P/hid"
	run_with hidden --stage true
	want_rc 0
fi

done_
