/* The lock by which runs, and commits of staged runs, order the names that they make: names_lock.h. */
#ifndef RUNTIME_POLRUN_NAMES_ORDER_H
#define RUNTIME_POLRUN_NAMES_ORDER_H

#include <stdio.h>

/* Opens root's lock for all users if there is one, else the user's.  -1: there is none, which `notes` says; and
 * it says if the project is written by users with whom there is no common lock. */
int names_order_open(const char *state, const char *project, FILE *notes);

#endif
