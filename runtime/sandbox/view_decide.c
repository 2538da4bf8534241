/* Asks the rules about a place of the view: about everything below it, and by all names
 * of its object. */
#include "runtime/sandbox/view_decide.h"

#include <stdio.h>
#include <string.h>

#include "runtime/sandbox/view_names.h"

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
	/* what a wildcard takes away is decided by name */
	if (a == VIEW_DENY && op != PB_WRITE && host && b->in->opens &&
	    view_kept_by(b, path, path, op == PB_EXEC) != VIEW_NO_RULE)
		return VIEW_ALLOW;
	if (a != VIEW_ALLOW)
		*ret_rule = other;
	return a;
}

/* The question of view_decide_path(), or (op 0) whether a socket may be connected to. */
struct question {
	uint8_t op;
	bool dir, host;
};

static enum view_answer ask(const struct view_builder *b, const struct question *q,
			    const char *path, uint32_t *ret_rule)
{
	if (!q->op)
		return b->in->decide_socket(b->in->arg, path, ret_rule);
	return view_decide_path(b, q->op, path, q->dir, q->host, ret_rule);
}

/* The object also has the names by which rules reach it through links.  A deny of such
 * a name holds.  An allow holds if it is the rule that goes through the links, unless a
 * run may have made one of the links. */
static enum view_answer ask_all_names(const struct view_builder *b, const struct question *q,
				      const struct view_place *p, uint32_t *ret_rule)
{
	enum view_answer a = ask(b, q, p->path, ret_rule);
	const char *own = view_host_name(p);
	char other[8300];

	for (size_t i = 0; i < b->naliases && a != VIEW_DENY; i++) {
		const struct sandbox_alias *alias = &b->aliases[i];
		enum view_answer by_alias;
		uint32_t r = VIEW_NO_RULE;

		if (!view_at(own, alias->real))
			continue;
		(void)snprintf(other, sizeof(other), "%s%s", alias->path,
			       own + (alias->real[1] ? strlen(alias->real) : 0));
		by_alias = ask(b, q, other, &r);
		if (alias->lends ? by_alias == VIEW_ALLOW && a == VIEW_OTHERWISE &&
					   r == alias->rule :
				   by_alias == VIEW_DENY) {
			a = by_alias;
			*ret_rule = r;
		}
	}
	return a;
}

enum view_answer view_answer_at(const struct view_builder *b, uint8_t op,
				const struct view_place *p, bool dir, bool host,
				uint32_t *ret_rule)
{
	const struct question q = { op, dir, host };

	return ask_all_names(b, &q, p, ret_rule);
}

enum view_answer view_answer_socket(const struct view_builder *b,
				    const struct view_place *p, uint32_t *ret_rule)
{
	const struct question q = { 0, false, true };

	return b->in->decide_socket ? ask_all_names(b, &q, p, ret_rule) : VIEW_OTHERWISE;
}

bool view_decide(const struct view_builder *b, uint8_t op, const struct view_place *p,
		 bool dir, bool host, uint32_t *ret_rule)
{
	return view_answer_at(b, op, p, dir, host, ret_rule) == VIEW_ALLOW;
}
