/*
 * Which words are numbers, although they stand for the output of a program. Only the last
 * command of a pipe writes to a substitution, and a few programs write a number there.
 */
#include "runtime/line/cmd_number.h"

/* With exactly these words each prints one number, or nothing if it fails. */
static const char *const counters[][2] = {
	{ "wc", "-l" }, { "wc", "-c" }, { "wc", "-w" }, { "wc", "-m" }, { "id", "-u" },
	{ "id", "-g" }, { "date", "+%s" }, { "nproc", NULL },
};

static bool is_text(const struct sh_word *w, const char *z)
{
	return sh_is_literal(w) && strlen(z) == w->seg.n && memcmp(z, w->seg.p, w->seg.n) == 0;
}

static bool counts(const struct sh_cmd *c)
{
	const struct sh_redir *r;

	for (r = c->redirs; r; r = r->next)
		if (r->op != SH_R_IN && r->op != SH_R_HERESTRING &&
		    !(r->op == SH_R_OUT && r->fd == 2))
			return false;
	if (c->kind != SH_COMMAND || !c->words || c->assigns)
		return false;
	for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
		if (is_text(c->words, counters[i][0]) &&
		    (counters[i][1] ? c->nwords == 2 && is_text(c->words->next, counters[i][1]) :
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

bool cmd_is_number(const struct cmd_ctx *c, const struct sh_word *w)
{
	const char *p = c->scope->text ? c->scope->text + w->from : "";
	const struct cmd_proc *e = c->scope->env;
	const struct sh_cmd *k, *last = NULL;
	uint32_t n = c->scope->text ? w->to - w->from : 0;

	if (n == 2 && p[0] == '$' && p[1] && strchr("?#$!", p[1]))
		return true;
	if (n < 4 || p[0] != '$' || p[1] != '(' || p[n - 1] != ')' || !c->cmd || w->seg.next ||
	    e->names || e->names_all || e->defined || !is_pipe(p + 2, p + n - 1))
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
