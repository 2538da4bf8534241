/* What is queued, what is counted, and how a message looks. */
#include <stdlib.h>

#include <json-c/json.h>

#include "compiler/diag/diag.h"
#include "compiler/diag/width.h"
#include "tests/unit/fixture.h"

static uint32_t text(const char *t)
{
	return source_add(&map, STR("a.pol"), str_from(t));
}

static struct span at(uint32_t file, uint32_t off, uint32_t len)
{
	return (struct span){ file, off, len };
}

static char *rendered(void (*f)(FILE *, const struct diag_sink *,
				const struct source_map *, bool), bool colour)
{
	static char *out;
	size_t n;
	FILE *mem;

	free(out);
	out = NULL;
	mem = open_memstream(&out, &n);
	assert_non_null(mem);
	f(mem, &sink, &map, colour);
	fclose(mem);
	return out;
}

static void assert_rendered(const char *want)
{
	assert_string_equal(rendered(diag_render, false), want);
}

static void test_codes_are_sorted_and_unique(void **state)
{
	(void)state;
	for (int c = 0; c < DIAG_CODE_COUNT; c++) {
		const char *name = diag_code_name((enum diag_code)c);

		assert_int_equal(strlen(name), 5);
		assert_int_equal(name[0], 'P');
		assert_int_equal(strspn(name + 1, "0123456789"), 4);
		assert_true(diag_code_summary((enum diag_code)c)[0] != '\0');
		if (c > 0 && strcmp(diag_code_name((enum diag_code)(c - 1)), name) >= 0)
			fail_msg("%s is not behind %s in codes.def", name,
				 diag_code_name((enum diag_code)(c - 1)));
	}
	assert_int_equal(diag_code_severity(DIAG_SYNTAX), DIAG_ERROR);
	assert_int_equal(diag_code_severity(DIAG_BIDI_CONTROL), DIAG_WARNING);
}

static void test_carets_stand_under_the_span(void **state)
{
	uint32_t f = text("one\ncommand { bad }\n");
	struct diag *d = diag_add(&sink, DIAG_SYNTAX, at(f, 14, 3), "no '%s'", "bad");

	(void)state;
	diag_note(&sink, d, at(f, 0, 3), "see here");
	diag_note(&sink, d, SPAN_NONE, "this file speaks at level %d", 3);
	diag_help(&sink, d, "drop it");
	assert_rendered("a.pol:2:11: error: no 'bad' [P0001]\n"
			"    2 | command { bad }\n"
			"      |           ^^^\n"
			"      = note: this file speaks at level 3\n"
			"      = help: drop it\n"
			"a.pol:1:1: note: see here\n"
			"    1 | one\n"
			"      | ^^^\n");
}

static void test_tabs_wide_and_combining_characters(void **state)
{
	uint32_t f = text("\ta\tb\n\xe6\x97\xa5\xe6\x9c\xac x\ne\xcc\x81 y\n");

	(void)state;
	diag_add(&sink, DIAG_SYNTAX, at(f, 3, 1), "tab");
	diag_add(&sink, DIAG_SYNTAX, at(f, 5, 6), "wide");
	diag_add(&sink, DIAG_SYNTAX, at(f, 12, 1), "behind wide");
	diag_add(&sink, DIAG_SYNTAX, at(f, 18, 1), "behind combining");
	assert_rendered("a.pol:1:4: error: tab [P0001]\n"
			"    1 |         a       b\n"
			"      |                 ^\n"
			"a.pol:2:1: error: wide [P0001]\n"
			"    2 | \xe6\x97\xa5\xe6\x9c\xac x\n"
			"      | ^^^^\n"
			"a.pol:2:8: error: behind wide [P0001]\n"
			"    2 | \xe6\x97\xa5\xe6\x9c\xac x\n"
			"      |      ^\n"
			"a.pol:3:5: error: behind combining [P0001]\n"
			"    3 | e\xcc\x81 y\n"
			"      |   ^\n");
}

static void test_a_long_span_underlines_its_first_line(void **state)
{
	uint32_t f = text("ab {\n  c\n}\n");

	(void)state;
	diag_add(&sink, DIAG_SYNTAX, at(f, 0, 10), "block");
	diag_add(&sink, DIAG_SYNTAX, at(f, 4, 0), "behind the line");
	diag_add(&sink, DIAG_SYNTAX, at(f, 11, 0), "behind the text");
	assert_rendered("a.pol:1:1: error: block [P0001]\n"
			"    1 | ab {\n"
			"      | ^^^^\n"
			"a.pol:1:5: error: behind the line [P0001]\n"
			"    1 | ab {\n"
			"      |     ^\n"
			"a.pol:4:1: error: behind the text [P0001]\n"
			"    4 | \n"
			"      | ^\n");
}

