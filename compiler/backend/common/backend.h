/*
 * A back end turns the IR into members of the bundle.  Its check must report, for
 * every rule that the back end touches, how well the rule is enforced.
 * Nothing is dropped silently.  backend/table.h lists all back ends.
 */
#ifndef COMPILER_BACKEND_COMMON_BACKEND_H
#define COMPILER_BACKEND_COMMON_BACKEND_H

#include "compiler/base/buf.h"
#include "compiler/diag/diag.h"
#include "compiler/ir/ir.h"

enum bk_exactness {
	BK_NONE,       /* this layer does not concern the rule */
	BK_EXACT,      /* forbids exactly what the rule forbids */
	BK_OVER,       /* forbids more: `note` says what */
	BK_UNDER,      /* forbids less: `note` says what */
	BK_ENTRY_ONLY, /* decided at entry; the mechanism below comes later */
	BK_ADVISORY    /* only programs that ask see it */
};

/* One line of the report: how well a layer enforces a rule. */
struct bk_note {
	const struct ir_rule *rule;     /* or NULL for a scalar or the whole file */
	enum ir_scalar_id scalar;       /* where rule is NULL and whole is false */
	bool whole;
	const char *layer;              /* "seccomp", "mounts", "landlock", … */
	enum bk_exactness exactness;
	struct str note;
	bool is_fatal; /* `under`, and an error by semantics 7 */
};

struct bk_report {
	struct arena *a;
	VEC(struct bk_note) notes;
};

struct bk_member {
	struct str path;  /* "seccomp/x86_64.enforce.bpf" */
	struct str bytes;
};

struct bk_output {
	struct arena *a;
	VEC(struct bk_member) members;
	VEC(struct str) features; /* required kernel features, for the manifest */
};

struct backend {
	const char *name;
	/* Fills the report; rules that cannot be lowered are errors in the sink. */
	void (*check)(const struct ir *ir, struct bk_report *report,
		      struct diag_sink *sink);
	/* Appends the members; false after an error in the sink. */
	bool (*emit)(const struct ir *ir, struct bk_output *out,
		     struct diag_sink *sink);
	/* Prints what was emitted, for `dump`, `inspect` and goldens.  Reads only the
	   members (and the rule table, to name rules), never the IR. */
	void (*print)(FILE *out, const struct bk_output *in);
	/* Proves that the emitted members are equal to the IR; NULL, or what differs. */
	const char *(*verify)(const struct ir *ir, const struct bk_output *in,
			      struct arena *a);
	/* Its members take most of the time of a large policy, and only decisions read
	   them: a check of a policy without tests leaves them out. */
	bool for_decisions;
};

const char *bk_exactness_name(enum bk_exactness e);
/* For back ends: adds a line to the report. */
void bk_note(struct bk_report *r, const struct ir_rule *rule, const char *layer,
	     enum bk_exactness e, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
void bk_note_scalar(struct bk_report *r, enum ir_scalar_id s, const char *layer,
		    enum bk_exactness e, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
const struct bk_member *bk_member(const struct bk_output *out, const char *path);

#endif
