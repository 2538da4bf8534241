/* The smallest transaction that needs nf_tables for both address families in the
 * kernel.  Every nft.batch begins with it. */
#include "runtime/polrun/nft_probe.h"

#include <arpa/inet.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>
#include <stddef.h>

#include "runtime/bundle/nft_load.h"

struct text4 {
	struct nlattr head;
	char text[4];
};

struct number {
	struct nlattr head;
	uint32_t value;
};

struct bracket {
	struct nlmsghdr head;
	struct nfgenmsg generic;
};

/* The parts as they lie on the socket: the size of each is a multiple of four bytes. */
struct transaction {
	struct bracket begin;
	struct nlmsghdr table_head;
	struct nfgenmsg table_generic;
	struct text4 table;
	struct nlmsghdr chain_head;
	struct nfgenmsg chain_generic;
	struct text4 of;
	struct text4 name;
	struct nlattr hook;
	struct number hooknum, priority;
	struct number policy;
	struct nlattr type;
	char filter[8];
	struct bracket end;
};

_Static_assert(sizeof(struct transaction) == 144, "a hole between attributes");

#define MESSAGE(type, flags, len)                                             \
	{                                                                     \
		.nlmsg_len = (uint32_t)(len), .nlmsg_type = (uint16_t)(type), \
		.nlmsg_flags = NLM_F_REQUEST | (flags)                        \
	}
#define NFT(type) (NFNL_SUBSYS_NFTABLES << 8 | (type))
#define BRACKET(type)                                                          \
	{                                                                      \
		.head = MESSAGE(type, 0, sizeof(struct bracket)), .generic = { \
			AF_UNSPEC,                                             \
			NFNETLINK_V0,                                          \
			htons(NFNL_SUBSYS_NFTABLES)                            \
		}                                                              \
	}
#define TEXT(type, value)                           \
	{                                           \
		{sizeof(struct text4), type}, value \
	}
#define NUMBER(type, v)                                 \
	{                                               \
		{sizeof(struct number), type}, htonl(v) \
	}

int nft_probe(void)
{
	const struct transaction t = {
		.begin = BRACKET(NFNL_MSG_BATCH_BEGIN),
		.table_head = MESSAGE(NFT(NFT_MSG_NEWTABLE), NLM_F_CREATE,
				      offsetof(struct transaction, chain_head) -
					      offsetof(struct transaction, table_head)),
		.table_generic = {NFPROTO_INET, NFNETLINK_V0, 0},
		.table = TEXT(NFTA_TABLE_NAME, "pol"),
		.chain_head = MESSAGE(NFT(NFT_MSG_NEWCHAIN), NLM_F_CREATE,
				      offsetof(struct transaction, end) -
					      offsetof(struct transaction, chain_head)),
		.chain_generic = {NFPROTO_INET, NFNETLINK_V0, 0},
		.of = TEXT(NFTA_CHAIN_TABLE, "pol"),
		.name = TEXT(NFTA_CHAIN_NAME, "out"),
		.hook = {sizeof(struct nlattr) + 2 * sizeof(struct number),
			 NFTA_CHAIN_HOOK | NLA_F_NESTED},
		.hooknum = NUMBER(NFTA_HOOK_HOOKNUM, NF_INET_LOCAL_OUT),
		.priority = NUMBER(NFTA_HOOK_PRIORITY, 0),
		.policy = NUMBER(NFTA_CHAIN_POLICY, NF_DROP),
		.type = {sizeof(struct nlattr) + sizeof("filter"), NFTA_CHAIN_TYPE},
		.filter = "filter",
		.end = BRACKET(NFNL_MSG_BATCH_END),
	};

	return -nft_load(&t, sizeof(t), NULL);
}
