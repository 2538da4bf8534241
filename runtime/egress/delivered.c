/* Asks the kernel about the other end of a TCP connection (delivered.h). */
#include "runtime/egress/delivered.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

enum { CLOSED = 7 }; /* TCP_CLOSE of the kernel's net/tcp_states.h, which no program may include */

static bool look(int fd, struct tcp_info *ret)
{
	socklen_t n = sizeof(*ret);

	memset(ret, 0, sizeof(*ret));
	return getsockopt(fd, IPPROTO_TCP, TCP_INFO, ret, &n) == 0;
}

bool is_broken_off(int fd)
{
	struct tcp_info info;

	return look(fd, &info) && info.tcpi_state == CLOSED;
}

bool is_delivered(int fd)
{
	struct tcp_info info;

	return !look(fd, &info) || info.tcpi_state == CLOSED ||
	       (info.tcpi_unacked == 0 && info.tcpi_notsent_bytes == 0);
}
