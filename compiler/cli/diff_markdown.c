/*
 * Prints a comparison as Markdown, for a comment on a change.  Policies are written by whoever
 * proposes the change, so no text of theirs may become markup.
 */
#include "compiler/cli/diff_print.h"

#include "compiler/cli/impact_print.h"

/* One backtick more than the longest row of them in the text. */
static size_t fence_of(struct str s)
{
	size_t longest = 0, n = 0;

	for (size_t i = 0; i < s.n; i++) {
		n = s.p[i] == '`' ? n + 1 : 0;
		longest = n > longest ? n : longest;
	}
	return longest + 1;
}

static bool is_edge(char c)
{
	return c == ' ' || c == '`';
}

static bool is_blank(struct str s)
{
	size_t n = 0;

	while (n < s.n && s.p[n] == ' ')
		n++;
	return n == s.n;
}

/* A blank at both ends is not part of the code, unless it has nothing else. */
static void put_code(struct buf *b, struct str s, size_t fence)
{
	bool pad = !is_blank(s) && (is_edge(s.p[0]) || is_edge(s.p[s.n - 1]));

	if (!s.n)
		return;
	for (size_t i = 0; i < fence; i++)
		buf_ch(b, '`');
	buf_printf(b, "%s%.*s%s", pad ? " " : "", STR_ARG(s), pad ? " " : "");
	for (size_t i = 0; i < fence; i++)
		buf_ch(b, '`');
}

/*
 * Text as code, so that nothing in it is markup, a link or a mention of somebody: a host makes
 * "@name" and "#12" links after it has undone escapes, but not in code.  A bar would end the
 * cell, in code too, so it stands between two pieces of code.  The text has one line.
 */
static struct str cell(struct arena *a, struct str s)
{
	size_t fence = fence_of(s), from = 0;
	struct buf b;

	buf_init(&b, a);
	for (size_t i = 0; i <= s.n; i++) {
		if (i < s.n && s.p[i] != '|')
			continue;
		put_code(&b, str_sub(s, from, i - from), fence);
		if (i < s.n)
			buf_z(&b, "&#124;");
		from = i + 1;
	}
	return buf_view(&b);
}

/* Each line of the sum as a paragraph. */
static void markdown_impact(FILE *out, const struct diff_show *s, struct arena *a)
{
	struct str text = impact_lines(a, s->impact);

	for (size_t at = 0, n; at < text.n; at += n + 1) {
		for (n = 0; at + n < text.n && text.p[at + n] != '\n';)
			n++;
		fprintf(out, "\n%.*s\n", STR_ARG(cell(a, str_sub(text, at, n))));
	}
}

void diff_markdown(FILE *out, const struct diff_show *s, struct arena *a)
{
	size_t i, n = s->r->findings.n, doubts = s->r->doubts.n;

	fprintf(out, "**%s**: %zu difference%s, %zu widening, %zu undecided\n",
		s->verdict, n, n == 1 ? "" : "s", diff_widenings(s->r), doubts);
	if (n)
		fprintf(out, "\n| change | request or value | old | new |%s\n|---|---|---|---|%s\n",
			s->impact ? " seen |" : "", s->impact ? "---|" : "");
	for (i = 0; i < n; i++) {
		const struct diff_finding *f = &s->r->findings.v[i];

		fprintf(out, "| %s%.*s%s | %.*s | %.*s | %.*s |",
			f->widening ? "**" : "", STR_ARG(diff_change_text(a, f->change)),
			f->widening ? "**" : "", STR_ARG(cell(a, diff_subject(a, s, f))),
			STR_ARG(cell(a, diff_side_text(a, &f->side[0]))),
			STR_ARG(cell(a, diff_side_text(a, &f->side[1]))));
		if (s->impact)
			fprintf(out, " %.*s |", STR_ARG(cell(a, impact_share_text(
				a, s->impact, &s->impact->findings[i]))));
		fputc('\n', out);
	}
	if (doubts)
		fputs("\n| undecided | old | new |\n|---|---|---|\n", out);
	for (i = 0; i < doubts; i++)
		fprintf(out, "| %.*s | %.*s | %.*s |\n",
			STR_ARG(cell(a, diff_doubt_text(a, &s->r->doubts.v[i]))),
			STR_ARG(cell(a, diff_side_text(a, &s->r->doubts.v[i].side[0]))),
			STR_ARG(cell(a, diff_side_text(a, &s->r->doubts.v[i].side[1]))));
	if (s->impact)
		markdown_impact(out, s, a);
}
