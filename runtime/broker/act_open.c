/* Opens a file for writing, or makes it.  Decides what of open(2)'s flags is done here,
 * and which objects are opened at all. */
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"
#include "runtime/broker/actions.h"
#include "runtime/broker/below.h"
#include "runtime/broker/tracee.h"

/* What decides nothing and goes to the kernel as it is. */
#define PLAIN_FLAGS \
	(O_ACCMODE | O_APPEND | O_SYNC | O_DSYNC | O_DIRECT | O_NOATIME | O_LARGEFILE)
/* What F_SETFL can set: O_NONBLOCK is taken back with it. */
#define SETTABLE (O_APPEND | O_DIRECT | O_NOATIME)

/* How often the name may have changed between the look and the act. */
#define MOST_TRIES 16
/* Besides those of spot.h. */
#define CHANGED 7
#define JUST_READS 8

/* libc's O_TMPFILE, and its __O_TMPFILE, hold O_DIRECTORY. */
#define TMPFILE_ALONE (O_TMPFILE & ~O_DIRECTORY)

/* Opened without waiting; a run that has not asked for that does not get it.  The descriptor, or -errno. */
static int set_flags(int fd, uint64_t flags)
{
	int err;

	if ((flags & O_NONBLOCK) || fcntl(fd, F_SETFL, (int)(flags & SETTABLE)) == 0)
		return fd;
	err = errno;
	(void)close(fd);
	return -err;
}

static int hand_out(struct broker_act *a, int fd)
{
	fd = set_flags(fd, a->c->flags);
	if (fd < 0)
		return fd;
	a->ret->fd = fd;
	a->ret->native = a->at->place && a->at->place->kind == BROKER_WRITE_HERE;
	return 0;
}

static bool writes(uint64_t flags)
{
	return (flags & O_ACCMODE) != O_RDONLY || (flags & O_TRUNC);
}

/* As in the kernel, an open that fails with EMFILE must not have made or emptied the file: asked before
 * something changes.  0 or -EMFILE. */
static int has_room_for_fd(const struct broker_act *a)
{
	const struct broker_rules *rules = &a->b->rules;
	const struct broker_caller *by = &a->c->by;

	if (by->pid && !tracee_has_room(by->proc_fd, by->pid))
		return -EMFILE;
	if (!rules->make_room_to_hold || a->at->place->kind == BROKER_WRITE_HERE)
		return 0;
	return rules->make_room_to_hold(rules->arg);
}

/* A descriptor for writing can be opened again for reading, so both must be allowed. */
static int may_open(struct broker_act *a, bool is_dir)
{
	int r;

	if (a->at->place->kind == BROKER_WRITE_HERE)
		return 0;
	r = broker_may_write(a, a->at, is_dir);

	return r == 0 ? broker_may_read(a, a->at, is_dir) : r;
}

static int make(struct broker_act *a)
{
	struct open_how how = {
		.flags = (a->c->flags & PLAIN_FLAGS) | O_CREAT | O_EXCL | O_NOFOLLOW |
			 O_CLOEXEC | O_NOCTTY | O_NONBLOCK,
		.mode = a->c->mode & 07777,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS |
			   RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV,
	};
	mode_t own;
	int fd, err, r = may_open(a, false);

	if (r == 0)
		r = has_room_for_fd(a);
	if (r == 0)
		r = broker_take_umask(a, &own);
	if (r < 0)
		return r;
	fd = sys_openat2(a->at->parent, a->at->leaf, &how);
	err = errno;
	(void)umask(own);
	return fd < 0 ? -err : hand_out(a, fd);
}

/* A file without a name is judged by its directory. */
static int make_nameless(struct broker_act *a)
{
	struct open_how how = {
		.flags = (a->c->flags & (PLAIN_FLAGS | O_EXCL)) | O_TMPFILE |
			 O_CLOEXEC | O_NONBLOCK,
		.mode = a->c->mode & 07777,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS |
			   RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV,
	};
	mode_t own;
	int fd, err, r;

	if (a->at->object < 0)
		return -a->at->missing;
	if (!S_ISDIR(a->at->mode))
		return -ENOTDIR;
	r = may_open(a, true);
	if (r == 0)
		r = broker_take_umask(a, &own);
	if (r < 0)
		return r;
	fd = sys_openat2(a->at->object, ".", &how);
	err = errno;
	(void)umask(own);
	return fd < 0 ? -err : hand_out(a, fd);
}

