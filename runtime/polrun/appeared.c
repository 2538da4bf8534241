/* Decides whether a name that was absent before the run exists after it. */
#include "runtime/polrun/appeared.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/base/io.h"
#include "runtime/decide/rule_text.h"

bool appeared_at(const struct sandbox_view *view, const char *path)
{
	AUTO_FREE char *dir = NULL;
	const struct sandbox_node *n;
	struct stat st;
	char *slash;

	if (fstatat(AT_FDCWD, path, &st, AT_SYMLINK_NOFOLLOW) == 0)
		return true;
	if (errno != ENOENT && errno != ENOTDIR)
		return true; /* we cannot look, so somebody should */
	dir = strdup(path);
	if (!dir)
		return true;
	slash = strrchr(dir, '/');
	if (!slash || slash == dir)
		return false;
	*slash = '\0';
	n = sandbox_view_find(view, dir);
	if (fstatat(AT_FDCWD, dir, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return errno != ENOENT && errno != ENOTDIR;
	/* if it existed before, it is a place of the view and was protected */
	return !S_ISDIR(st.st_mode) && !(n && strcmp(n->path, dir) == 0 && !n->absent);
}

void appeared_say(FILE *out, const struct bundle *b, const struct sandbox_view *view,
		  size_t *which, size_t *ret_n)
{
	char shown[200], rule[EXPLAIN_RULE_CAP];

	for (size_t i = 0; i < view->ncreatable; i++) {
		const char *path = view->creatable[i].path;

		if (!appeared_at(view, path))
			continue;
		which[(*ret_n)++] = i;
		io_escape(shown, sizeof(shown), path, strlen(path));
		fprintf(out, "polrun: %s has appeared: look at it before you use it (%s)\n",
			shown, explain_rule(b, view->creatable[i].rule, rule));
	}
}
