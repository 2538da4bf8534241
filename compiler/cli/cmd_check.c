/*
 * `polc check`: everything that compile does, except proving and writing the output.
 * Several policies are checked one after the other.  A message about a file that they
 * share is printed once.
 */
#include <stdlib.h>

#include "compiler/base/json_buf.h"
#include "compiler/cli/against.h"
#include "compiler/cli/alone.h"
#include "compiler/cli/asserts.h"
#include "compiler/cli/cli.h"
#include "compiler/cli/lints.h"
#include "compiler/cli/passes.h"
#include "compiler/cli/report.h"
#include "compiler/cli/tests.h"

/* Up to this many errors of one policy are compared with those of others. */
#define MAX_COMPARED 1000

struct checker {
	const struct options *o;
	struct arena *a;
	struct alone alone;
	bool keeps;      /* keep the messages, since they are needed later */
	struct map said; /* whole message -> JSON to print, or nothing */
	struct map judged;
	struct tests_result t;
	size_t of[DIAG_ERROR + 1]; /* number of diagnostics by severity */
	struct buf against;        /* --against: a JSON object for each policy */
	bool beyond, in_doubt;     /* --against: any policy */
	size_t undecided;          /* errors: assertions that are not decided */
	bool no_ceiling;           /* --against: it could not be compared */
};

static void put_json(const struct checker *k)
{
	struct json j;
	struct buf b;

	buf_init(&b, k->a);
	json_buf_init(&j, &b);
	json_object(&j, NULL);
	json_uint(&j, "errors", k->of[DIAG_ERROR]);
	json_uint(&j, "warnings", k->of[DIAG_WARNING]);
	json_uint(&j, "notes", k->of[DIAG_NOTE]);
	json_object(&j, "tests");
	json_uint(&j, "passed", k->t.passed);
	json_uint(&j, "failed", k->t.failed);
	json_object_end(&j);
	json_array(&j, "alone");
	for (size_t i = 0; k->alone.n > 1 && i < k->alone.n; i++)
		json_cstr(&j, NULL, k->alone.file[i]);
	json_array_end(&j);
	if (k->o->against)
		buf_printf(&b, ",\"against\":[%.*s]", STR_ARG(buf_view(&k->against)));
	json_array(&j, "diagnostics");
	for (size_t i = 0, n = 0; i < k->said.n; i++) {
		const struct str *one = k->said.e[i].value;

		if (one->n)
			buf_z(&b, n++ ? ",\n " : "");
		buf_str(&b, *one);
	}
	buf_z(&b, "]\n}\n");
	fwrite(b.p, 1, b.n, stdout);
}

static void put_sum(const struct checker *k)
{
	const char *const *file = k->alone.file;
	size_t errors = k->of[DIAG_ERROR], warnings = k->of[DIAG_WARNING];

	if (k->alone.n > 1)
		printf("%zu files were checked, each as a policy of its own; as one "
		       "policy: "
		       "--project %.*s --project %.*s%s\n",
		       k->alone.n, STR_ARG(cli_clean(k->a, str_from(file[0]), false)),
		       STR_ARG(cli_clean(k->a, str_from(file[1]), false)),
		       k->alone.n > 2 ? " \xe2\x80\xa6" : "");
	printf("%zu error%s, %zu warning%s; %zu test%s passed, %zu failed\n", errors,
	       errors == 1 ? "" : "s", warnings, warnings == 1 ? "" : "s", k->t.passed,
	       k->t.passed == 1 ? "" : "s", k->t.failed);
}

static struct str as_json(struct checker *k, struct compilation *c,
			  const struct diag *d)
{
	struct buf b;

	buf_init(&b, k->a);
	diag_json_one(&b, d, &c->map);
	return buf_view(&b);
}

/* NULL if an earlier policy had the same message; else the place for it in `said`. */
static struct str *keep(struct checker *k, struct compilation *c, struct diag *d,
			const char *file)
{
	struct str key = as_json(k, c, d);
	struct str *json;

	if (file && map_get(&k->said, key))
		return NULL;
	if (file && d->at.file == SOURCE_NONE)
		diag_note(&c->sink, d, SPAN_NONE, "said of '%s'", file);
	json = ARENA_NEW(k->a, struct str);
	map_put(&k->said, key, json);
	return json;
}

