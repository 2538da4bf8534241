/*
 * Asks the evaluator the same request under both policies.  Decides what the difference
 * between two decisions is called and whether it widens.
 */
#include <stdlib.h>

#include "compiler/analysis/diff_ask.h"
#include "compiler/analysis/diff_key.h"
#include "compiler/analysis/diff_off.h"
#include "compiler/eval/eval.h"
#include "compiler/eval/match.h"
#include "compiler/eval/match_program.h"
#include "compiler/eval/tabled.h"

/* --- what was said ------------------------------------------------------- */

struct diff_said diff_said_rule(const struct ir_rule *r)
{
	return (struct diff_said){ .there = true,
				  .decides = true,
				  .effect = r->effect,
				  .id = r->id,
				  .text = r->text,
				  .level = r->level,
				  .at = r->at};
}

struct diff_said diff_said_scalar(const struct ir_scalar *s)
{
	return (struct diff_said){ .there = true,
				  .id = s->id,
				  .text = s->source,
				  .level = s->level,
				  .at = s->at};
}

static struct diff_said said_decision(const struct ir *ir, const struct eval_decision *e)
{
	struct diff_said s = e->rule ? diff_said_rule(e->rule)
				     : diff_said_scalar(&ir->scalars[e->scalar]);

	s.decides = true;
	s.effect = e->effect;
	s.err = e->err;
	return s;
}

static bool same_side(const struct diff_said *x, const struct diff_said *y)
{
	return x->there == y->there && str_eq(x->id, y->id) && str_eq(x->value, y->value) &&
	       x->level == y->level && x->at.line == y->at.line && x->at.col == y->at.col &&
	       str_eq(x->at.file, y->at.file);
}

void diff_doubt_add(struct diff *d, struct diff_doubt doubt)
{
	for (size_t i = 0; i < d->ret->doubts.n; i++) {
		const struct diff_doubt *x = &d->ret->doubts.v[i];

		if (same_side(&x->side[0], &doubt.side[0]) && same_side(&x->side[1], &doubt.side[1]) &&
		    str_eq(x->why, doubt.why) && str_eq(x->role, doubt.role) &&
		    x->narrows_only == doubt.narrows_only)
			return;
	}
	VEC_PUSH(d->a, &d->ret->doubts, doubt);
}

void diff_doubt_item(struct diff *d, const struct diff_item *it, const char *why,
		     bool narrows_only)
{
	struct diff_doubt doubt = { .why = str_from(why),
				    .narrows_only = narrows_only || !diff_may_widen(it) };
	int s;

	for (s = 0; s < 2; s++) {
		if (it->rule[s])
			doubt.side[s] = diff_said_rule(it->rule[s]);
		else if (it->risk[s])
			doubt.side[s] = (struct diff_said){
				.there = true,
				.id = it->risk[s]->id,
				.value = str_from(ir_risk_name(it->risk[s]->risk)),
				.level = it->risk[s]->level,
				.at = it->risk[s]->at};
	}
	diff_doubt_add(d, doubt);
}

bool diff_told_enough(const struct diff_item *it, const struct diff_told *told)
{
	return told->changes && (told->widening || !diff_may_widen(it));
}

void diff_settled(struct diff *d, struct diff_item *it,
		  const struct diff_told *told, enum diff_looked looked,
		  const char *open)
{
	const struct ir_rule *r = diff_rule(it);
	bool enough = diff_told_enough(it, told);

	it->same = looked == DIFF_WHOLLY && !told->asked && !told->changes;
	if (looked == DIFF_WHOLLY && !told->changes && !it->same && r && r->until.n &&
	    DIFF_ON("until")) {
		looked = DIFF_IN_PART;
		open = "it holds until a day: decisions may differ after it";
	}
	if (looked != DIFF_WHOLLY && !enough)
		diff_doubt_item(d, it, open, told->narrows_only);
}

/* --- requests ------------------------------------------------------------ */

struct ir_request diff_request(const struct diff *d, enum ir_kind kind)
{
	return (struct ir_request){ .kind = kind,
				   .scope = d->where->scope,
				   .roots = d->where->roots,
				   .cwd = d->where->cwd};
}

