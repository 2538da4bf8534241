/* Decides the names of brokered trees with the rules of the bundle, and records what they
 * refuse.  How a call is made is the broker's matter.  One file because each answer that the
 * broker asks for (struct broker_rules) looks at the same run. */
#include "runtime/supervise/brokered.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/place.h"
#include "runtime/base/sys.h"
#include "runtime/sandbox/launch.h"
#include "runtime/sandbox/view_answer.h"
#include "runtime/sandbox/view_host.h"
#include "runtime/supervise/file_caps.h"

#define MOST_HELD 65536u
#define LOCK_AGAIN_MS 10
#define AGAIN_MS 50 /* after which it is looked again for room for a copy */
#define OWN_FILES 128u /* and the places' descriptors, which are open already; and the copies' */

/*
 * A name that is written could then be executed, where the tree as a whole can be: what the
 * rules do not let be executed is not made there.  A name that was there at the start has a
 * mount of its own.
 */
static bool would_run(const struct brokered *b, const char *path, uint32_t *ret_rule)
{
	const struct sandbox_node *n = sandbox_view_find(b->view, path);

	return n && (n->ops & PB_EXEC) &&
	       !view_allows_near(&b->run->ctx, b->view, b->near, PB_EXEC, path, ret_rule);
}

static uint8_t op_bit(enum broker_op op)
{
	return op == BROKER_WRITE ? PB_WRITE : op == BROKER_START ? PB_EXEC : PB_READ;
}

static bool allows(void *arg, enum broker_op op, const char *path, bool is_dir,
		   uint32_t *ret_rule)
{
	const struct brokered *b = arg;

	(void)is_dir;
	if (place_is_second_name(path)) {
		*ret_rule = BROKER_NO_RULE;
		return false;
	}
	if (op == BROKER_WRITE && strcmp(strrchr(path, '/') + 1, BROKER_TEMPORARY) == 0) {
		*ret_rule = BROKER_NO_RULE;
		return false;
	}
	if (op == BROKER_WRITE) {
		const struct sandbox_wall *w = stays_at(&b->stays, path);

		/* in a tree of the run's own reading is not decided by name: what may not be read is
		 * not made */
		if (sandbox_view_owns(b->view, path) &&
		    !view_allows_near(&b->run->ctx, b->view, b->near, PB_READ, path, ret_rule))
			return false;
		/* the run would end */
		if (w && w->kind == SANDBOX_WALL_ABSENT) {
			*ret_rule = w->rule;
			return false;
		}
		if (!sandbox_view_owns(b->view, path) && repos_keep(&b->repos, path, ret_rule))
			return false;
	}
	return view_allows_near(&b->run->ctx, b->view, b->near, op_bit(op), path, ret_rule) &&
	       (op != BROKER_WRITE || !would_run(b, path, ret_rule));
}

static bool denies(void *arg, enum broker_op op, const char *name, uint32_t *ret_rule)
{
	const struct brokered *b = arg;

	return view_denies_name(&b->run->ctx, b->view, op_bit(op), name, ret_rule);
}

static int hold(void *arg, int fd, int *object, bool linked)
{
	struct brokered *b = arg;

	return held_add(&b->held, fd, object, linked);
}

static int make_room_to_hold(void *arg)
{
	struct brokered *b = arg;

	return held_make_room(&b->held);
}

static void opens_fifo(void *arg, dev_t dev, ino_t ino)
{
	struct brokered *b = arg;

	(void)fifos_let_go(&b->fifos, &b->broker, b->from.listener, b->resp, dev, ino);
}

static bool may_wait(void *arg)
{
	struct brokered *b = arg;

	return fifos_may(&b->fifos);
}

static bool in_use(void *arg, int object)
{
	struct brokered *b = arg;

	return held_is_open(&b->held, object);
}

static int denied_name(void *arg, int object, char *ret_path, uint32_t *ret_rule)
{
	const struct brokered *b = arg;

	return other_names_find(b->view, &b->broker.rules, b->root_fd, object, ret_path, ret_rule);
}

