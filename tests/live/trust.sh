#!/usr/bin/env bash
# A project's policy that nobody named allows nothing until its user has trusted exactly
# this text at this path.
# shellcheck disable=SC2016,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
cd "$P" || exit 1
export XDG_STATE_HOME=$WORK/state
state=$XDG_STATE_HOME/pol/trusted
mkdir -p .git .pol more
printf 'use "../more/more"\ncommand { allow "frob *"  deny "gulp *" }\n' >.pol/policy.pol
printf 'command { allow "blub *" }\n' >more/more.pol

polc() { # COMMAND…
	"$BIN/polc" "$@" >"$WORK/.o" 2>"$WORK/.e" </dev/null
	rc=$? out=$(cat "$WORK/.o") err=$(cat "$WORK/.e")
}
verdict() { # LINE EFFECT [DIR]
	local got
	got=$("$BIN/polc" explain "--discover=${3:-$P}" command "$1" 2>&1 | sed -n '1s/:.*//p')
	[ "$got" = "$2" ] || bad "$1: $got, want $2"
}

t "before: what it denies counts, what it allows does not, and check says what to do"
verdict 'frob x' ask
verdict 'gulp x' deny
polc check --discover
want_rc 0
want_err "'polc trust .pol/policy.pol' lets it allow things"

t "trusted: it allows, and so does what it uses"
polc trust .pol/policy.pol
want_rc 0
want_out "^trusted: $P/.pol/policy.pol"
want_out "^trusted, it is used: $P/more/more.pol"
verdict 'frob x' allow
verdict 'blub x' allow
verdict 'gulp x' deny
polc trust --list
want_out "^$P/.pol/policy.pol  20[0-9-]+  [0-9a-f]{12}$"
polc check --discover
no_err 'does not count'

t "another text, and the same text elsewhere, are not trusted"
cp -r "$P" "$WORK/clone"
verdict 'frob x' ask "$WORK/clone"
echo '# changed' >>.pol/policy.pol
verdict 'frob x' ask
sed -i '$d' .pol/policy.pol
verdict 'frob x' allow

t "a file that it uses has changed: an error, until somebody has read it"
echo '# changed' >>more/more.pol
polc check --discover
want_rc 1
want_err "'.pol/policy.pol' is trusted, but what it uses here is not \[P0128\]"
polc trust .pol/policy.pol
verdict 'blub x' allow

t "a record that somebody else could have written does not count"
chmod g+w "$state"
verdict 'frob x' ask
polc trust --list
[ "$rc" != 0 ] || bad "it is listed"
want_err "could have been written by somebody else: it must be this user's, and chmod go-w"
chmod g-w "$state"
chmod o+w "$state"/*
verdict 'frob x' ask
chmod o-w "$state"/*
verdict 'frob x' allow
if is_root; then
	chown 12345 "$state"/*
	verdict 'frob x' ask
	chown 0 "$state"/*
	chown 12345 "$state"
	verdict 'frob x' ask
	chown 0 "$state"
fi
for f in "$state"/*; do
	mv "$f" "$f.x" && ln -s "$f.x" "$f"
done
verdict 'frob x' ask
for f in "$state"/*.x; do mv "$f" "${f%.x}"; done
verdict 'frob x' allow

t "a record of another path under the right name, and no record at all"
for f in "$state"/*; do cp "$f" "$f.old" && printf '/x\0001\n' >"$f"; done
verdict 'frob x' ask
for f in "$state"/*.old; do mv "$f" "${f%.old}"; done
verdict 'frob x' allow

t "revoked: it is as before; a second time says so"
polc trust --revoke .pol/policy.pol
want_rc 0
verdict 'frob x' ask
polc trust --revoke .pol/policy.pol
want_rc 1
want_err 'is not trusted'

t "no run writes the records: the control is its own place"
policy "file { allow read, write \"$XDG_STATE_HOME\" }"
run sh -c "mkdir -p $state; touch $state/x"
no_file "$state/x"
run sh -c "touch $XDG_STATE_HOME/x && echo made"
want_out made
want_file "$XDG_STATE_HOME/x"

t "a repository in the project, which a run has made, has other policies: it is said whose are left behind"
O=$HOME/outer
mkdir -p "$O"/{.git,.pol,sub,deep/x}
printf 'command { deny "gulp *" as no-gulp }\n' >"$O/.pol/team.pol"
bare() { # DIR ARGS…: polrun without a bundle
	rc=0
	(cd "$O/$1" && "$BIN/polrun" "${@:2}") >"$WORK/.o" 2>"$WORK/.e" </dev/null || rc=$?
	out=$(cat "$WORK/.o") err=$(cat "$WORK/.e")
}
bare sub gulp x
want_rc 126
want_err 'no-gulp at .*team.pol'
bare deep/x git init -q ../../sub
want_rc 0
want_err 'sub/.git has appeared'
bare sub true
want_rc 0
want_err "the policies in $O/.pol do not hold here: $O/sub is a project of its own; --project $O if they should"
bare sub -q true
want_rc 0
[ -z "$err" ] || bad "with -q: $err"
bare sub --project "$O" gulp x
want_rc 126
want_err 'no-gulp at .*team.pol'
bare deep/x true
want_rc 0
! grep -q 'do not hold' <<<"$err" || bad "in the project itself: $err"
(cd "$O/sub" && "$BIN/polc" check) >"$WORK/.o" 2>&1
grep -q "the policies in $O/.pol do not hold here" "$WORK/.o" || bad "polc check: $(cat "$WORK/.o")"

t "what cannot be read or means nothing is not trusted"
printf 'nonsense {\n' >.pol/bad.pol
polc trust .pol/bad.pol
want_rc 2
want_err P0016
polc trust nofile.pol
want_rc 2
polc trust
want_rc 2
polc trust --list x
want_rc 2
rm .pol/bad.pol
printf 'command { allow "out *" }\n' >"$WORK/outside.pol"
ln -s "$WORK/outside.pol" .pol/link.pol
polc trust .pol/link.pol
want_rc 2
want_err 'lies outside of the project'
rm .pol/link.pol

t "an agent cannot say it: the floor denies the line"
policy 'command { otherwise allow  allow "polc **" }'
run polc trust .pol/policy.pol
want_rc 126
run polc --version
[ "$rc" -ne 126 ] || bad "the control: $err"

done_