/* For commands the words alone do not decide: see diff_witness_word(). */
static bool in_set(enum ir_kind kind, const struct ir_set *set,
		   const struct ir_set *except, size_t n, const struct ir_request *req,
		   enum eval_side side)
{
	size_t i;

	if (!eval_match_set(kind, set, req, side))
		return false;
	for (i = 0; i < n; i++)
		if (eval_match_set(kind, &except[i], req,
				 side == EVAL_BROAD ? EVAL_NARROW : EVAL_BROAD))
			return false;
	return true;
}

bool diff_matches(const struct diff_item *it, const struct ir_request *req)
{
	const struct ir_rule *r = diff_rule(it);
	const struct ir_risk_fact *f = diff_risk(it);

	if (r)
		return in_set(it->kind, &r->set, r->except, r->nexcept, req,
			      r->effect == IR_ALLOW ? EVAL_NARROW : EVAL_BROAD);
	return in_set(it->kind, &f->set, f->except, f->nexcept, req,
		      f->risk == IR_RISK_LOW ? EVAL_NARROW : EVAL_BROAD);
}

struct ir_request diff_keep_request(struct arena *a, const struct ir_request *req)
{
	struct ir_request q = *req;
	size_t i;

	q.argv = arena_array(a, req->nargv + 1, sizeof(*q.argv));
	for (i = 0; i < req->nargv; i++)
		q.argv[i] = str_dup(a, req->argv[i]);
	q.path = str_dup(a, req->path);
	q.host = str_dup(a, req->host);
	q.tool = str_dup(a, req->tool);
	q.text = str_dup(a, req->text);
	for (i = 0; i < IR_ROOT_COUNT; i++)
		if (req->roots.dir[i].p)
			q.roots.dir[i] = str_dup(a, req->roots.dir[i]);
	return q;
}

static struct str request_key(struct arena *a, const struct ir_request *q,
			      enum diff_change change, bool widening)
{
	struct buf b;
	size_t i;

	buf_init(&b, a);
	buf_printf(&b, "%d %d %d %d %d %d %u %u ", change, widening, q->kind, q->op,
		   q->abstract, q->proto, q->port, q->nr);
	buf_str(&b, q->path);
	buf_str(&b, q->host);
	buf_str(&b, q->tool);
	buf_add(&b, q->addr, sizeof(q->addr));
	buf_add(&b, q->args, sizeof(q->args));
	for (i = 0; i < q->nargv; i++) {
		buf_ch(&b, 0);
		buf_str(&b, q->argv[i]);
	}
	if (q->unparsed)
		buf_z(&b, " unparsed");
	return buf_view(&b);
}

/* --- rules in small ------------------------------------------------------ */

struct diff_small diff_small_of(struct diff *d, struct arena *tmp,
				struct diff_item *const *items, size_t n)
{
	struct diff_small s;
	int side;
	size_t i;

	for (side = 0; side < 2; side++) {
		struct ir *ir = &s.ir[side];

		*ir = *d->ir[side];
		memset(&ir->rules, 0, sizeof(ir->rules));
		memset(&ir->risks, 0, sizeof(ir->risks));
		/*
		 * rules do not use the second name that a mount gives a tree: see the
		 * caller
		 */
		memset(&ir->mounts, 0, sizeof(ir->mounts));
		for (i = 0; i < n; i++) {
			/* the evaluator only reads it */
			if (items[i]->rule[side])
				VEC_PUSH(tmp, &ir->rules,
					 (struct ir_rule *)(uintptr_t)items[i]
						 ->rule[side]);
			if (items[i]->risk[side])
				VEC_PUSH(tmp, &ir->risks, *items[i]->risk[side]);
		}
		if (ir->rules.n)
			qsort(ir->rules.v, ir->rules.n, sizeof(*ir->rules.v), ir_rule_by_index);
	}
	return s;
}

/* --- differences --------------------------------------------------------- */

static enum diff_change effect_change(enum ir_effect o, enum ir_effect n,
				      bool *ret_widening)
{
	*ret_widening = n < o;
	switch (n) {
	case IR_ALLOW:
		return DIFF_ALLOWED;
	case IR_ASK:
		return DIFF_ASKED;
	case IR_HIDE:
		return DIFF_HIDDEN;
	case IR_DENY:
	case IR_EFFECT_COUNT:
		break;
	}
	return o == IR_HIDE ? DIFF_UNHIDDEN : DIFF_DENIED;
}

