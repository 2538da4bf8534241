/*
 * Decides which files --discover adds.  Absent, empty and unreadable are different
 * states: an unreadable file stops everything, since nobody knows what it would have
 * denied.
 */
#include "compiler/cli/discover.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "compiler/sema/library.h"
#include "runtime/base/found.h"
#include "runtime/base/io.h"
#include "runtime/base/place.h"
#include "runtime/state/state_dir.h"
#include "runtime/state/trusted.h"

bool discover_dir(struct options *o, struct arena *a, const char *dir,
		  const char *name, enum ir_level level, FILE *err)
{
	struct found f;
	int r = found_list(dir, &f);

	if (r < 0) {
		fprintf(err, "polc: the policies in '%s' cannot be read: %s\n", dir,
			strerror(-r));
		return false;
	}
	for (size_t i = 0; i < f.n; i++) {
		struct sema_input in = {
			.path = arena_printf(a, "%s/%s", dir, f.v[i]),
			.name = str_printf(a, "%s/%s", name, f.v[i]),
			.level = level,
			.cmdline_level = true,
			.folder = str_from(name),
			/* nobody has chosen the files that lie in a project */
			.discovered = level == IR_PROJECT,
		};

		VEC_PUSH(a, &o->inputs, in);
	}
	found_tell_other(&f, "polc", name, err);
	found_release(&f);
	return true;
}

static bool discover_user(struct options *o, struct arena *a,
			  const struct roots *roots, FILE *err)
{
	const char *xdg = getenv("XDG_CONFIG_HOME");

	if (xdg && xdg[0] == '/')
		return discover_dir(o, a, arena_printf(a, "%s/pol", xdg),
				    "${XDG_CONFIG_HOME}/pol", IR_USER, err);
	return discover_dir(o, a,
			    arena_printf(a, "%.*s/.config/pol",
					 STR_ARG(roots->dirs.dir[IR_ROOT_HOME])),
			    "~/.config/pol", IR_USER, err);
}

static bool is_trusted(const char *path)
{
	char dir[PATH_MAX], *text = NULL, *real = realpath(path, NULL);
	struct trusted t = { .dirfd = -1 };
	bool ret = false;
	size_t n;

	if (real && state_dir_own(dir, NULL) == 0 && trusted_open(dir, &t, NULL) == 0 &&
	    t.dirfd >= 0 && io_read_file(real, SOURCE_MAX_BYTES, &text, &n) == 0)
		ret = trusted_has(&t, real, text, n);
	trusted_release(&t);
	free(text);
	free(real);
	return ret;
}

/* Has anybody written what the run may do?  A managed policy and a narrow-only one say
 * what it may not. */
static bool is_said(const struct options *o)
{
	for (size_t i = 0; i < o->inputs.n; i++) {
		const struct sema_input *in = &o->inputs.v[i];

		if (in->discovered ? is_trusted(in->path) :
				     in->level != IR_MANAGED && in->level != IR_MANAGED_FILE)
			return true;
	}
	return false;
}

/* The policy that stands in for the user's own where there is none. */
static bool discover_fallback(struct options *o, struct arena *a, FILE *err)
{
	struct library *l = library_own(a);
	struct sema_input in = { .level = IR_USER, .cmdline_level = true, .std = true };

	if (!o->fallback || is_said(o))
		return true;
	if (!l) {
		fprintf(err, "polc: no standard library: %s\n", strerror(errno));
		return false;
	}
	in.name = str_printf(a, "%s.pol", o->fallback);
	in.path = arena_printf(a, "%s/%s.pol", l->dir, o->fallback + strlen("std/"));
	VEC_PUSH(a, &o->inputs, in);
	return true;
}

/* A repository below another project has its own policies: whose are left behind? */
static void say_outer(struct arena *a, const struct roots *roots, FILE *err)
{
	AUTO_FREE char *outer = place_outer_project(str_z(a, roots->dirs.dir[IR_ROOT_PROJECT]),
						    str_z(a, roots->dirs.dir[IR_ROOT_HOME]));
	char shown[PATH_MAX];

	if (!outer)
		return;
	io_escape(shown, sizeof(shown), outer, strlen(outer));
	fprintf(err, "polc: the policies in %s/.pol do not hold here, in a project of its own\n", shown);
}

/*
 * `polc check $FILES` in somebody's CI must not pass because the list is empty: a check of
 * what was found says what that is, and wants more than the library's profile.
 */
static bool say_found(const struct options *o, struct arena *a, const struct roots *roots, FILE *err)
{
	const struct sema_input *last = o->inputs.n ? &o->inputs.v[o->inputs.n - 1] : NULL;
	size_t n = last && last->std ? o->inputs.n - 1 : o->inputs.n;
	char shown[300];

	if (!o->unnamed || o->verb != CLI_CHECK)
		return true;
	say_outer(a, roots, err);
	if (n == 0) {
		fprintf(err, "polc: no policy was named, and none is found here: name a "
			"FILE.pol, or begin with polc init\n");
		return false;
	}
	fprintf(err, "polc: no policy was named; here polrun takes");
	for (size_t i = 0; i < o->inputs.n; i++) {
		struct str name = o->inputs.v[i].name;

		io_escape(shown, sizeof(shown), name.p, name.n);
		fprintf(err, "%s %s", i ? "," : "", shown);
	}
	fprintf(err, "\n");
	return true;
}

bool discover_all(struct options *o, struct arena *a, const struct roots *roots,
		  FILE *err)
{
	struct str project = roots->dirs.dir[IR_ROOT_PROJECT];

	return discover_dir(o, a, FOUND_MANAGED, FOUND_MANAGED, IR_MANAGED_FILE, err) &&
	       discover_dir(o, a, arena_printf(a, "%.*s/.pol", STR_ARG(project)),
			    ".pol", IR_PROJECT, err) &&
	       discover_user(o, a, roots, err) && discover_fallback(o, a, err) &&
	       say_found(o, a, roots, err);
}
