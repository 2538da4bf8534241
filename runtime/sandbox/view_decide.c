/* Asks the rules about a place of the view: about everything below it, and by all names
 * of its object. */
#include "runtime/sandbox/view_decide.h"

#include <stdio.h>
#include <string.h>

#include "runtime/sandbox/view_names.h"

/* A name below a directory, that no rule knows. */
#define BELOW "/.\x01"

/* A scratch rule is about the run's own files.  It opens nothing of the host, such as a
 * read-only project below a scratch ${HOME}. */
static void drop_own(const struct view_in *in, bool host, struct view_answers *a)
{
	for (unsigned i = 0; i < VIEW_OPS; i++) {
		if (a->answer[i] != VIEW_OWN)
			continue;
		a->answer[i] = host ? VIEW_OTHERWISE : VIEW_ALLOW;
		if (host)
			a->rule[i] = in->otherwise + i;
	}
}

static void ask_at(const struct view_builder *b, const char *path, struct view_said *said)
{
	if (!said->at)
		b->in->decide(b->in->arg, path, &said->at_path);
	said->at = true;
}

/* False: the name is too long. */
static bool ask_below(const struct view_builder *b, const char *path, struct view_said *said)
{
	const size_t len = path[1] ? strlen(path) : 0;
	char below[4200];

	if (said->below)
		return true;
	if (len + sizeof(BELOW) > sizeof(below))
		return false;
	memcpy(below, path, len);
	memcpy(below + len, BELOW, sizeof(BELOW));
	b->in->decide(b->in->arg, below, &said->below_path);
	return said->below = true;
}

/* At a directory an allow with a wildcard may match the name but nothing under it. */
static void hold_below(const struct view_builder *b, const char *path, bool host,
		       const struct view_answers *below, struct view_answers *ret)
{
	for (int i = 0; i < VIEW_OPS; i++) {
		if (ret->answer[i] != VIEW_ALLOW || below->answer[i] == VIEW_ALLOW)
			continue;
		/* what a wildcard takes away is decided by name */
		if (below->answer[i] == VIEW_DENY && i != VIEW_WRITE && host && b->in->opens &&
		    view_kept_by(b, path, path, i == VIEW_EXEC) != VIEW_NO_RULE)
			continue;
		ret->answer[i] = below->answer[i];
		ret->rule[i] = below->rule[i];
	}
}

static bool allows_any(const struct view_answers *a)
{
	return a->answer[VIEW_READ] == VIEW_ALLOW || a->answer[VIEW_WRITE] == VIEW_ALLOW ||
	       a->answer[VIEW_EXEC] == VIEW_ALLOW;
}

static void decide(const struct view_builder *b, const char *path, struct view_said *said,
		   bool dir, bool host, struct view_answers *ret)
{
	struct view_answers below;

	ask_at(b, path, said);
	*ret = said->at_path;
	drop_own(b->in, host, ret);
	if (!dir || !allows_any(ret))
		return;
	if (!ask_below(b, path, said)) {
		for (int i = 0; i < VIEW_OPS; i++)
			if (ret->answer[i] == VIEW_ALLOW)
				ret->answer[i] = VIEW_OTHERWISE;
		return;
	}
	below = said->below_path;
	drop_own(b->in, host, &below);
	hold_below(b, path, host, &below, ret);
}

void view_decide_path(const struct view_builder *b, const char *path, bool dir, bool host,
		      struct view_answers *ret)
{
	struct view_said said = { .at = false };

	decide(b, path, &said, dir, host, ret);
}

/* --- all names of an object -------------------------------------------------------------- */

/* The name that links give to the object whose name on the host is `own`. */
static bool name_by(const struct sandbox_alias *alias, const char *own, char ret[8300])
{
	if (!view_at(own, alias->real))
		return false;
	(void)snprintf(ret, 8300, "%s%s", alias->path,
		       own + (alias->real[1] ? strlen(alias->real) : 0));
	return true;
}

/* The object also has the names by which rules reach it through links.  A deny of such
 * a name holds.  An allow holds if it is the rule that goes through the links, unless a
 * run may have made one of the links. */
static bool counts(const struct sandbox_alias *alias, enum view_answer a, enum view_answer by,
		   uint32_t rule)
{
	return alias->lends ? by == VIEW_ALLOW && a == VIEW_OTHERWISE && rule == alias->rule :
			      by == VIEW_DENY && a != VIEW_DENY;
}

void view_answers_at(const struct view_builder *b, struct view_place *p, bool dir, bool host,
		     struct view_answers *ret)
{
	const char *own = view_host_name(p);
	char other[8300];

	decide(b, p->path, &p->said, dir, host, ret);
	for (size_t i = 0; i < b->naliases; i++) {
		struct view_answers by;

		if (!name_by(&b->aliases[i], own, other))
			continue;
		view_decide_path(b, other, dir, host, &by);
		for (int k = 0; k < VIEW_OPS; k++)
			if (counts(&b->aliases[i], ret->answer[k], by.answer[k], by.rule[k])) {
				ret->answer[k] = by.answer[k];
				ret->rule[k] = by.rule[k];
			}
	}
}

enum view_answer view_answer_socket(const struct view_builder *b,
				    const struct view_place *p, uint32_t *ret_rule)
{
	const struct view_in *in = b->in;
	enum view_answer a;
	char other[8300];

	if (!in->decide_socket)
		return VIEW_OTHERWISE;
	a = in->decide_socket(in->arg, p->path, ret_rule);
	for (size_t i = 0; i < b->naliases; i++) {
		enum view_answer by;
		uint32_t rule;

		if (!name_by(&b->aliases[i], view_host_name(p), other))
			continue;
		by = in->decide_socket(in->arg, other, &rule);
		if (counts(&b->aliases[i], a, by, rule)) {
			a = by;
			*ret_rule = rule;
		}
	}
	return a;
}
