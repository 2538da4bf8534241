#!/usr/bin/env bash
# What a rule allows and a run does not get: a name that is absent on the host, and a program whose
# name is a link that leads out of what the rules show.
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"

t "an allow of writing an absent name in a private tree tells that what is written there is lost"
mkdir -p "$HOME/.cache"
policy 'file { scratch "${HOME}"  allow read, write "${HOME}/.cache/tool" as cache }' lost
run_with lost sh -c 'mkdir -p "$HOME/.cache/tool" && echo x >"$HOME/.cache/tool/f" && echo written'
want_rc 0
want_out '^written$'
want_line "$HOME/.cache/tool is absent, so that rule cache at .* gives nothing there: what is written there is lost"
no_file "$HOME/.cache/tool"
mkdir "$HOME/.cache/tool"
run_with lost sh -c 'echo x >"$HOME/.cache/tool/f"'
want_rc 0
no_err 'absent'
want_file "$HOME/.cache/tool/f"
rm -r "$HOME/.cache"

t "elsewhere it cannot be written, which is told; what polrun makes is not told"
policy 'file { allow read, write "'"$WORK"'/out/absent" as out }' nowhere
run_with nowhere sh -c 'mkdir -p "$1"' x "$WORK/out/absent"
want_rc 1
want_line "$WORK/out/absent is absent, so that rule out at .* gives nothing there: it cannot be written"
policy 'file { allow read "'"$WORK"'/out"  allow write "'"$WORK"'/out/absent"  allow read "'"$WORK"'/out/other"  allow read, write "${PROJECT_DIR}/absent" }' made
run_with made sh -c 'mkdir -p "$1" && echo x >"$1/f" && mkdir absent' x "$WORK/out/absent"
want_rc 0
no_err 'absent'
want_file "$WORK/out/absent/f"

t "a program whose name is a link: the missing rule is that of the link's target"
mkdir -p "$HOME/bin" "$HOME/share/tool"
printf '#!/bin/sh\necho ran\n' >"$HOME/share/tool/1.0"
chmod 755 "$HOME/share/tool/1.0"
ln -s ../share/tool/1.0 "$HOME/bin/tool"
policy 'file { allow read, exec "${HOME}/bin" }' link
run_with link "$HOME/bin/tool"
want_rc 127
want_line "not in the sandbox \($HOME/bin/tool is a link to $HOME/share/tool/1.0, which no rule makes readable and executable"
policy 'file { allow read, exec "${HOME}/bin", "${HOME}/share/tool" }' both
[ "$(id -u)" -ne 0 ] || chmod 0711 "$WORK"
run_with both "$HOME/bin/tool"
want_rc 0
want_out '^ran$'


t "a directory of PATH that is a link outside of what is shown, to programs that are shown"
mkdir -p "$WORK/out/run" "$HOME/share/other"
ln -s "$HOME/share/tool" "$WORK/out/run/way"
ln -s "$HOME/share/other" "$WORK/out/run/other"
mv "$HOME/share/tool/1.0" "$HOME/share/tool/mytool"
cp "$HOME/share/tool/mytool" "$HOME/share/other/hidden"
policy 'file { allow read, exec "${HOME}/share/tool" }' target
PATH=$WORK/out/run/way:$WORK/out/run/other:$PATH run_with target mytool
want_rc 0
want_out '^ran$'
PATH=$WORK/out/run/way:$WORK/out/run/other:$PATH run_with target sh -c 'mytool && echo "$PATH"'
want_rc 0
want_out '^ran$'
want_out "^$HOME/share/tool:$WORK/out/run/other:"
PATH=$WORK/out/run/other:$PATH run_with target hidden
want_rc 127
PATH=/bin:/usr/bin run_with target sh -c 'echo "$PATH"'
want_out '^/bin:/usr/bin$'
done_
