/* Follows `Include` through the system's configuration of ssh. */
#include "runtime/sandbox/ssh_config.h"

#include <glob.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "runtime/base/io.h"

enum { FILE_MOST = 65536 };

struct found {
	const char *etc;
	char **v;
	size_t n;
};

static bool has(const struct found *f, const char *path)
{
	for (size_t i = 0; i < f->n; i++)
		if (strcmp(f->v[i], path) == 0)
			return true;
	return false;
}

static void add_file(struct found *f, const char *path)
{
	struct stat st;

	if (f->n < SSH_CONFIG_MOST && !has(f, path) && stat(path, &st) == 0 && S_ISREG(st.st_mode) && !st.st_uid &&
	    !(st.st_mode & (S_IWGRP | S_IWOTH)))
		f->n += (f->v[f->n] = strdup(path)) != NULL;
}

/* An argument of Include: a pattern, which begins in `etc` if it is relative. */
static void add_pattern(struct found *f, const char *pattern)
{
	char path[PATH_MAX];
	glob_t g;

	if (snprintf(path, sizeof(path), "%s%s%s", pattern[0] == '/' ? "" : f->etc, pattern[0] == '/' ? "" : "/", pattern) >=
		    (int)sizeof(path) ||
	    glob(path, 0, NULL, &g) != 0)
		return;
	for (size_t i = 0; i < g.gl_pathc; i++)
		add_file(f, g.gl_pathv[i]);
	globfree(&g);
}

/* ssh_config(5): a keyword, blanks or one '=', arguments that may be quoted. */
static void read_line(struct found *f, char *line)
{
	static const char blank[] = " \t\r=\"";
	char *word, *rest = line;

	word = strtok_r(line, blank, &rest);
	if (!word || strcasecmp(word, "Include") != 0)
		return;
	while ((word = strtok_r(NULL, blank, &rest)) && word[0] != '#')
		add_pattern(f, word);
}

static void read_file(struct found *f, const char *path)
{
	AUTO_FREE char *text = NULL;
	size_t n;
	char *rest;

	if (io_read_file(path, FILE_MOST, &text, &n) != 0)
		return;
	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		read_line(f, line);
}

size_t ssh_config_find(const char *etc, char *ret[SSH_CONFIG_MOST])
{
	struct found f = { .etc = etc, .v = ret };
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/ssh_config", etc) >= (int)sizeof(path))
		return 0;
	read_file(&f, path);
	for (size_t i = 0; i < f.n; i++)
		read_file(&f, f.v[i]);
	return f.n;
}
