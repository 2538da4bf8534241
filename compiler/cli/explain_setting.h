/* `polc explain POLICY setting NAME`, on sources and on bundles. */
#ifndef COMPILER_CLI_EXPLAIN_SETTING_H
#define COMPILER_CLI_EXPLAIN_SETTING_H

#include "compiler/cli/options.h"

/* CLI_CLEAN where somebody sets it, CLI_FINDINGS where nobody does. */
enum cli_exit explain_setting(struct options *o, struct arena *a);

#endif
