/*
 * Decides whether two sets of rules act alike under every combination of conditions.
 * Each option that a guard names is an unknown with the answers to the four questions
 * that guards ask about it (eval/match_guard.c); every other condition is an unknown
 * that holds never, in some readings, or in all of them.
 */
#include <stdlib.h>

#include "compiler/analysis/diff_cond.h"
#include "compiler/analysis/diff_guard_key.h"
#include "compiler/analysis/diff_key.h"
#include "compiler/analysis/diff_table.h"
#include "compiler/analysis/diff_unknown.h"
#include "compiler/eval/levels.h"
#include "compiler/eval/match_program.h"
#include "compiler/eval/tabled.h"

/*
 * An option by its unknowns: itself, or (for "-rf" where letters are options) all of its
 * letters.
 */
struct cond_option {
	bool itself;
	uint32_t *unknowns; /* the first is itself, if that is possible */
	size_t n;
};

/* A guard, or an expression that is not regular. */
struct cond {
	bool option; /* WITH or WITHOUT; else one unknown of its own */
	bool without, narrow;
	struct cond_option *options;
	size_t n;
	uint32_t unknown;
};

/* All of the conditions must hold. */
struct cond_set {
	struct cond *v;
	size_t n;
};

struct cond_item {
	const struct diff_item *it;
	struct cond_set set, *except;
	size_t nexcept;
	bool may, must; /* in this combination */
};

struct conds {
	struct arena a;
	const struct diff_small *small;
	struct diff_tables t;
	bool clusters; /* "-rf" is "-r" and "-f", and no option of its own */
	bool untabled; /* neither policy has a table of the program */
	uint32_t conditions; /* that ask about options */
	struct diff_unknowns u;
	struct cond_item *items;
	size_t nitems;
};

/* --- conditions ------------------------------------------------------------------------ */

/*
 * Options that the tables of both policies take for the same one have one key.  What `*`
 * matches in a name depends on the side: then it is another unknown.
 */
static struct str option_key(struct conds *c, const struct ir_option *o, bool broad)
{
	bool plain = ir_glob_is_literal(&o->name) &&
		     (!o->value || ir_glob_is_literal(o->value));

	return str_printf(&c->a, "option %d %.*s", !plain && broad,
			  STR_ARG(diff_option_key(&c->a, o)));
}

static const struct ir_guard *with_first_names(struct conds *c, const struct ir_guard *g)
{
	struct ir_guard *to = ARENA_NEW(&c->a, struct ir_guard);
	size_t i;

	*to = *g;
	to->options = arena_array(&c->a, g->noptions + 1, sizeof(*to->options));
	for (i = 0; i < g->noptions; i++)
		to->options[i] = diff_table_first(&c->t, &g->options[i]);
	return to;
}

/* Which of its two answers does somebody need? */
struct need { bool may, must; };

static uint8_t asked_of_option(const struct cond *k, struct need need)
{
	uint8_t may = k->without ? DIFF_SURE : DIFF_CAN;
	uint8_t must = k->without ? (k->narrow ? DIFF_CAN : DIFF_HELD) : (k->narrow ? DIFF_SURE : DIFF_GIVEN);

	return (uint8_t)((need.may ? may : 0) | (need.must ? must : 0));
}

static uint8_t asked_of_other(struct need need)
{
	return (uint8_t)((need.may ? DIFF_MAY : 0) | (need.must ? DIFF_MUST : 0));
}

static uint32_t unknown_of(struct conds *c, const struct ir_option *o, const struct ir_option *spelled,
			   bool broad, uint8_t asked)
{
	uint32_t i = diff_unknown_add(&c->u, option_key(c, o, broad), true, asked);

	diff_unknown_name(&c->u, i, spelled, broad);
	return i;
}

/* `spelled` is how the policy names the option `o`. */
static struct cond_option cond_of_option(struct conds *c, const struct ir_option *o,
					 const struct ir_option *spelled, bool broad, uint8_t asked)
{
	struct cond_option k = { .n = 0 };
	size_t n = diff_table_letters(o), i;

	k.unknowns = arena_array(&c->a, n + 1, sizeof(*k.unknowns));
	k.itself = !n || !c->clusters;
	if (k.itself)
		k.unknowns[k.n++] = unknown_of(c, o, spelled, broad, asked);
	for (i = 0; i < n; i++) {
		struct ir_option one = diff_table_letter(&c->a, o, i);

		k.unknowns[k.n++] = unknown_of(c, &one, &one, broad, asked);
		/* a word that may be this option may always be its letters, too */
		if (k.itself && c->untabled && diff_table_reads_letters(o))
			diff_unknown_implies(&c->u, k.unknowns[0], k.unknowns[k.n - 1]);
	}
	for (i = 0; i < k.n; i++)
		diff_unknown_use(&c->u, k.unknowns[i], c->conditions, !n);
	return k;
}

