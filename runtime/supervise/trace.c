/* Which paths a traced call names, and what it does there. */
#include "runtime/supervise/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/sys.h"
#include "runtime/supervise/trace_net.h"

enum how {
	H_STAT,   /* looks at the name: denied only if the view hides it */
	H_OPEN,   /* flags in the argument after the path */
	H_OPEN2,  /* struct open_how in the argument after the path */
	H_MAKE,   /* creates: an existing name is not a denial */
	H_CHANGE, /* changes or removes what exists */
	H_MOVE,   /* removes a name and everything below it */
	H_REPLACE, /* creates a name, replacing what had it before */
	H_EXEC
};

enum { NO_DIR = -1 };

/* A call with two paths has two rows. */
static const struct path_call {
	int nr;
	int8_t dir, path; /* arguments */
	uint8_t how;
	bool follow;
} path_calls[] = {
	{ SYS_open, NO_DIR, 0, H_OPEN, true },
	{ SYS_openat, 0, 1, H_OPEN, true },
	{ SYS_openat2, 0, 1, H_OPEN2, true },
	{ SYS_creat, NO_DIR, 0, H_OPEN, true },
	{ SYS_stat, NO_DIR, 0, H_STAT, true },
	{ SYS_lstat, NO_DIR, 0, H_STAT, false },
	{ SYS_newfstatat, 0, 1, H_STAT, true },
	{ SYS_statx, 0, 1, H_STAT, true },
	{ SYS_access, NO_DIR, 0, H_STAT, true },
	{ SYS_faccessat, 0, 1, H_STAT, true },
	{ SYS_faccessat2, 0, 1, H_STAT, true },
	{ SYS_readlink, NO_DIR, 0, H_STAT, false },
	{ SYS_readlinkat, 0, 1, H_STAT, false },
	{ SYS_chdir, NO_DIR, 0, H_STAT, true },
	{ SYS_execve, NO_DIR, 0, H_EXEC, true },
	{ SYS_execveat, 0, 1, H_EXEC, true },
	{ SYS_mkdir, NO_DIR, 0, H_MAKE, false },
	{ SYS_mkdirat, 0, 1, H_MAKE, false },
	{ SYS_mknod, NO_DIR, 0, H_MAKE, false },
	{ SYS_mknodat, 0, 1, H_MAKE, false },
	{ SYS_symlink, NO_DIR, 1, H_MAKE, false },
	{ SYS_symlinkat, 1, 2, H_MAKE, false },
	{ SYS_link, NO_DIR, 1, H_MAKE, false },
	{ SYS_linkat, 2, 3, H_MAKE, false },
	{ SYS_unlink, NO_DIR, 0, H_CHANGE, false },
	{ SYS_unlinkat, 0, 1, H_CHANGE, false },
	{ SYS_rmdir, NO_DIR, 0, H_CHANGE, false },
	{ SYS_rename, NO_DIR, 0, H_MOVE, false },
	{ SYS_rename, NO_DIR, 1, H_REPLACE, false },
	{ SYS_renameat, 0, 1, H_MOVE, false },
	{ SYS_renameat, 2, 3, H_REPLACE, false },
	{ SYS_renameat2, 0, 1, H_MOVE, false },
	{ SYS_renameat2, 2, 3, H_REPLACE, false },
	{ SYS_truncate, NO_DIR, 0, H_CHANGE, true },
	{ SYS_chmod, NO_DIR, 0, H_CHANGE, true },
	{ SYS_fchmodat, 0, 1, H_CHANGE, true },
	{ SYS_chown, NO_DIR, 0, H_CHANGE, true },
	{ SYS_lchown, NO_DIR, 0, H_CHANGE, false },
	{ SYS_fchownat, 0, 1, H_CHANGE, true },
	{ SYS_utime, NO_DIR, 0, H_CHANGE, true },
	{ SYS_utimes, NO_DIR, 0, H_CHANGE, true },
	{ SYS_utimensat, 0, 1, H_CHANGE, true },
	{ SYS_futimesat, 0, 1, H_CHANGE, true },
	{ SYS_setxattr, NO_DIR, 0, H_CHANGE, true },
	{ SYS_lsetxattr, NO_DIR, 0, H_CHANGE, false },
	{ SYS_removexattr, NO_DIR, 0, H_CHANGE, true },
	{ SYS_lremovexattr, NO_DIR, 0, H_CHANGE, false },
};

int trace_init(struct trace *t, const struct sandbox_run *run,
	       const struct sandbox_view *view, pid_t init_pid, struct denials *d,
	       struct rt_err *err)
{
	char name[32];

