/* One thing that a run has left for somebody to look at. */
#ifndef RUNTIME_STATE_LEFT_ITEM_H
#define RUNTIME_STATE_LEFT_ITEM_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/base/repo.h"

enum left_kind {
	LEFT_REPO,                      /* enum repo_kind, one by one */
	LEFT_NAME = LEFT_REPO + REPO_KINDS, /* a name of the floor */
	LEFT_CUT,                       /* the search ended before its end */
	LEFT_CLOSED,                    /* a folder could not be looked at */
	LEFT_FAILED,                    /* it could not be searched */
	LEFT_KINDS
};

#define LEFT_ID 64       /* hex digits */
#define LEFT_SHOWN 12    /* of them in lists */
#define LEFT_TEXT 17600  /* bytes that hold what is said of any item */

struct left_item {
	enum left_kind kind;
	int64_t when;      /* of the run that was killed, or of the look */
	bool killed;
	char *path;        /* as it is, malloc'ed */
	char id[LEFT_ID + 1];
};

/* "repository", "git-file" … and back (LEFT_KINDS: none). */
const char *left_word(enum left_kind kind);
enum left_kind left_kind_of(const char *word);
/* What is said of an item, without a line end. */
void left_say(const struct left_item *it, char text[LEFT_TEXT]);

#endif
