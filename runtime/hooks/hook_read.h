/*
 * Reads the messages that agents give to a hook before they use a tool.  hook_tools.c
 * names the pages that document the protocols.
 */
#ifndef RUNTIME_HOOKS_HOOK_READ_H
#define RUNTIME_HOOKS_HOOK_READ_H

#include "runtime/hooks/hook_message.h"

/* The k-th event for which the agent's settings must name the hook; static, or NULL. */
const char *hook_agent_event(enum hook_agent agent, size_t k);
/*
 * Reads `n` bytes (text[n] is NUL), which must stay valid.  False with a message if
 * this is not a message of this agent before it uses a tool, or does not say enough of
 * what the tool would do; ret->event is then set if it is known (else NULL).  `fields`
 * (a list that ends with NULL, or NULL) names fields that the person who installed the
 * hook wants to be ignored.  Call hook_message_release() in either case.
 */
bool hook_read(enum hook_agent agent, const char *text, size_t n,
	       char *const *fields, struct hook_message *ret, struct rt_err *err);

#endif
