/* Asks the kernel for each thing that the rules of a limited network are made of, as the
 * rules themselves do.  Each is a module of its own in most distributions, which the kernel
 * loads when somebody asks, also from a user namespace. */
#include "runtime/polrun/nft_probe.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_log.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>

#include "runtime/base/io.h"
#include "runtime/bundle/format.h"
#include "runtime/bundle/nft_load.h"

/* One transaction.  All sizes are multiples of four, as netlink wants them. */
struct batch {
	uint8_t bytes[512];
	size_t size, message; /* the message and the nests that are open */
	size_t nests[4], depth;
};

/* What is missing if a row fails.  A chain, if it has a type; else a rule of one expression. */
static const struct part {
	const char *module;
	const char *chain, *type; /* the chain that is made, or in which the rule is */
	int32_t prio;
	const char *expression;
	struct {
		uint16_t type, size; /* 2: an u16, 4: an u32; both in network order */
		uint32_t value;
	} attributes[2];
} parts[] = {
	{ "nf_tables", PB_NFT_CHAIN, "filter", PB_NFT_PRIO, NULL, { { 0 } } },
	{ "nft_chain_nat", PB_NFT_NAT, "nat", PB_NFT_NAT_PRIO, NULL, { { 0 } } },
	{ "nft_ct", PB_NFT_CHAIN, NULL, 0, "ct",
	  { { NFTA_CT_DREG, 4, NFT_REG_1 }, { NFTA_CT_KEY, 4, NFT_CT_STATE } } },
	{ "nft_reject_inet", PB_NFT_CHAIN, NULL, 0, "reject",
	  { { NFTA_REJECT_TYPE, 4, NFT_REJECT_TCP_RST } } },
	{ "nft_redir", PB_NFT_NAT, NULL, 0, "redir", { { 0 } } },
	/* the log's module has its own place in netlink, so it is asked for first */
	{ "nfnetlink_log", NULL, NULL, 0, NULL, { { 0 } } },
	{ "nft_log", PB_NFT_CHAIN, NULL, 0, "log", { { NFTA_LOG_GROUP, 2, PB_NFT_GROUP } } },
};

static void put(struct batch *b, const void *p, size_t n)
{
	if (n > 0) /* what is nested begins empty: `p` is NULL */
		memcpy(b->bytes + b->size, p, n);
	b->size += n;
	while (b->size % NLA_ALIGNTO)
		b->bytes[b->size++] = 0;
}

static void put_attribute(struct batch *b, uint16_t type, const void *p, size_t n)
{
	const struct nlattr a = { .nla_len = (uint16_t)(sizeof(a) + n), .nla_type = type };

	put(b, &a, sizeof(a));
	put(b, p, n);
}

static void put_text(struct batch *b, uint16_t type, const char *text)
{
	put_attribute(b, type, text, strlen(text) + 1);
}

static void put_number(struct batch *b, uint16_t type, uint32_t value)
{
	value = htonl(value);
	put_attribute(b, type, &value, sizeof(value));
}

static void open_nest(struct batch *b, uint16_t type)
{
	b->nests[b->depth++] = b->size;
	put_attribute(b, type | NLA_F_NESTED, NULL, 0);
}

static void close_nest(struct batch *b)
{
	size_t at = b->nests[--b->depth];
	uint16_t len = (uint16_t)(b->size - at);

	memcpy(b->bytes + at, &len, sizeof(len)); /* nla_len is the first member */
}

static void open_message(struct batch *b, uint16_t type, uint16_t flags, uint8_t family,
			 uint16_t subsystem)
{
	const struct nlmsghdr h = { .nlmsg_type = type,
				    .nlmsg_flags = (uint16_t)(NLM_F_REQUEST | flags) };
	const struct nfgenmsg g = { .nfgen_family = family, .version = NFNETLINK_V0,
				    .res_id = htons(subsystem) };

	b->message = b->size;
	put(b, &h, sizeof(h));
	put(b, &g, sizeof(g));
}

