/*
 * Does the line that stands in an agent's settings answer?  It is run as the agent
 * runs it, and asked.  Only a line of which every word is known comes here: whoever
 * writes a project writes its settings, too, and must not have the doctor run theirs.
 */
#ifndef RUNTIME_HOOKS_HOOK_PROVE_H
#define RUNTIME_HOOKS_HOOK_PROVE_H

#include "runtime/hooks/hook_line.h"
#include "runtime/hooks/hook_say.h"

/*
 * Nobody but root, this user and the owner of this very program may write the
 * programs of the line, or put others in their place, and they do not lie in the
 * project; polquery is this program.  Else a finding, and false.
 */
bool hook_prove_programs(struct hook_look *l, const struct hook_line *h);
/*
 * Runs `command` for a command, a file, a tool and a tool of an MCP server, and
 * compares what it says with what this program would answer.  Each is asked twice:
 * as it is, and in a message that must be denied whatever the policy says.  Then a
 * message that is none, which must be blocked, and whether the agent may write what
 * the hook is made of.  Findings for all of these.
 */
void hook_prove(struct hook_look *l, const char *command, const struct hook_line *h);

#endif
