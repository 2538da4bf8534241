/*
 * The view over a directory that stands for the host: what is shown, hidden,
 * made or narrowed, and the order in which the plan mounts it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "runtime/sandbox/plan_view.h"
#include "runtime/sandbox/view.h"

#define MAX_RULES 32

struct world {
	char dir[64];
	struct view_anchor a[MAX_RULES];
	char full[MAX_RULES][256];
	size_t n;
	struct view_in in;
	struct sandbox_view v;
	struct rt_err err;
};

/* A rule list with the semantics of literal names: a denial wins. */
static enum view_answer decide(void *arg, uint8_t op, const char *path, uint32_t *rule)
{
	const struct world *w = arg;
	bool own = true;
	int allow = -1;

	*rule = UINT32_MAX;
	for (size_t i = 0; i < w->n; i++) {
		const struct view_anchor *a = &w->a[i];

		if (a->kind != PB_A_PATH || !(a->ops & op) || !view_at(path, a->path))
			continue;
		*rule = (uint32_t)i;
		if (a->effect != PB_ALLOW)
			return VIEW_DENY;
		allow = (int)i;
		own = own && (a->flags & PB_AF_SCRATCH);
	}
	if (allow < 0)
		return VIEW_OTHERWISE;
	*rule = (uint32_t)allow;
	return own ? VIEW_OWN : VIEW_ALLOW;
}

static uint32_t rule(struct world *w, uint8_t effect, uint8_t ops, const char *path,
		     uint8_t kind, uint8_t flags)
{
	struct view_anchor *a = &w->a[w->n];

	(void)snprintf(w->full[w->n], sizeof(w->full[0]), "%s", path);
	*a = (struct view_anchor){ .path = w->full[w->n], .kind = kind, .effect = effect,
				   .ops = ops, .flags = flags, .rule = (uint32_t)w->n };
	return (uint32_t)w->n++;
}

#define RW (PB_READ | PB_WRITE)
#define RX (PB_READ | PB_EXEC)
#define RWX (PB_READ | PB_WRITE | PB_EXEC)

static void allow(struct world *w, uint8_t ops, const char *path)
{
	(void)rule(w, PB_ALLOW, ops, path, PB_A_PATH, PB_AF_BELOW);
}

static uint32_t deny(struct world *w, uint8_t ops, const char *path)
{
	return rule(w, PB_DENY, ops, path, PB_A_PATH, PB_AF_BELOW);
}

static void hide(struct world *w, const char *path)
{
	(void)rule(w, PB_HIDE, RWX, path, PB_A_PATH, PB_AF_BELOW);
}

static const char *at(const struct world *w, const char *path)
{
	static char full[512];

	(void)snprintf(full, sizeof(full), "%s%s", w->dir, path);
	return full;
}

static void make_dir(const struct world *w, const char *path)
{
	char full[512];

	(void)snprintf(full, sizeof(full), "%s%s", w->dir, path);
	for (char *s = full + strlen(w->dir) + 1; (s = strchr(s, '/')); *s++ = '/') {
		*s = '\0';
		(void)mkdir(full, 0755);
	}
	(void)mkdir(full, 0755);
}

