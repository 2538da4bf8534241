/*
 * The view where all of the host can be read: its root is the run's, with the
 * run's own trees and what rules take away over it.
 */
#include <errno.h>

#include "tests/unit/plan_fixture.h"

static int root_setup(void **state)
{
	struct world *w;

	assert_int_equal(world_setup(state), 0);
	w = *state;
	w->n = 0;
	make_dir(w, "/tmp");
	make_dir(w, "/run/service");
	make_dir(w, "/dev/shm");
	make_dir(w, "/sys/class");
	make_dir(w, "/proc");
	make_dir(w, "/srv/data");
	allow(w, PB_READ, "/");
	allow(w, RX, "/usr");
	allow(w, RW, "/home/u/p");
	return 0;
}

static int root_teardown(void **state)
{
	return world_teardown(state);
}

static void test_the_hosts_root_is_the_runs(void **state)
{
	struct world *w = *state;
	const struct sandbox_node *n;

	build(w);
	n = node(w, "/");
	assert_true(n && !n->scratch && n->pin_fd >= 0);
	assert_int_equal(n->ops, PB_READ);
	/* what differs is a place of its own, what does not is none */
	assert_int_equal(node(w, "/usr")->ops, RX);
	assert_int_equal(node(w, "/home/u/p")->ops, RW);
	assert_null(node(w, "/etc"));
	assert_null(node(w, "/home/u"));
	/* the links are the host's own */
	assert_int_equal(w->v.nlinks, 0);
}

static void test_the_runs_own_trees_lie_over_it(void **state)
{
	static const char *const own[] = { "/dev", "/run", "/sys", "/tmp", "/dev/shm" };
	struct world *w = *state;

	build(w);
	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++) {
		const struct sandbox_node *n = node(w, own[i]);

		assert_true(n && n->scratch);
		assert_int_equal(n->ops, PB_READ);
	}
	/* nothing to cover: the host has none */
	assert_null(node(w, "/var/tmp"));
}

static void test_hides_are_masks_and_absent_ones_nothing(void **state)
{
	struct world *w = *state;

	hide(w, "/home/u/.ssh");
	hide(w, "/srv/data");
	hide(w, "/srv/absent");
	hide(w, "/run/service");
	build(w);
	assert_true(node(w, "/home/u/.ssh")->masked);
	assert_true(node(w, "/srv/data")->masked);
	assert_null(node(w, "/srv/absent"));
	/* not there in the first place */
	assert_null(node(w, "/run/service"));
}

static void test_home_and_project_below_a_private_tree_are_shown(void **state)
{
	struct world *w = *state;

	make_dir(w, "/tmp/u/p");
	w->in.home = "/tmp/u";
	w->in.project = "/tmp/u/p";
	allow(w, RW, "/tmp/u/p");
	build(w);
	assert_true(node(w, "/tmp")->scratch);
	assert_false(node(w, "/tmp/u")->scratch);
	assert_int_equal(node(w, "/tmp/u")->ops, PB_READ);
	assert_int_equal(node(w, "/tmp/u/p")->ops, RW);
}

static void test_scratch_over_the_host_needs_a_place(void **state)
{
	struct world *w = *state;

	(void)rule(w, PB_ALLOW, RW, "/srv/data", PB_A_PATH, PB_AF_SCRATCH | PB_AF_BELOW);
	build(w);
	assert_true(node(w, "/srv/data")->scratch);
	assert_int_equal(node(w, "/srv/data")->ops, RW);
	sandbox_view_release(&w->v);
	(void)rule(w, PB_ALLOW, RW, "/srv/no", PB_A_PATH, PB_AF_SCRATCH | PB_AF_BELOW);
	w->in.n = w->n;
	assert_int_equal(view_make(&w->in, &w->v, &w->err), -ENOTDIR);
	assert_non_null(strstr(w->err.text, "/srv/no"));
}

