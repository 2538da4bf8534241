/* Decides what counts as an answer of the person at the terminal: a whole line that was
 * typed after the question, in the foreground. */
#include "runtime/approvals/tty.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"

enum {
	ANSWER_MS = 1000,      /* for the terminal's answer, over a slow line */
	SETTLE_MS = 300,       /* nobody has read a question before */
	SETTLE_MOST_MS = 2000, /* while somebody goes on typing */
	REDRAW_MS = 60,        /* for a program to see the other size */
};

static const int signals[TTY_SIGNALS] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGTSTP };

static volatile sig_atomic_t ended, stopped;

static void note(int sig)
{
	if (sig == SIGTSTP)
		stopped = 1;
	else
		ended = 1;
}

bool tty_interrupted(void)
{
	sigset_t pending;

	/* the signals are blocked except while we wait for a line; a pending one is an
	 * answer, and give_back_signals() discards it */
	if (!ended && sigpending(&pending) == 0)
		for (size_t i = 0; i < TTY_SIGNALS; i++)
			if (signals[i] != SIGTSTP && sigismember(&pending, signals[i]) == 1)
				ended = 1;
	return ended;
}

static void take_signals(struct tty *t)
{
	struct sigaction sa = { .sa_handler = note };
	sigset_t block;

	ended = stopped = 0;
	(void)sigemptyset(&sa.sa_mask);
	(void)sigemptyset(&block);
	for (size_t i = 0; i < TTY_SIGNALS; i++)
		(void)sigaddset(&block, signals[i]);
	(void)sigprocmask(SIG_BLOCK, &block, &t->mask);
	for (size_t i = 0; i < TTY_SIGNALS; i++)
		(void)sigaction(signals[i], &sa, &t->old[i]);
}

/* Discards a signal that has come: it was the answer to the question. */
static void give_back_signals(struct tty *t)
{
	const struct timespec none = { 0, 0 };
	sigset_t all;

	(void)sigemptyset(&all);
	for (size_t i = 0; i < TTY_SIGNALS; i++)
		(void)sigaddset(&all, signals[i]);
	while (ended && sigtimedwait(&all, NULL, &none) > 0)
		;
	for (size_t i = 0; i < TTY_SIGNALS; i++)
		(void)sigaction(signals[i], &t->old[i], NULL);
	(void)sigprocmask(SIG_SETMASK, &t->mask, NULL);
}

/* Sets every mode that changes what is typed or written, not only the few that are needed: a run
 * can have set each of them. */
static int set_modes(struct tty *t)
{
	static const cc_t usual[NCCS] = {
		[VINTR] = 3, [VQUIT] = 28, [VERASE] = 0x7f, [VKILL] = 21, [VEOF] = 4, [VMIN] = 1,
		[VSTART] = 17, [VSTOP] = 19, [VSUSP] = 26, [VREPRINT] = 18, [VWERASE] = 23,
		[VLNEXT] = 22,
	};
	struct termios want;

	if (tcgetattr(t->fd, &t->saved) != 0)
		return -errno;
	want = t->saved;
	memcpy(want.c_cc, usual, sizeof(usual));
	if (t->saved.c_cc[VERASE] == '\b') /* the other key that terminals send */
		want.c_cc[VERASE] = '\b';
	if (t->keeps_on)
		want.c_cc[VSUSP] = 0;
	want.c_lflag = ICANON | ECHO | ECHOE | ECHOK | ECHOCTL | ECHOKE | ISIG | IEXTEN;
	/* without IXON: ^S would hold the question's own text */
	want.c_iflag = BRKINT | ICRNL | (t->saved.c_iflag & IUTF8);
	want.c_oflag = OPOST | ONLCR;
	t->lines = want;
	t->changed = true;
	if (SYS_RETRY(tcsetattr(t->fd, TCSANOW, &want)) != 0)
		return -errno;
	return 0;
}

/* Bytes as they come, without echo; ^C stays a signal.  Until set_lines(). */
static bool set_bytes(struct tty *t)
{
	struct termios want = t->lines;

	want.c_lflag = ISIG;
	want.c_cc[VMIN] = 0;
	want.c_cc[VTIME] = 0;
	t->reads_bytes = SYS_RETRY(tcsetattr(t->fd, TCSANOW, &want)) == 0;
	return t->reads_bytes;
}

