/*
 * The terminal of the caller, for a question: /dev/tty, never the command's own
 * standard input.  While it is open, signals that would end or stop polrun are
 * seen here, and the terminal reads whole lines with echo; tty_close() puts
 * back what was there.  One at a time.
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
	uint32_t device; /* its number; 0: not known */
	struct termios saved;
	bool changed;
	struct sigaction old[TTY_SIGNALS];
	sigset_t mask;
};

enum tty_read {
	TTY_LINE,    /* a line, without its newline */
	TTY_AGAIN,   /* stopped and continued, or a line that is too long: ask again */
	TTY_END,     /* end of file, hang-up, in the background: nobody answers */
	TTY_STOPPED, /* SIGINT, SIGQUIT, SIGTERM, SIGHUP */
};

/* -ENXIO: there is no terminal; -EBUSY: it belongs to another process group. */
int tty_open(struct tty *ret, struct rt_err *err);
/* Sets the terminal's modes, which tty_close() gives back: not before it is this
 * process's turn, since another one's would be saved. */
int tty_begin(struct tty *t, struct rt_err *err);
/* Safe on one that was not opened. */
void tty_close(struct tty *t);
/* All of it or nothing can be said: 0 or -errno. */
int tty_write(const struct tty *t, const char *text, size_t n);
/* What was typed before the question is no answer to it. */
void tty_forget_typed(const struct tty *t);
/* Waits without a limit of time.  `cap` includes the NUL; a line with a byte
 * that is no printable ASCII is no line: TTY_AGAIN. */
enum tty_read tty_read_line(struct tty *t, char *buf, size_t cap);
/* Has one of the signals come that end a question? */
bool tty_interrupted(void);

#endif
