/* Finds a mount in a table of mounts: walls_way.c. */
#include "tests/unit/fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/supervise/walls_way.h"

static int table_of(const char *text)
{
	char name[] = "/tmp/pol-walls.XXXXXX";
	int fd = mkstemp(name);

	assert_true(fd >= 0);
	assert_int_equal(unlink(name), 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	return fd;
}

static void test_a_mount_is_found_by_its_number_and_its_place(void **state)
{
	int fd = table_of("21 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n"
			  "211 21 254:0 /home/u/a /srv/a rw shared:1 - ext4 /dev/vda rw\n"
			  "212 21 0:44 /x\\040y /srv/a\\040b\\134c rw - tmpfs tmpfs rw\n");

	(void)state;
	assert_int_equal(walls_way_has_mount(fd, 211, "/srv/a"), 1);
	assert_int_equal(walls_way_has_mount(fd, 211, "/srv/a/b"), 0);
	assert_int_equal(walls_way_has_mount(fd, 211, "/srv/"), 0);
	assert_int_equal(walls_way_has_mount(fd, 211, "/home/u/a"), 0);
	assert_int_equal(walls_way_has_mount(fd, 21, "/srv/a"), 0);
	assert_int_equal(walls_way_has_mount(fd, 21, "/"), 1);
	assert_int_equal(walls_way_has_mount(fd, 2, "/srv/a"), 0);
	assert_int_equal(walls_way_has_mount(fd, 212, "/srv/a b\\c"), 1);
	assert_int_equal(walls_way_has_mount(fd, 212, "/srv/a"), 0);
	(void)close(fd);
}

/* More than one read brings. */
static void test_a_long_table_is_read_to_its_end(void **state)
{
	char *text = malloc(1u << 20);
	size_t n = 0;
	int fd;

	(void)state;
	assert_non_null(text);
	for (int i = 100; i < 4100; i++)
		n += (size_t)snprintf(text + n, (1u << 20) - n,
				      "%d 21 0:44 /some/root/%d /some/long/place/of/a/mount/%d rw - tmpfs tmpfs rw\n",
				      i, i, i);
	fd = table_of(text);
	free(text);
	assert_int_equal(walls_way_has_mount(fd, 4099, "/some/long/place/of/a/mount/4099"), 1);
	assert_int_equal(walls_way_has_mount(fd, 2000, "/some/long/place/of/a/mount/2000"), 1);
	assert_int_equal(walls_way_has_mount(fd, 2000, "/some/long/place/of/a/mount/200"), 0);
	(void)close(fd);
}

static void test_a_line_that_is_no_mount_is_none(void **state)
{
	int fd = table_of("\n21\n21 1\n21 1 2:3 /\nx 1 2:3 / /a\n");

	(void)state;
	assert_int_equal(walls_way_has_mount(fd, 21, "/"), 0);
	assert_int_equal(walls_way_has_mount(fd, 0, "/a"), 0);
	(void)close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_mount_is_found_by_its_number_and_its_place),
		cmocka_unit_test(test_a_long_table_is_read_to_its_end),
		cmocka_unit_test(test_a_line_that_is_no_mount_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
