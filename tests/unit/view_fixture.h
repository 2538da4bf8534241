/*
 * A directory that stands for the host, rules over it and the view that comes
 * of both, for the tests of the view and of the plan that mounts it.
 */
#ifndef TESTS_UNIT_VIEW_FIXTURE_H
#define TESTS_UNIT_VIEW_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/sandbox/view.h"
#include "runtime/sandbox/view_host.h"
#include "tests/unit/fixture.h"

#define MAX_RULES 32

struct world {
	char dir[64];
	struct view_anchor a[MAX_RULES];
	char full[MAX_RULES][256];
	size_t n;
	struct view_in in;
	struct sandbox_view v;
	struct rt_err err;
};

/* A rule list with the semantics of literal names: a denial wins. */
static inline enum view_answer decide_one(const struct world *w, uint8_t op, const char *path,
					  uint32_t *rule)
{
	bool own = true;
	int allow = -1;

	*rule = UINT32_MAX;
	for (size_t i = 0; i < w->n; i++) {
		const struct view_anchor *a = &w->a[i];

		if (a->kind != PB_A_PATH || !(a->ops & op) || !view_at(path, a->path))
			continue;
		*rule = (uint32_t)i;
		if (a->effect != PB_ALLOW)
			return VIEW_DENY;
		allow = (int)i;
		own = own && (a->flags & PB_AF_SCRATCH);
	}
	if (allow < 0)
		return VIEW_OTHERWISE;
	*rule = (uint32_t)allow;
	return own ? VIEW_OWN : VIEW_ALLOW;
}

static inline void decide(void *arg, const char *path, struct view_answers *ret)
{
	for (unsigned i = 0; i < VIEW_OPS; i++)
		ret->answer[i] = (uint8_t)decide_one(arg, (uint8_t)(1u << i), path,
						     &ret->rule[i]);
}

static inline uint32_t rule(struct world *w, uint8_t effect, uint8_t ops,
			    const char *path, uint8_t kind, uint8_t flags)
{
	struct view_anchor *a = &w->a[w->n];

	(void)snprintf(w->full[w->n], sizeof(w->full[0]), "%s", path);
	*a = (struct view_anchor){ .path = w->full[w->n], .kind = kind, .effect = effect,
				   .ops = ops, .flags = flags, .rule = (uint32_t)w->n };
	return (uint32_t)w->n++;
}

#define RW (PB_READ | PB_WRITE)
#define RX (PB_READ | PB_EXEC)
#define RWX (PB_READ | PB_WRITE | PB_EXEC)

static inline void allow(struct world *w, uint8_t ops, const char *path)
{
	(void)rule(w, PB_ALLOW, ops, path, PB_A_PATH, PB_AF_BELOW);
}

static inline uint32_t deny(struct world *w, uint8_t ops, const char *path)
{
	return rule(w, PB_DENY, ops, path, PB_A_PATH, PB_AF_BELOW);
}

static inline void hide(struct world *w, const char *path)
{
	(void)rule(w, PB_HIDE, RWX, path, PB_A_PATH, PB_AF_BELOW);
}

static inline const char *at(const struct world *w, const char *path)
{
	static char full[512];

	(void)snprintf(full, sizeof(full), "%s%s", w->dir, path);
	return full;
}

static inline void make_dir(const struct world *w, const char *path)
{
	char full[512];

	(void)snprintf(full, sizeof(full), "%s%s", w->dir, path);
	for (char *s = full + strlen(w->dir) + 1; (s = strchr(s, '/')); *s++ = '/') {
		*s = '\0';
		(void)mkdir(full, 0755);
	}
	(void)mkdir(full, 0755);
}

static inline void make_file(const struct world *w, const char *path, const char *text)
{
	FILE *f = fopen(at(w, path), "w");

	assert_non_null(f);
	(void)fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static inline int world_setup(void **state)
{
	struct world *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	(void)snprintf(w->dir, sizeof(w->dir), "/tmp/pol-view-XXXXXX");
	assert_non_null(mkdtemp(w->dir));
	make_dir(w, "/usr/bin");
	make_dir(w, "/etc");
	make_dir(w, "/home/u/p/src/deep");
	make_dir(w, "/home/u/.ssh");
	make_file(w, "/home/u/.ssh/known_hosts", "k");
	assert_int_equal(symlink("usr/bin", at(w, "/bin")), 0);
	w->in = (struct view_in){ .prefix = w->dir, .home = "/home/u",
				  .project = "/home/u/p", .anchors = w->a,
				  .decide = decide, .arg = w };
	allow(w, RX, "/usr");
	(void)rule(w, PB_ALLOW, RW, "/home/u", PB_A_PATH, PB_AF_SCRATCH | PB_AF_BELOW);
	allow(w, RW, "/home/u/p");
	*state = w;
	return 0;
}

static inline int world_teardown(void **state)
{
	struct world *w = *state;
	char cmd[128];

	sandbox_view_release(&w->v);
	(void)snprintf(cmd, sizeof(cmd), "rm -rf '%s'", w->dir);
	assert_int_equal(system(cmd), 0);
	free(w);
	return 0;
}

static inline void build(struct world *w)
{
	w->in.n = w->n;
	if (view_make(&w->in, &w->v, &w->err) < 0)
		fail_msg("view: %s", w->err.text);
}

/* The node exactly at `path`, or NULL. */
static inline const struct sandbox_node *node(const struct world *w, const char *path)
{
	const struct sandbox_node *n = sandbox_view_find(&w->v, path);

	return n && !strcmp(n->path, path) ? n : NULL;
}

static inline const char *link_at(const struct world *w, const char *path)
{
	for (size_t i = 0; i < w->v.nlinks; i++)
		if (!strcmp(w->v.links[i].path, path))
			return w->v.links[i].target;
	return NULL;
}

#endif
