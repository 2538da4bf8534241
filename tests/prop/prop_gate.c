/*
 * L5 for the gateway: random policies of every level, with grants, names in many spellings
 * and blocks.  For random (name, port, resolved address) the evaluator, egress.bin as
 * polgate reads it (runtime/egress/reach.c, names.c) and the nft table say the same: which
 * names have an address in the run, which ports the kernel refuses by itself, what the
 * gateway decides, which of the addresses that the name leads to it may dial, and what it
 * grants.  SEED= RUNS=.
 */
#include "compiler/backend/common/util.h"
#include "compiler/backend/nft/model.h"
#include "runtime/egress/names.h"
#include "runtime/egress/reach.h"
#include "tests/prop/gate_says.h"
#include "tests/prop/laws.h"

#define NAMES 12
#define ADDRESSES 8

static struct {
	unsigned long given, none, refused, asked, dialled, guarded, within, by_rule, blocks, local,
		grants, pools, carried, excepted;
} seen;

struct gate {
	struct law *l;
	unsigned long run;
	const struct pol *p;
	const struct ir *ir;
	struct gate_says says;
	struct bundle b;
	struct names names;
	struct guard guard;
	struct reach_policy policy;
	struct model model;
	struct arena *a;
};

static void broken(const struct gate *g, const struct ir_request *q, const char *what)
{
	char at[64] = "";

	law_show(g->p);
	law_show_request(q);
	for (int i = 0; q->is_addr && i < 16; i++)
		(void)sprintf(at + 2 * i, "%02x", q->addr[i]);
	printf("SEED=%llu RUNS=1\n", (unsigned long long)g->l->seed + g->run);
	fail_msg("%s %s", what, at);
}

/* --- what the evaluator says ------------------------------------------------------ */

static struct eval_decision evaluate(const struct gate *g, const struct ir_request *q)
{
	return law_decide(g->l, g->ir, q, g->a);
}

/* Semantics 3.1, step 1: the last level whose rules count. */
static enum ir_level last_level(const struct gate *g, const struct eval_decision *d)
{
	enum ir_level n = IR_USER;

	for (size_t i = 0; i < d->nmatched; i++)
		if (d->matched[i]->final && d->matched[i]->level < n)
			n = d->matched[i]->level;
	return g->ir->locked[IR_NET].level == IR_MANAGED && n == IR_MANAGED_FILE ? IR_USER : n;
}

/* Does this rule let the request pass, and so say what becomes of the connection? */
static bool grants(const struct gate *g, const struct eval_decision *d, const struct ir_rule *r)
{
	if (r->effect > IR_ASK || d->effect > IR_ASK || r->soft)
		return false;
	return r->level == IR_DEFAULT ? d->rule && d->rule->level == IR_DEFAULT :
					r->level <= last_level(g, d);
}

/* Does a rule that lets the name pass say that it may lie there? */
static bool is_within(const struct gate *g, const struct eval_decision *d, const uint8_t addr[16])
{
	for (size_t i = 0; i < d->nmatched; i++) {
		const struct ir_net *n = &d->matched[i]->set.u.net;

		for (size_t k = 0; grants(g, d, d->matched[i]) && k < n->nwithin; k++)
			if (guard_is_named(n->within[k].addr, n->within[k].bits, addr))
				return true;
	}
	return false;
}

/* The first rule in order that says it; each option alone. */
static struct ir_grant granted(const struct gate *g, const struct eval_decision *d)
{
	struct ir_grant w = { 0 };

	for (size_t i = 0; i < d->nmatched; i++) {
		const struct ir_grant *x = &d->matched[i]->set.u.net.grant;

		if (!grants(g, d, d->matched[i]))
			continue;
		if (!w.via.n && x->via.n) {
			w.via = x->via;
			w.via_secret = x->via_secret;
		}
		if (!w.header.n && x->header.n) {
			w.header = x->header;
			w.prefix = x->prefix;
			w.secret = x->secret;
			w.dial = x->dial;
		}
		w.peek = w.peek ? w.peek : x->peek;
		w.bytes = w.bytes ? w.bytes : x->bytes;
		w.connections = w.connections ? w.connections : x->connections;
	}
	if (str_eqz(w.via, "none"))
		w.via = STR("");
	return w;
}

