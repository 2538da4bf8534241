/*
 * Decides a line: each simple command by the rules, each redirection by the file rules,
 * each address by the network's rules. The strictest answer is that of the line.
 */
#include <limits.h>
#include <string.h>

#include <arpa/inet.h>

#include "runtime/base/regex.h"
#include "runtime/base/host.h"
#include "runtime/decide/combine.h"
#include "runtime/decide/part.h"

/* What matching needs in addition to the analysis: sets of states, sets of sets, sets of
 * clauses. */
#define MATCH_BYTES ((size_t)512 * 1024)
/* Steps of automata over words that are not literal, over tails of words, and over paths:
 * for the whole line, and more for every byte of it. */
#define MAX_WORK ((uint64_t)8 << 20)
#define WORK_PER_BYTE 8
#define PART_COST 64
#define COST_PER_WORD 4
#define ADDRESS_COST 64
/* Steps left for the parts of a line that is denied in any case. */
#define LIMIT_WORK ((uint64_t)1 << 18)

/* Steps for finding out whether a rule would let a part pass. */
#define TRIAL_WORK ((uint64_t)1 << 20)

/* Room for one expression that is not an automaton, and the texts of a command. */
static size_t search_size(const struct pb_matcher *m, size_t n)
{
	uint32_t longest = 0, i;

	for (i = 0; i < m->regexes.count; i++) {
		const struct pb_regex *r = pb_at(m, m->regexes, sizeof(*r), i);

		longest = r->text.len > longest ? r->text.len : longest;
	}
	return m->regexes.count ? regex_room(longest) + 4 * n : 0;
}

static size_t match_size(const struct decide_ctx *c, size_t n)
{
	const struct pb_matcher *m = c->b->matcher;

	/* two copies of the longest word list, and a tail that is analysed again */
	return MATCH_BYTES + search_size(m, n) + 64 * (size_t)m->max_states + m->clauses.count +
	       8 * BITS_WORDS((size_t)c->b->rules->rules.count) +
	       8 * BITS_WORDS((size_t)m->commands.count) + 128 * n + cmd_block_size(n);
}

size_t decide_block_size(const struct decide_ctx *c, size_t n)
{
	return cmd_block_size(n) + match_size(c, n);
}

/* --- files and addresses --------------------------------------------------------------- */

/* Combines several answers: the strictest counts, and every ask must be answered. */
static void stricter(struct decision *all, const struct decision *d, bool first)
{
	bool person = (!first && all->needs_person) || d->needs_person;
	uint8_t risk = first ? d->risk : all->risk;

	/* the list of matching rules is made for the whole line */
	if (first || d->effect > all->effect)
		memcpy(all, d, offsetof(struct decision, matched));
	all->risk = risk;
	all->needs_person = all->effect == PB_ASK && person;
}

/* An unknown target: the stricter of `opaque` and its own `otherwise`. */
static void unknown_target(const struct line_ctx *l, enum pb_scalar otherwise,
			   struct decision *d)
{
	const struct pb_rule *s = decide_scalar(l->c, PB_S_COMMAND_OPAQUE);
	uint8_t effect = s ? s->effect : PB_DENY;

	*d = (struct decision){ .risk = 1 };
	decide_otherwise(l->c, otherwise, d);
	if (effect < d->effect)
		return;
	decide_deny(l->c, PB_S_COMMAND_OPAQUE, d);
	d->effect = effect;
	d->needs_person = effect == PB_ASK;
}

/* The line is denied, and so is everything that could not be decided any more. */
static void past_limit(const struct line_ctx *l, struct decision *d)
{
	decision_start(d, PB_DENY, 1);
	decide_deny(l->c, PB_S_COMMAND_OPAQUE, d);
}

static enum pb_scalar otherwise_of(uint8_t op)
{
	return op == PB_READ ? PB_S_FILE_READ :
	       op == PB_WRITE ? PB_S_FILE_WRITE : PB_S_FILE_EXEC;
}

/* Only a rule decides before the line runs: everything else is left to the sandbox. */
static void leave_to_sandbox(const struct line_ctx *l, uint8_t op, struct decision *d)
{
	*d = (struct decision){ .risk = 1 };
	decide_deny(l->c, otherwise_of(op), d);
	d->effect = PB_ALLOW;
}

static void take_answer(struct cmd_part *p, const struct decision *d, enum decide_step step,
			struct decision *ret, bool *first)
{
	if (*first || d->effect > ret->effect)
		p->step = (uint8_t)step;
	stricter(ret, d, *first);
	*first = false;
}

static bool target_in(const struct line_ctx *l, const struct cmd_part *p, const char *dir,
		      char path[CMD_GIVEN_MAX])
{
	return p->path && part_path(l, dir, p->path, p->path_n, p->home_path, false, path);
}

/* The target in one of the directories in which the shell may be. */
static void decide_path(struct line_ctx *l, struct cmd_part *p, uint8_t op, const char *dir,
			struct decision *ret, bool *first)
{
	enum decide_step step = DECIDE_TARGET;
	const struct pb_rule *r;
	char path[CMD_GIVEN_MAX];
	struct decision one;

