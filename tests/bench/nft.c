/*
 * Loads one ruleset in four ways, each into a fresh network namespace,
 * interleaved: the messages of a bundle, libnftables, nft -f, and messages that
 * libnftnl builds for the same sets of at most 100 elements with a rule each, or
 * for the same rules of one block each.
 *   nft BATCH JSON RUNS COUNT plain|interval|rules
 * Prints the median and the 5th and 95th percentile in µs.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <libmnl/libmnl.h>
#include <libnftnl/chain.h>
#include <libnftnl/common.h>
#include <libnftnl/expr.h>
#include <libnftnl/rule.h>
#include <libnftnl/set.h>
#include <libnftnl/table.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <netinet/in.h>
#include <nftables/libnftables.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/bundle/nft_load.h"

enum { BATCH, LIBRARY, PROGRAM, NFTNL, WAYS };

static char *batch, *json;
static size_t nbatch, njson;
static const char *json_path;
static uint32_t count;
static bool interval, rules;

static double now(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static bool by_batch(void)
{
	return nft_load(batch, nbatch, NULL) == 0;
}

static bool by_library(void)
{
	struct nft_ctx *nft = nft_ctx_new(NFT_CTX_DEFAULT);
	char *text = strdup(json);
	bool ok = nft && text;

	nft_ctx_output_set_flags(nft, NFT_CTX_OUTPUT_JSON);
	for (char *at = text, *end; ok && *at; at = end + 1) {
		end = strchr(at, '\n');
		*end = '\0';
		ok = nft_run_cmd_from_buffer(nft, at) == 0;
	}
	free(text);
	nft_ctx_free(nft);
	return ok;
}

/* One process; a ruleset of several documents is one array of them here. */
static bool by_program(void)
{
	int status = 1;
	pid_t pid = fork();

	if (pid == 0) {
		(void)execlp("nft", "nft", "-j", "-f", json_path, NULL);
		_exit(127);
	}
	return waitpid(pid, &status, 0) == pid && status == 0;
}

/* --- libnftnl ------------------------------------------------------------------- */

static char *out;
static size_t at;
static uint32_t seq;

static struct nlmsghdr *head(uint16_t type, uint16_t flags)
{
	return nftnl_nlmsg_build_hdr(out + at, type, NFPROTO_INET, flags, seq++);
}

static void next(const struct nlmsghdr *h)
{
	at += (h->nlmsg_len + 3u) & ~3u;
}

static void table_and_chain(void)
{
	struct nftnl_table *t = nftnl_table_alloc();
	struct nftnl_chain *c = nftnl_chain_alloc();
	struct nlmsghdr *h = head(NFT_MSG_NEWTABLE, NLM_F_CREATE);

	nftnl_table_set_str(t, NFTNL_TABLE_NAME, "pol");
	nftnl_table_nlmsg_build_payload(h, t);
	next(h);
	nftnl_chain_set_str(c, NFTNL_CHAIN_TABLE, "pol");
	nftnl_chain_set_str(c, NFTNL_CHAIN_NAME, "out");
	nftnl_chain_set_str(c, NFTNL_CHAIN_TYPE, "filter");
	nftnl_chain_set_u32(c, NFTNL_CHAIN_HOOKNUM, NF_INET_LOCAL_OUT);
	nftnl_chain_set_u32(c, NFTNL_CHAIN_PRIO, 0);
	nftnl_chain_set_u32(c, NFTNL_CHAIN_POLICY, NF_DROP);
	h = head(NFT_MSG_NEWCHAIN, NLM_F_CREATE);
	nftnl_chain_nlmsg_build_payload(h, c);
	next(h);
	nftnl_table_free(t);
	nftnl_chain_free(c);
}

static void add_elements(struct nftnl_set *s, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++) {
		struct nftnl_set_elem *e = nftnl_set_elem_alloc();
		uint32_t key = htonl(0x0a000000u + i * 256);

		nftnl_set_elem_set(e, NFTNL_SET_ELEM_KEY, &key, 4);
		nftnl_set_elem_add(s, e);
		if (!interval)
			continue;
		e = nftnl_set_elem_alloc();
		key = htonl(0x0a000000u + i * 256 + 128);
		nftnl_set_elem_set(e, NFTNL_SET_ELEM_KEY, &key, 4);
		nftnl_set_elem_set_u32(e, NFTNL_SET_ELEM_FLAGS,
				       NFT_SET_ELEM_INTERVAL_END);
		nftnl_set_elem_add(s, e);
	}
}

static struct nftnl_set *a_set(uint32_t id)
{
	struct nftnl_set *s = nftnl_set_alloc();
	char name[24];

