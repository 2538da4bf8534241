/* Stores the texts of a member; finds equal ones by their bytes. */
#include "compiler/record/pool.h"

void rec_pool_init(struct rec_pool *p, struct arena *a, size_t base)
{
	buf_init(&p->bytes, a);
	map_init(&p->seen, a);
	p->base = (uint32_t)base;
}

struct pb_str rec_pool_add(struct rec_pool *p, struct str s)
{
	struct pb_str *at;

	if (s.n == 0)
		return (struct pb_str){ p->base, 0 };
	at = map_get(&p->seen, s);
	if (!at) {
		at = ARENA_NEW(p->bytes.a, struct pb_str);
		*at = (struct pb_str){ p->base + (uint32_t)p->bytes.n, (uint32_t)s.n };
		buf_str(&p->bytes, s);
		(void)map_put(&p->seen, s, at);
	}
	return *at;
}
