/*
 * Finds the sockets of services in the host's tree.  What can be read can also be
 * connected to: no mount flag prevents that.  So such a socket gets a mask.
 */
#include "runtime/sandbox/view_socket.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/sandbox/view_find.h"
#include "runtime/sandbox/view_link.h"

#define LIST_MAX (16u * 1024 * 1024)
#define PLACES_MAX 512 /* each is a mount */

/* The path in a line of the list, or NULL: eight columns, the last of which may be
 * missing, abstract ('@'), or relative to a directory that nobody knows. */
static char *path_in(char *line)
{
	for (int column = 0; column < 7; column++) {
		line += strspn(line, " ");
		line += strcspn(line, " ");
	}
	return line[0] == ' ' && line[1] == '/' ? line + 1 : NULL;
}

static int add(struct view_builder *b, const char *path, size_t *n)
{
	struct view_object object;
	struct view_place *p;
	uint32_t rule;
	int r;

	if (view_is_system(path) ||
	    b->in->decide_socket(b->in->arg, path, &rule) == VIEW_ALLOW)
		return 0;
	r = view_look(b->in->prefix, path, &object);
	if (r < 0 || !object.exists || !S_ISSOCK(object.mode)) {
		if (r == 0 && object.fd >= 0)
			(void)close(object.fd);
		/* a link has come between, or the name is of another mount namespace */
		return r == -ENOMEM ? r : 0;
	}
	p = view_place_at(b, path);
	if (!p)
		return -ENOMEM;
	view_find_take(p, &object);
	p->wanted.listens = true;
	++*n;
	return 0;
}

/* As add(), for a name as the service wrote it: with links, "//" or "..". */
static int add_resolved(struct view_builder *b, const char *path, size_t *n)
{
	struct view_link *links;
	char real[4096];
	size_t nlinks;
	int r = view_resolve(b->in->prefix, path, real, &links, &nlinks);

	free(links);
	return r == 0 ? add(b, real, n) : r == -ENOMEM ? r : 0;
}

int view_sockets(struct view_builder *b)
{
	AUTO_FREE char *text = NULL;
	size_t len = 0, n = 0;
	int r;

	if (!b->anywhere || !b->in->sockets || !b->in->decide_socket)
		return 0;
	/* without the list this is as it is for a service that begins later */
	if (io_read_file(b->in->sockets, LIST_MAX, &text, &len) < 0)
		return 0;
	r = 0;
	for (char *save = NULL, *line = strtok_r(text, "\n", &save);
	     line && r == 0 && n < PLACES_MAX; line = strtok_r(NULL, "\n", &save)) {
		const char *path = path_in(line);

		if (path)
			r = add_resolved(b, path, &n);
	}
	return r;
}
