/*
 * Conditions (design: one grammar for `when` and for arguments) to compares
 * of masked arguments.  `scope` is known when a bundle is made for a scope:
 * it is folded away here, and what no filter can decide is an error.
 */
#include "compiler/lower/internal.h"

#include "compiler/target/target.h"

/* --- building, with TRUE and FALSE folded -------------------------------------- */

static struct ir_cond *constant(struct lower *l, bool value)
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
		return constant(l, x->op == IR_C_FALSE);
	c = ARENA_NEW(l->a, struct ir_cond);
	*c = (struct ir_cond){ .op = IR_C_NOT, .a = x };
	return c;
}

struct ir_cond *lower_compare(struct lower *l, unsigned arg, unsigned width,
			      uint64_t mask, enum ir_cmp cmp, uint64_t value)
{
	struct ir_cond *c = ARENA_NEW(l->a, struct ir_cond);

	*c = (struct ir_cond){ .op = IR_C_CMP, .arg = (uint8_t)arg,
			       .width = (uint8_t)width, .cmp = cmp,
			       .mask = mask, .value = value };
	return c;
}

/* --- operands ------------------------------------------------------------------ */

static struct ir_cond *fault(struct lower *l, const struct ast_expr *x,
			     const char *what, const char *help)
{
	struct diag *d = diag_add(l->sink, DIAG_CONDITION, x->at, "%s", what);

	if (help)
		diag_help(l->sink, d, "%s", help);
	return NULL;
}

static void unknown_name(struct lower *l, const struct ast_expr *x,
			 const struct target_call *call)
{
	const char *words[TARGET_ARGS * 2 + 1];
	size_t n = 0, nconst;
	const char *near = NULL;
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
			     "'%.*s' has no meaning in this condition", STR_ARG(x->text));
	if (call)
		near = diag_suggest(x->text, words, n);
	if (call && !near) {
		const char *const *all = target_constant_names(&nconst);
		near = diag_suggest(x->text, all, nconst);
	}
	if (near)
		diag_help(l->sink, d, "did you mean '%s'?", near);
	else if (!call)
		diag_help(l->sink, d, "here a condition compares 'scope'");
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
	diag_add(l->sink, DIAG_CONDITION, x->at, "'%.*s' is no number of at most 64 bits",
		 STR_ARG(text));
	return false;
}

/* Is this a value, not an argument?  Quietly. */
static bool is_constant(const struct ast_expr *x, const struct target_call *call)
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
		return is_constant(x->kids, call) && is_constant(x->kids->next, call);
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
		unknown_name(l, x, NULL);
		return false;
	case AST_X_BITOR:
	case AST_X_BITAND:
		if (!lower_constant(l, x->kids, &a) ||
		    !lower_constant(l, x->kids->next, &b))
			return false;
		*ret = x->op == AST_X_BITOR ? a | b : a & b;
		return true;
	default:
		fault(l, x, "a number or a constant is wanted here", NULL);
		return false;
	}
}

/* An argument under a mask. */
struct operand {
	int arg;
	unsigned width;
	uint64_t mask;
};

static bool operand(struct lower *l, const struct ast_expr *x,
		    const struct target_call *call, struct operand *ret)
{
	uint64_t mask;

	if (x->op == AST_X_BITAND) {
		const struct ast_expr *a = x->kids, *b = x->kids->next;

		if (is_constant(a, call)) {
			const struct ast_expr *swap = a;
			a = b;
			b = swap;
		}
		if (!is_constant(b, call)) {
			if (operand(l, a, call, ret) && operand(l, b, call, ret))
				fault(l, x, "no filter can combine two arguments", NULL);
			return false;
		}
		if (!operand(l, a, call, ret) || !lower_constant(l, b, &mask))
			return false;
		if (ret->width == 32 && mask >> 32 && mask >> 31 != UINT64_MAX >> 31) {
			fault(l, b, "the mask has bits above the 32 that the kernel "
			      "reads of this argument", NULL);
			return false;
		}
		ret->mask &= mask;
		if (!ret->mask) {
			fault(l, x, "this mask leaves no bit of the argument", NULL);
			return false;
		}
		return true;
	}
	if (x->op != AST_X_NAME) {
		fault(l, x, "an argument is wanted here, under a mask or as it is", NULL);
		return false;
	}
	ret->arg = call ? target_call_arg(call, x->text) : -1;
	if (ret->arg < 0) {
		unknown_name(l, x, call);
		return false;
	}
	ret->width = call->args[ret->arg].width;
	ret->mask = call->args[ret->arg].mask;
	return true;
}

