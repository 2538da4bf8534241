/* What a message of an agent is answered, in words that all agents share. */
#ifndef RUNTIME_HOOKS_HOOK_VERDICT_H
#define RUNTIME_HOOKS_HOOK_VERDICT_H

#include "runtime/hooks/hook_message.h"

struct query;

struct hook_verdict {
	uint8_t effect;   /* PB_ALLOW, PB_ASK, PB_DENY */
	bool decided;     /* the policy decided; false: there was no usable policy */
	bool asks;        /* the policy asks about a part of it, … */
	bool only_person; /* … and what -y of polrun does not answer */
	char *inside;     /* the line to run in place of the message's; malloc'ed, or NULL */
	char *input;      /* the tool's input with it, as JSON; malloc'ed, or NULL */
	char reason[6000];
};

/* Takes the strictest decision about everything that the tool would do. */
void hook_verdict_decide(struct hook_verdict *v, struct query *q, const struct hook_message *m);
/* The same for the message's line alone, under another policy, whose decision is added. */
void hook_verdict_add_line(struct hook_verdict *v, struct query *q, const struct hook_message *m);
/* Makes it a deny that no policy decided. */
void hook_verdict_deny(struct hook_verdict *v, const char *why);

#endif
