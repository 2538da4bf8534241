/* One thing that a run has left for somebody to look at. */
#ifndef RUNTIME_STATE_LEFT_ITEM_H
#define RUNTIME_STATE_LEFT_ITEM_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/base/repo.h"

enum left_kind {
	LEFT_REPO,                      /* one for each enum repo_kind */
	LEFT_NAME = LEFT_REPO + REPO_KINDS, /* a name of the floor */
	LEFT_WRITTEN,                   /* one that programs read, where the floor does not keep it */
	LEFT_LINK,                      /* in a repository: git writes through it */
	LEFT_UNKNOWN,                   /* a name that some program may read unasked */
	LEFT_CUT,                       /* the search stopped at a limit */
	LEFT_CLOSED,                    /* a folder could not be looked at */
	LEFT_FAILED,                    /* the folder could not be searched */
	LEFT_KINDS
};

#define LEFT_ID 64       /* hex digits */
#define LEFT_SHOWN 12    /* digits that lists show */
#define LEFT_TEXT 17600  /* bytes that are enough for the message about any item */

struct left_item {
	enum left_kind kind;
	int64_t when;      /* time of the run that was killed, or of the look */
	bool killed;
	char *path;        /* unescaped, malloc'ed */
	char id[LEFT_ID + 1];
};

/* Converts between kinds and words ("repository", "git-file", …).  LEFT_KINDS: no such
 * word. */
const char *left_word(enum left_kind kind);
enum left_kind left_kind_of(const char *word);
/* Writes the message about an item, without a line end. */
void left_say(const struct left_item *it, char text[LEFT_TEXT]);

#endif
