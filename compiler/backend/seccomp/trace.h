/* The calls that the trace filter reports although they are allowed. */
#ifndef COMPILER_BACKEND_SECCOMP_TRACE_H
#define COMPILER_BACKEND_SECCOMP_TRACE_H

#include <stdbool.h>
#include <stdint.h>

/* Does the trace filter look at this call?  False for a number without a name. */
bool filter_is_traced(uint32_t nr);

#endif
