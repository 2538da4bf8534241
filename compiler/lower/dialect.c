/*
 * Warns about patterns that match less than their author expects, because the same text matches
 * more in another program: Bash(rm:*) in an agent's settings, !NAME in .gitignore, and a command
 * without its arguments, which many lists take for the beginning of a line.
 */
#include "compiler/lower/dialect.h"

#include "compiler/lower/internal.h"
#include "compiler/lower/program.h"

enum names { OF_COMMANDS, OF_PATHS, OF_HOSTS, OF_NONE };

/* The tools whose names stand before a pattern in the settings of agents, and what the pattern matches. */
static const struct {
	const char *name;
	enum names of;
} tools[] = {
	{ "Bash", OF_COMMANDS }, { "Shell", OF_COMMANDS }, { "ShellTool", OF_COMMANDS }, { "shell", OF_COMMANDS },
	{ "bash", OF_COMMANDS }, { "run_shell_command", OF_COMMANDS }, { "PowerShell", OF_COMMANDS },
	{ "Execute", OF_COMMANDS }, { "Read", OF_PATHS }, { "Edit", OF_PATHS }, { "Write", OF_PATHS },
	{ "MultiEdit", OF_PATHS }, { "NotebookEdit", OF_PATHS }, { "Glob", OF_PATHS }, { "Grep", OF_PATHS },
	{ "LS", OF_PATHS }, { "read", OF_PATHS }, { "write", OF_PATHS }, { "edit", OF_PATHS },
	{ "read_file", OF_PATHS }, { "write_file", OF_PATHS }, { "replace", OF_PATHS }, { "WebFetch", OF_HOSTS },
	{ "WebSearch", OF_NONE },
};

static enum names names_of(struct str tool)
{
	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++)
		if (str_eqz(tool, tools[i].name))
			return tools[i].of;
	return OF_NONE;
}

/* *ret is the text in the parentheses of Tool(TEXT), and *ret_tool the name before them.  A file may well
 * be called 'copy(1)'. */
static bool read_tool(struct str t, bool is_path, struct str *ret_tool, struct str *ret)
{
	size_t n = 0;

	while (n < t.n && ((t.p[n] >= 'a' && t.p[n] <= 'z') || (t.p[n] >= 'A' && t.p[n] <= 'Z') || t.p[n] == '_'))
		n++;
	if (!n || n == t.n || t.p[n] != '(' || t.p[t.n - 1] != ')' ||
	    (is_path && (t.p[0] < 'A' || t.p[0] > 'Z')))
		return false;
	*ret_tool = str_sub(t, 0, n);
	*ret = str_sub(t, n + 1, t.n - n - 2);
	return true;
}

/* In settings a '*' at the end is the rest of the line, whatever stands before it. */
static struct str as_command(struct lower *l, struct str inside)
{
	if (inside.n == 0 || str_eqz(inside, "*"))
		return STR("**");
	if (str_ends(inside, STR(":*")) || inside.p[inside.n - 1] != '*')
		return inside;
	if (str_ends(inside, STR(" *")))
		inside = str_sub(inside, 0, inside.n - 2);
	return str_printf(l->a, "%.*s:*", STR_ARG(inside));
}

/* Says how the text in the parentheses is written, in the section `in`. */
static void help_tool(struct lower *l, struct diag *d, enum names in, struct str tool, struct str inside)
{
	static const char *const sections[] = { "command", "file", "network" };
	enum names of = names_of(tool);

	if (of == OF_COMMANDS)
		inside = as_command(l, inside);
	else if (of == OF_PATHS && str_starts(inside, STR("//")))
		inside = str_sub(inside, 1, inside.n - 1);
	if (of == OF_HOSTS && str_starts(inside, STR("domain:")))
		inside = str_sub(inside, 7, inside.n - 7);
	if (of == OF_NONE)
		diag_help(l->sink, d, "write '%.*s' in the section 'tools'", STR_ARG(tool));
	else if (of == OF_HOSTS)
		diag_help(l->sink, d, "write 'tcp \"%.*s\"' in the section 'network'", STR_ARG(inside));
	else if (of == in)
		diag_help(l->sink, d, "write '%.*s'", STR_ARG(inside));
	else
		diag_help(l->sink, d, "write '%.*s' in the section '%s'", STR_ARG(inside), sections[of]);
}

