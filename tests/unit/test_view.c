/*
 * The view over a directory that stands for the host: what is shown, hidden,
 * made or narrowed.  The plan that mounts it is in test_plan_view.c.
 */
#include <errno.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "tests/unit/view_fixture.h"

static void test_only_what_rules_name_is_shown(void **state)
{
	struct world *w = *state;
	const struct sandbox_node *n;

	build(w);
	n = node(w, "/usr");
	assert_non_null(n);
	assert_int_equal(n->ops, RX);
	assert_false(n->scratch);
	assert_true(n->pin_fd >= 0);
	assert_null(node(w, "/etc"));
	assert_null(sandbox_view_find(&w->v, "/etc/passwd"));
	n = node(w, "/home/u");
	assert_true(n && n->scratch && n->ops == RW);
	n = node(w, "/home/u/p");
	assert_true(n && !n->scratch && n->ops == RW);
	/* private without a scratch rule: there, empty, not writable */
	n = node(w, "/tmp");
	assert_true(n && n->scratch && !n->ops);
	assert_string_equal(link_at(w, "/bin"), "usr/bin");
}

static void test_order_is_outer_before_inner(void **state)
{
	struct world *w = *state;

	make_dir(w, "/home/u/p-other/x");
	allow(w, PB_READ, "/home/u/p-other");
	deny(w, PB_WRITE, "/home/u/p/src");
	build(w);
	for (size_t i = 0; i + 1 < w->v.n; i++)
		for (size_t j = i + 1; j < w->v.n; j++)
			assert_false(view_below(w->v.nodes[i].path, w->v.nodes[j].path));
	assert_ptr_equal(node(w, "/home/u/p") + 1, node(w, "/home/u/p/src"));
}

static void test_existing_deny_of_writing_is_a_read_only_node(void **state)
{
	struct world *w = *state;
	uint32_t r = deny(w, PB_WRITE, "/home/u/p/src/deep");
	const struct sandbox_node *n;

	build(w);
	n = node(w, "/home/u/p/src/deep");
	assert_non_null(n);
	assert_int_equal(n->ops, PB_READ);
	assert_int_equal(n->rule[1], r);
	assert_false(n->forced_ro);
	assert_int_equal(node(w, "/home/u/p")->ops, RW);
	assert_null(node(w, "/home/u/p/src"));
}

static void test_absent_deny_narrows_the_smallest_existing_tree(void **state)
{
	struct world *w = *state;
	uint32_t r = deny(w, PB_WRITE, "/home/u/p/src/new/name");
	const struct sandbox_node *n;

	build(w);
	n = node(w, "/home/u/p/src");
	assert_non_null(n);
	assert_int_equal(n->ops, PB_READ);
	assert_true(n->forced_ro);
	assert_int_equal(n->forced_by, r);
	assert_string_equal(n->forced_name, "/home/u/p/src/new/name");
	assert_int_equal(node(w, "/home/u/p")->ops, RW);
	assert_int_equal(w->v.ncreatable, 0);
}

static void test_absent_name_of_the_floor_stays_creatable(void **state)
{
	struct world *w = *state;
	uint32_t r = rule(w, PB_DENY, PB_WRITE, "/home/u/p/.vscode", PB_A_PATH,
			  PB_AF_BELOW | PB_AF_FLOOR);

	build(w);
	assert_int_equal(w->v.ncreatable, 1);
	assert_string_equal(w->v.creatable[0].path, "/home/u/p/.vscode");
	assert_int_equal(w->v.creatable[0].rule, r);
	assert_int_equal(node(w, "/home/u/p")->ops, RW);
}

static void test_existing_name_of_the_floor_is_read_only(void **state)
{
	struct world *w = *state;

	make_dir(w, "/home/u/p/.vscode");
	(void)rule(w, PB_DENY, PB_WRITE, "/home/u/p/.vscode", PB_A_PATH,
		   PB_AF_BELOW | PB_AF_FLOOR);
	build(w);
	assert_int_equal(w->v.ncreatable, 0);
	assert_int_equal(node(w, "/home/u/p/.vscode")->ops, PB_READ);
}