static bool same(const struct gate *g, struct pb_str x, struct str y)
{
	return str_eq((struct str){ pb_strp(g->policy.egress, x), x.len }, y);
}

/* A limit is one for all hosts and ports of its statement. */
static bool is_limit_of(const struct gate *g, const struct eval_decision *d, bool bytes, uint32_t rule)
{
	const struct ir_rule *by = NULL, *said = rule < g->ir->rules.n ? g->ir->rules.v[rule] : NULL;

	for (size_t i = 0; i < d->nmatched && !by; i++) {
		const struct ir_grant *x = &d->matched[i]->set.u.net.grant;

		if (grants(g, d, d->matched[i]) && (bytes ? x->bytes : x->connections))
			by = d->matched[i];
	}
	return by ? said && said->at.line == by->at.line && str_eq(said->at.file, by->at.file) :
		    rule == 0;
}

static bool same_grant(const struct gate *g, const struct eval_decision *d,
		       const struct pb_grant *x, const struct ir_grant *y)
{
	return is_limit_of(g, d, true, x->bytes_rule) &&
	       is_limit_of(g, d, false, x->connections_rule) && same(g, x->via, y->via) && same(g, x->via_secret, y->via_secret) &&
	       same(g, x->header, y->header) && same(g, x->prefix, y->prefix) &&
	       same(g, x->secret, y->secret) && x->dial == y->dial && x->bytes == y->bytes &&
	       x->connections == y->connections && x->peek == (uint8_t)y->peek;
}

/* --- a name and a port ---------------------------------------------------------------- */

/* The run's address of the name, or false: DNS says that there is none. */
static bool address_of(struct gate *g, const struct ir_request *q, bool v6, uint8_t ret[16])
{
	uint32_t index = 0;

	if (names_give(&g->names, q->host.p, q->host.n, &index) != 0)
		broken(g, q, "no synthetic address is left");
	if (!index)
		return false;
	memset(ret, 0, 10);
	ret[10] = ret[11] = 0xff;
	if (v6)
		names_v6(index, ret);
	else
		names_v4(index, ret + 12);
	return true;
}

static bool kernel_accepts(const struct gate *g, unsigned proto, const uint8_t at[16], uint16_t port)
{
	int i = model_ask(&g->model, proto, region_of(at), port);

	return i >= 0 && g->model.rules.v[i].verdict == MODEL_ACCEPT;
}

/* The kernel and the gateway, on the address that stands for the name. */
static void compare_name(struct gate *g, const struct ir_request *q, const struct eval_decision *d,
			 const uint8_t at[16], struct reach *ret)
{
	bool out = gate_is_out(&g->says, q, d);
	uint32_t rule = d->rule ? region_statement(g->ir, d->rule->index) :
				 bk_rule_of_scalar(g->ir, d->scalar);
	const struct ir_grant w = granted(g, d);

	reach_decide(&g->policy, at, q->port, ret);
	if (kernel_accepts(g, IR_TCP, at, q->port) != out)
		broken(g, q, out ? "the table refuses what the evaluator lets pass" :
				   "the table lets pass what the evaluator refuses");
	if (model_redirect(&g->model, IR_TCP, region_of(at), q->port) != PB_NFT_GATE_PORT)
		broken(g, q, "it does not come to the gateway");
	if (kernel_accepts(g, IR_UDP, at, q->port) != (q->port == PB_NFT_DNS_PORT))
		broken(g, q, "datagrams");
	/* what the kernel refuses never comes here, and is refused here too */
	if (ret->effect != (enum pb_effect)(d->effect <= IR_ASK ? d->effect : IR_DENY) ||
	    ret->rule != rule)
		broken(g, q, "the gateway decides otherwise");
	if (!ret->name || !str_eqz(q->host, ret->name))
		broken(g, q, "the gateway takes it for another name");
	if (out && !same_grant(g, d, ret->grant, &w))
		broken(g, q, "something else is granted");
	seen.refused += !out;
	seen.asked += out && d->effect == IR_ASK;
	seen.grants += out && (w.via.n || w.header.n || w.bytes || w.connections || w.peek);
}

