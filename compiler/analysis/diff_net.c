/*
 * Network rules: sets of hosts are nested or disjoint, and ports are ranges, so a
 * changed rule's box falls into few regions.  Each region is asked with one of its
 * hosts, ports and protocols.
 */
#include "compiler/analysis/diff_net.h"

#include "compiler/analysis/diff_ask.h"
#include "compiler/analysis/diff_free.h"
#include "compiler/analysis/diff_grant.h"
#include "compiler/analysis/diff_key.h"
#include "compiler/analysis/diff_reach.h"
#include "compiler/sets/box.h"
#include "runtime/base/address_guard.h"

/* Limit for the requests asked about one changed rule. */
#define MAX_ASKED 500000
/* The same where somebody else asks, who knows nothing of a host's few rules. */
#define MAX_EACH 20000

struct host {
	bool is_addr;
	struct str name;
	uint8_t addr[16];
};

struct job {
	struct diff *d;
	struct arena *tmp;
	const struct diff_item *it;
	struct diff_item **sel; /* sel[0] is `it` */
	size_t n;
	struct diff_free free; /* its rules: the sets and exceptions that meet it */
	VEC(struct host) hosts;
	VEC(uint16_t) ports;
	bool *reach; /* for each port: may names pass there? */
	struct diff_told told;
	bool has_grants;  /* some rule that may match says what the gateway does … */
	bool says_more;   /* … and is changed: a rule's number does not tell that */
	diff_net_fn *each; /* is given the requests, and nobody is asked; or NULL */
	void *each_data;
};

static const struct ir_net *net_of(const struct diff_item *it)
{
	return &diff_rule(it)->set.u.net;
}

static void add_nodes(struct job *j, const struct diff_item *it)
{
	const struct ir_rule *r = diff_rule(it);
	size_t i;

	VEC_PUSH(j->tmp, &j->free.rules, &r->set.u.net);
	for (i = 0; i < r->nexcept; i++)
		VEC_PUSH(j->tmp, &j->free.rules, &r->except[i].u.net);
}

static void add_region(struct job *j, struct ir_net n)
{
	n.protos = IR_ANY_PROTO;
	n.port_hi = UINT16_MAX;
	if (box_net_meets(net_of(j->it), &n))
		VEC_PUSH(j->tmp, &j->free.rules, arena_dup(j->tmp, &n, sizeof(n)));
}

/*
 * Guarded addresses, and the names that lead to one, are decided in another way than the rest
 * (semantics 6): regions of their own.  The run's own loopback is among them.
 */
static void add_guarded(struct job *j)
{
	struct num_cidr c;
	unsigned bits;
	size_t n;
	const struct guard_name *v = guard_names(&n);

	for (size_t at = 0; guard_next_range(&at, c.addr, &bits);) {
		c.bits = (uint8_t)bits;
		add_region(j, (struct ir_net){ .host = IR_HOST_CIDR, .cidr = c });
	}
	for (size_t i = 0; i < n; i++)
		for (int below = 0; below <= v[i].below; below++)
			add_region(j, (struct ir_net){ .host = below ? IR_HOST_BELOW : IR_HOST_NAME,
						       .name = str_from(v[i].name) });
}

static void select_items(struct job *j)
{
	struct diff *d = j->d;
	size_t i;

	j->sel = arena_array(j->tmp, d->items[IR_NET].n + 1, sizeof(*j->sel));
	for (i = 0; i < d->items[IR_NET].n; i++) {
		struct diff_item *it = d->items[IR_NET].v[i];

		if (it != j->it && !box_net_meets(net_of(j->it), net_of(it)))
			continue;
		j->sel[j->n++] = it;
		add_nodes(j, it);
	}
	add_guarded(j);
}

/* --- hosts ----------------------------------------------------------------- */

