/*
 * What a change of a policy does to requests that were recorded: each is decided by both
 * policies, and one that changes must be explained by a finding or a doubt of the
 * comparison.  One that is not is a fault of the comparison (doc/traffic.md).
 */
#ifndef COMPILER_ANALYSIS_IMPACT_H
#define COMPILER_ANALYSIS_IMPACT_H

#include "compiler/analysis/diff_result.h"

/* A recorded request; the same one counts as often as it was recorded. */
struct impact_request {
	struct ir_request req;
	struct str role;         /* under which it was decided, or empty */
	size_t count;
	const char *file;        /* where it stands first */
	size_t line;
};

struct impact_requests {
	VEC(struct impact_request *) v;
	size_t total;            /* the sum of all counts */
};

/* How many recorded requests a finding or a doubt explains, and one of them, or NULL. */
struct impact_share {
	size_t count;
	/* the finding is about where a connection is led, which no record holds: there may
	 * be more */
	bool uncounted;
	const struct impact_request *example;
};

struct impact_change {
	const struct impact_request *request;
	enum diff_change change;
	bool widening;
	struct diff_said side[2];
};

/* Requests of a role that two policies cannot be compared by. */
struct impact_skipped {
	struct str role;
	const char *why;
	struct impact_share share;
};

struct impact {
	const struct diff_result *found;
	struct impact_share *findings, *doubts; /* as many as there are in `found` */
	size_t total;            /* recorded requests … */
	size_t changes[DIFF_CHANGE_COUNT]; /* … by what changes about them */
	size_t undecided;        /* … that change, and only a doubt explains it */
	VEC(struct impact_skipped) skipped; /* … under a role that was not compared */
	VEC(struct impact_change) lost; /* … that change, and nothing explains it */
};

void impact_init(struct impact *im, const struct diff_result *found, struct arena *a);
/*
 * Decides the requests of one role by the two policies of this role, which were compared
 * in im->found.
 */
void impact_add(struct impact *im, const struct ir *old, const struct ir *new,
		struct str role, const struct impact_requests *all, struct arena *a);
/*
 * The role can be chosen in the old policy only: what that lets through under it is blocked,
 * because nothing runs under the role any more.
 */
void impact_refuse(struct impact *im, const struct ir *old, struct str role,
		   const struct impact_requests *all, struct arena *a);
/* There are no two policies of this role to decide them by; `why` is static. */
void impact_skip(struct impact *im, struct str role, const char *why,
		 const struct impact_requests *all, struct arena *a);

/* Are there requests of which nobody can say why they change, or whether they do? */
static inline bool impact_is_open(const struct impact *im)
{
	return im->lost.n || im->skipped.n;
}

#endif