static bool stays(void *arg, const char *path, uint32_t *ret_rule)
{
	const struct brokered *b = arg;
	const struct sandbox_wall *w = stays_at(&b->stays, path);

	if (w)
		*ret_rule = w->rule;
	return w || (!sandbox_view_owns(b->view, path) && repos_is_mark(&b->repos, path, ret_rule));
}

/* `config` and `config.worktree` of a repository, of its submodules and worktrees. */
static bool is_git_settings(const char *path, const char *common)
{
	const char *base = strrchr(path, '/') + 1, *git = NULL;

	if (common && view_below(path, common))
		git = path + strlen(common) + 1;
	for (const char *p = path; (p = strstr(p, "/.git/")); p++)
		git = p + strlen("/.git/");
	return git && (base == git || strncmp(git, "modules/", 8) == 0 || strncmp(git, "worktrees/", 10) == 0) &&
	       !strstr(git, "/hooks/") && (strcmp(base, "config") == 0 || strcmp(base, "config.worktree") == 0);
}

/* The floor keeps the configuration of repositories for what git would run; what names nothing to run
 * may change there. */
static bool may_replace(void *arg, const char *path, uint32_t rule, const char *was, size_t nwas,
			const char *is, size_t nis)
{
	struct brokered *b = arg;
	const struct pb_rule *r = rule < b->run->ctx.b->rules->rules.count ? bundle_rule(b->run->ctx.b, rule) : NULL;

	if (!r || !(r->flags & PB_F_FLOOR) || !is_git_settings(path, b->run->ctx.roots.dir[PB_ROOT_GIT]))
		return false;
	return !is || git_change_may(was, nwas, is, nis, b->here, &b->git);
}

static void makes_dir(void *arg, int dir, const char *name)
{
	struct brokered *b = arg;

	repos_note(&b->repos, dir, name);
}

static void touches(void *arg, const char *path, int dir, const char *name)
{
	struct brokered *b = arg;
	const struct sandbox_node *n = b->effects ? sandbox_view_find(b->view, path) : NULL;

	copies_touch(&b->copies, dir, name);
	/* a private tree ends with the run, and of a tree in which the run itself makes, moves and
	 * removes names these opens would be only a part */
	if (n && n->broker && !n->scratch)
		effects_note(b->effects, path, dir, name);
}

static void removed(void *arg, int object)
{
	struct brokered *b = arg;

	held_removed(&b->held, object);
}

static bool runs(void *arg, int object, dev_t dev, ino_t ino)
{
	const struct brokered *b = arg;

	return copies_runs(&b->copies, object, dev, ino);
}

static int start(void *arg, int object, dev_t dev, ino_t ino)
{
	struct brokered *b = arg;
	int r = copies_start(&b->copies, object, dev, ino);

	if (r <= 0)
		return r;
	/* another's copy is over at some time; this one may change again and again */
	b->turn += r != COPIES_BUSY;
	if (!waiting_may(&b->waiting, b->turn))
		return -EAGAIN;
	if (r == COPIES_FULL && !b->again_ms)
		b->again_ms = sys_now_ms() + AGAIN_MS;
	return BROKER_LATER;
}

static int changed(void *arg, dev_t dev, ino_t ino, int *ret)
{
	struct brokered *b = arg;

	return copies_changed(&b->copies, dev, ino, ret);
}

/* A socket of a tree that is the run's own, or that nobody else sees before it is reviewed, is
 * reached by no other run. */
static bool allows_socket(void *arg, const char *path, uint32_t *ret_rule)
{
	const struct brokered *b = arg;
	const struct sandbox_node *n = sandbox_view_find(b->view, path);

	if (b->run->nlayers || (n && n->scratch))
		return true;
	return view_allows_socket(&b->run->ctx, b->view, path, ret_rule);
}

static bool allows_link(void *arg, const char *path, const char *target, uint32_t *ret_rule)
{
	const struct brokered *b = arg;

	return view_allows_link(&b->run->ctx, b->view, path, target, b->room, ret_rule);
}

/* --- places ---------------------------------------------------------------------------- */

