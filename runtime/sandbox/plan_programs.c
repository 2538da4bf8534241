/* Finds the programs in trees in which they are started by name.  Decides which files the kernel
 * may open there as programs. */
#include "runtime/sandbox/plan_programs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"
#include "runtime/sandbox/view_answer.h"
#include "runtime/sandbox/view_host.h"

#define MOST_LOOKS 2000000u /* names */
#define MOST_DEEP 100u      /* one directory in another: each holds a descriptor */

struct search {
	const struct decide_ctx *ctx;
	const struct sandbox_view *v;
	dev_t dev;
	unsigned looks, deep;
	char *names; /* one after the other, each with its NUL */
	size_t n, cap;
	size_t len;  /* of `path` */
	char path[PATH_MAX]; /* inside */
};

static int keep(struct search *s)
{
	size_t cap = s->cap ? s->cap : 65536;

	while (cap < s->n + s->len + 1)
		cap *= 2;
	if (cap != s->cap) {
		char *grown = realloc(s->names, cap);

		if (!grown)
			return -ENOMEM;
		s->names = grown;
		s->cap = cap;
	}
	memcpy(s->names + s->n, s->path, s->len + 1);
	s->n += s->len + 1;
	return 0;
}

static bool may_start(const struct search *s)
{
	uint32_t rule;

	return view_allows_name(s->ctx, s->v, PB_READ, s->path, &rule) &&
	       view_allows_name(s->ctx, s->v, PB_EXEC, s->path, &rule);
}

/* Is the name, or one below it, a place of its own? */
static bool is_place(const struct search *s, bool or_below)
{
	for (size_t i = 0; i < s->v->n; i++) {
		const struct sandbox_node *n = &s->v->nodes[i];

		if (!n->noted && (or_below ? view_at(n->path, s->path) :
					     strcmp(n->path, s->path) == 0))
			return true;
	}
	return false;
}

static int look_in(struct search *s, int fd);

/* A directory that polrun may not read has programs that it does not know. */
static int look_below(struct search *s, int dir, const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);

	return fd < 0 || s->deep == MOST_DEEP ? (fd < 0 ? 0 : close(fd)) : look_in(s, fd);
}

static int look_at(struct search *s, int dir, const struct dirent *e, bool places)
{
	size_t before = s->len, n = strlen(e->d_name);
	bool is_dir = e->d_type == DT_DIR;
	struct stat st;
	int r = 0;

	if ((e->d_type != DT_REG && !is_dir && e->d_type != DT_UNKNOWN) ||
	    before + 1 + n >= sizeof(s->path))
		return 0;
	if (++s->looks > MOST_LOOKS)
		return -E2BIG;
	s->path[s->len++] = '/';
	memcpy(s->path + s->len, e->d_name, n + 1);
	s->len += n;
	if ((!places || !is_place(s, false)) &&
	    fstatat(dir, e->d_name, &st, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) == 0 &&
	    st.st_dev == s->dev) {
		if (S_ISDIR(st.st_mode))
			r = look_below(s, dir, e->d_name);
		else if (S_ISREG(st.st_mode) && (st.st_mode & 0111) && may_start(s))
			r = keep(s);
	}
	s->len = before;
	s->path[before] = '\0';
	return r;
}

/* Closes the descriptor. */
static int look_in(struct search *s, int fd)
{
	DIR *d = fdopendir(fd);
	bool places = is_place(s, true);
	const struct dirent *e;
	int r = 0;

	if (!d) {
		(void)close(fd);
		return -ENOMEM;
	}
	s->deep++;
	while (r == 0 && (e = readdir(d)))
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			r = look_at(s, dirfd(d), e, places);
	s->deep--;
	(void)closedir(d);
	return r;
}

static int look_in_node(struct search *s, const struct sandbox_node *n)
{
	struct stat st;
	int fd = sys_open(n->source ? n->source : n->path,
			  O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);

	if (fd < 0)
		return 0;
	if (fstat(fd, &st) != 0) {
		(void)close(fd);
		return 0;
	}
	s->dev = st.st_dev;
	s->len = n->path[1] ? strlen(n->path) : 0;
	memcpy(s->path, n->path, s->len);
	s->path[s->len] = '\0';
	return look_in(s, fd);
}

int plan_programs(const struct decide_ctx *ctx, const struct sandbox_view *v, char **ret_names,
		  size_t *ret_len)
{
	struct search *s = calloc(1, sizeof(*s));
	int r = s ? 0 : -ENOMEM;

	*ret_names = NULL;
	*ret_len = 0;
	for (size_t i = 0; i < v->n && r == 0; i++) {
		const struct sandbox_node *n = &v->nodes[i];

		if (!n->start_by_name)
			continue;
		s->ctx = ctx;
		s->v = v;
		r = look_in_node(s, n);
	}
	if (r == 0) {
		*ret_names = s->names;
		*ret_len = s->n;
	} else if (s) {
		free(s->names);
	}
	free(s);
	return r;
}
