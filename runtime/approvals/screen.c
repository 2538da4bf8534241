/*
 * A terminal keeps what a program has set: colours, character sets, margins, a half-finished
 * control sequence.  A run can set all of that before it makes the connection that is asked about,
 * so that a part of the question is invisible, scrolls away, or is taken for the title of the
 * window.  So before a question is drawn, polrun sets every mode that changes how plain text looks.
 * Terminals ignore the sequences that they do not know.
 *
 * A question's own screen is the terminal's alternate screen, which programs such as editors use.  A terminal
 * has only one of them, and no common way to ask whether a program is using it.  So we leave a
 * mark: the cursor goes to an unlikely place before the switch (CSI ? 1049 h), which saves the
 * cursor only if it leaves the main screen.  When the question is over we switch back, and ask for
 * the cursor's position.  If it is the mark, the main screen is shown again, just as it was.
 * If it is not, the program was on the alternate screen: we return there, and the program has to
 * draw its screen again (tty_redraw()).
 *
 * A picture of kitty's graphics protocol lies over text that is written later, and erasing to the end
 * of the screen does not remove it.  So polrun deletes the pictures on the screen as well.
 *
 * Modes that change what keys send (mouse, paste, keypad) stay as they are: an answer with a control
 * character in it does not count, and many terminals could not restore these modes.
 */
#include "runtime/approvals/screen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "runtime/base/sys.h"

/* Ends a control string (the string terminator). */
#define ST "\033\\"

enum { MARK_FROM = 3, MARK_TO = 9, REPLY_MAX = 512, ROWS = 24, COLS = 80 };

/* Ends an unfinished control sequence; leaves the VT52 mode, sending to a printer, a synchronized update
 * (shown only when it is complete), and the status line, in which each line replaces the last one. */
static const char finish[] = "\030" ST "\030\033<\033[4i\033[?4i\033[?2026l\033[0$}";

/* Save and restore some of the modes in `plain` and `margins`, on terminals that can do so. */
static const char save[] = "\033[?5;7;45;69s", give_back[] = "\033[?5;7;45;69r";

/* Resets the margins and the origin.  Moves the cursor. */
static const char margins[] = "\033[?69l\033[?6l\033[r";

/* Default values of insert mode, locked keys, local echo, new-line mode, reverse video, wrapping, reverse wrapping,
 * national characters; character sets; attributes, protection, a link; the colours of plain text. */
static const char plain[] = "\033[4l\033[2l\033[12h\033[20l\033[?5l\033[?7h\033[?45l\033[?42l"
			    "\033(B\033)B\033*B\033+B\017"
			    "\033[0m\033[0\"q\033]8;;" ST "\033]110" ST "\033]111" ST;

/* A program can change the default colours and the palette of the Linux console for all later programs: these
 * sequences set them back.  They go to that console only, since other terminals take the last one for the
 * beginning of a control string. */
static const char console[] = "\033[0;37;40m\033[8]\033]R";

/* Deletes the pictures on the screen.  tmux would take the plain sequence for a title, so it gets the one that it
 * passes on to the terminal outside. */
static const char pictures[] = "\033_Ga=d,q=2" ST,
		  pictures_outside[] = "\033Ptmux;\033\033_Ga=d,q=2\033" ST ST;

static void put(const struct screen *s, const char *text)
{
	if (!s->t->dumb)
		(void)tty_write(s->t, text, strlen(text));
}

static bool term_begins(const char *word)
{
	const char *term = getenv("TERM");

	return term && strncmp(term, word, strlen(word)) == 0;
}

static const char *pictures_text(void)
{
	if (getenv("TMUX"))
		return pictures_outside;
	return term_begins("screen") ? "" : pictures;
}

static void put_plain(const struct screen *s)
{
	put(s, plain);
	if (s->t->utf8)
		put(s, "\033%G");
	if (term_begins("linux"))
		put(s, console);
	put(s, pictures_text());
}

/* Sets the terminal plain.  The cursor stays where it is. */
static void put_plain_here(const struct screen *s)
{
	put(s, finish);
	put(s, "\0337");
	put(s, margins);
	put(s, "\0338");
	put_plain(s);
}

