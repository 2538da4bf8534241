/* Prints what would make a request allowed, for people and for programs. */
#include "compiler/cli/cli.h"
#include "compiler/cli/diff_print.h"
#include "compiler/cli/show.h"
#include "compiler/cli/value.h"
#include "compiler/cli/why_not.h"

static const char *const answers[] = {
	[WHY_ALLOWED] = "allowed", [WHY_RULES] = "rules", [WHY_LOCKED] = "locked",
	[WHY_NONE] = "none",
};

static struct diff_show shown(const struct why_not *w, const struct options *o)
{
	return (struct diff_show){
		.o = o, .r = &w->more, .made = w->made, .roots = &w->roots,
		.side = { "without", "with" },
		.verdict = w->more.findings.n ? "more" : w->more.doubts.n ? "undecided" : "nothing",
	};
}

static void text_rules(FILE *out, const struct why_not *w, struct arena *a)
{
	for (size_t i = 0; i < w->edits.v.n; i++) {
		const struct why_edit *e = &w->edits.v.v[i];

		fprintf(out, "  %.*s\n",
			STR_ARG(cli_clean(a, why_edit_statement(a, e), false)));
		if (e->instead.line)
			fprintf(out, "      in place of %.*s\n",
				STR_ARG(cli_clean(a, show_place(a, &e->instead), false)));
	}
}

static void text_more(FILE *out, const struct why_not *w, const struct options *o, struct arena *a)
{
	struct diff_show s = shown(w, o);

	if (!w->more.findings.n && !w->more.doubts.n)
		fputs("  allows this and nothing else\n", out);
	for (size_t i = 0; i < w->more.findings.n; i++) {
		const struct diff_finding *f = &w->more.findings.v[i];

		fprintf(out, "  also %.*s: %.*s\n", STR_ARG(diff_change_text(a, f->change)),
			STR_ARG(diff_subject(a, &s, f)));
	}
	for (size_t i = 0; i < w->more.doubts.n; i++)
		fprintf(out, "  undecided: %.*s\n",
			STR_ARG(diff_doubt_text(a, &w->more.doubts.v[i])));
}

void why_not_text(FILE *out, const struct why_not *w, const struct options *o, struct arena *a)
{
	const char *level = ir_level_name(w->level);

	switch (w->answer) {
	case WHY_ALLOWED:
		fputs("why not: it is allowed\n", out);
		return;
	case WHY_RULES:
		fprintf(out, "why not: at level %s this would allow it:\n", level);
		text_rules(out, w, a);
		text_more(out, w, o, a);
		return;
	case WHY_LOCKED:
		fprintf(out, "why not: no rule of level %s would allow it\n", level);
		if (w->by.id.n)
			fprintf(out, "  locked by  %s %.*s (%.*s)\n", w->by.level,
				STR_ARG(cli_clean(a, explain_place(a, &w->by), false)),
				STR_ARG(cli_clean(a, w->by.id, false)));
		break;
	case WHY_NONE:
		fprintf(out, "why not: no rule of level %s would allow it\n", level);
		break;
	}
	fprintf(out, "  reason     %.*s\n", STR_ARG(cli_clean(a, w->reason, false)));
}

/* --- JSON ------------------------------------------------------------------------ */

static void json_statements(struct json *j, const struct why_not *w, struct arena *a)
{
	json_array(j, "statements");
	for (size_t i = 0; w->answer == WHY_RULES && i < w->edits.v.n; i++) {
		const struct why_edit *e = &w->edits.v.v[i];

		json_object(j, NULL);
		json_buf_str(j, "text", why_edit_statement(a, e));
		if (e->instead.line)
			json_buf_str(j, "in_place_of", show_place(a, &e->instead));
		else
			json_null(j, "in_place_of");
		json_object_end(j);
	}
	json_array_end(j);
}

void why_not_json(struct json *j, const struct why_not *w, const struct options *o, struct arena *a)
{
	struct diff_show s = shown(w, o);
	struct buf b;

	json_object(j, "why_not");
	json_cstr(j, "level", ir_level_name(w->level));
	json_cstr(j, "answer", answers[w->answer]);
	json_statements(j, w, a);
	buf_init(&b, a);
	if (w->answer == WHY_RULES) {
		value_json(&b, diff_data(&s, a));
		json_raw(j, "more", buf_view(&b).p, b.n);
	} else {
		json_null(j, "more");
	}
	if (w->answer == WHY_LOCKED && w->by.id.n)
		explain_json_rule(j, "locked_by", a, &w->by);
	else
		json_null(j, "locked_by");
	json_buf_str(j, "reason", w->reason);
	json_object_end(j);
}
