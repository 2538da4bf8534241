#!/usr/bin/env bash
# The profiles do real work: tools that a manager keeps in HOME run and stay as they are;
# builds with what was fetched before; a commit in a worktree; looking at a project.
# long: every fourth day, as root and as a user in turn
# shellcheck disable=SC2016,SC2154
# shellcheck source=tests/lib/live.sh
lib=$(cd "$(dirname "$0")/../lib" && pwd)
. "$lib/live.sh"
cd "$P" || exit 1
git config --global user.email a@example.org
git config --global user.name a
git config --global init.defaultBranch main
git init -q .
for profile in project read-only offline-build ci; do
	printf 'policy %s-x { level user }\nuse std/profile/%s\n' "$profile" "$profile" >"$WORK/$profile.pol"
	"$BIN/polc" compile "$WORK/$profile.pol" -o "$WORK/$profile.polb" >/dev/null 2>"$WORK/.e" ||
		bad "$profile: $(cat "$WORK/.e")"
done
in_profile() { # PROFILE COMMAND…
	local profile=$1
	shift
	"$BIN/polrun" -b "$WORK/$profile.polb" "$@" >"$WORK/.o" 2>"$WORK/.e" </dev/null
	rc=$? out=$(cat "$WORK/.o") err=$(cat "$WORK/.e")
}

t "tools of managers in HOME run, under each profile, and stay as they are"
for dir in .local/bin .nvm/versions/node/v22/bin .pyenv/shims .asdf/shims .cargo/bin .local/share/mise/shims \
	.rbenv/shims .rvm/bin .volta/bin .fnm/x/bin miniconda3/bin .sdkman/candidates/java/current/bin .dotnet/tools \
	.ghcup/bin .opam/default/bin; do
	mkdir -p "$HOME/$dir"
	printf '#!/bin/sh\necho tool\n' >"$HOME/$dir/mytool"
	chmod +x "$HOME/$dir/mytool"
	for profile in project read-only offline-build ci; do
		PATH=$HOME/$dir:$PATH in_profile $profile mytool
		want_rc 0
		want_out '^tool$'
	done
	in_profile project sh -c "echo x >>'$HOME/$dir/mytool'; rm '$HOME/$dir/mytool'"
	[ "$(wc -l <"$HOME/$dir/mytool")" -eq 2 ] || bad "$dir was written"
done

t "project: make builds and runs what it built; the control is read-only, which writes nothing"
printf '#include <stdio.h>\nint main(void) { puts("built"); }\n' >a.c
printf 'all: a\n\t./a\na: a.c\n\tcc -o a a.c\n' >Makefile
in_profile project make
want_rc 0
want_out '^built$'
no_err polrun
rm -f a
in_profile read-only make
[ "$rc" -ne 0 ] || bad "it was built"
no_file a
in_profile read-only sh -c 'grep -c puts a.c; git status --short | wc -l'
want_out '^1$'

t "project: a test of node, of python, of a script; git commits"
printf '{"scripts":{"test":"node --test"}}\n' >package.json
printf 'require("node:test")("t", () => {})\n' >a.test.js
if command -v npm >/dev/null; then
	in_profile project npm test
	want_rc 0
	in_profile ci npm test
	want_rc 0
fi
printf 'import unittest\nclass T(unittest.TestCase):\n    def test_a(self): pass\n' >test_a.py
in_profile project /usr/bin/python3 -m unittest -q
want_rc 0
in_profile project git add Makefile a.c
want_rc 0
in_profile project git commit -qm first
want_rc 0
[ "$(git log --format=%s)" = first ] || bad "no commit"

t "offline-build: what was fetched is read and not written"
mkdir -p "$HOME/.cargo/registry/src/x" "$HOME/go/pkg/mod/x"
echo fetched | tee "$HOME/.cargo/registry/src/x/lib.rs" >"$HOME/go/pkg/mod/x/a.go"
printf '%s\n' 'cat ~/.cargo/registry/src/x/lib.rs ~/go/pkg/mod/x/a.go' \
	'echo x >>~/.cargo/registry/src/x/lib.rs; echo x >>~/go/pkg/mod/x/a.go' \
	'touch ~/.cargo/.package-cache && echo lock; echo $CARGO_NET_OFFLINE $GOPROXY' >try.sh
in_profile offline-build sh try.sh
want_out '^fetched$'
want_out '^lock$'
want_out '^true off$'
[ "$(cat "$HOME/.cargo/registry/src/x/lib.rs" "$HOME/go/pkg/mod/x/a.go")" = $'fetched\nfetched' ] ||
	bad "a cache was written"
no_file "$HOME/.cargo/.package-cache"
in_profile project cat "$HOME/go/pkg/mod/x/a.go"
[ "$rc" -ne 0 ] || bad "the control: project shows the cache"

t "where nobody has written a policy, and under std/profile/caches: what was fetched is read and not written"
printf 'policy c { level user }\nuse std/dev/node, std/profile/caches\n' >"$WORK/caches.pol"
"$BIN/polc" compile "$WORK/caches.pol" -o "$WORK/caches.polb" >/dev/null 2>"$WORK/.e" || bad "caches: $(cat "$WORK/.e")"
in_no() { "$BIN/polrun" "$@" >"$WORK/.o" 2>"$WORK/.e" </dev/null
	rc=$? out=$(cat "$WORK/.o") err=$(cat "$WORK/.e"); }
in_no sh try.sh
want_out '^fetched$'
in_profile caches sh try.sh
want_out '^fetched$'
[ "$(cat "$HOME/.cargo/registry/src/x/lib.rs" "$HOME/go/pkg/mod/x/a.go")" = $'fetched\nfetched' ] ||
	bad "a cache was written"

