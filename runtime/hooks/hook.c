/*
 * Decides what an agent is told.  What a message asks for is allowed only if every part
 * of it is allowed.  Whatever goes wrong is a deny: in the agent's own format if it is
 * known (hook_tools.c names the pages), else by the exit status that blocks.
 */
#include "runtime/hooks/hook.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/json.h"
#include "runtime/bundle/verified.h"
#include "runtime/decide/rule_text.h"
#include "runtime/hooks/hook_read.h"
#include "runtime/query/query.h"

/* The answer while it is being made. */
struct verdict {
	uint8_t effect;   /* PB_ALLOW, PB_ASK, PB_DENY */
	bool decided;     /* the policy decided; false: there was no usable policy */
	char reason[6000];
};

/* How many asking parts of a line are shown; the others are only counted. */
enum { SHOWN_PARTS = 6 };

static int block(const char *why)
{
	char line[2000];

	io_plain(line, sizeof(line), why);
	fprintf(stderr, "polquery: denied: %s\n", line);
	return HOOK_BLOCKS;
}

static void deny(struct verdict *v, const char *why)
{
	v->effect = PB_DENY;
	v->decided = false;
	(void)snprintf(v->reason, sizeof(v->reason), "%s", why);
}

/* --- the decision --------------------------------------------------------------------- */

