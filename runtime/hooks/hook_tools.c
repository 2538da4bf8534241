/*
 * Decides what the agents' tools do.  Written from the agents' public pages, as of
 * November 2026:
 *   Claude Code  docs.anthropic.com/en/docs/claude-code/hooks (PreToolUse)
 *   Codex        developers.openai.com/codex/hooks (PreToolUse)
 *   Gemini CLI   geminicli.com/docs/hooks/reference (BeforeTool)
 *   Cursor       cursor.com/docs/agent/hooks (preToolUse, beforeShellExecution,
 *                beforeMCPExecution, beforeReadFile, beforeTabFileRead)
 * A field that is in none of the tables may mean anything: then at best a person is
 * asked.
 */
#include "runtime/hooks/hook_tools.h"

#include <string.h>

#define A(agent) (1u << HOOK_##agent)
/* A field of all its tools, which says when a tool runs. */
#define ANY_GEMINI "wait_for_previous"

/* What Copilot CLI's search is given beside the place. */
#define ANY_RIPGREP "pattern output_mode type -i -A -B -C -n head_limit multiline"

/* Fields that start another agent.  Its tools come to the hook like the first one's. */
#define AGENT \
	"description prompt subagent_type model effort run_in_background name team_name mode resume"

static const struct hook_tool tools[] = {
	{ A(CLAUDE), "Bash", W_SHELL, "command", "", "",
	  "description timeout run_in_background" },
	{ A(CLAUDE), "Read", W_READ, "file_path", "", "",
	  "offset limit pages allow_large" },
	{ A(CLAUDE), "Write", W_WRITE, "file_path", "", "", "content" },
	{ A(CLAUDE), "Edit", W_EDIT, "file_path", "", "",
	  "old_string new_string replace_all" },
	{ A(CLAUDE), "MultiEdit", W_EDIT, "file_path", "", "", "edits" },
	{ A(CLAUDE), "NotebookRead", W_READ, "notebook_path", "", "", "cell_id" },
	{ A(CLAUDE), "NotebookEdit", W_EDIT, "notebook_path", "", "",
	  "cell_id new_source cell_type edit_mode" },
	{ A(CLAUDE), "Glob", W_TREE, "path", "", "pattern", "" },
	{ A(CLAUDE), "Grep", W_TREE, "path", "", "",
	  "pattern glob output_mode -A -B -C -n -i -o context type head_limit offset "
	  "multiline" },
	{ A(CLAUDE), "LS", W_TREE, "path", "", "", "ignore" },
	{ A(CLAUDE), "WebFetch", W_URL, "url", "", "", "prompt offset" },
	{ A(CLAUDE), "Monitor", W_WATCH, "command", "", "",
	  "ws description timeout_ms persistent" },
	{ A(CLAUDE), "Agent", W_TOOL, "", "", "", AGENT },
	{ A(CLAUDE), "Task", W_TOOL, "", "", "", AGENT },
	{ A(CLAUDE), "LSP", W_TREE, "filePath", "", "", "operation line character query" },
	{ A(CLAUDE), "SendFile", W_FILES, "files", "", "", "to" },
	{ A(CLAUDE), "SendUserFile", W_FILES, "files", "", "", "caption status" },
	{ A(CLAUDE), "Artifact", W_PUBLISH, "file_path file_paths", "out_dir", "",
	  "url favicon description label title force mcp action" },
	{ A(CODEX), "Bash", W_SHELL, "command", "workdir", "",
	  "description timeout_ms" },
	{ A(CODEX), "apply_patch", W_PATCH, "command", "", "", "" },
	{ A(CODEX), "view_image", W_READ, "path", "", "", "detail" },
	{ A(GEMINI), "run_shell_command", W_SHELL, "command", "directory dir_path", "",
	  "description is_background delay_ms " ANY_GEMINI },
	{ A(GEMINI), "read_file", W_READ, "file_path absolute_path path", "", "",
	  "offset limit start_line end_line " ANY_GEMINI },
	{ A(GEMINI), "read_many_files", W_TREES, "", "", "include paths",
	  "exclude recursive useDefaultExcludes file_filtering_options " ANY_GEMINI },
	{ A(GEMINI), "write_file", W_WRITE, "file_path", "", "", "content " ANY_GEMINI },
	{ A(GEMINI), "replace", W_SOUGHT, "file_path", "", "",
	  "old_string new_string expected_replacements instruction allow_multiple "
	  ANY_GEMINI },
	{ A(GEMINI), "list_directory", W_TREE, "dir_path path", "", "",
	  "ignore respect_git_ignore file_filtering_options " ANY_GEMINI },
	{ A(GEMINI), "glob", W_TREE, "dir_path path", "", "pattern",
	  "case_sensitive respect_git_ignore respect_gemini_ignore " ANY_GEMINI },
	{ A(GEMINI), "search_file_content", W_TREE, "dir_path path", "", "include",
	  "pattern " ANY_GEMINI },
	{ A(GEMINI), "grep_search", W_TREE, "dir_path path", "",
	  "include include_pattern",
	  "pattern exclude_pattern names_only max_matches_per_file total_max_matches "
	  "case_sensitive fixed_strings context after before no_ignore " ANY_GEMINI },
	{ A(GEMINI), "web_fetch", W_PROMPT, "prompt url", "", "", ANY_GEMINI },
	{ A(QWEN), "run_shell_command", W_SHELL, "command", "directory", "", "description is_background timeout" },
	{ A(QWEN), "read_file", W_READ, "file_path", "", "", "offset limit pages" },
	{ A(QWEN), "write_file", W_WRITE, "file_path", "", "", "content record_as_artifact" },
	{ A(QWEN), "edit", W_EDIT, "file_path", "", "", "old_string new_string replace_all" },
	{ A(QWEN), "notebook_edit", W_EDIT, "notebook_path", "", "", "cell_id new_source cell_type edit_mode" },
	{ A(QWEN), "list_directory", W_TREE, "path", "", "", "ignore file_filtering_options" },
	{ A(QWEN), "glob", W_TREE, "path", "", "pattern", "" },
	{ A(QWEN), "grep_search", W_TREE, "path", "", "glob", "pattern limit" },
	/* not `isolation` and `working_dir`: its hooks would have another directory */
	{ A(QWEN), "agent", W_TOOL, "", "", "",
	  "description prompt subagent_type fork_turns fork_tools fork_profile run_in_background" },
	{ A(QWEN), "web_fetch", W_PROMPT, "url", "", "", "prompt" },
	{ A(OPENCODE), "bash", W_SHELL, "command", "workdir", "", "description timeout" },
	{ A(OPENCODE), "read", W_READ, "filePath", "", "", "offset limit" },
	{ A(OPENCODE), "write", W_WRITE, "filePath", "", "", "content" },
	{ A(OPENCODE), "edit", W_EDIT, "filePath", "", "", "oldString newString replaceAll" },
	{ A(OPENCODE), "apply_patch", W_PATCH, "patchText", "", "", "" },
	{ A(OPENCODE), "glob", W_TREE, "path", "", "pattern", "" },
	{ A(OPENCODE), "grep", W_TREE, "path", "", "include", "pattern" },
	{ A(OPENCODE), "webfetch", W_URL, "url", "", "", "format timeout" },
	{ A(OPENCODE), "task", W_TASK, "prompt", "", "", "description subagent_type task_id command" },
	/* a shell of a known `shellId` keeps the directory in which it was made: the session's, which only its user moves */
	{ A(COPILOT), "bash", W_SHELL, "command", "", "", "description shellId mode detach initial_wait" },
	{ A(COPILOT), "view", W_READ, "path", "", "", "view_range forceReadLargeFiles" },
	{ A(COPILOT), "create", W_WRITE, "path", "", "", "file_text" },
	{ A(COPILOT), "edit", W_EDIT, "path", "", "", "old_str new_str" },
	{ A(COPILOT), "apply_patch", W_PATCH, "", "", "", "" },
	{ A(COPILOT), "glob", W_TOPS, "paths path", "", "pattern", "" },
	{ A(COPILOT), "grep", W_TOPS, "paths path", "", "glob", ANY_RIPGREP },
	{ A(COPILOT), "rg", W_TOPS, "paths path", "", "glob", ANY_RIPGREP },
	{ A(COPILOT), "web_fetch", W_URL, "url", "", "", "max_length start_index raw" },
	{ A(COPILOT), "task", W_TOOL, "", "", "",
	  "description prompt agent_type name model reasoning_effort context_tier mode" },
	{ A(PI), "bash", W_SHELL, "command", "", "", "timeout" },
	{ A(PI), "read", W_READ, "path", "", "", "offset limit" },
	{ A(PI), "write", W_WRITE, "path", "", "", "content" },
	{ A(PI), "edit", W_EDIT, "path", "", "", "edits" },
	{ A(PI), "ls", W_TREE, "path", "", "", "limit" },
	{ A(PI), "find", W_TREE, "path", "", "pattern", "limit" },
	{ A(PI), "grep", W_TREE, "path", "", "glob", "pattern ignoreCase literal context limit" },
	{ A(CURSOR), "Shell", W_SHELL, "command", "working_directory cwd", "",
	  "description timeout is_background block_until_ms" },
	{ A(CURSOR), "Read", W_READ, "file_path path target_file", "", "",
	  "offset limit" },
	{ A(CURSOR), "Write", W_WRITE, "file_path path target_file", "", "",
	  "content contents file_text" },
	{ A(CURSOR), "Delete", W_WRITE, "file_path path target_file", "", "", "" },
	{ A(CURSOR), "StrReplace", W_EDIT, "file_path path target_file", "", "",
	  "old_string new_string replace_all" },
	{ A(CURSOR), "EditNotebook", W_EDIT, "target_notebook", "", "",
	  "is_new_cell cell_idx cell_language old_string new_string" },
	{ A(CURSOR), "ApplyPatch", W_PATCH, "", "", "", "" },
	{ A(CURSOR), "Glob", W_TREE, "target_directory", "", "glob_pattern", "" },
	{ A(CURSOR), "Grep", W_TREE, "path", "", "",
	  "pattern glob output_mode -A -B -C -n -i type head_limit multiline" },
};

