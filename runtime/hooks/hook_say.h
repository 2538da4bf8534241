/* The findings of `polquery doctor` about one agent, and what it knows so far. */
#ifndef RUNTIME_HOOKS_HOOK_SAY_H
#define RUNTIME_HOOKS_HOOK_SAY_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/hooks/hook_trust.h"
#include "runtime/query/hook_agent.h"

enum { HOOK_SHOWN = 600 };

struct json;

struct hook_look {
	enum hook_agent agent;
	struct json *json; /* where the findings go; NULL: lines on stdout */
	const char *file;
	unsigned found; /* number of hooks */
	char *tried;    /* the last command that was asked */
	bool good;      /* every hook answers and fails closed */
	bool system;    /* `file` belongs to the system */
	bool project;   /* … or lies in the working directory */
	bool managed_only;
	bool others_off;   /* hooks with another name are switched off, … */
	bool another_name; /* … and one of our hooks has such a name */
	unsigned managed; /* number of hooks in files of the system */
	uint32_t events;  /* bit k: a hook for the agent's k-th event was found */
	uint32_t whole;   /* … and it gets every tool of the event */
	bool runs;        /* a hook has --run */
	char rule[120];   /* a rule of the agent itself about commands, or "" */
	struct hook_trust trust; /* Codex only */
};

/* HOOK_WRONG: the hook is missing, or denies nothing, or we cannot tell. */
enum hook_kind { HOOK_FINE, HOOK_NOTE, HOOK_WRONG };

/* Reports one finding: `text`, followed by `more`, which comes from a file.  HOOK_WRONG
 * clears l->good. */
void hook_say(struct hook_look *l, enum hook_kind kind, const char *text, const char *more);

#endif
