/*
 * Laws of the gateway's readers, for the fuzz targets and for tests/prop/prop_egress.c.  What
 * they accept is held against a second reading of the same bytes, which is written in the plainest
 * way: it looks for one thing in a text that is there as a whole.
 */
#ifndef TESTS_FUZZ_EGRESS_LAW_H
#define TESTS_FUZZ_EGRESS_LAW_H

#include "tests/fuzz/law.h"

#include <ctype.h>
#include <stdbool.h>
#include <strings.h>

#include "runtime/egress/dns.h"
#include "runtime/egress/http_body.h"
#include "runtime/egress/tls_hello.h"

/* Sizes of pieces: mostly small ones, sometimes all that is left. */
static inline size_t law_piece(uint64_t *s, size_t left)
{
	size_t n;

	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	n = *s % 8 == 0 ? left : (size_t)(*s >> 8) % (*s % 3 ? 5 : 200) + 1;
	return n < left ? n : left;
}

static inline size_t law_number(const uint8_t *p, size_t size)
{
	size_t v = 0;

	while (size--)
		v = v << 8 | *p++;
	return v;
}

/* --- TLS ---------------------------------------------------------------------------- */

/* The bytes of all records' handshake data, up to the first that is none. */
static inline size_t law_unwrap(const uint8_t *p, size_t n, uint8_t *out)
{
	size_t len = 0;

	while (n > 5 && p[0] == 22) {
		size_t part = law_number(p + 3, 2);

		if (part > n - 5)
			part = n - 5;
		memcpy(out + len, p + 5, part);
		len += part;
		p += 5 + part;
		n -= 5 + part;
	}
	return len;
}

/* The first host name of a flat hello that has one: the place of its length. */
static inline const uint8_t *law_sni(const uint8_t *m, size_t n)
{
	const uint8_t *p = m + 4 + 2 + 32, *end = m + n;

	p += 1 + p[0];
	p += 2 + law_number(p, 2);
	p += 1 + p[0];
	for (p += 2; p + 4 <= end; p += 4 + law_number(p + 2, 2))
		if (law_number(p, 2) == 0)
			return p + 7;
	return NULL;
}

