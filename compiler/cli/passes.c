/*
 * Runs the list of passes.  The folder of a pass decides what it does; this file
 * decides the order, and that a broken IR never goes further.
 */
#include "compiler/cli/passes.h"

#include <stdlib.h>
#include <time.h>

#include "compiler/analysis/lift.h"
#include "compiler/ast/print.h"
#include "compiler/backend/rules/rules.h"
#include "compiler/backend/table.h"
#include "compiler/cli/examples.h"
#include "compiler/frontend/frontend.h"
#include "compiler/lower/lower.h"
#include "runtime/state/state_dir.h"
#include "runtime/state/trusted.h"

/* Runs only the front end, on the files that were named: for dump. */
static bool pass_parse(struct compilation *c)
{
	size_t i;

	for (i = 0; i < c->o->inputs.n; i++) {
		const struct sema_input *in = &c->o->inputs.v[i];
		struct str name = in->name.n ? in->name : str_from(in->path);
		struct ast_file *tree;
		uint32_t file;
		int err = sema_input_text(&c->map, in, &file);

		if (err) {
			diag_add(&c->sink, DIAG_FILE_READ, SPAN_NONE,
				 "'%.*s' cannot be read: %s", STR_ARG(name),
				 strerror(-err));
			continue;
		}
		tree = frontend_parse(c->a, &c->sink, &c->map, file);
		if (tree)
			VEC_PUSH(c->a, &c->trees, tree);
	}
	return !c->sink.errors;
}

static bool pass_load(struct compilation *c)
{
	return sema_load(&c->sema, c->o->inputs.v, c->o->inputs.n);
}

static bool pass_resolve(struct compilation *c)
{
	bool ok = sema_resolve(&c->sema);

	/* lowering finds other errors; report them in the same run */
	if (!ok && c->sema.resolved)
		(void)lower_policy(&c->sema);
	return ok;
}

static bool pass_lower(struct compilation *c)
{
	c->ir = lower_policy(&c->sema);
	return c->ir != NULL;
}

static bool run_lift(struct compilation *c)
{
	return pass_lift(c->ir, &c->sink);
}

static bool run_examples(struct compilation *c)
{
	examples_run(c->ir, &c->sink);
	return !c->sink.errors;
}

static void print_parsed(FILE *out, struct compilation *c)
{
	struct buf b;
	size_t i;

	buf_init(&b, c->a);
	for (i = 0; i < c->trees.n; i++)
		ast_print_file(&b, c->trees.v[i]);
	if (b.n)
		fwrite(b.p, 1, b.n, out);
}

static void print_tree(FILE *out, struct compilation *c)
{
	struct buf b;

	buf_init(&b, c->a);
	sema_dump(&b, &c->sema);
	if (b.n)
		fwrite(b.p, 1, b.n, out);
}

static void print_ir(FILE *out, struct compilation *c)
{
	ir_print(out, c->ir);
}

static const struct pass {
	const char *name;
	bool (*run)(struct compilation *c);
	void (*print)(FILE *out, struct compilation *c);
	bool changes_ir; /* which is verified afterwards */
} front[] = {
	{ "parse", pass_parse, print_parsed, false },
	{ "load", pass_load, print_tree, false },
	{ "resolve", pass_resolve, print_tree, false },
	{ "lower", pass_lower, print_ir, true },
	{ "examples", run_examples, print_ir, false },
	{ "lift", run_lift, print_ir, true },
};

/* The day for `until`: from --created or SOURCE_DATE_EPOCH, else today. */
static int64_t today(const struct options *o)
{
	const char *epoch = getenv("SOURCE_DATE_EPOCH");
	uint64_t seconds;

	if (o->created >= 0)
		return o->created / 86400;
	if (epoch && num_u64(str_from(epoch), &seconds) && seconds <= INT64_MAX)
		return (int64_t)(seconds / 86400);
	return (int64_t)time(NULL) / 86400;
}

/* Did the user record, with `polc trust`, this text at this path? */
static bool trust_counts(const char *real, struct str text)
{
	char dir[PATH_MAX];
	struct trusted t;
	bool ret;

	if (state_dir_own(dir, NULL) < 0 || trusted_open(dir, &t, NULL) < 0)
		return false;
	ret = trusted_has(&t, real, text.p, text.n);
	trusted_release(&t);
	return ret;
}

void compilation_init(struct compilation *c, const struct options *o,
		      struct arena *a)
{
	*c = (struct compilation){ .o = o, .a = a };
	source_init(&c->map, a);
	diag_init(&c->sink, a);
	sema_init(&c->sema, a, &c->sink, &c->map, NULL);
	if (o->role)
		c->sema.role = str_from(o->role);
	c->sema.today = today(o);
	if (o->discover) {
		c->sema.trusted = trust_counts;
	}
	c->report.a = a;
	c->out.a = a;
}

