/* The broker: which paths are its own, what the rules see of them and refuse, and which
 * calls of the kernel it makes.  What it opens, and its limits: test_broker_open.c.  That it answers as the kernel does is
 * tests/prop/prop_broker.c; that nobody walks around it, test_broker_race.c.
 * Over 600 lines: all tests share the tree and the broker that are made here, and the tables about them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/own_filter.h"
#include "runtime/base/sys.h"
#include "tests/unit/broker_fixture.h"

/* --- places --------------------------------------------------------------------------- */

static void test_the_longest_place_counts(void **state)
{
	static const char *const at[] = { "/p/a-b", "/p", "/p/a/b", "/p/a", "/q/r" };
	static const struct {
		const char *path, *found, *rest;
		bool below;
	} rows[] = {
		{ "/p", "/p", "", true },	       { "/p/x", "/p", "x", false },
		{ "/p/a", "/p/a", "", true },	       { "/p/a/bc", "/p/a", "bc", false },
		{ "/p/a/b/c/d", "/p/a/b", "c/d", false }, { "/p/a-b/c", "/p/a-b", "c", false },
		{ "/p/a-", "/p", "a-", false },	       { "/pp", NULL, NULL, false },
		{ "/q", NULL, NULL, true },	       { "", NULL, NULL, true },
	};
	struct broker_trees set = { 0 };
	int fd = open("/", O_PATH | O_CLOEXEC);

	(void)state;
	assert_true(fd >= 0);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(broker_trees_add(&set, BROKER_TREE, at[i], fd), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *rest = NULL;
		const struct broker_place *p =
			broker_trees_find(&set, rows[i].path, strlen(rows[i].path), &rest);

		assert_int_equal(p != NULL, rows[i].found != NULL);
		if (p) {
			assert_string_equal(p->at, rows[i].found);
			assert_string_equal(rest, rows[i].rest);
		}
		assert_int_equal(broker_trees_below(&set, rows[i].path, strlen(rows[i].path)),
				 rows[i].below);
	}
	assert_int_equal(broker_trees_add(&set, BROKER_TREE, "/p", 3), -EEXIST);
	assert_int_equal(broker_trees_add(&set, BROKER_TREE, "/p/", 3), -EINVAL);
	assert_int_equal(broker_trees_add(&set, BROKER_TREE, "/p/../x", 3), -EINVAL);
	assert_int_equal(broker_trees_add(&set, BROKER_TREE, "/", 3), -EINVAL);
	assert_int_equal(broker_trees_add(&set, BROKER_TREE, "/n", -1), -EINVAL);
	assert_int_equal(broker_trees_add(&set, BROKER_HOLE, "/n", 3), -EINVAL);
	assert_int_equal(broker_trees_add(&set, BROKER_LOOK, "/", 3), 0);
	assert_string_equal(broker_trees_find(&set, "/pp", 3, NULL)->at, "/");
	(void)close(fd);
	/* a tree whose file system cannot be known */
	assert_int_equal(broker_trees_add(&set, BROKER_TREE, "/n", fd), -EBADF);
	broker_trees_release(&set);
}

/* --- whose path it is ------------------------------------------------------------------- */

static void test_what_is_not_in_a_tree_is_left_to_the_kernel(void **state)
{
	static const char *const not_ours[] = {
		"/etc/passwd", "/", "..", "../x", "hole", "hole/x", "out", "out/x", "up/x",
		"hole/../x", "d/../../x", "/proc/self/cwd/x",
	};
	static char hole[200];

	(void)state;
	assert_int_equal(mkdir("d", 0700), 0);
	assert_int_equal(mkdir("hole", 0700), 0);
	assert_int_equal(symlink("/etc", "out"), 0);
	assert_int_equal(symlink("..", "up"), 0);
	(void)snprintf(hole, sizeof(hole), "%s/hole", t.root[0]);
	assert_int_equal(broker_trees_add(&t.broker.trees, BROKER_HOLE, hole, -1), 0);
	for (size_t i = 0; i < sizeof(not_ours) / sizeof(not_ours[0]); i++) {
		const struct broker_result *r = open_it(not_ours[i], O_WRONLY | O_CREAT);

		if (r->ours)
			fail_msg("%s: %d", not_ours[i], r->err);
		assert_int_equal(r->fd, -1);
	}
	assert_done(open_it("d/x", O_WRONLY | O_CREAT));
	assert_int_equal(access("d/x", F_OK), 0);
	/* the hole's directory cannot be moved away, nor the one above it */
	assert_int_equal(mkdir("e", 0700), 0);
	assert_false(rename_it("hole", "other", 0)->ours);
	assert_false(rename_it("e", "hole/e", 0)->ours);
}

