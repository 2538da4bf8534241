#!/usr/bin/env bash
# What the policy asks is answered at a real terminal: once, for the session, no,
# nobody; what is remembered, and that no run can write it.
# long: every fourth day, as root and as a user in turn
# shellcheck disable=SC2034
# timing: waits for what programs print on a pseudo-terminal
. "$(dirname "$0")/../lib/live.sh"

# shellcheck source=tests/lib/asking.sh
. "$(dirname "$0")/../lib/asking.sh"

t 'once: it runs, and is asked again; the question shows line, command, rule and reason'
policy "$ASKS"
term <<EOT
send $POL -c 'true && touch one'; echo rc \$?
expect asks before this is run
expect line +true && touch one
expect asked of touch one
expect in +$P
expect by +rule touching at p.pol:[0-9]+
expect reason +it writes
expect \[o\]nce, for this \[s\]ession, \[d\]eny, \[\?\] details:
send o
expect rc 0
send $POL touch one; echo rc \$?
expect asked of touch one
expect details:
send once
expect rc 0
EOT
want_file "$P/one"
no_file "$A"

t 'deny, end of file, ^C: 126, and nothing runs'
term <<EOT
send $POL touch two; echo rc \$?
expect details:
send d
expect polrun: touch two: not run: it was asked, and not allowed \(rule touching
expect rc 126
send $POL touch two; echo rc \$?
expect details:
key C-d
expect rc 126
send $POL touch two; echo rc \$?
expect details:
key C-c
expect not allowed
expect rc 126
send $POL touch yes; echo rc \$?
expect details:
send s
expect rc 0
EOT
no_file "$P/two"
want_file "$P/yes"
forget

t 'what is no answer is none: the question stays'
term <<EOT
send $POL touch three; echo rc \$?
expect details:
send w
expect answers are: o or y once, s or a for this session, d or n deny, \? or v details
expect details:
send 
expect details:
send o o
expect details:
type \x1b[24;1R\n
expect asked of
expect details:
send no
expect rc 126
EOT
no_file "$P/three"

t 'other programs call the answers y, n, a and v'
term <<EOT
send $POL touch five; echo rc \$?
expect details:
send y
expect rc 0
send $POL touch six; echo rc \$?
expect details:
send v
expect word 0 +touch
expect details:
send n
expect rc 126
send $POL touch seven; echo rc \$?
expect details:
send a
expect rc 0
send $POL touch seven; echo rc \$?
expect rc 0
EOT
want_file "$P/five"
no_file "$P/six"
want_file "$P/seven"
forget

t 'details: the words, the rule, the bundle, the session'
term <<EOT
send $POL -c "touch 'a  b' c"; echo rc \$?
expect details:
send ?
expect word 0 +touch
expect word 1 +'a  b'
expect word 2 +c
expect ask +rule touching at p.pol:[0-9]+, level project
expect ask "touch:\*"
expect bundle +[0-9a-f]{64}
expect session +tty:
expect details:
send o
expect rc 0
EOT
want_file "$P/a  b"

t 'session: the second run does not ask, in another directory, line or session it does'
forget
mkdir -p "$P/sub"
term <<EOT
send $POL touch four; echo rc \$?
expect details:
send s
expect rc 0
send rm four; $POL touch four; echo again \$?
expect again 0
send $POL touch  five; echo rc \$?
expect asked of touch five
expect details:
send d
expect rc 126
send cd sub; $POL touch four; echo rc \$?; cd ..
expect asked of touch four
expect details:
send d
expect rc 126
send rm four; PATH=/tmp:\$PATH polrun -b \$WORK/p.polb touch four; echo rc \$?
expect asked of touch four
expect details:
send d
expect rc 126
send $POL -c 'touch six'; echo rc \$?
expect details:
send session
expect rc 0
send $POL -c "touch  'six'"; echo quoted \$?
expect quoted 0
send $POL -c 'touch six; touch six'; echo rc \$?
expect asked of touch six
expect details:
send d
expect rc 126
send $POL -c 'echo x | touch six'; echo rc \$?
expect asked of touch six
expect details:
send d
expect rc 126
send $POL -c 'LANG=C touch six'; echo rc \$?
expect asked of LANG=C touch six|asked of touch six
expect details:
send d
expect rc 126
EOT
no_file "$P/four"
want_file "$P/six"
[ "$(stat -c %a "$STATE")" = 700 ] || bad "state: $(stat -c %a "$STATE")"
[ "$(stat -c %a "$A")" = 600 ] || bad "answers: $(stat -c %a "$A")"
term <<EOT
send $POL touch four; echo rc \$?
expect asked of touch four
expect details:
send d
expect rc 126
EOT

t 'session: a bundle that differs asks again'
printf '%s\n' "$HEAD$ASKS" '# the same, later' 'command { deny "false:*" }' >"$WORK/q.pol"
term <<EOT
send $POL touch four; echo rc \$?
expect details:
send s
expect rc 0
send $POL touch four; echo again \$?
expect again 0
send polc compile \$WORK/q.pol -o \$WORK/p.polb && $POL touch four; echo rc \$?
expect asked of touch four
expect details:
send d
expect rc 126
EOT

t '--session ID: also without a terminal, and for that ID alone'
forget
policy "$ASKS"
term <<EOT
send $POL --session agent-1 touch seven; echo rc \$?
expect details:
send s
expect rc 0
EOT
alone --session agent-1 touch seven
want_rc 0
alone --session agent-2 touch seven
want_rc 126
want_err 'the policy asks first'
alone touch seven
want_rc 126
alone --session 'a b' touch seven
want_rc 125

t 'two commands that ask are two questions; one no is a no'
term <<EOT
send $POL -c 'touch eight && chmod 600 eight'; echo rc \$?
expect question 1 of 2
expect asked of touch eight
expect details:
send o
expect question 2 of 2
expect asked of chmod 600 eight
expect rule rights
expect details:
send d
expect rc 126
EOT
no_file "$P/eight"
term <<EOT
send $POL -c 'touch eight && chmod 600 eight'; echo rc \$?
expect details:
send o
expect question 2 of 2
expect details:
send o
expect rc 0
EOT
want_file "$P/eight"

t "a managed ask and one of opaque: no -y, nothing remembered, each time"
managed_policy
forget
term <<EOT
send $POL -y touch nine; echo rc \$?
expect rule managed-touch
expect only a person may answer this
expect \[o\]nce, \[d\]eny, .* details:
send s
expect cannot be remembered
expect details:
send o
expect rc 0
send $POL touch nine; echo rc \$?
expect details:
send d
expect rc 126
send $POL -c '\$x nine'; echo rc \$?
expect only a person may answer this
expect details:
send d
expect rc 126
EOT
no_file "$A"
alone -y touch nine
want_rc 126
want_err 'only a person can answer this'

t '--ask: deny and fail ask nobody; -y answers'
policy "$ASKS"
forget
term <<EOT
send $POL --ask deny touch ten; echo rc \$?
expect the policy asks first .*; -y answers yes
expect rc 126
send $POL --ask=fail touch ten; echo rc \$?
expect the policy asks first
expect rc 125
send $POL --ask deny -y touch eleven; echo rc \$?
expect rc 0
EOT
no_file "$P/ten"
want_file "$P/eleven"
run --ask perhaps true
want_rc 125
want_err "neither 'tty' nor 'deny' nor 'fail'"
alone --ask=fail touch ten
want_rc 125
alone touch ten
want_rc 126
alone true
want_rc 0

t "the command's own standard input is not read"
term <<EOT
send echo o | $POL -c 'cat; touch twelve'; echo rc \$?
expect details:
send d
expect rc 126
send echo left-over | $POL -c 'touch twelve; cat'; echo rc \$?
expect details:
send o
expect left-over
expect rc 0
EOT
want_file "$P/twelve"

t 'what was typed before the question is no answer'
term <<EOT
send sleep 1; $POL touch thirteen; echo rc \$?
wait 0.2
send o
expect asked of touch thirteen
expect details:
wait 0.5
send d
expect rc 126
EOT
no_file "$P/thirteen"

t 'hang-up: nothing runs, nothing is left'
cat >"$WORK/script" <<EOT
send $POL touch fourteen.$$
expect details:
hangup
EOT
(cd "$P" && timeout 60 python3 "$(dirname "$0")/../lib/term.py" "$WORK/script") >/dev/null
within 30 is_gone "touch fourteen.$$" || bad 'polrun is left'
no_file "$P/fourteen.$$"

t "the terminal's modes come back; ^Z stops, and fg asks again"
term <<EOT
send stty -echo; stty >before; $POL touch fifteen; stty >after; stty echo; cmp before after && echo same modes
expect details:
send d
expect same modes
send $POL touch fifteen
expect details:
key C-z
expect Stopped
send fg
expect asked of touch fifteen
expect details:
send o
expect PROMPT>
EOT
want_file "$P/fifteen"

t 'in the background nobody is asked'
term <<EOT
send $POL touch sixteen & wait \$!; echo rc \$?
expect not in the foreground
expect rc 126
EOT
no_file "$P/sixteen"

t 'two at once: one question after the other'
term <<EOT
send $POL touch left | $POL touch right; echo rc \${PIPESTATUS[*]}
expect asked of touch
expect details:
absent asked of touch
send d
expect asked of touch
expect details:
send d
expect rc 126 126
EOT
no_file "$P/left"
no_file "$P/right"

t 'the second of two: ^C in its wait is a no as well, and its modes are its own'
mkdir -p "$STATE"
chmod 700 "$STATE"
cat >"$WORK/hold.py" <<'EOT'
# holds the lock of this terminal, as a question does (approvals.h)
import fcntl, os, struct, sys, time
tty = int(open("/proc/self/stat").read().rpartition(")")[2].split()[4])
fd = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT, 0o600)
F_OFD_SETLK = 37
fcntl.fcntl(fd, F_OFD_SETLK, struct.pack("hhxxxxqqixxxx", fcntl.F_WRLCK, 0, tty, 1, 0))
print("is", "held", flush=True)
time.sleep(60)
EOT
term <<EOT
send python3 $WORK/hold.py $STATE/approvals.lock &
expect is held
send $POL touch right; echo rc \$?
wait 2
absent details:
key C-c
expect touch right: not run: it was asked, and not allowed
expect rc 126
send kill %1; wait; $POL touch right; echo rc \$?
expect details:
send o
expect rc 0
send rm right; stty -echo; $POL touch left | { sleep 1; $POL touch right; }; stty echo
expect asked of touch left
expect details:
wait 4
send d
expect asked of touch right
expect details:
send d
expect ^ ?d
expect PROMPT>
EOT
no_file "$P/left"
no_file "$P/right"

t 'control and bidirectional characters are shown as text'
term <<'EOT'
send polrun -b $WORK/p.polb touch $'a\e[2Jb\u202ec\nd'; echo rc $?
expect touch 'a\\x1b\[2Jb\\u\{202e\}c\\x0ad'
expect details:
send d
expect rc 126
EOT

t 'so are those that cannot be seen, or look like a blank'
term <<'EOT'
send polrun -b $WORK/p.polb touch $'a\u00adb\u3164c\U000e0041d' $'e\u00a0f\u00e9'; echo rc $?
expect touch 'a\\u\{ad\}b\\u\{3164\}c\\u\{e0041\}d' 'e\\u\{a0\}f\u00e9'
expect details:
send d
expect rc 126
EOT

t 'a long line: not before all of it was shown'
policy "$ASKS"
# shellcheck disable=SC2016
term <<'EOT'
send polrun -b $WORK/p.polb touch $(seq -f 'some-file-with-a-long-name-%g' 1 90); echo rc $?
expect Enter shows more
send
pages bytes more
expect : \? shows
pages details:
send o
expect not all of it was shown
expect details:
send ?
pages word 90
expect  +some-file-with-a-long-name-90
pages details:
send d
expect rc 126
EOT

t 'polquery approvals: they are listed and revoked'
forget
policy "$ASKS"
q() {
	"$BIN/polquery" approvals "$@" >"$WORK/.out" 2>"$WORK/.err" </dev/null
	rc=$?
	out=$(cat "$WORK/.out")
	err=$(cat "$WORK/.err")
}
q list
want_rc 0
[ -z "$out" ] || bad "a list: $out"
term <<EOT
send $POL --session s1 touch left; echo rc \$?
expect details:
send s
expect rc 0
send $POL --session s2 -c "touch  left right"; echo rc \$?
expect details:
send s
expect rc 0
send $POL touch here; echo rc \$?
expect details:
send s
expect rc 0
EOT
q list
want_rc 0
want_out '^[0-9a-f]{12}  20[0-9-]+T[0-9:]+Z  holds  id:s1  touching  touch left$'
want_out 'id:s2  touching  touch  left right$'
want_out 'ended  tty:[0-9a-f-]{36}:[0-9]+:[0-9]+  touching  touch here$'
key=$(sed -n 's/ .*id:s1.*//p' <<<"$out")
q list --format json
want_rc 0
want_out '"session": *"id:s2"'
q revoke "$key"
want_out 'revoked: 1'
alone --session s1 touch left
want_rc 126
alone --session s2 -c 'touch left right'
want_rc 0
q revoke "$key"
want_rc 1
q revoke --session s2
want_rc 0
alone --session s2 -c 'touch left right'
want_rc 126
q revoke --all
want_out 'revoked: 1'
q list
[ -z "$out" ] || bad "left: $out"
for bad_words in '' 'lost' 'revoke' 'revoke 123' "revoke $key --all" 'list x' 'list --format xml' \
	'revoke --session a/b'; do
	# shellcheck disable=SC2086
	q $bad_words
	want_rc 2
	want_err '^polquery: '
done
printf 'old\n' >"$A"
q list
want_rc 2
want_err "this version's format"
q revoke --all
want_rc 0
q list
want_rc 0
chmod 0644 "$A"
q list
want_rc 2
want_err 'mode 0644'
forget
run polquery approvals list
want_rc 126
want_err 'a run never changes its own policy'

t '--plan asks nobody, and makes nothing'
# shellcheck disable=SC2016
policy "$ASKS"' file { allow read, write "${HOME}/.local" }'
rm -rf "$HOME/.local"
mkdir "$HOME/.local"
run --plan true
want_rc 0
no_file "$HOME/.local/state"
run true
want_rc 0
want_file "$STATE" # the control: a run makes it
rm -rf "$HOME/.local"
policy "$ASKS"
run --plan touch seventeen
want_rc 0
want_out 'the policy asks first'

t 'answers that are damaged, of another format or not the own: said, and asked again'
forget
term <<EOT
send $POL --session s touch eighteen; echo rc \$?
expect details:
send s
expect rc 0
EOT
alone --session s touch eighteen
want_rc 0
cp "$A" "$WORK/good"
spoil() { # WHAT-IS-SAID: the file as it is now
	alone --session s touch eighteen
	want_rc 126
	want_err "remembered answers do not count: .*$1"
}
truncate -s -1 "$A"; spoil 'cut off'
truncate -s 40 "$A"; spoil 'cut off'
truncate -s 0 "$A"; spoil 'cut off'
sed 's/^pol-approvals 1/pol-approvals 0/' "$WORK/good" >"$A"; spoil "this version's format"
sed '2s/[0-9a-f]/g/' "$WORK/good" >"$A"; spoil 'damaged in line 2'
{ cat "$WORK/good"; printf 'more\n'; } >"$A"; spoil 'damaged in line 3'
{ cat "$WORK/good"; printf 'a\0b\n'; } >"$A"; spoil 'no text'
head -c 2000000 /dev/zero >"$A"; spoil 'too large'
cp "$WORK/good" "$A"; chmod 0644 "$A"; spoil 'mode 0644'
chmod 0600 "$A"; ln "$A" "$STATE/other"; spoil 'another name'
rm "$STATE/other"; mv "$A" "$STATE/real"; ln -s real "$A"; spoil 'symbolic link'
rm "$A"; mkfifo -m 600 "$A"; spoil 'no file'
rm "$A"; mkdir -m 700 "$A"; spoil 'no file'
rmdir "$A"; mv "$STATE/real" "$A"; chmod 0755 "$STATE"; spoil 'mode 0755'
chmod 0700 "$STATE"; mv "$STATE" "$STATE.real"; ln -s pol.real "$STATE"; spoil 'symbolic link'
rm "$STATE"; mv "$STATE.real" "$STATE"
if is_root; then
	chown 12345 "$A"; spoil 'belongs to uid 12345'
	chown 0 "$A"
fi
alone --session s touch eighteen
want_rc 0
# an answer of the future, and one of a day ago
awk -F'\t' -v OFS='\t' 'NR > 1 { $3 = $3 - 86401 } 1' "$WORK/good" >"$A"
alone --session s touch eighteen
want_rc 126
awk -F'\t' -v OFS='\t' 'NR > 1 { $3 = $3 + 3600 } 1' "$WORK/good" >"$A"
alone --session s touch eighteen
want_rc 126

t 'a damaged file is replaced by the next answer, a link is not'
printf 'old\n' >"$A"
term <<EOT
send $POL --session s touch eighteen; echo rc \$?
expect remembered answers do not count
expect details:
send s
expect rc 0
EOT
alone --session s touch eighteen
want_rc 0
mv "$A" "$WORK/elsewhere"; ln -s "$WORK/elsewhere" "$A"
term <<EOT
send $POL --session s touch eighteen; echo rc \$?
expect details:
send s
expect the answer counts once, it cannot be remembered
expect rc 0
EOT
[ -L "$A" ] || bad 'the link was replaced'

t 'no run writes the answers, not even where all above them is writable'
forget
# shellcheck disable=SC2016
policy "$ASKS"' file { allow read, write "${HOME}/.local" }'
mkdir -p "$STATE"; chmod 0700 "$STATE"
cp "$WORK/good" "$A"
inside 'echo x >~/.local/free && echo y >~/.local/state/pol-x && mv ~/.local/state/pol-x ~/.local/x'
want_rc 0
want_file "$HOME/.local/free"
for line in 'echo x >>~/.local/state/pol/approvals' 'echo x >~/.local/state/pol/new' \
	'rm ~/.local/state/pol/approvals' 'mv ~/.local/state/pol ~/.local/moved' \
	'mv ~/.local/state ~/.local/moved' \
	'ln ~/.local/state/pol/approvals ~/.local/hard && echo x >>~/.local/hard'; do
	inside "$line"
	[ "$rc" -ne 0 ] || bad "it worked: $line"
done
want_text "$(cat "$WORK/good")" "$A"

t 'a state directory that is not there is made before a run that could make it'
rm -rf "$HOME/.local"
mkdir "$HOME/.local"
is_root || chmod 0755 "$HOME/.local"
inside 'mkdir -p ~/.local/state/pol; echo x >~/.local/state/pol/approvals'
[ "$rc" -ne 0 ] || bad 'it was written'
no_file "$A"
[ "$(stat -c %a "$STATE")" = 700 ] || bad "mode $(stat -c %a "$STATE" 2>&1)"
if ! is_root; then
	mv "$HOME/.local" "$HOME/.other"
	mkdir -p "$HOME/.local/state"
	chmod 000 "$HOME/.local/state"
	inside 'chmod 700 ~/.local/state; mkdir ~/.local/state/pol; echo x >~/.local/state/pol/approvals'
	[ "$rc" -ne 0 ] || bad 'it was opened'
	chmod 700 "$HOME/.local/state"
	no_file "$STATE"
	rm -r "$HOME/.local"
	mv "$HOME/.other" "$HOME/.local"
fi
inside 'mkdir -p ~/.local/state/other && echo x >~/.local/state/other/file'
want_rc 0
want_file "$HOME/.local/state/other/file"
rm -rf "$HOME/.local"
policy "$ASKS"
run true
want_rc 0
no_file "$A"
[ "$(stat -c %a "$STATE")" = 700 ] || bad "mode $(stat -c %a "$STATE" 2>&1)"

t 'XDG_STATE_HOME: there, and as well kept from the run'
# shellcheck disable=SC2016
policy "$ASKS"' file { allow read, write "${HOME}/data" }'
mkdir -p "$HOME/data"
export XDG_STATE_HOME=$HOME/data/state
term <<EOT
send $POL --session s touch twenty; echo rc \$?
expect details:
send s
expect rc 0
EOT
want_file "$HOME/data/state/pol/approvals"
alone --session s touch twenty
want_rc 0
cp "$HOME/data/state/pol/approvals" "$WORK/good"
inside 'echo x >~/data/free'
want_rc 0
for line in 'echo x >>~/data/state/pol/approvals' 'mv ~/data/state ~/data/x' \
	'rm ~/data/state/pol/approvals' 'mv ~/data/state/pol ~/data/x'; do
	inside "$line"
	[ "$rc" -ne 0 ] || bad "it worked: $line"
done
want_text "$(cat "$WORK/good")" "$HOME/data/state/pol/approvals"
rm -rf "$HOME/data/state"
inside 'mkdir -p ~/data/state/pol; echo x >~/data/state/pol/approvals'
[ "$rc" -ne 0 ] || bad 'it was made'
no_file "$HOME/data/state/pol/approvals"
export XDG_STATE_HOME=$HOME/data/none/..//./state
run true
want_rc 0
alone --session s touch twenty
want_rc 126
term <<EOT
send $POL --session s touch twenty; echo rc \$?
expect details:
send s
expect rc 0
EOT
want_file "$HOME/data/state/pol/approvals"
inside 'echo x >>~/data/state/pol/approvals'
[ "$rc" -ne 0 ] || bad 'it was written'
q list
want_out 'id:s'
unset XDG_STATE_HOME

done_
