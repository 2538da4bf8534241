/*
 * Comments that suppress a lint:  # polc: allow(P0341) reason="…" until=2027-01-01
 * A comment behind a statement is about it; one on a line of its own is about the next line
 * that is not a comment.
 */
#include <ctype.h>

#include "compiler/base/num.h"
#include "compiler/cli/lints.h"

#define MARK STR("# polc:")

struct comment {
	struct span at;
	uint32_t line; /* what it is about: a line, from 1; 0: the file ends before one */
	VEC(enum diag_code) codes;
	bool used;
};

struct suppress {
	struct compilation *c;
	enum suppress_says says;
	VEC(struct comment *) v;
};

/* --- reading one comment ------------------------------------------------------------- */

struct reader {
	struct suppress *s;
	struct span at;
	struct str text; /* what is left of it */
};

static void bad(const struct reader *r, const char *why)
{
	struct compilation *c = r->s->c;
	struct diag *d;

	if (r->s->says == SUPPRESS_QUIETLY)
		return;
	d = diag_add(&c->sink, DIAG_LINT_COMMENT, r->at, "%s: the comment suppresses nothing",
		     why);
	diag_help(&c->sink, d, "# polc: allow(P0341) reason=\"why it may stay\" "
		  "until=2030-12-31; 'until' may be left out");
}

static void skip_blanks(struct reader *r)
{
	while (r->text.n && strchr(" \t\r", r->text.p[0]))
		r->text = str_sub(r->text, 1, r->text.n - 1);
}

static bool skip(struct reader *r, struct str word)
{
	skip_blanks(r);
	if (!str_starts(r->text, word))
		return false;
	r->text = str_sub(r->text, word.n, r->text.n - word.n);
	return true;
}

/* Letters, digits and '-'. */
static struct str word(struct reader *r)
{
	struct str w = r->text;
	size_t n = 0;

	while (n < w.n && (isalnum((unsigned char)w.p[n]) || w.p[n] == '-'))
		n++;
	r->text = str_sub(w, n, w.n - n);
	return str_sub(w, 0, n);
}

static bool is_lint(enum diag_code code)
{
	static const enum diag_code lints[] = {
#define LINT(name) DIAG_##name,
#include "compiler/diag/lints.def"
#undef LINT
	};
	size_t i;

	for (i = 0; i < POL_LEN(lints); i++)
		if (lints[i] == code)
			return diag_code_severity(code) != DIAG_ERROR;
	return false;
}

static bool read_code(struct reader *r, struct comment *ret)
{
	struct str name;
	int i;

	skip_blanks(r);
	name = word(r);
	for (i = 0; i < DIAG_CODE_COUNT; i++)
		if (str_eqz(name, diag_code_name((enum diag_code)i)))
			break;
	if (i == DIAG_CODE_COUNT) {
		bad(r, arena_printf(r->s->c->a, "no message has the code '%.*s'",
				    STR_ARG(name)));
		return false;
	}
	if (!is_lint((enum diag_code)i)) {
		bad(r, arena_printf(r->s->c->a, "'%.*s' is no lint, so it cannot be "
				    "suppressed", STR_ARG(name)));
		return false;
	}
	VEC_PUSH(r->s->c->a, &ret->codes, (enum diag_code)i);
	return true;
}

static bool read_codes(struct reader *r, struct comment *ret)
{
	if (!skip(r, STR("allow")) || !skip(r, STR("("))) {
		bad(r, "after '# polc:' only 'allow(CODE, …)' can stand");
		return false;
	}
	do {
		if (!read_code(r, ret))
			return false;
	} while (skip(r, STR(",")));
	if (skip(r, STR(")")))
		return true;
	bad(r, "the list of codes is not closed");
	return false;
}

static bool read_reason(struct reader *r, bool *ret_given)
{
	const char *end = r->text.n ? memchr(r->text.p, '"', r->text.n) : NULL;
	size_t n = end ? (size_t)(end - r->text.p) : 0, i;

	if (!end) {
		bad(r, "the reason does not end with a double quote");
		return false;
	}
	for (i = 0; i < n && !*ret_given; i++)
		*ret_given = !isspace((unsigned char)r->text.p[i]);
	r->text = str_sub(r->text, n + 1, r->text.n - n - 1);
	return true;
}

/* The day itself still counts. */
static bool read_until(struct reader *r, bool *ret_past)
{
	struct str day = word(r);
	int64_t days;

	if (!num_date(day, &days)) {
		bad(r, arena_printf(r->s->c->a, "'%.*s' is no day (YYYY-MM-DD)", STR_ARG(day)));
		return false;
	}
	*ret_past |= days < r->s->c->sema.today;
	return true;
}

static void say_expired(const struct reader *r)
{
	struct compilation *c = r->s->c;

	if (r->s->says == SUPPRESS_QUIETLY)
		return;
	diag_help(&c->sink,
		  diag_add(&c->sink, DIAG_LINT_EXPIRED, r->at,
			   "the day of this comment has passed: it suppresses nothing"),
		  "look at the message again; then drop the comment, or give it another day");
}

/* False if the comment suppresses nothing, which has been said. */
static bool read_comment(struct reader *r, struct comment *ret)
{
	bool reason = false, past = false;

	if (!read_codes(r, ret))
		return false;
	for (skip_blanks(r); r->text.n; skip_blanks(r)) {
		bool ok;

		if (skip(r, STR("reason=\"")))
			ok = read_reason(r, &reason);
		else if (skip(r, STR("until=")))
			ok = read_until(r, &past);
		else {
			bad(r, "behind the codes only 'reason=\"…\"' and 'until=DAY' can stand");
			return false;
		}
		if (!ok)
			return false;
	}
	if (!reason) {
		bad(r, "it gives no reason");
		return false;
	}
	if (past)
		say_expired(r);
	return !past;
}

