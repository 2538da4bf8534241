/* Prints the answer of `polc explain`, for people and for programs. */
#include "compiler/cli/explain.h"

#include "compiler/cli/cli.h"
#include "compiler/cli/explain_line.h"

struct str explain_place(struct arena *a, const struct explain_rule *r)
{
	if (!r->line)
		return STR("built in");
	return str_printf(a, "%.*s:%u", STR_ARG(r->file), r->line);
}

/* Text of a request or a bundle may hold anything: it stays on its line. */
static struct str one_line(struct arena *a, struct str s)
{
	return cli_clean(a, s, false);
}

/* A statement may name fifty paths: people get its beginning, JSON the whole. */
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

void explain_text_rule(FILE *out, struct arena *a, const struct explain_rule *r)
{
	fprintf(out, "%-7s %-12s %.*s  %.*s  %.*s\n", r->effect ? r->effect : "by risk",
		r->level, STR_ARG(one_line(a, explain_place(a, r))),
		STR_ARG(one_line(a, r->id)), STR_ARG(cut(a, r->text)));
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
	if (e->by.because.n)
		fprintf(out, "  because    %.*s\n", STR_ARG(one_line(a, e->by.because)));
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
	for (i = 0; i < e->matched.n; i++) {
		fputs("  ", out);
		explain_text_rule(out, e->a, &e->matched.v[i]);
	}
	if (e->more)
		fprintf(out, "  and %zu more\n", e->more);
	explain_line_text(out, e);
	if (e->layers.n)
		fputs("layers:\n", out);
	for (i = 0; i < e->layers.n; i++)
		fprintf(out, "  %-9s %s%s%.*s\n", e->layers.v[i].layer,
			e->layers.v[i].exactness, e->layers.v[i].note.n ? ": " : "",
			STR_ARG(one_line(e->a, e->layers.v[i].note)));
}

/* --- JSON ---------------------------------------------------------------------- */

static void member(struct buf *b, const char *key, struct str v)
{
	if (b->n && b->p[b->n - 1] != '{')
		buf_ch(b, ',');
	buf_printf(b, "\"%s\":", key);
	buf_json(b, v);
}

void explain_json_rule(struct buf *b, struct arena *a, const struct explain_rule *r)
{
	buf_ch(b, '{');
	member(b, "id", r->id);
	member(b, "level", str_from(r->level));
	if (r->effect)
		member(b, "effect", str_from(r->effect));
	if (r->line)
		member(b, "at", explain_place(a, r));
	else
		buf_z(b, ",\"at\":null");
	member(b, "text", r->text);
	if (r->because.n)
		member(b, "because", r->because);
	buf_ch(b, '}');
}

static void json_lists(struct buf *b, const struct explain_answer *e)
{
	size_t i;

	buf_z(b, ",\"rules\":[");
	for (i = 0; i < e->matched.n; i++) {
		if (i)
			buf_ch(b, ',');
		explain_json_rule(b, e->a, &e->matched.v[i]);
	}
	buf_printf(b, "],\"rules_more\":%zu,\"layers\":[", e->more);
	for (i = 0; i < e->layers.n; i++) {
		buf_z(b, i ? ",{" : "{");
		member(b, "layer", str_from(e->layers.v[i].layer));
		member(b, "exactness", str_from(e->layers.v[i].exactness));
		member(b, "note", e->layers.v[i].note);
		buf_ch(b, '}');
	}
	buf_ch(b, ']');
}

void explain_json(FILE *out, const struct explain_answer *e)
{
	struct buf b;

	buf_init(&b, e->a);
	buf_ch(&b, '{');
	member(&b, "kind", str_from(e->kind));
	member(&b, "request", e->request);
	if (e->subject.n)
		member(&b, "judged_as", e->subject);
	member(&b, "effect", str_from(ir_effect_name(e->effect)));
	member(&b, "step", e->step);
	buf_z(&b, ",\"by\":");
	explain_json_rule(&b, e->a, &e->by);
	member(&b, "reason", e->by.because);
	if (e->risk)
		member(&b, "risk", str_from(e->risk));
	if (e->risk && e->risk_by.line)
		member(&b, "risk_at", explain_place(e->a, &e->risk_by));
	if (e->err)
		member(&b, "errno", str_from(e->err));
	buf_printf(&b, ",\"needs_person\":%s", e->needs_person ? "true" : "false");
	json_lists(&b, e);
	explain_line_json(&b, e);
	buf_z(&b, "}\n");
	fwrite(b.p, 1, b.n, out);
}
