/* What the agents' tools do, as tables. */
#ifndef RUNTIME_CLI_HOOK_TOOLS_H
#define RUNTIME_CLI_HOOK_TOOLS_H

#include "runtime/cli/hook_message.h"

/* W_TREE: what lies below a directory; W_PROMPT: a text with addresses in it. */
enum what { W_SHELL, W_READ, W_WRITE, W_EDIT, W_TREE, W_URL, W_PROMPT, W_PATCH, W_TOOL };

/* Lists are words with blanks between them. */
struct hook_tool {
	unsigned agents;     /* bits: 1 << enum hook_agent */
	const char *name;
	uint8_t what;
	const char *subject; /* the one of these keys says what it touches */
	const char *where;   /* … and where it runs */
	const char *glob;    /* patterns below the directory that it touches */
	const char *other;   /* change nothing of that */
};

/* NULL: nothing is known of it but its name. */
const struct hook_tool *hook_tool_find(enum hook_agent agent, const char *name);
/* What stands around the tool in a message: of the session, and of no other meaning
 * here. */
extern const char *const hook_around[HOOK_AGENT_COUNT];
/* The permission modes in which the agent asks a person where its hook says so; NULL:
 * it sends none. */
extern const char *const hook_modes[HOOK_AGENT_COUNT];

#endif
