/*
 * Network rules on random policies: in every cell of addresses, names and ports the
 * evaluator, egress.bin and the ruleset say the same; on random addresses and names the
 * ruleset and the look-ups that the gateway uses do; and what the kernel lists after the
 * captured messages were replayed is the ruleset.  A table that is made of fewer blocks than
 * the policy has accepts no less, leaves to the gateway what it accepts beyond, and is exact
 * on the loopback.  What `polc emit --to nft-host` accepts is
 * allowed by the evaluator, and nft reads its text.
 */
#include <time.h>

#include "compiler/analysis/lift.h"
#include "compiler/backend/nft/net.h"
#include "compiler/backend/nft/capture.h"
#include "compiler/backend/nft/coarse.h"
#include "compiler/backend/nft/model.h"
#include "compiler/backend/nft/region_make.h"
#include "compiler/backend/nft/ruleset.h"
#include "compiler/emit/nft_host.h"
#include "compiler/emit/nft_host_cells.h"
#include "compiler/eval/eval.h"
#include "runtime/base/address_guard.h"
#include "runtime/bundle/format.h"
#include "runtime/decide/egress.h"
#include "tests/unit/sema_fixture.h"

static uint64_t state;

static unsigned below(unsigned n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(state >> 33) % n;
}

static const char *const blocks[] = {
	"10.0.0.0/8", "10.1.0.0/16", "10.1.2.0/24", "10.1.2.3", "10.128.0.0/9",
	"0.0.0.0/0", "0.0.0.0/1", "128.0.0.0/1", "255.255.255.255", "127.0.0.0/8",
	"127.0.0.1", "::/0", "::1", "2001:db8::/32", "2001:db8:1::/48", "8000::/1",
	"ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "fe80::/10", "192.0.2.0/31",
};
static const char *const hosts[] = {
	"a.example", "*.a.example", "*.example", "b.example", "x.a.example", "*.x.a.example",
	"example", "localhost", "db.localhost", "*.localhost", "*.org",
};
static const char *const within[] = { "10.0.0.0/8", "127.0.0.0/8", "::1", "127.0.0.2",
				      "10.1.0.0/16, fd00::/8" };
static const char *const asked[] = {
	"a.example", "b.example", "example", "x.a.example", "y.x.a.example", "z.a.example",
	"deep.er.example", "other", "org", "q.org", "localhost", "db.localhost",
	"web.localhost", "xlocalhost", "xa.example", "localhost.example",
};
static const char *const ports[] = { "80", "443", "1-1024", "22", "80-90", "65535",
				     "1-65535", "50-85" };

#define PICK(a) ((a)[below(POL_LEN(a))])

static void add_rule(struct buf *b, enum ir_level level, unsigned n)
{
	static const char *const effects[] = { "allow", "deny", "ask", "allow" };
	const char *effect = PICK(effects);
	bool host = below(4) != 0, name = host && below(2);

	buf_z(b, "\t");
	if (level <= IR_MANAGED_FILE && strcmp(effect, "ask") != 0 && below(3) == 0)
		buf_z(b, "final ");
	buf_printf(b, "%s ", effect);
	if (below(3))
		buf_z(b, below(2) ? "tcp " : "udp ");
	for (unsigned i = 0; host && i <= below(3); i++)
		buf_printf(b, name ? "%s\"%s\"" : "%s%s", i ? ", " : "",
			   name ? PICK(hosts) : PICK(blocks));
	if (!host || below(2)) {
		buf_printf(b, " port %s", PICK(ports));
		while (below(3) == 0)
			buf_printf(b, ", %s", PICK(ports));
	}
	buf_printf(b, " as r%u", n);
	if (name && strcmp(effect, "allow") == 0 && below(3) == 0)
		buf_printf(b, " within %s", PICK(within));
	if (below(4) == 0)
		buf_printf(b, name ? " except \"%s\"" : " except %s",
			   name ? PICK(hosts) : PICK(blocks));
	buf_z(b, "\n");
}

static const char *policy(struct arena *a, enum ir_level level)
{
	struct buf b;

	buf_init(&b, a);
	if (level == IR_MANAGED)
		buf_z(&b, below(4) ? "network limited {\n" : "locked network limited {\n");
	else
		buf_z(&b, "network {\n");
	if (below(4) == 0 && level != IR_DEFAULT)
		buf_printf(&b, "\totherwise %s\n",
			   below(2) ? "allow" : below(2) ? "deny" : "ask");
	for (unsigned i = 0, n = below(4); i < n; i++)
		add_rule(&b, level, i);
	buf_z(&b, "}\n");
	return str_z(a, buf_view(&b));
}

