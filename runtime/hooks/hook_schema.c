/*
 * Decides which settings an agent would accept.  Seen in Claude Code 2.1.197 and Gemini
 * CLI 0.61.0: the first silently skips a file that has one wrong value; the second runs
 * no hooks if `hooks` is not an object.
 */
#include "runtime/hooks/hook_schema.h"

#include <json-c/json.h>
#include <string.h>

#include "runtime/query/query_json.h"

#define A(agent) (1u << HOOK_##agent)

enum is { ANY, TEXT, FLAG, FLAGS, COUNT, WHOLE, TEXTS, MAP, MODE, RULES, LINE, CREDIT, SWITCH, CHANNEL, SCREEN,
	  MARKETS, SOURCE, VOICE, HOLD, FIRST };

static const struct field {
	unsigned agents;
	const char *name;
	enum is is;
} fields[] = {
	{ A(CLAUDE) | A(CODEX) | A(GEMINI) | A(CURSOR) | A(QWEN) | A(COPILOT), "type", TEXT },
	{ A(CLAUDE) | A(CODEX) | A(GEMINI) | A(CURSOR) | A(QWEN) | A(COPILOT), "command", TEXT },
	{ A(CLAUDE) | A(CODEX) | A(GEMINI) | A(CURSOR) | A(QWEN), "timeout", COUNT },
	{ A(CLAUDE) | A(CODEX), "statusMessage", TEXT },
	{ A(CLAUDE) | A(CODEX) | A(QWEN), "async", FLAG },
	{ A(CLAUDE), "asyncRewake", FLAG },
	{ A(CLAUDE), "once", FLAG },
	{ A(CLAUDE), "if", TEXT },
	{ A(GEMINI) | A(QWEN), "name", TEXT },
	{ A(GEMINI) | A(QWEN), "description", TEXT },
	{ A(CURSOR), "failClosed", FLAG },
	{ A(CURSOR) | A(COPILOT), "matcher", TEXT },
	{ A(COPILOT), "timeoutSec", COUNT },
};

