/* Decides which project a session's record names, and makes records that only the first
 * writer can make: link() fails where the name exists. */
#include "runtime/state/session_root.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <sodium.h>

#include "runtime/base/io.h"
#include "runtime/base/place.h"
#include "runtime/base/sys.h"
#include "runtime/state/state_dir.h"

#define FOLDER "/sessions"

enum { ID_BYTES = 32, ID_CAP = 2 * ID_BYTES + 1, DAY = 24 * 60 * 60, KEPT_DAYS = 90 };

static void make_id(const char *agent, const char *id, char out[ID_CAP])
{
	unsigned char hash[ID_BYTES];
	crypto_generichash_state st;

	(void)crypto_generichash_init(&st, NULL, 0, sizeof(hash));
	(void)crypto_generichash_update(&st, (const unsigned char *)agent, strlen(agent) + 1);
	(void)crypto_generichash_update(&st, (const unsigned char *)id, strlen(id));
	(void)crypto_generichash_final(&st, hash, sizeof(hash));
	(void)sodium_bin2hex(out, ID_CAP, hash, sizeof(hash));
}

/* Opens the folder.  -ENOENT, without a message: there is none. */
static int open_folder(const char *dir, struct rt_err *err)
{
	char path[PATH_MAX + sizeof(FOLDER)], shown[200];
	struct stat st;
	int fd, r;

	(void)snprintf(path, sizeof(path), "%s" FOLDER, dir);
	io_escape(shown, sizeof(shown), path, strlen(path));
	fd = sys_open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
	if (fd < 0)
		return errno == ENOENT ? -ENOENT : rt_fail_errno(err, errno, "'%s'", shown);
	if (fstat(fd, &st) == 0 && state_dir_is_own(&st))
		return fd;
	r = rt_fail(err, EPERM, "'%s' could have been written by somebody else: " STATE_NOT_OWN, shown);
	(void)close(fd);
	return r;
}

static int read_record(int dirfd, const char *name, char out[PATH_MAX], struct rt_err *err)
{
	AUTO_CLOSE int fd = sys_openat(dirfd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY |
				       O_CLOEXEC, 0);
	AUTO_FREE char *text = NULL;
	struct stat st;
	size_t n = 0;

	if (fd < 0)
		return errno == ENOENT ? 0 : rt_fail_errno(err, errno, "the record of this session");
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || !state_dir_is_own(&st) ||
	    io_read_all(fd, PATH_MAX, &text, &n) < 0 || n < 2 || text[n - 1] != '\n')
		return rt_fail(err, EBADMSG, "the record of this session is damaged");
	text[n - 1] = '\0';
	if (strlen(text) != n - 1 || !place_is_plain(text))
		return rt_fail(err, EBADMSG, "the record of this session is damaged");
	memcpy(out, text, n);
	/* a session that goes on keeps its record */
	if (st.st_mtime < time(NULL) - DAY)
		(void)utimensat(dirfd, name, NULL, AT_SYMLINK_NOFOLLOW);
	return 1;
}

int session_find(const char *dir, const char *agent, const char *id, char out[PATH_MAX],
		 struct rt_err *err)
{
	AUTO_CLOSE int fd = open_folder(dir, err);
	char name[ID_CAP];

	if (fd < 0)
		return fd == -ENOENT ? 0 : fd;
	make_id(agent, id, name);
	return read_record(fd, name, out, err);
}

static void remove_old(int dirfd)
{
	int fd = sys_openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *e;
	struct stat st;

	if (!d && fd >= 0)
		(void)close(fd);
	while (d && (e = readdir(d)) != NULL)
		if (fstatat(dirfd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
		    st.st_mtime < time(NULL) - (time_t)KEPT_DAYS * DAY)
			(void)unlinkat(dirfd, e->d_name, 0);
	if (d)
		(void)closedir(d);
}

/* Makes the record under its own name at once, whole. */
static int write_record(int dirfd, const char *name, const char *project)
{
	char temp[ID_CAP + 24];
	AUTO_CLOSE int fd = -1;
	int r;

	(void)snprintf(temp, sizeof(temp), ".%s.%ld", name, (long)getpid());
	fd = sys_openat(dirfd, temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	r = fd < 0 ? -errno : io_write_all(fd, project, strlen(project));
	if (r == 0)
		r = io_write_all(fd, "\n", 1);
	if (r == 0 && linkat(dirfd, temp, dirfd, name, 0) != 0 && errno != EEXIST)
		r = -errno;
	if (fd >= 0)
		(void)unlinkat(dirfd, temp, 0);
	return r;
}

int session_record(const char *dir, const char *agent, const char *id, const char *project,
		   char out[PATH_MAX], struct rt_err *err)
{
	char path[PATH_MAX], name[ID_CAP];
	AUTO_CLOSE int fd = -1;
	int r;

	if (snprintf(path, sizeof(path), "%s" FOLDER, dir) >= (int)sizeof(path))
		return rt_fail_errno(err, ENAMETOOLONG, "the folder of sessions");
	r = state_dir_make(path, err);
	if (r < 0)
		return r;
	fd = open_folder(dir, err);
	if (fd < 0)
		return fd;
	make_id(agent, id, name);
	remove_old(fd);
	r = write_record(fd, name, project);
	if (r < 0)
		return rt_fail_errno(err, -r, "the record of this session");
	r = read_record(fd, name, out, err);
	return r > 0 ? 0 : r < 0 ? r : -ENOENT;
}
