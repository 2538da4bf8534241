#!/usr/bin/env bash
# In a private HOME nothing of the host is there: what the library hides is absent, no locked name that
# programs complain about, and the run may make it.  The host's files stay as they are, and where the
# host's HOME is shown they stay closed.
# shellcheck disable=SC2016,SC2088,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"

raw_policy 'policy o { level user }
use std/profile/project' own
raw_policy 'policy s { level user }
file { allow read "/"  allow read, write "${HOME}" }
command { otherwise allow  opaque allow }' shown
raw_policy 'policy w { level user }
use std/profile/project
file { deny write "${HOME}/.cache/**/*.so" }' named
raw_policy 'policy m { level user }
use std/profile/project
file { hide "${HOME}/.mine"  deny write "${HOME}/.bashrc" }' mine
for f in .npmrc .netrc .bashrc .pypirc; do echo "of the host" >"$HOME/$f"; done
mkdir -p "$HOME/.ssh" "$HOME/.aws" && echo "of the host" | tee "$HOME/.ssh/id" >"$HOME/.aws/credentials"
chmod -R go+rX "$HOME"
picture() { (cd "$HOME" && find . -path ./project -prune -o -path ./.cache -prune -o -path ./.local -prune -o -type f -exec sha256sum {} + | sort); }
before=$(picture)
script() { printf '%s\n' "$@" >"$P/script"; }

t "what std/base hides and what the floor keeps is absent"
script 'cd; ls -A; cat .npmrc .ssh/id; for f in .npmrc .netrc .ssh .aws .bashrc .gnupg; do [ ! -e "$f" ] && echo "no $f"; done'
run_with own sh script
for f in .npmrc .netrc .ssh .aws .bashrc .gnupg; do want_out "^no $f\$"; done
no_out '^of the host$'
[ "$(grep -c '^\.' <<<"$out")" -eq 0 ] || bad "names are there: $out"

t "the run makes them, and they are its own"
script 'cd; echo mine >.npmrc; echo "export A=mine" >.bashrc; mkdir -m 700 .ssh .gnupg; echo mine >.ssh/id; mv .ssh/id .ssh/id2; cat .npmrc .ssh/id2; bash -ic "echo \$A" 2>/dev/null'
run_with own sh script
want_rc 0
[ "$(grep -c '^mine$' <<<"$out")" -eq 3 ] || bad "$out"
[ "$before" = "$(picture)" ] || bad "the host's files: $(picture)"

t "where names of HOME are decided one by one it is the same"
run_with named --plan true
want_out "scratch +$WORK/home .*each name is decided"
run_with named sh script
want_rc 0
[ "$(grep -c '^mine$' <<<"$out")" -eq 3 ] || bad "$out"
[ "$before" = "$(picture)" ] || bad "the host's files: $(picture)"

t "what a policy says of its own holds there as well"
script 'cd; for f in .mine .bashrc .npmrc; do echo x >"$f" && echo "wrote $f"; done'
run_with mine sh script
want_out '^wrote \.npmrc$'
no_out '^wrote \.(mine|bashrc)$'
[ "$before" = "$(picture)" ] || bad "the host's files: $(picture)"

t "where the host's HOME is shown the rules hold"
script 'cd; cat .npmrc .ssh/id; for f in .npmrc .bashrc .ssh/id .ssh/new .profile; do echo x >"$f" && echo "wrote $f"; done; rm -f .bashrc; echo x >allowed && echo "wrote allowed"'
run_with shown -y sh script
no_out '^of the host$'
no_out '^wrote \.'
want_out '^wrote allowed$'
rm -f "$HOME/allowed"
[ "$before" = "$(picture)" ] || bad "the host's files: $(picture)"

t "programs that keep their folder in HOME work"
if command -v gpg >/dev/null; then
	run_with own sh -c 'gpg --batch --quiet --passphrase "" --quick-generate-key a@example.org && gpg --list-secret-keys | grep -c a@example.org'
	want_rc 0
	want_out '^1$'
	no_file "$HOME/.gnupg"
else
	skip gpg "it is not installed"
fi
run_with own sh -c 'git config --global user.name inside && git config --global user.name'
want_rc 0
want_out '^inside$'
no_file "$HOME/.gitconfig"

t "git's settings of the user are a copy there: the run changes it, and the host's file stays"
printf '[user]\n\tname = outside\n' >"$HOME/.gitconfig" && chmod 644 "$HOME/.gitconfig"
before=$(picture)
for how in own net; do
	[ $how = own ] || raw_policy 'policy n { level user }
use std/dev/git' net
	run_with $how -y sh -c 'git config --global user.name; git config --global --add safe.directory "*" && git config --global user.name inside && git config --global user.name; cat ~/.gitconfig; git commit --allow-empty -m x -q 2>/dev/null; :'
	want_rc 0
	want_out '^outside$'
	want_out '^inside$'
	want_out 'directory = \*'
done
[ "$before" = "$(picture)" ] || bad "the host's files: $(picture)"
run_with own --plan true
want_out "copy +$WORK/home/\.gitconfig .*the run's own"
run_with own git config --global --unset none.such
no_err 'exists outside'
# who says more about it has what he says
raw_policy 'policy d { level user }
use std/profile/project
file { deny write "${HOME}/.gitconfig" }' denied
run_with denied sh -c 'git config --global user.name; git config --global user.name inside'
want_out '^outside$'
[ "$rc" -ne 0 ] || bad "it was written"
# root reads more than its run
chmod 600 "$HOME/.gitconfig"
run_with own sh -c 'cat ~/.gitconfig'
if is_root; then no_out outside; else want_out outside; fi
head -c 70000 /dev/zero | tr '\0' '#' >"$HOME/.gitconfig"
chmod 644 "$HOME/.gitconfig"
run_with own sh -c 'wc -c <~/.gitconfig; echo x >>~/.gitconfig'
want_out '^70000$'
[ "$(stat -c %s "$HOME/.gitconfig")" -eq 70000 ] || bad "it was written"
rm "$HOME/.gitconfig"

