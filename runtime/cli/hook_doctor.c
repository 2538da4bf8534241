/* Decides which commands of an agent's settings are our hook, and whether it would
 * answer.  The settings' places are those of the agents' pages (hook_tools.c). */
#include "runtime/cli/hook_doctor.h"

#include <errno.h>
#include <json-c/json.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/cli/hook.h"
#include "runtime/cli/hook_look.h"
#include "runtime/cli/hook_message.h"
#include "runtime/cli/hook_toml.h"
#include "runtime/cli/query_json.h"
#include "runtime/cli/query_left.h"
#include "runtime/decide/explain.h"

enum { MAX_SETTINGS = 4 * 1024 * 1024 };

/* Below the agent's own directory, in the working directory, or of the system. */
enum where { AT_HOME, HERE, SYSTEM };

static const struct place {
	enum hook_agent agent;
	enum where where;
	const char *path;
} places[] = {
	{ HOOK_CLAUDE, AT_HOME, "settings.json" },
	{ HOOK_CLAUDE, HERE, ".claude/settings.json" },
	{ HOOK_CLAUDE, HERE, ".claude/settings.local.json" },
	{ HOOK_CLAUDE, SYSTEM, "/etc/claude-code/managed-settings.json" },
	{ HOOK_CODEX, AT_HOME, "hooks.json" },
	{ HOOK_CODEX, AT_HOME, "config.toml" },
	{ HOOK_CODEX, HERE, ".codex/hooks.json" },
	{ HOOK_CODEX, HERE, ".codex/config.toml" },
	{ HOOK_CODEX, SYSTEM, "/etc/codex/requirements.toml" },
	{ HOOK_GEMINI, SYSTEM, "/etc/gemini-cli/system-defaults.json" },
	{ HOOK_GEMINI, AT_HOME, "settings.json" },
	{ HOOK_GEMINI, HERE, ".gemini/settings.json" },
	{ HOOK_GEMINI, SYSTEM, "/etc/gemini-cli/settings.json" },
	{ HOOK_CURSOR, AT_HOME, "hooks.json" },
	{ HOOK_CURSOR, HERE, ".cursor/hooks.json" },
	{ HOOK_CURSOR, SYSTEM, "/etc/cursor/hooks.json" },
};

/* The agents' own directories; `variable` may name another one. */
static const struct {
	const char *below_home, *variable;
} own[HOOK_AGENT_COUNT] = {
	[HOOK_CLAUDE] = { ".claude", "CLAUDE_CONFIG_DIR" },
	[HOOK_CODEX] = { ".codex", "CODEX_HOME" },
	[HOOK_GEMINI] = { ".gemini", NULL },
	[HOOK_CURSOR] = { ".cursor", NULL },
};

/* What switches hooks off (code.claude.com/docs/en/settings, geminicli.com/docs/
 * reference/configuration; the last two are of its older versions). */
static const struct off {
	enum hook_agent agent;
	const char *object, *key;
	bool value;
} offs[] = {
	{ HOOK_CLAUDE, NULL, "disableAllHooks", true },
	{ HOOK_GEMINI, "hooksConfig", "enabled", false },
	{ HOOK_GEMINI, "tools", "enableHooks", false },
	{ HOOK_GEMINI, "hooks", "enabled", false },
};

/* --- the settings ---------------------------------------------------------------------- */

static bool is_true(struct json_object *o, const char *key)
{
	struct json_object *v;

	return json_object_object_get_ex(o, key, &v) && json_object_get_boolean(v);
}

/* A hook that is run later, or is no command, stops nothing. */
static bool can_deny(struct hook_look *l, struct json_object *e)
{
	const char *type = query_json_text(e, "type"), *command = query_json_text(e, "command");

	if (!is_true(e, "async") && (!type || strcmp(type, "command") == 0))
		return true;
	if (strstr(command, "polquery")) {
		hook_say(l, "a hook that runs in the background, or is of another type than "
		       "'command', denies nothing: ", command);
		l->good = false;
	}
	return false;
}

/* What a hook may have beside these changes what Codex trusts, or is not known. */
static bool has_more(struct json_object *e)
{
	static const char *const known[] = { "type", "command", "timeout", "statusMessage",
					     "async" };
	size_t n = 0;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		n += json_object_object_get_ex(e, known[i], NULL) ? 1 : 0;
	return (size_t)json_object_object_length(e) != n;
}

static double seconds_of(struct json_object *e)
{
	struct json_object *v;

	return json_object_object_get_ex(e, "timeout", &v) ? json_object_get_double(v) : -1;
}

static void look_at_hook(struct hook_look *l, struct json_object *e, struct hook_found h)
{
	h.command = query_json_text(e, "command");
	if (!h.matcher)
		h.matcher = query_json_text(e, "matcher");
	h.status = query_json_text(e, "statusMessage");
	h.timeout = seconds_of(e);
	h.fail_closed = is_true(e, "failClosed");
	h.odd = has_more(e);
	if (strstr(h.command, "polquery") && query_json_text(e, "if"))
		hook_say(l, "note: it is asked only if ", query_json_text(e, "if"));
	if (can_deny(l, e))
		hook_look_at(l, &h);
}

