#!/usr/bin/env bash
# A file that the run can write, by a descriptor or by another name, is given a denied
# name by a process outside: the run ends, naming it, and does not write on.  What a
# person changes without that leaves the run as it is.
# WALLS_ONLY: a regular expression over NAME, which of the rows.
# long: every fourth day, as root and as a user in turn
# timing: waits for runs to begin and to end
# places:
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/walls.sh
. "$(dirname "$0")/../lib/walls.sh"

mkdir -p "$WORK/native"
policy "file {
    allow read, write, exec \"\${PROJECT_DIR}\", \"$WORK/native\"
    deny write \".env*\", \"**/*.key\"
}
" held
policy 'file {
    allow read, write, exec "${PROJECT_DIR}"
    deny write ".env*", "**/*.key"
}
' alone

# VIEW LINES…: a run that has done LINES, waits for "moved", and then tries to write to descriptor 7
# and to "mine".
hold() {
	local view=$1
	shift
	made
	mkdir dir src
	echo one >CLAUDE.md
	echo two >tmpc
	cp .git/config .git/config.lock
	rm -rf "${WORK:?}/native"
	mkdir "$WORK/native"
	echo two >"$WORK/native/x"
	cat >map.py <<-'EOF2'
		import mmap, os, time
		with open('tmpc', 'r+b') as f:
		    m = mmap.mmap(f.fileno(), 0)
		open('mapped', 'w').close()
		while not os.path.exists('moved'):
		    time.sleep(0.05)
		time.sleep(1.5)
		m[0:4] = b'EVIL'
		m.flush()
		open('tried', 'w').close()
	EOF2
	printf '%s\n' "$@" >line.sh
	cat >>line.sh <<-'EOF2'
		sleep 0.2
		echo up
		i=0
		while [ $i -lt 600 ] && [ ! -e moved ]; do sleep 0.05; i=$((i + 1)); done
		sleep 1.5
		echo EVIL >&7
		[ ! -e mine ] || echo EVIL >>mine
		echo tried >tried
		sleep 0.3
		echo still >still
		exec sleep 60
	EOF2
	start "$view"
}
# RULE PATH: the run has ended and nothing was written.
lost() {
	touch moved
	within 30 is_over "$pid" || { kill -KILL "$pid"; bad "the run went on"; }
	wait "$pid"
	rc=$? err=$(cat "$WORK/.err")
	want_rc 123
	want_line "run ended: outside of it .*$2 was given to what the run could write.*$1"
	grep -q '"wall_gone": *{' "$WORK/report" || bad "the report does not tell it"
	no_file tried
	rm line.sh map.py
	! grep -rqs EVIL . "$WORK/native" || bad "it was written all the same"
}
# The run goes on, and what it holds is written.
goes_on() {
	touch moved
	within 30 test -s still || bad "the run did not go on: $(cat "$WORK/.err")"
	kill -TERM "$pid"
	wait "$pid"
	rc=$?
	want_rc 143
	grep -q '"wall_gone": *null' "$WORK/report" || bad "the report tells of a wall"
}

# NAME | VIEW | what the run does | what a person does | RULE | PATH
table() {
	cat <<-'EOF2'
		a lock of git's|alone|exec 7>>.git/config.lock|mv .git/config.lock .git/config|floor\.pol|\.git/config
		a temporary file|alone|exec 7>>tmpc|mv tmpc CLAUDE.md|floor\.pol|CLAUDE\.md
		one that the run made|alone|exec 7>new|mv new CLAUDE.md|floor\.pol|CLAUDE\.md
		a name that was absent|alone|exec 7>>tmpc|mv tmpc .envrc|.pol:|\.envrc
		a name by a wildcard, deep|alone|exec 7>src/x|mv src/x src/a.key|\.pol:|src/a\.key
		a directory above it|alone|exec 7>dir/pre-commit|rm -rf .git/hooks; mv dir .git/hooks|floor\.pol|\.git/hooks/pre-commit
		the directory of directories|alone|mkdir -p dir/hooks; exec 7>dir/hooks/pre-commit|mv .git old; mv dir .git|floor\.pol|\.git/hooks/pre-commit
		closed already|alone|echo two >tmpc; exec 7>other.txt|mv tmpc CLAUDE.md|floor\.pol|CLAUDE\.md
		a second name by the run|alone|ln tmpc mine; exec 7>other.txt|mv tmpc .envrc|\.pol:|\.envrc
		a second name, of what is moved|alone|ln tmpc mine; exec 7>other.txt|mv mine .envrc; mv tmpc mine|\.pol:|\.envrc
		mapped|alone|python3 map.py & while [ ! -e mapped ]; do sleep 0.05; done; exec 7>other.txt|mv tmpc CLAUDE.md|floor\.pol|CLAUDE\.md
		moved by the run before|alone|exec 7>a; mv a b|mv b CLAUDE.md|floor\.pol|CLAUDE\.md
		a second name by a person|alone|exec 7>other.txt|ln -f tmpc CLAUDE.md|floor\.pol|CLAUDE\.md
		a symbolic link|alone|exec 7>other.txt|ln -sfn tmpc CLAUDE.md|floor\.pol|CLAUDE\.md
		from a tree without names|held|exec 7>>$NATIVE/x|mv $WORK/native/x CLAUDE.md|floor\.pol|CLAUDE\.md
	EOF2
}
only=${WALLS_ONLY:-.}
export NATIVE=$WORK/native
while IFS='|' read -r name view before outside rule path; do
	[[ "$name" =~ $only ]] || continue
	t "it ends: $name"
	hold "$view" "${before//\$NATIVE/$NATIVE}"
	bash -c "$outside" >/dev/null 2>&1 || bad "outside: $outside"
	lost "$rule" "$path"
done < <(table)

# NAME | VIEW | what the run does | what a person does
unharmed() {
	cat <<-'EOF2'
		git config|alone|exec 7>>tmpc|rm .git/config.lock; git config user.name X
		sed -i|alone|exec 7>>tmpc|sed -i s/one/two/ CLAUDE.md
		rm and made anew|alone|exec 7>>tmpc|rm CLAUDE.md; sleep 0.1; echo three >CLAUDE.md
		a file that the run did not write|alone|exec 7>>tmpc|echo three >n; mv n CLAUDE.md
		the same with another tree|held|exec 7>>tmpc|echo three >n; mv n CLAUDE.md
		hooks made anew|alone|exec 7>>tmpc|rm -rf .git/hooks; mkdir .git/hooks; touch .git/hooks/pre-commit
		another allowed name|alone|exec 7>>tmpc|mv tmpc tmpd
		an allowed name in another directory|alone|exec 7>src/x|mv src src2
		out of the project|alone|exec 7>>tmpc|mv tmpc ../tmpc
		removed|alone|exec 7>>tmpc|rm tmpc
		many files before|alone|i=0; while [ $i -lt 1200 ]; do echo x >f$i; i=$((i+1)); done; exec 7>>tmpc|mv f7 f8; echo three >n; mv n CLAUDE.md
	EOF2
}
while IFS='|' read -r name view before outside; do
	[[ "$name" =~ $only ]] || continue
	t "it goes on: $name"
	hold "$view" "$before"
	bash -c "$outside" >/dev/null 2>&1 || bad "outside: $outside"
	goes_on
	for f in CLAUDE.md .git/config .git/hooks; do
		! grep -rqs EVIL "$f" || bad "$f was written"
	done
done < <(unharmed)

done_
