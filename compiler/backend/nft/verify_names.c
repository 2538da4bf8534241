/*
 * Asks the evaluator about a name of each class, at every port where something changes.
 * It gets only the rules that name this name, a name above it, or no host at all, since no
 * other rule can match.
 */
#include "compiler/backend/nft/verify_names.h"

#include <stdlib.h>

#include "compiler/backend/common/util.h"
#include "compiler/backend/nft/verify_piece.h"
#include "compiler/base/map.h"

/* Rules that may be looked at; about two seconds. */
#define BUDGET ((uint64_t)200 * 1000 * 1000)

struct entry {
	VEC(struct ir_rule *) rules;
	uint32_t class_;
	bool has_class;
};

struct names {
	const struct ir *ir;
	const struct pb_egress *e;
	struct arena *a;
	struct map entries; /* keyed by 'n' or 'b' and the name */
	VEC(struct ir_rule *) any;
	struct ir sub; /* the rules of one name */
	VEC(uint32_t) ports;
};

static struct entry *entry_of(struct names *n, struct str name, bool below, bool make)
{
	struct str key = str_printf(n->a, "%c%.*s", below ? 'b' : 'n', STR_ARG(name));
	struct entry *e = map_get(&n->entries, key);

	if (!e && make) {
		e = ARENA_NEW(n->a, struct entry);
		(void)map_put(&n->entries, key, e);
	}
	return e;
}

static bool is_name(const struct ir_net *n)
{
	return n->host == IR_HOST_NAME || n->host == IR_HOST_BELOW;
}

static void take_rules(struct names *n)
{
	for (size_t i = 0; i < n->ir->rules.n; i++) {
		struct ir_rule *r = n->ir->rules.v[i];
		const struct ir_net *net = &r->set.u.net;

		if (r->kind != IR_NET || !(r->scopes & IR_SANDBOX))
			continue;
		if (is_name(net))
			VEC_PUSH(n->a, &entry_of(n, net->name, net->host == IR_HOST_BELOW,
						 true)->rules, r);
		else if (net->host == IR_HOST_ANY)
			VEC_PUSH(n->a, &n->any, r);
		for (size_t k = 0; k < r->nexcept && net->host != IR_HOST_CIDR; k++)
			if (is_name(&r->except[k].u.net))
				(void)entry_of(n, r->except[k].u.net.name,
					       r->except[k].u.net.host == IR_HOST_BELOW,
					       true);
	}
}

static struct str name_at(const struct pb_egress *e, const struct pb_host *h)
{
	return (struct str){ pb_strp(e, h->name), h->name.len };
}

/* Without an entry of its own a name would be decided as one above it, or as any other. */
static const char *has_entry(struct names *n, const struct ir_net *net)
{
	if (!is_name(net) ||
	    entry_of(n, net->name, net->host == IR_HOST_BELOW, true)->has_class)
		return NULL;
	return arena_printf(n->a, PB_EGRESS " does not know the name %.*s", STR_ARG(net->name));
}

/* Does every name that the rules and their exceptions mention have an entry? */
static const char *take_hosts(struct names *n)
{
	const struct pb_egress *e = n->e;

	for (uint32_t i = 0; i < e->hosts.count; i++) {
		const struct pb_host *h = pb_at(e, e->hosts, sizeof(*h), i);
		struct entry *x = entry_of(n, name_at(e, h), h->below, true);

		x->class_ = h->class_;
		x->has_class = true;
	}
	for (size_t i = 0; i < n->ir->rules.n; i++) {
		const struct ir_rule *r = n->ir->rules.v[i];
		const char *why;

		if (r->kind != IR_NET || !(r->scopes & IR_SANDBOX))
			continue;
		why = has_entry(n, &r->set.u.net);
		for (size_t k = 0; !why && k < r->nexcept && r->set.u.net.host != IR_HOST_CIDR; k++)
			why = has_entry(n, &r->except[k].u.net);
		if (why)
			return why;
	}
	return NULL;
}

/* --- the rules and ports of one name ----------------------------------------------- */

static void add_ports(struct names *n, uint32_t lo, uint32_t hi)
{
	VEC_PUSH(n->a, &n->ports, lo);
	if (hi < UINT16_MAX)
		VEC_PUSH(n->a, &n->ports, hi + 1);
}

static void add_rules(struct names *n, const struct entry *e)
{
	for (size_t i = 0; e && i < e->rules.n; i++)
		VEC_PUSH(n->a, &n->sub.rules, e->rules.v[i]);
}

static int by_number(const void *x, const void *y)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

	return (a > b) - (a < b);
}

static const struct pb_ports *list_at(const struct pb_egress *e, uint32_t class_, bool udp)
{
	const struct pb_class *c = pb_at(e, e->classes, sizeof(*c), class_);

	return pb_at(e, e->lists, sizeof(struct pb_ports), udp ? c->udp : c->tcp);
}

