/*
 * Groups the cells of the region by statement, protocol and verdict, and writes each group
 * as sets and rules.  The order of the chain `out`: replies, what the gateway itself needs
 * and the pools (gateway.c), the statements of the policy, then the last rules, those of
 * `otherwise`.  What is neither tcp nor udp is dropped by the chain.
 */
#include "compiler/backend/nft/ruleset.h"

#include <stdlib.h>

#include "compiler/backend/nft/coarse.h"
#include "compiler/backend/nft/document.h"
#include "compiler/backend/nft/gateway.h"
#include "compiler/backend/common/util.h"
#include "compiler/base/map.h"

/* The ports of one statement in one slab. */
struct ranges {
	VEC(struct region_ports) v;
};

struct piece {
	region_addr lo, hi;
	uint32_t sig; /* index into `sigs`: the ports of this piece */
};

struct sig {
	const struct ranges *of[2]; /* tcp, udp */
};

/* The addresses and ports of one protocol in one family. */
struct part {
	VEC(struct piece) pieces; /* ascending, without overlaps */
	VEC(const struct ranges *) sigs; /* the lists of ports, without duplicates */
	struct map seen;          /* sigs, keyed by their bytes */
};

/* What the table accepts, or rejects, for one statement. */
struct group {
	uint32_t rule; /* the first rule of the statement, or past all rules: REGION_MANY */
	bool accept;
	struct part part[2][2];   /* v4, v6; tcp, udp */
	struct ranges *now[2];    /* of the current slab */
};

struct maker {
	const struct ir *ir;
	struct arena *a;
	struct group **of[2]; /* by the first rule of the statement: rejected, accepted */
	VEC(struct group *) touched; /* in the current slab */
	struct doc doc;
};

struct str ruleset_comment(const struct ir *ir, uint32_t rule)
{
	struct str id = rule < ir->rules.n ?
				ir->rules.v[rule]->id :
				ir->scalars[rule - ir->rules.n].id;

	return id.n <= RULESET_MAX_COMMENT ? id :
					     str_sub(id, 0, RULESET_MAX_COMMENT);
}

/* --- gathering ------------------------------------------------------------------ */

static struct group *group_of(struct maker *m, uint32_t rule, bool accept)
{
	uint32_t first = rule == REGION_MANY ? (uint32_t)m->ir->rules.n :
					       region_statement(m->ir, rule);
	struct group *g = m->of[accept][first];

	if (!g) {
		g = ARENA_NEW(m->a, struct group);
		g->rule = first;
		g->accept = accept;
		for (unsigned k = 0; k < 4; k++)
			map_init(&g->part[k / 2][k % 2].seen, m->a);
		m->of[accept][first] = g;
	}
	return g;
}

static void take_ports(struct maker *m, const struct region_list *l, unsigned proto,
		       bool loopback)
{
	uint16_t lo = 0;

	for (size_t i = 0; i < l->n; i++) {
		enum coarse_outcome o = coarse_outcome(m->ir, &l->v[i], proto, loopback);
		struct region_ports r = { lo, l->v[i].hi };
		struct group *g;

		lo = (uint16_t)(r.hi + 1);
		if (o == COARSE_REST)
			continue;
		g = group_of(m, l->v[i].rule, o == COARSE_ACCEPT);
		if (!g->now[0] && !g->now[1])
			VEC_PUSH(m->a, &m->touched, g);
		if (!g->now[proto])
			g->now[proto] = ARENA_NEW(m->a, struct ranges);
		if (g->now[proto]->v.n && VEC_LAST(&g->now[proto]->v)->hi + 1 == r.lo)
			VEC_LAST(&g->now[proto]->v)->hi = r.hi;
		else
			VEC_PUSH(m->a, &g->now[proto]->v, r);
	}
}

static uint32_t sig_of(struct maker *m, struct part *p, const struct ranges *r)
{
	struct str key = { (const char *)r->v.v, r->v.n * sizeof(*r->v.v) };
	uint32_t *at = map_get(&p->seen, key);

	if (!at) {
		at = ARENA_NEW(m->a, uint32_t);
		*at = (uint32_t)p->sigs.n;
		VEC_PUSH(m->a, &p->sigs, r);
		(void)map_put(&p->seen, key, at);
	}
	return *at;
}

