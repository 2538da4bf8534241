/* Follows a .git file to its repository, and the repository's word about it back: git_common.h. */
#include "runtime/base/git_common.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "runtime/base/io.h"
#include "runtime/base/place.h"

#define MAX_CONFIG (1u << 20)

static bool join_path(const char *dir, const char *rest, char ret[PATH_MAX])
{
	return (size_t)snprintf(ret, PATH_MAX, rest[0] == '/' ? "%s%s" : "%s/%s",
				rest[0] == '/' ? "" : dir, rest) < PATH_MAX;
}

/* The text of a file of the user's own, which is no link; NULL if there is none. */
static char *read_own_file(const char *dir, const char *name, uid_t uid)
{
	char path[PATH_MAX], *text;
	struct stat st;
	size_t n;

	if (!join_path(dir, name, path) || lstat(path, &st) != 0 || !S_ISREG(st.st_mode) ||
	    st.st_uid != uid || io_read_file(path, MAX_CONFIG, &text, &n) < 0)
		return NULL;
	if (strlen(text) == n)
		return text;
	free(text);
	return NULL;
}

/* Follows the path that is the one line of a file, from the directory that the file lies in. */
static bool follow_line(const char *dir, char *line, char ret[PATH_MAX])
{
	char path[PATH_MAX];

	line[strcspn(line, "\r\n")] = '\0';
	return line[0] && join_path(dir, line, path) && realpath(path, ret);
}

/*
 * Is this the path `want`, followed from `dir`, also without a look at the host?  Git writes physical paths.  One
 * that leads there by a link says what whoever can put the link there wants it to say.
 */
static bool names_path(const char *dir, char *line, const char *want)
{
	char path[PATH_MAX], real[PATH_MAX];

	if (!follow_line(dir, line, real) || strcmp(real, want) != 0 || !join_path(dir, line, path))
		return false;
	place_make_plain(path);
	return strcmp(path, want) == 0;
}

static bool is_own_directory(const char *path, uid_t uid)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == uid;
}

static bool is_own_repository(const char *path, uid_t uid)
{
	char objects[PATH_MAX], refs[PATH_MAX];
	AUTO_FREE char *head = read_own_file(path, "HEAD", uid);

	return head && is_own_directory(path, uid) && join_path(path, "objects", objects) &&
	       join_path(path, "refs", refs) && is_own_directory(objects, uid) && is_own_directory(refs, uid);
}

static bool leads_to(const char *project, uid_t uid, const char *repository)
{
	AUTO_FREE char *text = read_own_file(project, ".git", uid);
	char real[PATH_MAX];

	return text && strncmp(text, "gitdir: ", 8) == 0 && follow_line(project, text + 8, real) &&
	       place_is_below(repository, real);
}

/*
 * Is the repository the content of a project, or a project itself?  Every clone and archive can hold folders
 * that look like a bare repository, with a worktree that names any path, and the user has more in a project than what
 * came with it.  No clone brings a .git, and where a project's .git file leads to a folder in it, that is the user's.
 */
static bool is_content(const char *repository, const char *home, uid_t uid)
{
	AUTO_FREE char *above = NULL, *project = NULL;
	char *slash;

	if (strstr(repository, "/.git/") || strcmp(strrchr(repository, '/'), "/.git") == 0)
		return false;
	if (place_is_marked(repository) != 0)
		return true;
	above = strdup(repository);
	if (!above)
		return true;
	slash = strrchr(above, '/');
	slash[slash == above] = '\0';
	project = place_project(above, home);
	return !project || (place_is_marked(project) != 0 && !leads_to(project, uid, repository));
}

static char *trim_blanks(char *s)
{
	size_t n;

	s += strspn(s, " \t");
	for (n = strlen(s); n && strchr(" \t\r", s[n - 1]);)
		s[--n] = '\0';
	return s;
}

/*
 * The last core.worktree of a configuration as git itself writes it, or NULL.  What could be read in
 * another way (quotes, escapes, comments, a line that goes on) is no word for the project.
 */
static char *find_worktree_setting(char *text)
{
	char *found = NULL, *line, *next;
	bool core = false;

	for (line = text; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		line = trim_blanks(line);
		if (line[0] == '[') {
			core = !strcasecmp(line, "[core]");
		} else if (core && !strncasecmp(line, "worktree", 8)) {
			char *value = trim_blanks(line + 8);

			if (value[0] != '=' || strpbrk(value, "\"\\#;"))
				return NULL;
			found = trim_blanks(value + 1);
		}
	}
	return found;
}

/* A worktree's: <common>/worktrees/NAME, whose gitdir(5) names the project's .git. */
static bool worktree_names(const char *project, const char *git_dir, char *commondir, uid_t uid,
			   char ret[PATH_MAX])
{
	AUTO_FREE char *back = read_own_file(git_dir, "gitdir", uid);
	char mine[PATH_MAX];
	const char *name = strrchr(git_dir, '/');
	const size_t worktrees = sizeof("/worktrees") - 1;
	size_t n;

	/* commondir alone could lead to the repository of another project */
	if (!back || !follow_line(git_dir, commondir, ret))
		return false;
	n = strlen(ret);
	if ((size_t)(name - git_dir) != n + worktrees || strncmp(git_dir, ret, n) != 0 ||
	    strncmp(git_dir + n, "/worktrees", worktrees) != 0)
		return false;
	return join_path(project, ".git", mine) && names_path(git_dir, back, mine);
}

/* A submodule's: its configuration names the project, in the second file after `git sparse-checkout`. */
static bool submodule_names(const char *project, const char *git_dir, uid_t uid, char ret[PATH_MAX])
{
	static const char *const files[] = { "config", "config.worktree" };

	memcpy(ret, git_dir, strlen(git_dir) + 1);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		AUTO_FREE char *config = read_own_file(git_dir, files[i], uid);
		char *setting = config ? find_worktree_setting(config) : NULL;

		if (setting && names_path(git_dir, setting, project))
			return true;
	}
	return false;
}

int git_common_find(const char *project, const char *home, uid_t uid, char ret[PATH_MAX])
{
	AUTO_FREE char *text = read_own_file(project, ".git", uid);
	AUTO_FREE char *commondir = NULL;
	char git_dir[PATH_MAX];

	if (!text || strncmp(text, "gitdir: ", 8) != 0 || !follow_line(project, text + 8, git_dir))
		return -ENOENT;
	commondir = read_own_file(git_dir, "commondir", uid);
	if (commondir ? !worktree_names(project, git_dir, commondir, uid, ret) :
			!submodule_names(project, git_dir, uid, ret))
		return -EPERM;
	for (const char *c = ret; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			return -EPERM;
	return is_own_repository(ret, uid) && is_own_directory(git_dir, uid) && !is_content(ret, home, uid) &&
			       !place_is_below(project, ret) && !place_is_below(home, ret) ?
		       0 :
		       -EPERM;
}
