/* Counts what is used up of the rules' limits of bytes (spent.h).  Decides nothing but how many are left. */
#include "runtime/egress/spent.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* Two processes add to it: no torn numbers, and no lock that one of them could keep. */
_Static_assert(__atomic_always_lock_free(sizeof(uint64_t), NULL), "64 bits at once");

int spent_init(struct spent *s, uint32_t rule_count)
{
	*s = (struct spent){ calloc(1, spent_size(rule_count)), rule_count };
	return s->v ? 0 : -ENOMEM;
}

int spent_open(struct spent *s, uint32_t rule_count, int fd)
{
	const int seals = F_SEAL_SHRINK | F_SEAL_GROW;
	size_t size = spent_size(rule_count);
	struct stat st;
	int have = fcntl(fd, F_GET_SEALS);
	void *p;

	if (have < 0 || (have & seals) != seals || fstat(fd, &st) != 0 ||
	    st.st_size != (off_t)size)
		return -EINVAL;
	p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return -errno;
	*s = (struct spent){ p, rule_count };
	return 0;
}

uint64_t spent_take(struct spent *s, uint32_t rule, uint64_t most, uint64_t wanted)
{
	uint64_t used, n;

	if (most == 0)
		return wanted;
	if (rule >= s->count)
		return 0;
	used = __atomic_load_n(&s->v[rule], __ATOMIC_RELAXED);
	do {
		n = used < most ? most - used : 0;
		if (n > wanted)
			n = wanted;
	} while (n && !__atomic_compare_exchange_n(&s->v[rule], &used, used + n, true,
						   __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	return n;
}

void spent_give(struct spent *s, uint32_t rule, uint64_t most, uint64_t n)
{
	if (most && n && rule < s->count)
		(void)__atomic_sub_fetch(&s->v[rule], n, __ATOMIC_RELAXED);
}

bool spent_all(const struct spent *s, uint32_t rule, uint64_t most)
{
	return most && (rule >= s->count ||
			__atomic_load_n(&s->v[rule], __ATOMIC_RELAXED) >= most);
}
