/*
 * Makes an egress.bin from lines of text, for tests of the gateway that want no compiler:
 *
 *     allow|ask|deny HOST LO[-HI] [within=CIDR] [peek=none|tls|http] [bytes=N] [connections=N] [via=URL [user=NAME]] [soft]
 *
 * HOST is a name, *.NAME, or ADDRESS/BITS.  Line i is rule number i + 1, number 0 is
 * `network otherwise`.  The first line that fits decides; ranges of addresses do not
 * overlap.  Each class of names that reaches something has a pool.
 */
#ifndef TESTS_UNIT_EGRESS_FIXTURE_H
#define TESTS_UNIT_EGRESS_FIXTURE_H

#include <arpa/inet.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/host.h"
#include "runtime/bundle/format.h"

enum { MADE_RULES = 64, MADE_BYTES = 1 << 16 };

struct made_rule {
	char host[256];
	bool below, address;
	bool soft; /* of an ask: the run's own loopback stays free, and is asked about */
	uint8_t lo[16], hi[16]; /* of an address */
	uint16_t port_lo, port_hi;
	uint8_t effect;
	bool has_within;
	uint8_t within_lo[16], within_hi[16];
	uint8_t peek;
	uint64_t bytes;
	uint32_t connections;
	char via[256], user[64];
};

struct made {
	struct made_rule rules[MADE_RULES];
	uint32_t rule_count;
	uint32_t pool_size; /* indices of each pool; 0: 1000 */
	bool full;          /* no guard */
	uint32_t hold_ms;   /* 0: 2000 */
	_Alignas(8) uint8_t data[MADE_BYTES];
	size_t size;
};

/* The address of a text, v4 as v4-mapped; it holds until the next call. */
static inline const uint8_t *address(const char *text)
{
	static uint8_t a[16];

	if (!host_address(text, a))
		abort();
	return a;
}

static inline bool made_cidr(const char *text, uint8_t lo[16], uint8_t hi[16])
{
	char buf[64];
	char *slash;
	unsigned bits;
	uint8_t a[16] = { [10] = 0xff, [11] = 0xff };

	(void)snprintf(buf, sizeof(buf), "%s", text);
	slash = strchr(buf, '/');
	if (!slash)
		return false;
	*slash = '\0';
	bits = (unsigned)strtoul(slash + 1, NULL, 10);
	if (inet_pton(AF_INET, buf, a + 12) == 1)
		bits += 96;
	else if (inet_pton(AF_INET6, buf, a) != 1)
		return false;
	for (unsigned i = 0; i < 128; i++) {
		uint8_t bit = (uint8_t)(0x80 >> i % 8);

		if (i % 8 == 0)
			lo[i / 8] = hi[i / 8] = a[i / 8];
		if (i >= bits) {
			lo[i / 8] &= (uint8_t)~bit;
			hi[i / 8] |= bit;
		}
	}
	return true;
}

/* Adds a line; false: it is none. */
static inline bool made_add(struct made *m, const char *line)
{
	struct made_rule *r = &m->rules[m->rule_count];
	char text[512], *save = NULL, *w;
	static const char *const effects[] = { "allow", "ask", "deny" };
	static const char *const peeks[] = { "port", "none", "tls", "http" };
	int n = 0;

	if (m->rule_count == MADE_RULES || strlen(line) >= sizeof(text))
		return false;
	memset(r, 0, sizeof(*r));
	memcpy(text, line, strlen(line) + 1);
	r->effect = 255;
	for (w = strtok_r(text, " ", &save); w; w = strtok_r(NULL, " ", &save), n++) {
		char *end;

		if (n == 0) {
			for (uint8_t i = 0; i < 3; i++)
				if (strcmp(w, effects[i]) == 0)
					r->effect = i;
		} else if (n == 1) {
			r->address = made_cidr(w, r->lo, r->hi);
			r->below = w[0] == '*';
			(void)snprintf(r->host, sizeof(r->host), "%s",
				       r->below ? w + 2 : w);
		} else if (n == 2) {
			r->port_lo = (uint16_t)strtoul(w, &end, 10);
			r->port_hi = *end == '-' ? (uint16_t)strtoul(end + 1, NULL, 10) :
						   r->port_lo;
		} else if (strncmp(w, "within=", 7) == 0) {
			r->has_within = made_cidr(w + 7, r->within_lo, r->within_hi);
			if (!r->has_within)
				return false;
		} else if (strncmp(w, "peek=", 5) == 0) {
			for (uint8_t i = 0; i < 4; i++)
				if (strcmp(w + 5, peeks[i]) == 0)
					r->peek = i;
		} else if (strcmp(w, "soft") == 0) {
			r->soft = true;
		} else if (strncmp(w, "bytes=", 6) == 0) {
			r->bytes = strtoull(w + 6, NULL, 10);
		} else if (strncmp(w, "connections=", 12) == 0) {
			r->connections = (uint32_t)strtoul(w + 12, NULL, 10);
		} else if (strncmp(w, "via=", 4) == 0) {
			(void)snprintf(r->via, sizeof(r->via), "%s", w + 4);
		} else if (strncmp(w, "user=", 5) == 0) {
			(void)snprintf(r->user, sizeof(r->user), "%s", w + 5);
		} else {
			return false;
		}
	}
	/* as the compiler does it: an address rule lifts the guard for its own range */
	if (r->address && !r->has_within) {
		r->has_within = true;
		memcpy(r->within_lo, r->lo, 16);
		memcpy(r->within_hi, r->hi, 16);
	}
	m->rule_count++;
	return n >= 3 && r->effect != 255;
}