static void test_hides_in_a_private_tree_are_made_and_masked(void **state)
{
	struct world *w = *state;
	const struct sandbox_node *n;

	hide(w, "/home/u/.ssh");
	hide(w, "/home/u/.netrc");
	build(w);
	n = node(w, "/home/u/.ssh");
	assert_true(n && n->masked && n->is_dir && !n->absent && !n->ops);
	n = node(w, "/home/u/.netrc");
	assert_true(n && n->masked && n->absent && !n->ops);
	assert_int_equal(node(w, "/home/u")->ops, RW);
}

static void test_denied_name_in_a_private_tree_is_locked(void **state)
{
	struct world *w = *state;
	const struct sandbox_node *n;

	deny(w, PB_WRITE, "/home/u/.bashrc");
	build(w);
	n = node(w, "/home/u/.bashrc");
	assert_true(n && n->locked && !n->masked && n->ops == PB_READ);
}

static void test_denied_name_above_another_is_a_directory(void **state)
{
	struct world *w = *state;

	deny(w, PB_WRITE, "/home/u/x");
	(void)rule(w, PB_DENY, PB_WRITE, "/home/u/x/y", PB_A_WILD, PB_AF_BELOW);
	hide(w, "/home/u/x/z");
	deny(w, PB_WRITE, "/home/u/f");
	build(w);
	assert_true(node(w, "/home/u/x")->locked);
	assert_true(node(w, "/home/u/x")->is_dir ==
		    (node(w, "/home/u/x/y") || node(w, "/home/u/x/z")));
	assert_false(node(w, "/home/u/f")->is_dir);
}

static void test_hide_that_nothing_shows_needs_no_mount(void **state)
{
	struct world *w = *state;

	make_file(w, "/etc/shadow", "x");
	hide(w, "/etc/shadow");
	build(w);
	assert_true(node(w, "/etc/shadow")->noted);
}

/* A hard link stands for what a bind mount would show: the same object. */
static void test_other_mounts_below_a_shown_tree_are_masked(void **state)
{
	static char file[128];
	struct world *w = *state;
	char from[512];

	(void)snprintf(file, sizeof(file), "%s/mountinfo", w->dir);
	make_file(w, "/mountinfo",
		  "1 0 8:1 / / rw - ext4 x rw\n"
		  "2 1 8:1 /home/u/p/.env /home/u/p/again rw - ext4 x rw\n"
		  "3 1 8:1 /home/u/p/.env /srv/again rw - ext4 x rw\n");
	make_file(w, "/home/u/p/.env", "x");
	(void)snprintf(from, sizeof(from), "%s", at(w, "/home/u/p/.env"));
	assert_int_equal(link(from, at(w, "/home/u/p/again")), 0);
	hide(w, "/home/u/p/.env");
	build(w);
	/* the control: nobody says what is mounted */
	assert_null(node(w, "/home/u/p/again"));
	sandbox_view_release(&w->v);
	w->in.mountinfo = file;
	build(w);
	assert_true(node(w, "/home/u/p/.env")->masked);
	assert_true(node(w, "/home/u/p/again")->masked);
	/* nothing shows it */
	assert_null(node(w, "/srv/again"));
}

static void test_hide_below_a_shown_tree_is_a_mask(void **state)
{
	struct world *w = *state;
	const struct sandbox_node *n;

	make_file(w, "/etc/shadow", "x");
	allow(w, PB_READ, "/etc");
	hide(w, "/etc/shadow");
	hide(w, "/etc/gshadow");
	build(w);
	n = node(w, "/etc/shadow");
	assert_true(n && n->masked && !n->noted && !n->is_dir);
	/* absent, and nobody can make it: no node, nothing narrowed */
	assert_null(node(w, "/etc/gshadow"));
	assert_false(node(w, "/etc")->forced_ro);
}

static void test_allow_below_a_hide_is_shown(void **state)
{
	struct world *w = *state;
	const struct sandbox_node *n;

	/* the order of an exception: this decide() has none, so without it */
	allow(w, PB_READ, "/home/u/.ssh/known_hosts");
	build(w);
	n = node(w, "/home/u/.ssh/known_hosts");
	/* the scratch rule allows writing there too: both hold, as decided */
	assert_true(n && !n->masked && !n->scratch && n->pin_fd >= 0);
}

