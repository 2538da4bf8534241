/*
 * The command line of polc: options of each verb, suggestions, what has to be
 * there; roots, discovery and requests.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compiler/cli/discover.h"
#include "compiler/cli/options_read.h"
#include "compiler/cli/request.h"
#include "compiler/cli/roots.h"
#include "tests/unit/fixture.h"

static char *said; /* what the last call wrote */
static char dir[] = "/tmp/pol-options.XXXXXX";

static int said_setup(void **state)
{
	return arena_setup(state);
}

static int said_teardown(void **state)
{
	free(said);
	said = NULL;
	return arena_teardown(state);
}

/* "check a.pol --user b": the verb and its words. */
static bool read_line(struct options *o, const char *text)
{
	static const char *const verbs[] = { "check", "compile", "explain", "dump",
					     "inspect", "effective", "fmt", "convert",
					     "sign", "verify", "diff", "trust",
					     "init", "emit", "prove" };
	char *copy = arena_printf(&arena, "%s", text), *word, *save = NULL;
	char **argv = arena_array(&arena, 64, sizeof(*argv));
	int argc = 0, verb = 0;
	size_t n;
	FILE *err;
	bool ok;

	for (word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save))
		argv[argc++] = word;
	while (strcmp(verbs[verb], argv[0]) != 0)
		verb++;
	free(said);
	err = open_memstream(&said, &n);
	ok = options_read(o, &arena, (enum cli_verb)verb, argc - 1, argv + 1, err);
	(void)fclose(err);
	return ok;
}

static void accepts(struct options *o, const char *text)
{
	if (!read_line(o, text))
		fail_msg("'%s': %s", text, said);
}

static void refuses(const char *text, const char *why)
{
	struct options o;

	if (read_line(&o, text))
		fail_msg("'%s' is accepted", text);
	if (!strstr(said, why))
		fail_msg("'%s': said '%s', not '%s'", text, said, why);
}

/* --- options ------------------------------------------------------------- */

static void test_policies_and_their_levels(void **state)
{
	struct options o;

	(void)state;
	accepts(&o, "check a.pol --managed m.pol --managed-file=f.pol --project p.pol "
		    "--user u.pol --user v.pol b.pol");
	assert_int_equal(o.inputs.n, 7);
	assert_string_equal(o.inputs.v[0].path, "a.pol");
	assert_int_equal(o.inputs.v[0].level, 0);
	assert_false(o.inputs.v[0].cmdline_level);
	assert_int_equal(o.inputs.v[1].level, IR_MANAGED);
	assert_true(o.inputs.v[1].cmdline_level);
	assert_int_equal(o.inputs.v[2].level, IR_MANAGED_FILE);
	assert_int_equal(o.inputs.v[3].level, IR_PROJECT);
	assert_int_equal(o.inputs.v[5].level, IR_USER);
	assert_false(o.inputs.v[3].discovered);
	assert_int_equal(o.scope, IR_SANDBOX);
}

