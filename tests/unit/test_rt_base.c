/* runtime/base: errors, whole reads and writes, escaped text, JSON. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "runtime/base/err.h"
#include "runtime/base/io.h"
#include "runtime/base/json.h"
#include "runtime/base/sys.h"

static void test_errors_are_negative_and_filled(void **state)
{
	struct rt_err e = { 0 };

	(void)state;
	assert_int_equal(rt_fail(&e, EPERM, "no %s", "way"), -EPERM);
	assert_int_equal(e.err, EPERM);
	assert_string_equal(e.text, "no way");
	assert_int_equal(rt_fail_errno(&e, ENOENT, "file"), -ENOENT);
	assert_string_equal(e.text, "file: No such file or directory");
	assert_int_equal(rt_fail(NULL, 0, "x"), -EINVAL);
	assert_int_equal(rt_fail_errno(&e, 99999, "odd"), -99999);
	assert_string_equal(e.text, "odd: errno 99999");
}

static void test_errors_are_cut_to_their_buffer(void **state)
{
	struct rt_err e;
	char big[1000];

	(void)state;
	memset(big, 'x', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	(void)rt_fail_errno(&e, EPERM, "%s", big);
	assert_int_equal(strlen(e.text), sizeof(e.text) - 1);
}

static void test_read_all_keeps_its_limit(void **state)
{
	char *buf = NULL;
	size_t len = 0;
	int p[2];

	(void)state;
	assert_int_equal(pipe(p), 0);
	assert_int_equal(io_write_all(p[1], "0123456789", 10), 0);
	(void)close(p[1]);
	assert_int_equal(io_read_all(p[0], 10, &buf, &len), 0);
	assert_int_equal(len, 10);
	assert_string_equal(buf, "0123456789");
	free(buf);
	(void)close(p[0]);

	assert_int_equal(pipe(p), 0);
	assert_int_equal(io_write_all(p[1], "0123456789", 10), 0);
	(void)close(p[1]);
	assert_int_equal(io_read_all(p[0], 9, &buf, &len), -EFBIG);
	(void)close(p[0]);
}

static void test_read_all_of_many_pages(void **state)
{
	FILE *f = tmpfile();
	char *buf;
	size_t len;

	(void)state;
	assert_non_null(f);
	for (int i = 0; i < 30000; i++)
		fputs("line\n", f);
	(void)fflush(f);
	assert_int_equal(lseek(fileno(f), 0, SEEK_SET), 0);
	assert_int_equal(io_read_all(fileno(f), 1 << 20, &buf, &len), 0);
	assert_int_equal(len, 150000);
	assert_int_equal(buf[149999], '\n');
	assert_int_equal(buf[150000], '\0');
	free(buf);
	(void)fclose(f);
}

static void escapes(const char *in, size_t len, const char *want)
{
	char out[64];

	io_escape(out, sizeof(out), in, len);
	assert_string_equal(out, want);
}

static void test_control_bytes_are_never_printed(void **state)
{
	(void)state;
	escapes("plain", 5, "plain");
	escapes("a\nb\x1b[0m\x7f", 8, "a\\x0ab\\x1b[0m\\x7f");
	escapes("\\", 1, "\\\\");
	escapes("gr\xc3\xbc\xc3\x9f", 6, "gr\xc3\xbc\xc3\x9f");
	escapes("\xff\xc0\xaf", 3, "\\xff\\xc0\\xaf"); /* bad, over-long */
	escapes("\xed\xa0\x80", 3, "\\xed\\xa0\\x80"); /* a surrogate */
	escapes("\xe2\x80\xae" "x", 4, "\\u{202e}x");  /* right-to-left override */
	escapes("\xc2\x9b", 2, "\\u{9b}");              /* CSI in one byte */
	escapes("a\0b", 3, "a\\x00b");
}

static void test_what_cannot_be_seen_is_shown(void **state)
{
	(void)state;
	escapes("a\xc2\xad" "b", 4, "a\\u{ad}b");          /* soft hyphen */
	escapes("\xcd\x8f\xe1\x85\x9f", 5, "\\u{34f}\\u{115f}");
	escapes("\xe3\x85\xa4\xef\xbe\xa0", 6, "\\u{3164}\\u{ffa0}"); /* fillers */
	escapes("\xef\xb8\x8f\xf3\xa0\x84\x80", 7, "\\u{fe0f}\\u{e0100}");
	escapes("\xf3\xa0\x81\x81", 4, "\\u{e0041}");       /* a tag */
	escapes("\xf0\x9d\x85\xb3", 4, "\\u{1d173}");
	/* what looks like the blank that it is not */
	escapes("a\xc2\xa0" "b", 4, "a\\u{a0}b");
	escapes("\xe2\x80\x83\xe3\x80\x80\xe2\xa0\x80", 9,
		"\\u{2003}\\u{3000}\\u{2800}");
	escapes("\xe6\x97\xa5\xe2\x80\x93\xc3\xa9", 8, "\xe6\x97\xa5\xe2\x80\x93\xc3\xa9");
}

static void test_escaped_text_fits(void **state)
{
	char out[12];

	(void)state;
	for (size_t cap = 1; cap <= sizeof(out); cap++) {
		memset(out, 'Z', sizeof(out));
		io_escape(out, cap, "abc\x01" "def\xc3\xbchijklm", 15);
		assert_true(strlen(out) < cap);
	}
	io_escape(out, sizeof(out), "abcdefghijk", 11); /* exactly fits */
	assert_string_equal(out, "abcdefghijk");
	io_escape(out, sizeof(out), "abcdefghijkl", 12);
	assert_string_equal(out, "abcdefgh\xe2\x80\xa6");
}

