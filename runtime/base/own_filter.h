/*
 * The system-call filters with which our own processes confine themselves.  Each is made
 * of tables: calls that are allowed, calls that end the process, and a few calls of which
 * arguments are looked at.
 */
#ifndef RUNTIME_BASE_OWN_FILTER_H
#define RUNTIME_BASE_OWN_FILTER_H

#include <stdbool.h>

#include "runtime/base/filter_insn.h"

#define OWN_FILTER_MOST 320

struct own_filter {
	struct sock_filter v[OWN_FILTER_MOST];
	size_t n;
	bool over; /* something did not fit: the filter is not to be used */
};

#define OWN_FILTER_ADD(f, ...) own_filter_add(f, (struct sock_filter)__VA_ARGS__)
#define OWN_FILTER_COUNT(a) (sizeof(a) / sizeof((a)[0]))

void own_filter_add(struct own_filter *f, struct sock_filter insn);
/* Another architecture ends the process; new memory that is executable meets `otherwise` (an
 * instruction: REFUSE or KILL).  The accumulator then holds the number of the call. */
void own_filter_begin(struct own_filter *f, struct sock_filter otherwise);
/* Each of these calls meets `then` (ALLOW or KILL). */
void own_filter_calls(struct own_filter *f, const int *v, size_t n, struct sock_filter then);
/* What is added up to own_filter_end() is for this call alone, and ends with a decision. */
size_t own_filter_call(struct own_filter *f, int nr);
void own_filter_end(struct own_filter *f, size_t call);
/* Goes on if the accumulator is one of the values, else refuses. */
void own_filter_one_of(struct own_filter *f, const int *v, size_t n);
/* The call is allowed if its argument `arg` is one of the values, else refused. */
void own_filter_allow_if(struct own_filter *f, int nr, unsigned arg, const int *v, size_t n);
/* The rest is refused; loads the filter, for all threads that this process makes later.  0 or
 * -errno. */
int own_filter_load(struct own_filter *f);

#endif
