/* What the checks of all members share: headers, tables, ranges, strings. */
#include "runtime/bundle/check.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LOOK_AHEAD ((size_t)1024)

int check_bad(const struct check *c, const char *fmt, ...)
{
	char what[160];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return rt_fail(c->err, EBADMSG, "%s: %s", c->member, what);
}

/* A member that has changed counts in the last letter of its magic: "PEG3". */
static bool is_other_version(uint32_t magic, uint32_t want)
{
	uint32_t digit = (magic >> 24) - '0', wanted = (want >> 24) - '0';

	return magic != want && ((magic ^ want) & 0xffffff) == 0 && (digit < 10 || wanted < 10);
}

int check_head(struct check *c, uint32_t magic, size_t least)
{
	const struct pb_head *h = (const void *)c->data;

	if (c->size < sizeof(*h))
		return check_bad(c, "is cut short");
	if (is_other_version(h->magic, magic))
		return check_bad(c, "it has format %c%c%c%c: " BUNDLE_OTHER_POLC, h->magic & 0x7f,
				 h->magic >> 8 & 0x7f, h->magic >> 16 & 0x7f, h->magic >> 24 & 0x7f);
	if (h->magic != magic)
		return check_bad(c, "does not begin as this member does");
	if (h->version != PB_FORMAT_VERSION)
		return check_bad(c, "it has format %u, not %u: " BUNDLE_OTHER_POLC, h->version,
				 PB_FORMAT_VERSION);
	if (c->size < least)
		return check_bad(c, "is cut short");
	if (h->size != c->size || h->zero != 0)
		return check_bad(c, "states a wrong size");
	return 0;
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

/* Strings mostly follow each other, so the bytes behind one are looked at as well. */
static bool is_text(struct check *c, struct pb_str s)
{
	size_t end = (size_t)s.off + s.len, ahead = c->size - s.off;
	const uint8_t *nul;

	if (!s.len || (s.off >= c->text_from && end <= c->text_to))
		return true;
	if (ahead > s.len + LOOK_AHEAD)
		ahead = s.len + LOOK_AHEAD;
	nul = memchr(c->data + s.off, 0, ahead);
	c->text_from = s.off;
	c->text_to = nul ? (size_t)(nul - c->data) : s.off + ahead;
	return end <= c->text_to;
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
	if (!is_text(c, s))
		return check_bad(c, "%s holds a NUL byte", what);
	return 0;
}
