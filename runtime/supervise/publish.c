/* Starts the process that passes connections into the run, and confines it: see publish.h. */
#include "runtime/supervise/publish.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/fd_pass.h"
#include "runtime/base/io.h"
#include "runtime/base/landlock.h"
#include "runtime/base/own_filter.h"
#include "runtime/base/sys.h"
#include "runtime/egress/gate.h"
#include "runtime/sandbox/launch.h"

enum { END_MS = 2000 };

#define LOWEST_PORT "/proc/sys/net/ipv4/ip_unprivileged_port_start"

/* What polrun sends beside the descriptor of the run's pid 1. */
struct entering {
	uint32_t uid, gid; /* root: of the run, as it numbers them; else 0 */
};

/* --- the process ------------------------------------------------------------------------- */

#ifdef POL_SAN
/* The run time of the sanitizers opens and maps on its own. */
static int filter_calls(bool watches)
{
	(void)watches;
	return 0;
}
#else
static const int allowed[] = {
	SYS_read, SYS_write, SYS_recvfrom, SYS_sendto, SYS_close, SYS_lseek, SYS_poll, SYS_ppoll,
	SYS_accept4, SYS_connect, SYS_shutdown, SYS_getsockopt, SYS_munmap, SYS_brk, SYS_madvise,
	SYS_clock_gettime, SYS_gettimeofday, SYS_getrandom, SYS_futex, SYS_rt_sigreturn,
	SYS_restart_syscall, SYS_exit, SYS_exit_group,
};

static const int of_rules[] = { SYS_bind, SYS_listen };

static int filter_calls(bool watches)
{
	static const int families[] = { AF_INET, AF_INET6 }, levels[] = { SOL_SOCKET, IPPROTO_TCP };
	struct own_filter f;
	size_t call;

	own_filter_begin(&f, (struct sock_filter)KILL);
	own_filter_calls(&f, allowed, OWN_FILTER_COUNT(allowed), (struct sock_filter)ALLOW);
	if (watches)
		own_filter_calls(&f, of_rules, OWN_FILTER_COUNT(of_rules), (struct sock_filter)ALLOW);
	own_filter_allow_if(&f, SYS_setsockopt, 1, levels, OWN_FILTER_COUNT(levels));
	own_filter_allow_if(&f, SYS_ioctl, 1, (const int[]){ TCGETS }, 1);
	call = own_filter_call(&f, SYS_socket);
	OWN_FILTER_ADD(&f, LOAD_ARG(0));
	own_filter_one_of(&f, families, OWN_FILTER_COUNT(families));
	OWN_FILTER_ADD(&f, LOAD_ARG(1));
	own_filter_one_of(&f, (const int[]){ SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK }, 1);
	OWN_FILTER_ADD(&f, LOAD_ARG(2));
	own_filter_one_of(&f, (const int[]){ 0 }, 1);
	OWN_FILTER_ADD(&f, ALLOW);
	own_filter_end(&f, call);
	return own_filter_load(&f);
}
#endif

/* A second protection: without Landlock the filter alone keeps files away. */
static int restrict_files(void)
{
	int abi = sys_landlock_abi();
	struct rt_landlock_attr all = landlock_all(abi);
	AUTO_CLOSE int fd = -1;

	if (abi == 0)
		return 0;
	all.handled_access_net &= ~(uint64_t)(LANDLOCK_ACCESS_NET_CONNECT_TCP | LANDLOCK_ACCESS_NET_BIND_TCP);
	fd = landlock_ruleset(&all, abi);
	return fd < 0 || sys_landlock_restrict(fd, 0) != 0 ? -errno : 0;
}

static int confine(bool watches)
{
	static const struct rlimit none = { 0, 0 };
	struct __user_cap_header_struct h = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct no_caps[2] = { 0 };
	int r;

	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0 || setrlimit(RLIMIT_CORE, &none) != 0 ||
	    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || syscall(SYS_capset, &h, no_caps) != 0)
		return -errno;
	r = restrict_files();
	return r < 0 ? r : filter_calls(watches);
}

