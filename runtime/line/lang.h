/*
 * The small languages of sed, awk and printf, read only as far as one question needs: can
 * this text do more than compute and print? For sed and awk the table of a program says
 * that its code is in such a language (`sed-script`, `awk-script`).
 *
 * lang_sed_prints() and lang_awk_prints() return true only if every implementation that we know (GNU sed, busybox,
 * BSD; gawk, mawk, busybox, BWK awk) runs nothing, and reads and writes no file that the
 * text names, or refuses the text as a whole. A text that ends inside of something (-e
 * 'a\' -e 'text') is not judged: false.
 *
 * The text may have any bytes, and is not copied. Time is linear in its length, memory is
 * constant.
 */
#ifndef RUNTIME_LINE_LANG_H
#define RUNTIME_LINE_LANG_H

#include <stdbool.h>
#include <stddef.h>

/* No e, r, R, w, W or F, no flag e or w of s, no command that is not of sed. */
bool lang_sed_prints(const char *p, size_t n);

/*
 * No system, getline, pipe, redirection of print, @, ARGV and ENVIRON. What close() closes
 * must have been opened by one of these.
 */
bool lang_awk_prints(const char *p, size_t n);

/* Has this format of the shells' printf a "%n"? It puts a number into the variable that an
 * operand names. */
bool lang_printf_counts(const char *p, size_t n);

#endif
