/* HOME, PROJECT_DIR and the projects that are refused, on a tree of its own. */
#include <errno.h>
#include <limits.h>
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

#include "runtime/base/place.h"
#include "runtime/entry/roots.h"

static char base[PATH_MAX]; /* physical */
static struct roots roots;
static struct rt_err err;

static char *at(const char *rest)
{
	static char buf[8][PATH_MAX + 64];
	static unsigned next;
	char *p = buf[next++ % 8];

	(void)snprintf(p, sizeof(buf[0]), "%s%s", base, rest);
	return p;
}

static int setup(void **state)
{
	static const char *const dirs[] = { "/home", "/home/u", "/home/u/p", "/home/u/p/.git",
					    "/home/u/p/a", "/home/u/p/a/b", "/home/u/q",
					    "/out", "/out/r", "/out/r/.pol", "/out/r/s",
					    "/home/.git", "/home/u/.config",
					    "/home/u/.config/pol" };
	char template[] = "/var/tmp/pol-roots.XXXXXX";

	(void)state;
	if (!mkdtemp(template) || !realpath(template, base))
		return -1;
	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++)
		if (mkdir(at(dirs[i]), 0755) != 0)
			return -1;
	if (mkdir(at("/other"), 0755) != 0 || symlink("../home/u/p/a", at("/other/a")) != 0)
		return -1;
	return symlink("home/u/p", at("/link"));
}

static int teardown(void **state)
{
	char cmd[PATH_MAX + 32];

	(void)state;
	(void)snprintf(cmd, sizeof(cmd), "rm -rf '%s'", base);
	return chdir("/") == 0 && system(cmd) == 0 ? 0 : -1;
}

static int find(const char *cwd, const char *home, const char *pwd, const char *project)
{
	struct roots_input in = { .home_env = home, .pwd_env = pwd, .project = project };

	assert_int_equal(chdir(at(cwd)), 0);
	rt_roots_release(&roots);
	memset(&err, 0, sizeof(err));
	return rt_roots_find(&in, &roots, &err);
}

static void test_the_nearest_marked_ancestor_is_the_project(void **state)
{
	(void)state;
	assert_int_equal(find("/home/u/p/a/b", at("/home/u"), NULL, NULL), 0);
	assert_string_equal(roots.project, at("/home/u/p"));
	assert_string_equal(roots.cwd, at("/home/u/p/a/b"));
	assert_int_equal(find("/out/r/s", at("/home/u"), NULL, NULL), 0);
	assert_string_equal(roots.project, at("/out/r")); /* by .pol */
	assert_int_equal(find("/home/u/p", at("/home/u"), NULL, NULL), 0);
	assert_string_equal(roots.project, at("/home/u/p")); /* itself included */
}

static void test_home_and_above_are_never_searched(void **state)
{
	(void)state;
	/* /home has a .git, but HOME lies between */
	assert_int_equal(find("/home/u/q", at("/home/u"), NULL, NULL), 0);
	assert_string_equal(roots.project, at("/home/u/q"));
	/* with another HOME it counts: the control */
	assert_int_equal(find("/home/u/q", at("/out"), NULL, NULL), 0);
	assert_string_equal(roots.project, at("/home"));
}

static void test_links_are_seen_from_pwd_and_option(void **state)
{
	(void)state;
	assert_int_equal(find("/link/a", at("/home/u"), at("/link/a"), NULL), 0);
	assert_string_equal(roots.project, at("/home/u/p"));
	assert_string_equal(roots.cwd, at("/home/u/p/a"));
	assert_string_equal(roots.project_link, at("/link"));
	assert_int_equal(find("/out", at("/home/u"), NULL, at("/link")), 0);
	assert_string_equal(roots.project, at("/home/u/p"));
	assert_string_equal(roots.project_link, at("/link"));
	/* it leads here, but what stands before "/a" is not the project */
	assert_int_equal(find("/other/a", at("/home/u"), at("/other/a"), NULL), 0);
	assert_string_equal(roots.cwd, at("/home/u/p/a"));
	assert_null(roots.project_link);
	/* a PWD that lies is not believed */
	assert_int_equal(find("/home/u/p/a", at("/home/u"), at("/out/r"), NULL), 0);
	assert_null(roots.project_link);
	assert_int_equal(find("/home/u/p/a", at("/home/u"), at("/home/u/p/a"), NULL), 0);
	assert_null(roots.project_link);
	assert_int_equal(find("/home/u/p/a", at("/home/u"), at("/link/../link/a"), NULL), 0);
	assert_null(roots.project_link);
}

