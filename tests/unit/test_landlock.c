/* Which rights Landlock has at each ABI version: runtime/base/landlock.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <errno.h>
#include <unistd.h>

#include <cmocka.h>

#include "runtime/base/landlock.h"
#include "runtime/base/sys.h"
#include "runtime/bundle/check.h"
#include "tests/unit/bundle_make.h"

/* As numbers of linux/landlock.h, so that a wrong name in compat.h is seen. */
static void test_each_version_adds_its_rights(void **state)
{
	static const struct {
		uint64_t fs, net, scoped;
		size_t size;
	} want[] = {
		{ 0, 0, 0, 8 },      { 0x1fff, 0, 0, 8 },  { 0x3fff, 0, 0, 8 },
		{ 0x7fff, 0, 0, 8 }, { 0x7fff, 3, 0, 16 }, { 0xffff, 3, 0, 16 },
		{ 0xffff, 3, 3, 24 }, { 0xffff, 3, 3, 24 }, { 0xffff, 3, 3, 24 },
	};

	(void)state;
	for (size_t abi = 0; abi < sizeof(want) / sizeof(want[0]); abi++) {
		struct rt_landlock_attr a = landlock_all((int)abi);

		assert_int_equal(a.handled_access_fs, want[abi].fs);
		assert_int_equal(a.handled_access_net, want[abi].net);
		assert_int_equal(a.scoped, want[abi].scoped);
		assert_int_equal(landlock_attr_size((int)abi), want[abi].size);
	}
	assert_int_equal(landlock_all(-1).handled_access_fs, 0);
}

/* The compiler has its own list, by operations: both name the same rights. */
static void test_a_bundle_has_the_same(void **state)
{
	const struct pb_landlock_abi *v;
	const struct bk_member *b;
	const struct pb_landlock *h;
	struct mk m;

	(void)state;
	mk_init(&m);
	assert_true(bk_landlock.emit(m.ir, &m.out, &m.sink));
	b = bk_member(&m.out, PB_LANDLOCK);
	h = (const void *)b->bytes.p;
	v = (const void *)(b->bytes.p + h->abis.off);
	assert_true(h->abis.count >= 7);
	for (uint32_t i = 0; i < h->abis.count; i++) {
		struct rt_landlock_attr a = landlock_all((int)v[i].abi);

		assert_int_equal(a.handled_access_fs, v[i].handled_fs);
		assert_int_equal(a.scoped, v[i].scoped);
	}
	mk_release(&m);
}

/* This kernel takes what its own version has, and not what a later one adds. */
static void test_the_kernel_agrees(void **state)
{
	int abi = sys_landlock_abi(), most = abi < 6 ? abi + 1 : abi;

	(void)state;
	if (abi < 1) {
		print_message("no Landlock here\n");
		skip();
	}
	for (int i = 1; i <= most; i++) {
		struct rt_landlock_attr a = landlock_all(i);
		int fd = landlock_ruleset(&a, i);

		assert_true(i <= abi ? fd >= 0 : fd < 0);
		if (fd >= 0)
			(void)close(fd);
	}
	/* what is set behind the size is an error of ours that the kernel would not see */
	if (abi >= 4) {
		struct rt_landlock_attr a = landlock_all(abi);

		a.handled_access_net |= UINT64_C(1) << 63;
		assert_int_equal(landlock_ruleset(&a, abi), -1);
		assert_int_equal(errno, EINVAL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_version_adds_its_rights),
		cmocka_unit_test(test_a_bundle_has_the_same),
		cmocka_unit_test(test_the_kernel_agrees),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
