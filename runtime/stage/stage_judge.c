/* Compares what a run made with what lies outside, and asks the rules. */
#include "runtime/stage/stage_judge.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/place.h"
#include "runtime/base/sys.h"
#include "runtime/stage/stage_attr.h"
#include "runtime/stage/stage_equal.h"
#include "runtime/stage/stage_shared.h"
#include "runtime/stage/stage_walk.h"

void stage_refuse(struct stage_entry *e, enum stage_state state, const char *fmt, ...)
{
	va_list ap;

	e->state = state;
	va_start(ap, fmt);
	(void)vsnprintf(e->why, sizeof(e->why), fmt, ap);
	va_end(ap);
}

/* --- what lies outside ----------------------------------------------------------------- */

/* The directory above must be the one that the run has seen: another one of its name could
 * belong to somebody else. */
static bool parent_is_base(const struct stage_judge *j, struct stage_entry *e, int parent)
{
	char above[PATH_MAX];
	const struct stage_node *b;
	size_t n = stage_above(e->path);
	struct stat st;

	memcpy(above, e->path, n);
	above[n] = '\0';
	b = stage_base_find(j->base, e->tree, above);
	if (!b || !S_ISDIR(b->st.mode))
		return true;
	if (fstat(parent, &st) == 0 && st.st_dev == b->st.dev && st.st_ino == b->st.ino)
		return true;
	stage_refuse(e, STAGE_CHANGED, "the directory above it is another one outside");
	return false;
}

bool stage_outside_look(const struct stage_judge *j, struct stage_entry *e,
			struct stage_outside *ret)
{
	int top = j->rec->tree[e->tree].top;
	struct stat st;

	*ret = (struct stage_outside){ .parent = -1, .name = "." };
	if (e->path[0]) {
		ret->parent = stage_parent(top, e->path, &ret->name);
		if (ret->parent == -ENOENT || ret->parent == -ENOTDIR)
			return true;
	} else {
		ret->parent = fcntl(top, F_DUPFD_CLOEXEC, 0);
		ret->parent = ret->parent < 0 ? -errno : ret->parent;
	}
	if (ret->parent < 0) {
		stage_refuse(e, STAGE_CHANGED, "outside its directory cannot be reached: %s",
			     ret->parent == -ELOOP ? "a link is in the way" :
			     ret->parent == -EXDEV ? "something is mounted there" :
			     strerror(-ret->parent));
		return false;
	}
	if (e->path[0] && !parent_is_base(j, e, ret->parent))
		return false;
	if (fstatat(ret->parent, ret->name, &st, AT_SYMLINK_NOFOLLOW) == 0) {
		ret->there = true;
		stage_stat_of(&st, &ret->st);
		return true;
	}
	if (errno == ENOENT)
		return true;
	stage_refuse(e, STAGE_CHANGED, "outside it cannot be looked at: %s", strerror(errno));
	return false;
}

static bool digest_is_base(const struct stage_entry *e, const struct stage_outside *o)
{
	uint8_t now[STAGE_DIGEST];

	/* a commit that was killed may have set the attributes, and not the mode yet */
	if (S_ISDIR(e->base->st.mode) && e->op == STAGE_MODE && !e->attrs)
		return true;
	if (S_ISDIR(e->base->st.mode)) {
		enum stage_known known = stage_equal_dir_known(o->parent, o->name, now);

		return known == e->base->st.known &&
		       (known != STAGE_BY_DIGEST || !memcmp(now, e->base->st.digest, sizeof(now)));
	}
	return e->base->st.known != STAGE_BY_DIGEST ||
	       (stage_digest_at(o->parent, o->name, now) == 0 &&
		!memcmp(now, e->base->st.digest, sizeof(now)));
}

/* A commit of another name of the file has set its ctime. */
static bool shared_is_base(const struct stage_judge *j, const struct stage_entry *e,
			   const struct stage_outside *o)
{
	const struct stage_stat *b = &e->base->st;
	const uint8_t *was = stage_record_shared(j->rec, b->dev, b->ino);
	uint8_t now[STAGE_DIGEST];

	return was && stage_shared_may_be(e->base) && stage_stat_same(b, &o->st) &&
	       stage_shared_digest(o->parent, o->name, now) == 0 &&
	       !memcmp(now, was, sizeof(now));
}

static bool is_unchanged(const struct stage_judge *j, const struct stage_entry *e,
			 const struct stage_outside *o)
{
	if (stage_stat_unchanged(&e->base->st, &o->st))
		return digest_is_base(e, o);
	return shared_is_base(j, e, o);
}

