/*
 * Memory and parts; and what a shell process does to all of its parts: variables and
 * names that the text changes, and directories that it changes to.
 */
#include "runtime/line/cmd.h"

void *cmd_alloc(struct cmd_an *a, size_t n)
{
	char *p = a->mem;

	n = (n + 7) & ~(size_t)7;
	if (__builtin_expect((size_t)(a->mem_end - a->mem) < n, 0)) {
		if (!a->ret->limit)
			a->ret->memory_short = true;
		cmd_limit(a, "the line needs more memory than there is");
		return NULL;
	}
	a->mem += n;
	return p;
}

bool cmd_limit(struct cmd_an *a, const char *why)
{
	if (!a->ret->limit) {
		a->ret->limit = true;
		a->ret->why = why;
	}
	return false;
}

bool cmd_work(struct cmd_an *a, size_t n)
{
	if (a->work < n)
		return cmd_limit(a, "the line nests too much");
	a->work -= n;
	return true;
}

void cmd_opaque(struct cmd_part *p, const char *why)
{
	p->flags |= CMD_OPAQUE;
	if (!p->opaque)
		p->opaque = why;
}

void cmd_no_allow(struct cmd_part *p, const char *why)
{
	p->flags |= CMD_VOID;
	if (!p->no_allow)
		p->no_allow = why;
}

struct cmd_part *cmd_part_new(struct cmd_an *a, const struct cmd_ctx *c, enum cmd_kind kind)
{
	const struct cmd_proc *e = c->scope->env;
	struct cmd_node *n = cmd_alloc(a, sizeof(*n));
	struct cmd_part *p;

	if (!n)
		return NULL;
	if (a->ret->nparts == CMD_MAX_PARTS) {
		cmd_limit(a, "the line runs too many commands");
		return NULL;
	}
	*n = (struct cmd_node){ .env = e, .number = a->number, .anytime = c->anytime,
				.beside = c->beside, .pipe = c->pipe, .handed_on = c->handed_on };
	p = &n->part;
	p->kind = (uint8_t)kind;
	p->outer = c->outer;
	p->shell = c->remote ? c->remote : c->scope->shell;
	p->dirs_unknown = e->dirs_unknown || c->moved;
	p->dirs_lost = e->dirs_lost || c->moved;
	p->root_lost = c->moved;
	p->dirs = p->dirs_unknown ? NULL : e->dirs;
	p->near = e->dirs;
	p->from = c->from;
	p->to = c->to;
	p->rule = UINT32_MAX;
	p->flags = (c->alternative ? (uint32_t)CMD_ALTERNATIVE : 0) |
		   (c->appends && kind == CMD_COMMAND ? (uint32_t)CMD_APPENDS : 0) |
		   (c->remote ? (uint32_t)CMD_REMOTE : 0);
	if (c->opaque)
		cmd_opaque(p, c->opaque);
	if (c->no_allow)
		cmd_no_allow(p, c->no_allow);
	if (e->taint && kind == CMD_COMMAND) {
		cmd_opaque(p, e->taint);
		cmd_no_allow(p, e->taint);
	}
	if (e->exported && kind == CMD_COMMAND)
		cmd_no_allow(p, e->exported);
	*a->tail = p;
	a->tail = &p->next;
	a->ret->nparts++;
	return p;
}

struct cmd_name **cmd_names(const struct cmd_proc *e, const char *p, size_t n)
{
	uint32_t h = 5381;

	if (!e->names)
		return NULL;
	for (size_t i = 0; i < n && i < 64; i++)
		h = h * 33 + (unsigned char)p[i];
	return &e->names[h % CMD_NAMES];
}

static bool is_defined(const struct cmd_proc *e, const struct cmd_part *p)
{
	const struct sh_word *w = p->words[0].w;
	struct cmd_name **list, *d;

	/* a word that is not literal may be any name */
	if (e->names_all || !sh_is_literal(w))
		return true;
	list = cmd_names(e, w->seg.p, w->seg.n);
	for (d = list ? *list : NULL; d; d = d->next)
		if (d->n == w->seg.n && memcmp(d->p, w->seg.p, d->n) == 0)
			return true;
	return false;
}

void cmd_proc_end(struct cmd_proc *e)
{
	bool moved = e->dirs != e->began || e->dirs_unknown;
	struct cmd_part *p;

	if (!e->taint && !e->exported && !e->names && !e->names_all && !moved)
		return;
	for (p = *e->first; p; p = p->next) {
		struct cmd_node *n = cmd_node(p);

		if (moved && n->anytime) {
			/* for a process that this one starts, the two lists differ */
			p->dirs_unknown |= e->dirs_unknown || n->env != e || n->moved;
			p->dirs_lost |= e->dirs_lost || n->env != e || n->moved;
			p->dirs = p->dirs_unknown ? NULL : e->dirs;
			p->near = n->env == e ? e->dirs : p->near;
		}
		if (p->kind != CMD_COMMAND)
			continue;
		if (e->taint && (e->taint_all || n->anytime)) {
			cmd_opaque(p, e->taint);
			cmd_no_allow(p, e->taint);
		}
		if (e->exported && (e->exported_all || n->anytime))
			cmd_no_allow(p, e->exported);
		if ((e->names || e->names_all) && is_defined(e, p))
			cmd_no_allow(p, "the line gives its name another meaning");
	}
}
