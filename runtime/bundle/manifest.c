/*
 * Walks the manifest's bytes along its fixed text. Every key, bracket and blank is
 * expected at its place, so only values are read. compiler/bundle/manifest.c writes it;
 * doc/bundle-format.md has the grammar.
 */
#include "runtime/bundle/manifest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/bundle/format.h"
#include "runtime/bundle/members.h"
#include "runtime/bundle/tar.h"

#define MAX_SOURCES 4096u

struct cursor {
	const char *p;
	size_t n, at;
	struct rt_err *err;
};

static bool peek(const struct cursor *c, const char *text)
{
	size_t len = strlen(text);

	return c->n - c->at >= len && memcmp(c->p + c->at, text, len) == 0;
}

static bool take(struct cursor *c, const char *text)
{
	if (!peek(c, text))
		return false;
	c->at += strlen(text);
	return true;
}

static int expect(struct cursor *c, const char *text)
{
	if (take(c, text))
		return 0;
	/* The first line of the text is enough. */
	text += strspn(text, ",\n ");
	return rt_fail(c->err, EBADMSG,
		       "manifest.json is not canonical at byte %zu: expected '%.*s'",
		       c->at, (int)strcspn(text, "\n"), text);
}

static int bad_value(struct cursor *c, const char *what)
{
	return rt_fail(c->err, EBADMSG, "manifest.json has no valid %s at byte %zu",
		       what, c->at);
}

/* A decimal number without sign and leading zeros. */
static int number(struct cursor *c, const char *what, uint64_t *ret)
{
	size_t start = c->at;
	uint64_t v = 0;

	while (c->at < c->n && c->p[c->at] >= '0' && c->p[c->at] <= '9') {
		uint64_t d = (uint64_t)(c->p[c->at] - '0');

		if (v > (UINT64_MAX - d) / 10)
			return bad_value(c, what);
		v = v * 10 + d;
		c->at++;
	}
	if (c->at == start || (c->p[start] == '0' && c->at != start + 1))
		return bad_value(c, what);
	*ret = v;
	return 0;
}

/* The length of the UTF-8 sequence at p; 0: there is none. */
static size_t utf8_len(const unsigned char *p, size_t n)
{
	static const uint32_t least[5] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t len = p[0] < 0x80           ? 1 :
		     (p[0] & 0xe0) == 0xc0 ? 2 :
		     (p[0] & 0xf0) == 0xe0 ? 3 :
		     (p[0] & 0xf8) == 0xf0 ? 4 :
					     0;
	uint32_t v;

	if (len <= 1 || len > n)
		return len > n ? 0 : len;
	v = p[0] & (0x7fu >> len);
	for (size_t i = 1; i < len; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		v = v << 6 | (p[i] & 0x3fu);
	}
	if (v < least[len] || v > 0x10ffff || (v >= 0xd800 && v <= 0xdfff))
		return 0;
	return len;
}

static bool hex_digit(char ch, unsigned *ret)
{
	if (ch >= '0' && ch <= '9')
		*ret = (unsigned)(ch - '0');
	else if (ch >= 'a' && ch <= 'f')
		*ret = (unsigned)(ch - 'a') + 10;
	else
		return false;
	return true;
}

/*
 * Reads one escape: \" or \\ or \u00XX, for a byte that may not occur unescaped (a
 * control byte, DEL, or one that is not UTF-8).
 */
static bool escape(struct cursor *c)
{
	unsigned hi, lo, v;

	if (take(c, "\\\"") || take(c, "\\\\"))
		return true;
	if (!take(c, "\\u00") || c->n - c->at < 2 || !hex_digit(c->p[c->at], &hi) ||
	    !hex_digit(c->p[c->at + 1], &lo))
		return false;
	v = hi << 4 | lo;
	if (v == 0 || (v >= 0x20 && v < 0x7f))
		return false;
	c->at += 2;
	return true;
}

/* Reads a string. *ret is the text between the quotes, with its escapes. */
static int string(struct cursor *c, const char *what, const char **ret, size_t *ret_len)
{
	size_t start;

	if (!take(c, "\""))
		return bad_value(c, what);
	start = c->at;
	while (c->at < c->n && c->p[c->at] != '"') {
		const unsigned char *p = (const unsigned char *)c->p + c->at;
		size_t len;

		if (*p == '\\') {
			if (!escape(c))
				return bad_value(c, what);
			continue;
		}
		len = *p < 0x20 || *p == 0x7f ? 0 : utf8_len(p, c->n - c->at);
		if (len == 0)
			return bad_value(c, what);
		c->at += len;
	}
	*ret = c->p + start;
	*ret_len = c->at - start;
	return expect(c, "\"");
}

/* The value of a digit and 16; 0: it is none. */
static const uint8_t hex_values[256] = {
	['0'] = 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, ['a'] = 26, 27, 28, 29, 30, 31,
};