/* As the kernel's fs.protected_regular and fs.protected_fifos, whether or not they are on. */
static int may_find(const struct broker_spot *s, uid_t uid)
{
	struct stat dir;

	if (s->uid == uid || s->parent < 0)
		return 0;
	if (fstat(s->parent, &dir) != 0)
		return -errno;
	return (dir.st_mode & (S_ISVTX | S_IWOTH)) == (S_ISVTX | S_IWOTH) &&
			       dir.st_uid != s->uid
		       ? -EACCES
		       : 0;
}

static void keep_object(struct broker_act *a)
{
	if (!a->at->own_object)
		return;
	a->ret->object = a->at->object;
	a->at->own_object = false;
}

/* The kernel opens a FIFO for writing also where the mount is read-only. */
static bool is_on_read_only_mount(int object)
{
	struct statfs st;

	return SYS_RETRY(fstatfs(object, &st)) != 0 || (st.f_flags & ST_RDONLY);
}

/* Who has a FIFO open for reading sees of one whose writers have closed it that it has ended, and of one that
 * nobody has opened yet nothing.  tee(2) takes nothing out of it, and tells whether there is a writer. */
static bool has_writer(const struct broker *b, int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	ssize_t n;
	char byte;

	if (SYS_RETRY(poll(&p, 1, 0)) > 0)
		return true;
	n = SYS_RETRY(tee(fd, b->probe[1], 1, SPLICE_F_NONBLOCK));
	if (n > 0)
		(void)SYS_RETRY(read(b->probe[0], &byte, 1));
	return n > 0 || (n < 0 && errno == EAGAIN);
}

int broker_fifo_open(const struct broker *b, struct broker_fifo *f)
{
	int fd;

	if (f->reads && !has_writer(b, f->object))
		return -ENXIO;
	/* O_NONBLOCK: without a reader the kernel would wait for one */
	fd = f->reads ? io_steal_fd(&f->object) : broker_reopen(b, f->object, f->flags & PLAIN_FLAGS);
	return fd < 0 ? fd : set_flags(fd, f->flags);
}

/* The descriptor, or its caller waits. */
static int open_or_wait(struct broker_act *a, struct broker_fifo *f)
{
	const struct broker_rules *rules = &a->b->rules;
	int fd = (f->flags & O_NONBLOCK) && f->reads ? io_steal_fd(&f->object) : broker_fifo_open(a->b, f);

	if (fd >= 0)
		a->ret->fd = fd;
	if (fd != -ENXIO || (f->flags & O_NONBLOCK))
		return fd < 0 ? fd : 0;
	if (!rules->may_wait || !rules->may_wait(rules->arg))
		return broker_refuse(a, EAGAIN, BROKER_BY_WAITING, a->at->path);
	return BROKER_LATER;
}

/* Opened at once, or its caller waits until somebody reads it: polrun itself never waits for that. */
static int open_fifo(struct broker_act *a)
{
	const struct broker_rules *rules = &a->b->rules;
	struct broker_spot *s = a->at;
	uint64_t flags = a->c->flags;
	struct broker_fifo f;
	int r = 0;

	if (is_on_read_only_mount(s->object))
		return broker_refuse(a, EROFS, BROKER_BY_KIND, s->path);
	if (flags & O_CREAT)
		r = may_find(s, a->b->trees.uid);
	/* what goes through it changes nothing that has this name */
	if (r == 0 && s->place->kind != BROKER_WRITE_HERE)
		r = broker_might_write(a, s, false);
	if (r == 0 && s->place->kind != BROKER_WRITE_HERE)
		r = broker_may_read(a, s, false);
	if (r == 0)
		r = broker_may_write_names(a, s);
	if (r < 0)
		return r;
	if (rules->opens_fifo)
		rules->opens_fifo(rules->arg, s->dev, s->ino);
	a->ret->native = s->place->kind == BROKER_WRITE_HERE;
	f = (struct broker_fifo){ .flags = flags, .object = s->object };
	r = open_or_wait(a, &f);
	if (r == BROKER_LATER || (r == 0 && rules->hold))
		keep_object(a);
	return r;
}

