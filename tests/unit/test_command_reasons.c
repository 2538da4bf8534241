/*
 * Why nobody sees what a command runs, and why no allow rule matches it: one
 * line for each reason that the analysis gives, and none without its line.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/decide/hint.h"
#include "tests/unit/command_rows.h"

/* "WORD: opaque (no allow)" of each part that has a reason. */
static char *reasons_of(const struct cmd_line *l, const struct cmd_world *w)
{
	const struct cmd_part *p;
	char *out = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&out, &n);

	(void)w;
	assert_non_null(f);
	if (l->why)
		fprintf(f, "%s: %s", l->limit ? "limit" : "unparsed", l->why);
	for (p = l->first; p; p = p->next) {
		if (!p->opaque && !p->no_allow)
			continue;
		if (ftell(f) > 0)
			fputs(" ; ", f);
		if (p->kind == CMD_UNPARSED)
			fputs(p->flags & CMD_EVALUATED ? "evaluated" : "unread", f);
		else if (sh_is_literal(p->words[0].w))
			fprintf(f, "%.*s", (int)p->words[0].w->seg.n, p->words[0].w->seg.p);
		else
			fputs("<any>", f);
		/* a person is told what to write instead */
		if ((p->opaque && p->kind == CMD_COMMAND && !hint_way(p->opaque)) ||
		    (p->no_allow && !hint_way(p->no_allow)))
			fputs(" [no other way]", f);
		if (p->opaque)
			fprintf(f, ": %s", p->opaque);
		if (p->no_allow && p->no_allow != p->opaque)
			fprintf(f, " (no allow: %s)", p->no_allow);
	}
	fclose(f);
	return out;
}

#define NAME_RUNS "arithmetic on a name, whose value may hold code"
#define SUBSCRIPT "a subscript is arithmetic, which may run code"
#define V_OF_TEST "-v and -R evaluate a subscript of the name"

