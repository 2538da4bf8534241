/*
 * Reads a list of allowed signers and decides whether one of its lines allows a key.
 * trust.c decides which list is used and who must have written it.
 */
#include "runtime/bundle/signers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "runtime/base/io.h"
#include "runtime/bundle/sshsig.h"

#define NO_TIME INT64_MIN

struct line {
	const char *p; /* the unread rest of the line */
	size_t n;
	unsigned number;
	const char *principals;
	size_t principals_n;
	bool authority;
	bool has_namespaces, namespace_ok;
	int64_t after, before;
	struct sshkey key;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static void skip(struct line *l, size_t n)
{
	l->p += n;
	l->n -= n;
}

static void skip_blanks(struct line *l)
{
	while (l->n && is_blank(l->p[0]))
		skip(l, 1);
}

static size_t word_len(const struct line *l)
{
	size_t n = 0;

	while (n < l->n && !is_blank(l->p[n]))
		n++;
	return n;
}

static int bad(const struct line *l, struct rt_err *err, const char *what)
{
	return rt_fail(err, EBADMSG, "line %u %s", l->number, what);
}

/* --- patterns ---------------------------------------- */

/* Matches one pattern. Only the last '*' has to be tried again. */
static bool match_one(const char *p, size_t pn, const char *s, size_t sn)
{
	size_t i = 0, k = 0, star = SIZE_MAX, from = 0;

	while (k < sn) {
		if (i < pn && p[i] == '*') {
			star = i++;
			from = k;
		} else if (i < pn && (p[i] == '?' || p[i] == s[k])) {
			i++;
			k++;
		} else if (star != SIZE_MAX) {
			i = star + 1;
			k = ++from;
		} else {
			return false;
		}
	}
	while (i < pn && p[i] == '*')
		i++;
	return i == pn;
}

bool signers_match(const char *list, size_t n, const char *name, size_t name_n)
{
	bool found = false;

	for (size_t i = 0; i < n;) {
		const char *comma = memchr(list + i, ',', n - i);
		size_t end = comma ? (size_t)(comma - list) : n;
		bool no = list[i] == '!';

		if (match_one(list + i + no, end - i - no, name, name_n)) {
			if (no)
				return false;
			found = true;
		}
		i = end + 1;
	}
	return found;
}

/* A name that the pattern matches, with some text for each wildcard. */
static size_t witness(const char *p, size_t n, size_t nth, char *out, size_t cap)
{
	static const char *const fills[] = { "", "x", "0 ~", "\x7f" };
	const char *fill = fills[nth], *one = &"xq0\x7f"[nth];
	size_t len = 0;

	for (size_t i = 0; i < n; i++) {
		const char *from = p[i] == '*' ? fill : p[i] == '?' ? one : &p[i];
		size_t k = p[i] == '*' ? strlen(fill) : 1;

		if (k > cap - len)
			return SIZE_MAX;
		memcpy(out + len, from, k);
		len += k;
	}
	return len;
}

/*
 * Could somebody sign as one of the names? "alice,!alice" allows nobody. If filling in
 * the wildcards produces no name, the list also counts as one that allows nobody. We may
 * refuse a list that ssh-keygen accepts, but must not accept one that it refuses.
 */
static bool allows_somebody(const char *list, size_t n)
{
	char name[SIGNERS_MAX_VALUE];
	size_t tried = 0;

	/* each attempt walks the whole list */
	for (size_t i = 0; i < n && tried < 64;) {
		const char *comma = memchr(list + i, ',', n - i);
		size_t end = comma ? (size_t)(comma - list) : n;

		for (size_t f = 0; f < 4 && end > i && list[i] != '!'; f++) {
			size_t len = witness(list + i, end - i, f, name, sizeof(name));

			tried += f == 0;
			if (len != SIZE_MAX && len && signers_match(list, n, name, len))
				return true;
		}
		i = end + 1;
	}
	return false;
}

/* --- times ---------------------------------------- */

/* Reads times like OpenSSH: in the system's time zone. The caller can set TZ, so TZ must
 * not move the day on which a key expires. */
static int64_t local_time(struct tm *tm)
{
	const char *tz = getenv("TZ");
	AUTO_FREE char *keep = tz ? strdup(tz) : NULL;
	time_t t;

	if (tz && !keep)
		return -1;
	if (tz)
		(void)unsetenv("TZ");
	tzset();
	tm->tm_isdst = -1;
	t = mktime(tm);
	if (keep)
		(void)setenv("TZ", keep, 1);
	tzset();
	return (int64_t)t;
}

static bool two(const char *p, int *ret)
{
	if (p[0] < '0' || p[0] > '9' || p[1] < '0' || p[1] > '9')
		return false;
	*ret = (p[0] - '0') * 10 + (p[1] - '0');
	return true;
}

/* Reads YYYYMMDD[HHMM[SS]], then Z or UTC, or nothing for local time. */
static bool read_time(const char *s, size_t n, int64_t *ret)
{
	struct tm tm = { .tm_sec = 0 };
	struct tm was;
	int century, year;
	bool utc = false;

	if (n > 1 && (s[n - 1] == 'Z' || s[n - 1] == 'z')) {
		utc = true;
		n--;
	} else if (n > 3 && strncasecmp(s + n - 3, "UTC", 3) == 0) {
		utc = true;
		n -= 3;
	}
	if ((n != 8 && n != 12 && n != 14) || !two(s, &century) || !two(s + 2, &year) ||
	    !two(s + 4, &tm.tm_mon) || !two(s + 6, &tm.tm_mday) ||
	    (n > 8 && (!two(s + 8, &tm.tm_hour) || !two(s + 10, &tm.tm_min))) ||
	    (n > 12 && !two(s + 12, &tm.tm_sec)))
		return false;
	tm.tm_year = century * 100 + year - 1900;
	tm.tm_mon -= 1;
	was = tm;
	*ret = utc ? (int64_t)timegm(&tm) : local_time(&tm);
	/* 31 February is not a day. A local hour may be skipped, but not a day. */
	return *ret >= 0 && tm.tm_year == was.tm_year && tm.tm_mon == was.tm_mon &&
	       tm.tm_mday == was.tm_mday && was.tm_hour < 24 && was.tm_min < 60 &&
	       was.tm_sec < 60;
}

/* --- a line ---------------------------------------- */

/* Reads the principals: a word, or text in double quotes, which may contain blanks. */
static int read_principals(struct line *l, struct rt_err *err)
{
	bool quoted = l->p[0] == '"';
	const char *end;

	if (quoted)
		skip(l, 1);
	l->principals = l->p;
	l->principals_n = word_len(l);
	if (quoted) {
		end = memchr(l->p, '"', l->n);
		if (!end)
			return bad(l, err, "has a quote that does not end");
		l->principals_n = (size_t)(end - l->p);
	} else if (memchr(l->p, '"', l->principals_n)) {
		return bad(l, err, "has a quote in the middle of a word");
	}
	skip(l, l->principals_n + quoted);
	if (l->n == 0)
		return bad(l, err, "has no key");
	if (!is_blank(l->p[0]))
		return bad(l, err, "has no blank after its principals");
	skip_blanks(l);
	if (l->n == 0)
		return bad(l, err, "has no key");
	return 0;
}

static bool take_name(struct line *l, const char *name)
{
	size_t n = strlen(name);

	if (l->n < n || strncasecmp(l->p, name, n) != 0)
		return false;
	skip(l, n);
	return true;
}

/* Reads ="VALUE", with \" for a quote. */
static int read_value(struct line *l, char out[SIGNERS_MAX_VALUE], size_t *ret_n,
		      struct rt_err *err)
{
	size_t n = 0;

