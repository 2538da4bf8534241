/* Decides what counts as an answer to a question: a word of the table, after all of the
 * question was shown. */
#include "runtime/approvals/dialog.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/io.h"

enum {
	MAX_TRIES = 16,
	ANSWER_CAP = 64,
	ROOM = 4,  /* rows below a text: the question, what is typed, and a word about it */
	WIDE = 32, /* columns for the margin of the question's fields and as much text */
};

enum word { YES, NO, DETAILS, SESSION, UNCLEAR };

static enum word word_of(const char *line)
{
	static const struct {
		const char *word;
		enum word is;
	} words[] = {
		{ "o", YES }, { "once", YES }, { "y", YES }, { "yes", YES },
		{ "s", SESSION }, { "session", SESSION }, { "a", SESSION },
		{ "d", NO }, { "deny", NO }, { "n", NO }, { "no", NO },
		{ "?", DETAILS }, { "details", DETAILS }, { "v", DETAILS },
	};
	char word[ANSWER_CAP];
	size_t n;

	line += strspn(line, " \t");
	n = strcspn(line, " \t");
	if (line[n + strspn(line + n, " \t")])
		return UNCLEAR;
	memcpy(word, line, n);
	word[n] = '\0';
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(word, words[i].word) == 0)
			return words[i].is;
	return UNCLEAR;
}

static int say(const struct screen *s, const char *text)
{
	return tty_write(s->t, text, strlen(text));
}

/* How many bytes at the beginning of the line fill `width` columns at most: a character may be two
 * columns wide.  Where the locale is not UTF-8, a byte above 0x7f is shown as a number.  At least
 * one character. */
static size_t fit_row(const struct screen *s, const char *line, size_t n, size_t width)
{
	size_t used = 0, i = 0;

	while (i < n) {
		size_t from = i++, columns = 1;

		if (line[from] & 0x80) {
			columns = s->t->utf8 ? 2 : 4;
			while (s->t->utf8 && i < n && (line[i] & 0xc0) == 0x80)
				i++;
		}
		if (used + columns > width && from)
			return from;
		used += columns;
	}
	return n;
}

/* Where the locale is not UTF-8, the terminal can take a byte above 0x7f for a control character:
 * then such bytes are shown as numbers. */
static void put_row(struct ask_out *out, const struct screen *s, const char *line, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!s->t->utf8 && !s->t->dumb && (line[i] & 0x80))
			ask_putf(out, "\\x%02x", (unsigned char)line[i]);
		else
			ask_putf(out, "%c", line[i]);
	ask_put(out, "\n");
}

static int write_out(const struct screen *s, struct ask_out *out, char **text, size_t *n)
{
	int r = fclose(out->to) != 0 || out->lost ? -ENOMEM : tty_write(s->t, *text, *n);

	free(*text);
	*text = NULL;
	return r;
}

/* Waits for Enter, so that nothing of a long text scrolls away unseen.  What was typed before the
 * page could be read turns no page. */
static int turn_page(const struct screen *s)
{
	char line[ANSWER_CAP];
	enum tty_read is;

	do {
		tty_settle(s->t);
		if (say(s, "(Enter shows more) ") < 0)
			return -EIO;
		is = tty_read_line(s->t, line, sizeof(line));
	} while (is == TTY_AGAIN);
	if (is != TTY_LINE)
		return -EINTR;
	screen_clear(s);
	return 0;
}

/* Writes the pieces of a page at once, so that nothing else comes in between. */
struct page {
	struct ask_out out;
	char *text;
	size_t size;
	int left; /* rows */
};

static int begin_page(const struct screen *s, struct page *p)
{
	*p = (struct page){ .left = s->rows > ROOM ? s->rows - ROOM : 1 };
	p->out.to = open_memstream(&p->text, &p->size);
	return p->out.to ? 0 : -ENOMEM;
}

/* The terminal does not wrap a line itself: then a command with blanks in it could put its own
 * text where a row begins, and the row would look like a field of the question. */
