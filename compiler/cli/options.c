/*
 * Reads the command line after the verb.  One table says which options a verb has;
 * help and suggestions are made from the same table.
 */
#include "compiler/cli/options.h"
#include "compiler/cli/options_check.h"

#include <stdlib.h>
#include <unistd.h>

#include "compiler/diag/diag.h"

#define V(verb) (1u << (verb))
#define V_ALL (V(CLI_VERB_COUNT) - 1u)
#define V_POLICY (V(CLI_CHECK) | V(CLI_COMPILE) | V(CLI_EXPLAIN) | V(CLI_DUMP) | \
		  V(CLI_EFFECTIVE) | V(CLI_DIFF))

enum opt_id {
	OPT_MANAGED, OPT_MANAGED_FILE, OPT_PROJECT, OPT_USER, OPT_ROLE, OPT_SCOPE,
	OPT_DISCOVER, OPT_ROOT, OPT_FORMAT, OPT_FAIL_ON, OPT_VERBOSE, OPT_OUTPUT,
	OPT_SERIAL, OPT_EXPIRES, OPT_NOT_BEFORE, OPT_PREVIOUS, OPT_REPRODUCE, OPT_SIGN,
	OPT_KEY,
	OPT_SIGNERS, OPT_PRINCIPAL, OPT_CREATED, OPT_NO_SOURCES, OPT_NO_NFT_BATCH, OPT_CWD, OPT_AFTER,
	OPT_SECTION, OPT_COLOR, OPT_WRITE, OPT_CHECK, OPT_DIFF, OPT_TO,
	OPT_HELP, OPT_VERSION, OPT_COUNT
};

/* Extra rows of the table, for verbs where an option takes other values. */
enum { ROW_FORMAT_EFFECTIVE = OPT_COUNT, ROW_FORMAT_DIFF, ROW_FAIL_ON_DIFF, ROW_COUNT };

