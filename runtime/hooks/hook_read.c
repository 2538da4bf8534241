/*
 * Decides what an agent's tool would do: a line for a shell is a command; reading,
 * writing and editing are files; fetching is an address; everything else is a tool.
 * The tables are in hook_tools.c, which names the pages that document the tools.
 */
#include "runtime/hooks/hook_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/io.h"
#include "runtime/bundle/format.h"
#include "runtime/hooks/hook_auto.h"
#include "runtime/hooks/hook_named.h"
#include "runtime/hooks/hook_reading.h"
#include "runtime/hooks/hook_tools.h"
#include "runtime/query/query_json.h"

/* `what`: W_TOOL if the message names its tool, else what the event itself stands for.  `fixed`: no other
 * line can be handed back.  `by_hand`: install leaves it to the person, and the doctor does not miss it. */
static const struct event {
	enum hook_agent agent;
	const char *name;
	uint8_t what;
	bool can_ask, fixed, by_hand;
} events[] = {
	{ HOOK_CLAUDE, "PreToolUse", W_TOOL, true, false, false },
	/* a shell line in the text of a skill or slash command; "ask" keeps it from running as "deny" does */
	{ HOOK_CLAUDE, "PreSkillShellCommand", W_TOOL, false, true, false },
	{ HOOK_CODEX, "PreToolUse", W_TOOL, false, false, false },
	/* a yes may also mean to leave Codex's own sandbox, which the message does not say */
	{ HOOK_CODEX, "PermissionRequest", W_TOOL, true, true, true },
	{ HOOK_GEMINI, "BeforeTool", W_TOOL, false, false, false },
	{ HOOK_QWEN, "PreToolUse", W_TOOL, false, true, false },
	/* one tool at a time; its plugin hands back no other line */
	{ HOOK_OPENCODE, "tool.execute.before", W_TOOL, false, true, false },
	/* headless it denies what is asked about; what was asked about runs as it was (hook.c) */
	{ HOOK_COPILOT, "preToolUse", W_TOOL, true, false, false },
	/* its extension asks the person, if there is one */
	{ HOOK_PI, "tool_call", W_TOOL, true, true, false },
	{ HOOK_CURSOR, "preToolUse", W_TOOL, false, false, false },
	{ HOOK_CURSOR, "beforeShellExecution", W_SHELL, true, true, false },
	{ HOOK_CURSOR, "beforeMCPExecution", W_MCP, true, true, false },
	{ HOOK_CURSOR, "beforeReadFile", W_READ, false, true, false },
	{ HOOK_CURSOR, "beforeTabFileRead", W_READ, false, true, false },
};

/* What the fields are called. */
static const struct names {
	const char *event; /* NULL: its messages do not name it, and there is one */
	const char *session, *tool, *input;
} names[HOOK_AGENT_COUNT] = {
#define USUAL { "hook_event_name", "session_id", "tool_name", "tool_input" }
	[HOOK_CLAUDE] = USUAL, [HOOK_CODEX] = USUAL,	[HOOK_GEMINI] = USUAL,
	[HOOK_CURSOR] = USUAL, [HOOK_QWEN] = USUAL,	[HOOK_OPENCODE] = USUAL, [HOOK_PI] = USUAL,
	[HOOK_COPILOT] = { NULL, "sessionId", "toolName", "toolArgs" },
};

const char *hook_agent_event(enum hook_agent agent, size_t k)
{
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		if (events[i].agent == agent && !events[i].by_hand && k-- == 0)
			return events[i].name;
	return NULL;
}

/* --- requests ---------------------------------------------------------------------- */

static bool add_tool(struct reading *r, const char *name)
{
	struct query_request *q = hook_add(r, QUERY_TOOL);

	if (q)
		q->name = name;
	return q != NULL;
}

/* --- what the tool is given ---------------------------------------------------------------- */

/* Reads a text; *ret is NULL if there is no such key. */
static bool text_at(struct reading *r, struct json_object *o, const char *key,
		    const char **ret)
{
	struct json_object *v;

	*ret = NULL;
	if (!json_object_object_get_ex(o, key, &v))
		return true;
	if (!json_object_is_type(v, json_type_string))
		return hook_fail(r, key, "is no text");
	*ret = json_object_get_string(v);
	if (!(*ret)[0])
		return hook_fail(r, key, "is empty");
	return true;
}

