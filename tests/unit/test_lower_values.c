/*
 * From statements to the IR: the message of every fault, limits, in-language
 * tests, and the standard library as it is shipped.
 */
#include "tests/unit/sema_fixture.h"

static const struct {
	const char *text, *code, *say;
} faults[] = {
	{ "file { deny read \"/a/../b\" }", "P0203", "'..'" },
	{ "file { deny read \"/a/./b\" }", "P0203", "'.'" },
	{ "file { deny read \"/a//b\" }", "P0203", "'//'" },
	{ "file { deny read \"..\" }", "P0203", "'..'" },
	{ "file { deny read \"/a/{b,..}/c\" }", "P0203", "'..'" },
	{ "file { deny read \"/a/{b,}/c\" }", "P0203", "empty name" },
	{ "file { deny read \"/a/.{,git}\" }", "P0203", "'.'" },
	{ "file { deny read \"\" }", "P0203", "no path" },
	{ "file { deny read \"~bob/x\" }", "P0203", "another user's home" },
	{ "file { deny read \"${HOME}x\" }", "P0203", "no whole name" },
	{ "file { deny read \"/x/${HOME}\" }", "P0104", "only begin a path" },
	{ "file { deny read \"/{a\" }", "P0203", "without its '}'" },
	{ "file { deny read \"/a}\" }", "P0203", "without its '{'" },
	{ "file { deny read \"/a\\\\\" }", "P0203", "backslash at the end" },
	{ "file { deny read \"/{**,a}/b\" }", "P0203", "inside of braces" },
	{ "file { deny read \"/a***b\" }", "P0203", "more than two" },
	{ "file { scratch \"/a*\" }", "P0203", "names none" },
	{ "command { deny \"\" }", "P0202", "no words" },
	{ "command { deny \":*\" }", "P0202", "no words" },
	{ "command { deny \"a :*\" }", "P0202", "without its word" },
	{ "command { deny \"a**b\" }", "P0202", "inside of a word" },
	{ "command { deny \"{a b|c}\" }", "P0202", "a blank inside of braces" },
	{ "command { deny \"** rm\" }", "P0202", "for the program" },
	{ "command { deny \"rm **:*\" }", "P0202", "behind '**'" },
	{ "command { deny \"rm ${HOME}\" }", "P0104", "no value in a command" },
	{ "command { risk hgh \"x\" }", "P0205", "no class of risk" },
	{ "command { otherwise by risk { low allow medium ask high deny } }", "P0209",
	  "'critical' is missing" },
	{ "command { otherwise by risk { low ask medium allow high deny critical deny } }",
	  "P0209", "milder" },
	{ "command { otherwise by risk { low ask low ask medium ask high deny "
	  "critical deny } }", "P0209", "twice" },
	{ "command { program a { skip 1 } }", "P0207", "'skip' does not belong" },
	{ "command { wrapper a { tranparent } }", "P0125", "did you mean 'transparent'?" },
	{ "network limted", "P0205", "did you mean 'limited'?" },
	{ "network limited { allow tcp \"a..b\" }", "P0204", "1 to 63" },
	{ "network limited { allow tcp \"a*.b\" }", "P0204", "'*' inside" },
	{ "network limited { allow tcp \"a b\" }", "P0204", "no host name" },
	{ "network limited { allow tcp \"a.12\" }", "P0204", "ends in a number" },
	{ "network limited { allow tcp 10.0.0.1/8 }", "P0204", "bits set behind" },
	{ "network limited { allow tcp \"a\" port 0 }", "P0204", "from 1 to 65535" },
	{ "network limited { allow tcp \"a\" port 70000 }", "P0204", "from 1 to 65535" },
	{ "network limited { allow tcp 10.0.0.0/8 within 10.0.0.0/8 }", "P0204", "'within'" },
	{ "network limited { deny tcp \"a\" within 10.0.0.0/8 }", "P0207", "'within'" },
	{ "syscall { deny ptrce }", "P0120", "did you mean 'ptrace'?" },
	{ "syscall { deny socket(AF_INTE) }", "P0122", "did you mean 'AF_INET'?" },
	{ "syscall { deny socket(*, *, *, *) }", "P0121", "has 3 arguments" },
	{ "syscall { deny socket(protocol) }", "P0206", "another argument" },
	{ "syscall { deny bpf with EPRM }", "P0123", "did you mean 'EPERM'?" },
	{ "syscall { deny clone when flag & 1 }", "P0122", "did you mean 'flags'?" },
	{ "syscall { deny clone when flags }", "P0206", "no condition" },
	{ "syscall { deny socket when domain == type }", "P0206", "two arguments" },
	{ "syscall { deny socket(0x100000000) }", "P0206", "32 bits" },
	{ "syscall { deny kill when pid < -1 }", "P0206", "without a sign" },
	{ "syscall { deny clone when flags & 4 == 3 }", "P0206", "outside of the mask" },
	{ "syscall { deny clone when flags & 0 }", "P0206", "no bit" },
	{ "syscall { deny bpf when scope == sandbox and scope == host }", "P0206",
	  "never holds" },
	{ "command { deny \"x\" when scope == moon }", "P0206", "'sandbox' or 'host'" },
	{ "command { deny \"x\" when flags & 1 }", "P0122", "no meaning" },
	{ "limits { time 60 }", "P0205", "a duration has a unit" },
	{ "limits { memory 60s }", "P0205", "'60s'" },
	{ "limits { time 0s }", "P0205", "nothing could run" },
	{ "limits { tme 60s }", "P0125", "did you mean 'time'?" },
	{ "limits { time += 60s }", "P0205", "adds to a list" },
	{ "env { keep \"A=B\" }", "P0205", "no name of a variable" },
	{ "env { set A.B = \"x\" }", "P0205", "no name of a variable" },
	{ "test \"t\" { net tcp \"a\" port 1-9 => deny }", "P0210", "one port" },
	{ "test \"t\" { file read \"/x/../y\" => deny }", "P0210", "'..'" },
	{ "test \"t\" { net tcp \"a\" => deny }", "P0210", "one port" },
	{ "test \"t\" { syscall socket(*) => deny }", "P0210", "one value" },
	{ "test \"t\" { syscall sockt => deny }", "P0120", "did you mean 'socket'?" },
	{ "test \"t\" { command \"x\" => deny by nope }", "P0124", "no rule is named" },
	{ "test \"t\" { command \"ls ${HOME}\" => deny }", "P0104", "no value" },
};

