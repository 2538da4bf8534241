/*
 * DNS messages: which bytes are a query, what stands in its answer, and that an answer is
 * read again as what was written.  Real clients' queries: test_egress_real.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/egress/dns.h"

#define BYTES(s) (const uint8_t *)(s), sizeof(s) - 1
#define HEAD(flags, qd, an, ns, ar) "\x12\x34" flags "\0" qd "\0" an "\0" ns "\0" ar
#define ONE HEAD("\x01\x00", "\1", "\0", "\0", "\0")
#define ONE_OPT HEAD("\x01\x00", "\1", "\0", "\0", "\1")
#define NAME "\7example\3com\0"
#define IN_A "\0\1\0\1"
#define OPT "\0\0\x29\x04\xd0\0\0\0\0\0\0"
#define L63 "\x3f" "abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz0"
#define L61 "\x3d" "abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxy"
#define L62 "\x3e" "abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz"

static const struct {
	const uint8_t *p;
	size_t n;
	enum dns_verdict verdict;
	int rcode;        /* of DNS_REPLY */
	const char *name; /* of DNS_QUERY; NULL: no host name */
	uint16_t type;
} rows[] = {
	{ BYTES(ONE NAME IN_A), DNS_QUERY, 0, "example.com", DNS_A },
	{ BYTES(ONE "\7eXAMple\3CoM\0" IN_A), DNS_QUERY, 0, "example.com", DNS_A },
	{ BYTES(ONE "\4_srv\1-\0" "\0\x21\0\1"), DNS_QUERY, 0, "_srv.-", 33 },
	{ BYTES(ONE NAME "\0\x41\0\1"), DNS_QUERY, 0, "example.com", DNS_HTTPS },
	{ BYTES(ONE_OPT NAME IN_A OPT), DNS_QUERY, 0, "example.com", DNS_A },
	/* an EDNS option: a cookie of 8 bytes */
	{ BYTES(ONE_OPT NAME IN_A "\0\0\x29\x04\xd0\0\0\x80\0\0\x0c\0\x0a\0\x08" "abcdefgh"),
	  DNS_QUERY, 0, "example.com", DNS_A },
	/* names at the limits: 253 bytes of text are 255 in the message */
	{ BYTES(ONE L63 L63 L63 L61 "\0" IN_A), DNS_QUERY, 0,
	  "abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz0."
	  "abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz0."
	  "abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz0."
	  "abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxy", DNS_A },
	{ BYTES(ONE L63 L63 L63 L62 "\0" IN_A), DNS_REPLY, DNS_FORMERR, NULL, 0 },
	{ BYTES(ONE L63 L63 L63 L63 "\0" IN_A), DNS_REPLY, DNS_FORMERR, NULL, 0 },
	/* no host names: the root, a dot or a NUL or a blank inside of a label, an address */
	{ BYTES(ONE "\0" "\0\2\0\1"), DNS_QUERY, 0, NULL, 2 },
	{ BYTES(ONE "\7exa.ple\3com\0" IN_A), DNS_QUERY, 0, NULL, DNS_A },
	{ BYTES(ONE "\7exa\0ple\3com\0" IN_A), DNS_QUERY, 0, NULL, DNS_A },
	{ BYTES(ONE "\7exa ple\3com\0" IN_A), DNS_QUERY, 0, NULL, DNS_A },
	{ BYTES(ONE "\7b\xc3\xbc" "cher\2de\0" IN_A), DNS_QUERY, 0, NULL, DNS_A },
	{ BYTES(ONE "\1*\3com\0" IN_A), DNS_QUERY, 0, NULL, DNS_A },
	{ BYTES(ONE "\3""127\1" "0\1" "0\1" "1\0" IN_A), DNS_QUERY, 0, NULL, DNS_A },
	{ BYTES(ONE "\4" "0x7f\0" IN_A), DNS_QUERY, 0, NULL, DNS_A },
	/* too short for a header, or a response: no answer at all */
	{ BYTES(""), DNS_DROP, 0, NULL, 0 },
	{ BYTES("\x12\x34\x01\x00\0\1\0\0\0\0\0"), DNS_DROP, 0, NULL, 0 },
	{ BYTES(HEAD("\x81\x80", "\1", "\0", "\0", "\0") NAME IN_A), DNS_DROP, 0, NULL, 0 },
	/* other operations: status, notify, update */
	{ BYTES(HEAD("\x10\x00", "\1", "\0", "\0", "\0") NAME IN_A), DNS_REPLY, DNS_NOTIMP, NULL, 0 },
	{ BYTES(HEAD("\x20\x00", "\1", "\0", "\0", "\0") NAME IN_A), DNS_REPLY, DNS_NOTIMP, NULL, 0 },
	{ BYTES(HEAD("\x28\x00", "\1", "\0", "\0", "\0") NAME IN_A), DNS_REPLY, DNS_NOTIMP, NULL, 0 },
	/* counts: no question, two, records where a query has none */
	{ BYTES(HEAD("\x01\x00", "\0", "\0", "\0", "\0")), DNS_REPLY, DNS_FORMERR, NULL, 0 },
	{ BYTES(HEAD("\x01\x00", "\2", "\0", "\0", "\0") NAME IN_A NAME IN_A), DNS_REPLY, DNS_FORMERR, NULL, 0 },
	{ BYTES(HEAD("\x01\x00", "\1", "\1", "\0", "\0") NAME IN_A), DNS_REPLY, DNS_FORMERR, NULL, 0 },
	{ BYTES(HEAD("\x01\x00", "\1", "\0", "\1", "\0") NAME IN_A), DNS_REPLY, DNS_FORMERR, NULL, 0 },
	{ BYTES(HEAD("\x01\x00", "\1", "\0", "\0", "\2") NAME IN_A OPT OPT), DNS_REPLY, DNS_FORMERR, NULL, 0 },
	{ BYTES(HEAD("\x03\x00", "\1", "\0", "\0", "\0") NAME IN_A), DNS_REPLY, DNS_FORMERR, NULL, 0 },
	/* cut at each place, and more than there should be */
	{ BYTES(ONE), DNS_REPLY, DNS_FORMERR, NULL, 0 },
	{ BYTES(ONE "\7exampl"), DNS_REPLY, DNS_FORMERR, NULL, 0 },
	{ BYTES(ONE "\7example"), DNS_REPLY, DNS_FORMERR, NULL, 0 },
	{ BYTES(ONE NAME), DNS_REPLY, DNS_FORMERR, NULL, 0 },
	{ BYTES(ONE NAME "\0\1\0"), DNS_REPLY, DNS_FORMERR, NULL, 0 },
	{ BYTES(ONE NAME IN_A "x"), DNS_REPLY, DNS_FORMERR, NULL, 0 },
	{ BYTES(ONE_OPT NAME IN_A), DNS_REPLY, DNS_FORMERR, NULL, 0 },
	/* compression: to itself, to the header, forward; the other kinds of label */
	{ BYTES(ONE "\xc0\x0c" IN_A), DNS_REPLY, DNS_FORMERR, NULL, 0 },
	{ BYTES(ONE "\3www\xc0\x0c" IN_A), DNS_REPLY, DNS_FORMERR, NULL, 0 },
	{ BYTES(ONE "\3www\xc0\x00" IN_A), DNS_REPLY, DNS_FORMERR, NULL, 0 },
	{ BYTES(ONE "\3www\xc0\x16" IN_A NAME), DNS_REPLY, DNS_FORMERR, NULL, 0 },
	{ BYTES(ONE "\x41\x08" IN_A), DNS_REPLY, DNS_FORMERR, NULL, 0 },
	{ BYTES(ONE "\x80" IN_A), DNS_REPLY, DNS_FORMERR, NULL, 0 },
	/* EDNS: another version, an owner, wrong lengths, an option that goes beyond, no OPT */
	{ BYTES(ONE_OPT NAME IN_A "\0\0\x29\x04\xd0\0\1\0\0\0\0"), DNS_REPLY, DNS_BADVERS, NULL, 0 },
	{ BYTES(ONE_OPT NAME IN_A "\1a\0\0\x29\x04\xd0\0\0\0\0\0\0"), DNS_REPLY, DNS_FORMERR, NULL, 0 },
	{ BYTES(ONE_OPT NAME IN_A "\0\0\x29\x04\xd0\0\0\0\0\0\1"), DNS_REPLY, DNS_FORMERR, NULL, 0 },
	{ BYTES(ONE_OPT NAME IN_A "\0\0\x29\x04\xd0\0\0\0\0\0\4\0\x0a\0\1"), DNS_REPLY, DNS_FORMERR, NULL, 0 },
	{ BYTES(ONE_OPT NAME IN_A "\0\0\x29\x04\xd0\0\0\0\0\0\3\0\x0a\0"), DNS_REPLY, DNS_FORMERR, NULL, 0 },
	{ BYTES(ONE_OPT NAME IN_A "\0\0\x01\0\x01\0\0\0\0\0\0"), DNS_REPLY, DNS_FORMERR, NULL, 0 },
	{ BYTES(ONE_OPT NAME IN_A OPT "x"), DNS_REPLY, DNS_FORMERR, NULL, 0 },
	/* another class than IN */
	{ BYTES(ONE NAME "\0\x10\0\3"), DNS_REPLY, DNS_REFUSED, NULL, 0 },
	{ BYTES(ONE NAME "\0\x01\0\xff"), DNS_REPLY, DNS_REFUSED, NULL, 0 },
};

