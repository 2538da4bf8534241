#!/usr/bin/env bash
# Tries: random calls of threads that share memory, working directory and descriptors
# (tests/live/probes/shared_probe.c), in a project with names that may not be read, written or
# started.  Nothing of a secret is read, no such program runs, and what may not be written is as
# it was; without the rules all of it happens.
#   SHARED_ROUNDS=N (1)  SHARED_SECONDS=N (4)  SHARED_SEED=N
# places: what the broker leaves to the kernel depends on what lies around the project
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
# shellcheck source=tests/lib/kept.sh
. "$(dirname "$0")/../lib/kept.sh"

seed=${SHARED_SEED:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}
rounds=${SHARED_ROUNDS:-1}
seconds=${SHARED_SECONDS:-4}
HEAD=${HEAD/'allow read, exec "/usr"'/"allow read, exec \"$PROBES\", \"/usr\""}
rules='file { allow exec "${PROJECT_DIR}"
	hide "**/.env"  deny read, write "**/*.secret"  hide "${PROJECT_DIR}/hidden"
	deny write "**/locked", "${PROJECT_DIR}/src/x.ts"  deny write, exec "**/bad" }'
policy "$rules" held
policy 'file { allow exec "${PROJECT_DIR}" }' free
RUN_OPTIONS=(-y)

# What the names of the probe lead to.
make_tree() {
	local d i
	cd "$WORK" && rm -rf "${P:?}" && mkdir -p "$P" && cd "$P" || exit 1
	mkdir -p a/b/c sub/a src/a/sub hidden/a
	for d in . a a/b sub src src/a hidden hidden/a; do
		echo SECRET >$d/.env
		echo SECRET >$d/x.secret
		echo open >$d/free
		echo open >$d/.envy
		echo locked >$d/locked
		echo code >$d/x.ts
		printf '#!/bin/sh\nexit 7\n' >$d/bad
		printf '#!/bin/sh\nexit 0\n' >$d/good
	done
	echo SECRET >hidden/free
	for i in good bad; do find . -name $i -exec chmod 755 {} +; done
	ln -s ../.env a/l1
	ln -s .. sub/l2
	ln -s hidden l3
	ln -s l3/free l4
	! is_root || chown -R --no-dereference 12345:12345 .
	kept_save "$P"
}

# POLICY SHARE SEED
tried() {
	make_tree
	run_with "$1" timeout -s KILL $((seconds * 3 + 60)) "$PROBES/shared_probe" "$3" "$seconds" "$2"
	printf '     seed %s, %s: %s\n' "$3" "$2" "$(tail -n 1 <<<"$out")"
	want_rc 0
	[ "$(sed -n 's/.* opened \([0-9]*\) .*/\1/p' <<<"$out")" -ge 20 ] || bad "hardly a call opened anything"
}

turn=0
for share in all fds cwd none; do
	t "threads that share $share: nothing is reached that may not be"
	for ((i = 0; i < rounds; i++)); do
		turn=$((turn + 1))
		tried held "$share" "$((seed + turn))"
		no_out '^(LEAK|RAN)'
		kept_check held
	done
done

t "the control: without the rules all of it happens"
seen=''
for i in 1 2 3 4 5 6; do
	tried free none "$((seed + i))"
	seen+=$out
	[[ $seen != *'LEAK '* || $seen != *'RAN '* ]] || break
done
out=$seen
want_out '^LEAK'
want_out '^RAN'
kept_control held
done_
