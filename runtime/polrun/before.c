/* What polrun checks before it makes a sandbox: its own pid 1 program, and whether the
 * project's git will work inside. */
#include "runtime/polrun/before.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/own.h"

int before_open_polinit(struct rt_err *err)
{
	return own_open("polrun", "polinit", err);
}

int before_open_polnft(struct rt_err *err)
{
	return own_open("polrun", "polnft", err);
}

int before_open_polgate(struct rt_err *err)
{
	return own_open("polrun", "polgate", err);
}

int before_open_polinject(struct rt_err *err)
{
	return own_open("polrun", "polinject", err);
}

/* True if one of the components is "..". */
static bool climbs(const char *path)
{
	for (const char *s = path; *s; s += strcspn(s, "/")) {
		s += strspn(s, "/");
		if (!strncmp(s, "..", 2) && (!s[2] || s[2] == '/'))
			return true;
	}
	return false;
}

/* Makes `path` absolute, starting at `cwd`, without "." and empty components. */
static char *from_here(const char *cwd, const char *path)
{
	size_t n = path[0] != '/' && cwd[1] ? strlen(cwd) : 0;
	char *s = malloc(n + strlen(path) + 3), *w;

	if (!s)
		return NULL;
	memcpy(s, cwd, n);
	w = s + n;
	while (*path) {
		size_t len;

		path += strspn(path, "/");
		len = strcspn(path, "/");
		if (len && !(len == 1 && *path == '.')) {
			*w++ = '/';
			memcpy(w, path, len);
			w += len;
		}
		path += len;
	}
	*w = '\0';
	return s;
}

int before_keep(const char *const *path, size_t n, const char *cwd,
		char **ret, size_t *ret_n, struct rt_err *err)
{
	char shown[200];

	*ret_n = 0;
	for (size_t i = 0; i < n; i++) {
		if (!path[i])
			continue;
		ret[*ret_n] = climbs(path[i]) ? realpath(path[i], NULL) :
						from_here(cwd, path[i]);
		if (!ret[*ret_n]) {
			int e = errno;

			io_escape(shown, sizeof(shown), path[i], strlen(path[i]));
			return rt_fail_errno(err, e, "'%s'", shown);
		}
		++*ret_n;
	}
	return 0;
}

/* The .git of a worktree or submodule names a directory that the view may not show. */
void before_check_dot_git(const char *project, const struct sandbox_view *view, char *ret,
			  size_t cap)
{
	char path[PATH_MAX], shown[200], *dir, *nl;
	AUTO_FREE char *text = NULL, *real = NULL;
	const struct sandbox_node *n;
	struct stat st;
	size_t len;

	ret[0] = '\0';
	if ((size_t)snprintf(path, sizeof(path), "%s/.git", project) >=
		    sizeof(path) ||
	    lstat(path, &st) != 0 || !S_ISREG(st.st_mode) ||
	    io_read_file(path, PATH_MAX, &text, &len) != 0 ||
	    strncmp(text, "gitdir: ", 8) != 0)
		return;
	dir = text + 8;
	nl = strchr(dir, '\n');
	if (nl)
		*nl = '\0';
	if ((size_t)snprintf(path, sizeof(path), dir[0] == '/' ? "%s%s" : "%s/%s",
			     dir[0] == '/' ? "" : project, dir) >= sizeof(path))
		return;
	real = realpath(path, NULL);
	n = real ? sandbox_view_find(view, real) : NULL;
	/* a private HOME can be read, and has nothing of the host's */
	if (n && !n->masked && !n->scratch && (n->ops & PB_READ))
		return;
	io_escape(shown, sizeof(shown), real ? real : path, strlen(real ? real : path));
	(void)snprintf(ret, cap, ".git points to %s, which no rule makes readable: git will "
		       "not work here", shown);
}
