/*
 * Reads the regular part of PCRE2's syntax into a tree, in the order in which PCRE2
 * 10.42 reads it (quoting, then white space and comments, then the item).  PCRE2 has
 * accepted the pattern before.  So what we do not understand is not an error but
 * opaque, and so is what is not regular.
 */
#include "compiler/sets/regex_parse.h"

#include "compiler/base/vec.h"
#include "compiler/sets/regex_class.h"
#include "compiler/sets/regex_group.h"
#include "compiler/sets/regex_limits.h"

struct list {
	struct rx **v;
	size_t n, cap;
};

static struct rx *opaque(struct rx_reader *r, size_t where, const char *why)
{
	(void)rx_opaque(r, where, why);
	return NULL;
}

static struct rx *new_rx(struct rx_reader *r, enum rx_op op)
{
	struct rx *x = ARENA_NEW(r->a, struct rx);

	x->op = op;
	return x;
}

static struct rx *bytes(struct rx_reader *r, struct set_bytes b)
{
	struct rx *x = new_rx(r, RX_BYTES);

	x->bytes = b;
	return x;
}

static struct rx *range(struct rx_reader *r, unsigned from, unsigned to)
{
	struct set_bytes b = { { 0, 0, 0, 0 } };

	set_bytes_add(&b, from, to);
	return bytes(r, b);
}

static struct rx *literal(struct rx_reader *r, uint8_t c)
{
	struct rx *x = range(r, c, c);

	if (r->options & RX_CASELESS)
		x->bytes = rx_folded(x->bytes);
	return x;
}

static struct rx *not_newline(struct rx_reader *r)
{
	struct rx *x = range(r, '\n', '\n');

	r->seen |= (unsigned)RX_SEEN_NOT_LF;
	x->bytes = set_bytes_not(x->bytes);
	return x;
}

static struct rx *assertion(struct rx_reader *r, enum rx_assert a)
{
	struct rx *x = new_rx(r, RX_ASSERT);

	x->assertion = a;
	return x;
}

/* CAT or OR of the list; a list of one gives its member. */
static struct rx *join(struct rx_reader *r, enum rx_op op, struct list *l)
{
	struct rx *x;

	if (l->n == 1)
		return l->v[0];
	x = new_rx(r, l->n ? op : RX_EMPTY);
	x->kids = l->v;
	x->nkids = l->n;
	return x;
}

/* --- quantifiers ----------------------------------------------------------- */

static uint32_t digits(const struct rx_reader *r, size_t *p)
{
	uint32_t v = 0;

	for (; rx_peek(r, *p) >= '0' && rx_peek(r, *p) <= '9'; (*p)++)
		if (v < 100000) /* PCRE2 refuses more than 65535 */
			v = v * 10 + (uint32_t)(rx_peek(r, *p) - '0');
	return v;
}

/* Is there "{n}", "{n,}" or "{n,m}"?  Returns its length, or 0. */
static size_t braces(const struct rx_reader *r, uint32_t *ret_min, uint32_t *ret_max)
{
	size_t p = 1;

	if (rx_peek(r, 0) != '{' || rx_peek(r, 1) < '0' || rx_peek(r, 1) > '9')
		return 0;
	*ret_min = *ret_max = digits(r, &p);
	if (rx_peek(r, p) == ',') {
		p++;
		*ret_max = RX_UNLIMITED;
		if (rx_peek(r, p) >= '0' && rx_peek(r, p) <= '9')
			*ret_max = digits(r, &p);
	}
	return rx_peek(r, p) == '}' ? p + 1 : 0;
}

/* Is there a quantifier here?  Returns its length, or 0. */
static size_t quantifier(const struct rx_reader *r, uint32_t *ret_min,
			 uint32_t *ret_max)
{
	int c = rx_peek(r, 0);

	if (r->quoted)
		return 0;
	*ret_min = c == '+';
	*ret_max = c == '?' ? 1 : RX_UNLIMITED;
	return c == '*' || c == '+' || c == '?' ? 1 : braces(r, ret_min, ret_max);
}

/* PCRE2 10.42 reads "{,3}" and "{ 1, 2 }" as literal text, 10.43 as quantifiers. */
static bool is_newer_quantifier(const struct rx_reader *r)
{
	size_t p = 1, n = 0, commas = 0;

	for (;; p++) {
		int c = rx_peek(r, p);

		if (c >= '0' && c <= '9')
			n++;
		else if (c == ',')
			commas++;
		else if (c != ' ' && c != '\t')
			return c == '}' && n && commas < 2;
	}
}