static void test_queries(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		/* of exactly that size, so that a sanitizer sees what reads too far */
		uint8_t *copy = malloc(rows[i].n ? rows[i].n : 1);
		struct dns_query q;
		enum dns_verdict v;

		assert_non_null(copy);
		memcpy(copy, rows[i].p, rows[i].n);
		v = dns_read(&q, copy, rows[i].n);
		if (v != rows[i].verdict || (v == DNS_REPLY && q.rcode != rows[i].rcode))
			fail_msg("row %zu: verdict %d, rcode %d", i, v, q.rcode);
		if (v == DNS_QUERY) {
			if (q.host != (rows[i].name != NULL) || q.type != rows[i].type)
				fail_msg("row %zu: host %d, type %d", i, q.host, q.type);
			if (q.host)
				assert_string_equal(q.name, rows[i].name);
			assert_int_equal(strlen(q.name), q.name_n);
		}
		free(copy);
	}
}

/* A query of 1232 bytes is read, one of 1233 is not. */
static void test_the_longest_query(void **state)
{
	static const char head[] = ONE_OPT NAME IN_A "\0\0\x29\xff\xff\0\0\0\0";
	uint8_t p[DNS_QUERY_MAX + 1] = { 0 };
	size_t at = sizeof(head) - 1;
	struct dns_query q;

	(void)state;
	for (size_t n = DNS_QUERY_MAX; n <= DNS_QUERY_MAX + 1; n++) {
		size_t data = n - at - 2;

		memcpy(p, head, at);
		p[at] = (uint8_t)(data >> 8);
		p[at + 1] = (uint8_t)data;
		p[at + 3] = 12; /* padding */
		p[at + 4] = (uint8_t)((data - 4) >> 8);
		p[at + 5] = (uint8_t)(data - 4);
		assert_int_equal(dns_read(&q, p, n), n == DNS_QUERY_MAX ? DNS_QUERY : DNS_REPLY);
	}
}

