/* Only for test builds: the table of the grammar's productions. Empty in every other
 * build. */
#include "runtime/line/shell/production.h"

#ifdef POL_TEST_SHELL
const struct shell_production_row shell_productions[SHELL_PRODUCTIONS] = {
#define X(id, name, dialect) [SHELL_##id] = { name, dialect },
#include "runtime/line/shell/productions.def"
#undef X
};

unsigned shell_is_off;
#else
typedef int shell_production_is_off;
#endif
