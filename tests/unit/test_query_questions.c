/* polquery serve's questions: what is a message, who gets it, and whose answer counts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include <json-c/json.h>

#include "runtime/polquery/query_questions.h"
#include "runtime/query/query_request.h"
#include "tests/unit/fixture.h"

/* What each client was told since the last look. */
static char told[100][64 * 1024];
static struct query_questions questions;
static struct query_reader *reader;
static int64_t now = 1000000;

static void note(void *to, unsigned client, const char *text, size_t n)
{
	size_t have = strlen(told[client]);

	assert_ptr_equal(to, &now);
	assert_true(client < POL_LEN(told) && have + n < sizeof(told[client]));
	assert_true(n > 1 && text[n - 1] == '\n' && !memchr(text, '\n', n - 1));
	memcpy(told[client] + have, text, n);
	told[client][have + n] = '\0';
}

static int set_up(void **state)
{
	(void)state;
	reader = query_reader_new();
	query_questions_init(&questions, note, &now);
	memset(told, 0, sizeof(told));
	return reader ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	query_questions_release(&questions);
	query_reader_free(reader);
	return 0;
}

/* NULL: it was taken; else what is wrong with it. */
static const char *say(unsigned client, const char *line)
{
	static char buf[64 * 1024];
	static struct rt_err err;
	struct query_message m = { .kind = QUERY_NO_MESSAGE };

	memset(&err, 0, sizeof(err));
	(void)snprintf(buf, sizeof(buf), "%s", line);
	if (!query_request_load(reader, buf, strlen(buf), &err) ||
	    !query_message_read(query_request_object(reader), &m, &err))
		return err.text;
	if (m.kind == QUERY_NO_MESSAGE)
		return "a request";
	return query_questions_take(&questions, client, &m, now, &err) ? NULL : err.text;
}

static void took(unsigned client, const char *line)
{
	const char *why = say(client, line);

	if (why)
		fail_msg("%s\n  %s", line, why);
}

static void refused(unsigned client, const char *line, const char *part)
{
	const char *why = say(client, line);

	if (!why || !strstr(why, part))
		fail_msg("%s\n  got  %s\n  want %s", line, why ? why : "(taken)", part);
}

static void want(unsigned client, const char *text)
{
	if (strcmp(told[client], text) != 0)
		fail_msg("client %u\n  got  %s\n  want %s", client, told[client], text);
	told[client][0] = '\0';
}

#define FIELDS \
	"\"kind\":\"net\",\"proto\":\"tcp\",\"host\":\"a.example\",\"port\":443,"            \
	"\"program\":\"curl (curl x), pid 7\",\"rule\":{\"id\":\"reg\",\"level\":\"user\","  \
	"\"file\":\"p.pol\",\"line\":9,\"text\":\"ask tcp \\\"a.example\\\"\"},"             \
	"\"reason\":null,\"hold_ms\":30000}"
#define QUESTION "{\"question\":{" FIELDS "}"
#define ANSWERS "{\"answers\":\"net\"}"
#define DENIED "{\"effect\":\"deny\"}\n"

static void test_nobody_answers(void **state)
{
	(void)state;
	took(1, QUESTION);
	want(1, DENIED);
	assert_false(query_questions_waits(&questions, 1));
	assert_int_equal(query_questions_timeout(&questions, now), -1);
}

static void test_the_first_answer_counts(void **state)
{
	(void)state;
	took(2, ANSWERS);
	want(2, ANSWERS "\n");
	took(3, ANSWERS);
	want(3, ANSWERS "\n");
	took(1, QUESTION);
	want(1, "");
	assert_true(query_questions_waits(&questions, 1));
	want(2, "{\"question\":1," FIELDS "\n");
	want(3, "{\"question\":1," FIELDS "\n");
	took(3, "{\"answer\":1,\"effect\":\"allow\",\"for\":\"run\"}");
	want(1, "{\"effect\":\"allow\",\"for\":\"run\"}\n");
	want(3, "{\"answer\":1,\"taken\":true}\n");
	want(2, "{\"answered\":1}\n");
	assert_false(query_questions_waits(&questions, 1));
	/* too late, twice, and one that never was */
	took(2, "{\"answer\":1,\"effect\":\"deny\"}");
	want(2, "{\"answer\":1,\"taken\":false}\n");
	took(3, "{\"answer\":1,\"effect\":\"allow\",\"for\":\"session\"}");
	want(3, "{\"answer\":1,\"taken\":false}\n");
	took(2, "{\"answer\":2,\"effect\":\"allow\",\"for\":\"run\"}");
	want(2, "{\"answer\":2,\"taken\":false}\n");
	want(1, "");
}

