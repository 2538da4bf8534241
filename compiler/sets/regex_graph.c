/*
 * Turns the tree of a regular expression into the set of texts in which it is found.
 *
 * The tree becomes a small automaton with empty moves (Thompson).  A loop before it
 * reads what precedes a match, and a loop after it reads what follows.  Conditions such
 * as \b depend on one byte on each side.  To remove them, every position remembers the
 * kind of its byte (of a word, a newline, the newline that ends the text, another).
 * Between two kinds each condition is either true or false.  So a position is followed
 * by what empty moves can reach through the conditions that are true there.
 */
#include "compiler/sets/regex_graph.h"

#include "compiler/sets/regex_class.h"
#include "compiler/sets/regex_limits.h"

/* Limit for the steps over empty moves, for all positions together. */
#define MAX_WORK 20000000u

enum op { S_BYTES, S_SPLIT, S_ASSERT, S_NEXT };

struct state {
	enum op op;
	enum rx_assert assertion;
	const struct set_bytes *bytes;
	uint32_t out, other; /* only SPLIT uses both */
};

/*
 * The kind of a byte in the text.  Whether a newline is the last byte of the text is
 * guessed in advance: a wrong guess that it is leads nowhere, because nothing may
 * follow.  If the last newline is taken for another one, no condition becomes true by
 * that, so it does no harm.
 */
struct kind {
	struct set_bytes bytes;
	bool is_word, is_newline;
	bool is_last; /* nothing may follow */
};

#define MAX_KINDS 4

struct row {
	VEC(uint32_t) v; /* positions */
	bool done, last;
};

struct builder {
	struct arena *a; /* memory for this construction only */
	VEC(struct state) states;
	bool large;
	unsigned seen; /* which conditions occur */
	struct kind kinds[MAX_KINDS];
	uint32_t nkinds;
	uint32_t tail; /* the state that loops over what follows a match */
	uint32_t *stamp, now;
	uint32_t *stack;
	uint32_t *number;  /* position of (state, kind), + 1 */
	VEC(uint64_t) pos; /* the state and kind of each position */
	struct row *rows;  /* what follows (state, kind of the byte before) */
	size_t work, edges;
};

static const struct set_bytes any_byte = { { UINT64_MAX, UINT64_MAX, UINT64_MAX,
					     UINT64_MAX } };

/* --- from the tree to states ----------------------------------------------- */

static uint32_t add(struct builder *b, struct state s)
{
	if (b->states.n >= SET_REGEX_MAX_STATES) {
		b->large = true;
		return 0;
	}
	VEC_PUSH(b->a, &b->states, s);
	return (uint32_t)b->states.n - 1;
}

static uint32_t add_bytes(struct builder *b, const struct set_bytes *bytes,
			  uint32_t next)
{
	return add(b, (struct state){ .op = S_BYTES, .bytes = bytes, .out = next });
}

static uint32_t add_split(struct builder *b, uint32_t x, uint32_t y)
{
	return add(b, (struct state){ .op = S_SPLIT, .out = x, .other = y });
}

static uint32_t put(struct builder *b, const struct rx *x, uint32_t next);

static uint32_t put_repeat(struct builder *b, const struct rx *x, uint32_t next)
{
	const struct rx *kid = x->kids[0];
	uint32_t i, end = next;

	if (x->max == RX_UNLIMITED) {
		uint32_t loop = add_split(b, 0, next), body = put(b, kid, loop);

		if (b->large)
			return 0;
		b->states.v[loop].out = body;
		end = loop;
	} else {
		for (i = x->min; i < x->max && !b->large; i++)
			end = add_split(b, put(b, kid, end), next);
	}
	for (i = 0; i < x->min && !b->large; i++)
		end = put(b, kid, end);
	return end;
}

/*
 * Adds states that read a member of `x` and lead to `next`; returns the first of them.
 * Recursion depth: SET_REGEX_MAX_NEST.
 */