static const struct optspec specs[ROW_COUNT] = {
	[OPT_MANAGED] = { OPT_MANAGED, "managed", 0, OPTSPEC_ONE, V_POLICY, "FILE",
			  "a policy that speaks at level 'managed'" },
	[OPT_MANAGED_FILE] = { OPT_MANAGED_FILE, "managed-file", 0, OPTSPEC_ONE, V_POLICY, "FILE",
			       "one that speaks at level 'managed-file'" },
	[OPT_PROJECT] = { OPT_PROJECT, "project", 0, OPTSPEC_ONE, V_POLICY, "FILE",
			  "one that speaks at level 'project'" },
	[OPT_USER] = { OPT_USER, "user", 0, OPTSPEC_ONE, V_POLICY, "FILE",
		       "one that speaks at level 'user'" },
	[OPT_ROLE] = { OPT_ROLE, "role", 0, OPTSPEC_ONE, V_POLICY, "NAME",
		       "the role whose sections count" },
	[OPT_DISCOVER] = { OPT_DISCOVER, "discover", 0, OPTSPEC_MAYBE, V_POLICY, "DIR",
			   "find the policies that polrun would find from DIR" },
	[OPT_SCOPE] = { OPT_SCOPE, "scope", 0, OPTSPEC_ONE, V_POLICY, "sandbox|host",
			"where the request is made (sandbox)" },
	[OPT_ROOT] = { OPT_ROOT, "root", 0, OPTSPEC_ONE, V_POLICY, "NAME=DIR",
		       "the value of HOME, PROJECT_DIR, TMPDIR or SESSION_DIR" },
	[OPT_FAIL_ON] = { OPT_FAIL_ON, "fail-on", 0, OPTSPEC_ONE, V(CLI_CHECK),
			  "error|warning", "which findings make the exit status 1 (error)" },
	[ROW_FAIL_ON_DIFF] = { OPT_FAIL_ON, "fail-on", 0, OPTSPEC_ONE, V(CLI_DIFF),
			       "any|widening",
			       "which differences make the exit status 1 (any)" },
	[OPT_VERBOSE] = { OPT_VERBOSE, "verbose", 'v', OPTSPEC_NONE, V_POLICY, NULL,
			  "also what there is to say about the standard library" },
	[OPT_OUTPUT] = { OPT_OUTPUT, "output", 'o', OPTSPEC_ONE, V(CLI_COMPILE) | V(CLI_SIGN),
			 "OUT.polb", "the bundle to write" },
	[OPT_SERIAL] = { OPT_SERIAL, "serial", 0, OPTSPEC_ONE, V(CLI_COMPILE), "N",
			 "instead of the policy's own serial" },
	[OPT_EXPIRES] = { OPT_EXPIRES, "expires", 0, OPTSPEC_ONE, V(CLI_COMPILE), "YYYY-MM-DD",
			  "instead of the policy's own date" },
	[OPT_NOT_BEFORE] = { OPT_NOT_BEFORE, "not-before", 0, OPTSPEC_ONE, V(CLI_COMPILE), "YYYY-MM-DD",
			     "the first day on which the bundle is valid" },
	[OPT_PREVIOUS] = { OPT_PREVIOUS, "previous", 0, OPTSPEC_ONE, V(CLI_COMPILE), "OLD.polb",
			   "the bundle that this one follows, with a lower serial" },
	[OPT_REPRODUCE] = { OPT_REPRODUCE, "reproduce", 0, OPTSPEC_ONE, V(CLI_COMPILE), "OLD.polb",
			    "compile its own sources, and compare; nothing is written" },
	[OPT_SIGN] = { OPT_SIGN, "sign", 0, OPTSPEC_ONE, V(CLI_COMPILE), "KEY",
		       "sign with this key file (ssh-keygen), and ask for a signature" },
	[OPT_KEY] = { OPT_KEY, "key", 0, OPTSPEC_ONE, V(CLI_SIGN), "KEY",
		      "a private key, or a public one of an agent (required)" },
	[OPT_SIGNERS] = { OPT_SIGNERS, "allowed-signers", 0, OPTSPEC_ONE, V(CLI_VERIFY), "FILE",
			  "who may sign (/etc/pol, then ~/.config/pol)" },
	[OPT_PRINCIPAL] = { OPT_PRINCIPAL, "principal", 'I', OPTSPEC_ONE, V(CLI_VERIFY), "WHO",
			    "who must have signed (anybody of the list)" },
	[OPT_CREATED] = { OPT_CREATED, "created", 0, OPTSPEC_ONE, V(CLI_COMPILE), "SECONDS",
			  "time since 1970 for the manifest (SOURCE_DATE_EPOCH)" },
	[OPT_NO_SOURCES] = { OPT_NO_SOURCES, "no-sources", 0, OPTSPEC_NONE, V(CLI_COMPILE), NULL,
			     "leave the policy texts out of the bundle" },
	[OPT_NO_NFT_BATCH] = { OPT_NO_NFT_BATCH, "no-nft-batch", 0, OPTSPEC_NONE, V(CLI_COMPILE), NULL,
			       "no trial of the network rules: polnft loads them" },
	[OPT_CWD] = { OPT_CWD, "cwd", 0, OPTSPEC_ONE, V(CLI_EXPLAIN), "DIR",
		      "working directory of a command (the project)" },
	[OPT_AFTER] = { OPT_AFTER, "after", 0, OPTSPEC_ONE, V(CLI_DUMP), "PASS",
			"the pass whose result is printed (required)" },
	[OPT_SECTION] = { OPT_SECTION, "section", 0, OPTSPEC_ONE, V(CLI_INSPECT) | V(CLI_EFFECTIVE),
			  "NAME", "one section of the policy or the bundle" },
	[OPT_FORMAT] = { OPT_FORMAT, "format", 0, OPTSPEC_ONE,
			 V(CLI_CHECK) | V(CLI_EXPLAIN) | V(CLI_INSPECT) | V(CLI_VERIFY),
			 "text|json", "how results are printed (text)" },
	[ROW_FORMAT_EFFECTIVE] = { OPT_FORMAT, "format", 0, OPTSPEC_ONE, V(CLI_EFFECTIVE),
				   "text|json|yaml", "how the policy is printed (text)" },
	[ROW_FORMAT_DIFF] = { OPT_FORMAT, "format", 0, OPTSPEC_ONE, V(CLI_DIFF),
			      "text|json|markdown", "how differences are printed (text)" },
	[OPT_COLOR] = { OPT_COLOR, "color", 0, OPTSPEC_ONE, V_ALL, "auto|always|never",
			"colours in diagnostics (auto)" },
	[OPT_WRITE] = { OPT_WRITE, "write", 'w', OPTSPEC_NONE, V(CLI_FMT), NULL,
			"write the result back to each file that it changes" },
	[OPT_CHECK] = { OPT_CHECK, "check", 0, OPTSPEC_NONE, V(CLI_FMT), NULL,
			"name the files that would change; exit status 1 if there are any" },
	[OPT_DIFF] = { OPT_DIFF, "diff", 0, OPTSPEC_NONE, V(CLI_FMT), NULL,
		       "show what would change as a unified diff" },
	[OPT_TO] = { OPT_TO, "to", 0, OPTSPEC_ONE, V(CLI_CONVERT), "pol|yaml",
		     "the spelling that is wanted (required)" },
	[OPT_HELP] = { OPT_HELP, "help", 'h', OPTSPEC_NONE, V_ALL, NULL, "this text" },
	[OPT_VERSION] = { OPT_VERSION, "version", 0, OPTSPEC_NONE, V_ALL, NULL, "the version" },
};