bool manifest_unhex(const char *hex, uint8_t out[32])
{
	unsigned all = 16;

	for (size_t i = 0; i < 32; i++) {
		uint8_t hi = hex_values[(unsigned char)hex[2 * i]];
		uint8_t lo = hex_values[(unsigned char)hex[2 * i + 1]];

		all &= hi & lo;
		out[i] = (uint8_t)(hi << 4 | (lo & 15));
	}
	return all != 0;
}

void manifest_hex(const uint8_t in[32], char out[65])
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < 32; i++) {
		out[2 * i] = digits[in[i] >> 4];
		out[2 * i + 1] = digits[in[i] & 15];
	}
	out[64] = '\0';
}

static int digest(struct cursor *c, uint8_t out[32])
{
	if (!take(c, "\"") || c->n - c->at < 65 || !manifest_unhex(c->p + c->at, out))
		return bad_value(c, "digest");
	c->at += 64;
	return expect(c, "\"");
}

/* --- dates ---------------------------------------- */

static bool digits(struct cursor *c, int n, int64_t *ret)
{
	int64_t v = 0;

	for (int i = 0; i < n; i++) {
		if (c->at >= c->n || c->p[c->at] < '0' || c->p[c->at] > '9')
			return false;
		v = v * 10 + (c->p[c->at++] - '0');
	}
	*ret = v;
	return true;
}

/* Reads a date of the Gregorian calendar (years 1970..9999) as days since 1970-01-01. */
static bool date(struct cursor *c, int64_t *ret_days)
{
	static const int64_t before[12] = { 0,   31,  59,  90,  120, 151,
					    181, 212, 243, 273, 304, 334 };
	static const int64_t length[12] = { 31, 28, 31, 30, 31, 30,
					    31, 31, 30, 31, 30, 31 };
	int64_t y, m, d, last;
	bool leap;

	if (!digits(c, 4, &y) || !take(c, "-") || !digits(c, 2, &m) || !take(c, "-") ||
	    !digits(c, 2, &d) || y < 1970 || m < 1 || m > 12)
		return false;
	leap = (y % 4 == 0 && y % 100 != 0) || y % 400 == 0;
	last = length[m - 1] + (m == 2 && leap ? 1 : 0);
	if (d < 1 || d > last)
		return false;
	y--; /* leap days of the years before this one */
	*ret_days = (y - 1969) * 365 + (y / 4 - y / 100 + y / 400) - 477 +
		    before[m - 1] + (m > 2 && leap ? 1 : 0) + d - 1;
	return true;
}

/* Reads null or "YYYY-MM-DD": the day's first second, or with `last` its last one. */
static int day(struct cursor *c, const char *what, bool last, int64_t *ret)
{
	int64_t days;

	*ret = MANIFEST_NO_TIME;
	if (take(c, "null"))
		return 0;
	if (!take(c, "\"") || !date(c, &days) || !take(c, "\""))
		return bad_value(c, what);
	*ret = days * 86400 + (last ? 86399 : 0);
	return 0;
}

/* Reads null or "YYYY-MM-DDTHH:MM:SSZ". */
static int instant(struct cursor *c, const char *what, int64_t *ret)
{
	int64_t days, h, m, s;

	*ret = MANIFEST_NO_TIME;
	if (take(c, "null"))
		return 0;
	if (!take(c, "\"") || !date(c, &days) || !take(c, "T") || !digits(c, 2, &h) ||
	    !take(c, ":") || !digits(c, 2, &m) || !take(c, ":") || !digits(c, 2, &s) ||
	    !take(c, "Z\"") || h > 23 || m > 59 || s > 59)
		return bad_value(c, what);
	*ret = days * 86400 + h * 3600 + m * 60 + s;
	return 0;
}

/* --- the parts ---------------------------------------- */

#define TRY(x)                     \
	do {                       \
		int r_ = (x);      \
		if (r_ < 0)        \
			return r_; \
	} while (0)

/* Reads null, or the SHA-256 of the preceding manifest. */
static int previous(struct cursor *c, struct manifest *m)
{
	uint8_t sum[32];

	m->previous[0] = '\0';
	if (take(c, "null"))
		return 0;
	TRY(digest(c, sum));
	manifest_hex(sum, m->previous);
	return 0;
}

/* Reads null, or the number of keys that must have signed. */
static int keys(struct cursor *c, struct manifest *m)
{
	uint64_t n;

	if (take(c, "null"))
		return 0;
	TRY(expect(c, "{\"threshold\": "));
	TRY(number(c, "threshold", &n));
	if (n == 0)
		return bad_value(c, "threshold");
	if (n > 1)
		return rt_fail(c->err, EPROTONOSUPPORT,
			       "it asks for the signatures of %llu keys, which this "
			       "version does not count", (unsigned long long)n);
	m->threshold = 1;
	return expect(c, "}");
}

