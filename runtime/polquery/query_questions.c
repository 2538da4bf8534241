/* Decides which answer counts: the first one.  A question that nobody can answer (any
 * more) is denied at once. */
#include "runtime/polquery/query_questions.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/json.h"

/* polrun compares these bytes (runtime/approvals/ask_socket.c). */
static const char said_run[] = "{\"effect\":\"allow\",\"for\":\"run\"}\n";
static const char said_session[] = "{\"effect\":\"allow\",\"for\":\"session\"}\n";
static const char said_deny[] = "{\"effect\":\"deny\"}\n";

static void say(const struct query_questions *q, unsigned client, const char *text)
{
	q->send(q->to, client, text, strlen(text));
}

/* Tells the answerers, but for one, that a question needs no answer any more. */
static void say_answered(const struct query_questions *q, uint64_t number, unsigned but)
{
	char text[64];

	(void)snprintf(text, sizeof(text), "{\"answered\":%" PRIu64 "}\n", number);
	for (size_t i = 0; i < q->nanswerers; i++)
		if (q->answerers[i] != but)
			say(q, q->answerers[i], text);
}

static void take_out(struct query_questions *q, size_t i)
{
	free(q->open[i].text);
	memmove(&q->open[i], &q->open[i + 1], (--q->nopen - i) * sizeof(q->open[0]));
}

static void deny(struct query_questions *q, size_t i)
{
	const uint64_t number = q->open[i].number;

	say(q, q->open[i].asker, said_deny);
	take_out(q, i);
	say_answered(q, number, UINT32_MAX);
}

/* --- messages ------------------------------------------------------------------------- */

static bool add_answerer(struct query_questions *q, unsigned client, struct rt_err *err)
{
	const bool again = query_questions_answers(q, client);

	if (!again && q->nanswerers == QUERY_MAX_ANSWERERS) {
		(void)rt_fail(err, EBUSY, "'answers': %d clients answer already",
			      QUERY_MAX_ANSWERERS);
		return false;
	}
	say(q, client, "{\"answers\":\"net\"}\n");
	if (again)
		return true;
	q->answerers[q->nanswerers++] = client;
	for (size_t i = 0; i < q->nopen; i++)
		q->send(q->to, client, q->open[i].text, q->open[i].n);
	return true;
}

static void put_rule(struct json *j, const struct query_question *a)
{
	json_object(j, "rule");
	json_cstr(j, "id", a->id);
	json_cstr(j, "level", a->level);
	json_cstr(j, "file", a->file);
	if (a->line)
		json_uint(j, "line", a->line);
	else
		json_null(j, "line");
	json_cstr(j, "text", a->text);
	json_object_end(j);
}

/* The line for the answerers: malloc'ed; NULL: no memory, or too long. */
static char *text_of(const struct query_question *a, uint64_t number, size_t *ret_n)
{
	const char *text;
	char *copy = NULL;
	struct json j;

	json_init(&j);
	j.layout = JSON_TIGHT;
	json_object(&j, NULL);
	json_uint(&j, "question", number);
	json_cstr(&j, "kind", "net");
	json_cstr(&j, "proto", a->proto);
	json_cstr(&j, "host", a->host);
	json_uint(&j, "port", a->port);
	json_cstr(&j, "program", a->program);
	put_rule(&j, a);
	json_cstr(&j, "reason", a->reason);
	json_uint(&j, "hold_ms", a->hold_ms);
	json_object_end(&j);
	text = json_finish(&j, ret_n);
	if (text && *ret_n <= QUERY_MAX_QUESTION)
		copy = strndup(text, *ret_n);
	json_release(&j);
	return copy;
}

