/*
 * The view where writing can be decided name by name: which trees are brokered, how small
 * they are, what lies in them, and what no run writes there.
 */
#include <errno.h>

#include "tests/unit/view_fixture.h"

static int setup(void **state)
{
	int r = world_setup(state);

	((struct world *)*state)->in.broker = true;
	return r;
}

static const struct sandbox_node *brokered(const struct world *w, const char *path)
{
	const struct sandbox_node *n = node(w, path);

	if (!n || !n->broker)
		fail_msg("%s is not brokered", path);
	assert_true(n->ops & PB_WRITE);
	assert_false(sandbox_node_native(n) & PB_WRITE);
	assert_false(n->forced_ro);
	return n;
}

static bool is_denied(const struct world *w, const char *path, bool below)
{
	for (size_t i = 0; i < w->v.ndenied; i++)
		if (!strcmp(w->v.denied[i].path, path) && w->v.denied[i].below == below)
			return true;
	return false;
}

/* Sockets apart, which polrun makes for the run in the private tree around the project. */
static bool has_brokered(const struct world *w)
{
	for (size_t i = 0; i < w->v.n; i++)
		if (w->v.nodes[i].broker)
			return true;
	return false;
}

static void test_without_restrictions_nothing_is_brokered(void **state)
{
	struct world *w = *state;

	build(w);
	assert_false(has_brokered(w));
	assert_int_equal(sandbox_node_native(node(w, "/home/u/p")), RW);
}

static void test_the_directory_of_a_denied_name_is_brokered(void **state)
{
	struct world *w = *state;
	uint32_t r = deny(w, PB_WRITE, "/home/u/p/src/deep");
	const struct sandbox_node *n;

	build(w);
	n = brokered(w, "/home/u/p/src");
	assert_int_equal(n->forced_by, r);
	assert_string_equal(n->forced_name, "/home/u/p/src/deep");
	/* no more of it than the name requires, and no mount on the name */
	assert_int_equal(sandbox_node_native(node(w, "/home/u/p")), RW);
	assert_null(node(w, "/home/u/p/src/deep"));
	assert_true(w->v.brokers);
	/* it is a wall in a tree that the run writes natively */
	assert_int_equal(w->v.nwalls, 1);
	assert_string_equal(w->v.walls[0].path, "/home/u/p/src");
}

static void test_a_name_directly_in_the_tree_leaves_no_wall(void **state)
{
	struct world *w = *state;

	(void)deny(w, PB_WRITE, "/home/u/p/src");
	build(w);
	(void)brokered(w, "/home/u/p");
	assert_int_equal(w->v.nwalls, 0);
}

static void test_an_absent_name(void **state)
{
	struct world *w = *state;

	(void)deny(w, PB_WRITE, "/home/u/p/src/new/name");
	build(w);
	(void)brokered(w, "/home/u/p/src");
	assert_int_equal(sandbox_node_native(node(w, "/home/u/p")), RW);
}

static void test_an_absent_name_of_the_floor_cannot_be_made(void **state)
{
	struct world *w = *state;

	(void)rule(w, PB_DENY, PB_WRITE, "/home/u/p/.vscode", PB_A_PATH,
		   PB_AF_BELOW | PB_AF_FLOOR);
	build(w);
	(void)brokered(w, "/home/u/p");
	assert_int_equal(w->v.ncreatable, 0);
}

static void test_a_wildcard(void **state)
{
	struct world *w = *state;
	uint32_t r = rule(w, PB_DENY, PB_WRITE, "/home/u/p/src", PB_A_WILD, 0);

	allow(w, RW, "/home/u/p/src/deep");
	build(w);
	assert_int_equal(brokered(w, "/home/u/p/src")->forced_by, r);
	/* what is allowed below is one of its names */
	assert_null(node(w, "/home/u/p/src/deep"));
}

