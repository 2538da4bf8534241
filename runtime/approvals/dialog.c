/* Decides what counts as an answer to a question: a word of the table, after all of the
 * question was shown. */
#include "runtime/approvals/dialog.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/io.h"

enum { MAX_TRIES = 16, ANSWER_CAP = 64 };

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

/* Writes the text in one piece, so that nothing else comes in between. */
static int show(const struct tty *t, const struct dialog *d, bool details,
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
	/* if only a part could be shown, the question must not be asked */
	return fclose(out.to) != 0 || out.lost ? -ENOMEM : tty_write(t, text, n);
}

static int say(const struct tty *t, const char *text)
{
	return tty_write(t, text, strlen(text));
}

enum dialog_answer dialog_ask(struct tty *t, const struct dialog *d)
{
	bool whole = false, again = true;

	for (int tries = 0; tries < MAX_TRIES; tries++) {
		char line[ANSWER_CAP];
		enum word is;

		if (again && show(t, d, false, &whole) < 0)
			return DIALOG_NO;
		again = false;
		tty_forget_typed(t);
		if (say(t, d->session ? "[o]nce, for this [s]ession, [d]eny, [?] details: " :
					"[o]nce, [d]eny, [?] details: ") < 0)
			return DIALOG_NO;
		switch (tty_read_line(t, line, sizeof(line))) {
		case TTY_LINE:
			break;
		case TTY_AGAIN:
			again = true;
			continue;
		case TTY_END:
		case TTY_STOPPED:
		default:
			(void)say(t, "\n");
			return DIALOG_NO;
		}
		is = word_of(line);
		if (is == NO)
			return DIALOG_NO;
		if (is == DETAILS) {
			if (show(t, d, true, NULL) < 0)
				return DIALOG_NO;
			whole = true;
		} else if (is == SESSION && !d->session) {
			(void)say(t, "this cannot be remembered: it is asked each time\n");
		} else if (is == UNCLEAR) {
			(void)say(t, d->session ? "answers are: o or y once, s or a for this session, "
						  "d or n deny, ? or v details\n" :
						  "answers are: o or y once, d or n deny, ? or v "
						  "details\n");
		} else if (!whole) {
			(void)say(t, "not all of it was shown: ? shows it\n");
		} else {
			return is == SESSION ? DIALOG_SESSION : DIALOG_YES;
		}
	}
	return DIALOG_NO;
}
