/* Decides what in a server's answer are addresses of the name that was asked for. */
#include "runtime/egress/dns_answer.h"

#include <string.h>

#include "runtime/base/host.h"

enum { CLASS_IN = 1, TYPE_CNAME = 5, MAX_RECORDS = 256 };

static uint16_t u16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static void put16(uint8_t *p, unsigned v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

size_t dns_ask(uint16_t id, const char *name, enum dns_type type, uint8_t out[DNS_ASK_MAX])
{
	size_t at = DNS_HEADER;

	memset(out, 0, DNS_ASK_MAX);
	put16(out, id);
	out[2] = 0x01; /* recursion desired */
	out[5] = 1;    /* one question */
	out[11] = 1;   /* and the OPT record */
	while (*name) {
		size_t n = strcspn(name, ".");

		if (n == 0 || n > 63 || at + n + 32 > DNS_ASK_MAX)
			return 0;
		out[at++] = (uint8_t)n;
		memcpy(out + at, name, n);
		at += n;
		name += n;
		if (*name == '.' && name[1])
			name++;
		else if (*name)
			return 0;
	}
	at++; /* the root */
	put16(out + at, type);
	put16(out + at + 2, CLASS_IN);
	at += 4;
	/* OPT: the root, its type, what we can receive, no flags, no options */
	put16(out + at + 1, DNS_OPT);
	put16(out + at + 3, DNS_ASK_UDP);
	return at + 11;
}

/*
 * Reads the name at *at as text in lower case, and moves *at behind it.  Bytes that no
 * host name has become '?', so that such a name equals none.  Every pointer leads to an
 * earlier byte than the one before it, so this ends.
 */
static bool read_name(const uint8_t *p, size_t n, size_t *at, char ret[256])
{
	size_t i = *at, len = 0, least = *at;
	bool jumped = false;

	for (;;) {
		uint8_t c;

		if (i >= n)
			return false;
		c = p[i];
		if (c == 0)
			break;
		if ((c & 0xc0) == 0xc0) {
			size_t to;

			if (i + 1 >= n)
				return false;
			to = (size_t)(c & 0x3f) << 8 | p[i + 1];
			if (to >= least)
				return false;
			if (!jumped)
				*at = i + 2;
			jumped = true;
			least = i = to;
			continue;
		}
		if ((c & 0xc0) || i + 1 + c > n || len + c + 1 > EGRESS_NAME_MAX + 1)
			return false;
		if (len > 0)
			ret[len++] = '.';
		for (size_t k = 0; k < c; k++) {
			char b = egress_host_byte(p[i + 1 + k]);

			ret[len++] = b ? b : '?';
		}
		i += 1 + (size_t)c;
	}
	ret[len] = '\0';
	if (!jumped)
		*at = i + 1;
	return true;
}

struct record_head {
	char name[256];
	uint16_t type, class_;
	uint32_t ttl;
	size_t data, length;
};

static bool read_record(const uint8_t *p, size_t n, size_t *at, struct record_head *ret)
{
	if (!read_name(p, n, at, ret->name) || n - *at < 10)
		return false;
	ret->type = u16(p + *at);
	ret->class_ = u16(p + *at + 2);
	ret->ttl = (uint32_t)u16(p + *at + 4) << 16 | u16(p + *at + 6);
	ret->length = u16(p + *at + 8);
	ret->data = *at + 10;
	if (ret->length > n - ret->data)
		return false;
	*at = ret->data + ret->length;
	return true;
}

static void add(struct dns_answer *a, const uint8_t *p, size_t n)
{
	if (a->count == DNS_ANSWER_ADDRESSES)
		return;
	if (n == 4)
		host_map_v4(a->addr[a->count], p);
	else
		memcpy(a->addr[a->count], p, n);
	a->count++;
}

/*
 * One pass over the answers, for the name `now`.  A CNAME of it makes *next.  The number
 * of addresses that were added, or -1.
 */
static int take(struct dns_answer *ret, const uint8_t *p, size_t n, size_t at,
		unsigned records, enum dns_type type, const char *now, char next[256])
{
	size_t bytes = type == DNS_A ? 4 : 16;
	struct record_head r;
	int got = 0;

	next[0] = '\0';
	for (unsigned i = 0; i < records; i++) {
		if (!read_record(p, n, &at, &r))
			return -1;
		if (r.class_ != CLASS_IN || strcmp(r.name, now) != 0)
			continue;
		if (r.type == (uint16_t)type && r.length == bytes) {
			add(ret, p + r.data, bytes);
			got++;
		} else if (r.type == TYPE_CNAME && !next[0]) {
			size_t data = r.data;

			if (!read_name(p, n, &data, next))
				return -1;
		} else {
			continue;
		}
		/* a TTL with the highest bit is 0 (RFC 2181) */
		if (r.ttl > INT32_MAX)
			r.ttl = 0;
		if (r.ttl < ret->ttl)
			ret->ttl = r.ttl;
	}
	return got;
}

enum dns_answered dns_answer_read(struct dns_answer *ret, const uint8_t *p, size_t n,
				  uint16_t id, const char *name, enum dns_type type)
{
	char now[256], next[256];
	size_t at = DNS_HEADER;
	unsigned rcode, records;

	if (n < DNS_HEADER || u16(p) != id || !(p[2] & 0x80) || (p[2] & 0x78))
		return DNS_A_FOREIGN;
	rcode = p[3] & 0x0f;
	records = u16(p + 6);
	if (u16(p + 4) != 1) /* some servers answer an error without the question */
		return rcode && u16(p + 4) == 0 ? DNS_A_FAILED : DNS_A_FOREIGN;
	if (!read_name(p, n, &at, now) || n - at < 4 || strcmp(now, name) != 0 ||
	    u16(p + at) != (uint16_t)type || u16(p + at + 2) != CLASS_IN)
		return DNS_A_FOREIGN;
	at += 4;
	if (p[2] & 0x02)
		return DNS_A_TRUNCATED;
	if (rcode == DNS_NXDOMAIN)
		return DNS_A_NONE;
	if (rcode != DNS_NOERROR || records > MAX_RECORDS)
		return DNS_A_FAILED;
	for (int i = 0; i < DNS_ANSWER_CNAMES; i++) {
		int got = take(ret, p, n, at, records, type, now, next);

		if (got < 0)
			return DNS_A_FAILED;
		if (got > 0)
			return DNS_A_ADDRESSES;
		if (!next[0])
			return DNS_A_NONE;
		memcpy(now, next, sizeof(now));
	}
	return DNS_A_FAILED;
}