/* --- the addresses to which it leads ------------------------------------------------- */

/* Does a rule refuse the address as such, and the kernel with it? */
static bool is_refused_by_rule(const struct gate *g, const struct ir_request *q)
{
	struct eval_decision d = evaluate(g, q);

	if (!d.rule || d.effect <= IR_ASK || egress_is_loopback(q->addr) || names_is_pool(q->addr))
		return false;
	if (kernel_accepts(g, IR_TCP, q->addr, q->port))
		broken(g, q, "the table lets pass an address that a rule denies");
	return true;
}

static void compare_address(struct gate *g, const struct ir_request *q,
			    const struct eval_decision *d, const struct reach *r)
{
	enum ir_effect rules = gate_about(&g->says, q->addr, q->port);
	struct ir_request itself = *q;
	enum guard_kind kind = guard_ask(&g->guard, q->addr);
	bool within = is_within(g, d, q->addr), guarded = kind != GUARD_PUBLIC && !within;
	struct reach_address a;

	reach_address(&g->policy, r, q->addr, q->port, &a);
	if (names_is_pool(q->addr))
		guarded = true;
	if (rules == IR_ALLOW)
		rules = gate_about_carried(&g->says, q->addr, q->port);
	seen.carried += gate_about_carried(&g->says, q->addr, q->port) != IR_ALLOW;
	if ((a.effect == PB_DENY && a.why == GATE_W_GUARD) != guarded)
		broken(g, q, guarded ? "a guarded address is dialled" :
				       "the guard refuses what `within` names");
	if (!guarded && a.effect != (enum pb_effect)(rules == IR_HIDE ? IR_DENY : rules))
		broken(g, q, "the rules about the address say something else");
	/* dialled for the name, while nobody may connect to the address itself */
	itself.is_addr = true;
	seen.excepted += a.effect == PB_ALLOW && is_refused_by_rule(g, &itself);
	seen.guarded += guarded;
	seen.within += within && kind != GUARD_PUBLIC && !guarded;
	seen.by_rule += !guarded && a.effect != PB_ALLOW;
	seen.dialled += a.effect == PB_ALLOW;
}

static void near_address(struct rnd *r, const struct ir *ir, uint8_t ret[16])
{
	static const uint8_t v4[][4] = { { 10, 1, 2, 3 }, { 203, 0, 113, 2 }, { 198, 51, 100, 7 },
					 { 127, 0, 0, 1 }, { 169, 254, 169, 254 }, { 192, 0, 2, 7 },
					 { 198, 18, 0, 1 }, { 10, 200, 0, 1 }, { 8, 8, 8, 8 } };
	struct ir_request q = { .kind = IR_NET };
	const struct ir_rule *rule =
		ir->rules.n ? ir->rules.v[rnd_below(r, (uint32_t)ir->rules.n)] : NULL;

	if (rule && rule->kind == IR_NET && rule->set.u.net.host == IR_HOST_CIDR) {
		near_net(r, &rule->set.u.net, &q);
		memcpy(ret, q.addr, 16);
		return;
	}
	memset(ret, 0, 16);
	if (rnd_one_in(r, 5)) { /* NAT64 */
		ret[1] = 0x64;
		ret[2] = 0xff;
		ret[3] = 0x9b;
		memcpy(ret + 12, RND_PICK(r, v4), 4);
		return;
	}
	if (rnd_one_in(r, 5)) {
		ret[0] = 0x20;
		ret[1] = 1;
		ret[2] = 0x0d;
		ret[3] = 0xb8;
		ret[15] = 7;
		return;
	}
	ret[10] = ret[11] = 0xff;
	memcpy(ret + 12, RND_PICK(r, v4), 4);
}

