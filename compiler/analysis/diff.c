/* The order in which two policies are compared. */
#include "compiler/analysis/diff.h"

#include "compiler/analysis/diff_call.h"
#include "compiler/analysis/diff_key.h"
#include "compiler/analysis/diff_lang.h"
#include "compiler/analysis/diff_net.h"
#include "compiler/analysis/diff_scalar.h"
#include "compiler/analysis/diff_value.h"

void diff_policies(const struct ir *old, const struct ir *new,
		   const struct diff_where *where, struct arena *a,
		   struct diff_result *ret)
{
	struct diff d = { .a = a, .ir = { old, new }, .where = where, .ret = ret };

	memset(ret, 0, sizeof(*ret));
	map_init(&d.seen, a);
	diff_identify(&d);
	diff_languages(&d, IR_COMMAND);
	diff_languages(&d, IR_FILE);
	diff_nets(&d);
	diff_languages(&d, IR_UNIX);
	diff_calls(&d);
	diff_languages(&d, IR_TOOL);
	diff_scalars(&d);
	diff_values(&d);
}
