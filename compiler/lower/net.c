/*
 * Lowers network rules (semantics 6): each pair of a host and a port range is one box
 * or one name of a rule.
 */
#include "compiler/lower/internal.h"
#include "compiler/sets/box.h"

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

/* --- exceptions that take nothing away ---------------------------------------------- */

struct hosts {
	VEC(struct ir_net) v;
};

static bool meets(const struct hosts *h, const struct ir_net *e)
{
	for (size_t i = 0; i < h->v.n; i++) {
		struct ir_net any_port = h->v.v[i];

		any_port.port_lo = 0;
		any_port.port_hi = UINT16_MAX;
		if (box_net_meets(&any_port, e))
			return true;
	}
	return false;
}

/* `written`: the text of the exception, or NULL for all members of groups. */
static void warn_useless(struct lower *l, struct span at, const struct ast_value *written,
			 const struct ir_net *e, const struct hosts *h)
{
	bool name = e->host != IR_HOST_CIDR, block = h->v.v[0].host == IR_HOST_CIDR;
	struct diag *d;

	if (written)
		d = diag_add(l->sink, DIAG_EXCEPT_NOTHING, at,
			     "'%.*s' takes nothing away from this rule", STR_ARG(written->text));
	else
		d = diag_add(l->sink, DIAG_EXCEPT_NOTHING, at,
			     "the groups in this 'except' take nothing away from the rule");
	if (name && block)
		diag_help(l->sink, d, "no address is a name: except the addresses to which "
			  "the name leads");
	else if (!name && !block)
		diag_help(l->sink, d, "a rule for a name is about the name, whatever its "
			  "address: deny the address in a rule of its own");
	else
		diag_help(l->sink, d, "except hosts that the rule names");
}

/* Is the value written in the statement, and no member of a group? */
static bool is_written(const struct ast_stmt *orig, struct span at)
{
	for (const struct ast_option *o = orig->options; o; o = o->next)
		for (const struct ast_value *v = o->values; v; v = v->next)
			if (o->kind == AST_O_EXCEPT && v->kind != AST_V_GROUP &&
			    memcmp(&v->at, &at, sizeof(at)) == 0)
				return true;
	return false;
}

/*
 * The author of an exception believes that it changes what the rule is about.  A group
 * may be longer than a rule needs, so only if none of its members does it is said.
 */
static void check_except(struct lower *l, const struct sema_stmt *t, const struct ir_rule *r,
			 const struct hosts *h)
{
	const struct ir_net *grouped = NULL;
	bool used = false;
	size_t i = 0;

	for (const struct ast_option *o = t->stmt->options; o; o = o->next)
		for (const struct ast_value *v = o->values; v && o->kind == AST_O_EXCEPT;
		     v = v->next, i++) {
			const struct ir_net *e = &r->except[i].u.net;
			bool own = is_written(t->orig, v->at), met = meets(h, e);

			if (own && !met)
				warn_useless(l, v->at, v, e, h);
			used |= !own && met;
			if (!own && !grouped)
				grouped = e;
		}
	if (grouped && !used)
		warn_useless(l, t->stmt->at, NULL, grouped, h);
}

void lower_net(struct lower *l, const struct sema_stmt *t)
{
	const struct ast_net *net = &t->stmt->net;
	struct hosts hosts = { .v = { NULL, 0, 0 } };
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
		VEC_PUSH(l->a, &hosts.v, one.u.net);
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
	if (ok && hosts.v.n && h.level != IR_DEFAULT)
		check_except(l, t, &h, &hosts);
}
