/* Limits: each key with its own kind of value and unit. */
#include "compiler/lower/internal.h"

static const char *unit_help(enum ir_scalar_type type)
{
	switch (type) {
	case IR_T_SIZE:
		return "a size is a number of bytes, or one with K, M, G or T";
	case IR_T_DURATION:
		return "a duration has a unit: ms, s, m, h or d";
	case IR_T_MILLI:
		return "write a number with at most three decimals: 2.5";
	case IR_T_COUNT:
	case IR_T_EFFECT:
	case IR_T_OTHERWISE:
	case IR_T_MODE:
	case IR_T_NAME:
		break;
	}
	return "write a whole number";
}

static bool limit_value(enum ir_scalar_type type, struct str text, uint64_t *ret)
{
	switch (type) {
	case IR_T_SIZE:
		return num_size(text, ret);
	case IR_T_DURATION:
		return num_duration(text, ret);
	case IR_T_MILLI:
		return num_milli(text, ret);
	case IR_T_COUNT:
		return num_u64(text, ret);
	case IR_T_EFFECT:
	case IR_T_OTHERWISE:
	case IR_T_MODE:
	case IR_T_NAME:
		break;
	}
	return false;
}

static void unknown_limit(struct lower *l, const struct ast_stmt *p)
{
	const char *keys[IR_SCALAR_COUNT];
	const char *near;
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
	near = diag_suggest(p->name, keys, n);
	if (near)
		diag_help(l->sink, d, "did you mean '%s'?", near);
}

void lower_limit(struct lower *l, const struct sema_stmt *t)
{
	const struct ast_stmt *p = t->stmt;
	const struct ast_value *v = p->values;
	int id = 0;
	uint64_t num = 0;

	while (id < IR_SCALAR_COUNT &&
	       !(!strcmp(ir_scalar_section((enum ir_scalar_id)id), "limits") &&
		 str_eqz(p->name, ir_scalar_key((enum ir_scalar_id)id))))
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
	if (!v || !limit_value(ir_scalar_type((enum ir_scalar_id)id), v->text, &num)) {
		struct diag *d =
			diag_add(l->sink, DIAG_VALUE, v ? v->at : p->at,
				 "'%.*s' is no value of '%.*s'",
				 STR_ARG(v ? v->text : STR("")), STR_ARG(p->name));
		diag_help(l->sink, d, "%s",
			  unit_help(ir_scalar_type((enum ir_scalar_id)id)));
		return;
	}
	if (num == 0) {
		diag_add(l->sink, DIAG_VALUE, v->at,
			 "with a limit of 0 for '%.*s' nothing could run",
			 STR_ARG(p->name));
		return;
	}
	struct lower_claim *c = lower_claim(l, t, (enum ir_scalar_id)id);
	c->value.num = num;
	/* `locked limits { … }` locks each of its values */
	c->value.locked |= t->section_locked && t->unit->level <= IR_MANAGED_FILE;
}
