/* Decides what a person sees of a command before answering: everything that will run,
 * and nothing that the terminal would take as a command. */
#include "runtime/approvals/ask_text.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/io.h"
#include "runtime/decide/hint.h"
#include "runtime/decide/rule_text.h"

/* The rest of a longer text is shown by the details; the person must look at them
 * first. */
enum { SHOWN = 2000, LIST_MAX = 16 };

void ask_put(struct ask_out *out, const char *s)
{
	if (fputs(s, out->to) < 0)
		out->lost = true;
}

void ask_putf(struct ask_out *out, const char *form, ...)
{
	va_list ap;

	va_start(ap, form);
	if (vfprintf(out->to, form, ap) < 0)
		out->lost = true;
	va_end(ap);
}

/* Escaping needs at most four bytes for each byte of a text, and "…" at the end. */
static void put_piece(struct ask_out *out, const char *s, size_t n, bool backslash)
{
	size_t cap = 4 * n + 8;
	AUTO_FREE char *shown = malloc(cap);
	AUTO_FREE char *text = strndup(s, n);

	if (!shown || !text) {
		out->lost = true;
		return;
	}
	if (backslash || strlen(text) != n)
		io_escape(shown, cap, s, n);
	else
		io_plain(shown, cap, text);
	ask_put(out, shown);
}

/* Writes shell text.  Its own newlines stay, and each line gets a margin that no text
 * can contain. */
static void put_lines(struct ask_out *out, const char *s, size_t n)
{
	while (n) {
		const char *nl = memchr(s, '\n', n);
		size_t k = nl ? (size_t)(nl - s) : n;

		put_piece(out, s, k, false);
		s += k + (nl != NULL);
		n -= k + (nl != NULL);
		if (nl)
			ask_put(out, "\n         | ");
	}
}

static bool is_bare(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!((s[i] >= 'a' && s[i] <= 'z') || (s[i] >= 'A' && s[i] <= 'Z') ||
		      (s[i] >= '0' && s[i] <= '9') || (s[i] && strchr("_./:=@%+,-", s[i]))))
			return false;
	return n > 0;
}

/* Writes a word quoted as for a shell, so that one word does not look like two. */
static void put_word(struct ask_out *out, const char *s, size_t n)
{
	if (is_bare(s, n)) {
		put_piece(out, s, n, true);
		return;
	}
	ask_put(out, "'");
	while (n) {
		const char *quote = memchr(s, '\'', n);
		size_t k = quote ? (size_t)(quote - s) : n;

		put_piece(out, s, k, false);
		if (quote)
			ask_put(out, "'\\''");
		s += k + (quote != NULL);
		n -= k + (quote != NULL);
	}
	ask_put(out, "'");
}

static void put_argv(struct ask_out *out, const struct entry *e)
{
	for (size_t i = 0; i < e->argc; i++) {
		if (i)
			ask_put(out, " ");
		put_word(out, e->argv[i], strlen(e->argv[i]));
	}
}

/* Writes a word of the analysis; unknown parts are shown as such. */
static void put_part_word(struct ask_out *out, const struct sh_word *w)
{
	static const char *const open[] = { [SH_ANY] = "<anything>",
					    [SH_MULTI] = "<any words>",
					    [SH_GLOB] = "<files>", [SH_HOME] = "~" };

	if (sh_is_literal(w)) {
		put_word(out, w->seg.p, w->seg.n);
		return;
	}
	for (const struct sh_seg *s = &w->seg; s; s = s->next)
		if (s->kind == SH_LIT)
			put_piece(out, s->p, s->n, true);
		else
			ask_put(out, open[s->kind]);
}

static void put_part(struct ask_out *out, const struct ask_question *q)
{
	const struct entry *e = q->entry;
	const struct cmd_part *p = q->part;

	if (e->line && p->from < p->to && p->to <= strlen(e->line)) {
		put_lines(out, e->line + p->from, p->to - p->from);
		return;
	}
	for (uint32_t i = 0; i < p->nwords; i++) {
		if (i)
			ask_put(out, " ");
		put_part_word(out, p->words[i].w);
	}
}

/* Writes all of the text, or as much as fits, and says how much more there is. */
static bool put_shown(struct ask_out *out, const struct ask_question *q,
		      void (*all)(struct ask_out *, const struct ask_question *))
{
	AUTO_FREE char *text = NULL;
	size_t n = 0, k;
	struct ask_out in = { .to = open_memstream(&text, &n) };

	if (in.to)
		all(&in, q);
	if (!in.to || fclose(in.to) != 0 || in.lost) {
		out->lost = true;
		return false;
	}
	if (n <= SHOWN) {
		ask_put(out, text);
		return true;
	}
	/* do not cut a character */
	for (k = SHOWN; k > 0 && ((unsigned char)text[k] & 0xc0) == 0x80; k--)
		;
	ask_putf(out, "%.*s ... (%zu bytes more: ? shows them)", (int)k, text, n - k);
	return false;
}

