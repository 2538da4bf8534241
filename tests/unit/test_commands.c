/*
 * commands.bin: what levels say of one program is put together by rank, names
 * that are one option are one, and no changed byte is taken for the policy's.
 */
#include "tests/unit/sema_fixture.h"

#include "compiler/record/automaton.h"
#include "compiler/backend/commands/commands.h"
#include "compiler/backend/common/util.h"
#include "runtime/bundle/check.h"

static struct fx f;
static struct bk_output out;

static int setup(void **state)
{
	(void)state;
	fx_init(&f);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	fx_release(&f);
	return 0;
}

static const struct line_facts *compiled(void)
{
	const struct bk_member *m;
	struct rt_err err = { .err = 0 };

	if (!fx_run(&f)) {
		fx_show(&f);
		fail_msg("the policy does not lower");
	}
	out = (struct bk_output){ .a = &f.a };
	assert_true(bk_commands.emit(f.ir, &out, &f.sink));
	m = bk_member(&out, PB_COMMANDS);
	assert_non_null(m);
	if (bundle_check_commands(m->bytes.p, m->bytes.n, &err) < 0)
		fail_msg("%s", err.text);
	assert_null(bk_commands.verify(f.ir, &out, &f.a));
	return (const void *)m->bytes.p;
}

static const void *record(const struct line_facts *h, struct pb_table t, size_t size,
			  uint32_t i)
{
	assert_true(i < t.count);
	return (const char *)h + t.off + i * size;
}

static bool is(const struct line_facts *h, struct pb_str s, const char *z)
{
	return s.len == strlen(z) && !memcmp((const char *)h + s.off, z, s.len);
}

static const struct line_program *program(const struct line_facts *h, const char *name)
{
	for (uint32_t i = 0; i < h->programs.count; i++) {
		const struct line_program *p = record(h, h->programs, sizeof(*p), i);

		if (is(h, p->name, name))
			return p;
	}
	fail_msg("no program %s", name);
	return NULL;
}

static const struct line_option *option(const struct line_facts *h,
				      const struct line_program *p, const char *name)
{
	for (uint32_t i = 0; i < p->options.count; i++) {
		const struct line_option *o = record(h, p->options, sizeof(*o), i);

		if (is(h, o->name, name))
			return o;
	}
	fail_msg("no option %s", name);
	return NULL;
}

static void test_the_highest_rank_says_what_an_option_takes(void **state)
{
	const struct line_facts *h;
	const struct line_program *p;

	(void)state;
	fx_add(&f, "user.pol", "command { wrapper p { options -a: -b: -c: skip 1 } }",
	       IR_USER, false);
	fx_add(&f, "managed.pol",
	       "command { wrapper p { options -a  skip 2  transparent }\n"
	       "  wrapper p { options -a::  code -b -d } }",
	       IR_MANAGED, false);
	h = compiled();
	p = program(h, "p");
	assert_int_equal(h->programs.count, 1);
	/* two statements of one level disagree: each may be right */
	assert_int_equal(option(h, p, "-a")->takes, LINE_TAKES_EITHER);
	assert_int_equal(option(h, p, "-b")->takes, LINE_TAKES_VALUE);
	assert_int_equal(option(h, p, "-b")->flags, LINE_OF_CODE);
	assert_int_equal(option(h, p, "-c")->takes, LINE_TAKES_VALUE);
	/* code of which nobody says what it takes has the code as its value */
	assert_int_equal(option(h, p, "-d")->takes, LINE_TAKES_VALUE);
	assert_int_equal(p->skip, 2);
	assert_int_equal(p->flags, LINE_PF_TRANSPARENT);
}

