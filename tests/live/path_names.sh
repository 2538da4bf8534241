#!/usr/bin/env bash
# A path is judged by all of its names: as given, after each link, and the physical path.
# week: once a week, as root and as a user in turn
# shellcheck disable=SC2034,SC2154,SC2016
# shellcheck source=tests/lib/live.sh
. "$(dirname "$0")/../lib/live.sh"
mkdir -p "$P/.git" "$P/src"
allows() { [[ $out == *'"allow"'* ]] || bad "$1: not allowed"; }
denies() { [[ $out == *'"deny"'* ]] || bad "$1: not denied"; }

t "a path is judged by each of its names: hook, polquery and explain agree"
mkdir -p "$P/config" "$P/shared" "$P/guarded" "$P/.claude"
echo TOPSECRET >"$P/config/dev.env"
ln -s config/dev.env "$P/.env"
ln -s .env "$P/second"
ln -s ../shared/s "$P/guarded/s"
ln -s guarded "$P/way"
echo x >"$P/shared/s"
ln -s src/../config "$P/dots"
ln -s config "$P/linked"
ln -s "$P/loop" "$P/loop"
raw_policy 'policy agent { level user }
file { hide "${PROJECT_DIR}/.env" as secret  deny write "${PROJECT_DIR}/guarded" as guarded
       ask read "${PROJECT_DIR}/dots" as dots  deny read "${PROJECT_DIR}/linked/*.key" as keys
       allow read, write "${PROJECT_DIR}" }' l
while read -r want op path; do
	got=$(python3 -c 'import json,sys; print(json.dumps({"kind":"file","op":sys.argv[1],"path":sys.argv[2],"project":sys.argv[3]}))' "$op" "$P/$path" "$P" |
		"$BIN/polquery" -b "$WORK/l.polb" | python3 -c 'import json,sys; print(json.load(sys.stdin).get("effect", "error"))')
	# an agent is told "deny" of what is hidden
	[ "$got" = "${want/hide/deny}" ] || bad "polquery: $op $path is '$got', not $want"
	[ "$want" != error ] || continue
	got=$(cd "$P" && "$BIN/polc" explain "$WORK/l.pol" file "$op" "$P/$path" | sed -n '1s/:.*//p')
	[ "$got" = "$want" ] || bad "explain: $op $path is '$got', not $want"
	got=$(cd "$P" && "$BIN/polc" explain "$WORK/l.polb" file "$op" "$path" | sed -n '1s/:.*//p')
	[ "$got" = "$want" ] || bad "explain --bundle, relative: $op $path is '$got', not $want"
done <<-'ROWS'
	allow read shared/s
	hide read .env
	hide read config/dev.env
	ask read config/other
	hide read second
	allow write shared/s
	deny write guarded/s
	deny write way/s
	deny write way/new
	allow read guarded/s
	ask read dots/other
	hide read dots/dev.env
	deny read config/a.key
	ask read config/a.pub
	error read loop
ROWS
read_of() { # PATH
	out=$(cd "$P" && CLAUDE_PROJECT_DIR=$P "$BIN/polquery" -b "$WORK/l.polb" hook claude-code <<<'{"cwd":"'"$P"'","permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"Read","tool_input":{"file_path":"'"$1"'"}}')
}
read_of "$P/shared/s"
allows "the control: a file that no rule's name leads to"
for path in .env second config/dev.env; do
	read_of "$P/$path"
	denies "hook: $path"
	want_out "rule secret"
done

t "so are the paths in a line, where no sandbox stands behind it"
mkdir -p "$P/outside"
ln -s guarded/new "$P/absent"
ln -s /etc "$P/etc"
mkdir -p "$P/guarded/sub" "$P/...x"
echo KEEP >"$P/guarded/f"
ln -s guarded/sub "$P/ds"
ln -s guarded "$P/..."
raw_policy 'policy agent { level user }
command { allow "{cat|echo|tee|cp|cd} **" }
file { hide "${PROJECT_DIR}/.env" as secret  deny write "${PROJECT_DIR}/guarded" as guarded
       allow read, write "${PROJECT_DIR}" }' line
