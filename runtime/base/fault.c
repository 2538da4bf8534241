/* Fault injection for test builds (-DPOL_FAULTS): which call fails, and when.
 * In every other build this file is empty. */
#include "runtime/base/sys.h"

#ifdef POL_FAULTS
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	int err;
} errs[] = {
	{ "EPERM", EPERM },   { "ENOSPC", ENOSPC }, { "ENOSYS", ENOSYS },
	{ "EINVAL", EINVAL }, { "EBUSY", EBUSY },   { "EMFILE", EMFILE },
	{ "ENOMEM", ENOMEM }, { "EACCES", EACCES },
};

/* POL_FAULT is "CALL:ERRNO" (always) or "CALL:ERRNO@N" (the Nth time). */
int sys_fault(const char *name)
{
	static unsigned long seen;
	const char *spec = getenv("POL_FAULT"), *p;
	size_t len = strlen(name);

	if (!spec || strncmp(spec, name, len) != 0 || spec[len] != ':')
		return 0;
	p = strchr(spec, '@');
	if (p && strtoul(p + 1, NULL, 10) != ++seen)
		return 0;
	p = spec + len + 1;
	for (size_t i = 0; i < sizeof(errs) / sizeof(errs[0]); i++) {
		size_t n = strlen(errs[i].name);

		if (strncmp(p, errs[i].name, n) == 0 && (!p[n] || p[n] == '@'))
			return errs[i].err;
	}
	return EIO;
}
#else
typedef int sys_fault_is_off;
#endif
