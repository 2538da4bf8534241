#!/usr/bin/env bash
# What becomes of a staged run: all of it in place, or a part, or nothing; what changed outside
# stays; a commit that is killed, a full disk, and names that somebody swaps meanwhile.
# places:
# shellcheck disable=SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
# shellcheck source=tests/lib/stage.sh
. "$(dirname "$0")/../lib/stage.sh"
turns=${STAGE_TURNS:-2000} # 200000: seconds more

fill() { # what the runs begin with
	chmod -R u+rwx "$P"; rm -rf "${P:?}"/* "${P:?}"/.[a-z]*
	mkdir -p "$P/a/b/c" "$P/gone/x/y" "$P/move/in"
	for f in a/f a/b/f a/b/c/f gone/f gone/x/f gone/x/y/f move/f move/in/f; do echo "$f" >"$P/$f"; done
	ln "$P/a/f" "$P/hard1" && ln -s a/f "$P/sym" && ln "$P/a/b/f" "$P/hard2"
	echo sparse >"$P/sparse" && truncate -s 3M "$P/sparse"
	python3 -c 'import os; os.setxattr("'"$P"'/a/f", "user.kept", b"1"); os.setxattr("'"$P"'/a/b", "user.dir", b"1")'
	is_root && chown -R 12345:12345 "$P"
	return 0
}
# One of each kind of work.
cat >"$WORK/work.sh" <<'EOW'
set -e
umask 022
echo changed >>a/f; echo new >a/b/new; rm -r gone; mkdir gone; echo again >gone/f
mv move moved; mkdir -p deep/er/est; echo x >deep/er/est/x; chmod 600 a/b/c/f; chmod 700 a/b/c
rm sym; ln -s nowhere sym; ln a/b/new a/b/other; mkfifo pipe; rm hard2; mkdir hard2; echo x >hard2/x
truncate -s 5M sparse; printf end | dd of=sparse bs=1 seek=4000000 conv=notrunc status=none
mkdir shut; echo x >shut/x; chmod 500 shut; touch -d '2001-02-03 04:05:06.7' a/b/c/f
python3 -c 'import os
os.setxattr("a/f", "user.new", b"2"); os.setxattr("deep", "user.d", b"3"); os.removexattr("a/b", "user.dir")
os.setxattr("deep/er/est/x", "user.x", b"4")'
EOW
cp "$(dirname "${BASH_SOURCE[0]}")/../lib/snap.py" "$WORK/snap.py"
policy "file { allow read \"$WORK/work.sh\", \"$WORK/snap.py\" }"
fill

t "after a commit all is outside as it was in the run, and before it nothing"
snap "$P" >"$WORK/before"
staged sh -c "sh $WORK/work.sh && python3 $WORK/snap.py --same $P >/tmp/s && cat /tmp/s"
want_rc 0
printf '%s\n' "$out" >"$WORK/inside"
[ "$(wc -l <"$WORK/inside")" -gt 20 ] || bad "the run has seen nothing"
snap "$P" >"$WORK/after"
cmp -s "$WORK/before" "$WORK/after" || bad "$(diff "$WORK/before" "$WORK/after")"
review
want_rc 0
for op in create modify delete mode type; do want_out "^$op  *$P/"; done
want_out ", the same file as '$P/a/b/new'"
blocks=$(stat -c %b "$STATE"/stage/*/0/upper/sparse) # overlayfs copies whole pieces of a MiB
verb commit
want_rc 0
snap --same "$P" >"$WORK/outside"
cmp -s "$WORK/inside" "$WORK/outside" || bad "$(diff "$WORK/inside" "$WORK/outside")"
[ "$(stat -c %b "$P/sparse")" -le $((blocks + 16)) ] && [ "$blocks" -lt 8000 ] || bad "the holes are filled"
[ "$(stat -c %u "$P/a/b/new" "$P/deep" "$P/a/f" | sort -u)" = "$(stat -c %u "$P")" ] || bad "other owners"
[ "$(stat -c %u "$P/sym")" = "$(stat -c %u "$P")" ] || bad "another owner of the link"
no_file "$STATE/stage/"*
[ -z "$(find "$P" -name '.pol-*')" ] || bad "names are left"

