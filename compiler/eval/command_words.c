/*
 * Decides whether a pattern accepts some value of a command's words ("may"), or every
 * value ("must").  The words are walked in order.  "May" carries one set of pattern
 * states along; "must" carries every set that some value leads to, up to a budget.
 */
#include "compiler/eval/command_words.h"

/* "Must" gives up after this many sets. */
#define MUST_BUDGET 20000u

void cwords_init(struct cwords *w, const struct eval_asked *q, enum eval_side side)
{
	memset(w, 0, sizeof(*w));
	w->q = q;
	w->side = side;
	arena_init(&w->a, ARENA_DEFAULT_BUDGET);
	cnfa_init(&w->n, &w->a);
}

void cwords_release(struct cwords *w)
{
	arena_release(&w->a);
}

/* --- the words of the command ------------------------------------------------------ */

static void add_piece(struct cwords *w, struct cword *word, enum cword_piece_kind kind,
		      struct str text, uint32_t from, uint32_t to)
{
	struct cword_piece p = { kind, text, from, to };

	VEC_PUSH(&w->a, &word->pieces, p);
}

/* Adds a state after `from` that loops on what `kind` reads. */
static uint32_t add_loop(struct cwords *w, struct cword *word, uint32_t from, bool ends)
{
	uint32_t to = word->nstates++;

	add_piece(w, word, CWORD_TEXT, STR(""), from, to);
	add_piece(w, word, CWORD_ANY, STR_NULL, to, to);
	if (ends)
		add_piece(w, word, CWORD_END, STR_NULL, to, to);
	return to;
}

static uint32_t add_text(struct cwords *w, struct cword *word, uint32_t from, struct str s)
{
	uint32_t to = word->nstates++;

	add_piece(w, word, CWORD_TEXT, s, from, to);
	return to;
}

static uint32_t add_seg(struct cwords *w, struct cword *word, const struct sh_seg *s,
			bool names, uint32_t from)
{
	const char *home = w->q->world->home;

	switch (s->kind) {
	case SH_LIT:
		return add_text(w, word, from, (struct str){ s->p, s->n });
	case SH_ANY:
		return add_loop(w, word, from, false);
	case SH_MULTI:
		return add_loop(w, word, from, true);
	case SH_GLOB:
		if (names || !s->n)
			return add_loop(w, word, from, false);
		return add_text(w, word, from, (struct str){ s->p, s->n });
	case SH_HOME:
		if (home)
			return add_text(w, word, from, str_from(home));
		return add_loop(w, word, add_text(w, word, from, STR("/")), false);
	}
	return from;
}

/*
 * May the word expand to no word at all?  Only if it has SH_MULTI segments and no segment
 * that always leaves text.
 */
static bool may_vanish(const struct sh_word *w)
{
	const struct sh_seg *s;
	bool multi = false;

	for (s = &w->seg; s; s = s->next) {
		if ((s->kind == SH_LIT && s->n) || s->kind == SH_GLOB ||
		    s->kind == SH_HOME)
			return false;
		multi |= s->kind == SH_MULTI;
	}
	return multi;
}

static bool has_seg(const struct sh_word *w, enum sh_seg_kind kind)
{
	const struct sh_seg *s;

	for (s = &w->seg; s; s = s->next)
		if (s->kind == kind)
			return true;
	return false;
}

/*
 * Adds one reading of the word, segment by segment.  `names`: the word is a glob that
 * expands to one or more file names.
 */
static void add_reading(struct cwords *w, struct cword *word, const struct sh_word *from,
			bool names)
{
	uint32_t begin = word->nstates++, at = begin;
	const struct sh_seg *s;

	add_piece(w, word, CWORD_TEXT, STR(""), 0, begin);
	for (s = &from->seg; s; s = s->next)
		at = add_seg(w, word, s, names, at);
	add_piece(w, word, CWORD_END, STR_NULL, at, 1);
	if (names)
		add_piece(w, word, CWORD_END, STR_NULL, at, begin);
}

void cwords_add(struct cwords *w, const struct cmd_word *from)
{
	const uint8_t may_skip = CMD_W_OPTION | CMD_W_VALUE | CMD_W_END;
	struct cword word = { .nstates = 2, .skip = w->side == EVAL_BROAD &&
						   (from->roles & may_skip) };

	add_reading(w, &word, from->w, false);
	if (has_seg(from->w, SH_GLOB))
		add_reading(w, &word, from->w, true);
	if (may_vanish(from->w))
		add_piece(w, &word, CWORD_TEXT, STR(""), 0, 1);
	VEC_PUSH(&w->a, &w->words, word);
}

void cwords_add_unknown(struct cwords *w)
{
	struct cword word = { .nstates = 2, .skip = w->side == EVAL_BROAD };
	uint32_t at = add_loop(w, &word, 0, true);

	add_piece(w, &word, CWORD_END, STR_NULL, at, 1);
	add_piece(w, &word, CWORD_TEXT, STR(""), 0, 1);
	VEC_PUSH(&w->a, &w->words, word);
}

/* --- walking ------------------------------------------------------------------------- */

static void step_text(struct cwords *w, struct str text, const uint64_t *from, uint64_t *ret)
{
	uint64_t *x = cnfa_set_new(&w->n, &w->a), *y = cnfa_set_new(&w->n, &w->a), *t;
	size_t i;

	cnfa_set_copy(&w->n, x, from);
	for (i = 0; i < text.n && !cnfa_set_is_empty(&w->n, x); i++) {
		cnfa_step(&w->n, x, (uint8_t)text.p[i], y);
		t = x;
		x = y;
		y = t;
	}
	cnfa_set_copy(&w->n, ret, x);
}

