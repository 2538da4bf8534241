/*
 * Decides which netlink messages a bundle may pass to the kernel: only those that add to
 * the run's own table. Everything else is refused before anything is sent.
 */
#include "runtime/bundle/nft_batch.h"

#include <errno.h>
#include <arpa/inet.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <string.h>

#include "runtime/bundle/format.h"

#define MIN_MESSAGE (NLMSG_HDRLEN + sizeof(struct nfgenmsg))

/* The messages that a batch may contain, and the flags that they may carry. */
static const struct {
	uint16_t type;
	const char *word;
	uint16_t flags;
} known[] = {
	{ NFT_MSG_NEWTABLE, "NEWTABLE", NLM_F_CREATE },
	{ NFT_MSG_NEWCHAIN, "NEWCHAIN", NLM_F_CREATE },
	{ NFT_MSG_NEWRULE, "NEWRULE", NLM_F_CREATE | NLM_F_APPEND },
	{ NFT_MSG_NEWSET, "NEWSET", NLM_F_CREATE },
	{ NFT_MSG_NEWSETELEM, "NEWSETELEM", NLM_F_CREATE },
};

#define N_KNOWN (sizeof(known) / sizeof(known[0]))

/* linux/netlink.h has the same as a signed number. */
#define NLA_HEAD sizeof(struct nlattr)

static size_t align(size_t n)
{
	return (n + 3) & ~(size_t)3;
}

struct walk {
	const uint8_t *data;
	size_t size, at;
	bool has_table, has_chain, has_nat;
	struct rt_err *err;
};

static int bad(const struct walk *w, const char *what)
{
	return rt_fail(w->err, EBADMSG, PB_NFT_BATCH ": %s at byte %zu", what, w->at);
}

static const struct nlmsghdr *header(const uint8_t *p)
{
	return (const struct nlmsghdr *)(const void *)p;
}

static const struct nfgenmsg *generic(const struct nlmsghdr *h)
{
	return (const struct nfgenmsg *)(const void *)((const uint8_t *)h + NLMSG_HDRLEN);
}

/* The message at `at`, if it is whole, with netlink's alignment. */
static const struct nlmsghdr *peek(const struct walk *w)
{
	const struct nlmsghdr *h = header(w->data + w->at);

	if (w->size - w->at < MIN_MESSAGE || h->nlmsg_len < MIN_MESSAGE ||
	    h->nlmsg_len % NLMSG_ALIGNTO || h->nlmsg_len > w->size - w->at)
		return NULL;
	return h;
}

/* The value of one attribute in a message or a nest. */
static const uint8_t *attribute(const uint8_t *p, size_t n, uint16_t type,
				size_t *ret_len)
{
	while (n >= NLA_HEAD) {
		const struct nlattr *a = (const struct nlattr *)(const void *)p;
		size_t step = align(a->nla_len);

		if (a->nla_len < NLA_HEAD || a->nla_len > n)
			return NULL;
		if ((a->nla_type & NLA_TYPE_MASK) == type) {
			*ret_len = a->nla_len - NLA_HEAD;
			return p + NLA_HEAD;
		}
		if (step > n)
			return NULL;
		p += step;
		n -= step;
	}
	return NULL;
}

/* Do the attributes fill the message exactly? */
static bool attributes_fit(const uint8_t *p, size_t n)
{
	while (n) {
		const struct nlattr *a = (const struct nlattr *)(const void *)p;
		size_t step;

		if (n < NLA_HEAD || a->nla_len < NLA_HEAD || a->nla_len > n)
			return false;
		step = align(a->nla_len);
		if (step > n)
			return false;
		p += step;
		n -= step;
	}
	return true;
}

static bool is_text(const uint8_t *p, size_t n, const char *text)
{
	return p && n == strlen(text) + 1 && memcmp(p, text, n) == 0;
}

static bool is_number(const uint8_t *p, size_t n, uint32_t want)
{
	uint32_t v;

	if (!p || n != sizeof(v))
		return false;
	memcpy(&v, p, sizeof(v));
	return ntohl(v) == want;
}

/* --- chains -------------------------------------------------------------------- */

/*
 * The table has two chains on the hook output.  `out` filters, before NAT, and drops what no
 * rule accepts; `nat` redirects what `out` has accepted.
 */
static const struct {
	const char *name, *type;
	int32_t prio;
	uint32_t policy;
} chains[] = {
	{ PB_NFT_CHAIN, "filter", PB_NFT_PRIO, NF_DROP },
	{ PB_NFT_NAT, "nat", PB_NFT_NAT_PRIO, NF_ACCEPT },
};

#define N_CHAINS (sizeof(chains) / sizeof(chains[0]))

