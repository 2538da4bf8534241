/*
 * The parts of conditions: AND, OR and NOT, and their leaves: constants, and arguments
 * under a mask.  Decides whether a value fits in the bits of an argument that the
 * kernel reads.
 */
#include "compiler/lower/operand.h"

/* --- building, with TRUE and FALSE folded ---------------------------------- */

struct ir_cond *lower_truth(struct lower *l, bool value)
{
	struct ir_cond *c = ARENA_NEW(l->a, struct ir_cond);

	c->op = value ? IR_C_TRUE : IR_C_FALSE;
	return c;
}

static struct ir_cond *join(struct lower *l, enum ir_cond_op op, struct ir_cond *x,
			    struct ir_cond *y)
{
	enum ir_cond_op neutral = op == IR_C_AND ? IR_C_TRUE : IR_C_FALSE;
	enum ir_cond_op absorbing = op == IR_C_AND ? IR_C_FALSE : IR_C_TRUE;
	struct ir_cond *c;

	if (!x || !y)
		return NULL;
	if (x->op == neutral || y->op == absorbing)
		return y;
	if (y->op == neutral || x->op == absorbing)
		return x;
	c = ARENA_NEW(l->a, struct ir_cond);
	*c = (struct ir_cond){ .op = op, .a = x, .b = y };
	return c;
}

struct ir_cond *lower_and(struct lower *l, struct ir_cond *x, struct ir_cond *y)
{
	return join(l, IR_C_AND, x, y);
}

struct ir_cond *lower_or(struct lower *l, struct ir_cond *x, struct ir_cond *y)
{
	return join(l, IR_C_OR, x, y);
}

struct ir_cond *lower_not(struct lower *l, struct ir_cond *x)
{
	struct ir_cond *c;

	if (!x)
		return NULL;
	if (x->op == IR_C_TRUE || x->op == IR_C_FALSE)
		return lower_truth(l, x->op == IR_C_FALSE);
	c = ARENA_NEW(l->a, struct ir_cond);
	*c = (struct ir_cond){ .op = IR_C_NOT, .a = x };
	return c;
}

struct ir_cond *lower_compare(struct lower *l, unsigned arg, unsigned width,
			      uint64_t mask, enum ir_cmp cmp, uint64_t value)
{
	struct ir_cond *c = ARENA_NEW(l->a, struct ir_cond);

	*c = (struct ir_cond){ .op = IR_C_CMP,
			       .arg = (uint8_t)arg,
			       .width = (uint8_t)width,
			       .cmp = cmp,
			       .mask = mask,
			       .value = value };
	return c;
}

/* --- leaves ------------------------------------------------------------------ */

struct ir_cond *lower_fault(struct lower *l, const struct ast_expr *x, const char *what,
			    const char *help)
{
	struct diag *d = diag_add(l->sink, DIAG_CONDITION, x->at, "%s", what);

	if (help)
		diag_help(l->sink, d, "%s", help);
	return NULL;
}

void lower_unknown_name(struct lower *l, const struct ast_expr *x,
			const struct target_call *call)
{
	const char *words[TARGET_ARGS * 2 + 1];
	size_t n = 0, nconstants;
	const char *const *constants = target_constant_names(&nconstants);
	struct diag *d;

	if (call && call->nargs < 0) {
		diag_add(l->sink, DIAG_UNKNOWN_ARGUMENT, x->at,
			 "the arguments of '%s' are not known", call->name);
		return;
	}
	for (int i = 0; call && i < call->nargs; i++) {
		words[n++] = call->args[i].name;
		if (call->args[i].alias)
			words[n++] = call->args[i].alias;
	}
	if (call)
		d = diag_add(l->sink, DIAG_UNKNOWN_CONSTANT, x->at,
			     "'%.*s' is neither an argument of '%s' nor a constant",
			     STR_ARG(x->text), call->name);
	else
		d = diag_add(l->sink, DIAG_UNKNOWN_CONSTANT, x->at,
			     "'%.*s' has no meaning in this condition",
			     STR_ARG(x->text));
	if (!call)
		diag_help(l->sink, d, "here a condition compares 'scope'");
	else if (!diag_did_you_mean(l->sink, d, x->text, words, n))
		diag_did_you_mean(l->sink, d, x->text, constants, nconstants);
}