static enum cli_exit broken(struct compilation *c, const char *pass, const char *why)
{
	c->internal = arena_printf(c->a, "after the pass '%s': %s", pass, why);
	return CLI_INTERNAL;
}

static enum cli_exit verify_ir(struct compilation *c, const char *pass)
{
	const char *why = c->ir ? ir_verify(c->ir, c->a) : NULL;

	return why ? broken(c, pass, why) : CLI_CLEAN;
}

/* A pass that fails must leave a message, and one that leaves errors has failed. */
static enum cli_exit run_pass(struct compilation *c, const struct pass *p)
{
	bool ok = p->run(c);

	if (!ok && !c->sink.errors)
		return c->internal ? CLI_INTERNAL :
				     broken(c, p->name, "it failed without a message");
	if (c->sink.errors)
		return CLI_FINDINGS;
	return p->changes_ir ? verify_ir(c, p->name) : CLI_CLEAN;
}

static bool is_not_asked(const struct compilation *c, const struct backend *bk)
{
	return bk->for_decisions && c->o->verb == CLI_CHECK && !c->ir->tests.n;
}

static enum cli_exit run_backend(struct compilation *c, const struct backend *bk)
{
	bool ok = true;

	bk->check(c->ir, &c->report, &c->sink);
	/* after errors only check runs, since it may report more of them */
	if (!c->sink.errors && !is_not_asked(c, bk))
		ok = bk->emit(c->ir, &c->out, &c->sink);
	if (!ok && !c->sink.errors)
		return broken(c, bk->name, "it emitted nothing, without a message");
	return CLI_CLEAN;
}

/* `until`: the last back end, or NULL for all. */
static enum cli_exit backends_run(struct compilation *c, const char *until)
{
	const struct backend *const *bk;
	enum cli_exit e;

	for (bk = bk_table; *bk; bk++) {
		e = run_backend(c, *bk);
		if (e != CLI_CLEAN)
			return e;
		if (until && strcmp(until, (*bk)->name) == 0)
			break;
	}
	/* once is enough: back ends get the IR as const */
	e = verify_ir(c, "the back ends");
	if (e != CLI_CLEAN)
		return e;
	if (c->sink.errors)
		return CLI_FINDINGS;
	if (!*bk && !bk_rules_annotate(c->ir, &c->report, &c->out, &c->sink))
		return c->sink.errors ? CLI_FINDINGS :
		       broken(c, "rules", "no exactness, without a message");
	return CLI_CLEAN;
}

enum cli_exit passes_run(struct compilation *c, const char *until)
{
	enum cli_exit e;
	size_t i;

	/* "load" parses too, with used files, so "parse" runs only if asked for */
	for (i = until && strcmp(until, "parse") == 0 ? 0 : 1; i < POL_LEN(front); i++) {
		e = run_pass(c, &front[i]);
		if (e != CLI_CLEAN)
			return e;
		if (until && strcmp(until, front[i].name) == 0)
			return e;
	}
	return backends_run(c, until);
}

enum cli_exit passes_of_ir(struct compilation *c)
{
	return backends_run(c, NULL);
}

enum cli_exit passes_verify(struct compilation *c)
{
	const struct backend *const *bk;

	for (bk = bk_table; *bk; bk++) {
		const char *why = (*bk)->verify(c->ir, &c->out, c->a);

		if (why) {
			c->internal = arena_printf(c->a, "what the back end '%s' emitted "
						   "is not the policy: %s",
						   (*bk)->name, why);
			return CLI_INTERNAL;
		}
	}
	return CLI_CLEAN;
}

const char *const *passes_names(struct arena *a, size_t *ret_n)
{
	VEC(const char *) names = { NULL, 0, 0 };
	const struct backend *const *bk;
	size_t i;

	for (i = 0; i < POL_LEN(front); i++)
		VEC_PUSH(a, &names, front[i].name);
	for (bk = bk_table; *bk; bk++)
		VEC_PUSH(a, &names, (*bk)->name);
	*ret_n = names.n;
	return names.v;
}

const struct backend *passes_backend(struct str name)
{
	const struct backend *const *bk;

	for (bk = bk_table; *bk; bk++)
		if (str_eqz(name, (*bk)->name))
			return *bk;
	return NULL;
}

void passes_print(FILE *out, struct compilation *c, const char *name)
{
	const struct backend *bk = passes_backend(str_from(name));
	size_t i;

	for (i = 0; i < POL_LEN(front); i++)
		if (strcmp(name, front[i].name) == 0)
			front[i].print(out, c);
	if (bk)
		bk->print(out, &c->out);
}