	if (!target_in(l, p, dir, path))
		return;
	if (!part_spend_file(l, path)) {
		past_limit(l, &one);
		take_answer(p, &one, step, ret, first);
		return;
	}
	decide_file_names(l->c, &l->places, op, path, false, &one);
	r = bundle_rule(l->c->b, one.rule);
	if (l->c->scope != PB_HOST && (!r || r->kind != PB_FILE)) {
		leave_to_sandbox(l, op, &one);
		step = DECIDE_SANDBOX;
	}
	take_answer(p, &one, step, ret, first);
}

static void decide_op(struct line_ctx *l, struct cmd_part *p, uint8_t op,
		      struct decision *ret, bool *first)
{
	bool known = p->path && !p->path_guess;
	const struct cmd_dir *d = p->dirs_unknown || !p->dirs ? p->near : p->dirs;
	char path[CMD_GIVEN_MAX];
	struct decision one;

	/* a path that does not depend on the directory is known in any case */
	known &= (p->dirs && !p->dirs_unknown) || target_in(l, p, NULL, path);
	for (const struct cmd_dir *k = d; known && k; k = k->next)
		known = target_in(l, p, k->path, path);
	if (!known) {
		if (l->c->scope == PB_HOST)
			unknown_target(l, otherwise_of(op), &one);
		else
			leave_to_sandbox(l, op, &one);
		take_answer(p, &one, l->c->scope == PB_HOST ? DECIDE_NO_TARGET : DECIDE_SANDBOX,
			    ret, first);
	}
	if (!d)
		decide_path(l, p, op, NULL, ret, first);
	for (; d; d = d->next)
		decide_path(l, p, op, d->path, ret, first);
}

static void decide_redirection(struct line_ctx *l, struct cmd_part *p,
			       struct decision *ret)
{
	static const uint8_t ops[] = { PB_READ, PB_WRITE, PB_EXEC };
	bool first = true;
	size_t i;

	for (i = 0; i < sizeof(ops); i++)
		if (p->ops & ops[i])
			decide_op(l, p, ops[i], ret, &first);
	if (first)
		unknown_target(l, PB_S_FILE_WRITE, ret);
}

/* Reads an address as it is written. false: it is a name. */
static bool address_of(const struct cmd_part *p, uint8_t addr[16])
{
	char text[INET6_ADDRSTRLEN];

	if (p->host_n >= sizeof(text) || memchr(p->host, '\0', p->host_n))
		return false;
	memcpy(text, p->host, p->host_n);
	text[p->host_n] = '\0';
	return host_address(text, addr);
}

/* If sandboxes have rules of their own, all entries are looked at. */
static bool spend_address(struct line_ctx *l)
{
	uint64_t n = ADDRESS_COST;

	if (l->c->scope != PB_SANDBOX)
		n += l->c->b->rules->ir_rules;
	return part_spend(l, n);
}

static void decide_address(struct line_ctx *l, struct cmd_part *p, struct decision *ret)
{
	uint8_t addr[16];
	bool is_address = p->host && address_of(p, addr);

	p->step = DECIDE_TARGET;
	if (!spend_address(l)) {
		past_limit(l, ret);
		return;
	}
	if (is_address) {
		if (p->port || bundle_net_mode(l->c->b) == PB_NET_DISABLED) {
			decide_net(l->c, p->udp, addr, p->port, ret);
			return;
		}
	} else if (bundle_net_mode(l->c->b) == PB_NET_DISABLED || (p->host && p->port)) {
		decide_net_name(l->c, p->udp, p->host ? p->host : "",
				p->host ? p->host_n : 0, p->port, ret);
		return;
	}
	p->step = DECIDE_NO_TARGET;
	unknown_target(l, PB_S_NET_OTHERWISE, ret);
}

/* --- the line --------------------------------------------------------------------------- */

static void decide_one(struct line_ctx *l, struct cmd_part *p, struct decision *ret)
{
	decision_start(ret, PB_DENY, 1);
	p->allowed_by_rule = p->would_pass = false;
	p->step = DECIDE_RULES;
	if (!part_spend(l, PART_COST + COST_PER_WORD * (uint64_t)p->nwords + p->path_n)) {
		past_limit(l, ret);
		p->rule = ret->rule;
		p->effect = ret->effect;
		p->risk = ret->risk;
		return;
	}
	switch ((enum cmd_kind)p->kind) {
	case CMD_COMMAND:
		part_decide(l, p, ret);
		break;
	case CMD_FILE:
		decide_redirection(l, p, ret);
		break;
	case CMD_NET:
		decide_address(l, p, ret);
		break;
	case CMD_UNPARSED:
		decide_unparsed(l->c, ret);
		ret->unparsed = false;
		p->step = DECIDE_UNPARSED;
		break;
	}
	if (ret->effect > PB_DENY)
		ret->effect = PB_DENY;
	p->rule = ret->rule;
	p->effect = ret->effect;
	p->risk = ret->risk;
	p->needs_person = ret->needs_person;
}

/* The shell's part comes before the parts of its code, which need to know whether an
 * allow rule matches the shell. */