/* --- writing -------------------------------------------------------------------- */

struct made_out {
	struct pb_slab slabs[2 * MADE_RULES + 8];
	struct pb_slab4 slabs4[2 * MADE_RULES + 8];
	struct pb_pair pairs[4 * MADE_RULES + 16];
	struct pb_ports lists[4 * MADE_RULES + 8];
	struct pb_piece pieces[16 * MADE_RULES];
	struct pb_host hosts[MADE_RULES];
	struct pb_class classes[MADE_RULES + 2];
	struct pb_pool pools[MADE_RULES + 2];
	struct pb_range ranges[MADE_RULES];
	struct pb_grant grants[MADE_RULES + 1];
	char texts[MADE_RULES * 640];
	uint32_t slab_n, slab4_n, pair_n, list_n, piece_n, host_n, class_n, pool_n, range_n, grant_n;
	uint32_t text_n;
};

/* Which rule decides a port for a host, or an address (host NULL); 0: otherwise. */
static inline uint32_t made_decide(const struct made *m, const char *host, bool below,
				   const uint8_t *addr, uint32_t port)
{
	for (uint32_t i = 0; i < m->rule_count; i++) {
		const struct made_rule *r = &m->rules[i];

		if (port < r->port_lo || port > r->port_hi)
			continue;
		if (addr ? r->address && memcmp(r->lo, addr, 16) <= 0 &&
				   memcmp(addr, r->hi, 16) <= 0 :
			   !r->address && r->below == below && strcmp(r->host, host) == 0)
			return i + 1;
	}
	return 0;
}

static inline uint32_t made_list(const struct made *m, struct made_out *o,
				 const char *host, bool below, const uint8_t *addr,
				 bool loopback)
{
	uint32_t first = o->piece_n, last = UINT32_MAX;

	for (uint32_t port = 0; port <= 65535; port++) {
		uint32_t rule = made_decide(m, host, below, addr, port);

		if (rule != last) {
			o->pieces[o->piece_n++] = (struct pb_piece){
				.effect = rule ? m->rules[rule - 1].effect :
					  loopback ? PB_ALLOW : PB_DENY,
				.free = loopback && (!rule || m->rules[rule - 1].soft),
				.rule = rule,
				.grant = rule,
			};
			last = rule;
		}
		o->pieces[o->piece_n - 1].hi = (uint16_t)port;
	}
	o->lists[o->list_n] = (struct pb_ports){ first, o->piece_n - first };
	return o->list_n++;
}

static inline uint32_t made_deny(struct made_out *o)
{
	o->pieces[o->piece_n] = (struct pb_piece){ .hi = 65535, .effect = PB_DENY };
	o->lists[o->list_n] = (struct pb_ports){ o->piece_n++, 1 };
	return o->list_n++;
}

static inline int made_by_name(const void *a, const void *b)
{
	const struct made_rule *const *x = a, *const *y = b;
	int r = strcmp((*x)->host, (*y)->host);

	return r ? r : (int)(*x)->below - (int)(*y)->below;
}

