/*
 * What the tests of the laws share: a folder for texts, the passes up to
 * "lift" or all of them, and a count of what decided.
 */
#ifndef TESTS_PROP_LAWS_H
#define TESTS_PROP_LAWS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "compiler/analysis/lift.h"
#include "compiler/bundle/writer.h"
#include "compiler/cli/compiled.h"
#include "compiler/cli/passes.h"
#include "compiler/lower/lower.h"
#include "tests/prop/law_rows.h"
#include "tests/prop/near_request.h"

struct law {
	const char *name;
	uint64_t seed;
	unsigned long runs, usual, compiled, refused, requests, bites;
	unsigned long step[EVAL_STEP_COUNT], level[IR_LEVEL_COUNT], effect[IR_EFFECT_COUNT],
		kind[IR_KIND_COUNT];
	unsigned kinds; /* a mask of those that the law speaks of; 0: it decides nothing */
	bool (*met)(void); /* what else has to occur, or NULL */
	char dir[32];
};

static struct pol_seen law_seen;

/* One case in so many is a row of law_rows.h: the seeds that this divides. */
#define LAW_ROW_EACH 3u

/* With the sanitizers a third, which is a row of each kind all the same. */
static inline unsigned long law_usual(unsigned long usual)
{
#ifdef __SANITIZE_ADDRESS__
	unsigned long least = LAW_ROW_EACH * POL_LEN(law_rows);

	return usual / 3 > least ? usual / 3 : usual < least ? usual : least;
#else
	return usual;
#endif
}

/* Whether what occurred may be counted: RUNS=1 repeats one policy and is no survey, and the
 * sanitizers' third may miss what is rare. */
static inline bool law_is_whole(const struct law *l)
{
#ifdef __SANITIZE_ADDRESS__
	(void)l;
	return false;
#else
	return l->runs >= l->usual;
#endif
}

/* SEED= and RUNS= of the environment, else the time and `usual`. */
static inline void law_begin(struct law *l, const char *name, unsigned long usual,
			     unsigned kinds)
{
	const char *seed = getenv("SEED"), *runs = getenv("RUNS");
	char std[64];

	*l = (struct law){ .name = name, .kinds = kinds };
	l->seed = seed ? strtoull(seed, NULL, 0) : (uint64_t)time(NULL);
	l->usual = law_usual(usual);
	l->runs = runs ? strtoul(runs, NULL, 0) : l->usual;
	strcpy(l->dir, "/tmp/pol-laws.XXXXXX");
	assert_non_null(mkdtemp(l->dir));
	snprintf(std, sizeof(std), "%s/std", l->dir);
	assert_int_equal(mkdir(std, 0700), 0);
	printf("%s: SEED=%llu RUNS=%lu\n", name, (unsigned long long)l->seed, l->runs);
	fflush(stdout); /* a program that dies says it all the same */
}

static inline unsigned law_nrows(const struct law *l)
{
	return l->kinds == 1u << IR_COMMAND ? LAW_ROWS_OF_COMMANDS : POL_LEN(law_rows);
}

static inline struct pol_gen law_gen(const struct law *l, unsigned long run, struct arena *a)
{
	uint64_t seed = l->seed + run;
	struct pol_gen g = { .seen = &law_seen, .r = { .s = seed * 0x9e3779b97f4a7c15u | 1, .a = a } };
	int i;

	for (i = 0; i < 8; i++)
		(void)rnd_below(&g.r, 2);
	if (l->kinds && seed % LAW_ROW_EACH == 0)
		g.row = &law_rows[seed / LAW_ROW_EACH % law_nrows(l)];
	return g;
}

/* The policy of a case: random, or the row's. */
static inline struct pol law_pol(struct pol_gen *g)
{
	return g->row ? law_row_texts(g) : pol_random(g);
}

/* --- compiling --------------------------------------------------------------- */

static const struct {
	const char *name;
	enum ir_level level; /* 0: no input of its own */
	bool discovered;
} law_files[POL_SLOTS] = {
	[POL_MANAGED] = { "m.pol", IR_MANAGED, false },
	[POL_MANAGED_FILE] = { "f.pol", IR_MANAGED_FILE, false },
	[POL_PROJECT] = { "p.pol", IR_PROJECT, false },
	[POL_DISCOVERED] = { "d.pol", IR_PROJECT, true },
	[POL_USER] = { "u.pol", IR_USER, false },
	[POL_USER_TOO] = { "v.pol", IR_USER, false },
	[POL_BASE] = { "std/base.pol", 0, false },
	[POL_FLOOR] = { "std/floor.pol", 0, false },
	[POL_LIB] = { "lib.pol", 0, false },
};

