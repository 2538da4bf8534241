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
	/* where popd goes to */
	if (n == 8 && memcmp(name, "DIRSTACK", 8) == 0)
		cmd_lose(c->scope->env);
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
		cmd_lose(e);
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

void cmd_lose(struct cmd_proc *e)
{
	e->dirs_unknown = e->dirs_lost = true;
}

/* Adds where the path leads from each of the directories. */
static bool add_target(struct cmd_an *a, struct cmd_proc *e, const char *p, size_t n, bool home)
{
	const struct cmd_dir *d, *was = e->dirs;
	char buf[4096];

	if (home && e->home_changed) {
		cmd_lose(e);
		return true;
	}
	/* a ".." may lead elsewhere, or where the text says: keep both */
	for (d = was; d; d = d->next) {
		if (!cmd_resolve(a->world, d->path, p, n, home, buf, sizeof(buf)))
			e->dirs_unknown = true;
		if (!cmd_resolve_loosely(a->world, d->path, p, n, home, buf, sizeof(buf)))
			cmd_lose(e);
		else if (!add_dir(a, e, buf))
			return false;
	}
	return true;
}

bool cmd_go(struct cmd_an *a, const struct cmd_ctx *c, const char *p, size_t n, bool home)
{
	struct cmd_proc *e = c->scope->env;

	/* in a loop only the first turn surely starts in a directory that is known */
	if (c->anytime && !home && (!n || p[0] != '/'))
		cmd_lose(e);
	return add_target(a, e, p, n, home);
}

/* --- options that take the program elsewhere ------------------------------------------------ */

static bool move_by(struct cmd_an *a, struct cmd_part *p, const struct cmd_option *o,
		    struct cmd_proc *e)
{
	struct cmd_word value = { .w = o->value_word ? p->words[o->value_word].w : NULL };
	const char *text = o->value;
	size_t n = o->value_n, at = 0;
	bool home = false;

	cmd_node(p)->moved = true;
	if (!text && !o->value_open && value.w &&
	    (sh_is_literal(value.w) || value.w->seg.kind == SH_HOME))
		(void)cmd_path_text(&value, false, &at, &text, &n, &home);
	if (!text) {
		cmd_lose(e);
		return true;
	}
	return add_target(a, e, text, n, home);
}

bool cmd_move(struct cmd_an *a, struct cmd_part *p)
{
	struct cmd_proc e = *cmd_node(p)->env;

	/* the option is one of a program's, or takes a wrapper's command elsewhere */
	if (!p->program || ((p->program->kinds & LINE_PK_WRAPPER) && !p->program->base))
		return true;
	e.dirs_unknown |= p->dirs_unknown;
	e.dirs_lost |= p->dirs_lost;
	for (const struct cmd_option *o = p->options; o; o = o->next)
		if (o->known && (o->known->flags & LINE_OF_MOVES) &&
		    (o->value || o->value_open || o->value_word) && !move_by(a, p, o, &e))
			return false;
	if (!cmd_node(p)->moved)
		return true;
	p->dirs_unknown = e.dirs_unknown;
	p->dirs_lost = e.dirs_lost;
	p->near = e.dirs;
	p->dirs = p->dirs_unknown ? NULL : e.dirs;
	return true;
}
