/*
 * Decides which directory each root has for a decision: the one that --root says,
 * else the one that polrun would use on this machine.
 */
#include "compiler/cli/roots.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/base/git_common.h"
#include "runtime/base/passwd.h"
#include "runtime/base/place.h"

static struct str real(struct arena *a, struct str path)
{
	char *p = realpath(str_z(a, path), NULL);
	struct str ret = STR_NULL;

	if (p)
		ret = str_dup(a, str_from(p));
	free(p);
	return ret;
}

/* Removes '.', '..' and '//' by text alone; `path` is absolute. */
static struct str clean(struct arena *a, struct str path)
{
	struct buf b;
	size_t i, from;

	buf_init(&b, a);
	for (i = 0; i < path.n; i++) {
		struct str part;

		for (from = i; i < path.n && path.p[i] != '/'; i++)
			;
		part = str_sub(path, from, i - from);
		if (!part.n || str_eqz(part, "."))
			continue;
		if (str_eqz(part, "..")) {
			while (b.n && b.p[--b.n] != '/')
				;
			continue;
		}
		buf_ch(&b, '/');
		buf_str(&b, part);
	}
	return b.n ? str_dup(a, buf_view(&b)) : STR("/");
}

static struct str parent(struct str path)
{
	size_t n = path.n;

	while (n > 1 && path.p[n - 1] != '/')
		n--;
	return str_sub(path, 0, n > 1 ? n - 1 : 1);
}

/* Resolves the longest part at the beginning that exists, and appends the rest. */
static struct str follow(struct arena *a, struct str path)
{
	struct str head = path;

	for (;;) {
		struct str got = real(a, head);
		struct str rest = str_sub(path, head.n, path.n - head.n);

		if (got.p && str_eqz(got, "/"))
			return rest.n ? clean(a, str_cat(a, STR("/"), rest)) : got;
		if (got.p)
			return clean(a, str_cat(a, got, rest));
		if (head.n <= 1)
			return path;
		head = parent(head);
	}
}

struct str roots_path(struct arena *a, struct str path, struct str cwd,
		      bool physical)
{
	struct str all = path;

	if (!path.n || path.p[0] != '/')
		all = str_cat(a, str_cat(a, cwd, STR("/")), path);
	/* like the kernel, follow links before removing a '..' */
	if (physical && real(a, all).p)
		return real(a, all);
	all = clean(a, all);
	return physical ? follow(a, all) : all;
}

struct str roots_home(struct arena *a)
{
	const char *home = getenv("HOME");
	struct passwd_entry pw;

	/* like polrun: an empty HOME does not count, and no name service is asked */
	if ((!home || !home[0]) && passwd_lookup(NULL, getuid(), &pw) > 0)
		home = arena_printf(a, "%s", pw.home);
	if (!home || home[0] != '/')
		return STR_NULL;
	return roots_path(a, str_dup(a, str_from(home)), STR("/"), true);
}

struct str roots_project(struct arena *a, struct str from, struct str home)
{
	char *p = place_project(str_z(a, from), home.n ? str_z(a, home) : "/");
	struct str ret = p ? str_dup(a, str_from(p)) : from;

	free(p);
	return ret;
}

static struct str here(struct arena *a)
{
	char buf[PATH_MAX];

	return getcwd(buf, sizeof(buf)) ? str_dup(a, str_from(buf)) : STR_NULL;
}

bool roots_find(const struct options *o, struct arena *a, struct roots *ret,
		FILE *err)
{
	struct str cwd = here(a), start = cwd;
	struct ir_roots d = { .dir = { [IR_ROOT_FS] = STR("/") } };
	char agent[PATH_MAX], common[PATH_MAX];
	int i;

	for (i = IR_ROOT_HOME; i < IR_ROOT_COUNT; i++)
		if (o->root[i])
			d.dir[i] = roots_path(a, str_from(o->root[i]), STR("/"), true);
	if (!cwd.p) {
		fputs("polc: the working directory has no path\n", err);
		return false;
	}
	if (o->discover_dir)
		start = roots_path(a, str_from(o->discover_dir), cwd, true);
	if (!d.dir[IR_ROOT_HOME].p)
		d.dir[IR_ROOT_HOME] = roots_home(a);
	if (!d.dir[IR_ROOT_HOME].p) {
		fputs("polc: there is no HOME and no home in /etc/passwd: say "
		      "--root HOME=DIR\n", err);
		return false;
	}
	if (!d.dir[IR_ROOT_PROJECT].p)
		d.dir[IR_ROOT_PROJECT] =
			roots_project(a, start, d.dir[IR_ROOT_HOME]);
	if (!d.dir[IR_ROOT_TMP].p)
		d.dir[IR_ROOT_TMP] = STR("/tmp");
	if (!d.dir[IR_ROOT_AGENT].p &&
	    place_agent(getenv("SSH_AUTH_SOCK"), getuid(), agent) == 0)
		d.dir[IR_ROOT_AGENT] = str_dup(a, str_from(agent));
	if (!d.dir[IR_ROOT_GIT].p &&
	    git_common_find(str_z(a, d.dir[IR_ROOT_PROJECT]), str_z(a, d.dir[IR_ROOT_HOME]), getuid(),
			    common) == 0)
		d.dir[IR_ROOT_GIT] = str_dup(a, str_from(common));
	ret->dirs = d;
	ret->cwd = o->cwd ? roots_path(a, str_from(o->cwd), cwd, true) :
			    d.dir[IR_ROOT_PROJECT];
	return true;
}

bool roots_expand(struct arena *a, const struct ir_roots *dirs, struct str path,
		  struct str *ret)
{
	enum ir_root root;
	size_t n;

	if (!sema_root_prefix(path, &root, &n)) {
		*ret = path;
		return true;
	}
	if (!dirs->dir[root].p)
		return false;
	*ret = str_cat(a, dirs->dir[root], str_sub(path, n, path.n - n));
	return true;
}
