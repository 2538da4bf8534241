/* Finds out which denial, if any, a traced call is about to meet.  The view says
 * whether the kernel will refuse the call; the decision library says which rule caused
 * it. */
#include "runtime/supervise/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"
#include "runtime/supervise/trace_net.h"
#include "runtime/supervise/tracee.h"

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

	*t = (struct trace){ .run = run,
			     .view = view,
			     .denials = d,
			     .proc_fd = -1,
			     .root_fd = -1 };
	t->proc_fd = sys_open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
	if (t->proc_fd < 0)
		return rt_fail_errno(err, errno, "cannot open /proc");
	(void)snprintf(name, sizeof(name), "%d/root", init_pid);
	t->root_fd = sys_openat(t->proc_fd, name, O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
	if (t->root_fd < 0)
		return rt_fail_errno(err, errno, "cannot open the sandbox's root");
	return 0;
}

void trace_release(struct trace *t)
{
	if (t->proc_fd >= 0)
		(void)close(t->proc_fd);
	if (t->root_fd >= 0)
		(void)close(t->root_fd);
	t->proc_fd = t->root_fd = -1;
}

static bool is_below(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	return strncmp(path, dir, n) == 0 && (!path[n] || path[n] == '/');
}

/* True for a directory that the view made in order to hold something: it can be listed. */
static bool is_skeleton(const struct sandbox_view *v, const char *path)
{
	size_t len = strcmp(path, "/") == 0 ? 0 : strlen(path);

	for (size_t i = 0; i < v->n; i++)
		if (!v->nodes[i].absent && !v->nodes[i].noted &&
		    strncmp(v->nodes[i].path, path, len) == 0 &&
		    v->nodes[i].path[len] == '/')
			return true;
	return false;
}

static bool exists_outside(const char *path)
{
	struct stat st;

	return fstatat(AT_FDCWD, path, &st, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) == 0;
}

/* The run's own /proc and /dev are not trees of the policy. */
static bool is_own_tree(const char *path)
{
	return is_below(path, "/proc") || is_below(path, "/dev");
}

/* True if the kernel refuses `op` at `path` because of the view. */
static bool view_blocks(const struct trace *t, uint8_t op, const char *path,
			const struct sandbox_node **ret_node)
{
	const struct sandbox_node *n = sandbox_view_find(t->view, path);

	*ret_node = n;
	if (is_own_tree(path))
		return n && n->masked && strcmp(n->path, path) == 0;
	if (n && n->masked)
		return true;
	if (n && (n->ops & op))
		return false;
	return !(op == PB_READ && is_skeleton(t->view, path));
}

static void file_denied(struct trace *t, uint8_t op, const char *path,
			const struct sandbox_node *node)
{
	static const char *const ops[] = { [PB_READ] = "read",
					   [PB_WRITE] = "write",
					   [PB_EXEC] = "exec" };
	struct decision d;
	uint32_t rule = UINT32_MAX;
	char subject[sizeof(((struct denial *)0)->subject)];

	decide_file(&t->run->ctx, op, path, &d);
	const struct pb_rule *by = bundle_rule(t->run->bundle, d.rule);

	if (d.effect != PB_ALLOW)
		rule = d.rule;
	else if (node && op == PB_WRITE && node->forced_ro)
		rule = node->forced_by;
	else if (node && op == PB_WRITE && by && (by->flags & PB_F_SCRATCH))
		rule = node->rule[1]; /* a scratch rule opens nothing of the host */
	else
		rule = d.rule; /* an allow that gives nothing here */
	io_escape(subject, sizeof(subject), path, strlen(path));
	denials_add(t->denials, "file", ops[op], subject, 0, rule);
}

static void judge(struct trace *t, uint8_t op, const char *path, bool must_exist,
		  bool exists)
{
	const struct sandbox_node *node;

	if (!view_blocks(t, op, path, &node))
		return;
	/* What exists nowhere would not be found without a sandbox either. */
	if (must_exist && !exists && !exists_outside(path))
		return;
	file_denied(t, op, path, node);
}

