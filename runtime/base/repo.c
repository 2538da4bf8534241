/* Decides by the names in a folder what git would take for a repository, and polrun for a
 * project. Content is not read: what is not a repository yet may become one. */
#include "runtime/base/repo.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/repo_known.h"
#include "runtime/base/sys.h"

enum { PATH_CAP = 4096, QUEUE_MAX = 200000 };

/* The kind of a folder, which decides what is looked at below it. */
enum place {
	IN_TREE,      /* a folder of the project */
	IN_GIT,       /* a .git */
	IN_BARE,      /* a bare repository: of it only modules and worktrees are looked at, the
	                 rest is a folder IN_TREE */
	IN_GIT_REST,  /* any other folder below a .git: git uses a repository in it if it is
	                 started there */
	IN_OBJECTS,   /* .git/objects */
	IN_MODULES,   /* .git/modules, or a folder within a module's name */
	IN_WORKTREES, /* .git/worktrees */
	IN_WORKTREE,  /* a folder of it */
};

struct step {
	char *path;
	enum place place;
};

struct search {
	struct repo_list *out;
	int top;
	struct step *queue;
	size_t nqueue, cap, next;
	struct timespec begun, begun_cpu;
	unsigned ms;
	bool with_top; /* the top's own .git and .pol are found, too */
	bool no_memory;
	struct repo_meets meets;
	char *names; /* of the folders in the one that is being read, one behind another, each ends in NUL */
	size_t names_len, names_cap;
	/* what searches before have seen; NULL: this one does not look there */
	const struct repo_known *known;
	struct repo_known now; /* what this one has seen */
	uint64_t mount;        /* the top's */
	size_t learned;        /* folders that `known` does not tell */
};

/* What the names in a folder say of it. */
enum {
	SEEN_HEAD = 1,
	SEEN_OBJECTS = 2,
	SEEN_REFS = 4,
	SEEN_COMMONDIR = 8,
	SEEN_DOT_GIT = 16,
	SEEN_DOT_GIT_DIR = 32,
	SEEN_DOT_POL = 64,
};

const char *repo_word(enum repo_kind kind)
{
	static const char *const words[REPO_KINDS] = {
		[REPO_DOT_GIT] = "a repository",
		[REPO_GIT_FILE] = "a .git file, which names a repository",
		[REPO_GIT_DIR] = "a submodule's repository",
		[REPO_WORKTREE] = "a worktree's administrative files",
		[REPO_BARE] = "a folder that git takes for a bare repository",
		[REPO_POLICY] = "the policy of a project",
	};

	return kind < REPO_KINDS ? words[kind] : "a repository";
}

static bool is_too_long(const char *dir, const char *name)
{
	return strlen(dir) + strlen(name) + 2 > PATH_CAP;
}

static char *join(const char *dir, const char *name)
{
	size_t n = strlen(dir), len = n + strlen(name) + 2;
	char *s = malloc(len);

	if (s)
		(void)snprintf(s, len, "%s%s%s", dir, n ? "/" : "", name);
	return s;
}

static void found(struct search *s, enum repo_kind kind, const char *dir, const char *name)
{
	struct repo_list *l = s->out;
	struct repo_item *grown;
	char *path;

	if (l->n == REPO_MAX_ITEMS) {
		l->cut = true;
		return;
	}
	path = name ? join(dir, name) : strdup(dir);
	grown = path ? reallocarray(l->v, l->n + 1, sizeof(*grown)) : NULL;
	if (!grown) {
		free(path);
		s->no_memory = true;
		return;
	}
	l->v = grown;
	grown[l->n++] = (struct repo_item){ kind, path };
}

/* Puts a folder into the queue. If its name is too long for the search, it is only
 * counted. */
static void later(struct search *s, const char *dir, const char *name, enum place place)
{
	char *path;

	if (s->nqueue == QUEUE_MAX) {
		s->out->cut = true;
		return;
	}
	if (s->nqueue == s->cap) {
		size_t cap = s->cap ? s->cap * 2 : 64;
		struct step *grown = reallocarray(s->queue, cap, sizeof(*grown));

		if (!grown) {
			s->no_memory = true;
			return;
		}
		s->queue = grown;
		s->cap = cap;
	}
	if (is_too_long(dir, name)) {
		s->out->failed++;
		return;
	}
	path = join(dir, name);
	if (!path) {
		s->no_memory = true;
		return;
	}
	s->queue[s->nqueue++] = (struct step){ path, place };
}

