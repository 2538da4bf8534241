/*
 * Which value of a scalar counts (semantics 3.2): from level 5 to level 1 the
 * higher rank replaces; a narrow-only level and a level below a locked
 * section can only tighten; a locked scalar is set by nobody below.
 */
#include "compiler/lower/internal.h"

static const char *const mode_words[] = { "disabled", "limited", "full" };

struct lower_claim *lower_claim(struct lower *l, const struct sema_stmt *t,
				enum ir_scalar_id id)
{
	struct lower_claim *c = ARENA_NEW(l->a, struct lower_claim);

	*c = (struct lower_claim){ .id = id, .unit = t->unit,
				   .section_locked = t->section_locked };
	c->value = l->ir->scalars[id];
	c->value.set = true;
	c->value.level = t->unit->level;
	c->value.locked = t->orig->locked && t->unit->level <= IR_MANAGED_FILE;
	c->value.at = t->at;
	c->value.source = t->text;
	c->value.over = NULL;
	c->value.nover = 0;
	VEC_PUSH(l->a, &l->claims, c);
	return c;
}

/* --- reading ------------------------------------------------------------------ */

static const enum ir_scalar_id otherwise_of[AST_SEC_COUNT] = {
	[AST_SEC_COMMAND] = IR_S_COMMAND_OTHERWISE,
	[AST_SEC_NETWORK] = IR_S_NET_OTHERWISE,
	[AST_SEC_UNIX] = IR_S_UNIX_OTHERWISE,
	[AST_SEC_SYSCALL] = IR_S_SYSCALL_OTHERWISE,
	[AST_SEC_TOOLS] = IR_S_TOOL_OTHERWISE,
};

static void file_otherwise(struct lower *l, const struct sema_stmt *t)
{
	static const struct {
		unsigned op;
		enum ir_scalar_id id;
	} ops[] = { { IR_READ, IR_S_FILE_READ }, { IR_WRITE, IR_S_FILE_WRITE },
		    { IR_EXEC, IR_S_FILE_EXEC } };
	unsigned mask = t->stmt->ops ? t->stmt->ops : IR_ALL_OPS;

	if (t->stmt->effect == AST_ALLOW && (mask & IR_READ)) {
		struct diag *d = diag_add(l->sink, DIAG_UNSUPPORTED, t->stmt->at,
			"'otherwise' that allows reading is not supported by this "
			"version");
		diag_help(l->sink, d, "name the trees that the command needs: "
			  "'allow read …'");
		return;
	}
	for (size_t i = 0; i < POL_LEN(ops); i++)
		if (mask & ops[i].op)
			lower_claim(l, t, ops[i].id)->value.effect =
				lower_effect(t->stmt->effect);
}

static void otherwise(struct lower *l, const struct sema_stmt *t)
{
	struct lower_claim *c;

	if (t->stmt->effect == AST_HIDE) {
		diag_add(l->sink, DIAG_OPTION, t->stmt->at,
			 "'otherwise' is 'allow', 'ask' or 'deny'");
		return;
	}
	if (t->section == AST_SEC_FILE) {
		file_otherwise(l, t);
		return;
	}
	c = lower_claim(l, t, otherwise_of[t->section]);
	c->value.effect = lower_effect(t->stmt->effect);
	c->value.by_risk = false;
}

static bool risk_by_name(struct str name, enum ir_risk *ret)
{
	for (int r = 0; r < IR_RISK_COUNT; r++)
		if (str_eqz(name, ir_risk_name((enum ir_risk)r))) {
			*ret = (enum ir_risk)r;
			return true;
		}
	return false;
}

static bool effect_by_name(struct str name, enum ir_effect *ret)
{
	for (int e = IR_ALLOW; e <= IR_DENY; e++)
		if (str_eqz(name, ir_effect_name((enum ir_effect)e))) {
			*ret = (enum ir_effect)e;
			return true;
		}
	return false;
}

/* All four classes, each once, a higher one never milder. */
static bool risk_map(struct lower *l, const struct sema_stmt *t,
		     enum ir_effect ret[IR_RISK_COUNT])
{
	const struct ast_value *seen[IR_RISK_COUNT] = { NULL };
	struct diag *d;

	for (const struct ast_value *v = t->stmt->pairs; v; v = v->next) {
		enum ir_risk r;

		if (!risk_by_name(v->key, &r) || !effect_by_name(v->text, &ret[r])) {
			d = diag_add(l->sink, DIAG_RISK_MAP, v->at,
				     "'%.*s %.*s' is no class with an effect",
				     STR_ARG(v->key), STR_ARG(v->text));
			diag_help(l->sink, d, "classes are low, medium, high and "
				  "critical; effects allow, ask and deny");
			return false;
		}
		if (seen[r]) {
			d = diag_add(l->sink, DIAG_RISK_MAP, v->at,
				     "the class '%.*s' stands twice", STR_ARG(v->key));
			diag_note(l->sink, d, seen[r]->at, "the first one is here");
			return false;
		}
		seen[r] = v;
	}
	for (int r = 0; r < IR_RISK_COUNT; r++) {
		if (!seen[r]) {
			diag_add(l->sink, DIAG_RISK_MAP, t->stmt->at,
				 "the class '%s' is missing",
				 ir_risk_name((enum ir_risk)r));
			return false;
		}
		if (r > 0 && ret[r] < ret[r - 1]) {
			d = diag_add(l->sink, DIAG_RISK_MAP, seen[r]->at,
				     "'%s' gets a milder effect than '%s'",
				     ir_risk_name((enum ir_risk)r),
				     ir_risk_name((enum ir_risk)(r - 1)));
			diag_note(l->sink, d, seen[r - 1]->at, "the class below is here");
			return false;
		}
	}
	return true;
}