static bool has_host(const struct job *j, const struct host *h)
{
	size_t i;

	for (i = 0; i < j->hosts.n; i++) {
		const struct host *x = &j->hosts.v[i];

		if (x->is_addr == h->is_addr &&
		    (h->is_addr ? !memcmp(x->addr, h->addr, sizeof(x->addr)) :
				  str_eq(x->name, h->name)))
			return true;
	}
	return false;
}

/*
 * Adds the host that was found.  If one was found, or surely there is none, the region
 * was examined.
 */
DIFF_MUST_READ static enum diff_looked take(struct job *j, enum diff_seek seek,
					    const struct host *h)
{
	if (seek == DIFF_SEEK_FOUND && !has_host(j, h))
		VEC_PUSH(j->tmp, &j->hosts, *h);
	return seek == DIFF_SEEK_OPEN ? DIFF_IN_PART : DIFF_WHOLLY;
}

/*
 * Adds an address of the block `c`: with `all` one that is in no block of any rule,
 * else one that is in none smaller than `c`.
 */
DIFF_MUST_READ static enum diff_looked add_address(struct job *j, const struct num_cidr *c,
						   bool all)
{
	struct host h = { .is_addr = true };

	return take(j, diff_free_address(&j->free, *c, all ? 0 : c->bits + 1u, h.addr), &h);
}

DIFF_MUST_READ static enum diff_looked add_name(struct job *j, struct str apex)
{
	struct host h = { .is_addr = false };

	return take(j, diff_free_name(&j->free, apex, j->tmp, &h.name), &h);
}

DIFF_MUST_READ static enum diff_looked add_host(struct job *j, const struct ir_net *n)
{
	static const struct num_cidr v4 = {{ [10] = 0xff, [11] = 0xff }, 96};
	static const struct num_cidr v6 = {{ 0x20, 0x01, 0x0d, 0xb8 }, 32};
	static const struct num_cidr any = {{0}, 0};
	struct host h = { .name = n->name };
	enum diff_looked looked = DIFF_IN_PART;

	switch (n->host) {
	case IR_HOST_ANY:
		/*
		 * a name or an address that is in no block; also an IPv4 and an IPv6
		 * address, for whoever reads the findings
		 */
		looked = diff_both(add_name(j, STR("")), add_address(j, &any, true));
		looked = diff_both(looked, add_address(j, &v4, true));
		looked = diff_both(looked, add_address(j, &v6, true));
		break;
	case IR_HOST_NAME:
		looked = take(j, DIFF_SEEK_FOUND, &h);
		break;
	case IR_HOST_BELOW:
		looked = add_name(j, n->name);
		break;
	case IR_HOST_CIDR:
		looked = add_address(j, &n->cidr, false);
		break;
	}
	return looked;
}

/* --- all regions --------------------------------------------------------- */

static void add_port(struct job *j, uint32_t port)
{
	const struct ir_net *x = net_of(j->it);
	size_t i;

	if (port < x->port_lo || port > x->port_hi)
		return;
	for (i = 0; i < j->ports.n; i++)
		if (j->ports.v[i] == port)
			return;
	VEC_PUSH(j->tmp, &j->ports, (uint16_t)port);
}

/* Nothing can listen on port 0, and no request names it. */
static void find_ports(struct job *j)
{
	const struct ir_net *x = net_of(j->it);
	size_t i;

	add_port(j, x->port_lo ? x->port_lo : 1);
	for (i = 0; i < j->free.rules.n; i++) {
		if (j->free.rules.v[i]->port_lo)
			add_port(j, j->free.rules.v[i]->port_lo);
		add_port(j, j->free.rules.v[i]->port_hi + 1u);
	}
	/* an address may be that of any name: where one passes is where that matters */
	for (i = 0; x->host == IR_HOST_CIDR && i < j->d->items[IR_NET].n; i++) {
		const struct ir_net *n = net_of(j->d->items[IR_NET].v[i]);

		if (n->host != IR_HOST_NAME && n->host != IR_HOST_BELOW)
			continue;
		if (n->port_lo)
			add_port(j, n->port_lo);
		add_port(j, n->port_hi + 1u);
	}
	j->reach = arena_array(j->tmp, j->ports.n + 1, sizeof(*j->reach));
	for (i = 0; i < j->ports.n; i++)
		j->reach[i] = diff_reach_counts(j->d, j->ports.v[i]);
}