/* Finds the one key of the list that exists, and its text. */
static bool one_of(struct reading *r, struct json_object *o, const char *list,
		   const char **ret_key, const char **ret)
{
	*ret = NULL;
	json_object_object_foreach(o, key, value) {
		(void)value;
		if (!hook_in_list(list, key))
			continue;
		if (*ret)
			return hook_fail(r, key, "says again what another field says");
		if (!text_at(r, o, key, ret))
			return false;
		*ret_key = key;
	}
	return true;
}

static bool is_ignored(const struct reading *r, const char *field)
{
	for (char *const *f = r->fields; f && *f; f++)
		if (strcmp(*f, field) == 0)
			return true;
	return false;
}

/* True: the field is a switch, and is off, or m->asks says that it is on.  A value of
 * another type is left to look_for_odd(). */
static bool take_switch(struct reading *r, const char *key, struct json_object *value)
{
	const struct hook_switch *s = r->tool ? hook_tool_switch(r->m->agent, r->tool, key) : NULL;
	bool on;

	if (!s || !json_object_is_type(value, s->value ? json_type_string : json_type_boolean))
		return false;
	on = s->value ? strcmp(json_object_get_string(value), s->value) == 0 :
			json_object_get_boolean(value);
	if (on && !is_ignored(r, key))
		r->m->asks = s->why;
	return true;
}

static void look_for_odd(struct reading *r, struct json_object *o, const char *a,
			 const char *b, const char *c, const char *d)
{
	json_object_object_foreach(o, key, value) {
		if (!take_switch(r, key, value) && !r->m->odd && !hook_in_list(a, key) &&
		    !hook_in_list(b, key) && !hook_in_list(c, key) && !hook_in_list(d, key) &&
		    !is_ignored(r, key))
			r->m->odd = key;
	}
}

static bool add_shell(struct reading *r, const char *line, const char *where)
{
	struct query_request *q = hook_add(r, QUERY_COMMAND);

	if (!q)
		return false;
	q->line = line;
	if (!r->event->fixed)
		r->m->line = line;
	q->line_n = strlen(line);
	if (where) {
		const char *dir = hook_plain_path(r, "cwd", where);

		if (!dir)
			return false;
		r->m->requests[r->m->n - 1].cwd = dir;
	}
	return true;
}

/* Codex takes a line that is nothing but a patch for apply_patch and applies it itself. */
static bool add_line(struct reading *r, const char *line, const char *where)
{
	char *patch = r->m->agent == HOOK_CODEX ? hook_patch_of_line(line) : NULL;

	if (!patch)
		return add_shell(r, line, where);
	if (where && !(r->cwd = hook_plain_path(r, "cwd", where))) {
		free(patch);
		return false;
	}
	return hook_keep(r, patch) && hook_add_patch(r, patch);
}

static bool add_known(struct reading *r, const struct hook_tool *t, const char *key,
		      const char *subject, const char *where)
{
	switch ((enum what)t->what) {
	case W_SHELL:
		return add_line(r, subject, where);
	case W_READ:
		return hook_add_file(r, key, subject, PB_READ);
	case W_WRITE:
		return hook_add_file(r, key, subject, PB_WRITE);
	case W_EDIT:
		return hook_add_file(r, key, subject, PB_READ | PB_WRITE);
	case W_SOUGHT:
		return hook_add_sought(r, key, subject);
	case W_URL:
		return hook_add_url(r, key, subject, HOOK_URL_ALONE);
	case W_PROMPT:
		return hook_add_urls(r, key, subject);
	case W_PATCH:
		return hook_add_patch(r, subject);
	case W_TREE: /* we do not know what it touches below, so the tool must be
	                allowed, too */
	case W_TREES:
	case W_TOPS:
		return hook_add_file(r, key, subject, PB_READ) && add_tool(r, t->name);
	case W_FILES:
	case W_PUBLISH:
	case W_TOOL:
	case W_TASK:
	case W_MCP:
	case W_WATCH:
	default:
		return add_tool(r, t->name);
	}
}

/* Either a line, or a socket; what is in `ws` beside the address changes nothing that we
 * know of, unless it is new. */
static bool add_watch(struct reading *r, const struct hook_tool *t)
{
	struct json_object *ws, *url;
	const char *line;

	if (!text_at(r, r->input, "command", &line))
		return false;
	if (!json_object_object_get_ex(r->input, "ws", &ws))
		return line ? add_shell(r, line, NULL) : hook_fail(r, "command", "is missing");
	if (line)
		return hook_fail(r, "ws", "says again what 'command' says");
	if (!json_object_is_type(ws, json_type_object) ||
	    !json_object_object_get_ex(ws, "url", &url) ||
	    !json_object_is_type(url, json_type_string))
		return hook_fail(r, "ws", "has no address");
	look_for_odd(r, ws, "url protocols", "", "", "");
	return hook_add_url(r, "ws", json_object_get_string(url), HOOK_URL_SOCKET) &&
	       add_tool(r, t->name);
}

