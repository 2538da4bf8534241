/* Puts what a run made in the place of what lies outside, and decides the order. */
#include "runtime/stage/stage_apply.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/place.h"
#include "runtime/base/sys.h"
#include "runtime/stage/stage_make.h"
#include "runtime/stage/stage_shared.h"

struct acting {
	const struct stage_apply *a;
	const struct stage_shared *shared;
	struct stage_entry *e;
	struct stage_outside at;
	int upper;
	int copy;    /* of a file, without a name; -1: none */
	int trouble; /* what `shared` has returned */
	char temp[NAME_MAX];
};

static int fail(struct acting *x, int e, const char *what)
{
	stage_refuse(x->e, STAGE_FAILED, "%s: %s", what, strerror(e));
	return -e;
}

static int changed(struct acting *x)
{
	stage_refuse(x->e, STAGE_CHANGED, "it was changed outside at this moment");
	return -EBUSY;
}

static bool look_at(const struct acting *x, const char *name, struct stage_stat *ret)
{
	struct stat st;

	if (fstatat(x->at.parent, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return false;
	stage_stat_of(&st, ret);
	return true;
}

/* A move changes the ctime, and so does a commit of another name of the same file. */
static bool is_base_at(const struct acting *x, const char *name)
{
	struct stage_stat st;

	return look_at(x, name, &st) && stage_stat_same(&st, &x->e->base->st);
}

static int move_name(struct acting *x, const char *from, const char *to, unsigned how)
{
	if (renameat2(x->at.parent, from, x->at.parent, to, how) == 0)
		return 0;
	if (errno == EINVAL)
		return fail(x, EOPNOTSUPP, "the file system cannot exchange names in one step");
	return fail(x, errno, "moving it in its place");
}

static int remove_temp(struct acting *x, bool dir)
{
	return unlinkat(x->at.parent, x->temp, dir ? AT_REMOVEDIR : 0) == 0 ? 0 : -errno;
}

/* --- each kind of change ----------------------------------------------------------------- */

/* It is moved aside first: what is removed is what was looked at, whatever has the name by
 * now. */
static int delete(struct acting *x)
{
	bool dir = S_ISDIR(x->e->base->st.mode);
	int r = move_name(x, x->at.name, x->temp, RENAME_NOREPLACE);

	if (r < 0)
		return r;
	r = is_base_at(x, x->temp) ? remove_temp(x, dir) : -EBUSY;
	if (r == 0)
		return 0;
	if (renameat2(x->at.parent, x->temp, x->at.parent, x->at.name, RENAME_NOREPLACE) != 0) {
		stage_refuse(x->e, STAGE_FAILED, "it was changed outside at this moment; what was "
			     "there is now '%s'", x->temp);
		return -EBUSY;
	}
	if (r == -EBUSY || r == -ENOTEMPTY || r == -EEXIST)
		return changed(x);
	return fail(x, -r, "removing it");
}

/* Another name of a file that is in place already. */
static int make_link(struct acting *x, struct stage_stat *ret)
{
	const struct stage_entry *first = &x->a->d->v[x->e->link];
	struct stage_entry other = *first;
	struct stage_outside o;
	bool fine = stage_outside_look(x->a->judge, &other, &o) && o.there &&
		    o.st.ino == first->placed_ino && o.st.dev == first->placed_dev &&
		    linkat(o.parent, o.name, x->at.parent, x->temp, 0) == 0;
	AUTO_CLOSE int parent = o.parent;

	if (!fine)
		return -ENOENT;
	if (look_at(x, x->temp, ret) && ret->ino == first->placed_ino &&
	    ret->dev == first->placed_dev)
		return 0;
	(void)remove_temp(x, false);
	return -ENOENT;
}

static bool is_other_name(const struct acting *x)
{
	return x->e->link != STAGE_NO_LINK && x->a->d->v[x->e->link].placed_ino;
}

/*
 * Copies a file before the lock is taken, since that can take long.  A copy with a name could be
 * written by a run beside this commit before it is in its place.
 */
static int make_copy(struct acting *x, int parent)
{
	const enum stage_op op = x->e->op;

	if ((op != STAGE_CREATE && op != STAGE_MODIFY && op != STAGE_TYPE) || !S_ISREG(x->e->now.mode) ||
	    is_other_name(x))
		return 0;
	x->copy = stage_make_unnamed(x->upper, x->e, parent);
	if (x->copy >= 0 || x->copy == -EOPNOTSUPP)
		return 0; /* without such files make() copies it, while no other run makes a name */
	return fail(x, -x->copy, "making it");
}

static int name_copy(const struct acting *x, const char *name, struct stage_stat *ret)
{
	struct stat st;
	int r = stage_give_name(x->copy, x->at.parent, name);

	if (r == 0 && fstat(x->copy, &st) == 0)
		stage_stat_of(&st, ret);
	return r;
}

static int make(struct acting *x, struct stage_stat *ret)
{
	int r = is_other_name(x) ? make_link(x, ret) : -ENOENT;

	if (r < 0)
		r = x->copy >= 0 ? name_copy(x, x->temp, ret) :
				   stage_make(x->upper, x->e, x->at.parent, x->temp, ret);
	return r < 0 ? fail(x, -r, "making it") : 0;
}

static void note_placed(struct acting *x, const struct stage_stat *made)
{
	x->e->placed_dev = made->dev;
	x->e->placed_ino = made->ino;
}

/* A directory that its owner may not change gets its mode when it has its names. */
static int create(struct acting *x)
{
	uint32_t mode = x->e->now.mode;
	struct stage_stat made;
	bool half = S_ISDIR(mode) && (mode & 0300) != 0300;
	int r;

	if (x->copy >= 0) {
		r = name_copy(x, x->at.name, &made);
		if (r == 0)
			note_placed(x, &made);
		return r == -EEXIST ? changed(x) : r < 0 ? fail(x, -r, "making it") : 0;
	}
	x->e->now.mode = half ? mode | 0700 : mode;
	r = make(x, &made);
	x->e->now.mode = mode;

	if (r < 0)
		return r;
	r = move_name(x, x->temp, x->at.name, RENAME_NOREPLACE);
	if (r == 0) {
		note_placed(x, &made);
		x->e->half = half;
		return 0;
	}
	(void)remove_temp(x, S_ISDIR(x->e->now.mode));
	return r == -EEXIST ? changed(x) : r;
}

/* Takes an exchange back.  What has come to the second name by now is removed only if it
 * is ours. */
static int give_back(struct acting *x, const struct stage_stat *made)
{
	struct stage_stat st;

	if (renameat2(x->at.parent, x->temp, x->at.parent, x->at.name, RENAME_EXCHANGE) == 0 &&
	    look_at(x, x->temp, &st) && st.ino == made->ino && st.dev == made->dev) {
		(void)remove_temp(x, S_ISDIR(made->mode));
		return changed(x);
	}
	stage_refuse(x->e, STAGE_FAILED, "it was changed outside at this moment; what was there is "
		     "now '%s'", x->temp);
	return -EBUSY;
}

static int replace(struct acting *x)
{
	struct stage_stat made;
	int r = make(x, &made);

	if (r < 0)
		return r;
	r = move_name(x, x->temp, x->at.name, RENAME_EXCHANGE);
	if (r < 0) {
		(void)remove_temp(x, S_ISDIR(made.mode));
		return r == -ENOENT ? changed(x) : r;
	}
	if (!is_base_at(x, x->temp) || remove_temp(x, S_ISDIR(x->e->base->st.mode)) != 0)
		return give_back(x, &made);
	note_placed(x, &made);
	return 0;
}

static int finish(struct acting *x)
{
	AUTO_CLOSE int fd = sys_openat(x->at.parent, x->at.name,
				       O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
	struct stat st;
	int r;

	if (fd < 0 || fstat(fd, &st) != 0)
		return fail(x, errno, "opening it");
	if (st.st_mode != (x->e->now.mode | 0700) || st.st_uid != (geteuid() ? geteuid() : x->e->now.uid) ||
	    (x->e->placed_ino && st.st_ino != x->e->placed_ino))
		return changed(x);
	r = stage_set(x->upper, x->e, fd);
	if (r < 0)
		return fail(x, -r, "setting it");
	x->e->half = false;
	return 0;
}

static int set(struct acting *x)
{
	AUTO_CLOSE int fd = sys_openat(x->at.parent, x->at.name, O_PATH | O_NOFOLLOW | O_CLOEXEC,
				       0);
	struct stat st;
	struct stage_stat now;
	int r;

	if (fd < 0 || fstat(fd, &st) != 0)
		return fail(x, errno, "opening it");
	stage_stat_of(&st, &now);
	if (!stage_stat_same(&now, &x->e->base->st))
		return changed(x);
	r = stage_set(x->upper, x->e, fd);
	if (r < 0)
		return fail(x, -r, "setting it");
	note_placed(x, &now);
	return 0;
}

/* --- what a killed commit has left --------------------------------------------------------- */

/*
 * At the second name lies either our copy, which was not in place yet, or what was at the
 * name at the start.  Anything else was put there by somebody who changed the name at that
 * moment: it stays, for a person.
 */
static int clear_temp(struct acting *x)
{
	const struct stage_node *b = x->e->base;
	struct stage_stat left;
	bool ours;

	if (!look_at(x, x->temp, &left))
		return 0;
	ours = b ? stage_stat_same(&left, &b->st) || (x->at.there && is_base_at(x, x->at.name)) : true;
	if (ours && b && stage_stat_same(&left, &b->st) && x->e->op != STAGE_DELETE &&
	    !x->at.there) {
		stage_refuse(x->e, STAGE_FAILED, "what was there is now '%s'", x->temp);
		return -EBUSY;
	}
	if (ours && remove_temp(x, S_ISDIR(left.mode)) == 0)
		return 0;
	stage_refuse(x->e, STAGE_FAILED, "'%s' of an earlier commit is in the way", x->temp);
	return -EBUSY;
}

/* --- one entry --------------------------------------------------------------------------- */

/* Once more what the judge has asked, as the rules are: minutes may have passed.  The ctime of a file with
 * several names changes with a commit of another one. */
static bool still_base(struct acting *x)
{
	const struct stage_node *b = x->e->base;
	struct stage_stat seen = x->at.st;

	if (b && x->at.there && b->st.nlink > 1 && !S_ISDIR(b->st.mode) &&
	    stage_stat_same(&seen, &b->st))
		return true;
	return stage_outside_is_base(x->a->judge, x->e, &x->at);
}

/* While the ctime tells that the file is what the run began with. */
static int note_shared(struct acting *x)
{
	const struct stage_node *b = x->e->base;
	struct stage_known_file f;
	struct stage_stat now;

	if (!x->a->shared || !stage_shared_may_be(b) || !stage_shared_has(x->shared, &b->st) ||
	    stage_shared_digest(x->at.parent, x->at.name, f.digest) < 0 ||
	    !look_at(x, x->at.name, &now) || !stage_stat_unchanged(&b->st, &now))
		return 0;
	f.dev = b->st.dev;
	f.ino = b->st.ino;
	return x->a->shared(x->a->arg, &f);
}

static int act(struct acting *x)
{
	int r;

	if (x->e->half)
		return finish(x);
	r = stage_ask_rules(x->a->judge, x->e);
	if (r < 0)
		return fail(x, -r, "asking the rules");
	if (x->e->state != STAGE_READY)
		return -EBUSY;
	r = clear_temp(x);
	if (r < 0)
		return r;
	if (!still_base(x))
		return -EBUSY;
	x->trouble = note_shared(x);
	if (x->trouble)
		return -EIO;
	switch (x->e->op) {
	case STAGE_CREATE:
		return create(x);
	case STAGE_DELETE:
		return delete(x);
	case STAGE_MODE:
	case STAGE_TIMES:
		return set(x);
	case STAGE_MODIFY:
	case STAGE_TYPE:
		return replace(x);
	case STAGE_OP_COUNT:
	default:
		return fail(x, EINVAL, "this change");
	}
}

/* With the lock: no run makes a name or moves a directory meanwhile, and the path that was judged leads
 * where it is applied. */
static int act_alone(struct acting *x)
{
	const bool looked = stage_outside_look(x->a->judge, x->e, &x->at);
	AUTO_CLOSE int parent = x->at.parent;

	if (looked && parent >= 0)
		return act(x);
	if (looked)
		stage_refuse(x->e, STAGE_FAILED, "its directory does not exist outside");
	return -EBUSY;
}

static int apply_one(const struct stage_apply *a, const struct stage_shared *shared, size_t i)
{
	struct stage_entry *e = &a->d->v[i];
	struct acting x = { .a = a, .shared = shared, .e = e, .copy = -1,
			    .upper = a->judge->rec->tree[e->tree].upper };
	struct stage_outside first;
	int r = -EBUSY;

	if (!a->chosen[i] || e->state != STAGE_READY)
		return 0;
	(void)snprintf(x.temp, sizeof(x.temp), PLACE_SECOND_NAME "%s-%zu", a->id, i);
	const bool looked = stage_outside_look(a->judge, e, &first);
	AUTO_CLOSE int parent = first.parent;

	if (looked)
		r = parent >= 0 ? make_copy(&x, parent) : 0;
	AUTO_CLOSE int copy = x.copy;

	if (r == 0 && a->lock && !a->lock(a->arg, true)) {
		stage_refuse(e, STAGE_FAILED, "another run makes or moves names all the time");
		r = -EBUSY;
	} else if (r == 0) {
		r = act_alone(&x);
		if (a->lock)
			(void)a->lock(a->arg, false);
	}
	if (r < 0 || e->half)
		return x.trouble;
	e->state = STAGE_COMMITTED;
	return a->done ? a->done(a->arg, e) : 0;
}

/* --- the order --------------------------------------------------------------------------- */

/* Is it, or is it in, something that takes the name of something of another kind? */
static bool is_late(const struct stage_delta *d, const struct stage_entry *e)
{
	char path[PATH_MAX];
	size_t n = strlen(e->path);
	const struct stage_entry *up = e;

	memcpy(path, e->path, n + 1);
	for (;;) {
		if (up && up->op == STAGE_TYPE)
			return true;
		if (!n)
			return false;
		n = stage_above(path);
		path[n] = '\0';
		up = stage_delta_get(d, e->tree, path);
	}
}

/* A directory that loses the right to change it must have got its names before. */
static bool is_last(const struct stage_entry *e)
{
	return e->op == STAGE_MODE && S_ISDIR(e->now.mode) && (e->now.mode & 0300) != 0300;
}

enum turn { TURN_MAKE, TURN_DELETE, TURN_LATE, TURN_LAST, TURN_COUNT };

static enum turn turn_of(const struct stage_delta *d, const struct stage_entry *e)
{
	if (e->op == STAGE_DELETE)
		return TURN_DELETE;
	if (e->half || is_last(e))
		return TURN_LAST;
	return is_late(d, e) ? TURN_LATE : TURN_MAKE;
}

int stage_apply(const struct stage_apply *a)
{
	struct stage_shared shared;
	int r = stage_shared_find(a->d, &shared);

	for (int turn = 0; turn < TURN_COUNT; turn++)
		for (size_t k = 0; k < a->d->n && r == 0; k++) {
			bool back = turn == TURN_DELETE || turn == TURN_LAST;
			size_t i = back ? a->d->n - 1 - k : k;

			if (a->chosen[i] && a->d->v[i].state == STAGE_READY &&
			    turn_of(a->d, &a->d->v[i]) == (enum turn)turn)
				r = apply_one(a, &shared, i);
		}
	stage_shared_release(&shared);
	return r;
}
