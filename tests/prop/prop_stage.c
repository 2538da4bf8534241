/*
 * Random work in an overlay, then a commit.  Laws: before it, the tree outside is what it was;
 * after it, byte for byte what the run saw; after the end of a commit that was killed at a
 * random moment each name is old or new and whole, and a second commit finishes it; what was
 * changed outside meanwhile is refused and stays.
 */
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "runtime/base/io.h"
#include "runtime/stage/stage_apply.h"
#include "runtime/stage/stage_store.h"
#include "tests/prop/runs.h"
#include "tests/prop/stage_tree.h"

static struct {
	unsigned long op[STAGE_OP_COUNT], links, refused, killed, half;
} seen;

static bool no_overlay; /* not in a user namespace here */
static char top[] = "/var/tmp/pol-stage.XXXXXX";

static bool everything(void *arg, const char *path, uint32_t *ret_rule)
{
	(void)arg, (void)path;
	*ret_rule = 0;
	return true;
}

static bool say(const char *what, const char *a, const char *b)
{
	size_t i = 0, line = 0;

	for (; a && b && a[i] && a[i] == b[i]; i++)
		if (a[i] == '\n')
			line = i + 1;
	printf("FAIL: %s\n--- %.300s\n+++ %.300s\n", what, a ? a + line : "", b ? b + line : "");
	return false;
}

/* --- a run --------------------------------------------------------------------------------- */

static int put(const char *file, const char *text)
{
	int fd = open(file, O_WRONLY | O_CLOEXEC);
	int r = fd < 0 || write(fd, text, strlen(text)) < 0 ? -1 : 0;

	if (fd >= 0)
		(void)close(fd);
	return r;
}

/* A run has no capabilities. */
static int give_up(void)
{
	struct __user_cap_header_struct h = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct none[2] = { { 0, 0, 0 }, { 0, 0, 0 } };

	return syscall(SYS_capset, &h, none) == 0 ? 0 : -1;
}

static int own_mounts(const char *id)
{
	char map[64], gid[64], how[400];
	uid_t u = geteuid();
	gid_t g = getegid();

	(void)snprintf(map, sizeof(map), "%u %u 1\n", u, u);
	(void)snprintf(gid, sizeof(gid), "%u %u 1\n", g, g);
	(void)snprintf(how, sizeof(how), "userxattr,index=off,metacopy=off,lowerdir=out,upperdir=state/"
		       "stage/%s/0/upper,workdir=state/stage/%s/0/work", id, id);
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0 || put("/proc/self/setgroups", "deny") != 0 ||
	    put("/proc/self/uid_map", map) != 0 || put("/proc/self/gid_map", gid) != 0)
		return -1;
	return mount("none", "seen", "overlay", 0, how);
}

/* In a child: what is mounted ends with it. */
static bool run(struct rnd *r, const char *id, bool keep_bits, bool *can)
{
	uint32_t n = 5 + rnd_below(r, 60);
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		FILE *out;

		if (own_mounts(id) != 0)
			_exit(77);
		if (give_up() != 0)
			_exit(1);
		for (uint32_t i = 0; i < n; i++)
			tree_work(r, "seen");
		if (!keep_bits && system("find seen -type f -perm /6000 -exec chmod ug-s {} +") != 0)
			_exit(1);
		out = fopen("shown", "we");
		if (!out)
			_exit(1);
		tree_print(out, "seen", "");
		_exit(fclose(out) == 0 ? 0 : 1);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return false;
	*can = WEXITSTATUS(status) != 77;
	return WEXITSTATUS(status) == 0 || !*can;
}

