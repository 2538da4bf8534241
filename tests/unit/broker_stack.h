/*
 * broker_serve() on a stack of the size that broker.h says, for the tests that serve.
 */
#ifndef TESTS_UNIT_BROKER_STACK_H
#define TESTS_UNIT_BROKER_STACK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "runtime/broker/serve.h"

#define STACK 65536

static struct small {
	struct broker_result *last; /* the caller's */
	struct broker *broker;
	const struct broker_source *from;
	const struct seccomp_notif *req;
	struct seccomp_notif_resp *resp;
	int64_t since;
	int result;
	char *stack;
	size_t most; /* bytes that were ever used */
	ucontext_t here, there;
} small;

static inline void serve_there(void)
{
	small.result = broker_serve(small.broker, small.from, small.req, small.since, small.resp, small.last);
}

/* broker_serve() on it.  The page below it is not there. */
static inline int serve_small(struct broker *b, const struct broker_source *from,
			      const struct seccomp_notif *req, int64_t since,
			      struct seccomp_notif_resp *resp, struct broker_result *ret)
{
	size_t free_bytes = 0;

	small.broker = b;
	small.last = ret;
	small.from = from;
	small.req = req;
	small.resp = resp;
	small.since = since;
#ifdef POL_SAN /* they know one stack, and make it larger */
	serve_there();
	return small.result;
#endif
	if (!small.stack) {
		char *p = mmap(NULL, STACK + 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		assert_ptr_not_equal(p, MAP_FAILED);
		assert_int_equal(mprotect(p + 4096, STACK, PROT_READ | PROT_WRITE), 0);
		small.stack = p + 4096;
		memset(small.stack, 0x5a, STACK);
	}
	assert_int_equal(getcontext(&small.there), 0);
	small.there.uc_stack.ss_sp = small.stack;
	small.there.uc_stack.ss_size = STACK;
	small.there.uc_link = &small.here;
	makecontext(&small.there, serve_there, 0);
	assert_int_equal(swapcontext(&small.here, &small.there), 0);
	while (free_bytes < STACK && small.stack[free_bytes] == 0x5a)
		free_bytes++;
	small.most = STACK - free_bytes;
	return small.result;
}

#endif
