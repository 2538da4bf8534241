/* Decides which hooks of a settings file run, and which of them can deny. */
#include "runtime/hooks/hook_settings.h"

#include <errno.h>
#include <json-c/json.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/place.h"
#include "runtime/hooks/hook_edit.h"
#include "runtime/hooks/hook_env.h"
#include "runtime/hooks/hook_read.h"
#include "runtime/hooks/hook_schema.h"
#include "runtime/query/query_json.h"

/* What switches hooks off (code.claude.com/docs/en/settings, geminicli.com/docs/
 * reference/configuration; the last two are from older versions of Gemini CLI). */
static const struct off {
	enum hook_agent agent;
	const char *object, *key;
	bool value;
} offs[] = {
	{ HOOK_CLAUDE, NULL, "disableAllHooks", true },
	{ HOOK_QWEN, NULL, "disableAllHooks", true },
	{ HOOK_QWEN, "hooksConfig", "enabled", false },
	{ HOOK_QWEN, "hooks", "enabled", false },
	{ HOOK_COPILOT, NULL, "disableAllHooks", true },
	{ HOOK_GEMINI, "hooksConfig", "enabled", false },
	{ HOOK_GEMINI, "tools", "enableHooks", false },
	{ HOOK_GEMINI, "hooks", "enabled", false },
};

static bool is_true(struct json_object *o, const char *key)
{
	struct json_object *v;

	return json_object_object_get_ex(o, key, &v) && json_object_get_boolean(v);
}

/* --- one hook
 * ---------------------------------------------------------------------------- */

/* A hook that runs later, or that is not a command, cannot stop the tool. */
static bool can_deny(struct hook_look *l, struct json_object *e)
{
	const char *type = query_json_text(e, "type"),
		   *command = query_json_text(e, "command");

	if (!is_true(e, "async") && !is_true(e, "asyncRewake") &&
	    (!type || strcmp(type, "command") == 0))
		return true;
	hook_say(l, HOOK_WRONG,
		 "a hook that runs in the background, or is of another type than "
		 "'command', denies nothing: ",
		 command);
	return false;
}

/* Does it have a field that we do not read?  Such a field also changes what Codex
 * trusts. */
static bool look_at_fields(struct hook_look *l, struct json_object *e)
{
	char text[200];
	bool odd = false;

	if (!hook_schema_is_flat(l->agent) && !json_object_object_get_ex(e, "type", NULL))
		hook_say(l, HOOK_WRONG,
			 "without a 'type' the agent takes it for no hook: ",
			 query_json_text(e, "command"));
	json_object_object_foreach(e, name, value)
	{
		enum hook_field_is is = hook_field(l->agent, name, value);

		if (is == HOOK_FIELD_GOOD)
			continue;
		odd |= is == HOOK_FIELD_UNKNOWN;
		(void)snprintf(text, sizeof(text), "%s of the hook: ",
			       is == HOOK_FIELD_UNKNOWN
				       ? "cannot tell what this changes"
				       : "the agent takes no such value, and skips it "
					 "or the whole file");
		hook_say(l, HOOK_WRONG, text, name);
	}
	if (is_true(e, "once"))
		hook_say(l, HOOK_WRONG, "with 'once' it is asked a single time: ",
			 query_json_text(e, "command"));
	return odd;
}

static double number_of(struct json_object *e, const char *key)
{
	struct json_object *v;

	return json_object_object_get_ex(e, key, &v) ? json_object_get_double(v) : -1;
}

static void look_at_hook(struct hook_look *l, struct json_object *e,
			 struct hook_found h)
{
	h.command = query_json_text(e, "command");
	if (!strstr(h.command, "polquery"))
		return;
	if (!h.matcher)
		h.matcher = query_json_text(e, "matcher");
	h.status = query_json_text(e, "statusMessage");
	h.timeout = number_of(e, l->agent == HOOK_COPILOT ? "timeoutSec" : "timeout");
	h.fail_closed = is_true(e, "failClosed");
	h.only_if = query_json_text(e, "if");
	h.name = query_json_text(e, "name");
	if (!can_deny(l, e))
		return;
	h.odd = look_at_fields(l, e);
	hook_look_at(l, &h);
}

/* Looks at the hooks of one group, or (`inner` is false) at the groups of the event.
 * Cursor has no groups, Copilot CLI takes both. */
