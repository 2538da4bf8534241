/*
 * Decides what a whole line gets: the command rules decide each simple command, the
 * file rules each redirection, the network rules each address, and the strictest answer
 * counts.
 */
#include <assert.h>
#include <limits.h>
#include <stdlib.h>

#include "compiler/eval/levels.h"
#include "compiler/eval/line.h"
#include "compiler/eval/request.h"

/*
 * Size of the block for the analysis.  We start with what most lines need and double it
 * up to MAX_BLOCK.
 */
#define FIRST_BLOCK ((size_t)32 * 1024)
#define MAX_BLOCK ((size_t)256 * 1024 * 1024)

struct asked_line {
	const struct ir *ir;
	const struct ir_request *req;
	struct cmd_world world;
	struct arena *a;
	struct eval_line *line;
};

/* Input and output of the analysis. */
struct read_line {
	const struct ir_request *req;
	const struct cmd_world *world;
	struct arena *a;
	struct cmd_line *ret;
};

/* --- what the analysis is told ----------------------------------------------------------- */

static const char *known(struct arena *a, struct str s)
{
	return s.n ? str_z(a, s) : NULL;
}

static void analyse(struct read_line *l, size_t size)
{
	const struct ir_request *req = l->req;
	void *block = arena_alloc(l->a, size);
	const char **argv;
	size_t i;

	if (req->line.p) {
		cmd_from_line(l->ret, block, size, l->world, req->line.p, req->line.n);
		return;
	}
	argv = arena_array(l->a, req->nargv + 1, sizeof(*argv));
	for (i = 0; i < req->nargv; i++)
		argv[i] = str_z(l->a, req->argv[i]);
	cmd_from_argv(l->ret, block, size, l->world, argv, req->nargv);
}

/*
 * Repeats the analysis with a larger block while it says that the block was too small.
 * Lack of memory is not a limit of the line.
 */
static void read_parts(struct read_line *l)
{
	const struct ir_request *req = l->req;
	size_t size, bytes = req->line.n, i;

	for (i = 0; !req->line.p && i < req->nargv; i++)
		bytes += req->argv[i].n + 1;
	for (size = FIRST_BLOCK + 64 * bytes;; size *= 2) {
		analyse(l, size);
		if (!l->ret->limit || !l->ret->memory_short || size > MAX_BLOCK / 2)
			return;
	}
}

void eval_read_line(const struct ir *ir, const struct ir_request *req, struct arena *a,
		  struct cmd_world *ret_world, struct cmd_line *ret)
{
	struct read_line l = { req, ret_world, a, ret };

	assert(ir->line_facts); /* without facts we would miss commands in words */
	*ret_world = (struct cmd_world){
		.facts = ir->line_facts,
		.cwd = known(a, req->cwd),
		.home = known(a, req->roots.dir[IR_ROOT_HOME]),
		.project = known(a, req->roots.dir[IR_ROOT_PROJECT]),
		.host = req->scope == IR_HOST,
	};
	read_parts(&l);
}

/* --- files and addresses -------------------------------------------------------------------- */

static void stricter(struct eval_part_decision *p, const struct eval_decision *d, bool first,
		     enum eval_part_step step)
{
	bool person = p->d.needs_person || d->needs_person;

	if (first || d->effect > p->d.effect) {
		p->d = *d;
		p->step = step;
	}
	p->d.needs_person = p->d.effect == IR_ASK && person;
}

/*
 * The target is not known: it gets the stricter of `opaque` and the `otherwise` of its
 * section.
 */
static void unknown_target(struct asked_line *l, const struct ir_request *req,
			   struct eval_decision *d)
{
	const enum ir_scalar_id id = ir_scalar_in(l->ir, IR_S_COMMAND_OPAQUE, req->scope);
	const struct ir_scalar *opaque = &l->ir->scalars[id];

	*d = (struct eval_decision){ .risk = IR_RISK_MEDIUM };
	eval_by_otherwise(l->ir, req, d);
	if (opaque->effect < d->effect)
		return;
	d->effect = opaque->effect;
	d->rule = NULL;
	d->scalar = id;
	d->step = EVAL_STEP_OPAQUE;
	d->needs_person = d->effect == IR_ASK;
}

/* Only a rule decides before the line runs: everything else is left to the sandbox. */
static void leave_to_sandbox(const struct ir *ir, const struct ir_request *req,
			     struct eval_decision *d)
{
	*d = (struct eval_decision){ .effect = IR_ALLOW, .risk = IR_RISK_MEDIUM,
				     .scalar = eval_otherwise_of(ir, req),
				     .step = EVAL_STEP_OTHERWISE };
}

