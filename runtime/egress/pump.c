/* Moves bytes between two sockets.  Decides nothing. */
#include "runtime/egress/pump.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

void pump_init(struct pump *p, uint32_t pipes)
{
	p->spare_count = p->open = 0;
	p->most = pipes;
}

void pump_release(struct pump *p)
{
	while (p->spare_count > 0) {
		p->spare_count--;
		(void)close(p->spare[p->spare_count][0]);
		(void)close(p->spare[p->spare_count][1]);
	}
	p->open = 0;
}

void pump_way_init(struct pump_way *w, int from, int to)
{
	*w = (struct pump_way){ .from = from, .to = to, .pipe = { -1, -1 },
				.budget = UINT64_MAX };
}

static bool borrow(struct pump *p, struct pump_way *w)
{
	if (w->pipe[0] >= 0)
		return true;
	if (p->spare_count > 0) {
		p->spare_count--;
		w->pipe[0] = p->spare[p->spare_count][0];
		w->pipe[1] = p->spare[p->spare_count][1];
		return true;
	}
	if (p->open >= p->most || pipe2(w->pipe, O_NONBLOCK | O_CLOEXEC) != 0) {
		w->pipe[0] = w->pipe[1] = -1;
		return false;
	}
	p->open++;
	/* the first ones are longer: the kernel grants a user only so many pages */
	if (p->open <= PUMP_LONG)
		(void)fcntl(w->pipe[0], F_SETPIPE_SZ, PUMP_MOVE);
	return true;
}

static void give_back(struct pump *p, struct pump_way *w)
{
	if (w->pipe[0] < 0)
		return;
	if (w->held == 0 && p->spare_count < PUMP_SPARE) {
		p->spare[p->spare_count][0] = w->pipe[0];
		p->spare[p->spare_count][1] = w->pipe[1];
		p->spare_count++;
	} else {
		(void)close(w->pipe[0]);
		(void)close(w->pipe[1]);
		p->open--;
	}
	w->pipe[0] = w->pipe[1] = -1;
	w->held = 0;
}

void pump_way_release(struct pump *p, struct pump_way *w)
{
	give_back(p, w);
}

long pump_peek(struct pump *p, int fd)
{
	ssize_t n;

	do
		n = recv(fd, p->buffer, sizeof(p->buffer), MSG_PEEK | MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -(long)errno : (long)n;
}

static void passed(struct pump_way *w, size_t n)
{
	w->total += n;
	/* the caller may have lowered it below what the pipe holds */
	if (w->budget != UINT64_MAX)
		w->budget -= n < w->budget ? n : w->budget;
}

/* Sends what it has peeked at and takes only that out of the source, so nothing is ever
 * left over.  1: some bytes passed; 0: none could; -1: errno. */
static int copy(struct pump *p, struct pump_way *w)
{
	long n = pump_peek(p, w->from);
	ssize_t sent;

	if (n == -EAGAIN) {
		w->readable = false;
		return 0;
	}
	if (n == 0) {
		w->eof = true;
		return 1;
	}
	if (n < 0) {
		errno = (int)-n;
		return -1;
	}
	if ((uint64_t)n > w->budget)
		n = (long)w->budget;
	sent = send(w->to, p->buffer, (size_t)n, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (sent < 0 && errno == EAGAIN) {
		w->writable = false;
		return 0;
	}
	if (sent < 0)
		return -1;
	for (ssize_t left = sent; left > 0;) {
		/* discards: the bytes are there, nobody else reads this socket */
		ssize_t gone = recv(w->from, p->buffer, (size_t)left,
				    MSG_TRUNC | MSG_DONTWAIT);

		if (gone <= 0)
			return -1;
		left -= gone;
	}
	passed(w, (size_t)sent);
	return 1;
}

/* From the source into the pipe.  As copy(). */
static int fill(struct pump *p, struct pump_way *w)
{
	size_t most = w->budget < PUMP_MOVE ? (size_t)w->budget : PUMP_MOVE;
	ssize_t n;

	if (!borrow(p, w))
		return copy(p, w);
	n = splice(w->from, NULL, w->pipe[1], NULL, most,
		   SPLICE_F_NONBLOCK | SPLICE_F_MOVE);
	if (n > 0) {
		w->held = (uint32_t)n;
		return 1;
	}
	/* Before a byte that was sent as urgent splice() stops as if there were nothing, and
	   after a FIN as if it were the end; recv() knows. */
	return n == 0 || errno == EAGAIN ? copy(p, w) : -1;
}

/* From the pipe into the destination.  As copy(). */
static int drain(struct pump *p, struct pump_way *w)
{
	ssize_t n = splice(w->pipe[0], NULL, w->to, NULL, w->held,
			   SPLICE_F_NONBLOCK | SPLICE_F_MOVE);

	if (n < 0 && errno == EAGAIN) {
		w->writable = false;
		return 0;
	}
	if (n <= 0)
		return -1;
	w->held -= (uint32_t)n;
	passed(w, (size_t)n);
	if (w->held == 0)
		give_back(p, w);
	return 1;
}

enum pump_result pump_run(struct pump *p, struct pump_way *w)
{
	for (int i = 0; i < PUMP_ROUNDS; i++) {
		int r;

		if (w->held == 0 && w->eof) {
			give_back(p, w);
			(void)shutdown(w->to, SHUT_WR);
			return PUMP_END;
		}
		if (w->held == 0 && w->budget == 0)
			return PUMP_SPENT;
		if (!w->writable || (w->held == 0 && !w->readable)) {
			if (w->held == 0)
				give_back(p, w);
			return PUMP_WAIT;
		}
		r = w->held ? drain(p, w) : fill(p, w);
		if (r < 0)
			return PUMP_BROKEN;
	}
	return PUMP_AGAIN;
}
