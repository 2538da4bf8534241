/* polrun's side of a question at a socket: what is sent, what is a yes, who is asked. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include <json-c/json.h>

#include "runtime/approvals/ask_net.h"
#include "runtime/approvals/ask_socket.h"
#include "runtime/polquery/query_message.h"
#include "runtime/query/query_request.h"
#include "tests/unit/bundle_parse.h"
#include "tests/unit/scratch_dir.h"

#define RUN "{\"effect\":\"allow\",\"for\":\"run\"}\n"
#define SESSION "{\"effect\":\"allow\",\"for\":\"session\"}\n"
#define DENY "{\"effect\":\"deny\"}\n"

static char dir[] = "/tmp/pol-ask-socket-XXXXXX";
static struct bundle bundle;

static int set_up(void **state)
{
	(void)state;
	mk_sample_parsed(&bundle);
	return scratch_enter(dir);
}

static int tear_down(void **state)
{
	(void)state;
	bundle_release(&bundle);
	return scratch_leave(dir);
}

static int64_t in_ms(int64_t ms)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000 + ms;
}

static struct ask_socket_question question_of(uint32_t rule, const char *host)
{
	return (struct ask_socket_question){ .b = &bundle, .rule = rule, .host = host, .port = 443,
					     .program = "curl (curl x), pid 7", .hold_ms = 20000 };
}

/* What polrun sends is what polquery reads. */
static void test_the_line(void **state)
{
	struct query_reader *r = query_reader_new();
	struct ask_socket_question q = question_of(0, "a.example");
	char line[ASK_SOCKET_LINE + 1];
	struct rt_err err = { 0 };
	struct query_message m;
	size_t n = ask_socket_line(&q, line, sizeof(line));

	(void)state;
	assert_string_equal(line,
		"{\"question\":{\"kind\":\"net\",\"proto\":\"tcp\",\"host\":\"a.example\",\"port\":443,"
		"\"program\":\"curl (curl x), pid 7\",\"rule\":{\"id\":\"rule-0\",\"level\":\"project\","
		"\"file\":\"hand.pol\",\"line\":1,\"text\":\"statement 0\"},\"reason\":null,"
		"\"hold_ms\":20000}}\n");
	assert_int_equal(n, strlen(line));
	line[n - 1] = '\0';
	assert_true(query_request_load(r, line, n - 1, &err));
	assert_true(query_message_read(query_request_object(r), &m, &err));
	assert_int_equal(m.kind, QUERY_QUESTION);
	/* the longest that a run can make, every byte escaped */
	q = question_of(bundle.rules->scalar_first + (uint32_t)PB_S_NET_OTHERWISE, "2001:db8::1");
	q.udp = true;
	q.program = "\001\002\033[2J\xff\"\\";
	n = ask_socket_line(&q, line, sizeof(line));
	assert_non_null(strstr(line, "\"file\":null,\"line\":null"));
	assert_null(strchr(line, '\033'));
	line[n - 1] = '\0';
	assert_true(query_request_load(r, line, n - 1, &err));
	if (!query_message_read(query_request_object(r), &m, &err))
		fail_msg("%s: %s", line, err.text);
	assert_string_equal(m.question.proto, "udp");
	q.program = "";
	(void)ask_socket_line(&q, line, sizeof(line));
	assert_non_null(strstr(line, "\"program\":null"));
	assert_int_equal(ask_socket_line(&q, line, 100), 0); /* it does not fit */
	query_reader_free(r);
}

/* What polquery's end says, in pieces of `step` bytes; then it hangs up. */
static enum ask_socket_answer hear(const char *text, size_t step, struct rt_err *err)
{
	enum ask_socket_answer got;
	int pair[2];