/* The root itself is the run's own then; what is denied is decided by name. */
static void test_what_is_written_anywhere_are_the_names_of_the_root(void **state)
{
	static const char *const own[] = { "/run", "/sys", "/tmp" };
	struct world *w = *state;
	struct plan p;

	w->in.broker = true;
	allow(w, PB_WRITE, "/");
	make_dir(w, "/home/u/p/keep");
	(void)deny(w, PB_WRITE, "/home/u/p/keep");
	(void)deny(w, PB_WRITE, "/etc/absent");
	make_file(w, "/file", "x");
	build(w);
	assert_null(node(w, "/"));
	assert_int_equal(node(w, "/usr")->ops, RWX);
	assert_int_equal(node(w, "/srv")->ops, RW);
	assert_int_equal(node(w, "/file")->ops, RW);
	assert_false(node(w, "/srv")->broker || node(w, "/home")->broker);
	assert_true(node(w, "/etc")->broker && node(w, "/home/u/p")->broker);
	assert_string_equal(link_at(w, "/bin"), "usr/bin");
	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++) {
		assert_true(node(w, own[i])->scratch);
		assert_int_equal(node(w, own[i])->ops, PB_READ);
	}
	p = plan_of(w);
	assert_int_equal(op_at(&p, STEP_ROOT_TREE, "."), -1);
	assert_true(op_at(&p, STEP_TREE, "srv") > 0);
	assert_false(p.ops[op_at(&p, STEP_TREE, "srv")].flags & PLAN_F_RO);
	assert_true(op_at(&p, STEP_ROOT_RO, "") > op_at(&p, STEP_TREE, "srv"));
	plan_release(&p);
}

static void test_a_wildcard_opens_names_in_every_tree(void **state)
{
	struct world *w = *state;

	(void)rule(w, PB_ALLOW, PB_WRITE, "/", PB_A_WILD, 0);
	build(w);
	/* the control: nothing decides names */
	assert_int_equal(node(w, "/srv")->ops, PB_READ);
	sandbox_view_release(&w->v);
	w->in.broker = true;
	build(w);
	assert_null(node(w, "/"));
	assert_true(node(w, "/srv")->broker && node(w, "/etc")->broker);
	assert_true(node(w, "/usr")->broker && (node(w, "/usr")->ops & PB_EXEC));
}

static void test_a_denial_of_the_root_is_no_view_of_it(void **state)
{
	struct world *w = *state;

	deny(w, PB_READ, "/");
	build(w);
	assert_null(node(w, "/"));
}

/* Root's run: what strangers cannot pass needs no mask; a project below it
 * is shown in a directory that is otherwise empty. */
static void test_roots_run_cannot_be_kept_from_its_project(void **state)
{
	struct world *w = *state;

	assert_int_equal(chmod(at(w, "/home/u"), 0700), 0);
	hide(w, "/home/u/.ssh");
	make_dir(w, "/srv/closed/x");
	assert_int_equal(chmod(at(w, "/srv/closed"), 0700), 0);
	hide(w, "/srv/closed/x");
	w->in.foreign = true;
	build(w);
	assert_true(node(w, "/home/u")->scratch);
	assert_int_equal(node(w, "/home/u")->ops, PB_READ);
	assert_int_equal(node(w, "/home/u/p")->ops, RW);
	assert_null(node(w, "/home/u/.ssh"));
	assert_null(node(w, "/srv/closed"));
	assert_null(node(w, "/srv/closed/x"));
	sandbox_view_release(&w->v);
	/* the control: a user of the host's, who may be its owner */
	w->in.foreign = false;
	build(w);
	assert_null(node(w, "/home/u"));
	assert_true(node(w, "/home/u/.ssh")->masked);
	assert_true(node(w, "/srv/closed/x")->masked);
}