static const struct pb_piece *piece_at(const struct pb_egress *e, const struct pb_ports *l,
				       uint32_t i)
{
	return pb_at(e, e->pieces, sizeof(struct pb_piece), l->first + i);
}

static void find_ports(struct names *n, uint32_t class_)
{
	size_t kept = 1;

	n->ports.n = 0;
	add_ports(n, 0, UINT16_MAX);
	for (size_t i = 0; i < n->sub.rules.n; i++) {
		const struct ir_rule *r = n->sub.rules.v[i];

		add_ports(n, r->set.u.net.port_lo, r->set.u.net.port_hi);
		for (size_t k = 0; k < r->nexcept; k++)
			add_ports(n, r->except[k].u.net.port_lo,
				  r->except[k].u.net.port_hi);
	}
	for (unsigned p = 0; p < 2; p++) {
		const struct pb_ports *l = list_at(n->e, class_, p);

		for (uint32_t i = 0; i < l->count; i++)
			add_ports(n, 0, piece_at(n->e, l, i)->hi);
	}
	qsort(n->ports.v, n->ports.n, sizeof(*n->ports.v), by_number);
	for (size_t i = 1; i < n->ports.n; i++)
		if (n->ports.v[i] != n->ports.v[kept - 1])
			n->ports.v[kept++] = n->ports.v[i];
	n->ports.n = kept;
}

static void find_rules(struct names *n, struct str name)
{
	n->sub.rules.n = 0;
	for (size_t i = 0; i < n->any.n; i++)
		VEC_PUSH(n->a, &n->sub.rules, n->any.v[i]);
	add_rules(n, entry_of(n, name, false, false));
	for (size_t i = 1; i < name.n; i++)
		if (name.p[i] == '.')
			add_rules(n, entry_of(n, str_sub(name, i + 1, name.n - i - 1), true,
					      false));
	if (n->sub.rules.n)
		qsort(n->sub.rules.v, n->sub.rules.n, sizeof(*n->sub.rules.v), ir_rule_by_index);
}

/* --- one request ------------------------------------------------------------------ */

static const char *differs(const struct names *n, const struct ir_request *q,
			   const char *what)
{
	return arena_printf(n->a, "%s %.*s:%u: %s", q->proto == IR_TCP ? "tcp" : "udp",
			    STR_ARG(q->host), q->port, what);
}

static const char *compare(const struct names *n, const struct ir_request *q,
			   uint32_t class_)
{
	const struct pb_ports *l = list_at(n->e, class_, q->proto == IR_UDP);
	const struct pb_piece *p = piece_at(n->e, l, 0);
	struct eval_decision d;
	const char *why;

	eval_decide(&n->sub, q, n->a, &d);
	while (p->hi < q->port)
		p++;
	why = nft_verify_piece(n->ir, n->e, p, q, &d, n->a);
	return why ? differs(n, q, why) : NULL;
}

/* A name that the entry decides and no other entry does. */
static struct str example(struct names *n, struct str top)
{
	struct str name = top.n ? str_cat(n->a, STR("x."), top) : STR("x");

	for (unsigned i = 0; entry_of(n, name, false, false); i++)
		name = str_printf(n->a, "x%u%s%.*s", i, top.n ? "." : "", STR_ARG(top));
	return name;
}

static const char *verify_name(struct names *n, struct str name, uint32_t class_)
{
	struct ir_request q = { .kind = IR_NET, .scope = IR_SANDBOX, .host = name };
	const char *why = NULL;
	size_t step;

	find_rules(n, name);
	find_ports(n, class_);
	step = n->ports.n * (n->sub.rules.n + 1) / (BUDGET / 8) + 1;
	for (size_t i = 0; !why && i < n->ports.n; i += step) {
		q.port = (uint16_t)n->ports.v[i];
		for (unsigned p = IR_TCP; !why && p <= IR_UDP; p++) {
			q.proto = (enum ir_proto)p;
			why = compare(n, &q, class_);
		}
	}
	return why;
}

const char *nft_verify_names(const struct ir *ir, const struct pb_egress *e,
			     struct arena *a)
{
	struct names n = { .ir = ir, .e = e, .a = a, .sub = *ir };
	const char *why;
	size_t step;

	map_init(&n.entries, a);
	n.sub.rules.v = NULL;
	n.sub.rules.n = n.sub.rules.cap = 0;
	take_rules(&n);
	why = take_hosts(&n);
	step = e->hosts.count * (n.any.n + 8) / (BUDGET / 64) + 1;
	for (uint32_t i = 0; !why && i < e->hosts.count; i += (uint32_t)step) {
		const struct pb_host *h = pb_at(e, e->hosts, sizeof(*h), i);
		struct str name = name_at(e, h);

		why = verify_name(&n, h->below ? example(&n, name) : name, h->class_);
	}
	return why ? why : verify_name(&n, example(&n, STR("")), e->other_class);
}
