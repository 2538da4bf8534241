/*
 * ClientHellos: which bytes name one host.  Each row is put together field by field, and read
 * whole, byte by byte, in every pair of pieces, and in records of 1, 2, 3 and 100 bytes.
 * Real clients' hellos: test_egress_real.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/egress/tls_hello.h"

struct bytes {
	uint8_t *p;
	size_t n;
};

/* A power of two: with the sanitizers each change of a size is a copy. */
static size_t room_for(size_t n)
{
	size_t room = 64;

	while (room < n + 1)
		room *= 2;
	return room;
}

static void put(struct bytes *b, const void *p, size_t n)
{
	if (!b->p || room_for(b->n) != room_for(b->n + n))
		b->p = realloc(b->p, room_for(b->n + n));
	assert_non_null(b->p);
	if (n)
		memcpy(b->p + b->n, p, n);
	b->n += n;
}

static void put_number(struct bytes *b, size_t v, int size)
{
	while (size--) {
		uint8_t c = (uint8_t)(v >> (8 * size));

		put(b, &c, 1);
	}
}

/* `what` behind its length of `size` bytes; frees it. */
static void put_block(struct bytes *b, struct bytes what, int size)
{
	put_number(b, what.n, size);
	put(b, what.p, what.n);
	free(what.p);
}

static void put_extension(struct bytes *b, unsigned type, const void *p, size_t n)
{
	put_number(b, type, 2);
	put_number(b, n, 2);
	put(b, p, n);
}

/* server_name with one host. */
static void put_name(struct bytes *b, const char *name, size_t n)
{
	struct bytes list = { NULL, 0 }, ext = { NULL, 0 };

	put_number(&list, 0, 1);
	put_number(&list, n, 2);
	put(&list, name, n);
	put_block(&ext, list, 2);
	put_extension(b, 0, ext.p, ext.n);
	free(ext.p);
}

/* The hello as a handshake message, without records. */
static struct bytes hello_of(const uint8_t *exts, size_t n, bool has_exts)
{
	struct bytes body = { NULL, 0 }, all = { NULL, 0 }, suites = { NULL, 0 };
	uint8_t random[32] = { 7 };

	put_number(&body, 0x0303, 2);
	put(&body, random, sizeof(random));
	put_number(&body, 32, 1);
	put(&body, random, sizeof(random));
	put_number(&suites, 0x0a0a, 2); /* GREASE */
	put_number(&suites, 0x1301, 2);
	put_block(&body, suites, 2);
	put(&body, "\1\0", 2);
	if (has_exts) {
		put_number(&body, n, 2);
		put(&body, exts, n);
	}
	put_number(&all, 1, 1);
	put_block(&all, body, 3);
	return all;
}

/* The message in records of `size` bytes. */
static struct bytes records(const struct bytes *message, size_t size)
{
	struct bytes b = { NULL, 0 };

	for (size_t at = 0; at < message->n; at += size) {
		size_t n = message->n - at < size ? message->n - at : size;

		put(&b, "\x16\3\1", 3);
		put_number(&b, n, 2);
		put(&b, message->p + at, n);
	}
	return b;
}

static void check(const char *row, const uint8_t *p, size_t n, enum tls_hello_verdict want,
		  const char *name)
{
	struct tls_hello h;

	/* whole, and with more behind it */
	tls_hello_init(&h);
	if (tls_hello_add(&h, p, n) != want)
		fail_msg("%s: verdict %d, not %d", row, h.verdict, want);
	assert_string_equal(h.name, name);
	assert_int_equal(h.name_n, strlen(name));
	if (want != TLS_HELLO_MORE)
		assert_int_equal(tls_hello_add(&h, (const uint8_t *)"x", 1), want);
	/* one by one */
	tls_hello_init(&h);
	for (size_t i = 0; i < n; i++)
		(void)tls_hello_add(&h, p + i, 1);
	assert_int_equal(h.verdict, want);
	assert_string_equal(h.name, name);
	for (size_t cut = 0; cut <= n && n < 2000; cut++) {
		tls_hello_init(&h);
		(void)tls_hello_add(&h, p, cut);
		if (tls_hello_add(&h, p + cut, n - cut) != want)
			fail_msg("%s: cut at %zu: verdict %d, not %d", row, cut, h.verdict, want);
		assert_string_equal(h.name, name);
	}
}

