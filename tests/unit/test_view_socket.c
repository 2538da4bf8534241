/* Sockets in the view: what a unix rule brings in, and what it does not. */
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "tests/unit/view_fixture.h"

/* The rules about connections: as decide(), for anchors with PB_AF_SOCKET. */
static enum view_answer decide_socket(void *arg, const char *path, uint32_t *ret_rule)
{
	const struct world *w = arg;
	enum view_answer a = VIEW_OTHERWISE;

	*ret_rule = UINT32_MAX;
	for (size_t i = 0; i < w->n; i++) {
		if (!(w->a[i].flags & PB_AF_SOCKET) || !view_at(path, w->a[i].path))
			continue;
		*ret_rule = (uint32_t)i;
		if (w->a[i].effect != PB_ALLOW)
			return VIEW_DENY;
		a = VIEW_ALLOW;
	}
	return a;
}

static uint32_t socket_rule(struct world *w, uint8_t effect, const char *path)
{
	w->in.decide_socket = decide_socket;
	return rule(w, effect, 0, path, PB_A_PATH, PB_AF_SOCKET);
}

/* bind() takes 107 bytes of a path; the world's are shorter. */
static void make_socket(const struct world *w, const char *path)
{
	struct sockaddr_un sa = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	assert_true(fd >= 0);
	assert_true((size_t)snprintf(sa.sun_path, sizeof(sa.sun_path), "%s",
				     at(w, path)) < sizeof(sa.sun_path));
	assert_int_equal(bind(fd, (struct sockaddr *)&sa, sizeof(sa)), 0);
	assert_int_equal(close(fd), 0);
}

static bool is_brought_in(const struct world *w, const char *path, uint32_t by)
{
	const struct sandbox_node *n = node(w, path);

	return n && n->socket && !n->masked && !n->noted && !n->scratch && !n->ops &&
	       !n->is_dir && n->pin_fd >= 0 && n->rule[0] == by;
}

static void test_exactly_the_named_socket_is_brought_in(void **state)
{
	struct world *w = *state;
	uint32_t r;

	make_dir(w, "/run/d");
	make_socket(w, "/run/d/a.sock");
	make_socket(w, "/run/d/b.sock");
	r = socket_rule(w, PB_ALLOW, "/run/d/a.sock");
	build(w);
	assert_true(is_brought_in(w, "/run/d/a.sock", r));
	assert_null(node(w, "/run/d/b.sock"));
	assert_null(node(w, "/run/d"));
}

static void test_a_socket_in_a_private_tree_is_the_hosts(void **state)
{
	struct world *w = *state;
	uint32_t r, tmp;

	make_dir(w, "/tmp");
	make_socket(w, "/home/u/agent");
	make_socket(w, "/tmp/x");
	r = socket_rule(w, PB_ALLOW, "/home/u/agent");
	tmp = socket_rule(w, PB_ALLOW, "/tmp/x");
	build(w);
	assert_true(is_brought_in(w, "/home/u/agent", r));
	assert_true(is_brought_in(w, "/tmp/x", tmp));
	/* ${TMPDIR} is the run's own, so its names are not the host's */
	sandbox_view_release(&w->v);
	w->a[tmp].root = PB_ROOT_TMP;
	build(w);
	assert_null(node(w, "/tmp/x"));
}

static void test_what_is_no_socket_is_not_brought_in(void **state)
{
	struct world *w = *state;

	make_file(w, "/etc/file", "x");
	make_dir(w, "/etc/dir");
	assert_int_equal(mkfifo(at(w, "/etc/fifo"), 0600), 0);
	(void)socket_rule(w, PB_ALLOW, "/etc/file");
	(void)socket_rule(w, PB_ALLOW, "/etc/dir");
	(void)socket_rule(w, PB_ALLOW, "/etc/fifo");
	(void)socket_rule(w, PB_ALLOW, "/etc/absent");
	build(w);
	assert_null(sandbox_view_find(&w->v, "/etc/file"));
	assert_null(sandbox_view_find(&w->v, "/etc/dir"));
	assert_null(sandbox_view_find(&w->v, "/etc/fifo"));
	assert_null(sandbox_view_find(&w->v, "/etc/absent"));
}

static void test_a_deny_of_the_socket_or_of_its_file_wins(void **state)
{
	struct world *w = *state;

	make_dir(w, "/run/d");
	make_socket(w, "/run/d/denied");
	make_socket(w, "/run/d/hidden");
	(void)socket_rule(w, PB_ALLOW, "/run/d/denied");
	(void)socket_rule(w, PB_DENY, "/run/d/denied");
	(void)socket_rule(w, PB_ALLOW, "/run/d/hidden");
	hide(w, "/run/d/hidden");
	build(w);
	assert_null(node(w, "/run/d/denied"));
	assert_false(node(w, "/run/d/hidden") && node(w, "/run/d/hidden")->socket);
}

