/* Decides which rules of a bundle do not hold exactly as written, in every run and on
 * this host.  Which names are absent, and of what kind a file is, is known only when a
 * run starts. */
#include "runtime/polrun/exactness.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/sandbox/view_host.h"

static const char *const names[] = {
	[PB_X_NONE] = NULL,   [PB_X_EXACT] = NULL,
	[PB_X_OVER] = "over", [PB_X_UNDER] = "under",
	[PB_X_ENTRY_ONLY] = "entry only", [PB_X_ADVISORY] = "advisory",
};

const char *exactness_word(unsigned x)
{
	return x <= PB_X_ADVISORY ? names[x] : NULL;
}

/* --- statements ----------------------------------------------------------------------- */

bool exactness_same_statement(const struct bundle *b, uint32_t i, uint32_t k)
{
	const struct pb_rule *a = bundle_rule(b, i), *c = bundle_rule(b, k);

	if (!a || !c)
		return a == c;
	return a->line == c->line && a->id.len == c->id.len &&
	       memcmp(pb_strp(b->rules, a->id), pb_strp(b->rules, c->id), a->id.len) ==
		       0;
}

static bool is_first(const struct bundle *b, uint32_t i)
{
	const struct pb_rule *r = bundle_rule(b, i);

	for (uint32_t k = i; k-- > 0;) {
		const struct pb_rule *p = bundle_rule(b, k);

		if (!exactness_same_statement(b, k, i))
			return true; /* the rules of a statement are neighbours */
		if (p->exactness == r->exactness)
			return false;
	}
	return true;
}

bool exactness_is_first(const struct bundle *b, uint32_t i)
{
	return exactness_word(bundle_rule(b, i)->exactness) && is_first(b, i);
}

/* --- here ----------------------------------------------------------------------------- */

static const char read_only[] =
	"here a name that is absent, or a link that a run could replace, makes the tree "
	"above it read-only";
static const char creatable[] =
	"here it is absent at the start, and can be made";
static const char not_searched[] =
	"here it denies writing a directory that was not searched for links as a whole: what such "
	"a link leads to can be written by its own name";
static const char leads_around[] =
	"here a link that it denies writing leads to a directory around the link or the project, "
	"which can be written by its own name";
static const char nothing[] =
	"here its name is absent, or neither a file nor a directory: an allow gives "
	"nothing";
static const char no_socket[] =
	"here there is no socket of that name: an allow gives nothing";
static const char no_agent[] =
	"here SSH_AUTH_SOCK names no socket of the user's own: it gives nothing";
static const char no_session[] =
	"no session has a directory in this version: its pattern matches nothing";

/* Adds one entry per statement, unless the compiler has reported it already. */
static void put(struct exactness_here *h, const struct bundle *b, uint32_t rule, unsigned x,
		const char *why)
{
	const struct pb_rule *r = bundle_rule(b, rule);

	if (!r || (r->exactness != PB_X_EXACT && r->exactness != PB_X_NONE))
		return;
	for (size_t i = 0; i < h->n; i++)
		if (exactness_same_statement(b, h->v[i].rule, rule) && h->v[i].why == why)
			return;
	if (h->n < EXACTNESS_MAX_HERE) {
		h->v[h->n].rule = rule;
		h->v[h->n].x = x;
		h->v[h->n++].why = why;
	}
}