	if (l->n == 0 || l->p[0] != '"')
		return bad(l, err, "has an option whose value is not in double quotes");
	skip(l, 1);
	while (l->n && l->p[0] != '"') {
		if (l->p[0] == '\\' && l->n > 1 && l->p[1] == '"')
			skip(l, 1);
		if (n == SIGNERS_MAX_VALUE)
			return bad(l, err, "has an option whose value is too long");
		out[n++] = l->p[0];
		skip(l, 1);
	}
	if (l->n == 0)
		return bad(l, err, "has a quote that does not end");
	skip(l, 1);
	*ret_n = n;
	return 0;
}

static int read_time_option(struct line *l, const char *name, int64_t *slot,
			    struct rt_err *err)
{
	char value[SIGNERS_MAX_VALUE], shown[40];
	size_t n;
	int r;

	if (*slot != NO_TIME)
		return rt_fail(err, EBADMSG, "line %u gives %s twice", l->number, name);
	r = read_value(l, value, &n, err);
	if (r < 0 || read_time(value, n, slot))
		return r;
	io_escape(shown, sizeof(shown), value, n);
	return rt_fail(err, EBADMSG,
		       "line %u: '%s' is no time for %s: write YYYYMMDD[HHMM[SS]][Z]",
		       l->number, shown, name);
}

static int read_namespaces(struct line *l, struct rt_err *err)
{
	char value[SIGNERS_MAX_VALUE];
	size_t n;
	int r;

	if (l->has_namespaces)
		return bad(l, err, "gives namespaces twice");
	r = read_value(l, value, &n, err);
	if (r < 0)
		return r;
	l->has_namespaces = true;
	l->namespace_ok =
		signers_match(value, n, SSHSIG_NAMESPACE, strlen(SSHSIG_NAMESPACE));
	return 0;
}

static int read_option(struct line *l, struct rt_err *err)
{
	char shown[60];

	if (take_name(l, "cert-authority")) {
		l->authority = true;
		return 0;
	}
	if (take_name(l, "namespaces="))
		return read_namespaces(l, err);
	if (take_name(l, "valid-after="))
		return read_time_option(l, "valid-after", &l->after, err);
	if (take_name(l, "valid-before="))
		return read_time_option(l, "valid-before", &l->before, err);
	io_escape(shown, sizeof(shown), l->p, word_len(l));
	return rt_fail(err, EBADMSG, "line %u has an unknown option or key type '%s'",
		       l->number, shown);
}

static int read_options(struct line *l, struct rt_err *err)
{
	for (;;) {
		int r = read_option(l, err);

		if (r < 0)
			return r;
		if (l->n == 0)
			return bad(l, err, "has no key");
		if (is_blank(l->p[0]))
			break;
		if (l->p[0] != ',' || l->n == 1 || is_blank(l->p[1]))
			return bad(l, err, "has options that cannot be read");
		skip(l, 1);
	}
	skip_blanks(l);
	if (l->after != NO_TIME && l->before != NO_TIME && l->before <= l->after)
		return bad(l, err,
			   "has a valid-before that is not after its valid-after");
	return 0;
}

/* Reads KEYTYPE BASE64; the rest is a comment. */
static int read_key(struct line *l, struct rt_err *err)
{
	uint8_t blob[SSHKEY_MAX_BLOB];
	size_t type_n = word_len(l), n = 0;
	const char *type = l->p;
	struct ssh_wire w;
	const uint8_t *name;
	size_t name_n;
	struct rt_err why = { 0 };

	if (!sshkey_is_type(type, type_n))
		return bad(l, err, "has no key type where one should be");
	skip(l, type_n);
	skip_blanks(l);
	/* A key of a type that is never looked for: its blob may have any length. */
	if (!ssh_wire_is((const uint8_t *)type, type_n, SSHKEY_ED25519_NAME) &&
	    !ssh_wire_is((const uint8_t *)type, type_n, SSHKEY_SK_ED25519_NAME))
		return -EPROTONOSUPPORT;
	if (l->n == 0)
		return bad(l, err, "has no key");
	if (!ssh_base64(l->p, word_len(l), false, blob, sizeof(blob), &n))
		return bad(l, err, "has a key that is not base64");
	w = (struct ssh_wire){ blob, n };
	if (!ssh_wire_string(&w, &name, &name_n) || name_n != type_n ||
	    memcmp(name, type, type_n) != 0)
		return bad(l, err, "has a key of another type than it says");
	if (sshkey_parse(blob, n, &l->key, &why) < 0)
		return rt_fail(err, why.err, "line %u: %s", l->number, why.text);
	return 0;
}

/* 0; -EPROTONOSUPPORT for a key of another type; or -errno with a message. */
static int read_line(struct line *l, struct rt_err *err)
{
	int r;

	if (memchr(l->p, 0, l->n))
		return bad(l, err, "holds a NUL byte");
	r = read_principals(l, err);
	if (r == 0 && !sshkey_is_type(l->p, word_len(l)))
		r = read_options(l, err);
	return r < 0 ? r : read_key(l, err);
}

/* --- decisions ---------------------------------------- */

/* The line has the key that we look for: does it allow this signature? */
static int judge(const struct line *l, const struct signers_query *q,
		 struct rt_err *err)
{
	char shown[SIGNERS_SHOWN_CAP];

