/* Where a link of the run's own would lead.  A link at a name gives new meaning to
 * every name below it: what the rules deny there must not be written at another place.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/place.h"
#include "runtime/broker/actions.h"

static int ask(struct broker_act *a, const char *path, const char *target)
{
	const struct broker_rules *rules = &a->b->rules;
	uint32_t rule = BROKER_NO_RULE;

	if (rules->allows_link(rules->arg, path, target, &rule))
		return 0;
	a->ret->rule = rule;
	return broker_refuse(a, EACCES, BROKER_BY_LINK, path);
}

/* The same by the name that the object has now: links that the host has made may be on
 * the way. */
static int ask_physical(struct broker_act *a, const char *path, const char *target)
{
	const struct broker_caller nobody = { .until = a->c->by.until };
	struct broker_spot s;
	int r = broker_resolve(&a->b->trees, &nobody, NULL, target, BROKER_WALK_FOLLOW,
			       &s);

	if (r != 0)
		return r == BROKER_TOO_LATE ? r : 0;
	r = s.object >= 0 && strcmp(s.path, target) != 0 ? ask(a, path, s.path) : 0;
	broker_spot_release(&s);
	return r;
}

int broker_may_lead(struct broker_act *a, const char *path, const char *text)
{
	const size_t cap = strlen(path) + strlen(text) + 2;
	AUTO_FREE char *target = NULL;
	bool known;
	int r;

	if (!a->b->rules.allows_link)
		return 0;
	target = malloc(cap);
	known = target && place_of_link(path, text, target, cap);
	r = ask(a, path, known ? target : NULL);
	return r == 0 && known ? ask_physical(a, path, target) : r;
}

int broker_may_lead_as(struct broker_act *a, const char *path, int fd, const char *name)
{
	char *text = a->b->work->text;
	ssize_t n;

	if (!a->b->rules.allows_link)
		return 0;
	n = readlinkat(fd, name, text, PATH_MAX);
	if (n < 0)
		return -errno;
	if (n >= PATH_MAX)
		return -ENAMETOOLONG;
	text[n] = '\0';
	return broker_may_lead(a, path, text);
}
