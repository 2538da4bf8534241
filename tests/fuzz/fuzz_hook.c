/*
 * A message of an agent, taken as one of each of the four.  The answer is of that
 * agent's form, or there is none, with a reason.  What is allowed is what it seems:
 * cut, with a key twice, with a field that nobody knows or without one that says what
 * is asked it is not allowed any more, and a shell's line has polquery's own answer.
 */
#include "tests/fuzz/law.h"
#include "tests/fuzz/policy_made.h"

#include "runtime/hooks/hook.h"
#include "runtime/hooks/hook_message.h"
#include "runtime/hooks/hook_tools.h"
#include "runtime/query/query.h"
#include "runtime/query/query_json.h"

static const char policy[] =
	"policy agent { base none  level user }\n"
	"command { allow \"npm run test:*\"  ask \"git push:*\" because \"publishes code\"\n"
	"          deny \"curl:*\" because \"use the fetch tool\" }\n"
	"file { deny read, write \"${PROJECT_DIR}/secret\"\n"
	"       allow read, write \"${PROJECT_DIR}\" }\n"
	"network full\n"
	"tools { allow \"read_*\", \"mcp__*__read_*\", \"Grep\", \"list_directory\"\n"
	"        deny \"*shell\" }\n";

static struct query query;

enum said { ALLOW, ASK, DENY, BLOCK };

static enum said effect_of(const char *word)
{
	LAW(word);
	if (strcmp(word, "allow") == 0)
		return ALLOW;
	if (strcmp(word, "ask") == 0)
		return ASK;
	LAW(strcmp(word, "deny") == 0);
	return DENY;
}

static void law_reason(const char *why)
{
	LAW(why && why[0]);
	for (const unsigned char *c = (const unsigned char *)why; *c; c++)
		LAW(*c >= 0x20 && *c != 0x7f);
}

/* Claude Code's and Codex's; the latter's hook may only deny, and else says nothing. */
static enum said read_claude(struct json_object *doc, bool may_ask)
{
	struct json_object *o;
	enum said is;

	if (!may_ask && json_object_object_length(doc) == 0)
		return ALLOW;
	LAW(json_object_object_length(doc) == 1 &&
	    json_object_object_get_ex(doc, "hookSpecificOutput", &o) &&
	    json_object_object_length(o) == 3);
	LAW(strcmp(query_json_text(o, "hookEventName"), "PreToolUse") == 0);
	is = effect_of(query_json_text(o, "permissionDecision"));
	law_reason(query_json_text(o, "permissionDecisionReason"));
	LAW(may_ask || is == DENY);
	return is;
}

static enum said read_gemini(struct json_object *doc)
{
	enum said is = effect_of(query_json_text(doc, "decision"));

	LAW(json_object_object_length(doc) == (is == ALLOW ? 1 : 2));
	LAW(is != ASK);
	if (is != ALLOW)
		law_reason(query_json_text(doc, "reason"));
	return is;
}

static enum said read_cursor(struct json_object *doc)
{
	enum said is = effect_of(query_json_text(doc, "permission"));

	LAW(json_object_object_length(doc) == (is == ALLOW ? 1 : 3));
	if (is == ALLOW)
		return is;
	law_reason(query_json_text(doc, "user_message"));
	law_reason(query_json_text(doc, "agent_message"));
	return is;
}

static enum said ask(enum hook_agent agent, const char *text, size_t n)
{
	struct query_options opt = { .agent = hook_agent_name(agent) };
	struct rt_err err = { 0 };
	struct query_json j;
	struct hook_answer a;
	enum said is;

	if (hook_answer(&opt, &query, text, n, &a) != 0) {
		LAW(!a.text);
		LAW(a.why[0]);
		return BLOCK;
	}
	LAW(a.text && a.n > 1 && memchr(a.text, '\n', a.n) == a.text + a.n - 1);
	a.text[a.n - 1] = '\0';
	LAW(query_json_init(&j) && query_json_read(&j, a.text, a.n - 1, &err));
	is = agent == HOOK_GEMINI || agent == HOOK_OPENCODE ? read_gemini(j.doc) :
	     agent == HOOK_CURSOR ? read_cursor(j.doc) :
				    read_claude(j.doc, agent == HOOK_CLAUDE);
	query_json_release(&j);
	free(a.text);
	return is;
}

/* --- what is allowed ------------------------------------------------------------------ */

static void law_not_allowed(enum hook_agent agent, struct json_object *doc)
{
	const char *text = json_object_to_json_string_ext(doc, JSON_C_TO_STRING_PLAIN);
	char *copy = law_text((const uint8_t *)text, strlen(text));

	LAW(ask(agent, copy, strlen(copy)) != ALLOW);
	free(copy);
}

/* With `more` as the first member. */
static void law_with(enum hook_agent agent, const char *text, size_t n, const char *more)
{
	const char *brace = memchr(text, '{', n);
	char *copy = NULL;

	LAW(brace);
	LAW(asprintf(&copy, "%.*s{%s%s", (int)(brace - text), text, more, brace + 1) > 0);
	LAW(ask(agent, copy, strlen(copy)) != ALLOW);
	free(copy);
}

