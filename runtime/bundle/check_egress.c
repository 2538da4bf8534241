/*
 * Checks egress.bin: the decision for every address, name, protocol and port, the pools of
 * synthetic addresses, and what is granted.
 */
#include <string.h>

#include "runtime/bundle/check.h"

#define MAX_SLABS (1024u * 1024)
#define MAX_PIECES (4u * 1024 * 1024)
#define MAX_HOSTS (1024u * 1024)
#define MAX_NAME 253u /* RFC 1035, without the dot at the end */

static const struct pb_egress *header(const struct check *c)
{
	return (const void *)c->data;
}

/* --- ports ------------------------------------------------------------------- */

static int check_pieces(const struct check *c, const struct pb_ports *l, uint32_t nrules)
{
	const struct pb_egress *h = header(c);
	const struct pb_piece *v = pb_at(c->data, h->pieces, sizeof(*v), 0);

	for (uint32_t i = l->first; i < l->first + l->count; i++) {
		if (v[i].effect > PB_DENY || v[i].free > 1 || v[i].zero ||
		    v[i].rule >= nrules)
			return check_bad(c, "a range of ports has an unknown effect or "
					    "rule");
		if (v[i].free && v[i].effect == PB_DENY)
			return check_bad(c, "a range of ports is denied and free");
		if (v[i].grant >= h->grants.count)
			return check_bad(c, "a range of ports has a grant that is not "
					    "there");
		if (i > l->first && v[i].hi <= v[i - 1].hi)
			return check_bad(c, "the ranges of ports do not ascend");
	}
	if (v[l->first + l->count - 1].hi != UINT16_MAX)
		return check_bad(c, "a list of ports ends early");
	return 0;
}

/* Each piece belongs to one list, so the check terminates. */
static int check_lists(const struct check *c, uint32_t nrules)
{
	const struct pb_egress *h = header(c);
	const struct pb_ports *v = pb_at(c->data, h->lists, sizeof(*v), 0);
	uint32_t next = 0;

	for (uint32_t i = 0; i < h->lists.count; i++) {
		if (v[i].first != next || v[i].count == 0 ||
		    v[i].count > h->pieces.count - next)
			return check_bad(c, "the lists of ports overlap or leave the "
					    "member");
		next += v[i].count;
		CHECK_TRY(check_pieces(c, &v[i], nrules));
	}
	return next == h->pieces.count ? 0 :
					 check_bad(c, "a range of ports has no list");
}

static int check_slabs(const struct check *c)
{
	static const uint8_t zero[16];
	const struct pb_egress *h = header(c);
	const struct pb_slab *v = pb_at(c->data, h->slabs, sizeof(*v), 0);

	if (h->slabs.count == 0 || memcmp(v[0].lo, zero, sizeof(zero)) != 0)
		return check_bad(c, "the first address is missing");
	for (uint32_t i = 0; i < h->slabs.count; i++) {
		if (v[i].pair >= h->pairs.count || v[i].zero)
			return check_bad(c, "an address range names no lists of ports");
		if (i > 0 && memcmp(v[i - 1].lo, v[i].lo, sizeof(v[i].lo)) >= 0)
			return check_bad(c, "the address ranges do not ascend");
	}
	return 0;
}

/* There may be very many, so that this loop is short. */
static int check_slabs4(const struct check *c)
{
	const struct pb_egress *h = header(c);
	const struct pb_slab4 *v = pb_at(c->data, h->slabs4, sizeof(*v), 0);
	uint32_t n = h->slabs4.count, pairs = h->pairs.count, last = 0;
	bool ascend = true, known = true;

	if (n == 0 || v[0].lo != 0)
		return check_bad(c, "the first v4 address is missing");
	for (uint32_t i = 0; i < n; i++) {
		known &= v[i].pair < pairs;
		ascend &= i == 0 || v[i].lo > last;
		last = v[i].lo;
	}
	if (!known)
		return check_bad(c, "a range of v4 addresses names no lists of ports");
	return ascend ? 0 : check_bad(c, "the ranges of v4 addresses do not ascend");
}

static int check_pairs(const struct check *c)
{
	const struct pb_egress *h = header(c);
	const struct pb_pair *v = pb_at(c->data, h->pairs, sizeof(*v), 0);

	for (uint32_t i = 0; i < h->pairs.count; i++)
		if (v[i].tcp >= h->lists.count || v[i].udp >= h->lists.count ||
		    v[i].reached >= h->lists.count || v[i].zero)
			return check_bad(c, "a pair of lists names none");
	return 0;
}