line_is() { # EFFECT SCOPE LINE
	got=$(python3 -c 'import json,sys; print(json.dumps({"kind":"command","scope":sys.argv[1],"line":sys.argv[2],"cwd":sys.argv[3],"project":sys.argv[3]}))' "$2" "$3" "$P" |
		"$BIN/polquery" -b "$WORK/line.polb" | python3 -c 'import json,sys; print(json.load(sys.stdin).get("effect", "error"))')
	[ "$got" = "$1" ] || bad "$2: '$3' is '$got', not $1"
	got=$(cd "$P" && "$BIN/polc" explain --scope "$2" "$WORK/line.polb" command "$3" | sed -n '1s/:.*//p')
	[ "$got" = "$1" ] || bad "explain, $2: '$3' is '$got', not $1"
}
lines_are() { # SCOPE; rows "EFFECT LINE" on stdin
	python3 "$(dirname "$0")/../lib/lines.py" "$BIN" "$WORK/line.polb" "$P" "$1" >"$WORK/wrong" || bad "lines.py failed"
	[ ! -s "$WORK/wrong" ] || bad "$(cat "$WORK/wrong")"
}
hook_says() { # LINE
	python3 -c 'import json,sys; print(json.dumps({"cwd":sys.argv[2],"permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":sys.argv[1]}}))' "$1" "$P" |
		(cd "$P" && CLAUDE_PROJECT_DIR=$P "$BIN/polquery" -b "$WORK/line.polb" hook claude-code) |
		sed -n 's/.*"permissionDecision":"\([a-z]*\)".*/\1/p'
}
while read -r want line; do
	line_is "$want" host "$line"
	got=$(hook_says "$line")
	[ "$got" = "$want" ] || bad "hook: '$line' is '$got', not $want"
done <<-'ROWS'
	allow cat src/free
	allow cat config/other
	deny cat config/dev.env
	allow echo x > src/new
	deny cat .env
	deny cat second
	deny cat < second
	deny echo x > guarded/new
	deny echo x > way/new
	deny echo x > absent
	deny echo x | tee absent
	deny echo x > etc/new
	allow echo x > src/../new
	allow echo x > ds/../../new
	deny echo x > ds/../f
	deny echo x >> ./ds/.././f
	deny echo x &> ds/../f
	deny echo x | tee ds/../f
	deny cp src/free ds/../f
	deny cp src/f ds/..
	deny cd ds && echo x > ../f
	deny cd src && echo x > ../ds/../f
	deny echo x > .../f
	deny cat < src/../second
ROWS
[ "$(cat "$P/guarded/f")" = KEEP ] || bad "the kept file was changed"
bash -c "cd '$P' && echo BAD > ds/../f"
[ "$(cat "$P/guarded/f")" = BAD ] || bad "control: the kernel follows the link before '..'"
# in a sandbox the kernel judges them
line_is allow sandbox 'cat second'
line_is allow sandbox 'echo x > absent'

t "so is what lies on the disk, where a line moves, removes or overwrites what no word of it names"
rm -rf "${P:?}"/*
mkdir -p "$P/held/sub" "$P/free/sub" "$P/tree" "$P/put"
echo KEEP >"$P/CLAUDE.md"
echo x >"$P/held/sub/KEEP.md"
echo x >"$P/tree/CLAUDE.md"
echo TOPSECRET >"$P/free/key"
ln -s ../.env "$P/free/link"
ln -s held "$P/hl"
raw_policy 'policy agent { level user }
command { allow "{cat|echo|tee|cp|cd|rm|mv|chmod|find|rsync|sed|prettier|touch} **", "git {clean|mv} **" }
file { hide "${PROJECT_DIR}/.env" as secret  deny write "${PROJECT_DIR}/CLAUDE.md", "**/KEEP.md" as guarded
       allow read, write "${PROJECT_DIR}" }' line