static const struct sandbox_node *above(const struct sandbox_view *v, const struct sandbox_node *n)
{
	const struct sandbox_node *best = NULL;

	for (size_t i = 0; i < v->n; i++)
		if (!v->nodes[i].noted && view_below(n->path, v->nodes[i].path))
			best = &v->nodes[i];
	return best;
}

/* In a tree in which polrun makes calls, or in a place within one. */
static bool is_within(const struct sandbox_view *v, const struct sandbox_node *n)
{
	for (n = above(v, n); n; n = above(v, n))
		if (n->broker || n->write_by_name)
			return true;
	return false;
}

static int add(struct brokered *b, enum broker_place_kind kind, const char *at, int fd)
{
	if (fd >= 0)
		b->fds[b->nfds++] = fd;
	return broker_trees_add(&b->broker.trees, kind, at, fd);
}

/* A directory on the mount that the run sees.  -1: it cannot be opened. */
static int open_seen(const struct brokered *b, const char *path)
{
	return sys_open_beneath(b->root_fd, path + 1, O_PATH | O_DIRECTORY | O_CLOEXEC,
				RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS);
}

/* Another mount in a brokered tree: one that shows a directory is walked for its links. */
static int add_hole(struct brokered *b, const struct sandbox_node *n)
{
	int fd = n->masked || n->locked || !n->is_dir ? -1 : open_seen(b, n->path);

	return add(b, fd < 0 ? BROKER_HOLE : BROKER_LOOK, n->path, fd);
}

static int add_write_here(struct brokered *b, const struct sandbox_node *n)
{
	int fd = open_seen(b, n->path);

	return fd < 0 ? -errno : add(b, BROKER_WRITE_HERE, n->path, fd);
}

static int add_places(struct brokered *b, struct sandbox_child *child)
{
	const struct sandbox_view *v = b->view;
	int r;

	b->root_fd = child->root_fd;
	child->root_fd = -1;
	b->fds = calloc(4 * (v->n + 2), sizeof(*b->fds));
	if (!b->fds)
		return -ENOMEM;
	r = b->root_fd < 0 ? -EBADF : add(b, BROKER_LOOK, "/", b->root_fd);
	for (size_t i = 0; i < v->n && r == 0; i++) {
		const struct sandbox_node *n = &v->nodes[i];

		if (n->noted || !n->path[1])
			continue;
		if (n->broker) {
			int fd = i < child->ntrees ? child->trees[i] : -1;

			if (fd >= 0)
				child->trees[i] = -1;
			r = fd < 0 ? -EBADF : add(b, BROKER_TREE, n->path, fd);
		} else if (n->write_by_name) {
			r = add_write_here(b, n);
		} else if (is_within(v, n)) {
			r = add_hole(b, n);
		}
	}
	return r;
}

/* How many files may be held, and how many calls may wait at FIFOs: polrun's own limit, of which it needs
 * some itself. */
static size_t room_for_files(const struct sandbox_view *v, size_t *ret_fifos)
{
	rlim_t own;
	struct rlimit files;

	*ret_fifos = 0;
	if (getrlimit(RLIMIT_NOFILE, &files) != 0)
		return 0;
	files.rlim_cur = files.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &files);
	(void)getrlimit(RLIMIT_NOFILE, &files);
	*ret_fifos = files.rlim_cur / 16 < FIFOS_MOST ? files.rlim_cur / 16 : FIFOS_MOST;
	own = OWN_FILES + *ret_fifos + (v->starts ? SANDBOX_COPIES : 0);
	if (files.rlim_cur > MOST_HELD + own)
		return MOST_HELD;
	return files.rlim_cur > OWN_FILES + own ? (size_t)(files.rlim_cur - own) : 0;
}

/* A place as the run sees it, through its mounts: what becomes there of opening for reading, and
 * of programs that are started. */
static int add_seen_at(struct brokered *b, const char *path, enum broker_place_kind reads,
		       enum broker_place_kind starts)
{
	bool hole = reads == BROKER_HOLE;
	int fd = hole ? -1 : path[1] ? open_seen(b, path) : b->root_fd;
	int r = 0;

