/* Turns polgate's records into denials, connections and totals, and passes questions and
 * answers on. */
#include "runtime/supervise/gateway.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/fd_pass.h"
#include "runtime/base/host.h"
#include "runtime/base/io.h"
#include "runtime/base/sys.h"
#include "runtime/decide/rule_text.h"

#define READY_MS 10000 /* a machine may be busy; polgate needs a few ms */
#define FINISH_MS 500

/* --- messages ----------------------------------------------------------------------- */

static int send_sockets(const struct gateway *g, const struct sandbox_child *child)
{
	struct gate_message msg = { .type = GATE_SOCKETS };
	int fds[GATE_SOCKET_COUNT];
	size_t n = 0;

	for (int i = 0; i < GATE_SOCKET_COUNT; i++)
		if (child->sockets[i] >= 0) {
			msg.value |= 1u << i;
			fds[n++] = child->sockets[i];
		}
	return fd_pass_send(g->sock, &msg, sizeof(msg), fds, n, 0);
}

union message {
	struct gate_message m;
	struct gate_record r;
};

/* Reads one message: its size, 0 at the end, or -errno. */
static ssize_t read_message(const struct gateway *g, int flags, union message *ret)
{
	ssize_t n = SYS_RETRY(recv(g->sock, ret, sizeof(*ret), flags));

	if (n < 0)
		return errno == ECONNRESET ? 0 : -errno;
	if (n > 0 && (size_t)n != sizeof(ret->m) && (size_t)n != sizeof(ret->r))
		return -EPROTO;
	if ((size_t)n == sizeof(ret->r)) {
		ret->r.name[sizeof(ret->r.name) - 1] = '\0';
		ret->r.text[sizeof(ret->r.text) - 1] = '\0';
	}
	return n;
}

static int not_ready(ssize_t n, const union message *m, struct rt_err *err)
{
	char text[400];

	if (n == (ssize_t)sizeof(m->r) && m->r.type == GATE_FAILED) {
		io_escape(text, sizeof(text), m->r.text, strlen(m->r.text));
		return rt_fail(err, m->r.error ? (int)m->r.error : EIO, "polgate: %s", text);
	}
	return n < 0 ? rt_fail_errno(err, (int)-n, "polgate's answer") :
		       rt_fail(err, ECHILD, "polgate has ended during its start");
}

int gateway_give(struct gateway *g, struct sandbox_child *child, struct rt_err *err)
{
	struct pollfd p = { g->sock, POLLIN, 0 };
	union message m;
	ssize_t n;
	int r = send_sockets(g, child);

	sandbox_drop_sockets(child);
	if (r < 0 && r != -EPIPE && r != -ECONNRESET)
		return rt_fail_errno(err, -r, "passing the sockets to polgate");
	if (SYS_RETRY(poll(&p, 1, READY_MS)) <= 0)
		return rt_fail(err, ETIMEDOUT, "polgate does not answer");
	n = read_message(g, 0, &m);
	if (n != (ssize_t)sizeof(m.m) || m.m.type != GATE_READY)
		return not_ready(n, &m, err);
	g->init_pid = child->init_pid;
	/* from now on it must not be able to hold the supervisor up */
	return fcntl(g->sock, F_SETFL, O_NONBLOCK) == 0 ? 0 :
		       rt_fail_errno(err, errno, "polgate's socket");
}

/* --- records ------------------------------------------------------------------------ */

void gateway_subject(const struct gate_record *r, char *out, size_t cap)
{
	char host[300], addr[HOST_TEXT] = "", extra[GATE_TEXT + 24] = "", text[GATE_TEXT];
	bool v4 = false;

	if (r->has_addr)
		v4 = host_text(r->addr, addr);
	if (r->name[0])
		io_escape(host, sizeof(host), r->name, strlen(r->name));
	else
		(void)snprintf(host, sizeof(host), v4 ? "%s" : "[%s]", addr);
	io_escape(text, sizeof(text), r->text, strlen(r->text));
	if (r->name[0] && r->why == GATE_W_GUARD)
		(void)snprintf(extra, sizeof(extra), ", which leads to %s", addr);
	else if (text[0])
		(void)snprintf(extra, sizeof(extra), ", %s%s",
			       strchr(text, ' ') ? "" : /* words, and no name */
			       r->why == GATE_W_SNI ? "TLS for " :
			       r->why == GATE_W_HOST ? "HTTP for " : "", text);
	if (!r->has_addr && !r->name[0] && text[0])
		(void)snprintf(out, cap, "%s", text);
	else if (r->port)
		(void)snprintf(out, cap, "%s %s:%u%s", r->udp ? "udp" : "tcp", host, r->port,
			       extra);
	else
		(void)snprintf(out, cap, "%s%s", host, extra);
}

static void keep_in(struct gate_record **list, size_t *count, uint64_t *lost,
		    const struct gate_record *r)
{
	size_t n = *count;

	if (n >= GATEWAY_RECORDS_MAX) {
		++*lost;
		return;
	}
	/* grown by doubling: the capacity follows from n */
	if ((n & (n - 1)) == 0) {
		struct gate_record *v = realloc(*list, (n ? n * 2 : 1) * sizeof(*v));

		if (!v) {
			++*lost;
			return;
		}
		*list = v;
	}
	(*list)[(*count)++] = *r;
}

static void keep(struct gateway_log *log, const struct gate_record *r)
{
	keep_in(&log->v, &log->n, &log->lost, r);
}

