/* Decides whether a line of an agent's settings answers as it should. */
#include "runtime/hooks/hook_prove.h"

#include <errno.h>
#include <json-c/json.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/place.h"
#include "runtime/base/writers.h"
#include "runtime/hooks/hook.h"
#include "runtime/hooks/hook_inside.h"
#include "runtime/hooks/hook_run.h"
#include "runtime/query/query_json.h"

/*
 * The questions.  '@' stands for the current directory and '%' for a file, both without
 * quotes.  HEAD comes before each.  After NOWHERE the message names a directory that is
 * none, so that it must be denied whatever the policy says.
 */
#define HEAD "{\"cwd\":\"@\""
#define NOWHERE "{\"cwd\":\"pol-doctor\""
#define TOOL(event, name, input)                                                               \
	",\"hook_event_name\":\"" event "\",\"tool_name\":\"" name "\",\"tool_input\":" input "}"
#define NATIVE(name, input) ",\"toolName\":\"" name "\",\"toolArgs\":" input "}" /* Copilot CLI */
#define ROOTS(event) ",\"workspace_roots\":[\"@\"],\"hook_event_name\":\"" event "\","

static const struct question {
	enum hook_agent agent;
	const char *what, *text;
} questions[] = {
#define ALIKE(agent, event, shell, read, path, mcp)                                             \
	{ agent, "the command 'true'", TOOL(event, shell, "{\"command\":\"true\"}") },         \
	{ agent, "reading a file", TOOL(event, read, "{\"" path "\":\"@/pol-doctor\"}") },     \
	{ agent, "a tool", TOOL(event, "pol_doctor", "{}") },                                  \
	{ agent, "a tool of an MCP server", TOOL(event, mcp, "{}") }
	ALIKE(HOOK_CLAUDE, "PreToolUse", "Bash", "Read", "file_path", "mcp__pol__doctor"),
	{ HOOK_CLAUDE, "the line 'true' of a skill",
	  TOOL("PreSkillShellCommand", "Bash", "{\"command\":\"true\"}") },
	ALIKE(HOOK_CODEX, "PreToolUse", "Bash", "view_image", "path", "mcp__pol__doctor"),
	ALIKE(HOOK_GEMINI, "BeforeTool", "run_shell_command", "read_file", "file_path",
	      "mcp_pol_doctor"),
	ALIKE(HOOK_QWEN, "PreToolUse", "run_shell_command", "read_file", "file_path", "mcp__pol__doctor"),
	ALIKE(HOOK_OPENCODE, "tool.execute.before", "bash", "read", "filePath", "pol_server_doctor"),
	ALIKE(HOOK_PI, "tool_call", "bash", "read", "path", "mcp__pol__doctor"),
	{ HOOK_COPILOT, "the command 'true'", NATIVE("bash", "{\"command\":\"true\"}") },
	{ HOOK_COPILOT, "reading a file", NATIVE("view", "{\"path\":\"@/pol-doctor\"}") },
	{ HOOK_COPILOT, "a tool", NATIVE("pol_doctor", "{}") },
	{ HOOK_COPILOT, "a tool of an MCP server", NATIVE("pol-doctor", "{}") },
	{ HOOK_CURSOR, "the command 'true'",
	  ROOTS("beforeShellExecution") "\"command\":\"true\"}" },
	{ HOOK_CURSOR, "reading a file",
	  ROOTS("beforeReadFile") "\"file_path\":\"@/pol-doctor\",\"content\":\"\"}" },
	{ HOOK_CURSOR, "a tool",
	  ROOTS("preToolUse") "\"tool_name\":\"pol_doctor\",\"tool_input\":{}}" },
	{ HOOK_CURSOR, "a tool of an MCP server",
	  ROOTS("beforeMCPExecution") "\"tool_name\":\"pol_doctor\",\"tool_input\":\"{}\"}" },
};

