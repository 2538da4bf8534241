/*
 * Random policies, as the IR has them, and random requests that are likely to
 * meet them: small alphabets, few names, every feature of rules that text
 * decides.  The IR that comes out passes ir_verify().
 */
#ifndef TESTS_PROP_RANDOM_IR_H
#define TESTS_PROP_RANDOM_IR_H

#include <stdlib.h>

#include "compiler/ir/ir.h"
#include "compiler/lower/line_facts.h"

struct rnd {
	uint64_t s;
	struct arena *a;
	uint64_t seed;      /* of the case, for what is taken in turn */
	enum ir_kind focus; /* most rules and requests are of this kind: so they meet */
};

static inline uint32_t rnd_below(struct rnd *r, uint32_t n)
{
	r->s ^= r->s << 13;
	r->s ^= r->s >> 7;
	r->s ^= r->s << 17;
	return (uint32_t)((r->s >> 20) % n);
}

static inline bool rnd_one_in(struct rnd *r, uint32_t n)
{
	return rnd_below(r, n) == 0;
}

#define RND_PICK(r, table) ((table)[rnd_below((r), (uint32_t)POL_LEN(table))])

/* --- globs ------------------------------------------------------------------ */

struct rnd_glob {
	VEC(struct ir_glob_item) v;
};

static inline void rnd_add(struct rnd *r, struct rnd_glob *g, enum ir_glob_op op,
			   char c)
{
	struct ir_glob_item it = { .op = op, .byte = (uint8_t)c };

	VEC_PUSH(r->a, &g->v, it);
}

static inline void rnd_text(struct rnd *r, struct rnd_glob *g, const char *z)
{
	for (; *z; z++)
		rnd_add(r, g, IR_G_BYTE, *z);
}

static inline struct ir_glob rnd_done(const struct rnd_glob *g)
{
	return (struct ir_glob){ .v = g->v.v, .n = g->v.n };
}

static inline struct ir_glob rnd_glob_of(struct rnd *r, const char *z)
{
	struct rnd_glob g = { { NULL, 0, 0 } };

	rnd_text(r, &g, z);
	return rnd_done(&g);
}

/* Bytes, wildcards and alternatives; `set` is what the bytes come from. */
static inline struct ir_glob rnd_glob(struct rnd *r, const char *const *pieces,
				      uint32_t n, int depth)
{
	struct rnd_glob g = { { NULL, 0, 0 } };
	uint32_t i, len = 1 + rnd_below(r, 3);

	for (i = 0; i < len; i++) {
		struct ir_glob_item it = { .op = IR_G_ALT };
		uint32_t k = rnd_below(r, 8);

		if (k == 0) {
			rnd_add(r, &g, IR_G_STAR, 0);
		} else if (k == 1) {
			rnd_add(r, &g, IR_G_ONE, 0);
		} else if (k == 2 && depth < 2) {
			it.nalts = 1 + rnd_below(r, 3);
			it.alts = arena_array(r->a, it.nalts, sizeof(*it.alts));
			for (k = 0; k < it.nalts; k++)
				it.alts[k] = rnd_glob(r, pieces, n, depth + 1);
			VEC_PUSH(r->a, &g.v, it);
		} else {
			rnd_text(r, &g, pieces[rnd_below(r, n)]);
		}
	}
	return rnd_done(&g);
}

/* --- commands ----------------------------------------------------------------- */

static const char *const rnd_programs[] = {
	"git", "a", "b", "./a", "x/a", "/bin/a", "/usr/bin/git", "../a", "a:b", "a:",
	"git:x/y", "", "x//a", "./x/./a", "/", "a/", "/p/a", "/p/x/a", "a!", "/opt/a",
	"./a:b", "/usr/local/bin/b", "/bin/x/a", "./", "x/.."
};
static const char *const rnd_args[] = {
	"push", "a", "b", "a:b", "a:", "", "-f", "a b", "a:!", "x/y", "ab", "a:b/c", "!"
};
static const char *const rnd_word_pieces[] = {"a", "b", ":", "git", "x", "-f", "push"};
static const char *const rnd_program_pieces[] = {
	"a", "b", "/", "./", "x/", "git", "/bin/", ":", "."
};
static const char *const rnd_cwds[] = { "/p", "/p/x", "/", "/h", "/h/p/x" };

static inline struct ir_glob rnd_program(struct rnd *r)
{
	if (rnd_one_in(r, 2))
		return rnd_glob_of(r, RND_PICK(r, rnd_programs));
	return rnd_glob(r, rnd_program_pieces, POL_LEN(rnd_program_pieces), 0);
}