/* What the caller of connect() saw. */
static int errno_of(const struct gate_record *r)
{
	if (r->what == GATE_NO_NAME)
		return ENOENT;
	if (r->what == GATE_DROPPED)
		return r->udp ? EPERM : ECONNREFUSED;
	return ECONNRESET;
}

static int take_record(struct gateway *g, const struct gate_record *r, struct denials *d)
{
	char subject[sizeof(d->v->subject)];
	struct gateway_log *log = &g->log;

	if (r->what == 0 || r->what >= GATE_WHAT_COUNT || r->why >= GATE_W_COUNT || !r->count)
		return -EPROTO;
	/* what passed before a limit was met has passed as well */
	log->up += r->up;
	log->down += r->down;
	switch ((enum gate_what)r->what) {
	case GATE_CLOSED:
		log->connections += r->count;
		keep(log, r);
		return 0;
	case GATE_UNREACHED:
		log->unreached += r->count;
		keep(log, r);
		return 0;
	case GATE_REFUSED:
	case GATE_NO_NAME:
	case GATE_DROPPED:
	case GATE_WHAT_COUNT:
		break;
	}
	log->refused += r->count;
	keep_in(&log->refused_v, &log->refused_n, &log->refused_lost, r);
	gateway_subject(r, subject, sizeof(subject));
	(r->has_addr || r->name[0] ? denials_add_net : denials_add_note)(
		d, r->what == GATE_NO_NAME ? "resolve" : "connect", subject, errno_of(r),
		g->bundle ? explain_named(g->bundle, r->rule) : r->rule, (uint8_t)r->why, r->count);
	return 0;
}

/* write(), since the supervisor's own filter has no send(). */
static int send_message(const struct gateway *g, uint32_t type, uint32_t id, uint32_t value)
{
	const struct gate_message m = { .type = type, .id = id, .value = value };
	ssize_t n = SYS_RETRY(write(g->sock, &m, sizeof(m)));

	return n == (ssize_t)sizeof(m) ? 0 : n < 0 ? -errno : -EIO;
}

/* If nobody can be asked now, the answer is no. */
static int pass_question(struct gateway *g, const struct gate_record *r)
{
	const struct gate_question q = { .init_pid = g->init_pid, .record = *r };

	if (g->ask >= 0 && SYS_RETRY(write(g->ask, &q, sizeof(q))) == (ssize_t)sizeof(q))
		return 0;
	return send_message(g, GATE_ANSWER, r->id, GATE_NO);
}

int gateway_hear_answer(struct gateway *g)
{
	struct gate_message m;
	ssize_t n = SYS_RETRY(recv(g->ask, &m, sizeof(m), MSG_DONTWAIT));

	if (n < 0 && errno == EAGAIN)
		return 0;
	if (n <= 0)
		return n < 0 && errno != ECONNRESET ? -errno : -ECHILD;
	if (n != (ssize_t)sizeof(m) || m.type != GATE_ANSWER)
		return -EPROTO;
	return g->sock >= 0 ? send_message(g, GATE_ANSWER, m.id, m.value == GATE_YES) : 0;
}

/* 1: a message was taken; 0: none is there; -errno. */
static int serve_one(struct gateway *g, struct denials *d)
{
	union message m;
	ssize_t n = read_message(g, MSG_DONTWAIT, &m);

	if (n == -EAGAIN)
		return 0;
	if (n <= 0)
		return n < 0 ? (int)n : -ECHILD;
	if ((size_t)n == sizeof(m.r) && m.r.type == GATE_EVENT) {
		int r = take_record(g, &m.r, d);

		return r < 0 ? r : 1;
	}
	if ((size_t)n == sizeof(m.r) && m.r.type == GATE_ASK) {
		int r = pass_question(g, &m.r);

		return r < 0 ? r : 1;
	}
	return -EPROTO;
}

int gateway_serve(struct gateway *g, struct denials *d)
{
	int r;

	do
		r = serve_one(g, d);
	while (r > 0);
	return r;
}

/* --- end ---------------------------------------------------------------------------- */

static void end_process(pid_t *pid, int *pidfd)
{
	if (*pid > 0) {
		(void)sys_pidfd_send_signal(*pidfd, SIGKILL, NULL, 0);
		while (waitpid(*pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	*pid = 0;
	if (*pidfd >= 0)
		(void)close(*pidfd);
	*pidfd = -1;
}

static void end_polgate(struct gateway *g)
{
	if (g->sock >= 0)
		(void)close(g->sock);
	g->sock = -1;
	end_process(&g->pid, &g->pidfd);
	end_process(&g->inject_pid, &g->inject_pidfd);
}

void gateway_finish(struct gateway *g, struct denials *d)
{
	struct pollfd p = { g->sock, POLLIN, 0 };
	int64_t until = sys_now_ms() + FINISH_MS, left;

	if (g->sock < 0)
		return;
	if (send_message(g, GATE_END, 0, 0) == 0)
		while ((left = until - sys_now_ms()) > 0 && SYS_RETRY(poll(&p, 1, (int)left)) > 0 &&
		       gateway_serve(g, d) == 0)
			;
	end_polgate(g);
}

void gateway_release(struct gateway *g)
{
	end_polgate(g);
	free(g->log.v);
	free(g->log.refused_v);
	g->log = (struct gateway_log){ 0 };
}