static void test_nothing_of_a_policy_drives_the_terminal(void **state)
{
	uint32_t f = source_add(&map, STR("a\x1b[2J.pol"),
				STR("x\x1b[31m \xe2\x80\xae \xff y"));

	(void)state;
	diag_add(&sink, DIAG_SYNTAX, at(f, 13, 1), "text \x1b]0;x\x07 \xc2\x9b\n2");
	assert_rendered("a\xef\xbf\xbd[2J.pol:1:14: error: text \xef\xbf\xbd]0;x\xef\xbf\xbd "
			"\xef\xbf\xbd 2 [P0001]\n"
			"    1 | x\xef\xbf\xbd[31m \xef\xbf\xbd \xef\xbf\xbd y\n"
			"      |            ^\n");
}

static void test_a_long_line_is_cut_around_the_caret(void **state)
{
	char line[4001];
	uint32_t f;
	char *out;

	(void)state;
	memset(line, 'x', sizeof(line));
	line[sizeof(line) - 1] = '\0';
	line[2000] = 'Y';
	f = text(line);
	diag_add(&sink, DIAG_SYNTAX, at(f, 2000, 1), "far");
	out = rendered(diag_render, false);
	assert_true(strlen(out) < 500);
	assert_non_null(strchr(out, 'Y'));
	/* The caret is as far from its gutter as the letter. */
	{
		char *y = strchr(out, 'Y'), *nl = strchr(out, '\n');
		char *caret = strchr(out, '^'), *line2 = strchr(y, '\n');

		/* Three bytes of "…" are one column. */
		assert_int_equal(y - nl - 2, caret - line2);
	}
}

static void test_no_place_is_one_line(void **state)
{
	struct diag *d = diag_add(&sink, DIAG_FILE_TOO_LARGE, SPAN_NONE, "too large");

	(void)state;
	diag_help(&sink, d, "split it");
	assert_rendered("error: too large [P0015]\n"
			"      = help: split it\n");
}

static void test_the_same_fault_is_said_once(void **state)
{
	uint32_t f = text("abc\n");
	struct diag *first = diag_add(&sink, DIAG_SYNTAX, at(f, 0, 1), "first");
	struct diag *again = diag_add(&sink, DIAG_SYNTAX, at(f, 0, 1), "again");

	(void)state;
	assert_ptr_not_equal(first, again);
	diag_note(&sink, again, SPAN_NONE, "lost with it");
	diag_add(&sink, DIAG_BAD_NUMBER, at(f, 0, 1), "another code");
	diag_add(&sink, DIAG_SYNTAX, at(f, 0, 2), "another place");
	diag_add(&sink, DIAG_SYNTAX, SPAN_NONE, "no place");
	diag_add(&sink, DIAG_SYNTAX, SPAN_NONE, "no place, another text");
	diag_add(&sink, DIAG_SYNTAX, SPAN_NONE, "no place");
	assert_int_equal(sink.errors, 5);
	assert_int_equal(sink.list.n, 5);
	assert_int_equal(first->parts.n, 0);
}

static void test_past_the_limit_errors_are_counted_only(void **state)
{
	uint32_t f = text("abcdefghijklmnopqrstuvwxyz\n");

	(void)state;
	for (uint32_t i = 0; i < 25; i++)
		assert_non_null(diag_add(&sink, DIAG_SYNTAX, at(f, i, 1), "e"));
	diag_add(&sink, DIAG_BIDI_CONTROL, at(f, 0, 1), "warnings still come");
	assert_int_equal(sink.errors, 25);
	assert_int_equal(sink.warnings, 1);
	assert_int_equal(sink.list.n, DIAG_DEFAULT_LIMIT + 1);
	assert_non_null(strstr(rendered(diag_render, false),
			       "\ntoo many errors: the first 20 are shown\n"));
}

static void test_colour_only_adds_escapes(void **state)
{
	uint32_t f = text("abc\n");
	char *out, *to;
	char bare[1000];

	(void)state;
	diag_help(&sink, diag_add(&sink, DIAG_SYNTAX, at(f, 0, 1), "e"), "h");
	diag_add(&sink, DIAG_BIDI_CONTROL, at(f, 1, 1), "w");
	strcpy(bare, rendered(diag_render, false));
	out = rendered(diag_render, true);
	assert_non_null(strchr(out, '\033'));
	to = out;
	for (char *from = out; (*to = *from); from++) {
		if (*from == '\033')
			from = strchr(from, 'm');
		else
			to++;
	}
	assert_string_equal(out, bare);
}

