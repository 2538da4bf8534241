#!/usr/bin/env bash
# Tries: to give a denied name a meaning from outside of its directory: a link of the run's
# own in place of the directory, to where the run may write.
# Stops it: the broker, which makes no link below which a name is denied that is not
# denied where the link leads.
# places:
# shellcheck disable=SC2016,SC2034,SC2154
# shellcheck source=tests/lib/escape.sh
. "$(dirname "$0")/../../lib/escape.sh"
R='file { deny write "${PROJECT_DIR}/conf/prod.json", "${PROJECT_DIR}/gen/*.x"
	deny write "${PROJECT_DIR}/**/.env*" }'
fresh() {
	rm -rf "${P:?}"/* "$P"/.[a-z]*
	mkdir -p "$P/src/sub" "$P/conf" "$P/d"
	ln -s src "$P/host"
}
# What the run does; outside, conf/prod.json and gen/k.x have its text afterwards.
ways=(
	'ln -s src %s'
	'ln -s "$PWD/src/sub/.." %s'
	'ln -s host %s'
	'ln -s later %s; ln -s src later'
	'ln -s d/later/../src %s'
	'ln -s src l; mv -T l %s'
	'ln -s src l; ln -P l %s'
	'ln -s src l; mkdir %s; python3 -c "import ctypes; ctypes.CDLL(None).renameat2(-100, b\"l\", -100, b\"%s\", 2)"'
	'ln -s src d/%s; mv d/%s .'
	'ln -s /proc/self/cwd/src %s'
)
t "the control: without rules each way works"
bare_policy
for way in "${ways[@]}"; do
	fresh
	rmdir "$P/conf"
	run sh -c "${way//%s/conf}; echo bad > src/prod.json"
	if [[ $way != *'/proc/'* && $way != *later/..* ]]; then
		want_text bad "$P/conf/prod.json"
	fi
	[ -L "$P/conf" ] || bad "conf is no link: $way"
done

t "with them none does, and the rule is named"
bare_policy "$R"
for name in conf gen; do
	file=prod.json
	[ "$name" = conf ] || file=k.x
	for way in "${ways[@]}"; do
		fresh
		rmdir "$P/conf"
		run sh -c "${way//%s/$name}; echo bad > src/$file; echo bad > $name/$file"
		[ ! -L "$P/$name" ] || bad "$name is a link: $way"
		no_file "$P/$name/$file"
		want_text bad "$P/src/$file"
		want_line "blocked: write .*/$name: rule .* deny write"
	done
done

t "an empty directory that is there cannot give way to one either"
fresh
run sh -c 'rmdir conf; ln -s src conf; echo bad > src/prod.json'
[ ! -L "$P/conf" ] || bad "conf is a link"
no_file "$P/conf/prod.json"

t "a name of the floor"
run sh -c 'mkdir src/gh; ln -s src/gh .github; echo bad > src/gh/copilot-instructions.md; ln -s src .git; echo bad > src/config'
[ ! -L "$P/.github" ] && [ ! -L "$P/.git" ] || bad "they are links"
want_line 'blocked: write .*/\.github: rule .* at std/floor\.pol'
want_line 'blocked: write .*/\.git: rule .* at std/floor\.pol'

t "a folder that takes links along is looked at"
fresh
rmdir "$P/conf"
ln -s ../src "$P/d/conf"
ln -s ../../src "$P/d/k"
policy "$ADD file { deny write \"\${PROJECT_DIR}/e/conf/prod.json\" }" moved
run_with moved "$F" rename d e
stopped EACCES
want_line 'blocked: write .*/e/conf: rule .* deny write'
run_with moved "$F" rename d f
worked

t "the control: links that give nothing away are made and moved"
fresh
run sh -c 'ln -s src one && ln -s ../src d/two && mv d three && ln -s /usr usr && ln -s nowhere four && mv one five &&
	mkdir -p node_modules/.bin node_modules/x && echo x > node_modules/x/cli.js && ln -s ../x/cli.js node_modules/.bin/x &&
	mv node_modules away && echo good > five/ok && ln -s src/sub src/up && ln -s .. src/back'
want_rc 0
want_text good "$P/src/ok"
no_err 'blocked:'

done_