lines_are host <<-'ROWS'
	allow rm -rf free
	ask rm -rf held
	ask rm -rf h*
	ask rm -rf .
	ask rm -r held/sub/../..
	allow rm -f held
	allow mv free x
	ask mv held x
	ask cd held && mv sub x
	ask git mv held x
	allow chmod -R 700 free
	ask chmod -R 700 held
	allow find free -delete
	ask find held -type f -delete
	deny find CLAUDE.md -delete
	deny find free held/sub/KEEP.md -type f -delete
	allow find free/key -delete
	ask find -delete
	allow find . -name '*.pyc' -delete
	ask find . -name CLAUDE.md -delete
	ask git clean -fdx
	allow git clean -fdx free
	allow git clean -n
	ask rsync -a --delete free/ held
	allow rsync -a --delete free/ put
	ask cp -r tree/. .
	allow cp -r tree put
	ask cp -r tree/. hl/..
	deny mv tree/CLAUDE.md held/sub/KEEP.md
	allow tee f*
	deny tee held/sub/KEEP.md
	ask tee free/*/KEEP.md
	ask tee C*E.md
	ask prettier --write C[L]AUDE.md
	allow prettier --write f*
	ask sed -i s/a/b/ *
	ask cat free/*
	allow cat free/k*
	allow prettier --write N*.md
ROWS
# control: bash and rm do what the text does not tell
bash -c "cd '$P' && echo BAD | tee C[L]AUDE.md && rm -rf h?ld" >/dev/null
[ "$(cat "$P/CLAUDE.md")" = BAD ] || bad "control: bash finds the name on the disk"
[ ! -e "$P/held" ] || bad "control: rm removes what lies below"

t "what is more than can be looked at is not allowed"
mkdir -p "$P/many"
(cd "$P/many" && seq 100001 | xargs touch)
line_is ask host 'rm -rf many'
rm "$P"/many/1*
line_is allow host 'rm -rf many'

t "a relative path is judged where the command runs, and is opaque where nobody knows that"
rm -rf "${P:?}"/* "$P/.env"
mkdir -p "$P/sub/d" "$P/held"
echo TOPSECRET >"$P/.env"
echo x >"$P/sub/f"
raw_policy 'policy agent { level user }
command { allow "{cat|tee|cp|cd|pushd|popd|env|chroot|unshare|sudo|nice|find|grep|rg|git|tar|patch|make|npm|ls|mytool|echo} **" otherwise deny opaque ask }
file { hide "${PROJECT_DIR}/.env" as secret  deny write "${PROJECT_DIR}/held" as guarded
       allow read, write "${PROJECT_DIR}" }' line
lines_are host <<-'ROWS'
	allow pushd sub; cat f; popd; cat sub/f
	deny pushd sub; cat ../.env
	deny pushd held && tee new
	deny pushd sub; popd; cat .env
	ask popd; cat sub/f
	deny cd $PWD/sub; cat ../.env
	allow cd "$x" && ls
	allow cd "$x" && npm run build
	allow cd "$x" && make -j4 all
	allow cd "$x" && git commit -m msg
	allow cd "$x" && cat /etc/hostname
	allow cd "$x" && cat -
	allow cd "$x" && git log main..next
	allow cd "$x" && echo ..
	allow cd "$x" && cd .. && npm test
	ask cd "$x" && cat f
	ask cd "$x" && cat *.c
	ask cd "$x" && tee f
	ask cd "$x" && cp /etc/hostname f
	ask cd "$x" && tar -cf/tmp/x.tar f
	allow cd "$x" && tar -cf/tmp/x.tar /etc/hostname
	ask cd "$x" && rg TOP
	ask cd "$x" && mytool ../f
	ask cd "$x" && mytool --to=../f
	ask cd -; cat f
	allow cd sub; cd ..; cat sub/f
	deny cd sub; cd ..; cat .env
	ask env -C sub cat ../.env
	ask env -C sub cat /proc/self/cwd/f
	ask env --chdir=sub tee /proc/self/cwd/x
	ask env -C sub mytool /proc/self/cwd/f
	ask cd "$x" && cat /proc/self/cwd/f
	allow cat /proc/self/cwd/f
	ask env -C sub cat /proc/self/status
	ask unshare -r -R sub cat /etc/hostname
	ask unshare --root=sub cat /etc/hostname
	ask chroot sub cat /etc/hostname
	ask sudo -R sub cat /etc/hostname
	allow nice -n 5 cat /etc/hostname
	allow cd "$x" && cat /etc/hostname
	allow env -C sub npm test
	ask find sub -name f -exec cp {} sub/g \;
	allow find sub -name f -exec cat {} \;
	ask find sub -execdir cat ../.env \;
	ask find sub -name f -exec cat {} \; -execdir cat ../.env \;
	deny tar -C sub -cf - ../.env
	deny tar -cf - --directory=sub ../.env
	deny tar -C sub -C d -cf - ../../.env
	allow tar -C sub -cf - f
	ask tar -C "$x" -cf - f
	deny patch -d sub ../held/f ../p.diff
	deny patch -dsub ../held/f ../p.diff
	deny git -C sub diff --no-index f ../.env
	deny git -C sub -C .. log --output=held/x
	deny git -C sub/d -C .. log --output=../held/x
	ask git -C "$x" log --output=f
	allow git -C "$x" status
	allow git -C sub log -p f
ROWS
# in a sandbox the kernel judges them
line_is allow sandbox 'cd "$x" && cat f'
# controls: the shell and tar go there
[ "$(cd "$P" && bash -c 'pushd sub >/dev/null; cat ../.env')" = TOPSECRET ] || bad "control: pushd"
(cd "$P" && tar -C sub -cPf - ../.env) | grep -q TOPSECRET || bad "control: tar -C"

t "what is written under a name that nobody knows asks, where no sandbox stands behind it"
rm -rf "${P:?}"/* "$P/.env"
mkdir -p "$P/sub" "$P/held" "$P/to"
echo TOPSECRET >"$P/.env"
echo KEEP >"$P/held/f"
echo x >"$P/sub/f"
echo x >"$P/sub/CLAUDE.md"
raw_policy 'policy agent { level user }
command { allow "{cat|tee|cp|mv|rm|dd|ln|install|truncate|find|xargs|grep|wc|sort|ls|git|tar|unzip|cpio|ar|patch|mytool|echo|printf|touch|sh|for} **" otherwise deny opaque ask }
file { hide "${PROJECT_DIR}/.env" as secret  deny write "${PROJECT_DIR}/held" as guarded
       allow read, write "${PROJECT_DIR}" }' line
lines_are host <<-'ROWS'
	allow rm sub/f
	ask find held -exec rm -rf {} +
	ask find held/f -exec tee {} \;
	ask find .git/config -exec cp sub/f {} \;
	ask find held -name f -exec dd if=sub/f of={} \;
	ask find held -type d -exec touch {}/new \;
	ask find sub -exec cp {} to \;
	ask find sub -exec mytool {} \;
	ask find sub -exec sort -o {} sub/f \;
	allow find sub -exec wc -l {} +
	allow find sub -exec grep -l x {} +
	allow find sub -exec sh -c 'wc -l "$1"' _ {} \;
	allow find sub -exec echo {} \;
	ask find held -type f | xargs rm
	ask ls held | xargs -I{} rm held/{}
	ask echo held/f | xargs rm
	ask cat list | xargs mytool
	allow ls | xargs echo
	allow ls sub | xargs -I{} wc -l sub/{}
	allow find sub -type f | xargs cat
	allow git ls-files sub | xargs wc -l
	ask git ls-files | xargs wc -l
	allow find sub | grep f | sort | xargs grep x
	ask find . -type f | xargs cat
	ask ls -a | xargs cat
	deny echo .env | xargs cat
	deny printf '%s\n' sub/../.env | grep . | xargs cat
	allow echo .env | wc -c
	allow cat sub/f | xargs echo
	ask tee "$x"
	ask tee "${x:-held/f}"
	ask cp sub/f "$x"
	ask cp "$x" to
	ask mv "$x" to
	ask touch "$(cat n)"
	ask rm -f "$x"
	allow x=sub/new; tee "$x"
	deny x=held/f; tee "$x"
	allow for i in 1 2; do tee sub/f$i; done
	allow echo "$x"
	allow ls "$x"
	allow tee $HOME/x/y
	ask tar -xf a.tar -C to
	ask tar xf a.tar
	ask tar --extract --file=a.tar sub/f
	allow tar -tf a.tar
	allow tar -cf to/a.tar sub
	ask unzip a.zip -d to
	allow unzip -l a.zip
	ask cpio -id
	allow cpio -it
	ask ar x a.a
	allow ar t a.a
	ask git apply p.diff
	ask patch -p1
	ask cp sub/* .
	ask cp sub/C* .
	ask mv sub/?LAUDE.md .
	ask ln -s sub/[C]LAUDE.md .
	allow cp sub/f* .
	allow cp sub/f* to
	ask cat list | xargs cat
	ask xargs cat < list
	ask xargs cat <<< .env
	ask xargs -a list cat
	ask git ls-files -o | xargs cat
	allow git ls-files -o sub | xargs cat
	ask sort -oheld/n[e]w sub/f
	ask dd if=sub/f of=held/n[e]w
	ask dd if=.e*
	ask ln -s .. to/h; cat to/h/.env
	ask ln -s ../held to/h && tee to/h/f
	ask ln -s ../.env to/h; cat to/h
	deny ln -s ../CLAUDE.md to/h; echo x > to/h
	deny ln -s ../.git to/h; cd to/h; tee config
	deny ln -s ../.git to/h; cd to/h; echo x > config
	deny ln -s ../.git to; tee to/.git/config
	allow ln -s ../sub to/h; cat sub/f
	allow ln -s ../sub to/h; echo to/h
ROWS
# in a sandbox the kernel judges them
line_is allow sandbox 'tee "$x"'
line_is allow sandbox 'find held -exec rm -rf {} +'
line_is allow sandbox 'tar -xf a.tar'
# controls: what they write
(cd "$P" && bash -c 'find held/f -exec truncate -s0 {} \;') && [ ! -s "$P/held/f" ] || bad "control: find -exec"
(cd "$P" && bash -c 'cp sub/C* .') && [ -e "$P/CLAUDE.md" ] || bad "control: cp with a pattern"
[ "$(cd "$P" && bash -c 'echo .env | xargs cat')" = TOPSECRET ] || bad "control: xargs"

done_