/* Which of them is it, exactly as described? N_CHAINS: none. */
static size_t known_chain(const uint8_t *p, size_t n)
{
	size_t len = 0, nhook = 0, npolicy = 0, ntype = 0, i = 0;
	const uint8_t *name = attribute(p, n, NFTA_CHAIN_NAME, &len), *v;
	const uint8_t *hook = attribute(p, n, NFTA_CHAIN_HOOK, &nhook);
	const uint8_t *policy = attribute(p, n, NFTA_CHAIN_POLICY, &npolicy);
	const uint8_t *type = attribute(p, n, NFTA_CHAIN_TYPE, &ntype);

	while (i < N_CHAINS && !is_text(name, len, chains[i].name))
		i++;
	if (i == N_CHAINS || !hook || !is_text(type, ntype, chains[i].type) ||
	    !is_number(policy, npolicy, chains[i].policy) ||
	    attribute(p, n, NFTA_CHAIN_FLAGS, &len))
		return N_CHAINS;
	v = attribute(hook, nhook, NFTA_HOOK_HOOKNUM, &len);
	if (!is_number(v, len, NF_INET_LOCAL_OUT))
		return N_CHAINS;
	v = attribute(hook, nhook, NFTA_HOOK_PRIORITY, &len);
	return is_number(v, len, (uint32_t)chains[i].prio) ? i : N_CHAINS;
}

static int check_chain(struct walk *w, const uint8_t *p, size_t n)
{
	size_t i = known_chain(p, n);

	if (i == N_CHAINS || (i == 0 ? w->has_chain : w->has_nat))
		return bad(w, "a chain that is not the one that drops, nor the one that "
			      "redirects");
	if (i == 0)
		w->has_chain = true;
	else
		w->has_nat = true;
	return 0;
}

/* --- rules ----------------------------------------------------------------------- */

/* What a rule may be made of, and in which of the two chains. */
static const struct {
	const char *name;
	bool out, nat;
} expressions[] = {
	{ "bitwise", true, true }, { "cmp", true, true },   { "counter", true, true },
	{ "ct", true, false },     { "immediate", true, true }, { "log", true, false },
	{ "lookup", true, true },  { "meta", true, true },  { "payload", true, true },
	{ "range", true, true },   { "redir", false, true }, { "reject", true, false },
};

#define N_EXPRESSIONS (sizeof(expressions) / sizeof(expressions[0]))

/* A constant is a value, or the verdict to accept: nothing jumps to another chain. */
static bool is_plain_constant(const uint8_t *p, size_t n)
{
	size_t len = 0;
	const uint8_t *data = attribute(p, n, NFTA_IMMEDIATE_DATA, &len), *verdict, *code;

	if (!data)
		return false;
	verdict = attribute(data, len, NFTA_DATA_VERDICT, &len);
	if (!verdict)
		return true;
	code = attribute(verdict, len, NFTA_VERDICT_CODE, &len);
	return is_number(code, len, NF_ACCEPT);
}

static bool is_known_expression(const uint8_t *p, size_t n, bool nat)
{
	size_t nname = 0, ndata = 0;
	const uint8_t *name = attribute(p, n, NFTA_EXPR_NAME, &nname);
	const uint8_t *data = attribute(p, n, NFTA_EXPR_DATA, &ndata);

	for (size_t i = 0; i < N_EXPRESSIONS; i++)
		if (is_text(name, nname, expressions[i].name) &&
		    (nat ? expressions[i].nat : expressions[i].out))
			return strcmp(expressions[i].name, "immediate") != 0 ||
			       (data && is_plain_constant(data, ndata));
	return false;
}

static int check_rule(struct walk *w, const uint8_t *p, size_t n)
{
	size_t len = 0, nchain = 0;
	const uint8_t *chain = attribute(p, n, NFTA_RULE_CHAIN, &nchain);
	const uint8_t *list = attribute(p, n, NFTA_RULE_EXPRESSIONS, &len);
	bool nat = is_text(chain, nchain, PB_NFT_NAT);

	if (!w->has_chain || (nat && !w->has_nat))
		return bad(w, "a rule before the chain that drops, or before its own");
	if (!nat && !is_text(chain, nchain, PB_NFT_CHAIN))
		return bad(w, "a rule of another chain");
	if (!list || !attributes_fit(list, len))
		return bad(w, "a rule without expressions");
	for (size_t at = 0; at < len;) {
		const struct nlattr *a = (const struct nlattr *)(const void *)(list + at);

		if ((a->nla_type & NLA_TYPE_MASK) != NFTA_LIST_ELEM ||
		    !is_known_expression(list + at + NLA_HEAD, a->nla_len - NLA_HEAD, nat))
			return bad(w, "a rule does what none of this table does");
		at += align(a->nla_len);
	}
	return 0;
}

/* --- messages ---------------------------------------------------------------------- */

