/* Is this process in a run of polrun already? */
#ifndef RUNTIME_BASE_IN_RUN_H
#define RUNTIME_BASE_IN_RUN_H

#include <stdbool.h>

/*
 * The first process of a run is polinit, and its filter knows no openat2.  This is for messages, and for refusing early
 * what could not be done: a process outside of a run may look the same to itself, and is refused as well.
 */
bool in_run(void);

#endif