static void test_allow_of_what_is_absent_gives_nothing(void **state)
{
	struct world *w = *state;

	allow(w, RW, "/srv/data");
	allow(w, RW, "/home/u/out");
	build(w);
	assert_null(sandbox_view_find(&w->v, "/srv/data"));
	assert_string_equal(sandbox_view_find(&w->v, "/home/u/out")->path, "/home/u");
}

static void test_allow_follows_a_link_that_no_run_can_make(void **state)
{
	struct world *w = *state;
	const struct sandbox_node *n;

	make_dir(w, "/opt/tool-1.2/bin");
	assert_int_equal(symlink("tool-1.2", at(w, "/opt/tool")), 0);
	allow(w, RX, "/opt/tool");
	build(w);
	n = node(w, "/opt/tool-1.2");
	assert_true(n && n->ops == RX);
	assert_string_equal(link_at(w, "/opt/tool"), "tool-1.2");
}

/* The repository of a worktree was found where no link was: one that is there now was put there since, and
 * leads where whoever put it wants. */
static void test_no_link_to_the_repository(void **state)
{
	struct world *w = *state;

	make_dir(w, "/opt/in/repo");
	make_dir(w, "/srv/repo");
	allow(w, RW, "/opt/in/repo");
	w->a[w->n - 1].root = PB_ROOT_GIT;
	w->in.git_common = "/opt/in/repo";
	build(w);
	assert_non_null(node(w, "/opt/in/repo"));
	sandbox_view_release(&w->v);
	w->in.git_common = "/opt/link/repo";
	assert_int_equal(symlink("/srv", at(w, "/opt/link")), 0);
	(void)snprintf(w->full[w->n - 1], sizeof(w->full[0]), "/opt/link/repo");
	assert_int_equal(view_make(&w->in, &w->v, &w->err), -ESTALE);
}

/* The directory of the link is what a rule lets be written (`denied`: and another one does not). */
static void follow_from_written(struct world *w, bool denied)
{
	make_dir(w, "/opt/real");
	make_dir(w, "/home/u/w");
	assert_int_equal(symlink("/opt/real", at(w, "/home/u/w/tool")), 0);
	allow(w, PB_READ | PB_WRITE, "/home/u/w");
	if (denied)
		deny(w, PB_WRITE, "/home/u/w");
	allow(w, RX, "/home/u/w/tool");
	build(w);
	if (denied)
		assert_non_null(node(w, "/opt/real"));
	else
		assert_null(sandbox_view_find(&w->v, "/opt/real"));
}

static void test_allow_follows_no_link_where_runs_write(void **state)
{
	follow_from_written(*state, false);
}

static void test_allow_follows_a_link_where_writing_is_denied(void **state)
{
	follow_from_written(*state, true);
}

static void test_allow_follows_no_link_of_the_project(void **state)
{
	struct world *w = *state;

	make_file(w, "/etc/secret", "x");
	assert_int_equal(symlink("/etc/secret", at(w, "/home/u/p/data")), 0);
	allow(w, PB_READ, "/home/u/p/data");
	build(w);
	assert_null(sandbox_view_find(&w->v, "/etc/secret"));
}

static void test_deny_through_a_link_binds_the_target_too(void **state)
{
	struct world *w = *state;
	const struct sandbox_node *n;

	make_dir(w, "/home/u/p/real");
	assert_int_equal(symlink("../real", at(w, "/home/u/p/src/link")), 0);
	deny(w, PB_WRITE, "/home/u/p/src/link");
	build(w);
	n = node(w, "/home/u/p/real");
	assert_true(n && n->ops == PB_READ);
	/* and nobody replaces the link by a directory */
	n = node(w, "/home/u/p/src");
	assert_true(n && n->ops == PB_READ && n->forced_ro);
	assert_string_equal(n->forced_name, "/home/u/p/src/link");
}