static void take_part(struct maker *m, struct part *p, const struct ranges *r,
		      region_addr lo, region_addr hi)
{
	struct piece piece = { lo, hi, sig_of(m, p, r) };
	struct piece *last = p->pieces.n ? VEC_LAST(&p->pieces) : NULL;

	if (last && last->sig == piece.sig && last->hi + 1 == piece.lo)
		last->hi = piece.hi;
	else
		VEC_PUSH(m->a, &p->pieces, piece);
}

static void take_slab(struct maker *m, const struct region *r, size_t i)
{
	const struct region_slab *s = &r->slabs.v[i];
	unsigned family = s->lo >= REGION_V4_LO && s->lo <= REGION_V4_HI ? 0 : 1;

	m->touched.n = 0;
	for (unsigned k = 0; k < 2; k++)
		take_ports(m, &r->lists.v[s->list[k]], k, region_is_loopback(s->lo));
	for (size_t k = 0; k < m->touched.n; k++) {
		struct group *g = m->touched.v[k];

		for (unsigned proto = 0; proto < 2; proto++)
			if (g->now[proto])
				take_part(m, &g->part[family][proto], g->now[proto],
					  s->lo, region_end(r, i));
		g->now[0] = g->now[1] = NULL;
	}
}

/* --- sets -------------------------------------------------------------------------- */

static void add_name(struct buf *b, const struct group *g, unsigned family, char kind)
{
	buf_printf(b, "%c%c_%u%s", kind, family ? '6' : '4', g->rule,
		   g->accept ? "" : "r");
}

/*
 * The kinds of a set: 'a' addresses, for both protocols; 's' (tcp) and 'd' (udp) addresses
 * for one of them; 't' and 'u' pairs of an address and a port.
 */
static bool is_pair(char kind)
{
	return kind == 't' || kind == 'u';
}

static void begin_set(struct maker *m, const struct group *g, unsigned family, char kind,
		      bool interval)
{
	const char *type = family ? "ipv6_addr" : "ipv4_addr";

	doc_command(&m->doc, "set", doc_element_cost());
	buf_z(m->doc.out, "\"table\":\"" PB_NFT_TABLE "\",\"name\":\"");
	add_name(m->doc.out, g, family, kind);
	if (is_pair(kind))
		buf_printf(m->doc.out, "\",\"type\":[\"%s\",\"inet_service\"]", type);
	else
		buf_printf(m->doc.out, "\",\"type\":\"%s\"", type);
	if (interval)
		buf_z(m->doc.out, ",\"flags\":[\"interval\"]");
	buf_z(m->doc.out, ",\"elem\":[");
}

/*
 * Adds one more element of a set: in the command that makes the set, or in a later
 * document if this one would grow too long.  (libnftables sends the elements of a
 * second command in the same document twice.)
 */
static void next_element(struct maker *m, const struct group *g, unsigned family,
			 char kind, bool first)
{
	if (doc_element(&m->doc, first)) {
		buf_z(m->doc.out, first ? "" : ",");
		return;
	}
	buf_ch(m->doc.out, ']');
	doc_end_command(&m->doc);
	doc_close(&m->doc);
	doc_command(&m->doc, "element", doc_element_cost() + 128);
	buf_z(m->doc.out, "\"table\":\"" PB_NFT_TABLE "\",\"name\":\"");
	add_name(m->doc.out, g, family, kind);
	buf_z(m->doc.out, "\",\"elem\":[");
}

static void end_elements(struct maker *m)
{
	buf_ch(m->doc.out, ']');
	doc_end_command(&m->doc);
}

static void address_set(struct maker *m, const struct group *g, unsigned family,
			const struct part *p, char kind)
{
	bool interval = false;

	for (size_t i = 0; i < p->pieces.n; i++)
		interval |= p->pieces.v[i].lo != p->pieces.v[i].hi;
	begin_set(m, g, family, kind, interval);
	for (size_t i = 0; i < p->pieces.n; i++) {
		next_element(m, g, family, kind, i == 0);
		doc_addresses(m->doc.out, p->pieces.v[i].lo, p->pieces.v[i].hi, family);
	}
	end_elements(m);
}

