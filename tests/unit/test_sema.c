/* Files, names and what this version has no meaning for. */
#include "tests/unit/sema_fixture.h"

/* --- what is refused, and how it is said ----------------------------------- */

static const struct {
	const char *text, *code, *say;
} refused[] = {
	/* names */
	{ "file { deny read nope }", "P0101", "nothing is named 'nope'" },
	{ "let trees = \"/x\" file { deny read tress }", "P0101", "did you mean 'trees'?" },
	{ "file { deny read \"${HOM}/x\" }", "P0101", "'HOM'" },
	{ "file { deny read \"${HOME\" }", "P0105", "without its '}'" },
	{ "let l = [\"a\", \"b\"] file { deny read \"${l}\" }", "P0105", "no text" },
	{ "let a = \"x\" let a = \"y\"", "P0102", "defined twice" },
	{ "let HOME = \"x\"", "P0102", "the name of a root" },
	{ "file { deny read a } let a = \"/x\"", "P0103", "before it is defined" },
	{ "let a = \"${a}\"", "P0103", "by itself" },
	{ "let a = \"${b}\" let b = \"${a}\"", "P0103", "before it is defined" },
	{ "let m = { a = \"x\" } file { deny read m }", "P0208", "is a map" },
	{ "syscall { deny @nope }", "P0101", "'@nope'" },
	{ "group @g = mount group @g = bpf", "P0102", "group '@g'" },
	{ "syscall { deny @g } group @g = bpf", "P0103", "before it is defined" },
	{ "command { deny \"a\" as x  deny \"b\" as x }", "P0115", "two statements" },
	/* policy */
	{ "policy a { level nope }", "P0301", "is no level" },
	{ "policy a { level manged }", "P0301", "did you mean 'managed'?" },
	{ "policy a { level user }", "P0301", "declares level 'user'" },
	{ "policy a { nope 3 }", "P0125", "has no key 'nope'" },
	{ "policy a { serial x }", "P0205", "a serial is a whole number" },
	{ "policy a { base maybe }", "P0205", "'base' is 'std' or 'none'" },
	{ "policy a { base none } use std/base", "P0302", "leaves it out" },
	{ "policy a { serial 1 serial 2 }", "P0310", "stated twice" },
	{ "policy a { } policy b { }", "P0114", "second 'policy'" },
	/* files */
	{ "use ./missing", "P0110", "cannot read" },
	{ "use ./p", "P0111", "used by itself" },
	{ "use std/../../x", "P0110", "leaves the standard library" },
	/* what has no meaning in this version */
	{ "role r { let x = \"y\" }", "P0127", "'let'" },
	{ "role r { command { allow \"x\" when role == s } }", "P0126", "'s'" },
	{ "role tester { } file { deny read \"/a\" when role == tster }", "P0126",
	  "did you mean 'tester'?" },
	{ "tool t { ask deny }", "P0207", "two effects" },
	{ "tool t { risk higher }", "P0212", "'higher'" },
	{ "tools { allow \"a b\" }", "P0202", "a blank" },
	{ "setting \"a b\" = 1", "P0213", "'a b'" },
	{ "setting \"permissions.mode\" = \"lax\"", "P0212", "'lax'" },
	{ "setting \"agents.roles\" = []", "P0125", "'agents.roles'" },
	{ "alert x when denied > 5 do block", "P0214", "'denied'" },
	{ "audit { logg \"/x\" }", "P0125", "did you mean 'log'?" },
	{ "session { lifetime 24 }", "P0212", "'lifetime'" },
	{ "runner { mode docker }", "P0212", "'docker'" },
	{ "runner { container { image \"a\"  images [\"b\"] } }", "P0304", "'a'" },
	{ "command { pin git = \"bin/git\" }", "P0205", "'bin/git'" },
	{ "command { pin git = \"/usr/../git\" }", "P0205", "no absolute path" },
	{ "command { pin git = \"${HOME}/git\" }", "P0205", "no absolute path" },
	{ "command { pin git = \"/g\" sha256 \"00\" }", "P0205", "64 hex" },
	{ "command { pin git = \"/a\"  pin git = \"/b\" }", "P0310", "'pin git'" },
	{ "command { shell bash  shell posix }", "P0310", "'shell'" },
	{ "command { shell bash = \"bash\" }", "P0205", "no absolute path" },
	{ "command { wrapper w { after \"\" } }", "P0205", "an empty word" },
	{ "command { wrapper w { ends-at \"${HOME}\" } }", "P0104", "a root" },
	{ "env { secret X from file \"x\" }", "P0205", "absolute path" },
	{ "command { deny \"x\" with \"f\" }", "P0202", "this is no option" },
	{ "command { deny \"x\" without -f: }", "P0202", "not what they take" },
	{ "command { allow \"cd *\" within \"/x/../y\" }", "P0203", "'..'" },
	{ "command { deny \"x\" strict }", "P0201", "'strict'" },
	{ "command { deny \"x\" until 1970-01-01 }", "P0205", "no day" },
	{ "command { deny \"x\" may yes }", "P0207", "asks nobody" },
	{ "command { ask \"x\" may no }", "P0207", "may only 'yes'" },
	{ "command { deny \"x\" match \"${HOME}/x\" }", "P0104", "a root" },
	{ "file { deny read \"/x\" match \"write /x/../y\" }", "P0210", "'..'" },
	{ "network limited { deny 10.0.0.1 match \"10.0.0.1\" }", "P0210", "one port" },
	{ "network limited { deny 10.0.0.1 match \"tcp 10.0.0.1 port 1 2\" }", "P0210",
	  "one port" },
	{ "network limited { deny 10.0.0.1 match \"tcp 10.0.0.0/8 port 1\" }", "P0210",
	  "one host" },
	{ "syscall { deny bpf match bpff }", "P0120", "did you mean 'bpf'?" },
	{ "syscall { deny bpf match bpf(*) }", "P0210", "one value" },
	{ "command { risk low \"x\" match \"x\" }", "P0207", "does not belong" },
	{ "command { inert \"x\" not match \"x\" }", "P0207", "does not belong" },
	{ "command { deny \"x\" accept advisory }", "P0201", "'accept advisory'" },
	{ "command { deny /r(m/ }", "P0215", "missing closing" },
	{ "file { deny read r } let r = /x/", "P0103", "'r'" },
	{ "command { deny \"a[bc\" }", "P0202", "without its ']'" },
	{ "file { deny read \"/a[bc]\" }", "P0203", "set of characters" },
	{ "file { deny read @g }", "P0101", "'@g'" },
	{ "group @g = mount file { deny read @g }", "P0208", "a group of system calls" },
	{ "group @g = \"/x\" syscall { deny @g }", "P0208", "a group of hosts or paths" },
	{ "group @g = mount, \"/x\"", "P0208", "a host or path" },
	{ "network limited { via \"x\" }", "P0217", "HTTP proxies only" },
	{ "limits { require cgroup }", "P0201", "'require'" },
	{ "command { deny \"x\" when session == \"a\" }", "P0201", "'session'" },
	/* options where they do not belong */
	{ "file { hide read \"/x\" }", "P0207", "takes no operations" },
	{ "file { allow \"/x\" }", "P0207", "which operations" },
	{ "command { risk low \"x\" because \"y\" }", "P0207", "does not belong" },
	{ "command { deny \"x\" as a as b }", "P0207", "stated twice" },
	{ "syscall { allow bpf with EPERM }", "P0207", "denies none" },
};

