/*
 * Reads the command line after the verb, word by word, by the table of options.c.  What
 * is missing and what does not go together is left to options_check.c.
 */
#include "compiler/cli/options_read.h"

#include "compiler/cli/assertion.h"
#include "compiler/cli/options_check.h"
#include "compiler/cli/options_ids.h"
#include "compiler/diag/diag.h"

struct reader {
	struct options *o;
	const struct optspec *specs; /* the table, of `nspecs` rows */
	size_t nspecs;
	const struct optspec *row; /* the option that is being read */
	struct arena *a;
	FILE *err;
};

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
			"GIT_COMMON_DIR, TMPDIR, SESSION_DIR and SSH_AUTH_SOCK\n", (int)(eq - v), v);
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

/* Is `v` one of the words that the row of the option names, as in "text|json"? */
static bool is_named(const struct reader *r, const char *v)
{
	size_t n = strlen(v);

	for (const char *w = r->row->value; w; w = strchr(w, '|')) {
		w += *w == '|';
		if (strcspn(w, "|") == n && strncmp(w, v, n) == 0)
			return true;
	}
	return false;
}

static bool set_format(struct reader *r, const char *v)
{
	static const char *const words[] = { [CLI_TEXT] = "text", [CLI_JSON] = "json",
					     [CLI_YAML] = "yaml",
					     [CLI_MARKDOWN] = "markdown",
					     [CLI_HTML] = "html" };

	for (size_t i = 0; i < POL_LEN(words); i++) {
		if (strcmp(v, words[i]) != 0 || !is_named(r, v))
			continue;
		r->o->format = (enum cli_format)i;
		r->o->json = r->o->format == CLI_JSON;
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

/* The level at which a rule is looked for; std/base's is nobody's. */
static bool set_why_level(struct reader *r, const char *v)
{
	for (int i = IR_MANAGED; i <= IR_USER; i++)
		if (strcmp(v ? v : "user", ir_level_name((enum ir_level)i)) == 0) {
			r->o->why_level = (enum ir_level)i;
			return true;
		}
	fprintf(r->err, "polc: '%s' is no level: managed, managed-file, project or user\n", v);
	return false;
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
	case OPT_FALLBACK:
		o->fallback = v;
		return true;
	case OPT_ROOT:
		return set_root(r, v);
	case OPT_FORMAT:
		return set_format(r, v);
	case OPT_FAIL_ON:
		return o->verb == CLI_DIFF ?
			       one_of(r, v, "any", "widening", &o->fail_on_widening) :
			       one_of(r, v, "error", "warning", &o->fail_on_warning);
	case OPT_AGAINST:
		o->against = v;
		return true;
	case OPT_TRAFFIC:
		VEC_PUSH(r->a, &o->traffic, v);
		return true;
	case OPT_MAX:
		o->has_max = true;
		return num_u64(str_from(v), &o->max) || bad_value(r, v);
	case OPT_VERBOSE:
		o->verbose = true;
		return true;
	case OPT_OUTPUT:
		o->output = v;
		return true;
	case OPT_INPUTS:
		o->inputs_list = v;
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
	case OPT_WHY_NOT:
		return set_why_level(r, v);
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
		return o->verb == CLI_EMIT || one_of(r, v, "pol", "yaml", &o->to_yaml);
	case OPT_UID:
		o->uid = v;
		return true;
	case OPT_CGROUP:
		o->cgroup = v;
		return true;
	case OPT_LOOPBACK:
		o->loopback = true;
		return true;
	case OPT_STRICT:
		o->strict = true;
		return true;
	case OPT_LIST:
		o->list = true;
		return true;
	case OPT_REVOKE:
		o->revoke = true;
		return true;
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

/* Does the verb have the option of this row? */
static bool has_row(const struct reader *r, const struct optspec *row)
{
	return row->verbs >> r->o->verb & 1;
}

static bool unknown_option(struct reader *r, struct str name)
{
	const char **names = arena_array(r->a, r->nspecs, sizeof(*names)), *near;
	size_t i, n = 0;

	for (i = 0; i < r->nspecs; i++)
		if (has_row(r, &r->specs[i]))
			names[n++] = r->specs[i].name;
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
	const struct optspec *row = r->specs, *end = row + r->nspecs;

	while (row < end && !(has_row(r, row) && str_eqz(name, row->name)))
		row++;
	if (row == end)
		return unknown_option(r, name);
	if (row->arg == OPTSPEC_NONE && value) {
		fprintf(r->err, "polc: --%s takes no value\n", row->name);
		return false;
	}
	if (row->arg == OPTSPEC_ONE && !value) {
		if (*i + 1 >= argc) {
			fprintf(r->err, "polc: --%s wants %s\n", row->name, row->value);
			return false;
		}
		value = argv[++*i];
	}
	r->row = row;
	return set_option(r, value);
}

/* Reads -o value, -ovalue or -v: one letter in each word. */
static bool read_short(struct reader *r, int argc, char **argv, int *i)
{
	const char *word = argv[*i];
	const char *value = word[2] ? word + 2 : NULL;
	const struct optspec *row = r->specs, *end = row + r->nspecs;

	while (row < end && !(has_row(r, row) && row->letter == word[1]))
		row++;
	if (row == end || (row->arg == OPTSPEC_NONE && value)) {
		fprintf(r->err, "polc: unknown option '%s'\n", word);
		return false;
	}
	if (row->arg == OPTSPEC_ONE && !value) {
		if (*i + 1 >= argc) {
			fprintf(r->err, "polc: -%c wants %s\n", word[1], row->value);
			return false;
		}
		value = argv[++*i];
	}
	r->row = row;
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

static bool set_assertion(struct reader *r, const char *word)
{
	if (r->o->assertion) {
		fprintf(r->err, "polc: two assertions: one at a time\n");
		return false;
	}
	r->o->assertion = word;
	return true;
}

static bool read_operand(struct reader *r, const char *word)
{
	if (r->o->verb == CLI_DIFF)
		return add_side(r, word);
	if (r->o->verb == CLI_PROVE && assertion_begins(word))
		return set_assertion(r, word);
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

/* Who names no policy asks about the one that polrun would run under here. */
static void default_policy(struct options *o)
{
	static const enum cli_verb verbs[] = { CLI_CHECK, CLI_EFFECTIVE, CLI_EXPLAIN,
					       CLI_EXPOSURE };
	bool here = false;

	for (size_t i = 0; i < POL_LEN(verbs); i++)
		here |= o->verb == verbs[i];
	if (!here || o->inputs.n || o->bundle || o->discover || o->fallback)
		return;
	o->discover = o->unnamed = true;
	o->fallback = "std/profile/local";
}

bool options_read(struct options *o, struct arena *a, enum cli_verb verb,
		  int argc, char **argv, FILE *err)
{
	struct reader r = { .o = o, .a = a, .err = err };

	r.specs = options_specs(&r.nspecs);
	*o = (struct options){ .verb = verb, .scope = IR_SANDBOX, .created = -1 };
	if (!read_words(&r, argc, argv))
		return false;
	if (o->help || o->version)
		return true;
	default_policy(o);
	return options_check(o, err);
}
