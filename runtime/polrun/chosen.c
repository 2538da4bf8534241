/* Decides whether a bundle of the cache is used, or polc makes it again. */
#include "runtime/polrun/chosen.h"

#include <errno.h>
#include <string.h>

#include "runtime/base/io.h"
#include "runtime/bundle/verified.h"
#include "runtime/polrun/before.h"

int chosen_places(struct chosen *c, const struct polrun_options *o, const struct roots *r,
		  const char *state, struct rt_err *err)
{
	c->want = (struct cache_want){
		.home = r->home, .project = r->project, .cwd = r->cwd, .state = state,
		.role = o->role, .policy = o->policy, .other_user = o->user,
		.verbose = o->verbose, .quiet = o->quiet,
	};
	if (!cache_find_places(&c->want, &c->places))
		return rt_fail(err, ENAMETOOLONG, "XDG_CACHE_HOME, XDG_CONFIG_HOME or HOME is "
			       "too long");
	return 0;
}

static int open_one(const struct polrun_options *o, struct bundle *ret, struct trust *ret_trust,
		    struct rt_err *err)
{
	struct verified_options v = { .path = o->bundle, .signers = o->signers,
				      .require = o->require_signed, .trace = o->explain };

	return verified_open(&v, ret, ret_trust, err);
}

static bool is_of_index(const struct chosen *c, const struct bundle *b)
{
	return strcmp(b->digest, c->cache.x.bundle) == 0;
}

/* False: there is another bundle than the index speaks of, or none. */
static bool open_cached(const struct chosen *c, struct polrun_options *o, struct bundle *ret,
			struct trust *ret_trust)
{
	struct rt_err err = { 0 };

	o->bundle = c->cache.bundle;
	if (open_one(o, ret, ret_trust, &err) < 0)
		return false;
	if (is_of_index(c, ret))
		return true;
	bundle_release(ret);
	memset(ret, 0, sizeof(*ret));
	return false;
}

int chosen_open(struct chosen *c, struct polrun_options *o, struct bundle *ret,
		struct trust *ret_trust, struct rt_err *err)
{
	int r;

	if (o->bundle)
		return open_one(o, ret, ret_trust, err);
	r = cache_look(&c->want, &c->places, &c->cache, err);
	if (r < 0 || (r == 1 && open_cached(c, o, ret, ret_trust)))
		return r < 0 ? r : 0;
	r = cache_make(&c->cache, err);
	if (r < 0)
		return r;
	o->bundle = c->cache.bundle;
	r = open_one(o, ret, ret_trust, err);
	if (r == 0 && !is_of_index(c, ret))
		r = rt_fail(err, EPERM, "the bundle in the cache is not the one that polc has just "
			    "written");
	return r;
}

int chosen_keep(const struct chosen *c, const struct polrun_options *o,
		const char *const *own, size_t nown, const char *cwd,
		struct chosen_kept *ret, struct rt_err *err)
{
	const size_t most = 4 + c->cache.x.n + nown;
	AUTO_FREE const char **path = calloc(most, sizeof(*path));
	size_t n = 0, at = 0;

	ret->v = calloc(most, sizeof(*ret->v));
	if (!path || !ret->v)
		return rt_fail(err, ENOMEM, "out of memory");
	path[n++] = o->bundle;
	if (o->signers)
		path[n++] = o->signers;
	while ((path[n] = cache_believed(&c->cache, &at)) != NULL)
		n++;
	ret->nbelieved = n;
	path[n++] = c->places.cache;
	path[n++] = c->places.config;
	for (size_t i = 0; i < nown; i++)
		path[n++] = own[i];
	return before_keep(path, n, cwd, ret->v, &ret->n, err);
}

void chosen_release(struct chosen *c, struct chosen_kept *k)
{
	for (size_t i = 0; i < k->n; i++)
		free(k->v[i]);
	free(k->v);
	memset(k, 0, sizeof(*k));
	cache_release(&c->cache);
}
