/* Counted strings: comparison, cutting, copies into an arena. */
#include "compiler/base/str.h"

#include <stdarg.h>

int str_cmp(struct str a, struct str b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int c = n ? memcmp(a.p, b.p, n) : 0;

	if (c)
		return c;
	return a.n < b.n ? -1 : a.n > b.n;
}

bool str_starts(struct str s, struct str prefix)
{
	return s.n >= prefix.n &&
	       (prefix.n == 0 || memcmp(s.p, prefix.p, prefix.n) == 0);
}

bool str_ends(struct str s, struct str suffix)
{
	return s.n >= suffix.n &&
	       (suffix.n == 0 ||
		memcmp(s.p + s.n - suffix.n, suffix.p, suffix.n) == 0);
}

struct str str_sub(struct str s, size_t from, size_t n)
{
	if (from > s.n)
		from = s.n;
	if (n > s.n - from)
		n = s.n - from;
	return (struct str){ s.p ? s.p + from : NULL, n };
}

struct str str_dup(struct arena *a, struct str s)
{
	char *p = arena_alloc(a, s.n + 1);

	if (s.n)
		memcpy(p, s.p, s.n);
	return (struct str){ p, s.n };
}

const char *str_z(struct arena *a, struct str s)
{
	return str_dup(a, s).p;
}

struct str str_cat(struct arena *a, struct str x, struct str y)
{
	char *p = arena_alloc(a, x.n + y.n + 1);

	if (x.n)
		memcpy(p, x.p, x.n);
	if (y.n)
		memcpy(p + x.n, y.p, y.n);
	return (struct str){ p, x.n + y.n };
}

struct str str_printf(struct arena *a, const char *fmt, ...)
{
	struct str s;
	va_list ap;

	va_start(ap, fmt);
	s.p = arena_vprintf(a, &s.n, fmt, ap);
	va_end(ap);
	return s;
}
