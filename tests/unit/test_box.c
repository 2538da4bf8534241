/* Conditions and network boxes by hand; prop_sets compares with brute force. */
#include "compiler/sets/box.h"
#include "tests/unit/fixture.h"

static struct ir_cond *cmp(uint8_t arg, uint64_t mask, enum ir_cmp op, uint64_t value)
{
	struct ir_cond *c = ARENA_NEW(&arena, struct ir_cond);

	*c = (struct ir_cond){ .op = IR_C_CMP, .arg = arg, .width = 64, .cmp = op,
			       .mask = mask, .value = value };
	return c;
}

static void test_masks_of_one_argument_together(void **state)
{
	struct box_atom v[] = { { cmp(1, 6, IR_EQ, 4), false },
				{ cmp(1, 3, IR_EQ, 2), false } };
	uint64_t args[6] = { 9, 9, 9, 9, 9, 9 };

	(void)state;
	/* bit 1 would have to be both */
	assert_false(box_atoms_hold(v, 2, args));
	assert_int_equal(args[1], 9);
	v[1].cmp = cmp(1, 3, IR_EQ, 1);
	assert_true(box_atoms_hold(v, 2, args));
	assert_int_equal(args[1], 5);
	assert_int_equal(args[0], 0);
	v[1].cmp = cmp(1, UINT64_MAX, IR_GT, 5);
	assert_true(box_atoms_hold(v, 2, args));
	assert_int_equal(args[1], 12);
}

static void test_upper_half_is_not_looked_at(void **state)
{
	struct ir_cond *low = cmp(0, UINT64_MAX, IR_EQ, 7);
	struct box_atom v[] = { { low, false },
				{ cmp(0, UINT64_MAX, IR_GT, UINT32_MAX), false } };
	uint64_t args[6];

	(void)state;
	assert_false(box_atoms_hold(v, 2, args));
	low->width = 32;
	assert_true(box_atoms_hold(v, 2, args));
	assert_true(args[0] == ((uint64_t)1 << 32) + 7);
}

static void test_many_atoms(void **state)
{
	struct box_atom v[200];
	uint64_t args[6];
	size_t i;

	(void)state;
	for (i = 0; i < 199; i++)
		v[i] = (struct box_atom){ cmp(2, UINT64_MAX, IR_EQ, i), true };
	v[199] = (struct box_atom){ cmp(2, UINT64_MAX, IR_LE, 199), false };
	assert_true(box_atoms_hold(v, 200, args));
	assert_int_equal(args[2], 199);
	v[199].cmp = cmp(2, UINT64_MAX, IR_LT, 199);
	assert_false(box_atoms_hold(v, 200, args));
}

static void test_inclusion_of_trees(void **state)
{
	struct ir_cond *lo = cmp(0, UINT64_MAX, IR_GE, 10);
	struct ir_cond *hi = cmp(0, UINT64_MAX, IR_LE, 20);
	struct ir_cond *in = box_and(&arena, lo, hi);
	struct ir_cond *wide = box_not(&arena, box_or(&arena, cmp(0, UINT64_MAX, IR_LT, 5),
						      cmp(0, UINT64_MAX, IR_GT, 20)));
	uint64_t args[6];

	(void)state;
	assert_int_equal(box_cond_included(&arena, in, wide, args), SET_HOLDS);
	assert_int_equal(box_cond_included(&arena, wide, in, args), SET_WITNESS);
	assert_int_equal(args[0], 5);
	assert_int_equal(box_cond_included(&arena, in, NULL, args), SET_HOLDS);
	assert_int_equal(box_cond_included(&arena, NULL, in, args), SET_WITNESS);
	lo = box_or(&arena, lo, box_not(&arena, lo));
	assert_int_equal(box_cond_included(&arena, NULL, lo, args), SET_HOLDS);
}

static void test_folding(void **state)
{
	struct ir_cond *x = cmp(0, 1, IR_EQ, 1), *no = box_not(&arena, NULL);

	(void)state;
	assert_int_equal(no->op, IR_C_FALSE);
	assert_ptr_equal(box_and(&arena, NULL, x), x);
	assert_ptr_equal(box_and(&arena, x, no), no);
	assert_ptr_equal(box_or(&arena, x, no), x);
	assert_null(box_or(&arena, x, NULL));
	assert_ptr_equal(box_not(&arena, box_not(&arena, x)), x);
}

/* --- network -------------------------------------------------------------------- */

static struct ir_net net(const char *cidr, uint16_t lo, uint16_t hi)
{
	struct ir_net n = { .protos = IR_TCP, .host = IR_HOST_CIDR, .port_lo = lo,
			    .port_hi = hi };
	bool bits;

	assert_true(num_cidr(str_from(cidr), &n.cidr, &bits));
	return n;
}

static struct ir_net named(enum ir_host_kind kind, const char *name)
{
	return (struct ir_net){ .protos = IR_TCP, .host = kind, .name = str_from(name),
				.port_lo = 1, .port_hi = 443 };
}

static void test_nets(void **state)
{
	struct ir_net ten = net("10.0.0.0/8", 1, 443), low = net("10.0.0.0/9", 1, 443);
	struct ir_net high = net("10.128.0.0/9", 1, 100);
	struct ir_net rest = net("10.128.0.0/9", 101, 443);
	struct ir_net below = named(IR_HOST_BELOW, "example.com");
	struct ir_net apex = named(IR_HOST_NAME, "example.com");
	struct ir_net deep = named(IR_HOST_NAME, "a.b.example.com");
	struct ir_net other = named(IR_HOST_NAME, "badexample.com");
	const struct ir_net *parts[] = { &low, &high, &rest };

	(void)state;
	assert_true(box_net_included(&low, &ten));
	assert_false(box_net_included(&ten, &low));
	assert_true(box_net_meets(&ten, &high));
	assert_false(box_net_meets(&low, &high));
	assert_false(box_net_meets(&high, &rest));
	assert_true(box_net_included(&deep, &below));
	assert_false(box_net_included(&apex, &below));
	assert_false(box_net_included(&other, &below));
	assert_false(box_net_meets(&ten, &below));
	/* halves and port ranges add up, and one missing port is seen */
	assert_true(box_net_covered(&ten, parts, 3));
	rest.port_hi = 442;
	assert_false(box_net_covered(&ten, parts, 3));
	rest.port_hi = 443;
	ten.protos = IR_ANY_PROTO;
	assert_false(box_net_covered(&ten, parts, 3));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH(arena, test_masks_of_one_argument_together),
		WITH(arena, test_upper_half_is_not_looked_at),
		WITH(arena, test_many_atoms),
		WITH(arena, test_inclusion_of_trees),
		WITH(arena, test_folding),
		WITH(arena, test_nets),
	};

	return cmocka_run_group_tests_name("box", tests, NULL, NULL);
}