/* Why the name yields no place and no link of the view, or NULL. */
static const char *gives_nothing(const struct sandbox_run *run, const struct pb_anchor *a)
{
	const struct pb_mounts *m = run->bundle->mounts;
	const struct pb_rule *r = bundle_rule(run->bundle, a->rule);
	const char *root = a->root < PB_ROOT_COUNT ? run->ctx.roots.dir[a->root] : NULL;
	char path[PATH_MAX];
	struct stat st;

	/* the library's names are for all systems, such as /lib32 and /libx32 */
	if (!root || !r || r->level == PB_DEFAULT || a->root == PB_ROOT_TMP ||
	    a->kind != PB_A_PATH || a->effect != PB_ALLOW ||
	    (a->flags & PB_AF_SCRATCH) ||
	    (size_t)snprintf(path, sizeof(path), "%s%.*s", root[1] ? root : "",
			     (int)a->path.len, pb_strp(m, a->path)) >= sizeof(path))
		return NULL;
	if (view_is_system(path))
		return a->flags & PB_AF_SOCKET ? no_socket : NULL;
	if (fstatat(AT_FDCWD, path[0] ? path : "/", &st, AT_NO_AUTOMOUNT) != 0)
		return a->flags & PB_AF_SOCKET ? no_socket : nothing;
	if (a->flags & PB_AF_SOCKET)
		return S_ISSOCK(st.st_mode) ? NULL : no_socket;
	return S_ISDIR(st.st_mode) || S_ISREG(st.st_mode) ? NULL : nothing;
}

void exactness_find_here(const struct sandbox_run *run, const struct sandbox_view *v,
			 struct exactness_here *ret)
{
	const struct pb_mounts *m = run->bundle->mounts;

	ret->n = 0;
	for (size_t i = 0; i < v->n; i++)
		if (v->nodes[i].forced_ro)
			put(ret, run->bundle, v->nodes[i].forced_by, PB_X_OVER, read_only);
	for (size_t i = 0; i < v->ncreatable; i++)
		put(ret, run->bundle, v->creatable[i].rule, PB_X_UNDER, creatable);
	for (size_t i = 0; i < v->nunsearched; i++)
		put(ret, run->bundle, v->unsearched[i].rule, PB_X_UNDER,
		    v->unsearched[i].why == SANDBOX_NOT_SEARCHED ? not_searched : leads_around);
	for (uint32_t i = 0; i < m->anchors.count; i++) {
		const struct pb_anchor *a = pb_at(m, m->anchors, sizeof(*a), i);
		const char *why = gives_nothing(run, a);

		if (why)
			put(ret, run->bundle, a->rule, PB_X_OVER, why);
		if (a->root == PB_ROOT_AGENT && !run->ctx.roots.dir[a->root] &&
		    a->effect == PB_ALLOW)
			put(ret, run->bundle, a->rule, PB_X_OVER, no_agent);
		if (a->root == PB_ROOT_SESSION && !run->ctx.roots.dir[a->root])
			put(ret, run->bundle, a->rule, PB_X_OVER, no_session);
	}
}

/* --- how many --------------------------------------------------------------------------- */

void exactness_summary(const struct bundle *b, const struct exactness_here *here, char *out,
		       size_t cap)
{
	/* the words that `polc check` uses about the standard library */
	static const struct {
		unsigned x;
		const char *one, *many;
	} words[] = {
		{ PB_X_ENTRY_ONLY, "holds at entry only", "hold at entry only" },
		{ PB_X_UNDER, "forbids less than it says", "forbid less than they say" },
		{ PB_X_ADVISORY, "holds as advice only", "hold as advice only" },
		{ PB_X_OVER, "forbids more than it says", "forbid more than they say" },
	};
	unsigned n[PB_X_ADVISORY + 1] = { 0 };
	size_t at = 0;

	out[0] = '\0';
	for (uint32_t i = 0; i < b->rules->rules.count; i++)
		if (exactness_is_first(b, i))
			n[bundle_rule(b, i)->exactness]++;
	for (size_t i = 0; i < here->n; i++)
		n[here->v[i].x]++;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]) && at < cap; i++) {
		unsigned c = n[words[i].x];
		const char *noun = c == 1 ? "rule " : "rules ";

		if (c)
			at += (size_t)snprintf(out + at, cap - at, "%s%u %s%s",
					       at ? ", " : "", c, at ? "" : noun,
					       c == 1 ? words[i].one : words[i].many);
	}
}
