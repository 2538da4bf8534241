/* Decides whether this Claude Code asks in its mode "auto". */
#include "runtime/hooks/hook_auto.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/io.h"

enum { MAX_SETTINGS = 4 * 1024 * 1024 };

/* Three numbers with '-' between them, at least 2-1-331. */
static bool is_new(const char *version)
{
	static const unsigned long first[3] = { 2, 1, 331 };
	unsigned long v[3];
	char *end;

	for (size_t i = 0; i < 3; i++) {
		if (*version < '0' || *version > '9')
			return false;
		v[i] = strtoul(version, &end, 10);
		if (v[i] > 100000 || (i < 2 && *end != '-'))
			return false;
		version = end + 1;
	}
	for (size_t i = 0; i < 3; i++)
		if (v[i] != first[i])
			return v[i] > first[i];
	return true;
}

/* May the file set the variable?  A name in JSON may be written with escapes. */
static bool may_set(const char *dir, const char *name)
{
	char path[PATH_MAX];
	char *text = NULL;
	size_t n = 0;
	bool may;
	int r;

	if (snprintf(path, sizeof(path), "%s/.claude/%s", dir, name) >= (int)sizeof(path))
		return true;
	r = io_read_file(path, MAX_SETTINGS, &text, &n);
	may = r < 0 ? r != -ENOENT && r != -ENOTDIR :
		      memmem(text, n, "AI_AGENT", 8) != NULL || memmem(text, n, "\\u", 2) != NULL;
	free(text);
	return may;
}

bool hook_auto_asks(void)
{
	static const char name[] = "claude-code_";
	const char *agent = getenv("AI_AGENT"), *project = getenv("CLAUDE_PROJECT_DIR");

	return agent && strncmp(agent, name, sizeof(name) - 1) == 0 && is_new(agent + sizeof(name) - 1) &&
	       project && project[0] == '/' && !may_set(project, "settings.json") &&
	       !may_set(project, "settings.local.json");
}