static void make(struct fx *f)
{
	static const char *const names[] = { "m.pol", "f.pol", "p.pol", "u.pol" };

	fx_init(f);
	fx_write(f, "std/base.pol", policy(&f->a, IR_DEFAULT));
	for (unsigned i = 0; i < 4; i++)
		if (i == 0 || below(3))
			fx_add(f, names[i], policy(&f->a, (enum ir_level)(IR_MANAGED + i)),
			       (enum ir_level)(IR_MANAGED + i), i == 2 && below(2));
}

/* What the kernel does where the evaluator says `e`: see doc/nft.md. */
static bool is_accepted(const struct ir_request *q, enum ir_effect e)
{
	region_addr at = region_of(q->addr);
	bool gate = at == REGION_LOOP6 || at == REGION_LOOP4_LO + 1;

	if (q->port == 53 && (q->proto == IR_UDP || gate))
		return true;
	if (q->port == 1 && q->proto == IR_TCP && gate)
		return false;
	if (egress_is_loopback(q->addr))
		return e == IR_ALLOW;
	return q->proto == IR_TCP && e <= IR_ASK;
}

/* The evaluator, and what the gateway would look up. */
static void compare_names(struct fx *f, const struct pb_egress *e, unsigned *ret_passed)
{
	for (unsigned i = 0; i < 300; i++) {
		struct ir_request q = { .kind = IR_NET, .scope = IR_SANDBOX,
					.host = str_from(PICK(asked)),
					.proto = below(2) ? IR_TCP : IR_UDP };
		uint32_t class_ = egress_class(e, q.host.p, q.host.n);
		const struct pb_piece *p;
		struct eval_decision d;

		q.port = (uint16_t)(strtoul(PICK(ports), NULL, 10) + below(3) - 1);
		eval_decide(f->ir, &q, &f->a, &d);
		p = egress_name(e, class_, q.proto == IR_UDP, q.port);
		assert_int_equal(p->effect, d.effect);
		if (d.rule)
			assert_int_equal(p->rule, region_statement(f->ir, d.rule->index));
		if (p->free)
			assert_true(guard_is_localhost(q.host.p, q.host.n));
		if (q.proto == IR_TCP && p->effect <= PB_ASK && !p->free) {
			assert_true(egress_pool_reaches(e, class_));
			assert_true(egress_pool(e, class_) ||
				    str_eqz(q.host, "localhost"));
			++*ret_passed;
		}
	}
}

static void compare_requests(struct fx *f, const struct region *r, const struct model *m)
{
	for (unsigned i = 0; i < 300; i++) {
		struct ir_request q = { .kind = IR_NET, .scope = IR_SANDBOX,
					.is_addr = true, .before_guard = true, .port = (uint16_t)below(65536) };
		const struct region_slab *s = &r->slabs.v[below((unsigned)r->slabs.n)];
		struct eval_decision e;
		int at;

		/* near a bound, where mistakes are */
		region_bytes(s->lo + below(3) - 1, q.addr);
		q.proto = below(2) ? IR_TCP : IR_UDP;
		if (below(2))
			q.port = (uint16_t)strtoul(PICK(ports), NULL, 10);
		q.port = (uint16_t)(q.port + below(3) - 1);
		eval_decide(f->ir, &q, &f->a, &e);
		at = model_ask(m, q.proto, region_of(q.addr), q.port);
		assert_true(at >= 0);
		if (!egress_index(q.addr))
			assert_int_equal(m->rules.v[at].verdict == MODEL_ACCEPT,
					 is_accepted(&q, e.effect));
	}
}

/* --- a coarse table ------------------------------------------------------------------ */

struct coarse_count {
	unsigned left, rejected;
};

static void compare_coarse_one(struct fx *f, const struct model *m,
			       const struct ir_request *q, const struct pb_egress *e,
			       struct coarse_count *count)
{
	region_addr at = region_of(q->addr);
	int i = model_ask(m, q->proto, at, q->port);
	const struct model_rule *r = &m->rules.v[i < 0 ? 0 : i];
	const struct pb_piece *piece;
	struct eval_decision d;
	bool want;

	eval_decide(f->ir, q, &f->a, &d);
	piece = egress_addr(e, q->addr, q->proto == IR_UDP, q->port);
	assert_int_equal(piece->effect, d.effect);
	if (d.rule)
		assert_int_equal(piece->rule, region_statement(f->ir, d.rule->index));
	want = is_accepted(q, d.effect);
	assert_true(i >= 0 && model_records(r));
	if ((r->verdict == MODEL_ACCEPT) == want) {
		count->rejected += !want && str_eqz(r->comment, COARSE_COMMENT);
		return;
	}
	assert_false(want);
	assert_false(region_is_loopback(at));
	assert_int_equal(q->proto, IR_TCP);
	assert_true(str_eqz(r->comment, COARSE_COMMENT));
	assert_int_equal(model_redirect(m, q->proto, at, q->port), PB_NFT_GATE_PORT);
	/* where the gateway runs, and refuses it */
	assert_true(e->gate & PB_GATE_REACHES);
	assert_int_equal(piece->effect, PB_DENY);
	count->left++;
}

