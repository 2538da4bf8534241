/* Decides tools, and what a line gets that could not be read. */
#include <string.h>

#include "runtime/decide/combine.h"
#include "runtime/decide/path.h"

/* The highest class that a fact gives; medium if there is none (4.5). */
static uint8_t risk_of(const struct decide_match *m)
{
	uint32_t i = match_next(m, 0);
	uint8_t class = 0;

	if (i == UINT32_MAX)
		return 1;
	for (; i != UINT32_MAX; i = match_next(m, i + 1)) {
		const struct pb_rule *r = bundle_rule(m->c->b, i);

		if (r->effect > class)
			class = r->effect;
	}
	return class;
}

void decide_unparsed(const struct decide_ctx *c, struct decision *ret)
{
	const struct pb_rule *opaque = decide_scalar(c, PB_S_COMMAND_OPAQUE);
	const struct pb_rule *other = decide_scalar(c, PB_S_COMMAND_OTHERWISE);
	uint8_t e;

	*ret = (struct decision){ .effect = PB_DENY, .risk = 1, .unparsed = true };
	decide_deny(c, PB_S_COMMAND_OPAQUE, ret);
	if (!opaque || !other)
		return;
	e = other->by_risk ? other->effects[1] : other->effect;
	if (e > opaque->effect)
		decide_deny(c, PB_S_COMMAND_OTHERWISE, ret);
	ret->effect = e >= PB_DENY || opaque->effect >= PB_DENY ? PB_DENY : PB_ASK;
	/* if opaque asks, only a person may answer */
	ret->needs_person = ret->effect == PB_ASK && e <= opaque->effect;
}

/* Asks all automata over the names of tools: for rules, or with PB_RISK for classes. */
static void match_tool(struct decide_match *m, const char *name)
{
	const struct pb_matcher *matcher = m->c->b->matcher;
	uint32_t i;

	for (i = 0; i < matcher->automata.count; i++) {
		const struct pb_automaton *a = dfa_at(matcher, i);
		struct dfa_walk w;

		if (a->kind != m->kind)
			continue;
		dfa_start(&w, matcher, a);
		dfa_feed(&w, name, strlen(name));
		match_take(m, &w);
	}
}

void decide_tool(const struct decide_ctx *c, const char *name, struct decision *ret)
{
	struct decide_match m;

	*ret = (struct decision){ .effect = PB_DENY, .risk = 1 };
	decide_deny(c, PB_S_TOOL_OTHERWISE, ret);
	if (!name)
		return;
	match_init(&m, c, PB_RISK, 0);
	match_tool(&m, name);
	ret->risk = risk_of(&m);
	match_init(&m, c, PB_TOOL, 0);
	match_tool(&m, name);
	decide_combine(&m, PB_S_TOOL_OTHERWISE, ret);
}