static int check_message(struct walk *w, const struct nlmsghdr *h)
{
	const uint8_t *p = (const uint8_t *)h + MIN_MESSAGE;
	size_t n = h->nlmsg_len - MIN_MESSAGE, len = 0, i = 0;
	const struct nfgenmsg *g = generic(h);
	const uint8_t *table;

	while (i < N_KNOWN && h->nlmsg_type != (NFNL_SUBSYS_NFTABLES << 8 | known[i].type))
		i++;
	if (i == N_KNOWN)
		return bad(w, "a message that adds nothing to a table");
	if (h->nlmsg_flags & ~(NLM_F_REQUEST | NLM_F_ACK | NLM_F_EXCL | known[i].flags))
		return bad(w, "a message with other flags");
	if (g->nfgen_family != NFPROTO_INET || g->version != NFNETLINK_V0)
		return bad(w, "a message of another family");
	if (!attributes_fit(p, n))
		return bad(w, "attributes that do not fit");
	/* the table's name is attribute 1 of every message */
	table = attribute(p, n, NFTA_TABLE_NAME, &len);
	if (!is_text(table, len, PB_NFT_TABLE))
		return bad(w, "a message about another table");
	if (w->has_table != (known[i].type != NFT_MSG_NEWTABLE))
		return bad(w, "the table is missing or there twice");
	w->has_table = true;
	if (known[i].type == NFT_MSG_NEWCHAIN)
		return check_chain(w, p, n);
	if (known[i].type == NFT_MSG_NEWRULE)
		return check_rule(w, p, n);
	return 0;
}

static bool is_bracket(const struct nlmsghdr *h, uint16_t type)
{
	return h->nlmsg_type == type && h->nlmsg_len == MIN_MESSAGE &&
	       (h->nlmsg_flags & ~NLM_F_ACK) == NLM_F_REQUEST &&
	       ntohs(generic(h)->res_id) == NFNL_SUBSYS_NFTABLES;
}

static int check_transaction(struct walk *w)
{
	const struct nlmsghdr *h = peek(w);
	size_t from = w->at, count = 0;

	if (!h || !is_bracket(h, NFNL_MSG_BATCH_BEGIN))
		return bad(w, "no transaction begins");
	for (w->at += h->nlmsg_len; w->at < w->size; w->at += h->nlmsg_len, count++) {
		h = peek(w);
		if (!h)
			return bad(w, "a message that does not fit");
		if (is_bracket(h, NFNL_MSG_BATCH_END))
			break;
		if (check_message(w, h) < 0)
			return -EBADMSG;
	}
	if (w->at >= w->size || count == 0)
		return bad(w, "a transaction that is empty or does not end");
	w->at += h->nlmsg_len;
	return w->at - from <= PB_NFT_TRANSACTION ? 0 :
						    bad(w, "a transaction is too long");
}

int nft_batch_check(const void *data, size_t size, struct rt_err *err)
{
	struct walk w = { .data = data, .size = size, .err = err };

	if (size > NFT_BATCH_MAX)
		return bad(&w, "too many bytes");
	do {
		int r = check_transaction(&w);

		if (r < 0)
			return r;
		if (!w.has_chain || !w.has_nat)
			return bad(&w, "the first transaction has not both chains");
	} while (w.at < size);
	return 0;
}

/* Attributes that are not a well-formed nest are left unchanged. */
static void clean_attributes(uint8_t *p, size_t n)
{
	while (n >= NLA_HEAD) {
		const struct nlattr *a = (const struct nlattr *)(const void *)p;
		size_t len = a->nla_len, step = align(len);

		if (len < NLA_HEAD || len > n)
			return;
		if (a->nla_type & NLA_F_NESTED)
			clean_attributes(p + NLA_HEAD, len - NLA_HEAD);
		if (step > n)
			return;
		memset(p + len, 0, step - len);
		p += step;
		n -= step;
	}
}

void nft_batch_clean(uint8_t *data, size_t size)
{
	for (size_t at = 0; at < size; at += header(data + at)->nlmsg_len)
		clean_attributes(data + at + MIN_MESSAGE,
				 header(data + at)->nlmsg_len - MIN_MESSAGE);
}

bool nft_batch_next(const uint8_t *data, size_t size, size_t *at,
		    const uint8_t **ret_bytes, size_t *ret_len, size_t *ret_last)
{
	size_t from = *at, last = 0, i = from;

	if (from >= size)
		return false;
	while (header(data + i)->nlmsg_type != NFNL_MSG_BATCH_END) {
		last = i - from;
		i += header(data + i)->nlmsg_len;
	}
	i += header(data + i)->nlmsg_len;
	*ret_bytes = data + from;
	*ret_len = i - from;
	*ret_last = last;
	*at = i;
	return true;
}

const char *nft_batch_word(uint16_t type)
{
	for (size_t i = 0; i < N_KNOWN; i++)
		if (type == (NFNL_SUBSYS_NFTABLES << 8 | known[i].type))
			return known[i].word;
	return type == NFNL_MSG_BATCH_BEGIN ? "BATCH_BEGIN" :
	       type == NFNL_MSG_BATCH_END   ? "BATCH_END" :
					      "a message";
}
