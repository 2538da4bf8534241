/*
 * What files say of scalars: reads every `otherwise`, `opaque`, mode, limit
 * and `base` into claims.  Which claim counts is decided in scalars.c.
 */
#include "compiler/lower/internal.h"

static const char *const mode_words[] = { "disabled", "limited", "full" };

struct lower_claim *lower_claim(struct lower *l, const struct sema_stmt *t,
				enum ir_scalar_id id)
{
	struct lower_claim *c = ARENA_NEW(l->a, struct lower_claim);

	*c = (struct lower_claim){ .id = id,
				   .unit = t->unit,
				   .section_locked = t->section_locked };
	c->value = l->ir->scalars[id];
	c->value.set = true;
	c->value.level = t->unit->level;
	c->value.locked = t->orig->locked && t->unit->level <= IR_MANAGED_FILE;
	c->value.at = t->at;
	c->value.source = t->text;
	c->value.role = t->role;
	c->value.over = NULL;
	c->value.nover = 0;
	VEC_PUSH(l->a, &l->claims, c);
	return c;
}

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
	} ops[] = { { IR_READ, IR_S_FILE_READ },
		    { IR_WRITE, IR_S_FILE_WRITE },
		    { IR_EXEC, IR_S_FILE_EXEC } };
	unsigned mask = t->stmt->ops ? t->stmt->ops : IR_ALL_OPS;

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
			diag_help(l->sink, d,
				  "classes are low, medium, high and "
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
			diag_note(l->sink, d, seen[r - 1]->at,
				  "the class below is here");
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

static void read_stmts(struct lower *l)
{
	for (size_t i = 0; i < l->s->stmts.n; i++) {
		const struct sema_stmt *t = l->s->stmts.v[i];
		size_t nclaims = l->claims.n;

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
		if (t->off) /* read for its faults */
			l->claims.n = nclaims;
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
			*t = (struct sema_stmt){ .orig = p,
						 .stmt = p,
						 .unit = u,
						 .at = sema_place(l->s, p->at) };
			t->text =
				str_printf(l->a, "base %.*s", STR_ARG(p->values->text));
			lower_claim(l, t, IR_S_BASE)->value.text = p->values->text;
		}
	}
}

static int claim_rank(const struct lower_claim *c)
{
	return (int)c->unit->order;
}

void lower_read_claims(struct lower *l)
{
	read_base(l);
	read_stmts(l);
	/* base claims were read first: put all in the one order */
	for (size_t i = 1; i < l->claims.n; i++) {
		struct lower_claim *c = l->claims.v[i];
		size_t j = i;

		for (; j > 0 && claim_rank(c) < claim_rank(l->claims.v[j - 1]); j--)
			l->claims.v[j] = l->claims.v[j - 1];
		l->claims.v[j] = c;
	}
}
