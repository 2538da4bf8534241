/* Numbers with the unit of their type, in limits and settings. */
#include "compiler/lower/internal.h"

static const struct {
	bool (*read)(struct str text, uint64_t *ret);
	const char *help;
} numbers[] = {
	[IR_T_SIZE] = { num_size, "a size is a number of bytes, or one with K, M, G or T" },
	[IR_T_DURATION] = { num_duration, "a duration has a unit: ms, s, m, h or d" },
	[IR_T_MILLI] = { num_milli, "write a number with at most three decimals: 2.5" },
	[IR_T_COUNT] = { num_u64, "write a whole number" },
};

bool lower_number(enum ir_scalar_type type, struct str text, uint64_t *ret)
{
	uint64_t n;

	/* the kernel and the evaluator read these numbers as signed ones */
	if (!numbers[type].read(text, &n) || n > INT64_MAX)
		return false;
	*ret = n;
	return true;
}

const char *lower_number_help(enum ir_scalar_type type)
{
	return numbers[type].help;
}
