/* Reads an environment: see envp.h. */
#include "runtime/base/envp.h"

#include <stddef.h>
#include <string.h>

const char *envp_get(char *const *envp, const char *name)
{
	size_t len = strlen(name);

	for (char *const *p = envp; p && *p; p++)
		if (strncmp(*p, name, len) == 0 && (*p)[len] == '=')
			return *p + len + 1;
	return NULL;
}

const char *envp_path(char *const *envp)
{
	const char *path = envp_get(envp, "PATH");

	return path ? path : "/usr/local/bin:/usr/bin:/bin";
}
