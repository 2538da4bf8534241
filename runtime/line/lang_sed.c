/*
 * Reads a script of sed: are its commands only such as compute and print? Where releases
 * differ in what they take for text and what for a command, the script is refused, or
 * read in both ways.
 */
#include <string.h>

#include "runtime/line/lang.h"

enum says { PRINTS, ACTS, BROKEN };

struct script {
	const char *p, *end;
	bool brackets;   /* a delimiter in […] does not end a pattern (GNU sed 4.9, BSD) */
	bool has_labels; /* older releases read a label up to the end of its line … */
	bool has_joins;  /* … so that a backslash there would join other lines */
};

static bool at_end(const struct script *s)
{
	return s->p == s->end;
}

static bool is_next(const struct script *s, const char *set)
{
	return !at_end(s) && *s->p && strchr(set, *s->p);
}

static void skip(struct script *s, const char *set)
{
	while (is_next(s, set))
		s->p++;
}

#define BLANKS " \t"
#define DIGITS "0123456789"

/* Behind a command: nothing but its end. '}' and '#' are left to be read. */
static enum says end_of_command(struct script *s)
{
	skip(s, BLANKS);
	return at_end(s) || is_next(s, "\n;}#") ? PRINTS : BROKEN;
}

/*
 * The end of a bracket expression, behind its ']'; NULL if there is none on this line.
 * escapes: a backslash hides the next byte. classes: "[:alpha:]" inside is one element.
 */
static const char *bracket_end(const struct script *s, bool escapes, bool classes)
{
	const char *p = s->p + 1;

	if (p < s->end && *p == '^')
		p++;
	if (p < s->end && *p == ']')
		p++;
	for (; p < s->end && *p != '\n'; p++) {
		if (*p == ']')
			return p + 1;
		if (escapes && *p == '\\' && p + 1 < s->end) {
			p++;
		} else if (classes && *p == '[' && p + 1 < s->end && strchr(":.=", p[1]) && p[1]) {
			const char kind = p[1];

			for (p += 2; p + 1 < s->end && *p != '\n'; p++)
				if (*p == kind && p[1] == ']')
					break;
			if (p + 1 >= s->end || *p == '\n')
				return NULL;
			p++;
		}
	}
	return NULL;
}

/*
 * Moves behind a bracket expression. Where the ways to read it disagree ("[[:alpha:]_]" ends
 * at the first ']' for busybox), nothing on the rest of the way may end the pattern.
 */
static enum says skip_bracket(struct script *s, char mark)
{
	const char *to[] = { bracket_end(s, false, false), bracket_end(s, true, false),
			     bracket_end(s, false, true), bracket_end(s, true, true) };
	const char *first = to[0], *last = to[0];

	for (size_t i = 0; i < sizeof(to) / sizeof(to[0]); i++) {
		if (!to[i])
			return ACTS;
		first = to[i] < first ? to[i] : first;
		last = to[i] > last ? to[i] : last;
	}
	for (s->p = first; s->p < last;) {
		if (*s->p == mark || *s->p == '\\')
			return ACTS;
		s->p = *s->p == '[' ? bracket_end(s, false, false) : s->p + 1;
		if (!s->p || s->p > last)
			return ACTS;
	}
	return PRINTS;
}

/* Text up to `mark`, and behind it. */
static enum says delimited(struct script *s, char mark, bool pattern)
{
	while (!at_end(s)) {
		const unsigned char c = (unsigned char)*s->p;

		if (c == '\n')
			return BROKEN;
		if (*s->p == mark) {
			s->p++;
			return PRINTS;
		}
		if (c == '\\') {
			if (s->p + 1 == s->end)
				return BROKEN;
			s->has_joins |= s->p[1] == '\n';
			s->p += 2;
		} else if (c == '[' && pattern && s->brackets) {
			const enum says is = skip_bracket(s, mark);

			if (is != PRINTS)
				return is;
		} else {
			s->p++;
			/* in some charsets the byte would belong to the one before it */
			if (c >= 0x80 && (is_next(s, "\\[]") || (mark >= 0x40 && !at_end(s) &&
								  *s->p == mark)))
				return ACTS;
		}
	}
	return BROKEN;
}

/* A byte that may stand between the parts of s and y, and around a pattern. */
static bool is_mark(char c)
{
	return c && strchr("/|,#@!%:;+=~_^.*-&\"'<>?$", c);
}