/* Hard links stand for what a bind mount would show: the same object. */
static void test_other_mounts_of_what_is_hidden_are_masked(void **state)
{
	static char file[128];
	struct world *w = *state;

	(void)snprintf(file, sizeof(file), "%s/mountinfo", w->dir);
	make_file(w, "/mountinfo",
		  "1 0 8:1 / / rw - ext4 x rw\n"
		  "2 1 8:1 /home/u/.ssh /srv rw shared:1 - ext4 x rw\n"
		  "3 1 8:2 /home/u/.ssh /other rw - ext4 y rw\n"
		  "4 1 8:1 /home/u/.ssh/known_hosts /a\\040part rw - ext4 x rw\n"
		  "5 1 0:4 net:[4026] /ns rw - nsfs nsfs rw\n"
		  "broken\n");
	make_dir(w, "/other");
	for (int i = 0; i < 3; i++) {
		static const char *const names[] = { "/srv/known_hosts", "/a part",
						     "/other/known_hosts" };
		char from[512];

		(void)snprintf(from, sizeof(from), "%s", at(w, "/home/u/.ssh/known_hosts"));
		assert_int_equal(link(from, at(w, names[i])), 0);
	}
	hide(w, "/home/u/.ssh/known_hosts");
	build(w);
	/* the control: nobody says what is mounted */
	assert_null(node(w, "/srv/known_hosts"));
	sandbox_view_release(&w->v);
	w->in.mountinfo = file;
	build(w);
	assert_true(node(w, "/home/u/.ssh/known_hosts")->masked);
	assert_true(node(w, "/srv/known_hosts")->masked);
	assert_true(node(w, "/a part")->masked);
	assert_null(node(w, "/other/known_hosts"));
	sandbox_view_release(&w->v);
	/* a part of what is hidden */
	w->n--;
	hide(w, "/home/u/.ssh");
	build(w);
	assert_true(node(w, "/home/u/.ssh")->masked);
	assert_true(node(w, "/a part")->masked);
	sandbox_view_release(&w->v);
	/* what cannot be known is not guessed */
	w->in.mountinfo = "/nonexistent/mountinfo";
	assert_int_equal(view_make(&w->in, &w->v, &w->err), -ENOENT);
}

static void test_the_plan_begins_with_the_root(void **state)
{
	struct world *w = *state;
	struct plan p;
	int root, masks, dev, shm, null;

	hide(w, "/srv/data");
	build(w);
	p = plan_of(w);
	root = op_at(&p, STEP_ROOT_TREE, ".");
	masks = op_at(&p, STEP_HIDE_DIR, "srv/data");
	dev = op_at(&p, STEP_COVER_DIR, "dev");
	shm = op_at(&p, STEP_COVER_DIR, "dev/shm");
	null = op_at(&p, STEP_DEV, "dev/null");
	assert_true(root >= 0 && root < dev && dev < null && root < masks);
	assert_true(p.ops[root].flags & PLAN_F_RO);
	assert_true(p.ops[root].flags & PLAN_F_NOEXEC);
	assert_true(p.ops[masks].flags & PLAN_F_CHECK);
	assert_true(p.ops[dev].flags & PLAN_F_RO);
	/* its names are made before it is mounted, which is read-only */
	assert_true(op_at(&p, STEP_MKFILE, "1/null") < dev);
	assert_true(op_at(&p, STEP_MKFILE, "1/null") > 0);
	assert_true(shm < 0 || shm > dev);
	assert_true(op_at(&p, STEP_COVER_DIR, "run") > root);
	/* nothing is made in the host's tree */
	assert_int_equal(op_at(&p, STEP_MKDIR, "proc"), -1);
	assert_int_equal(op_at(&p, STEP_MKDIR, "usr"), -1);
	assert_int_equal(op_at(&p, STEP_ROOT_RO, ""), -1);
	plan_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH(root, test_the_hosts_root_is_the_runs),
		WITH(root, test_the_runs_own_trees_lie_over_it),
		WITH(root, test_hides_are_masks_and_absent_ones_nothing),
		WITH(root, test_home_and_project_below_a_private_tree_are_shown),
		WITH(root, test_scratch_over_the_host_needs_a_place),
		WITH(root, test_what_is_written_anywhere_are_the_names_of_the_root),
		WITH(root, test_a_wildcard_opens_names_in_every_tree),
		WITH(root, test_a_denial_of_the_root_is_no_view_of_it),
		WITH(root, test_roots_run_cannot_be_kept_from_its_project),
		WITH(root, test_other_mounts_of_what_is_hidden_are_masked),
		WITH(root, test_the_plan_begins_with_the_root),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
