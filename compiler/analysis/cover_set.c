/*
 * Does one rule match wherever another one does: the cheap answers, then inclusion.
 */
#include "compiler/analysis/cover_set.h"

#include "compiler/analysis/diff_guard_key.h"
#include "compiler/sets/box.h"
#include "compiler/sets/lang.h"

/* Limit for the states that one question about words explores. */
#define BUDGET 20000
/* The evaluator gives up earlier on a pattern with many wildcards: nothing is said. */
#define MAX_WILD 6

/* --- cheap answers ------------------------------------------------------------------ */

static size_t literal(const struct ir_glob *g)
{
	size_t n = 0;

	while (n < g->n && g->v[n].op == IR_G_BYTE)
		n++;
	return n;
}

static bool is_word(const struct ir_word *w)
{
	return !w->any_words && literal(&w->glob) == w->glob.n;
}

static size_t base_from(const struct ir_glob *g)
{
	size_t i = g->n;

	while (i > 0 && g->v[i - 1].byte != '/')
		i--;
	return i;
}

/* Does the literal word `y` begin with the literal word `x`?  Equal: and end there. */
static bool begins(const struct ir_glob *y, const struct ir_glob *x, size_t from_y,
		   size_t from_x, bool equal)
{
	size_t n = x->n - from_x, i;

	if (y->n - from_y < n || (equal && y->n - from_y != n))
		return false;
	for (i = 0; i < n; i++)
		if (y->v[from_y + i].byte != x->v[from_x + i].byte)
			return false;
	return true;
}

/* The words in front decide most pairs: all must be literal up to there. */
static bool words_may_contain(const struct ir_command *by, const struct ir_command *r)
{
	size_t i;

	if (by->regex || r->regex)
		return by->regex && r->regex;
	for (i = 0; i < by->nwords && i < r->nwords; i++) {
		const struct ir_glob *x = &by->words[i].glob, *y = &r->words[i].glob;
		bool last = by->tail && i + 1 == by->nwords;

		if (!is_word(&by->words[i]) || !is_word(&r->words[i]))
			return true;
		if (!begins(y, x, i ? 0 : base_from(y), i ? 0 : base_from(x), !last))
			return false;
	}
	return i == by->nwords || by->words[i].any_words;
}

bool cover_may_contain(const struct ir_rule *by, const struct ir_rule *r)
{
	return r->kind != IR_COMMAND ||
	       words_may_contain(&by->set.u.command, &r->set.u.command);
}

static bool paths_may_meet(const struct ir_path *x, const struct ir_path *y)
{
	size_t nx = literal(&x->glob), ny = literal(&y->glob), i;

	if (x->root != y->root || x->abstract != y->abstract)
		return false;
	for (i = 0; i < nx && i < ny; i++)
		if (x->glob.v[i].byte != y->glob.v[i].byte)
			return false;
	return true;
}

bool cover_may_meet(const struct ir_rule *by, const struct ir_rule *r)
{
	switch (r->kind) {
	case IR_FILE:
	case IR_UNIX:
		return paths_may_meet(ir_set_path(by->kind, &by->set), ir_set_path(r->kind, &r->set));
	case IR_NET:
		return box_net_meets(&by->set.u.net, &r->set.u.net);
	case IR_SYSCALL:
		return by->set.u.syscall.nr == r->set.u.syscall.nr;
	case IR_TOOL:
		return true;
	case IR_COMMAND:
	case IR_KIND_COUNT:
		break;
	}
	return false;
}

/* --- commands ------------------------------------------------------------------------- */

static enum set_side opposite(enum set_side s)
{
	return s == SET_BROAD ? SET_NARROW : SET_BROAD;
}

static size_t wildcards(const struct ir_command *c)
{
	size_t i, k, n = 0;

	for (i = 0; i < c->nwords; i++) {
		n += c->words[i].any_words;
		for (k = 0; k < c->words[i].glob.n; k++)
			n += c->words[i].glob.v[k].op != IR_G_BYTE;
	}
	return n;
}

