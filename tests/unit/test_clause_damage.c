/*
 * matcher.bin that is right in all but one thing: clauses, guards, names,
 * expressions, and tables that many automata share.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "compiler/cli/passes.h"
#include "runtime/bundle/check.h"
#include "tests/unit/fixture.h"

static const char policy[] =
	"command {\n"
	"    deny \"rm:*\" with \"-f=x*\", \"--fo*\"  except \"rm -f a\", \"rm b\"\n"
	"    allow \"make:*\" within \"${PROJECT_DIR}\", \"/tmp\"\n"
	"    deny /^(a+) \\1$/, /(b)\\1/i\n"
	"    ask /^w.*x$/\n"
	"    deny \"{a|b}* c\"\n"
	"    inert \"echo:*\"\n"
	"    deny \"cp ** *abcd* **\", \"cp ** *xbcdy* **\", \"cp ** *zbcdy* **\"\n"
	"    deny \"cp ** *bcdy* **\", \"cp ** *q* **\", \"cp ** tt **\"\n"
	"    ask \"cp x ** *abcd* **\"\n"
	"}\n";

/* The member, to be broken, and what it is checked with. */
static struct {
	uint8_t *bytes, *good;
	size_t n;
	const struct pb_rules *rules;
	struct pb_matcher *h;
	struct pb_clause *clauses;
	struct pb_guard *guards;
	struct pb_guard_option *options;
	struct pb_guard_path *paths;
	struct pb_name *names;
	uint32_t *slots;
	struct pb_regex *regexes;
	struct pb_needle *needles;
	uint32_t *order;
	struct pb_gram *grams;
	struct pb_automaton *commands, *words;
} x;

static void *table(struct pb_table t, uint32_t least)
{
	assert_true(t.count >= least);
	return x.bytes + t.off;
}

static void compile(void)
{
	struct compilation *c = ARENA_NEW(&arena, struct compilation);
	struct options *o = ARENA_NEW(&arena, struct options);
	char path[] = "/tmp/pol-clause.XXXXXX";
	struct sema_input in = { .level = 0 };
	int fd = mkstemp(path);
	struct str m;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, policy, strlen(policy)), (ssize_t)strlen(policy));
	assert_int_equal(close(fd), 0);
	*o = (struct options){ .created = -1, .scope = IR_SANDBOX, .verb = CLI_COMPILE };
	in.path = arena_printf(&arena, "%s", path);
	in.name = STR("p.pol");
	VEC_PUSH(&arena, &o->inputs, in);
	compilation_init(c, o, &arena);
	if (passes_run(c, NULL) != CLI_CLEAN) {
		diag_render(stderr, &c->sink, &c->map, false);
		fail();
	}
	unlink(path);
	m = bk_member(&c->out, PB_MATCHER)->bytes;
	x.n = m.n;
	x.good = arena_dup(&arena, m.p, m.n);
	x.bytes = arena_dup(&arena, m.p, m.n);
	x.rules = (const void *)bk_member(&c->out, PB_RULES)->bytes.p;
	x.h = (void *)x.bytes;
	x.clauses = table(x.h->clauses, 8);
	x.guards = table(x.h->guards, 2);
	x.options = table(x.h->guard_options, 2);
	x.paths = table(x.h->guard_paths, 2);
	x.names = table(x.h->names, PB_NAME_FIRST + 2);
	x.slots = table(x.h->slots, 8);
	x.regexes = table(x.h->regexes, 2);
	x.needles = table(x.h->needles, 6);
	x.order = table(x.h->needle_order, 6);
	x.grams = table(x.h->grams, 8);
	x.commands = table(x.h->commands, 4);
	x.words = table(x.h->words, 3);
}

static int check(struct rt_err *err)
{
	return bundle_check_matcher(x.bytes, x.n, x.rules, err);
}

