#!/usr/bin/env bash
# `make install`: the installed programs take nothing from the tree that they were
# built in.  A copy of the tree installs, is moved away and edited; what the
# installed polc compiles stays the same, as root and as an ordinary user.
#   BUILD=FOLDER VARIANT=… tests/run/install.sh
# Last line: N passed, N failed, N skipped.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/count.sh
. tests/lib/user.sh
: "${BUILD:=$PWD/build/dev}" "${VARIANT:=dev}"
user=${POL_TEST_USER:-poltest}
here=$PWD
work=$(mktemp -d /var/tmp/pol-install.XXXXXX) || exit 1
work=$(cd "$work" && pwd -P)
trap 'rm -rf --one-file-system "$work"' EXIT
trap 'exit 130' INT TERM
chmod 0755 "$work"
umask 022

as_user=()
if [ "$(id -u)" -eq 0 ] && have_user "$user"; then
	as_user=(setpriv --reuid "$user" --regid "$user" --init-groups env HOME=/nonexistent)
fi
# NAME STATUS COMMAND…: ends with STATUS
ends() {
	local name=$1 want=$2 got
	shift 2
	"$@" >"$work/out" 2>&1
	got=$?
	if [ "$got" -eq "$want" ]; then
		count_check "$name" ''
	else
		count_check "$name" "status $got, want $want: $(head -c 600 "$work/out")"
	fi
}
# NAME PATTERN: what was printed last
says() { count_check "$1" "$(grep -qE -- "$2" "$work/out" || echo "no match of '$2' in: $(head -c 600 "$work/out")")"; }
alike() { count_check "$1" "$(cmp "$2" "$3" 2>&1)"; }

# --- a copy of the tree installs -------------------------------------------------
tree=$work/tree
git ls-files -co --exclude-standard | while IFS= read -r f; do [ ! -f "$f" ] || echo "$f"; done |
	cpio -pdm --quiet "$tree" || exit 1
mkdir -p "$tree/build"
cp -a "$BUILD" "$tree/build/t" || exit 1
# The programs are there: whatever would be compiled anew fails.
into() { make -s -C "$tree" VARIANT="$VARIANT" BUILD=build/t CC=false install "$@"; }
ends "make install" 0 into PREFIX="$work/old"
if [ ! -x "$work/old/bin/polc" ]; then
	echo "install: all has to be built before: make all unit-tests"
	count_end
	exit
fi
ends "make install with DESTDIR" 0 into DESTDIR="$work/stage" PREFIX=/opt/pol
count_check "DESTDIR: nothing outside of it" "$([ ! -e /opt/pol ] || echo "/opt/pol is there")"

for at in "$work/old" "$work/stage"; do
	# Where it was compiled, and where it was installed from.
	found=$(grep -rlaF -e "$here" -e "$tree" -e "$(cd "$BUILD" && pwd -P)" "$at" 2>&1)
	count_check "no file names the build tree (${at##*/})" "$found"
	found=$(find "$at" -type l -lname '/*')
	count_check "no link leads out of it (${at##*/})" "$found"
	found=$(find "$at" ! -type l -perm /022)
	count_check "nothing is writable by others (${at##*/})" "$found"
done
for p in polc polrun polquery; do
	count_check "$p has no RPATH" "$(readelf -d "$work/old/bin/$p" 2>/dev/null | grep -E 'RPATH|RUNPATH')"
done
count_check "the search sees such a path" \
	"$(grep -rqaF "$here" "$BUILD/tests/unit/test_levels" || echo "not in a test that has one")"
count_check "pol.pc names the prefix" "$(grep -qx 'prefix=/opt/pol' \
	"$work/stage/opt/pol/lib/pkgconfig/pol.pc" || echo "another one")"

# --- the tree goes, an edited one is in its place --------------------------------
mkdir "$work/policies"
cat >"$work/policies/p.pol" <<'EOP'
policy p { description "uses some of the library" }
use std/dev/git, std/cmd/read-only
network limited { allow tcp "example.org" port 443 }
use std/net/npm
EOP
compile() { # PREFIX OUT [AS…]
	local polc=$1/bin/polc out=$2
	shift 2
	(cd "$work/policies" && "$@" env SOURCE_DATE_EPOCH=1795564802 "$polc" compile p.pol -o "$out")
}
ends "the build tree's polc compiles" 0 compile "$tree/build/t" "$work/before.polb"
mv "$tree" "$work/away"
mkdir "$tree"
for dir in "$tree" "$work/away"; do
	mkdir -p "$dir/stdlib-policies"
	printf 'policy b { level default }\nno_such_section { }\n' \
		>"$dir/stdlib-policies/base.pol"
	printf 'policy f { level default }\n' >"$dir/stdlib-policies/floor.pol"
done
ends "installed: compiles" 0 compile "$work/old" "$work/after.polb"
alike "installed: the bundle is the same" "$work/before.polb" "$work/after.polb"
ends "the moved tree's polc takes the moved tree's library" 1 compile "$work/away/build/t" "$work/away.polb"
says "the moved tree's polc takes the moved tree's library: the edited line" '^std/base\.pol:2:'