bool stage_outside_is_base(const struct stage_judge *j, struct stage_entry *e,
			   const struct stage_outside *o)
{
	const struct stage_node *b = e->base;

	if (!b && !o->there)
		return true;
	if (!b)
		stage_refuse(e, STAGE_CHANGED, "outside there is a %s now, and there was nothing",
			     stage_stat_kind(o->st.mode));
	else if (!o->there)
		stage_refuse(e, STAGE_CHANGED, "outside it does not exist any more");
	else if (b->st.known == STAGE_UNREAD)
		stage_refuse(e, STAGE_CHANGED, "it could not be read when the run began");
	else if (!is_unchanged(j, e, o))
		stage_refuse(e, STAGE_CHANGED, "it has changed outside since the run began");
	else
		return true;
	return false;
}

/* --- the rules --------------------------------------------------------------------------- */

static bool is_closed(const struct stage_judge *j, const struct stage_entry *e, const char *name)
{
	const char *top = j->rec->tree[e->tree].path;

	for (size_t i = 0; i < j->rec->nclosed; i++)
		if (place_is_below(j->rec->closed[i], top) &&
		    place_is_below(name, j->rec->closed[i]))
			return true;
	return false;
}

int stage_ask_rules(const struct stage_judge *j, struct stage_entry *e)
{
	AUTO_FREE char *name = stage_entry_name(j->rec, e, false);
	uint32_t by_link;

	if (!name)
		return -ENOMEM;
	if (!j->allows(j->arg, name, &e->rule))
		stage_refuse(e, STAGE_DENIED, "no rule allows writing this name");
	else if (is_closed(j, e, name))
		stage_refuse(e, STAGE_DENIED, "no run may write this name");
	else if (e->target && j->allows_link && !j->allows_link(j->arg, name, e->target, &by_link)) {
		/* a link that is allowed keeps the rule that allows its name */
		e->rule = by_link;
		stage_refuse(e, STAGE_DENIED, "a denied name would lead to what the run can write");
	}
	return 0;
}

/* --- one entry --------------------------------------------------------------------------- */

/* S_ISGID without S_IXGRP does not count: execve(2) ignores it. */
static uint32_t set_id_bits(uint32_t mode)
{
	const uint32_t group = S_ISGID | S_IXGRP;

	return (mode & S_ISUID) | ((mode & group) == group ? S_ISGID : 0);
}

/*
 * True if a commit would make a file of the user's with such a bit, give the bit to one, or change the content of one:
 * its content can be the run's.  The floor lets a run set no such bit, but the run can move a file that has one,
 * and write into it by a shared mapping.  The kernel removes the bit at write(2), but not when a mapping is written.
 */
static bool gives_rights(const struct stage_entry *e)
{
	const uint32_t bits = S_ISREG(e->now.mode) ? set_id_bits(e->now.mode) : 0;

	if (e->op == STAGE_MODE)
		return bits & ~set_id_bits(e->base->st.mode);
	return bits && e->op != STAGE_TIMES;
}

static bool kind_fits(struct stage_entry *e)
{
	if (e->op == STAGE_DELETE || S_ISREG(e->now.mode) || S_ISDIR(e->now.mode) ||
	    S_ISLNK(e->now.mode) || S_ISFIFO(e->now.mode))
		return true;
	stage_refuse(e, STAGE_UNFIT, "a %s cannot be carried over", stage_stat_kind(e->now.mode));
	return false;
}

/* Nothing but mode or time differs from what lies outside? */
static int refine(const struct stage_judge *j, struct stage_entry *e, struct stage_outside *o)
{
	struct stage_equal eq;
	int r = stage_equal_find(j->rec->tree[e->tree].upper, e, o->parent, o->name, &o->st, &eq);

	if (r < 0) {
		stage_refuse(e, STAGE_CHANGED, "it cannot be compared with what is outside: %s",
			     strerror(-r));
		return 0;
	}
	if ((o->st.mode & S_IFMT) == (e->now.mode & S_IFMT))
		e->attrs = !eq.attrs;
	if (!eq.content)
		return 0;
	if (eq.attrs && eq.mode && (eq.times || e->op == STAGE_CREATE)) {
		e->state = STAGE_SAME;
		e->placed_dev = o->st.dev;
		e->placed_ino = o->st.ino;
		return 1;
	}
	/* of a commit that was killed: the directory is there, its mode is not yet */
	e->half = e->op == STAGE_CREATE && S_ISDIR(e->now.mode) && eq.attrs &&
		  (e->now.mode & 0300) != 0300 && o->st.mode == (e->now.mode | 0700) &&
		  o->st.uid == (geteuid() ? geteuid() : e->now.uid);
	if (e->half)
		return 0;
	/* of a file with several names outside, the run has changed only this one */
	if (e->op == STAGE_MODIFY && eq.attrs && eq.mode + eq.times == 1 && e->base &&
	    e->base->st.nlink == 1)
		e->op = eq.mode ? STAGE_TIMES : STAGE_MODE;
	return 0;
}

