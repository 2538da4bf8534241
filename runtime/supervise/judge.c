/* Finds out which denial, if any, a call at a path is about to meet.  The view says
 * whether the kernel will refuse the call; the decision library says which rule caused
 * it. */
#include "runtime/supervise/judge.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/base/io.h"
#include "runtime/sandbox/view_answer.h"
#include "runtime/sandbox/view_host.h"

static bool is_below(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	return strncmp(path, dir, n) == 0 && (!path[n] || path[n] == '/');
}

/* True for a directory that the view made in order to hold something: it can be listed. */
static bool is_skeleton(const struct sandbox_view *v, const char *path)
{
	size_t len = strcmp(path, "/") == 0 ? 0 : strlen(path);

	for (size_t i = 0; i < v->n; i++)
		if (!v->nodes[i].absent && !v->nodes[i].noted &&
		    strncmp(v->nodes[i].path, path, len) == 0 &&
		    v->nodes[i].path[len] == '/')
			return true;
	return false;
}

static bool exists_outside(const char *path)
{
	struct stat st;

	return fstatat(AT_FDCWD, path, &st, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) == 0;
}

/* The run's own /proc and /dev are not trees of the policy; /dev/shm is one. */
static bool is_own_tree(const char *path)
{
	return view_is_system(path) && !is_below(path, "/sys");
}

/* True if the kernel refuses `op` at `path` because of the view. */
static bool view_blocks(const struct judge *j, uint8_t op, const char *path,
			const struct sandbox_node **ret_node)
{
	const struct sandbox_node *n = sandbox_view_find(j->view, path);

	*ret_node = n;
	if (is_own_tree(path))
		return n && n->masked && strcmp(n->path, path) == 0;
	if (n && n->masked)
		return true;
	if (n && (n->ops & op))
		return false;
	return !(op == PB_READ && is_skeleton(j->view, path));
}

static void touch(const struct judge *j, enum touched_kind kind, uint8_t op, const char *path)
{
	if (j->touched)
		touched_add(j->touched, kind, op, path, 0);
}

static void file_denied(const struct judge *j, uint8_t op, const char *path,
			const struct sandbox_node *node)
{
	static const char *const ops[] = { [PB_READ] = "read",
					   [PB_WRITE] = "write",
					   [PB_EXEC] = "exec" };
	struct decision d;
	uint32_t rule = UINT32_MAX, by_link;
	char subject[sizeof(((struct denial *)0)->subject)];

	touch(j, TOUCHED_FILE, op, path);
	decide_file(&j->run->ctx, op, path, &d);
	const struct pb_rule *by = bundle_rule(j->run->bundle, d.rule);

	if (d.effect != PB_ALLOW)
		rule = d.rule;
	else if (node && op == PB_WRITE && node->forced_ro)
		rule = node->forced_by;
	else if (node && op == PB_WRITE && by && (by->flags & PB_F_SCRATCH))
		rule = node->rule[1]; /* a scratch rule opens nothing of the host */
	else if (node && op == PB_READ && node->scratch)
		rule = node->rule[0];
	else if (!view_allows_name(&j->run->ctx, j->view, op, path, &by_link) &&
		 bundle_rule(j->run->bundle, by_link))
		rule = by_link; /* of a link's name: it holds for the target as well */
	else
		rule = d.rule; /* an allow that gives nothing here */
	io_escape(subject, sizeof(subject), path, strlen(path));
	denials_add(j->denials, "file", ops[op], subject, 0, rule);
}

/* Has the host a file there, where the run has a tree of its own?  That one exists which a rule of a policy
 * hides is not told; what the library hides is a list that everybody can read. */
static bool is_left_outside(const struct judge *j, const char *path, const struct sandbox_node *n)
{
	const struct pb_rule *r;
	struct decision d;

	if (!n || !n->scratch || !exists_outside(path))
		return false;
	decide_file(&j->run->ctx, PB_READ, path, &d);
	r = bundle_rule(j->run->bundle, d.rule);
	return d.effect != PB_HIDE || (r && r->level == PB_DEFAULT);
}

void judge_file(const struct judge *j, uint8_t op, const char *path, bool must_exist,
		bool exists)
{
	const struct sandbox_node *node;

	if (!view_blocks(j, op, path, &node)) {
		if (op == PB_READ && must_exist && !exists && is_left_outside(j, path, node))
			file_denied(j, op, path, node);
		/* its own /proc and /dev hold nothing of which the policy speaks */
		else if ((exists || !must_exist) && !is_own_tree(path))
			touch(j, TOUCHED_FILE, op, path);
		return;
	}
	/* What exists nowhere would not be found without a sandbox either. */
	if (must_exist && !exists && !exists_outside(path))
		return;
	file_denied(j, op, path, node);
}

/* The rule to name is that of the protected object below the directory. */
void judge_move(const struct judge *j, const char *path, bool exists)
{
	size_t len = strlen(path);

	judge_file(j, PB_WRITE, path, true, exists);
	for (size_t i = 0; exists && i < j->view->n; i++) {
		const struct sandbox_node *n = &j->view->nodes[i];

		if (is_below(n->path, path) && n->path[len] && !n->noted &&
		    (!n->absent || n->locked) && !n->scratch &&
		    (n->masked || !(n->ops & PB_WRITE))) {
			file_denied(j, PB_WRITE, n->path, n);
			return;
		}
	}
}

void judge_stat(const struct judge *j, const char *path, bool exists)
{
	struct decision d;
	const struct sandbox_node *node = sandbox_view_find(j->view, path);

	if (exists && !(node && node->masked))
		return;
	/* "self" in the run's own /proc would mean another process for the supervisor */
	if (is_own_tree(path) && !(node && node->masked))
		return;
	decide_file(&j->run->ctx, PB_READ, path, &d);
	if ((d.effect != PB_ALLOW && exists_outside(path)) || is_left_outside(j, path, node))
		file_denied(j, PB_READ, path, node);
}

void judge_open(const struct judge *j, uint64_t flags, const char *path, bool exists)
{
	uint64_t acc = flags & O_ACCMODE;

	if (flags & O_PATH) {
		judge_stat(j, path, exists);
		return;
	}
	if (acc == O_RDONLY || acc == O_RDWR)
		if (exists || !(flags & O_CREAT))
			judge_file(j, PB_READ, path, true, exists);
	if (acc != O_RDONLY || (flags & O_TRUNC) || ((flags & O_CREAT) && !exists))
		judge_file(j, PB_WRITE, path, !(flags & O_CREAT), exists);
}

bool judge_is_masked(const struct judge *j, const char *path)
{
	const struct sandbox_node *n = sandbox_view_find(j->view, path);

	return n && n->masked;
}

void judge_socket(const struct judge *j, const char *path, bool refused)
{
	char subject[sizeof(((struct denial *)0)->subject)];
	struct decision d;

	if (!exists_outside(path))
		return;
	touch(j, TOUCHED_UNIX, 0, path);
	if (!refused)
		return;
	decide_unix(&j->run->ctx, path, false, &d);
	io_escape(subject, sizeof(subject), path, strlen(path));
	denials_add(j->denials, "unix", "connect", subject, 0, d.rule);
}
