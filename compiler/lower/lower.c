/*
 * Pass "lower": walks the resolved statements in their one order and hands
 * each to its section.  What every rule has in common is decided here: id,
 * place, level, scopes, and its place in the order of "the first rule".
 */
#include "compiler/lower/internal.h"

#include <assert.h>

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

/* The day of `until`, or 0 where there is none. */
static int64_t until_of(const struct sema_stmt *t)
{
	const struct ast_option *o = lower_option(t->stmt, AST_O_UNTIL);
	int64_t days = 0;

	if (!o || !o->values || !num_date(o->values->text, &days))
		return 0;
	return days;
}

/* Past its day an allow no longer counts; what forbids or asks goes on. */
static const char *past_until(const struct lower *l, const struct sema_stmt *t)
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

/* No bundle outlives the first of its allows (doc/semantics.md). */
static void take_until(struct lower *l)
{
	for (size_t i = 0; i < l->ir->rules.n; i++) {
		const struct ir_rule *r = l->ir->rules.v[i];

		if (r->effect == IR_ALLOW && r->until.n &&
		    (!l->ir->until.n || str_cmp(r->until, l->ir->until) < 0))
			l->ir->until = r->until;
	}
}

/*
 * A statement's text as its rules show it.  One of 10,000 hosts is that many
 * rules, and each carries the text: past a limit the rest is left out.  Ids
 * are made of the whole text.
 */
static struct str shown(struct lower *l, struct str text)
{
	const size_t most = 1000;
	size_t n = most;

	if (text.n <= most)
		return text;
	while (n > 0 && ((unsigned char)text.p[n] & 0xc0) == 0x80)
		n--; /* not inside of a character */
	return str_cat(l->a, str_sub(text, 0, n), STR(" \xe2\x80\xa6"));
}

bool lower_head(struct lower *l, const struct sema_stmt *t, enum ir_kind kind,
		struct ir_rule *ret)
{
	const struct ast_option *because = lower_option(t->stmt, AST_O_BECAUSE);

