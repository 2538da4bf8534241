/*
 * Decides what an agent is told.  What a message asks for is allowed only if every part
 * of it is allowed.  Whatever goes wrong is a deny: in the agent's own format if it is
 * known (hook_tools.c names the pages), else by the exit status that blocks.
 */
#include "runtime/hooks/hook.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/json.h"
#include "runtime/base/place.h"
#include "runtime/bundle/verified.h"
#include "runtime/decide/rule_text.h"
#include "runtime/hooks/hook_inside.h"
#include "runtime/hooks/hook_read.h"
#include "runtime/hooks/hook_root.h"
#include "runtime/hooks/hook_verdict.h"
#include "runtime/query/query.h"
#include "runtime/traffic/traffic.h"

static int block(const char *why)
{
	char line[2000];

	io_plain(line, sizeof(line), why);
	fprintf(stderr, "polquery: denied: %s\n", line);
	return HOOK_BLOCKS;
}

static int open_bundle(const struct query_options *opt, const char *path, struct bundle *ret,
		       struct hook_verdict *v)
{
	struct verified_options o = { .path = path,
				      .signers = opt->signers,
				      .require = opt->require_signed };
	struct rt_err err = { 0 };
	struct trust t;
	int r = verified_open(&o, ret, &t, &err);

	if (r < 0)
		hook_verdict_deny(v, err.text);
	return r;
}

/* polrun asks that person itself, and an agent's shell has no terminal for it.  What a person has said
 * yes to Copilot CLI runs as it was, and not the line for polrun. */
static void deny_person(struct hook_verdict *v)
{
	size_t at = strlen(v->reason);

	v->effect = PB_DENY;
	(void)snprintf(v->reason + at, sizeof(v->reason) - at, "; it would run under polrun, which "
		       "asks only at a terminal: write it in another way, or let a person run it");
}

/* Writes the line that runs inside; `q` has decided it under the policy of that run. */
static void write_inside(const struct query_options *opt, const struct query *q,
			 const struct hook_message *m, struct hook_verdict *v)
{
	struct rt_err err = { 0 };
	char polrun[PATH_MAX];
	struct hook_inside how = {
		.polrun = polrun,
		.bundle = opt->run,
		.signers = opt->signers,
		.require_signed = opt->require_signed,
		.project = q->where.project,
		.cwd = q->where.cwd,
		.yes = v->asks,
		.keeps_cwd = m->agent == HOOK_CLAUDE,
		.follows_cd = m->agent == HOOK_CLAUDE,
	};

	if (v->only_person || (m->agent == HOOK_COPILOT && v->effect == PB_ASK))
		deny_person(v);
	else if (m->n != 1 || opt->run[0] != '/' || (opt->signers && opt->signers[0] != '/'))
		hook_verdict_deny(v, "--run and --allowed-signers need absolute paths");
	else if (hook_inside_polrun(polrun, &err) < 0 ||
		 (v->inside = hook_inside_line(&how, m->line, &err)) == NULL)
		hook_verdict_deny(v, err.text);
}

/* Decides the line under the policy of its run as well, and writes how it runs. */
static void run_inside(const struct query_options *opt, struct query *q,
		       const struct hook_message *m, struct hook_verdict *v)
{
	struct rt_err err = { 0 };
	struct bundle b;
	struct query own;

	if (opt->bundle && strcmp(opt->run, opt->bundle) == 0) {
		write_inside(opt, q, m, v);
		return;
	}
	if (open_bundle(opt, opt->run, &b, v) < 0)
		return;
	query_init_decide(&own, &b, PB_SANDBOX);
	/* polrun keeps its own bundle, and not the one that decides the messages */
	if (hook_check_believed(opt, &own, m->requests[0].project, &err) < 0)
		hook_verdict_deny(v, err.text);
	else
		hook_verdict_add_line(v, &own, m);
	if (v->effect != PB_DENY)
		write_inside(opt, &own, m, v);
	query_release(&own);
	bundle_release(&b);
}

/* A directory that the tool names may be anywhere; and one in which the agent works may have
 * become a link by a line that ran before. */
