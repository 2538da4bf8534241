/* How YAML writes a text: bare, or in the quotes that it needs. */
#ifndef COMPILER_FORMAT_QUOTE_H
#define COMPILER_FORMAT_QUOTE_H

#include "compiler/base/buf.h"

/* The text as a key or scalar that every reader of YAML takes for text. */
struct str quote_text(struct arena *a, struct str text);
/* Can YAML hold this text as a key at all? */
bool quote_is_key(struct str text);
/* Is it UTF-8?  YAML cannot hold anything else. */
bool quote_is_utf8(struct str text);
/* Does each character stand for itself, without an escape? */
bool quote_is_visible(struct str text);

#endif