static enum says address(struct script *s)
{
	enum says is = PRINTS;

	if (is_next(s, "/\\")) {
		if (*s->p == '\\')
			s->p++;
		if (at_end(s) || !is_mark(*s->p))
			return ACTS;
		is = delimited(s, *s->p++, true);
		skip(s, BLANKS "IM");
	} else if (is_next(s, "$")) {
		s->p++;
	} else {
		skip(s, "+~");
		skip(s, DIGITS);
		if (is_next(s, "~")) {
			s->p++;
			skip(s, DIGITS);
		}
	}
	return is;
}

static enum says addresses(struct script *s)
{
	enum says is = address(s);

	skip(s, BLANKS);
	if (is == PRINTS && is_next(s, ",")) {
		s->p++;
		skip(s, BLANKS);
		is = address(s);
		skip(s, BLANKS);
	}
	skip(s, BLANKS "!");
	return is;
}

static enum says substitution(struct script *s, bool maps)
{
	enum says is;
	char mark;

	if (at_end(s) || !is_mark(*s->p))
		return ACTS;
	mark = *s->p++;
	is = delimited(s, mark, !maps);
	if (is == PRINTS)
		is = delimited(s, mark, false);
	if (is != PRINTS)
		return is;
	if (!maps) {
		skip(s, BLANKS "gpiImM" DIGITS);
		if (is_next(s, "ew"))
			return ACTS;
	}
	return end_of_command(s);
}

/* The lines that a, i and c add: up to a line end without a backslash before it. */
static enum says text(struct script *s)
{
	skip(s, BLANKS);
	if (at_end(s) || is_next(s, "\n"))
		return BROKEN;
	if (is_next(s, "\\")) {
		const char *p = s->p + 1;

		while (p < s->end && strchr(BLANKS, *p) && *p)
			p++;
		/* releases differ in whether the text begins on the next line */
		if (p < s->end && *p == '\n' && p != s->p + 1)
			return ACTS;
	}
	for (; !at_end(s) && *s->p != '\n'; s->p++) {
		if ((unsigned char)*s->p >= 0x80 && s->p + 1 < s->end && s->p[1] == '\\')
			return ACTS;
		if (*s->p != '\\')
			continue;
		if (++s->p == s->end)
			return BROKEN;
		s->has_joins |= *s->p == '\n';
	}
	return PRINTS;
}

static enum says label(struct script *s)
{
	s->has_labels = true;
	skip(s, BLANKS);
	skip(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_.-" DIGITS);
	return end_of_command(s);
}

static enum says command(struct script *s)
{
	const char c = *s->p++;

	switch (c) {
	case '{':
		return PRINTS;
	case '}':
	case '=':
	case 'd':
	case 'D':
	case 'g':
	case 'G':
	case 'h':
	case 'H':
	case 'n':
	case 'N':
	case 'p':
	case 'P':
	case 'x':
	case 'z':
		return end_of_command(s);
	case 'l':
	case 'L':
	case 'q':
	case 'Q':
		skip(s, BLANKS);
		skip(s, DIGITS);
		return end_of_command(s);
	case 'a':
	case 'i':
	case 'c':
		return text(s);
	case ':':
	case 'b':
	case 't':
	case 'T':
		return label(s);
	case 's':
	case 'y':
		return substitution(s, c == 'y');
	default:
		return ACTS;
	}
}

/* busybox joins lines before it looks for comments. */
static enum says comment(struct script *s)
{
	while (!at_end(s) && *s->p != '\n')
		s->p++;
	return s->p[-1] == '\\' ? ACTS : PRINTS;
}

static enum says read_all(struct script *s)
{
	enum says is = PRINTS;

	while (is == PRINTS) {
		skip(s, BLANKS "\n;");
		if (at_end(s))
			break;
		if (*s->p == '#') {
			is = comment(s);
			continue;
		}
		is = addresses(s);
		if (is == PRINTS)
			is = at_end(s) ? BROKEN : command(s);
	}
	return s->has_labels && s->has_joins ? ACTS : is;
}

bool lang_sed_prints(const char *p, size_t n)
{
	struct script with = { .p = p, .end = p + n, .brackets = true };
	struct script without = { .p = p, .end = p + n };

	/* A sed that does not look at brackets refuses what it cannot read, before it runs
	 * anything. */
	return read_all(&with) == PRINTS && read_all(&without) != ACTS;
}