static void test_every_fault_has_its_message(void **state)
{
	(void)state;
	for (size_t i = 0; i < POL_LEN(refused); i++)
		fx_expect(refused[i].text, IR_PROJECT, false, refused[i].code,
			  refused[i].say);
}

static void test_faults_of_one_file_come_in_one_run(void **state)
{
	struct fx f;

	(void)state;
	fx_init(&f);
	fx_add(&f, "p.pol", "use ./gone\ncommand { deny /x/ }\nrole r { }\n", IR_PROJECT,
	       false);
	assert_false(fx_run(&f));
	assert_true(fx_said(&f, "P0110", "gone"));
	fx_release(&f);
	fx_init(&f);
	fx_add(&f, "p.pol", "command { deny \"x\" accept advisory  deny \"y\" strict }\nrole r { use ./x }\n",
	       IR_PROJECT, false);
	assert_false(fx_run(&f));
	assert_int_equal(f.sink.errors, 3);
	fx_release(&f);
	/* those of lowering too, and none that follows from another */
	fx_init(&f);
	fx_add(&f, "p.pol", "command { deny /x(/ as x }\nfile { deny read nope, \"/a/..\" }\n"
	       "network limited { allow tcp @g }\nlimits { tme 1s }\n"
	       "tools { allow \"x y\" }\ntest \"t\" { command \"x\" => deny by x }\n",
	       IR_PROJECT, false);
	assert_false(fx_run(&f));
	assert_true(fx_said(&f, "P0203", "'..'"));
	assert_true(fx_said(&f, "P0125", "did you mean 'time'?"));
	assert_int_equal(f.sink.errors, 6);
	fx_release(&f);
}