static bool number(struct lower *l, const struct ast_expr *x, struct str text,
		   uint64_t *ret)
{
	int64_t v;

	if (num_u64(text, ret))
		return true;
	if (num_i64(text, &v)) {
		*ret = (uint64_t)v;
		return true;
	}
	diag_add(l->sink, DIAG_CONDITION, x->at,
		 "'%.*s' is no number of at most 64 bits", STR_ARG(text));
	return false;
}

/* Is this a value and not an argument?  Reports nothing. */
bool lower_is_constant(const struct ast_expr *x, const struct target_call *call)
{
	uint64_t v;

	switch ((int)x->op) {
	case AST_X_NUMBER:
		return true;
	case AST_X_NAME:
		return (!call || target_call_arg(call, x->text) < 0) &&
		       target_constant(x->text, &v);
	case AST_X_BITOR:
	case AST_X_BITAND:
		return lower_is_constant(x->kids, call) &&
		       lower_is_constant(x->kids->next, call);
	default:
		return false;
	}
}

bool lower_constant(struct lower *l, const struct ast_expr *x, uint64_t *ret)
{
	uint64_t a, b;

	switch ((int)x->op) {
	case AST_X_NUMBER:
		return number(l, x, x->text, ret);
	case AST_X_NAME:
		if (target_constant(x->text, ret))
			return true;
		lower_unknown_name(l, x, NULL);
		return false;
	case AST_X_BITOR:
	case AST_X_BITAND:
		if (!lower_constant(l, x->kids, &a) ||
		    !lower_constant(l, x->kids->next, &b))
			return false;
		*ret = x->op == AST_X_BITOR ? a | b : a & b;
		return true;
	default:
		lower_fault(l, x, "a number or a constant is wanted here", NULL);
		return false;
	}
}

bool lower_operand(struct lower *l, const struct ast_expr *x,
		   const struct target_call *call, struct lower_operand *ret)
{
	uint64_t mask;

	if (x->op == AST_X_BITAND) {
		const struct ast_expr *a = x->kids, *b = x->kids->next;

		if (lower_is_constant(a, call)) {
			const struct ast_expr *swap = a;
			a = b;
			b = swap;
		}
		if (!lower_is_constant(b, call)) {
			if (lower_operand(l, a, call, ret) &&
			    lower_operand(l, b, call, ret))
				lower_fault(l, x, "no filter can combine two arguments",
					    NULL);
			return false;
		}
		if (!lower_operand(l, a, call, ret) || !lower_constant(l, b, &mask))
			return false;
		if (ret->width == 32 && mask >> 32 && mask >> 31 != UINT64_MAX >> 31) {
			lower_fault(l, b,
				    "the mask has bits above the 32 that the kernel "
				    "reads of this argument",
				    NULL);
			return false;
		}
		ret->mask &= mask;
		if (!ret->mask) {
			lower_fault(l, x, "this mask leaves no bit of the argument",
				    NULL);
			return false;
		}
		return true;
	}
	if (x->op != AST_X_NAME) {
		lower_fault(l, x,
			    "an argument is wanted here, under a mask or as it is",
			    NULL);
		return false;
	}
	ret->arg = call ? target_call_arg(call, x->text) : -1;
	if (ret->arg < 0) {
		lower_unknown_name(l, x, call);
		return false;
	}
	ret->width = call->args[ret->arg].width;
	ret->mask = call->args[ret->arg].mask;
	return true;
}

/* Is it written with a '-'?  (A large number has the same bits.) */
static bool is_negative(const struct ast_expr *x)
{
	if (x->op == AST_X_NUMBER)
		return x->text.n && x->text.p[0] == '-';
	for (const struct ast_expr *k = x->kids; k; k = k->next)
		if (is_negative(k))
			return true;
	return false;
}

