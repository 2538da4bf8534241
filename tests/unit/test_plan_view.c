/*
 * The plan of a view: the order in which it is mounted, what is pinned, and
 * that a damaged plan is refused.
 */
#include "tests/unit/plan_fixture.h"

static struct plan built(struct world *w)
{
	build(w);
	return plan_of(w);
}

static void test_restriction_is_pinned_to_the_first_tree_nobody_can_move(void **state)
{
	struct world *w = *state;
	struct plan p;
	int tree, pin, cover, inner;

	make_dir(w, "/home/u/p/src/deep/x");
	deny(w, PB_WRITE, "/home/u/p/src/deep/x");
	p = built(w);
	tree = op_at(&p, STEP_TREE, "home/u/p");
	pin = op_at(&p, STEP_PIN_DIR, "home/u/p/src");
	cover = op_at(&p, STEP_COVER, "home/u/p");
	inner = op_at(&p, STEP_TREE, "home/u/p/src/deep/x");
	assert_true(tree >= 0 && tree < pin && pin < cover && cover < inner);
	assert_true(pin < op_at(&p, STEP_PIN_DIR, "home/u/p/src/deep"));
	assert_true(p.ops[inner].flags & PLAN_F_RO);
	assert_true(p.ops[inner].flags & PLAN_F_CHECK);
	assert_false(p.ops[tree].flags & PLAN_F_RO);
	assert_true(p.ops[tree].flags & PLAN_F_NOEXEC);
	/* the project is a mount point in HOME already: no pin at it */
	assert_int_equal(op_at(&p, STEP_PIN_DIR, "home/u/p"), -1);
	plan_release(&p);
}

static void test_pins_reach_through_writable_trees(void **state)
{
	struct world *w = *state;
	struct plan p;

	make_dir(w, "/home/u/a/q/d");
	allow(w, RW, "/home/u/a/q");
	deny(w, PB_WRITE, "/home/u/a/q/d");
	p = built(w);
	/* HOME is writable: mv ~/a away would take the tree with it */
	assert_true(op_at(&p, STEP_PIN_DIR, "home/u/a") >= 0);
	plan_release(&p);
}

static void test_nothing_is_pinned_without_a_restriction(void **state)
{
	struct world *w = *state;
	struct plan p = built(w);

	for (size_t i = 0; i < p.nops; i++)
		assert_true(p.ops[i].step != STEP_PIN_DIR && p.ops[i].step != STEP_COVER);
	plan_release(&p);
}

static void test_root_is_read_only_before_the_pivot(void **state)
{
	struct world *w = *state;
	struct plan p = built(w);
	size_t ro = 0, pivot = 0, open_last = 0, base = 0;

	for (size_t i = 0; i < p.nops; i++) {
		ro = p.ops[i].step == STEP_ROOT_RO ? i : ro;
		pivot = p.ops[i].step == STEP_PIVOT ? i : pivot;
		open_last = p.ops[i].step == STEP_OPEN ? i : open_last;
		base = p.ops[i].step == STEP_BASE ? i : base;
	}
	/* a tree opened after the base is mounted might be the base's */
	assert_true(open_last < base && base < ro && ro < pivot);
	plan_release(&p);
}

static void test_damaged_plan_is_refused(void **state)
{
	struct world *w = *state;
	struct plan p = built(w);
	struct rt_err err;
	void *bytes;
	size_t size;
	struct plan_op *op;

	assert_int_equal(plan_finish(&p, &bytes, &size), 0);
	assert_int_equal(plan_check(bytes, size, &err), 0);
	assert_true(plan_check(bytes, size - 1, &err) < 0);
	op = (struct plan_op *)(void *)((struct plan_head *)bytes + 1);
	op->path = UINT32_MAX;
	assert_true(plan_check(bytes, size, &err) < 0);
	op->path = 0;
	op->step = STEP_COUNT;
	assert_true(plan_check(bytes, size, &err) < 0);
	op->step = 0;
	((struct plan_head *)bytes)->nops++;
	assert_true(plan_check(bytes, size, &err) < 0);
	free(bytes);
	plan_release(&p);
}

static void test_step_names_are_unique(void **state)
{
	(void)state;
	for (size_t i = 0; i < STEP_COUNT; i++) {
		assert_non_null(step_table[i].prevents);
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(step_table[i].name, step_table[j].name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH(world, test_restriction_is_pinned_to_the_first_tree_nobody_can_move),
		WITH(world, test_pins_reach_through_writable_trees),
		WITH(world, test_nothing_is_pinned_without_a_restriction),
		WITH(world, test_root_is_read_only_before_the_pivot),
		WITH(world, test_damaged_plan_is_refused),
		cmocka_unit_test(test_step_names_are_unique),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