	memset(err, 0, sizeof(*err));
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair), 0);
	if (step == 1 && fork() == 0) {
		const struct timespec pause = { .tv_nsec = 1000000 };

		(void)close(pair[0]);
		for (size_t i = 0; text[i]; i++) {
			if (write(pair[1], text + i, 1) != 1)
				break;
			(void)nanosleep(&pause, NULL);
		}
		_exit(0);
	}
	if (step != 1)
		assert_int_equal(write(pair[1], text, strlen(text)), strlen(text));
	(void)close(pair[1]);
	got = ask_socket_hear(pair[0], -1, in_ms(20000), err);
	(void)close(pair[0]);
	return got;
}

static void test_only_two_texts_are_a_yes(void **state)
{
	static const char *const no[] = {
		"", "\n", "{\"effect\":\"allow\",\"for\":\"run\"}", /* hangs up before its newline */
		"{\"effect\":\"allow\"}\n", "{\"effect\":\"allow\",\"for\":\"ever\"}\n",
		"{\"effect\": \"allow\",\"for\":\"run\"}\n", "{\"for\":\"run\",\"effect\":\"allow\"}\n",
		"{\"effect\":\"allow\",\"for\":\"run\"} \n", " " RUN, RUN RUN, RUN DENY, RUN " ",
		DENY RUN, "\n" RUN, "{\"id\":null,\"error\":\"x\"}\n", "yes\n", "allow\n",
		"{\"effect\":\"ALLOW\",\"for\":\"run\"}\n", "{\"effect\":\"allow\",\"for\":\"run\"}\r\n",
		"{\"effect\":\"allow\",\"for\":\"runn\"}\n", "{\"effect\":\"allow\",\"for\":\"session\"}x\n",
		"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
	};
	struct rt_err err;

	(void)state;
	for (size_t i = 0; i < POL_LEN(no); i++) {
		if (hear(no[i], 0, &err) != ASK_SOCKET_NO || !err.err)
			fail_msg("'%s' is an answer, or nothing is said of it", no[i]);
	}
	assert_int_equal(hear(DENY, 0, &err), ASK_SOCKET_NO);
	assert_int_equal(err.err, 0);
	for (size_t step = 0; step < 2; step++) {
		assert_int_equal(hear(RUN, step, &err), ASK_SOCKET_RUN);
		assert_int_equal(hear(SESSION, step, &err), ASK_SOCKET_SESSION);
		assert_int_equal(hear(DENY, step, &err), ASK_SOCKET_NO);
		assert_int_equal(err.err, 0);
	}
}

static void test_too_late_and_the_end_of_the_run(void **state)
{
	struct rt_err err = { 0 };
	int pair[2], run[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, run), 0);
	assert_int_equal(ask_socket_hear(pair[0], run[0], in_ms(30), &err), ASK_SOCKET_NO);
	/* half of a yes is none */
	assert_int_equal(write(pair[1], RUN, 10), 10);
	assert_int_equal(ask_socket_hear(pair[0], run[0], in_ms(30), &err), ASK_SOCKET_NO);
	/* a yes that is there, but after the time */
	assert_int_equal(write(pair[1], RUN, strlen(RUN)), strlen(RUN));
	assert_int_equal(ask_socket_hear(pair[0], run[0], in_ms(-1), &err), ASK_SOCKET_NO);
	(void)close(run[1]);
	assert_int_equal(ask_socket_hear(pair[0], run[0], in_ms(20000), &err), ASK_SOCKET_NO);
	(void)close(run[0]);
	(void)close(pair[0]);
	(void)close(pair[1]);
}

static void test_nobody_listens(void **state)
{
	struct ask_socket_question q = question_of(0, "a.example");
	struct rt_err err = { 0 };
	char path[200];

	(void)state;
	assert_int_equal(ask_socket("/nonexistent/x", &q, -1, in_ms(20000), &err), ASK_SOCKET_NO);
	assert_int_equal(err.err, ENOENT);
	(void)snprintf(path, sizeof(path), "/tmp/%0*d", 150, 1);
	memset(&err, 0, sizeof(err));
	assert_int_equal(ask_socket(path, &q, -1, in_ms(20000), &err), ASK_SOCKET_NO);
	assert_int_equal(err.err, ENAMETOOLONG);
}

