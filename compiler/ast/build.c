/*
 * Constructors: copy nodes into the arena, count them against the limits, and apply
 * the spelling rules that both front ends share.
 */
#include "compiler/ast/build.h"

#include <assert.h>

#include "compiler/base/buf.h"

void ast_build_init(struct ast_build *b, struct arena *a, struct diag_sink *sink)
{
	*b = (struct ast_build){ .a = a, .sink = sink };
}

static struct span place(const struct ast_build *b, struct span at)
{
	return b->place ? b->place(b->place_arg, at) : at;
}

static void count_node(struct ast_build *b, struct span at)
{
	if (++b->nodes <= AST_MAX_NODES || b->full)
		return;
	b->full = true;
	diag_add(b->sink, DIAG_TOO_MANY_NODES, at,
		 "more than %d values, options and conditions in one file; "
		 "split it and 'use' the parts", AST_MAX_NODES);
}

struct ast_file *ast_file(struct ast_build *b, uint32_t source, struct ast_stmt *stmts)
{
	struct ast_file *f = ARENA_NEW(b->a, struct ast_file);

	f->source = source;
	f->stmts = stmts;
	return f;
}

/* Has the statement the parts that its readers take for granted? */
static bool is_complete(const struct ast_stmt *s)
{
	switch (s->kind) {
	case AST_SETTING: /* the name is a string; sema reports an empty one */
		return s->values && !s->values->next;
	case AST_LET:
	case AST_PAIR:
	case AST_SET:
		return s->name.n && s->values && !s->values->next;
	case AST_RATE:
		return s->name.n && s->values && s->per;
	case AST_SECRET:
		return s->name.n && s->values && s->values->next;
	case AST_POLICY:
	case AST_ROLE:
	case AST_MODE:
	case AST_SHELL:
	case AST_RUNNER:
		return s->name.n;
	case AST_GROUP:
	case AST_RISK:
	case AST_PIN:
	case AST_ROUTE:
		return s->name.n && s->values;
	case AST_ALERT:
		return s->name.n && s->values && s->expr;
	case AST_USE:
	case AST_PROGRAM:
	case AST_WRAPPER:
	case AST_INTERPRETER:
	case AST_TAINT:
	case AST_SAFE:
	case AST_INERT:
	case AST_SCRATCH:
	case AST_VIA:
	case AST_HOLD:
	case AST_PUBLISH:
	case AST_NOT_PUBLISH:
	case AST_KEEP:
		return s->values;
	case AST_MOUNT:
		return s->values && s->values->next && s->ops;
	case AST_RULE:
		return s->values || s->net.proto || s->net.hosts || s->net.ports;
	case AST_OTHERWISE_BY_RISK:
		return s->pairs;
	case AST_SECTION:
		return s->section < AST_SEC_COUNT;
	case AST_ASSERT:
	case AST_TEST:
	case AST_TOOL:
	case AST_OTHERWISE:
	case AST_OPAQUE:
	case AST_TOOL_EFFECT:
		return true;
	}
	return false;
}

struct ast_stmt *ast_stmt(struct ast_build *b, struct ast_stmt s)
{
	if (++b->statements > AST_MAX_STATEMENTS && !b->full) {
		b->full = true;
		diag_add(b->sink, DIAG_TOO_MANY_STATEMENTS, s.at,
			 "more than %d statements in one file; split it and 'use' "
			 "the parts", AST_MAX_STATEMENTS);
	}
	s.at = place(b, s.at);
	s.name_at = place(b, s.name_at);
	s.request.at = place(b, s.request.at);
	/* A list may be empty if its only item had an error; then nobody reads it. */
	assert(is_complete(&s) || b->sink->errors > 0);
	return arena_dup(b->a, &s, sizeof(s));
}

struct ast_stmt *ast_locked(struct ast_build *b, struct ast_stmt *s, bool locked,
			    struct span at)
{
	s->locked = locked;
	s->at = place(b, at);
	return s;
}

struct ast_value *ast_value(struct ast_build *b, struct ast_value v)
{
	v.at = place(b, v.at);
	count_node(b, v.at);
	return arena_dup(b->a, &v, sizeof(v));
}

struct ast_value *ast_keyed(struct ast_value *v, struct str key)
{
	v->key = key;
	return v;
}

struct ast_option *ast_option(struct ast_build *b, struct ast_option o)
{
	assert((o.kind == AST_O_WHEN) == (o.expr != NULL));
	o.at = place(b, o.at);
	count_node(b, o.at);
	return arena_dup(b->a, &o, sizeof(o));
}

struct ast_prog_item *ast_prog_item(struct ast_build *b, struct ast_prog_item i)
{
	i.at = place(b, i.at);
	count_node(b, i.at);
	return arena_dup(b->a, &i, sizeof(i));
}

struct ast_test_case *ast_test_case(struct ast_build *b, struct ast_test_case c)
{
	c.at = place(b, c.at);
	c.request.at = place(b, c.request.at);
	count_node(b, c.at);
	return arena_dup(b->a, &c, sizeof(c));
}

