/* Decides which lines are messages about questions: tables say which keys each object
 * has, and of what type they are. */
#include "runtime/polquery/query_message.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <json-c/json.h>

#include "runtime/base/host.h"
#include "runtime/base/io.h"

/* All that a message can say; `for` decides how long an allow holds. */
struct message_values {
	struct query_question q;
	uint64_t number;
	const char *answers, *kind, *effect, *lasts;
};

enum type {
	TEXT,
	TEXT_OR_NULL,
	NUMBER,
	NUMBER_OR_NULL, /* null: 0 */
	WORD,           /* one of `words` */
	OBJECT,         /* with the keys of `inner` */
};

struct key {
	const char *name;
	enum type type;
	size_t at;       /* in struct message_values; not for objects */
	bool may_miss;
	int64_t least, most;
	const char *const *words; /* ends with NULL */
	const struct key *inner;  /* ends with a name of NULL */
};

struct taking {
	struct message_values *to;
	const char *key;
	struct rt_err *err;
};

#define KEY(n, t, member) .name = (n), .type = (t), .at = offsetof(struct message_values, member)
/* json-c holds whole numbers exactly up to here, and other readers do up to 2^53 */
#define MOST_NUMBER (INT64_C(1) << 53)

static const char *const word_net[] = { "net", NULL };
static const char *const word_proto[] = { "tcp", "udp", NULL };
static const char *const word_effect[] = { "allow", "deny", NULL };
static const char *const word_for[] = { "run", "session", NULL };
static const char *const word_level[] = { "managed", "managed-file", "project", "user",
					  "default", NULL };

static const struct key rule_keys[] = {
	{ KEY("id", TEXT, q.id) },
	{ KEY("level", WORD, q.level), .words = word_level },
	{ KEY("file", TEXT_OR_NULL, q.file) },
	{ KEY("line", NUMBER_OR_NULL, q.line), .least = 1, .most = UINT32_MAX },
	{ KEY("text", TEXT_OR_NULL, q.text) },
	{ .name = NULL }
};

static const struct key question_keys[] = {
	{ KEY("kind", WORD, kind), .words = word_net },
	{ KEY("proto", WORD, q.proto), .words = word_proto },
	{ KEY("host", TEXT, q.host) },
	{ KEY("port", NUMBER, q.port), .least = 1, .most = 65535 },
	{ KEY("program", TEXT_OR_NULL, q.program) },
	{ .name = "rule", .type = OBJECT, .inner = rule_keys },
	{ KEY("reason", TEXT_OR_NULL, q.reason) },
	{ KEY("hold_ms", NUMBER, q.hold_ms), .least = 1, .most = 30000 },
	{ .name = NULL }
};

static const struct key messages[][4] = {
	[QUERY_NO_MESSAGE] = { { .name = NULL } },
	[QUERY_ANSWERS] = { { KEY("answers", WORD, answers), .words = word_net },
			    { .name = NULL } },
	[QUERY_QUESTION] = { { .name = "question", .type = OBJECT, .inner = question_keys },
			     { .name = NULL } },
	[QUERY_SAID] = { { KEY("answer", NUMBER, number), .least = 1, .most = MOST_NUMBER },
			 { KEY("effect", WORD, effect), .words = word_effect },
			 { KEY("for", WORD, lasts), .may_miss = true, .words = word_for },
			 { .name = NULL } },
};

static bool fail(const struct taking *t, const char *text)
{
	char key[60];

	io_escape(key, sizeof(key), t->key, strlen(t->key));
	(void)rt_fail(t->err, EINVAL, "'%s': %s", key, text);
	return false;
}

static void put_text(const struct taking *t, const struct key *k, const char *s)
{
	memcpy((char *)t->to + k->at, &s, sizeof(s));
}

static bool take_number(const struct taking *t, const struct key *k, struct json_object *v)
{
	int64_t n = json_object_is_type(v, json_type_int) ? json_object_get_int64(v) : -1;
	uint64_t u = (uint64_t)n;
	char text[100];

	if (n >= k->least && n <= k->most) {
		memcpy((char *)t->to + k->at, &u, sizeof(u));
		return true;
	}
	(void)snprintf(text, sizeof(text), "must be a whole number from %lld to %lld",
		       (long long)k->least, (long long)k->most);
	return fail(t, text);
}

