/*
 * The walls of a run (sandbox_wall) by their names on the host.  A run of which one goes
 * away ends (walls.h): so the broker makes no call for it that would take one away, by
 * whatever name the run sees it.
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
};

/* 0 or -ENOMEM; stays_release() is safe after both, and after `*s = { 0 }`. */
int stays_init(struct stays *s, const struct sandbox_view *view);
void stays_release(struct stays *s);
/* The wall that the path inside is, or NULL. */
const struct sandbox_wall *stays_at(const struct stays *s, const char *path);

#endif
