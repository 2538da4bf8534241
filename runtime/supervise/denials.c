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

		if (e->rule == key->rule && e->err == key->err && e->why == key->why &&
		    e->cause == key->cause && strcmp(e->setting, key->setting) == 0 &&
		    strcmp(e->subject, key->subject) == 0 &&
		    strcmp(e->op, key->op) == 0 && strcmp(e->layer, key->layer) == 0)
			return e;
	}
	return NULL;
}

/* Takes a filled key.  `most`: entries of the list. */
static void add(struct denials *d, struct denial key, size_t most)
{
	struct denial *e = find(d, &key);

	key.last = ++d->met;
	if (e) {
		e->count += key.count;
		e->last = d->met;
		return;
	}
	if (d->n >= most) {
		d->lost += key.count;
		return;
	}
	/* Grown by doubling: the capacity follows from n. */
	if ((d->n & (d->n - 1)) == 0) {
		size_t cap = d->n ? d->n * 2 : 1;
		struct denial *p = realloc(d->v, cap * sizeof(*p));

		if (!p) {
			d->lost += key.count;
			return;
		}
		d->v = p;
	}
	d->v[d->n++] = key;
}

static void name(struct denial *key, const char *layer, const char *op, const char *subject)
{
	(void)snprintf(key->layer, sizeof(key->layer), "%s", layer);
	(void)snprintf(key->op, sizeof(key->op), "%s", op);
	(void)snprintf(key->subject, sizeof(key->subject), "%s", subject);
}

void denials_add(struct denials *d, const char *layer, const char *op,
		 const char *subject, int err, uint32_t rule)
{
	denials_add_cause(d, layer, op, subject, err, rule, NULL);
}

void denials_add_cause(struct denials *d, const char *layer, const char *op, const char *subject,
		       int err, uint32_t rule, const char *cause)
{
	struct denial key = { .err = err, .rule = rule, .count = 1, .cause = cause };

	name(&key, layer, op, subject);
	add(d, key, DENIALS_MAX);
}

void denials_add_setting(struct denials *d, const char *subject, int err, uint32_t rule, const char *setting)
{
	struct denial key = { .err = err, .rule = rule, .count = 1 };

	name(&key, "file", "write", subject);
	(void)snprintf(key.setting, sizeof(key.setting), "%s", setting);
	add(d, key, DENIALS_MAX);
}

void denials_add_net(struct denials *d, const char *op, const char *subject, int err,
		     uint32_t rule, uint8_t why, uint64_t count)
{
	struct denial key = { .err = err, .rule = rule, .count = count, .why = why };

	name(&key, "network", op, subject);
	add(d, key, DENIALS_MAX);
}

void denials_add_note(struct denials *d, const char *op, const char *subject, int err,
		      uint32_t rule, uint8_t why, uint64_t count)
{
	struct denial key = { .err = err, .rule = rule, .count = count, .why = why };

	name(&key, "network", op, subject);
	add(d, key, DENIALS_MAX + DENIALS_NOTES);
}
