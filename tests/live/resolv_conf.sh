#!/usr/bin/env bash
# /etc/resolv.conf and its neighbours where they are links, as systemd-resolved, NetworkManager, resolvconf and NixOS
# make them: the run's own texts stand at the names, and in the host's network the file that resolv.conf leads to is
# shown, alone.
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
is_root || {
	skip resolv_conf "only root can make an /etc of its own"
	done_
	exit
}
caller=$(id -u daemon)
SERVICE=998 # whom systemd-resolved runs as
chmod 0711 "$WORK"
chmod 0755 "$HOME" "$P"
FREE='policy t { level user }
command { otherwise allow }
file { allow read "${PROJECT_DIR}" }
'
modes() { # NAME TEXT: a bundle for each mode of the network
	raw_policy "$FREE$2
network full" "$1.full"
	raw_policy "$FREE$2
network limited { allow tcp \"a.example\" port 443 }" "$1.limited"
	raw_policy "$FREE$2
network disabled" "$1.off"
}
t "policies"
modes p ''
modes no_name 'file { hide "/etc/resolv.conf" }'
modes no_etc 'file { deny read "/etc" }'
modes no_run 'file { deny read "/run" }'
modes all 'file { allow read "/" }'
modes by_name 'file { hide "/etc/**/*.nowhere" }'
modes other 'file { allow read "/run/secret/passwd" }'
printf 'nameserver 192.0.2.99\n' >"$HOME/resolv.conf"

# What is in the host's /run, all of it; the shell text in MORE can change /etc and it.
MORE=''
host='mount -t tmpfs none /mnt && mkdir /mnt/u /mnt/w && mount -t overlay -o lowerdir=/etc,upperdir=/mnt/u,workdir=/mnt/w none /etc &&
mount -t tmpfs -o mode=755 none /run && mkdir -p /run/systemd/resolve /run/NetworkManager /run/resolvconf /run/secret/etc || exit 99
echo nameserver 192.0.2.1 >/run/systemd/resolve/stub-resolv.conf; echo nameserver 192.0.2.2 >/run/systemd/resolve/resolv.conf
echo nameserver 192.0.2.3 >/run/NetworkManager/resolv.conf; echo nameserver 192.0.2.4 >/run/resolvconf/resolv.conf
echo nameserver 192.0.2.5 >/run/secret/resolv.conf; echo 192.0.2.6 told.example >/run/secret/etc/hosts
echo hosts: told >/run/secret/etc/nsswitch.conf; echo beside >/run/systemd/resolve/beside
echo "told:x:4711:4711::/:/bin/sh" >/run/secret/passwd; chown -R '$SERVICE' /run/systemd/resolve
rm /etc/resolv.conf; if [ -n "$TARGET" ]; then ln -s "$TARGET" /etc/resolv.conf; else echo nameserver 192.0.2.9 >/etc/resolv.conf; fi; eval "$MORE" || exit 98
exec "$@"'
# USER TARGET BUNDLE COMMAND…: in a run with this /etc, whose resolv.conf is a link to TARGET (''; a file); without a
# bundle outside
with_link() {
	local as=() who=$1 target=$2 bundle=$3
	shift 3
	[ "$who" = 0 ] || as=(setpriv "--reuid=$who" "--regid=$who" --clear-groups)
	chown "$who" "$HOME" "$P" "$WORK"/*.polb "$HOME/resolv.conf"
	out=$(TARGET=$target MORE=$MORE unshare -m bash -c "$host" - "${as[@]}" env HOME="$HOME" \
		${bundle:+"$BIN/polrun" -y -b "$WORK/$bundle.polb"} "$@" </dev/null 2>"$WORK/.err")
	rc=$? err=$(<"$WORK/.err")
}
STUB=../run/systemd/resolve/stub-resolv.conf
LOOK='cat /etc/resolv.conf; find /run -type f 2>/dev/null; echo ran'
want_exactly() { [ "$out" = "$1" ] || bad "printed '$out', want '$1'"; }

for who in "$caller" 0; do
	for at in "$STUB 1 systemd/resolve/stub-resolv.conf" "/run/systemd/resolve/resolv.conf 2 systemd/resolve/resolv.conf" \
		"/run/NetworkManager/resolv.conf 3 NetworkManager/resolv.conf" "../run/resolvconf/resolv.conf 4 resolvconf/resolv.conf"; do
		read -r target number file <<<"$at"
		t "the control: outside (uid $who, $target)"
		with_link "$who" "$target" '' sh -c 'cat /etc/resolv.conf'
		want_exactly "nameserver 192.0.2.$number"
		t "network full: the file that the link leads to, and nothing beside it (uid $who, $target)"
		with_link "$who" "$target" p.full sh -c "$LOOK"
		want_exactly "nameserver 192.0.2.$number"$'\n'"/run/$file"$'\nran'
		no_err 'blocked'
		with_link "$who" "$target" p.full sh -c 'ls -A /etc/resolv.conf /run /run/systemd/resolve; echo x >/etc/resolv.conf'
		no_out 'secret|beside'
		want_err 'resolv\.conf: (Read-only file system|Permission denied)'
		[ "$rc" -ne 0 ] || bad "it was written"
		t "network limited: the run's own text, and nothing of the host's (uid $who, $target)"
		with_link "$who" "$target" p.limited sh -c "$LOOK"
		want_out '^nameserver 127\.0\.0\.1$'
		want_out '^ran$'
		no_out '192\.0\.2|^/run'
		t "the network is off: nothing of the host's (uid $who, $target)"
		with_link "$who" "$target" p.off sh -c "$LOOK"
		want_out '^ran$'
		no_out '192\.0\.2|^/run'
	done

	t "network full: through a link of the run's own tree (uid $who)"
	MORE='ln -sfn ../systemd/resolve/stub-resolv.conf /run/NetworkManager/resolv.conf'
	with_link "$who" /run/NetworkManager/resolv.conf p.full sh -c "$LOOK"
	want_exactly $'nameserver 192.0.2.1\n/run/systemd/resolve/stub-resolv.conf\nran'
	MORE=''

	# TARGET of a link that leads to what no run is shown, or nowhere
	for target in "$HOME/resolv.conf" /run/secret/resolv.conf /run/systemd/resolve /nowhere/resolv.conf resolv.conf; do
		t "network full: no other file (uid $who, ${target#"$WORK/"})"
		with_link "$who" "$target" p.full sh -c "$LOOK"
		want_exactly ran
		t "network limited: the run's own text all the same (uid $who, ${target#"$WORK/"})"
		with_link "$who" "$target" p.limited sh -c "$LOOK"
		want_rc 0
		want_out '^nameserver 127\.0\.0\.1$'
		no_out '192\.0\.2|^/run'
	done

	t "network full: no file of a user's at such a name, and no pipe (uid $who)"
	for owner in 1234 $([ "$who" = 0 ] || echo "$who"); do
		MORE="chown $owner /run/systemd/resolve/stub-resolv.conf"
		with_link "$who" "$STUB" p.full sh -c "$LOOK"
		want_exactly ran
	done
	MORE='rm /run/systemd/resolve/stub-resolv.conf; mkfifo /run/systemd/resolve/stub-resolv.conf'
	with_link "$who" "$STUB" p.full sh -c "$LOOK"
	want_exactly ran
	MORE=''

	t "what leads nowhere is named (uid $who)"
	with_link "$who" /run/secret/resolv.conf p.full cat /etc/resolv.conf
	want_line '/etc/resolv.conf is a link to /run/secret/resolv.conf, which exists outside of the sandbox, and no rule shows it inside: .*; to let it pass: allow read "/run/secret/resolv.conf"$'
	with_link "$who" "$STUB" p.off cat /etc/resolv.conf
	want_line '/etc/resolv.conf is a link to /run/systemd/resolve/stub-resolv.conf, which exists outside of the sandbox, and is shown with network full only, if root or a service owns it: rule .* at std/base.pol:[0-9]+; to let it pass: allow read "'
	with_link "$who" "$STUB" p.limited grep told /etc/resolv.conf
	want_rc 1
	no_err 'link'
	with_link "$who" "$STUB" p.limited --explain-denials cat /etc/resolv.conf
	want_rc 0
	no_err '/run|resolv'

	t "network full: nothing where resolv.conf is a file (uid $who)"
	with_link "$who" '' p.full sh -c 'test -s /etc/resolv.conf && find /run -type f 2>/dev/null; echo ran'
	want_exactly ran

	t "what a rule hides is not shown, and has no text (uid $who)"
	for bundle in no_name no_etc; do
		for mode in full limited; do
			with_link "$who" "$STUB" $bundle.$mode sh -c "$LOOK"
			want_exactly ran
		done
	done
	with_link "$who" "$STUB" no_run.full sh -c "$LOOK"
	want_exactly ran

	t "a run that reads anywhere (uid $who)"
	with_link "$who" "$STUB" all.full sh -c "$LOOK"
	want_exactly $'nameserver 192.0.2.1\n/run/systemd/resolve/stub-resolv.conf\nran'
	with_link "$who" "$STUB" all.limited sh -c "$LOOK"
	want_out '^nameserver 127\.0\.0\.1$'
	no_out '192\.0\.2|^/run'

	t "where names in /etc are decided one by one (uid $who)"
	with_link "$who" "$STUB" by_name.full cat /etc/resolv.conf
	want_exactly 'nameserver 192.0.2.1'
	with_link "$who" "$STUB" by_name.limited cat /etc/resolv.conf
	want_out '^nameserver 127\.0\.0\.1$'

	t "network limited: hosts and nsswitch.conf through links, as NixOS has them (uid $who)"
	MORE='ln -s /run/secret/etc /etc/static; for f in hosts nsswitch.conf; do ln -sfn /etc/static/$f /etc/$f; done'
	with_link "$who" '' '' cat /etc/hosts /etc/nsswitch.conf
	want_exactly $'192.0.2.6 told.example\nhosts: told'
	with_link "$who" '' p.limited cat /etc/hosts /etc/nsswitch.conf
	want_rc 0
	want_out '^127\.0\.0\.1 localhost$'
	want_out '^hosts: files dns$'
	no_out 'told'

	t "passwd and group through a link: the run's own line, and of the file what the rules show (uid $who)"
	MORE='for f in passwd group; do ln -sfn /run/secret/passwd /etc/$f; done'
	with_link "$who" '' p.off cat /etc/passwd /etc/group
	want_rc 0
	want_out ':/bin/sh$'
	no_out 'told'
	with_link "$who" '' other.off cat /etc/passwd /etc/group
	want_out ':/bin/sh$'
	want_out '^told:'
	MORE=''
done
done_
