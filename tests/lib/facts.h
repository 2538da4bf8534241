/*
 * A commands.bin from a few lines of text, for tests that need no compiler:
 *
 *   wrapper timeout skip=1 transparent posix -k|--kill-after: --foreground
 *   wrapper find after=-exec,-ok ends=;,+ no-cluster -name:
 *   interpreter sh shell posix -c!         (! code, ? query, ^ global,
 *                                           / moves, ~ runs)
 *   program sed -e!:e operand=1:e          (:e when the text has an 'e')
 *   program make default=Makefile,*.mk     (files that it runs unasked)
 *   taint PATH LD_*
 *   safe CI
 *   dialect posix
 *
 * Behind an option ':' is a value, '::' an attached one, ':::' one in places.  Lines of one name
 * are put together.
 */
#ifndef TESTS_LIB_FACTS_H
#define TESTS_LIB_FACTS_H

#include "runtime/bundle/format.h"

/* malloc'ed; ends the program where the text makes no sense. */
struct line_facts *facts_make(const char *text);

/* What the tests of the analysis use: a little of everything. */
extern const char facts_text[];

#endif
