/*
 * On random policies: a link that is said to give nothing away gives none of many names away,
 * by the decisions about the names themselves.  SEED= and RUNS= in the environment.
 */
#include <stdio.h>

#include "compiler/analysis/lift.h"
#include "compiler/backend/commands/commands.h"
#include "compiler/backend/matcher/matcher.h"
#include "compiler/backend/rules/rules.h"
#include "runtime/base/place.h"
#include "runtime/decide/decide.h"
#include "tests/prop/runs.h"

#define ENOUGH 60 /* policies */
#define PATHS 60
#define LINKS 60

static struct {
	unsigned long opens, witnessed, closed, names;
} seen;

/* Paths, and what of them lies below another: "" or text that begins with '/'. */
struct drawn {
	const char *path[PATHS];
	const char *rest[PATHS * 8];
	size_t npaths, nrests;
};

static void draw(struct rnd *r, struct drawn *d)
{
	d->npaths = d->nrests = 0;
	for (unsigned i = 0; i < PATHS; i++) {
		char *path = arena_printf(r->a, "%s", str_z(r->a, rnd_absolute(r)));

		place_make_plain(path);
		if (!path[0] || !path[1])
			continue;
		d->path[d->npaths++] = path;
		for (char *s = path; s && d->nrests < PATHS * 8; s = strchr(s + 1, '/'))
			d->rest[d->nrests++] = s;
	}
}

/* A path, or a directory on the way to one. */
static const char *some_dir(struct rnd *r, const struct drawn *d)
{
	char *path = arena_printf(r->a, "%s", d->path[rnd_below(r, (uint32_t)d->npaths)]);
	char *slash = strrchr(path, '/');

	while (rnd_one_in(r, 2) && slash && slash != path) {
		*slash = '\0';
		slash = strrchr(path, '/');
	}
	return path;
}

static bool is_denied(const struct decide_ctx *c, const char *dir, const char *rest, bool otherwise)
{
	char path[8192];
	const struct pb_rule *rule;
	struct decision d;

	(void)snprintf(path, sizeof(path), "%s%s", dir[1] ? dir : "", rest);
	decide_file(c, PB_WRITE, path, &d);
	rule = bundle_rule(c->b, d.rule);
	return d.effect != PB_ALLOW && (otherwise || !rule || rule->kind == PB_FILE);
}

static uint32_t room[DECIDE_LINK_ROOM / sizeof(uint32_t)];

static bool one_link(struct rnd *r, const struct decide_ctx *c, const struct drawn *d)
{
	const char *from = some_dir(r, d);
	const char *to = rnd_one_in(r, 8) ? "/" : rnd_one_in(r, 8) ? NULL : some_dir(r, d);
	bool otherwise = !rnd_one_in(r, 3), opens;
	uint32_t rule;

	opens = decide_link_opens(c, from, to, otherwise, room, &rule);
	seen.opens += opens;
	seen.closed += !opens;
	for (size_t i = 0; i < d->nrests; i++) {
		bool gives = is_denied(c, from, d->rest[i], false) &&
			     !(to && is_denied(c, to, d->rest[i], otherwise));

		seen.names++;
		if (gives && opens) {
			seen.witnessed++;
			return true;
		}
		if (gives) {
			printf("%s -> %s gives %s away\n", from, to ? to : "?", d->rest[i]);
			return false;
		}
	}
	return true;
}

static bool one_policy(struct rnd *r)
{
	struct ir *ir = rnd_ir(r);
	struct bk_output out = { .a = r->a };
	static struct pb_mounts no_mounts;
	struct bundle b = { .size = 0 };
	struct decide_ctx c = { .b = &b, .scope = PB_SANDBOX };
	struct ir_roots roots = rnd_roots(r);
	struct diag_sink sink;
	struct drawn d;

	diag_init(&sink, r->a);
	pass_lift(ir, &sink);
	if (!bk_rules.emit(ir, &out, &sink) || !bk_matcher.emit(ir, &out, &sink) ||
	    !bk_commands.emit(ir, &out, &sink)) {
		printf("not emitted\n");
		return false;
	}
	b.rules = (const void *)bk_member(&out, PB_RULES)->bytes.p;
	b.matcher = (const void *)bk_member(&out, PB_MATCHER)->bytes.p;
	b.commands = (const void *)bk_member(&out, PB_COMMANDS)->bytes.p;
	b.mounts = &no_mounts;
	for (size_t i = 0; i < IR_ROOT_COUNT; i++)
		if (roots.dir[i].p)
			c.roots.dir[i] = str_z(r->a, roots.dir[i]);
	draw(r, &d);
	memset(room, 0, sizeof(room));
	for (unsigned i = 0; d.npaths && i < LINKS; i++)
		if (!one_link(r, &c, &d)) {
			ir_print(stdout, ir);
			for (size_t k = 0; k < IR_ROOT_COUNT; k++)
				printf("  root %zu '%s'\n", k, c.roots.dir[k] ? c.roots.dir[k] : "");
			return false;
		}
	return true;
}

int main(void)
{
	unsigned long n;
	bool ok;

	if (!prop_runs(ENOUGH, one_policy, &n))
		return 1;
	printf("links that give names away: %lu (a name found for %lu); others: %lu; names: %lu\n",
	       seen.opens, seen.witnessed, seen.closed, seen.names);
	ok = n < ENOUGH || (seen.opens > n && seen.witnessed * 4 > seen.opens && seen.closed > n);
	if (!ok)
		printf("FAIL: too few of a kind\n");
	printf("%d passed, %d failed, 0 skipped\n", ok, !ok);
	return ok ? 0 : 1;
}
