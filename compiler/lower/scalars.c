/*
 * Which value of a scalar counts (semantics 3.2): from level 5 to level 1 the
 * higher rank replaces; a narrow-only level and a level below a locked
 * section can only tighten; a locked scalar is set by nobody below.
 */
#include "compiler/lower/internal.h"

static bool same_value(enum ir_scalar_type type, const struct ir_scalar *x,
		       const struct ir_scalar *y)
{
	switch (type) {
	case IR_T_EFFECT:
		return x->effect == y->effect;
	case IR_T_OTHERWISE:
		if (x->by_risk != y->by_risk)
			return false;
		return x->by_risk ? !memcmp(x->effects, y->effects, sizeof(x->effects))
				  : x->effect == y->effect;
	case IR_T_NAME:
		return str_eq(x->text, y->text);
	case IR_T_MODE:
	case IR_T_SIZE:
	case IR_T_DURATION:
	case IR_T_MILLI:
	case IR_T_COUNT:
		return x->num == y->num;
	}
	return false;
}

static enum ir_effect effect_for(const struct ir_scalar *s, int risk)
{
	return s->by_risk ? s->effects[risk] : s->effect;
}

/*
 * The stricter of the two, class by class where it goes by risk.  Says
 * whether `y` changed anything, and whether it would have loosened.
 */
static struct ir_scalar tighter(enum ir_scalar_type type, const struct ir_scalar *x,
				const struct ir_scalar *y, bool *changed, bool *loosens)
{
	struct ir_scalar ret = *y;

	*changed = *loosens = false;
	switch (type) {
	case IR_T_EFFECT:
		*changed = y->effect > x->effect;
		*loosens = y->effect < x->effect;
		break;
	case IR_T_OTHERWISE:
		ret.by_risk = x->by_risk || y->by_risk;
		for (int r = 0; r < IR_RISK_COUNT; r++) {
			enum ir_effect a = effect_for(x, r), b = effect_for(y, r);

			ret.effects[r] = a > b ? a : b;
			*changed |= b > a;
			*loosens |= b < a;
		}
		if (!ret.by_risk)
			ret.effect = ret.effects[0];
		else
			ret.effect = ret.effects[IR_RISK_MEDIUM];
		break;
	case IR_T_NAME: /* base: std is tighter than none */
		*changed = str_eqz(y->text, "std") && !str_eqz(x->text, "std");
		*loosens = !str_eqz(y->text, "std") && str_eqz(x->text, "std");
		break;
	case IR_T_MODE:
		*changed = y->num < x->num;
		*loosens = y->num > x->num;
		break;
	case IR_T_SIZE:
	case IR_T_DURATION:
	case IR_T_MILLI:
	case IR_T_COUNT: /* no limit is the largest */
		*changed = !x->set || y->num < x->num;
		*loosens = x->set && y->num > x->num;
		break;
	}
	return *changed ? ret : *x;
}

/* The claims on one scalar, and what has been made of them. */
struct weigh {
	struct lower *l;
	enum ir_scalar_id id;
	enum ir_scalar_type type;
	struct lower_claim **c;
	size_t n;
	struct ir_scalar cur;
	const struct lower_claim *winner;
};

static void conflict(const struct weigh *w, const struct lower_claim *x,
		     const struct lower_claim *y)
{
	struct diag *d = diag_add(w->l->sink, DIAG_SCALAR_CONFLICT, y->value.at.span,
				  "level '%s' gives '%s %s' two values",
				  ir_level_name(y->value.level),
				  ir_scalar_section(w->id), ir_scalar_key(w->id));

	diag_note(w->l->sink, d, x->value.at.span, "the other one is here");
}

/* A file overrides what it uses, and a chosen role its level. */
static bool overrides(const struct lower_claim *x, const struct lower_claim *y)
{
	if (x->value.level != y->value.level || x->unit->narrow != y->unit->narrow)
		return false;
	if (x->value.role.n || y->value.role.n)
		return !y->value.role.n;
	return sema_imports(x->unit, y->unit);
}

/*
 * What a level says in its full or its narrow-only files: what is left must
 * agree.  NULL: nothing.
 */
static const struct lower_claim *level_says(const struct weigh *w, enum ir_level level,
					    bool narrow)
{
	const struct lower_claim *ret = NULL;

	for (size_t i = 0; i < w->n; i++) {
		const struct lower_claim *c = w->c[i];
		bool overridden = false;

		if (c->value.level != level || c->unit->narrow != narrow)
			continue;
		for (size_t k = 0; k < w->n && !overridden; k++)
			overridden = overrides(w->c[k], c);
		if (overridden)
			continue;
		if (ret && !same_value(w->type, &ret->value, &c->value)) {
			conflict(w, ret, c);
			continue;
		}
		if (!ret || c->value.locked)
			ret = c;
	}
	return ret;
}

static void drop(const struct weigh *w, const struct lower_claim *c, const char *why,
		 struct ir_place by)
{
	if (c->value.level < IR_DEFAULT)
		lower_drop(w->l, c->value.source, why, c->value.at, by, c->value.level);
}

static void tighten(struct weigh *w, const struct lower_claim *c, const char *why,
		    struct ir_place by)
{
	bool changed, loosens;
	struct ir_scalar next =
		tighter(w->type, &w->cur, &c->value, &changed, &loosens);