const char hook_file_keys[] = "file_path file_paths filePath files path paths notebook_path out_dir "
			      "output_dir output_path";
const char hook_publisher[] = "https://claude.ai/";

const char *const hook_around[HOOK_AGENT_COUNT] = {
	[HOOK_CLAUDE] = "session_id transcript_path cwd permission_mode hook_event_name "
			"tool_name tool_input tool_use_id agent_id agent_type prompt_id effort mcp_server "
			"command_name command_source invoked_by",
	[HOOK_CODEX] = "session_id turn_id transcript_path cwd hook_event_name model "
		       "permission_mode tool_name tool_input tool_use_id agent_id agent_type",
	[HOOK_GEMINI] = "session_id transcript_path cwd hook_event_name timestamp tool_name "
			"tool_input mcp_context original_request_name",
	[HOOK_QWEN] = "session_id transcript_path cwd hook_event_name timestamp permission_mode prompt_id "
		      "tool_name tool_input tool_use_id tool_call_id agent_id agent_type",
	[HOOK_OPENCODE] = "hook_event_name session_id call_id cwd tool_name tool_input",
	[HOOK_PI] = "hook_event_name session_id call_id parent_call_id cwd tool_name tool_input",
	[HOOK_COPILOT] = "sessionId timestamp cwd toolName toolArgs agentId agentType parentAgentId",
	[HOOK_CURSOR] = "conversation_id generation_id model hook_event_name cursor_version "
			"workspace_roots user_email transcript_path session_id tool_name "
			"tool_input tool_use_id cwd agent_message command sandbox url file_path "
			"content attachments",
};

