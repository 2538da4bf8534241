/* Names of system calls (x86_64). Decides nothing: a number that is missing here is
 * printed as a number. */
#include "runtime/base/sysname.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const char *const names[] = {
#define SYSNAME(nr, name) [nr] = #name,
#include "runtime/base/sysname.def"
#undef SYSNAME
};

const char *sysname(int nr, char buf[SYSNAME_CAP])
{
	if (nr >= 0 && (size_t)nr < sizeof(names) / sizeof(names[0]) && names[nr])
		return names[nr];
	(void)snprintf(buf, SYSNAME_CAP, "syscall %d", nr);
	return buf;
}

int sysname_number(const char *name)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i] && strcmp(names[i], name) == 0)
			return (int)i;
	return -1;
}