static void test_values(void **state)
{
	struct options o;

	(void)state;
	accepts(&o, "check --format=json --fail-on warning --scope host -v --color=never a");
	assert_true(o.json && o.fail_on_warning && o.verbose);
	assert_int_equal(o.scope, IR_HOST);
	assert_int_equal(o.color, CLI_COLOR_NEVER);
	accepts(&o, "compile a.pol -oOUT --serial 7 --expires 2027-01-01 --created 5");
	assert_string_equal(o.output, "OUT");
	assert_int_equal(o.serial, 7);
	assert_int_equal(o.created, 5);
	accepts(&o, "compile a.pol -o OUT --sign k --not-before 2026-01-01 --previous OLD "
		    "--against BEFORE");
	assert_string_equal(o.key, "k");
	assert_string_equal(o.not_before, "2026-01-01");
	assert_string_equal(o.previous, "OLD");
	assert_string_equal(o.against, "BEFORE");
	refuses("compile a -o x --not-before 2026", "is no value of --not-before");
	accepts(&o, "compile a.pol -o OUT");
	assert_int_equal(o.created, -1);
	accepts(&o, "check --root HOME=/h --root PROJECT_DIR=/p a");
	assert_string_equal(o.root[IR_ROOT_HOME], "/h");
	assert_string_equal(o.root[IR_ROOT_PROJECT], "/p");
	accepts(&o, "check --discover");
	assert_true(o.discover);
	assert_null(o.discover_dir);
	accepts(&o, "check --discover --fallback std/profile/project");
	assert_string_equal(o.fallback, "std/profile/project");
	refuses("check --fallback std/profile/project a.pol", "goes with --discover");
	refuses("check --discover --fallback profile/project", "of the standard library");
	refuses("check --discover --fallback std/../x", "of the standard library");
	accepts(&o, "check --discover=/x");
	assert_string_equal(o.discover_dir, "/x");
	accepts(&o, "dump --after lift x.polb");
	assert_string_equal(o.bundle, "x.polb");
	accepts(&o, "effective --format yaml --section file x.polb");
	assert_int_equal(o.format, CLI_YAML);
	assert_string_equal(o.bundle, "x.polb");
	accepts(&o, "diff --format markdown --fail-on=widening --user u.pol a.pol b.pol");
	assert_int_equal(o.format, CLI_MARKDOWN);
	assert_true(o.fail_on_widening);
	assert_int_equal(o.inputs.n, 1);
	assert_string_equal(o.sides[0], "a.pol");
	assert_string_equal(o.sides[1], "b.pol");
	accepts(&o, "check --against most.polb x.polb");
	assert_string_equal(o.against, "most.polb");
	assert_string_equal(o.bundle, "x.polb");
	accepts(&o, "check --against most.pol --role r a.pol");
	assert_int_equal(o.inputs.n, 1);
	refuses("check x.polb", "compiled already");
	refuses("check --against most.pol a.pol x.polb", "a bundle is a whole policy");
	refuses("check a.pol --against", "--against wants CEILING");
	refuses("compile x.polb -o y.polb --against most.polb", "is compiled already");
	refuses("dump a.pol --against most.pol", "unknown option '--against'");
	refuses("prove a.pol", "prove wants an assertion");
	refuses("prove --format yaml a.pol", "'yaml' is no value of --format");
	refuses("diff a.pol", "diff wants OLD and NEW");
	refuses("diff a b c", "'c' is a third");
	refuses("diff --user u a.pol b.polb", "a bundle is a whole policy");
	refuses("diff --fail-on=warning a b", "'warning' is no value");
	refuses("diff --format yaml a b", "'yaml' is no value of --format");
	refuses("effective --format html a", "'html' is no value of --format");
	refuses("check --format yaml a", "'yaml' is no value of --format");
	refuses("check --format xml a", "'xml' is no value of --format, which takes text|json\n");
	refuses("effective --format xml a", "which takes text|json|yaml\n");
	refuses("diff --format xml a b", "which takes text|json|markdown|html\n");
	refuses("check --fail-on=never a",
		"'never' is no value of --fail-on, which takes error|warning\n");
	refuses("diff --fail-on=never a b", "which takes any|widening\n");
	refuses("check --scope=both a", "'both' is no value");
	refuses("check --color=red a", "'red' is no value");
	refuses("check --root HOME=x a", "absolute DIR");
	refuses("check --root HOEM=/x a", "no root is called 'HOEM'");
	refuses("compile a -o x --serial 0", "'0' is no value");
	refuses("compile a -o x --serial 1x", "'1x' is no value");
	refuses("compile a -o x --expires 2027-02-30", "is no value");
	refuses("compile a -o x --created -1", "'-1' is no value");
}

static void test_unknown_options_get_a_suggestion(void **state)
{
	(void)state;
	refuses("check --manged x", "unknown option '--manged': did you mean '--managed'?");
	refuses("check --zzzzzzz x", "unknown option '--zzzzzzz'\n");
	/* an option of another verb is none of this one */
	refuses("check --after lift x", "unknown option '--after'");
	refuses("check -o x y", "unknown option '-o'");
	refuses("check -vv x", "unknown option '-vv'");
	refuses("check --verbose=1 x", "--verbose takes no value");
	refuses("check x --managed", "--managed wants FILE");
	refuses("compile x -o", "-o wants OUT.polb");
}

