/*
 * A line that is one simple command of literal words (until the analysis of
 * shell text exists): quotes and backslashes are understood, anything that a
 * shell would expand, redirect, join, assign or treat as a reserved word or
 * builtin makes the line unparsed.
 */
#ifndef RUNTIME_DECIDE_LINE_H
#define RUNTIME_DECIDE_LINE_H

#include <stdbool.h>
#include <stddef.h>

#define LINE_MAX_BYTES ((size_t)1024 * 1024)

struct line_words {
	char *buf;    /* malloc'ed; the words, each with a NUL */
	char **argv;  /* malloc'ed, NULL-terminated */
	size_t argc;
	bool unparsed;
	char why[96]; /* "the word 'a*' is a glob" */
};

/* 0, or -ENOMEM, or -E2BIG past LINE_MAX_BYTES (unparsed is set). */
int line_split(const char *line, size_t len, struct line_words *ret);
void line_release(struct line_words *w);

#endif
