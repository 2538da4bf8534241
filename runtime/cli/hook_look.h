/* One command in an agent's settings: is it our hook, does it answer, does it fail
 * closed?  Parts of `polquery doctor`; a line that is not known word by word is not
 * run (hook_prove.h). */
#ifndef RUNTIME_CLI_HOOK_LOOK_H
#define RUNTIME_CLI_HOOK_LOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/cli/hook_message.h"
#include "runtime/cli/hook_trust.h"

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

/* A hook as the settings have it.  Texts are never NULL but where it is said. */
struct hook_found {
	const char *event, *command;
	const char *matcher;  /* NULL: none */
	const char *status;   /* a text that is shown meanwhile, or NULL */
	double timeout;       /* as the settings count; < 0: none is given */
	const char *only_if;  /* a condition on which it is asked, or NULL */
	const char *name;     /* by which it may be switched off, or NULL: its command */
	bool fail_closed;     /* the agent denies where it fails or is late */
	bool odd;             /* it has something that is not read here */
	unsigned group, index; /* its place in the event's list */
};

/* HOOK_WRONG: the hook is not there, or denies nothing, or nobody can tell. */
enum hook_kind { HOOK_FINE, HOOK_NOTE, HOOK_WRONG };

/* One finding: `text`, and `more`, which came from a file.  HOOK_WRONG clears
 * l->good. */
void hook_say(struct hook_look *l, enum hook_kind kind, const char *text, const char *more);
/* Clears l->good where `h` is our hook and would not deny as it should; another
 * agent's or program's command is passed over. */
void hook_look_at(struct hook_look *l, const struct hook_found *h);

#endif
