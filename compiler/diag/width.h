/*
 * Columns of a terminal: how wide each character of a UTF-8 text is shown, and which
 * characters must not be sent to a terminal as they are.
 */
#ifndef COMPILER_DIAG_WIDTH_H
#define COMPILER_DIAG_WIDTH_H

#include "compiler/base/str.h"

/*
 * Decodes the character at s.p[at].  Returns its length in bytes (never 0 before the
 * end) and puts its code point into *ret_c.  An invalid byte counts as one byte,
 * U+FFFD, with *ret_valid false.
 */
size_t utf8_next(struct str s, size_t at, uint32_t *ret_c, bool *ret_valid);
/* Does the character change the order in which its neighbours are shown? */
bool utf8_is_bidi(uint32_t c);
/* Is the character invisible: without width, or blank?  The joiners of scripts and
 * emoji do not count. */
bool utf8_is_hidden(uint32_t c);
/* 0, 1 or 2 columns.  Controls, bidi controls and hidden characters are shown as one
 * U+FFFD. */
unsigned utf8_width(uint32_t c);
bool utf8_is_printable(uint32_t c);

#endif