/*
 * opencode puts each file that a text for a subagent names behind an '@' into it (seen in 1.18.33: also from
 * HOME and /etc), and asks no hook about it.
 */
static bool look_at_task(struct reading *r, const struct hook_tool *t)
{
	const char *text;

	if (!text_at(r, r->input, t->subject, &text))
		return false;
	if (text && strchr(text, '@') && !is_ignored(r, t->subject))
		r->m->asks = "its text has an '@', and the agent reads a file that is named behind it without asking";
	return true;
}

/* The tool's input is a text and not an object: a patch. */
static bool read_text_tool(struct reading *r, const struct hook_tool *t)
{
	const char *key = names[r->m->agent].input, *text;

	if (!text_at(r, r->doc, key, &text))
		return false;
	return text ? add_known(r, t, key, text, NULL) : hook_fail(r, key, "is missing");
}

/* The directories of a list, or the one that it works in. */
static bool add_tops(struct reading *r, const struct hook_tool *t)
{
	size_t before = r->m->n;

	return hook_check_globs(r, t) && hook_add_reads(r, t->subject) &&
	       (r->m->n > before || hook_add_file(r, "cwd", r->cwd, PB_READ)) && add_tool(r, t->name);
}

/* Is it a tool of an MCP server?  Gemini CLI says so beside the tool, the others by the
 * tool's name.  Cursor also has an event of its own for such tools. */
static bool is_of_server(const struct reading *r, const char *name)
{
	return strncmp(name, "mcp_", 4) == 0 || strncmp(name, "MCP:", 4) == 0 ||
	       json_object_object_get_ex(r->doc, "mcp_context", NULL);
}

static bool read_tool(struct reading *r, const char *name)
{
	const struct hook_tool *t = hook_tool_find(r->m->agent, name);
	const char *key = names[r->m->agent].input, *subject = NULL, *where = NULL, *at = NULL;

	if (!t) /* a server's tool may mean files of another machine */
		return (is_of_server(r, name) || !r->input ||
			hook_add_any_files(r, hook_file_keys)) &&
		       add_tool(r, name);
	if (t->what == W_PATCH && !t->subject[0])
		return read_text_tool(r, t);
	if (!r->input)
		return hook_fail(r, key, "is no object");
	r->tool = t->name;
	look_for_odd(r, r->input, t->subject, t->where, t->glob, t->other);
	if (t->what == W_WATCH)
		return add_watch(r, t);
	if (t->what == W_TASK && !look_at_task(r, t))
		return false;
	if (t->what == W_TOOL || t->what == W_TASK)
		return add_tool(r, t->name);
	if (t->what == W_FILES)
		return hook_add_files(r, t->subject) && add_tool(r, t->name);
	if (t->what == W_TOPS)
		return add_tops(r, t);
	if (t->what == W_PUBLISH)
		return hook_add_published(r, t) && add_tool(r, t->name);
	if (!hook_check_globs(r, t) || !one_of(r, r->input, t->subject, &key, &subject) ||
	    !one_of(r, r->input, t->where, &at, &where))
		return false;
	if (!subject && (t->what == W_TREE || t->what == W_TREES))
		subject = r->cwd;
	if (!subject) {
		char want[QUERY_SHOWN_CAP];

		(void)snprintf(want, sizeof(want), "%s", t->subject);
		return hook_fail(r, want, "is missing");
	}
	return add_known(r, t, key, subject, where);
}

/* --- the message ------------------------------------------------------------------------- */

static bool find_event(struct reading *r)
{
	const char *key = names[r->m->agent].event, *name;

	if (!text_at(r, r->doc, key ? key : names[r->m->agent].tool, &name))
		return false;
	if (!name)
		return hook_fail(r, key ? key : names[r->m->agent].tool, "is missing");
	if (!key)
		name = hook_agent_event(r->m->agent, 0);
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]) && !r->event; i++)
		if (events[i].agent == r->m->agent && strcmp(events[i].name, name) == 0)
			r->event = &events[i];
	if (!r->event)
		return hook_fail(r, name, "is no event in which this hook has anything to say");
	r->m->event = r->event->name;
	r->m->can_ask = r->event->can_ask;
	r->m->is_question = r->event->by_hand;
	return true;
}

/* Cursor names its workspace in each message; opencode's plugin the directory that it was given at its start, and
 * pi's extension that of its session. */
