/* egress.bin, which polgate decides by: what is no member of a bundle is refused. */
#include "compiler/analysis/lift.h"
#include "compiler/backend/nft/region_make.h"
#include "runtime/base/host.h"
#include "runtime/bundle/check.h"
#include "runtime/decide/egress.h"
#include "tests/unit/nft_fixture.h"

/* Everything that a taken member says can be read: ASan sees what lies outside. */
static void look_up(const char *data)
{
	static const char *const names[] = { "a.example", "x.b.example", "localhost", "q" };
	static const uint8_t addrs[][16] = { { 0 }, { [10] = 0xff, [11] = 0xff, [12] = 10 },
					     { 0xff, 0xff }, { [15] = 1 } };
	const struct pb_egress *e = (const void *)data;

	for (size_t i = 0; i < 4; i++)
		for (unsigned udp = 0; udp < 2; udp++) {
			uint32_t c = egress_class(e, names[i], strlen(names[i]));
			const struct pb_piece *p = egress_name(e, c, udp, 443);
			const struct pb_pool *pool = egress_pool(e, c);

			(void)egress_within(e, egress_grant(e, p), addrs[i]);
			assert_true(!pool || pool->first + pool->count <= PB_POOL_SIZE);
			p = egress_addr(e, addrs[i], udp, 80);
			(void)egress_within(e, egress_grant(e, p), addrs[i]);
			assert_true(egress_reached(e, addrs[i], 80)->effect <= PB_DENY);
			(void)egress_pool_reaches(e, c);
		}
}

/* Each table by its rule: a member that breaks one is refused by name. */
static void test_names_pools_and_grants_are_checked(void **state)
{
	struct rt_err err;
	struct made m;
	uint32_t nrules;
	struct str e;
	char *p;

	(void)state;
	make(&m);
	e = bk_member(&m.out, PB_EGRESS)->bytes;
	nrules = (uint32_t)m.f.ir->rules.n + IR_SCALAR_COUNT;
	p = arena_dup(&m.f.a, e.p, e.n);
	struct pb_egress *h = (void *)p;
	struct pb_host *host = (void *)(p + h->hosts.off);
	struct pb_class *class_ = (void *)(p + h->classes.off);
	struct pb_pool *pool = (void *)(p + h->pools.off);
	struct pb_grant *grant = (void *)(p + h->grants.off);
	struct pb_slab *slab = (void *)(p + h->slabs.off);
	struct pb_slab4 *slab4 = (void *)(p + h->slabs4.off);
	struct pb_pair *pair = (void *)(p + h->pairs.off);
	struct pb_host was = host[0];
	struct pb_pool all = pool[0];

	assert_true(h->hosts.count >= 4 && h->pools.count >= 1 && h->grants.count >= 3);
#define WRONG(change, back, say)                                                       \
	do {                                                                           \
		change;                                                                \
		assert_true(bundle_check_egress(p, e.n, nrules, &err) < 0);            \
		if (!strstr(err.text, say))                                            \
			fail_msg("'%s' does not say '%s'", err.text, say);             \
		back;                                                                  \
		assert_int_equal(bundle_check_egress(p, e.n, nrules, &err), 0);        \
	} while (0)
	WRONG(p[3] = '2', p[3] = PB_MAGIC_EGRESS >> 24, "PEG2: another version of polc made the bundle; compile");
	WRONG(p[3] = 'R', p[3] = PB_MAGIC_EGRESS >> 24, "PEGR: another version of polc made the bundle; compile");
	WRONG(p[2] = 'H', p[2] = 'G', "does not begin");
	WRONG(host[0] = host[1], host[0] = was, "do not ascend");
	WRONG(host[0].class_ = h->classes.count, host[0] = was, "no class");
	WRONG(host[0].below = 2, host[0] = was, "no class");
	WRONG(p[was.name.off] = 'A', p[was.name.off] = 'a', "another byte");
	WRONG(slab[0].lo[15] = 1, slab[0].lo[15] = 0, "the first address");
	WRONG(slab[0].zero = 1, slab[0].zero = 0, "names no lists");
	WRONG(slab[1].pair += h->pairs.count, slab[1].pair -= h->pairs.count, "names no lists");
	WRONG(slab4[0].lo = 1, slab4[0].lo = 0, "the first v4 address");
	WRONG(slab4[1].pair += h->pairs.count, slab4[1].pair -= h->pairs.count,
	      "a range of v4 addresses names no lists");
	WRONG(slab4[2].lo -= slab4[1].lo, slab4[2].lo += slab4[1].lo, "of v4 addresses do not ascend");
	WRONG(pair[0].udp += h->lists.count, pair[0].udp -= h->lists.count, "names none");
	WRONG(pair[0].reached += h->lists.count, pair[0].reached -= h->lists.count, "names none");
	WRONG(pair[0].zero = 1, pair[0].zero = 0, "names none");
	WRONG(p[3] = '4', p[3] = PB_MAGIC_EGRESS >> 24, "PEG4: another version of polc made the bundle; compile");
	WRONG(class_[0].tcp = h->lists.count, class_[0].tcp = 0, "no ports") ;
	WRONG(h->other_class = h->classes.count, h->other_class = 0, "all other names");
	WRONG(pool[0].first = 0, pool[0] = all, "pools");
	WRONG(pool[0].count = PB_POOL_SIZE, pool[0] = all, "pools");
	WRONG(grant[0].within_count = 1, grant[0].within_count = 0, "the plain one");
	WRONG(grant[1].within_count = h->ranges.count + 1, grant[1].within_count = 1, "not there");
	WRONG(grant[1].peek = PB_PEEK_COUNT, grant[1].peek = 0, "unknown protocol");
	WRONG(grant[1].bytes_rule = 1, grant[1].bytes_rule = 0, "bytes is no rule's");
	WRONG((grant[1].bytes = 1, grant[1].bytes_rule = nrules),
	      (grant[1].bytes = 0, grant[1].bytes_rule = 0), "bytes is no rule's");
	WRONG(grant[1].connections_rule = 1, grant[1].connections_rule = 0, "connections is no");
	WRONG((grant[1].connections = 1, grant[1].connections_rule = nrules),
	      (grant[1].connections = 0, grant[1].connections_rule = 0), "connections is no");
	WRONG(h->gate = 0, h->gate = PB_GATE_NEEDED | PB_GATE_REACHES, "simply allowed");
	WRONG(h->gate = PB_GATE_REACHES, h->gate = PB_GATE_NEEDED | PB_GATE_REACHES, "mode");
#undef WRONG
	fx_release(&m.f);
}