/* Checks that the value fits in the argument's width, and cuts it to that. */
static bool fit(struct lower *l, const struct ast_expr *at,
		const struct lower_operand *o, enum ir_cmp cmp, uint64_t *v)
{
	uint64_t value = *v;

	if (is_negative(at) && cmp != IR_EQ && cmp != IR_NE) {
		lower_fault(l, at,
			    "arguments are compared without a sign, so nothing is "
			    "smaller than 0",
			    NULL);
		return false;
	}
	if (o->width == 32 && value >> 31 == UINT64_MAX >> 31)
		value &= UINT32_MAX; /* the value was sign-extended */
	if (o->width == 32 && value >> 32) {
		lower_fault(l, at,
			    "the value does not fit in the 32 bits that the kernel "
			    "reads of this argument",
			    NULL);
		return false;
	}
	if ((cmp == IR_EQ || cmp == IR_NE) && (value & ~o->mask)) {
		lower_fault(l, at,
			    "the value has bits outside of the mask, so they are never "
			    "equal",
			    NULL);
		return false;
	}
	*v = value;
	return true;
}

/* 1: it holds for every value of the argument, 0: for none, -1: it depends. */
static int is_settled(const struct lower_operand *o, enum ir_cmp cmp, uint64_t v)
{
	uint64_t max = o->mask; /* the largest value under the mask */

	switch (cmp) {
	case IR_LT:
		return v > max ? 1 : v == 0 ? 0 : -1;
	case IR_LE:
		return v >= max ? 1 : -1;
	case IR_GT:
		return v >= max ? 0 : -1;
	case IR_GE:
		return v > max ? 0 : v == 0 ? 1 : -1;
	case IR_EQ: /* fit() has refused values that are never equal */
	case IR_NE:
		break;
	}
	return -1;
}

struct ir_cond *lower_compare_to(struct lower *l, const struct lower_operand *o,
				 enum ir_cmp cmp, const struct ast_expr *value)
{
	uint64_t v;
	int settled;

	if (!lower_constant(l, value, &v) || !fit(l, value, o, cmp, &v))
		return NULL;
	settled = is_settled(o, cmp, v);
	if (settled >= 0)
		return lower_fault(l, value,
				   settled ? "this comparison always holds" :
					     "this comparison never holds",
				   "arguments are compared without a sign, in the bits "
				   "that the kernel reads of them");
	return lower_compare(l, (unsigned)o->arg, o->width, o->mask, cmp, v);
}

/* LO-HI, both included. */
static struct ir_cond *in_range(struct lower *l, const struct lower_operand *o,
				const struct ast_expr *x)
{
	const char *dash = x->text.n ? memchr(x->text.p, '-', x->text.n) : NULL;
	size_t at = dash ? (size_t)(dash - x->text.p) : 0;
	uint64_t lo, hi;

	if (!dash || !number(l, x, str_sub(x->text, 0, at), &lo) ||
	    !number(l, x, str_sub(x->text, at + 1, x->text.n - at - 1), &hi))
		return lower_fault(l, x, "a range is two numbers with a '-'", NULL);
	if (lo > hi)
		return lower_fault(l, x, "the range ends before it begins", NULL);
	if (!fit(l, x, o, IR_GE, &lo) || !fit(l, x, o, IR_LE, &hi))
		return NULL;
	return lower_and(
		l, lower_compare(l, (unsigned)o->arg, o->width, o->mask, IR_GE, lo),
		lower_compare(l, (unsigned)o->arg, o->width, o->mask, IR_LE, hi));
}

/* A member of a list, or a range, or one value. */
struct ir_cond *lower_one_of(struct lower *l, const struct lower_operand *o,
			     const struct ast_expr *x)
{
	struct ir_cond *ret;

	if (x->op == AST_X_RANGE)
		return in_range(l, o, x);
	if (x->op != AST_X_LIST)
		return lower_compare_to(l, o, IR_EQ, x);
	ret = lower_truth(l, false);
	for (const struct ast_expr *k = x->kids; k; k = k->next)
		ret = lower_or(l, ret, lower_one_of(l, o, k));
	return ret;
}