/* The hooks of one group, or of the event: then `inner` is false, and an element may be a
 * group. */
static void look_at_list(struct hook_look *l, struct hook_found h, struct json_object *list,
			 bool inner)
{
	for (size_t i = 0; json_object_is_type(list, json_type_array) &&
			   i < json_object_array_length(list);
	     i++) {
		struct json_object *e = json_object_array_get_idx(list, i), *hooks;

		*(inner ? &h.index : &h.group) = (unsigned)i;
		if (!json_object_is_type(e, json_type_object))
			continue;
		if (query_json_text(e, "command")) {
			look_at_hook(l, e, h);
		} else if (!inner && json_object_object_get_ex(e, "hooks", &hooks)) {
			struct hook_found group = h;

			group.matcher = query_json_text(e, "matcher");
			look_at_list(l, group, hooks, true);
		}
	}
}

/* Gemini CLI's lists of hooks that are not to run, by name or command. */
static void look_at_disabled(struct hook_look *l, struct json_object *doc, const char *object)
{
	struct json_object *o, *list;

	if (!json_object_object_get_ex(doc, object, &o) ||
	    !json_object_object_get_ex(o, "disabled", &list) ||
	    !json_object_is_type(list, json_type_array))
		return;
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		const char *name = json_object_get_string(json_object_array_get_idx(list, i));
		char text[PATH_MAX + 80];

		if (!name)
			continue;
		(void)snprintf(text, sizeof(text), "%s is switched off in %s: ",
			       strstr(name, "polquery") ? "it" : "note: a hook", l->file);
		hook_say(l, text, name);
		if (strstr(name, "polquery"))
			l->good = false;
	}
}

static void look_at_switches(struct hook_look *l, struct json_object *doc)
{
	for (size_t i = 0; i < sizeof(offs) / sizeof(offs[0]); i++) {
		struct json_object *o = doc, *v;
		char text[PATH_MAX + 80];

		if (offs[i].agent != l->agent ||
		    (offs[i].object && !json_object_object_get_ex(doc, offs[i].object, &o)) ||
		    !json_object_object_get_ex(o, offs[i].key, &v) ||
		    json_object_get_boolean(v) != offs[i].value)
			continue;
		(void)snprintf(text, sizeof(text), "no hook runs, '%s' is %s in ", offs[i].key,
			       offs[i].value ? "true" : "false");
		hook_say(l, text, l->file);
		l->good = false;
	}
	if (l->agent == HOOK_CLAUDE && l->system && is_true(doc, "allowManagedHooksOnly"))
		l->managed_only = true;
	if (l->agent == HOOK_GEMINI) {
		look_at_disabled(l, doc, "hooksConfig");
		look_at_disabled(l, doc, "hooks");
	}
}