/* Every address with every range of ports that it has there. */
static void pair_set(struct maker *m, const struct group *g, unsigned family,
		     const struct part *p, char kind)
{
	bool first = true;

	begin_set(m, g, family, kind, true);
	for (size_t i = 0; i < p->pieces.n; i++) {
		const struct ranges *r = p->sigs.v[p->pieces.v[i].sig];

		for (size_t k = 0; k < r->v.n; k++) {
			next_element(m, g, family, kind, first);
			first = false;
			buf_z(m->doc.out, "{\"concat\":[");
			doc_addresses(m->doc.out, p->pieces.v[i].lo, p->pieces.v[i].hi,
				      family);
			buf_ch(m->doc.out, ',');
			doc_range(m->doc.out, r->v.v[k]);
			buf_z(m->doc.out, "]}");
		}
	}
	end_elements(m);
}

/* --- rules ------------------------------------------------------------------------- */

/* Does the part hold all addresses of its family? */
static bool is_whole(const struct part *p, unsigned family)
{
	if (family == 0)
		return p->pieces.n == 1 && p->pieces.v[0].lo == REGION_V4_LO &&
		       p->pieces.v[0].hi == REGION_V4_HI;
	return p->pieces.n == 2 && p->pieces.v[0].lo == 0 &&
	       p->pieces.v[0].hi == REGION_V4_LO - 1 &&
	       p->pieces.v[1].lo == REGION_V4_HI + 1 &&
	       p->pieces.v[1].hi == ~(region_addr)0;
}

static void match_set(struct maker *m, const struct group *g, unsigned family, char kind,
		      unsigned proto)
{
	struct buf *b = m->doc.out;

	buf_z(b, "{\"match\":{\"op\":\"==\",\"left\":");
	if (is_pair(kind))
		buf_z(b, "{\"concat\":[");
	doc_payload(b, family ? "ip6" : "ip", "daddr");
	if (is_pair(kind)) {
		buf_ch(b, ',');
		doc_payload(b, doc_protocol(proto), "dport");
		buf_z(b, "]}");
	}
	buf_z(b, ",\"right\":\"@");
	add_name(b, g, family, kind);
	buf_z(b, "\"}},");
}

/* Has every address the same few ports? */
static bool is_uniform(const struct part *p)
{
	return p->sigs.n == 1 && p->sigs.v[0]->v.n <= DOC_MAX_PORTS;
}

/* Do the rules of this part need a set of addresses? */
static bool needs_addresses(const struct part *p, unsigned family)
{
	return is_uniform(p) && !is_whole(p, family) && p->pieces.n > 1;
}

static bool same_addresses(const struct part *x, const struct part *y)
{
	if (x->pieces.n != y->pieces.n)
		return false;
	for (size_t i = 0; i < x->pieces.n; i++)
		if (x->pieces.v[i].lo != y->pieces.v[i].lo ||
		    x->pieces.v[i].hi != y->pieces.v[i].hi)
			return false;
	return true;
}

static void part_rule(struct maker *m, const struct group *g, unsigned family,
		      unsigned proto, char kind)
{
	const struct part *p = &g->part[family][proto];
	struct str comment = g->rule < m->ir->rules.n ? ruleset_comment(m->ir, g->rule) :
							STR(COARSE_COMMENT);
	const struct ranges *r = is_uniform(p) ? p->sigs.v[0] : NULL;

	doc_rule(&m->doc, PB_NFT_CHAIN, comment, r ? r->v.n : 0);
	if (r && is_whole(p, family))
		doc_meta(m->doc.out, "nfproto", family ? "ipv6" : "ipv4");
	else if (r && p->pieces.n == 1)
		doc_daddr(m->doc.out, "==", p->pieces.v[0].lo, p->pieces.v[0].hi, family);
	else
		match_set(m, g, family, kind, proto);
	if (r)
		doc_ports(m->doc.out, proto, r->v.v, r->v.n);
	doc_verdict(&m->doc, g->accept, proto, comment);
}