static void test_everything_else_adds_up(void **state)
{
	const struct line_facts *h;
	const struct line_program *p;
	const struct line_code *c;
	const struct line_var *v;

	(void)state;
	fx_add(&f, "p.pol",
	       "command { program p { global -g: code operand 2 posix query -q }\n"
	       "  safe PATH, LANG }",
	       IR_PROJECT, false);
	fx_add(&f, "u.pol",
	       "command { interpreter p { options -g: code operand 1 code operand any "
	       "code stdin shell }\n  wrapper p { after -x -y ends-at \";\" }\n"
	       "  wrapper p { after -x ends-at \"+\" }\n  taint PATH }",
	       IR_USER, false);
	h = compiled();
	p = program(h, "p");
	assert_int_equal(p->kinds,
			 LINE_PK_PROGRAM | LINE_PK_INTERPRETER | LINE_PK_WRAPPER);
	assert_int_equal(p->flags, LINE_PF_POSIX | LINE_PF_SHELL | LINE_PF_CODE_STDIN);
	assert_int_equal(option(h, p, "-g")->flags, LINE_OF_GLOBAL);
	assert_int_equal(option(h, p, "-q")->flags, LINE_OF_QUERY);
	assert_int_equal(option(h, p, "-q")->takes, LINE_TAKES_NOTHING);
	assert_int_equal(p->codes.count, 3);
	c = record(h, p->codes, sizeof(*c), 0);
	assert_int_equal(c[0].operand, 1);
	assert_int_equal(c[1].operand, 2);
	assert_int_equal(c[2].operand, LINE_ANY_OPERAND);
	assert_int_equal(p->after.count, 2);
	assert_int_equal(p->ends.count, 2);
	/* who is a taint for one is one */
	assert_int_equal(h->vars.count, 2);
	v = record(h, h->vars, sizeof(*v), 1);
	assert_true(is(h, v->name, "PATH"));
	assert_int_equal(v->taint, 1);
}

static void test_names_of_one_specification_are_one_option(void **state)
{
	const struct line_facts *h;
	const struct line_program *p;

	(void)state;
	fx_add(&f, "p.pol",
	       "command { program p { options -z|--zed -m --mid  query --mid|-n -z|--zeta }"
	       " }",
	       IR_PROJECT, false);
	h = compiled();
	p = program(h, "p");
	assert_int_equal(option(h, p, "-z")->same, option(h, p, "--zed")->same);
	assert_int_equal(option(h, p, "-z")->same, option(h, p, "--zeta")->same);
	assert_int_equal(option(h, p, "--mid")->same, option(h, p, "-n")->same);
	assert_int_not_equal(option(h, p, "-m")->same, option(h, p, "--mid")->same);
	assert_int_not_equal(option(h, p, "-m")->same, option(h, p, "-z")->same);
}

static void test_a_narrow_level_has_no_say_in_what_may_widen(void **state)
{
	const struct line_facts *h;

	(void)state;
	fx_add(&f, "p.pol",
	       "command { pin git = \"/tmp/git\"  shell zsh  safe LD_PRELOAD  taint X\n"
	       "  program p { options -u: } }",
	       IR_PROJECT, true);
	h = compiled();
	assert_int_equal(h->pins.count, 0);
	assert_int_equal(h->dialect, LINE_DIALECT_BASH);
	assert_int_equal(h->programs.count, 0);
	assert_int_equal(h->vars.count, 1);
	assert_int_equal(f.ir->dropped.n, 4);
}

static bool accepts(const struct line_facts *h, uint32_t when, const char *text)
{
	const struct pb_automaton *w = record(h, h->whens, sizeof(*w), when);
	struct set_dfa d;
	size_t n;

	rec_automaton_read(&f.a, h, w, &d);
	(void)set_dfa_run(&d, str_from(text), &n);
	return n != 0;
}

/* Code is code where one of the regexes matches, always where a line has none. */
static void test_regexes_of_code_places(void **state)
{
	const struct line_facts *h;
	const struct line_program *p;
	const struct line_code *c;

	(void)state;
	fx_add(&f, "p.pol",
	       "command { program p { code -a when /^x/  code -b when /X$/i code -c when /^x/"
	       "  code operand 1 when /one/  code operand 2 when /two/ } }",
	       IR_PROJECT, false);
	fx_add(&f, "u.pol",
	       "command { program p { code -a when /y/  code -b  code operand 1 } }",
	       IR_USER, false);
	h = compiled();
	p = program(h, "p");
	assert_true(accepts(h, option(h, p, "-a")->when, "xa"));
	assert_true(accepts(h, option(h, p, "-a")->when, "aya"));
	assert_false(accepts(h, option(h, p, "-a")->when, "ax"));
	assert_int_equal(option(h, p, "-b")->when, LINE_NO_WHEN);
	assert_true(accepts(h, option(h, p, "-c")->when, "x"));
	assert_false(accepts(h, option(h, p, "-c")->when, "y"));
	c = record(h, p->codes, sizeof(*c), 0);
	assert_int_equal(c[0].when, LINE_NO_WHEN);
	assert_true(accepts(h, c[1].when, "a two b"));
	assert_int_equal(h->whens.count, 3);
}