/* In one record, and in records of several sizes. */
static void check_message(const char *row, struct bytes message, enum tls_hello_verdict want,
			  const char *name)
{
	static const size_t sizes[] = { 16384, 100, 3, 2, 1 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct bytes b = records(&message, sizes[i]);

		/* to the byte, so that a read behind it is seen */
		b.p = realloc(b.p, b.n);
		assert_non_null(b.p);
		/* very many small records are refused as such */
		if (b.n <= TLS_HELLO_WIRE_MAX)
			check(row, b.p, b.n, want, name);
		free(b.p);
	}
	free(message.p);
}

static void check_exts(const char *row, struct bytes exts, enum tls_hello_verdict want,
		       const char *name)
{
	check_message(row, hello_of(exts.p, exts.n, true), want, name);
	free(exts.p);
}

#define N(s) s, sizeof(s) - 1

static void test_names(void **state)
{
	static const struct {
		const char *name;
		size_t n;
		const char *want; /* NULL: malformed */
	} rows[] = {
		{ N("example.com"), "example.com" },
		{ N("EXAMPLE.Com"), "example.com" },
		{ N("a"), "a" },
		{ N("_a-.b_"), "_a-.b_" },
		{ N("xn--bcher-kva.example"), "xn--bcher-kva.example" },
		{ N("1.2.3.4.example"), "1.2.3.4.example" },
		{ N(""), NULL },
		{ N("."), NULL },
		{ N("example.com."), NULL },
		{ N(".example.com"), NULL },
		{ N("example..com"), NULL },
		{ N("example.com\0"), NULL },
		{ N("example.com\0.evil.example"), NULL },
		{ N("exa mple.com"), NULL },
		{ N("*.example.com"), NULL },
		{ N("example.com:443"), NULL },
		{ N("b\xc3\xbc" "cher.example"), NULL },
		{ N("127.0.0.1"), NULL },
		{ N("127.1"), NULL },
		{ N("0x7f000001"), NULL },
		{ N("0X7F.0x1"), NULL },
		{ N("2130706433"), NULL },
		{ N("::1"), NULL },
		{ N("[::1]"), NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct bytes exts = { NULL, 0 };

		put_extension(&exts, 0x2a2a, "", 0);
		put_name(&exts, rows[i].name, rows[i].n);
		put_extension(&exts, 0x0010, "\0\3\2h2", 5);
		check_exts(rows[i].name, exts,
			   rows[i].want ? TLS_HELLO_NAME : TLS_HELLO_MALFORMED,
			   rows[i].want ? rows[i].want : "");
	}
}

static void test_long_names(void **state)
{
	char name[300];

	(void)state;
	for (size_t n = 250; n < 260; n++) {
		struct bytes exts = { NULL, 0 };

		for (size_t i = 0; i < n; i++)
			name[i] = i % 50 == 49 && i + 1 < n ? '.' : 'a';
		put_name(&exts, name, n);
		name[n] = '\0';
		check_exts("a long name", exts, n <= 253 ? TLS_HELLO_NAME : TLS_HELLO_MALFORMED,
			   n <= 253 ? name : "");
	}
	/* labels of 63 and 64 bytes */
	for (size_t n = 63; n < 65; n++) {
		struct bytes exts = { NULL, 0 };

		memset(name, 'a', n);
		name[n] = '\0';
		put_name(&exts, name, n);
		check_exts("a long label", exts, n == 63 ? TLS_HELLO_NAME : TLS_HELLO_MALFORMED,
			   n == 63 ? name : "");
	}
}

static void test_extensions(void **state)
{
	static const uint8_t ech[200] = { 1 }; /* as GREASE and a real one look from outside */
	struct bytes exts = { NULL, 0 };

	(void)state;
	check_message("no extensions", hello_of(NULL, 0, false), TLS_HELLO_NO_SNI, "");
	check_exts("an empty block", exts, TLS_HELLO_NO_SNI, "");
	put_extension(&exts, 0xfe0d, ech, sizeof(ech));
	check_exts("ECH alone", exts, TLS_HELLO_NO_SNI, "");
	exts = (struct bytes){ NULL, 0 };
	put_extension(&exts, 0xfe0d, ech, sizeof(ech));
	put_name(&exts, N("outer.example"));
	put_extension(&exts, 0x1a1a, "", 0);
	check_exts("ECH with its outer name", exts, TLS_HELLO_NAME, "outer.example");
	exts = (struct bytes){ NULL, 0 };
	put_name(&exts, N("a.example"));
	put_name(&exts, N("a.example"));
	check_exts("the name's extension twice", exts, TLS_HELLO_MALFORMED, "");
	exts = (struct bytes){ NULL, 0 };
	put_name(&exts, N("a.example"));
	put_extension(&exts, 0x002b, "\2\3\4", 3);
	put_extension(&exts, 0x002b, "\2\3\4", 3);
	check_exts("another extension twice", exts, TLS_HELLO_MALFORMED, "");
}

static void test_name_lists(void **state)
{
	static const struct {
		const char *row, *data;
		size_t n;
		enum tls_hello_verdict want;
	} rows[] = {
		{ "one", N("\0\4\0\0\1a"), TLS_HELLO_NAME },
		{ "two", N("\0\x08\0\0\1a\0\0\1b"), TLS_HELLO_SEVERAL },
		{ "two equal ones", N("\0\x08\0\0\1a\0\0\1a"), TLS_HELLO_SEVERAL },
		{ "one, and one of another type", N("\0\x08\0\0\1a\1\0\1b"), TLS_HELLO_SEVERAL },
		{ "another type", N("\0\4\1\0\1a"), TLS_HELLO_MALFORMED },
		{ "no data", N(""), TLS_HELLO_MALFORMED },
		{ "half a length", N("\0"), TLS_HELLO_MALFORMED },
		{ "an empty list", N("\0\0"), TLS_HELLO_MALFORMED },
		{ "a type alone", N("\0\1\0"), TLS_HELLO_MALFORMED },
		{ "an empty name", N("\0\3\0\0\0"), TLS_HELLO_MALFORMED },
		{ "a list that is longer", N("\0\5\0\0\1a"), TLS_HELLO_MALFORMED },
		{ "a list that is shorter", N("\0\3\0\0\1a"), TLS_HELLO_MALFORMED },
		{ "a name that is longer", N("\0\4\0\0\2a"), TLS_HELLO_MALFORMED },
		/* what is left of the list begins a second entry */
		{ "a name that is shorter", N("\0\5\0\0\1ab"), TLS_HELLO_SEVERAL },
		{ "bytes behind the list", N("\0\4\0\0\1a\0"), TLS_HELLO_MALFORMED },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct bytes exts = { NULL, 0 };

		put_extension(&exts, 0, rows[i].data, rows[i].n);
		check_exts(rows[i].row, exts, rows[i].want,
			   rows[i].want == TLS_HELLO_NAME ? "a" : "");
	}
}

/* Each length of a good hello, changed by one in either direction. */
static void test_lengths(void **state)
{
	struct bytes exts = { NULL, 0 }, message;
	/* of the message, session, suites, methods, block, extension, list, name */
	static const size_t at[] = { 3, 38, 72, 77, 80, 84, 86, 89 };

	(void)state;
	put_name(&exts, N("a.example"));
	message = hello_of(exts.p, exts.n, true);
	for (size_t i = 0; i < sizeof(at) / sizeof(*at); i++)
		for (int d = -1; d <= 1; d++) {
			struct bytes copy = { NULL, 0 }, b;
			struct tls_hello h;

			put(&copy, message.p, message.n);
			copy.p[at[i]] = (uint8_t)(copy.p[at[i]] + d);
			b = records(&copy, 16384);
			tls_hello_init(&h);
			(void)tls_hello_add(&h, b.p, b.n);
			if (d == 0)
				assert_int_equal(h.verdict, TLS_HELLO_NAME);
			else if (h.verdict == TLS_HELLO_NAME || h.verdict == TLS_HELLO_NO_SNI)
				fail_msg("the length at %zu changed by %d: %s", at[i], d,
					 tls_hello_text(h.verdict));
			free(b.p);
			free(copy.p);
		}
	free(message.p);
	free(exts.p);
}

static void test_records(void **state)
{
	static const struct {
		const char *row, *data;
		size_t n;
		enum tls_hello_verdict want;
	} rows[] = {
		{ "nothing", N(""), TLS_HELLO_MORE },
		{ "a record's first bytes", N("\x16\3"), TLS_HELLO_MORE },
		{ "HTTP", N("GET / HTTP/1.1\r\n"), TLS_HELLO_NOT_TLS },
		{ "ssh", N("SSH-2.0-x\r\n"), TLS_HELLO_NOT_TLS },
		{ "an SSLv2 hello", N("\x80\x2e\1\3\1\0\x15\0\0\0\x10"), TLS_HELLO_NOT_TLS },
		{ "a change of ciphers", N("\x14\3\3\0\1\1"), TLS_HELLO_NOT_TLS },
		{ "an alert", N("\x15\3\3\0\2\2\x28"), TLS_HELLO_NOT_TLS },
		{ "data", N("\x17\3\3\0\1a"), TLS_HELLO_NOT_TLS },
		{ "DTLS", N("\x16\xfe\xfd\0\0\0\0\0\0"), TLS_HELLO_NOT_TLS },
		{ "version 2", N("\x16\2\0"), TLS_HELLO_NOT_TLS },
		{ "version 3.9", N("\x16\3\x09"), TLS_HELLO_NOT_TLS },
		{ "an empty record", N("\x16\3\1\0\0"), TLS_HELLO_MALFORMED },
		{ "a record of 16385 bytes", N("\x16\3\1\x40\1"), TLS_HELLO_MALFORMED },
		{ "a huge record", N("\x16\3\1\x41"), TLS_HELLO_MALFORMED },
		{ "a ServerHello", N("\x16\3\1\0\4\2"), TLS_HELLO_MALFORMED },
		{ "a HelloRequest", N("\x16\3\1\0\4\0"), TLS_HELLO_MALFORMED },
		{ "an empty hello", N("\x16\3\1\0\4\1\0\0\0"), TLS_HELLO_MALFORMED },
		{ "a hello above 64 KiB", N("\x16\3\1\0\4\1\0\xff\xfd"), TLS_HELLO_TOO_LONG },
		{ "a hello of 16 MiB", N("\x16\3\1\0\4\1\xff\xff\xff"), TLS_HELLO_TOO_LONG },
		{ "the longest hello", N("\x16\3\1\0\4\1\0\xff\xfc"), TLS_HELLO_MORE },
		{ "of TLS 4", N("\x16\3\1\0\6\1\0\x01\0\4\0"), TLS_HELLO_MALFORMED },
		{ "an alert between records", N("\x16\3\1\0\4\1\0\1\0\x15\3\1"), TLS_HELLO_MALFORMED },
		{ "HTTP between records", N("\x16\3\1\0\4\1\0\1\0GET"), TLS_HELLO_MALFORMED },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		check(rows[i].row, (const uint8_t *)rows[i].data, rows[i].n, rows[i].want, "");
}

/* A second message in the record of the hello is refused; in the next record it is not read. */
static void test_what_follows(void **state)
{
	struct bytes exts = { NULL, 0 }, message, other, b;

	(void)state;
	put_name(&exts, N("a.example"));
	message = hello_of(exts.p, exts.n, true);
	b = records(&message, 16384);
	put(&b, "\x17\3\3\0\1x", 6);
	check("early data", b.p, b.n, TLS_HELLO_NAME, "a.example");
	free(b.p);
	other = (struct bytes){ NULL, 0 };
	put(&other, message.p, message.n);
	put(&other, message.p, message.n);
	b = records(&other, 16384);
	check("two hellos in a record", b.p, b.n, TLS_HELLO_MALFORMED, "");
	free(b.p);
	free(other.p);
	free(message.p);
	free(exts.p);
}

static void test_large(void **state)
{
	struct bytes exts = { NULL, 0 }, message, b;
	uint8_t *fill = calloc(1, 65000);
	struct tls_hello h;

	(void)state;
	assert_non_null(fill);
	put_extension(&exts, 0x0029, fill, 64000);
	put_name(&exts, N("a.example"));
	message = hello_of(exts.p, exts.n, true);
	b = records(&message, 16384);
	check("64,000 bytes of extension", b.p, b.n, TLS_HELLO_NAME, "a.example");
	free(b.p);
	/* the same in records of one byte: six times as much */
	b = records(&message, 1);
	tls_hello_init(&h);
	assert_int_equal(tls_hello_add(&h, b.p, b.n), TLS_HELLO_TOO_LONG);
	free(b.p);
	free(message.p);
	free(exts.p);
	for (size_t n = TLS_HELLO_EXTENSIONS; n <= TLS_HELLO_EXTENSIONS + 1; n++) {
		exts = (struct bytes){ NULL, 0 };
		for (size_t i = 0; i < n; i++)
			put_extension(&exts, 0x1000 + (unsigned)i, "", 0);
		check_exts("very many extensions", exts,
			   n == TLS_HELLO_EXTENSIONS ? TLS_HELLO_NO_SNI : TLS_HELLO_MALFORMED, "");
	}
	free(fill);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),	     cmocka_unit_test(test_long_names),
		cmocka_unit_test(test_extensions),   cmocka_unit_test(test_name_lists),
		cmocka_unit_test(test_lengths),	     cmocka_unit_test(test_records),
		cmocka_unit_test(test_what_follows), cmocka_unit_test(test_large),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
