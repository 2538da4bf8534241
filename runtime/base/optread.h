/*
 * Reads the options of one of the runtime's programs from its table. Options end at "--"
 * or at the first word that is not an option. Understands "--name value", "--name=value"
 * and clusters of letters.
 */
#ifndef RUNTIME_BASE_OPTREAD_H
#define RUNTIME_BASE_OPTREAD_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/base/err.h"
#include "runtime/base/optspec.h"

#define OPTREAD_LATER (-1) /* an id for options that are known, but refused by this
                              version */

struct optread {
	const char *program; /* for "see PROGRAM --help" */
	const struct optspec *table;
	size_t n;
	/* `value` is NULL if the option takes none. 0 or -errno. */
	int (*set)(void *to, const struct optspec *opt, const char *value,
		   struct rt_err *err);
};

/* 0 and the index of the first word after the options, or -errno. */
int optread(const struct optread *r, int argc, char **argv, void *to, int *ret_rest,
	    struct rt_err *err);
/* Stores a value that may be given only once and must not be empty (unless `empty`). */
int optread_value(const char **slot, const struct optspec *opt, const char *value,
		  bool empty, struct rt_err *err);

#endif
