/* Decides whether the files that a bundle was made of are still the same, and which
 * policies are not believed, because somebody else may write them. */
#include "runtime/polrun/cache_files.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/place.h"
#include "runtime/base/sys.h"
#include "runtime/bundle/format.h"
#include "runtime/state/trusted.h"

/* File systems give times with steps of up to two seconds. */
#define SETTLED ((int64_t)2000000000)

int64_t cache_files_now(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* --- who may write ------------------------------------------------------------------ */

static bool is_managed(const char *path)
{
	return strncmp(path, FOUND_MANAGED "/", sizeof(FOUND_MANAGED)) == 0;
}

/* Whoever may write it: a narrow-only file of the project allows nothing, and a trusted one
 * is trusted for its text.  polc looks at its library. */
static int check_owner(const struct cache *c, const struct cache_input *in, int fd,
		       const struct stat *st, struct rt_err *err)
{
	char shown[300];

	io_escape(shown, sizeof(shown), in->path, strlen(in->path));
	if (!S_ISREG(st->st_mode))
		return rt_fail(err, EINVAL, "the policy '%s' is no regular file", shown);
	if ((in->flags & (CACHE_NARROW | CACHE_STD | CACHE_POLC)) ||
	    (in->level == PB_PROJECT && !c->want->policy))
		return 0;
	return found_check_owner(in->path, fd, st, is_managed(in->path), err);
}

static void tell_other(const struct cache *c, const char *dir, const struct found *f)
{
	char shown[300];

	if (c->want->quiet)
		return;
	io_escape(shown, sizeof(shown), dir, strlen(dir));
	found_tell_other(f, "polrun", shown, stderr);
}

static int list(const char *dir, bool own, bool managed, struct found *ret, struct rt_err *err)
{
	char shown[300];
	int r = found_list(dir, ret);

	io_escape(shown, sizeof(shown), dir, strlen(dir));
	if (r < 0)
		return rt_fail_errno(err, -r, "the policies in '%s' cannot be read", shown);
	return own && ret->st.st_nlink ? found_check_owner(dir, -1, &ret->st, managed, err) : 0;
}

/* What lies in the project came with it, wherever XDG_CONFIG_HOME leads. */
static int check_place(const struct cache *c, struct rt_err *err)
{
	char real[PATH_MAX], shown[300];

	io_escape(shown, sizeof(shown), c->at->config, strlen(c->at->config));
	if (!realpath(c->at->config, real))
		return rt_fail_errno(err, errno, "'%s'", shown);
	if (!place_is_below(real, c->want->project))
		return 0;
	return rt_fail(err, EPERM, "'%s', where the user's policies are, lies in the project: "
		       "what a repository brings allows nothing", shown);
}

int cache_files_find(struct cache *c, struct rt_err *err)
{
	int r = list(FOUND_MANAGED, true, true, &c->managed, err);

	if (r < 0 || c->want->policy)
		return r;
	r = list(c->project_dir, false, false, &c->project, err);
	if (r == 0)
		r = list(c->at->config, true, false, &c->user, err);
	if (r < 0)
		return r;
	tell_other(c, FOUND_MANAGED, &c->managed);
	tell_other(c, c->project_dir, &c->project);
	tell_other(c, c->at->config, &c->user);
	return c->user.n ? check_place(c, err) : 0;
}

/* --- which files ---------------------------------------------------------------------- */

static bool is_in(const char *path, const char *dir, const struct found *f)
{
	size_t n = strlen(dir);

	if (strncmp(path, dir, n) != 0 || path[n] != '/')
		return false;
	for (size_t i = 0; i < f->n; i++)
		if (strcmp(f->v[i], path + n + 1) == 0)
			return true;
	return false;
}

static bool is_policy(const char *path, const struct cache_want *w)
{
	size_t n = strlen(w->cwd);

	if (w->policy[0] == '/')
		return strcmp(path, w->policy) == 0;
	n = n > 1 ? n : 0;
	return strncmp(path, w->cwd, n) == 0 && path[n] == '/' &&
	       strcmp(path + n + 1, w->policy) == 0;
}

bool cache_files_same(const struct cache *c, const struct cache_index *x)
{
	size_t named = 0, there = c->managed.n + c->project.n + c->user.n;

	if (c->want->policy)
		there++;
	for (size_t i = 0; i < x->n; i++) {
		const struct cache_input *in = &x->v[i];

		if (!(in->flags & CACHE_NAMED) || (in->flags & CACHE_STD))
			continue;
		named++;
		if (!is_in(in->path, FOUND_MANAGED, &c->managed) &&
		    !is_in(in->path, c->project_dir, &c->project) &&
		    !is_in(in->path, c->at->config, &c->user) &&
		    !(c->want->policy && is_policy(in->path, c->want)))
			return false;
	}
	return named == there;
}

/* --- what they hold --------------------------------------------------------------------- */

static int hash(int fd, char ret[65])
{
	crypto_generichash_state h;
	unsigned char buf[65536], sum[32];
	off_t at = 0;

	(void)crypto_generichash_init(&h, NULL, 0, sizeof(sum));
	for (;;) {
		ssize_t n = SYS_RETRY(pread(fd, buf, sizeof(buf), at));

		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		(void)crypto_generichash_update(&h, buf, (size_t)n);
		at += n;
	}
	(void)crypto_generichash_final(&h, sum, sizeof(sum));
	(void)sodium_bin2hex(ret, 65, sum, sizeof(sum));
	return 0;
}

/* 1: read, 0: it changed meanwhile. */
static int read_one(const struct cache *c, int fd, struct cache_input *in, char hex[65],
		    struct rt_err *err)
{
	struct cache_stamp after;
	char shown[300];
	struct stat st;
	int r = fstat(fd, &st) == 0 ? check_owner(c, in, fd, &st, err) :
					   rt_fail_errno(err, errno, "fstat");

	if (r < 0)
		return r;
	cache_stamp_of(&st, &in->stamp);
	r = hash(fd, hex);
	if (r == 0 && fstat(fd, &st) != 0)
		r = -errno;
	io_escape(shown, sizeof(shown), in->path, strlen(in->path));
	if (r < 0)
		return rt_fail_errno(err, -r, "'%s'", shown);
	cache_stamp_of(&st, &after);
	return memcmp(&after, &in->stamp, sizeof(after)) == 0;
}

int cache_files_read(const struct cache *c, struct cache_input *in, struct rt_err *err)
{
	AUTO_CLOSE int own = -1;
	char hex[65], shown[300];
	int fd = c->polc, r;

	if (!(in->flags & CACHE_POLC)) {
		fd = own = sys_open(in->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0);
		io_escape(shown, sizeof(shown), in->path, strlen(in->path));
		if (fd < 0 && errno == ENOENT)
			return 0;
		if (fd < 0)
			return rt_fail_errno(err, errno, "the policy '%s' cannot be read",
					     shown);
	}
	r = read_one(c, fd, in, hex, err);
	return r == 1 ? strcmp(hex, in->hex) == 0 : r;
}

int cache_files_check(const struct cache *c, const struct cache_index *x,
		      struct cache_input *in, bool *ret_stale, struct rt_err *err)
{
	struct cache_stamp now;
	struct stat st;
	int r = in->flags & CACHE_POLC ? fstat(c->polc, &st) : stat(in->path, &st);

	if (r != 0 && (errno == ENOENT || errno == ENOTDIR))
		return 0;
	if (r == 0) {
		r = check_owner(c, in, -1, &st, err);
		if (r < 0)
			return r;
		cache_stamp_of(&st, &now);
		if (memcmp(&now, &in->stamp, sizeof(now)) == 0 &&
		    in->stamp.ctime < x->at - SETTLED)
			return 1;
	}
	*ret_stale = true;
	return cache_files_read(c, in, err);
}

/* --- trust ------------------------------------------------------------------------------- */

enum { MAX_POLICY = 16 << 20 };

/* Is the text that the index speaks of trusted? */
static bool is_trusted(const struct trusted *t, const struct cache_input *in)
{
	AUTO_FREE char *real = realpath(in->path, NULL), *text = NULL;
	unsigned char sum[32];
	char hex[65];
	size_t n;

	if (!real || io_read_file(real, MAX_POLICY, &text, &n) < 0)
		return false;
	(void)crypto_generichash(sum, sizeof(sum), (unsigned char *)text, n, NULL, 0);
	(void)sodium_bin2hex(hex, sizeof(hex), sum, sizeof(sum));
	return strcmp(hex, in->hex) == 0 && trusted_has(t, real, text, n);
}

bool cache_files_trusted(const struct cache *c, const struct cache_index *x)
{
	struct trusted t;
	bool ok = true;

	if (c->want->policy) /* nothing was found: the file was named */
		return true;
	/* what cannot be looked at is trusted in nothing, as for polc */
	(void)trusted_open(c->want->state, &t, NULL);
	for (size_t i = 0; i < x->n && ok; i++) {
		const struct cache_input *in = &x->v[i];

		if (in->level != PB_PROJECT || (in->flags & CACHE_STD))
			continue;
		if (!(in->flags & CACHE_NARROW))
			ok = t.dirfd >= 0 && is_trusted(&t, in);
		else if ((in->flags & CACHE_NAMED) && t.dirfd >= 0)
			ok = !is_trusted(&t, in);
	}
	trusted_release(&t);
	return ok;
}

int cache_files_polc(const struct cache *c, struct cache_input *ret, struct rt_err *err)
{
	int r;

	*ret = (struct cache_input){ .flags = CACHE_POLC, .path = c->program };
	r = read_one(c, c->polc, ret, ret->hex, err);
	return r == 0 ? rt_fail(err, EAGAIN, "polc changed while it was read") : r < 0 ? r : 0;
}
