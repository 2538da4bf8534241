/* Decides whether a run could reach the socket at which the person is asked. */
#include "runtime/polrun/ask_path.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/base/io.h"
#include "runtime/decide/rule_text.h"

static int bad(struct rt_err *err, int e, const char *given, const char *why)
{
	char shown[200];

	io_escape(shown, sizeof(shown), given, strlen(given));
	return rt_fail(err, e, "--ask-socket '%s': %s", shown, why);
}

int ask_path_find(const char *given, char ret[ASK_PATH_CAP], struct rt_err *err)
{
	char real[PATH_MAX], dir[PATH_MAX];
	const char *slash = strrchr(given, '/'), *name = slash ? slash + 1 : given;
	struct stat st;
	int n;

	if (stat(given, &st) == 0 && !S_ISSOCK(st.st_mode))
		return bad(err, ENOTSOCK, given, "it is no socket");
	if (realpath(given, real)) {
		n = snprintf(ret, ASK_PATH_CAP, "%s", real);
	} else {
		if (errno != ENOENT)
			return bad(err, errno, given, strerror(errno));
		/* a link that leads nowhere may lead anywhere later */
		if (lstat(given, &st) == 0 || !name[0] || !strcmp(name, ".") || !strcmp(name, ".."))
			return bad(err, ENOENT, given, "it leads nowhere");
		if (snprintf(dir, sizeof(dir), "%.*s", (int)(name - given), given) >= (int)sizeof(dir) ||
		    !realpath(dir[0] ? dir : ".", real))
			return bad(err, ENOENT, given, "its directory does not exist");
		n = snprintf(ret, ASK_PATH_CAP, "%s/%s", strcmp(real, "/") ? real : "", name);
	}
	return n < ASK_PATH_CAP ? 0 : bad(err, ENAMETOOLONG, given, "the path is longer than 107 bytes");
}

static int refuse_rule(const struct sandbox_run *run, const char *given, uint32_t rule,
		       struct rt_err *err)
{
	char text[EXPLAIN_RULE_CAP], why[EXPLAIN_RULE_CAP + 80];

	(void)snprintf(why, sizeof(why), "the run could answer its own questions: %s brings the socket in",
		       explain_rule(run->bundle, rule, text));
	return bad(err, EPERM, given, why);
}

/* Does the section `unix` let the run connect to that name? */
static bool is_allowed(const struct sandbox_run *run, const char *path, uint32_t *ret_rule)
{
	struct decision d;

	decide_unix(&run->ctx, path, false, &d);
	*ret_rule = d.rule;
	return d.effect != PB_DENY;
}

static bool is_below(const char *path, const char *top)
{
	size_t n = strlen(top);

	return strncmp(path, top, n) == 0 && (path[n] == '/' || !path[n] || (n == 1 && top[0] == '/'));
}

/* Is the host's `path` seen at this place of the view, which has it under another name? */
static bool is_source_of(const struct sandbox_node *n, const char *path)
{
	return n->source && n->ops && is_below(path, n->source);
}

/* Does a link lead there that a run can have made: one in a tree that this run may write? */
static bool is_led(const struct sandbox_view *view, const char *given)
{
	char name[PATH_MAX], dir[PATH_MAX], real[PATH_MAX];
	size_t from = 0;
	struct stat st;

	for (size_t i = 1; given[i - 1]; i++) {
		const struct sandbox_node *n;

		if ((given[i] && given[i] != '/') || given[i - 1] == '/')
			continue;
		if (snprintf(name, sizeof(name), "%.*s", (int)i, given) >= (int)sizeof(name))
			return true;
		(void)snprintf(dir, sizeof(dir), "%.*s", (int)from, given);
		from = i + 1;
		if (lstat(name, &st) != 0 || !S_ISLNK(st.st_mode))
			continue;
		n = realpath(dir[0] ? dir : ".", real) ? sandbox_view_find(view, real) : NULL;
		if (n && (n->ops & PB_WRITE) && !n->scratch)
			return true;
	}
	return false;
}

/* The place of the view at which the run sees the host's directory `dir`; NULL: nowhere.
 * Only the directory counts: a socket that is masked there is so until another takes its
 * name. */
static const struct sandbox_node *shown_at(const struct sandbox_view *view, const char *dir)
{
	const struct sandbox_node *at = sandbox_view_find(view, dir);

	for (size_t i = 0; i < view->n; i++)
		if (is_source_of(&view->nodes[i], dir))
			at = &view->nodes[i];
	return at && at->ops && !at->masked && !at->scratch ? at : NULL;
}

int ask_path_check(const struct sandbox_run *run, const struct sandbox_view *view,
		   const char *given, const char *path, struct rt_err *err)
{
	char dir[ASK_PATH_CAP];
	struct stat st;
	const bool is = stat(path, &st) == 0;
	size_t n = (size_t)(strrchr(path, '/') - path);
	uint32_t rule;

	if (is_allowed(run, path, &rule) || (given[0] == '/' && is_allowed(run, given, &rule)))
		return refuse_rule(run, given, rule, err);
	/* by another of its names */
	for (size_t i = 0; is && i < view->n; i++) {
		const struct sandbox_node *v = &view->nodes[i];

		if (v->socket && v->dev == st.st_dev && v->ino == st.st_ino)
			return refuse_rule(run, given, v->rule[0], err);
	}
	if (is_led(view, given))
		return bad(err, EPERM, given, "it is reached by a symbolic link that a run can have made");
	(void)snprintf(dir, sizeof(dir), "%.*s", n ? (int)n : 1, path);
	if (shown_at(view, dir))
		return bad(err, EPERM, given, "the run sees its directory, and could answer its own "
			   "questions: choose another, such as XDG_RUNTIME_DIR");
	return 0;
}
