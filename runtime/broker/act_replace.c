/*
 * Replaces a file that the run must not write, where its new content may be there: git writes a new
 * configuration beside the old one and renames it.  The run's own file never gets the name, since the
 * run may still have it open: its content is read, judged, and written to a file of the broker's own.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"
#include "runtime/broker/actions.h"

/* The whole content, malloc'ed; -errno: the broker does not take it. */
static ssize_t read_content(struct broker_act *a, const struct broker_spot *s, char **ret)
{
	AUTO_CLOSE int fd = -1;
	size_t n = 0;
	ssize_t r = 1;

	*ret = NULL;
	if (s->object < 0)
		return 0;
	fd = S_ISREG(s->mode) ? broker_reopen(a->b, s->object, O_RDONLY) : -EACCES;
	if (fd < 0)
		return fd;
	*ret = malloc(BROKER_MOST_REPLACED + 1);
	while (*ret && n <= BROKER_MOST_REPLACED && r > 0) {
		r = read(fd, *ret + n, BROKER_MOST_REPLACED + 1 - n);
		n += r > 0 ? (size_t)r : 0;
	}
	return !*ret ? -ENOMEM : r < 0 ? -errno : n > BROKER_MOST_REPLACED ? -EFBIG : (ssize_t)n;
}

/* A file without a name, which nobody else has open. */
static int make_file(const struct broker_act *a, const char *text, size_t n, mode_t mode)
{
	struct open_how how = { .flags = O_TMPFILE | O_WRONLY | O_CLOEXEC, .mode = 0600 };
	AUTO_CLOSE int fd = sys_openat2(a->to->parent, ".", &how);
	char name[BROKER_FD_NAME];
	int keep;

	if (fd < 0)
		return -errno;
	for (size_t done = 0; done < n;) {
		ssize_t r = write(fd, text + done, n - done);

		if (r <= 0)
			return r < 0 ? -errno : -EIO;
		done += (size_t)r;
	}
	broker_fd_name(fd, name);
	if (fchmodat(a->b->self, name, mode & 0777, 0) != 0)
		return -errno;
	keep = fd;
	fd = -1;
	return keep;
}

/* Does it hold this text and nothing else? */
static bool holds_text(const struct broker_act *a, int object, const char *text, size_t n)
{
	AUTO_CLOSE int fd = broker_reopen(a->b, object, O_RDONLY);
	char buf[4096];
	size_t at = 0;
	ssize_t r;

	while (fd >= 0 && (r = read(fd, buf, sizeof(buf))) > 0) {
		if ((size_t)r > n - at || memcmp(buf, text + at, (size_t)r) != 0)
			return false;
		at += (size_t)r;
	}
	return fd >= 0 && r == 0 && at == n;
}

/* Nobody could open it for writing while it had its other name, which no run's broker opens; this looks
 * all the same. */
static bool is_alone(const struct broker_act *a, int fd, const char *text, size_t n)
{
	const struct broker_rules *rules = &a->b->rules;
	struct stat st, at;
	AUTO_CLOSE int there = sys_open_beneath(a->to->parent, a->to->leaf, O_PATH | O_NOFOLLOW | O_CLOEXEC,
						RESOLVE_BENEATH | RESOLVE_NO_XDEV);

	return there >= 0 && fstat(fd, &st) == 0 && fstat(there, &at) == 0 && st.st_dev == at.st_dev &&
	       st.st_ino == at.st_ino && (!rules->in_use || !rules->in_use(rules->arg, there)) &&
	       holds_text(a, there, text, n);
}

/* Gives the file the name; what had it is gone. */
static int name_file(const struct broker_act *a, int *fd, const char *text, size_t n)
{
	const unsigned how = a->to->object < 0 ? RENAME_NOREPLACE : RENAME_EXCHANGE;
	AUTO_CLOSE int object = -1;
	char name[BROKER_FD_NAME];
	int r = 0;

	broker_fd_name(*fd, name);
	if (linkat(a->b->self, name, a->to->parent, BROKER_TEMPORARY, AT_SYMLINK_FOLLOW) != 0)
		return -errno;
	object = broker_reopen(a->b, *fd, O_PATH);
	(void)close(*fd); /* its own opening counts as a writer */
	*fd = -1;
	if (object < 0 || renameat2(a->to->parent, BROKER_TEMPORARY, a->to->parent, a->to->leaf, how) != 0)
		r = object < 0 ? object : -errno;
	else if (!is_alone(a, object, text, n))
		r = renameat2(a->to->parent, a->to->leaf, a->to->parent, BROKER_TEMPORARY, how) == 0 ? -EACCES : -EIO;
	if (r != 0 || how == RENAME_EXCHANGE)
		(void)unlinkat(a->to->parent, BROKER_TEMPORARY, 0);
	return r;
}

static int replace(struct broker_act *a, const char *text, size_t n)
{
	struct stat st = { .st_mode = 0644 };
	AUTO_CLOSE int fd = -1;
	int r;

	if (a->to->object >= 0 && fstat(a->to->object, &st) != 0)
		return -errno;
	fd = make_file(a, text, n, st.st_mode);
	if (fd < 0)
		return fd;
	broker_touch(a, a->at->path, a->at->object, "");
	broker_touch(a, a->to->path, a->to->object, "");
	r = name_file(a, &fd, text, n);
	if (r == 0)
		broker_removed(a, a->to);
	return r < 0 ? r : broker_done(unlinkat(a->at->parent, a->at->leaf, 0));
}

int broker_replace(struct broker_act *a)
{
	const struct broker_rules *rules = &a->b->rules;
	uint32_t rule = BROKER_NO_RULE;
	char *was = NULL, *is = NULL;
	ssize_t nwas, nis;
	int r = BROKER_NOT_OURS;

	if (!rules->may_replace || a->c->flags || !S_ISREG(a->at->mode) ||
	    (a->to->object >= 0 && !S_ISREG(a->to->mode)) ||
	    rules->allows(rules->arg, BROKER_WRITE, a->to->path, false, &rule) ||
	    !rules->may_replace(rules->arg, a->to->path, rule, NULL, 0, NULL, 0))
		return BROKER_NOT_OURS;
	if (rules->lock && !a->b->alone)
		return BROKER_NEEDS_LOCK;
	if (broker_might_write(a, a->at, false) != 0 || broker_may_go(a, a->at->path) != 0)
		return BROKER_NOT_OURS;
	nis = read_content(a, a->at, &is);
	nwas = nis < 0 ? nis : read_content(a, a->to, &was);
	if (nwas >= 0 && rules->may_replace(rules->arg, a->to->path, rule, was ? was : "", (size_t)nwas, is, (size_t)nis))
		r = replace(a, is, (size_t)nis);
	free(was);
	free(is);
	return r;
}