t "it is the same in ~/.config/git, whatever leads there, and what lies beside the settings is the host's"
xdg=$HOME/.config/git
outside() { GIT_CONFIG_NOSYSTEM=1 git config --global --list --includes; }
settings() { printf '[user]\n\tname = outside\n[include]\n\tpath = more.inc\n'; }
script 'git config --global --list --includes' 'echo --' 'git config --global user.name; git config --global user.name inside && git config --global user.name' \
	'cat ~/.config/git/ignore ~/.config/git/hooks/x' 'for f in ignore more.inc hooks/x; do echo x >>~/.config/git/$f; done 2>/dev/null' \
	'[ -e ~/.gitconfig ] && echo "another file"' 'cat ~/.config/git/credentials'
for how in plain file folder above; do
	rm -rf "$HOME/.config" "$HOME/dot"
	mkdir -p "$xdg/hooks" "$HOME/dot"
	settings >"$xdg/config"; printf '[alias]\n\tours = status\n' >"$xdg/more.inc"; echo '*.o' >"$xdg/ignore"
	echo hook >"$xdg/hooks/x"; echo "of the host" >"$xdg/credentials"
	chmod -R go+rX "$HOME/.config" "$HOME/dot"
	case $how in
	file) mv "$xdg/config" "$HOME/dot/settings" && ln -s ../../dot/settings "$xdg/config" ;;
	folder) mv "$xdg" "$HOME/dot/git" && ln -s ../dot/git "$xdg" ;;
	above) mv "$HOME/.config" "$HOME/dot/config" && ln -s dot/config "$HOME/.config" ;;
	esac
	before=$(picture) all=$(outside)
	for policy in own net; do
		run_with $policy -y sh script
		[ "$(sed '/^--$/,$d' <<<"$out")" = "$all" ] || bad "$how, $policy: not the settings of outside: $all"
		want_out '^outside$'
		want_out '^inside$'
		want_out '^\*\.o$'
		want_out '^hook$'
		no_out '^(another file|of the host)$'
		[ "$before" = "$(picture)" ] || bad "$how, $policy: the host's files: $(picture)"
	done
done
settings >"$HOME/dot/mine" && ln -s dot/mine "$HOME/.gitconfig" && chmod 644 "$HOME/dot/mine"
before=$(picture)
run_with own sh -c 'git config --global user.name; git config --global user.name inside && git config --global user.name'
want_out '^outside$'
want_out '^inside$'
[ "$before" = "$(picture)" ] || bad "a link: the host's files: $(picture)"

t "~/.config/git is closed where a policy says so, and where the run's user may not pass"
rm -rf "$HOME/.config" "$HOME/dot" "$HOME/.gitconfig"
mkdir -p "$xdg" && settings >"$xdg/config" && chmod -R go+rX "$HOME/.config"
script 'cat ~/.config/git/config' 'git config --global user.name inside && echo "set it"' 'echo x >>~/.config/git/config && echo "wrote it"'
before=$(picture)
n=0
for deny in 'deny write "${HOME}/.config/git"' 'deny write "${HOME}/.config/git/config"' 'deny write "${HOME}/.config"' \
	'deny write "${HOME}/.config/git/*"' 'hide "${HOME}/.config/git/config"'; do
	n=$((n + 1))
	raw_policy "policy d { level user }
use std/profile/project
file { $deny }" "closed$n"
	run_with "closed$n" sh script
	no_out '^wrote it$'
	[[ $deny = hide* ]] || no_out '^set it$'
	[[ $deny = hide* ]] || want_out 'name = outside'
	[[ $deny != hide* ]] || no_out 'name = outside'
	[ "$before" = "$(picture)" ] || bad "$deny: the host's files: $(picture)"
done
chmod 700 "$xdg"
run_with own sh -c 'cat ~/.config/git/config'
if is_root; then no_out outside; else want_out outside; fi
rm -rf "$HOME/.config"

t "a HOME in the run's own /tmp is no other: nothing is locked, and git's settings are a copy"
there=$(mktemp -d /tmp/pol-home.XXXXXX) && chmod 755 "$there" && mkdir -p "$there/p" "$there/.config/git"
settings >"$there/.config/git/config"
cd "$there/p" || exit 1
printf '%s\n' 'git config --global user.name; git config --global user.name inside && git config --global user.name' 'cd; echo x >.bashrc && ls -A' >script
HOME=$there run_with own sh script
want_out '^outside$'
want_out '^inside$'
want_out '^\.bashrc$'
no_out '^\.(profile|claude|gitconfig)$'
[ "$(cat "$there/.config/git/config")" = "$(settings)" ] && [ ! -e "$there/.bashrc" ] || bad "the host's files: $(ls -lA "$there")"
cd "$P" && rm -rf "$there"

t "wget finds its own folder"
if command -v wget >/dev/null; then
	run_with own wget -q http://127.0.0.1:9/
	no_err 'Cannot read|Permission denied'
fi
done_
