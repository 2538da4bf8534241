#!/usr/bin/env bash
# What people do with files, archives and editors, inside as outside.
# long: every fourth day, as root and as a user in turn
# shellcheck disable=SC2016,SC2031,SC2088
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../../lib/live.sh"
# shellcheck source=tests/lib/everyday.sh
. "$(dirname "$0")/../../lib/everyday.sh"

same 'links, modes, times, umask' <<'X'
ln a.txt hard; ln -s a.txt soft; stat -c %h hard; cat soft; readlink soft; mv soft other; cp -a other third
umask 077; echo s >secret; umask 002; mkdir d; cp a.txt d/b; stat -c %a secret d d/b
touch -d '2020-02-03 04:05:06Z' a.txt; cp -p a.txt b.txt; stat -c %Y b.txt hard
printf '#!/bin/sh\necho run "$@"\n' >r; ./r; chmod +x r; ./r 1; mv r d/r; d/r 2; rm hard; ln -sf b.txt other; chmod 0 secret
X
same 'what is read of files' find xargs <<'X'
seq 2000 >n; head -n 2 n; tail -n 1 n; wc -l <n; sort -rn n | sed -n 1p; cut -c1 n | uniq -c | head -n 2; grep -c 7 n; tr 0-9 a-j <n | md5sum
touch -d 2020-01-01 old; find . -name .git -prune -o -newer old -type f -print | sort; find . -name '*.c' -exec wc -c {} +
seq 20 | xargs -P 4 -n 3 sh -c 'echo "$@"' - | sort; diff <(echo a) <(echo b); comm -12 <(seq 5) <(seq 3 7); od -c a.txt | head -n 1
X
same 'what is written to files' <<'X'
sed -i s/one/two/ a.txt; echo more >>a.txt; tee b <a.txt; sort -o a.txt a.txt; dd if=/dev/zero of=z bs=1k count=4 status=none
truncate -s 1M sparse; fallocate -l 4096 fa; split -b 2k z part; install -m 755 a.txt inst; shred -u z; cmp a.txt b; rm -rf src; mkdir -p x/y/z; rmdir -p x/y/z
head -c 100M /dev/zero >big; sha256sum <big; rm big; mv b 'with blanks and "quotes"'; : >-dash; rm -- -dash; sync
X
same 'tar, zip, gzip, xz, cpio' tar zip unzip xz cpio <<'X'
tar czf a.tgz src && mkdir x && tar xzf a.tgz -C x && zip -qr a.zip src && unzip -qo a.zip -d y && diff -r x y && tar cJf a.txz src && tar tJf a.txz
find src | cpio -o --quiet >a.cpio && mkdir z && (cd z && cpio -id --quiet <../a.cpio) && diff -r x z; gzip -k a.txt && zcat a.txt.gz; rm a.tgz a.txz a.zip a.cpio a.txt.gz
X
same 'rsync' rsync <<'X'
rsync -a --delete src/ copy/ && rsync -ai src/ copy/ && echo b >copy/b && rsync -ai --delete src/ copy/; diff -r src copy
X
same 'temporary files' <<'X'
f=$(mktemp) && echo x >"$f" && cat "$f" && rm "$f"; d=$(mktemp -d) && printf '#!/bin/sh\necho ran\n' >"$d/x" && chmod +x "$d/x" && "$d/x"; rm -r "$d"
f=$(mktemp -p .) && rm "$f"; echo "${TMPDIR-none}"; cat <<<here; x=/dev/shm/pol.$$; echo shm >$x && cat $x && rm $x; head -c 50M /dev/zero >"${f=$(mktemp)}"; stat -c %s "$f"; rm "$f"
X
same 'pipes with a name in /tmp' mkfifo <<'X'
d=$(mktemp -d); mkfifo "$d/f"; echo through >"$d/f" & timeout 10 cat "$d/f"; wait; rm -r "$d"
X
same 'locks' flock <<'X'
flock l sh -c 'flock -n l echo both || echo held'; exec 9>l; flock -n 9 && echo mine; flock -w 0.2 l true || echo waited
X
same 'what changes is seen: inotify' python3 <<'X'
python3 - <<'E'
import ctypes, os, struct
c = ctypes.CDLL(None)
fd = c.inotify_init()
c.inotify_add_watch(fd, b".", 0xfc6)
open("new", "w").write("x")
os.rename("new", "newer")
os.remove("newer")
b = os.read(fd, 9999)
while b:
    wd, mask, ck, n = struct.unpack("iIII", b[:16])
    print(hex(mask), b[16:16 + n].rstrip(b"\0"))
    b = b[16 + n:]
E
X
same 'sqlite3' sqlite3 <<'X'
sqlite3 a.db 'pragma journal_mode=wal; create table t(x); insert into t values (1),(2); select sum(x) from t;' && sqlite3 a.db .dump && rm -f a.db-*
X
same 'vim, ed' vim ed script <<'X'
vim -es -u NONE -c '%s/one/two/' -c wq a.txt; cat a.txt; script -qec 'vim -u NONE -c "normal Ohi" -c wq a.txt' /dev/null >/dev/null; printf '1d\nw\nq\n' | ed -s a.txt; cat a.txt
X
same 'what kind of file it is' file readelf <<'X'
printf '%%PDF-1.4\n' >a.pdf; file a.pdf src/a.c; file -b /bin/ls | cut -c1-20; readelf -h /bin/ls | grep Class; strings /bin/ls | head -n 1; nm -D /bin/ls | wc -l; ldd /bin/ls | grep -c so
X
same 'a pipe with a name in the project' mkfifo <<'X'
mkfifo f; timeout 10 sh -c 'echo through >f & cat f; wait'
X
told 'a file that runs as its owner' 'blocked: system call fchmodat\(.*\): rule syscall-[0-9a-f]+ at std/floor\.pol:[0-9]+: .*; to let it pass: no rule of a user does' '' <<'X'
chmod 4755 a.txt
X
told 'a file beside the project' '~/beside\.txt exists outside of the sandbox, .*: rule file-[a-z0-9-]+ at std/base\.pol:[0-9]+' \
	'file { allow read "${HOME}/beside.txt" }' <<'X'
cat ../beside.txt
X

done_