	if (fd < 0 && !hole && errno != ENOENT && errno != ENOTDIR && errno != ELOOP &&
	    errno != EACCES)
		return -errno;
	if (fd >= 0 && path[1])
		b->fds[b->nfds++] = fd;
	if (b->view->opens)
		r = broker_trees_add(&b->broker.reads, fd < 0 ? BROKER_HOLE : reads, path, fd);
	if ((r == 0 || r == -EEXIST) && b->view->starts)
		r = broker_trees_add(&b->broker.starts, fd < 0 ? BROKER_HOLE : starts, path, fd);
	return r == -EEXIST && !hole ? 0 : r;
}

/* Where files are opened for reading by name, and programs are started. */
static int add_seen(struct brokered *b)
{
	const struct sandbox_view *v = b->view;
	int r = 0;

	for (size_t i = 0; i < v->n && r == 0; i++) {
		const struct sandbox_node *n = &v->nodes[i];

		if (n->noted)
			continue;
		if (!n->is_dir)
			r = add_seen_at(b, n->path, BROKER_HOLE, BROKER_HOLE);
		else if (n->masked || n->locked)
			r = add_seen_at(b, n->path, BROKER_LIST, BROKER_LOOK);
		else
			r = add_seen_at(b, n->path,
					!n->open_by_name ? BROKER_LOOK :
					n->scratch	 ? BROKER_OPEN_OWN :
							   BROKER_OPEN_HERE,
					n->start_by_name ? BROKER_OPEN_HERE : BROKER_LOOK);
	}
	/* what is the kernel's, and the run's own root */
	if (r == 0)
		r = add_seen_at(b, "/proc", BROKER_LOOK, BROKER_LOOK);
	if (r == 0)
		r = add_seen_at(b, "/dev", BROKER_LIST, BROKER_LOOK);
	if (r == 0)
		r = add_seen_at(b, "/", BROKER_LIST, BROKER_LOOK);
	if (r == 0 && v->opens && pipe2(b->broker.probe, O_CLOEXEC | O_NONBLOCK) != 0)
		r = -errno;
	b->from.reads = v->opens;
	b->from.starts = v->starts;
	return r;
}

/* A descriptor on the mount that the run sees, which has its flags. */
static int add_alone_at(struct brokered *b, const struct sandbox_node *n, enum broker_place_kind kind)
{
	int fd = sys_open_beneath(b->root_fd, n->path + 1, O_PATH | O_CLOEXEC | (n->is_dir ? O_DIRECTORY : 0),
				  RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS);
	int r = fd < 0 ? -errno : 0;

	if (fd >= 0) {
		b->fds[b->nfds++] = fd;
		r = broker_trees_add(&b->broker.alone_files, kind, n->path, fd);
	}
	return r == -EEXIST ? 0 : r;
}

/* The private tree that holds such a file.  Where its names are decided one by one the mount that the run sees
 * is read-only, and the broker has another one. */
static int add_around_alone(struct brokered *b, const struct sandbox_node *n)
{
	const struct broker_place *own;
	int r;

	if (!n->broker)
		return add_alone_at(b, n, BROKER_WRITE_HERE);
	own = broker_trees_at(&b->broker.trees, n->path, strlen(n->path));
	r = own ? broker_trees_add(&b->broker.alone_files, BROKER_TREE, n->path, own->fd) : -ENOENT;
	return r == -EEXIST ? 0 : r;
}

/* Files of the host in private trees, which programs save by a rename. */
static int add_alone(struct brokered *b)
{
	const struct sandbox_view *v = b->view;
	int r = 0;

	for (size_t i = 0; i < v->n && r == 0; i++) {
		const struct sandbox_node *n = &v->nodes[i];

		if (!n->alone)
			continue;
		r = add_alone_at(b, n, BROKER_ALONE);
		if (r == 0)
			r = add_around_alone(b, above(v, n));
	}
	/* other mounts in such a tree are walked through by no call */
	for (size_t i = 0; i < v->n && r == 0 && b->broker.alone_files.n; i++)
		if (!v->nodes[i].noted && v->nodes[i].path[1] &&
		    !broker_trees_at(&b->broker.alone_files, v->nodes[i].path, strlen(v->nodes[i].path)))
			r = broker_trees_add(&b->broker.alone_files, BROKER_HOLE, v->nodes[i].path, -1);
	return r == 0 && b->broker.alone_files.n ?
		       broker_trees_add(&b->broker.alone_files, BROKER_LOOK, "/", b->root_fd) : r;
}

