/* Decides which folders are staged runs, and who may act on one. */
#include "runtime/stage/stage_store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include <sodium.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"
#include "runtime/stage/stage_names.h"
#include "runtime/stage/stage_remove.h"
#include "runtime/stage/stage_stat.h"
#include "runtime/stage/stage_walk.h"
#include "runtime/state/state_dir.h"

enum { MAX_FILE = 1 << 30 };

static bool is_id(const char *s, size_t least)
{
	size_t n = strlen(s);

	return n >= least && n <= STAGE_ID && strspn(s, "0123456789abcdef") == n;
}

static int open_own_dir(int at, const char *path)
{
	AUTO_CLOSE int fd = sys_openat(at, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
				       0);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) != 0)
		return -errno;
	if (!state_dir_is_own(&st))
		return -EPERM;
	return io_steal_fd(&fd);
}

/* 0, also if there is none (-1). */
static int open_folder(const char *state, int *ret, struct rt_err *err)
{
	char path[PATH_MAX + sizeof("/" STAGE_FOLDER)], shown[200];

	(void)snprintf(path, sizeof(path), "%s/" STAGE_FOLDER, state);
	*ret = open_own_dir(AT_FDCWD, path);
	if (*ret >= 0)
		return 0;
	io_escape(shown, sizeof(shown), path, strlen(path));
	if (*ret == -EPERM)
		return rt_fail(err, EPERM, "'%s' could have been written by somebody else: " STATE_NOT_OWN,
			       shown);
	if (*ret != -ENOENT)
		return rt_fail_errno(err, -*ret, "'%s'", shown);
	*ret = -1;
	return 0;
}

static int read_own(int dir, const char *name, char **ret, size_t *ret_n)
{
	AUTO_CLOSE int fd = sys_openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY |
				       O_CLOEXEC, 0);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) != 0)
		return -errno;
	if (!S_ISREG(st.st_mode) || !state_dir_is_own(&st))
		return -EPERM;
	return io_read_all(fd, MAX_FILE, ret, ret_n);
}

int stage_each(const char *state, int (*f)(void *arg, const char *id), void *arg,
	       struct rt_err *err)
{
	char record[NAME_MAX + sizeof("/" STAGE_RECORD)];
	const struct dirent *e;
	struct stat st;
	int fd, r = open_folder(state, &fd, err);
	DIR *d;

	if (r < 0 || fd < 0)
		return r;
	d = fdopendir(fd);
	if (!d) {
		r = rt_fail_errno(err, errno, "the folder of staged runs");
		(void)close(fd);
		return r;
	}
	while (r == 0 && (e = readdir(d))) {
		if (!is_id(e->d_name, STAGE_ID))
			continue;
		(void)snprintf(record, sizeof(record), "%s/" STAGE_RECORD, e->d_name);
		if (fstatat(dirfd(d), record, &st, AT_SYMLINK_NOFOLLOW) == 0)
			r = f(arg, e->d_name);
	}
	(void)closedir(d);
	return r;
}

/* --- opening --------------------------------------------------------------------------- */

struct search {
	const char *id;
	char found[STAGE_ID + 1];
	size_t n;
};

static int match(void *arg, const char *id)
{
	struct search *s = arg;

	if (s->id && strncmp(id, s->id, strlen(s->id)) != 0)
		return 0;
	memcpy(s->found, id, STAGE_ID + 1);
	s->n++;
	return 0;
}

static int find(const char *state, const char *id, char ret[STAGE_ID + 1], struct rt_err *err)
{
	struct search s = { .id = id };
	char shown[80] = "";
	int r;

	if (id && !is_id(id, STAGE_ID_LEAST)) {
		io_escape(shown, sizeof(shown), id, strlen(id));
		return rt_fail(err, EINVAL, "'%s' is no ID: %d to %d hexadecimal digits", shown,
			       STAGE_ID_LEAST, STAGE_ID);
	}
	r = stage_each(state, match, &s, err);
	if (r < 0)
		return r;
	if (s.n == 0)
		return id ? rt_fail(err, ENOENT, "there is no staged run '%s'", id) :
			    rt_fail(err, ENOENT, "there is no staged run");
	if (s.n > 1)
		return rt_fail(err, EEXIST, id ? "several staged runs begin with this ID: give more "
			       "of it" : "there are several staged runs: name one");
	memcpy(ret, s.found, STAGE_ID + 1);
	return 0;
}