static void test_json(void **state)
{
	struct json j;
	const char *text;
	size_t len;

	(void)state;
	json_init(&j);
	json_object(&j, NULL);
	json_str(&j, "s", "a\"\\\n\xff\x01\xc3\xbc", 8);
	json_int(&j, "n", -5);
	json_uint(&j, "u", UINT64_MAX);
	json_null(&j, "z");
	json_cstr(&j, "c", NULL);
	json_array(&j, "e");
	json_array_end(&j);
	json_array(&j, "a");
	json_bool(&j, NULL, true);
	json_object(&j, NULL);
	json_object_end(&j);
	json_array_end(&j);
	json_object_end(&j);
	text = json_finish(&j, &len);
	assert_non_null(text);
	assert_string_equal(text,
			    "{\n"
			    "  \"s\": \"a\\\"\\\\\\u000a\\ufffd\\u0001\xc3\xbc\",\n"
			    "  \"n\": -5,\n"
			    "  \"u\": 18446744073709551615,\n"
			    "  \"z\": null,\n"
			    "  \"c\": null,\n"
			    "  \"e\": [],\n"
			    "  \"a\": [\n"
			    "    true,\n"
			    "    {}\n"
			    "  ]\n"
			    "}\n");
	assert_int_equal(len, strlen(text));
	json_release(&j);
}

/* Layouts and spellings that are the compiler's, by the way in which it writes. */
static void collect(void *to, const char *s, size_t len)
{
	(void)strncat(to, s, len);
}

static void test_json_layouts_and_texts(void **state)
{
	static const char bytes[] = "\n\t\x7f\xc3\xff";
	static const char *const texts[] = {
		[JSON_REPLACE] = "[\"\\u000a\\u0009\\u007f\\ufffd\\ufffd\"]",
		[JSON_BYTES] = "[\"\\u000a\\u0009\\u007f\\u00c3\\u00ff\"]",
		[JSON_SHORT] = "[\"\\n\\t\\u007f\\u00c3\\u00ff\"]",
	};
	char out[300];
	struct json j;

	(void)state;
	for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		out[0] = '\0';
		json_init_put(&j, collect, out);
		j.layout = JSON_TIGHT;
		j.text = i;
		json_array(&j, NULL);
		json_str(&j, NULL, bytes, sizeof(bytes) - 1);
		json_array_end(&j);
		assert_string_equal(out, texts[i]);
	}
	/* a list whose items are on a line each, and keys with their length */
	out[0] = '\0';
	json_reset(&j);
	assert_true(j.layout == JSON_TIGHT && j.text == JSON_SHORT);
	json_object(&j, NULL);
	json_line(&j);
	json_array(&j, "none");
	json_array_end(&j);
	json_line(&j);
	json_key(&j, "key", 2);
	json_uint(&j, NULL, 1);
	json_key(&j, "list", 4);
	json_array(&j, NULL);
	json_line(&j);
	json_int(&j, NULL, -1);
	json_line(&j);
	json_null(&j, NULL);
	json_array_end(&j);
	json_line(&j);
	json_object_end(&j);
	assert_string_equal(out, "{\n\"none\":[],\n\"ke\":1,\"list\":[\n-1,\nnull]\n}");
	/* objects on one line in an indented list */
	out[0] = '\0';
	json_init_put(&j, collect, out);
	json_array(&j, NULL);
	for (int i = 0; i < 2; i++) {
		json_object(&j, NULL);
		j.layout = JSON_SPACED;
		json_bool(&j, "a", true);
		json_bool(&j, "b", false);
		json_object_end(&j);
		j.layout = JSON_INDENTED;
	}
	json_array_end(&j);
	assert_string_equal(out, "[\n  {\"a\": true, \"b\": false},\n"
				 "  {\"a\": true, \"b\": false}\n]");
}

static void test_stolen_things_stay(void **state)
{
	int kept;
	char *text;

	(void)state;
	{
		AUTO_CLOSE int a = open("/dev/null", O_RDONLY | O_CLOEXEC);
		AUTO_CLOSE int b = open("/dev/null", O_RDONLY | O_CLOEXEC);
		AUTO_FREE char *p = strdup("x");

		kept = io_steal_fd(&a);
		text = io_steal_ptr(&p);
		assert_int_equal(a, -1);
		assert_null(p);
		assert_true(fcntl(b, F_GETFD) >= 0);
	}
	assert_true(fcntl(kept, F_GETFD) >= 0);
	assert_string_equal(text, "x");
	free(text);
	(void)close(kept);
}

static void test_openat2_does_not_leave_its_directory(void **state)
{
	AUTO_CLOSE int dir = open("/proc/self", O_PATH | O_CLOEXEC | O_DIRECTORY);
	AUTO_CLOSE int good = sys_open_beneath(dir, "status", O_RDONLY | O_CLOEXEC, 0);
	AUTO_CLOSE int bad = sys_open_beneath(dir, "../version", O_RDONLY | O_CLOEXEC, 0);

	(void)state;
	assert_true(good >= 0);
	assert_true(bad < 0);
	assert_true(sys_landlock_abi() >= 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_errors_are_negative_and_filled),
		cmocka_unit_test(test_errors_are_cut_to_their_buffer),
		cmocka_unit_test(test_read_all_keeps_its_limit),
		cmocka_unit_test(test_read_all_of_many_pages),
		cmocka_unit_test(test_control_bytes_are_never_printed),
		cmocka_unit_test(test_what_cannot_be_seen_is_shown),
		cmocka_unit_test(test_escaped_text_fits),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_json_layouts_and_texts),
		cmocka_unit_test(test_stolen_things_stay),
		cmocka_unit_test(test_openat2_does_not_leave_its_directory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
