/* A process group of a run that has ended stays the terminal's foreground group, though nothing is in
 * it.  A script that goes on is then stopped as soon as it reads (SIGTTIN). */
#include "runtime/polrun/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "runtime/base/sys.h"

void terminal_note(struct terminal *t)
{
	*t = (struct terminal)TERMINAL_NONE;
	t->fd = sys_open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC, 0);
	if (t->fd < 0)
		return;
	t->pgrp = getpgrp();
	t->has_modes = tcgetattr(t->fd, &t->modes) == 0;
	if (tcgetpgrp(t->fd) == t->pgrp)
		return;
	(void)close(t->fd);
	t->fd = -1;
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
