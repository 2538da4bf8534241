/* Decides which trees of a view are staged, and writes down what a review must know. */
#include "runtime/polrun/staged.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/place.h"
#include "runtime/sandbox/view_host.h"

/* --- which trees ----------------------------------------------------------------------- */

static const char *host_of(const struct sandbox_node *n)
{
	return n->source ? n->source : n->path;
}

static int check_tree(const struct sandbox_view *v, size_t i, const char *folder,
		      struct rt_err *err)
{
	const struct sandbox_node *n = &v->nodes[i];
	char shown[300], other[300];

	io_escape(shown, sizeof(shown), n->path, strlen(n->path));
	if (n->source)
		return rt_fail(err, EXDEV, "'%s' cannot be staged: it is a tree that `mount` shows at "
			       "a second place", shown);
	if (!n->is_dir)
		return rt_fail(err, ENOTDIR, "'%s' cannot be staged: the run can write this file alone, "
			       "and only a directory can have an upper layer", shown);
	if (view_at(folder, n->path))
		return rt_fail(err, ELOOP, "'%s' cannot be staged: what is staged lies in it (move it "
			       "with XDG_STATE_HOME)", shown);
	for (size_t k = 0; k < i; k++) {
		const struct sandbox_node *o = &v->nodes[k];

		if (!sandbox_node_writes(o) || o->dev != n->dev || o->ino != n->ino)
			continue;
		io_escape(other, sizeof(other), o->path, strlen(o->path));
		return rt_fail(err, EXDEV, "'%s' cannot be staged: it is the same directory as '%s'",
			       shown, other);
	}
	return 0;
}

/* The names of links on the way to the folder of all stages are not those of the view. */
static int find_folder(const char *state, char ret[PATH_MAX], struct rt_err *err)
{
	char path[PATH_MAX];
	int r = stage_path(state, NULL, 0, path);

	if (r < 0)
		return rt_fail_errno(err, -r, "the folder of staged runs");
	if (realpath(path, ret))
		return 0;
	if (errno != ENOENT)
		return rt_fail_errno(err, errno, "'%.200s'", path);
	memcpy(ret, path, sizeof(path));
	return 0;
}

int staged_check(const struct sandbox_run *run, const struct sandbox_view *v,
		 const char *state, struct rt_err *err)
{
	char folder[PATH_MAX];
	int r = find_folder(state, folder, err);

	(void)run;
	for (size_t i = 0; i < v->n && r == 0; i++)
		if (sandbox_node_writes(&v->nodes[i]))
			r = check_tree(v, i, folder, err);
	return r;
}

void staged_preview(FILE *out, const struct sandbox_run *run, const struct sandbox_view *v,
		    const char *state)
{
	struct rt_err err = { 0 };
	char shown[1024];
	size_t n = 0;

	for (size_t i = 0; i < v->n; i++)
		n += sandbox_node_writes(&v->nodes[i]);
	fprintf(out, "staged    %s\n", n ? "what the run writes, until polrun commit, in" :
		"nothing: the run can write no tree of the host");
	for (size_t i = 0; i < v->n; i++) {
		if (!sandbox_node_writes(&v->nodes[i]))
			continue;
		io_escape(shown, sizeof(shown), v->nodes[i].path, strlen(v->nodes[i].path));
		fprintf(out, "  %s\n", shown);
	}
	if (staged_check(run, v, state, &err) < 0)
		fprintf(out, "refused   %s\n", err.text);
}

/* --- what a review must know ----------------------------------------------------------- */

struct facts {
	struct stage_tree *tree;
	const char **closed;
	struct stage_made *made;
	struct stage_alias *alias;
	struct stage_new n;
};

static void facts_release(struct facts *f)
{
	free(f->tree);
	free(f->closed);
	free(f->made);
	free(f->alias);
}

static bool can_be_made(const struct sandbox_view *v, const char *path)
{
	for (size_t i = 0; i < v->ncreatable; i++)
		if (view_at(path, v->creatable[i].path))
			return true;
	return false;
}

/* In a run as root the user of the run is mapped to the owner of the project there, and to
 * that of each tree elsewhere. */
static const struct sandbox_node *owner_of(const struct sandbox_run *run,
					   const struct sandbox_view *v,
					   const struct sandbox_node *n)
{
	const char *project = run->ctx.roots.dir[PB_ROOT_PROJECT];
	const struct sandbox_node *top = project ? sandbox_view_find(v, project) : NULL;

	return top && view_at(host_of(n), project) ? top : n;
}