static bool is_dots(const char *name)
{
	return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]));
}

static uint32_t mark_of(const char *name, bool dir)
{
	static const struct {
		const char *name;
		uint32_t mark;
	} marks[] = {
		{ "HEAD", SEEN_HEAD },	   { "objects", SEEN_OBJECTS }, { "refs", SEEN_REFS },
		{ "commondir", SEEN_COMMONDIR }, { ".pol", SEEN_DOT_POL },
	};

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (!strcmp(name, marks[i].name))
			return marks[i].mark;
	return strcmp(name, ".git") != 0 ? 0 : SEEN_DOT_GIT | (dir ? SEEN_DOT_GIT_DIR : 0);
}

/* A folder of loose objects has no folders below it.  There can be 256 of them with thousands of
 * files, so it is read only if it has a folder (the file systems on which all folders have the
 * same number of links cannot say) or a name that git looks for. */
static bool is_only_objects(const struct search *s, const char *dir, const char *name)
{
	static const char *const looked_for[] = { "/.git", "/HEAD", "" };
	char path[PATH_CAP + 8];
	struct stat st = { 0 };
	int r = 0;

	if (strlen(name) != 2 || strspn(name, "0123456789abcdef") != 2)
		return false;
	for (size_t i = 0; i < sizeof(looked_for) / sizeof(looked_for[0]); i++) {
		(void)snprintf(path, sizeof(path), "%s/%s%s", dir, name, looked_for[i]);
		r = fstatat(s->top, path, &st, AT_SYMLINK_NOFOLLOW);
		if (looked_for[i][0] && (r == 0 || errno != ENOENT))
			return false;
	}
	return r == 0 && st.st_nlink == 2;
}

static void go_into(struct search *s, const struct step *at, const char *name)
{
	const bool is_dot_git = !strcmp(name, ".git");

	switch (at->place) {
	case IN_GIT:
	case IN_BARE:
		if (!strcmp(name, "modules"))
			later(s, at->path, name, IN_MODULES);
		else if (!strcmp(name, "worktrees"))
			later(s, at->path, name, IN_WORKTREES);
		else if (at->place == IN_GIT)
			later(s, at->path, name, is_dot_git ? IN_GIT :
			      !strcmp(name, "objects") ? IN_OBJECTS : IN_GIT_REST);
		break;
	case IN_OBJECTS:
		if (!is_only_objects(s, at->path, name))
			later(s, at->path, name, is_dot_git ? IN_GIT : IN_GIT_REST);
		break;
	case IN_WORKTREES:
		found(s, REPO_WORKTREE, at->path, name);
		later(s, at->path, name, IN_WORKTREE);
		break;
	case IN_WORKTREE:
	case IN_GIT_REST:
		later(s, at->path, name, is_dot_git ? IN_GIT : IN_GIT_REST);
		break;
	case IN_MODULES:
		later(s, at->path, name, IN_MODULES);
		break;
	case IN_TREE:
	default:
		later(s, at->path, name, is_dot_git ? IN_GIT : IN_TREE);
		break;
	}
}

static void remember_name(struct search *s, const char *name)
{
	const size_t n = strlen(name) + 1;

	if (s->names_len + n > s->names_cap) {
		const size_t cap = 2 * (s->names_cap + n);
		char *grown = realloc(s->names, cap);

		if (!grown) {
			s->no_memory = true;
			return;
		}
		s->names = grown;
		s->names_cap = cap;
	}
	memcpy(s->names + s->names_len, name, n);
	s->names_len += n;
}

/* Reads the names in a folder: what they say of it, and in s->names those of the folders in it. */
static int read_names(struct search *s, const struct step *at, int fd, uint32_t *ret)
{
	char buf[8192] __attribute__((aligned(8)));
	long n;

	*ret = 0;
	s->names_len = 0;
	while ((n = syscall(SYS_getdents64, fd, buf, sizeof(buf))) > 0)
		for (long i = 0; i < n;) {
			const struct dirent64 *d = (const void *)(buf + i);
			bool dir = d->d_type == DT_DIR;
			struct stat st;

			i += d->d_reclen;
			if (is_dots(d->d_name))
				continue;
			if (d->d_type == DT_UNKNOWN)
				dir = fstatat(fd, d->d_name, &st,
					      AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) == 0 &&
				      S_ISDIR(st.st_mode);
			*ret |= mark_of(d->d_name, dir);
			if (s->meets.name && at->place != IN_GIT_REST && at->place != IN_OBJECTS)
				s->meets.name(s->meets.name_arg, fd, at->path, d->d_name);
			if (s->meets.link && !dir && at->place != IN_TREE && at->place != IN_BARE &&
			    (d->d_type == DT_LNK || d->d_type == DT_UNKNOWN))
				s->meets.link(s->meets.link_arg, fd, at->path, d->d_name);
			if (dir)
				remember_name(s, d->d_name);
		}
	return n < 0 ? -errno : 0;
}