/* Adds the quantifier that follows the item, if there is one; NULL: opaque. */
static struct rx *quantified(struct rx_reader *r, struct rx *x)
{
	uint32_t min, max;
	size_t n;
	struct rx *q;

	rx_skip(r);
	n = quantifier(r, &min, &max);
	if (!n)
		return x;
	/*
	 * PCRE2 10.42 looks into such a group to decide whether the whole pattern is
	 * anchored: /(?:|\A){0}a/ finds nothing in "xa".
	 */
	if (max == 0 && x->op != RX_BYTES)
		return opaque(r, r->at, "a group that is repeated no times");
	r->seen |= (unsigned)RX_SEEN_REPEAT;
	q = new_rx(r, RX_REPEAT);
	q->kids = arena_dup(r->a, &x, sizeof(struct rx *));
	q->nkids = 1;
	q->min = min;
	q->max = max;
	r->at += n;
	rx_skip(r);
	if (r->quoted)
		return q;
	if (rx_peek(r, 0) == '+')
		return opaque(r, r->at, "a possessive quantifier");
	r->at += rx_peek(r, 0) == '?';
	return q;
}

/* --- escapes --------------------------------------------------------------- */

static const struct {
	char letter;
	enum rx_assert a;
} asserts[] = {
	{ 'A', RX_TEXT_START }, { 'z', RX_TEXT_END }, { 'Z', RX_LAST_LINE },
	{ 'b', RX_WORD_EDGE },  { 'B', RX_NO_EDGE },
};

static const struct {
	char letter;
	const char *why;
} opaque_escapes[] = {
	{ 'C', "\\C" },
	{ 'G', "\\G" },
	{ 'K', "\\K" },
	{ 'X', "\\X" },
	{ 'p', "a Unicode property" },
	{ 'P', "a Unicode property" },
	{ 'g', "a back-reference or a recursion" },
	{ 'k', "a back-reference" },
};

/*
 * Any newline.  PCRE2 reads \R as an atomic group: a carriage return matches alone only
 * if no line feed follows.
 */
static struct rx *any_newline(struct rx_reader *r)
{
	struct list both = { NULL, 0, 0 }, alone = { NULL, 0, 0 }, any = { NULL, 0, 0 };
	struct rx *single = range(r, '\n', '\f');

	r->seen |= (unsigned)RX_SEEN_ANY_NEWLINE;
	set_bytes_add(&single->bytes, 0x85, 0x85);
	VEC_PUSH(r->a, &both, range(r, '\r', '\r'));
	VEC_PUSH(r->a, &both, range(r, '\n', '\n'));
	VEC_PUSH(r->a, &alone, range(r, '\r', '\r'));
	VEC_PUSH(r->a, &alone, assertion(r, RX_NOT_LF));
	VEC_PUSH(r->a, &any, single);
	VEC_PUSH(r->a, &any, join(r, RX_CAT, &both));
	VEC_PUSH(r->a, &any, join(r, RX_CAT, &alone));
	return join(r, RX_OR, &any);
}

static struct rx *parse_escape(struct rx_reader *r)
{
	size_t start = r->at++, i;
	int c = rx_peek(r, 0);
	struct set_bytes b;
	uint8_t byte;

	if (rx_escaped_byte(r, &byte))
		return quantified(r, literal(r, byte));
	for (i = 0; i < POL_LEN(opaque_escapes); i++)
		if (c == opaque_escapes[i].letter)
			return opaque(r, start, opaque_escapes[i].why);
	if (c >= '1' && c <= '9')
		return opaque(r, start, "a back-reference");
	if (rx_read_set(r, &b))
		return quantified(r, bytes(r, b));
	r->at++;
	for (i = 0; i < POL_LEN(asserts); i++)
		if (c == asserts[i].letter)
			return assertion(r, asserts[i].a);
	if (c == 'R')
		return quantified(r, any_newline(r));
	if (c == 'N')
		return quantified(r, not_newline(r));
	return opaque(r, start, "this escape");
}

/* --- items ----------------------------------------------------------------- */

static struct rx *parse_dollar(struct rx_reader *r)
{
	if (r->options & RX_MULTILINE)
		return assertion(r, RX_LINE_END);
	return assertion(r, r->options & RX_DOLLAR_END ? RX_TEXT_END : RX_LAST_LINE);
}