static struct cond cond_of_guard(struct conds *c, const struct ir_guard *of, bool narrow,
				 struct need need)
{
	struct cond k = { .narrow = narrow, .without = of->kind == IR_GD_WITHOUT };
	const struct ir_guard *g = with_first_names(c, of);
	size_t i;

	k.option = g->kind == IR_GD_WITH || k.without;
	k.options = arena_array(&c->a, g->noptions + 1, sizeof(*k.options));
	if (!k.option) {
		struct str key = str_printf(&c->a, "guard %d %.*s", narrow,
					    STR_ARG(diff_guard_key(&c->a, g)));

		k.unknown = diff_unknown_add(&c->u, key, false, asked_of_other(need));
		diff_unknown_guard(&c->u, k.unknown, g, narrow);
		return k;
	}
	for (i = 0; i < g->noptions; i++)
		k.options[k.n++] = cond_of_option(c, &g->options[i], &of->options[i],
						  narrow == k.without, asked_of_option(&k, need));
	c->conditions++;
	return k;
}

/* An expression that is not regular. */
static struct cond cond_of_search(struct conds *c, const struct ir_command *x, bool narrow,
				  struct need need)
{
	struct cond k = { .narrow = narrow };
	struct str key = str_printf(&c->a, "search %d%d%d %.*s", narrow, x->regex_i,
				    x->regex_x, STR_ARG(x->text));

	k.unknown = diff_unknown_add(&c->u, key, false, asked_of_other(need));
	return k;
}

static struct cond_set conds_of(struct conds *c, const struct ir_command *x,
				const struct set_re *search, bool narrow,
				struct need need)
{
	struct cond_set s = { arena_array(&c->a, x->nguards + 1, sizeof(*s.v)), 0 };
	size_t i;

	if (x->regex && !search)
		s.v[s.n++] = cond_of_search(c, x, narrow, need);
	for (i = 0; i < x->nguards; i++)
		s.v[s.n++] = cond_of_guard(c, &x->guards[i], narrow, need);
	return s;
}

/* As counts() and risk_of() use them. */
static struct need need_of(const struct diff_item *it)
{
	const struct ir_rule *r = diff_rule(it);

	if (!r)
		return diff_risk(it)->risk == IR_RISK_LOW ? (struct need){ .must = true } :
							    (struct need){ .may = true };
	return (struct need){ .may = r->effect != IR_ALLOW, .must = r->effect != IR_ASK };
}

static void add_item(struct conds *c, const struct diff_met *m)
{
	struct cond_item *x = &c->items[c->nitems++];
	struct need need = need_of(m->it), other = { .may = need.must, .must = need.may };
	bool narrow = diff_is_narrow(m->it);
	size_t n, i;
	const struct ir_set *except = diff_excepts(m->it, &n);

	x->it = m->it;
	x->set = conds_of(c, &diff_set(m->it)->u.command, m->it->search[0], narrow, need);
	x->except = arena_array(&c->a, n + 1, sizeof(*x->except));
	for (i = 0; i < n; i++)
		if (m->excepted[i])
			x->except[x->nexcept++] =
				conds_of(c, &except[i].u.command, m->it->search[i + 1],
					 !narrow, other);
}

bool diff_cond_decides(const struct diff_met *m)
{
	const struct ir_command *c = &diff_set(m->it)->u.command;
	size_t n, i;

	if (c->nguards || (c->regex && !m->it->search[0]))
		return true;
	(void)diff_excepts(m->it, &n);
	for (i = 0; i < n; i++)
		if (m->excepted[i])
			return true;
	return false;
}

/* --- one combination ------------------------------------------------------------------ */

static bool option_says(const struct conds *c, const struct cond_option *o, uint8_t bit)
{
	size_t i = o->itself;

	if (o->itself && diff_unknown_says(&c->u, o->unknowns[0], bit))
		return true;
	for (; i < o->n && diff_unknown_says(&c->u, o->unknowns[i], bit); i++)
		;
	return i == o->n && o->n > (size_t)o->itself;
}

static bool any_says(const struct conds *c, const struct cond *k, uint8_t bit)
{
	size_t i;

	for (i = 0; i < k->n; i++)
		if (option_says(c, &k->options[i], bit))
			return true;
	return false;
}

