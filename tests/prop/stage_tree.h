/* Random work in a tree, and what a tree looks like, as text. */
#ifndef TESTS_PROP_STAGE_TREE_H
#define TESTS_PROP_STAGE_TREE_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "tests/prop/random_ir.h"

/* --- what it looks like: a line for each name -------------------------------------------- */

static inline void tree_content(FILE *out, const char *path, const struct stat *st)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	unsigned long sum = 5381;
	char buf[4096];
	ssize_t n;

	if (fd < 0) {
		fprintf(out, " unreadable");
		return;
	}
	while ((n = read(fd, buf, sizeof(buf))) > 0)
		for (ssize_t i = 0; i < n; i++)
			sum = sum * 33 + (unsigned char)buf[i];
	fprintf(out, " %lld bytes %lx, changed %lld.%09ld", (long long)st->st_size, sum,
		(long long)st->st_mtim.tv_sec, st->st_mtim.tv_nsec);
	(void)close(fd);
}

static inline void tree_attr(FILE *out, const char *path, const char *name)
{
	char value[100];
	ssize_t n = lgetxattr(path, name, value, sizeof(value));

	if (n >= 0)
		fprintf(out, " %s=%.*s", name, (int)n, value);
}

static inline void tree_one(FILE *out, const char *path, const char *shown)
{
	char target[200];
	struct stat st;
	ssize_t n;

	if (lstat(path, &st) != 0)
		return;
	fprintf(out, "%s: %o %u:%u", shown, S_ISLNK(st.st_mode) ? S_IFLNK : st.st_mode, st.st_uid,
		st.st_gid);
	if (S_ISREG(st.st_mode))
		tree_content(out, path, &st);
	n = S_ISLNK(st.st_mode) ? readlink(path, target, sizeof(target)) : -1;
	if (n >= 0)
		fprintf(out, " -> %.*s", (int)n, target);
	if (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)) {
		tree_attr(out, path, "user.x");
		tree_attr(out, path, "user.y");
	}
	fprintf(out, "\n");
}

static inline void tree_print(FILE *out, const char *path, const char *shown)
{
	struct dirent **v;
	int n;

	tree_one(out, path, shown);
	n = strlen(path) < PATH_MAX && strlen(shown) < PATH_MAX ? scandir(path, &v, NULL, alphasort) : -1;
	for (int i = 0; i < n; i++) {
		char inner[2 * PATH_MAX], name[2 * PATH_MAX];
		struct stat st;

		(void)snprintf(inner, sizeof(inner), "%s/%s", path, v[i]->d_name);
		(void)snprintf(name, sizeof(name), "%s/%s", shown, v[i]->d_name);
		if (v[i]->d_name[0] != '.' || strlen(v[i]->d_name) > 2) {
			if (lstat(inner, &st) == 0 && S_ISDIR(st.st_mode))
				tree_print(out, inner, name);
			else
				tree_one(out, inner, name);
		}
		free(v[i]);
	}
	if (n >= 0)
		free(v);
}

/* malloc'ed */
static inline char *tree_text(const char *path)
{
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);

	tree_print(out, path, "");
	(void)fclose(out);
	return text;
}

/* --- random work ----------------------------------------------------------------------------- */

static inline void tree_name(struct rnd *r, const char *top, char out[PATH_MAX])
{
	static const char *const names[] = { "a", "b", "a-b", "dir", "x\n", "\xc3\xa9%41" };
	uint32_t depth = 1 + rnd_below(r, 3);
	size_t n = (size_t)snprintf(out, PATH_MAX, "%s", top);

	for (uint32_t i = 0; i < depth; i++)
		n += (size_t)snprintf(out + n, PATH_MAX - n, "/%s", RND_PICK(r, names));
}

static inline void tree_write(struct rnd *r, const char *path)
{
	static const int flags[] = { O_TRUNC, O_APPEND, 0, O_EXCL, O_TRUNC };
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | RND_PICK(r, flags), 0644);
	char text[3000];
	uint32_t n = rnd_below(r, 4) ? rnd_below(r, 20) : rnd_below(r, sizeof(text));

	if (fd < 0)
		return;
	memset(text, 'a' + (int)rnd_below(r, 26), sizeof(text));
	if (rnd_below(r, 6) == 0)
		(void)!lseek(fd, (off_t)rnd_below(r, 40) * 10000, SEEK_SET);
	(void)!write(fd, text, n);
	if (rnd_below(r, 8) == 0)
		(void)!ftruncate(fd, (off_t)rnd_below(r, 30) * 5000);
	(void)close(fd);
}

static inline void tree_remove(const char *path)
{
	char cmd[PATH_MAX + 40];

	(void)snprintf(cmd, sizeof(cmd), "rm -rf -- '%s' 2>/dev/null", path);
	(void)!system(cmd);
}

/* A failed call is fine. */
static inline void tree_work(struct rnd *r, const char *top)
{
	static const mode_t modes[] = { 0755, 0700, 0750, 0644, 0600, 0444, 04755, 02755, 01777 };
	static const mode_t dir_modes[] = { 0755, 0700, 0777, 0555, 01777, 02775 };
	char path[PATH_MAX], to[PATH_MAX];
	struct stat st;
	bool dir;

	tree_name(r, top, path);
	tree_name(r, top, to);
	dir = lstat(path, &st) == 0 && S_ISDIR(st.st_mode);
	switch (rnd_below(r, 16)) {
	case 0: case 1: case 2:
		tree_write(r, path);
		break;
	case 3: case 4:
		(void)mkdir(path, 0755);
		break;
	case 5:
		(void)remove(path);
		break;
	case 6:
		if (rnd_below(r, 3) == 0)
			tree_remove(path);
		break;
	case 7: case 8:
		(void)rename(path, to);
		break;
	case 9:
		(void)!symlink(RND_PICK(r, modes) & 1 ? "a" : "/nowhere", path);
		break;
	case 10: case 11:
		(void)!link(path, to);
		break;
	case 12:
		(void)mkfifo(path, 0640);
		break;
	case 13:
		if (lstat(path, &st) == 0 && !S_ISLNK(st.st_mode))
			(void)chmod(path, dir ? RND_PICK(r, dir_modes) : RND_PICK(r, modes));
		break;
	case 14:
		(void)lsetxattr(path, rnd_below(r, 2) ? "user.x" : "user.y", "value", rnd_below(r, 5), 0);
		break;
	default: {
		struct timespec t[2] = { { 5, 0 }, { rnd_below(r, 1000), rnd_below(r, 1000) } };

		(void)lremovexattr(path, "user.x");
		(void)utimensat(AT_FDCWD, path, t, AT_SYMLINK_NOFOLLOW);
		break;
	}
	}
}

#endif
