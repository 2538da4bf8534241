/* The values of variables in the parts of a line (runtime/line/var.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ROWS_ON_HOST false
#include "tests/unit/command_rows.h"

#define ROWS(name, facts)                                               \
	static void test_##name(void **state)                           \
	{                                                               \
		(void)state;                                            \
		check_rows(name, sizeof(name) / sizeof(name[0]), facts, \
			   command_text_of);                            \
	}

static const struct row straight[] = {
	{ "D=build; p \"$D\" $D ${D} \"${D}\" $D/x y\"$D\"z \"$D $D\" '$D' \\$D",
	  "p|build|build|build|build|build/x|ybuildz|build build|$D|$D" },
	{ "A=a; B=$A/b; C=\"${B}c\"; p $C; A=x; p $A $B", "p|a/bc ; p|x|a/b" },
	{ "A=1 B=$A; p $B; A=2 p \"$A\" $B; p $A",
	  "p|1 ; p|1|1 ; p|1 ; p|2" },
	{ "A=x p $A; p $A",
	  "p|<multi> ; p|<multi>" },
	{ "p $A; A=x", "p|<multi>" },
	{ "A=\"$B\"; p \"$A\"; A=$(b); p \"$A\"; A=~/x; p \"$A\"; A=$1; p \"$A\"",
	  "p|<any> ; b ; p|<any> ; p|<any> ; p|<any>" },
	{ "A='a b'; p \"$A\" $A; A='*'; p \"$A\" $A; A=; p \"$A\" x$A; A='a\\b'; p $A",
	  "p|a b|a|b ; p|*|<multi> ; p||x<multi> ; p|<multi>" },
	{ "A=rm; $A -rf x; \"$A\" y; A='rm x'; $A; \"$A\"",
	  "rm|-rf|x @n ; rm|y @n ; <multi> ; <any>" },
	{ "A=f; p >$A 2>\"$A\".log <x$A <<<\"$A\"; sh <<E\nrm $A\nE",
	  "p ; file w f <1 ; file w f.log <1 ; file r xf <1 ; sh @in ; rm|f @n <5 $5" },
	{ "export A=x B; p $A; export B=$A; p $B; export C=$Z; p \"$C\"; declare D=x; "
	  "p $D",
	  "export|A=x|B ; p|x ; export|B=x ; p|x ; export|C=<multi> ; p|<any> ; "
	  "declare|D=x ; p|x" },
	{ "A=x; export A; p $A; A=y:~; p $A; A+=z; p $A",
	  "export|A ; p|<multi> ; p|<multi> ; p|<multi>" },
	{ "A=x; p \"${A:-y}\" \"${A%x}\" \"${#A}\" \"${!A}\"",
	  "p|<any>|<any>|<any>|<multi> @o" },
	{ "A=x; p \"${A:-y}\" \"${A%x}\" \"${#A}\" $A", "p|<any>|<any>|<any>|x" },
	{ "A=x; p $A] [$A] {$A,b}", "p|x]|<multi>|x|b" },
	{ "A='a\nb'; p \"$A\"; A=$'\\x41'; p $A; A=$\"m\"; p \"$A\"; A=1; p $\"$A\"",
	  "p|a\nb ; p|A ; p|<any> ; p|<any> ; p|<any> @r" },
};
ROWS(straight, "")

static const struct row branches[] = {
	{ "A=1; if c; then A=2; fi; p $A", "c ; p|1 ; p|2" },
	{ "if c; then A=2; else A=3; fi; p $A", "c ; p|2 ; p|3" },
	{ "if c; then A=2; fi; p $A", "c ; p|<multi>" },
	{ "if c; then A=1; elif d; then A=2; else A=3; fi; p $A",
	  "c ; d ; p|1 ; p|2 ; p|3" },
	{ "A=1; c && A=2; p $A; c || A=3; p $A",
	  "c ; p|1 ; p|2 ; c ; p|1 ; p|2 ; p|3" },
	{ "c && A=1 && p $A; p $A", "c ; p|1 ; p|<multi>" },
	{ "c && A=1 || A=2; p $A", "c ; p|1 ; p|2" },
	{ "A=1; case $A in a) A=2;; b) p $A;& *) A=3;; esac; p $A",
	  "p|1 ; p|2 ; p|1 ; p|2 ; p|3" },
	{ "case $x in a) A=2;; *) A=3;; esac; p $A", "p|2 ; p|3" },
	{ "case $x in *) A=2;; b) A=3;; esac; p $A", "p|2 ; p|3" },
	{ "case $x in a) A=2;; \"*\") A=3;; esac; p $A", "p|<multi>" },
	{ "case $x in a) A=2;; *) ;; esac; p $A", "p|<multi>" },
	{ "A='a b'; for f in $A 'c d'; do p \"$f\"; done", "p|a ; p|b ; p|c d" },
	{ "A=' a  b '; p x$A $A\"y\"", "p|x|a|b|a|b|y" },
	{ "A='a b'; IFS=b; p $A", "p|<multi> @ov" },
	{ "A='a b' B='A=c D=e'; export $B; p $A $D", "export|<multi> @o ; p|<multi>|<multi> @ov" },
	{ "A=1; (A=2; p $A); p $A; A=3 | p $A; x | A=4; p $A; { A=5; } & p $A",
	  "p|2 ; p|1 ; p|1 ; x ; p|1 ; p|4 ; p|1 ; p|4" },
	{ "A=1; p \"$(A=2; p $A)\" $A; A=3 B=$(p $A); p <(A=4; p $A)",
	  "p|<any>|1 ; p|2 ; p|<multi> ; p|<any> ; p|4" },
	{ "A=1; { A=2; } >f; p $A; { A=3; } 2>/dev/null; p $A; A=4 <g; p $A",
	  "file w f ; p|1 ; p|2 ; file w /dev/null ; p|1 ; p|2 ; p|3 ; file r g ; "
	  "p|1 ; p|2 ; p|3 ; p|4" },
	{ "A=1; cat <<E; A=2\n$(p $A) $A\nE\np $A", "cat ; p|<multi> ; p|2" },
};
ROWS(branches, "")

static const struct row loops[] = {
	{ "for f in a.ts b.ts; do p \"$f\"; done; p $f",
	  "p|a.ts ; p|b.ts ; p|<multi>" },
	{ "for f in a b; do p $f >$f.log; done",
	  "p|a ; file w a.log <1 ; p|b ; file w b.log <3" },
	{ "for f in a b; do for g in 1 2; do p $f$g; done; done",
	  "p|a1 ; p|b1 ; p|a2 ; p|b2" },
	{ "for f in a b; do p $f x$f; done; for f in; do p $f; done; for f; do p $f; "
	  "done",
	  "p|a|xa ; p|b|xb ; p|<multi> ; p|<multi>" },
	{ "for f in *.c; do p \"$f\"; done; for f in $X; do p $f; done; for f in a "
	  "$(b); do p $f; done",
	  "p|<any> ; p|<multi> ; b ; p|<multi>" },
	{ "A=1; while c; do p $A; A=2; done; p $A", "c ; p|1 ; p|2 ; p|1 ; p|2" },
	{ "A=1; while c; do p $A; A=$A/x; done; p $A", "c ; p|<multi> ; p|<multi>" },
	{ "while c; do p $A; A=2; done; p $A", "c ; p|<multi> ; p|<multi>" },
	{ "A=1; for i in 1 2; do A=2; break; A=3; done; p $A",
	  "break ; p|1 ; p|2 ; p|3" },
	{ "A=1; until A=2; do p $A; done; p $A", "p|2 ; p|1 ; p|2" },
	{ "select f in a b; do p $f; done", "p|<multi>" },
	{ "for f in {1..3}; do p $f; done; for f in {1..20}; do p $f; done",
	  "p|1 ; p|2 ; p|3 ; p|<multi>" },
	{ "for f in a b; do read f; p $f; done", "read|f ; p|<multi>" },
	{ "for f in a b; do $f x; done", "<multi>|x" },
};
ROWS(loops, "")

static const struct row functions[] = {
	{ "D=a; f() { p $D; D=b; }; f; p $D", "p|a ; p|b ; f @v ; p|a ; p|b" },
	{ "f() { p $D; }; D=a; f; D=b; f", "p|<multi> ; f @v ; f @v" },
	{ "D=a; f() { p $D; }; f; D=b; f", "p|a ; p|b ; f @v ; f @v" },
	{ "f() { local D=x; p $D; }; D=a; f; p $D",
	  "local|D=x ; p|x ; p|a ; f @v ; p|x ; p|a" },
	{ "f() { local D; p $D; }; D=a; f; p $D",
	  "local|D ; p|<multi> ; f @v ; p|<multi>" },
	{ "D=a; local D=b; p $D", "local|D=b ; p|<multi>" },
	{ "D=a; f() { p $D; }; D=b f", "p|a ; p|b ; f @v" },
	{ "D=a; f() { p $D; }; export -f f", "p|<multi> ; export|-f|f" },
	{ "D=a; set -a; f() { p $D; }", "set|-a ; p|<multi>" },
	{ "D=a; f() { p $D; }; eval x; f", "p|<multi> ; eval|x @n ; x <2 ; f @v" },
	{ "D=a; f() { eval x; }; p $D", "eval|x @n ; x <1 ; p|<multi>" },
	{ "export() { x; }; export D=a; p $D", "x ; export|D=a @v ; p|<multi>" },
};
ROWS(functions, "")

static const struct row lost[] = {
	{ "D=a; read D; p $D", "read|D ; p|<multi>" },
	{ "D=a; x | while read D; do p $D; done", "x ; read|D ; p|<multi>" },
	{ "D=a; IFS= read -r E; p $D $E", "read|-r|E ; p|a|<multi>" },
	{ "D=a; unset D; p $D", "unset|D ; p|<multi>" },
	{ "D=a; eval x; p $D; D=b; p $D", "eval|x @n ; x <1 ; p|<multi> ; p|<multi>" },
	{ "D=a; p $D; . x; D=b; p $D", "p|a ; .|x ; p|<multi>" },
	{ "D=a; (source x); p $D", "source|x ; p|a" },
	{ "D=a; $X y; p $D", "<multi>|y ; p|<multi>" },
	{ "D=a; declare -i D; p $D", "declare|-i|D @o ; p|<multi>" },
	{ "D=a; declare -n R=D; p $D", "declare|-n|R=D ; p|<multi> @ov" },
	{ "D=a; readonly D=b; p $D", "readonly|D=b ; p|<multi>" },
	{ "D=a; printf -v D x; p $D; printf %s D; p $D",
	  "printf|-v|D|x ; p|<multi> ; printf|%s|D ; p|<multi>" },
	{ "D=a; printf %s D; p $D; printf \"$X\" D; p $D",
	  "printf|%s|D ; p|a ; printf|<any>|D @o ; p|<multi>" },
	{ "D=a; mapfile D; p $D", "mapfile|D ; p|<multi>" },
	{ "D=a; getopts ab D; p $D", "getopts|ab|D ; p|<multi>" },
	{ "D=a; D[0]=b; p $D; E=(a b); p $E", "p|<multi> ; p|<multi>" },
	{ "D=a; : ${D:=b}; p $D", ":|<multi> ; p|<multi>" },
	{ "D=a; : $((D=5)); p $D", ":|<any> ; p|<multi>" },
	{ "D=a; ((D++)); p $D", "((|<multi> @o ; p|<multi>" },
	{ "D=a; [ $X = y ]; p $D", "[|<multi>|=|y|] @o ; p|<multi>" },
	{ "D=a; [ \"$X\" = y ]; p $D; [ -n \"$X\" ]; p $D",
	  "[|<any>|=|y|] ; p|a ; [|-n|<any>|] ; p|a" },
	{ "D=a; trap x EXIT; p $D; trap x INT; p $D",
	  "trap|x|EXIT @n ; x <1 ; p|a ; trap|x|INT @n ; x <4 ; p|<multi>" },
	{ "D=a; trap x DEBUG; p $D", "trap|x|DEBUG @n ; x <1 ; p|<multi>" },
	{ "D=a; alias x=y; p $D", "alias|x=y ; y @a <1 ; p|<multi>" },
	{ "D=a; command unset D; p $D; E=a; command -v x; p $E; command export E=b; p "
	  "$E",
	  "command|unset|D @tn ; unset|D <1 ; p|<multi> ; command|-v|x @n ; p|a ; "
	  "command|export|E=b @tn ; export|E=b <6 ; p|b" },
	{ "D=a; builtin eval x; p $D",
	  "builtin|eval|x @tn ; eval|x @n <1 ; x <2 ; p|<multi>" },
	{ "D=a; coproc D { x; }; p $D", "x ; p|<multi>" },
	{ "D_PID=a; coproc D { x; }; p $D_PID", "x ; p|<multi>" },
	{ "D=a; exec {D}>f; p $D", "exec @n ; file w f <1 ; p|<multi>" },
	{ "RANDOM=a; p $RANDOM; HOME=b; p $HOME; UID=1; D=a; p $D",
	  "unparsed @o ; p|<multi> ; p|<multi> @ov ; p|<multi> @ov" },
	{ "D=a; IFS=b; p $D \"$D\"", "p|<multi>|a @ov" },
	{ "D=a; while IFS= read -r x; do p $D; done", "read|-r|x ; p|a" },
	{ "D=a; PS4='${D:=x}'; p $D", "p|<multi> @ov" },
	{ "D=a; break x; p $D; D=a; break 1; p $D",
	  "break|x ; p|<multi> ; break|1 ; p|<multi>" },
};
ROWS(lost, "")

static const struct row numbers[] = {
	{ "n=0; n=$((n+1)); p $n \"$n\"; [ $n -lt 3 ]; p $((n * 2 - (n % 3)))",
	  "p|<any>|<any> ; [|<any>|-lt|3|] ; p|<any>" },
	{ "i=0; while [ $i -lt 5 ]; do p $i; i=$((i+1)); done",
	  "[|<any>|-lt|5|] ; p|<any>" },
	{ "i=0; while ((i < 5)); do ((i++)); done; p $i",
	  "((|<multi> ; ((|<multi> ; p|<any>" },
	{ "for i in 1 2; do p $((i+1)); done; p $#; n=$#; p $((n+1)) x$n",
	  "p|<any> ; p|<any> ; p|<any>|x<any>" },
	{ "p $((n+1)); D=a; p $D", "p|<multi> @o ; p|<multi>" },
	{ "n=08; p $((n+1)); D=a; p $D", "p|<multi> @o ; p|<multi>" },
	{ "n=x; p $((n+1)); D=a; p $D", "p|<multi> @o ; p|<multi>" },
	{ "n=1; p $((n/0)); D=a; p $D", "p|<multi> @o ; p|<multi>" },
	{ "n=1; p $((6/n)); D=a; p $D", "p|<multi> @o ; p|<multi>" },
	{ "n=1; p $((n+)); D=a; p $D", "p|<multi> @o ; p|<multi>" },
	{ "n=1; p $((n++5)) ; D=a; p $D", "p|<multi> @o ; p|<multi>" },
	{ "n=-1; p $((2-$n)); D=a; p $D", "p|<multi> @o ; p|<multi>" },
	{ "n=1; p ${n}$(( ${n}5 )); D=a; p $D", "p|<multi> @o ; p|<multi>" },
	{ "n=1; p $((a[n])); D=a; p $D", "p|<multi> @o ; p|<multi>" },
	{ "n=1; n=x m=$((n)); D=a; p $D", "unparsed @o ; p|<multi>" },
	{ "n=1; m=2 n=$((m+n)); p $n $m", "unparsed @o ; p|<multi>|<multi>" },
	{ "n=1; { p; } >f$((n=n+1)); p $n", "p ; unparsed @o ; file w ? ; p|<multi>" },
	{ "n=1; p $((UID=n)); D=a; p $D", "p|<multi> @o ; p|<multi>" },
	{ "n=1; p $((n=n+1)); p $n; IFS=1; p $n $((n+1))",
	  "p|<multi> ; p|<multi> ; p|<multi>|<multi> @ov" },
	{ "n=1; f() { n=$((n+1)); }; n=a; f; p $n", "unparsed @o ; f @v ; p|<multi>" },
	{ "n=1; [[ $n -lt 3 ]]; p $n",
	  "[[|<multi>|-lt|3|]] @o ; p|<multi>" },
};
ROWS(numbers, "")

static const struct row nested[] = {
	{ "bash -c 'D=a; p $D'; sh -c 'D=a; p $D'; bash -ec 'D=a; p $D'",
	  "bash|-c|D=a; p $D @in ; p|a <1 $1 ; sh|-c|D=a; p $D @in ; p|a <3 $3 ; "
	  "bash|-ec|D=a; p $D @in ; p|a <5 $5" },
	{ "D=a; bash -c 'p $D'; bash -c \"p $D\"",
	  "bash|-c|p $D @in ; p|<multi> <1 $1 ; bash|-c|p a @in ; p|a <3 $3" },
	{ "eval 'D=a; p $D'; trap 'D=a; p $D' EXIT",
	  "eval|D=a; p $D @n ; p|<multi> <1 ; trap|D=a; p $D|EXIT @n ; p|<multi> <3" },
	{ "f() { x; }; bash -c 'D=a; p $D'",
	  "x ; bash|-c|D=a; p $D @in ; p|<multi> <2 $2" },
	{ "bash -kc 'D=a; p $D'; zsh -c 'D=a; p $D'",
	  "bash|-kc|D=a; p $D @in ; p|<multi> <1 $1 ; zsh|-c|D=a; p $D" },
	{ "bash -c 'D=a; f() { p $D; }; f'",
	  "bash|-c|D=a; f() { p $D; }; f @in ; p|<multi> <1 $1 ; f @v <1 $1" },
	{ "D=c; for f in a b; do sh -c \"rm $f $D\"; done",
	  "sh|-c|rm a c @in ; rm|a|c @n <1 $1 ; sh|-c|rm b c @in ; rm|b|c @n <3 $3" },
};
ROWS(nested, "")

static const struct row posix[] = {
	{ "D=a; p $D; export D=b; p $D; export D=$X; p $D; local D=c",
	  "p|<multi> ; export|D=b ; p|<multi> ; export|D=<multi> ; p|<multi> ; "
	  "local|D=c" },
	{ "D=a; D=b :; p $D; D=c; p $D",
	  ": ; p|a ; p|b ; p|c" },
	{ "D=a; p $D; echo $((D+1)); p $D", "p|<multi> ; echo|<multi> ; p|<multi>" },
	{ "for f in a b; do p $f; done; f() { local D=x; p $D; }",
	  "p|a ; p|b ; local|D=x ; p|x" },
};
ROWS(posix, "dialect posix\n")

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_straight), cmocka_unit_test(test_branches),
		cmocka_unit_test(test_loops),    cmocka_unit_test(test_functions),
		cmocka_unit_test(test_lost),     cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_nested),   cmocka_unit_test(test_posix),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