static void test_deny_through_two_links_binds_the_target(void **state)
{
	struct world *w = *state;

	make_dir(w, "/opt/one/in");
	make_dir(w, "/home/u/p/two/kept");
	assert_int_equal(symlink("one", at(w, "/opt/a")), 0);
	assert_int_equal(symlink("/home/u/p/two", at(w, "/opt/one/in/b")), 0);
	deny(w, PB_WRITE, "/opt/a/in/b/kept");
	build(w);
	assert_int_equal(sandbox_view_find(&w->v, "/home/u/p/two/x")->ops, RW);
	assert_int_equal(sandbox_view_find(&w->v, "/home/u/p/two/kept/x")->ops, PB_READ);
}

static void test_wildcard_deny_through_a_link_narrows_the_target(void **state)
{
	struct world *w = *state;

	make_dir(w, "/srv/o/sub");
	make_dir(w, "/opt");
	assert_int_equal(symlink("/srv/o", at(w, "/opt/link")), 0);
	allow(w, RW, "/srv/o");
	(void)rule(w, PB_DENY, PB_WRITE, "/opt/link", PB_A_WILD, 0);
	build(w);
	assert_int_equal(node(w, "/srv/o")->ops, PB_READ);
}

static void test_allow_lends_only_what_goes_through_the_link(void **state)
{
	struct world *w = *state;

	make_dir(w, "/opt/dir");
	make_dir(w, "/srv/o");
	assert_int_equal(symlink("/srv/o", at(w, "/opt/dir/link")), 0);
	allow(w, RX, "/opt/dir");
	allow(w, PB_READ, "/srv/o");
	deny(w, PB_WRITE, "/opt/dir/link/x");
	build(w);
	assert_int_equal(node(w, "/srv/o")->ops, PB_READ);
}

static void test_forced_place_is_named_also_below_a_read_only_tree(void **state)
{
	struct world *w = *state;
	const struct sandbox_node *n;
	uint32_t r;

	make_dir(w, "/srv/ro/rw");
	allow(w, PB_READ, "/srv/ro");
	allow(w, RW, "/srv/ro/rw");
	r = deny(w, PB_WRITE, "/srv/ro/rw/absent");
	build(w);
	n = node(w, "/srv/ro/rw");
	assert_true(n && n->ops == PB_READ && n->forced_ro && n->forced_by == r);
	assert_string_equal(n->forced_name, "/srv/ro/rw/absent");
}

static void test_link_of_the_project_lends_no_right(void **state)
{
	struct world *w = *state;

	/* that a deny goes through the link opens nothing behind it */
	make_dir(w, "/srv/o/sub");
	assert_int_equal(symlink("/srv/o", at(w, "/home/u/p/link")), 0);
	allow(w, PB_READ, "/srv/o");
	deny(w, PB_WRITE, "/home/u/p/link/sub");
	build(w);
	assert_int_equal(node(w, "/srv/o")->ops, PB_READ);
}

static void test_deny_by_an_alias_holds_below_the_target(void **state)
{
	struct world *w = *state;
	const struct sandbox_node *n;

	make_dir(w, "/home/u/p/real/inner");
	assert_int_equal(symlink("real", at(w, "/home/u/p/link")), 0);
	deny(w, PB_WRITE, "/home/u/p/link");
	allow(w, RW, "/home/u/p/real/inner");
	build(w);
	n = sandbox_view_find(&w->v, "/home/u/p/real/inner/x");
	assert_false(n->ops & PB_WRITE);
}

static void test_wildcard_deny_narrows_its_directory_and_all_below(void **state)
{
	struct world *w = *state;
	uint32_t r;

	allow(w, RW, "/home/u/p/src/deep");
	r = rule(w, PB_DENY, PB_WRITE, "/home/u/p/src", PB_A_WILD, 0);
	build(w);
	assert_int_equal(node(w, "/home/u/p/src")->ops, PB_READ);
	assert_int_equal(node(w, "/home/u/p/src")->forced_by, r);
	assert_false(sandbox_view_find(&w->v, "/home/u/p/src/deep/x")->ops & PB_WRITE);
	assert_int_equal(node(w, "/home/u/p")->ops, RW);
}

static void test_wildcard_deny_of_an_absent_directory(void **state)
{
	struct world *w = *state;

	(void)rule(w, PB_DENY, PB_WRITE, "/home/u/p/src/no/such", PB_A_WILD, 0);
	build(w);
	assert_true(node(w, "/home/u/p/src")->forced_ro);
}

