/*
 * What unit tests set up again for each test (or once for a group): an arena,
 * and for those that read texts the sources and the messages beside it.  A
 * program that needs more calls these from its own <fixture>_setup and
 * <fixture>_teardown, and names them the same way in WITH().
 */
#ifndef TESTS_UNIT_FIXTURE_H
#define TESTS_UNIT_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compiler/diag/diag.h"
#include "compiler/source/source.h"

/* The test `name` between the set-up and the tear-down of `fixture`. */
#define WITH(fixture, name) \
	cmocka_unit_test_setup_teardown(name, fixture##_setup, fixture##_teardown)

static struct arena arena;
static struct source_map map; /* these two: of texts_setup only */
static struct diag_sink sink;

static inline int arena_setup(void **state)
{
	(void)state;
	arena_init(&arena, ARENA_DEFAULT_BUDGET);
	return 0;
}

static inline int arena_teardown(void **state)
{
	(void)state;
	arena_release(&arena);
	return 0;
}

static inline int texts_setup(void **state)
{
	(void)arena_setup(state);
	source_init(&map, &arena);
	diag_init(&sink, &arena);
	return 0;
}

static inline int texts_teardown(void **state)
{
	return arena_teardown(state);
}

#endif
