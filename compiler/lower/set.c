/*
 * Sets of characters in a word pattern: "[abc]", "[a-z]", "[!x]".  A set becomes
 * alternatives of one byte each, so the readers of patterns need not know sets.  In an
 * allow, a set may only have characters that '?' matches.
 */
#include "compiler/lower/glob_in.h"

struct bytes {
	bool has[256];
};

static bool bad(const struct lower_glob_in *in, const char *what, const char *help)
{
	struct diag *d = diag_add(in->l->sink, in->code, in->at, "%s in '%.*s'", what,
				  STR_ARG(in->shown));

	diag_help(in->l->sink, d, "%s", help);
	return false;
}

/* Does a wildcard of an allow match it (semantics 4.3)? */
static bool is_plain(unsigned c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || (c && strchr("._:/@+-", (int)c));
}

/* Reads one character, which a backslash may precede; false at the end. */
static bool read_byte(struct lower_glob_in *in, unsigned *ret)
{
	if (in->i < in->text.n && in->text.p[in->i] == '\\')
		in->i++;
	if (in->i >= in->text.n)
		return false;
	*ret = (unsigned char)in->text.p[in->i++];
	return true;
}

static bool is_blank(unsigned c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static char peek(const struct lower_glob_in *in, size_t ahead)
{
	return in->i + ahead < in->text.n ? in->text.p[in->i + ahead] : '\0';
}

/* Reads "x" or "x-y"; a dash before ']' is no range. */
static bool read_member(struct lower_glob_in *in, struct bytes *b)
{
	static const char unclosed[] = "write '\\\\[' for the character";
	unsigned from, to;

	if (!read_byte(in, &from))
		return bad(in, "'[' without its ']'", unclosed);
	to = from;
	if (peek(in, 0) == '-' && peek(in, 1) != ']' && peek(in, 1)) {
		in->i++;
		if (!read_byte(in, &to))
			return bad(in, "'[' without its ']'", unclosed);
	}
	if (is_blank(from) || is_blank(to))
		return bad(in, "a blank in a set of characters",
			   "write '\\\\[' for the character, as in \"\\\\[ -f x \\\\]\"");
	if (to < from)
		return bad(in, "a range that ends before it begins",
			   "write the smaller character first");
	if (from >= 0x80 || to >= 0x80)
		return bad(in, "a set with a character of several bytes",
			   "a set is one byte; write alternatives: {\xc3\xa4|\xc3\xb6}");
	for (; from <= to; from++)
		b->has[from] = true;
	return true;
}

static void put(struct lower_glob_in *in, const struct bytes *b, struct ir_glob_item *ret)
{
	struct ir_glob *alts = arena_array(in->l->a, 256, sizeof(*alts));
	size_t n = 0;

	for (unsigned c = 1; c < 256; c++) {
		struct ir_glob_item *it;

		if (!b->has[c])
			continue;
		it = ARENA_NEW(in->l->a, struct ir_glob_item);
		*it = (struct ir_glob_item){ .op = IR_G_BYTE, .byte = (uint8_t)c };
		alts[n++] = (struct ir_glob){ it, 1 };
	}
	*ret = (struct ir_glob_item){ .op = IR_G_ALT, .alts = alts, .nalts = n };
}

bool lower_set(struct lower_glob_in *in, struct ir_glob_item *ret)
{
	struct bytes b = { { false } };
	bool not, first = true, any = false;

	in->i++;
	not = peek(in, 0) == '!' || peek(in, 0) == '^';
	in->i += not;
	for (; first || peek(in, 0) != ']'; first = false)
		if (!read_member(in, &b))
			return false;
	in->i++;
	for (unsigned c = 1; c < 256; c++) {
		b.has[c] = b.has[c] != not && (!in->narrow || is_plain(c));
		any |= b.has[c];
	}
	if (!any)
		return bad(in, "a set that is empty",
			   "in a pattern that is matched as allow is, a set has only "
			   "characters of [A-Za-z0-9._:/@+-]");
	put(in, &b, ret);
	return true;
}
