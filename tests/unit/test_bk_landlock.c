/* landlock.bin: rights per ABI version, against the list of linux/landlock.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <linux/landlock.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "runtime/bundle/check.h"
#include "tests/unit/bundle_make.h"

static const struct pb_landlock_abi *emit(struct mk *m, uint32_t *ret_n)
{
	const struct bk_member *b;
	const struct pb_landlock *h;

	assert_true(bk_landlock.emit(m->ir, &m->out, &m->sink));
	assert_null(bk_landlock.verify(m->ir, &m->out, &m->a));
	b = bk_member(&m->out, PB_LANDLOCK);
	assert_int_equal(bundle_check_landlock(b->bytes.p, b->bytes.n, NULL), 0);
	h = (const void *)b->bytes.p;
	*ret_n = h->abis.count;
	return (const void *)(b->bytes.p + h->abis.off);
}

static void test_rights_of_each_abi(void **state)
{
	/* Handled rights: bits 0..12, then REFER, TRUNCATE, IOCTL_DEV. */
	static const uint64_t handled[8] = { 0,      0x1fff, 0x3fff, 0x7fff,
					     0x7fff, 0xffff, 0xffff, 0xffff };
	const struct pb_landlock_abi *v;
	struct mk m;
	uint32_t n;

	(void)state;
	mk_init(&m);
	v = emit(&m, &n);
	assert_int_equal(n, 7);
	for (uint32_t i = 0; i < n; i++) {
		assert_int_equal(v[i].abi, i + 1);
		assert_int_equal(v[i].handled_fs, handled[i + 1]);
		assert_int_equal(v[i].handled_net, 0);
		assert_int_equal(v[i].scoped, i + 1 >= 6 ? 3 : 0);
		assert_int_equal(v[i].read_dir, LANDLOCK_ACCESS_FS_READ_FILE |
							LANDLOCK_ACCESS_FS_READ_DIR);
		assert_int_equal(v[i].read_file, LANDLOCK_ACCESS_FS_READ_FILE);
		assert_int_equal(v[i].exec_dir, LANDLOCK_ACCESS_FS_EXECUTE);
		assert_int_equal(v[i].exec_file, LANDLOCK_ACCESS_FS_EXECUTE);
		assert_int_equal(v[i].write_dir, handled[i + 1] & ~(uint64_t)0xd);
		assert_int_equal(v[i].write_file, handled[i + 1] & 0xc002);
	}
	mk_release(&m);
}

/* The running kernel takes each ruleset up to its own ABI. */
static void test_the_kernel_takes_the_rulesets(void **state)
{
	const struct pb_landlock_abi *v;
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0,
			   LANDLOCK_CREATE_RULESET_VERSION);
	uint64_t attr[3];
	struct mk m;
	uint32_t n;

	(void)state;
	if (abi < 1) {
		print_message("no Landlock here\n");
		skip();
	}
	mk_init(&m);
	v = emit(&m, &n);
	for (uint32_t i = 0; i < n && v[i].abi <= (uint32_t)abi; i++) {
		size_t size = v[i].abi >= 6 ? 24 : v[i].abi >= 4 ? 16 : 8;
		long fd;

		attr[0] = v[i].handled_fs;
		attr[1] = v[i].handled_net;
		attr[2] = v[i].scoped;
		fd = syscall(SYS_landlock_create_ruleset, attr, size, 0);
		assert_true(fd >= 0);
		close((int)fd);
	}
	mk_release(&m);
}

static void test_it_speaks_of_allow_rules_only(void **state)
{
	struct ir_rule *allow, *deny;
	struct mk m;

	(void)state;
	mk_init(&m);
	allow = mk_file(&m, IR_ALLOW, IR_READ, IR_ROOT_FS, "/usr");
	deny = mk_file(&m, IR_DENY, IR_WRITE, IR_ROOT_FS, "/usr/x");
	bk_landlock.check(m.ir, &m.report, &m.sink);
	assert_int_equal(mk_exactness(&m, allow, "landlock", NULL), BK_EXACT);
	assert_int_equal(mk_exactness(&m, deny, "landlock", NULL), BK_NONE);
	mk_release(&m);
}

static void test_verify_sees_wrong_rights(void **state)
{
	struct pb_landlock_abi *v;
	struct bk_member *b;
	struct mk m;
	uint32_t n;

	(void)state;
	mk_init(&m);
	(void)emit(&m, &n);
	b = &m.out.members.v[0];
	b->bytes.p = arena_dup(&m.a, b->bytes.p, b->bytes.n);
	v = (struct pb_landlock_abi *)(uintptr_t)(b->bytes.p +
						  sizeof(struct pb_landlock));
	v[2].read_dir |= LANDLOCK_ACCESS_FS_WRITE_FILE;
	assert_non_null(bk_landlock.verify(m.ir, &m.out, &m.a));
	v[2].read_dir &= ~(uint64_t)LANDLOCK_ACCESS_FS_WRITE_FILE;
	v[2].write_dir &= ~(uint64_t)LANDLOCK_ACCESS_FS_MAKE_REG;
	assert_non_null(bk_landlock.verify(m.ir, &m.out, &m.a));
	v[2].write_dir |= LANDLOCK_ACCESS_FS_MAKE_REG;
	v[6].scoped = 1;
	assert_non_null(bk_landlock.verify(m.ir, &m.out, &m.a));
	v[6].scoped = 3;
	assert_null(bk_landlock.verify(m.ir, &m.out, &m.a));
	mk_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rights_of_each_abi),
		cmocka_unit_test(test_the_kernel_takes_the_rulesets),
		cmocka_unit_test(test_it_speaks_of_allow_rules_only),
		cmocka_unit_test(test_verify_sees_wrong_rights),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
