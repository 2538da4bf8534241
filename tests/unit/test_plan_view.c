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

/* Without a pin a run that moves the directory would take the tree away from its name, and end. */
static void test_a_scratch_tree_in_a_tree_of_the_host_is_pinned(void **state)
{
	struct world *w = *state;
	struct plan p;

	make_dir(w, "/home/u/p/src/deep/own");
	(void)rule(w, PB_ALLOW, RW, "/home/u/p/src/deep/own", PB_A_PATH, PB_AF_SCRATCH | PB_AF_BELOW);
	p = built(w);
	assert_true(op_at(&p, STEP_SCRATCH, "home/u/p/src/deep/own") >= 0);
	assert_true(op_at(&p, STEP_PIN_DIR, "home/u/p/src") >= 0);
	assert_true(op_at(&p, STEP_PIN_DIR, "home/u/p/src/deep") >= 0);
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

static size_t count_of(const struct plan *p, enum step_id step)
{
	size_t n = 0;

	for (size_t i = 0; i < p->nops; i++)
		n += p->ops[i].step == step;
	return n;
}

/* Together the two plans have what the one has; only the order differs. */
static void test_two_plans_do_what_one_does(void **state)
{
	struct world *w = *state;
	struct plan whole = built(w), ground, rest;

	plan_init(&ground);
	plan_ground(&ground, false);
	assert_int_equal(ground.err, 0);
	rest = plan_after_ground(w);
	assert_true(count_of(&whole, STEP_PROC) == 1 && count_of(&whole, STEP_DEV) == 6);
	for (unsigned step = 0; step < STEP_COUNT; step++)
		if (count_of(&whole, step) != count_of(&ground, step) + count_of(&rest, step))
			fail_msg("'%s': %zu, not %zu and %zu", step_table[step].name,
				 count_of(&whole, step), count_of(&ground, step),
				 count_of(&rest, step));
	assert_int_equal(count_of(&rest, STEP_BASE), 0);
	assert_int_equal(ground.ops[0].step, STEP_BASE);
	plan_release(&ground);
	plan_release(&rest);
	plan_release(&whole);
}

/* The clone of the host's root must not have the run's own tree, which is there already. */
static void test_the_own_tree_is_aside_while_the_root_is_opened(void **state)
{
	struct world *w = *state;
	size_t opened = 0, aside[2] = { 0, 0 }, n = 0;
	struct plan p;

	allow(w, PB_READ, "/");
	p = built(w);
	assert_int_equal(count_of(&p, STEP_ASIDE), 0);
	plan_release(&p);
	p = plan_after_ground(w);
	for (size_t i = 0; i < p.nops; i++) {
		if (p.ops[i].step == STEP_ASIDE && n < 2)
			aside[n++] = i;
		if (p.ops[i].step == STEP_OPEN)
			opened = i;
	}
	assert_int_equal(n, 2);
	assert_true(aside[0] < opened && opened < aside[1]);
	assert_true(p.ops[aside[0]].v == MS_UNBINDABLE && p.ops[aside[1]].v == MS_PRIVATE);
	/* the root is another, and gets devices and /proc of its own */
	assert_true(count_of(&p, STEP_PROC) == 1 && count_of(&p, STEP_DEV) == 6);
	plan_release(&p);
}

static void test_a_tree_of_the_hosts_proc_needs_one_plan(void **state)
{
	struct sandbox_node n[2] = { { .path = (char *)(uintptr_t)"/usr" },
				     { .path = (char *)(uintptr_t)"/x" } };
	struct sandbox_view v = { .nodes = n, .n = 2 };

	(void)state;
	assert_true(plan_ground_fits(&v));
	n[1].source = (char *)(uintptr_t)"/process";
	assert_true(plan_ground_fits(&v));
	n[1].source = (char *)(uintptr_t)"/proc/sys";
	assert_false(plan_ground_fits(&v));
	n[1].source = (char *)(uintptr_t)"/proc";
	assert_false(plan_ground_fits(&v));
	n[1].noted = true;
	assert_true(plan_ground_fits(&v));
	/* a mask of the run's own /proc is no tree of the host */
	n[1] = (struct sandbox_node){ .path = (char *)(uintptr_t)"/proc/cmdline", .masked = true };
	assert_true(plan_ground_fits(&v));
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
		WITH(world, test_a_scratch_tree_in_a_tree_of_the_host_is_pinned),
		WITH(world, test_nothing_is_pinned_without_a_restriction),
		WITH(world, test_root_is_read_only_before_the_pivot),
		WITH(world, test_two_plans_do_what_one_does),
		WITH(world, test_the_own_tree_is_aside_while_the_root_is_opened),
		WITH(world, test_a_tree_of_the_hosts_proc_needs_one_plan),
		WITH(world, test_damaged_plan_is_refused),
		cmocka_unit_test(test_step_names_are_unique),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
