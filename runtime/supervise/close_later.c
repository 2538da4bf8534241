/* Puts descriptors into a message that only the kernel can throw away: see
 * close_later.h. */
#include "runtime/supervise/close_later.h"

#include <sys/socket.h>
#include <unistd.h>

#include "runtime/base/fd_pass.h"

_Static_assert(CLOSE_LATER_MOST + 1 <= FD_PASS_MOST, "all in one message");

void close_later_keep(struct close_later *c, const int *fds, size_t n)
{
	int pair[2], all[CLOSE_LATER_MOST + 1];
	size_t k = 1;

	if (n > CLOSE_LATER_MOST || socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair) != 0)
		return;
	*c = (struct close_later){ pair[0], pair[1] };
	all[0] = c->in;
	for (size_t i = 0; i < n; i++)
		if (fds[i] >= 0)
			all[k++] = fds[i];
	/* the queue of `in` then holds `in` itself */
	if (fd_pass_send(c->out, "k", 1, all, k, 0) < 0)
		close_later_release(c);
}

void close_later_release(struct close_later *c)
{
	/* The order matters: the close of `out` starts the collection, and by then only
	 * the message holds `in`. */
	if (c->in >= 0)
		(void)close(c->in);
	if (c->out >= 0)
		(void)close(c->out);
	*c = (struct close_later)CLOSE_LATER_NONE;
}
