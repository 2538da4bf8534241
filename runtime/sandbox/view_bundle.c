/* Makes the view of a bundle: finds its anchors under this run's roots and asks its
 * rules for decisions. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/decide/near.h"
#include "runtime/sandbox/sandbox.h"
#include "runtime/sandbox/view.h"
#include "runtime/sandbox/view_answer.h"
#include "runtime/sandbox/view_host.h"

struct asker {
	const struct decide_ctx *c;
	struct decide_near near;
};

static void bundle_decide(void *arg, const char *path, struct view_answers *ret)
{
	struct asker *asker = arg;
	const struct decision *d = decide_file_each(asker->c, &asker->near, path);

	_Static_assert(VIEW_OPS == DECIDE_FILE_OPS, "the same operations");
	for (size_t i = 0; i < VIEW_OPS; i++) {
		ret->answer[i] = (uint8_t)view_answer_of(asker->c, &d[i]);
		ret->rule[i] = d[i].rule;
	}
}

static enum view_answer bundle_decide_socket(void *arg, const char *path, uint32_t *ret_rule)
{
	const struct asker *asker = arg;
	struct decision d;
	const struct pb_rule *rule;

	decide_unix(asker->c, path, false, &d);
	*ret_rule = d.rule;
	if (d.effect == PB_ALLOW)
		return VIEW_ALLOW;
	rule = bundle_rule(asker->c->b, d.rule);
	return rule && rule->kind == PB_UNIX ? VIEW_DENY : VIEW_OTHERWISE;
}

static bool is_library(const struct bundle *b, uint32_t rule)
{
	const struct pb_rule *r = bundle_rule(b, rule);

	return r && r->level == PB_DEFAULT;
}

/*
 * What std/base allows below /run are the files to which /etc/resolv.conf may be a link.  The rule
 * shows none of them by itself: view_want() adds the one to which it is, where the run needs it.
 */
static bool is_for_resolv_conf(const struct view_anchor *a)
{
	return (a->flags & VIEW_AF_LIBRARY) && a->effect == PB_ALLOW && a->kind == PB_A_PATH &&
	       !(a->flags & PB_AF_SOCKET) && view_below(a->path, "/run");
}

static char *full_path(const struct sandbox_run *run, const struct pb_mounts *m,
		       const struct pb_anchor *a)
{
	const char *root = a->root < PB_ROOT_COUNT ? run->ctx.roots.dir[a->root] : NULL;
	size_t n, len = a->path.len;
	char *s;

	if (!root)
		return NULL;
	n = strcmp(root, "/") ? strlen(root) : 0;
	s = malloc(n + len + 2);
	if (!s)
		return NULL;
	memcpy(s, root, n);
	memcpy(s + n, pb_strp(m, a->path), len);
	s[n + len] = '\0';
	if (!s[0]) {
		s[0] = '/';
		s[1] = '\0';
	}
	return s;
}

static int make_mounts(const struct sandbox_run *run, struct view_mount **ret, size_t *ret_n)
{
	const struct pb_mounts *h = run->bundle->mounts;

	*ret_n = 0;
	*ret = calloc(h->mounts.count + 1, sizeof(**ret));
	for (uint32_t i = 0; *ret && i < h->mounts.count; i++) {
		const struct pb_mount *m = pb_at(h, h->mounts, sizeof(*m), i);
		const struct pb_anchor tree = { .root = m->root, .path = m->path };
		struct view_mount *v = &(*ret)[*ret_n];

		/* this run does not have that root: no such tree */
		if (!run->ctx.roots.dir[m->root])
			continue;
		v->rule = m->rule;
		v->host = full_path(run, h, &tree);
		v->place = strndup(pb_strp(h, m->place), m->place.len);
		++*ret_n;
		if (!v->host || !v->place)
			return -ENOMEM;
	}
	return *ret ? 0 : -ENOMEM;
}

static void free_mounts(struct view_mount *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(v[i].host);
		free(v[i].place);
	}
	free(v);
}

int sandbox_view_make(const struct sandbox_run *run, struct sandbox_view *ret,
		      struct rt_err *err)
{
	const struct pb_mounts *m = run->bundle->mounts;
	struct decide_ctx ctx = run->ctx;
	struct view_in in = { .prefix = "", .home = ctx.roots.dir[PB_ROOT_HOME],
			      .project = ctx.roots.dir[PB_ROOT_PROJECT],
			      .project_link = run->project_link,
			      .git_common = ctx.roots.dir[PB_ROOT_GIT],
			      .broker = run->want_listener,
			      .opens = run->want_listener && run->landlock_abi > 0,
			      .host_network = run->host_network,
			      .uid = run->uid, .foreign = run->root_run,
			      .remembered = run->remembered,
			      .is_own = run->is_own, .is_own_arg = run->is_own_arg,
			      .kept = run->kept, .nkept = run->nkept,
			      .nbelieved = run->nbelieved,
			      .mountinfo = "/proc/self/mountinfo",
			      .sockets = "/proc/self/net/unix",
			      .decide = bundle_decide,
			      .decide_socket = bundle_decide_socket,
			      .otherwise = run->bundle->rules->scalar_first +
					   PB_S_FILE_READ };
	struct view_mount *mounts = NULL;
	struct view_anchor *v;
	struct asker *asker;
	size_t n = 0;
	int r = 0;

	memset(ret, 0, sizeof(*ret));
	v = calloc(m->anchors.count + 1, sizeof(*v));
	asker = calloc(1, sizeof(*asker));
	if (!v || !asker) {
		free(v);
		free(asker);
		return rt_fail(err, ENOMEM, "no memory for the view");
	}
	asker->c = &ctx;
	in.arg = asker;
	for (uint32_t i = 0; i < m->anchors.count && r == 0; i++) {
		const struct pb_anchor *a = pb_at(m, m->anchors, sizeof(*a), i);

		v[n].kind = a->kind;
		v[n].root = a->root;
		v[n].ops = a->ops;
		v[n].effect = a->effect;
		v[n].flags = a->flags & (PB_AF_BELOW | PB_AF_SCRATCH | PB_AF_FLOOR |
					 PB_AF_SOCKET);
		if (is_library(run->bundle, a->rule))
			v[n].flags |= VIEW_AF_LIBRARY;
		v[n].rule = a->rule;
		if (a->kind != PB_A_ANY) {
			/* this run does not have that root: no such names */
			if (a->root >= PB_ROOT_COUNT || !ctx.roots.dir[a->root])
				continue;
			v[n].path = full_path(run, m, a);
			if (!v[n].path)
				r = rt_fail(err, ENOMEM, "no memory for the view");
			else if (is_for_resolv_conf(&v[n])) {
				free(v[n].path);
				continue;
			}
		}
		n++;
	}
	in.anchors = v;
	in.n = n;
	if (r == 0 && make_mounts(run, &mounts, &in.nmounts) < 0)
		r = rt_fail(err, ENOMEM, "no memory for the view");
	in.mounts = mounts;
	if (r == 0)
		r = view_make(&in, ret, err);
	free_mounts(mounts, in.nmounts);
	for (size_t i = 0; i < n; i++)
		free(v[i].path);
	free(v);
	free(asker);
	return r;
}
