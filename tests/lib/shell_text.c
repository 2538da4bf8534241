/* What sh_parse() found, as text for tables of tests. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/lib/shell_text.h"

void shell_text_word(FILE *f, const struct sh_word *w)
{
	const struct sh_seg *g;

	for (g = &w->seg; g; g = g->next)
		switch (g->kind) {
		case SH_LIT:
			fwrite(g->p, 1, g->n, f);
			break;
		case SH_ANY:
			fputs("<any>", f);
			break;
		case SH_MULTI:
			fputs("<multi>", f);
			break;
		case SH_GLOB:
			fprintf(f, "<glob:%.*s>", (int)g->n, g->n ? g->p : "");
			break;
		case SH_HOME:
			fputs("<home>", f);
			break;
		}
}

static void put_words(FILE *f, const struct sh_word *w)
{
	for (; w; w = w->next) {
		shell_text_word(f, w);
		if (w->next)
			fputc('|', f);
	}
}

static void put_assign(FILE *f, const struct sh_assign *a)
{
	fprintf(f, "%.*s%s%s=", (int)a->name_n, a->name, a->subscript ? "[]" : "",
		a->append ? "+" : "");
	if (a->array)
		fputc('(', f);
	put_words(f, a->value);
	fputs(a->array ? ") " : " ", f);
}

static void put_redir(FILE *f, const struct sh_redir *r)
{
	static const char *const ops[] = {
		[SH_R_IN] = "<", [SH_R_OUT] = ">", [SH_R_APPEND] = ">>",
		[SH_R_CLOBBER] = ">|", [SH_R_INOUT] = "<>", [SH_R_BOTH] = "&>",
		[SH_R_BOTH_APPEND] = "&>>", [SH_R_DUP_IN] = "<&", [SH_R_DUP_OUT] = ">&",
		[SH_R_HEREDOC] = "<<", [SH_R_HERESTRING] = "<<<",
	};

	fputc(' ', f);
	if (r->var)
		fprintf(f, "{%.*s}", (int)r->var_n, r->var);
	if (r->fd >= 0)
		fprintf(f, "%d", r->fd);
	fputs(ops[r->op], f);
	shell_text_word(f, r->target);
	if (r->body) {
		fputc('{', f);
		shell_text_word(f, r->body);
		fputc('}', f);
	}
}

static void put_marks(FILE *f, const struct sh_cmd *c)
{
	static const char letters[] = "lsupbrect";
	unsigned i;

	if (!c->marks && !c->func)
		return;
	fputs(" @", f);
	for (i = 0; letters[i]; i++)
		if (c->marks & (1U << i))
			fputc(letters[i], f);
	if (c->func)
		fputc('f', f);
}

static void put_cmd(FILE *f, const struct sh_cmd *c)
{
	static const char *const kinds[] = {
		[SH_COMMAND] = "", [SH_COND] = "", [SH_ARITH] = "", [SH_FUNCTION] = "function ",
		[SH_LOOP] = "loop ", [SH_CASE] = "case ", [SH_SET] = "set ",
		[SH_GROUP] = "group",
	};
	const struct sh_assign *a;
	const struct sh_redir *r;

	fputs(kinds[c->kind], f);
	if (c->name)
		fprintf(f, "%.*s%s", (int)c->name_n, c->name, c->words ? " " : "");
	for (a = c->assigns; a; a = a->next)
		put_assign(f, a);
	put_words(f, c->words);
	for (r = c->redirs; r; r = r->next)
		put_redir(f, r);
	put_marks(f, c);
}

char *shell_text_of(const struct sh *s)
{
	static const char *const states[] = {
		[SH_PARSED] = "", [SH_UNPARSED] = "! ", [SH_LIMIT] = "# ",
	};
	const struct sh_cmd *c;
	char *out = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&out, &n);

	if (!f)
		return NULL;
	fputs(states[s->status], f);
	for (c = s->first; c; c = c->next) {
		put_cmd(f, c);
		if (c->next)
			fputs(" ; ", f);
	}
	fclose(f);
	return out;
}
