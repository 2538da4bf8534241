/*
 * Lowers system-call rules (semantics 2, 6): one rule for each call, and for each scope
 * if its conditions differ.  Which sockets a network mode leaves become rules too, with
 * the id of the mode.
 */
#include "compiler/lower/claims.h"
#include "compiler/lower/cond.h"
#include "compiler/lower/operand.h"

#include <errno.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <sys/socket.h>

static const struct target_call *known_call(struct lower *l, const struct ast_value *v)
{
	const struct target_call *call = target_call_by_name(v->text);
	const char *const *names;
	struct diag *d;
	size_t n;

	if (call)
		return call;
	d = diag_add(l->sink, DIAG_UNKNOWN_CALL, v->at,
		     "no system call of x86_64 is named '%.*s'", STR_ARG(v->text));
	names = target_call_names(&n);
	if (!diag_did_you_mean(l->sink, d, v->text, names, n))
		diag_help(l->sink, d,
			  "a call without a name in the compiler's table is "
			  "denied with ENOSYS whatever a policy says");
	return NULL;
}

static bool same_cond(const struct ir_cond *x, const struct ir_cond *y)
{
	if (x->op != y->op)
		return false;
	switch (x->op) {
	case IR_C_TRUE:
	case IR_C_FALSE:
		return true;
	case IR_C_NOT:
		return same_cond(x->a, y->a);
	case IR_C_AND:
	case IR_C_OR:
		return same_cond(x->a, y->a) && same_cond(x->b, y->b);
	case IR_C_CMP:
		return x->arg == y->arg && x->cmp == y->cmp && x->mask == y->mask &&
		       x->value == y->value;
	}
	return false;
}

static struct ir_set call_set(const struct target_call *call, struct ir_cond *cond)
{
	struct ir_set set = { 0 };

	set.u.syscall.nr = call->nr;
	set.u.syscall.name = str_from(call->name);
	set.u.syscall.cond = cond->op == IR_C_TRUE ? NULL : cond;
	return set;
}

static void add_scoped(struct lower *l, struct ir_rule *h, unsigned scopes,
		       const struct target_call *call, struct ir_cond *cond)
{
	struct ir_set set;

	if (cond->op == IR_C_FALSE)
		return;
	set = call_set(call, cond);
	h->scopes = scopes;
	lower_add(l, h, &set);
}

/* Adds one call with its arguments and `when`, in both scopes. */
static void add_call(struct lower *l, struct ir_rule *h, const struct ast_value *v,
		     const struct ast_expr *when)
{
	const struct target_call *call = known_call(l, v);
	struct ir_cond *args, *in_sandbox, *on_host;

	if (!call)
		return;
	args = lower_args(l, v->kind == AST_V_CALL ? v->args : NULL, call, v->at);
	if (!args)
		return;
	if (!when) {
		add_scoped(l, h, IR_ALL_SCOPES, call, args);
		return;
	}
	if (call->nargs < 0 && !lower_mentions_scope(when) &&
	    !lower_mentions_role(when)) {
		diag_add(l->sink, DIAG_UNKNOWN_ARGUMENT, v->at,
			 "the arguments of '%s' are not known: it takes no condition",
			 call->name);
		return;
	}
	in_sandbox = lower_and(l, args, lower_when(l, when, call, IR_SANDBOX));
	on_host = lower_and(l, args, lower_when(l, when, call, IR_HOST));
	if (!in_sandbox || !on_host)
		return;
	if (in_sandbox->op == IR_C_FALSE && on_host->op == IR_C_FALSE) {
		if (!lower_mentions_role(when))
			diag_add(l->sink, DIAG_CONDITION, when->at,
			 "this condition never holds for '%s'", call->name);
	} else if (same_cond(in_sandbox, on_host)) {
		add_scoped(l, h, IR_ALL_SCOPES, call, in_sandbox);
	} else {
		add_scoped(l, h, IR_SANDBOX, call, in_sandbox);
		add_scoped(l, h, IR_HOST, call, on_host);
	}
}

static bool read_except(struct lower *l, const struct ast_value *v, enum lower_side side,
			struct lower_sets *into)
{
	const struct target_call *call = known_call(l, v);
	struct ir_cond *c;

	(void)side; /* calls match the same way for allow and deny */
	if (!call)
		return false;
	c = lower_args(l, v->kind == AST_V_CALL ? v->args : NULL, call, v->at);
	if (!c)
		return false;
	if (c->op != IR_C_FALSE)
		VEC_PUSH(l->a, &into->v, call_set(call, c));
	return true;
}

