/*
 * `polc compile`: checks, proves what was emitted, and writes the bundle.  OUT is
 * either the complete new bundle or what it was before.
 */
#include <sodium.h>
#include <stdlib.h>
#include <time.h>

#include "compiler/backend/nft/net.h"
#include "compiler/bundle/sign.h"
#include "compiler/bundle/writer.h"
#include "compiler/cli/asserts.h"
#include "compiler/cli/cli.h"
#include "compiler/cli/inputs.h"
#include "compiler/cli/lints.h"
#include "compiler/cli/passes.h"
#include "compiler/cli/report.h"
#include "compiler/cli/reproduce.h"
#include "compiler/cli/revision.h"
#include "compiler/cli/statement.h"
#include "compiler/cli/tests.h"

/*
 * --created, else SOURCE_DATE_EPOCH, else no time: the same input makes the same
 * bytes.  A signed bundle always has a time; by default that of the clock.
 */
static bool created(const struct options *o, int64_t *ret)
{
	const char *epoch = getenv("SOURCE_DATE_EPOCH");
	uint64_t n;

	*ret = o->created;
	if (o->created >= 0)
		return true;
	if (!epoch || !*epoch) {
		if (o->key)
			*ret = (int64_t)time(NULL);
		return true;
	}
	if (!num_u64(str_from(epoch), &n) || n > INT64_MAX) {
		fprintf(stderr, "polc: SOURCE_DATE_EPOCH is '%s', not a number of "
				"seconds\n", epoch);
		return false;
	}
	*ret = (int64_t)n;
	return true;
}

static struct str sha256_of(const struct bundle *b, struct arena *a)
{
	unsigned char sum[crypto_hash_sha256_BYTES];
	struct buf hex;

	(void)crypto_hash_sha256(sum, b->manifest, b->manifest_size);
	buf_init(&hex, a);
	for (size_t i = 0; i < sizeof(sum); i++)
		buf_printf(&hex, "%02x", sum[i]);
	return buf_view(&hex);
}

/*
 * Adds the digest of the previous manifest, which must belong to the same policy; if `state`,
 * also what this policy permits beyond that bundle.  If the digest is there already, it must
 * be the same one.
 */
static bool previous(const struct compilation *c, const char *path, bool state,
		     struct bundle_options *opt)
{
	uint64_t serial = opt->serial ? opt->serial : c->ir->serial;
	struct str before = opt->previous;
	struct ir stated = *c->ir;
	struct bundle b;
	bool ok;

	/* as the bundle will say it */
	if (opt->expires.n)
		stated.expires = opt->expires;

	if (state && revision_is(path) ? !revision_bundle(path, c->a, &b) : !cli_bundle(path, &b))
		return false;
	opt->previous = sha256_of(&b, c->a);
	ok = str_eqz(c->ir->name, b.name) && b.serial < serial;
	if (!ok)
		fprintf(stderr, "polc: '%s' is '%s' with serial %llu: a bundle follows "
				"one of its own name with a lower serial\n",
			path, b.name, (unsigned long long)b.serial);
	if (ok && before.n && !str_eq(before, opt->previous)) {
		fprintf(stderr, "polc: '%s' is not the bundle that this one follows\n", path);
		ok = false;
	}
	ok = ok && (!state || statement_make(&b, path, &stated, c->a, &opt->changes));
	bundle_release(&b);
	return ok;
}

static bool options_of(const struct compilation *c, struct bundle_options *ret)
{
	const struct options *o = c->o;

	*ret = (struct bundle_options){
		.serial = o->serial,
		.expires = o->expires ? str_from(o->expires) : STR_NULL,
		.not_before = o->not_before ? str_from(o->not_before) : STR_NULL,
		.signatures = o->key ? 1 : 0,
		.no_sources = o->no_sources,
		.version = POL_VERSION,
	};
	return created(o, &ret->created) &&
	       (!o->previous || previous(c, o->previous, false, ret)) &&
	       (!o->against || previous(c, o->against, true, ret));
}

/* Takes the fields of the manifest from `fixed` or, if it is NULL, from the options. */
static enum cli_exit build(struct compilation *c, const struct bundle_options *fixed,
			   struct buf *ret_bytes)
{
	struct bundle_options opt;
	struct tests_result t = { .judged = NULL };
	enum cli_exit e = passes_run(c, NULL);

	if (c->ir)
		report_fill(c);
	if (e == CLI_CLEAN && !c->sink.errors)
		e = passes_verify(c);
	if (e == CLI_CLEAN && !c->sink.errors)
		e = tests_run(c, &t);
	if (e == CLI_CLEAN && !c->sink.errors)
		e = asserts_run(c);
	if (c->ir) {
		suppress_lints(c, SUPPRESS_QUIETLY);
		report_sum(c);
	}
	if (e != CLI_CLEAN || c->sink.errors)
		return e == CLI_INTERNAL || e == CLI_UNDECIDED ? e : CLI_FINDINGS;
	if (fixed)
		opt = *fixed;
	if (fixed ? c->o->against && !previous(c, c->o->against, true, &opt) :
		    !options_of(c, &opt))
		return CLI_TROUBLE;
	if (!bk_net_capture(c->ir, &c->out, c->o->no_nft_batch, &opt.nft, &c->sink))
		return CLI_FINDINGS;
	if (bundle_write(c->ir, &c->out, &opt, ret_bytes, &c->sink))
		return CLI_CLEAN;
	c->internal = "no bundle, and no message";
	return c->sink.errors ? CLI_FINDINGS : CLI_INTERNAL;
}