static void test_what_has_to_be_there(void **state)
{
	struct options o;

	(void)state;
	refuses("compile -o x.polb", "name a policy");
	accepts(&o, "check");
	assert_true(o.unnamed && o.discover && o.fallback);
	accepts(&o, "explain command ls");
	assert_true(o.unnamed);
	accepts(&o, "check a.pol");
	assert_false(o.unnamed || o.discover || o.fallback);
	accepts(&o, "effective --discover");
	assert_false(o.unnamed || o.fallback);
	refuses("compile a.pol", "compile wants -o");
	refuses("dump a.pol", "dump wants --after");
	refuses("explain a.pol", "explain wants a request");
	refuses("explain a.pol", "tool NAME, setting NAME, env NAME, limit NAME, mount PLACE, publish PORT\n");
	refuses("explain a.pol comand ls",
		"'comand' begins none: did you mean 'command'?\n");
	refuses("explain --user tools a.pol", "wants a request: command LINE");
	refuses("inspect", "name a bundle");
	refuses("inspect a.polb b.polb", "two bundles");
	refuses("check a.polb", "compiled already");
	refuses("explain a.polb b.pol command x", "a bundle is a whole policy");
	refuses("explain a.polb --discover command x", "a bundle is a whole policy");
	refuses("sign x.polb", "sign wants --key");
	refuses("sign --key k", "name a bundle");
	refuses("verify", "name a bundle");
	refuses("verify --sign k x", "unknown option '--sign'");
	accepts(&o, "sign --key k any-name -o other");
	assert_string_equal(o.key, "k");
	assert_string_equal(o.bundle, "any-name");
	assert_string_equal(o.output, "other");
	accepts(&o, "verify --allowed-signers f -I who x");
	assert_string_equal(o.signers, "f");
	assert_string_equal(o.principal, "who");
	accepts(&o, "inspect any-name");
	assert_string_equal(o.bundle, "any-name");
	accepts(&o, "check --help --nonsense");
	assert_true(o.help);
}

static void test_double_dash_ends_options(void **state)
{
	struct options o;

	(void)state;
	accepts(&o, "check -- --managed");
	assert_int_equal(o.inputs.n, 1);
	assert_string_equal(o.inputs.v[0].path, "--managed");
}

static void test_request_takes_the_rest(void **state)
{
	struct options o;

	(void)state;
	accepts(&o, "explain p.pol --cwd /x argv -- npm --help --managed");
	assert_int_equal(o.inputs.n, 1);
	assert_string_equal(o.cwd, "/x");
	assert_int_equal(o.nrequest, 5);
	assert_string_equal(o.request[2], "npm");
	assert_false(o.help);
	/* a file with the name of a request kind has to be spelled with a '/' */
	accepts(&o, "explain ./file file read /x");
	assert_int_equal(o.nrequest, 3);
}

/* --- requests ---------------------------------------------------------------- */

static const struct roots places = {
	.dirs.dir = { [IR_ROOT_FS] = { "/", 1 }, [IR_ROOT_HOME] = { "/nx/h", 5 },
		      [IR_ROOT_PROJECT] = { "/nx/h/p", 7 },
		      [IR_ROOT_TMP] = { "/nx/tmp", 7 } },
	.cwd = { "/nx/h/p", 7 },
};

static bool request(struct ir_request *q, const char *const *words, size_t n)
{
	struct options o = { .request = words, .nrequest = n, .scope = IR_SANDBOX };
	const char *why;
	size_t size;
	FILE *err;
	bool ok;

	free(said);
	err = open_memstream(&said, &size);
	ok = request_read(&o, &places, &arena, q, &why, err);
	(void)fclose(err);
	return ok;
}

#define READ(q, ...) \
	request(q, (const char *[]){ __VA_ARGS__ }, \
		sizeof((const char *[]){ __VA_ARGS__ }) / sizeof(char *))