/*
 * Collects the states that some value of the word leads to: iterates over the word's
 * pieces until nothing is added.
 */
static void may_word(struct cwords *w, const struct cword *word, const uint64_t *from,
		     uint64_t *ret)
{
	uint64_t **at = arena_array(&w->a, word->nstates, sizeof(*at));
	uint64_t *got = cnfa_set_new(&w->n, &w->a);
	bool more = true;
	size_t i, k;

	for (i = 0; i < word->nstates; i++)
		at[i] = cnfa_set_new(&w->n, &w->a);
	cnfa_set_copy(&w->n, at[0], from);
	while (more) {
		more = false;
		for (i = 0; i < word->pieces.n; i++) {
			const struct cword_piece *p = &word->pieces.v[i];

			if (p->kind == CWORD_TEXT) {
				step_text(w, p->text, at[p->from], got);
				more |= cnfa_set_join(&w->n, at[p->to], got);
			} else if (p->kind == CWORD_END) {
				cnfa_step(&w->n, at[p->from], 0, got);
				more |= cnfa_set_join(&w->n, at[p->to], got);
			}
			for (k = 0; p->kind == CWORD_ANY && k < w->n.nbytes; k++) {
				cnfa_step(&w->n, at[p->from], w->n.byte[k], got);
				more |= cnfa_set_join(&w->n, at[p->to], got);
			}
		}
	}
	cnfa_set_copy(&w->n, ret, at[1]);
	if (word->skip)
		cnfa_set_join(&w->n, ret, from);
}

bool cwords_may(struct cwords *w, size_t first, const uint64_t *start)
{
	uint64_t *at = cnfa_set_new(&w->n, &w->a), *next = cnfa_set_new(&w->n, &w->a), *t;
	size_t i;

	cnfa_set_copy(&w->n, at, start);
	for (i = first; i < w->words.n; i++) {
		may_word(w, &w->words.v[i], at, next);
		t = at;
		at = next;
		next = t;
	}
	return cnfa_set_has(at, w->n.accept);
}

/* --- every value ----------------------------------------------------------------------- */

/*
 * A place in the words (or in one word) and the set of states that a value leads to
 * there.
 */
struct macro {
	uint32_t at;
	uint64_t *set;
};

struct macros {
	VEC(struct macro) list;
	size_t done;
};

/* False when the budget is used up. */
static bool meet(struct cwords *w, struct macros *m, uint32_t at, const uint64_t *set)
{
	struct macro x = { .at = at };
	size_t i;

	for (i = 0; i < m->list.n; i++)
		if (m->list.v[i].at == at && cnfa_set_same(&w->n, m->list.v[i].set, set))
			return true;
	if (!w->left)
		return false;
	w->left--;
	x.set = cnfa_set_new(&w->n, &w->a);
	cnfa_set_copy(&w->n, x.set, set);
	VEC_PUSH(&w->a, &m->list, x);
	return true;
}

static bool must_piece(struct cwords *w, const struct cword_piece *p, const struct macro *from,
		       struct macros *in)
{
	uint64_t *got = cnfa_set_new(&w->n, &w->a);
	size_t k;

	switch (p->kind) {
	case CWORD_TEXT:
		step_text(w, p->text, from->set, got);
		return meet(w, in, p->to, got);
	case CWORD_END:
		cnfa_step(&w->n, from->set, 0, got);
		return meet(w, in, p->to, got);
	case CWORD_ANY:
		break;
	}
	for (k = 0; k < w->n.nbytes; k++) {
		cnfa_step(&w->n, from->set, w->n.byte[k], got);
		if (!meet(w, in, p->to, got))
			return false;
	}
	return true;
}

/* Reads word `i` from one set of states, and adds every set that follows to `between`. */
static bool must_word(struct cwords *w, uint32_t i, const uint64_t *from,
		      struct macros *between)
{
	const struct cword *word = &w->words.v[i];
	struct macros in = { .done = 0 };
	uint64_t *ret = cnfa_set_new(&w->n, &w->a);
	size_t k;

	if (!meet(w, &in, 0, from))
		return false;
	for (; in.done < in.list.n; in.done++) {
		struct macro m = in.list.v[in.done];

		if (m.at == 1) {
			cnfa_set_copy(&w->n, ret, m.set);
			if (word->skip)
				cnfa_set_join(&w->n, ret, from);
			if (!meet(w, between, i + 1, ret))
				return false;
			continue;
		}
		for (k = 0; k < word->pieces.n; k++)
			if (word->pieces.v[k].from == m.at &&
			    !must_piece(w, &word->pieces.v[k], &m, &in))
				return false;
	}
	return true;
}

bool cwords_must(struct cwords *w, size_t first, const uint64_t *start)
{
	struct macros between = { .done = 0 };

	w->left = MUST_BUDGET;
	if (!meet(w, &between, (uint32_t)first, start))
		return w->side == EVAL_BROAD;
	for (; between.done < between.list.n; between.done++) {
		struct macro m = between.list.v[between.done];

		if (m.at == w->words.n) {
			if (!cnfa_set_has(m.set, w->n.accept))
				return false;
			continue;
		}
		if (!must_word(w, m.at, m.set, &between))
			return w->side == EVAL_BROAD;
	}
	return true;
}