/* False if the two decisions are the same for the one who makes the request. */
static bool differ(const struct eval_decision *o, const struct eval_decision *n,
		   enum diff_change *ret, bool *ret_widening)
{
	*ret_widening = false;
	if (DIFF_ON("differ-effect") && o->effect != n->effect) {
		*ret = effect_change(o->effect, n->effect, ret_widening);
		return true;
	}
	if (DIFF_ON("differ-person") && o->needs_person != n->needs_person) {
		*ret_widening = o->needs_person;
		*ret = o->needs_person ? DIFF_PERSON_DROPPED : DIFF_PERSON_REQUIRED;
		return true;
	}
	if (DIFF_ON("differ-errno") && o->err != n->err) {
		*ret = DIFF_ERRNO;
		return true;
	}
	if (DIFF_ON("differ-risk") && o->risk != n->risk) {
		*ret_widening = n->risk < o->risk;
		*ret = *ret_widening ? DIFF_RISK_LOWER : DIFF_RISK_HIGHER;
		return true;
	}
	return false;
}

/* Keeps only the effect of each decision and what decided: a line takes much memory. */
static bool ask_both(const struct ir *old, const struct ir *new,
		     const struct ir_request *req, struct eval_decision e[2],
		     enum diff_change *ret, bool *ret_widening)
{
	const struct ir *const ir[2] = { old, new };
	struct arena a;
	int s;

	for (s = 0; s < 2; s++) {
		arena_init(&a, ARENA_DEFAULT_BUDGET);
		eval_decide(ir[s], req, &a, &e[s]);
		e[s].matched = NULL;
		e[s].nmatched = 0;
		e[s].line = NULL;
		arena_release(&a);
	}
	return differ(&e[DIFF_OLD], &e[DIFF_NEW], ret, ret_widening);
}

bool diff_is_still(const struct diff *d, const struct diff_finding *f,
		   const struct ir_request *req)
{
	struct eval_decision e[2];
	enum diff_change change;
	bool widening;

	if (!ask_both(d->ir[DIFF_OLD], d->ir[DIFF_NEW], req, e, &change, &widening) ||
	    change != f->change || widening != f->widening)
		return false;
	for (int s = 0; s < 2; s++) {
		struct diff_said v = said_decision(d->ir[s], &e[s]);

		if (v.effect != f->side[s].effect || v.err != f->side[s].err ||
		    !str_eq(v.id, f->side[s].id))
			return false;
	}
	return true;
}

/*
 * "Newly asked" widens what was denied and narrows what was allowed, so it can be two
 * findings.
 */
static uint64_t told_bit(enum diff_change change, bool widening)
{
	return (uint64_t)1 << (2 * (unsigned)change + widening);
}

static void name_cause(struct diff *d, struct diff_finding *f, const struct diff_told *told)
{
	for (int s = 0; s < 2 && told->value.n && !f->causes[s].n; s++)
		VEC_PUSH(d->a, &f->causes[s], told->value);
	for (int s = 0; s < 2 && told->of; s++) {
		struct str id = diff_item_id(told->of, s);
		size_t n = f->causes[s].n;

		if (id.n && !(n && str_eq(f->causes[s].v[n - 1], id)))
			VEC_PUSH(d->a, &f->causes[s], id);
	}
}

/* True if there is a finding of this key: the item is one more cause of it. */
static bool add_cause(struct diff *d, struct str key, const struct diff_told *told)
{
	const size_t *at = map_get(&d->seen, key);

	if (at)
		name_cause(d, &d->ret->findings.v[*at], told);
	return at != NULL;
}

bool diff_is_new(struct diff *d, const struct ir_request *req, enum diff_change change,
		 bool widening, struct diff_told *told)
{
	struct str key;
	size_t *at;

	told->widening |= widening;
	if (told->changes & told_bit(change, widening))
		return false;
	told->changes |= told_bit(change, widening);
	key = request_key(d->a, req, change, widening);
	if (add_cause(d, key, told))
		return false;
	at = ARENA_NEW(d->a, size_t);
	*at = d->ret->findings.n;
	map_put(&d->seen, key, at);
	return true;
}

