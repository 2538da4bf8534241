/*
 * Regular expressions over commands, as languages of word lists.
 *
 * An expression is searched in the words joined by blanks (semantics 4.3).  A word list
 * is written as in lang.h: the program, its two places, the further words, each ended by
 * NUL.  So we take the automaton over the joined text and let a NUL between two words
 * stand for the blank.  The places are read past, and the last NUL for nothing.
 *
 * For an allow, a blank inside of a word and an empty word are read as a byte that is no
 * blank (NO_BLANK), so that they are not taken for gaps.
 */
#include <stdlib.h>

#include "compiler/sets/lang.h"
#include "compiler/sets/regex.h"

#define NO_BLANK 0x1f
/* A larger automaton would cost more than an answer is worth. */
#define MAX_POSITIONS 4096u

/* The parts of an automaton over word lists.  Each has a position for every position of
 * the automaton over the joined text, at the offset `part * n`. */
enum part {
	P_NAME,  /* a byte of the program */
	P_WORD,  /* a byte of a further word */
	P_GAP,   /* a NUL that stands for the blank between two further words */
	P_FIRST, /* the program's NUL and its two places: five positions each */
	P_COUNT = P_FIRST + 5
};

/* The five positions of P_FIRST. */
enum { F_NAME_END, F_PLACE_1, F_END_1, F_PLACE_2, F_END_2 };

struct list {
	uint32_t *v;
	size_t n, cap;
};

struct words {
	struct arena *a;
	const struct set_graph *g;
	bool narrow;
	struct set_graph_pos *pos;
};

/* After all parts: five positions for a program without further words, and the last NUL. */
static uint32_t only_name(const struct words *w)
{
	return P_COUNT * w->g->n;
}

static uint32_t last_nul(const struct words *w)
{
	return only_name(w) + 5;
}

static uint32_t place_of(const struct words *w, enum part part, uint32_t p)
{
	if (part == P_FIRST)
		return P_FIRST * w->g->n + 5 * p;
	return (uint32_t)part * w->g->n + p;
}

/* A state of the automaton over the joined text: a position, or the start. */
struct state {
	const uint32_t *follow;
	uint32_t n;
	bool last;
};

static struct state after(const struct words *w, uint32_t p)
{
	const struct set_graph_pos *x = &w->g->pos[p];

	return (struct state){ x->follow, x->nfollow, x->last };
}

static struct state start(const struct words *w)
{
	return (struct state){ w->g->first, w->g->nfirst, w->g->nullable };
}

/* Adds what may follow where a word (the program: `name`) ends in the state. */
static void add_ends(const struct words *w, struct state s, bool name, struct list *to)
{
	uint32_t i;

	for (i = 0; i < s.n; i++)
		if (set_bytes_has(&w->g->pos[s.follow[i]].bytes, ' '))
			VEC_PUSH(w->a, to, place_of(w, name ? P_FIRST : P_GAP, s.follow[i]));
	if (s.last)
		VEC_PUSH(w->a, to, name ? only_name(w) : last_nul(w));
}

static void add_bytes(const struct words *w, struct state s, bool name, struct list *to)
{
	uint32_t i;

	for (i = 0; i < s.n; i++)
		VEC_PUSH(w->a, to, place_of(w, name ? P_NAME : P_WORD, s.follow[i]));
}

/* Adds what may follow inside of a word. */
static void add_inside(const struct words *w, struct state s, bool name, struct list *to)
{
	add_bytes(w, s, name, to);
	add_ends(w, s, name, to);
}

/* Adds what may follow where a word begins, which may be empty. */
static void add_begin(const struct words *w, struct state s, bool name, struct list *to)
{
	uint32_t i;

	add_bytes(w, s, name, to);
	if (!w->narrow)
		add_ends(w, s, name, to);
	for (i = 0; w->narrow && i < s.n; i++)
		if (set_bytes_has(&w->g->pos[s.follow[i]].bytes, NO_BLANK))
			add_ends(w, after(w, s.follow[i]), name, to);
}

static int by_number(const void *x, const void *y)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

	return a < b ? -1 : a > b;
}

/* Sorts the list and removes what is in it twice. */
static void tidy(struct list *l)
{
	size_t i, o = 0;

	if (!l->n)
		return;
	qsort(l->v, l->n, sizeof(*l->v), by_number);
	for (i = 0; i < l->n; i++)
		if (!i || l->v[i] != l->v[i - 1])
			l->v[o++] = l->v[i];
	l->n = o;
}

static void follow(struct words *w, uint32_t p, struct list l)
{
	tidy(&l);
	w->pos[p].follow = l.v;
	w->pos[p].nfollow = (uint32_t)l.n;
}

static struct set_bytes nul(void)
{
	return (struct set_bytes){ { 1, 0, 0, 0 } };
}

/* The bytes of a word that the automaton reads as one of `b`. */
static struct set_bytes in_word(const struct words *w, struct set_bytes b, bool no_slash)
{
	bool other = set_bytes_has(&b, NO_BLANK);
	unsigned c;

