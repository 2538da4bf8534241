/* Decides the command before anything runs, and says why if it may not run. */
#include "runtime/entry/entry.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/io.h"
#include "runtime/decide/rule_text.h"
#include "runtime/libpol/pol_own.h"

enum { NO_RISK = 4 };

/* Finds the program of `shell NAME = PATH`, or where Debian has the shell of the
 * dialect. */
static int find_shell(const struct decide_ctx *ctx, struct entry *e, struct rt_err *err)
{
	static const char *const usual[] = { [LINE_DIALECT_BASH] = "/bin/bash",
					     [LINE_DIALECT_POSIX] = "/bin/sh",
					     [LINE_DIALECT_NONE] = "/bin/sh" };
	const struct line_facts *c = ctx->b->commands;

	e->shell = c->shell.len ? strndup(pb_strp(c, c->shell), c->shell.len)
				: strdup(usual[c->dialect]);
	if (!e->shell)
		return rt_fail(err, ENOMEM, "out of memory");
	/* without the "--" a line that begins with '-' would be taken as options */
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

/* A request for the place where the run takes place. */
static struct pol_request request_of(const struct decide_ctx *ctx, uint32_t kind)
{
	return (struct pol_request){
		.size = sizeof(struct pol_request),
		.kind = kind,
		.scope = ctx->scope,
		.flags = POL_NO_ROOT, /* polrun has checked that the roots exist */
		.cwd = ctx->cwd,
		.home = ctx->roots.dir[PB_ROOT_HOME],
		.project = ctx->roots.dir[PB_ROOT_PROJECT],
		.tmpdir = ctx->roots.dir[PB_ROOT_TMP],
		.session_dir = ctx->roots.dir[PB_ROOT_SESSION],
		.ssh_auth_sock = ctx->roots.dir[PB_ROOT_AGENT],
		.git_common_dir = ctx->roots.dir[PB_ROOT_GIT],
	};
}

struct pol_request entry_request(const struct decide_ctx *ctx, const char *line,
				 const char *const *argv, size_t argc)
{
	struct pol_request q = request_of(ctx, line ? POL_COMMAND : POL_ARGV);

	q.line = line;
	q.line_n = line ? strlen(line) : 0;
	q.argv = argv;
	q.argc = argc;
	return q;
}

static int decide(const struct decide_ctx *ctx, struct pol_request *q, struct decision *ret_d,
		  struct rt_err *err)
{
	struct pol_ctx c;
	int r;

	pol_ctx_init(&c, (struct bundle *)ctx->b, NULL, 0);
	r = pol_ctx_grow(&c, 0, err);
	if (r == 0)
		r = pol_ask(&c, q, err);
	*ret_d = c.d;
	free(c.block);
	return r;
}

int entry_decide_net(const struct decide_ctx *ctx, const char *host, uint16_t port, bool udp,
		     struct pol_request *ret, struct decision *ret_d, struct rt_err *err)
{
	*ret = request_of(ctx, POL_NET);
	ret->host = host;
	ret->port = port;
	ret->proto = udp ? POL_UDP : POL_TCP;
	return decide(ctx, ret, ret_d, err);
}

int entry_decide_file(const struct decide_ctx *ctx, const char *path, uint8_t op,
		      struct pol_request *ret, struct decision *ret_d, struct rt_err *err)
{
	*ret = request_of(ctx, POL_FILE);
	ret->path = path;
	ret->op = op == PB_READ ? POL_READ : op == PB_WRITE ? POL_WRITE : POL_EXEC;
	return decide(ctx, ret, ret_d, err);
}

int entry_decide_unix(const struct decide_ctx *ctx, const char *path, struct pol_request *ret,
		      struct decision *ret_d, struct rt_err *err)
{
	*ret = request_of(ctx, POL_UNIX);
	ret->path = path;
	return decide(ctx, ret, ret_d, err);
}

static int ask(const struct decide_ctx *ctx, struct entry *e, struct rt_err *err)
{
	struct pol_request q = entry_request(ctx, e->line, e->argv, e->argc);
	struct pol_ctx c;
	size_t n = q.line_n;
	int r;

	for (size_t i = 0; !e->line && i < e->argc; i++)
		n += strlen(e->argv[i]) + 1;
	/* the bundle is only verified further for system calls */
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

/* The part of the line to which its decision belongs, or NULL. */
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

/* Writes "rule ID at FILE:LINE: REASON" for a message of 400 bytes.  If the risk
 * decided, the reason is the risk's class. */
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

void entry_show_rule(const struct bundle *b, uint32_t rule, char *out, size_t cap)
{
	show_rule(b, rule, NO_RISK, out, cap);
}

bool entry_show_unreadable(const struct decide_ctx *ctx, const char *path, char *out,
			   size_t cap)
{
	struct pol_request q = request_of(ctx, POL_FILE);
	const struct pb_rule *r = NULL;
	struct rt_err err = { 0 };
	struct pol_ctx c;

	pol_ctx_init(&c, (struct bundle *)ctx->b, NULL, 0);
	q.op = POL_READ;
	q.path = path;
	if (pol_ask(&c, &q, &err) == 0)
		r = bundle_rule(ctx->b, c.d.rule);
	if (!r || r->kind == PB_SCALAR || c.d.effect == PB_ALLOW)
		return false;
	entry_show_rule(ctx->b, c.d.rule, out, cap);
	return true;
}

/* permissions.mode: what happens to an ask that no person has to answer. */
enum pb_effect entry_ask_answer(const struct decide_ctx *ctx)
{
	const struct pb_rules *h = ctx->b->rules;
	const struct pb_rule *r =
		bundle_rule(ctx->b, h->scalar_first + (uint32_t)PB_S_ASK_ANSWER);

	/* bundles without the rule are refused earlier; treat an unknown value as deny */
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

void entry_add_hint(const struct decide_ctx *ctx, const struct cmd_part *part,
		    struct rt_err *err)
{
	static const char before[] = "; to pass: ";
	size_t at = strlen(err->text);
	struct hint hint;

	if (!part)
		return;
	hint_part(ctx->b, ctx->roots.dir[PB_ROOT_PROJECT], part, &hint);
	if (!hint.text[0] || at + sizeof(before) + strlen(hint.text) > sizeof(err->text))
		return;
	memcpy(err->text + at, before, sizeof(before) - 1);
	memcpy(err->text + at + sizeof(before) - 1, hint.text, strlen(hint.text) + 1);
}

int entry_verdict(const struct decide_ctx *ctx, const struct entry *e, struct rt_err *err)
{
	char what[110], rule[ENTRY_WHY];

	entry_show_why(ctx, e, deciding_part(e), rule);
	/* nobody knows what the line would run, so no answer can allow it */
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
		entry_add_hint(ctx, deciding_part(e), err);
		return 126;
	case PB_DENY:
	case PB_HIDE:
	case PB_EFFECT_COUNT:
	default:
		(void)rt_fail(err, EACCES, "%s: denied by %s", what, rule);
		entry_add_hint(ctx, deciding_part(e), err);
		return 126;
	}
}