/* A limit is one for the whole statement, and for what another rule decides where it counts. */
static void test_a_limit_is_its_statements(void **state)
{
	static const char limits[] = "network limited {\n"
				     "\tallow tcp \"first.b.example\" port 443 as first\n"
				     "\tallow tcp \"a.example\", \"*.b.example\" port 80, 443 bytes 1M as little\n"
				     "\tallow tcp \"c.example\" port 443 bytes 1M as other; allow tcp \"c.example\" connections 7 as few\n"
				     "\task tcp \"asked.b.example\" port 443 as asked\n}\n";
	static const struct {
		const char *name;
		uint16_t port;
		const char *by, *bytes, *connections;
	} rows[] = {
		{ "a.example", 80, "little", "little", NULL },
		{ "a.example", 443, "little", "little", NULL },
		{ "x.b.example", 80, "little", "little", NULL },
		{ "first.b.example", 443, "first", "little", NULL },
		{ "asked.b.example", 443, "asked", "little", NULL },
		{ "c.example", 443, "other", "other", "few" },
		{ "c.example", 80, "few", NULL, "few" },
	};
	uint32_t little = UINT32_MAX;
	struct made m;

	(void)state;
	fx_run_text(&m.f, limits);
	m.out = (struct bk_output){ .a = &m.f.a };
	assert_true(bk_net.emit(m.f.ir, &m.out, &m.f.sink));
	const struct pb_egress *e = (const void *)bk_member(&m.out, PB_EGRESS)->bytes.p;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint32_t c = egress_class(e, rows[i].name, strlen(rows[i].name));
		const struct pb_piece *p = egress_name(e, c, false, rows[i].port);
		const struct pb_grant *g = egress_grant(e, p);
		struct ir_rule *const *v = m.f.ir->rules.v;

		assert_true(str_eqz(v[p->rule]->id, rows[i].by));
		assert_int_equal(g->bytes, rows[i].bytes ? 1 << 20 : 0);
		assert_int_equal(g->connections, rows[i].connections ? 7 : 0);
		assert_true(!rows[i].bytes || str_eqz(v[g->bytes_rule]->id, rows[i].bytes));
		assert_true(!rows[i].connections ||
			    str_eqz(v[g->connections_rule]->id, rows[i].connections));
		if (rows[i].bytes && strcmp(rows[i].bytes, "little") == 0) {
			assert_true(little == UINT32_MAX || little == g->bytes_rule);
			little = g->bytes_rule;
		}
	}
	fx_release(&m.f);
}