static void compare_coarse(struct fx *f, const struct region *r, const struct pb_egress *e,
			   struct coarse_count *count)
{
	size_t most = 1 + below(6);
	struct region table;
	struct model m;
	struct buf b;

	coarse_make(f->ir, r, most, &f->a, &table);
	buf_init(&b, &f->a);
	ruleset_json(&b, f->ir, &table);
	assert_null(model_read(&f->a, buf_view(&b), &m));
	for (unsigned i = 0; i < 600; i++) {
		const struct region *near = below(2) ? r : &table;
		struct ir_request q = { .kind = IR_NET, .scope = IR_SANDBOX, .is_addr = true,
					.before_guard = true, .proto = below(3) ? IR_TCP : IR_UDP };

		region_bytes(near->slabs.v[below((unsigned)near->slabs.n)].lo + below(3) - 1,
			     q.addr);
		q.port = (uint16_t)(strtoul(PICK(ports), NULL, 10) + below(3) - 1);
		if (!egress_index(q.addr))
			compare_coarse_one(f, &m, &q, e, count);
	}
}

/* --- nft-host ----------------------------------------------------------------------- */

static bool holds(const struct host_group *g, unsigned proto, region_addr a, uint16_t port)
{
	unsigned family = a >= REGION_V4_LO && a <= REGION_V4_HI ? 0 : 1;

	for (size_t i = 0; g && i < g->blocks[family][proto].n; i++) {
		const struct host_block *b = &g->blocks[family][proto].v[i];

		if (a >= b->lo && a <= b->hi && port >= b->ports.lo && port <= b->ports.hi)
			return true;
	}
	return false;
}

/* Does the rule name each address of its block?  (No guarded range in it is narrower.) */
static bool names_block(const struct ir_rule *r)
{
	const struct ir_net *n = &r->set.u.net;
	region_addr from = region_first(&n->cidr);
	struct region_range all;

	return n->host == IR_HOST_CIDR && region_next_named(&n->cidr, &from, &all) &&
	       all.lo == region_first(&n->cidr) && all.hi == region_last(&n->cidr);
}

/* Is there a rule that allows and names the address? */
static bool is_named(const struct eval_decision *e)
{
	for (size_t i = 0; i < e->nmatched; i++)
		if (e->matched[i]->effect == IR_ALLOW && names_block(e->matched[i]))
			return true;
	return false;
}

static bool is_in(const struct host_cells *c, enum host_stage s, const struct ir_request *q)
{
	for (size_t i = 0; i < c->n; i++)
		if (holds(c->of[s][i], q->proto == IR_UDP, region_of(q->addr), q->port))
			return true;
	return false;
}

/* Never weaker, and where a rule names the address not stricter either. */
static void compare_host(struct fx *f, const struct region *r, bool loopback,
			 unsigned *ret_accepted)
{
	struct host_cells c = { .a = &f->a, .ir = f->ir, .loopback = loopback };

	host_cells(&c, r);
	for (unsigned i = 0; i < 300; i++) {
		struct ir_request q = { .kind = IR_NET, .scope = IR_SANDBOX, .is_addr = true,
					.before_guard = true };
		region_addr at = r->slabs.v[below((unsigned)r->slabs.n)].lo + below(3) - 1;
		struct eval_decision e, first;
		bool taken, named;

		region_bytes(at, q.addr);
		q.proto = below(2) ? IR_TCP : IR_UDP;
		q.port = (uint16_t)(strtoul(PICK(ports), NULL, 10) + below(3) - 1);
		eval_decide(f->ir, &q, &f->a, &e);
		taken = is_in(&c, HOST_NAMED, &q) || is_in(&c, HOST_ANY, &q);
		named = e.rule && names_block(e.rule);
		first = e;
		if (taken)
			assert_int_equal(e.effect, IR_ALLOW);
		if (taken)
			assert_false(is_in(&c, HOST_DENIED, &q));
		if (taken && !loopback && region_is_loopback(at))
			assert_true(named);
		/* no address can be told from those of a name that gets less */
		for (unsigned k = 0; taken && !is_named(&first) && !region_is_loopback(at) &&
				     k < POL_LEN(asked); k++) {
			struct ir_request n = { .kind = IR_NET, .scope = IR_SANDBOX,
						.host = str_from(asked[k]), .proto = q.proto,
						.port = q.port };

			eval_decide(f->ir, &n, &f->a, &e);
			if (!guard_is_localhost(n.host.p, n.host.n))
				assert_int_equal(e.effect, IR_ALLOW);
		}
		if (first.effect == IR_ALLOW && named && !region_is_loopback(at))
			assert_true(is_in(&c, HOST_NAMED, &q));
		*ret_accepted += taken;
	}
}

