/*
 * The lock by which runs order the calls that make names (shared) and those that move directories
 * (alone): see broker_rules.lock.  It is a flock(2) on a file that no run can open (state_dir_lock()).
 *
 * polrun spins only as long as another call takes that makes a name.  A run that moves a directory
 * has the lock longer, up to BROKER_MOST_MS; then the call waits, but not polrun.  A run that moved such
 * directories all the time would keep the other runs from making names: so each leaves the lock free for
 * as long as it has had it alone.
 */
#ifndef RUNTIME_SUPERVISE_NAMES_LOCK_H
#define RUNTIME_SUPERVISE_NAMES_LOCK_H

#include <stdbool.h>
#include <stdint.h>

#define NAMES_LOCK_MOST_MS 5000 /* so long a call waits for it, and then fails */

struct names_lock {
	int fd;           /* the caller's */
	int64_t alone_ms; /* since when this run has it alone; 0: it has not */
	int64_t rest_ms;  /* until then it does not take it alone again */
};

/* False: another run has it. */
bool names_lock_take(struct names_lock *l, bool alone);
/* Also if it was not taken. */
void names_lock_give_back(struct names_lock *l);

#endif