static int judge_one(const struct stage_judge *j, struct stage_entry *e)
{
	struct stage_outside o;
	bool looked;

	if (stage_record_is_done(j->rec, e->tree, e->path)) {
		e->state = STAGE_SAME;
		return 0;
	}
	looked = stage_outside_look(j, e, &o);
	AUTO_CLOSE int parent = o.parent;

	if (looked && e->op == STAGE_DELETE && !o.there) {
		e->state = STAGE_SAME;
		return 0;
	}
	if (e->state == STAGE_UNFIT) /* the delta knows more */
		return stage_ask_rules(j, e) < 0 ? -ENOMEM : (e->state = STAGE_UNFIT, 0);
	if (!looked || !kind_fits(e)) {
		enum stage_state state = e->state;
		int r = stage_ask_rules(j, e);

		if (e->state != STAGE_DENIED)
			e->state = state;
		return r;
	}
	if (e->op != STAGE_DELETE && o.there && refine(j, e, &o))
		return 0;
	if (e->state == STAGE_READY && !e->half)
		(void)stage_outside_is_base(j, e, &o);
	if (e->state == STAGE_READY && gives_rights(e))
		stage_refuse(e, STAGE_UNFIT, "it has a set-user-ID or set-group-ID bit");
	if (e->state == STAGE_READY && e->op != STAGE_DELETE &&
	    stage_record_has_writer(j->rec, e->now.dev, e->now.ino))
		stage_refuse(e, STAGE_UNFIT, "another process had it open for writing when the run ended");
	/* the rules are asked last: their answer is the one that is shown */
	return stage_ask_rules(j, e);
}

/* --- what hangs on what -------------------------------------------------------------------- */

static bool is_refused(const struct stage_entry *e)
{
	return e->state != STAGE_READY && e->state != STAGE_SAME;
}

static bool removes_dir(const struct stage_entry *e)
{
	return (e->op == STAGE_DELETE || e->op == STAGE_TYPE) && e->base &&
	       S_ISDIR(e->base->st.mode);
}

static bool makes_dir(const struct stage_entry *e)
{
	return (e->op == STAGE_CREATE || e->op == STAGE_TYPE) && S_ISDIR(e->now.mode);
}

static struct stage_entry *entry_above(const struct stage_delta *d, const struct stage_entry *e)
{
	char above[PATH_MAX];
	size_t n = stage_above(e->path);

	memcpy(above, e->path, n);
	above[n] = '\0';
	return e->path[0] ? stage_delta_get(d, e->tree, above) : NULL;
}

/* From the names below up, then from the top down: one refusal may cause another. */
static void spread(struct stage_delta *d)
{
	for (size_t i = d->n; i-- > 0;) {
		struct stage_entry *e = &d->v[i], *up = entry_above(d, e);

		if (up && is_refused(e) && e->op == STAGE_DELETE && removes_dir(up) &&
		    up->state == STAGE_READY)
			stage_refuse(up, STAGE_UNFIT, "something in it stays");
	}
	for (size_t i = 0; i < d->n; i++) {
		struct stage_entry *e = &d->v[i], *up = entry_above(d, e);

		if (up && is_refused(up) && e->op != STAGE_DELETE && makes_dir(up) &&
		    e->state == STAGE_READY)
			stage_refuse(e, STAGE_UNFIT, "its directory is refused");
	}
}

/* A name that is not part of the change would be lost with its directory. */
static int find_strangers(const struct stage_judge *j, const struct stage_delta *d,
			  struct stage_entry *e)
{
	char name[NAME_MAX * 4 + 1];
	int r = stage_equal_stranger(j->rec->tree[e->tree].top, e->path, d, e->tree, name,
				     sizeof(name));

	if (r == 1)
		stage_refuse(e, STAGE_CHANGED, "outside it holds '%.160s', which is new", name);
	else if (r < 0 && r != -ENOENT)
		stage_refuse(e, STAGE_CHANGED, "outside it cannot be looked into: %s", strerror(-r));
	return r == -ENOMEM ? r : 0;
}

int stage_judge(const struct stage_judge *j, struct stage_delta *d, struct rt_err *err)
{
	int r = 0;

	for (size_t i = 0; i < d->n && r == 0; i++)
		r = judge_one(j, &d->v[i]);
	for (size_t i = 0; i < d->n && r == 0; i++)
		if (removes_dir(&d->v[i]) && d->v[i].state == STAGE_READY)
			r = find_strangers(j, d, &d->v[i]);
	if (r < 0)
		return rt_fail_errno(err, -r, "comparing with what lies outside");
	spread(d);
	return 0;
}