/* Does nft, in a namespace of its own, take the text?  -1: there is no namespace. */
static int nft_takes(const char *path)
{
	char command[256];

	if (system("unshare -Urn true 2>/dev/null") != 0)
		return -1;
	(void)snprintf(command, sizeof(command), "unshare -Urn nft -c -f %s", path);
	return system(command) == 0;
}

static void load_host(struct fx *f, bool loopback)
{
	const struct emit_options o = { .uid = "1000", .loopback = loopback };
	struct emit_report report = { .a = &f->a };
	char path[] = "/tmp/pol-prop-nft.XXXXXX";
	int fd = mkstemp(path), took;
	struct buf b;

	assert_true(fd >= 0);
	buf_init(&b, &f->a);
	if (!f->ir->name.n)
		f->ir->name = STR("prop");
	assert_null(emit_nft_host(f->ir, &o, &b, &report));
	assert_int_equal(write(fd, b.p, b.n), (ssize_t)b.n);
	(void)close(fd);
	took = nft_takes(path);
	(void)unlink(path);
	assert_int_not_equal(took, 0);
}

static void one(struct fx *f, bool kernel, unsigned *ret_listed, unsigned *ret_passed,
		struct coarse_count *coarse)
{
	struct bk_output out = { .a = &f->a };
	struct bk_report report = { .a = &f->a };
	const char *why;
	struct region r;
	struct model m;

	(void)pass_lift(f->ir, &f->sink);
	bk_net.check(f->ir, &report, &f->sink);
	assert_true(bk_net.emit(f->ir, &out, &f->sink));
	why = bk_net.verify(f->ir, &out, &f->a);
	if (why)
		fail_msg("%s", why);
	assert_true(region_make(f->ir, &f->a, &r));
	assert_null(model_read(&f->a, bk_member(&out, PB_NFT_JSON)->bytes, &m));
	compare_requests(f, &r, &m);
	compare_names(f, (const void *)bk_member(&out, PB_EGRESS)->bytes.p, ret_passed);
	compare_coarse(f, &r, (const void *)bk_member(&out, PB_EGRESS)->bytes.p, coarse);
	for (unsigned k = 0; k < 2; k++)
		compare_host(f, &r, k, ret_passed + 1);
	if (kernel) {
		struct nft_captured c;
		enum nft_capture_result got = nft_capture(
			&f->a, bk_member(&out, PB_NFT_JSON)->bytes, &c, &why);

		if (got == NFT_REFUSED)
			fail_msg("%s", why);
		load_host(f, below(2));
		*ret_listed += got == NFT_CAPTURED;
	}
}

static void test_the_ruleset_is_the_policy(void **ctx)
{
	const char *seed = getenv("SEED"), *runs = getenv("RUNS");
	uint64_t first = seed ? strtoull(seed, NULL, 0) : (uint64_t)time(NULL);
	unsigned n = runs ? (unsigned)strtoul(runs, NULL, 0) : 150, listed = 0, made = 0,
		 passed[2] = { 0, 0 }; /* names; requests that nft-host accepts */

	struct coarse_count coarse = { 0, 0 };

	(void)ctx;
	printf("nft: SEED=%llu RUNS=%u\n", (unsigned long long)first, n);
	for (unsigned i = 0; i < n; i++) {
		struct fx f;

		state = (first + i) * 0x9e3779b97f4a7c15u;
		make(&f);
		if (fx_run(&f)) {
			one(&f, i % 10 == 0, &listed, passed, &coarse);
			made++;
		} else if (getenv("SHOW")) {
			fx_show(&f);
		}
		fx_release(&f);
	}
	printf("nft: %u policies, %u listed by the kernel, %u names let through, %u requests on "
	       "a host, %u left to the gateway, %u rejected coarsely\n", made, listed, passed[0],
	       passed[1], coarse.left, coarse.rejected);
	assert_true(n < 20 || (coarse.left > n && coarse.rejected > n));
	assert_true(n < 20 || (passed[0] > n && passed[1] > n));
	assert_true(n < 20 || made * 2 > n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_ruleset_is_the_policy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
