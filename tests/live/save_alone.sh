#!/usr/bin/env bash
# places: var home
# A rule that lets one file of HOME be written lets programs save it as they do: beside it, and then by a
# rename over it.  What the run may not write stays as it is.
# shellcheck disable=SC2016,SC2088,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"

mkdir -p "$HOME/.codex"
files() { printf 'old' >"$HOME/.app.json"; printf 'old login' >"$HOME/.codex/auth.json"; printf 'kept' >"$HOME/.read.json"
	chmod 600 "$HOME/.app.json"; chmod 644 "$HOME/.codex/auth.json" "$HOME/.read.json"; }
files
[ "$me" != root ] || chmod 711 "$WORK"
policy 'file { scratch "${HOME}"
	allow read, write "${HOME}/.app.json", "${HOME}/.codex/auth.json", "${HOME}/.ssh/known_hosts"
	allow read "${HOME}/.read.json" }'
policy 'file { scratch "${HOME}"
	allow read, write "${HOME}/.app.json", "${HOME}/.codex/auth.json", "${HOME}/.ssh/known_hosts"
	allow read "${HOME}/.read.json"
	deny write "${HOME}/.cache/**/*.so", "${HOME}/.other/*.key" }' byname
policy 'file { scratch "${HOME}"
	allow read, write "${HOME}/.app.json", "${HOME}/.codex/auth.json"
	allow read "${HOME}/.read.json"
	hide "${HOME}/.cache/**/*.so" }' hidden
sed 's/allow read, write "${PROJECT_DIR}"/allow read "${PROJECT_DIR}"/' "$WORK/p.pol" >"$WORK/ro.pol"
"$BIN/polc" compile "$WORK/ro.pol" -o "$WORK/ro.polb" >/dev/null 2>&1 || bad "ro"

for how in p ro; do
	t "$how: saved by rename: outside it is what the run wrote, and what was beside it is gone"
	files
	inode=$(stat -c %i "$HOME/.app.json")
	run_with $how sh -c 'cd; echo new >.app.json.tmp.1 && mv .app.json.tmp.1 .app.json && cat .app.json && ls -A | grep -c tmp'
	want_out '^new$'
	want_out '^0$'
	want_text new "$HOME/.app.json"
	[ "$(stat -c '%i %a' "$HOME/.app.json")" = "$inode 600" ] || bad "another file, or mode: $(stat -c '%i %a' "$HOME/.app.json")"
	run_with $how sh -c 'cd ~/.codex; printf %s "a much longer login than before" >tmp.x; mv tmp.x auth.json; mv -f auth.json auth.json 2>/dev/null; printf s >tmp.y; mv "$HOME/.codex/tmp.y" auth.json; cat auth.json'
	want_out '^s$'
	want_text s "$HOME/.codex/auth.json"
	no_file "$HOME/.codex/tmp.x"
done

t "python, and a program that follows a link to its folder"
files
run /usr/bin/python3 -c 'import os
h = os.environ["HOME"]
open(h + "/a", "w").write("x" * 300000); os.replace(h + "/a", h + "/.app.json")
os.symlink(h + "/.codex", h + "/way"); open(h + "/way/t", "w").write("by a link"); os.rename(h + "/way/t", h + "/way/auth.json")
print(len(open(h + "/.app.json").read()), open(h + "/.codex/auth.json").read(), os.listdir(h + "/.codex"))'
want_rc 0
want_out "^300000 by a link \['auth.json'\]\$"
[ "$(stat -c %s "$HOME/.app.json")" -eq 300000 ] || bad "$(stat -c %s "$HOME/.app.json") bytes"

t "what the run may not write is not replaced, and nothing else comes over it"
files
run sh -c 'cd; echo new >t; mv -f t .read.json; mkdir d; mv -T d .app.json; ln -s /etc/passwd l; mv -T l .app.json; mkfifo f; mv f .app.json; ls -A | tr "\n" " "'
want_text kept "$HOME/.read.json"
want_text old "$HOME/.app.json"
want_out '\bt\b'
[ -f "$HOME/.app.json" ] && [ ! -L "$HOME/.app.json" ] || bad "it is no file any more"
run /usr/bin/python3 -c 'import os, ctypes
h = os.environ["HOME"]; l = ctypes.CDLL(None, use_errno=True)
open(h + "/t", "w").write("new")
for flags in 1, 2:
    r = l.renameat2(-100, (h + "/t").encode(), -100, (h + "/.app.json").encode(), flags)
    print(flags, r, os.path.exists(h + "/t"))
for path in "/etc/hostname", h + "/.read.json", h + "/project/x":
    try: os.rename(path, h + "/.app.json"); print("moved", path)
    except OSError as e: print("refused")'
want_out '^1 -1 True$'
want_out '^2 -1 True$'
no_out '^moved'
want_text old "$HOME/.app.json"