/* Claude Code's settings: what its own program (2.1.332) takes, as far as a value's type tells it. */
static const struct field settings[] = {
	{ A(CLAUDE), "$schema", TEXT },
	{ A(CLAUDE), "theme", ANY },
	{ A(CLAUDE), "effortLevel", TEXT },
	{ A(CLAUDE), "statusLine", LINE },
	{ A(CLAUDE), "enabledPlugins", FLAGS },
	{ A(CLAUDE), "attribution", CREDIT },
	{ A(CLAUDE), "apiKeyHelper", TEXT },
	{ A(CLAUDE), "awsAuthRefresh", TEXT },
	{ A(CLAUDE), "awsCredentialExport", TEXT },
	{ A(CLAUDE), "cleanupPeriodDays", WHOLE },
	{ A(CLAUDE), "model", TEXT },
	{ A(CLAUDE), "outputStyle", TEXT },
	{ A(CLAUDE), "language", TEXT },
	{ A(CLAUDE), "includeCoAuthoredBy", FLAG },
	{ A(CLAUDE), "includeGitInstructions", FLAG },
	{ A(CLAUDE), "respectGitignore", FLAG },
	{ A(CLAUDE), "alwaysThinkingEnabled", FLAG },
	{ A(CLAUDE), "spinnerTipsEnabled", FLAG },
	{ A(CLAUDE), "disableAllHooks", FLAG },
	{ A(CLAUDE), "allowManagedHooksOnly", FLAG },
	{ A(CLAUDE), "enableAllProjectMcpServers", FLAG },
	{ A(CLAUDE), "enabledMcpjsonServers", TEXTS },
	{ A(CLAUDE), "disabledMcpjsonServers", TEXTS },
	{ A(CLAUDE), "proxyAuthHelper", TEXT },
	{ A(CLAUDE), "gcpAuthRefresh", TEXT },
	{ A(CLAUDE), "processWrapper", TEXT },
	{ A(CLAUDE), "syncClaudeAiSkills", FLAG },
	{ A(CLAUDE), "syncClaudeAiPlugins", FLAG },
	{ A(CLAUDE), "skillListingMaxDescChars", WHOLE },
	{ A(CLAUDE), "wslInheritsWindowsSettings", FLAG },
	{ A(CLAUDE), "attributionProject", TEXT },
	{ A(CLAUDE), "availableModels", TEXTS },
	{ A(CLAUDE), "enforceAvailableModels", FLAG },
	{ A(CLAUDE), "deniedModels", TEXTS },
	{ A(CLAUDE), "modelCatalogUrl", TEXT },
	{ A(CLAUDE), "modelCatalogPublicKey", TEXT },
	{ A(CLAUDE), "disableClaudeAiConnectors", FLAG },
	{ A(CLAUDE), "disableBundledSkills", FLAG },
	{ A(CLAUDE), "disableDirectMcpSkills", FLAG },
	{ A(CLAUDE), "disableReplyCheck", FLAG },
	{ A(CLAUDE), "disableAgentView", FLAG },
	{ A(CLAUDE), "disableRemoteControl", FLAG },
	{ A(CLAUDE), "disableWorkflows", FLAG },
	{ A(CLAUDE), "disableArtifact", FLAG },
	{ A(CLAUDE), "enableArtifact", FLAG },
	{ A(CLAUDE), "enableWorkflows", FLAG },
	{ A(CLAUDE), "workflowKeywordTriggerEnabled", FLAG },
	{ A(CLAUDE), "disableSkillShellExecution", FLAG },
	{ A(CLAUDE), "disableWindowsBashCommandSplit", FLAG },
	{ A(CLAUDE), "bashEditDiffEnabled", FLAG },
	{ A(CLAUDE), "bashOutputMaxChars", WHOLE },
	{ A(CLAUDE), "taskOutputMaxChars", WHOLE },
	{ A(CLAUDE), "respondToBashCommands", FLAG },
	{ A(CLAUDE), "allowedHttpHookUrls", TEXTS },
	{ A(CLAUDE), "httpHookAllowedEnvVars", TEXTS },
	{ A(CLAUDE), "allowManagedPermissionRulesOnly", FLAG },
	{ A(CLAUDE), "allowManagedMcpServersOnly", FLAG },
	{ A(CLAUDE), "desktopMcpServersListScope", TEXT },
	{ A(CLAUDE), "allowAllClaudeAiMcps", FLAG },
	{ A(CLAUDE), "allowClaudeInChromeWithManagedMcp", FLAG },
	{ A(CLAUDE), "prUrlTemplate", TEXT },
	{ A(CLAUDE), "prependPlugins", TEXTS },
	{ A(CLAUDE), "appendPlugins", TEXTS },
	{ A(CLAUDE), "disableCommandPluginSources", FLAG },
	{ A(CLAUDE), "disableSideloadFlags", FLAG },
	{ A(CLAUDE), "pluginSuggestionMarketplaces", TEXTS },
	{ A(CLAUDE), "forceLoginMethod", TEXT },
	{ A(CLAUDE), "gatewayInternalNetworks", TEXTS },
	{ A(CLAUDE), "allowNestedModelAccessUnderForceLogin", FLAG },
	{ A(CLAUDE), "forceRemoteSettingsRefresh", FLAG },
	{ A(CLAUDE), "otelHeadersHelper", TEXT },
	{ A(CLAUDE), "viewMode", TEXT },
	{ A(CLAUDE), "skipWebFetchPreflight", FLAG },
	{ A(CLAUDE), "syntaxHighlightingDisabled", FLAG },
	{ A(CLAUDE), "terminalTitleFromRename", FLAG },
	{ A(CLAUDE), "promptCacheTtl", TEXT },
	{ A(CLAUDE), "subagentPromptCacheTtl", TEXT },
	{ A(CLAUDE), "maxEffortLevel", TEXT },
	{ A(CLAUDE), "ultracode", FLAG },
	{ A(CLAUDE), "fastMode", FLAG },
	{ A(CLAUDE), "fastModePerSessionOptIn", FLAG },
	{ A(CLAUDE), "promptSuggestionEnabled", FLAG },
	{ A(CLAUDE), "emojiCompletionEnabled", FLAG },
	{ A(CLAUDE), "awaySummaryEnabled", FLAG },
	{ A(CLAUDE), "responseComparisonEnabled", FLAG },
	{ A(CLAUDE), "showClearContextOnPlanAccept", FLAG },
	{ A(CLAUDE), "askUserQuestionTimeout", TEXT },
	{ A(CLAUDE), "dialogExpiry", TEXT },
	{ A(CLAUDE), "agent", TEXT },
	{ A(CLAUDE), "modelProposedGoals", TEXT },
	{ A(CLAUDE), "companyAnnouncements", TEXTS },
	{ A(CLAUDE), "minimumVersion", TEXT },
	{ A(CLAUDE), "requiredMinimumVersion", TEXT },
	{ A(CLAUDE), "requiredMaximumVersion", TEXT },
	{ A(CLAUDE), "downloadsMirrorUrl", TEXT },
	{ A(CLAUDE), "plansDirectory", TEXT },
	{ A(CLAUDE), "channelsEnabled", FLAG },
	{ A(CLAUDE), "prefersReducedMotion", FLAG },
	{ A(CLAUDE), "timeZone", TEXT },
	{ A(CLAUDE), "doneMeansMerged", FLAG },
	{ A(CLAUDE), "totalTokensReminderBudget", WHOLE },
	{ A(CLAUDE), "totalTokensReminderAfterUserTurn", FLAG },
	{ A(CLAUDE), "autoMemoryEnabled", FLAG },
	{ A(CLAUDE), "autoMemoryDirectory", TEXT },
	{ A(CLAUDE), "autoDreamEnabled", FLAG },
	{ A(CLAUDE), "showThinkingSummaries", FLAG },
	{ A(CLAUDE), "skipDangerousModePermissionPrompt", FLAG },
	{ A(CLAUDE), "skipWorkflowUsageWarning", FLAG },
	{ A(CLAUDE), "claudeMd", TEXT },
	{ A(CLAUDE), "claudeMdExcludes", TEXTS },
	{ A(CLAUDE), "pluginTrustMessage", TEXT },
	{ A(CLAUDE), "editorMode", TEXT },
	{ A(CLAUDE), "keybindingFlavor", TEXT },
	{ A(CLAUDE), "verbose", FLAG },
	{ A(CLAUDE), "preferredNotifChannel", TEXT },
	{ A(CLAUDE), "autoCompactEnabled", FLAG },
	{ A(CLAUDE), "precomputeCompactionEnabled", FLAG },
	{ A(CLAUDE), "precomputeArmTokens", WHOLE },
	{ A(CLAUDE), "autoCompactRaisedForLoad", FLAG },
	{ A(CLAUDE), "idleCompaction", FLAG },
	{ A(CLAUDE), "switchModelsOnFlag", FLAG },
	{ A(CLAUDE), "autoContinueAtUsageLimit", FLAG },
	{ A(CLAUDE), "autoScrollEnabled", FLAG },
	{ A(CLAUDE), "wheelScrollAccelerationEnabled", FLAG },
	{ A(CLAUDE), "fileCheckpointingEnabled", FLAG },
	{ A(CLAUDE), "showTurnDuration", FLAG },
	{ A(CLAUDE), "showMessageTimestamps", FLAG },
	{ A(CLAUDE), "todoFeatureEnabled", FLAG },
	{ A(CLAUDE), "remoteControlAtStartup", FLAG },
	{ A(CLAUDE), "isolatePeerMachines", FLAG },
	{ A(CLAUDE), "crossSessionInbound", TEXT },
	{ A(CLAUDE), "remoteMessageReceipts", TEXT },
	{ A(CLAUDE), "autoUploadSessions", FLAG },
	{ A(CLAUDE), "inputNeededNotifEnabled", FLAG },
	{ A(CLAUDE), "agentPushNotifEnabled", FLAG },
	{ A(CLAUDE), "skipAutoPermissionPrompt", FLAG },
	{ A(CLAUDE), "useAutoModeDuringPlan", FLAG },
	{ A(CLAUDE), "autoUpdatesChannel", CHANNEL },
	{ A(CLAUDE), "tui", SCREEN },
	{ A(CLAUDE), "extraKnownMarketplaces", MARKETS },
	{ A(CLAUDE), "disableAutoMode", SWITCH },
	{ A(CLAUDE), "voice", VOICE },
	{ A(CLAUDE), "env", MAP },
	{ A(CLAUDE), "permissions", RULES },
	/* of Copilot CLI nothing but what `install` writes, in a file of its own */
	{ A(COPILOT), "version", FIRST },
	{ A(COPILOT), "disableAllHooks", FLAG },
};

