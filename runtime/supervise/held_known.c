/* What a run has had open for writing, by number, and what it was given at its start: see held.h. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "runtime/supervise/held.h"

#define HAD_MOST ((size_t)1 << 21) /* slots: 16 MiB */

static uint64_t mix(uint64_t a, uint64_t b)
{
	a = (a ^ b) * UINT64_C(0x9e3779b97f4a7c15);
	return a ^ (a >> 29);
}

/* A number may be used again for another file, but not with the same time of birth. */
uint64_t held_number(const struct statx *st)
{
	uint64_t k = mix(st->stx_ino, (uint64_t)st->stx_dev_major << 32 | st->stx_dev_minor);

	if (st->stx_mask & STATX_BTIME)
		k = mix(mix(k, (uint64_t)st->stx_btime.tv_sec), st->stx_btime.tv_nsec);
	return k ? k : 1;
}

static void remember(struct held *h, uint64_t k)
{
	h->forgot |= numbers_add(&h->had, k, HAD_MOST) < 0;
}

void held_note(struct held *h, uint64_t number)
{
	if (number)
		remember(h, number);
	else
		h->forgot = true;
}

bool held_had(const struct held *h, const struct statx *st)
{
	return h->forgot || numbers_has(&h->had, held_number(st));
}

bool held_surely_had(const struct held *h, const struct statx *st)
{
	return numbers_has(&h->had, held_number(st));
}

int held_add_streams(struct held *h)
{
	struct stat st;
	int r = 0;

	for (int fd = 0; fd <= 2 && r == 0; fd++) {
		int flags = fcntl(fd, F_GETFL);

		if (flags < 0 && errno == EBADF) /* it is closed */
			continue;
		if (flags < 0 || fstat(fd, &st) != 0)
			r = -errno;
		else if ((flags & O_ACCMODE) != O_RDONLY && S_ISREG(st.st_mode))
			r = held_add(h, fd, NULL, false);
	}
	return r;
}
