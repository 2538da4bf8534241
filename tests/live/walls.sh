#!/usr/bin/env bash
# What a process of the host does to the names that a running sandbox's walls
# hang on: the run ends with 123, naming rule and path, or it never sees what was
# hidden; and what is only not to be written it does not write, and goes on.  WALLS_RUNS: how often each (2);
# WALLS_ONLY: a regular expression over "VIEW: NAME", which of the rows below.
# long: every fourth day, as root and as a user in turn
# timing: waits for runs to begin and to end
# places:
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/walls.sh
. "$(dirname "$0")/../lib/walls.sh"

# NAME | MODE FILE | ended or unharmed | RULE | PATH | what a person does outside
table() {
	cat <<-'EOF2'
		git config|w .git/config|unharmed|floor\.pol|\.git/config|git config user.name X
		git push -u|w .git/config|unharmed|floor\.pol|\.git/config|git push -q -u origin main
		sed -i|r .env|ended|\.pol:|\.env|sed -i s/SECRET/SECRET2/ .env
		vim|r .env|ended|\.pol:|\.env|vim -u NONE -es -c 'set backup writebackup backupcopy=no backupskip=' -c 's/$/x/' -c wq .env
		mv over|r .env|ended|\.pol:|\.env|echo SECRET >new; mv new .env
		mv away, then new|r .env|ended|\.pol:|\.env|mv .env old; echo SECRET >.env
		rm, then new|r .env|ended|\.pol:|\.env|rm .env; echo SECRET >.env
		rm -rf and mkdir|r keys/key|ended|\.pol:|/keys|rm -rf keys; mkdir keys; echo SECRET >keys/key
		mv of a directory|r keys/key|ended|\.pol:|/keys|mv keys gone; mkdir keys; echo SECRET >keys/key
		a locked directory|w locked/file|unharmed|\.pol:|/locked|rm -rf locked; mkdir locked; echo x >locked/file
		exchange|w locked/file|unharmed|\.pol:|/locked|mv locked l2; mv other locked; echo x >locked/file
		the repository|w .git/config|unharmed|floor\.pol|\.git/[a-z]*|mv .git g2; cp -r g2 .git
		hooks|w .git/hooks/pre-commit|unharmed|floor\.pol|\.git/hooks|rm -rf .git/hooks; mkdir .git/hooks; touch .git/hooks/pre-commit
		a link to another place|w sub/way/name|ended|\.pol:|/way|ln -sfn ../other sub/way
	EOF2
}

for view in project anywhere; do
	while IFS='|' read -r name what is rule path line; do
		[[ "$view: $name" =~ ${WALLS_ONLY:-.} ]] || continue
		t "$view: $name"
		for ((k = 0; k < runs && live_bad == 0; k++)); do
			made
			# shellcheck disable=SC2086
			begin "$view" $what
			bash -c "$line" >/dev/null 2>&1 || bad "outside: $line"
			"$is" "$rule" "$path"
		done
	done < <(table)
done

# A directory is the wall there: what is compiled anew lies behind it.
for view in project anywhere; do
	t "$view: polc compile -o over the bundle of the run"
	for ((k = 0; k < runs && live_bad == 0; k++)); do
		made
		mkdir .pol
		cp "$WORK/$view.polb" .pol/own.polb
		bundle=$P/.pol/own.polb
		begin "$view" w .pol/own.polb
		unset bundle
		(cd "$WORK" && "$BIN/polc" compile "$view.pol" -o "$P/.pol/own.polb") >/dev/null 2>&1 ||
			bad "not compiled"
		sleep 0.02 # time: nothing may come of it
		kill -0 "$pid" 2>/dev/null || bad "the run has ended: $(cat "$WORK/.err")"
		kill -TERM "$pid"
		wait "$pid"
		no_file got
		cmp -s .pol/own.polb "$WORK/$view.polb" || bad "the bundle is another one"
	done
done

[ -z "${WALLS_ONLY:-}" ] || { done_; exit; }

t "anywhere: a hidden name of \$HOME"
for line in 'mv token t2; echo SECRET >token' 'sed -i s/T/T/ token'; do
	made
	begin anywhere r "$HOME/token"
	bash -c "cd '$HOME'; $line" >/dev/null 2>&1
	ended '\.pol:' token
done