static bool is_negative(uint64_t v)
{
	return v >> 63;
}

/* The value as the argument's width shows it. */
static bool fit(struct lower *l, const struct ast_expr *at, const struct operand *o,
		enum ir_cmp cmp, uint64_t *v)
{
	uint64_t value = *v;

	if (is_negative(value) && cmp != IR_EQ && cmp != IR_NE) {
		fault(l, at, "arguments are compared without a sign, so nothing is "
		      "smaller than 0", NULL);
		return false;
	}
	if (o->width == 32 && value >> 31 == UINT64_MAX >> 31)
		value &= UINT32_MAX; /* sign-extended */
	if (o->width == 32 && value >> 32) {
		fault(l, at, "the value does not fit in the 32 bits that the kernel "
		      "reads of this argument", NULL);
		return false;
	}
	if ((cmp == IR_EQ || cmp == IR_NE) && (value & ~o->mask)) {
		fault(l, at, "the value has bits outside of the mask, so they are never "
		      "equal", NULL);
		return false;
	}
	*v = value;
	return true;
}

static struct ir_cond *compare(struct lower *l, const struct operand *o,
			       enum ir_cmp cmp, const struct ast_expr *value)
{
	uint64_t v;

	if (!lower_constant(l, value, &v) || !fit(l, value, o, cmp, &v))
		return NULL;
	return lower_compare(l, (unsigned)o->arg, o->width, o->mask, cmp, v);
}

/* LO-HI, both ends in it. */
static struct ir_cond *in_range(struct lower *l, const struct operand *o,
				const struct ast_expr *x)
{
	const char *dash = x->text.n ? memchr(x->text.p, '-', x->text.n) : NULL;
	size_t at = dash ? (size_t)(dash - x->text.p) : 0;
	uint64_t lo, hi;

	if (!dash || !number(l, x, str_sub(x->text, 0, at), &lo) ||
	    !number(l, x, str_sub(x->text, at + 1, x->text.n - at - 1), &hi))
		return fault(l, x, "a range is two numbers with a '-'", NULL);
	if (lo > hi)
		return fault(l, x, "the range ends before it begins", NULL);
	if (!fit(l, x, o, IR_GE, &lo) || !fit(l, x, o, IR_LE, &hi))
		return NULL;
	return lower_and(l,
			 lower_compare(l, (unsigned)o->arg, o->width, o->mask, IR_GE, lo),
			 lower_compare(l, (unsigned)o->arg, o->width, o->mask, IR_LE, hi));
}

/* One of a list's members, or a range, or one value. */
static struct ir_cond *one_of(struct lower *l, const struct operand *o,
			      const struct ast_expr *x)
{
	struct ir_cond *ret;

	if (x->op == AST_X_RANGE)
		return in_range(l, o, x);
	if (x->op != AST_X_LIST)
		return compare(l, o, IR_EQ, x);
	ret = constant(l, false);
	for (const struct ast_expr *k = x->kids; k; k = k->next)
		ret = lower_or(l, ret, one_of(l, o, k));
	return ret;
}

/* --- scope ------------------------------------------------------------------------ */

static bool is_name(const struct ast_expr *x, const char *name)
{
	return x->op == AST_X_NAME && str_eqz(x->text, name);
}

bool lower_mentions_scope(const struct ast_expr *x)
{
	if (!x)
		return false;
	if (is_name(x, "scope"))
		return true;
	for (const struct ast_expr *k = x->kids; k; k = k->next)
		if (lower_mentions_scope(k))
			return true;
	return false;
}

