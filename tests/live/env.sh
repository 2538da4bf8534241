#!/usr/bin/env bash
# The command's environment and identity.
# shellcheck disable=SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"

t "only what is kept or set"
policy 'env { set CI = "1"  set WHERE = "${PROJECT_DIR}" }'
SECRET_TOKEN=1 LD_PRELOAD_X=1 run env
want_rc 0
want_out '^CI=1$'
want_out "^WHERE=$P\$"
want_out "^HOME=$HOME\$"
want_out "^PWD=$P\$"
no_out SECRET
policy 'env { keep += SECRET_TOKEN }' q
SECRET_TOKEN=1 run_with q env
want_out '^SECRET_TOKEN=1$'

t "loaders' and proxies' variables need their whole name"
policy 'env { keep += "LD_*", "HTTP*", "BASH_*" }' q
LD_LIBRARY_PATH=/x HTTPS_PROXY=y BASH_ENV=/z run_with q env
want_rc 0
no_out 'LD_LIBRARY_PATH|HTTPS_PROXY|BASH_ENV'
policy 'env { keep += HTTPS_PROXY }' q
HTTPS_PROXY=y run_with q env
want_out '^HTTPS_PROXY=y$'

t "a lone wildcard keeps what is no credential by its name"
policy 'env { keep += "*", NPM_TOKEN }' q
# shellcheck disable=SC2097,SC2098
NODE_ENV=test DATABASE_URL=db GIT_AUTHOR_NAME=me OLDPWD=/old NPM_TOKEN=npm \
	SECRET_TOKEN=leak API_KEY=leak aws_key_id=leak MYSQL_PWD=leak DB_PASS=leak BASIC_auth=leak AWS_PROFILE=leak \
	SSH_AUTH_SOCK=leak DBUS_SESSION_BUS_ADDRESS=leak PYTHONPATH=leak LD_AUDIT=leak https_proxy=leak run_with q env
want_rc 0
want_out '^NODE_ENV=test$'
want_out '^DATABASE_URL=db$'
want_out '^GIT_AUTHOR_NAME=me$'
want_out '^NPM_TOKEN=npm$'
no_out leak
for name in NODE_ENV SECRET_TOKEN PYTHONPATH NPM_TOKEN; do
	out=$("$BIN/polc" explain "$WORK/q.pol" env "$name" 2>/dev/null | head -n 1)
	case $name in NODE_ENV | NPM_TOKEN) want_out 'kept from the caller' ;; *) want_out 'dropped' ;; esac
done
raw_policy 'policy p { level user } use std/profile/project'
NODE_ENV=test PYTHONPATH=src CC=clang NPM_TOKEN=leak run env
want_rc 0
want_out '^NODE_ENV=test$'
want_out '^PYTHONPATH=src$'
want_out '^CC=clang$'
no_out '=leak$'

t "passwd inside begins with the run's own user"
policy ''
run sh -c 'id -un; id -u; head -n 1 /etc/passwd; head -n 1 /etc/group'
want_rc 0
[ "$(sed -n 1p <<<"$out")" = "$me" ] || bad "the user inside is not $me"
want_out ":$HOME:"
if is_root; then
	[ "$(sed -n 2p <<<"$out")" = 1000 ] || bad "root is not shown as 1000"
else
	[ "$(sed -n 2p <<<"$out")" = "$(id -u)" ] || bad "the uid is not the caller's"
fi

t "HOME from passwd where the variable is missing, refused where both are"
(
	unset HOME
	"$BIN/polrun" -b "$WORK/p.polb" true
) >"$WORK/.out" 2>"$WORK/.err" </dev/null
rc=$?
err=$(cat "$WORK/.err")
if [ -n "$(awk -F: -v u="$(id -u)" '$3 == u { print $6 }' /etc/passwd)" ]; then
	no_err 'HOME is not set'
else
	want_rc 125
	want_line 'HOME is not set'
fi
HOME=relative run true
want_rc 125
want_line 'not an absolute path'

t "umask, working directory and ignored HUP are the caller's"
mkdir -p "$P/in"
(
	cd "$P/in" && umask 027 && trap '' HUP
	"$BIN/polrun" -b "$WORK/p.polb" --project "$P" sh -c \
		'umask; pwd; kill -HUP $$; echo survived; : > made'
) >"$WORK/.out" 2>"$WORK/.err" </dev/null
rc=$? out=$(cat "$WORK/.out") err=$(cat "$WORK/.err")
want_rc 0
want_out '^0?027$'
want_out "^$P/in\$"
want_out survived
[ "$(stat -c %a "$P/in/made")" = 640 ] || bad "mode $(stat -c %a "$P/in/made")"
run sh -c 'kill -HUP $$; echo survived'
want_rc 129

t "a project that is reached by a symbolic link has that path, too"
ln -s "$P" "$WORK/link"
(cd "$WORK/link" && "$BIN/polrun" -b "$WORK/p.polb" sh -c 'pwd -L; pwd -P; ls -d '"$WORK/link/in") \
	>"$WORK/.out" 2>"$WORK/.err" </dev/null
rc=$? out=$(cat "$WORK/.out") err=$(cat "$WORK/.err")
want_rc 0
want_out "^$WORK/link\$"
want_out "^$P\$"

if is_root; then
	t "--user runs as that user; root itself is refused"
	chmod 0711 "$WORK" "$HOME"
	chmod 0755 "$P"
	HOME=/nonexistent run --user nobody id -u
	want_rc 0
	[ "$out" = "$(id -u nobody)" ] || bad "uid $out"
	run --user root true
	want_rc 125
	run --user nosuchuser true
	want_rc 125
	want_line 'not in /etc/passwd'
	t "root's own files stay unreadable, and files are made as the owner's"
	run sh -c 'cat /etc/shadow; : > by-root-run'
	no_out 'root:'
	[ "$(stat -c %u "$P/by-root-run")" = 0 ] || bad "owner $(stat -c %u "$P/by-root-run")"
else
	t "--user needs root"
	run --user nobody true
	want_rc 125
	want_line 'only root'
fi

done_
