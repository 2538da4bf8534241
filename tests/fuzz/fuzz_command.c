/*
 * A line's analysis, behind one byte that says in which dialect.  Every part
 * is sound: its words and places lie in it, what is around it comes before it,
 * a flag has its reason.  A block that is too small is a limit and nothing
 * else.  A command of literal words is, with these in other quotes, the same
 * parts again (law L8).
 */
#include "tests/fuzz/law.h"

#include <stdbool.h>

#include "compiler/base/buf.h"
#include "runtime/line/command.h"
#include "tests/lib/command_text.h"
#include "tests/lib/facts.h"

static struct line_facts *facts[2];

static struct cmd_world world_of(unsigned dialect)
{
	if (!facts[0]) {
		char *posix = NULL;

		facts[0] = facts_make(facts_text);
		LAW(asprintf(&posix, "%sdialect posix\n", facts_text) > 0);
		facts[1] = facts_make(posix);
		free(posix);
	}
	return (struct cmd_world){ .facts = facts[dialect & 1], .cwd = "/w", .home = "/h",
				   .host = dialect & 2 };
}

/* Kept from one text to the next: it is large, and is not to be cleared. */
static void *block_for(size_t n, int which, size_t *ret_size)
{
	static char *kept[2];
	static size_t size[2];

	if (size[which] < cmd_block_size(n)) {
		free(kept[which]);
		size[which] = cmd_block_size(n);
		kept[which] = malloc(size[which]);
		LAW(kept[which]);
	}
	*ret_size = size[which];
	return kept[which];
}

static bool comes_before(const struct cmd_line *l, const struct cmd_part *p,
			 const struct cmd_part *q)
{
	for (const struct cmd_part *i = l->first; i != p; i = i->next)
		if (i == q)
			return true;
	return !q;
}

static void check_words(const struct cmd_part *p)
{
	const struct cmd_option *o;
	uint32_t at = 0;

	LAW(p->nwords > 0);
	for (uint32_t i = 0; i < p->nwords; i++) {
		LAW(p->words[i].w);
		LAW(i == 0 ? p->words[i].roles == 0 : p->words[i].roles != 0);
	}
	for (o = p->options; o; o = o->next) {
		LAW(o->word > 0 && o->word < p->nwords && o->word >= at);
		at = o->word;
		LAW(o->value_word == 0 || o->value_word == o->word + 1);
		LAW(o->value_word < p->nwords);
		LAW(p->words[o->word].roles & CMD_W_OPTION);
		LAW(!o->value_word || (p->words[o->value_word].roles & CMD_W_VALUE));
		LAW(!o->sure || (o->given && o->how == CMD_O_EXACT));
		LAW(!o->value || !o->value_open);
		LAW(o->name_n == 0 || memchr("-+", o->name[0], 2));
		LAW(o->how == CMD_O_ANY || o->name_n >= 2);
	}
}

static void check_part(const struct cmd_line *l, const struct cmd_part *p, size_t n)
{
	LAW(p->from <= p->to && p->to <= n);
	LAW(!(p->flags & CMD_OPAQUE) || p->opaque);
	LAW(!(p->flags & CMD_VOID) == !p->no_allow);
	LAW(!(p->flags & CMD_LOST) || (p->flags & CMD_OPAQUE));
	LAW(!(p->flags & CMD_TABLED) == !p->program);
	LAW(p->dirs_unknown == !p->dirs);
	LAW(comes_before(l, p, p->outer) && comes_before(l, p, p->shell));
	switch ((enum cmd_kind)p->kind) {
	case CMD_COMMAND:
		check_words(p);
		break;
	case CMD_FILE:
		LAW(p->ops && !(p->ops & PB_EXEC));
		break;
	case CMD_NET:
		LAW(!p->host || p->host_n <= n);
		break;
	case CMD_UNPARSED:
		LAW(p->flags & CMD_OPAQUE);
		break;
	}
}

static void check_small(const struct cmd_world *w, const char *text, size_t n,
			const struct cmd_line *full)
{
	char *want = command_text_of(full, w), *got;
	size_t size = 6 * n + 3000;
	void *block = malloc(size);
	struct cmd_line l;

	LAW(block && want);
	cmd_from_line(&l, block, size, w, text, n);
	LAW(!l.memory_short || l.limit);
	/* past one limit it does not matter how soon another is met */
	LAW(l.limit || !full->limit);
	if (!l.limit) {
		got = command_text_of(&l, w);
		LAW(got && strcmp(got, want) == 0);
		free(got);
	}
	free(want);
	free(block);
}

static void quote(struct buf *b, const struct sh_word *w)
{
	buf_ch(b, '\'');
	for (uint32_t i = 0; i < w->seg.n; i++) {
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

static void check_quoted(const struct cmd_world *w, const char *text, size_t n,
			 const struct cmd_line *l)
{
	const struct cmd_part *p = l->first;
	struct cmd_line again;
	struct arena a;
	struct buf line;
	char *want, *got;
	void *block;
	size_t size;
	struct sh sh;

	if (!p || p->kind != CMD_COMMAND || p->nwords > 200 || l->unparsed || l->limit)
		return;
	for (uint32_t i = 0; i < p->nwords; i++)
		if (!sh_is_literal(p->words[i].w))
			return;
	block = block_for(n, 1, &size);
	sh_parse(&sh, block, size, text, n, SH_BASH);
	if (sh.ncmds != 1 || sh.first->assigns || sh.first->redirs || sh.first->marks ||
	    sh.first->nwords != p->nwords || sh.first->kind != SH_COMMAND)
		return;
	arena_init(&a, ARENA_DEFAULT_BUDGET);
	buf_init(&line, &a);
	for (uint32_t i = 0; i < p->nwords; i++)
		quote(&line, p->words[i].w);
	block = block_for(buf_view(&line).n, 1, &size);
	cmd_from_line(&again, block, size, w, buf_view(&line).p, buf_view(&line).n);
	want = command_text_of(l, w);
	got = command_text_of(&again, w);
	LAW(want && got && strcmp(want, got) == 0);
	free(want);
	free(got);
	arena_release(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct law_input in = law_begin(data, n);
	const char *text = (const char *)in.p;
	unsigned dialect = in.choice & 1, count = 0;
	struct cmd_world w = world_of(dialect);
	const struct cmd_part *p;
	struct cmd_line l;
	size_t size;
	void *block;

	n = in.n;
	block = block_for(n, 0, &size);
	cmd_from_line(&l, block, size, &w, text, n);
	LAW((l.unparsed || l.limit) == (l.why != NULL));
	for (p = l.first; p; p = p->next, count++)
		if (count < 1000)
			check_part(&l, p, n);
	LAW(count == l.nparts);
	check_small(&w, text, n, &l);
	if (!dialect)
		check_quoted(&w, text, n, &l);
	law_end(&in);
	return 0;
}
