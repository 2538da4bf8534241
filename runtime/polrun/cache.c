/* Decides whether a bundle in the cache was made of just the policies that there are now.
 * Nothing here runs without one: what cannot be read or believed is an error. */
#include "runtime/polrun/cache.h"

#include <errno.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/own.h"
#include "runtime/bundle/format.h"
#include "runtime/polrun/cache_dir.h"
#include "runtime/polrun/cache_files.h"
#include "runtime/state/state_dir.h"

bool cache_find_places(const struct cache_want *w, struct cache_places *ret)
{
	const char *cache = w->other_user ? NULL : getenv("XDG_CACHE_HOME");
	const char *config = w->other_user ? NULL : getenv("XDG_CONFIG_HOME");

	return state_dir_place(w->home, "/.cache", cache, ret->cache) &&
	       state_dir_place(w->home, "/.config", config, ret->config);
}

/* --- names ---------------------------------------------------------------------------- */

static void add(crypto_generichash_state *h, const char *s)
{
	(void)crypto_generichash_update(h, (const unsigned char *)s, strlen(s) + 1);
}

static void finish(crypto_generichash_state *h, char ret[65])
{
	unsigned char sum[32];

	(void)crypto_generichash_final(h, sum, sizeof(sum));
	(void)sodium_bin2hex(ret, 65, sum, sizeof(sum));
}

/* Who asks: two answers about one name would replace each other each time. */
static void name_index(struct cache *c)
{
	const struct cache_want *w = c->want;
	crypto_generichash_state h;
	char hex[65];

	(void)crypto_generichash_init(&h, NULL, 0, 32);
	add(&h, "pol-cache 1 " POL_VERSION);
	add(&h, w->policy ? w->policy : "");
	add(&h, w->policy && w->policy[0] != '/' ? w->cwd : "");
	add(&h, w->policy ? "" : w->project);
	add(&h, w->policy ? "" : c->at->config);
	add(&h, w->role ? w->role : "");
	add(&h, c->program);
	finish(&h, hex);
	(void)snprintf(c->index, sizeof(c->index), "%s.index", hex);
}

/* All that a bundle depends on. */
static void name_key(const struct cache *c, struct cache_index *x)
{
	crypto_generichash_state h;
	char word[32];

	(void)crypto_generichash_init(&h, NULL, 0, 32);
	add(&h, "pol-cache 1 " POL_VERSION);
	add(&h, c->want->policy ? c->want->policy : "");
	add(&h, c->want->role ? c->want->role : "");
	for (size_t i = 0; i < x->n; i++) {
		(void)snprintf(word, sizeof(word), "%u %u", x->v[i].level, x->v[i].flags);
		add(&h, word);
		add(&h, x->v[i].path);
		add(&h, x->v[i].hex);
	}
	finish(&h, x->key);
}

static int use(struct cache *c, struct rt_err *err)
{
	if ((size_t)snprintf(c->bundle, sizeof(c->bundle), "%s/%s.polb", c->at->cache,
			     c->x.key) >= sizeof(c->bundle))
		return rt_fail(err, ENAMETOOLONG, "the path of the cache is too long");
	return 0;
}

static int save(const struct cache *c)
{
	size_t len;
	AUTO_FREE char *text = cache_index_text(&c->x, &len);

	return text ? cache_dir_write(c->dir, c->index, text, len) : -ENOMEM;
}

/* --- what is said ----------------------------------------------------------------------- */

static bool by_profile(const struct cache_index *x)
{
	for (size_t i = 0; i < x->n; i++)
		if ((x->v[i].flags & CACHE_STD) && (x->v[i].flags & CACHE_NAMED))
			return true;
	return false;
}

/* Once for a project, and only to a person. */
static bool tell(struct cache *c)
{
	if (c->x.told || c->want->quiet || !by_profile(&c->x) || !isatty(STDERR_FILENO))
		return false;
	fputs("polrun: this project has no policy: the command can write in it and nowhere else, "
	      "has no network and sees nothing of HOME but tools and packages (std/profile/local); 'polc init' writes "
	      "a policy to change that\n", stderr);
	c->x.told = true;
	return true;
}

