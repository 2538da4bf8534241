/*
 * Lowers assertions (semantics 7) to the bounds that must hold: `never` and `always` are
 * about the requests of their set, which match as those of a deny; `only` is about all
 * requests of its kind outside of the set, which matches as that of an allow.  The bounds
 * are lowered as the rules that would enforce them, so a pattern means what it means in a
 * rule.
 */
#include "compiler/lower/internal.h"
#include "compiler/target/target.h"

/* --- rules ------------------------------------------------------------------ */

static const struct {
	enum ast_section_kind section;
	enum ir_kind kind;
	void (*lower)(struct lower *l, const struct sema_stmt *t);
} kinds[] = {
	[AST_R_COMMAND] = { AST_SEC_COMMAND, IR_COMMAND, lower_command },
	[AST_R_FILE] = { AST_SEC_FILE, IR_FILE, lower_file },
	[AST_R_NET] = { AST_SEC_NETWORK, IR_NET, lower_net },
	[AST_R_UNIX] = { AST_SEC_UNIX, IR_UNIX, lower_unix },
	[AST_R_SYSCALL] = { AST_SEC_SYSCALL, IR_SYSCALL, lower_syscall },
	[AST_R_TOOL] = { AST_SEC_TOOLS, IR_TOOL, lower_tool },
};

struct asserted {
	struct lower *l;
	const struct sema_stmt *t;
	VEC(struct ir_bound) bounds;
};

static void add_bound(struct asserted *s, const struct ir_rule *r)
{
	struct ir_bound b = { .kind = r->kind, .scopes = r->scopes, .set = r->set,
			      .except = r->except, .nexcept = r->nexcept };

	if (r->kind == IR_NET) { /* what the gateway would do is no part of the set */
		memset(&b.set.u.net.grant, 0, sizeof(b.set.u.net.grant));
		b.set.u.net.within = NULL;
		b.set.u.net.nwithin = 0;
	}
	VEC_PUSH(s->l->a, &s->bounds, b);
}

/* Lowers a rule that nobody wrote; its rules are left in l->made. */
static void lower_made(struct asserted *s, struct ast_stmt rule)
{
	const struct ast_request *r = &s->t->stmt->request;
	struct sema_stmt t = *s->t;

	rule.kind = AST_RULE;
	rule.at = s->t->stmt->at;
	t.stmt = &rule;
	t.in_section = true;
	t.section = kinds[r->kind].section;
	kinds[r->kind].lower(s->l, &t);
}

/* Adds the bounds that the rule enforces. */
static void put(struct asserted *s, struct ast_stmt rule)
{
	struct ir *made = &s->l->made;

	lower_made(s, rule);
	for (size_t i = 0; i < made->rules.n; i++)
		add_bound(s, made->rules.v[i]);
	made->rules.n = 0;
}

/* --- only ------------------------------------------------------------------- */

static bool bad(struct lower *l, struct span at, const char *what, const char *help)
{
	struct diag *d = diag_add(l->sink, DIAG_ASSERT_FORM, at, "%s", what);

	diag_help(l->sink, d, "%s", help);
	return false;
}

static struct ast_value *pattern(struct asserted *s, const char *text)
{
	struct ast_value *v = ARENA_NEW(s->l->a, struct ast_value);

	*v = (struct ast_value){ .kind = AST_V_STRING, .at = s->t->stmt->request.at,
				 .text = str_from(text) };
	return v;
}

/* Denies what the rule names, but not the values. */
static void put_except(struct asserted *s, struct ast_stmt rule, struct ast_value *values)
{
	struct ast_option o = { .kind = AST_O_EXCEPT, .at = s->t->stmt->at,
				.values = values };

	rule.effect = AST_DENY;
	rule.options = values ? &o : NULL;
	put(s, rule);
}

