/* Decides where an agent's settings are, and what they say together.  The places come
 * from the agents' pages (hook_tools.c) and programs. */
#include "runtime/hooks/hook_doctor.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/json.h"
#include "runtime/hooks/hook_env.h"
#include "runtime/hooks/hook_look.h"
#include "runtime/hooks/hook_plugin.h"
#include "runtime/hooks/hook_read.h"
#include "runtime/hooks/hook_run.h"
#include "runtime/hooks/hook_settings.h"
#include "runtime/hooks/hook_toml.h"
#include "runtime/state/left_verb.h"

enum { MAX_SETTINGS = 4 * 1024 * 1024 };

#define TRUSTED "trustedFolders.json" /* not settings, but the list of folders that
                                         Gemini CLI trusts */

/* Below the agent's own directory, in the working directory, or for the whole system. */
enum where { AT_HOME, HERE, SYSTEM };

/* A path "DIR/ *SUFFIX" (without the blank) stands for every such file of the
 * directory. */
static const struct place {
	enum hook_agent agent;
	enum where where;
	const char *path;
	const char *variable; /* environment variable that names another file, or NULL */
} places[] = {
	{ HOOK_CLAUDE, AT_HOME, "settings.json", NULL },
	{ HOOK_CLAUDE, AT_HOME, "remote-settings.json", NULL },
	{ HOOK_CLAUDE, HERE, ".claude/settings.json", NULL },
	{ HOOK_CLAUDE, HERE, ".claude/settings.local.json", NULL },
	{ HOOK_CLAUDE, SYSTEM, "/etc/claude-code/managed-settings.json", NULL },
	{ HOOK_CLAUDE, SYSTEM, "/etc/claude-code/managed-settings.d/*.json", NULL },
	{ HOOK_CODEX, AT_HOME, "hooks.json", NULL },
	{ HOOK_CODEX, AT_HOME, "config.toml", NULL },
	{ HOOK_CODEX, AT_HOME, "*.config.toml", NULL },
	{ HOOK_CODEX, HERE, ".codex/hooks.json", NULL },
	{ HOOK_CODEX, HERE, ".codex/config.toml", NULL },
	{ HOOK_CODEX, SYSTEM, "/etc/codex/config.toml", NULL },
	{ HOOK_CODEX, SYSTEM, "/etc/codex/managed_config.toml", NULL },
	{ HOOK_CODEX, SYSTEM, "/etc/codex/requirements.toml", NULL },
	{ HOOK_GEMINI, SYSTEM, "/etc/gemini-cli/system-defaults.json",
	  "GEMINI_CLI_SYSTEM_DEFAULTS_PATH" },
	{ HOOK_GEMINI, AT_HOME, "settings.json", NULL },
	{ HOOK_GEMINI, HERE, ".gemini/settings.json", NULL },
	{ HOOK_GEMINI, SYSTEM, "/etc/gemini-cli/settings.json",
	  "GEMINI_CLI_SYSTEM_SETTINGS_PATH" },
	{ HOOK_GEMINI, AT_HOME, TRUSTED, "GEMINI_CLI_TRUSTED_FOLDERS_PATH" },
	{ HOOK_QWEN, SYSTEM, "/etc/qwen-code/system-defaults.json", "QWEN_CODE_SYSTEM_DEFAULTS_PATH" },
	{ HOOK_QWEN, AT_HOME, "settings.json", NULL },
	{ HOOK_QWEN, HERE, ".qwen/settings.json", NULL },
	{ HOOK_QWEN, SYSTEM, "/etc/qwen-code/settings.json", "QWEN_CODE_SYSTEM_SETTINGS_PATH" },
	{ HOOK_QWEN, AT_HOME, TRUSTED, "QWEN_CODE_TRUSTED_FOLDERS_PATH" },
	{ HOOK_OPENCODE, AT_HOME, "plugin/polquery.js", NULL },
	/* the first is a file of our own */
	{ HOOK_COPILOT, AT_HOME, "hooks/polquery.json", NULL },
	{ HOOK_COPILOT, AT_HOME, "settings.json", NULL },
	{ HOOK_COPILOT, HERE, ".github/hooks/*.json", NULL },
	{ HOOK_COPILOT, HERE, ".github/copilot/settings.json", NULL },
	{ HOOK_COPILOT, HERE, ".github/copilot/settings.local.json", NULL },
	{ HOOK_COPILOT, HERE, ".claude/settings.json", NULL },
	{ HOOK_COPILOT, HERE, ".claude/settings.local.json", NULL },
	{ HOOK_COPILOT, SYSTEM, "/etc/github-copilot/managed-settings.json", NULL },
	{ HOOK_PI, AT_HOME, "extensions/polquery.js", NULL },
	{ HOOK_CURSOR, AT_HOME, "hooks.json", NULL },
	{ HOOK_CURSOR, HERE, ".cursor/hooks.json", NULL },
	{ HOOK_CURSOR, SYSTEM, "/etc/cursor/hooks.json", NULL },
};