/* False: it still gives bytes, as far as polrun knows, and no line of an answer would ever be complete. */
static bool set_lines(struct tty *t)
{
	if (SYS_RETRY(tcsetattr(t->fd, TCSANOW, &t->lines)) == 0)
		t->reads_bytes = false;
	(void)tcflush(t->fd, TCIFLUSH);
	return !t->reads_bytes;
}

static void restore_modes(struct tty *t)
{
	if (t->changed)
		(void)SYS_RETRY(tcsetattr(t->fd, TCSANOW, &t->saved));
	t->changed = false;
}

static bool in_foreground(const struct tty *t)
{
	return tcgetpgrp(t->fd) == getpgrp();
}

/* Reads tty_nr of /proc/self/stat: /dev/tty itself has the same number for all
 * terminals. */
static uint32_t own_device(void)
{
	AUTO_FREE char *text = NULL;
	char *p;
	int nr = 0;
	size_t n;

	if (io_read_file("/proc/self/stat", 4096, &text, &n) != 0)
		return 0;
	p = strrchr(text, ')');
	if (!p || sscanf(p, ") %*c %*d %*d %*d %d", &nr) != 1 || nr <= 0)
		return 0;
	return (uint32_t)nr;
}

static bool is_dumb(const char *term)
{
	return !term || !*term || strcmp(term, "dumb") == 0;
}

static bool is_utf8(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *v = getenv(names[i]);

		if (v && *v)
			return strcasestr(v, "utf-8") || strcasestr(v, "utf8");
	}
	return false;
}

bool tty_is_stderr(struct tty *ret)
{
	*ret = (struct tty){ .fd = STDERR_FILENO, .hangup = -1, .dumb = is_dumb(getenv("TERM")),
			     .utf8 = is_utf8() };
	return !ret->dumb && isatty(STDERR_FILENO);
}

int tty_open(struct tty *ret, struct rt_err *err)
{
	struct tty t = { .hangup = -1, .fd = sys_open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC, 0) };

	if (t.fd < 0)
		return rt_fail(err, ENXIO, "there is no terminal to ask at");
	if (!in_foreground(&t)) {
		(void)close(t.fd);
		return rt_fail(err, EBUSY, "polrun is not in the foreground of its "
			       "terminal");
	}
	t.dumb = is_dumb(getenv("TERM"));
	t.utf8 = is_utf8();
	t.device = own_device();
	take_signals(&t);
	*ret = t;
	return 0;
}

int tty_begin(struct tty *t, struct rt_err *err)
{
	int r = set_modes(t);

	return r < 0 ? rt_fail_errno(err, -r, "the terminal") : 0;
}

void tty_close(struct tty *t)
{
	if (t->fd < 0)
		return;
	restore_modes(t);
	give_back_signals(t);
	(void)close(t->fd);
	t->fd = -1;
}

int tty_write(const struct tty *t, const char *text, size_t n)
{
	return io_write_all(t->fd, text, n);
}

void tty_forget_typed(const struct tty *t)
{
	(void)tcflush(t->fd, TCIFLUSH);
}

/* Waits for input, a signal, the end of the question or that many ms.  True: there is input. */
static bool wait_input(const struct tty *t, int64_t ms)
{
	const struct timespec left = { ms / 1000, ms % 1000 * 1000000 };
	struct pollfd p[2] = { { t->fd, POLLIN, 0 }, { t->hangup, 0, 0 } };

	return !ended && !stopped && ms > 0 && ppoll(p, 2, &left, &t->mask) > 0 &&
	       !p[1].revents && (p[0].revents & POLLIN);
}

/* The last cursor position in the text: ESC [ row ; column R. */
static bool find_position(const char *text, int *ret_row, int *ret_col)
{
	bool found = false;
	int row, col, end;

	for (const char *p = strchr(text, 27); p; p = strchr(p + 1, 27)) {
		end = 0;
		if (sscanf(p + 1, "[%4d;%4dR%n", &row, &col, &end) != 2 || !end)
			continue;
		*ret_row = row;
		*ret_col = col;
		found = true;
	}
	return found;
}