static void test_each_answer(void **state)
{
	static const struct {
		const char *said, *told;
	} rows[] = {
		{ "\"effect\":\"allow\",\"for\":\"run\"", "{\"effect\":\"allow\",\"for\":\"run\"}\n" },
		{ "\"for\":\"session\",\"effect\":\"allow\"",
		  "{\"effect\":\"allow\",\"for\":\"session\"}\n" },
		{ "\"effect\":\"deny\"", DENIED },
		{ "\"effect\":\"deny\",\"for\":\"run\"", DENIED },
	};
	char line[200];

	(void)state;
	took(2, ANSWERS);
	for (unsigned i = 0; i < POL_LEN(rows); i++) {
		took(1, QUESTION);
		(void)snprintf(line, sizeof(line), "{\"answer\":%u,%s}", i + 1, rows[i].said);
		took(2, line);
		want(1, rows[i].told);
	}
}

/* Who leaves, and what becomes of the questions. */
static void test_leaving(void **state)
{
	(void)state;
	took(2, ANSWERS);
	took(3, ANSWERS);
	took(1, QUESTION);
	took(4, QUESTION);
	memset(told, 0, sizeof(told));
	query_questions_leave(&questions, 1);
	want(1, "");
	want(2, "{\"answered\":1}\n");
	want(3, "{\"answered\":1}\n");
	query_questions_leave(&questions, 2);
	want(4, "");
	assert_true(query_questions_waits(&questions, 4));
	query_questions_leave(&questions, 3);
	want(4, DENIED);
	assert_false(query_questions_waits(&questions, 4));
	/* a client that has no part leaves nothing behind */
	query_questions_leave(&questions, 9);
	took(4, QUESTION);
	want(4, DENIED);
}

static void test_a_late_answerer_gets_what_is_open(void **state)
{
	(void)state;
	took(2, ANSWERS);
	took(1, QUESTION);
	took(3, ANSWERS);
	want(3, ANSWERS "\n{\"question\":1," FIELDS "\n");
	/* said twice: once is enough */
	took(3, ANSWERS);
	want(3, ANSWERS "\n");
	took(3, "{\"answer\":1,\"effect\":\"deny\"}");
	want(1, DENIED);
}

static void test_time(void **state)
{
	(void)state;
	took(2, ANSWERS);
	took(1, "{\"question\":{\"kind\":\"net\",\"proto\":\"udp\",\"host\":\"2001:db8::1\","
		"\"port\":1,\"program\":null,\"rule\":{\"id\":\"network-otherwise\",\"level\":"
		"\"default\",\"file\":null,\"line\":null,\"text\":null},\"reason\":\"r\","
		"\"hold_ms\":50}}");
	took(4, QUESTION);
	memset(told, 0, sizeof(told));
	assert_int_equal(query_questions_timeout(&questions, now), 50);
	query_questions_expire(&questions, now + 49);
	want(1, "");
	query_questions_expire(&questions, now + 50);
	want(1, DENIED);
	want(2, "{\"answered\":1}\n");
	want(4, "");
	assert_int_equal(query_questions_timeout(&questions, now + 50), 29950);
	assert_int_equal(query_questions_timeout(&questions, now + 60000), 0);
}

static void test_limits(void **state)
{
	static char line[QUERY_MAX_QUESTION + 1000];
	char many[200];

	(void)state;
	for (unsigned i = 0; i < QUERY_MAX_ANSWERERS; i++)
		took(80 + i, ANSWERS);
	refused(79, ANSWERS, "'answers': 16 clients answer already");
	refused(79, "{\"answer\":1,\"effect\":\"deny\"}", "'answer': this client has not said");
	for (unsigned i = 0; i < QUERY_MAX_QUESTIONS; i++) {
		took(i, QUESTION);
		want(i, "");
	}
	refused(3, QUESTION, "'question': this client waits");
	refused(80, QUESTION, "'question': a client that answers");
	took(70, QUESTION);
	want(70, DENIED);
	/* there is room again, and numbers go on */
	took(80, "{\"answer\":64,\"effect\":\"deny\"}");
	want(63, DENIED);
	took(70, QUESTION);
	want(70, "");
	took(80, "{\"answer\":65,\"effect\":\"allow\",\"for\":\"run\"}");
	want(70, "{\"effect\":\"allow\",\"for\":\"run\"}\n");
	(void)snprintf(line, sizeof(line), "{\"question\":{\"kind\":\"net\",\"proto\":\"tcp\","
		       "\"host\":\"a.example\",\"port\":443,\"program\":\"%0*d\",\"rule\":{\"id\":"
		       "\"r\",\"level\":\"user\",\"file\":null,\"line\":null,\"text\":null},"
		       "\"reason\":null,\"hold_ms\":1}}", QUERY_MAX_QUESTION, 1);
	refused(71, line, "'question': it has more than 16384 bytes");
	assert_false(query_questions_waits(&questions, 71));
	(void)snprintf(many, sizeof(many), "{\"answer\":66,\"effect\":\"deny\"}");
	memset(told[80], 0, sizeof(told[80]));
	took(80, many);
	want(80, "{\"answer\":66,\"taken\":false}\n");
}

