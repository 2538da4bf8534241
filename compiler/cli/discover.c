/*
 * Decides which files --discover adds.  Absent, empty and unreadable are different
 * states: an unreadable file stops everything, since nobody knows what it would have
 * denied.
 */
#include "compiler/cli/discover.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>

#define MANAGED_DIR "/etc/pol/managed.d"

static int by_bytes(const void *x, const void *y)
{
	return strcmp(*(const char *const *)x, *(const char *const *)y);
}

static bool is_policy(const char *name)
{
	struct str s = str_from(name);

	return name[0] != '.' && (str_ends(s, STR(".pol")) ||
				  str_ends(s, STR(".yml")) ||
				  str_ends(s, STR(".yaml")));
}

static bool unreadable(const char *dir, FILE *err)
{
	fprintf(err, "polc: the policies in '%s' cannot be read: %s\n", dir,
		strerror(errno));
	return false;
}

bool discover_dir(struct options *o, struct arena *a, const char *dir,
		  const char *name, enum ir_level level, FILE *err)
{
	VEC(const char *) names = { NULL, 0, 0 };
	struct dirent *e;
	DIR *d = opendir(dir);
	size_t i;

	if (!d)
		return errno == ENOENT ? true : unreadable(dir, err);
	for (errno = 0; (e = readdir(d)) != NULL; errno = 0)
		if (is_policy(e->d_name))
			VEC_PUSH(a, &names, arena_printf(a, "%s", e->d_name));
	if (errno) {
		unreadable(dir, err);
		closedir(d);
		return false;
	}
	closedir(d);
	if (names.n)
		qsort(names.v, names.n, sizeof(*names.v), by_bytes);
	for (i = 0; i < names.n; i++) {
		struct sema_input in = {
			.path = arena_printf(a, "%s/%s", dir, names.v[i]),
			.name = str_printf(a, "%s/%s", name, names.v[i]),
			.level = level,
			.cmdline_level = true,
			.folder = str_from(name),
			/* nobody has chosen the files that lie in a project */
			.discovered = level == IR_PROJECT,
		};

		VEC_PUSH(a, &o->inputs, in);
	}
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

bool discover_all(struct options *o, struct arena *a, const struct roots *roots,
		  FILE *err)
{
	struct str project = roots->dirs.dir[IR_ROOT_PROJECT];

	return discover_dir(o, a, MANAGED_DIR, MANAGED_DIR, IR_MANAGED_FILE, err) &&
	       discover_dir(o, a, arena_printf(a, "%.*s/.pol", STR_ARG(project)),
			    ".pol", IR_PROJECT, err) &&
	       discover_user(o, a, roots, err);
}
