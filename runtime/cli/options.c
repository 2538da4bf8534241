/* Reads polrun's command line.  Options end at the first word that is none, so
 * that the command's own options are never polrun's.  What a later version
 * brings is refused by name: nothing is accepted and ignored. */
#include "runtime/cli/options.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/io.h"

const char polrun_help[] =
	"usage: polrun [OPTIONS] [--] COMMAND [ARG...]\n"
	"       polrun [OPTIONS] -c 'LINE'\n"
	"\n"
	"Runs a command under a compiled policy (polc compile makes the bundle).\n"
	"\n"
	"  -b, --bundle FILE      the compiled policy (required)\n"
	"      --project DIR      the value of ${PROJECT_DIR}\n"
	"      --require-signed   refuse a bundle that no trusted key has signed\n"
	"      --allowed-signers FILE\n"
	"                         who may sign, instead of the default lists\n"
	"      --role NAME        refuse a bundle that was not compiled for this role\n"
	"      --user NAME|UID    as root: run as this user\n"
	"      --report FILE      write a JSON report of the run\n"
	"      --plan             show what would run and where; run nothing\n"
	"      --explain-denials  afterwards, say what was blocked and by which rule\n"
	"  -y, --yes              answer what the policy asks with yes\n"
	"  -c LINE                a line that is one simple command\n"
	"      --doctor           what this kernel and user can enforce\n"
	"      --help  --version\n"
	"\n"
	"Exit status: the command's own; 128+N signal N; 124 time limit; 125 polrun\n"
	"failed or refused; 126 denied by policy or not executable; 127 not found.\n";

enum id { ID_BUNDLE, ID_PROJECT, ID_USER, ID_ROLE, ID_REPORT, ID_PLAN, ID_DOCTOR, ID_EXPLAIN,
	  ID_YES, ID_SIGNERS, ID_REQUIRE, ID_LINE, ID_HELP, ID_VERSION, ID_LATER };

static const struct option {
	const char *name;  /* without "--" */
	char letter;       /* 0: none */
	bool takes_value;
	enum id id;
} table[] = {
	{ "bundle", 'b', true, ID_BUNDLE },
	{ "project", 0, true, ID_PROJECT },
	{ "user", 0, true, ID_USER },
	{ "report", 0, true, ID_REPORT },
	{ "plan", 0, false, ID_PLAN },
	{ "doctor", 0, false, ID_DOCTOR },
	{ "explain-denials", 0, false, ID_EXPLAIN },
	{ "yes", 'y', false, ID_YES },
	{ "", 'c', true, ID_LINE },
	{ "help", 'h', false, ID_HELP },
	{ "version", 0, false, ID_VERSION },
	{ "allowed-signers", 0, true, ID_SIGNERS },
	{ "require-signed", 0, false, ID_REQUIRE },
	{ "role", 0, true, ID_ROLE },
	{ "session", 0, true, ID_LATER },
	{ "runner", 0, true, ID_LATER },
	{ "ask", 0, true, ID_LATER },
	{ "learn", 0, true, ID_LATER },
	{ "allow-degraded", 0, true, ID_LATER },
};
#define NOPTIONS (sizeof(table) / sizeof(table[0]))