static void test_links_lead_into_a_tree_from_outside(void **state)
{
	char path[300], above[200];
	int fd;

	(void)state;
	(void)snprintf(above, sizeof(above), "%.*s", (int)(strlen(t.root[0]) - 2), t.root[0]);
	fd = open(above, O_PATH | O_DIRECTORY | O_CLOEXEC);
	assert_true(fd >= 0);
	(void)snprintf(path, sizeof(path), "%s/alias", above);
	assert_int_equal(symlink("t", path), 0);
	(void)snprintf(path, sizeof(path), "%s/alias/new", above);
	assert_false(open_it(path, O_WRONLY | O_CREAT)->ours);
	assert_int_equal(broker_trees_add(&t.broker.trees, BROKER_LOOK, above, fd), 0);
	assert_done(open_it(path, O_WRONLY | O_CREAT));
	assert_int_equal(access("new", F_OK), 0);
	(void)snprintf(path, sizeof(path), "%s/alias/.env", above);
	assert_refused(open_it(path, O_WRONLY | O_CREAT), EACCES, BROKER_BY_RULE, ".env");
	/* what is only looked at is the kernel's */
	(void)snprintf(path, sizeof(path), "%s/missing/../t/x", above);
	assert_false(open_it(path, O_WRONLY | O_CREAT)->ours);
	(void)snprintf(path, sizeof(path), "%s/x", above);
	assert_false(open_it(path, O_WRONLY | O_CREAT)->ours);
	(void)close(fd);
}

/* Mounts of the host below the tree: one for files, and one in which the broker would
 * write itself. */
static int on_a_mount(void)
{
	static const char *const own[] = { "d/self/comm", "d/self/mem", "d/self/root/x", "d/sys/kernel/core_pattern", "d/x" };

	if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
	    mount("x", "d", "tmpfs", 0, NULL) != 0)
		return 100;
	(void)close(t.fd);
	if (open(t.root[0], O_PATH | O_DIRECTORY | O_CLOEXEC) != t.fd)
		return 100;
	if (open_it("d/x", O_WRONLY | O_CREAT)->err != 0 || access("d/x", F_OK) != 0 ||
	    open_it("d/.env", O_WRONLY | O_CREAT)->reason != BROKER_BY_RULE)
		return 1;
	if (rename_it("d/x", "x", 0)->err != EXDEV || rename_it("d", "e", 0)->err != EBUSY)
		return 2;
	/* the same file system once more: what is denied by its first name is not written */
	if (mkdir("s", 0700) != 0 || mkdir("b", 0700) != 0 || mount("s", "b", NULL, MS_BIND, NULL) != 0)
		return 100;
	if (open_it("b/x", O_WRONLY | O_CREAT)->err != EROFS || access("s/x", F_OK) == 0 ||
	    open_it("s/x", O_WRONLY | O_CREAT)->err != 0 || umount2("b", MNT_DETACH) != 0)
		return 4;
	if (mount("x", "d", "proc", 0, NULL) != 0)
		return 100;
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (open_it(own[i], O_WRONLY)->err != EROFS || !t.last.ours)
			return 3;
	return umount2("d", MNT_DETACH) != 0 || umount2("d", MNT_DETACH) != 0 ||
	       access("d/x", F_OK) == 0;
}

static void test_a_mount_of_the_host_is_entered_if_it_holds_files(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	assert_int_equal(mkdir("d", 0700), 0);
	pid = fork();
	if (pid == 0)
		_exit(on_a_mount());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 100)
		skip();
	assert_int_equal(status, 0);
}