static void is(struct str s, const char *want)
{
	assert_string_equal(str_z(&arena, s), want);
}

static void test_command_requests(void **state)
{
	struct ir_request q;

	(void)state;
	assert_true(READ(&q, "command", "npm 'run x' y"));
	is(q.line, "npm 'run x' y");
	assert_true(READ(&q, "command", ""));
	is(q.line, "");
	assert_true(READ(&q, "argv", "--", "a", "--"));
	assert_int_equal(q.nargv, 2);
	assert_false(READ(&q, "argv", "--"));
	assert_false(READ(&q, "command", "a", "b"));
}

static void test_file_requests(void **state)
{
	struct ir_request q;

	(void)state;
	assert_true(READ(&q, "file", "write", "a/./b//c"));
	assert_int_equal(q.op, IR_WRITE);
	is(q.path, "/nx/h/p/a/b/c");
	assert_true(READ(&q, "file", "read", "/nx/a/../b/"));
	is(q.path, "/nx/b");
	assert_true(READ(&q, "file", "exec", "${HOME}/x"));
	is(q.path, "/nx/h/x");
	assert_true(READ(&q, "file", "read", "~/x"));
	is(q.path, "/nx/h/x");
	assert_false(READ(&q, "file", "read", "${SESSION_DIR}/x"));
	assert_false(READ(&q, "file", "delete", "/x"));
	assert_false(READ(&q, "file", "read", ""));
	assert_true(READ(&q, "unix", "@a/b"));
	assert_true(q.abstract);
	is(q.path, "a/b");
}

static void test_net_requests(void **state)
{
	struct ir_request q;

	(void)state;
	assert_true(READ(&q, "net", "udp", "GitHub.COM.:443"));
	assert_int_equal(q.proto, IR_UDP);
	is(q.host, "github.com");
	assert_int_equal(q.port, 443);
	assert_true(READ(&q, "net", "tcp", "[::1]:80"));
	assert_true(q.is_addr);
	assert_int_equal(q.addr[15], 1);
	assert_true(READ(&q, "net", "tcp", "10.0.0.1:80"));
	assert_int_equal(q.addr[10], 0xff);
	assert_false(READ(&q, "net", "tcp", "10.0.0.0/8:80"));
	assert_false(READ(&q, "net", "tcp", "x:0"));
	assert_false(READ(&q, "net", "tcp", "x:65536"));
	assert_false(READ(&q, "net", "tcp", "x"));
	assert_false(READ(&q, "net", "icmp", "x:1"));
}

static void test_syscall_requests(void **state)
{
	struct ir_request q;

	(void)state;
	assert_true(READ(&q, "syscall", "socket(AF_PACKET, 0x3, -1)"));
	assert_true(q.nr_known);
	assert_int_equal(q.nr, 41);
	assert_int_equal(q.args[0], 17);
	assert_int_equal(q.args[1], 3);
	assert_true(q.args[2] == UINT64_MAX);
	assert_true(READ(&q, "syscall", "clone(CLONE_NEWUSER|CLONE_NEWNS)"));
	assert_int_equal(q.args[0], 0x10020000);
	assert_true(READ(&q, "syscall", "9999"));
	assert_false(q.nr_known);
	assert_true(READ(&q, "syscall", "59"));
	assert_true(q.nr_known);
	assert_false(READ(&q, "syscall", "ptrac"));
	assert_non_null(strstr(said, "did you mean 'ptrace'?"));
	assert_false(READ(&q, "syscall", "socket(AF_NOPE)"));
	assert_false(READ(&q, "syscall", "socket(1,2,3,4,5,6,7)"));
	assert_false(READ(&q, "syscall", "socket(1"));
}

/* --- roots and discovery ---------------------------------------------------------- */

