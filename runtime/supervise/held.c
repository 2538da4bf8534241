/* Keeps what a run has open for writing, and asks what it is called now: see held.h. */
#include "runtime/supervise/held.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/place.h"
#include "runtime/base/sys.h"
#include "runtime/broker/below.h"
#include "runtime/broker/tracee.h"

#define TOLD_MOST ((size_t)1 << 21) /* slots: 16 MiB */
#define SWEEP_FIRST 256 /* files, before the first sweep */
#define MOST_MOVES 8     /* while a file is looked at; then it is looked at again soon */
#define MOST_WATCHED 64  /* directories above a file; each is found from the tree again */
#define MOST_TWINS 256   /* pairs of descriptors that are compared by name before a pass */
#define ASKED_SLOTS 256 /* a power of 2 */

void held_init(struct held *h, const struct broker *broker, size_t most)
{
	*h = (struct held){ .broker = broker, .events = -1, .most = most,
			    .sweep_at = SWEEP_FIRST };
}

void held_release(struct held *h)
{
	for (size_t i = 0; i < h->n; i++)
		(void)close(h->v[i].fd);
	free(h->v);
	numbers_release(&h->known.had);
	*h = (struct held){ .events = -1 };
}

/* --- what is open now --------------------------------------------------------------- */

int held_ask(int fd, int lease)
{
	if (fcntl(fd, F_SETLEASE, lease) != 0)
		return errno == EAGAIN ? -EAGAIN : -EACCES;
	(void)fcntl(fd, F_SETLEASE, F_UNLCK);
	return 0;
}

static bool may_be_open(const struct held *h, int fd, int lease)
{
	AUTO_CLOSE int again = broker_reopen(h->broker, fd, O_RDONLY);

	return again < 0 || held_ask(again, lease) < 0;
}

bool held_has_writer(const struct held *h, int fd)
{
	return may_be_open(h, fd, F_RDLCK);
}

bool held_surely_has_writer(const struct held *h, int fd)
{
	AUTO_CLOSE int again = broker_reopen(h->broker, fd, O_RDONLY);

	return again == -EAGAIN || (again >= 0 && held_ask(again, F_RDLCK) == -EAGAIN);
}

static void drop(struct held *h, size_t i);

bool held_is_open(struct held *h, int fd)
{
	struct stat st, f;

	/* what is kept open for reading only for the next question is not meant */
	if (fstat(fd, &st) != 0)
		return true;
	for (size_t i = h->n; i-- > 0;)
		if (h->v[i].readable && fstat(h->v[i].fd, &f) == 0 && f.st_dev == st.st_dev &&
		    f.st_ino == st.st_ino) {
			if (held_ask(h->v[i].fd, F_RDLCK) < 0)
				return true;
			drop(h, i);
		}
	return may_be_open(h, fd, F_WRLCK);
}

/* What one look has asked about a file counts for all descriptors of it. */
struct answer {
	uint64_t dev, ino;
	enum { NOT_ASKED, NO_WRITER, WRITER } said;
};

struct asked {
	struct answer v[ASKED_SLOTS];
	size_t n;
};

/* What is still open, or cannot be asked about, is asked again by the same descriptor. */
static bool ask_writer(const struct held *h, struct held_file *f)
{
	int again;

	/* who opens a FIFO for reading is the reader for whom others wait: it is not asked */
	if (f->fifo || f->readable)
		return f->fifo || held_ask(f->fd, F_RDLCK) < 0;
	again = broker_reopen(h->broker, f->fd, O_RDONLY);
	if (again < 0)
		return true;
	if (held_ask(again, F_RDLCK) == 0) {
		(void)close(again);
		return false;
	}
	(void)close(f->fd);
	f->fd = again;
	f->readable = true;
	return true;
}

