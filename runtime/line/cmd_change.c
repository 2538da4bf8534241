/*
 * What the line changes in its shell: variables, the meaning of names, the directory.
 * Commands after it are judged with that.
 */
#include "runtime/line/cmd_change.h"
#include "runtime/line/cmd_facts.h"

/* --- variables and names ------------------------------------------------------------- */

void cmd_taint(const struct cmd_ctx *c, const char *why)
{
	struct cmd_proc *e = c->scope->env;

	if (!e->taint)
		e->taint = why;
	e->taint_all |= c->anytime;
}

void cmd_set(struct cmd_an *a, const struct cmd_ctx *c, const char *name, size_t n)
{
	if (n == 4 && memcmp(name, "HOME", 4) == 0)
		c->scope->env->home_changed = true;
	if (cmd_var(a->facts, name, n) == CMD_VAR_TAINT)
		cmd_taint(c, "a variable that changes what runs is set before it");
	if (c->scope->env->allexport)
		cmd_export(a, c, name, n);
}

void cmd_export(struct cmd_an *a, const struct cmd_ctx *c, const char *name, size_t n)
{
	struct cmd_proc *e = c->scope->env;

	if (!a->world->host || cmd_var(a->facts, name, n) != CMD_VAR_OTHER)
		return;
	if (!e->exported)
		e->exported = "a variable that no table calls safe is exported before it";
	e->exported_all |= c->anytime;
}

static bool same_path(const struct sh_word *a, const struct sh_word *b)
{
	if (!a || !b)
		return a == b;
	return sh_is_literal(a) && sh_is_literal(b) && a->seg.n == b->seg.n &&
	       memcmp(a->seg.p, b->seg.p, a->seg.n) == 0;
}

bool cmd_define(struct cmd_an *a, const struct cmd_ctx *c, const char *name, size_t n,
		const struct sh_word *path)
{
	struct cmd_proc *e = c->scope->env;
	struct cmd_name **list, *was, *d = cmd_alloc(a, sizeof(*d));

	if (!d)
		return false;
	if (!e->names) {
		e->names = cmd_alloc(a, sizeof(struct cmd_name *) * CMD_NAMES);
		if (!e->names)
			return false;
		memset(e->names, 0, sizeof(struct cmd_name *) * CMD_NAMES);
	}
	list = cmd_names(e, name, n);
	for (was = *list; was; was = was->next)
		if (was->n == n && memcmp(was->p, name, n) == 0 && same_path(was->path, path))
			return true;
	*d = (struct cmd_name){ .p = name, .n = (uint32_t)n, .path = path, .next = *list };
	*list = d;
	if (!path)
		return true;
	e->hashed = true;
	/* in a loop, what ran before it runs again after it */
	if (c->anytime)
		cmd_taint(c, "a name of a command stands for a path");
	return true;
}

void cmd_before(struct cmd_an *a, struct cmd_ctx *c, const char *name, size_t n)
{
	enum cmd_var is = cmd_var(a->facts, name, n);

	c->assigned |= is != CMD_VAR_SAFE;
	switch (is) {
	case CMD_VAR_TAINT:
		if (!c->opaque)
			c->opaque = "a variable before it changes what runs";
		if (!c->no_allow)
			c->no_allow = c->opaque;
		break;
	case CMD_VAR_OTHER:
		if (!c->no_allow && a->world->host)
			c->no_allow = "a variable before it that no table calls safe";
		break;
	case CMD_VAR_SAFE:
		break;
	}
}

/* --- directories --------------------------------------------------------------------------- */

static bool has_dir(const struct cmd_proc *e, const char *path)
{
	const struct cmd_dir *d;

	for (d = e->dirs; d; d = d->next)
		if (strcmp(d->path, path) == 0)
			return true;
	return false;
}

/* The following commands may also run in this directory. */
static bool add_dir(struct cmd_an *a, struct cmd_proc *e, const char *path)
{
	struct cmd_dir *d;
	size_t n = strlen(path) + 1;
	char *s;

	if (has_dir(e, path))
		return true;
	if (e->ndirs >= CMD_MAX_DIRS) {
		e->dirs_unknown = true;
		return true;
	}
	d = cmd_alloc(a, sizeof(*d));
	s = cmd_alloc(a, n);
	if (!d || !s)
		return false;
	memcpy(s, path, n);
	*d = (struct cmd_dir){ .path = s, .next = e->dirs };
	e->dirs = d;
	e->ndirs++;
	return true;
}

bool cmd_go(struct cmd_an *a, const struct cmd_ctx *c, const char *p, size_t n, bool home)
{
	struct cmd_proc *e = c->scope->env;
	const struct cmd_dir *d, *was = e->dirs;
	char buf[4096];

	if (home && e->home_changed) {
		e->dirs_unknown = true;
		return true;
	}
	/* in a loop only the first turn surely starts in a directory that is known */
	if (c->anytime && !home && (!n || p[0] != '/'))
		e->dirs_unknown = true;
	/* a ".." may lead elsewhere, or where the text says: keep both */
	for (d = was; d; d = d->next) {
		if (!cmd_resolve(a->world, d->path, p, n, home, buf, sizeof(buf)))
			e->dirs_unknown = true;
		if (cmd_resolve_loosely(a->world, d->path, p, n, home, buf, sizeof(buf)) &&
		    !add_dir(a, e, buf))
			return false;
	}
	return true;
}