/* Writes the texts; *ret_o names those that have a level. */
static inline void law_place(struct arena *a, const char *dir, const struct pol *p,
			     struct options *ret_o)
{
	size_t i;

	*ret_o = (struct options){ .created = -1, .scope = IR_SANDBOX, .verb = CLI_COMPILE,
				   .role = p->role };
	for (i = 0; i < POL_SLOTS; i++) {
		const char *path = arena_printf(a, "%s/%s", dir, law_files[i].name);
		struct sema_input in = { .path = path, .name = str_from(law_files[i].name),
					 .level = law_files[i].level,
					 .discovered = law_files[i].discovered,
					 .cmdline_level = !law_files[i].discovered };
		FILE *f;

		if (!p->text[i])
			continue;
		f = fopen(path, "we");
		assert_non_null(f);
		assert_true(fputs(p->text[i], f) >= 0);
		assert_int_equal(fclose(f), 0);
		if (law_files[i].level)
			VEC_PUSH(a, &ret_o->inputs, in);
	}
}

static inline void law_show(const struct pol *p)
{
	size_t i;

	for (i = 0; i < POL_SLOTS; i++)
		if (p->text[i])
			printf("--- %s\n%s", law_files[i].name, p->text[i]);
}

/* All passes (`until` NULL) or those up to one of them. */
static inline bool law_compile(struct law *l, struct compilation *c, struct options *o,
			       const struct pol *p, const char *until, struct arena *a)
{
	enum cli_exit e;

	law_place(a, l->dir, p, o);
	compilation_init(c, o, a);
	c->sema.stdlib_dir = arena_printf(a, "%s/std", l->dir);
	e = passes_run(c, until);
	if (e == CLI_CLEAN && !until)
		e = passes_verify(c);
	if (e == CLI_INTERNAL) {
		law_show(p);
		fail_msg("%s", c->internal);
	}
	if (e != CLI_CLEAN && getenv("SHOW"))
		diag_render(stdout, &c->sink, &c->map, false);
	l->compiled += e == CLI_CLEAN;
	l->refused += e != CLI_CLEAN;
	return e == CLI_CLEAN;
}

/* The IR of texts, or NULL where they are refused. */
static inline const struct ir *law_ir(struct law *l, const struct pol *p, struct arena *a)
{
	struct compilation *c = ARENA_NEW(a, struct compilation);
	struct options *o = ARENA_NEW(a, struct options);

	return law_compile(l, c, o, p, "lift", a) ? c->ir : NULL;
}

/* --- decisions ----------------------------------------------------------------- */

static inline struct eval_decision law_decide(struct law *l, const struct ir *ir,
					    const struct ir_request *q, struct arena *a)
{
	struct eval_decision d;

	eval_decide(ir, q, a, &d);
	l->requests++;
	l->step[d.step]++;
	l->effect[d.effect]++;
	l->kind[q->kind]++;
	if (d.rule)
		l->level[d.rule->level]++;
	return d;
}

/* The row of a case is decided as it says; a case without one is content. */
static inline void law_row_decides(struct law *l, const struct pol_gen *g, const struct ir *ir,
				   struct arena *a)
{
	const struct pol_row *row = g->row;
	struct ir_request q = law_request(g, 0, (struct ir_request){ .kind = IR_COMMAND });
	struct eval_decision d;

	if (!row)
		return;
	if (!ir)
		fail_msg("refused (SHOW=1 says why): %s", row->text);
	d = law_decide(l, ir, &q, a);
	if (d.step != row->step || d.effect != row->effect ||
	    (d.rule ? d.rule->level : 0) != row->level)
		fail_msg("%s: %s by the step '%s'", row->text, ir_effect_name(d.effect),
			 eval_step_name(d.step));
}

/* A hide is a deny. */
static inline int law_strict(const struct eval_decision *d)
{
	return d->effect == IR_HIDE ? IR_DENY : (int)d->effect;
}

static inline const char *law_by(const struct ir *ir, const struct eval_decision *d,
				 struct arena *a)
{
	struct str id = d->rule ? d->rule->id : ir->scalars[d->scalar].id;

	return arena_printf(a, "%s by %.*s (%s)", ir_effect_name(d->effect), STR_ARG(id),
			    eval_step_name(d->step));
}

static inline void law_show_field(const char *what, struct str s)
{
	if (s.p)
		printf(" %s '%.*s'", what, STR_ARG(s));
}