static int dir_setup(void **state)
{
	(void)said_setup(state);
	strcpy(dir + strlen(dir) - 6, "XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static int dir_teardown(void **state)
{
	char *cmd = arena_printf(&arena, "chmod -R u+rwx %s; rm -rf %s", dir, dir);

	if (system(cmd) != 0)
		return -1;
	return said_teardown(state);
}

static const char *below(const char *name)
{
	return arena_printf(&arena, "%s/%s", dir, name);
}

static void touch(const char *name)
{
	int fd = open(below(name), O_CREAT | O_WRONLY | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	close(fd);
}

static void make(const char *name)
{
	assert_int_equal(mkdir(below(name), 0755), 0);
}

static void test_project_is_the_nearest_that_is_marked(void **state)
{
	struct str home = str_from(below("home"));

	(void)state;
	make("home");
	make("home/.git"); /* the home itself is no project */
	make("home/a");
	make("home/a/.pol");
	make("home/a/b");
	make("home/c");
	is(roots_project(&arena, str_from(below("home/a/b")), home), below("home/a"));
	is(roots_project(&arena, str_from(below("home/c")), home), below("home/c"));
	is(roots_project(&arena, home, home), below("home"));
	/* outside of the home, any ancestor below "/" */
	make("out");
	make("out/.git");
	make("out/x");
	is(roots_project(&arena, str_from(below("out/x")), home), below("out"));
}

static void test_paths_follow_links_where_they_exist(void **state)
{
	struct str cwd = str_from(dir);

	(void)state;
	make("real");
	assert_int_equal(symlink("real", below("link")), 0);
	is(roots_path(&arena, STR("link/x/y"), cwd, true), below("real/x/y"));
	is(roots_path(&arena, STR("link/x"), cwd, false), below("link/x"));
	is(roots_path(&arena, STR("/.."), cwd, true), "/");
	is(roots_path(&arena, STR("/nx/../../a"), cwd, false), "/a");
}

static bool discover(struct options *o, const char *name, enum ir_level level)
{
	size_t n;
	FILE *err;
	bool ok;

	*o = (struct options){ .scope = IR_SANDBOX };
	free(said);
	err = open_memstream(&said, &n);
	ok = discover_dir(o, &arena, below(name), ".pol", level, err);
	(void)fclose(err);
	return ok;
}

static void test_discovery_in_name_order(void **state)
{
	struct options o;

	(void)state;
	make("d");
	touch("d/b.pol");
	touch("d/a.pol");
	touch("d/c.yml");
	touch("d/.hidden.pol");
	touch("d/README");
	assert_true(discover(&o, "d", IR_PROJECT));
	assert_int_equal(o.inputs.n, 3); /* the .yml too */
	is(o.inputs.v[0].name, ".pol/a.pol");
	is(o.inputs.v[1].name, ".pol/b.pol");
	assert_true(o.inputs.v[0].discovered);
	assert_int_equal(o.inputs.v[0].level, IR_PROJECT);
	assert_true(discover(&o, "d", IR_MANAGED_FILE));
	assert_false(o.inputs.v[0].discovered);
}

static void test_absent_empty_and_unreadable_are_three(void **state)
{
	struct options o;

	(void)state;
	assert_true(discover(&o, "absent", IR_MANAGED_FILE));
	assert_int_equal(o.inputs.n, 0);
	make("empty");
	assert_true(discover(&o, "empty", IR_MANAGED_FILE));
	touch("file");
	assert_false(discover(&o, "file", IR_MANAGED_FILE)); /* ENOTDIR, for root too */
	assert_non_null(strstr(said, "cannot be read"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH(said, test_policies_and_their_levels),
		WITH(said, test_values),
		WITH(said, test_unknown_options_get_a_suggestion),
		WITH(said, test_what_has_to_be_there),
		WITH(said, test_double_dash_ends_options),
		WITH(said, test_request_takes_the_rest),
		WITH(said, test_command_requests),
		WITH(said, test_file_requests),
		WITH(said, test_net_requests),
		WITH(said, test_syscall_requests),
		WITH(dir, test_project_is_the_nearest_that_is_marked),
		WITH(dir, test_paths_follow_links_where_they_exist),
		WITH(dir, test_discovery_in_name_order),
		WITH(dir, test_absent_empty_and_unreadable_are_three),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