/* --- rules ------------------------------------------------------------------------------ */

static void test_each_call_is_denied_by_its_name(void **state)
{
	static const struct {
		struct broker_call c;
		const char *subject;
	} rows[] = {
		{ { .verb = BROKER_OPEN, .path.raw = ".env", .flags = O_WRONLY }, ".env" },
		{ { .verb = BROKER_OPEN, .path.raw = ".env", .flags = O_RDWR | O_CREAT }, ".env" },
		{ { .verb = BROKER_OPEN, .path.raw = ".env", .flags = O_TRUNC }, ".env" },
		{ { .verb = BROKER_OPEN, .path.raw = "d/../link", .flags = O_WRONLY }, ".env" },
		{ { .verb = BROKER_OPEN, .path.raw = ".env2", .flags = O_CREAT }, ".env2" },
		{ { .verb = BROKER_OPEN, .path.raw = "no", .flags = O_TMPFILE | O_RDWR }, "no" },
		{ { .verb = BROKER_OPEN, .path.raw = "secret", .flags = O_WRONLY }, "secret" },
		{ { .verb = BROKER_MKDIR, .path.raw = "d/.env", .mode = 0700 }, "d/.env" },
		{ { .verb = BROKER_MKDIR, .path.raw = "no/x/", .mode = 0700 }, "no/x" },
		{ { .verb = BROKER_RMDIR, .path.raw = "no" }, "no" },
		{ { .verb = BROKER_MKNOD, .path.raw = ".envrc", .mode = S_IFIFO }, ".envrc" },
		{ { .verb = BROKER_SYMLINK, .path.raw = ".envrc", .text = "x" }, ".envrc" },
		{ { .verb = BROKER_LINK, .path.raw = ".env", .to.raw = "x" }, ".env" },
		{ { .verb = BROKER_LINK, .path.raw = "f", .to.raw = ".env2" }, ".env2" },
		{ { .verb = BROKER_LINK, .path.raw = "link", .to.raw = "x", .follow = true }, ".env" },
		{ { .verb = BROKER_UNLINK, .path.raw = ".env" }, ".env" },
		{ { .verb = BROKER_RENAME, .path.raw = ".env", .to.raw = "x" }, ".env" },
		{ { .verb = BROKER_RENAME, .path.raw = "f", .to.raw = ".env" }, ".env" },
		{ { .verb = BROKER_RENAME, .path.raw = "f", .to.raw = ".env", .flags = RENAME_EXCHANGE },
		  ".env" },
		{ { .verb = BROKER_TRUNCATE, .path.raw = "link" }, ".env" },
		{ { .verb = BROKER_CHMOD, .path.raw = "link", .mode = 0777, .follow = true }, ".env" },
		{ { .verb = BROKER_CHOWN, .path.raw = ".env", .uid = (uid_t)-1, .gid = (gid_t)-1 },
		  ".env" },
		{ { .verb = BROKER_UTIMENS, .path.raw = ".env" }, ".env" },
		{ { .verb = BROKER_SETXATTR, .path.raw = ".env", .text = "user.x", .value = "", .size = 0 },
		  ".env" },
		{ { .verb = BROKER_REMOVEXATTR, .path.raw = ".env", .text = "user.x" }, ".env" },
		{ { .verb = BROKER_ACCESS, .path.raw = ".env", .mode = W_OK }, ".env" },
	};

	(void)state;
	put(".env");
	put("f");
	put("secret");
	assert_int_equal(mkdir("d", 0700), 0);
	assert_int_equal(mkdir("no", 0700), 0);
	assert_int_equal(symlink(".env", "link"), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		print_message("row %zu\n", i);
		assert_refused(act(rows[i].c), EACCES, BROKER_BY_RULE, rows[i].subject);
		assert_int_equal(t.last.rule, strncmp(rows[i].subject, "no", 2) ?
						       0 : rows[i].subject[2] ? 2 : 1);
	}
	/* and beside it what is allowed */
	assert_done(open_it("f", O_RDWR | O_TRUNC));
	assert_done(act((struct broker_call){ .verb = BROKER_ACCESS, .path.raw = ".env", .mode = R_OK }));
	assert_done(act((struct broker_call){ .verb = BROKER_MKDIR, .path.raw = "d/env", .mode = 0700 }));
	assert_done(rename_it("f", "d/env/g", 0));
	assert_done(act((struct broker_call){ .verb = BROKER_UNLINK, .path.raw = "link" }));
	assert_int_equal(access("d/env/g", F_OK), 0);
}