static int facts_make(const struct sandbox_run *run, const struct sandbox_view *v,
		      const char *command, struct facts *f)
{
	f->tree = calloc(v->n + 1, sizeof(*f->tree));
	f->closed = calloc(v->ndenied + 1, sizeof(*f->closed));
	f->made = calloc(v->ncreatable + 1, sizeof(*f->made));
	f->alias = calloc(v->naliases + 1, sizeof(*f->alias));
	if (!f->tree || !f->closed || !f->made || !f->alias)
		return -ENOMEM;
	f->n = (struct stage_new){ .bundle = run->bundle->digest, .command = command,
				   .root = run->ctx.roots.dir, .tree = f->tree,
				   .closed = f->closed, .made = f->made, .alias = f->alias };
	for (size_t i = 0; i < v->n; i++) {
		const struct sandbox_node *n = &v->nodes[i], *own = owner_of(run, v, n);

		if (!sandbox_node_writes(n))
			continue;
		f->tree[f->n.ntrees++] = (struct stage_tree){
			.path = n->path, .dev = n->dev, .ino = n->ino, .top = n->pin_fd,
			.upper = -1, .uid = run->root_run ? own->uid : run->uid,
			.gid = run->root_run ? own->gid : run->gid,
		};
	}
	for (size_t i = 0; i < v->ndenied; i++)
		if (!can_be_made(v, v->denied[i].path))
			f->closed[f->n.nclosed++] = v->denied[i].path;
	for (size_t i = 0; i < v->ncreatable; i++)
		f->made[f->n.nmade++] = (struct stage_made){ v->creatable[i].rule,
							     v->creatable[i].path };
	for (size_t i = 0; i < v->naliases; i++)
		f->alias[f->n.nalias++] = (struct stage_alias){
			.rule = v->aliases[i].rule, .lends = v->aliases[i].lends,
			.path = v->aliases[i].path, .real = v->aliases[i].real,
		};
	return 0;
}

/* For people: the words of the command, with blanks between them. */
static char *command_of(const struct sandbox_run *run)
{
	size_t n = 1;
	char *text, *p;

	for (const char *const *a = run->argv; *a; a++)
		n += strlen(*a) + 1;
	text = p = malloc(n);
	if (!text)
		return NULL;
	for (const char *const *a = run->argv; *a; a++)
		p = stpcpy(stpcpy(p, a == run->argv ? "" : " "), *a);
	*p = '\0';
	return text;
}

/* The file again, whole: a run reads only what it needs of it.  It must be the one that was
 * checked; the manifest has the digests of all the rest. */
static int read_bundle(const struct bundle *b, const char *path, char **ret, size_t *ret_n,
		       struct rt_err *err)
{
	size_t at = (size_t)(b->manifest - b->bytes);
	int r = io_read_file(path, PB_MAX_BUNDLE, ret, ret_n);

	if (r < 0)
		return rt_fail_errno(err, -r, "bundle '%.200s'", path);
	if (*ret_n < at + b->manifest_size || memcmp(*ret + at, b->manifest, b->manifest_size) != 0)
		return rt_fail(err, ESTALE, "bundle '%.200s' has changed meanwhile", path);
	return 0;
}

/* --- the layers -------------------------------------------------------------------------- */

static int layer_make(struct staged *s, const char *state, const struct stage_tree *t, size_t node,
		      struct rt_err *err)
{
	struct sandbox_layer *l = &s->layers[s->n];
	char path[PATH_MAX];
	struct stat st;
	int r = stage_path(state, &s->stage, s->n, path);

	*l = (struct sandbox_layer){ .node = node, .uid = t->uid, .gid = t->gid, .fd = -1 };
	if (r == 0) {
		l->fd = stage_open_layer(&s->stage, s->n);
		r = l->fd < 0 ? l->fd : 0;
	}
	s->n++;
	if (r == 0 && fstat(l->fd, &st) != 0)
		r = -errno;
	if (r < 0)
		return rt_fail_errno(err, -r, "the layer of '%.200s'", t->path);
	l->dev = st.st_dev;
	l->ino = st.st_ino;
	l->path = strdup(path);
	return l->path ? 0 : rt_fail(err, ENOMEM, "out of memory");
}

static int layers_make(struct staged *s, const struct sandbox_view *v, const struct facts *f,
		       const char *state, struct rt_err *err)
{
	int r = 0;

	s->layers = calloc(f->n.ntrees + 1, sizeof(*s->layers));
	if (!s->layers)
		return rt_fail(err, ENOMEM, "out of memory");
	for (size_t i = 0; i < v->n && r == 0; i++)
		if (sandbox_node_writes(&v->nodes[i]))
			r = layer_make(s, state, &f->tree[s->n], i, err);
	return r;
}