/* Another operation than those of the assertion is outside of its set. */
static void only_files(struct asserted *s, const struct ast_request *r)
{
	unsigned others = (AST_OP_READ | AST_OP_WRITE | AST_OP_EXEC) & ~r->ops;
	struct ast_stmt rule = { .ops = others, .values = pattern(s, "/") };

	if (others)
		put_except(s, rule, NULL);
	rule.ops = r->ops;
	put_except(s, rule, r->values);
}

static bool is_abstract(const struct ast_value *v)
{
	return v->text.n && v->text.p[0] == '@';
}

/* Paths and abstract names are apart: neither is below the other. */
static void only_sockets(struct asserted *s, const struct ast_request *r)
{
	struct ast_value *list[2] = { NULL, NULL }, **tail[2] = { &list[0], &list[1] };
	struct ast_stmt rule = { .values = pattern(s, "/") };

	for (const struct ast_value *v = r->values; v; v = v->next) {
		struct ast_value *c = arena_dup(s->l->a, v, sizeof(*v));
		bool abstract = is_abstract(v);

		c->next = NULL;
		*tail[abstract] = c;
		tail[abstract] = &c->next;
	}
	put_except(s, rule, list[0]);
	rule.values = pattern(s, "@*");
	put_except(s, rule, list[1]);
}

/* The ports that no range has. */
static void other_ports(struct asserted *s, const struct ast_value *v)
{
	size_t from = s->bounds.n - 1;
	bool *has = arena_array(s->l->a, (size_t)UINT16_MAX + 1, sizeof(*has));
	struct ir_bound b = s->bounds.v[from];
	uint32_t lo, hi;

	for (; v; v = v->next) {
		uint16_t first, last;

		if (!lower_port(s->l, v, &first, &last))
			return;
		for (lo = first; lo <= last; lo++)
			has[lo] = true;
	}
	s->bounds.n = from;
	for (lo = 0; lo <= UINT16_MAX; lo = hi + 1) {
		for (hi = lo; hi < UINT16_MAX && has[hi + 1] == has[lo]; hi++)
			;
		if (has[lo])
			continue;
		b.set.u.net.port_lo = (uint16_t)lo;
		b.set.u.net.port_hi = (uint16_t)hi;
		VEC_PUSH(s->l->a, &s->bounds, b);
	}
}

/* Outside of protocol × hosts × ports: another protocol, another host, another port. */
static void only_net(struct asserted *s, const struct ast_request *r)
{
	const struct ast_net *n = &r->net;
	struct ast_value other, any = { .kind = AST_V_ANY, .at = r->at, .text = STR("any") };
	struct ast_stmt rule = { .values = NULL };

	if (n->proto) {
		other = *n->proto;
		other.text = str_eqz(n->proto->text, "tcp") ? STR("udp") : STR("tcp");
		rule.net = (struct ast_net){ .proto = &other, .hosts = &any };
		put_except(s, rule, NULL);
	}
	rule.net = (struct ast_net){ .proto = n->proto, .hosts = &any };
	if (n->hosts)
		put_except(s, rule, n->hosts);
	if (!n->ports)
		return;
	put_except(s, rule, NULL);
	if (s->bounds.n)
		other_ports(s, n->ports);
}

/* The other system calls, and the listed ones with other arguments. */
static void only_calls(struct asserted *s, const struct ast_request *r)
{
	struct ast_stmt rule = { .effect = AST_DENY, .values = r->values };
	struct ir *made = &s->l->made;
	struct ir_set *listed;
	size_t n, i, k, ncalls;
	const struct target_call *calls = target_calls(&ncalls);

	lower_made(s, rule);
	n = made->rules.n;
	listed = arena_array(s->l->a, n + 1, sizeof(*listed));
	for (i = 0; i < n; i++)
		listed[i] = made->rules.v[i]->set;
	made->rules.n = 0;
	for (i = 0; i < ncalls; i++) {
		struct ir_bound b = { .kind = IR_SYSCALL, .scopes = IR_ALL_SCOPES };
		bool whole = false;

		b.set.u.syscall.nr = calls[i].nr;
		b.set.u.syscall.name = str_from(calls[i].name);
		for (k = 0; k < n; k++) {
			if (listed[k].u.syscall.nr != calls[i].nr)
				continue;
			if (!b.except)
				b.except = arena_array(s->l->a, n, sizeof(*b.except));
			b.except[b.nexcept++] = listed[k];
			whole |= !listed[k].u.syscall.cond;
		}
		if (!whole)
			VEC_PUSH(s->l->a, &s->bounds, b);
	}
}

