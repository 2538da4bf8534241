/* Starts polgate, and turns its records into denials, connections and totals. */
#include "runtime/supervise/gateway.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"

#define READY_MS 10000 /* a machine may be busy; polgate needs a few ms */
#define FINISH_MS 500
#define FREE_FD 10     /* above the descriptors that polgate gets */

/* --- start ------------------------------------------------------------------------- */

/* The sealed memfd that polgate reads: nobody can change it any more. */
static int make_config(const struct sandbox_run *run, enum gate_asking ask,
		       const struct gateway_secrets *secrets, struct rt_err *err)
{
	struct bundle *b = run->bundle;
	const struct bundle_member *egress = bundle_member(b, PB_EGRESS);
	size_t size = egress ? egress->size : 0;
	const struct gate_config c = {
		.magic = GATE_MAGIC, .size = sizeof(c), .egress_size = (uint32_t)size,
		.rule_count = b->rules->rules.count,
		.otherwise_rule = b->rules->scalar_first + (uint32_t)PB_S_NET_OTHERWISE,
		.ask = (uint32_t)ask, .secret_count = secrets->count,
	};
	static const char zero[8];
	AUTO_CLOSE int fd = memfd_create("polgate", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	int r;

	if (!egress)
		return rt_fail(err, ENOENT, "the bundle has no egress.bin");
	if (fd < 0)
		return rt_fail_errno(err, errno, "memory for the gateway's rules");
	r = io_write_all(fd, &c, sizeof(c));
	if (r == 0)
		r = io_write_all(fd, egress->data, size);
	if (r == 0 && secrets->count)
		r = io_write_all(fd, zero, -size & 7);
	if (r == 0 && secrets->count)
		r = io_write_all(fd, secrets->bytes, secrets->size);
	if (r < 0)
		return rt_fail_errno(err, -r, "the gateway's rules");
	if (fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) < 0)
		return rt_fail_errno(err, errno, "sealing the gateway's rules");
	return io_steal_fd(&fd);
}

struct child {
	int program, sock, config, null;
	bool drop; /* root: become a uid that owns nothing */
};

static bool become_nobody(void)
{
	uid_t id = SANDBOX_ROOT_RUN_BASE + (uid_t)getpid();

	return setgroups(0, NULL) == 0 && setresgid(id, id, id) == 0 && setresuid(id, id, id) == 0;
}

/* polrun sees the end of the control socket, so no reason needs to be passed on. */
static void __attribute__((noreturn)) become_polgate(const struct child *c)
{
	char *argv[] = { (char *)(uintptr_t) "polgate", NULL };
	char *envp[] = { NULL };
	const int from[] = { c->null, c->null, c->null, c->sock, c->config };
	sigset_t none;

	(void)sigemptyset(&none);
	/* signals of the terminal are for the command */
	if (setsid() < 0 || sigprocmask(SIG_SETMASK, &none, NULL) < 0)
		_exit(125);
	for (int fd = 0; fd < (int)(sizeof(from) / sizeof(from[0])); fd++)
		if (SYS_RETRY(dup2(from[fd], fd)) < 0)
			_exit(125);
	if (sys_close_range(GATE_CONFIG + 1, (unsigned)c->program - 1, 0) < 0 ||
	    sys_close_range((unsigned)c->program + 1, ~0u, 0) < 0)
		_exit(125);
	if (c->drop && !become_nobody())
		_exit(125);
	/* after the change of the uid, which clears it */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0)
		_exit(125);
	(void)sys_execveat(c->program, "", argv, envp, AT_EMPTY_PATH);
	_exit(125);
}

static int above(int fd)
{
	return fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, FREE_FD);
}

int gateway_start(struct gateway *g, const struct sandbox_run *run, int program,
		  enum gate_asking ask, const struct gateway_secrets *secrets,
		  struct rt_err *err)
{
	int pair[2] = { -1, -1 };
	AUTO_CLOSE int given = make_config(run, ask, secrets, err);
	AUTO_CLOSE int config = above(given), prog = above(program), peer = -1, null = -1;
	struct child c;

	if (given < 0)
		return given;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return rt_fail_errno(err, errno, "the gateway's socket");
	g->sock = pair[0];
	peer = above(pair[1]);
	(void)close(pair[1]);
	null = sys_open("/dev/null", O_RDWR | O_CLOEXEC, 0);
	if (null >= 0 && null < FREE_FD) {
		int low = null;

		null = above(low);
		(void)close(low);
	}
	if (config < 0 || prog < 0 || peer < 0 || null < 0)
		return rt_fail_errno(err, errno, "the gateway's descriptors");
	c = (struct child){ prog, peer, config, null, geteuid() == 0 };
	g->pid = fork();
	if (g->pid == 0)
		become_polgate(&c);
	if (g->pid < 0) {
		g->pid = 0;
		return rt_fail_errno(err, errno, "a process for the gateway");
	}
	g->pidfd = sys_pidfd_open(g->pid, 0);
	if (g->pidfd < 0)
		return rt_fail_errno(err, errno, "the gateway's descriptor");
	return 0;
}

