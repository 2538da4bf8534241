/* nft.batch and egress.bin: what is no member of a bundle is refused. */
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>

#include "compiler/analysis/lift.h"
#include "compiler/backend/nft/net.h"
#include "compiler/backend/nft/capture.h"
#include "compiler/backend/nft/model.h"
#include "runtime/bundle/check.h"
#include "runtime/bundle/nft_batch.h"
#include "runtime/decide/egress.h"
#include "tests/unit/sema_fixture.h"

static const char text[] = "network limited {\n"
			   "\tallow tcp 10.0.0.0/8, 192.0.2.1 port 80, 443 as web\n"
			   "\tdeny tcp 10.1.0.0/16 port 80 as d\n"
			   "\tallow ::1 as one\n"
			   "\tallow tcp \"a.example\", \"*.b.example\" port 443 as n\n"
			   "\tallow tcp \"localhost\" port 5432 within 127.0.0.0/8 as l\n}\n";

struct made {
	struct fx f;
	struct bk_output out;
	struct nft_captured c;
	bool has_batch;
};

static void make(struct made *m)
{
	const char *why = "";

	fx_run_text(&m->f, text);
	m->out = (struct bk_output){ .a = &m->f.a };
	assert_true(bk_net.emit(m->f.ir, &m->out, &m->f.sink));
	m->has_batch = nft_capture(&m->f.a, bk_member(&m->out, PB_NFT_JSON)->bytes, &m->c,
				   &why) == NFT_CAPTURED;
	if (!m->has_batch)
		printf("no namespaces here: %s\n", why);
}

static int check_copy(const char *p, size_t n, struct rt_err *err)
{
	/* An own allocation, so that ASan sees a read past the end. */
	char *copy = malloc(n ? n : 1);
	int r;

	assert_non_null(copy);
	memcpy(copy, p, n);
	r = nft_batch_check(copy, n, err);
	free(copy);
	return r;
}

static struct nlmsghdr *message(char *p, size_t n, uint16_t type)
{
	for (size_t at = 0; at < n;) {
		struct nlmsghdr *h = (void *)(p + at);

		if (h->nlmsg_type == type ||
		    h->nlmsg_type == (NFNL_SUBSYS_NFTABLES << 8 | type))
			return h;
		at += h->nlmsg_len;
	}
	fail_msg("no message %u", type);
	return NULL;
}

static void test_only_what_adds_to_the_table_is_taken(void **state)
{
	struct rt_err err;
	struct made m;
	char *p;
	size_t n;

	(void)state;
	make(&m);
	if (!m.has_batch) {
		fx_release(&m.f);
		skip();
	}
	n = m.c.batch.n;
	p = arena_dup(&m.f.a, m.c.batch.p, n);
	assert_int_equal(check_copy(p, n, &err), 0);
#define REFUSED(change, back, say)                                                     \
	do {                                                                           \
		change;                                                                \
		assert_true(check_copy(p, n, &err) < 0);                               \
		if (!strstr(err.text, say))                                            \
			fail_msg("'%s' does not say '%s'", err.text, say);             \
		back;                                                                  \
		assert_int_equal(check_copy(p, n, &err), 0);                           \
	} while (0)
	struct nlmsghdr *table = message(p, n, NFT_MSG_NEWTABLE);
	struct nlmsghdr *chain = message(p, n, NFT_MSG_NEWCHAIN);
	struct nlmsghdr *rule = message(p, n, NFT_MSG_NEWRULE);
	struct nfgenmsg *g = (void *)((char *)rule + NLMSG_HDRLEN);
	uint16_t was = rule->nlmsg_type;
	char *name = memmem(rule, rule->nlmsg_len, "pol", 4);
	char *hook;

	REFUSED(rule->nlmsg_type = (uint16_t)(NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_DELRULE),
		rule->nlmsg_type = was, "adds nothing");
	REFUSED(rule->nlmsg_type = (uint16_t)(NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_NEWOBJ),
		rule->nlmsg_type = was, "adds nothing");
	REFUSED(rule->nlmsg_type = NFNL_SUBSYS_CTNETLINK << 8, rule->nlmsg_type = was,
		"adds nothing");
	REFUSED(rule->nlmsg_flags |= NLM_F_REPLACE,
		rule->nlmsg_flags &= (uint16_t)~NLM_F_REPLACE, "other flags");
	REFUSED(g->nfgen_family = NFPROTO_IPV4, g->nfgen_family = NFPROTO_INET,
		"another family");
	REFUSED(name[0] = 'x', name[0] = 'p', "another table");
	REFUSED(table->nlmsg_type = chain->nlmsg_type,
		table->nlmsg_type = NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_NEWTABLE,
		"the table is missing");
	hook = memmem(chain, chain->nlmsg_len, "\x08\x00\x01\x00\x00\x00\x00\x03", 8);
	assert_non_null(hook);
	REFUSED(hook[7] = NF_INET_LOCAL_IN, hook[7] = NF_INET_LOCAL_OUT, "that drops");
	hook = memmem(chain, chain->nlmsg_len, "\x08\x00\x05\x00\x00\x00\x00\x00", 8);
	assert_non_null(hook);
	REFUSED(hook[7] = NF_ACCEPT, hook[7] = NF_DROP, "that drops");
	REFUSED(rule->nlmsg_len += 2, rule->nlmsg_len -= 2, "does not fit");
	fx_release(&m.f);
}

