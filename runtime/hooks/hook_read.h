/*
 * Reads the messages that agents give to a hook before they use a tool.
 * hook_tools.c names the pages on which the protocols are documented.
 */
#ifndef RUNTIME_HOOKS_HOOK_READ_H
#define RUNTIME_HOOKS_HOOK_READ_H

#include "runtime/hooks/hook_message.h"

/* The k-th event for which the agent's settings name the hook; static, or NULL. */
const char *hook_agent_event(enum hook_agent agent, size_t k);
/*
 * Reads `n` bytes, text[n] being NUL, which stay in use.  False with a message where it
 * is none of this agent's before a tool, or says too little of what the tool would do;
 * then ret->event is set as far as it is known (else NULL).  `fields` (a list that ends
 * with NULL, or NULL) are names that whoever installed the hook says to ignore.
 * hook_message_release() in either case.
 */
bool hook_read(enum hook_agent agent, const char *text, size_t n,
	       char *const *fields, struct hook_message *ret, struct rt_err *err);

#endif
