/*
 * Takes git's own answer about its configuration.  An answer of an earlier run counts if
 * nothing has changed that it depends on; its digest says so.  Otherwise git is asked, up to
 * three times: again where a file has changed meanwhile, or where git has named a file that was
 * not among those that it was to read.
 */
#include "runtime/sandbox/git_answer.h"

#include <sodium.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/io.h"
#include "runtime/sandbox/git_ask.h"
#include "runtime/sandbox/git_settings.h"

/* The next setting of the answer, ORIGIN NUL NAME [newline VALUE] NUL; `value` is NULL where
 * there is none. */
static bool next_setting(const struct git_answer *said, size_t *at, char **origin, char **name,
			 char **value)
{
	if (*at >= said->len)
		return false;
	*origin = said->text + *at;
	*at += strlen(*origin) + 1;
	if (*at >= said->len)
		return false;
	*name = said->text + *at;
	*at += strlen(*name) + 1;
	*value = strchr(*name, '\n');
	if (*value)
		++*value;
	return true;
}

static bool is_of_file(const char *origin)
{
	return strncmp(origin, "file:", 5) == 0;
}

/* Returns the file from which a setting comes, malloc'ed, or NULL if it is from none, or on an error. */
static char *name_file(struct git_repo *g, const char *origin)
{
	return is_of_file(origin) ? git_repo_join_path(g, g->in->project, origin + 5) : NULL;
}

static int take_answer(struct git_repo *g, const struct git_answer *said)
{
	char *origin, *name, *value;
	size_t at = 0;
	int r = 0;

	while (r == 0 && next_setting(said, &at, &origin, &name, &value)) {
		AUTO_FREE char *file = name_file(g, origin), *key = NULL;
		const char *dir = g->in->project;

		if (!file && is_of_file(origin))
			r = git_repo_fail_path(g);
		if (file && !git_repo_has_file(g, file)) {
			r = git_repo_add_path(g, strdup(file), false, true);
			if (r == 0)
				r = git_repo_add_file(g, strdup(file));
		}
		/* what git_ask_now() has git include */
		if (!value || r < 0 || (!file && git_repo_has_file(g, value)))
			continue;
		if (file) {
			*strrchr(file, '/') = '\0';
			dir = file;
		}
		key = strndup(name, (size_t)(value - name) - 1);
		r = key ? git_settings_take_named(g, key, dir, value) : git_repo_fail_path(g);
	}
	return r;
}

static void hash_file(crypto_generichash_state *h, const char *path)
{
	char *text = NULL;
	size_t len = 0;
	int64_t is = io_read_file(path, GIT_FILE_MAX, &text, &len);

	is = is < 0 ? is : (int64_t)len;
	(void)crypto_generichash_update(h, (const unsigned char *)path, strlen(path) + 1);
	(void)crypto_generichash_update(h, (const unsigned char *)&is, sizeof(is));
	if (is > 0)
		(void)crypto_generichash_update(h, (const unsigned char *)text, len);
	free(text);
}

/* A digest of what the answer depends on, also of files that this reader does not know of. */
static void make_stamp(struct git_repo *g, const struct git_ask *a,
		       const struct git_answer *said, char ret[GIT_ASK_STAMP + 1])
{
	unsigned char sum[GIT_ASK_STAMP / 2];
	char *origin, *name, *value, *last = NULL;
	crypto_generichash_state h;
	size_t at = 0;

	(void)crypto_generichash_init(&h, NULL, 0, sizeof(sum));
	git_ask_hash(a, &h);
	for (size_t i = 0; i < g->nqueue; i++)
		hash_file(&h, g->queue[i]);
	while (said && next_setting(said, &at, &origin, &name, &value)) {
		AUTO_FREE char *file = name_file(g, origin);

		if (!file || git_repo_has_file(g, file) || (last && !strcmp(last, origin)))
			continue;
		hash_file(&h, file);
		last = origin;
	}
	(void)crypto_generichash_final(&h, sum, sizeof(sum));
	(void)sodium_bin2hex(ret, GIT_ASK_STAMP + 1, sum, sizeof(sum));
}

int git_answer_take_settings(struct git_repo *g)
{
	enum { TRIES = 3 };
	struct git_answer said = { .text = NULL };
	char before[GIT_ASK_STAMP + 1], after[GIT_ASK_STAMP + 1];
	struct git_ask a;
	bool done = false;
	int r = 0;

	git_ask_begin(&a, g->in);
	if (a.git >= 0 && git_ask_kept(&a, &said)) {
		make_stamp(g, &a, &said, after);
		done = !strcmp(said.stamp, after);
		if (done)
			r = take_answer(g, &said);
	}
	for (int i = 0; i < TRIES && a.git >= 0 && !done && r == 0; i++) {
		size_t n = g->nqueue;

		free(said.text);
		make_stamp(g, &a, NULL, before);
		if (git_ask_now(&a, g->queue, n, &said) < 0)
			break;
		r = take_answer(g, &said);
		done = g->nqueue == n;
		if (r == 0)
			r = git_settings_read_files(g);
		if (r == 0 && done && g->nqueue == n) {
			make_stamp(g, &a, NULL, after);
			done = !strcmp(before, after);
			memcpy(said.stamp, after, sizeof(after));
			if (done)
				git_ask_keep(&a, &said);
		}
	}
	free(said.text);
	git_ask_end(&a);
	return r;
}
