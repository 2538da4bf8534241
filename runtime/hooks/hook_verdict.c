/*
 * Decides a message: it is allowed only if every part of it is allowed, and the reason
 * names what decided.  What is not known of a message never makes it better than "ask".
 */
#include "runtime/hooks/hook_verdict.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/io.h"
#include "runtime/bundle/format.h"
#include "runtime/decide/rule_text.h"
#include "runtime/query/query.h"

/* How many asking parts of a line are shown; the others are only counted. */
enum { SHOWN_PARTS = 6 };

void hook_verdict_deny(struct hook_verdict *v, const char *why)
{
	v->effect = PB_DENY;
	v->decided = false;
	(void)snprintf(v->reason, sizeof(v->reason), "%s", why);
}

static size_t add_text(struct hook_verdict *v, size_t at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static size_t add_text(struct hook_verdict *v, size_t at, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(v->reason + at, sizeof(v->reason) - at, fmt, ap);
	va_end(ap);
	at += n > 0 ? (size_t)n : 0;
	return at < sizeof(v->reason) ? at : sizeof(v->reason) - 1;
}

/* Adds "'PART': REASON (rule ID at FILE:LINE)"; without a reason also the rule's text. */
static size_t add_why(struct hook_verdict *v, size_t at, const struct bundle *b, const char *part,
		      const char *why, uint32_t rule, bool needs_person)
{
	char shown[EXPLAIN_RULE_CAP], text[300];
	bool has_text = !why[0] && explain_rule_text(b, rule, text, sizeof(text));

	return add_text(v, at, "%s%s%s%s%s(%s%s%s%s)", part[0] ? "'" : "", part,
			part[0] ? "': " : "", why, why[0] ? " " : "",
			explain_rule(b, rule, shown), has_text ? ": " : "", has_text ? text : "",
			needs_person ? "; only a person can answer this" : "");
}

/* Lists all parts of a line that ask: a person who says yes to one says yes to all. */
static size_t say_parts(struct hook_verdict *v, size_t at, const struct pol_ctx *c,
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

/* Names what is not a line: the file, the address or the tool. */
static void name_request(const struct query_request *r, char *out, size_t cap)
{
	char shown[200];
	const char *text = r->kind == QUERY_FILE ? r->path :
			   r->kind == QUERY_NET ? r->host :
			   r->kind == QUERY_TOOL ? r->name : "";

	out[0] = '\0';
	io_escape(shown, sizeof(shown), text, strlen(text));
	if (r->kind == QUERY_FILE)
		(void)snprintf(out, cap, "%s %s", r->op == PB_READ ? "read" :
			       r->op == PB_WRITE ? "write" : "exec", shown);
	else if (r->kind == QUERY_NET)
		(void)snprintf(out, cap, "tcp %s port %u", shown, r->port);
	else if (r->kind == QUERY_TOOL)
		(void)snprintf(out, cap, "tool %s", shown);
}

/* Says what would make the request pass. */
static void say_hint(struct hook_verdict *v, const struct pol_ctx *c)
{
	struct hint hint;

	/* half of a rule would be another rule */
	pol_hint(c, &hint);
	if (hint.text[0] && strlen(v->reason) + strlen(hint.text) + 60 < sizeof(v->reason))
		(void)add_text(v, strlen(v->reason), "; to let it pass%s: %s",
			       hint.rule ? ", a user's policy can say" : "", hint.text);
}

/* Adds the reason, and what it is about, after the existing text. */
static void say_why(struct hook_verdict *v, const struct pol_ctx *c,
		    const struct query_request *r)
{
	const struct cmd_part *parts[SHOWN_PARTS];
	size_t at = strlen(v->reason), n = pol_asking(c, parts, SHOWN_PARTS);
	char why[500], part[300];

	if (at > sizeof(v->reason) / 2) {
		(void)add_text(v, at, "; and more of it");
		return;
	}
	if (at)
		at = add_text(v, at, "; ");
	if (n > 1 && !c->d.unparsed) {
		(void)say_parts(v, at, c, parts, n);
		say_hint(v, c);
		return;
	}
	pol_reason(c, why, sizeof(why));
	pol_deciding_text(c, part, sizeof(part));
	if (!part[0])
		name_request(r, part, sizeof(part));
	at = add_why(v, at, c->b, part, why, c->d.rule, c->d.needs_person);
	if (n > 1) { /* list them as well as the part that cannot be parsed */
		at = add_text(v, at, "; ");
		(void)say_parts(v, at, c, parts, n);
	}
	say_hint(v, c);
}

/* Takes what speaks against the message, whatever the policy says of it: at best a person
 * may say yes. */
static void doubt(struct hook_verdict *v, const char *why)
{
	size_t at;

	if (v->effect == PB_DENY)
		return;
	at = v->effect == PB_ASK ? strlen(v->reason) : 0;
	v->effect = PB_ASK;
	(void)add_text(v, at, "%s%s", at ? "; " : "", why);
}

static void doubt_message(struct hook_verdict *v, const struct hook_message *m)
{
	char shown[60], why[300];

	if (m->asks)
		doubt(v, m->asks);
	if (m->odd) {
		io_escape(shown, sizeof(shown), m->odd, strlen(m->odd));
		(void)snprintf(why, sizeof(why),
			       "the message has a field that this version does not know: "
			       "'%s' (where it changes nothing, 'polquery … hook %s %s' "
			       "ignores it)",
			       shown, hook_agent_name(m->agent), shown);
		doubt(v, why);
	}
}

void hook_verdict_decide(struct hook_verdict *v, struct query *q, const struct hook_message *m)
{
	*v = (struct hook_verdict){ .effect = PB_DENY, .reason = "nothing was asked" };
	for (size_t i = 0; i < m->n; i++) {
		struct rt_err err = { 0 };
		uint8_t effect;

		if (query_decide(q, &m->requests[i], &err) < 0) {
			hook_verdict_deny(v, err.text);
			return;
		}
		effect = q->ctx.d.effect > PB_ASK ? PB_DENY : q->ctx.d.effect;
		v->asks |= effect == PB_ASK;
		v->only_person |= effect == PB_ASK && q->ctx.d.needs_person;
		/* show everything that asks; of other effects only the first that is
		 * the strictest */
		if (i > 0 && (effect < v->effect || (effect == v->effect && effect != PB_ASK)))
			continue;
		if (i == 0 || effect > v->effect)
			v->reason[0] = '\0';
		v->effect = effect;
		v->decided = true;
		say_why(v, &q->ctx, &m->requests[i]);
	}
	doubt_message(v, m);
}

void hook_verdict_add_line(struct hook_verdict *v, struct query *q, const struct hook_message *m)
{
	struct hook_message line = { .agent = m->agent, .event = m->event, .n = m->n,
				     .requests = m->requests };
	struct hook_verdict other;

	hook_verdict_decide(&other, q, &line);
	v->asks = other.asks;
	v->only_person = other.only_person;
	if (other.effect == PB_ASK && v->effect == PB_ASK)
		doubt(v, other.reason);
	if (other.effect <= v->effect)
		return;
	v->effect = other.effect;
	v->decided = other.decided;
	memcpy(v->reason, other.reason, sizeof(v->reason));
}
