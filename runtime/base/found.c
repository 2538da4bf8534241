/* Decides which names in a directory are policies, and in which order they are read. */
#include "runtime/base/found.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"
#include "runtime/base/writers.h"

static int by_bytes(const void *x, const void *y)
{
	return strcmp(*(const char *const *)x, *(const char *const *)y);
}

static bool is_policy(const char *name)
{
	static const char *const ends[] = { ".pol", ".yml", ".yaml" };
	size_t n = strlen(name);

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		size_t e = strlen(ends[i]);

		if (name[0] != '.' && n >= e && strcmp(name + n - e, ends[i]) == 0)
			return true;
	}
	return false;
}

const char *found_other_kind(const char *name, size_t n)
{
	static const char *const ends[] = { ".json", ".jsonc", ".json5", ".toml", ".ini",
					    ".cfg",  ".conf",  ".rules", ".profile", ".xml" };

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		size_t e = strlen(ends[i]);

		if (n >= e && memcmp(name + n - e, ends[i], e) == 0)
			return ends[i];
	}
	return NULL;
}

static int note_other(struct found *f, const char *name)
{
	if (name[0] == '.' || !found_other_kind(name, strlen(name)) || (f->other && strcmp(f->other, name) < 0))
		return 0;
	free(f->other);
	f->other = strdup(name);
	return f->other ? 0 : -ENOMEM;
}

static int add(struct found *f, const char *name)
{
	char **v = realloc(f->v, (f->n + 1) * sizeof(*v));

	if (!v)
		return -ENOMEM;
	f->v = v;
	v[f->n] = strdup(name);
	return v[f->n] ? (f->n++, 0) : -ENOMEM;
}

static int list(int fd, struct found *f)
{
	struct dirent *e;
	DIR *d = fstat(fd, &f->st) == 0 ? fdopendir(fd) : NULL;
	int r = 0;

	if (!d) {
		r = -errno;
		(void)close(fd);
		return r;
	}
	for (errno = 0; r == 0 && (e = readdir(d)) != NULL; errno = 0)
		r = is_policy(e->d_name) ? add(f, e->d_name) : note_other(f, e->d_name);
	if (r == 0)
		r = -errno;
	(void)closedir(d);
	return r;
}

int found_list(const char *dir, struct found *ret)
{
	struct found f = { 0 };
	int fd = sys_open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	int r = fd < 0 ? -errno : list(fd, &f);

	if (fd < 0 && r == -ENOENT)
		r = 0;
	if (r < 0) {
		found_release(&f);
		return r;
	}
	if (f.n)
		qsort(f.v, f.n, sizeof(*f.v), by_bytes);
	*ret = f;
	return 0;
}

void found_release(struct found *f)
{
	for (size_t i = 0; i < f->n; i++)
		free(f->v[i]);
	free(f->v);
	free(f->other);
	memset(f, 0, sizeof(*f));
}

void found_tell_other(const struct found *f, const char *program, const char *dir, FILE *out)
{
	char name[300];

	if (!f->other)
		return;
	io_escape(name, sizeof(name), f->other, strlen(f->other));
	fprintf(out, "%s: %s/%s does not count: the name of a policy ends in .pol, .yml or .yaml\n", program, dir, name);
}

int found_check_owner(const char *path, int fd, const struct stat *st, bool managed,
		      struct rt_err *err)
{
	const char *kind = managed ? "the managed policy" : "the policy", *why;
	char shown[300];

	io_escape(shown, sizeof(shown), path, strlen(path));
	if (st->st_uid != 0 && (managed || st->st_uid != getuid()))
		return rt_fail(err, EPERM, "%s '%s' belongs to uid %u: %s", kind, shown,
			       (unsigned)st->st_uid,
			       managed ? "it must be root's" : "neither root nor the caller");
	if (managed)
		why = st->st_mode & (S_IWGRP | S_IWOTH) ? "only root may write it" : NULL;
	else
		why = writers_others(path, fd, st);
	return why ? writers_refuse(err, kind, shown, st, why) : 0;
}
