/* The names of the agents whose hooks are answered. */
#include "runtime/query/hook_agent.h"

#include <string.h>

static const char *const names[HOOK_AGENT_COUNT] = { "claude-code", "codex", "gemini-cli",
						     "cursor", "qwen-code", "opencode", "copilot-cli", "pi" };

const char *hook_agent_name(enum hook_agent agent)
{
	return agent < HOOK_AGENT_COUNT ? names[agent] : "";
}

enum hook_agent hook_agent_find(const char *name)
{
	unsigned i = 0;

	while (i < HOOK_AGENT_COUNT && strcmp(names[i], name) != 0)
		i++;
	return (enum hook_agent)i;
}
