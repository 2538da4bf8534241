/* Which rules forbid more than they say on this host only: what is absent, and
 * what kind of file a name is, is known when a run starts. */
#include "runtime/cli/plan.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

static const char read_only[] =
	"here a name that is absent, or a link that a run could replace, makes the tree "
	"above it read-only";
static const char nothing[] =
	"here its name is absent, or neither a file nor a directory: an allow gives "
	"nothing";
static const char no_session[] =
	"no session has a directory in this version: its pattern matches nothing";

/* One entry for each statement, and none for what the compiler has said. */
static void put(struct plan_here *h, const struct bundle *b, uint32_t rule,
		const char *why)
{
	const struct pb_rule *r = bundle_rule(b, rule);

	if (!r || (r->exactness != PB_X_EXACT && r->exactness != PB_X_NONE))
		return;
	for (size_t i = 0; i < h->n; i++)
		if (plan_same_statement(b, h->v[i].rule, rule) && h->v[i].why == why)
			return;
	if (h->n < PLAN_MAX_HERE) {
		h->v[h->n].rule = rule;
		h->v[h->n++].why = why;
	}
}

/* No place of the view, and no link of it, comes of such a name. */
static bool gives_nothing(const struct sandbox_run *run, const struct pb_anchor *a)
{
	const struct pb_mounts *m = run->bundle->mounts;
	const struct pb_rule *r = bundle_rule(run->bundle, a->rule);
	const char *root = a->root < PB_ROOT_COUNT ? run->ctx.roots.dir[a->root] : NULL;
	char path[PATH_MAX];
	struct stat st;

	/* the library's names are those of every system: /lib32, /libx32 */
	if (!root || !r || r->level == PB_DEFAULT || a->root == PB_ROOT_TMP ||
	    a->kind != PB_A_PATH || a->effect != PB_ALLOW ||
	    (a->flags & PB_AF_SCRATCH) ||
	    (size_t)snprintf(path, sizeof(path), "%s%.*s", root[1] ? root : "",
			     (int)a->path.len, pb_strp(m, a->path)) >= sizeof(path))
		return false;
	if (strncmp(path, "/proc", 5) == 0 || strncmp(path, "/dev", 4) == 0)
		return false;
	return fstatat(AT_FDCWD, path[0] ? path : "/", &st, AT_NO_AUTOMOUNT) != 0 ||
	       !(S_ISDIR(st.st_mode) || S_ISREG(st.st_mode));
}

void plan_find_here(const struct sandbox_run *run, const struct sandbox_view *v,
		    struct plan_here *ret)
{
	const struct pb_mounts *m = run->bundle->mounts;

	ret->n = 0;
	for (size_t i = 0; i < v->n; i++)
		if (v->nodes[i].forced_ro)
			put(ret, run->bundle, v->nodes[i].forced_by, read_only);
	for (uint32_t i = 0; i < m->anchors.count; i++) {
		const struct pb_anchor *a = pb_at(m, m->anchors, sizeof(*a), i);

		if (gives_nothing(run, a))
			put(ret, run->bundle, a->rule, nothing);
		if (a->root == PB_ROOT_SESSION && !run->ctx.roots.dir[a->root])
			put(ret, run->bundle, a->rule, no_session);
	}
}