/* A published port of the run at which no program may listen would lead nowhere, and no program of a
 * run has the capability for those below 1024.  The setting is that of the caller's network namespace.
 * Where it cannot be written, such a program says itself that it may not listen. */
static void let_listen_from(uint16_t port)
{
	char text[8];
	int n = snprintf(text, sizeof(text), "%u", port);
	AUTO_CLOSE int fd = sys_open(LOWEST_PORT, O_WRONLY | O_CLOEXEC, 0);

	if (fd >= 0)
		(void)!SYS_RETRY(write(fd, text, (size_t)n));
}

/* As an ordinary user the run's user namespace is polrun's own, which gives the right to enter the
 * network of the run. */
static int enter(struct forward *f, pid_t polrun)
{
	AUTO_CLOSE int init = -1;
	struct entering in;
	size_t n;
	ssize_t got = fd_pass_receive(f->stop, &in, sizeof(in), 0, &init, 1, &n);
	int r;

	if (got != (ssize_t)sizeof(in) || n != 1)
		_exit(0); /* the run has not begun */
	if (setns(init, CLONE_NEWUSER | CLONE_NEWNET) != 0)
		return -errno;
	if (f->lowest)
		let_listen_from(f->lowest);
	if (in.uid && (syscall(SYS_setresgid, in.gid, in.gid, in.gid) != 0 ||
		       syscall(SYS_setresuid, in.uid, in.uid, in.uid) != 0))
		return -errno;
	/* the change of credentials has cleared it */
	r = sys_die_with(polrun);
	f->most = forward_most(f);
	if (r == 0 && f->watches)
		listening_open(&f->inside, 0);
	return r < 0 ? r : confine(f->watches);
}

/* stderr stays, for messages. */
static int keep_needed(const struct forward *f)
{
	int keep[2 + 2 * (FORWARD_GIVEN + FORWARD_FOUND)] = { STDERR_FILENO, f->stop };
	size_t n = 2;

	for (size_t i = 0; i < f->nports; i++) {
		keep[n++] = f->ports[i].fds[0];
		keep[n++] = f->ports[i].fds[1];
	}
	return io_close_others(keep, n);
}

static void __attribute__((noreturn)) become_forwarder(struct forward *f, pid_t polrun)
{
	sigset_t all;
	int r;

	(void)sigfillset(&all);
	/* signals of the terminal are for the command */
	if (sys_die_with(polrun) < 0 || setpgid(0, 0) < 0 || (geteuid() == 0 && setgroups(0, NULL) < 0) || sigprocmask(SIG_SETMASK, &all, NULL) < 0 ||
	    keep_needed(f) < 0)
		_exit(125);
	r = enter(f, polrun);
	if (SYS_RETRY(write(f->stop, &r, sizeof(r))) != (ssize_t)sizeof(r) || r < 0)
		_exit(125);
	forward_serve(f);
	_exit(0);
}

/* --- polrun's side ----------------------------------------------------------------------- */

static int listen_given(struct forward *f, const struct publish_want *want, struct rt_err *err)
{
	for (size_t i = 0; i < want->ngiven; i++) {
		const struct publish_pair *g = &want->given[i];
		struct forward_port *p = &f->ports[f->nports++];
		int r;

		p->host = g->host;
		p->inside = g->inside;
		r = forward_make(p);
		if (r == 0 && g->host < PUBLISH_UNPRIVILEGED && geteuid() != 0)
			return rt_fail(err, EACCES, "-P %u: ports below %d are root's: -P PORT:%u publishes "
				       "the run's port %u at another", g->host, PUBLISH_UNPRIVILEGED, g->inside, g->inside);
		if (r == 0)
			r = forward_listen(p);
		if (r == -EADDRINUSE)
			return rt_fail(err, EADDRINUSE, "-P %u: port %u of this machine is in use: -P PORT:%u "
				       "publishes the run's port %u at another", g->host, g->host, g->inside,
				       g->inside);
		if (r < 0)
			return rt_fail_errno(err, -r, "-P %u", g->host);
	}
	return 0;
}