static void look_at_list(struct hook_look *l, struct hook_found h,
			 struct json_object *list, bool inner)
{
	for (size_t i = 0; json_object_is_type(list, json_type_array) &&
			   i < json_object_array_length(list);
	     i++) {
		struct json_object *e = json_object_array_get_idx(list, i), *hooks;

		*(inner ? &h.index : &h.group) = (unsigned)i;
		if (!json_object_is_type(e, json_type_object))
			continue;
		if (query_json_text(e, "command") &&
		    (inner || hook_schema_is_flat(l->agent))) {
			look_at_hook(l, e, h);
		} else if (!inner && json_object_object_get_ex(e, "hooks", &hooks)) {
			struct hook_found group = h;

			group.matcher = query_json_text(e, "matcher");
			look_at_list(l, group, hooks, true);
		}
	}
}

/* --- the file
 * ------------------------------------------------------------------------------ */

/* Gemini CLI's lists of hooks that are not run, by name or by command. */
static void look_at_disabled(struct hook_look *l, struct json_object *doc,
			     const char *object)
{
	struct json_object *o, *list;
	char text[PATH_MAX + 80];

	if (!json_object_object_get_ex(doc, object, &o) ||
	    !json_object_is_type(o, json_type_object) ||
	    !json_object_object_get_ex(o, "disabled", &list))
		return;
	if (!json_object_is_type(list, json_type_array)) {
		hook_say(l, HOOK_WRONG, "cannot tell which hooks 'disabled' switches off in ",
			 l->file);
		return;
	}
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		const char *name =
			json_object_get_string(json_object_array_get_idx(list, i));
		bool ours = name && strstr(name, "polquery");

		if (!name)
			continue;
		(void)snprintf(text, sizeof(text), "%s is switched off in %s: ",
			       ours ? "it" : "a hook", l->file);
		hook_say(l, ours ? HOOK_WRONG : HOOK_NOTE, text, name);
		l->others_off |= !ours;
	}
}

/* For Claude Code: is "hooks" in the list, or does the switch apply to everything? */
static bool is_of_plugins_only(struct json_object *doc)
{
	struct json_object *v;

	if (!json_object_object_get_ex(doc, "strictPluginOnlyCustomization", &v))
		return false;
	if (!json_object_is_type(v, json_type_array))
		return json_object_get_boolean(v);
	for (size_t i = 0; i < json_object_array_length(v); i++) {
		const char *name = json_object_get_string(json_object_array_get_idx(v, i));

		if (name && strcmp(name, "hooks") == 0)
			return true;
	}
	return false;
}

/* Looks at what only the settings of the system, or those from a server, may say. */
static void look_at_managed(struct hook_look *l, struct json_object *doc)
{
	if (is_true(doc, "allowManagedHooksOnly") || is_of_plugins_only(doc))
		l->managed_only = true;
	if (json_object_object_get_ex(doc, "policyHelper", NULL))
		hook_say(l, HOOK_WRONG,
			 "cannot tell what a program ('policyHelper') adds to ", l->file);
}

static void look_at_switches(struct hook_look *l, struct json_object *doc)
{
	for (size_t i = 0; i < sizeof(offs) / sizeof(offs[0]); i++) {
		struct json_object *o = doc, *v;
		char text[PATH_MAX + 80];

		/* a value that is not a boolean is reported as well: it may replace
		 * another file's */
		if (offs[i].agent != l->agent ||
		    (offs[i].object &&
		     !json_object_object_get_ex(doc, offs[i].object, &o)) ||
		    !json_object_is_type(o, json_type_object) ||
		    !json_object_object_get_ex(o, offs[i].key, &v) ||
		    (json_object_is_type(v, json_type_boolean) &&
		     json_object_get_boolean(v) != offs[i].value))
			continue;
		(void)snprintf(text, sizeof(text), "no hook runs, '%s' is %s in ",
			       offs[i].key, json_object_to_json_string(v));
		hook_say(l, HOOK_WRONG, text, l->file);
	}
	if ((l->agent == HOOK_CLAUDE && !l->project) || (l->agent == HOOK_COPILOT && l->system))
		look_at_managed(l, doc);
	if (l->agent == HOOK_GEMINI || l->agent == HOOK_QWEN) {
		look_at_disabled(l, doc, "hooksConfig");
		look_at_disabled(l, doc, "hooks");
	}
}

/* Claude Code's own rules that deny or ask.  It holds them against the line that a hook
 * hands back, and not against the one that was asked for (seen in 2.1.331). */