static inline struct ir_command rnd_command(struct rnd *r, bool broad)
{
	struct ir_command c = { .text = STR("command") };
	struct rnd_glob star = { { NULL, 0, 0 } };
	size_t i;

	c.nwords = 1 + (rnd_one_in(r, 3) ? 0 : rnd_below(r, 3));
	c.words = arena_array(r->a, c.nwords, sizeof(*c.words));
	for (i = 0; i < c.nwords; i++) {
		if (rnd_one_in(r, 7))
			c.words[i].any_words = true;
		else if (i == 0)
			c.words[i].glob = rnd_program(r);
		else if (rnd_one_in(r, 2))
			c.words[i].glob = rnd_glob_of(r, RND_PICK(r, rnd_args));
		else
			c.words[i].glob = rnd_glob(r, rnd_word_pieces,
						   POL_LEN(rnd_word_pieces), 0);
	}
	if (rnd_one_in(r, 3)) {
		c.tail = true;
	} else if (broad && rnd_one_in(r, 4)) {
		rnd_add(r, &star, IR_G_STAR, 0);
		c.words[c.nwords - 1] = (struct ir_word){ .glob = rnd_done(&star) };
		c.more = true;
	}
	return c;
}

/* --- paths ---------------------------------------------------------------------- */

static const char *const rnd_names[] = { "a", "b", ".e", "p", "h", "x" };

/* GIT_COMMON_DIR shares SESSION_DIR's draw, so that the seeds of before it came mean what they did. */
static inline enum ir_root rnd_file_root(struct rnd *r)
{
	const enum ir_root root = (enum ir_root)rnd_below(r, IR_ROOT_AGENT);

	return root == IR_ROOT_SESSION && r->s >> 63 ? IR_ROOT_GIT : root;
}

static inline struct ir_path rnd_path(struct rnd *r, bool broad)
{
	struct rnd_glob g = { { NULL, 0, 0 } };
	struct ir_path p = { .text = STR("path"),
			     .below = broad || rnd_one_in(r, 2) };
	uint32_t i, n = rnd_one_in(r, 3) ? 0 : rnd_below(r, 4);

	p.root = rnd_file_root(r);
	for (i = 0; i < n; i++) {
		rnd_add(r, &g, IR_G_BYTE, '/');
		if (rnd_one_in(r, 5))
			rnd_add(r, &g, IR_G_DIRS, 0);
		if (rnd_one_in(r, 2)) {
			rnd_text(r, &g, RND_PICK(r, rnd_names));
		} else {
			struct ir_glob name = rnd_glob(r, rnd_names,
						       POL_LEN(rnd_names), 0);
			size_t k;

			for (k = 0; k < name.n; k++)
				VEC_PUSH(r->a, &g.v, name.v[k]);
		}
		if (rnd_one_in(r, 8))
			rnd_add(r, &g, IR_G_DEEP, 0);
	}
	p.glob = rnd_done(&g);
	return p;
}

static inline struct str rnd_absolute(struct rnd *r)
{
	struct str s = STR("");
	uint32_t i, n = rnd_below(r, 5);

	for (i = 0; i < n; i++)
		s = str_cat(r->a, str_cat(r->a, s, STR("/")),
			    str_from(RND_PICK(r, rnd_names)));
	return s.n ? s : STR("/");
}

/* --- rules -------------------------------------------------------------- */

static const char *const rnd_tools[] = { "a", "ab", "b", "", "a!", "x:y" };

static inline struct ir_set rnd_set(struct rnd *r, enum ir_kind kind, bool broad,
				    unsigned ops)
{
	struct ir_set s;

	memset(&s, 0, sizeof(s));
	switch (kind) {
	case IR_COMMAND:
		s.u.command = rnd_command(r, broad);
		break;
	case IR_FILE:
		s.u.file.path = rnd_path(r, broad);
		s.u.file.ops = ops;
		break;
	case IR_UNIX:
		s.u.unix_path = rnd_path(r, broad);
		if (rnd_one_in(r, 2)) {
			s.u.unix_path.abstract = true;
			s.u.unix_path.below = false;
			s.u.unix_path.root = IR_ROOT_FS;
			s.u.unix_path.glob = rnd_glob(r, rnd_names,
						      POL_LEN(rnd_names), 0);
		}
		break;
	case IR_TOOL:
		s.u.tool.glob =
			rnd_glob(r, rnd_word_pieces, POL_LEN(rnd_word_pieces), 0);
		s.u.tool.text = STR("tool");
		break;
	case IR_NET:
		s.u.net = (struct ir_net){ .protos = IR_ANY_PROTO, .port_hi = 65535 };
		break;
	case IR_SYSCALL:
	case IR_KIND_COUNT:
		break;
	}
	return s;
}

