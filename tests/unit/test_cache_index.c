/*
 * The index of a cached bundle: what is written is read again, and a text that was cut or
 * changed in any line is no index.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/polrun/cache_index.h"

#define HEX "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static struct cache_input inputs[] = {
	{ 4, CACHE_NAMED, { 7, 8, 9, 1234567890123456789, 1234567890123456790 }, HEX, "/h/a b.pol" },
	{ 3, CACHE_NARROW | CACHE_NAMED, { 1, UINT32_MAX, 0, 0, -5 }, HEX, "/p/.pol/x.yml" },
	{ 5, CACHE_STD, { 0, 1, 2, 3, 4 }, HEX, "/usr/share/std/base.pol" },
	{ 0, CACHE_POLC, { 0, 1, 2, 3, 4 }, HEX, "/usr/bin/polc" },
};

static char *text_of(size_t *ret_len)
{
	struct cache_index x = { .at = 1700000000123456789, .told = true, .key = HEX,
				 .bundle = HEX, .v = inputs,
				 .n = sizeof(inputs) / sizeof(inputs[0]) };
	char *text = cache_index_text(&x, ret_len);

	assert_non_null(text);
	return text;
}

static void test_what_is_written_is_read(void **state)
{
	struct cache_index x;
	size_t len;
	char *text = text_of(&len);

	(void)state;
	assert_int_equal(strlen(text), len);
	assert_true(cache_index_read(text, &x));
	assert_true(x.at == 1700000000123456789 && x.told);
	assert_string_equal(x.key, HEX);
	assert_string_equal(x.bundle, HEX);
	assert_int_equal(x.n, 4);
	for (size_t i = 0; i < x.n; i++) {
		assert_int_equal(x.v[i].level, inputs[i].level);
		assert_int_equal(x.v[i].flags, inputs[i].flags);
		assert_memory_equal(&x.v[i].stamp, &inputs[i].stamp, sizeof(inputs[i].stamp));
		assert_string_equal(x.v[i].hex, HEX);
		assert_string_equal(x.v[i].path, inputs[i].path);
	}
	cache_index_release(&x);
}

static void refused(char *text, const char *what, size_t at)
{
	struct cache_index x;

	if (cache_index_read(text, &x))
		fail_msg("%s at %zu is accepted", what, at);
}

static void test_a_text_that_was_cut_is_none(void **state)
{
	size_t len;
	char *text = text_of(&len);

	(void)state;
	for (size_t n = 0; n < len; n++) {
		char *cut = strndup(text, n);

		assert_non_null(cut);
		refused(cut, "a cut", n);
	}
	free(text);
}

static void test_a_word_too_many_or_too_few_is_none(void **state)
{
	static const struct { const char *from, *to; } edits[] = {
		{ "pol-cache 1", "pol-cache 2" }, { "told 1", "told x" }, { "told 1\n", "" },
		{ "key 0", "key g" }, { "key 0", "key " }, { "bundle 0", "bundle 00" },
		{ "file 4 i", "file 6 i" }, { "file 4 i", "file 4 q" }, { "file 4 i", "file -1 i" },
		{ "file 4 i 7", "file 4 i 7x" }, { " 7 8 9 ", " 7 8 9 9 " }, { " 7 8 9 ", " 7 9 " },
		{ " 7 8 9 ", " 7  9 " }, { "/h/a b.pol", "h/a b.pol" }, { "/h/a b.pol", "" },
		{ " 1234567890123456789 ", " 12345678901234567890 " }, { "end\n", "end\nx\n" },
		{ "end\n", "ende\n" }, { "at 1700", "at +1700" }, { "file 0 p", "fi1e 0 p" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(edits) / sizeof(edits[0]); i++) {
		size_t len, head, nf = strlen(edits[i].from), nt = strlen(edits[i].to);
		char *text = text_of(&len), *at = strstr(text, edits[i].from);
		char *made = calloc(1, len + nt + 1);

		assert_non_null(made);
		if (!at)
			fail_msg("'%s' is not there", edits[i].from);
		head = (size_t)(at - text);
		memcpy(made, text, head);
		memcpy(made + head, edits[i].to, nt);
		memcpy(made + head + nt, at + nf, len - head - nf);
		free(text);
		refused(made, edits[i].to, i);
	}
}

static void test_what_polc_lists(void **state)
{
	static const char list[] = "dropped 3\nfile 4 i " HEX " a.pol\nfile 5 s " HEX
				   " /std/base.pol\nend\n";
	struct cache_index x;
	size_t dropped;

	(void)state;
	assert_true(cache_index_list(strdup(list), "/home/x", &x, &dropped));
	assert_int_equal(dropped, 3);
	assert_int_equal(x.n, 2);
	assert_string_equal(x.v[0].path, "/home/x/a.pol");
	assert_string_equal(x.v[1].path, "/std/base.pol");
	cache_index_release(&x);
	assert_true(cache_index_list(strdup(list), "/", &x, &dropped));
	assert_string_equal(x.v[0].path, "/a.pol");
	cache_index_release(&x);
	for (size_t n = 0; n + 1 < sizeof(list); n++)
		assert_false(cache_index_list(strndup(list, n), "/", &x, &dropped));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_written_is_read),
		cmocka_unit_test(test_a_text_that_was_cut_is_none),
		cmocka_unit_test(test_a_word_too_many_or_too_few_is_none),
		cmocka_unit_test(test_what_polc_lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
