/*
 * Mounts at another place in the view: what is restricted below a tree is
 * below its place, too.
 */
#include <errno.h>

#include "tests/unit/view_fixture.h"

static char host[] = "/home/u/p", place[] = "/w";
static struct view_mount mounts[1];

/* As the decision library does: below the place by the host's name. */
static void decide_own(void *arg, const char *path, struct view_answers *ret)
{
	char own[512];

	if (!view_at(path, mounts[0].place)) {
		decide(arg, path, ret);
		return;
	}
	(void)snprintf(own, sizeof(own), "%s%s", mounts[0].host,
		       path + strlen(mounts[0].place));
	decide(arg, own, ret);
}

static int mount_setup(void **state)
{
	struct world *w;

	assert_int_equal(world_setup(state), 0);
	w = *state;
	mounts[0] = (struct view_mount){ .host = host, .place = place, .rule = 2 };
	w->in.mounts = mounts;
	w->in.nmounts = 1;
	w->in.decide = decide_own;
	return 0;
}

static int mount_teardown(void **state)
{
	return world_teardown(state);
}

static int refused_with(struct world *w, const char *text)
{
	int r;

	w->in.n = w->n;
	r = view_make(&w->in, &w->v, &w->err);
	if (r == 0 || !strstr(w->err.text, text))
		fail_msg("%d: %s", r, w->err.text);
	return r;
}

static void test_the_tree_is_at_both_names(void **state)
{
	struct world *w = *state;
	const struct sandbox_node *n;
	char buf[256];

	build(w);
	n = node(w, "/w");
	assert_non_null(n);
	assert_int_equal(n->ops, RW);
	assert_string_equal(n->source, "/home/u/p");
	assert_int_equal(n->ino, node(w, "/home/u/p")->ino);
	assert_null(node(w, "/home/u/p")->source);
	assert_string_equal(sandbox_view_host(&w->v, "/w/src/x", buf, sizeof(buf)),
			    "/home/u/p/src/x");
	assert_string_equal(sandbox_view_host(&w->v, "/usr/x", buf, sizeof(buf)),
			    "/usr/x");
	assert_null(sandbox_view_host(&w->v, "/w/src/x", buf, 12));
}

/* What the rules name below the place has no name any more; every other one is found as before. */
static void test_each_name_is_there_once(void **state)
{
	struct world *w = *state;

	static char tree[] = "/srv/t";

	make_dir(w, "/w/old");
	make_dir(w, "/srv/t/src");
	mounts[0].host = tree;
	allow(w, PB_READ, "/w/old");
	allow(w, PB_READ, "/srv");
	allow(w, RW, "/srv/t");
	deny(w, PB_WRITE, "/srv/t/src");
	build(w);
	for (size_t i = 0; i < w->v.n; i++)
		for (size_t k = 0; k < i; k++)
			if (!strcmp(w->v.nodes[i].path, w->v.nodes[k].path))
				fail_msg("twice: %s", w->v.nodes[i].path);
	assert_null(node(w, "/w/old"));
	assert_non_null(node(w, "/w/src"));
}

static void test_restrictions_stand_at_both_names(void **state)
{
	struct world *w = *state;

	make_dir(w, "/home/u/p/ro");
	deny(w, PB_WRITE, "/home/u/p/ro");
	hide(w, "/home/u/p/src/deep");
	build(w);
	assert_int_equal(node(w, "/w/ro")->ops, PB_READ);
	assert_int_equal(node(w, "/home/u/p/ro")->ops, PB_READ);
	assert_true(node(w, "/w/src/deep")->masked);
	assert_true(node(w, "/home/u/p/src/deep")->masked);
}

static void test_absent_names_narrow_both(void **state)
{
	struct world *w = *state;
	uint32_t r = deny(w, PB_WRITE, "/home/u/p/src/no");

	build(w);
	assert_int_equal(node(w, "/w/src")->ops, PB_READ);
	assert_int_equal(node(w, "/w/src")->forced_by, r);
	assert_int_equal(node(w, "/home/u/p/src")->ops, PB_READ);
	assert_int_equal(node(w, "/w")->ops, RW);
}