/* --- the asker of a run ----------------------------------------------------------------- */

/* A run whose polquery is this test. */
struct run {
	struct decide_ctx ctx;
	struct ask_net in;
	char path[100], state[100];
	int listener, asker;
	pid_t pid;
	uint32_t last;
};

static void begin(struct run *r)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	struct rt_err err = { 0 };

	(void)snprintf(r->path, sizeof(r->path), "%s/s", dir);
	(void)snprintf(r->state, sizeof(r->state), "%s/state", dir);
	r->ctx = (struct decide_ctx){ .b = &bundle, .scope = PB_SANDBOX };
	r->in.ctx = &r->ctx;
	r->in.dir = r->state;
	r->in.socket = r->path;
	if (!r->in.hold_ms)
		r->in.hold_ms = 20000;
	(void)unlink(r->path);
	(void)snprintf(at.sun_path, sizeof(at.sun_path), "%s", r->path);
	r->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(r->listener, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(listen(r->listener, 5), 0);
	r->asker = ask_net_start(&r->in, &r->pid, &err);
	assert_true(r->asker >= 0);
}

static void end(struct run *r)
{
	ask_net_end(r->asker, r->pid);
	(void)close(r->listener);
}

static void ask(struct run *r, uint32_t rule, const char *host)
{
	struct gate_question q = { .init_pid = getpid(), .record = { .type = GATE_ASK, .count = 1 } };

	q.record.id = ++r->last;
	q.record.rule = rule;
	q.record.port = 443;
	(void)snprintf(q.record.name, sizeof(q.record.name), "%s", host);
	assert_int_equal(write(r->asker, &q, sizeof(q)), sizeof(q));
}

/* The asker's answer to the last question. */
static bool is_yes(const struct run *r)
{
	struct gate_message m;

	/* not blocking: wait for it */
	for (int i = 0; i < 20000; i++) {
		const struct timespec pause = { .tv_nsec = 1000000 };
		ssize_t n = recv(r->asker, &m, sizeof(m), 0);

		if (n == (ssize_t)sizeof(m)) {
			assert_int_equal(m.type, GATE_ANSWER);
			assert_int_equal(m.id, r->last);
			return m.value == GATE_YES;
		}
		(void)nanosleep(&pause, NULL);
	}
	fail_msg("the asker says nothing");
	return false;
}

/* Takes the question and says this; the question is in `got`. */
static void serve_one(const struct run *r, const char *text, char *got, size_t cap)
{
	int fd = accept(r->listener, NULL, NULL);
	size_t n = 0;

	assert_true(fd >= 0);
	while (n + 1 < cap && (!n || got[n - 1] != '\n')) {
		ssize_t k = read(fd, got + n, cap - n - 1);

		assert_true(k > 0);
		n += (size_t)k;
	}
	got[n] = '\0';
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	(void)close(fd);
}

static bool nobody_came(const struct run *r)
{
	struct timeval tv = { .tv_usec = 100000 };
	fd_set set;

	FD_ZERO(&set);
	FD_SET(r->listener, &set);
	return select(r->listener + 1, &set, NULL, NULL, &tv) == 0;
}

