/*
 * What each mode of the network becomes, and what it does not enforce.  The other
 * files of backend/nft/ derive the rules; this file reports how well they hold.
 */
#include "compiler/backend/nft/net.h"

#include "compiler/backend/nft/capture.h"
#include "compiler/backend/nft/coarse.h"
#include "compiler/backend/nft/region_make.h"
#include "compiler/backend/nft/ruleset.h"
#include "compiler/backend/nft/verify.h"
#include "compiler/backend/common/util.h"
#include "runtime/base/address_guard.h"

#define LAYER "net"

static enum ir_mode mode_of(const struct ir *ir)
{
	return (enum ir_mode)ir->scalars[IR_S_NET_MODE].num;
}

static bool is_ours(const struct ir_rule *r)
{
	return r->kind == IR_NET && (r->scopes & IR_SANDBOX);
}

/*
 * Does the mode `full` need what `limited` has, since something is denied or asked, or gets
 * more than a connection?  (region_needs_gate() says the same from the decisions: it is
 * never true where this is not.)
 */
static bool is_gated(const struct ir *ir)
{
	enum ir_scalar_id s;

	if (mode_of(ir) != IR_NET_FULL)
		return mode_of(ir) == IR_NET_LIMITED;
	for (size_t i = 0; i < ir->rules.n; i++) {
		const struct ir_rule *r = ir->rules.v[i];
		const struct ir_grant *g = &r->set.u.net.grant;

		if (is_ours(r) && (r->effect != IR_ALLOW || g->via.n || g->header.n ||
				   g->bytes || g->connections || g->peek != IR_PEEK_PORT))
			return true;
	}
	return region_otherwise(ir, &s) != IR_ALLOW || region_denies_publishing(ir);
}

/* --- messages -------------------------------------------------------------------- */

static void check_mode(const struct ir *ir, struct bk_report *report)
{
	switch (mode_of(ir)) {
	case IR_NET_DISABLED:
		bk_note_scalar(report, IR_S_NET_MODE, LAYER, BK_EXACT,
			       "a network namespace of its own: loopback only");
		return;
	case IR_NET_LIMITED:
		bk_note_scalar(report, IR_S_NET_MODE, LAYER, BK_EXACT,
			       "a network namespace of its own: only the gateway's "
			       "connections leave it, its own loopback is free");
		return;
	case IR_NET_FULL:
		break;
	}
	if (is_gated(ir))
		bk_note_scalar(report, IR_S_NET_MODE, LAYER, BK_OVER,
			       "something is denied or asked, so the run has a network "
			       "namespace of its own: TCP goes through the gateway, "
			       "datagrams and ICMP do not leave it");
	else
		bk_note_scalar(report, IR_S_NET_MODE, LAYER, BK_EXACT,
			       "the host's network, its loopback too; abstract sockets of "
			       "the host are closed by Landlock's scope (before ABI 6 by no unix "
			       "sockets but connected pairs)");
}

static bool meets_loopback(const struct num_cidr *c)
{
	region_addr lo = region_first(c), hi = region_last(c);

	return (lo <= REGION_LOOP4_HI && hi >= REGION_LOOP4_LO) ||
	       (lo <= REGION_LOOP6 && hi >= REGION_LOOP6);
}

static bool is_loopback(const struct num_cidr *c)
{
	return region_is_loopback(region_first(c)) && region_is_loopback(region_last(c));
}

static bool is_synthetic(const struct num_cidr *c)
{
	region_addr lo = region_first(c), hi = region_last(c);
	region_addr v4 = REGION_V4_LO | PB_POOL_V4, v6 = REGION_POOL6;

	return (lo >= v4 && hi < v4 + PB_POOL_SIZE) ||
	       (lo >= v6 && hi <= (v6 | 0xffffffffu));
}

/* "localhost" of an allow rule is the host's; the rule must say that it means that. */
static void check_localhost(const struct ir_rule *r, struct diag_sink *sink)
{
	const struct ir_net *n = &r->set.u.net;
	struct diag *d;

	if (!region_is_name(n) || !guard_is_localhost(n->name.p, n->name.n) || r->effect > IR_ASK)
		return;
	for (size_t i = 0; i < n->nwithin; i++)
		if (meets_loopback(&n->within[i]))
			return;
	d = diag_add(sink, DIAG_NET_LOCALHOST, r->at.span,
		     "'%.*s' in a rule means a service of the host, and no name leads to a "
		     "loopback without 'within'", STR_ARG(n->name));
	diag_help(sink, d, "the run's own loopback needs no rule; for the host's write "
			   "'within 127.0.0.0/8'");
}

