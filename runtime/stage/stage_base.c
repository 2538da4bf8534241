/* Records what lay in a tree, and finds it again. */
#include "runtime/stage/stage_base.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <sodium.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"
#include "runtime/stage/stage_attr.h"
#include "runtime/stage/stage_walk.h"

/* --- writing --------------------------------------------------------------------------- */

struct look {
	unsigned tree;
	struct stage_text *to;
	struct timespec now;
};

/* The times of a directory change with the names in it, which are looked at one by one; its
 * attributes are digested instead. */
static void digest_dir(const struct stage_found *f, struct stage_stat *st)
{
	AUTO_CLOSE int fd = sys_openat(f->dir, f->name, O_PATH | O_NOFOLLOW | O_CLOEXEC, 0);
	struct stage_attrs a;

	st->known = STAGE_UNREAD;
	if (f->closed || fd < 0 || stage_attrs_read(fd, &a) < 0)
		return;
	st->known = a.n ? STAGE_BY_DIGEST : STAGE_BY_TIMES;
	stage_attrs_digest(&a, st->digest);
	stage_attrs_release(&a);
}

static void digest_fresh(const struct look *l, const struct stage_found *f,
			 struct stage_stat *st)
{
	if (S_ISDIR(st->mode)) {
		digest_dir(f, st);
		return;
	}
	if (!stage_stat_fresh(st, &l->now) || (!S_ISREG(st->mode) && !S_ISLNK(st->mode)))
		return;
	st->known = stage_digest_at(f->dir, f->name, st->digest) == 0 ? STAGE_BY_DIGEST
								      : STAGE_UNREAD;
}

static int note(void *arg, const struct stage_found *f)
{
	struct look *l = arg;
	char known[2 * STAGE_DIGEST + 1] = "-";
	struct stage_stat st;

	if (f->closed == -EXDEV)
		return -EXDEV;
	stage_stat_of(&f->st, &st);
	digest_fresh(l, f, &st);
	if (st.known == STAGE_UNREAD)
		known[0] = '?';
	else if (st.known == STAGE_BY_DIGEST)
		(void)sodium_bin2hex(known, sizeof(known), st.digest, STAGE_DIGEST);
	stage_text_add(l->to, "%u %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32, l->tree, st.mode,
		       st.uid, st.gid, st.nlink);
	stage_text_add(l->to, " %" PRIu64 " %" PRIu64 " %" PRIu64 " %lld %ld %lld %ld %s", st.dev,
		       st.ino, st.size, (long long)st.mtime.tv_sec, st.mtime.tv_nsec,
		       (long long)st.ctime.tv_sec, st.ctime.tv_nsec, known);
	stage_text_path(l->to, f->path);
	return stage_text_end(l->to);
}

int stage_base_look(unsigned tree, int top, const char *shown, struct stage_text *to,
		    struct rt_err *err)
{
	struct look l = { .tree = tree, .to = to };
	char name[300];
	int r;

	if (clock_gettime(CLOCK_REALTIME, &l.now) != 0)
		return rt_fail_errno(err, errno, "the time");
	r = stage_walk(top, note, &l);
	io_escape(name, sizeof(name), shown, strlen(shown));
	if (r == -EXDEV)
		return rt_fail(err, EXDEV, "something is mounted in '%s': only what is one file "
			       "system can be staged", name);
	if (r == -E2BIG)
		return rt_fail(err, E2BIG, "'%s' has more than %d names, too many to be staged",
			       name, STAGE_MAX_NAMES);
	return r < 0 ? rt_fail_errno(err, -r, "looking at '%s'", name) : 0;
}

/* --- reading --------------------------------------------------------------------------- */

static bool read_time(char **at, struct timespec *ret)
{
	int64_t sec;
	uint64_t nsec;

	if (!stage_signed(at, &sec) || !stage_number(at, &nsec) || nsec > 999999999)
		return false;
	ret->tv_sec = (time_t)sec;
	ret->tv_nsec = (long)nsec;
	return true;
}

static bool read_known(char **at, struct stage_stat *st)
{
	const char *word = stage_word(at);
	size_t n = 0;

	if (!word)
		return false;
	if (!strcmp(word, "-") || !strcmp(word, "?")) {
		st->known = word[0] == '?' ? STAGE_UNREAD : STAGE_BY_TIMES;
		return true;
	}
	st->known = STAGE_BY_DIGEST;
	return strlen(word) == 2 * STAGE_DIGEST &&
	       sodium_hex2bin(st->digest, STAGE_DIGEST, word, strlen(word), NULL, &n, NULL) == 0 &&
	       n == STAGE_DIGEST;
}

static bool read_node(char *line, struct stage_node *ret)
{
	uint64_t small[5];
	struct stage_stat *st = &ret->st;

	for (size_t i = 0; i < 5; i++)
		if (!stage_number(&line, &small[i]) || small[i] > UINT32_MAX)
			return false;
	ret->tree = (unsigned)small[0];
	st->mode = (uint32_t)small[1];
	st->uid = (uint32_t)small[2];
	st->gid = (uint32_t)small[3];
	st->nlink = (uint32_t)small[4];
	if (!stage_number(&line, &st->dev) || !stage_number(&line, &st->ino) ||
	    !stage_number(&line, &st->size) || !read_time(&line, &st->mtime) ||
	    !read_time(&line, &st->ctime) || !read_known(&line, st) || !stage_unescape(line))
		return false;
	ret->path = line;
	return true;
}

int stage_base_order(unsigned tree_a, const char *a, unsigned tree_b, const char *b)
{
	if (tree_a != tree_b)
		return tree_a < tree_b ? -1 : 1;
	return strcmp(a, b);
}

static int order(const void *a, const void *b)
{
	const struct stage_node *x = a, *y = b;

	return stage_base_order(x->tree, x->path, y->tree, y->path);
}

int stage_base_read(char *text, struct stage_base *ret)
{
	struct stage_base b = { .text = text };
	size_t lines = 0;
	char *line;
	int r = 0;

	for (const char *s = text; (s = strchr(s, '\n')); s++)
		lines++;
	b.v = calloc(lines + 1, sizeof(*b.v));
	if (!b.v)
		r = -ENOMEM;
	while (r == 0 && (line = stage_line(&text)))
		r = read_node(line, &b.v[b.n]) ? (b.n++, 0) : -EBADMSG;
	if (r == 0 && *text)
		r = -EBADMSG; /* the last line was cut off */
	if (r < 0) {
		stage_base_release(&b);
		return r;
	}
	qsort(b.v, b.n, sizeof(*b.v), order);
	*ret = b;
	return 0;
}

void stage_base_release(struct stage_base *b)
{
	free(b->text);
	free(b->v);
	*b = (struct stage_base){ .text = NULL };
}

size_t stage_base_first(const struct stage_base *b, unsigned tree, const char *path)
{
	size_t lo = 0, hi = b->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (stage_base_order(b->v[mid].tree, b->v[mid].path, tree, path) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

const struct stage_node *stage_base_find(const struct stage_base *b, unsigned tree,
					 const char *path)
{
	size_t i = stage_base_first(b, tree, path);

	return i < b->n && b->v[i].tree == tree && !strcmp(b->v[i].path, path) ? &b->v[i] : NULL;
}