/* --- a destination that is an address -------------------------------------------------- */

static bool names_it(const struct gate *g, const struct eval_decision *d, const uint8_t addr[16])
{
	for (size_t i = 0; i < d->nmatched; i++) {
		const struct ir_net *n = &d->matched[i]->set.u.net;

		if (grants(g, d, d->matched[i]) && n->host == IR_HOST_CIDR &&
		    guard_is_named(n->cidr.addr, n->cidr.bits, addr))
			return true;
	}
	return false;
}

static void compare_block(struct gate *g, struct rnd *r, uint16_t port)
{
	struct ir_request q = { .kind = IR_NET, .scope = IR_SANDBOX, .is_addr = true,
				.before_guard = true, .proto = IR_TCP, .port = port };
	struct reach_address a;
	struct eval_decision d;
	struct ir_grant w;
	struct reach to;
	bool out, refused;

	near_address(r, g->ir, q.addr);
	if (names_is_pool(q.addr) || egress_is_loopback(q.addr))
		return;
	d = evaluate(g, &q);
	w = granted(g, &d);
	out = d.effect <= IR_ASK;
	reach_decide(&g->policy, q.addr, port, &to);
	if (kernel_accepts(g, IR_TCP, q.addr, port) != out ||
	    to.effect != (enum pb_effect)(out ? d.effect : IR_DENY) || to.name)
		broken(g, &q, "an address is decided otherwise");
	seen.blocks++;
	if (!out)
		return;
	if (!same_grant(g, &d, to.grant, &w))
		broken(g, &q, "an address is granted something else");
	reach_address(&g->policy, &to, q.addr, port, &a);
	refused = guard_ask(&g->guard, q.addr) != GUARD_PUBLIC && !names_it(g, &d, q.addr);
	if ((a.effect == PB_DENY && a.why == GATE_W_GUARD) != refused)
		broken(g, &q, refused ? "a guarded address that no rule names is dialled" :
					"the guard refuses what a rule names");
	/* the guard is a part of the decision, but for what only the host knows or the
	 * mode `full` permits, and the own addresses of this test */
	q.before_guard = false;
	d = evaluate(g, &q);
	if (g->guard.on && guard_kind(q.addr) != GUARD_PUBLIC && (d.effect > IR_ASK) != refused)
		broken(g, &q, "the decision and the guard differ");
	q.before_guard = true;
	if (!refused && a.effect != (enum pb_effect)gate_about_carried(&g->says, q.addr, port))
		broken(g, &q, "the rules about the address that it carries say something else");
}

/* The loopback of the run is that of the host where a rule says so. */
static void compare_local(struct gate *g, uint16_t port)
{
	static const uint8_t v4[16] = { [10] = 0xff, 0xff, 127, 0, 0, 1 };
	struct ir_request q = { .kind = IR_NET, .scope = IR_SANDBOX, .host = STR("localhost"),
				.proto = IR_TCP, .port = port };
	struct eval_decision d = evaluate(g, &q);
	static const uint8_t v6[16] = { [15] = 1 };
	bool out = gate_is_out(&g->says, &q, &d), own = port == 1 || port == PB_NFT_DNS_PORT;
	struct reach to;

	reach_decide(&g->policy, v4, port, &to);
	if (to.effect != (enum pb_effect)(out ? d.effect : IR_DENY))
		broken(g, &q, "the host's loopback is decided otherwise");
	for (unsigned k = 0; k < 2 && !own; k++) {
		bool there = model_redirect(&g->model, IR_TCP, region_of(k ? v6 : v4), port) != 0;
		struct reach_address a;

		/* without `within` the port stays the run's own */
		if (there && !out)
			broken(g, &q, "the run's own loopback goes to the gateway");
		reach_address(&g->policy, &to, k ? v6 : v4, port, &a);
		if (out && (a.effect != PB_DENY || a.why != GATE_W_GUARD) !=
				   is_within(g, &d, k ? v6 : v4))
			broken(g, &q, "the host's loopback is guarded otherwise");
		if (out && is_within(g, &d, k ? v6 : v4) && !there)
			broken(g, &q, "the host's loopback does not come to the gateway");
	}
	seen.local += out;
}

