/*
 * Network rules: sets of hosts are nested or disjoint, and ports are ranges, so a
 * changed rule's box falls into few regions.  Each region is asked with one of its
 * hosts, ports and protocols.
 */
#include "compiler/analysis/diff_net.h"

#include "compiler/analysis/diff_ask.h"
#include "compiler/analysis/diff_grant.h"
#include "compiler/analysis/diff_key.h"
#include "compiler/analysis/diff_reach.h"
#include "compiler/sets/box.h"

/* Limit for the requests asked about one changed rule. */
#define MAX_ASKED 20000
/* Limit for the pieces of blocks examined for one changed rule. */
#define MAX_SEARCHED 200000

/*
 * The result of a search.  A search that ended without an answer is OPEN.  OPEN is also
 * the value of a variable that nobody has set, so an answer must be given explicitly.
 * Callers must read the result.
 */
enum seek { SEEK_OPEN, SEEK_NONE /* there surely is none */, SEEK_FOUND };

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
	VEC(const struct ir_net *) nodes; /* the sets and exceptions that meet it */
	VEC(struct host) hosts;
	VEC(uint16_t) ports;
	struct diff_small small;
	struct diff_told told;
	bool has_grants;  /* some rule that may match says what the gateway does … */
	bool says_more;   /* … and is changed: a rule's number does not tell that */
	size_t searched; /* the number of pieces examined */
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

	VEC_PUSH(j->tmp, &j->nodes, &r->set.u.net);
	for (i = 0; i < r->nexcept; i++)
		VEC_PUSH(j->tmp, &j->nodes, &r->except[i].u.net);
}

/* The run's own loopback, which is decided in another way than the rest where no rule
 * decides (semantics 6): a region of its own. */
static void add_loopback(struct job *j)
{
	static const struct ir_net own[] = {
		{ .protos = IR_ANY_PROTO, .host = IR_HOST_CIDR, .port_hi = UINT16_MAX,
		  .cidr = {{ [10] = 0xff, [11] = 0xff, [12] = 127 }, 104} },
		{ .protos = IR_ANY_PROTO, .host = IR_HOST_CIDR, .port_hi = UINT16_MAX,
		  .cidr = {{ [15] = 1 }, 128} },
		{ .protos = IR_ANY_PROTO, .host = IR_HOST_NAME, .port_hi = UINT16_MAX,
		  .name = { "localhost", 9 } },
		{ .protos = IR_ANY_PROTO, .host = IR_HOST_BELOW, .port_hi = UINT16_MAX,
		  .name = { "localhost", 9 } },
	};

	for (size_t i = 0; i < POL_LEN(own); i++)
		if (box_net_meets(net_of(j->it), &own[i]))
			VEC_PUSH(j->tmp, &j->nodes, &own[i]);
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
	add_loopback(j);
}

/* --- addresses ----------------------------------------------------------- */

static bool bit_of(const uint8_t addr[16], unsigned i)
{
	return addr[i / 8] >> (7 - i % 8) & 1;
}

static bool is_inside(const struct num_cidr *x, const struct num_cidr *y)
{
	unsigned i;

	for (i = 0; i < y->bits; i++)
		if (bit_of(x->addr, i) != bit_of(y->addr, i))
			return false;
	return x->bits >= y->bits;
}

/*
 * Finds an address in the piece `c` that is in no block of the rules with at least
 * `bits` bits.  Those are the blocks smaller than the one that is searched; the block
 * itself and larger ones remove nothing.
 */
DIFF_MUST_READ static enum seek free_address(struct job *j, struct num_cidr c,
						  unsigned bits, uint8_t ret[16])
{
	enum seek first, second;
	bool crossed = false;
	size_t i;

	if (j->searched++ >= MAX_SEARCHED)
		return SEEK_OPEN;
	for (i = 0; i < j->nodes.n; i++) {
		const struct ir_net *n = j->nodes.v[i];

		if (n->host != IR_HOST_CIDR || n->cidr.bits < bits)
			continue;
		if (is_inside(&c, &n->cidr))
			return SEEK_NONE;
		crossed |= is_inside(&n->cidr, &c);
	}
	if (!crossed) {
		memcpy(ret, c.addr, 16);
		return SEEK_FOUND;
	}
	c.bits++;
	first = free_address(j, c, bits, ret);
	if (first == SEEK_FOUND)
		return SEEK_FOUND;
	c.addr[(c.bits - 1u) / 8] |= (uint8_t)(0x80u >> ((c.bits - 1u) % 8));
	second = free_address(j, c, bits, ret);
	if (second == SEEK_FOUND)
		return SEEK_FOUND;
	return first == SEEK_NONE && second == SEEK_NONE ? SEEK_NONE : SEEK_OPEN;
}

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
DIFF_MUST_READ static enum diff_looked take(struct job *j, enum seek seek,
					    const struct host *h)
{
	if (seek == SEEK_FOUND && !has_host(j, h))
		VEC_PUSH(j->tmp, &j->hosts, *h);
	return seek == SEEK_OPEN ? DIFF_IN_PART : DIFF_WHOLLY;
}