/* With the reader's end open, as the kernel has it while a reader waits: who waits to write comes first. */
static int open_fifo_to_read(struct broker_act *a)
{
	const struct broker_rules *rules = &a->b->rules;
	struct broker_fifo f = { .flags = a->c->flags, .reads = true };
	int r;

	f.object = broker_reopen(a->b, a->at->object, f.flags & PLAIN_FLAGS);
	if (f.object < 0)
		return f.object;
	if (rules->opens_fifo)
		rules->opens_fifo(rules->arg, a->at->dev, a->at->ino);
	r = open_or_wait(a, &f);
	if (r == BROKER_LATER)
		a->ret->object = io_steal_fd(&f.object);
	if (f.object >= 0)
		(void)close(f.object);
	return r;
}

static int open_object(struct broker_act *a)
{
	struct broker_spot *s = a->at;
	uint64_t flags = a->c->flags;
	int r, fd;

	if (S_ISLNK(s->mode))
		return flags & O_DIRECTORY ? -ENOTDIR : -ELOOP;
	if (S_ISDIR(s->mode))
		return -EISDIR;
	if (flags & O_DIRECTORY)
		return -ENOTDIR;
	if (S_ISFIFO(s->mode))
		return open_fifo(a);
	if (!S_ISREG(s->mode))
		return broker_refuse(a, S_ISSOCK(s->mode) ? ENXIO : EACCES,
				     BROKER_BY_KIND, s->path);
	r = flags & O_CREAT ? may_find(s, a->b->trees.uid) : 0;
	if (r == 0)
		r = broker_may_change_program(a, s);
	if (r == 0)
		r = may_open(a, false);
	if (r == 0)
		r = broker_may_write_names(a, s);
	if (r == 0 && (flags & O_TRUNC))
		r = has_room_for_fd(a);
	if (r < 0)
		return r;
	fd = broker_reopen(a->b, s->object, (flags & PLAIN_FLAGS) | (flags & O_TRUNC));
	r = fd < 0 ? fd : hand_out(a, fd);
	if (r == 0 && a->b->rules.hold)
		keep_object(a);
	return r;
}

static int open_found(struct broker_act *a)
{
	const struct broker_spot *s = a->at;
	uint64_t flags = a->c->flags;
	int r;

	if ((flags & O_TMPFILE) == O_TMPFILE)
		return make_nameless(a);
	if ((flags & O_CREAT) && s->slash && s->last != BROKER_LAST_DOT &&
	    s->last != BROKER_LAST_DOTDOT)
		return -EISDIR;
	if (s->object < 0 && (!(flags & O_CREAT) || s->missing != ENOENT))
		return -s->missing;
	if (s->object < 0) {
		r = make(a);
		return r == -EEXIST && !(flags & O_EXCL) ? CHANGED : r;
	}
	if ((flags & O_CREAT) && (flags & O_EXCL))
		return -EEXIST;
	/* it needs no writing: it is opened on the mount that the run sees.  O_TRUNC means nothing to a FIFO */
	if (!writes(flags) || (S_ISFIFO(s->mode) && (flags & O_ACCMODE) == O_RDONLY))
		return JUST_READS;
	return open_object(a);
}

/* Is it one that is opened here, in a place of `reads`? */
static bool is_read_here(const struct broker_act *a)
{
	const struct broker_spot *s = a->at;
	bool is_dir = S_ISDIR(s->mode), any;

	if (s->object < 0 || !s->place || (!is_dir && !S_ISREG(s->mode) && !S_ISFIFO(s->mode)) ||
	    (!is_dir && (a->c->flags & O_DIRECTORY)))
		return false;
	/* the kernel's own files are not for polrun to open */
	any = s->place->kind == BROKER_OPEN_HERE || s->place->kind == BROKER_OPEN_OWN;
	if (s->dev != s->place->dev)
		return any && broker_holds_files(s->object);
	return any || is_dir;
}

/*
 * By the kernel; or here, where it lets the run open nothing for reading.  Everything but a
 * regular file, a FIFO and a directory is the kernel's, and what it says of a path that leads nowhere.
 */