static bool check_cwd(struct query *q, const struct hook_message *m, const char *project,
		      struct rt_err *err)
{
	struct query_request r = { .kind = QUERY_COMMAND, .cwd = m->cwd, .project = project };
	struct decide_ctx ctx = { .b = q->b, .scope = PB_SANDBOX };

	if (!query_where_find(&q->where, &r, &ctx, err))
		return false;
	if (strcmp(q->where.cwd, m->cwd) != 0)
		return rt_fail(err, EINVAL, "'cwd' is reached by a symbolic link: start the agent in "
			       "the directory itself") == 0;
	return place_is_below(q->where.cwd, project) ||
	       rt_fail(err, EINVAL, "'cwd' is not in the project in which the agent was started") == 0;
}

/* The files that the hook believes; NULL: there is no such file. */
enum { MAX_BELIEVED = 3 };

static void find_believed(const struct query_options *opt, const char *ret[MAX_BELIEVED])
{
	ret[0] = opt->bundle;
	ret[1] = opt->run;
	ret[2] = opt->signers;
}

/*
 * Refuses a bundle that lets the agent write it, or the list of signers: the next call would believe what
 * the agent has put there.  polrun refuses such a run for the same reason (view_protect.c).  Which
 * program of a line writes a file is not always known, so that a deny of the single write would not
 * do.
 */
int hook_check_believed(const struct query_options *opt, struct query *q, const char *project,
			struct rt_err *err)
{
	const struct query_request where = { .project = project };
	const char *paths[MAX_BELIEVED];
	char shown[300];

	find_believed(opt, paths);
	for (size_t i = 0; i < MAX_BELIEVED; i++) {
		bool reach = false;
		int r = paths[i] ? query_may_write(q, &where, paths[i], &reach, err) : 0;

		if (r < 0)
			return r;
		if (!reach)
			continue;
		io_escape(shown, sizeof(shown), paths[i], strlen(paths[i]));
		return rt_fail(err, EPERM, "%s lies where the policy lets the agent write, and the next "
			       "call would believe it: keep it in .pol/extra of the project, which no agent "
			       "writes, or outside of what the rules make writable", shown);
	}
	return 0;
}

/* Are there files or commands in it, about which rules of the project may say something? */
static bool has_place(const struct hook_message *m)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->requests[i].kind == QUERY_COMMAND || m->requests[i].kind == QUERY_FILE)
			return true;
	return false;
}

/* What runs under polrun is decided as what runs in a sandbox.  The project is that of the
 * session in any case. */
static void decide(const struct query_options *opt, struct query *q, struct hook_message *m,
		   struct hook_verdict *v)
{
	const char *believed[MAX_BELIEVED], *kept[MAX_BELIEVED + 1] = { NULL };
	char real[MAX_BELIEVED][PATH_MAX];
	size_t nkept = 0;
	struct rt_err err = { 0 };
	char project[PATH_MAX];
	bool places = has_place(m);

	/* the line that is asked about is one for polrun by now */
	if (opt->run && m->is_question) {
		*v = (struct hook_verdict){ .effect = PB_ASK };
		return;
	}
	if (places && (!hook_root_find(q, m, project, &err) ||
		       (opt->run && m->line && !check_cwd(q, m, project, &err)))) {
		hook_verdict_deny(v, err.text);
		return;
	}
	if (places && hook_check_believed(opt, q, project, &err) < 0) {
		hook_verdict_deny(v, err.text);
		return;
	}
	for (size_t i = 0; places && i < m->n; i++) {
		m->requests[i].project = project;
		if (opt->run && m->line && m->requests[i].kind == QUERY_COMMAND)
			m->requests[i].scope = PB_SANDBOX;
	}
	/* a command may write what no rule about files mentions, but not these */
	find_believed(opt, believed);
	for (size_t i = 0; i < MAX_BELIEVED; i++)
		if (believed[i] && realpath(believed[i], real[nkept])) {
			kept[nkept] = real[nkept];
			nkept++;
		}
	q->ctx.kept = kept;
	hook_verdict_decide(v, q, m);
	q->ctx.kept = NULL;
	if (opt->run && m->line && v->effect != PB_DENY)
		run_inside(opt, q, m, v);
}

