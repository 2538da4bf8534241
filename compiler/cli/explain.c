/* Prints the answer of `polc explain`, for people and for programs. */
#include "compiler/cli/explain.h"

#include "compiler/cli/cli.h"
#include "compiler/cli/explain_assertion.h"
#include "compiler/cli/explain_line.h"
#include "compiler/cli/why_not.h"

/* A request or a bundle may contain any text: keep it on one line. */
static struct str one_line(struct arena *a, struct str s)
{
	return cli_clean(a, s, false);
}

/* A statement may name fifty paths: people see its beginning, JSON has all of it. */
static struct str cut(struct arena *a, struct str s)
{
	enum { WIDTH = 100 };
	size_t n = WIDTH;

	s = one_line(a, s);
	if (s.n <= WIDTH)
		return s;
	while (n && ((unsigned char)s.p[n] & 0xc0) == 0x80)
		n--;
	return str_printf(a, "%.*s…", (int)n, s.p);
}

static void text_rule(FILE *out, struct arena *a, const struct explain_rule *r)
{
	fprintf(out, "  %-7s %-12s %.*s  %.*s  %.*s\n", r->effect ? r->effect : "by risk",
		r->level, STR_ARG(one_line(a, explain_place(a, r))),
		STR_ARG(one_line(a, r->id)), STR_ARG(cut(a, r->text)));
	if (r->idle.n)
		fprintf(out, "          does not count: %.*s\n", STR_ARG(one_line(a, r->idle)));
}

static void text_without(FILE *out, struct arena *a, const struct explain_rule *r)
{
	if (!r->id.n)
		return;
	fprintf(out, "  without it %s by %.*s ", r->effect, STR_ARG(one_line(a, r->id)));
	if (r->line)
		fprintf(out, "(%s) at %.*s\n", r->level, STR_ARG(one_line(a, explain_place(a, r))));
	else
		fputs("(built in)\n", out);
}

static void text_head(FILE *out, const struct explain_answer *e)
{
	struct arena *a = e->a;

	fprintf(out, "%s: %s %.*s\n", ir_effect_name(e->effect), e->kind,
		STR_ARG(one_line(a, e->request)));
	if (e->subject.n)
		fprintf(out, "  judged as  %.*s\n", STR_ARG(one_line(a, e->subject)));
	if (e->by.line)
		fprintf(out, "  decided by %.*s (%s) at %.*s",
			STR_ARG(one_line(a, e->by.id)), e->by.level,
			STR_ARG(one_line(a, explain_place(a, &e->by))));
	else
		fprintf(out, "  decided by %.*s (built in)",
			STR_ARG(one_line(a, e->by.id)));
	if (e->by.text.n)
		fprintf(out, ": %.*s", STR_ARG(cut(a, e->by.text)));
	fprintf(out, "\n  step       %.*s\n", STR_ARG(one_line(a, e->step)));
	text_without(out, a, &e->without);
	if (e->by.because.n)
		fprintf(out, "  because    %.*s\n", STR_ARG(one_line(a, e->by.because)));
	if (e->hint.n)
		fprintf(out, "  to pass    %.*s\n", STR_ARG(one_line(a, e->hint)));
	if (e->gateway.n)
		fprintf(out, "  gateway    %.*s\n", STR_ARG(one_line(a, e->gateway)));
	if (e->err)
		fprintf(out, "  errno      %s\n", e->err);
	if (e->risk && e->risk_by.line)
		fprintf(out, "  risk       %s, %.*s\n", e->risk,
			STR_ARG(one_line(a, explain_place(a, &e->risk_by))));
	else if (e->risk)
		fprintf(out, "  risk       %s, as nothing classes it\n", e->risk);
	if (e->needs_person)
		fputs("  answer     a person only: -y does not count\n", out);
}

void explain_text(FILE *out, const struct explain_answer *e)
{
	size_t i;

	text_head(out, e);
	fputs(e->matched.n ? "matching rules:\n" : "no rule matches\n", out);
	for (i = 0; i < e->matched.n; i++)
		text_rule(out, e->a, &e->matched.v[i]);
	if (e->more)
		fprintf(out, "  and %zu more\n", e->more);
	explain_line_text(out, e);
	explain_assertions_text(out, e);
	if (e->layers.n)
		fputs("layers:\n", out);
	for (i = 0; i < e->layers.n; i++)
		fprintf(out, "  %-9s %s%s%.*s\n", e->layers.v[i].layer,
			e->layers.v[i].exactness, e->layers.v[i].note.n ? ": " : "",
			STR_ARG(one_line(e->a, e->layers.v[i].note)));
	if (e->why)
		why_not_text(out, e->why, e->o, e->a);
}

/* --- JSON ---------------------------------------------------------------------- */

static void json_lists(struct json *j, const struct explain_answer *e)
{
	json_array(j, "rules");
	for (size_t i = 0; i < e->matched.n; i++)
		explain_json_rule(j, NULL, e->a, &e->matched.v[i]);
	json_array_end(j);
	json_uint(j, "rules_more", e->more);
	json_array(j, "layers");
	for (size_t i = 0; i < e->layers.n; i++) {
		json_object(j, NULL);
		json_buf_str(j, "layer", str_from(e->layers.v[i].layer));
		json_buf_str(j, "exactness", str_from(e->layers.v[i].exactness));
		json_buf_str(j, "note", e->layers.v[i].note);
		json_object_end(j);
	}
	json_array_end(j);
}

void explain_json(FILE *out, const struct explain_answer *e)
{
	struct json j;
	struct buf b;

	buf_init(&b, e->a);
	json_buf_init(&j, &b);
	json_object(&j, NULL);
	json_buf_str(&j, "kind", str_from(e->kind));
	json_buf_str(&j, "request", e->request);
	if (e->subject.n)
		json_buf_str(&j, "judged_as", e->subject);
	json_buf_str(&j, "effect", str_from(ir_effect_name(e->effect)));
	json_buf_str(&j, "step", e->step);
	explain_json_rule(&j, "by", e->a, &e->by);
	if (e->without.id.n)
		explain_json_rule(&j, "without", e->a, &e->without);
	else
		json_null(&j, "without");
	json_buf_str(&j, "reason", e->by.because);
	if (e->hint.n)
		json_buf_str(&j, "hint", e->hint);
	else
		json_null(&j, "hint");
	json_bool(&j, "hint_is_rule", e->hint_is_rule);
	if (e->gateway.n)
		json_buf_str(&j, "gateway", e->gateway);
	if (e->risk)
		json_cstr(&j, "risk", e->risk);
	if (e->risk && e->risk_by.line)
		json_buf_str(&j, "risk_at", explain_place(e->a, &e->risk_by));
	if (e->err)
		json_cstr(&j, "errno", e->err);
	json_bool(&j, "needs_person", e->needs_person);
	json_lists(&j, e);
	explain_line_json(&j, e);
	explain_assertions_json(&j, e);
	if (e->why)
		why_not_json(&j, e->why, e->o, e->a);
	json_object_end(&j);
	buf_ch(&b, '\n');
	fwrite(b.p, 1, b.n, out);
}
