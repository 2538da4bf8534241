/* A rule as an object of the report. */
#include "runtime/polrun/report_rule.h"

#include "runtime/decide/rule_text.h"

void report_rule(struct json *j, const char *key, const struct bundle *b, uint32_t rule)
{
	const struct pb_rule *r = b ? bundle_rule(b, rule) : NULL;

	if (!r) {
		json_null(j, key);
		return;
	}
	json_object(j, key);
	json_str(j, "id", pb_strp(b->rules, r->id), r->id.len);
	json_cstr(j, "level", explain_level(r->level));
	if (r->line)
		json_str(j, "file", pb_strp(b->rules, r->file), r->file.len);
	else
		json_null(j, "file");
	if (r->line)
		json_uint(j, "line", r->line);
	else
		json_null(j, "line");
	json_str(j, "text", pb_strp(b->rules, r->text), r->text.len);
	json_object_end(j);
}
