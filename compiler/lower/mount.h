/* What path patterns mean where `mount HOST at PLACE` gives trees second names. */
#ifndef COMPILER_LOWER_MOUNT_H
#define COMPILER_LOWER_MOUNT_H

#include "compiler/lower/internal.h"

struct lower_paths {
	VEC(struct ir_path) v;
};

/*
 * What a path pattern of the statement at hand names: itself, or below the
 * place of a mount what it means below its tree; both where a wildcard
 * reaches over the place.
 */
bool lower_paths(struct lower *l, const struct ast_value *v, enum lower_side side,
		 struct lower_paths *ret);

#endif