/* Exactly the rule's own hosts, and what is nested in them. */
DIFF_MUST_READ static enum diff_looked find_hosts(struct job *j)
{
	const struct ir_net *x = net_of(j->it);
	struct ir_net all = { .protos = IR_ANY_PROTO, .port_hi = UINT16_MAX };
	enum diff_looked looked;
	size_t i;

	all.host = x->host;
	all.name = x->name;
	all.cidr = x->cidr;
	looked = add_host(j, x);
	for (i = 0; i < j->free.rules.n; i++) {
		struct ir_net y = *j->free.rules.v[i];

		y.protos = IR_ANY_PROTO;
		y.port_lo = 0;
		y.port_hi = UINT16_MAX;
		if (box_net_included(&y, &all))
			looked = diff_both(looked, add_host(j, j->free.rules.v[i]));
	}
	return looked;
}

/* The rules that may match the host, with both policies of them alone. */
struct at_host {
	struct diff_item **sel;
	size_t n;
	struct diff_small small;
};

static struct at_host at_host(struct job *j, const struct host *h, struct arena *tmp)
{
	struct ir_net all = { .protos = IR_ANY_PROTO, .port_hi = UINT16_MAX,
			      .host = h->is_addr ? IR_HOST_CIDR : IR_HOST_NAME,
			      .name = h->name };
	struct at_host ret = { .sel = arena_array(tmp, j->n + 1, sizeof(*ret.sel)) };
	size_t i;

	memcpy(all.cidr.addr, h->addr, sizeof(all.cidr.addr));
	all.cidr.bits = 128;
	for (i = 0; i < j->n; i++)
		if (box_net_meets(&all, net_of(j->sel[i])))
			ret.sel[ret.n++] = j->sel[i];
	ret.small = diff_small_of(j->d, tmp, ret.sel, ret.n);
	return ret;
}

/* Does the rule name the guarded address, as its host or behind `within`? */
static bool names_address(const struct ir_net *x, const uint8_t addr[16])
{
	for (size_t i = 0; i < x->nwithin; i++)
		if (guard_is_named(x->within[i].addr, x->within[i].bits, addr))
			return true;
	return x->host == IR_HOST_CIDR && guard_is_named(x->cidr.addr, x->cidr.bits, addr);
}

static bool acts_alike(const struct job *j, const struct at_host *at,
		       const struct ir_request *req, struct arena *tmp)
{
	uint32_t *tags = arena_array(tmp, at->n + 1, sizeof(*tags));
	const uint8_t *addr = req->is_addr ? req->addr :
					     guard_name_address(req->host.p, req->host.n);
	bool guarded = addr && guard_kind(addr) != GUARD_PUBLIC;
	size_t i, n = 0, named = 0;

	for (i = 0; i < at->n; i++)
		if (diff_matches(at->sel[i], req)) {
			named += guarded && names_address(net_of(at->sel[i]), addr);
			tags[n++] = (uint32_t)i;
		}
	/* two rules of one effect differ where the guard is and only one names the address */
	if (named && named < n)
		return false;
	return !j->d->context_differs[IR_NET] && diff_acts_alike(at->sel, tags, n, tmp);
}

static void find_grants(struct job *j)
{
	for (size_t i = 0; i < j->n; i++) {
		const struct ir_rule *r = diff_rule(j->sel[i]);

		j->says_more |= diff_grant_says(r) && j->sel[i]->changed;
		j->has_grants |= diff_grant_says(r) || diff_names_block(r);
	}
}

/*
 * Asks one request: is it let through, and what does the gateway do with it, if it is?
 * (To which addresses its name may lead is a part of that.)
 */
