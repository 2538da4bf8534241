/*
 * The resolved policy as entries, for `polc effective`.  Each entry has its author
 * and place, the statements that it overrode, and why a statement does not count.
 */
#ifndef COMPILER_CLI_EFFECTIVE_H
#define COMPILER_CLI_EFFECTIVE_H

#include "compiler/base/vec.h"
#include "compiler/ir/ir.h"

enum effective_what {
	EFFECTIVE_VALUE,    /* a scalar or a setting: name and value */
	EFFECTIVE_RULE,     /* one statement: name is its effect */
	EFFECTIVE_VARIABLE, /* env: keep, set or secret, and the name */
	EFFECTIVE_FACT,     /* name is its keyword */
	EFFECTIVE_MOUNT,    /* name is the place, value the tree */
	EFFECTIVE_PUBLISH,  /* name is publish or deny publish, value the ports */
	EFFECTIVE_ROLE,
	EFFECTIVE_TEST,
	EFFECTIVE_ASSERTION /* name and value: "at least" an effect */
};

/* A statement that an entry overrode, or that lifts it. */
struct effective_other {
	struct str value; /* overridden: its value; lifted: the pattern */
	struct str id, text;
	enum ir_level level;
	struct ir_place at;
};

struct effective_entry {
	enum effective_what what;
	struct str name, value;
	struct str id, text, because, role, until;
	struct str via;             /* of a network rule: its proxy, or its section's */
	enum ir_level level;
	struct ir_place at;
	size_t patterns;            /* of a rule: into how many rules it was split */
	bool locked, carried;       /* carried: this version does not act on it */
	const struct ir_rule *rule; /* its first rule, for the flags; or NULL */
	VEC(struct effective_other) over;
	VEC(struct effective_other) lifted;
};

struct effective_section {
	const char *name;
	const struct ir_lock *lock; /* or NULL: not locked */
	VEC(struct effective_entry) entries;
};

/* The names of all sections, NULL-ended, in the order in which they are shown. */
extern const char *const effective_sections[];
/* Collects the section of that name, which must be in effective_sections. */
struct effective_section effective_collect(const struct ir *ir, struct arena *a,
					   const char *name);
/* "value", "rule", … */
const char *effective_what_name(enum effective_what w);

struct effective_show {
	const struct ir *ir;
	const char *section; /* NULL: all, and statements that do not count */
	bool verbose;        /* text: include the facts of the standard library */
};

void effective_text(FILE *out, const struct effective_show *s, struct arena *a);
/* Writes JSON or YAML; false if it cannot be written. */
bool effective_data(FILE *out, const struct effective_show *s, struct arena *a,
		    bool yaml);

#endif