void diff_finding_add(struct diff *d, struct diff_finding *f, const struct diff_told *told)
{
	name_cause(d, f, told);
	VEC_PUSH(d->a, &d->ret->findings, *f);
}

bool diff_words_count(const struct diff *d, const struct ir_request *req)
{
	struct str base;

	if (req->kind != IR_COMMAND || !req->nargv)
		return true;
	base = eval_base_name(req->argv[0]);
	return !eval_tabled_is_plain(d->ir[DIFF_OLD], base) ||
	       !eval_tabled_is_plain(d->ir[DIFF_NEW], base);
}

/*
 * Both sides decide alike, but only one by a rule, or by a final rule.  The evaluator
 * looks further at the words of a command that no rule allows (they may spell a denied
 * one), and of one that no final rule allows (they may name a hidden path).  And what a
 * default asks or denies is allowed in the code of an allowed shell.
 */
static void note_named(struct diff *d, const struct ir_request *req,
		       const struct eval_decision e[2], struct diff_told *told)
{
	const struct ir_rule *x = e[DIFF_OLD].rule, *y = e[DIFF_NEW].rule;
	enum ir_effect effect = e[DIFF_NEW].effect;
	bool final_apart = (x && x->final) != (y && y->final);
	bool named = !x != !y && (effect != IR_ALLOW || diff_words_count(d, req));

	if (!DIFF_ON("named") || req->kind != IR_COMMAND || effect != e[DIFF_OLD].effect ||
	    !(named || (final_apart && effect == IR_ALLOW)))
		return;
	/* an allow by a rule permits more, any other rule less */
	if (effect == IR_ALLOW)
		told->named[(x && !y) || (x && x->final && !(y && y->final))] = true;
	else
		told->named[y != NULL] = true;
	told->final_apart |= final_apart;
	told->by[effect] = true;
	if (told->has_alike[effect])
		return;
	told->has_alike[effect] = true;
	told->alike[effect] = diff_keep_request(d->a, req);
}

/* Asks the whole policies; only a difference that they confirm is a finding. */
static bool confirm(struct diff *d, const struct ir_request *req,
		    struct diff_told *told)
{
	struct diff_finding f = { .kind = ir_kind_name(req->kind), .asked = true };
	struct eval_decision e[2];
	int s;

	if (!ask_both(d->ir[DIFF_OLD], d->ir[DIFF_NEW], req, e, &f.change, &f.widening)) {
		note_named(d, req, e, told);
		return false;
	}
	if (!diff_is_new(d, req, f.change, f.widening, told))
		return true;
	f.request = diff_keep_request(d->a, req);
	for (s = 0; s < 2; s++)
		f.side[s] = said_decision(d->ir[s], &e[s]);
	diff_finding_add(d, &f, told);
	return true;
}

bool diff_ask(struct diff *d, const struct diff_small *small, struct ir_request *req,
	      unsigned scopes, struct arena *tmp, struct diff_told *told)
{
	enum ir_scope first = d->where->scope;
	enum ir_scope order[2] = { first, first == IR_HOST ? IR_SANDBOX : IR_HOST };
	struct eval_decision e[2];
	enum diff_change change;
	bool widening, found = false;
	size_t i;

	told->asked = true;
	for (i = 0; i < 2; i++) {
		if (!(scopes & (unsigned)order[i]))
			continue;
		req->scope = order[i];
		if (small && !ask_both(&small->ir[DIFF_OLD], &small->ir[DIFF_NEW], req,
				       e, &change, &widening)) {
			note_named(d, req, e, told);
			continue;
		}
		/* the same question was confirmed in the region of another rule */
		if (small &&
		    add_cause(d, request_key(tmp, req, change, widening), told)) {
			told->changes |= told_bit(change, widening);
			told->widening |= widening;
			found = true;
			continue;
		}
		if (confirm(d, req, told))
			found = true;
		else
			told->unconfirmed |= small != NULL;
	}
	return found;
}
