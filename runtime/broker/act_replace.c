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

#define MOST_TRIES 8

struct content {
	char *text; /* malloc'ed */
	size_t n;
};

/* The whole content, malloc'ed; -errno: the broker does not take it. */
static int read_content(const struct broker_act *a, const struct broker_spot *s, struct content *ret)
{
	AUTO_CLOSE int fd = -1;
	ssize_t r = 1;

	*ret = (struct content){ .n = 0 };
	if (s->object < 0)
		return 0;
	fd = S_ISREG(s->mode) ? broker_reopen(a->b, s->object, O_RDONLY) : -EACCES;
	if (fd < 0)
		return fd;
	ret->text = malloc(BROKER_MOST_REPLACED + 1);
	while (ret->text && ret->n <= BROKER_MOST_REPLACED && r > 0) {
		r = SYS_RETRY(read(fd, ret->text + ret->n, BROKER_MOST_REPLACED + 1 - ret->n));
		ret->n += r > 0 ? (size_t)r : 0;
	}
	return !ret->text ? -ENOMEM : r < 0 ? -errno : ret->n > BROKER_MOST_REPLACED ? -EFBIG : 0;
}

/* A file without a name, which nobody else has open. */
static int make_file(const struct broker_act *a, const struct content *is, mode_t mode)
{
	struct open_how how = { .flags = O_TMPFILE | O_WRONLY | O_CLOEXEC, .mode = 0600 };
	AUTO_CLOSE int fd = sys_openat2(a->to->parent, ".", &how);
	char name[BROKER_FD_NAME];

	if (fd < 0)
		return -errno;
	for (size_t done = 0; done < is->n;) {
		ssize_t r = SYS_RETRY(write(fd, is->text + done, is->n - done));

		if (r <= 0)
			return r < 0 ? -errno : -EIO;
		done += (size_t)r;
	}
	broker_fd_name(fd, name);
	if (fchmodat(a->b->self, name, mode & 0777, 0) != 0)
		return -errno;
	return io_steal_fd(&fd);
}

/* Does it hold this text and nothing else? */
static bool holds_text(const struct broker_act *a, int object, const struct content *c)
{
	AUTO_CLOSE int fd = broker_reopen(a->b, object, O_RDONLY);
	char buf[4096];
	size_t at = 0;
	ssize_t r;

	while (fd >= 0 && (r = SYS_RETRY(read(fd, buf, sizeof(buf)))) > 0) {
		if ((size_t)r > c->n - at || memcmp(buf, c->text + at, (size_t)r) != 0)
			return false;
		at += (size_t)r;
	}
	return fd >= 0 && r == 0 && at == c->n;
}

/* Has this object (O_PATH) the name in the directory of the new name? */
static bool is_called(const struct broker_act *a, int object, const char *name)
{
	struct stat st, at;

	return fstat(object, &st) == 0 && fstatat(a->to->parent, name, &at, AT_SYMLINK_NOFOLLOW) == 0 &&
	       st.st_dev == at.st_dev && st.st_ino == at.st_ino;
}

/* Nobody could open it for writing while it had its other name, which no run's broker opens; this looks
 * all the same. */
static bool is_alone(const struct broker_act *a, int object, const struct content *is)
{
	const struct broker_rules *rules = &a->b->rules;

	return is_called(a, object, a->to->leaf) && (!rules->in_use || !rules->in_use(rules->arg, object)) &&
	       holds_text(a, object, is);
}

/* Is what had the name still what was judged?  A program outside may have changed it meanwhile: its change
 * would be lost. */
static bool was_judged(const struct broker_act *a, const struct content *was)
{
	return a->to->object < 0 ||
	       (is_called(a, a->to->object, BROKER_TEMPORARY) && holds_text(a, a->to->object, was));
}

/* Takes the name away from the broker's file again.  If a program outside has given it to another one
 * meanwhile, it keeps it. */
static void take_back(const struct broker_act *a, int object, unsigned how)
{
	const int dir = a->to->parent;

	for (int i = 0; i < MOST_TRIES && is_called(a, object, a->to->leaf); i++)
		if (renameat2(dir, a->to->leaf, dir, BROKER_TEMPORARY, how) == 0 &&
		    !is_called(a, object, BROKER_TEMPORARY))
			(void)renameat2(dir, BROKER_TEMPORARY, dir, a->to->leaf, how);
}