static void by_risk(struct lower *l, const struct sema_stmt *t)
{
	enum ir_effect map[IR_RISK_COUNT] = { IR_DENY, IR_DENY, IR_DENY, IR_DENY };
	struct lower_claim *c;

	if (!risk_map(l, t, map))
		return;
	c = lower_claim(l, t, otherwise_of[t->section]);
	c->value.by_risk = true;
	c->value.effect = map[IR_RISK_MEDIUM];
	memcpy(c->value.effects, map, sizeof(map));
}

static void mode(struct lower *l, const struct sema_stmt *t)
{
	struct diag *d;
	const char *near;

	for (size_t i = 0; i < POL_LEN(mode_words); i++)
		if (str_eqz(t->stmt->name, mode_words[i])) {
			lower_claim(l, t, IR_S_NET_MODE)->value.num = i;
			return;
		}
	d = diag_add(l->sink, DIAG_VALUE, t->stmt->name_at,
		     "the network is 'disabled', 'limited' or 'full', not '%.*s'",
		     STR_ARG(t->stmt->name));
	near = diag_suggest(t->stmt->name, mode_words, POL_LEN(mode_words));
	if (near)
		diag_help(l->sink, d, "did you mean '%s'?", near);
}

static void read_claims(struct lower *l)
{
	for (size_t i = 0; i < l->s->stmts.n; i++) {
		const struct sema_stmt *t = l->s->stmts.v[i];

		if (!t->in_section)
			continue;
		switch ((int)t->stmt->kind) {
		case AST_OTHERWISE:
			otherwise(l, t);
			break;
		case AST_OTHERWISE_BY_RISK:
			by_risk(l, t);
			break;
		case AST_OPAQUE:
			lower_claim(l, t, IR_S_COMMAND_OPAQUE)->value.effect =
				lower_effect(t->stmt->effect);
			break;
		case AST_MODE:
			if (t->section == AST_SEC_NETWORK)
				mode(l, t);
			break;
		case AST_PAIR:
			if (t->section == AST_SEC_LIMITS)
				lower_limit(l, t);
			break;
		default:
			break;
		}
	}
}

/* `base` of the policies that are named. */
static void read_base(struct lower *l)
{
	for (size_t i = 0; i < l->s->units.n; i++) {
		struct sema_unit *u = l->s->units.v[i];
		struct ast_stmt *p = u->named && u->policy ? u->policy->body : NULL;

		for (; p; p = p->next) {
			struct sema_stmt *t;

			if (p->kind != AST_PAIR || !str_eqz(p->name, "base"))
				continue;
			t = ARENA_NEW(l->a, struct sema_stmt);
			*t = (struct sema_stmt){ .orig = p, .stmt = p, .unit = u,
						 .at = sema_place(l->s, p->at) };
			t->text = str_printf(l->a, "base %.*s", STR_ARG(p->values->text));
			lower_claim(l, t, IR_S_BASE)->value.text = p->values->text;
		}
	}
}

/* --- weighing ------------------------------------------------------------------ */

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

/*
 * What a level says in its full or its narrow-only files: a file overrides
 * what it uses, and what is left must agree.  NULL: nothing.
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
			overridden = w->c[k]->value.level == level &&
				     w->c[k]->unit->narrow == narrow &&
				     sema_imports(w->c[k]->unit, c->unit);
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
	struct ir_scalar next = tighter(w->type, &w->cur, &c->value, &changed, &loosens);

	if (changed) {
		w->cur = next;
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
		const struct lower_claim *full = level_says(w, (enum ir_level)level, false);
		const struct lower_claim *narrow = level_says(w, (enum ir_level)level, true);

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
		[IR_MANAGED_FILE] = "the section is locked by managed-file: only tighter "
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
	struct { VEC(struct ir_scalar) v; } over = { .v = { NULL, 0, 0 } };

	for (size_t i = 0; i < w->n; i++)
		if (w->c[i] != w->winner)
			VEC_PUSH(w->l->a, &over.v, w->c[i]->value);
	w->cur.over = over.v.v;
	w->cur.nover = over.v.n;
}

static void weigh(struct lower *l, enum ir_scalar_id id)
{
	struct { VEC(struct lower_claim *) v; } mine = { .v = { NULL, 0, 0 } };
	const struct ir_lock *lock = lock_of(l, id);
	struct weigh w = { .l = l, .id = id, .type = ir_scalar_type(id),
			   .cur = l->ir->scalars[id] };

	for (size_t i = 0; i < l->claims.n; i++)
		if (l->claims.v[i]->id == id)
			VEC_PUSH(l->a, &mine.v, l->claims.v[i]);
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

static int claim_rank(const struct lower_claim *c)
{
	return (int)c->unit->order;
}

void lower_scalars(struct lower *l)
{
	read_base(l);
	read_claims(l);
	/* base claims were read first: put all in the one order */
	for (size_t i = 1; i < l->claims.n; i++) {
		struct lower_claim *c = l->claims.v[i];
		size_t j = i;

		for (; j > 0 && claim_rank(c) < claim_rank(l->claims.v[j - 1]); j--)
			l->claims.v[j] = l->claims.v[j - 1];
		l->claims.v[j] = c;
	}
	for (int id = 0; id < IR_SCALAR_COUNT; id++)
		weigh(l, (enum ir_scalar_id)id);
	l->ir->base_none = str_eqz(l->ir->scalars[IR_S_BASE].text, "none");
}
