/*
 * An IR by hand and the bundle that the real back ends and the real writer
 * make of it, for the tests of both sides.  The matcher's member is a small
 * automaton of its own, so that these tests need no other engine.
 */
#ifndef TESTS_UNIT_BUNDLE_MAKE_H
#define TESTS_UNIT_BUNDLE_MAKE_H

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/backend/commands/commands.h"
#include "compiler/backend/landlock/landlock.h"
#include "compiler/backend/limits/limits.h"
#include "compiler/backend/mounts/mounts.h"
#include "compiler/backend/nft/net.h"
#include "compiler/backend/rules/rules.h"
#include "compiler/backend/seccomp/seccomp.h"
#include "compiler/backend/common/util.h"
#include "compiler/bundle/writer.h"
#include "compiler/lower/line_facts.h"
#include "runtime/bundle/reader.h"

struct mk {
	struct arena a;
	struct ir *ir;
	struct diag_sink sink;
	struct bk_output out;
	struct bk_report report;
};

static inline void mk_init(struct mk *m)
{
	memset(m, 0, sizeof(*m));
	arena_init(&m->a, ARENA_DEFAULT_BUDGET);
	diag_init(&m->sink, &m->a);
	m->out.a = &m->a;
	m->report.a = &m->a;
	m->ir = ir_new(&m->a);
	m->ir->name = STR("by-hand");
	m->ir->lifted = true;
}

static inline void mk_release(struct mk *m)
{
	arena_release(&m->a);
}

static inline void mk_item(struct mk *m, struct ir_glob *g, enum ir_glob_op op, char c)
{
	struct ir_glob_item *v = arena_array(&m->a, g->n + 1, sizeof(*v));

	if (g->n)
		memcpy(v, g->v, g->n * sizeof(*v));
	v[g->n++] = (struct ir_glob_item){ .op = op, .byte = (uint8_t)c };
	g->v = v;
}

/* '*', '?', a component '**' in front of others, '**' elsewhere, {a,b}. */
static inline struct ir_glob mk_glob(struct mk *m, const char *z, const char **end)
{
	struct ir_glob g = { NULL, 0 };

	while (*z && !(end && (*z == ',' || *z == '}'))) {
		if (strncmp(z, "**/", 3) == 0) {
			mk_item(m, &g, IR_G_DIRS, 0);
			z += 3;
		} else if (strncmp(z, "**", 2) == 0) {
			mk_item(m, &g, IR_G_DEEP, 0);
			z += 2;
		} else if (*z == '*' || *z == '?') {
			mk_item(m, &g, *z == '*' ? IR_G_STAR : IR_G_ONE, 0);
			z++;
		} else if (*z == '{') {
			struct ir_glob alts[8];
			size_t n = 0;

			do {
				z++;
				alts[n++] = mk_glob(m, z, &z);
			} while (*z == ',');
			z++;
			mk_item(m, &g, IR_G_ALT, 0);
			g.v[g.n - 1].alts = arena_dup(&m->a, alts, n * sizeof(*alts));
			g.v[g.n - 1].nalts = n;
		} else {
			mk_item(m, &g, IR_G_BYTE, *z++);
		}
	}
	if (end)
		*end = z;
	return g;
}

static inline struct ir_rule *mk_rule(struct mk *m, enum ir_kind kind, enum ir_effect e)
{
	struct ir_rule *r = ARENA_NEW(&m->a, struct ir_rule);

	r->index = (uint32_t)m->ir->rules.n;
	r->id = str_printf(&m->a, "rule-%u", r->index);
	r->text = str_printf(&m->a, "statement %u", r->index);
	r->at = (struct ir_place){
		STR("hand.pol"), r->index + 1, 1, { 0, r->index * 10, 5 }
	};
	r->kind = kind;
	r->effect = e;
	r->level = IR_PROJECT;
	r->scopes = IR_ALL_SCOPES;
	r->full = true;
	VEC_PUSH(&m->a, &m->ir->rules, r);
	return r;
}

static inline struct ir_path mk_path(struct mk *m, enum ir_root root, const char *z)
{
	struct ir_path p = { .root = root, .below = true, .text = str_from(z) };

	p.glob = mk_glob(m, z, NULL);
	return p;
}

static inline struct ir_rule *mk_file(struct mk *m, enum ir_effect e, unsigned ops,
				      enum ir_root root, const char *pattern)
{
	struct ir_rule *r = mk_rule(m, IR_FILE, e);

	r->set.u.file.ops = ops;
	r->set.u.file.path = mk_path(m, root, pattern);
	return r;
}

