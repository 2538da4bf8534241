/* What the target nft-host says about the rules that a table of addresses cannot express. */
#include "compiler/emit/nft_host_report.h"

static enum ir_mode mode_of(const struct ir *ir)
{
	return (enum ir_mode)ir->scalars[IR_S_NET_MODE].num;
}

/* NULL: the table says the rule as it is. */
static const char *loss_of(const struct ir_rule *r)
{
	const struct ir_net *n = &r->set.u.net;
	const struct ir_grant *g = &n->grant;

	if (region_is_name(n))
		return r->effect == IR_ALLOW ?
			       "no address stands for a host name: denied" :
			       "no address stands for a host name: on its ports only rules "
			       "that name addresses allow anything";
	if (r->effect == IR_ASK)
		return "nobody can be asked: denied";
	if (host_has_proxy(g))
		return "no proxy can be put in between: denied";
	if (g->header.n)
		return "nothing can be injected: denied";
	if (g->bytes || g->connections)
		return "nothing is counted here: denied";
	if (g->peek == IR_PEEK_TLS || g->peek == IR_PEEK_HTTP)
		return "nobody looks into the connection: denied";
	for (size_t i = 0; i < r->nexcept; i++)
		if (region_is_name(&r->except[i].u.net))
			return "no address stands for the host name after 'except'";
	return NULL;
}

static void report_rule(const struct ir *ir, const struct ir_rule *r, uint32_t *last,
			struct emit_report *out)
{
	const char *text = loss_of(r);
	uint32_t first = region_statement(ir, r->index);

	if (text && first == *last)
		return;
	if (text) {
		*last = first;
		emit_add(out, &r->at, true, "'%.*s': %s", STR_ARG(r->id), text);
	} else if (r->effect == IR_ALLOW && host_is_loopback(&r->set.u.net)) {
		emit_add(out, &r->at, false,
			 "'%.*s': this is the loopback of the host here, with all that "
			 "listens on it", STR_ARG(r->id));
	}
}

/* Can names be looked up by any server that is not the host's own? */
static bool has_dns(const struct host_cells *c)
{
	for (unsigned s = HOST_NAMED; s < HOST_STAGE_COUNT; s++)
		for (size_t i = 0; i < c->n; i++)
			for (unsigned f = 0; c->of[s][i] && f < 2; f++)
				for (size_t k = 0; k < c->of[s][i]->blocks[f][1].n; k++) {
					struct region_ports p = c->of[s][i]->blocks[f][1].v[k].ports;

					if (p.lo <= 53 && p.hi >= 53)
						return true;
				}
	return false;
}

void host_report(const struct ir *ir, const struct host_cells *c, struct emit_report *r)
{
	uint32_t last = UINT32_MAX;
	enum ir_scalar_id s;
	bool on = mode_of(ir) != IR_NET_DISABLED;

	for (size_t i = 0; on && i < ir->rules.n; i++)
		if (region_is_rule(ir->rules.v[i]))
			report_rule(ir, ir->rules.v[i], &last, r);
	if (on && region_otherwise(ir, &s) == IR_ASK)
		emit_add(r, &ir->scalars[s].at, true,
			 "'%.*s': nobody can be asked: denied", STR_ARG(ir->scalars[s].id));
	if (mode_of(ir) == IR_NET_FULL)
		emit_add(r, &ir->scalars[IR_S_NET_MODE].at, true,
			 "only TCP and UDP pass: a policy has no words for ICMP and others");
	if (c->loopback)
		emit_add(r, NULL, false,
			 "--loopback: whatever listens on the host's loopback can be reached, "
			 "other users' services too (a resolver carries data out)");
	else
		emit_add(r, NULL, true,
			 "the loopback is the host's and not the run's own: denied, but for "
			 "rules that name it (--loopback opens it)");
	if (on && !has_dns(c))
		emit_add(r, NULL, false,
			 "no rule allows udp port 53: names cannot be looked up (a resolver "
			 "that is allowed answers for any name, and carries data out)");
}