static inline void rnd_except(struct rnd *r, struct ir_rule *rule)
{
	unsigned ops = rule->kind == IR_FILE ? rule->set.u.file.ops : 0;
	size_t i;

	if (!rnd_one_in(r, 3))
		return;
	rule->nexcept = 1 + rnd_below(r, 2);
	rule->except = arena_array(r->a, rule->nexcept, sizeof(*rule->except));
	for (i = 0; i < rule->nexcept; i++) {
		if (rule->effect == IR_HIDE && rnd_one_in(r, 3))
			ops = 1 + rnd_below(r, 7);
		rule->except[i] = rnd_set(r, rule->kind, rule->effect == IR_ALLOW, ops);
	}
}

static inline struct ir_rule *rnd_rule(struct rnd *r, enum ir_kind kind,
				       enum ir_level level, bool floor)
{
	struct ir_rule *rule = ARENA_NEW(r->a, struct ir_rule);
	static const enum ir_effect effects[] = { IR_ALLOW, IR_ALLOW, IR_ALLOW,
						  IR_ASK, IR_DENY };
	unsigned ops;

	rule->kind = kind;
	rule->level = level;
	rule->effect = floor ? IR_DENY : RND_PICK(r, effects);
	if (rule->effect == IR_DENY && kind == IR_FILE && rnd_one_in(r, 2))
		rule->effect = IR_HIDE;
	ops = rule->effect == IR_HIDE ? IR_ALL_OPS : 1u << rnd_below(r, 3);
	rule->floor = floor;
	rule->final = level <= IR_MANAGED_FILE && rule->effect != IR_ASK &&
		      rnd_one_in(r, 4);
	rule->soft = rule->effect == IR_ASK && level != IR_MANAGED && rnd_one_in(r, 2);
	rule->full = rule->effect == IR_ALLOW || rnd_one_in(r, 2);
	rule->scopes = rnd_one_in(r, 4) ? 1 + rnd_below(r, 2) : IR_ALL_SCOPES;
	if (kind == IR_FILE && rule->effect == IR_ALLOW && rnd_one_in(r, 3)) {
		rule->scratch = true;
		rule->scopes = IR_SANDBOX;
	}
	rule->id = str_printf(r->a, "%s-%u", ir_kind_name(kind), rnd_below(r, 1000));
	rule->text = STR("rule");
	rule->at = (struct ir_place){ .file = STR("a.pol"), .line = 1, .col = 1,
				      .span = SPAN_NONE };
	rule->set = rnd_set(r, kind, rule->effect != IR_ALLOW, ops);
	rnd_except(r, rule);
	return rule;
}

static inline void rnd_scalars(struct rnd *r, struct ir *ir)
{
	static const enum ir_scalar_id ids[] = {
		IR_S_COMMAND_OTHERWISE, IR_S_TOOL_OTHERWISE, IR_S_SANDBOX_OTHERWISE,
		IR_S_FILE_READ,         IR_S_FILE_WRITE,     IR_S_FILE_EXEC,
		IR_S_UNIX_OTHERWISE,    IR_S_COMMAND_OPAQUE, IR_S_SANDBOX_OPAQUE};
	size_t i, k;

	for (i = 0; i < POL_LEN(ids); i++) {
		struct ir_scalar *s = &ir->scalars[ids[i]];
		uint32_t e = 0;

		s->effect = (enum ir_effect)rnd_below(r, 3);
		if (ir_is_of_sandbox(ids[i]) && rnd_one_in(r, 3)) {
			s->set = true;
			s->source = STR("otherwise");
			s->at = (struct ir_place){ .file = STR("a.pol"), .line = 1, .col = 1, .span = SPAN_NONE };
		}
		if (i >= 3 || !rnd_one_in(r, 2))
			continue;
		s->by_risk = true;
		for (k = 0; k < IR_RISK_COUNT; k++) {
			e += rnd_below(r, 2);
			e = e > IR_DENY ? IR_DENY : e;
			s->effects[k] = (enum ir_effect)e;
		}
	}
}

static inline enum ir_kind rnd_kind(struct rnd *r)
{
	static const enum ir_kind kinds[] = { IR_COMMAND, IR_FILE, IR_UNIX, IR_TOOL,
					      IR_NET };

	return rnd_one_in(r, 3) ? RND_PICK(r, kinds) : r->focus;
}