/* As eval_match_guard() decides it. */
static void add_cond(const struct conds *c, const struct cond *k, bool *may, bool *must)
{
	if (!k->option) {
		*may &= diff_unknown_says(&c->u, k->unknown, DIFF_MAY);
		*must &= diff_unknown_says(&c->u, k->unknown, DIFF_MUST);
	} else if (k->without) {
		*may &= !any_says(c, k, DIFF_SURE);
		*must &= !any_says(c, k, k->narrow ? DIFF_CAN : DIFF_HELD);
	} else {
		*may &= any_says(c, k, DIFF_CAN);
		*must &= any_says(c, k, k->narrow ? DIFF_SURE : DIFF_GIVEN);
	}
}

static void match_set(const struct conds *c, const struct cond_set *s, bool *may, bool *must)
{
	size_t i;

	*may = *must = true;
	for (i = 0; i < s->n; i++)
		add_cond(c, &s->v[i], may, must);
}

/* Only what need_of() names is right: nobody asks for the other one. */
static void match_item(const struct conds *c, struct cond_item *x)
{
	bool may, must;
	size_t i;

	match_set(c, &x->set, &x->may, &x->must);
	for (i = 0; i < x->nexcept; i++) {
		match_set(c, &x->except[i], &may, &must);
		x->may &= !must;
		x->must &= !may;
	}
}

/* --- the decision of one side ---------------------------------------------------------- */

/* How the rules are looked at in the course of a decision (eval/part.c). */
enum view { V_RULES, V_MAY_DENY, V_NO_OTHERWISE, V_ALLOWS, V_COUNT };

static bool counts(const struct cond_item *x, const struct ir_rule *r, enum view v)
{
	if (r->effect == IR_ALLOW)
		return x->must;
	if (v == V_ALLOWS)
		return false;
	if (r->effect == IR_ASK)
		return x->may;
	return v == V_MAY_DENY ? x->may : x->must;
}

static enum ir_risk risk_of(const struct conds *c, int side)
{
	const struct ir_risk_fact *best = NULL;
	size_t i;

	for (i = 0; i < c->nitems; i++) {
		const struct cond_item *x = &c->items[i];
		const struct ir_risk_fact *f = x->it->risk[side];

		if (!f || !(f->risk == IR_RISK_LOW ? x->must : x->may))
			continue;
		if (!best || f->risk > best->risk)
			best = f;
	}
	return best ? best->risk : IR_RISK_MEDIUM;
}

static void decide(const struct conds *c, const struct diff_small *small, int side,
		   const struct ir_request *req, enum view v, const struct ir_rule **room,
		   struct eval_decision *ret)
{
	size_t i;

	memset(ret, 0, sizeof(*ret));
	ret->matched = room;
	ret->risk = risk_of(c, side);
	for (i = 0; i < c->nitems; i++) {
		const struct ir_rule *r = c->items[i].it->rule[side];

		if (r && (r->scopes & (unsigned)req->scope) && counts(&c->items[i], r, v))
			room[ret->nmatched++] = r;
	}
	if (ret->nmatched)
		qsort(room, ret->nmatched, sizeof(*room), ir_rule_by_index);
	eval_by_levels(&small->ir[side], req, v != V_NO_OTHERWISE, ret);
}

static enum diff_cond compare(const struct eval_decision *x, const struct eval_decision *y)
{
	bool final[2] = { x->rule && x->rule->final, y->rule && y->rule->final };

	if (x->effect == y->effect && x->err == y->err && x->risk == y->risk &&
	    x->needs_person == y->needs_person && final[0] == final[1])
		return DIFF_COND_ALIKE;
	if (y->risk < x->risk || y->effect < x->effect)
		return DIFF_COND_UNKNOWN;
	if (y->effect > x->effect)
		return DIFF_COND_NARROWS;
	return y->needs_person < x->needs_person || final[0] != final[1] ||
			       x->err != y->err ?
		       DIFF_COND_UNKNOWN : DIFF_COND_NARROWS;
}

/* An allow by a rule permits more than one by a default, any other rule less. */
static void note(struct diff_named *to, bool old, bool new, enum ir_effect effect)
{
	if (old != new)
		to->by[effect][effect == IR_ALLOW ? old : new] = true;
}

/* Does an allow or an ask match? */
static bool is_known(const struct eval_decision *d)
{
	size_t i;

	for (i = 0; i < d->nmatched; i++)
		if (d->matched[i]->effect <= IR_ASK)
			return true;
	return false;
}

