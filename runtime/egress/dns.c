/*
 * DNS messages: reads queries and writes the answers to them (dns.h).  What the answer
 * is, the caller decides.
 */
#include "runtime/egress/dns.h"

#include <string.h>

#define LABEL_MAX 63
#define NAME_WIRE_MAX 255
#define CLASS_IN 1
#define OPCODE_QUERY 0

/* The flags of a header (RFC 1035 4.1.1, RFC 4035 3.2.2). */
#define FLAG_QR 0x8000u
#define FLAG_AA 0x0400u
#define FLAG_TC 0x0200u
#define FLAG_RD 0x0100u
#define FLAG_RA 0x0080u
#define FLAG_CD 0x0010u
#define OPT_DO 0x8000u
#define OPTION_EDE 15

static uint16_t get16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

/*
 * The question's name: labels and the root, without compression.  There is nothing
 * before it that a pointer could mean, and the other kinds of label are not in use.
 * Returns its length in the message, or 0.
 */
static size_t read_name(struct dns_query *q, const uint8_t *p, size_t n)
{
	size_t at = 0, text = 0;

	q->host = false;
	while (at < n && at < NAME_WIRE_MAX) {
		size_t label = p[at++];

		if (label == 0) {
			q->name[text] = '\0';
			q->name_n = text;
			return at;
		}
		/* the root's byte has to fit as well */
		if (label > LABEL_MAX || label >= n - at || at + label >= NAME_WIRE_MAX)
			return 0;
		if (text)
			q->name[text++] = '.';
		for (size_t i = 0; i < label; i++) {
			char c = egress_host_byte(p[at + i]);

			q->name[text++] = c ? c : '?';
		}
		at += label;
	}
	return 0;
}

/* EDNS options: code, length, that many bytes.  None of them is acted upon. */
static bool options_are_whole(const uint8_t *p, size_t n)
{
	while (n >= 4) {
		size_t len = get16(p + 2);

		if (len > n - 4)
			return false;
		p += 4 + len;
		n -= 4 + len;
	}
	return n == 0;
}

/* The one additional record that a query may have, up to the message's end (RFC 6891).
 */
static bool read_opt(struct dns_query *q, const uint8_t *p, size_t n,
		     unsigned *ret_version)
{
	if (n < 11 || p[0] != 0 || get16(p + 1) != DNS_OPT || get16(p + 9) != n - 11 ||
	    !options_are_whole(p + 11, n - 11))
		return false;
	q->edns = true;
	q->udp_size = get16(p + 3) < DNS_UDP_MIN ? DNS_UDP_MIN : get16(p + 3);
	*ret_version = p[6];
	q->dnssec_ok = (get16(p + 7) & OPT_DO) != 0;
	return true;
}

static enum dns_verdict refuse(struct dns_query *q, enum dns_rcode rcode)
{
	q->rcode = (uint8_t)rcode;
	return DNS_REPLY;
}

enum dns_verdict dns_read(struct dns_query *ret, const uint8_t *p, size_t n)
{
	struct dns_query *q = ret;
	unsigned flags, version = 0;
	size_t name, at;
	char folded[EGRESS_NAME_MAX + 1];

	memset(q, 0, sizeof(*q));
	q->udp_size = DNS_UDP_MIN;
	if (n < DNS_HEADER)
		return DNS_DROP;
	q->id = get16(p);
	flags = get16(p + 2);
	/* answering a response could make two servers talk for ever */
	if (flags & FLAG_QR)
		return DNS_DROP;
	q->opcode = (flags >> 11) & 15;
	q->rd = (flags & FLAG_RD) != 0;
	q->cd = (flags & FLAG_CD) != 0;
	if (q->opcode != OPCODE_QUERY)
		return refuse(q, DNS_NOTIMP);
	/* one question, no answer, no authority, at most the OPT record */
	if (n > DNS_QUERY_MAX || get16(p + 4) != 1 || get16(p + 6) != 0 ||
	    get16(p + 8) != 0 || get16(p + 10) > 1 || (flags & FLAG_TC))
		return refuse(q, DNS_FORMERR);
	name = read_name(q, p + DNS_HEADER, n - DNS_HEADER);
	if (name == 0 || n - DNS_HEADER - name < 4) {
		q->name[0] = '\0';
		q->name_n = 0;
		return refuse(q, DNS_FORMERR);
	}
	q->question = p + DNS_HEADER;
	q->question_n = name + 4;
	at = DNS_HEADER + q->question_n;
	q->type = get16(p + at - 4);
	q->class_ = get16(p + at - 2);
	if (get16(p + 10) == 1 ? !read_opt(q, p + at, n - at, &version) : at != n)
		return refuse(q, DNS_FORMERR);
	if (version != 0)
		return refuse(q, DNS_BADVERS);
	if (q->class_ != CLASS_IN)
		return refuse(q, DNS_REFUSED);
	/* a dot inside of a label became '?', so the text has the labels of the message
	 */
	q->host = egress_host_name(folded, (const uint8_t *)q->name, q->name_n);
	return DNS_QUERY;
}

size_t dns_udp_limit(const struct dns_query *q)
{
	return q->udp_size > DNS_QUERY_MAX ? DNS_QUERY_MAX : q->udp_size;
}

/* What is written; `n` goes on beyond `size`, where nothing is stored. */
struct out {
	uint8_t *p;
	size_t n, size;
};

