#!/usr/bin/env bash
# What a process of the host does that takes no wall away and ends no run, and what
# is open then: doc/threat-model.md says so ("nothing"), and this is how it is.
# long: every fourth day, as root and as a user in turn
# timing: waits for runs to begin and to end
# places:
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/walls.sh
. "$(dirname "$0")/../lib/walls.sh"

lives() { # the run has not ended; it is ended here
	kill -0 "$pid" 2>/dev/null || bad "the run has ended: $(cat "$WORK/.err")"
	kill -TERM "$pid" 2>/dev/null
	wait "$pid"
	rc=$? err=$(cat "$WORK/.err")
	want_rc 143
	grep -q '"wall_gone": *null' "$WORK/report" || bad "the report tells of a wall"
}
# --- copies -----------------------------------------------------------------------------

# NAME that the copy has | what a person does outside
copies() {
	cat <<-'EOF2'
		.env.bak|cp .env .env.bak
		.env.bak|ln .env .env.bak
		.env.swp|cat .env >.env.swp
		other/env|cp -p .env other/env
		k2/key|cp -r keys k2
	EOF2
}
for view in project anywhere; do
	while IFS='|' read -r copy line; do
		t "$view: a copy has no wall, and the file keeps its own: $line"
		made
		begin "$view" r "$copy"
		bash -c "$line" || bad "outside: $line"
		appears "$P/got"
		lives
		want_text refused "$WORK/began"
		made
		bash -c "$line"
		"$BIN/polrun" -b "$WORK/$view.polb" -y sh -c "cat $copy; cat .env keys/key" >"$WORK/.out" 2>/dev/null
		out=$(cat "$WORK/.out")
		[ "$out" = SECRET ] || bad "the copy, or more than the copy: $out"
	done < <(copies)
	t "$view: a copy of what may not be written can be written"
	made
	begin "$view" w l2/file
	cp -r locked l2
	appears "$P/got"
	lives
	want_text kept locked/file
done

policy "$RULES"'file { hide "${PROJECT_DIR}/.env.bak", "${PROJECT_DIR}/.env.swp" }' named
anywhere_policy "$RULES"'file { hide "${PROJECT_DIR}/.env.bak", "${PROJECT_DIR}/.env.swp" }' named_anywhere
for view in named named_anywhere; do
	for line in 'cp .env .env.bak' 'ln .env .env.bak' 'cat .env >.env.swp'; do
		t "$view, the control: a name of a copy that is hidden, too: $line"
		made
		begin "$view" r "${line##*[ >]}"
		bash -c "$line" || bad "outside: $line"
		ended '\.pol:' "/${line##*[ >]}"
	done
done

# --- git's settings, and what git makes ----------------------------------------------------

for view in project anywhere; do
	t "$view: core.hooksPath that changes in a run counts from the next one on"
	made
	mkdir .githooks
	export GIT_CONFIG_GLOBAL=$HOME/.gitconfig
	cat >line.sh <<-'EOF2'
		echo began
		while ! [ -e go ]; do :; done
		echo '#!/bin/sh' >.githooks/pre-commit
		sleep 60
	EOF2
	start "$view"
	git config --global core.hooksPath .githooks || bad "outside"
	: >go
	appears .githooks/pre-commit
	lives
	[ "$(git rev-parse --git-path hooks)" = .githooks ] || bad "the control: git has other hooks"
	want_file .githooks/pre-commit # git would run it
	"$BIN/polrun" -b "$WORK/$view.polb" sh -c 'echo bad >>.githooks/pre-commit; echo bad >.githooks/new; echo free >other/free' 2>/dev/null
	want_text '#!/bin/sh' .githooks/pre-commit
	no_file .githooks/new
	want_text free other/free
	rm -f "$HOME/.gitconfig"
	export GIT_CONFIG_GLOBAL=/dev/null

	t "$view: git init outside, where there was no repository: what appears is kept as it is"
	made
	rm -rf .git
	begin "$view" w .git/config
	git init -q . || bad "outside"
	cp .git/config "$WORK/config"
	sleep 0.3 # time: nothing may come of it
	no_file got
	lives
	cmp -s .git/config "$WORK/config" || bad "it was written"
	want_line '\.git/config has appeared: look at it'

	t "$view: the bundle is compiled anew, and a file is written as it is"
	made
	begin "$view" r .env
	(cd "$WORK" && "$BIN/polc" compile "$view.pol" -o "$view.polb") >/dev/null 2>&1 || bad "not compiled"
	echo more >>.env
	: >.env
	echo SECRET >.env
	sleep 0.2 # time: nothing may come of it
	no_file got
	lives