static void test_what_a_client_can_receive(void **state)
{
	static const struct {
		const char *size;
		size_t limit;
	} sizes[] = { { "\0\0", 512 },	    { "\0\x10", 512 },	   { "\2\0", 512 },
		      { "\2\1", 513 },	    { "\x04\xd0", 1232 },  { "\x04\xd1", 1232 },
		      { "\xff\xff", 1232 } };
	uint8_t p[] = ONE_OPT NAME IN_A OPT;
	struct dns_query q;

	(void)state;
	assert_int_equal(dns_read(&q, BYTES(ONE NAME IN_A)), DNS_QUERY);
	assert_int_equal(dns_udp_limit(&q), 512);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		memcpy(p + sizeof(p) - 1 - 8, sizes[i].size, 2);
		assert_int_equal(dns_read(&q, p, sizeof(p) - 1), DNS_QUERY);
		assert_int_equal(dns_udp_limit(&q), sizes[i].limit);
	}
}

static void answer(const uint8_t *p, size_t n, struct dns_reply r, const uint8_t *want, size_t want_n)
{
	struct dns_query q;
	uint8_t out[DNS_REPLY_MAX];
	size_t len;

	if (dns_read(&q, p, n) == DNS_REPLY)
		r.rcode = (enum dns_rcode)q.rcode;
	len = dns_write(&q, &r, out, sizeof(out), 0);
	assert_int_equal(len, want_n);
	assert_memory_equal(out, want, want_n);
}