static void make_file(const struct world *w, const char *path, const char *text)
{
	FILE *f = fopen(at(w, path), "w");

	assert_non_null(f);
	(void)fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static int setup(void **state)
{
	struct world *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	(void)snprintf(w->dir, sizeof(w->dir), "/tmp/pol-view-XXXXXX");
	assert_non_null(mkdtemp(w->dir));
	make_dir(w, "/usr/bin");
	make_dir(w, "/etc");
	make_dir(w, "/home/u/p/src/deep");
	make_dir(w, "/home/u/.ssh");
	make_file(w, "/home/u/.ssh/known_hosts", "k");
	assert_int_equal(symlink("usr/bin", at(w, "/bin")), 0);
	w->in = (struct view_in){ .prefix = w->dir, .home = "/home/u",
				  .project = "/home/u/p", .anchors = w->a,
				  .decide = decide, .arg = w };
	allow(w, RX, "/usr");
	(void)rule(w, PB_ALLOW, RW, "/home/u", PB_A_PATH, PB_AF_SCRATCH | PB_AF_BELOW);
	allow(w, RW, "/home/u/p");
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;
	char cmd[128];

	sandbox_view_release(&w->v);
	(void)snprintf(cmd, sizeof(cmd), "rm -rf '%s'", w->dir);
	assert_int_equal(system(cmd), 0);
	free(w);
	return 0;
}

static void build(struct world *w)
{
	w->in.n = w->n;
	if (view_make(&w->in, &w->v, &w->err) < 0)
		fail_msg("view: %s", w->err.text);
}

/* The node exactly at `path`, or NULL. */
static const struct sandbox_node *node(const struct world *w, const char *path)
{
	const struct sandbox_node *n = sandbox_view_find(&w->v, path);

	return n && !strcmp(n->path, path) ? n : NULL;
}

static const char *link_at(const struct world *w, const char *path)
{
	for (size_t i = 0; i < w->v.nlinks; i++)
		if (!strcmp(w->v.links[i].path, path))
			return w->v.links[i].target;
	return NULL;
}

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

static void test_hide_that_nothing_shows_needs_no_mount(void **state)
{
	struct world *w = *state;

	make_file(w, "/etc/shadow", "x");
	hide(w, "/etc/shadow");
	build(w);
	assert_true(node(w, "/etc/shadow")->noted);
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

static void test_any_depth_deny_spares_only_what_is_the_runs_own(void **state)
{
	struct world *w = *state;

	make_dir(w, "/data");
	allow(w, RW, "/data");
	(void)rule(w, PB_DENY, PB_WRITE, "", PB_A_ANY, 0);
	build(w);
	assert_int_equal(node(w, "/home/u/p")->ops, PB_READ);
	assert_true(node(w, "/home/u/p")->forced_ro);
	assert_int_equal(node(w, "/data")->ops, PB_READ);
	assert_int_equal(node(w, "/home/u")->ops, RW);
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
		  "[user]\n\thooksPath = src\n[core]\n\tbare = false\n"
		  "\thooksPath = tools/hooks # ours\n");
	(void)rule(w, PB_DENY, PB_WRITE, "/home/u/p/.git/hooks", PB_A_PATH,
		   PB_AF_BELOW | PB_AF_FLOOR);
	build(w);
	assert_int_equal(node(w, "/home/u/p/.git/hooks")->ops, PB_READ);
	assert_int_equal(node(w, "/home/u/p/tools/hooks")->ops, PB_READ);
	assert_null(node(w, "/home/u/p/src"));
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

/* --- the plan ---------------------------------------------------------------------- */

static struct plan plan_of(struct world *w)
{
	static const struct plan_policy policy;
	static const struct plan_texts texts;
	struct sandbox_run run = { .cwd = "/home/u/p" };
	struct plan p;

	build(w);
	plan_init(&p);
	plan_view(&p, &run, &w->v, NULL, &policy, &texts);
	assert_int_equal(p.err, 0);
	return p;
}

/* Index of the first operation of the row at this path, or -1. */
static int op_at(const struct plan *p, enum step_id step, const char *path)
{
	for (size_t i = 0; i < p->nops; i++)
		if (p->ops[i].step == step && !strcmp(p->pool + p->ops[i].path, path))
			return (int)i;
	return -1;
}

static void test_restriction_is_pinned_to_the_first_tree_nobody_can_move(void **state)
{
	struct world *w = *state;
	struct plan p;
	int tree, pin, cover, inner;

	make_dir(w, "/home/u/p/src/deep/x");
	deny(w, PB_WRITE, "/home/u/p/src/deep/x");
	p = plan_of(w);
	tree = op_at(&p, STEP_TREE, "home/u/p");
	pin = op_at(&p, STEP_PIN_DIR, "home/u/p/src");
	cover = op_at(&p, STEP_COVER, "home/u/p");
	inner = op_at(&p, STEP_TREE, "home/u/p/src/deep/x");
	assert_true(tree >= 0 && tree < pin && pin < cover && cover < inner);
	assert_true(pin < op_at(&p, STEP_PIN_DIR, "home/u/p/src/deep"));
	assert_true(p.ops[inner].flags & PLAN_F_RO);
	assert_true(p.ops[inner].flags & PLAN_F_CHECK);
	assert_false(p.ops[tree].flags & PLAN_F_RO);
	assert_true(p.ops[tree].flags & PLAN_F_NOEXEC);
	/* the project is a mount point in HOME already: no pin at it */
	assert_int_equal(op_at(&p, STEP_PIN_DIR, "home/u/p"), -1);
	plan_release(&p);
}

static void test_pins_reach_through_writable_trees(void **state)
{
	struct world *w = *state;
	struct plan p;

	make_dir(w, "/home/u/a/q/d");
	allow(w, RW, "/home/u/a/q");
	deny(w, PB_WRITE, "/home/u/a/q/d");
	p = plan_of(w);
	/* HOME is writable: mv ~/a away would take the tree with it */
	assert_true(op_at(&p, STEP_PIN_DIR, "home/u/a") >= 0);
	plan_release(&p);
}

static void test_nothing_is_pinned_without_a_restriction(void **state)
{
	struct world *w = *state;
	struct plan p = plan_of(w);

	for (size_t i = 0; i < p.nops; i++)
		assert_true(p.ops[i].step != STEP_PIN_DIR && p.ops[i].step != STEP_COVER);
	plan_release(&p);
}

static void test_root_is_read_only_before_the_pivot(void **state)
{
	struct world *w = *state;
	struct plan p = plan_of(w);
	size_t ro = 0, pivot = 0, open_last = 0, base = 0;

	for (size_t i = 0; i < p.nops; i++) {
		ro = p.ops[i].step == STEP_ROOT_RO ? i : ro;
		pivot = p.ops[i].step == STEP_PIVOT ? i : pivot;
		open_last = p.ops[i].step == STEP_OPEN ? i : open_last;
		base = p.ops[i].step == STEP_BASE ? i : base;
	}
	/* a tree opened after the base is mounted might be the base's */
	assert_true(open_last < base && base < ro && ro < pivot);
	plan_release(&p);
}

static void test_damaged_plan_is_refused(void **state)
{
	struct world *w = *state;
	struct plan p = plan_of(w);
	struct rt_err err;
	void *bytes;
	size_t size;
	struct plan_op *op;

	assert_int_equal(plan_finish(&p, &bytes, &size), 0);
	assert_int_equal(plan_check(bytes, size, &err), 0);
	assert_true(plan_check(bytes, size - 1, &err) < 0);
	op = (struct plan_op *)(void *)((struct plan_head *)bytes + 1);
	op->path = UINT32_MAX;
	assert_true(plan_check(bytes, size, &err) < 0);
	op->path = 0;
	op->step = STEP_COUNT;
	assert_true(plan_check(bytes, size, &err) < 0);
	op->step = 0;
	((struct plan_head *)bytes)->nops++;
	assert_true(plan_check(bytes, size, &err) < 0);
	free(bytes);
	plan_release(&p);
}

static void test_step_names_are_unique(void **state)
{
	(void)state;
	for (size_t i = 0; i < STEP_COUNT; i++) {
		assert_non_null(step_table[i].prevents);
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(step_table[i].name, step_table[j].name);
	}
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_only_what_rules_name_is_shown),
		T(test_order_is_outer_before_inner),
		T(test_existing_deny_of_writing_is_a_read_only_node),
		T(test_absent_deny_narrows_the_smallest_existing_tree),
		T(test_absent_name_of_the_floor_stays_creatable),
		T(test_existing_name_of_the_floor_is_read_only),
		T(test_hides_in_a_private_tree_are_made_and_masked),
		T(test_denied_name_in_a_private_tree_is_locked),
		T(test_hide_that_nothing_shows_needs_no_mount),
		T(test_hide_below_a_shown_tree_is_a_mask),
		T(test_allow_below_a_hide_is_shown),
		T(test_allow_of_what_is_absent_gives_nothing),
		T(test_allow_follows_a_link_that_no_run_can_make),
		T(test_allow_follows_no_link_of_the_project),
		T(test_deny_through_a_link_binds_the_target_too),
		T(test_link_of_the_project_lends_no_right),
		T(test_deny_through_two_links_binds_the_target),
		T(test_wildcard_deny_through_a_link_narrows_the_target),
		T(test_allow_lends_only_what_goes_through_the_link),
		T(test_forced_place_is_named_also_below_a_read_only_tree),
		T(test_deny_by_an_alias_holds_below_the_target),
		T(test_wildcard_deny_narrows_its_directory_and_all_below),
		T(test_wildcard_deny_of_an_absent_directory),
		T(test_any_depth_deny_spares_only_what_is_the_runs_own),
		T(test_allow_of_a_socket_gives_nothing),
		T(test_write_without_read_shows_nothing),
		T(test_project_link_is_there),
		T(test_hooks_path_of_git_is_read_only),
		T(test_scratch_that_the_host_lacks_is_refused),
		T(test_scratch_opens_nothing_of_the_host),
		T(test_system_trees_are_the_runs_own),
		T(test_restriction_is_pinned_to_the_first_tree_nobody_can_move),
		T(test_pins_reach_through_writable_trees),
		T(test_nothing_is_pinned_without_a_restriction),
		T(test_root_is_read_only_before_the_pivot),
		T(test_damaged_plan_is_refused),
		cmocka_unit_test(test_step_names_are_unique),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
