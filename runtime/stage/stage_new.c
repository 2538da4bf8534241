/* Makes the folder of a staged run, with its layers. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"
#include "runtime/stage/stage_names.h"
#include "runtime/stage/stage_remove.h"
#include "runtime/stage/stage_store.h"
#include "runtime/state/state_dir.h"

/* A run as root for another user: the folder is that user's. */
static int give(const struct stage *s, int fd)
{
	struct stat st;

	if (geteuid() != 0)
		return 0;
	if (fstat(s->folder, &st) != 0)
		return -errno;
	return st.st_uid == 0 || fchown(fd, st.st_uid, st.st_gid) == 0 ? 0 : -errno;
}

static int make_dir(const struct stage *s, int at, const char *name, mode_t mode, int *ret)
{
	AUTO_CLOSE int fd = -1;
	int r;

	if (mkdirat(at, name, 0700) != 0)
		return -errno;
	fd = sys_openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	r = give(s, fd);
	if (r == 0 && fchmod(fd, mode) != 0)
		r = -errno;
	if (r == 0)
		*ret = io_steal_fd(&fd);
	return r;
}

static int write_file(const struct stage *s, const char *name, const void *p, size_t n, int *ret)
{
	AUTO_CLOSE int fd = sys_openat(s->dir, name, O_RDWR | O_CREAT | O_EXCL | O_APPEND |
				       O_NOFOLLOW | O_CLOEXEC, 0600);
	int r = fd < 0 ? -errno : give(s, fd);

	if (r == 0)
		r = io_write_all(fd, p, n);
	if (r == 0 && ret)
		*ret = io_steal_fd(&fd);
	return r;
}

/* Overlayfs marks directories of the layer by an attribute; without it the run could not
 * replace one. */
static int try_attribute(int fd)
{
	static const char name[] = "user.overlay.opaque";

	if (fsetxattr(fd, name, "y", 1, 0) != 0)
		return errno == EOPNOTSUPP ? -ENOTSUP : -errno;
	return fremovexattr(fd, name) == 0 ? 0 : -errno;
}

/* In a run as root the layer belongs to the tree's owner, as the tree does. */
static int give_layer(const struct stage_tree *t, int fd)
{
	return geteuid() != 0 || fchown(fd, t->uid, t->gid) == 0 ? 0 : -errno;
}

/* The top of the merged tree has the mode, the times and the attributes of the upper layer's. */
static int make_layer(const struct stage *s, size_t i, const struct stage_tree *t)
{
	AUTO_CLOSE int dir = -1, upper = -1, work = -1;
	struct timespec times[2];
	char name[24];
	struct stat st;
	int r;

	(void)snprintf(name, sizeof(name), "%zu", i);
	if (fstat(t->top, &st) != 0)
		return -errno;
	times[0] = st.st_atim;
	times[1] = st.st_mtim;
	r = make_dir(s, s->dir, name, 0700, &dir);
	if (r == 0)
		r = make_dir(s, dir, "work", 0700, &work);
	if (r == 0)
		r = make_dir(s, dir, "upper", 0700, &upper);
	if (r == 0)
		r = try_attribute(work);
	if (r == 0)
		r = give_layer(t, work);
	if (r == 0)
		r = give_layer(t, upper);
	if (r == 0)
		r = give_layer(t, dir);
	if (r == 0 && (fchmod(upper, st.st_mode & 07777) != 0 || utimensat(dir, "upper", times, 0) != 0))
		r = -errno;
	return r;
}

static int make_layers(const struct stage *s, const struct stage_new *n,
		       struct stage_text *base, struct rt_err *err)
{
	int r = 0;

	for (size_t i = 0; i < n->ntrees && r == 0; i++) {
		const char *shown = n->tree[i].host ? n->tree[i].host : n->tree[i].path;

		r = make_layer(s, i, &n->tree[i]);
		if (r == -ENOTSUP)
			return rt_fail(err, ENOTSUP, "the file system of the state's folder has no "
				       "attributes of users, which an upper layer needs (a tmpfs has them "
				       "since Linux 6.6): XDG_STATE_HOME moves it");
		if (r < 0)
			return rt_fail_errno(err, -r, "making an upper layer");
		r = stage_base_look((unsigned)i, n->tree[i].top, shown, base, err);
	}
	return r;
}

