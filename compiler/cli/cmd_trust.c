/*
 * `polc trust`: records that this user has read a project's policy file, so that polrun
 * lets it allow things as well.  The files that it uses are recorded with it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "compiler/cli/cli.h"
#include "compiler/cli/passes.h"
#include "compiler/cli/report.h"
#include "runtime/base/io.h"
#include "runtime/state/state_dir.h"
#include "runtime/state/trusted.h"

static enum cli_exit fail(const struct rt_err *err)
{
	cli_say_err(err);
	return CLI_TROUBLE;
}

static void say_path(struct arena *a, const char *what, const char *path)
{
	printf("%s %.*s\n", what, STR_ARG(cli_clean(a, str_from(path), false)));
}

/* --- recording ------------------------------------------------------------------ */

/* To find what the file uses, all of it is read as if it were trusted. */
static bool all(const char *real, struct str text)
{
	(void)real;
	(void)text;
	return true;
}

static bool in_pol_folder(const char *real)
{
	const char *slash = strrchr(real, '/');
	static const char folder[] = "/.pol";
	size_t n = slash ? (size_t)(slash - real) : 0;

	return n >= sizeof(folder) - 1 &&
	       memcmp(real + n - (sizeof(folder) - 1), folder, sizeof(folder) - 1) == 0;
}

/* Errors in the text are reported: a text that means nothing cannot be trusted. */
static enum cli_exit load(struct compilation *c, struct options *o, const char *path)
{
	struct sema_input in = { .path = path, .level = IR_PROJECT, .cmdline_level = true,
				 .discovered = true, .folder = STR(".pol") };

	compilation_init(c, o, c->a);
	c->sema.trusted = all;
	if (sema_load(&c->sema, &in, 1) && sema_resolve(&c->sema))
		return CLI_CLEAN;
	return cli_refuse(c, CLI_FINDINGS, CLI_TROUBLE);
}

static enum cli_exit trust_one(struct options *o, struct arena *a, const char *dir,
			       const char *path)
{
	struct compilation c = { .a = a };
	struct rt_err err = { 0 };
	enum cli_exit e = load(&c, o, path);

	for (size_t i = 0; e == CLI_CLEAN && i < c.sema.units.n; i++) {
		const struct sema_unit *u = c.sema.units.v[i];
		struct str text = c.map.files.v[u->file].text;

		if (!u->found)
			continue;
		if (trusted_add(dir, u->real, text.p, text.n, &err) < 0)
			return fail(&err);
		say_path(a, u->named ? "trusted:" : "trusted, it is used:", u->real);
		if (u->named && !in_pol_folder(u->real))
			fputs("polc: this is not in a project's '.pol' folder, where polrun "
			      "looks for it\n", stderr);
	}
	return e;
}

/* --- listing, taking back --------------------------------------------------------- */

struct listing {
	struct arena *a;
	VEC(const char *) lines;
};

static int list_one(void *arg, const struct trusted_entry *e)
{
	struct listing *l = arg;
	time_t when = (time_t)e->when;
	char day[32] = "?";
	struct tm tm;

	if (gmtime_r(&when, &tm))
		(void)strftime(day, sizeof(day), "%Y-%m-%d", &tm);
	VEC_PUSH(l->a, &l->lines,
		 arena_printf(l->a, "%.*s  %s  %.12s",
			      STR_ARG(cli_clean(l->a, str_from(e->path), false)), day, e->id));
	return 0;
}

static int by_bytes(const void *x, const void *y)
{
	return strcmp(*(const char *const *)x, *(const char *const *)y);
}

static enum cli_exit list_all(struct arena *a, const struct trusted *t)
{
	struct listing l = { .a = a };
	struct rt_err err = { 0 };

	if (trusted_each(t, list_one, &l, &err) < 0)
		return fail(&err);
	if (l.lines.n)
		qsort(l.lines.v, l.lines.n, sizeof(*l.lines.v), by_bytes);
	for (size_t i = 0; i < l.lines.n; i++)
		puts(l.lines.v[i]);
	return CLI_CLEAN;
}

/* A file that is gone has no canonical path: then the path counts as it was given. */
static enum cli_exit revoke_one(struct arena *a, const struct trusted *t, const char *path)
{
	char *real = realpath(path, NULL);
	struct rt_err err = { 0 };
	int n = trusted_revoke(t, real ? real : path, &err);

	free(real);
	if (n < 0)
		return fail(&err);
	if (n == 0) {
		fprintf(stderr, "polc: '%.*s' is not trusted\n",
			STR_ARG(cli_clean(a, str_from(path), false)));
		return CLI_FINDINGS;
	}
	say_path(a, "not trusted any more:", path);
	return CLI_CLEAN;
}

enum cli_exit cmd_trust(struct options *o, struct arena *a)
{
	char dir[PATH_MAX];
	struct rt_err err = { 0 };
	struct trusted t = { .dirfd = -1 };
	enum cli_exit e = CLI_CLEAN;

	if (state_dir_own(dir, &err) < 0)
		return fail(&err);
	if ((o->list || o->revoke) && trusted_open(dir, &t, &err) < 0)
		return fail(&err);
	if (o->list)
		e = list_all(a, &t);
	for (size_t i = 0; i < o->inputs.n; i++) {
		const char *path = o->inputs.v[i].path;
		enum cli_exit one = o->revoke ? revoke_one(a, &t, path) :
						trust_one(o, a, dir, path);

		e = one > e ? one : e;
	}
	trusted_release(&t);
	return e;
}