static const struct field permissions[] = {
	{ A(CLAUDE), "allow", TEXTS },
	{ A(CLAUDE), "ask", TEXTS },
	{ A(CLAUDE), "deny", TEXTS },
	{ A(CLAUDE), "additionalDirectories", TEXTS },
	{ A(CLAUDE), "defaultMode", MODE },
	{ A(CLAUDE), "disableBypassPermissionsMode", SWITCH },
	{ A(CLAUDE), "blockReadsOutsideWorkingDirectories", FLAG },
};

static const struct field line[] = {
	{ A(CLAUDE), "type", TEXT }, /* "command"; see fits() */
	{ A(CLAUDE), "command", TEXT },
	{ A(CLAUDE), "padding", WHOLE },
};

/* What `/plugin marketplace add` writes. */
static const struct field market[] = {
	{ A(CLAUDE), "source", SOURCE },
	{ A(CLAUDE), "installLocation", TEXT },
	{ A(CLAUDE), "autoUpdate", FLAG },
};

static const struct field source[] = {
	{ A(CLAUDE), "source", TEXT },
	{ A(CLAUDE), "repo", TEXT },
	{ A(CLAUDE), "url", TEXT },
	{ A(CLAUDE), "ref", TEXT },
	{ A(CLAUDE), "path", TEXT },
	{ A(CLAUDE), "package", TEXT },
};

