/* Decides which remembered answers are trusted: those in a file that only the caller
 * can have written, in exactly the format that is written here. */
#include "runtime/approvals/approvals.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"
#include "runtime/state/state_dir.h"

#define FILE_NAME "approvals"
#define LOCK_NAME "approvals.lock"

enum { FILE_LIMIT = 1 << 20, LOCK_TRIES = 100, LOCK_PAUSE_MS = 50 };

_Static_assert(sizeof(LOCK_NAME) <= STATE_DIR_SPARE, "the file's name fits behind the folder's");

/* --- the directory ---------------------------------------------------------------- */

void approvals_file(const char *dir, char out[PATH_MAX])
{
	(void)snprintf(out, PATH_MAX, "%.*s/" FILE_NAME,
		       PATH_MAX - (int)sizeof(FILE_NAME) - 1, dir);
}

/* Checks that only the caller can have made it. */
static int check_own(const struct stat *st, const char *shown, const char *name,
		     struct rt_err *err)
{
	const char *slash = name[0] ? "/" : "";

	if (st->st_uid != geteuid())
		return rt_fail(err, EPERM, "'%s%s%s' belongs to uid %u, not to you", shown,
			       slash, name, (unsigned)st->st_uid);
	if (st->st_mode & 077)
		return rt_fail(err, EPERM, "'%s%s%s' has mode %04o: it must be its owner's "
			       "only", shown, slash, name, (unsigned)st->st_mode & 07777);
	return 0;
}

int approvals_open(const char *dir, struct approvals *ret, struct rt_err *err)
{
	AUTO_CLOSE int fd = -1;
	const char *shown = ret->shown;
	struct stat st;
	int r;

	memset(ret, 0, sizeof(*ret));
	ret->dirfd = ret->lock = -1;
	io_escape(ret->shown, sizeof(ret->shown), dir, strlen(dir));
	fd = sys_open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
	if (fd < 0 && errno == ENOENT)
		return -ENOENT;
	if (fd < 0 && (errno == ELOOP || errno == ENOTDIR))
		return rt_fail(err, EPERM, "'%s' is no directory, or a symbolic link",
			       shown);
	if (fd < 0 || fstat(fd, &st) != 0)
		return rt_fail_errno(err, errno, "'%s'", shown);
	r = check_own(&st, shown, "", err);
	if (r < 0)
		return r;
	ret->dirfd = io_steal_fd(&fd);
	return 0;
}

void approvals_release(struct approvals *a)
{
	if (a->dirfd >= 0)
		(void)close(a->dirfd);
	if (a->lock >= 0)
		(void)close(a->lock);
	free(a->v);
	a->dirfd = a->lock = -1;
	a->v = NULL;
	a->n = 0;
}

/* --- reading ------------------------------------------------------------------------- */

/* Takes the text up to the next tab (or the end, for the last field) off *p. */
static bool field(char **p, bool last, char *out, size_t cap)
{
	char *tab = strchr(*p, '\t');
	size_t n = tab ? (size_t)(tab - *p) : strlen(*p);

	if (last ? tab != NULL : tab == NULL)
		return false;
	if (n == 0 || n >= cap)
		return false;
	memcpy(out, *p, n);
	out[n] = '\0';
	*p += n + (tab != NULL);
	return true;
}

static bool is_hex(const char *s, size_t n)
{
	return strlen(s) == n && strspn(s, "0123456789abcdef") == n;
}

static bool read_line(char *line, struct approval *p)
{
	char when[24], *end;

	memset(p, 0, sizeof(*p));
	for (const unsigned char *c = (const unsigned char *)line; *c; c++)
		if ((*c < 0x20 && *c != '\t') || *c == 0x7f)
			return false;
	if (!field(&line, false, p->key, sizeof(p->key)) ||
	    !field(&line, false, p->session, sizeof(p->session)) ||
	    !field(&line, false, when, sizeof(when)) ||
	    !field(&line, false, p->digest, sizeof(p->digest)) ||
	    !field(&line, false, p->rule, sizeof(p->rule)) ||
	    !field(&line, true, p->what, sizeof(p->what)))
		return false;
	if (strspn(when, "0123456789") != strlen(when) || strlen(when) > 15 ||
	    (when[0] == '0' && when[1]))
		return false;
	p->when = strtoll(when, &end, 10);
	return is_hex(p->key, APPROVALS_KEY) && is_hex(p->digest, 64) &&
	       approval_session_is(p->session);
}

