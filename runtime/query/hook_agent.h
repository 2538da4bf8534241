/* The agents whose hooks polquery answers: `hook AGENT` names one. */
#ifndef RUNTIME_QUERY_HOOK_AGENT_H
#define RUNTIME_QUERY_HOOK_AGENT_H

enum hook_agent { HOOK_CLAUDE, HOOK_CODEX, HOOK_GEMINI, HOOK_CURSOR, HOOK_QWEN, HOOK_OPENCODE, HOOK_COPILOT, HOOK_PI,
		  HOOK_AGENT_COUNT };

/* "claude-code", …; static.  HOOK_AGENT_COUNT: no such agent. */
const char *hook_agent_name(enum hook_agent agent);
enum hook_agent hook_agent_find(const char *name);

#endif