static void render_json(FILE *out, const struct diag_sink *s, const struct source_map *m,
			bool colour)
{
	(void)colour;
	diag_json(out, s, m);
}

static const char *field(struct json_object *o, const char *key)
{
	struct json_object *v;

	assert_true(json_object_object_get_ex(o, key, &v));
	return v ? json_object_get_string(v) : "(null)";
}

static void test_json_holds_the_same(void **state)
{
	uint32_t f = text("ab\ncd\n");
	struct diag *d = diag_add(&sink, DIAG_SYNTAX, at(f, 4, 1), "say \"%s\"", "\xff\n");
	struct json_object *all, *one, *notes, *note;

	(void)state;
	diag_note(&sink, d, at(f, 0, 2), "there");
	diag_help(&sink, d, "so");
	diag_add(&sink, DIAG_BIDI_CONTROL, SPAN_NONE, "w");
	all = json_tokener_parse(rendered(render_json, false));
	assert_non_null(all);
	assert_int_equal(json_object_array_length(all), 2);
	one = json_object_array_get_idx(all, 0);
	assert_string_equal(field(one, "code"), "P0001");
	assert_string_equal(field(one, "severity"), "error");
	assert_string_equal(field(one, "file"), "a.pol");
	assert_string_equal(field(one, "line"), "2");
	assert_string_equal(field(one, "column"), "2");
	assert_string_equal(field(one, "length"), "1");
	assert_true(json_object_object_get_ex(one, "notes", &notes));
	assert_int_equal(json_object_array_length(notes), 2);
	note = json_object_array_get_idx(notes, 0);
	assert_string_equal(field(note, "kind"), "note");
	assert_string_equal(field(note, "line"), "1");
	note = json_object_array_get_idx(notes, 1);
	assert_string_equal(field(note, "kind"), "help");
	assert_string_equal(field(note, "line"), "(null)");
	one = json_object_array_get_idx(all, 1);
	assert_string_equal(field(one, "severity"), "warning");
	json_object_put(all);
}

static void test_utf8_is_decoded_strictly(void **state)
{
	static const struct {
		const char *text;
		size_t n;
		uint32_t c;
		bool valid;
	} rows[] = {
		{ "a", 1, 'a', true },
		{ "\xc3\xa9", 2, 0xe9, true },
		{ "\xe2\x82\xac", 3, 0x20ac, true },
		{ "\xf4\x8f\xbf\xbf", 4, 0x10ffff, true },
		{ "\x80", 1, 0xfffd, false },
		{ "\xc0\x80", 1, 0xfffd, false },	  /* overlong */
		{ "\xe0\x80\x80", 1, 0xfffd, false },	  /* overlong */
		{ "\xed\xa0\x80", 1, 0xfffd, false },	  /* surrogate */
		{ "\xf4\x90\x80\x80", 1, 0xfffd, false }, /* past the end */
		{ "\xe2\x82", 1, 0xfffd, false },	  /* cut */
		{ "\xe2(\xac", 1, 0xfffd, false },
		{ "\xff", 1, 0xfffd, false },
	};

	(void)state;
	for (size_t i = 0; i < POL_LEN(rows); i++) {
		uint32_t c;
		bool valid;

		assert_int_equal(utf8_next(str_from(rows[i].text), 0, &c, &valid), rows[i].n);
		assert_int_equal(c, rows[i].c);
		assert_int_equal(valid, rows[i].valid);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH(texts, test_codes_are_sorted_and_unique),
		WITH(texts, test_carets_stand_under_the_span),
		WITH(texts, test_tabs_wide_and_combining_characters),
		WITH(texts, test_a_long_span_underlines_its_first_line),
		WITH(texts, test_nothing_of_a_policy_drives_the_terminal),
		WITH(texts, test_a_long_line_is_cut_around_the_caret),
		WITH(texts, test_no_place_is_one_line),
		WITH(texts, test_the_same_fault_is_said_once),
		WITH(texts, test_past_the_limit_errors_are_counted_only),
		WITH(texts, test_colour_only_adds_escapes),
		WITH(texts, test_json_holds_the_same),
		WITH(texts, test_utf8_is_decoded_strictly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
