/* Limits: each key with its own kind of number and unit. */
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
	return numbers[type].read(text, ret);
}

const char *lower_number_help(enum ir_scalar_type type)
{
	return numbers[type].help;
}

static void unknown_limit(struct lower *l, const struct ast_stmt *p)
{
	const char *keys[IR_SCALAR_COUNT];
	struct diag *d;
	size_t n = 0;

	if (str_eqz(p->name, "require")) {
		diag_add(l->sink, DIAG_UNSUPPORTED, p->at,
			 "'require' is not supported by this version");
		return;
	}
	for (int id = 0; id < IR_SCALAR_COUNT; id++)
		if (!strcmp(ir_scalar_section((enum ir_scalar_id)id), "limits"))
			keys[n++] = ir_scalar_key((enum ir_scalar_id)id);
	d = diag_add(l->sink, DIAG_UNKNOWN_KEY, p->name_at,
		     "'limits' has no key '%.*s'", STR_ARG(p->name));
	diag_did_you_mean(l->sink, d, p->name, keys, n);
}

void lower_limit(struct lower *l, const struct sema_stmt *t)
{
	const struct ast_stmt *p = t->stmt;
	const struct ast_value *v = p->values;
	enum ir_scalar_id id = 0;
	uint64_t num = 0;

	while (id < IR_SCALAR_COUNT && !(!strcmp(ir_scalar_section(id), "limits") &&
					 str_eqz(p->name, ir_scalar_key(id))))
		id++;
	if (id == IR_SCALAR_COUNT) {
		unknown_limit(l, p);
		return;
	}
	if (p->append) {
		diag_add(l->sink, DIAG_VALUE, p->at,
			 "'+=' adds to a list, and '%.*s' is one number",
			 STR_ARG(p->name));
		return;
	}
	if (!v || !lower_number(ir_scalar_type(id), v->text, &num)) {
		struct diag *d =
			diag_add(l->sink, DIAG_VALUE, v ? v->at : p->at,
				 "'%.*s' is no value of '%.*s'",
				 STR_ARG(v ? v->text : STR("")), STR_ARG(p->name));
		diag_help(l->sink, d, "%s", lower_number_help(ir_scalar_type(id)));
		return;
	}
	if (num == 0) {
		diag_add(l->sink, DIAG_VALUE, v->at,
			 "with a limit of 0 for '%.*s' nothing could run",
			 STR_ARG(p->name));
		return;
	}
	lower_scalar(l, t, id)->num = num;
}
