#!/usr/bin/env bash
# What programs read and write by other ways than an operand, in scope host: lists of names, files of
# options, sources that are removed, URLs of files, the working directory as a variable.
# long: every fourth day, as root and as a user in turn
# shellcheck disable=SC2015,SC2016,SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"

lines_are() { # SCOPE; rows "EFFECT LINE" on stdin
	python3 "$(dirname "$0")/../lib/lines.py" "$BIN" "$WORK/line.polb" "$P" "$1" >"$WORK/wrong" || bad "lines.py failed"
	[ ! -s "$WORK/wrong" ] || bad "$(cat "$WORK/wrong")"
}
mkdir -p "$P/sub" "$P/held" "$P/out"
echo TOPSECRET >"$P/.env"
echo KEEP >"$P/held/f"
echo x >"$P/sub/f"
echo x >"$P/sub/CLAUDE.md"
echo x >"$P/a"
chmod 600 "$P/a"
raw_policy 'policy agent { level user }
command { allow "{cat|cp|mv|rm|tee|ls|find|echo|printf|tar|cpio|zip|rsync|sort|wc|du|file|xz|zstd|git} **"
          allow "{chmod|chgrp|sqlite3|curl|wget|ar|ld|strip|objcopy|objdump|strings|groff|strace|true|sed} **"
          otherwise deny opaque ask }
file { hide "${PROJECT_DIR}/.env" as secret  deny write "${PROJECT_DIR}/held" as guarded
       allow read, write "${PROJECT_DIR}" }' line

t "names that stand in a list or in the input are not known"
lines_are host <<'ROWS'
ask tar -cf out/x.tar -T list
ask tar cT - -f out/x.tar
ask tar -c --files-from=list
allow tar -cf out/x.tar sub
allow tar -cf out/x.tar Tests
ask echo .env | cpio -o
ask find . | cpio -pdm out
allow cpio -it
ask zip out/x.zip -@
allow zip out/x.zip a
ask rsync --files-from=list . out
ask rsync --files-from=- sub .
allow rsync a out/
ask sort --files0-from=list
ask printf .env | wc --files0-from=-
allow sort a
ask file -f list
allow file a
ask xz --files=list -kc
ask xz -kc --files
allow xz -kc sub/f
ask zstd --filelist=list -c
ask git hash-object -w --stdin-paths
ask git update-index --add --stdin
ask git add -f --pathspec-from-file=list
allow git add -A
allow git commit -m msg
ROWS
lines_are sandbox <<'ROWS'
allow tar -cf out/x.tar -T list
allow find . | cpio -pdm out
ROWS

t "files of options may name any file"
lines_are host <<'ROWS'
ask ar @list
ask ar -M
ask ar -M < script
allow ar t a.a
ask ld @list
ask ld -o @list a.o
ask strip @list
ask objdump @list
ask strings @list
allow strings a
ask cat a | groff -Tascii
allow rsync -f '- *.o' a out/
ask rsync -f 'merge list' a out/
ask rsync --filter='. list' a out/
ROWS

t "what a program removes when it has copied it is written"
lines_are host <<'ROWS'
deny tar --remove-files -cf out/x.tar held
ask tar --remove-files -cf out/x.tar .
deny zip -m out/x.zip held/f
ask zip -rm out/x.zip .
deny rsync --remove-source-files held/f out
ask rsync -a --remove-source-files ./ /var/tmp/x
allow rsync --remove-source-files sub/f out
deny zstd --rm held/f
allow tar --remove-files -cf out/x.tar sub/f
ROWS

t "modes that look like options, and those of another file"
lines_are host <<'ROWS'
deny chmod -w held/f
deny chmod -rw held/f
deny chmod --reference=a held/f
deny chmod 600 held/f
deny chgrp --reference=a held/f
ask chmod -R -w .
allow chmod -w a
allow chmod --reference=a sub/f
ROWS

t "SQL that reads and writes files, and URLs of files"
lines_are host <<'ROWS'
ask sqlite3 d "select readfile('.env')"
ask sqlite3 d "select data from fsdir('.')"
ask sqlite3 d "attach/**/'held/new' as x"
ask sqlite3 d "vacuum/**/into'held/new'"
allow sqlite3 d "select attachment from mails"
ask curl file:///x/%2eenv
ask curl 'file:///x/.e[n-n]v'
ask curl -O file:///x/CLAUDE.md
ask curl -sLO file:///x/CLAUDE.md
deny curl -T a file://$PWD/held/f
ask curl -T a file:///x/
ask curl -F 'f=<.env' localhost:1
ask curl -T '{a,.env}' localhost:1
ask curl -w '%output{held/new}' localhost:1
allow curl localhost:1/x
allow curl -F f=@a localhost:1
allow curl file:///etc/hostname
allow curl -O localhost:1/x
ROWS

t "the working directory as a variable, also with a slash and a pattern behind it"
lines_are host <<'ROWS'
ask rm -rf $PWD/*
ask rm -rf "$PWD"/*
deny rm -rf $PWD/held
ask cp sub/* $PWD/
deny mv sub/CLAUDE.md $PWD/
deny mv sub/CLAUDE.md "$PWD/"
ask tee $PWD/h*/f
ask cat $PWD/.e*
allow cat $PWD/s*/f
allow cp sub/f $PWD/
allow rm -rf $PWD/ou*
ROWS

t "the home directory of a user is not known"
lines_are host <<'ROWS'
ask cat ~nobody/x
ask tee ~nobody/x
allow ls ~nobody/x
allow echo ~nobody/x
ROWS

t "controls: what these lines do"
gives_secret() { # LINE
	(cd "$P" && bash -c "$1" 2>/dev/null) | grep -q TOPSECRET || bad "control: $1"
}
gives_secret 'echo .env | tar -cT - -f -'
gives_secret 'echo .env | cpio -o'
gives_secret 'printf .env | sort --files0-from=-'
gives_secret 'echo .env >list; file -f list >&2; tar -cT list'
(cd "$P" && tar --remove-files -cf out/x.tar held/f) && [ ! -e "$P/held/f" ] || bad "control: tar --remove-files"
(cd "$P" && bash -c 'mv sub/CLAUDE.md $PWD/') && [ -e "$P/CLAUDE.md" ] || bad "control: mv to \$PWD/"
(cd "$P" && bash -c 'rm -rf $PWD/*') && [ ! -e "$P/sub" ] || bad "control: rm \$PWD/*"
done_