static void walk(struct search *s, const struct step *at, enum place place, const char *names, size_t len)
{
	const struct step in = { at->path, place };

	for (size_t i = 0; i < len; i += strlen(names + i) + 1)
		go_into(s, &in, names + i);
}

/* What a folder is by the names in it, and where the search goes on. */
static void judge(struct search *s, const struct step *at, uint32_t x, const char *names, size_t len)
{
	const bool is_git = (x & SEEN_HEAD) && ((x & SEEN_OBJECTS && x & SEEN_REFS) || x & SEEN_COMMONDIR);

	/* below modules a folder .git is a repository, and REPO_GIT_DIR reports it */
	if (x & SEEN_DOT_GIT && (at->path[0] || s->with_top) &&
	    !(at->place == IN_MODULES && x & SEEN_DOT_GIT_DIR))
		found(s, x & SEEN_DOT_GIT_DIR ? REPO_DOT_GIT : REPO_GIT_FILE, at->path, ".git");
	if (is_git && at->place == IN_MODULES) {
		found(s, REPO_GIT_DIR, at->path, NULL);
		walk(s, at, IN_GIT, names, len);
		return;
	}
	if (is_git && (at->place == IN_TREE || at->place == IN_GIT_REST)) {
		found(s, REPO_BARE, at->path, NULL);
		/* a bare repository has submodules and worktrees like every other */
		walk(s, at, IN_BARE, names, len);
	}
	if (at->place == IN_TREE && x & SEEN_DOT_POL && (at->path[0] || s->with_top))
		found(s, REPO_POLICY, at->path, ".pol");
	walk(s, at, at->place, names, len);
}

/* --- folders that are known ---------------------------------------------------------------- */

static bool look_up(const struct search *s, int fd, const char *path, struct statx *ret)
{
	return statx(fd, path, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | (path[0] ? 0 : AT_EMPTY_PATH),
		     STATX_TYPE | STATX_INO | STATX_CTIME | STATX_MNT_ID, ret) == 0 &&
	       (ret->stx_mask & STATX_MNT_ID) && S_ISDIR(ret->stx_mode) &&
	       (!s->mount || ret->stx_mnt_id == s->mount);
}

static bool note(struct search *s, const struct step *at, const struct statx *before, const struct statx *after,
		 uint32_t marks, const char *names, size_t len)
{
	if (!repo_known_add(&s->now, at->path, before, after, marks))
		return false;
	for (size_t i = 0; i < len; i += strlen(names + i) + 1)
		repo_known_child(&s->now, names + i);
	return true;
}

/* Has the folder the names that were seen before?  Then they are not read. */
static bool is_known(struct search *s, const struct step *at)
{
	const struct repo_folder *f;
	const char *names;
	struct statx st;
	size_t len = 0;

	if (!s->known || !look_up(s, s->top, at->path, &st))
		return false;
	f = repo_known_find(s->known, at->path, &st);
	if (!f)
		return false;
	names = s->known->text + f->children;
	for (uint32_t i = 0; i < f->nchildren; i++)
		len += strlen(names + len) + 1;
	(void)note(s, at, &st, &st, f->marks, names, len);
	judge(s, at, f->marks, names, len);
	return true;
}

/* Is the folder closed to whoever runs as the caller? The caller can open a folder that
 * he owns, and enter a folder that he cannot read. */
static bool is_shut(const struct search *s, const char *path)
{
	struct stat st;

	return fstatat(s->top, path, &st, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) != 0 ||
	       (st.st_uid != geteuid() && !(st.st_mode & 011));
}

