/*
 * Compares the reference evaluator with the compiled artefacts on single
 * requests.  A difference is our fault and never the user's.
 */
#include "compiler/cli/compiled.h"

#include <errno.h>
#include <stdlib.h>

#include "compiler/backend/net.h"
#include "compiler/bundle/writer.h"
#include "compiler/ir/eval_line.h"

/* Blocks for a line are made larger up to here. */
#define MAX_BLOCK ((size_t)256 * 1024 * 1024)

bool compiled_answers(const struct ir *ir, const struct ir_request *req)
{
	bool on = ir->scalars[IR_S_NET_MODE].num != IR_NET_DISABLED;

	if (bk_net_refused(ir))
		return false;
	if (req->kind == IR_NET && on)
		return req->is_addr && req->scope == IR_SANDBOX;
	return req->kind != IR_SYSCALL || req->scope == IR_SANDBOX;
}

bool compiled_open(struct compilation *c, struct bundle *ret)
{
	struct bundle_options opt = { .created = -1, .version = POLC_VERSION };
	struct rt_err err = { .err = 0 };
	struct buf b;
	uint8_t *copy;

	buf_init(&b, c->a);
	if (!bundle_write(c->ir, &c->out, &opt, &b, &c->sink)) {
		/* a limit of the format is the user's, with its message */
		if (!c->sink.errors)
			c->internal = "the bundle cannot be written";
		return false;
	}
	copy = malloc(b.n);
	if (!copy) {
		c->internal = "out of memory";
		return false;
	}
	memcpy(copy, b.p, b.n);
	if (bundle_parse(copy, b.n, ret, &err) != 0) {
		c->internal = arena_printf(c->a,
					   "the bundle that was written cannot be "
					   "read: %s",
					   err.text);
		return false;
	}
	return true;
}

/* --- the decision library ------------------------------------------------------ */

static bool ask_filter(struct bundle *b, const struct ir_request *req, struct arena *a,
		       struct decision *ret, const char **ret_why)
{
	struct rt_err err = { .err = 0 };

	if (decide_syscall(b, req->nr, req->args, ret, &err) == 0)
		return true;
	*ret_why = arena_printf(a, "%s", err.text);
	return false;
}

static const char *root_z(struct arena *a, struct str s)
{
	return s.p ? str_z(a, s) : NULL;
}

static struct decide_ctx context(const struct bundle *b, const struct ir_request *req,
				 struct arena *a)
{
	struct decide_ctx ctx = { .b = b, .scope = (uint8_t)req->scope };
	int i;

	for (i = 0; i < IR_ROOT_COUNT; i++)
		ctx.roots.dir[i] = root_z(a, req->roots.dir[i]);
	ctx.cwd = root_z(a, req->cwd);
	return ctx;
}

static void ask_argv(const struct decide_ctx *ctx, const struct ir_request *req,
		     struct arena *a, struct decision *ret)
{
	const char **argv;
	size_t i, bytes = 0, size;

	if (req->unparsed || !req->nargv) {
		decide_unparsed(ctx, ret);
		return;
	}
	argv = arena_array(a, req->nargv + 1, sizeof(*argv));
	for (i = 0; i < req->nargv; i++) {
		argv[i] = str_z(a, req->argv[i]);
		bytes += req->argv[i].n + 1;
	}
	size = decide_block_size(ctx, bytes);
	decide_words(ctx, argv, req->nargv, arena_alloc(a, size), size, NULL, ret);
}

void compiled_line(struct bundle *b, const struct ir_request *req, struct arena *a,
		   struct cmd_line *ret_parts, struct decision *ret)
{
	struct decide_ctx ctx = context(b, req, a);
	size_t size = decide_block_size(&ctx, req->line.n);

	/* as the evaluator: what is short of memory is no limit of the line */
	for (;; size *= 2) {
		decide_line(&ctx, req->line.p, req->line.n, arena_alloc(a, size), size,
			    ret_parts, ret);
		if (!ret_parts->limit || !ret_parts->memory_short || size > MAX_BLOCK / 2)
			return;
	}
}

/* As polquery: a name's addresses are not known, and the table of a network is
 * for the sandbox. */
