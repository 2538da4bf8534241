/* Decides which variables a project must not set for a hook. */
#include "runtime/hooks/hook_env.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/io.h"

enum { MAX_ENV = 1024 * 1024 };

static const char *const names[] = {
	"PATH",      "HOME",     "SHELL", "ENV", "BASH_ENV",
	"SHELLOPTS", "BASHOPTS", "IFS",   "PS4", "CLAUDE_CONFIG_DIR",
	/* a root of policies, and variables that influence how long a signature is
	 * valid */
	"TMPDIR", "TZ", "TZDIR",
	/* the C library loads programs from these */
	"GCONV_PATH", "LOCPATH", "NLSPATH"
};
/* Variables of the loader and of bash.  The last ones make the agent put another shell
 * or program before each hook, run no hooks, or read other settings (Claude Code
 * 2.1.197, Gemini CLI 0.61.0). */
static const char *const beginnings[] = { "LD_",
					  "BASH_FUNC_",
					  "GLIBC_",
					  "CLAUDE_CODE_SHELL",
					  "CLAUDE_CODE_SIMPLE",
					  "CLAUDE_CODE_SAFE",
					  "GEMINI_CLI_" };

bool hook_env_is_grave(const char *name)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	for (size_t i = 0; i < sizeof(beginnings) / sizeof(beginnings[0]); i++)
		if (strncmp(name, beginnings[i], strlen(beginnings[i])) == 0)
			return true;
	return false;
}

void hook_env_look(struct hook_look *l)
{
	static const char *const off[] = { "CLAUDE_CODE_SIMPLE",
					   "CLAUDE_CODE_SAFE_MODE",
					   "CLAUDE_CODE_SHELL_PREFIX" };

	for (size_t i = 0; l->agent == HOOK_CLAUDE && i < sizeof(off) / sizeof(off[0]);
	     i++) {
		const char *value = getenv(off[i]);

		if (value && value[0])
			hook_say(l, HOOK_WRONG,
				 "no hook runs, or another program in its place, by "
				 "a variable of this environment: ",
				 off[i]);
	}
}

/* Parses "[export] NAME=" or "NAME: "; if true, *ret_name is the name. */
static bool take_name(char *line, char **ret_name)
{
	size_t n;

	line += strspn(line, " \t\r");
	if (strncmp(line, "export", 6) == 0 && (line[6] == ' ' || line[6] == '\t'))
		line += 6 + strspn(line + 6, " \t");
	n = strspn(line,
		   "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-");
	if (!n || !strchr("=: \t", line[n]) || !line[n])
		return false;
	line[n] = '\0';
	*ret_name = line;
	return true;
}

/* A variable in such a file counts only if the environment does not have it. */
static void look_at_file(struct hook_look *l, const char *path)
{
	char *text = NULL, *name, said[PATH_MAX + 80];
	size_t n;
	int r = io_read_file(path, MAX_ENV, &text, &n);

	if (r == -ENOENT || r == -ENOTDIR)
		return;
	if (r < 0)
		hook_say(l, HOOK_WRONG, "cannot be read: ", path);
	for (char *line = r < 0 ? NULL : text, *next; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (!take_name(line, &name) || !hook_env_is_grave(name) || getenv(name))
			continue;
		(void)snprintf(said, sizeof(said),
			       "the hook runs with what %s says of ", path);
		hook_say(l, HOOK_WRONG, said, name);
	}
	free(text);
}

/* Gemini CLI reads only the first of them; which one that is depends on what it trusts. */
void hook_env_files(struct hook_look *l)
{
	const char *home = getenv("HOME");
	char dir[PATH_MAX], path[PATH_MAX + 16];

	if (!getcwd(dir, sizeof(dir)))
		return;
	for (bool above = true; above;) {
		char *slash = strrchr(dir, '/');

		above = slash && dir[1];
		(void)snprintf(path, sizeof(path), "%s/.gemini/.env",
			       dir[1] ? dir : "");
		look_at_file(l, path);
		(void)snprintf(path, sizeof(path), "%s/.env", dir[1] ? dir : "");
		look_at_file(l, path);
		if (above && slash == dir)
			dir[1] = '\0';
		else if (above)
			*slash = '\0';
	}
	for (size_t i = 0; home && i < 2; i++) {
		(void)snprintf(path, sizeof(path), "%.*s/%s", PATH_MAX, home,
			       i ? ".env" : ".gemini/.env");
		look_at_file(l, path);
	}
}