static int show_line(const struct screen *s, struct page *p, const char *line, size_t n, bool pages)
{
	const size_t cols = s->cols > 1 ? (size_t)s->cols - 1 : 1;
	const char *margin = "";
	int r = 0;

	do {
		size_t k = fit_row(s, line, n, cols > strlen(margin) ? cols - strlen(margin) : 1);

		if (pages && p->left == 0) {
			r = write_out(s, &p->out, &p->text, &p->size);
			if (r == 0)
				r = turn_page(s);
			if (r == 0)
				r = begin_page(s, p);
			if (r < 0)
				return r;
		}
		ask_put(&p->out, margin);
		put_row(&p->out, s, line, k);
		p->left--;
		line += k;
		n -= k;
		margin = cols >= WIDE ? "         + " : "+ ";
	} while (n);
	return 0;
}

/* With `pages`, what does not fit on the screen comes after Enter. */
static int show_text(const struct screen *s, const char *text, bool pages)
{
	struct page p;
	int r = begin_page(s, &p);

	for (const char *end; r == 0 && *text; text = end + (*end == '\n')) {
		end = strchrnul(text, '\n');
		r = show_line(s, &p, text, (size_t)(end - text), pages);
	}
	return r < 0 ? r : write_out(s, &p.out, &p.text, &p.size);
}

/* Composes the text first: if only a part could be shown, the question must not be asked. */
static int show(struct screen *s, const struct dialog *d, bool details, bool pages,
		bool *ret_whole)
{
	AUTO_FREE char *text = NULL;
	size_t n = 0;
	struct ask_out out = { .to = open_memstream(&text, &n) };

	if (!out.to)
		return -ENOMEM;
	if (details)
		d->details(&out, d->arg);
	else
		*ret_whole = d->text(&out, d->arg);
	if (fclose(out.to) != 0 || out.lost)
		return -ENOMEM;
	screen_begin(s);
	return show_text(s, text, pages);
}

/* Shows the question, and waits until nothing is typed any more.  What was on its way to the
 * terminal when the run was stopped (a pipe's reader may have printed it) is then overwritten. */
static int show_first(struct screen *s, const struct dialog *d, bool *ret_whole)
{
	const bool twice = s->own && !s->t->dumb;
	int r = show(s, d, false, !twice, ret_whole);

	tty_settle(s->t);
	return r == 0 && twice ? show(s, d, false, true, ret_whole) : r;
}

enum dialog_answer dialog_ask(struct screen *s, const struct dialog *d)
{
	bool whole = false, again = true;

	for (int tries = 0; tries < MAX_TRIES; tries++) {
		char line[ANSWER_CAP];
		enum word is;

		if (again && (tries == 0 ? show_first(s, d, &whole) :
					   show(s, d, false, true, &whole)) < 0)
			return DIALOG_NO;
		again = false;
		tty_forget_typed(s->t);
		if (say(s, d->session ? "[o]nce, for this [s]ession, [d]eny, [?] details: " :
					"[o]nce, [d]eny, [?] details: ") < 0)
			return DIALOG_NO;
		switch (tty_read_line(s->t, line, sizeof(line))) {
		case TTY_LINE:
			break;
		case TTY_AGAIN:
			again = true;
			continue;
		case TTY_END:
		case TTY_STOPPED:
		default:
			(void)say(s, "\n");
			return DIALOG_NO;
		}
		is = word_of(line);
		if (is == NO)
			return DIALOG_NO;
		if (is == DETAILS) {
			if (show(s, d, true, true, NULL) < 0)
				return DIALOG_NO;
			whole = true;
		} else if (is == SESSION && !d->session) {
			(void)say(s, "this cannot be remembered: it is asked each time\n");
		} else if (is == UNCLEAR) {
			(void)say(s, d->session ? "answers are: o or y once, s or a for this session, "
						  "d or n deny, ? or v details\n" :
						  "answers are: o or y once, d or n deny, ? or v "
						  "details\n");
		} else if (!whole) {
			(void)say(s, "not all of it was shown: ? shows it\n");
		} else {
			return is == SESSION ? DIALOG_SESSION : DIALOG_YES;
		}
	}
	return DIALOG_NO;
}
