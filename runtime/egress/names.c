/* Decides which synthetic address a name of the run gets, and how many names each entry
 * of the policy may use up. */
#include "runtime/egress/names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "runtime/decide/egress.h"

/* What an entry of hosts may take of its pool. */
struct names_share {
	uint32_t limit, used;
};

/* --- hash (SipHash-2-4, Aumasson and Bernstein) ------------------------------- */

struct sip {
	uint64_t a, b, c, d;
};

static uint64_t rotate(uint64_t v, int n)
{
	return v << n | v >> (64 - n);
}

static void sip_round(struct sip *s)
{
	s->a += s->b;
	s->b = rotate(s->b, 13) ^ s->a;
	s->a = rotate(s->a, 32);
	s->c += s->d;
	s->d = rotate(s->d, 16) ^ s->c;
	s->a += s->d;
	s->d = rotate(s->d, 21) ^ s->a;
	s->c += s->b;
	s->b = rotate(s->b, 17) ^ s->c;
	s->c = rotate(s->c, 32);
}

static uint64_t hash(const uint64_t key[2], const char *p, size_t n)
{
	struct sip s = { key[0] ^ 0x736f6d6570736575u, key[1] ^ 0x646f72616e646f6du,
			 key[0] ^ 0x6c7967656e657261u, key[1] ^ 0x7465646279746573u };

	for (size_t i = 0; i <= n / 8; i++) {
		uint64_t m = i == n / 8 ? (uint64_t)n << 56 : 0;

		memcpy(&m, p + i * 8, i == n / 8 ? n % 8 : 8);
		s.d ^= m;
		sip_round(&s);
		sip_round(&s);
		s.a ^= m;
	}
	s.c ^= 0xff;
	for (int i = 0; i < 4; i++)
		sip_round(&s);
	return s.a ^ s.b ^ s.c ^ s.d;
}

/* --- shares --------------------------------------------------------------------- */

static const struct pb_host *host_at(const struct names *n, uint32_t i)
{
	return pb_at(n->egress, n->egress->hosts, sizeof(struct pb_host), i);
}

static uint32_t pool_number(const struct names *n, uint32_t class_)
{
	const struct pb_pool *pool = egress_pool(n->egress, class_);

	return pool ? (uint32_t)(pool - (const struct pb_pool *)pb_at(
						n->egress, n->egress->pools,
						sizeof(*pool), 0)) :
		      PB_NO_POOL;
}

/* Index 0 belongs to no name. */
static uint32_t pool_room(const struct names *n, uint32_t pool)
{
	const struct pb_pool *p = pb_at(n->egress, n->egress->pools, sizeof(*p), pool);

	return p->first == 0 && p->count > 0 ? p->count - 1 : p->count;
}

/* An exact name takes one place of its pool.  What is left is divided among the entries
 * that stand for many names. */
static void share_out(struct names *n)
{
	uint32_t hosts = n->egress->hosts.count;

	for (uint32_t pool = 0; pool < n->egress->pools.count; pool++) {
		uint32_t room = pool_room(n, pool), exact = 0, many = 0;

		for (uint32_t i = 0; i <= hosts; i++) {
			uint32_t c = i < hosts ? host_at(n, i)->class_ :
						 n->egress->other_class;

			if (pool_number(n, c) != pool)
				continue;
			if (i < hosts && !host_at(n, i)->below)
				exact++;
			else
				many++;
		}
		room -= exact < room ? exact : room;
		for (uint32_t i = 0; i <= hosts; i++) {
			uint32_t c = i < hosts ? host_at(n, i)->class_ :
						 n->egress->other_class;

			if (pool_number(n, c) != pool)
				continue;
			n->shares[i].limit = i < hosts && !host_at(n, i)->below ?
						     1 : room / many;
		}
	}
}

/* --- the table -------------------------------------------------------------------- */

