#!/usr/bin/env bash
# Another mount of the host gives a tree a second name.  Where names are decided one by one, a rule
# for the one name would not hold for the other: such a run is refused.
# places:
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"

mkdir -p "$P/src" "$WORK/alias" "$WORK/data/inner" "$WORK/other"
apart=(unshare -m --propagation private)
is_root || apart+=(-r) # a user's mounts are made in a user namespace of its own
WILD='deny write "${PROJECT_DIR}/**/.env*"'
ALIAS='allow read, write "'$WORK/alias'"'
DATA='allow read, write "'$WORK/data'"'
policy "file { $ALIAS $WILD }" alias
policy "file { $ALIAS deny write \"\${PROJECT_DIR}/absent\" }" absent
policy "file { $DATA $WILD }" data
policy "file { allow read \"$WORK/alias\" $WILD }" looked

# MOUNTS BUNDLE COMMAND…: the run sees a host in which these mounts were made.
with() {
	local mounts=$1 bundle=$2
	shift 2
	err=$("${apart[@]}" bash -c "$mounts"' && exec "$@"' - \
		"$BIN/polrun" -b "$WORK/$bundle.polb" "$@" 2>&1 >"$WORK/.out" </dev/null)
	rc=$?
	out=$(<"$WORK/.out")
}
refused() { # OTHER
	want_rc 125
	want_err "^polrun: .*'$1' shows what lies in '($P|$HOME)' by a second name"
	no_out .
	no_file "$P/.env"
}

t "a mount of the project elsewhere"
with "mount --bind $P $WORK/alias" alias sh -c "echo ran; echo x >$WORK/alias/.env"
refused "$WORK/alias"
with "mount --bind $P $WORK/alias" absent sh -c "echo ran; echo x >$WORK/alias/absent"
refused "$WORK/alias"
no_file "$P/absent"

t "a mount of a folder of it, and of a folder above it"
with "mount --bind $P/src $WORK/alias" alias sh -c "echo ran; echo x >$WORK/alias/.env"
refused "$WORK/alias"
with "mount --bind $WORK/home $WORK/alias" alias sh -c "echo ran; echo x >$WORK/alias/project/.env"
refused "$WORK/alias"

t "in a tree that can be written"
with "mount --bind $P $WORK/data/inner" data sh -c "echo ran; echo x >$WORK/data/inner/.env"
# each name in that tree is decided, since a mount in it ends the search for repositories
want_rc 2
want_out '^ran$'
want_err 'data/inner/\.env: Read-only file system'
no_file "$P/.env"
for hides in 'hide "${PROJECT_DIR}/**/.env*"' 'deny exec "${PROJECT_DIR}/**/*.run"'; do
	policy "file { ${DATA/write/write, exec} allow exec \"\${PROJECT_DIR}\" $hides }" hides
	echo SECRET >"$P/.envrc"
	printf '#!/bin/sh\necho started\n' >"$P/src/x.run"
	chmod 755 "$P/src/x.run"
	with true hides sh -c 'grep -r SECRET . >/dev/null; src/x.run; exit 0' # the control: without the mount
	want_rc 0
	want_err 'Permission denied'
	with "mount --bind $P $WORK/data/inner" hides sh -c "cd $WORK/data/inner; grep -r SECRET .; src/x.run"
	refused "$WORK/data/inner"
	with "mount --bind $P/src $WORK/data/inner" hides sh -c "cd $WORK/data/inner; ./x.run"
	refused "$WORK/data/inner"
	rm "$P/.envrc" "$P/src/x.run"
done

t "a mount that the project itself is"
with "mount --bind $WORK/other $P && mkdir -p $P/src" data sh -c "echo x >$P/src/.env; echo y >$P/src/ok && echo ran"
want_rc 0
want_out '^ran$'
want_err 'src/.env.*Permission denied'
no_file "$WORK/other/src/.env"
want_file "$WORK/other/src/ok"

t "a mount of what a link in a directory that must not be written leads to"
policy "file { $ALIAS deny write \"\${PROJECT_DIR}/prot\" as prot }" lead
mkdir -p "$P/prot" "$P/shared"
echo old >"$P/shared/f"
ln -s ../shared "$P/prot/link"
with "mount --bind $P/shared $WORK/alias" lead sh -c "for f in $WORK/alias/f $WORK/alias/new $P/shared/f; do echo evil >\$f; done; cat $WORK/alias/f; echo x >$P/ok1 && echo ran"
want_rc 0
want_out '^old$'
want_out '^ran$'
want_text old "$P/shared/f"
no_file "$P/shared/new"
with "mount --bind $WORK/other $WORK/alias" lead sh -c "echo x >$WORK/alias/new"
want_rc 0
want_file "$WORK/other/new"
rm -r "$P/prot" "$P/shared" "$WORK/other/new"

t "the controls: no such mount, another tree, one that is only read"
with true alias sh -c "echo x >$WORK/alias/.env && echo x >$P/ok && echo ran"
want_rc 0
want_out '^ran$'
rm -f "$WORK/alias/.env"
with "mount --bind $WORK/other $WORK/alias" alias sh -c "echo x >$WORK/alias/.env && echo ran"
want_rc 0
want_out '^ran$'
with "mount --bind $P $WORK/alias" looked sh -c "echo x >$WORK/alias/.env; echo x >$P/ok2 && echo ran"
want_rc 0
want_out '^ran$'
no_file "$P/.env"
done_
