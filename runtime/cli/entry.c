/* What happens before anything runs: the command is decided and its program is
 * found, both with the exit status and the line that say why not. */
#include "runtime/cli/entry.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/place.h"
#include "runtime/decide/explain.h"
#include "runtime/decide/pol_own.h"

enum { NO_RISK = 4 };

#define DEFAULT_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

/* `shell NAME = PATH`, or where Debian has the shell of the dialect. */
static int find_shell(const struct decide_ctx *ctx, struct entry *e, struct rt_err *err)
{
	static const char *const usual[] = { [PB_DIALECT_BASH] = "/bin/bash",
					     [PB_DIALECT_POSIX] = "/bin/sh",
					     [PB_DIALECT_NONE] = "/bin/sh" };
	const struct pb_commands *c = ctx->b->commands;

	e->shell = c->shell.len ? strndup(pb_strp(c, c->shell), c->shell.len)
				: strdup(usual[c->dialect]);
	if (!e->shell)
		return rt_fail(err, ENOMEM, "out of memory");
	/* without the "--" a line that begins with '-' would be options */
	e->shell_argv[0] = e->shell;
	e->shell_argv[1] = "-c";
	e->shell_argv[2] = "--";
	e->shell_argv[3] = e->line;
	e->shell_argv[4] = NULL;
	e->argv = e->shell_argv;
	e->argc = 4;
	return 0;
}

static bool is_blank_line(const char *line)
{
	return line[strspn(line, " \t\n")] == '\0';
}

/* A request that is made where the run is made. */
static struct pol_request request_of(const struct decide_ctx *ctx, uint32_t kind)
{
	return (struct pol_request){
		.size = sizeof(struct pol_request),
		.kind = kind,
		.scope = ctx->scope,
		.flags = POL_NO_ROOT, /* polrun has seen to it that they are there */
		.cwd = ctx->cwd,
		.home = ctx->roots.dir[PB_ROOT_HOME],
		.project = ctx->roots.dir[PB_ROOT_PROJECT],
		.tmpdir = ctx->roots.dir[PB_ROOT_TMP],
		.session_dir = ctx->roots.dir[PB_ROOT_SESSION],
	};
}

static int ask(const struct decide_ctx *ctx, struct entry *e, struct rt_err *err)
{
	struct pol_request q = request_of(ctx, e->line ? POL_COMMAND : POL_ARGV);
	struct pol_ctx c;
	size_t n = e->line ? strlen(e->line) : 0;
	int r;

	q.line = e->line;
	q.line_n = n;
	q.argv = e->argv;
	q.argc = e->argc;
	for (size_t i = 0; !e->line && i < e->argc; i++)
		n += strlen(e->argv[i]) + 1;
	/* only system calls verify something of it */
	pol_ctx_init(&c, (struct bundle *)ctx->b, NULL, 0);
	r = pol_ctx_grow(&c, n, err);
	if (r == 0)
		r = pol_ask(&c, &q, err);
	e->block = c.block;
	e->d = c.d;
	e->parts = c.parts;
	return r;
}

int entry_decide(const struct decide_ctx *ctx, const char *line, char **argv, int argc,
		 struct entry *ret, struct rt_err *err)
{
	int r;

	*ret = (struct entry){ .line = line,
			       .argv = (const char *const *)argv,
			       .argc = (size_t)argc };
	if (line && is_blank_line(line))
		return rt_fail(err, EINVAL, "the line is empty");
	r = ask(ctx, ret, err);
	if (r == 0 && line)
		r = find_shell(ctx, ret, err);
	if (r < 0)
		entry_release(ret);
	return r;
}

void entry_release(struct entry *e)
{
	free(e->block);
	free(e->shell);
	e->block = NULL;
	e->shell = NULL;
}

/* The part of the line that its decision is of, or NULL. */
static const struct cmd_part *deciding_part(const struct entry *e)
{
	const struct cmd_part *p = e->parts.first;

	while (p && (p->effect != e->d.effect || p->rule != e->d.rule))
		p = p->next;
	return p;
}

static void show_text(const char *text, size_t n, char *out, size_t cap)
{
	enum { SHOWN = 60 };

	io_escape(out, cap, text, n < SHOWN ? n : SHOWN);
	if (n > SHOWN && strlen(out) + 4 < cap)
		(void)snprintf(out + strlen(out), cap - strlen(out), " ...");
}

void entry_show_part(const struct entry *e, const struct cmd_part *p, char *out, size_t cap)
{
	size_t at = 0, n;

	out[0] = '\0';
	if (e->line) {
		n = strlen(e->line);
		if (p && p->from < p->to && p->to <= n)
			show_text(e->line + p->from, p->to - p->from, out, cap);
		else
			show_text(e->line, n, out, cap);
		return;
	}
	for (size_t i = 0; i < e->argc && i < 3 && at + 8 < cap; i++) {
		char word[80];

		io_escape(word, sizeof(word), e->argv[i], strlen(e->argv[i]));
		at += (size_t)snprintf(out + at, cap - at, "%s%s", i ? " " : "", word);
		if (at >= cap)
			return;
	}
	if (e->argc > 3)
		(void)snprintf(out + at, cap - at, " ...");
}