/* Finds VALUE in the answer ESC ] NUMBER ; VALUE, which BEL or ESC \ ends. */
static void take_colour(const char *reply, const char *number, char ret[32])
{
	const char *p = strstr(reply, number);
	size_t n;

	ret[0] = '\0';
	if (!p)
		return;
	p += strlen(number);
	n = strspn(p, "rgb:/0123456789abcdefABCDEF");
	if (n == 0 || n >= 32 || (p[n] != '\a' && p[n] != '\033'))
		return;
	memcpy(ret, p, n);
	ret[n] = '\0';
}

static void ask_state(struct screen *s)
{
	char reply[REPLY_MAX];

	s->knows = tty_ask_terminal(s->t, "\033]10;?" ST "\033]11;?" ST "\033[6n", reply, sizeof(reply),
				    &s->row, &s->col);
	take_colour(reply, "\033]10;", s->text);
	take_colour(reply, "\033]11;", s->ground);
}

/* The size that the kernel has can only make 24 rows and 80 columns smaller: a run can set it (TIOCSWINSZ), and
 * with a size larger than the screen polrun would count text as shown that has scrolled away. */
static void guess_size(struct screen *s)
{
	struct winsize size;

	s->rows = ROWS;
	s->cols = COLS;
	if (ioctl(s->t->fd, TIOCGWINSZ, &size) != 0)
		return;
	if (size.ws_row && size.ws_row < ROWS)
		s->rows = size.ws_row;
	if (size.ws_col && size.ws_col < COLS)
		s->cols = size.ws_col;
}

/* Asks the terminal for its size.  Moves the cursor. */
static void ask_size(struct screen *s)
{
	char reply[REPLY_MAX];
	int rows, cols;

	if (!tty_ask_terminal(s->t, "\033[999;999H\033[6n", reply, sizeof(reply), &rows, &cols) ||
	    rows <= 0 || cols <= 0)
		return;
	s->rows = rows;
	s->cols = cols;
}

void screen_clear(const struct screen *s)
{
	if (!s->own) {
		put_plain_here(s);
		put(s, "\r\n\033[J");
		return;
	}
	/* clears the window in which xterm emulates a Tektronix terminal */
	put(s, "\033\014");
	put(s, margins);
	put_plain(s);
	put(s, "\033[H\033[2J\033[H");
}

void screen_begin(struct screen *s)
{
	if (s->t->dumb)
		return;
	guess_size(s);
	screen_clear(s);
	if (!s->own)
		put(s, "\0337");
	ask_size(s);
	put(s, s->own ? "\033[H" : "\0338");
}

static void open_own_screen(struct screen *s)
{
	char text[64];

	s->mark = MARK_FROM + (int)(sys_now_ms() % (MARK_TO - MARK_FROM));
	if (s->knows) {
		(void)snprintf(text, sizeof(text), "\033[1;%dH\033[?1049h\033[>0u", s->mark);
		put(s, text);
	}
}

void screen_open(struct screen *s, struct tty *t, bool own)
{
	*s = (struct screen){ .t = t, .own = own };
	guess_size(s);
	if (t->dumb)
		return;
	put(s, finish);
	put(s, save);
	ask_state(s);
	if (own)
		open_own_screen(s);
}

void screen_set_plain(struct tty *t)
{
	const struct screen s = { .t = t };

	put_plain_here(&s);
	put(&s, "\033[J");
}

static void restore_colours(const struct screen *s)
{
	char text[100];

	if (s->text[0]) {
		(void)snprintf(text, sizeof(text), "\033]10;%s" ST, s->text);
		put(s, text);
	}
	if (s->ground[0]) {
		(void)snprintf(text, sizeof(text), "\033]11;%s" ST, s->ground);
		put(s, text);
	}
}

/* Returns from the question's screen to the one that was shown before. */
static void close_own_screen(struct screen *s)
{
	char reply[REPLY_MAX], text[64];
	int row = 0, col = 0;

	screen_clear(s);
	s->redraw = true;
	if (!s->knows)
		return;
	put(s, "\033[<u");
	if (tty_ask_terminal(s->t, "\033[?1049l\033[6n", reply, sizeof(reply), &row, &col) &&
	    (row != 1 || col != s->mark)) {
		put(s, "\033[?1049h");
		return;
	}
	(void)snprintf(text, sizeof(text), "\033[%d;%dH", s->row, s->col);
	put(s, text);
	s->redraw = false;
}

void screen_close(struct screen *s)
{
	if (!s->t || s->t->dumb)
		return;
	if (s->own)
		close_own_screen(s);
	put(s, give_back);
	restore_colours(s);
}