static int link_temporary(const struct broker_act *a, int fd)
{
	char name[BROKER_FD_NAME];

	broker_fd_name(fd, name);
	return broker_done(linkat(a->b->self, name, a->to->parent, BROKER_TEMPORARY, AT_SYMLINK_FOLLOW));
}

/* If it stays, the next one takes it away. */
static void remove_temporary(const struct broker_act *a)
{
	if (unlinkat(a->to->parent, BROKER_TEMPORARY, 0) != 0)
		(void)unlinkat(a->to->parent, BROKER_TEMPORARY, 0);
}

/* Gives the file the name; what had it is gone. */
static int name_file(const struct broker_act *a, int *fd, const struct content *was, const struct content *is)
{
	const unsigned how = a->to->object < 0 ? RENAME_NOREPLACE : RENAME_EXCHANGE;
	AUTO_CLOSE int object = -1;
	int r = link_temporary(a, *fd);

	/* only a broker makes this name: one that was killed */
	if (r == -EEXIST) {
		remove_temporary(a);
		r = link_temporary(a, *fd);
	}
	if (r < 0)
		return r;
	object = broker_reopen(a->b, *fd, O_PATH);
	(void)close(*fd); /* its own opening counts as a writer */
	*fd = -1;
	if (object < 0 || renameat2(a->to->parent, BROKER_TEMPORARY, a->to->parent, a->to->leaf, how) != 0) {
		r = object < 0 ? object : -errno;
	} else if (!is_alone(a, object, is) || !was_judged(a, was)) {
		take_back(a, object, how);
		r = -EAGAIN;
	}
	if (r != 0 || how == RENAME_EXCHANGE)
		remove_temporary(a);
	return r;
}

static int replace(struct broker_act *a, const struct content *was, const struct content *is)
{
	struct stat st = { .st_mode = 0644 };
	AUTO_CLOSE int fd = -1;
	int r;

	if (a->to->object >= 0 && fstat(a->to->object, &st) != 0)
		return -errno;
	fd = make_file(a, is, st.st_mode);
	if (fd < 0)
		return fd;
	broker_touch(a, a->at->path, a->at->object, "");
	broker_touch(a, a->to->path, a->to->object, "");
	r = name_file(a, &fd, was, is);
	if (r == 0)
		broker_removed(a, a->to);
	if (r == -EAGAIN)
		return broker_refuse(a, EAGAIN, BROKER_BY_CHANGE, a->to->path);
	return r < 0 ? r : broker_done(unlinkat(a->at->parent, a->at->leaf, 0));
}

int broker_replace(struct broker_act *a)
{
	const struct broker_rules *rules = &a->b->rules;
	uint32_t rule = BROKER_NO_RULE;
	struct content was = { .n = 0 }, is;
	int r = BROKER_NOT_OURS;

	if (!rules->may_replace || a->c->flags || !S_ISREG(a->at->mode) ||
	    (a->to->object >= 0 && !S_ISREG(a->to->mode)) ||
	    rules->allows(rules->arg, BROKER_WRITE, a->to->path, false, &rule) ||
	    !rules->may_replace(rules->arg, a->to->path, rule, NULL, 0, NULL, 0))
		return BROKER_NOT_OURS;
	if (rules->lock && !a->b->alone)
		return BROKER_NEEDS_LOCK;
	/* what it holds can be read under the new name */
	if (broker_might_write(a, a->at, false) != 0 || broker_may_read(a, a->at, false) != 0 ||
	    broker_may_go(a, a->at->path) != 0)
		return BROKER_NOT_OURS;
	if (read_content(a, a->at, &is) == 0 && read_content(a, a->to, &was) == 0 &&
	    rules->may_replace(rules->arg, a->to->path, rule, was.text ? was.text : "", was.n, is.text, is.n))
		r = replace(a, &was, &is);
	free(was.text);
	free(is.text);
	return r;
}