/* /var/run is a link to /run, as on every system. */
static void test_a_socket_through_a_link(void **state)
{
	struct world *w = *state;
	uint32_t r;

	make_dir(w, "/run");
	make_dir(w, "/var");
	assert_int_equal(symlink("../run", at(w, "/var/run")), 0);
	make_socket(w, "/run/a");
	make_socket(w, "/run/b");
	r = socket_rule(w, PB_ALLOW, "/var/run/a");
	build(w);
	assert_true(is_brought_in(w, "/run/a", r));
	assert_string_equal(link_at(w, "/var/run"), "../run");
	/* a deny of the other name holds, too */
	sandbox_view_release(&w->v);
	(void)socket_rule(w, PB_ALLOW, "/run/b");
	(void)socket_rule(w, PB_DENY, "/var/run/b");
	build(w);
	assert_null(node(w, "/run/b"));
}

/* A run could have made the link, and would choose the socket. */
static void test_no_link_of_the_project_is_followed(void **state)
{
	struct world *w = *state;

	make_dir(w, "/run");
	make_socket(w, "/run/a");
	assert_int_equal(symlink("/run/a", at(w, "/home/u/p/sock")), 0);
	(void)socket_rule(w, PB_ALLOW, "/home/u/p/sock");
	build(w);
	assert_null(node(w, "/run/a"));
}

/* A tree that is shown has its sockets in it. */
static void test_a_socket_that_is_shown_needs_no_mount(void **state)
{
	struct world *w = *state;

	make_socket(w, "/home/u/p/sock");
	(void)socket_rule(w, PB_ALLOW, "/home/u/p/sock");
	build(w);
	assert_null(node(w, "/home/u/p/sock"));
	assert_int_equal(w->v.nwalls, 0);
}

static bool is_hidden(const struct world *w, const char *path, uint32_t by)
{
	const struct sandbox_node *n = node(w, path);

	return n && n->masked && !n->socket && !n->ops && n->rule[0] == by;
}

static const struct sandbox_wall *wall(const struct world *w, const char *path)
{
	for (size_t i = 0; i < w->v.nwalls; i++)
		if (!strcmp(w->v.walls[i].path, path))
			return &w->v.walls[i];
	return NULL;
}

static void test_a_denied_socket_in_a_shown_tree_is_masked(void **state)
{
	struct world *w = *state;
	uint32_t r;

	make_socket(w, "/home/u/p/sock");
	make_socket(w, "/home/u/p/other");
	make_file(w, "/home/u/p/file", "x");
	r = socket_rule(w, PB_DENY, "/home/u/p/sock");
	(void)socket_rule(w, PB_DENY, "/home/u/p/file");
	(void)socket_rule(w, PB_DENY, "/home/u/p/absent");
	build(w);
	assert_true(is_hidden(w, "/home/u/p/sock", r));
	assert_true(wall(w, "/home/u/p/sock") && wall(w, "/home/u/p/sock")->rule == r);
	/* the rule is about connections: it hides no file, and closes no folder */
	assert_null(node(w, "/home/u/p/file"));
	assert_null(node(w, "/home/u/p/absent"));
	assert_null(node(w, "/home/u/p/other"));
	assert_int_equal(node(w, "/home/u/p")->ops, RW);
}

static void test_a_denied_name_that_leads_to_a_socket_masks_it(void **state)
{
	struct world *w = *state;
	uint32_t r;

	make_socket(w, "/home/u/p/sock");
	assert_int_equal(symlink("p/sock", at(w, "/home/u/link")), 0);
	r = socket_rule(w, PB_DENY, "/home/u/link");
	build(w);
	assert_true(is_hidden(w, "/home/u/p/sock", r));
}

/* Another mount of the same file system shows the same socket. */
static void test_a_denied_socket_has_no_second_name(void **state)
{
	struct world *w = *state;
	char file[256], from[512];
	uint32_t r;

	make_dir(w, "/home/u/p/d");
	make_dir(w, "/usr/second");
	make_socket(w, "/home/u/p/d/sock");
	(void)snprintf(from, sizeof(from), "%s", at(w, "/home/u/p/d/sock"));
	assert_int_equal(link(from, at(w, "/usr/second/sock")), 0);
	(void)snprintf(file, sizeof(file), "%s/mountinfo", w->dir);
	make_file(w, "/mountinfo",
		  "1 0 8:1 / / rw - ext4 a rw\n"
		  "2 1 8:1 /home/u/p/d /usr/second rw - ext4 a rw\n");
	w->in.mountinfo = file;
	r = socket_rule(w, PB_DENY, "/home/u/p/d/sock");
	build(w);
	assert_true(is_hidden(w, "/home/u/p/d/sock", r));
	assert_true(is_hidden(w, "/usr/second/sock", r));
}

