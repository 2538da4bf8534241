/* Turns decision graphs into a program and the map of its returns. */
#ifndef COMPILER_BACKEND_SECCOMP_CODEGEN_H
#define COMPILER_BACKEND_SECCOMP_CODEGEN_H

#include <linux/filter.h>

#include "compiler/backend/seccomp/select.h"
#include "runtime/bundle/format.h"

struct filter {
	struct sock_filter *insns;
	size_t n;
	struct pb_map_entry *map; /* by pc, ascending */
	size_t nmap;
	/* the number to name in the message if `n` is too large */
	uint32_t largest_nr;
	size_t largest_size; /* instructions for this number's arguments */
};

void filter_build(const struct selection *s, enum pb_filter_kind kind, struct arena *a,
		  struct filter *ret);

#endif