/* The target in one of the directories in which the shell may be. */
static void decide_path(struct asked_line *l, const struct cmd_part *c,
			struct ir_request *req, const char *dir, struct eval_part_decision *p,
			bool *first)
{
	enum eval_part_step step = EVAL_PS_TARGET;
	struct eval_decision got;
	char buf[CMD_GIVEN_MAX];

	if (!c->path || !eval_path(req, &l->world, dir, c->path, c->path_n, c->home_path, false,
				   buf))
		return;
	req->path = str_dup(l->a, str_from(buf));
	eval_decide_names(l->ir, req, false, l->a, &got);
	if (req->scope != IR_HOST && !got.rule) {
		leave_to_sandbox(l->ir, req, &got);
		step = EVAL_PS_SANDBOX;
	}
	stricter(p, &got, *first, step);
	*first = false;
}

static void decide_op(struct asked_line *l, const struct cmd_part *c, enum ir_op op,
		      struct eval_part_decision *p, bool *first)
{
	bool known = c->path && !c->path_guess;
	const struct cmd_dir *d = c->dirs_unknown || !c->dirs ? c->near : c->dirs;
	struct ir_request req = *l->req;
	struct eval_decision got;
	char buf[CMD_GIVEN_MAX];

	req.kind = IR_FILE;
	req.op = op;
	/* a path that does not depend on the directory is known in any case */
	known &= (c->dirs && !c->dirs_unknown) ||
		 eval_path(&req, &l->world, NULL, c->path, c->path_n, c->home_path, false, buf);
	for (const struct cmd_dir *k = d; known && k; k = k->next)
		known = eval_path(&req, &l->world, k->path, c->path, c->path_n, c->home_path,
				  false, buf);
	if (!known) {
		if (req.scope == IR_HOST)
			unknown_target(l, &req, &got);
		else
			leave_to_sandbox(l->ir, &req, &got);
		stricter(p, &got, *first,
			 req.scope == IR_HOST ? EVAL_PS_NO_TARGET : EVAL_PS_SANDBOX);
		*first = false;
	}
	if (!d)
		decide_path(l, c, &req, NULL, p, first);
	for (; d; d = d->next)
		decide_path(l, c, &req, d->path, p, first);
}

static void decide_file(struct asked_line *l, const struct cmd_part *c,
			struct eval_part_decision *p)
{
	static const enum ir_op ops[] = { IR_READ, IR_WRITE, IR_EXEC };
	bool first = true;
	size_t i;

	for (i = 0; i < POL_LEN(ops); i++)
		if (c->ops & ops[i])
			decide_op(l, c, ops[i], p, &first);
}

static void decide_net(struct asked_line *l, const struct cmd_part *c,
		       struct eval_part_decision *p)
{
	struct ir_request req = *l->req;
	struct eval_decision got;
	struct num_cidr addr;
	bool host_bits;
	struct buf b;

	req.kind = IR_NET;
	req.proto = c->udp ? IR_UDP : IR_TCP;
	req.port = c->port;
	p->step = EVAL_PS_TARGET;
	if (l->ir->scalars[IR_S_NET_MODE].num != IR_NET_DISABLED &&
	    (!c->host || !c->port)) {
		unknown_target(l, &req, &got);
		p->step = EVAL_PS_NO_TARGET;
		p->d = got;
		return;
	}
	buf_init(&b, l->a);
	for (uint32_t i = 0; c->host && i < c->host_n; i++)
		buf_ch(&b, (char)(c->host[i] >= 'A' && c->host[i] <= 'Z' ?
					  c->host[i] + 'a' - 'A' : c->host[i]));
	req.host = buf_view(&b);
	if (req.host.n > 1 && req.host.p[req.host.n - 1] == '.')
		req.host.n--;
	if (num_cidr(req.host, &addr, &host_bits) &&
	    !memchr(req.host.p, '/', req.host.n)) {
		req.is_addr = true;
		memcpy(req.addr, addr.addr, sizeof(req.addr));
	}
	eval_decide_request(l->ir, &req, l->a, &p->d);
}

/* --- parts ------------------------------------------------------------------------------------ */

static void decide_part(struct asked_line *l, struct cmd_part *c,
			struct eval_part_decision *p)
{
	struct eval_asked q = { l->ir, l->req, &l->world, c };

	*p = (struct eval_part_decision){ .part = c };
	switch ((enum cmd_kind)c->kind) {
	case CMD_COMMAND:
		eval_decide_part(&q, l->a, p);
		c->allowed_by_rule = p->allowed_by_rule;
		if (p->too_much)
			c->opaque = CMD_TOO_MUCH;
		break;
	case CMD_FILE:
		decide_file(l, c, p);
		break;
	case CMD_NET:
		decide_net(l, c, p);
		break;
	case CMD_UNPARSED:
		eval_by_opaque(l->ir, l->req->scope, &p->d);
		p->step = EVAL_PS_UNPARSED;
		break;
	}
	p->part = c;
}

/*
 * Shells are decided first: whether a shell's code counts depends on whether an allow
 * rule matches the shell.
 */
