/*
 * Looks for rules that other rules make unimportant.  cover.h decides about each pair;
 * this file decides in which order rules are looked at, which of several alike is the
 * finding, and when to stop.
 */
#include "compiler/analysis/lint.h"

#include "compiler/analysis/cover.h"
#include "compiler/analysis/cover_set.h"

/*
 * Limits: sets that are compared; the memory that this takes in all, which stands for the
 * time; rules in one union.
 */
#define MAX_QUERIES 60000
#define MAX_WORK ((size_t)1024 * 1024 * 1024)
#define MAX_TOGETHER 64

struct lint {
	const struct lint_input *in;
	struct arena *a;
	struct lint_result *ret;
	struct cover cover;
	bool *gone; /* by rule index: a finding, so it explains no other one */
	size_t queries, work;
	const struct ir_rule *open; /* for the rule at hand: the first without an answer */
};

static bool is_spent(const struct lint *l)
{
	return l->queries >= MAX_QUERIES || l->work >= MAX_WORK;
}

/* --- questions ------------------------------------------------------------------------- */

static bool contains(struct lint *l, const struct ir_rule *by, const struct ir_rule *r)
{
	struct arena tmp;
	enum set_answer got;

	if (is_spent(l) || !cover_may_contain(by, r))
		return false;
	l->queries++;
	arena_init(&tmp, ARENA_DEFAULT_BUDGET);
	got = cover_contains(&tmp, by, r);
	l->work += tmp.used;
	arena_release(&tmp);
	if (got == SET_UNDECIDED && !l->open)
		l->open = by;
	return got == SET_HOLDS;
}

static bool together(struct lint *l, const struct ir_rule *const *by, size_t n,
		     const struct ir_rule *r)
{
	struct arena tmp;
	enum set_answer got;

	if (is_spent(l))
		return false;
	l->queries++;
	arena_init(&tmp, ARENA_DEFAULT_BUDGET);
	got = cover_together(&tmp, by, n, r);
	l->work += tmp.used;
	arena_release(&tmp);
	return got == SET_HOLDS;
}

/* --- one rule ---------------------------------------------------------------------------- */

/* The same requests, read as the other rule reads them? */
static bool is_opposite(struct lint *l, const struct ir_rule *by, const struct ir_rule *r)
{
	struct ir_rule turned = *r;

	turned.effect = by->effect;
	return by->level == r->level && by->scopes == r->scopes &&
	       contains(l, by, &turned) && contains(l, &turned, by);
}

static enum lint_kind kind_of(struct lint *l, const struct ir_rule *const *by, size_t n,
			      const struct ir_rule *r)
{
	bool dead = false, above = false;
	size_t i;

	for (i = 0; i < n; i++) {
		dead |= by[i]->effect != r->effect;
		above |= by[i]->level < r->level;
	}
	if (above)
		return LINT_OVERRULED;
	if (n == 1 && dead && is_opposite(l, by[0], r))
		return LINT_OPPOSITE;
	return dead ? LINT_DEAD : LINT_REDUNDANT;
}

static void found(struct lint *l, const struct ir_rule *r, const struct ir_rule *const *by,
		  size_t n)
{
	struct lint_finding f = { .rule = r, .nby = n };
	const struct ir_rule **v = arena_array(l->a, n + 1, sizeof(*v));
	size_t i;

	for (i = 0; i < n; i++) {
		v[i] = by[i];
		f.links |= (r->kind == IR_FILE ||
			    (r->kind == IR_UNIX && !r->set.u.unix_path.abstract)) &&
			   !cover_same_links(by[i], r);
	}
	f.by = v;
	f.kind = kind_of(l, by, n, r);
	l->gone[r->index] = true;
	VEC_PUSH(l->a, &l->ret->findings, f);
}

/* Leaves out one after the other, as long as the rest is enough. */
static size_t smallest(struct lint *l, const struct ir_rule **by, size_t n,
		       const struct ir_rule *r)
{
	size_t i = 0, k;

	while (i < n) {
		const struct ir_rule *one = by[i];

		for (k = i; k + 1 < n; k++)
			by[k] = by[k + 1];
		if (together(l, by, n - 1, r)) {
			n--;
			continue;
		}
		for (k = n - 1; k > i; k--)
			by[k] = by[k - 1];
		by[i++] = one;
	}
	return n;
}

static void look_at(struct lint *l, const struct ir_rule *r)
{
	const struct ir *ir = l->in->ir;
	const struct ir_rule *meets[MAX_TOGETHER];
	size_t i, n = 0;

	l->open = NULL;
	for (i = 0; i < ir->rules.n; i++) {
		const struct ir_rule *by = ir->rules.v[i];

		if (l->gone[i] || by->kind != r->kind ||
		    cover_why(&l->cover, by, r) == COVER_NOT)
			continue;
		if (contains(l, by, r)) {
			found(l, r, &by, 1);
			return;
		}
		if (n < MAX_TOGETHER && !by->nexcept && cover_may_meet(by, r))
			meets[n++] = by;
	}
	if (n > 1 && together(l, meets, n, r)) {
		n = smallest(l, meets, n, r);
		found(l, r, meets, n);
	} else if (l->open) {
		struct lint_open open = { .rule = r, .by = l->open };

		VEC_PUSH(l->a, &l->ret->open, open);
	}
}

/* The last rule first, so that of two alike the later one is the finding. */
void lint_rules(const struct lint_input *in, struct arena *a, struct lint_result *ret)
{
	struct lint l = { .in = in, .a = a, .ret = ret };
	size_t i, k;

	*ret = (struct lint_result){ .nrest = 0 };
	cover_init(&l.cover, in->ir, a, in->weak);
	l.gone = arena_array(a, in->ir->rules.n + 1, sizeof(*l.gone));
	for (i = in->ir->rules.n; i-- > 0;) {
		const struct ir_rule *r = in->ir->rules.v[i];

		if (!in->asked[i] || !cover_is_asked(&l.cover, r))
			continue;
		if (is_spent(&l)) {
			ret->rest = r;
			ret->nrest++;
			continue;
		}
		look_at(&l, r);
	}
	for (i = 0, k = ret->findings.n; i + 1 < k; i++, k--) {
		struct lint_finding t = ret->findings.v[i];

		ret->findings.v[i] = ret->findings.v[k - 1];
		ret->findings.v[k - 1] = t;
	}
}
