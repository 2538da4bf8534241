/* Files are read within their limits; spans become lines and columns. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compiler/source/source.h"
#include "tests/unit/fixture.h"

static char dir[] = "/tmp/test_source.XXXXXX";

static int dir_setup(void **state)
{
	(void)texts_setup(state);
	return mkdtemp(dir) ? 0 : -1;
}

static int dir_teardown(void **state)
{
	(void)texts_teardown(state);
	return rmdir(dir);
}

static struct span at(uint32_t file, uint32_t off, uint32_t len)
{
	return (struct span){ file, off, len };
}

static void assert_str(struct str s, const char *want)
{
	if (!str_eqz(s, want))
		fail_msg("'%.*s' is not '%s'", STR_ARG(s), want);
}

static void test_a_place_is_a_line_and_a_column(void **state)
{
	static const struct {
		uint32_t off, line, col;
		const char *text;
	} rows[] = {
		{ 0, 1, 1, "ab" }, { 1, 1, 2, "ab" }, { 2, 1, 3, "ab" },
		{ 3, 2, 1, "" },   { 4, 3, 1, "cde" }, { 6, 3, 3, "cde" },
		{ 7, 3, 4, "cde" }, { 9, 4, 1, "" },	{ 999, 4, 1, "" },
	};
	uint32_t f = source_add(&map, STR("x.pol"), STR("ab\n\ncde\r\n"));

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct source_pos p = source_locate(&map, at(f, rows[i].off, 1));

		print_message("offset %u\n", rows[i].off);
		assert_int_equal(p.line, rows[i].line);
		assert_int_equal(p.col, rows[i].col);
		assert_str(p.text, rows[i].text);
		assert_str(p.file, "x.pol");
	}
}

static void test_no_place_has_line_zero(void **state)
{
	(void)state;
	assert_int_equal(source_locate(&map, SPAN_NONE).line, 0);
	assert_int_equal(source_text(&map, SPAN_NONE).n, 0);
}

static void test_a_file_without_a_last_newline(void **state)
{
	uint32_t f = source_add(&map, STR("y"), STR("a\nbc"));
	struct source_pos p = source_locate(&map, at(f, 4, 0));

	(void)state;
	assert_int_equal(p.line, 2);
	assert_int_equal(p.col, 3);
	assert_str(p.text, "bc");
	assert_str(source_text(&map, at(f, 2, 2)), "bc");
	assert_str(source_text(&map, at(f, 3, 99)), "c");
	f = source_add(&map, STR("empty"), STR(""));
	assert_int_equal(source_locate(&map, at(f, 0, 0)).line, 1);
}

static void test_spans_join_in_either_order(void **state)
{
	struct span a = at(1, 10, 5), b = at(1, 2, 3), inner = at(1, 11, 1);
	struct span j = span_join(a, b);

	(void)state;
	assert_int_equal(j.off, 2);
	assert_int_equal(j.len, 13);
	j = span_join(a, inner);
	assert_int_equal(j.off, 10);
	assert_int_equal(j.len, 5);
	j = span_join(SPAN_NONE, a);
	assert_int_equal(j.off, 10);
	j = span_join(a, SPAN_NONE);
	assert_int_equal(j.off, 10);
}

static const char *path_in_dir(const char *name)
{
	return arena_printf(&arena, "%s/%s", dir, name);
}

static void write_file(const char *path, const char *text, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, n), (ssize_t)n);
	close(fd);
}

static void test_a_regular_file_is_read_whole(void **state)
{
	const char *path = path_in_dir("a.pol");
	uint32_t f = 99;

	(void)state;
	write_file(path, "x\0y\n", 4);
	assert_int_equal(source_read(&map, path, STR("shown"), &f), 0);
	assert_int_equal(map.files.v[f].text.n, 4);
	assert_memory_equal(map.files.v[f].text.p, "x\0y\n", 5);
	assert_str(map.files.v[f].name, "shown");
	unlink(path);
}

static void test_a_file_that_grows_is_read_to_its_end(void **state)
{
	uint32_t f;

	(void)state;
	/* The size of a file in /proc is 0. */
	assert_int_equal(source_read(&map, "/proc/self/status", STR("s"), &f), 0);
	assert_true(map.files.v[f].text.n > 100);
}

static void test_what_is_no_regular_file_is_refused(void **state)
{
	const char *fifo = path_in_dir("fifo"), *big = path_in_dir("big");
	uint32_t f = 7;

	(void)state;
	assert_int_equal(source_read(&map, dir, STR("d"), &f), -EISDIR);
	assert_int_equal(source_read(&map, "/dev/null", STR("d"), &f), -EINVAL);
	assert_int_equal(source_read(&map, path_in_dir("none"), STR("d"), &f), -ENOENT);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(source_read(&map, fifo, STR("d"), &f), -EINVAL);
	unlink(fifo);
	write_file(big, "x", 1);
	assert_int_equal(truncate(big, (off_t)SOURCE_MAX_BYTES + 1), 0);
	assert_int_equal(source_read(&map, big, STR("d"), &f), -EFBIG);
	unlink(big);
	assert_int_equal(f, 7); /* touched on success only */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_place_is_a_line_and_a_column),
		cmocka_unit_test(test_no_place_has_line_zero),
		cmocka_unit_test(test_a_file_without_a_last_newline),
		cmocka_unit_test(test_spans_join_in_either_order),
		cmocka_unit_test(test_a_regular_file_is_read_whole),
		cmocka_unit_test(test_a_file_that_grows_is_read_to_its_end),
		cmocka_unit_test(test_what_is_no_regular_file_is_refused),
	};

	return cmocka_run_group_tests(tests, dir_setup, dir_teardown);
}