/* Messages that write a file, which exists already. */
static const char *const writes[HOOK_AGENT_COUNT] = {
	[HOOK_CLAUDE] = TOOL("PreToolUse", "Write", "{\"file_path\":\"%\",\"content\":\"\"}"),
	[HOOK_CODEX] = TOOL("PreToolUse", "apply_patch",
			    "{\"command\":\"*** Begin Patch\\n*** Add File: %\\n+x\\n"
			    "*** End Patch\\n\"}"),
	[HOOK_GEMINI] = TOOL("BeforeTool", "write_file",
			     "{\"file_path\":\"%\",\"content\":\"\"}"),
	[HOOK_QWEN] = TOOL("PreToolUse", "write_file", "{\"file_path\":\"%\",\"content\":\"\"}"),
	[HOOK_OPENCODE] = TOOL("tool.execute.before", "write", "{\"filePath\":\"%\",\"content\":\"\"}"),
	[HOOK_PI] = TOOL("tool_call", "write", "{\"path\":\"%\",\"content\":\"\"}"),
	[HOOK_COPILOT] = NATIVE("create", "{\"path\":\"%\",\"file_text\":\"\"}"),
	[HOOK_CURSOR] = ROOTS("preToolUse") "\"tool_name\":\"Write\",\"tool_input\":"
			"{\"file_path\":\"%\",\"content\":\"\"}}",
};

/* --- whose programs they are ------------------------------------------------------------ */

/* May somebody else write this, or (for a directory) what is in it? */
static bool is_open_to_others(const char *path, const struct stat *st, const struct stat *own)
{
	if (st->st_uid != 0 && st->st_uid != geteuid() && st->st_uid != own->st_uid)
		return true;
	if (S_ISDIR(st->st_mode) && (st->st_mode & S_ISVTX))
		return false;
	return (st->st_mode & S_IWOTH) || (st->st_gid != 0 && writers_others(path, -1, st));
}

/* Checks `path`, which is physical, and each directory above it. */
static bool is_ours_alone(const char *path, const struct stat *own)
{
	char head[PATH_MAX];
	struct stat st;

	for (const char *p = path; *p;) {
		size_t n = (size_t)(p - path) + (p == path);

		memcpy(head, path, n);
		head[n] = '\0';
		if (stat(head, &st) != 0 || is_open_to_others(head, &st, own))
			return false;
		p = strchrnul(p + 1, '/');
	}
	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && !is_open_to_others(path, &st, own);
}

static bool is_in_project(const char *path)
{
	const char *home = getenv("HOME");
	char *cwd = getcwd(NULL, 0), *project = cwd ? place_project(cwd, home ? home : "/") : NULL;
	bool in = !project || place_is_below(path, cwd) || place_is_below(path, project);

	/* neither the whole system nor the user's home directory counts as a project */
	if (project && (!project[1] || (home && strcmp(project, home) == 0)))
		in = false;
	free(project);
	free(cwd);
	return in;
}

static bool is_safe(struct hook_look *l, const char *program, const struct stat *own)
{
	char *real = realpath(program, NULL);
	bool safe;

	if (!real) {
		hook_say(l, HOOK_WRONG, "is not there, so that everything is denied: ", program);
		return false;
	}
	safe = is_ours_alone(real, own) && !is_in_project(real);
	if (!safe)
		hook_say(l, HOOK_WRONG, "cannot tell what it answers: others may write this "
			 "file, or it lies in the project: ", real);
	free(real);
	return safe;
}

bool hook_prove_programs(struct hook_look *l, const struct hook_line *h)
{
	struct stat own, there;

	if (h->bare) {
		hook_say(l, HOOK_WRONG, "a program without a path: who sets PATH, a project's "
			 "settings too, answers in its place: write the absolute path of ",
			 h->program[0] == '/' ? "timeout" : "polquery");
		return false;
	}
	if (stat("/proc/self/exe", &own) != 0) {
		hook_say(l, HOOK_WRONG, "cannot tell which polquery this is: /proc is not there",
			 "");
		return false;
	}
	if (!is_safe(l, h->program, &own) || (h->timeout && !is_safe(l, h->timeout, &own)))
		return false;
	if (stat(h->program, &there) == 0 && own.st_dev == there.st_dev &&
	    own.st_ino == there.st_ino)
		return true;
	hook_say(l, HOOK_WRONG, "cannot tell what another polquery answers: ask its own doctor: ",
		 h->program);
	return false;
}

