/*
 * Shell text, behind one byte that says in which dialect.  Every offset lies in
 * the line and every piece of a word in the block, counts are right, a block
 * that is too small is a limit and nothing else, and the words of a command
 * that are literal are, in single quotes, the same command again.
 */
#include "tests/fuzz/law.h"

#include <stdbool.h>

#include "compiler/base/buf.h"
#include "runtime/line/shell/shell.h"
#include "tests/lib/shell_text.h"

struct block {
	char *p;
	size_t n;
};

/* Kept from one text to the next: it is large, and is not to be cleared. */
static struct block block_for(size_t n, int which)
{
	static struct block kept[2];
	struct block *b = &kept[which];

	if (b->n < sh_block_size(n)) {
		free(b->p);
		b->n = sh_block_size(n);
		b->p = malloc(b->n);
		LAW(b->p);
	}
	return *b;
}

static bool inside(const struct block *b, const char *p, size_t n)
{
	return p >= b->p && p + n <= b->p + b->n;
}

static unsigned check_words(const struct block *b, const struct sh_word *w, size_t n)
{
	const struct sh_seg *g;
	unsigned count = 0;

	for (; w; w = w->next, count++) {
		LAW(inside(b, (const char *)w, sizeof(*w)));
		LAW(w->from <= w->to && w->to <= n);
		for (g = &w->seg; g; g = g->next) {
			LAW(g->kind != SH_LIT || inside(b, g->p, g->n));
			LAW(g->kind != SH_GLOB || !g->n || inside(b, g->p, g->n));
			LAW(g->kind == SH_GLOB || g->kind == SH_LIT || !g->n);
		}
	}
	return count;
}

static void check_cmd(const struct block *b, const struct sh_cmd *c, size_t n)
{
	const struct sh_assign *a;
	const struct sh_redir *r;

	LAW(inside(b, (const char *)c, sizeof(*c)));
	LAW(c->from <= c->to && c->to <= n);
	LAW(check_words(b, c->words, n) == c->nwords);
	LAW(!c->name || inside(b, c->name, c->name_n));
	LAW(!c->func || c->func->kind == SH_FUNCTION);
	for (a = c->assigns; a; a = a->next) {
		LAW(inside(b, a->name, a->name_n) && sh_is_name(a->name, a->name_n));
		check_words(b, a->value, n);
	}
	for (r = c->redirs; r; r = r->next) {
		LAW(r->target && check_words(b, r->target, n) >= 1);
		LAW(!r->body || check_words(b, r->body, n) == 1);
		LAW(!r->body || r->op == SH_R_HEREDOC);
		LAW(!r->var || sh_is_name(r->var, r->var_n));
	}
}

static void quote(struct buf *b, const struct sh_word *w)
{
	uint32_t i;

	buf_ch(b, '\'');
	for (i = 0; i < w->seg.n; i++) {
		unsigned char c = (unsigned char)w->seg.p[i];

		if (c == '\'')
			buf_z(b, "'\\''");
		else if (c < ' ' || c >= 0x7f)
			/* what a line may not hold as it is */
			buf_printf(b, "'$'\\x%02x''", c);
		else
			buf_ch(b, (char)c);
	}
	buf_z(b, "' ");
}

/* A command of literal words, and nothing else. */
static bool is_literal(const struct sh_cmd *c)
{
	const struct sh_word *w;

	if (c->kind != SH_COMMAND || !c->words || c->assigns || c->redirs)
		return false;
	for (w = c->words; w; w = w->next)
		if (!sh_is_literal(w))
			return false;
	return true;
}

static void check_again(const struct sh_cmd *c, enum sh_dialect dialect)
{
	const struct sh_word *w, *v;
	struct arena a;
	struct buf line;
	struct block b;
	struct sh s;

	if (dialect != SH_BASH || c->nwords > 1000)
		return;
	arena_init(&a, ARENA_DEFAULT_BUDGET);
	buf_init(&line, &a);
	for (w = c->words; w; w = w->next)
		quote(&line, w);
	b = block_for(buf_view(&line).n, 1);
	sh_parse(&s, b.p, b.n, buf_view(&line).p, buf_view(&line).n, dialect);
	/* a `set` or `shopt` is understood, quoted or not */
	LAW(s.status == SH_PARSED || s.ncmds == 1);
	LAW(s.ncmds == 1 && s.first->nwords == c->nwords);
	for (w = c->words, v = s.first->words; w; w = w->next, v = v->next)
		LAW(sh_is_literal(v) && v->seg.n == w->seg.n &&
		    memcmp(v->seg.p, w->seg.p, w->seg.n) == 0);
	arena_release(&a);
}

static void check_small(const char *text, size_t n, enum sh_dialect dialect,
			const struct sh *full)
{
	struct block b = { .n = 4 * n + 700 };
	char *want = shell_text_of(full), *got;
	struct sh s;

	b.p = malloc(b.n);
	LAW(b.p && want);
	sh_parse(&s, b.p, b.n, text, n, dialect);
	if (s.memory_short) {
		LAW(s.status == SH_LIMIT);
	} else {
		got = shell_text_of(&s);
		LAW(got && strcmp(got, want) == 0);
		free(got);
	}
	free(want);
	free(b.p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct law_input in = law_begin(data, n);
	const char *text = (const char *)in.p;
	enum sh_dialect dialect = in.choice & 1 ? SH_POSIX : SH_BASH;
	const struct sh_cmd *c;
	unsigned count = 0;
	struct block b;
	struct sh s;

	n = in.n;
	b = block_for(n, 0);
	LAW(sh_parse(&s, b.p, b.n, text, n, dialect) == s.status);
	LAW(!s.memory_short && s.at <= n);
	LAW((s.why == NULL) == (s.status == SH_PARSED));
	for (c = s.first; c; c = c->next, count++) {
		check_cmd(&b, c, n);
		if (is_literal(c))
			check_again(c, dialect);
	}
	LAW(count == s.ncmds);
	check_small(text, n, dialect, &s);
	law_end(&in);
	return 0;
}