static void test_a_wildcard_at_any_depth(void **state)
{
	struct world *w = *state;

	(void)rule(w, PB_DENY, PB_WRITE, "", PB_A_ANY, 0);
	build(w);
	(void)brokered(w, "/home/u/p");
	/* the run's own trees as well */
	assert_true(brokered(w, "/home/u")->scratch);
	assert_true(sandbox_view_owns(&w->v, "/home/u/x"));
	assert_false(sandbox_view_owns(&w->v, "/home/u/p/x"));
}

/* A wildcard in a directory of a tree of the run's own, in which the run makes the directory. */
static void test_a_wildcard_in_a_tree_of_the_runs_own(void **state)
{
	struct world *w = *state;
	uint32_t r = rule(w, PB_DENY, PB_WRITE, "/home/u/cache", PB_A_WILD, 0);

	build(w);
	assert_int_equal(brokered(w, "/home/u")->forced_by, r);
	assert_null(node(w, "/home/u/cache"));
	/* a host's tree in it stays what it is */
	assert_false(node(w, "/home/u/p")->broker);
}

/* A file that alone may be written: its directory is brokered for this name, if it is shown. */
static void test_a_file_alone_beside_a_wildcard(void **state)
{
	struct world *w = *state;
	uint32_t any = rule(w, PB_DENY, PB_WRITE, "", PB_A_ANY, 0);

	make_dir(w, "/srv/data/log");
	make_file(w, "/srv/data/log/one", "x");
	make_file(w, "/home/u/state", "x");
	allow(w, PB_READ, "/srv/data");
	allow(w, PB_WRITE, "/srv/data/log/one");
	allow(w, RW, "/home/u/state");
	build(w);
	assert_int_equal(brokered(w, "/srv/data/log")->forced_by, any);
	assert_int_equal(node(w, "/srv/data")->ops, PB_READ);
	assert_null(node(w, "/srv/data/log/one"));
	/* its directory is the run's own: only the file is mounted */
	assert_true(node(w, "/home/u/state")->forced_ro);
	sandbox_view_release(&w->v);
	/* the control: no wildcard, and the mount of the file alone is exact */
	w->a[any].kind = PB_A_PATH;
	(void)strcpy(w->full[any], "/srv/other");
	build(w);
	assert_int_equal(node(w, "/srv/data/log/one")->ops, RW);
	assert_null(node(w, "/srv/data/log"));
	assert_int_equal(node(w, "/home/u/state")->ops, RW);
}

/* One that is absent as well: what has a mount must be there. */
static void test_an_absent_name_that_alone_may_be_written(void **state)
{
	struct world *w = *state;
	uint32_t r;

	make_dir(w, "/srv/data/log");
	allow(w, PB_READ, "/srv/data");
	r = (uint32_t)w->n;
	allow(w, PB_WRITE, "/srv/data/log/new");
	allow(w, PB_WRITE, "/srv/nowhere/new");
	build(w);
	assert_int_equal(brokered(w, "/srv/data/log")->forced_by, r);
	assert_int_equal(node(w, "/srv/data")->ops, PB_READ);
	assert_null(node(w, "/srv/data/log/new"));
	assert_null(node(w, "/srv"));
	sandbox_view_release(&w->v);
	/* the control: nobody decides names */
	w->in.broker = false;
	build(w);
	assert_null(node(w, "/srv/data/log"));
}

/* In a run by root, what no one else can pass needs no mask, unless the tree above becomes the
 * run's own: also if that is found out later. */
static void test_what_is_hidden_in_roots_run_is_masked_there(void **state)
{
	struct world *w = *state;

	w->in.foreign = true;
	make_dir(w, "/srv/data/closed/x");
	assert_int_equal(chmod(at(w, "/srv/data/closed"), 0700), 0);
	allow(w, PB_READ, "/srv/data");
	hide(w, "/srv/data/closed/x");
	build(w);
	assert_null(node(w, "/srv/data/closed/x"));
	sandbox_view_release(&w->v);
	allow(w, PB_WRITE, "/srv/data/new");
	build(w);
	(void)brokered(w, "/srv/data");
	assert_true(node(w, "/srv/data/closed/x")->masked);
}

