/*
 * The caller's terminal, for a question: /dev/tty, never the command's standard input.
 * While it is open, this module handles the signals that would end or stop polrun, and
 * the terminal reads whole lines with echo, whatever a run has set: with "stty erase n" the
 * answer "no" would be read as "o".  tty_close() restores the previous state.
 * Only one terminal can be open.
 */
#ifndef RUNTIME_APPROVALS_TTY_H
#define RUNTIME_APPROVALS_TTY_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>
#include <termios.h>

#include "runtime/base/err.h"

#define TTY_SIGNALS 5

struct tty {
	int fd;          /* -1: closed */
	int64_t until_ms; /* CLOCK_MONOTONIC: a question ends then; 0: it may take any time */
	int hangup;      /* a question ends when this descriptor hangs up; -1: none */
	uint32_t device; /* device number; 0: unknown */
	struct termios saved, lines; /* before, and while asking */
	bool changed;
	bool keeps_on;   /* ^Z does not stop this process: nobody would continue it */
	bool dumb;       /* TERM says that it understands no control sequences */
	bool utf8;       /* the locale is: other bytes than ASCII may be written */
	bool reads_bytes; /* the terminal gives bytes as they come, and not lines */
	bool mute;       /* it has not answered tty_ask_terminal() */
	struct sigaction old[TTY_SIGNALS];
	sigset_t mask;
};

enum tty_read {
	TTY_LINE,    /* a line, without its newline */
	TTY_AGAIN,   /* stopped and continued, or a line that is too long: ask again */
	TTY_END,     /* end of file, hang-up, too late, or in the background: nobody
	                answers */
	TTY_STOPPED, /* SIGINT, SIGQUIT, SIGTERM, SIGHUP */
};

/* Opens the terminal.  -ENXIO: there is none.  -EBUSY: it belongs to another process
 * group. */
int tty_open(struct tty *ret, struct rt_err *err);
/* True if standard error is a terminal that understands control sequences; *ret is only for tty_write(). */
bool tty_is_stderr(struct tty *ret);
/* Sets the terminal's modes; tty_close() restores them.  Call it only when it is this
 * process's turn, since it would otherwise save the modes of another process. */
int tty_begin(struct tty *t, struct rt_err *err);
/* Safe if the terminal was not opened. */
void tty_close(struct tty *t);
/* Writes all of the text.  0 or -errno. */
int tty_write(const struct tty *t, const char *text, size_t n);
/* Discards what was typed before the question: it is not an answer. */
void tty_forget_typed(const struct tty *t);
/*
 * Sends the text, whose last query must be for the cursor's position (CSI 6 n), and reads what
 * the terminal answers, up to that position: *ret_row and *ret_col.  The rest is in `buf`.  False
 * if nothing comes within a second; then the terminal is mute, and not asked again.
 */
bool tty_ask_terminal(struct tty *t, const char *text, char *buf, size_t cap, int *ret_row, int *ret_col);
/* Discards what is typed until nothing has come for a while: the user may still be typing for the
 * program that ran, and the terminal may still answer what that program has asked it. */
void tty_settle(struct tty *t);
/* `cap` includes the NUL.  A line that contains a byte
 * other than printable ASCII is not accepted: TTY_AGAIN. */
enum tty_read tty_read_line(struct tty *t, char *buf, size_t cap);
/* Has a signal arrived that ends a question? */
bool tty_interrupted(void);
/* Makes the programs in the foreground draw their screen again: gives the terminal another size
 * for a moment, since many compare it. */
void tty_redraw(int fd);

#endif
