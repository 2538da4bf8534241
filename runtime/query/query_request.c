/*
 * Decides what is a request: a table says which keys each kind of request has, and one
 * function per key takes its value.
 */
#include "runtime/query/query_request.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/host.h"
#include "runtime/base/io.h"
#include "runtime/base/place.h"
#include "runtime/base/sysname.h"
#include "runtime/bundle/format.h"
#include "runtime/query/query_hex.h"
#include "runtime/query/query_json.h"
#include "runtime/traffic/traffic.h"

struct query_reader {
	struct query_json json;
	const char **argv;
	size_t cap;
	char *bytes; /* bytes decoded from line_hex */
};

struct taking {
	struct query_reader *r;
	struct query_request *q;
	const char *key;
	struct rt_err *err;
};

static bool fail(const struct taking *t, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static bool fail(const struct taking *t, const char *fmt, ...)
{
	char text[300], key[QUERY_SHOWN_CAP];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	io_escape(key, sizeof(key), t->key, strlen(t->key));
	(void)rt_fail(t->err, EINVAL, "'%s': %s", key, text);
	return false;
}

/* The value as text, or NULL.  query_text_scan() has made sure that it contains no NUL,
 * except in "line". */
static const char *text_of(const struct taking *t, struct json_object *v)
{
	if (json_object_is_type(v, json_type_string))
		return json_object_get_string(v);
	(void)fail(t, "must be a text");
	return NULL;
}

/* --- one function per key ------------------------------------------------------- */

static bool take_nothing(struct taking *t, struct json_object *v)
{
	(void)t;
	(void)v;
	return true; /* 'id' and the arguments of a tool may be any value */
}

static bool take_line(struct taking *t, struct json_object *v)
{
	t->q->line = text_of(t, v);
	if (t->q->line)
		t->q->line_n = (size_t)json_object_get_string_len(v);
	return t->q->line != NULL;
}

/* A line that is not UTF-8, given as bytes. */
static bool take_line_hex(struct taking *t, struct json_object *v)
{
	const char *s = text_of(t, v);
	size_t n = s ? strlen(s) : 0;
	char *p;

	if (!s)
		return false;
	p = realloc(t->r->bytes, n / 2 + 1);
	if (!p)
		return fail(t, "out of memory");
	t->r->bytes = p;
	if (!query_hex_decode(s, n, p))
		return fail(t, "must have two hexadecimal digits for each byte");
	t->q->line = p;
	t->q->line_n = n / 2;
	return true;
}

static bool take_argv(struct taking *t, struct json_object *v)
{
	struct query_reader *r = t->r;
	size_t n, i;

	if (!json_object_is_type(v, json_type_array))
		return fail(t, "must be a list of texts");
	n = json_object_array_length(v);
	if (n == 0)
		return fail(t, "is empty: a command has a program");
	if (n >= r->cap) {
		const char **p = realloc(r->argv, (n + 1) * sizeof(*p));

		if (!p)
			return fail(t, "out of memory");
		r->argv = p;
		r->cap = n + 1;
	}
	for (i = 0; i < n; i++) {
		struct json_object *word = json_object_array_get_idx(v, i);

		if (!json_object_is_type(word, json_type_string))
			return fail(t, "must be a list of texts: word %zu is none", i);
		r->argv[i] = json_object_get_string(word);
	}
	r->argv[n] = NULL;
	if (!r->argv[0][0])
		return fail(t, "the program's name is empty");
	t->q->argv = r->argv;
	t->q->argc = n;
	return true;
}

struct word {
	const char *name;
	uint8_t value;
};

/* Takes one word of `list`, which ends with a name of NULL. */
static bool take_word(const struct taking *t, struct json_object *v,
		      const struct word *list, uint8_t *ret)
{
	const char *s = text_of(t, v);
	char all[120] = "", shown[60];

	if (!s)
		return false;
	for (; list->name; list++) {
		size_t at = strlen(all);

		if (strcmp(s, list->name) == 0) {
			*ret = list->value;
			return true;
		}
		(void)snprintf(all + at, sizeof(all) - at, "%s%s", at ? ", " : "",
			       list->name);
	}
	io_escape(shown, sizeof(shown), s, strlen(s));
	return fail(t, "'%s' is none of %s", shown, all);
}

static bool take_op(struct taking *t, struct json_object *v)
{
	static const struct word ops[] = {
		{ "read", PB_READ }, { "write", PB_WRITE }, { "exec", PB_EXEC }, { NULL, 0 }
	};

	return take_word(t, v, ops, &t->q->op);
}

static bool take_scope(struct taking *t, struct json_object *v)
{
	static const struct word scopes[] = {
		{ "sandbox", PB_SANDBOX }, { "host", PB_HOST }, { NULL, 0 }
	};

	return take_word(t, v, scopes, &t->q->scope);
}

static bool take_proto(struct taking *t, struct json_object *v)
{
	static const struct word protos[] = { { "tcp", 0 }, { "udp", 1 }, { NULL, 0 } };
	uint8_t udp;

	if (!take_word(t, v, protos, &udp))
		return false;
	t->q->udp = udp;
	return true;
}

static const char *plain_path(const struct taking *t, struct json_object *v)
{
	const char *s = text_of(t, v);
	char shown[100];

	if (!s)
		return NULL;
	if (strlen(s) >= PATH_MAX) {
		(void)fail(t, "is longer than a path can be (%d bytes)", PATH_MAX - 1);
		return NULL;
	}
	if (place_is_plain(s))
		return s;
	io_escape(shown, sizeof(shown), s, strlen(s));
	(void)fail(t, "must be an absolute path without '.', '..', '//' and a last '/': "
		   "'%s'", shown);
	return NULL;
}

static bool take_path(struct taking *t, struct json_object *v)
{
	struct query_request *q = t->q;
	const char *s = json_object_is_type(v, json_type_string) ?
				json_object_get_string(v) : "";

	if (q->kind != QUERY_UNIX || s[0] != '@') {
		q->path = plain_path(t, v);
		return q->path != NULL;
	}
	if (!s[1])
		return fail(t, "an abstract name is empty");
	q->path = s + 1;
	q->abstract = true;
	return true;
}

static bool take_cwd(struct taking *t, struct json_object *v)
{
	t->q->cwd = plain_path(t, v);
	return t->q->cwd != NULL;
}

static bool take_project(struct taking *t, struct json_object *v)
{
	t->q->project = plain_path(t, v);
	return t->q->project != NULL;
}

static bool take_home(struct taking *t, struct json_object *v)
{
	t->q->home = plain_path(t, v);
	if (t->q->home && !t->q->home[1])
		return fail(t, "a home directory of '/' is none");
	return t->q->home != NULL;
}

static bool take_tmpdir(struct taking *t, struct json_object *v)
{
	t->q->tmpdir = plain_path(t, v);
	return t->q->tmpdir != NULL;
}

static bool take_session(struct taking *t, struct json_object *v)
{
	t->q->session = plain_path(t, v);
	return t->q->session != NULL;
}

static bool take_git_common(struct taking *t, struct json_object *v)
{
	t->q->git_common = plain_path(t, v);
	return t->q->git_common != NULL;
}

static bool take_agent(struct taking *t, struct json_object *v)
{
	t->q->agent = plain_path(t, v);
	return t->q->agent != NULL;
}

static bool take_effect(struct taking *t, struct json_object *v)
{
	static const struct word effects[] = { { "allow", PB_ALLOW }, { "ask", PB_ASK },
					       { "deny", PB_DENY },   { "hide", PB_HIDE },
					       { NULL, 0 } };

	return take_word(t, v, effects, &t->q->effect);
}

/* The words of an argv that is not UTF-8, decoded one after another. */
static bool take_argv_hex(struct taking *t, struct json_object *v)
{
	struct query_request *q = t->q;
	size_t n = 0, at = 0;
	char *p;

	if (!take_argv(t, v))
		return false;
	for (size_t i = 0; i < q->argc; i++)
		n += strlen(q->argv[i]) / 2 + 1;
	p = realloc(t->r->bytes, n);
	if (!p)
		return fail(t, "out of memory");
	t->r->bytes = p;
	for (size_t i = 0; i < q->argc; i++) {
		size_t len = strlen(q->argv[i]);

		if (!query_hex_decode(q->argv[i], len, p + at) || strlen(p + at) != len / 2)
			return fail(t, "must have two hexadecimal digits for each byte, and no NUL");
		q->argv[i] = p + at;
		at += len / 2 + 1;
	}
	return true;
}

static bool take_role(struct taking *t, struct json_object *v)
{
	t->q->role = text_of(t, v);
	if (t->q->role && !t->q->role[0])
		return fail(t, "is empty");
	return t->q->role != NULL;
}

static bool take_name(struct taking *t, struct json_object *v)
{
	struct query_request *q = t->q;
	char shown[60];

	q->name = text_of(t, v);
	if (!q->name)
		return false;
	if (!q->name[0])
		return fail(t, "is empty");
	if (q->kind != QUERY_SYSCALL)
		return true;
	if (sysname_number(q->name) >= 0)
		return true;
	io_escape(shown, sizeof(shown), q->name, strlen(q->name));
	return fail(t, "no system call of x86_64 is named '%s'", shown);
}

/* Reads a number as a register holds it.  json-c turns a number that is too large into
 * its largest number, so we read the digits ourselves. */
static bool is_u64(const char **at, uint64_t *ret)
{
	char *end;

	*at += strspn(*at, " \t\r\n,");
	errno = 0;
	*ret = **at == '-' ? (uint64_t)strtoll(*at, &end, 10) : strtoull(*at, &end, 10);
	*at = end;
	return errno == 0;
}

static bool take_args(struct taking *t, struct json_object *v)
{
	const char *at;
	size_t n, i, raw;

	if (t->q->kind != QUERY_SYSCALL)
		return take_nothing(t, v);
	at = query_json_raw(&t->r->json, "args", &raw);
	if (!at || !json_object_is_type(v, json_type_array))
		return fail(t, "must be a list of whole numbers");
	n = json_object_array_length(v);
	if (n > 6)
		return fail(t, "a system call has six arguments at most");
	for (i = 0, at++; i < n; i++)
		if (!json_object_is_type(json_object_array_get_idx(v, i), json_type_int) ||
		    !is_u64(&at, &t->q->args[i]))
			return fail(t, "must be a list of whole numbers of 64 bits: "
				    "argument %zu is none", i);
	return true;
}

/* --- hosts ---------------------------------------------------------------------------- */

static bool take_host(struct taking *t, struct json_object *v)
{
	struct query_request *q = t->q;
	char shown[100];

	q->host = text_of(t, v);
	if (!q->host)
		return false;
	q->is_addr = host_address(q->host, q->addr);
	if (q->is_addr)
		return true;
	if (host_is_name(q->host))
		return true;
	io_escape(shown, sizeof(shown), q->host, strlen(q->host));
	return fail(t, "'%s' is neither an address nor a host name in its ASCII form", shown);
}

static bool take_port(struct taking *t, struct json_object *v)
{
	int64_t port = json_object_is_type(v, json_type_int) ? json_object_get_int64(v) : 0;

	if (port < 1 || port > 65535)
		return fail(t, "must be a whole number from 1 to 65535");
	t->q->port = (uint16_t)port;
	return true;
}

/* --- the table of keys ---------------------------------------------------------------- */

static const char *const kinds[QUERY_KIND_COUNT] = {
	"command", "argv", "file", "net", "unix", "syscall", "tool", "setting"
};

#define K(kind) (1u << QUERY_##kind)
#define ALL ((1u << QUERY_KIND_COUNT) - 1u)
#define RECORD (1u << QUERY_KIND_COUNT) /* only records have the key */

static const struct key {
	const char *name;
	unsigned kinds;  /* kinds that may have the key */
	unsigned needed; /* kinds that must have it */
	bool (*take)(struct taking *t, struct json_object *v);
} keys[] = {
	{ "id", ALL, 0, take_nothing },
	{ "kind", ALL, ALL, take_nothing }, /* read before all others */
	{ "line", K(COMMAND), 0, take_line },
	{ "line_hex", K(COMMAND), 0, take_line_hex },
	{ "argv", K(ARGV), 0, take_argv },
	{ "op", K(FILE), K(FILE), take_op },
	{ "path", K(FILE) | K(UNIX), K(FILE) | K(UNIX), take_path },
	{ "proto", K(NET), K(NET), take_proto },
	{ "host", K(NET), K(NET), take_host },
	{ "port", K(NET), K(NET), take_port },
	{ "name", K(SYSCALL) | K(TOOL) | K(SETTING), K(SYSCALL) | K(TOOL) | K(SETTING),
	  take_name },
	{ "args", K(SYSCALL) | K(TOOL), 0, take_args },
	{ "cwd", ALL, 0, take_cwd },
	{ "project", ALL, 0, take_project },
	{ "home", ALL, 0, take_home },
	{ "tmpdir", ALL, 0, take_tmpdir },
	{ "session_dir", ALL, 0, take_session },
	{ "role", ALL, 0, take_role },
	{ "scope", ALL, 0, take_scope },
	{ "record", ALL | RECORD, 0, take_nothing }, /* read before all others */
	{ "by", ALL | RECORD, 0, take_nothing },
	{ "argv_hex", K(ARGV) | RECORD, 0, take_argv_hex },
	{ "redacted", K(COMMAND) | K(ARGV) | RECORD, 0, take_nothing },
	{ "ssh_auth_sock", ALL | RECORD, 0, take_agent },
	{ "git_common_dir", ALL | RECORD, 0, take_git_common },
	{ "effect", ALL | RECORD, 0, take_effect },
	{ "rule", ALL | RECORD, 0, take_nothing },
	{ "at", ALL | RECORD, 0, take_nothing },
};
#define NKEYS (sizeof(keys) / sizeof(keys[0]))

static const struct key *find_key(const char *name, bool record)
{
	for (size_t i = 0; i < NKEYS; i++)
		if (strcmp(keys[i].name, name) == 0)
			return record || !(keys[i].kinds & RECORD) ? &keys[i] : NULL;
	return NULL;
}

static bool read_kind(struct taking *t, struct json_object *doc)
{
	struct word list[QUERY_KIND_COUNT + 1] = { 0 };
	struct json_object *v;
	uint8_t kind;

	t->key = "kind";
	if (!json_object_object_get_ex(doc, "kind", &v))
		return fail(t, "is missing");
	for (size_t i = 0; i < QUERY_KIND_COUNT; i++)
		list[i] = (struct word){ kinds[i], (uint8_t)i };
	if (!take_word(t, v, list, &kind))
		return false;
	t->q->kind = (enum query_kind)kind;
	return true;
}

/* Exactly one of two keys, which say the same in two forms. */
static bool is_one_of(struct taking *t, struct json_object *doc, const char *x, const char *y)
{
	struct json_object *v;
	bool first = json_object_object_get_ex(doc, x, &v);
	bool second = json_object_object_get_ex(doc, y, &v);

	t->key = x;
	if (!first && !second)
		return fail(t, "is missing: a request of the kind '%s' needs it", kinds[t->q->kind]);
	return !first || !second || fail(t, "stands beside '%s', which says it, too", y);
}

static bool read_keys(struct taking *t, struct json_object *doc, bool record)
{
	const char *kind = kinds[t->q->kind];
	unsigned bit = 1u << t->q->kind;
	struct json_object *v;

	json_object_object_foreach(doc, name, value) {
		const struct key *k = find_key(name, record);

		t->key = name;
		if (!k)
			return fail(t, "is no key of a request");
		if (!(k->kinds & bit))
			return fail(t, "a request of the kind '%s' has no such key", kind);
		if (!k->take(t, value))
			return false;
	}
	if ((t->q->kind == QUERY_COMMAND && !is_one_of(t, doc, "line", "line_hex")) ||
	    (t->q->kind == QUERY_ARGV && !is_one_of(t, doc, "argv", "argv_hex")))
		return false;
	for (size_t i = 0; i < NKEYS; i++) {
		t->key = keys[i].name;
		if ((keys[i].needed & bit) && !json_object_object_get_ex(doc, t->key, &v))
			return fail(t, "is missing: a request of the kind '%s' needs it",
				    kind);
	}
	return true;
}

bool query_request_load(struct query_reader *r, const char *line, size_t n,
			struct rt_err *err)
{
	return query_json_read(&r->json, line, n, err);
}

struct json_object *query_request_object(const struct query_reader *r)
{
	return r->json.doc;
}

bool query_request_take(struct query_reader *r, struct query_request *ret,
			struct rt_err *err)
{
	struct taking t = { .r = r, .q = ret, .key = "", .err = err };

	*ret = (struct query_request){ .kind = QUERY_KIND_COUNT };
	return read_kind(&t, r->json.doc) && read_keys(&t, r->json.doc, false);
}

static bool check_version(struct taking *t, struct json_object *doc)
{
	struct json_object *v;

	t->key = "record";
	if (!json_object_object_get_ex(doc, t->key, &v))
		return fail(t, "is missing: the line is no record");
	if (!json_object_is_type(v, json_type_int))
		return fail(t, "is no version of a record");
	if (json_object_get_int64(v) != TRAFFIC_VERSION)
		return fail(t, "the record has version %lld, and version %d is read here",
			    (long long)json_object_get_int64(v), TRAFFIC_VERSION);
	return true;
}

bool query_request_take_record(struct query_reader *r, struct query_request *ret,
			       struct rt_err *err)
{
	struct taking t = { .r = r, .q = ret, .key = "", .err = err };
	struct json_object *doc = r->json.doc, *v;

	*ret = (struct query_request){ .kind = QUERY_KIND_COUNT };
	if (!check_version(&t, doc) || !read_kind(&t, doc) || !read_keys(&t, doc, true))
		return false;
	t.key = "effect";
	if (!json_object_object_get_ex(doc, t.key, &v))
		return fail(&t, "is missing: a record says what was decided");
	t.key = "kind";
	if (ret->kind == QUERY_SETTING)
		return fail(&t, "nothing is decided about a setting");
	t.key = "scope";
	return ret->scope || fail(&t, "is missing");
}

bool query_request_read(struct query_reader *r, const char *line, size_t n,
			struct query_request *ret, struct rt_err *err)
{
	*ret = (struct query_request){ .kind = QUERY_KIND_COUNT };
	return query_request_load(r, line, n, err) && query_request_take(r, ret, err);
}

const char *query_request_id(const struct query_reader *r, size_t *ret_n)
{
	return query_json_raw(&r->json, "id", ret_n);
}

struct query_reader *query_reader_new(void)
{
	struct query_reader *r = calloc(1, sizeof(*r));

	if (r && query_json_init(&r->json))
		return r;
	free(r);
	return NULL;
}

void query_reader_free(struct query_reader *r)
{
	if (!r)
		return;
	query_json_release(&r->json);
	free(r->argv);
	free(r->bytes);
	free(r);
}