static uint32_t put(struct builder *b, const struct rx *x, uint32_t next)
{
	uint32_t end;
	size_t i;

	switch (x->op) {
	case RX_EMPTY: /* needs a state too, so that repetitions of nothing count
	                  towards the limit */
		return add(b, (struct state){ .op = S_NEXT, .out = next });
	case RX_BYTES:
		return add_bytes(b, &x->bytes, next);
	case RX_CAT:
		for (i = x->nkids; i-- > 0 && !b->large;)
			next = put(b, x->kids[i], next);
		return next;
	case RX_OR:
		end = put(b, x->kids[x->nkids - 1], next);
		for (i = x->nkids - 1; i-- > 0 && !b->large;)
			end = add_split(b, put(b, x->kids[i], next), end);
		return end;
	case RX_REPEAT:
		if (x->max == 0)
			return add(b, (struct state){ .op = S_NEXT, .out = next });
		return put_repeat(b, x, next);
	case RX_ASSERT:
		b->seen |= 1u << x->assertion;
		return add(b, (struct state){ .op = S_ASSERT,
					      .assertion = x->assertion,
					      .out = next });
	}
	return 0;
}

/* --- kinds of bytes -------------------------------------------------------- */

static void find_kinds(struct builder *b)
{
	const unsigned word = 1u << RX_WORD_EDGE | 1u << RX_NO_EDGE;
	const unsigned last = 1u << RX_LAST_LINE;
	const unsigned line =
		1u << RX_LINE_START | 1u << RX_LINE_END | 1u << RX_NOT_LF | last;
	struct kind other = { .bytes = any_byte }, words = { .is_word = true },
		    newline = { .is_newline = true };
	size_t i;

	if (b->seen & word) {
		(void)rx_named_set('w', &words.bytes);
		b->kinds[b->nkinds++] = words;
		for (i = 0; i < 4; i++)
			other.bytes.w[i] &= ~words.bytes.w[i];
	}
	if (b->seen & line) {
		set_bytes_add(&newline.bytes, '\n', '\n');
		set_bytes_drop(&other.bytes, '\n');
		b->kinds[b->nkinds++] = newline;
	}
	if (b->seen & last) {
		newline.is_last = true;
		b->kinds[b->nkinds++] = newline;
	}
	b->kinds[b->nkinds++] = other;
}

/* Does the condition hold between these two kinds of bytes?  NULL: an end of the text. */
static bool holds(enum rx_assert a, const struct kind *before, const struct kind *after)
{
	bool edge = (before && before->is_word) != (after && after->is_word);

	switch (a) {
	case RX_TEXT_START:
		return !before;
	case RX_LINE_START:
		return !before || (before->is_newline && after);
	case RX_TEXT_END:
		return !after;
	case RX_LAST_LINE:
		return !after || after->is_last;
	case RX_LINE_END:
		return !after || after->is_newline;
	case RX_WORD_EDGE:
		return edge;
	case RX_NO_EDGE:
		return !edge;
	case RX_NOT_LF:
		return !after || !after->is_newline;
	case RX_NASSERTS:
		break;
	}
	return false;
}

/* --- what follows ---------------------------------------------------------- */

static uint32_t position(struct builder *b, uint32_t state, uint32_t kind)
{
	uint32_t *n = &b->number[state * b->nkinds + kind];

	if (!*n) {
		VEC_PUSH(b->a, &b->pos, (uint64_t)state << 32 | kind);
		*n = (uint32_t)b->pos.n;
	}
	return *n - 1;
}

static bool overlap(const struct set_bytes *x, const struct set_bytes *y)
{
	return (x->w[0] & y->w[0]) | (x->w[1] & y->w[1]) | (x->w[2] & y->w[2]) |
	       (x->w[3] & y->w[3]);
}

static void visit(struct builder *b, uint32_t state, uint32_t *depth)
{
	if (b->stamp[state] == b->now)
		return;
	b->stamp[state] = b->now;
	b->stack[(*depth)++] = state;
	b->work++;
}

/*
 * Collects the states that read a byte of kind `after` (nkinds: the text ends) and that
 * empty moves reach from `state`.  True if a match is complete: then only the tail
 * counts, because it accepts everything.
 */