/* --- use ------------------------------------------------------------------- */

static const struct sema_unit *unit_named(const struct fx *f, const char *name)
{
	for (size_t i = 0; i < f->s.units.n; i++)
		if (str_eqz(f->s.units.v[i]->name, name))
			return f->s.units.v[i];
	return NULL;
}

static void test_a_used_file_speaks_at_its_users_level(void **state)
{
	struct fx f;

	(void)state;
	fx_init(&f);
	fx_write(&f, "lib/a.pol", "use ./b\ncommand { deny \"a\" }\n");
	fx_write(&f, "lib/b.pol", "command { deny \"b\" }\n");
	fx_write(&f, "std/x.pol", "command { deny \"x\" }\n");
	fx_add(&f, "p.pol", "use ./lib/a, std/x, std/base\ncommand { deny \"p\" }\n",
	       IR_MANAGED, false);
	assert_true(fx_run(&f));
	/* the importer, then what it imports, as far as printed names go */
	assert_true(str_eqz(f.s.units.v[0]->name, "p.pol"));
	assert_true(str_eqz(f.s.units.v[1]->name, "lib/a.pol"));
	assert_true(str_eqz(f.s.units.v[2]->name, "lib/b.pol"));
	assert_true(str_eqz(f.s.units.v[3]->name, "std/x.pol"));
	assert_int_equal(unit_named(&f, "std/x.pol")->level, IR_MANAGED);
	assert_int_equal(unit_named(&f, "std/base.pol")->level, IR_DEFAULT);
	assert_true(f.s.units.v[f.s.units.n - 1]->floor);
	assert_true(sema_imports(f.s.units.v[0], f.s.units.v[2]));
	assert_false(sema_imports(f.s.units.v[2], f.s.units.v[0]));
	assert_int_equal(fx_count(&f, IR_COMMAND, IR_DENY), 4);
	fx_release(&f);
}

static void test_a_circle_shows_its_chain(void **state)
{
	struct fx f;

	(void)state;
	fx_init(&f);
	fx_write(&f, "a.pol", "use ./b\n");
	fx_write(&f, "b.pol", "use ./p\n");
	fx_add(&f, "p.pol", "use ./a\n", IR_PROJECT, false);
	assert_false(fx_run(&f));
	assert_true(fx_said(&f, "P0111", "'p.pol' is used by itself"));
	assert_true(fx_said(&f, "P0111", "'b.pol' is used here"));
	assert_true(fx_said(&f, "P0111", "'a.pol' is used here"));
	fx_release(&f);
}

static void test_a_chain_that_is_too_long_is_refused(void **state)
{
	struct fx f;
	char name[32], text[32];

	(void)state;
	fx_init(&f);
	for (int i = 0; i < 20; i++) {
		snprintf(name, sizeof(name), "f%d.pol", i);
		snprintf(text, sizeof(text), "use ./f%d\n", i + 1);
		fx_write(&f, name, text);
	}
	fx_write(&f, "f20.pol", "");
	fx_add(&f, "p.pol", "use ./f0\n", IR_PROJECT, false);
	assert_false(fx_run(&f));
	assert_true(fx_said(&f, "P0112", "at most 16 in a chain"));
	fx_release(&f);
}

