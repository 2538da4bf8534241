/* Releases what a message owns, and writes its tool's input anew. */
#include "runtime/hooks/hook_message.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/utf8.h"
#include "runtime/query/query_json.h"

static bool is_utf8(const char *p)
{
	size_t n = strlen(p), k;

	for (size_t i = 0; i < n; i += k) {
		k = utf8_length(p + i, n - i);
		if (k == 0)
			return false;
	}
	return true;
}

/* The name of the field is the same for every agent that can be handed a line back. */
char *hook_message_input(const struct hook_message *m, const char *line, bool alone)
{
	struct json_object *o = alone ? json_object_new_object() : NULL, *text;
	const char *s;
	char *copy = NULL;

	if (!is_utf8(line) || (!alone && (!m->input || json_object_deep_copy(m->input, &o, NULL) < 0)))
		return NULL;
	text = json_object_new_string(line);
	if (o && text && json_object_object_add(o, "command", text) == 0) {
		s = json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN |
						      JSON_C_TO_STRING_NOSLASHESCAPE);
		copy = s ? strdup(s) : NULL;
	}
	json_object_put(o);
	return copy;
}

void hook_message_release(struct hook_message *m)
{
	for (size_t i = 0; i < m->nkept; i++)
		free(m->kept[i]);
	free(m->kept);
	free(m->requests);
	if (m->json)
		query_json_release(m->json);
	free(m->json);
	*m = (struct hook_message){ .agent = HOOK_AGENT_COUNT };
}