/* --- --reproduce ---------------------------------------- */

/*
 * The bundle does not say which sources were named and which were only used by
 * others.  So the inputs are first those that no other source uses, then all.
 */
static void take_inputs(struct options *o, struct arena *a, const struct reproduce *r,
			const struct compilation *first)
{
	o->inputs.n = 0;
	for (size_t i = 0; i < r->inputs.n; i++) {
		const struct sema_input *in = &r->inputs.v[i];
		bool used = false;

		for (size_t k = 0; first && k < first->sema.units.n; k++) {
			const struct sema_unit *u = first->sema.units.v[k];

			used |= u->from && u->level == in->level &&
				str_eq(u->name, in->name);
		}
		if (!used)
			VEC_PUSH(a, &o->inputs, *in);
	}
}

static enum cli_exit again(struct compilation *c, const struct reproduce *r,
			   const char **ret_what)
{
	enum cli_exit e;
	struct buf bytes;

	c->sema.stdlib_dir = r->stdlib_dir;
	buf_init(&bytes, c->a);
	e = build(c, &r->opt, &bytes);
	if (e != CLI_CLEAN)
		return e;
	return reproduce_same(r, c->a, buf_view(&bytes), ret_what) ? CLI_CLEAN :
								     CLI_FINDINGS;
}

/* A change statement that was only taken over is not shown to be true. */
static enum cli_exit said_of(const struct options *o, const struct reproduce *r)
{
	if (!r->b.changes || o->against) {
		printf("reproduced: manifest %s\n", r->b.digest);
		return CLI_CLEAN;
	}
	printf("reproduced but for its change statement: manifest %s\n", r->b.digest);
	(void)fflush(stdout);
	fprintf(stderr, "polc: the change statement was not made again: give the bundle with "
			"serial %llu (manifest %s) to --against\n",
		(unsigned long long)r->b.changes->serial, r->b.changes->against);
	return CLI_UNDECIDED;
}

/* Can there be a statement to compare with? */
static bool wants_statement(const struct options *o, const struct reproduce *r)
{
	if (!o->against || r->b.changes)
		return true;
	fprintf(stderr, "polc: '%s' has no change statement: leave --against away\n",
		o->reproduce);
	return false;
}

static enum cli_exit reproduce(struct options *o, struct arena *a)
{
	struct compilation all, roots;
	const char *what = NULL;
	enum cli_exit e = CLI_TROUBLE;
	struct reproduce r;

	if (reproduce_begin(o->reproduce, a, &r) && wants_statement(o, &r)) {
		o->role = r.role;
		take_inputs(o, a, &r, NULL);
		o->no_nft_batch = !bundle_member(&r.b, PB_NFT_BATCH);
		compilation_init(&all, o, a);
		e = again(&all, &r, &what);
		if (e == CLI_FINDINGS) {
			take_inputs(o, a, &r, &all);
			compilation_init(&roots, o, a);
			what = NULL;
			e = again(&roots, &r, &what);
			if (e != CLI_CLEAN && !what)
				(void)cli_refuse(&roots, e, CLI_FINDINGS);
		} else if (e != CLI_CLEAN) {
			(void)cli_refuse(&all, e, CLI_FINDINGS);
		}
		if (e == CLI_CLEAN)
			e = said_of(o, &r);
		else if (what)
			fprintf(stderr, "polc: '%s' is not what its sources give: '%s' "
					"differs\n", o->reproduce, what);
	}
	reproduce_end(&r);
	return e;
}

/* --- the verb ---------------------------------------- */

/* Reads what was just written as polrun will read it, then signs it if there is a key. */
static enum cli_exit read_back(struct compilation *c, struct str *bytes)
{
	struct rt_err err = { .err = 0 };
	uint8_t *copy = malloc(bytes->n);
	struct str text;
	struct bundle b;
	bool ok;

	if (!copy) {
		c->internal = "out of memory";
		return CLI_INTERNAL;
	}
	memcpy(copy, bytes->p, bytes->n);
	if (bundle_parse(copy, bytes->n, &b, &err) < 0) {
		c->internal = arena_printf(c->a, "the reader refuses it: %s", err.text);
		return CLI_INTERNAL;
	}
	ok = !c->o->key || (bundle_sign(c->a, &b, c->o->key, &text, &c->sink) &&
			    bundle_add_signature(c->a, &b, text, bytes, &c->sink));
	bundle_release(&b);
	return ok ? CLI_CLEAN : CLI_TRUST;
}

enum cli_exit cmd_compile(struct options *o, struct arena *a)
{
	struct compilation c;
	enum cli_exit e;
	struct buf bytes;
	struct str whole;

	if (o->reproduce)
		return reproduce(o, a);
	compilation_init(&c, o, a);
	buf_init(&bytes, a);
	if (!cli_sources(o, a))
		return CLI_TROUBLE;
	e = build(&c, NULL, &bytes);
	whole = buf_view(&bytes);
	if (e == CLI_CLEAN && (o->key || o->against))
		e = read_back(&c, &whole);
	if (e != CLI_CLEAN)
		return cli_refuse(&c, e, CLI_FINDINGS);
	report_print(&c);
	return cli_write(a, o->output, whole) && (!o->inputs_list || inputs_write(&c, o->inputs_list)) ?
		       CLI_CLEAN : CLI_TROUBLE;
}
