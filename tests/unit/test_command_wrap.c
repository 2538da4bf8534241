/* Commands inside of commands: wrappers, shells, code. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/command_rows.h"

static const struct row wrappers[] = {
	{ "timeout 60 npm test",
	  "timeout|60|npm|test @tn ; npm|test @n <1" },
	{ "timeout -k 3 60 nice -n 5 rm -rf x",
	  "timeout|-k|3|60|nice|-n|5|rm|-rf|x @tn ; nice|-n|5|rm|-rf|x @tn <1 ; rm|-r"
	  "f|x @n <2" },
	{ "timeout \"$t\" ls; timeout 5\"$t\" ls; timeout $t ls",
	  "timeout|<any>|ls @onl ; ls @r <1 ; timeout|5<any>|ls @tn ; ls <3 ; timeout"
	  "|<multi>|ls @onl ; ls @r <5" },
	{ "timeout -s\"$x\" 5 ls; timeout --sig 9 5 ls; timeout --signal=\"$x\" 5 -f",
	  "timeout|-s<any>|5|ls @tn ; ls <1 ; timeout|--sig|9|5|ls @onl ; 5|ls @r <3 ; t"
	  "imeout|--signal=<any>|5|-f @tn ; -f <5" },
	{ "command -v rm; command -p rm; command; nohup",
	  "command|-v|rm @n ; command|-p|rm @tn ; rm @n <2 ; command @n ; nohup @n" },
	{ "env -i PATH=/x FOO=1 rm x; sudo CI=1 -u root rm x",
	  "env|-i|PATH=/x|FOO=1|rm|x @n ; rm|x @ovn <1 ; sudo|CI=1|-u|root|rm|x @n ; rm|x @n <3" },
	{ "env 'BASH_FUNC_ls%%=() { x; }' bash -c ls",
	  "env|BASH_FUNC_ls%%=() { x; }|bash|-c|ls @n ; bash|-c|ls @ivn <1 ; ls @v <2"
	  " $2" },
	{ "env \"$v\"=1 ls; env A=\"$v\" ls; env $v ls; env",
	  "env|<any>=1|ls @onl ; <any>=1|ls @r <1 in ? ; env|A=<any>|ls @n ; ls @v <3 ; en"
	  "v|<multi>|ls @onl ; <multi>|ls @r <5 in ? ; env @n" },
	{ "env -S 'rm -rf' x; env -S 'bash -c' 'rm x'; env -S\"$x\"; env -S 'a' \"b'$"
	  "x\" c",
	  "env|-S|rm -rf|x @n ; env|rm|-rf|x @tn <1 ; rm|-rf|x @n <2 ; env|-S|bash -c|rm x @n ;"
	  " env|bash|-c|rm x @tn <4 ; bash|-c|rm x @in <5 ; rm|x @n <6 $6 ; env|-S<any> @onl ; "
	  "env|-S|a|b'<any>|c @n ; env|a|b'<any>|c @tn <9 ; a|b'<any>|c <10" },
	{ "sudo -uroot ls -l; sudo -l rm; sudo $x rm -rf y",
	  "sudo|-uroot|ls|-l @n ; ls|-l <1 ; sudo|-l|rm @n ; sudo|<multi>|rm|-rf|y @onl ; <mult"
	  "i>|rm|-rf|y @r <4 in ?" },
	{ "sudo --foo bar bash -c 'rm'; nice $x; nice ./*.sh",
	  "sudo|--foo|bar|bash|-c|rm @onl ; bar|bash|-c|rm @r <1 in ? ; bash|-c|rm @inr <1"
	  " in ? ; rm @nr <3 $3 in ? ; nice|<multi> @onl ; <multi> @r <5 ; nice|./<glob:*>.sh @"
	  "tn ; ./<glob:*>.sh <7" },
	{ "sudo -s <<<\"rm x\"; sudo -s; sudo -s rm; sudo -v | sudo -s; sudo <<E -s"
	  "\nrm y\nE",
	  "sudo|-s @n ; rm|x @n <1 ; sudo|-s @on ; sudo|-s|rm @n ; rm @n <4 ; sudo|-v @on ; sud"
	  "o|-s @on ; sudo|-s @n ; rm|y @n <8" },
	{ "bash +xc 'rm x'; bash -norc -rcfile f -c 'rm y'",
	  "bash|+xc|rm x @in ; rm|x @n <1 $1 ; bash|-norc|-rcfile|f|-c|rm y @in ; rm|"
	  "y @n <3 $3" },
	{ "exec -a ls rm -rf x; builtin command rm; exec 3<f",
	  "exec|-a|ls|rm|-rf|x @n ; rm|-rf|x @n <1 in ? ; builtin|command|rm @tn ; command"
	  "|rm @tn <3 ; rm @n <4 ; exec @n ; file r f <6" },
	{ "find . -name a -exec rm {} + -exec sh -c 'rm \"$1\"' _ {} \\;",
	  "find|.|-name|a|-exec|rm|{}|+|-exec|sh|-c|rm \"$1\"|_|{}|; @n ; rm|<any> @n"
	  " <1 in ? ; sh|-c|rm \"$1\"|_|<any> @in <1 in ? ; rm|<any> @n <3 $3 in ?" },
	{ "find . -name *c; find -name *.py; find \"$d/\" -x; find . -name x -e\"$y\"; "
	  "find \"$d\"c",
	  "find|.|-name|<glob:*>c @onl ; find|-name|<glob:*>.py @n ; find|<any>/|-x @n ; "
	  "find|.|-name|x|-e<any> @onl ; find|<any>c @onl" },
	{ "find . -name -exec -o -exec echo + b \\; -exec {} x ';' -delete",
	  "find|.|-name|-exec|-o|-exec|echo|+|b|;|-exec|{}|x|;|-delete @n ; echo|+|b <1 "
	  "in ? ; <any>|x <1 in ? ; find|.|-name|-exec|-o|-exec|echo|+|b|;|-exec|{}|x|;|"
	  "-delete @nr ; <any>|x @r <4 in ?" },
	{ "find \"$d\" -name x; find ./\"$d\" -name \"$x\" -print; find *; find ./*.c",
	  "find|<any>|-name|x @onl ; find|./<any>|-name|<any>|-print @n ; find|<glob:"
	  "*> @onl ; find|./<glob:*>.c @n" },
	{ "xargs -0 -n1 rm -rf; xargs; xargs -I% % -rf; xargs -i rm {} x; xargs --rep"
	  "lace=@ a@b",
	  "xargs|-0|-n1|rm|-rf @n ; rm|-rf @na <1 in ? ; xargs @n ; xargs|-I%|%|-rf @n ; <"
	  "any>|-rf @a <4 in ? ; xargs|-i|rm|{}|x @n ; rm|<any>|x @na <6 in ? ; xargs|--replace"
	  "=@|a@b @n ; a<any>b @a <8 in ?" },
	{ "xargs sh -c 'rm \"$@\"' _; xargs bash; xargs env; xargs nice rm; xargs -I"
	  "\"$r\" rm",
	  "xargs|sh|-c|rm \"$@\"|_ @n ; sh|-c|rm \"$@\"|_ @ina <1 ; rm|<multi> @n <2 "
	  "$2 ; xargs|bash @n ; bash @oina <4 ; xargs|env @n ; env @onla <6 ; xargs|n"
	  "ice|rm @n ; nice|rm @tna <8 ; rm @na <9 ; xargs|-I<any>|rm @onl ; rm @nar "
	  "<11 in ?" },
	{ "flock /tmp/l -c 'rm x'; flock /tmp/l rm -rf x; flock -n /tmp/l",
	  "flock|/tmp/l|-c|rm x @n ; rm|x @n <1 in ? ; flock|/tmp/l|rm|-rf|x @n ; rm|-rf|x"
	  " @n <3 in ? ; flock|-n|/tmp/l @n" },
	{ "script -qc 'rm x' /dev/null; script f",
	  "script|-qc|rm x|/dev/null @n ; rm|x @n <1 in ? ; script|f @n" },
	{ "box -v a:b i rm x; box -l rm x; pod c rm x; pod c -n y -- rm x; box --enter rm i -f x; "
	  "box --enter= i rm x; box --enter '[\"a\", \"b\"]' i c; box --enter \"$x\" i rm; box $x rm y",
	  "box|-v|a:b|i|rm|x @cin ; rm|x @n <1 $1 in ? ; box|-l|rm|x @cin ; rm|x @n <3 $3 in ? ; po"
	  "d|c|rm|x @cin ; rm|x @n <5 $5 in ? ; pod|c|-n|y|--|rm|x @cin ; rm|x @n <7 $7 in ? ; box|"
	  "--enter|rm|i|-f|x @cin ; rm|-f|x @n <9 $9 in ? ; box|--enter=|i|rm|x @cin ; rm|x @n <11 "
	  "$11 in ? ; box|--enter|[\"a\", \"b\"]|i|c @cin ; a|b|c <13 $13 in ? ; box|--enter|<any>|i|rm"
	  " @cinl ; rm @n <15 $15 in ? ; box|<multi>|rm|y @cinl ; rm|y @nr <17 $17 in ?" },
	{ "box i sh -c 'ls >f; rm x </dev/tcp/h/1'; box i >f; box i <<<'rm x'; box <f; box i python3 -c x",
	  "box|i|sh|-c|ls >f; rm x </dev/tcp/h/1 @cin ; sh|-c|ls >f; rm x </dev/tcp/h/1 @in <1 $1 i"
	  "n ? ; ls <2 $1 in ? ; rm|x @n <2 $1 in ? ; box|i @cin ; file w f <5 ; box|i @cin ; rm|x "
	  "@n <7 $7 in ? ; box @cin ; file r f <9 ; box|i|python3|-c|x @cin ; python3|-c|x @cin <11"
	  " $11 in ?" },
	{ "ssh host rm -rf x; ssh -p 2 h 'a; b'; ssh -o y=1 h ls; ssh h; ssh h <<<'rm"
	  " x'; ssh h \"rm $x; $y\"",
	  "ssh|host|rm|-rf|x @n ; rm|-rf|x @n <1 in ? ; ssh|-p|2|h|a; b @n ; a <3 in ? ; b <3 in ? ;"
	  " ssh|-o|y=1|h|ls @cn ; ls <6 in ? ; ssh|h @on ; ssh|h @n ; rm|x @n <9 in ? ; ssh|h|r"
	  "m <any>; <any> @onl ; rm|<multi> @nr <11 in ?" },
	{ "watch -n 1 rm x; busybox sh -c 'rm x'",
	  "watch|-n|1|rm|x @n ; rm|x @n <1 in ? ; busybox|sh|-c|rm x @n ; sh|-c|rm x @in <"
	  "3 ; rm|x @n <4 $4" },
	{ "env - rm x; env - A=1 rm x; env -C /x ls >f; env --chd=y sh -c 'ls >f'; su"
	  "do - rm",
	  "env|-|rm|x @n ; rm|x @n <1 ; env|-|A=1|rm|x @n ; rm|x @vn <3 ; env|-C|/x|l"
	  "s @n ; ls <5 in ? ; file w f <5 ; env|--chd=y|sh|-c|ls >f @n ; sh|-c|ls >f"
	  " @in <8 in ? ; ls <9 $9 in ? ; file w f <10 $9 in ? ; sudo|-|rm @n ; rm @n"
	  " <12" },
	{ "sudo -nu bob rm x; sudo -iu bob rm x; sudo --chd=/y rm x; sudo --foo=1 rm x; sudo -Dx "
	  "sudo -n rm x; sudo -n nice -n 1 rm x; sudo $x -s",
	  "sudo|-nu|bob|rm|x @n ; rm|x @n <1 ; sudo|-iu|bob|rm|x @n ; rm|x @n <3 in ? ; sudo|--"
	  "chd=/y|rm|x @n ; rm|x @n <5 in ? ; sudo|--foo=1|rm|x @n ; rm|x @n <7 in ? ; sudo|-Dx"
	  "|sudo|-n|rm|x @n ; sudo|-n|rm|x @n <9 in ? ; rm|x @n <10 in ? ; sudo|-n|nice|-n|1|rm"
	  "|x @n ; nice|-n|1|rm|x @tn <12 ; rm|x @n <13 ; sudo|<multi>|-s @onl ; <multi>|-s @r "
	  "<15 in ?" },
	{ "pkexec rm x; pkexec --keep-cwd rm x; runuser -u bob rm x; runuser --us=bob rm x; "
	  "runuser bob -c 'rm x'; runuser -l bob rm",
	  "pkexec|rm|x @n ; rm|x @n <1 in ? ; pkexec|--keep-cwd|rm|x @n ; rm|x @n <3 in "
	  "? ; runuser|-u|bob|rm|x @n ; rm|x @n <5 in ? ; runuser|--us=bob|rm|x @onl ; r"
	  "m|x @nr <7 in ? ; runuser|bob|-c|rm x @n ; rm|x @n <9 in ? ; runuser|-l|bob|r"
	  "m @on" },
	{ "npm exec --yes -- rm x; npm -q exec rm; npm run \"$x\"; npm test; npm exec"
	  " -c 'rm x'; npm exec",
	  "npm|exec|--yes|--|rm|x @n ; rm|x @n <1 in ? ; npm|-q|exec|rm @n ; rm @n <3 in ? ; np"
	  "m|run|<any> @onl ; npm|test @n ; npm|exec|-c|rm x @n ; rm|x @n <7 in ? ; npm|ex"
	  "ec @n" },
	{ "npm exec --foo x rm; npm exec -p a rm x; npm exec --foo=x rm",
	  "npm|exec|--foo|x|rm @onl ; x|rm <1 in ? ; npm|exec|-p|a|rm|x @n ; rm|x @n <3 in ? ; "
	  "npm|exec|--foo=x|rm @n ; rm @n <5 in ?" },
};

static void test_wrappers(void **state)
{
	(void)state;
	check_rows(wrappers, sizeof(wrappers) / sizeof(wrappers[0]), "", command_text_of);
}

static const struct row code[] = {
	{ "bash -c 'rm -rf build; bash -c \"ls $1\"'",
	  "bash|-c|rm -rf build; bash -c \"ls $1\" @in ; rm|-rf|build @n <1 $1 ; bash"
	  "|-c|ls <any> @oin <1 $1 ; ls|<multi> @r <3 $3" },
	{ "bash -lc 'x'; bash -c -e 'x'; bash -O extglob -c 'x'; bash +O extglob -c x",
	  "bash|-lc|x @in ; x <1 $1 ; bash|-c|-e|x @in ; x <3 $3 ; bash|-O|extglob|-c"
	  "|x @in ; x <5 $5 ; bash|+O|extglob|-c|x @in ; x <7 $7" },
	{ "bash --norc -x -c x; bash -c -- x; bash -eo pipefail -c x; bash -ceo pipef"
	  "ail x",
	  "bash|--norc|-x|-c|x @in ; x <1 $1 ; bash|-c|--|x @in ; x <3 $3 ; bash|-eo|"
	  "pipefail|-c|x @in ; x <5 $5 ; bash|-ceo|pipefail|x @in ; x <7 $7" },
	{ "bash --rcfile f -c x; bash --version; bash -c; bash -o \"$x\" -c y",
	  "bash|--rcfile|f|-c|x @in ; x <1 $1 ; bash|--version @in ; bash|-c @in ; ba"
	  "sh|-o|<any>|-c|y @in ; y <5 $5" },
	{ "sh -c 'echo {a,b}'; dash -c 'echo {a,b}'; ksh -c x; sh -c 'a \"$@\"' _ -rf",
	  "sh|-c|echo {a,b} @in ; echo|a|b <1 $1 ; echo|{a,b} @r <1 $1 ; dash|-c|echo"
	  " {a,b} @in ; echo|{a,b} <4 $4 ; ksh|-c|x ; sh|-c|a \"$@\"|_|-rf @in ; a|<m"
	  "ulti> <7 $7" },
	{ "sh -c 'sh -c \"eval \\\"{rm,x}\\\"\"'",
	  "sh|-c|sh -c \"eval \\\"{rm,x}\\\"\" @in ; sh|-c|eval \"{rm,x}\" @in <1 $1 "
	  "; eval|{rm,x} @n <2 $2 ; rm|x @n <3 $2 ; {rm,x} @r <3 $2" },
	{ "bash $x -c 'rm'; bash -c \"$x\"; bash -s; bash -; bash \"$x\"; bash -c \"r"
	  "m $x; $y\"",
	  "bash|<multi>|-c|rm @oinl ; rm @n <1 $1 ; bash|-c|<any> @oinl ; bash|-s @oi"
	  "n ; bash|- @oin ; bash|<any> @oinl ; bash|-c|rm <any>; <any> @oin ; rm|<mu"
	  "lti> @nr <7 $7" },
	{ "bash -c \"if $x\"; bash -c 'if'; bash -c \"for i in a; do rm '$x'; done\"",
	  "bash|-c|if <any> @oin ; bash|-c|if @in ; unparsed @o <2 $2 ; bash|-c|for i"
	  " in a; do rm '<any>'; done @oin ; rm|${_} @nr <4 $4" },
	{ "bash <<< 'rm x'; bash <<<\"$x\"; bash <f; bash -s a <<<'b'; bash 3<<<'c'",
	  "bash @in ; rm|x @n <1 $1 ; bash @oin ; bash @oin ; file r f <4 ; bash|-s|a"
	  " @in ; b <6 $6 ; bash @oin" },
	{ "cat <<E | bash\nrm\nE\nbash <<'E'\nrm x\nE\nbash <<E\nrm y\nE\nbash <<E\nr"
	  "m $z\nE",
	  "cat ; bash @oin ; bash @in ; rm|x @n <3 $3 ; bash @in ; rm|y @n <5 $5 ; ba"
	  "sh @oin" },
	{ "eval rm -rf x; eval \"rm $x\" y; eval; eval 'a; b' c; eval \"$x\"",
	  "eval|rm|-rf|x @n ; rm|-rf|x @n <1 ; eval|rm <any>|y @onl ; rm|<multi>|y @n"
	  "r <3 ; eval @n ; eval|a; b|c @n ; a <6 ; b|c <6 ; eval|<any> @onl ; <any> "
	  "@r <9 in ?" },
	{ "trap 'rm x' EXIT; trap - INT; trap 2 3; trap \"$x\" EXIT; trap INT; trap '"
	  "' INT; trap",
	  "trap|rm x|EXIT @n ; rm|x @n <1 ; trap|-|INT @n ; trap|2|3 @n ; trap|<any>|"
	  "EXIT @onl ; trap|INT @n ; trap||INT @n ; trap @n" },
	{ "alias x='rm -rf' y; x z; alias \"$n\"=a; alias a=\"$v\"; alias \"$v\"; b",
	  "alias|x=rm -rf|y @v ; rm|-rf @vna <1 ; x|z @v ; rm|-rf|z @vnr <3 ; alias|<any>=a @ov ; alias|a=<any> @ov ; alias|<any> @ov ; b @v" },
	{ "python3 -c 'x'; python3 x.py; python3 -m pytest; echo x | python3; python3"
	  "; python3 -u <f",
	  "python3|-c|x @cin ; python3|x.py @in ; ./x.py @tnr ; python3|-m|pytest @in ; ./pytest @tnr ; echo|x ; python3 @cin ; python3 @cin ; python3|-u @cin ; file r f <9" },
	{ "python3 -; python3 \"$x\"; python3 ./\"$x\"; python3 --version",
	  "python3|- @cin ; python3|<any> @ocin ; python3|./<any> @oin ; python3|--ve"
	  "rsion @in" },
	{ "awk 'ab' f; awk yy f; awk $x; awk -f x y; awk \"$x\" f; awk a\"$x\" f",
	  "awk|ab|f @in ; awk|yy|f @cin ; awk|<multi> @cin ; awk|-f|x|y @cin ; awk|<a"
	  "ny>|f @cin ; awk|a<any>|f @cin" },
	{ "git -c y=1 log; git -c core=1 log; git -cy log; git log --ext-diff; git fe"
	  "tch --upload-pack=\"$x\"",
	  "git|-c|y=1|log @cn ; git|-c|core=1|log @n ; git|-cy|log @cn ; git|log|--ex"
	  "t-diff @cn ; git|fetch|--upload-pack=<any> @cn" },
	{ "git log $x; git log \"$x\"; git log ./\"$x\"; git log -- $x; git log *.c; "
	  "git log src/*.c; git -c \"$x\" log",
	  "git|log|<multi> @cn ; git|log|<any> @cn ; git|log|./<any> @n ; git|log|--|"
	  "<multi> @n ; git|log|<glob:*>.c @cn ; git|log|src/<glob:*>.c @n ; git|-c|<"
	  "any>|log @cn" },
	{ "tar -I x -tf a; tar tf \"$a\"; tar -tf \"$a\"; tar --checkpoint-act=x; tar"
	  " --to a; xargs git log",
	  "tar|-I|x|-tf|a @cn ; tar|tf|<any> @cn ; tar|-tf|<any> @n ; tar|--checkpoin"
	  "t-act=x @cn ; tar|--to|a @n ; xargs|git|log @n ; git|log @na <6" },
};

static void test_code(void **state)
{
	(void)state;
	check_rows(code, sizeof(code) / sizeof(code[0]), "", command_text_of);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wrappers),
		cmocka_unit_test(test_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