	*ret = (struct ir_rule){
		.id = t->id,
		.at = t->at,
		.text = shown(l, t->text),
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
		return true; /* its `when` also speaks of arguments */
	ret->scopes = lower_scopes(l, t->stmt);
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

typedef void lower_one(struct lower *l, const struct sema_stmt *t);

static void lower_rule(struct lower *l, const struct sema_stmt *t)
{
	static lower_one *const sections[AST_SEC_COUNT + 1] = {
		[AST_SEC_COMMAND] = lower_command, [AST_SEC_FILE] = lower_file,
		[AST_SEC_NETWORK] = lower_net,     [AST_SEC_UNIX] = lower_unix,
		[AST_SEC_SYSCALL] = lower_syscall, [AST_SEC_TOOLS] = lower_tool,
	};

	assert(sections[t->section] || l->sink->errors); /* sema has refused it */
	if (sections[t->section])
		sections[t->section](l, t);
	lower_examples(l, t);
}

/* Puts a rule in its place: files in order, then bytes. */
static void put_rule(struct lower *l, struct ir_rule *r)
{
	uint64_t key = ((uint64_t)l->stmt->unit->order << 32) | r->at.span.off;
	size_t at;

	VEC_PUSH(l->a, &l->ir->rules, r);
	VEC_PUSH(l->a, &l->keys, key);
	/* nearly always the last already */
	for (at = l->keys.n - 1; at > 0 && l->keys.v[at - 1] > key; at--) {
		l->keys.v[at] = l->keys.v[at - 1];
		l->ir->rules.v[at] = l->ir->rules.v[at - 1];
	}
	l->keys.v[at] = key;
	l->ir->rules.v[at] = r;
}

/* What the statement has made becomes part of the policy, or is forgotten. */
static void settle(struct lower *l, bool counts)
{
	struct ir *from = &l->made, *to = l->ir;

	for (size_t i = 0; counts && i < from->rules.n; i++)
		put_rule(l, from->rules.v[i]);
	from->rules.n = 0;
#define SETTLE(list)                                                \
	for (size_t i = 0; counts && i < from->list.n; i++)         \
		VEC_PUSH(l->a, &to->list, from->list.v[i]);         \
	from->list.n = 0
	SETTLE(examples);
	SETTLE(risks);
	SETTLE(facts);
	SETTLE(programs);
	SETTLE(vars);
	SETTLE(inert);
#undef SETTLE
}

static void lower_stmt(struct lower *l, const struct sema_stmt *t)
{
	static lower_one *const kinds[] = {
		[AST_RULE] = lower_rule,       [AST_SCRATCH] = lower_scratch,
		[AST_MOUNT] = lower_mount,     [AST_TOOL] = lower_tool_facts,
		[AST_RISK] = lower_facts,      [AST_PROGRAM] = lower_facts,
		[AST_WRAPPER] = lower_facts,   [AST_INTERPRETER] = lower_facts,
		[AST_TAINT] = lower_facts,     [AST_SAFE] = lower_facts,
		[AST_INERT] = lower_facts,     [AST_PIN] = lower_pin,
		[AST_SHELL] = lower_shell,
	};
	/* what is cut, or of a role that was not chosen, is read all the same,
	   so that its faults are found; it leaves nothing but a notice of what
	   was cut */
	const char *why = t->cut ? t->cut : past_until(l, t);

	l->stmt = t;
	if (t->stmt->kind < POL_LEN(kinds) && kinds[t->stmt->kind])
		kinds[t->stmt->kind](l, t);
	settle(l, !why && !t->off);
	if (why && !t->off)
		lower_drop(l, t->text, why, t->at, t->cut_by, t->unit->level);
}

static const struct ast_value *policy_value(const struct sema_unit *u, const char *key)
{
	for (const struct ast_stmt *p = u->policy ? u->policy->body : NULL; p;
	     p = p->next)
		if (p->kind == AST_PAIR && str_eqz(p->name, key))
			return p->values;
	return NULL;
}

/* What a manifest holds. */
#define MAX_NAME 127u

/* Name and serial of the highest-ranked policy; the earliest expiry of all. */
static void policy_head(struct lower *l)
{
	for (size_t i = 0; i < l->s->units.n; i++) {
		const struct sema_unit *u = l->s->units.v[i];
		const struct ast_value *serial = policy_value(u, "serial");
		const struct ast_value *expires = policy_value(u, "expires");
		uint64_t n = 0;
		int64_t days;

		if (!u->named || !u->policy)
			continue;
		if (serial && !num_u64(serial->text, &n))
			diag_add(l->sink, DIAG_VALUE, serial->at,
				 "a serial is a whole number, not '%.*s'",
				 STR_ARG(serial->text));
		if (expires && !num_date(expires->text, &days))
			diag_add(l->sink, DIAG_VALUE, expires->at,
				 "'%.*s' is no date: write YYYY-MM-DD",
				 STR_ARG(expires->text));
		else if (expires && days < 0)
			diag_add(l->sink, DIAG_BUNDLE_DATE, expires->at,
				 "bundles count days from 1970-01-01 on: '%.*s'",
				 STR_ARG(expires->text));
		else if (expires && (!l->ir->expires.n ||
				     str_cmp(expires->text, l->ir->expires) < 0))
			l->ir->expires = expires->text;
		if (u->policy->name.n > MAX_NAME)
			diag_add(l->sink, DIAG_BUNDLE_LIMIT, u->policy->name_at,
				 "a policy's name has at most %u bytes", MAX_NAME);
		if (!l->ir->name.n) {
			l->ir->name = u->policy->name;
			l->ir->serial = n;
		}
	}
}

static void files(struct lower *l)
{
	for (size_t i = 0; i < l->s->units.n; i++) {
		const struct sema_unit *u = l->s->units.v[i];
		struct ir_level_file f = { .level = u->level,
					   .narrow = u->narrow,
					   .name = u->name,
					   .text = l->s->map->files.v[u->file].text };

		VEC_PUSH(l->a, &l->ir->files, f);
	}
}

/* A network rule that somebody wrote, while nothing switches the network on. */
static void warn_network_off(struct lower *l)
{
	const struct ir_scalar *mode = &l->ir->scalars[IR_S_NET_MODE];

	if (mode->num != IR_NET_DISABLED)
		return;
	for (size_t i = 0; i < l->ir->rules.n; i++) {
		const struct ir_rule *r = l->ir->rules.v[i];
		struct diag *d;

		if (r->kind != IR_NET || r->effect == IR_DENY || r->level == IR_DEFAULT)
			continue;
		d = diag_add(l->sink, DIAG_NETWORK_OFF, r->at.span,
			     "the network is disabled, so this rule has no effect");
		diag_note(l->sink, d, mode->at.span, "the mode is set here");
		diag_help(l->sink, d, "write 'network limited { … }'");
	}
}

struct ir *lower_policy(struct sema *s)
{
	struct lower l = { .s = s, .a = s->a, .sink = s->sink };

	/* after an error too, for the faults that only show here */
	if (!s->resolved)
		return NULL;
	l.ir = ir_new(s->a);
	map_init(&l.claims, s->a);
	memcpy(l.ir->locked, s->locked, sizeof(l.ir->locked));
	files(&l);
	policy_head(&l);
	l.ir->role = s->role;
	lower_roles(&l);
	lower_scalars(&l);
	lower_mounts(&l);
	lower_settings(&l);
	for (size_t i = 0; i < s->stmts.n; i++)
		lower_stmt(&l, s->stmts.v[i]);
	l.stmt = l.mode;
	lower_families(&l);
	settle(&l, true);
	lower_home(&l);
	for (size_t i = 0; i < l.ir->rules.n; i++)
		l.ir->rules.v[i]->index = (uint32_t)i;
	lower_mounts_done(&l);
	lower_pins_done(&l);
	take_until(&l);
	lower_env(&l);
	lower_tests(&l);
	warn_network_off(&l);
	return s->sink->errors ? NULL : l.ir;
}
