/* The places of a policy that lie behind symbolic links on this machine. */
#ifndef RUNTIME_DECIDE_LINKS_H
#define RUNTIME_DECIDE_LINKS_H

#include "runtime/decide/decide.h"

/*
 * Finds the places that rules deny, hide or ask about: a rule of such a name holds for what the name leads to
 * (semantics 5).  Looks at the machine now; the caller releases *ret (place_links_release()), also after an error.
 * 0 or -ENOMEM.
 */
int decide_links(const struct decide_ctx *c, struct place_links *ret);

#endif