struct ast_expr *ast_expr_leaf(struct ast_build *b, enum ast_expr_op op,
			       struct span at, struct str text)
{
	struct ast_expr *x = ARENA_NEW(b->a, struct ast_expr);

	assert(op <= AST_X_ANY);
	at = place(b, at);
	count_node(b, at);
	x->op = op;
	x->at = at;
	x->text = text;
	x->depth = 1;
	return x;
}

/* Every reader walks a condition by recursion, so its depth is limited here. */
static struct ast_expr *with_kids(struct ast_build *b, enum ast_expr_op op,
				  struct span at, struct ast_expr *kids)
{
	struct ast_expr *x = ARENA_NEW(b->a, struct ast_expr);

	at = place(b, at);
	count_node(b, at);
	x->op = op;
	x->at = at;
	for (struct ast_expr *k = kids; k; k = k->next)
		if (k->depth > x->depth)
			x->depth = k->depth;
	x->depth++;
	if (x->depth <= AST_MAX_EXPR_DEPTH) {
		x->kids = kids;
	} else if (!b->full) {
		b->full = true;
		diag_add(b->sink, DIAG_TOO_DEEP, at,
			 "a condition more than %d operators deep; use 'in' with a list",
			 AST_MAX_EXPR_DEPTH);
	}
	return x;
}

struct ast_expr *ast_expr_op(struct ast_build *b, enum ast_expr_op op, struct span at,
			     struct ast_expr *x, struct ast_expr *y)
{
	assert(op > AST_X_LIST && (y == NULL) == (op == AST_X_NOT));
	x->next = y;
	if (y)
		y->next = NULL;
	return with_kids(b, op, at, x);
}

struct ast_expr *ast_expr_list(struct ast_build *b, struct span at,
			       struct ast_expr *kids)
{
	return with_kids(b, AST_X_LIST, at, kids);
}

struct str ast_plain(struct ast_build *b, const struct ast_value *v)
{
	struct buf out;

	if (v->kind != AST_V_STRING || !memchr(v->text.p, '\\', v->text.n))
		return v->text;
	buf_init(&out, b->a);
	for (size_t i = 0; i < v->text.n; i++) {
		if (v->text.p[i] == '\\' && i + 1 < v->text.n && v->text.p[i + 1] == '$')
			i++;
		buf_ch(&out, v->text.p[i]);
	}
	return str_dup(b->a, buf_view(&out));
}

struct str ast_string_text(struct ast_build *b, struct str plain, bool expand)
{
	struct buf out;

	if (expand || !plain.n || !memchr(plain.p, '$', plain.n))
		return plain;
	buf_init(&out, b->a);
	for (size_t i = 0; i < plain.n; i++) {
		if (plain.p[i] == '$')
			buf_ch(&out, '\\');
		buf_ch(&out, plain.p[i]);
	}
	return str_dup(b->a, buf_view(&out));
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool ast_is_word(struct str s)
{
	if (!s.n || !is_letter(s.p[0]))
		return false;
	for (size_t i = 1; i < s.n; i++) {
		char c = s.p[i];

		if (!is_letter(c) && !(c >= '0' && c <= '9') && c != '-' && c != '.')
			return false;
	}
	return true;
}

bool ast_is_name(struct str s)
{
	static const struct {
		const char *word;
		char class;
	} words[] = {
#define KW(token, spelling, class, group, doc) { spelling, #class[0] },
#include "grammar/keywords.def"
#undef KW
	};

	for (size_t i = 0; i < POL_LEN(words); i++)
		if (words[i].class == 'R' && str_eqz(s, words[i].word))
			return false;
	return ast_is_word(s);
}

#define W(place) AST_WHERE_##place
#define ONCE false
#define ADDS true
const struct ast_option_row ast_option_rows[AST_OPTION_KINDS] = {
#define OPTION(id, words, where, often) { words, where, often },
#include "compiler/ast/options.def"
#undef OPTION
};

const char *ast_effect_name(enum ast_effect e)
{
	static const char *const names[] = {
		[AST_ALLOW] = "allow",
		[AST_ASK] = "ask",
		[AST_DENY] = "deny",
		[AST_HIDE] = "hide",
	};

	assert(e < POL_LEN(names));
	return names[e];
}

const char *ast_section_name(enum ast_section_kind k)
{
	static const char *const names[AST_SEC_COUNT] = {
		[AST_SEC_COMMAND] = "command", [AST_SEC_FILE] = "file",
		[AST_SEC_NETWORK] = "network", [AST_SEC_UNIX] = "unix",
		[AST_SEC_SYSCALL] = "syscall", [AST_SEC_LIMITS] = "limits",
		[AST_SEC_ENV] = "env",	       [AST_SEC_AUDIT] = "audit",
		[AST_SEC_SESSION] = "session", [AST_SEC_RUNNER] = "runner",
		[AST_SEC_TOOLS] = "tools",
	};

	assert(k < AST_SEC_COUNT);
	return names[k];
}
