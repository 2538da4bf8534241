/* The command line of a hook in an agent's settings, as polquery would see it. */
#ifndef RUNTIME_HOOKS_HOOK_LINE_H
#define RUNTIME_HOOKS_HOOK_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/base/err.h"
#include "runtime/query/query_options.h"

struct hook_line {
	struct query_options opt; /* of polquery in it; its texts lie in `block` */
	void *block;
	/* polquery's words stand in text[from] to text[to]; to 0: with a redirection or a
	 * variable of their own, which are not looked at. */
	size_t from, to;
	const char *program; /* polquery as it is named */
	bool bare;           /* it, or the `timeout` before it, is looked for in PATH */
	const char *timeout; /* the `timeout` before it as it is named, or NULL */
	unsigned seconds;    /* … and its limit; 0: it may take for ever */
};

/*
 * Takes the text apart as sh does, with ~ and $HOME expanded, and reads the words
 * behind the program polquery, and of a `timeout [-k N] N` before it, as polquery
 * does.  0, or -errno with the reason: no
 * such program in it, a word that is known only when the line runs, options that
 * polquery refuses, a bundle that is named from an unknown directory.  To be released
 * in either case.
 */
int hook_line_read(const char *text, struct hook_line *ret, struct rt_err *err);
void hook_line_release(struct hook_line *h);

#endif
