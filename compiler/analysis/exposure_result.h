/* What `exposure` finds: data, with no function. */
#ifndef COMPILER_ANALYSIS_EXPOSURE_RESULT_H
#define COMPILER_ANALYSIS_EXPOSURE_RESULT_H

#include "compiler/ir/ir.h"

enum exposure_group {
	EXPOSURE_WRITE, EXPOSURE_READ, EXPOSURE_NET, EXPOSURE_RUN, EXPOSURE_SOCKET,
	EXPOSURE_CALL, EXPOSURE_ENV, EXPOSURE_LIMIT,
	EXPOSURE_GROUP_COUNT
};

enum exposure_grade { EXPOSURE_CLOSED, EXPOSURE_ASKED, EXPOSURE_OPEN };

/* Places for the roots, and the scope. */
struct exposure_where {
	struct ir_roots roots;
	struct str cwd;
	enum ir_scope scope;
};

struct exposure_fact {
	const char *name; /* "SHELL_START" */
	enum exposure_group group;
	unsigned weight;
	const char *title, *does;
};

/* What gives it: a rule, a scalar, or a statement of `env`. */
struct exposure_by {
	struct str id, text;   /* text may be empty */
	struct ir_place at;    /* line 0: nobody says it; it is built in, or missing */
	enum ir_level level;   /* 0: as line 0 */
};

struct exposure_reach {
	enum exposure_grade grade;
	bool undecided; /* the automaton would be too large: it counts as open */
	struct exposure_by by;
	struct str what; /* "write ${HOME}/.bashrc" */
};

/* One rule that gives a fact. */
struct exposure_way {
	struct exposure_reach reach; /* the mildest, of those the first in the catalogue */
	size_t more;                 /* how many other rows of the fact it gives */
};

struct exposure_finding {
	const struct exposure_fact *fact;
	enum exposure_grade grade; /* of the mildest way */
	VEC(struct exposure_way) ways; /* in order of the catalogue; at least one */
	unsigned score;
};

struct exposure_result {
	VEC(struct exposure_finding) findings; /* by group, then in order of the catalogue */
	unsigned score, most; /* most: if everything could be reached */
};

#endif
