/* From path patterns to the literal places that they hang off. */
#ifndef COMPILER_BACKEND_MOUNTS_PLACES_H
#define COMPILER_BACKEND_MOUNTS_PLACES_H

#include "compiler/base/vec.h"
#include "compiler/ir/ir.h"

enum mounts_shape {
	MOUNTS_LITERAL, /* `paths`: the names, alternatives written out */
	MOUNTS_WILD,    /* `paths`: one, the deepest literal directory */
	MOUNTS_ANY      /* any depth below every root: no path */
};

struct mounts_places {
	enum mounts_shape shape;
	/* The rest under the root, "" or beginning with '/'. */
	VEC(struct str) paths;
};

/* Alternatives are written out up to this many names, then they are wild. */
#define MOUNTS_MAX_NAMES 256

void mounts_places(struct arena *a, const struct ir_path *p, struct mounts_places *ret);
/* "${HOME}/.ssh", "/usr": a place as the DSL writes it. */
struct str mounts_place_text(struct arena *a, enum ir_root root, struct str rest);
/* Is `at` the same as `top` or below it? Both are rests of one root. */
bool mounts_is_below(struct str at, struct str top);

#endif
