/* What a root-run cannot write: entries of another owner, within bounds. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "runtime/base/io.h"
#include "runtime/polrun/foreign.h"

static char base[] = "/var/tmp/pol-foreign.XXXXXX";

static void make(const char *path, bool dir)
{
	char full[256];

	(void)snprintf(full, sizeof(full), "%s/%s", base, path);
	if (dir)
		assert_int_equal(mkdir(full, 0755), 0);
	else
		(void)close(open(full, O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
}

static bool give_away(const char *path)
{
	char full[256];

	(void)snprintf(full, sizeof(full), "%s/%s", base, path);
	return lchown(full, geteuid() + 1, (gid_t)-1) == 0;
}

static bool find(char out[64])
{
	AUTO_CLOSE int fd = open(base, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	assert_true(fd >= 0);
	return foreign_find(fd, out, 64);
}

static void test_only_other_owners_are_named(void **state)
{
	char out[64] = "";

	(void)state;
	make("a", true);
	make("a/b", true);
	make("a/b/c", true);
	make("a/b/c/d", true);
	make("a/b/c/d/deep", false);
	make("a/b/own", false);
	assert_false(find(out));
	if (!give_away("a/b/c/d/deep"))
		skip(); /* an ordinary user gives nothing away */
	assert_false(find(out)); /* below what is looked at */
	make("a/b/a\tname", false);
	assert_true(give_away("a/b/a\tname"));
	assert_true(find(out));
	assert_string_equal(out, "a/b/a\\x09name");
}

static void test_a_link_is_looked_at_and_not_through(void **state)
{
	char out[64] = "", full[256];

	(void)state;
	(void)snprintf(full, sizeof(full), "%s/a/link", base);
	assert_int_equal(symlink("/", full), 0);
	(void)snprintf(full, sizeof(full), "%s/a/b/a\tname", base);
	(void)unlink(full);
	assert_false(find(out));
	if (give_away("a/link")) {
		assert_true(find(out));
		assert_string_equal(out, "a/link");
	}
}

static int setup(void **state)
{
	(void)state;
	return mkdtemp(base) ? 0 : -1;
}

static int teardown(void **state)
{
	char cmd[128];

	(void)state;
	(void)snprintf(cmd, sizeof(cmd), "rm -rf '%s'", base);
	return system(cmd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_only_other_owners_are_named),
		cmocka_unit_test(test_a_link_is_looked_at_and_not_through),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
