/* What a line changes for its own commands: variables, names, files that it makes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/command_rows.h"

static const struct row names[] = {
	{ "PATH=/tmp:$PATH ls; ls",
	  "ls @ov ; ls" },
	{ "FOO=1 ls; CI=1 LC_ALL=C ls; LD_PRELOAD=x ls; FOO=1 timeout 5 bash -c 'ls'",
	  "ls @v ; ls ; ls @ov ; timeout|5|bash|-c|ls @vtn ; bash|-c|ls @ivn <4 ; ls "
	  "@v <5 $5" },
	{ "a; PATH=x; b; c",
	  "a ; b @ov ; c @ov" },
	{ "a; export PATH; b; export PATH=x; c",
	  "a ; export|PATH ; b ; export|PATH=x ; c @ov" },
	{ "a; for i in 1; do b; export IFS=; done; c",
	  "a @ov ; b @ov ; export|IFS= @ov ; c @ov" },
	{ "a; f() { b; PATH=x; c; }; d",
	  "a @ov ; b @ov ; c @ov ; d @ov" },
	{ "f() { a; }; b; PATH=x; f",
	  "a @ov ; b ; f @ov" },
	{ "bash -c 'PATH=x; a'; b; eval 'PATH=x; c'; d",
	  "bash|-c|PATH=x; a @in ; a @ov <1 $1 ; b ; eval|PATH=x; c @n ; c @ov <4 ; d"
	  " @ov" },
	{ "read PATH; a",
	  "read|PATH ; a @ov" },
	{ "read -p PATH x; a; read -aIFS; b",
	  "read|-p|PATH|x ; a ; read|-aIFS ; b @ov" },
	{ "printf -v PATH x; a; printf '%s' PATH; printf -vIFS",
	  "printf|-v|PATH|x ; a @ov ; printf|%s|PATH @ov ; printf|-vIFS @ov" },
	{ "unset PATH; a",
	  "unset|PATH ; a @ov" },
	{ "for PATH in x; do a; done",
	  "a @ov" },
	{ "a ${PATH:=x}; b",
	  "a|<multi> @ov ; b @ov" },
	{ "{PATH}>f a",
	  "a @ov ; file w f <1" },
	{ "declare -n r=PATH; r=x; a",
	  "declare|-n|r=PATH ; a @ov" },
	{ "declare -i x=1; local y; typeset -r z; readonly PATH; getopts ab PATH; a",
	  "declare|-i|x=1 @o ; local|y ; typeset|-r|z ; readonly|PATH ; getopts|ab|PA"
	  "TH ; a @ov" },
	{ "export \"$x\"=1; a",
	  "export|<any>=1 @o ; a @ov" },
	{ "mapfile PATH <f; wait -p PATH; a",
	  "mapfile|PATH ; file r f <1 ; wait|-p|PATH @ov ; a @ov" },
	{ "PATH+=:x; a; BASH_CMDS[ls]=/bin/rm; ls",
	  "a @ov ; unparsed @o ; ls @ov" },
	{ "while IFS= read -r x; do a; done; IFS=, a; IFS=: b",
	  "read|-r|x ; a ; a @ov ; b @ov" },
	{ "f() { a; }; f; function g { b; }; timeout 5 g; ./f",
	  "a ; f @v ; b ; timeout|5|g @tn ; g @v <4 ; ./f" },
	{ "ls; hash ls; enable -n pwd; pwd; hash -r; enable \"$x\"; echo",
	  "ls @v ; hash|ls @v ; enable|-n|pwd @v ; pwd @v ; hash|-r @v ; enable|<any>"
	  " @ov ; echo @v" },
	{ "hash -p /bin/rm wipe; wipe -rf build; hash -p\"$x\" y; y",
	  "hash|-p|/bin/rm|wipe @v ; wipe|-rf|build @v ; /bin/rm|-rf|build @vnr ; has"
	  "h|-p<any>|y @ov ; y @v" },
	{ "hash -p /usr/bin/env e; e rm x",
	  "hash|-p|/usr/bin/env|e ; e|rm|x @v ; /usr/bin/env|rm|x @nr ; rm|x @nr <3" },
	{ "HOME=/x; rm ~/y $\"loc\" a$\"loc\"$b; (HOME=/y; cd; ls >f)",
	  "rm|<any>/y|<any>|<any><multi> @ovn ; rm|<any>/y|loc|aloc<multi> @ovnr ; cd"
	  " @ov ; ls @ov in ? ; file w f <4 in ?" },
	{ "printf -v 'a[$(x)]' y; printf -v 'a[1]' y; printf \"$a\" \"$b\"; printf "
	  "\"$a\"; printf $a; printf \"$a\n\" x",
	  "printf|-v|a[$(x)]|y @o ; printf|-v|a[1]|y ; printf|<any>|<any> @o ; printf"
	  "|<any> @ov ; printf|<multi> @ov ; printf|<any>\n|x @ov" },
	{ "test -v 'a[$(x)]'; test -v a; [ -v \"$x\" ]; [ \"$x\" = y ]; [ $x = y ]; ["
	  " $? = 0 ]; [ -f 'a[$(x)]' ]",
	  "test|-v|a[$(x)] @o ; test|-v|a ; [|-v|<any>|] @o ; [|<any>|=|y|] @ov ; [|<"
	  "multi>|=|y|] @ov ; [|<multi>|=|0|] @ov ; [|-f|a[$(x)]|] @ov" },
	{ "read 'a[$(x)]'; unset 'a[0]' \"$x\"",
	  "read|a[$(x)] @o ; unset|a[0]|<any> @o" },
	{ "x=$((y)); ((y)); [[ -v a ]]; echo ${!x}; let x=1; let 1+2 'a[$(x)]'",
	  "unparsed @o ; ((|<multi> @o ; [[|-v|a|]] @o ; echo|<multi> @o ; let|x=1 @o"
	  " ; let|1+2|a[$(x)] @o" },
};

static void test_names(void **state)
{
	(void)state;
	check_rows(names, sizeof(names) / sizeof(names[0]), "", command_text_of);
}

static const struct row made[] = {
	{ "curl -o x.sh u && bash x.sh; bash y.sh",
	  "curl|-o|x.sh|u ; bash|x.sh @oin ; ./x.sh @otnr ; bash|y.sh @in ; ./y.sh @tnr" },
	{ "echo hi >run.sh; sh ./run.sh; ./run.sh; python3 a/run.sh; . run.sh",
	  "echo|hi ; file w run.sh <1 ; sh|./run.sh @oin ; ./run.sh @otnr ; ./run.sh @o ; python3|a/run.sh @oin ; a/run.sh @otnr ; .|run.sh @o" },
	{ "bash x.sh; curl -o x.sh u",
	  "bash|x.sh @in ; ./x.sh @tnr ; curl|-o|x.sh|u" },
	{ "while a; do bash x.sh; curl -o x.sh u; done",
	  "a ; bash|x.sh @oin ; ./x.sh @otnr ; curl|-o|x.sh|u" },
	{ "f() { bash x.sh; }; curl -ox.sh u; f",
	  "bash|x.sh @oin ; ./x.sh @otnr ; curl|-ox.sh|u ; f @v" },
	{ "bash x.sh; g() { curl --out=x.sh u; }",
	  "bash|x.sh @oin ; ./x.sh @otnr ; curl|--out=x.sh|u" },
	{ "env bash x.sh; timeout 5 ./y.sh; ./z.sh a; ./z.sh b",
	  "env|bash|x.sh @n ; bash|x.sh @in <1 ; ./x.sh @tnr <1 ; timeout|5|./y.sh @tn ; ./y.sh <4 ; ./z.sh|a ; ./z.sh|b" },
	{ "curl -o \"$d\"/x.sh u; bash x.sh",
	  "curl|-o|<any>/x.sh|u ; bash|x.sh @oin ; ./x.sh @otnr" },
	{ "curl -o b u; /bin/b; ./b; ~/b; /usr/bin/x/b",
	  "curl|-o|b|u ; /bin/b ; ./b @o ; <home>/b @o ; /usr/bin/x/b @o" },
	{ "bash \"$z\"; bash ./\"$z\"; source \"$z\"; bash <(x); bash *.sh; source; "
	  "\"$z\"/a",
	  "bash|<any> @oinl ; bash|./<any> @oin ; source|<any> @o ; bash|<any> @oin ;"
	  " x ; bash|<glob:*>.sh @oinl ; source ; <any>/a" },
	{ "source /dev/fd/3; bash /dev/stdin; . /proc/self/fd/4; bash /dev/./fd//5; b"
	  "ash stdin; bash 3",
	  "source|/dev/fd/3 @o ; bash|/dev/stdin @oin ; /dev/stdin @otnr ; .|/proc/self/fd/4 @o ; bash|/dev/./fd//5 @oin ; /dev/./fd//5 @otnr ; bash|stdin @oin ; ./stdin @otnr ; bash|3 @oin ; ./3 @otnr" },
	{ "cd /dev/fd; bash 3; cd /dev; bash stdin",
	  "cd|/dev/fd ; bash|3 @oin in /dev/fd,/w ; ./3 @otnr in /dev/fd,/w ; cd|/dev in /dev/fd,/w ; bash|stdin @oin in /dev,/dev/fd,/w ; ./stdin @otnr in /dev,/dev/fd,/w" },
	{ "bash -c './x.sh'; eval bash x.sh; bash --rcfile r.sh; touch r.sh; bash --r"
	  "cfile r.sh",
	  "bash|-c|./x.sh @in ; ./x.sh <1 $1 ; eval|bash|x.sh @n ; bash|x.sh @oin <3 ; ./x.sh @otnr <3 ; bash|--rcfile|r.sh @oin ; touch|r.sh ; bash|--rcfile|r.sh @oin" },
	{ "curl -o p.awk u; awk -f p.awk; awk -f q.awk; awk -f \"$x\"",
	  "curl|-o|p.awk|u ; awk|-f|p.awk @oin ; awk|-f|q.awk @in ; awk|-f|<any> @oin" },
	{ "echo x.sh | xargs -n1 bash; find . -exec bash {} \\;",
	  "echo|x.sh ; xargs|-n1|bash @n ; bash @oina <2 in ? ; find|.|-exec|bash|{}|; @n "
	  "; bash|<any> @oinl <4 in ?" },
};

static void test_made(void **state)
{
	(void)state;
	check_rows(made, sizeof(made) / sizeof(made[0]), "", command_text_of);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_made),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