static void law_without(enum hook_agent agent, struct json_object *doc, const char *const *keys)
{
	struct json_object *less = NULL;

	LAW(json_object_deep_copy(doc, &less, NULL) == 0);
	for (; *keys; keys++)
		json_object_object_del(less, *keys);
	law_not_allowed(agent, less);
	json_object_put(less);
}

/* Of a tool of the tables each field counts. */
static void law_tool(enum hook_agent agent, struct json_object *doc)
{
	const char *name = query_json_text(doc, "tool_name");
	const struct hook_tool *t = name ? hook_tool_find(agent, name) : NULL;
	struct json_object *more = NULL, *input;

	if (!t)
		return;
	LAW(json_object_deep_copy(doc, &more, NULL) == 0);
	LAW(json_object_object_get_ex(more, "tool_input", &input));
	LAW(json_object_is_type(input, t->what == W_PATCH && !t->subject[0] ?
					       json_type_string : json_type_object));
	if (json_object_is_type(input, json_type_object)) {
		LAW(json_object_object_add(input, "zz9", json_object_new_int(1)) == 0);
		law_not_allowed(agent, more);
	}
	json_object_object_del(more, "tool_input");
	law_not_allowed(agent, more);
	json_object_put(more);
}

static bool is_plain(const char *path)
{
	return path && path[0] == '/' && !strstr(path, "//") && path[strlen(path) - 1] != '/' &&
	       !strchr(path, '.');
}

/* A shell's line, as polquery is asked for it. */
static void law_line(struct json_object *doc, const char *line)
{
	struct json_object *q = json_object_new_object(), *answer;
	const char *text, *got, *cwd = query_json_text(doc, "cwd");
	size_t n = 0;
	char *copy;

	if (is_plain(cwd)) {
		LAW(q && !json_object_object_add(q, "kind", json_object_new_string("command")));
		LAW(!json_object_object_add(q, "line", json_object_new_string(line)));
		LAW(!json_object_object_add(q, "cwd", json_object_new_string(cwd)));
		text = json_object_to_json_string_ext(q, JSON_C_TO_STRING_PLAIN);
		copy = law_text((const uint8_t *)text, strlen(text));
		got = query_answer(&query, copy, strlen(copy), &n);
		LAW(got);
		answer = json_tokener_parse(got);
		LAW(answer && effect_of(query_json_text(answer, "effect")) == ALLOW);
		json_object_put(answer);
		free(copy);
	}
	json_object_put(q);
}

static bool says_where(struct json_object *input, const char *where)
{
	json_object_object_foreach(input, key, value) {
		(void)value;
		if (strstr(where, key))
			return true;
	}
	return false;
}

static void law_shell(enum hook_agent agent, struct json_object *doc)
{
	const char *event = query_json_text(doc, "hook_event_name");
	const char *name = query_json_text(doc, "tool_name");
	const struct hook_tool *t = name ? hook_tool_find(agent, name) : NULL;
	struct json_object *input;

	if (agent == HOOK_CURSOR && strcmp(event, "beforeShellExecution") == 0)
		law_line(doc, query_json_text(doc, "command"));
	else if (t && t->what == W_SHELL && strcmp(event, "beforeMCPExecution") != 0 && json_object_object_get_ex(doc, "tool_input", &input) &&
		 !says_where(input, t->where))
		law_line(doc, query_json_text(input, "command"));
}

static void law_allowed(enum hook_agent agent, const char *text, size_t n)
{
	static const char *const event[] = { "hook_event_name", NULL };
	static const char *const where[] = { "cwd", "workspace_roots", NULL };
	static const char *const what[] = { "tool_name", "command", "file_path", NULL };
	struct rt_err err = { 0 };
	struct query_json j;
	char *cut;

	LAW(query_json_init(&j) && query_json_read(&j, text, n, &err));
	law_without(agent, j.doc, event);
	law_without(agent, j.doc, where);
	law_without(agent, j.doc, what);
	law_with(agent, text, n, "\"hook_event_name\":\"PreToolUse\",");
	law_with(agent, text, n, "\"zz9\":1,");
	if (agent != HOOK_CURSOR ||
	    strcmp(query_json_text(j.doc, "hook_event_name"), "preToolUse") == 0)
		law_tool(agent, j.doc);
	law_shell(agent, j.doc);
	query_json_release(&j);
	while (n && strchr(" \t\r\n", text[n - 1]))
		n--;
	cut = law_text((const uint8_t *)text, n - 1);
	LAW(ask(agent, cut, n - 1) == BLOCK);
	free(cut);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static struct bundle b;
	struct rt_err err = { 0 };
	char *text = law_text(data, n);

	if (!b.bytes) {
		policy_made(policy, &b);
		/* what the clients set; nothing is recorded of these sessions */
		LAW(setenv("HOME", "/proc/none", 1) == 0);
		LAW(setenv("CLAUDE_PROJECT_DIR", "/home/u/project", 1) == 0);
		LAW(setenv("GEMINI_PROJECT_DIR", "/home/u/project", 1) == 0);
		LAW(query_init(&query, &b, PB_HOST, &err) == 0);
	}
	for (unsigned agent = 0; agent < HOOK_AGENT_COUNT; agent++)
		if (ask((enum hook_agent)agent, text, n) == ALLOW)
			law_allowed((enum hook_agent)agent, text, n);
	free(text);
	return 0;
}
