/*
 * Translates the bundle into the plan's terms: the filter (without a listener its
 * notifications become errnos), the Landlock rights of this kernel's ABI, and the
 * limits for which the kernel has a resource.
 */
#include <errno.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "runtime/base/compat.h"
#include "runtime/base/io.h"
#include "runtime/base/sys.h"
#include "runtime/sandbox/plan_view.h"
#include "runtime/sandbox/spawn.h"
#include "runtime/sandbox/unix_wall.h"

/* Without a listener USER_NOTIF would answer ENOSYS: answer with the errno of the map
 * instead. */
static int without_listener(struct sock_filter *f, size_t n, const struct pb_map *map,
			    struct rt_err *err)
{
	for (uint32_t i = 0; i < map->entries.count; i++) {
		const struct pb_map_entry *e = pb_at(map, map->entries, sizeof(*e), i);

		if (e->verdict == PB_V_DENY && e->pc < n)
			f[e->pc].k = SECCOMP_RET_ERRNO | (e->err & SECCOMP_RET_DATA);
	}
	for (size_t i = 0; i < n; i++)
		if (f[i].code == (BPF_RET | BPF_K) && f[i].k == SECCOMP_RET_USER_NOTIF)
			return rt_fail(err, EINVAL,
				       "the filter notifies at %zu, but its "
				       "map does not say what",
				       i);
	return 0;
}

enum pb_filter_kind sandbox_filter_kind(const struct sandbox_run *run)
{
	if (!run->want_listener)
		return PB_FILTER_ENFORCE;
	if (run->trace)
		return PB_FILTER_TRACE;
	return run->broker ? PB_FILTER_BROKER : PB_FILTER_ENFORCE;
}

static int take_filter(const struct sandbox_run *run, struct plan_policy *p,
		       struct sock_filter **ret, struct rt_err *err)
{
	const struct pb_map *map;
	const void *insns;
	size_t n;
	int r = bundle_filter(run->bundle, sandbox_filter_kind(run), &insns, &n, &map,
			      err);

	if (r < 0)
		return r;
	*ret = malloc(n * sizeof(**ret));
	if (!*ret)
		return rt_fail(err, ENOMEM, "no memory for the filter");
	memcpy(*ret, insns, n * sizeof(**ret));
	p->filter = *ret;
	p->nfilter = n;
	p->listener = run->want_listener;
	return p->listener ? 0 : without_listener(*ret, n, map, err);
}

/* Takes the newest table that this kernel supports. */
static void take_landlock(const struct sandbox_run *run, struct plan_policy *p)
{
	const struct pb_landlock *l = run->bundle->landlock;

	for (uint32_t i = 0; l && i < l->abis.count; i++) {
		const struct pb_landlock_abi *a = pb_at(l, l->abis, sizeof(*a), i);

		if (a->abi <= (uint32_t)run->landlock_abi && a->abi > p->landlock.abi)
			p->landlock = *a;
	}
}

static void add_rlimit(struct plan_policy *p, int resource, uint64_t value)
{
	if (p->nrlimits == sizeof(p->rlimits) / sizeof(*p->rlimits))
		return;
	p->rlimits[p->nrlimits].resource = resource;
	p->rlimits[p->nrlimits++].value = value;
}

/* The kernel counts these for the user, in all of its namespaces together: memory that is locked but
 * belongs to no process (SHM_LOCK, MSG_ZEROCOPY), and POSIX message queues.  The run gets half, so
 * that some is left to the user's programs outside and to the next run. */
static void halve_amounts(struct plan_policy *p)
{
	static const int amounts[] = { RLIMIT_MEMLOCK, RLIMIT_MSGQUEUE };

	for (size_t i = 0; i < sizeof(amounts) / sizeof(amounts[0]); i++) {
		struct rlimit is;

		if (getrlimit((__rlimit_resource_t)amounts[i], &is) != 0)
			add_rlimit(p, amounts[i], 0);
		else if (is.rlim_cur != RLIM_INFINITY)
			add_rlimit(p, amounts[i], is.rlim_cur / 2);
	}
}