/* Where names cannot be decided one by one, nothing is written: neither of the host nor of the run's own. */
static void test_any_depth_deny_closes_every_tree(void **state)
{
	struct world *w = *state;

	make_dir(w, "/data");
	allow(w, RW, "/data");
	(void)rule(w, PB_DENY, PB_WRITE, "", PB_A_ANY, 0);
	build(w);
	assert_int_equal(node(w, "/home/u/p")->ops, PB_READ);
	assert_true(node(w, "/home/u/p")->forced_ro);
	assert_int_equal(node(w, "/data")->ops, PB_READ);
	assert_int_equal(node(w, "/home/u")->ops, PB_READ);
}

static void test_allow_of_a_socket_gives_nothing(void **state)
{
	struct world *w = *state;
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	make_dir(w, "/run");
	(void)snprintf(a.sun_path, sizeof(a.sun_path), "%s/run/d.sock", w->dir);
	assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	allow(w, RW, "/run/d.sock");
	build(w);
	assert_null(sandbox_view_find(&w->v, "/run/d.sock"));
	(void)close(fd);
}

static void test_write_without_read_shows_nothing(void **state)
{
	struct world *w = *state;

	make_dir(w, "/data");
	allow(w, PB_WRITE, "/data");
	build(w);
	assert_null(sandbox_view_find(&w->v, "/data/x"));
}

static void test_project_link_is_there(void **state)
{
	struct world *w = *state;

	w->in.project_link = "/home/u/work";
	build(w);
	assert_string_equal(link_at(w, "/home/u/work"), "/home/u/p");
}

static void test_hooks_path_of_git_is_read_only(void **state)
{
	struct world *w = *state;

	make_dir(w, "/home/u/p/.git/hooks");
	make_dir(w, "/home/u/p/tools/hooks");
	make_file(w, "/home/u/p/.git/config",
		  "[user]\n\tname = src\n[core]\n\tbare = false\n"
		  "\thooksPath = tools/hooks # ours\n");
	(void)rule(w, PB_DENY, PB_WRITE, "/home/u/p/.git/hooks", PB_A_PATH,
		   PB_AF_BELOW | PB_AF_FLOOR);
	build(w);
	assert_int_equal(node(w, "/home/u/p/.git/hooks")->ops, PB_READ);
	assert_int_equal(node(w, "/home/u/p/tools/hooks")->ops, PB_READ);
	assert_null(node(w, "/home/u/p/src"));
}

/* What git reads differently from most readers of such files. */
static void test_hooks_path_is_read_as_git_reads_it(void **state)
{
	struct world *w = *state;

	make_dir(w, "/home/u/p/.git/hooks");
	for (int i = 0; i < 8; i++) {
		char dir[40];

		(void)snprintf(dir, sizeof(dir), "/home/u/p/h%d", i);
		make_dir(w, dir);
	}
	make_dir(w, "/home/u/p/h h");
	make_dir(w, "/home/u/p/h\th");
	make_file(w, "/home/u/p/.git/config",
		  "\xef\xbb\xbf[core]\n\thooksPath = h0\n\thooksPath = \\\n  h1\n"
		  "\thooksPath = \\\r\n\t h2\n\thooksPath = %(prefix)/../home/u/p/h3\n"
		  "\thooksPath = :(optional)h4\n\thooksPath = h\th ; as a space\n"
		  "[x]\ny = [core] \\\n[z]\nhooksPath=\"h\\\n5\"#h7\n#hooksPath=h7\n");
	(void)rule(w, PB_DENY, PB_WRITE, "/home/u/p/.git/hooks", PB_A_PATH,
		   PB_AF_BELOW | PB_AF_FLOOR);
	build(w);
	for (int i = 0; i < 6; i++) {
		char dir[40];

		(void)snprintf(dir, sizeof(dir), "/home/u/p/h%d", i);
		assert_int_equal(node(w, dir)->ops, PB_READ);
	}
	assert_int_equal(node(w, "/home/u/p/h h")->ops, PB_READ);
	assert_null(node(w, "/home/u/p/h6"));
	assert_null(node(w, "/home/u/p/h7"));
}