static void test_egress(void **state)
{
	uint32_t nrules;
	struct rt_err err;
	struct made m;
	struct str e;

	(void)state;
	make(&m);
	e = bk_member(&m.out, PB_EGRESS)->bytes;
	nrules = (uint32_t)m.f.ir->rules.n + IR_SCALAR_COUNT;
	assert_int_equal(bundle_check_egress(e.p, e.n, nrules, &err), 0);
	for (size_t i = 0; i <= e.n; i++)
		for (unsigned bit = 0; bit < 8; bit++) {
			size_t n = i < e.n ? e.n : bit;
			char *p = malloc(n ? n : 1);

			assert_non_null(p);
			memcpy(p, e.p, n);
			if (i < e.n)
				p[i] = (char)(p[i] ^ 1 << bit);
			/* what is taken has the size of the whole */
			if (bundle_check_egress(p, n, nrules, &err) == 0) {
				assert_int_equal(n, e.n);
				look_up(p);
			}
			free(p);
		}
	fx_release(&m.f);
}

static const char rich[] =
	"env { secret P from file \"/p\"  secret T from file \"/t\" }\n"
	"network limited {\n"
	"\thold 7s\n"
	"\tallow tcp 10.0.0.0/8, 192.0.2.1 port 80, 443 as web connections 3 bytes 5M\n"
	"\tdeny tcp 10.1.0.0/16 port 80 as d\n"
	"\tdeny tcp port 22 except \"c.example\" as no22; deny tcp 10.9.0.0/16 port 1-100 as e\n"
	"\tallow tcp 2001:db8::/32 via \"http://192.0.2.9:3128\" user from secret P\n"
	"\tallow tcp \"a.example\", \"*.b.example\" port 443 as n except \"x.b.example\"\n"
	"\task tcp \"c.example\" port 22 peek none within 10.1.0.0/16, fd00::/8 as q\n"
	"\tallow tcp \"i.example\" port 8443 inject header \"X\" \"Bearer \" from secret T\n"
	"\tallow tcp \"v.example\" via \"http://proxy.example:3128\" user from secret P\n"
	"\tallow tcp \"localhost\" port 5432 within 127.0.0.0/8 as l\n}\n";

static bool same_text(const struct pb_egress *x, struct pb_str s, const struct pb_egress *y,
		      struct pb_str t)
{
	return s.len == t.len && memcmp(pb_strp(x, s), pb_strp(y, t), s.len) == 0;
}

static bool same_piece(const struct pb_egress *x, const struct pb_piece *p,
		       const struct pb_egress *y, const struct pb_piece *q)
{
	const struct pb_grant *g = egress_grant(x, p), *h = egress_grant(y, q);

	return p->effect == q->effect && p->rule == q->rule && p->free == q->free &&
	       same_text(x, g->via, y, h->via) && same_text(x, g->via_secret, y, h->via_secret) &&
	       same_text(x, g->header, y, h->header) && same_text(x, g->prefix, y, h->prefix) &&
	       same_text(x, g->secret, y, h->secret) && g->bytes == h->bytes &&
	       g->connections == h->connections && g->peek == h->peek && g->dial == h->dial &&
	       g->within_count == h->within_count;
}

/* The first address of a slab; those of v4 come last. */
static region_addr slab_lo(const struct pb_egress *e, uint32_t i)
{
	const struct pb_slab *six = pb_at(e, e->slabs, sizeof(*six), i);
	const struct pb_slab4 *four =
		pb_at(e, e->slabs4, sizeof(*four), i - e->slabs.count);

	return i < e->slabs.count ? region_of(six->lo) : (REGION_V4_LO | four->lo);
}

/* For who connects to the address itself, and for a name that leads there. */
static bool same_at(const struct pb_egress *x, const struct pb_egress *y, const uint8_t at[16],
		    uint16_t port)
{
	const struct pb_piece *p = egress_reached(x, at, port), *q = egress_reached(y, at, port);

	return same_piece(x, egress_addr(x, at, false, port), y, egress_addr(y, at, false, port)) &&
	       same_piece(x, egress_addr(x, at, true, port), y, egress_addr(y, at, true, port)) &&
	       p->effect == q->effect && p->rule == q->rule;
}

