/* What dash reads otherwise than bash. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/shell_rows.h"

static const struct row rows[] = {
	{ "p {a,b} $'x' $\"y\" [[ a ]] <(x",
	  "! p|{a,b}|$x|$y|[[|a|]] ; x" },
	{ "p {a,b} $'x' $\"y\" {1..3}",
	  "p|{a,b}|$x|$y|{1..3}" },
	{ "[[ a == b ]]; function f; ((a || b)); time a; select b; coproc c",
	  "[[|a|==|b|]] ; function|f ; a @u ; b @ur ; time|a ; select|b ; copro"
	  "c|c" },
	{ "a <<-'E'` b\n$(c)\nE`\nd",
	  "! a|b <<E`{$(c)\n} ; d" },
	{ "a \"`c \\\"x y\\\"`\" \"${u-`c \\\"x y\\\"`}\" ${v#`c \\\"x y\\\"`} $((`c \\\"x y\\\"`))",
	  "a|<any>|<any>|<multi>|<multi> ; c|x y @s ; c|x y @s ; c|\"x|y\" @s"
	  " ; c|x y @s" },
	{ "p ${u:}=$(q)} r",
	  "! p|<multi>|r ; q @s" },
	{ "a &>b c",
	  "a @b ; c >b" },
	{ "a |& b; rm c",
	  "! a ; b ; rm|c" },
	{ "a 12>b 2>c",
	  "a|12 >b 2>c" },
	{ "a=(b); rm c",
	  "! a=  ; b ; rm|c" },
	{ "a[1]=b c; a+=b c",
	  "a<glob:[1]>=b|c ; a+=b|c" },
	{ "f() a b; f",
	  "function f ; a|b @f ; f" },
	{ "f() { a; }; f-x() { rm b; }",
	  "! function f ; a @f ; f-x ; rm|b" },
	{ "for i in a b; do c; done; for i; do d; done; for i in a; { b; }",
	  "! loop i a|b @l ; c @l ; loop i @l ; d @l ; loop i a @l ; b" },
	{ "case a in (b) c;; d) e; esac",
	  "case a ; c @r ; e @r" },
	{ "case a in b) c;& d) e;; esac",
	  "! case a ; c @r ; d ; e" },
	{ "a <<<b; rm c",
	  "! a ;  <b ; rm|c" },
	{ "a <<E\n$v `p` $(q)\nE\nb",
	  "a <<E{<any> <any> <any>\n} ; p @s ; q @s ; b" },
	{ "! a; ! ! b; rm c",
	  "! a ; b ; rm|c" },
	{ "echo ${v:-a} ${v#b} ${#v} ${v/a/b}",
	  "! echo|<multi>|<multi>|<multi>|<multi>" },
	{ "echo ${v:1}; rm x",
	  "! echo|<multi> ; rm|x" },
	{ "echo ${!v}",
	  "! echo|<multi>" },
	{ "echo $((v+1)) $[1+1] $((a); (b))",
	  "! echo|<multi>|$<glob:[1+1]>|<multi> ; a @su ; b @su" },
	{ "a >&b; rm c",
	  "! a >&b ; rm|c" },
	{ "a 2>&1 <&- >&$v",
	  "a 2>&1 <&- >&<multi>" },
	{ "k=~ p k=~ k=~/x",
	  "k=<home> p|k=<any>|k=<any>/x" },
	{ "ls $'a\\'; rm -rf build #'",
	  "ls|$a\\ ; rm|-rf|build" },
};

static void test_lines_of_dash(void **state)
{
	(void)state;
	check_rows(rows, sizeof(rows) / sizeof(rows[0]), SH_POSIX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines_of_dash),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
