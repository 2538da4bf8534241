/* Keeps the list of files that runs have left open for writing: left_open.h. */
#include "runtime/supervise/left_open.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"
#include "runtime/broker/below.h"

/* Another polrun has the exclusive lock for some microseconds at its start and end, or for longer if it is stopped
 * just then. */
enum { LOCK_MS = 5000, LOCK_AT_END_MS = 1000 };

/* An entry of the list.  The path on the host follows, without a NUL. */
struct entry {
	uint64_t number; /* known_files_number(); 0: it may be any file */
	uint32_t len;    /* of the path; 0: it is not known */
	uint32_t denied; /* the rules of the run that has ended deny writing this name */
};

/* Takes the exclusive lock.  False: another run lives. */
static bool try_lock_alone(const struct left_open *l)
{
	return flock(l->lock, LOCK_EX | LOCK_NB) == 0;
}

static off_t size_of(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 ? st.st_size : 0;
}

int left_open_init(struct left_open *l, const struct sandbox_view *view, struct held *held, int list,
		   int lock, struct rt_err *err)
{
	char name[64];

	*l = (struct left_open){ .view = view, .list = list, .lock = lock };
	if (list <= 2 || lock <= 2)
		return 0;
	if (try_lock_alone(l))
		(void)!ftruncate(list, 0);
	if (io_lock(lock, LOCK_SH, LOCK_MS) < 0)
		return rt_fail(err, EBUSY, "refused: another process of this user has had the lock by which runs "
			       "know of one another alone for %d seconds (a polrun that is stopped?)", LOCK_MS / 1000);
	l->held = held;
	l->at = size_of(list);
	/* The run may fill the disk before it ends.  If this fails, append_any_file() needs no room. */
	(void)fallocate(list, FALLOC_FL_KEEP_SIZE, l->at, LEFT_OPEN_ROOM);
	(void)snprintf(name, sizeof(name), "/proc/self/fd/%d", list);
	if (held->events >= 0)
		(void)SYS_RETRY(inotify_add_watch(held->events, name, IN_MODIFY));
	return 0;
}

/* --- entries of other runs ------------------------------------------------------------- */

/* *ret is the sandbox's path for a path of the host.  False: it is in no brokered directory that the host has too. */
static bool find_path_inside(const struct left_open *l, const char *host, struct name_text *ret)
{
	const struct sandbox_view *v = l->view;

	for (size_t i = 0; i < v->n; i++) {
		const struct sandbox_node *n = &v->nodes[i];
		const char *at = n->source ? n->source : n->path;
		size_t len = strlen(at), inside = strlen(n->path);

		if (!n->broker || n->scratch || strncmp(host, at, len) != 0 || host[len] != '/' ||
		    !name_text_room(ret, inside + strlen(host + len) + 1))
			continue;
		memcpy(ret->s, n->path, inside);
		memcpy(ret->s + inside, host + len, strlen(host + len) + 1);
		return true;
	}
	return false;
}

/* Keeps the file (held_add()) if it still has this name. */
static int keep_file_at(const struct left_open *l, const char *inside, uint64_t number)
{
	const struct broker_trees *trees = &l->held->broker->trees;
	const char *rest;
	const struct broker_place *p = broker_trees_find(trees, inside, strlen(inside), &rest);
	struct statx st;
	AUTO_CLOSE int fd = -1;

	if (!p || p->kind != BROKER_TREE)
		return -ENOENT;
	fd = broker_open_far(p->fd, rest, O_PATH | O_NOFOLLOW | O_CLOEXEC, RESOLVE_NO_SYMLINKS);
	if (fd < 0)
		return -errno;
	if (SYS_RETRY(statx(fd, "", AT_EMPTY_PATH, STATX_INO | STATX_BTIME, &st)) != 0)
		return -errno;
	return known_files_number(&st) == number ? held_add(l->held, fd, &fd, false) : -ENOENT;
}

/*
 * If this run's rules deny the name, the other run's rules say what that means.  If they deny it too, the file was
 * renamed while it was open: this run must end.  If they allow it, the other run has opened the file by this name,
 * and it is not kept: mostly it is a file that programs outside have open as well.
 */
static void apply_entry(const struct left_open *l, const struct entry *e, const char *host,
		       struct held_lost *ret)
{
	const struct broker_rules *rules = &l->held->broker->rules;
	struct name_text inside;
	uint32_t rule = BROKER_NO_RULE;