static bool find_root(struct reading *r)
{
	struct json_object *roots, *first;
	const char *cwd;

	if (r->m->agent == HOOK_OPENCODE || r->m->agent == HOOK_PI) {
		if (!text_at(r, r->doc, "cwd", &cwd))
			return false;
		r->m->root = cwd ? hook_plain(r, "cwd", cwd, NULL) : NULL;
		return r->m->root || hook_fail(r, "cwd", "is missing");
	}
	if (r->m->agent != HOOK_CURSOR ||
	    !json_object_object_get_ex(r->doc, "workspace_roots", &roots) ||
	    !json_object_is_type(roots, json_type_array) ||
	    (first = json_object_array_get_idx(roots, 0)) == NULL ||
	    !json_object_is_type(first, json_type_string))
		return true;
	r->m->root = hook_plain(r, "workspace_roots", json_object_get_string(first), NULL);
	return r->m->root != NULL;
}

static bool find_session(struct reading *r)
{
	return text_at(r, r->doc, names[r->m->agent].session, &r->m->session) &&
	       (r->m->session || r->m->agent != HOOK_CURSOR ||
		text_at(r, r->doc, "conversation_id", &r->m->session));
}

static bool find_cwd(struct reading *r)
{
	const char *cwd;

	if (!text_at(r, r->doc, "cwd", &cwd))
		return false;
	/* Cursor gives the directory only for shells */
	if (!cwd)
		cwd = r->m->root;
	if (!cwd)
		return hook_fail(r, "cwd", "is missing");
	r->m->cwd = r->cwd = hook_plain(r, "cwd", cwd, NULL);
	return r->cwd != NULL;
}

static bool read_event(struct reading *r)
{
	const char *text;

	switch ((enum what)r->event->what) {
	case W_SHELL:
		if (!text_at(r, r->doc, "command", &text))
			return false;
		return text ? add_shell(r, text, NULL) : hook_fail(r, "command", "is missing");
	case W_READ:
		if (!text_at(r, r->doc, "file_path", &text))
			return false;
		return text ? hook_add_file(r, "file_path", text, PB_READ) :
			      hook_fail(r, "file_path", "is missing");
	case W_MCP:
		if (!text_at(r, r->doc, "tool_name", &text))
			return false;
		return text ? add_tool(r, text) : hook_fail(r, "tool_name", "is missing");
	case W_TOOL:
	case W_WRITE:
	case W_EDIT:
	case W_SOUGHT:
	case W_FILES:
	case W_PUBLISH:
	case W_TREE:
	case W_TREES:
	case W_TOPS:
	case W_URL:
	case W_PROMPT:
	case W_PATCH:
	case W_WATCH:
	case W_TASK:
	default:
		if (!text_at(r, r->doc, names[r->m->agent].tool, &text))
			return false;
		return text ? read_tool(r, text) : hook_fail(r, names[r->m->agent].tool, "is missing");
	}
}

/* Not every mode of the agent asks a person when the hook says "ask". */
static bool find_mode(struct reading *r)
{
	const char *asking = hook_modes[r->m->agent], *mode;

	if (!asking || is_ignored(r, "permission_mode"))
		return true;
	if (!text_at(r, r->doc, "permission_mode", &mode))
		return false;
	if (mode && (hook_in_list(asking, mode) ||
		     (r->m->agent == HOOK_CLAUDE && strcmp(mode, "auto") == 0 && hook_auto_asks())))
		return true;
	r->m->can_ask = false;
	r->m->mode = mode ? mode : "unknown";
	return true;
}

bool hook_read(enum hook_agent agent, const char *text, size_t n,
	       char *const *fields, struct hook_message *ret, struct rt_err *err)
{
	struct reading r = { .m = ret, .fields = fields, .err = err };
	struct json_object *input;

	*ret = (struct hook_message){ .agent = agent,
				      .json = calloc(1, sizeof(*ret->json)) };
	if (!ret->json || !query_json_init(ret->json))
		return hook_no_memory(&r);
	if (!query_json_read(ret->json, text, n, err))
		return false;
	r.doc = ret->json->doc;
	if (!find_event(&r) || !find_mode(&r) || !find_session(&r) || !find_root(&r) ||
	    !find_cwd(&r))
		return false;
	if (json_object_object_get_ex(r.doc, names[agent].input, &input) &&
	    json_object_is_type(input, json_type_object))
		ret->input = r.input = input;
	look_for_odd(&r, r.doc, hook_around[agent], "", "", "");
	return read_event(&r);
}