/* --- the questions ---------------------------------------------------------------------- */

/* Writes a path as JSON, without quotes; malloc'ed, or NULL. */
static char *in_json(const char *path)
{
	struct json_object *o = json_object_new_string(path);
	const char *text = o ? json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN |
							      JSON_C_TO_STRING_NOSLASHESCAPE) :
			       NULL;
	char *s = text ? strndup(text + 1, strlen(text) - 2) : NULL;

	json_object_put(o);
	return s;
}

/* Copies `s` to text + n, replacing each '@' by `here` and each '%' by `file`. */
static size_t fill(char *text, size_t n, const char *s, const char *here, const char *file)
{
	for (; *s; s++) {
		const char *put = *s == '@' ? here : *s == '%' ? file : NULL;
		size_t len = put ? strlen(put) : 1;

		memcpy(text + n, put ? put : s, len);
		n += len;
	}
	text[n] = '\0';
	return n;
}

/* Makes the message; malloc'ed, or NULL. */
static char *message(const char *head, const char *tail, const char *path, size_t *ret_n)
{
	char *cwd = getcwd(NULL, 0), *here = cwd ? in_json(cwd) : NULL, *file = in_json(path);
	char *text = NULL;

	*ret_n = 0;
	if (here && file)
		text = malloc((strlen(head) + strlen(tail) + 1) *
			      (strlen(here) + strlen(file) + 1));
	if (text) {
		*ret_n = fill(text, 0, head, here, file);
		*ret_n = fill(text, *ret_n, tail, here, file);
	}
	free(cwd);
	free(here);
	free(file);
	return text;
}

/* What the agent is told: "allow", "ask", "deny", or "" if its format has no word for
 * it.  Codex is told nothing if it may continue. */
static void word_of(enum hook_agent agent, const char *text, size_t n, char out[16])
{
	static const struct {
		const char *object, *key, *nothing;
	} forms[HOOK_AGENT_COUNT] = {
		[HOOK_CLAUDE] = { "hookSpecificOutput", "permissionDecision", "" },
		[HOOK_CODEX] = { "hookSpecificOutput", "permissionDecision", "allow" },
		[HOOK_GEMINI] = { NULL, "decision", "" },
		[HOOK_CURSOR] = { NULL, "permission", "" },
		[HOOK_QWEN] = { "hookSpecificOutput", "permissionDecision", "" },
		[HOOK_OPENCODE] = { NULL, "decision", "" },
		[HOOK_COPILOT] = { NULL, "permissionDecision", "" },
		[HOOK_PI] = { NULL, "decision", "" },
	};
	const char *object = forms[agent].object, *word = NULL;
	struct rt_err err = { 0 };
	struct query_json j;

	out[0] = '\0';
	if (!query_json_init(&j))
		return;
	if (query_json_read(&j, text, n, &err)) {
		struct json_object *o = j.doc;

		if (object && !json_object_object_get_ex(j.doc, object, &o))
			word = forms[agent].nothing;
		else
			word = query_json_text(o, forms[agent].key);
		(void)snprintf(out, 16, "%s", word ? word : "");
	}
	query_json_release(&j);
}

struct proof {
	struct hook_look *l;
	const char *command;
	const struct hook_line *h;
};

/*
 * Asks the line.  True: it answers the same as this program; the answer is written to
 * `word`.  Otherwise it has reported what is wrong.
 */
