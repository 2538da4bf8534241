/*
 * Decides which lines are JSON objects: json-c parses them, after the scan of
 * query_text.h.  Repeated keys are refused.
 */
#include "runtime/query/query_json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Counts the members of all objects in a value, whose depth is limited. */
static size_t members(struct json_object *v)
{
	size_t n = 0;

	if (json_object_is_type(v, json_type_array)) {
		for (size_t i = 0; i < json_object_array_length(v); i++)
			n += members(json_object_array_get_idx(v, i));
	} else if (json_object_is_type(v, json_type_object)) {
		json_object_object_foreach(v, name, value) {
			(void)name;
			n += 1 + members(value);
		}
	}
	return n;
}

enum { MAX_ESCAPED = 128 }; /* no key of a request is longer than that, even with escapes */

/* Compares the key as json-c reads it: it may contain escapes. */
static bool is_key(const struct query_text *t, size_t i, const char *name)
{
	const struct query_member *m = &t->m[i];
	struct json_object *o;
	bool same;
	char *text;

	if (!memchr(t->p + m->key, '\\', m->key_n))
		return strlen(name) == m->key_n &&
		       memcmp(t->p + m->key, name, m->key_n) == 0;
	if (m->key_n > MAX_ESCAPED)
		return false;
	text = strndup(t->p + m->key - 1, m->key_n + 2);
	o = text ? json_tokener_parse(text) : NULL;
	same = o && json_object_is_type(o, json_type_string) &&
	       strcmp(json_object_get_string(o), name) == 0;
	json_object_put(o);
	free(text);
	return same;
}

/* Finds the first key of the line with that name, and how often it occurs. */
static size_t find_key(const struct query_text *t, const char *name, size_t *ret_times)
{
	size_t first = t->n, i;

	*ret_times = 0;
	for (i = t->n; i > 0; i--)
		if (is_key(t, i - 1, name)) {
			first = i - 1;
			++*ret_times;
		}
	return first;
}

static bool name_repeated(const struct query_text *t, struct json_object *doc,
			  struct rt_err *err)
{
	char shown[QUERY_SHOWN_CAP];
	size_t times, i;

	json_object_object_foreach(doc, name, value) {
		i = find_key(t, name, &times);
		if (times == 0 || (times == 1 && t->m[i].members == members(value)))
			continue;
		(void)rt_fail(err, EINVAL, "%s%s", query_text_key(t, i, shown),
			      times == 1 ? "holds a key twice" : "is there twice");
		return false;
	}
	(void)rt_fail(err, EINVAL, "a key is there twice");
	return false;
}

/* If a key is repeated, json-c silently takes the last one; we refuse it.  We notice
 * because the line then has more members than the object. */
static bool check_repeated(const struct query_text *t, struct json_object *doc,
			   struct rt_err *err)
{
	size_t inside = 0;

	for (size_t i = 0; i < t->n; i++)
		inside += t->m[i].members;
	if ((size_t)json_object_object_length(doc) == t->n &&
	    inside + t->n == members(doc))
		return true;
	return name_repeated(t, doc, err);
}

const char *query_json_raw(const struct query_json *j, const char *key, size_t *ret_n)
{
	const struct query_text *t = &j->text;

	for (size_t i = 0; i < t->n; i++)
		if (t->m[i].value_n && is_key(t, i, key)) {
			*ret_n = t->m[i].value_n;
			return t->p + t->m[i].value;
		}
	return NULL;
}

const char *query_json_text(struct json_object *o, const char *key)
{
	struct json_object *v;

	return json_object_object_get_ex(o, key, &v) &&
			       json_object_is_type(v, json_type_string) ?
		       json_object_get_string(v) :
		       NULL;
}

static bool parse(struct query_json *j, const char *line, size_t n, struct rt_err *err)
{
	enum json_tokener_error e;

	json_tokener_reset(j->tok);
	/* pass the NUL, too: it ends a number */
	j->doc = json_tokener_parse_ex(j->tok, line, (int)n + 1);
	e = json_tokener_get_error(j->tok);
	if (e == json_tokener_success && json_object_is_type(j->doc, json_type_object))
		return true;
	if (e == json_tokener_success)
		(void)rt_fail(err, EINVAL, "a request is a JSON object");
	else
		(void)rt_fail(err, EINVAL, "no JSON: %s at byte %zu",
			      e == json_tokener_continue || e == json_tokener_error_parse_eof ?
				      "it ends too early" : json_tokener_error_desc(e),
			      json_tokener_get_parse_end(j->tok));
	json_object_put(j->doc);
	j->doc = NULL;
	return false;
}

/* If the line is not JSON, keeps only its id, provided that the id itself is complete
 * and valid: the client wants to know which question it was. */
static void keep_id(struct query_json *j)
{
	struct query_text *t = &j->text;
	char *value = NULL;
	size_t i;

	for (i = 0; i < t->n && !value; i++)
		if (t->m[i].value_n && is_key(t, i, "id")) {
			t->m[0] = t->m[i];
			value = strndup(t->p + t->m[0].value, t->m[0].value_n);
		}
	t->n = 0;
	if (!value)
		return;
	json_tokener_reset(j->tok);
	json_object_put(json_tokener_parse_ex(j->tok, value, (int)t->m[0].value_n + 1));
	t->n = json_tokener_get_error(j->tok) == json_tokener_success;
	free(value);
}

bool query_json_read(struct query_json *j, const char *line, size_t n, struct rt_err *err)
{
	json_object_put(j->doc);
	j->doc = NULL;
	j->text.n = 0;
	if (strspn(line, " \t\r") == n) {
		(void)rt_fail(err, EINVAL, "the line is empty");
		return false;
	}
	if (!query_text_scan(line, n, &j->text, err) || !parse(j, line, n, err)) {
		keep_id(j);
		return false;
	}
	return check_repeated(&j->text, j->doc, err);
}

bool query_json_init(struct query_json *j)
{
	memset(j, 0, sizeof(*j));
	j->tok = json_tokener_new_ex(QUERY_MAX_DEPTH + 2);
	if (j->tok)
		json_tokener_set_flags(j->tok, JSON_TOKENER_STRICT);
	return j->tok != NULL;
}

void query_json_release(struct query_json *j)
{
	json_object_put(j->doc);
	if (j->tok)
		json_tokener_free(j->tok);
	memset(j, 0, sizeof(*j));
}