	(void)snprintf(name, sizeof(name), "a4_%u", id);
	nftnl_set_set_str(s, NFTNL_SET_TABLE, "pol");
	nftnl_set_set_str(s, NFTNL_SET_NAME, name);
	nftnl_set_set_u32(s, NFTNL_SET_ID, id);
	nftnl_set_set_u32(s, NFTNL_SET_KEY_TYPE, 7);
	nftnl_set_set_u32(s, NFTNL_SET_KEY_LEN, 4);
	nftnl_set_set_u32(s, NFTNL_SET_FAMILY, NFPROTO_INET);
	nftnl_set_set_u32(s, NFTNL_SET_FLAGS, interval ? NFT_SET_INTERVAL : 0);
	return s;
}

static void load(struct nftnl_rule *r, uint32_t base, uint32_t off,
			       uint32_t len)
{
	struct nftnl_expr *e = nftnl_expr_alloc("payload");

	nftnl_expr_set_u32(e, NFTNL_EXPR_PAYLOAD_BASE, base);
	nftnl_expr_set_u32(e, NFTNL_EXPR_PAYLOAD_DREG, NFT_REG_1);
	nftnl_expr_set_u32(e, NFTNL_EXPR_PAYLOAD_OFFSET, off);
	nftnl_expr_set_u32(e, NFTNL_EXPR_PAYLOAD_LEN, len);
	nftnl_rule_add_expr(r, e);
}

static void equals(struct nftnl_rule *r, const void *value, uint32_t len)
{
	struct nftnl_expr *e = nftnl_expr_alloc("cmp");

	nftnl_expr_set_u32(e, NFTNL_EXPR_CMP_SREG, NFT_REG_1);
	nftnl_expr_set_u32(e, NFTNL_EXPR_CMP_OP, NFT_CMP_EQ);
	nftnl_expr_set(e, NFTNL_EXPR_CMP_DATA, value, len);
	nftnl_rule_add_expr(r, e);
}

static void meta(struct nftnl_rule *r, uint32_t key, uint8_t value)
{
	struct nftnl_expr *e = nftnl_expr_alloc("meta");

	nftnl_expr_set_u32(e, NFTNL_EXPR_META_DREG, NFT_REG_1);
	nftnl_expr_set_u32(e, NFTNL_EXPR_META_KEY, key);
	nftnl_rule_add_expr(r, e);
	equals(r, &value, 1);
}

/* To the set, tcp, port 443: counted and accepted. */
static struct nlmsghdr *a_rule(uint32_t id)
{
	struct nftnl_rule *r = nftnl_rule_alloc();
	struct nftnl_expr *e;
	uint16_t port = htons(443);
	struct nlmsghdr *h;
	uint32_t block = htonl(0x0a000000u + (id - 1) * 256);
	char name[24];

	(void)snprintf(name, sizeof(name), "a4_%u", id);
	nftnl_rule_set_str(r, NFTNL_RULE_TABLE, "pol");
	nftnl_rule_set_str(r, NFTNL_RULE_CHAIN, "out");
	nftnl_rule_set_u32(r, NFTNL_RULE_FAMILY, NFPROTO_INET);
	meta(r, NFT_META_NFPROTO, NFPROTO_IPV4);
	load(r, NFT_PAYLOAD_NETWORK_HEADER, 16, rules ? 3 : 4);
	if (rules) {
		equals(r, &block, 3);
	} else {
		e = nftnl_expr_alloc("lookup");
		nftnl_expr_set_u32(e, NFTNL_EXPR_LOOKUP_SREG, NFT_REG_1);
		nftnl_expr_set_str(e, NFTNL_EXPR_LOOKUP_SET, name);
		nftnl_rule_add_expr(r, e);
	}
	meta(r, NFT_META_L4PROTO, IPPROTO_TCP);
	load(r, NFT_PAYLOAD_TRANSPORT_HEADER, 2, 2);
	equals(r, &port, 2);
	nftnl_rule_add_expr(r, nftnl_expr_alloc("counter"));
	e = nftnl_expr_alloc("immediate");
	nftnl_expr_set_u32(e, NFTNL_EXPR_IMM_DREG, NFT_REG_VERDICT);
	nftnl_expr_set_u32(e, NFTNL_EXPR_IMM_VERDICT, NF_ACCEPT);
	nftnl_rule_add_expr(r, e);
	h = head(NFT_MSG_NEWRULE, NLM_F_CREATE | NLM_F_APPEND);
	nftnl_rule_nlmsg_build_payload(h, r);
	next(h);
	nftnl_rule_free(r);
	return h;
}

