/*
 * Requests, a line each, under a small bundle.  Each line gets one line of JSON
 * (strictly: what polquery would itself take as JSON), with an effect, a value
 * or an error; it names no other id than the line's.
 *
 * The same lines again, of three clients in turn, as messages about questions: each is
 * refused or tells somebody something, a line of JSON of one of the known forms, and in
 * the end nobody waits whom nobody could answer.
 */
#include "tests/fuzz/law.h"
#include "tests/unit/bundle_make.h"

#include "runtime/polquery/query_questions.h"
#include "runtime/query/query.h"
#include "runtime/query/query_json.h"

static bool has(struct json_object *o, const char *key)
{
	return json_object_object_get_ex(o, key, NULL);
}

static void law_answer(struct query *q, struct query_json *j, const char *line, size_t n)
{
	struct rt_err err = { 0 };
	const char *text, *id;
	size_t len = 0, id_n = 0;
	char *copy;

	text = query_answer(q, line, n, &len);
	LAW(text && len > 1 && memchr(text, '\n', len) == text + len - 1);
	copy = law_text((const uint8_t *)text, len - 1);
	LAW(query_json_read(j, copy, len - 1, &err));
	LAW(has(j->doc, "effect") + has(j->doc, "setting") + has(j->doc, "error") == 1);
	LAW(!has(j->doc, "effect") || (has(j->doc, "rules") && has(j->doc, "needs_person")));
	id = query_json_raw(j, "id", &id_n);
	LAW(id && ((id_n == 4 && memcmp(id, "null", 4) == 0) ||
		   memmem(line, n, id, id_n)));
	free(copy);
}

enum { CLIENTS = 3 };

struct heard {
	struct query_json j;
	size_t lines, yes;
};

static void hear(void *to, unsigned client, const char *text, size_t n)
{
	struct heard *h = to;
	struct rt_err err = { 0 };
	char *copy;

	LAW(client < CLIENTS && n > 1 && n <= QUERY_MAX_QUESTION);
	LAW(memchr(text, '\n', n) == text + n - 1);
	copy = law_text((const uint8_t *)text, n - 1);
	LAW(query_json_read(&h->j, copy, n - 1, &err));
	LAW(has(h->j.doc, "answers") + has(h->j.doc, "question") + has(h->j.doc, "answered") +
	    has(h->j.doc, "taken") + has(h->j.doc, "effect") == 1);
	if (has(h->j.doc, "effect") && strcmp(query_json_text(h->j.doc, "effect"), "allow") == 0)
		h->yes++;
	h->lines++;
	free(copy);
}

/* Returns true if it was a message that says yes. */
static bool law_message(struct query_reader *r, struct query_questions *q, struct heard *h,
			unsigned client, const char *line, size_t n)
{
	struct query_message m = { .kind = QUERY_NO_MESSAGE };
	struct rt_err err = { 0 };
	size_t before = h->lines;

	if (!query_request_load(r, line, n, &err) ||
	    !query_message_read(query_request_object(r), &m, &err)) {
		LAW(err.text[0]);
		return false;
	}
	if (m.kind == QUERY_NO_MESSAGE)
		return false;
	if (!query_questions_take(q, client, &m, 0, &err)) {
		LAW(err.text[0] && h->lines == before);
		return false;
	}
	LAW(h->lines > before);
	return m.kind == QUERY_SAID && m.allow;
}

static void law_messages(char *text, size_t n)
{
	struct query_questions q;
	struct query_reader *r = query_reader_new();
	struct heard h = { .lines = 0 };
	unsigned client = 0;
	size_t yes = 0;

	LAW(r && query_json_init(&h.j));
	query_questions_init(&q, hear, &h);
	for (char *p = text; p < text + n; client++) {
		size_t len = strlen(p);

		yes += law_message(r, &q, &h, client % CLIENTS, p, len);
		p += len + 1;
	}
	LAW(h.yes <= yes); /* only an answer is a yes */
	LAW(q.nanswerers || !q.nopen);
	for (unsigned i = 0; i < CLIENTS; i++)
		query_questions_leave(&q, i);
	LAW(!q.nanswerers && !q.nopen && h.yes <= yes);
	query_questions_release(&q);
	query_json_release(&h.j);
	query_reader_free(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static struct bundle b;
	static struct query q;
	struct rt_err err = { 0 };
	struct query_json j;
	char *text = law_text(data, n);

	if (!b.bytes) {
		struct mk m;
		struct str s;

		mk_sample(&m);
		s = mk_bundle(&m, MK_OPTIONS);
		LAW(bundle_parse(mk_malloced(s), s.n, &b, &err) == 0);
		mk_release(&m);
		LAW(query_init(&q, &b, PB_HOST, &err) == 0);
	}
	LAW(query_json_init(&j));
	for (char *p = text; p < text + n;) {
		char *end = memchr(p, '\n', (size_t)(text + n - p));
		size_t len = end ? (size_t)(end - p) : (size_t)(text + n - p);

		p[len] = '\0';
		law_answer(&q, &j, p, len);
		p += len + 1;
	}
	query_json_release(&j);
	law_messages(text, n); /* its lines end with NUL now */
	free(text);
	return 0;
}
