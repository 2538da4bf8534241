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
	ROOM = 4, /* lines below a text: the question, what is typed, and a word about it */
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

/* Where the locale is not UTF-8, the terminal can take a byte above 0x7f for a control character:
 * then such bytes are shown as numbers. */
static void put_line(struct ask_out *out, const struct screen *s, const char *line, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!s->t->utf8 && !s->t->dumb && (line[i] & 0x80))
			ask_putf(out, "\\x%02x", (unsigned char)line[i]);
		else
			ask_putf(out, "%c", line[i]);
	ask_put(out, "\n");
}

/* How many lines of the terminal this one takes, at most: a character may be two columns wide. */
static int height_of(const struct screen *s, const char *line, size_t n)
{
	size_t width = 0;

	for (size_t i = 0; i < n; i++)
		width += (line[i] & 0x80) ? ((line[i] & 0xc0) == 0xc0 || !s->t->utf8 ? 4 : 0) : 1;
	return s->cols > 0 ? 1 + (int)(width / (size_t)s->cols) : 1;
}

static int write_out(const struct screen *s, struct ask_out *out, char **text, size_t *n)
{
	int r = fclose(out->to) != 0 || out->lost ? -ENOMEM : tty_write(s->t, *text, *n);

	free(*text);
	*text = NULL;
	return r;
}

/* Waits for Enter, so that nothing of a long text scrolls away unseen. */
static int turn_page(const struct screen *s)
{
	char line[ANSWER_CAP];
	enum tty_read is;

	do {
		if (say(s, "(Enter shows more) ") < 0)
			return -EIO;
		is = tty_read_line(s->t, line, sizeof(line));
	} while (is == TTY_AGAIN);
	if (is != TTY_LINE)
		return -EINTR;
	screen_clear(s);
	return 0;
}

/* Writes the text in as few pieces as possible, so that nothing else comes in between.  On an own
 * screen each piece leaves `room` lines free. */
static int show_text(const struct screen *s, const char *text, int room, bool pages)
{
	const int most = !s->own || s->rows <= 0 ? 0 : s->rows > room ? s->rows - room : 1;
	char *piece = NULL;
	size_t size = 0;
	struct ask_out out = { .to = open_memstream(&piece, &size) };
	int left = most;

	if (!out.to)
		return -ENOMEM;
	for (const char *end; *text; text = end + (*end == '\n')) {
		int high;

		end = strchrnul(text, '\n');
		high = height_of(s, text, (size_t)(end - text));
		if (pages && most && high > left && left < most) {
			int r = write_out(s, &out, &piece, &size);

			if (r == 0)
				r = turn_page(s);
			if (r < 0)
				return r;
			out = (struct ask_out){ .to = open_memstream(&piece, &size) };
			if (!out.to)
				return -ENOMEM;
			left = most;
		}
		put_line(&out, s, text, (size_t)(end - text));
		left -= high;
	}
	return write_out(s, &out, &piece, &size);
}

/* Composes the text first: if only a part could be shown, the question must not be asked. */
static int show(const struct screen *s, const struct dialog *d, bool details, bool pages,
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
	screen_clear(s);
	return show_text(s, text, ROOM, pages);
}

/* Shows the question, and waits until nothing is typed any more.  What was on its way to the
 * terminal when the run was stopped (a pipe's reader may have printed it) is then overwritten. */
static int show_first(const struct screen *s, const struct dialog *d, bool *ret_whole)
{
	int r = show(s, d, false, false, ret_whole);

	tty_settle(s->t);
	return r == 0 && s->own && !s->t->dumb ? show(s, d, false, true, ret_whole) : r;
}

enum dialog_answer dialog_ask(const struct screen *s, const struct dialog *d)
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