/* A failure of setfsuid() shows only in what it returns the next time. */
static bool become(uid_t uid, gid_t gid)
{
	(void)setfsgid(gid);
	(void)setfsuid(uid);
	return (gid_t)setfsgid((gid_t)-1) == gid && (uid_t)setfsuid((uid_t)-1) == uid;
}

/* What polrun does for the run it does with no more rights than the run has. */
static int check_rights(const struct brokered *b)
{
	int r = 0;

	if (!b->as_user)
		r = file_caps_drop();
	else if (!become(b->from.ids.uid, b->from.ids.gid))
		return -EPERM;
	if (r == 0)
		r = file_caps_has();
	if (b->as_user && !become(geteuid(), getegid()))
		return -EPERM;
	return r > 0 ? -EPERM : r;
}

static int lock_names(void *arg, enum broker_lock how)
{
	struct brokered *b = arg;
	int64_t now;

	if (how == BROKER_LOCK_NONE) {
		names_lock_give_back(&b->names);
		return 0;
	}
	if (names_lock_take(&b->names, how == BROKER_LOCK_ALONE))
		return 0;
	now = sys_now_ms();
	if (now - b->since_ms > NAMES_LOCK_MOST_MS || !waiting_may(&b->waiting, 0))
		return -EIO;
	if (!b->again_ms)
		b->again_ms = now + LOCK_AGAIN_MS;
	return BROKER_LATER;
}

/* The look is polrun's own, and not made with the ids of the run's user. */
static bool pause_call(void *arg)
{
	const struct brokered *b = arg;
	bool on;

	if (!b->look)
		return true;
	if (b->as_user && !become(geteuid(), getegid()))
		return false;
	on = b->look(b->look_arg);
	return (!b->as_user || become(b->from.ids.uid, b->from.ids.gid)) && on;
}

/* Keeps descriptors 0 to 2: the output of the command may be a file of a tree. */
static int add_streams(struct held *h)
{
	struct stat st;
	int r = 0;

	for (int fd = 0; fd <= 2 && r == 0; fd++) {
		int flags = fcntl(fd, F_GETFL);

		if (flags < 0 && errno == EBADF) /* it is closed */
			continue;
		if (flags < 0 || fstat(fd, &st) != 0)
			r = -errno;
		else if ((flags & O_ACCMODE) != O_RDONLY && S_ISREG(st.st_mode))
			r = held_add(h, fd, NULL, false);
	}
	return r;
}

int brokered_init(struct brokered *b, const struct sandbox_run *run,
		  const struct sandbox_view *view, struct sandbox_child *child,
		  struct effects *effects, struct rt_err *err)
{
	const struct sandbox_ids ids = sandbox_ids_of(run);
	const struct broker_rules rules = { .arg = b,
					    .allows = allows,
					    .denies = denies,
					    .hold = hold,
					    .make_room_to_hold = make_room_to_hold,
					    .in_use = in_use,
					    .opens_fifo = opens_fifo,
					    .may_wait = may_wait,
					    .denied_name = denied_name,
					    .stays = stays,
					    .pause = pause_call,
					    .lock = run->names_lock > 2 ? lock_names : NULL,
					    .allows_link = allows_link,
					    .allows_socket = allows_socket,
					    .makes_dir = makes_dir,
					    .may_replace = may_replace,
					    .removed = removed,
					    .runs = view->starts ? runs : NULL,
					    .start = view->starts ? start : NULL,
					    .changed = view->starts ? changed : NULL,
					    .touches = effects || view->starts ? touches : NULL };
	int r;