static const struct row rows[] = {
	/* evaluated a second time, where no command stands, and where one does */
	{ "i=$((i+1))", "evaluated: " NAME_RUNS },
	{ "i=$X; echo $((i+1))", "echo: " NAME_RUNS },
	{ "((i++))", "((: " NAME_RUNS },
	{ "i=$((1+2))", "" },
	{ "a[x]=1", "evaluated: " SUBSCRIPT },
	{ "a=([x]=1)", "evaluated: " SUBSCRIPT },
	{ "echo ${a[x]} ${a[0]}", "echo: " SUBSCRIPT },
	{ "echo ${!x}", "echo: a value is read as a name, which may have a subscript" },
	{ "echo ${x@P}", "echo: a value is expanded as a prompt" },
	{ "[[ x -eq 1 ]]", "[[: [[ compares as arithmetic what is no number" },
	{ "[[ -v x ]]", "[[: " V_OF_TEST },
	{ "test -v \"$x\"", "test: " V_OF_TEST },
	{ "[ $x = y ]",
	  "[: a word of test may be several, -v and a subscript among them" },
	{ "[ $(wc -l <x) -gt 3 ]; test $(ls | wc -l) = 0; [ $(wc -c 2>/dev/null <\"$f\") = $(nproc) ]", "" },
	{ "timeout 5 [ $(id -u) = 0 ]; bash -c '[ $(date +%s) -gt 5 ]'", "" },
	{ "[ $(p; wc -l <x) = y ]",
	  "[: a word of test may be several, -v and a subscript among them" },
	{ "[ $(wc -l 2>/dev/stdout <x) = y ]",
	  "[: a word of test may be several, -v and a subscript among them" },
	{ "[ $(wc -l x) = y ]",
	  "[: a word of test may be several, -v and a subscript among them" },
	{ "[ $(p | wc -l | p) = y ]",
	  "[: a word of test may be several, -v and a subscript among them" },
	{ "[ $(wc -l | p) = y ]",
	  "[: a word of test may be several, -v and a subscript among them" },
	{ "while [ $(nproc) = 1 ]; do p; done", "" },
	{ "while [ $(nproc) = 1 ]; do nproc() { p; }; done",
	  "[: a word of test may be several, -v and a subscript among them ; "
	  "nproc (no allow: the line gives its name another meaning)" },
	{ "[ x$(nproc) = y ]", "" },
	{ "[ x$(nproc)y = y ]",
	  "[: a word of test may be several, -v and a subscript among them" },
	{ "unset 'a[x]'", "unset: " SUBSCRIPT },
	{ "let i+=1", "let: " NAME_RUNS },
	{ "declare -i x", "declare: values of a variable with -i are arithmetic" },
	{ "declare -n r", "declare: a name stands for a variable that is not known" },
	{ "declare -n r='a[x]'", "declare: a name stands for a variable that is not known" },
	{ "declare -a 'a=($(p))'", "declare: a value that is read as the words of an array" },
	{ "a=(); declare a=\"$x\"", "declare: a value that is read as the words of an array" },
	{ "readonly -a a=$x", "readonly: a value that is read as the words of an array" },
	{ "declare -a a=(1 $x); declare b=$x 'c=(d)'",
	  "declare: a value that is read as the words of an array" },
	{ "declare -a a=(1 $x)", "" },
	{ "declare b=$x 'c=(d)'; readonly d=$x", "" },
	{ "RANDOM=x", "evaluated: a value of this variable is arithmetic, which may run code" },
	{ "for OPTIND in 1; do :; done",
	  "evaluated: a value of this variable is arithmetic, which may run code" },
	{ "read SECONDS", "read: a value of this variable is arithmetic, which may run code" },
	{ "declare SECONDS=$x",
	  "declare: a value of this variable is arithmetic, which may run code" },
	{ "RANDOM=1; SECONDS=0; readonly OPTIND=1; local OPTIND; unset RANDOM", "" },
	{ "export FOO=1; ls",
	  "ls (no allow: a variable that no table calls safe is exported before it)" },
	{ "set -a; FOO=1; ls",
	  "ls (no allow: a variable that no table calls safe is exported before it)" },
	{ "declare FOO=1; export -n FOO; set -e; FOO=1; ls", "" },
	{ "printf -v \"$x\" y", "printf: a variable whose name is not known is set" },
	{ "export \"$x\"; ls",
	  "export: a variable whose name is not known is set ; "
	  "ls: a variable whose name is not known is set" },
	/* code */
	{ "git -c a=b x; git --upload-pack", "" },
	{ "git -c y x", "git: code of another language stands in it" },
	{ "git \"$x\" y",
	  "git: a word that is not literal may be an option whose value is code" },
	{ "awk \"$x\"; awk y", "awk: a word that is not literal may be code of another language ; "
	  "awk: code of another language stands in it" },
	{ "xargs awk", "awk: a word that follows may be code of another language" },
	{ "bash <<E\nhead -c5\necho x\nE",
	  "bash: commands in a shell's input may read or change what follows" },
	{ "sh <<E\necho x\nexec <y\nE",
	  "sh: commands in a shell's input may read or change what follows" },
	{ "sh <<E\necho x\ncd y\nhead\nE", "" },
	{ "sh <<E\necho x | cat\ncat </dev/null\nhead\nE",
	  "sh: commands in a shell's input may read or change what follows" },
	{ "sh <<E\ncat <0\nhead\nE",
	  "sh: commands in a shell's input may read or change what follows" },
	{ "bash <<E\nselect x in a; do break; done\necho x\nE",
	  "bash: commands in a shell's input may read or change what follows" },
	{ "cat x | python3", "python3: code of another language comes from its standard input" },
	{ "python3 -", "python3: code of another language comes from its standard input" },
	{ "python3 ./\"$x\"", "python3: a script that is no literal path" },
	{ "python3 \"$x\"", "python3: a script that is not known" },
	{ "python3 /dev/fd/3", "python3: a script that is a descriptor ; /dev/fd/3: a script that is a descriptor" },
	{ "xargs python3", "python3: code of another language comes from its standard input" },
	{ "curl -o x.sh u; bash x.sh", "bash: a script that the line may make ; ./x.sh: a script that the line may make" },
	{ "p a.mk; mk", "mk: a file that it runs unasked, which the line may make" },
	{ "look a.mk; mk", "" },
	{ "ln -s .. h; p h/x", "p: a path through a link that the line makes" },
	{ "ln -s .. h; p x", "" },
	{ "xargs ls", "ls: it writes a file whose name is not known" },
	{ "fix; mk", "fix: it writes a file whose name is not known ; mk: a file that it runs unasked, which the line may make" },
	{ "bash -c \"$x\"", "bash: a shell's code that is not literal" },
	{ "zsh -c '=a b'", "zsh: text that this shell may read in another way than bash does" },
	{ "x | bash", "bash: a shell's code from its standard input" },
	{ "bash $x", "bash: a shell whose options are not known" },
	{ "flock f -c \"$x\"", "flock: code that is not literal" },
	{ "sudo $x", "sudo: the command that it runs is not known" },
	{ "box i ls; pod c -- ls", "box: the image's own entry point runs, which is not known ; "
	  "pod: a command in another file system" },
	{ "box --enter x i ls", "box: a command in another file system" },
	{ "bash -c \"a 'b\"", "unread: a single quote is not closed" },
	{ "xargs source", "source: a script that is not known" },
	{ "eval \"$x\"", "eval: the command that it runs is not known" },
	/* names and variables */
	{ "LD_PRELOAD=x ls", "ls: a variable before it changes what runs" },
	{ "FOO=x ls", "ls (no allow: a variable before it that no table calls safe)" },
	{ "PATH=x; ls", "ls: a variable that changes what runs is set before it" },
	{ "declare -n x=y; ls", "ls: a variable stands for another one" },
	{ "ls() { x; }; ls", "ls (no allow: the line gives its name another meaning)" },
	{ "alias \"$x\"; ls",
	  "alias: a command whose name is not known is defined (no allow: the line gives "
	  "its name another meaning) ; "
	  "ls (no allow: the line gives its name another meaning)" },
	{ "alias -g ls=x; a",
	  "alias: aliases that stand anywhere in a command ; x: aliases that stand anywhere in a command ; a: aliases that stand anywhere in a command" },
	{ "trap 'ls a' EXIT; alias ls=x",
	  "trap: an alias in text that the shell may read at any time ; ls: an alias in text that the shell may read at any time ; alias: an alias in text that the shell may read at any time ; x: an alias in text that the shell may read at any time" },
	{ "alias if=x; a",
	  "alias: an alias whose name the shell reads as its own word ; x: an alias whose name the shell reads as its own word ; a: an alias whose name the shell reads as its own word" },
	{ "alias ls=\"'\"; ls a",
	  "unread: a single quote is not closed ; ls: an alias whose text is a part of what follows it (no allow: the line gives its name another meaning) ; unread: a single quote is not closed" },
	{ "alias a='b ' b=c b=d; a b",
	  "b (no allow: the line gives its name another meaning) ; a: an alias that may have several texts (no allow: the line gives its name another meaning) ; b (no allow: the line gives its name another meaning)" },
	{ "alias a=b; a() { c; }",
	  "b: a function whose name is an alias ; c: a function whose name is an alias" },
	{ "alias ls=\"$x\"", "alias: the text of an alias that is not literal" },
	{ "hash -p \"$x\" ls; id",
	  "id: a name of a command stands for a path that is not literal" },
	{ "while x; do hash -p /p ls; done; id",
	  "x: a name of a command stands for a path ; "
	  "hash: a name of a command stands for a path ; "
	  "id: a name of a command stands for a path" },
	{ "enable -f x.so y", "enable: code that is loaded into the shell" },
};

