/*
 * What follows an opening parenthesis of a regular expression: which groups only group,
 * which ones change options, and which are not regular.
 */
#include "compiler/sets/regex_group.h"

#include "compiler/base/vec.h"

static const struct {
	const char *start, *why;
} opaque_groups[] = {
	{ "(*", "a verb or an assertion by name" },
	{ "(?=", "look-around" },
	{ "(?!", "look-around" },
	{ "(?*", "look-around" },
	{ "(?<=", "look-around" },
	{ "(?<!", "look-around" },
	{ "(?<*", "look-around" },
	{ "(?>", "an atomic group" },
	{ "(?(", "a condition" },
	{ "(?C", "a callout" },
	{ "(?R", "a recursion" },
	{ "(?&", "a recursion" },
	{ "(?+", "a recursion" },
	{ "(?P>", "a recursion" },
	{ "(?P=", "a back-reference" },
};

static const struct {
	char letter;
	unsigned option;
} letters[] = {
	{ 'i', RX_CASELESS },
	{ 'm', RX_MULTILINE },
	{ 's', RX_DOTALL },
	{ 'x', RX_EXTENDED },
	/*
	 * options about names, numbers and greed of groups do not change whether a
	 * search succeeds
	 */
	{ 'n', 0 },
	{ 'J', 0 },
	{ 'U', 0 },
};

static bool option_of(int c, unsigned *ret)
{
	size_t i;

	for (i = 0; i < POL_LEN(letters); i++) {
		if (c != letters[i].letter)
			continue;
		*ret = letters[i].option;
		return true;
	}
	return false;
}

/* Reads the letters after "(?", up to but without ':' or ')'. */
static bool read_options(struct rx_reader *r)
{
	unsigned set = 0, unset = 0, *to = &set, o;
	int c;

	if (rx_peek(r, 0) == '^') {
		r->options &= (unsigned)RX_DOLLAR_END;
		r->at++;
	}
	for (; (c = rx_peek(r, 0)) != ':' && c != ')'; r->at++) {
		if (c == '-' && to == &set) {
			to = &unset;
		} else if (!option_of(c, &o)) {
			return false;
		} else {
			*to |= o;
			if (c == 'x' && rx_peek(r, 1) == 'x') {
				*to |= (unsigned)RX_EXTENDED_MORE;
				r->at++;
			}
		}
	}
	if ((set & (RX_EXTENDED | RX_EXTENDED_MORE)) == RX_EXTENDED ||
	    (unset & RX_EXTENDED))
		unset |= (unsigned)RX_EXTENDED_MORE;
	r->options = (r->options | set) & ~unset;
	return true;
}

static bool skip_name(struct rx_reader *r, char end)
{
	while (rx_peek(r, 0) >= 0 && rx_peek(r, 0) != end)
		r->at++;
	return rx_peek(r, 0) == end && r->at++;
}

bool rx_group_head(struct rx_reader *r, bool *ret_is_group)
{
	size_t start = r->at, i;
	struct str rest = str_sub(r->text, start, r->text.n - start);
	bool ok = true, is_group = true;
	int c;

	for (i = 0; i < POL_LEN(opaque_groups); i++)
		if (str_starts(rest, str_from(opaque_groups[i].start)))
			return rx_opaque(r, start, opaque_groups[i].why);
	r->at++;
	if (rx_peek(r, 0) != '?') {
		*ret_is_group = true;
		return true;
	}
	r->at++;
	c = rx_peek(r, 0);
	if ((c >= '0' && c <= '9') ||
	    (c == '-' && rx_peek(r, 1) >= '0' && rx_peek(r, 1) <= '9'))
		return rx_opaque(r, start, "a recursion");
	r->at += c == 'P' && rx_peek(r, 1) == '<';
	c = rx_peek(r, 0);
	r->at += c == '<' || c == '\'' || c == '|';
	if (c == '<' || c == '\'')
		ok = skip_name(r, c == '<' ? '>' : '\'');
	else if (c != '|') {
		ok = read_options(r);
		is_group = rx_peek(r, 0) != ')';
		r->at++;
	}
	if (!ok)
		return rx_opaque(r, start, "this group");
	*ret_is_group = is_group;
	return true;
}
