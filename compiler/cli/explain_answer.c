/* What all parts of an answer of `polc explain` share: rules, and members of JSON. */
#include "compiler/cli/explain_answer.h"

struct str explain_place(struct arena *a, const struct explain_rule *r)
{
	if (!r->line)
		return STR("built in");
	return str_printf(a, "%.*s:%u", STR_ARG(r->file), r->line);
}

bool explain_same_rule(const struct explain_rule *x, const struct explain_rule *y)
{
	return str_eq(x->id, y->id) && str_eq(x->file, y->file) && x->line == y->line &&
	       str_eq(x->idle, y->idle);
}

void explain_json_rule(struct json *j, const char *key, struct arena *a,
		       const struct explain_rule *r)
{
	json_object(j, key);
	json_buf_str(j, "id", r->id);
	json_buf_str(j, "level", str_from(r->level));
	if (r->effect)
		json_cstr(j, "effect", r->effect);
	if (r->line)
		json_buf_str(j, "at", explain_place(a, r));
	else
		json_null(j, "at");
	json_buf_str(j, "text", r->text);
	if (r->because.n)
		json_buf_str(j, "because", r->because);
	if (r->idle.n)
		json_buf_str(j, "idle", r->idle);
	json_object_end(j);
}
