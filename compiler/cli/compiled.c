/*
 * Compares the reference evaluator with the compiled artefacts on single requests.
 * A difference is always our fault, never the user's.
 */
#include "compiler/cli/compiled.h"

#include <errno.h>
#include <stdlib.h>

#include "compiler/backend/nft/net.h"
#include "compiler/bundle/writer.h"
#include "compiler/eval/line.h"
#include "runtime/libpol/pol_own.h"

/* The memory block for a line may grow up to this size. */
#define MAX_BLOCK ((size_t)256 * 1024 * 1024)

bool compiled_answers(const struct ir *ir, const struct ir_request *req)
{
	bool on = ir->scalars[IR_S_NET_MODE].num != IR_NET_DISABLED;

	if (req->kind == IR_NET && on)
		return req->scope == IR_SANDBOX;
	return req->kind != IR_SYSCALL || req->scope == IR_SANDBOX;
}

bool compiled_open(struct compilation *c, struct bundle *ret)
{
	struct bundle_options opt = { .created = -1, .version = POL_VERSION };
	struct rt_err err = { .err = 0 };
	struct buf b;
	uint8_t *copy;

	buf_init(&b, c->a);
	if (!bundle_write(c->ir, &c->out, &opt, &b, &c->sink)) {
		/* a limit of the format is an error of the user, with its own message */
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

static const char *root_z(struct arena *a, struct str s)
{
	return s.p ? str_z(a, s) : NULL;
}

/* The request in the form of the library; *ret_n: bytes of its line. */
static struct pol_request translate(const struct ir_request *req, struct arena *a,
				    size_t *ret_n)
{
	static const uint32_t kinds[IR_KIND_COUNT] = {
		[IR_COMMAND] = POL_ARGV, [IR_FILE] = POL_FILE,
		[IR_NET] = POL_NET,	 [IR_UNIX] = POL_UNIX,
		[IR_SYSCALL] = POL_SYSCALL, [IR_TOOL] = POL_TOOL,
	};
	struct pol_request q = {
		.size = sizeof(q),
		.kind = req->line.p ? POL_COMMAND : kinds[req->kind],
		.scope = req->kind == IR_SYSCALL ? POL_SANDBOX : (uint32_t)req->scope,
		.flags = POL_NO_ROOT | (req->abstract ? POL_ABSTRACT : 0),
		.op = (uint32_t)req->op,
		.proto = req->proto == IR_UDP ? POL_UDP : POL_TCP,
		.port = req->port,
		.nr = req->nr,
		.line = req->line.p,
		.line_n = req->line.n,
		.path = root_z(a, req->path),
		.addr = req->is_addr ? req->addr : NULL,
		.host = req->is_addr ? NULL : str_z(a, req->host),
		.cwd = root_z(a, req->cwd),
		.home = root_z(a, req->roots.dir[IR_ROOT_HOME]),
		.project = root_z(a, req->roots.dir[IR_ROOT_PROJECT]),
		.tmpdir = root_z(a, req->roots.dir[IR_ROOT_TMP]),
		.session_dir = root_z(a, req->roots.dir[IR_ROOT_SESSION]),
		.ssh_auth_sock = root_z(a, req->roots.dir[IR_ROOT_AGENT]),
		.git_common_dir = root_z(a, req->roots.dir[IR_ROOT_GIT]),
	};

	*ret_n = req->line.n;
	if (req->kind == IR_TOOL)
		q.name = root_z(a, req->tool);
	memcpy(q.args, req->args, sizeof(q.args));
	if (q.kind == POL_ARGV) {
		const char **argv = arena_array(a, req->nargv + 1, sizeof(*argv));

		for (size_t i = 0; i < req->nargv; i++) {
			argv[i] = str_z(a, req->argv[i]);
			*ret_n += req->argv[i].n + 1;
		}
		q.argv = argv;
		q.argc = req->nargv;
	}
	return q;
}

static bool ask(struct bundle *b, const struct ir_request *req, struct arena *a,
		struct pol_ctx *c, struct rt_err *err)
{
	const struct decide_ctx sizes = { .b = b };
	size_t n, size;
	struct pol_request q = translate(req, a, &n);

	if (q.kind != POL_COMMAND && q.kind != POL_ARGV) {
		pol_ctx_init(c, b, NULL, 0);
		return pol_ask(c, &q, err) == 0;
	}
	/* as in the evaluator: too little memory must not act as a limit of the line */
	for (size = decide_block_size(&sizes, n);; size *= 2) {
		pol_ctx_init(c, b, arena_alloc(a, size), size);
		c->look = req->places ? &place_look : NULL;
		c->links = req->places ? req->places->links : NULL;
		if (pol_ask(c, &q, err) < 0)
			return false;
		if (!c->parts.limit || !c->parts.memory_short || size > MAX_BLOCK / 2)
			return true;
	}
}

static bool is_unread(const struct ir_request *req)
{
	return req->kind == IR_COMMAND && !req->line.p && (req->unparsed || !req->nargv);
}

void compiled_line(struct bundle *b, const struct ir_request *req, struct arena *a,
		   struct cmd_line *ret_parts, struct decision *ret)
{
	const struct decide_ctx ctx = { .b = b, .scope = (uint8_t)req->scope };
	struct rt_err err = { .err = 0 };
	struct pol_ctx c;

	if (is_unread(req)) {
		*ret_parts = (struct cmd_line){ .unparsed = true };
		decide_unparsed(&ctx, ret);
		return;
	}
	(void)ask(b, req, a, &c, &err);
	*ret_parts = c.parts;
	*ret = c.d;
}

bool compiled_ask(struct bundle *b, const struct ir_request *req, struct arena *a,
		  struct decision *ret, const char **ret_why)
{
	const struct decide_ctx ctx = { .b = b, .scope = (uint8_t)req->scope };
	struct rt_err err = { .err = 0 };
	struct pol_ctx c;
	bool good;

	if (is_unread(req)) {
		decide_unparsed(&ctx, ret);
		return true;
	}
	good = ask(b, req, a, &c, &err);
	*ret = c.d;
	if (!good)
		*ret_why = arena_printf(a, "%s", err.text);
	return good;
}

static bool is_unknown_part(const struct bundle *b, const struct ir_request *req,
			    unsigned kind)
{
	const struct decide_ctx c = { .b = b, .scope = (uint8_t)req->scope };

	return kind == CMD_NET && !decide_net_known(&c);
}

/*
 * Does the line connect to something, in a scope for which the bundle may not know the
 * network's rules?  Then it denies.
 */
static bool is_unknown(const struct bundle *b, const struct eval_decision *e,
		       const struct ir_request *req)
{
	size_t i;

	for (i = 0; e->line && i < e->line->nparts; i++)
		if (is_unknown_part(b, req, e->line->parts[i].part->kind))
			return true;
	return false;
}

static bool is_same_text(const struct bundle *b, struct pb_str x, struct pb_str y)
{
	return x.len == y.len &&
	       memcmp(pb_strp(b->rules, x), pb_strp(b->rules, y), x.len) == 0;
}

static uint32_t rule_number(const struct bundle *b, const struct eval_decision *e)
{
	return e->rule ? e->rule->index : b->rules->scalar_first + (uint32_t)e->scalar;
}

/*
 * Is it the rule that the compiled policy names?  For the network that is the first of its
 * statement, which looks the same in every message.
 */
static bool names_it(const struct bundle *b, const struct eval_decision *e, bool net,
		     uint32_t named)
{
	uint32_t want = rule_number(b, e);
	const struct pb_rule *x = bundle_rule(b, want), *y = bundle_rule(b, named);

	if (want == named || !net || !e->rule || !x || !y || named > want)
		return want == named;
	return x->kind == PB_NET && y->kind == PB_NET && x->effect == y->effect &&
	       x->level == y->level && x->line == y->line && x->col == y->col &&
	       is_same_text(b, x->id, y->id) && is_same_text(b, x->file, y->file) &&
	       is_same_text(b, x->text, y->text);
}

const char *compiled_differs(const struct bundle *b, const struct eval_decision *e,
			     const struct ir_request *req, const struct decision *d,
			     struct arena *a)
{
	/* a filter can neither ask nor hide: both become a deny */
	bool kernel = req->kind == IR_SYSCALL;
	enum ir_effect want = kernel && e->effect == IR_ASK ? IR_DENY : e->effect;

	if (is_unknown(b, e, req))
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
	if (!names_it(b, e, req->kind == IR_NET, d->rule))
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

/* --- parts --------------------------------------------------------------------- */

_Static_assert((int)DECIDE_STEP_COUNT == (int)EVAL_PS_COUNT, "steps of a part");

static const enum eval_part_step steps[] = {
	[DECIDE_RULES] = EVAL_PS_RULES,       [DECIDE_TRANSPARENT] = EVAL_PS_TRANSPARENT,
	[DECIDE_SHELL_CODE] = EVAL_PS_SHELL_CODE, [DECIDE_LOST] = EVAL_PS_LOST,
	[DECIDE_MAY_DENY] = EVAL_PS_MAY_DENY, [DECIDE_OPAQUE] = EVAL_PS_OPAQUE,
	[DECIDE_SPELLS] = EVAL_PS_SPELLS,     [DECIDE_HIDDEN] = EVAL_PS_HIDDEN,
	[DECIDE_HOLDS] = EVAL_PS_HOLDS,       [DECIDE_READS] = EVAL_PS_READS,
	[DECIDE_WRITES] = EVAL_PS_WRITES,     [DECIDE_MAY_WRITE] = EVAL_PS_MAY_WRITE,
	[DECIDE_MAY_READ] = EVAL_PS_MAY_READ,
	[DECIDE_TARGET] = EVAL_PS_TARGET,     [DECIDE_NO_TARGET] = EVAL_PS_NO_TARGET,
	[DECIDE_SANDBOX] = EVAL_PS_SANDBOX,
	[DECIDE_UNPARSED] = EVAL_PS_UNPARSED,
};

static const char *part_differs(const struct bundle *b, const struct ir_request *req,
				const struct eval_part_decision *e,
				const struct cmd_part *p, size_t i, struct arena *a)
{
	enum ir_effect want = e->d.effect == IR_HIDE ? IR_DENY : e->d.effect;
	enum eval_part_step step = p->step < POL_LEN(steps) ? steps[p->step] : EVAL_PS_COUNT;

	if (e->part->kind != p->kind || e->part->from != p->from || e->part->to != p->to)
		return arena_printf(a, "part %zu is another one", i);
	if (is_unknown_part(b, req, p->kind))
		return NULL;
	if ((unsigned)want != p->effect)
		return arena_printf(a, "part %zu: the evaluator says %s, the compiled policy "
				    "%s", i, ir_effect_name(want),
				    ir_effect_name((enum ir_effect)p->effect));
	if (!names_it(b, &e->d, p->kind == CMD_NET, p->rule))
		return arena_printf(a, "part %zu: the evaluator names rule %u, the compiled "
				    "policy %u", i, rule_number(b, &e->d), p->rule);
	if (e->step != step)
		return arena_printf(a, "part %zu: the evaluator's step is '%s', the compiled "
				    "policy's '%s'", i, eval_part_step_name(e->step),
				    eval_part_step_name(step));
	return NULL;
}

const char *compiled_parts_differ(const struct bundle *b, const struct ir_request *req,
				  const struct eval_decision *e,
				  const struct cmd_line *parts, struct arena *a)
{
	const struct cmd_part *p = parts->first;
	const char *why = NULL;
	size_t i;

	if (!e->line)
		return NULL;
	for (i = 0; i < e->line->nparts && p && !why; i++, p = p->next)
		why = part_differs(b, req, &e->line->parts[i], p, i, a);
	if (why)
		return why;
	return i < e->line->nparts || p ? "one of both has more parts of the line" : NULL;
}
