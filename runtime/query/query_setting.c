/* Finds the value of a setting in the compiled settings.json. */
#include "runtime/query/query_setting.h"

#include <errno.h>
#include <json-c/json.h>
#include <string.h>

#include "runtime/base/utf8.h"

/* Whoever wrote the bundle, what we pass on must be UTF-8. */
static bool is_utf8(const char *p, size_t n)
{
	size_t i, k;

	for (i = 0; i < n; i += k) {
		k = utf8_length(p + i, n - i);
		if (k == 0)
			return false;
	}
	return true;
}

static int damaged(struct rt_err *err)
{
	return rt_fail(err, EBADMSG, "member '%s' cannot be read", PB_SETTINGS);
}

int query_settings_init(struct query_settings *s, struct bundle *b, struct rt_err *err)
{
	const struct bundle_member *m = NULL;
	struct json_tokener *tok;

	s->doc = NULL;
	for (size_t i = 0; i < b->nmembers && !m; i++)
		if (strcmp(b->members[i].path, PB_SETTINGS) == 0)
			m = &b->members[i];
	if (!m)
		return 0;
	m = bundle_member(b, PB_SETTINGS);
	if (!m || m->size > INT32_MAX || !is_utf8((const char *)m->data, m->size))
		return damaged(err);
	tok = json_tokener_new();
	if (!tok)
		return rt_fail(err, ENOMEM, "out of memory");
	/* an object needs no NUL at its end */
	s->doc = json_tokener_parse_ex(tok, (const char *)m->data, (int)m->size);
	json_tokener_free(tok);
	return json_object_is_type(s->doc, json_type_object) ? 0 : damaged(err);
}

void query_settings_release(struct query_settings *s)
{
	json_object_put(s->doc);
	s->doc = NULL;
}

static struct json_object *find(struct json_object *doc, const char *name)
{
	struct json_object *part, *v;

	if (json_object_object_get_ex(doc, "setting", &part) &&
	    json_object_object_get_ex(part, name, &v))
		return v;
	json_object_object_foreach(doc, key, values) {
		size_t n = strlen(key);

		if (strncmp(name, key, n) == 0 && name[n] == '.' &&
		    json_object_object_get_ex(values, name + n + 1, &v))
			return v;
	}
	return NULL;
}

const char *query_setting(const struct query_settings *s, const char *name, size_t *ret_n)
{
	struct json_object *v = s->doc ? find(s->doc, name) : NULL;

	if (!v)
		return NULL;
	return json_object_to_json_string_length(
		v, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE, ret_n);
}