static inline void mk_except(struct mk *m, struct ir_rule *r, const char *pattern)
{
	struct ir_set *s = ARENA_NEW(&m->a, struct ir_set);

	s->u.file.ops = r->set.u.file.ops;
	s->u.file.path = mk_path(m, r->set.u.file.path.root, pattern);
	r->except = s;
	r->nexcept = 1;
}

static inline void mk_scalar(struct mk *m, enum ir_scalar_id id, uint64_t num)
{
	m->ir->scalars[id].set = true;
	m->ir->scalars[id].num = num;
	m->ir->scalars[id].at = (struct ir_place){
		STR("hand.pol"), 90, 1, { 0, 900 + (uint32_t)id, 3 }
	};
}

static inline void mk_source(struct mk *m, enum ir_level level, const char *name,
			     const char *text)
{
	struct ir_level_file f = { level, false, str_from(name), str_from(text) };

	VEC_PUSH(&m->a, &m->ir->files, f);
}

/* Keeps the variable, or sets it where there is a value. */
static inline void mk_env(struct mk *m, const char *name, const char *value)
{
	struct ir_env_keep k = { .name = str_from(name), .level = IR_PROJECT };
	struct ir_env_set s = { .name = str_from(name), .level = IR_PROJECT };

	s.value = str_from(value ? value : "");
	if (value)
		VEC_PUSH(&m->a, &m->ir->env, s);
	else
		VEC_PUSH(&m->a, &m->ir->keep, k);
}

/* Publishes the ports, or denies that. */
static inline void mk_publish(struct mk *m, uint16_t lo, uint16_t hi, bool deny)
{
	struct ir_publish p = { .deny = deny, .lo = lo, .hi = hi, .text = STR("publish"), .level = IR_PROJECT,
				.id = STR("network-1"), .at = { .file = STR("p.pol"), .line = 3, .col = 1 } };

	VEC_PUSH(&m->a, &m->ir->publish, p);
}

/* An automaton that gives every path under "/" the first file rule. */
static inline void mk_matcher(struct mk *m)
{
	struct pb_matcher h = { .head = { PB_MAGIC_MATCHER, PB_FORMAT_VERSION, 0, 0 } };
	uint32_t at = sizeof(h) + sizeof(struct pb_automaton), rule = UINT32_MAX;
	struct pb_automaton a = {
		.kind = PB_FILE, .nstates = 2, .nclasses = 2, .start = 1
	};
	struct pb_state states[3] = { { 0, 0, 0 }, { 0, 1, 0 }, { 1, 0, 0 } };
	static const uint32_t moves[1] = { PB_MOVE(1, 1) };
	uint32_t set_at[3] = { 0, 0, 0 };
	static const struct pb_name names[PB_NAME_FIRST] = { { .narrow = 0 } };
	static const uint32_t slots[2] = { 0, 0 };
	uint8_t cls[256] = { 0 };
	struct buf b;

	for (size_t i = 0; i < m->ir->rules.n && rule == UINT32_MAX; i++) {
		if (m->ir->rules.v[i]->kind == IR_FILE)
			rule = (uint32_t)i;
	}
	set_at[2] = a.ntags = states[1].set = rule != UINT32_MAX;
	cls['/'] = 1;
	h.automata = (struct pb_table){ sizeof(h), 1 };
	h.commands = h.clauses = h.guards = h.guard_options = h.guard_paths = h.words =
		h.regexes = h.needles = h.needle_order = h.grams = (struct pb_table){ sizeof(h), 0 };
	a.cls = at;
	a.states = at + 256;
	a.moves = a.states + sizeof(states);
	a.nmoves = 1;
	a.set_at = a.moves + sizeof(moves);
	a.nsets = 2;
	a.tags = a.set_at + sizeof(set_at);
	buf_init(&b, &m->a);
	buf_add(&b, &h, sizeof(h));
	buf_add(&b, &a, sizeof(a));
	buf_add(&b, cls, sizeof(cls));
	buf_add(&b, states, sizeof(states));
	buf_add(&b, moves, sizeof(moves));
	buf_add(&b, set_at, sizeof(set_at));
	if (a.ntags)
		buf_add(&b, &rule, 4);
	/* no command has a name of its own */
	buf_align(&b, 8);
	h.names = (struct pb_table){ (uint32_t)b.n, PB_NAME_FIRST };
	buf_add(&b, names, sizeof(names));
	h.slots = (struct pb_table){ (uint32_t)b.n, 2 };
	buf_add(&b, slots, sizeof(slots));
	memcpy(b.p, &h, sizeof(h));
	bk_add_member(&m->out, PB_MATCHER, &b);
}

