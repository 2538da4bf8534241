/*
 * Rules written by hand for the tests of sets, matcher and decisions: small
 * readers of patterns, and the tables that the real back ends make of them.
 */
#ifndef TESTS_UNIT_HAND_H
#define TESTS_UNIT_HAND_H

#include <stdlib.h>

#include "compiler/analysis/lift.h"
#include "compiler/backend/commands/commands.h"
#include "compiler/backend/matcher/matcher.h"
#include "compiler/backend/rules/rules.h"
#include "compiler/lower/line_facts.h"
#include "runtime/decide/decide.h"
#include "tests/unit/fixture.h"

struct hand {
	struct arena a;
	struct ir *ir;
	struct diag_sink sink;
	struct bk_output out;
	struct bundle b;
	struct decide_ctx c;
};

static inline void hand_init(struct hand *h)
{
	memset(h, 0, sizeof(*h));
	arena_init(&h->a, ARENA_DEFAULT_BUDGET);
	diag_init(&h->sink, &h->a);
	h->out.a = &h->a;
	h->ir = ir_new(&h->a);
	h->ir->name = STR("by-hand");
}

static inline void hand_release(struct hand *h)
{
	arena_release(&h->a);
}

/*
 * '*' '?' {a|b} and a backslash; "**" + slash is DIRS, "**" elsewhere DEEP.
 * Reads up to one of the bytes in `until`.
 */
static inline struct ir_glob hand_glob(struct hand *h, const char **z, const char *until)
{
	VEC(struct ir_glob_item) v = { NULL, 0, 0 };

	while (**z && !strchr(until, **z)) {
		struct ir_glob_item it = { .op = IR_G_BYTE };

		if (**z == '*' && (*z)[1] == '*') {
			it.op = (*z)[2] == '/' ? IR_G_DIRS : IR_G_DEEP;
			*z += it.op == IR_G_DIRS ? 3 : 2;
		} else if (**z == '*' || **z == '?') {
			it.op = *(*z)++ == '*' ? IR_G_STAR : IR_G_ONE;
		} else if (**z == '{') {
			it.op = IR_G_ALT;
			it.alts = arena_array(&h->a, 8, sizeof(*it.alts));
			do {
				(*z)++;
				it.alts[it.nalts++] = hand_glob(h, z, "|}");
			} while (**z == '|');
			(*z)++;
		} else {
			*z += **z == '\\';
			it.byte = (uint8_t)*(*z)++;
		}
		VEC_PUSH(&h->a, &v, it);
	}
	return (struct ir_glob){ v.v, v.n };
}

static inline struct ir_command hand_command(struct hand *h, const char *z, bool broad)
{
	VEC(struct ir_word) v = { NULL, 0, 0 };
	struct ir_command c = { .text = str_from(z) };
	char *own = arena_printf(&h->a, "%s", z);
	size_t n = strlen(own);
	const char *p = own;

	if (n > 2 && strcmp(own + n - 2, ":*") == 0) {
		c.tail = true;
		own[n - 2] = '\0';
	}
	c.more = broad && !c.tail && n > 1 && strcmp(own + n - 2, " *") == 0;
	while (*p) {
		struct ir_word w = { .any_words = strncmp(p, "**", 2) == 0 &&
						  (p[2] == ' ' || !p[2]) };

		if (w.any_words)
			p += 2;
		else
			w.glob = hand_glob(h, &p, " ");
		VEC_PUSH(&h->a, &v, w);
		p += *p == ' ';
	}
	c.words = v.v;
	c.nwords = v.n;
	return c;
}

/* "/…" is under "/", "H/…" under HOME, "P/…" the project, "T/…" TMPDIR. */
static inline struct ir_path hand_path(struct hand *h, const char *z, bool below)
{
	struct ir_path p = { .below = below, .text = str_from(z) };

	if (*z == '@') {
		p.abstract = true;
		p.below = false;
		z++;
	} else if (*z != '/') {
		p.root = *z == 'H' ? IR_ROOT_HOME :
			 *z == 'P' ? IR_ROOT_PROJECT : IR_ROOT_TMP;
		z++;
	}
	if (strcmp(z, "/") != 0)
		p.glob = hand_glob(h, &z, "");
	return p;
}

static inline bool hand_is_wild(const char *z)
{
	const char *last = strrchr(z, '/');

	return strpbrk(last ? last : z, "*?") != NULL;
}

