/*
 * What a run holds open for writing: when it is let go, what is seen of a new name, and
 * what is remembered.  The directory of the test is the tree; names that begin with "no"
 * are denied, and those that end as /proc tells a removed one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/sys.h"
#include "runtime/supervise/held.h"

static char dir[] = "/tmp/pol-held.XXXXXX";
static struct held held;
static struct held_lost lost;
static int tree_fd;

static bool allows(void *arg, enum broker_op op, const char *path, bool is_dir, uint32_t *ret_rule)
{
	const char *last = strrchr(path, '/') + 1;

	(void)arg, (void)is_dir;
	if (strncmp(last, "no", 2) == 0 || strstr(path, "/no") != NULL) {
		*ret_rule = 7;
		return false;
	}
	if (strstr(last, " (deleted)")) {
		*ret_rule = 8;
		return false;
	}
	return op == BROKER_WRITE || strncmp(last, "blind", 5) != 0;
}

static struct broker broker = { .rules = { .allows = allows }, .self = -1, .cwd = -1 };

static void hold(size_t most)
{
	held_init(&held, &broker, most);
	held.events = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	assert_true(held.events >= 0);
}

static void let_go(void)
{
	(void)close(held.events);
	held_release(&held);
}

/* A descriptor that writes, noted as if a run had it. */
static int opened(const char *name)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(held_add(&held, fd, NULL, false), 0);
	return fd;
}

static size_t looked(void)
{
	held_look(&held, &lost);
	return held.n;
}

static bool told(void)
{
	char events[4096];

	return read(held.events, events, sizeof(events)) > 0;
}

static void test_closed_files_are_let_go(void **state)
{
	int a, b;

	(void)state;
	hold(1000);
	assert_int_equal(held_wait(&held, sys_now_ms()), -1);
	a = opened("a");
	b = opened("b");
	assert_in_range(held_wait(&held, sys_now_ms()), 0, HELD_SOON_MS);
	assert_int_equal(looked(), 2);
	assert_int_equal(held_wait(&held, sys_now_ms()), -1); /* they are watched now */
	(void)close(a);
	assert_int_equal(looked(), 1);
	assert_string_equal(lost.path, "");
	(void)close(b);
	assert_int_equal(looked(), 0);
	let_go();
}