static bool ask(const struct proof *p, const char *what, const char *text, size_t n,
		char word[16])
{
	struct hook_answer a = { .text = NULL };
	int status = hook_answer(&p->h->opt, NULL, text, n, &a);
	struct hook_ran ran;
	char say[200];
	bool same;
	int r = hook_run_line(p->l->agent, p->command, text, n,
			      p->h->seconds ? p->h->seconds + 2 : HOOK_RUN_SECONDS, &ran);

	same = r == 0 && ran.status == status &&
	       (status == 0 ? ran.n == a.n && memcmp(ran.out, a.text, a.n) == 0 :
			      ran.n == 0 && ran.err_n > 0);
	(void)snprintf(say, sizeof(say), "asked for %s, the line answers otherwise than it should: ",
		       what);
	if (r < 0)
		hook_say(p->l, HOOK_WRONG, "the line cannot be run: ", strerror(-r));
	else if (!same)
		hook_say(p->l, HOOK_WRONG, say, ran.late ? "it takes too long" :
			 ran.n ? ran.out : ran.err_n ? ran.err : "nothing");
	word[0] = '\0';
	if (same && status == 0)
		word_of(p->l->agent, ran.out, ran.n, word);
	else if (same)
		(void)snprintf(word, 16, "block");
	hook_run_release(&ran);
	free(a.text);
	return same;
}

/* The answer of the policy itself.  False: there is none, and everything is denied. */
static bool ask_policy(const struct proof *p, const struct question *q)
{
	char why[HOOK_SHOWN], word[16], *text;
	uint8_t effect;
	size_t n;
	bool good;

	text = message(HEAD, q->text, "", &n);
	good = hook_try(&p->h->opt, text ? text : "", n, &effect, why, sizeof(why));
	if (!good)
		hook_say(p->l, HOOK_WRONG, "does not answer, and denies everything: ", why);
	else if ((good = ask(p, q->what, text, n, word)) != false) {
		(void)snprintf(why, sizeof(why), "answers: %s is ", q->what);
		hook_say(p->l, HOOK_FINE, why, strcmp(word, "allow") == 0 ? "allowed" :
			 strcmp(word, "ask") == 0 ? "asked" : "denied");
	}
	free(text);
	return good;
}

/* Asks something that must be denied whatever the policy says. */
static void ask_deny(const struct proof *p, const struct question *q)
{
	char say[200], word[16], *text;
	size_t n;

	text = message(NOWHERE, q->text, "", &n);
	if (ask(p, q->what, text ? text : "", n, word) && strcmp(word, "deny") != 0) {
		(void)snprintf(say, sizeof(say), "no deny could be seen for %s: ", q->what);
		hook_say(p->l, HOOK_WRONG, say, word);
	}
	free(text);
}

/* An agent that may write such a file can switch off its hook, or give itself another
 * policy. */
static void ask_write(const struct proof *p, const char *what, const char *path)
{
	char *real = realpath(path, NULL), word[16], say[200], *text;
	size_t n;

	text = real ? message(HEAD, writes[p->l->agent], real, &n) : NULL;
	(void)snprintf(say, sizeof(say), "writing %s", what);
	if (text && ask(p, say, text, n, word) && strcmp(word, "allow") == 0) {
		(void)snprintf(say, sizeof(say), "the policy lets the agent write %s: ", what);
		hook_say(p->l, HOOK_WRONG, say, real);
	}
	free(text);
	free(real);
}

/*
 * With --run: does a command run under polrun here?  A bundle decides what a run may do, so
 * one that others may write, or that comes with the project, is not tried.
 */
