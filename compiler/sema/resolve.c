/*
 * Pass "resolve": copies every statement of every file, with names replaced by their
 * values, in the order of the IR.  A file is resolved after the files that it uses,
 * because it sees their names.
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

		if (o->kind == AST_O_BECAUSE || o->kind == AST_O_VIA || o->kind == AST_O_INJECT)
			c->values = sema_values(s, u, o->values, SEMA_V_TEXTS);
		else if (o->kind == AST_O_EXCEPT || o->kind == AST_O_WITHIN)
			c->values = sema_values(s, u, o->values, values_of(section));
		else if (o->kind == AST_O_MATCH || o->kind == AST_O_NOT_MATCH)
			c->values = sema_values(s, u, o->values,
						section == AST_SEC_SYSCALL ?
							SEMA_V_CALLS : SEMA_V_TEXTS);
		else if (section == AST_SEC_COMMAND && o->kind != AST_O_AS)
			c->values = sema_values(s, u, o->values, SEMA_V_TEXTS);
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

static struct ast_stmt *resolve_stmt(struct sema *s, struct sema_unit *u,
				     const struct ast_stmt *stmt, int section);

/*
 * Resolves the contents of the braces of a runner, of a tool, or of a section in a
 * runner.
 */
static struct ast_stmt *resolve_body(struct sema *s, struct sema_unit *u,
				     const struct ast_stmt *stmt)
{
	struct ast_stmt *head = NULL, **tail = &head;
	int sec = stmt->kind == AST_SECTION ? (int)stmt->section : -1;

	for (const struct ast_stmt *b = stmt->body; b; b = b->next) {
		*tail = resolve_stmt(s, u, b, sec);
		tail = &(*tail)->next;
	}
	return head;
}

/* Returns a copy whose strings and names are resolved; the original keeps its text. */
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
	case AST_OTHERWISE:
	case AST_OTHERWISE_BY_RISK:
	case AST_OPAQUE:
		c->options = resolve_options(s, u, stmt->options, section);
		break;
	case AST_SCRATCH:
	case AST_MOUNT:
		c->values = sema_values(s, u, stmt->values, SEMA_V_PATTERNS);
		break;
	case AST_SET:
	case AST_PAIR:
	case AST_SECRET:
	case AST_VIA:
	case AST_RATE:
	case AST_PIN:
	case AST_SHELL:
		c->values = sema_values(s, u, stmt->values, SEMA_V_TEXTS);
		break;
	case AST_SETTING:
		c->values = sema_values(s, u, stmt->values, SEMA_V_VALUES);
		break;
	case AST_TOOL:
	case AST_RUNNER:
	case AST_SECTION:
		c->body = resolve_body(s, u, stmt);
		break;
	case AST_ASSERT:
		section = sema_section_of(stmt->request.kind);
		c->request.values = sema_values(s, u, stmt->request.values, values_of(section));
		c->request.net.hosts =
			sema_values(s, u, stmt->request.net.hosts, SEMA_V_HOSTS);
		c->options = resolve_options(s, u, stmt->options, section);
		break;
	case AST_TEST:
		c->cases = resolve_cases(s, u, stmt->cases);
		break;
	default:
		break;
	}
	return c;
}

/* What surrounds a list of statements. */
struct where {
	struct sema_unit *u;
	const struct ast_stmt *section; /* may be NULL */
	struct str role;                /* may be empty */
	bool off, inner;
};

static void add_stmt(struct sema *s, const struct where *w, const struct ast_stmt *stmt)
{
	struct sema_stmt *n = ARENA_NEW(s->a, struct sema_stmt);
	int sec = w->section ? (int)w->section->section : -1;

	sema_check_stmt(s, w->u, stmt, sec);
	*n = (struct sema_stmt){ .orig = stmt,
				 .unit = w->u,
				 .stmt = resolve_stmt(s, w->u, stmt, sec),
				 .in_section = w->section != NULL,
				 .section = w->section ? w->section->section
						       : AST_SEC_COUNT,
				 .section_locked = w->section && w->section->locked,
				 .role = w->role,
				 .off = w->off,
				 .inner = w->inner,
				 .at = sema_place(s, stmt->at) };
	VEC_PUSH(s->a, &w->u->stmts, n);
}

static void add_section(struct sema *s, const struct where *outer,
			const struct ast_stmt *section);

/* A runner may contain sections.  They are carried with the runner, and are read like
 * others only to find their errors. */
static void add_runner(struct sema *s, const struct where *w,
		       const struct ast_stmt *runner)
{
	struct where in = *w;

	in.off = in.inner = true;
	for (const struct ast_stmt *b = runner->body; b; b = b->next)
		if (b->kind == AST_SECTION)
			add_section(s, &in, b);
}

/* `network limited` means the same as `mode limited` inside of the braces. */
static void add_mode(struct sema *s, const struct where *w)
{
	struct ast_stmt mode = { .kind = AST_MODE,
				 .name = w->section->name,
				 .name_at = w->section->name_at };

	mode.at = w->section->at;
	mode.at.len = mode.name_at.off + mode.name_at.len - mode.at.off;
	add_stmt(s, w, arena_dup(s->a, &mode, sizeof(mode)));
}

static void add_section(struct sema *s, const struct where *outer,
			const struct ast_stmt *section)
{
	struct where w = *outer;

	w.section = section;
	if (section->section == AST_SEC_NETWORK && section->name.n)
		add_mode(s, &w);
	for (const struct ast_stmt *b = section->body; b; b = b->next) {
		add_stmt(s, &w, b);
		if (b->kind == AST_RUNNER)
			add_runner(s, &w, b);
	}
}