static void test_no_part_of_a_batch_is_one(void **state)
{
	struct rt_err err;
	struct made m;
	char *p;

	(void)state;
	make(&m);
	if (!m.has_batch) {
		fx_release(&m.f);
		skip();
	}
	for (size_t n = 0; n < m.c.batch.n; n++)
		assert_true(check_copy(m.c.batch.p, n, &err) < 0);
	/* every byte changed: refused or not, the walk stays inside */
	p = arena_dup(&m.f.a, m.c.batch.p, m.c.batch.n);
	for (size_t i = 0; i < m.c.batch.n; i++)
		for (unsigned bit = 0; bit < 8; bit += 3) {
			p[i] = (char)(p[i] ^ 1 << bit);
			if (check_copy(p, m.c.batch.n, &err) == 0) {
				const uint8_t *one;
				size_t at = 0, len, last;

				while (nft_batch_next((const uint8_t *)p, m.c.batch.n, &at,
						      &one, &len, &last))
					assert_true(last + sizeof(struct nlmsghdr) <= len);
				assert_int_equal(at, m.c.batch.n);
			}
			p[i] = (char)(p[i] ^ 1 << bit);
		}
	fx_release(&m.f);
}

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
	WRONG(host[0] = host[1], host[0] = was, "do not ascend");
	WRONG(host[0].class_ = h->classes.count, host[0] = was, "no class");
	WRONG(host[0].below = 2, host[0] = was, "no class");
	WRONG(p[was.name.off] = 'A', p[was.name.off] = 'a', "another byte");
	WRONG(class_[0].tcp = h->lists.count, class_[0].tcp = 0, "no ports") ;
	WRONG(h->other_class = h->classes.count, h->other_class = 0, "all other names");
	WRONG(pool[0].first = 0, pool[0] = all, "pools");
	WRONG(pool[0].count = PB_POOL_SIZE, pool[0] = all, "pools");
	WRONG(grant[0].within_count = 1, grant[0].within_count = 0, "the plain one");
	WRONG(grant[1].within_count = h->ranges.count + 1, grant[1].within_count = 1, "not there");
	WRONG(grant[1].peek = PB_PEEK_COUNT, grant[1].peek = 0, "unknown protocol");
	WRONG(h->gate = 0, h->gate = PB_GATE_NEEDED | PB_GATE_REACHES, "simply allowed");
	WRONG(h->gate = PB_GATE_REACHES, h->gate = PB_GATE_NEEDED | PB_GATE_REACHES, "mode");
#undef WRONG
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