/* Reads the errno of a deny: `with NAME`, else EPERM. */
static bool deny_errno(struct lower *l, const struct ast_stmt *stmt, uint16_t *ret)
{
	const struct ast_option *o = lower_option(stmt, AST_O_WITH);
	const char *const *names;
	struct diag *d;
	size_t n;

	*ret = 0;
	if (stmt->effect != AST_DENY)
		return true;
	*ret = EPERM;
	if (!o)
		return true;
	*ret = o->values ? target_errno(o->values->text) : 0;
	if (*ret)
		return true;
	d = diag_add(l->sink, DIAG_UNKNOWN_ERRNO, o->values ? o->values->at : o->at,
		     "'%.*s' is no error number of Linux",
		     STR_ARG(o->values ? o->values->text : STR("")));
	names = target_errno_names(&n);
	if (o->values)
		diag_did_you_mean(l->sink, d, o->values->text, names, n);
	return false;
}

void lower_syscall(struct lower *l, const struct sema_stmt *t)
{
	const struct ast_option *when = lower_option(t->stmt, AST_O_WHEN);
	struct ir_rule h;
	bool ok = lower_head(l, t, IR_SYSCALL, &h);

	ok &= deny_errno(l, t->stmt, &h.err);
	ok &= lower_except(l, t->stmt, lower_side_of(t->stmt->effect), read_except,
			   &h.except, &h.nexcept);
	for (const struct ast_value *v = ok ? t->stmt->values : NULL; v; v = v->next)
		add_call(l, &h, v, when ? when->expr : NULL);
}

/* --- sockets ---------------------------------------------------------------- */

/* 4 bits of a type are the type; the others say what its descriptor is like. */
#define SOCK_TYPES 0xf

static struct ir_cond *family_is(struct lower *l, uint64_t family)
{
	return lower_compare(l, 0, 32, UINT32_MAX, IR_EQ, family);
}

static struct ir_cond *type_is(struct lower *l, uint64_t type)
{
	return lower_compare(l, 1, 32, SOCK_TYPES, IR_EQ, type);
}

static struct ir_cond *protocol_is(struct lower *l, uint64_t protocol)
{
	return lower_compare(l, 2, 32, UINT32_MAX, IR_EQ, protocol);
}

static struct ir_cond *internet(struct lower *l)
{
	return lower_or(l, family_is(l, AF_INET), family_is(l, AF_INET6));
}

/* UNIX, INET and INET6, and NETLINK only for the routing protocol. */
static struct ir_cond *families(struct lower *l)
{
	struct ir_cond *c = lower_or(l, family_is(l, AF_UNIX), internet(l));

	return lower_or(l, c,
			lower_and(l, family_is(l, AF_NETLINK),
				  protocol_is(l, NETLINK_ROUTE)));
}

/* The kernel takes AF_INET with this old type as AF_PACKET. */
static struct ir_cond *raw(struct lower *l)
{
	return lower_or(l, type_is(l, SOCK_RAW), type_is(l, SOCK_PACKET));
}

/* The type's own protocol, by its number or as 0. */
static struct ir_cond *tcp_or_udp(struct lower *l)
{
	struct ir_cond *tcp = lower_or(l, protocol_is(l, 0), protocol_is(l, IPPROTO_TCP));
	struct ir_cond *udp = lower_or(l, protocol_is(l, 0), protocol_is(l, IPPROTO_UDP));

	return lower_or(l, lower_and(l, type_is(l, SOCK_STREAM), tcp),
			lower_and(l, type_is(l, SOCK_DGRAM), udp));
}

static void deny_call(struct lower *l, struct ir_rule *head, struct str name,
		      struct ir_cond *cond, uint16_t err)
{
	struct ir_set set = call_set(target_call_by_name(name), cond);

	head->err = err;
	lower_add(l, head, &set);
}

void lower_sockets(struct lower *l)
{
	const struct ir_scalar *mode;
	struct ir_rule head;

	/* mode `full` is limited as well: it is about addresses and ports, which the
	   socket families of drivers and hypervisors do not have.  A mode that nobody
	   set has no place that a message could name. */
	if (!l->mode)
		return;
	mode = l->mode->value;
	head = (struct ir_rule){ .id = mode->id,
				 .at = mode->at,
				 .text = mode->source,
				 .kind = IR_SYSCALL,
				 .effect = IR_DENY,
				 .level = mode->level,
				 .scopes = IR_ALL_SCOPES,
				 .floor = l->mode->t->unit->floor,
				 .full = !l->mode->t->unit->narrow };
	deny_call(l, &head, STR("socket"), lower_not(l, families(l)), EAFNOSUPPORT);
	/* a pair makes the sockets before the kernel sees that its family has no pairs */
	deny_call(l, &head, STR("socketpair"), lower_not(l, family_is(l, AF_UNIX)),
		  EAFNOSUPPORT);
	if (l->ir->scalars[IR_S_NET_MODE].num == IR_NET_FULL)
		return;
	/* rules speak of tcp and udp; other protocols only let a run have the kernel
	   load the modules that have them */
	deny_call(l, &head, STR("socket"), lower_and(l, internet(l), raw(l)), EPERM);
	deny_call(l, &head, STR("socket"),
		  lower_and(l, internet(l),
			    lower_not(l, lower_or(l, raw(l), tcp_or_udp(l)))),
		  EPROTONOSUPPORT);
}
