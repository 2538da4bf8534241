/*
 * Turns in-language tests into requests.  Only tests of the files named on the command
 * line and of their own imports take part: the standard library's tests are about the
 * library alone, not about every policy that uses it.
 */
#include "compiler/lower/operand.h"

static bool bad(struct lower *l, struct span at, const char *what, const char *help)
{
	struct diag *d = diag_add(l->sink, DIAG_TEST_REQUEST, at, "%s", what);

	if (help)
		diag_help(l->sink, d, "%s", help);
	return false;
}

static struct str plain_text(struct lower *l, const struct ast_value *v)
{
	return v->kind == AST_V_STRING ? sema_plain(l->a, v->text) : v->text;
}

/* Reads a string of a request that is not a path; it may not have a root, like ${HOME}. */
static bool text_of(struct lower *l, const struct ast_value *v, struct str *ret)
{
	if (!v)
		return false;
	if (v->kind == AST_V_STRING && sema_has_root(v->text)) {
		diag_add(l->sink, DIAG_ROOT_PLACE, v->at,
			 "a root has no value in '%.*s'", STR_ARG(v->text));
		return false;
	}
	*ret = plain_text(l, v);
	if (ret->n && memchr(ret->p, 0, ret->n))
		return bad(l, v->at, "no request holds a NUL byte", NULL);
	return true;
}

static bool command_request(struct lower *l, const struct ast_request *r,
			    struct ir_request *q)
{
	if (!text_of(l, r->values, &q->text))
		return false;
	q->line = q->text.p ? q->text : STR("");
	return true;
}

static bool argv_request(struct lower *l, const struct ast_request *r,
			 struct ir_request *q)
{
	struct {
		VEC(struct str) v;
	} words = { .v = { NULL, 0, 0 } };
	struct buf text;

	buf_init(&text, l->a);
	for (const struct ast_value *v = r->values; v; v = v->next) {
		struct str word;

		if (!text_of(l, v, &word))
			return false;
		VEC_PUSH(l->a, &words.v, word);
		if (text.n)
			buf_ch(&text, ' ');
		buf_str(&text, word);
	}
	q->argv = words.v.v;
	q->nargv = words.v.n;
	q->text = str_dup(l->a, buf_view(&text));
	return q->nargv > 0;
}

/* Reads "/…" or "${ROOT}/…", resolved as the path of a request. */
static bool path_of(struct lower *l, const struct ast_value *v, struct str *ret)
{
	struct str t, rest;
	enum ir_root root;
	size_t len = 0;

	if (!v)
		return false;
	t = v->text;
	if (v->kind == AST_V_STRING && str_starts(t, STR("~")) &&
	    (t.n == 1 || t.p[1] == '/'))
		t = str_cat(l->a, STR("${HOME}"), str_sub(t, 1, t.n - 1));
	else if (t.n && t.p[0] != '/' && t.p[0] != '$')
		t = str_cat(l->a, STR("${PROJECT_DIR}/"),
			    str_starts(t, STR("./")) ? str_sub(t, 2, t.n - 2) : t);
	if (v->kind == AST_V_STRING && sema_root_prefix(t, &root, &len) && t.n > len &&
	    t.p[len] != '/')
		return bad(l, v->at, "a root that is no whole name", NULL);
	rest = str_sub(t, len, t.n - len);
	if (v->kind == AST_V_STRING) {
		if (sema_has_root(rest))
			return bad(l, v->at, "a root can only begin a path", NULL);
		rest = sema_plain(l->a, rest);
	}
	if (!len && (!rest.n || rest.p[0] != '/'))
		return bad(l, v->at, "a path begins with '/' or a root", NULL);
	struct str normal = sema_normal(l->a, rest);
	if (memchr(rest.p ? rest.p : "", 0, rest.n) ||
	    (rest.n > 1 && !str_eq(normal, rest)))
		return bad(l, v->at,
			   "a request's path has no '.', '..', '//' and no '/' "
			   "at its end",
			   NULL);
	*ret = str_cat(l->a, str_sub(t, 0, len), rest);
	return true;
}