static void test_scratch_that_the_host_lacks_is_refused(void **state)
{
	struct world *w = *state;

	(void)rule(w, PB_ALLOW, RW, "/home/u/p/tmp", PB_A_PATH, PB_AF_SCRATCH);
	w->in.n = w->n;
	assert_true(view_make(&w->in, &w->v, &w->err) < 0);
	assert_non_null(strstr(w->err.text, "/home/u/p/tmp"));
}

static void test_scratch_opens_nothing_of_the_host(void **state)
{
	struct world *w = *state;

	make_dir(w, "/home/u/lib");
	(void)rule(w, PB_ALLOW, RW, "/home/u", PB_A_PATH, PB_AF_BELOW | PB_AF_SCRATCH);
	allow(w, PB_READ, "/home/u/lib");
	w->in.otherwise = 700;
	build(w);
	assert_int_equal(node(w, "/home/u")->ops, RW);
	assert_true(node(w, "/home/u")->scratch);
	assert_int_equal(node(w, "/home/u/lib")->ops, PB_READ);
	assert_false(node(w, "/home/u/lib")->scratch);
	assert_int_equal(node(w, "/home/u/lib")->rule[1], 701);
}

static void test_system_trees_are_the_runs_own(void **state)
{
	struct world *w = *state;

	make_dir(w, "/proc/sub");
	make_file(w, "/proc/cpuinfo", "x");
	allow(w, RW, "/proc");
	allow(w, RW, "/sys");
	hide(w, "/proc/cpuinfo");
	deny(w, PB_WRITE, "/proc/sub");
	build(w);
	assert_null(node(w, "/proc"));
	assert_true(node(w, "/proc/cpuinfo")->masked);
	assert_null(node(w, "/proc/sub"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH(world, test_only_what_rules_name_is_shown),
		WITH(world, test_order_is_outer_before_inner),
		WITH(world, test_existing_deny_of_writing_is_a_read_only_node),
		WITH(world, test_absent_deny_narrows_the_smallest_existing_tree),
		WITH(world, test_absent_name_of_the_floor_stays_creatable),
		WITH(world, test_existing_name_of_the_floor_is_read_only),
		WITH(world, test_hides_in_a_private_tree_are_made_and_masked),
		WITH(world, test_denied_name_in_a_private_tree_is_locked),
		WITH(world, test_denied_name_above_another_is_a_directory),
		WITH(world, test_hide_that_nothing_shows_needs_no_mount),
		WITH(world, test_other_mounts_below_a_shown_tree_are_masked),
		WITH(world, test_hide_below_a_shown_tree_is_a_mask),
		WITH(world, test_allow_below_a_hide_is_shown),
		WITH(world, test_allow_of_what_is_absent_gives_nothing),
		WITH(world, test_allow_follows_a_link_that_no_run_can_make),
		WITH(world, test_allow_follows_no_link_where_runs_write),
		WITH(world, test_no_link_to_the_repository),
		WITH(world, test_allow_follows_a_link_where_writing_is_denied),
		WITH(world, test_allow_follows_no_link_of_the_project),
		WITH(world, test_deny_through_a_link_binds_the_target_too),
		WITH(world, test_link_of_the_project_lends_no_right),
		WITH(world, test_deny_through_two_links_binds_the_target),
		WITH(world, test_wildcard_deny_through_a_link_narrows_the_target),
		WITH(world, test_allow_lends_only_what_goes_through_the_link),
		WITH(world, test_forced_place_is_named_also_below_a_read_only_tree),
		WITH(world, test_deny_by_an_alias_holds_below_the_target),
		WITH(world, test_wildcard_deny_narrows_its_directory_and_all_below),
		WITH(world, test_wildcard_deny_of_an_absent_directory),
		WITH(world, test_any_depth_deny_closes_every_tree),
		WITH(world, test_allow_of_a_socket_gives_nothing),
		WITH(world, test_write_without_read_shows_nothing),
		WITH(world, test_project_link_is_there),
		WITH(world, test_hooks_path_of_git_is_read_only),
		WITH(world, test_hooks_path_is_read_as_git_reads_it),
		WITH(world, test_scratch_that_the_host_lacks_is_refused),
		WITH(world, test_scratch_opens_nothing_of_the_host),
		WITH(world, test_system_trees_are_the_runs_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
