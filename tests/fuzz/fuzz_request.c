/*
 * Requests, a line each, under a small bundle.  Each line gets one line of JSON
 * (strictly: what polquery would itself take as JSON), with an effect, a value
 * or an error; it names no other id than the line's.
 */
#include "tests/fuzz/law.h"
#include "tests/unit/bundle_make.h"

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
	free(text);
	return 0;
}
