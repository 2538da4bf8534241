/*
 * Prints findings as one page for a review.  The page loads nothing and runs nothing.
 * Texts of rules, names of files and requests come from policies that nobody has
 * accepted yet: each of them goes through put_text().
 */
#include "compiler/cli/cli.h"
#include "compiler/cli/diff_print.h"
#include "compiler/cli/impact_print.h"
#include "compiler/cli/show.h"
#include "compiler/target/target.h"

struct page {
	FILE *out;
	const struct diff_show *s;
	struct arena *a;
};

static const char head[] =
	"<!DOCTYPE html>\n"
	"<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">\n"
	"<head>\n"
	"<meta charset=\"utf-8\"/>\n"
	"<meta http-equiv=\"Content-Security-Policy\" "
	"content=\"default-src 'none'; style-src 'unsafe-inline'\"/>\n"
	"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
	"<meta name=\"color-scheme\" content=\"light dark\"/>\n"
	"<title>polc diff</title>\n"
	"<style>\n"
	":root{--page:#f6f7f9;--card:#fff;--ink:#1c2128;--dim:#57606a;--line:#d4d9df;\n"
	"--code:#eef1f4;--bad:#b3261e;--badbg:#fdeceb;--ok:#1a7f37;--okbg:#e6f5ea;\n"
	"--warn:#8a5300;--warnbg:#fff4dc;--plain:#3f4a56;--plainbg:#e9edf1}\n"
	"@media (prefers-color-scheme:dark){:root{--page:#14171b;--card:#1c2127;\n"
	"--ink:#e4e8ec;--dim:#9aa5b1;--line:#343b44;--code:#272d35;--bad:#ff9a90;\n"
	"--badbg:#43201e;--ok:#7ee295;--okbg:#17351f;--warn:#f5c565;--warnbg:#3b2d10;\n"
	"--plain:#c3ccd5;--plainbg:#2d343d}}\n"
	"*{box-sizing:border-box}\n"
	"body{margin:0;background:var(--page);color:var(--ink);\n"
	"font:15px/1.5 system-ui,sans-serif}\n"
	"main{max-width:60rem;margin:0 auto;padding:1.5rem 1rem 3rem}\n"
	"h1{font-size:1.35rem;margin:0 0 .25rem}\n"
	"h2{font-size:1.05rem;margin:1.75rem 0 .5rem}\n"
	"p{margin:.25rem 0}\n"
	"code{font:13px/1.5 ui-monospace,monospace;overflow-wrap:anywhere;\n"
	"white-space:pre-wrap}\n"
	".dim{color:var(--dim)}\n"
	".totals{display:flex;flex-wrap:wrap;gap:.5rem;list-style:none;margin:.75rem 0;"
	"padding:0}\n"
	".tag{display:inline-block;padding:0 .5rem;border-radius:.6rem;font-size:13px;\n"
	"font-weight:600;background:var(--plainbg);color:var(--plain)}\n"
	".bad{background:var(--badbg);color:var(--bad)}\n"
	".ok{background:var(--okbg);color:var(--ok)}\n"
	".warn{background:var(--warnbg);color:var(--warn)}\n"
	"article{background:var(--card);border:1px solid var(--line);border-left-width:4px;\n"
	"border-radius:6px;padding:.7rem .9rem;margin:0 0 .8rem}\n"
	"article.widening{border-left-color:var(--bad)}\n"
	"article.undecided{border-left-color:var(--warn)}\n"
	"h3{font-size:1rem;margin:0;display:flex;flex-wrap:wrap;gap:.5rem;"
	"align-items:center}\n"
	".asked{display:block;background:var(--code);border-radius:4px;padding:.35rem .6rem;"
	"margin:.5rem 0}\n"
	"table{border-collapse:collapse;width:100%}\n"
	"th,td{text-align:left;vertical-align:top;padding:.3rem .6rem .3rem 0;\n"
	"border-top:1px solid var(--line)}\n"
	"tr:first-child>*{border-top:0}\n"
	"th{width:3rem;color:var(--dim);font-weight:600}\n"
	".place{font-size:13px}\n"
	"</style>\n"
	"</head>\n"
	"<body>\n"
	"<main>\n"
	"<h1>What two policies decide differently</h1>\n";

/*
 * Text between tags.  Quotes are escaped too, so that a text which gets into an
 * attribute later cannot end it.
 */
static void put_text(const struct page *p, struct str raw)
{
	struct str s = cli_clean(p->a, raw, false);

	for (size_t i = 0; i < s.n; i++) {
		switch (s.p[i]) {
		case '&':
			fputs("&amp;", p->out);
			break;
		case '<':
			fputs("&lt;", p->out);
			break;
		case '>':
			fputs("&gt;", p->out);
			break;
		case '"':
			fputs("&quot;", p->out);
			break;
		case '\'':
			fputs("&#39;", p->out);
			break;
		default:
			fputc(s.p[i], p->out);
		}
	}
}

static void put_tag(const struct page *p, const char *class, struct str s)
{
	fprintf(p->out, "<span class=\"tag %s\">", class);
	put_text(p, s);
	fputs("</span>", p->out);
}

/* The colour of a decision: what it lets through, and not what is good. */
static const char *effect_class(enum ir_effect e)
{
	switch (e) {
	case IR_ALLOW:
		return "ok";
	case IR_ASK:
		return "warn";
	case IR_DENY:
	case IR_HIDE:
	case IR_EFFECT_COUNT:
		break;
	}
	return "bad";
}

