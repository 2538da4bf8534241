/*
 * Warns about patterns that match less than their author expects, because the same text matches
 * more in another program: Bash(rm:*) in an agent's settings, !NAME in .gitignore, and a command
 * without its arguments, which many lists take for the beginning of a line.
 */
#include "compiler/lower/dialect.h"

#include "compiler/lower/internal.h"
#include "compiler/lower/program.h"

/* *ret is the text in the parentheses of Tool(TEXT), and *ret_tool the name before them. */
static bool read_tool(struct str t, struct str *ret_tool, struct str *ret)
{
	size_t n = 0;

	while (n < t.n && ((t.p[n] >= 'a' && t.p[n] <= 'z') || (t.p[n] >= 'A' && t.p[n] <= 'Z')))
		n++;
	if (!n || t.p[0] < 'A' || t.p[0] > 'Z' || n == t.n || t.p[n] != '(' || t.p[t.n - 1] != ')')
		return false;
	*ret_tool = str_sub(t, 0, n);
	*ret = str_sub(t, n + 1, t.n - n - 2);
	return true;
}

bool lower_warn_dialect(struct lower *l, const struct ast_value *v, bool is_command)
{
	struct str t = v->text, tool, inside;
	struct diag *d;

	if (v->kind != AST_V_STRING && v->kind != AST_V_RAW)
		return false;
	if (read_tool(t, &tool, &inside)) {
		d = diag_add(l->sink, DIAG_PATTERN_DIALECT, v->at,
			     "'%.*s' is how an agent's settings write it: here it is the text of a %s, and matches "
			     "nothing else", STR_ARG(t), is_command ? "command" : "path");
		if (is_command == str_eqz(tool, "Bash"))
			diag_help(l->sink, d, "write '%.*s'", STR_ARG(inside));
		else
			diag_help(l->sink, d, "write '%.*s' in the section '%s'", STR_ARG(inside),
				  is_command ? "file" : "command");
		return true;
	}
	if (!is_command && t.n && t.p[0] == '!') {
		d = diag_add(l->sink, DIAG_PATTERN_DIALECT, v->at,
			     "'%.*s' takes nothing back: '!' is the first byte of a name", STR_ARG(t));
		diag_help(l->sink, d, "write 'except \"%.*s\"' behind the rule that is too wide", (int)t.n - 1, t.p + 1);
		return true;
	}
	return false;
}

void lower_warn_exact(struct lower *l, const struct ast_value *v, const struct ir_command *c)
{
	struct str t = v->text;
	struct diag *d;

	/* A shell without arguments runs what it reads from a pipe: `deny "sh"` is the rule against `curl X | sh`.
	 * The library's authors have chosen the number of words. */
	if (c->regex || c->tail || !c->nwords || lower_is_shell(t) || l->s->map->files.v[v->at.file].library)
		return;
	for (size_t i = 0; i < c->nwords; i++)
		if (c->words[i].any_words)
			return;
	d = diag_add(l->sink, DIAG_PATTERN_EXACT, v->at,
		     "'%.*s' matches commands of %zu word%s only, and one word more gets past it", STR_ARG(t), c->nwords,
		     c->nwords == 1 ? "" : "s");
	if (str_ends(t, STR(" *")))
		t = str_sub(t, 0, t.n - 2);
	diag_help(l->sink, d, "write '%.*s:*'", STR_ARG(t));
}
