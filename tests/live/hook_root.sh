#!/usr/bin/env bash
# The project of a session is where it began, whatever its later messages say.
# week: once a week, as root and as a user in turn
# shellcheck disable=SC2034,SC2154,SC2016
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
top=$(cd "$(dirname "$0")/../.." && pwd)
V=$HOME/victim
mkdir -p "$P/.git" "$P/src" "$V/.git"
raw_policy 'policy agent { level user }
command { allow "echo **", "cat **", "cd **", "pwd" }
file { deny read "${PROJECT_DIR}/.env" as secret  allow read "${HOME}/renamed"  allow read, write "${PROJECT_DIR}" }' r
B=$WORK/r.polb
echo TOPSECRET >"$P/.env"
cp "$B" "$WORK/run.polb"
# Sends the recorded message of AGENT from directory AT, with a command LINE in the working
# directory CWD, in session SESSION.  START is what the client says of the session's beginning.
ask() { # AGENT START CWD LINE|FILE:PATH [SESSION] [POLQUERY-OPTIONS…]
	out=$(python3 - "$top/tests/lib/hooks/session.tsv" "$P" "$V" "$BIN/polquery" "$B" "$@" <<-'PY'
		import json, os, subprocess, sys
		table, project, victim, polquery, bundle, agent, start, cwd, line = sys.argv[1:10]
		session, more = (sys.argv[10:11] + [""])[0], sys.argv[11:]
		rows = [r.rstrip("\n").split("\t") for r in open(table) if not r.startswith("#")]
		doc = json.loads(dict(rows)[agent].replace("@P@", project).replace("@V@", victim))
		doc["cwd"] = cwd
		if session:
		    doc["session_id"] = session
		doc["tool_input"]["command"] = line
		if line.startswith("FILE:"):
		    doc["tool_name"] = {"claude-code": "Write", "codex": "apply_patch", "gemini-cli": "write_file"}[agent]
		    doc["tool_input"] = {"file_path": line[5:], "content": "x"} if agent != "codex" else {
		        "command": f"*** Begin Patch\n*** Add File: {line[5:]}\n+x\n*** End Patch\n"}
		doc["tool_input"].pop("dir_path", None)
		env = {k: v for k, v in os.environ.items() if not k.endswith("_PROJECT_DIR")}
		if start and agent != "codex":
		    env[{"claude-code": "CLAUDE", "gemini-cli": "GEMINI"}[agent] + "_PROJECT_DIR"] = start
		got = subprocess.run([polquery, "-b", bundle, "hook", agent] + more, input=json.dumps(doc), capture_output=True, text=True,
		                     env=env, cwd=start if agent == "codex" else cwd)
		print(got.stdout or got.stderr)
	PY
	)
}
allows() { [[ $out == *'"allow"'* || $out == "{}" ]] || bad "$1: not allowed"; }
denies() { [[ $out == *'"deny"'* ]] || bad "$1: not denied"; }

