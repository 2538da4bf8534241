/* Compares a bundle's sources with the managed policies of the host: see managed.h. */
#include "runtime/bundle/managed.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/found.h"
#include "runtime/base/io.h"
#include "runtime/base/sys.h"
#include "runtime/bundle/format.h"
#include "runtime/bundle/manifest.h"

#define MAX_SOURCE ((size_t)16 << 20)

#define STD "std/" /* how names in the standard library begin */

/* The walk over both lists. */
struct walk {
	const char *dir;
	const struct found *host;
	uint8_t (*digest)[32]; /* of the host's files */
	size_t n;              /* host's files that were found so far */
	/* How the names of the files in `dir` begin in the bundle, if one was found; not
	 * NUL-terminated.  It may have been compiled under another path, and what it uses is
	 * named in the same way. */
	const char *folder;
	size_t folder_len;
};

static int refuse(struct rt_err *err, const char *dir, const char *name, size_t len,
		  const char *what)
{
	char path[PATH_MAX], shown[300];

	(void)snprintf(path, sizeof(path), "%s%s%.*s", dir, dir[0] ? "/" : "", (int)len, name);
	io_escape(shown, sizeof(shown), path, strlen(path));
	return rt_fail(err, EPERM, "the managed policy '%s' %s: compile the bundle on this host "
		       "with --discover, or with --managed-file for each file in " FOUND_MANAGED,
		       shown, what);
}

static int digest(const char *path, uint8_t ret[32], struct rt_err *err)
{
	AUTO_CLOSE int fd = sys_open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC, 0);
	char shown[300], *text;
	struct stat st;
	size_t len;
	int r;

	io_escape(shown, sizeof(shown), path, strlen(path));
	if (fd < 0 || fstat(fd, &st) != 0)
		return rt_fail_errno(err, errno, "the managed policy '%s'", shown);
	if (!S_ISREG(st.st_mode))
		return rt_fail(err, EPERM, "the managed policy '%s' is no regular file", shown);
	r = found_check_owner(path, fd, &st, true, err);
	if (r < 0)
		return r;
	r = io_read_all(fd, MAX_SOURCE, &text, &len);
	if (r < 0)
		return rt_fail_errno(err, -r, "the managed policy '%s'", shown);
	(void)crypto_generichash(ret, 32, (const uint8_t *)text, len, NULL, 0);
	free(text);
	return 0;
}

/* --- one source of the bundle --------------------------------------------------------- */

static bool starts(const struct manifest_source *src, const char *head, size_t n)
{
	return src->name_len >= n && memcmp(src->name, head, n) == 0;
}

static bool is_next(const struct walk *w, const struct manifest_source *src)
{
	return w->n < w->host->n && memcmp(src->b2, w->digest[w->n], 32) == 0;
}

static void found_next(struct walk *w, const struct manifest_source *src)
{
	const char *name = w->host->v[w->n++];
	size_t n = strlen(name);

	if (src->name_len < n || memcmp(src->name + src->name_len - n, name, n) != 0)
		return;
	w->folder = src->name;
	w->folder_len = src->name_len - n;
}

/* None of the files in the directory: one of them must use it. */
static int check_used(const struct walk *w, const struct manifest_source *src,
		      struct rt_err *err)
{
	const char *dir = "", *name = src->name;
	size_t len = src->name_len;
	char path[PATH_MAX];
	uint8_t is[32];

	if (w->folder && starts(src, w->folder, w->folder_len)) {
		dir = w->dir;
		name += w->folder_len;
		len -= w->folder_len;
	}
	if ((size_t)snprintf(path, sizeof(path), "%s%s%.*s", dir, dir[0] ? "/" : "", (int)len,
			     name) >= sizeof(path) ||
	    path[0] != '/' || digest(path, is, NULL) < 0 || memcmp(is, src->b2, 32) != 0)
		return refuse(err, dir, name, len, "is in the bundle, and this host has it not, or "
			      "with another text, or in another order");
	return 0;
}

static int look_at(struct walk *w, const struct manifest_source *src, struct rt_err *err)
{
	if (src->level != PB_MANAGED_FILE)
		return 0;
	if (is_next(w, src)) {
		found_next(w, src);
		return 0;
	}
	return starts(src, STD, strlen(STD)) ? 0 : check_used(w, src, err);
}

/* --- both lists ------------------------------------------------------------------------ */

static int read_host(struct walk *w, struct rt_err *err)
{
	char path[PATH_MAX];
	int r = 0;

	w->digest = calloc(w->host->n, sizeof(*w->digest));
	if (!w->digest)
		return rt_fail(err, ENOMEM, "out of memory");
	for (size_t i = 0; i < w->host->n && r == 0; i++) {
		if ((size_t)snprintf(path, sizeof(path), "%s/%s", w->dir, w->host->v[i]) >=
		    sizeof(path))
			return rt_fail(err, ENAMETOOLONG, "a managed policy's name is too long");
		r = digest(path, w->digest[i], err);
	}
	return r;
}

static int compare(const struct bundle *b, struct walk *w, struct rt_err *err)
{
	struct manifest m;
	int r = manifest_parse(b->manifest, b->manifest_size, &m, err);

	if (r < 0)
		return r;
	for (size_t i = 0; i < m.nsources && r == 0; i++)
		r = look_at(w, &m.sources[i], err);
	manifest_release(&m);
	if (r == 0 && w->n < w->host->n)
		r = refuse(err, w->dir, w->host->v[w->n], strlen(w->host->v[w->n]),
			   "is not in the bundle, or with another text");
	return r;
}

static int check(const struct bundle *b, const char *dir, const struct found *host,
		 bool by_system, struct rt_err *err)
{
	struct walk w = { .dir = dir, .host = host };
	int r = found_check_owner(dir, -1, &host->st, true, err);

	if (r < 0 || !host->n)
		return r;
	if ((b->levels & 1u << PB_MANAGED) && !by_system)
		return rt_fail(err, EPERM, "the bundle speaks at level 'managed', above the "
			       "policies in '%s', and no key that the system trusts has signed it",
			       dir);
	r = read_host(&w, err);
	if (r == 0)
		r = compare(b, &w, err);
	free(w.digest);
	return r;
}

int managed_check(const struct bundle *b, const char *dir, bool by_system,
		  struct rt_err *err)
{
	struct found host;
	int r = found_list(dir, &host);

	if (r < 0)
		return rt_fail_errno(err, -r, "the managed policies in '%s' cannot be read", dir);
	if (host.st.st_nlink)
		r = check(b, dir, &host, by_system, err);
	found_release(&host);
	return r;
}
