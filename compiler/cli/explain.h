/* The answer of `polc explain`, whoever decided, and its two spellings. */
#ifndef COMPILER_CLI_EXPLAIN_H
#define COMPILER_CLI_EXPLAIN_H

#include "compiler/base/vec.h"
#include "compiler/ir/ir.h"

/* A rule, a scalar or a fact, as it is printed. */
struct explain_rule {
	struct str id, file, text, because;
	uint32_t line; /* 0: nobody said it */
	const char *level;
	const char *effect; /* NULL: a scalar by risk */
};

struct explain_layer {
	const char *layer, *exactness;
	struct str note;
};

struct explain_answer {
	struct arena *a;
	const char *kind;      /* "command", "file write", … */
	struct str request;    /* as it was asked */
	struct str subject;    /* what was judged, where it is another path */
	enum ir_effect effect;
	struct str step;       /* the step of semantics 3.1, in words */
	struct explain_rule by;
	struct explain_rule risk_by; /* line 0: no pattern classes it */
	const char *risk;      /* commands; NULL otherwise */
	bool needs_person;
	const char *err;       /* system calls: "EPERM", or NULL */
	VEC(struct explain_rule) matched;
	size_t more;           /* rules that match and are not listed */
	VEC(struct explain_layer) layers;
};

void explain_text(FILE *out, const struct explain_answer *e);
void explain_json(FILE *out, const struct explain_answer *e);

#endif
