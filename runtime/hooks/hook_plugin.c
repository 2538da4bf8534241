/*
 * Decides what opencode's plugin and pi's extension say, and whether anything else in the project runs beside them.  As
 * seen in opencode 1.18.33: what `tool.execute.before` throws is told to the model, and the tool does not run; the
 * tool gets the object that the hook had, so that a plugin which is asked later may change it; `permission.ask`
 * is never called; and a project's plugins and tools are loaded without a question.  In pi 1.6.0: what a handler of
 * `tool_call` throws is told to the model, and the tool does not run; the tool gets the object that the handler had; and
 * a project's extensions are loaded if the person has trusted it.
 */
#include "runtime/hooks/hook_plugin.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/hooks/hook_edit.h"
#include "runtime/hooks/hook_look.h"
#include "runtime/hooks/hook_read.h"
#include "runtime/hooks/hook_settings.h"
#include "runtime/query/query_json.h"

enum { MAX_CONFIG = 4 * 1024 * 1024 };

#define FIRST(agent)                                                                                                   \
	"// polquery decides about every tool call: `polquery install " agent "` wrote this file, and replaces it.\n"
static const char before_line[] =
	"import { spawn } from \"node:child_process\"\n"
	"\n"
	"const line = ";
static const char after_line[] =
	"\n\n"
	"const ask = (message) => new Promise((resolve, reject) => {\n"
	"\tconst child = spawn(\"/bin/sh\", [\"-c\", line])\n"
	"\tconst refuse = (why) => reject(new Error(why || \"polquery: no answer\"))\n"
	"\tconst late = setTimeout(() => { child.kill(\"SIGKILL\"); refuse(\"polquery: no answer in time\") }, 30000)\n"
	"\tlet said = \"\", wrong = \"\"\n"
	"\tchild.stdout.setEncoding(\"utf8\").on(\"data\", (text) => (said += text))\n"
	"\tchild.stderr.setEncoding(\"utf8\").on(\"data\", (text) => (wrong += text))\n"
	"\tchild.stdin.on(\"error\", () => {})\n"
	"\tchild.on(\"error\", (e) => { clearTimeout(late); refuse(`polquery: ${e.message}`) })\n"
	"\tchild.on(\"close\", (status) => { clearTimeout(late); status === 0 ? resolve(said) : refuse(wrong.trim()) })\n"
	"\tchild.stdin.end(message)\n"
	"})\n"
	"\n"
	"// what is decided is what runs: no other plugin changes it afterwards\n"
	"const freeze = (value) => {\n"
	"\tif (value === null || typeof value !== \"object\") return\n"
	"\tObject.values(value).forEach(freeze)\n"
	"\tObject.freeze(value)\n"
	"}\n"
	"\n";

static const struct plugin {
	const char *first, *says; /* the first lines */
	const char *program;      /* … and what comes behind the shared part */
	const char *off;          /* a variable that keeps it from being loaded, or NULL */
} plugins[HOOK_AGENT_COUNT] = {
	[HOOK_OPENCODE] = {
		FIRST("opencode"), "// Everything but a clear \"allow\" refuses the tool.\n",
		"export const Polquery = async ({ directory }) => ({\n"
		"\t\"tool.execute.before\": async ({ tool, sessionID, callID }, { args }) => {\n"
		"\t\tfreeze(args)\n"
		"\t\tconst message = { hook_event_name: \"tool.execute.before\", session_id: sessionID, call_id: callID,\n"
		"\t\t\tcwd: directory, tool_name: tool, tool_input: args }\n"
		"\t\tconst said = await ask(JSON.stringify(message))\n"
		"\t\tlet answer\n"
		"\t\ttry { answer = JSON.parse(said) } catch { throw new Error(\"polquery: the answer is none\") }\n"
		"\t\tif (answer?.decision !== \"allow\") throw new Error(answer?.reason || \"polquery: denied\")\n"
		"\t},\n"
		"})\n",
		"OPENCODE_PURE",
	},
	[HOOK_PI] = {
		FIRST("pi"), "// Everything but a clear \"allow\", or a person's yes where the policy asks, refuses the tool.\n",
		"export default function (pi) {\n"
		"\tpi.on(\"tool_call\", async (event, ctx) => {\n"
		"\t\tfreeze(event.input)\n"
		"\t\tconst message = { hook_event_name: \"tool_call\", session_id: ctx.sessionManager.getSessionId(),\n"
		"\t\t\tcall_id: event.toolCallId, parent_call_id: event.parentToolCallId, cwd: ctx.cwd,\n"
		"\t\t\ttool_name: event.toolName, tool_input: event.input }\n"
		"\t\tconst said = await ask(JSON.stringify(message))\n"
		"\t\tlet answer\n"
		"\t\ttry { answer = JSON.parse(said) } catch { throw new Error(\"polquery: the answer is none\") }\n"
		"\t\tif (answer?.decision === \"allow\") return\n"
		"\t\tconst asks = answer?.decision === \"ask\", reason = String(answer?.reason || \"polquery: denied\")\n"
		"\t\tif (!asks) throw new Error(reason)\n"
		"\t\tif (ctx.hasUI !== true) throw new Error(reason + \"; the policy asks first, and there is nobody to ask\")\n"
		"\t\tconst all = JSON.stringify(event.input).replace(/[^\\x20-\\x7e]/g, \"?\")\n"
		"\t\tconst more = all.length > 4000 ? ` and ${all.length - 4000} more characters that are not shown` : \"\"\n"
		"\t\tconst question = `${event.toolName} ${all.slice(0, 4000)}${more}\\n${reason}`\n"
		"\t\tif ((await ctx.ui.confirm(\"polquery asks\", question)) !== true)\n"
		"\t\t\tthrow new Error(reason + \"; the person said no\")\n"
		"\t})\n"
		"}\n",
		NULL,
	},
};

