#!/usr/bin/env bash
# Tries: `..` from a directory that somebody moves out of the view meanwhile.
# Stops it: the kernel: a walk that is below no mount of its own any more ends
# (ENOENT), and the host's root is in no mount of the run.
# places:
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/escape.sh
. "$(dirname "$0")/../../lib/escape.sh"
echo the-secret >"$WORK/marker"
climb() { # COMMAND…: climbs from sub/deep; this moves sub away from below it
	mkdir -p "$P/sub/deep"
	rm -rf "$P/ready" "$P/go" "$WORK/out/sub" "$WORK/out/home" "$WORK/.out"
	"$@" "$X" climb "$P/sub/deep" "$P" marker >"$WORK/.out" 2>"$WORK/.err" </dev/null &
	within 30 test -e "$P/ready"
	want_file "$P/ready"
	[ "$moved" = no ] || mv "$P/sub" "$WORK/out/sub"
	: >"$P/go"
	wait $!
	rc=$? out=$(cat "$WORK/.out") err=$(cat "$WORK/.err")
	rm -rf "$P/sub" "$WORK/out/sub"
}

t "the control: outside the marker is found, moved or not"
moved=yes climb env
worked
moved=no climb env
worked

t "inside it is not: the walk ends"
bare_policy
moved=no climb "$BIN/polrun" -b "$WORK/p.polb"
stopped ENOENT
moved=yes climb "$BIN/polrun" -b "$WORK/p.polb"
stopped ENOENT

t "the control: what lies in the view is found"
echo here >"$P/marker"
moved=no climb "$BIN/polrun" -b "$WORK/p.polb"
worked
want_out 'found 2 levels up'

done_