t "a cache of the host is written where a policy says std/cache/*, and by nothing else of the library"
for use in cargo:std/cache/cargo net:std/net/crates; do
	printf 'policy c { level user }\nuse std/dev/rust, %s\nnetwork limited\n' "${use#*:}" >"$WORK/${use%%:*}.pol"
	"$BIN/polc" compile "$WORK/${use%%:*}.pol" -o "$WORK/${use%%:*}.polb" >/dev/null 2>"$WORK/.e" || bad "$use: $(cat "$WORK/.e")"
done
mkdir -p "$HOME/.cargo/git" && : >"$HOME/.cargo/.package-cache"
printf '%s\n' 'cd ~/.cargo; mkdir registry/new && echo in >registry/new/f && echo wrote; flock -n .package-cache true && echo locked' \
	'echo x >bin/mytool; echo x >config.toml; echo "offline $CARGO_NET_OFFLINE"' >write.sh
in_profile net sh write.sh
no_out '^wrote$'
no_file "$HOME/.cargo/registry/new"
in_profile cargo sh write.sh
want_out '^wrote$'
want_out '^locked$'
want_out '^offline $'
want_text in "$HOME/.cargo/registry/new/f"
[ "$(wc -l <"$HOME/.cargo/bin/mytool")" -eq 2 ] || bad "a program was written"
no_file "$HOME/.cargo/config.toml"
rm -r "$HOME/.cargo/registry/new"

# What a registry on the loopback gave is in the caches; then there is none.
registry() { # COMMAND…: while it is there
	rm -f "$WORK/port"
	python3 "$lib/registry.py" "$WORK/out" "$WORK/port" >"$WORK/.registry" 2>&1 &
	local server=$!
	within 20 test -s "$WORK/port"
	at=http://127.0.0.1:$(cat "$WORK/port")
	"$@" >"$WORK/.o" 2>&1 || bad "outside: $(cat "$WORK/.o")"
	kill "$server"
	wait "$server" 2>/dev/null
}
picture() { (cd "$HOME" && find "$@" -type f -exec sha256sum {} + | sort); }

# npm is no package that the tests ask for: it brings half of node's
if command -v npm >/dev/null; then
	t "offline-build: npm installs from its cache, and does not write there"
	mkdir -p "$P/npm" && cd "$P/npm" || exit 1
	printf '{"name":"p","version":"1.0.0","scripts":{"test":"node t.js"}}\n' >package.json
	printf 'console.log(require("pad")("x"))\n' >t.js
	fetch() { npm install --registry "$at" --no-audit --no-fund pad; }
	registry fetch
	rm -rf node_modules
	# the caches of others are closed to everybody else: a run by root is somebody else
	[ "$me" != root ] || chmod -R go+rX "$HOME/.npm"
	before=$(picture .npm/_cacache)
	in_profile project npm ci --offline
	[ "$rc" -ne 0 ] || bad "the control: project has the cache"
	no_file node_modules/pad/i.js
	in_profile offline-build npm ci
	want_rc 0
	in_profile offline-build npm test
	want_out '^padded x$'
	# what stands in the lock file counts
	sed -i 's/sha512-..../sha512-AAAA/' package-lock.json && rm -rf node_modules
	in_profile offline-build npm ci
	[ "$rc" -ne 0 ] || bad "another package than the lock file's"
	in_profile offline-build sh -c 'npm cache clean --force; find ~/.npm/_cacache -type f -exec sh -c "echo x >>\"\$1\"; rm \"\$1\"" - {} \;'
	[ "$(picture .npm/_cacache)" = "$before" ] || bad "the cache was written"
	cd "$P" || exit 1
fi

t "offline-build: pip installs from its cache and from a folder, and does not write there"
if /usr/bin/python3 -m pip --version >/dev/null 2>&1; then
	fetch() { /usr/bin/python3 -m pip install --no-index --trusted-host 127.0.0.1 --target lib "$at/pad-1.0-py3-none-any.whl"; }
	registry fetch
	rm -rf lib
	[ "$me" != root ] || chmod -R go+rX "$HOME/.cache"
	before=$(picture .cache/pip)
	in_pip() { # PROFILE WHAT…
		rm -rf lib
		in_profile "$1" /usr/bin/python3 -m pip install --no-index --retries 0 --trusted-host 127.0.0.1 --target lib "${@:2}"
	}
	in_pip project "$at/pad-1.0-py3-none-any.whl"
	[ "$rc" -ne 0 ] || bad "the control: project has the cache"
	in_pip offline-build "$at/pad-1.0-py3-none-any.whl"
	want_rc 0
	in_profile offline-build env PYTHONPATH=lib /usr/bin/python3 -c 'import pad; print(pad.pad("y"))'
	want_out '^padded y$'
	mkdir -p wheels && cp "$WORK/out/pad-1.0-py3-none-any.whl" wheels/
	in_pip offline-build --find-links wheels pad
	want_rc 0
	in_profile offline-build /usr/bin/python3 -m pip cache purge
	[ "$(picture .cache/pip)" = "$before" ] || bad "the cache was written"
else
	skip pip_cache "no pip"
fi

t "nothing of HOME, no network, no stub is left"
echo mine >"$HOME/notes"
for profile in project read-only offline-build ci; do
	in_profile $profile cat "$HOME/notes"
	[ "$rc" -ne 0 ] || bad "$profile: $out"
	in_profile $profile /usr/bin/python3 -c 'import socket; socket.create_connection(("192.0.2.1", 80), 1)'
	[ "$rc" -ne 0 ] || bad "$profile: a connection"
done
want_text mine "$HOME/notes"

done_