/* Is each guard of `by` one of `r`, too? */
static bool has_guards(struct arena *a, const struct ir_command *by,
		       const struct ir_command *r)
{
	size_t i, k;

	for (i = 0; i < by->nguards; i++) {
		struct str key = diff_guard_key(a, &by->guards[i]);

		for (k = 0; k < r->nguards; k++)
			if (str_eq(key, diff_guard_key(a, &r->guards[k])))
				break;
		if (k == r->nguards)
			return false;
	}
	return true;
}

static bool same_text(struct arena *a, const struct ir_set *x, const struct ir_set *y)
{
	struct buf bx, by;

	buf_init(&bx, a);
	buf_init(&by, a);
	ir_json_set(&bx, IR_COMMAND, x);
	ir_json_set(&by, IR_COMMAND, y);
	return str_eq(buf_view(&bx), buf_view(&by));
}

/* As deny, ask and an exception of an allow read: with options between the words. */
static struct set_re *all_readings(struct arena *a, const struct ir_command *c,
				   enum set_side side)
{
	return side == SET_BROAD && !c->regex ? set_from_readings(a, c) :
						set_from_command(a, c, side);
}

/* Is `r` outside of this exception of `by`, whatever options stand between the words? */
static enum set_answer is_outside(struct arena *a, const struct ir_set *except,
				  const struct ir_rule *by, const struct ir_rule *r)
{
	struct set_bytes any = { { UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX } };
	struct set_tagged rest = {
		.re = set_star(a, set_class(a, any)),
		.minus = all_readings(a, &except->u.command,
				      opposite(set_side_of(by->effect))),
	};

	return set_included(a, all_readings(a, &r->set.u.command, set_side_of(r->effect)), NULL,
			    &rest, 1, BUDGET, NULL);
}

static enum set_answer excepts_less(struct arena *a, const struct ir_rule *by,
				    const struct ir_rule *r)
{
	bool same_side = set_side_of(by->effect) == set_side_of(r->effect);
	enum set_answer got = SET_HOLDS;
	size_t i, k;

	for (i = 0; i < by->nexcept && got == SET_HOLDS; i++) {
		for (k = 0; k < r->nexcept && same_side; k++)
			if (same_text(a, &by->except[i], &r->except[k]))
				break;
		if (same_side && k < r->nexcept)
			continue;
		got = is_outside(a, &by->except[i], by, r);
	}
	return got;
}

static bool same_search(const struct ir_command *x, const struct ir_command *y)
{
	return x->regex && y->regex && str_eq(x->text, y->text) && x->regex_i == y->regex_i &&
	       x->regex_x == y->regex_x;
}

static enum set_answer words_inside(struct arena *a, const struct ir_rule *by,
				    const struct ir_rule *r)
{
	const struct ir_command *x = &by->set.u.command, *y = &r->set.u.command;
	struct set_tagged big;

	if (x->regex || y->regex)
		return same_search(x, y) && set_side_of(by->effect) == set_side_of(r->effect) ?
			       SET_HOLDS : SET_UNDECIDED;
	if (wildcards(y) > MAX_WILD)
		return SET_UNDECIDED;
	big = (struct set_tagged){ .re = set_from_command(a, x, set_side_of(by->effect)) };
	return set_included(a, set_from_command(a, y, set_side_of(r->effect)), NULL, &big, 1,
			    BUDGET, NULL);
}

static enum set_answer commands(struct arena *a, const struct ir_rule *by,
				const struct ir_rule *r)
{
	const struct ir_command *x = &by->set.u.command;
	bool same_side = set_side_of(by->effect) == set_side_of(r->effect);
	enum set_answer got;

	if (r->scopes & ~by->scopes)
		return SET_WITNESS;
	got = words_inside(a, by, r);
	if (got == SET_HOLDS)
		got = excepts_less(a, by, r);
	/* other options may be the same in truth: a guard is compared as it is written */
	if (got == SET_HOLDS && x->nguards &&
	    (!same_side || !has_guards(a, x, &r->set.u.command)))
		return SET_UNDECIDED;
	return got;
}

/* --- all kinds --------------------------------------------------------------------------- */

/* What the words of a command may name is looked for by each rule with its exceptions. */
static bool is_secret(const struct ir_rule *r)
{
	return r->kind == IR_FILE && r->effect >= IR_DENY;
}