static int make(struct staged *s, const struct sandbox_run *run, const struct sandbox_view *v,
		const char *state, const char *bundle, struct rt_err *err)
{
	AUTO_FREE char *command = command_of(run), *bytes = NULL;
	struct facts f = { .tree = NULL };
	size_t size = 0;
	int r = command ? facts_make(run, v, command, &f) : -ENOMEM;

	if (r < 0)
		(void)rt_fail(err, ENOMEM, "out of memory");
	if (r == 0 && f.n.ntrees)
		r = read_bundle(run->bundle, bundle, &bytes, &size, err);
	if (r == 0 && f.n.ntrees) {
		r = stage_create(state, &f.n, bytes, size, &s->stage, err);
		s->made = r == 0;
		if (r == 0)
			r = layers_make(s, v, &f, state, err);
	}
	facts_release(&f);
	return r;
}

int staged_begin(struct staged *s, struct sandbox_run *run, const struct sandbox_view *v,
		 const char *state, const char *bundle, struct rt_err *err)
{
	int r = staged_check(run, v, state, err);

	s->on = true;
	if (r == 0) {
		stage_sweep(state);
		r = make(s, run, v, state, bundle, err);
	}
	if (r == 0)
		r = find_folder(state, s->folder, err);
	if (r < 0) {
		staged_cancel(s, run);
		return r;
	}
	run->layers = s->layers;
	run->nlayers = s->n;
	run->stages = s->folder;
	return 0;
}

/* When a process began, in ticks since the machine did: with its number a name for it that
 * is not used again. */
static int began(pid_t pid, uint64_t *ret)
{
	AUTO_FREE char *text = NULL;
	char path[64], *s;
	size_t n;
	int r;

	(void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	r = io_read_file(path, 4096, &text, &n);
	if (r < 0)
		return r;
	s = strrchr(text, ')');
	s = s && s[1] == ' ' ? s + 2 : NULL;
	for (int field = 3; s && field < 22; field++)
		(void)stage_word(&s);
	return s && stage_number(&s, ret) ? 0 : -EBADMSG;
}

int staged_started(struct staged *s, pid_t init_pid, struct rt_err *err)
{
	uint64_t ticks = 0;
	int r;

	if (!s->made)
		return 0;
	r = began(init_pid, &ticks);
	if (r == 0)
		r = stage_note_init(&s->stage, (uint64_t)init_pid, ticks);
	if (r == 0)
		return 0;
	(void)kill(init_pid, SIGKILL);
	while (waitpid(init_pid, NULL, __WALL) < 0 && errno == EINTR)
		;
	return rt_fail_errno(err, -r, "the record of the staged run");
}

void staged_end(struct staged *s, int status, FILE *out)
{
	int r;

	if (!s->on)
		return;
	if (!s->made) {
		fputs("polrun: nothing is staged: the run could write no tree of the host\n", out);
		return;
	}
	r = stage_close(&s->stage, status, (int64_t)time(NULL), &s->empty);
	if (r < 0)
		fprintf(out, "polrun: the end of the staged run was not recorded: %s\n",
			strerrordesc_np(-r));
	if (s->empty)
		fputs("polrun: nothing is staged: the run has changed nothing\n", out);
	else
		fprintf(out, "polrun: staged as %.*s, and nothing of it is in place yet: polrun review "
			"%.*s, then commit or discard\n", STAGE_ID_SHOWN, s->stage.id,
			STAGE_ID_SHOWN, s->stage.id);
}

void staged_drop(struct staged *s)
{
	for (size_t i = 0; i < s->n; i++) {
		if (s->layers[i].fd >= 0)
			(void)close(s->layers[i].fd);
		s->layers[i].fd = -1;
	}
}

void staged_cancel(struct staged *s, struct sandbox_run *run)
{
	struct rt_err err = { 0 };

	run->layers = NULL;
	run->nlayers = 0;
	if (s->made)
		(void)stage_remove(&s->stage, &err);
	staged_release(s);
}

void staged_release(struct staged *s)
{
	staged_drop(s);
	for (size_t i = 0; i < s->n; i++)
		free((void *)(uintptr_t)s->layers[i].path);
	free(s->layers);
	stage_release(&s->stage);
	s->layers = NULL;
	s->n = 0;
	s->made = false;
}