static bool file_request(struct lower *l, const struct ast_request *r,
			 struct ir_request *q)
{
	if (r->ops != AST_OP_READ && r->ops != AST_OP_WRITE && r->ops != AST_OP_EXEC)
		return bad(l, r->at, "a test asks for one operation", NULL);
	q->op = r->ops == AST_OP_READ    ? IR_READ
		: r->ops == AST_OP_WRITE ? IR_WRITE
					 : IR_EXEC;
	if (!path_of(l, r->values, &q->path))
		return false;
	q->text = str_printf(l->a, "%s %.*s", ir_op_name(q->op), STR_ARG(q->path));
	return true;
}

static bool unix_request(struct lower *l, const struct ast_request *r,
			 struct ir_request *q)
{
	struct str t;

	if (r->values && r->values->text.n && r->values->text.p[0] == '@') {
		if (!text_of(l, r->values, &t))
			return false;
		q->abstract = true;
		q->path = str_sub(t, 1, t.n - 1);
		q->text = t;
		return true;
	}
	if (!path_of(l, r->values, &q->path))
		return false;
	q->text = q->path;
	return true;
}

static bool net_request(struct lower *l, const struct ast_request *r,
			struct ir_request *q)
{
	const struct ast_net *n = &r->net;
	struct ir_net host = { 0 };
	uint16_t lo, hi;

	if (!n->hosts || n->hosts->next || !n->ports || n->ports->next)
		return bad(l, r->at, "a test asks for one host and one port",
			   "net tcp \"example.com\" port 443");
	if (!lower_host(l, n->hosts, &host) || !lower_port(l, n->ports, &lo, &hi))
		return false;
	if (lo != hi || host.host == IR_HOST_ANY || host.host == IR_HOST_BELOW ||
	    (host.host == IR_HOST_CIDR && host.cidr.bits != 128))
		return bad(l, r->at, "a test asks for one host and one port", NULL);
	q->op = 0;
	q->proto = n->proto && str_eqz(n->proto->text, "udp") ? IR_UDP : IR_TCP;
	q->port = lo;
	q->is_addr = host.host == IR_HOST_CIDR;
	if (q->is_addr)
		memcpy(q->addr, host.cidr.addr, sizeof(q->addr));
	else
		q->host = host.name;
	q->text = str_printf(l->a, "%s %.*s:%u", q->proto == IR_UDP ? "udp" : "tcp",
			     STR_ARG(n->hosts->text), lo);
	return true;
}

static bool syscall_request(struct lower *l, const struct ast_request *r,
			    struct ir_request *q)
{
	const struct ast_value *v = r->values;
	const struct target_call *call = v ? target_call_by_name(v->text) : NULL;
	size_t i = 0;

	if (!v || (v->kind != AST_V_NAME && v->kind != AST_V_CALL))
		return bad(l, r->at, "a test asks for one system call", NULL);
	q->text = v->text;
	if (!call) {
		struct diag *d = diag_add(l->sink, DIAG_UNKNOWN_CALL, v->at,
					  "no system call of x86_64 is named '%.*s'",
					  STR_ARG(v->text));
		size_t n;
		const char *const *names = target_call_names(&n);

		diag_did_you_mean(l->sink, d, v->text, names, n);
		return false;
	}
	q->nr = call->nr;
	q->nr_known = true;
	for (const struct ast_expr *x = v->kind == AST_V_CALL ? v->args : NULL; x;
	     x = x->next, i++) {
		if (i >= POL_LEN(q->args))
			return bad(l, x->at, "a system call has at most six arguments",
				   NULL);
		if (x->op == AST_X_ANY)
			return bad(l, x->at,
				   "a test asks for one value of each argument",
				   "write a number or a constant");
		if (!lower_constant(l, x, &q->args[i]))
			return false;
	}
	return true;
}

static bool tool_request(struct lower *l, const struct ast_request *r,
			 struct ir_request *q)
{
	if (!text_of(l, r->values, &q->tool))
		return false;
	q->text = q->tool;
	return true;
}