static const struct backend *const mk_backends[] = {
	&bk_rules, &bk_commands, &bk_seccomp, &bk_landlock, &bk_mounts, &bk_limits, &bk_env, &bk_publish, &bk_net
};

static inline bool mk_emit(struct mk *m)
{
	mk_matcher(m);
	m->ir->line_facts = lower_line_facts(m->ir, &m->a, &m->sink);
	for (size_t i = 0; i < POL_LEN(mk_backends); i++) {
		if (!mk_backends[i]->emit(m->ir, &m->out, &m->sink))
			return false;
	}
	return true;
}

#define MK_OPTIONS ((struct bundle_options){ .created = -1, .version = "0.1.0" })

static inline struct str mk_write(struct mk *m, struct bundle_options opt, bool *ret_ok)
{
	struct buf b;

	buf_init(&b, &m->a);
	*ret_ok = bundle_write(m->ir, &m->out, &opt, &b, &m->sink);
	return buf_view(&b);
}

/* One program with one option, one code place and one word each; a variable; a
 * pin. */
static inline void mk_commands(struct mk *m)
{
	static const struct ir_place at = { { "hand.pol", 8 }, 1, 1, { 0, 0, 0 } };
	static struct ir_optspec option = { .name = { "-o", 2 }, .says_takes = true };
	static struct ir_code_place code = { .operand = 1 };
	static struct str after = { "-exec", 5 }, ends = { ";", 1 };
	struct ir_program p = { .name = STR("find"), .kind = LINE_PK_WRAPPER,
				.options = &option, .noptions = 1, .codes = &code,
				.ncodes = 1, .after = &after, .nafter = 1, .ends = &ends,
				.nends = 1, .level = IR_DEFAULT, .at = at };
	struct ir_var v = { .name = STR("PATH"), .taint = true, .level = IR_DEFAULT,
			    .at = at };
	struct ir_pin pin = { .name = STR("git"), .path = STR("/usr/bin/git"),
			      .id = STR("command-pin-git"), .level = IR_DEFAULT,
			      .at = at };

	VEC_PUSH(&m->a, &m->ir->programs, p);
	VEC_PUSH(&m->a, &m->ir->vars, v);
	VEC_PUSH(&m->a, &m->ir->pins, pin);
}

/* A policy with something in every member. */
static inline void mk_sample(struct mk *m)
{
	struct ir_rule *r;

	mk_init(m);
	(void)mk_file(m, IR_ALLOW, IR_READ, IR_ROOT_FS, "/usr");
	(void)mk_file(m, IR_ALLOW, IR_WRITE, IR_ROOT_PROJECT, "");
	r = mk_rule(m, IR_SYSCALL, IR_DENY);
	r->set.u.syscall.nr = 101;
	r->set.u.syscall.name = STR("ptrace");
	r->err = 1;
	(void)mk_file(m, IR_HIDE, IR_ALL_OPS, IR_ROOT_HOME, "/.ssh");
	mk_commands(m);
	mk_scalar(m, IR_S_LIMIT_TIME, 60000);
	mk_scalar(m, IR_S_LIMIT_DISK, 1 << 20);
	mk_env(m, "LC_*", NULL);
	mk_env(m, "CI", "1");
	mk_publish(m, 3000, 3999, false);
	mk_source(m, IR_PROJECT, "hand.pol", "file { allow read \"/usr\" }\n");
	mk_source(m, IR_DEFAULT, "std/base.pol", "# base\n");
}

static inline struct str mk_bundle(struct mk *m, struct bundle_options opt)
{
	struct str s;
	bool ok;

	if (!mk_emit(m))
		abort();
	s = mk_write(m, opt, &ok);
	if (!ok)
		abort();
	return s;
}

static inline uint8_t *mk_malloced(struct str s)
{
	uint8_t *p = malloc(s.n + 1);

	assert(p);
	memcpy(p, s.p, s.n);
	return p;
}

/* How a rule's notes of one layer read; NONE where there is no such note. */
static inline enum bk_exactness mk_exactness(const struct mk *m,
					     const struct ir_rule *r, const char *layer,
					     const char *part)
{
	for (size_t i = 0; i < m->report.notes.n; i++) {
		const struct bk_note *n = &m->report.notes.v[i];

		if (n->rule == r && !n->whole && strcmp(n->layer, layer) == 0 &&
		    (!part || memmem(n->note.p, n->note.n, part, strlen(part))))
			return n->exactness;
	}
	return BK_NONE;
}

#endif
