/*
 * Reads every `otherwise` (the effect where no rule decides) and `opaque` (the effect for a command
 * that cannot be read).  Those of commands may be about one scope, and are two scalars each.
 */
#include "compiler/lower/defaults.h"

#include "compiler/lower/cond.h"
#include "compiler/lower/scalar_claim.h"

/* The scopes that a default of commands is about; 0 after an error. */
static unsigned scopes_of(struct lower *l, const struct sema_stmt *t)
{
	const struct ast_option *when = lower_option(t->stmt, AST_O_WHEN);
	unsigned ret;
	struct diag *d;

	if (when && lower_mentions_role(when->expr)) {
		d = diag_add(l->sink, DIAG_OPTION, when->at,
			     "a default may depend on the scope, but on nothing else");
		diag_help(l->sink, d, "write it into the section 'role NAME { … }'");
		return 0;
	}
	ret = lower_scopes(l, when ? when->expr : NULL);
	if (when && ret == IR_ALL_SCOPES) {
		d = diag_add(l->sink, DIAG_OPTION, when->at, "this condition holds in both scopes");
		diag_help(l->sink, d, "leave it out");
		return 0;
	}
	return ret;
}

/*
 * Gives a default of commands its value in each scope that the statement is about.  As long as no
 * statement is about one scope alone, both have the one value, and only the first is claimed.
 */
static void command_default(struct lower *l, const struct sema_stmt *t, enum ir_scalar_id id,
			    const struct ir_scalar *value)
{
	const enum ir_scalar_id rows[] = { id, ir_scalar_of_sandbox(id) };
	const unsigned scopes = scopes_of(l, t);

	for (size_t i = 0; i < POL_LEN(rows); i++) {
		struct ir_scalar *s;

		if (!(scopes & (i ? IR_SANDBOX : IR_HOST)) || (i && !l->scoped_defaults))
			continue;
		s = scalar_claim(l, t, rows[i]);
		s->effect = value->effect;
		s->by_risk = value->by_risk;
		memcpy(s->effects, value->effects, sizeof(s->effects));
	}
}

static const enum ir_scalar_id otherwise_of[AST_SEC_COUNT] = {
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
			scalar_claim(l, t, ops[i].id)->effect =
				lower_effect(t->stmt->effect);
}

static void plain_default(struct lower *l, const struct sema_stmt *t, enum ir_scalar_id id)
{
	struct ir_scalar value = l->ir->scalars[id];

	value.effect = lower_effect(t->stmt->effect);
	command_default(l, t, id, &value);
}

static void otherwise(struct lower *l, const struct sema_stmt *t)
{
	if (t->stmt->effect == AST_HIDE)
		diag_add(l->sink, DIAG_OPTION, t->stmt->at,
			 "'otherwise' is 'allow', 'ask' or 'deny'");
	else if (t->section == AST_SEC_FILE)
		file_otherwise(l, t);
	else if (t->section == AST_SEC_COMMAND)
		plain_default(l, t, IR_S_COMMAND_OTHERWISE);
	else
		scalar_claim(l, t, otherwise_of[t->section])->effect =
			lower_effect(t->stmt->effect);
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

/* Reads all four classes: each once, and a higher class never gets a milder effect. */
static bool risk_map(struct lower *l, const struct sema_stmt *t,
		     enum ir_effect ret[IR_RISK_COUNT])
{
	const struct ast_value *seen[IR_RISK_COUNT] = { NULL };
	struct diag *d;

	for (const struct ast_value *v = t->stmt->pairs; v; v = v->next) {
		enum ir_risk r;

		if (!lower_risk(v->key, &r) || !effect_by_name(v->text, &ret[r])) {
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
	struct ir_scalar value = { .by_risk = true }, *s;

	if (!risk_map(l, t, map))
		return;
	value.effect = map[IR_RISK_MEDIUM];
	memcpy(value.effects, map, sizeof(map));
	if (t->section == AST_SEC_COMMAND) {
		command_default(l, t, IR_S_COMMAND_OTHERWISE, &value);
		return;
	}
	s = scalar_claim(l, t, otherwise_of[t->section]);
	s->by_risk = true;
	s->effect = value.effect;
	memcpy(s->effects, map, sizeof(map));
}

/* Does a statement say something about commands in one scope alone? */
static bool has_scoped(const struct lower *l)
{
	for (size_t i = 0; i < l->s->stmts.n; i++) {
		const struct sema_stmt *t = l->s->stmts.v[i];

		if ((t->stmt->kind == AST_OTHERWISE || t->stmt->kind == AST_OTHERWISE_BY_RISK ||
		     t->stmt->kind == AST_OPAQUE) && lower_option(t->stmt, AST_O_WHEN))
			return true;
	}
	return false;
}

void default_begin(struct lower *l)
{
	l->scoped_defaults = has_scoped(l);
}

void default_read(struct lower *l, const struct sema_stmt *t)
{
	if (t->stmt->kind == AST_OTHERWISE_BY_RISK)
		by_risk(l, t);
	else if (t->stmt->kind == AST_OPAQUE)
		plain_default(l, t, IR_S_COMMAND_OPAQUE);
	else
		otherwise(l, t);
}

/* The first rule of a managed level that denies or asks about a command in one of the scopes. */
static const struct ir_rule *managed_rule(const struct lower *l, unsigned scopes)
{
	for (size_t i = 0; i < l->ir->rules.n; i++) {
		const struct ir_rule *r = l->ir->rules.v[i];

		if (r->kind == IR_COMMAND && r->effect > IR_ALLOW && r->level <= IR_MANAGED_FILE &&
		    (r->scopes & scopes))
			return r;
	}
	return NULL;
}

void lower_opaque_done(struct lower *l)
{
	const enum ir_scalar_id ids[] = { IR_S_COMMAND_OPAQUE, IR_S_SANDBOX_OPAQUE };

	for (size_t i = 0; i < POL_LEN(ids); i++) {
		struct ir_scalar *s = &l->ir->scalars[ids[i]];
		const unsigned scopes = i				       ? IR_SANDBOX :
					l->ir->scalars[IR_S_SANDBOX_OPAQUE].set ? IR_HOST :
										 IR_ALL_SCOPES;
		const struct ir_rule *r = managed_rule(l, scopes);

		if (!s->set || s->effect != IR_ALLOW || s->level <= IR_MANAGED_FILE || !r)
			continue;
		lower_drop(l, s->source, IR_WHY_MANAGED_RULE,
			   s->at, r->at, s->level);
		s->effect = IR_ASK;
	}
}
