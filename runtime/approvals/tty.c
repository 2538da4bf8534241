/* Decides what counts as an answer of the person at the terminal: a whole line that was
 * typed after the question, in the foreground. */
#include "runtime/approvals/tty.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"

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

/* Sets whole lines with echo, ^C as a signal, and the usual output processing. */
static int set_modes(struct tty *t)
{
	struct termios want;

	if (tcgetattr(t->fd, &t->saved) != 0)
		return -errno;
	want = t->saved;
	want.c_lflag |= ICANON | ECHO | ISIG;
	want.c_iflag |= ICRNL;
	want.c_iflag &= ~(tcflag_t)(IGNCR | INLCR);
	want.c_oflag |= OPOST | ONLCR;
	t->changed = want.c_lflag != t->saved.c_lflag ||
		     want.c_iflag != t->saved.c_iflag || want.c_oflag != t->saved.c_oflag;
	if (t->changed && SYS_RETRY(tcsetattr(t->fd, TCSANOW, &want)) != 0)
		return -errno;
	return 0;
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

	for (;;) {
		int r = ppoll(p, 2, time_left(t, &left), &t->mask);

		if (ended)
			return TTY_STOPPED;
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
