/*
 * Which rare automata must be asked about a command: those whose needle is in one of its
 * words. Time: one look at a slot for each byte and size of gram, and one comparison for
 * each needle with a gram that is found.
 */
#include <stddef.h>
#include <string.h>

#include "runtime/decide/part_needle.h"
#include "runtime/decide/walk_ask.h"

struct hay {
	const struct pb_matcher *m;
	const struct pb_gram *slots;
	const char *p; /* one word */
	uint32_t n, mask;
	uint64_t steps;
	struct bits *found; /* numbers of automata */
};

/* Compares the needles that have this gram, which was found at `at`. */
static void compare(struct hay *h, const struct pb_gram *g, uint32_t at)
{
	const struct pb_needle *v = pb_at(h->m, h->m->needles, sizeof(*v), 0);
	const uint32_t *order = pb_at(h->m, h->m->needle_order, sizeof(*order), g->first);
	uint32_t i;

	h->steps += g->count;
	for (i = 0; i < g->count; i++) {
		const struct pb_needle *e = &v[order[i]];

		if (at >= e->gram && e->text.len <= h->n - (at - e->gram) &&
		    memcmp(pb_strp(h->m, e->text), h->p + (at - e->gram), e->text.len) == 0)
			bits_add(h->found, e->automaton);
	}
}

static void look(struct hay *h, uint32_t size)
{
	uint32_t i, k, bytes;

	for (i = 0; i + size <= h->n; i++) {
		bytes = pb_gram_of(h->p + i, size);
		for (k = pb_gram_hash(bytes) & h->mask; h->slots[k].bytes;
		     k = (k + 1) & h->mask)
			if (h->slots[k].bytes == bytes) {
				compare(h, &h->slots[k], i);
				break;
			}
	}
	h->steps += h->n / 2;
}

static void over_word(struct hay *h, const struct sh_seg *s, struct rare_found *r)
{
	bool whole = s->kind != SH_LIT || s->next;
	uint32_t size;

	for (; s; s = s->next) {
		if (s->kind != SH_LIT) {
			r->piece = true;
			continue;
		}
		whole &= !s->n;
		h->p = s->p;
		h->n = s->n;
		for (size = 1; size <= PB_GRAM; size++)
			if (h->m->gram_sizes >> (size - 1) & 1)
				look(h, size);
	}
	r->word |= whole;
}

/* A needle has no byte that stands for something unknown. So it lies within one piece of
 * a sample of the words (walk_ask.c), or in none. */
static bool find(struct call *c, struct rare_found *r)
{
	struct hay h = { .m = c->m, .found = &r->wanted };
	uint32_t i;

	if (!c->program || !pool_bits(&c->l->pool, c->m->commands.count, &r->wanted))
		return false;
	h.slots = pb_at(c->m, c->m->grams, sizeof(*h.slots), 0);
	h.mask = c->m->grams.count - 1;
	r->piece = r->word = c->p->flags & CMD_APPENDS;
	for (i = 0; i < c->p->nwords; i++) {
		over_word(&h, c->words[i].seg, r);
		/* past the budget the line is denied */
		if (!part_spend(c->l, h.steps))
			return false;
		h.steps = 0;
	}
	return true;
}

const struct rare_found *call_rare(struct call *c)
{
	if (!c->rare.done)
		c->rare.known = find(c, &c->rare);
	c->rare.done = true;
	return c->rare.known ? &c->rare : NULL;
}

/* --- asking -------------------------------------------------------------------------- */

/* A rare automaton whose needle is in no known word: it may be in an unknown one. */
static void ask_unknown(const struct walk *w, const struct rare_found *r,
			const struct pb_needle *e)
{
	const struct pb_automaton *a =
		pb_at(w->m, w->m->commands, sizeof(*a), e->automaton);
	const uint32_t *tags = (const void *)((const uint8_t *)w->m + a->tags);

	if ((e->flags & PB_NF_TEXT) || (r->word && (e->flags & PB_NF_WORD)))
		walk_add(w->may, tags, 1);
	else
		walk_ask(w, a);
}

void rare_ask(const struct walk *w, const struct rare_found *r, uint32_t from, uint32_t n)
{
	const struct pb_needle *v = pb_at(w->m, w->m->needles, sizeof(*v), 0);
	uint32_t first, i;

	for (i = bits_next(&r->wanted, from); i < from + n;
	     i = bits_next(&r->wanted, i + 1))
		walk_ask(w, pb_at(w->m, w->m->commands, sizeof(struct pb_automaton), i));
	if (!r->piece)
		return;
	first = pb_first(w->m, w->m->needles, sizeof(*v),
			 offsetof(struct pb_needle, automaton), from);
	for (i = 0; i < n; i++)
		if (!bits_has(&r->wanted, from + i))
			ask_unknown(w, r, &v[first + i]);
	(void)walk_spend(w, n);
}
