/* Without enough stack, a program would die of SIGSEGV in the middle of its work, so this
 * is checked first. */
#include "runtime/base/stack.h"

#include <stdio.h>
#include <sys/resource.h>

size_t stack_complaint(const char *program, char *out, size_t cap)
{
	struct rlimit l;
	int n;

	if (getrlimit(RLIMIT_STACK, &l) != 0 || l.rlim_cur == RLIM_INFINITY ||
	    l.rlim_cur >= STACK_NEEDED_KIB * 1024ul)
		return 0;
	n = snprintf(out, cap, "%s: the limit of the stack is %lu KiB, needed are %d "
		     "(ulimit -s)\n", program, (unsigned long)(l.rlim_cur / 1024),
		     STACK_NEEDED_KIB);
	return n < 0 ? 0 : (size_t)n < cap ? (size_t)n : cap - 1;
}
