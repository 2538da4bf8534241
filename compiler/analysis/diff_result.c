/* The words of changes. */
#include "compiler/analysis/diff_result.h"

const char *diff_change_name(enum diff_change c)
{
	static const char *const names[] = {
#define CHANGE(id, word) [DIFF_##id] = word,
#include "compiler/analysis/diff_change.def"
#undef CHANGE
	};

	return c < DIFF_CHANGE_COUNT ? names[c] : "?";
}