static int open_to_read(struct broker_act *a)
{
	const struct broker_call *c = a->c;
	const struct broker_rules *rules = &a->b->rules;
	const struct broker_caller by = broker_reader(a);
	unsigned how = c->flags & O_NOFOLLOW ? BROKER_WALK_NOFOLLOW : BROKER_WALK_FOLLOW;
	AUTO_CLOSE int program = -1;
	int fd, r = BROKER_NOT_OURS;

	broker_spot_release(a->at);
	a->ret->reads = true;
	/* it opens nothing that is there */
	if (!(c->flags & O_CREAT))
		how |= BROKER_WALK_ALONE;
	if (a->b->reads.n && !((c->flags & O_CREAT) && (c->flags & O_EXCL)))
		r = broker_resolve(&a->b->reads, &by, c->path.base, c->path.raw, how, a->at);
	if (r != 0)
		return r == BROKER_TOO_LATE || r == BROKER_UNDECIDED || r == BROKER_REFUSED ? r : BROKER_NOT_OURS;
	if (!is_read_here(a) || (S_ISDIR(a->at->mode) && (c->flags & O_CREAT)))
		return BROKER_NOT_OURS;
	r = c->flags & O_CREAT ? may_find(a->at, a->b->reads.uid) : 0;
	if (r == 0 && a->at->place->kind == BROKER_OPEN_HERE)
		r = broker_may_read(a, a->at, S_ISDIR(a->at->mode));
	if (r == 0 && S_ISFIFO(a->at->mode))
		return open_fifo_to_read(a);
	if (r == 0 && rules->changed)
		r = rules->changed(rules->arg, a->at->dev, a->at->ino, &program);
	if (r < 0)
		return r;
	fd = broker_reopen(a->b, program >= 0 ? program : a->at->object, c->flags & (PLAIN_FLAGS | O_DIRECTORY));
	return fd < 0 ? fd : hand_out(a, fd);
}

int broker_check_open(const struct broker_call *c)
{
	if (c->flags & O_PATH)
		return 0;
	if (c->flags & TMPFILE_ALONE)
		return (c->flags & O_TMPFILE) != O_TMPFILE || (c->flags & O_CREAT) ||
				       (c->flags & O_ACCMODE) == O_RDONLY
			       ? -EINVAL
			       : 0;
	/* since 6.4; what older kernels made of it was a file */
	return (c->flags & O_CREAT) && (c->flags & O_DIRECTORY) ? -EINVAL : 0;
}

int broker_open(struct broker_act *a)
{
	const struct broker_call *c = a->c;
	bool excl = (c->flags & O_CREAT) && (c->flags & O_EXCL);
	unsigned how = BROKER_WALK_FOLLOW, alone = BROKER_WALK_ALONE;
	/* a descriptor for writing can be opened again for reading */
	const struct broker_caller by = broker_reader(a);

	if (c->flags & O_PATH)
		return BROKER_NOT_OURS;
	if (!writes(c->flags) && !(c->flags & O_CREAT) && (c->flags & O_TMPFILE) != O_TMPFILE)
		return open_to_read(a);
	if (c->flags & O_CREAT)
		how = excl || (c->flags & O_NOFOLLOW) ? BROKER_WALK_PARENT
						      : BROKER_WALK_CREATE;
	else if (c->flags & O_NOFOLLOW)
		how = BROKER_WALK_NOFOLLOW;
	for (unsigned i = 0; i < MOST_TRIES; i++) {
		int r = broker_resolve(&a->b->trees, &by, c->path.base, c->path.raw,
				       how | alone, a->at);

		/* may_find() asks about the directory */
		if (r == 0 && alone && (c->flags & O_CREAT) && a->at->parent < 0 &&
		    a->at->uid != a->b->trees.uid) {
			alone = 0;
			r = CHANGED;
		}
		if (r == 0)
			r = open_found(a);
		else if (r == BROKER_NOT_OURS && !writes(c->flags))
			r = JUST_READS;
		if (r == JUST_READS)
			return open_to_read(a);
		if (r != CHANGED)
			return r;
		broker_spot_release(a->at);
	}
	return broker_refuse(a, EIO, BROKER_BY_CHANGE, c->path.raw);
}
