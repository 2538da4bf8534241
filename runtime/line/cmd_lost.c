/*
 * Relative paths of a command that runs nobody knows where: they may name anything, so no judge
 * can say that a rule does not keep it.
 */
#include "runtime/line/cmd_files.h"
#include "runtime/line/cmd_text.h"

static const char why[] = "a relative path, in a directory that is not known";

static bool is_separator(char c)
{
	return c && strchr("=@:,;", c);
}

/* Does a word begin with a value that nobody knows, and is it therefore no relative path that we
 * know of? PWD is the directory that is not known. */
static bool begins_open(const struct sh_seg *g)
{
	return g->kind == SH_HOME || ((g->kind == SH_ANY || g->kind == SH_MULTI) && g->n != 3);
}

/* Where the value of the option in the word begins; n: it has none. */
static uint32_t value_begins(const struct cmd_word *word)
{
	const struct sh_seg *g = &word->w->seg;
	const char *eq = memchr(g->p, '=', g->n);

	if (word->value_at)
		return word->value_at;
	if (eq)
		return (uint32_t)(eq + 1 - g->p);
	return g->n > 2 && g->p[1] != '-' ? 2 : g->n;
}

/* A word that a table says is read or written: is its path relative? `-` is no path, nor is the
 * name before the `=` of dd. */
static bool is_relative(const struct cmd_word *word)
{
	const struct sh_seg *g = &word->w->seg;
	uint32_t at = 0;

	if (begins_open(g))
		return false;
	if (g->kind != SH_LIT)
		return true;
	if (g->n && g->p[0] == '-' && word->roles != CMD_W_OPERAND)
		at = value_begins(word);
	else if (g->n > 2 && (memcmp(g->p, "if=", 3) == 0 || memcmp(g->p, "of=", 3) == 0))
		at = 3;
	if (at >= g->n)
		return g->next && g->next->kind == SH_GLOB;
	return g->p[at] != '/' && !(g->n == 1 && g->p[0] == '-' && !g->next);
}

/* Is a component of a relative path in the text ".."? `-I..` and `--x=a:..` have one as well. */
static bool climbs(const char *p, uint32_t n, bool first)
{
	bool absolute = false, option = first && n && p[0] == '-';
	uint32_t from = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (is_separator(p[i])) {
			from = i + 1;
			continue;
		}
		if (i == from)
			absolute = p[i] == '/' && (i || first);
		if (absolute || i + 1 >= n || p[i] != '.' || p[i + 1] != '.' ||
		    (i + 2 < n && p[i + 2] != '/' && !is_separator(p[i + 2])))
			continue;
		if (i == from || p[i - 1] == '/' || (option && p[i - 1] != '.'))
			return true;
	}
	return false;
}

static bool word_climbs(const struct cmd_word *word)
{
	const struct sh_seg *first = &word->w->seg;

	if (begins_open(first) || (first->kind == SH_LIT && first->n && first->p[0] == '/'))
		return false;
	for (const struct sh_seg *g = first; g; g = g->next)
		if (g->kind == SH_LIT && climbs(g->p, g->n, g == first))
			return true;
	return false;
}

/* These builtins only change the directory. */
static bool only_goes(const struct cmd_part *p)
{
	return cmd_lit(p->words[0].w, "cd") || cmd_lit(p->words[0].w, "pushd") ||
	       cmd_lit(p->words[0].w, "popd");
}

void cmd_lost_paths(struct cmd_part *p)
{
	uint32_t end = cmd_node(p)->begin ? cmd_node(p)->begin : p->nwords;
	bool lost = p->flags & (CMD_READS_HERE | CMD_WRITES_HERE);

	if (p->kind != CMD_COMMAND || !p->dirs_lost || (p->flags & CMD_REMOTE) || only_goes(p))
		return;
	for (uint32_t i = 1; i < end && !lost; i++)
		lost = p->words[i].places ? is_relative(&p->words[i]) : word_climbs(&p->words[i]);
	if (!lost)
		return;
	p->flags |= CMD_OPAQUE_PATH;
	if (!p->opaque)
		p->opaque = why;
}