/*
 * A directory that holds something protected is a mount itself (its pin), so moving it
 * fails with EBUSY.  The rule to name is that of the protected object below it.
 */
static void judge_move(struct trace *t, const char *path, bool exists)
{
	size_t len = strlen(path);

	judge(t, PB_WRITE, path, true, exists);
	for (size_t i = 0; exists && i < t->view->n; i++) {
		const struct sandbox_node *n = &t->view->nodes[i];

		if (is_below(n->path, path) && n->path[len] && !n->noted &&
		    (!n->absent || n->locked) && !n->scratch &&
		    (n->masked || !(n->ops & PB_WRITE))) {
			file_denied(t, PB_WRITE, n->path, n);
			return;
		}
	}
}

static void judge_stat(struct trace *t, const char *path, bool exists)
{
	struct decision d;
	const struct sandbox_node *node = sandbox_view_find(t->view, path);

	if (exists && !(node && node->masked))
		return;
	/* "self" in the run's own /proc would mean another process for the supervisor */
	if (is_own_tree(path) && !(node && node->masked))
		return;
	decide_file(&t->run->ctx, PB_READ, path, &d);
	if (d.effect != PB_ALLOW && exists_outside(path))
		file_denied(t, PB_READ, path, node);
}

static void judge_open(struct trace *t, uint64_t flags, const char *path, bool exists)
{
	uint64_t acc = flags & O_ACCMODE;

	if (flags & O_PATH) {
		judge_stat(t, path, exists);
		return;
	}
	if (acc == O_RDONLY || acc == O_RDWR)
		if (exists || !(flags & O_CREAT))
			judge(t, PB_READ, path, true, exists);
	if (acc != O_RDONLY || (flags & O_TRUNC) || ((flags & O_CREAT) && !exists))
		judge(t, PB_WRITE, path, !(flags & O_CREAT), exists);
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
	if (!tracee_path(t, (pid_t)req->pid, dirfd, raw, follow, path, &exists))
		return;
	switch ((enum how)c->how) {
	case H_STAT:
		judge_stat(t, path, exists);
		break;
	case H_OPEN:
	case H_OPEN2:
		judge_open(t, flags, path, exists);
		break;
	case H_MAKE:
		if (!exists)
			judge(t, PB_WRITE, path, false, exists);
		break;
	case H_CHANGE:
		judge(t, PB_WRITE, path, true, exists);
		break;
	case H_MOVE:
		judge_move(t, path, exists);
		break;
	case H_REPLACE:
		judge(t, PB_WRITE, path, false, exists);
		break;
	case H_EXEC:
		judge(t, PB_EXEC, path, true, exists);
		break;
	}
}

void trace_look(struct trace *t, const struct seccomp_notif *req)
{
	if (t->proc_fd < 0 || t->root_fd < 0)
		return;
	t->resolutions = 0;
	t->given_up = false;
	for (size_t i = 0; i < sizeof(path_calls) / sizeof(path_calls[0]); i++)
		if (path_calls[i].nr == req->data.nr)
			look_at_path(t, &path_calls[i], req);
	trace_net_look(t, req);
	if (t->given_up)
		t->denials->lost++;
}

void trace_unix_path(struct trace *t, pid_t pid, const char *raw)
{
	char path[PATH_MAX], subject[sizeof(((struct denial *)0)->subject)];
	struct decision d;
	bool exists;

	if (!tracee_path(t, pid, AT_FDCWD, raw, true, path, &exists) || exists ||
	    !exists_outside(path))
		return;
	decide_unix(&t->run->ctx, path, false, &d);
	io_escape(subject, sizeof(subject), path, strlen(path));
	denials_add(t->denials, "unix", "connect", subject, 0, d.rule);
}

void trace_unix_bind(struct trace *t, pid_t pid, const char *raw)
{
	char path[PATH_MAX];
	bool exists;

	if (tracee_path(t, pid, AT_FDCWD, raw, false, path, &exists) && !exists)
		judge(t, PB_WRITE, path, false, exists);
}
