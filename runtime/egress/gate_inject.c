/* Passes connections to polinject (gate_inject.h). */
#include "runtime/egress/gate_inject.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "runtime/base/fd_pass.h"
#include "runtime/base/sys.h"
#include "runtime/egress/gate.h"

#define READY_MS 10000
#define TURN 64 /* messages of one event */

bool gate_inject_is_needed(const struct pb_egress *e)
{
	for (uint32_t i = 0; i < e->grants.count; i++) {
		const struct pb_grant *g = pb_at(e, e->grants, sizeof(*g), i);

		if (g->header.len)
			return true;
	}
	return false;
}

int gate_inject_ready(struct rt_err *err)
{
	struct pollfd p = { GATE_INJECT, POLLIN, 0 };
	struct inject_done d;
	ssize_t n;

	if (SYS_RETRY(poll(&p, 1, READY_MS)) <= 0)
		return rt_fail(err, ETIMEDOUT, "polinject does not answer");
	n = SYS_RETRY(recv(GATE_INJECT, &d, sizeof(d), 0));
	if (n == (ssize_t)sizeof(d) && d.type == INJECT_READY)
		return 0;
	if (n != (ssize_t)sizeof(d) || d.type != INJECT_FAILED)
		return rt_fail(err, ECHILD, "polinject has ended during its start");
	d.text[sizeof(d.text) - 1] = '\0';
	return rt_fail(err, d.error ? (int)d.error : EIO, "polinject: %s", d.text);
}

static struct gate_inject_wait *find(const struct gate_inject *g, uint32_t id)
{
	struct gate_inject_wait *w;

	LIST_FOREACH(w, &g->waits, link)
	if (w->id == id)
		return w;
	return NULL;
}

/* Reads one message.  False: polinject has ended, or is not itself any more. */
static bool hear(struct gate_inject *g, bool *ret_more)
{
	struct gate_inject_wait *w;
	struct inject_done d;
	ssize_t n = recv(GATE_INJECT, &d, sizeof(d), MSG_DONTWAIT | MSG_TRUNC);

	*ret_more = false;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return true;
	if (n != (ssize_t)sizeof(d) || d.type != INJECT_DONE || d.what >= GATE_WHAT_COUNT ||
	    d.what == 0 || d.why >= GATE_W_COUNT)
		return false;
	*ret_more = true;
	d.text[sizeof(d.text) - 1] = '\0';
	w = find(g, d.id);
	if (w) {
		gate_inject_cancel(w);
		w->done(w, &d);
	}
	return true;
}

static void on_message(evutil_socket_t fd, short what, void *arg)
{
	struct gate_inject *g = arg;
	bool more = true;

	(void)fd, (void)what;
	for (int i = 0; i < TURN && more; i++)
		if (!hear(g, &more))
			(void)event_base_loopbreak(g->base);
}

void gate_inject_finish(struct gate_inject *g, int ms)
{
	struct pollfd p = { GATE_INJECT, POLLIN, 0 };
	bool more;

	if (!g->on)
		return;
	(void)shutdown(GATE_INJECT, SHUT_WR);
	while (poll(&p, 1, ms) > 0 && hear(g, &more))
		;
}

int gate_inject_init(struct gate_inject *g, struct event_base *base)
{
	g->base = base;
	g->on = true;
	LIST_INIT(&g->waits);
	(void)event_assign(&g->event, base, GATE_INJECT, EV_READ | EV_PERSIST,
			   on_message, g);
	return event_add(&g->event, NULL) == 0 ? 0 : -ENOMEM;
}

int gate_inject_pass(struct gate_inject *g, const struct inject_open *open,
		     const int fd[2], struct gate_inject_wait *w)
{
	struct inject_open m = *open;
	int r;

	if (!g->on)
		return -ENOTCONN;
	/* 0 is no id, and one that is still in use is another connection's */
	do
		g->last++;
	while (g->last == 0 || find(g, g->last));
	m.type = INJECT_OPEN;
	m.id = g->last;
	r = fd_pass_send(GATE_INJECT, &m, sizeof(m), fd, 2, MSG_DONTWAIT);
	if (r < 0)
		return r;
	w->id = m.id;
	LIST_INSERT_HEAD(&g->waits, w, link);
	return 0;
}

void gate_inject_cancel(struct gate_inject_wait *w)
{
	if (w->id == 0)
		return;
	LIST_REMOVE(w, link);
	w->id = 0;
}