/* A field on which only a later version acts. If it is set, the manifest is refused: what
 * it asks for must not be ignored. */
static int later(struct cursor *c, const char *what)
{
	if (take(c, "null"))
		return 0;
	return rt_fail(c->err, EPROTONOSUPPORT,
		       "its manifest has %s, which this version does not support", what);
}

static int parse_head(struct cursor *c, struct manifest *m)
{
	const char *name, *version;
	size_t len, vlen;

	TRY(expect(c, "{\n  \"format\": "));
	TRY(number(c, "format version", &m->format));
	if (m->format < PB_BUNDLE_FORMAT_FIRST || m->format > PB_BUNDLE_FORMAT)
		return rt_fail(c->err, EPROTONOSUPPORT,
			       "bundle format %llu is not one of this version's (%u to %u)",
			       (unsigned long long)m->format, PB_BUNDLE_FORMAT_FIRST,
			       PB_BUNDLE_FORMAT);
	TRY(expect(c, ",\n  \"name\": "));
	TRY(string(c, "name", &name, &len));
	if (len > MANIFEST_MAX_NAME)
		return rt_fail(
			c->err, EBADMSG,
			"the policy's name in manifest.json is longer than %d bytes",
			MANIFEST_MAX_NAME);
	for (size_t i = 0; i < len; i++) {
		if (name[i] == '\\' || (unsigned char)name[i] >= 0x7f)
			return bad_value(c, "name");
	}
	memcpy(m->name, name, len);
	m->name[len] = '\0';
	TRY(expect(c, ",\n  \"serial\": "));
	TRY(number(c, "serial", &m->serial));
	TRY(expect(c, ",\n  \"previous\": "));
	TRY(previous(c, m));
	TRY(expect(c, ",\n  \"created\": "));
	TRY(instant(c, "time of creation", &m->created));
	TRY(expect(c, ",\n  \"not_before\": "));
	TRY(day(c, "first day", false, &m->not_before));
	TRY(expect(c, ",\n  \"not_after\": "));
	TRY(day(c, "last day", true, &m->not_after));
	TRY(expect(c, ",\n  \"compiler\": "));
	return string(c, "compiler version", &version, &vlen);
}

/* Reads a list with one element per line, by `one`. An empty list is "[]". */
static int list(struct cursor *c, struct manifest *m,
		int (*one)(struct cursor *c, struct manifest *m))
{
	if (take(c, "[]"))
		return 0;
	TRY(expect(c, "["));
	do {
		TRY(expect(c, "\n    "));
		TRY(one(c, m));
	} while (take(c, ","));
	return expect(c, "\n  ]");
}

static int feature(struct cursor *c, struct manifest *m)
{
	const char *name;
	size_t len;

	(void)m;
	TRY(string(c, "feature", &name, &len));
	if (!member_feature_known(name, len))
		return rt_fail(
			c->err, EPROTONOSUPPORT,
			"the bundle requires '%.*s', which this version does not know",
			(int)(len < 64 ? len : 64), name);
	return 0;
}

/* Reads null, or the version of libnftables that made nft.batch (null: there is no
 * nft.batch). */
static int nft(struct cursor *c, struct manifest *m)
{
	const char *version;
	size_t len;

	if (take(c, "null"))
		return 0;
	TRY(expect(c, "{\"libnftables\": "));
	if (!take(c, "null"))
		TRY(string(c, "version of libnftables", &version, &len));
	TRY(expect(c, ", \"batch\": "));
	m->nft_batch = take(c, "true");
	if (!m->nft_batch && !take(c, "false"))
		return bad_value(c, "'batch'");
	return expect(c, "}");
}

/* Room for one more: the array doubles. */
static struct manifest_source *next_source(struct manifest *m)
{
	size_t n = m->nsources;
	struct manifest_source *v = m->sources;

	if ((n & (n - 1)) == 0) /* 0 and the powers of two: it is full */
		v = realloc(v, (n ? 2 * n : 1) * sizeof(*v));
	if (!v)
		return NULL;
	m->sources = v;
	return &v[n];
}

