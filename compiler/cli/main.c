/*
 * polc: the verb table.  Results go to stdout, everything else to stderr; an
 * output that cannot be written is trouble.
 */
#include <errno.h>

#include <sodium.h>

#include "compiler/cli/cli.h"

static const struct verb {
	const char *name;
	enum cli_exit (*run)(struct options *o, struct arena *a);
	const char *form, *help;
} verbs[CLI_VERB_COUNT] = {
	[CLI_CHECK] = { "check", cmd_check, "[OPTIONS] POLICY...",
			"resolve a policy, run its tests, show enforcement gaps" },
	[CLI_COMPILE] = { "compile", cmd_compile, "[OPTIONS] POLICY... -o OUT.polb",
			  "check, verify and write a bundle for polrun" },
	[CLI_EXPLAIN] = { "explain", cmd_explain, "[OPTIONS] POLICY... REQUEST",
			  "the decision for one request, and why" },
	[CLI_DUMP] = { "dump", cmd_dump, "[OPTIONS] POLICY... --after PASS",
		       "the tree, the IR or an artefact after a pass" },
	[CLI_INSPECT] = { "inspect", cmd_inspect, "[OPTIONS] BUNDLE",
			  "what a bundle holds" },
	[CLI_EFFECTIVE] = { "effective", cmd_effective, "[OPTIONS] POLICY...",
			    "the resolved policy: each value, who says it, what it "
			    "overrode" },
	[CLI_FMT] = { "fmt", cmd_fmt, "[OPTIONS] FILE...",
		      "the canonical layout of policy texts" },
	[CLI_CONVERT] = { "convert", cmd_convert, "--to pol|yaml FILE",
			  "a text in the other spelling" },
	[CLI_SIGN] = { "sign", cmd_sign, "--key KEY [-o OUT.polb] BUNDLE",
		       "add a signature to a bundle" },
	[CLI_VERIFY] = { "verify", cmd_verify, "[OPTIONS] BUNDLE",
			 "is the bundle whole, current and signed by whom it should be" },
	[CLI_DIFF] = { "diff", cmd_diff, "[OPTIONS] OLD NEW",
		       "what two policies decide differently, with a request for each" },
};

/* --- the command line ------------------------------------------------------------ */

static void help_all(FILE *out)
{
	size_t i;

	fputs("polc: the policy compiler\n\n  polc VERB [OPTIONS] ...\n\n", out);
	for (i = 0; i < CLI_VERB_COUNT; i++)
		fprintf(out, "  %-9s  %s\n", verbs[i].name, verbs[i].help);
	fputs("\n`polc VERB --help` names a verb's options.\n", out);
}

static void help_verb(enum cli_verb v)
{
	printf("polc %s %s\n\n%s\n\n", verbs[v].name, verbs[v].form, verbs[v].help);
	options_help(stdout, v);
	if (v == CLI_EXPLAIN)
		puts("\nREQUEST is one of\n"
		     "  command LINE              argv -- PROGRAM [ARG...]\n"
		     "  file read|write|exec PATH net tcp|udp HOST:PORT\n"
		     "  unix PATH                 syscall NAME[(ARG,...)]\n"
		     "  tool NAME\n"
		     "\nExit status: 0 allow, 1 deny, 3 ask, 2 error.");
}

static enum cli_exit unknown_verb(const char *word)
{
	const char *names[CLI_VERB_COUNT], *near;
	size_t i;

	for (i = 0; i < CLI_VERB_COUNT; i++)
		names[i] = verbs[i].name;
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
			verbs[v].name);
		e = CLI_TROUBLE;
	} else if (o.help) {
		help_verb(v);
		e = CLI_CLEAN;
	} else if (o.version) {
		puts("polc " POLC_VERSION);
		e = CLI_CLEAN;
	} else {
		e = verbs[v].run(&o, &a);
	}
	arena_release(&a);
	return e;
}

static enum cli_exit run(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : NULL;
	size_t i;

	if (!word) {
		help_all(stderr);
		return CLI_TROUBLE;
	}
	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
		help_all(stdout);
		return CLI_CLEAN;
	}
	if (strcmp(word, "--version") == 0) {
		puts("polc " POLC_VERSION);
		return CLI_CLEAN;
	}
	for (i = 0; i < CLI_VERB_COUNT; i++)
		if (strcmp(word, verbs[i].name) == 0)
			return run_verb((enum cli_verb)i, argc - 2, argv + 2);
	return unknown_verb(word);
}

int main(int argc, char **argv)
{
	enum cli_exit e;

	if (sodium_init() < 0) {
		fputs("polc: libsodium cannot start\n", stderr);
		return CLI_INTERNAL;
	}
	e = run(argc, argv);
	/* a result that did not arrive is no result */
	if (fflush(stdout) != 0 || ferror(stdout)) {
		fprintf(stderr, "polc: cannot write the result: %s\n", strerror(errno));
		return e == CLI_INTERNAL ? CLI_INTERNAL : CLI_TROUBLE;
	}
	return (int)e;
}
