/*
 * The kernel shares the processors between sessions (sched(7), The autogroup feature).  The command is in
 * the caller's session, because it needs the caller's terminal, and may write /proc/self/autogroup: that
 * sets the nice value of the whole session, also of the caller's shell or agent, and it stays.
 * No rule of Landlock takes a file below /proc/self away, whose number is not known before, and no
 * filter sees what is written.  So polrun restores the value.
 */
#include "runtime/polrun/autogroup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/sys.h"

/* The kernel takes one change in 100 ms from all sessions together. */
enum { TRIES = 10, PAUSE_MS = 60 };

/* "/autogroup-17 nice 0" */
static int read_nice(int fd, int *ret)
{
	char text[80];
	const char *at;
	ssize_t n;

	if (lseek(fd, 0, SEEK_SET) != 0)
		return -errno;
	n = SYS_RETRY(read(fd, text, sizeof(text) - 1));
	if (n < 0)
		return -errno;
	text[n] = '\0';
	at = strstr(text, " nice ");
	if (!at)
		return -EINVAL;
	*ret = (int)strtol(at + strlen(" nice "), NULL, 10);
	return 0;
}

void autogroup_note(struct autogroup *a)
{
	a->fd = sys_open("/proc/self/autogroup", O_RDWR | O_CLOEXEC, 0);
	if (a->fd >= 0 && read_nice(a->fd, &a->nice) < 0) {
		(void)close(a->fd);
		a->fd = -1;
	}
}

void autogroup_give_back(struct autogroup *a)
{
	const struct timespec pause = { .tv_nsec = PAUSE_MS * 1000000L };
	char text[16];
	int now, len;

	if (a->fd < 0)
		return;
	len = snprintf(text, sizeof(text), "%d", a->nice);
	for (int i = 0; i < TRIES; i++) {
		if (read_nice(a->fd, &now) < 0 || now == a->nice ||
		    write(a->fd, text, (size_t)len) == len || errno != EAGAIN)
			break;
		(void)nanosleep(&pause, NULL);
	}
	(void)close(a->fd);
	a->fd = -1;
}
