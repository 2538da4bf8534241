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
#include "runtime/cli/hook_line.h"
#include "runtime/cli/hook_message.h"
#include "runtime/cli/hook_toml.h"
#include "runtime/cli/query_json.h"
#include "runtime/decide/explain.h"

enum { MAX_SETTINGS = 4 * 1024 * 1024, SHOWN = 600 };

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

/* What is asked, behind the directory at hand: a line that does nothing. */
static const char *const questions[HOOK_AGENT_COUNT] = {
	[HOOK_CLAUDE] = ",\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Bash\","
			"\"tool_input\":{\"command\":\"true\"}}",
	[HOOK_CODEX] = ",\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Bash\","
		       "\"tool_input\":{\"command\":\"true\"}}",
	[HOOK_GEMINI] = ",\"hook_event_name\":\"BeforeTool\","
			"\"tool_name\":\"run_shell_command\","
			"\"tool_input\":{\"command\":\"true\"}}",
	[HOOK_CURSOR] = ",\"hook_event_name\":\"beforeShellExecution\","
			"\"command\":\"true\"}",
};

struct look {
	enum hook_agent agent;
	const char *file;
	unsigned found; /* hooks */
	char *tried;    /* the last command that was asked */
	bool good;      /* each answers and fails closed */
	bool system;    /* `file` is of the system */
	bool managed_only;
	unsigned managed; /* hooks in files of the system */
	uint32_t events; /* bit k: of the agent's k-th event */
};

static void say(const struct look *l, const char *text, const char *more)
{
	char shown[SHOWN];

	io_plain(shown, sizeof(shown), more);
	printf("%s: %s%s\n", hook_agent_name(l->agent), text, shown);
}

/* --- one command ------------------------------------------------------------------ */

/* The message that is tried; malloc'ed, or NULL. */
static char *question(enum hook_agent agent, size_t *ret_n)
{
	char cwd[PATH_MAX], *text = NULL;
	struct json_object *o = getcwd(cwd, sizeof(cwd)) ? json_object_new_string(cwd) : NULL;
	int n = o ? asprintf(&text, "{\"cwd\":%s%s", json_object_to_json_string(o),
			     questions[agent]) :
		    -1;

	json_object_put(o);
	*ret_n = n < 0 ? 0 : (size_t)n;
	return n < 0 ? NULL : text;
}

/* Would the hook decide? */
static bool answers(struct look *l, const struct query_options *opt)
{
	char why[SHOWN], *q;
	uint8_t effect;
	size_t n;
	bool good;

	q = question(l->agent, &n);
	good = hook_try(opt, q ? q : "", n, &effect, why, sizeof(why));
	free(q);
	if (!good)
		say(l, "does not answer, and denies everything: ", why);
	else
		say(l, "answers: the command 'true' is ",
		    effect == PB_ALLOW ? "allowed" : effect == PB_ASK ? "asked" : "denied");
	return good;
}

/* One that stands there several times is asked once. */
static bool tried(struct look *l, const char *command)
{
	if (l->tried && strcmp(l->tried, command) == 0)
		return true;
	free(l->tried);
	l->tried = strdup(command);
	return false;
}

/* Moves *p behind `word` and the blanks around it. */
static bool skip(const char **p, const char *word)
{
	const char *s = *p + strspn(*p, " \t\n");

	if (strncmp(s, word, strlen(word)) != 0)
		return false;
	s += strlen(word);
	*p = s + strspn(s, " \t\n");
	return true;
}

