/* nft.batch and the ruleset that it loads: what is no member of a bundle is refused, and what the
 * table says of modes and blocks. */
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>

#include "compiler/backend/nft/coarse.h"
#include "compiler/backend/nft/model.h"
#include "compiler/backend/nft/region_make.h"
#include "compiler/backend/nft/ruleset.h"
#include "runtime/bundle/nft_batch.h"
#include "tests/unit/nft_fixture.h"

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

static struct bk_member *json_of(struct bk_output *out)
{
	return (struct bk_member *)(uintptr_t)bk_member(out, PB_NFT_JSON);
}

/* A table that leaves denials to the gateway is that of a policy with many blocks only. */
static void test_a_few_blocks_are_exact_in_the_table(void **state)
{
	struct region region, table;
	struct made m;
	struct buf b;

	(void)state;
	make(&m);
	assert_true(region_make(m.f.ir, &m.f.a, &region));
	coarse_make(m.f.ir, &region, COARSE_BLOCKS, &m.f.a, &table);
	assert_ptr_equal(table.slabs.v, region.slabs.v);
	coarse_make(m.f.ir, &region, 1, &m.f.a, &table);
	assert_true(table.slabs.n < region.slabs.n);
	buf_init(&b, &m.f.a);
	ruleset_json(&b, m.f.ir, &table);
	json_of(&m.out)->bytes = buf_view(&b);
	assert_non_null(bk_net.verify(m.f.ir, &m.out, &m.f.a));
	fx_release(&m.f);
}

static void test_many_blocks_become_few(void **state)
{
	static char many[65536];
	struct bk_output out;
	struct model model;
	struct str json;
	struct fx f;
	size_t n = 0, at;
	char *own;

	(void)state;
	at = (size_t)sprintf(many, "network limited {\n\tallow tcp ::1, 127.0.0.0/9 as own\n");
	for (unsigned i = 0; i < 400; i++)
		at += (size_t)sprintf(many + at, "\tallow tcp 10.%u.%u.64/26, "
						 "2001:db8:%x::%x/127 port 443\n",
				      i % 4, i / 4 * 2, i, i * 16);
	(void)strcpy(many + at, "}\n");
	fx_run_text(&f, many);
	out = (struct bk_output){ .a = &f.a };
	assert_true(bk_net.emit(f.ir, &out, &f.sink));
	assert_null(bk_net.verify(f.ir, &out, &f.a));
	json = json_of(&out)->bytes;
	assert_null(model_read(&f.a, json, &model));
	for (size_t i = 0; i < model.sets.n; i++)
		n += model.sets.v[i]->elements.n;
	assert_true(n > 4 && n <= 2 * COARSE_BLOCKS);
	/* what is not left to the gateway is compared as ever */
	own = memmem(json.p, json.n, "\"len\":9}", 8);
	assert_non_null(own);
	own[6] = '8';
	assert_non_null(bk_net.verify(f.ir, &out, &f.a));
	own[6] = '9';
	assert_null(bk_net.verify(f.ir, &out, &f.a));
	fx_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_only_what_adds_to_the_table_is_taken),
		cmocka_unit_test(test_no_part_of_a_batch_is_one),
		cmocka_unit_test(test_another_ruleset_is_seen),
		cmocka_unit_test(test_a_block_is_of_the_family_of_its_match),
		cmocka_unit_test(test_modes),
		cmocka_unit_test(test_a_few_blocks_are_exact_in_the_table),
		cmocka_unit_test(test_many_blocks_become_few),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
