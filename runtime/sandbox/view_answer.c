/* Decides about one path of the host by its name, with the rules that reach it through
 * links. */
#include "runtime/sandbox/view_answer.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "runtime/sandbox/view_host.h"

/* Does a rule other than a scratch rule allow it too?  A decision lists a limited
 * number of rules; if none of those allows it, the answer is no. */
static bool allowed_anywhere(const struct decide_ctx *c, const struct decision *d)
{
	for (uint32_t i = 0; i < d->nmatched && i < DECIDE_MAX_MATCHED; i++) {
		const struct pb_rule *r = bundle_rule(c->b, d->matched[i]);

		if (r && r->kind == PB_FILE && r->effect == PB_ALLOW &&
		    !(r->flags & PB_F_SCRATCH))
			return true;
	}
	return false;
}

enum view_answer view_answer_of(const struct decide_ctx *c, const struct decision *d)
{
	const struct pb_rule *rule = bundle_rule(c->b, d->rule);

	if (d->effect == PB_ALLOW)
		return rule && (rule->flags & PB_F_SCRATCH) && !allowed_anywhere(c, d) ?
			       VIEW_OWN : VIEW_ALLOW;
	return rule && rule->kind == PB_FILE ? VIEW_DENY : VIEW_OTHERWISE;
}

/* Is it std/base or the floor alone that denies it?  If not all rules that matched are listed, it is not. */
static bool denied_by_library(const struct decide_ctx *c, const struct decision *d)
{
	for (uint32_t i = 0; i < d->nmatched && i < DECIDE_MAX_MATCHED; i++) {
		const struct pb_rule *r = bundle_rule(c->b, d->matched[i]);

		if (!r || (r->effect != PB_ALLOW && r->level != PB_DEFAULT))
			return false;
	}
	return d->nmatched && d->nmatched <= DECIDE_MAX_MATCHED;
}

/* A name in a private tree, which the library keeps: its rules are about the host's file. */
static bool is_own_after_all(const struct decide_ctx *c, uint8_t op, const char *path)
{
	struct decision d;

	decide_file(c, op, path, &d);
	return denied_by_library(c, &d);
}

static enum view_answer ask(const struct decide_ctx *c, uint8_t op, const char *path,
			    uint32_t *ret_rule)
{
	struct decision d;

	decide_file(c, op, path, &d);
	*ret_rule = d.rule;
	return view_answer_of(c, &d);
}

static enum view_answer ask_near(const struct decide_ctx *c, struct decide_near *near, uint8_t op,
				 const char *path, uint32_t *ret_rule)
{
	const struct decision *d;

	if (!near)
		return ask(c, op, path, ret_rule);
	d = decide_file_each(c, near, path) + (op == PB_READ ? 0 : op == PB_WRITE ? 1 : 2);
	*ret_rule = d->rule;
	return view_answer_of(c, d);
}

static bool is_kept(const struct sandbox_view *view, const char *path, uint32_t *ret_rule)
{
	for (size_t i = 0; i < view->ndenied; i++) {
		const struct sandbox_denied *d = &view->denied[i];

		if (d->below ? view_at(path, d->path) : strcmp(path, d->path) == 0) {
			*ret_rule = d->rule;
			return true;
		}
	}
	return false;
}

/* The name of the floor that the path is, or lies below, and that a run may make. */
static const char *creatable(const struct sandbox_view *view, const char *path)
{
	for (size_t i = 0; i < view->ncreatable; i++)
		if (view_at(path, view->creatable[i].path))
			return view->creatable[i].path;
	return NULL;
}

/* Who may write the directory of such a name may make the name. */
static bool may_make(const struct decide_ctx *c, const char *name, uint32_t denied_by)
{
	char dir[PATH_MAX];
	uint32_t rule;

	(void)snprintf(dir, sizeof(dir), "%.*s", (int)(strrchr(name, '/') - name), name);
	return bundle_is_floor(c->b, denied_by) && ask(c, PB_WRITE, dir, &rule) == VIEW_ALLOW;
}

bool view_allows_name(const struct decide_ctx *c, const struct sandbox_view *view,
		      uint8_t op, const char *path, uint32_t *ret_rule)
{
	return view_allows_near(c, view, NULL, op, path, ret_rule);
}