static inline void law_tls_name(const uint8_t *p, size_t n, const struct tls_hello *h)
{
	uint8_t *flat = malloc(n);
	size_t len, whole;
	const uint8_t *sni;

	LAW(flat);
	len = law_unwrap(p, n, flat);
	LAW(len >= 4);
	whole = 4 + law_number(flat + 1, 3);
	LAW(flat[0] == 1 && whole <= len && whole <= TLS_HELLO_MAX);
	sni = law_sni(flat, whole);
	LAW(sni && law_number(sni, 2) == h->name_n && h->name_n > 0 && h->name_n <= 253);
	for (size_t i = 0; i < h->name_n; i++) {
		char c = h->name[i];

		LAW(c == tolower(sni[2 + i]));
		LAW((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || strchr("-_.", c));
	}
	LAW(h->name[0] != '.' && h->name[h->name_n - 1] != '.');
	free(flat);
}

static inline void law_tls(const uint8_t *p, size_t n, uint64_t seed)
{
	struct tls_hello whole, h;
	uint64_t s = seed * 2 + 1;

	tls_hello_init(&whole);
	tls_hello_init(&h);
	(void)tls_hello_add(&whole, p, n);
	for (size_t at = 0, part; at < n; at += part) {
		part = law_piece(&s, n - at);
		(void)tls_hello_add(&h, p + at, part);
	}
	LAW(memcmp(&whole, &h, sizeof(h)) == 0);
	LAW(whole.wire <= TLS_HELLO_WIRE_MAX && strlen(h.name) == h.name_n);
	if (h.verdict == TLS_HELLO_NAME)
		law_tls_name(p, n, &h);
	else if (h.verdict != TLS_HELLO_MORE)
		LAW(h.name_n == 0);
}

/* --- DNS ---------------------------------------------------------------------------- */

/* An answer, as a client reads it. */
static inline void law_dns_answer(const struct dns_query *q, const struct dns_reply *r,
				  const uint8_t *p, size_t n)
{
	size_t at = DNS_HEADER, records, rcode;

	LAW(n >= DNS_HEADER && law_number(p, 2) == q->id && (p[2] & 0x80) && (p[3] & 0x80));
	LAW(((p[2] & 1) != 0) == q->rd);
	LAW(law_number(p + 4, 2) == (q->question_n != 0));
	LAW(q->question_n <= n - at);
	LAW(!q->question_n || memcmp(p + at, q->question, q->question_n) == 0);
	at += q->question_n;
	rcode = p[3] & 15;
	records = law_number(p + 6, 2) + law_number(p + 8, 2) + law_number(p + 10, 2);
	for (size_t i = 0; i < records; i++) {
		size_t type;

		LAW(at < n);
		if (p[at] == 0xc0) {
			LAW(p[at + 1] == DNS_HEADER && law_number(p + 6, 2) == 1 && i == 0);
			at++;
		} else {
			LAW(p[at] == 0);
		}
		at++;
		LAW(n - at >= 10);
		type = law_number(p + at, 2);
		if (type == DNS_OPT)
			rcode |= (size_t)p[at + 4] << 4;
		else
			LAW(law_number(p + at + 4, 4) == r->ttl);
		if (type == DNS_A || type == DNS_AAAA) {
			LAW(law_number(p + at + 8, 2) == r->addr_n && r->addr_n <= n - at - 10);
			LAW(memcmp(p + at + 10, r->addr, r->addr_n) == 0 && q->type == type);
		}
		at += 10 + law_number(p + at + 8, 2);
		LAW(at <= n);
	}
	LAW(at == n);
	LAW(rcode == (size_t)r->rcode || (r->rcode > 15 && !q->edns && rcode == DNS_SERVFAIL));
}

static inline void law_dns_name(const struct dns_query *q)
{
	char text[256];
	size_t n = 0;
	const uint8_t *p = q->question;

	for (; *p; p += 1 + *p) {
		if (n)
			text[n++] = '.';
		for (size_t i = 0; i < *p; i++)
			text[n++] = (char)tolower(p[1 + i]);
	}
	LAW(n == q->name_n && (!q->host || memcmp(text, q->name, n) == 0));
	/* a byte that no host name has is never looked up */
	for (size_t i = 0; i < n; i++)
		LAW(isalnum((unsigned char)text[i]) || (text[i] && strchr("-_.", text[i])) || !q->host);
	LAW(p + 1 - q->question == (long)q->question_n - 4);
}

static inline void law_dns(const uint8_t *p, size_t n, uint64_t seed)
{
	static const uint8_t addr[16] = { 0xfd, 0x70, 1, 2, 3, [15] = 9 };
	static const enum dns_rcode rcodes[] = { DNS_NOERROR, DNS_NOERROR, DNS_NXDOMAIN, DNS_REFUSED };
	struct dns_query q;
	enum dns_verdict v = dns_read(&q, p, n);
	uint64_t s = seed * 2 + 1;
	struct dns_stream stream = { .n = 0 };
	uint8_t out[DNS_REPLY_MAX], two[2] = { (uint8_t)(n >> 8), (uint8_t)n };
	struct dns_reply r = { .ttl = (uint32_t)(seed % 5) + 1 };
	enum dns_framing f = DNS_MORE;
	size_t len, used;

	if (v != DNS_DROP) {
		if (v == DNS_QUERY) {
			LAW(q.question_n && q.class_ == 1 && q.opcode == 0);
			law_dns_name(&q);
			r.rcode = rcodes[seed % 4];
			if (seed % 4 == 0) {
				r.addr = addr;
				r.addr_n = q.type == DNS_A ? 4 : 16;
			}
			r.ede = seed % 8 > 4 ? DNS_EDE_BLOCKED : DNS_EDE_NONE;
		} else {
			r.rcode = (enum dns_rcode)q.rcode;
			LAW(q.rcode);
		}
		len = dns_write(&q, &r, out, sizeof(out), dns_udp_limit(&q));
		LAW(len && len <= 512 && !(out[2] & 2));
		law_dns_answer(&q, &r, out, len);
		/* an answer is never answered */
		LAW(dns_read(&q, out, len) == DNS_DROP);
	}
	/* over TCP the same bytes come out, however they were cut */
	if (n > 65535)
		return;
	f = dns_stream_add(&stream, two, 1, &used);
	LAW(f == DNS_MORE && used == 1);
	f = dns_stream_add(&stream, two + 1, 1, &used);
	for (size_t at = 0; at < n && f == DNS_MORE; at += used)
		f = dns_stream_add(&stream, p + at, law_piece(&s, n - at), &used);
	if (n < DNS_HEADER || n > DNS_QUERY_MAX) {
		LAW(f == DNS_TOO_LONG);
		return;
	}
	LAW(f == DNS_MESSAGE);
	LAW(memcmp(dns_stream_message(&stream, &len), p, n) == 0 && len == n);
}

/* --- HTTP --------------------------------------------------------------------------- */

/* The one line of a head that begins with `name` and ':', without the blanks; NULL: none or
 * several. */
static inline char *law_field(const char *head, size_t n, const char *name, size_t *ret_count)
{
	size_t name_n = strlen(name);
	char *found = NULL;

	*ret_count = 0;
	for (size_t i = 0; i + name_n < n; i++) {
		const char *p = head + i + 1, *end;

		if (head[i] != '\n' || strncasecmp(p, name, name_n) != 0 || p[name_n] != ':')
			continue;
		if ((*ret_count)++)
			continue;
		p += name_n + 1;
		end = memchr(p, '\n', (size_t)(head + n - p));
		LAW(end);
		while (p < end && isspace((unsigned char)*p))
			p++;
		while (end > p && isspace((unsigned char)end[-1]))
			end--;
		found = strndup(p, (size_t)(end - p));
		LAW(found);
	}
	return found;
}

static inline void law_http_head(const uint8_t *p, const struct http_head *h)
{
	const char *head = (const char *)p, *end = memmem(p, h->head_n, "\r\n\r\n", 4);
	size_t hosts, lengths, encodings;
	char *host = law_field(head, h->head_n, "host", &hosts);
	char *length = law_field(head, h->head_n, "content-length", &lengths);
	char *encoding = law_field(head, h->head_n, "transfer-encoding", &encodings), *port;

	LAW(end && (size_t)(end - head) + 4 == h->head_n && h->head_n <= HTTP_HEAD_MAX);
	for (size_t i = 0; i < h->head_n; i++) {
		LAW(p[i] != 0 && (p[i] != '\n' || p[i - 1] == '\r') &&
		    (p[i] != '\r' || p[i + 1] == '\n'));
		LAW(p[i] != '\n' || i + 1 == h->head_n || !strchr(" \t", (char)p[i + 1]));
	}
	LAW(hosts == 1 && lengths <= 1 && encodings <= 1 && lengths + encodings <= 1);
	LAW((h->body == HTTP_BODY_CHUNKED) == (encodings == 1));
	LAW(h->body != HTTP_BODY_LENGTH || h->length > 0);
	LAW(!length || strtoull(length, NULL, 10) == h->length);
	if (host[0] != '[') {
		port = strchrnul(host, ':');
		LAW((*port ? atol(port + 1) : 0) == h->port);
		*port = '\0';
		if (port > host && port[-1] == '.')
			port[-1] = '\0';
		LAW(strcasecmp(host, h->host) == 0 && h->host_n == strlen(host));
		LAW(!strpbrk(host, " /\\@,:#?"));
	} else {
		LAW(h->host_kind == HTTP_HOST_V6);
	}
	free(host);
	free(length);
	free(encoding);
}

/* The verdicts and lengths of a connection: head, body, head, body, …  `s` is 0: pieces as
 * large as they come. */
struct law_trace {
	size_t heads, at;
	enum http_verdict last;
	uint64_t sum;
};

static inline struct law_trace law_connection(const uint8_t *p, size_t n, uint64_t s)
{
	struct law_trace t = { .last = HTTP_MORE };
	struct http_head *h = malloc(sizeof(*h));
	struct http_body b;
	size_t used;

	LAW(h);
	while (t.at < n) {
		http_head_init(h);
		t.last = HTTP_MORE;
		for (size_t got = 0; t.last == HTTP_MORE && t.at + got < n;) {
			got += s ? law_piece(&s, n - t.at - got) : n - t.at - got;
			t.last = http_head_read(h, p + t.at, got);
		}
		if (t.last != HTTP_HEAD)
			break;
		law_http_head(p + t.at, h);
		t.heads++;
		for (size_t i = 0; i < h->host_n; i++)
			t.sum = t.sum * 31 + (uint8_t)h->host[i];
		t.at += h->head_n;
		http_body_init(&b, h);
		t.last = b.verdict;
		while (t.last == HTTP_MORE && t.at < n) {
			size_t part = s ? law_piece(&s, n - t.at) : n - t.at;

			t.last = http_body_read(&b, p + t.at, part, &used);
			LAW(used <= part && (t.last != HTTP_MORE || used == part));
			t.at += used;
		}
		t.sum = t.sum * 31 + t.at;
		if (t.last != HTTP_END)
			break;
	}
	free(h);
	return t;
}

static inline void law_http(const uint8_t *p, size_t n, uint64_t seed)
{
	struct law_trace whole = law_connection(p, n, 0), cut = law_connection(p, n, seed * 2 + 1);

	LAW(whole.heads == cut.heads && whole.at == cut.at && whole.last == cut.last &&
	    whole.sum == cut.sum);
}

#endif
