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
#include "runtime/cli/hook_message.h"
#include "runtime/decide/explain.h"

enum { MAX_SETTINGS = 4 * 1024 * 1024, SHOWN = 600 };

static const struct place {
	enum hook_agent agent;
	bool home; /* below HOME, else in the working directory */
	const char *path;
} places[] = {
	{ HOOK_CLAUDE, true, ".claude/settings.json" },
	{ HOOK_CLAUDE, false, ".claude/settings.json" },
	{ HOOK_CLAUDE, false, ".claude/settings.local.json" },
	{ HOOK_CODEX, true, ".codex/hooks.json" },
	{ HOOK_CODEX, false, ".codex/hooks.json" },
	{ HOOK_GEMINI, true, ".gemini/settings.json" },
	{ HOOK_GEMINI, false, ".gemini/settings.json" },
	{ HOOK_CURSOR, true, ".cursor/hooks.json" },
	{ HOOK_CURSOR, false, ".cursor/hooks.json" },
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
	const struct query_options *opt;
	enum hook_agent agent;
	const char *file;
	unsigned found; /* hooks */
	bool good;      /* each answers and fails closed */
	uint32_t events; /* bit k: of the agent's k-th event */
};

static void say(const struct look *l, const char *text, const char *more)
{
	char shown[SHOWN];

	io_plain(shown, sizeof(shown), more);
	printf("%s: %s%s\n", hook_agent_name(l->agent), text, shown);
}

/* --- one command ------------------------------------------------------------------ */

/* The word behind "-b", "--bundle" or "--bundle=", with $HOME and ~ expanded; what
 * else a shell would expand is not known here. */
static bool bundle_of(const char *command, char *out, size_t cap)
{
	static const char *const heads[] = { "--bundle=", "--bundle ", "-b " };
	static const char *const homes[] = { "$HOME/", "${HOME}/", "~/" };
	const char *p = NULL, *home = getenv("HOME");
	size_t n, i;
	int k;

	for (i = 0; i < sizeof(heads) / sizeof(heads[0]) && !p; i++) {
		p = strstr(command, heads[i]);
		if (p)
			p += strlen(heads[i]);
	}
	if (!p)
		return false;
	p += strspn(p, " \"'");
	n = strcspn(p, " \"'");
	for (i = 0; i < sizeof(homes) / sizeof(homes[0]); i++) {
		size_t h = strlen(homes[i]);

		if (n < h || strncmp(p, homes[i], h) != 0)
			continue;
		k = snprintf(out, cap, "%s/%.*s", home ? home : "", (int)(n - h), p + h);
		return k > 0 && (size_t)k < cap;
	}
	k = snprintf(out, cap, "%.*s", (int)n, p);
	return k > 0 && (size_t)k < cap && !strchr(out, '$') && out[0] == '/';
}

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

static bool answers(struct look *l, const char *command)
{
	struct query_options opt = *l->opt;
	char bundle[PATH_MAX], why[SHOWN], *q;
	uint8_t effect;
	size_t n;

	if (!bundle_of(command, bundle, sizeof(bundle))) {
		say(l, "cannot tell whether it answers: name the bundle with -b and an "
		       "absolute path", "");
		return false;
	}
	opt.bundle = bundle;
	opt.agent = hook_agent_name(l->agent);
	opt.require_signed = strstr(command, "--require-signed") != NULL;
	q = question(l->agent, &n);
	effect = hook_try(&opt, q ? q : "", n, why, sizeof(why));
	free(q);
	/* a reason that names no rule is that nothing was decided */
	if (!strstr(why, "(rule ")) {
		say(l, "does not answer, and denies everything: ", why);
		return false;
	}
	say(l, "answers: the command 'true' is ",
	    effect == PB_ALLOW ? "allowed" : effect == PB_ASK ? "asked" : "denied");
	return true;
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
	if (matcher && matcher[0] && strcmp(matcher, "*") != 0 && strcmp(matcher, ".*") != 0)
		say(l, "note: it is asked for tools only that match ", matcher);
	if (!fail_closed && !strstr(command, "|| exit 2")) {
		say(l, "where polquery is missing, everything is allowed: end the command "
		       "with '|| exit 2'", "");
		l->good = false;
	}
	if (l->found++ == 0 && !answers(l, command))
		l->good = false;
}

/* --- the settings ---------------------------------------------------------------------- */

static const char *text_of(struct json_object *o, const char *key)
{
	struct json_object *v;

	return json_object_object_get_ex(o, key, &v) &&
			       json_object_is_type(v, json_type_string) ?
		       json_object_get_string(v) :
		       NULL;
}

/* A list of hooks, or of groups with a matcher and a list of hooks. */
static void look_at_list(struct look *l, const char *event, struct json_object *list,
			 const char *matcher)
{
	for (size_t i = 0; json_object_is_type(list, json_type_array) &&
			   i < json_object_array_length(list);
	     i++) {
		struct json_object *e = json_object_array_get_idx(list, i), *inner, *closed;
		const char *command;

		if (!json_object_is_type(e, json_type_object))
			continue;
		command = text_of(e, "command");
		if (command)
			look_at_command(l, event, command,
					matcher ? matcher : text_of(e, "matcher"),
					json_object_object_get_ex(e, "failClosed", &closed) &&
						json_object_get_boolean(closed));
		else if (!matcher && json_object_object_get_ex(e, "hooks", &inner))
			look_at_list(l, event, inner,
				     text_of(e, "matcher") ? text_of(e, "matcher") : "");
	}
}

static void look_at_file(struct look *l)
{
	struct json_object *doc, *hooks, *list;
	char *text = NULL;
	size_t n;
	int r = io_read_file(l->file, MAX_SETTINGS, &text, &n);

	if (r == -ENOENT || r == -ENOTDIR)
		return;
	doc = r < 0 ? NULL : json_tokener_parse(text);
	if (!doc) {
		say(l, "cannot be read, and the agent may not read it either: ", l->file);
		l->good = false;
	} else if (json_object_object_get_ex(doc, "hooks", &hooks) &&
		   json_object_is_type(hooks, json_type_object)) {
		for (size_t k = 0; hook_agent_event(l->agent, k); k++)
			if (json_object_object_get_ex(hooks, hook_agent_event(l->agent, k),
						      &list))
				look_at_list(l, hook_agent_event(l->agent, k), list, NULL);
	}
	json_object_put(doc);
	free(text);
}

static bool look_at_agent(const struct query_options *opt, enum hook_agent agent,
			  bool named, bool *ret_found)
{
	struct look l = { .opt = opt, .agent = agent, .good = true };
	const char *home = getenv("HOME");
	char path[PATH_MAX];

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		int n = snprintf(path, sizeof(path), "%s%s%s",
				 places[i].home && home ? home : "",
				 places[i].home ? "/" : "", places[i].path);

		if (places[i].agent != agent || n < 0 || (size_t)n >= sizeof(path))
			continue;
		l.file = path;
		look_at_file(&l);
	}
	for (size_t k = 0; l.found && hook_agent_event(agent, k); k++)
		if (!(l.events & 1u << k)) {
			say(&l, "it is not asked at ", hook_agent_event(agent, k));
			l.good = false;
		}
	if (!l.found && (named || !l.good))
		say(&l, "not installed (see doc/agents.md)", "");
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
		good &= look_at_agent(opt, (enum hook_agent)a, named, &found);
		any |= found;
	}
	if (!any && !opt->agent)
		puts("no agent has the hook installed (see doc/agents.md)");
	return good && any ? 0 : 1;
}