static inline void made_slab(struct made_out *o, const uint8_t lo[16], uint32_t tcp,
			     uint32_t udp)
{
	bool v4 = lo[10] == 0xff && lo[11] == 0xff;

	for (size_t i = 0; i < 10; i++)
		v4 = v4 && lo[i] == 0;
	if (v4) {
		o->slabs4[o->slab4_n].lo = (uint32_t)lo[12] << 24 | (uint32_t)lo[13] << 16 |
					   (uint32_t)lo[14] << 8 | lo[15];
		o->slabs4[o->slab4_n++].pair = o->pair_n;
	} else {
		memcpy(o->slabs[o->slab_n].lo, lo, 16);
		o->slabs[o->slab_n++].pair = o->pair_n;
	}
	o->pairs[o->pair_n++] = (struct pb_pair){ tcp, udp, tcp, 0 };
}

static inline void made_next(uint8_t addr[16])
{
	for (int i = 15; i >= 0 && ++addr[i] == 0; i--)
		;
}

static inline int made_by_lo(const void *a, const void *b)
{
	return memcmp(((const struct made_rule *)a)->lo, ((const struct made_rule *)b)->lo,
		      16);
}

/* Each range of a rule, and what lies between; the loopbacks are ranges as well. */
static inline void made_slabs(const struct made *m, struct made_out *o, uint32_t deny)
{
	struct made_rule v[MADE_RULES + 2];
	static const uint8_t v4_zero[16] = { [10] = 0xff, [11] = 0xff };
	uint8_t at[16] = { 0 };
	size_t n = 0;

	(void)made_cidr("127.0.0.0/8", v[0].lo, v[0].hi);
	(void)made_cidr("::1/128", v[1].lo, v[1].hi);
	n = 2;
	for (uint32_t i = 0; i < m->rule_count; i++) {
		bool twice = !m->rules[i].address;

		for (size_t k = 0; k < n; k++)
			twice = twice || memcmp(v[k].lo, m->rules[i].lo, 16) == 0;
		if (!twice)
			v[n++] = m->rules[i];
	}
	qsort(v, n, sizeof(v[0]), made_by_lo);
	made_slab(o, v4_zero, deny, deny);
	for (size_t i = 0; i < n; i++) {
		static const uint8_t one[16] = { [15] = 1 };
		bool loop = memcmp(v[i].lo, one, 16) == 0 ||
			    (v[i].lo[10] == 0xff && v[i].lo[12] == 127);

		if (memcmp(at, v[i].lo, 16) != 0)
			made_slab(o, at, deny, deny);
		made_slab(o, v[i].lo, made_list(m, o, NULL, false, v[i].lo, loop), deny);
		memcpy(at, v[i].hi, 16);
		made_next(at);
	}
	made_slab(o, at, deny, deny);
}

static inline struct pb_str made_text(struct made_out *o, const char *text)
{
	struct pb_str s = { o->text_n, (uint32_t)strlen(text) };

	memcpy(o->texts + o->text_n, text, s.len);
	o->text_n += s.len;
	return s;
}

static inline void made_hosts(const struct made *m, struct made_out *o, uint32_t deny)
{
	const struct made_rule *v[MADE_RULES + 1];
	static const struct made_rule local = { .host = "localhost" };
	uint32_t n = 0, room = m->pool_size ? m->pool_size : 1000, next = 1;

	v[n++] = &local;
	for (uint32_t i = 0; i < m->rule_count; i++)
		if (!m->rules[i].address)
			v[n++] = &m->rules[i];
	qsort(v, n, sizeof(v[0]), made_by_name);
	for (uint32_t i = 0; i < n; i++) {
		bool is_local = strcmp(v[i]->host, "localhost") == 0, reaches = false;
		struct pb_class c = { .udp = deny, .pool = PB_NO_POOL };

		if (i > 0 && made_by_name(&v[i - 1], &v[i]) == 0)
			continue;
		c.tcp = made_list(m, o, v[i]->host, v[i]->below, NULL, is_local);
		for (uint32_t k = 0; k < o->lists[c.tcp].count; k++)
			reaches = reaches || o->pieces[o->lists[c.tcp].first + k].effect != PB_DENY;
		if (reaches && !is_local) {
			c.pool = o->pool_n;
			o->pools[o->pool_n++] = (struct pb_pool){ next, room };
			next += room;
		}
		o->hosts[o->host_n++] = (struct pb_host){
			.name = made_text(o, v[i]->host),
			.below = v[i]->below, .class_ = o->class_n };
		o->classes[o->class_n++] = c;
	}
	o->classes[o->class_n++] = (struct pb_class){ deny, deny, PB_NO_POOL, 0 };
}