/* What stops a datagram to somewhere else than the loopback is no rule. */
static void check_udp(const struct ir_rule *r, struct bk_report *report,
		      struct diag_sink *sink)
{
	bk_note(report, r, LAYER, BK_OVER,
		"no datagram leaves the run; on its own loopback the rule counts");
	if (r->effect == IR_ALLOW && r->level != IR_DEFAULT)
		diag_add(sink, DIAG_NET_UDP, r->at.span,
			 "no datagram leaves the run, not through the gateway either: "
			 "this rule counts on its own loopback only");
}

static bool goes_via(const struct ir_rule *r)
{
	const struct str via = r->set.u.net.grant.via;

	return via.n && !str_eqz(via, "none");
}

static const char *name_note(const struct ir_rule *r)
{
	if (r->effect == IR_DENY)
		return "the gateway gives the name no address for this";
	if (r->effect == IR_ASK)
		return "the gateway asks at the moment of the connection";
	return goes_via(r) ? "the gateway has the proxy look the name up and connect" :
			     "the gateway looks the name up itself and connects";
}

static const char *any_note(const struct ir_rule *r)
{
	if (r->effect == IR_DENY)
		return "nftables in the run's namespace; the gateway gives no name an address "
		       "for this";
	return r->effect == IR_ASK ? "the gateway asks at the moment of the connection" :
				     "nftables in the run's namespace, then the gateway";
}

static const char *address_note(const struct ir_rule *r)
{
	if (r->effect == IR_DENY)
		return "nftables in the run's namespace; the gateway refuses names that "
		       "lead there";
	return r->effect == IR_ASK ? "the gateway asks at the moment of the connection" :
				     "nftables in the run's namespace, then the gateway";
}

static void check_gated(const struct ir_rule *r, struct bk_report *report,
			struct diag_sink *sink)
{
	const struct ir_net *n = &r->set.u.net;
	bool own = n->host == IR_HOST_CIDR && is_loopback(&n->cidr);

	check_localhost(r, sink);
	if (n->host == IR_HOST_CIDR && is_synthetic(&n->cidr) && r->level != IR_DEFAULT)
		diag_add(sink, DIAG_NET_POOL, r->at.span,
			 "inside of a run these addresses stand for host names: this rule "
			 "does not decide there");
	if (own && r->effect == IR_ASK)
		bk_note(report, r, LAYER, BK_OVER,
			"nobody is asked about the run's own loopback: it is denied");
	else if (own && r->effect == IR_ALLOW && r->level != IR_DEFAULT)
		bk_note(report, r, LAYER, BK_OVER,
			"in a run it is the run's own loopback, which needs no rule, and opens no "
			"service of the host: for that write \"localhost\" within 127.0.0.0/8");
	else if (own)
		bk_note(report, r, LAYER, BK_EXACT, "nftables in the run's namespace");
	else if (r->effect != IR_DENY && n->protos == IR_UDP)
		check_udp(r, report, sink);
	else
		bk_note(report, r, LAYER, BK_EXACT, "%s",
			region_is_name(n)       ? name_note(r) :
			n->host == IR_HOST_ANY ? any_note(r) : address_note(r));
}

static void check(const struct ir *ir, struct bk_report *report, struct diag_sink *sink)
{
	bool gated = is_gated(ir);

	check_mode(ir, report);
	for (size_t i = 0; i < ir->rules.n; i++) {
		const struct ir_rule *r = ir->rules.v[i];

		if (!is_ours(r))
			continue;
		if (mode_of(ir) == IR_NET_DISABLED)
			bk_note(report, r, LAYER, BK_EXACT,
				"the mode decides: every connection is denied");
		else if (gated)
			check_gated(r, report, sink);
		else
			bk_note(report, r, LAYER, BK_EXACT, "the mode allows it anyway");
	}
}

/* --- members ------------------------------------------------------------------------ */

