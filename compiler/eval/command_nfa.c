/*
 * Decides which states of a command pattern can be reached by reading some bytes.  The
 * nondeterministic automaton is built edge by edge from the pattern; sets of states are
 * computed only where a walk reaches them.
 */
#include "compiler/eval/command_nfa.h"

#define BITS 64u

void cnfa_init(struct cnfa *n, struct arena *a)
{
	memset(n, 0, sizeof(*n));
	n->a = a;
	n->start = cnfa_state(n);
	n->accept = cnfa_state(n);
}

uint32_t cnfa_state(struct cnfa *n)
{
	VEC_PUSH(n->a, &n->states, CNFA_NO_EDGE);
	return (uint32_t)(n->states.n - 1);
}

void cnfa_edge(struct cnfa *n, uint32_t from, enum cnfa_edge_kind kind, uint8_t byte,
	       uint32_t to)
{
	struct cnfa_edge e = { kind, byte, to, n->states.v[from] };

	VEC_PUSH(n->a, &n->edges, e);
	n->states.v[from] = (uint32_t)(n->edges.n - 1);
}

static bool is_plain(uint8_t c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || (c && strchr("._:/@+-", c));
}

/* --- patterns ------------------------------------------------------------------ */

/* What turns a glob into edges; `base`: no byte of it may be a '/'. */
struct layout {
	struct cnfa *n;
	enum cnfa_edge_kind one;
	bool base;
	VEC(uint32_t) behind_slash;
};

static uint32_t lay_glob(struct layout *l, const struct ir_glob *g, uint32_t from);

/* Adds one byte.  In a program's pattern, the base name may begin after a '/'. */
static uint32_t lay_byte(struct layout *l, uint8_t byte, uint32_t from)
{
	uint32_t to = cnfa_state(l->n);

	if (!l->base || byte != '/')
		cnfa_edge(l->n, from, CNFA_BYTE, byte, to);
	else
		VEC_PUSH(l->n->a, &l->behind_slash, to);
	return to;
}

static uint32_t lay_loop(struct layout *l, enum cnfa_edge_kind kind, uint32_t from)
{
	uint32_t to = cnfa_state(l->n);

	cnfa_edge(l->n, from, CNFA_NOTHING, 0, to);
	cnfa_edge(l->n, to, kind, 0, to);
	return to;
}

/* Zero or more "name/". */
static uint32_t lay_dirs(struct layout *l, uint32_t from)
{
	uint32_t at = cnfa_state(l->n), name = cnfa_state(l->n);

	cnfa_edge(l->n, from, CNFA_NOTHING, 0, at);
	if (l->base)
		return at;
	cnfa_edge(l->n, at, CNFA_NO_SLASH, 0, name);
	cnfa_edge(l->n, name, CNFA_NO_SLASH, 0, name);
	cnfa_edge(l->n, name, CNFA_BYTE, '/', at);
	return at;
}

static uint32_t lay_alt(struct layout *l, const struct ir_glob_item *it, uint32_t from)
{
	uint32_t to = cnfa_state(l->n);
	size_t i;

	for (i = 0; i < it->nalts; i++)
		cnfa_edge(l->n, lay_glob(l, &it->alts[i], from), CNFA_NOTHING, 0, to);
	return to;
}

static uint32_t lay_glob(struct layout *l, const struct ir_glob *g, uint32_t from)
{
	size_t i;

	for (i = 0; i < g->n; i++) {
		const struct ir_glob_item *it = &g->v[i];
		uint32_t to;

		switch (it->op) {
		case IR_G_BYTE:
			from = lay_byte(l, it->byte, from);
			break;
		case IR_G_ONE:
			to = cnfa_state(l->n);
			cnfa_edge(l->n, from, l->one, 0, to);
			from = to;
			break;
		case IR_G_STAR:
			from = lay_loop(l, l->one, from);
			break;
		case IR_G_DEEP:
			from = lay_loop(l, l->base ? CNFA_NO_SLASH : CNFA_ANY, from);
			break;
		case IR_G_DIRS:
			from = lay_dirs(l, from);
			break;
		case IR_G_ALT:
			from = lay_alt(l, it, from);
			break;
		}
	}
	return from;
}

static enum cnfa_edge_kind one_of(enum eval_bytes bytes)
{
	return bytes == EVAL_B_PLAIN ? CNFA_PLAIN :
	       bytes == EVAL_B_PATH  ? CNFA_NO_SLASH :
				     CNFA_ANY;
}

uint32_t cnfa_glob(struct cnfa *n, const struct ir_glob *g, enum eval_bytes bytes,
		   uint32_t from)
{
	struct layout l = { .n = n, .one = one_of(bytes) };

	return lay_glob(&l, g, from);
}