const char *const options_requests[] = {
	"command", "argv", "file", "net", "unix", "syscall", "tool", "setting", NULL
};

struct reader {
	struct options *o;
	const struct optspec *row; /* the option that is being read */
	struct arena *a;
	FILE *err;
};

const struct optspec *options_specs(size_t *ret_n)
{
	*ret_n = ROW_COUNT;
	return specs;
}

void options_help(FILE *out, enum cli_verb verb)
{
	optspec_print(out, specs, ROW_COUNT, (int)verb);
}

bool options_colour(const struct options *o, FILE *out)
{
	const char *no = getenv("NO_COLOR");

	if (o->color != CLI_COLOR_AUTO)
		return o->color == CLI_COLOR_ALWAYS;
	return !(no && *no) && isatty(fileno(out));
}

/* --- values ---------------------------------------------------------------- */

static bool bad_value(const struct reader *r, const char *v)
{
	fprintf(r->err, "polc: '%s' is no value of --%s, which takes %s\n", v,
		r->row->name, r->row->value);
	return false;
}

/* Reads one of two words; anything else is an error. */
static bool one_of(const struct reader *r, const char *v, const char *no, const char *yes,
		   bool *ret)
{
	if (strcmp(v, no) != 0 && strcmp(v, yes) != 0)
		return bad_value(r, v);
	*ret = strcmp(v, yes) == 0;
	return true;
}

static bool ends_in(const char *s, const char *end)
{
	return str_ends(str_from(s), str_from(end));
}

static bool add_input(struct reader *r, const char *path, enum ir_level level)
{
	struct sema_input in = { .path = path, .level = level,
				 .cmdline_level = level != 0 };

	VEC_PUSH(r->a, &r->o->inputs, in);
	return true;
}

static bool set_root(struct reader *r, const char *v)
{
	const char *eq = strchr(v, '=');
	int i;

	if (!eq || eq[1] != '/') {
		fprintf(r->err, "polc: --root takes NAME=DIR with an absolute DIR, "
				"not '%s'\n", v);
		return false;
	}
	for (i = IR_ROOT_HOME; i < IR_ROOT_COUNT; i++) {
		struct str name = { v, (size_t)(eq - v) };

		if (str_eqz(name, ir_root_name((enum ir_root)i))) {
			r->o->root[i] = eq + 1;
			return true;
		}
	}
	fprintf(r->err, "polc: no root is called '%.*s'; there are HOME, PROJECT_DIR, "
			"TMPDIR and SESSION_DIR\n", (int)(eq - v), v);
	return false;
}

static bool set_color(struct reader *r, const char *v)
{
	static const char *const words[] = { "auto", "always", "never" };
	size_t i;

	for (i = 0; i < POL_LEN(words); i++) {
		if (strcmp(v, words[i]) == 0) {
			r->o->color = (enum cli_color)i;
			return true;
		}
	}
	return bad_value(r, v);
}

static bool set_created(struct reader *r, const char *v)
{
	uint64_t n;

	if (!num_u64(str_from(v), &n) || n > INT64_MAX)
		return bad_value(r, v);
	r->o->created = (int64_t)n;
	return true;
}

static bool set_serial(struct reader *r, const char *v)
{
	if (!num_u64(str_from(v), &r->o->serial) || !r->o->serial)
		return bad_value(r, v);
	return true;
}

static bool set_date(struct reader *r, const char *v, const char **slot)
{
	int64_t days;

	if (!num_date(str_from(v), &days))
		return bad_value(r, v);
	*slot = v;
	return true;
}