static void test_a_file_used_twice_counts_once(void **state)
{
	struct fx f;

	(void)state;
	fx_init(&f);
	fx_write(&f, "a.pol", "use ./c\n");
	fx_write(&f, "b.pol", "use ./c\n");
	fx_write(&f, "c.pol", "let n = \"/x\"\ncommand { deny \"c\" as c }\n");
	fx_add(&f, "p.pol", "use ./a, ./b\nfile { deny read n }\n", IR_PROJECT, false);
	if (!fx_run(&f))
		fx_show(&f);
	assert_non_null(f.ir);
	assert_int_equal(fx_count(&f, IR_COMMAND, IR_DENY), 1);
	fx_release(&f);
}

static void test_a_used_file_states_no_level(void **state)
{
	struct fx f;

	(void)state;
	fx_init(&f);
	fx_write(&f, "a.pol", "policy a { level managed }\n");
	fx_add(&f, "p.pol", "use ./a\n", IR_PROJECT, false);
	assert_false(fx_run(&f));
	assert_true(fx_said(&f, "P0113", "states 'level'"));
	fx_release(&f);
}

static void test_two_imports_with_one_name(void **state)
{
	struct fx f;

	(void)state;
	fx_init(&f);
	fx_write(&f, "a.pol", "let n = \"/x\"\n");
	fx_write(&f, "b.pol", "let n = \"/y\"\n");
	fx_add(&f, "p.pol", "use ./a, ./b\n", IR_PROJECT, false);
	assert_false(fx_run(&f));
	assert_true(fx_said(&f, "P0102", "'n' is defined twice"));
	fx_release(&f);
}

/* --- base ------------------------------------------------------------------ */

static void test_base_is_there_unless_a_full_level_leaves_it_out(void **state)
{
	static const struct {
		enum ir_level level;
		bool discovered, base;
	} rows[] = {
		{ IR_MANAGED, false, false },
		{ IR_USER, false, false },
		{ IR_PROJECT, false, false },
		{ IR_PROJECT, true, true },
	};

	(void)state;
	for (size_t i = 0; i < POL_LEN(rows); i++) {
		struct fx f;

		fx_init(&f);
		fx_write(&f, "std/base.pol", "command { deny \"b\" as from-base }\n"
			 "network disabled\n");
		fx_add(&f, "p.pol", "policy p { base none }\n", rows[i].level,
		       rows[i].discovered);
		assert_true(fx_run(&f));
		assert_int_equal(unit_named(&f, "std/base.pol") != NULL, rows[i].base);
		assert_int_equal(f.ir->base_none, !rows[i].base);
		assert_non_null(unit_named(&f, "std/floor.pol"));
		fx_release(&f);
	}
}

static void test_a_managed_level_locks_base(void **state)
{
	struct fx f;

	(void)state;
	fx_init(&f);
	fx_add(&f, "m.pol", "policy m { locked base std }\n", IR_MANAGED, false);
	fx_add(&f, "u.pol", "policy u { base none }\n", IR_USER, false);
	assert_false(fx_run(&f));
	assert_true(fx_said(&f, "P0311", "locked by level 'managed'"));
	fx_release(&f);
	fx_init(&f);
	fx_add(&f, "m.pol", "policy m { base std }\n", IR_MANAGED, false);
	fx_add(&f, "u.pol", "policy u { base none }\n", IR_USER, false);
	assert_true(fx_run(&f));
	assert_false(f.ir->base_none);
	fx_release(&f);
}

/* --- names ----------------------------------------------------------------- */

