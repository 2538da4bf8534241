/* Decides in which order and when the addresses of a name are tried. */
#include "runtime/egress/dial.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/base/host.h"
#include "runtime/base/sys.h"

uint64_t dial_now(void)
{
	return (uint64_t)sys_now_ms();
}

/* A socket of the address's own family: a v6 socket cannot be told to use v4 here. */
static int connect_to(const uint8_t addr[16], uint16_t port, int *ret_fd)
{
	struct sockaddr_in v4 = { .sin_family = AF_INET, .sin_port = htons(port) };
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6, .sin6_port = htons(port) };
	bool four = host_is_v4(addr);
	int one = 1, r;
	int fd = socket(four ? AF_INET : AF_INET6,
			SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -errno;
	memcpy(&v4.sin_addr, addr + 12, 4);
	memcpy(&v6.sin6_addr, addr, 16);
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	(void)setsockopt(fd, SOL_SOCKET, SO_OOBINLINE, &one, sizeof(one));
	r = connect(fd, four ? (const void *)&v4 : (const void *)&v6,
		    four ? sizeof(v4) : sizeof(v6));
	*ret_fd = fd;
	if (r == 0)
		return 0;
	r = -errno;
	if (r != -EINPROGRESS)
		(void)close(fd);
	return r;
}

static void drop(struct dial_try *t)
{
	if (t->fd < 0)
		return;
	(void)event_del(&t->event);
	(void)close(t->fd);
	t->fd = -1;
}

static bool waits(const struct dial *d)
{
	for (size_t i = 0; i < DIAL_AT_ONCE; i++)
		if (d->tries[i].fd >= 0)
			return true;
	return false;
}

void dial_stop(struct dial *d)
{
	for (size_t i = 0; i < DIAL_AT_ONCE; i++)
		drop(&d->tries[i]);
	(void)event_del(&d->timer);
}

static void on_connected(evutil_socket_t fd, short what, void *arg);

/* Begins attempts until one is under way.  As dial_start(). */
static int begin_next(struct dial *d)
{
	while (d->next < d->count) {
		struct dial_try *t = d->tries;
		int fd = -1, r;

		while (t < d->tries + DIAL_AT_ONCE && t->fd >= 0)
			t++;
		if (t == d->tries + DIAL_AT_ONCE)
			break;
		r = connect_to(d->addr[d->next], d->port, &fd);
		if (r == 0) {
			d->used = d->next;
			return fd;
		}
		/* without descriptors the attempts that are under way must do */
		if ((r == -EMFILE || r == -ENFILE || r == -ENOBUFS || r == -ENOMEM) &&
		    waits(d))
			break;
		d->next++;
		if (r != -EINPROGRESS) {
			d->error = -r;
			continue;
		}
		t->fd = fd;
		t->address = (uint8_t)(d->next - 1);
		(void)event_assign(&t->event, d->base, fd, EV_WRITE, on_connected, t);
		if (event_add(&t->event, NULL) != 0) {
			(void)close(fd);
			t->fd = -1;
			d->error = ENOMEM;
			continue;
		}
		break;
	}
	return waits(d) ? -EINPROGRESS : -(d->error ? d->error : ETIMEDOUT);
}

static void set_timer(struct dial *d)
{
	uint64_t left = d->began + DIAL_MS, now = dial_now();
	struct timeval tv;

	left = left > now ? left - now : 0;
	if (d->next < d->count && left > DIAL_STEP_MS)
		left = DIAL_STEP_MS;
	tv = (struct timeval){ (time_t)(left / 1000), (suseconds_t)(left % 1000 * 1000) };
	(void)event_add(&d->timer, &tv);
}

static void finish(struct dial *d, int r)
{
	dial_stop(d);
	d->done(d, r);
}

static void go_on(struct dial *d)
{
	int r = begin_next(d);

	if (r != -EINPROGRESS)
		finish(d, r);
	else
		set_timer(d);
}

static void on_connected(evutil_socket_t fd, short what, void *arg)
{
	struct dial_try *t = arg;
	struct dial *d = t->dial;
	socklen_t len = sizeof(int);
	int error = 0;

	(void)what;
	if (getsockopt((int)fd, SOL_SOCKET, SO_ERROR, &error, &len) != 0)
		error = errno;
	(void)event_del(&t->event);
	t->fd = -1;
	if (error == 0) {
		d->used = t->address;
		finish(d, (int)fd);
		return;
	}
	(void)close((int)fd);
	d->error = error;
	go_on(d);
}

static void on_timer(evutil_socket_t fd, short what, void *arg)
{
	struct dial *d = arg;

	(void)fd, (void)what;
	if (dial_now() >= d->began + DIAL_MS)
		finish(d, -ETIMEDOUT);
	else
		go_on(d);
}

int dial_start(struct dial *d)
{
	int r;

	d->next = 0;
	d->error = 0;
	d->began = dial_now();
	for (size_t i = 0; i < DIAL_AT_ONCE; i++)
		d->tries[i] = (struct dial_try){ .dial = d, .fd = -1 };
	(void)evtimer_assign(&d->timer, d->base, on_timer, d);
	r = begin_next(d);
	if (r == -EINPROGRESS)
		set_timer(d);
	else
		dial_stop(d);
	return r;
}
