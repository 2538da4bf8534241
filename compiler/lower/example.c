/*
 * Turns `match` and `not match` of a rule into requests.  They are written as in tests:
 * a shell line, a path with or without an operation, "tcp HOST port N", a socket, a
 * call, a tool.
 */
#include "compiler/lower/internal.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Removes the first word; false if nothing is left. */
static bool next_word(struct str *text, struct str *ret)
{
	size_t n = 0;

	while (text->n && is_blank(text->p[0]))
		*text = str_sub(*text, 1, text->n - 1);
	while (n < text->n && !is_blank(text->p[n]))
		n++;
	*ret = str_sub(*text, 0, n);
	*text = str_sub(*text, n, text->n - n);
	return n > 0;
}

static struct ast_value *value_of(struct lower *l, const struct ast_value *at,
				  enum ast_value_kind kind, struct str text)
{
	struct ast_value *v = ARENA_NEW(l->a, struct ast_value);

	v->kind = kind;
	v->at = at->at;
	v->text = text;
	return v;
}

/* --- each section's spelling ----------------------------------------------------- */

static const struct {
	const char *word;
	unsigned op;
} ops[] = { { "read", AST_OP_READ }, { "write", AST_OP_WRITE }, { "exec", AST_OP_EXEC } };

/* Removes the operation from "write PATH"; 0 if there is none. */
static unsigned take_op(struct str *text)
{
	struct str rest = *text, word;

	if (!next_word(&rest, &word) || !rest.n)
		return 0;
	for (size_t i = 0; i < POL_LEN(ops); i++)
		if (str_eqz(word, ops[i].word)) {
			(void)next_word(&rest, &word);
			*text = str_sub(*text, text->n - rest.n - word.n,
					rest.n + word.n);
			return ops[i].op;
		}
	return 0;
}

static bool bad_net(struct lower *l, const struct ast_value *v)
{
	struct diag *d = diag_add(l->sink, DIAG_TEST_REQUEST, v->at,
				  "an example of a connection names one host and one "
				  "port");

	diag_help(l->sink, d, "write \"tcp example.com port 443\"");
	return false;
}

/* "[tcp|udp] HOST port N" */
static bool read_net(struct lower *l, const struct ast_value *v, struct ast_net *ret)
{
	struct str rest = v->text, word;
	uint64_t port;

	if (!next_word(&rest, &word))
		return bad_net(l, v);
	if (str_eqz(word, "tcp") || str_eqz(word, "udp")) {
		ret->proto = value_of(l, v, AST_V_NAME, word);
		if (!next_word(&rest, &word))
			return bad_net(l, v);
	}
	ret->hosts = value_of(l, v, AST_V_STRING, word);
	if (!next_word(&rest, &word) || !str_eqz(word, "port") ||
	    !next_word(&rest, &word) || !num_u64(word, &port))
		return bad_net(l, v);
	ret->ports = value_of(l, v, AST_V_NUMBER, word);
	return !next_word(&rest, &word) || bad_net(l, v);
}

static enum ast_request_kind kind_of(enum ast_section_kind section)
{
	switch ((int)section) {
	case AST_SEC_FILE:
		return AST_R_FILE;
	case AST_SEC_NETWORK:
		return AST_R_NET;
	case AST_SEC_UNIX:
		return AST_R_UNIX;
	case AST_SEC_SYSCALL:
		return AST_R_SYSCALL;
	case AST_SEC_TOOLS:
		return AST_R_TOOL;
	default:
		return AST_R_COMMAND;
	}
}

/* --- one example ------------------------------------------------------------------ */

struct examples {
	struct lower *l;
	const struct sema_stmt *t;
	struct ir_example one; /* what all examples of the statement share */
	bool counts;
};

static void add(struct examples *x, const struct ast_value *v,
		const struct ast_request *r)
{
	struct lower *l = x->l;

	x->one.at = sema_place(l->s, v->at);
	if (lower_request(l, r, &x->one.request) && x->counts)
		VEC_PUSH(l->a, &l->made.examples, x->one);
}

/* A path without an operation is tried with every operation of its rule. */
static void add_file(struct examples *x, const struct ast_value *v, struct ast_request *r)
{
	struct str path = v->text;
	unsigned of_rule = x->t->stmt->ops, op = take_op(&path);

	if (!of_rule)
		of_rule = AST_OP_READ | AST_OP_WRITE | AST_OP_EXEC;
	r->values = value_of(x->l, v, v->kind, path);
	for (size_t i = 0; i < POL_LEN(ops); i++) {
		r->ops = ops[i].op;
		if ((op ? op : of_rule) & r->ops)
			add(x, v, r);
	}
}

static void add_value(struct examples *x, struct ast_value *v)
{
	struct ast_request r = { .kind = kind_of(x->t->section), .at = v->at,
				 .values = v };

	if (r.kind == AST_R_FILE)
		add_file(x, v, &r);
	else if (r.kind != AST_R_NET || read_net(x->l, v, &r.net))
		add(x, v, &r);
}

void lower_examples(struct lower *l, const struct sema_stmt *t)
{
	const struct ast_stmt *stmt = t->stmt;
	/*
	 * a rule of a role that was not chosen has made no rules here; an empty list
	 * matches nothing
	 */
	bool other = !l->made.rules.n && (stmt->values || stmt->net.hosts);
	struct examples x = { .l = l, .t = t, .counts = !other };

	if (!lower_option(stmt, AST_O_MATCH) && !lower_option(stmt, AST_O_NOT_MATCH))
		return;
	x.one.rule = t->id;
	x.one.rule_at = t->at;
	x.one.nrules = l->made.rules.n;
	if (x.one.nrules)
		x.one.rules = arena_dup(l->a, l->made.rules.v,
					x.one.nrules * sizeof(*l->made.rules.v));
	for (const struct ast_option *o = stmt->options; o; o = o->next) {
		if (o->kind != AST_O_MATCH && o->kind != AST_O_NOT_MATCH)
			continue;
		x.one.matches = o->kind == AST_O_MATCH;
		for (struct ast_value *v = o->values; v; v = v->next)
			add_value(&x, v);
	}
}