/* The agents' own directories.  `variable` may name another directory, or the one
 * above. */
static const struct {
	const char *below_home, *variable, *home;
} own[HOOK_AGENT_COUNT] = {
	[HOOK_CLAUDE] = { ".claude", "CLAUDE_CONFIG_DIR", NULL },
	[HOOK_CODEX] = { ".codex", "CODEX_HOME", NULL },
	[HOOK_GEMINI] = { ".gemini", NULL, "GEMINI_CLI_HOME" },
	[HOOK_CURSOR] = { ".cursor", NULL, NULL },
	[HOOK_QWEN] = { ".qwen", "QWEN_HOME", NULL },
	[HOOK_OPENCODE] = { ".config/opencode", NULL, NULL },
	[HOOK_COPILOT] = { ".copilot", "COPILOT_HOME", NULL },
	[HOOK_PI] = { ".pi/agent", "PI_CODING_AGENT_DIR", NULL },
};

/* --- the settings ---------------------------------------------------------------------- */

static void toml_hook(void *arg, const struct hook_found *h)
{
	struct hook_look *l = arg;

	for (size_t k = 0; hook_agent_event(l->agent, k); k++)
		if (strcmp(hook_agent_event(l->agent, k), h->event) == 0)
			hook_look_at(l, h);
}

/* Handles a trust entry.  Codex ignores those of a project's config.toml and only reads
 * the user's. */
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
		hook_say(l, HOOK_WRONG, "cannot be read: ", l->file);
		return;
	}
	hook_toml_read(text, &each, &t);
	if (t.hooks == HOOK_TOML_FALSE) {
		hook_say(l, HOOK_WRONG, "no hook runs, 'features.hooks' is false in ", l->file);
	} else if (t.hooks == HOOK_TOML_TRUE) {
		hook_say(l, HOOK_FINE, "hooks are switched on in ", l->file);
	}
	if (t.managed_only == HOOK_TOML_TRUE)
		l->managed_only = true;
	if (t.unread) {
		(void)snprintf(said, sizeof(said), "undecided, line %u says something of hooks "
			       "that is not read here: ", t.unread);
		hook_say(l, HOOK_WRONG, said, l->file);
	}
}

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), k = strlen(end);

	return n >= k && strcmp(s + n - k, end) == 0;
}

