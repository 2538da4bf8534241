#!/usr/bin/env bash
# A run closes a directory (chmod 000) while a shell of the user works in a directory below it.  polrun notices all the
# same what that shell does to a protected path, and ends the run; other names do not end it.  And a run cannot open
# (chmod 700) a directory that was closed when the run began, if a rule hides a name in it.
# timing: waits for runs to begin and to end
# places:
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"

HEAD=${HEAD/'allow read, exec "/usr"'/"allow read, exec \"$PROBES\", \"/usr\""}
RULES='file { allow read, write, exec "${PROJECT_DIR}"
	hide "${PROJECT_DIR}/app/.env", "${PROJECT_DIR}/app/late/token", "${PROJECT_DIR}/shut/in/token"  deny write "${PROJECT_DIR}/app/way/name" }'
policy "$RULES" native
policy "$RULES
file { deny write \"\${PROJECT_DIR}/app/kept\", \"\${PROJECT_DIR}/**/*.locked\" }" brokered
RUN_OPTIONS=(-y)

make_project() {
	cd "$WORK" || exit 1
	chmod -R u+rwx "$P" 2>/dev/null
	rm -rf "$P"
	mkdir -p "$P/app/deep" "$P/app/real" "$P/app/other" "$P/shut/in" "$P/mute"
	cd "$P" || exit 1
	echo SECRET >app/.env
	echo kept >app/kept
	ln -s real app/way
	echo name >app/real/name
	echo SECRET >shut/in/token
	echo open >mute/file
	chmod 000 shut mute
	cat >closer.py <<-'EOF2'
		import os, sys, time
		closes, what = sys.argv[1:]
		os.chdir("app")
		draft = open("draft", "r+")
		if closes == "closed":
		    os.chmod("..", 0)
		print("began", flush=True)
		end = time.time() + 12
		while time.time() < end and not os.path.exists("deep/over"):
		    if what != "-":
		        try:
		            text = open(what).read()
		            if text:
		                print("read", text, flush=True)
		        except OSError:
		            pass
		draft.write("written")
		draft.flush()
	EOF2
	echo draft >app/draft
}
has_begun() { grep -q began "$WORK/said" || is_over "$pid"; }

# VIEW closed|open FILE LINE: the run reads FILE again and again (-: nothing); the user's shell runs LINE in the
# directory app, with the directory above it closed or open.
run_beside_shell() {
	make_project
	: >"$WORK/said"
	# before the run closes the way
	cd app || exit 1
	(cd .. && exec "$BIN/polrun" -y -b "$WORK/$1.polb" python3 closer.py "$2" "$3" >"$WORK/said" 2>"$WORK/.err" \
		</dev/null) &
	pid=$!
	within 30 has_begun
	sleep 0.3 # time: the look after the change of the mode
	bash -c "$4" 2>/dev/null || bad "outside: $4"
	sleep 1.5 # time: for the end of the run
	touch deep/over
	wait "$pid"
	rc=$?
	chmod 755 "$P"
	cd "$P" || exit 1
	out=$(cat "$WORK/said") err=$(cat "$WORK/.err")
	want_out '^began$'
}

for view in native brokered; do
	for way in open closed; do
		t "$view, $way: a person replaces a hidden file"
		run_beside_shell "$view" "$way" .env 'echo SECRET-2 >new; mv new .env'
		want_rc 123
		want_line 'run ended: outside of it .*/app/\.env .*was moved, replaced or removed.*'
		[ "$(grep -c SECRET-2 <<<"$out")" -lt 1000 ] || bad 'read all the time'

		t "$view, $way: a person makes a hidden file that was absent"
		run_beside_shell "$view" "$way" late/token 'mkdir late; echo SECRET >late/token'
		want_rc 123
		want_line 'run ended: outside of it .*/app/late/token .*'

		t "$view, $way: a person makes a link anew"
		run_beside_shell "$view" "$way" - 'ln -sfn other way'
		want_rc 123
		want_line 'run ended: outside of it .*/app/way.*'

		t "$view, $way: a person saves another file"
		run_beside_shell "$view" "$way" deep/x 'echo x >new; mv new deep/x; echo y >deep/x'
		want_rc 0
		want_out '^read [xy]'
	done
done
for view in native brokered; do
	t "$view: a directory that was closed before the run"
	make_project
	run_with "$view" sh -c 'chmod 700 shut; cat shut/in/token; mv shut gone; chmod 700 gone; cat gone/in/token'
	no_out SECRET
	want_err 'Permission denied'
	run_with "$view" sh -c 'chmod 700 mute && cat mute/file'
	want_rc 0
	want_out '^open$'
done
for way in open closed; do
	t "brokered, $way: a person gives a file that the run writes a denied name"
	run_beside_shell brokered "$way" - 'mv draft kept'
	want_rc 123
	want_line 'run ended: outside of it .*/app/kept .*'
	[ "$(cat "$P/app/kept")" = draft ] || bad "it was written"
done
done_
