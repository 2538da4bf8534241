/*
 * Reads a program of awk: can it only compute and print? Most programs have none of the
 * words and signs that do more, wherever these stand. Only the others are read token by
 * token. If it is not certain whether a '/' divides or begins a pattern, or what a text is,
 * they are refused.
 */
#include <string.h>

#include "runtime/line/lang.h"

struct program {
	const char *p, *end;
	bool value;          /* the last token may end an operand: a '/' after it divides */
	bool maybe;          /* … or not */
	unsigned depth;      /* of open (, [ and { */
	bool printing;       /* in a statement of print or printf … */
	unsigned print_depth;/* … which began at this depth */
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c);
}

static bool has(const char *p, size_t n, const char *word)
{
	const size_t k = strlen(word);

	for (size_t i = 0; i + k <= n; i++)
		if (memcmp(p + i, word, k) == 0)
			return true;
	return false;
}

/* Words that do more, whoever calls them, or that say which files are read, or show the
 * environment. */
static const char *const acts[] = { "system", "getline", "ARGV", "ARGC", "ENVIRON", "SYMTAB", "@" };

static bool is_word(const char *p, size_t n, const char *word)
{
	return strlen(word) == n && memcmp(p, word, n) == 0;
}

/* --- tokens ----------------------------------------------------------------------------- */

/* A text up to `mark`, on one line. */
static bool quoted(struct program *g, char mark)
{
	bool in_list = false;

	for (g->p++; g->p < g->end && *g->p != '\n'; g->p++) {
		const char c = *g->p;
		const char next = g->p + 1 < g->end ? g->p[1] : '\0';

		/* In some charsets the next byte would belong to this one. */
		if ((unsigned char)c >= 0x80 && next && strchr("\\[]", next))
			return false;
		if (c == '\\') {
			/* releases differ in what it is in a list, and before a line end */
			if (!next || next == '\n' || (in_list && next == ']'))
				return false;
			g->p++;
		} else if (mark == '/' && c == '[' && !in_list) {
			/* "[]/]": is the first ']' the end? */
			if (next == ']' || (next == '^' && g->p + 2 < g->end && g->p[2] == ']'))
				return false;
			in_list = true;
		} else if (c == ']') {
			in_list = false;
		} else if (c == mark) {
			if (in_list)
				return false;
			g->p++;
			g->value = true;
			g->maybe = false;
			return true;
		}
	}
	return false;
}

static bool comment(struct program *g)
{
	while (g->p < g->end && *g->p != '\n')
		g->p++;
	return g->p[-1] != '\\';
}

static bool word(struct program *g)
{
	/* after these a pattern may follow */
	static const char *const before[] = { "print", "printf", "return", "in", "else",
					      "do", "case", "exit", "delete" };
	const char *from = g->p;
	size_t n;

	while (g->p < g->end && is_name(*g->p))
		g->p++;
	n = (size_t)(g->p - from);
	for (size_t i = 0; i < sizeof(acts) / sizeof(acts[0]); i++)
		if (is_word(from, n, acts[i]))
			return false;
	g->value = true;
	/* `length / 2`, or `length /x/` in a release that takes it for a call */
	g->maybe = is_word(from, n, "length");
	for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++)
		if (is_word(from, n, before[i]))
			g->value = false;
	if (is_word(from, n, "print") || is_word(from, n, "printf")) {
		g->printing = true;
		g->print_depth = g->depth;
	}
	return true;
}

static bool closing(struct program *g, char c)
{
	if (g->depth == 0)
		return false;
	g->depth--;
	if (g->printing && g->depth < g->print_depth)
		g->printing = false;
	g->value = c != '}';
	g->maybe = c == ')';
	return true;
}

static bool sign(struct program *g)
{
	const char c = *g->p;
	const bool twice = g->p + 1 < g->end && g->p[1] == c;

	g->p++;
	switch (c) {
	case '(':
	case '[':
	case '{':
		g->depth++;
		break;
	case ')':
	case ']':
	case '}':
		return closing(g, c);
	case '|':
		if (!twice)
			return false;
		g->p++;
		break;
	case '>':
		/* a file, if not in parentheses */
		if (g->printing && g->depth == g->print_depth)
			return false;
		break;
	case ';':
		if (g->depth == g->print_depth)
			g->printing = false;
		break;
	case '+':
	case '-':
		if (twice) {
			g->p++;
			g->value = g->maybe = true;
			return true;
		}
		break;
	case '\\':
		if (g->p == g->end || *g->p != '\n')
			return false;
		g->p++;
		return true;
	default:
		if (!strchr("!$%&*,:<=?^~", c) || !c)
			return false;
		break;
	}
	g->value = g->maybe = false;
	return true;
}

static bool token(struct program *g)
{
	const char c = *g->p;

	if (c == ' ' || c == '\t') {
		g->p++;
		return true;
	}
	/* A line end ends a print, but not behind a comma: so it is only ended by what
	 * surely does. */
	if (c == '\n') {
		g->p++;
		g->value = g->maybe = false;
		return true;
	}
	if (c == '#')
		return comment(g);
	if (c == '"')
		return quoted(g, c);
	if (is_digit(c) || c == '.') {
		while (g->p < g->end && (is_digit(*g->p) || *g->p == '.'))
			g->p++;
		g->value = true;
		g->maybe = false;
		return true;
	}
	if (is_name(c))
		return word(g);
	if (c != '/')
		return sign(g);
	if (g->maybe)
		return false;
	if (!g->value)
		return quoted(g, c);
	g->p++;
	g->value = false;
	return true;
}

bool lang_awk_prints(const char *p, size_t n)
{
	struct program g = { .p = p, .end = p + n };
	bool suspect = has(p, n, "print") && (memchr(p, '>', n) || memchr(p, '|', n));

	for (size_t i = 0; i < sizeof(acts) / sizeof(acts[0]); i++)
		suspect |= has(p, n, acts[i]);
	if (!suspect)
		return true;
	while (g.p < g.end)
		if (!token(&g))
			return false;
	return g.depth == 0;
}