static void ask(struct job *j, const struct at_host *at, struct ir_request *req,
		bool reach, struct arena *tmp)
{
	unsigned scopes = diff_scopes(j->it);

	if (!diff_matches(j->it, req))
		return;
	if (j->each) {
		j->each(j->each_data, req);
		return;
	}
	j->told.asked |= j->says_more;
	if (j->has_grants && (scopes & IR_SANDBOX))
		diff_grant_ask(j->d, &at->small, req, tmp, &j->told);
	if (reach && (scopes & IR_SANDBOX))
		diff_reach_ask(j->d, &at->small, req, tmp, &j->told);
	if (!acts_alike(j, at, req, tmp))
		(void)diff_ask(j->d, &at->small, req, scopes, tmp, &j->told);
}

DIFF_MUST_READ static enum diff_looked ask_host(struct job *j, const struct host *h,
						size_t *asked)
{
	const struct ir_net *x = net_of(j->it);
	enum diff_looked looked = DIFF_WHOLLY;
	struct arena own, tmp; /* there are many requests */
	struct at_host at;
	unsigned proto;
	size_t k;

	arena_init(&own, ARENA_DEFAULT_BUDGET);
	at = at_host(j, h, &own);
	for (k = 0; k < j->ports.n && looked == DIFF_WHOLLY; k++)
		for (proto = IR_TCP; proto <= IR_UDP; proto <<= 1) {
			struct ir_request q = diff_request(j->d, IR_NET);

			if (!(x->protos & proto))
				continue;
			if ((*asked)++ >= (j->each ? MAX_EACH : MAX_ASKED)) {
				looked = DIFF_IN_PART;
				break;
			}
			q.proto = (enum ir_proto)proto;
			q.port = j->ports.v[k];
			q.is_addr = h->is_addr;
			q.host = h->name;
			memcpy(q.addr, h->addr, sizeof(q.addr));
			arena_init(&tmp, ARENA_DEFAULT_BUDGET);
			ask(j, &at, &q, j->reach[k], &tmp);
			arena_release(&tmp);
		}
	arena_release(&own);
	return looked;
}

DIFF_MUST_READ static enum diff_looked ask_all(struct job *j)
{
	enum diff_looked looked = DIFF_WHOLLY;
	size_t i, asked = 0;

	for (i = 0; i < j->hosts.n && looked == DIFF_WHOLLY; i++)
		looked = ask_host(j, &j->hosts.v[i], &asked);
	return looked;
}

/* Finds hosts and ports of each region, and what else is to know of the rules that meet there. */
DIFF_MUST_READ static enum diff_looked find_all(struct job *j)
{
	enum diff_looked looked;

	select_items(j);
	find_ports(j);
	looked = find_hosts(j);
	find_grants(j);
	return looked;
}

enum diff_looked diff_net_each(struct diff *d, const struct diff_item *it, struct arena *tmp,
			       diff_net_fn *each, void *data)
{
	struct job j = { .d = d, .it = it, .tmp = tmp, .each = each, .each_data = data };
	enum diff_looked looked = find_all(&j);

	return diff_both(ask_all(&j), looked);
}

static void settle(struct diff *d, struct diff_item *it)
{
	struct job j = { .d = d, .it = it, .told = { .of = it } };
	enum diff_looked looked;
	struct arena tmp;

	arena_init(&tmp, ARENA_DEFAULT_BUDGET);
	j.tmp = &tmp;
	looked = find_all(&j);
	looked = diff_both(ask_all(&j), looked);
	diff_settled(d, it, &j.told, looked,
		     "not every request that it matches could be looked at");
	arena_release(&tmp);
}

void diff_nets(struct diff *d)
{
	size_t i;

	for (i = 0; i < d->items[IR_NET].n; i++)
		if (d->items[IR_NET].v[i]->changed)
			settle(d, d->items[IR_NET].v[i]);
}