static const struct field voice[] = {
	{ A(CLAUDE), "enabled", FLAG },
	{ A(CLAUDE), "mode", HOLD },
};

static const struct field credit[] = {
	{ A(CLAUDE), "commit", TEXT },
	{ A(CLAUDE), "pr", TEXT },
};

static const struct field *find(const struct field *list, size_t n,
				enum hook_agent agent, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if ((list[i].agents & 1u << agent) && strcmp(list[i].name, name) == 0)
			return &list[i];
	return NULL;
}

static bool is_one_of(const char *text, const char *const *list, size_t n)
{
	for (size_t i = 0; text && i < n; i++)
		if (strcmp(text, list[i]) == 0)
			return true;
	return false;
}

static bool is_texts(struct json_object *v)
{
	if (!json_object_is_type(v, json_type_array))
		return false;
	for (size_t i = 0; i < json_object_array_length(v); i++)
		if (!json_object_is_type(json_object_array_get_idx(v, i),
					 json_type_string))
			return false;
	return true;
}

static bool fits(enum is is, struct json_object *v);

/* True for an object that has only these fields. */
static bool has_only(const struct field *list, size_t n, struct json_object *v)
{
	if (!json_object_is_type(v, json_type_object))
		return false;
	json_object_object_foreach(v, name, value)
	{
		const struct field *f = find(list, n, HOOK_CLAUDE, name);

		if (!f || !fits(f->is, value))
			return false;
	}
	return true;
}
#define HAS_ONLY(list, v) has_only(list, sizeof(list) / sizeof((list)[0]), v)

/* True for an object of flags, or of flags, texts and numbers. */
static bool is_map(struct json_object *v, bool flags)
{
	if (!json_object_is_type(v, json_type_object))
		return false;
	json_object_object_foreach(v, name, value)
	{
		(void)name;
		if (!json_object_is_type(value, json_type_boolean) &&
		    (flags || (!json_object_is_type(value, json_type_string) &&
			       !json_object_is_type(value, json_type_int))))
			return false;
	}
	return true;
}

static bool is_markets(struct json_object *v)
{
	struct json_object *from;

	if (!json_object_is_type(v, json_type_object))
		return false;
	json_object_object_foreach(v, name, value)
	{
		(void)name;
		if (!HAS_ONLY(market, value) || !json_object_object_get_ex(value, "source", &from) ||
		    !query_json_text(from, "source"))
			return false;
	}
	return true;
}

/* The words that a setting takes, or NULL. */
static const char *const *words_of(enum is is)
{
	static const char *const modes[] = { "default", "manual", "acceptEdits", "plan", "auto", "dontAsk",
					     "bypassPermissions", NULL };
	static const char *const off[] = { "disable", NULL };
	static const char *const channels[] = { "latest", "stable", "rc", NULL };
	static const char *const screens[] = { "default", "fullscreen", NULL };
	static const char *const holds[] = { "hold", "tap", NULL };

	return is == MODE ? modes : is == SWITCH ? off : is == CHANNEL ? channels : is == SCREEN ? screens :
	       is == HOLD ? holds : NULL;
}

static bool fits(enum is is, struct json_object *v)
{
	const char *const *words = words_of(is);
	const char *type;
	size_t n = 0;

	switch (is) {
	case ANY:
		return true;
	case TEXT:
		return json_object_is_type(v, json_type_string);
	case FLAG:
		return json_object_is_type(v, json_type_boolean);
	case COUNT:
		return (json_object_is_type(v, json_type_int) ||
			json_object_is_type(v, json_type_double)) &&
		       json_object_get_double(v) > 0;
	case WHOLE:
		return json_object_is_type(v, json_type_int) &&
		       json_object_get_int64(v) > 0;
	case FIRST:
		return json_object_is_type(v, json_type_int) && json_object_get_int64(v) == 1;
	case TEXTS:
		return is_texts(v);
	case MAP:
	case FLAGS:
		return is_map(v, is == FLAGS);
	case RULES:
		return HAS_ONLY(permissions, v);
	case CREDIT:
		return HAS_ONLY(credit, v);
	case LINE:
		type = HAS_ONLY(line, v) ? query_json_text(v, "type") : NULL;
		return type && strcmp(type, "command") == 0 &&
		       query_json_text(v, "command");
	case MARKETS:
		return is_markets(v);
	case SOURCE:
		return HAS_ONLY(source, v);
	case VOICE:
		return HAS_ONLY(voice, v);
	case MODE:
	case SWITCH:
	case CHANNEL:
	case SCREEN:
	case HOLD:
	default:
		while (words && words[n])
			n++;
		return json_object_is_type(v, json_type_string) && is_one_of(json_object_get_string(v), words, n);
	}
}

