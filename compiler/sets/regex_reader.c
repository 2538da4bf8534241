/* Steps over what means nothing in a pattern, and ends the reading of an opaque one. */
#include "compiler/sets/regex_reader.h"

bool rx_opaque(struct rx_reader *r, size_t where, const char *why)
{
	if (!r->why) {
		r->why = why;
		r->where = where;
	}
	r->at = r->text.n;
	return false;
}

static bool skip_space(struct rx_reader *r)
{
	int c = rx_peek(r, 0);

	if (!(r->options & RX_EXTENDED))
		return false;
	if (c == ' ' || (c >= '\t' && c <= '\r')) {
		r->at++;
		return true;
	}
	if (c != '#')
		return false;
	while (rx_peek(r, 0) >= 0 && rx_peek(r, 0) != '\n')
		r->at++;
	r->at += rx_peek(r, 0) == '\n';
	return true;
}

static bool skip_comment(struct rx_reader *r)
{
	if (rx_peek(r, 0) != '(' || rx_peek(r, 1) != '?' || rx_peek(r, 2) != '#')
		return false;
	while (rx_peek(r, 0) >= 0 && rx_peek(r, 0) != ')')
		r->at++;
	r->at++;
	return true;
}

void rx_skip(struct rx_reader *r)
{
	for (;;) {
		bool escape = rx_peek(r, 0) == '\\';
		int next = rx_peek(r, 1);

		if (escape && (next == 'E' || (next == 'Q' && !r->quoted))) {
			r->quoted = next == 'Q';
			r->at += 2;
		} else if (r->quoted || (!skip_space(r) && !skip_comment(r))) {
			return;
		}
	}
}