static void group_rules(struct maker *m, const struct group *g, unsigned family)
{
	const struct part *p = g->part[family];
	bool both = needs_addresses(&p[0], family) && needs_addresses(&p[1], family) &&
		    same_addresses(&p[0], &p[1]);

	if (both)
		address_set(m, g, family, &p[0], 'a');
	for (unsigned k = 0; k < 2; k++) {
		char kind = both ? 'a' : k ? 'd' : 's';

		if (!p[k].pieces.n)
			continue;
		if (!is_uniform(&p[k])) {
			kind = k ? 'u' : 't';
			pair_set(m, g, family, &p[k], kind);
		} else if (!both && needs_addresses(&p[k], family)) {
			address_set(m, g, family, &p[k], kind);
		}
		part_rule(m, g, family, k, kind);
	}
}

/* --- the whole ------------------------------------------------------------------------ */

static void first_document(struct maker *m)
{
	struct doc *d = &m->doc;

	doc_command(d, "table", 64);
	buf_z(d->out, "\"name\":\"" PB_NFT_TABLE "\"");
	doc_end_command(d);
	doc_command(d, "chain", 256);
	buf_printf(d->out, "\"table\":\"" PB_NFT_TABLE "\",\"name\":\"" PB_NFT_CHAIN
		   "\",\"type\":\"filter\",\"hook\":\"output\",\"prio\":%d,"
		   "\"policy\":\"drop\"", PB_NFT_PRIO);
	doc_end_command(d);
	doc_command(d, "chain", 256);
	buf_printf(d->out, "\"table\":\"" PB_NFT_TABLE "\",\"name\":\"" PB_NFT_NAT
		   "\",\"type\":\"nat\",\"hook\":\"output\",\"prio\":%d,"
		   "\"policy\":\"accept\"", PB_NFT_NAT_PRIO);
	doc_end_command(d);
	/* replies, and errors about packets that were accepted */
	doc_rule(d, PB_NFT_CHAIN, STR(RULESET_REPLIES), 0);
	buf_z(d->out, "{\"match\":{\"op\":\"in\",\"left\":{\"ct\":{\"key\":\"state\"}},"
		      "\"right\":[\"established\",\"related\"]}},{\"accept\":null}]");
	doc_end_command(d);
}

static struct str scalar_comment(const struct maker *m, enum ir_scalar_id s)
{
	return ruleset_comment(m->ir, bk_rule_of_scalar(m->ir, s));
}

/*
 * The rules for what no rule of the policy decides: the loopback, then the rest.  No
 * datagram leaves; where the policy would let one, the mode is what stops it.
 */
static void last_rules(struct maker *m)
{
	enum ir_scalar_id s;
	enum ir_effect e = region_otherwise(m->ir, &s);
	struct str mode = scalar_comment(m, IR_S_NET_MODE), rest = scalar_comment(m, s);

	for (unsigned k = 0; k < 2; k++)
		for (unsigned family = 0; family < 2; family++) {
			doc_rule(&m->doc, PB_NFT_CHAIN, e == IR_ALLOW ? rest : mode, 0);
			gateway_loopback(m->doc.out, "==", family);
			doc_meta(m->doc.out, "l4proto", doc_protocol(k));
			doc_verdict(&m->doc, true, k, rest);
		}
	doc_rule(&m->doc, PB_NFT_CHAIN, rest, 0);
	doc_meta(m->doc.out, "l4proto", doc_protocol(0));
	doc_verdict(&m->doc, e <= IR_ASK, 0, rest);
	rest = e <= IR_ASK ? mode : rest;
	doc_rule(&m->doc, PB_NFT_CHAIN, rest, 0);
	doc_meta(m->doc.out, "l4proto", doc_protocol(1));
	doc_verdict(&m->doc, false, 1, rest);
}

void ruleset_json(struct buf *out, const struct ir *ir, const struct region *r)
{
	struct maker m = { .ir = ir, .a = out->a, .doc = { .out = out } };

	for (unsigned k = 0; k < 2; k++)
		m.of[k] = arena_array(m.a, ir->rules.n + 1, sizeof(struct group *));
	for (size_t i = 0; i < r->slabs.n; i++)
		take_slab(&m, r, i);
	first_document(&m);
	gateway_rules(&m.doc, r);
	/* in the order of the policy, not in the order of the addresses */
	for (size_t i = 0; i <= ir->rules.n; i++)
		for (unsigned k = 0; k < 4; k++)
			if (m.of[k / 2][i])
				group_rules(&m, m.of[k / 2][i], k % 2);
	last_rules(&m);
	gateway_redirects(&m.doc, r);
	doc_close(&m.doc);
}
