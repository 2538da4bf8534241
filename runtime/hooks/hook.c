/*
 * Decides what an agent is told.  What a message asks for is allowed only if every part
 * of it is allowed.  Whatever goes wrong is a deny: in the agent's own format if it is
 * known (hook_tools.c names the pages), else by the exit status that blocks.
 */
#include "runtime/hooks/hook.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/json.h"
#include "runtime/bundle/verified.h"
#include "runtime/decide/rule_text.h"
#include "runtime/hooks/hook_read.h"
#include "runtime/hooks/hook_verdict.h"
#include "runtime/query/query.h"

static int block(const char *why)
{
	char line[2000];

	io_plain(line, sizeof(line), why);
	fprintf(stderr, "polquery: denied: %s\n", line);
	return HOOK_BLOCKS;
}

static void with_bundle(const struct query_options *opt, const struct hook_message *m,
			struct hook_verdict *v)
{
	struct verified_options o = { .path = opt->bundle,
				      .signers = opt->signers,
				      .require = opt->require_signed };
	struct rt_err err = { 0 };
	struct bundle b;
	struct trust t;
	struct query q;

	if (verified_open(&o, &b, &t, &err) < 0) {
		hook_verdict_deny(v, err.text);
		return;
	}
	query_init_decide(&q, &b, opt->scope);
	hook_verdict_decide(v, &q, m);
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
	json_object_end(j);
}

/* Codex accepts only a deny as an answer: to allow, we say nothing. */
static void answer_codex(struct json *j, const struct hook_message *m,
			 const struct hook_verdict *v)
{
	if (v->effect != PB_ALLOW)
		answer_claude(j, m, v);
}

static void answer_gemini(struct json *j, const struct hook_message *m,
			  const struct hook_verdict *v)
{
	(void)m;
	json_cstr(j, "decision", word(v->effect));
	if (v->effect != PB_ALLOW)
		json_cstr(j, "reason", v->reason);
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
	};
	struct json j;
	const char *text;

	if (v->effect == PB_ASK && !m->can_ask)
		deny_ask(m, v);
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
	struct hook_verdict v;
	int status;

	*ret = (struct hook_answer){ .text = NULL };
	if (hook_read(hook_agent_find(opt->agent), text, n, opt->fields, &m, &err)) {
		if (q)
			hook_verdict_decide(&v, q, &m);
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
	struct hook_verdict v;
	struct rt_err err = { 0 };

	if (hook_read(hook_agent_find(opt->agent), text, n, opt->fields, &m, &err))
		with_bundle(opt, &m, &v);
	else
		hook_verdict_deny(&v, err.text);
	hook_message_release(&m);
	(void)snprintf(why, cap, "%s", v.reason);
	*ret_effect = v.effect;
	return v.decided;
}