	if (l->authority)
		return rt_fail(
			err, EKEYREJECTED,
			"line %u is for certificates (cert-authority), which are "
			"not supported",
			l->number);
	if (q->principal && !signers_match(l->principals, l->principals_n, q->principal,
					   strlen(q->principal))) {
		io_escape(shown, sizeof(shown), q->principal, strlen(q->principal));
		return rt_fail(err, EKEYREJECTED,
			       "line %u does not allow the key to sign as '%s'",
			       l->number, shown);
	}
	if (!q->principal && !allows_somebody(l->principals, l->principals_n))
		return rt_fail(err, EKEYREJECTED, "line %u allows nobody", l->number);
	if (l->has_namespaces && !l->namespace_ok)
		return rt_fail(err, EKEYREJECTED,
			       "line %u allows the key for other namespaces than "
			       "'" SSHSIG_NAMESPACE "'",
			       l->number);
	if (l->after != NO_TIME && q->now < l->after)
		return rt_fail(err, EKEYREJECTED,
			       "the key of line %u is not valid yet (valid-after)",
			       l->number);
	if (l->before != NO_TIME && q->now > l->before)
		return rt_fail(err, EKEYEXPIRED,
			       "the key of line %u has expired (valid-before)",
			       l->number);
	return 0;
}

static void tell(const struct line *l, const struct signers_query *q,
		 struct signers_found *ret)
{
	ret->line = l->number;
	if (q->principal)
		io_escape(ret->who, sizeof(ret->who), q->principal,
			  strlen(q->principal));
	else
		io_escape(ret->who, sizeof(ret->who), l->principals, l->principals_n);
}

/* Chooses the message if no line allows the key. */
static int nobody(const struct signers_query *q, unsigned lines,
		  const struct rt_err *no, const struct rt_err *unread,
		  struct rt_err *err)
{
	char fp[SSHKEY_FINGERPRINT_CAP];