static void test_a_mapping_counts(void **state)
{
	int fd;
	void *m;

	(void)state;
	hold(1000);
	fd = open("m", O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	assert_int_equal(ftruncate(fd, 4096), 0);
	assert_int_equal(held_add(&held, fd, NULL, false), 0);
	m = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(m, MAP_FAILED);
	(void)close(fd);
	assert_int_equal(looked(), 1);
	(void)munmap(m, 4096);
	assert_int_equal(looked(), 0);
	let_go();
}

/* An event tells of the new name, and the look of whether it is denied. */
static void moved_to(const char *to, bool seen)
{
	int fd = opened("sub/file");

	assert_int_equal(looked(), 1);
	assert_string_equal(lost.path, "");
	(void)told(); /* of the watch that ended before */
	assert_false(told());
	assert_int_equal(rename("sub/file", to), 0);
	assert_true(told());
	(void)looked();
	assert_int_equal(lost.path[0] != '\0', seen);
	assert_true(!seen || !strcmp(lost.path + strlen(lost.path) - strlen(to), to));
	assert_int_equal(lost.rule, seen ? 7 : BROKER_NO_RULE);
	assert_int_equal(held_wait(&held, sys_now_ms()) >= 0, seen);
	assert_int_equal(rename(to, "sub/file"), 0);
	(void)close(fd);
	assert_int_equal(looked(), 0);
}

static void test_a_denied_name_is_seen(void **state)
{
	(void)state;
	hold(1000);
	(void)mkdir("sub", 0755);
	moved_to("other", false); /* the control */
	moved_to("no-more", true);
	moved_to("sub/no-more", true);
	let_go();
}

static void test_a_name_that_is_not_read_is_denied(void **state)
{
	int fd;

	(void)state;
	hold(1000);
	fd = opened("seen");
	assert_int_equal(rename("seen", "blind"), 0);
	(void)looked();
	assert_non_null(strstr(lost.path, "/blind"));
	(void)close(fd);
	/* who has closed it reads no more; a name that is not written might have been before */
	assert_int_equal(looked(), 0);
	assert_string_equal(lost.path, "");
	fd = opened("seen");
	assert_int_equal(rename("seen", "no-more"), 0);
	(void)close(fd);
	(void)looked();
	assert_non_null(strstr(lost.path, "/no-more"));
	assert_int_equal(unlink("no-more"), 0);
	let_go();
}

/* By anybody, and in whatever way. */
static void test_what_is_open(void **state)
{
	int fd, at, again;
	void *map;

	(void)state;
	hold(1000);
	fd = open("some", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	at = open("some", O_PATH | O_CLOEXEC);
	assert_true(fd >= 0 && at >= 0 && ftruncate(fd, 1) == 0);
	assert_true(held_is_open(&held, at));
	assert_true(held_has_writer(&held, at));
	map = mmap(NULL, 1, PROT_READ, MAP_SHARED, fd, 0);
	assert_true(map != MAP_FAILED);
	(void)close(fd);
	assert_true(held_is_open(&held, at));
	assert_int_equal(munmap(map, 1), 0);
	assert_false(held_is_open(&held, at));
	fd = open("some", O_RDONLY | O_CLOEXEC);
	assert_true(held_is_open(&held, at));
	assert_false(held_has_writer(&held, at));
	(void)close(fd);
	assert_false(held_is_open(&held, at));
	/* asking leaves nothing behind */
	assert_false(held_is_open(&held, at));
	fd = open("some", O_RDONLY | O_CLOEXEC);
	assert_int_equal(held_ask(fd, F_RDLCK), 0);
	assert_int_equal(held_ask(fd, F_WRLCK), 0);
	assert_int_equal(fcntl(fd, F_GETLEASE), F_UNLCK);
	again = open("some", O_RDWR | O_CLOEXEC);
	assert_int_equal(held_ask(fd, F_RDLCK), -EAGAIN);
	assert_int_equal(held_ask(fd, F_WRLCK), -EAGAIN);
	(void)close(again);
	(void)close(fd);
	/* where there are no leases, and where they are for the owner */
	fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	assert_int_equal(held_ask(fd, F_RDLCK), -EACCES);
	(void)close(fd);
	fd = open("/bin/true", O_RDONLY | O_CLOEXEC);
	assert_int_equal(held_ask(fd, F_RDLCK), geteuid() ? -EACCES : 0);
	(void)close(fd);
	(void)close(at);
	let_go();
}

static void test_directories_above_are_watched(void **state)
{
	int fd;

	(void)state;
	hold(1000);
	assert_int_equal(mkdir("up", 0755) | mkdir("up/mid", 0755), 0);
	fd = opened("up/mid/file");
	assert_int_equal(looked(), 1);
	assert_false(told());
	assert_int_equal(rename("up/mid", "up/other"), 0);
	assert_true(told());
	assert_int_equal(looked(), 1);
	assert_string_equal(lost.path, "");
	assert_int_equal(rename("up", "no"), 0);
	assert_true(told());
	(void)looked();
	assert_non_null(strstr(lost.path, "/no/other/file"));
	(void)close(fd);
	let_go();
}

static void test_what_left_the_tree_or_has_no_name_is_not_lost(void **state)
{
	char outside[64];
	int fd;

	(void)state;
	hold(1000);
	(void)snprintf(outside, sizeof(outside), "%s.no", dir);
	fd = opened("leaves");
	assert_int_equal(rename("leaves", outside), 0);
	assert_int_equal(looked(), 1);
	assert_string_equal(lost.path, "");
	(void)unlink(outside);
	/* no call gives it a name again: only who has it open keeps its blocks */
	assert_int_equal(looked(), 0);
	assert_string_equal(lost.path, "");
	(void)close(fd);
	assert_int_equal(looked(), 0);
	let_go();
}

static void test_many_short_ones_cost_no_more_room(void **state)
{
	char name[32];
	size_t most = 0;

	(void)state;
	hold(400);
	for (int i = 0; i < 3000; i++) {
		(void)snprintf(name, sizeof(name), "f%d", i);
		(void)close(opened(name));
		most = held.n > most ? held.n : most;
		(void)unlink(name);
	}
	assert_in_range(most, 100, 399); /* the looks are cut short by time */
	let_go();
}

static void test_too_many_are_refused(void **state)
{
	int fd, fds[20];
	char name[32];

	(void)state;
	hold(20);
	for (int i = 0; i < 20; i++) {
		(void)snprintf(name, sizeof(name), "open%d", i);
		fds[i] = opened(name);
	}
	fd = open("more", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	assert_int_equal(held_add(&held, fd, NULL, false), -EMFILE);
	for (int i = 0; i < 20; i++)
		(void)close(fds[i]);
	assert_int_equal(held_add(&held, fd, NULL, false), 0); /* there is room again */
	(void)close(fd);
	let_go();
}

static void test_one_file_is_kept_once(void **state)
{
	int fd;

	(void)state;
	hold(400);
	fd = opened("log"); /* one process keeps it open, others come and go */
	for (int i = 0; i < 3000; i++)
		(void)close(opened("log"));
	assert_in_range(held.n, 1, 300);
	assert_int_equal(rename("log", "no-log"), 0);
	(void)looked();
	assert_non_null(strstr(lost.path, "/no-log"));
	(void)close(fd);
	let_go();
}

static void number(const char *name, struct statx *st)
{
	assert_int_equal(statx(AT_FDCWD, name, 0, STATX_INO | STATX_BTIME, st), 0);
}

static void test_what_was_had_is_remembered(void **state)
{
	struct statx st;
	char name[32];
	uint64_t k;

	(void)state;
	hold(10000);
	(void)close(open("theirs", O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
	for (int i = 0; i < 2000; i++) { /* more than the table begins with */
		(void)snprintf(name, sizeof(name), "had%d", i);
		(void)close(opened(name));
	}
	assert_int_equal(looked(), 0);
	for (int i = 0; i < 2000; i++) {
		(void)snprintf(name, sizeof(name), "had%d", i);
		number(name, &st);
		assert_true(known_files_may_have(&held.known, &st) && known_files_has(&held.known, &st));
		(void)unlink(name);
	}
	number("theirs", &st);
	assert_false(known_files_may_have(&held.known, &st));
	/* where not all could be remembered, it may have been one of them; but that is not known */
	assert_false(known_files_has(&held.known, &st));
	held.known.forgot = true;
	assert_true(known_files_may_have(&held.known, &st));
	assert_false(known_files_has(&held.known, &st));
	/* the same number for another file: only its time of birth differs */
	k = known_files_number(&st);
	st.stx_btime.tv_nsec ^= 1;
	if (st.stx_mask & STATX_BTIME)
		assert_int_not_equal(known_files_number(&st), k);
	let_go();
}

static void test_links_are_kept_by_each_name(void **state)
{
	int fd;

	(void)state;
	hold(1000);
	(void)close(open("one", O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
	assert_int_equal(link("one", "two"), 0);
	fd = open("one", O_PATH | O_CLOEXEC);
	assert_int_equal(held_add(&held, fd, NULL, true), 0);
	(void)close(fd);
	assert_int_equal(looked(), 1); /* nobody has it open */
	assert_int_equal(rename("one", "no-one"), 0);
	(void)looked();
	assert_non_null(strstr(lost.path, "/no"));
	assert_int_equal(rename("no-one", "one"), 0);
	assert_int_equal(unlink("two"), 0);
	assert_int_equal(looked(), 0); /* its only name is the one that was looked at */
	let_go();
}

/* The file has another name, and is open: what was removed is denied nothing. */
static void test_a_removed_name_is_none(void **state)
{
	int fd, again;

	(void)state;
	hold(1000);
	fd = opened("gone");
	assert_int_equal(link("gone", "stays"), 0);
	again = open("stays", O_PATH | O_CLOEXEC);
	assert_int_equal(held_add(&held, again, NULL, true), 0);
	assert_int_equal(held_add(&held, fd, NULL, true), 0);
	assert_int_equal(unlink("gone"), 0);
	assert_int_equal(looked(), 2); /* open once, and linked by the name that it has */
	assert_string_equal(lost.path, "");
	/* another file of that name is not it */
	(void)close(open("gone (deleted)", O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
	(void)looked();
	assert_string_equal(lost.path, "");
	assert_int_equal(unlink("gone (deleted)"), 0);
	/* the control: the other name is looked at */
	assert_int_equal(rename("stays", "no-stays"), 0);
	(void)looked();
	assert_int_equal(lost.rule, 7);
	(void)unlink("no-stays");
	(void)close(again);
	(void)close(fd);
	let_go();
}

/* Its directory is gone as well, and a link is there: it is looked at again, and not lost. */
static void test_what_cannot_be_looked_up_now_is_looked_at_again(void **state)
{
	int fd;

	(void)state;
	hold(1000);
	assert_int_equal(mkdir("way", 0755), 0);
	fd = opened("way/gone");
	assert_int_equal(link("way/gone", "other"), 0);
	assert_int_equal(unlink("way/gone"), 0);
	assert_int_equal(rmdir("way"), 0);
	assert_int_equal(symlink("sub", "way"), 0);
	assert_int_equal(looked(), 1);
	assert_string_equal(lost.path, "");
	assert_in_range(held_wait(&held, sys_now_ms()), 0, HELD_SOON_MS);
	assert_int_equal(unlink("way"), 0);
	(void)looked();
	assert_string_equal(lost.path, "");
	assert_int_equal(held_wait(&held, sys_now_ms()), -1);
	(void)unlink("other");
	(void)close(fd);
	let_go();
}

static void test_a_name_that_looks_removed_counts(void **state)
{
	int fd;

	(void)state;
	hold(1000);
	fd = opened("real");
	assert_int_equal(looked(), 1);
	assert_string_equal(lost.path, "");
	assert_int_equal(rename("real", "real (deleted)"), 0);
	(void)looked();
	assert_non_null(strstr(lost.path, "/real (deleted)"));
	assert_int_equal(lost.rule, 8);
	(void)unlink("real (deleted)");
	(void)close(fd);
	let_go();
}

static int set_up(void **state)
{
	(void)state;
	if (!mkdtemp(dir) || chdir(dir) != 0)
		return -1;
	tree_fd = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	broker.self = open("/proc/self/fd", O_PATH | O_DIRECTORY | O_CLOEXEC);
	return tree_fd < 0 || broker.self < 0 ? -1 : broker_trees_add(&broker.trees, BROKER_TREE, dir, tree_fd);
}

static int tear_down(void **state)
{
	char line[64];

	(void)state;
	broker_trees_release(&broker.trees);
	(void)close(tree_fd);
	(void)close(broker.self);
	(void)snprintf(line, sizeof(line), "rm -rf '%s'", dir);
	return chdir("/") != 0 || system(line) != 0;
}

/* Passes on what left_open.h would write. */
struct said {
	size_t n;
	uint64_t number;
	char path[256];
	bool denied;
};

static bool say(void *arg, uint64_t number, const char *path, bool denied)
{
	struct said *s = arg;

	s->n++;
	s->number = number;
	(void)snprintf(s->path, sizeof(s->path), "%s", path);
	s->denied = denied;
	return true;
}

static void test_what_is_still_open_is_told(void **state)
{
	struct said said = { 0 };
	struct statx st;
	int fd, again, gone;

	(void)state;
	hold(1000);
	(void)close(opened("shut"));
	gone = opened("gone");
	assert_int_equal(unlink("gone"), 0);
	assert_true(held_tell_open(&held, 10, say, &said));
	assert_int_equal(said.n, 0);
	fd = opened("yes");
	again = opened("yes");
	assert_int_equal(statx(fd, "", AT_EMPTY_PATH, STATX_INO | STATX_BTIME, &st), 0);
	assert_true(held_tell_open(&held, 10, say, &said));
	assert_int_equal(said.n, 1); /* once, however often it is open */
	assert_true(said.number == known_files_number(&st));
	assert_string_equal(strrchr(said.path, '/'), "/yes");
	assert_false(said.denied);
	assert_int_equal(rename("yes", "no-more"), 0);
	assert_true(held_tell_open(&held, 10, say, &said));
	assert_string_equal(strrchr(said.path, '/'), "/no-more");
	assert_true(said.denied);
	assert_false(held_tell_open(&held, 0, say, &said));
	(void)close(fd);
	(void)close(again);
	(void)close(gone);
	let_go();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_closed_files_are_let_go),
		cmocka_unit_test(test_a_mapping_counts),
		cmocka_unit_test(test_a_denied_name_is_seen),
		cmocka_unit_test(test_a_name_that_is_not_read_is_denied),
		cmocka_unit_test(test_what_is_open),
		cmocka_unit_test(test_directories_above_are_watched),
		cmocka_unit_test(test_what_left_the_tree_or_has_no_name_is_not_lost),
		cmocka_unit_test(test_many_short_ones_cost_no_more_room),
		cmocka_unit_test(test_too_many_are_refused),
		cmocka_unit_test(test_one_file_is_kept_once),
		cmocka_unit_test(test_what_was_had_is_remembered),
		cmocka_unit_test(test_links_are_kept_by_each_name),
		cmocka_unit_test(test_a_removed_name_is_none),
		cmocka_unit_test(test_what_cannot_be_looked_up_now_is_looked_at_again),
		cmocka_unit_test(test_a_name_that_looks_removed_counts),
		cmocka_unit_test(test_what_is_still_open_is_told),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
