/*
 * Decides, after the whole command line was read, what is missing and which options
 * do not go together.
 */
#include "compiler/cli/options_check.h"

#include "compiler/diag/diag.h"

struct asked {
	const struct options *o;
	FILE *err;
};

static bool complain(struct asked *r, const char *text)
{
	fprintf(r->err, "polc: %s\n", text);
	return false;
}

/* Checks OLD and NEW.  Sources that both sides share do not go with a bundle. */
static bool check_sides(struct asked *r)
{
	const struct options *o = r->o;
	size_t i;

	if (o->nsides != POL_LEN(o->sides))
		return complain(r,
				"diff wants OLD and NEW: a FILE.pol, FILE.polb or REV:FILE each");
	for (i = 0; i < o->nsides; i++)
		if (str_ends(str_from(o->sides[i]), STR(".polb")) &&
		    (o->inputs.n || o->discover))
			return complain(r,
					"a bundle is a whole policy: name it without "
					"further sources or --discover");
	return true;
}

static bool check_policy(struct asked *r)
{
	const struct options *o = r->o;

	if (o->fallback && !o->discover)
		return complain(r, "--fallback goes with --discover");
	if (o->fallback && (strncmp(o->fallback, "std/", 4) != 0 || strstr(o->fallback, "..")))
		return complain(r, "--fallback names a policy of the standard library, such as "
				   "std/profile/local");
	if (o->verb == CLI_DIFF)
		return check_sides(r);
	if (o->bundle && (o->inputs.n || o->discover))
		return complain(r, "a bundle is a whole policy: name it alone, "
				   "without sources or --discover");
	if (o->bundle && o->verb != CLI_EXPLAIN && o->verb != CLI_EFFECTIVE &&
	    o->verb != CLI_DUMP && o->verb != CLI_EMIT && o->verb != CLI_PROVE &&
	    o->verb != CLI_EXPOSURE && !(o->verb == CLI_CHECK && o->against) &&
	    !options_wants_bundle(o->verb)) {
		fprintf(r->err,
			"polc: '%s' is compiled already; this verb reads "
			"sources\n",
			o->bundle);
		return false;
	}
	if (o->reproduce && (o->inputs.n || o->discover || o->output || o->key))
		return complain(r, "--reproduce takes the sources of the bundle and "
				   "writes nothing: name it alone");
	if (o->reproduce)
		return true;
	if (!o->bundle && !o->inputs.n && !o->discover)
		return complain(
			r, options_wants_bundle(o->verb)
				   ? "name a bundle"
				   : "name a policy: FILE.pol, --managed FILE, "
				     "--managed-file FILE, --project FILE, --user FILE "
				     "or --discover");
	return true;
}

/* Checks verbs that read texts one by one, and not as one policy. */
static bool check_texts(struct asked *r)
{
	const struct options *o = r->o;

	if (o->bundle) {
		fprintf(r->err,
			"polc: '%s' is compiled already; this verb reads "
			"sources\n",
			o->bundle);
		return false;
	}
	if (!o->inputs.n)
		return complain(r, "name a file, or '-' for standard input");
	if (o->verb == CLI_CONVERT && (!o->to || o->inputs.n > 1))
		return complain(r, o->to ? "convert takes one file at a time" :
					   "convert wants --to pol or --to yaml");
	if (o->write && o->check)
		return complain(r, "--check writes nothing: leave --write away");
	for (size_t i = 0; o->write && i < o->inputs.n; i++)
		if (strcmp(o->inputs.v[i].path, "-") == 0)
			return complain(r, "standard input cannot be written back: "
					   "leave --write away");
	return true;
}

/* If the first word of a request is misspelled, it was read as another policy. */
static bool no_request(struct asked *r)
{
	size_t n = 0;

	while (options_requests[n])
		n++;
	for (size_t i = 0; i < r->o->inputs.n; i++) {
		const char *word = r->o->inputs.v[i].path;
		const char *near = diag_suggest(str_from(word), options_requests, n);

		if (near && !r->o->inputs.v[i].cmdline_level) {
			fprintf(r->err, "polc: explain wants a request, and '%s' begins none: "
				"did you mean '%s'?\n", word, near);
			return false;
		}
	}
	return complain(r, "explain wants a request: command LINE, "
			   "argv -- WORDS, file read|write|exec PATH, "
			   "net tcp|udp HOST:PORT, unix PATH, "
			   "syscall NAME[(ARG,...)], tool NAME, setting NAME, env NAME, "
			   "limit NAME, mount PLACE, publish PORT");
}

static bool check_verb(struct asked *r)
{
	const struct options *o = r->o;

	if (o->verb == CLI_COMPILE && !o->output && !o->reproduce)
		return complain(r, "compile wants -o OUT.polb");
	if (o->verb == CLI_SIGN && !o->key)
		return complain(r, "sign wants --key KEY");
	if (o->verb == CLI_DUMP && !o->after)
		return complain(r, "dump wants --after PASS");
	if (o->verb == CLI_EMIT && !o->to)
		return complain(r, "emit wants --to nft-host");
	if (o->verb == CLI_PROVE && !o->assertion)
		return complain(r, "prove wants an assertion in one word: 'never SET', "
				   "'always EFFECT SET' or 'only SET'");
	if (o->verb == CLI_EXPLAIN && !o->nrequest)
		return no_request(r);
	return true;
}

static bool check_trust(struct asked *r)
{
	const struct options *o = r->o;

	if (o->list && (o->revoke || o->inputs.n))
		return complain(r, "--list stands alone");
	if (o->bundle)
		return complain(r, "trust is for the texts of a project; bundles are signed");
	return o->list || o->inputs.n ? true : complain(r, "name a file, or --list");
}

bool options_check(const struct options *o, FILE *err)
{
	struct asked r = { o, err };

	if (o->verb == CLI_TRUSTED)
		return check_trust(&r);
	if (o->verb == CLI_INIT)
		return o->inputs.n < 2 && !o->bundle ? true :
			complain(&r, "init takes one folder");
	if (o->verb == CLI_FMT || o->verb == CLI_CONVERT)
		return check_texts(&r);
	return check_policy(&r) && check_verb(&r);
}
