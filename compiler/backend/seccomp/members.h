/*
 * Reads back what emit wrote.  Nothing here looks at the IR: print and verify
 * see only the bytes of the bundle.
 */
#ifndef COMPILER_BACKEND_SECCOMP_MEMBERS_H
#define COMPILER_BACKEND_SECCOMP_MEMBERS_H

#include <linux/filter.h>

#include "compiler/backend/common/backend.h"
#include "runtime/bundle/format.h"

struct emitted {
	const struct sock_filter *insns;
	size_t n;
	const struct pb_map_entry *map;
	size_t nmap;
	size_t ir_rules; /* verify: of the whole policy, if given only rules of calls */
};

/* NULL, or what is wrong with the structure of the members. */
const char *emitted_read(const struct bk_output *in, enum pb_filter_kind kind,
			 struct arena *a, struct emitted *ret);
/* The map's entry for a return instruction, or NULL. */
const struct pb_map_entry *emitted_entry(const struct emitted *e, uint32_t pc);
/* The parts of bk_seccomp (seccomp.h). */
void bk_seccomp_print(FILE *out, const struct bk_output *in);
const char *bk_seccomp_verify(const struct ir *ir, const struct bk_output *in,
			      struct arena *a);
void bk_seccomp_check(const struct ir *ir, struct bk_report *report,
		      struct diag_sink *sink);

#endif
