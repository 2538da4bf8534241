/* Which bundle a run has: the one that -b names, or one of the cache. */
#ifndef RUNTIME_POLRUN_CHOSEN_H
#define RUNTIME_POLRUN_CHOSEN_H

#include "runtime/bundle/trust.h"
#include "runtime/entry/roots.h"
#include "runtime/polrun/cache.h"
#include "runtime/polrun/polrun_options.h"

struct chosen {
	struct cache_want want;
	struct cache_places places;
	struct cache cache; /* empty with -b; its descriptors are -1 */
};

struct chosen_kept {
	char **v;
	size_t n, nbelieved; /* as in struct sandbox_run */
};

/* Where the cache and the user's policies are.  `state` is the folder of the user's state;
 * it stays the caller's.  0 or -errno. */
int chosen_places(struct chosen *c, const struct polrun_options *o, const struct roots *r,
		  const char *state, struct rt_err *err);
/* Opens it, and sets o->bundle if -b has not.  Without -b the places must be known.  0 or
 * -errno: there is no run without a policy. */
int chosen_open(struct chosen *c, struct polrun_options *o, struct bundle *ret,
		struct trust *ret_trust, struct rt_err *err);
/* Names all that the run must not write: what the next run believes, then the folders, then
 * `own` (elements may be NULL). */
int chosen_keep(const struct chosen *c, const struct polrun_options *o,
		const char *const *own, size_t nown, const char *cwd,
		struct chosen_kept *ret, struct rt_err *err);
void chosen_release(struct chosen *c, struct chosen_kept *k);

#endif
