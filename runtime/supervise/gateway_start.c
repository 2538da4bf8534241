/* Starts polgate, and polinject where a rule adds a credential: two programs with nothing but the
 * descriptors that they are given. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"
#include "runtime/egress/inject.h"
#include "runtime/egress/spent.h"
#include "runtime/supervise/gateway.h"

#define FREE_FD 10 /* above the descriptors that the programs get */

/* A program to start, and what its descriptors from 3 on are; all lie above FREE_FD. */
struct start {
	const char *name;
	int program, null;
	int fds[4];
	size_t nfds;
	bool drop; /* root: become a uid that owns nothing */
};

/* The sealed memfd that both programs read: nobody can change it any more. */
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

/* The counters that polgate and polinject share: neither can change their number. */
static int make_spent(const struct sandbox_run *run, struct rt_err *err)
{
	AUTO_CLOSE int fd = memfd_create("polgate-spent", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	size_t size = spent_size(run->bundle->rules->rules.count);

	if (fd < 0 || ftruncate(fd, (off_t)size) < 0 ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW) < 0)
		return rt_fail_errno(err, errno, "memory for the counters of the limits");
	return io_steal_fd(&fd);
}

static bool become_nobody(void)
{
	uid_t id = SANDBOX_ROOT_RUN_BASE + (uid_t)getpid();

	return setgroups(0, NULL) == 0 && setresgid(id, id, id) == 0 && setresuid(id, id, id) == 0;
}

static bool place_fds(const struct start *s)
{
	const unsigned first = 3 + (unsigned)s->nfds;

	for (int fd = 0; fd < 3; fd++)
		if (SYS_RETRY(dup2(s->null, fd)) < 0)
			return false;
	for (size_t i = 0; i < s->nfds; i++)
		if (SYS_RETRY(dup2(s->fds[i], 3 + (int)i)) < 0)
			return false;
	return sys_close_range(first, (unsigned)s->program - 1, 0) >= 0 &&
	       sys_close_range((unsigned)s->program + 1, ~0u, 0) >= 0;
}

/* polrun sees the end of the control socket, so no reason needs to be passed on. */
static void __attribute__((noreturn)) become(const struct start *s)
{
	char *argv[] = { (char *)(uintptr_t)s->name, NULL };
	char *envp[] = { NULL };
	sigset_t none;

	(void)sigemptyset(&none);
	/* signals of the terminal are for the command */
	if (setsid() < 0 || sigprocmask(SIG_SETMASK, &none, NULL) < 0 || !place_fds(s) ||
	    (s->drop && !become_nobody()))
		_exit(125);
	/* after the change of the uid, which clears it */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0)
		_exit(125);
	(void)sys_execveat(s->program, "", argv, envp, AT_EMPTY_PATH);
	_exit(125);
}

/* Moves it out of the way; closes what it was.  -1 stays -1. */
static int above(int fd)
{
	int high = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, FREE_FD);

	/* the limit of open files is below FREE_FD */
	if (high < 0 && errno == EINVAL)
		errno = EMFILE;
	if (fd >= 0)
		(void)close(fd);
	return high;
}

static int make_pair(int *ret_ours, int *ret_theirs)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -1;
	*ret_ours = pair[0];
	*ret_theirs = above(pair[1]);
	return *ret_theirs < 0 ? -1 : 0;
}

static int start(struct start *s, pid_t *ret_pid, int *ret_pidfd, struct rt_err *err)
{
	AUTO_CLOSE int program = fcntl(s->program, F_DUPFD_CLOEXEC, FREE_FD);
	AUTO_CLOSE int null = above(sys_open("/dev/null", O_RDWR | O_CLOEXEC, 0));
	pid_t pid;

	if (program < 0 || null < 0)
		return rt_fail_errno(err, errno, "descriptors of %s", s->name);
	s->program = program;
	s->null = null;
	s->drop = geteuid() == 0;
	pid = fork();
	if (pid == 0)
		become(s);
	if (pid < 0)
		return rt_fail_errno(err, errno, "a process for %s", s->name);
	*ret_pid = pid;
	*ret_pidfd = sys_pidfd_open(pid, 0);
	return *ret_pidfd < 0 ? rt_fail_errno(err, errno, "the descriptor of %s", s->name) : 0;
}

/* Starts polinject; *ret_peer is polgate's end of the socket between them, `spent` what both
 * count in. */
static int start_inject(struct gateway *g, const struct sandbox_run *run,
			const struct gateway_programs *p, int spent, int *ret_peer,
			struct rt_err *err)
{
	AUTO_CLOSE int config = above(make_config(run, GATE_ASK_NOBODY, p->inject_secrets, err));
	AUTO_CLOSE int peer = -1, ca = fcntl(p->ca, F_DUPFD_CLOEXEC, FREE_FD);
	int ours = -1;
	struct start s;

	if (config < 0)
		return err->err ? -err->err : rt_fail_errno(err, errno, "polinject's rules");
	if (ca < 0 || make_pair(&ours, &peer) < 0)
		return rt_fail_errno(err, errno, "the descriptors of polinject");
	*ret_peer = above(ours);
	if (*ret_peer < 0)
		return rt_fail_errno(err, errno, "the descriptors of polinject");
	s = (struct start){ .name = "polinject", .program = p->inject, .nfds = 4,
			    .fds = { peer, config, ca, spent } };
	return start(&s, &g->inject_pid, &g->inject_pidfd, err);
}

int gateway_start(struct gateway *g, const struct sandbox_run *run,
		  const struct gateway_programs *p, enum gate_asking ask, struct rt_err *err)
{
	AUTO_CLOSE int config = above(make_config(run, ask, p->via_secrets, err));
	AUTO_CLOSE int peer = -1, inject = -1, spent = -1;
	struct start s;
	int r = 0;

	g->bundle = run->bundle;
	if (config < 0)
		return err->err ? -err->err : rt_fail_errno(err, errno, "the gateway's rules");
	if (p->inject >= 0) {
		spent = above(make_spent(run, err));
		r = spent < 0 ? -(err->err ? err->err : EMFILE) :
				start_inject(g, run, p, spent, &inject, err);
	}
	if (r < 0)
		return r;
	if (make_pair(&g->sock, &peer) < 0)
		return rt_fail_errno(err, errno, "the gateway's socket");
	s = (struct start){ .name = "polgate", .program = p->gate, .nfds = inject >= 0 ? 4 : 2,
			    .fds = { peer, config, inject, spent } };
	return start(&s, &g->pid, &g->pidfd, err);
}