t "a file that is too large to be copied, or not the run's to read, is refused and stays"
run sh -c 'cd; head -c 5000000 /dev/zero >t; mv t .app.json; ls -s t | cut -d" " -f1; echo x >u; chmod 0 u; mv u .app.json; ls u'
want_err 'busy'
want_text old "$HOME/.app.json"

t "ssh keeps the old known_hosts beside the new one, by a second name"
if command -v ssh-keygen >/dev/null; then
	mkdir -p "$HOME/.ssh" && ssh-keygen -q -t ed25519 -N '' -f "$WORK/hostkey" <<<y
	for how in p byname; do
		for host in here there; do printf '%s %s\n' $host "$(cut -d' ' -f1,2 "$WORK/hostkey.pub")"; done >"$HOME/.ssh/known_hosts"
		chmod 644 "$HOME/.ssh/known_hosts"; chmod 755 "$HOME/.ssh"
		run_with $how -y sh -c 'cd ~/.ssh; ssh-keygen -R here; cut -d" " -f1 known_hosts.old; echo x >known_hosts.old; ls -A'
		want_rc 0
		want_out '^here$'
		[ "$(cut -d' ' -f1 "$HOME/.ssh/known_hosts")" = there ] || bad "$how: $(cat "$HOME/.ssh/known_hosts")"
		[ "$(ls -A "$HOME/.ssh")" = known_hosts ] || bad "$how: more is there: $(ls -A "$HOME/.ssh")"
	done
else
	skip ssh-keygen "it is not installed"
fi

t "a second name is made of such a file only, in its own tree, and over nothing"
files
run sh -c 'cd; ln .app.json second && cat second; echo x >there; ln .app.json there; ln .read.json third; ln .app.json project/fourth; ln .app.json /tmp/fifth; ls -A . project /tmp; cat there'
want_out '^old'
want_out '^x$'
no_out 'third|fourth|fifth'
[ "$(grep -c 'ln: failed' <<<"$err")" -eq 4 ] || bad "$err"
run_with byname sh -c 'cd; mkdir .cache; ln .app.json .cache/a.so; ln .app.json .cache/a.txt && cat .cache/a.txt; ls .cache'
want_out '^old'
no_out 'a\.so'
want_text old "$HOME/.app.json"

t "with --explain-denials it is the same"
run --explain-denials sh -c 'cd; echo traced >t; mv t .app.json'
want_rc 0
want_text traced "$HOME/.app.json"

t "where names of HOME are decided one by one it is the same, and the rules are asked for the other name"
for how in byname hidden; do
	files
	run_with $how sh -c 'cd; echo new >t && mv t .app.json && cat .app.json; ls -A; echo x >u; mv u .read.json; cat u; mkdir .cache; echo so >.cache/a.so'
	want_out '^new$'
	want_text new "$HOME/.app.json"
	want_text kept "$HOME/.read.json"
	[ "$(grep -c '^t$' <<<"$out")" -eq 0 ] || bad "$how: the other name stayed: $out"
	want_out '^x$'
	want_err 'a\.so: Permission denied'
	run_with $how sh -c 'cd ~/.codex && printf %s "a much longer login than before" >tmp.x && mv tmp.x auth.json; cat auth.json; cd ..; mkdir d; mv -T d .app.json; ln -s /etc/passwd l; mv -T l .app.json; ls -A'
	want_out '^a much longer login than before'
	want_text "a much longer login than before" "$HOME/.codex/auth.json"
	want_out '^d$'
	want_out '^l$'
	want_text new "$HOME/.app.json"
	# nothing of another tree, and nothing to another tree
	echo own >"$P/own"; echo own >"$P/own.key"
	run_with $how /usr/bin/python3 -c 'import os
h = os.environ["HOME"]
for path in h + "/project/own", h + "/project/own.key", h + "/.read.json", "/etc/hostname":
    try: os.rename(path, h + "/.app.json"); print("moved", path)
    except OSError as e: print("refused")
try: os.rename(h + "/.app.json", h + "/other"); print("moved away")
except OSError as e: print("refused")'
	no_out '^moved'
	[ "$(grep -c '^refused$' <<<"$out")" -eq 5 ] || bad "$how: $out"
	want_text new "$HOME/.app.json"
	want_text own "$P/own"
done

t "where a rule with a wildcard is about the file's own directory the file is only readable, and nothing is lost"
for how in 'kept ${HOME}/**/*.key' 'keptany *.key'; do
	policy 'file { scratch "${HOME}"
	allow read, write "${HOME}/.app.json"
	deny write "'"${how#* }"'" }' "${how%% *}"
	files
	run_with "${how%% *}" sh -c 'cd; echo new >t; mv t .app.json; echo more >>.app.json; cat t; exit 3'
	want_out '^new$'
	want_text old "$HOME/.app.json"
	run_with "${how%% *}" --plan true
	want_out "read +$HOME/\.app\.json .*read-only because of rule"
done
done_