/*
 * Of a run that was killed, processes may live a moment longer than the lock: until its
 * pid 1 is gone, which ends after all others.
 */
static bool is_alive(const struct stage_record *r)
{
	AUTO_FREE char *text = NULL;
	char path[64], *s;
	uint64_t ticks = 0;
	size_t n;

	if (r->has_ended || !r->init)
		return false;
	(void)snprintf(path, sizeof(path), "/proc/%" PRIu64 "/stat", r->init);
	if (io_read_file(path, 4096, &text, &n) < 0)
		return false;
	s = strrchr(text, ')');
	s = s && s[1] == ' ' ? s + 2 : NULL;
	for (int field = 3; s && field < 22; field++)
		(void)stage_word(&s);
	return s && stage_number(&s, &ticks) && ticks == r->ticks;
}

static int read_record(struct stage *s, struct rt_err *err)
{
	char *text = NULL;
	size_t n = 0, good;
	int r = read_own(s->dir, STAGE_RECORD, &text, &n);

	if (r < 0)
		return rt_fail_errno(err, -r, "the record of the staged run");
	for (good = n; good && text[good - 1] != '\n';)
		good--;
	r = strlen(text) == n ? stage_record_read(text, &s->rec) : (free(text), -EBADMSG);
	if (r < 0)
		return rt_fail_errno(err, -r, "the record of the staged run");
	s->record = sys_openat(s->dir, STAGE_RECORD, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0);
	/* a line of a process that was killed must not become the beginning of ours */
	if (s->record < 0 || (good < n && ftruncate(s->record, (off_t)good) != 0))
		return rt_fail_errno(err, errno, "the record of the staged run");
	return 0;
}

int stage_open(const char *state, const char *id, struct stage *ret, struct rt_err *err)
{
	int r;

	*ret = (struct stage)STAGE_NONE;
	r = find(state, id, ret->id, err);
	if (r == 0)
		r = open_folder(state, &ret->folder, err);
	if (r < 0)
		return r;
	ret->dir = open_own_dir(ret->folder, ret->id);
	if (ret->dir < 0)
		return rt_fail_errno(err, -ret->dir, "the folder of the staged run");
	if (flock(ret->dir, LOCK_EX | LOCK_NB) != 0)
		return errno == EWOULDBLOCK ?
		       rt_fail(err, EBUSY, "the run has not ended, or somebody acts on it") :
		       rt_fail_errno(err, errno, "locking the staged run");
	r = read_record(ret, err);
	if (r == 0 && is_alive(&ret->rec))
		r = rt_fail(err, EBUSY, "processes of the run still live");
	return r;
}

/*
 * Opens the upper layer of the n-th tree.  A run that takes its own rights to the top of a tree away
 * (`chmod 0 .`) would keep the user from reviewing all of it, and polrun from looking at what other
 * processes have open for writing.  The owner gets the rights again, and a review shows that mode.
 */
static int open_upper(const struct stage *s, size_t n)
{
	char name[32], proc[40];
	AUTO_CLOSE int fd = -1;
	struct stat st;

	(void)snprintf(name, sizeof(name), "%zu/upper", n);
	fd = sys_open_beneath(s->dir, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
			      STAGE_RESOLVE);
	if (fd < 0 || fstat(fd, &st) != 0)
		return -1;
	(void)snprintf(proc, sizeof(proc), "/proc/self/fd/%d", fd);
	if ((st.st_mode & S_IRWXU) != S_IRWXU && st.st_uid == geteuid() &&
	    /* chmod(2) is not among the calls that polrun has after a run */
	    fchmodat(AT_FDCWD, proc, (st.st_mode & 07777) | S_IRWXU, 0) != 0)
		return -1;
	return sys_open_beneath(s->dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
				STAGE_RESOLVE);
}

