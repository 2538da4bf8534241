#!/usr/bin/env bash
# Calls that polrun leaves to the kernel, which reads the path once more: another thread changes it
# between a name of a tree that the run writes itself and a name that a rule denies.  What the
# kernel finds then must be kept by the mount that the run sees (doc/enforcement.md, What the broker
# leaves to the kernel).
#   FLIP_MS=N (400)  how long each call is tried
# places: the tree that the run writes itself is its /tmp
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"

ms=${FLIP_MS:-400}
HEAD=${HEAD/'allow read, exec "/usr"'/"allow read, exec \"$PROBES\", \"/usr\""}
# a private tree beside the project, wherever that lies
HEAD=${HEAD/'scratch "${TMPDIR}"'/'scratch "${TMPDIR}", "/var/own"'}
cat >flip.sh <<'F'
call=$1 denied=$2 ms=$3 own=/var/own/f
case $call in
# opening a file of its own polrun makes itself, but not that of a device
write | create) own=/dev/null ;;
# the same of a socket's name; nothing is made there
bind) own=/usr/f ;;
truncate | chmod | utimens | setxattr | unlink | rename | link) echo own >$own ;;
esac
exec "$PROBE" "$call" "$own" "$denied" "$ms"
F
HEAD=${HEAD/', USER }'/', USER, PROBE }'}
HEAD+='unix { otherwise allow }
'
policy 'file { deny write "${PROJECT_DIR}/**/.env*" as kept }'
policy '' free
export PROBE=$PROBES/flip_probe

for call in write truncate chmod utimens setxattr unlink; do
	t "$call: a name that may not be written"
	echo kept >.env && echo kept >free.txt
	run sh flip.sh $call "$P/.env" "$ms"
	want_rc 0
	want_out '^none in'
	want_text kept .env
	run_with free sh flip.sh $call "$P/free.txt" "$((ms * 5))"
	want_out '^REACHED'
done
rm -f .env
for call in create mkdir mknod symlink bind rename link; do
	rm -rf .env
	echo free >free.txt
	t "$call: a name that may not be made"
	run sh flip.sh $call "$P/.env" "$ms"
	[ $call = bind ] || want_rc 0
	want_out '^none in'
	no_file .env
	run_with free sh flip.sh $call "$P/free.new" "$((ms * 5))"
	want_out '^REACHED'
	rm -rf free.new
done

done_
