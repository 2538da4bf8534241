/*
 * polc: runs a verb.  Results go to stdout, everything else to stderr.  If the output
 * cannot be written, the exit status is CLI_TROUBLE.
 */
#include <errno.h>
#include <unistd.h>

#include <sodium.h>

#include "compiler/cli/cli.h"
#include "compiler/cli/options_read.h"
#include "compiler/cli/verbs.h"
#include "runtime/base/io.h"
#include "runtime/base/stack.h"

static enum cli_exit (*const run_of[CLI_VERB_COUNT])(struct options *o, struct arena *a) = {
	[CLI_CHECK] = cmd_check,
	[CLI_COMPILE] = cmd_compile,
	[CLI_EXPLAIN] = cmd_explain,
	[CLI_DUMP] = cmd_dump,
	[CLI_INSPECT] = cmd_inspect,
	[CLI_EFFECTIVE] = cmd_effective,
	[CLI_FMT] = cmd_fmt,
	[CLI_CONVERT] = cmd_convert,
	[CLI_SIGN] = cmd_sign,
	[CLI_VERIFY] = cmd_verify,
	[CLI_DIFF] = cmd_diff,
	[CLI_TRUSTED] = cmd_trust,
	[CLI_INIT] = cmd_init,
	[CLI_EMIT] = cmd_emit,
	[CLI_PROVE] = cmd_prove,
	[CLI_EXPOSURE] = cmd_exposure,
};

/* --- the command line ------------------------------------------------------------ */

static void help_all(FILE *out)
{
	size_t i;

	fputs("polc: the policy compiler\n\n  polc VERB [OPTIONS] ...\n\n", out);
	for (i = 0; i < CLI_VERB_COUNT; i++)
		fprintf(out, "  %-9s  %s\n", cli_verbs[i].name, cli_verbs[i].help);
	fputs("\n`polc help VERB` or `polc VERB --help` names a verb's options.\n", out);
}

static void help_verb(enum cli_verb v)
{
	printf("polc %s %s\n\n%s\n\n", cli_verbs[v].name, cli_verbs[v].form, cli_verbs[v].help);
	options_help(stdout, v);
	if (v == CLI_EXPLAIN)
		puts("\nREQUEST is one of\n"
		     "  command LINE              argv -- PROGRAM [ARG...]\n"
		     "  file read|write|exec PATH net tcp|udp HOST:PORT\n"
		     "  unix PATH                 syscall NAME[(ARG,...)]\n"
		     "  tool NAME                 setting NAME\n"
		     "\nExit status: 0 allow, 1 deny, 3 ask, 2 error.");
}

static enum cli_exit unknown_verb(const char *word)
{
	const char *names[CLI_VERB_COUNT], *near;
	size_t i;

	for (i = 0; i < CLI_VERB_COUNT; i++)
		names[i] = cli_verbs[i].name;
	near = diag_suggest(str_from(word), names, CLI_VERB_COUNT);
	fprintf(stderr, "polc: unknown verb '%s'", word);
	if (near)
		fprintf(stderr, ": did you mean '%s'?", near);
	fputs("\n", stderr);
	return CLI_TROUBLE;
}

static enum cli_exit run_verb(enum cli_verb v, int argc, char **argv)
{
	struct options o;
	struct arena a;
	enum cli_exit e;

	arena_init(&a, ARENA_DEFAULT_BUDGET);
	if (!options_read(&o, &a, v, argc, argv, stderr)) {
		fprintf(stderr, "polc: `polc %s --help` names the options\n",
			cli_verbs[v].name);
		e = CLI_TROUBLE;
	} else if (o.help) {
		help_verb(v);
		e = CLI_CLEAN;
	} else if (o.version) {
		puts("polc " POL_VERSION);
		e = CLI_CLEAN;
	} else {
		e = run_of[v](&o, &a);
	}
	arena_release(&a);
	return e;
}

static bool verb_of(const char *word, enum cli_verb *ret)
{
	for (size_t i = 0; i < CLI_VERB_COUNT; i++)
		if (strcmp(word, cli_verbs[i].name) == 0) {
			*ret = (enum cli_verb)i;
			return true;
		}
	return false;
}

/* `polc help [VERB]` */
static enum cli_exit help(int argc, char **argv)
{
	enum cli_verb v;

	if (argc > 1) {
		fputs("polc: help takes one verb\n", stderr);
		return CLI_TROUBLE;
	}
	if (!argc) {
		help_all(stdout);
		return CLI_CLEAN;
	}
	if (!verb_of(argv[0], &v))
		return unknown_verb(argv[0]);
	help_verb(v);
	return CLI_CLEAN;
}

static __attribute__((noinline)) enum cli_exit run(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : NULL;
	enum cli_verb v;

	if (!word) {
		help_all(stderr);
		return CLI_TROUBLE;
	}
	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
		help_all(stdout);
		return CLI_CLEAN;
	}
	if (strcmp(word, "--version") == 0) {
		puts("polc " POL_VERSION);
		return CLI_CLEAN;
	}
	if (strcmp(word, "help") == 0)
		return help(argc - 2, argv + 2);
	return verb_of(word, &v) ? run_verb(v, argc - 2, argv + 2) : unknown_verb(word);
}

int main(int argc, char **argv)
{
	char text[160];
	size_t n = stack_complaint("polc", text, sizeof(text));
	enum cli_exit e;

	if (n) {
		(void)io_write_all(STDERR_FILENO, text, n);
		return CLI_TROUBLE;
	}
	if (sodium_init() < 0) {
		fputs("polc: libsodium cannot start\n", stderr);
		return CLI_INTERNAL;
	}
	e = run(argc, argv);
	/* a result that could not be written does not count */
	if (fflush(stdout) != 0 || ferror(stdout)) {
		fprintf(stderr, "polc: cannot write the result: %s\n", strerror(errno));
		return e == CLI_INTERNAL ? CLI_INTERNAL : CLI_TROUBLE;
	}
	return (int)e;
}
