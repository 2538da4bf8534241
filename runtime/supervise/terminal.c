/* Who is in the foreground of the caller's terminal (terminal.h). */
#include "runtime/supervise/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/sys.h"

void terminal_begin(struct terminal *t, pid_t run)
{
	*t = (struct terminal){ .fd = sys_open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC, 0),
				.pgrp = getpgrp(), .run = run };
	if (t->fd >= 0 && tcgetpgrp(0) == t->pgrp && tcgetpgrp(1) == t->pgrp)
		(void)terminal_give(t);
	else if (t->fd >= 0 && tcgetpgrp(t->fd) == t->pgrp)
		t->has_modes = tcgetattr(t->fd, &t->modes) == 0;
}

bool terminal_give(struct terminal *t)
{
	pid_t is = t->fd < 0 ? -1 : tcgetpgrp(t->fd);

	if (is != t->pgrp)
		return is == t->run;
	t->has_modes = tcgetattr(t->fd, &t->modes) == 0;
	if (tcsetpgrp(t->fd, t->run) != 0)
		return false;
	t->given = true;
	return true;
}

void terminal_give_again(struct terminal *t)
{
	if (t->given)
		(void)terminal_give(t);
}

/* Meets the signal as a program does that handles none; polrun has blocked it. */
static void meet(int sig)
{
	const struct sigaction dfl = { .sa_handler = SIG_DFL };
	sigset_t set, was;

	(void)sigemptyset(&set);
	(void)sigaddset(&set, sig);
	(void)sigaction(sig, &dfl, NULL);
	(void)syscall(SYS_tgkill, getpid(), gettid(), sig);
	(void)sigprocmask(SIG_UNBLOCK, &set, &was);
	(void)sigprocmask(SIG_SETMASK, &was, NULL);
}

void terminal_stop(const struct terminal *t, int sig)
{
	if (t->given) {
		(void)kill(0, SIGTSTP);
		sig = SIGTSTP;
	}
	meet(sig);
}

/* Is no process left in the group?  Another user's counts (EPERM). */
static bool is_empty(pid_t pgrp)
{
	return pgrp <= 0 || (kill(-pgrp, 0) != 0 && errno == ESRCH);
}

void terminal_give_back(struct terminal *t, bool modes)
{
	pid_t is;

	if (t->fd < 0)
		return;
	is = tcgetpgrp(t->fd);
	/* SIGTTOU is blocked: polrun is in the background here */
	if (is != t->pgrp && is_empty(is) && tcsetpgrp(t->fd, t->pgrp) == 0)
		is = t->pgrp;
	/* another group in the foreground is the caller's: it has its own modes */
	if (is == t->pgrp && modes && t->has_modes)
		(void)SYS_RETRY(tcsetattr(t->fd, TCSANOW, &t->modes));
	(void)close(t->fd);
	t->fd = -1;
}

void terminal_end(const struct terminal *t, int sig)
{
	if (!t->given || (sig != SIGINT && sig != SIGQUIT))
		return;
	(void)kill(0, sig);
	meet(sig);
}