static bool begin(char id[STAGE_ID + 1])
{
	static const char *const roots[PB_ROOT_COUNT] = { "/" };
	struct stage_tree tree = { .path = "/run", .upper = -1 };
	struct stage_new n = { .bundle = "none", .command = "test", .root = roots, .tree = &tree,
			       .ntrees = 1 };
	struct stage s = STAGE_NONE;
	char host[PATH_MAX];
	struct rt_err err;
	struct stat st;
	int r;

	(void)snprintf(host, sizeof(host), "%s/out", top);
	tree.host = host;
	tree.top = open("out", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (tree.top < 0 || fstat(tree.top, &st) != 0)
		return false;
	tree.dev = st.st_dev;
	tree.ino = st.st_ino;
	(void)snprintf(host, sizeof(host), "%s/out", top);
	r = stage_create("state", &n, "", 0, &s, &err);
	(void)close(tree.top);
	if (r < 0)
		return say(err.text, "", "");
	memcpy(id, s.id, STAGE_ID + 1);
	if (stage_note_end(&s, 0, 1) < 0)
		return false;
	stage_release(&s);
	return true;
}

/* --- a commit ------------------------------------------------------------------------------ */

static int note(void *arg, const struct stage_entry *e)
{
	return stage_note_done(arg, e->tree, e->path);
}

static int note_shared(void *arg, const struct stage_known_file *f)
{
	return stage_note_shared(arg, f);
}

/* The number of entries that were not committed; -1: trouble. */
static int commit(const char *id, bool count)
{
	struct stage s;
	struct stage_delta d = { .v = NULL };
	struct rt_err err = { 0 };
	struct stage_judge j = { .rec = &s.rec, .base = &s.base, .allows = everything };
	struct stage_apply a = { .judge = &j, .d = &d, .id = id, .done = note,
				 .shared = note_shared, .arg = &s };
	bool *chosen = NULL;
	int left = 0;

	if (stage_open("state", id, &s, &err) < 0 || stage_load(&s, &err) < 0 ||
	    stage_delta_find(&s.rec, &s.base, &d, &err) < 0 || stage_judge(&j, &d, &err) < 0 ||
	    !(chosen = calloc(d.n + 1, sizeof(*chosen)))) {
		(void)say(err.text, "", "");
		left = -1;
	} else {
		memset(chosen, 1, d.n + 1);
		a.chosen = chosen;
		left = stage_apply(&a) < 0 ? -1 : 0;
	}
	for (size_t i = 0; i < d.n && left >= 0; i++) {
		const struct stage_entry *e = &d.v[i];

		if (count) {
			seen.op[e->op] += e->state == STAGE_COMMITTED;
			seen.links += e->link != STAGE_NO_LINK;
			seen.half += S_ISDIR(e->now.mode) && (e->now.mode & 0300) != 0300;
		}
		if (e->state == STAGE_COMMITTED || e->state == STAGE_SAME)
			continue;
		left++;
		if (getenv("POL_TEST_SAY"))
			printf("left: %d %s: %s\n", (int)e->op, e->path, e->why);
	}
	free(chosen);
	stage_delta_release(&d);
	stage_release(&s);
	return left;
}

/* A directory that its owner may not change (0555) gets its mode after its names. */
static bool is_half_made(const char *line, const char *new)
{
	AUTO_FREE char *closed = strdup(line);
	char *mode = strstr(closed, ": 40755 ");

	if (mode)
		mode[4] = '5';
	return mode && strstr(new, closed);
}

/* Every line of `text` must be one of a or b, and no name of the commit's own be left. */
static bool old_or_new(const char *text, const char *a, const char *b)
{
	AUTO_FREE char *copy = strdup(text);
	char *save = NULL;

	for (char *line = strtok_r(copy, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		if (!strstr(line, ".pol-stage-") && !strstr(a, line) && !strstr(b, line) && !is_half_made(line, b))
			return say("neither old nor new", line, "");
	return true;
}

static bool kill_commit(struct rnd *r, const char *id, const char *old, const char *new)
{
	AUTO_FREE char *now = NULL;
	pid_t pid = fork();
	int status;

	if (pid == 0)
		_exit(commit(id, false) < 0);
	(void)usleep(rnd_below(r, 6000));
	(void)kill(pid, SIGKILL);
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return false;
	seen.killed += WIFSIGNALED(status);
	now = tree_text("out");
	return old_or_new(now, old, new);
}

/* --- the laws -------------------------------------------------------------------------------- */

static char *read_shown(void)
{
	char *text = NULL;
	size_t n;

	return io_read_file("shown", 1 << 24, &text, &n) == 0 ? text : NULL;
}

static bool drop(const char *id)
{
	struct rt_err err = { 0 };
	struct stage s;
	int r = stage_open("state", id, &s, &err);

	if (r == 0)
		r = stage_remove(&s, &err);
	stage_release(&s);
	return r == 0 || say(err.text, "", "");
}

static bool whole(struct rnd *r, const char *id, const char *old)
{
	AUTO_FREE char *shown = read_shown(), *now = tree_text("out");
	int left;

	if (!shown || strcmp(now, old) != 0)
		return say("the tree has changed before the commit", old, now);
	if (rnd_below(r, 2) && !kill_commit(r, id, old, shown))
		return false;
	left = commit(id, true);
	free(now);
	now = tree_text("out");
	if (left)
		return say("not everything was committed", shown, now);
	return strcmp(now, shown) == 0 || say("the tree is not what the run saw", shown, now);
}

/* Each file of the tree that has such a bit had it before, with the same content. */
static bool bits_are_old(const char *old)
{
	AUTO_FREE char *now = tree_text("out");
	char *save = NULL;

	for (char *line = strtok_r(now, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *mode = strstr(line, ": 10"), *changed = strstr(line, ", changed");

		/* 02000 without the group's right to execute it is no such bit */
		if (!mode || !changed || (!(mode[4] & 4) && !((mode[4] & 2) && (mode[6] & 1))))
			continue;
		*changed = '\0';
		if (!strstr(old, line))
			return say("a set-user-ID or set-group-ID bit is new", old, line);
	}
	return true;
}

/* Somebody else writes one of the names meanwhile. */
static bool contested(struct rnd *r, const char *id)
{
	AUTO_FREE char *before = NULL, *after = NULL, *old = NULL;
	char name[PATH_MAX];
	int fd, left;

	tree_name(r, "out", name);
	/* not a FIFO, whose reader there is none */
	fd = open(name, O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0)
		return true;
	(void)!write(fd, "from outside", 12);
	(void)close(fd);
	before = tree_text(name);
	old = tree_text("out");
	left = commit(id, false);
	after = tree_text(name);
	seen.refused += left > 0;
	if (left < 0 || !before || !after || strcmp(before, after) != 0)
		return say("what was written outside is lost", before, after);
	return bits_are_old(old);
}

static bool one(struct rnd *r)
{
	char id[STAGE_ID + 1], *old;
	bool can = true, is_contested, ok;

	if (system("rm -rf out seen state shown && mkdir out seen && mkdir -m 700 state") != 0)
		return false;
	for (uint32_t i = rnd_below(r, 60); i > 0; i--)
		tree_work(r, "out");
	old = tree_text("out");
	is_contested = rnd_below(r, 3) == 0;
	ok = begin(id) && run(r, id, is_contested, &can);
	no_overlay |= !can;
	if (ok && can)
		ok = is_contested ? contested(r, id) : whole(r, id, old);
	ok = ok && drop(id);
	free(old);
	return ok;
}

int main(void)
{
	static const char *const ops[] = { "create", "modify", "delete", "mode", "times", "type" };
	unsigned long n;
	bool ok;

	if (!mkdtemp(top) || chdir(top) != 0)
		return 1;
	(void)umask(022);
	ok = prop_runs(60, one, &n);
	for (int i = 0; i < STAGE_OP_COUNT; i++)
		printf("%s %lu  ", ops[i], seen.op[i]);
	printf("links %lu  refused %lu  killed %lu  closed directories %lu\n", seen.links, seen.refused,
	       seen.killed, seen.half);
	if (chdir("/") == 0)
		tree_remove(top);
	if (ok && no_overlay)
		printf("SKIP no overlayfs in a user namespace here\n");
	printf("%d passed, %d failed, %d skipped\n", ok && !no_overlay, !ok, ok && no_overlay);
	return !ok;
}
