/* `polc explain POLICY setting NAME`, on sources and on bundles. */
#ifndef COMPILER_CLI_EXPLAIN_SETTING_H
#define COMPILER_CLI_EXPLAIN_SETTING_H

#include "compiler/cli/options.h"

/* CLI_CLEAN if the setting is set, CLI_FINDINGS if not. */
enum cli_exit explain_setting(struct options *o, struct arena *a);

#endif