static void test_an_allow_with_a_wildcard_opens_its_directory(void **state)
{
	struct world *w = *state;

	make_dir(w, "/srv/a/b");
	allow(w, RX, "/srv");
	(void)rule(w, PB_ALLOW, PB_WRITE, "/srv/a", PB_A_WILD, 0);
	build(w);
	(void)brokered(w, "/srv/a");
	assert_int_equal(node(w, "/srv/a")->ops, RWX);
	assert_int_equal(node(w, "/srv")->ops, RX);
}

static void test_an_allow_with_a_wildcard_whose_directory_is_absent(void **state)
{
	struct world *w = *state;

	make_dir(w, "/srv/a");
	allow(w, RX, "/srv");
	(void)rule(w, PB_ALLOW, PB_WRITE, "/srv/a/new/dir", PB_A_WILD, 0);
	build(w);
	(void)brokered(w, "/srv/a");
}

/* Its own directory is not shown, and a tree below it is. */
static void test_an_allow_with_a_wildcard_opens_what_is_shown_below(void **state)
{
	struct world *w = *state;

	make_dir(w, "/srv/a/b");
	make_dir(w, "/srv/c");
	allow(w, RX, "/srv/a/b");
	allow(w, RX, "/srv/c");
	(void)rule(w, PB_ALLOW, PB_WRITE, "/srv/a", PB_A_WILD, 0);
	build(w);
	(void)brokered(w, "/srv/a/b");
	assert_false(node(w, "/srv/c")->broker);
}

static void test_an_allow_with_a_wildcard_that_nothing_shows(void **state)
{
	struct world *w = *state;

	make_dir(w, "/srv/a");
	(void)rule(w, PB_ALLOW, PB_WRITE, "/srv/a", PB_A_WILD, 0);
	build(w);
	assert_null(node(w, "/srv/a"));
	assert_false(has_brokered(w));
}

static void test_what_is_hidden_in_it_is_masked(void **state)
{
	struct world *w = *state;

	(void)deny(w, PB_WRITE, "/home/u/p/src");
	make_dir(w, "/home/u/p/hid");
	hide(w, "/home/u/p/hid");
	build(w);
	(void)brokered(w, "/home/u/p");
	assert_true(node(w, "/home/u/p/hid")->masked);
	assert_false(node(w, "/home/u/p/hid")->broker);
	assert_int_equal(w->v.nwalls, 1);
}

static void test_what_may_not_be_executed_in_it_is_brokered_as_well(void **state)
{
	struct world *w = *state;

	allow(w, PB_EXEC, "/home/u/p");
	(void)deny(w, PB_WRITE, "/home/u/p/src/deep");
	(void)deny(w, PB_WRITE, "/home/u/p/top");
	(void)deny(w, PB_EXEC, "/home/u/p/src");
	build(w);
	assert_int_equal(brokered(w, "/home/u/p")->ops, RWX);
	assert_int_equal(brokered(w, "/home/u/p/src")->ops, RW);
}

static void test_links_by_which_rules_reach_objects_are_kept(void **state)
{
	struct world *w = *state;

	assert_int_equal(symlink("deep", at(w, "/home/u/p/src/link")), 0);
	(void)deny(w, PB_WRITE, "/home/u/p/src/link/name");
	build(w);
	(void)brokered(w, "/home/u/p/src");
	assert_true(is_denied(w, "/home/u/p/src/link", false));
	assert_int_equal(w->v.naliases, 1);
	assert_string_equal(w->v.aliases[0].real, "/home/u/p/src/deep/name");
}

static void test_forced_names_are_kept_whatever_the_rules_say(void **state)
{
	struct world *w = *state;
	const char *const kept[] = { "/home/u/p/report" };

	w->in.kept = kept;
	w->in.nkept = 1;
	build(w);
	(void)brokered(w, "/home/u/p");
	assert_true(is_denied(w, "/home/u/p/report", true));
}

