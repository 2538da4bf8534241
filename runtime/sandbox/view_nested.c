/* Decides which names of repositories below the project, and in other trees of the host, a run
 * may not change: git trusts them as soon as somebody works there, or a gitlink leads to
 * them. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/repo.h"
#include "runtime/base/repo_known.h"
#include "runtime/base/sys.h"
#include "runtime/sandbox/remembered.h"
#include "runtime/sandbox/view_git.h"
#include "runtime/sandbox/view_host.h"
#include "runtime/sandbox/view_nested.h"

static const struct {
	const char *name;
	bool hooks;
	unsigned kinds; /* bits of enum repo_kind */
} names[] = {
	{ "", false, 1u << REPO_GIT_FILE },
	{ "/config", false, 1u << REPO_DOT_GIT | 1u << REPO_GIT_DIR | 1u << REPO_BARE },
	{ "/hooks", true, 1u << REPO_DOT_GIT | 1u << REPO_GIT_DIR | 1u << REPO_BARE },
	{ "/commondir", false,
	  1u << REPO_DOT_GIT | 1u << REPO_GIT_DIR | 1u << REPO_BARE | 1u << REPO_WORKTREE },
	{ "/config.worktree", false,
	  1u << REPO_DOT_GIT | 1u << REPO_GIT_DIR | 1u << REPO_BARE | 1u << REPO_WORKTREE },
	{ "/gitdir", false, 1u << REPO_WORKTREE },
};
enum { NAMES = sizeof(names) / sizeof(names[0]) };

enum { MAX_OTHER = 512 }; /* limit for the names that all their configurations add
                             together */

/* Adds the names of one repository that are always protected. */
static int put_names(const char *prefix, const char *full, const struct repo_item *r,
		     struct sandbox_git *v, size_t *n)
{
	char path[4200];

	for (size_t k = 0; k < NAMES; k++) {
		if (!(names[k].kinds & 1u << r->kind) ||
		    snprintf(path, sizeof(path), "%s%s", full, names[k].name) >= 4096)
			continue;
		/* an absent directory may still be created; the report names it */
		v[*n] = (struct sandbox_git){
			.path = strdup(path),
			.hooks = names[k].hooks && view_is_dir(prefix, path),
		};
		if (!v[(*n)++].path)
			return -ENOMEM;
	}
	return 0;
}

/* Adds what one repository leads to and names. */
static int put_others(const struct view_in *in, const char *full, const struct repo_item *r,
		      size_t max, struct sandbox_git **ret, size_t *ret_n)
{
	bool in_folder = r->kind == REPO_DOT_GIT || r->kind == REPO_GIT_FILE;
	struct rt_err none = { 0 };
	char base[4200];

	if (r->kind == REPO_WORKTREE)
		return 0;
	if (snprintf(base, sizeof(base), "%s", full) >= (int)sizeof(base))
		return -ENAMETOOLONG;
	if (in_folder)
		*strrchr(base, '/') = '\0';
	return view_git_other(in, base, full, r->kind == REPO_GIT_FILE, max, ret, ret_n, &none);
}

/* A search of fewer folders takes less than 2 ms. */
enum { LEAST_KNOWN = 100, MOST_KNOWN_BYTES = 16 << 20 };

/* Searches with what was seen the last time, and keeps what was seen now. */
static int search(const struct view_in *in, struct sandbox_tree *tree, int fd, unsigned ms)
{
	struct repo_known known = { 0 };
	bool changed = false;
	size_t n = 0;
	AUTO_FREE char *bytes = remembered_read(in->remembered, "tree", tree->path, MOST_KNOWN_BYTES, &n);
	AUTO_FREE void *now = NULL;
	int r;

	if (bytes)
		(void)repo_known_read(bytes, n, &known);
	r = repo_find_from(fd, tree->top, ms, in->remembered ? &known : NULL, &changed, &tree->repos);
	if (changed && known.n >= LEAST_KNOWN && repo_known_write(&known, &now, &n))
		remembered_write(in->remembered, "tree", tree->path, &(struct remembered_part){ now, n }, 1);
	repo_known_release(&known);
	return r;
}

int view_nested_paths(const struct view_in *in, struct sandbox_tree *tree, unsigned ms,
		      struct sandbox_git **ret, size_t *ret_n, struct rt_err *err)
{
	struct repo_list *repos = &tree->repos;
	AUTO_CLOSE int fd = -1;
	struct sandbox_git *grown;
	char full[8300];
	size_t max;
	int n = snprintf(full, sizeof(full), "%s%s", in->prefix, tree->path), r = 0;

	if (n < 0 || (size_t)n >= sizeof(full))
		return 0;
	fd = sys_open(full, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	/* the caller cannot look, so a command that runs as the caller cannot either */
	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR || errno == EACCES ?
			       0 : rt_fail_errno(err, errno, "%s", tree->path);
	if (search(in, tree, fd, ms) < 0)
		return rt_fail(err, ENOMEM, "out of memory");
	grown = reallocarray(*ret, *ret_n + repos->n * NAMES + 1, sizeof(**ret));
	if (!grown)
		return rt_fail(err, ENOMEM, "out of memory");
	*ret = grown;
	for (int others = 0; others < 2 && r != -ENOMEM; others++) {
		max = *ret_n + MAX_OTHER;
		for (size_t i = 0; i < repos->n && r != -ENOMEM; i++) {
			const struct repo_item *item = &repos->v[i];

			n = snprintf(full, sizeof(full), "%s%s%s", tree->path,
				     item->path[0] ? "/" : "", item->path);
			if (n < 0 || n >= 4096) {
				repos->failed += (size_t)others;
				continue;
			}
			if ((in->is_own && in->is_own(in->is_own_arg, full)) ||
			    (tree->top != REPO_TOP_PROJECT && view_at(full, in->project)))
				continue;
			r = others ? put_others(in, full, item, max, ret, ret_n) :
				     put_names(in->prefix, full, item, *ret, ret_n);
			if (r < 0 && r != -ENOMEM)
				repos->failed++;
		}
	}
	return r == -ENOMEM ? rt_fail(err, ENOMEM, "out of memory") : 0;
}