/*
 * Adds an address of the block `c`: with `all` one that is in no block of any rule,
 * else one that is in none smaller than `c`.
 */
DIFF_MUST_READ static enum diff_looked add_address(struct job *j, const struct num_cidr *c,
						   bool all)
{
	struct host h = { .is_addr = true };

	return take(j, free_address(j, *c, all ? 0 : c->bits + 1u, h.addr), &h);
}

/* --- names --------------------------------------------------------------- */

static bool is_below(struct str name, struct str apex)
{
	return name.n > apex.n + 1 && str_ends(name, apex) &&
	       name.p[name.n - apex.n - 1] == '.';
}

static bool is_taken(const struct job *j, struct str name, struct str apex)
{
	size_t i;

	for (i = 0; i < j->nodes.n; i++) {
		const struct ir_net *n = j->nodes.v[i];

		if (n->host == IR_HOST_NAME && str_eq(n->name, name))
			return true;
		if (n->host == IR_HOST_BELOW && !str_eq(n->name, apex) &&
		    is_below(name, n->name) && !is_below(apex, n->name))
			return true;
	}
	return false;
}

/*
 * Finds a name below `apex` ("" allows any name) that no narrower rule matches.  Every
 * rule matches at most one of the names that we try below an apex, and of those with
 * one label.
 */
DIFF_MUST_READ static enum seek free_name(struct job *j, struct str apex,
					       struct str *ret)
{
	size_t i;

	for (i = 0; i <= j->nodes.n; i++) {
		*ret = str_printf(j->tmp, "x%zu.%.*s", i,
				  STR_ARG(apex.n ? apex : STR("invalid")));
		if (!is_taken(j, *ret, apex))
			return SEEK_FOUND;
	}
	for (i = 0; !apex.n && i <= j->nodes.n; i++) {
		*ret = str_printf(j->tmp, "x%zu", i);
		if (!is_taken(j, *ret, apex))
			return SEEK_FOUND;
	}
	return SEEK_OPEN;
}

DIFF_MUST_READ static enum diff_looked add_name(struct job *j, struct str apex)
{
	struct host h = { .is_addr = false };

	return take(j, free_name(j, apex, &h.name), &h);
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
		looked = take(j, SEEK_FOUND, &h);
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
	for (i = 0; i < j->nodes.n; i++) {
		if (j->nodes.v[i]->port_lo)
			add_port(j, j->nodes.v[i]->port_lo);
		add_port(j, j->nodes.v[i]->port_hi + 1u);
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
	for (i = 0; i < j->nodes.n; i++) {
		struct ir_net y = *j->nodes.v[i];

		y.protos = IR_ANY_PROTO;
		y.port_lo = 0;
		y.port_hi = UINT16_MAX;
		if (box_net_included(&y, &all))
			looked = diff_both(looked, add_host(j, j->nodes.v[i]));
	}
	return looked;
}

static bool acts_alike(struct job *j, struct ir_request *req)
{
	uint32_t *tags = arena_array(j->tmp, j->n + 1, sizeof(*tags));
	size_t i, n = 0;

	for (i = 0; i < j->n; i++)
		if (diff_matches(j->sel[i], req))
			tags[n++] = (uint32_t)i;
	return !j->d->context_differs[IR_NET] &&
	       diff_acts_alike(j->sel, tags, n, j->tmp);
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
static void ask(struct job *j, struct ir_request *req)
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
		diff_grant_ask(j->d, &j->small, req, j->tmp, &j->told);
	if (scopes & IR_SANDBOX)
		diff_reach_ask(j->d, &j->small, req, j->tmp, &j->told);
	if (!acts_alike(j, req))
		(void)diff_ask(j->d, &j->small, req, scopes, j->tmp, &j->told);
}

DIFF_MUST_READ static enum diff_looked ask_all(struct job *j)
{
	const struct ir_net *x = net_of(j->it);
	size_t i, k, asked = 0;
	unsigned proto;

	for (i = 0; i < j->hosts.n; i++) {
		for (k = 0; k < j->ports.n; k++) {
			for (proto = IR_TCP; proto <= IR_UDP; proto <<= 1) {
				struct ir_request q = diff_request(j->d, IR_NET);

				if (!(x->protos & proto))
					continue;
				if (asked++ >= MAX_ASKED)
					return DIFF_IN_PART;
				q.proto = (enum ir_proto)proto;
				q.port = j->ports.v[k];
				q.is_addr = j->hosts.v[i].is_addr;
				q.host = j->hosts.v[i].name;
				memcpy(q.addr, j->hosts.v[i].addr, sizeof(q.addr));
				ask(j, &q);
			}
		}
	}
	return DIFF_WHOLLY;
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
	j.small = diff_small_of(d, &tmp, j.sel, j.n);
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