static inline void law_show_request(const struct ir_request *q)
{
	size_t i;

	if (!q)
		return;
	printf("request: %s op %d scope %d%s port %u proto %d nr %u%s", ir_kind_name(q->kind),
	       q->op, q->scope, q->abstract ? " abstract" : "", q->port, q->proto, q->nr,
	       q->unparsed ? " unparsed" : "");
	law_show_field("path", q->path);
	law_show_field("host", q->host);
	law_show_field("cwd", q->cwd);
	for (i = 0; i < q->nargv; i++)
		law_show_field("word", q->argv[i]);
	for (i = 0; i < 6; i++)
		printf(" arg 0x%llx", (unsigned long long)q->args[i]);
	for (i = 0; i < IR_ROOT_COUNT; i++)
		law_show_field("root", q->roots.dir[i]);
	printf("\n");
}

/* --- the end ----------------------------------------------------------------------- */

static inline unsigned law_need(const char *what, const char *name, unsigned long n,
				bool wanted)
{
	printf(" %s '%s' %lu%s", what, name, n, n || !wanted ? "" : " NEVER\n");
	return !n && wanted;
}

/* How much of what decides has never decided. */
static inline unsigned law_survey(const struct law *l)
{
	unsigned kinds = l->kinds;
	bool net = kinds & 1u << IR_NET, command = kinds & 1u << IR_COMMAND;
	unsigned bad = 0;
	int i;

	for (i = 0; i < EVAL_STEP_COUNT; i++)
		bad += law_need("step", eval_step_name((enum eval_step)i), l->step[i],
				i == EVAL_STEP_MODE || i == EVAL_STEP_GUARD ? net :
				i == EVAL_STEP_UNKNOWN ? kinds & 1u << IR_SYSCALL :
				i == EVAL_STEP_RISK || i == EVAL_STEP_OPAQUE ? command : true);
	putchar('\n');
	for (i = IR_MANAGED; i < IR_LEVEL_COUNT; i++)
		bad += law_need("level", ir_level_name((enum ir_level)i), l->level[i], true);
	for (i = 0; i < IR_EFFECT_COUNT; i++)
		bad += law_need("effect", ir_effect_name((enum ir_effect)i), l->effect[i],
				i != IR_HIDE || kinds & 1u << IR_FILE);
	for (i = 0; i < IR_KIND_COUNT; i++)
		bad += law_need("kind", ir_kind_name((enum ir_kind)i), l->kind[i],
				kinds & 1u << i);
	putchar('\n');
	return bad;
}

/* What the texts of all laws so far held; a survey wants each of them. */
static inline bool law_held(void)
{
	const struct pol_seen *s = &law_seen;
	const struct {
		const char *what;
		unsigned long n;
	} held[] = {
		{ "roles", s->roles },	   { "when role", s->when_role },
		{ "tools", s->tools },	   { "classes of tools", s->classes },
		{ "groups", s->groups },   { "settings", s->settings },
		{ "until", s->until },	   { "may yes", s->may_yes },
		{ "guards", s->guards },	   { "regexes", s->regexes },
		{ "grants", s->grants },
	};
	bool all = true;
	size_t i;

	fputs("texts:", stdout);
	for (i = 0; i < POL_LEN(held); i++) {
		printf(" %s %lu", held[i].what, held[i].n);
		all &= held[i].n > 0;
	}
	putchar('\n');
	return all;
}

/* `one` for each run, in an arena of its own. */
static inline void law_repeat(struct law *l,
			      void (*one)(struct law *, unsigned long, struct arena *))
{
	unsigned long i;

	for (i = 0; i < l->runs; i++) {
		struct arena a;

		arena_init(&a, ARENA_DEFAULT_BUDGET);
		one(l, i, &a);
		arena_release(&a);
	}
}

static inline void law_end(struct law *l)
{
	unsigned bad;
	char rm[64];

	printf("%s: %lu texts compiled, %lu refused, %lu requests, %lu times it had to hold\n",
	       l->name, l->compiled, l->refused, l->requests, l->bites);
	bad = l->kinds ? law_survey(l) : 0;
	snprintf(rm, sizeof(rm), "rm -rf '%s'", l->dir);
	assert_int_equal(system(rm), 0);
	/* RUNS=1 repeats one policy and is no survey; a few may miss what is rare */
	if (l->runs < l->usual)
		return;
	assert_int_equal(bad, 0);
	assert_true(!l->kinds || law_held());
	assert_true(!l->met || l->met());
	assert_true(l->bites > 0);
	assert_true(l->compiled > l->refused);
}

#endif
