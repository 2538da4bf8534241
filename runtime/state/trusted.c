/* Decides whether a user's trust in a policy file counts: in a folder and a file that only
 * this user can have written. */
#include "runtime/state/trusted.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <sodium.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"
#include "runtime/state/state_dir.h"

#define FOLDER "trusted"

enum { ENTRY_MAX = PATH_MAX + 32, MAX_ENTRIES = 65536 };

static void make_id(const char *path, const char *text, size_t n, char out[TRUSTED_ID + 1])
{
	unsigned char hash[TRUSTED_ID / 2];
	crypto_generichash_state st;

	(void)crypto_generichash_init(&st, NULL, 0, sizeof(hash));
	(void)crypto_generichash_update(&st, (const unsigned char *)path, strlen(path) + 1);
	(void)crypto_generichash_update(&st, (const unsigned char *)text, n);
	(void)crypto_generichash_final(&st, hash, sizeof(hash));
	(void)sodium_bin2hex(out, TRUSTED_ID + 1, hash, sizeof(hash));
}

int trusted_open(const char *dir, struct trusted *ret, struct rt_err *err)
{
	char path[PATH_MAX + sizeof(FOLDER)];
	struct stat st;

	*ret = (struct trusted){ .dirfd = -1 };
	(void)snprintf(path, sizeof(path), "%s/" FOLDER, dir);
	io_escape(ret->shown, sizeof(ret->shown), path, strlen(path));
	ret->dirfd = sys_open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
	if (ret->dirfd < 0)
		return errno == ENOENT ? 0 : rt_fail_errno(err, errno, "'%s'", ret->shown);
	if (fstat(ret->dirfd, &st) != 0)
		return rt_fail_errno(err, errno, "'%s'", ret->shown);
	if (state_dir_is_own(&st))
		return 0;
	trusted_release(ret);
	return rt_fail(err, EPERM, "'%s' could have been written by somebody else: " STATE_NOT_OWN, ret->shown);
}

void trusted_release(struct trusted *t)
{
	if (t->dirfd >= 0)
		(void)close(t->dirfd);
	t->dirfd = -1;
}

/* 0 or -errno; -EBADMSG: not an entry that this module wrote. */
static int read_entry(const struct trusted *t, const char *id, struct trusted_entry *ret)
{
	AUTO_CLOSE int fd = sys_openat(t->dirfd, id, O_RDONLY | O_NOFOLLOW | O_NONBLOCK |
				       O_NOCTTY | O_CLOEXEC, 0);
	AUTO_FREE char *text = NULL;
	struct stat st;
	size_t n = 0, path;
	int r;

	if (fd < 0 || fstat(fd, &st) != 0)
		return -errno;
	if (!S_ISREG(st.st_mode) || !state_dir_is_own(&st))
		return -EPERM;
	r = io_read_all(fd, ENTRY_MAX, &text, &n);
	if (r < 0)
		return r;
	path = strnlen(text, n);
	if (path == n || text[0] != '/' || path >= sizeof(ret->path) || text[n - 1] != '\n' ||
	    strlen(id) != TRUSTED_ID || strspn(id, "0123456789abcdef") != TRUSTED_ID)
		return -EBADMSG;
	memcpy(ret->id, id, TRUSTED_ID + 1);
	memcpy(ret->path, text, path + 1);
	ret->when = strtoll(text + path + 1, NULL, 10);
	return 0;
}

bool trusted_has(const struct trusted *t, const char *path, const char *text, size_t n)
{
	char id[TRUSTED_ID + 1];
	struct trusted_entry e;

	if (t->dirfd < 0)
		return false;
	make_id(path, text, n, id);
	return read_entry(t, id, &e) == 0 && strcmp(e.path, path) == 0;
}

static int open_made(const char *dir, struct trusted *ret, struct rt_err *err)
{
	char path[PATH_MAX];
	int r;

	if (snprintf(path, sizeof(path), "%s/" FOLDER, dir) >= (int)sizeof(path))
		return rt_fail_errno(err, ENAMETOOLONG, "the folder of what is trusted");
	r = state_dir_make(path, err);
	return r < 0 ? r : trusted_open(dir, ret, err);
}

int trusted_add(const char *dir, const char *path, const char *text, size_t n,
		struct rt_err *err)
{
	char id[TRUSTED_ID + 1], temp[TRUSTED_ID + 8], when[32];
	AUTO_CLOSE int fd = -1;
	struct trusted t;
	int r = open_made(dir, &t, err);

	if (r < 0)
		return r;
	make_id(path, text, n, id);
	(void)snprintf(temp, sizeof(temp), ".%s.new", id);
	(void)snprintf(when, sizeof(when), "%lld\n", (long long)time(NULL));
	(void)unlinkat(t.dirfd, temp, 0); /* of a process that was killed */
	fd = sys_openat(t.dirfd, temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	r = fd < 0 ? -errno : io_write_all(fd, path, strlen(path) + 1);
	if (r == 0)
		r = io_write_all(fd, when, strlen(when));
	if (r == 0 && (fsync(fd) != 0 || renameat(t.dirfd, temp, t.dirfd, id) != 0))
		r = -errno;
	if (r < 0)
		(void)rt_fail_errno(err, -r, "writing in '%s'", t.shown);
	trusted_release(&t);
	return r;
}

int trusted_each(const struct trusted *t, int (*f)(void *arg, const struct trusted_entry *e),
		 void *arg, struct rt_err *err)
{
	struct trusted_entry e;
	struct dirent *d;
	size_t seen = 0;
	DIR *list;
	int fd, r = 0;

	if (t->dirfd < 0)
		return 0;
	fd = sys_openat(t->dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	list = fd < 0 ? NULL : fdopendir(fd);
	if (!list) {
		r = -errno;
		if (fd >= 0)
			(void)close(fd);
		return rt_fail_errno(err, -r, "'%s'", t->shown);
	}
	while (r == 0 && (errno = 0, d = readdir(list))) {
		if (d->d_name[0] == '.')
			continue;
		if (++seen > MAX_ENTRIES)
			r = rt_fail(err, E2BIG, "'%s' has too many entries", t->shown);
		else if (read_entry(t, d->d_name, &e) == 0)
			r = f(arg, &e);
	}
	if (r == 0 && errno)
		r = rt_fail_errno(err, errno, "'%s'", t->shown);
	(void)closedir(list);
	return r;
}

struct revoke {
	const struct trusted *t;
	const char *path;
	int n;
};

static int revoke_one(void *arg, const struct trusted_entry *e)
{
	struct revoke *r = arg;

	if (strcmp(e->path, r->path) != 0)
		return 0;
	if (unlinkat(r->t->dirfd, e->id, 0) != 0)
		return -errno;
	r->n++;
	return 0;
}

int trusted_revoke(const struct trusted *t, const char *path, struct rt_err *err)
{
	struct revoke r = { t, path, 0 };
	int status = trusted_each(t, revoke_one, &r, err);

	if (status < 0 && !err->err)
		return rt_fail_errno(err, -status, "'%s'", t->shown);
	return status < 0 ? status : r.n;
}
