#!/usr/bin/env bash
# What a symbolic link in a directory that must not be written leads to is not written either, by
# whatever name: each deny beside the same run under a policy that does not deny the directory.
# places: names and mounts are decided in other ways below a private tree
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"

DENY='deny write "${PROJECT_DIR}/prot" as prot'
policy "file { $DENY }" deny
policy "file { hide \"\${PROJECT_DIR}/prot\" as prot }" hide
policy '' free
fresh() {
	rm -rf "${P:?}"/* "$P"/.[!.]*
	mkdir -p "$P/prot/sub" "$P/shared/dir/deep" "$P/other"
	echo old | tee "$P/shared/file" "$P/shared/dir/file" "$P/other/file" >/dev/null
}
# WHAT FILE COMMAND…: FILE is rewritten under the policy that does not deny it, and not under the
# others, under which the same run writes what lies beside it; a file that was absent is absent
# again afterwards.
kept() {
	local what=$1 file=$2 was='' b
	shift 2
	[ ! -e "$P/$file" ] || was=$(cat "$P/$file")
	cp -a "$P" "$WORK/before"
	run_with free "$@"
	[ "$(cat "$P/$file" 2>/dev/null)" = evil ] || bad "the control: $what: '$file' is not written"
	for b in "${bundles[@]}"; do
		rm -rf "${P:?}"/* && cp -a "$WORK/before/." "$P"
		run_with "$b" sh -c '"$@"; echo new >other/beside' - "$@"
		want_rc 0
		[ "$(cat "$P/$file" 2>/dev/null)" = "$was" ] || bad "$b: $what: '$file' holds '$(cat "$P/$file")'"
	done
	rm -rf "$WORK/before"
}
bundles=(deny hide)

t "a link to a file: by both names, and with the name replaced"
fresh
ln -s ../shared/file "$P/prot/file"
kept "by its own name" shared/file sh -c 'echo evil >shared/file'
kept "moved over it" shared/file sh -c 'echo evil >shared/x; mv shared/x shared/file'
kept "removed and made" shared/file sh -c 'rm shared/file; echo evil >shared/file'
kept "by another link" shared/file sh -c 'ln -s shared/file new; echo evil >new'
kept "by a hard link" shared/file sh -c 'ln shared/file new; echo evil >new'
kept "with its directory moved away" shared/file sh -c 'mv shared away; mkdir shared; echo evil >shared/file'
kept "with its directory exchanged" shared/file sh -c 'mkdir x; echo evil >x/file; mv shared away && mv x shared'
bundles=(deny)
kept "by the link" shared/file sh -c 'echo evil >prot/file'
run_with deny sh -c 'echo evil >shared/file'
want_line "blocked: write $P/shared/file: rule prot at .*the link $P/prot/file leads there"
run_with deny sh -c 'cat prot/file shared/file && echo new >shared/beside'
want_rc 0
want_out '^old$'
want_text new "$P/shared/beside"
bundles=(deny hide)

t "a rule about the link's own name: what the link leads to is refused with that rule"
fresh
raw_policy 'policy x { level user }
file { allow read, write "${PROJECT_DIR}"  hide "${PROJECT_DIR}/named" as hidden
       deny read "${PROJECT_DIR}/unread" as unread }
command { otherwise allow }' named
ln -s shared/file "$P/named"
ln -s other/file "$P/unread"
for op in 'read shared/file hidden cat "$f"' 'write shared/file hidden echo evil >"$f"' \
	'read other/file unread cat "$f"'; do
	read -r how file rule line <<<"$op"
	run_with named --explain-denials sh -c "f=$file; $line"
	[ "$rc" -ne 0 ] || bad "$op: done"
	want_line "blocked: $how $P/$file: rule $rule at "
done
echo seen >"$P/shared/beside"
run_with named cat shared/beside # the control
want_rc 0
want_out '^seen$'
rm "$P/named" "$P/unread"

t "a link to a directory, and links in that directory"
fresh
ln -s ../../shared/dir "$P/prot/sub/dir"
ln -s ../../../other/file "$P/shared/dir/deep/further"
kept "in it" shared/dir/new sh -c 'echo evil >shared/dir/new'
kept "deep in it" shared/dir/deep/new sh -c 'echo evil >shared/dir/deep/new'
kept "what a link in it leads to" other/file sh -c 'echo evil >other/file'

t "other shapes: absolute, a chain of which a link can be replaced, '..', an absent target"
fresh
bundles=(deny)
ln -s "$P/shared/file" "$P/prot/absolute"
kept "absolute" shared/file sh -c 'echo evil >shared/file'
fresh
ln -s ../middle "$P/prot/chain"
ln -s shared/file "$P/middle"
kept "the end of a chain" shared/file sh -c 'echo evil >shared/file'
kept "a link in the chain" middle sh -c 'rm middle; echo evil >middle'
fresh
ln -s sub/../../shared/dir/../file "$P/prot/dots"
kept "with .." shared/file sh -c 'echo evil >shared/file'
fresh
ln -s ../shared/absent "$P/prot/absent"
ln -s ../new/absent "$P/prot/absent2"
kept "an absent file" shared/absent sh -c 'echo evil >shared/absent'
kept "an absent directory" shared/absent/new sh -c 'mkdir shared/absent; echo evil >shared/absent/new'
kept "in an absent directory" new/absent sh -c 'mkdir new; echo evil >new/absent'
run_with deny sh -c 'mkdir -p new && echo x >new/beside'
want_rc 0

t "the denied directory is itself a link"
bundles=(deny hide)
fresh
rmdir "$P/prot/sub" "$P/prot"
ln -s shared/dir "$P/prot"
ln -s ../../other/file "$P/shared/dir/out"
run_with free sh -c 'echo new >other/file'
want_text new "$P/other/file"
run_with deny sh -c 'echo evil >other/file'
want_rc 2
want_text new "$P/other/file"

t "links that a wildcard denies"
policy 'file { deny write "*.key" as prot }' any
policy 'file { deny write "${PROJECT_DIR}/pro*/**/*.key" as prot }' wild
policy 'file { hide "*.key" as prot }' hidden
bundles=(any wild hidden)
fresh
ln -s ../../shared/file "$P/prot/sub/a.key"
ln -s ../../other/file "$P/prot/sub/a.lock"
kept "by its own name" shared/file sh -c 'echo evil >shared/file'
kept "with its directory moved away" shared/file sh -c 'mv shared away; mkdir shared; echo evil >shared/file'
for b in "${bundles[@]}"; do
	run_with "$b" sh -c "echo $b >other/file"
	want_text "$b" "$P/other/file"
done
bundles=(deny hide)

t "names of the floor: an agent's settings, a hook of git"
fresh
mkdir -p "$P/.claude" "$P/.git/hooks"
ln -s ../shared/file "$P/.claude/settings.json"
ln -s ../../shared/dir/file "$P/.git/hooks/pre-commit"
for file in shared/file shared/dir/file; do
	run_with free sh -c "echo evil >$file"
	want_rc 2
	want_text old "$P/$file"
done
run_with free sh -c 'echo new >shared/dir/beside'
want_rc 0
rm "$P/.claude/settings.json" "$P/.git/hooks/pre-commit"
for file in shared/file shared/dir/file; do
	run_with free sh -c "echo new >$file"
	want_rc 0
	want_text new "$P/$file"
done

t "a link around the denied directory or the project takes nothing away, and is told"
fresh
ln -s .. "$P/prot/up"
ln -s "$WORK" "$P/prot/top"
ln -s /usr/lib "$P/prot/system"
run_with deny sh -c 'echo new >shared/file && echo new >beside'
want_rc 0
want_text new "$P/shared/file"
run_with deny sh -c 'echo evil >prot/up/prot/file'
want_rc 2
no_file "$P/prot/file"
run_with deny --plan true
want_out "not kept +$P/prot/up .*rule prot"
want_out 'leads to a directory around the link or the project'
no_out "not kept +$P/prot/system"

t "a large directory is searched up to a limit, which is told"
fresh
mkdir "$P/prot/many"
(cd "$P/prot/many" && seq 9000 | xargs touch)
ln -s ../shared/file "$P/prot/link"
kept "in 9,000 entries" shared/file sh -c 'echo evil >shared/file'
run_with deny --plan true
no_out 'not searched'
want_out "not written +$P/shared/file .*where $P/prot/link leads"
(cd "$P/prot/many" && seq 9001 11000 | xargs touch)
run_with deny --plan true
want_out "not searched +$P/prot .*rule prot"
want_out '^  under: .*not searched for links as a whole'

done_