static void look_at_file(struct hook_look *l, bool folders)
{
	char *text = NULL;
	size_t n = 0;
	int r = io_read_file(l->file, MAX_SETTINGS, &text, &n);

	if (r == -ENOENT || r == -ENOTDIR)
		return;
	if (ends_with(l->file, ".toml"))
		look_at_toml(l, r < 0 ? NULL : text);
	else if (r < 0)
		hook_say(l, HOOK_WRONG, "cannot be read: ", l->file);
	else if (l->agent == HOOK_OPENCODE || l->agent == HOOK_PI)
		hook_plugin_look(l, text, n);
	else if (folders)
		hook_settings_trust(l, text, n);
	else
		hook_settings_look(l, text, n);
	free(text);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* Looks at the files "DIR/ *SUFFIX" (without the blank). */
static void look_at_folder(struct hook_look *l, const char *pattern)
{
	const char *star = strrchr(pattern, '*');
	char dir[PATH_MAX], path[PATH_MAX + 300];
	struct dirent **list = NULL;
	int n;

	(void)snprintf(dir, sizeof(dir), "%.*s", (int)(star - pattern), pattern);
	n = scandir(dir, &list, NULL, by_name);
	if (n < 0 && errno != ENOENT && errno != ENOTDIR)
		hook_say(l, HOOK_WRONG, "cannot be read: ", dir);
	for (int i = 0; i < n; i++) {
		if (ends_with(list[i]->d_name, star + 1) && list[i]->d_name[0] != '.') {
			(void)snprintf(path, sizeof(path), "%s%s", dir, list[i]->d_name);
			l->file = path;
			look_at_file(l, false);
		}
		free(list[i]);
	}
	free(list);
}

static void look_at_place(struct hook_look *l, const struct place *p, const char *path)
{
	l->file = path;
	if (strchr(p->path, '*'))
		look_at_folder(l, path);
	else
		look_at_file(l, strcmp(p->path, TRUSTED) == 0);
}

/* A variable's value; NULL if it is not set or empty. */
static const char *set(const char *variable)
{
	const char *value = variable ? getenv(variable) : NULL;

	return value && value[0] ? value : NULL;
}

static bool path_of(const struct place *p, char path[PATH_MAX])
{
	const char *home = set(own[p->agent].home), *other = set(own[p->agent].variable);
	int n;

	if (!home)
		home = set("HOME");
	if (set(p->variable))
		n = snprintf(path, PATH_MAX, "%s", set(p->variable));
	else if (p->where != AT_HOME)
		n = snprintf(path, PATH_MAX, "%s", p->path);
	else if (p->agent == HOOK_OPENCODE && set("XDG_CONFIG_HOME"))
		n = snprintf(path, PATH_MAX, "%s/opencode/%s", set("XDG_CONFIG_HOME"), p->path);
	else if (other)
		n = snprintf(path, PATH_MAX, "%s/%s", other, p->path);
	else
		n = snprintf(path, PATH_MAX, "%s/%s/%s", home ? home : "",
			     own[p->agent].below_home, p->path);
	return n > 0 && n < PATH_MAX;
}

bool hook_settings_file(enum hook_agent agent, char path[PATH_MAX])
{
	const struct place *p = places;

	while (p->agent != agent || p->where != AT_HOME)
		p++;
	return path_of(p, path) && path[0] == '/';
}

/* Changes `dir` to the directory above; false if there is none. */
static bool go_up(char *dir)
{
	char *slash = strrchr(dir, '/');

	if (!slash || !dir[1])
		return false;
	slash[slash == dir] = '\0';
	return true;
}

static bool holds(const char *dir, const char *name)
{
	char path[PATH_MAX + 16];

	(void)snprintf(path, sizeof(path), "%s/%s", dir[1] ? dir : "", name);
	return faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

/* Codex reads the settings of all directories up to the one that holds .git, Copilot CLI those of that one.
 * Codex's own directory does not count as a project's. */
static void look_above(struct hook_look *l, const struct place *p)
{
	char dir[PATH_MAX], root[PATH_MAX], path[PATH_MAX + 80], home[PATH_MAX];
	const struct place own_place = { p->agent, AT_HOME, ".", NULL };
	struct stat st, own_st = { .st_ino = 0 };

	if (!getcwd(dir, sizeof(dir)))
		return;
	memcpy(root, dir, sizeof(root));
	while (!holds(root, ".git"))
		if (!go_up(root))
			return;
	if (path_of(&own_place, home))
		(void)stat(home, &own_st);
	while (strcmp(dir, root) != 0 && go_up(dir)) {
		(void)snprintf(path, sizeof(path), "%s/.codex", dir[1] ? dir : "");
		if (p->agent == HOOK_CODEX && stat(path, &st) == 0 && st.st_ino == own_st.st_ino &&
		    st.st_dev == own_st.st_dev)
			continue;
		(void)snprintf(path, sizeof(path), "%s/%s", dir[1] ? dir : "", p->path);
		look_at_place(l, p, path);
	}
}

static void say_trust(void *arg, const char *text, const char *more)
{
	hook_say(arg, HOOK_WRONG, text, more);
}

/* Reports what all files together say. */
static void look_at_all(struct hook_look *l)
{
	const char *event;

	if (l->found && l->managed_only && !l->managed)
		hook_say(l, HOOK_WRONG, "only hooks of the system's settings run, and it is in none "
			 "of them", "");
	if (l->others_off && l->another_name)
		hook_say(l, HOOK_WRONG, "it has another name than 'polquery', and may be one of "
			 "those that are switched off", "");
	(void)hook_trust_holds(&l->trust, say_trust, l);
	for (size_t k = 0; l->found && (event = hook_agent_event(l->agent, k)) != NULL; k++)
		if (l->agent == HOOK_CLAUDE && k > 0 && !(l->events & 1u << k))
			hook_say(l, HOOK_NOTE, "shell lines in the text of skills and slash commands are not checked "
				 "(Claude Code runs them itself): install it again, for ", event);
		else if (!(l->events & 1u << k))
			hook_say(l, HOOK_WRONG, "it is not asked at ", event);
		else if (!(l->whole & 1u << k))
			hook_say(l, HOOK_WRONG, "what it is not asked about is not checked: it has "
				 "to stand without a condition, and with the matcher '*', at ",
				 event);
	if (l->runs && l->rule[0])
		hook_say(l, HOOK_WRONG, "with --run the agent's own rules about commands see the line of "
			 "polrun, and do not hold: write them into the policy, and remove there: ",
			 l->rule);
	if (l->found && !l->runs && hook_run_has_zsh(l->agent))
		hook_say(l, HOOK_NOTE, "its commands run in zsh, but are judged as bash reads them, and zsh "
			 "reads some in another way ('=rm x' runs rm): use --run, which runs them in "
			 "bash", l->agent == HOOK_CLAUDE ? ", or start it with CLAUDE_CODE_SHELL=/bin/bash"
							 : "");
	if (l->found)
		hook_env_look(l);
	if (l->found && (l->agent == HOOK_OPENCODE || l->agent == HOOK_PI))
		hook_plugin_look_around(l);
	if (l->found && l->agent == HOOK_GEMINI)
		hook_env_files(l);
}

static bool look_at_agent(enum hook_agent agent, bool named, struct json *j, bool *ret_found)
{
	struct hook_look l = { .agent = agent, .good = true, .json = j };
	char path[PATH_MAX];

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if (places[i].agent != agent || !path_of(&places[i], path))
			continue;
		l.system = places[i].where == SYSTEM;
		l.project = places[i].where == HERE;
		look_at_place(&l, &places[i], path);
		if ((agent == HOOK_CODEX || agent == HOOK_COPILOT) && l.project)
			look_above(&l, &places[i]);
	}
	look_at_all(&l);
	if (!l.found && (named || !l.good))
		hook_say(&l, HOOK_WRONG, "not installed (see doc/agents.md)", "");
	free(l.tried);
	hook_trust_release(&l.trust);
	*ret_found = l.found > 0;
	return l.good;
}

static bool look(const struct query_options *opt, struct json *j)
{
	bool all = true, any = false, found, good;

	for (unsigned a = 0; a < HOOK_AGENT_COUNT; a++) {
		bool named = opt->agent && hook_agent_find(opt->agent) == a;

		if (opt->agent && !named)
			continue;
		if (j) {
			json_object(j, NULL);
			json_cstr(j, "agent", hook_agent_name((enum hook_agent)a));
			json_array(j, "findings");
		}
		good = look_at_agent((enum hook_agent)a, named, j, &found);
		if (j) {
			json_array_end(j);
			json_bool(j, "installed", found);
			json_bool(j, "good", good && found);
			json_object_end(j);
		}
		all &= good;
		any |= found;
	}
	if (!any && !opt->agent && !j)
		puts("no agent has the hook installed (see doc/agents.md)");
	return all && any;
}

int hook_doctor(const struct query_options *opt)
{
	const char *text;
	struct json j;
	size_t n;
	bool good;

	if (!opt->json) {
		good = look(opt, NULL);
		left_note();
		return good ? 0 : 1;
	}
	json_init(&j);
	json_object(&j, NULL);
	json_array(&j, "agents");
	good = look(opt, &j);
	json_array_end(&j);
	json_bool(&j, "good", good);
	json_object_end(&j);
	text = json_finish(&j, &n);
	good &= text && io_write_all(STDOUT_FILENO, text, n) == 0;
	json_release(&j);
	return good ? 0 : 1;
}