/* Where no table says what eval does. */
static const struct row bare[] = {
	{ "eval ls", "eval: it evaluates its words as code" },
	{ "FOO=1 ls", "ls (no allow: a variable before it that no table calls safe)" },
};

/* Why a line cannot be read: one for each reason of bash's. */
static const struct row unread[] = {
	{ "echo 'a", "a single quote is not closed" },
	{ "echo \"a", "a double quote is not closed" },
	{ "echo $'a", "a $' quote is not closed" },
	{ "echo `x", "a backquote is not closed" },
	{ "echo $(ls", "a substitution is not closed" },
	{ "echo ${x", "a '${' is not closed" },
	{ "echo ${x!y}", "a ${...} that has no meaning here" },
	{ "echo ${x:<(ls)}", "a process substitution in ${...:...}" },
	{ "echo \"${x:-'a}\"", "a single quote in ${...} in double quotes" },
	{ "echo \"$$[1\"", "a '$$' before a bracket in quotes" },
	{ "echo $(('1'))", "a quote in arithmetic" },
	{ "echo $((1", "arithmetic is not closed" },
	{ "echo $((x)", "a '$((' that is no arithmetic" },
	{ "for ((;;)", "a '((' that is no arithmetic" },
	{ "a[1", "a '[' is not closed" },
	{ "a=(x)y", "text behind an array" },
	{ "a=(;)", "this does not belong into an array" },
	{ "a=(x", "an array is not closed" },
	{ "(ls", "a '(' is not closed" },
	{ "{ ls", "a '}' is missing" },
	{ "ls )", "this does not belong here" },
	{ "ls &&", "a command is missing" },
	{ "ls | then", "a reserved word where a command begins" },
	{ "if x; fi", "a 'then' is missing" },
	{ "if x; then y", "a 'fi' is missing" },
	{ "for x in a; done", "a 'do' is missing" },
	{ "while x; do y", "a 'done' is missing" },
	{ "for ((a; b)); do x; done", "no three expressions of a loop" },
	{ "for 1x in a; do y; done", "the name of a loop's variable is missing" },
	{ "case", "a word is missing behind 'case'" },
	{ "case x", "an 'in' is missing" },
	{ "case x in ) y;; esac", "a pattern is missing" },
	{ "case x in y z;; esac", "a ')' is missing behind a pattern" },
	{ "case x in y) z", "an 'esac' is missing" },
	{ "f()", "the body of a function is missing" },
	{ "function ; x", "the name of a function is missing" },
	{ "function $x { y; }", "the name of a function is no plain word" },
	{ "\"f\"() { x; }", "a '()' behind what is no function's name" },
	{ "ls (x)", "a '(' behind a word" },
	{ "!(ls)", "a '!(' where a command begins" },
	{ "( time )", "a '!' or 'time' before a ')'" },
	{ "$(time { x; })", "a compound command behind 'time' in a substitution" },
	{ "coproc \"x\" y", "a coprocess whose first word is quoted" },
	{ "coproc x a=1 y", "an assignment behind the first word of a coprocess" },
	{ "[[ -n", "an operand of [[ is missing" },
	{ "[[ a b c ]]", "[[ has no such operator" },
	{ "[[ ( a ]]", "a '(' of [[ is not closed" },
	{ "[[ a -eq ]]", "a '[[' is not closed" },
	{ "[[ a =~ ( ]]", "a '(' of a pattern is not closed" },
	{ "ls >", "the target of a redirection is missing" },
	{ "ls > {a,b}", "a redirection to several files" },
	{ "exec {a[1]}>x", "a descriptor kept in an array" },
	{ "cat << $x", "a delimiter with an expansion" },
	{ "set -o posix", "a 'set' that changes how bash reads" },
	{ "BASH_COMPAT=1 ls", "a variable that changes how bash reads" },
	{ "echo a\001b", "a control byte" },
};