static void take_limits(const struct sandbox_run *run, struct plan_policy *p)
{
	const struct pb_limits *l = run->bundle->limits;

	/* the host's rules decide where a core file is written */
	add_rlimit(p, RLIMIT_CORE, 0);
	/* Each queued signal and each timer counts for the user: a run that has all of them takes
	 * timer_create(2) away from the user's programs outside, and polrun cannot start.  The
	 * kernel counts those of a run in its user namespace as well. */
	add_rlimit(p, RLIMIT_SIGPENDING, 4096);
	halve_amounts(p);
	for (uint32_t i = 0; l && i < l->limits.count; i++) {
		const struct pb_limit *m = pb_at(l, l->limits, sizeof(*m), i);

		switch ((enum pb_limit_kind)m->kind) {
		case PB_L_MEMORY:
			/* not RLIMIT_AS: node's wasm, java and go reserve many times
			   the memory that they use */
			add_rlimit(p, RLIMIT_DATA, m->value);
			break;
		case PB_L_PROCESSES:
			/* the kernel counts in the run's user namespace, and polinit is
			 * one of the processes */
			add_rlimit(p, RLIMIT_NPROC, m->value + 1);
			break;
		case PB_L_FILES:
			add_rlimit(p, RLIMIT_NOFILE, m->value);
			break;
		case PB_L_FILE_SIZE:
			add_rlimit(p, RLIMIT_FSIZE, m->value);
			break;
		case PB_L_DISK: /* sets the size of the scratch trees */
		case PB_L_TIME: /* the supervisor enforces it */
		case PB_L_CPU:
		case PB_L_OUTPUT:
		case PB_L_STDOUT:
		case PB_L_STDERR:
		case PB_L_WRITTEN: /* for entries only */
		case PB_L_COUNT:
		default:
			break;
		}
	}
}

const struct sandbox_node *sandbox_open_to_sockets(const struct sandbox_run *run, const struct sandbox_view *view)
{
	/* what a staged run makes is seen by no other run */
	for (size_t i = 0; i < view->n && !run->landlock_abi && !run->nlayers; i++)
		if (view->nodes[i].no_sockets && !view->nodes[i].scratch)
			return &view->nodes[i];
	return NULL;
}

bool sandbox_unix_wall(const struct sandbox_run *run)
{
	struct plan_policy p = { .nrlimits = 0 };

	take_landlock(run, &p);
	return run->host_network &&
	       !(p.landlock.scoped & LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET);
}

/*
 * Takes the rules of a limited network (messages, or documents if polnft loads them).
 * In the host's network it takes the second filter, which protects the host's abstract
 * sockets.
 */
static int take_network(const struct sandbox_run *run, struct plan_policy *p,
			struct rt_err *err)
{
	const void *batch, *json;
	size_t nbatch, njson;
	int r;

	p->polnft = -1;
	p->unix_wall = sandbox_unix_wall(run);
	r = p->unix_wall ? unix_wall_check(err) : 0;
	if (r < 0) {
		(void)snprintf(err->step, sizeof(err->step), "seccomp-unix");
		return r;
	}
	if (!bundle_net_gate(run->bundle))
		return 0;
	r = bundle_nft(run->bundle, &batch, &nbatch, &json, &njson, err);
	if (r < 0)
		return r;
	p->nft = run->by_polnft ? json : batch;
	p->nft_len = run->by_polnft ? njson : nbatch;
	p->polnft = run->by_polnft ? run->polnft_fd : -1;
	if (p->nft_len)
		return 0;
	r = rt_fail(err, ENOENT, "the bundle has no netlink messages");
	(void)snprintf(err->step, sizeof(err->step), "nft");
	return r;
}

void sandbox_ahead_view(const struct sandbox_run *run, const struct sandbox_view *view)
{
	struct plan_policy policy;
	struct rt_err err;

	if (!run->ahead || run->ahead->pid <= 0)
		return;
	memset(&policy, 0, sizeof(policy));
	policy.disk = run->bundle->mounts ? run->bundle->mounts->disk : 0;
	if (!run->host_network && !run->by_polnft && take_network(run, &policy, &err) == 0 &&
	    sandbox_spawn_view(run, view, &policy, &err) == 0)
		run->ahead->viewed = true;
	else
		sandbox_ahead_release(run->ahead);
}

int sandbox_start(const struct sandbox_run *run, const struct sandbox_view *view,
		  struct sandbox_child *ret, struct rt_err *err)
{
	AUTO_FREE struct sock_filter *filter = NULL;
	struct plan_policy policy;
	int r;

	memset(&policy, 0, sizeof(policy));
	r = take_filter(run, &policy, &filter, err);
	if (r < 0)
		return r;
	take_landlock(run, &policy);
	r = take_network(run, &policy, err);
	if (r < 0)
		return r;
	take_limits(run, &policy);
	policy.disk = run->bundle->mounts ? run->bundle->mounts->disk : 0;
	return sandbox_spawn(run, view, &policy, ret, err);
}

bool sandbox_child_ended(const struct sandbox_child *c)
{
	struct pollfd p = { c->init_pidfd, POLLIN, 0 };

	return SYS_RETRY(poll(&p, 1, 1000)) > 0;
}

int sandbox_go(const struct sandbox_child *c, struct rt_err *err)
{
	int e;

	if (SYS_RETRY(send(c->status_fd, "k", 1, MSG_NOSIGNAL)) == 1)
		return 0;
	e = errno;
	/* a child that has ended has sent the reason; one that has not would wait for
	 * ever, so this is a failure */
	if ((e == EPIPE || e == ECONNRESET) && sandbox_child_ended(c))
		return 0;
	return rt_fail_errno(err, e, "the command's start");
}