static void test_a_wildcard_above_the_tree_narrows_the_place(void **state)
{
	static char deep[] = "/home/u/p/src/deep";
	struct world *w = *state;

	mounts[0].host = deep;
	allow(w, RW, deep);
	build(w);
	assert_int_equal(node(w, "/w")->ops, RW);
	sandbox_view_release(&w->v);
	(void)rule(w, PB_DENY, PB_WRITE, "/home/u/p/src", PB_A_WILD, PB_AF_BELOW);
	build(w);
	assert_int_equal(node(w, "/w")->ops, PB_READ);
	assert_true(node(w, "/w")->forced_ro);
}

static void test_names_of_the_floor_are_told_once(void **state)
{
	struct world *w = *state;

	(void)rule(w, PB_DENY, PB_WRITE, "/home/u/p/.envrc", PB_A_PATH,
		   PB_AF_BELOW | PB_AF_FLOOR);
	build(w);
	assert_int_equal(w->v.ncreatable, 1);
	assert_string_equal(w->v.creatable[0].path, "/home/u/p/.envrc");
}

static void test_what_a_link_denies_is_denied_at_the_place(void **state)
{
	struct world *w = *state;

	assert_int_equal(symlink("src/deep", at(w, "/home/u/p/to")), 0);
	hide(w, "/home/u/p/to");
	build(w);
	assert_true(node(w, "/home/u/p/src/deep")->masked);
	assert_true(node(w, "/w/src/deep")->masked);
}

static void test_a_tree_that_is_absent_is_only_told(void **state)
{
	struct world *w = *state;
	static char none[] = "/home/u/none";

	mounts[0].host = none;
	allow(w, PB_READ, none);
	build(w);
	assert_true(node(w, "/w")->noted);
	assert_true(node(w, "/w")->absent);
	assert_int_equal(node(w, "/w")->rule[0], 2);
}

static void test_places_that_cannot_be(void **state)
{
	static char in_home[] = "/home/u/x", over[] = "/home", below[] = "/usr/none",
		    link[] = "/home/u/l";
	struct world *w = *state;

	mounts[0].place = in_home;
	assert_int_equal(refused_with(w, "/home/u lies there"), -EEXIST);
	mounts[0].place = over;
	assert_int_equal(refused_with(w, "/home/u lies there"), -EEXIST);
	mounts[0].place = below;
	assert_int_equal(refused_with(w, "has nothing there"), -ENOENT);
	mounts[0].place = place;
	assert_int_equal(symlink("p", at(w, link)), 0);
	mounts[0].host = link;
	assert_int_equal(refused_with(w, "symbolic link"), -ELOOP);
	mounts[0].host = host;
}

static void test_over_a_directory_of_the_host(void **state)
{
	static char bin[] = "/usr/bin";
	struct world *w = *state;
	const struct sandbox_node *n;

	mounts[0].place = bin;
	build(w);
	n = node(w, "/usr/bin");
	assert_string_equal(n->source, "/home/u/p");
	/* what it lies on is compared with what was seen there, not with the tree */
	assert_int_not_equal(n->at_ino, n->ino);
}

static void test_a_new_place_where_all_is_read(void **state)
{
	struct world *w = *state;

	w->a[1].flags = 0; /* no scratch */
	allow(w, PB_READ, "/");
	make_dir(w, "/srv/x");
	hide(w, "/srv/x");
	build(w);
	assert_null(node(w, "/"));
	assert_int_equal(node(w, "/srv")->ops, PB_READ);
	assert_true(node(w, "/srv/x")->masked);
	assert_int_equal(node(w, "/w")->ops, RW);
	assert_string_equal(link_at(w, "/bin"), "usr/bin");
	sandbox_view_release(&w->v);
	/* the control: with a directory there the host's root serves */
	make_dir(w, "/w");
	build(w);
	assert_non_null(node(w, "/"));
	assert_int_equal(node(w, "/w")->ops, RW);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH(mount, test_the_tree_is_at_both_names),
		WITH(mount, test_each_name_is_there_once),
		WITH(mount, test_restrictions_stand_at_both_names),
		WITH(mount, test_absent_names_narrow_both),
		WITH(mount, test_a_wildcard_above_the_tree_narrows_the_place),
		WITH(mount, test_names_of_the_floor_are_told_once),
		WITH(mount, test_what_a_link_denies_is_denied_at_the_place),
		WITH(mount, test_a_tree_that_is_absent_is_only_told),
		WITH(mount, test_places_that_cannot_be),
		WITH(mount, test_over_a_directory_of_the_host),
		WITH(mount, test_a_new_place_where_all_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