t "the control: the same work without --stage gives the same"
fill
run sh -c "sh $WORK/work.sh"
want_rc 0
snap --same "$P" >"$WORK/native"
diff "$WORK/inside" "$WORK/native" >"$WORK/differs"
# a copy-up breaks hard links: these files have one more name outside
grep -vE '(a/f|hard1)' <(grep '^[<>]' "$WORK/differs") >"$WORK/left" && bad "$(<"$WORK/left")"

t "a part of it, and the rest later"
fill
staged sh -c "echo x >one; mkdir -p d/e; echo x >d/e/two; rm -r gone; echo y >>a/f"
verb commit d/e/two gone/x
want_rc 0
want_out '^committed: 7, refused: 0, left: 4$'
want_text x "$P/d/e/two"
no_file "$P/one"
no_file "$P/gone/x"
want_file "$P/gone/f"
verb commit nothing/here
want_rc 125
want_line 'changed nothing at'
verb commit
want_rc 0
want_text x "$P/one"
no_file "$P/gone"

t "directories deeper than a path is long keep nothing else from being reviewed and committed"
cat >"$WORK/deep.py" <<'EOP'
import os, sys
for name, last in (("long" * 50, 30), ("d" * 60, 75)):
    os.mkdir("deep-" + name[:1]); os.chdir("deep-" + name[:1])
    for i in range(last):
        os.mkdir(name); os.chdir(name)
    with open("bottom", "w") as f: f.write("x")
    os.chdir(sys.argv[1])
