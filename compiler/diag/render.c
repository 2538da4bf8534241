/*
 * Records as text for people: one line, the source with a caret span, then
 * notes and help.  Only this file writes policy text to a terminal, so it decides
 * which characters may reach one: no control and no bidi control.
 */
#include <string.h>

#include "compiler/diag/diag.h"
#include "compiler/diag/width.h"

#define TAB        8
#define MAX_SHOWN  200 /* bytes of a source line */
#define REPLACEMENT "\xef\xbf\xbd"

struct style {
	const char *bold, *off;
	const char *severity[3];
	const char *caret;
};

static const struct style plain = { "", "", { "", "", "" }, "" };
static const struct style coloured = {
	"\033[1m", "\033[0m", { "\033[1;36m", "\033[1;35m", "\033[1;31m" }, "\033[1;32m",
};

/* Writes a text on one line; a newline in it becomes a blank. */
static void put_clean(FILE *out, struct str s)
{
	for (size_t i = 0; i < s.n;) {
		uint32_t c;
		bool valid;
		size_t n = utf8_next(s, i, &c, &valid);

		if (c == '\t' || c == '\n')
			fputc(' ', out);
		else if (!valid || !utf8_is_printable(c))
			fputs(REPLACEMENT, out);
		else
			fwrite(s.p + i, 1, n, out);
		i += n;
	}
}

/*
 * Writes bytes [from, to) of a line, with tabs as blanks, and returns the column after
 * them.  If `out` is NULL, it only counts.
 */
static unsigned put_line(FILE *out, struct str s, size_t from, size_t to, unsigned col)
{
	for (size_t i = from; i < to;) {
		uint32_t c;
		bool valid;
		size_t n = utf8_next(s, i, &c, &valid);
		unsigned w = utf8_width(c);

		if (c == '\t') {
			w = TAB - col % TAB;
			for (unsigned k = 0; out && k < w; k++)
				fputc(' ', out);
		} else if (out && (!valid || !utf8_is_printable(c))) {
			fputs(REPLACEMENT, out);
		} else if (out) {
			fwrite(s.p + i, 1, n, out);
		}
		col += w;
		i += n;
	}
	return col;
}

/* Moves `i` back to the first byte of its character. */
static size_t char_start(struct str s, size_t i)
{
	size_t start = i;

	while (start > 0 && i - start < 3 && start < s.n &&
	       ((unsigned char)s.p[start] & 0xc0) == 0x80)
		start--;
	return start;
}

/* Of a very long line, only the part around the caret is shown. */
static void window(struct str line, size_t at, size_t *ret_from, size_t *ret_to)
{
	*ret_from = 0;
	*ret_to = line.n;
	if (line.n <= MAX_SHOWN)
		return;
	if (at > MAX_SHOWN / 2)
		*ret_from = char_start(line, at - MAX_SHOWN / 2);
	if (line.n - *ret_from > MAX_SHOWN)
		*ret_to = char_start(line, *ret_from + MAX_SHOWN);
}

static void put_excerpt(FILE *out, const struct source_pos *pos, struct span at,
			const struct style *st)
{
	size_t from, to, start, end;
	unsigned col, stop, lead;
	int gutter;

	start = pos->col - 1 < pos->text.n ? pos->col - 1 : pos->text.n;
	window(pos->text, start, &from, &to);
	gutter = fprintf(out, "%5u", pos->line);
	fputs(" | ", out);
	lead = from > 0 ? 1 : 0;
	if (lead)
		fputs("\xe2\x80\xa6", out);
	put_line(out, pos->text, from, to, lead);
	fputs(to < pos->text.n ? "\xe2\x80\xa6\n" : "\n", out);

	/* The caret may stand after the last byte: "expected '}'" at the end. */
	end = at.len > pos->text.n - start ? pos->text.n : start + at.len;
	if (end > to)
		end = to;
	col = put_line(NULL, pos->text, from, start, lead);
	stop = put_line(NULL, pos->text, start, end, col);
	fprintf(out, "%*s | %*s%s^", gutter, "", (int)col, "", st->caret);
	for (unsigned i = col + 1; i < stop; i++)
		fputc('^', out);
	fprintf(out, "%s\n", st->off);
}

/* Writes "file:line:col: error: text [P0001]" and the excerpt below it. */
static void put_message(FILE *out, const struct source_map *m, struct span at,
			enum diag_severity sev, struct str text, const char *code,
			const struct style *st)
{
	struct source_pos pos = source_locate(m, at);

	fputs(st->bold, out);
	if (pos.line) {
		put_clean(out, pos.file);
		fprintf(out, ":%u:%u: ", pos.line, pos.col);
	}
	fprintf(out, "%s%s%s: %s", st->off, st->severity[sev], diag_severity_name(sev),
		st->off);
	put_clean(out, text);
	if (code)
		fprintf(out, " [%s]", code);
	fputc('\n', out);
	if (pos.line)
		put_excerpt(out, &pos, at, st);
}

static void put_diag(FILE *out, const struct source_map *m, const struct diag *d,
		     const struct style *st)
{
	struct str path = source_key_path(m, m->a, d->at);

	put_message(out, m, d->at, d->severity, d->text, diag_code_name(d->code), st);
	if (path.n) {
		fprintf(out, "      = %snote%s: the key is ", st->bold, st->off);
		put_clean(out, path);
		fputc('\n', out);
	}
	/* Lines without a place come first: they belong to the excerpt above them. */
	for (size_t i = 0; i < d->parts.n; i++) {
		const struct diag_part *p = &d->parts.v[i];

		if (p->at.file != SOURCE_NONE)
			continue;
		fprintf(out, "      = %s%.*s%s: ", st->bold, STR_ARG(p->label), st->off);
		put_clean(out, p->text);
		fputc('\n', out);
	}
	for (size_t i = 0; i < d->parts.n; i++) {
		const struct diag_part *p = &d->parts.v[i];

		if (p->at.file != SOURCE_NONE)
			put_message(out, m, p->at, DIAG_NOTE, p->text, NULL, st);
	}
}

void diag_render(FILE *out, const struct diag_sink *s, const struct source_map *m,
		 bool colour)
{
	const struct style *st = colour ? &coloured : &plain;

	for (size_t i = 0; i < s->list.n; i++)
		put_diag(out, m, s->list.v[i], st);
	if (s->errors > s->limit)
		fprintf(out, "too many errors: the first %zu are shown\n", s->limit);
}