static int fill(struct stage *s, const struct stage_new *n, const void *bundle, size_t size,
		struct rt_err *err)
{
	struct stage_text base = { .p = NULL }, record = { .p = NULL };
	int r = make_layers(s, n, &base, err);

	if (r < 0) {
		stage_text_release(&base);
		return r;
	}
	stage_record_write(n, (int64_t)time(NULL), &record);
	r = stage_text_end(&base);
	if (r == 0)
		r = stage_text_end(&record);
	if (r == 0)
		r = write_file(s, STAGE_BUNDLE, bundle, size, NULL);
	if (r == 0)
		r = write_file(s, STAGE_BASE, base.p, base.n, NULL);
	/* last: from now on it is one */
	if (r == 0)
		r = write_file(s, STAGE_RECORD, record.p, record.n, &s->record);
	s->nlayers = n->ntrees;
	stage_text_release(&base);
	stage_text_release(&record);
	return r < 0 ? rt_fail_errno(err, -r, "writing the record of a staged run") : 0;
}

static int make_id(char id[STAGE_ID + 1])
{
	AUTO_CLOSE int fd = sys_open("/dev/urandom", O_RDONLY | O_CLOEXEC, 0);
	unsigned char bytes[STAGE_ID / 2];

	if (fd < 0)
		return -errno;
	if (SYS_RETRY(read(fd, bytes, sizeof(bytes))) != (ssize_t)sizeof(bytes))
		return -EIO;
	for (size_t i = 0; i < sizeof(bytes); i++)
		(void)snprintf(id + 2 * i, 3, "%02x", bytes[i]);
	return 0;
}

static int make_folder(const char *state, struct stage *s, struct rt_err *err)
{
	char path[PATH_MAX];
	int r;

	if (snprintf(path, sizeof(path), "%s/" STAGE_FOLDER, state) >= (int)sizeof(path))
		return rt_fail_errno(err, ENAMETOOLONG, "the folder of staged runs");
	r = state_dir_make(path, err);
	if (r < 0)
		return r;
	s->folder = sys_open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
	if (s->folder < 0)
		return rt_fail_errno(err, errno, "the folder of staged runs");
	r = make_id(s->id);
	if (r == 0)
		r = make_dir(s, s->folder, s->id, 0700, &s->dir);
	if (r == 0 && flock(s->dir, LOCK_EX | LOCK_NB) != 0)
		r = -errno;
	return r < 0 ? rt_fail_errno(err, -r, "making the folder of a staged run") : 0;
}

int stage_create(const char *state, const struct stage_new *n, const void *bundle,
		 size_t size, struct stage *ret, struct rt_err *err)
{
	struct stage s = STAGE_NONE;
	int r;

	if (n->ntrees > STAGE_MAX_TREES)
		return rt_fail(err, E2BIG, "more than %d writable trees cannot be staged",
			       STAGE_MAX_TREES);
	r = make_folder(state, &s, err);
	if (r == 0)
		r = fill(&s, n, bundle, size, err);
	if (r < 0) {
		if (s.dir >= 0) {
			(void)unlinkat(s.dir, STAGE_RECORD, 0);
			(void)stage_remove_tree(s.folder, s.id);
		}
		stage_release(&s);
		return r;
	}
	*ret = s;
	return 0;
}

int stage_path(const char *state, const struct stage *s, size_t n, char ret[PATH_MAX])
{
	int len = s ? snprintf(ret, PATH_MAX, "%s/" STAGE_FOLDER "/%s/%zu", state, s->id, n) :
		      snprintf(ret, PATH_MAX, "%s/" STAGE_FOLDER, state);

	return len < PATH_MAX ? 0 : -ENAMETOOLONG;
}

int stage_open_layer(const struct stage *s, size_t n)
{
	char name[24];
	int fd;

	(void)snprintf(name, sizeof(name), "%zu", n);
	fd = sys_openat(s->dir, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
	return fd < 0 ? -errno : fd;
}