static void test_names_stand_for_their_texts(void **state)
{
	struct fx f;

	(void)state;
	fx_init(&f);
	fx_write(&f, "std/base.pol", "group @g = mount, bpf\nlet sys = \"/usr\"\n"
		 "network disabled\n");
	fx_add(&f, "p.pol",
	       "let d = \"${PROJECT_DIR}/x\"\nlet l = [\"${d}/a\", sys]\n"
	       "let m = { k = \"/k\" }\nlet r = r\"$HOME\"\n"
	       "group @h = @g, ptrace\n"
	       "file { deny read l, m.k, \"${m.k}/2\", \"/${r}\" }\n"
	       "syscall { deny @h }\n", IR_PROJECT, false);
	if (!fx_run(&f))
		fx_show(&f);
	assert_non_null(f.ir);
	assert_int_equal(fx_count(&f, IR_FILE, IR_DENY), 5);
	assert_int_equal(fx_rule(&f, 0)->set.u.file.path.root, IR_ROOT_PROJECT);
	assert_int_equal(fx_rule(&f, 1)->set.u.file.path.root, IR_ROOT_FS);
	/* a raw text is no expansion, also not inside of another text */
	assert_int_equal(fx_rule(&f, 4)->set.u.file.path.root, IR_ROOT_FS);
	assert_int_equal(fx_rule(&f, 4)->set.u.file.path.glob.v[1].byte, '$');
	assert_int_equal(fx_count(&f, IR_SYSCALL, IR_DENY), 3);
	fx_release(&f);
}

/* What stands behind `set A =`, and the value or what is said about it. */
static const struct {
	const char *text, *value, *says;
} dollars[] = {
	{ "\"${x}\"", "a", NULL },
	{ "\"\\${x}\"", "${x}", NULL },
	/* a backslash, then a dollar sign that is escaped */
	{ "\"\\\\\\${x}\"", "\\${x}", NULL },
	{ "\"\\\\\\\\\\${x}\"", "\\\\${x}", NULL },
	{ "\"\\\\-${x}\"", "\\-a", NULL },
	{ "r\"\\${x}\"", "\\${x}", NULL },
	{ "\"${raw}\"", "\\${x}\\", NULL },
	{ "\"${x}${x}\"", "aa", NULL },
	/* the backslash of one text before the expansion of another */
	{ "\"${raw}${HOME}\"", NULL, "behind a backslash" },
	{ "\"${slash}${HOME}\"", NULL, "behind a backslash" },
	{ "\"${slash}${home}\"", NULL, "behind a backslash" },
	{ "\"${slash}${raw}\"", "\\\\${x}\\", NULL },
	{ "\"${slash}/${HOME}\"", "\\/${HOME}", NULL },
	{ "\"${slash}${x}\"", "\\a", NULL },
	/* no value can hold the text of a root's name */
	{ "\"\\${HOME}\"", NULL, "root's name" },
	{ "\"\\\\\\${HOME}\"", NULL, "root's name" },
	{ "r\"\\${HOME}\"", NULL, "root's name" },
	{ NULL, NULL, NULL },
};

static bool has_said(const struct fx *f, const char *what)
{
	for (size_t i = 0; i < f->sink.list.n; i++)
		if (memmem(f->sink.list.v[i]->text.p, f->sink.list.v[i]->text.n, what,
			   strlen(what)))
			return true;
	return false;
}

static void run_dollar(size_t i, bool yaml)
{
	static const char lets[] = "let x = \"a\" let raw = r\"\\${x}\\\" "
				   "let slash = \"\\\\\" let home = \"${HOME}\"";
	char text[600];
	struct fx f;
	bool ok;

	fx_init(&f);
	snprintf(text, sizeof(text),
		 yaml ? "pol: |\n  %s\nenv:\n  - pol: |\n      set A = %s\n" :
			"%s env { set A = %s }\n",
		 lets, dollars[i].text);
	fx_add(&f, yaml ? "p.yml" : "p.pol", text, IR_PROJECT, false);
	ok = fx_run(&f);
	if (ok != !dollars[i].says || (!ok && !has_said(&f, dollars[i].says))) {
		fx_show(&f);
		fail_msg("not as it should be: %s", text);
	}
	if (ok && !str_eqz(f.ir->env.v[0].value, dollars[i].value))
		fail_msg("'%.*s', not '%s': %s", STR_ARG(f.ir->env.v[0].value),
			 dollars[i].value, text);
	fx_release(&f);
}

static void test_a_dollar_sign_is_escaped_by_the_backslash_before_it(void **state)
{
	(void)state;
	for (size_t i = 0; dollars[i].text; i++) {
		run_dollar(i, false);
		run_dollar(i, true);
	}
}

