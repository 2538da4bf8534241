/* What all parts of an answer of `polc explain` share: rules, and members of JSON. */
#include "compiler/cli/explain_answer.h"

struct str explain_place(struct arena *a, const struct explain_rule *r)
{
	if (!r->line)
		return STR("built in");
	return str_printf(a, "%.*s:%u", STR_ARG(r->file), r->line);
}

void explain_json_text(struct buf *b, const char *key, struct str v)
{
	if (b->n && b->p[b->n - 1] != '{')
		buf_ch(b, ',');
	buf_printf(b, "\"%s\":", key);
	buf_json(b, v);
}

void explain_json_rule(struct buf *b, struct arena *a, const struct explain_rule *r)
{
	buf_ch(b, '{');
	explain_json_text(b, "id", r->id);
	explain_json_text(b, "level", str_from(r->level));
	if (r->effect)
		explain_json_text(b, "effect", str_from(r->effect));
	if (r->line)
		explain_json_text(b, "at", explain_place(a, r));
	else
		buf_z(b, ",\"at\":null");
	explain_json_text(b, "text", r->text);
	if (r->because.n)
		explain_json_text(b, "because", r->because);
	buf_ch(b, '}');
}
