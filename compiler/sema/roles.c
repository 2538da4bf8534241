/*
 * Finds the roles: those that a `role` statement names, and those that the setting
 * agents.allowedRoles lists.  A role that nobody declares is an error wherever it is
 * named, so that a misspelled role never makes a rule that silently applies to nobody.
 */
#include "compiler/sema/internal.h"

bool sema_has_role(const struct sema *s, struct str name)
{
	for (size_t i = 0; i < s->roles.n; i++)
		if (str_eq(s->roles.v[i].name, name))
			return true;
	return false;
}

void sema_suggest_role(const struct sema *s, struct diag *d, struct str name)
{
	const char **names = arena_array(s->a, s->roles.n + 1, sizeof(*names));
	const char *near;

	for (size_t i = 0; i < s->roles.n; i++)
		names[i] = str_z(s->a, s->roles.v[i].name);
	near = diag_suggest(name, names, s->roles.n);
	if (near)
		diag_help(s->sink, d, "did you mean '%s'?", near);
	else
		diag_help(s->sink, d, "a role is declared with 'role NAME { }'");
}

static void declare(struct sema *s, struct str name, struct span at)
{
	struct sema_role r = { .name = name, .at = at };

	if (!sema_has_role(s, name))
		VEC_PUSH(s->a, &s->roles, r);
}

static bool is_text(const struct ast_value *v)
{
	return v->kind == AST_V_STRING || v->kind == AST_V_RAW || v->kind == AST_V_NAME;
}

void sema_roles(struct sema *s)
{
	for (size_t i = 0; i < s->units.n; i++)
		for (const struct ast_stmt *t = s->units.v[i]->tree->stmts; t;
		     t = t->next) {
			const struct ast_value *v = t->values;

			if (t->kind == AST_ROLE)
				declare(s, t->name, t->name_at);
			if (t->kind != AST_SETTING ||
			    !str_eqz(t->name, "agents.allowedRoles") || !v)
				continue;
			for (v = v->kind == AST_V_LIST ? v->items : NULL; v;
			     v = v->next)
				if (is_text(v) && v->text.n)
					declare(s, v->text, v->at);
		}
	if (s->role.n && !sema_has_role(s, s->role)) {
		struct diag *d =
			diag_add(s->sink, DIAG_UNKNOWN_ROLE, SPAN_NONE,
				 "no file declares the role '%.*s' (--role)",
				 STR_ARG(s->role));
		sema_suggest_role(s, d, s->role);
	}
}

bool sema_in_role(struct sema *s, const struct ast_stmt *stmt)
{
	static const struct {
		enum ast_stmt_kind kind;
		const char *word;
	} not[] = {
		{ AST_POLICY, "policy" }, { AST_USE, "use" },   { AST_LET, "let" },
		{ AST_GROUP, "group" },   { AST_ROLE, "role" },
	};

	for (size_t i = 0; i < POL_LEN(not); i++)
		if (not[i].kind == stmt->kind) {
			struct diag *d = diag_add(s->sink, DIAG_ROLE_BODY, stmt->at,
						  "'%s' does not stand in a role",
						  not[i].word);
			diag_help(s->sink, d,
				  "a role has sections, settings, tools, alerts and "
				  "tests; the rest of a file is the same for all roles");
			return false;
		}
	return true;
}