char *hook_plugin_text(enum hook_agent agent, const char *line)
{
	const struct plugin *p = &plugins[agent];
	struct json_object *o = json_object_new_string(line);
	const char *text = o ? json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN |
							      JSON_C_TO_STRING_NOSLASHESCAPE) : NULL;
	char *out = NULL;

	if (!text ||
	    asprintf(&out, "%s%s%s%s%s%s", p->first, p->says, before_line, text, after_line, p->program) < 0)
		out = NULL;
	json_object_put(o);
	return out;
}

bool hook_plugin_is_ours(enum hook_agent agent, const char *text)
{
	char install[60];

	(void)snprintf(install, sizeof(install), "`polquery install %s`", hook_agent_name(agent));
	return strncmp(text, "// polquery ", 12) == 0 && strstr(text, install) != NULL;
}

int hook_plugin_make_folders(const char *path, struct rt_err *err)
{
	char dir[PATH_MAX];

	for (const char *p = path; (p = strchr(p + 1, '/')) != NULL;) {
		(void)snprintf(dir, sizeof(dir), "%.*s", (int)(p - path), path);
		if (mkdir(dir, 0700) != 0 && errno != EEXIST && access(dir, F_OK) != 0)
			return rt_fail_errno(err, errno, "'%.200s'", dir);
	}
	return 0;
}

/* --- the doctor ---------------------------------------------------------------------------- */

/* The line of a file that is exactly what `install` writes; malloc'ed, or NULL. */
static char *line_of(enum hook_agent agent, const char *text, size_t n)
{
	const struct plugin *p = &plugins[agent];
	const char *from = text + strlen(p->first) + strlen(p->says) + strlen(before_line), *to;
	AUTO_FREE char *literal = NULL, *whole = NULL;
	struct json_object *o;
	char *line = NULL;

	if (n < (size_t)(from - text) || strlen(text) != n || (to = strchr(from, '\n')) == NULL ||
	    (literal = strndup(from, (size_t)(to - from))) == NULL ||
	    (o = json_tokener_parse(literal)) == NULL)
		return NULL;
	if (json_object_is_type(o, json_type_string) &&
	    strlen(json_object_get_string(o)) == (size_t)json_object_get_string_len(o))
		line = strdup(json_object_get_string(o));
	json_object_put(o);
	whole = line ? hook_plugin_text(agent, line) : NULL;
	if (whole && strcmp(whole, text) == 0)
		return line;
	free(line);
	return NULL;
}

void hook_plugin_look(struct hook_look *l, const char *text, size_t n)
{
	AUTO_FREE char *line = line_of(l->agent, text, n);
	char install[120];
	const struct hook_found f = { .event = hook_agent_event(l->agent, 0), .command = line, .timeout = -1,
				      .fail_closed = true };

	(void)snprintf(install, sizeof(install), "cannot tell whether it asks: it is not what this version's "
		       "'polquery install %s' writes: ", hook_agent_name(l->agent));
	if (line)
		hook_look_at(l, &f);
	else
		hook_say(l, HOOK_WRONG, install, l->file);
}

/* Does a folder hold anything? */
static bool holds_any(const char *path)
{
	DIR *d = opendir(path);
	struct dirent *e;
	bool any = !d && errno != ENOENT && errno != ENOTDIR;

	while (d && !any && (e = readdir(d)) != NULL)
		any = strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
	if (d)
		(void)closedir(d);
	return any;
}