/* --- what a comment is about ------------------------------------------------------------ */

static uint32_t line_of(const struct compilation *c, uint32_t file, uint32_t off)
{
	return source_locate(&c->map, (struct span){ file, off, 0 }).line;
}

/* The first byte of the line that is no blank; its length if there is none. */
static size_t first_mark(struct str line)
{
	size_t i = 0;

	while (i < line.n && strchr(" \t\r\n", line.p[i]))
		i++;
	return i;
}

static struct str line_text(const struct source_file *f, uint32_t line)
{
	uint32_t from = f->lines[line - 1];
	uint32_t to = line < f->nlines ? f->lines[line] : (uint32_t)f->text.n;

	return str_sub(f->text, from, to - from);
}

static uint32_t subject(const struct compilation *c, struct span at)
{
	const struct source_file *f = &c->map.files.v[at.file];
	uint32_t line = line_of(c, at.file, at.off);
	size_t mark = first_mark(line_text(f, line));

	if (f->lines[line - 1] + mark != at.off)
		return line; /* something stands in front of it */
	for (line++; line <= f->nlines; line++) {
		struct str text = line_text(f, line);

		mark = first_mark(text);
		if (mark < text.n && text.p[mark] != '#')
			return line;
	}
	return 0;
}

static void add_file(struct suppress *s, const struct ast_file *tree)
{
	struct compilation *c = s->c;
	size_t i;

	for (i = 0; i < tree->ncomments; i++) {
		struct reader r = { s, tree->comments[i], source_text(&c->map,
								      tree->comments[i]) };
		struct comment *x;

		if (!skip(&r, MARK))
			continue;
		x = ARENA_NEW(c->a, struct comment);
		x->at = r.at;
		x->line = subject(c, x->at);
		if (read_comment(&r, x))
			VEC_PUSH(c->a, &s->v, x);
	}
}

/* A file with several levels has one tree. */
static void add_all(struct suppress *s)
{
	bool *done = arena_array(s->c->a, s->c->map.files.n + 1, sizeof(*done));
	size_t i;

	for (i = 0; i < s->c->sema.units.n; i++) {
		const struct ast_file *tree = s->c->sema.units.v[i]->tree;

		if (!tree || done[tree->source])
			continue;
		done[tree->source] = true;
		add_file(s, tree);
	}
}

/* --- the messages --------------------------------------------------------------------------- */

static bool is_about(const struct compilation *c, const struct comment *x,
		     const struct diag *d)
{
	uint32_t end = d->at.off + (d->at.len ? d->at.len - 1 : 0);
	size_t i;

	if (d->at.file != x->at.file || x->line < line_of(c, d->at.file, d->at.off) ||
	    x->line > line_of(c, d->at.file, end))
		return false;
	for (i = 0; i < x->codes.n; i++)
		if (x->codes.v[i] == d->code)
			return true;
	return false;
}

static bool is_suppressed(struct suppress *s, const struct diag *d)
{
	bool ret = false;
	size_t i;

	if (d->severity == DIAG_ERROR || d->at.file == SOURCE_NONE)
		return false;
	for (i = 0; i < s->v.n; i++)
		if (is_about(s->c, s->v.v[i], d))
			ret = s->v.v[i]->used = true;
	return ret;
}

static void drop(struct suppress *s)
{
	struct diag_sink *sink = &s->c->sink;
	size_t i, n = 0;

	for (i = 0; i < sink->list.n; i++) {
		struct diag *d = sink->list.v[i];

		if (!is_suppressed(s, d)) {
			sink->list.v[n++] = d;
			continue;
		}
		sink->warnings -= d->severity == DIAG_WARNING;
		sink->notes -= d->severity == DIAG_NOTE;
	}
	sink->list.n = n;
}

/* Is it about a statement that does not count here, as of a role that was not chosen? */
static bool is_off(const struct compilation *c, const struct comment *x)
{
	size_t i;

	for (i = 0; i < c->sema.stmts.n; i++) {
		const struct sema_stmt *t = c->sema.stmts.v[i];
		uint32_t end = t->at.span.off + t->at.span.len;

		if ((t->off || t->cut) && t->at.span.file == x->at.file &&
		    x->line >= line_of(c, x->at.file, t->at.span.off) &&
		    x->line <= line_of(c, x->at.file, end))
			return true;
	}
	return false;
}

/* What a higher level decides depends on which policies are there. */
static bool may_be_unused(const struct compilation *c, const struct comment *x)
{
	size_t i;

	for (i = 0; i < x->codes.n; i++)
		if (x->codes.v[i] == DIAG_RULE_OVERRULED)
			return true;
	return c->map.files.v[x->at.file].library || is_off(c, x);
}

void suppress_lints(struct compilation *c, enum suppress_says says)
{
	struct suppress s = { .c = c, .says = says };
	size_t i;

	add_all(&s);
	drop(&s);
	for (i = 0; i < s.v.n && says == SUPPRESS_UNUSED; i++) {
		const struct comment *x = s.v.v[i];

		if (x->used || may_be_unused(c, x))
			continue;
		diag_help(&c->sink,
			  diag_add(&c->sink, DIAG_LINT_UNUSED, x->at,
				   "this comment suppresses nothing"),
			  "drop it, or put it behind the statement or on the line above");
	}
}