/* Errors that the name itself has come first, so that mkdir -p works. */
static void test_what_exists_or_is_missing_is_said_first(void **state)
{
	(void)state;
	assert_int_equal(mkdir("no", 0700), 0);
	assert_int_equal(act((struct broker_call){ .verb = BROKER_MKDIR, .path.raw = "no" })->err, EEXIST);
	assert_int_equal(act((struct broker_call){ .verb = BROKER_UNLINK, .path.raw = ".env" })->err, ENOENT);
	assert_int_equal(t.last.reason, BROKER_BY_KERNEL);
}

static void test_what_moves_along_is_asked_about(void **state)
{
	char name[64];

	(void)state;
	assert_int_equal(mkdir("d", 0700), 0);
	assert_int_equal(mkdir("d/e", 0700), 0);
	put("d/e/.env");
	assert_refused(rename_it("d", "x", 0), EACCES, BROKER_BY_MOVED, "d/e/.env");
	assert_int_equal(t.last.rule, 0);
	assert_int_equal(rename("d/e/.env", "d/e/env"), 0);
	assert_done(rename_it("d", "x", 0));
	/* a name may be denied at the new place only */
	assert_int_equal(mkdir("y", 0700), 0);
	put("y/locked");
	assert_refused(rename_it("y", "z", 0), EACCES, BROKER_BY_MOVED, "y/locked");
	assert_refused(rename_it("x", "y", RENAME_EXCHANGE), EACCES, BROKER_BY_MOVED, "y/locked");
	assert_int_equal(unlink("y/locked"), 0);
	assert_done(rename_it("x", "y", RENAME_EXCHANGE));
	/* what must not be read does not become readable */
	put("secret");
	assert_refused(rename_it("secret", "open", 0), EACCES, BROKER_BY_UNREAD, "secret");
	assert_done(rename_it("secret", "secret2", 0));
	put("y/e/secret");
	assert_done(rename_it("y", "w", 0));
	/* more than can be looked at */
	assert_int_equal(mkdir("many", 0700), 0);
	for (unsigned i = 0; i <= BROKER_MOST_MOVED; i++) {
		(void)snprintf(name, sizeof(name), "many/%u", i);
		assert_int_equal(mknod(name, S_IFREG | 0600, 0), 0);
	}
	assert_refused(rename_it("many", "more", 0), EACCES, BROKER_BY_MANY, t.last.subject + strlen(t.root[0]) + 1);
	t.broker.rules.allows_below = twin_allow_all.allows_below;
	assert_done(rename_it("many", "more", 0));
}

static const struct broker_result *link_to(const char *from, const char *to)
{
	return act((struct broker_call){ .verb = BROKER_LINK, .path.raw = from, .to.raw = to });
}

static const char *used; /* the file that is in use */

static bool in_use(void *arg, int object)
{
	struct stat a, b;

	(void)arg;
	assert_int_equal(fstat(object, &a), 0);
	return used && stat(used, &b) == 0 && a.st_ino == b.st_ino;
}

