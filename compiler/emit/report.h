/* What every target is told, and the report of what it could not express. */
#ifndef COMPILER_EMIT_REPORT_H
#define COMPILER_EMIT_REPORT_H

#include "compiler/ir/ir.h"

/* What the command line says about the host. */
struct emit_options {
	const char *uid;    /* nft-host: a number or a name; or NULL */
	const char *cgroup; /* nft-host: a path below /sys/fs/cgroup; or NULL */
	bool loopback;      /* nft-host: the host's loopback stands for the run's own */
};

/* One line of the report. */
struct emit_note {
	const struct ir_place *at; /* or NULL: about the whole */
	struct str text;
	bool loss; /* the output is not what the policy says; else only worth knowing */
};

struct emit_report {
	struct arena *a;
	VEC(struct emit_note) notes;
	size_t losses;
};

void emit_add(struct emit_report *r, const struct ir_place *at, bool loss, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

#endif
