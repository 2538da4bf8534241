/* Asks the rules about a place of the view: about everything below it, and by all names
 * of its object. */
#include "runtime/sandbox/view_decide.h"

#include <stdio.h>
#include <string.h>

/* A scratch rule is about the run's own files.  It opens nothing of the host, such as a
 * read-only project below a scratch ${HOME}. */
static enum view_answer ask_rules(const struct view_in *in, uint8_t op, const char *path,
				  bool host, uint32_t *rule)
{
	enum view_answer a = in->decide(in->arg, op, path, rule);

	if (a != VIEW_OWN)
		return a;
	if (!host)
		return VIEW_ALLOW;
	*rule = in->otherwise + (op == PB_WRITE ? 1 : op == PB_EXEC ? 2 : 0);
	return VIEW_OTHERWISE;
}

/* At a directory an allow with a wildcard may match the name but nothing under it. */
enum view_answer view_decide_path(const struct view_builder *b, uint8_t op,
				  const char *path, bool dir, bool host, uint32_t *ret_rule)
{
	enum view_answer a = ask_rules(b->in, op, path, host, ret_rule);
	char below[4200];
	uint32_t other;

	if (a != VIEW_ALLOW || !dir)
		return a;
	if (snprintf(below, sizeof(below), "%s/.\x01", path[1] ? path : "") >=
	    (int)sizeof(below))
		return VIEW_OTHERWISE;
	a = ask_rules(b->in, op, below, host, &other);
	if (a != VIEW_ALLOW)
		*ret_rule = other;
	return a;
}

/* The object also has the names by which rules reach it through links.  A deny of such
 * a name holds.  An allow holds if it is the rule that goes through the links, unless a
 * run may have made one of the links. */
bool view_decide(const struct view_builder *b, uint8_t op, const struct view_place *p,
		 bool dir, bool host, uint32_t *ret_rule)
{
	enum view_answer a = view_decide_path(b, op, p->path, dir, host, ret_rule);
	const char *own = view_host_name(p);
	char other[8300];

	for (size_t i = 0; i < b->naliases && a != VIEW_DENY; i++) {
		const struct view_alias *alias = &b->aliases[i];
		enum view_answer by_alias;
		uint32_t r = VIEW_NO_RULE;

		if (!view_at(own, alias->real))
			continue;
		(void)snprintf(other, sizeof(other), "%s%s", alias->path,
			       own + (alias->real[1] ? strlen(alias->real) : 0));
		by_alias = view_decide_path(b, op, other, dir, host, &r);
		if (alias->lends ? by_alias == VIEW_ALLOW && a == VIEW_OTHERWISE &&
					   r == alias->rule :
				   by_alias == VIEW_DENY) {
			a = by_alias;
			*ret_rule = r;
		}
	}
	return a == VIEW_ALLOW;
}
