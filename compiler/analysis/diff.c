/* The order in which two policies are compared, and the words of changes. */
#include "compiler/analysis/diff_internal.h"

const char *diff_change_name(enum diff_change c)
{
	static const char *const names[] = {
#define CHANGE(id, word) [DIFF_##id] = word,
#include "compiler/analysis/diff_change.def"
#undef CHANGE
	};

	return c < DIFF_CHANGE_COUNT ? names[c] : "?";
}

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