static bool set_scope(struct reader *r, const char *v)
{
	bool host;

	if (!one_of(r, v, "sandbox", "host", &host))
		return false;
	r->o->scope = host ? IR_HOST : IR_SANDBOX;
	return true;
}

static bool set_format(struct reader *r, const char *v)
{
	static const struct {
		const char *word;
		enum cli_format format;
		unsigned verbs;
	} words[] = {
		{ "text", CLI_TEXT, V_ALL },
		{ "json", CLI_JSON, V_ALL },
		{ "yaml", CLI_YAML, V(CLI_EFFECTIVE) },
		{ "markdown", CLI_MARKDOWN, V(CLI_DIFF) },
	};
	size_t i;

	for (i = 0; i < POL_LEN(words); i++) {
		if (strcmp(v, words[i].word) != 0 || !(words[i].verbs & V(r->o->verb)))
			continue;
		r->o->format = words[i].format;
		r->o->json = words[i].format == CLI_JSON;
		return true;
	}
	return bad_value(r, v);
}

static bool set_role(struct reader *r, const char *v)
{
	if (!*v)
		return bad_value(r, v);
	r->o->role = v;
	return true;
}

static bool set_option(struct reader *r, const char *v)
{
	struct options *o = r->o;

	switch ((enum opt_id)r->row->id) {
	case OPT_MANAGED:
		return add_input(r, v, IR_MANAGED);
	case OPT_MANAGED_FILE:
		return add_input(r, v, IR_MANAGED_FILE);
	case OPT_PROJECT:
		return add_input(r, v, IR_PROJECT);
	case OPT_USER:
		return add_input(r, v, IR_USER);
	case OPT_ROLE:
		return set_role(r, v);
	case OPT_SCOPE:
		return set_scope(r, v);
	case OPT_DISCOVER:
		o->discover = true;
		o->discover_dir = v;
		return true;
	case OPT_ROOT:
		return set_root(r, v);
	case OPT_FORMAT:
		return set_format(r, v);
	case OPT_FAIL_ON:
		return o->verb == CLI_DIFF ?
			       one_of(r, v, "any", "widening", &o->fail_on_widening) :
			       one_of(r, v, "error", "warning", &o->fail_on_warning);
	case OPT_VERBOSE:
		o->verbose = true;
		return true;
	case OPT_OUTPUT:
		o->output = v;
		return true;
	case OPT_SERIAL:
		return set_serial(r, v);
	case OPT_EXPIRES:
		return set_date(r, v, &o->expires);
	case OPT_NOT_BEFORE:
		return set_date(r, v, &o->not_before);
	case OPT_REPRODUCE:
		o->reproduce = v;
		return true;
	case OPT_PREVIOUS:
		o->previous = v;
		return true;
	case OPT_SIGN:
	case OPT_KEY:
		o->key = v;
		return true;
	case OPT_SIGNERS:
		o->signers = v;
		return true;
	case OPT_PRINCIPAL:
		o->principal = v;
		return true;
	case OPT_CREATED:
		return set_created(r, v);
	case OPT_NO_SOURCES:
		o->no_sources = true;
		return true;
	case OPT_NO_NFT_BATCH:
		o->no_nft_batch = true;
		return true;
	case OPT_CWD:
		o->cwd = v;
		return true;
	case OPT_AFTER:
		o->after = v;
		return true;
	case OPT_SECTION:
		o->section = v;
		return true;
	case OPT_COLOR:
		return set_color(r, v);
	case OPT_WRITE:
		o->write = true;
		return true;
	case OPT_CHECK:
		o->check = true;
		return true;
	case OPT_DIFF:
		o->diff = true;
		return true;
	case OPT_TO:
		o->to = v;
		return one_of(r, v, "pol", "yaml", &o->to_yaml);
	case OPT_HELP:
		o->help = true;
		return true;
	case OPT_VERSION:
		o->version = true;
		return true;
	case OPT_COUNT:
		break;
	}
	return false;
}

/* --- words ------------------------------------------------------------------- */

static bool unknown_option(struct reader *r, struct str name)
{
	const char *names[ROW_COUNT], *near;
	size_t i, n = 0;

	for (i = 0; i < ROW_COUNT; i++)
		if (specs[i].verbs & V(r->o->verb))
			names[n++] = specs[i].name;
	near = diag_suggest(name, names, n);
	fprintf(r->err, "polc: unknown option '--%.*s'", STR_ARG(name));
	if (near)
		fprintf(r->err, ": did you mean '--%s'?", near);
	fputc('\n', r->err);
	return false;
}

