/*
 * A run as root: polrun clones every tree here, since root may walk everywhere, and
 * gives the descriptors to the child.  Writable trees and the project are idmapped:
 * inside, the files of their owner belong to the run's uid, and all other files belong
 * to nobody.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"
#include "runtime/sandbox/root.h"

struct owner_map {
	uid_t uid;
	gid_t gid;
	int fd;
};

static int put_map(pid_t pid, const char *file, unsigned inside, unsigned outside)
{
	char path[64], line[64];

	(void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
	(void)snprintf(line, sizeof(line), "%u %u 1\n", inside, outside);
	return io_write_file(path, line);
}

/* A user namespace that maps the owner on disk to the run's uid. */
static int owner_namespace(uid_t uid, gid_t gid, uid_t outside)
{
	struct clone_args args = { .flags = CLONE_NEWUSER, .exit_signal = SIGCHLD };
	int gate[2], fd = -1, r;
	char path[64], c;
	pid_t pid;

	if (pipe2(gate, O_CLOEXEC) < 0)
		return -errno;
	pid = sys_clone3(&args, sizeof(args));
	if (pid == 0) {
		(void)close(gate[1]);
		_exit(read(gate[0], &c, 1) == 1);
	}
	r = pid < 0 ? -errno : put_map(pid, "uid_map", uid, outside);
	if (r == 0)
		r = put_map(pid, "gid_map", gid, outside);
	if (r == 0) {
		(void)snprintf(path, sizeof(path), "/proc/%d/ns/user", (int)pid);
		fd = sys_open(path, O_RDONLY | O_CLOEXEC, 0);
		r = fd < 0 ? -errno : 0;
	}
	(void)close(gate[0]);
	(void)close(gate[1]);
	if (pid > 0)
		(void)waitpid(pid, NULL, 0);
	return r < 0 ? r : fd;
}

static int map_for(struct owner_map *maps, size_t *n, size_t cap, uid_t uid, gid_t gid,
		   uid_t outside)
{
	int fd;

	for (size_t i = 0; i < *n; i++)
		if (maps[i].uid == uid && maps[i].gid == gid)
			return maps[i].fd;
	if (*n == cap)
		return -E2BIG;
	fd = owner_namespace(uid, gid, outside);
	if (fd >= 0)
		maps[(*n)++] = (struct owner_map){ uid, gid, fd };
	return fd;
}

static bool at_or_below(const char *path, const char *top)
{
	size_t n = top ? strlen(top) : 0;

	return n && !strncmp(path, top, n) && (path[n] == '/' || !path[n]);
}

/*
 * Lets the run's uid connect as the socket's owner may.  On a file system that cannot map
 * owners the socket stays its owner's, which is stricter.
 */
static int idmap_socket(int tree, int ns, const char *path, struct rt_err *err)
{
	struct mount_attr attr = { .attr_set = MOUNT_ATTR_IDMAP,
				   .userns_fd = (unsigned)ns };

	if (ns < 0)
		return rt_fail_errno(err, -ns, "a user namespace for the owner of %s",
				     path);
	(void)sys_mount_setattr(tree, "", AT_EMPTY_PATH, &attr, sizeof(attr));
	return 0;
}

static int idmap(int tree, int ns, const char *path, struct rt_err *err)
{
	struct mount_attr attr = { .attr_set = MOUNT_ATTR_IDMAP,
				   .userns_fd = (unsigned)ns };

	if (ns < 0)
		return rt_fail_errno(err, -ns, "a user namespace for the owner of %s",
				     path);
	if (sys_mount_setattr(tree, "", AT_EMPTY_PATH | AT_RECURSIVE, &attr,
			      sizeof(attr)) == 0)
		return 0;
	if (errno == EINVAL || errno == EPERM || errno == EOPNOTSUPP)
		return rt_fail(err, errno,
			       "the file system of %s cannot be mapped to the "
			       "run's user (%s): use --user NAME|UID",
			       path, strerrorname_np(errno));
	return rt_fail_errno(err, errno, "mapping the owner of %s", path);
}

int root_trees(const struct sandbox_run *run, const struct sandbox_view *v,
	       uid_t outside, struct plan *p, int *given, struct rt_err *err)
{
	const char *project = run->ctx.roots.dir[PB_ROOT_PROJECT];
	const struct sandbox_node *top = project ? sandbox_view_find(v, project) : NULL;
	struct owner_map maps[16];
	size_t nmaps = 0;
	int r = 0;

	for (size_t i = 0; i < v->n && r == 0; i++) {
		const struct sandbox_node *n = &v->nodes[i];
		const char *own = n->source ? n->source : n->path;
		bool ours = at_or_below(own, project);
		int fd;

		given[i] = -1;
		if (n->noted || n->scratch || n->masked || n->locked || n->pin_fd < 0)
			continue;
		fd = sys_open_tree(n->pin_fd, "",
				   AT_EMPTY_PATH | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC |
					   (unsigned)AT_RECURSIVE);
		if (fd < 0) {
			r = rt_fail_errno(err, errno, "a clone of %s", own);
			break;
		}
		plan_take_fd(p, fd);
		given[i] = fd;
		/* also idmap a read-only project: git refuses a repository of another
		 * owner */
		if (run->root_run && step_on(STEP_IDMAP) &&
		    (ours || (n->ops & PB_WRITE))) {
			const struct sandbox_node *o = ours && top ? top : n;

			r = idmap(fd,
				  map_for(maps, &nmaps, 16, o->uid, o->gid, outside),
				  own, err);
		} else if (run->root_run && n->socket) {
			r = idmap_socket(fd, map_for(maps, &nmaps, 16, n->uid, n->gid,
						     outside), own, err);
		}
	}
	for (size_t k = 0; k < run->nlayers && r == 0; k++) {
		const struct sandbox_layer *l = &run->layers[k];

		given[v->n + k] = sys_open_tree(l->fd, "", AT_EMPTY_PATH | OPEN_TREE_CLONE |
							    OPEN_TREE_CLOEXEC);
		if (given[v->n + k] < 0) {
			r = rt_fail_errno(err, errno, "a clone of %s", l->path);
			break;
		}
		plan_take_fd(p, given[v->n + k]);
		if (run->root_run && step_on(STEP_IDMAP))
			r = idmap(given[v->n + k], map_for(maps, &nmaps, 16, l->uid, l->gid, outside),
				  l->path, err);
	}
	for (size_t i = 0; i < nmaps; i++)
		(void)close(maps[i].fd);
	return r;
}