bool lower_request(struct lower *l, const struct ast_request *r, struct ir_request *q)
{
	static const enum ir_kind kinds[] = {
		[AST_R_COMMAND] = IR_COMMAND, [AST_R_ARGV] = IR_COMMAND,
		[AST_R_FILE] = IR_FILE,       [AST_R_NET] = IR_NET,
		[AST_R_UNIX] = IR_UNIX,       [AST_R_SYSCALL] = IR_SYSCALL,
		[AST_R_TOOL] = IR_TOOL,       [AST_R_SETTING] = IR_TOOL,
	};

	*q = (struct ir_request){ .kind = kinds[r->kind], .scope = IR_SANDBOX };
	switch (r->kind) {
	case AST_R_COMMAND:
		return command_request(l, r, q);
	case AST_R_ARGV:
		return argv_request(l, r, q);
	case AST_R_FILE:
		return file_request(l, r, q);
	case AST_R_NET:
		return net_request(l, r, q);
	case AST_R_UNIX:
		return unix_request(l, r, q);
	case AST_R_SYSCALL:
		return syscall_request(l, r, q);
	case AST_R_TOOL:
		return tool_request(l, r, q);
	case AST_R_SETTING:
		break;
	}
	return false; /* sema has reported it */
}

/* `by RULE`: collects the ids of rules, scalars and risk classes. */
static void known_rules(struct lower *l, struct map *ids)
{
	map_init(ids, l->a);
	for (size_t i = 0; i < l->ir->rules.n; i++)
		map_put(ids, l->ir->rules.v[i]->id, l->ir);
	for (int i = 0; i < IR_SCALAR_COUNT; i++)
		map_put(ids, l->ir->scalars[i].id, l->ir);
	for (size_t i = 0; i < l->ir->risks.n; i++)
		map_put(ids, l->ir->risks.v[i].id, l->ir);
}

static bool check_by(struct lower *l, const struct map *rules,
		     const struct ast_value *by)
{
	const char **ids;
	struct diag *d;

	/* after an error the rule may be missing because of that error */
	if (!by || l->sink->errors || map_get(rules, by->text))
		return true;
	d = diag_add(l->sink, DIAG_UNKNOWN_RULE, by->at, "no rule is named '%.*s'",
		     STR_ARG(by->text));
	ids = arena_array(l->a, l->ir->rules.n + 1, sizeof(*ids));
	for (size_t i = 0; i < l->ir->rules.n; i++)
		ids[i] = str_z(l->a, l->ir->rules.v[i]->id);
	if (!diag_did_you_mean(l->sink, d, by->text, ids, l->ir->rules.n))
		diag_help(l->sink, d, "name a rule with 'as'");
	return false;
}

static bool has_own_file(const struct lower *l)
{
	for (size_t i = 0; i < l->s->units.n; i++)
		if (l->s->units.v[i]->named && !l->s->units.v[i]->std)
			return true;
	return false;
}

static void lower_test(struct lower *l, const struct map *rules,
		       const struct sema_stmt *t)
{
	struct {
		VEC(struct ir_test_case) v;
	} cases = { .v = { NULL, 0, 0 } };
	struct ir_test test = { .name = t->stmt->name,
				.at = t->at,
				.scopes = lower_scopes(l, t->stmt->expr) };

	/* a test of a role that was not chosen is read only for its errors; a test of
	   the standard library holds for its file alone, so it does not run beside an author's own file */
	bool lives = !t->off && test.scopes && !(t->unit->std && has_own_file(l));

	/* without a `when` a test is about the sandbox */
	if (!t->stmt->expr)
		test.scopes = IR_SANDBOX;
	for (const struct ast_test_case *c = t->stmt->cases; c; c = c->next) {
		struct ir_test_case k = { .want = lower_effect(c->want),
					  .at = sema_place(l->s, c->at) };

		if (!lower_request(l, &c->request, &k.request) ||
		    (lives && !check_by(l, rules, c->by)))
			continue;
		if (c->by)
			k.by = c->by->text;
		VEC_PUSH(l->a, &cases.v, k);
	}
	test.cases = cases.v.v;
	test.ncases = cases.v.n;
	if (lives)
		VEC_PUSH(l->a, &l->ir->tests, test);
}

static bool takes_part(const struct lower *l, const struct sema_unit *u)
{
	if (u->named)
		return true;
	for (size_t i = 0; i < l->s->units.n; i++) {
		const struct sema_unit *o = l->s->units.v[i];

		if (o->named && sema_imports(o, u) && (o->std || !u->std))
			return true;
	}
	return false;
}

void lower_tests(struct lower *l)
{
	struct map rules;

	known_rules(l, &rules);
	for (size_t i = 0; i < l->s->stmts.n; i++) {
		const struct sema_stmt *t = l->s->stmts.v[i];

		if (t->stmt->kind == AST_TEST && takes_part(l, t->unit))
			lower_test(l, &rules, t);
	}
}
