/* Which file systems do not tell "A" from "a". */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/folds.h"

static void test_types(void **state)
{
	(void)state;
	assert_true(folds_by_type(MSDOS_SUPER_MAGIC));
	assert_true(folds_by_type(0x7366746e));
	assert_true(folds_by_type((long)(int)0xff534d42)); /* as a 32-bit kernel says it */
	assert_true(folds_by_type(0xff534d42));
	assert_false(folds_by_type(EXT4_SUPER_MAGIC));
	assert_false(folds_by_type(TMPFS_MAGIC));
}

/* Two names of one file look as a file system that folds case does. */
static void test_names(void **state)
{
	char dir[] = "/tmp/pol-folds.XXXXXX";
	int at, fd;

	(void)state;
	assert_non_null(mkdtemp(dir));
	at = open(dir, O_PATH | O_DIRECTORY);
	assert_true(at >= 0);
	assert_false(folds_by_names(at));
	fd = openat(at, "Read.me", O_CREAT | O_WRONLY, 0600);
	assert_true(fd >= 0 && close(fd) == 0);
	fd = openat(at, "123", O_CREAT | O_WRONLY, 0600);
	assert_true(fd >= 0 && close(fd) == 0);
	assert_false(folds_by_names(at));
	fd = openat(at, "rEAD.ME", O_CREAT | O_WRONLY, 0600);
	assert_true(fd >= 0 && close(fd) == 0);
	assert_false(folds_by_names(at));
	assert_int_equal(unlinkat(at, "rEAD.ME", 0), 0);
	assert_int_equal(linkat(at, "Read.me", at, "rEAD.ME", 0), 0);
	assert_true(folds_by_names(at));
	/* a file system of Linux's own is asked for its flag instead */
	assert_int_equal(folds_case(at), 0);
	assert_int_equal(unlinkat(at, "rEAD.ME", 0), 0);
	assert_int_equal(unlinkat(at, "Read.me", 0), 0);
	assert_int_equal(unlinkat(at, "123", 0), 0);
	(void)close(at);
	assert_int_equal(rmdir(dir), 0);
	assert_int_equal(folds_case(at), -EBADF);
}

/* As a user who is not root sees it. */
static int asked_by_a_user(int dir)
{
	int status = -1;
	pid_t pid = fork();

	if (pid == 0) {
		if (geteuid() == 0 && seteuid(65534) != 0)
			_exit(100);
		_exit(-folds_case(dir));
	}
	assert_true(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void test_closed(void **state)
{
	char dir[] = "/tmp/pol-folds.XXXXXX";
	int at;

	(void)state;
	assert_non_null(mkdtemp(dir));
	at = open(dir, O_PATH | O_DIRECTORY);
	assert_true(at >= 0);
	assert_int_equal(chmod(dir, 0), 0);
	assert_int_equal(asked_by_a_user(at), 0);
	/* names that are known can be reached */
	assert_int_equal(chmod(dir, 0311), 0);
	assert_int_equal(asked_by_a_user(at), EACCES);
	assert_int_equal(chmod(dir, 0755), 0);
	assert_int_equal(asked_by_a_user(at), 0);
	(void)close(at);
	assert_int_equal(rmdir(dir), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_types),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_closed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