/* Sends what lies in `out`; the last message asks for an acknowledgement. */
static bool flush(struct mnl_socket *nl, struct nlmsghdr *last)
{
	char answer[8192];
	ssize_t n;

	last->nlmsg_flags |= NLM_F_ACK;
	nftnl_batch_end(out + at, seq++);
	next((struct nlmsghdr *)(void *)(out + at));
	if (mnl_socket_sendto(nl, out, at) < 0)
		return false;
	n = mnl_socket_recvfrom(nl, answer, sizeof(answer));
	at = 0;
	return n > 0 && mnl_cb_run(answer, (size_t)n, 0, 0, NULL, NULL) >= 0;
}

static void begin(void)
{
	at = 0;
	nftnl_batch_begin(out, seq++);
	next((struct nlmsghdr *)(void *)out);
}

/* The messages of a set and what is in it. */
static void add_set(uint32_t id, uint32_t from, uint32_t to)
{
	struct nftnl_set *s = a_set(id);
	struct nftnl_set_elems_iter *it;
	struct nlmsghdr *h = head(NFT_MSG_NEWSET, NLM_F_CREATE);
	int more;

	nftnl_set_nlmsg_build_payload(h, s);
	next(h);
	add_elements(s, from, to);
	it = nftnl_set_elems_iter_create(s);
	do {
		h = head(NFT_MSG_NEWSETELEM, NLM_F_CREATE);
		more = nftnl_set_elems_nlmsg_build_payload_iter(h, it);
		next(h);
	} while (more > 0);
	nftnl_set_elems_iter_destroy(it);
	nftnl_set_free(s);
}

/* As many elements in a transaction as ours have. */
static bool by_nftnl(void)
{
	struct mnl_socket *nl = mnl_socket_open(NETLINK_NETFILTER);
	bool ok = nl && mnl_socket_bind(nl, 0, MNL_SOCKET_AUTOPID) == 0;
	struct nlmsghdr *h = NULL;
	uint32_t step = rules ? 1 : 100;

	begin();
	table_and_chain();
	for (uint32_t done = 0, id = 1; ok && done < count; done += step, id++) {
		uint32_t to = done + step < count ? done + step : count;

		if (done && done % 1500 == 0)
			begin();
		if (!rules)
			add_set(id, done, to);
		h = a_rule(id);
		if (to == count || to % 1500 == 0)
			ok = flush(nl, h);
	}
	if (nl)
		(void)mnl_socket_close(nl);
	return ok;
}

static int by_size(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return (a > b) - (a < b);
}

int main(int argc, char **argv)
{
	static bool (*const ways[WAYS])(void) = { by_batch, by_library, by_program,
						  by_nftnl };
	static const char *const names[WAYS] = { "batch", "libnftables", "nft -f",
						 "libnftnl" };
	size_t runs = argc == 6 ? strtoul(argv[3], NULL, 10) : 0;
	double *took[WAYS];

	if (!runs || io_read_file(argv[1], 1u << 26, &batch, &nbatch) < 0 ||
	    io_read_file(argv[2], 1u << 26, &json, &njson) < 0)
		return 2;
	json_path = argv[2];
	count = (uint32_t)strtoul(argv[4], NULL, 10);
	interval = strcmp(argv[5], "interval") == 0;
	rules = strcmp(argv[5], "rules") == 0;
	out = calloc(1, 1u << 22);
	/* root stays root, so that nft(8) has its capabilities after the exec */
	if (!out || unshare(geteuid() ? CLONE_NEWUSER | CLONE_NEWNET : CLONE_NEWNET) < 0)
		return 77;
	for (size_t w = 0; w < WAYS; w++)
		took[w] = calloc(runs, sizeof(double));
	for (size_t i = 0; i < runs; i++)
		for (size_t w = 0; w < WAYS; w++) {
			double from;

			/* nft reads one document of a file only */
			if (w == PROGRAM && (geteuid() != 0 || memchr(json, '\n', njson - 1)))
				continue;
			if (unshare(CLONE_NEWNET) < 0)
				return 77;
			from = now();
			if (!ways[w]()) {
				(void)fprintf(stderr, "%s failed\n", names[w]);
				return 1;
			}
			took[w][i] = now() - from;
		}
	printf("%6u %-8s", count, argv[5]);
	for (size_t w = 0; w < WAYS; w++) {
		qsort(took[w], runs, sizeof(double), by_size);
		if (took[w][runs / 2] > 0)
			printf("  %s %.0f (%.0f-%.0f)", names[w], took[w][runs / 2],
			       took[w][runs / 20], took[w][runs * 19 / 20]);
	}
	puts(" µs");
	return 0;
}