void entry_show(const struct entry *e, char *out, size_t cap)
{
	entry_show_part(e, deciding_part(e), out, cap);
}

/* "rule ID at FILE:LINE: REASON" into a message of 400 bytes; where the risk
 * decided, the reason is its class. */
static void show_rule(const struct bundle *b, uint32_t rule, unsigned risk, char *out,
		      size_t cap)
{
	const struct pb_rule *r = bundle_rule(b, rule);
	char id[64], at[100], why[120];

	explain_rule_id(b, rule, id, sizeof(id));
	explain_rule_at(b, rule, at, sizeof(at));
	if (explain_rule_reason(b, rule, why, sizeof(why)))
		(void)snprintf(out, cap, "rule %s at %s: %s", id, at, why);
	else if (r && r->kind == PB_SCALAR && r->by_risk && risk < NO_RISK)
		(void)snprintf(out, cap, "rule %s at %s: its risk is %s", id, at,
			       explain_risk(risk));
	else
		(void)snprintf(out, cap, "rule %s at %s", id, at);
}

/* permissions.mode: what becomes of an ask that a person need not answer. */
enum pb_effect entry_ask_answer(const struct decide_ctx *ctx)
{
	const struct pb_rules *h = ctx->b->rules;
	const struct pb_rule *r =
		bundle_rule(ctx->b, h->scalar_first + (uint32_t)PB_S_ASK_ANSWER);

	/* a bundle that lacks it was refused; unknown means deny */
	return r && r->effect <= PB_ASK ? (enum pb_effect)r->effect : PB_DENY;
}

void entry_show_why(const struct decide_ctx *ctx, const struct entry *e,
		    const struct cmd_part *part, char out[ENTRY_WHY])
{
	const char *because = part ? explain_part(part) : "";
	uint32_t rule = part ? part->rule : e->d.rule;
	unsigned risk = part ? part->risk : e->d.risk;
	size_t at;

	show_rule(ctx->b, rule, e->d.unparsed ? NO_RISK : risk, out, 300);
	at = strlen(out);
	if (because[0])
		(void)snprintf(out + at, ENTRY_WHY - at, ": %s", because);
}

int entry_verdict(const struct decide_ctx *ctx, const struct entry *e, struct rt_err *err)
{
	char what[110], rule[ENTRY_WHY];

	entry_show_why(ctx, e, deciding_part(e), rule);
	/* Nobody knows what it would run, whatever is answered. */
	if (e->d.unparsed || e->parts.limit) {
		(void)rt_fail(err, EACCES, "not run: the line %s%s%.90s (%s)",
			      e->parts.limit ? "is past a limit" : "cannot be read",
			      e->parts.why ? ": " : "",
			      e->parts.why ? e->parts.why : "", rule);
		return 126;
	}
	entry_show(e, what, sizeof(what));
	switch ((enum pb_effect)e->d.effect) {
	case PB_ALLOW:
		return 0;
	case PB_ASK:
		if (entry_ask_answer(ctx) != PB_DENY)
			return ENTRY_ASKS;
		(void)rt_fail(err, EACCES,
			      "%s: not run: the policy asks (%s), and permissions.mode is "
			      "strict", what, rule);
		return 126;
	case PB_DENY:
	case PB_HIDE:
	case PB_EFFECT_COUNT:
	default:
		(void)rt_fail(err, EACCES, "%s: denied by %s", what, rule);
		return 126;
	}
}

/* --- the working directory -----------------------------------------------------------
 */

int entry_check_cwd(const struct sandbox_run *run, const struct sandbox_view *view,
		    const char *project, struct rt_err *err)
{
	const struct sandbox_node *n = sandbox_view_find(view, run->cwd);
	struct pol_request q = request_of(&run->ctx, POL_FILE);
	const struct pb_rule *r = NULL;
	char shown[200], why[300];
	struct pol_ctx c;

	if (n && !n->masked && (n->ops & PB_READ) && !n->scratch)
		return 0;
	io_escape(shown, sizeof(shown), run->cwd, strlen(run->cwd));
	pol_ctx_init(&c, (struct bundle *)run->bundle, NULL, 0);
	q.op = POL_READ;
	q.path = run->cwd;
	if (pol_ask(&c, &q, err) == 0)
		r = bundle_rule(run->bundle, c.d.rule);
	if (r && r->kind != PB_SCALAR && c.d.effect != PB_ALLOW)
		show_rule(run->bundle, c.d.rule, NO_RISK, why, sizeof(why));
	else
		(void)snprintf(why, sizeof(why), "%s%s",
			       n && n->scratch ? "it is a scratch directory there" :
						 "no rule makes it readable",
			       place_is_below(run->cwd, project) ?
				       "; file { allow read \"${PROJECT_DIR}\" } shows it" :
				       "");
	return rt_fail(err, EACCES,
		       "the working directory '%s' is not readable in the sandbox (%s)",
		       shown, why);
}

/* --- the program --------------------------------------------------------------------
 */