static void decide_parts(struct line_ctx *l, const struct cmd_line *line,
			 struct decision *ret)
{
	struct decision one;
	uint8_t risk = 0;
	bool first = true, classed = false;
	struct cmd_part *p;

	for (p = line->first; p; p = p->next) {
		decide_one(l, p, &one);
		if (p->kind == CMD_COMMAND && (!classed || one.risk > risk)) {
			risk = one.risk;
			classed = true;
		}
		stricter(ret, &one, first);
		first = false;
	}
	ret->risk = classed ? risk : 1;
}

static void list_matched(const struct line_ctx *l, struct decision *ret)
{
	uint32_t i;

	ret->nmatched = 0;
	BITS_EACH(&l->seen, i)
		if (ret->nmatched++ < DECIDE_MAX_MATCHED)
			ret->matched[ret->nmatched - 1] = i;
}

static void deny(const struct line_ctx *l, struct decision *ret)
{
	if (ret->effect >= PB_DENY)
		return;
	decide_deny(l->c, PB_S_COMMAND_OPAQUE, ret);
}

static void decide_whole(struct line_ctx *l, struct cmd_line *line, struct decision *ret)
{
	struct decision own;
	uint64_t asked;

	decide_deny(l->c, PB_S_COMMAND_OTHERWISE, ret);
	ret->effect = PB_ALLOW;
	ret->risk = 1;
	if (line->limit && l->work > LIMIT_WORK)
		l->work = LIMIT_WORK;
	asked = l->work;
	if (line->first)
		decide_parts(l, line, ret);
	if (line->unparsed) {
		uint8_t risk = ret->risk;

		decide_unparsed(l->c, &own);
		stricter(ret, &own, !line->first);
		ret->risk = risk;
		ret->unparsed = true;
	}
	line->steps += asked - l->work;
	if (line->limit || !l->work)
		deny(l, ret);
	list_matched(l, ret);
}

static bool prepare(struct line_ctx *l, const struct decide_ctx *c, size_t n, void *block,
		    size_t size)
{
	*l = (struct line_ctx){
		.c = c,
		.world = { .facts = c->b->commands, .cwd = c->cwd,
			   .home = c->roots.dir[PB_ROOT_HOME],
			   .project = c->roots.dir[PB_ROOT_PROJECT],
			   .host = c->scope == PB_HOST },
		.pool = { block, size },
		.work = MAX_WORK + WORK_PER_BYTE * (uint64_t)n,
		.trial_work = TRIAL_WORK,
		.places.links = c->links,
	};
	return pool_bits(&l->pool, c->b->matcher->clauses.count, &l->may) &&
	       pool_bits(&l->pool, c->b->matcher->clauses.count, &l->must) &&
	       pool_bits(&l->pool, c->b->rules->rules.count, &l->seen);
}

/* The answer if there is no room for one. */
static void no_room(const struct decide_ctx *c, struct cmd_line *line,
		    struct decision *ret)
{
	*line = (struct cmd_line){ .limit = true, .memory_short = true,
				   .why = "no memory for the decision" };
	*ret = (struct decision){ .effect = PB_DENY, .risk = 1 };
	decide_deny(c, PB_S_COMMAND_OPAQUE, ret);
}

/* The analysis uses the end of the block as it needs, matching the rest. */
static bool split_block(const struct decide_ctx *c, size_t n, void *block, size_t size,
			struct line_ctx *l, size_t *ret_match)
{
	size_t match = match_size(c, n);

	if (match > size / 2 && size < decide_block_size(c, n))
		match = size / 2;
	match &= ~(size_t)15;
	*ret_match = match;
	return prepare(l, c, n, block, match);
}

void decide_line(const struct decide_ctx *c, const char *text, size_t n, void *block,
		 size_t size, struct cmd_line *ret_parts, struct decision *ret)
{
	struct cmd_line own, *line = ret_parts ? ret_parts : &own;
	struct line_ctx l;
	size_t match;

	if (!split_block(c, n, block, size, &l, &match)) {
		no_room(c, line, ret);
		return;
	}
	decision_start(ret, PB_DENY, 0);
	cmd_from_line(line, (uint8_t *)block + match, size - match, &l.world, text, n);
	decide_whole(&l, line, ret);
	/* the line runs in no shell that we can read */
	if (c->b->commands->dialect == LINE_DIALECT_NONE)
		deny(&l, ret);
}

void decide_words(const struct decide_ctx *c, const char *const *argv, size_t argc,
		  void *block, size_t size, struct cmd_line *ret_parts,
		  struct decision *ret)
{
	struct cmd_line own, *line = ret_parts ? ret_parts : &own;
	struct line_ctx l;
	size_t match, n = 0, i;

	for (i = 0; i < argc; i++)
		n += strlen(argv[i]) + 1;
	if (!split_block(c, n, block, size, &l, &match)) {
		no_room(c, line, ret);
		return;
	}
	decision_start(ret, PB_DENY, 0);
	cmd_from_argv(line, (uint8_t *)block + match, size - match, &l.world, argv, argc);
	decide_whole(&l, line, ret);
}