static inline struct ir_set hand_set(struct hand *h, enum ir_kind kind, bool broad,
				     const char *z, unsigned ops)
{
	struct ir_set s;

	memset(&s, 0, sizeof(s));
	if (kind == IR_COMMAND) {
		s.u.command = hand_command(h, z, broad);
	} else if (kind == IR_FILE) {
		s.u.file.path = hand_path(h, z, broad || !hand_is_wild(z));
		s.u.file.ops = ops;
	} else if (kind == IR_UNIX) {
		s.u.unix_path = hand_path(h, z, broad || !hand_is_wild(z));
	} else {
		s.u.tool.text = str_from(z);
		s.u.tool.glob = hand_glob(h, &z, "");
	}
	return s;
}

/* Rules must come by level, the floor last.  Operations: the last bit asked. */
static inline struct ir_rule *hand_rule(struct hand *h, enum ir_kind kind,
					enum ir_level level, enum ir_effect effect,
					const char *z)
{
	struct ir_rule *r = ARENA_NEW(&h->a, struct ir_rule);

	r->index = (uint32_t)h->ir->rules.n;
	r->id = str_printf(&h->a, "r%u", r->index);
	r->text = str_from(z);
	r->at = (struct ir_place){ .file = STR("hand.pol"), .line = r->index + 1,
				   .col = 1, .span = SPAN_NONE };
	r->kind = kind;
	r->level = level;
	r->effect = effect;
	r->scopes = IR_ALL_SCOPES;
	r->full = true;
	r->set = hand_set(h, kind, effect != IR_ALLOW, z,
			  effect == IR_HIDE ? IR_ALL_OPS : IR_READ);
	VEC_PUSH(&h->a, &h->ir->rules, r);
	return r;
}

static inline void hand_except(struct hand *h, struct ir_rule *r, const char *z)
{
	struct ir_set *v = arena_array(&h->a, r->nexcept + 1, sizeof(*v));

	if (r->nexcept)
		memcpy(v, r->except, r->nexcept * sizeof(*v));
	v[r->nexcept++] = hand_set(h, r->kind, r->effect == IR_ALLOW, z,
				   r->kind == IR_FILE ? r->set.u.file.ops : 0);
	r->except = v;
}

/* Lifts, checks, emits, proves; then the tables can be asked. */
static inline void hand_compile(struct hand *h)
{
	static struct pb_mounts no_mounts;
	const char *why;

	pass_lift(h->ir, &h->sink);
	why = ir_verify(h->ir, &h->a);
	if (why)
		fail_msg("%s", why);
	h->ir->line_facts = lower_line_facts(h->ir, &h->a, &h->sink);
	assert_true(bk_rules.emit(h->ir, &h->out, &h->sink));
	assert_true(bk_matcher.emit(h->ir, &h->out, &h->sink));
	assert_true(bk_commands.emit(h->ir, &h->out, &h->sink));
	why = bk_rules.verify(h->ir, &h->out, &h->a);
	why = why ? why : bk_matcher.verify(h->ir, &h->out, &h->a);
	if (why)
		fail_msg("%s", why);
	h->b.rules = (const void *)bk_member(&h->out, PB_RULES)->bytes.p;
	h->b.matcher = (const void *)bk_member(&h->out, PB_MATCHER)->bytes.p;
	h->b.commands = (const void *)bk_member(&h->out, PB_COMMANDS)->bytes.p;
	h->b.mounts = &no_mounts;
	h->c = (struct decide_ctx){ .b = &h->b, .scope = PB_SANDBOX, .cwd = "/p/src" };
	h->c.roots.dir[PB_ROOT_FS] = "/";
	h->c.roots.dir[PB_ROOT_HOME] = "/home/u";
	h->c.roots.dir[PB_ROOT_PROJECT] = "/p";
	h->c.roots.dir[PB_ROOT_TMP] = "/tmp";
}

/* --- the fixture ------------------------------------------------------------ */

/* Below all that takes a `struct hand *h`, which it would shadow. */
static struct hand h;

static inline int hand_setup(void **state)
{
	(void)state;
	hand_init(&h);
	return 0;
}

static inline int hand_teardown(void **state)
{
	(void)state;
	hand_release(&h);
	return 0;
}

#endif