static void test_the_shell_and_pins_of_the_highest_rank(void **state)
{
	const struct line_facts *h;
	const struct line_pin *p;

	(void)state;
	fx_add(&f, "u.pol", "command { shell zsh  pin a = \"/u/a\"  pin b = \"/u/b\" }",
	       IR_USER, false);
	fx_add(&f, "p.pol",
	       "command { shell dash = \"/bin/dash\"  pin b = \"/p/b\" sha256 "
	       "\"ff00000000000000000000000000000000000000000000000000000000000001\" }",
	       IR_PROJECT, false);
	h = compiled();
	assert_int_equal(h->dialect, LINE_DIALECT_POSIX);
	assert_true(is(h, h->shell_name, "dash"));
	assert_true(is(h, h->shell, "/bin/dash"));
	assert_int_equal(h->pins.count, 2);
	p = record(h, h->pins, sizeof(*p), 0);
	assert_true(is(h, p[0].path, "/u/a") && !p[0].has_digest);
	assert_true(is(h, p[1].path, "/p/b") && p[1].has_digest);
	assert_int_equal(p[1].sha256[0], 0xff);
	assert_int_equal(p[1].sha256[31], 1);
}

static void test_a_shell_that_is_not_known_reads_nothing(void **state)
{
	(void)state;
	fx_add(&f, "p.pol", "command { shell zsh }", IR_PROJECT, false);
	assert_int_equal(compiled()->dialect, LINE_DIALECT_NONE);
}

static void test_a_subcommand_has_a_base(void **state)
{
	const struct line_facts *h;
	const struct line_program *git, *add, *rebase, *alone;

	(void)state;
	fx_add(&f, "p.pol",
	       "command { program git { options -a|--all: -x:?  abbreviate posix booleans one-dash }\n"
	       "  program \"git rebase\" { options -x|--exec: -n also \"rb\", \"r\" }\n"
	       "  program \"git remote add\" { options --all: } program \"q r s\" { } }",
	       IR_PROJECT, false);
	h = compiled();
	assert_int_equal(h->programs.count, 7);
	git = program(h, "git");
	rebase = program(h, "git rebase");
	add = program(h, "git remote add");
	alone = program(h, "q r s");
	assert_int_equal(git->base, 0);
	assert_int_equal(git->flags,
			 LINE_PF_ABBREVIATE | LINE_PF_POSIX | LINE_PF_BOOLEANS | LINE_PF_ONE_DASH |
				 LINE_PF_SUBCOMMANDS);
	/* how its options are written is inherited, where they end is not */
	assert_int_equal(rebase->flags, LINE_PF_ABBREVIATE | LINE_PF_BOOLEANS | LINE_PF_ONE_DASH);
	assert_int_equal(option(h, git, "-x")->takes, LINE_TAKES_EITHER);
	assert_ptr_equal(record(h, h->programs, sizeof(*git), rebase->base - 1), git);
	assert_ptr_equal(record(h, h->programs, sizeof(*git), add->base - 1),
			 program(h, "git remote"));
	assert_ptr_equal(record(h, h->programs, sizeof(*git), alone->base - 1),
			 program(h, "q r"));
	assert_int_equal(program(h, "q")->kinds, LINE_PK_PROGRAM);
	/* an option that the base has is that one, and so are its other names */
	assert_int_equal(option(h, rebase, "-x")->takes, LINE_TAKES_VALUE);
	assert_int_equal(option(h, rebase, "-x")->same, option(h, git, "-x")->same);
	assert_int_equal(option(h, rebase, "--exec")->same, option(h, git, "-x")->same);
	assert_int_equal(option(h, add, "--all")->same, option(h, git, "-a")->same);
	assert_true(option(h, rebase, "-n")->same >= git->options.count);
	assert_int_equal(rebase->also.count, 2);
}

