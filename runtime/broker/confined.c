/* Marks processes with walls of their own: see confined.h. */
#include "runtime/broker/confined.h"

#include <errno.h>
#include <stddef.h>
#include <sys/resource.h>

int confined_mark(pid_t pid)
{
	const struct rlimit none = { 0, 0 };

	return prlimit(pid, RLIMIT_LOCKS, &none, NULL) == 0 ? 0 : -errno;
}

bool confined_is(pid_t pid)
{
	struct rlimit l;

	return prlimit(pid, RLIMIT_LOCKS, NULL, &l) != 0 || l.rlim_max == 0;
}