static int source(struct cursor *c, struct manifest *m)
{
	static const char *const levels[] = { "managed", "managed-file", "project",
					      "user", "default" };
	struct manifest_source *src = next_source(m);
	const char *text;
	size_t len, i;
	uint64_t size;

	if (m->nsources >= MAX_SOURCES)
		return rt_fail(c->err, E2BIG,
			       "manifest.json lists more than %u sources", MAX_SOURCES);
	if (!src)
		return rt_fail(c->err, ENOMEM, "out of memory");
	TRY(expect(c, "{\"level\": "));
	TRY(string(c, "level", &text, &len));
	for (i = 0; i < 5; i++) {
		if (strlen(levels[i]) == len && memcmp(levels[i], text, len) == 0)
			break;
	}
	if (i == 5)
		return bad_value(c, "level");
	src->level = (uint8_t)(PB_MANAGED + i);
	m->levels |= 1u << src->level;
	TRY(expect(c, ", \"narrow\": "));
	if (!take(c, "true") && !take(c, "false"))
		return bad_value(c, "'narrow'");
	TRY(expect(c, ", \"name\": "));
	TRY(string(c, "source name", &src->name, &src->name_len));
	TRY(expect(c, ", \"path\": "));
	if (!take(c, "null")) {
		TRY(string(c, "source path", &text, &len));
		if (!tar_path_ok(text, len) || !member_is_source(text, len))
			return bad_value(c, "source path");
	}
	TRY(expect(c, ", \"size\": "));
	TRY(number(c, "size", &size));
	TRY(expect(c, ", \"blake2b\": "));
	TRY(digest(c, src->b2));
	m->nsources++;
	return expect(c, "}");
}

/* Order and uniqueness: ranks ascend, and sources are in byte order. */
static bool follows(const struct manifest_member *a, const struct manifest_member *b)
{
	int ra = member_rank(a->path, a->path_len),
	    rb = member_rank(b->path, b->path_len);
	size_t n = a->path_len < b->path_len ? a->path_len : b->path_len;
	int cmp;

	if (ra != rb)
		return ra < rb;
	cmp = memcmp(a->path, b->path, n);
	return cmp < 0 || (cmp == 0 && a->path_len < b->path_len);
}

static int member(struct cursor *c, struct manifest *m)
{
	struct manifest_member *mm = &m->members[m->nmembers];

	if (m->nmembers == PB_MAX_MEMBERS)
		return rt_fail(c->err, E2BIG, "the bundle has more than %u members",
			       PB_MAX_MEMBERS);
	TRY(expect(c, "{\"path\": "));
	TRY(string(c, "member path", &mm->path, &mm->path_len));
	if (!tar_path_ok(mm->path, mm->path_len))
		return bad_value(c, "member path");
	if (member_rank(mm->path, mm->path_len) < 0)
		return rt_fail(c->err, EPROTONOSUPPORT,
			       "member '%.*s' is not known to this version",
			       (int)mm->path_len, mm->path);
	TRY(expect(c, ", \"size\": "));
	TRY(number(c, "size", &mm->size));
	TRY(expect(c, ", \"blake2b\": "));
	TRY(digest(c, mm->b2));
	TRY(expect(c, "}"));
	if (m->nmembers > 0 && !follows(mm - 1, mm))
		return rt_fail(
			c->err, EBADMSG,
			"member '%.*s' is repeated or out of order in manifest.json",
			(int)mm->path_len, mm->path);
	m->nmembers++;
	return 0;
}

static int parse(struct cursor *c, struct manifest *m)
{
	TRY(parse_head(c, m));
	TRY(expect(c, ",\n  \"features\": "));
	TRY(list(c, m, feature));
	TRY(expect(c, ",\n  \"nft\": "));
	TRY(nft(c, m));
	TRY(expect(c, ",\n  \"sources\": "));
	TRY(list(c, m, source));
	TRY(expect(c, ",\n  \"keys\": "));
	TRY(keys(c, m));
	TRY(expect(c, ",\n  \"parent\": "));
	TRY(later(c, "a managed bundle above it ('parent')"));
	TRY(expect(c, ",\n  \"members\": "));
	TRY(list(c, m, member));
	TRY(expect(c, ",\n  \"changes\": "));
	TRY(later(c, "a change statement ('changes')"));
	TRY(expect(c, "\n}\n"));
	if (c->at != c->n)
		return rt_fail(c->err, EBADMSG,
			       "bytes follow the end of manifest.json");
	return 0;
}

int manifest_parse(const uint8_t *bytes, size_t size, struct manifest *ret,
		   struct rt_err *err)
{
	struct cursor c = { (const char *)bytes, size, 0, err };
	struct manifest m = { .serial = 0 };
	int r;

	if (size > MANIFEST_MAX_BYTES)
		return rt_fail(err, EFBIG, "manifest.json is larger than %zu bytes",
			       MANIFEST_MAX_BYTES);
	m.members = calloc(PB_MAX_MEMBERS + 1, sizeof(*m.members));
	if (!m.members)
		return rt_fail(err, ENOMEM, "out of memory");
	r = parse(&c, &m);
	if (r < 0) {
		manifest_release(&m);
		return r;
	}
	*ret = m;
	return 0;
}

void manifest_release(struct manifest *m)
{
	free(m->members);
	free(m->sources);
	m->sources = NULL;
	m->members = NULL;
	m->nmembers = 0;
}
