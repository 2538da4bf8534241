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
		{ "\"changes\": null", "\"changes\": {}", "names no previous manifest" },
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

/* --- the change statement ------------------------------------------------- */

#define PREVIOUS "\"previous\": \"" HEX "\""
#define SIDES ", \"old\": \"ask by x\", \"new\": \"allow by y\"}"
#define GIT "{\"kind\": \"command\", \"change\": \"newly-allowed\", \"what\": \"git\"" SIDES
#define COMMANDS \
	"{\"kind\": \"command\", \"allowed\": 2, \"asked\": 0, \"denied\": 3, " \
	"\"other\": 0, \"widening\": 2}"
#define LIMITS \
	"{\"kind\": \"limits\", \"allowed\": 0, \"asked\": 0, \"denied\": 0, " \
	"\"other\": 1, \"widening\": 1}"
#define WHAT "a \\\"b\\\" \\\\ \\u001b[1m \\u00ff \xe2\x80\xae \xc3\xa4"

static const char statement[] =
	"\"changes\": {\n    \"against\": \"" HEX "\",\n    \"serial\": 41,\n"
	"    \"kinds\": [\n      " COMMANDS ",\n      " LIMITS "\n    ],\n"
	"    \"undecided\": 2,\n    \"may_widen\": 1,\n    \"findings\": [\n"
	"      " GIT ",\n      " GIT ",\n      {\"kind\": \"limits\", \"change\": "
	"\"looser\", \"what\": \"" WHAT "\"" SIDES "\n    ],\n"
	"    \"doubts\": [\n      {\"why\": \"a budget\"" SIDES "\n    ]\n  }";

/* A manifest with the statement, the first `from` of it replaced. */
static char *stated(const char *from, const char *to)
{
	char *before = with("\"previous\": null", PREVIOUS), *out = NULL, *text = NULL;
	const char *at = strstr(statement, from);
	size_t head = strlen(before) - strlen("\"changes\": null\n}\n");

	if (!at)
		fail_msg("no '%s'", from);
	assert_true(asprintf(&text, "%.*s%s%s", (int)(at - statement), statement, to,
			     at + strlen(from)) >= 0);
	assert_true(asprintf(&out, "%.*s%s\n}\n", (int)head, before, text) >= 0);
	free(before);
	free(text);
	return out;
}

/* The list of n findings of the kind `command`, among `all` that widen. */
static char *listed(size_t n, unsigned all)
{
	char *list = calloc(n + 1, sizeof(GIT) + 10), *out = NULL;

	assert_non_null(list);
	for (size_t i = 0; i < n; i++)
		strcat(strcat(list, i ? ",\n      " : ""), GIT);
	assert_true(asprintf(&out, "\"kinds\": [\n      {\"kind\": \"command\", \"allowed\": %u, "
			     "\"asked\": 0, \"denied\": 0, \"other\": 0, \"widening\": %u}\n    ],\n"
			     "    \"undecided\": 0,\n    \"may_widen\": 0,\n    \"findings\": [\n"
			     "      %s\n    ],\n    \"doubts\": []\n  }", all, all, list) >= 0);
	free(list);
	return out;
}

static void test_a_change_statement_is_read(void **state)
{
	char *text = stated("a budget", "a budget"), line[600], plain[200];
	struct manifest m;

	(void)state;
	assert_int_equal(manifest_parse((const uint8_t *)text, strlen(text), &m, NULL), 0);
	assert_non_null(m.changes);
	assert_string_equal(m.changes->against, HEX);
	assert_int_equal(m.changes->serial, 41);
	assert_int_equal(m.changes->nkinds, 2);
	assert_int_equal(m.changes->sum.allowed, 2);
	assert_int_equal(m.changes->sum.denied, 3);
	assert_int_equal(m.changes->sum.widening, 3);
	assert_int_equal(m.changes->nfindings, 3);
	assert_int_equal(m.changes->ndoubts, 1);
	assert_int_equal(m.changes->json.n, sizeof(statement) - 1 - strlen("\"changes\": "));
	/* what a terminal would act on is no longer there, whoever wrote it */
	changes_plain(m.changes->findings[2].what, plain, sizeof(plain));
	assert_string_equal(plain, "a \"b\" \\ \\x1b[1m \\xff \\u{202e} \xc3\xa4");
	changes_plain(m.changes->findings[2].what, plain, 8);
	assert_int_equal(strlen(plain), 7);
	changes_line(m.changes, line, sizeof(line));
	assert_string_equal(line, "changes against serial 41 (manifest " HEX "): 2 newly allowed, "
			    "0 newly asked, 3 newly denied, 1 other; 3 widening, 2 undecided");
	manifest_release(&m);
	free(text);
}

