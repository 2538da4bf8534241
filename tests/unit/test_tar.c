/* The canonical ustar headers: what is read, and every way to be refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/bundle/tar.h"

/* One member "a/b" with five bytes, and the end. */
static size_t sample(uint8_t out[2048])
{
	memset(out, 0, 2048);
	tar_header(out, "a/b", 3, 5);
	memcpy(out + 512, "hello", 5);
	return 2048;
}

static void refused(const uint8_t *bytes, size_t size, const char *why)
{
	struct rt_err err = { .err = 0 };
	struct tar_member m;
	size_t at = 0;
	int r;

	while ((r = tar_next(bytes, size, &at, &m, &err)) > 0)
		;
	assert_true(r < 0);
	if (!strstr(err.text, why))
		fail_msg("'%s' does not say '%s'", err.text, why);
}

static void test_a_member_is_read(void **state)
{
	struct tar_member m;
	uint8_t b[2048];
	size_t n = sample(b), at = 0;

	(void)state;
	assert_int_equal(tar_next(b, n, &at, &m, NULL), 1);
	assert_string_equal(m.path, "a/b");
	assert_int_equal(m.size, 5);
	assert_memory_equal(m.data, "hello", 5);
	assert_int_equal(at, 1024);
	assert_int_equal(tar_next(b, n, &at, &m, NULL), 0);
}

static void test_paths(void **state)
{
	static const char *const good[] = { "a", "a/b", "sources/default/std/base.pol",
					    "...", "a.b", ".x", "x%2E/..y" };
	static const char *const bad[] = { "", "/a", "a/", "a//b", ".", "..", "a/..",
					   "../a", "a/./b", "a b", "a\\b", "\xc3\xa4",
					   "a\n", "a\"b" };
	char longest[101];

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		assert_true(tar_path_ok(good[i], strlen(good[i])));
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_false(tar_path_ok(bad[i], strlen(bad[i])));
	memset(longest, 'x', sizeof(longest));
	assert_true(tar_path_ok(longest, TAR_PATH_MAX));
	assert_false(tar_path_ok(longest, TAR_PATH_MAX + 1));
	assert_false(tar_path_ok("a\0b", 3));
}

/* A header with one changed field and a right checksum again. */
static void rechecksum(uint8_t *h)
{
	unsigned sum = 0;
	char text[8];

	memset(h + 148, ' ', 8);
	for (int i = 0; i < 512; i++)
		sum += h[i];
	(void)snprintf(text, sizeof(text), "%06o", sum & 0777777u);
	memcpy(h + 148, text, 7);
}

static void test_other_headers_are_refused(void **state)
{
	static const struct {
		size_t at;
		const char *bytes;
		size_t n;
		const char *why;
	} rows[] = {
		{ 156, "1", 1, "is a link" },
		{ 156, "2", 1, "is a link" },
		{ 156, "5", 1, "is no regular file" },
		{ 156, "L", 1, "is no regular file" },
		{ 0, "/", 1, "absolute path" },
		{ 0, "../b", 5, "may not hold" },
		{ 0, "\0", 1, "may not hold" },
		{ 257, "xstar", 5, "it is no bundle" },
		{ 257, "ustar ", 6, "not canonical" },
		{ 100, "0000755", 7, "not canonical" },
		{ 108, "0000001", 7, "not canonical" },
		{ 136, "00000000001", 11, "not canonical" },
		{ 124, "     000005", 11, "no canonical size" },
		{ 124, "77777777777", 11, "cut short" },
		{ 124, "\x80\0\0\0\0\0\0\0\0\0\0\5", 12, "no canonical size" },
		{ 265, "root", 4, "not canonical" },
		{ 345, "prefix", 6, "not canonical" },
		{ 500, "x", 1, "not canonical" },
	};
	uint8_t b[2048];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		size_t n = sample(b);

		memcpy(b + rows[i].at, rows[i].bytes, rows[i].n);
		rechecksum(b);
		refused(b, n, rows[i].why);
	}
}

static void test_checksum_padding_and_end(void **state)
{
	uint8_t b[2048 + 512] = { 0 };
	size_t n;

	(void)state;
	n = sample(b);
	b[148] ^= 1;
	refused(b, n, "not canonical");
	n = sample(b);
	b[512 + 5] = 'x';
	refused(b, n, "padding");
	n = sample(b);
	b[n - 1] = 1;
	refused(b, n, "follow the end");
	n = sample(b);
	refused(b, n + 512, "follow the end");
	refused(b, n - 512, "middle of a header");
	refused(b, 0, "it is no bundle");
	refused(b, 511, "it is no bundle");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_member_is_read),
		cmocka_unit_test(test_paths),
		cmocka_unit_test(test_other_headers_are_refused),
		cmocka_unit_test(test_checksum_padding_and_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
