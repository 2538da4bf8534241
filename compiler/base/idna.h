/*
 * Host names in other letters than those of ASCII: what DNS and TLS have instead of them.
 */
#ifndef COMPILER_BASE_IDNA_H
#define COMPILER_BASE_IDNA_H

#include "compiler/base/arena.h"
#include "compiler/base/str.h"

/*
 * Gives the name in ASCII and lower case: UTS 46 without its transitional mappings ("straße"
 * is "xn--strae-oqa", not "strasse").  A name that is ASCII already, with "xn--" or not, is only
 * written in lower case.  Which bytes of ASCII a host name may have, the caller checks.  False
 * if it is no name; `ret_why` then says why.
 */
bool idna_to_ascii(struct arena *a, struct str name, struct str *ret, const char **ret_why);

#endif