/* Sockets for the ports at which the run may listen: they must be made in this namespace. */
static int make_spare(struct forward *f, const struct ports *wanted, struct rt_err *err)
{
	f->watches = true;
	f->wanted = *wanted;
	if (geteuid() != 0)
		memset(f->wanted.v, 0, PUBLISH_UNPRIVILEGED / 8);
	for (size_t i = 0; i < FORWARD_FOUND; i++) {
		int r = forward_make(&f->ports[f->nports++]);

		if (r < 0)
			return rt_fail_errno(err, -r, "a socket for a port that is published");
	}
	return 0;
}

/* The lowest port below 1024 that is published; 0: none is.  The gateway listens inside at its own. */
static uint16_t lowest_published(const struct forward *f, bool gateway)
{
	for (uint16_t port = gateway ? GATE_DNS_PORT + 1 : 1; port < PUBLISH_UNPRIVILEGED; port++) {
		if (ports_has(&f->wanted, port))
			return port;
		for (size_t i = 0; i < f->nports; i++)
			if (f->ports[i].inside == port)
				return port;
	}
	return 0;
}

static int start(struct publish *p, struct forward *f, struct rt_err *err)
{
	pid_t polrun = getpid();
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return rt_fail_errno(err, errno, "a socket for published ports");
	p->pid = fork();
	if (p->pid == 0) {
		f->stop = pair[1];
		become_forwarder(f, polrun);
	}
	(void)close(pair[1]);
	p->sock = pair[0];
	if (p->pid > 0)
		return 0;
	p->pid = 0;
	(void)close(p->sock);
	p->sock = -1;
	return rt_fail_errno(err, errno, "a process for published ports");
}

int publish_start(struct publish *p, const struct publish_want *want, struct rt_err *err)
{
	AUTO_FREE struct forward *f = NULL;
	int r;

	if (!want->ngiven && !want->wanted)
		return 0;
	f = calloc(1, sizeof(*f));
	if (!f)
		return rt_fail(err, ENOMEM, "no memory for published ports");
	for (size_t i = 0; i < sizeof(f->ports) / sizeof(f->ports[0]); i++)
		f->ports[i].fds[0] = f->ports[i].fds[1] = -1;
	f->inside = (struct listening)LISTENING_NONE;
	f->quiet = want->quiet;
	r = listen_given(f, want, err);
	if (r == 0 && want->wanted)
		r = make_spare(f, want->wanted, err);
	f->lowest = lowest_published(f, want->gateway);
	if (r == 0)
		r = start(p, f, err);
	for (size_t i = 0; i < f->nports; i++)
		forward_close(&f->ports[i]);
	return r;
}

int publish_enter(struct publish *p, const struct sandbox_run *run, int init_pidfd, struct rt_err *err)
{
	const struct sandbox_ids ids = sandbox_ids_of(run);
	const struct entering in = { run->root_run ? ids.uid_in : 0, run->root_run ? ids.gid_in : 0 };
	int answer = -EPIPE, r;

	if (p->sock < 0)
		return 0;
	r = fd_pass_send(p->sock, &in, sizeof(in), &init_pidfd, 1, 0);
	if (r == 0 && SYS_RETRY(read(p->sock, &answer, sizeof(answer))) == (ssize_t)sizeof(answer))
		r = answer;
	else if (r == 0)
		r = -EPIPE;
	return r == 0 ? 0 : rt_fail_errno(err, -r, "the process for published ports");
}

void publish_end(struct publish *p)
{
	if (p->sock >= 0)
		(void)close(p->sock);
	if (p->pid > 0)
		sys_end_child(p->pid, END_MS);
	*p = (struct publish)PUBLISH_NONE;
}