/* --- a policy ---------------------------------------------------------------------------- */

static struct str some_name(struct rnd *r, const struct ir *ir)
{
	const struct ir_rule *rule =
		ir->rules.n ? ir->rules.v[rnd_below(r, (uint32_t)ir->rules.n)] : NULL;
	struct str any = str_from(RND_PICK(r, net_asked));

	if (!rule || rule->kind != IR_NET || rnd_one_in(r, 3))
		return any;
	if (rule->nexcept && rnd_one_in(r, 2))
		return near_name(r, &rule->except[0].u.net, any);
	return near_name(r, &rule->set.u.net, any);
}

static uint16_t some_port(struct rnd *r, const struct ir *ir)
{
	const struct ir_rule *rule =
		ir->rules.n ? ir->rules.v[rnd_below(r, (uint32_t)ir->rules.n)] : NULL;
	uint32_t port = RND_PICK(r, net_asked_ports);

	if (rule && rule->kind == IR_NET && !rnd_one_in(r, 3))
		port = (rnd_one_in(r, 2) ? rule->set.u.net.port_lo : rule->set.u.net.port_hi) +
		       rnd_below(r, 3) - 1;
	return (uint16_t)port;
}

static void one_name(struct gate *g, struct rnd *r)
{
	struct ir_request q = { .kind = IR_NET, .scope = IR_SANDBOX, .proto = IR_TCP,
				.host = some_name(r, g->ir) };
	bool out = gate_leads_out(&g->says, q), local = str_eqz(q.host, "localhost");
	uint8_t at[16];

	if (address_of(g, &q, false, at) != (out && !local))
		broken(g, &q, out ? "the name does not exist" : "the name exists");
	if (!out || local) {
		seen.none++;
		return;
	}
	seen.given++;
	for (int k = 0; k < 4; k++) {
		struct eval_decision d;
		struct reach to;

		q.is_addr = false;
		q.port = some_port(r, g->ir);
		(void)address_of(g, &q, rnd_one_in(r, 2), at);
		d = evaluate(g, &q);
		compare_name(g, &q, &d, at, &to);
		g->l->bites++;
		for (int i = 0; gate_is_out(&g->says, &q, &d) && i < ADDRESSES; i++) {
			near_address(r, g->ir, q.addr);
			compare_address(g, &q, &d, &to);
		}
	}
}

static bool open_gate(struct gate *g, struct compilation *c)
{
	const struct bk_member *json = bk_member(&c->out, PB_NFT_JSON);
	static const uint8_t own[16] = { [10] = 0xff, 0xff, 203, 0, 113, 2 };
	const char *why;

	if (!json)
		return false; /* disabled, or full without a rule that denies: there is no gateway */
	if (!compiled_open(c, &g->b))
		fail_msg("%s", c->internal ? c->internal : "no bundle");
	why = model_read(g->a, json->bytes, &g->model);
	if (why)
		fail_msg("%s", why);
	g->policy = (struct reach_policy){
		.egress = g->b.egress, .names = &g->names, .guard = &g->guard,
		.otherwise_rule = bk_rule_of_scalar(c->ir, IR_S_NET_OTHERWISE)
	};
	g->guard.on = g->b.egress->guard == 1;
	assert_int_equal(names_init(&g->names, g->b.egress), 0);
	assert_int_equal(guard_add_own(&g->guard, own), 0);
	seen.pools += g->b.egress->pools.count > 1;
	return true;
}

