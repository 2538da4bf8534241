#!/usr/bin/env bash
# Tries: to move, remove or replace a directory above a denied path, so that the
# path is free to be made anew; and to reach the tree by a second name.
# Stops it: the broker, which asks about every name that moves along and moves no
# directory above a mount; the read-only mount, where the name is a mount itself.
# places:
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/escape.sh
. "$(dirname "$0")/../../lib/escape.sh"
R='file { deny write "${PROJECT_DIR}/a/b/c/kept"
	hide "${PROJECT_DIR}/a/b/hid" }'
fresh() {
	chmod -R u+rwx "$P" && rm -rf "${P:?}"/*
	mkdir -p "$P/a/b/c/kept" "$P/a/b/hid" "$P/mine/b/c/kept" "$P/mine/b/hid"
	echo kept >"$P/a/b/c/kept/f"
	echo the-secret >"$P/a/b/hid/f"
}
ways=(
	'mv %s away; mkdir -p a/b/c/kept; echo broken > a/b/c/kept/f'
	'mv -T %s mine/x; mkdir -p a/b/c; cp -r mine/b/c/kept a/b/c; echo broken > a/b/c/kept/f'
	'rm -rf %s; ln -s ../mine %s'
	'rmdir %s; mkdir -p %s'
)

t "the control: without rules each way is open"
bare_policy
for way in "${ways[@]:0:2}"; do
	fresh
	run sh -c "$(printf "$way" a)"
	want_text broken "$P/a/b/c/kept/f"
done
fresh
run "$F" exchange a mine
worked
fresh
run sh -c 'rm -rf a; ln -s mine a'
[ -L "$P/a" ] || bad "a is no link"

t "with them none is, at no level"
bare_policy "$R"
fresh
for at in a a/b a/b/c a/b/c/kept a/b/hid; do
	for way in "${ways[@]}"; do
		run sh -c "$(printf "$way" $at $at)"
		no_out the-secret
		want_text kept "$P/a/b/c/kept/f"
		want_text the-secret "$P/a/b/hid/f"
	done
	# above what is hidden a mount is in the way; above what is denied its rule is
	case $at in
	a | a/b) how=EBUSY empty=EBUSY says='(no rule|something is mounted there)' ;;
	a/b/c) how=EACCES empty=ENOTEMPTY says='rule .* deny write' ;;
	a/b/c/kept) how=EACCES empty=EACCES says='rule .* deny write' ;;
	a/b/hid) how='EBUSY|EROFS' empty='EBUSY|EROFS' says='' ;;
	esac
	for call in "rename $at away" "exchange $at mine" "exchange mine $at"; do
		# shellcheck disable=SC2086
		run "$F" $call
		stopped "$how"
		[ -z "$says" ] || want_line "blocked: write .*: $says"
	done
	run "$F" rmdir "$at"
	# a full directory that the run may list is not removed for that reason
	stopped "${empty/EACCES/ENOTEMPTY}"
	run "$F" rename mine "$at"
	stopped "$empty"
	want_text kept "$P/a/b/c/kept/f"
	want_text the-secret "$P/a/b/hid/f"
	want_file "$P/mine/b/c/kept"
	no_file "$P/away"
done

t "the control: their neighbours move as always"
run sh -c 'mv mine/b mine/z && mv mine/z a/b/c/moved && mv a/b/c/moved a/moved && rm -r a/moved'
want_rc 0
no_file "$P/mine/b"

t "a wider tree that holds the same names has the same restrictions"
fresh
bare_policy "$R file { allow read, write \"$P\", \"$WORK/out\" }"
mkdir -p "$P/up" && mv "$P/a" "$P/up/a"
run --project "$P/up" "$F" rename "$P/up" "$P/moved"
stopped EBUSY
run --project "$P/up" "$F" rename "$P/up/a" "$WORK/out/a"
stopped 'EBUSY|EXDEV'
run --project "$P/up" "$F" write "$P/up/a/b/c/kept/f" x
stopped EACCES
want_line 'blocked: write .*/kept/f: rule .* deny write'
want_text kept "$P/up/a/b/c/kept/f"
run --project "$P/up" "$F" read "$P/up/a/b/hid/f"
stopped 'EACCES|ENOENT'
run --project "$P/up" "$F" create "$P/free"
worked

done_
