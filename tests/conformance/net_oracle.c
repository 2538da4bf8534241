/*
 * Every cell of a policy's network rules, for tests with real packets: compiles
 * the policy that the options name and prints, for each bound of addresses and
 * ports that a loopback interface can have, what the evaluator says.
 *   net_oracle POLC-OPTIONS… FILE… net tcp 127.0.0.1:1
 *     PROTO ADDRESS PORT allow|deny ID
 * ID is the comment of the rule that decides.  As in the kernel, an ask is an allow where
 * the gateway asks and a deny on the loopback, no datagram leaves, and a few ports are the
 * gateway's.
 */
#include <arpa/inet.h>
#include <string.h>

#include "compiler/backend/nft/gateway.h"
#include "compiler/backend/nft/region_make.h"
#include "compiler/backend/nft/ruleset.h"
#include "compiler/backend/common/util.h"
#include "tests/conformance/oracle.h"

/* No broadcast, multicast, link-local or unspecified address. */
static bool is_usable(region_addr a)
{
	uint8_t b[16];

	region_bytes(a, b);
	if (a >= REGION_V4_LO && a <= REGION_V4_HI)
		return b[12] != 0 && b[12] < 224 && b[15] != 255 && b[15] != 0;
	return a == 1 || ((b[0] & 0xe0) == 0x20) || (b[0] & 0xfe) == 0xfc;
}

/* What the table does, and which of its rules: doc/nft.md. */
static bool is_accepted(const struct ir *ir, const struct ir_request *req,
			const struct eval_decision *e, struct str *ret_id)
{
	region_addr at = region_of(req->addr);
	bool gate = at == REGION_LOOP6 || at == REGION_LOOP4_LO + 1;
	enum ir_scalar_id rest = IR_S_NET_MODE;

	*ret_id = ruleset_comment(ir, e->rule ? e->rule->index :
						bk_rule_of_scalar(ir, e->scalar));
	if (req->port == PB_NFT_DNS_PORT && (req->proto == IR_UDP || gate)) {
		*ret_id = STR(GATEWAY_DNS);
		return true;
	}
	if (req->port == PB_NFT_GATE_PORT && req->proto == IR_TCP && gate) {
		*ret_id = STR(GATEWAY_OWN);
		return false;
	}
	if (region_is_loopback(at))
		return e->effect == IR_ALLOW;
	if (req->proto == IR_TCP || e->effect > IR_ASK)
		return e->effect <= IR_ASK;
	if (region_otherwise(ir, &rest) <= IR_ASK)
		rest = IR_S_NET_MODE;
	*ret_id = ruleset_comment(ir, bk_rule_of_scalar(ir, rest));
	return false;
}

static bool ask(struct compilation *c, struct bundle *b, struct ir_request *req)
{
	char text[INET6_ADDRSTRLEN];
	bool v4 = region_of(req->addr) >= REGION_V4_LO &&
		  region_of(req->addr) <= REGION_V4_HI;
	struct eval_decision e;
	struct str id;
	bool accepted;

	if (!oracle_ask(c, b, req, &e))
		return false;
	accepted = is_accepted(c->ir, req, &e, &id);
	(void)inet_ntop(v4 ? AF_INET : AF_INET6, v4 ? req->addr + 12 : req->addr, text,
			sizeof(text));
	printf("%s %s %u %s %.*s\n", req->proto == IR_TCP ? "tcp" : "udp", text, req->port,
	       accepted ? "allow" : "deny", STR_ARG(id));
	return true;
}

/* The first and the last port of each piece. */
static bool ask_ports(struct compilation *c, struct bundle *b, struct ir_request *req,
		      const struct region_list *l)
{
	uint32_t lo = 1;

	for (size_t i = 0; i < l->n; i++) {
		req->port = (uint16_t)lo;
		if (lo <= l->v[i].hi && !ask(c, b, req))
			return false;
		req->port = l->v[i].hi;
		if (lo < l->v[i].hi && !ask(c, b, req))
			return false;
		lo = l->v[i].hi + 1u;
	}
	return true;
}

/* An address near a bound that can be used: at it, or one further in. */
static region_addr near(region_addr a, region_addr lo, region_addr hi)
{
	if (is_usable(a))
		return a;
	if (a > lo && is_usable(a - 1))
		return a - 1;
	return a < hi && is_usable(a + 1) ? a + 1 : 0;
}

static bool ask_slab(struct compilation *c, struct bundle *b, const struct region *r,
		     size_t i)
{
	struct ir_request req = { .kind = IR_NET, .scope = IR_SANDBOX, .is_addr = true,
					.before_guard = true };
	region_addr lo = r->slabs.v[i].lo, hi = region_end(r, i);
	region_addr at[2] = { near(lo, lo, hi), near(hi, lo, hi) };

	for (unsigned k = 0; k < 2; k++) {
		if (!at[k] || (k && at[0] == at[1]))
			continue;
		region_bytes(at[k], req.addr);
		for (unsigned p = 0; p < 2; p++) {
			req.proto = p ? IR_UDP : IR_TCP;
			if (!ask_ports(c, b, &req, &r->lists.v[r->slabs.v[i].list[p]]))
				return false;
		}
	}
	return true;
}

static int run(struct options *o, struct arena *a)
{
	struct compilation c;
	struct region r;
	struct bundle b;
	int status = oracle_open(o, a, &c, &b);
	bool ok = true;

	if (status)
		return status;
	if (!region_make(c.ir, a, &r))
		return 2;
	for (size_t i = 0; ok && i < r.slabs.n; i++)
		ok = ask_slab(&c, &b, &r, i);
	bundle_release(&b);
	return ok ? 0 : 2;
}

int main(int argc, char **argv)
{
	return oracle_main(argc, argv, run);
}
