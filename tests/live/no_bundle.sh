#!/usr/bin/env bash
# polrun without -b: the policies that are found, or the one that -p names, compiled once
# and kept in the cache; and what somebody may do to the cache, to the policies and to the
# folders that they lie in.
# week: once a week, as root and as a user in turn
# shellcheck disable=SC2016,SC2088,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
CACHE=$HOME/.cache/pol
CONFIG=$HOME/.config/pol

bare() { # ARGS…: polrun without a bundle
	"$BIN/polrun" "$@" >"$WORK/.out" 2>"$WORK/.err" </dev/null
	rc=$?
	out=$(tr -d '\0' <"$WORK/.out")
	err=$(tr -d '\0' <"$WORK/.err")
}
# [OPTIONS…] TEXT: polrun of a script with this text, which the walls stop and no rule about
# words
does() {
	printf '%s\n' "${*: -1}" >"$P/s.sh"
	bare "${@:1:$#-1}" sh "$P/s.sh"
}
silent() { [ -z "$err" ] || bad "something is on stderr"; }
made() { stat -c '%i %Z' "$CACHE"/*.polb 2>/dev/null; } # changes when polc has run
fresh() {
	rm -rf --one-file-system "$HOME" 2>/dev/null
	mkdir -p "$P" && cd "$P" || exit 1
}
# TEXT: the user's policy; each has a rule that the next one has not
user() { mkdir -p "$CONFIG" && printf 'policy u { level user }\n%s\n' "$1" >"$CONFIG/u.pol"; }
DENY='command { otherwise allow  deny "touch:*" as no-touch } file { allow read, write "${PROJECT_DIR}" }'
MAY_='command { otherwise allow  deny "tooch:*" as no-touch } file { allow read, write "${PROJECT_DIR}" }'
refused_touch() {
	bare touch x
	want_rc 126
	want_line 'rule no-touch at ~/\.config/pol/u\.pol'
	no_file x
}

t "the first thing ever typed works, and says nothing"
mkdir -p "$HOME/notes" && echo private >"$HOME/notes/list" && mkdir -p "$WORK/out" && echo outside >"$WORK/out/f"
bare sh -c 'echo made > x && printf "#!/bin/sh\necho ran\n" > run.sh && chmod +x run.sh && ./run.sh'
want_rc 0
want_out '^ran$'
silent
want_text made x
[ "$(stat -c %a "$CACHE")" = 700 ] || bad "the cache has mode $(stat -c %a "$CACHE")"
[ "$(find "$CACHE" -name '*.polb' | wc -l)$(find "$CACHE" -name '*.index' | wc -l)$(find "$CACHE" -type f | wc -l)" = 112 ] ||
	bad "the cache holds $(ls -la "$CACHE")"
first=$(made)
bare true
want_rc 0
silent
[ "$first" = "$(made)" ] || bad "the second run has compiled, too"

t "std/profile/project: nothing else is there"
mkdir -p .git/hooks
does "cat ~/notes/list; cat $WORK/out/f; echo bad > $WORK/out/new; echo bad > .git/hooks/x
	bash -c 'exec 3<>/dev/tcp/1.1.1.1/80 && echo outside'; cat x"
no_file .git/hooks/x
want_out '^made$'
no_out 'private|outside'
no_file "$WORK/out/new"
bare --plan true
want_out '^network +disabled'
want_out "read write\\* exec +$P .*each name is decided"
bare polc trust x
want_rc 126

t "polc says the same with two options, and speaks of no profile without them"
out=$("$BIN/polc" explain --discover --fallback std/profile/project command 'frob x' 2>&1)
want_out '^allow: command frob x'
out=$("$BIN/polc" explain --discover command 'frob x' 2>&1)
want_out '^ask: command frob x'
out=$("$BIN/polc" explain --discover --fallback std/profile/none command 'frob x' 2>&1) && bad "a profile that is not there"
want_out 'none\.pol'

t "a person is told once for a project, at a terminal"
tty() { python3 "$(dirname "${BASH_SOURCE[0]}")/../lib/at_tty.py" "$BIN/polrun" "$@" >"$WORK/.out" 2>&1 </dev/null
	rc=$? out=$(<"$WORK/.out") err=''; }
tty -q true
[ -z "$out" ] || bad "-q says: $out"
tty true
want_rc 0
want_out '^polrun: this project has no policy: .*std/profile/local.*polc init'
tty true
want_rc 0
[ -z "$out" ] || bad "told again: $out"
[ "$first" = "$(made)" ] || bad "it was compiled again"
mkdir -p "$HOME/other/.git" && cd "$HOME/other" || exit 1
tty true
want_out '^polrun: this project has no policy'
[ "$(find "$CACHE" -name '*.polb' | wc -l)" -eq 1 ] || bad "the same policy for two projects is there twice"
cd "$P" || exit 1

t "the user's policy counts instead, and each change of it"
rm -f x
user "$DENY"
refused_touch
bare sh -c 'echo y > y; cat y'
want_rc 0
want_out '^y$'
user "$MAY_"
bare touch x
want_rc 0
rm -f x
user "$DENY"
refused_touch
printf 'policy v { level user }\ncommand { deny "cat:*" as no-cat }\n' >"$CONFIG/v.pol"
bare cat y
want_rc 126
want_line 'rule no-cat at ~/\.config/pol/v\.pol'
rm "$CONFIG/v.pol"
bare cat y
want_rc 0
rm "$CONFIG/u.pol"
bare touch x
want_rc 0
rm -f x

t "a change of the same size and with the old time, at once"
for i in {1..12}; do
	user "$MAY_"
	bare touch x
	[ "$rc" -eq 0 ] || bad "$i: allowed before: $rc"
	rm -f x
	touch -r "$CONFIG/u.pol" "$WORK/then"
	user "$DENY"
	touch -r "$WORK/then" "$CONFIG/u.pol"
	bare touch x
	[ "$rc" -eq 126 ] && [ ! -e x ] || bad "$i: $rc, the old policy held"
done
touch -d '1 hour ago' "$CONFIG/u.pol" # another time, the same text: not compiled
bare true
had=$(made)
touch "$CONFIG/u.pol"
bare true
[ "$had" = "$(made)" ] || bad "it was compiled again for a time"

t "what a file uses is noticed as well"
mkdir -p "$CONFIG/in"
printf '%s\n' "$DENY" >"$CONFIG/in/a.pol"
printf 'policy u { level user }\nuse "in/a"\n' >"$CONFIG/u.pol"
bare touch x
want_rc 126
printf '%s\n' "$MAY_" >"$CONFIG/in/a.pol"
bare touch x
want_rc 0
rm -rf x "$CONFIG"

t "a project's policy only narrows"
mkdir -p .pol && printf 'file { deny write "${PROJECT_DIR}/kept"  allow read "%s/out" }\ncommand { deny "touch:*" as no-touch }\nnetwork full\n' "$WORK" >.pol/a.pol
echo old >kept
bare touch x
want_rc 126
want_line 'rule no-touch at \.pol/a\.pol'
does "echo new > kept; cat $WORK/out/f; echo good > x"
want_text old kept
want_text good x
no_out outside
bare --plan true
want_out '^network +disabled'
echo '# again' >>.pol/a.pol
bare -v true
want_line '2 statements of the project.s policy do not count'
rm -rf .pol x
bare touch x
want_rc 0

t "a trusted project policy counts instead of the profile, as long as it is trusted"
mkdir -p .pol && printf 'file { allow read "%s/out"  allow read, write "${PROJECT_DIR}" }\ncommand { allow "sh:*", "cat:*" }\n' "$WORK" >.pol/a.pol
bare cat "$WORK/out/f"
[ "$rc" -ne 0 ] || bad "it counts before it is trusted"
bare touch x # the profile's
want_rc 0
rm -f x
"$BIN/polc" trust .pol/a.pol >/dev/null || bad 'polc trust'
bare cat "$WORK/out/f"
want_rc 0
want_out outside
bare touch x # std/base asks, and there is no profile
want_rc 126
no_file x
first=$(made)
bare cat "$WORK/out/f"
[ "$first" = "$(made)" ] || bad "it was compiled again"
"$BIN/polc" trust --revoke .pol/a.pol >/dev/null || bad 'polc trust --revoke'
bare cat "$WORK/out/f"
[ "$rc" -ne 0 ] || bad "it counts after it was revoked"
no_out outside
"$BIN/polc" trust .pol/a.pol >/dev/null
bare cat "$WORK/out/f"
want_rc 0
echo '# changed' >>.pol/a.pol
bare cat "$WORK/out/f"
[ "$rc" -ne 0 ] || bad "it counts with another text"
no_out outside
"$BIN/polc" trust .pol/a.pol >/dev/null
bare cat "$WORK/out/f"
want_rc 0
chmod 0777 "$HOME/.local/state/pol/trusted" # anybody could have written it
bare cat "$WORK/out/f"
[ "$rc" -ne 0 ] || bad "a folder of everybody is believed"
rm -rf .pol "$HOME/.local"

t "a policy with an error, or that cannot be read, is no run"
user 'command { alow "x" }'
bare sh -c 'echo bad > ran'
want_rc 125
want_err '~/\.config/pol/u\.pol:2:11: error: unknown word'
want_line 'no policy, no run'
no_file ran
rm "$CONFIG/u.pol" && mkdir "$CONFIG/u.pol"
bare sh -c 'echo bad > ran'
want_rc 125
no_file ran
rmdir "$CONFIG/u.pol" && mkfifo "$CONFIG/u.pol"
bare sh -c 'echo bad > ran'
want_rc 125
rm "$CONFIG/u.pol" && ln -s nowhere "$CONFIG/u.pol"
bare sh -c 'echo bad > ran'
want_rc 125
no_file ran
rm "$CONFIG/u.pol"
if ! is_root; then
	user "$DENY" && chmod 000 "$CONFIG/u.pol"
	bare sh -c 'echo bad > ran'
	want_rc 125
	chmod 600 "$CONFIG/u.pol" && chmod 000 "$CONFIG"
	bare sh -c 'echo bad > ran'
	want_rc 125
	want_line 'cannot be read'
	no_file ran
	chmod 700 "$CONFIG"
fi
user "$MAY_"
bare true
want_rc 0

t "a policy that somebody else may write is not believed"
user "$MAY_"
chmod g+w "$CONFIG/u.pol"
bare true
want_rc 125
want_line "the policy '.*/u\.pol' is writable by its group or others"
chmod g-w "$CONFIG/u.pol" && chmod o+w "$CONFIG"
bare true
want_rc 125
want_line "the policy '.*/pol' is writable by its group or others"
chmod o-w "$CONFIG"
bare true
want_rc 0
if is_root; then
	chown poltest "$CONFIG/u.pol"
	bare true
	want_rc 125
	want_line 'belongs to uid [0-9]+: neither root nor the caller'
	chown root "$CONFIG/u.pol" && chown poltest "$CONFIG"
	bare true
	want_rc 125
	chown root "$CONFIG"
fi
ln -s "$P/mine.pol" "$CONFIG/w.pol" && printf 'policy w { level user }\n' >mine.pol
does 'echo "network full" >> mine.pol'
want_rc 125
want_line 'lies where the command can write'
rm -rf "$CONFIG" mine.pol x

# --- the cache --------------------------------------------------------------------

t "a bundle that was replaced, cut or given away is not used"
user "$DENY"
refused_touch
raw_policy 'policy loose { level user } command { otherwise allow } file { allow read, write "${PROJECT_DIR}" }' loose
entry=$(echo "$CACHE"/*.polb)
attack() { # WHAT: afterwards the policy holds, and the cache is whole again
	refused_touch
	first=$(made)
	bare true
	want_rc 0
	[ "$first" = "$(made)" ] || bad "$1: not mended"
	[ -f "$entry" ] && [ ! -L "$entry" ] && [ "$(stat -c '%a %u' "$entry")" = "644 $(id -u)" ] || bad "$1: $(ls -l "$entry")"
}
cp "$WORK/loose.polb" "$entry" && attack swapped
truncate -s 4096 "$entry" && attack cut
: >"$entry" && attack empty
printf x | dd of="$entry" bs=1 seek=100000 conv=notrunc 2>/dev/null && attack 'one byte'
ln -sf "$WORK/loose.polb" "$entry" && attack 'a link'
rm -f "$entry" && mkfifo "$entry" && attack 'a FIFO'
cp "$WORK/loose.polb" "$entry" && chmod 0664 "$entry" && attack 'writable by its group'
rm -f "$entry" && attack removed
if is_root; then
	cp "$WORK/loose.polb" "$entry" && chown poltest "$entry" && attack "another user's"
fi

t "an index that was changed is none"
index=$(grep -l '/u\.pol$' "$CACHE"/*.index)
cp "$index" "$WORK/index"
key=$(sed -n 's/^key //p' "$index")
other=$(printf '%064d' 7)
cp "$WORK/loose.polb" "$CACHE/$other.polb"
chmod 0600 "$CACHE/$other.polb"
digest=$("$BIN/polc" inspect --format json "$WORK/loose.polb" | python3 -c 'import json, sys; print(json.load(sys.stdin)["digest"])')
sed "s/$key/$other/; s/^bundle .*/bundle $digest/" "$WORK/index" >"$index" # a name that is no digest of the inputs
attack 'another key'
rm -f "$CACHE/$other.polb"
for edit in 's/^at .*/at 1 0/' '/^end/d' 's/^file 4 i/file 4 -/' 's/^told 0/told x/' '1s/1/2/' 's/ [0-9a-f]\{64\} / /' '$a file'; do
	sed "$edit" "$WORK/index" >"$index"
	attack "$edit"
done
head -c 300 "$WORK/index" >"$index" && attack 'a short index'
cp "$WORK/index" "$index" && chmod 0660 "$index" && attack 'an index of the group'
cp "$WORK/index" "$WORK/i2" && chmod 600 "$WORK/i2" && ln -sf "$WORK/i2" "$index" && attack 'a linked index'

t "the folder of the cache is the caller's own"
chmod 0755 "$CACHE"
bare sh -c 'echo bad > ran'
want_rc 125
want_line 'is open to others \(mode 0755\)'
chmod 0700 "$CACHE"
bare true
want_rc 0
mv "$CACHE" "$HOME/moved" && ln -s "$HOME/moved" "$CACHE"
bare sh -c 'echo bad > ran'
want_rc 125
rm "$CACHE" && mv "$HOME/moved" "$CACHE"
if is_root; then
	chown poltest "$CACHE"
	bare sh -c 'echo bad > ran'
	want_rc 125
	want_line 'belongs to uid'
	chown root "$CACHE"
	mkdir -p "$WORK/theirs/project" && chown poltest "$WORK/theirs"
	(cd "$WORK/theirs/project" && HOME=$WORK/theirs "$BIN/polrun" true) 2>"$WORK/.err"
	rc=$? err=$(<"$WORK/.err")
	want_rc 125
	want_line 'a directory above it belongs to uid'
fi
: >"$HOME/file"
XDG_CACHE_HOME=$HOME/file bare sh -c 'echo bad > ran'
want_rc 125
no_file ran
XDG_CACHE_HOME=/proc/none bare sh -c 'echo bad > ran' # nobody makes a folder there
want_rc 125
want_line "would be kept in '/proc/none/pol', which cannot be made .*set XDG_CACHE_HOME"
no_file ran
XDG_CACHE_HOME=$WORK/own bare true
want_rc 0

t "XDG_CACHE_HOME: another place, but none in the project"
XDG_CACHE_HOME=$WORK/xdg bare true
want_rc 0
want_file "$WORK/xdg/pol"
XDG_CACHE_HOME=$P/cache bare sh -c 'echo bad > ran'
want_rc 125
want_line 'lies in the project'
ln -s "$P" "$WORK/way"
XDG_CACHE_HOME=$WORK/way/cache2 bare sh -c 'echo bad > ran'
want_rc 125
no_file ran
XDG_CACHE_HOME=cache3 bare true # not absolute: as if it were not there
want_rc 0
no_file cache3
rm -rf cache cache2 "$CONFIG"

t "XDG_CONFIG_HOME: the user's policies do not come from the project"
mkdir -p conf/pol "$WORK/xdg3/pol" && printf 'policy c { level user }\ncommand { otherwise allow }\nnetwork full\n' >conf/pol/c.pol
cp conf/pol/c.pol "$WORK/xdg3/pol/"
XDG_CONFIG_HOME=$WORK/xdg3 bare --plan true
want_rc 0
want_out '^network +full'
XDG_CONFIG_HOME=$P/conf bare sh -c 'echo bad > ran'
want_rc 125
want_line 'lies in the project'
no_file ran
rm -rf conf

t "no HOME: that of /etc/passwd, or no run"
HOME='' XDG_CACHE_HOME=$WORK/xdg2 bare sh -c 'echo ran'
[ "$rc" -eq 0 ] && [ "$out" = ran ] || { want_rc 125 && [ -z "$out" ] || bad "$rc: $out"; }

t "no run writes the cache, the user's policies or what it was made of"
policy 'file { allow read "/"  allow read, write "${HOME}" }' home
rm -rf "$CACHE" "$CONFIG" "$HOME/.config" "$HOME/.cache"
mkdir -p "$HOME/.config" "$HOME/.cache" "$HOME/work" # the control is in a folder that no rule speaks of
cat >"$P/s.sh" <<'EOS'
mkdir -p ~/.cache/pol ~/.config/pol; echo bad > ~/.cache/pol/x; echo "network full" > ~/.config/pol/x.pol
	mv ~/.cache ~/.cache2; mv ~/.config ~/.config2; mkdir -p ~/.cache/pol && echo bad > ~/.cache/pol/y; echo good > ~/work/good
EOS
run_with home sh s.sh
want_file "$HOME/work/good"
[ -z "$(find "$HOME/.cache" "$HOME/.config" -type f)" ] || bad "$(find "$HOME/.cache" "$HOME/.config" -ls)"
no_file "$HOME/.cache2"
no_file "$HOME/.config2"
rm -rf "$HOME/work/good" && bare true
mkdir -p "$CONFIG"
printf '%s%s\n' "${HEAD/base none/level user  base none}" 'file { allow read "/"  allow read, write "${HOME}" }' >"$CONFIG/u.pol"
bare true
first=$(made)
does 'for f in ~/.cache/pol/* ~/.config/pol/*; do echo bad >> $f; rm -f $f; mv $f ~/work/x; done; mv ~/.cache/pol ~/work/; mv ~/.cache ~/work/
	echo bad > ~/.cache/pol/new; echo good > ~/work/good'
want_rc 0
want_file "$HOME/work/good"
bare true
[ "$first" = "$(made)" ] && [ -z "$(find "$CACHE" -name new)" ] || bad "$(ls -la "$CACHE")"
rm -rf "$CONFIG"
XDG_CONFIG_HOME=$P/conf does 'mkdir -p conf/pol && echo "network full" > conf/pol/x.pol; mv conf con2; echo good > there'
want_file there
no_file conf/pol/x.pol
no_file con2
echo 'mkdir -p cache/pol; echo bad > cache/pol/x; mv cache cache2; echo good > there2' >s.sh
XDG_CACHE_HOME=$P/cache run_with home sh s.sh
want_file there2
no_file cache/pol/x
no_file cache2
fresh

t "many first runs at once"
for i in {1..8}; do
	"$BIN/polrun" sh -c "echo $i > made.$i" 2>"$WORK/race.$i" &
done
wait
[ "$(find . -name 'made.*' | wc -l)" -eq 8 ] || bad "$(ls) $(cat "$WORK"/race.*)"
[ -z "$(cat "$WORK"/race.*)" ] || bad "$(cat "$WORK"/race.*)"
[ "$(find "$CACHE" -type f | wc -l)" -eq 2 ] || bad "$(ls -la "$CACHE")"
bare true
want_rc 0

t "a polc that was killed leaves nothing for ever, and old entries go"
: >"$CACHE/t.1.polb" && touch -d '2 hours ago' "$CACHE/t.1.polb"
: >"$CACHE/t.2.polb"
: >"$CACHE/old.polb" && touch -d '40 days ago' "$CACHE/old.polb"
user "$DENY"
refused_touch
no_file "$CACHE/t.1.polb"
no_file "$CACHE/old.polb"
want_file "$CACHE/t.2.polb"
fresh

# --- what is named ------------------------------------------------------------------

t "-p: a policy as text"
printf 'policy n { level user }\n%s\n' "$DENY" >"$HOME/n.pol"
bare -p "$HOME/n.pol" touch x
want_rc 126
want_line 'rule no-touch at .*n\.pol'
first=$(made)
bare -p "$HOME/n.pol" sh -c 'echo good > x'
want_rc 0
want_file x
[ "$first" = "$(made)" ] || bad "it was compiled again"
user 'command { deny "sh:*" }' # another one than the one that is named
(cd .. && "$BIN/polrun" --policy n.pol --project "$P" touch project/y) 2>"$WORK/.err"
rc=$? err=$(<"$WORK/.err")
want_rc 126
sed -i 's/touch:/tooch:/' "$HOME/n.pol"
bare -p "$HOME/n.pol" touch x2
want_rc 0
bare -p "$HOME/none.pol" true
want_rc 125
bare -p "$HOME/n.pol" -b "$WORK/p.polb" true
want_rc 125
want_line 'a run has one policy'
bare --require-signed true
want_rc 125
policy ''
bare -p "$WORK/p.polb" sh -c 'echo bad > ran'
want_rc 125
no_file ran
chmod g+w "$HOME/n.pol"
bare -p "$HOME/n.pol" true
want_rc 125
chmod g-w "$HOME/n.pol"

t "-p: one that the run could change is refused, .pol/extra is the place for it"
cp "$HOME/n.pol" n.pol
bare -p n.pol sh -c 'echo "network full" >> n.pol'
want_rc 125
want_line 'n\.pol lies where the command can write.*keep it in \.pol/extra'
mkdir -p .pol/extra && mv n.pol .pol/extra/
does -p .pol/extra/n.pol 'echo bad >> .pol/extra/n.pol; echo good > z'
want_file z
cmp -s .pol/extra/n.pol "$HOME/n.pol" || bad "the run has changed its policy"
rm -rf "$CONFIG"
bare true # it is no policy of the project
want_rc 0
# the control: in .pol it is one, and its level is another one than the folder's
mv .pol/extra/n.pol .pol/
bare true
want_rc 125
want_err "or to '\.pol/extra', which is read only where -p names it"
fresh

t "configuration of another program beside the policies does not count, which each run and polc tell"
mkdir -p .pol
echo '{"permissions":{"deny":["Bash(id:*)"]}}' >.pol/policy.json
bare id
want_rc 0
want_line '/\.pol/policy\.json does not count: the name of a policy ends in \.pol, \.yml or \.yaml'
bare -q true
[ -z "$err" ] || bad "-q: said something"
out=$("$BIN/polc" effective --discover 2>&1 >/dev/null)
want_out '^polc: \.pol/policy\.json does not count'
for verb in "convert --to pol" fmt; do
	read -ra words <<<"$verb"
	out=$("$BIN/polc" "${words[@]}" .pol/policy.json 2>&1)
	want_out "ends in '\.json' is no policy.*P0047"
	no_out 'P0001|P0020'
done
mv .pol/policy.json .pol/policy.txt
bare true
want_rc 0
[ -z "$err" ] || bad "the control: said something"
fresh

t "an installation below /tmp: no run can write it there"
there=$(mktemp -d /tmp/pol-there.XXXXXX)
mkdir -p "$there/share/pol"
cp -rL "$BIN" "$there/bin" && cp -rL "$BIN/../share/pol/stdlib-policies" "$there/share/pol/"
chmod -R go+rX "$there"
cat >s.sh <<EOF2
echo bad >"$there/share/pol/stdlib-policies/floor.pol" && echo written
EOF2
"$there/bin/polrun" sh s.sh >"$WORK/.out" 2>"$WORK/.err" </dev/null
rc=$? out=$(<"$WORK/.out") err=$(<"$WORK/.err")
want_rc 2
grep -q floor "$there/share/pol/stdlib-policies/floor.pol" || bad "the library was changed"
"$there/bin/polrun" sh -c 'echo good' >"$WORK/.out" 2>"$WORK/.err" </dev/null
rc=$? out=$(<"$WORK/.out") err=$(<"$WORK/.err")
want_rc 0
want_out '^good$'
rm -rf "$there"
fresh

t "-q: only why a command did not run or was ended"
does 'mkdir -p b/objects b/refs; echo > b/HEAD; unshare --user true; exit 3'
want_rc 3
want_line 'b has appeared'
want_line 'blocked: system call'
rm -rf b
does -q 'mkdir -p b/objects b/refs; echo > b/HEAD; unshare --user true 2>&-; exit 3'
want_rc 3
silent
rm -rf b
user "$DENY"
bare -q touch x
want_rc 126
want_line 'no-touch'
bare -q -v true
want_rc 125
fresh

t "a role is another policy"
user 'command { otherwise allow } file { allow read, write "${PROJECT_DIR}" } role careful { command { deny "touch:*" as no-touch } }'
bare touch x
want_rc 0
bare --role careful touch y
want_rc 126
bare --role none touch y
want_rc 125
bare touch y
want_rc 0
fresh

t "a directory above this one is the project only if it is ours"
mkdir -p "$WORK/shared/mine/deep" && mkdir "$WORK/shared/.git"
cd "$WORK/shared/mine/deep" || exit 1
P=$PWD
does 'echo > ../../w'
want_rc 0
want_file "$WORK/shared/w"
if is_root; then
	chown poltest "$WORK/shared/.git"
	does 'echo > ../../w2'
	want_rc 125
	want_line 'belongs to uid [0-9]+: name the project with --project'
	policy '' shared
	run_with shared sh -c 'echo >"$PWD/../../w4"'
	want_rc 125
	want_line 'belongs to uid [0-9]+: name the project with --project'
	no_file "$WORK/shared/w4"
	ask_hook() { out=$(printf '{"session_id":"%s","cwd":"%s","hook_event_name":"PreToolUse","tool_name":"apply_patch","tool_input":{"command":"*** Begin Patch\\n*** Add File: %s/shared/w5\\n+x\\n*** End Patch\\n"}}' "$1" "$PWD" "$WORK" |
		"$BIN/polquery" -b "$WORK/shared.polb" hook codex 2>&1); }
	ask_hook theirs
	want_out '"deny".*another user has marked it'
	does --project "$WORK/shared/mine" 'echo > ../w3'
	want_rc 0
	want_file "$WORK/shared/mine/w3"
	chown root "$WORK/shared/.git"
	run_with shared sh -c 'echo >"$PWD/../../w4"'
	want_rc 0
	ask_hook ours
	want_out '^[{][}]$'
fi
P=$HOME/project
cd "$P" || exit 1

t "/etc/pol/managed.d is above every policy that polrun compiles"
if is_root; then
	cp -a /etc "$WORK/etc" && mkdir -p "$WORK/etc/pol/managed.d"
	printf 'policy m { level managed-file }\ncommand { deny "touch:*" as managed-no }\n' >"$WORK/etc/pol/managed.d/m.pol"
	chmod -R go-w "$WORK/etc/pol"
	inside() { unshare -m sh -c 'mount --bind "$1" /etc && shift && exec "$@"' - "$WORK/etc" "$BIN/polrun" "$@" >"$WORK/.out" 2>"$WORK/.err" </dev/null
		rc=$? out=$(<"$WORK/.out") err=$(<"$WORK/.err"); }
	inside touch x
	want_rc 126
	want_line 'rule managed-no at .*m\.pol'
	inside sh -c 'echo good > by-profile'
	want_file by-profile
	printf 'policy n { level user }\n%s\n' "$MAY_" >"$HOME/n.pol"
	inside -p "$HOME/n.pol" touch x
	want_rc 126
	rm "$WORK/etc/pol/managed.d/m.pol"
	inside -p "$HOME/n.pol" touch x
	want_rc 0
	inside touch x
	want_rc 0
	printf 'nonsense\n' >"$WORK/etc/pol/managed.d/m.pol"
	inside touch x
	want_rc 125
	printf 'policy m { level managed-file }\n' >"$WORK/etc/pol/managed.d/m.pol"
	chown poltest "$WORK/etc/pol/managed.d/m.pol"
	inside touch x
	want_rc 125
	want_line "it must be root's"
	rm -rf "${WORK:?}/etc"
fi

done_
