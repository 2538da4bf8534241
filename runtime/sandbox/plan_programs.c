/* Finds the programs that Landlock is told at the start.  Decides which files the kernel may
 * open as programs in trees in which they are started by name. */
#include "runtime/sandbox/plan_programs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/envp.h"
#include "runtime/base/io.h"
#include "runtime/base/sys.h"
#include "runtime/sandbox/view_answer.h"
#include "runtime/sandbox/view_host.h"

#define MOST_DIRS 64u
#define MOST 16384u /* programs */

struct search {
	const struct sandbox_run *run;
	const struct sandbox_view *v;
	struct plan_programs *to;
	size_t cap, ids_cap;
	struct decide_near *near;
	struct sandbox_program seen[MOST_DIRS];
	size_t nseen;
};

static int compare(const void *a, const void *b)
{
	const struct sandbox_program *x = a, *y = b;

	return x->dev != y->dev ? (x->dev < y->dev ? -1 : 1)
	       : x->ino != y->ino ? (x->ino < y->ino ? -1 : 1) : 0;
}

bool sandbox_programs_have(const struct sandbox_programs *p, uint64_t dev, uint64_t ino)
{
	const struct sandbox_program key = { dev, ino };

	return p->n && bsearch(&key, p->v, p->n, sizeof(*p->v), compare);
}

void sandbox_programs_release(struct sandbox_programs *p)
{
	free(p->v);
	*p = (struct sandbox_programs){ 0 };
}

static int grow(void *v, size_t *cap, size_t need, size_t each)
{
	size_t more = *cap ? *cap : 1024;
	void **at = v, *grown;

	while (more < need)
		more *= 2;
	if (more == *cap)
		return 0;
	grown = reallocarray(*at, more, each);
	if (!grown)
		return -ENOMEM;
	*at = grown;
	*cap = more;
	return 0;
}

static int keep(struct search *s, const char *path, const struct stat *st)
{
	struct plan_programs *to = s->to;
	struct sandbox_programs *ids = &to->ids;
	size_t n = strlen(path) + 1;
	int r = grow(&to->names, &s->cap, to->len + n, 1);

	if (r == 0)
		r = grow(&ids->v, &s->ids_cap, ids->n + 1, sizeof(*ids->v));
	if (r < 0)
		return r;
	memcpy(to->names + to->len, path, n);
	to->len += n;
	ids->v[ids->n++] = (struct sandbox_program){ st->st_dev, st->st_ino };
	return 0;
}

static bool may_start(struct search *s, const char *path)
{
	uint32_t rule;

	return view_allows_near(&s->run->ctx, s->v, s->near, PB_READ, path, &rule) &&
	       view_allows_near(&s->run->ctx, s->v, s->near, PB_EXEC, path, &rule);
}

/* Is it in a tree in which programs are started by name?  A tree that is shown under another
 * name than the host's is left out: its programs are copied when they are started. */
static bool is_ours(const struct search *s, const char *path)
{
	const struct sandbox_node *n = sandbox_view_find(s->v, path);

	return n && n->start_by_name && !n->source;
}

static int look_at(struct search *s, int dir, const char *name, const char *path)
{
	struct stat st;

	if (s->to->ids.n == MOST ||
	    fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) != 0 ||
	    !S_ISREG(st.st_mode) || !(st.st_mode & 0111) || !is_ours(s, path) ||
	    !may_start(s, path))
		return 0;
	return keep(s, path, &st);
}

/* A program, by any name: a link leads to it. */
static int look_at_file(struct search *s, const char *path)
{
	char real[PATH_MAX];

	return path && realpath(path, real) ? look_at(s, AT_FDCWD, real, real) : 0;
}

/* /bin and /usr/bin are one, as a rule. */
static bool is_seen(struct search *s, int dir)
{
	struct stat st;

	if (s->nseen == MOST_DIRS || fstat(dir, &st) != 0)
		return true;
	for (size_t i = 0; i < s->nseen; i++)
		if (s->seen[i].dev == st.st_dev && s->seen[i].ino == st.st_ino)
			return true;
	s->seen[s->nseen++] = (struct sandbox_program){ st.st_dev, st.st_ino };
	return false;
}

/* A directory that polrun may not read has programs that it does not know. */
static int look_in(struct search *s, const char *path)
{
	char real[PATH_MAX], full[PATH_MAX];
	const struct dirent *e;
	DIR *d;
	int r = 0;

	if (path[0] != '/' || !realpath(path, real) || !is_ours(s, real))
		return 0;
	d = opendir(real);
	if (!d)
		return 0;
	if (is_seen(s, dirfd(d))) {
		(void)closedir(d);
		return 0;
	}
	while (r == 0 && (e = readdir(d)))
		if ((e->d_type == DT_REG || e->d_type == DT_UNKNOWN) &&
		    snprintf(full, sizeof(full), "%s/%s", real[1] ? real : "", e->d_name) <
			    (int)sizeof(full))
			r = look_at(s, dirfd(d), e->d_name, full);
	(void)closedir(d);
	return r;
}

int plan_programs(const struct sandbox_run *run, const struct sandbox_view *v,
		  struct plan_programs *ret)
{
	struct search s = { .run = run, .v = v, .to = ret };
	char dir[PATH_MAX];
	int r = 0;

	*ret = (struct plan_programs){ 0 };
	if (!v->starts)
		return 0;
	s.near = calloc(1, sizeof(*s.near));
	if (!s.near)
		return -ENOMEM;
	/* the dynamic linker of nearly all of them */
	r = look_at_file(&s, "/lib64/ld-linux-x86-64.so.2");
	if (r == 0)
		r = look_at_file(&s, run->exec_path);
	for (const char *p = envp_path((char *const *)(uintptr_t)run->envp), *end; p && r == 0; p = *end ? end + 1 : NULL) {
		end = strchrnul(p, ':');
		if (snprintf(dir, sizeof(dir), "%.*s", (int)(end - p), p) < (int)sizeof(dir))
			r = look_in(&s, dir);
	}
	if (ret->ids.n)
		qsort(ret->ids.v, ret->ids.n, sizeof(*ret->ids.v), compare);
	free(s.near);
	return r;
}

void plan_programs_release(struct plan_programs *p)
{
	free(p->names);
	sandbox_programs_release(&p->ids);
	*p = (struct plan_programs){ 0 };
}
