/*
 * Reads which bytes a regular expression names: escapes for one byte, named sets,
 * bracketed classes, case.  The sets are those of PCRE2's built-in tables (the C
 * locale), where no byte from 0x80 on is a letter; man 3 pcre2pattern.
 */
#include "compiler/sets/regex_class.h"

#include <string.h>

#include "compiler/base/num.h"
#include "compiler/base/vec.h"

static bool is_in(uint8_t c, const char *ranges)
{
	for (; *ranges; ranges += 2)
		if (c >= (uint8_t)ranges[0] && c <= (uint8_t)ranges[1])
			return true;
	return false;
}

struct set_bytes rx_folded(struct set_bytes b)
{
	struct set_bytes f = b;
	unsigned c;

	for (c = 'a'; c <= 'z'; c++) {
		if (set_bytes_has(&b, c))
			set_bytes_add(&f, c - 32, c - 32);
		if (set_bytes_has(&b, c - 32))
			set_bytes_add(&f, c, c);
	}
	return f;
}

/* --- named sets ------------------------------------------------------------ */

struct named {
	const char *name;
	const char *ranges; /* pairs of first and last byte; "\1" also stands for NUL */
};

static const struct named escapes[] = {
	{ "d", "09" },           { "s", "\t\r  " },
	{ "w", "09AZaz__" },     { "h", "\t\t  \xa0\xa0" },
	{ "v", "\n\r\x85\x85" },
};

static const struct named posix[] = {
	{ "alpha", "AZaz" },
	{ "lower", "az" },
	{ "upper", "AZ" },
	{ "alnum", "09AZaz" },
	{ "ascii", "\1\x7f" },
	{ "blank", "\t\t  " },
	{ "cntrl", "\1\x1f\x7f\x7f" },
	{ "digit", "09" },
	{ "graph", "!~" },
	{ "print", " ~" },
	{ "punct", "!/:@[`{~" },
	{ "space", "\t\r  " },
	{ "word", "09AZaz__" },
	{ "xdigit", "09AFaf" },
};

static struct set_bytes set_of(const struct named *n)
{
	struct set_bytes b = { { 0, 0, 0, 0 } };
	const char *p;

	for (p = n->ranges; *p; p += 2)
		set_bytes_add(&b, p[0] == 1 ? 0 : (uint8_t)p[0], (uint8_t)p[1]);
	return b;
}

bool rx_named_set(char name, struct set_bytes *ret)
{
	bool inverse = name >= 'A' && name <= 'Z';
	char low = inverse ? (char)(name + 32) : name;
	size_t i;

	for (i = 0; i < POL_LEN(escapes); i++) {
		if (escapes[i].name[0] != low)
			continue;
		*ret = set_of(&escapes[i]);
		if (inverse)
			*ret = set_bytes_not(*ret);
		return true;
	}
	return false;
}

bool rx_read_set(struct rx_reader *r, struct set_bytes *ret)
{
	int c = rx_peek(r, 0);

	if (c < 0 || !rx_named_set((char)c, ret))
		return false;
	if (c == 's')
		r->seen |= (unsigned)RX_SEEN_SPACE;
	else if (c == 'S')
		r->seen |= (unsigned)RX_SEEN_NOT_SPACE;
	else if (c == 'h' || c == 'v')
		r->seen |= (unsigned)RX_SEEN_BLANK;
	r->at++;
	return true;
}

/* --- escapes --------------------------------------------------------------- */

/*
 * Is there "{digits}" after \x or \o?  White space in it, which 10.43 accepts, is not
 * read.
 */
static bool has_braces(const struct rx_reader *r, unsigned base)
{
	size_t p = 2;

	while (num_hex_digit(rx_peek(r, p)) >= 0 && (unsigned)num_hex_digit(rx_peek(r, p)) < base)
		p++;
	return rx_peek(r, 1) == '{' && p > 2 && rx_peek(r, p) == '}';
}

/* Reads the digits; PCRE2 has checked that they give one byte. */
static uint8_t in_braces(struct rx_reader *r, unsigned base)
{
	unsigned v = 0;

	for (r->at++; rx_peek(r, 0) != '}'; r->at++)
		v = (v * base + (unsigned)num_hex_digit(rx_peek(r, 0))) & 0xff;
	r->at++;
	return (uint8_t)v;
}

static uint8_t hexadecimal(struct rx_reader *r)
{
	unsigned v = 0, i;

	if (rx_peek(r, 0) == '{')
		return in_braces(r, 16);
	for (i = 0; i < 2 && num_hex_digit(rx_peek(r, 0)) >= 0; i++, r->at++)
		v = v * 16 + (unsigned)num_hex_digit(rx_peek(r, 0));
	return (uint8_t)v;
}

static uint8_t octal(struct rx_reader *r)
{
	unsigned v = 0, i;

	for (i = 0; i < 2 && rx_peek(r, 0) >= '0' && rx_peek(r, 0) <= '7'; i++, r->at++)
		v = v * 8 + (unsigned)(rx_peek(r, 0) - '0');
	return (uint8_t)v;
}

static uint8_t control(struct rx_reader *r)
{
	int c = rx_peek(r, 0);

	r->at++;
	if (c >= 'a' && c <= 'z')
		c -= 32;
	return (uint8_t)(c ^ 0x40);
}