/* After the change it is refused for this reason, and without it is right again. */
#define BREAK(change, why)                                          \
	do {                                                        \
		struct rt_err err = { .err = 0 };                   \
		change;                                             \
		assert_true(memcmp(x.bytes, x.good, x.n) != 0);     \
		if (check(&err) == 0)                               \
			fail_msg("taken: %s", #change);             \
		if (!strstr(err.text, why))                         \
			fail_msg("%s: %s", #change, err.text);      \
		memcpy(x.bytes, x.good, x.n);                       \
		assert_int_equal(check(&err), 0);                   \
	} while (0)

static uint32_t clause(bool except)
{
	uint32_t i;

	for (i = 1; i < x.h->clauses.count; i++)
		if (x.clauses[i].except == except && x.clauses[i - 1].rule != UINT32_MAX)
			return i;
	fail();
	return 0;
}

static void test_clauses(void **state)
{
	uint32_t plain, except;

	(void)state;
	compile();
	plain = clause(false);
	except = clause(true);
	BREAK(x.clauses[plain].except = 2, "unknown flags");
	BREAK(x.clauses[plain].broad = 2, "unknown flags");
	BREAK(x.clauses[plain].regex = 2, "unknown flags");
	BREAK((x.clauses[plain].broad = 0, x.clauses[plain].sure = 1), "unknown flags");
	BREAK(x.clauses[plain].rule = x.rules->rules.count, "no rule of commands");
	BREAK(x.clauses[plain].rule = x.rules->scalar_first, "no rule of commands");
	BREAK(x.clauses[except].rule++, "follows no clause");
	BREAK((x.clauses[0].except = 1), "follows no clause");
	BREAK(x.clauses[plain].nguards = x.h->guards.count + 1, "leaves its table");
	BREAK(x.clauses[plain].guard = UINT32_MAX, "leaves its table");
	BREAK(x.h->clauses.count = 1, "names no clause");
	BREAK(x.h->clauses.count = 0x10000000, "leaves the member");
	BREAK(x.h->clauses.off = (uint32_t)x.n, "leaves the member");
	BREAK(x.h->clauses.off += 4, "leaves the member");
}

static void test_guards(void **state)
{
	uint32_t i, within = 0, with = 0;

	(void)state;
	compile();
	for (i = 0; i < x.h->guards.count; i++)
		*(x.guards[i].kind == PB_G_WITHIN ? &within : &with) = i;
	assert_int_not_equal(within, with);
	BREAK(x.guards[with].kind = 4, "unknown kind");
	BREAK(x.guards[with].zero = 1, "unknown kind");
	BREAK(x.guards[with].count = x.h->guard_options.count + 1, "leaves its table");
	BREAK(x.guards[with].first = UINT32_MAX, "leaves its table");
	BREAK(x.guards[within].first = x.h->guard_paths.count, "leaves its table");
	BREAK(x.options[0].name.len = 0x7fffffff, "leaves the member");
	BREAK(x.options[0].name.off = 4, "holds a NUL");
	BREAK(x.options[0].values = x.h->words.count, "names no automaton");
	BREAK(x.options[1].names = x.h->words.count, "names no automaton");
	BREAK(x.paths[0].root = PB_ROOT_COUNT, "is none");
	BREAK(x.paths[0].words = x.h->words.count, "is none");
	BREAK(x.paths[0].words = PB_NO_WORDS, "is none");
	BREAK(x.h->guards.count = 0x10000000, "leaves the member");
	BREAK(x.h->guard_options.count = 0x10000000, "leaves the member");
	BREAK(x.h->guard_paths.count = 0x10000000, "leaves the member");
}

static void test_names(void **state)
{
	uint32_t i;

	(void)state;
	compile();
	BREAK(x.h->names.count = 1, "first names are missing");
	BREAK(x.names[2].name.len = 0x7fffffff, "leaves the member");
	BREAK(x.names[2].nnarrow = x.h->commands.count + 1, "leave the table");
	BREAK(x.names[2].narrow = UINT32_MAX, "leave the table");
	BREAK(x.names[2].nbroad = x.h->commands.count + 1, "leave the table");
	BREAK(x.names[0].broad = UINT32_MAX, "leave the table");
	BREAK(x.h->slots.count = 0, "no power of two");
	BREAK(x.h->slots.count = 3, "no power of two");
	BREAK(x.slots[0] = x.h->names.count, "names nothing");
	BREAK(x.slots[0] = PB_NAME_REGEX, "names nothing");
	BREAK(for (i = 0; i < x.h->slots.count; i++) x.slots[i] = 2, "no slot is free");
	BREAK(x.h->slots.off += 4, "leaves the member");
}

static void test_automata_of_commands(void **state)
{
	(void)state;
	compile();
	BREAK(x.commands[0].kind = PB_FILE, "has flags");
	BREAK(x.commands[0].root = 1, "has flags");
	BREAK(x.words[0].except = 1, "has flags");
	BREAK(x.commands[0].nstates = 0, "impossible dimensions");
	BREAK(x.words[0].nclasses = 257, "impossible dimensions");
	BREAK(x.h->max_states++, "largest automaton");
	BREAK(x.h->max_states = 0, "largest automaton");
	BREAK(x.h->commands.count = 0x10000000, "leaves the member");
	BREAK(x.h->words.count = 0x10000000, "leaves the member");
}

static void test_expressions(void **state)
{
	(void)state;
	compile();
	BREAK(x.regexes[0].clause = x.h->clauses.count, "has no clause");
	BREAK(x.regexes[0].flags = 4, "has no clause");
	BREAK(x.regexes[1].clause = x.regexes[0].clause, "not sorted");
	BREAK(x.regexes[0].text.len = 0x7fffffff, "leaves the member");
	BREAK(x.regexes[0].text.off = 0, "holds a NUL");
	BREAK(x.h->regexes.count = 0x10000000, "leaves the member");
}

/* A slot with needles; of several of them where `several`. */
static uint32_t slot(bool several)
{
	uint32_t i = 0;

	while (i < x.h->grams.count && x.grams[i].count < (several ? 2u : 1u))
		i++;
	assert_true(i < x.h->grams.count);
	return i;
}

static void test_needles(void **state)
{
	uint32_t i, one, two, many = 0;

	(void)state;
	compile();
	assert_int_equal(x.h->needles.count, 7);
	one = slot(false);
	two = x.grams[slot(true)].first;
	for (i = 0; i < x.h->grams.count; i++)
		many += x.grams[i].bytes != 0;
	assert_int_equal(many, 6);
	BREAK(x.needles[0].automaton++, "has no needle");
	BREAK(x.h->needles.count--, "has no needle");
	BREAK(x.names[2].broad_rare = UINT32_MAX, "leave the table");
	BREAK(x.names[2].narrow_rare = x.names[2].nnarrow + 1, "leave the table");
	BREAK(for (i = 0; i < x.h->names.count; i++) x.names[i].broad_rare = 0,
	      "belongs to no automaton");
	BREAK(x.needles[5].flags = 4, "unknown flags");
	BREAK(x.needles[0].text.len = 0x7fffffff, "leaves the member");
	BREAK(x.needles[0].text.len = 0, "is none");
	BREAK(x.needles[0].gram++, "is none");
	BREAK(x.h->needle_order.count--, "their order differ");
	BREAK(x.h->gram_sizes |= 1u << PB_GRAM, "their order differ");
	BREAK(x.h->gram_sizes = 0, "not found by its bytes");
	BREAK(x.grams[one].bytes ^= 0x100, "slot");
	BREAK(x.grams[one].count = 0, "leaves their table");
	BREAK(x.grams[one].first = x.h->needles.count, "leaves their table");
	BREAK(x.order[x.grams[one].first] = x.h->needles.count, "not sorted");
	BREAK(x.order[two] = x.order[two + 1], "not sorted");
	BREAK(x.order[0] = x.order[two == 0 ? 2 : two], "not");
	BREAK(x.grams[one] = (struct pb_gram){ .bytes = 0 }, "slot");
	BREAK(for (i = 0; i < x.h->grams.count; i++) x.grams[i].bytes += !x.grams[i].bytes,
	      "no slot of needles is free");
	BREAK(x.h->grams.count = 3, "no power of two");
	BREAK(x.h->grams.count = 0, "no power of two");
}

/* Whatever four bytes are changed: refused, or a member that can be walked. */
static void test_any_change_ends(void **state)
{
	static const uint32_t values[] = { 0, 1, 0xff, 0x7fffffff, UINT32_MAX };
	unsigned refused = 0, taken = 0;
	size_t at, i;

	(void)state;
	compile();
	for (at = 0; at + 4 <= x.n; at += 4) {
		for (i = 0; i < POL_LEN(values); i++) {
			struct rt_err err = { .err = 0 };

			memcpy(x.bytes + at, &values[i], 4);
			if (check(&err) < 0)
				refused++;
			else
				taken++;
		}
		memcpy(x.bytes + at, x.good + at, 4);
	}
	assert_true(refused > 1000 && taken > 1000);
}

/* Automata that share a large table are refused before they take long. */
static void test_shared_tables_are_bounded(void **state)
{
	const uint32_t states = 40000, many = 1000;
	struct pb_matcher h = { .head = { PB_MAGIC_MATCHER, PB_FORMAT_VERSION, 0, 0 } };
	struct pb_automaton a = { .kind = PB_TOOL, .nstates = states, .nclasses = 1,
				  .start = 1, .nsets = 1 };
	static const struct pb_name names[PB_NAME_FIRST] = { { .narrow = 0 } };
	struct rt_err err = { .err = 0 };
	struct buf b;
	uint32_t i;

	(void)state;
	compile();
	buf_init(&b, &arena);
	buf_add(&b, &h, sizeof(h));
	h.automata = (struct pb_table){ (uint32_t)b.n, many };
	a.cls = (uint32_t)(b.n + many * sizeof(a));
	a.states = a.cls + 256;
	a.moves = a.set_at = a.states + (states + 1) * (uint32_t)sizeof(struct pb_state);
	a.tags = a.set_at + 8;
	for (i = 0; i < many; i++)
		buf_add(&b, &a, sizeof(a));
	while (b.n < a.tags + 8)
		buf_u32(&b, 0);
	buf_align(&b, 8);
	h.names = (struct pb_table){ (uint32_t)b.n, PB_NAME_FIRST };
	buf_add(&b, names, sizeof(names));
	h.slots = (struct pb_table){ (uint32_t)b.n, 2 };
	buf_u64(&b, 0);
	h.commands = h.clauses = h.guards = h.guard_options = h.guard_paths = h.words =
		h.regexes = h.needles = h.needle_order = h.grams = (struct pb_table){ sizeof(h), 0 };
	h.head.size = (uint32_t)b.n;
	h.automata.count = 100;
	memcpy(b.p, &h, sizeof(h));
	assert_int_equal(bundle_check_matcher(b.p, b.n, x.rules, &err), 0);
	h.automata.count = many;
	memcpy(b.p, &h, sizeof(h));
	assert_true(bundle_check_matcher(b.p, b.n, x.rules, &err) < 0);
	assert_non_null(strstr(err.text, "too large together"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH(arena, test_clauses),
		WITH(arena, test_guards),
		WITH(arena, test_names),
		WITH(arena, test_automata_of_commands),
		WITH(arena, test_expressions),
		WITH(arena, test_needles),
		WITH(arena, test_any_change_ends),
		WITH(arena, test_shared_tables_are_bounded),
	};

	return cmocka_run_group_tests_name("clause damage", tests, NULL, NULL);
}