/* Reads --name, --name=value or --name value; steps *i over a separate value. */
static bool read_long(struct reader *r, int argc, char **argv, int *i)
{
	const char *word = argv[*i] + 2, *eq = strchr(word, '=');
	struct str name = { word, eq ? (size_t)(eq - word) : strlen(word) };
	const char *value = eq ? eq + 1 : NULL;
	size_t k;

	for (k = 0; k < ROW_COUNT; k++)
		if ((specs[k].verbs & V(r->o->verb)) && str_eqz(name, specs[k].name))
			break;
	if (k == ROW_COUNT)
		return unknown_option(r, name);
	if (specs[k].arg == OPTSPEC_NONE && value) {
		fprintf(r->err, "polc: --%s takes no value\n", specs[k].name);
		return false;
	}
	if (specs[k].arg == OPTSPEC_ONE && !value) {
		if (*i + 1 >= argc) {
			fprintf(r->err, "polc: --%s wants %s\n", specs[k].name,
				specs[k].value);
			return false;
		}
		value = argv[++*i];
	}
	r->row = &specs[k];
	return set_option(r, value);
}

/* Reads -o value, -ovalue or -v: one letter in each word. */
static bool read_short(struct reader *r, int argc, char **argv, int *i)
{
	const char *word = argv[*i];
	const char *value = word[2] ? word + 2 : NULL;
	size_t k;

	for (k = 0; k < ROW_COUNT; k++)
		if ((specs[k].verbs & V(r->o->verb)) && specs[k].letter == word[1])
			break;
	if (k == ROW_COUNT || (specs[k].arg == OPTSPEC_NONE && value)) {
		fprintf(r->err, "polc: unknown option '%s'\n", word);
		return false;
	}
	if (specs[k].arg == OPTSPEC_ONE && !value) {
		if (*i + 1 >= argc) {
			fprintf(r->err, "polc: -%c wants %s\n", word[1],
				specs[k].value);
			return false;
		}
		value = argv[++*i];
	}
	r->row = &specs[k];
	return set_option(r, value);
}

/* Adds OLD first, then NEW. */
static bool add_side(struct reader *r, const char *word)
{
	if (r->o->nsides == POL_LEN(r->o->sides)) {
		fprintf(r->err, "polc: diff compares two policies and '%s' is a third: name "
				"what both have by --managed, --user and the like\n", word);
		return false;
	}
	r->o->sides[r->o->nsides++] = word;
	return true;
}

static bool read_operand(struct reader *r, const char *word)
{
	if (r->o->verb == CLI_DIFF)
		return add_side(r, word);
	if (!ends_in(word, ".polb") && !options_wants_bundle(r->o->verb))
		return add_input(r, word, 0);
	if (r->o->bundle) {
		fprintf(r->err, "polc: two bundles, '%s' and '%s': one at a time\n",
			r->o->bundle, word);
		return false;
	}
	r->o->bundle = word;
	return true;
}

static bool is_request(const char *word)
{
	size_t i;

	for (i = 0; options_requests[i]; i++)
		if (strcmp(word, options_requests[i]) == 0)
			return true;
	return false;
}

static bool read_words(struct reader *r, int argc, char **argv)
{
	bool ended = false;
	int i;

	for (i = 0; i < argc; i++) {
		const char *word = argv[i];
		bool ok;

		if (!ended && strcmp(word, "--") == 0) {
			ended = true;
			continue;
		}
		if (r->o->verb == CLI_EXPLAIN && is_request(word)) {
			r->o->request = (const char *const *)argv + i;
			r->o->nrequest = (size_t)(argc - i);
			return true;
		}
		if (!ended && word[0] == '-' && word[1] == '-')
			ok = read_long(r, argc, argv, &i);
		else if (!ended && word[0] == '-' && word[1])
			ok = read_short(r, argc, argv, &i);
		else
			ok = read_operand(r, word);
		if (!ok || r->o->help || r->o->version)
			return ok;
	}
	return true;
}

bool options_read(struct options *o, struct arena *a, enum cli_verb verb,
		  int argc, char **argv, FILE *err)
{
	struct reader r = { .o = o, .a = a, .err = err };

	*o = (struct options){ .verb = verb, .scope = IR_SANDBOX, .created = -1 };
	if (!read_words(&r, argc, argv))
		return false;
	if (o->help || o->version)
		return true;
	return options_check(o, err);
}