static int parse(struct approvals *a, char *text, size_t n, const char *shown,
		 struct rt_err *err)
{
	size_t cap = 0, number = 1;
	char *line = text, *nl;

	if (strlen(text) != n || n == 0 || text[n - 1] != '\n')
		return rt_fail(err, EBADMSG, "'%s/" FILE_NAME "' is cut off or no text",
			       shown);
	for (; *line; line = nl + 1, number++) {
		nl = strchr(line, '\n');
		*nl = '\0';
		if (number == 1) {
			if (strcmp(line, APPROVALS_HEADER) != 0)
				return rt_fail(err, EBADMSG, "'%s/" FILE_NAME "' is not in "
					       "this version's format", shown);
			continue;
		}
		if (a->n == cap) {
			void *grown;

			cap = cap ? 2 * cap : 16;
			grown = reallocarray(a->v, cap, sizeof(*a->v));
			if (!grown)
				return rt_fail(err, ENOMEM, "out of memory");
			a->v = grown;
		}
		if (a->n == APPROVALS_MAX || !read_line(line, &a->v[a->n]))
			return rt_fail(err, EBADMSG, "'%s/" FILE_NAME "' is damaged in "
				       "line %zu", shown, number);
		a->n++;
	}
	return 0;
}

int approvals_load(struct approvals *a, struct rt_err *err)
{
	AUTO_CLOSE int fd = -1;
	AUTO_FREE char *text = NULL;
	const char *shown = a->shown;
	struct stat st;
	size_t n = 0;
	int r;

	free(a->v);
	a->v = NULL;
	a->n = 0;
	fd = sys_openat(a->dirfd, FILE_NAME,
			O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0);
	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0 && errno == ELOOP)
		return rt_fail(err, EPERM, "'%s/" FILE_NAME "' is a symbolic link", shown);
	if (fd < 0 || fstat(fd, &st) != 0)
		return rt_fail_errno(err, errno, "'%s/" FILE_NAME "'", shown);
	if (!S_ISREG(st.st_mode) || st.st_nlink > 1)
		return rt_fail(err, EPERM, "'%s/" FILE_NAME "' is no file, or has another "
			       "name, too", shown);
	r = check_own(&st, shown, FILE_NAME, err);
	if (r < 0)
		return r;
	r = io_read_all(fd, FILE_LIMIT, &text, &n);
	if (r == -EFBIG)
		return rt_fail(err, EBADMSG, "'%s/" FILE_NAME "' is too large", shown);
	if (r < 0)
		return rt_fail_errno(err, -r, "'%s/" FILE_NAME "'", shown);
	r = parse(a, text, n, shown, err);
	if (r < 0)
		a->n = 0;
	return r;
}

bool approvals_counts(const struct approval *p, int64_t now)
{
	if (p->when > now)
		return false; /* the clock was set back, or somebody else wrote the
		                 answer */
	return approval_session_named(p->session) ?
		       now - p->when < APPROVALS_NAMED_SECONDS :
		       approval_session_lives(p->session);
}

bool approvals_has(const struct approvals *a, const char *key, const char *session,
		   int64_t now)
{
	for (size_t i = 0; i < a->n; i++)
		if (!strcmp(a->v[i].key, key) && !strcmp(a->v[i].session, session))
			return approvals_counts(&a->v[i], now);
	return false;
}

/* --- the lock ------------------------------------------------------------------------- */

static int open_lock(struct approvals *a)
{
	if (a->lock < 0)
		a->lock = sys_openat(a->dirfd, LOCK_NAME,
				     O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK |
					     O_NOCTTY | O_CLOEXEC, 0600);
	return a->lock < 0 ? -errno : 0;
}

/* Locks byte `at` of the lock file: 0 stands for the file of answers, the others for
 * terminals. */
static int try_lock(struct approvals *a, uint32_t at, short type)
{
	struct flock l = { .l_type = type, .l_whence = SEEK_SET, .l_start = at,
			   .l_len = 1 };

	return fcntl(a->lock, F_OFD_SETLK, &l) == 0 ? 0 : -errno;
}

static void pause_a_little(void)
{
	const struct timespec t = { 0, LOCK_PAUSE_MS * 1000000L };

	(void)nanosleep(&t, NULL);
}

int approvals_lock_terminal(struct approvals *a, uint32_t tty, bool (*interrupted)(void),
			    struct rt_err *err)
{
	int r = open_lock(a);

