/* What path patterns mean where `mount HOST at PLACE` gives trees second names. */
#ifndef COMPILER_LOWER_MOUNT_H
#define COMPILER_LOWER_MOUNT_H

#include "compiler/lower/internal.h"

struct lower_paths {
	VEC(struct ir_path) v;
};

/*
 * The paths that a pattern of the current statement names.  A pattern below a mount's
 * place means the same path below the mount's tree; if a wildcard reaches across the
 * place, it means both; otherwise it means itself.
 */
bool lower_paths(struct lower *l, const struct ast_value *v, enum lower_side side,
		 struct lower_paths *ret);

#endif
