#!/usr/bin/env bash
# Tries: a second name, in a writable place, for a file that must not be written
# or read.
# Stops it: the broker asks the rules about both names; what is hidden is a mount of its
# own, and link(2) does not cross mounts.
# places:
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/escape.sh
. "$(dirname "$0")/../../lib/escape.sh"
mkdir -p "$P/kept" "$P/free"
echo kept >"$P/kept/f" && echo kept >"$P/alone" && echo the-secret >"$P/hidden"
touch "$P/free/f"
bare_policy 'file { deny write "${PROJECT_DIR}/kept", "${PROJECT_DIR}/alone"
	hide "${PROJECT_DIR}/hidden" }'
policy "$ADD" q

t "the control: without rules a link can be made and written"
run_with q sh -c "$F link kept/f name && echo broken > name && rm name"
want_text broken "$P/kept/f"
echo kept >"$P/kept/f"
run_with q "$X" link-fd kept/f name
worked
rm -f "$P/name"

t "of a denied file"
for file in kept/f alone; do
	for call in "$F link" "$X link-fd" "$F rename"; do
		# shellcheck disable=SC2086
		run $call "$file" name
		stopped EACCES
		want_line "blocked: write $P/$file( .2 times.)?: rule .* deny write"
		no_file "$P/name"
	done
done
# the other way round: nothing takes the denied name
for call in "$F link" "$X link-fd" "$F rename"; do
	for file in kept/f kept/new alone; do
		# shellcheck disable=SC2086
		run $call free/f "$file"
		stopped 'EACCES|EEXIST'
	done
done
want_text kept "$P/kept/f"
want_text kept "$P/alone"
no_file "$P/kept/new"
want_file "$P/free/f"

t "of a hidden one"
run "$F" link hidden name
stopped 'EXDEV|EPERM|EROFS'
no_file "$P/name"
run sh -c 'cat name'
no_out the-secret

t "of a file of the system"
run "$F" link /etc/passwd name
stopped 'EXDEV|EPERM|EROFS'
run "$X" link-fd /usr/bin/env name
stopped 'EXDEV|ENOENT|EPERM|EROFS'

t "the control: between free places it works"
run "$F" link free/f free/second
worked
run "$X" link-fd free/f free/third
worked

done_
