/*
 * Turns conditions (one grammar for `when` and for arguments) into comparisons of
 * masked arguments.  A bundle is made for one scope, so `scope` is known and evaluated
 * here.  A condition that no filter can decide is an error.
 */
#include "compiler/lower/cond.h"

#include "compiler/lower/operand.h"

/* --- scope ----------------------------------------------------------------- */

static bool is_name(const struct ast_expr *x, const char *name)
{
	return x->op == AST_X_NAME && str_eqz(x->text, name);
}

static bool mentions(const struct ast_expr *x, const char *name)
{
	if (!x)
		return false;
	if (is_name(x, name))
		return true;
	for (const struct ast_expr *k = x->kids; k; k = k->next)
		if (mentions(k, name))
			return true;
	return false;
}

bool lower_mentions_scope(const struct ast_expr *x)
{
	return mentions(x, "scope");
}

bool lower_mentions_role(const struct ast_expr *x)
{
	return mentions(x, "role");
}

/* Something that is known when a run starts: its name, and what its words mean. */
struct attribute {
	const char *name;
	/*
	 * 1: `x` names the current value, 0: another one, -1: none (and the error is
	 * reported)
	 */
	int (*is)(struct lower *l, const struct ast_expr *x, enum ir_scope scope);
};

static struct ir_cond *compare_attribute(struct lower *l, const struct ast_expr *x,
					 const struct attribute *of, enum ir_scope scope)
{
	const struct ast_expr *a = x->kids, *b = x->kids->next;
	bool any = false;
	int is;

	if (!is_name(a, of->name)) {
		const struct ast_expr *swap = a;
		a = b;
		b = swap;
	}
	if (x->op == AST_X_IN) {
		if (b->op != AST_X_LIST || x->kids != a)
			return lower_fault(
				l, x, arena_printf(l->a, "'%s in' takes a list", of->name),
				NULL);
		for (const struct ast_expr *k = b->kids; k; k = k->next) {
			is = of->is(l, k, scope);
			if (is < 0)
				return NULL;
			any |= is == 1;
		}
		return lower_truth(l, any);
	}
	if (x->op != AST_X_EQ && x->op != AST_X_NE)
		return lower_fault(l, x,
				   arena_printf(l->a, "'%s' is compared with '==' or '!='",
						of->name),
				   NULL);
	is = of->is(l, b, scope);
	return is < 0 ? NULL : lower_truth(l, (is == 1) == (x->op == AST_X_EQ));
}

/* 1: `x` is this scope's name, 0: the other scope's, -1: no scope's. */
static int names_scope(struct lower *l, const struct ast_expr *x, enum ir_scope scope)
{
	if (is_name(x, "sandbox"))
		return scope == IR_SANDBOX;
	if (is_name(x, "host"))
		return scope == IR_HOST;
	lower_fault(l, x, "'scope' is 'sandbox' or 'host'", NULL);
	return -1;
}

static const struct attribute scope_attribute = { "scope", names_scope };

/* --- role ------------------------------------------------------------------ */

/* 1: `x` is the chosen role, 0: another one, -1: a role that nobody declares. */
static int names_role(struct lower *l, const struct ast_expr *x, enum ir_scope scope)
{
	struct diag *d;

	(void)scope; /* the role does not depend on the scope */
	if (x->op != AST_X_NAME && x->op != AST_X_STRING) {
		lower_fault(l, x, "a role's name is wanted here", NULL);
		return -1;
	}
	if (sema_has_role(l->s, x->text))
		return str_eq(x->text, l->s->role);
	if (l->sink->errors) /* report it once, not for each scope */
		for (size_t i = 0; i < l->sink->list.n; i++)
			if (l->sink->list.v[i]->code == DIAG_UNKNOWN_ROLE &&
			    l->sink->list.v[i]->at.file == x->at.file &&
			    l->sink->list.v[i]->at.off == x->at.off)
				return -1;
	d = diag_add(l->sink, DIAG_UNKNOWN_ROLE, x->at, "no file declares the role '%.*s'",
		     STR_ARG(x->text));
	sema_suggest_role(l->s, d, x->text);
	return -1;
}