bool tty_ask_terminal(struct tty *t, const char *text, char *buf, size_t cap, int *ret_row, int *ret_col)
{
	const int64_t until = sys_now_ms() + ANSWER_MS;
	bool found = false;
	size_t n = 0;

	buf[0] = '\0';
	if (t->mute || !set_bytes(t)) {
		(void)tty_write(t, text, strlen(text));
		return false;
	}
	(void)tcflush(t->fd, TCIFLUSH);
	if (tty_write(t, text, strlen(text)) == 0)
		while (!found && n + 1 < cap && wait_input(t, until - sys_now_ms())) {
			ssize_t got = SYS_RETRY(read(t->fd, buf + n, cap - 1 - n));

			if (got <= 0)
				break;
			for (ssize_t i = 0; i < got; i++)
				if (!buf[n + (size_t)i])
					buf[n + (size_t)i] = ' ';
			n += (size_t)got;
			buf[n] = '\0';
			found = find_position(buf, ret_row, ret_col);
		}
	(void)set_lines(t);
	t->mute = !found;
	return found;
}

void tty_settle(struct tty *t)
{
	const int64_t until = sys_now_ms() + SETTLE_MOST_MS;

	if (!set_bytes(t))
		return;
	(void)tcflush(t->fd, TCIFLUSH);
	while (sys_now_ms() < until && wait_input(t, SETTLE_MS))
		(void)tcflush(t->fd, TCIFLUSH);
	(void)set_lines(t);
}

void tty_redraw(int fd)
{
	const struct timespec while_ = { 0, REDRAW_MS * 1000000L };
	struct winsize was, other, now;

	if (ioctl(fd, TIOCGWINSZ, &was) != 0 || was.ws_row == 0)
		return;
	other = was;
	other.ws_row = (unsigned short)(was.ws_row > 1 ? was.ws_row - 1 : was.ws_row + 1);
	if (ioctl(fd, TIOCSWINSZ, &other) != 0)
		return;
	(void)nanosleep(&while_, NULL);
	/* the user may have changed it meanwhile */
	if (ioctl(fd, TIOCGWINSZ, &now) == 0 && memcmp(&now, &other, sizeof(now)) == 0)
		(void)ioctl(fd, TIOCSWINSZ, &was);
}

/* Handles ^Z: stops as it would without a question, and asks again afterwards. */
static enum tty_read stop(struct tty *t)
{
	struct sigaction now, dfl = { .sa_handler = SIG_DFL };
	sigset_t tstp, was;

	stopped = 0;
	restore_modes(t);
	(void)sigemptyset(&tstp);
	(void)sigaddset(&tstp, SIGTSTP);
	(void)sigaction(SIGTSTP, &dfl, &now);
	(void)raise(SIGTSTP);
	(void)sigprocmask(SIG_UNBLOCK, &tstp, &was); /* the process stops here */
	(void)sigprocmask(SIG_SETMASK, &was, NULL);
	(void)sigaction(SIGTSTP, &now, NULL);
	return in_foreground(t) && set_modes(t) == 0 ? TTY_AGAIN : TTY_END;
}

static bool is_plain(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (s[i] < 0x20 || s[i] > 0x7e)
			return false;
	return true;
}

/* The time that is left; NULL: any time. */
static const struct timespec *time_left(const struct tty *t, struct timespec *ret)
{
	int64_t ms;

	if (!t->until_ms)
		return NULL;
	ms = t->until_ms - sys_now_ms();
	if (ms < 0)
		ms = 0;
	*ret = (struct timespec){ ms / 1000, ms % 1000 * 1000000 };
	return ret;
}

enum tty_read tty_read_line(struct tty *t, char *buf, size_t cap)
{
	struct pollfd p[2] = { { t->fd, POLLIN, 0 }, { t->hangup, 0, 0 } };
	struct timespec left;
	ssize_t n;

	if (t->reads_bytes && !set_lines(t))
		return TTY_END;
	for (;;) {
		int r = ended || stopped ? 0 : ppoll(p, 2, time_left(t, &left), &t->mask);

		if (ended)
			return TTY_STOPPED;
		if (stopped && t->keeps_on) {
			stopped = 0;
			return TTY_AGAIN;
		}
		if (stopped)
			return stop(t);
		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0 || p[1].revents || !(p[0].revents & POLLIN) || !in_foreground(t))
			return TTY_END;
		break;
	}
	n = SYS_RETRY(read(t->fd, buf, cap - 1));
	if (n <= 0)
		return TTY_END;
	if (buf[n - 1] != '\n' || !is_plain(buf, (size_t)n - 1)) {
		tty_forget_typed(t);
		return TTY_AGAIN;
	}
	buf[n - 1] = '\0';
	return TTY_LINE;
}
