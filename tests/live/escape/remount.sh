#!/usr/bin/env bash
# Tries: to make a read-only, noexec or masked mount writable, executable or gone.
# Stops it: no capability is left; std/base denies the calls too.
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/escape.sh
. "$(dirname "$0")/../../lib/escape.sh"
mkdir -p "$P/kept" "$P/hid"
bare_policy 'file { deny write "${PROJECT_DIR}/kept" hide "${PROJECT_DIR}/hid" }'
std_policy 'file { deny write "${PROJECT_DIR}/kept" hide "${PROJECT_DIR}/hid" }'

t "the control: with capabilities a mount of one's own is made writable again"
if unshare -Urm true 2>/dev/null; then
	outside unshare -Urm sh -c "mount -t tmpfs none $P/kept && mount -o remount,bind,ro $P/kept && ! touch $P/kept/x && $C mount @none @$P/kept 0 0x1020 0 && touch $P/kept/x"
	want_rc 0
	want_out '^OK'
else
	skip unshare "user namespaces by unshare(1) do not work here"
fi

t "inside no mount changes"
for at in / /usr "$P/kept" "$P/hid" /proc/sys; do
	for b in p s; do
		# MS_REMOUNT|MS_BIND without a flag, MS_REMOUNT, MS_PRIVATE
		run_with "$b" sh -c 'for f in 0x1020 0x20 0x40000; do "$@" $f 0; done' - \
			"$C" mount @none "@$at" 0
		[ "$out" = $'EPERM\nEPERM\nEPERM' ] || bad "$at: $out"
		# not "/": where the trick works nothing would be left to tell it
		[ "$at" = / ] || run_with "$b" "$C" umount2 "@$at" 2
		stopped 'EPERM|EINVAL'
		run_with "$b" "$C" mount_setattr -100 "@$at" 0 +32 32
		[ "$rc" -eq 0 ] && [ "$b" = p ] || stopped EPERM # changes nothing
	done
done
run "$F" create kept/x
stopped EACCES
want_line 'blocked: write .*/kept/x: rule .* deny write'
no_file "$P/kept/x"
run "$F" chmod /usr 755
stopped EROFS
run "$F" create x
worked

done_
