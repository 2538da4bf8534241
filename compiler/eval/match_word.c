/*
 * Decides about single words of a command: which one text does the word stand for, does
 * it match a glob, and may a glob match a text that begins with it?
 */
#include "compiler/eval/command_words.h"
#include "compiler/eval/match_word.h"

bool eval_word_text(const struct eval_asked *q, const struct cmd_word *word, struct arena *a,
		  struct str *ret)
{
	const struct sh_seg *s;
	struct buf b;

	if (sh_is_literal(word->w)) {
		*ret = (struct str){ word->w->seg.p, word->w->seg.n };
		return true;
	}
	buf_init(&b, a);
	for (s = &word->w->seg; s; s = s->next) {
		if (s->kind == SH_HOME && q->world->home)
			buf_z(&b, q->world->home);
		else if (s->kind == SH_LIT)
			buf_add(&b, s->p, s->n);
		else
			return false;
	}
	*ret = buf_view(&b);
	return true;
}

bool eval_words_are_literal(const struct eval_asked *q)
{
	const struct sh_seg *s;
	uint32_t i;

	for (i = 0; i < q->part->nwords; i++)
		for (s = &q->part->words[i].w->seg; s; s = s->next)
			if (s->kind != SH_LIT && !(s->kind == SH_HOME && q->world->home))
				return false;
	return !(q->part->flags & CMD_APPENDS);
}

struct eval_match eval_match_one_word(const struct eval_asked *q, const struct cmd_word *word,
				  const struct ir_glob *g, enum eval_bytes bytes)
{
	struct cwords w;
	struct cmd_word plain = { .w = word->w };
	struct eval_match m = { false, false };
	uint64_t *start;

	cwords_init(&w, q, EVAL_NARROW);
	cnfa_edge(&w.n, cnfa_glob(&w.n, g, bytes, w.n.start), CNFA_BYTE, 0, w.n.accept);
	cnfa_done(&w.n);
	cwords_add(&w, &plain);
	start = cnfa_set_new(&w.n, &w.a);
	cnfa_set_add(&w.n, start, w.n.start);
	m.may = cwords_may(&w, 0, start);
	m.must = m.may && cwords_must(&w, 0, start);
	cwords_release(&w);
	return m;
}

bool eval_glob_may_begin(const struct ir_glob *g, struct str prefix)
{
	struct arena a;
	struct cnfa n;
	uint64_t *x, *y, *t;
	size_t i;
	bool yes;

	arena_init(&a, ARENA_DEFAULT_BUDGET);
	cnfa_init(&n, &a);
	cnfa_edge(&n, cnfa_glob(&n, g, EVAL_B_ANY, n.start), CNFA_NOTHING, 0, n.accept);
	cnfa_done(&n);
	x = cnfa_set_new(&n, &a);
	y = cnfa_set_new(&n, &a);
	cnfa_set_add(&n, x, n.start);
	for (i = 0; i < prefix.n; i++) {
		cnfa_step(&n, x, (uint8_t)prefix.p[i], y);
		t = x;
		x = y;
		y = t;
	}
	/* every state of a glob can reach its end */
	yes = !cnfa_set_is_empty(&n, x);
	arena_release(&a);
	return yes;
}