/* --- names --------------------------------------------------------------------- */

static bool is_name_byte(uint8_t b)
{
	return (b >= 'a' && b <= 'z') || (b >= '0' && b <= '9') || b == '-' || b == '_' ||
	       b == '.';
}

/* Ascending by the bytes, then the length, then `below`: so no entry is there twice. */
static bool is_before(const struct check *c, const struct pb_host *x,
		      const struct pb_host *y)
{
	uint32_t least = x->name.len < y->name.len ? x->name.len : y->name.len;
	int r = memcmp(c->data + x->name.off, c->data + y->name.off, least);

	if (r == 0 && x->name.len != y->name.len)
		r = x->name.len < y->name.len ? -1 : 1;
	return r < 0 || (r == 0 && x->below < y->below);
}

static int check_hosts(struct check *c)
{
	const struct pb_egress *h = header(c);
	const struct pb_host *v = pb_at(c->data, h->hosts, sizeof(*v), 0);

	for (uint32_t i = 0; i < h->hosts.count; i++) {
		CHECK_TRY(check_string(c, v[i].name, "a host name"));
		if (v[i].name.len == 0 || v[i].name.len > MAX_NAME)
			return check_bad(c, "a host name has no length that one has");
		for (uint32_t k = 0; k < v[i].name.len; k++)
			if (!is_name_byte(c->data[v[i].name.off + k]))
				return check_bad(c, "a host name holds another byte than "
						    "names do");
		if (v[i].below > 1 || v[i].class_ >= h->classes.count)
			return check_bad(c, "a host name has no class");
		if (i > 0 && !is_before(c, &v[i - 1], &v[i]))
			return check_bad(c, "the host names do not ascend");
	}
	return 0;
}

static int check_classes(const struct check *c)
{
	const struct pb_egress *h = header(c);
	const struct pb_class *v = pb_at(c->data, h->classes, sizeof(*v), 0);

	for (uint32_t i = 0; i < h->classes.count; i++)
		if (v[i].tcp >= h->lists.count || v[i].udp >= h->lists.count || v[i].zero ||
		    (v[i].pool >= h->pools.count && v[i].pool != PB_NO_POOL))
			return check_bad(c, "a class of names has no ports or no pool");
	return h->other_class < h->classes.count ?
		       0 : check_bad(c, "the class of all other names is missing");
}

static int check_pools(const struct check *c)
{
	const struct pb_egress *h = header(c);
	const struct pb_pool *v = pb_at(c->data, h->pools, sizeof(*v), 0);
	uint32_t next = 1;

	for (uint32_t i = 0; i < h->pools.count; i++) {
		if (v[i].first < next || v[i].first >= PB_POOL_SIZE || v[i].count == 0 ||
		    v[i].count > PB_POOL_SIZE - v[i].first)
			return check_bad(c, "the pools of addresses overlap or have "
					    "others than there are");
		next = v[i].first + v[i].count;
	}
	return 0;
}

/* --- grants --------------------------------------------------------------------- */

static bool is_only_within(const struct pb_grant *g)
{
	return !g->via.len && !g->via_secret.len && !g->header.len && !g->prefix.len &&
	       !g->secret.len && !g->bytes && !g->connections && g->peek == PB_PEEK_PORT;
}

static int check_grant(struct check *c, const struct pb_grant *g, uint32_t nrules)
{
	const struct pb_egress *h = header(c);

	CHECK_TRY(check_string(c, g->via, "a proxy"));
	CHECK_TRY(check_string(c, g->via_secret, "a proxy's secret"));
	CHECK_TRY(check_string(c, g->header, "a header"));
	CHECK_TRY(check_string(c, g->prefix, "a header's prefix"));
	CHECK_TRY(check_string(c, g->secret, "a secret"));
	if (g->within_first > h->ranges.count ||
	    g->within_count > h->ranges.count - g->within_first)
		return check_bad(c, "a grant names addresses that are not there");
	if (g->peek >= PB_PEEK_COUNT || g->zero || (g->dial && !g->header.len))
		return check_bad(c, "a grant has an unknown protocol");
	if (!g->header.len != !g->secret.len || (g->via_secret.len && !g->via.len))
		return check_bad(c, "a grant has a secret without a use, or none for it");
	if (g->bytes ? g->bytes_rule >= nrules : g->bytes_rule)
		return check_bad(c, "a limit of bytes is no rule's");
	if (g->connections ? g->connections_rule >= nrules : g->connections_rule)
		return check_bad(c, "a limit of connections is no rule's");
	return 0;
}