enum set_answer cover_contains(struct arena *a, const struct ir_rule *by,
			       const struct ir_rule *r)
{
	if (r->kind == IR_COMMAND)
		return commands(a, by, r);
	if (is_secret(r) && by->nexcept)
		return SET_UNDECIDED;
	return set_rule_contains(a, by, r);
}

/* --- several ----------------------------------------------------------------------------- */

static struct set_re *text_of(struct arena *a, const struct ir_rule *r)
{
	enum set_side side = set_side_of(r->effect);

	if (r->kind == IR_TOOL)
		return set_from_word(a, &r->set.u.tool.glob, side);
	if (ir_set_path(r->kind, &r->set)->abstract)
		return set_from_word(a, &ir_set_path(r->kind, &r->set)->glob, side);
	return set_from_path(a, ir_set_path(r->kind, &r->set));
}

static bool is_whole(const struct ir_rule *by, const struct ir_rule *r)
{
	return !by->nexcept && !(r->scopes & ~by->scopes) && cover_may_meet(by, r) &&
	       (r->kind != IR_FILE || !(r->set.u.file.ops & ~by->set.u.file.ops));
}

/* The exceptions of `r` are not looked at: they only make it smaller. */
static enum set_answer texts(struct arena *a, const struct ir_rule *const *by, size_t n,
			     const struct ir_rule *r)
{
	bool words = r->kind == IR_TOOL || ir_set_path(r->kind, &r->set)->abstract;
	struct set_tagged *ys = arena_array(a, n + 1, sizeof(*ys));
	size_t i;

	for (i = 0; i < n; i++)
		ys[i] = (struct set_tagged){ .re = text_of(a, by[i]) };
	return set_included(a, text_of(a, r), words ? NULL : set_no_rest(a), ys, n, BUDGET,
			    NULL);
}

static enum set_answer boxes(struct arena *a, const struct ir_rule *const *by, size_t n,
			     const struct ir_rule *r)
{
	const struct ir_net **ys = arena_array(a, n + 1, sizeof(*ys));
	size_t i;

	for (i = 0; i < n; i++)
		ys[i] = &by[i]->set.u.net;
	return box_net_covered(&r->set.u.net, ys, n) ? SET_HOLDS : SET_WITNESS;
}

static enum set_answer calls(struct arena *a, const struct ir_rule *const *by, size_t n,
			     const struct ir_rule *r)
{
	static struct ir_cond never = { .op = IR_C_FALSE };
	struct ir_cond *any = &never;
	size_t i;

	for (i = 0; i < n; i++)
		any = box_or(a, any, by[i]->set.u.syscall.cond);
	return box_cond_included(a, r->set.u.syscall.cond, any, NULL);
}

enum set_answer cover_together(struct arena *a, const struct ir_rule *const *by, size_t n,
			       const struct ir_rule *r)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!is_whole(by[i], r))
			return SET_UNDECIDED;
	switch (r->kind) {
	case IR_FILE:
	case IR_UNIX:
	case IR_TOOL:
		return texts(a, by, n, r);
	case IR_NET:
		return boxes(a, by, n, r);
	case IR_SYSCALL:
		return calls(a, by, n, r);
	case IR_COMMAND:
	case IR_KIND_COUNT:
		break;
	}
	return SET_UNDECIDED;
}

/* --- links ------------------------------------------------------------------------------- */

/* The whole path, or the folders in front of the first name with a wildcard. */
static size_t fixed(const struct ir_glob *g)
{
	size_t n = literal(g);

	while (n < g->n && n > 0 && g->v[n - 1].byte != '/')
		n--;
	return n;
}

bool cover_same_links(const struct ir_rule *by, const struct ir_rule *r)
{
	const struct ir_path *x = ir_set_path(by->kind, &by->set), *y = ir_set_path(r->kind, &r->set);
	size_t n = fixed(&x->glob), i;

	if (x->root != y->root || fixed(&y->glob) != n)
		return false;
	for (i = 0; i < n; i++)
		if (x->glob.v[i].byte != y->glob.v[i].byte)
			return false;
	return (n == x->glob.n) == (n == y->glob.n);
}