	known_files_add(&l->held->known, e->number);
	name_text_init(&inside);
	if (find_path_inside(l, host, &inside)) {
		if (rules->allows(rules->arg, BROKER_WRITE, inside.s, false, &rule)) {
			if (keep_file_at(l, inside.s, e->number) == -EMFILE)
				known_files_add(&l->held->known, 0);
		} else if (e->denied) {
			(void)snprintf(ret->path, sizeof(ret->path), "%s", inside.s);
			ret->rule = rule;
		}
	}
	name_text_release(&inside);
}

/* False: no complete entry follows. */
static bool read_entry(struct left_open *l, struct entry *e, char *path)
{
	if (lseek(l->list, l->at, SEEK_SET) < 0 ||
	    SYS_RETRY(read(l->list, e, sizeof(*e))) != (ssize_t)sizeof(*e))
		return false;
	if (e->len >= NAME_TEXT_MOST) /* not written by polrun, and only polrun can write the list */
		return false;
	if (SYS_RETRY(read(l->list, path, e->len)) != (ssize_t)e->len)
		return false;
	path[e->len] = '\0';
	l->at += (off_t)sizeof(*e) + e->len;
	return true;
}

void left_open_read(struct left_open *l, struct held_lost *ret)
{
	int64_t until;
	off_t size;
	struct entry e;
	struct name_text path;

	ret->path[0] = '\0';
	ret->rule = BROKER_NO_RULE;
	l->more = false;
	if (!l->held)
		return;
	size = size_of(l->list);
	if (size < l->at) /* the list was emptied, which polrun does not do while another run lives */
		l->at = 0;
	if (size == l->at)
		return;
	until = sys_now_ms() + HELD_STEP_MS;
	name_text_init(&path);
	if (name_text_room(&path, NAME_TEXT_MOST))
		while (!ret->path[0] && !l->more && read_entry(l, &e, path.s)) {
			apply_entry(l, &e, path.s, ret);
			l->more = l->at < size && sys_now_ms() >= until;
		}
	name_text_release(&path);
}

/* --- entries of this run --------------------------------------------------------------- */

/* For a full disk on which the allocated room is used up: adds an entry of zeros, which stands for any file.  It
 * needs no block of the disk, since ftruncate(2) extends the list by a hole. */
static void append_any_file(const struct left_open *l, off_t at)
{
	if (ftruncate(l->list, at) == 0) /* takes back an incomplete entry */
		(void)!ftruncate(l->list, at + (off_t)sizeof(struct entry));
}

static bool append_entry(const struct left_open *l, uint64_t number, const char *path, bool denied)
{
	struct entry e = { .number = number, .len = (uint32_t)strlen(path), .denied = denied };
	struct name_text both;
	bool done = false;
	off_t at;

	name_text_init(&both);
	/* so that append_any_file() can take back an incomplete entry; a polrun that is stopped just then may keep the
	 * lock, and this one goes on without it */
	(void)io_lock(l->list, LOCK_EX, LOCK_AT_END_MS);
	at = size_of(l->list);
	if (name_text_room(&both, sizeof(e) + e.len + 1)) {
		memcpy(both.s, &e, sizeof(e));
		memcpy(both.s + sizeof(e), path, e.len);
		done = io_write_all(l->list, both.s, sizeof(e) + e.len) == 0;
	}
	if (!done)
		append_any_file(l, at);
	(void)flock(l->list, LOCK_UN);
	name_text_release(&both);
	return done;
}

static bool append_file(void *arg, uint64_t number, const char *inside, bool denied)
{
	const struct left_open *l = arg;
	char buf[PATH_MAX];
	const char *host = inside[0] ? sandbox_view_host(l->view, inside, buf, sizeof(buf)) : inside;

	return append_entry(l, number, host ? host : "", denied);
}

void left_open_tell(struct left_open *l)
{
	if (!l->held)
		return;
	if (l->held->n && !try_lock_alone(l)) {
		/* hold the lock, so that a polrun which begins now does not empty the list before the others have
		 * read it */
		(void)io_lock(l->lock, LOCK_SH, LOCK_AT_END_MS);
		if (!held_tell_open(l->held, LEFT_OPEN_MOST, append_file, l))
			(void)append_entry(l, 0, "", false);
	}
	/* unlock now: a polrun that was stopped before its end, with the exclusive lock, would block all new runs */
	(void)flock(l->lock, LOCK_UN);
}
