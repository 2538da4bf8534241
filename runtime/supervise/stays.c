/* Finds the wall that a name is, by the host's name of both. */
#include "runtime/supervise/stays.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static int by_host(const void *a, const void *b)
{
	return strcmp(((const struct stays_name *)a)->host, ((const struct stays_name *)b)->host);
}

int stays_init(struct stays *s, const struct sandbox_view *view)
{
	char buf[PATH_MAX];

	*s = (struct stays){ .view = view };
	s->v = calloc(view->nwalls + 1, sizeof(*s->v));
	if (!s->v)
		return -ENOMEM;
	for (size_t i = 0; i < view->nwalls; i++) {
		const char *host = sandbox_view_host(view, view->walls[i].path, buf, sizeof(buf));

		/* what has no such name is not reached by one either */
		if (!host)
			continue;
		s->v[s->n] = (struct stays_name){ strdup(host), &view->walls[i] };
		if (!s->v[s->n++].host)
			return -ENOMEM;
	}
	qsort(s->v, s->n, sizeof(*s->v), by_host);
	return 0;
}

void stays_release(struct stays *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->v[i].host);
	free(s->v);
	*s = (struct stays){ 0 };
}

const struct sandbox_wall *stays_at(const struct stays *s, const char *path)
{
	char buf[PATH_MAX];
	struct stays_name key = { 0 };
	const struct stays_name *found;
	const char *host = s->n ? sandbox_view_host(s->view, path, buf, sizeof(buf)) : NULL;

	if (!host)
		return NULL;
	key.host = (char *)(uintptr_t)host;
	found = bsearch(&key, s->v, s->n, sizeof(*s->v), by_host);
	return found ? found->wall : NULL;
}