static void test_ids_are_names_or_digests(void **state)
{
	struct fx f, g;

	(void)state;
	fx_init(&f);
	fx_add(&f, "p.pol", "command { deny \"x\" as mine  deny \"a\", \"b\"  deny \"y\"\n"
	       "deny \"y\" }\n", IR_PROJECT, false);
	assert_true(fx_run(&f));
	assert_true(str_eqz(fx_rule(&f, 0)->id, "mine"));
	assert_true(str_eq(fx_rule(&f, 1)->id, fx_rule(&f, 2)->id));
	assert_true(str_starts(fx_rule(&f, 3)->id, STR("command-")));
	assert_int_equal(fx_rule(&f, 3)->id.n, strlen("command-") + 8);
	assert_true(str_eq(fx_rule(&f, 4)->id,
			   str_cat(&f.a, fx_rule(&f, 3)->id, STR(".2"))));
	/* moving a line changes no id */
	fx_init(&g);
	fx_add(&g, "q.pol", "\n\n# x\ncommand {\n\n\tdeny   \"y\"\n}\n", IR_PROJECT, false);
	assert_true(fx_run(&g));
	assert_true(str_eq(fx_rule(&g, 0)->id, fx_rule(&f, 3)->id));
	assert_int_equal(fx_rule(&g, 0)->at.line, 6);
	fx_release(&g);
	fx_release(&f);
}

/* Each name doubles the one before: an error, long before memory ends. */
static void test_names_that_multiply_are_refused(void **state)
{
	struct fx f;
	struct buf b;

	(void)state;
	fx_init(&f);
	buf_init(&b, &f.a);
	buf_z(&b, "let a0 = [\"/x\", \"/y\"]\nlet b0 = \"0123456789\"\n");
	for (int i = 1; i < 40; i++)
		buf_printf(&b, "let a%d = [a%d, a%d]\nlet b%d = \"${b%d}${b%d}\"\n", i,
			   i - 1, i - 1, i, i - 1, i - 1);
	fx_add(&f, "p.pol", str_z(&f.a, buf_view(&b)), IR_PROJECT, true);
	assert_false(fx_run(&f));
	assert_true(fx_said(&f, "P0105", "more than 1048576 values"));
	assert_true(fx_said(&f, "P0105", "more than 65536 bytes"));
	fx_release(&f);
}

static void test_the_dump_shows_what_was_resolved(void **state)
{
	struct fx f;
	struct buf b;

	(void)state;
	fx_init(&f);
	fx_add(&f, "p.pol", "let d = \"/x\"\nfile { allow read d  deny write \"${d}/y\" }\n",
	       IR_PROJECT, true);
	assert_true(sema_load(&f.s, f.in, f.nin));
	buf_init(&b, &f.a);
	sema_dump(&b, &f.s);
	assert_non_null(memmem(b.p, b.n, "let d = \"/x\"", 12));
	assert_true(sema_resolve(&f.s));
	buf_init(&b, &f.a);
	sema_dump(&b, &f.s);
	assert_non_null(memmem(b.p, b.n, "deny write \"/x/y\"", 17));
	assert_non_null(memmem(b.p, b.n, "# cut: a narrow-only level", 26));
	fx_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_fault_has_its_message),
		cmocka_unit_test(test_faults_of_one_file_come_in_one_run),
		cmocka_unit_test(test_a_used_file_speaks_at_its_users_level),
		cmocka_unit_test(test_a_circle_shows_its_chain),
		cmocka_unit_test(test_a_chain_that_is_too_long_is_refused),
		cmocka_unit_test(test_a_file_used_twice_counts_once),
		cmocka_unit_test(test_a_used_file_states_no_level),
		cmocka_unit_test(test_two_imports_with_one_name),
		cmocka_unit_test(test_base_is_there_unless_a_full_level_leaves_it_out),
		cmocka_unit_test(test_a_managed_level_locks_base),
		cmocka_unit_test(test_names_stand_for_their_texts),
		cmocka_unit_test(test_a_dollar_sign_is_escaped_by_the_backslash_before_it),
		cmocka_unit_test(test_ids_are_names_or_digests),
		cmocka_unit_test(test_names_that_multiply_are_refused),
		cmocka_unit_test(test_the_dump_shows_what_was_resolved),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