static bool take_word(const struct taking *t, const struct key *k, struct json_object *v)
{
	const char *s = json_object_is_type(v, json_type_string) ? json_object_get_string(v) : "";
	char text[160] = "must be one of";

	for (size_t i = 0; k->words[i]; i++) {
		size_t n = strlen(text);

		if (strcmp(s, k->words[i]) == 0) {
			put_text(t, k, k->words[i]);
			return true;
		}
		(void)snprintf(text + n, sizeof(text) - n, "%s '%s'", i ? "," : "", k->words[i]);
	}
	return fail(t, text);
}

static const struct key *find(const struct key *keys, const char *name)
{
	for (; keys->name; keys++)
		if (strcmp(keys->name, name) == 0)
			return keys;
	return NULL;
}

static bool take_key(struct taking *t, const struct key *k, struct json_object *v);

static bool take_object(struct taking *t, const struct key *keys, struct json_object *o)
{
	struct json_object *v;

	if (!json_object_is_type(o, json_type_object))
		return fail(t, "must be an object");
	json_object_object_foreach(o, name, value) {
		const struct key *k = find(keys, name);

		t->key = name;
		if (!k)
			return fail(t, "is no key of this message");
		if (!take_key(t, k, value))
			return false;
	}
	for (; keys->name; keys++) {
		t->key = keys->name;
		if (!keys->may_miss && !json_object_object_get_ex(o, keys->name, &v))
			return fail(t, "is missing");
	}
	return true;
}

static bool take_key(struct taking *t, const struct key *k, struct json_object *v)
{
	const bool null = json_object_is_type(v, json_type_null);

	switch (k->type) {
	case TEXT_OR_NULL:
	case TEXT:
		if (k->type == TEXT_OR_NULL && null)
			return true; /* it is NULL already */
		if (!json_object_is_type(v, json_type_string))
			return fail(t, k->type == TEXT ? "must be a text" : "must be a text or null");
		put_text(t, k, json_object_get_string(v));
		return true;
	case NUMBER_OR_NULL:
	case NUMBER:
		return (k->type == NUMBER_OR_NULL && null) || take_number(t, k, v);
	case WORD:
		return take_word(t, k, v);
	case OBJECT:
		return take_object(t, k->inner, v);
	default:
		return fail(t, "has no type");
	}
}

static bool check_host(struct taking *t)
{
	uint8_t addr[16];

	t->key = "host";
	return host_address(t->to->q.host, addr) || host_is_name(t->to->q.host) ||
	       fail(t, "is neither an address nor a host name in its ASCII form");
}

/* A no is never remembered, so nobody may believe that it is. */
static bool check_for(struct taking *t, struct query_message *m)
{
	const char *lasts = t->to->lasts;

	m->allow = strcmp(t->to->effect, "allow") == 0;
	m->session = lasts && strcmp(lasts, "session") == 0;
	t->key = "for";
	if (m->allow && !lasts)
		return fail(t, "is missing: an allow is for the 'run' or for the 'session'");
	return m->allow || !m->session || fail(t, "a deny is for the 'run' only");
}

static enum query_message_kind kind_of(struct json_object *doc)
{
	struct json_object *v;

	if (json_object_object_get_ex(doc, "kind", &v))
		return QUERY_NO_MESSAGE;
	for (int i = QUERY_ANSWERS; i <= QUERY_SAID; i++)
		if (json_object_object_get_ex(doc, messages[i][0].name, &v))
			return (enum query_message_kind)i;
	return QUERY_NO_MESSAGE;
}

bool query_message_read(struct json_object *doc, struct query_message *ret,
			struct rt_err *err)
{
	struct message_values values = { .number = 0 };
	struct taking t = { .to = &values, .key = "", .err = err };
	struct query_message m = { .kind = kind_of(doc) };

	if (m.kind != QUERY_NO_MESSAGE && !take_object(&t, messages[m.kind], doc))
		return false;
	if ((m.kind == QUERY_QUESTION && !check_host(&t)) ||
	    (m.kind == QUERY_SAID && !check_for(&t, &m)))
		return false;
	m.question = values.q;
	m.number = values.number;
	*ret = m;
	return true;
}
