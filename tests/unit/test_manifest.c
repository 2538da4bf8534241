/* manifest.json: one canonical form, and whatever differs is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/bundle/format.h"
#include "runtime/bundle/manifest.h"

#define HEX "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static const char good[] =
	"{\n  \"format\": 1,\n  \"name\": \"acme\",\n  \"serial\": 42,\n"
	"  \"previous\": null,\n  \"created\": \"2026-11-22T01:02:03Z\",\n"
	"  \"not_before\": \"2026-01-01\",\n  \"not_after\": \"2027-06-30\",\n"
	"  \"compiler\": \"0.1.0\",\n  \"features\": [\n    \"seccomp\",\n"
	"    \"user-namespace\"\n  ],\n  \"nft\": null,\n  \"sources\": [\n"
	"    {\"level\": \"managed\", \"narrow\": false, \"name\": \"a \\\"b\\\" \\u00ff "
	"\xc3\xa4\", \"path\": \"sources/managed/a\", \"size\": 3, \"blake2b\": \"" HEX
	"\"},\n    {\"level\": \"default\", \"narrow\": true, \"name\": \"std/base.pol\", "
	"\"path\": null, \"size\": 0, \"blake2b\": \"" HEX "\"}\n  ],\n"
	"  \"keys\": null,\n  \"parent\": null,\n  \"members\": [\n"
	"    {\"path\": \"rules.bin\", \"size\": 88, \"blake2b\": \"" HEX "\"},\n"
	"    {\"path\": \"env.bin\", \"size\": 24, \"blake2b\": \"" HEX "\"},\n"
	"    {\"path\": \"sources/managed/a\", \"size\": 3, \"blake2b\": \"" HEX "\"}\n"
	"  ],\n  \"changes\": null\n}\n";

static int parse(const char *text, size_t n, struct manifest *m, struct rt_err *err)
{
	/* An own allocation, so that ASan sees a read past the end. */
	uint8_t *p = malloc(n ? n : 1);
	int r;

	assert_non_null(p);
	memcpy(p, text, n);
	r = manifest_parse(p, n, m, err);
	free(p);
	return r;
}

static void refused(const char *text, const char *why)
{
	struct rt_err err = { .err = 0 };
	struct manifest m;

	assert_true(parse(text, strlen(text), &m, &err) < 0);
	if (!strstr(err.text, why))
		fail_msg("'%s' does not say '%s'", err.text, why);
}

/* `good` with its first `from` replaced. */
static char *with(const char *from, const char *to)
{
	const char *at = strstr(good, from);
	char *out = NULL;

	assert_non_null(at);
	assert_true(asprintf(&out, "%.*s%s%s", (int)(at - good), good, to,
			     at + strlen(from)) >= 0);
	return out;
}

static void test_the_canonical_form_is_read(void **state)
{
	struct manifest m;

	(void)state;
	assert_int_equal(
		manifest_parse((const uint8_t *)good, sizeof(good) - 1, &m, NULL), 0);
	assert_string_equal(m.name, "acme");
	assert_int_equal(m.serial, 42);
	assert_int_equal(m.created, 1795309323);
	assert_int_equal(m.not_before, 1767225600);
	assert_int_equal(m.not_after, 1814399999);
	assert_int_equal(m.nsources, 2);
	assert_int_equal(m.sources[0].level, PB_MANAGED);
	assert_int_equal(m.sources[1].level, PB_DEFAULT);
	assert_int_equal(m.sources[1].name_len, strcspn(m.sources[1].name, "\""));
	assert_memory_equal(m.sources[1].b2, m.members[2].b2, 32);
	assert_int_equal(m.nmembers, 3);
	assert_int_equal(m.members[1].size, 24);
	assert_string_equal(m.previous, "");
	assert_int_equal(m.threshold, 0);
	assert_int_equal(m.levels, 1 << PB_MANAGED | 1 << PB_DEFAULT);
	assert_memory_equal(m.members[2].path, "sources/managed/a", 17);
	assert_int_equal(m.members[0].b2[1], 0x23);
	manifest_release(&m);
}

