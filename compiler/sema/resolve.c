/*
 * Pass "resolve": every statement of every file once more, with names
 * replaced by what they stand for, in the one order of the IR.  Files are
 * resolved after the files that they use, since they see their names.
 */
#include "compiler/sema/internal.h"

static enum sema_values values_of(int section)
{
	if (section == AST_SEC_SYSCALL)
		return SEMA_V_CALLS;
	return section == AST_SEC_NETWORK ? SEMA_V_HOSTS : SEMA_V_PATTERNS;
}

static struct ast_option *resolve_options(struct sema *s, struct sema_unit *u,
					  const struct ast_option *o, int section)
{
	struct ast_option *head = NULL, **tail = &head;

	for (; o; o = o->next) {
		struct ast_option *c = arena_dup(s->a, o, sizeof(*o));

		if (o->kind == AST_O_BECAUSE)
			c->values = sema_values(s, u, o->values, SEMA_V_TEXTS);
		else if (o->kind == AST_O_EXCEPT || o->kind == AST_O_WITHIN)
			c->values = sema_values(s, u, o->values, values_of(section));
		c->next = NULL;
		*tail = c;
		tail = &c->next;
	}
	return head;
}

static struct ast_test_case *resolve_cases(struct sema *s, struct sema_unit *u,
					   const struct ast_test_case *c)
{
	struct ast_test_case *head = NULL, **tail = &head;

	for (; c; c = c->next) {
		struct ast_test_case *n = arena_dup(s->a, c, sizeof(*c));

		n->request.values = sema_values(s, u, c->request.values, SEMA_V_TEXTS);
		n->request.net.hosts =
			sema_values(s, u, c->request.net.hosts, SEMA_V_HOSTS);
		n->next = NULL;
		*tail = n;
		tail = &n->next;
	}
	return head;
}

/* A copy whose strings and names are resolved; the original keeps its text. */
static struct ast_stmt *resolve_stmt(struct sema *s, struct sema_unit *u,
				     const struct ast_stmt *stmt, int section)
{
	struct ast_stmt *c = arena_dup(s->a, stmt, sizeof(*stmt));

	c->next = NULL;
	switch ((int)stmt->kind) {
	case AST_RULE:
		c->values = sema_values(s, u, stmt->values, values_of(section));
		c->net.hosts = sema_values(s, u, stmt->net.hosts, SEMA_V_HOSTS);
		c->options = resolve_options(s, u, stmt->options, section);
		break;
	case AST_RISK:
	case AST_INERT:
		c->values = sema_values(s, u, stmt->values, SEMA_V_PATTERNS);
		c->options = resolve_options(s, u, stmt->options, section);
		break;
	case AST_SCRATCH:
	case AST_MOUNT:
		c->values = sema_values(s, u, stmt->values, SEMA_V_PATTERNS);
		break;
	case AST_SET:
	case AST_PAIR:
		c->values = sema_values(s, u, stmt->values, SEMA_V_TEXTS);
		break;
	case AST_TEST:
		c->cases = resolve_cases(s, u, stmt->cases);
		break;
	default:
		break;
	}
	return c;
}

static void add_stmt(struct sema *s, struct sema_unit *u, const struct ast_stmt *stmt,
		     const struct ast_stmt *section)
{
	struct sema_stmt *n = ARENA_NEW(s->a, struct sema_stmt);
	int sec = section ? (int)section->section : -1;

	sema_check_stmt(s, u, stmt, sec);
	*n = (struct sema_stmt){ .orig = stmt,
				 .unit = u,
				 .stmt = resolve_stmt(s, u, stmt, sec),
				 .in_section = section != NULL,
				 .section = section ? section->section : AST_SEC_COUNT,
				 .section_locked = section && section->locked,
				 .at = sema_place(s, stmt->at) };
	VEC_PUSH(s->a, &u->stmts, n);
}

/* `network limited` says what `mode limited` says inside of the braces. */
static void add_mode(struct sema *s, struct sema_unit *u,
		     const struct ast_stmt *section)
{
	struct ast_stmt mode = { .kind = AST_MODE,
				 .name = section->name,
				 .name_at = section->name_at };

	mode.at = section->at;
	mode.at.len = section->name_at.off + section->name_at.len - section->at.off;
	add_stmt(s, u, arena_dup(s->a, &mode, sizeof(mode)), section);
}

static void resolve_unit(struct sema *s, struct sema_unit *u)
{
	if (u->resolved)
		return;
	u->resolved = true;
	for (size_t i = 0; i < u->uses.n; i++)
		resolve_unit(s, u->uses.v[i].to);
	sema_scope_open(s, u);
	for (const struct ast_stmt *t = u->tree->stmts; t; t = t->next) {
		switch ((int)t->kind) {
		case AST_POLICY:
		case AST_USE:
			break;
		case AST_LET:
		case AST_GROUP:
			sema_scope_define(s, u, t);
			break;
		case AST_SECTION:
			sema_check_stmt(s, u, t, -1);
			if (t->section == AST_SEC_NETWORK && t->name.n)
				add_mode(s, u, t);
			for (const struct ast_stmt *b = t->body; b; b = b->next)
				add_stmt(s, u, b, t);
			break;
		case AST_TEST:
			add_stmt(s, u, t, NULL);
			break;
		default:
			sema_check_stmt(s, u, t, -1);
			break;
		}
	}
}

bool sema_resolve(struct sema *s)
{
	if (!s->loaded)
		return false;
	/* std/base first: everybody sees its names */
	for (size_t i = 0; i < s->units.n; i++)
		if (s->units.v[i]->level == IR_DEFAULT)
			resolve_unit(s, s->units.v[i]);
	for (size_t i = 0; i < s->units.n; i++)
		resolve_unit(s, s->units.v[i]);
	for (size_t i = 0; i < s->units.n; i++)
		for (size_t k = 0; k < s->units.v[i]->stmts.n; k++)
			VEC_PUSH(s->a, &s->stmts, s->units.v[i]->stmts.v[k]);
	sema_ids(s);
	sema_levels_check(s);
	sema_levels_cut(s);
	s->resolved = true;
	return s->sink->errors == 0;
}