static bool emit(const struct ir *ir, struct bk_output *out, struct diag_sink *sink)
{
	struct bk_member json = { STR(PB_NFT_JSON), STR_NULL };
	struct region region, table;
	struct buf b;

	if (mode_of(ir) == IR_NET_DISABLED) {
		bk_add_feature(out, "net-namespace");
		return true;
	}
	if (!region_make(ir, out->a, &region)) {
		struct diag *d = diag_add(sink, DIAG_NET_COMPLEX,
					  ir->scalars[IR_S_NET_MODE].at.span,
					  "the network rules cross each other too often");

		diag_help(sink, d, "write the same addresses and ports in fewer rules");
		return false;
	}
	if (region_needs_gate(ir, &region) || region_denies_publishing(ir)) {
		bk_add_feature(out, "net-namespace");
		buf_init(&b, out->a);
		coarse_make(ir, &region, COARSE_BLOCKS, out->a, &table);
		ruleset_json(&b, ir, &table);
		json.bytes = buf_view(&b);
		VEC_PUSH(out->a, &out->members, json);
		bk_add_feature(out, "nf-tables");
	}
	return ruleset_egress(out, ir, &region, sink);
}

bool bk_net_capture(const struct ir *ir, struct bk_output *out, bool without,
		    struct bk_nft *ret, struct diag_sink *sink)
{
	const struct bk_member *json = bk_member(out, PB_NFT_JSON);
	struct span at = ir->scalars[IR_S_NET_MODE].at.span;
	struct bk_member batch = { STR(PB_NFT_BATCH), STR_NULL };
	enum nft_capture_result got;
	struct nft_captured c;
	const char *why = "";
	struct diag *d;

	*ret = (struct bk_nft){ .limited = json != NULL, .batch = json && !without };
	if (!ret->batch)
		return true;
	got = nft_capture(out->a, json->bytes, &c, &why);
	switch (got) {
	case NFT_CAPTURED:
		ret->version = c.version;
		batch.bytes = c.batch;
		VEC_PUSH(out->a, &out->members, batch);
		return true;
	case NFT_NO_NAMESPACE:
	case NFT_NO_PROGRAM:
		d = diag_add(sink, DIAG_NFT_CAPTURE, at,
			     "the network rules cannot be tried here: %s", why);
		diag_help(sink, d, got == NFT_NO_PROGRAM ?
				   "--no-nft-batch does without it: polrun then needs "
				   "polnft and libnftables on the machine that runs the "
				   "bundle" :
				   "compile where user namespaces are allowed, or with "
				   "--no-nft-batch: polrun then needs polnft and "
				   "libnftables on the machine that runs the bundle");
		return false;
	case NFT_REFUSED:
		break;
	}
	diag_add(sink, DIAG_NFT_CAPTURE, at, "the network rules do not load: %s", why);
	return false;
}

/* --- reading it back ----------------------------------------------------------------- */

static void print(FILE *out, const struct bk_output *in)
{
	const struct bk_member *json = bk_member(in, PB_NFT_JSON);
	const struct bk_member *egress = bk_member(in, PB_EGRESS);
	const char *why;
	struct model m;

	if (!json) {
		(void)fputs(egress ?
				    "network full: the host's network\n" :
				    "network disabled: a network namespace with its own "
				    "loopback\n", out);
		return;
	}
	(void)fprintf(out, "network %s: a network namespace with its own loopback; what no "
			   "rule takes is dropped\n",
		      egress && !((const struct pb_egress *)(const void *)egress->bytes.p)->guard ?
			      "full" : "limited");
	why = model_read(in->a, json->bytes, &m);
	if (why)
		(void)fprintf(out, "%s\n", why);
	else
		model_print(out, &m);
}

static const char *verify(const struct ir *ir, const struct bk_output *in,
			  struct arena *a)
{
	bool json = bk_member(in, PB_NFT_JSON), egress = bk_member(in, PB_EGRESS);

	if (egress != (mode_of(ir) != IR_NET_DISABLED))
		return "the members are not those of the network's mode";
	if (json ? !is_gated(ir) : mode_of(ir) == IR_NET_LIMITED)
		return "the table is not there as the network's mode has it";
	return egress ? nft_verify(ir, in, a) : NULL;
}

const struct backend bk_net = {
	.name = "net",
	.check = check,
	.emit = emit,
	.print = print,
	.verify = verify,
};
