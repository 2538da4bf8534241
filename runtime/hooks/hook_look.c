/* Decides what is wrong with one command of an agent's settings. */
#include "runtime/hooks/hook_look.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/hooks/hook_line.h"
#include "runtime/hooks/hook_prove.h"
#include "runtime/hooks/hook_read.h"

/* How many seconds each agent waits for a hook that sets no limit, and the unit of its
 * settings; 0: unknown.  After that time the agent runs the tool. */
static const struct {
	unsigned wait;
	double unit;
} waits[HOOK_AGENT_COUNT] = {
	[HOOK_CLAUDE] = { 60, 1 },
	[HOOK_CODEX] = { 600, 1 },
	[HOOK_GEMINI] = { 60, 0.001 },
	[HOOK_CURSOR] = { 0, 1 },
	[HOOK_QWEN] = { 60, 1 },
	[HOOK_OPENCODE] = { 0, 1 },
	[HOOK_PI] = { 0, 1 },
	[HOOK_COPILOT] = { 30, 1 },
};

/* A command that occurs several times is asked only once. */
static bool tried(struct hook_look *l, const char *command)
{
	if (l->tried && strcmp(l->tried, command) == 0)
		return true;
	free(l->tried);
	l->tried = strdup(command);
	return false;
}

/* --- does it fail closed? ------------------------------------------------------------ */

/* Moves *p to after `word` and the blanks around it. */
static bool skip(const char **p, const char *word)
{
	const char *s = *p + strspn(*p, " \t\n");

	if (strncmp(s, word, strlen(word)) != 0)
		return false;
	s += strlen(word);
	*p = s + strspn(s, " \t\n");
	return true;
}

/* Parses "echo SOME WORDS >&2;" with nothing that is special to a shell. */
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

/* Parses the end: "|| exit 2", or "|| { echo SOME WORDS >&2; exit 2; }". */
static bool skip_end(const char *p, bool *ret_said)
{
	*ret_said = false;
	if (!skip(&p, "||"))
		return false;
	if (skip(&p, "{ ")) {
		*ret_said = skip_echo(&p);
		return *ret_said && skip(&p, "exit 2;") && skip(&p, "}") && !*p;
	}
	return skip(&p, "exit 2") && !*p;
}

/*
 * If polquery is missing, dies or is killed by `timeout`, is that a deny?  Codex
 * (codex-rs/hooks/src/events/pre_tool_use.rs) and Gemini CLI block only at status 2 with a
 * text on stderr, and ignore the text at status 0.
 */
static bool stays_closed(struct hook_look *l, const struct hook_found *f,
			 const struct hook_line *h)
{
	const char *command = f->command, *head = command, *tail = command + h->to;
	bool said = skip_echo(&head), end_said;

	if (!said)
		head += strspn(head, " \t\n");
	if (h->to == 0 || head != command + h->from) {
		hook_say(l, HOOK_WRONG, "cannot tell whether it denies: more than polquery and its words "
			 "stands there", "");
		return false;
	}
	if (!tail[strspn(tail, " \t\n")] ? f->fail_closed :
	    skip_end(tail, &end_said) &&
			    (said || end_said ||
			     (l->agent != HOOK_CODEX && l->agent != HOOK_GEMINI && l->agent != HOOK_QWEN)))
		return true;
	hook_say(l, HOOK_WRONG, "where polquery is missing, dies or hangs, everything is allowed: end "
		 "the command with '|| { echo polquery: no answer >&2; exit 2; }'", "");
	return false;
}

/* The largest value for the agents' timers.  Beyond it, Claude Code and Gemini CLI do
 * not wait at all. */
#define LONGEST 2147483.0