enum hook_field_is hook_field(enum hook_agent agent, const char *name,
			      struct json_object *value)
{
	const struct field *f =
		find(fields, sizeof(fields) / sizeof(fields[0]), agent, name);

	if (!f)
		return HOOK_FIELD_UNKNOWN;
	return fits(f->is, value) ? HOOK_FIELD_GOOD : HOOK_FIELD_BAD;
}

/* --- hooks
 * ------------------------------------------------------------------------------------
 */

bool hook_schema_is_flat(enum hook_agent agent)
{
	return agent == HOOK_CURSOR || agent == HOOK_COPILOT;
}

/* Checks a hook.  For hooks of another kind we may know only the name of the kind. */
static bool is_hook(enum hook_agent agent, struct json_object *e)
{
	static const char *const types[] = { "command", "prompt", "agent", "http",
					     "mcp_tool" };
	const char *type, *command;

	if (!json_object_is_type(e, json_type_object))
		return false;
	type = query_json_text(e, "type");
	command = query_json_text(e, "command");
	if (!command && agent == HOOK_COPILOT)
		command = query_json_text(e, "bash");
	if (!type && agent == HOOK_COPILOT)
		type = "command";
	json_object_object_foreach(e, name, value) if (hook_field(agent, name, value) ==
						       HOOK_FIELD_BAD) return false;
	if (agent == HOOK_CURSOR)
		return command || type;
	return is_one_of(type, types, sizeof(types) / sizeof(types[0])) &&
	       (strcmp(type, "command") != 0 || (command && command[0]));
}

static bool is_group(enum hook_agent agent, struct json_object *e)
{
	struct json_object *matcher, *hooks;

	if (hook_schema_is_flat(agent) &&
	    (agent == HOOK_CURSOR || !json_object_is_type(e, json_type_object) ||
	     !json_object_object_get_ex(e, "hooks", NULL)))
		return is_hook(agent, e);
	if (!json_object_is_type(e, json_type_object) ||
	    (json_object_object_get_ex(e, "matcher", &matcher) &&
	     !fits(TEXT, matcher)) ||
	    !json_object_object_get_ex(e, "hooks", &hooks) ||
	    !json_object_is_type(hooks, json_type_array))
		return false;
	for (size_t i = 0; i < json_object_array_length(hooks); i++)
		if (!is_hook(agent, json_object_array_get_idx(hooks, i)))
			return false;
	return true;
}

const char *hook_schema_hooks(enum hook_agent agent, struct json_object *doc)
{
	/* from older versions of Gemini CLI; hook_settings.c knows more of its switches */
	static const char *const others[] = { "enabled", "disabled", "notifications" };
	struct json_object *hooks, *o;

	if ((agent == HOOK_GEMINI || agent == HOOK_QWEN) && json_object_object_get_ex(doc, "hooksConfig", &o) &&
	    !json_object_is_type(o, json_type_object))
		return "hooksConfig";
	if (!json_object_object_get_ex(doc, "hooks", &hooks))
		return NULL;
	if (!json_object_is_type(hooks, json_type_object))
		return "hooks";
	json_object_object_foreach(hooks, event, list)
	{
		if ((agent == HOOK_GEMINI || agent == HOOK_QWEN) &&
		    is_one_of(event, others, sizeof(others) / sizeof(others[0])))
			continue;
		if (!json_object_is_type(list, json_type_array))
			return event;
		for (size_t i = 0; i < json_object_array_length(list); i++)
			if (!is_group(agent, json_object_array_get_idx(list, i)))
				return event;
	}
	return NULL;
}

const char *hook_schema_rest(enum hook_agent agent, struct json_object *doc)
{
	if (agent != HOOK_CLAUDE && agent != HOOK_COPILOT)
		return NULL;
	json_object_object_foreach(doc, name, value)
	{
		const struct field *f = find(
			settings, sizeof(settings) / sizeof(settings[0]), agent, name);

		if (strcmp(name, "hooks") != 0 && (!f || !fits(f->is, value)))
			return name;
	}
	return NULL;
}