	/* the first word on a value is its own, also where it says what is
	   built in: a mode that nobody says makes no rules */
	if (changed || (!w->cur.set && !loosens)) {
		w->cur = changed ? next : c->value;
		w->winner = c;
	}
	if (loosens)
		drop(w, c, why, by);
}

/* Nobody below a locked value may speak of it; level 5 is no one's word. */
static void check_locks(const struct weigh *w)
{
	for (size_t i = 0; i < w->n; i++)
		for (size_t k = i + 1; w->c[i]->value.locked && k < w->n; k++) {
			const struct lower_claim *lock = w->c[i], *c = w->c[k];
			struct diag *d;

			if (c->value.level <= lock->value.level ||
			    c->value.level == IR_DEFAULT)
				continue;
			d = diag_add(w->l->sink, DIAG_SCALAR_LOCKED, c->value.at.span,
				     "'%s %s' is locked by level '%s'",
				     ir_scalar_section(w->id), ir_scalar_key(w->id),
				     ir_level_name(lock->value.level));
			diag_note(w->l->sink, d, lock->value.at.span,
				  "it is locked here");
			diag_help(w->l->sink, d, "drop this line");
		}
}

/* From `from` up to `to`: replace, or where narrow-only tighten. */
static void replace_levels(struct weigh *w, int from, int to)
{
	static const char why[] = "a narrow-only level only tightens";

	for (int level = from; level >= to; level--) {
		const struct lower_claim *full =
			level_says(w, (enum ir_level)level, false);
		const struct lower_claim *narrow =
			level_says(w, (enum ir_level)level, true);

		if (full) {
			w->cur = full->value;
			w->winner = full;
		}
		if (narrow)
			tighten(w, narrow, why, (struct ir_place){ .span = SPAN_NONE });
	}
}

/* Levels below a locked section count only where they are tighter than the
 * value without them; a default gives way to what a locking level says. */
static void tighten_levels(struct weigh *w, const struct ir_lock *lock)
{
	static const char *const why[] = {
		[IR_MANAGED] = "the section is locked by managed: only tighter values "
			       "count",
		[IR_MANAGED_FILE] =
			"the section is locked by managed-file: only tighter "
			"values count",
	};
	int from = w->winner ? IR_USER : IR_DEFAULT;

	for (int level = from; level > (int)lock->level; level--)
		for (int narrow = 0; narrow < 2; narrow++) {
			const struct lower_claim *c =
				level_says(w, (enum ir_level)level, narrow == 1);

			if (c)
				tighten(w, c, why[lock->level], lock->at);
		}
}

static const struct ir_lock *lock_of(const struct lower *l, enum ir_scalar_id id)
{
	static const struct ir_lock none = { 0 };

	for (int k = 0; k < AST_SEC_COUNT; k++) {
		int kind = sema_section_kind((enum ast_section_kind)k);

		if (kind >= 0 && !strcmp(sema_section_name((enum ast_section_kind)k),
					 ir_scalar_section(id)))
			return &l->s->locked[kind];
	}
	return &none;
}

/* What lost, highest rank first; the claims are in that order. */
static void record_over(struct weigh *w)
{
	struct {
		VEC(struct ir_scalar) v;
	} over = { .v = { NULL, 0, 0 } };

	for (size_t i = 0; i < w->n; i++)
		if (w->c[i] != w->winner)
			VEC_PUSH(w->l->a, &over.v, w->c[i]->value);
	w->cur.over = over.v.v;
	w->cur.nover = over.v.n;
}

/* A file speaks with one voice, however often it says a thing: that of `c`,
 * its role's apart; NULL where it has not spoken. */
static struct lower_claim *voice(struct lower_claim *const *v, size_t n,
				 const struct lower_claim *c)
{
	for (size_t i = n; i-- > 0 && v[i]->unit == c->unit;)
		if (str_eq(v[i]->value.role, c->value.role))
			return v[i];
	return NULL;
}

static void weigh(struct lower *l, enum ir_scalar_id id)
{
	struct {
		VEC(struct lower_claim *) v;
	} mine = { .v = { NULL, 0, 0 } };
	const struct ir_lock *lock = lock_of(l, id);
	struct weigh w = {
		.l = l, .id = id, .type = ir_scalar_type(id), .cur = l->ir->scalars[id]
	};

	for (size_t i = 0; i < l->claims.n; i++) {
		struct lower_claim *c = l->claims.v[i], *same;

		if (c->id != id)
			continue;
		same = voice(mine.v.v, mine.v.n, c);
		if (!same) {
			VEC_PUSH(l->a, &mine.v, c);
			continue;
		}
		if (!same_value(w.type, &same->value, &c->value))
			conflict(&w, same, c);
		same->value.locked |= c->value.locked;
	}
	if (!mine.v.n)
		return;
	w.c = mine.v.v;
	w.n = mine.v.n;
	check_locks(&w);
	if (lock->level) {
		replace_levels(&w, (int)lock->level, IR_MANAGED);
		tighten_levels(&w, lock);
	} else {
		replace_levels(&w, IR_DEFAULT, IR_MANAGED);
	}
	record_over(&w);
	l->ir->scalars[id] = w.cur;
	if (id == IR_S_NET_MODE)
		l->mode_unit = w.winner ? w.winner->unit : NULL;
}

void lower_scalars(struct lower *l)
{
	lower_read_claims(l);
	for (int id = 0; id < IR_SCALAR_COUNT; id++)
		weigh(l, (enum ir_scalar_id)id);
	l->ir->base_none = str_eqz(l->ir->scalars[IR_S_BASE].text, "none");
}
