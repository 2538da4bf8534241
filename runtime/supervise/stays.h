/*
 * The walls of a run (sandbox_wall) by their names on the host.  A run of which one goes
 * away ends (walls.h): so the broker makes no call for it that would take one away, by
 * whatever name the run sees it.
 *
 * So is each .git that makes a folder a project, of the project itself and of those below, for
 * another reason: it says where the project of the next run there begins (place_project).  A run
 * that could remove it would give that run the larger project around it.
 */
#ifndef RUNTIME_SUPERVISE_STAYS_H
#define RUNTIME_SUPERVISE_STAYS_H

#include "runtime/sandbox/sandbox_view.h"

struct stays {
	const struct sandbox_view *view;
	struct stays_name {
		char *host;
		const struct sandbox_wall *wall;
	} *v; /* sorted by `host` */
	size_t n;
	struct sandbox_wall *marks; /* the .git folders; their paths are malloc'ed */
	size_t nmarks;
	uint32_t git_rule; /* by which git's names are kept; BROKER_NO_RULE: they may be written */
};

/* 0 or -ENOMEM; stays_release() is safe after both, and after `*s = { 0 }`. */
int stays_init(struct stays *s, const struct sandbox_view *view, uint32_t git_rule);
void stays_release(struct stays *s);
/* The wall that the path inside is, or NULL. */
const struct sandbox_wall *stays_at(const struct stays *s, const char *path);

#endif
