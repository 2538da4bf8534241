/*
 * What statements claim about a scalar, and which of two values is tighter.  The type of a scalar
 * (ir/scalars.def) decides that; claims.c compares the levels.
 */
#include "compiler/lower/scalar_claim.h"

/*
 * All values start as copies of the built-in value, so that fields which a type does
 * not use are equal.
 */
bool scalar_is_same(const struct claim *x, const struct claim *y)
{
	const struct ir_scalar *a = x->value, *b = y->value;

	return a->effect == b->effect && a->by_risk == b->by_risk && a->num == b->num &&
	       !memcmp(a->effects, b->effects, sizeof(a->effects)) &&
	       str_eq(a->text, b->text);
}

static enum ir_effect effect_for(const struct ir_scalar *s, int risk)
{
	return s->by_risk ? s->effects[risk] : s->effect;
}

/* Takes the stricter effect in each risk class; says what `y` does to `x`. */
static void stricter(const struct ir_scalar *x, const struct ir_scalar *y,
		     struct ir_scalar *ret, bool *tightens, bool *loosens)
{
	enum ir_effect effects[IR_RISK_COUNT];

	for (int r = 0; r < IR_RISK_COUNT; r++) {
		enum ir_effect a = effect_for(x, r), b = effect_for(y, r);

		effects[r] = a > b ? a : b;
		*tightens |= b > a;
		*loosens |= b < a;
	}
	ret->by_risk = x->by_risk || y->by_risk;
	ret->effect = effects[IR_RISK_MEDIUM];
	if (ret->by_risk)
		memcpy(ret->effects, effects, sizeof(effects));
}

bool scalar_is_second(const struct claim *x)
{
	return ir_is_of_sandbox((enum ir_scalar_id)x->row) &&
	       !lower_option(x->t->stmt, AST_O_WHEN);
}

static void tighten(struct claims *c, const struct claim *claim, const struct ir_lock *by)
{
	static const char *const why[] = {
		[0] = "a narrow-only level only tightens",
		[IR_MANAGED] = "the section is locked by managed: only tighter values "
			       "count",
		[IR_MANAGED_FILE] = "the section is locked by managed-file: only tighter "
				    "values count",
	};
	enum ir_scalar_type type = ir_scalar_type((enum ir_scalar_id)claim->row);
	const struct ir_scalar *x = c->value, *y = claim->value;
	struct ir_scalar *ret = arena_dup(c->l->a, y, sizeof(*y));
	bool tightens = false, loosens = false, no_limit;

	switch (type) {
	case IR_T_EFFECT:
	case IR_T_OTHERWISE:
		stricter(x, y, ret, &tightens, &loosens);
		break;
	case IR_T_NAME: /* base: `std` is tighter than `none` */
		tightens = str_eqz(y->text, "std") && !str_eqz(x->text, "std");
		loosens = !str_eqz(y->text, "std") && str_eqz(x->text, "std");
		break;
	case IR_T_MODE:
	case IR_T_SIZE:
	case IR_T_DURATION:
	case IR_T_MILLI:
	case IR_T_COUNT:
		no_limit = !x->set && type != IR_T_MODE;
		tightens = no_limit || y->num < x->num;
		loosens = !no_limit && y->num > x->num;
		break;
	}
	/* the first statement about a value wins even if it repeats the built-in value: a network
	   mode makes rules only where a statement has set it */
	if (tightens || (!x->set && !loosens))
		claims_take(c, claim, tightens ? ret : y);
	if (loosens && y->level < IR_DEFAULT && !scalar_is_second(claim))
		lower_drop(c->l, y->source, why[by ? by->level : 0], y->at,
			   by ? by->at : (struct ir_place){ .span = SPAN_NONE }, y->level);
}

const struct claim_kind scalar_kind = {
	.name = "scalar", .same = scalar_is_same, .tighten = tighten
};

/*
 * The value that a statement gives, for the caller to fill in: starts as the built-in
 * value.
 */
struct ir_scalar *scalar_claim(struct lower *l, const struct sema_stmt *t, enum ir_scalar_id id)
{
	struct ir_scalar *s = arena_dup(l->a, &l->ir->scalars[id], sizeof(*s));
	struct claim *x = claim_new(l, &scalar_kind, t, s->id, s);

	s->set = true;
	s->level = t->unit->level;
	s->at = t->at;
	s->source = t->text;
	s->role = t->role;
	x->row = (int)id;
	x->name = str_printf(l->a, "%s %s", ir_scalar_section(id), ir_scalar_key(id));
	/* `locked limits { … }` locks each of its values; a section with rules has its
	   own lock */
	if (sema_section_kind(t->section) >= 0)
		x->locked = t->orig->locked && t->unit->level <= IR_MANAGED_FILE;
	claim_add(l, x);
	return s;
}
