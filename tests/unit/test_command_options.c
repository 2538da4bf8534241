/* How options, values and operands are read, in each reading. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/command_rows.h"

static const struct row options[] = {
	{ "git push -uf origin main",
	  "git|p:push|o:-uf|p:origin|p:main : -u! -f!" },
	{ "git -C x push --force origin",
	  "git|o:-C|v:x|p:push|o:--force|p:origin : -C!=2 --force!" },
	{ "git push origin main --forc; git push --forcee",
	  "git|p:push|p:origin|p:main|o:--forc : --force --force-with-lease --forc* -"
	  "-forc ; git|p:push|o:--forcee : --forcee* --forcee!" },
	{ "git --unknown push; git push -x -f; git push -x -- -f; git push -- -f; git"
	  " -m; git - -f",
	  "git|o:--unknown|vp:push : --unknown* --unknown!=2 ; git|p:push|o:-x|ov:-f "
	  ": -x!=3 -f ; git|p:push|o:-x|ve:--|op:-f : -x!=3 -f ; git|p:push|e:--|p:-f"
	  " : ; git|o:-m : -m! ; git|p:-|o:-f : -f!" },
	{ "git push \"$x\" -f; git push $x -f; git push ./\"$x\" -f; git commit -m "
	  "\"$m\" -f; git -C $x -f",
	  "git|p:push|ope:<any>|ovp:-f : * -f? ; git|p:push|ovpe:<multi>|ovp:-f : * -"
	  "f? ; git|p:push|p:./<any>|o:-f : -f! ; git|p:commit|o:-m|v:<any>|o:-f : -m"
	  "!=3 -f! ; git|o:-C|ovpe:<multi>|ovp:-f : -C!=2 * -f?" },
	{ "git push -u\"$x\" -f; git push --me=\"$x\" -f; git push -m\"$x\" -f; git p"
	  "ush --\"$x\" -f",
	  "git|p:push|o:-u<any>|ov:-f : -u! -* -f? ; git|p:push|o:--me=<any>|ov:-f : --m"
	  "essage=<any> --me* --me=<any> -f? ; git|p:push|o:-m<any>|o:-f : -m!=<any> -f!"
	  " ; git|p:push|oe:--<any>|ovp:-f : --* -f?" },
	{ "rm -rf x; rm -{r,f} x; rm * -rf; rm ./*.c -f; rm -r\"$x\" y; rm -$x; rm --"
	  "rec x; rm --for=$x",
	  "rm|o:-rf|p:x : -r! -f! ; rm|o:-r|o:-f|p:x : -r! -f! ; rm|ope:<glob:*>|ovp:-rf"
	  " : * -r? -f? ; rm|p:./<glob:*>.c|o:-f : -f! ; rm|o:-r<any>|vp:y : -r! -* ; rm"
	  "|ovpe:-<multi> : -* * ; rm|o:--rec|vp:x : --recursive --rec* --rec=2 ; rm|ovp"
	  "e:--for=<multi> : --force=<any> --for* --for=<any> *" },
	{ "rm -- \"$x\" -f; rm -rx; rm -r=f; rm --force=x",
	  "rm|e:--|p:<any>|p:-f : ; rm|o:-rx : -r! -x! ; rm|o:-r=f : -r! ; rm|o:--for"
	  "ce=x : --force!=x" },
	{ "foo -rf x --all=3 y; foo --lo x -; foo -ab=c; foo -x y -z",
	  "foo|o:-rf|vp:x|o:--all=3|p:y : -r=f -f=2 -rf=2 --all* --all!=3 ; foo|o:--l"
	  "o|vp:x|p:- : --lo* --lo!=2 ; foo|o:-ab=c : -a=b=c -b==c -ab=c ; foo|o:-x|v"
	  "p:y|o:-z : -x!=2 -z!" },
	{ "find . -name x -delete -newer y -o -print",
	  "find|p:.|o:-name|v:x|o:-delete|o:-newer|v:y|o:-o|ov:-print : -name!=3 -del"
	  "ete! -newer!=6 -o!=8 -print" },
	{ "find -- . -delete; find -- . -name x -delete; find -- -name -exec a \\;; find . -- -x -print",
	  "find|e:--|p:.|op:-delete : -delete ; find|e:--|p:.|op:-name|vp:x|op:-delete :"
	  " -name=4 -delete ; find|e:--|op:-name|ov:-exec|p:a|p:; : -name=3 -exec ; a : "
	  "; find|e:--|op:-name|v:-exec|p:a|p:; : -name=3 ; find|p:.|e:--|op:-x|ovp:-pri"
	  "nt : -x=4 -print" },
	{ "timeout -s\"$x\" 5 ls; timeout --sig 9 5 ls -l",
	  "timeout|o:-s<any>|p:5|p:ls : -s!=<any> ; ls : ; timeout|o:--sig|vp:9|p:5|p:ls"
	  "|p:-l : --signal=2 --sig* --sig=2 ; 5|p:ls|o:-l : -l!" },
	{ "xargs -I{} -n1 ls {}; xargs -n 1 ls -l",
	  "xargs|o:-I{}|o:-n1|p:ls|p:{} : -I!={} -n!=1 ; ls|ope:<any> : * ; xargs|o:-"
	  "n|v:1|p:ls|p:-l : -n!=2 ; ls|o:-l : -l!" },
	{ "awk -f x y; awk -F: -v a=b '{ z }' -f",
	  "awk|o:-f|v:x|p:y : -f!=2 ; awk|o:-F:|o:-v|v:a=b|p:{ z }|p:-f : -F!=: -v!=3" },
	{ "tar xf a -C b; tar --dir c; tar -xfa; tar -fa -x",
	  "tar|p:xf|p:a|o:-C|v:b : -C!=4 ; tar|o:--dir|vp:c : --directory=2 --dir* --dir"
	  "=2 ; tar|o:-xfa : -x! -f!=a ; tar|o:-fa|o:-x : -f!=a -x!" },
	{ "bash -O extglob +x -c y",
	  "bash|o:-O|vp:extglob|p:+x|p:-c|p:y : -O!=2 ; y :" },
};

/* A global option stands before the subcommand: behind it another one may. */
static const struct row globals[] = {
	{ "git -C x diff -C --output=y; git diff -c core.pager=y",
	  "git|o:-C|v:x|p:diff|o:-C|ov:--output=y : -C!=2 -C!=5 --output* --output=y"
	  " ; git|p:diff|o:-c|vp:core.pager=y : -c!=3" },
};

