/* A directory of a test's own, which is the working directory while it runs. */
#ifndef TESTS_UNIT_SCRATCH_DIR_H
#define TESTS_UNIT_SCRATCH_DIR_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

/* `dir` is for mkdtemp().  0, or -1: what a group's set-up returns. */
static inline int scratch_enter(char *dir)
{
	return mkdtemp(dir) && chdir(dir) == 0 ? 0 : -1;
}

static inline int scratch_leave(const char *dir)
{
	char cmd[80];

	(void)snprintf(cmd, sizeof(cmd), "rm -rf '%s'", dir);
	return chdir("/") == 0 && system(cmd) == 0 ? 0 : -1;
}

static inline void scratch_put(const char *name, const char *text, size_t n)
{
	FILE *f = fopen(name, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
}

#endif