/* 1: `x` is this scope's name, 0: another's, -1: none. */
static int names_scope(struct lower *l, const struct ast_expr *x, enum ir_scope scope)
{
	if (is_name(x, "sandbox"))
		return scope == IR_SANDBOX;
	if (is_name(x, "host"))
		return scope == IR_HOST;
	fault(l, x, "'scope' is 'sandbox' or 'host'", NULL);
	return -1;
}

static struct ir_cond *scope_compare(struct lower *l, const struct ast_expr *x,
				     enum ir_scope scope)
{
	const struct ast_expr *a = x->kids, *b = x->kids->next;
	int is;

	if (!is_name(a, "scope")) {
		const struct ast_expr *swap = a;
		a = b;
		b = swap;
	}
	if (x->op == AST_X_IN) {
		bool any = false;

		if (b->op != AST_X_LIST || !is_name(a, "scope"))
			return fault(l, x, "'scope in' takes a list", NULL);
		for (const struct ast_expr *k = b->kids; k; k = k->next) {
			is = names_scope(l, k, scope);
			if (is < 0)
				return NULL;
			any |= is == 1;
		}
		return constant(l, any);
	}
	if (x->op != AST_X_EQ && x->op != AST_X_NE)
		return fault(l, x, "'scope' is compared with '==' or '!='", NULL);
	is = names_scope(l, b, scope);
	return is < 0 ? NULL : constant(l, (is == 1) == (x->op == AST_X_EQ));
}

/* --- the whole ----------------------------------------------------------------------- */

static bool is_attribute(const struct ast_expr *x)
{
	return is_name(x, "role") || is_name(x, "session");
}

static enum ir_cmp cmp_of(enum ast_expr_op op, bool swapped)
{
	switch ((int)op) {
	case AST_X_EQ:
		return IR_EQ;
	case AST_X_NE:
		return IR_NE;
	case AST_X_LT:
		return swapped ? IR_GT : IR_LT;
	case AST_X_LE:
		return swapped ? IR_GE : IR_LE;
	case AST_X_GT:
		return swapped ? IR_LT : IR_GT;
	default:
		return swapped ? IR_LE : IR_GE;
	}
}

static struct ir_cond *comparison(struct lower *l, const struct ast_expr *x,
				  const struct target_call *call, enum ir_scope scope)
{
	const struct ast_expr *a = x->kids, *b = x->kids->next;
	bool swapped = false;
	struct operand o;

	if (is_attribute(a) || is_attribute(b)) {
		diag_add(l->sink, DIAG_UNSUPPORTED, x->at,
			 "conditions on 'role' and 'session' are not supported by this "
			 "version");
		return NULL;
	}
	if (is_name(a, "scope") || is_name(b, "scope"))
		return scope_compare(l, x, scope);
	if (x->op == AST_X_IN)
		return operand(l, a, call, &o) ? one_of(l, &o, b) : NULL;
	if (is_constant(a, call)) {
		const struct ast_expr *swap = a;
		a = b;
		b = swap;
		swapped = true;
	}
	if (!operand(l, a, call, &o))
		return NULL;
	if (call && b->op == AST_X_NAME && target_call_arg(call, b->text) >= 0)
		return fault(l, x, "no filter can compare two arguments", NULL);
	return compare(l, &o, cmp_of(x->op, swapped), b);
}

struct ir_cond *lower_when(struct lower *l, const struct ast_expr *x,
			   const struct target_call *call, enum ir_scope scope)
{
	struct ir_cond *a, *b;
	struct operand o;

	switch (x->op) {
	case AST_X_OR:
	case AST_X_AND:
		a = lower_when(l, x->kids, call, scope);
		b = lower_when(l, x->kids->next, call, scope);
		return x->op == AST_X_OR ? lower_or(l, a, b) : lower_and(l, a, b);
	case AST_X_NOT:
		return lower_not(l, lower_when(l, x->kids, call, scope));
	case AST_X_EQ:
	case AST_X_NE:
	case AST_X_LT:
	case AST_X_LE:
	case AST_X_GT:
	case AST_X_GE:
	case AST_X_IN:
		return comparison(l, x, call, scope);
	case AST_X_BITAND:
		if (!operand(l, x, call, &o))
			return NULL;
		return lower_compare(l, (unsigned)o.arg, o.width, o.mask, IR_NE, 0);
	case AST_X_NAME:
	case AST_X_NUMBER:
	case AST_X_RANGE:
	case AST_X_STRING:
	case AST_X_GROUP:
	case AST_X_ANY:
	case AST_X_LIST:
	case AST_X_BITOR:
		break;
	}
	return fault(l, x, "this is no condition", "compare it: 'flags & MASK', "
		     "'domain == AF_UNIX', 'scope == sandbox'");
}