/* Leaves only new messages in the sink, and no more errors than a sink shows. */
static void drop_said(struct checker *k, struct compilation *c, const char *file)
{
	struct diag_sink *s = &c->sink;
	size_t n = 0, errors = 0;

	for (size_t i = 0; i < s->list.n; i++) {
		struct diag *d = s->list.v[i];
		struct str *json = keep(k, c, d, file);

		if (!json) {
			s->errors -= d->severity == DIAG_ERROR;
			s->warnings -= d->severity == DIAG_WARNING;
			s->notes -= d->severity == DIAG_NOTE;
			continue;
		}
		errors += d->severity == DIAG_ERROR;
		if (d->severity == DIAG_ERROR && errors > DIAG_DEFAULT_LIMIT)
			continue;
		if (k->o->json)
			*json = as_json(k, c, d);
		s->list.v[n++] = d;
	}
	s->list.n = n;
	s->limit = DIAG_DEFAULT_LIMIT;
}

/* Each answer counts, whatever those about the other policies are. */
static enum cli_exit against_one(struct checker *k, size_t i, struct arena *a)
{
	enum cli_exit e = against_run(k->o, &k->alone.each[i], k->alone.file[i], a,
				      &k->against);

	k->beyond |= e == CLI_FINDINGS;
	k->in_doubt |= e == CLI_UNDECIDED;
	k->no_ceiling |= e != CLI_CLEAN && e != CLI_FINDINGS && e != CLI_UNDECIDED;
	return e == CLI_INTERNAL ? e : CLI_CLEAN;
}

static void count_undecided(struct checker *k, const struct compilation *c)
{
	for (size_t i = 0; i < c->sink.list.n; i++)
		k->undecided += c->sink.list.v[i]->code == DIAG_ASSERT_UNDECIDED;
}

/* Only a policy that compiles has rules whose effect is known. */
static void lint_one(struct compilation *c, bool compiles)
{
	bool all = compiles && lints_rules(c);

	suppress_lints(c, all ? SUPPRESS_UNUSED : SUPPRESS_BAD);
}

static enum cli_exit check_one(struct checker *k, size_t i, struct arena *a)
{
	const char *file = k->alone.file[i];
	struct compilation c;
	enum cli_exit e;

	compilation_init(&c, &k->alone.each[i], a);
	if (file)
		c.sink.limit = MAX_COMPARED;
	e = passes_run(&c, NULL);
	if (c.ir)
		report_fill(&c);
	if (e == CLI_CLEAN && !c.sink.errors) {
		e = tests_run(&c, &k->t);
		if (e != CLI_INTERNAL)
			e = asserts_run(&c);
	}
	if (c.ir) {
		lint_one(&c, e == CLI_CLEAN && !c.sink.errors);
		report_sum(&c);
	}
	if (k->keeps)
		drop_said(k, &c, file);
	count_undecided(k, &c);
	k->of[DIAG_ERROR] += c.sink.errors;
	k->of[DIAG_WARNING] += c.sink.warnings;
	k->of[DIAG_NOTE] += c.sink.notes;
	if (!k->o->json)
		report_print(&c);
	if (e == CLI_INTERNAL)
		report_internal(&c);
	if (e == CLI_CLEAN && !c.sink.errors && k->o->against)
		return against_one(k, i, a);
	return e;
}

/* A policy with errors is not compared with the ceiling, and they come first. */
static enum cli_exit exit_of(const struct checker *k)
{
	if (k->no_ceiling)
		return CLI_TROUBLE;
	/* an assertion that is not decided is an error, with an exit status of its own */
	if (k->of[DIAG_ERROR] > k->undecided || (k->o->fail_on_warning && k->of[DIAG_WARNING]) ||
	    k->beyond)
		return CLI_FINDINGS;
	return k->in_doubt || k->undecided ? CLI_UNDECIDED : CLI_CLEAN;
}

enum cli_exit cmd_check(struct options *o, struct arena *a)
{
	struct checker k = { .o = o, .a = a };
	enum cli_exit e = CLI_CLEAN;

	if (!cli_sources(o, a))
		return CLI_TROUBLE;
	alone_split(&k.alone, o, a);
	k.keeps = o->json || k.alone.n > 1;
	map_init(&k.said, a);
	map_init(&k.judged, a);
	buf_init(&k.against, a);
	k.t.judged = k.alone.n > 1 ? &k.judged : NULL;
	for (size_t i = 0; i < k.alone.n && e != CLI_INTERNAL && !k.no_ceiling; i++) {
		struct arena own;

		arena_init(&own, a->budget);
		/* a bundle was checked when it was compiled */
		e = o->bundle ? against_one(&k, i, &own) : check_one(&k, i, &own);
		arena_release(&own);
	}
	if (o->json && !k.no_ceiling)
		put_json(&k);
	if (e == CLI_INTERNAL)
		return CLI_INTERNAL;
	if (!o->json && !k.no_ceiling && !o->bundle)
		put_sum(&k);
	return exit_of(&k);
}