bool rx_escaped_byte(struct rx_reader *r, uint8_t *ret)
{
	static const char from[] = "aefnrt", to[] = "\a\x1b\f\n\r\t";
	int c = rx_peek(r, 0);
	const char *p;

	if (c < 0 || (c == 'x' && rx_peek(r, 1) == '{' && !has_braces(r, 16)) ||
	    (c == 'o' && !has_braces(r, 8)))
		return false;
	p = c ? strchr(from, c) : NULL;
	if (!p && !(c && strchr("x0co", c)) && is_in((uint8_t)c, "09AZaz"))
		return false;
	r->at++;
	if (p)
		*ret = (uint8_t)to[p - from];
	else if (c == 'x')
		*ret = hexadecimal(r);
	else if (c == '0')
		*ret = octal(r);
	else if (c == 'c')
		*ret = control(r);
	else if (c == 'o')
		*ret = in_braces(r, 8);
	else
		*ret = (uint8_t)c;
	return true;
}

/* --- bracketed classes ----------------------------------------------------- */

enum range { RANGE_NO, RANGE_MAY /* the last item is one byte */, RANGE_OPEN };

struct class
{
	struct set_bytes bytes;
	enum range range;
	uint8_t last;
};

static void add_byte(struct class *c, uint8_t b)
{
	if (c->range == RANGE_OPEN) {
		set_bytes_add(&c->bytes, c->last, b);
		c->range = RANGE_NO;
		return;
	}
	set_bytes_add(&c->bytes, b, b);
	c->last = b;
	c->range = RANGE_MAY;
}

static void add_set(struct class *c, struct set_bytes b)
{
	size_t i;

	for (i = 0; i < 4; i++)
		c->bytes.w[i] |= b.w[i];
	c->range = RANGE_NO;
}

/* Reads "[:name:]", after its '['. */
static bool add_posix(struct rx_reader *r, struct class *c)
{
	struct str rest = str_sub(r->text, r->at + 1, r->text.n - r->at - 1);
	bool inverse = rest.n && rest.p[0] == '^';
	size_t i;

	if (inverse)
		rest = str_sub(rest, 1, rest.n - 1);
	for (i = 0; i < POL_LEN(posix); i++) {
		struct str name = str_from(posix[i].name);
		const struct named *set = &posix[i];
		struct set_bytes b;

		if (!str_starts(rest, name) ||
		    !str_starts(str_sub(rest, name.n, rest.n - name.n), STR(":]")))
			continue;
		if ((r->options & RX_CASELESS) && (i == 1 || i == 2))
			set = &posix[0]; /* /i: both mean letters */
		b = set_of(set);
		add_set(c, inverse ? set_bytes_not(b) : b);
		r->at += 1 + inverse + name.n + 2;
		return true;
	}
	return false;
}

/* Reads what follows a backslash in a class.  False: not understood. */
static bool add_escape(struct rx_reader *r, struct class *c)
{
	int e = rx_peek(r, 0);
	struct set_bytes b;
	uint8_t byte;

	if (e == 'Q' || e == 'E') {
		r->quoted = e == 'Q';
		r->at++;
		return true;
	}
	if (e == 'b') {
		add_byte(c, '\b');
		r->at++;
		return true;
	}
	if (rx_escaped_byte(r, &byte)) {
		add_byte(c, byte);
		return true;
	}
	if (!rx_read_set(r, &b))
		return false;
	add_set(c, b);
	return true;
}

/* Reads one item.  False: not understood. */
static bool add_item(struct rx_reader *r, struct class *c)
{
	int b = rx_peek(r, 0), next = rx_peek(r, 1);

	r->at++;
	if (r->quoted) {
		if (b == '\\' && next == 'E') {
			r->quoted = false;
			r->at++;
		} else {
			add_byte(c, (uint8_t)b);
		}
		return true;
	}
	if ((r->options & RX_EXTENDED_MORE) && (b == ' ' || b == '\t'))
		return true;
	if (b == '[' && (next == ':' || next == '.' || next == '='))
		return next == ':' && add_posix(r, c);
	if (b == '-' && c->range == RANGE_MAY) {
		c->range = RANGE_OPEN;
		return true;
	}
	if (b == '\\')
		return add_escape(r, c);
	add_byte(c, (uint8_t)b);
	return true;
}

/* Reads what may precede the first item: '^', and syntax without meaning. */
static bool read_head(struct rx_reader *r)
{
	bool negated = false;

	for (;;) {
		int c = rx_peek(r, 0);

		if (c == '\\' && rx_peek(r, 1) == 'E') {
			r->at += 2;
		} else if (c == '\\' && rx_peek(r, 1) == 'Q' && rx_peek(r, 2) == '\\' &&
			   rx_peek(r, 3) == 'E') {
			r->at += 4;
		} else if ((r->options & RX_EXTENDED_MORE) && (c == ' ' || c == '\t')) {
			r->at++;
		} else if (!negated && c == '^') {
			negated = true;
			r->at++;
		} else {
			return negated;
		}
	}
}

bool rx_class(struct rx_reader *r, struct set_bytes *ret)
{
	struct class c = { .range = RANGE_NO };
	size_t start = r->at++;
	bool negated, first = true;

	/* [[:<:]] and [[:>:]] really are look-around */
	if (str_starts(str_sub(r->text, start, r->text.n - start), STR("[[:<:]]")) ||
	    str_starts(str_sub(r->text, start, r->text.n - start), STR("[[:>:]]")))
		return rx_opaque(r, start, "look-around");
	negated = read_head(r);
	for (; first || r->quoted || rx_peek(r, 0) != ']'; first = false) {
		size_t at = r->at;

		if (rx_peek(r, 0) < 0 || !add_item(r, &c))
			return rx_opaque(r, at, "this item of a class");
	}
	r->at++;
	if (c.range == RANGE_OPEN)
		set_bytes_add(&c.bytes, '-', '-');
	if (r->options & RX_CASELESS)
		c.bytes = rx_folded(c.bytes);
	*ret = negated ? set_bytes_not(c.bytes) : c.bytes;
	return true;
}
