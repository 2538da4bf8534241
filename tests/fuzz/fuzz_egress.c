/*
 * egress.bin, which polgate and polinject read: behind one byte that sets the number of rules, the
 * member itself.  What is accepted decides every name, address and port as a plain walk over
 * its tables does, and gives each name an address of the pool of its class, and no other one's.
 */
#include "runtime/bundle/check.h"
#include "runtime/decide/egress.h"
#include "runtime/egress/names.h"
#include "runtime/egress/reach.h"
#include "tests/fuzz/law.h"

enum { LOOKED_AT = 64 }; /* entries of a table: names_init() has enough to do */

static const uint16_t ports[] = { 0, 1, 22, 53, 80, 443, 8080, 65535 };

/* --- the plain walk ------------------------------------------------------------------ */

static const struct pb_piece *walk_list(const struct pb_egress *e, uint32_t list, uint16_t port)
{
	const struct pb_ports *l = pb_at(e, e->lists, sizeof(*l), list);

	for (uint32_t i = l->first; i < l->first + l->count; i++) {
		const struct pb_piece *p = pb_at(e, e->pieces, sizeof(*p), i);

		if (port <= p->hi)
			return p;
	}
	return NULL;
}

enum walked { WALK_TCP, WALK_UDP, WALK_REACHED };

static const struct pb_piece *walk_addr(const struct pb_egress *e, const uint8_t addr[16],
					enum walked list, uint16_t port)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	bool four = memcmp(addr, mapped, sizeof(mapped)) == 0;
	uint32_t in = UINT32_MAX, n = four ? e->slabs4.count : e->slabs.count;
	const struct pb_pair *pair;

	for (uint32_t i = 0; i < n; i++) {
		const struct pb_slab *s = pb_at(e, e->slabs, sizeof(*s), i);
		const struct pb_slab4 *s4 = pb_at(e, e->slabs4, sizeof(*s4), i);
		uint8_t lo[4];

		if (!four) {
			in = memcmp(s->lo, addr, sizeof(s->lo)) <= 0 ? s->pair : in;
			continue;
		}
		for (unsigned k = 0; k < 4; k++)
			lo[k] = (uint8_t)(s4->lo >> (24 - 8 * k));
		in = memcmp(lo, addr + 12, sizeof(lo)) <= 0 ? s4->pair : in;
	}
	if (in == UINT32_MAX)
		return NULL;
	pair = pb_at(e, e->pairs, sizeof(*pair), in);
	return walk_list(e, list == WALK_REACHED ? pair->reached :
			    list == WALK_UDP     ? pair->udp : pair->tcp, port);
}

/* The exact entry, else the longest below whose name is followed by nothing. */
static const struct pb_host *walk_hosts(const struct pb_egress *e, const char *name, size_t n)
{
	const struct pb_host *best = NULL;

	for (uint32_t i = 0; i < e->hosts.count; i++) {
		const struct pb_host *h = pb_at(e, e->hosts, sizeof(*h), i);
		const char *text = pb_strp(e, h->name);
		size_t len = h->name.len;

		if (!h->below && len == n && memcmp(text, name, n) == 0)
			return h;
		if (h->below && n > len + 1 && name[n - len - 1] == '.' &&
		    memcmp(name + n - len, text, len) == 0 && (!best || len > best->name.len))
			best = h;
	}
	return best;
}

/* --- the laws -------------------------------------------------------------------------- */

static void law_piece(const struct pb_egress *e, const struct pb_piece *got,
		      const struct pb_piece *want, uint32_t nrules)
{
	const struct pb_grant *g;

	LAW(got == want && got->effect <= PB_DENY && got->rule < nrules);
	g = egress_grant(e, got);
	LAW(g == pb_at(e, e->grants, sizeof(*g), got->grant));
	LAW(g->peek < PB_PEEK_COUNT && (!g->header.len || g->secret.len));
	for (uint32_t i = 0; i < g->within_count && i < LOOKED_AT; i++) {
		const struct pb_range *r = pb_at(e, e->ranges, sizeof(*r), g->within_first + i);

		LAW(egress_within(e, g, r->lo) && egress_within(e, g, r->hi));
	}
}

/* Where a name leads to this address: what neither the guard nor the rules about it refuse is
 * dialled, and nothing else. */
static void law_reached(const struct pb_egress *e, const struct reach_policy *p,
			const struct reach *direct, const uint8_t addr[16], uint16_t port)
{
	const struct pb_piece *piece = egress_reached(e, addr, port);
	struct reach r = *direct;
	struct reach_address a;

	r.name = "a.example";
	reach_address(p, &r, addr, port, &a);
	LAW(a.effect <= PB_DENY);
	if (a.effect != PB_ALLOW)
		return;
	LAW(piece->effect == PB_ALLOW || piece->rule == p->otherwise_rule);
	LAW(!names_is_pool(addr));
	LAW(guard_ask(p->guard, addr) == GUARD_PUBLIC || egress_within(e, r.grant, addr));
}