/* Programs with the same options have one table, others not; no byte is left over. */
static void test_equal_tables_stand_once(void **state)
{
	const struct line_facts *h;

	(void)state;
	fx_add(&f, "p.pol",
	       "command { program cc, gcc { options -o: -c  code operand 1 }\n"
	       "  program ld { options -o: -c } program nm { options -o: -x  code operand 1 } }",
	       IR_PROJECT, false);
	h = compiled();
	assert_int_equal(program(h, "cc")->options.count, 2);
	assert_int_equal(program(h, "cc")->options.off, program(h, "gcc")->options.off);
	assert_int_equal(program(h, "cc")->options.off, program(h, "ld")->options.off);
	assert_int_not_equal(program(h, "cc")->options.off, program(h, "nm")->options.off);
	assert_int_equal(program(h, "cc")->codes.off, program(h, "nm")->codes.off);
	assert_int_equal(program(h, "ld")->codes.count, 0);
	assert_true(is(h, option(h, program(h, "nm"), "-x")->name, "-x"));
	assert_int_equal(h->head.size, sizeof(*h) + 4 * sizeof(struct line_program) +
					       4 * sizeof(struct line_option) +
					       sizeof(struct line_code) +
					       strlen("ccgccldnm-c-o-xbash"));
}

/* A reader looks for a subcommand's table only where the program says that there is one. */
static void test_a_program_knows_of_its_subcommands(void **state)
{
	const struct bk_member *m;
	struct rt_err err = { .err = 0 };
	struct line_program *p;
	char *bytes;

	(void)state;
	fx_add(&f, "p.pol", "command { wrapper \"p s\" { skip 1 } }", IR_PROJECT, false);
	(void)compiled();
	m = bk_member(&out, PB_COMMANDS);
	bytes = arena_dup(&f.a, m->bytes.p, m->bytes.n);
	p = (void *)(bytes + ((struct line_facts *)(void *)bytes)->programs.off);
	assert_int_equal(p->flags, LINE_PF_SUBCOMMANDS);
	assert_int_equal(bundle_check_commands(bytes, m->bytes.n, &err), 0);
	p->flags = LINE_PF_STAYS;
	assert_true(bundle_check_commands(bytes, m->bytes.n, &err) < 0);
	assert_non_null(strstr(err.text, "does not know of its subcommands"));
}

/* A table that only speaks of files is none for options. */
static void test_a_table_of_files_is_marked(void **state)
{
	const struct line_facts *h;

	(void)state;
	fx_add(&f, "p.pol",
	       "command { program a { script-file default \"x\" } program b { makes-nothing }\n"
	       "  program c { makes-nothing options -x } program d { script-file default \"x\" posix }\n"
	       "  wrapper e { makes-nothing } program g { makes-nothing } program \"g s\" { makes-nothing }\n"
	       "  program k { makes-nothing reads operand 1 } program l {} }", IR_PROJECT, false);
	h = compiled();
	assert_true(program(h, "a")->flags & LINE_PF_FILES_ONLY);
	assert_true(program(h, "b")->flags & LINE_PF_FILES_ONLY);
	assert_true(program(h, "g s")->flags & LINE_PF_FILES_ONLY);
	for (const char *const *p = (const char *const[]){ "c", "d", "e", "g", "k", "l", NULL }; *p; p++)
		assert_false(program(h, *p)->flags & LINE_PF_FILES_ONLY);
}