static void test_another_ruleset_is_seen(void **state)
{
	struct bk_member *json;
	struct made m;
	struct model a, b;
	char *p;

	(void)state;
	make(&m);
	assert_null(bk_net.verify(m.f.ir, &m.out, &m.f.a));
	json = (struct bk_member *)(uintptr_t)bk_member(&m.out, PB_NFT_JSON);
	assert_null(model_read(&m.f.a, json->bytes, &a));
	/* each digit of each address and port counts */
	for (size_t i = 0; i < json->bytes.n; i++) {
		struct str was = json->bytes;
		const char *why;

		if (was.p[i] < '0' || was.p[i] > '9')
			continue;
		p = arena_dup(&m.f.a, was.p, was.n);
		p[i] = p[i] == '1' ? '2' : '1';
		json->bytes = (struct str){ p, was.n };
		why = bk_net.verify(m.f.ir, &m.out, &m.f.a);
		if (!why && model_read(&m.f.a, json->bytes, &b) == NULL &&
		    model_differs(&m.f.a, &a, &b))
			fail_msg("not seen: %.60s", p + (i > 40 ? i - 40 : 0));
		json->bytes = was;
	}
	fx_release(&m.f);
}

static void test_a_block_is_of_the_family_of_its_match(void **state)
{
	static const char v4[] = "\"ip\",\"field\":\"daddr\"}},\"right\":{\"prefix\"";
	struct made m;
	struct model model;
	struct str json;
	size_t at = 0, cut = 3;
	const char *why;

	(void)state;
	make(&m);
	json = bk_member(&m.out, PB_NFT_JSON)->bytes;
	assert_null(model_read(&m.f.a, json, &model));
	while (at < json.n && !str_starts(str_sub(json, at, json.n - at), STR(v4)))
		at++;
	assert_true(at < json.n);
	json = str_printf(&m.f.a, "%.*s6%.*s", (int)(at + cut), json.p,
			  (int)(json.n - at - cut), json.p + at + cut);
	why = model_read(&m.f.a, json, &model);
	assert_non_null(why);
	assert_non_null(strstr(why, "of another family"));
	fx_release(&m.f);
}

static void test_modes(void **state)
{
	static const struct {
		const char *text;
		bool json, egress;
	} rows[] = {
		{ "network disabled { deny tcp port 1 }\n", false, false },
		{ "network limited { allow tcp port 1 }\n", true, true },
		{ "network full\n", false, true },
		{ "network full { allow tcp port 1 }\n", false, true },
		{ "network full { allow \"a.example\" within 10.0.0.0/8 }\n", false, true },
		{ "network full { deny tcp port 1 }\n", true, true },
		{ "network full { deny udp port 1 }\n", true, true },
		{ "network full { ask \"a.example\" }\n", true, true },
		{ "network full { otherwise deny }\n", true, true },
	};

	(void)state;
	for (size_t i = 0; i < POL_LEN(rows); i++) {
		struct bk_output out;
		struct fx f;

		fx_run_text(&f, rows[i].text);
		out = (struct bk_output){ .a = &f.a };
		assert_true(bk_net.emit(f.ir, &out, &f.sink));
		assert_int_equal(f.sink.errors, 0);
		assert_int_equal(bk_member(&out, PB_NFT_JSON) != NULL, rows[i].json);
		assert_int_equal(bk_member(&out, PB_EGRESS) != NULL, rows[i].egress);
		assert_null(bk_net.verify(f.ir, &out, &f.a));
		/* without the table it is another policy's */
		for (size_t k = 0; rows[i].json && k < out.members.n; k++)
			if (strcmp(out.members.v[k].path.p, PB_NFT_JSON) == 0)
				out.members.v[k].path = STR("none");
		assert_int_equal(bk_net.verify(f.ir, &out, &f.a) != NULL, rows[i].json);
		fx_release(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_only_what_adds_to_the_table_is_taken),
		cmocka_unit_test(test_no_part_of_a_batch_is_one),
		cmocka_unit_test(test_egress),
		cmocka_unit_test(test_names_pools_and_grants_are_checked),
		cmocka_unit_test(test_another_ruleset_is_seen),
		cmocka_unit_test(test_a_block_is_of_the_family_of_its_match),
		cmocka_unit_test(test_modes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