static inline struct ir *rnd_ir(struct rnd *r)
{
	static const enum ir_kind kinds[] = { IR_COMMAND, IR_COMMAND, IR_FILE, IR_FILE,
					      IR_UNIX, IR_TOOL };
	struct ir *ir = ir_new(r->a);
	uint32_t i, n;
	int level;

	r->focus = RND_PICK(r, kinds);
	for (level = IR_MANAGED; level <= IR_DEFAULT + 1; level++) {
		bool floor = level > IR_DEFAULT;

		n = floor ? 1 + rnd_below(r, 3) : rnd_below(r, 6);
		for (i = 0; i < n; i++) {
			struct ir_rule *rule = rnd_rule(
				r, rnd_kind(r),
				floor ? IR_DEFAULT : (enum ir_level)level, floor);

			rule->index = (uint32_t)ir->rules.n;
			VEC_PUSH(r->a, &ir->rules, rule);
		}
	}
	for (i = 0; i < IR_KIND_COUNT; i++) {
		if (!rnd_one_in(r, 4))
			continue;
		ir->locked[i].level = rnd_one_in(r, 2) ? IR_MANAGED : IR_MANAGED_FILE;
		ir->locked[i].at = (struct ir_place){ .file = STR("m.pol"), .line = 1,
						      .col = 1, .span = SPAN_NONE };
	}
	n = rnd_below(r, 5);
	for (i = 0; i < n; i++) {
		struct ir_risk_fact f = { .risk = (enum ir_risk)rnd_below(r, 4),
					  .level = IR_DEFAULT, .id = STR("risk") };
		bool broad = f.risk != IR_RISK_LOW;

		f.at = (struct ir_place){ .file = STR("r.pol"), .line = 1, .col = 1,
					  .span = SPAN_NONE };
		f.set = rnd_set(r, IR_COMMAND, broad, 0);
		if (rnd_one_in(r, 3)) {
			f.nexcept = 1;
			f.except = arena_array(r->a, 1, sizeof(*f.except));
			f.except[0] = rnd_set(r, IR_COMMAND, !broad, 0);
		}
		VEC_PUSH(r->a, &ir->risks, f);
	}
	rnd_scalars(r, ir);
	ir->line_facts = lower_line_facts(ir, r->a, NULL);
	return ir;
}

/* --- requests
 * ------------------------------------------------------------------------- */

static inline struct ir_roots rnd_roots(struct rnd *r)
{
	struct ir_roots roots = { .dir = { [IR_ROOT_FS] = STR("/") } };

	roots.dir[IR_ROOT_HOME] = STR("/h");
	roots.dir[IR_ROOT_PROJECT] = rnd_one_in(r, 2) ? STR("/p") : STR("/h/p");
	if (!rnd_one_in(r, 4))
		roots.dir[IR_ROOT_TMP] = rnd_one_in(r, 2) ? STR("/x") : STR("/h/p");
	roots.dir[IR_ROOT_GIT] = roots.dir[IR_ROOT_TMP].p ? STR("/h/x") : STR("/a");
	return roots;
}

static inline struct ir_request rnd_request(struct rnd *r)
{
	struct ir_request q = { .kind = rnd_kind(r) };
	size_t i;

	q.scope = rnd_one_in(r, 3) ? IR_HOST : IR_SANDBOX;
	q.roots = rnd_roots(r);
	q.cwd = str_from(RND_PICK(r, rnd_cwds));
	q.unparsed = rnd_one_in(r, 12);
	q.nargv = 1 + rnd_below(r, 4);
	q.argv = arena_array(r->a, q.nargv, sizeof(*q.argv));
	q.argv[0] = str_from(RND_PICK(r, rnd_programs));
	for (i = 1; i < q.nargv; i++)
		q.argv[i] = str_from(RND_PICK(r, rnd_args));
	q.op = (enum ir_op)(1u << rnd_below(r, 3));
	q.abstract = q.kind == IR_UNIX && rnd_one_in(r, 2);
	q.path = q.abstract ? str_from(RND_PICK(r, rnd_names)) : rnd_absolute(r);
	q.tool = str_from(RND_PICK(r, rnd_tools));
	q.proto = rnd_one_in(r, 2) ? IR_TCP : IR_UDP;
	q.is_addr = true;
	q.port = 80;
	if (rnd_one_in(r, 2)) {
		q.addr[15] = 1;
	} else {
		q.addr[10] = q.addr[11] = 0xff;
		q.addr[12] = rnd_one_in(r, 2) ? 127 : 10;
	}
	return q;
}

#endif