static void test_home_comes_from_env_then_passwd_then_nowhere(void **state)
{
	struct passwd_entry pw = { .name = "u", .uid = 7, .gid = 7 };
	struct roots_input in = { .pw = &pw };

	(void)state;
	assert_true(find("/out", NULL, NULL, NULL) < 0);
	assert_non_null(strstr(err.text, "HOME is not set"));
	assert_true(find("/out", "relative", NULL, NULL) < 0);
	assert_non_null(strstr(err.text, "not an absolute path"));
	assert_true(find("/out", "/", NULL, NULL) < 0);
	assert_non_null(strstr(err.text, "'/'"));
	assert_true(find("/out", "/no\nwhere", NULL, NULL) < 0);
	assert_int_equal(find("/out", "/no/such/home/", NULL, NULL), 0);
	assert_string_equal(roots.home, "/no/such/home");

	(void)snprintf(pw.home, sizeof(pw.home), "%s", at("/home/u"));
	rt_roots_release(&roots);
	assert_int_equal(rt_roots_find(&in, &roots, &err), 0);
	assert_string_equal(roots.home, at("/home/u"));
	assert_string_equal(roots.user, "u");
	in.home_env = at("/out");
	rt_roots_release(&roots);
	assert_int_equal(rt_roots_find(&in, &roots, &err), 0);
	assert_string_equal(roots.home, at("/out"));
	in.prefer_passwd = true;
	rt_roots_release(&roots);
	assert_int_equal(rt_roots_find(&in, &roots, &err), 0);
	assert_string_equal(roots.home, at("/home/u"));
}

static void refused(const char *project, const char *home, const char *why)
{
	assert_int_equal(find("/out/r", home, NULL, project), 0);
	if (!why) {
		assert_int_equal(rt_roots_check_project(&roots, NULL, &err), 0);
		return;
	}
	assert_true(rt_roots_check_project(&roots, NULL, &err) < 0);
	if (!strstr(err.text, why))
		fail_msg("%s: '%s', want '%s'", project, err.text, why);
}

static void test_projects_that_would_be_no_sandbox(void **state)
{
	(void)state;
	refused("/", at("/home/u"), "is '/'");
	refused(at("/home/u"), at("/home/u"), "HOME itself");
	refused(at("/home"), at("/home/u"), "contains HOME");
	refused("/tmp", at("/home/u"), "scratch");
	refused("/dev/shm", at("/home/u"), "scratch");
	refused(at("/home/u/.config"), at("/home/u"), "state");
	refused(at("/home/u/.config/pol"), at("/home/u"), "state");
	refused("/etc", at("/home/u"), "state");
	refused("/usr", at("/home/u"), "of the system");
	refused(at("/home/u/p"), at("/home/u"), NULL);
	refused(at("/out/r"), at("/home/u"), NULL);
	/* a name that only begins like HOME is not above it */
	refused(at("/home/u/p"), at("/home/u/p2"), NULL);
}

static void test_passwd_lines(void **state)
{
	static const char text[] = "bad line\n"
				   "root:x:0:0:root:/root:/bin/sh\n"
				   ":x:5:5::/empty:/bin/sh\n"
				   "neg:x:-1:5::/h:/bin/sh\n"
				   "big:x:4294967295:5::/h:/bin/sh\n"
				   "eight:x:9:9::/h:/bin/sh:more\n"
				   "u:x:1000:1001:A, B:/home/u:/bin/bash";
	struct passwd_entry e;
	uid_t id;

	(void)state;
	assert_true(passwd_find(text, NULL, 1000, &e));
	assert_string_equal(e.name, "u");
	assert_int_equal(e.gid, 1001);
	assert_string_equal(e.home, "/home/u");
	assert_true(passwd_find(text, "root", 77, &e));
	assert_int_equal(e.uid, 0);
	assert_false(passwd_find(text, NULL, 5, &e));
	assert_false(passwd_find(text, "neg", 0, &e));
	assert_false(passwd_find(text, "big", 0, &e));
	assert_false(passwd_find(text, "eight", 0, &e));
	assert_false(passwd_find("", "u", 0, &e));
	assert_true(passwd_number("4294967294", 10, &id));
	assert_false(passwd_number("4294967295", 10, &id));
	assert_false(passwd_number("12x", 3, &id));
	assert_false(passwd_number("", 0, &id));
}

