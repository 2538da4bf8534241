/*
 * The part of the plan that needs no view: the run's own tmpfs with its root and the
 * objects for masks, and the kernel's trees.
 */
#include "runtime/sandbox/plan_ground.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/io.h"

struct plan_op *plan_mask(struct plan *p, enum step_id step, const char *name, unsigned mode)
{
	struct plan_op *op = plan_add(p, step, PLAN_INIT);

	op->flags = PLAN_F_MASKS;
	op->mode = mode;
	op->path = plan_str(p, name);
	return op;
}

struct plan_op *plan_add_at(struct plan *p, enum step_id step, const char *path,
			    const char *other, uint32_t flags)
{
	struct plan_op *op = plan_add(p, step, PLAN_INIT);

	op->path = plan_str(p, path);
	op->other = plan_str(p, other);
	op->flags = flags;
	return op;
}

void plan_base(struct plan *p)
{
	(void)plan_add(p, STEP_BASE, PLAN_INIT);
	(void)plan_mask(p, STEP_MKFILE, "f", 0);
	(void)plan_mask(p, STEP_MKDIR, "d", 0);
	(void)plan_mask(p, STEP_MKFILE, "e", 0444);
	(void)plan_mask(p, STEP_MKDIR, "E", 0555);
	(void)plan_add(p, STEP_MASKS, PLAN_INIT);
}

void plan_limit(struct plan *p, uint64_t disk)
{
	/* each inode costs the kernel about 1 KiB, which size= does not count */
	uint64_t inodes = disk / 1024;
	char options[128];

	if (!disk)
		return;
	(void)snprintf(options, sizeof(options), "size=%" PRIu64 ",nr_inodes=%" PRIu64, disk,
		       inodes < 16384 ? 16384 : inodes);
	plan_add(p, STEP_DISK, PLAN_INIT)->other = plan_str(p, options);
}

static const struct {
	const char *name;
	unsigned major, minor;
} devices[] = {
	{"/dev/null", 1, 3},   {"/dev/zero", 1, 5},    {"/dev/full", 1, 7},
	{"/dev/random", 1, 8}, {"/dev/urandom", 1, 9}, {"/dev/tty", 5, 0},
};

const char *plan_device(size_t i)
{
	return i < sizeof(devices) / sizeof(*devices) ? devices[i].name : NULL;
}

static void make_at(struct plan *p, enum step_id step, const char *top, const char *name,
		    uint32_t flags, unsigned mode, const char *target)
{
	struct plan_op *op = plan_add(p, step, PLAN_INIT);
	char path[64];

	(void)snprintf(path, sizeof(path), "%s/%s", top, name);
	op->path = plan_str(p, path);
	op->flags = flags;
	op->mode = mode;
	if (target)
		op->other = plan_str(p, target);
}

void plan_devices(struct plan *p, const char *top, uint32_t flags)
{
	static const char *const links[][2] = {
		{"fd", "/proc/self/fd"},       {"stdin", "/proc/self/fd/0"},
		{"stdout", "/proc/self/fd/1"}, {"stderr", "/proc/self/fd/2"},
		{"ptmx", "pts/ptmx"},
	};

	for (size_t i = 0; i < sizeof(devices) / sizeof(*devices); i++)
		make_at(p, STEP_MKFILE, top, strrchr(devices[i].name, '/') + 1, flags, 0644,
			NULL);
	for (size_t i = 0; i < sizeof(links) / sizeof(*links); i++)
		make_at(p, STEP_SYMLINK, top, links[i][0], flags, 0, links[i][1]);
	make_at(p, STEP_MKDIR, top, "pts", flags, 0755, NULL);
}

static void add_dev(struct plan *p)
{
	struct plan_op *op;

	for (size_t i = 0; i < sizeof(devices) / sizeof(*devices); i++) {
		op = plan_add(p, STEP_DEV, PLAN_INIT);
		op->path = plan_str(p, devices[i].name + 1);
		op->other = plan_str(p, devices[i].name);
		op->v = devices[i].major;
		op->w = devices[i].minor;
	}
	op = plan_add(p, STEP_DEVPTS, PLAN_INIT);
	op->path = plan_str(p, "dev/pts");
}

/* The kernel counts what a user has in all of its namespaces together: the run gets half of it. */
static void halve_watches(struct plan *p)
{
	static const char *const names[] = { "max_inotify_instances", "max_inotify_watches",
					     "max_fanotify_groups", "max_fanotify_marks" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		AUTO_FREE char *text = NULL;
		char path[64], half[24];
		size_t len;
		long n;

		(void)snprintf(path, sizeof(path), "/proc/sys/user/%s", names[i]);
		n = io_read_file(path, sizeof(half) - 1, &text, &len) < 0 ? 0 : strtol(text, NULL, 10);
		(void)snprintf(half, sizeof(half), "%ld", n / 2);
		if (n > 1)
			plan_add_at(p, STEP_INOTIFY_MAX, path + 1, half, PLAN_F_MAYBE);
	}
}

static void add_proc(struct plan *p, bool host_network)
{
	plan_add_at(p, STEP_PROC, "proc", NULL, 0);
	plan_add_at(p, STEP_USERNS_MAX, "proc/sys/user/max_user_namespaces", "0", 0);
	halve_watches(p);
	if (!host_network) {
		plan_add_at(p, STEP_TCP_FASTOPEN, "proc/sys/net/ipv4/tcp_fastopen", "0",
		       PLAN_F_MAYBE);
		plan_add_at(p, STEP_MPTCP, "proc/sys/net/mptcp/enabled", "0", PLAN_F_MAYBE);
		/* A host may have set bbr, which sends by a timer: half the speed between the
		 * command and the egress gateway, where nothing is ever lost. */
		plan_add_at(p, STEP_TCP_RENO, "proc/sys/net/ipv4/tcp_congestion_control",
			    "reno", PLAN_F_MAYBE);
	}
	plan_add_at(p, STEP_PROC_SYS, "proc/sys", NULL, 0);
	plan_add_at(p, STEP_PROC_KCORE, "proc/kcore", "f", PLAN_F_MAYBE);
	plan_add_at(p, STEP_PROC_KEYS, "proc/keys", "f", PLAN_F_MAYBE);
	plan_add_at(p, STEP_PROC_SYSRQ, "proc/sysrq-trigger", "f", PLAN_F_MAYBE);
	plan_add_at(p, STEP_PROC_TIMERS, "proc/timer_list", "f", PLAN_F_MAYBE);
}

void plan_kernel(struct plan *p, bool anywhere, bool host_network)
{
	if (!anywhere) {
		plan_add_at(p, STEP_MKDIR, "proc", NULL, 0)->mode = 0555;
		plan_add_at(p, STEP_MKDIR, "dev", NULL, 0)->mode = 0755;
		plan_devices(p, "dev", 0);
	}
	add_dev(p);
	add_proc(p, host_network);
}

void plan_ground(struct plan *p, bool host_network)
{
	plan_base(p);
	plan_kernel(p, false, host_network);
}
