/* Tells whether the run can write the object that has come to a denied name: walls_name.h. */
#include "runtime/supervise/walls_name.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "runtime/base/sys.h"

/* Does the run write a tree of this file system without the broker?  The object may have been
 * renamed from there: rename(2) does not leave a file system. */
static bool has_native_tree(const struct sandbox_view *v, const struct statx *st)
{
	uint64_t dev = makedev(st->stx_dev_major, st->stx_dev_minor);

	for (size_t i = 0; i < v->n; i++)
		if (sandbox_node_writes_itself(&v->nodes[i]) && v->nodes[i].dev == dev)
			return true;
	return false;
}

static bool surely_has_writer(const struct walls_run *w, int fd)
{
	return w->held && w->held->broker && held_surely_has_writer(w->held, fd);
}

static enum walls_name judge_object(const struct walls_run *w, int fd, const struct statx *st, bool absent)
{
	const bool known = w->held && known_files_may_have(&w->held->known, st);
	bool native;

	if (absent && (!S_ISREG(st->stx_mode) || !surely_has_writer(w, fd)))
		return WALLS_NAME_STANDS;
	if (absent)
		return known ? WALLS_NAME_GONE : WALLS_NAME_DOUBT;
	if (S_ISLNK(st->stx_mode) || known)
		return WALLS_NAME_GONE;
	if (!S_ISREG(st->stx_mode) && !S_ISDIR(st->stx_mode))
		return WALLS_NAME_STANDS;
	native = has_native_tree(w->view, st);
	/* without Landlock the run can open a file for writing that it has open for reading */
	if (native && (S_ISDIR(st->stx_mode) || w->strict))
		return WALLS_NAME_GONE;
	if (S_ISDIR(st->stx_mode))
		return WALLS_NAME_STANDS;
	if (st->stx_nlink > 1 || (native && (!w->held || held_has_writer(w->held, fd))))
		return WALLS_NAME_DOUBT;
	/* another run, whose files this polrun does not know, may have passed the descriptor to this run */
	return surely_has_writer(w, fd) ? WALLS_NAME_DOUBT : WALLS_NAME_STANDS;
}

int walls_name_look(const struct walls_run *w, int fd, bool first, bool absent, uint64_t *id,
		    enum walls_name *ret)
{
	struct statx st;
	uint64_t now;

	*ret = WALLS_NAME_STANDS;
	if (fd < 0) {
		*id = 0;
		return 0;
	}
	if (SYS_RETRY(statx(fd, "", AT_EMPTY_PATH,
			    STATX_TYPE | STATX_NLINK | STATX_INO | STATX_BTIME, &st)) != 0)
		return -errno;
	now = known_files_number(&st);
	if (!first && now != *id)
		*ret = judge_object(w, fd, &st, absent);
	if (*ret == WALLS_NAME_STANDS)
		*id = now;
	return 0;
}