static bool has_writer(const struct held *h, struct asked *a, struct held_file *f)
{
	size_t at = (size_t)f->number & (ASKED_SLOTS - 1);
	struct answer *r;

	while (a->v[at].said != NOT_ASKED &&
	       (a->v[at].dev != f->dev || a->v[at].ino != f->ino))
		at = (at + 1) & (ASKED_SLOTS - 1);
	r = &a->v[at];
	if (r->said != NOT_ASKED)
		return r->said == WRITER;
	if (a->n ==
	    ASKED_SLOTS - 1) /* one slot stays empty, at which the search ends */
		return ask_writer(h, f);
	a->n++;
	*r = (struct answer){ f->dev, f->ino, ask_writer(h, f) ? WRITER : NO_WRITER };
	return r->said == WRITER;
}

static bool has_links(int fd)
{
	struct stat st;

	return fstat(fd, &st) != 0 || st.st_nlink > 1;
}

static bool is_gone(const struct held_file *f)
{
	struct stat st;

	return f->named && fstat(f->fd, &st) == 0 && st.st_nlink == 0;
}

static bool numbers_of(int fd, struct statx *ret)
{
	return SYS_RETRY(statx(fd, "", AT_EMPTY_PATH, STATX_INO | STATX_MNT_ID, ret)) == 0 &&
	       (ret->stx_mask & STATX_MNT_ID);
}

enum name { NAMED, NAMELESS, UNSURE };

/*
 * Is it the name of the file?  /proc tells one that was removed, of a file that has others, with
 * " (deleted)" behind it; and a file may really be called so: then it is found there.  What
 * lies where it cannot be looked up counts as named.
 */
static enum name is_named(const struct held *h, int fd, const char *path)
{
	const char *rest;
	const struct broker_place *p;
	struct statx tree, mine, at;
	AUTO_CLOSE int there = -1;

	p = broker_trees_find(&h->broker->trees, path, strlen(path), &rest);
	/* in another mount it would not be found from the tree */
	if (!p || p->kind != BROKER_TREE || !numbers_of(p->fd, &tree) || !numbers_of(fd, &mine) ||
	    tree.stx_mnt_id != mine.stx_mnt_id)
		return NAMED;
	there = broker_open_far(p->fd, rest, O_PATH | O_NOFOLLOW | O_CLOEXEC,
				 RESOLVE_NO_SYMLINKS);
	/* what lies on the way has changed: no directory of the name is a link or a file */
	if (there < 0 && (errno == ELOOP || errno == ENOTDIR || errno == EAGAIN))
		return UNSURE;
	if (there < 0)
		return errno == ENOENT ? NAMELESS : NAMED;
	return numbers_of(there, &at) && at.stx_ino != mine.stx_ino ? NAMELESS : NAMED;
}

/* The path inside, if it is NAMED.  UNSURE: it is to be looked at again. */
static enum name name_of(const struct held *h, int fd, struct name_text *out)
{
	struct name_text again;
	struct stat st;

	for (int i = 0; i < MOST_MOVES; i++) {
		enum name named;
		bool same;

		if (!broker_name_of(h->broker, fd, out))
			return UNSURE;
		if (!tracee_is_gone(out->s))
			return NAMED;
		if (fstat(fd, &st) != 0)
			return UNSURE;
		if (!st.st_nlink)
			return NAMELESS;
		named = is_named(h, fd, out->s);
		if (named == NAMED)
			return NAMED;
		if (named == UNSURE)
			continue;
		/* it may have been moved away meanwhile */
		name_text_init(&again);
		same = broker_name_of(h->broker, fd, &again) && !strcmp(again.s, out->s);
		name_text_release(&again);
		if (same)
			return NAMELESS;
	}
	return UNSURE;
}

/* Outside of the trees it is nothing that the run's rules keep from it there.  What may only not be
 * read is not lost if it is not open: no more can be read then than was there before. */
static bool is_denied(const struct held *h, const char *path, bool open, uint32_t *ret_rule)
{
	const struct broker_rules *rules = &h->broker->rules;
	size_t len = strlen(path);

	if (place_is_second_name(path)) /* a commit is about to remove what was there */
		return false;
	for (;;) {
		const struct broker_place *p = broker_trees_find(&h->broker->trees, path, len, NULL);

		if (!p || !p->len)
			return false;
		if (p->kind == BROKER_TREE)
			return !rules->allows(rules->arg, BROKER_WRITE, path, false, ret_rule) ||
			       (open && !rules->allows(rules->arg, BROKER_READ, path, false, ret_rule));
		/* another mount, perhaps in a tree */
		len = p->len - 1;
		while (len && path[len] != '/')
			len--;
	}
}

