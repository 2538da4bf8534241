/*
 * Walks the manifest's bytes along its fixed text. Every key, bracket and blank is
 * expected at its place, so only values are read. compiler/bundle/manifest.c writes it;
 * doc/bundle-format.md has the grammar.
 */
#include "runtime/bundle/manifest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/bundle/canonical.h"
#include "runtime/bundle/check.h"
#include "runtime/bundle/format.h"
#include "runtime/bundle/members.h"
#include "runtime/bundle/tar.h"

#define MAX_SOURCES 4096u

/* --- dates ---------------------------------------- */

static bool digits(struct canonical *c, int n, int64_t *ret)
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
static bool date(struct canonical *c, int64_t *ret_days)
{
	static const int64_t before[12] = { 0,   31,  59,  90,  120, 151,
					    181, 212, 243, 273, 304, 334 };
	static const int64_t length[12] = { 31, 28, 31, 30, 31, 30,
					    31, 31, 30, 31, 30, 31 };
	int64_t y, m, d, last;
	bool leap;

	if (!digits(c, 4, &y) || !canonical_take(c, "-") || !digits(c, 2, &m) || !canonical_take(c, "-") ||
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
static int day(struct canonical *c, const char *what, bool last, int64_t *ret)
{
	int64_t days;

	*ret = MANIFEST_NO_TIME;
	if (canonical_take(c, "null"))
		return 0;
	if (!canonical_take(c, "\"") || !date(c, &days) || !canonical_take(c, "\""))
		return canonical_bad(c, what);
	*ret = days * 86400 + (last ? 86399 : 0);
	return 0;
}

/* Reads null or "YYYY-MM-DDTHH:MM:SSZ". */
static int instant(struct canonical *c, const char *what, int64_t *ret)
{
	int64_t days, h, m, s;

	*ret = MANIFEST_NO_TIME;
	if (canonical_take(c, "null"))
		return 0;
	if (!canonical_take(c, "\"") || !date(c, &days) || !canonical_take(c, "T") || !digits(c, 2, &h) ||
	    !canonical_take(c, ":") || !digits(c, 2, &m) || !canonical_take(c, ":") || !digits(c, 2, &s) ||
	    !canonical_take(c, "Z\"") || h > 23 || m > 59 || s > 59)
		return canonical_bad(c, what);
	*ret = days * 86400 + h * 3600 + m * 60 + s;
	return 0;
}

/* --- the parts ---------------------------------------- */

/* Reads null, or the SHA-256 of the preceding manifest. */
static int previous(struct canonical *c, struct manifest *m)
{
	uint8_t sum[32];

	m->previous[0] = '\0';
	if (canonical_take(c, "null"))
		return 0;
	CHECK_TRY(canonical_digest(c, sum));
	canonical_hex(sum, m->previous);
	return 0;
}

/* Reads null, or the number of keys that must have signed. */
static int keys(struct canonical *c, struct manifest *m)
{
	uint64_t n;

	if (canonical_take(c, "null"))
		return 0;
	CHECK_TRY(canonical_expect(c, "{\"threshold\": "));
	CHECK_TRY(canonical_number(c, "threshold", &n));
	if (n == 0)
		return canonical_bad(c, "threshold");
	if (n > 1)
		return rt_fail(c->err, EPROTONOSUPPORT,
			       "it asks for the signatures of %llu keys, which this "
			       "version does not count", (unsigned long long)n);
	m->threshold = 1;
	return canonical_expect(c, "}");
}

/* A field on which only a later version acts. If it is set, the manifest is refused: what
 * it asks for must not be ignored. */
static int later(struct canonical *c, const char *what)
{
	if (canonical_take(c, "null"))
		return 0;
	return rt_fail(c->err, EPROTONOSUPPORT,
		       "its manifest has %s, which this version does not support", what);
}

static int parse_head(struct canonical *c, struct manifest *m)
{
	const char *name, *version;
	size_t len, vlen;

	CHECK_TRY(canonical_expect(c, "{\n  \"format\": "));
	CHECK_TRY(canonical_number(c, "format version", &m->format));
	if (m->format < PB_BUNDLE_FORMAT_FIRST || m->format > PB_BUNDLE_FORMAT)
		return rt_fail(c->err, EPROTONOSUPPORT,
			       "bundle format %llu is not one of this version's (%u to %u): " BUNDLE_OTHER_POLC,
			       (unsigned long long)m->format, PB_BUNDLE_FORMAT_FIRST,
			       PB_BUNDLE_FORMAT);
	CHECK_TRY(canonical_expect(c, ",\n  \"name\": "));
	CHECK_TRY(canonical_string(c, "name", &name, &len));
	if (len > MANIFEST_MAX_NAME)
		return rt_fail(
			c->err, EBADMSG,
			"the policy's name in manifest.json is longer than %d bytes",
			MANIFEST_MAX_NAME);
	for (size_t i = 0; i < len; i++) {
		if (name[i] == '\\' || (unsigned char)name[i] >= 0x7f)
			return canonical_bad(c, "name");
	}
	memcpy(m->name, name, len);
	m->name[len] = '\0';
	CHECK_TRY(canonical_expect(c, ",\n  \"serial\": "));
	CHECK_TRY(canonical_number(c, "serial", &m->serial));
	CHECK_TRY(canonical_expect(c, ",\n  \"previous\": "));
	CHECK_TRY(previous(c, m));
	CHECK_TRY(canonical_expect(c, ",\n  \"created\": "));
	CHECK_TRY(instant(c, "time of creation", &m->created));
	CHECK_TRY(canonical_expect(c, ",\n  \"not_before\": "));
	CHECK_TRY(day(c, "first day", false, &m->not_before));
	CHECK_TRY(canonical_expect(c, ",\n  \"not_after\": "));
	CHECK_TRY(day(c, "last day", true, &m->not_after));
	CHECK_TRY(canonical_expect(c, ",\n  \"compiler\": "));
	return canonical_string(c, "compiler version", &version, &vlen);
}

static int feature(struct canonical *c, void *of)
{
	const char *name;
	size_t len;

	(void)of;
	CHECK_TRY(canonical_string(c, "feature", &name, &len));
	if (!member_feature_known(name, len))
		return rt_fail(
			c->err, EPROTONOSUPPORT,
			"the bundle requires '%.*s', which this version does not know: " BUNDLE_OTHER_POLC,
			(int)(len < 64 ? len : 64), name);
	return 0;
}

/* Reads null, or the version of libnftables that made nft.batch (null: there is no
 * nft.batch). */
static int nft(struct canonical *c, struct manifest *m)
{
	const char *version;
	size_t len;

	if (canonical_take(c, "null"))
		return 0;
	CHECK_TRY(canonical_expect(c, "{\"libnftables\": "));
	if (!canonical_take(c, "null"))
		CHECK_TRY(canonical_string(c, "version of libnftables", &version, &len));
	CHECK_TRY(canonical_expect(c, ", \"batch\": "));
	m->nft_batch = canonical_take(c, "true");
	if (!m->nft_batch && !canonical_take(c, "false"))
		return canonical_bad(c, "'batch'");
	return canonical_expect(c, "}");
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

static int source(struct canonical *c, void *of)
{
	static const char *const levels[] = { "managed", "managed-file", "project",
					      "user", "default" };
	struct manifest *m = of;
	struct manifest_source *src = next_source(m);
	const char *text;
	size_t len, i;
	uint64_t size;

	if (m->nsources >= MAX_SOURCES)
		return rt_fail(c->err, E2BIG,
			       "manifest.json lists more than %u sources", MAX_SOURCES);
	if (!src)
		return rt_fail(c->err, ENOMEM, "out of memory");
	CHECK_TRY(canonical_expect(c, "{\"level\": "));
	CHECK_TRY(canonical_string(c, "level", &text, &len));
	for (i = 0; i < 5; i++) {
		if (strlen(levels[i]) == len && memcmp(levels[i], text, len) == 0)
			break;
	}
	if (i == 5)
		return canonical_bad(c, "level");
	src->level = (uint8_t)(PB_MANAGED + i);
	m->levels |= 1u << src->level;
	CHECK_TRY(canonical_expect(c, ", \"narrow\": "));
	if (!canonical_take(c, "true") && !canonical_take(c, "false"))
		return canonical_bad(c, "'narrow'");
	CHECK_TRY(canonical_expect(c, ", \"name\": "));
	CHECK_TRY(canonical_string(c, "source name", &src->name, &src->name_len));
	CHECK_TRY(canonical_expect(c, ", \"path\": "));
	if (!canonical_take(c, "null")) {
		CHECK_TRY(canonical_string(c, "source path", &text, &len));
		if (!tar_path_ok(text, len) || !member_is_source(text, len))
			return canonical_bad(c, "source path");
	}
	CHECK_TRY(canonical_expect(c, ", \"size\": "));
	CHECK_TRY(canonical_number(c, "size", &size));
	CHECK_TRY(canonical_expect(c, ", \"blake2b\": "));
	CHECK_TRY(canonical_digest(c, src->b2));
	m->nsources++;
	return canonical_expect(c, "}");
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

static int member(struct canonical *c, void *of)
{
	struct manifest *m = of;
	struct manifest_member *mm = &m->members[m->nmembers];

	if (m->nmembers == PB_MAX_MEMBERS)
		return rt_fail(c->err, E2BIG, "the bundle has more than %u members",
			       PB_MAX_MEMBERS);
	CHECK_TRY(canonical_expect(c, "{\"path\": "));
	CHECK_TRY(canonical_string(c, "member path", &mm->path, &mm->path_len));
	if (!tar_path_ok(mm->path, mm->path_len))
		return canonical_bad(c, "member path");
	if (member_rank(mm->path, mm->path_len) < 0)
		return rt_fail(c->err, EPROTONOSUPPORT,
			       "member '%.*s' is not known to this version: " BUNDLE_OTHER_POLC,
			       (int)mm->path_len, mm->path);
	CHECK_TRY(canonical_expect(c, ", \"size\": "));
	CHECK_TRY(canonical_number(c, "size", &mm->size));
	CHECK_TRY(canonical_expect(c, ", \"blake2b\": "));
	CHECK_TRY(canonical_digest(c, mm->b2));
	CHECK_TRY(canonical_expect(c, "}"));
	if (m->nmembers > 0 && !follows(mm - 1, mm))
		return rt_fail(
			c->err, EBADMSG,
			"member '%.*s' is repeated or out of order in manifest.json",
			(int)mm->path_len, mm->path);
	m->nmembers++;
	return 0;
}

/* Reads null, or what this bundle permits beyond the one before, which is then named. */
static int changes(struct canonical *c, struct manifest *m)
{
	if (canonical_take(c, "null"))
		return 0;
	if (!m->previous[0])
		return rt_fail(c->err, EBADMSG, "manifest.json has a change statement, and "
			       "names no previous manifest");
	m->changes = malloc(sizeof(*m->changes));
	if (!m->changes)
		return rt_fail(c->err, ENOMEM, "out of memory");
	CHECK_TRY(changes_read(c, m->changes));
	if (m->changes->serial >= m->serial)
		return rt_fail(c->err, EBADMSG, "manifest.json has a change statement against "
			       "a serial that is not lower than its own");
	return 0;
}

static int parse(struct canonical *c, struct manifest *m)
{
	CHECK_TRY(parse_head(c, m));
	CHECK_TRY(canonical_expect(c, ",\n  \"features\": "));
	CHECK_TRY(canonical_list(c, 4, feature, m));
	CHECK_TRY(canonical_expect(c, ",\n  \"nft\": "));
	CHECK_TRY(nft(c, m));
	CHECK_TRY(canonical_expect(c, ",\n  \"sources\": "));
	CHECK_TRY(canonical_list(c, 4, source, m));
	CHECK_TRY(canonical_expect(c, ",\n  \"keys\": "));
	CHECK_TRY(keys(c, m));
	CHECK_TRY(canonical_expect(c, ",\n  \"parent\": "));
	CHECK_TRY(later(c, "a managed bundle above it ('parent')"));
	CHECK_TRY(canonical_expect(c, ",\n  \"members\": "));
	CHECK_TRY(canonical_list(c, 4, member, m));
	CHECK_TRY(canonical_expect(c, ",\n  \"changes\": "));
	CHECK_TRY(changes(c, m));
	CHECK_TRY(canonical_expect(c, "\n}\n"));
	if (c->at != c->n)
		return rt_fail(c->err, EBADMSG,
			       "bytes follow the end of manifest.json");
	return 0;
}

int manifest_parse(const uint8_t *bytes, size_t size, struct manifest *ret,
		   struct rt_err *err)
{
	struct canonical c = { (const char *)bytes, size, 0, err };
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
	free(m->changes);
	m->changes = NULL;
	m->sources = NULL;
	m->members = NULL;
	m->nmembers = 0;
}