static bool ask(struct query_questions *q, unsigned client, const struct query_question *a,
		int64_t now_ms, struct rt_err *err)
{
	struct query_open *o = &q->open[q->nopen];

	if (query_questions_answers(q, client)) {
		(void)rt_fail(err, EINVAL, "'question': a client that answers does not ask");
		return false;
	}
	if (query_questions_waits(q, client)) {
		(void)rt_fail(err, EINVAL, "'question': this client waits for an answer already");
		return false;
	}
	if (!q->nanswerers || q->nopen == QUERY_MAX_QUESTIONS) {
		say(q, client, said_deny);
		return true;
	}
	*o = (struct query_open){ .number = q->last + 1, .asker = client,
				  .until_ms = now_ms + (int64_t)a->hold_ms };
	o->text = text_of(a, o->number, &o->n);
	if (!o->text) {
		(void)rt_fail(err, E2BIG, "'question': it has more than %d bytes, or there is no "
			      "memory", QUERY_MAX_QUESTION);
		return false;
	}
	q->last++;
	q->nopen++;
	for (size_t i = 0; i < q->nanswerers; i++)
		q->send(q->to, q->answerers[i], o->text, o->n);
	return true;
}

static bool hear(struct query_questions *q, unsigned client, const struct query_message *m,
		 struct rt_err *err)
{
	char text[80];
	size_t i = 0;
	bool taken;

	if (!query_questions_answers(q, client)) {
		(void)rt_fail(err, EINVAL, "'answer': this client has not said that it answers");
		return false;
	}
	while (i < q->nopen && q->open[i].number != m->number)
		i++;
	taken = i < q->nopen;
	if (taken) {
		say(q, q->open[i].asker,
		    !m->allow ? said_deny : m->session ? said_session : said_run);
		take_out(q, i);
	}
	(void)snprintf(text, sizeof(text), "{\"answer\":%" PRIu64 ",\"taken\":%s}\n", m->number,
		       taken ? "true" : "false");
	say(q, client, text);
	if (taken)
		say_answered(q, m->number, client);
	return true;
}

bool query_questions_take(struct query_questions *q, unsigned client,
			  const struct query_message *m, int64_t now_ms,
			  struct rt_err *err)
{
	switch (m->kind) {
	case QUERY_ANSWERS:
		return add_answerer(q, client, err);
	case QUERY_QUESTION:
		return ask(q, client, &m->question, now_ms, err);
	case QUERY_SAID:
		return hear(q, client, m, err);
	case QUERY_NO_MESSAGE:
	default:
		(void)rt_fail(err, EINVAL, "no message");
		return false;
	}
}

/* --- ends ------------------------------------------------------------------------------ */

void query_questions_leave(struct query_questions *q, unsigned client)
{
	for (size_t i = 0; i < q->nanswerers; i++)
		if (q->answerers[i] == client) {
			q->answerers[i] = q->answerers[--q->nanswerers];
			break;
		}
	for (size_t i = q->nopen; i > 0; i--)
		if (q->open[i - 1].asker == client) {
			const uint64_t number = q->open[i - 1].number;

			take_out(q, i - 1);
			say_answered(q, number, UINT32_MAX);
		}
	while (!q->nanswerers && q->nopen)
		deny(q, q->nopen - 1);
}

void query_questions_expire(struct query_questions *q, int64_t now_ms)
{
	for (size_t i = q->nopen; i > 0; i--)
		if (q->open[i - 1].until_ms <= now_ms)
			deny(q, i - 1);
}

int query_questions_timeout(const struct query_questions *q, int64_t now_ms)
{
	int64_t least = -1;

	for (size_t i = 0; i < q->nopen; i++) {
		int64_t left = q->open[i].until_ms > now_ms ? q->open[i].until_ms - now_ms : 0;

		if (least < 0 || left < least)
			least = left;
	}
	return (int)least; /* at most the 30 s of a question */
}

bool query_questions_waits(const struct query_questions *q, unsigned client)
{
	for (size_t i = 0; i < q->nopen; i++)
		if (q->open[i].asker == client)
			return true;
	return false;
}

bool query_questions_answers(const struct query_questions *q, unsigned client)
{
	for (size_t i = 0; i < q->nanswerers; i++)
		if (q->answerers[i] == client)
			return true;
	return false;
}

void query_questions_init(struct query_questions *q,
			  void (*send)(void *to, unsigned client, const char *text, size_t n),
			  void *to)
{
	*q = (struct query_questions){ .send = send, .to = to };
}

void query_questions_release(struct query_questions *q)
{
	while (q->nopen)
		take_out(q, q->nopen - 1);
}
