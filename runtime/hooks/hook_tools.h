/* What the agents' tools do, as tables. */
#ifndef RUNTIME_HOOKS_HOOK_TOOLS_H
#define RUNTIME_HOOKS_HOOK_TOOLS_H

#include <stdint.h>

#include "runtime/query/hook_agent.h"

/*
 * W_SOUGHT: an edit of a file that is looked for elsewhere where it is not at its
 * place; W_FILES: lists of files that are sent, and the tool; W_PUBLISH: the same, and
 * the address where they will be; W_TREE: what lies below a directory,
 * and the tool; W_TREES: the same, with lists of patterns; W_PROMPT: a text with
 * addresses in it; W_MCP: a server's tool, which may have any name.
 */
enum what { W_SHELL, W_READ, W_WRITE, W_EDIT, W_SOUGHT, W_FILES, W_PUBLISH, W_TREE, W_TREES, W_URL,
	    W_PROMPT, W_PATCH, W_TOOL, W_MCP };

/* Lists are words with blanks between them. */
struct hook_tool {
	unsigned agents;     /* bits: 1 << enum hook_agent */
	const char *name;
	uint8_t what;
	const char *subject; /* the one of these keys says what it touches; "": the input,
			      * which is a text, is it */
	const char *where;   /* … and where it runs; of W_PUBLISH: what it reads and writes */
	const char *glob;    /* patterns below the directory that it touches */
	const char *other;   /* change nothing of that */
};

/* NULL: nothing is known of it but its name. */
const struct hook_tool *hook_tool_find(enum hook_agent agent, const char *name);
/* Keys of tools of which nothing else is known: they hold files, which may be read and
 * written. */
extern const char hook_file_keys[];
/* Where a tool W_PUBLISH sends its files. */
extern const char hook_publisher[];
/* What stands around the tool in a message: of the session, and of no other meaning
 * here. */
extern const char *const hook_around[HOOK_AGENT_COUNT];
/* The permission modes in which the agent asks a person where its hook says so; NULL:
 * it sends none. */
extern const char *const hook_modes[HOOK_AGENT_COUNT];

#endif
