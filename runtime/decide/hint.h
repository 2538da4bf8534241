/*
 * What would make a line pass that is asked about or denied: in one line, a rule to add
 * at the user's own level, or another way to write the line, or who has to change what
 * stands. A rule that is suggested is enough: with it the line is allowed. For what is
 * denied no rule is suggested. Nothing is allocated; all text is escaped.
 */
#ifndef RUNTIME_DECIDE_HINT_H
#define RUNTIME_DECIDE_HINT_H

#include "runtime/decide/decide.h"

#define HINT_CAP 1600

struct hint {
	char text[HINT_CAP]; /* ""; there is nothing to say: it is allowed */
	bool rule;           /* the text is a section of a policy, as it would be written */
};

/* For one part of a line. `project`: the project's folder, or NULL. */
void hint_part(const struct bundle *b, const char *project, const struct cmd_part *p,
	       struct hint *ret);
/* For a whole line that was decided: if rules are enough, those for all parts that
 * ask. */
void hint_line(const struct bundle *b, const char *project, const struct cmd_line *line,
	       const struct decision *d, struct hint *ret);
/* Anything that is no line. */
struct hint_subject {
	uint8_t kind;     /* enum pb_kind */
	const char *tool; /* a tool's name; else NULL */
	/* A connection: */
	const char *host; /* a name, or an address as text; NULL: not known */
	bool is_addr, udp;
	uint16_t port;    /* 0: not known */
};

void hint_request(const struct bundle *b, const struct hint_subject *s,
		  const struct decision *d, struct hint *ret);

/* Is it one of the denials of system calls that the mode of the network brings with it? */
bool hint_is_mode_call(const struct bundle *b, uint32_t rule);
/* What may be done about such a denial with this errno: static text.  No rule lifts it. */
const char *hint_mode_call(unsigned err);

/* What to write instead of what has this reason (cmd_part.opaque, no_allow): static text.
 * NULL: the analysis gives no such reason. */
const char *hint_way(const char *why);

#endif