static int check_grants(struct check *c, uint32_t nrules)
{
	const struct pb_egress *h = header(c);
	const struct pb_grant *v = pb_at(c->data, h->grants, sizeof(*v), 0);
	const struct pb_range *r = pb_at(c->data, h->ranges, sizeof(*r), 0);

	for (uint32_t i = 0; i < h->ranges.count; i++)
		if (memcmp(r[i].lo, r[i].hi, sizeof(r[i].lo)) > 0)
			return check_bad(c, "a range of addresses ends early");
	if (h->grants.count == 0)
		return check_bad(c, "the plain grant is missing");
	for (uint32_t i = 0; i < h->grants.count; i++)
		CHECK_TRY(check_grant(c, &v[i], nrules));
	return is_only_within(&v[0]) && !v[0].within_count ? 0 : check_bad(c, "the first grant is not the plain one");
}

/* --- what the run needs -------------------------------------------------------------- */

/*
 * A bundle may not say that the run needs less than its rules do.  (If it says that
 * nothing is reached, there is no gateway, and nothing is.)
 */
static int check_gate(const struct check *c)
{
	const struct pb_egress *h = header(c);
	const struct pb_piece *p = pb_at(c->data, h->pieces, sizeof(*p), 0);
	const struct pb_grant *g = pb_at(c->data, h->grants, sizeof(*g), 0);
	bool more = h->guard;

	for (uint32_t i = 0; i < h->pieces.count; i++)
		more |= p[i].effect != PB_ALLOW;
	for (uint32_t i = 0; i < h->grants.count; i++)
		more |= !is_only_within(&g[i]);
	if (h->guard > 1 || h->gate > (PB_GATE_NEEDED | PB_GATE_REACHES) ||
	    h->gate == PB_GATE_REACHES)
		return check_bad(c, "an unknown mode");
	if (more && !(h->gate & PB_GATE_NEEDED))
		return check_bad(c, "says that everything is simply allowed, and something "
				    "is not");
	return 0;
}

int bundle_check_egress(const void *data, size_t size, uint32_t nrules,
			struct rt_err *err)
{
	struct check c = { .data = data, .size = size, .member = PB_EGRESS, .err = err };
	const struct pb_egress *h = data;

	CHECK_TRY(check_head(&c, PB_MAGIC_EGRESS, sizeof(*h)));
	CHECK_TRY(check_table(&c, h->slabs, sizeof(struct pb_slab), MAX_SLABS,
			      "address ranges"));
	CHECK_TRY(check_table(&c, h->slabs4, sizeof(struct pb_slab4), MAX_SLABS,
			      "ranges of v4 addresses"));
	CHECK_TRY(check_table(&c, h->pairs, sizeof(struct pb_pair), 2 * MAX_SLABS,
			      "pairs of lists"));
	CHECK_TRY(check_table(&c, h->lists, sizeof(struct pb_ports),
			      MAX_SLABS + MAX_HOSTS, "lists of ports"));
	CHECK_TRY(check_table(&c, h->pieces, sizeof(struct pb_piece), MAX_PIECES,
			      "ranges of ports"));
	CHECK_TRY(check_table(&c, h->hosts, sizeof(struct pb_host), MAX_HOSTS,
			      "host names"));
	CHECK_TRY(check_table(&c, h->classes, sizeof(struct pb_class), MAX_HOSTS + 1,
			      "classes of names"));
	CHECK_TRY(check_table(&c, h->pools, sizeof(struct pb_pool), PB_MAX_POOLS,
			      "pools of addresses"));
	CHECK_TRY(check_table(&c, h->ranges, sizeof(struct pb_range), MAX_SLABS,
			      "ranges of `within`"));
	CHECK_TRY(check_table(&c, h->grants, sizeof(struct pb_grant), MAX_SLABS,
			      "grants"));
	CHECK_TRY(check_lists(&c, nrules));
	CHECK_TRY(check_pairs(&c));
	CHECK_TRY(check_slabs(&c));
	CHECK_TRY(check_slabs4(&c));
	CHECK_TRY(check_hosts(&c));
	CHECK_TRY(check_classes(&c));
	CHECK_TRY(check_pools(&c));
	CHECK_TRY(check_grants(&c, nrules));
	return check_gate(&c);
}
