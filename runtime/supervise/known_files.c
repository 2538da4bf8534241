/* Remembers what a run has had open for writing: known_files.h. */
#include "runtime/supervise/known_files.h"

#define HAD_MOST ((size_t)1 << 21) /* slots: 16 MiB */

static uint64_t mix(uint64_t a, uint64_t b)
{
	a = (a ^ b) * UINT64_C(0x9e3779b97f4a7c15);
	return a ^ (a >> 29);
}

/* A number may be used again for another file, but not with the same time of birth. */
uint64_t known_files_number(const struct statx *st)
{
	uint64_t k = mix(st->stx_ino, (uint64_t)st->stx_dev_major << 32 | st->stx_dev_minor);

	if (st->stx_mask & STATX_BTIME)
		k = mix(mix(k, (uint64_t)st->stx_btime.tv_sec), st->stx_btime.tv_nsec);
	return k ? k : 1;
}

void known_files_add(struct known_files *k, uint64_t number)
{
	k->forgot |= !number || numbers_add(&k->had, number, HAD_MOST) < 0;
}

bool known_files_may_have(const struct known_files *k, const struct statx *st)
{
	return k->forgot || known_files_has(k, st);
}

bool known_files_has(const struct known_files *k, const struct statx *st)
{
	return numbers_has(&k->had, known_files_number(st));
}
