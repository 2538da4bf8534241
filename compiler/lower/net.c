/*
 * Lowers network rules (semantics 6): each pair of a host and a port range is one box
 * or one name of a rule.
 */
#include "compiler/lower/internal.h"

static unsigned protos_of(const struct ast_value *proto)
{
	if (!proto)
		return IR_ANY_PROTO;
	return str_eqz(proto->text, "udp") ? IR_UDP : IR_TCP;
}

static bool read_except(struct lower *l, const struct ast_value *v, enum lower_side side,
			struct lower_sets *into)
{
	struct ir_set set = { 0 };

	(void)side; /* hosts and addresses match the same way for allow and deny */
	set.u.net.protos = IR_ANY_PROTO;
	set.u.net.port_hi = UINT16_MAX;
	if (!lower_host(l, v, &set.u.net))
		return false;
	VEC_PUSH(l->a, &into->v, set);
	return true;
}

/* Reads the ranges to which a name may resolve although they are private. */
static bool net_within(struct lower *l, const struct ast_stmt *stmt, struct ir_net *ret)
{
	struct {
		VEC(struct num_cidr) v;
	} ranges = { .v = { NULL, 0, 0 } };
	bool ok = true;

	for (const struct ast_option *o = stmt->options; o; o = o->next) {
		if (o->kind != AST_O_WITHIN)
			continue;
		if (stmt->effect != AST_ALLOW && stmt->effect != AST_ASK) {
			diag_add(l->sink, DIAG_OPTION, o->at,
				 "'within' says where an allowed name may lie; it does "
				 "not belong to a rule that lets nothing through");
			ok = false;
		}
		for (const struct ast_value *v = o->values; v; v = v->next) {
			struct num_cidr c;

			if (lower_address(l, v, &c))
				VEC_PUSH(l->a, &ranges.v, c);
			else
				ok = false;
		}
	}
	ret->within = ranges.v.v;
	ret->nwithin = ranges.v.n;
	return ok;
}

/* Adds one host with every port of the statement. */
static void add_ports(struct lower *l, const struct ir_rule *h, struct ir_set *set,
		      const struct ast_value *ports)
{
	if (set->u.net.grant.header.n) { /* its ports are those that the gateway dials */
		set->u.net.port_lo = set->u.net.port_hi = LOWER_INJECT_PORT;
		lower_add(l, h, set);
		return;
	}
	if (!ports) {
		set->u.net.port_lo = 0;
		set->u.net.port_hi = UINT16_MAX;
		lower_add(l, h, set);
		return;
	}
	for (const struct ast_value *v = ports; v; v = v->next)
		if (lower_port(l, v, &set->u.net.port_lo, &set->u.net.port_hi))
			lower_add(l, h, set);
}

void lower_net(struct lower *l, const struct sema_stmt *t)
{
	const struct ast_net *net = &t->stmt->net;
	struct ir_set set = { 0 };
	struct ir_rule h;
	bool ok = lower_head(l, t, IR_NET, &h);

	set.u.net.protos = protos_of(net->proto);
	ok &= lower_except(l, t->stmt, lower_side_of(t->stmt->effect), read_except,
			   &h.except, &h.nexcept);
	ok &= net_within(l, t->stmt, &set.u.net);
	ok &= lower_grant(l, t, &set.u.net.grant);
	if (h.soft)
		lower_grant_drop(l, t, &set.u.net);
	if (!net->hosts && t->orig->net.hosts)
		return; /* a name that means nothing; it was reported */
	if (!net->hosts) {
		set.u.net.host = IR_HOST_ANY;
		if (set.u.net.nwithin) {
			diag_add(l->sink, DIAG_OPTION, t->stmt->at,
				 "'within' belongs to rules about host names");
			ok = false;
		}
		if (ok && lower_grant_host(l, t, NULL, h.soft, &set.u.net))
			add_ports(l, &h, &set, net->ports);
		return;
	}
	for (const struct ast_value *v = net->hosts; v; v = v->next) {
		struct ir_set one = set;

		if (!lower_host(l, v, &one.u.net))
			continue;
		if (one.u.net.nwithin && one.u.net.host != IR_HOST_NAME &&
		    one.u.net.host != IR_HOST_BELOW) {
			diag_add(l->sink, DIAG_HOST_PATTERN, v->at,
				 "'within' belongs to host names, and this is none: '%.*s'",
				 STR_ARG(v->text));
			continue;
		}
		if (ok && lower_grant_host(l, t, v, h.soft, &one.u.net))
			add_ports(l, &h, &one, net->ports);
	}
}