/* Do the two decide alike, at every bound of either and beside it? */
static bool same_answers(const struct pb_egress *x, const struct pb_egress *y)
{
	const struct pb_egress *of[2] = { x, y };

	for (unsigned k = 0; k < 2; k++)
		for (uint32_t i = 0; i < of[k]->slabs.count + of[k]->slabs4.count; i++)
			for (uint32_t j = 0; j < 3 * of[k]->pieces.count; j++) {
				const struct pb_piece *p =
					pb_at(of[k], of[k]->pieces, sizeof(*p), j / 3);
				uint16_t port = (uint16_t)(p->hi + j % 3 - 1);
				uint8_t at[16];

				for (unsigned step = 0; step < 3; step++) {
					region_bytes(slab_lo(of[k], i) + step - 1, at);
					if (!same_at(x, y, at, port))
						return false;
				}
			}
	return true;
}

/* Each byte of egress.bin: where a change is a member of a bundle at all, the validation
 * refuses it, or it changes no answer. */
static void test_another_egress_is_seen(void **state)
{
	unsigned long seen = 0, alike = 0;
	struct bk_output out;
	struct bk_member *m;
	struct rt_err err;
	struct str was;
	struct fx f;
	char *p;

	(void)state;
	fx_run_text(&f, rich);
	assert_int_equal(f.sink.errors, 0);
	(void)pass_lift(f.ir, &f.sink);
	out = (struct bk_output){ .a = &f.a };
	assert_true(bk_net.emit(f.ir, &out, &f.sink));
	assert_null(bk_net.verify(f.ir, &out, &f.a));
	m = (struct bk_member *)(uintptr_t)bk_member(&out, PB_EGRESS);
	was = m->bytes;
	p = arena_dup(&f.a, was.p, was.n);
	m->bytes.p = p;
	for (size_t i = 0; i < was.n; i++)
		for (unsigned bit = 0; bit < 8; bit += 3) {
			const struct pb_egress *e = (const void *)p;

			p[i] = (char)(p[i] ^ 1 << bit);
			if (bundle_check_egress(p, was.n, (uint32_t)f.ir->rules.n + IR_SCALAR_COUNT,
						&err) == 0) {
				if (bk_net.verify(f.ir, &out, &f.a))
					seen++;
				else if (i >= sizeof(*e) && same_answers((const void *)was.p, e))
					alike++;
				else
					fail_msg("byte %zu, bit %u is not seen", i, bit);
			}
			p[i] = was.p[i];
		}
	assert_true(seen > 1000 && alike < 300);
	fx_release(&f);
}

/* What lets nothing through grants nothing, and nor does what can only ask. */
static void test_who_only_asks_lifts_no_guard(void **state)
{
	static const uint8_t ten[16] = { [10] = 0xff, 0xff, 10, 1, 2, 3 };
	static const struct {
		const char *text;
		bool narrow, lifts;
	} rows[] = {
		{ "network { ask tcp 10.0.0.0/8 port 80 }\n", true, false },
		{ "network { ask tcp 10.0.0.0/8 port 80 }\n", false, true },
		{ "network { deny tcp 10.9.0.0/16 port 80 }\n", false, false },
	};

	(void)state;
	for (size_t i = 0; i < POL_LEN(rows); i++) {
		struct bk_output out;
		const struct pb_egress *e;
		const struct pb_piece *p;
		struct fx f;

		fx_init(&f);
		fx_add(&f, "u.pol", "network limited { allow tcp port 80 as all }\n", IR_USER, false);
		fx_add(&f, "p.pol", rows[i].text, IR_PROJECT, rows[i].narrow);
		assert_true(fx_run(&f));
		out = (struct bk_output){ .a = &f.a };
		assert_true(bk_net.emit(f.ir, &out, &f.sink));
		assert_null(bk_net.verify(f.ir, &out, &f.a));
		e = (const void *)bk_member(&out, PB_EGRESS)->bytes.p;
		p = egress_addr(e, ten, false, 80);
		assert_int_equal(p->effect, rows[i].text[10] == 'a' ? PB_ASK : PB_ALLOW);
		assert_int_equal(egress_within(e, egress_grant(e, p), ten), rows[i].lifts);
		fx_release(&f);
	}
}