static void with_bundle(const struct query_options *opt, struct hook_message *m,
			struct hook_verdict *v)
{
	struct traffic record = TRAFFIC_NONE;
	struct rt_err err = { 0 };
	struct bundle b;
	struct query q;

	*v = (struct hook_verdict){ .effect = PB_DENY };
	if (open_bundle(opt, opt->bundle, &b, v) < 0)
		return;
	query_init_decide(&q, &b, opt->scope);
	if (opt->record && query_record(&q, &record, opt->record, &err) < 0)
		hook_verdict_deny(v, err.text);
	else
		decide(opt, &q, m, v);
	traffic_close(&record);
	query_release(&q);
	bundle_release(&b);
}

/* --- the answer -------------------------------------------------------------------------- */

static const char *word(uint8_t effect)
{
	return explain_effect(effect <= PB_ASK ? effect : PB_DENY);
}

static void answer_claude(struct json *j, const struct hook_message *m,
			  const struct hook_verdict *v)
{
	json_object(j, "hookSpecificOutput");
	json_cstr(j, "hookEventName", m->event);
	json_cstr(j, "permissionDecision", word(v->effect));
	json_cstr(j, "permissionDecisionReason", v->reason);
	if (v->input)
		json_raw(j, "updatedInput", v->input, strlen(v->input));
	json_object_end(j);
}

/* Codex accepts only a deny as an answer, or another input: to allow, we say nothing.  Before it asks a person it
 * accepts both, and asks if we say nothing. */
static void answer_codex(struct json *j, const struct hook_message *m,
			 const struct hook_verdict *v)
{
	if (m->is_question) {
		if (v->effect == PB_ASK)
			return;
		json_object(j, "hookSpecificOutput");
		json_cstr(j, "hookEventName", m->event);
		json_object(j, "decision");
		json_cstr(j, "behavior", word(v->effect));
		if (v->effect != PB_ALLOW)
			json_cstr(j, "message", v->reason);
		json_object_end(j);
		json_object_end(j);
		return;
	}
	if (v->effect != PB_ALLOW || v->input)
		answer_claude(j, m, v);
}

static void answer_gemini(struct json *j, const struct hook_message *m,
			  const struct hook_verdict *v)
{
	json_cstr(j, "decision", word(v->effect));
	if (v->effect != PB_ALLOW)
		json_cstr(j, "reason", v->reason);
	if (!v->input)
		return;
	json_object(j, "hookSpecificOutput");
	json_cstr(j, "hookEventName", m->event);
	json_raw(j, "tool_input", v->input, strlen(v->input));
	json_object_end(j);
}

static void answer_copilot(struct json *j, const struct hook_message *m,
			   const struct hook_verdict *v)
{
	(void)m;
	json_cstr(j, "permissionDecision", word(v->effect));
	json_cstr(j, "permissionDecisionReason", v->reason);
	if (v->input)
		json_raw(j, "modifiedArgs", v->input, strlen(v->input));
}

static void answer_cursor(struct json *j, const struct hook_message *m,
			  const struct hook_verdict *v)
{
	(void)m;
	json_cstr(j, "permission", word(v->effect));
	if (v->effect == PB_ALLOW)
		return;
	json_cstr(j, "user_message", v->reason);
	json_cstr(j, "agent_message", v->reason);
}

/* If nobody would be asked, turns an ask into a deny that says so. */
static void deny_ask(const struct hook_message *m, struct hook_verdict *v)
{
	size_t at = strlen(v->reason);
	char mode[60];

	v->effect = PB_DENY;
	io_escape(mode, sizeof(mode), m->mode ? m->mode : "", m->mode ? strlen(m->mode) : 0);
	(void)snprintf(v->reason + at, sizeof(v->reason) - at,
		       "; the policy asks first, which this agent's hook cannot%s%s%s: let a "
		       "person run it", m->mode ? " in the permission mode '" : "", mode,
		       m->mode ? "'" : "");
}