/* The name of a file that runs unasked has no '/', and one '*'. */
static void test_names_of_files_are_names(void **state)
{
	static const char *const bad[] = { "a/c*", "abc/", "a**d", "****" }, good[] = "a-c*";
	const struct bk_member *m;
	struct rt_err err = { .err = 0 };
	char *bytes, *name;
	size_t i;

	(void)state;
	fx_add(&f, "p.pol", "command { program p { script-file default \"abc*\" } }", IR_PROJECT, false);
	(void)compiled();
	m = bk_member(&out, PB_COMMANDS);
	bytes = arena_dup(&f.a, m->bytes.p, m->bytes.n);
	name = memmem(bytes, m->bytes.n, "abc*", 4);
	assert_non_null(name);
	memcpy(name, good, 4);
	assert_int_equal(bundle_check_commands(bytes, m->bytes.n, &err), 0);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		memcpy(name, bad[i], 4);
		assert_true(bundle_check_commands(bytes, m->bytes.n, &err) < 0);
		assert_non_null(strstr(err.text, "has no name"));
	}
}

/* Is this a byte of where an empty table lies? */
static bool says_nothing(const struct line_facts *h, size_t i)
{
	for (uint32_t k = 0; k < h->programs.count; k++) {
		const struct line_program *p = record(h, h->programs, sizeof(*p), k);
		const struct pb_table *t = &p->options;

		for (size_t n = 0; n < 7; n++, t++)
			if (!t->count && i / 4 == (size_t)((const char *)&t->off -
							   (const char *)h) / 4)
				return true;
	}
	if (!h->whens.count && i / 4 == offsetof(struct line_facts, whens) / 4)
		return true;
	/* or an empty text */
	return i / 4 == offsetof(struct line_facts, shell) / 4;
}

/* Whatever byte of the tables changes, the reader or the proof says so. */
static void check_every_byte(const char *policy)
{
	const struct line_facts *h;
	struct bk_member *m;
	size_t end;
	char *bytes;

	fx_add(&f, "p.pol", policy, IR_PROJECT, false);
	h = compiled();
	end = h->pins.off + h->pins.count * sizeof(struct line_pin);
	m = &out.members.v[0];
	bytes = arena_dup(&f.a, m->bytes.p, m->bytes.n);
	m->bytes.p = bytes;
	for (size_t i = 0; i < end; i++) {
		if (says_nothing((const void *)bytes, i))
			continue;
		bytes[i] ^= 1;
		if (!bk_commands.verify(f.ir, &out, &f.a))
			fail_msg("byte %zu may change", i);
		bytes[i] ^= 1;
	}
	assert_null(bk_commands.verify(f.ir, &out, &f.a));
}

static void test_every_changed_byte_is_seen(void **state)
{
	(void)state;
	check_every_byte("command { wrapper p { options -a|--all: after -x ends-at \";\" skip 1\n"
			 "  code operand 1 when /x/  script-file default \"b*\", \"a\" }  taint X  pin q = \"/q\" }");
}

static void test_every_changed_byte_of_a_subcommand_is_seen(void **state)
{
	(void)state;
	check_every_byte("command { program p { options -a|--all  dashed }\n"
			 "  wrapper \"p s\" { options -a -b  also \"t\" versions }\n"
			 "  program \"p s u\" { also \"v\" }  taint X  pin q = \"/q\" }");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			test_the_highest_rank_says_what_an_option_takes, setup, teardown),
		cmocka_unit_test_setup_teardown(test_everything_else_adds_up, setup,
						teardown),
		cmocka_unit_test_setup_teardown(
			test_names_of_one_specification_are_one_option, setup, teardown),
		cmocka_unit_test_setup_teardown(
			test_a_narrow_level_has_no_say_in_what_may_widen, setup,
			teardown),
		cmocka_unit_test_setup_teardown(test_a_subcommand_has_a_base, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_a_program_knows_of_its_subcommands,
						setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_table_of_files_is_marked, setup, teardown),
		cmocka_unit_test_setup_teardown(test_names_of_files_are_names, setup, teardown),
		cmocka_unit_test_setup_teardown(test_equal_tables_stand_once, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_regexes_of_code_places, setup,
						teardown),
		cmocka_unit_test_setup_teardown(
			test_the_shell_and_pins_of_the_highest_rank, setup, teardown),
		cmocka_unit_test_setup_teardown(
			test_a_shell_that_is_not_known_reads_nothing, setup, teardown),
		cmocka_unit_test_setup_teardown(
			test_every_changed_byte_of_a_subcommand_is_seen, setup, teardown),
		cmocka_unit_test_setup_teardown(test_every_changed_byte_is_seen, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