enum found { F_NOTHING, F_NOT_EXEC, F_NOT_IN_VIEW, F_NO_EXEC_RULE, F_GOOD, F_ERROR };

static bool is_absent(int e)
{
	return e == ENOENT || e == ENOTDIR || e == EACCES || e == ELOOP ||
	       e == ENAMETOOLONG;
}

/* What stands at `path` on the host, and whether the view lets it run; F_ERROR
 * with errno: it cannot be told, and another program must not run instead. */
static enum found look_at(const struct sandbox_view *view, const char *path,
			  uint32_t *ret_rule)
{
	const struct sandbox_node *n;
	char real[PATH_MAX], own[PATH_MAX];
	struct stat st;

	path = sandbox_view_host(view, path, own, sizeof(own));
	if (!path)
		return F_NOTHING;
	if (!realpath(path, real) || stat(real, &st) != 0)
		return is_absent(errno) ? F_NOTHING : F_ERROR;
	if (S_ISDIR(st.st_mode) || !(st.st_mode & 0111))
		return F_NOT_EXEC;
	if (faccessat(AT_FDCWD, real, X_OK, AT_EACCESS) != 0)
		return is_absent(errno) || errno == EPERM ? F_NOT_EXEC : F_ERROR;
	n = sandbox_view_find(view, real);
	if (!n || n->masked || n->scratch || !(n->ops & PB_READ))
		return F_NOT_IN_VIEW;
	*ret_rule = n->rule[2];
	return n->ops & PB_EXEC ? F_GOOD : F_NO_EXEC_RULE;
}

static int refuse(const struct sandbox_run *run, enum found f, const char *path,
		  uint32_t rule, struct rt_err *err)
{
	char name[80], at[160], by[300] = "";

	io_escape(name, sizeof(name), run->argv[0], strlen(run->argv[0]));
	io_escape(at, sizeof(at), path, strlen(path));
	switch (f) {
	case F_NOT_EXEC:
		(void)rt_fail(err, EACCES, "%s: not executable (%s)", name, at);
		return 126;
	case F_NO_EXEC_RULE:
		if (bundle_rule(run->bundle, rule))
			show_rule(run->bundle, rule, NO_RISK, by, sizeof(by));
		(void)rt_fail(err, EACCES, "%s: not executable in the sandbox (%s: %s)",
			      name, at, by[0] ? by : "no rule makes it executable");
		return 126;
	case F_NOT_IN_VIEW:
		(void)rt_fail(err, ENOENT,
			      "%s: not in the sandbox (%s exists, no rule makes it "
			      "readable and executable)",
			      name, at);
		return 127;
	case F_ERROR:
		(void)rt_fail_errno(err, errno, "%s: %s", name, at);
		return 125;
	case F_NOTHING:
	case F_GOOD:
	default:
		(void)rt_fail(err, ENOENT, "%s: not found", name);
		return 127;
	}
}

/* A name with a '/' is that file and no other. */
static int lookup_path(const struct sandbox_run *run, const struct sandbox_view *view,
		       char **ret_path, struct rt_err *err)
{
	const char *name = run->argv[0];
	char path[PATH_MAX];
	uint32_t rule = UINT32_MAX;
	enum found f;

	if ((size_t)snprintf(path, sizeof(path), name[0] == '/' ? "%s%s" : "%s/%s",
			     name[0] == '/' ? "" : run->cwd, name) >= sizeof(path))
		return refuse(run, F_NOTHING, name, rule, err);
	f = look_at(view, path, &rule);
	if (f != F_GOOD)
		return refuse(run, f, path, rule, err);
	*ret_path = strdup(path);
	if (*ret_path)
		return 0;
	(void)rt_fail(err, ENOMEM, "out of memory");
	return 125;
}

int entry_lookup(const struct sandbox_run *run, const struct sandbox_view *view,
		 const char *path, char **ret_path, struct rt_err *err)
{
	char best_path[PATH_MAX] = "", at[PATH_MAX];
	uint32_t best_rule = UINT32_MAX;
	enum found best = F_NOTHING;

	if (strchr(run->argv[0], '/'))
		return lookup_path(run, view, ret_path, err);
	if (!path || !*path)
		path = DEFAULT_PATH;
	while (*path) {
		size_t len = strcspn(path, ":");
		uint32_t rule = UINT32_MAX;
		enum found f = F_NOTHING;

		/* Relative entries would take programs from wherever one stands. */
		if (path[0] == '/' &&
		    (size_t)snprintf(at, sizeof(at), "%.*s/%s", (int)len, path,
				     run->argv[0]) < sizeof(at))
			f = look_at(view, at, &rule);
		if (f == F_GOOD) {
			*ret_path = strdup(at);
			if (*ret_path)
				return 0;
			(void)rt_fail(err, ENOMEM, "out of memory");
			return 125;
		}
		if (f == F_ERROR)
			return refuse(run, f, at, rule, err);
		if (f > best) {
			best = f;
			best_rule = rule;
			memcpy(best_path, at, sizeof(at));
		}
		path += len;
		if (*path)
			path++;
	}
	return refuse(run, best, best_path, best_rule, err);
}
