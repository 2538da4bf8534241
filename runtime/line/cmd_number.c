/*
 * Which words are numbers, although they stand for the output of a program. Only the last
 * command of a pipe writes to a substitution, and a few programs write a number there.
 */
#include "runtime/line/cmd_number.h"
#include "runtime/line/cmd_text.h"

/* With exactly these words each prints one number, or nothing if it fails. */
static const char *const counters[][2] = {
	{ "wc", "-l" }, { "wc", "-c" }, { "wc", "-w" }, { "wc", "-m" }, { "id", "-u" },
	{ "id", "-g" }, { "date", "+%s" }, { "nproc", NULL },
};

static bool counts(const struct sh_cmd *c)
{
	const struct sh_redir *r;

	/* a message about an input that is missing must not go where the number goes */
	for (r = c->redirs; r; r = r->next)
		if (r->op != SH_R_IN && r->op != SH_R_HERESTRING &&
		    !(r->op == SH_R_OUT && r->fd == 2 && cmd_lit(r->target, "/dev/null")))
			return false;
	if (c->kind != SH_COMMAND || !c->words || c->assigns)
		return false;
	for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
		if (cmd_lit(c->words, counters[i][0]) &&
		    (counters[i][1] ? c->nwords == 2 && cmd_lit(c->words->next, counters[i][1]) :
				      c->nwords == 1))
			return true;
	return false;
}

/* Is the text no more than one pipe? Quotes are not looked at: what stands in them counts as
 * well. */
static bool is_pipe(const char *p, const char *end)
{
	for (; p < end; p++)
		if (strchr(";&\n(){}`\\", *p) || (*p == '|' && p[1] == '|'))
			return false;
	return true;
}

/* May a name get another meaning behind this command, which may run after that? */
static bool redefines_later(const struct cmd_ctx *c)
{
	static const char *const names[] = { "alias", "hash", "enable", "eval", ".", "source",
					     "trap", "builtin", "command" };
	const struct sh_cmd *k;

	if (!c->anytime)
		return false;
	if (c->scope->outer)
		return true;
	for (k = c->cmd->next; k; k = k->next) {
		if (k->kind == SH_FUNCTION)
			return true;
		if (k->kind != SH_COMMAND || !k->words)
			continue;
		if (!sh_is_literal(k->words))
			return true;
		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			if (cmd_lit(k->words, names[i]))
				return true;
	}
	return false;
}

/* Is all of the word's text, from this byte on, a substitution that prints a number? */
static bool prints_number(const struct cmd_ctx *c, const struct sh_word *w, uint32_t skip)
{
	const char *p = c->scope->text ? c->scope->text + w->from + skip : "";
	const struct cmd_proc *e = c->scope->env;
	const struct sh_cmd *k, *last = NULL;
	uint32_t n = c->scope->text && w->to - w->from > skip ? w->to - w->from - skip : 0;

	if (n < 4 || p[0] != '$' || p[1] != '(' || p[n - 1] != ')' || !c->cmd || e->names ||
	    e->names_all || e->defined || !is_pipe(p + 2, p + n - 1) || redefines_later(c))
		return false;
	/* the commands of a word are listed behind the one that holds it */
	for (k = c->cmd->next; k; k = k->next) {
		if (k->from < w->from || k->to > w->to)
			continue;
		if (!last || k->from > last->from)
			last = k;
	}
	return last && counts(last);
}

bool cmd_is_number(const struct cmd_ctx *c, const struct sh_word *w)
{
	const char *p = c->scope->text ? c->scope->text + w->from : "";

	if (c->scope->text && w->to - w->from == 2 && p[0] == '$' && p[1] &&
	    strchr("?#$!", p[1]))
		return true;
	return !w->seg.next && prints_number(c, w, 0);
}

bool cmd_number_words(struct cmd_an *a, const struct cmd_ctx *c, struct cmd_word *words,
		      uint32_t n)
{
	for (uint32_t i = 1; i < n; i++) {
		const struct sh_word *w = words[i].w;
		const struct sh_seg *g = w->seg.next;
		struct sh_word *made;

		if (w->seg.kind != SH_LIT || !w->seg.n || !g || g->kind != SH_MULTI || g->next ||
		    !c->scope->text || w->to - w->from <= w->seg.n ||
		    memcmp(c->scope->text + w->from, w->seg.p, w->seg.n) != 0 ||
		    !prints_number(c, w, w->seg.n))
			continue;
		made = cmd_alloc(a, sizeof(*made));
		if (!made)
			return false;
		*made = *w;
		made->seg.next = cmd_alloc(a, sizeof(*g));
		if (!made->seg.next)
			return false;
		*made->seg.next = *g;
		made->seg.next->kind = SH_ANY;
		words[i].w = made;
	}
	return true;
}
