#!/usr/bin/env bash
# Equal policies make equal bytes: wherever they are compiled, by whomever, in
# whatever environment; and what differs does not.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/count.sh
: "${BUILD:=$PWD/build/dev}"
polc=$BUILD/bin/polc
work=$(mktemp -d /var/tmp/pol-identical.XXXXXX) || exit 1
work=$(cd "$work" && pwd -P)
trap 'rm -rf "$work"' EXIT

# A policy with every level, imports, groups, and many rules of every kind, so
# that an order that depends on addresses or on a hash would show.
mkdir -p "$work/a/lib"
cat >"$work/a/lib/names.pol" <<'POL'
let builds = ["${PROJECT_DIR}/build", "${PROJECT_DIR}/dist"]
group @ids = getppid, getpgrp, getsid
command { allow "make:*", "cc {-c|-o} *"  risk high "cc:*" }
POL
cat >"$work/a/managed.pol" <<'POL'
policy floor { level managed  serial 7  expires 2040-01-01 }
locked command { allow "git status", "npm run test:*"  final deny "curl:*" as no-http
    otherwise by risk { low allow  medium ask  high deny  critical deny } }
limits { locked time 60s  processes 64 }
POL
cat >"$work/a/project.pol" <<'POL'
use ./lib/names
file {
    allow read, write "${PROJECT_DIR}" except "${PROJECT_DIR}/vendor"
    allow exec builds
    deny write "*.lock", "${PROJECT_DIR}/.env"
    hide "${PROJECT_DIR}/secrets"
    scratch "${HOME}/.cache"
}
syscall { deny @ids with EACCES  deny ioctl(*, TIOCGWINSZ)
    deny clone(flags) when flags & CLONE_NEWNET }
unix { deny "/run/*.sock", "@x*" }
env { keep += CARGO_HOME  set CI = "1" }
test "t" { command "curl x" => deny by no-http }
POL
for i in $(seq 60); do
	printf 'command { deny "tool%d:*" as t%d  ask "other%d *" }\n' "$i" "$i" "$i"
	printf 'file { deny write "${PROJECT_DIR}/d%d/*.x" }\n' "$i"
done >>"$work/a/project.pol"
printf 'command { deny "rm -rf:*" }\nenv { keep += EDITOR }\n' >"$work/a/user.pol"

same() { # NAME FILE
	if [ -s "$2" ] && cmp -s "$work/first.polb" "$2"; then
		printf 'ok   %s\n' "$1"
		count_pass
	else
		printf 'FAIL %s: the bytes differ, or there are none\n' "$1"
		count_fail
	fi
}

# DIR OUT PREFIX…: the three files, named as they lie in DIR
compile_in() {
	local dir=$1 out=$2
	shift 2
	(cd "$dir" && "$@" "$polc" compile --managed managed.pol --project project.pol \
		--user user.pol -o "$out") >"$work/log" 2>&1 || cat "$work/log"
}

compile_in "$work/a" "$work/first.polb" env
compile_in "$work/a" "$work/2.polb" env
same "twice in one place" "$work/2.polb"