static int open_tree(const struct stage *s, size_t i, struct rt_err *err)
{
	struct open_how how = { .flags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
				.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS };
	struct stage_tree *t = &s->rec.tree[i];
	char shown[300];
	struct stat st;

	io_escape(shown, sizeof(shown), t->host, strlen(t->host));
	t->top = sys_openat2(AT_FDCWD, t->host, &how);
	if (t->top < 0 || fstat(t->top, &st) != 0)
		return rt_fail_errno(err, errno, "'%s'", shown);
	if (st.st_dev != t->dev || st.st_ino != t->ino)
		return rt_fail(err, ESTALE, "'%s' is another directory than when the run began",
			       shown);
	t->upper = open_upper(s, i);
	return t->upper < 0 ? rt_fail_errno(err, errno, "the upper layer of '%s'", shown) : 0;
}

int stage_load_rules(const char *state, struct stage *s, struct rt_err *err)
{
	char path[PATH_MAX + 2 * STAGE_ID];
	int r;

	(void)snprintf(path, sizeof(path), "%s/" STAGE_FOLDER "/%s/" STAGE_BUNDLE, state, s->id);
	r = bundle_open_run(path, &s->bundle, err);
	if (r < 0)
		return r;
	if (strcmp(s->bundle.digest, s->rec.bundle) != 0)
		return rt_fail(err, EBADMSG, "the bundle beside the record is another one");
	s->ctx = (struct decide_ctx){ .b = &s->bundle, .scope = PB_SANDBOX };
	memcpy(s->ctx.roots.dir, s->rec.root, sizeof(s->ctx.roots.dir));
	return 0;
}

int stage_load(struct stage *s, struct rt_err *err)
{
	char *text = NULL;
	size_t n = 0;
	int r = 0;

	for (size_t i = 0; i < s->rec.ntrees && r == 0; i++)
		r = open_tree(s, i, err);
	if (r < 0)
		return r;
	r = read_own(s->dir, STAGE_BASE, &text, &n);
	if (r == 0)
		r = strlen(text) == n ? stage_base_read(text, &s->base) : (free(text), -EBADMSG);
	return r < 0 ? rt_fail_errno(err, -r, "what the run has found") : 0;
}

static int sweep_one(void *state, const char *id)
{
	struct stage s;
	struct rt_err err = { 0 };

	if (stage_open(state, id, &s, &err) == 0 && s.rec.has_ended && s.rec.empty)
		(void)stage_remove(&s, &err);
	stage_release(&s);
	return 0;
}

void stage_sweep(const char *state)
{
	struct rt_err err = { 0 };

	(void)stage_each(state, sweep_one, (char *)(uintptr_t)state, &err);
}

void stage_release(struct stage *s)
{
	stage_record_release(&s->rec);
	stage_base_release(&s->base);
	bundle_release(&s->bundle);
	free(s->upper);
	if (s->record >= 0)
		(void)close(s->record);
	if (s->dir >= 0)
		(void)close(s->dir);
	if (s->folder >= 0)
		(void)close(s->folder);
	*s = (struct stage)STAGE_NONE;
}

int stage_remove(struct stage *s, struct rt_err *err)
{
	int r = unlinkat(s->dir, STAGE_RECORD, 0) == 0 ? 0 : -errno;

	if (r == 0)
		r = stage_remove_tree(s->folder, s->id);
	return r < 0 ? rt_fail_errno(err, -r, "removing the staged run") : 0;
}

/* --- lines --------------------------------------------------------------------------------- */

static int append(const struct stage *s, const struct stage_text *t)
{
	int r = stage_text_end(t);

	return r < 0 ? r : io_write_all(s->record, t->p, t->n);
}