/* What listens while all of the host is shown: see /proc/net/unix. */
static void make_list(struct world *w, const char *lines)
{
	char text[2048];

	(void)snprintf(text, sizeof(text),
		       "Num       RefCount Protocol Flags    Type St Inode Path\n%s", lines);
	make_file(w, "/list", text);
	w->in.sockets = strdup(at(w, "/list"));
	w->in.decide_socket = decide_socket;
}

#define LINE "0000000000000000: 00000002 00000000 00010000 0001 01 38113277"

static void test_what_listens_in_the_hosts_tree_is_masked(void **state)
{
	struct world *w = *state;
	uint32_t r;

	make_dir(w, "/var/lib/x");
	make_dir(w, "/run");
	make_dir(w, "/tmp");
	make_socket(w, "/var/lib/x/sock");
	make_socket(w, "/var/lib/x/allowed");
	make_socket(w, "/var/lib/x/quiet");
	make_socket(w, "/var/lib/x/with blank");
	make_socket(w, "/run/sock");
	make_socket(w, "/home/u/p/sock");
	make_file(w, "/var/lib/x/file", "x");
	assert_int_equal(symlink("/var/lib/x", at(w, "/var/lib/y")), 0);
	make_list(w, LINE "\n" LINE " /var/lib/y/../x/sock\n" LINE " /var/lib/x/allowed\n"
		     LINE " /run/sock\n" LINE " /home/u/p/sock\n" LINE " /var/lib/x/file\n"
		     LINE " @/var/lib/x/quiet\n" LINE " lib/x/quiet\n" LINE " /none/sock\n"
		     LINE " /var/lib/x/with blank\n" LINE " /");
	allow(w, PB_READ, "/");
	r = socket_rule(w, PB_ALLOW, "/var/lib/x/allowed");
	(void)r;
	build(w);
	assert_true(is_hidden(w, "/var/lib/x/sock", UINT32_MAX));
	assert_true(is_hidden(w, "/var/lib/x/with blank", UINT32_MAX));
	/* no rule names them: the run goes on when the host takes them away */
	assert_true(node(w, "/var/lib/x/sock")->soft);
	assert_null(wall(w, "/var/lib/x/sock"));
	assert_null(node(w, "/var/lib/x/allowed"));
	assert_null(node(w, "/var/lib/x/quiet"));
	assert_null(node(w, "/var/lib/x/file"));
	assert_null(node(w, "/run/sock"));
	/* it may be the run's own */
	assert_null(node(w, "/home/u/p/sock"));
	free((void *)(uintptr_t)w->in.sockets);
}

static void test_without_all_of_the_host_the_list_is_not_read(void **state)
{
	struct world *w = *state;

	make_dir(w, "/usr/x");
	make_socket(w, "/usr/x/sock");
	make_list(w, LINE " /usr/x/sock\n");
	build(w);
	assert_null(node(w, "/usr/x/sock"));
	free((void *)(uintptr_t)w->in.sockets);
}

/* A tree of the host that the run writes by itself, with its own tree around it. */
static void test_no_socket_is_made_in_a_tree_of_the_host(void **state)
{
	struct world *w = *state;

	make_dir(w, "/home/u/native");
	(void)rule(w, PB_ALLOW, RW, "/home/u", PB_A_PATH, PB_AF_BELOW | PB_AF_SCRATCH);
	allow(w, RW, "/home/u/native");
	w->in.broker = true;
	(void)socket_rule(w, PB_DENY, "/home/u/x");
	build(w);
	assert_true(node(w, "/home/u/native")->no_sockets);
	assert_false(node(w, "/home/u")->no_sockets);
	assert_true(node(w, "/home/u")->write_by_name);
	/* where a rule lets it connect to all that is there, it makes them */
	sandbox_view_release(&w->v);
	(void)socket_rule(w, PB_ALLOW, "/home/u/native");
	(void)socket_rule(w, PB_ALLOW, "/home/u/p");
	build(w);
	assert_false(node(w, "/home/u/native")->no_sockets);
	assert_false(node(w, "/home/u")->write_by_name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH(world, test_exactly_the_named_socket_is_brought_in),
		WITH(world, test_a_socket_in_a_private_tree_is_the_hosts),
		WITH(world, test_what_is_no_socket_is_not_brought_in),
		WITH(world, test_a_deny_of_the_socket_or_of_its_file_wins),
		WITH(world, test_a_socket_through_a_link),
		WITH(world, test_no_link_of_the_project_is_followed),
		WITH(world, test_a_socket_that_is_shown_needs_no_mount),
		WITH(world, test_a_denied_socket_in_a_shown_tree_is_masked),
		WITH(world, test_a_denied_name_that_leads_to_a_socket_masks_it),
		WITH(world, test_a_denied_socket_has_no_second_name),
		WITH(world, test_what_listens_in_the_hosts_tree_is_masked),
		WITH(world, test_without_all_of_the_host_the_list_is_not_read),
		WITH(world, test_no_socket_is_made_in_a_tree_of_the_host),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
