/*
 * What all rules have in common: id, place, level, scopes, the day of `until`, and
 * exceptions; and the checks that every section makes of a statement.
 */
#include "compiler/lower/internal.h"

enum lower_side lower_side_of(enum ast_effect e)
{
	return e == AST_ALLOW ? LOWER_NARROW : LOWER_BROAD;
}

enum ir_effect lower_effect(enum ast_effect e)
{
	switch (e) {
	case AST_ALLOW:
		return IR_ALLOW;
	case AST_ASK:
		return IR_ASK;
	case AST_DENY:
		return IR_DENY;
	case AST_HIDE:
		return IR_HIDE;
	}
	return IR_DENY;
}

bool lower_risk(struct str name, enum ir_risk *ret)
{
	for (int r = 0; r < IR_RISK_COUNT; r++)
		if (str_eqz(name, ir_risk_name((enum ir_risk)r))) {
			*ret = (enum ir_risk)r;
			return true;
		}
	return false;
}

struct str lower_letters(struct arena *a, struct str s)
{
	char *p = arena_alloc(a, s.n + 1);

	for (size_t i = 0; i < s.n; i++)
		p[i] = s.p[i] >= 'A' && s.p[i] <= 'Z' ? (char)(s.p[i] + ('a' - 'A'))
						      : s.p[i];
	return (struct str){ p, s.n };
}

const struct ast_option *lower_option(const struct ast_stmt *stmt,
				      enum ast_opt_kind kind)
{
	for (const struct ast_option *o = stmt->options; o; o = o->next)
		if (o->kind == kind)
			return o;
	return NULL;
}

bool lower_is_locked(const struct sema_stmt *t)
{
	return (t->orig->locked || t->section_locked) &&
	       t->unit->level <= IR_MANAGED_FILE;
}

void lower_drop(struct lower *l, struct str text, const char *why, struct ir_place at,
		struct ir_place by, enum ir_level level)
{
	struct ir_dropped d = {
		.text = text, .why = str_from(why), .at = at, .by = by, .level = level
	};

	VEC_PUSH(l->a, &l->ir->dropped, d);
}

static bool is_allow(const struct sema_stmt *t)
{
	return t->stmt->kind == AST_RULE && t->stmt->effect == AST_ALLOW;
}

/* The day of `until`, or 0 if there is none. */
static int64_t until_of(const struct sema_stmt *t)
{
	const struct ast_option *o = lower_option(t->stmt, AST_O_UNTIL);
	int64_t days = 0;

	if (!o || !o->values || !num_date(o->values->text, &days))
		return 0;
	return days;
}

/* After its day, an allow no longer counts; a rule that denies or asks stays in force. */
const char *lower_past_until(const struct lower *l, const struct sema_stmt *t)
{
	int64_t days = until_of(t);

	return is_allow(t) && days && days < l->s->today ?
		       "the day of its 'until' has passed" : NULL;
}

static bool lower_until(struct lower *l, const struct sema_stmt *t, struct str *ret)
{
	const struct ast_option *o = lower_option(t->stmt, AST_O_UNTIL);
	int64_t days;
	struct diag *d;

	*ret = STR_NULL;
	if (!o || !o->values)
		return true;
	if (!num_date(o->values->text, &days) || days <= 0) {
		d = diag_add(l->sink, DIAG_VALUE, o->values->at,
			     "'%.*s' is no day of 'until'", STR_ARG(o->values->text));
		diag_help(l->sink, d, "write YYYY-MM-DD, the last day on which it counts");
		return false;
	}
	*ret = o->values->text;
	if (is_allow(t) || days >= l->s->today || t->off || t->cut)
		return true;
	diag_add(l->sink, DIAG_UNTIL, o->at, "this day has passed, and the '%s' still counts",
		 ir_effect_name(lower_effect(t->stmt->effect)));
	return true;
}

struct str lower_shown(struct lower *l, struct str text)
{
	const size_t most = 1000;
	size_t n = most;

	if (text.n <= most)
		return text;
	while (n > 0 && ((unsigned char)text.p[n] & 0xc0) == 0x80)
		n--; /* do not cut inside a character */
	return str_cat(l->a, str_sub(text, 0, n), STR(" \xe2\x80\xa6"));
}

bool lower_head(struct lower *l, const struct sema_stmt *t, enum ir_kind kind,
		struct ir_rule *ret)
{
	const struct ast_option *because = lower_option(t->stmt, AST_O_BECAUSE);
	const struct ast_option *when = lower_option(t->stmt, AST_O_WHEN);

	*ret = (struct ir_rule){
		.id = t->id,
		.at = t->at,
		.text = lower_shown(l, t->text),
		.kind = kind,
		.effect = lower_effect(t->stmt->effect),
		.level = t->unit->level,
		.scopes = IR_ALL_SCOPES,
		.final = t->orig->final,
		.floor = t->unit->floor,
		.soft = t->soft,
		.full = !t->unit->narrow,
		.role = t->off ? STR_NULL : t->role,
	};
	ret->may_yes = lower_option(t->stmt, AST_O_MAY) != NULL;
	if (!lower_until(l, t, &ret->until))
		return false;
	if (because && because->values)
		ret->because = sema_plain(l->a, because->values->text);
	if (kind == IR_SYSCALL)
		return true; /* its `when` also asks about arguments */
	ret->scopes = lower_scopes(l, when ? when->expr : NULL);
	return ret->scopes != 0;
}

struct ir_rule *lower_add(struct lower *l, const struct ir_rule *head,
			  const struct ir_set *set)
{
	struct ir_rule *r = arena_dup(l->a, head, sizeof(*head));

	r->set = *set;
	VEC_PUSH(l->a, &l->made.rules, r);
	return r;
}

bool lower_except(struct lower *l, const struct ast_stmt *stmt, enum lower_side side,
		  lower_read_set *read, struct ir_set **ret, size_t *ret_n)
{
	struct lower_sets sets = { .v = { NULL, 0, 0 } };
	bool ok = true;

	for (const struct ast_option *o = stmt->options; o; o = o->next) {
		if (o->kind != AST_O_EXCEPT)
			continue;
		for (const struct ast_value *v = o->values; v; v = v->next)
			ok &= read(l, v, lower_other(side), &sets);
	}
	*ret = sets.v.v;
	*ret_n = sets.v.n;
	return ok;
}