/* In "auto" before 2.1.331 (hook_auto.h), and before 2.1.233 in "bypassPermissions", Claude Code runs a tool
 * for which the hook says "ask"; in "dontAsk" nobody is asked. */
const char *const hook_modes[HOOK_AGENT_COUNT] = {
	[HOOK_CLAUDE] = "default plan acceptEdits",
};

static const struct hook_switch switches[] = {
	{ A(CLAUDE), "Bash", "dangerouslyDisableSandbox", NULL,
	  "it asks to run without the agent's own sandbox ('dangerouslyDisableSandbox')" },
	{ A(CLAUDE), "Agent", "isolation", "remote",
	  "the agent would work on another machine, where nobody asks this hook ('isolation')" },
	{ A(CLAUDE), "Task", "isolation", "remote",
	  "the agent would work on another machine, where nobody asks this hook ('isolation')" },
};

const struct hook_switch *hook_tool_switch(enum hook_agent agent, const char *tool,
					   const char *field)
{
	for (size_t i = 0; i < sizeof(switches) / sizeof(switches[0]); i++)
		if ((switches[i].agents & 1u << agent) && strcmp(switches[i].tool, tool) == 0 &&
		    strcmp(switches[i].field, field) == 0)
			return &switches[i];
	return NULL;
}

const struct hook_tool *hook_tool_find(enum hook_agent agent, const char *name)
{
	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++)
		if ((tools[i].agents & 1u << agent) && strcmp(tools[i].name, name) == 0)
			return &tools[i];
	return NULL;
}