	if (!lines)
		return rt_fail(err, ENODATA, "it is empty: it allows nobody");
	if (no->err)
		return rt_fail(err, no->err, "%s", no->text);
	sshkey_fingerprint(q->key, fp);
	return rt_fail(err, ENOKEY, "no line of it has the key %s%s%s", fp,
		       unread->err ? "; and " : "", unread->err ? unread->text : "");
}

int signers_find(const char *text, size_t n, const struct signers_query *q,
		 struct signers_found *ret, struct rt_err *err)
{
	struct rt_err no = { 0 }, unread = { 0 }, e;
	unsigned number = 0, lines = 0;

	for (size_t at = 0; at < n;) {
		const char *nl = memchr(text + at, '\n', n - at);
		size_t end = nl ? (size_t)(nl - text) : n;
		struct line l = { .p = text + at,
				  .n = end - at,
				  .number = ++number,
				  .after = NO_TIME,
				  .before = NO_TIME };

		at = end + 1;
		if (l.n && l.p[l.n - 1] == '\r')
			l.n--;
		skip_blanks(&l);
		if (l.n == 0 || l.p[0] == '#')
			continue;
		lines++;
		e.err = 0;
		if (read_line(&l, &e) < 0) {
			if (e.err && !unread.err)
				unread = e;
			continue;
		}
		if (!sshkey_equal(&l.key, q->key))
			continue;
		if (judge(&l, q, &e) == 0) {
			tell(&l, q, ret);
			return 0;
		}
		if (!no.err)
			no = e;
	}
	return nobody(q, lines, &no, &unread, err);
}