/* "echo SOME WORDS >&2;", and nothing that a shell would take for more. */
static bool skip_echo(const char **p)
{
	static const char words[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				    "0123456789_-.,: ";
	size_t n;

	if (!skip(p, "echo "))
		return false;
	n = strspn(*p, words);
	*p += n;
	return n && skip(p, ">&2") && skip(p, ";");
}

/*
 * Where polquery is not there or dies, is that a deny?  Codex blocks at status 2 with a
 * text on stderr only (codex-rs/hooks/src/events/pre_tool_use.rs), and takes no notice
 * of the text at status 0.
 */
static bool stays_closed(const struct look *l, const char *command, const struct hook_line *h,
			 bool fail_closed)
{
	const char *head = command, *tail = command + h->to;
	bool said = skip_echo(&head);

	if (!said)
		head += strspn(head, " \t\n");
	if (h->to == 0 || head != command + h->from) {
		say(l, "cannot tell whether it denies: more than polquery and its words stands "
		       "there", "");
		return false;
	}
	if (!tail[strspn(tail, " \t\n")] ? fail_closed :
	    skip(&tail, "||") && skip(&tail, "exit 2") && !*tail &&
			    (said || l->agent != HOOK_CODEX))
		return true;
	say(l, "where polquery is missing or dies, everything is allowed: ",
	    l->agent == HOOK_CODEX ? "begin the command with 'echo polquery: no answer >&2;' and "
				     "end it with '|| exit 2'" :
				     "end the command with '|| exit 2'");
	return false;
}

static void look_at_line(struct look *l, const char *command, bool fail_closed)
{
	struct hook_line h;
	struct rt_err err = { 0 };

	if (hook_line_read(command, &h, &err) < 0) {
		say(l, "cannot tell whether it answers: ", err.text);
		l->good = false;
	} else {
		if (!stays_closed(l, command, &h, fail_closed))
			l->good = false;
		if (!tried(l, command) && !answers(l, &h.opt))
			l->good = false;
	}
	hook_line_release(&h);
}

static void look_at_command(struct look *l, const char *event, const char *command,
			    const char *matcher, bool fail_closed)
{
	char name[40], text[PATH_MAX + 80];

	(void)snprintf(name, sizeof(name), "hook %s", hook_agent_name(l->agent));
	if (!strstr(command, "polquery") || !strstr(command, name))
		return;
	(void)snprintf(text, sizeof(text), "installed in %s (%s): ", l->file, event);
	say(l, text, command);
	for (size_t k = 0; hook_agent_event(l->agent, k); k++)
		if (strcmp(hook_agent_event(l->agent, k), event) == 0)
			l->events |= 1u << k;
	l->managed += l->system;
	if (matcher && matcher[0] && strcmp(matcher, "*") != 0 && strcmp(matcher, ".*") != 0)
		say(l, "note: it is asked for tools only that match ", matcher);
	l->found++;
	look_at_line(l, command, fail_closed);
}

/* --- the settings ---------------------------------------------------------------------- */

static bool is_true(struct json_object *o, const char *key)
{
	struct json_object *v;

	return json_object_object_get_ex(o, key, &v) && json_object_get_boolean(v);
}

/* A hook that is run later, or is no command, stops nothing. */
static bool can_deny(struct look *l, struct json_object *e)
{
	const char *type = query_json_text(e, "type"), *command = query_json_text(e, "command");

	if (!is_true(e, "async") && (!type || strcmp(type, "command") == 0))
		return true;
	if (strstr(command, "polquery")) {
		say(l, "a hook that runs in the background, or is of another type than "
		       "'command', denies nothing: ", command);
		l->good = false;
	}
	return false;
}

/* A list of hooks, or of groups with a matcher and a list of hooks. */
static void look_at_list(struct look *l, const char *event, struct json_object *list,
			 const char *matcher)
{
	for (size_t i = 0; json_object_is_type(list, json_type_array) &&
			   i < json_object_array_length(list);
	     i++) {
		struct json_object *e = json_object_array_get_idx(list, i), *inner;
		const char *command, *names;

		if (!json_object_is_type(e, json_type_object))
			continue;
		command = query_json_text(e, "command");
		names = query_json_text(e, "matcher");
		if (command && strstr(command, "polquery") && query_json_text(e, "if"))
			say(l, "note: it is asked only if ", query_json_text(e, "if"));
		if (command && can_deny(l, e))
			look_at_command(l, event, command, matcher ? matcher : names,
					is_true(e, "failClosed"));
		else if (!command && !matcher && json_object_object_get_ex(e, "hooks", &inner))
			look_at_list(l, event, inner, names ? names : "");
	}
}

/* Gemini CLI's lists of hooks that are not to run, by name or command. */
static void look_at_disabled(struct look *l, struct json_object *doc, const char *object)
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
		say(l, text, name);
		if (strstr(name, "polquery"))
			l->good = false;
	}
}