	while (r == 0) {
		r = try_lock(a, tty, F_WRLCK);
		if (r != -EAGAIN && r != -EACCES)
			break;
		if (interrupted())
			return -EINTR;
		pause_a_little();
		r = 0;
	}
	return r < 0 ? rt_fail_errno(err, -r, "'%s/" LOCK_NAME "'", a->shown) : 0;
}

static int lock_file(struct approvals *a, struct rt_err *err)
{
	int r = open_lock(a);

	for (int i = 0; r == 0 && i < LOCK_TRIES; i++) {
		r = try_lock(a, 0, F_WRLCK);
		if (r != -EAGAIN && r != -EACCES)
			break;
		pause_a_little();
		r = i + 1 < LOCK_TRIES ? 0 : -EBUSY;
	}
	return r < 0 ? rt_fail_errno(err, -r, "'%s/" LOCK_NAME "'", a->shown) : 0;
}

static void unlock_file(struct approvals *a)
{
	(void)try_lock(a, 0, F_UNLCK);
}

/* --- writing -------------------------------------------------------------------------- */

static int write_text(const struct approvals *a, int fd)
{
	AUTO_FREE char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	if (!f)
		return -ENOMEM;
	fputs(APPROVALS_HEADER "\n", f);
	for (size_t i = 0; i < a->n; i++) {
		const struct approval *p = &a->v[i];

		fprintf(f, "%s\t%s\t%lld\t%s\t%s\t%s\n", p->key, p->session,
			(long long)p->when, p->digest, p->rule, p->what);
	}
	if (fclose(f) != 0)
		return -ENOMEM;
	return io_write_all(fd, text, n);
}

/* The old file stays, whole, until the new one replaces it. */
static int replace(struct approvals *a, struct rt_err *err)
{
	static const char temp[] = FILE_NAME ".new";
	AUTO_CLOSE int fd = -1;
	int r;

	/* we hold the lock, so this file is left over from a process that was killed */
	(void)unlinkat(a->dirfd, temp, 0);
	fd = sys_openat(a->dirfd, temp,
			O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC,
			0600);
	/* independent of the umask */
	r = fd < 0 || fchmod(fd, 0600) != 0 ? -errno : write_text(a, fd);
	if (r == 0 && (fsync(fd) != 0 ||
		       renameat(a->dirfd, temp, a->dirfd, FILE_NAME) != 0))
		r = -errno;
	if (r == 0)
		return 0;
	(void)unlinkat(a->dirfd, temp, 0);
	return rt_fail_errno(err, -r, "writing '%s/" FILE_NAME "'", a->shown);
}

/* Call it under the lock.  A damaged file counts as empty and is replaced. */
static int load_again(struct approvals *a, struct rt_err *err)
{
	int r = lock_file(a, err);

	if (r < 0)
		return r;
	r = approvals_load(a, err);
	if (r == 0 || r == -EBADMSG)
		return 0;
	unlock_file(a);
	return r;
}

static void drop(struct approvals *a, size_t i)
{
	memmove(&a->v[i], &a->v[i + 1], (a->n - i - 1) * sizeof(*a->v));
	a->n--;
}

int approvals_add(struct approvals *a, const struct approval *p, struct rt_err *err)
{
	int r = load_again(a, err);
	int64_t now = time(NULL);
	void *grown;

	if (r < 0)
		return r;
	/* an answer that was given while this process waited for the lock is not from
	 * the future */
	now = p->when > now ? p->when : now;
	for (size_t i = a->n; i-- > 0;)
		if (!approvals_counts(&a->v[i], now) ||
		    (!strcmp(a->v[i].key, p->key) &&
		     !strcmp(a->v[i].session, p->session)))
			drop(a, i);
	while (a->n >= APPROVALS_MAX)
		drop(a, 0);
	grown = reallocarray(a->v, a->n + 1, sizeof(*a->v));
	if (!grown) {
		unlock_file(a);
		return rt_fail(err, ENOMEM, "out of memory");
	}
	a->v = grown;
	a->v[a->n++] = *p;
	r = replace(a, err);
	unlock_file(a);
	return r;
}

int approvals_remove(struct approvals *a,
		     bool (*gone)(const struct approval *p, void *arg), void *arg,
		     size_t *ret_n, struct rt_err *err)
{
	int r = load_again(a, err);
	size_t n = 0;

	if (r < 0)
		return r;
	for (size_t i = a->n; i-- > 0;)
		if (gone(&a->v[i], arg)) {
			drop(a, i);
			n++;
		}
	r = replace(a, err);
	unlock_file(a);
	if (r == 0)
		*ret_n = n;
	return r;
}
