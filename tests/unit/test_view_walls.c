/*
 * What a process of the host could take away from a view: view_walls.c over a
 * directory that stands for the host.
 */
#include "tests/unit/view_fixture.h"

#define NO_WALL UINT8_MAX

static const struct sandbox_wall *wall_at(const struct world *w, const char *path)
{
	for (size_t i = 0; i < w->v.nwalls; i++)
		if (!strcmp(w->v.walls[i].path, path))
			return &w->v.walls[i];
	return NULL;
}

static uint8_t kind_at(const struct world *w, const char *path)
{
	const struct sandbox_wall *wall = wall_at(w, path);

	return wall ? wall->kind : NO_WALL;
}

static int anywhere_setup(void **state)
{
	int r = world_setup(state);
	struct world *w = *state;

	make_dir(w, "/run/user");
	make_dir(w, "/tmp");
	make_dir(w, "/dev/shm");
	make_dir(w, "/proc");
	allow(w, PB_READ, "/");
	allow(w, RX, "/usr");
	return r;
}

static void test_restrictions_in_a_tree_of_the_host_are_walls(void **state)
{
	struct world *w = *state;
	uint32_t locked, hidden;

	make_dir(w, "/home/u/p/keys");
	make_file(w, "/home/u/p/.env", "x");
	locked = deny(w, PB_WRITE, "/home/u/p/src");
	hide(w, "/home/u/p/keys");
	hidden = (uint32_t)w->n - 1;
	hide(w, "/home/u/p/.env");
	build(w);
	assert_int_equal(kind_at(w, "/home/u/p/src"), SANDBOX_WALL_MOUNT);
	assert_int_equal(wall_at(w, "/home/u/p/src")->rule, locked);
	assert_int_equal(kind_at(w, "/home/u/p/keys"), SANDBOX_WALL_MOUNT);
	assert_int_equal(wall_at(w, "/home/u/p/keys")->rule, hidden);
	assert_int_equal(kind_at(w, "/home/u/p/.env"), SANDBOX_WALL_MOUNT);
	assert_int_equal(w->v.nwalls, 3);
}

/* What lies on the run's own tree has a name that no process of the host has. */
static void test_the_runs_own_names_need_no_watch(void **state)
{
	struct world *w = *state;

	make_dir(w, "/etc");
	make_file(w, "/home/u/.netrc", "x");
	hide(w, "/home/u/.netrc");
	hide(w, "/home/u/.absent");
	build(w);
	assert_int_equal(w->v.nwalls, 0);
}

static void test_an_absent_hidden_name_is_watched_where_it_would_be_shown(void **state)
{
	struct world *w = *state;
	uint32_t no_exec;

	hide(w, "/srv/absent/deep");
	(void)deny(w, PB_WRITE, "/srv/other");
	no_exec = deny(w, PB_EXEC, "/usr/late");
	build(w);
	assert_int_equal(kind_at(w, "/srv/absent/deep"), SANDBOX_WALL_ABSENT);
	/* nothing there can be written, whoever makes it */
	assert_int_equal(kind_at(w, "/srv/other"), NO_WALL);
	/* but what is made there could be run */
	assert_int_equal(kind_at(w, "/usr/late"), SANDBOX_WALL_ABSENT);
	assert_int_equal(wall_at(w, "/usr/late")->rule, no_exec);
}

static void test_what_covers_the_hosts_tree_is_a_wall(void **state)
{
	struct world *w = *state;

	build(w);
	assert_int_equal(kind_at(w, "/run"), SANDBOX_WALL_MOUNT);
	assert_int_equal(kind_at(w, "/tmp"), SANDBOX_WALL_MOUNT);
	/* the run's own kernel trees are not the host's to take */
	assert_int_equal(kind_at(w, "/dev"), NO_WALL);
	assert_int_equal(kind_at(w, "/usr"), NO_WALL);
}

static void test_a_link_on_the_way_is_to_stay(void **state)
{
	struct world *w = *state;
	uint32_t r;

	make_dir(w, "/srv/real");
	make_file(w, "/srv/real/secret", "x");
	assert_int_equal(symlink("real", at(w, "/srv/way")), 0);
	r = deny(w, PB_READ, "/srv/way/secret");
	build(w);
	assert_int_equal(kind_at(w, "/srv/way"), SANDBOX_WALL_LINK);
	assert_string_equal(wall_at(w, "/srv/way")->target, "real");
	assert_int_equal(wall_at(w, "/srv/way")->rule, r);
	assert_int_equal(kind_at(w, "/srv/real/secret"), SANDBOX_WALL_MOUNT);
}

static void test_an_allow_is_no_wall(void **state)
{
	struct world *w = *state;

	make_dir(w, "/srv/real");
	assert_int_equal(symlink("real", at(w, "/srv/way")), 0);
	allow(w, RW, "/srv/way");
	build(w);
	assert_int_equal(kind_at(w, "/srv/way"), NO_WALL);
	assert_int_equal(kind_at(w, "/srv/real"), NO_WALL);
}

/* A name that is written by the rules may be moved, whatever else they say of it. */
static void test_a_name_that_is_written_needs_not_stay(void **state)
{
	struct world *w = *state;

	w->in.broker = true;
	make_file(w, "/home/u/p/src/written", "x");
	make_file(w, "/home/u/p/src/kept", "x");
	(void)deny(w, PB_EXEC, "/home/u/p/src/written");
	(void)deny(w, PB_WRITE, "/home/u/p/src/kept");
	(void)rule(w, PB_DENY, PB_WRITE, "", PB_A_ANY, 0);
	build(w);
	assert_int_equal(kind_at(w, "/home/u/p/src/written"), NO_WALL);
	assert_int_equal(kind_at(w, "/home/u/p/src/kept"), SANDBOX_WALL_NAME);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_restrictions_in_a_tree_of_the_host_are_walls,
						world_setup, world_teardown),
		cmocka_unit_test_setup_teardown(test_the_runs_own_names_need_no_watch, world_setup,
						world_teardown),
		cmocka_unit_test_setup_teardown(
			test_an_absent_hidden_name_is_watched_where_it_would_be_shown, anywhere_setup,
			world_teardown),
		cmocka_unit_test_setup_teardown(test_what_covers_the_hosts_tree_is_a_wall,
						anywhere_setup, world_teardown),
		cmocka_unit_test_setup_teardown(test_a_link_on_the_way_is_to_stay, anywhere_setup,
						world_teardown),
		cmocka_unit_test_setup_teardown(test_an_allow_is_no_wall, anywhere_setup,
						world_teardown),
		cmocka_unit_test_setup_teardown(test_a_name_that_is_written_needs_not_stay, world_setup,
						world_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
