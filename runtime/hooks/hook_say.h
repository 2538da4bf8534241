/* The findings of `polquery doctor` about one agent, and what is known of it so far. */
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
	unsigned found; /* hooks */
	char *tried;    /* the last command that was asked */
	bool good;      /* each answers and fails closed */
	bool system;    /* `file` is of the system */
	bool project;   /* … in the working directory */
	bool managed_only;
	bool others_off;   /* hooks of another name are switched off, … */
	bool another_name; /* … and one of ours has such a name */
	unsigned managed; /* hooks in files of the system */
	uint32_t events;  /* bit k: of the agent's k-th event */
	uint32_t whole;   /* … and it is asked about every tool there */
	struct hook_trust trust; /* Codex's */
};

/* HOOK_WRONG: the hook is not there, or denies nothing, or nobody can tell. */
enum hook_kind { HOOK_FINE, HOOK_NOTE, HOOK_WRONG };

/* One finding: `text`, and `more`, which came from a file.  HOOK_WRONG clears
 * l->good. */
void hook_say(struct hook_look *l, enum hook_kind kind, const char *text, const char *more);

#endif
