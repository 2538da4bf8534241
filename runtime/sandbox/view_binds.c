/*
 * Other names of restricted objects.  What a rule takes away by one name can be visible
 * by a second name, because another mount of the same file system lies in a tree that
 * is shown.  Such a name is treated like a name that a link gives.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/sandbox/view_binds.h"
#include "runtime/sandbox/view_link.h"

#define MOUNTINFO_MAX (16u * 1024 * 1024)

struct bind {
	char *dev;        /* "MAJOR:MINOR" */
	char *root, *at;  /* the root inside its file system, and the mount point */
};

struct binds {
	struct bind *v;
	size_t n;
};

/* Replaces "\040" by a blank, and so on, in place. */
static void unescape(char *s)
{
	char *to = s;

	while (*s) {
		if (s[0] == '\\' && s[1] >= '0' && s[1] <= '3' && s[2] >= '0' &&
		    s[2] <= '7' && s[3] >= '0' && s[3] <= '7') {
			*to++ = (char)((s[1] - '0') << 6 | (s[2] - '0') << 3 | (s[3] - '0'));
			s += 4;
		} else {
			*to++ = *s++;
		}
	}
	*to = '\0';
}

/* Reads lines of the form ID PARENT MAJOR:MINOR ROOT PLACE …; changes the text. */
static int read_lines(char *text, struct binds *ret)
{
	size_t lines = 0;

	for (const char *s = text; *s; s++)
		lines += *s == '\n';
	ret->v = calloc(lines + 1, sizeof(*ret->v));
	if (!ret->v)
		return -ENOMEM;
	for (char *save = NULL, *line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		char *word[5] = { NULL }, *in = NULL;
		size_t n = 0;

		for (char *w = strtok_r(line, " ", &in); w && n < 5;
		     w = strtok_r(NULL, " ", &in))
			word[n++] = w;
		if (n < 5 || word[3][0] != '/' || word[4][0] != '/')
			continue; /* a namespace's file is not a tree */
		unescape(word[3]);
		unescape(word[4]);
		ret->v[ret->n++] = (struct bind){ word[2], word[3], word[4] };
	}
	return 0;
}

/* The part of `path` after `top`, both absolute: "" or beginning with '/'. */
static const char *relative_to(const char *path, const char *top)
{
	return top[1] ? path + strlen(top) : path[1] ? path : path + 1;
}

/* The mount that shows the path: the innermost, and the last of those at the same
 * place. */
static const struct bind *mount_of(const struct binds *all, const char *path)
{
	const struct bind *best = NULL;

	for (size_t i = 0; i < all->n; i++)
		if (view_at(path, all->v[i].at) &&
		    (!best || strlen(all->v[i].at) >= strlen(best->at)))
			best = &all->v[i];
	return best;
}

static int join(char out[8300], const char *a, const char *b)
{
	int n = snprintf(out, 8300, "%s%s", a[1] ? a : "", b);

	if (n < 0 || n >= 8300)
		return -ENAMETOOLONG;
	if (!out[0])
		(void)snprintf(out, 8300, "/");
	return 0;
}

/*
 * Is the object at `other` the one that the rule names?  1, 0, or -errno.  If nobody
 * may look at the rule's object, we assume that it is: it can be reached by the other
 * name.
 */
static int is_there(const struct view_builder *b, const char *path, const char *other)
{
	struct view_object p, o;
	int r = view_look(b->in->prefix, path, &p), same = 0;

	if (r < 0)
		return rt_fail_errno(b->err, -r, "%s", path);
	if (p.exists || p.unreachable) {
		r = view_look(b->in->prefix, other, &o);
		if (r == 0) {
			same = o.exists && (p.unreachable ||
					    (o.dev == p.dev && o.ino == p.ino));
			if (o.fd >= 0)
				(void)close(o.fd);
		}
	}
	if (p.fd >= 0)
		(void)close(p.fd);
	if (r < 0)
		return rt_fail_errno(b->err, -r, "%s", other);
	return same;
}

/* True if the name lies in a tree of the host that an allow shows. */
static bool is_shown(const struct view_builder *b, const char *path)
{
	for (size_t i = 0; i < b->n; i++) {
		const struct view_place *p = &b->places[i];

		if (p->wanted.named && view_at(path, view_host_name(p)))
			return true;
	}
	return b->anywhere;
}

static int take_away(struct view_builder *b, size_t i, const char *named, const char *shown)
{
	const struct view_wanted from = b->places[i].wanted;
	uint32_t rule = from.rule;
	struct view_place *p;
	int r;

	if (!strcmp(named, shown) || view_is_system(shown) || !is_shown(b, shown))
		return 0;
	r = is_there(b, named, shown);
	if (r <= 0)
		return r;
	r = view_add_alias(b, named, shown, rule, false);
	p = r == 0 ? view_place_at(b, shown) : NULL;
	if (!p)
		return r < 0 ? r : -ENOMEM;
	p->wanted.no_socket |= from.no_socket;
	p->wanted.listens |= from.listens;
	if (!from.restricted)
		return 0;
	p->wanted.restricted = true;
	p->wanted.floor = p->wanted.floor && from.floor;
	if (p->wanted.rule == VIEW_NO_RULE)
		p->wanted.rule = rule;
	return 0;
}

/* Adds every other name that mounts give to what the place at `i` restricts, or to a
 * part of it. */
static int other_names(struct view_builder *b, const struct binds *all, size_t i)
{
	char path[4096], in_fs[8300], named[8300], shown[8300];
	const struct bind *own;
	int r = 0;

	(void)snprintf(path, sizeof(path), "%s", b->places[i].path);
	own = mount_of(all, path);
	if (!own || join(in_fs, own->root, relative_to(path, own->at)) < 0)
		return 0;
	for (size_t k = 0; k < all->n && r == 0; k++) {
		const struct bind *o = &all->v[k];

		if (o == own || strcmp(o->dev, own->dev) != 0)
			continue;
		if (view_at(in_fs, o->root)) {
			r = join(shown, o->at, relative_to(in_fs, o->root));
			if (r == 0)
				r = take_away(b, i, path, shown);
		} else if (view_below(o->root, in_fs)) {
			r = join(named, path, relative_to(o->root, in_fs));
			if (r == 0)
				r = take_away(b, i, named, o->at);
		}
	}
	return r;
}

int view_binds(struct view_builder *b)
{
	AUTO_FREE char *text = NULL;
	struct binds all = { NULL, 0 };
	size_t n = b->n, len = 0;
	int r;

	if (!b->in->mountinfo)
		return 0;
	r = io_read_file(b->in->mountinfo, MOUNTINFO_MAX, &text, &len);
	if (r < 0)
		return rt_fail_errno(b->err, -r, "%s", b->in->mountinfo);
	r = read_lines(text, &all);
	for (size_t i = 0; i < n && r == 0; i++) {
		const struct view_wanted *w = &b->places[i].wanted;

		if ((w->restricted || w->no_socket || w->listens) && !w->private_ &&
		    !b->places[i].source)
			r = other_names(b, &all, i);
	}
	free(all.v);
	return r;
}