/* What is excepted from the set lies outside of it, too. */
static void put_excepted(struct asserted *s, const struct ast_request *r)
{
	for (const struct ast_option *o = s->t->stmt->options; o; o = o->next) {
		struct ast_stmt rule = { .effect = AST_DENY, .ops = r->ops,
					 .values = o->values };

		if (o->kind != AST_O_EXCEPT)
			continue;
		if (r->kind == AST_R_NET) {
			rule.values = NULL;
			rule.net = (struct ast_net){ .proto = r->net.proto,
						     .hosts = o->values };
		}
		put(s, rule);
	}
}

static bool put_only(struct asserted *s)
{
	const struct ast_request *r = &s->t->stmt->request;
	struct ast_stmt rule = { .values = NULL };

	for (const struct ast_option *o = s->t->stmt->options; o; o = o->next)
		if (o->kind != AST_O_EXCEPT && o->kind != AST_O_BECAUSE && o->kind != AST_O_AS)
			return bad(s->l, o->at, "'only' takes no condition: what would lie "
				   "outside of the set is not defined",
				   "use 'never' or 'always' with the condition, or put the "
				   "assertion into a role");
	switch (r->kind) {
	case AST_R_FILE:
		only_files(s, r);
		break;
	case AST_R_UNIX:
		only_sockets(s, r);
		break;
	case AST_R_NET:
		only_net(s, r);
		break;
	case AST_R_SYSCALL:
		only_calls(s, r);
		break;
	case AST_R_COMMAND:
	case AST_R_ARGV:
	case AST_R_TOOL:
	case AST_R_SETTING:
		rule.values = pattern(s, r->kind == AST_R_TOOL ? "*" : "*:*");
		put_except(s, rule, r->values);
		break;
	}
	put_excepted(s, r);
	return true;
}

/* --- the statement ---------------------------------------------------------- */

/* `never` is `always deny`. */
static bool put_all(struct asserted *s)
{
	const struct ast_stmt *stmt = s->t->stmt;
	struct ast_stmt rule = { .effect = AST_DENY,
				 .ops = stmt->request.ops,
				 .values = stmt->request.values,
				 .net = stmt->request.net,
				 .options = stmt->options };

	if (stmt->assert_kind == AST_ONLY)
		return put_only(s);
	if (stmt->assert_kind == AST_ALWAYS) {
		rule.effect = stmt->effect;
		if (stmt->effect == AST_ALLOW)
			return bad(s->l, stmt->at, "'always allow' says nothing: every answer "
				   "is 'allow' or stricter", "write 'always ask' or 'never'");
	}
	put(s, rule);
	return true;
}

void lower_assert(struct lower *l, const struct sema_stmt *t)
{
	const struct ast_option *because = lower_option(t->stmt, AST_O_BECAUSE);
	struct asserted s = { .l = l, .t = t };
	struct ir_assertion ret = { .id = t->id,
				    .at = t->at,
				    .text = lower_shown(l, t->text),
				    .level = t->unit->level,
				    .role = t->role,
				    .least = IR_DENY };

	if (!put_all(&s))
		return;
	if (t->stmt->assert_kind == AST_ALWAYS)
		ret.least = lower_effect(t->stmt->effect);
	if (because && because->values)
		ret.because = sema_plain(l->a, because->values->text);
	ret.bounds = s.bounds.v;
	ret.nbounds = s.bounds.n;
	/* with a `when` of another role it is about nothing */
	if (!t->off && ret.nbounds)
		VEC_PUSH(l->a, &l->ir->assertions, ret);
}