/* What has a name that may be read keeps to such names. */
static void test_one_file_is_not_read_by_another_name(void **state)
{
	(void)state;
	put("one");
	assert_refused(link_to("one", "secret"), EACCES, BROKER_BY_UNREAD, "secret");
	assert_int_equal(t.last.rule, 0);
	/* of a FIFO nobody can tell whether somebody reads it */
	assert_int_equal(mkfifo("fifo", 0600), 0);
	assert_refused(link_to("fifo", "secret"), EACCES, BROKER_BY_UNREAD, "secret");
	assert_refused(rename_it("fifo", "secret", 0), EACCES, BROKER_BY_UNREAD, "secret");
	assert_done(rename_it("fifo", "fifo2", 0));
	assert_int_equal(unlink("fifo2"), 0);
	assert_done(rename_it("one", "secret", 0));
	assert_refused(link_to("secret", "secret2"), EACCES, BROKER_BY_UNREAD, "secret2");
	assert_refused(link_to("secret", "two"), EACCES, BROKER_BY_UNREAD, "secret");
	put("one");
	assert_done(link_to("one", "two"));
	assert_refused(rename_it("two", "secret", 0), EACCES, BROKER_BY_UNREAD, "secret");
	assert_refused(rename_it("two", "secret", RENAME_EXCHANGE), EACCES, BROKER_BY_UNREAD, "secret");
	/* below a directory that moves */
	assert_int_equal(mkdir("d", 0700), 0);
	assert_int_equal(rename("two", "d/two"), 0);
	assert_refused(rename_it("d", "secret.d", 0), EACCES, BROKER_BY_UNREAD, "secret.d/two");
	assert_int_equal(unlink("one"), 0);
	t.broker.rules.in_use = in_use;
	used = "d/two";
	assert_refused(rename_it("d/two", "secret", 0), EACCES, BROKER_BY_UNREAD, "secret");
	assert_refused(rename_it("d", "secret.d", 0), EACCES, BROKER_BY_UNREAD, "secret.d/two");
	assert_done(rename_it("d", "e", 0));
	used = NULL;
	assert_done(rename_it("e", "secret.d", 0));
}

/* Below "conf" a name is denied that is not denied below "src". */
static char led[1000];
static bool allows_link(void *arg, const char *path, const char *target, uint32_t *ret_rule)
{
	size_t n = strlen(t.root[0]);

	(void)arg;
	(void)snprintf(led, sizeof(led), "%s", !target ? "?" : strncmp(target, t.root[0], n) ?
					       target : target + n);
	*ret_rule = 7;
	return strcmp(path + n, "/conf") != 0 || (target && strcmp(target + n, "/src") != 0);
}

static const struct broker_result *link_it(const char *path, const char *text)
{
	return act((struct broker_call){ .verb = BROKER_SYMLINK, .path.raw = path, .text = text });
}

static void test_no_link_gives_a_denied_name_away(void **state)
{
	static const struct {
		const char *path, *text, *led;
	} rows[] = {
		{ "1", "/etc//x/.", "/etc/x" }, { "2", "/", "/" }, { "d/3", "./../src/", "/src" },
		{ "d/4", "/../..", "/" },
		{ "d/5", "../d/../src", "?" },
		/* what the host's own link leads to is asked about as well */
		{ "6", "host", "/src" }, { "7", "host/x", "/host/x" }, { "8", "/d/x/..", "?" },
		{ "9", "/proc/self/cwd/src", "?" }, { "10", "/dev/fd/3", "?" }, { "11", "/dev/shm", "/dev/shm" },
	};
	struct stat st;

	(void)state;
	assert_int_equal(mkdir("src", 0700), 0);
	assert_int_equal(mkdir("d", 0700), 0);
	assert_int_equal(symlink("src", "host"), 0);
	t.broker.rules.allows_link = allows_link;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_done(link_it(rows[i].path, rows[i].text));
		assert_string_equal(led, rows[i].led);
	}
	assert_refused(link_it("conf", "src"), EACCES, BROKER_BY_LINK, "conf");
	assert_int_equal(t.last.rule, 7);
	assert_refused(link_it("conf", "host"), EACCES, BROKER_BY_LINK, "conf");
	assert_refused(link_it("conf", "d/../src"), EACCES, BROKER_BY_LINK, "conf");
	/* nor does one that gets the name later */
	assert_done(link_it("x", "src"));
	assert_refused(rename_it("x", "conf", 0), EACCES, BROKER_BY_LINK, "conf");
	assert_int_equal(mkdir("conf", 0700), 0);
	assert_refused(rename_it("conf", "x", RENAME_EXCHANGE), EACCES, BROKER_BY_LINK, "conf");
	assert_int_equal(rmdir("conf"), 0);
	assert_refused(act((struct broker_call){ .verb = BROKER_LINK, .path.raw = "x", .to.raw = "conf" }),
		       EACCES, BROKER_BY_LINK, "conf");
	assert_int_equal(lstat("conf", &st), -1);
	assert_done(link_it("conf", "d"));
	assert_done(rename_it("conf", "y", 0));
	assert_done(rename_it("d/3", "conf2", 0));
}