static void look_at_switches(struct look *l, struct json_object *doc)
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
		say(l, text, l->file);
		l->good = false;
	}
	if (l->agent == HOOK_CLAUDE && l->system && is_true(doc, "allowManagedHooksOnly"))
		l->managed_only = true;
	if (l->agent == HOOK_GEMINI) {
		look_at_disabled(l, doc, "hooksConfig");
		look_at_disabled(l, doc, "hooks");
	}
}

static void look_at_json(struct look *l, const char *text)
{
	struct json_object *doc = text ? json_tokener_parse(text) : NULL, *hooks, *list;

	if (!json_object_is_type(doc, json_type_object)) {
		say(l, "cannot be read, and the agent may not read it either: ", l->file);
		l->good = false;
		json_object_put(doc);
		return;
	}
	look_at_switches(l, doc);
	if (json_object_object_get_ex(doc, "hooks", &hooks) &&
	    json_object_is_type(hooks, json_type_object)) {
		for (size_t k = 0; hook_agent_event(l->agent, k); k++)
			if (json_object_object_get_ex(hooks, hook_agent_event(l->agent, k),
						      &list))
				look_at_list(l, hook_agent_event(l->agent, k), list, NULL);
	}
	json_object_put(doc);
}

static void toml_command(void *arg, const char *event, const char *command,
			 const char *matcher)
{
	struct look *l = arg;

	for (size_t k = 0; hook_agent_event(l->agent, k); k++)
		if (strcmp(hook_agent_event(l->agent, k), event) == 0)
			look_at_command(l, event, command, matcher, false);
}

static void look_at_toml(struct look *l, char *text)
{
	char said[PATH_MAX + 80];
	struct hook_toml t;

	if (!text) {
		say(l, "cannot be read: ", l->file);
		l->good = false;
		return;
	}
	hook_toml_read(text, toml_command, l, &t);
	if (t.hooks == HOOK_TOML_FALSE) {
		say(l, "no hook runs, 'features.hooks' is false in ", l->file);
		l->good = false;
	} else if (t.hooks == HOOK_TOML_TRUE) {
		say(l, "hooks are switched on in ", l->file);
	}
	if (t.managed_only == HOOK_TOML_TRUE)
		l->managed_only = true;
	if (t.unread) {
		(void)snprintf(said, sizeof(said), "undecided, line %u says something of hooks "
			       "that is not read here: ", t.unread);
		say(l, said, l->file);
		l->good = false;
	}
}

static void look_at_file(struct look *l)
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

/* What is found in all files together. */
static void look_at_all(struct look *l)
{
	if (l->found && l->managed_only && !l->managed) {
		say(l, "only hooks of the system's settings run, and it is in none of them", "");
		l->good = false;
	}
	if (l->found && l->agent == HOOK_CODEX && !l->managed)
		say(l, "note: Codex runs it once it is trusted there ('/hooks')", "");
	for (size_t k = 0; l->found && hook_agent_event(l->agent, k); k++)
		if (!(l->events & 1u << k)) {
			say(l, "it is not asked at ", hook_agent_event(l->agent, k));
			l->good = false;
		}
}

static bool look_at_agent(enum hook_agent agent, bool named, bool *ret_found)
{
	struct look l = { .agent = agent, .good = true };
	char path[PATH_MAX];

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if (places[i].agent != agent || !path_of(&places[i], path))
			continue;
		l.file = path;
		l.system = places[i].where == SYSTEM;
		look_at_file(&l);
	}
	look_at_all(&l);
	if (!l.found && (named || !l.good))
		say(&l, "not installed (see doc/agents.md)", "");
	free(l.tried);
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
	return good && any ? 0 : 1;
}