static const struct attribute role_attribute = { "role", names_role };

/* --- the whole ------------------------------------------------------------- */

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
	struct lower_operand o;

	if (is_name(a, "session") || is_name(b, "session")) {
		diag_add(l->sink, DIAG_UNSUPPORTED, x->at,
			 "conditions on 'session' are not supported by this version");
		return NULL;
	}
	if (is_name(a, "role") || is_name(b, "role"))
		return compare_attribute(l, x, &role_attribute, scope);
	if (is_name(a, "scope") || is_name(b, "scope"))
		return compare_attribute(l, x, &scope_attribute, scope);
	if (x->op == AST_X_IN)
		return lower_operand(l, a, call, &o) ? lower_one_of(l, &o, b) : NULL;
	if (lower_is_constant(a, call)) {
		const struct ast_expr *swap = a;
		a = b;
		b = swap;
		swapped = true;
	}
	if (!lower_operand(l, a, call, &o))
		return NULL;
	if (call && b->op == AST_X_NAME && target_call_arg(call, b->text) >= 0)
		return lower_fault(l, x, "no filter can compare two arguments", NULL);
	return lower_compare_to(l, &o, cmp_of(x->op, swapped), b);
}

struct ir_cond *lower_when(struct lower *l, const struct ast_expr *x,
			   const struct target_call *call, enum ir_scope scope)
{
	struct ir_cond *a, *b;
	struct lower_operand o;

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
		if (!lower_operand(l, x, call, &o))
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
	return lower_fault(l, x, "this is no condition",
			   "compare it: 'flags & MASK', "
			   "'domain == AF_UNIX', 'scope == sandbox'");
}

/* An argument by position: its own name and `*` restrict nothing. */
static struct ir_cond *positional(struct lower *l, const struct ast_expr *x,
				  const struct target_call *call, int arg)
{
	struct lower_operand o = { .arg = arg,
				   .width = call->args[arg].width,
				   .mask = call->args[arg].mask };
	int named;

	switch (x->op) {
	case AST_X_ANY:
		return lower_truth(l, true);
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
			return lower_truth(l, true);
		if (named >= 0)
			return lower_fault(
				l, x,
				"this is the name of another argument of the "
				"call",
				"write '*' for the ones before it");
		if (!lower_is_constant(x, call)) {
			lower_unknown_name(l, x, call);
			return NULL;
		}
		return lower_one_of(l, &o, x);
	case AST_X_NUMBER:
	case AST_X_RANGE:
	case AST_X_LIST:
	case AST_X_BITOR:
		return lower_one_of(l, &o, x);
	case AST_X_BITAND:
		if (lower_is_constant(x, call))
			return lower_one_of(l, &o, x);
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
	if (lower_mentions_scope(x) || lower_mentions_role(x))
		return lower_fault(l, x, "'scope' and 'role' stand behind 'when'", NULL);
	return lower_when(l, x, call, IR_SANDBOX);
}

struct ir_cond *lower_args(struct lower *l, const struct ast_expr *args,
			   const struct target_call *call, struct span at)
{
	struct ir_cond *ret = lower_truth(l, true);
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

unsigned lower_scopes(struct lower *l, const struct ast_expr *x)
{
	static const enum ir_scope each[] = { IR_SANDBOX, IR_HOST };
	unsigned ret = 0;

	if (!x)
		return IR_ALL_SCOPES;
	for (size_t i = 0; i < POL_LEN(each); i++) {
		struct ir_cond *c = lower_when(l, x, NULL, each[i]);

		if (!c)
			return 0;
		if (c->op == IR_C_TRUE)
			ret |= each[i];
	}
	if (!ret && !lower_mentions_role(x))
		lower_fault(l, x, "this condition never holds", NULL);
	return ret;
}