static void test_what_differs_is_refused(void **state)
{
	static const struct {
		const char *from, *to, *why;
	} rows[] = {
		{ "\"format\": 1", "\"format\": 0", "not one of this version" },
		{ "\"format\": 1", "\"format\": 3", "not one of this version" },
		{ "\"format\": 1", "\"format\":1", "not canonical" },
		{ "\"format\": 1", "\"format\": 01", "no valid format version" },
		{ "\"serial\": 42", "\"serial\": -1", "no valid serial" },
		{ "\"serial\": 42", "\"serial\": 042", "no valid serial" },
		{ "\"serial\": 42", "\"serial\": 18446744073709551616",
		  "no valid serial" },
		{ "\"serial\": 42", "\"serial\": 42.0", "not canonical" },
		{ "acme", "ac\\u0041me", "no valid name" },
		{ "acme", "ac\\nme", "no valid name" },
		{ "acme", "ac\nme", "no valid name" },
		{ "acme", "\xc3\xa4", "no valid name" },
		{ "\"previous\": null", "\"previous\": \"" HEX "0\"", "not canonical" },
		{ "\"previous\": null", "\"previous\": \"\"", "no valid digest" },
		{ "\"previous\": null", "\"previous\": 1", "no valid digest" },
		{ "2026-11-22T01:02:03Z", "2026-11-22T24:02:03Z", "time of creation" },
		{ "2026-11-22T01:02:03Z", "2026-11-22 01:02:03Z", "time of creation" },
		{ "2026-01-01", "2026-02-29", "first day" },
		{ "2026-01-01", "2026-13-01", "first day" },
		{ "2026-01-01", "1969-12-31", "first day" },
		{ "2027-06-30", "2027-06-31", "last day" },
		{ "2027-06-30", "2027-6-30", "last day" },
		{ "\"seccomp\"", "\"telepathy\"", "does not know" },
		{ "[\n    \"seccomp\",\n    \"user-namespace\"\n  ]", "[ ]",
		  "not canonical" },
		{ "\"managed\"", "\"root\"", "no valid level" },
		{ "\"narrow\": false", "\"narrow\": 0", "'narrow'" },
		{ "\\u00ff", "\\u00FF", "source name" },
		{ "\\u00ff", "\\u0041", "source name" },
		{ "\\u00ff", "\xff", "source name" },
		{ "\\u00ff", "\xed\xa0\x80", "source name" },
		{ "\\u00ff", "\xc0\xaf", "source name" },
		{ "\"path\": \"sources/managed/a\"", "\"path\": \"rules.bin\"",
		  "source path" },
		{ "\"path\": \"sources/managed/a\"", "\"path\": \"sources/../a\"",
		  "source path" },
		{ "\"size\": 3, \"blake2b\": \"" HEX,
		  "\"size\": 3, \"blake2b\": \"0" HEX, "not canonical" },
		{ "\"size\": 3, \"blake2b\": \"0", "\"size\": 3, \"blake2b\": \"A",
		  "no valid digest" },
		{ "\"keys\": null", "\"keys\": {}", "not canonical" },
		{ "\"keys\": null", "\"keys\": {\"threshold\": 0}", "no valid threshold" },
		{ "\"keys\": null", "\"keys\": {\"threshold\": 01}", "no valid threshold" },
		{ "\"keys\": null", "\"keys\": {\"threshold\": 1 }", "not canonical" },
		{ "\"keys\": null", "\"keys\": {\"threshold\": 2}",
		  "signatures of 2 keys, which this version does not count" },
		{ "\"parent\": null", "\"parent\": \"" HEX "\"", "('parent'), which" },
		{ "\"changes\": null", "\"changes\": []", "('changes'), which" },
		{ "\"rules.bin\"", "\"../rules.bin\"", "no valid member path" },
		{ "\"rules.bin\"", "\"/rules.bin\"", "no valid member path" },
		{ "\"rules.bin\"", "\"other.bin\"", "not known" },
		{ "\"rules.bin\"", "\"env.bin\"", "repeated or out of order" },
		{ "\"rules.bin\"", "\"ir.json\"", "repeated or out of order" },
		{ "\"changes\": null\n}\n", "\"changes\": null\n}\n\n",
		  "follow the end" },
		{ "\"changes\": null\n}\n", "\"changes\": null\n}", "not canonical" },
		{ "\"changes\": null\n}\n", "", "not canonical" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char *text = with(rows[i].from, rows[i].to);

		refused(text, rows[i].why);
		free(text);
	}
}

static void test_no_prefix_is_a_manifest(void **state)
{
	struct rt_err err;
	struct manifest m;

	(void)state;
	for (size_t n = 0; n + 1 < sizeof(good); n++)
		assert_true(parse(good, n, &m, &err) < 0);
}

static void test_a_leap_day_and_nulls(void **state)
{
	char *text = with("2027-06-30", "2028-02-29");
	struct manifest m;

	(void)state;
	assert_int_equal(parse(text, strlen(text), &m, NULL), 0);
	assert_int_equal(m.not_after, 1835481599);
	manifest_release(&m);
	free(text);
	text = with("\"2027-06-30\"", "null");
	assert_int_equal(parse(text, strlen(text), &m, NULL), 0);
	assert_true(m.not_after == MANIFEST_NO_TIME);
	manifest_release(&m);
	free(text);
}

static void test_what_a_manifest_follows_and_asks_for(void **state)
{
	char *text = with("\"previous\": null", "\"previous\": \"" HEX "\"");
	struct manifest m;

	(void)state;
	assert_int_equal(parse(text, strlen(text), &m, NULL), 0);
	assert_string_equal(m.previous, HEX);
	manifest_release(&m);
	free(text);
	text = with("\"keys\": null", "\"keys\": {\"threshold\": 1}");
	assert_int_equal(parse(text, strlen(text), &m, NULL), 0);
	assert_int_equal(m.threshold, 1);
	manifest_release(&m);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_canonical_form_is_read),
		cmocka_unit_test(test_what_differs_is_refused),
		cmocka_unit_test(test_no_prefix_is_a_manifest),
		cmocka_unit_test(test_what_a_manifest_follows_and_asks_for),
		cmocka_unit_test(test_a_leap_day_and_nulls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