/* --- messages ----------------------------------------------------------------------- */

static int send_sockets(const struct gateway *g, const struct sandbox_child *child)
{
	union {
		char buf[CMSG_SPACE(GATE_SOCKET_COUNT * sizeof(int))];
		struct cmsghdr align;
	} u;
	struct gate_message msg = { .type = GATE_SOCKETS };
	struct iovec iov = { &msg, sizeof(msg) };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = u.buf };
	int fds[GATE_SOCKET_COUNT];
	struct cmsghdr *c;
	size_t n = 0;

	memset(&u, 0, sizeof(u));
	for (int i = 0; i < GATE_SOCKET_COUNT; i++)
		if (child->sockets[i] >= 0) {
			msg.value |= 1u << i;
			fds[n++] = child->sockets[i];
		}
	m.msg_controllen = CMSG_SPACE(n * sizeof(int));
	c = CMSG_FIRSTHDR(&m);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(n * sizeof(int));
	memcpy(CMSG_DATA(c), fds, n * sizeof(int));
	return SYS_RETRY(sendmsg(g->sock, &m, MSG_NOSIGNAL)) < 0 ? -errno : 0;
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
	char host[300], addr[INET6_ADDRSTRLEN] = "", extra[300] = "", text[200];
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	bool v4 = memcmp(r->addr, mapped, sizeof(mapped)) == 0;

	if (r->has_addr)
		(void)inet_ntop(v4 ? AF_INET : AF_INET6, v4 ? r->addr + 12 : r->addr, addr,
				sizeof(addr));
	if (r->name[0])
		io_escape(host, sizeof(host), r->name, strlen(r->name));
	else
		(void)snprintf(host, sizeof(host), v4 ? "%s" : "[%s]", addr);
	io_escape(text, sizeof(text), r->text, strlen(r->text));
	if (r->name[0] && r->why == GATE_W_GUARD)
		(void)snprintf(extra, sizeof(extra), ", which leads to %s", addr);
	else if (text[0])
		(void)snprintf(extra, sizeof(extra), ", %s", text);
	if (r->port)
		(void)snprintf(out, cap, "%s %s:%u%s", r->udp ? "udp" : "tcp", host, r->port,
			       extra);
	else
		(void)snprintf(out, cap, "%s%s", host, extra);
}

static void keep(struct gateway_log *log, const struct gate_record *r)
{
	if (log->n >= GATEWAY_RECORDS_MAX) {
		log->lost++;
		return;
	}
	/* grown by doubling: the capacity follows from n */
	if ((log->n & (log->n - 1)) == 0) {
		struct gate_record *v = realloc(log->v, (log->n ? log->n * 2 : 1) * sizeof(*v));

		if (!v) {
			log->lost++;
			return;
		}
		log->v = v;
	}
	log->v[log->n++] = *r;
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
	switch ((enum gate_what)r->what) {
	case GATE_CLOSED:
		log->connections += r->count;
		log->up += r->up;
		log->down += r->down;
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
	gateway_subject(r, subject, sizeof(subject));
	denials_add_many(d, "network", r->what == GATE_NO_NAME ? "resolve" : "connect", subject,
			 errno_of(r), r->rule, r->count);
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

static void end_polgate(struct gateway *g)
{
	if (g->sock >= 0)
		(void)close(g->sock);
	g->sock = -1;
	if (g->pid > 0) {
		(void)sys_pidfd_send_signal(g->pidfd, SIGKILL, NULL, 0);
		while (waitpid(g->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	g->pid = 0;
	if (g->pidfd >= 0)
		(void)close(g->pidfd);
	g->pidfd = -1;
}

static int64_t now_ms(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

void gateway_finish(struct gateway *g, struct denials *d)
{
	struct pollfd p = { g->sock, POLLIN, 0 };
	int64_t until = now_ms() + FINISH_MS, left;

	if (g->sock < 0)
		return;
	if (send_message(g, GATE_END, 0, 0) == 0)
		while ((left = until - now_ms()) > 0 && SYS_RETRY(poll(&p, 1, (int)left)) > 0 &&
		       gateway_serve(g, d) == 0)
			;
	end_polgate(g);
}

void gateway_release(struct gateway *g)
{
	end_polgate(g);
	free(g->log.v);
	g->log = (struct gateway_log){ 0 };
}