#define SOA "\0\0\6\0\1\0\0\0\5\0\x16\0\0\0\0\0\1\0\0\x0e\x10\0\0\2\x58\0\1\x51\x80\0\0\0\5"
#define OPT_OUT(ext, do_, len) "\0\0\x29\x04\xd0" ext "\0" do_ "\0\0" len

static void test_answers(void **state)
{
	static const uint8_t v4[4] = { 198, 18, 0, 1 };
	static const uint8_t v6[16] = { 0xfd, 0x70, 0x6f, 0x6c, [15] = 1 };
	const struct dns_reply a = { .addr = v4, .addr_n = 4, .ttl = 5 };
	const struct dns_reply aaaa = { .addr = v6, .addr_n = 16, .ttl = 1 };
	const struct dns_reply none = { .ttl = 5 };
	const struct dns_reply blocked = { .rcode = DNS_NXDOMAIN, .ttl = 5, .ede = DNS_EDE_BLOCKED };

	(void)state;
	/* the question keeps its case */
	answer(BYTES(ONE "\7eXAMple\3CoM\0" IN_A), a,
	       BYTES(HEAD("\x85\x80", "\1", "\1", "\0", "\0") "\7eXAMple\3CoM\0" IN_A
		     "\xc0\x0c" IN_A "\0\0\0\5\0\4\xc6\x12\0\1"));
	answer(BYTES(ONE_OPT NAME "\0\x1c\0\1" "\0\0\x29\x10\0\0\0\x80\0\0\0"), aaaa,
	       BYTES(HEAD("\x85\x80", "\1", "\1", "\0", "\1") NAME "\0\x1c\0\1"
		     "\xc0\x0c\0\x1c\0\1\0\0\0\1\0\x10\xfd\x70ol\0\0\0\0\0\0\0\0\0\0\0\1"
		     OPT_OUT("\0", "\x80", "\0")));
	/* no address: NODATA; an address of the other family is none */
	answer(BYTES(ONE NAME "\0\x41\0\1"), none,
	       BYTES(HEAD("\x85\x80", "\1", "\0", "\1", "\0") NAME "\0\x41\0\1" SOA));
	answer(BYTES(ONE NAME "\0\x1c\0\1"), a,
	       BYTES(HEAD("\x85\x80", "\1", "\0", "\1", "\0") NAME "\0\x1c\0\1" SOA));
	answer(BYTES(ONE NAME "\0\x41\0\1"), a,
	       BYTES(HEAD("\x85\x80", "\1", "\0", "\1", "\0") NAME "\0\x41\0\1" SOA));
	/* NXDOMAIN, and why only if the client has EDNS */
	answer(BYTES(ONE NAME IN_A), blocked,
	       BYTES(HEAD("\x85\x83", "\1", "\0", "\1", "\0") NAME IN_A SOA));
	answer(BYTES(ONE_OPT NAME IN_A OPT), blocked,
	       BYTES(HEAD("\x85\x83", "\1", "\0", "\1", "\1") NAME IN_A SOA
		     OPT_OUT("\0", "\0", "\6") "\0\x0f\0\2\0\x0f"));
	/* RD and CD are echoed, AD is not */
	answer(BYTES(HEAD("\x00\x30", "\1", "\0", "\0", "\0") NAME IN_A), blocked,
	       BYTES(HEAD("\x84\x93", "\1", "\0", "\1", "\0") NAME IN_A SOA));
	/* refusals of the reader: without the records, and without a question that it could not read */
	answer(BYTES(ONE NAME "\0\1\0\3"), a,
	       BYTES(HEAD("\x81\x85", "\1", "\0", "\0", "\0") NAME "\0\1\0\3"));
	answer(BYTES(ONE "\xc0\x0c" IN_A), a, BYTES(HEAD("\x81\x81", "\0", "\0", "\0", "\0")));
	answer(BYTES(HEAD("\x28\x00", "\1", "\0", "\0", "\0") NAME IN_A), a,
	       BYTES(HEAD("\xa8\x84", "\0", "\0", "\0", "\0")));
	answer(BYTES(ONE_OPT NAME IN_A "\0\0\x29\x04\xd0\0\1\0\0\0\0"), a,
	       BYTES(HEAD("\x81\x80", "\1", "\0", "\0", "\1") NAME IN_A OPT_OUT("\1", "\0", "\0")));
}

