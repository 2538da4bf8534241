/* The back ends and their order.  "rules" comes first: the others need its table for
 * the names of rules. */
#include "compiler/backend/table.h"

#include "compiler/backend/commands/commands.h"
#include "compiler/backend/landlock/landlock.h"
#include "compiler/backend/limits/limits.h"
#include "compiler/backend/matcher/matcher.h"
#include "compiler/backend/mounts/mounts.h"
#include "compiler/backend/nft/net.h"
#include "compiler/backend/rules/rules.h"
#include "compiler/backend/seccomp/seccomp.h"

const struct backend *const bk_table[] = {
	&bk_rules,
	&bk_matcher,
	&bk_commands,
	&bk_seccomp,
	&bk_landlock,
	&bk_mounts,
	&bk_limits,
	&bk_env,
	&bk_publish,
	&bk_net,
	NULL
};
