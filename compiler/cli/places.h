/* The places of a policy that lie behind symbolic links on this machine, as runtime/decide/links.h finds them. */
#ifndef COMPILER_CLI_PLACES_H
#define COMPILER_CLI_PLACES_H

#include "compiler/ir/ir.h"
#include "runtime/base/place.h"

/* Looks at the machine now.  The caller releases *ret (place_links_release()).  False if memory is short. */
bool places_find_links(const struct ir *ir, const struct ir_roots *roots, struct arena *a, struct place_links *ret);

#endif