	*t = (struct trace){ .judge = { .run = run, .view = view, .denials = d },
			     .paths = { .proc_fd = -1, .root_fd = -1 } };
	t->paths.proc_fd = sys_open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
	if (t->paths.proc_fd < 0)
		return rt_fail_errno(err, errno, "cannot open /proc");
	(void)snprintf(name, sizeof(name), "%d/root", init_pid);
	t->paths.root_fd = sys_openat(t->paths.proc_fd, name,
				      O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
	if (t->paths.root_fd < 0)
		return rt_fail_errno(err, errno, "cannot open the sandbox's root");
	return 0;
}

void trace_release(struct trace *t)
{
	if (t->paths.proc_fd >= 0)
		(void)close(t->paths.proc_fd);
	if (t->paths.root_fd >= 0)
		(void)close(t->paths.root_fd);
	t->paths.proc_fd = t->paths.root_fd = -1;
}

static uint64_t open_flags(const struct path_call *c, const struct seccomp_notif *req)
{
	struct open_how how = { 0 };

	if (req->data.nr == SYS_creat)
		return O_WRONLY | O_CREAT | O_TRUNC;
	if (c->how == H_OPEN2) {
		if (tracee_read((pid_t)req->pid, req->data.args[2], &how,
				sizeof(how.flags)) != sizeof(how.flags))
			return O_PATH;
		return how.flags;
	}
	return (uint32_t)req->data.args[c->path + 1];
}

static void look_at_path(struct trace *t, const struct path_call *c,
			 const struct seccomp_notif *req)
{
	const struct judge *j = &t->judge;
	const __u64 *args = req->data.args;
	int dirfd = c->dir == NO_DIR ? AT_FDCWD : (int)(uint32_t)args[c->dir];
	uint64_t flags = 0;
	char raw[PATH_MAX], path[PATH_MAX];
	bool exists, follow = c->follow;

	/* An empty path means the descriptor itself (AT_EMPTY_PATH). */
	if (!tracee_string((pid_t)req->pid, args[c->path], raw, sizeof(raw)) || !raw[0])
		return;
	if (c->how == H_OPEN || c->how == H_OPEN2) {
		flags = open_flags(c, req);
		if ((flags & O_NOFOLLOW) || (flags & (O_CREAT | O_EXCL)) ==
						    (O_CREAT | O_EXCL))
			follow = false;
	}
	if (!tracee_path(&t->paths, (pid_t)req->pid, dirfd, raw, follow, path, &exists))
		return;
	switch ((enum how)c->how) {
	case H_STAT:
		judge_stat(j, path, exists);
		break;
	case H_OPEN:
	case H_OPEN2:
		judge_open(j, flags, path, exists);
		break;
	case H_MAKE:
		if (!exists)
			judge_file(j, PB_WRITE, path, false, exists);
		break;
	case H_CHANGE:
		judge_file(j, PB_WRITE, path, true, exists);
		break;
	case H_MOVE:
		judge_move(j, path, exists);
		break;
	case H_REPLACE:
		judge_file(j, PB_WRITE, path, false, exists);
		break;
	case H_EXEC:
		judge_file(j, PB_EXEC, path, true, exists);
		break;
	}
}

/* A file that is mapped to be executed, by its descriptor: the mount that it lies on refuses that where
 * the rules let nothing be executed. */
static void look_at_mapping(struct trace *t, const struct seccomp_notif *req)
{
	const __u64 *args = req->data.args;
	char name[48], path[PATH_MAX];

	if (req->data.nr != SYS_mmap || !(args[2] & PROT_EXEC) || (args[3] & MAP_ANONYMOUS) ||
	    (int)(uint32_t)args[4] < 0)
		return;
	(void)snprintf(name, sizeof(name), "%d/fd/%d", (int)req->pid, (int)(uint32_t)args[4]);
	if (tracee_link(t->paths.proc_fd, name, path) && path[0] == '/' && !tracee_is_gone(path))
		judge_file(&t->judge, PB_EXEC, path, true, true);
}

void trace_look(struct trace *t, const struct seccomp_notif *req)
{
	if (t->paths.proc_fd < 0 || t->paths.root_fd < 0)
		return;
	t->paths.resolutions = 0;
	t->paths.given_up = false;
	for (size_t i = 0; i < sizeof(path_calls) / sizeof(path_calls[0]); i++)
		if (path_calls[i].nr == req->data.nr)
			look_at_path(t, &path_calls[i], req);
	look_at_mapping(t, req);
	trace_net_look(&t->judge, &t->paths, req);
	if (!t->paths.given_up)
		return;
	t->judge.denials->lost++;
	if (t->judge.touched)
		t->judge.touched->lost++;
}