static void put(struct out *o, const uint8_t *p, size_t n)
{
	if (n && o->n <= o->size && n <= o->size - o->n)
		memcpy(o->p + o->n, p, n);
	o->n += n;
}

static void put16(struct out *o, unsigned v)
{
	uint8_t b[2] = { (uint8_t)(v >> 8), (uint8_t)v };

	put(o, b, 2);
}

static void put32(struct out *o, uint32_t v)
{
	put16(o, v >> 16);
	put16(o, v & 0xffff);
}

static void put_address(struct out *o, const struct dns_query *q,
			const struct dns_reply *r)
{
	put16(o, 0xc000 | DNS_HEADER); /* the question's name */
	put16(o, q->type);
	put16(o, CLASS_IN);
	put32(o, r->ttl);
	put16(o, (unsigned)r->addr_n);
	put(o, r->addr, r->addr_n);
}

/*
 * The SOA record that a negative answer needs to be kept for a while (RFC 2308): of the
 * root, since the question's own name must not look like one that exists.
 */
static void put_soa(struct out *o, uint32_t ttl)
{
	static const uint8_t head[] = { 0, 0, DNS_SOA, 0, CLASS_IN };

	put(o, head, sizeof(head));
	put32(o, ttl);
	put16(o, 2 + 5 * 4);
	put16(o, 0); /* primary server and mailbox: the root */
	put32(o, 1); /* serial */
	put32(o, 3600);
	put32(o, 600);
	put32(o, 86400);
	put32(o, ttl);
}

static void put_opt(struct out *o, const struct dns_query *q, unsigned rcode,
		    enum dns_ede ede)
{
	static const uint8_t head[] = { 0, 0, DNS_OPT };
	uint8_t high[2] = { (uint8_t)(rcode >> 4), 0 };

	put(o, head, sizeof(head));
	put16(o, DNS_QUERY_MAX);
	put(o, high, 2);
	put16(o, q->dnssec_ok ? OPT_DO : 0);
	if (ede == DNS_EDE_NONE) {
		put16(o, 0);
		return;
	}
	put16(o, 6);
	put16(o, OPTION_EDE);
	put16(o, 2);
	put16(o, (unsigned)ede);
}

/* The message; `whole` is false for one that only says TC. */
static size_t compose(const struct dns_query *q, const struct dns_reply *r,
		      struct out *o, bool whole)
{
	bool question = q->question_n != 0;
	bool read = question && q->opcode == OPCODE_QUERY && q->class_ == CLASS_IN;
	bool address = whole && read && r->rcode == DNS_NOERROR && r->addr &&
		       ((q->type == DNS_A && r->addr_n == 4) ||
			(q->type == DNS_AAAA && r->addr_n == 16));
	bool negative = whole && read && !address &&
			(r->rcode == DNS_NXDOMAIN || r->rcode == DNS_NOERROR);
	unsigned rcode = (unsigned)r->rcode;
	unsigned flags = FLAG_QR | FLAG_RA | (unsigned)q->opcode << 11;

	if (rcode > 15 && !q->edns)
		rcode = DNS_SERVFAIL;
	if (q->rd)
		flags |= FLAG_RD;
	if (q->cd)
		flags |= FLAG_CD;
	/* these are ours to say; without AA and RA, glibc takes NODATA for a lame
	 * server's */
	if (address || negative)
		flags |= FLAG_AA;
	if (!whole)
		flags |= FLAG_TC;
	put16(o, q->id);
	put16(o, flags | (rcode & 15));
	put16(o, question);
	put16(o, address);
	put16(o, negative);
	put16(o, q->edns);
	put(o, q->question, q->question_n);
	if (address)
		put_address(o, q, r);
	if (negative)
		put_soa(o, r->ttl);
	if (q->edns)
		put_opt(o, q, rcode, whole ? r->ede : DNS_EDE_NONE);
	return o->n;
}

size_t dns_write(const struct dns_query *q, const struct dns_reply *r, uint8_t *out,
		 size_t size, size_t limit)
{
	size_t most = limit && limit < size ? limit : size;
	struct out o = { .p = out, .size = most };

	if (compose(q, r, &o, true) <= most)
		return o.n;
	o.n = 0;
	return compose(q, r, &o, false) <= most ? o.n : 0;
}

enum dns_framing dns_stream_add(struct dns_stream *s, const uint8_t *p, size_t n,
				size_t *ret_used)
{
	size_t used = 0, want = 2, part;

	for (;;) {
		if (s->n >= 2) {
			size_t len = get16(s->buf);

			if (len < DNS_HEADER || len > DNS_QUERY_MAX) {
				*ret_used = used;
				return DNS_TOO_LONG;
			}
			want = 2 + len;
			if (s->n == want) {
				*ret_used = used;
				return DNS_MESSAGE;
			}
		}
		if (used == n) {
			*ret_used = used;
			return DNS_MORE;
		}
		part = want - s->n < n - used ? want - s->n : n - used;
		memcpy(s->buf + s->n, p + used, part);
		s->n += part;
		used += part;
	}
}

const uint8_t *dns_stream_message(const struct dns_stream *s, size_t *ret_n)
{
	*ret_n = s->n - 2;
	return s->buf + 2;
}

void dns_stream_next(struct dns_stream *s)
{
	s->n = 0;
}
