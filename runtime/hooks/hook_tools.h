/* Tables that say what the agents' tools do. */
#ifndef RUNTIME_HOOKS_HOOK_TOOLS_H
#define RUNTIME_HOOKS_HOOK_TOOLS_H

#include <stdint.h>

#include "runtime/query/hook_agent.h"

/*
 * W_SOUGHT: an edit of a file for which the agent looks elsewhere if it is not at its
 * place.  W_FILES: lists of files that are sent, and the tool.  W_PUBLISH: the same,
 * and the address to which they are sent.  W_TREE: what lies below a directory, and the
 * tool.  W_TREES: the same, with lists of patterns.  W_TOPS:
 * the same, with one directory or a list of them.  W_PROMPT: a text that contains
 * addresses.  W_MCP: a tool of a server, which may have any name.  W_WATCH: a line for
 * a shell, or in `ws` the address of a web socket.  W_TASK: a tool with a text that may name
 * files which the agent reads.
 */
enum what { W_SHELL, W_READ, W_WRITE, W_EDIT, W_SOUGHT, W_FILES, W_PUBLISH, W_TREE, W_TREES, W_TOPS, W_URL,
	    W_PROMPT, W_PATCH, W_TOOL, W_MCP, W_WATCH,
	    W_TASK };

/* Lists are words separated by blanks. */
struct hook_tool {
	unsigned agents;     /* bits: 1 << enum hook_agent */
	const char *name;
	uint8_t what;
	const char *subject; /* the one of these keys that exists says what the tool
	                        touches; "": the input itself is a text that does */
	const char *where;   /* … and where the tool runs; for W_PUBLISH: what it reads
	                        and writes */
	const char *glob;    /* patterns below the directory that it touches */
	const char *other;   /* fields that do not change what it touches */
};

/* NULL: we know only the tool's name. */
const struct hook_tool *hook_tool_find(enum hook_agent agent, const char *name);
/* A field by which a tool may run outside of the walls, or of the hook, that are there
 * without it: with `value` (a text; NULL: with true) a person is asked. */
struct hook_switch {
	unsigned agents;
	const char *tool, *field, *value;
	const char *why;
};
/* NULL: the field is none of these. */
const struct hook_switch *hook_tool_switch(enum hook_agent agent, const char *tool,
					   const char *field);
/* Keys of tools of which we know nothing else.  They hold files, which may be read and
 * written. */
extern const char hook_file_keys[];
/* The address to which a tool W_PUBLISH sends its files. */
extern const char hook_publisher[];
/* Fields around the tool in a message.  They are about the session and have no other
 * meaning here. */
extern const char *const hook_around[HOOK_AGENT_COUNT];
/* The permission modes in which the agent asks a person if its hook says so.  NULL: the
 * agent sends no mode. */
extern const char *const hook_modes[HOOK_AGENT_COUNT];

#endif