static void test_what_is_a_message(void **state)
{
	static const struct {
		const char *line, *part;
	} rows[] = {
		{ "{}", "a request" },
		{ "{\"id\":1}", "a request" },
		/* whatever has a kind is a request, and refused as one */
		{ "{\"kind\":\"tool\",\"answers\":\"net\"}", "a request" },
		{ "{\"answers\":\"net\",\"kind\":\"tool\"}", "a request" },
		{ "{\"answers\":\"file\"}", "'answers': must be one of 'net'" },
		{ "{\"answers\":true}", "'answers': must be one of 'net'" },
		{ "{\"answers\":\"net\",\"id\":1}", "'id': is no key of this message" },
		{ "{\"answers\":\"net\",\"answers\":\"net\"}", "'answers': is there twice" },
		{ "{\"answers\":\"net\",\"answer\":1}", "'answer': is no key" },
		{ "{\"question\":1}", "'question': must be an object" },
		{ "{\"question\":{}}", "'kind': is missing" },
		{ "{\"question\":{\"kind\":\"command\"}}", "'kind': must be one of 'net'" },
		{ "{\"question\":{\"kind\":\"net\",\"x\\n\":1}}", "'x\\x0a': is no key" },
		{ "{\"answer\":1}", "'effect': is missing" },
		{ "{\"answer\":0,\"effect\":\"deny\"}", "'answer': must be a whole number from 1" },
		{ "{\"answer\":-1,\"effect\":\"deny\"}", "'answer': must be a whole number" },
		{ "{\"answer\":1.0,\"effect\":\"deny\"}", "'answer': must be a whole number" },
		{ "{\"answer\":\"1\",\"effect\":\"deny\"}", "'answer': must be a whole number" },
		{ "{\"answer\":99999999999999999999,\"effect\":\"deny\"}", "'answer': must be" },
		{ "{\"answer\":1,\"effect\":\"ask\"}", "'effect': must be one of 'allow', 'deny'" },
		{ "{\"answer\":1,\"effect\":\"allow\"}", "'for': is missing" },
		{ "{\"answer\":1,\"effect\":\"allow\",\"for\":\"ever\"}", "'for': must be one of" },
		{ "{\"answer\":1,\"effect\":\"allow\",\"for\":null}", "'for': must be one of" },
		{ "{\"answer\":1,\"effect\":\"deny\",\"for\":\"session\"}",
		  "'for': a deny is for the 'run' only" },
		{ "{\"answer\":1,\"effect\":\"deny\",\"why\":\"\"}", "'why': is no key" },
	};

	(void)state;
	took(2, ANSWERS);
	for (size_t i = 0; i < POL_LEN(rows); i++)
		refused(2, rows[i].line, rows[i].part);
	for (size_t i = 0; i < POL_LEN(rows); i++)
		refused(1, rows[i].line, rows[i].part);
	want(1, "");
}

/* The good question, with one piece changed. */
static void test_each_field_of_a_question(void **state)
{
	static const struct {
		const char *from, *to, *part;
	} rows[] = {
		{ "\"tcp\"", "\"sctp\"", "'proto': must be one of 'tcp', 'udp'" },
		{ "\"a.example\"", "\"a b\"", "'host': is neither an address" },
		{ "\"a.example\"", "\"[2001:db8::1]\"", "'host': is neither an address" },
		{ "\"a.example\"", "null", "'host': must be a text" },
		{ "443", "0", "'port': must be a whole number from 1 to 65535" },
		{ "443", "65536", "'port': must be" },
		{ "443", "\"443\"", "'port': must be" },
		{ "\"curl (curl x), pid 7\"", "7", "'program': must be a text or null" },
		{ "\"id\":\"reg\",", "", "'id': is missing" },
		{ "\"reg\"", "null", "'id': must be a text" },
		{ "\"user\"", "\"root\"", "'level': must be one of 'managed'" },
		{ "\"p.pol\"", "[]", "'file': must be a text or null" },
		{ "\"line\":9", "\"line\":0", "'line': must be a whole number from 1" },
		{ "\"line\":9", "\"line\":9,\"x\":1", "'x': is no key" },
		{ "\"reason\":null,", "", "'reason': is missing" },
		{ "30000", "30001", "'hold_ms': must be a whole number from 1 to 30000" },
		{ "30000", "0", "'hold_ms': must be" },
		{ "30000}", "30000},\"x\":1", "'x': is no key" },
	};
	const char good[] = QUESTION;
	char line[1000];

	(void)state;
	took(2, ANSWERS);
	for (size_t i = 0; i < POL_LEN(rows); i++) {
		const char *at = strstr(good, rows[i].from);

		assert_non_null(at);
		(void)snprintf(line, sizeof(line), "%.*s%s%s", (int)(at - good), good, rows[i].to,
			       at + strlen(rows[i].from));
		refused(1, line, rows[i].part);
	}
	took(1, good); /* the control */
	want(2, ANSWERS "\n{\"question\":1," FIELDS "\n");
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		T(test_nobody_answers),
		T(test_the_first_answer_counts),
		T(test_each_answer),
		T(test_leaving),
		T(test_a_late_answerer_gets_what_is_open),
		T(test_time),
		T(test_limits),
		T(test_what_is_a_message),
		T(test_each_field_of_a_question),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