static int look_at_upper(const struct stage *s, size_t n, struct stage_stat *ret)
{
	char name[32];
	struct stat st;

	(void)snprintf(name, sizeof(name), "%zu/upper", n);
	if (fstatat(s->dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return -errno;
	stage_stat_of(&st, ret);
	return 0;
}

int stage_note_init(struct stage *s, uint64_t pid, uint64_t ticks)
{
	char line[80];
	int n = snprintf(line, sizeof(line), "init %" PRIu64 " %" PRIu64 "\n", pid, ticks);
	int r = 0;

	free(s->upper);
	s->upper = calloc(s->nlayers + 1, sizeof(*s->upper));
	if (!s->upper)
		return -ENOMEM;
	for (size_t i = 0; i < s->nlayers && r == 0; i++)
		r = look_at_upper(s, i, &s->upper[i]);
	return r < 0 ? r : io_write_all(s->record, line, (size_t)n);
}

int stage_note_end(const struct stage *s, int status, int64_t now)
{
	char line[80];
	int n = snprintf(line, sizeof(line), "ended %d %" PRId64 "\n", status, now);

	return io_write_all(s->record, line, (size_t)n);
}

/* An upper layer in which nothing lies, and whose top is as it was made. */
static bool layer_is_empty(const struct stage *s, size_t n)
{
	AUTO_CLOSE int fd = -1;
	struct stage_stat now;
	int entries = 0;
	DIR *d;

	if (!s->upper || look_at_upper(s, n, &now) < 0 ||
	    !stage_stat_same(&now, &s->upper[n]) ||
	    now.ctime.tv_sec != s->upper[n].ctime.tv_sec ||
	    now.ctime.tv_nsec != s->upper[n].ctime.tv_nsec)
		return false;
	fd = open_upper(s, n);
	d = fd < 0 ? NULL : fdopendir(fd);
	if (!d)
		return false;
	fd = -1;
	errno = 0;
	while (readdir(d))
		entries++;
	if (errno)
		entries = 3;
	(void)closedir(d);
	return entries == 2;
}

/*
 * Adds a `writer` line to the record if a process has the file open for writing after the run has ended.  A run can
 * pass a descriptor to a process outside over a socket, and that process could change the file after the user has
 * reviewed it.  To look once is enough: no process can open a file of an upper layer for writing after the run.
 */
static int note_writer(void *arg, const struct stage_found *f)
{
	const struct stage *s = arg;
	AUTO_CLOSE int fd = -1;
	char line[80];
	int n;

	if (!S_ISREG(f->st.st_mode))
		return 0;
	fd = sys_open_beneath(f->dir, f->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, STAGE_RESOLVE);
	/* a file that polrun may not read is never committed */
	if (fd < 0 || !stage_has_writer(fd))
		return 0;
	n = snprintf(line, sizeof(line), "writer %" PRIu64 " %" PRIu64 "\n", (uint64_t)f->st.st_dev,
		     (uint64_t)f->st.st_ino);
	return io_write_all(s->record, line, (size_t)n);
}

static int note_writers(const struct stage *s, size_t n)
{
	AUTO_CLOSE int fd = open_upper(s, n);

	return fd < 0 ? -errno : stage_walk(fd, note_writer, (void *)(uintptr_t)s);
}

int stage_close(const struct stage *s, int status, int64_t now, bool *ret_empty)
{
	static const char word[] = "empty\n";
	bool empty = true;
	int r = 0;

	for (size_t i = 0; i < s->nlayers; i++)
		empty &= layer_is_empty(s, i);
	for (size_t i = 0; i < s->nlayers && r == 0 && !empty; i++)
		r = note_writers(s, i);
	if (r == 0)
		r = stage_note_end(s, status, now);
	if (r == 0 && empty)
		r = io_write_all(s->record, word, sizeof(word) - 1);
	*ret_empty = empty;
	return r;
}

int stage_note_done(const struct stage *s, unsigned tree, const char *path)
{
	struct stage_text t = { .p = NULL };
	int r;

	stage_text_add(&t, "done %u", tree);
	stage_text_path(&t, path);
	r = append(s, &t);
	stage_text_release(&t);
	return r;
}

int stage_note_shared(const struct stage *s, const struct stage_known_file *f)
{
	char hex[2 * STAGE_DIGEST + 1];
	struct stage_text t = { .p = NULL };
	int r;

	(void)sodium_bin2hex(hex, sizeof(hex), f->digest, sizeof(f->digest));
	stage_text_add(&t, "shared %" PRIu64 " %" PRIu64 " %s\n", f->dev, f->ino, hex);
	r = append(s, &t);
	stage_text_release(&t);
	return r;
}
