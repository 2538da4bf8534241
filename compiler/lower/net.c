/*
 * Lowers network rules (semantics 6): each pair of a host and a port range is one box
 * or one name of a rule.  Names are in lower case, without the last dot.
 */
#include "compiler/lower/internal.h"

static bool bad(struct lower *l, const struct ast_value *v, const char *what,
		const char *help)
{
	struct diag *d = diag_add(l->sink, DIAG_HOST_PATTERN, v->at, "%s: '%.*s'", what,
				  STR_ARG(v->text));

	if (help)
		diag_help(l->sink, d, "%s", help);
	return false;
}

static bool is_label_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

static bool is_all_digits(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
	return s.n > 0;
}

/*
 * Checks a host name: labels of 1 to 63 letters, digits, '-' and '_'; the last label is
 * not a number.
 */
static bool check_name(struct lower *l, const struct ast_value *v, struct str name)
{
	size_t from = 0;
	struct str label = STR_NULL;

	if (!name.n || name.n > 253)
		return bad(l, v, "a host name has 1 to 253 bytes", NULL);
	for (size_t i = 0; i <= name.n; i++) {
		if (i < name.n && name.p[i] != '.') {
			if ((unsigned char)name.p[i] >= 0x80)
				return bad(l, v, "a host name that is not ASCII",
					   "write its 'xn--' form");
			if (name.p[i] == '*')
				return bad(l, v, "'*' inside of a host name",
					   "'*.example.com' is every name below "
					   "example.com; no other form is known");
			if (!is_label_byte(name.p[i]))
				return bad(
					l, v, "no host name",
					"a name has letters, digits, '-', '_' and '.'");
			continue;
		}
		label = str_sub(name, from, i - from);
		if (!label.n || label.n > 63)
			return bad(l, v, "a part of a host name has 1 to 63 bytes",
				   NULL);
		from = i + 1;
	}
	if (is_all_digits(label))
		return bad(l, v, "a host name that ends in a number",
			   "an address is written as it is: 10.0.0.0/8");
	return true;
}

static bool address(struct lower *l, const struct ast_value *v, struct num_cidr *ret)
{
	bool host_bits = false;

	if (num_cidr(v->text, ret, &host_bits))
		return true;
	if (host_bits)
		return bad(l, v, "an address block with bits set behind its mask",
			   "write the first address of the block");
	return bad(l, v, "no address", NULL);
}

bool lower_host(struct lower *l, const struct ast_value *v, struct ir_net *ret)
{
	struct num_cidr cidr;
	bool host_bits = false;
	struct str name;

	if (v->kind == AST_V_ANY ||
	    (v->kind == AST_V_STRING && str_eqz(v->text, "*"))) {
		ret->host = IR_HOST_ANY;
		return true;
	}
	if (v->kind == AST_V_ADDR ||
	    (v->text.n && (num_cidr(v->text, &cidr, &host_bits) || host_bits))) {
		ret->host = IR_HOST_CIDR;
		return address(l, v, &ret->cidr);
	}
	if (v->kind == AST_V_GROUP && l->sink->errors)
		return false; /* sema has reported it */
	if (v->kind != AST_V_STRING && v->kind != AST_V_RAW) {
		diag_add(l->sink, DIAG_KIND_OF_VALUE, v->at,
			 "a host is a text in double quotes, an address or 'any'");
		return false;
	}
	if (v->kind == AST_V_STRING && sema_has_root(v->text)) {
		diag_add(l->sink, DIAG_ROOT_PLACE, v->at, "a root is no host: '%.*s'",
			 STR_ARG(v->text));
		return false;
	}
	name = lower_letters(l->a, v->text);
	if (name.n > 1 && name.p[name.n - 1] == '.')
		name.n--;
	ret->host = IR_HOST_NAME;
	if (str_starts(name, STR("*."))) {
		ret->host = IR_HOST_BELOW;
		name = str_sub(name, 2, name.n - 2);
	}
	ret->name = name;
	return check_name(l, v, name);
}

bool lower_port(struct lower *l, const struct ast_value *v, uint16_t *ret_lo,
		uint16_t *ret_hi)
{
	uint16_t lo, hi;

	if (!num_port_range(v->text, &lo, &hi) || lo == 0)
		return bad(l, v,
			   "a port is a number from 1 to 65535, or two with a '-'",
			   NULL);
	*ret_lo = lo;
	*ret_hi = hi;
	return true;
}

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
		if (stmt->effect != AST_ALLOW) {
			diag_add(l->sink, DIAG_OPTION, o->at,
				 "'within' says where an allowed name may lie; it does "
				 "not belong to a rule that allows nothing");
			ok = false;
		}
		for (const struct ast_value *v = o->values; v; v = v->next) {
			struct num_cidr c;

			if (address(l, v, &c))
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
	if (!net->hosts && t->orig->net.hosts)
		return; /* a name that means nothing; it was reported */
	if (!net->hosts) {
		set.u.net.host = IR_HOST_ANY;
		if (set.u.net.nwithin) {
			diag_add(l->sink, DIAG_OPTION, t->stmt->at,
				 "'within' belongs to rules about host names");
			ok = false;
		}
		if (ok)
			add_ports(l, &h, &set, net->ports);
		return;
	}
	for (const struct ast_value *v = net->hosts; v; v = v->next) {
		struct ir_set one = set;

		if (!lower_host(l, v, &one.u.net))
			continue;
		if (one.u.net.nwithin && one.u.net.host != IR_HOST_NAME &&
		    one.u.net.host != IR_HOST_BELOW) {
			bad(l, v, "'within' belongs to host names, and this is none",
			    NULL);
			continue;
		}
		if (ok)
			add_ports(l, &h, &one, net->ports);
	}
}
