/*
 * The sequences in braces, as bash counts them: {1..9}, {01..10..3}, {a..e}.
 */
#include <stdlib.h>

#include "runtime/line/shell/sequence.h"

#include "runtime/line/shell/bytes.h"

struct range {
	long from, to, step;
	size_t width; /* for numbers with a leading zero */
};

/* A number of at most nine digits. */
static enum sequence number(struct text t, long *ret, bool *ret_zero)
{
	bool minus = t.n && t.p[0] == '-';
	long v = 0;
	size_t i;

	if (t.n && t.p[0] == '+')
		return SEQ_UNKNOWN;
	if (t.n == minus)
		return SEQ_NONE;
	for (i = minus; i < t.n; i++) {
		if (!shell_is(t.p[i], C_DIGIT))
			return SEQ_NONE;
		if (i > 9)
			return SEQ_UNKNOWN;
		v = 10 * v + (t.p[i] - '0');
	}
	*ret_zero = t.n > 1U + minus && t.p[minus] == '0';
	*ret = minus ? -v : v;
	return SEQ_NUMBERS;
}

static bool dots(struct text t, struct text *ret_a, struct text *ret_b)
{
	size_t i;

	for (i = 0; i + 1 < t.n; i++)
		if (t.p[i] == '.' && t.p[i + 1] == '.') {
			*ret_a = (struct text){ t.p, i };
			*ret_b = (struct text){ t.p + i + 2, t.n - i - 2 };
			return true;
		}
	return false;
}

static bool is_letter(struct text t)
{
	return t.n == 1 && shell_is(t.p[0], C_NAME) && !shell_is(t.p[0], C_DIGIT) &&
	       t.p[0] != '_';
}

static enum sequence range(struct text t, struct range *ret)
{
	struct text a, b, step;
	bool zero_a = false, zero_b = false, zero;
	enum sequence is, other;

	ret->step = 1;
	ret->width = 0;
	if (!dots(t, &a, &b))
		return SEQ_NONE;
	if (!SHELL_OFF(SEQUENCE_STEP) && dots(b, &b, &step)) {
		is = number(step, &ret->step, &zero);
		if (is != SEQ_NUMBERS)
			return is;
		ret->step = ret->step ? labs(ret->step) : 1;
	}
	if (is_letter(a) && is_letter(b) && !SHELL_OFF(SEQUENCE_LETTERS)) {
		ret->from = a.p[0];
		ret->to = b.p[0];
		/* between upper and lower case are bytes with a special meaning */
		return ((a.p[0] ^ b.p[0]) & 0x20) ? SEQ_UNKNOWN : SEQ_LETTERS;
	}
	if (SHELL_OFF(SEQUENCE_NUMBERS))
		return SEQ_NONE;
	is = number(a, &ret->from, &zero_a);
	other = number(b, &ret->to, &zero_b);
	if (is == SEQ_NONE || other == SEQ_NONE)
		return SEQ_NONE;
	if ((zero_a || zero_b) && !SHELL_OFF(SEQUENCE_ZEROS))
		ret->width = a.n > b.n ? a.n : b.n;
	return is == SEQ_UNKNOWN || other == SEQ_UNKNOWN ? SEQ_UNKNOWN : SEQ_NUMBERS;
}

static bool format(struct shell *s, long v, size_t width, struct text *ret)
{
	size_t n = width > 12 ? width : 12, i = n;
	char *p = shell_brace_scratch(s, n);
	long u = labs(v);

	if (!p || !shell_brace_work(s, n))
		return false;
	do {
		p[--i] = (char)('0' + u % 10);
		u /= 10;
	} while (u);
	while (n - i + (v < 0) < width)
		p[--i] = '0';
	if (v < 0)
		p[--i] = '-';
	*ret = (struct text){ p + i, n - i };
	return true;
}

bool shell_sequence(struct shell *s, struct text t, enum sequence *ret_is,
		    struct texts *ret)
{
	struct range r;
	long v, sign;
	char *c;

	*ret_is = range(t, &r);
	if (*ret_is == SEQ_NONE)
		return true;
	if (!shell_brace_make(s, MAX_WORDS, ret))
		return false;
	if (*ret_is == SEQ_UNKNOWN || t.n > 64) {
		ret->cut = true;
		return true;
	}
	sign = r.from <= r.to ? 1 : -1;
	for (v = r.from; sign * v <= sign * r.to; v += sign * r.step) {
		struct text *to = &ret->v[ret->n];

		if (ret->n == MAX_WORDS) {
			ret->cut = true;
			break;
		}
		if (*ret_is == SEQ_NUMBERS) {
			if (!format(s, v, r.width, to))
				return false;
		} else {
			if (!(c = shell_brace_scratch(s, 1)))
				return false;
			*c = (char)v;
			*to = (struct text){ c, 1 };
		}
		ret->n++;
	}
	return true;
}
