/* Keeps the calls that wait: see waiting.h. */
#include "runtime/supervise/waiting.h"

#include <stdlib.h>

bool waiting_may(struct waiting *w, unsigned turn)
{
	size_t cap = w->cap ? 2 * w->cap : 16;
	void *grown;

	if (turn >= WAITING_TURNS || w->n >= WAITING_MOST)
		return false;
	if (w->n < w->cap)
		return true;
	grown = reallocarray(w->v, cap, sizeof(*w->v));
	if (!grown)
		return false;
	w->v = grown;
	w->cap = cap;
	return true;
}

void waiting_add(struct waiting *w, const struct seccomp_notif *req, unsigned turn, int64_t since_ms)
{
	w->v[w->n++] = (struct waiting_call){ *req, turn, since_ms };
}

void waiting_release(struct waiting *w)
{
	free(w->v);
	*w = (struct waiting){ 0 };
}