static bool ask_net(const struct decide_ctx *ctx, const struct ir_request *req,
		    struct decision *ret, const char **ret_why)
{
	bool udp = req->proto == IR_UDP;

	if (!decide_net_known(ctx)) {
		*ret_why = "some rule of this network is not for every scope, and the "
			   "bundle has them for 'sandbox' only";
		return false;
	}
	if (req->is_addr) {
		decide_net(ctx, udp, req->addr, req->port, ret);
		return true;
	}
	if (decide_net_name(ctx, udp, req->port, ret))
		return true;
	*ret_why = "the answer depends on the address that this name has: ask for the "
		   "address";
	return false;
}

bool compiled_ask(struct bundle *b, const struct ir_request *req, struct arena *a,
		  struct decision *ret, const char **ret_why)
{
	struct decide_ctx ctx = context(b, req, a);
	struct decision d = { .effect = PB_DENY, .rule = UINT32_MAX };
	struct cmd_line parts;

	*ret = d;
	switch (req->kind) {
	case IR_COMMAND:
		if (req->line.p)
			compiled_line(b, req, a, &parts, ret);
		else
			ask_argv(&ctx, req, a, ret);
		return true;
	case IR_FILE:
		decide_file(&ctx, (uint8_t)req->op, str_z(a, req->path), ret);
		return true;
	case IR_UNIX:
		decide_unix(&ctx, str_z(a, req->path), req->abstract, ret);
		return true;
	case IR_NET:
		return ask_net(&ctx, req, ret, ret_why);
	case IR_TOOL:
		decide_tool(&ctx, str_z(a, req->tool), ret);
		return true;
	case IR_SYSCALL:
		return ask_filter(b, req, a, ret, ret_why);
	case IR_KIND_COUNT:
		break;
	}
	*ret_why = "no such kind of request";
	return false;
}

/* An address of the line that only the gateway can know. */
static bool has_name(const struct bundle *b, const struct ir_decision *e)
{
	size_t i;

	for (i = 0; e->line && i < e->line->nparts; i++)
		if (e->line->parts[i].part->kind == CMD_NET &&
		    bundle_net_mode(b) != PB_NET_DISABLED)
			return true;
	return false;
}

static uint32_t rule_number(const struct bundle *b, const struct ir_decision *e)
{
	return e->rule ? e->rule->index : b->rules->scalar_first + (uint32_t)e->scalar;
}

const char *compiled_differs(const struct bundle *b, const struct ir_decision *e,
			     const struct ir_request *req, const struct decision *d,
			     struct arena *a)
{
	/* a filter cannot ask and cannot hide: there both are a deny */
	bool kernel = req->kind == IR_SYSCALL;
	enum ir_effect want = kernel && e->effect == IR_ASK ? IR_DENY : e->effect;

	if (has_name(b, e))
		return NULL;
	if ((unsigned)want != d->effect)
		return arena_printf(a,
				    "'%.*s': the evaluator says %s, the compiled "
				    "policy %s",
				    STR_ARG(req->text), ir_effect_name(e->effect),
				    ir_effect_name((enum ir_effect)d->effect));
	if (kernel && e->effect == IR_DENY && e->err != d->err)
		return arena_printf(a, "'%.*s': errno %u and %u", STR_ARG(req->text),
				    e->err, d->err);
	if (kernel)
		return NULL;
	if (rule_number(b, e) != d->rule)
		return arena_printf(a,
				    "'%.*s': the evaluator names rule %u, the compiled "
				    "policy %u",
				    STR_ARG(req->text), rule_number(b, e), d->rule);
	if (e->needs_person != d->needs_person)
		return arena_printf(a, "'%.*s': only one of both wants a person",
				    STR_ARG(req->text));
	if (((req->kind == IR_COMMAND && !req->unparsed) || req->kind == IR_TOOL) &&
	    (unsigned)e->risk != d->risk)
		return arena_printf(a, "'%.*s': the risk is %s and %s",
				    STR_ARG(req->text), ir_risk_name(e->risk),
				    ir_risk_name((enum ir_risk)d->risk));
	return NULL;
}