/* Variables by which somebody else's program is run, or another bundle read. */
static bool is_grave(const char *name)
{
	static const char *const names[] = { "PATH", "HOME", "SHELL", "ENV", "BASH_ENV",
					     "SHELLOPTS", "BASHOPTS", "IFS", "PS4" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return strncmp(name, "LD_", 3) == 0 || strncmp(name, "BASH_FUNC_", 10) == 0 ||
	       strncmp(name, "GLIBC_", 6) == 0;
}

/* Claude Code runs its hooks with what `env` says. */
static void look_at_env(struct hook_look *l, struct json_object *doc)
{
	struct json_object *env;

	if (l->agent != HOOK_CLAUDE || !json_object_object_get_ex(doc, "env", &env) ||
	    !json_object_is_type(env, json_type_object))
		return;
	json_object_object_foreach(env, name, value) {
		char text[PATH_MAX + 120];

		(void)value;
		if (!is_grave(name))
			continue;
		(void)snprintf(text, sizeof(text), "%s the hook runs with what 'env' of %s "
			       "says of ", l->project ? "whoever writes the project decides:" :
			       "note:", l->file);
		hook_say(l, text, name);
		l->good &= !l->project;
	}
}

static void look_at_json(struct hook_look *l, const char *text)
{
	struct json_object *doc = text ? json_tokener_parse(text) : NULL, *hooks, *list;

	if (!json_object_is_type(doc, json_type_object)) {
		hook_say(l, "cannot be read, and the agent may not read it either: ", l->file);
		l->good = false;
		json_object_put(doc);
		return;
	}
	look_at_switches(l, doc);
	look_at_env(l, doc);
	if (json_object_object_get_ex(doc, "hooks", &hooks) &&
	    json_object_is_type(hooks, json_type_object)) {
		for (size_t k = 0; hook_agent_event(l->agent, k); k++)
			if (json_object_object_get_ex(hooks, hook_agent_event(l->agent, k),
						      &list))
				look_at_list(l, (struct hook_found){
					     .event = hook_agent_event(l->agent, k) },
					     list, false);
	}
	json_object_put(doc);
}

static void toml_hook(void *arg, const struct hook_found *h)
{
	struct hook_look *l = arg;

	for (size_t k = 0; hook_agent_event(l->agent, k); k++)
		if (strcmp(hook_agent_event(l->agent, k), h->event) == 0)
			hook_look_at(l, h);
}

/* A project's config.toml trusts nothing: Codex asks the user's own. */
static void toml_state(void *arg, const char *key, const char *name, const char *value)
{
	struct hook_look *l = arg;

	if (!l->project && !l->system)
		hook_trust_entry(&l->trust, key, name, value);
}

static void look_at_toml(struct hook_look *l, char *text)
{
	const struct hook_toml_each each = { .hook = toml_hook, .state = toml_state, .arg = l };
	char said[PATH_MAX + 80];
	struct hook_toml t;

	if (!text) {
		hook_say(l, "cannot be read: ", l->file);
		l->good = false;
		return;
	}
	hook_toml_read(text, &each, &t);
	if (t.hooks == HOOK_TOML_FALSE) {
		hook_say(l, "no hook runs, 'features.hooks' is false in ", l->file);
		l->good = false;
	} else if (t.hooks == HOOK_TOML_TRUE) {
		hook_say(l, "hooks are switched on in ", l->file);
	}
	if (t.managed_only == HOOK_TOML_TRUE)
		l->managed_only = true;
	if (t.unread) {
		(void)snprintf(said, sizeof(said), "undecided, line %u says something of hooks "
			       "that is not read here: ", t.unread);
		hook_say(l, said, l->file);
		l->good = false;
	}
}

static void look_at_file(struct hook_look *l)
{
	size_t len = strlen(l->file), n;
	char *text = NULL;
	int r = io_read_file(l->file, MAX_SETTINGS, &text, &n);

	if (r == -ENOENT || r == -ENOTDIR)
		return;
	if (len > 5 && strcmp(l->file + len - 5, ".toml") == 0)
		look_at_toml(l, r < 0 ? NULL : text);
	else
		look_at_json(l, r < 0 ? NULL : text);
	free(text);
}

static bool path_of(const struct place *p, char path[PATH_MAX])
{
	const char *home = getenv("HOME"), *other;
	int n;

	other = own[p->agent].variable ? getenv(own[p->agent].variable) : NULL;
	if (p->where != AT_HOME)
		n = snprintf(path, PATH_MAX, "%s", p->path);
	else if (other && other[0])
		n = snprintf(path, PATH_MAX, "%s/%s", other, p->path);
	else
		n = snprintf(path, PATH_MAX, "%s/%s/%s", home ? home : "",
			     own[p->agent].below_home, p->path);
	return n > 0 && n < PATH_MAX;
}

static void say_trust(void *arg, const char *text, const char *more)
{
	hook_say(arg, text, more);
}

/* What is found in all files together. */
static void look_at_all(struct hook_look *l)
{
	if (l->found && l->managed_only && !l->managed) {
		hook_say(l, "only hooks of the system's settings run, and it is in none of them", "");
		l->good = false;
	}
	if (!hook_trust_holds(&l->trust, say_trust, l))
		l->good = false;
	for (size_t k = 0; l->found && hook_agent_event(l->agent, k); k++)
		if (!(l->events & 1u << k)) {
			hook_say(l, "it is not asked at ", hook_agent_event(l->agent, k));
			l->good = false;
		}
}

static bool look_at_agent(enum hook_agent agent, bool named, bool *ret_found)
{
	struct hook_look l = { .agent = agent, .good = true };
	char path[PATH_MAX];

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if (places[i].agent != agent || !path_of(&places[i], path))
			continue;
		l.file = path;
		l.system = places[i].where == SYSTEM;
		l.project = places[i].where == HERE;
		look_at_file(&l);
	}
	look_at_all(&l);
	if (!l.found && (named || !l.good))
		hook_say(&l, "not installed (see doc/agents.md)", "");
	free(l.tried);
	hook_trust_release(&l.trust);
	*ret_found = l.found > 0;
	return l.good && (l.found || !named);
}

int hook_doctor(const struct query_options *opt)
{
	bool good = true, any = false, found;

	for (unsigned a = 0; a < HOOK_AGENT_COUNT; a++) {
		bool named = opt->agent && hook_agent_find(opt->agent) == a;

		if (opt->agent && !named)
			continue;
		good &= look_at_agent((enum hook_agent)a, named, &found);
		any |= found;
	}
	if (!any && !opt->agent)
		puts("no agent has the hook installed (see doc/agents.md)");
	query_left_note();
	return good && any ? 0 : 1;
}