	*b = (struct brokered){ .run = run, .view = view, .effects = effects,
				.names.fd = run->names_lock, .from.proc_fd = -1, .root_fd = -1,
				.last = DEEP_LAST_NONE };
	b->from.last = &b->last;
	copies_none(&b->copies);
	if (!view->brokers)
		return 0;
	b->from.ids = (struct broker_ids){ ids.uid_in, ids.uid_out, ids.gid_in, ids.gid_out };
	b->as_user = geteuid() != ids.uid_out;
	r = check_rights(b);
	if (r < 0) {
		sandbox_drop_trees(child);
		return rt_fail_errno(err, -r, "polrun would act on files with capabilities that the "
				     "run does not have");
	}
	b->on = true;
	b->room = calloc(1, DECIDE_LINK_ROOM);
	b->near = calloc(1, sizeof(*b->near));
	r = broker_init(&b->broker, &rules);
	held_init(&b->held, &b->broker, room_for_files(b->view, &b->fifos.most));
	repos_init(&b->repos, &run->ctx, &b->broker.trees, &b->held);
	if (!b->room || !b->near)
		r = -ENOMEM;
	if (r == 0 && gethostname(b->here, sizeof(b->here) - 1) != 0)
		r = -errno;
	if (r == 0)
		r = stays_init(&b->stays, view);
	b->broker.trees.uid = b->broker.reads.uid = b->broker.starts.uid =
		b->broker.alone_files.uid = ids.uid_out;
	b->from.proc_fd = sys_open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
	if (r == 0 && b->from.proc_fd < 0)
		r = -errno;
	if (r == 0)
		r = add_places(b, child);
	if (r == 0)
		r = add_alone(b);
	if (r == 0 && (view->opens || view->starts))
		r = add_seen(b);
	if (r == 0 && view->starts && copies_init(&b->copies, &b->held, child, err) < 0) {
		sandbox_drop_trees(child);
		return -err->err;
	}
	if (r == 0)
		r = add_streams(&b->held);
	sandbox_drop_trees(child);
	/* a limit of file sizes is the run's: a truncation must not end polrun */
	(void)signal(SIGXFSZ, SIG_IGN);
	/* and so must the end of a lease (held.h) */
	(void)signal(SIGIO, SIG_IGN);
	return r < 0 ? rt_fail_errno(err, -r, "the trees in which names are decided") : 0;
}

void brokered_release(struct brokered *b)
{
	if (!b->on)
		return;
	held_release(&b->held);
	copies_release(&b->copies);
	waiting_release(&b->waiting);
	fifos_release(&b->fifos);
	repos_release(&b->repos);
	for (int i = 0; i < 2; i++)
		if (b->broker.probe[i] >= 0)
			(void)close(b->broker.probe[i]);
	broker_release(&b->broker);
	deep_last_release(&b->last);
	for (size_t i = 0; i < b->nfds; i++)
		(void)close(b->fds[i]);
	free(b->fds);
	free(b->room);
	free(b->near);
	stays_release(&b->stays);
	if (b->from.proc_fd >= 0)
		(void)close(b->from.proc_fd);
	*b = (struct brokered){ .from.proc_fd = -1, .root_fd = -1 };
}

/* --- what has changed -------------------------------------------------------------------- */

static void digest(const struct brokered *b, struct effect *e, int object)
{
	AUTO_CLOSE int fd = broker_reopen(&b->broker, object, O_RDONLY);

	e->digested = fd >= 0 && b->effects->digest(fd, e->digest) == 0;
}

static void look(const struct brokered *b, struct effect *e)
{
	const struct broker_caller nobody = { 0 };
	struct broker_spot s;
	struct stat st;
	int r = broker_resolve(&b->broker.trees, &nobody, NULL, e->path, BROKER_WALK_NOFOLLOW, &s);

	/* a directory on the way has gone */
	if (r == -ENOENT || r == -ENOTDIR)
		return;
	if (r != 0) {
		effect_unknown(b->effects, e);
		return;
	}
	if (s.object >= 0 && fstat(s.object, &st) != 0) {
		effect_unknown(b->effects, e);
	} else if (s.object >= 0) {
		e->after = effect_look_of(&st);
		if (b->effects->digest && S_ISREG(st.st_mode) && effect_op_of(e) != EFFECT_NONE)
			digest(b, e, s.object);
	}
	broker_spot_release(&s);
}