static inline struct pb_table made_put(struct made *m, const void *v, size_t record,
				       uint32_t count)
{
	struct pb_table t = { (uint32_t)m->size, count };

	memcpy(m->data + m->size, v, record * count);
	m->size += (record * count + 7) & ~(size_t)7;
	return t;
}

/* Writes m->data and m->size. */
static inline const struct pb_egress *made_write(struct made *m)
{
	static struct made_out o;
	struct pb_egress h = { .guard = !m->full, .hold_ms = m->hold_ms ? m->hold_ms : 2000,
			       .gate = PB_GATE_NEEDED | PB_GATE_REACHES };
	uint32_t deny, texts;

	memset(&o, 0, sizeof(o));
	memset(m->data, 0, sizeof(m->data));
	deny = made_deny(&o);
	o.grant_n = 1;
	for (uint32_t i = 0; i < m->rule_count; i++) {
		const struct made_rule *r = &m->rules[i];
		struct pb_grant *g = &o.grants[o.grant_n++];

		*g = (struct pb_grant){ .peek = r->peek, .bytes = r->bytes,
					.connections = r->connections,
					.bytes_rule = r->bytes ? i + 1 : 0,
					.connections_rule = r->connections ? i + 1 : 0,
					.via = made_text(&o, r->via),
					.via_secret = made_text(&o, r->user) };
		if (r->has_within) {
			g->within_first = o.range_n;
			g->within_count = 1;
			memcpy(o.ranges[o.range_n].lo, r->within_lo, 16);
			memcpy(o.ranges[o.range_n++].hi, r->within_hi, 16);
		}
	}
	made_slabs(m, &o, deny);
	made_hosts(m, &o, deny);
	h.other_class = o.class_n - 1;
	m->size = sizeof(h);
	h.slabs = made_put(m, o.slabs, sizeof(o.slabs[0]), o.slab_n);
	h.slabs4 = made_put(m, o.slabs4, sizeof(o.slabs4[0]), o.slab4_n);
	h.pairs = made_put(m, o.pairs, sizeof(o.pairs[0]), o.pair_n);
	h.lists = made_put(m, o.lists, sizeof(o.lists[0]), o.list_n);
	h.pieces = made_put(m, o.pieces, sizeof(o.pieces[0]), o.piece_n);
	h.classes = made_put(m, o.classes, sizeof(o.classes[0]), o.class_n);
	h.pools = made_put(m, o.pools, sizeof(o.pools[0]), o.pool_n);
	h.ranges = made_put(m, o.ranges, sizeof(o.ranges[0]), o.range_n);
	texts = (uint32_t)(m->size + ((sizeof(o.grants[0]) * o.grant_n + 7) & ~(size_t)7) +
			   ((sizeof(o.hosts[0]) * o.host_n + 7) & ~(size_t)7));
	for (uint32_t i = 0; i < o.host_n; i++)
		o.hosts[i].name.off += texts;
	for (uint32_t i = 1; i < o.grant_n; i++) {
		o.grants[i].via.off = o.grants[i].via.len ? o.grants[i].via.off + texts : 0;
		o.grants[i].via_secret.off =
			o.grants[i].via_secret.len ? o.grants[i].via_secret.off + texts : 0;
	}
	h.grants = made_put(m, o.grants, sizeof(o.grants[0]), o.grant_n);
	h.hosts = made_put(m, o.hosts, sizeof(o.hosts[0]), o.host_n);
	(void)made_put(m, o.texts, 1, o.text_n);
	h.head = (struct pb_head){ .magic = PB_MAGIC_EGRESS, .version = PB_FORMAT_VERSION,
				   .size = (uint32_t)m->size };
	memcpy(m->data, &h, sizeof(h));
	return (const void *)m->data;
}

#endif
