#!/usr/bin/env bash
# ssh takes the files that the system's configuration includes, which Debian 13, Ubuntu and Fedora have: inside they
# belong to the run, since root's are nobody's there.
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
command -v ssh >/dev/null || { skip ssh "it is not installed"; done_; exit; }
policy ''
t "with the machine's own configuration"
settings() { grep -vE '^(identityfile|userknownhostsfile) '; } # whose HOME: of passwd, which has the run's inside
wanted=$(ssh -G example.org 2>/dev/null </dev/null | settings)
run ssh -G example.org
want_rc 0
[ "$(settings <<<"$out")" = "$wanted" ] || bad "other settings: $(diff <(settings <<<"$out") <(echo "$wanted"))"
is_root || {
	done_
	exit
}

caller=$(id -u daemon)
chmod 0711 "$WORK"
chmod 0755 "$HOME" "$P"
policy 'file { hide "/etc/ssh/ssh_config.d/20-x.conf" }' hidden
chown "$caller" "$HOME" "$P" "$WORK"/*.polb
# As Debian 13 has it: a file, a link to one elsewhere, and what an included file includes.
mkdir -p "$WORK/ssh/ssh_config.d" "$WORK/systemd"
printf 'Include /etc/ssh/ssh_config.d/*.conf\nHost *\n  SendEnv LANG\n' >"$WORK/ssh/ssh_config"
printf 'User from-a-file\n' >"$WORK/ssh/ssh_config.d/20-x.conf"
printf 'Port 2200\nInclude more.conf\n' >"$WORK/systemd/30-y.conf"
printf 'Compression yes\n' >"$WORK/ssh/more.conf"
ln -s /usr/lib/pol-ssh/30-y.conf "$WORK/ssh/ssh_config.d/30-y.conf"
chmod -R go+rX "$WORK/ssh" "$WORK/systemd"

# USER BUNDLE…: what ssh says inside of polrun, with this /etc/ssh; without a bundle, outside
ssh_says() {
	local as=()
	[ "$1" = 0 ] || as=(setpriv "--reuid=$1" "--regid=$1" --clear-groups)
	out=$(unshare -m bash -c '
		mount -t tmpfs none /mnt && mkdir -p /mnt/u /mnt/w /mnt/l && mount -t overlay -o lowerdir=/usr/lib,upperdir=/mnt/u,workdir=/mnt/w none /usr/lib &&
		cp -r "$2/systemd" /usr/lib/pol-ssh && mount --bind "$2/ssh" /etc/ssh && shift 2 && exec "$@"' - x "$WORK" \
		"${as[@]}" env HOME="$HOME" ${2:+"$BIN/polrun" -q -b "$WORK/$2.polb"} ssh -G example.org </dev/null 2>"$WORK/.err")
	rc=$? err=$(<"$WORK/.err")
}
for who in "$caller" 0; do
	t "the control: outside (uid $who)"
	ssh_says "$who"
	want_rc 0
	want_out '^user from-a-file$'
	want_out '^port 2200$'
	want_out '^compression yes$'

	t "inside it is the same (uid $who)"
	[ "$who" != 0 ] || chown 0 "$HOME" "$P" "$WORK"/*.polb
	ssh_says "$who" p
	want_rc 0
	want_out '^user from-a-file$'
	want_out '^port 2200$'
	want_out '^compression yes$'

	t "what a rule hides is not shown (uid $who)"
	ssh_says "$who" hidden
	no_out 'from-a-file'
done

t "one that ssh refuses outside it refuses inside"
chmod 0666 "$WORK/ssh/ssh_config.d/20-x.conf"
ssh_says 0
outside=$rc
[ "$outside" -ne 0 ] || bad "the control: outside it was taken"
ssh_says 0 p
want_rc "$outside"
done_