	set_bytes_drop(&b, 0);
	if (no_slash)
		set_bytes_drop(&b, '/');
	for (c = 0; w->narrow && c < 256; c++) {
		if (c != ' ' && (c < '\t' || c > '\r'))
			continue;
		if (other)
			set_bytes_add(&b, c, c);
		else
			set_bytes_drop(&b, (uint8_t)c);
	}
	return b;
}

/* The program's NUL, its places and their NULs, from position `at` on. */
static void add_places(struct words *w, uint32_t at, struct list end, bool last)
{
	struct set_bytes any = set_bytes_not(nul());
	uint32_t i, k;

	for (i = F_NAME_END; i <= F_END_2; i++) {
		bool place = i == F_PLACE_1 || i == F_PLACE_2;
		struct list l = { NULL, 0, 0 };

		w->pos[at + i].bytes = place ? any : nul();
		if (i == F_END_2) {
			w->pos[at + i].last = last;
			follow(w, at + i, end);
			break;
		}
		/* the place, which may go on, or its end */
		for (k = place ? i : i + 1; k <= (place ? i + 1 : i + 2); k++)
			VEC_PUSH(w->a, &l, at + k);
		follow(w, at + i, l);
	}
}

static void add_position(struct words *w, uint32_t p, bool no_slash)
{
	struct list name = { NULL, 0, 0 }, word = { NULL, 0, 0 }, begin = { NULL, 0, 0 };
	struct set_bytes b = w->g->pos[p].bytes;
	uint32_t at = place_of(w, P_NAME, p);

	add_inside(w, after(w, p), true, &name);
	w->pos[at].bytes = in_word(w, b, no_slash);
	follow(w, at, name);

	at = place_of(w, P_WORD, p);
	add_inside(w, after(w, p), false, &word);
	w->pos[at].bytes = in_word(w, b, false);
	follow(w, at, word);

	at = place_of(w, P_GAP, p);
	add_begin(w, after(w, p), false, &begin);
	w->pos[at].bytes = nul();
	follow(w, at, begin);
	add_places(w, place_of(w, P_FIRST, p), begin, false);
}

/*
 * The word lists whose joined words are in `g`.  `no_slash`: only programs without a
 * '/'; `named`: only programs that are not empty.
 */
static struct set_re *lists(struct arena *a, const struct set_graph *g, bool narrow,
			    bool no_slash, bool named)
{
	struct arena tmp;
	struct words w = { .a = &tmp, .g = g, .narrow = narrow };
	struct list none = { NULL, 0, 0 }, first = none;
	struct set_graph all = { .n = P_COUNT * g->n + 6 };
	struct set_re *re;
	uint32_t p;

	arena_init(&tmp, ARENA_DEFAULT_BUDGET);
	w.pos = arena_array(&tmp, all.n, sizeof(*w.pos));
	for (p = 0; p < g->n; p++)
		add_position(&w, p, no_slash);
	add_places(&w, only_name(&w), none, true);
	w.pos[last_nul(&w)] = (struct set_graph_pos){ .bytes = nul(), .last = true };
	if (named)
		add_bytes(&w, start(&w), true, &first);
	else
		add_begin(&w, start(&w), true, &first);
	tidy(&first);
	all.pos = w.pos;
	all.first = first.v;
	all.nfirst = (uint32_t)first.n;
	re = set_from_graph(a, &all);
	arena_release(&tmp);
	return re;
}

static struct set_re *any_dir(struct arena *a)
{
	return set_cat(a, set_star(a, set_class(a, set_bytes_not(nul()))), set_byte(a, '/'));
}

struct set_re *set_from_search(struct arena *a, const struct ir_command *c,
			       enum set_side side)
{
	bool narrow = side == SET_NARROW;
	unsigned flags = (c->regex_i ? (unsigned)SET_REGEX_I : 0) |
			 (c->regex_x ? (unsigned)SET_REGEX_X : 0) |
			 (narrow ? (unsigned)SET_REGEX_DOLLAR_END : 0);
	static const struct set_graph empty_word = { .nullable = true };
	const struct set_graph *g = &empty_word;
	struct set_re *re, *base;
	const char *why;
	size_t at;

	if (c->opaque ||
	    set_from_regex(a, c->text, flags, &re, &at, &why) != SET_REGEX_OK)
		return NULL;
	if (re->op == SET_EMPTY)
		return re;
	if (re->op == SET_GRAPH)
		g = re->graph;
	else if (re->op != SET_EPS)
		return NULL;
	if (g->n > MAX_POSITIONS)
		return NULL;
	base = lists(a, g, narrow, true, narrow);
	if (narrow)
		return set_or(a, set_cat(a, set_trusted_dirs(a), base),
			      lists(a, g, true, true, false));
	return set_or(a, set_cat(a, any_dir(a), base), lists(a, g, false, false, false));
}
