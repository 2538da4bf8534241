/* The literal places to which path patterns are attached. */
#ifndef COMPILER_BACKEND_MOUNTS_PLACES_H
#define COMPILER_BACKEND_MOUNTS_PLACES_H

#include "compiler/base/vec.h"
#include "compiler/ir/ir.h"

enum mounts_shape {
	MOUNTS_LITERAL, /* `paths`: all names, with alternatives written out */
	MOUNTS_WILD,    /* `paths`: one, the deepest literal directory */
	MOUNTS_ANY      /* at any depth below every root: no path */
};

struct mounts_places {
	enum mounts_shape shape;
	/* The part below the root: "" or beginning with '/'. */
	VEC(struct str) paths;
};

void mounts_places(struct arena *a, const struct ir_path *p, struct mounts_places *ret);
/* Is the pattern a finite set of names? */
bool mounts_is_literal(struct arena *a, const struct ir_path *p);
/* A place as the DSL writes it: "${HOME}/.ssh", "/usr". */
struct str mounts_place_text(struct arena *a, enum ir_root root, struct str rest);
/* Is `at` the same as `top` or below it?  Both are relative to the same root. */
bool mounts_is_below(struct str at, struct str top);

#endif