static bool stays(void *arg, const char *path, uint32_t *ret_rule)
{
	(void)arg;
	*ret_rule = 9;
	return strcmp(path + strlen(t.root[0]), "/d/kept") == 0;
}

static bool allows_socket(void *arg, const char *path, uint32_t *ret_rule)
{
	(void)arg;
	*ret_rule = 9;
	return strcmp(path + strlen(t.root[0]), "/free") == 0;
}

static void test_a_socket_gets_the_names_that_rules_about_sockets_allow(void **state)
{
	const struct broker_caller by = { .pid = getpid(), .proc_fd = open("/proc", O_PATH | O_CLOEXEC) };
	struct broker_call bind = { .by = by, .verb = BROKER_BIND, .path.raw = "socket", .umask = 077 };

	char name[PATH_MAX];

	(void)state;
	bind.fd = socket(AF_UNIX, SOCK_STREAM, 0);
	assert_true(bind.fd >= 0);
	t.broker.rules.allows_socket = allows_socket;
	assert_refused(act(bind), EACCES, BROKER_BY_SOCKET, "socket");
	assert_int_equal(t.last.rule, 9);
	assert_int_equal(access("socket", F_OK), -1);
	bind.path.raw = "free";
	assert_done(act(bind));
	/* it has gone back to the directory that it began in */
	(void)snprintf(name, sizeof(name), "%s/free", t.root[0]);
	assert_int_equal(access(name, F_OK), 0);
	assert_int_equal(chdir(t.root[0]), 0);
	t.broker.rules.allows_socket = NULL;
	(void)close(bind.fd);
	(void)close(by.proc_fd);
}

static void test_what_must_stay_does_not_go(void **state)
{
	const struct broker_result *r;

	(void)state;
	assert_int_equal(mkdir("d", 0700), 0);
	assert_int_equal(mkdir("d/kept", 0700), 0);
	assert_int_equal(mkdir("e", 0700), 0);
	put("f");
	t.broker.rules.stays = stays;
	assert_refused(rename_it("d/kept", "x", 0), EBUSY, BROKER_BY_MOUNT, "d/kept");
	assert_int_equal(t.last.rule, 9);
	assert_refused(rename_it("d", "x", 0), EBUSY, BROKER_BY_MOUNT, "d/kept");
	assert_refused(rename_it("e", "d/kept", 0), EBUSY, BROKER_BY_MOUNT, "d/kept");
	assert_refused(rename_it("e", "d/kept", RENAME_EXCHANGE), EBUSY, BROKER_BY_MOUNT, "d/kept");
	assert_refused(rename_it("e", "d", RENAME_EXCHANGE), EBUSY, BROKER_BY_MOUNT, "d/kept");
	assert_refused(act((struct broker_call){ .verb = BROKER_RMDIR, .path.raw = "d/kept" }), EBUSY,
		       BROKER_BY_MOUNT, "d/kept");
	/* what is full is nothing that a rule keeps, to the run and in the list of what was denied */
	put("d/kept/g");
	r = act((struct broker_call){ .verb = BROKER_RMDIR, .path.raw = "d/kept" });
	assert_int_equal(r->err, ENOTEMPTY);
	assert_int_equal(r->reason, BROKER_BY_KERNEL);
	assert_int_equal(unlink("d/kept/g"), 0);
	/* it can be changed, and what is in it moves */
	assert_done(act((struct broker_call){ .verb = BROKER_CHMOD, .path.raw = "d/kept", .mode = 0755, .follow = true }));
	assert_done(rename_it("f", "d/kept/f", 0));
	assert_done(rename_it("e", "d/e", 0));
	/* and so does all of it where nothing needs to stay */
	t.broker.rules.stays = NULL;
	assert_done(rename_it("d", "x", 0));
}

