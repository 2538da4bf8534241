/*
 * Decides which sets and rules a statement becomes.  Where all addresses of the
 * statement have the same ports: one set of addresses and a match of ports.  A
 * single block or range stands in the rule without a set, since a set costs the
 * kernel more than a rule.  Otherwise: one set of (address, port) pairs.  What no
 * rule decides reaches the last rules, those of `otherwise`.  What is neither tcp
 * nor udp is dropped by the chain.
 */
#include "compiler/backend/nft/ruleset.h"

#include <arpa/inet.h>
#include <stdlib.h>

#include "compiler/backend/common/util.h"
#include "compiler/base/json_buf.h"

/*
 * Bytes of netlink messages, estimated high: 24 to 72 for an element, about 700 for
 * a rule with everything.  A document stays well below PB_NFT_TRANSACTION.
 */
#define COST_LIMIT (150u * 1024)
#define COST_ELEMENT 96u
#define COST_RULE 1024u
#define COST_PORT 96u
/* More ports than this go into a named set, which can be spread over documents. */
#define MAX_INLINE_PORTS 256u

struct range {
	uint16_t lo, hi;
};

/* The ports of one statement in one slab. */
struct ranges {
	VEC(struct range) v;
};

struct piece {
	region_addr lo, hi;
	uint32_t sig; /* index into `sigs`: the ports of this piece */
};

struct sig {
	const struct ranges *of[2]; /* tcp, udp */
};

/* One statement in one family. */
struct part {
	VEC(struct piece) pieces; /* ascending, without overlaps */
	VEC(struct sig) sigs;
	struct map seen; /* sigs, keyed by their bytes */
};

struct group {
	uint32_t rule; /* the first rule of the statement */
	enum ir_effect effect;
	struct part part[2]; /* v4, v6 */
	struct ranges *now[2]; /* of the current slab */
};

struct maker {
	const struct ir *ir;
	struct arena *a;
	struct group **of; /* by the first rule of the statement */
	VEC(struct group *) groups;
	VEC(struct group *) touched; /* in the current slab */
	struct buf *out;
	size_t cost;     /* of the open document */
	bool is_open, first;
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

static struct group *group_of(struct maker *m, uint32_t rule, enum ir_effect effect)
{
	uint32_t first = region_statement(m->ir, rule);
	struct group *g = m->of[first];

