/*
 * Pass "lower": walks the resolved statements in order and hands each to its section.
 * Decides a rule's place in the order that "the first rule" refers to.
 */
#include "compiler/lower/lower.h"

#include "compiler/lower/claims.h"
#include "compiler/lower/line_facts.h"

#include <assert.h>

/* A bundle expires when the first of its allows does (doc/semantics.md). */
static void take_until(struct lower *l)
{
	for (size_t i = 0; i < l->ir->rules.n; i++) {
		const struct ir_rule *r = l->ir->rules.v[i];

		if (r->effect == IR_ALLOW && r->until.n &&
		    (!l->ir->until.n || str_cmp(r->until, l->ir->until) < 0))
			l->ir->until = r->until;
	}
}

typedef void lower_one(struct lower *l, const struct sema_stmt *t);

static void lower_rule(struct lower *l, const struct sema_stmt *t)
{
	static lower_one *const sections[AST_SEC_COUNT + 1] = {
		[AST_SEC_COMMAND] = lower_command, [AST_SEC_FILE] = lower_file,
		[AST_SEC_NETWORK] = lower_net,     [AST_SEC_UNIX] = lower_unix,
		[AST_SEC_SYSCALL] = lower_syscall, [AST_SEC_TOOLS] = lower_tool,
	};

	assert(sections[t->section] || l->sink->errors); /* sema has reported it */
	if (sections[t->section])
		sections[t->section](l, t);
	lower_examples(l, t);
}

/* Moves a rule to its place: by the order of files, then by offset. */
static void put_rule(struct lower *l, struct ir_rule *r)
{
	uint64_t key = ((uint64_t)l->stmt->unit->order << 32) | r->at.span.off;
	size_t at;

	VEC_PUSH(l->a, &l->ir->rules, r);
	VEC_PUSH(l->a, &l->keys, key);
	/* nearly always it is already in its place */
	for (at = l->keys.n - 1; at > 0 && l->keys.v[at - 1] > key; at--) {
		l->keys.v[at] = l->keys.v[at - 1];
		l->ir->rules.v[at] = l->ir->rules.v[at - 1];
	}
	l->keys.v[at] = key;
	l->ir->rules.v[at] = r;
}

/* Adds what the statement has made to the policy, or discards it. */
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
	SETTLE(publish);
#undef SETTLE
}

static void lower_stmt(struct lower *l, const struct sema_stmt *t)
{
	static lower_one *const kinds[] = {
		[AST_RULE] = lower_rule,       [AST_SCRATCH] = lower_scratch,
		[AST_MOUNT] = lower_mount,     [AST_TOOL] = lower_tool_facts,
		[AST_PUBLISH] = lower_publish, [AST_NOT_PUBLISH] = lower_publish,
		[AST_RISK] = lower_facts,      [AST_PROGRAM] = lower_facts,
		[AST_WRAPPER] = lower_facts,   [AST_INTERPRETER] = lower_facts,
		[AST_TAINT] = lower_facts,     [AST_SAFE] = lower_facts,
		[AST_INERT] = lower_facts,     [AST_PIN] = lower_pin,
		[AST_SHELL] = lower_shell,     [AST_ASSERT] = lower_assert,
	};
	/* a statement that was cut, or whose role was not chosen, is read all the same,
	   so that its errors are found; only a notice of what was cut remains */
	const char *why = t->cut ? t->cut : lower_past_until(l, t);

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

/* Limit for names in a bundle's manifest. */
#define MAX_NAME 127u

/*
 * Takes name and serial from the highest-ranked policy; the expiry is the earliest of
 * all.
 */
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

/*
 * Warns about network rules that somebody wrote although nothing switches the network
 * on.
 */
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

	/* go on after an error too, to find the errors that only show here */
	if (!s->resolved)
		return NULL;
	l.ir = ir_new(s->a);
	map_init(&l.claims, s->a);
	map_init(&l.whens, s->a);
	memcpy(l.ir->locked, s->locked, sizeof(l.ir->locked));
	files(&l);
	policy_head(&l);
	l.ir->role = s->role;
	lower_roles(&l);
	lower_scalars(&l);
	lower_mounts(&l);
	for (size_t i = 0; i < s->stmts.n; i++)
		lower_carried(&l, s->stmts.v[i]);
	lower_settings(&l);
	lower_vias(&l);
	for (size_t i = 0; i < s->stmts.n; i++)
		lower_stmt(&l, s->stmts.v[i]);
	l.stmt = l.mode ? l.mode->t : NULL;
	lower_sockets(&l);
	settle(&l, true);
	lower_home(&l);
	for (size_t i = 0; i < l.ir->rules.n; i++)
		l.ir->rules.v[i]->index = (uint32_t)i;
	lower_opaque_done(&l);
	lower_mounts_done(&l);
	lower_pins_done(&l);
	take_until(&l);
	lower_env(&l);
	lower_grants_done(&l);
	lower_tests(&l);
	warn_network_off(&l);
	if (!s->sink->errors)
		l.ir->line_facts = lower_line_facts(l.ir, l.a, l.sink);
	return s->sink->errors ? NULL : l.ir;
}
