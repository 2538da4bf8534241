/* What counts as a change of a name, how often a name is kept, and what is lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/supervise/effects.h"

static const struct effect_look nothing;
static const struct effect_look file = { .dev = 1, .ino = 2, .size = 3, .mtime_ns = 4,
					 .ctime_ns = 5, .mode = S_IFREG | 0644 };
static const struct effect_look folder = { .dev = 1, .ino = 3, .size = 4096, .mtime_ns = 4,
					   .ctime_ns = 5, .mode = S_IFDIR | 0755 };

static enum effect_op op(const struct effect_look *before, const struct effect_look *after)
{
	const struct effect e = { .before = *before, .after = *after };

	return effect_op_of(&e);
}

static void test_what_counts(void **state)
{
	struct effect_look now = file;
	struct effect e = { .before = file, .after = file };

	(void)state;
	assert_int_equal(op(&file, &file), EFFECT_NONE);
	assert_int_equal(op(&nothing, &nothing), EFFECT_NONE);
	assert_int_equal(op(&nothing, &file), EFFECT_CREATE);
	assert_int_equal(op(&file, &nothing), EFFECT_DELETE);
	now.ctime_ns++; /* as much content, with the old time of change */
	assert_int_equal(op(&file, &now), EFFECT_MODIFY);
	now = file;
	now.ino++; /* another file was put there */
	assert_int_equal(op(&file, &now), EFFECT_MODIFY);
	now = file;
	now.mode = S_IFREG | 0600;
	assert_int_equal(op(&file, &now), EFFECT_MODIFY);
	assert_int_equal(op(&file, &folder), EFFECT_MODIFY);
	e.recent = true;
	assert_int_equal(effect_op_of(&e), EFFECT_MODIFY);
}

static void test_directories(void **state)
{
	struct effect_look now = folder;
	struct effect e = { .before = folder, .after = folder, .recent = true };

	(void)state;
	assert_int_equal(effect_op_of(&e), EFFECT_NONE);
	now.mtime_ns = now.ctime_ns = 99; /* what lies in it has changed */
	now.size = 8192;
	assert_int_equal(op(&folder, &now), EFFECT_NONE);
	now.mode = S_IFDIR | 0700;
	assert_int_equal(op(&folder, &now), EFFECT_MODIFY);
}

/* The first look is the one before the run. */
static void test_first_look(void **state)
{
	char dir[] = "/tmp/pol-effects.XXXXXX", path[64];
	struct effects e = { .n = 0 };
	int at, fd;

	(void)state;
	assert_non_null(mkdtemp(dir));
	at = open(dir, O_RDONLY | O_DIRECTORY);
	(void)snprintf(path, sizeof(path), "%s/f", dir);
	effects_note(&e, "/p/f", at, "f");
	assert_int_equal(e.n, 1);
	assert_int_equal(e.v[0].before.mode, 0);
	fd = open(path, O_CREAT | O_WRONLY, 0600);
	assert_int_equal(write(fd, "abc", 3), 3);
	effects_note(&e, "/p/f", at, "f");
	effects_note(&e, "/p/g", fd, "");
	effects_note(&e, "/p/h", -1, "");
	effects_note(&e, "/p/i", fd, "below a file");
	assert_int_equal(e.n, 4);
	assert_int_equal(e.v[0].before.mode, 0);
	assert_int_equal(e.v[1].before.size, 3);
	assert_true(e.v[1].recent);
	assert_int_equal(e.v[2].before.mode, 0);
	assert_int_equal(e.v[3].before.mode, 0);
	assert_int_equal(e.lost, 0);
	effects_note(&e, "/p/j", 12345, "f");
	assert_int_equal(e.lost, 1);
	(void)close(fd);
	(void)close(at);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(dir), 0);
	effects_release(&e);
}

static void test_settled(void **state)
{
	struct effects e = { .n = 0 };

	(void)state;
	assert_non_null(effects_put(&e, "/p/z", &nothing, &file));
	assert_non_null(effects_put(&e, "/p/m", &file, &file));
	assert_non_null(effects_put(&e, "/p/a", &file, &nothing));
	assert_non_null(effects_put(&e, "/p/q", &nothing, &file));
	effect_unknown(&e, &e.v[3]);
	effects_settle(&e);
	assert_int_equal(e.n, 2);
	assert_string_equal(e.v[0].path, "/p/a");
	assert_string_equal(e.v[1].path, "/p/z");
	assert_int_equal(e.lost, 1);
	effects_release(&e);
}

static void test_too_many(void **state)
{
	struct effects e = { .n = 0 };
	char path[32];

	(void)state;
	for (unsigned i = 0; i < EFFECTS_MAX + 464; i++) {
		(void)snprintf(path, sizeof(path), "/p/%u", i);
		effects_note(&e, path, -1, "");
	}
	assert_int_equal(e.n, EFFECTS_MAX);
	assert_int_equal(e.lost, 464);
	effects_note(&e, "/p/7", -1, ""); /* it is there already */
	assert_int_equal(e.lost, 464);
	assert_null(effects_put(&e, "/q", &nothing, &file));
	assert_int_equal(e.lost, 465);
	assert_non_null(effects_put(&e, "/p/9", &nothing, &file));
	assert_int_equal(e.lost, 465);
	effects_release(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_counts),
		cmocka_unit_test(test_directories),
		cmocka_unit_test(test_first_look),
		cmocka_unit_test(test_settled),
		cmocka_unit_test(test_too_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