static void look(struct search *s, const struct step *at)
{
	AUTO_CLOSE int fd = -1;
	struct statx before, after;
	bool twice;
	uint32_t marks;

	if (is_known(s, at))
		return;
	fd = sys_open_beneath(s->top, at->path[0] ? at->path : ".",
			      O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW,
			      RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV);
	if (fd < 0) {
		/* it is gone meanwhile; or it is another mount (EXDEV), which was not
		 * looked at */
		if (errno == ENOENT || errno == ENOTDIR || errno == ELOOP)
			return;
		if (errno == EACCES && is_shut(s, at->path[0] ? at->path : "."))
			s->out->closed++;
		else
			s->out->failed++;
		return;
	}
	twice = s->known && look_up(s, fd, "", &before);
	if (read_names(s, at, fd, &marks) < 0) {
		s->out->failed++;
		return;
	}
	if (twice && look_up(s, fd, "", &after) && !s->no_memory)
		s->learned += note(s, at, &before, &after, marks, s->names, s->names_len);
	judge(s, at, marks, s->names, s->names_len);
}

static int64_t ms_since(clockid_t clock, const struct timespec *then)
{
	struct timespec now;

	return clock_gettime(clock, &now) != 0 ? 0 : (now.tv_sec - then->tv_sec) * INT64_C(1000) +
							     (now.tv_nsec - then->tv_nsec) / 1000000;
}

/* On a machine that does other work as well, a search takes longer, and finds the same. */
static bool is_late(const struct search *s)
{
	return ms_since(CLOCK_PROCESS_CPUTIME_ID, &s->begun_cpu) > (int64_t)s->ms ||
	       ms_since(CLOCK_MONOTONIC, &s->begun) > (int64_t)s->ms * REPO_LOADED;
}

static int find_all(struct search *s, enum place top)
{
	*s->out = (struct repo_list){ .v = NULL };
	(void)clock_gettime(CLOCK_MONOTONIC, &s->begun);
	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &s->begun_cpu);
	look(s, &(struct step){ (char *)(uintptr_t)"", top });
	for (s->next = 0; s->next < s->nqueue && !s->no_memory; s->next++) {
		struct step *at = &s->queue[s->next];
		/* the queue may move when it grows */
		struct step copy = *at;

		if (s->next >= REPO_MAX_DIRS || (s->next % 16 == 0 && is_late(s))) {
			s->out->cut = true;
			break;
		}
		look(s, &copy);
	}
	for (size_t i = 0; i < s->nqueue; i++)
		free(s->queue[i].path);
	free(s->queue);
	free(s->names);
	return s->no_memory ? -ENOMEM : 0;
}

int repo_find(int dirfd, struct repo_list *ret)
{
	return repo_find_each(dirfd, REPO_TOP_PROJECT, &(struct repo_meets){ .name = NULL }, ret);
}

static enum place place_of(enum repo_top top)
{
	return top == REPO_TOP_GIT ? IN_MODULES : IN_TREE;
}

int repo_find_from(int dirfd, enum repo_top top, unsigned ms, struct repo_known *known, bool *ret_changed,
		   struct repo_list *ret)
{
	struct search s = { .out = ret, .top = dirfd, .ms = ms,
			    .with_top = top == REPO_TOP_TREE };
	struct statx st;
	int r;

	if (known && repo_known_fits(dirfd) && look_up(&s, dirfd, "", &st)) {
		s.mount = st.stx_mnt_id;
		s.known = known;
	}
	r = find_all(&s, place_of(top));
	if (!s.known)
		return r;
	if (ret->cut)
		repo_known_keep(&s.now, known);
	*ret_changed = !s.now.failed && (s.learned || s.now.n != known->n);
	repo_known_release(known);
	*known = s.now;
	return r;
}

int repo_find_each(int dirfd, enum repo_top top, const struct repo_meets *meets, struct repo_list *ret)
{
	struct search s = { .out = ret, .top = dirfd, .ms = REPO_MAX_MS, .meets = *meets,
			    .with_top = top == REPO_TOP_TREE };

	return find_all(&s, place_of(top));
}

void repo_release(struct repo_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->v[i].path);
	free(l->v);
	*l = (struct repo_list){ .v = NULL };
}

size_t repo_project(const struct repo_item *it)
{
	const char *slash = strrchr(it->path, '/');

	if (it->kind == REPO_BARE || it->kind == REPO_GIT_DIR || it->kind == REPO_WORKTREE || !slash)
		return 0;
	return (size_t)(slash - it->path);
}

bool repo_has(const struct repo_list *l, enum repo_kind kind, const char *path)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->v[i].kind == kind && !strcmp(l->v[i].path, path))
			return true;
	return false;
}
