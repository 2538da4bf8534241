/* Decides what is wrong with one command of an agent's settings. */
#include "runtime/cli/hook_look.h"

#include <json-c/json.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/cli/hook.h"
#include "runtime/cli/hook_line.h"
#include "runtime/decide/explain.h"

/* How long each agent waits for a hook that says nothing of it, in seconds, and what
 * its settings count in; 0: not known.  Past that the tool is run. */
static const struct {
	unsigned wait;
	double unit;
} waits[HOOK_AGENT_COUNT] = {
	[HOOK_CLAUDE] = { 60, 1 },
	[HOOK_CODEX] = { 600, 1 },
	[HOOK_GEMINI] = { 60, 0.001 },
	[HOOK_CURSOR] = { 0, 1 },
};

/* What is asked, behind the directory at hand ('@'): a line that does nothing, a file
 * that is there, a tool and one of an MCP server that nobody has. */
static const struct question {
	enum hook_agent agent;
	const char *what, *text;
} questions[] = {
#define MESSAGES(agent, event, shell, read, path)                                              \
	{ agent, "the command 'true'",                                                         \
	  ",\"hook_event_name\":\"" event "\",\"tool_name\":\"" shell                          \
	  "\",\"tool_input\":{\"command\":\"true\"}}" },                                       \
	{ agent, "reading a file",                                                             \
	  ",\"hook_event_name\":\"" event "\",\"tool_name\":\"" read "\",\"tool_input\":{\""   \
	  path "\":\"@/pol-doctor\"}}" },                                                      \
	{ agent, "a tool",                                                                     \
	  ",\"hook_event_name\":\"" event                                                      \
	  "\",\"tool_name\":\"pol_doctor\",\"tool_input\":{}}" },                              \
	{ agent, "a tool of an MCP server",                                                    \
	  ",\"hook_event_name\":\"" event                                                      \
	  "\",\"tool_name\":\"mcp__pol__doctor\",\"tool_input\":{}}" }
	MESSAGES(HOOK_CLAUDE, "PreToolUse", "Bash", "Read", "file_path"),
	MESSAGES(HOOK_CODEX, "PreToolUse", "Bash", "view_image", "path"),
	MESSAGES(HOOK_GEMINI, "BeforeTool", "run_shell_command", "read_file", "file_path"),
	{ HOOK_CURSOR, "the command 'true'",
	  ",\"hook_event_name\":\"beforeShellExecution\",\"command\":\"true\"}" },
	{ HOOK_CURSOR, "reading a file",
	  ",\"workspace_roots\":[\"@\"],\"hook_event_name\":\"beforeReadFile\","
	  "\"file_path\":\"@/pol-doctor\",\"content\":\"\"}" },
	{ HOOK_CURSOR, "a tool",
	  ",\"workspace_roots\":[\"@\"],\"hook_event_name\":\"preToolUse\","
	  "\"tool_name\":\"pol_doctor\",\"tool_input\":{}}" },
	{ HOOK_CURSOR, "a tool of an MCP server",
	  ",\"workspace_roots\":[\"@\"],\"hook_event_name\":\"beforeMCPExecution\","
	  "\"tool_name\":\"pol_doctor\",\"tool_input\":\"{}\"}" },
};

void hook_say(const struct hook_look *l, const char *text, const char *more)
{
	char shown[HOOK_SHOWN];

	io_plain(shown, sizeof(shown), more);
	printf("%s: %s%s\n", hook_agent_name(l->agent), text, shown);
}

/* --- does it answer? -------------------------------------------------------------- */

/* Copies `s` behind text[n], with `here` for each '@'; the new length. */
static size_t fill(char *text, size_t n, const char *s, const char *here, size_t len)
{
	for (; *s; s++) {
		if (*s != '@') {
			text[n++] = *s;
			continue;
		}
		memcpy(text + n, here, len);
		n += len;
	}
	text[n] = '\0';
	return n;
}

/* The message; malloc'ed, or NULL. */
static char *question(const struct question *q, size_t *ret_n)
{
	static const char head[] = "{\"cwd\":\"@\"";
	char cwd[PATH_MAX], *text;
	struct json_object *o = getcwd(cwd, sizeof(cwd)) ? json_object_new_string(cwd) : NULL;
	const char *here = o ? json_object_to_json_string(o) : NULL;
	size_t len;

	*ret_n = 0;
	if (!here)
		return NULL;
	len = strlen(here) - 2; /* without its quotes */
	text = malloc((sizeof(head) + strlen(q->text)) * (len + 1));
	if (text) {
		*ret_n = fill(text, 0, head, here + 1, len);
		*ret_n = fill(text, *ret_n, q->text, here + 1, len);
	}
	json_object_put(o);
	return text;
}

