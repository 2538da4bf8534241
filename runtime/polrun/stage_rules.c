/* Makes of a record as much of the run's view as decides about a name. */
#include "runtime/polrun/stage_rules.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/place.h"
#include "runtime/sandbox/sandbox.h"
#include "runtime/sandbox/view_answer.h"

static char *borrowed(const char *s)
{
	return (char *)(uintptr_t)s;
}

static int add_trees(struct stage_rules *to, struct rt_err *err)
{
	const struct stage_record *r = &to->stage->rec;
	int e = 0;

	repos_outside_init(&to->repos, &to->stage->ctx);
	for (size_t i = 0; i < r->ntrees && e == 0; i++)
		e = repos_outside_add(&to->repos, r->tree[i].path, r->tree[i].top);
	return e < 0 ? rt_fail_errno(err, -e, "the trees of the staged run") : 0;
}

int stage_rules_make(const struct stage *s, struct stage_rules *ret, struct rt_err *err)
{
	const struct stage_record *r = &s->rec;
	struct sandbox_view *v = &ret->view;

	*ret = (struct stage_rules){ .stage = s };
	v->creatable = calloc(r->nmade + 1, sizeof(*v->creatable));
	v->aliases = calloc(r->nalias + 1, sizeof(*v->aliases));
	v->denied = calloc(r->nclosed + 1, sizeof(*v->denied));
	ret->room = calloc(1, DECIDE_LINK_ROOM);
	if (!v->creatable || !v->aliases || !v->denied || !ret->room) {
		stage_rules_release(ret);
		return rt_fail(err, ENOMEM, "out of memory");
	}
	for (size_t i = 0; i < r->nmade; i++) {
		v->creatable[i].path = borrowed(r->made[i].path);
		v->creatable[i].rule = r->made[i].rule;
	}
	for (size_t i = 0; i < r->nalias; i++)
		v->aliases[i] = (struct sandbox_alias){
			.path = borrowed(r->alias[i].path), .real = borrowed(r->alias[i].real),
			.rule = r->alias[i].rule, .lends = r->alias[i].lends,
		};
	for (size_t i = 0; i < r->nclosed; i++)
		v->denied[i] = (struct sandbox_denied){ .path = borrowed(r->closed[i]),
							.rule = UINT32_MAX, .below = true };
	v->ndenied = r->nclosed;
	v->ncreatable = r->nmade;
	v->naliases = r->nalias;
	return add_trees(ret, err);
}

void stage_rules_release(struct stage_rules *r)
{
	sandbox_view_release(&r->now);
	free(r->view.creatable);
	free(r->view.aliases);
	free(r->view.denied);
	free(r->room);
	repos_outside_release(&r->repos);
	memset(r, 0, sizeof(*r));
}

void stage_rules_placed(struct stage_rules *r, const struct stage_entry *e)
{
	if (e->path[0] && S_ISDIR(e->now.mode))
		repos_outside_note(&r->repos, r->stage->rec.tree[e->tree].top, e->path);
}

/* Has an earlier commit of this stage made it?  What it has made there, the rest of the stage may fill. */
static bool is_own(void *stage, const char *path)
{
	const struct stage *s = stage;

	for (unsigned i = 0; i < s->rec.ntrees; i++) {
		const char *host = s->rec.tree[i].host;

		if (place_is_below(path, host) && path[strlen(host)] == '/' &&
		    stage_record_is_done(&s->rec, i, path + strlen(host) + 1) &&
		    !stage_base_find(&s->base, i, path + strlen(host) + 1))
			return true;
	}
	return false;
}

int stage_rules_look(struct stage_rules *r, const char *state, struct rt_err *err)
{
	const struct stage *s = r->stage;
	const char *project = s->ctx.roots.dir[PB_ROOT_PROJECT];
	/* no process runs in this view: nothing is refused for what this kernel lacks */
	const struct sandbox_run run = {
		.bundle = (struct bundle *)(uintptr_t)&s->bundle, .ctx = s->ctx, .cwd = project,
		.remembered = state, .is_own = is_own, .is_own_arg = (void *)(uintptr_t)s,
		.uid = getuid(), .gid = getgid(), .want_listener = true, .landlock_abi = 1,
	};
	int e = project ? sandbox_view_make(&run, &r->now, err) :
			  rt_fail(err, EBADMSG, "the record of the staged run names no project");

	sandbox_view_close(&r->now);
	r->looked = e == 0;
	return e;
}

/* What may be made although the floor denies it, may be because of the rule that lets its
 * directory be written: that one is shown. */
static void show_allow(const struct stage_rules *r, const char *path, uint32_t *rule)
{
	for (size_t i = 0; i < r->view.ncreatable; i++) {
		const char *made = r->view.creatable[i].path;
		char dir[PATH_MAX];
		struct decision d;

		if (!place_is_below(path, made) || strlen(made) >= sizeof(dir))
			continue;
		memcpy(dir, made, strlen(made) + 1);
		*strrchr(dir, '/') = '\0';
		decide_file(&r->stage->ctx, PB_WRITE, dir[0] ? dir : "/", &d);
		if (d.effect == PB_ALLOW)
			*rule = d.rule;
		return;
	}
}

/* The view of now.  What was absent when the run began, and may be made, is decided by whose it is
 * (repos_outside.h): it need not be absent any more. */
static struct sandbox_view asked_now(const struct stage_rules *r)
{
	struct sandbox_view v = r->now;

	v.creatable = r->view.creatable;
	v.ncreatable = r->view.ncreatable;
	return v;
}

bool stage_rules_allow(void *rules, const char *path, uint32_t *ret_rule)
{
	const struct stage_rules *r = rules;
	const struct sandbox_view now = asked_now(r);
	uint32_t by_now;

	if (!view_allows_name(&r->stage->ctx, &r->view, PB_WRITE, path, ret_rule) ||
	    repos_outside_keep(&r->repos, path, ret_rule))
		return false;
	if (!r->looked || !view_allows_name(&r->stage->ctx, &now, PB_WRITE, path, &by_now)) {
		*ret_rule = r->looked ? by_now : UINT32_MAX;
		return false;
	}
	if (bundle_is_floor(r->stage->ctx.b, *ret_rule))
		show_allow(r, path, ret_rule);
	return true;
}

static bool allows_target(const struct stage_rules *r, const struct sandbox_view *now, const char *path,
			  const char *target, uint32_t *ret_rule)
{
	const struct decide_ctx *c = &r->stage->ctx;

	return view_allows_link(c, &r->view, path, target, r->room, ret_rule) &&
	       view_allows_link(c, now, path, target, r->room, ret_rule);
}

/* Asked for where the text leads, and for where that is by now. */
bool stage_rules_allow_link(void *rules, const char *path, const char *text, uint32_t *ret_rule)
{
	const struct stage_rules *r = rules;
	const struct sandbox_view now = asked_now(r);
	char target[PATH_MAX], real[PATH_MAX];
	bool known = place_of_link(path, text, target, sizeof(target));

	if (!allows_target(r, &now, path, known ? target : NULL, ret_rule))
		return false;
	return !known || place_physical(target, real) < 0 || strcmp(real, target) == 0 ||
	       allows_target(r, &now, path, real, ret_rule);
}