bool view_allows_near(const struct decide_ctx *c, const struct sandbox_view *view,
		      struct decide_near *near, uint8_t op, const char *path,
		      uint32_t *ret_rule)
{
	char host[PATH_MAX], other[2 * PATH_MAX];
	const bool own = sandbox_view_owns(view, path);
	enum view_answer a;
	const char *made;

	*ret_rule = UINT32_MAX;
	path = sandbox_view_host(view, path, host, sizeof(host));
	if (!path)
		return false;
	made = op == PB_WRITE ? creatable(view, path) : NULL;
	if (op == PB_WRITE && !made && is_kept(view, path, ret_rule))
		return false;
	a = ask_near(c, near, op, path, ret_rule);
	if (own && a == VIEW_DENY && is_own_after_all(c, op, path))
		a = VIEW_OWN;
	for (size_t i = 0; i < view->naliases && a != VIEW_DENY; i++) {
		const struct sandbox_alias *alias = &view->aliases[i];
		enum view_answer by_alias;
		uint32_t r;

		if (!view_at(path, alias->real))
			continue;
		if (snprintf(other, sizeof(other), "%s%s", alias->path,
			     path + (alias->real[1] ? strlen(alias->real) : 0)) >=
		    (int)sizeof(other)) {
			/* what a rule says of a name that is not looked at may be no */
			if (!alias->lends) {
				a = VIEW_DENY;
				*ret_rule = alias->rule;
			}
			continue;
		}
		by_alias = ask(c, op, other, &r);
		if (alias->lends ? by_alias == VIEW_ALLOW && a == VIEW_OTHERWISE &&
					   r == alias->rule :
				   by_alias == VIEW_DENY) {
			a = by_alias;
			*ret_rule = r;
		}
	}
	return a == VIEW_ALLOW || (a == VIEW_OWN && own) ||
	       (a == VIEW_DENY && made && may_make(c, made, *ret_rule));
}

bool view_denies_name(const struct decide_ctx *c, const struct sandbox_view *view, uint8_t op,
		      const char *name, uint32_t *ret_rule)
{
	char host[PATH_MAX];

	*ret_rule = UINT32_MAX;
	name = sandbox_view_host(view, name, host, sizeof(host));
	return !name || ask(c, op, name, ret_rule) == VIEW_DENY;
}

bool view_allows_socket(const struct decide_ctx *c, const struct sandbox_view *view,
			const char *path, uint32_t *ret_rule)
{
	char host[PATH_MAX];
	struct decision d;

	decide_unix(c, sandbox_view_host(view, path, host, sizeof(host)), false, &d);
	*ret_rule = d.rule;
	return d.effect == PB_ALLOW;
}

/* --- links ----------------------------------------------------------------------------- */

/* What is kept from every run below the name, or is reached through links that lead below
 * it: a link in its place would take it away. */
static bool holds_kept(const struct sandbox_view *view, const char *path, uint32_t *ret_rule)
{
	for (size_t i = 0; i < view->ndenied; i++)
		if (view_below(view->denied[i].path, path)) {
			*ret_rule = view->denied[i].rule;
			return true;
		}
	for (size_t i = 0; i < view->naliases; i++)
		if (view_below(view->aliases[i].real, path)) {
			*ret_rule = view->aliases[i].rule;
			return true;
		}
	return false;
}

/* Is the tree of a mount shown below it? */
static bool holds_mount(const struct sandbox_view *view, const char *path)
{
	for (size_t i = 0; i < view->n; i++)
		if (view->nodes[i].source && view_below(view->nodes[i].path, path))
			return true;
	return false;
}

/* Can a name there or below it be written because a rule names it by a link? */
static bool is_lent(const struct decide_ctx *c, const struct sandbox_view *view,
		    const char *path)
{
	for (size_t i = 0; i < view->naliases; i++) {
		const struct sandbox_alias *alias = &view->aliases[i];
		const struct pb_rule *r = bundle_rule(c->b, alias->rule);

		if (alias->lends && (!r || (r->ops & PB_WRITE)) &&
		    (view_at(path, alias->real) || view_below(alias->real, path)))
			return true;
	}
	return false;
}

bool view_allows_link(const struct decide_ctx *c, const struct sandbox_view *view,
		      const char *path, const char *target, void *room, uint32_t *ret_rule)
{
	char host[PATH_MAX], host_to[PATH_MAX], other[2 * PATH_MAX];
	bool otherwise;

	*ret_rule = UINT32_MAX;
	if (holds_mount(view, path))
		return false;
	path = sandbox_view_host(view, path, host, sizeof(host));
	if (!path || holds_kept(view, path, ret_rule))
		return false;
	if (target)
		target = holds_mount(view, target) ? NULL :
			 sandbox_view_host(view, target, host_to, sizeof(host_to));
	otherwise = target && !is_lent(c, view, target);
	if (decide_link_opens(c, path, target, otherwise, room, ret_rule))
		return false;
	for (size_t i = 0; i < view->naliases; i++) {
		const struct sandbox_alias *alias = &view->aliases[i];

		if (!view_at(path, alias->real))
			continue;
		if (snprintf(other, sizeof(other), "%s%s", alias->path,
			     path + (alias->real[1] ? strlen(alias->real) : 0)) >=
			    (int)sizeof(other) ||
		    decide_link_opens(c, other, target, otherwise, room, ret_rule))
			return false;
	}
	return true;
}