static void put_line(struct ask_out *out, const struct ask_question *q)
{
	const struct entry *e = q->entry;

	if (e->line)
		put_lines(out, e->line, strlen(e->line));
	else
		put_argv(out, e);
}

void ask_put_field(struct ask_out *out, const char *name, const char *s)
{
	ask_putf(out, "  %-8s ", name);
	put_piece(out, s, strlen(s), true);
	ask_put(out, "\n");
}

/* Writes the rule's reason, its risk and what the analysis says, if there are any. */
static void put_reason(struct ask_out *out, const struct ask_question *q)
{
	const struct bundle *b = q->ctx->b;
	const struct pb_rule *r = bundle_rule(b, q->part->rule);
	const char *why = explain_part(q->part);
	char text[1000];
	struct hint hint;

	/* already escaped, as are the texts from explain.h */
	if (explain_rule_reason(b, q->part->rule, text, sizeof(text)))
		ask_putf(out, "  reason   %s\n", text);
	else if (r && r->kind == PB_SCALAR && r->by_risk)
		ask_putf(out, "  reason   its risk is %s\n", explain_risk(q->part->risk));
	if (why[0])
		ask_putf(out, "  because  %s\n", why);
	hint_part(b, q->ctx->roots.dir[PB_ROOT_PROJECT], q->part, &hint);
	if (hint.text[0])
		ask_putf(out, "  to pass  %s\n", hint.text);
	if (q->part->needs_person)
		ask_put(out, "  only a person may answer this, each time\n");
}

bool ask_text(struct ask_out *out, const struct ask_question *q)
{
	char rule[EXPLAIN_RULE_CAP];
	bool whole;

	ask_put(out, "polrun: the policy asks before this is run");
	if (q->of > 1)
		ask_putf(out, " (question %u of %u)", q->number, q->of);
	ask_put(out, "\n  line     ");
	whole = put_shown(out, q, put_line);
	ask_put(out, "\n  asked of ");
	whole &= put_shown(out, q, put_part);
	ask_put(out, "\n");
	ask_put_field(out, "in", q->ctx->cwd ? q->ctx->cwd : "?");
	ask_putf(out, "  by       %s\n",
		explain_rule(q->ctx->b, q->part->rule, rule));
	put_reason(out, q);
	return whole;
}

void ask_put_rule(struct ask_out *out, const struct bundle *b, uint32_t rule)
{
	const struct pb_rule *r = bundle_rule(b, rule);
	char at[EXPLAIN_RULE_CAP], text[1000];

	ask_putf(out, "  %-8s %s", r ? explain_effect(r->effect) : "rule",
		explain_rule(b, rule, at));
	if (r)
		ask_putf(out, ", level %s", explain_level(r->level));
	ask_put(out, "\n");
	if (explain_rule_text(b, rule, text, sizeof(text)))
		ask_putf(out, "           %s\n", text);
}

void ask_text_details(struct ask_out *out, const struct ask_question *q)
{
	const struct decision *d = &q->entry->d;
	const struct bundle *b = q->ctx->b;
	const struct cmd_part *p = q->part;
	uint32_t shown = 0;

	ask_put(out, "  line     ");
	put_line(out, q);
	ask_put(out, "\n  asked of ");
	put_part(out, q);
	ask_put(out, "\n");
	for (uint32_t i = 0; p->kind == CMD_COMMAND && i < p->nwords; i++) {
		ask_putf(out, "  word %-3u ", i);
		put_part_word(out, p->words[i].w);
		ask_put(out, "\n");
	}
	if (p->kind == CMD_COMMAND)
		ask_putf(out, "  risk     %s\n", explain_risk(p->risk));
	ask_put_rule(out, b, p->rule);
	for (uint32_t i = 0; i < d->nmatched && i < DECIDE_MAX_MATCHED; i++)
		if (d->matched[i] != p->rule && shown++ < LIST_MAX)
			ask_put_rule(out, b, d->matched[i]);
	if (d->nmatched > shown + 1)
		ask_putf(out, "  ... %u rules in all speak of the line\n", d->nmatched);
	ask_putf(out, "  bundle   %s\n", b->digest);
	if (q->session)
		ask_putf(out, "  session  %s: remembered would be this line, in this "
			     "directory, under this bundle\n", q->session);
}