static void test_every_fault_has_its_message(void **state)
{
	(void)state;
	for (size_t i = 0; i < POL_LEN(faults); i++)
		fx_expect(faults[i].text, IR_PROJECT, false, faults[i].code,
			  faults[i].say);
}

/* A longer one would never be found; a program's own name may be as long as it likes. */
static void test_the_name_of_a_subcommand_is_bounded(void **state)
{
	char name[LINE_MAX_SUBCOMMAND + 2], text[sizeof(name) + 64];
	struct fx f;

	(void)state;
	memset(name, 'a', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	snprintf(text, sizeof(text), "command { program \"%s\" { } }", name);
	fx_run_text(&f, text);
	assert_int_equal(f.ir->programs.n, 1);
	fx_release(&f);
	name[3] = ' ';
	snprintf(text, sizeof(text), "command { wrapper \"%s\" { } }", name);
	fx_expect(text, IR_PROJECT, false, "P0205", "longer than 128 bytes");
	snprintf(text, sizeof(text), "command { wrapper \"%s\" { } }", name + 1);
	fx_run_text(&f, text);
	assert_int_equal(f.ir->programs.n, 1);
	assert_int_equal(f.ir->programs.v[0].name.n, LINE_MAX_SUBCOMMAND);
	fx_release(&f);
}

static void test_limits_have_their_units(void **state)
{
	struct fx f;

	(void)state;
	fx_run_text(&f, "limits { cpu 2.5 memory 4G processes 100 time 2m file-size 512 }");
	assert_int_equal(f.ir->scalars[IR_S_LIMIT_CPU].num, 2500);
	assert_int_equal(f.ir->scalars[IR_S_LIMIT_MEMORY].num, (uint64_t)4 << 30);
	assert_int_equal(f.ir->scalars[IR_S_LIMIT_PROCESSES].num, 100);
	assert_int_equal(f.ir->scalars[IR_S_LIMIT_TIME].num, 120000);
	assert_int_equal(f.ir->scalars[IR_S_LIMIT_FILE_SIZE].num, 512);
	assert_false(f.ir->scalars[IR_S_LIMIT_DISK].set);
	assert_true(str_eqz(f.ir->scalars[IR_S_LIMIT_TIME].id, "limits-time"));
	fx_release(&f);
}

static void test_in_language_tests_are_requests(void **state)
{
	const struct ir_test_case *c;
	struct fx f;

	(void)state;
	fx_run_text(&f, "command { deny \"x\" as no-x }\n"
		    "test \"t\" when scope == host {\n"
		    "command \"x 'a b'\" => deny by no-x\n"
		    "command \"x $HOME\" => ask\n"
		    "argv \"x\", \"a b\" => deny\n"
		    "file write \"${PROJECT_DIR}/a\" => deny\n"
		    "file read \"src/a\" => deny\n"
		    "net udp 10.0.0.1 port 53 => deny\n"
		    "unix \"@abc\" => deny\n"
		    "syscall socket(AF_INET|0, -1) => allow\n"
		    "tool web => ask }");
	assert_int_equal(f.ir->tests.n, 1);
	assert_int_equal(f.ir->tests.v[0].scopes, IR_HOST);
	assert_int_equal(f.ir->tests.v[0].ncases, 9);
	c = f.ir->tests.v[0].cases;
	assert_true(str_eqz(c[0].request.line, "x 'a b'"));
	assert_true(str_eqz(c[0].by, "no-x"));
	assert_true(str_eqz(c[1].request.line, "x $HOME"));
	assert_int_equal(c[2].request.nargv, 2);
	assert_true(str_eqz(c[3].request.path, "${PROJECT_DIR}/a"));
	assert_true(str_eqz(c[4].request.path, "${PROJECT_DIR}/src/a"));
	assert_true(c[5].request.is_addr);
	assert_int_equal(c[5].request.proto, IR_UDP);
	assert_true(c[6].request.abstract);
	assert_true(str_eqz(c[6].request.path, "abc"));
	assert_int_equal(c[7].request.nr, 41);
	assert_int_equal(c[7].request.args[0], 2);
	assert_int_equal(c[7].request.args[1], UINT64_MAX);
	assert_int_equal(c[8].request.kind, IR_TOOL);
	fx_release(&f);
}

static void test_a_rule_without_a_network_is_a_warning(void **state)
{
	struct fx f;

	(void)state;
	fx_run_text(&f, "network { allow tcp \"a.example\" port 443 }");
	assert_true(fx_said(&f, "P0320", "the network is disabled"));
	fx_release(&f);
}

/* The library that is shipped: it lowers, and says nothing. */
static void test_the_standard_library_is_clean(void **state)
{
	struct fx f;

	(void)state;
	fx_init(&f);
	f.s.stdlib_dir = POL_STDLIB_DIR;
	f.in[f.nin++] = (struct sema_input){ .path = POL_STDLIB_DIR "/base.pol" };
	if (!fx_run(&f) || f.sink.list.n)
		fx_show(&f);
	assert_non_null(f.ir);
	assert_int_equal(f.sink.list.n, 0);
	assert_true(f.ir->rules.n > 100);
	assert_true(f.ir->tests.n >= 4);
	assert_true(VEC_LAST(&f.ir->rules)[0]->floor);
	fx_release(&f);
	fx_init(&f);
	f.s.stdlib_dir = POL_STDLIB_DIR;
	fx_add(&f, "p.pol", "use std/dev/git, std/dev/c, std/dev/node, std/dev/python\n",
	       IR_USER, false);
	if (!fx_run(&f) || f.sink.list.n)
		fx_show(&f);
	assert_non_null(f.ir);
	assert_int_equal(f.sink.list.n, 0);
	fx_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_fault_has_its_message),
		cmocka_unit_test(test_the_name_of_a_subcommand_is_bounded),
		cmocka_unit_test(test_limits_have_their_units),
		cmocka_unit_test(test_in_language_tests_are_requests),
		cmocka_unit_test(test_a_rule_without_a_network_is_a_warning),
		cmocka_unit_test(test_the_standard_library_is_clean),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