static void look_at_rules(struct hook_look *l, struct json_object *doc)
{
	static const char *const lists[] = { "deny", "ask" };
	struct json_object *rules, *list;

	if (l->agent != HOOK_CLAUDE || !json_object_object_get_ex(doc, "permissions", &rules) ||
	    !json_object_is_type(rules, json_type_object))
		return;
	for (size_t k = 0; k < 2; k++) {
		if (!json_object_object_get_ex(rules, lists[k], &list) ||
		    !json_object_is_type(list, json_type_array))
			continue;
		for (size_t i = 0; i < json_object_array_length(list); i++) {
			const char *rule = json_object_get_string(json_object_array_get_idx(list, i));

			if (rule && !l->rule[0] &&
			    (strncmp(rule, "Bash(", 5) == 0 || strncmp(rule, "Monitor(", 8) == 0))
				(void)snprintf(l->rule, sizeof(l->rule), "%s %.100s", lists[k], rule);
		}
	}
}

/* Claude Code runs its hooks with the variables in `env`. */
static void look_at_env(struct hook_look *l, struct json_object *doc)
{
	struct json_object *env;

	if (l->agent != HOOK_CLAUDE || !json_object_object_get_ex(doc, "env", &env) ||
	    !json_object_is_type(env, json_type_object))
		return;
	json_object_object_foreach(env, name, value)
	{
		char text[PATH_MAX + 120];
		bool path = !l->project && strcmp(name, "PATH") == 0;

		(void)value;
		if (!hook_env_is_grave(name))
			continue;
		/* a correct line looks nothing up in PATH; but the line was asked
		 * without the other variables */
		(void)snprintf(text, sizeof(text),
			       "%s the hook runs with what 'env' of %s "
			       "says of ",
			       path         ? "absolute paths do not mind:"
			       : l->project ? "whoever writes the project decides:"
					    : "cannot tell:",
			       l->file);
		hook_say(l, path ? HOOK_NOTE : HOOK_WRONG, text, name);
	}
}

/* How many hooks stand in a list of Copilot CLI, and how many of them are ours? */
static void count_hooks(struct json_object *list, unsigned *ret_all, unsigned *ret_ours)
{
	struct json_object *hooks;

	for (size_t i = 0; json_object_is_type(list, json_type_array) &&
			   i < json_object_array_length(list); i++) {
		struct json_object *e = json_object_array_get_idx(list, i);
		const char *command = json_object_is_type(e, json_type_object) ? query_json_text(e, "command") :
										 NULL;

		if (json_object_is_type(e, json_type_object) && json_object_object_get_ex(e, "hooks", &hooks)) {
			count_hooks(hooks, ret_all, ret_ours);
			continue;
		}
		++*ret_all;
		*ret_ours += command && strstr(command, "polquery") && strstr(command, "hook copilot-cli");
	}
}

/* Copilot CLI asks the hooks of all files about the same call, and runs it as the last of them changed it: that
 * of the project comes last (seen in 1.0.102).  Its second name of the event is Claude Code's. */
static unsigned count_calls(struct json_object *doc, unsigned *ret_ours)
{
	static const char *const events[] = { "preToolUse", "PreToolUse" };
	struct json_object *hooks, *list;
	unsigned all = 0;

	*ret_ours = 0;
	for (size_t i = 0; i < 2; i++)
		if (json_object_object_get_ex(doc, "hooks", &hooks) && json_object_is_type(hooks, json_type_object) &&
		    json_object_object_get_ex(hooks, events[i], &list))
			count_hooks(list, &all, ret_ours);
	return all;
}

static bool has_ours(const struct hook_look *l, struct json_object *doc)
{
	unsigned ours;

	return l->agent == HOOK_COPILOT && count_calls(doc, &ours) && ours;
}

/* What a project may bring that Copilot CLI takes with its hooks. */
static void look_at_project(struct hook_look *l, struct json_object *doc)
{
	unsigned ours;

	if (count_calls(doc, &ours) > ours)
		hook_say(l, HOOK_WRONG, "a hook of the project may change a call after it was decided: ", l->file);
	if (json_object_object_get_ex(doc, "enabledPlugins", NULL))
		hook_say(l, HOOK_WRONG, "names plugins, whose hooks may change a call after it was decided: ",
			 l->file);
}