done

# --- mounts ----------------------------------------------------------------------------------

# In a mount namespace that the test and polrun share.  A run of root's needs a tmpfs
# whose owners can be mapped (Linux 6.3).
made
if is_root && unshare -m --propagation private sh -c 'mkdir mnt && mount -t tmpfs none mnt && exec "$@"' - \
	"$BIN/polrun" -b "$WORK/project.polb" true 2>/dev/null </dev/null; then
	policy "$RULES"'file { hide "${PROJECT_DIR}/mnt/token" }' token
	cat >"$WORK/mounted.sh" <<-'EOF2'
		mkdir mnt && mount -t tmpfs none mnt && echo there >mnt/file && echo SECRET >mnt/token || exit 9
		echo 'cat mnt/file; echo new >mnt/new; : >up; while ! [ -e go ]; do :; done
			cat mnt/file; cat .env keys/key; echo end' >line.sh
		"$@" sh line.sh >said & pid=$!
		timeout 30 sh -c 'until [ -e up ]; do sleep 0.01; done'
		cat mnt/new
		umount -l mnt
		rmdir mnt || exit 8
		mkdir mnt && echo SECRET2 >mnt/token
		sleep 0.3 # time: what polrun would end is ended by then
		: >go
		wait $pid
	EOF2
	mounted() { # VIEW
		made
		out=$(unshare -m --propagation private sh "$WORK/mounted.sh" "$BIN/polrun" -b "$WORK/$1.polb" -y \
			--report "$WORK/report" 2>"$WORK/.err" </dev/null)
		rc=$? err=$(cat "$WORK/.err")
		want_out '^new$'
		out=$(cat said)
		want_out '^there$'
		no_out SECRET
	}
	for view in project anywhere; do
		t "$view: a mount below the project is taken away, with its place"
		mounted "$view"
		want_rc 0
		want_out '^end$'
		[ "$(grep -c there <<<"$out")" -eq 1 ] || bad "it is still there"
		grep -q '"wall_gone": *null' "$WORK/report" || bad "the report tells of a wall"
	done
	t "the control: with it goes a wall that stood on it"
	mounted token
	want_rc 123
	want_line 'run ended: outside of it .*/mnt[a-z/]* .*\.pol:'
	no_out '^end$'
fi

# --- what the policy gives --------------------------------------------------------------------

t "what people run when they ask for it is the run's to write; what is run unasked is not"
made
echo 'all:' >Makefile
echo mine >.envrc
"$BIN/polrun" -b "$WORK/project.polb" sh -c 'echo "	echo bad" >>Makefile; echo "{}" >package.json; echo bad >>.envrc' 2>/dev/null
grep -q bad Makefile || bad "the control: Makefile was not written"
want_file package.json
want_text mine .envrc

t "the name and the size of what is hidden or not there by a rule"
made
"$BIN/polrun" -b "$WORK/project.polb" -y sh -c 'ls -A; cat .env; ls keys' >"$WORK/.out" 2>/dev/null
out=$(cat "$WORK/.out")
want_out '^\.env$'
want_out '^keys$'
no_out 'SECRET|^key$'
done_