/*
 * What is said about the address of a name: not by a rule that names no host, which its
 * exceptions have been heard for; by every other, also where such a rule stands before it.
 */
static void test_what_is_reached_by_name(void **state)
{
	static const struct {
		const char *user, *project;
		bool narrow;
		const char *addr;
		uint16_t port;
		enum pb_effect direct, reached;
		const char *by; /* of what is reached; NULL: nobody's */
	} rows[] = {
		{ "deny tcp port 22 except \"a.example\"", "", false, "192.0.2.1", 22, PB_DENY, PB_DENY, NULL },
		{ "ask tcp port 22 except \"a.example\"", "", false, "192.0.2.1", 22, PB_ASK, PB_DENY, NULL },
		{ "deny tcp 192.0.2.0/24 as b", "", false, "192.0.2.1", 22, PB_DENY, PB_DENY, "b" },
		{ "deny tcp 192.0.2.0/24 as b", "", false, "192.0.3.1", 22, PB_DENY, PB_DENY, NULL },
		{ "deny tcp except \"a.example\"; deny tcp 192.0.2.0/24 as b", "", false,
		  "192.0.2.1", 22, PB_DENY, PB_DENY, "b" },
		{ "deny tcp except \"a.example\"; ask tcp 192.0.2.0/24 as b", "", false,
		  "192.0.2.1", 22, PB_DENY, PB_ASK, "b" },
		{ "deny tcp ::/0 as b; deny tcp port 22 except \"a.example\"", "", false,
		  "2001:db8::1", 22, PB_DENY, PB_DENY, "b" },
		{ "deny tcp except \"a.example\"; deny tcp 192.0.2.0/24 except 192.0.2.1 as b", "", false,
		  "192.0.2.1", 22, PB_DENY, PB_DENY, NULL },
		/* an allow that names no host is still one */
		{ "allow tcp port 22 as all; deny tcp port 22 except \"a.example\"", "", false,
		  "192.0.2.1", 22, PB_DENY, PB_ALLOW, NULL },
		/* the ask of who can only ask asks, since the name is allowed */
		{ "allow tcp \"a.example\"", "ask tcp 192.0.2.0/24 as n", true,
		  "192.0.2.1", 22, PB_DENY, PB_ASK, "n" },
		{ "allow tcp \"a.example\"", "ask tcp 192.0.2.0/24 as n", true,
		  "192.0.3.1", 22, PB_DENY, PB_DENY, NULL },
		{ "allow tcp \"a.example\"", "ask tcp as n", true,
		  "192.0.2.1", 22, PB_DENY, PB_DENY, NULL },
	};

	(void)state;
	for (size_t i = 0; i < POL_LEN(rows); i++) {
		const struct pb_piece *p, *q;
		const struct pb_egress *e;
		struct bk_output out;
		uint8_t at[16];
		struct fx f;

		fx_init(&f);
		fx_add(&f, "u.pol", str_printf(&f.a, "network limited { %s }\n", rows[i].user).p,
		       IR_USER, false);
		fx_add(&f, "p.pol", str_printf(&f.a, "network { %s }\n", rows[i].project).p,
		       IR_PROJECT, rows[i].narrow);
		assert_true(fx_run(&f));
		out = (struct bk_output){ .a = &f.a };
		assert_true(bk_net.emit(f.ir, &out, &f.sink));
		assert_null(bk_net.verify(f.ir, &out, &f.a));
		e = (const void *)bk_member(&out, PB_EGRESS)->bytes.p;
		assert_true(host_address(rows[i].addr, at));
		p = egress_addr(e, at, false, rows[i].port);
		q = egress_reached(e, at, rows[i].port);
		if (p->effect != rows[i].direct || q->effect != rows[i].reached)
			fail_msg("row %zu: %u %u", i, p->effect, q->effect);
		if (rows[i].by ? q->rule >= f.ir->rules.n ||
					 !str_eqz(f.ir->rules.v[q->rule]->id, rows[i].by) :
				 q->effect == PB_DENY && q->rule < f.ir->rules.n)
			fail_msg("row %zu: rule %u", i, q->rule);
		fx_release(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_egress),
		cmocka_unit_test(test_a_limit_is_its_statements),
		cmocka_unit_test(test_names_pools_and_grants_are_checked),
		cmocka_unit_test(test_another_egress_is_seen),
		cmocka_unit_test(test_who_only_asks_lifts_no_guard),
		cmocka_unit_test(test_what_is_reached_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
