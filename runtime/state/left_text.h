/* The text of a record of what a run has left (left_store.h), line by line. */
#ifndef RUNTIME_STATE_LEFT_TEXT_H
#define RUNTIME_STATE_LEFT_TEXT_H

#include <stdio.h>

#include "runtime/state/left_item.h"

enum { LEFT_MAX_RECORD = 16 << 20 };

struct left_text {
	char *project;
	bool is_running, has_ended; /* of a run that has not looked yet; of one that has */
	int64_t running;
	struct repo_item *was;
	size_t nwas;
	char **may;
	size_t nmay;
	struct left_item *left; /* without their ids */
	size_t nleft;
	uint64_t more;
};

/*
 * Changes the text; the paths point into it.  If the run has looked, the lines before
 * `ended` that are void are not returned.  An incomplete last line is ignored.
 * -EBADMSG: not a record; -ENOMEM.
 */
int left_text_read(char *text, size_t n, struct left_text *ret);
void left_text_release(struct left_text *t);
bool left_text_was(const struct left_text *t, enum repo_kind kind, const char *path);

void left_text_head(FILE *f, const char *project);
void left_text_path(FILE *f, const char *words, const char *path);
void left_text_repo(FILE *f, const struct repo_item *r);
void left_text_item(FILE *f, const struct left_item *it);

#endif
