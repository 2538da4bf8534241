/* The overlays of a staged run: which trees they are made of, and what is compared in them
 * before something is mounted there. */
#include <stdio.h>
#include <string.h>

#include "runtime/sandbox/plan_staged.h"
#include "runtime/sandbox/view_host.h"

uint32_t plan_rel(struct plan_build *b, const char *path, size_t len)
{
	return len > 1 ? plan_strn(b->p, path + 1, len - 1) : plan_str(b->p, ".");
}

void plan_open_layer(struct plan_build *b, size_t i)
{
	struct plan_staged *s = &b->staged[i];
	struct plan_op *op;

	if (!s->layer)
		return;
	op = plan_add(b->p, STEP_OPEN, PLAN_INIT);
	s->outer = b->slots++;
	op->fd = (int32_t)s->outer;
	op->v = s->layer->dev;
	op->w = s->layer->ino;
	op->path = plan_str(b->p, s->layer->path);
}

/* The host's tree in slot `i` becomes an overlay over it. */
void plan_overlay(struct plan_build *b, size_t i)
{
	const struct sandbox_node *n = &b->v->nodes[i];
	struct plan_staged *s = &b->staged[i];
	struct plan_op *op;
	char name[24];

	if (!s->layer)
		return;
	op = plan_add(b->p, STEP_OVERLAY, PLAN_INIT);
	(void)snprintf(name, sizeof(name), "%zu", i);
	op->path = plan_rel(b, n->path, strlen(n->path));
	op->other = plan_str(b->p, name);
	op->fd = (int32_t)i;
	op->aux = s->outer;
	if (b->given) {
		op->flags = PLAN_F_GIVEN;
		op->fd = b->given[i];
		op->aux = (uint32_t)b->given[b->v->n + (size_t)(s->layer - b->run->layers)];
	}
	op->v = i;
	op->w = s->lower = b->slots++;
}

bool plan_in_overlay(const struct plan_build *b, size_t i)
{
	return b->parent[i] >= 0 && b->staged[b->parent[i]].layer;
}

/* Before the operation that mounts on the node's name: in a staged tree. */
void plan_check_below(struct plan_build *b, size_t i)
{
	const struct sandbox_node *n = &b->v->nodes[i];
	int up = b->parent[i];
	struct plan_op *op;

	if (!plan_in_overlay(b, i) || n->soft)
		return;
	op = plan_add(b->p, STEP_OVERLAY_CHECK, PLAN_INIT);
	op->fd = (int32_t)b->staged[up].lower;
	op->other = plan_str(b->p, n->path + strlen(b->v->nodes[up].path) + 1);
	op->v = n->at_dev;
	op->w = n->at_ino;
}

/* A staged run must not see the layers of its overlays, nor what other runs have staged. */
void plan_hide_stages(struct plan_build *b)
{
	const char *stages = b->run->nlayers ? b->run->stages : NULL;

	for (size_t i = 0; stages && i < b->v->n; i++) {
		const struct sandbox_node *n = &b->v->nodes[i];
		const char *top = n->source ? n->source : n->path;
		char inside[4200];

		if (b->ground[i] != GROUND_HOST || n->noted || !(n->ops & PB_READ) ||
		    !view_below(stages, top))
			continue;
		(void)snprintf(inside, sizeof(inside), "%s%s", n->path[1] ? n->path : "",
			       stages + (top[1] ? strlen(top) : 0));
		if (sandbox_view_find(b->v, inside) == n)
			plan_add_at(b->p, STEP_HIDE_DIR, inside + 1, "d", PLAN_F_MAYBE);
	}
}