mkdir -m 0777 "$work/open"
mv "$work/old" "$work/prefix"
ends "the prefix moved: compiles" 0 compile "$work/prefix" "$work/moved.polb"
alike "the prefix moved: the bundle is the same" "$work/before.polb" "$work/moved.polb"
ends "from below DESTDIR: compiles" 0 compile "$work/stage/opt/pol" "$work/staged.polb"
alike "from below DESTDIR: the bundle is the same" "$work/before.polb" "$work/staged.polb"
mkdir -p "$work/links/bin"
ln -s "$work/prefix/bin/polc" "$work/links/bin/polc"
ends "by a link: compiles" 0 compile "$work/links" "$work/linked.polb"
alike "by a link: the bundle is the same" "$work/before.polb" "$work/linked.polb"
if [ "${#as_user[@]}" -gt 0 ]; then
	ends "as $user: compiles" 0 compile "$work/prefix" "$work/open/user.polb" "${as_user[@]}"
	alike "as $user: the bundle is the same" "$work/before.polb" "$work/open/user.polb"
fi
ends "base holds" 1 "$work/prefix/bin/polc" explain "$work/policies/p.pol" file write /usr/bin/env
ends "the floor holds" 1 "$work/prefix/bin/polc" explain "$work/policies/p.pol" \
	file write "$work/policies/.pol/x"
# polrun finds its own polinit, and runs what was compiled.
cat >"$work/policies/run.pol" <<'EOP'
policy run { base none }
command { otherwise allow }
file {
    allow read, exec "/usr", "/bin", "/lib", "/lib64"
    allow read "${PROJECT_DIR}"
}
EOP
run_it() { # FOLDER [AS…]
	local at=$1
	shift
	(cd "$at" && "$@" "$work/prefix/bin/polc" compile "$work/policies/run.pol" -o run.polb &&
		"$@" chmod 0600 run.polb && "$@" "$work/prefix/bin/polrun" -b run.polb true)
}
ends "the installed polrun runs" 0 run_it "$work/policies"
if [ "${#as_user[@]}" -gt 0 ]; then
	install -d -o "$user" "$work/his"
	ends "the installed polrun runs as $user" 0 run_it "$work/his" "${as_user[@]}"
fi

# --- who may write the library ---------------------------------------------------
lib=$work/prefix/share/pol/stdlib-policies
refused() { # NAME: after what was done to the library
	ends "$1: refused" 1 compile "$work/prefix" "$work/no.polb"
	says "$1: says so" 'error: .*may be written by others.*\[P0116\]'
	count_check "$1: no bundle" "$([ ! -e "$work/no.polb" ] || echo "there is one")"
}
fine() { ends "$1" 0 compile "$work/prefix" "$work/fine.polb"; }
chmod o+w "$lib/base.pol"
refused "base.pol is writable by all"
chmod o-w "$lib/base.pol"
fine "base.pol is not any more"
chmod 0666 "$lib/dev/git.pol"
refused "a used file is writable by all"
chmod 0644 "$lib/dev/git.pol"
for dir in "$lib" "$lib/commands" "$work/prefix/share/pol" "$work/prefix"; do
	chmod 0777 "$dir"
	refused "${dir#"$work"/} is writable by all"
	chmod 1777 "$dir"
	fine "${dir#"$work"/} is sticky: nobody replaces what is there"
	chmod 0755 "$dir"
done
if [ "${#as_user[@]}" -gt 0 ]; then
	chown "$user" "$lib/floor.pol"
	refused "floor.pol belongs to $user"
	ends "to $user himself it is his own" 0 \
		compile "$work/prefix" "$work/open/own.polb" "${as_user[@]}"
	chown "$user" "$work/prefix/bin/polc"
	fine "so does polc"
	chown 0 "$lib/floor.pol" "$work/prefix/bin/polc"
	chgrp "$(id -g "$user")" "$lib/floor.pol" && chmod g+w "$lib/floor.pol"
	refused "floor.pol is writable by a group"
	chgrp "$(id -g "$user")" "$work/prefix/bin/polc" && chmod g+w "$work/prefix/bin/polc"
	fine "that may write polc, too"
	chgrp 0 "$work/prefix/bin/polc" "$lib/floor.pol"
	chmod g-w "$work/prefix/bin/polc" "$lib/floor.pol"
	mv "$lib" "$work/open/lib"
	chown -R "$user" "$work/open/lib"
	ln -s "$work/open/lib" "$lib"
	refused "the folder is a link to one of $user"
	rm "$lib"
	chown -R 0 "$work/open/lib"
	mv "$work/open/lib" "$lib"
	fine "it is back"
fi
# p.pol limits the network: polc executes polnft-record from below its prefix.
helper=$work/prefix/libexec/pol/polnft-record
chmod o+w "$helper"
ends "polnft-record is writable by all: refused" 1 compile "$work/prefix" "$work/no.polb"
says "polnft-record is writable by all: says so" 'polnft-record in .* is not a file that only its owner can write \[P0442\]'
chmod o-w "$helper"
fine "polnft-record is not any more"
mv "$helper" "$work/helper"
ends "without polnft-record: refused" 1 compile "$work/prefix" "$work/no.polb"
says "without polnft-record: says so" "polnft-record is neither in '$work/prefix/bin' nor in ../libexec/pol of it: polc is not installed completely \[P0442\]"
count_check "without polnft-record: no bundle" "$([ ! -e "$work/no.polb" ] || echo "there is one")"
ends "without polnft-record: a policy without a network compiles" 0 run_it "$work/policies"
mv "$work/helper" "$helper"
fine "polnft-record is back"

mv "$lib" "$work/lib"
ends "without a library: an error" 1 compile "$work/prefix" "$work/no.polb"
says "without a library: where it belongs" "belongs in '$lib': it is not installed completely"
count_end
