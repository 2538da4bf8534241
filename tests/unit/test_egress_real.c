/*
 * What real clients send (tests/data/egress/capture.py keeps it): each hello, query and head
 * is read as the host that its client was told to ask for.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/egress/dns.h"
#include "runtime/egress/http_body.h"
#include "runtime/egress/tls_hello.h"

struct row {
	char *name, *want;
	uint8_t bytes[8192];
	size_t n;
};

static int digit(char c)
{
	const char *all = "0123456789abcdef", *p = c ? strchr(all, c) : NULL;

	return p ? (int)(p - all) : -1;
}

static void cut(char *line, struct row *r)
{
	char *hex;

	r->name = line;
	r->want = strchr(line, '\t');
	assert_non_null(r->want);
	*r->want++ = '\0';
	hex = strchr(r->want, '\t');
	assert_non_null(hex);
	*hex++ = '\0';
	for (r->n = 0; digit(hex[0]) >= 0 && digit(hex[1]) >= 0; hex += 2) {
		assert_true(r->n < sizeof(r->bytes));
		r->bytes[r->n++] = (uint8_t)(digit(hex[0]) << 4 | digit(hex[1]));
	}
	assert_true(*hex == '\n');
}

static void each(const char *path, size_t least, void (*one)(const struct row *r))
{
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t size = 0, n = 0;
	static struct row r;

	assert_non_null(f);
	for (; getline(&line, &size, f) > 0; n++) {
		cut(line, &r);
		one(&r);
	}
	free(line);
	(void)fclose(f);
	/* so that an emptied file is seen */
	assert_true(n >= least);
}

static void read_hello(const struct row *r)
{
	bool named = strcmp(r->want, "no-sni") != 0;
	struct tls_hello h;

	tls_hello_init(&h);
	if (tls_hello_add(&h, r->bytes, r->n) != (named ? TLS_HELLO_NAME : TLS_HELLO_NO_SNI))
		fail_msg("%s: %s", r->name, tls_hello_text(h.verdict));
	assert_string_equal(h.name, named ? r->want : "");
	/* without its last byte it is not a hello yet */
	tls_hello_init(&h);
	assert_int_equal(tls_hello_add(&h, r->bytes, r->n - 1), TLS_HELLO_MORE);
}

static void test_hellos(void **state)
{
	(void)state;
	each("tests/data/egress/hellos.tsv", 13, read_hello);
}

static void read_query(const struct row *r)
{
	static const struct {
		const char *name;
		uint16_t type;
	} types[] = { { "A", DNS_A }, { "AAAA", DNS_AAAA }, { "65", DNS_HTTPS }, { "2", 2 } };
	struct dns_query q;
	char want[512] = "no-host";

	if (dns_read(&q, r->bytes, r->n) != DNS_QUERY)
		fail_msg("%s: rcode %d", r->name, q.rcode);
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (types[i].type == q.type && (q.host || q.name_n == 0))
			(void)snprintf(want, sizeof(want), "%s %s", types[i].name,
				       q.name_n ? q.name : ".");
	assert_string_equal(want, r->want);
	assert_true(q.question == r->bytes + DNS_HEADER && q.question_n >= 5);
}

static void test_queries(void **state)
{
	(void)state;
	each("tests/data/egress/queries.tsv", 10, read_query);
}

static void read_head(const struct row *r)
{
	bool h2 = strcmp(r->want, "h2") == 0;
	struct http_head h;
	struct http_body b;
	size_t used;

	http_head_init(&h);
	if (http_head_read(&h, r->bytes, r->n) != (h2 ? HTTP_H2 : HTTP_HEAD))
		fail_msg("%s: %s %s", r->name, http_text(h.verdict), h.what);
	if (h2)
		return;
	assert_string_equal(h.host, r->want);
	http_body_init(&b, &h);
	assert_int_equal(http_body_read(&b, r->bytes + h.head_n, r->n - h.head_n, &used), HTTP_END);
	assert_int_equal(h.head_n + used, r->n);
}

static void test_heads(void **state)
{
	(void)state;
	each("tests/data/egress/heads.tsv", 18, read_head);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hellos),
		cmocka_unit_test(test_queries),
		cmocka_unit_test(test_heads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
