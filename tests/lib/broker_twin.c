/* Makes calls through the broker and through the kernel, and compares what they leave. */
#include "tests/lib/broker_twin.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

static bool allow(void *arg, enum broker_op op, const char *path, bool is_dir, uint32_t *ret_rule)
{
	(void)arg, (void)op, (void)path, (void)is_dir, (void)ret_rule;
	return true;
}

static bool allow_below(void *arg, enum broker_op op, const char *dir)
{
	(void)arg, (void)op, (void)dir;
	return true;
}

const struct broker_rules twin_allow_all = { .allows = allow, .allows_below = allow_below };

int twin_init(struct twin *t, const struct broker_rules *rules)
{
	*t = (struct twin){ .base = "/tmp/pol-broker.XXXXXX", .fd = -1 };
	t->broker.self = -1;
	if (!mkdtemp(t->base))
		return -errno;
	for (int i = 0; i < 2; i++) {
		char *at = stpcpy(stpcpy(t->root[i], t->base), i ? "/b" : "/a");

		for (unsigned deep = 0; deep < TWIN_DEEP; deep++) {
			if (mkdir(t->root[i], 0755) != 0)
				return -errno;
			at = stpcpy(at, "/t");
		}
		if (mkdir(t->root[i], 0755) != 0)
			return -errno;
	}
	t->fd = open(t->root[0], O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (t->fd < 0 || broker_init(&t->broker, rules) != 0)
		return -errno;
	return broker_trees_add(&t->broker.trees, BROKER_TREE, t->root[0], t->fd);
}

void twin_release(struct twin *t)
{
	char cmd[200];

	broker_release(&t->broker);
	if (t->fd >= 0)
		(void)close(t->fd);
	(void)snprintf(cmd, sizeof(cmd), "chmod -R u+rwx '%s' 2>/dev/null; rm -rf '%s'", t->base,
		       t->base);
	(void)!system(cmd);
}

static int base_of(const struct broker_path *p)
{
	return p->raw[0] == '/' || !p->base ? AT_FDCWD :
					      open(p->base, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* For calls that take no descriptor of a directory. */
static void whole(const char *raw, int dir, char path[PATH_MAX + 32])
{
	if (dir == AT_FDCWD || !raw[0])
		(void)snprintf(path, PATH_MAX + 32, "%s", raw);
	else
		(void)snprintf(path, PATH_MAX + 32, "/proc/self/fd/%d/%s", dir, raw);
}

static long xattr(const struct broker_call *c, int dir)
{
	char path[PATH_MAX + 32];

	whole(c->path.raw, dir, path);
	if (c->verb == BROKER_REMOVEXATTR)
		return c->follow ? removexattr(path, c->text) : lremovexattr(path, c->text);
	return c->follow ? setxattr(path, c->text, c->value, c->size, (int)c->flags) :
			   lsetxattr(path, c->text, c->value, c->size, (int)c->flags);
}

static long make_call(const struct broker_call *c, int d, int e, int *fd)
{
	const char *p = c->path.raw;
	int nofollow = c->follow ? 0 : AT_SYMLINK_NOFOLLOW;
	char path[PATH_MAX + 32];

	switch (c->verb) {
	case BROKER_OPEN:
		return *fd = openat(d, p, (int)c->flags, c->mode);
	case BROKER_MKDIR:
		return mkdirat(d, p, c->mode);
	case BROKER_RMDIR:
		return unlinkat(d, p, AT_REMOVEDIR);
	case BROKER_MKNOD:
		return mknodat(d, p, c->mode, 0);
	case BROKER_SYMLINK:
		return symlinkat(c->text, d, p);
	case BROKER_LINK:
		return linkat(d, p, e, c->to.raw, c->follow ? AT_SYMLINK_FOLLOW : 0);
	case BROKER_UNLINK:
		return unlinkat(d, p, 0);
	case BROKER_RENAME:
		return renameat2(d, p, e, c->to.raw, (unsigned)c->flags);
	case BROKER_TRUNCATE:
		whole(p, d, path);
		return truncate(path, c->length);
	case BROKER_CHMOD: /* fchmodat2, 6.6: libc would follow the link */
		return c->follow ? fchmodat(d, p, c->mode, 0) :
				   syscall(452, d, p, c->mode, AT_SYMLINK_NOFOLLOW);
	case BROKER_CHOWN:
		return fchownat(d, p, c->uid, c->gid, nofollow);
	case BROKER_UTIMENS:
		return utimensat(d, p, c->times, nofollow);
	case BROKER_SETXATTR:
	case BROKER_REMOVEXATTR:
		return xattr(c, d);
	case BROKER_ACCESS:
		return syscall(SYS_faccessat2, d, p, c->mode, nofollow | (int)c->flags);
	case BROKER_BIND: /* needs a caller */
	case BROKER_EXEC: /* is the kernel's */
	case BROKER_CONFINE:
	case BROKER_VERB_COUNT:
		break;
	}
	errno = ENOSYS;
	return -1;
}

void twin_plain(const struct broker_call *c, struct twin_answer *ret)
{
	int d = base_of(&c->path), e = c->to.raw ? base_of(&c->to) : AT_FDCWD;
	mode_t own = umask(c->umask);

	ret->fd = -1;
	ret->err = 0;
	if (make_call(c, d, e, &ret->fd) < 0)
		ret->err = errno;
	(void)umask(own);
	if (d >= 0)
		(void)close(d);
	if (e >= 0)
		(void)close(e);
}

void twin_brokered(struct twin *t, const struct broker_call *c, struct twin_answer *ret)
{
	broker_act(&t->broker, c, &t->last);
	if (!t->last.ours && t->leave_alone) {
		*ret = (struct twin_answer){ .fd = -1 };
	} else if (!t->last.ours) {
		twin_plain(c, ret);
		return;
	}
	ret->err = t->last.err;
	ret->fd = t->last.fd;
}

static const char *fill(const char *text, const char *root, char out[2 * PATH_MAX])
{
	if (!text || text[0] != '@')
		return text;
	(void)snprintf(out, 2 * PATH_MAX, "%s%s", root, text + 1);
	return out;
}

void twin_one(struct twin *t, unsigned which, const struct broker_call *c,
	      struct twin_answer *ret)
{
	static char buf[5][2 * PATH_MAX];
	const char *root = t->root[which];
	struct broker_call own = *c;

	own.path.raw = fill(c->path.raw, root, buf[0]);
	own.to.raw = fill(c->to.raw, root, buf[1]);
	own.text = fill(c->text, root, buf[2]);
	own.path.base = fill(c->path.base, root, buf[3]);
	own.to.base = fill(c->to.base, root, buf[4]);
	if (which == 0)
		twin_brokered(t, &own, ret);
	else
		twin_plain(&own, ret);
}

void twin_both(struct twin *t, const struct broker_call *c, struct twin_answer ret[2])
{
	twin_one(t, 0, c, &ret[0]);
	twin_one(t, 1, c, &ret[1]);
}

static void describe_link(const char *root, int dir, const char *name, char *out, size_t cap)
{
	char target[PATH_MAX];
	ssize_t n = readlinkat(dir, name, target, sizeof(target) - 1);
	size_t len = strlen(root);

	target[n < 0 ? 0 : n] = '\0';
	(void)snprintf(out, cap, " -> %s%s", strncmp(target, root, len) == 0 ? "@" : "",
		       strncmp(target, root, len) == 0 ? target + len : target);
}

static void describe_content(int dir, const char *name, char *out, size_t cap)
{
	char text[64] = "", value[64] = "";
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	ssize_t m = fd < 0 ? -1 : fgetxattr(fd, "user.x", value, sizeof(value) - 1);

	text[n < 0 ? 0 : n] = '\0';
	value[m < 0 ? 0 : m] = '\0';
	(void)snprintf(out, cap, " '%s' x='%s'", text, m < 0 ? "-" : value);
	if (fd >= 0)
		(void)close(fd);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* Writes a line for each name below. */
static void list(const char *root, int dir, const char *path, FILE *out)
{
	int own = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct dirent **names = NULL;
	int n = own < 0 ? -1 : scandirat(own, ".", &names, NULL, by_name);

	if (n < 0)
		(void)fprintf(out, "%s: %s\n", path, strerror(errno));
	for (int i = 0; i < n; i++) {
		const char *name = names[i]->d_name;
		char more[PATH_MAX + 8] = "", below[PATH_MAX];
		struct stat st;

		if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
		    fstatat(own, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
			goto next;
		if (S_ISLNK(st.st_mode))
			describe_link(root, own, name, more, sizeof(more));
		else if (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode))
			describe_content(own, name, more, sizeof(more));
		(void)snprintf(below, sizeof(below), "%s/%s", path, name);
		(void)fprintf(out, "%s %o %u:%u %ld %lu%s%s\n", below, st.st_mode, st.st_uid,
			      st.st_gid, S_ISDIR(st.st_mode) ? 0 : (long)st.st_size,
			      (unsigned long)st.st_nlink, more,
			      st.st_mtime < 1000000000 ? " old" : "");
		if (S_ISDIR(st.st_mode)) {
			int fd = openat(own, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);

			list(root, fd, below, out);
			(void)close(fd);
		}
	next:
		free(names[i]);
	}
	free(names);
	if (own >= 0)
		(void)close(own);
}

bool twin_alike(const struct twin *t, bool whole_of_it, char *why, size_t cap)
{
	char *text[2] = { NULL, NULL };
	size_t n, at = 0, line = 0;
	bool same;

	for (int i = 0; i < 2; i++) {
		FILE *f = open_memstream(&text[i], &n);
		char top[sizeof(t->root[i])];
		int fd;

		(void)snprintf(top, sizeof(top), "%.*s",
			       whole_of_it ? (int)strlen(t->base) + 2 : (int)sizeof(top) - 1,
			       t->root[i]);
		fd = open(top, O_PATH | O_DIRECTORY | O_CLOEXEC);

		list(t->root[i], fd, "", f);
		(void)fclose(f);
		(void)close(fd);
	}
	same = strcmp(text[0], text[1]) == 0;
	for (; !same && text[0][at] == text[1][at]; at++)
		if (text[0][at] == '\n')
			line = at + 1;
	if (!same)
		(void)snprintf(why, cap, "broker: %.*s; kernel: %.*s",
			       (int)strcspn(text[0] + line, "\n"), text[0] + line,
			       (int)strcspn(text[1] + line, "\n"), text[1] + line);
	free(text[0]);
	free(text[1]);
	return same;
}