/* Of a table of its own: what npm does, and an option that takes a value in places. */
static const char manner_table[] =
	"program kit booleans one-dash -a|--all -b -t|--tag: -e|--either:::\n"
	"program bar -a|--all -t|--tag:\n";

static const struct row manners[] = {
	{ "kit --all true x; kit --all FALSE; kit -a null x; kit -ba true; kit --all "
	  "yes; kit --all \"$x\"; bar --all true x",
	  "kit|o:--all|vp:true|p:x : --all!=2 ; kit|o:--all|vp:FALSE : --all!=2 ; "
	  "kit|o:-a|vp:null|p:x : -a!=2 ; kit|o:-ba|vp:true : --ba* --ba=2 -b=2 -a=2 ; "
	  "kit|o:--all|p:yes : --all! ; kit|o:--all|ovpe:<any> : --all!=2 * ; "
	  "bar|o:--all|p:true|p:x : --all!" },
	{ "kit --tag true x; kit --tag=y true",
	  "kit|o:--tag|v:true|p:x : --tag!=2 ; kit|o:--tag=y|p:true : --tag!=y" },
	{ "kit -tag x y; kit -tag=x y; kit -ab; kit -ta x; kit -\"$x\" y; bar -tag x y",
	  "kit|o:-tag|v:x|p:y : --tag!=2 ; kit|o:-tag=x|p:y : --tag!=x ; kit|o:-ab : "
	  "--ab* --ab -a -b ; kit|o:-ta|vp:x : --ta* --ta=2 -t=a ; kit|ope:-<any>|vp:y : "
	  "-* ; bar|o:-tag|p:x|p:y : -t!=ag" },
	{ "kit --either x y; kit -e x; kit -ex; kit -e=x; kit -ea x; kit --eith x",
	  "kit|o:--either|vp:x|p:y : --either!=2 ; kit|o:-e|vp:x : -e!=2 ; kit|o:-ex : "
	  "--ex* --ex -e=x -x ; kit|o:-e=x : --e* --e=x -e==x ; kit|o:-ea|vp:x : --ea* "
	  "--ea=2 -e=a -a ; kit|o:--eith|vp:x : --eith!=2" },
};

static void test_manners(void **state)
{
	(void)state;
	check_rows(manners, sizeof(manners) / sizeof(manners[0]), manner_table, all_options);
}

static void test_globals(void **state)
{
	(void)state;
	check_rows(globals, sizeof(globals) / sizeof(globals[0]), "", all_options);
}

static void test_options(void **state)
{
	(void)state;
	check_rows(options, sizeof(options) / sizeof(options[0]), "", all_options);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_options),
		cmocka_unit_test(test_globals),
		cmocka_unit_test(test_manners),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