/* An address, and the one before it. */
static void law_address(const struct pb_egress *e, const struct reach_policy *p, uint32_t nrules,
			const uint8_t lo[16])
{
	uint8_t addr[2][16];

	memcpy(addr[0], lo, 16);
	memcpy(addr[1], lo, 16);
	for (int k = 15; k >= 0 && addr[1][k]-- == 0; k--)
		;
	for (int k = 0; k < 2; k++)
		for (size_t q = 0; q < sizeof(ports) / sizeof(ports[0]); q++) {
			struct reach r;

			law_piece(e, egress_addr(e, addr[k], q & 1, ports[q]),
				  walk_addr(e, addr[k], q & 1 ? WALK_UDP : WALK_TCP, ports[q]),
				  nrules);
			law_piece(e, egress_reached(e, addr[k], ports[q]),
				  walk_addr(e, addr[k], WALK_REACHED, ports[q]), nrules);
			reach_decide(p, addr[k], ports[q], &r);
			LAW(r.effect <= PB_DENY && r.grant);
			law_reached(e, p, &r, addr[k], ports[q]);
		}
}

static void law_addresses(const struct pb_egress *e, const struct reach_policy *p, uint32_t nrules)
{
	for (uint32_t i = 0; i < e->slabs.count && i < LOOKED_AT; i++) {
		const struct pb_slab *s = pb_at(e, e->slabs, sizeof(*s), i);

		law_address(e, p, nrules, s->lo);
	}
	for (uint32_t i = 0; i < e->slabs4.count && i < LOOKED_AT; i++) {
		const struct pb_slab4 *s = pb_at(e, e->slabs4, sizeof(*s), i);
		uint8_t lo[16] = { [10] = 0xff, [11] = 0xff };

		for (unsigned k = 0; k < 4; k++)
			lo[12 + k] = (uint8_t)(s->lo >> (24 - 8 * k));
		law_address(e, p, nrules, lo);
	}
}

static void law_name(const struct pb_egress *e, struct names *names, const struct reach_policy *p,
		     const char *name, size_t n, uint32_t nrules)
{
	const struct pb_host *h = walk_hosts(e, name, n);
	uint32_t class_ = egress_class(e, name, n), index = 0, again = 0;
	const struct pb_pool *pool = egress_pool(e, class_);
	const struct pb_class *c = pb_at(e, e->classes, sizeof(*c), class_);
	uint8_t addr[16];
	struct reach r;
	int given;

	LAW(egress_host(e, name, n) == h && class_ == (h ? h->class_ : e->other_class));
	for (size_t q = 0; q < sizeof(ports) / sizeof(ports[0]); q++)
		law_piece(e, egress_name(e, class_, q & 1, ports[q]),
			  walk_list(e, q & 1 ? c->udp : c->tcp, ports[q]), nrules);
	given = names_give(names, name, n, &index);
	if (given < 0 || index == 0)
		return;
	LAW(pool && index >= pool->first && index < pool->first + pool->count);
	LAW(names_give(names, name, n, &again) == 0 && again == index);
	LAW(strlen(names_at(names, index)->name) == n &&
	    memcmp(names_at(names, index)->name, name, n) == 0);
	names_v6(index, addr);
	LAW(names_is_pool(addr) && egress_index(addr) == index);
	reach_decide(p, addr, 443, &r);
	LAW(r.name == names_at(names, index)->name &&
	    r.rule == egress_name(e, class_, false, 443)->rule);
}

static void law_names(const struct pb_egress *e, struct names *names, const struct reach_policy *p,
		      uint32_t nrules)
{
	for (uint32_t i = 0; i < e->hosts.count && i < LOOKED_AT; i++) {
		const struct pb_host *h = pb_at(e, e->hosts, sizeof(*h), i);
		char name[EGRESS_NAME_MAX + 1];
		size_t n = h->name.len;

		/* what DNS asks for has at most so many bytes */
		memcpy(name, pb_strp(e, h->name), n);
		law_name(e, names, p, name, n, nrules);
		if (n + 4 > EGRESS_NAME_MAX)
			continue;
		memmove(name + 4, name, n);
		memcpy(name, "x.y.", 4);
		law_name(e, names, p, name, n + 4, nrules);
		law_name(e, names, p, name + 2, n + 2, nrules);
		/* a byte before it is another name */
		law_name(e, names, p, name + 3, n + 1, nrules);
	}
	law_name(e, names, p, "nobody.names.me", 15, nrules);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct guard guard = { 0 };
	struct rt_err err = { 0 };
	struct law_input in = law_begin(data, n);
	struct pb_egress *e = (void *)in.p;
	struct names names;
	const uint32_t nrules = in.choice;

	if (bundle_check_egress(e, in.n, nrules, &err) < 0) {
		LAW(err.text[0]);
	} else {
		const struct reach_policy p = { .egress = e, .names = &names, .guard = &guard };

		LAW(names_init(&names, e) == 0);
		guard.on = e->guard != 0;
		law_addresses(e, &p, nrules);
		law_names(e, &names, &p, nrules);
		names_release(&names);
	}
	law_end(&in);
	return 0;
}
