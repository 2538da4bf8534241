/*
 * Where else the project's git looks for hooks: core.hooksPath of its
 * configuration, and the common directory behind a gitdir: file.  Included
 * configuration files are not followed; --plan says nothing about them.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "runtime/base/io.h"
#include "runtime/sandbox/view.h"

#define GIT_FILE_MAX (1024u * 1024)

static char *read_text(const char *prefix, const char *path)
{
	char full[8300], *text;
	size_t len;
	int n = snprintf(full, sizeof(full), "%s%s", prefix, path);

	if (n < 0 || (size_t)n >= sizeof(full) ||
	    io_read_file(full, GIT_FILE_MAX, &text, &len) < 0)
		return NULL;
	return text;
}

/* `rel` seen from `dir`, without "." and ".."; malloc'ed. */
static char *absolute(const char *dir, const char *rel)
{
	char out[8300] = "", in[8300];
	size_t have = 0;

	if (snprintf(in, sizeof(in), "%s%s%s", rel[0] == '/' ? "" : dir,
		     rel[0] == '/' ? "" : "/", rel) >= (int)sizeof(in))
		return NULL;
	for (char *save = NULL, *c = strtok_r(in, "/", &save); c;
	     c = strtok_r(NULL, "/", &save)) {
		if (!strcmp(c, "."))
			continue;
		if (!strcmp(c, "..")) {
			char *slash = strrchr(out, '/');

			if (slash)
				*slash = '\0';
			have = strlen(out);
			continue;
		}
		if (have + strlen(c) + 2 > sizeof(out))
			return NULL;
		out[have] = '/';
		memcpy(out + have + 1, c, strlen(c) + 1);
		have += strlen(c) + 1;
	}
	return have && have < 4096 ? strdup(out) : NULL;
}

static char *trim(char *s)
{
	char *end;

	while (isspace((unsigned char)*s))
		s++;
	end = s + strlen(s);
	while (end > s && isspace((unsigned char)end[-1]))
		*--end = '\0';
	return s;
}

/* The last core.hooksPath of a configuration text, which is changed. */
static char *hooks_path(char *text)
{
	char *found = NULL, *save = NULL;
	bool core = false;

	for (char *line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		char *s = trim(line), *eq;

		if (*s == '[') {
			char *close = strchr(s, ']');

			core = close && close - s == 5 &&
			       !strncasecmp(s + 1, "core", 4);
			if (!close)
				continue;
			s = trim(close + 1); /* a key may stand behind it */
		}
		eq = strchr(s, '=');
		if (!core || !eq)
			continue;
		*eq = '\0';
		if (strcasecmp(trim(s), "hookspath"))
			continue;
		found = trim(eq + 1);
		if (*found == '"') {
			char *end = strchr(++found, '"');

			if (end)
				*end = '\0';
		} else {
			found[strcspn(found, "#;")] = '\0';
			found = trim(found);
		}
	}
	return found;
}

size_t view_git_hooks(const char *prefix, const char *project, char **ret, size_t cap)
{
	char path[4200];
	AUTO_FREE char *link = NULL;
	AUTO_FREE char *gitdir = NULL;
	AUTO_FREE char *common = NULL;
	AUTO_FREE char *config = NULL;
	const char *hooks;
	size_t n = 0;

	if (snprintf(path, sizeof(path), "%s/.git", project) >= (int)sizeof(path))
		return 0;
	link = read_text(prefix, path); /* a directory cannot be read */
	if (link && !strncmp(link, "gitdir:", 7)) {
		AUTO_FREE char *to = NULL;

		gitdir = absolute(project, trim(link + 7));
		if (!gitdir)
			return 0;
		if (snprintf(path, sizeof(path), "%s/commondir", gitdir) <
		    (int)sizeof(path))
			to = read_text(prefix, path);
		common = to ? absolute(gitdir, trim(to)) : strdup(gitdir);
		if (common && n < cap &&
		    snprintf(path, sizeof(path), "%s/hooks", common) <
			    (int)sizeof(path)) {
			ret[n] = strdup(path);
			n += ret[n] != NULL;
		}
	} else {
		common = strdup(path);
	}
	if (!common ||
	    snprintf(path, sizeof(path), "%s/config", common) >= (int)sizeof(path))
		return n;
	config = read_text(prefix, path);
	hooks = config ? hooks_path(config) : NULL;
	/* ~ is the private HOME inside; a path below it is the run's own */
	if (hooks && *hooks && *hooks != '~' && n < cap) {
		ret[n] = absolute(project, hooks);
		n += ret[n] != NULL;
	}
	return n;
}
