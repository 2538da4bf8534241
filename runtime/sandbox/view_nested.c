/* Which names of repositories below the project a run may not change: git believes
 * them as soon as somebody works there, or a gitlink leads to them. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/repo.h"
#include "runtime/base/sys.h"
#include "runtime/sandbox/view.h"

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
	  1u << REPO_DOT_GIT | 1u << REPO_GIT_DIR | 1u << REPO_WORKTREE },
	{ "/gitdir", false, 1u << REPO_WORKTREE },
};
enum { NAMES = sizeof(names) / sizeof(names[0]) };

int view_nested_paths(const char *prefix, const char *project, struct repo_list *ret_repos,
		      struct view_git_path **ret, size_t *ret_n, struct rt_err *err)
{
	AUTO_CLOSE int fd = -1;
	char full[8300];
	int n = snprintf(full, sizeof(full), "%s%s", prefix, project);

	*ret = NULL;
	*ret_n = 0;
	if (n < 0 || (size_t)n >= sizeof(full))
		return 0;
	fd = sys_open(full, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	/* the caller cannot look: no more can who runs as the caller */
	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR || errno == EACCES ?
			       0 : rt_fail_errno(err, errno, "%s", project);
	if (repo_find(fd, ret_repos) < 0)
		return rt_fail(err, ENOMEM, "out of memory");
	*ret = calloc(ret_repos->n * NAMES + 1, sizeof(**ret));
	if (!*ret)
		return rt_fail(err, ENOMEM, "out of memory");
	for (size_t i = 0; i < ret_repos->n; i++)
		for (size_t k = 0; k < NAMES; k++) {
			const struct repo_item *r = &ret_repos->v[i];

			if (!(names[k].kinds & 1u << r->kind))
				continue;
			n = snprintf(full, sizeof(full), "%s%s%s%s", project,
				     r->path[0] ? "/" : "", r->path, names[k].name);
			if (n < 0 || n >= 4096)
				continue;
			(*ret)[*ret_n].path = strdup(full);
			/* one that is absent stays creatable, and is named */
			(*ret)[*ret_n].hooks = names[k].hooks && view_is_dir(prefix, full);
			if (!(*ret)[(*ret_n)++].path)
				return rt_fail(err, ENOMEM, "out of memory");
		}
	return 0;
}
