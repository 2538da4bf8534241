/* The command line of a hook in an agent's settings, as polquery would see it. */
#ifndef RUNTIME_HOOKS_HOOK_LINE_H
#define RUNTIME_HOOKS_HOOK_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/base/err.h"
#include "runtime/query/query_options.h"

struct hook_line {
	struct query_options opt; /* polquery's options; their texts lie in `block` */
	void *block;
	/* polquery's words are text[from] to text[to].  `to` is 0 if the line has a
	 * redirection or sets a variable; these are not looked at. */
	size_t from, to;
	const char *program; /* how the line names polquery */
	bool bare;           /* polquery, or the `timeout` before it, is searched in PATH */
	const char *timeout; /* how the line names the `timeout` before polquery, or NULL */
	unsigned seconds;    /* … and its limit in seconds; 0: no limit */
};

/*
 * Splits the text as sh does, with ~ and $HOME expanded.  Then reads the words after
 * the program polquery as polquery does, and those of a `timeout [-k N] N` before it.
 * 0, or -errno with the reason: there is no such program, a word is known only when the
 * line runs, polquery refuses the options, or the path of the bundle starts at an
 * unknown directory.  Release it in either case.
 */
int hook_line_read(const char *text, struct hook_line *ret, struct rt_err *err);
void hook_line_release(struct hook_line *h);

#endif
