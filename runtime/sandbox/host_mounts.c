/* Reads /proc/PID/mountinfo, and says where in its file system a path lies. */
#include "runtime/sandbox/host_mounts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/sandbox/view_host.h"

#define MOUNTINFO_MAX (16u * 1024 * 1024)

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
static int read_lines(char *text, struct host_mounts *ret)
{
	size_t lines = 0;

	for (const char *s = text; *s; s++)
		lines += *s == '\n';
	ret->v = calloc(lines + 1, sizeof(*ret->v));
	if (!ret->v)
		return -ENOMEM;
	for (char *save = NULL, *line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		char *word[5] = { NULL }, *in = NULL, *end;
		uint64_t id;
		size_t n = 0;

		for (char *w = strtok_r(line, " ", &in); w && n < 5;
		     w = strtok_r(NULL, " ", &in))
			word[n++] = w;
		if (n < 5 || word[3][0] != '/' || word[4][0] != '/')
			continue; /* a namespace's file is not a tree */
		id = strtoull(word[0], &end, 10);
		if (*end)
			continue;
		unescape(word[3]);
		unescape(word[4]);
		ret->v[ret->n++] = (struct host_mount){ id, word[2], word[3], word[4] };
	}
	return 0;
}

/* The part of `path` after `top`, both absolute: "" or beginning with '/'. */
static const char *relative_to(const char *path, const char *top)
{
	return top[1] ? path + strlen(top) : path[1] ? path : path + 1;
}

const struct host_mount *host_mount_of(const struct host_mounts *all, const char *path)
{
	const struct host_mount *best = NULL;

	for (size_t i = 0; i < all->n; i++)
		if (view_at(path, all->v[i].at) &&
		    (!best || strlen(all->v[i].at) >= strlen(best->at)))
			best = &all->v[i];
	return best;
}

static int join(char out[HOST_MOUNT_PATH], const char *a, const char *b)
{
	int n = snprintf(out, HOST_MOUNT_PATH, "%s%s", a[1] ? a : "", b);

	if (n < 0 || n >= HOST_MOUNT_PATH)
		return -ENAMETOOLONG;
	if (!out[0])
		(void)snprintf(out, HOST_MOUNT_PATH, "/");
	return 0;
}

int host_mount_inside(const struct host_mount *m, const char *path, char out[HOST_MOUNT_PATH])
{
	return join(out, m->root, relative_to(path, m->at));
}

int host_mount_name(const char *at, const char *root, const char *inside,
		    char out[HOST_MOUNT_PATH])
{
	return join(out, at, relative_to(inside, root));
}

int host_mounts_read(const char *file, struct host_mounts *ret)
{
	size_t len = 0;
	int r;

	*ret = (struct host_mounts){ .n = 0 };
	r = io_read_file(file, MOUNTINFO_MAX, &ret->text, &len);
	return r < 0 ? r : read_lines(ret->text, ret);
}

int host_mounts_read_fd(int fd, struct host_mounts *ret)
{
	size_t len = 0;
	int r;

	*ret = (struct host_mounts){ .n = 0 };
	if (lseek(fd, 0, SEEK_SET) < 0)
		return -errno;
	r = io_read_all(fd, MOUNTINFO_MAX, &ret->text, &len);
	return r < 0 ? r : read_lines(ret->text, ret);
}

void host_mounts_release(struct host_mounts *m)
{
	free(m->v);
	free(m->text);
	*m = (struct host_mounts){ .n = 0 };
}