/* --- the order ------------------------------------------------------------------------- */

/* 1: the index is of the files that are there, 0: it is not. */
static int check_index(struct cache *c, bool *ret_stale, struct rt_err *err)
{
	struct cache_index *x = &c->x;
	int64_t now = cache_files_now();
	int r = cache_files_same(c, x) && x->n && (x->v[x->n - 1].flags & CACHE_POLC) &&
		strcmp(x->v[x->n - 1].path, c->program) == 0;

	/* also after a difference: a policy that is not believed is an error */
	for (size_t i = 0; i < x->n && r == 1; i++)
		r = cache_files_check(c, x, &x->v[i], ret_stale, err);
	if (r == 1)
		r = cache_files_trusted(c, x);
	if (r == 1 && *ret_stale)
		x->at = now;
	if (r == 1) {
		char key[65];

		memcpy(key, x->key, sizeof(key));
		name_key(c, x);
		r = strcmp(key, x->key) == 0;
	}
	return r;
}

static int open_all(struct cache *c, struct rt_err *err)
{
	const char *project = c->want->project;

	if ((size_t)snprintf(c->project_dir, sizeof(c->project_dir), "%s/.pol", project) >=
	    sizeof(c->project_dir))
		return rt_fail(err, ENAMETOOLONG, "the project's path is too long");
	c->polc = own_open_path("polrun", "polc", c->program, err);
	if (c->polc < 0)
		return c->polc;
	c->dir = cache_dir_open(c->want, c->at->cache, err);
	return c->dir < 0 ? c->dir : cache_files_find(c, err);
}

int cache_look(const struct cache_want *w, const struct cache_places *at, struct cache *ret,
	       struct rt_err *err)
{
	bool stale = false;
	int r;

	*ret = (struct cache){ .want = w, .at = at, .dir = -1, .polc = -1 };
	r = open_all(ret, err);
	if (r < 0)
		return r;
	name_index(ret);
	if (!cache_dir_read(ret->dir, ret->index, &ret->x))
		return 0;
	r = check_index(ret, &stale, err);
	if (r != 1)
		return r;
	if (tell(ret) || stale)
		(void)save(ret); /* else the next run looks again */
	r = use(ret, err);
	return r < 0 ? r : 1;
}

int cache_adopt(struct cache *c, struct cache_index *made, const char *temp, struct rt_err *err)
{
	bool told = c->x.told;
	char old[65], name[80];
	int r;

	memcpy(old, c->x.key, sizeof(old));
	cache_index_release(&c->x);
	c->x = *made;
	memset(made, 0, sizeof(*made));
	c->x.told = told;
	name_key(c, &c->x);
	(void)snprintf(name, sizeof(name), "%s.polb", c->x.key);
	if (renameat(c->dir, temp, c->dir, name) != 0)
		return rt_fail_errno(err, errno, "the compiled policy in the cache");
	(void)tell(c);
	r = save(c);
	if (r < 0)
		return rt_fail_errno(err, -r, "the index in the cache");
	if (old[0] && strcmp(old, c->x.key) != 0) {
		(void)snprintf(name, sizeof(name), "%s.polb", old);
		(void)unlinkat(c->dir, name, 0);
	}
	cache_dir_prune(c->dir);
	return use(c, err);
}

/* Of the standard library one file stands for all, since each costs a look: they lie in
 * one tree. */
const char *cache_believed(const struct cache *c, size_t *at)
{
	while (*at < c->x.n) {
		const struct cache_input *in = &c->x.v[(*at)++];
		const char *base = strrchr(in->path, '/');

		if (!(in->flags & CACHE_STD) || strcmp(base, "/floor.pol") == 0)
			return in->path;
	}
	return NULL;
}

void cache_release(struct cache *c)
{
	if (c->dir >= 0)
		(void)close(c->dir);
	if (c->polc >= 0)
		(void)close(c->polc);
	found_release(&c->managed);
	found_release(&c->project);
	found_release(&c->user);
	cache_index_release(&c->x);
	c->dir = c->polc = -1;
}