# What lies below /var/tmp is in the run's own tree there, and goes on to be what
# it was when the run began.  In /srv, which has no such tree, it is the host's, and the run ends.
t "anywhere: a directory far above is moved, in a tree of the run's own"
made
begin anywhere r "$HOME/token"
mv "$HOME" "$WORK/h2" && mkdir "$HOME" && echo SECRET >"$HOME/token"
sleep 0.3 # time: nothing may come of it
if [[ $WORK != /srv/* ]]; then
	kill -0 "$pid" 2>/dev/null || bad "the run has ended: $(cat "$WORK/.err")"
elif is_over "$pid"; then
	grep -q "run ended: outside of it $HOME/" "$WORK/.err" || bad "it does not say why it ended: $(cat "$WORK/.err")"
fi
kill -TERM "$pid" 2>/dev/null
wait "$pid"
cd "$WORK" && rm -rf "$HOME" && mv "$WORK/h2" "$HOME"
no_file "$P/got"

if is_root; then
	t "anywhere: a directory far above is moved, in the host's tree"
	work=$WORK WORK=$(mktemp -d /opt/pol-walls.XXXXXX)
	chmod 755 "$WORK"
	cp "$work/anywhere.polb" "$WORK"
	HOME=$WORK/home P=$WORK/home/project
	made
	begin anywhere r "$HOME/token"
	mv "$HOME" "$WORK/h2" && mkdir "$HOME" && echo SECRET >"$HOME/token"
	ended '' "$HOME/[^ ]*"
	cd "$work" && rm -rf "$WORK"
	WORK=$work HOME=$work/home P=$work/home/project
fi

t "anywhere: a hidden name that was absent appears"
for line in 'mkdir late; sleep 0.1; echo SECRET >late/token' 'mkdir l; echo SECRET >l/token; mv l late' \
	'mkdir late; echo SECRET >late/token'; do
	made
	begin anywhere r "$HOME/late/token"
	bash -c "cd '$HOME'; $line" >/dev/null 2>&1
	ended '\.pol:' 'late/token'
done

t "the control: what touches no wall ends no run"
for view in project anywhere; do
	made
	begin "$view" r .env
	git add -A . 2>/dev/null
	git -c user.name=B commit -q -m n
	touch .env locked/file
	chmod 600 .env
	echo more >>.env
	echo more >>.git/config
	echo x >new && mv new other/name
	mkdir -p "$HOME/late" "$HOME/dir"
	mv "$HOME/dir" "$HOME/dir2"
	rm -rf "$HOME/dir2"
	sleep 0.3 # time: nothing may come of it
	kill -0 "$pid" 2>/dev/null || bad "the run has ended: $(cat "$WORK/.err")"
	kill -TERM "$pid"
	wait "$pid"
	rc=$?
	want_rc 143
	no_file got
	grep -q '"wall_gone": *null' "$WORK/report" || bad "the report tells of a wall"
done

# polrun stops as its command does, and what the command has started works on.
for line in 'sed -i s/T/T2/ .env' 'mv .env old; echo SECRET >.env' 'rm -rf keys; mkdir keys' 'ln -sfn ../other sub/way'; do
	t "a stopped run: $line"
	made
	: >"$WORK/began"
	echo './probe r .env got & kill -STOP $$; wait' >line.sh
	"$BIN/polrun" -b "$WORK/project.polb" --report "$WORK/report" sh line.sh >"$WORK/began" \
		2>"$WORK/.err" </dev/null &
	pid=$!
	stopped
	touch .env
	chmod 600 .env
	sleep 0.1 # time: it stays stopped
	stopped
	no_file got
	bash -c "$line"
	ended '' ''
done

t "the control: a stopped run goes on when it is continued"
made
echo 'kill -STOP $$; echo on >on' >line.sh
"$BIN/polrun" -b "$WORK/project.polb" sh line.sh 2>"$WORK/.err" </dev/null &
pid=$!
stopped
touch .env
stopped
kill -CONT "$pid"
wait "$pid"
rc=$?
want_rc 0
want_file on

# SIGSTOP cannot be taken, and what is inside works on.
t "polrun is stopped by a signal from outside"
made
begin anywhere r .env
sleep 0.2 # time: the command is faster than who watches
halted
sleep 0.1 # time: before the change
mv .env old
echo SECRET >.env
ended '\.pol:' '\.env'

t "the control: it goes on, and ends as its command does"
made
begin anywhere r .env
halted
kill -CONT "$pid"
kill -TERM "$pid"
wait "$pid"
rc=$?
want_rc 143

policy "$RULES limits { time 1s }" short
t "a stop from outside does not hold the time limit up"
made
begin short r .env
kill -STOP "$pid"
within 30 is_over "$pid" || bad "the run went on"
kill -KILL "$pid" 2>/dev/null
wait "$pid"
rc=$?
want_rc 124

# An unreadable file is watched by its directory, where the run itself makes events.
t "a stopped run that is told of many changes goes on when it is continued"
for ((k = 0; k < 6 && live_bad == 0; k++)); do
	made
	chmod 000 .env
	rm -f on
	cat >line.sh <<-'EOF2'
		python3 -c '
		import os
		while 1:
		    open("zz", "w").close(); os.unlink("zz")' &
		kill -STOP $$
		echo on >on
		kill $!
	EOF2
	"$BIN/polrun" -b "$WORK/anywhere.polb" sh line.sh 2>"$WORK/.err" </dev/null &
	pid=$!
	sleep 0.5 # time: for many changes
	kill -CONT "$pid"
	within 30 test -e on
	want_file on
	[ "$live_bad" -eq 0 ] || kill -KILL "$pid"
	wait "$pid"
done

t "anywhere: a link that was made anew and said the same leads elsewhere"
for ((k = 0; k < runs && live_bad == 0; k++)); do
	made
	begin anywhere w sub/way/name
	ln -sfn ../real sub/way
	sleep 0.2 # time: nothing may come of it
	kill -0 "$pid" 2>/dev/null || bad "the run has ended: $(cat "$WORK/.err")"
	ln -sfn ../other sub/way
	ended '\.pol:' '/way'
done

t "anywhere: the way to an absent name comes and goes"
made
begin anywhere r "$HOME/late/token"
cd "$HOME" || exit 1
# time between them: each is an event of its own
mkdir late && sleep 0.1 && mv late gone && sleep 0.1 && mkdir late && sleep 0.1
echo SECRET >late/token
rm -rf gone
cd "$P" || exit 1
ended '\.pol:' 'late/token'

if ! is_root; then # whom no directory is closed to
	t "anywhere: a closed directory above a hidden name is opened"
	made
	mkdir "$HOME/late"
	echo SECRET >"$HOME/late/token"
	chmod 000 "$HOME/late"
	begin anywhere r "$HOME/late/token"
	touch "$HOME"
	sleep 0.2 # time: nothing may come of it
	kill -0 "$pid" 2>/dev/null || bad "the run has ended: $(cat "$WORK/.err")"
	chmod 700 "$HOME/late"
	ended '\.pol:' 'late/token'

	t "a directory above a kept name is closed for a while"
	made
	begin project w .git/config
	chmod 000 .git sub
	sleep 0.2 # time: nothing may come of it
	chmod 755 .git sub
	kill -0 "$pid" 2>/dev/null || bad "the run has ended: $(cat "$WORK/.err")"
	no_file got
	chmod 000 sub
	mv .git g2
	cp -r g2 .git
	unharmed
	chmod 755 sub
fi

t "a command that ends by itself keeps its status"
made
"$BIN/polrun" -b "$WORK/project.polb" sh -c 'exit 7' 2>/dev/null
rc=$?
want_rc 7

t "without room for watches the walls are looked at all the same"
# in a user namespace of its own the limit is nobody else's
around=(unshare --user --map-root-user sh -c 'echo 0 >/proc/sys/user/max_inotify_instances && exec "$@"' -)
if "${around[@]}" true 2>/dev/null; then
	made
	begin project r .env
	mv .env old
	sleep 0.2 # time: two events
	echo SECRET >.env
	ended '\.pol:' '\.env'
	grep -q 'every 50 ms' "$WORK/report" || bad "the report does not tell it"

	t "without room for watches polrun is stopped by a signal from outside"
	made
	begin project r .env
	halted
	mv .env old
	echo SECRET >.env
	ended '\.pol:' '\.env'

	goes_on() { ! is_stopped; }
	t "the control: without room for watches such a stop ends no run"
	made
	begin project r .env
	halted
	if ! within 30 goes_on; then
		bad "polrun is still stopped"
		kill -KILL "$pid"
	fi
	kill -TERM "$pid" 2>/dev/null
	wait "$pid"
	rc=$?
	want_rc 143
	no_file got

	# a call that the supervisor answers, again and again
	t "without room for watches a busy run does not keep them from being looked at"
	made
	touch x
	begin project r .env 'python3 -c "
import os
while 1:
    try: os.chmod(\"x\", 0o4755)
    except OSError: pass" &'
	sleep 0.2 # time: it is busy
	mv .env old
	sleep 0.2 # time: two events
	echo SECRET >.env
	ended '\.pol:' '\.env'

	t "without room for watches the end of a run is looked at"
	made
	touch wait
	cat >line.sh <<-'EOF2'
		echo on
		while [ -e wait ]; do :; done
		cat .env >got
	EOF2
	start project
	mv .env old && echo SECRET >.env && rm wait
	wait "$pid"
	rc=$? err=$(cat "$WORK/.err")
	want_rc 123
	want_line 'run ended: outside of it .*/\.env '
else
	skip user-namespaces 'no user namespace with a limit of its own'
fi
done_