	if (!g) {
		g = ARENA_NEW(m->a, struct group);
		g->rule = first;
		g->effect = effect;
		map_init(&g->part[0].seen, m->a);
		map_init(&g->part[1].seen, m->a);
		m->of[first] = g;
		VEC_PUSH(m->a, &m->groups, g);
	}
	return g;
}

static void take_ports(struct maker *m, const struct region_list *l, unsigned proto)
{
	uint16_t lo = 0;

	for (size_t i = 0; i < l->n; i++) {
		struct range r = { lo, l->v[i].hi };
		struct group *g;

		lo = (uint16_t)(r.hi + 1);
		if (l->v[i].rule >= m->ir->rules.n)
			continue; /* the last rules decide it */
		g = group_of(m, l->v[i].rule, l->v[i].effect);
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

static uint32_t sig_of(struct maker *m, struct part *p, const struct group *g)
{
	struct sig sig = { { g->now[0], g->now[1] } };
	struct buf key;
	uint32_t *at;

	buf_init(&key, m->a);
	for (unsigned k = 0; k < 2; k++) {
		buf_u32(&key, sig.of[k] ? (uint32_t)sig.of[k]->v.n : 0);
		if (sig.of[k])
			buf_add(&key, sig.of[k]->v.v,
				sig.of[k]->v.n * sizeof(*sig.of[k]->v.v));
	}
	at = map_get(&p->seen, buf_view(&key));
	if (!at) {
		at = ARENA_NEW(m->a, uint32_t);
		*at = (uint32_t)p->sigs.n;
		VEC_PUSH(m->a, &p->sigs, sig);
		(void)map_put(&p->seen, buf_view(&key), at);
	}
	return *at;
}

static void take_slab(struct maker *m, const struct region *r, size_t i)
{
	const struct region_slab *s = &r->slabs.v[i];
	unsigned family = s->lo >= REGION_V4_LO && s->lo <= REGION_V4_HI ? 0 : 1;

	m->touched.n = 0;
	for (unsigned k = 0; k < 2; k++)
		take_ports(m, &r->lists.v[s->list[k]], k);
	for (size_t k = 0; k < m->touched.n; k++) {
		struct group *g = m->touched.v[k];
		struct part *p = &g->part[family];
		struct piece piece = { s->lo, region_end(r, i), sig_of(m, p, g) };
		struct piece *last = p->pieces.n ? VEC_LAST(&p->pieces) : NULL;

		if (last && last->sig == piece.sig && last->hi + 1 == piece.lo)
			last->hi = piece.hi;
		else
			VEC_PUSH(m->a, &p->pieces, piece);
		g->now[0] = g->now[1] = NULL;
	}
}

/* --- commands and documents -------------------------------------------------------- */

static void close_document(struct maker *m)
{
	if (m->is_open)
		buf_z(m->out, "]}\n");
	m->is_open = false;
	m->cost = 0;
}

/* Begins a command of about `cost` bytes of messages.  Opens a new document if the
 * current one would grow too long. */
static void command(struct maker *m, const char *object, size_t cost)
{
	if (m->is_open && m->cost + cost > COST_LIMIT)
		close_document(m);
	buf_z(m->out, m->is_open ? "," : "{\"nftables\":[");
	buf_printf(m->out, "{\"add\":{\"%s\":{\"family\":\"inet\",", object);
	m->is_open = true;
	m->cost += cost;
}

static void end_command(struct maker *m)
{
	buf_z(m->out, "}}}");
}

static void add_address(struct buf *b, region_addr a, bool v6)
{
	char text[INET6_ADDRSTRLEN];
	uint8_t bytes[16];

	region_bytes(a, bytes);
	(void)inet_ntop(v6 ? AF_INET6 : AF_INET, v6 ? bytes : bytes + 12, text,
			sizeof(text));
	buf_printf(b, "\"%s\"", text);
}

/* Writes them as libnftables lists them: an address, a block, or a range. */
static void add_addresses(struct buf *b, region_addr lo, region_addr hi, bool v6)
{
	region_addr size = hi - lo; /* number of addresses less one */
	unsigned len = v6 ? 128 : 32;

	if (lo == hi) {
		add_address(b, lo, v6);
		return;
	}
	if ((size & (size + 1)) == 0 && (lo & size) == 0) {
		for (; size; size >>= 1)
			len--;
		buf_z(b, "{\"prefix\":{\"addr\":");
		add_address(b, lo, v6);
		buf_printf(b, ",\"len\":%u}}", len);
		return;
	}
	buf_z(b, "{\"range\":[");
	add_address(b, lo, v6);
	buf_ch(b, ',');
	add_address(b, hi, v6);
	buf_z(b, "]}");
}

static void add_range(struct buf *b, struct range r)
{
	if (r.lo == r.hi)
		buf_printf(b, "%u", r.lo);
	else
		buf_printf(b, "{\"range\":[%u,%u]}", r.lo, r.hi);
}

static void add_name(struct buf *b, const struct group *g, unsigned family, char kind)
{
	buf_printf(b, "%c%c_%u", kind, family ? '6' : '4', g->rule);
}

/* --- sets --------------------------------------------------------------------------- */

static void begin_set(struct maker *m, const struct group *g, unsigned family, char kind,
		      bool interval)
{
	const char *type = family ? "ipv6_addr" : "ipv4_addr";

	command(m, "set", COST_ELEMENT);
	buf_z(m->out, "\"table\":\"" PB_NFT_TABLE "\",\"name\":\"");
	add_name(m->out, g, family, kind);
	if (kind == 'a')
		buf_printf(m->out, "\",\"type\":\"%s\"", type);
	else
		buf_printf(m->out, "\",\"type\":[\"%s\",\"inet_service\"]", type);
	if (interval)
		buf_z(m->out, ",\"flags\":[\"interval\"]");
	buf_z(m->out, ",\"elem\":[");
}

/*
 * Adds one more element of a set: in the command that makes the set, or in a later
 * document if this one would grow too long.  (libnftables sends the elements of a
 * second command in the same document twice.)
 */
static void next_element(struct maker *m, const struct group *g, unsigned family,
			 char kind, bool first)
{
	if (first || m->cost + COST_ELEMENT <= COST_LIMIT) {
		m->cost += COST_ELEMENT;
		buf_z(m->out, first ? "" : ",");
		return;
	}
	buf_ch(m->out, ']');
	end_command(m);
	close_document(m);
	command(m, "element", COST_ELEMENT + 128);
	buf_z(m->out, "\"table\":\"" PB_NFT_TABLE "\",\"name\":\"");
	add_name(m->out, g, family, kind);
	buf_z(m->out, "\",\"elem\":[");
}

static void end_elements(struct maker *m)
{
	buf_ch(m->out, ']');
	end_command(m);
}

static void address_set(struct maker *m, const struct group *g, unsigned family)
{
	const struct part *p = &g->part[family];
	bool interval = false;

	for (size_t i = 0; i < p->pieces.n; i++)
		interval |= p->pieces.v[i].lo != p->pieces.v[i].hi;
	begin_set(m, g, family, 'a', interval);
	for (size_t i = 0; i < p->pieces.n; i++) {
		next_element(m, g, family, 'a', i == 0);
		add_addresses(m->out, p->pieces.v[i].lo, p->pieces.v[i].hi, family);
	}
	end_elements(m);
}

static bool has_ports(const struct part *p, unsigned proto)
{
	for (size_t i = 0; i < p->sigs.n; i++)
		if (p->sigs.v[i].of[proto])
			return true;
	return false;
}

/* Every address with every range of ports that it has there. */
static void pair_set(struct maker *m, const struct group *g, unsigned family,
		     unsigned proto)
{
	const struct part *p = &g->part[family];
	char kind = proto ? 'u' : 't';
	bool first = true;

	begin_set(m, g, family, kind, true);
	for (size_t i = 0; i < p->pieces.n; i++) {
		const struct ranges *r = p->sigs.v[p->pieces.v[i].sig].of[proto];

		for (size_t k = 0; r && k < r->v.n; k++) {
			next_element(m, g, family, kind, first);
			first = false;
			buf_z(m->out, "{\"concat\":[");
			add_addresses(m->out, p->pieces.v[i].lo, p->pieces.v[i].hi,
				      family);
			buf_ch(m->out, ',');
			add_range(m->out, r->v.v[k]);
			buf_z(m->out, "]}");
		}
	}
	end_elements(m);
}

/* --- rules ----------------------------------------------------------------------------- */

static const char *const protocols[2] = { "tcp", "udp" };

static void begin_rule(struct maker *m, struct str comment, size_t cost)
{
	command(m, "rule", COST_RULE + cost);
	buf_z(m->out, "\"table\":\"" PB_NFT_TABLE "\",\"chain\":\"" PB_NFT_CHAIN
		      "\",\"comment\":");
	buf_json(m->out, comment);
	buf_z(m->out, ",\"expr\":[");
}

static void match_meta(struct buf *b, const char *key, const char *value)
{
	buf_printf(b, "{\"match\":{\"op\":\"==\",\"left\":{\"meta\":{\"key\":\"%s\"}},"
		      "\"right\":\"%s\"}},", key, value);
}

static void payload(struct buf *b, const char *protocol, const char *field)
{
	buf_printf(b, "{\"payload\":{\"protocol\":\"%s\",\"field\":\"%s\"}}", protocol,
		   field);
}

static void match_ports(struct buf *b, unsigned proto, const struct ranges *r)
{
	if (r->v.n == 1 && r->v.v[0].lo == 0 && r->v.v[0].hi == UINT16_MAX) {
		match_meta(b, "l4proto", protocols[proto]);
		return;
	}
	buf_z(b, "{\"match\":{\"op\":\"==\",\"left\":");
	payload(b, protocols[proto], "dport");
	buf_z(b, ",\"right\":");
	if (r->v.n > 1)
		buf_z(b, "{\"set\":[");
	for (size_t i = 0; i < r->v.n; i++) {
		if (i)
			buf_ch(b, ',');
		add_range(b, r->v.v[i]);
	}
	buf_z(b, r->v.n > 1 ? "]}}}," : "}},");
}

/* A denial names its rule, and the kernel rejects at once so that the caller sees it. */
static void verdict(struct maker *m, enum ir_effect effect, unsigned proto,
		    struct str comment)
{
	struct buf *b = m->out;

	if (effect == IR_ALLOW) {
		buf_z(b, "{\"counter\":null},{\"accept\":null}]");
	} else {
		buf_z(b, "{\"log\":{\"prefix\":");
		buf_json(b, comment);
		buf_printf(b, ",\"group\":%u}},{\"counter\":null},{\"reject\":{", PB_NFT_GROUP);
		buf_z(b, proto == 0 ? "\"type\":\"tcp reset\"}}]" :
				      "\"type\":\"icmpx\",\"expr\":\"admin-prohibited\"}}]");
	}
	end_command(m);
}

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
	struct buf *b = m->out;

	buf_z(b, "{\"match\":{\"op\":\"==\",\"left\":");
	if (kind != 'a')
		buf_z(b, "{\"concat\":[");
	payload(b, family ? "ip6" : "ip", "daddr");
	if (kind != 'a') {
		buf_ch(b, ',');
		payload(b, protocols[proto], "dport");
		buf_z(b, "]}");
	}
	buf_z(b, ",\"right\":\"@");
	add_name(b, g, family, kind);
	buf_z(b, "\"}},");
}

/* Has every address the same few ports? */
static bool is_uniform(const struct part *p)
{
	if (p->sigs.n != 1)
		return false;
	for (unsigned k = 0; k < 2; k++)
		if (p->sigs.v[0].of[k] && p->sigs.v[0].of[k]->v.n > MAX_INLINE_PORTS)
			return false;
	return true;
}

static void match_block(struct buf *b, const struct piece *p, unsigned family)
{
	buf_z(b, "{\"match\":{\"op\":\"==\",\"left\":");
	payload(b, family ? "ip6" : "ip", "daddr");
	buf_z(b, ",\"right\":");
	add_addresses(b, p->lo, p->hi, family);
	buf_z(b, "}},");
}

static void group_rules(struct maker *m, const struct group *g, unsigned family)
{
	const struct part *p = &g->part[family];
	struct str comment = ruleset_comment(m->ir, g->rule);
	bool one = is_uniform(p), whole = one && is_whole(p, family);
	bool single = one && !whole && p->pieces.n == 1;

	if (!p->pieces.n)
		return;
	if (one && !whole && !single)
		address_set(m, g, family);
	for (unsigned k = 0; k < 2; k++) {
		const struct ranges *r = one ? p->sigs.v[0].of[k] : NULL;

		if (!has_ports(p, k))
			continue;
		if (!one)
			pair_set(m, g, family, k);
		begin_rule(m, comment, r ? r->v.n * COST_PORT : 0);
		if (whole)
			match_meta(m->out, "nfproto", family ? "ipv6" : "ipv4");
		else if (single)
			match_block(m->out, &p->pieces.v[0], family);
		else
			match_set(m, g, family, one ? 'a' : k ? 'u' : 't', k);
		if (one)
			match_ports(m->out, k, r);
		verdict(m, g->effect, k, comment);
	}
}

static void first_document(struct maker *m)
{
	command(m, "table", 64);
	buf_z(m->out, "\"name\":\"" PB_NFT_TABLE "\"");
	end_command(m);
	command(m, "chain", 256);
	buf_z(m->out, "\"table\":\"" PB_NFT_TABLE "\",\"name\":\"" PB_NFT_CHAIN
		      "\",\"type\":\"filter\",\"hook\":\"output\",\"prio\":0,"
		      "\"policy\":\"drop\"");
	end_command(m);
	/* replies, and errors about packets that were accepted */
	begin_rule(m, STR("established"), 0);
	buf_z(m->out, "{\"match\":{\"op\":\"in\",\"left\":{\"ct\":{\"key\":\"state\"}},"
		      "\"right\":[\"established\",\"related\"]}},{\"accept\":null}]");
	end_command(m);
}

/* The rules for what no rule of the policy decides. */
static void last_rules(struct maker *m)
{
	const struct ir_scalar *s = &m->ir->scalars[IR_S_NET_OTHERWISE];
	struct str comment =
		ruleset_comment(m->ir, bk_rule_of_scalar(m->ir, IR_S_NET_OTHERWISE));

	for (unsigned k = 0; k < 2; k++) {
		begin_rule(m, comment, 0);
		match_meta(m->out, "l4proto", protocols[k]);
		verdict(m, s->effect, k, comment);
	}
}

void ruleset_json(struct buf *out, const struct ir *ir, const struct region *r)
{
	struct maker m = { .ir = ir, .a = out->a, .out = out };

	m.of = arena_array(m.a, ir->rules.n + 1, sizeof(struct group *));
	for (size_t i = 0; i < r->slabs.n; i++)
		take_slab(&m, r, i);
	first_document(&m);
	/* in the order of the policy, not in the order of the addresses */
	for (size_t i = 0; i < ir->rules.n; i++)
		for (unsigned family = 0; m.of[i] && family < 2; family++)
			group_rules(&m, m.of[i], family);
	last_rules(&m);
	close_document(&m);
}