/* Both decide alike: what of the rules may the words of the line still depend on? */
static void name_apart(struct conds *c, const struct diff_small *small,
		       const struct ir_request *req, const struct ir_rule **room,
		       const struct eval_decision *x, const struct eval_decision *y,
		       bool x_known, struct diff_named *ret)
{
	bool y_known = is_known(y), old;
	struct eval_decision p, q;

	note(ret, x->rule, y->rule, x->effect);
	if (x->effect == IR_ALLOW)
		note(ret, x_known, y_known, IR_ALLOW);
	if (x->effect >= IR_DENY)
		return;
	/* does an interpreter's allow count? */
	decide(c, small, DIFF_OLD, req, V_ALLOWS, room, &p);
	decide(c, small, DIFF_NEW, req, V_ALLOWS, room, &q);
	old = p.rule && p.effect == IR_ALLOW;
	if (old != (q.rule && q.effect == IR_ALLOW))
		ret->allows[old] = true;
}

static enum diff_cond decide_both(struct conds *c, const struct diff_small *small,
				  const struct ir_request *req,
				  const struct ir_rule **room, struct diff_named *ret_named)
{
	enum diff_cond ret = DIFF_COND_ALIKE, one;
	enum ir_effect effect = IR_DENY;
	struct eval_decision x, y;
	bool known;
	int v;

	for (v = 0; v < V_ALLOWS; v++) {
		decide(c, small, DIFF_OLD, req, (enum view)v, room, &x);
		known = is_known(&x);
		decide(c, small, DIFF_NEW, req, (enum view)v, room, &y);
		one = compare(&x, &y);
		/* in the code of an allowed shell */
		if (v == V_NO_OTHERWISE && one != DIFF_COND_ALIKE)
			ret_named->by[effect][one == DIFF_COND_NARROWS] = true;
		else
			ret = diff_cond_worse(ret, one);
		if (v == V_RULES)
			effect = x.effect;
		if (v == V_RULES && one == DIFF_COND_ALIKE)
			name_apart(c, small, req, room, &x, &y, known, ret_named);
	}
	return ret;
}

/* --- all combinations ------------------------------------------------------------------- */

static enum diff_cond all(struct conds *c, const struct diff_small *small,
			  const struct ir_request *req, struct diff_named *ret_named)
{
	const struct ir_rule **room = arena_array(&c->a, c->nitems + 1, sizeof(*room));
	enum diff_cond ret = DIFF_COND_ALIKE;
	struct ir_request q = *req;
	size_t i;

	if (!diff_unknown_are_few(&c->u))
		return DIFF_COND_UNKNOWN;
	do {
		if (!diff_unknown_is_possible(&c->u))
			continue;
		for (i = 0; i < c->nitems; i++)
			match_item(c, &c->items[i]);
		for (i = 0; i < 2; i++) {
			q.scope = i ? IR_HOST : IR_SANDBOX;
			ret = diff_cond_worse(ret, decide_both(c, small, &q, room, ret_named));
		}
	} while (ret != DIFF_COND_UNKNOWN && diff_unknown_next(&c->u));
	return ret;
}

/* `with only` leaves no room for options that other guards ask about. */
static void find_apart(struct conds *c)
{
	uint32_t i, k;
	size_t n;

	for (i = 0; i < c->u.v.n; i++) {
		const struct diff_unknown *x = &c->u.v.v[i];

		if (!x->guard || x->guard->kind != IR_GD_WITH_ONLY)
			continue;
		for (k = 0; k < c->u.v.n; k++) {
			const struct diff_unknown *y = &c->u.v.v[k];

			for (n = 0; n < y->names.n; n++)
				if (!diff_table_leaves_out(&c->t, x->guard, &y->names.v[n]))
					break;
			if (y->option && n && n == y->names.n)
				diff_unknown_apart(&c->u, i, k);
		}
	}
}

enum diff_cond diff_cond_decide(const struct diff_small *small, const struct ir_request *req,
				bool one_program, const struct diff_met *met, size_t n,
				struct diff_named *ret_named)
{
	struct conds c = { .nitems = 0 };
	enum diff_cond ret;
	size_t i;

	arena_init(&c.a, ARENA_DEFAULT_BUDGET);
	c.u.a = &c.a;
	c.small = small;
	c.t = (struct diff_tables){ &c.a, { &small->ir[DIFF_OLD], &small->ir[DIFF_NEW] },
				    req->nargv ? eval_base_name(req->argv[0]) : STR("") };
	c.clusters = diff_table_both(&c.t, eval_tabled_splits);
	c.untabled = one_program && diff_table_both(&c.t, eval_tabled_is_bare);
	c.u.letters = one_program && (c.clusters || c.untabled);
	c.items = arena_array(&c.a, n + 1, sizeof(*c.items));
	for (i = 0; i < n; i++)
		add_item(&c, &met[i]);
	if (one_program && diff_table_both(&c.t, eval_tabled_names_tell))
		find_apart(&c);
	diff_unknown_ready(&c.u);
	ret = all(&c, small, req, ret_named);
	arena_release(&c.a);
	return ret;
}
