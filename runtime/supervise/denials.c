/* The list of denials: one entry with a count per (layer, op, subject, rule).  Bounded,
 * so that a command cannot fill the supervisor's memory. */
#include "runtime/supervise/denials.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct denial *find(const struct denials *d, const struct denial *key)
{
	/* A repeated denial is nearly always a recent one. */
	for (size_t i = d->n; i-- > 0;) {
		struct denial *e = &d->v[i];

		if (e->rule == key->rule && e->err == key->err &&
		    strcmp(e->subject, key->subject) == 0 &&
		    strcmp(e->op, key->op) == 0 && strcmp(e->layer, key->layer) == 0)
			return e;
	}
	return NULL;
}

void denials_add(struct denials *d, const char *layer, const char *op,
		 const char *subject, int err, uint32_t rule)
{
	denials_add_many(d, layer, op, subject, err, rule, 1);
}

void denials_add_many(struct denials *d, const char *layer, const char *op,
		      const char *subject, int err, uint32_t rule, uint64_t count)
{
	struct denial key = { .err = err, .rule = rule, .count = count, .last = ++d->met };
	struct denial *e;

	(void)snprintf(key.layer, sizeof(key.layer), "%s", layer);
	(void)snprintf(key.op, sizeof(key.op), "%s", op);
	(void)snprintf(key.subject, sizeof(key.subject), "%s", subject);
	e = find(d, &key);
	if (e) {
		e->count += count;
		e->last = d->met;
		return;
	}
	if (d->n >= DENIALS_MAX) {
		d->lost++;
		return;
	}
	/* Grown by doubling: the capacity follows from n. */
	if ((d->n & (d->n - 1)) == 0) {
		size_t cap = d->n ? d->n * 2 : 1;
		struct denial *p = realloc(d->v, cap * sizeof(*p));

		if (!p) {
			d->lost++;
			return;
		}
		d->v = p;
	}
	d->v[d->n++] = key;
}