/* What names plugins in a file of settings, and what starts programs; lists end with NULL. */
static void look_at_config(struct hook_look *l, const char *path, const char *const *plugin_keys,
			   const char *const *starts)
{
	char said[120];
	struct rt_err err = { 0 };
	struct query_json j;
	struct json_object *doc;
	char *text = NULL;
	size_t n = 0;
	int r = io_read_file(path, MAX_CONFIG, &text, &n);

	if (r == -ENOENT || r == -ENOTDIR)
		return;
	if (r < 0) {
		hook_say(l, HOOK_WRONG, "cannot be read: ", path);
		return;
	}
	hook_edit_blank(text);
	doc = hook_settings_read(&j, text, n, &err);
	(void)snprintf(said, sizeof(said), "cannot be read as %s reads it, and may name plugins: ",
		       hook_agent_name(l->agent));
	if (!doc)
		hook_say(l, HOOK_WRONG, said, path);
	for (size_t i = 0; doc && plugin_keys[i]; i++)
		if (json_object_object_get_ex(doc, plugin_keys[i], NULL)) {
			hook_say(l, HOOK_WRONG, "names plugins of the project, whose code is run before the hook is "
				 "asked: ", path);
			break;
		}
	for (size_t i = 0; doc && starts[i]; i++)
		if (json_object_object_get_ex(doc, starts[i], NULL)) {
			hook_say(l, HOOK_NOTE, "may start programs of the project's, about which no hook is "
				 "asked: ", path);
			break;
		}
	query_json_release(&j);
	free(text);
}

static void look_in(struct hook_look *l, const char *dir)
{
	static const char *const folders[] = { "plugin", "plugins", "tool", "tools" };
	static const char *const commands[] = { "command", "commands" };
	static const char *const configs[] = { "opencode.json", "opencode.jsonc", ".opencode/opencode.json",
					       ".opencode/opencode.jsonc" };
	static const char *const plugin_keys[] = { "plugin", NULL };
	static const char *const starts[] = { "mcp", "lsp", "formatter", NULL };
	char path[PATH_MAX + 40];

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		(void)snprintf(path, sizeof(path), "%s/.opencode/%s", dir[1] ? dir : "", folders[i]);
		if (holds_any(path))
			hook_say(l, HOOK_WRONG, "is the project's code, which opencode runs before the hook is asked: ",
				 path);
	}
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		(void)snprintf(path, sizeof(path), "%s/.opencode/%s", dir[1] ? dir : "", commands[i]);
		if (holds_any(path))
			hook_say(l, HOOK_NOTE, "shell lines and files in the text of its slash commands come to no hook: ",
				 path);
	}
	for (size_t i = 0; i < sizeof(configs) / sizeof(configs[0]); i++) {
		(void)snprintf(path, sizeof(path), "%s/%s", dir[1] ? dir : "", configs[i]);
		look_at_config(l, path, plugin_keys, starts);
	}
}

/* pi takes what lies in the working directory, once the person has trusted it; and trust is not seen from here. */
static void look_at_pi(struct hook_look *l)
{
	static const char *const plugin_keys[] = { "extensions", "packages", NULL };
	static const char *const starts[] = { "mcpServers", NULL };

	if (holds_any(".pi/extensions"))
		hook_say(l, HOOK_WRONG, "is the project's code, which pi runs before the hook is asked: ",
			 ".pi/extensions");
	look_at_config(l, ".pi/settings.json", plugin_keys, starts);
	look_at_config(l, ".pi/mcp.json", plugin_keys, starts);
}

void hook_plugin_look_around(struct hook_look *l)
{
	const char *home = getenv("HOME"), *off = plugins[l->agent].off ? getenv(plugins[l->agent].off) : NULL;
	AUTO_FREE char *dir = getcwd(NULL, 0);
	char git[PATH_MAX + 8];
	char *slash;

	if (off && off[0])
		hook_say(l, HOOK_WRONG, "no plugin runs, as the environment says: ", plugins[l->agent].off);
	if (l->agent == HOOK_PI) {
		look_at_pi(l);
		return;
	}
	if (!dir)
		hook_say(l, HOOK_WRONG, "cannot tell what the project runs beside it", "");
	/* from here up to what holds .git, or to the root, as opencode goes; what lies in HOME itself is the user's */
	while (dir && !(home && strcmp(dir, home) == 0)) {
		look_in(l, dir);
		(void)snprintf(git, sizeof(git), "%s/.git", dir[1] ? dir : "");
		slash = strrchr(dir, '/');
		if (!dir[1] || !slash || faccessat(AT_FDCWD, git, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
			return;
		slash[slash == dir] = '\0';
	}
}
