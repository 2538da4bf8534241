/*
 * Columns of a terminal: how wide each character of a UTF-8 text is shown,
 * and what must not be sent to a terminal as it is.
 */
#ifndef COMPILER_DIAG_WIDTH_H
#define COMPILER_DIAG_WIDTH_H

#include "compiler/base/str.h"

/*
 * Decodes the character at s.p[at]: its length in bytes (never 0 before the
 * end), its code point in *ret_c.  An invalid byte is one byte, U+FFFD and
 * *ret_valid false.
 */
size_t utf8_next(struct str s, size_t at, uint32_t *ret_c, bool *ret_valid);
/* Whether it changes the order in which its neighbours are shown. */
bool utf8_is_bidi(uint32_t c);
/* Shows nothing: of no width, or a blank; not the joiners of scripts and emoji. */
bool utf8_is_hidden(uint32_t c);
/* 0, 1 or 2 columns; controls, bidi controls and hidden ones are shown as one U+FFFD. */
unsigned utf8_width(uint32_t c);
bool utf8_is_printable(uint32_t c);

#endif
