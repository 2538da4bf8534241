/*
 * Regular expressions of patterns and facts.  An automaton decides whether a place
 * contains code, so there an expression that is not a regular language is an error.  In
 * a pattern, PCRE2 searches for such an expression.
 */
#include <string.h>

#include "compiler/lower/regex.h"

#include "compiler/sets/regex.h"

bool lower_regex_flag(const struct ast_value *v, char flag)
{
	for (size_t i = 0; i < v->flags.n; i++)
		if (v->flags.p[i] == flag)
			return true;
	return false;
}

/* The span of the byte, in a regex between slashes, that a message is about. */
static struct span byte_at(const struct ast_value *v, size_t offset)
{
	struct span at = v->at;

	if (1 + offset >= at.len || v->text.n + 2 + v->flags.n != at.len)
		return at; /* it is not written between slashes */
	at.off += 1 + (uint32_t)offset;
	at.len = 1;
	return at;
}

/* Does an option such as "(?i)" or "(?ms-x:" begin here that turns `option` on? */
static bool is_option_from(struct str text, size_t at, char option)
{
	if (text.n - at < 3 || memcmp(text.p + at, "(?", 2) != 0)
		return false;
	for (size_t i = at + 2; i < text.n && text.p[i] && strchr("imnsxJU^arDSWPT", text.p[i]); i++)
		if (text.p[i] == option)
			return true;
	return false;
}

/* The index of the last byte of a set's "[", "[^" or "[]", or of a "[:alpha:]" in it. */
static size_t end_of_bracket(struct str text, size_t at, bool in_set)
{
	if (in_set) {
		for (size_t i = at + 1; i + 1 < text.n && text.p[at + 1] == ':'; i++)
			if (text.p[i] == ':' && i > at + 1 && text.p[i + 1] == ']')
				return i + 1;
		return at;
	}
	at += at + 1 < text.n && text.p[at + 1] == '^';
	return at + (at + 1 < text.n && text.p[at + 1] == ']');
}

static bool begins_at(struct str text, size_t at, const char *what)
{
	return text.n - at >= strlen(what) && memcmp(text.p + at, what, strlen(what)) == 0;
}

/*
 * Does a quantifier follow?  PCRE2 lets the end of a quotation, an empty one and a comment
 * stand before it, and blanks where the expression is an extended one.
 */
static bool is_repeated(struct str text, size_t at, bool extended)
{
	for (; at < text.n; at++) {
		char end = 0;

		if (begins_at(text, at, "\\E"))
			at++;
		else if (begins_at(text, at, "\\Q\\E"))
			at += 3;
		else if (begins_at(text, at, "(?#"))
			end = ')';
		else if (extended && text.p[at] == '#')
			end = '\n';
		else if (!extended || !text.p[at] || !strchr(" \t\n\v\f\r", text.p[at]))
			break;
		while (end && at < text.n && text.p[at] != end)
			at++;
	}
	return at < text.n && text.p[at] && strchr("*+?{", text.p[at]);
}

/*
 * An expression matches bytes. Says what is wrong if a letter outside of ASCII stands where
 * PCRE2 would take one of its bytes alone: in `[éè]`, before a `+`, and where the case of
 * letters does not matter. Such a rule would match less than its author means. NULL:
 * nothing; else *ret_at is the byte.
 */
static const char *find_split_letter(struct str text, bool caseless, bool extended,
				     size_t *ret_at)
{
	bool set = false, quoted = false, comment = false;

	for (size_t i = 0; i < text.n; i++) {
		unsigned char c = (unsigned char)text.p[i];
		bool last = i + 1 >= text.n || ((unsigned char)text.p[i + 1] & 0xc0) != 0x80;

		*ret_at = i;
		/* "\Q" in a comment quotes nothing: where there may be one, none is believed */
		comment |= extended || (!quoted && begins_at(text, i, "(?#"));
		if (begins_at(text, i, quoted ? "\\E" : "\\Q") && (quoted || !comment)) {
			quoted = !quoted;
			i++;
		} else if (quoted && c < 0x80)
			continue;
		else if (c == '\\')
			i += i + 1 < text.n && (unsigned char)text.p[i + 1] < 0x80;
		else if (c == '[') {
			i = end_of_bracket(text, i, set);
			set = true;
		} else if (c == ']')
			set = false;
		else if (c == '(' && !set) {
			caseless |= is_option_from(text, i, 'i');
			extended |= is_option_from(text, i, 'x');
		} else if (c < 0x80)
			continue;
		else if (set)
			return "an expression matches bytes, and this letter in brackets has several: "
			       "write (a|b) for [ab]";
		else if (caseless)
			return "an expression matches bytes, so this letter has one case: write (a|A)";
		else if (last && (!quoted || begins_at(text, i + 1, "\\E")) &&
			 is_repeated(text, i + 1, extended))
			return "an expression matches bytes, and only the last one of this letter is "
			       "repeated: write (a)+ for a+";
	}
	return NULL;
}

bool lower_regex(struct lower *l, const struct ast_value *v, unsigned flags,
		 bool *ret_opaque)
{
	unsigned all = flags | (lower_regex_flag(v, 'i') ? SET_REGEX_I : 0u) |
		       (lower_regex_flag(v, 'x') ? SET_REGEX_X : 0u);
	struct set_re *re;
	const char *why = NULL;
	size_t offset = 0;
	struct arena tmp;
	bool ok = true;

	if (ret_opaque)
		*ret_opaque = false;
	why = find_split_letter(v->text, lower_regex_flag(v, 'i'),
				lower_regex_flag(v, 'x'), &offset);
	if (why) {
		diag_add(l->sink, DIAG_REGEX, byte_at(v, offset), "%s", why);
		return false;
	}
	arena_init(&tmp, ARENA_DEFAULT_BUDGET);
	switch (set_from_regex(&tmp, v->text, all, &re, &offset, &why)) {
	case SET_REGEX_OK:
		break;
	case SET_REGEX_OPAQUE:
		if (ret_opaque) {
			*ret_opaque = true;
			break;
		}
		diag_add(l->sink, DIAG_REGEX, byte_at(v, offset),
			 "this regex is no automaton (%s), and nothing else may decide "
			 "where code stands",
			 why);
		ok = false;
		break;
	case SET_REGEX_SYNTAX:
	case SET_REGEX_LARGE:
		diag_add(l->sink, DIAG_REGEX, byte_at(v, offset),
			 "the regex cannot be compiled: %s", why);
		ok = false;
		break;
	}
	arena_release(&tmp);
	return ok;
}

/* Each name of an option has the regex of its statement: the first one was read. */
static bool is_read_before(struct lower *l, const struct ir_when *w)
{
	struct buf key;

	buf_init(&key, l->a);
	buf_u8(&key, (uint8_t)(w->i | w->x << 1));
	buf_str(&key, w->text);
	if (map_get(&l->whens, buf_view(&key)))
		return true;
	(void)map_put(&l->whens, buf_view(&key), l);
	return false;
}

void lower_when_regex(struct lower *l, const struct ast_value *v, struct ir_when *ret)
{
	*ret = (struct ir_when){ .is = v != NULL };
	if (!v)
		return;
	ret->text = v->text;
	ret->i = lower_regex_flag(v, 'i');
	ret->x = lower_regex_flag(v, 'x');
	if (!is_read_before(l, ret))
		(void)lower_regex(l, v, 0, NULL);
}