static void ask_run(const struct proof *p)
{
	const char *home = getenv("HOME");
	char polrun[PATH_MAX], *cwd = getcwd(NULL, 0), *line = NULL;
	char *project = cwd ? place_project(cwd, home ? home : "/") : NULL;
	struct hook_inside how = { .polrun = polrun, .bundle = p->h->opt.run,
				   .signers = p->h->opt.signers, .project = project,
				   .require_signed = p->h->opt.require_signed, .cwd = cwd };
	struct rt_err err = { .text = "no directory" };
	struct hook_ran ran = { .out = NULL };
	struct stat own;

	if (stat("/proc/self/exe", &own) != 0 || !is_safe(p->l, how.bundle, &own))
		goto end; /* it has said why */
	if (project && hook_inside_polrun(polrun, &err) == 0)
		line = hook_inside_line(&how, "true", &err);
	if (!line)
		hook_say(p->l, HOOK_WRONG, "no command runs under polrun: ", err.text);
	else if (hook_run_line(p->l->agent, line, "", 0, HOOK_RUN_SECONDS, &ran) < 0 ||
		 ran.status != 0)
		hook_say(p->l, HOOK_WRONG, "the command 'true' does not run under polrun here: ",
			 ran.err && ran.err_n ? ran.err : "it cannot be started");
	else
		hook_say(p->l, HOOK_FINE, "a command that is allowed runs under polrun, with ",
			 how.bundle);
end:
	hook_run_release(&ran);
	free(line);
	free(project);
	free(cwd);
}

/* Runs the line with a program in polquery's place that hangs, and a fifth of a second for it: the
 * agent has to see status 2, and a text where it ignores a status without one.  Cursor blocks
 * for every other status than 0 (failClosed, which the doctor checks), opencode's plugin and pi's extension, too. */
static void ask_hanging(const struct proof *p)
{
	const char *command = p->command, *timeout = p->h->timeout;
	const bool any_status = p->l->agent == HOOK_CURSOR || p->l->agent == HOOK_OPENCODE ||
				p->l->agent == HOOK_PI;
	struct hook_ran ran = { .out = NULL };
	char *line = NULL;
	int r = -ENOMEM;

	if (!timeout)
		return;
	if (asprintf(&line, "%.*s%s -k 1 0.2 /bin/sleep 60%s", (int)p->h->from, command, timeout,
		     command + p->h->to) < 0)
		line = NULL;
	if (line)
		r = hook_run_line(p->l->agent, line, "{}", 2, HOOK_RUN_SECONDS, &ran);
	if (r < 0 || ran.late || (any_status ? ran.status == 0 : ran.status != 2) ||
	    (!ran.err_n && (p->l->agent == HOOK_CODEX || p->l->agent == HOOK_GEMINI || p->l->agent == HOOK_QWEN)))
		hook_say(p->l, HOOK_WRONG, "a polquery that hangs does not block: ",
			 r < 0 ? strerror(-r) : ran.late ? "the line does not end" :
			 any_status ? "the line ends with the status 0" :
			 ran.status != 2 ? "the line ends with another status than 2" :
					   "nothing is written to stderr");
	hook_run_release(&ran);
	free(line);
}

void hook_prove(struct hook_look *l, const char *command, const struct hook_line *h)
{
	const struct proof p = { l, command, h };
	bool was_good = l->good;
	char word[16];

	l->good = true;
	hook_run_surround(l->agent); /* this program answers as the line does */
	for (size_t i = 0; i < sizeof(questions) / sizeof(questions[0]); i++) {
		if (questions[i].agent != l->agent)
			continue;
		if (!ask_policy(&p, &questions[i]))
			return;
		ask_deny(&p, &questions[i]);
	}
	if (ask(&p, "nothing that it knows", "{}", 2, word) && strcmp(word, "block") != 0)
		hook_say(l, HOOK_WRONG, "a message that is none is not blocked", "");
	ask_hanging(&p);
	ask_write(&p, "the bundle", h->opt.bundle);
	ask_write(&p, "its own settings", l->file);
	if (h->opt.run) {
		ask_write(&p, "the bundle of --run", h->opt.run);
		ask_run(&p);
	}
	if (l->good)
		hook_say(l, HOOK_FINE, "denies: what must be denied is denied, for a command, a "
			 "file, a tool and a tool of an MCP server", "");
	l->good &= was_good;
}