static void test_below(void **state)
{
	(void)state;
	assert_true(place_is_below("/a/b", "/a"));
	assert_true(place_is_below("/a", "/a"));
	assert_true(place_is_below("/a", "/"));
	assert_false(place_is_below("/ab", "/a"));
	assert_false(place_is_below("/", "/a"));
}

/* VALUE: what SSH_AUTH_SOCK holds; the path that is found, or NULL and the errno. */
static const char *agent(const char *value, uid_t uid, int *ret_r)
{
	static char path[PATH_MAX];

	*ret_r = place_agent(value, uid, path);
	return *ret_r == 0 ? path : NULL;
}

static void test_an_agent_is_a_socket_of_the_users_own(void **state)
{
	struct sockaddr_un sa = { .sun_family = AF_UNIX };
	struct roots_input in = { .home_env = at("/home/u"), .uid = getuid() };
	struct decide_roots dirs;
	int fd = socket(AF_UNIX, SOCK_STREAM, 0), r;

	(void)state;
	(void)snprintf(sa.sun_path, sizeof(sa.sun_path), "%s", at("/out/agent"));
	assert_int_equal(bind(fd, (struct sockaddr *)&sa, sizeof(sa)), 0);
	(void)close(fd);
	assert_int_equal(symlink("../out/agent", at("/other/link")), 0);
	assert_string_equal(agent(at("/out/agent"), getuid(), &r), at("/out/agent"));
	/* as every root it is a physical path */
	assert_string_equal(agent(at("/other/link"), getuid(), &r), at("/out/agent"));
	assert_string_equal(agent(at("/out/../out/./agent"), getuid(), &r), at("/out/agent"));
	assert_null(agent(at("/out/agent"), getuid() + 1, &r));
	assert_int_equal(r, -EPERM);
	assert_null(agent(at("/home/u"), getuid(), &r));
	assert_int_equal(r, -ENOTSOCK);
	assert_null(agent(at("/out/none"), getuid(), &r));
	assert_int_equal(r, -ENOENT);
	assert_int_equal(chdir(at("/out")), 0);
	assert_null(agent("agent", getuid(), &r));
	assert_int_equal(r, -EINVAL);
	assert_null(agent("", getuid(), &r));
	assert_null(agent(NULL, getuid(), &r));
	/* and so a root of the run, or none */
	in.agent_env = at("/other/link");
	rt_roots_release(&roots);
	assert_int_equal(rt_roots_find(&in, &roots, &err), 0);
	rt_roots_decide(&roots, &dirs);
	assert_string_equal(dirs.dir[PB_ROOT_AGENT], at("/out/agent"));
	in.uid++;
	rt_roots_release(&roots);
	assert_int_equal(rt_roots_find(&in, &roots, &err), 0);
	rt_roots_decide(&roots, &dirs);
	assert_null(dirs.dir[PB_ROOT_AGENT]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_nearest_marked_ancestor_is_the_project),
		cmocka_unit_test(test_home_and_above_are_never_searched),
		cmocka_unit_test(test_links_are_seen_from_pwd_and_option),
		cmocka_unit_test(test_home_comes_from_env_then_passwd_then_nowhere),
		cmocka_unit_test(test_projects_that_would_be_no_sandbox),
		cmocka_unit_test(test_passwd_lines),
		cmocka_unit_test(test_below),
		cmocka_unit_test(test_an_agent_is_a_socket_of_the_users_own),
	};
	int r = cmocka_run_group_tests(tests, setup, teardown);

	rt_roots_release(&roots);
	return r;
}