EOP
D=$WORK/deep
mkdir "$D" # in a tree that the run writes itself
policy "file { allow read \"$WORK/deep.py\"  allow read, write, exec \"$D\" }" deep
fill
run_with deep --stage sh -c "echo x >one && echo y >>a/f && cd $D && python3 $WORK/deep.py $D && mkdir deep-l/beside && echo z >deep-l/beside/z"
want_rc 0
review
want_rc 1
want_out "^create    $P/one: file"
want_out '^          refused: what lies in it is too deep to be reviewed'
[ "$(grep -c 'too deep to be reviewed' <<<"$out")" -eq 2 ] || bad "not each of the two is told"
no_out bottom
verb commit
want_rc 1
want_out '^committed: [0-9]+, refused: 2, left: 2$'
want_text x "$P/one"
want_text $'a/f\ny' "$P/a/f"
want_text z "$D/deep-l/beside/z"
# what was refused is not there, nor anything that lies in it
[ -z "$(find "$D" -name bottom 2>&1)" ] || bad "what nobody could review was committed"
[ "$(find "$D/deep-d" | tail -n 1 | wc -c)" -lt $((4098 + ${#D})) ] || bad "too deep outside"
verb commit
want_rc 1
verb discard
want_rc 0
no_file "$STATE/stage/"*
rm -rf "${D:?}"/*

t "the control: without the last of them the same is committed as a whole"
fill
sed -i 's/(("long" . 50, 30), ("d" . 60, 75))/(("long" * 50, 19), ("d" * 60, 60))/' "$WORK/deep.py"
run_with deep --stage sh -c "cd $D && python3 $WORK/deep.py $D"
want_rc 0
verb commit
want_rc 0
[ "$(find "$D" -name bottom | wc -l)" -eq 2 ] || bad "not both were committed"
rm -rf "${D:?}"

t "a run that closes the top of a tree to its owner keeps nothing from being reviewed and committed"
for mode in 0 100 055; do
	fill
	run --stage sh -c "echo x >one && chmod $mode ."
	want_rc 0
	no_err 'not recorded'
	review
	want_rc 0
	want_out "^create    $P/one: file"
	no_out 'the run was killed'
	[ $mode = 055 ] || is_root || want_out "^mode      $P: directory 0755 => directory 07"
	verb commit
	want_rc 0
	chmod 755 "$P"
	want_text x "$P/one"
done

t "what has changed outside since the run began is refused, and stays"
fill
staged sh -c 'echo run >a/f; echo run >a/b/f; rm gone/f; rm -r move; echo run >made; chmod 600 sparse'
echo out >>"$P/a/f" && echo out >"$P/made" && chmod 640 "$P/sparse" && echo out >"$P/move/in/new" &&
	mv "$P/gone/f" "$P/gone/g" && echo other >"$P/gone/f"
review
want_rc 1
verb commit
want_rc 1
want_text $'a/f\nout' "$P/a/f"
want_text run "$P/a/b/f"
want_text out "$P/made"
want_text other "$P/gone/f"
want_text out "$P/move/in/new"
[ "$(stat -c %a "$P/sparse")" = 640 ] || bad "the mode is not the one of outside"
[ "$(grep -c 'refused: ' <<<"$out")" -ge 5 ] || bad "not every refusal is told"
verb discard
want_rc 0

t "names that a rule denies are refused again, also where a link would lead there"
fill
# shellcheck disable=SC2016
policy "file { allow read \"$WORK/work.sh\" }"' file { deny write "${PROJECT_DIR}/conf/prod", "${PROJECT_DIR}/a/f" }' d
run_with d --stage sh -c 'echo x >fine; ln -s a ok'
want_rc 0
upper=$(echo "$STATE"/stage/*/0/upper)
echo x >"$upper/bad"
mkdir -p "$upper/a" && echo x >"$upper/a/f" && ln -s a "$upper/conf" # as if the walls had let it
is_root && chown -R 12345:12345 "$upper"
review
want_rc 1
want_out "a denied name would lead"
verb commit
want_rc 1
want_text a/f "$P/a/f"
no_file "$P/conf"
want_text x "$P/fine"
[ -L "$P/ok" ] || bad "the link that is allowed is not there"
verb discard

t "a commit that is killed leaves each name old or new, and the next one goes on"
killed=0
for ((i = 0; i < ${RUNS:-8}; i++)); do
	fill
	staged sh -c 'for i in $(seq 150); do echo "new $i" >"n$i"; done; for f in a/f a/b/f sparse; do echo changed >$f; done; rm -r gone'
	snap --same "$P" >"$WORK/old"
	"$BIN/polrun" commit >/dev/null 2>&1 </dev/null &
	pid=$!
	sleep "0.$(printf %03d $((5 + RANDOM % 80)))" # another moment each time
	kill -9 $pid 2>/dev/null && killed=$((killed + 1))
	wait $pid 2>/dev/null
	for f in a/f a/b/f; do
		case $(<"$P/$f") in "$f" | changed) ;; *) bad "$f is neither old nor new" ;; esac
	done
	for f in "$P"/n*; do [ ! -e "$f" ] || [[ $(<"$f") == "new ${f##*/n}" ]] || bad "${f##*/} is a part"; done
	[ ! -d "$STATE/stage" ] || [ -z "$(ls "$STATE/stage")" ] || verb commit
	[ "$(find "$P" -maxdepth 1 -name 'n*' | wc -l)" -eq 150 ] || bad "not all is there"
	want_text changed "$P/a/b/f"
	[ -z "$(find "$P" -name '.pol-*')" ] || bad "names are left: $(find "$P" -name '.pol-*')"
	verb discard
done
[ "$killed" -gt 0 ] || printf '     (no commit was killed)\n'

t "$turns swaps of a link and a directory under a path of a commit and a review: nothing outside is touched"
mkdir -p "$WORK/out/real" && echo foreign-text >"$WORK/out/real/f"
fill
mkdir -p "$P/w/d" && echo in >"$P/w/d/f"
is_root && chown -R 12345:12345 "$P/w"
snap "$WORK/out" >"$WORK/before"
cat >"$WORK/swap.py" <<'EOS'
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
libc.prctl(1, 9)  # PR_SET_PDEATHSIG
os.chdir(sys.argv[1])
os.symlink(sys.argv[2], "s")
for i in range(int(sys.argv[3])):
    if libc.renameat2(-100, b"d", -100, b"s", 2):
        sys.exit("the swap failed")
if os.path.islink("d"):
    libc.renameat2(-100, b"d", -100, b"s", 2)
os.unlink("s")
EOS
n=0
staged sh -c 'echo staged >w/d/f; for i in $(seq 40); do echo x >w/d/n$i; done; mkdir w/d/sub; ln -s x w/d/l'
python3 "$WORK/swap.py" "$P/w" "$WORK/out/real" "$turns" &
swapper=$!
while kill -0 $swapper 2>/dev/null; do
	review
	no_out foreign-text
	verb commit
	n=$((n + 1))
	if [ ! -d "$STATE/stage" ] || [ -z "$(ls "$STATE/stage")" ]; then
		staged sh -c "echo staged$n >w/d/f; rm -f w/d/n*; for i in \$(seq 40); do echo x >w/d/m$n.\$i; done"
	fi
done
wait $swapper || bad "the swapper has failed"
snap "$WORK/out" >"$WORK/after"
cmp -s "$WORK/before" "$WORK/after" || bad "$(diff "$WORK/before" "$WORK/after")"
[ "$n" -ge 1 ] || bad "no commit met a swap"
verb commit
verb discard

t "what git takes commands from is kept from a commit in a repository that somebody has made meanwhile"
if command -v git >/dev/null; then
	fill
	# shellcheck disable=SC2016
	policy 'file { deny write "${PROJECT_DIR}/.git/hooks", "${PROJECT_DIR}/.git/config" as kept-git }' git
	make='for d in theirs own half; do mkdir -p $d/.git/hooks $d/.git/objects $d/.git/refs; echo "ref: refs/heads/m" >$d/.git/HEAD
		echo "[core]" >$d/.git/config; echo x >$d/.git/hooks/post-commit; done
		mkdir -p bare/hooks new/.git/worktrees/w; echo x >bare/hooks/update; echo x >new/.git/worktrees/w/config.worktree; echo x >theirs/f'
	run_with git --stage sh -c "$make"
	want_rc 0
	git init -q theirs && git init -q --bare bare
	config=$(cat theirs/.git/config)
	verb commit half/.git/HEAD
	want_rc 0
	review
	want_rc 1
	[ "$(grep -c '^          refused: .*(rule kept-git ' <<<"$out")" -eq 3 ] || bad 'not three names are refused'
	verb commit
	want_rc 1
	for f in theirs/.git/hooks/post-commit bare/hooks/update; do
		no_file "$f"
		want_out "^create  *$P/$f:"
	done
	want_text "$config" theirs/.git/config
	want_text x theirs/f
	for f in config hooks/post-commit; do want_file own/.git/$f; want_file half/.git/$f; done
	want_file new/.git/worktrees/w/config.worktree
	verb discard
	rm -rf theirs bare own half new
	run_with git sh -c "$make"
	for f in theirs/.git/hooks/post-commit bare/hooks/update; do want_file "$f"; done # the control: with nobody there
fi

t "a repository that somebody makes while a commit waits: the commit asks again"
if command -v git >/dev/null; then
	fill
	run_with git --stage sh -c 'mkdir -p big theirs/.git/hooks; echo x >theirs/.git/hooks/post-commit
		i=0; while [ $i -lt 400 ]; do echo x >big/$i; i=$((i + 1)); done'
	want_rc 0
	# it is in the middle as soon as the first names are there
	(until [ -e big/0 ]; do :; done; exec git init -q theirs) &
	verb commit
	wait
	no_file theirs/.git/hooks/post-commit
	want_file theirs/.git/HEAD
	verb discard
fi

t "a file that has a set-user-ID bit is not made anew with what the run wrote"
fill
set_id() { # FILE…
	for f in "$@"; do cp /bin/true "$f"; done
	! is_root || chown 12345:12345 "$@"
	chmod 4755 "$@"
}
set_id true kept
write='import mmap, os
f = os.open("true", os.O_RDWR)
m = mmap.mmap(f, 4096)
m[0:4] = b"EVIL"'
staged sh -c "python3 -c '$write' && touch -d 2001-01-01 kept && mv true moved"
want_rc 0
review
want_rc 1
want_out "^create  *$P/moved: file 4755"
want_out '^          refused: it has a set-user-ID or set-group-ID bit'
verb commit
want_rc 1
no_file moved
verb discard
set_id true
staged python3 -c "$write"
want_rc 0
verb commit
want_rc 1
cmp -s true /bin/true || bad 'it was replaced'
verb discard
for move in 'mv true a/f' 'ln -f true a/f' 'cat /bin/true >a/f; touch -r true a/f; mv true a/f'; do
	fill
	set_id true
	staged sh -c "python3 -c '$write' && $move"
	want_rc 0
	review
	want_rc 1
	verb commit
	want_rc 1
	[ ! -u a/f ] || bad "$move: a/f has the bit: $(head -c 4 a/f)"
	verb discard
done

t "a review tells of attributes and access lists of what is new, and of what has other contents as well"
fill
staged python3 -c 'import os
os.mkdir("d"); os.setxattr("d", "user.x", b"1")
open("n", "w").close(); os.setxattr("n", "user.x", b"1")
open("a/f", "a").write("more"); os.setxattr("a/f", "user.more", b"1")
open("a/b/f", "a").write("more")
open("plain", "w").close()'
review
for n in d n a/f; do want_out "^[a-z]+  *$P/$n: .*, attributes"; done
for n in a/b/f plain; do no_out "^[a-z]+  *$P/$n: .*, attributes"; done
verb discard

if ! is_root; then
	done_
	exit
fi
mkdir -p "$WORK/small" "$WORK/tiny" "$WORK/ram" "$WORK/over/l" "$WORK/over/m"
if ! unshare -m bash -c "$(declare -f small_fs)"'; small_fs 1m "$1"' - "$WORK/tiny"; then
	skip small "no small file system with attributes of users can be mounted here"
	done_
	exit
fi

# SCRIPT: as root where it can mount what it likes; $1 is WORK, $2 polrun
apart() {
	unshare -m bash -c "$(declare -f small_fs); $1" - "$WORK" "$BIN/polrun" >"$WORK/.out" 2>"$WORK/.err" </dev/null
	rc=$? out=$(<"$WORK/.out") err=$(<"$WORK/.err")
}

t "a full disk: the old file stays, and a later commit finishes"
fill
# a file system of its own for the project, which the copies do not fit into
apart 'small_fs 9m "$1/small" && mkdir "$1/small/p" && cd "$1/small/p" || exit 9
	echo old >f
	head -c $(($(df --output=avail -B1 . | tail -n 1) - 1000000)) /dev/zero >../ballast
	"$2" --project . --stage -b "$1/p.polb" sh -c "head -c 3000000 /dev/zero >f; echo x >g" || exit 8
	[ "$(cat f)" = old ] || exit 7
	"$2" commit; [ $? -eq 1 ] || exit 6
	[ "$(cat f)" = old ] && [ "$(cat g)" = x ] || exit 5
	ls -A . | grep -q pol- && exit 4
	rm ../ballast && "$2" commit && [ "$(stat -c %s f)" = 3000000 ]'
want_rc 0
want_out 'No space left on device'
verb discard

t "a disk that is full during the run is an error of the run, and nothing is lost outside"
apart 'small_fs 1m "$1/tiny" && export XDG_STATE_HOME="$1/tiny" || exit 9
	"$2" --stage -b "$1/p.polb" sh -c "head -c 3000000 /dev/zero >big && exit 3; echo more >>a/b/f"
	[ "$(cat a/b/f)" = a/b/f ] && [ ! -e big ] && "$2" review && "$2" discard'
want_rc 0
want_err 'No space left on device'

t "a file system that cannot hold an upper layer is a refusal"
# a tmpfs has attributes of users since Linux 6.6
for kind in ramfs tmpfs; do
	apart 'mount -t '$kind' none "$1/ram" && chmod 755 "$1/ram" && export XDG_STATE_HOME="$1/ram" || exit 9
		if python3 -c "import os, sys; os.setxattr(sys.argv[1], \"user.x\", b\"\")" "$1/ram" 2>/dev/null; then
			"$2" --stage -b "$1/p.polb" sh -c "echo x >no" && [ ! -e no ] && "$2" discard || exit 8
			echo HAS
		else
			"$2" --stage -b "$1/p.polb" sh -c "echo x >no"; [ $? -eq 125 ] && [ ! -e no ] && [ -z "$("$2" review 2>/dev/null)" ]
		fi'
	want_rc 0
	if [ "$kind" = ramfs ]; then no_out HAS; fi
	[[ $out == *HAS* ]] || want_line 'no attributes of users.*XDG_STATE_HOME'
done
apart 'small_fs 9m "$1/over/l" && mkdir "$1"/over/l/{l,u,w} &&
		mount -t overlay o -o "lowerdir=$1/over/l/l,upperdir=$1/over/l/u,workdir=$1/over/l/w" "$1/over/m" || exit 9
	export XDG_STATE_HOME="$1/over/m"
	"$2" --stage -b "$1/p.polb" sh -c "echo x >no"; [ $? -eq 125 ] && [ ! -e no ]'
want_rc 0
want_line 'refused: '

done_