/* A pattern that matches exactly the name of the tool. */
static struct ast_value *tool_pattern(struct sema *s, const struct ast_stmt *tool)
{
	struct ast_value v = { .kind = AST_V_STRING, .at = tool->name_at };
	struct buf b;

	buf_init(&b, s->a);
	for (size_t i = 0; i < tool->name.n; i++) {
		if (strchr("*?[]{}|$\\ \t", tool->name.p[i]))
			buf_ch(&b, '\\');
		buf_ch(&b, tool->name.p[i]);
	}
	v.text = str_dup(s->a, buf_view(&b));
	return arena_dup(s->a, &v, sizeof(v));
}

/*
 * Splits a tool in two: its effect becomes a rule of the section `tools`, and its keys
 * stay together.
 */
static void add_tool(struct sema *s, const struct where *outer,
		     const struct ast_stmt *tool)
{
	static const struct ast_stmt tools = { .kind = AST_SECTION,
					       .section = AST_SEC_TOOLS };
	struct ast_stmt *rest = arena_dup(s->a, tool, sizeof(*tool)), **tail;
	const struct ast_stmt *effect = NULL;
	struct where w = *outer;

	w.section = &tools;
	tail = &rest->body;
	*tail = NULL;
	for (const struct ast_stmt *b = tool->body; b; b = b->next) {
		struct ast_stmt *c = arena_dup(s->a, b, sizeof(*b));

		c->next = NULL;
		if (b->kind != AST_TOOL_EFFECT) {
			*tail = c;
			tail = &c->next;
			continue;
		}
		if (effect) {
			struct diag *d = diag_add(s->sink, DIAG_OPTION, b->at,
						  "the tool '%.*s' has two effects",
						  STR_ARG(tool->name));
			diag_note(s->sink, d, effect->at, "the first one is here");
			continue;
		}
		effect = b;
		c->kind = AST_RULE;
		c->name_at = b->at;
		c->values = tool_pattern(s, tool);
		add_stmt(s, &w, c);
	}
	if (rest->body || !effect)
		add_stmt(s, &w, rest);
}

static void resolve_list(struct sema *s, const struct where *w,
			 const struct ast_stmt *list)
{
	for (const struct ast_stmt *t = list; t; t = t->next) {
		struct where in = *w;

		if (w->role.n && !sema_in_role(s, t))
			continue;
		switch ((int)t->kind) {
		case AST_POLICY:
		case AST_USE:
			break;
		case AST_LET:
		case AST_GROUP:
			sema_scope_define(s, w->u, t);
			break;
		case AST_SECTION:
			add_section(s, w, t);
			break;
		case AST_ROLE:
			in.role = t->name;
			in.off = !str_eq(t->name, s->role);
			resolve_list(s, &in, t->body);
			break;
		case AST_TOOL:
			add_tool(s, w, t);
			break;
		case AST_ASSERT:
		case AST_TEST:
		case AST_SETTING:
		case AST_ALERT:
			add_stmt(s, w, t);
			break;
		default:
			sema_check_stmt(s, w->u, t, -1);
			break;
		}
	}
}

static void resolve_unit(struct sema *s, struct sema_unit *u)
{
	struct where w = { .u = u };

	if (u->resolved)
		return;
	u->resolved = true;
	for (size_t i = 0; i < u->uses.n; i++)
		resolve_unit(s, u->uses.v[i].to);
	sema_scope_open(s, u);
	resolve_list(s, &w, u->tree->stmts);
}

/* A test's name says which of them has failed. */
static void check_test_names(struct sema *s, const struct sema_unit *u)
{
	struct map names;

	map_init(&names, s->a);
	for (size_t i = 0; i < u->stmts.n; i++) {
		const struct ast_stmt *stmt = u->stmts.v[i]->orig, *first;
		struct diag *d;

		if (stmt->kind != AST_TEST || !stmt->name.n)
			continue;
		first = map_get(&names, stmt->name);
		if (!first) {
			map_put(&names, stmt->name, (void *)stmt);
			continue;
		}
		d = diag_add(s->sink, DIAG_TEST_NAME_TWICE, stmt->at, "a second test is named '%.*s'",
			     STR_ARG(stmt->name));
		diag_note(s->sink, d, first->at, "the first one is here");
	}
}

bool sema_resolve(struct sema *s)
{
	if (!s->loaded)
		return false;
	sema_roles(s);
	/* std/base first, because all files see its names */
	for (size_t i = 0; i < s->units.n; i++)
		if (s->units.v[i]->level == IR_DEFAULT)
			resolve_unit(s, s->units.v[i]);
	for (size_t i = 0; i < s->units.n; i++)
		resolve_unit(s, s->units.v[i]);
	for (size_t i = 0; i < s->units.n; i++)
		for (size_t k = 0; k < s->units.v[i]->stmts.n; k++)
			VEC_PUSH(s->a, &s->stmts, s->units.v[i]->stmts.v[k]);
	for (size_t i = 0; i < s->units.n; i++) {
		/* the statement with the error may be the one that uses the name */
		if (s->sink->errors == 0)
			sema_scope_unused(s, s->units.v[i]);
		check_test_names(s, s->units.v[i]);
	}
	sema_ids(s);
	sema_levels_check(s);
	sema_levels_cut(s);
	s->resolved = true;
	return s->sink->errors == 0;
}