uint32_t cnfa_base_name(struct cnfa *n, const struct ir_glob *g, uint32_t from)
{
	struct layout l = { .n = n, .one = CNFA_NO_SLASH, .base = true };
	uint32_t dirs = cnfa_state(n), name = cnfa_state(n), to;
	size_t i;

	cnfa_edge(n, from, CNFA_NOTHING, 0, name);
	cnfa_edge(n, from, CNFA_NOTHING, 0, dirs);
	cnfa_edge(n, dirs, CNFA_ANY, 0, dirs);
	cnfa_edge(n, dirs, CNFA_BYTE, '/', name);
	to = lay_glob(&l, g, name);
	for (i = 0; i < l.behind_slash.n; i++)
		cnfa_edge(n, name, CNFA_NOTHING, 0, l.behind_slash.v[i]);
	return to;
}

void cnfa_any_word(struct cnfa *n, uint32_t from, uint32_t to)
{
	uint32_t in = cnfa_state(n);

	cnfa_edge(n, from, CNFA_NOTHING, 0, in);
	cnfa_edge(n, in, CNFA_ANY, 0, in);
	cnfa_edge(n, in, CNFA_BYTE, 0, to);
}

void cnfa_any_words(struct cnfa *n, uint32_t at)
{
	cnfa_any_word(n, at, at);
}

/*
 * Bytes that no edge names differ only in being plain or not.  One byte of each kind
 * stands for all of them.
 */
void cnfa_done(struct cnfa *n)
{
	bool named[256] = { [0] = true, ['/'] = true }, plain = false, other = false;
	size_t i;

	n->nset = (n->states.n + BITS - 1) / BITS;
	n->todo = arena_array(n->a, n->states.n, sizeof(*n->todo));
	for (i = 0; i < n->edges.n; i++)
		if (n->edges.v[i].kind == CNFA_BYTE)
			named[n->edges.v[i].byte] = true;
	n->nbytes = 0;
	for (i = 1; i < 256; i++) {
		bool *seen = is_plain((uint8_t)i) ? &plain : &other;

		if (!named[i] && *seen)
			continue;
		if (!named[i])
			*seen = true;
		n->byte[n->nbytes++] = (uint8_t)i;
	}
}

/* --- sets of states ---------------------------------------------------------- */

uint64_t *cnfa_set_new(const struct cnfa *n, struct arena *a)
{
	return arena_array(a, n->nset + 1, sizeof(uint64_t));
}

bool cnfa_set_has(const uint64_t *s, uint32_t state)
{
	return s[state / BITS] >> (state % BITS) & 1;
}

/*
 * Adds the state and all states that edges without a byte lead to; n->todo is the work
 * list.
 */
void cnfa_set_add(const struct cnfa *n, uint64_t *s, uint32_t state)
{
	uint32_t *todo = n->todo;
	size_t ntodo = 0;

	if (cnfa_set_has(s, state))
		return;
	s[state / BITS] |= (uint64_t)1 << (state % BITS);
	todo[ntodo++] = state;
	while (ntodo) {
		uint32_t e = n->states.v[todo[--ntodo]];

		for (; e != CNFA_NO_EDGE; e = n->edges.v[e].next) {
			uint32_t to = n->edges.v[e].to;

			if (n->edges.v[e].kind != CNFA_NOTHING || cnfa_set_has(s, to))
				continue;
			s[to / BITS] |= (uint64_t)1 << (to % BITS);
			todo[ntodo++] = to;
		}
	}
}

bool cnfa_set_join(const struct cnfa *n, uint64_t *into, const uint64_t *from)
{
	bool more = false;
	size_t i;

	for (i = 0; i < n->nset; i++) {
		more |= (from[i] & ~into[i]) != 0;
		into[i] |= from[i];
	}
	return more;
}

bool cnfa_set_same(const struct cnfa *n, const uint64_t *x, const uint64_t *y)
{
	return memcmp(x, y, n->nset * sizeof(*x)) == 0;
}

bool cnfa_set_is_empty(const struct cnfa *n, const uint64_t *s)
{
	size_t i;

	for (i = 0; i < n->nset; i++)
		if (s[i])
			return false;
	return true;
}

void cnfa_set_copy(const struct cnfa *n, uint64_t *to, const uint64_t *from)
{
	memcpy(to, from, n->nset * sizeof(*to));
}

static bool reads(const struct cnfa_edge *e, uint8_t byte)
{
	switch (e->kind) {
	case CNFA_NOTHING:
		return false;
	case CNFA_BYTE:
		return e->byte == byte;
	case CNFA_ANY:
		return byte != 0;
	case CNFA_PLAIN:
		return is_plain(byte);
	case CNFA_NO_SLASH:
		return byte != 0 && byte != '/';
	}
	return false;
}

void cnfa_step(const struct cnfa *n, const uint64_t *s, uint8_t byte, uint64_t *ret)
{
	size_t i;
	uint32_t e;

	memset(ret, 0, n->nset * sizeof(*ret));
	for (i = 0; i < n->states.n; i++) {
		if (!s[i / BITS]) {
			i |= BITS - 1;
			continue;
		}
		if (!cnfa_set_has(s, (uint32_t)i))
			continue;
		for (e = n->states.v[i]; e != CNFA_NO_EDGE; e = n->edges.v[e].next)
			if (reads(&n->edges.v[e], byte))
				cnfa_set_add(n, ret, n->edges.v[e].to);
	}
}