static void decide_parts(struct asked_line *l)
{
	struct eval_line *line = l->line;
	struct cmd_part *c;

	line->parts = arena_array(l->a, line->cmd.nparts + 1, sizeof(*line->parts));
	for (c = line->cmd.first; c && line->nparts < line->cmd.nparts; c = c->next)
		decide_part(l, c, &line->parts[line->nparts++]);
}

/* --- the line ----------------------------------------------------------------------------------- */

/* A hidden target denies the line. */
static enum ir_effect effect_of(const struct eval_decision *d)
{
	return d->effect >= IR_HIDE ? IR_DENY : d->effect;
}

static void take(struct eval_decision *all, const struct eval_decision *d, bool first)
{
	bool person = (all->needs_person && !first) || d->needs_person;
	enum ir_risk risk = all->risk;

	if (first || effect_of(d) > all->effect) {
		const struct ir_risk_fact *fact = all->risk_fact;

		*all = *d;
		all->effect = effect_of(d);
		all->risk = risk;
		all->risk_fact = fact;
	}
	all->needs_person = all->effect == IR_ASK && person;
}

/* The line has the highest risk class of its simple commands. */
static void classify(const struct eval_line *line, struct eval_decision *d)
{
	bool first = true;
	size_t i;

	d->risk = IR_RISK_MEDIUM;
	for (i = 0; i < line->nparts; i++) {
		const struct eval_part_decision *p = &line->parts[i];

		if (p->part->kind != CMD_COMMAND || (!first && p->d.risk <= d->risk))
			continue;
		d->risk = p->d.risk;
		d->risk_fact = p->d.risk_fact;
		first = false;
	}
}

/* Lists every rule that matches some part, once, in order. */
static void list_matched(const struct asked_line *l, struct eval_decision *d)
{
	size_t most = 1, i, k, n = 0;

	for (i = 0; i < l->line->nparts; i++)
		most += l->line->parts[i].nrules + l->line->parts[i].d.nmatched + 1;
	d->matched = arena_array(l->a, most, sizeof(*d->matched));
	for (i = 0; i < l->line->nparts; i++) {
		const struct eval_part_decision *p = &l->line->parts[i];

		for (k = 0; k < p->nrules; k++)
			d->matched[n++] = p->rules[k].rule;
		for (k = 0; k < p->d.nmatched; k++)
			d->matched[n++] = p->d.matched[k];
		if (p->because)
			d->matched[n++] = p->because;
	}
	if (n)
		qsort(d->matched, n, sizeof(struct ir_rule *), ir_rule_by_index);
	d->nmatched = 0;
	for (i = 0; i < n; i++)
		if (!i || d->matched[i] != d->matched[d->nmatched - 1])
			d->matched[d->nmatched++] = d->matched[i];
}

static void deny(struct asked_line *l, enum eval_line_why why, struct eval_decision *d)
{
	d->effect = IR_DENY;
	d->rule = NULL;
	d->scalar = ir_scalar_in(l->ir, IR_S_COMMAND_OPAQUE, l->req->scope);
	d->step = EVAL_STEP_OPAQUE;
	d->needs_person = false;
	l->line->why = why;
}

static void decide_line(struct asked_line *l, struct eval_decision *d)
{
	struct eval_line *line = l->line;
	size_t i;

	for (i = 0; i < line->nparts; i++) {
		enum ir_effect before = d->effect;

		take(d, &line->parts[i].d, i == 0);
		if (i == 0 || d->effect > before)
			line->deciding = i;
	}
	if (line->cmd.unparsed) {
		struct eval_decision own = { .risk = IR_RISK_MEDIUM };
		enum ir_effect before = d->effect;

		eval_by_opaque(l->ir, l->req->scope, &own);
		take(d, &own, line->nparts == 0);
		if (!line->nparts || d->effect > before)
			line->why = EVAL_LW_UNPARSED;
	} else if (!line->nparts) {
		d->effect = IR_ALLOW;
		line->why = EVAL_LW_NOTHING;
	}
	if (line->cmd.limit && d->effect < IR_DENY)
		deny(l, EVAL_LW_LIMIT, d);
	if (l->req->line.p && l->world.facts->dialect == LINE_DIALECT_NONE)
		deny(l, EVAL_LW_SHELL, d);
}

void eval_decide_line(const struct ir *ir, const struct ir_request *req, struct arena *a,
		  struct eval_decision *ret)
{
	struct eval_decision d = { .scalar = eval_otherwise_of(ir, req),
				 .step = EVAL_STEP_OTHERWISE };
	struct asked_line l = { .ir = ir, .req = req, .a = a,
				.line = ARENA_NEW(a, struct eval_line) };

	eval_read_line(ir, req, a, &l.world, &l.line->cmd);
	decide_parts(&l);
	classify(l.line, &d);
	decide_line(&l, &d);
	list_matched(&l, &d);
	d.line = l.line;
	*ret = d;
}