void brokered_look(struct brokered *b)
{
	bool may;

	if (!b->on || !b->effects)
		return;
	may = !b->as_user || become(b->from.ids.uid, b->from.ids.gid);
	for (size_t i = 0; i < b->effects->n; i++)
		if (may)
			look(b, &b->effects->v[i]);
		else
			effect_unknown(b->effects, &b->effects->v[i]);
	if (b->as_user)
		(void)become(geteuid(), getegid());
}

/* --- calls ------------------------------------------------------------------------------ */

static void record(struct brokered *b, const struct broker_result *res, struct denials *d)
{
	char subject[sizeof(((struct denial *)0)->subject)], key[sizeof(((struct denial *)0)->setting)];
	const struct git_change git = b->git;

	b->git = (struct git_change){ .unread = false };
	if (!res->err || res->reason == BROKER_BY_KERNEL)
		return;
	io_escape(subject, sizeof(subject), res->subject, strlen(res->subject));
	io_escape(key, sizeof(key), git.key, strlen(git.key));
	if (git.key[0] || git.unread)
		denials_add_setting(d, subject, res->err, res->rule, git.unread ? "not written as git writes it" : key);
	else if (res->reason == BROKER_BY_SOCKET)
		denials_add(d, "unix", "bind", subject, res->err, res->rule);
	else
		denials_add_cause(d, "file", res->starts ? "exec" : res->reads ? "read" : "write",
				  subject, res->err, res->rule, broker_cause(res->reason));
}

static int serve(struct brokered *b, int listener, const struct seccomp_notif *req, int64_t since,
		 struct seccomp_notif_resp *resp, struct denials *d)
{
	struct broker_result res;
	int r;

	if (b->as_user && !become(b->from.ids.uid, b->from.ids.gid))
		return -EPERM;
	b->from.listener = listener;
	b->resp = resp;
	r = broker_serve(&b->broker, &b->from, req, since, resp, &res);
	if (b->as_user && !become(geteuid(), getegid()))
		return -EPERM;
	if (res.later && res.object >= 0) {
		struct broker_fifo fifo;

		broker_fifo_of(&b->broker, req, &res, &fifo);
		fifos_add(&b->fifos, &fifo);
	} else if (res.later) {
		waiting_add(&b->waiting, req, b->turn, b->since_ms);
	}
	record(b, &res, d);
	return r;
}

int brokered_serve(struct brokered *b, int listener, const struct seccomp_notif *req,
		   int64_t since, struct seccomp_notif_resp *resp, struct denials *d)
{
	b->turn = 0;
	b->since_ms = since;
	return serve(b, listener, req, since, resp, d);
}

int brokered_wait(const struct brokered *b, int64_t now_ms)
{
	return !b->again_ms ? -1 : b->again_ms <= now_ms ? 0 : (int)(b->again_ms - now_ms);
}

int brokered_fifos_wait(const struct brokered *b, int64_t now_ms)
{
	return fifos_wait(&b->fifos, now_ms);
}

int brokered_fifos(struct brokered *b, int listener, struct seccomp_notif_resp *resp)
{
	int r;

	if (b->as_user && !become(b->from.ids.uid, b->from.ids.gid))
		return -EPERM;
	r = fifos_look(&b->fifos, &b->broker, b->from.proc_fd, listener, resp);
	if (b->as_user && !become(geteuid(), getegid()))
		return -EPERM;
	return r;
}

int brokered_go_on(struct brokered *b, int listener, struct seccomp_notif_resp *resp,
		   struct denials *d)
{
	struct waiting *w = &b->waiting;
	size_t n = w->n;
	int r = 0;

	b->again_ms = 0;
	/* who waits again is behind all that came before */
	w->n = 0;
	for (size_t i = 0; i < n && r == 0; i++) {
		const struct waiting_call call = w->v[i];

		b->turn = call.turn;
		b->since_ms = call.since_ms;
		r = serve(b, listener, &call.req, sys_now_ms(), resp, d);
	}
	copies_settle(&b->copies);
	return r;
}