/* What does not fit says TC with the question; if not even that fits, nothing. */
static void test_what_does_not_fit(void **state)
{
	static const uint8_t v4[4] = { 198, 18, 0, 1 };
	const struct dns_reply a = { .addr = v4, .addr_n = 4, .ttl = 5 };
	static const char whole[] = ONE NAME IN_A;
	struct dns_query q;
	uint8_t out[DNS_REPLY_MAX + 1];
	size_t full = sizeof(whole) - 1 + 16, bare = sizeof(whole) - 1;

	(void)state;
	assert_int_equal(dns_read(&q, BYTES(ONE NAME IN_A)), DNS_QUERY);
	for (size_t size = 0; size < sizeof(out); size++) {
		size_t want = size >= full ? full : size >= bare ? bare : 0;

		for (int which = 0; which < 2; which++) {
			memset(out, 0xee, sizeof(out));
			assert_int_equal(dns_write(&q, &a, out, which ? size : sizeof(out),
						   which ? 0 : size ? size : 1),
					 want);
			/* nothing is written beyond the limit */
			for (size_t i = size ? size : 1; i < sizeof(out); i++)
				assert_int_equal(out[i], 0xee);
			if (want)
				assert_int_equal((out[2] & 2) != 0, want == bare);
		}
	}
}

/* Two queries over TCP, cut into every pair of pieces and into single bytes. */
static void test_stream(void **state)
{
	static const char wire[] = "\0\x1d" ONE NAME IN_A "\0\x1d" ONE "\7EXAMPLE\3org\0" IN_A;
	size_t n = sizeof(wire) - 1;

	(void)state;
	for (size_t cut = 0; cut <= n; cut++) {
		struct dns_stream s = { .n = 0 };
		size_t got = 0, at = 0;

		while (at < n) {
			size_t end = at < cut ? cut : n, used;

			switch (dns_stream_add(&s, (const uint8_t *)wire + at, cut ? end - at : 1, &used)) {
			case DNS_MESSAGE: {
				size_t len;
				const uint8_t *m = dns_stream_message(&s, &len);

				assert_int_equal(len, 29);
				assert_memory_equal(m, wire + 2 + got * 31, len);
				got++;
				dns_stream_next(&s);
				break;
			}
			case DNS_MORE:
				break;
			case DNS_TOO_LONG:
				fail();
			}
			at += used;
		}
		assert_int_equal(got, 2);
		assert_int_equal(s.n, 0);
	}
}

static void test_stream_lengths(void **state)
{
	static const struct {
		const char *len;
		enum dns_framing want;
	} lens[] = { { "\0\0", DNS_TOO_LONG },	  { "\0\x0b", DNS_TOO_LONG },	{ "\0\x0c", DNS_MORE },
		     { "\x04\xd0", DNS_MORE },	  { "\x04\xd1", DNS_TOO_LONG }, { "\xff\xff", DNS_TOO_LONG } };

	(void)state;
	for (size_t i = 0; i < sizeof(lens) / sizeof(*lens); i++) {
		struct dns_stream s = { .n = 0 };
		size_t used;

		assert_int_equal(dns_stream_add(&s, (const uint8_t *)lens[i].len, 1, &used), DNS_MORE);
		assert_int_equal(dns_stream_add(&s, (const uint8_t *)lens[i].len + 1, 1, &used), lens[i].want);
		assert_int_equal(used, 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_queries),
		cmocka_unit_test(test_the_longest_query),
		cmocka_unit_test(test_what_a_client_can_receive),
		cmocka_unit_test(test_answers),
		cmocka_unit_test(test_what_does_not_fit),
		cmocka_unit_test(test_stream),
		cmocka_unit_test(test_stream_lengths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