/* `below`: a path of n bytes below the descriptor. */
static int watch(const struct held *h, int at, const char *below, size_t n)
{
	char path[PATH_MAX];

	if ((size_t)snprintf(path, sizeof(path), "/proc/self/fd/%d%s%.*s", at, n ? "/" : "", (int)n,
			     below) >= sizeof(path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	return SYS_RETRY(inotify_add_watch(h->events, path, IN_MOVE_SELF | IN_MASK_ADD));
}

/* Watches the file, and the directories between it and its tree. */
static bool watch_file(const struct held *h, struct held_file *f, const char *path)
{
	const char *rest, *slash;
	const struct broker_place *p =
		broker_trees_find(&h->broker->trees, path, strlen(path), &rest);
	unsigned n = 0;

	f->wd = h->events < 0 ? -1 : watch(h, f->fd, "", 0);
	if (f->wd < 0)
		return false;
	if (!p || p->kind != BROKER_TREE)
		return true;
	for (slash = strchr(rest, '/'); slash; slash = strchr(slash + 1, '/'))
		if (n++ == MOST_WATCHED)
			return false;
		else if (watch(h, p->fd, rest, (size_t)(slash - rest)) < 0 &&
			 errno != ENOENT && errno != ENOTDIR)
			return false;
	return true;
}

static void drop(struct held *h, size_t i)
{
	bool shared = h->v[i].wd < 0;

	for (size_t j = 0; j < h->n && !shared; j++)
		shared = j != i && h->v[j].wd == h->v[i].wd;
	if (!shared)
		(void)inotify_rm_watch(h->events, h->v[i].wd);
	(void)close(h->v[i].fd);
	h->v[i] = h->v[--h->n];
	if (h->at > h->n)
		h->at = h->n;
}

void held_removed(struct held *h, int fd)
{
	struct stat st, f;

	if (fstat(fd, &st) != 0 || st.st_nlink != 0)
		return;
	for (size_t i = h->n; i-- > 0;)
		if (h->v[i].named && h->v[i].ino == st.st_ino && fstat(h->v[i].fd, &f) == 0 &&
		    f.st_dev == st.st_dev && f.st_ino == st.st_ino)
			drop(h, i);
}

enum seen { SEEN_CLOSED, SEEN_OPEN, SEEN_UNWATCHED, SEEN_LOST };

static enum seen look_by_name(struct held *h, struct held_file *f, struct asked *asked,
			      struct name_text *path, struct name_text *now, struct held_lost *ret)
{
	bool open;

	if (is_gone(f))
		return SEEN_CLOSED;
	/* before the name: what has been closed was closed under this name or one before */
	open = (f->linked && has_links(f->fd)) || has_writer(h, asked, f);
	for (int i = 0; i < MOST_MOVES; i++) {
		enum name named = name_of(h, f->fd, path);

		/* a link that was removed is no name of the file any more, and never will be */
		if (named == NAMELESS)
			return open && !f->linked ? SEEN_OPEN : SEEN_CLOSED;
		if (named == UNSURE)
			return SEEN_UNWATCHED;
		if (is_denied(h, path->s, open, &ret->rule)) {
			(void)snprintf(ret->path, sizeof(ret->path), "%s", path->s);
			return SEEN_LOST;
		}
		if (!open)
			return SEEN_CLOSED;
		if (!watch_file(h, f, path->s))
			return SEEN_UNWATCHED;
		/* it may have been moved before it was watched */
		if (name_of(h, f->fd, now) == NAMED && !strcmp(now->s, path->s))
			return SEEN_OPEN;
	}
	return SEEN_UNWATCHED;
}

static enum seen look_at(struct held *h, struct held_file *f, struct asked *asked,
			 struct held_lost *ret)
{
	struct name_text path, now;
	enum seen seen;

	name_text_init(&path);
	name_text_init(&now);
	seen = look_by_name(h, f, asked, &path, &now, ret);
	name_text_release(&path);
	name_text_release(&now);
	return seen;
}

static bool same_name(const struct held *h, const struct held_file *f, const struct held_file *g)
{
	struct name_text a, b;
	bool same;

	name_text_init(&a);
	name_text_init(&b);
	same = name_of(h, f->fd, &a) == NAMED && name_of(h, g->fd, &b) == NAMED &&
	       !strcmp(a.s, b.s);
	name_text_release(&a);
	name_text_release(&b);
	return same;
}

/*
 * A file that one process keeps open, and others open again and again, is kept once.
 * `kept` has a slot for each file, with its index + 1; `cap` is a power of 2, more than
 * h->n. *pairs is how many may still be compared by name.
 */
static bool is_kept_already(const struct held *h, size_t i, uint32_t *kept, size_t cap,
			    unsigned *pairs)
{
	const struct held_file *f = &h->v[i];
	size_t at = (size_t)f->number & (cap - 1);

	for (; kept[at]; at = (at + 1) & (cap - 1)) {
		const struct held_file *g = &h->v[kept[at] - 1];

		if (g->number != f->number || g->linked != f->linked)
			continue;
		if (!*pairs)
			return false;
		--*pairs;
		if (same_name(h, f, g))
			return true;
	}
	kept[at] = (uint32_t)i + 1;
	return false;
}

static void drop_twins(struct held *h)
{
	unsigned pairs = MOST_TWINS;
	size_t cap = 2;
	uint32_t *kept;

	while (cap <= h->n)
		cap *= 2;
	kept = calloc(cap, sizeof(*kept));
	if (!kept)
		return;
	/* what is dropped is replaced by one that comes later */
	for (size_t i = 0; i < h->n && pairs;) {
		if (is_kept_already(h, i, kept, cap, &pairs))
			drop(h, i);
		else
			i++;
	}
	free(kept);
}

static void begin_pass(struct held *h)
{
	/* before they are looked at: each that is open would be named twice and watched */
	if (h->n >= SWEEP_FIRST / 4)
		drop_twins(h);
	h->at = h->n;
	h->due_ms = 0;
	h->again = h->unwatched = false;
}

static void end_pass(struct held *h)
{
	size_t room = h->most > h->n ? h->most - h->n : 0;

	/* soon enough that closed files are gone before there is no room for others */
	h->sweep_at = h->n < SWEEP_FIRST / 2
			      ? SWEEP_FIRST
			      : h->n + (h->n < room / 2 ? h->n : room / 2);
	if (h->again)
		h->due_ms = sys_now_ms();
	else if (h->unwatched && !h->due_ms)
		h->due_ms = sys_now_ms() + HELD_SOON_MS;
	h->again = false;
}

/* Until `until_ms`, but at one file at least.  What is dropped is replaced by a file
 * that was looked at already, or that is newer than the pass. */
static void go_on(struct held *h, int64_t until_ms, struct held_lost *ret)
{
	struct asked asked = { .n = 0 };

	while (h->at) {
		size_t i = --h->at;
		enum seen seen = look_at(h, &h->v[i], &asked, ret);

		if (seen == SEEN_CLOSED)
			drop(h, i);
		h->unwatched |= seen == SEEN_UNWATCHED;
		if (ret->path[0]) {
			h->at = 0;
			h->unwatched = true; /* it is found again by the next look */
		}
		if (h->at && sys_now_ms() >= until_ms)
			return;
	}
	end_pass(h);
}

void held_moved(struct held *h)
{
	if (h->at)
		h->again = true;
	else
		h->due_ms = sys_now_ms();
}

void held_step(struct held *h, struct held_lost *ret)
{
	ret->path[0] = '\0';
	ret->rule = BROKER_NO_RULE;
	if (held_wait(h, sys_now_ms()) != 0)
		return;
	if (!h->at)
		begin_pass(h);
	go_on(h, sys_now_ms() + HELD_STEP_MS, ret);
}

void held_look(struct held *h, struct held_lost *ret)
{
	ret->path[0] = '\0';
	ret->rule = BROKER_NO_RULE;
	begin_pass(h);
	go_on(h, INT64_MAX, ret);
}

int held_make_room(struct held *h)
{
	struct held_lost lost;
	size_t cap = h->cap ? 2 * h->cap : 64;
	void *grown;

	if (h->n >= h->sweep_at || h->n >= h->most) {
		/* by steps, also of the supervisor's loop.  What is lost is found by
		 * the loop's next look */
		if (!h->at)
			held_moved(h);
		held_step(h, &lost);
		if (lost.path[0])
			held_moved(h);
	}
	if (h->n >= h->most)
		return -EMFILE;
	if (h->n < h->cap)
		return 0;
	grown = reallocarray(h->v, cap, sizeof(*h->v));
	if (!grown)
		return -ENOMEM;
	h->v = grown;
	h->cap = cap;
	return 0;
}

int held_add(struct held *h, int fd, int *object, bool linked)
{
	struct statx st;
	int kept, r = held_make_room(h);

	if (r < 0)
		return r;
	if (SYS_RETRY(statx(fd, "", AT_EMPTY_PATH, STATX_TYPE | STATX_INO | STATX_BTIME | STATX_NLINK, &st)) != 0)
		return -errno;
	kept = object && *object >= 0 ? *object : broker_reopen(h->broker, fd, O_PATH);
	if (kept < 0)
		return kept;
	if (object)
		*object = -1;
	if (!linked)
		known_files_add(&h->known, known_files_number(&st));
	h->v[h->n++] = (struct held_file){ .fd = kept,
					   .wd = -1,
					   .linked = linked, .fifo = S_ISFIFO(st.stx_mode),
					   .named = st.stx_nlink > 0,
					   .number = known_files_number(&st),
					   .dev = (uint64_t)st.stx_dev_major << 32 | st.stx_dev_minor,
					   .ino = st.stx_ino };
	if (!h->due_ms)
		h->due_ms = sys_now_ms() + HELD_SOON_MS;
	return 0;
}

int held_wait(const struct held *h, int64_t now_ms)
{
	return h->at                 ? 0
	       : !h->due_ms          ? -1
	       : h->due_ms <= now_ms ? 0
				     : (int)(h->due_ms - now_ms);
}

/* --- the end of the run ------------------------------------------------------------- */

static bool is_file(int fd, const struct held_file *f)
{
	struct statx st;

	return SYS_RETRY(statx(fd, "", AT_EMPTY_PATH, STATX_INO | STATX_BTIME, &st)) == 0 &&
	       known_files_number(&st) == f->number;
}

/* The name may change until it has been told: then it is told once more. */
static bool tell_one(const struct held *h, const struct held_file *f,
		     bool (*tell)(void *arg, uint64_t number, const char *path, bool denied), void *arg)
{
	struct name_text path, now;
	bool told = false, same = false;
	uint32_t rule;

	name_text_init(&path);
	name_text_init(&now);
	for (int i = 0; i < MOST_MOVES && !same; i++) {
		bool named = name_of(h, f->fd, &path) == NAMED;

		told = tell(arg, f->number, named ? path.s : "", named && is_denied(h, path.s, false, &rule));
		same = !told || !named || (name_of(h, f->fd, &now) == NAMED && !strcmp(now.s, path.s));
	}
	name_text_release(&path);
	name_text_release(&now);
	return told;
}

bool held_tell_open(struct held *h, size_t most,
		    bool (*tell)(void *arg, uint64_t number, const char *path, bool denied), void *arg)
{
	struct numbers done = { 0 };
	bool all = true;

	for (size_t i = 0; i < h->n && all; i++) {
		struct held_file *f = &h->v[i];

		if (f->linked || is_gone(f) || numbers_has(&done, f->number) || !ask_writer(h, f) ||
		    is_file(STDERR_FILENO, f))
			continue;
		all = most-- && numbers_add(&done, f->number, TOLD_MOST) == 0 && tell_one(h, f, tell, arg);
	}
	numbers_release(&done);
	return all;
}