static bool warn_tool(struct lower *l, const struct ast_value *v, enum names in, const char *what)
{
	struct str tool, inside;
	struct diag *d;

	if (!read_tool(v->text, in == OF_PATHS, &tool, &inside))
		return false;
	d = diag_add(l->sink, DIAG_PATTERN_DIALECT, v->at,
		     "'%.*s' is how an agent's settings write it: here it is the %s, and matches nothing else",
		     STR_ARG(v->text), what);
	help_tool(l, d, in, tool, inside);
	return true;
}

/* 'Bash' alone: the names that no program has. */
static bool warn_bare_tool(struct lower *l, const struct ast_value *v)
{
	struct diag *d;
	size_t i = 0;

	while (i < sizeof(tools) / sizeof(tools[0]) &&
	       (tools[i].name[0] >= 'a' || !str_eqz(v->text, tools[i].name)))
		i++;
	if (i == sizeof(tools) / sizeof(tools[0]))
		return false;
	d = diag_add(l->sink, DIAG_PATTERN_DIALECT, v->at,
		     "'%.*s' is a tool in an agent's settings: here it is a program of that name", STR_ARG(v->text));
	if (tools[i].of == OF_COMMANDS)
		diag_help(l->sink, d, "write '**' for every command");
	else
		diag_help(l->sink, d, "write '%.*s' in the section 'tools'", STR_ARG(v->text));
	return true;
}

/* A '|' inside of a word, outside of braces. */
static bool has_bar(struct str t)
{
	int braces = 0;

	for (size_t i = 0; i < t.n; i++) {
		if (t.p[i] == '\\')
			i++;
		else if (t.p[i] == '{')
			braces++;
		else if (t.p[i] == '}')
			braces--;
		else if (t.p[i] == '|' && braces == 0 && i && i + 1 < t.n && t.p[i - 1] != ' ' &&
			 t.p[i - 1] != '|' && t.p[i + 1] != ' ' && t.p[i + 1] != '|')
			return true;
	}
	return false;
}

/* The spelling of regular expressions, of which other programs' lists of commands are made. */
static bool warn_regex(struct lower *l, const struct ast_value *v)
{
	struct str t = v->text;
	struct diag *d;

	bool begins = t.n > 1 && t.p[0] == '^';

	if (!begins && !has_bar(t))
		return false;
	d = diag_add(l->sink, DIAG_PATTERN_DIALECT, v->at,
		     "'%c' in '%.*s' is a byte of the word, and has no other meaning", begins ? '^' : '|', STR_ARG(t));
	diag_help(l->sink, d, begins ? "a regular expression stands between slashes, without quotes" :
				       "alternatives of a word stand in braces: {a|b}");
	return true;
}

bool lower_warn_dialect(struct lower *l, const struct ast_value *v, bool is_command)
{
	struct str t = v->text;
	struct diag *d;

	if (v->kind != AST_V_STRING && v->kind != AST_V_RAW)
		return false;
	if (warn_tool(l, v, is_command ? OF_COMMANDS : OF_PATHS, is_command ? "text of a command" : "text of a path") ||
	    (is_command && (warn_bare_tool(l, v) || warn_regex(l, v))))
		return true;
	if (!is_command && t.n && t.p[0] == '!') {
		d = diag_add(l->sink, DIAG_PATTERN_DIALECT, v->at,
			     "'%.*s' takes nothing back: '!' is the first byte of a name", STR_ARG(t));
		diag_help(l->sink, d, "write 'except \"%.*s\"' behind the rule that is too wide", (int)t.n - 1, t.p + 1);
		return true;
	}
	return false;
}

void lower_warn_tool_dialect(struct lower *l, const struct ast_value *v)
{
	if (v->kind == AST_V_STRING || v->kind == AST_V_RAW)
		(void)warn_tool(l, v, OF_NONE, "name of a tool");
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