int names_init(struct names *n, const struct pb_egress *egress)
{
	*n = (struct names){ .egress = egress };
	if (getrandom(n->key, sizeof(n->key), 0) != (ssize_t)sizeof(n->key))
		return -EIO;
	n->entries = calloc(NAMES_ADDRESSES, sizeof(n->entries[0]));
	n->buckets = calloc(NAMES_ADDRESSES, sizeof(n->buckets[0]));
	n->shares = calloc((size_t)egress->hosts.count + 1, sizeof(n->shares[0]));
	n->next = calloc((size_t)egress->pools.count + 1, sizeof(n->next[0]));
	if (!n->entries || !n->buckets || !n->shares || !n->next)
		return -ENOMEM;
	for (uint32_t i = 0; i < egress->pools.count; i++) {
		const struct pb_pool *p = pb_at(egress, egress->pools, sizeof(*p), i);

		n->next[i] = p->first ? p->first : 1;
	}
	share_out(n);
	return 0;
}

void names_release(struct names *n)
{
	for (uint32_t i = 0; n->entries && n->count && i < NAMES_ADDRESSES; i++)
		free(n->entries[i].name);
	free(n->entries);
	free(n->buckets);
	free(n->shares);
	free(n->next);
	*n = (struct names){ 0 };
}

static uint32_t *bucket(const struct names *n, const char *name, size_t len)
{
	return &n->buckets[hash(n->key, name, len) % NAMES_ADDRESSES];
}

static uint32_t find(const struct names *n, uint32_t at, const char *name, size_t len)
{
	while (at && (strlen(n->entries[at].name) != len ||
		      memcmp(n->entries[at].name, name, len) != 0))
		at = n->entries[at].next;
	return at;
}

int names_give(struct names *n, const char *name, size_t len, uint32_t *ret_index)
{
	const struct pb_host *h = egress_host(n->egress, name, len);
	uint32_t class_ = h ? h->class_ : n->egress->other_class;
	const struct pb_pool *pool = egress_pool(n->egress, class_);
	uint32_t *first = bucket(n, name, len);
	uint32_t at = find(n, *first, name, len);
	struct names_share *share;
	char *copy;

	if (at || !pool) {
		*ret_index = at;
		return 0;
	}
	share = &n->shares[h ? (uint32_t)(h - host_at(n, 0)) : n->egress->hosts.count];
	at = n->next[pool_number(n, class_)];
	if (share->used >= share->limit || at - pool->first >= pool->count)
		return -ENOSPC;
	copy = strndup(name, len);
	if (!copy)
		return -ENOMEM;
	n->next[pool_number(n, class_)]++;
	share->used++;
	n->count++;
	n->entries[at] = (struct names_entry){ copy, class_, *first };
	*first = at;
	*ret_index = at;
	return 0;
}

const struct names_entry *names_at(const struct names *n, uint32_t index)
{
	return index < NAMES_ADDRESSES && n->entries[index].name ? &n->entries[index] :
								   NULL;
}

void names_v4(uint32_t index, uint8_t ret[4])
{
	uint32_t v = PB_POOL_V4 + index;

	for (int i = 0; i < 4; i++)
		ret[i] = (uint8_t)(v >> (24 - 8 * i));
}

void names_v6(uint32_t index, uint8_t ret[16])
{
	static const uint8_t pool[16] = PB_POOL_V6;

	memcpy(ret, pool, 12);
	for (int i = 0; i < 4; i++)
		ret[12 + i] = (uint8_t)(index >> (24 - 8 * i));
}

bool names_is_pool(const uint8_t addr[16])
{
	static const uint8_t v6[12] = PB_POOL_V6;
	static const uint8_t v4[14] = { [10] = 0xff, 0xff, PB_POOL_V4 >> 24,
					PB_POOL_V4 >> 16 & 0xff };

	return memcmp(addr, v6, sizeof(v6)) == 0 ||
	       (memcmp(addr, v4, 13) == 0 && (addr[13] & 0xfe) == v4[13]);
}
