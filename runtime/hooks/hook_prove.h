/*
 * Does a line in an agent's settings answer?  It is run as the agent runs it, and
 * asked.  Only lines of which every word is known come here: the writer of a project
 * also writes its settings, and must not make the doctor run a program of theirs.
 */
#ifndef RUNTIME_HOOKS_HOOK_PROVE_H
#define RUNTIME_HOOKS_HOOK_PROVE_H

#include "runtime/hooks/hook_line.h"
#include "runtime/hooks/hook_say.h"

/*
 * Checks that nobody except root, this user and the owner of this program can write or
 * replace the programs of the line, that they do not lie in the project, and that
 * polquery is this program.  If not, it reports a finding and returns false.
 */
bool hook_prove_programs(struct hook_look *l, const struct hook_line *h);
/*
 * Runs `command` for a command, a file, a tool and a tool of an MCP server, and
 * compares its answers with those of this program.  Each is asked twice: once as it is,
 * and once in a message that must be denied whatever the policy says.  Then it sends
 * something that is not a message, which must be blocked, and checks whether the agent
 * may write the files that the hook consists of.  Reports findings for all of these.
 */
void hook_prove(struct hook_look *l, const char *command, const struct hook_line *h);

#endif