static bool reach(struct builder *b, uint32_t state, const struct kind *before,
		  uint32_t after, struct row *row)
{
	const struct kind *next = after < b->nkinds ? &b->kinds[after] : NULL;
	uint32_t depth = 0;
	size_t from = row->v.n;

	b->now++;
	visit(b, state, &depth);
	while (depth) {
		uint32_t i = b->stack[--depth];
		const struct state *s = &b->states.v[i];

		if (i == b->tail) {
			row->v.n = from;
			return true;
		}
		if (s->op == S_BYTES) {
			if (next && overlap(s->bytes, &next->bytes))
				VEC_PUSH(b->a, &row->v, position(b, i, after));
			continue;
		}
		if (s->op != S_ASSERT || holds(s->assertion, before, next))
			visit(b, s->out, &depth);
		if (s->op == S_SPLIT)
			visit(b, s->other, &depth);
	}
	return false;
}

/* What follows `state` after a byte of kind `before` (nkinds: the text begins). */
static struct row *row_of(struct builder *b, uint32_t state, uint32_t before)
{
	struct row *row = &b->rows[state * (b->nkinds + 1) + before];
	const struct kind *k = before < b->nkinds ? &b->kinds[before] : NULL;
	uint32_t after;

	if (row->done)
		return row;
	row->done = true;
	for (after = 0; after < b->nkinds && !(k && k->is_last); after++)
		if (reach(b, state, k, after, row))
			VEC_PUSH(b->a, &row->v, position(b, b->tail, after));
	row->last = reach(b, state, k, b->nkinds, row);
	return row;
}

/* --- the automaton --------------------------------------------------------- */

static bool fill(struct builder *b, uint32_t start, struct set_graph *g)
{
	const struct row *first = row_of(b, start, b->nkinds);
	VEC(struct set_graph_pos) out = { NULL, 0, 0 };
	size_t i, w;

	g->first = first->v.v;
	g->nfirst = (uint32_t)first->v.n;
	g->nullable = first->last;
	for (i = 0; i < b->pos.n; i++) {
		const struct state *s = &b->states.v[b->pos.v[i] >> 32];
		uint32_t kind = (uint32_t)b->pos.v[i];
		const struct row *row = row_of(b, s->out, kind);
		struct set_graph_pos p = { .bytes = *s->bytes,
					   .follow = row->v.v,
					   .nfollow = (uint32_t)row->v.n,
					   .last = row->last };

		b->edges += row->v.n;
		if (b->edges > SET_REGEX_MAX_EDGES || b->work > MAX_WORK)
			return false;
		for (w = 0; w < 4; w++)
			p.bytes.w[w] &= b->kinds[kind].bytes.w[w];
		VEC_PUSH(b->a, &out, p);
	}
	g->pos = out.v;
	g->n = (uint32_t)out.n;
	return true;
}

static bool build(struct builder *b, const struct rx *x, struct set_graph *g)
{
	uint32_t start, head;
	size_t n;

	/* state 0 is a dummy: `add` returns it past the limit */
	(void)add(b, (struct state){ .op = S_NEXT });
	b->tail = add_bytes(b, &any_byte, 0);
	b->states.v[b->tail].out = b->tail;
	start = put(b, x, b->tail);
	head = add_bytes(b, &any_byte, 0);
	start = add_split(b, start, head);
	if (b->large)
		return false;
	b->states.v[head].out = start;
	find_kinds(b);
	n = b->states.n;
	b->stamp = arena_array(b->a, n, sizeof(uint32_t));
	b->stack = arena_array(b->a, n, sizeof(uint32_t));
	b->number = arena_array(b->a, n * b->nkinds, sizeof(uint32_t));
	b->rows = arena_array(b->a, n * (b->nkinds + 1), sizeof(struct row));
	return fill(b, start, g);
}

struct set_re *rx_search(struct arena *a, const struct rx *x)
{
	struct arena tmp;
	struct builder b = { .a = &tmp };
	struct set_graph g = { .n = 0 };
	struct set_re *re = NULL;

	arena_init(&tmp, ARENA_DEFAULT_BUDGET);
	if (build(&b, x, &g))
		re = set_from_graph(a, &g);
	arena_release(&tmp);
	return re;
}