static void test_no_place_moves_along(void **state)
{
	static char at[200];

	(void)state;
	assert_int_equal(mkdir("d", 0700), 0);
	assert_int_equal(mkdir("d/e", 0700), 0);
	assert_int_equal(mkdir("d/e/hole", 0700), 0);
	(void)snprintf(at, sizeof(at), "%s/d/e/hole", t.root[0]);
	assert_done(rename_it("d", "x", 0));
	assert_done(rename_it("x", "d", 0));
	assert_int_equal(broker_trees_add(&t.broker.trees, BROKER_HOLE, at, -1), 0);
	assert_refused(rename_it("d", "x", 0), EBUSY, BROKER_BY_MOUNT, "d");
	assert_refused(act((struct broker_call){ .verb = BROKER_RMDIR, .path.raw = "d/e" }), EBUSY,
		       BROKER_BY_MOUNT, "d/e");
}

#ifndef POL_SAN /* the sanitizers make calls of their own */
/* --- the calls that it makes --------------------------------------------------------------- */

/* `signals`: of this process, which may make no file larger than 1000 bytes. */
static int meets_its_limit(int signals, struct broker_caller by)
{
	struct signalfd_siginfo told;
	const struct broker_result *r = act((struct broker_call){
		.by = by, .verb = BROKER_TRUNCATE, .path.raw = "d/a", .length = 1001 });

	if (!r->ours || r->err != EFBIG)
		return 101;
	return read(signals, &told, sizeof(told)) == sizeof(told) ? 0 : 102;
}

static int all_verbs(const int s[2], struct broker_caller by)
{
	const struct broker_call calls[] = {
		{ .verb = BROKER_MKDIR, .path.raw = "new", .mode = 0700 },
		{ .verb = BROKER_OPEN, .path.raw = "l/a", .flags = O_WRONLY | O_CREAT, .mode = 0600 },
		{ .verb = BROKER_OPEN, .path.raw = "d/a", .flags = O_WRONLY | O_TRUNC },
		{ .verb = BROKER_OPEN, .path.raw = "d/../d", .flags = O_RDWR | O_TMPFILE },
		{ .verb = BROKER_MKNOD, .path.raw = "fifo", .mode = S_IFIFO | 0600 },
		{ .verb = BROKER_SYMLINK, .path.raw = "s", .text = "d" },
		{ .verb = BROKER_LINK, .path.raw = "d/a", .to.raw = "b" },
		{ .verb = BROKER_RENAME, .path.raw = "d", .to.raw = "e" },
		{ .verb = BROKER_RENAME, .path.raw = "e", .to.raw = "d", .flags = RENAME_NOREPLACE },
		{ .verb = BROKER_TRUNCATE, .path.raw = "b", .length = 5 },
		{ .verb = BROKER_CHMOD, .path.raw = "b", .mode = 0640, .follow = true },
		{ .verb = BROKER_CHOWN, .path.raw = "s", .uid = (uid_t)-1, .gid = (gid_t)-1 },
		{ .verb = BROKER_UTIMENS, .path.raw = "s" },
		{ .verb = BROKER_SETXATTR, .path.raw = "b", .text = "user.x", .value = "v", .size = 1 },
		{ .verb = BROKER_REMOVEXATTR, .path.raw = "b", .text = "user.x" },
		{ .verb = BROKER_ACCESS, .path.raw = "b", .mode = W_OK, .flags = AT_EACCESS },
		{ .verb = BROKER_UNLINK, .path.raw = "b" },
		{ .verb = BROKER_RMDIR, .path.raw = "new" },
		{ .by = by, .verb = BROKER_MKDIR, .path.raw = "/proc/self/cwd/through", .mode = 0700 },
		{ .by = by, .verb = BROKER_BIND, .path.raw = "through/socket", .fd = s[0] },
		{ .by = by, .verb = BROKER_BIND, .path.raw = "socket", .fd = s[1] },
	};

	struct stat st;

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		const struct broker_result *r = act(calls[i]);

		/* not each file system has attributes */
		if (!r->ours || (r->err && r->err != EOPNOTSUPP && !(r->err == ENODATA)))
			return (int)i + 1;
		/* umask(2) cannot fail, but for a filter */
		if (i == 0 && (fstatat(AT_FDCWD, "new", &st, 0) != 0 || (st.st_mode & 0777) != 0700))
			return 100;
	}
	return 0;
}