/* A positional argument: its own name and `*` restrict nothing. */
static struct ir_cond *positional(struct lower *l, const struct ast_expr *x,
				  const struct target_call *call, int arg)
{
	struct operand o = { .arg = arg, .width = call->args[arg].width,
			     .mask = call->args[arg].mask };
	int named;

	switch (x->op) {
	case AST_X_ANY:
		return constant(l, true);
	case AST_X_NOT:
		return lower_not(l, positional(l, x->kids, call, arg));
	case AST_X_AND:
		return lower_and(l, positional(l, x->kids, call, arg),
				 positional(l, x->kids->next, call, arg));
	case AST_X_OR:
		return lower_or(l, positional(l, x->kids, call, arg),
				positional(l, x->kids->next, call, arg));
	case AST_X_NAME:
		named = target_call_arg(call, x->text);
		if (named == arg)
			return constant(l, true);
		if (named >= 0)
			return fault(l, x, "this is the name of another argument of the "
				     "call", "write '*' for the ones before it");
		if (!is_constant(x, call)) {
			unknown_name(l, x, call);
			return NULL;
		}
		return one_of(l, &o, x);
	case AST_X_NUMBER:
	case AST_X_RANGE:
	case AST_X_LIST:
	case AST_X_BITOR:
		return one_of(l, &o, x);
	case AST_X_BITAND:
		if (is_constant(x, call))
			return one_of(l, &o, x);
		break;
	case AST_X_EQ:
	case AST_X_NE:
	case AST_X_LT:
	case AST_X_LE:
	case AST_X_GT:
	case AST_X_GE:
	case AST_X_IN:
	case AST_X_STRING:
	case AST_X_GROUP:
		break;
	}
	if (lower_mentions_scope(x))
		return fault(l, x, "'scope' stands behind 'when'", NULL);
	return lower_when(l, x, call, IR_SANDBOX);
}

struct ir_cond *lower_args(struct lower *l, const struct ast_expr *args,
			   const struct target_call *call, struct span at)
{
	struct ir_cond *ret = constant(l, true);
	int i = 0;

	if (args && call->nargs < 0) {
		diag_add(l->sink, DIAG_UNKNOWN_ARGUMENT, at,
			 "the arguments of '%s' are not known: it takes no condition",
			 call->name);
		return NULL;
	}
	for (const struct ast_expr *x = args; x; x = x->next, i++) {
		if (i >= call->nargs) {
			diag_add(l->sink, DIAG_UNKNOWN_ARGUMENT, x->at,
				 "'%s' has %d argument%s", call->name, call->nargs,
				 call->nargs == 1 ? "" : "s");
			return NULL;
		}
		struct ir_cond *c = positional(l, x, call, i);
		ret = lower_and(l, ret, c);
		if (!ret)
			return NULL;
	}
	return ret;
}

unsigned lower_scopes(struct lower *l, const struct ast_stmt *stmt)
{
	const struct ast_option *o = lower_option(stmt, AST_O_WHEN);
	const struct ast_expr *x = o ? o->expr : NULL;
	static const enum ir_scope each[] = { IR_SANDBOX, IR_HOST };
	unsigned ret = 0;

	if (stmt->kind == AST_TEST)
		x = stmt->expr;
	if (!x)
		return IR_ALL_SCOPES;
	for (size_t i = 0; i < POL_LEN(each); i++) {
		struct ir_cond *c = lower_when(l, x, NULL, each[i]);

		if (!c)
			return 0;
		if (c->op == IR_C_TRUE)
			ret |= each[i];
	}
	if (!ret)
		fault(l, x, "this condition never holds", NULL);
	return ret;
}
