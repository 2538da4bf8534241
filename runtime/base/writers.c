/* Decides whether the group that may write a file is its user's own, as useradd makes one for each user. */
#include "runtime/base/writers.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/passwd.h"
#include "runtime/base/sys.h"

#define MOST_BYTES ((size_t)16 * 1024 * 1024)

/* The group of files whose group has no number in this user namespace. */
#define NO_GROUP 65534

static const char unclear[] = "/etc/passwd and /etc/group do not tell whose it is";

/* --- the two files ----------------------------------------------------------------------- */

static bool is_comment(const char *line, size_t len)
{
	return len == 0 || line[0] == '#';
}

/* Finds the name of `uid`. */
static const char *read_users(const char *text, uid_t uid, gid_t gid, struct passwd_entry *ret)
{
	bool found = false;
	size_t len;

	for (; *text; text += len + (text[len] == '\n')) {
		struct passwd_entry e;

		len = strcspn(text, "\n");
		if (is_comment(text, len))
			continue;
		if (!passwd_entry_read(text, len, &e))
			return unclear;
		if (e.uid != uid && e.gid == gid)
			return "it is another user's primary group";
		if (e.uid != uid)
			continue;
		if (found)
			return unclear; /* two names of one user: who logs in as which? */
		found = true;
		*ret = e;
	}
	return !found ? unclear : ret->gid != gid ? "it is not this user's primary group" : NULL;
}

struct group_line {
	const char *field[4]; /* name:password:gid:members */
	size_t n[4];
	gid_t gid;
};

static bool read_group(const char *line, size_t len, struct group_line *ret)
{
	size_t k = 0, at = 0;

	for (size_t i = 0; i <= len; i++) {
		if (i < len && line[i] != ':')
			continue;
		if (k == 4)
			return false;
		ret->field[k] = line + at;
		ret->n[k++] = i - at;
		at = i + 1;
	}
	return k == 4 && ret->n[0] > 0 && passwd_number(ret->field[2], ret->n[2], &ret->gid);
}

static bool is_name(const char *text, size_t n, const char *name)
{
	return n == strlen(name) && memcmp(text, name, n) == 0;
}

/* Has the list no member, or only the user?  An empty name between commas is taken for somebody. */
static bool has_no_other(const struct group_line *g, const char *name)
{
	const char *s = g->field[3];
	size_t left = g->n[3], n;

	for (; left; s += n + 1, left -= n + 1) {
		const char *comma = memchr(s, ',', left);

		n = comma ? (size_t)(comma - s) : left;
		if (!is_name(s, n, name))
			return false;
		if (!comma)
			return true;
	}
	return g->n[3] == 0;
}

/* Who knows a group's password can join it with newgrp; 'x', '!' and '*' are none. */
static bool has_password(const struct group_line *g)
{
	return !is_name(g->field[1], g->n[1], "x") && (g->n[1] == 0 || !strchr("!*", g->field[1][0]));
}

static const char *read_groups(const char *text, const char *name, gid_t gid)
{
	bool found = false;
	size_t len;

	for (; *text; text += len + (text[len] == '\n')) {
		struct group_line g;

		len = strcspn(text, "\n");
		if (is_comment(text, len))
			continue;
		if (!read_group(text, len, &g))
			return unclear;
		if (g.gid != gid && !is_name(g.field[0], g.n[0], name))
			continue;
		if (found)
			return unclear;
		found = true;
		if (g.gid != gid || !is_name(g.field[0], g.n[0], name))
			return "the group does not have its user's name";
		if (!has_no_other(&g, name))
			return "the group has another member";
		if (has_password(&g))
			return "the group has a password";
	}
	return found ? NULL : unclear;
}

const char *writers_private_group(const char *passwd, const char *group, uid_t uid, gid_t gid)
{
	struct passwd_entry user;
	const char *why;

	if (uid == 0 || gid == 0)
		return "root has no private group";
	if (uid == NO_GROUP || gid == NO_GROUP)
		return unclear;
	why = read_users(passwd, uid, gid, &user);
	return why ? why : read_groups(group, user.name, gid);
}

/* Reads what only root can have written. */
static bool read_system(const char *path, char **ret)
{
	AUTO_CLOSE int fd = sys_open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0);
	struct stat st;
	size_t n;

	return fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == 0 &&
	       !(st.st_mode & (S_IWGRP | S_IWOTH)) && io_read_all(fd, MOST_BYTES, ret, &n) == 0 &&
	       strlen(*ret) == n;
}

static const char *judge_group(const struct stat *st)
{
	AUTO_FREE char *passwd = NULL, *group = NULL;
	const char *why;

	if (!read_system("/etc/passwd", &passwd) || !read_system("/etc/group", &group))
		return unclear;
	why = writers_private_group(passwd, group, getuid(), st->st_gid);
	return why && st->st_uid != getuid() && st->st_uid != 0 ?
		       writers_private_group(passwd, group, st->st_uid, st->st_gid) : why;
}

/* --- access control lists --------------------------------------------------------------- */

static bool is_absent(const char *path, const char *name, bool may_be_unknown)
{
	return getxattr(path, name, NULL, 0) < 0 &&
	       (errno == ENODATA || (may_be_unknown && errno == EOPNOTSUPP));
}

/*
 * With a list, the group's bits are the most that the list gives to anybody in it.  The kernel keeps no list
 * that says as much as the mode does, so that each one names another user or group, or may.  NFS of version
 * 4 has its own lists, and shows theirs in the mode; a file system without any list is one that may keep
 * such rights elsewhere.
 */
static bool has_no_list(int fd)
{
	char path[40];

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return is_absent(path, "system.posix_acl_access", false) && is_absent(path, "system.nfs4_acl", true);
}

static bool is_same(int fd, const struct stat *want)
{
	struct stat st;

	return fstat(fd, &st) == 0 && st.st_dev == want->st_dev && st.st_ino == want->st_ino &&
	       st.st_mode == want->st_mode && st.st_uid == want->st_uid && st.st_gid == want->st_gid;
}

const char *writers_others(const char *path, int fd, const struct stat *st)
{
	AUTO_CLOSE int own = -1;
	const char *why;

	if (st->st_mode & S_IWOTH)
		return "everybody may write it";
	if (!(st->st_mode & S_IWGRP))
		return NULL;
	why = judge_group(st);
	if (why)
		return why;
	if (fd < 0)
		fd = own = sys_open(path, O_PATH | O_CLOEXEC, 0);
	return fd >= 0 && is_same(fd, st) && has_no_list(fd) ?
		       NULL : "it has an access control list";
}

int writers_refuse(struct rt_err *err, const char *what, const char *shown, const struct stat *st,
		   const char *why)
{
	return rt_fail(err, EPERM, "%s '%s' is writable by its group or others (mode %04o), and %s: "
		       "chmod %s it", what, shown, (unsigned)st->st_mode & 07777, why,
		       !(st->st_mode & S_IWOTH) ? "g-w" : st->st_mode & S_IWGRP ? "go-w" : "o-w");
}
