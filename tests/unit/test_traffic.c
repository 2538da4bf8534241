/* --record: what a line says, which secrets it does not, and which files it refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "runtime/base/io.h"
#include "runtime/query/query.h"
#include "runtime/traffic/redact.h"
#include "runtime/traffic/traffic.h"
#include "tests/unit/bundle_parse.h"

static char dir[64], path[96];
static struct traffic traffic;
static struct rt_err err;
static struct bundle rules;
static struct decide_ctx here = { .b = &rules, .roots = { .dir = { [PB_ROOT_FS] = "/" } },
				  .scope = PB_SANDBOX };

static int set_up_all(void **state)
{
	(void)state;
	mk_sample_parsed(&rules);
	return 0;
}

static int tear_down_all(void **state)
{
	(void)state;
	bundle_release(&rules);
	return 0;
}

static int set_up(void **state)
{
	(void)state;
	(void)snprintf(dir, sizeof(dir), "/tmp/pol-traffic.XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	(void)snprintf(path, sizeof(path), "%s/r", dir);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	traffic_close(&traffic);
	(void)unlink(path);
	return rmdir(dir);
}

/* --- secrets ------------------------------------------------------------------- */

static void want_line(const char *in, const char *want)
{
	struct redact r = { .next = false };
	char out[2000];
	size_t n = strlen(in);

	assert_true(REDACT_ROOM(n) <= sizeof(out));
	n = redact_text(&r, in, n, false, out);
	out[n] = '\0';
	assert_string_equal(out, want);
}

