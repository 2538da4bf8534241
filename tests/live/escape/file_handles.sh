#!/usr/bin/env bash
# Tries: any file of a mounted file system by its number (open_by_handle_at).
# Stops it: no CAP_DAC_READ_SEARCH over the file system; std/base denies the call.
# places:
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/escape.sh
. "$(dirname "$0")/../../lib/escape.sh"
bare_policy
std_policy
outside "$K" handle-of "$SECRET"
if [ "$rc" -ne 0 ]; then
	skip handles "this file system has none: $out"
	done_
	exit
fi
read -r type bytes _ <<<"$out"

if is_root; then
	t "the control: outside root opens it"
	outside "$K" handle-open "$P" "$type" "$bytes"
	worked
	want_out the-secret
fi
t "inside nobody does, through no directory"
for dir in "$P" /usr /etc /tmp / /proc; do
	run "$K" handle-open "$dir" "$type" "$bytes"
	stopped 'EPERM|EACCES|ESTALE|EOPNOTSUPP'
	run_with s "$K" handle-open "$dir" "$type" "$bytes"
	stopped EPERM
done

t "the control: the plain way to a file of the run's works"
echo mine >"$P/mine"
run "$F" read mine
worked

done_