static void test_without_a_broker_it_is_as_before(void **state)
{
	struct world *w = *state;

	w->in.broker = false;
	(void)deny(w, PB_WRITE, "/home/u/p/src/new");
	(void)rule(w, PB_DENY, PB_WRITE, "/home/u/p/.vscode", PB_A_PATH,
		   PB_AF_BELOW | PB_AF_FLOOR);
	build(w);
	assert_false(w->v.brokers);
	assert_true(node(w, "/home/u/p/src")->forced_ro);
	assert_int_equal(w->v.ncreatable, 1);
}

static void test_a_wildcard_takes_reading_away(void **state)
{
	struct world *w = *state;

	make_dir(w, "/home/u/q");
	allow(w, RX, "/home/u/q");
	allow(w, RWX, "/home/u/p/src");
	(void)rule(w, PB_HIDE, RWX, "/home/u/p/src/deep", PB_A_WILD, 0);
	w->in.opens = true;
	build(w);
	assert_true(w->v.opens && w->v.starts && w->v.brokers);
	/* the tree of the names and the one around it, and nothing beside it */
	assert_true(node(w, "/home/u/p")->open_by_name);
	assert_false(node(w, "/home/u/p")->start_by_name);
	assert_true(node(w, "/home/u/p/src")->open_by_name);
	assert_true(node(w, "/home/u/p/src")->start_by_name);
	assert_false(node(w, "/home/u/q")->open_by_name);
	assert_false(node(w, "/usr")->open_by_name || node(w, "/usr")->start_by_name);
}

static void test_a_wildcard_takes_executing_away(void **state)
{
	struct world *w = *state;

	(void)rule(w, PB_DENY, PB_EXEC, "", PB_A_ANY, 0);
	w->in.opens = true;
	build(w);
	assert_false(w->v.opens);
	assert_true(node(w, "/usr")->start_by_name && !node(w, "/usr")->open_by_name);
	assert_false(node(w, "/home/u/p")->start_by_name);
}

static void test_who_cannot_open_by_name_is_refused(void **state)
{
	struct world *w = *state;

	(void)rule(w, PB_DENY, PB_READ, "", PB_A_ANY, 0);
	w->in.n = w->n;
	assert_int_equal(view_make(&w->in, &w->v, &w->err), -EOPNOTSUPP);
	assert_non_null(strstr(w->err.text, "needs Landlock"));
	sandbox_view_release(&w->v);
	/* the control */
	w->in.opens = true;
	build(w);
	assert_true(node(w, "/usr")->open_by_name);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, world_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_without_restrictions_nothing_is_brokered),
		T(test_the_directory_of_a_denied_name_is_brokered),
		T(test_a_name_directly_in_the_tree_leaves_no_wall),
		T(test_an_absent_name),
		T(test_an_absent_name_of_the_floor_cannot_be_made),
		T(test_a_wildcard),
		T(test_a_wildcard_at_any_depth),
		T(test_a_wildcard_in_a_tree_of_the_runs_own),
		T(test_a_file_alone_beside_a_wildcard),
		T(test_an_absent_name_that_alone_may_be_written),
		T(test_what_is_hidden_in_roots_run_is_masked_there),
		T(test_an_allow_with_a_wildcard_opens_its_directory),
		T(test_an_allow_with_a_wildcard_whose_directory_is_absent),
		T(test_an_allow_with_a_wildcard_opens_what_is_shown_below),
		T(test_an_allow_with_a_wildcard_that_nothing_shows),
		T(test_what_is_hidden_in_it_is_masked),
		T(test_what_may_not_be_executed_in_it_is_brokered_as_well),
		T(test_links_by_which_rules_reach_objects_are_kept),
		T(test_forced_names_are_kept_whatever_the_rules_say),
		T(test_a_wildcard_takes_reading_away),
		T(test_a_wildcard_takes_executing_away),
		T(test_who_cannot_open_by_name_is_refused),
		T(test_without_a_broker_it_is_as_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
