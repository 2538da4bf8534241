/* polquery: what is a request, and the answer to each line, on a bundle by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include <json-c/json.h>

#include "runtime/bundle/reader.h"
#include "runtime/query/query.h"
#include "tests/unit/bundle_parse.h"

/* /usr may be read, the project written, ~/.ssh is hidden, ptrace is denied; the
 * matcher by hand knows the first file rule only. */
static struct bundle bundle;
static struct query query;

static int set_up(void **state)
{
	struct rt_err err = { 0 };

	(void)state;
	mk_sample_parsed(&bundle);
	assert_int_equal(query_init(&query, &bundle, PB_HOST, &err), 0);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	query_release(&query);
	bundle_release(&bundle);
	return 0;
}

/* The answer, without its newline; it must be one line of JSON. */
static const char *answer_n(const char *line, size_t n)
{
	static char got[1 << 20];
	struct json_tokener *tok = json_tokener_new();
	struct json_object *o;
	const char *text;
	size_t len;

	text = query_answer(&query, line, n, &len);
	assert_non_null(text);
	assert_true(len > 1 && len < sizeof(got));
	assert_ptr_equal(memchr(text, '\n', len), text + len - 1);
	json_tokener_set_flags(tok, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	o = json_tokener_parse_ex(tok, text, (int)len);
	assert_true(json_object_is_type(o, json_type_object));
	json_object_put(o);
	json_tokener_free(tok);
	memcpy(got, text, len - 1);
	got[len - 1] = '\0';
	return got;
}

static const char *answer(const char *line)
{
	return answer_n(line, strlen(line));
}

static void want(const char *line, const char *part)
{
	const char *got = answer(line);

	if (!strstr(got, part))
		fail_msg("%s\n  got  %s\n  want %s", line, got, part);
}

/* The whole answer is this error, about this id. */
static void refused(const char *line, const char *id, const char *part)
{
	const char *got = answer(line);
	char head[200];

	(void)snprintf(head, sizeof(head), "{\"id\":%s,\"error\":\"", id);
	if (strncmp(got, head, strlen(head)) != 0 || !strstr(got, part) ||
	    strstr(got, "\"effect\""))
		fail_msg("%s\n  got  %s\n  want %s…%s", line, got, head, part);
}

#define AT "\"cwd\":\"/home/dev/app\",\"home\":\"/home/dev\",\"project\":\"/home/dev/app\""

static void test_each_kind_is_decided(void **state)
{
	(void)state;
	want("{\"id\":1,\"kind\":\"command\",\"line\":\"a b\"," AT "}", "\"effect\":\"");
	want("{\"id\":1,\"kind\":\"argv\",\"argv\":[\"a\",\"b\"]," AT "}", "\"risk\":\"medium\"");
	want("{\"id\":1,\"kind\":\"file\",\"op\":\"read\",\"path\":\"/usr/lib\"," AT "}",
	     "{\"id\":1,\"effect\":\"allow\",\"reason\":\"\",\"hint\":null,\"hint_is_rule\":false,\"rules\":[{\"id\":\"rule-0\","
	     "\"level\":\"project\",\"effect\":\"allow\",\"at\":\"hand.pol:1\",\"text\":"
	     "\"statement 0\"}],\"rules_more\":0,\"risk\":null,\"runner\":null,"
	     "\"needs_person\":false,\"commands\":[],\"commands_more\":0}");
	want("{\"id\":1,\"kind\":\"file\",\"op\":\"write\",\"path\":\"/usr/lib\"," AT "}",
	     "\"effect\":\"deny\"");
	want("{\"id\":1,\"kind\":\"net\",\"proto\":\"tcp\",\"host\":\"a.example\",\"port\":443}",
	     "\"effect\":\"deny\"");
	want("{\"id\":1,\"kind\":\"unix\",\"path\":\"@name\"," AT "}", "\"effect\":\"deny\"");
	want("{\"id\":1,\"kind\":\"syscall\",\"name\":\"ptrace\"}", "\"errno\":\"EPERM\"");
	want("{\"id\":1,\"kind\":\"syscall\",\"name\":\"getpid\",\"args\":[]}",
	     "\"effect\":\"allow\"");
	want("{\"id\":1,\"kind\":\"tool\",\"name\":\"t\",\"args\":{\"a\":[1]}}",
	     "\"effect\":\"ask\"");
	want("{\"id\":1,\"kind\":\"setting\",\"name\":\"none\"}",
	     "{\"id\":1,\"setting\":\"none\",\"value\":null}");
}

static void test_commands_are_listed(void **state)
{
	(void)state;
	want("{\"kind\":\"command\",\"line\":\" a  'b c' \\n\"," AT "}",
	     "\"commands\":[{\"kind\":\"command\",\"text\":\"a  'b c'\",\"words\":[\"a\",\"b c\"],\"effect\":\"ask\",\"rule\":\"command-otherwise\",\"risk\":\"medium\",\"why\":\"\",\"hint\":\"command { allow \\\"a b\\\\\\\\ c\\\" }\"}],\"commands_more\":0}");
	want("{\"kind\":\"argv\",\"argv\":[\"a\",\"\"]," AT "}",
	     "\"commands\":[{\"kind\":\"command\",\"text\":null,\"words\":[\"a\",\"\"],");
	want("{\"kind\":\"command\",\"line\":\"a | b $x\"," AT "}",
	     "\"commands\":[{\"kind\":\"command\",\"text\":\"a\",\"words\":[\"a\"],\"effect\":\"ask\",\"rule\":\"command-otherwise\",\"risk\":\"medium\",\"why\":\"\",\"hint\":\"command { allow \\\"a\\\" }\"},{\"kind\":\"command\",\"text\":\"b $x\",\"words\":[\"b\",null],\"effect\":\"ask\",\"rule\":\"command-otherwise\",\"risk\":\"medium\",\"why\":\"\",\"hint\":\"command { allow \\\"b **\\\" }\"}],\"commands_more\":0}");
	want("{\"kind\":\"command\",\"line\":\"a >$x\"," AT "}",
	     "\"kind\":\"file\",\"text\":\"a >$x\",\"words\":[],\"effect\":\"deny\",");
	want("{\"kind\":\"command\",\"line\":\"a (\"," AT "}", "\"reason\":\"the line cannot be read");
	want("{\"kind\":\"command\",\"line\":\"\"," AT "}", "\"effect\":\"allow\"");
}

static void test_the_id_is_echoed_as_it_was_written(void **state)
{
	static const char *const ids[] = {
		"1", "-0.50e+3", "123456789012345678901234567890", "null", "true", "\"\\u00e9\\n\"",
		"[1, {\"a\":[ ]}]", "{\"id\":\"x\"}", "\"\xc3\xa9\"", "\"\"",
	};
	char line[300], head[200];

	(void)state;
	for (size_t i = 0; i < POL_LEN(ids); i++) {
		(void)snprintf(line, sizeof(line), "{\"kind\":\"tool\",\"id\" : %s ,\"name\":\"x\"}",
			       ids[i]);
		(void)snprintf(head, sizeof(head), "{\"id\":%s,\"effect\":", ids[i]);
		want(line, head);
		/* also of a request that is refused, and of a line that is no JSON */
		(void)snprintf(line, sizeof(line), "{\"id\": %s,\"kind\":\"tool\"}", ids[i]);
		refused(line, ids[i], "'name': is missing");
		(void)snprintf(line, sizeof(line), "{\"id\": %s,\"kind\":tool}", ids[i]);
		refused(line, ids[i], "'kind': something is no JSON");
	}
	want("{\"\\u0069d\":7,\"kind\":\"tool\",\"name\":\"x\"}", "{\"id\":7,\"effect\"");
	want("{\"kind\":\"tool\",\"name\":\"x\"}", "{\"id\":null,\"effect\"");
	refused("{\"id\":12", "null", "no JSON: it ends too early");
	refused("{\"id\":[1 2],\"kind\":\"tool\",\"name\":\"x\"}", "null", "no JSON");
	refused("{\"id\":{\"a\":1 \"b\":2},\"x\":\"\\u0000\"}", "null", "NUL");
}

static void test_what_json_c_takes_and_json_is_not(void **state)
{
	static const char *const values[] = { "NaN", "Infinity", "-Infinity", "-01", "1.", "01",
					      "True", "nul", "'x'", "+1", ".5", "1e", "0x1" };
	char line[200];

	(void)state;
	for (size_t i = 0; i < POL_LEN(values); i++) {
		(void)snprintf(line, sizeof(line), "{\"kind\":\"tool\",\"name\":\"x\",\"args\":%s}",
			       values[i]);
		refused(line, "null", "'args': something is no JSON");
	}
	for (int c = 1; c < 0x20; c++) {
		(void)snprintf(line, sizeof(line), "{\"kind\":\"tool\",\"name\":\"x%c\"}", c);
		refused(line, "null", "'name': a text may not hold a control byte");
	}
	refused("{\"kind\":\"tool\",\"name\":\"\\u0000\"}", "null", "'name': a text may not hold NUL");
	refused("{\"kind\":\"tool\",\"na\\u0000me\":\"x\"}", "null", "may not hold NUL");
	/* a line may be any text, and any bytes */
	want("{\"kind\":\"command\",\"line\":\"ls\\u0000\"}", "\"effect\":\"ask\"");
	want("{\"kind\":\"command\",\"line_hex\":\"6c73ff\"}", "\"effect\":\"ask\"");
	refused("{\"kind\":\"command\",\"line_hex\":\"6c7\"}", "null", "'line_hex': must have two");
	refused("{\"kind\":\"command\",\"line_hex\":\"6x\"}", "null", "'line_hex': must have two");
	refused("{\"kind\":\"command\",\"line_hex\":\"6c\",\"line\":\"l\"}", "null",
		"stands beside 'line_hex'");
	refused("{\"kind\":\"command\",\"line_hex\":\"\\u0000\"}", "null", "may not hold NUL");
	refused("{\"kind\":\"command\"}", "null", "'line': is missing");
	refused("{\"kind\":\"tool\",\"name\":\"\\ud800\"}", "null", "'name': an escape \\\\u is half");
	refused("{\"kind\":\"tool\",\"name\":\"\\udc00\\ud800\"}", "null", "is half");
	refused("{\"kind\":\"tool\",\"name\":\"\\ud800\\u0041\"}", "null", "is half");
	want("{\"kind\":\"tool\",\"name\":\"\\ud83d\\ude00\"}", "\"effect\"");
	for (size_t i = 0; i < 5; i++) {
		static const char *const bad[] = { "\xff", "\xc0\xaf", "\xed\xa0\x80", "\xe2\x80",
						   "\xf5\x80\x80\x80" };

		(void)snprintf(line, sizeof(line), "{\"kind\":\"tool\",\"name\":\"%s\"}", bad[i]);
		refused(line, "null", "'name': a text is not UTF-8");
	}
	assert_non_null(strstr(answer_n("{\"kind\":\"tool\",\"name\":\"x\"}\0", 28), "error"));
	refused("", "null", "the line is empty");
	refused(" \t\r", "null", "the line is empty");
	refused("[1]", "null", "a request is a JSON object");
	refused("\"x\"", "null", "a request is a JSON object");
	refused("{\"kind\":\"tool\",\"name\":\"x\"} {}", "null", "no JSON");
	refused("{\"kind\":\"tool\",\"name\":\"x\",}", "null", "no JSON");
	refused("{\"kind\":\"tool\" /* c */,\"name\":\"x\"}", "null", "no JSON");
	want("  {\"kind\" :\t\"tool\" , \"name\":\"x\"}\r", "\"effect\"");
}

static void test_a_key_stands_there_once(void **state)
{
	char line[1000];

	(void)state;
	refused("{\"id\":1,\"kind\":\"tool\",\"name\":\"a\",\"name\":\"b\"}", "1",
		"'name': is there twice");
	refused("{\"id\":1,\"kind\":\"tool\",\"name\":\"a\",\"n\\u0061me\":\"b\"}", "1", "twice");
	refused("{\"id\":1,\"kind\":\"tool\",\"name\":\"a\",\"args\":[{\"x\":1,\"y\":{\"z\":1,\"z\":2}}]}",
		"1", "'args': holds a key twice");
	(void)snprintf(line, sizeof(line), "{\"id\":1,\"%0300d\\u0031\":1,\"%0300d\\u0031\":2}", 0, 0);
	refused(line, "1", "\"a key is there twice\"");
	/* the same key in two objects is none */
	want("{\"id\":1,\"kind\":\"tool\",\"name\":\"a\",\"args\":[{\"x\":1},{\"x\":{\"x\":1}}]}",
	     "\"effect\"");
}

static void test_limits(void **state)
{
	enum { N = 300000 };
	char *line = malloc(4 * N);
	size_t n;

	(void)state;
	refused("{\"kind\":\"tool\",\"name\":\"x\",\"args\":[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]}", "null",
		"'args': lists and objects are nested too deep");
	want("{\"kind\":\"tool\",\"name\":\"x\",\"args\":[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]}",
	     "\"effect\"");
	/* every opening bracket, none closed */
	memset(line, '[', N);
	line[N] = '\0';
	refused(line, "null", "nested too deep");
	n = (size_t)sprintf(line, "{\"kind\":\"argv\"," AT ",\"argv\":[\"\"");
	for (size_t i = 0; i < N; i++)
		n += (size_t)sprintf(line + n, ",\"\"");
	(void)sprintf(line + n, "]}");
	refused(line, "null", "'argv': there are too many values");
	n = (size_t)sprintf(line, "{\"kind\":\"argv\"," AT ",\"argv\":[\"ls\"");
	for (size_t i = 0; i < 100000; i++)
		n += (size_t)sprintf(line + n, ",\"a\"");
	(void)sprintf(line + n, "]}");
	want(line, "\"effect\"");
	n = (size_t)sprintf(line, "{\"kind\":\"tool\",\"name\":\"x\"");
	for (size_t i = 0; i < 40; i++)
		n += (size_t)sprintf(line + n, ",\"k%zu\":1", i);
	(void)sprintf(line + n, "}");
	refused(line, "null", "there are too many keys");
	free(line);
}

static void test_keys_and_types(void **state)
{
	static const struct {
		const char *line, *part;
	} rows[] = {
		{ "{}", "'kind': is missing" },
		{ "{\"kind\":1}", "'kind': must be a text" },
		{ "{\"kind\":\"tol\"}", "'kind': 'tol' is none of command, argv" },
		{ "{\"kind\":\"tool\",\"name\":\"x\",\"nam\":1}", "'nam': is no key of a request" },
		{ "{\"kind\":\"tool\",\"name\":\"x\",\"line\":\"y\"}",
		  "'line': a request of the kind 'tool' has no such key" },
		{ "{\"kind\":\"command\"}", "'line': is missing" },
		{ "{\"kind\":\"command\",\"line\":[\"x\"]}", "'line': must be a text" },
		{ "{\"kind\":\"argv\",\"argv\":\"x\"}", "'argv': must be a list of texts" },
		{ "{\"kind\":\"argv\",\"argv\":[]}", "'argv': is empty" },
		{ "{\"kind\":\"argv\",\"argv\":[\"\"]}", "'argv': the program's name is empty" },
		{ "{\"kind\":\"argv\",\"argv\":[\"a\",null]}", "'argv': must be a list of texts: word 1" },
		{ "{\"kind\":\"file\",\"path\":\"/x\"}", "'op': is missing" },
		{ "{\"kind\":\"file\",\"op\":\"open\",\"path\":\"/x\"}",
		  "'op': 'open' is none of read, write, exec" },
		{ "{\"kind\":\"file\",\"op\":\"read\",\"path\":\"x\"}", "'path': must be an absolute path" },
		{ "{\"kind\":\"file\",\"op\":\"read\",\"path\":\"\"}", "'path': must be an absolute path" },
		{ "{\"kind\":\"file\",\"op\":\"read\",\"path\":\"/a/../b\"}", "'path': must be" },
		{ "{\"kind\":\"file\",\"op\":\"read\",\"path\":\"/a/..\"}", "'path': must be" },
		{ "{\"kind\":\"file\",\"op\":\"read\",\"path\":\"/./a\"}", "'path': must be" },
		{ "{\"kind\":\"file\",\"op\":\"read\",\"path\":\"//a\"}", "'path': must be" },
		{ "{\"kind\":\"file\",\"op\":\"read\",\"path\":\"/a/\"}", "'path': must be" },
		{ "{\"kind\":\"file\",\"op\":\"read\",\"path\":\"@a\"}", "'path': must be" },
		{ "{\"kind\":\"unix\",\"path\":\"@\"}", "'path': an abstract name is empty" },
		{ "{\"kind\":\"tool\",\"name\":\"x\",\"cwd\":\"x\"}", "'cwd': must be" },
		{ "{\"kind\":\"tool\",\"name\":\"x\",\"home\":\"/\"}", "'home': a home directory" },
		{ "{\"kind\":\"tool\",\"name\":\"x\",\"project\":\"/a/./b\"}", "'project': must be" },
		{ "{\"kind\":\"tool\",\"name\":\"x\",\"tmpdir\":7}", "'tmpdir': must be a text" },
		{ "{\"kind\":\"tool\",\"name\":\"x\",\"session_dir\":\"\"}", "'session_dir': must be" },
		{ "{\"kind\":\"tool\",\"name\":\"x\",\"scope\":\"all\"}", "'scope': 'all' is none" },
		{ "{\"kind\":\"tool\",\"name\":\"x\",\"role\":\"\"}", "'role': is empty" },
		{ "{\"kind\":\"tool\",\"name\":\"x\",\"role\":\"r\"}",
		  "'role': the bundle was compiled for no role" },
		{ "{\"kind\":\"tool\",\"name\":\"\"}", "'name': is empty" },
		{ "{\"kind\":\"syscall\",\"name\":\"no\"}", "'name': no system call" },
		{ "{\"kind\":\"syscall\",\"name\":\"read\",\"args\":{}}", "'args': must be a list" },
		{ "{\"kind\":\"syscall\",\"name\":\"read\",\"args\":[1,2,3,4,5,6,7]}", "'args': a system" },
		{ "{\"kind\":\"syscall\",\"name\":\"read\",\"args\":[1,2.5]}", "argument 1 is none" },
		{ "{\"kind\":\"syscall\",\"name\":\"read\",\"args\":[18446744073709551616]}",
		  "argument 0 is none" },
		{ "{\"kind\":\"syscall\",\"name\":\"read\",\"args\":[-9223372036854775809]}",
		  "argument 0 is none" },
		{ "{\"kind\":\"syscall\",\"name\":\"read\",\"scope\":\"host\"}", "'scope': system calls" },
		{ "{\"kind\":\"net\",\"proto\":\"icmp\",\"host\":\"a\",\"port\":1}", "'proto': 'icmp'" },
		{ "{\"kind\":\"net\",\"proto\":\"tcp\",\"host\":\"a\",\"port\":0}", "'port': must be" },
		{ "{\"kind\":\"net\",\"proto\":\"tcp\",\"host\":\"a\",\"port\":65536}", "'port': must be" },
		{ "{\"kind\":\"net\",\"proto\":\"tcp\",\"host\":\"a\",\"port\":\"1\"}", "'port': must be" },
		{ "{\"kind\":\"net\",\"proto\":\"tcp\",\"host\":\"a\",\"port\":1.0}", "'port': must be" },
	};

	(void)state;
	for (size_t i = 0; i < POL_LEN(rows); i++)
		refused(rows[i].line, "null", rows[i].part);
	/* the ends of the range are numbers */
	want("{\"kind\":\"syscall\",\"name\":\"getpid\",\"args\":[18446744073709551615, "
	     "-9223372036854775808]}", "\"effect\":\"allow\"");
}

static void test_hosts(void **state)
{
	static const char *const good[] = { "a", "a.example", "A-1_x.example.", "127.0.0.1", "::1",
					    "::ffff:10.0.0.1", "fe80::1", "xn--bcher-kva.example" };
	static const char *const bad[] = { "", ".", "a..b", "127.1", "2130706433", "0x7f.0.0.1",
					   "1.2.3.4.5", "a b", "a/b", "a:1", "[::1]", "fe80::1%eth0",
					   "b\xc3\xbc" "cher.example", "*.example", "1.2.3.04", ".a" };
	char line[200];

	(void)state;
	for (size_t i = 0; i < POL_LEN(good); i++) {
		(void)snprintf(line, sizeof(line),
			       "{\"kind\":\"net\",\"proto\":\"udp\",\"host\":\"%s\",\"port\":53}",
			       good[i]);
		want(line, "\"effect\":\"deny\"");
	}
	for (size_t i = 0; i < POL_LEN(bad); i++) {
		(void)snprintf(line, sizeof(line),
			       "{\"kind\":\"net\",\"proto\":\"udp\",\"host\":\"%s\",\"port\":53}",
			       bad[i]);
		refused(line, "null", "'host': '");
	}
	/* the run's own loopback, and no host's */
	want("{\"kind\":\"net\",\"proto\":\"tcp\",\"host\":\"127.0.0.1\",\"port\":1,"
	     "\"scope\":\"sandbox\"}", "\"effect\":\"allow\"");
	want("{\"kind\":\"net\",\"proto\":\"tcp\",\"host\":\"127.0.0.1\",\"port\":1}",
	     "\"effect\":\"deny\"");
}

static void test_projects_that_polrun_refuses(void **state)
{
	(void)state;
	refused("{\"kind\":\"file\",\"op\":\"read\",\"path\":\"/usr\",\"home\":\"/home/dev\","
		"\"cwd\":\"/\"}", "null", "'project': '/' is no project");
	refused("{\"kind\":\"file\",\"op\":\"read\",\"path\":\"/usr\",\"home\":\"/home/dev\","
		"\"project\":\"/home/dev\"}", "null", "is no project");
	want("{\"kind\":\"file\",\"op\":\"read\",\"path\":\"/usr\",\"home\":\"/home/dev\","
	     "\"project\":\"/home/dev/app\"}", "\"effect\":\"allow\"");
	/* what no directory is needed for is answered anyway */
	want("{\"kind\":\"tool\",\"name\":\"x\",\"cwd\":\"/\"}", "\"effect\":\"ask\"");
}

static void test_links_are_followed(void **state)
{
	char dir[] = "/var/tmp/pol-query.XXXXXX", link[40], line[300], got[64];

	(void)state;
	assert_non_null(mkdtemp(dir));
	(void)snprintf(link, sizeof(link), "%s/link", dir);
	assert_int_equal(symlink("/usr", link), 0);
	(void)snprintf(line, sizeof(line), "{\"kind\":\"file\",\"op\":\"read\",\"path\":\"%s/x/y\"," AT
		       "}", link);
	want(line, "\"effect\":\"allow\"");
	assert_string_equal(query.where.path, "/usr/x/y");
	assert_int_equal(unlink(link), 0);
	(void)snprintf(got, sizeof(got), "%s/not-there", dir);
	assert_int_equal(symlink(got, link), 0);
	refused(line, "null", "leads nowhere");
	assert_int_equal(unlink(link), 0);
	assert_int_equal(symlink(link, link), 0);
	refused(line, "null", "leads nowhere");
	assert_int_equal(unlink(link), 0);
	want(line, "\"effect\"");
	(void)snprintf(got, sizeof(got), "%s/x/y", link);
	assert_string_equal(query.where.path, got);
	assert_int_equal(rmdir(dir), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_kind_is_decided),
		cmocka_unit_test(test_commands_are_listed),
		cmocka_unit_test(test_the_id_is_echoed_as_it_was_written),
		cmocka_unit_test(test_what_json_c_takes_and_json_is_not),
		cmocka_unit_test(test_a_key_stands_there_once),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_keys_and_types),
		cmocka_unit_test(test_hosts),
		cmocka_unit_test(test_projects_that_polrun_refuses),
		cmocka_unit_test(test_links_are_followed),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