static void close_message(struct batch *b)
{
	uint32_t len = (uint32_t)(b->size - b->message);

	memcpy(b->bytes + b->message, &len, sizeof(len)); /* nlmsg_len is the first member */
}

static void put_bracket(struct batch *b, uint16_t type)
{
	open_message(b, type, 0, AF_UNSPEC, NFNL_SUBSYS_NFTABLES);
	close_message(b);
}

static void open_table_message(struct batch *b, uint16_t type)
{
	open_message(b, NFNL_SUBSYS_NFTABLES << 8 | type, NLM_F_CREATE, NFPROTO_INET, 0);
	put_text(b, 1, PB_NFT_TABLE); /* the table's name is attribute 1 of every message */
}

static void put_chain(struct batch *b, const struct part *p)
{
	open_table_message(b, NFT_MSG_NEWTABLE);
	close_message(b);
	open_table_message(b, NFT_MSG_NEWCHAIN);
	put_text(b, NFTA_CHAIN_NAME, p->chain);
	open_nest(b, NFTA_CHAIN_HOOK);
	put_number(b, NFTA_HOOK_HOOKNUM, NF_INET_LOCAL_OUT);
	put_number(b, NFTA_HOOK_PRIORITY, (uint32_t)p->prio);
	close_nest(b);
	put_text(b, NFTA_CHAIN_TYPE, p->type);
	close_message(b);
}

static void put_rule(struct batch *b, const struct part *p)
{
	open_table_message(b, NFT_MSG_NEWRULE);
	put_text(b, NFTA_RULE_CHAIN, p->chain);
	open_nest(b, NFTA_RULE_EXPRESSIONS);
	open_nest(b, NFTA_LIST_ELEM);
	put_text(b, NFTA_EXPR_NAME, p->expression);
	open_nest(b, NFTA_EXPR_DATA);
	for (size_t i = 0; i < 2 && p->attributes[i].size; i++) {
		uint16_t two = htons((uint16_t)p->attributes[i].value);

		if (p->attributes[i].size == 4)
			put_number(b, p->attributes[i].type, p->attributes[i].value);
		else
			put_attribute(b, p->attributes[i].type, &two, sizeof(two));
	}
	close_nest(b);
	close_nest(b);
	close_nest(b);
	close_message(b);
}

/* A request that changes nothing.  Without a module for it the answer is EINVAL; the log
 * itself would say that there is no such group. */
static int ask_log(void)
{
	AUTO_CLOSE int sock = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER);
	struct batch b = { .size = 0 };
	struct {
		struct nlmsghdr head;
		struct nlmsgerr about;
	} answer;

	open_message(&b, NFNL_SUBSYS_ULOG << 8 | NFULNL_MSG_CONFIG, NLM_F_ACK, AF_UNSPEC,
		     PB_NFT_GROUP);
	close_message(&b);
	if (sock < 0 || send(sock, b.bytes, b.size, 0) < 0)
		return -errno;
	/* the kernel has answered before send() returns */
	if (recv(sock, &answer, sizeof(answer), MSG_DONTWAIT) < (ssize_t)sizeof(answer) ||
	    answer.head.nlmsg_type != NLMSG_ERROR)
		return -EPROTO;
	return answer.about.error == -EINVAL ? -EINVAL : 0;
}

static int try_part(const struct part *p)
{
	struct batch b = { .size = 0 };

	if (!p->chain)
		return ask_log();
	put_bracket(&b, NFNL_MSG_BATCH_BEGIN);
	if (p->type)
		put_chain(&b, p);
	else
		put_rule(&b, p);
	put_bracket(&b, NFNL_MSG_BATCH_END);
	return nft_load(b.bytes, b.size, NULL);
}

int nft_probe(size_t *ret_part)
{
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		int r = try_part(&parts[i]);

		if (r < 0) {
			*ret_part = i;
			return -r;
		}
	}
	return 0;
}

const char *nft_probe_module(size_t part)
{
	return part < sizeof(parts) / sizeof(parts[0]) ? parts[part].module : parts[0].module;
}