cp -r "$work/a" "$work/another-place"
touch -d 2001-02-03 "$work"/another-place/*
compile_in "$work/another-place" "$work/3.polb" env
same "from another working directory, with other times of the files" "$work/3.polb"

(cd / && "$polc" compile --managed "$work/a/managed.pol" \
	--project "$work/a/project.pol" --user "$work/a/user.pol" \
	-o "$work/4.polb") >"$work/log" 2>&1 || cat "$work/log"
same "named by absolute paths from /" "$work/4.polb"

(cd "$work" && "$polc" compile --user "$work/a/user.pol" --managed "$work/a/managed.pol" \
	--project "$work/a/project.pol" -o "$work/5.polb") >"$work/log" 2>&1
cmp -s "$work/5.polb" "$work/first.polb"
# named from where they are below the working directory, their names are others
if [ -s "$work/5.polb" ] && grep -aq 'a/user.pol' "$work/5.polb" &&
	! grep -aq "$work" "$work/5.polb"; then
	echo "ok   no bundle holds an absolute path"
	count_pass
else
	echo "FAIL a bundle holds an absolute path, or not the name that was given"
	count_fail
fi
(cd "$work/a" && "$polc" compile --user user.pol --managed managed.pol \
	--project project.pol -o "$work/6.polb") >"$work/log" 2>&1
same "the options in another order" "$work/6.polb"

for l in C POSIX C.UTF-8 de_DE.UTF-8 tr_TR.UTF-8; do
	compile_in "$work/a" "$work/7.polb" env -i LC_ALL="$l" LANG="$l" TZ=Asia/Kolkata \
		HOME=/nonexistent TMPDIR=/nowhere USER=somebody
	same "locale $l, another HOME, TZ and TMPDIR" "$work/7.polb"
	rm -f "$work/7.polb"
done

for m in 000 027 077; do
	(umask "$m" && compile_in "$work/a" "$work/8.polb" env)
	same "umask $m" "$work/8.polb"
	rm -f "$work/8.polb"
done

if [ "$(id -u)" -eq 0 ] && id "${POL_TEST_USER:-poltest}" >/dev/null 2>&1; then
	mkdir "$work/user"
	chmod 0755 "$work" "$work/a" "$work/a/lib"
	chmod 0644 "$work"/a/*.pol "$work"/a/lib/*
	chown "${POL_TEST_USER:-poltest}" "$work/user"
	# the tree of the build may be closed to that user
	mkdir -p "$work/bin" "$work/share/pol"
	cp "$polc" "${polc%/*}/polnft-record" "$work/bin/"
	cp -r stdlib-policies "$work/share/pol/"
	chmod -R go+rX,go-w "$work/bin" "$work/share"
	polc=$work/bin/polc compile_in "$work/a" "$work/user/9.polb" setpriv \
		--reuid "${POL_TEST_USER:-poltest}" --regid "${POL_TEST_USER:-poltest}" \
		--clear-groups
	same "by another user" "$work/user/9.polb"
fi

# --- --reproduce: from its own sources alone, in a directory without any others

again() { # NAME BUNDLE STATUS WORDS
	local said status
	said=$(cd / && "$polc" compile --reproduce "$2" 2>&1)
	status=$?
	if [ "$status" -eq "$3" ] && grep -qE -- "$4" <<<"$said"; then
		printf 'ok   reproduce: %s\n' "$1"
		count_pass
	else
		printf 'FAIL reproduce: %s: %s\n%s\n' "$1" "$status" "$said"
		count_fail
	fi
}
mkdir "$work/alone"
mv "$work/a" "$work/away"
again "three levels, and a file that is used" "$work/first.polb" 0 '^reproduced: manifest'
mv "$work/away" "$work/a"
mkdir -p "$work/b/deep"
(cd "$work/b/deep" && printf 'use ../../a/lib/names\nfile { deny write builds }\n' >up.pol &&
	"$polc" compile ./up.pol ../../a/user.pol -o "$work/up.polb" --created 1700000000 \
		--not-before 2020-01-01 --expires 2050-12-31 --serial 3) >"$work/log" 2>&1
again "names that climb, and dates" "$work/up.polb" 0 '^reproduced'
(cd "$work/b" && printf 'policy r { level user }\nrole tester { command { allow "npm:*" } }\n' >role.pol &&
	"$polc" compile role.pol --role tester -o "$work/role.polb") >"$work/log" 2>&1
again "a role" "$work/role.polb" 0 '^reproduced'
cp -r "$work/a/user.pol" "$work/b/deep/both.pol"
(cd "$work/b/deep" && printf 'use ./both\n' >one.pol &&
	"$polc" compile one.pol both.pol -o "$work/both.polb") >"$work/log" 2>&1
again "a file that is named and used" "$work/both.polb" 0 '^reproduced'
for p in examples/*/*.pol; do
	"$polc" compile "$p" -o "$work/example.polb" >"$work/log" 2>&1 || continue
	again "$p" "$work/example.polb" 0 '^reproduced'
done
(cd "$work/a" && "$polc" compile user.pol --no-sources -o "$work/none.polb") >"$work/log" 2>&1
again "no sources" "$work/none.polb" 2 'sources are not in it'
again "no bundle" "$work/a/user.pol" 2 'polc: bundle'
# A source is exchanged, and every digest is right.
python3 - "$work/first.polb" "$work/lie.polb" <<'EOS'
import hashlib, re, sys
sys.path.insert(0, "tests/lib")
import forge
ms = forge.unpack(open(sys.argv[1], "rb").read())
i = [m[0] for m in ms].index("sources/user/user.pol")
old, new = ms[i][2], ms[i][2].replace(b"rm -rf", b"rm -ri")
assert old != new
ms[i][2] = new
ms[0][2] = ms[0][2].replace(forge.b2(old).encode(), forge.b2(new).encode())
ms[1][2] = forge.b2(ms[0][2]).encode() + b"  manifest.json\n"
open(sys.argv[2], "wb").write(forge.pack(ms))
EOS
again "sources that give something else" "$work/lie.polb" 1 "'rules.bin' differs"

# the control: one byte of one policy, and the bytes differ
echo '# another line' >>"$work/another-place/user.pol"
compile_in "$work/another-place" "$work/10.polb" env
if [ -s "$work/10.polb" ] && ! cmp -s "$work/first.polb" "$work/10.polb"; then
	echo "ok   another policy makes other bytes"
	count_pass
else
	echo "FAIL another policy makes the same bytes"
	count_fail
fi
count_end