/* All agents run the tool if the hook is late, so the line must end before that. */
static bool is_in_time(struct hook_look *l, const struct hook_found *f,
		       const struct hook_line *h)
{
	double wait = f->timeout < 0 ? waits[l->agent].wait : f->timeout * waits[l->agent].unit;
	char text[160];

	if (f->timeout * waits[l->agent].unit > LONGEST) {
		hook_say(l, HOOK_WRONG, "its 'timeout' in the settings is too long for the agent, "
			 "which waits not at all then", "");
		return false;
	}
	if (f->fail_closed)
		return true;
	if (!h->seconds) {
		hook_say(l, HOOK_WRONG, "where polquery takes too long, everything is allowed: put "
			 "'/usr/bin/timeout 20' before it", "");
		return false;
	}
	if ((wait <= 0 && f->timeout < 0) || h->seconds < wait)
		return true;
	(void)snprintf(text, sizeof(text), "where polquery takes too long, everything is "
		       "allowed: the agent waits %g s, its 'timeout' %u s", wait, h->seconds);
	hook_say(l, HOOK_WRONG, text, "");
	return false;
}

/* The agents replace some variables in the text, even between single quotes. */
static bool has_variable(const char *command)
{
	for (const char *p = command; (p = strchr(p, '$')) != NULL; p++) {
		size_t n = strncmp(p, "${HOME}", 7) == 0 ? 7 : strncmp(p, "$HOME", 5) == 0 ? 5 : 0;

		if (!n || (n == 5 && (isalnum((unsigned char)p[n]) || p[n] == '_')))
			return true;
	}
	return false;
}

static void look_at_line(struct hook_look *l, const struct hook_found *f)
{
	struct hook_line h;
	struct rt_err err = { 0 };
	bool good;

	if (hook_line_read(f->command, &h, &err) < 0) {
		hook_say(l, HOOK_WRONG, "cannot tell whether it answers: ", err.text);
	} else if (has_variable(f->command)) {
		hook_say(l, HOOK_WRONG, "cannot tell what the agent puts in place of a '$'", "");
	} else {
		l->runs |= h.opt.run != NULL;
		good = stays_closed(l, f, &h);
		good &= is_in_time(l, f, &h);
		good &= hook_prove_programs(l, &h);
		if (good && !tried(l, f->command))
			hook_prove(l, f->command, &h);
	}
	hook_line_release(&h);
}

/* Does the hook get every tool of the event?  All agents agree about these matchers, but Copilot CLI, which
 * skips a hook with one of the first two. */
static bool is_for_all(enum hook_agent agent, const char *matcher)
{
	static const char *const all[] = { "", "*", ".*", "^.*$" };

	for (size_t i = agent == HOOK_COPILOT ? 2 : 0; matcher && i < sizeof(all) / sizeof(all[0]); i++)
		if (strcmp(matcher, all[i]) == 0)
			return true;
	return !matcher;
}

void hook_look_at(struct hook_look *l, const struct hook_found *f)
{
	char name[40], text[PATH_MAX + 80];
	bool all = is_for_all(l->agent, f->matcher);

	(void)snprintf(name, sizeof(name), "hook %s", hook_agent_name(l->agent));
	if (!strstr(f->command, "polquery") || !strstr(f->command, name))
		return;
	(void)snprintf(text, sizeof(text), "installed in %s (%s): ", l->file, f->event);
	hook_say(l, HOOK_FINE, text, f->command);
	if (!all)
		hook_say(l, HOOK_NOTE, "it is asked for tools only that match ", f->matcher);
	if (f->only_if)
		hook_say(l, HOOK_NOTE, "it is asked only if ", f->only_if);
	for (size_t k = 0; hook_agent_event(l->agent, k); k++)
		if (strcmp(hook_agent_event(l->agent, k), f->event) == 0) {
			l->events |= 1u << k;
			l->whole |= all && !f->only_if ? 1u << k : 0;
		}
	l->managed += l->system;
	l->another_name |= f->name && !strstr(f->name, "polquery");
	l->found++;
	if (l->agent == HOOK_CODEX && !l->system)
		hook_trust_add(&l->trust, l->file, f);
	look_at_line(l, f);
}