static int write_answer(const struct hook_message *m, struct hook_verdict *v,
			struct hook_answer *ret)
{
	static void (*const writers[HOOK_AGENT_COUNT])(struct json *,
						       const struct hook_message *,
						       const struct hook_verdict *) = {
		[HOOK_CLAUDE] = answer_claude,
		[HOOK_CODEX] = answer_codex,
		[HOOK_GEMINI] = answer_gemini,
		[HOOK_CURSOR] = answer_cursor,
		[HOOK_QWEN] = answer_claude,
		[HOOK_OPENCODE] = answer_gemini,
		[HOOK_COPILOT] = answer_copilot,
		[HOOK_PI] = answer_gemini,
	};
	struct json j;
	const char *text;

	if (v->effect == PB_ASK && !m->can_ask)
		deny_ask(m, v);
	/* Claude Code and Copilot CLI take the new input in place of the whole old one */
	if (v->inside && v->effect != PB_DENY) {
		v->input = hook_message_input(m, v->inside, m->agent != HOOK_CLAUDE && m->agent != HOOK_COPILOT);
		if (!v->input)
			hook_verdict_deny(v, "the line for polrun cannot be written: a path that is "
					  "no UTF-8, or no memory");
	}
	json_init(&j);
	j.layout = JSON_TIGHT;
	json_object(&j, NULL);
	writers[m->agent](&j, m, v);
	json_object_end(&j);
	text = json_finish(&j, &ret->n);
	ret->text = text ? strndup(text, ret->n) : NULL;
	json_release(&j);
	if (ret->text)
		return 0;
	(void)snprintf(ret->why, sizeof(ret->why), "out of memory");
	return HOOK_BLOCKS;
}

int hook_answer(const struct query_options *opt, struct query *q, const char *text,
		size_t n, struct hook_answer *ret)
{
	struct hook_message m = { .agent = HOOK_AGENT_COUNT };
	struct rt_err err = { 0 };
	struct hook_verdict v = { .effect = PB_DENY };
	int status;

	*ret = (struct hook_answer){ .text = NULL };
	if (hook_read(hook_agent_find(opt->agent), text, n, opt->fields, &m, &err)) {
		if (q)
			decide(opt, q, &m, &v);
		else
			with_bundle(opt, &m, &v);
		status = write_answer(&m, &v, ret);
	} else if (m.event) {
		hook_verdict_deny(&v, err.text);
		status = write_answer(&m, &v, ret);
	} else {
		(void)snprintf(ret->why, sizeof(ret->why), "%s", err.text);
		status = HOOK_BLOCKS;
	}
	free(v.inside);
	free(v.input);
	hook_message_release(&m);
	return status;
}

int hook_run(const struct query_options *opt)
{
	struct hook_answer a;
	char *text = NULL;
	size_t n = 0;
	int status, r = io_read_all(STDIN_FILENO, HOOK_MAX_MESSAGE, &text, &n);

	if (r < 0)
		return block(r == -EFBIG ? "the message is larger than 16 MiB" :
					   "the message cannot be read");
	status = hook_answer(opt, NULL, text, n, &a);
	free(text);
	if (status)
		return block(a.why);
	r = io_write_all(STDOUT_FILENO, a.text, a.n);
	free(a.text);
	return r < 0 ? block("the answer cannot be written") : 0;
}

bool hook_try(const struct query_options *opt, const char *text, size_t n,
	      uint8_t *ret_effect, char *why, size_t cap)
{
	struct hook_message m;
	struct hook_verdict v = { .effect = PB_DENY };
	struct rt_err err = { 0 };

	if (hook_read(hook_agent_find(opt->agent), text, n, opt->fields, &m, &err))
		with_bundle(opt, &m, &v);
	else
		hook_verdict_deny(&v, err.text);
	free(v.inside);
	hook_message_release(&m);
	(void)snprintf(why, cap, "%s", v.reason);
	*ret_effect = v.effect;
	return v.decided;
}