static void look_at_hooks(struct hook_look *l, struct json_object *doc)
{
	struct json_object *hooks, *list;
	unsigned found = l->found;
	char text[PATH_MAX + 120];
	const char *bad = hook_schema_hooks(l->agent, doc);

	/* Copilot CLI also takes a project's settings of Claude Code, and skips a file without ours alone */
	if (bad && (l->agent != HOOK_COPILOT || has_ours(l, doc))) {
		(void)snprintf(text, sizeof(text),
			       "the agent may skip the whole file, or all "
			       "hooks, for what stands at this place of %s: ",
			       l->file);
		hook_say(l, HOOK_WRONG, text, bad);
	}
	if (json_object_object_get_ex(doc, "hooks", &hooks) &&
	    json_object_is_type(hooks, json_type_object)) {
		for (size_t k = 0; hook_agent_event(l->agent, k); k++)
			if (json_object_object_get_ex(
				    hooks, hook_agent_event(l->agent, k), &list))
				look_at_list(
					l,
					(struct hook_found){ .event = hook_agent_event(
								     l->agent, k) },
					list, false);
	}
	bad = l->found > found ? hook_schema_rest(l->agent, doc) : NULL;
	if (bad) {
		(void)snprintf(text, sizeof(text),
			       "cannot tell whether the agent takes the file: "
			       "it skips all of one with a value that it does not "
			       "take, and this "
			       "of %s is not known here: ",
			       l->file);
		hook_say(l, HOOK_WRONG, text, bad);
	}
}

/* Wraps the text as the one value of an object, since query_json.h reads objects. */
static bool read_text(struct query_json *j, const char *text, size_t n,
		      struct rt_err *err)
{
	static const char head[] = "{\"settings\":";
	size_t cap = sizeof(head) + n + 2;
	char *all = malloc(cap);
	bool good = all != NULL && memchr(text, '\0', n) == NULL;

	if (good) {
		size_t len = (size_t)snprintf(all, cap, "%s%s}", head, text);

		good = query_json_read(j, all, len, err) &&
		       json_object_object_length(j->doc) == 1;
	}
	free(all);
	return good;
}

static struct json_object *settings_of(struct query_json *j)
{
	struct json_object *doc;

	return json_object_object_get_ex(j->doc, "settings", &doc) &&
			       json_object_is_type(doc, json_type_object)
		       ? doc
		       : NULL;
}

struct json_object *hook_settings_read(struct query_json *j, const char *text, size_t n,
				       struct rt_err *err)
{
	struct json_object *doc = NULL;

	(void)rt_fail(err, EINVAL, "it is no object");
	if (query_json_init(j) && read_text(j, text, n, err))
		doc = settings_of(j);
	return doc;
}

void hook_settings_look(struct hook_look *l, char *text, size_t n)
{
	struct rt_err err = { .text = "it is no object" };
	struct json_object *doc = NULL;
	struct query_json j;
	char said[sizeof(err.text) + 80];

	if (l->agent == HOOK_GEMINI || l->agent == HOOK_QWEN ||
	    (l->agent == HOOK_COPILOT && strstr(l->file, "/settings.")))
		hook_edit_blank(text);
	if (query_json_init(&j) && read_text(&j, text, n, &err))
		doc = settings_of(&j);
	if (doc) {
		/* in files of the user it holds for that file alone */
		if (l->agent != HOOK_COPILOT || l->project || l->system || has_ours(l, doc))
			look_at_switches(l, doc);
		if (l->agent == HOOK_COPILOT && l->project)
			look_at_project(l, doc);
		look_at_env(l, doc);
		look_at_rules(l, doc);
		look_at_hooks(l, doc);
	} else {
		(void)snprintf(said, sizeof(said),
			       "cannot be read, and the agent may not read it "
			       "either (%s): ",
			       err.text);
		hook_say(l, HOOK_WRONG, said, l->file);
	}
	query_json_release(&j);
}

static void look_at_folders(struct hook_look *l, struct json_object *doc,
			    const char *cwd)
{
	json_object_object_foreach(doc, folder, value)
	{
		const char *said = json_object_get_string(value);

		if (said && strcmp(said, "DO_NOT_TRUST") == 0 &&
		    place_is_below(cwd, folder))
			hook_say(l, HOOK_WRONG,
				 "no hook runs in a folder that the agent does not "
				 "trust: ",
				 folder);
	}
}

void hook_settings_trust(struct hook_look *l, const char *text, size_t n)
{
	struct rt_err err = { .text = "" };
	char *cwd = getcwd(NULL, 0);
	struct json_object *doc = NULL;
	struct query_json j;

	if (query_json_init(&j) && read_text(&j, text, n, &err))
		doc = settings_of(&j);
	if (doc && cwd)
		look_at_folders(l, doc, cwd);
	else
		hook_say(l, HOOK_WRONG,
			 "cannot be read, so that no folder may be trusted: ", l->file);
	query_json_release(&j);
	free(cwd);
}