/* Only what was found and decided in full is called no widening. */
static void test_no_widening_is_said_of_none_only(void **state)
{
	static const struct {
		uint64_t widening, undecided, may_widen;
		const char *end;
	} rows[] = {
		{ 0, 0, 0, "; nothing widens" },
		{ 0, 2, 0, "; nothing widens, and 2 undecided can only narrow" },
		{ 0, 2, 1, "; 0 widening, 2 undecided" },
		{ 1, 0, 0, "; 1 widening, 0 undecided" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct changes c = { .sum = { .widening = rows[i].widening },
				     .undecided = rows[i].undecided,
				     .may_widen = rows[i].may_widen };
		char line[600];

		changes_line(&c, line, sizeof(line));
		assert_string_equal(strchr(line, ';'), rows[i].end);
	}
}

static void test_a_malformed_statement_is_refused(void **state)
{
	static const struct {
		const char *from, *to, *why;
	} rows[] = {
		{ "{\n    \"against\"", "[]", "not canonical" },
		{ "{\n    \"against\"", "{ \"against\"", "not canonical" },
		{ HEX, HEX "0", "not canonical" },
		{ "\"serial\": 41", "\"serial\": 42", "a serial that is not lower" },
		{ "\"serial\": 41", "\"serial\": -1", "no valid serial" },
		{ "\"allowed\": 2", "\"allowed\": 02", "number of changes" },
		{ "\"allowed\": 2", "\"allowed\": 4294967296", "a number is too large" },
		{ "\"allowed\": 2", "\"allowed\": 18446744073709551615", "too large" },
		{ "\"allowed\": 2, \"asked\": 0, \"denied\": 3",
		  "\"allowed\": 1, \"asked\": 0, \"denied\": 0", "of a kind do not agree" },
		{ "\"other\": 1, \"widening\": 1", "\"other\": 0, \"widening\": 0",
		  "of a kind do not agree" },
		{ "\"other\": 0, \"widening\": 2", "\"other\": 0, \"widening\": 1",
		  "what widens does not agree" },
		{ "\"other\": 0, \"widening\": 2", "\"other\": 0, \"widening\": 3",
		  "what widens does not agree" },
		{ LIMITS, COMMANDS, "repeated or out of order" },
		{ COMMANDS ",\n      " LIMITS, LIMITS ",\n      " COMMANDS, "out of order" },
		{ "{\"kind\": \"limits\", \"allowed\"", "{\"kind\": \"Limits\", \"allowed\"",
		  "is no word" },
		{ "{\"kind\": \"limits\", \"allowed\"", "{\"kind\": \"\", \"allowed\"",
		  "is empty" },
		{ "{\"kind\": \"limits\", \"change\"", "{\"kind\": \"file\", \"change\"",
		  "what widens does not agree" },
		{ "\"looser\"", "\"loo\\u001bser\"", "is no word" },
		{ "\"looser\"", "null", "text of a change" },
		{ "\"may_widen\": 1", "\"may_widen\": 3", "more may widen" },
		{ "\"may_widen\": 1", "\"may_widen\": 0", "what is undecided does not agree" },
		{ "\"may_widen\": 1", "\"may_widen\": 2", "what is undecided does not agree" },
		{ "\"undecided\": 2", "\"undecided\": 0", "more may widen" },
		{ GIT ",\n      " GIT, GIT, "what widens does not agree" },
		{ "[\n      {\"why\": \"a budget\"" SIDES "\n    ]", "[]",
		  "what is undecided does not agree" },
		{ "a budget", "a\tbudget", "text of a change" },
		{ "a budget", "\xff", "text of a change" },
		{ "a budget", "\\u0041", "text of a change" },
		{ "\n    ]\n  }", "\n    ]\n}", "not canonical" },
		{ "\n    ]\n  }", "\n    ],\n    \"more\": 1\n  }", "not canonical" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char *text = stated(rows[i].from, rows[i].to);

		refused(text, rows[i].why);
		free(text);
	}
}

static void test_a_list_is_cut_at_its_limit_only(void **state)
{
	static const struct {
		size_t listed;
		unsigned all;
		const char *why; /* NULL: it is read */
	} rows[] = {
		{ CHANGES_MAX_LIST, CHANGES_MAX_LIST, NULL },
		{ CHANGES_MAX_LIST, CHANGES_MAX_LIST + 7, NULL },
		{ CHANGES_MAX_LIST - 1, CHANGES_MAX_LIST, "does not agree" },
		{ CHANGES_MAX_LIST + 1, CHANGES_MAX_LIST + 1, "than there is room for" },
	};
	char *end = strstr(statement, "\"kinds\""), *tail, *text;
	struct manifest m;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		tail = listed(rows[i].listed, rows[i].all);
		text = stated(end, tail);
		if (rows[i].why) {
			refused(text, rows[i].why);
		} else {
			assert_int_equal(parse(text, strlen(text), &m, NULL), 0);
			assert_int_equal(m.changes->nfindings, rows[i].listed);
			assert_int_equal(m.changes->sum.widening, rows[i].all);
			manifest_release(&m);
		}
		free(text);
		free(tail);
	}
}

static void test_a_text_has_a_limit(void **state)
{
	char long_text[CHANGES_MAX_TEXT + 2], *text;
	struct manifest m;

	(void)state;
	memset(long_text, 'x', sizeof(long_text));
	long_text[CHANGES_MAX_TEXT + 1] = '\0';
	text = stated("a budget", long_text);
	refused(text, "a text is too long");
	free(text);
	text = stated("a budget", long_text + 1);
	assert_int_equal(parse(text, strlen(text), &m, NULL), 0);
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
		cmocka_unit_test(test_a_change_statement_is_read),
		cmocka_unit_test(test_no_widening_is_said_of_none_only),
		cmocka_unit_test(test_a_malformed_statement_is_refused),
		cmocka_unit_test(test_a_list_is_cut_at_its_limit_only),
		cmocka_unit_test(test_a_text_has_a_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
