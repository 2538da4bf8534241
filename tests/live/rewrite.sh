#!/usr/bin/env bash
# polc fmt on files: what --write changes and leaves, and the exit statuses.
# shellcheck disable=SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
cd "$WORK" || exit 1
messy='policy   p{level user}'
neat='policy p { level user }'

fmt() { # OPTIONS FILES: polc fmt
	out=$("$BIN/polc" fmt "$@" 2>"$WORK/err")
	rc=$?
	err=$(cat "$WORK/err")
}
holds() { # FILE TEXT
	[ "$(cat "$1")" = "$2" ] || bad "$1 holds: $(cat "$1")"
}

t "to stdout, from a file and from stdin; the file stays"
printf '%s' "$messy" >a.pol
fmt a.pol
want_rc 0
[ "$out" = "$neat" ] || bad "another text"
holds a.pol "$messy"
fmt - <a.pol
want_rc 0
[ "$out" = "$neat" ] || bad "another text from stdin"

t "--check names what would change and writes nothing"
printf '%s\n' "$neat" >b.pol
fmt --check b.pol
want_rc 0
[ -z "$out" ] || bad "a neat file is named"
fmt --check a.pol b.pol
want_rc 1
[ "$out" = a.pol ] || bad "not exactly a.pol"
holds a.pol "$messy"

t "--write keeps mode and owner, and touches no neat file"
chmod 0640 a.pol
before=$(stat -c '%a %u %g' a.pol)
neat_before=$(stat -c '%i %y' b.pol)
fmt -w a.pol b.pol
want_rc 0
holds a.pol "$neat"
[ "$(stat -c '%a %u %g' a.pol)" = "$before" ] || bad "mode or owner changed"
[ "$(stat -c '%i %y' b.pol)" = "$neat_before" ] || bad "the neat file was replaced"

t "another's file keeps its owner, or is left alone"
printf '%s' "$messy" >own.pol
if [ "$(id -u)" -eq 0 ]; then
	chown 12345:12346 own.pol
	fmt -w own.pol
	want_rc 0
	holds own.pol "$neat"
	[ "$(stat -c '%u %g' own.pol)" = '12345 12346' ] || bad "owner changed"
else
	mkdir -p shut
	mv own.pol shut/
	chmod 0555 shut
	fmt -w shut/own.pol
	want_rc 2
	holds shut/own.pol "$messy"
	chmod 0755 shut
	fmt -w shut/own.pol
	want_rc 0
	holds shut/own.pol "$neat"
fi

t "links are not followed and not cut"
printf '%s' "$messy" >real.pol
ln -s real.pol link.pol
fmt -w link.pol
want_rc 2
[[ $err == *'is a symbolic link'* ]] || bad "no word of the link"
holds real.pol "$messy"
[ -L link.pol ] || bad "the link is gone"
ln real.pol hard.pol
fmt -w hard.pol
want_rc 2
[[ $err == *'hard links'* ]] || bad "no word of the hard link"
holds real.pol "$messy"
rm hard.pol
fmt -w real.pol
want_rc 0
holds real.pol "$neat"

t "a file with an error is left alone, the others are written"
printf 'policy p { level user\n' >bad.pol
printf '%s' "$messy" >good.pol
fmt -w bad.pol good.pol
want_rc 2
holds bad.pol 'policy p { level user'
holds good.pol "$neat"
[[ $err == *'bad.pol:'* ]] || bad "no diagnostic"

t "--diff is a patch"
printf 'policy p {level user}\n\n\ncommand {\nallow   "a"\n}\n# tail' >d.pol
fmt --diff d.pol
want_rc 0
cp d.pol e.pol
if command -v patch >/dev/null; then
	patch -s e.pol <<<"$out" || bad "patch does not take it"
	fmt --check e.pol
	want_rc 0
fi
holds d.pol "$(printf 'policy p {level user}\n\n\ncommand {\nallow   "a"\n}\n# tail')"
fmt --check --diff d.pol
want_rc 1

t "what cannot be read or is no text of the language"
fmt nothing.pol
want_rc 2
mkdir -p dir.pol
fmt dir.pol
want_rc 2
: >x.yml
fmt x.yml
want_rc 2
[[ $err == *'is YAML'* ]] || bad "no word of YAML"
fmt -w -
want_rc 2
fmt --check -w a.pol
want_rc 2
fmt
want_rc 2

conv() { # OPTIONS FILE: polc convert
	out=$("$BIN/polc" convert "$@" 2>"$WORK/err")
	rc=$?
	err=$(cat "$WORK/err")
}

t "convert: there and back, from files and stdin"
printf '%s\n' "$neat" >n.pol
conv --to yaml n.pol
want_rc 0
[ "$out" = 'policy: {name: p, level: user}' ] || bad "another YAML"
printf '%s\n' "$out" >n.yml
conv --to pol n.yml
want_rc 0
[ "$out" = "$neat" ] || bad "another text"
conv --to pol - <n.yml
want_rc 0
[ "$out" = "$neat" ] || bad "another text from stdin"
conv --to yaml - <n.pol
want_rc 0
[ "$out" = 'policy: {name: p, level: user}' ] || bad "another YAML from stdin"
conv --to pol a.pol
want_rc 0
[ "$out" = "$neat" ] || bad "its own spelling is not taken"

t "convert: what is refused"
conv n.pol
want_rc 2
conv --to json n.pol
want_rc 2
conv --to yaml n.pol n.pol
want_rc 2
conv --to yaml bad.pol
want_rc 2
[ -z "$out" ] || bad "something is printed of a text with an error"
printf 'policy: [\n' >bad.yml
conv --to pol bad.yml
want_rc 2
[[ $err == *'bad.yml:'* ]] || bad "no diagnostic"

t "no file is left beside"
[ -z "$(find . -name '*.pol.*')" ] || bad "$(find . -name '*.pol.*')"
done_