static void test_a_run_asks_once_for_a_host(void **state)
{
	struct run r = { .in.mode = ASK_TTY };
	char got[4096];

	(void)state;
	begin(&r);
	ask(&r, 0, "a.example");
	serve_one(&r, RUN, got, sizeof(got));
	assert_non_null(strstr(got, "\"host\":\"a.example\",\"port\":443"));
	assert_true(is_yes(&r));
	ask(&r, 0, "a.example"); /* it holds */
	assert_true(is_yes(&r));
	assert_true(nobody_came(&r));
	/* another host, another rule: other questions */
	ask(&r, 0, "b.example");
	serve_one(&r, DENY, got, sizeof(got));
	assert_false(is_yes(&r));
	ask(&r, 0, "b.example"); /* a no holds, too */
	assert_false(is_yes(&r));
	assert_true(nobody_came(&r));
	ask(&r, 1, "b.example");
	serve_one(&r, SESSION, got, sizeof(got));
	assert_true(is_yes(&r));
	ask(&r, 1, "c.example");
	serve_one(&r, "{\"effect\":\"allow\"}\n", got, sizeof(got));
	assert_false(is_yes(&r));
	end(&r);
}

static void test_a_session_is_remembered_where_there_is_one(void **state)
{
	struct run r = { .in = { .mode = ASK_TTY, .session = "s1" } }, other = r, none = r;
	char got[4096];

	(void)state;
	begin(&r);
	ask(&r, 0, "a.example");
	serve_one(&r, SESSION, got, sizeof(got));
	assert_true(is_yes(&r));
	ask(&r, 0, "b.example");
	serve_one(&r, RUN, got, sizeof(got));
	assert_true(is_yes(&r));
	end(&r);
	/* the next run of the session */
	begin(&other);
	ask(&other, 0, "a.example");
	assert_true(is_yes(&other));
	assert_true(nobody_came(&other));
	ask(&other, 0, "b.example");
	serve_one(&other, DENY, got, sizeof(got));
	assert_false(is_yes(&other));
	end(&other);
	none.in.session = "s2";
	begin(&none);
	ask(&none, 0, "a.example");
	serve_one(&none, DENY, got, sizeof(got));
	assert_false(is_yes(&none));
	end(&none);
}

/* The socket is for asks that a program may answer, and for nobody whom nobody may ask. */
static void test_what_is_never_sent_there(void **state)
{
	struct run r = { .in.mode = ASK_TTY }, deny = { .in.mode = ASK_DENY },
		   yes = { .in = { .mode = ASK_DENY, .yes = true } };
	uint32_t person = bundle.rules->scalar_first + (uint32_t)PB_S_COMMAND_OPAQUE;
	char got[4096];

	(void)state;
	assert_true(bundle_rule(&bundle, person)->flags & PB_F_ANSWER);
	(void)setsid(); /* without a terminal, so that the answer is no */
	begin(&r);
	ask(&r, person, "a.example");
	assert_false(is_yes(&r));
	ask(&r, UINT32_MAX, "b.example");
	assert_false(is_yes(&r));
	assert_true(nobody_came(&r));
	ask(&r, 0, "a.example"); /* the control */
	serve_one(&r, RUN, got, sizeof(got));
	assert_true(is_yes(&r));
	end(&r);
	begin(&deny);
	ask(&deny, 0, "a.example");
	assert_false(is_yes(&deny));
	assert_true(nobody_came(&deny));
	end(&deny);
	begin(&yes);
	ask(&yes, 0, "a.example");
	assert_true(is_yes(&yes));
	assert_true(nobody_came(&yes));
	end(&yes);
}

static void test_too_late_is_no(void **state)
{
	struct run r = { .in = { .mode = ASK_TTY, .hold_ms = 100 } };

	(void)state;
	begin(&r);
	ask(&r, 0, "a.example"); /* nobody accepts */
	assert_false(is_yes(&r));
	end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_line),
		cmocka_unit_test(test_only_two_texts_are_a_yes),
		cmocka_unit_test(test_too_late_and_the_end_of_the_run),
		cmocka_unit_test(test_nobody_listens),
		cmocka_unit_test(test_a_run_asks_once_for_a_host),
		cmocka_unit_test(test_a_session_is_remembered_where_there_is_one),
		cmocka_unit_test(test_what_is_never_sent_there),
		cmocka_unit_test(test_too_late_is_no),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