/* A rule of some level that names no host, with names as its exceptions. */
static void add_hostless(struct gate *g, const struct rnd *from, struct pol *p)
{
	static const int slots[] = { POL_MANAGED, POL_MANAGED_FILE, POL_PROJECT, POL_DISCOVERED,
				     POL_USER };
	static const char *const effects[] = { "deny", "deny", "ask" };
	struct rnd r = rnd_split(from, 3);
	struct net_rule x = { .effect = "deny" };

	for (uint32_t n = rnd_below(&r, 3); n > 0; n--) {
		int slot = RND_PICK(&r, slots);
		const char *effect = RND_PICK(&r, effects), *final = "";
		struct buf b;

		if (!p->text[slot])
			continue;
		if (slot <= POL_MANAGED_FILE && effect[0] == 'd' && rnd_one_in(&r, 3))
			final = "final ";
		buf_init(&b, g->a);
		buf_printf(&b, "%s\nnetwork {\n  %s%s %sany port %s except ", p->text[slot],
			   final, effect, rnd_one_in(&r, 2) ? "tcp " : "",
			   RND_PICK(&r, net_ports));
		net_hosts(&r, &b, &x);
		buf_z(&b, "\n}\n");
		p->text[slot] = str_z(g->a, buf_view(&b));
	}
}

static void worlds_agree(struct law *l, unsigned long run, struct arena *a)
{
	struct pol_gen pg = law_gen(l, run, a);
	struct compilation c;
	struct options o;
	struct pol p;
	struct gate g = { .l = l, .run = run, .p = &p, .a = a };

	pg.enforceable = true;
	pg.networks = true;
	p = pol_random(&pg);
	if ((l->seed + run) % 3 != 2) /* of the rest the texts stay what they were */
		add_hostless(&g, &pg.r, &p);
	if (!law_compile(l, &c, &o, &p, NULL, a))
		return;
	g.ir = c.ir;
	g.says = gate_says_of(c.ir, a);
	if (!open_gate(&g, &c))
		return;
	for (int i = 0; i < NAMES; i++)
		one_name(&g, &pg.r);
	for (int i = 0; i < 4 * NAMES; i++) {
		compare_block(&g, &pg.r, some_port(&pg.r, c.ir));
		compare_local(&g, some_port(&pg.r, c.ir));
	}
	names_release(&g.names);
	guard_release(&g.guard);
	bundle_release(&g.b);
}

static void test_L5_the_gateway_decides_as_the_evaluator(void **state)
{
	struct law l;

	(void)state;
	law_begin(&l, "L5 gateway", 150, 0);
	law_repeat(&l, worlds_agree);
	printf("names: %lu given, %lu none; ports: %lu refused, %lu asked; addresses: %lu dialled, "
	       "%lu guarded, %lu within, %lu by a rule; %lu blocks, %lu on the host's loopback, %lu "
	       "grants, %lu policies with several pools, %lu carried addresses, %lu excepted\n", seen.given, seen.none, seen.refused,
	       seen.asked, seen.dialled, seen.guarded, seen.within, seen.by_rule, seen.blocks,
	       seen.local, seen.grants, seen.pools, seen.carried, seen.excepted);
	law_end(&l);
	if (!law_is_whole(&l))
		return;
	assert_true(seen.given > l.runs && seen.none > l.runs / 2 && seen.refused > l.runs / 4);
	assert_true(seen.asked > l.runs / 4 && seen.dialled > l.runs && seen.guarded > l.runs);
	assert_true(seen.within && seen.by_rule > l.runs / 4 && seen.blocks > l.runs);
	assert_true(seen.local && seen.carried && seen.excepted && seen.grants > l.runs / 4 && seen.pools > l.runs / 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_L5_the_gateway_decides_as_the_evaluator),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