/* Edit distance with rows of at most 32: enough for a suggestion. */
static unsigned distance(const char *a, size_t la, const char *b)
{
	unsigned row[33];
	size_t lb = strlen(b);

	if (la > 32 || lb > 32)
		return 99;
	for (size_t j = 0; j <= lb; j++)
		row[j] = (unsigned)j;
	for (size_t i = 1; i <= la; i++) {
		unsigned diagonal = row[0];

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= lb; j++) {
			unsigned best = diagonal + (a[i - 1] != b[j - 1]);

			diagonal = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[lb];
}

static int unknown(const char *word, size_t len, struct rt_err *err)
{
	const char *best = NULL;
	unsigned least = len > 5 ? 4 : 3;
	char shown[80];

	for (size_t i = 0; i < NOPTIONS && len > 0; i++) {
		unsigned d = distance(word, len, table[i].name);

		if (table[i].name[0] && table[i].id != ID_LATER && d < least) {
			least = d;
			best = table[i].name;
		}
	}
	io_escape(shown, sizeof(shown), word, len);
	if (best)
		return rt_fail(err, EINVAL,
			       "unknown option '--%s'; did you mean '--%s'?", shown,
			       best);
	return rt_fail(err, EINVAL, "unknown option '--%s' (see polrun --help)", shown);
}

static int set(struct options *o, const struct option *opt, const char *value,
	       struct rt_err *err)
{
	const char **slot = NULL;

	switch (opt->id) {
	case ID_BUNDLE:
		slot = &o->bundle;
		break;
	case ID_PROJECT:
		slot = &o->project;
		break;
	case ID_USER:
		slot = &o->user;
		break;
	case ID_REPORT:
		slot = &o->report;
		break;
	case ID_SIGNERS:
		slot = &o->signers;
		break;
	case ID_REQUIRE:
		o->require_signed = true;
		return 0;
	case ID_ROLE:
		slot = &o->role;
		break;
	case ID_LINE:
		slot = &o->line;
		break;
	case ID_PLAN:
		o->action = OPT_PLAN;
		return 0;
	case ID_DOCTOR:
		o->action = OPT_DOCTOR;
		return 0;
	case ID_HELP:
		o->action = OPT_HELP;
		return 0;
	case ID_VERSION:
		o->action = OPT_VERSION;
		return 0;
	case ID_EXPLAIN:
		o->explain = true;
		return 0;
	case ID_YES:
		o->yes = true;
		return 0;
	case ID_LATER:
	default:
		return rt_fail(err, EINVAL, "'--%s' is not supported by this version",
			       opt->name);
	}
	if (*slot)
		return rt_fail(err, EINVAL, "'%s%s' is given twice",
			       opt->name[0] ? "--" : "-", opt->name[0] ? opt->name : "c");
	if (!value[0] && opt->id != ID_LINE)
		return rt_fail(err, EINVAL, "'--%s' needs a value that is not empty",
			       opt->name);
	*slot = value;
	return 0;
}

/* "--name", "--name=value" or "--name value"; *i moves over the value. */
static int read_long(struct options *o, int argc, char **argv, int *i,
		     struct rt_err *err)
{
	const char *word = argv[*i] + 2, *eq = strchr(word, '='), *value = NULL;
	size_t len = eq ? (size_t)(eq - word) : strlen(word);
	const struct option *opt = NULL;

	for (size_t k = 0; k < NOPTIONS; k++)
		if (len && strlen(table[k].name) == len &&
		    memcmp(table[k].name, word, len) == 0)
			opt = &table[k];
	if (!opt)
		return unknown(word, len, err);
	if (opt->id == ID_LATER)
		return set(o, opt, NULL, err);
	if (eq && !opt->takes_value)
		return rt_fail(err, EINVAL, "'--%s' takes no value", opt->name);
	if (eq)
		value = eq + 1;
	else if (opt->takes_value && *i + 1 < argc)
		value = argv[++*i];
	else if (opt->takes_value)
		return rt_fail(err, EINVAL, "'--%s' needs a value", opt->name);
	return set(o, opt, value, err);
}

/* A cluster of letters, the last of which may take a value. */
static int read_short(struct options *o, int argc, char **argv, int *i,
		      struct rt_err *err)
{
	for (const char *p = argv[*i] + 1; *p; p++) {
		const struct option *opt = NULL;
		const char *value = NULL;
		char shown[16];
		int r;

		for (size_t k = 0; k < NOPTIONS; k++)
			if (table[k].letter == *p)
				opt = &table[k];
		if (!opt) {
			io_escape(shown, sizeof(shown), p, 1);
			return rt_fail(err, EINVAL,
				       "unknown option '-%s' (see polrun --help)", shown);
		}
		if (opt->takes_value) {
			if (p[1])
				value = p + 1;
			else if (*i + 1 < argc)
				value = argv[++*i];
			else
				return rt_fail(err, EINVAL, "'-%c' needs a value", *p);
		}
		r = set(o, opt, value, err);
		if (r < 0 || opt->takes_value)
			return r;
	}
	return 0;
}

static int check_whole(const struct options *o, struct rt_err *err)
{
	if (o->action == OPT_HELP || o->action == OPT_VERSION ||
	    o->action == OPT_DOCTOR)
		return 0;
	if (!o->bundle)
		return rt_fail(err, EINVAL,
			       "no bundle: name the compiled policy with -b FILE "
			       "('polc compile POLICY -o FILE' makes it)");
	if (o->line && o->argc)
		return rt_fail(err, EINVAL, "-c takes the whole line: '%.60s' is too much",
			       o->argv[0]);
	if (!o->line && !o->argc)
		return rt_fail(err, EINVAL, "no command (see polrun --help)");
	if (!o->line && !o->argv[0][0])
		return rt_fail(err, EINVAL, "the command's name is empty");
	return 0;
}

int options_parse(int argc, char **argv, struct options *ret, struct rt_err *err)
{
	struct options o = { .action = OPT_RUN };
	int i = 1, r;

	for (; i < argc; i++) {
		if (strcmp(argv[i], "--") == 0) {
			i++;
			break;
		}
		if (argv[i][0] != '-' || !argv[i][1])
			break;
		r = argv[i][1] == '-' ? read_long(&o, argc, argv, &i, err) :
					read_short(&o, argc, argv, &i, err);
		if (r < 0)
			return r;
	}
	if (i > argc)
		i = argc;
	o.argv = argv + i;
	o.argc = argc - i;
	r = check_whole(&o, err);
	if (r < 0)
		return r;
	*ret = o;
	return 0;
}