/* In a process that may make these calls only, but for number `without`. */
static int confined(size_t without)
{
	static const int own[] = { SYS_exit_group, SYS_write, SYS_read };
	struct own_filter f = { .n = 0 };
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		/* its own /proc/self/fd, not its parent's */
		(void)close(t.broker.self);
		t.broker.self = open("/proc/self/fd", O_PATH | O_DIRECTORY | O_CLOEXEC);
		(void)umask(0777);
		int proc = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
		const struct broker_caller by = { .pid = getpid(), .proc_fd = proc };
		int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
		int s[2] = { socket(AF_UNIX, SOCK_STREAM, 0), socket(AF_UNIX, SOCK_DGRAM, 0) };

		const struct rlimit most = { 1000, 1000 };
		sigset_t xfsz;
		int signals;

		(void)sigemptyset(&xfsz);
		(void)sigaddset(&xfsz, SIGXFSZ);
		(void)sigprocmask(SIG_BLOCK, &xfsz, NULL);
		signals = signalfd(-1, &xfsz, SFD_NONBLOCK | SFD_CLOEXEC);
		if (broker_trees_add(&t.broker.trees, BROKER_LOOK, "/", root) != 0 ||
		    setrlimit(RLIMIT_FSIZE, &most) != 0)
			_exit(200);
		own_filter_begin(&f, (struct sock_filter)KILL);
		own_filter_calls(&f, own, 3, (struct sock_filter)ALLOW);
		for (size_t i = 0; i < broker_syscall_count; i++)
			if (i != without)
				own_filter_calls(&f, &broker_syscalls[i], 1, (struct sock_filter)ALLOW);
		if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || own_filter_load(&f) != 0)
			_exit(200);
		int r = all_verbs(s, by);

		_exit(r ? r : meets_its_limit(signals, by));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_not_equal(WEXITSTATUS(status), 200);
	return WEXITSTATUS(status);
}

static void again(void)
{
	assert_int_equal(system("chmod -R u+rwx . && rm -rf ./*"), 0);
	assert_int_equal(mkdir("d", 0700), 0);
	assert_int_equal(mkdir("d/sub", 0700), 0);
	assert_int_equal(symlink("d", "l"), 0);
}

static void test_it_makes_the_calls_that_it_lists(void **state)
{
	/* with libc's fstat() one of the two; the clock is asked without a call */
	static const int either[] = { SYS_fstat, SYS_newfstatat, SYS_clock_gettime };

	(void)state;
	again();
	assert_int_equal(confined(SIZE_MAX), 0);
	for (size_t i = 0; i < broker_syscall_count; i++) {
		bool needed = true;

		for (size_t k = 0; k < 3; k++)
			needed = needed && broker_syscalls[i] != either[k];
		again();
		if (needed && broker_syscalls[i] != SYS_close)
			if (confined(i) == 0)
				fail_msg("call %d is not needed", broker_syscalls[i]);
	}
}
#endif

#define ROW(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_longest_place_counts),
		ROW(test_what_is_not_in_a_tree_is_left_to_the_kernel),
		ROW(test_links_lead_into_a_tree_from_outside),
		ROW(test_a_mount_of_the_host_is_entered_if_it_holds_files),
		ROW(test_each_call_is_denied_by_its_name),
		ROW(test_what_exists_or_is_missing_is_said_first),
		ROW(test_what_moves_along_is_asked_about),
		ROW(test_one_file_is_not_read_by_another_name),
		ROW(test_no_link_gives_a_denied_name_away),
		ROW(test_a_socket_gets_the_names_that_rules_about_sockets_allow),
		ROW(test_what_must_stay_does_not_go),
		ROW(test_no_place_moves_along),
#ifndef POL_SAN
		ROW(test_it_makes_the_calls_that_it_lists),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
