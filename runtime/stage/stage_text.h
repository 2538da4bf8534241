/*
 * The lines of a stage's files.  A line is a word and its values; a path comes last, with
 * '%' and control bytes as %HH.
 */
#ifndef RUNTIME_STAGE_STAGE_TEXT_H
#define RUNTIME_STAGE_STAGE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Text that grows.  After a failed allocation nothing more is added; stage_text_end()
 * says so. */
struct stage_text {
	char *p; /* malloc'ed */
	size_t n, cap;
	bool failed;
};

void stage_text_add(struct stage_text *t, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Adds a blank, the escaped path and a newline. */
void stage_text_path(struct stage_text *t, const char *path);
/* 0 or -ENOMEM. */
int stage_text_end(const struct stage_text *t);
void stage_text_release(struct stage_text *t);

/* Takes the next line from *at (NUL-terminated text) and ends it with a NUL.  NULL: none;
 * a last line without a newline was cut off, and is none. */
char *stage_line(char **at);
/* Takes the next word, up to a blank, from *at; NULL: none. */
char *stage_word(char **at);
/* The same as a number.  False: not a number. */
bool stage_number(char **at, uint64_t *ret);
bool stage_signed(char **at, int64_t *ret);
/* Undoes stage_text_path() for the rest of a line, in place.  False: not well-formed. */
bool stage_unescape(char *s);

#endif
