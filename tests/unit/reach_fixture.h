/* A policy of the network, written as lines (egress_fixture.h), with what polgate makes of it
 * before a connection is decided.  One world at a time. */
#ifndef TESTS_UNIT_REACH_FIXTURE_H
#define TESTS_UNIT_REACH_FIXTURE_H

#include "runtime/bundle/check.h"
#include "runtime/egress/reach.h"
#include "tests/unit/egress_fixture.h"

static struct made made;

struct world {
	struct names names;
	struct guard guard;
	struct reach_policy policy;
};

static inline void make_world(struct world *w, const char *const *lines)
{
	struct rt_err err = { 0 };

	memset(&made, 0, sizeof(made));
	for (; *lines; lines++)
		assert_true(made_add(&made, *lines));
	(void)made_write(&made);
	if (bundle_check_egress(made.data, made.size, made.rule_count + 1, &err) != 0)
		fail_msg("%s", err.text);
	*w = (struct world){ .guard = { .on = true } };
	assert_int_equal(names_init(&w->names, (const void *)made.data), 0);
	w->policy = (struct reach_policy){ .egress = (const void *)made.data,
					   .names = &w->names, .guard = &w->guard };
	assert_int_equal(guard_add_own(&w->guard, address("203.0.113.2")), 0);
}

static inline void free_world(struct world *w)
{
	names_release(&w->names);
	guard_release(&w->guard);
}

static inline const uint8_t *named(struct world *w, const char *name, bool v6)
{
	static uint8_t a[16];
	uint32_t index = 0;

	assert_int_equal(names_give(&w->names, name, strlen(name), &index), 0);
	assert_true(index > 0);
	memcpy(a, address("198.18.0.0"), 16);
	if (v6)
		names_v6(index, a);
	else
		names_v4(index, a + 12);
	return a;
}

#endif
