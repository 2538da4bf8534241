/* What the checks of all members share: headers, tables, ranges, strings. */
#include "runtime/bundle/check.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int check_bad(const struct check *c, const char *fmt, ...)
{
	char what[160];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return rt_fail(c->err, EBADMSG, "%s: %s", c->member, what);
}

int check_head(struct check *c, uint32_t magic, size_t least)
{
	const struct pb_head *h = (const void *)c->data;

	if (c->size < sizeof(*h) || c->size < least)
		return check_bad(c, "is cut short");
	if (h->magic != magic)
		return check_bad(c, "does not begin as this member does");
	if (h->version != PB_FORMAT_VERSION)
		return check_bad(c, "has format version %u, not %u", h->version,
				 PB_FORMAT_VERSION);
	if (h->size != c->size || h->zero != 0)
		return check_bad(c, "states a wrong size");
	return 0;
}

bool check_range(const struct check *c, uint64_t off, uint64_t count, size_t record,
		 size_t align)
{
	if (off % align != 0 || off < sizeof(struct pb_head) || off > c->size)
		return false;
	return count <= (c->size - off) / record;
}

int check_table(const struct check *c, struct pb_table t, size_t record, uint32_t max,
		const char *what)
{
	if (!check_range(c, t.off, t.count, record, 8))
		return check_bad(c, "the table of %s leaves the member", what);
	if (t.count > max)
		return check_bad(c, "has more than %u %s", max, what);
	return 0;
}

int check_string(struct check *c, struct pb_str s, const char *what)
{
	if (s.off > c->size || s.len > c->size - s.off)
		return check_bad(c, "%s leaves the member", what);
	if (s.len > CHECK_MAX_STRING)
		return check_bad(c, "%s is longer than %u bytes", what,
				 CHECK_MAX_STRING);
	c->strings += s.len;
	if (c->strings > CHECK_MAX_STRINGS)
		return check_bad(c, "has too many bytes of strings");
	if (s.len && memchr(c->data + s.off, 0, s.len))
		return check_bad(c, "%s holds a NUL byte", what);
	return 0;
}
