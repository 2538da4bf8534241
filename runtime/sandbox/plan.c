/*
 * The plan as bytes: polrun builds it here and polinit checks it here.  plan_view.c and
 * spawn.c decide what is in it.
 */
#include "runtime/sandbox/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct plan_op dummy_op;

void plan_init(struct plan *p)
{
	memset(p, 0, sizeof(*p));
	/* offset 0 means none */
	(void)plan_blob(p, "", 1);
}

void plan_release(struct plan *p)
{
	for (size_t i = 0; i < p->nfds; i++)
		(void)close(p->fds[i]);
	free(p->fds);
	free(p->ops);
	free(p->pool);
	memset(p, 0, sizeof(*p));
}

struct plan_op *plan_add(struct plan *p, enum step_id step, enum plan_phase phase)
{
	struct plan_op *op;

	if (p->nops == p->cap) {
		size_t cap = p->cap ? 2 * p->cap : 128;
		struct plan_op *ops = reallocarray(p->ops, cap, sizeof(*ops));

		if (!ops) {
			p->err = -ENOMEM;
			memset(&dummy_op, 0, sizeof(dummy_op));
			return &dummy_op;
		}
		p->ops = ops;
		p->cap = cap;
	}
	op = &p->ops[p->nops++];
	memset(op, 0, sizeof(*op));
	op->step = (uint16_t)step;
	op->phase = (uint16_t)phase;
	op->fd = -1;
	return op;
}

/* Reserves `len` bytes of the pool, 8-byte aligned (filters are read in place).  0 on
 * failure. */
static uint32_t reserve(struct plan *p, size_t len)
{
	size_t at = (p->npool + 7) & ~(size_t)7;

	if (at + len > PLAN_MAX) {
		p->err = -E2BIG;
		return 0;
	}
	if (at + len > p->pool_cap) {
		size_t cap = p->pool_cap ? p->pool_cap : 16384;
		char *pool;

		while (cap < at + len)
			cap *= 2;
		pool = realloc(p->pool, cap);
		if (!pool) {
			p->err = -ENOMEM;
			return 0;
		}
		p->pool = pool;
		p->pool_cap = cap;
	}
	memset(p->pool + p->npool, 0, at + len - p->npool);
	p->npool = at + len;
	return (uint32_t)at;
}

uint32_t plan_blob(struct plan *p, const void *data, size_t len)
{
	uint32_t at = reserve(p, len);

	if (p->err == 0 && len)
		memcpy(p->pool + at, data, len);
	return at;
}

uint32_t plan_strn(struct plan *p, const char *s, size_t len)
{
	uint32_t at = reserve(p, len + 1);

	if (p->err == 0)
		memcpy(p->pool + at, s, len);
	return at;
}

uint32_t plan_str(struct plan *p, const char *s)
{
	return s ? plan_strn(p, s, strlen(s)) : 0;
}

uint32_t plan_strings(struct plan *p, const char *const *v, uint32_t *ret_n)
{
	uint32_t at, n = 0;
	size_t total = 0;
	char *buf, *q;

	while (v && v[n])
		total += strlen(v[n++]) + 1;
	*ret_n = n;
	if (!n)
		return 0;
	buf = q = malloc(total);
	if (!buf) {
		p->err = -ENOMEM;
		return 0;
	}
	for (uint32_t i = 0; i < n; i++)
		q = stpcpy(q, v[i]) + 1;
	at = plan_blob(p, buf, total);
	free(buf);
	return at;
}

void plan_take_fd(struct plan *p, int fd)
{
	if (p->nfds == p->fds_cap) {
		size_t cap = p->fds_cap ? 2 * p->fds_cap : 16;
		int *fds = reallocarray(p->fds, cap, sizeof(*fds));

		if (!fds) {
			p->err = -ENOMEM;
			(void)close(fd);
			return;
		}
		p->fds = fds;
		p->fds_cap = cap;
	}
	p->fds[p->nfds++] = fd;
}

int plan_finish(struct plan *p, void **ret, size_t *ret_size)
{
	size_t nops = p->nops * sizeof(struct plan_op);
	size_t pool = sizeof(p->head) + nops, size = pool + p->npool;
	char *bytes;

	if (p->err)
		return p->err;
	if (size > PLAN_MAX)
		return -E2BIG;
	bytes = malloc(size);
	if (!bytes)
		return -ENOMEM;
	p->head.magic = PLAN_MAGIC;
	p->head.size = (uint32_t)size;
	p->head.nops = (uint32_t)p->nops;
	p->head.pool = (uint32_t)pool;
	memcpy(bytes, &p->head, sizeof(p->head));
	memcpy(bytes + sizeof(p->head), p->ops, nops);
	memcpy(bytes + pool, p->pool, p->npool);
	*ret = bytes;
	*ret_size = size;
	return 0;
}

/* A NUL ends the pool, so a string that begins in the pool also ends in it. */
static bool strings_fit(const struct plan_head *h, uint32_t off, uint32_t n)
{
	size_t pool = h->size - h->pool;
	const char *s = plan_at(h, off), *end = (const char *)h + h->size;

	if (off >= pool)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		if (s >= end)
			return false;
		s = (const char *)memchr(s, 0, (size_t)(end - s));
		if (!s++)
			return false;
	}
	return true;
}

int plan_check(const void *bytes, size_t size, struct rt_err *err)
{
	const struct plan_head *h = bytes;
	size_t pool;

	if (size < sizeof(*h) || h->magic != PLAN_MAGIC || h->size != size ||
	    h->nslots > PLAN_MAX_SLOTS || h->pool > size ||
	    h->pool != sizeof(*h) + (uint64_t)h->nops * sizeof(struct plan_op))
		return rt_fail(err, EBADMSG, "the plan is damaged");
	pool = size - h->pool;
	if (!pool || !strings_fit(h, h->exec_path, 1) ||
	    !strings_fit(h, h->argv, h->argc) || !strings_fit(h, h->envp, h->envc))
		return rt_fail(err, EBADMSG, "the plan's strings are damaged");
	for (uint32_t i = 0; i < h->nops; i++) {
		const struct plan_op *op = &plan_ops(h)[i];

		if (op->step >= STEP_COUNT || !strings_fit(h, op->path, 1) ||
		    op->other >= pool || op->len > pool - op->other ||
		    (!op->len && !strings_fit(h, op->other, 1)))
			return rt_fail(err, EBADMSG,
				       "operation %u of the plan is damaged", i);
	}
	return 0;
}
