/* The list of denials of a run. */
#ifndef RUNTIME_SUPERVISE_DENIALS_H
#define RUNTIME_SUPERVISE_DENIALS_H

#include <stddef.h>
#include <stdint.h>

/* One (rule, subject) with a count. */
struct denial {
	char layer[12];     /* "seccomp" "file" "network" "unix" "limit" "command" */
	char op[16];        /* "read" "write" "exec" "connect" or the call's name */
	char subject[576];  /* path, address (with two host names of any length) or
	                       arguments, escaped */
	int err;            /* errno that the caller received */
	uint8_t why;        /* of the gateway: enum gate_why; else 0 */
	const char *cause;  /* what refused it if no rule did, a constant; NULL: not told */
	char setting[136];  /* of a file that may change in part: what may not; or "" */
	uint32_t rule;
	uint64_t count;
	uint64_t last;      /* the number of its last request, among all: the largest was
	                       met last */
};

struct denials {
	struct denial *v; /* malloc'ed, at most DENIALS_MAX and DENIALS_NOTES */
	size_t n;
	uint64_t lost;    /* requests that no entry counts, since the list is full */
	uint64_t met;     /* number of requests so far */
};
#define DENIALS_MAX 1024
#define DENIALS_NOTES 16 /* further ones, of what a flood kept from being listed alone */

void denials_add(struct denials *d, const char *layer, const char *op,
		 const char *subject, int err, uint32_t rule);
/* The same; `cause` as in the struct. */
void denials_add_cause(struct denials *d, const char *layer, const char *op, const char *subject,
		       int err, uint32_t rule, const char *cause);
/* A file that the rule keeps, and that may change but for this setting (or "", if it could not be read). */
void denials_add_setting(struct denials *d, const char *subject, int err, uint32_t rule, const char *setting);
/* `count` equal requests to the network; `why` as in the struct. */
void denials_add_net(struct denials *d, const char *op, const char *subject, int err,
		     uint32_t rule, uint8_t why, uint64_t count);
/* The same of requests of which only the number is known: `subject` says so.  It has a place when the
 * list is full. */
void denials_add_note(struct denials *d, const char *op, const char *subject, int err,
		      uint32_t rule, uint8_t why, uint64_t count);

#endif
