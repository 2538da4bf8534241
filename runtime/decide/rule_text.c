/* Names a rule, or what decided. Decides only the wording; all text from the bundle is
 * escaped. */
#include "runtime/decide/rule_text.h"

#include <inttypes.h>
#include <stdio.h>

#include "runtime/base/io.h"
#include "runtime/line/cmd_text.h"

static void field(const struct bundle *b, struct pb_str s, char *out, size_t cap)
{
	io_escape(out, cap, pb_strp(b->rules, s), s.len);
}

uint32_t explain_named(const struct bundle *b, uint32_t rule)
{
	const struct pb_rule *r = bundle_rule(b, rule);
	uint32_t first = b->rules->scalar_first;

	return r && rule == first + (uint32_t)PB_S_NET_OTHERWISE && !r->line ?
		       first + (uint32_t)PB_S_NET_MODE : rule;
}

void explain_rule_id(const struct bundle *b, uint32_t rule, char *out, size_t cap)
{
	const struct pb_rule *r = bundle_rule(b, rule);

	if (r)
		field(b, r->id, out, cap);
	else
		(void)snprintf(out, cap, "-");
}

void explain_rule_at(const struct bundle *b, uint32_t rule, char *out, size_t cap)
{
	const struct pb_rule *r = bundle_rule(b, rule);
	char file[256];

	if (!r) {
		(void)snprintf(out, cap, "-");
	} else if (r->line == 0) { /* a scalar that nobody set */
		(void)snprintf(out, cap, "the built-in value");
	} else {
		field(b, r->file, file, sizeof(file));
		(void)snprintf(out, cap, "%s:%" PRIu32, file, r->line);
	}
}

bool explain_rule_text(const struct bundle *b, uint32_t rule, char *out, size_t cap)
{
	const struct pb_rule *r = bundle_rule(b, rule);

	if (!r || r->text.len == 0)
		return false;
	field(b, r->text, out, cap);
	return true;
}

bool explain_rule_reason(const struct bundle *b, uint32_t rule, char *out, size_t cap)
{
	const struct pb_rule *r = bundle_rule(b, rule);

	if (!r || r->reason.len == 0)
		return false;
	field(b, r->reason, out, cap);
	return true;
}

const char *explain_rule(const struct bundle *b, uint32_t rule,
			 char out[EXPLAIN_RULE_CAP])
{
	char id[256], at[320];

	if (!bundle_rule(b, rule)) {
		(void)snprintf(out, EXPLAIN_RULE_CAP, "no rule");
		return out;
	}
	explain_rule_id(b, rule, id, sizeof(id));
	explain_rule_at(b, rule, at, sizeof(at));
	(void)snprintf(out, EXPLAIN_RULE_CAP, "rule %s at %s", id, at);
	return out;
}

const char *explain_level(unsigned level)
{
	static const char *const names[] = { "none",	"managed", "managed-file",
					     "project", "user",	   "default" };

	return level < sizeof(names) / sizeof(names[0]) ? names[level] : "unknown";
}

const char *explain_effect(unsigned effect)
{
	static const char *const names[] = { "allow", "ask", "deny", "hide" };

	return effect < sizeof(names) / sizeof(names[0]) ? names[effect] : "deny";
}

const char *explain_risk(unsigned risk)
{
	static const char *const names[] = { "low", "medium", "high", "critical" };

	return risk < sizeof(names) / sizeof(names[0]) ? names[risk] : "critical";
}

const char *explain_part_kind(const struct cmd_part *p)
{
	switch ((enum cmd_kind)p->kind) {
	case CMD_COMMAND:
		return "command";
	case CMD_FILE:
		return "file";
	case CMD_NET:
		return "net";
	case CMD_UNPARSED:
	default:
		return "unparsed";
	}
}

const char *explain_part(const struct cmd_part *p)
{
	switch ((enum decide_step)p->step) {
	case DECIDE_TRANSPARENT:
		return "it runs another command, and nothing else";
	case DECIDE_SHELL_CODE:
		return "an allowed shell runs it";
	case DECIDE_LOST:
		return "its words spell a denied command";
	case DECIDE_MAY_DENY:
		return "it may be a denied command";
	case DECIDE_OPAQUE:
		return p->opaque ? p->opaque : "what it runs is not known";
	case DECIDE_SPELLS:
		return "the words of an unknown program spell a denied command";
	case DECIDE_HIDDEN:
		return "it names a path that is hidden or not to be read";
	case DECIDE_HOLDS:
		return "what it reads may hold a path that is hidden or not to be read";
	case DECIDE_READS:
		return "it reads a path that is hidden or not to be read";
	case DECIDE_MAY_READ:
		return "it names a path, or reads what may hold one, about whose reading a rule asks";
	case DECIDE_MAY_WRITE:
		return "it names a path that is not to be written, and may write there";
	case DECIDE_WRITES:
		return "what it writes";
	case DECIDE_NO_TARGET:
		return "its target is not known";
	case DECIDE_UNPARSED:
		return p->opaque ? p->opaque : "the text cannot be read";
	case DECIDE_RULES:
	case DECIDE_TARGET:
	case DECIDE_SANDBOX:
	case DECIDE_STEP_COUNT:
	default:
		return p->no_allow && p->effect != PB_ALLOW ? p->no_allow : "";
	}
}

const char *explain_program(const struct cmd_part *p, size_t *ret_n)
{
	const struct sh_word *w = p->nwords ? p->words[0].w : NULL;
	const char *name;

	return w && sh_is_literal(w) && w->seg.n && cmd_base(w, &name, ret_n) ? name : NULL;
}