/* Would the hook decide each of the four? */
static bool answers(struct hook_look *l, const struct query_options *opt)
{
	bool good = true;

	for (size_t i = 0; i < sizeof(questions) / sizeof(questions[0]); i++) {
		char why[HOOK_SHOWN], text[120], *q;
		uint8_t effect;
		size_t n = 0;
		bool one;

		if (questions[i].agent != l->agent)
			continue;
		q = question(&questions[i], &n);
		one = hook_try(opt, q ? q : "", n, &effect, why, sizeof(why));
		free(q);
		(void)snprintf(text, sizeof(text), one ? "answers: %s is " : "does not answer, "
			       "and denies everything (%s): ", questions[i].what);
		hook_say(l, text, !one ? why : effect == PB_ALLOW ? "allowed" :
			 effect == PB_ASK ? "asked" : "denied");
		good &= one;
		if (!one)
			break;
	}
	return good;
}

/* One that stands there several times is asked once. */
static bool tried(struct hook_look *l, const char *command)
{
	if (l->tried && strcmp(l->tried, command) == 0)
		return true;
	free(l->tried);
	l->tried = strdup(command);
	return false;
}

/* --- does it fail closed? ------------------------------------------------------------ */

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
static bool stays_closed(const struct hook_look *l, const struct hook_found *f,
			 const struct hook_line *h)
{
	const char *command = f->command, *head = command, *tail = command + h->to;
	bool said = skip_echo(&head);

	if (!said)
		head += strspn(head, " \t\n");
	if (h->to == 0 || head != command + h->from) {
		hook_say(l, "cannot tell whether it denies: more than polquery and its words "
			 "stands there", "");
		return false;
	}
	if (!tail[strspn(tail, " \t\n")] ? f->fail_closed :
	    skip(&tail, "||") && skip(&tail, "exit 2") && !*tail &&
			    (said || l->agent != HOOK_CODEX))
		return true;
	hook_say(l, "where polquery is missing or dies, everything is allowed: ",
		 l->agent == HOOK_CODEX ? "begin the command with 'echo polquery: no answer "
					  ">&2;' and end it with '|| exit 2'" :
					  "end the command with '|| exit 2'");
	return false;
}

/* All agents run the tool where its hook is late: so the line has to be earlier. */
static bool is_in_time(const struct hook_look *l, const struct hook_found *f,
		       const struct hook_line *h)
{
	double wait = f->timeout < 0 ? waits[l->agent].wait : f->timeout * waits[l->agent].unit;
	char text[120];

	if (f->fail_closed)
		return true;
	if (!h->seconds) {
		hook_say(l, "where polquery takes too long, everything is allowed: put "
			 "'/usr/bin/timeout 20' before it", "");
		return false;
	}
	if (wait <= 0 || h->seconds < wait)
		return true;
	(void)snprintf(text, sizeof(text), "where polquery takes too long, everything is "
		       "allowed: the agent waits %g s, its 'timeout' %u s", wait, h->seconds);
	hook_say(l, text, "");
	return false;
}

/* Is it this program that would be run? */
static bool is_this(const struct hook_look *l, const struct hook_line *h)
{
	struct stat own, there;

	if (h->bare) {
		hook_say(l, "a program without a path: who sets PATH, a project's settings too, "
			 "answers in its place: write the absolute path of ",
			 h->program[0] == '/' ? "timeout" : "polquery");
		return false;
	}
	if (stat(h->program, &there) != 0) {
		hook_say(l, "is not there, so that everything is denied: ", h->program);
		return false;
	}
	if (stat("/proc/self/exe", &own) == 0 && own.st_dev == there.st_dev &&
	    own.st_ino == there.st_ino)
		return true;
	hook_say(l, "cannot tell what another polquery answers: ask its own doctor: ",
		 h->program);
	return false;
}

static void look_at_line(struct hook_look *l, const struct hook_found *f)
{
	struct hook_line h;
	struct rt_err err = { 0 };

	if (hook_line_read(f->command, &h, &err) < 0) {
		hook_say(l, "cannot tell whether it answers: ", err.text);
		l->good = false;
	} else {
		l->good &= stays_closed(l, f, &h);
		l->good &= is_in_time(l, f, &h);
		l->good &= is_this(l, &h);
		if (!tried(l, f->command))
			l->good &= answers(l, &h.opt);
	}
	hook_line_release(&h);
}

void hook_look_at(struct hook_look *l, const struct hook_found *f)
{
	const char *m = f->matcher;
	char name[40], text[PATH_MAX + 80];

	(void)snprintf(name, sizeof(name), "hook %s", hook_agent_name(l->agent));
	if (!strstr(f->command, "polquery") || !strstr(f->command, name))
		return;
	(void)snprintf(text, sizeof(text), "installed in %s (%s): ", l->file, f->event);
	hook_say(l, text, f->command);
	for (size_t k = 0; hook_agent_event(l->agent, k); k++)
		if (strcmp(hook_agent_event(l->agent, k), f->event) == 0)
			l->events |= 1u << k;
	l->managed += l->system;
	if (m && m[0] && strcmp(m, "*") != 0 && strcmp(m, ".*") != 0)
		hook_say(l, "note: it is asked for tools only that match ", m);
	l->found++;
	if (l->agent == HOOK_CODEX && !l->system)
		hook_trust_add(&l->trust, l->file, f);
	look_at_line(l, f);
}
