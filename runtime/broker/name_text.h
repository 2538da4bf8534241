/*
 * A path that may be longer than PATH_MAX.  That is a limit of one call, not of a file system: a
 * process makes a directory and goes into it, again and again, and names what is there from its
 * working directory.  The rules judge the whole name, so the broker needs all of it.
 */
#ifndef RUNTIME_BROKER_NAME_TEXT_H
#define RUNTIME_BROKER_NAME_TEXT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* With the NUL.  A call on a longer name fails with ENAMETOOLONG. */
#define NAME_TEXT_MOST ((size_t)1 << 16)

/* Zero-initialised it is to be given room first.  It is not copied: `s` may point into it. */
struct name_text {
	char *s;    /* `here`, or malloc'ed */
	size_t cap; /* of s; 0: there is none yet */
	char here[PATH_MAX];
};

/* "" */
void name_text_init(struct name_text *t);
void name_text_release(struct name_text *t);
/* Sees to it that s has room for `size` bytes; what it holds stays.  False: that is more than
 * NAME_TEXT_MOST, or there is no memory. */
bool name_text_room(struct name_text *t, size_t size);

#endif