static void put_said(const struct page *p, const struct diff_said *v)
{
	struct str value = diff_value_text(p->a, v);

	if (v->decides)
		put_tag(p, effect_class(v->effect), str_from(ir_effect_name(v->effect)));
	else
		put_tag(p, "", value.n ? value : STR("none"));
	if (v->decides && v->err) {
		fputs(" with ", p->out);
		put_text(p, str_from(target_errno_name(v->err)));
	}
	fputs(" by <code>", p->out);
	put_text(p, v->id);
	fputs("</code> <span class=\"dim place\">", p->out);
	if (v->level)
		put_text(p, str_printf(p->a, "%s, ", ir_level_name(v->level)));
	put_text(p, show_point(p->a, &v->at));
	fputs("</span>", p->out);
	if (v->text.n) {
		fputs("<br/><code>", p->out);
		put_text(p, v->text);
		fputs("</code>", p->out);
	}
}

static void put_sides(const struct page *p, const struct diff_said side[2])
{
	static const char *const names[2] = { "old", "new" };

	fputs("<table>\n", p->out);
	for (int i = 0; i < 2; i++) {
		fprintf(p->out, "<tr><th scope=\"row\">%s</th><td>", names[i]);
		if (side[i].there)
			put_said(p, &side[i]);
		else
			fputs("<span class=\"dim\">nothing</span>", p->out);
		fputs("</td></tr>\n", p->out);
	}
	fputs("</table>\n</article>\n", p->out);
}

static void put_share(const struct page *p, const struct impact_share *share)
{
	if (!share)
		return;
	fputs("<p>", p->out);
	put_text(p, impact_share_text(p->a, p->s->impact, share));
	fputs("</p>\n", p->out);
}

static void put_traffic(const struct page *p)
{
	struct str text = impact_lines(p->a, p->s->impact);

	fputs("<section>\n<h2>Recorded requests</h2>\n<p>", p->out);
	for (size_t at = 0, n; at < text.n; at += n + 1) {
		for (n = 0; at + n < text.n && text.p[at + n] != '\n';)
			n++;
		put_text(p, str_sub(text, at, n));
		fputs("<br/>\n", p->out);
	}
	fputs("</p>\n</section>\n", p->out);
}

static void put_finding(const struct page *p, const struct diff_finding *f)
{
	fprintf(p->out, "<article class=\"%s\">\n<h3>", f->widening ? "widening" : "other");
	put_text(p, diff_change_text(p->a, f->change));
	if (f->widening)
		put_tag(p, "bad", STR("widening"));
	if (f->role.n)
		put_tag(p, "", str_printf(p->a, "role %.*s", STR_ARG(f->role)));
	fputs("</h3>\n<code class=\"asked\">", p->out);
	put_text(p, diff_subject(p->a, p->s, f));
	fputs("</code>\n", p->out);
	put_share(p, p->s->impact ? &p->s->impact->findings[f - p->s->r->findings.v] : NULL);
	put_sides(p, f->side);
}

/* Those that widen come first: they are what a review is for. */
static void put_findings(const struct page *p, bool widening, const char *title)
{
	const struct diff_result *r = p->s->r;
	bool any = false;

	for (size_t i = 0; i < r->findings.n; i++) {
		if (r->findings.v[i].widening != widening)
			continue;
		if (!any)
			fprintf(p->out, "<section>\n<h2>%s</h2>\n", title);
		any = true;
		put_finding(p, &r->findings.v[i]);
	}
	if (any)
		fputs("</section>\n", p->out);
}

static void put_doubts(const struct page *p)
{
	const struct diff_result *r = p->s->r;

	if (!r->doubts.n)
		return;
	fputs("<section>\n<h2>Undecided: these may differ</h2>\n", p->out);
	for (size_t i = 0; i < r->doubts.n; i++) {
		const struct diff_doubt *d = &r->doubts.v[i];

		fputs("<article class=\"undecided\">\n<h3>", p->out);
		put_tag(p, "warn", STR("undecided"));
		if (d->role.n)
			put_tag(p, "", str_printf(p->a, "role %.*s", STR_ARG(d->role)));
		if (d->narrows_only)
			put_tag(p, "", STR("permits nothing more"));
		fputs("</h3>\n<p>", p->out);
		put_text(p, d->why);
		fputs("</p>\n", p->out);
		put_share(p, p->s->impact ? &p->s->impact->doubts[i] : NULL);
		put_sides(p, d->side);
	}
	fputs("</section>\n", p->out);
}

static void put_total(const struct page *p, const char *class, size_t n, const char *what)
{
	fputs("<li>", p->out);
	put_tag(p, n ? class : "", str_printf(p->a, "%zu %s", n, what));
	fputs("</li>\n", p->out);
}

void diff_html(FILE *out, const struct diff_show *s, struct arena *a)
{
	const struct page p = { out, s, a };
	const struct diff_result *r = s->r;

	fputs(head, out);
	fputs("<p class=\"dim\">from <code>", out);
	put_text(&p, str_from(s->o->sides[0]));
	fputs("</code> to <code>", out);
	put_text(&p, str_from(s->o->sides[1]));
	fputs("</code></p>\n<ul class=\"totals\">\n", out);
	put_total(&p, "", r->findings.n, r->findings.n == 1 ? "difference" : "differences");
	put_total(&p, "bad", diff_widenings(r), "widening");
	put_total(&p, "warn", r->doubts.n, "undecided");
	fputs("</ul>\n", out);
	if (!r->findings.n && !r->doubts.n && !(s->impact && impact_is_open(s->impact)))
		fputs("<p>The two policies decide alike.</p>\n", out);
	put_findings(&p, true, "Widening: more is permitted");
	put_findings(&p, false, "Other differences");
	put_doubts(&p);
	if (s->impact)
		put_traffic(&p);
	fputs("</main>\n</body>\n</html>\n", out);
}