static struct rx *parse_plain(struct rx_reader *r, uint8_t c)
{
	r->at++;
	switch (c) {
	case '^':
		return assertion(r, r->options & RX_MULTILINE ? RX_LINE_START
							      : RX_TEXT_START);
	case '$':
		return parse_dollar(r);
	case '.':
		return quantified(r, r->options & RX_DOTALL ? range(r, 0, 255)
							       : not_newline(r));
	default:
		return quantified(r, literal(r, c));
	}
}

static struct rx *alternatives(struct rx_reader *r, unsigned depth);

/*
 * Reads a parenthesis at '('.  NULL: it is opaque, or (*ret_none) it only changes
 * options and is not an item.
 */
static struct rx *parse_parenthesis(struct rx_reader *r, unsigned depth, bool *ret_none)
{
	size_t start = r->at;
	unsigned outer = r->options;
	bool is_group;
	struct rx *x;

	if (depth >= SET_REGEX_MAX_NEST)
		return opaque(r, start, "parentheses too deeply nested");
	if (!rx_group_head(r, &is_group))
		return NULL;
	*ret_none = !is_group;
	if (!is_group)
		return NULL;
	x = alternatives(r, depth + 1);
	if (!x)
		return NULL;
	if (rx_peek(r, 0) != ')')
		return opaque(r, start, "this group");
	r->at++;
	r->options = outer;
	return quantified(r, x);
}

/* Reads an item.  NULL: it is opaque, or (*ret_none) there is none. */
static struct rx *parse_item(struct rx_reader *r, unsigned depth, bool *ret_none)
{
	uint8_t c = (uint8_t)rx_peek(r, 0);
	struct set_bytes set;
	uint32_t min, max;

	if (r->quoted) {
		r->at++;
		return quantified(r, literal(r, c));
	}
	if (c == '\\')
		return parse_escape(r);
	if (c == '[')
		return rx_class(r, &set) ? quantified(r, bytes(r, set)) : NULL;
	if (c == '(')
		return parse_parenthesis(r, depth, ret_none);
	if (quantifier(r, &min, &max))
		return opaque(r, r->at, "this quantifier");
	if (c == '{' && is_newer_quantifier(r))
		return opaque(r, r->at,
				 "a '{' that releases of PCRE2 read differently");
	if (c == 0x85 && (r->options & RX_EXTENDED))
		return opaque(
			r, r->at,
			"a byte 0x85 that is white space to some builds of PCRE2");
	return parse_plain(r, c);
}

/* Reads alternatives up to the end or a ')', which is left to the caller. */
static struct rx *alternatives(struct rx_reader *r, unsigned depth)
{
	struct list branches = { NULL, 0, 0 }, items = { NULL, 0, 0 };

	for (;;) {
		bool none = false;
		struct rx *x;

		rx_skip(r);
		if (rx_peek(r, 0) < 0 || (!r->quoted && rx_peek(r, 0) == ')'))
			break;
		if (!r->quoted && rx_peek(r, 0) == '|') {
			r->at++;
			VEC_PUSH(r->a, &branches, join(r, RX_CAT, &items));
			items = (struct list){ NULL, 0, 0 };
			continue;
		}
		x = parse_item(r, depth, &none);
		if (x)
			VEC_PUSH(r->a, &items, x);
		else if (!none)
			return NULL;
	}
	VEC_PUSH(r->a, &branches, join(r, RX_CAT, &items));
	return join(r, RX_OR, &branches);
}

/*
 * Without UTF, PCRE2 10.42 assumes that \S has no byte in common with \h and \v, and \R
 * none with . \N \s \S.  So it makes a repetition of one before the other possessive:
 * /\S?\R/ finds nothing in "\x85", /.+\R/ nothing in "a\r".
 */
static bool is_misread(unsigned seen)
{
	const unsigned beside_newline =
		RX_SEEN_NOT_LF | RX_SEEN_SPACE | RX_SEEN_NOT_SPACE;

	return (seen & RX_SEEN_REPEAT) &&
	       (((seen & RX_SEEN_ANY_NEWLINE) && (seen & beside_newline)) ||
		((seen & RX_SEEN_NOT_SPACE) && (seen & RX_SEEN_BLANK)));
}

struct rx *rx_parse(struct rx_reader *r)
{
	struct rx *x = alternatives(r, 0);

	if (x && r->at < r->text.n)
		return opaque(r, r->at, "this parenthesis");
	if (x && is_misread(r->seen))
		return opaque(
			r, 0,
			"\\R, \\h or \\v beside a repetition, which PCRE2 misreads");
	return r->why ? NULL : x;
}