static void test_what_looks_like_a_secret_is_replaced(void **state)
{
	static const char *const rows[][2] = {
		{ "x --token=abc y", "x --token=REDACTED y" },
		{ "x --api-key 'a b' y", "x --api-key 'REDACTED' y" },
		{ "DB_PASSWORD=hunter2 ./run", "DB_PASSWORD=REDACTED ./run" },
		{ "DB_PASSWORD=\"a b\"; ls", "DB_PASSWORD=\"REDACTED\"; ls" },
		{ "curl -H \"Authorization: Bearer a.b c\" u", "curl -H \"Authorization: REDACTED\" u" },
		{ "curl -u me:pw u", "curl -u me:REDACTED u" },
		{ "curl --user=me:pw u", "curl --user=me:REDACTED u" },
		{ "git clone https://me:pw@h/x", "git clone https://me:REDACTED@h/x" },
		{ "git clone https://abcdefghijklmnopqrstuvwxyz@h/x", "git clone https://REDACTED@h/x" },
		{ "echo ghp_abcdefghijklmnop", "echo REDACTED" },
		{ "echo eyJhbGciOiJIUzI1NiJ9.e30.x", "echo REDACTED" },
		{ "printf '-----BEGIN KEY-----\nabc'", "printf 'REDACTED" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		want_line(rows[i][0], rows[i][1]);
}

static void test_what_is_none_stays_as_it_is(void **state)
{
	static const char *const rows[] = {
		"git push --force-with-lease origin main", "npm token list",
		"x --token=$TOKEN --api-key \"$KEY\"", "x --token-file /run/t --password-stdin",
		"git clone ssh://git@h/x", "echo sk-1 eyJ", "curl -u me u", "ls 'Cookies' passwd", "",
		"cat /etc/passwd; sort -k2 x | uniq -c", "mytoken x",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		want_line(rows[i], rows[i]);
}

static void test_an_option_of_an_argv_hides_the_next_word(void **state)
{
	static const char *const argv[] = { "x", "--password", "a b", "-u", "me:pw", "--token", "--y",
					    "z", "me:pw" };
	static const char *const want[] = { "x", "--password", "REDACTED", "-u", "me:REDACTED",
					    "--token", "--y", "z", "me:pw" };
	struct redact r = { .next = false };
	char out[200];

	(void)state;
	for (size_t i = 0; i < sizeof(argv) / sizeof(argv[0]); i++) {
		size_t n = redact_text(&r, argv[i], strlen(argv[i]), true, out);

		out[n] = '\0';
		assert_string_equal(out, want[i]);
	}
	assert_int_equal(r.count, 2);
}

/* The room is enough for the worst text, which is all names and values. */
static void test_no_text_needs_more_room(void **state)
{
	enum { N = 3000 };
	static char in[N], out[REDACT_ROOM(N)];
	static const char bits[] = "token=x;-u a:b --secret 'a' :// @\n\"$://a:b@";

	(void)state;
	srand(1);
	for (int k = 0; k < 2000; k++) {
		struct redact r = { .next = k & 1 };
		size_t n = (size_t)(rand() % N);

		for (size_t i = 0; i < n; i++)
			in[i] = rand() % 3 ? bits[i % (sizeof(bits) - 1)] : bits[(size_t)rand() % sizeof(bits)];
		assert_true(redact_text(&r, in, n, k & 2, out) <= REDACT_ROOM(n));
	}
}

/* --- the file -------------------------------------------------------------------- */

static void put_file(const char *text, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(io_write_all(fd, text, strlen(text)), 0);
	assert_int_equal(fchmod(fd, mode), 0);
	assert_int_equal(close(fd), 0);
}

static void refused(const char *why)
{
	memset(&err, 0, sizeof(err));
	assert_true(traffic_open(&traffic, path, "test", &here, &err) < 0);
	if (!strstr(err.text, why))
		fail_msg("got  %s\nwant %s", err.text, why);
	assert_int_equal(traffic.file.fd, -1);
}

static void accepted(void)
{
	assert_int_equal(traffic_open(&traffic, path, "test", &here, &err), 0);
	traffic_close(&traffic);
}

static void test_only_records_are_appended_to(void **state)
{
	struct stat st;

	(void)state;
	accepted(); /* there was none */
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	accepted(); /* an empty one */
	put_file(TRAFFIC_BEGINS "}\n", 0600);
	accepted();
	put_file(TRAFFIC_BEGINS "}\n{\"reco", 0600);
	refused("ends in the middle of a line");
	put_file("{\"record\":2,}\n", 0600);
	refused("is no record of this version");
	put_file("x", 0600);
	refused("is no record of this version");
	put_file(TRAFFIC_BEGINS "}\n", getuid() ? 0602 : 0620); /* another user's group may be private */
	refused("may be written by others");
	put_file(TRAFFIC_BEGINS "}\n", 0600);
	accepted();
}

static void test_other_files_are_refused(void **state)
{
	char other[128];

	(void)state;
	(void)snprintf(other, sizeof(other), "%s/other", dir);
	put_file("", 0600);
	assert_int_equal(link(path, other), 0);
	refused("a hard link");
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink(other, path), 0);
	refused("is a symbolic link");
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	refused("is not a regular file");
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rename(other, path), 0);
	accepted();
	(void)snprintf(path, sizeof(path), "%s/no/r", dir);
	refused("No such file");
	(void)snprintf(path, sizeof(path), "%s/r", dir);
}

/* --- what is written is read again -------------------------------------------------- */

static struct bundle bundle;
static struct query query;

static void ask(const char *line, const char *want)
{
	size_t n;
	const char *got = query_answer(&query, line, strlen(line), &n);

	assert_non_null(got);
	if (!strstr(got, want))
		fail_msg("%s\n  got  %s\n  want %s", line, got, want);
}

static void start(void)
{
	mk_sample_parsed(&bundle);
	assert_int_equal(query_init(&query, &bundle, PB_HOST, &err), 0);
	assert_int_equal(traffic_open(&traffic, path, "test", &here, &err), 0);
	query.traffic = &traffic;
}

static void stop(void)
{
	query_release(&query);
	bundle_release(&bundle);
}

/* The k-th line of the file as a request; the reader keeps its texts. */
static struct query_request record(struct query_reader *reader, char *text, int k)
{
	struct query_request q;
	char *end;

	for (; k > 0; k--)
		text = strchr(text, '\n') + 1;
	end = strchr(text, '\n');
	assert_non_null(end);
	*end = '\0';
	if (!query_request_load(reader, text, (size_t)(end - text), &err) ||
	    !query_request_take_record(reader, &q, &err))
		fail_msg("%s\n%s", text, err.text);
	*end = '\n';
	return q;
}

#define AT "\"cwd\":\"/\",\"home\":\"/home/d\",\"project\":\"/srv/p\",\"session_dir\":\"/s\""

static void test_each_kind_is_recorded_and_read(void **state)
{
	struct query_reader *reader = query_reader_new();
	struct query_request q;
	char *text;
	size_t n;

	(void)state;
	start();
	ask("{\"kind\":\"command\",\"line\":\"a \\\"b\\n\\\" --token=x\"," AT "}", "effect");
	ask("{\"kind\":\"command\",\"line_hex\":\"61ff\"," AT "}", "effect");
	ask("{\"kind\":\"argv\",\"argv\":[\"a\",\"\",\"--secret\",\"x\"]," AT "}", "effect");
	ask("{\"kind\":\"file\",\"op\":\"write\",\"path\":\"/usr/lib/no\"," AT "}", "effect");
	ask("{\"kind\":\"net\",\"proto\":\"udp\",\"host\":\"10.0.0.1\",\"port\":53}", "effect");
	ask("{\"kind\":\"unix\",\"path\":\"@n\"," AT "}", "effect");
	ask("{\"kind\":\"syscall\",\"name\":\"ptrace\",\"args\":[0,18446744073709551615]}", "effect");
	ask("{\"kind\":\"tool\",\"name\":\"t\",\"args\":{\"password\":\"x\"}}", "effect");
	/* nothing is decided about these, so nothing is recorded */
	ask("{\"kind\":\"setting\",\"name\":\"none\"}", "value");
	ask("{\"kind\":\"tool\"}", "error");
	stop();
	assert_int_equal(io_read_file(path, 1 << 20, &text, &n), 0);
	q = record(reader, text, 0);
	assert_string_equal(q.line, "a \"b\n\" --token=REDACTED");
	assert_string_equal(q.home, "/home/d");
	assert_string_equal(q.project, "/srv/p");
	assert_string_equal(q.session, "/s");
	assert_int_equal(q.scope, PB_HOST);
	q = record(reader, text, 1);
	assert_int_equal(q.line_n, 2);
	assert_memory_equal(q.line, "a\xff", 2);
	q = record(reader, text, 2);
	assert_int_equal(q.argc, 4);
	assert_string_equal(q.argv[1], "");
	assert_string_equal(q.argv[3], REDACTED);
	q = record(reader, text, 3);
	assert_int_equal(q.op, PB_WRITE);
	assert_int_equal(q.effect, PB_DENY);
	assert_string_equal(q.path, "/usr/lib/no");
	q = record(reader, text, 4);
	assert_true(q.is_addr && q.udp && q.port == 53);
	q = record(reader, text, 5);
	assert_true(q.abstract);
	assert_string_equal(q.path, "n");
	q = record(reader, text, 6);
	assert_int_equal(q.scope, PB_SANDBOX);
	assert_true(q.args[1] == UINT64_MAX && q.args[0] == 0);
	q = record(reader, text, 7);
	assert_string_equal(q.name, "t");
	assert_null(strstr(text, "password"));
	assert_ptr_equal(strchr(strstr(text, "\"name\":\"t\""), '\n'), text + n - 1);
	free(text);
	query_reader_free(reader);
}

static void test_a_word_that_is_not_utf8_is_read_again(void **state)
{
	static const char *const argv[] = { "a\xff", "b", NULL };
	struct pol_request p = { .kind = POL_ARGV, .scope = POL_HOST, .argv = argv, .argc = 2 };
	struct pol_request cwd = p;
	struct query_reader *reader = query_reader_new();
	struct decision d = { .effect = PB_ASK, .rule = UINT32_MAX };
	struct query_request q;
	char *text;
	size_t n;

	(void)state;
	start();
	assert_int_equal(traffic_put(&traffic, &bundle, &p, &d, &err), 0);
	cwd.cwd = "/\xff";
	assert_true(traffic_put(&traffic, &bundle, &cwd, &d, &err) < 0);
	stop();
	assert_int_equal(io_read_file(path, 1 << 20, &text, &n), 0);
	q = record(reader, text, 0);
	assert_string_equal(q.argv[0], "a\xff");
	assert_string_equal(q.argv[1], "b");
	assert_int_equal(q.effect, PB_ASK);
	assert_ptr_equal(strchr(text, '\n'), text + n - 1);
	free(text);
	query_reader_free(reader);
}

/* A request that cannot be recorded gets no decision. */
static void test_without_room_there_is_no_answer(void **state)
{
	struct rlimit old, small;

	(void)state;
	start();
	ask("{\"kind\":\"tool\",\"name\":\"t\"}", "\"effect\":\"ask\"");
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	small = old;
	small.rlim_cur = 120;
	(void)signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	ask("{\"kind\":\"tool\",\"name\":\"t\"}", "\"error\":\"the record ");
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	stop();
	traffic_close(&traffic);
	refused("ends in the middle of a line");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_looks_like_a_secret_is_replaced),
		cmocka_unit_test(test_what_is_none_stays_as_it_is),
		cmocka_unit_test(test_an_option_of_an_argv_hides_the_next_word),
		cmocka_unit_test(test_no_text_needs_more_room),
		cmocka_unit_test_setup_teardown(test_only_records_are_appended_to, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_other_files_are_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_each_kind_is_recorded_and_read, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_a_word_that_is_not_utf8_is_read_again, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_without_room_there_is_no_answer, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, set_up_all, tear_down_all);
}