for agent in claude-code codex gemini-cli; do
	t "$agent: no later directory of a message moves the project"
	ask $agent "$P" "$P" "FILE:$P/src/a"
	allows "the control: in the project"
	ask $agent "$P" "$P/src" "FILE:$P/src/a"
	allows "in the project, from a folder of it"
	ask $agent "$P" "$P/src" "FILE:$P/b"
	allows "in the project, above the working directory"
	for line in "FILE:$V/a" 'echo x >a' "echo x >$V/a" 'cd . && echo x >a'; do
		ask $agent "$P" "$V" "$line"
		denies "in another project: $line"
	done
	ask $agent "$P" "$V" "FILE:$P/src/a"
	allows "in the project, from elsewhere"
	for line in 'cat ../.env' "cat $P/.env"; do
		ask $agent "$P" "$P/src" "$line"
		denies "what is hidden, from a folder of the project: $line"
	done
	# the control: a session that begins there writes there, in a session of its own
	ask $agent "$V" "$V" "FILE:$V/a" "other-$agent"
	allows "the other project's own session"

	t "$agent: the first project of a session stays; a message without a session id has no memory"
	ask $agent "$V" "$V" "FILE:$V/a"
	denies "the same session id, begun again elsewhere"
	ask $agent "$V" "$V" "FILE:$P/a"
	allows "the same session id is still in its project"
	mkdir -p "$P/src/.git"
	ask $agent "$P/src" "$P/src" "FILE:$P/b"
	allows "a .git that a line made narrows nothing"
	rmdir "$P/src/.git"

	t "$agent: the first message of a session names another directory"
	ask $agent "$P" "$V" "FILE:$V/a" "first-$agent"
	denies "where the message works"
	ask $agent "$P" "$V" "FILE:$P/a" "first-$agent"
	allows "the control: in the project in which the session began"

	t "$agent: a record that another user could have written, or that is damaged, denies"
	state=$HOME/.local/state/pol/sessions
	ask $agent "$P" "$P" "FILE:$P/a"
	allows "the control"
	chmod 777 "$state"
	ask $agent "$P" "$P" "FILE:$P/a"
	denies "a folder that others may write"
	chmod 700 "$state"
	mkdir "$WORK/kept" && mv "$state"/* "$WORK/kept"
	for name in "$WORK/kept"/*; do echo relative/path >"$state/${name##*/}"; done
	ask $agent "$P" "$P" "FILE:$P/a"
	denies "a record that is none"
	rm -r "$state" && mv "$WORK/kept" "$state" && chmod 700 "$state"

	t "$agent: a folder of records that the project names in a variable (Gemini CLI takes .env's) counts for nothing"
	export XDG_STATE_HOME=$P/planted
	ask $agent "$P" "$P" "FILE:$P/a" "planted-$agent"
	allows "the control"
	mkdir -p "$XDG_STATE_HOME/pol/sessions"
	for name in "$state"/*; do echo "$V" >"$XDG_STATE_HOME/pol/sessions/${name##*/}"; done
	for name in "$XDG_STATE_HOME/pol/sessions"/*; do echo "$V" >"$name"; done
	ask $agent "$P" "$P" "FILE:$V/a" "planted-$agent"
	denies "the project that the planted record names"
	ask $agent "$P" "$P" "FILE:$P/a" "planted-$agent"
	allows "the session's own project"
	unset XDG_STATE_HOME
	rm -r "$P/planted"

	t "$agent: a project whose directory, or one above it, has become a link is not the project that the link leads to"
	M=$WORK/moves
	mkdir -p "$M/up/app" "$M/other/app"
	ask $agent "$M/up/app" "$M/up/app" "FILE:$M/up/app/a" "moved-$agent"
	allows "the control: before"
	ask $agent "$M/up/app" "$M/up/app" "FILE:$M/other/app/a" "moved-$agent"
	denies "the control: the other directory"
	for moved in up/app up; do
		mv "$M/$moved" "$M/kept" && ln -s "$M/other/app" "$M/$moved"
		[ $moved = up/app ] || { rm "$M/$moved" && ln -s other "$M/$moved"; }
		for file in "$M/up/app/a" "$M/other/app/a"; do
			ask $agent "$M/up/app" "$M/other/app" "FILE:$file" "moved-$agent"
			denies "$moved is a link: ${file#"$M/"}"
		done
		ask $agent "$M/up/app" "$M/up/app" 'echo x >a' "moved-$agent"
		denies "$moved is a link: a line"
		rm "$M/$moved" && mv "$M/kept" "$M/$moved"
	done
	ask $agent "$M/up/app" "$M/up/app" "FILE:$M/up/app/a" "moved-$agent"
	allows "the control: after"
	rm -r "$M"

	t "$agent: a project that was renamed, or is no directory, keeps what its rules keep"
	M=$HOME/renamed
	mkdir -p "$M/app/.git" && echo TOPSECRET >"$M/app/.env"
	ask $agent "$M/app" "$M/app" "FILE:$M/app/a" "renamed-$agent"
	allows "the control: before"
	mv "$M/app" "$M/other"
	ask $agent "$M/other" "$M/other" 'cat .env' "renamed-$agent"
	denies "what its rules deny, at its new name"
	ask $agent "$P" "$M/other" "FILE:$M/app/a" "renamed-$agent"
	denies "a file where the project was"
	echo x >"$M/app"
	ask $agent "$P" "$M/other" 'cat .env' "renamed-$agent"
	denies "a file has the project's name"
	rm "$M/app" && mv "$M/other" "$M/app"
	ask $agent "$M/app" "$M/app" "FILE:$M/app/a" "renamed-$agent"
	allows "the control: put back"
	if [ $agent != codex ]; then
		for start in /nonexistent /dev/null "$M/app/../none"; do
			ask $agent "$start" "$M/app" "FILE:$M/app/a" "none-$agent-$start"
			denies "a session that begins in $start"
		done
	fi

	if ! is_root; then
		t "$agent: a folder that a run has closed does not make the one around it the project"
		mkdir -p "$M/.git" "$M/app/src"
		ask $agent "$M/app/src" "$M/app/src" "FILE:$M/b" "closed1-$agent"
		denies "the control: above the project"
		[ $agent = codex ] || {
			chmod 0 "$M/app"
			ask $agent "$M/app/src" "$M" "FILE:$M/b" "closed2-$agent"
			denies "above the project, which is closed"
			chmod 755 "$M/app"
		}
		ask $agent "$M" "$M" "FILE:$M/b" "closed3-$agent"
		allows "the control: the project around it"
	fi
	rm -rf "$M"

	t "$agent: --run: the walls are those of the session's project"
	policy '' run
	ask $agent "$P" "$P" 'echo a' '' --run "$WORK/run.polb"
	[[ $out == *"--project '$P'"* ]] || bad "the control: $out"
	ask $agent "$P" "$V" 'echo a' '' --run "$WORK/run.polb"
	denies "a directory elsewhere"
done
for agent in claude-code gemini-cli; do
	t "$agent: where nobody saw the start nothing is in the project, and the answer says what to do"
	ask $agent "" "$P" "FILE:$P/a" new-session
	want_out "deny.*nobody has seen.*_PROJECT_DIR"
	ask $agent "" "$P" 'echo a' new-session
	want_out "deny.*nobody has seen.*_PROJECT_DIR"
	ask $agent "relative/dir" "$P" "FILE:$P/a" new-session
	denies "a start that is no absolute path"
	ask $agent "$HOME" "$P" "FILE:$P/a" new-session
	denies "a start in HOME itself"
	ask $agent "$P" "$P" "FILE:$P/a" new-session
	allows "the control: the start is known"
	ask $agent "" "$P" "FILE:$P/a" new-session
	allows "and recorded"
done

done_
