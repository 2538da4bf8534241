/* A staged run whose upper layer a test makes by hand. */
#ifndef TESTS_UNIT_STAGE_FIXTURE_H
#define TESTS_UNIT_STAGE_FIXTURE_H

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>

#include "runtime/stage/stage_apply.h"
#include "runtime/stage/stage_show.h"
#include "tests/unit/scratch_dir.h"

static char dir[] = "/var/tmp/pol-stage.XXXXXX";
static char id[STAGE_ID + 1], upper[200];

struct look {
	struct stage s;
	struct stage_delta d;
	struct stage_judge j;
};

/* Rules: no name with ".env" or "hooks" in it. */
static bool allows(void *arg, const char *path, uint32_t *ret_rule)
{
	(void)arg;
	*ret_rule = 7;
	return !strstr(path, ".env") && !strstr(path, "hooks");
}

static void sh(const char *cmd)
{
	assert_int_equal(system(cmd), 0);
}

/* Makes `out` with a shell, then begins a run over it. */
static void begin(const char *make)
{
	static const char *const roots[PB_ROOT_COUNT] = { "/" };
	static const char *const closed[] = { "/run/shut" };
	char host[PATH_MAX], cmd[2000];
	struct stage_tree tree = { .path = "/run", .host = host, .upper = -1 };
	struct stage_new n = { .bundle = "none", .command = "make\nall", .root = roots, .tree = &tree,
			       .ntrees = 1, .closed = closed, .nclosed = 1 };
	struct stage s = STAGE_NONE;
	struct rt_err err = { 0 };
	struct stat st;

	(void)snprintf(cmd, sizeof(cmd), "chmod -R u+rwx out state 2>/dev/null; "
		       "rm -rf out state && mkdir out && mkdir -m 700 state && "
		       "cd out && %s", make);
	sh(cmd);
	(void)snprintf(host, sizeof(host), "%s/out", dir);
	tree.top = open("out", O_PATH | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(fstat(tree.top, &st), 0);
	tree.dev = st.st_dev;
	tree.ino = st.st_ino;
	assert_int_equal(stage_create("state", &n, "", 0, &s, &err), 0);
	assert_int_equal(stage_note_end(&s, 0, 5), 0);
	(void)close(tree.top);
	memcpy(id, s.id, sizeof(id));
	(void)snprintf(upper, sizeof(upper), "state/stage/%s/0/upper", id);
	stage_release(&s);
}

/* Works in the upper layer with a shell. */
static void work(const char *make)
{
	char cmd[2000];

	(void)snprintf(cmd, sizeof(cmd), "cd %s && %s", upper, make);
	sh(cmd);
}

/* Overlayfs writes a device 0:0, which an ordinary user may make, too. */
static void whiteout(const char *name)
{
	char path[400];

	(void)snprintf(path, sizeof(path), "%s/%s", upper, name);
	assert_int_equal(mknod(path, S_IFCHR, makedev(0, 0)), 0);
}

static void mark(const char *name, const char *attr, const char *value)
{
	char path[400];

	(void)snprintf(path, sizeof(path), "%s/%s", upper, name);
	assert_int_equal(setxattr(path, attr, value, strlen(value), 0), 0);
}

static void look(struct look *l)
{
	struct rt_err err = { 0 };

	memset(l, 0, sizeof(*l));
	assert_int_equal(stage_open("state", id, &l->s, &err), 0);
	assert_int_equal(stage_load(&l->s, &err), 0);
	assert_int_equal(stage_delta_find(&l->s.rec, &l->s.base, &l->d, &err), 0);
	l->j = (struct stage_judge){ .rec = &l->s.rec, .base = &l->s.base, .allows = allows };
	assert_int_equal(stage_judge(&l->j, &l->d, &err), 0);
}

static void look_end(struct look *l)
{
	stage_delta_release(&l->d);
	stage_release(&l->s);
}

static const struct stage_entry *entry(const struct look *l, const char *path)
{
	const struct stage_entry *e = stage_delta_get(&l->d, 0, path);

	assert_non_null(e);
	return e;
}

static int note(void *arg, const struct stage_entry *e)
{
	return stage_note_done(arg, e->tree, e->path);
}

static int note_shared(void *arg, const struct stage_known_file *f)
{
	return stage_note_shared(arg, f);
}

/* Commits what is at or below `path`. */
static void commit(struct look *l, const char *path)
{
	bool *chosen = calloc(l->d.n + 1, sizeof(*chosen));
	struct stage_apply a = { .judge = &l->j, .d = &l->d, .id = id, .chosen = chosen,
				 .done = note, .shared = note_shared, .arg = &l->s };

	assert_non_null(chosen);
	for (size_t i = 0; i < l->d.n; i++)
		chosen[i] = stage_entry_below(&l->d.v[i], 0, path);
	assert_int_equal(stage_apply(&a), 0);
	free(chosen);
}

static void commit_all(void)
{
	struct look l;

	look(&l);
	commit(&l, "");
	look_end(&l);
}

#endif
