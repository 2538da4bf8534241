/*
 * The runs of a property program: SEED and RUNS from the environment, the seed
 * printed, a source of chance of its own for each run.  A run that fails is
 * drawn again by the seed that is printed and RUNS=1.
 */
#ifndef TESTS_PROP_RUNS_H
#define TESTS_PROP_RUNS_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tests/prop/random_ir.h"

/* With the sanitizers a run takes four times as long, more where faults of pages are dear. */
#ifdef __SANITIZE_ADDRESS__
#define PROP_SLOWER 10
#else
#define PROP_SLOWER 1
#endif

/* False after the first run that `one` says no to.  *ret_n: how many there were to be. */
static inline bool prop_runs(unsigned long usual, bool (*one)(struct rnd *r), unsigned long *ret_n)
{
	const char *seed = getenv("SEED"), *runs = getenv("RUNS");
	uint64_t first = seed ? strtoull(seed, NULL, 0) : (uint64_t)time(NULL);
	unsigned long n = runs ? strtoul(runs, NULL, 0) : usual / PROP_SLOWER, i;

	*ret_n = n;
	printf("SEED=%llu RUNS=%lu\n", (unsigned long long)first, n);
	fflush(stdout); /* a program that dies says it all the same */
	for (i = 0; i < n; i++) {
		struct arena a;
		struct rnd r = { .s = (first + i) * 0x9e3779b97f4a7c15u | 1, .a = &a, .seed = first + i };
		bool ok;

		arena_init(&a, ARENA_DEFAULT_BUDGET);
		ok = one(&r);
		arena_release(&a);
		if (!ok) {
			printf("FAIL: SEED=%llu RUNS=1\n", (unsigned long long)(first + i));
			return false;
		}
	}
	return true;
}

#endif
