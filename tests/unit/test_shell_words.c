/* Words as bash reads them: what each becomes, and what is not known of it. */
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
	{ "p a 'b c' \"d e\"",
	  "p|a|b c|d e" },
	{ "p a'b'\"c\"\\d$'e'",
	  "p|abcde" },
	{ "p '' \"\" $'' a\"\"",
	  "p||||a" },
	{ "p \"a\\$b\\`c\\\"d\\\\e\\f\" 'a\\b'",
	  "p|a$b`c\"d\\e\\f|a\\b" },
	{ "p a\\ b \\'c \\\"d \\\\e \\$f",
	  "p|a b|'c|\"d|\\e|$f" },
	{ "p a\\\nb \"c\\\nd\" 'e\\\nf' $'g\\\nh'",
	  "p|ab|cd|e\\\nf|g\\\nh" },
	{ "p $'\\a\\b\\e\\E\\f\\n\\r\\t\\v\\\\\\'\\\"\\?'",
	  "p|\007\010\033\033\014\n\015\t\013\\'\"?" },
	{ "p $'\\101\\x41\\u0041\\U00000041\\cA\\c?' $'a\\0b'c $'\\x00a'x",
	  "p|AAAA\001\177|ac|x" },
	{ "p $'\\x{41}' $'\\u00e9' $'\\q\\xg\\ug' $'\\8'",
	  "p|<any>|<any>|\\q\\xg\\ug|\\8" },
	{ "p $v ${v} \"$v\" a$v\"b\"$w",
	  "p|<multi>|<multi>|<any>|a<multi>" },
	{ "p $1 $12 $@ $* \"$@\" \"$*\" $# $? $$ $! $- \"a$@b\"",
	  "p|<multi>|<multi>2|<multi>|<multi>|<multi>|<any>|<multi>|<multi>|<mu"
	  "lti>|<multi>|<multi>|a<multi>b" },
	{ "p $ a$ \"$\" \"a$ b\" $/ $= $%",
	  "p|$|a$|$|a$ b|$/|$=|$%" },
	{ "p ${v:-a b} \"${v:-a b}\" ${v:+$(p1)} ${v:=x} ${a[0]:=y}",
	  "p|<multi>|<any>|<multi>|<multi>|<multi> ; p1 @s ; set v=  ; set a[]="
	  " " },
	{ "p ${v#*/} ${v%%.c} ${v/a/$(p1)} ${v^^} ${v,,a} ${v@Q} ${v@P}",
	  "p|<multi>|<multi>|<multi>|<multi>|<multi>|<multi>|<multi> @e ; p1 @s" },
	{ "p ${v:1} ${v:0:2} ${v:i} ${v: -1} ${v:$n}",
	  "p|<multi>|<multi>|<multi>|<multi>|<multi> @e" },
	{ "p ${#v} ${#} ${#@} ${#a[@]} ${!v} ${!v*} \"${!v@}\" ${!a[@]} ${!#}",
	  "p|<multi>|<multi>|<multi>|<multi>|<multi>|<multi>|<multi>|<multi>|<m"
	  "ulti> @e" },
	{ "p \"${a[@]}\" \"${a[*]}\" ${a[i+1]} ${a[0]} ${a[$(p1)]}",
	  "p|<multi>|<any>|<multi>|<multi>|<multi> @e ; p1 @s" },
	{ "p ${x#\"}\"} ${x:-'}'} ${x:-\\}} ${x:-{}}",
	  "p|<multi>|<multi>|<multi>|<multi>}" },
	{ "p \"${x:-\"a b\"}\" \"${x:-'a'}\" \"${x#'}'}\"",
	  "! p|<any>|<any>|<any>" },
	{ "p ${v ${1a}",
	  "! p ; <multi>" },
	{ "p ${} ${/} ${v!} ${#v:-x}",
	  "! p|<multi>|<multi>|<multi>|<multi>" },
	{ "p ${ ls; }",
	  "! p|<multi>" },
	{ "p $(a) \"$(b \"c d\")\" $(d | e) `f` \"`g \\\"h\\\"`\" `i \\`j\\``",
	  "p|<multi>|<any>|<multi>|<multi>|<any>|<multi> ; a @s ; b|c d @s ; d "
	  "@sp ; e @sp ; f @s ; g|h @s ; i|<multi> @s ; j @s" },
	{ "p $((1+2)) $((v)) $(($x*2)) \"$((a[$(q)]))\" $[1+v]",
	  "p|<multi>|<multi>|<multi>|<any>|<multi> @e ; q @s" },
	{ "p $((ls); (rm x))",
	  "! p|<multi> @e ; ls @su ; rm|x @su" },
	{ "p $( (ls); (rm x))",
	  "p|<multi> ; ls @su ; rm|x @su" },
	{ "p * a? [ab] [!a]* *.c ./* \"*\" \\* '['",
	  "p|<glob:*>|a<glob:?>|<glob:[ab]>|<glob:[!a]><glob:*>|<glob:*>.c|./<g"
	  "lob:*>|*|*|[" },
	{ "p [a a] [] [ ab[c\"]\" [[:alpha:]]x",
	  "p|[a|a]|[]|[|ab<glob:>|<glob:>" },
	{ "p ['a']b [$v]c [\"]\"x",
	  "p|<glob:>|<multi>|<glob:>" },
	{ "p ~ ~/x ~root ~+ ~- a~ \"~\" ~\"/x\" \\~ ~$v",
	  "p|<home>|<home>/x|<any>|<any>|<any>|a~|~|~/x|~|<any><multi>" },
	{ "p k=~ k=~/x k=a:~/b --k=~ k='a':~ k=a\\:~ ",
	  "p|k=<home>|k=<home>/x|k=a:<home>/b|--k=~|k=a:<home>|k=a:<any>" },
	{ "p {a,b} {a,b}{c,d} x{,y}z {1..3} {a..c} {01..03} {3..1} {1..9..4}",
	  "p|a|b|ac|ad|bc|bd|xz|xyz|1|2|3|a|b|c|01|02|03|3|2|1|1|5|9" },
	{ "p {} {a} {a,b {a,b}} {{a,b}} {a,{b,c} {a,b}{c {}{a,b} x{}y,z}",
	  "p|{}|{a}|{a,b|a}|b}|{a}|{b}|{a,b|{a,c|a{c|b{c|{}a|{}b|x}y|xz" },
	{ "p \"{a,b}\" \\{a,b} {a\\,b} {'a,b'} {a,\"b,c\"} {a,$(p1 x,y)} {$v,w}",
	  "p|{a,b}|{a,b}|{a,b}|{a,b}|a|b,c|a|<multi>|<multi>|w ; p1|x,y @s" },
	{ "p {a..z..q} {1..a} {1..} {..3} {Z..a} {1..99999999999} ${v}{a,b} $v{"
	  "1..2}",
	  "p|{a..z..q}|{1..a}|{1..}|{..3}|<multi>|<multi>|<multi>a|<multi>b|<mu"
	  "lti>|<multi>" },
	{ "p <(a b) >(c) x<(d)y",
	  "p|<any>|<any>|x<any>y ; a|b @s ; c @s ; d @s" },
	{ "p $\"loc\" \"a\"$\"b\"",
	  "p|loc|ab" },
	{ "p =rm a=b =x %1 @ + , a!b ^",
	  "p|=rm|a=b|=x|%1|@|+|,|a!b|^" },
	{ "p # comment",
	  "p" },
	{ "p a#b #c ; rm",
	  "p|a#b" },
	{ "p {a,b}=c HEAD@{1} HEAD^{} stash@{0}",
	  "p|a=c|b=c|HEAD@{1}|HEAD^{}|stash@{0}" },
	{ "p \"$$(a)\" $$x \"$$x\"",
	  "! p|<any>|<multi>x|<any>x ; a @s" },
	{ "p k=a:~/b{,x} {~,a}/b",
	  "p|k=a:~/b|k=a:~/bx|<home>/b|a/b" },
	{ "p $'\\''{a,b} $'\"'{a,b}",
	  "p|'a|'b|\"a|\"b" },
	{ "p ~<(a) a~<(b)",
	  "p|<any><any>|a~<any> ; a @s ; b @s" },
	{ "p '' \"$@\" \"\"$@ \"$v$@\"",
	  "p||<multi>|<multi>|<any><multi>" },
	{ "p \"${v%'}'}\" \"${v//'/'}\"",
	  "p|<any>|<any>" },
	{ "p ${v:-$'}'} ${v:=<(a)}",
	  "p|<multi>|<multi> ; set v=  ; a @s" },
	{ "p $((1+\"2\")) $((\"$v\")) $((16#ff)) $(( 0x1f ))",
	  "p|<multi>|<multi>|<multi>|<multi> @e" },
	{ "p {a..e..2} {e..a} {-01..1} {0..-2} {+1..3} {1..2..x}",
	  "p|a|c|e|e|d|c|b|a|-01|000|001|0|-1|-2|<multi>|{1..2..x}" },
	{ "p $'a'\"b\"{c,d}$'e'",
	  "p|abce|abde" },
	{ "p a\\\n",
	  "p|a" },
	{ "p \\",
	  "p|\\" },
	{ "p $\"a$(b)\"",
	  "p|a<any> ; b @s" },
	{ "p \"a\nb\" 'c\nd'",
	  "p|a\nb|c\nd" },
	{ "p *[!a-c]?.[ch]",
	  "p|<glob:*><glob:[!a-c]><glob:?>.<glob:[ch]>" },
	{ "p ${v}[a]$w ${v}[a",
	  "p|<multi>|<multi>[a" },
	{ "p \"$\"a \"$\" '$'a \\$a",
	  "p|$a|$|$a|$a" },
	{ "p ${10} ${-} ${?} ${$} \"${#}\" ${!}",
	  "p|<multi>|<multi>|<multi>|<multi>|<any>|<multi>" },
	{ "p ${!v} ${!1} ${!v[1]}",
	  "p|<multi>|<multi>|<multi> @e" },
	{ "p $v[1] \"$v[1]\" $1a",
	  "p|<multi>|<any>[1]|<multi>a" },
	{ "p $(a # ' \"\n)-{b,c}",
	  "p|<multi> ; a @s" },
	{ "p {a,\\\nb}{c,d\\\n} x\\\n{},y}",
	  "p|ac|ad|bc|bd|x}|xy" },
	{ "p {a,$(case b in b) c;; esac)}z",
	  "p|<multi> ; case b @s ; c @sr" },
	{ "p $v{,a}[b-c]? $v]a ${v}ab$w x$v\"c\"$w",
	  "p|<multi><glob:?>|<multi><glob:?>|<multi>a|<multi>|x<multi>" },
	{ "p k=a=~/x k=~b=~/y",
	  "p|k=a=<any>/x|k=<any><any>/y" },
	{ "p $(a $'\\''){b,c} \"$(a $'\\'')\"{d,e} $(a \"$'b\"){c,d}",
	  "p|<multi>b|<multi>c|<any>d|<any>e|<multi>c|<multi>d ; a|' @s ; a|' @s"
	  " ; a|$'b @s" },
	{ "p `a`{b,c} \"$(a {b,c})\"{d,e}",
	  "p|<multi>b|<multi>c|<any>d|<any>e ; a @s ; a|b|c @s" },
};

static void test_words_of_bash(void **state)
{
	(void)state;
	check_rows(rows, sizeof(rows) / sizeof(rows[0]), SH_BASH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words_of_bash),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