static size_t add_text(struct verdict *v, size_t at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static size_t add_text(struct verdict *v, size_t at, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(v->reason + at, sizeof(v->reason) - at, fmt, ap);
	va_end(ap);
	at += n > 0 ? (size_t)n : 0;
	return at < sizeof(v->reason) ? at : sizeof(v->reason) - 1;
}

/* Adds "'PART': REASON (rule ID at FILE:LINE)". */
static size_t add_why(struct verdict *v, size_t at, const struct bundle *b, const char *part,
		      const char *why, uint32_t rule, bool needs_person)
{
	char shown[EXPLAIN_RULE_CAP];

	return add_text(v, at, "%s%s%s%s%s(%s%s)", part[0] ? "'" : "", part,
			part[0] ? "': " : "", why, why[0] ? " " : "",
			explain_rule(b, rule, shown),
			needs_person ? "; only a person can answer this" : "");
}

/* Lists all parts of a line that ask: a person who says yes to one says yes to all. */
static size_t say_parts(struct verdict *v, size_t at, const struct pol_ctx *c,
			const struct cmd_part *const *parts, size_t n)
{
	char why[500], part[200];

	for (size_t i = 0; i < n && i < SHOWN_PARTS; i++) {
		pol_part_reason(c, parts[i], why, sizeof(why));
		pol_part_text(c, parts[i], part, sizeof(part));
		at = add_text(v, at, "%s", i ? "; " : "");
		at = add_why(v, at, c->b, part, why, parts[i]->rule, parts[i]->needs_person);
	}
	if (n > SHOWN_PARTS)
		at = add_text(v, at, "; and %zu more parts of the line ask", n - SHOWN_PARTS);
	return at;
}

/* Adds the reason, and for a longer line the part concerned, after the existing text. */
static void say_why(struct verdict *v, const struct pol_ctx *c)
{
	const struct cmd_part *parts[SHOWN_PARTS];
	size_t at = strlen(v->reason), n = pol_asking(c, parts, SHOWN_PARTS);
	char why[500], part[200];

	if (at > sizeof(v->reason) / 2) {
		(void)add_text(v, at, "; and more of it");
		return;
	}
	if (at)
		at = add_text(v, at, "; ");
	if (n > 1 && !c->d.unparsed) {
		(void)say_parts(v, at, c, parts, n);
		return;
	}
	pol_reason(c, why, sizeof(why));
	pol_deciding_text(c, part, sizeof(part));
	at = add_why(v, at, c->b, part, why, c->d.rule, c->d.needs_person);
	if (n > 1) { /* list them as well as the part that cannot be parsed */
		at = add_text(v, at, "; ");
		(void)say_parts(v, at, c, parts, n);
	}
}

/* Takes the strictest decision about what the tool would do. */
static void decide(struct query *q, const struct hook_message *m, struct verdict *v)
{
	*v = (struct verdict){ .effect = PB_DENY, .reason = "nothing was asked" };
	for (size_t i = 0; i < m->n; i++) {
		struct rt_err err = { 0 };
		uint8_t effect;

		if (query_decide(q, &m->requests[i], &err) < 0) {
			deny(v, err.text);
			return;
		}
		effect = q->ctx.d.effect > PB_ASK ? PB_DENY : q->ctx.d.effect;
		/* show everything that asks; of other effects only the first that is
		 * the strictest */
		if (i > 0 && (effect < v->effect || (effect == v->effect && effect != PB_ASK)))
			continue;
		if (i == 0 || effect > v->effect)
			v->reason[0] = '\0';
		v->effect = effect;
		v->decided = true;
		say_why(v, &q->ctx);
	}
	if (m->n && m->odd && v->effect != PB_DENY) {
		char shown[60], why[300];

		io_escape(shown, sizeof(shown), m->odd, strlen(m->odd));
		(void)snprintf(why, sizeof(why),
			       "the message has a field that this version does not know: "
			       "'%s' (where it changes nothing, 'polquery … hook %s %s' "
			       "ignores it)",
			       shown, hook_agent_name(m->agent), shown);
		deny(v, why);
	}
}

static void with_bundle(const struct query_options *opt, const struct hook_message *m,
			struct verdict *v)
{
	struct verified_options o = { .path = opt->bundle,
				      .signers = opt->signers,
				      .require = opt->require_signed };
	struct rt_err err = { 0 };
	struct bundle b;
	struct trust t;
	struct query q;

	if (verified_open(&o, &b, &t, &err) < 0) {
		deny(v, err.text);
		return;
	}
	query_init_decide(&q, &b, opt->scope);
	decide(&q, m, v);
	query_release(&q);
	bundle_release(&b);
}

/* --- the answer -------------------------------------------------------------------------- */

static const char *word(uint8_t effect)
{
	return explain_effect(effect <= PB_ASK ? effect : PB_DENY);
}

static void answer_claude(struct json *j, const struct hook_message *m,
			  const struct verdict *v)
{
	json_object(j, "hookSpecificOutput");
	json_cstr(j, "hookEventName", m->event);
	json_cstr(j, "permissionDecision", word(v->effect));
	json_cstr(j, "permissionDecisionReason", v->reason);
	json_object_end(j);
}

/* Codex accepts only a deny as an answer: to allow, we say nothing. */
static void answer_codex(struct json *j, const struct hook_message *m,
			 const struct verdict *v)
{
	if (v->effect != PB_ALLOW)
		answer_claude(j, m, v);
}

static void answer_gemini(struct json *j, const struct hook_message *m,
			  const struct verdict *v)
{
	(void)m;
	json_cstr(j, "decision", word(v->effect));
	if (v->effect != PB_ALLOW)
		json_cstr(j, "reason", v->reason);
}

static void answer_cursor(struct json *j, const struct hook_message *m,
			  const struct verdict *v)
{
	(void)m;
	json_cstr(j, "permission", word(v->effect));
	if (v->effect == PB_ALLOW)
		return;
	json_cstr(j, "user_message", v->reason);
	json_cstr(j, "agent_message", v->reason);
}

/* If nobody would be asked, turns an ask into a deny that says so. */
static void deny_ask(const struct hook_message *m, struct verdict *v)
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

static int write_answer(const struct hook_message *m, struct verdict *v,
			struct hook_answer *ret)
{
	static void (*const writers[HOOK_AGENT_COUNT])(struct json *,
						       const struct hook_message *,
						       const struct verdict *) = {
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
	struct verdict v;
	int status;

	*ret = (struct hook_answer){ .text = NULL };
	if (hook_read(hook_agent_find(opt->agent), text, n, opt->fields, &m, &err)) {
		if (q)
			decide(q, &m, &v);
		else
			with_bundle(opt, &m, &v);
		status = write_answer(&m, &v, ret);
	} else if (m.event) {
		deny(&v, err.text);
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
	struct verdict v;
	struct rt_err err = { 0 };

	if (hook_read(hook_agent_find(opt->agent), text, n, opt->fields, &m, &err))
		with_bundle(opt, &m, &v);
	else
		deny(&v, err.text);
	hook_message_release(&m);
	(void)snprintf(why, cap, "%s", v.reason);
	*ret_effect = v.effect;
	return v.decided;
}
