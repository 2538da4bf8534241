/*
 * One message on a unix socket, with descriptors beside it (SCM_RIGHTS).  No allocation;
 * usable between fork and exec.
 */
#ifndef RUNTIME_BASE_FD_PASS_H
#define RUNTIME_BASE_FD_PASS_H

#include <stddef.h>
#include <sys/types.h>

#define FD_PASS_MOST 16

/*
 * Sends `size` bytes (at least one) and the descriptors, which stay open here.  `flags` are
 * those of sendmsg(); MSG_NOSIGNAL is added.  0 or -errno; -EINVAL above FD_PASS_MOST.
 */
int fd_pass_send(int sock, const void *p, size_t size, const int *fds, size_t n, int flags);

/*
 * Receives one message of at most `size` bytes: its size, 0 at the end, or -errno.
 * *ret_n is how many descriptors came, close-on-exec and now the caller's; `fds` has room
 * for `most`, at most FD_PASS_MOST.  If more came, or the message was cut, all are closed and
 * the result is -EPROTO.
 */
ssize_t fd_pass_receive(int sock, void *p, size_t size, int flags, int *fds, size_t most,
			size_t *ret_n);

#endif
