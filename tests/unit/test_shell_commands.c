/* Commands of bash: what a line runs, what it assigns and redirects, and what is
 * still read behind an error. */
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
	{ "a; b & c && d || e | f |& g\na\nb\n\nc",
	  "a ; b @b ; c ; d @r ; e @pr ; f @pr ; g @pr ; a ; b ; c" },
	{ "a | b & c",
	  "a @pb ; b @pb ; c" },
	{ "! a | b; ! ! a; time a; time -p a | b; time -- a; time; time -v a; a"
	  " | time b",
	  "a @p ; b @p ; a ; a @t ; a @pt ; b @pt ; a @t ; -v|a @t ; a @p ; tim"
	  "e|b @p" },
	{ "{ a; }; (b; c); { d\n} >f 2>&1",
	  "a ; b @u ; c @u ; d ; group >f 2>&1" },
	{ "if a; then b; elif c; then d; else e; fi",
	  "a ; b @r ; c @r ; d @r ; e @r" },
	{ "if a; then b; fi | c",
	  "a @p ; b @pr ; c @p" },
	{ "while a; do b; done <f; until a; do b; done &",
	  "a @l ; b @l ; group <f ; a @lb ; b @lb" },
	{ "for i in a b$v *; do c; done; for i; do d; done; for i do e; done",
	  "loop i a|b<multi>|<glob:*> @l ; c @l ; loop i @l ; d @l ; loop i @l "
	  "; e @l" },
	{ "for i\nin a\ndo b; done",
	  "loop i a @l ; b @l" },
	{ "for i in a; { b; }; for ((i=0;i<$(n);i++)); do c; done; for ((;;)) {"
	  " d; }",
	  "loop i a @l ; b @l ; ((|<multi> @le ; n @ls ; c @l ; ((|<multi> @l ;"
	  " d @l" },
	{ "select s in a b; do c; done",
	  "loop s a|b @l ; c @l" },
	{ "case $x in a|b) c;; (d) e;& $(f)) g;;& *) h; esac",
	  "case <multi> ; c @r ; e @r ; f @sr ; g @r ; h @r" },
	{ "case x in esac; case a in\nb) ;; c) d ;;\nesac",
	  "case x ; case a ; d @r" },
	{ "f() { a; b; }; f; g () ( c ) >x; function h { d; }; function i() { e"
	  "; } 2>y",
	  "function f ; a @f ; b @f ; f ; function g ; c @uf ; group >x @f ; fu"
	  "nction h ; d @f ; function i ; e @f ; group 2>y @f" },
	{ "f() if a; then b; fi",
	  "function f ; a @f ; b @rf" },
	{ "f-x.y() { a; }; function a=b { c; }",
	  "function f-x.y ; a @f ; function a=b ; c @f" },
	{ "coproc a b; coproc { c; }; coproc N { d; }; coproc N (e); coproc whi"
	  "le a; do b; done",
	  "a|b @ubc ; c @ubc ; d @ubc ; e @ubc ; a @lubc ; b @lubc" },
	{ "[[ a ]] && b; [[ -f $x && ! ( a < b || c -nt d ) ]]; [[ $a == *.c ]]"
	  "; [[ a =~ ^(b|c d)$ ]]",
	  "[[|a|]] ; b @r ; [[|-f|<multi>|&&|!|(|a|<|b||||c|-nt|d|)|]] ; [[|<mu"
	  "lti>|==|<glob:*>.c|]] ; [[|a|=~|^<glob:>$|]]" },
	{ "[[ -v a[$(x)] ]]; [[ a -eq b ]]; [[ 1 -lt 2 ]]; [[ -n \"$(p1)\" ]]",
	  "[[|-v|a<multi>|]] @e ; x @s ; [[|a|-eq|b|]] @e ; [[|1|-lt|2|]] ; [[|"
	  "-n|<any>|]] ; p1 @s" },
	{ "[[ a\n&& b ]]",
	  "[[|a|&&|b|]]" },
	{ "[[ ]]; rm x",
	  "! [[ ; ]] ; rm|x" },
	{ "[[ a b c ]]; rm x",
	  "! [[|a|b ; c|]] ; rm|x" },
	{ "((1+2)); ((a++)); (( $(p1) )); ((a)) || b",
	  "((|<multi> ; ((|<multi> @e ; ((|<multi> @e ; p1 @s ; ((|<multi> @e ;"
	  " b @r" },
	{ "((a); b)",
	  "! ((|<multi> @e ; a @u ; b @u" },
	{ "a=1; a=1 b=2 c d=3; a+=x; a[1]=y; a[i]+=z; a[$(p)]=w",
	  "a=1  ; a=1 b=2 c|d=3 ; a+=x  ; a[]=y  ; a[]+=z  @e ; a[]=w  @e ; p @"
	  "s" },
	{ "a=$v b=\"$v\" c=$(p) d=~/x e=x:~ f=* g={a,b} h",
	  "a=<any> b=<any> c=<any> d=<home>/x e=x:<home> f=* g={a,b} h ; p @s" },
	{ "a=(x 'y z' $v {1,2}) b=() c+=( d\n# comment\ne ) f=([1]=x [i]=y)",
	  "a=(x|y z|<multi>|1|2) b=() c+=(d|e) f=(x|y)  @e" },
	{ "declare -a a=(1 $(p)) b=c; export x=$(q); local y=(z); echo q=(a)",
	  "! declare|-a|a=<any>|b=c ; p @s ; export|x=<multi> ; q @s ; local|y="
	  "<any> ; echo|q= ; a" },
	{ "A=b\\\nc d",
	  "A=bc d" },
	{ "a >b <c >>d >|e <>f 2>g 3<&0 4>&- 2>&1 >&h &>i &>>j",
	  "a >b <c >>d >|e <>f 2>g 3<&0 4>&- 2>&1 >&h &>i &>>j" },
	{ ">a b; <a; 2>a c 10>d; a2>b; a 2 >b",
	  "b >a ;  <a ; c 2>a 10>d ; a2 >b ; a|2 >b" },
	{ "a {fd}>b {fd}<&- {x}>>y {fd} >z",
	  "a|{fd} {fd}>b {fd}<&- {x}>>y >z" },
	{ "a <<<b c <<< \"$x y\" <<<$(p)",
	  "a|c <<<b <<<<any> y <<<<multi> ; p @s" },
	{ "a <<E; b\nx $v \\$w `p` $(q \"r s\")\n\"t\" 'u'\nE\nc",
	  "a <<E{x <any> $w <any> <any>\n\"t\" 'u'\n} ; b ; p @s ; q|r s @s ; c" },
	{ "a <<'E' <<-\"F\" | b\n$(no)\nE\n\t$(no)\n\tF\nc",
	  "a <<E{$(no)\n} <<F{$(no)\n} @p ; b @p ; c" },
	{ "a <<-E\n\tx\n\t$(p)\n\tE\nb",
	  "a <<E{x\n<any>\n} ; p @s ; b" },
	{ "a <<E\n\\\nE\nb\\\nc\nE\nd",
	  "a <<E{} ; bc ; E ; d" },
	{ "a <<E\nx",
	  "a <<E{x\n}" },
	{ "a <<E && (b\nx\nE\nc)",
	  "a <<E{x\n} ; b @ur ; c @ur" },
	{ "echo \"$(cat <<E\nx $(p)\nE\n)\" b",
	  "echo|<any>|b ; cat <<E{x <any>\n} @s ; p @s" },
	{ "a <(b <(c)) >(d) && e < <(f) > >(g)",
	  "a|<any>|<any> ; b|<any> @s ; c @s ; d @s ; e <<any> ><any> @r ; f @s"
	  "r ; g @sr" },
	{ "echo \"`a \\`b \\\\\\`c\\\\\\`\\``\"",
	  "echo|<any> ; a|<multi> @s ; b|<multi> @s ; c @s" },
	{ "echo `a \"b c\" | d`; echo \"`echo \\\"e f\\\"`\"",
	  "echo|<multi> ; a|b c @sp ; d @sp ; echo|<any> ; echo|e f @s" },
	{ "$(a) b; $v c; \"$v\" d; ~/e; ./f; p{1,2} g; {a,b} c",
	  "<multi>|b ; a @s ; <multi>|c ; <any>|d ; <home>/e ; ./f ; p1|p2|g ; "
	  "a|b|c" },
	{ "\\if a; 'then' b; i\\f c; \"{\" d; {a; }b",
	  "if|a ; then|b ; if|c ; {|d ; {a ; }b" },
	{ "if; rm x\nthen a; rm b",
	  "! rm|x ; a ; rm|b" },
	{ "a; ) b; rm c",
	  "! a ; b ; rm|c" },
	{ "a ( b; rm c",
	  "! a ; b ; rm|c" },
	{ "a ;; b; ; c && ; rm d",
	  "! a ; b ; c ; rm|d" },
	{ "( ) ; { }; rm x",
	  "! rm|x" },
	{ "a && || b",
	  "! a ; b" },
	{ "for 1 in a; do rm b; done",
	  "! a ; rm|b" },
	{ "for i in a; rm b; done",
	  "! loop i a @l ; rm|b" },
	{ "case a in b rm c;; esac; d",
	  "! case a ; rm|c ; d" },
	{ "echo \"a $(b; rm c",
	  "! echo ; b @s ; rm|c @s ; a ; b @s ; rm|c @s" },
	{ "echo 'a; rm b",
	  "! echo ; a ; rm|b" },
	{ "echo `a; rm b",
	  "! echo ; a ; rm|b" },
	{ "echo ${a; rm b",
	  "! echo ; rm|b" },
	{ "echo \"$(if a) b\"; rm c",
	  "! echo|<any> b ; a @s ; rm|c" },
	{ "{ a; ; rm b; }",
	  "! a ; rm|b" },
	{ "f() a; rm b",
	  "! function f ; a ; rm|b" },
	{ "f(x) { rm a; }",
	  "! f ; x ; rm|a" },
	{ "'f'() { rm a; }",
	  "! f ; rm|a" },
	{ "a | ; rm b",
	  "! a ; rm|b" },
	{ "& a; rm b",
	  "! a ; rm|b" },
	{ "a >; rm b",
	  "! a ; rm|b" },
	{ "a <<; rm b",
	  "! a ; rm|b" },
	{ "if a; then b; fi c; rm d",
	  "! a ; b @r ; c ; rm|d" },
	{ "echo $(a; b) $(\nc\n) $(# x\nd)",
	  "echo|<multi>|<multi>|<multi> ; a @s ; b @s ; c @s ; d @s" },
	{ "a # b; rm c",
	  "a" },
	{ "a\\\nb",
	  "ab" },
	{ "if a\nthen {\nb\n} fi\nshopt -s extglob",
	  "a ; b @r ; shopt|-s|extglob" },
	{ "a !(b|$(c)) @(d)e +(f g)",
	  "! a|! ; b ; <multi> ; c @s ; @ ; d ; e|+ ; f|g" },
	{ "shopt -s extglob; a !(b)",
	  "! shopt|-s|extglob ; a|! ; b" },
	{ "shopt -s extglob\n!(a b)",
	  "! shopt|-s|extglob ; a|b @u" },
	{ "set -euo pipefail; a; set -- -k $v; set +e",
	  "set|-euo|pipefail ; a ; set|--|-k|<multi> ; set|+e" },
	{ "set -k; a",
	  "! set|-k ; a" },
	{ "set -o posix; a",
	  "! set|-o|posix ; a" },
	{ "set $v; a",
	  "! set|<multi> ; a" },
	{ "shopt -s nullglob; a; shopt -s compat44",
	  "! shopt|-s|nullglob ; a ; shopt|-s|compat44" },
	{ "POSIXLY_CORRECT=1; a",
	  "! POSIXLY_CORRECT=1  ; a" },
	{ "alias l='rm x'; l",
	  "alias|l=rm x ; l" },
	{ "eval a=(b); let a=(1)",
	  "eval|a=<any> ; let|a=<any>" },
	{ "time",
	  "" },
	{ "! ",
	  "" },
};

static void test_commands_of_bash(void **state)
{
	(void)state;
	check_rows(rows, sizeof(rows) / sizeof(rows[0]), SH_BASH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_commands_of_bash),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
