/* Checks settings.json: one JSON object of objects, as the compiler writes it. So later
 * readers find what they expect. */
#include <string.h>

#include "runtime/bundle/check.h"

/* The two objects around a value, and the depth that a value may have. */
#define MAX_DEPTH 18

struct scan {
	const unsigned char *p, *end;
};

static bool take(struct scan *s, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(s->end - s->p) < n || memcmp(s->p, word, n) != 0)
		return false;
	s->p += n;
	return true;
}

/* The compiler writes newlines between records, and no other white space. */
static void skip(struct scan *s)
{
	while (s->p < s->end && *s->p == '\n')
		s->p++;
}

static bool is_hex(unsigned char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool escape(struct scan *s)
{
	if (s->p < s->end && *s->p && strchr("\"\\/bfnrt", *s->p)) {
		s->p++;
		return true;
	}
	if (s->end - s->p < 5 || *s->p != 'u')
		return false;
	for (int i = 1; i <= 4; i++)
		if (!is_hex(s->p[i]))
			return false;
	s->p += 5;
	return true;
}

static bool text(struct scan *s)
{
	if (!take(s, "\""))
		return false;
	while (s->p < s->end && *s->p != '"') {
		unsigned char c = *s->p++;

		if (c < 0x20 || (c == '\\' && !escape(s)))
			return false;
	}
	return take(s, "\"");
}

static bool digits(struct scan *s)
{
	const unsigned char *from = s->p;

	while (s->p < s->end && *s->p >= '0' && *s->p <= '9')
		s->p++;
	return s->p > from;
}

static bool number(struct scan *s)
{
	const unsigned char *from;

	(void)take(s, "-");
	from = s->p;
	if (!digits(s) || (*from == '0' && s->p - from > 1))
		return false;
	return !take(s, ".") || digits(s);
}

static bool value(struct scan *s, unsigned depth);

static bool list(struct scan *s, const char *close, bool keys, unsigned depth)
{
	skip(s);
	if (take(s, close))
		return true;
	do {
		skip(s);
		if (keys && !(text(s) && take(s, ":")))
			return false;
		if (!value(s, depth + 1))
			return false;
		skip(s);
	} while (take(s, ","));
	return take(s, close);
}

static bool value(struct scan *s, unsigned depth)
{
	if (depth > MAX_DEPTH || s->p >= s->end)
		return false;
	switch (*s->p) {
	case '{':
		s->p++;
		return list(s, "}", true, depth);
	case '[':
		s->p++;
		return list(s, "]", false, depth);
	case '"':
		return text(s);
	case 't':
		return take(s, "true");
	case 'f':
		return take(s, "false");
	default:
		return number(s);
	}
}

int bundle_check_settings(const void *data, size_t size, struct rt_err *err)
{
	struct check c = { .data = data, .size = size, .member = PB_SETTINGS, .err = err };
	struct scan s = { data, (const unsigned char *)data + size };

	if (size == 0 || *s.p != '{' || !value(&s, 0))
		return check_bad(&c, "is no JSON object of the kind that is written here");
	skip(&s);
	if (s.p != s.end)
		return check_bad(&c, "goes on behind its object");
	return 0;
}
