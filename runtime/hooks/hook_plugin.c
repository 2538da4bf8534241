/*
 * Decides what opencode's plugin says, and whether anything else in the project runs beside it.  As seen in
 * opencode 1.18.33: what `tool.execute.before` throws is told to the model, and the tool does not run; the
 * tool gets the object that the hook had, so that a plugin which is asked later may change it; `permission.ask`
 * is never called; and a project's plugins and tools are loaded without a question.
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
#include "runtime/hooks/hook_settings.h"
#include "runtime/query/query_json.h"

enum { MAX_CONFIG = 4 * 1024 * 1024 };

static const char first_line[] = "// polquery decides about every tool call: `polquery install opencode` wrote this "
				 "file, and replaces it.\n";
static const char before_line[] =
	"// Everything but a clear \"allow\" refuses the tool.\n"
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
	"\n"
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
	"})\n";

char *hook_plugin_text(const char *line)
{
	struct json_object *o = json_object_new_string(line);
	const char *text = o ? json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN |
							      JSON_C_TO_STRING_NOSLASHESCAPE) : NULL;
	char *out = NULL;

	if (!text || asprintf(&out, "%s%s%s%s", first_line, before_line, text, after_line) < 0)
		out = NULL;
	json_object_put(o);
	return out;
}

bool hook_plugin_is_ours(const char *text)
{
	return strncmp(text, "// polquery ", 12) == 0 && strstr(text, "`polquery install opencode`") != NULL;
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
static char *line_of(const char *text, size_t n)
{
	const char *from = text + strlen(first_line) + strlen(before_line), *to;
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
	whole = line ? hook_plugin_text(line) : NULL;
	if (whole && strcmp(whole, text) == 0)
		return line;
	free(line);
	return NULL;
}

void hook_plugin_look(struct hook_look *l, const char *text, size_t n)
{
	AUTO_FREE char *line = line_of(text, n);
	const struct hook_found f = { .event = "tool.execute.before", .command = line, .timeout = -1,
				      .fail_closed = true };

	if (line)
		hook_look_at(l, &f);
	else
		hook_say(l, HOOK_WRONG, "cannot tell whether it asks: it is not what this version's "
			 "'polquery install opencode' writes: ", l->file);
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

static void look_at_config(struct hook_look *l, const char *path)
{
	static const char *const starts[] = { "mcp", "lsp", "formatter" };
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
	if (!doc)
		hook_say(l, HOOK_WRONG, "cannot be read as opencode reads it, and may name plugins: ", path);
	else if (json_object_object_get_ex(doc, "plugin", NULL))
		hook_say(l, HOOK_WRONG, "names plugins of the project, whose code is run before the hook is asked: ",
			 path);
	for (size_t i = 0; doc && i < sizeof(starts) / sizeof(starts[0]); i++)
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
		look_at_config(l, path);
	}
}

void hook_plugin_look_around(struct hook_look *l)
{
	const char *home = getenv("HOME"), *off = getenv("OPENCODE_PURE");
	AUTO_FREE char *dir = getcwd(NULL, 0);
	char git[PATH_MAX + 8];
	char *slash;

	if (off && off[0])
		hook_say(l, HOOK_WRONG, "no plugin runs, as the environment says: ", "OPENCODE_PURE");
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