static char *why_of(const struct cmd_line *l, const struct cmd_world *w)
{
	(void)w;
	return strdup(l->unparsed && l->why ? l->why : "");
}

static void test_what_cannot_be_read_says_why(void **state)
{
	(void)state;
	check_rows(unread, sizeof(unread) / sizeof(unread[0]), "", why_of);
}

static void test_each_reason_says_what_is_so(void **state)
{
	(void)state;
	check_rows(rows, sizeof(rows) / sizeof(rows[0]), "interpreter zsh shell posix -c:!\n", reasons_of);
	check_rows_of(bare, sizeof(bare) / sizeof(bare[0]), facts_make("program rm -f\n"),
		      reasons_of);
}

/* --- and there is no other -------------------------------------------------------------- */

static const char *const sources[] = {
	"runtime/line/cmd_alias.c", "runtime/line/cmd_builtin.c", "runtime/line/cmd_change.c",
	"runtime/line/cmd_code.c",    "runtime/line/cmd_line.c",
	"runtime/line/cmd_made.c",    "runtime/line/cmd_option.c",
	"runtime/line/cmd_options.c", "runtime/line/cmd_part.c",
	"runtime/line/cmd_script.c",  "runtime/line/cmd_wrap.c",
	"runtime/line/shell/arith.c",        "runtime/line/shell/cond.c",
	"runtime/line/shell/param.c",        "runtime/line/shell/simple.c",
};

/* What comes before the text of a reason. */
static const char *const before[] = {
	"cmd_opaque(", "cmd_no_allow(", "taint(", "shell_evaluates(", "static const char ",
	"opaque = ", "no_allow = ", "guess = ", "cmd_reader_is_code(",
};

/* The text of the literals that begin in the statement at `p`, joined; or "". */
static void literals(const char *p, char *out, size_t size)
{
	size_t n = 0;
	bool in = false;

	for (; *p && (in || *p != ';') && n + 1 < size; p++) {
		if (*p == '"')
			in = !in;
		else if (in)
			out[n++] = *p;
	}
	out[n] = '\0';
}

static bool is_told(const char *reason)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strstr(rows[i].want, reason))
			return true;
	for (size_t i = 0; i < sizeof(bare) / sizeof(bare[0]); i++)
		if (strstr(bare[i].want, reason))
			return true;
	return false;
}

static size_t untold(const char *path, size_t *ret_seen)
{
	char text[65536], reason[512];
	FILE *f = fopen(path, "r");
	size_t bad = 0, n;

	assert_non_null(f);
	n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	assert_true(n > 0 && n < sizeof(text) - 1);
	text[n] = '\0';
	for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++) {
		for (const char *p = strstr(text, before[i]); p; p = strstr(p + 1, before[i])) {
			literals(p + strlen(before[i]), reason, sizeof(reason));
			/* limits of the analysis are those of test_command_limits.c */
			if (!strchr(reason, ' '))
				continue;
			(*ret_seen)++;
			if (is_told(reason))
				continue;
			print_error("%s: no line shows '%s'\n", path, reason);
			bad++;
		}
	}
	return bad;
}

static void test_no_reason_is_without_its_line(void **state)
{
	size_t bad = 0, seen = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++)
		bad += untold(sources[i], &seen);
	assert_int_equal(bad, 0);
	/* the search still finds them */
	assert_true(seen > 30);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_reason_says_what_is_so),
		cmocka_unit_test(test_what_cannot_be_read_says_why),
		cmocka_unit_test(test_no_reason_is_without_its_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
