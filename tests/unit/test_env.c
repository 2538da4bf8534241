/* The command's environment: kept, set, dropped, and what is told of inside. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "runtime/base/envp.h"
#include "runtime/polrun/env.h"

#define NAMES 16

static struct {
	struct pb_env env;
	struct pb_env_entry entries[NAMES];
	char pool[1024];
} member;
static size_t pool_used;

static struct pb_str text(const char *s)
{
	struct pb_str r = { (uint32_t)(offsetof(__typeof__(member), pool) + pool_used),
			    (uint32_t)strlen(s) };

	memcpy(member.pool + pool_used, s, strlen(s));
	pool_used += strlen(s);
	return r;
}

static void reset(void)
{
	memset(&member, 0, sizeof(member));
	pool_used = 0;
	member.env.entries.off = offsetof(__typeof__(member), entries);
}

static void entry(const char *name, const char *value)
{
	struct pb_env_entry *e = &member.entries[member.env.entries.count++];

	e->name = text(name);
	e->set = value != NULL;
	if (value)
		e->value = text(value);
}

static char **build(const char *const *environ_)
{
	static const struct decide_roots roots = { .dir = { "/", "/home/u", "/home/u/p",
							    NULL, "/tmp" } };
	struct env_input in = { .env = &member.env,
				.environ = (char *const *)(uintptr_t)environ_,
				.roots = &roots,
				.user = "u",
				.pwd = "/home/u/p" };
	struct rt_err err = { 0 };
	char **r = NULL;

	assert_int_equal(env_build(&in, &r, &err), 0);
	return r;
}

static void is(char **envp, const char *name, const char *want)
{
	const char *got = envp_get(envp, name);

	if (!want)
		assert_null(got);
	else if (!got)
		fail_msg("%s is missing", name);
	else
		assert_string_equal(got, want);
}

static void test_only_kept_names_pass(void **state)
{
	const char *env[] = { "PATH=/bin", "SECRET=1", "PATHX=2", "LC_ALL=C", "=odd",
			      "noequals", "PATH=/second", NULL };
	char **e;

	(void)state;
	reset();
	entry("PATH", NULL);
	entry("LC_*", NULL);
	e = build(env);
	is(e, "PATH", "/bin");
	is(e, "LC_ALL", "C");
	is(e, "SECRET", NULL);
	is(e, "PATHX", NULL);
	assert_null(e[2]);
	env_free(e);
}

static void test_loaders_and_proxies_need_their_whole_name(void **state)
{
	const char *env[] = { "LD_PRELOAD=x", "LD_AUDIT=x", "http_proxy=x", "BASH_ENV=x",
			      "BASH_FUNC_ls%%=x", "NODE_OPTIONS=x", "SSH_AUTH_SOCK=x",
			      "HTTPS_PROXY=y", "OTHER=1", "JDK_JAVA_OPTIONS=x", "LUA_INIT_5_4=x",
			      "DOTNET_STARTUP_HOOKS=x", "LESSOPEN=x", "GIT_SSH_COMMAND=x",
			      "GIT_AUTHOR_NAME=me", NULL };
	char **e;

	(void)state;
	reset();
	entry("*", NULL);
	entry("HTTPS_PROXY", NULL);
	e = build(env);
	is(e, "OTHER", "1");
	is(e, "LD_PRELOAD", NULL);
	is(e, "LD_AUDIT", NULL);
	is(e, "http_proxy", NULL);
	is(e, "BASH_ENV", NULL);
	is(e, "BASH_FUNC_ls%%", NULL);
	is(e, "NODE_OPTIONS", NULL);
	is(e, "SSH_AUTH_SOCK", NULL);
	is(e, "JDK_JAVA_OPTIONS", NULL);
	is(e, "LUA_INIT_5_4", NULL);
	is(e, "DOTNET_STARTUP_HOOKS", NULL);
	is(e, "LESSOPEN", NULL);
	is(e, "GIT_SSH_COMMAND", NULL);
	is(e, "GIT_AUTHOR_NAME", "me");
	is(e, "HTTPS_PROXY", "y"); /* somebody named it */
	env_free(e);
}

static void test_words_that_only_look_like_credentials_are_kept(void **state)
{
	const char *env[] = { "TOKENIZERS_PARALLELISM=1", "MY_AUTHOR=2", "KEYBOARD=3", "monkey=4", "TOKENIZER_KEY=x",
			      "AUTHORIZATION=x", "HTTP_BEARER=x", "AUTHOR_TOKEN=x", "RISK=5",
			      NULL };
	char **e;

	(void)state;
	reset();
	entry("*", NULL);
	e = build(env);
	is(e, "TOKENIZERS_PARALLELISM", "1");
	is(e, "MY_AUTHOR", "2");
	is(e, "KEYBOARD", "3");
	is(e, "monkey", "4");
	is(e, "RISK", "5");
	is(e, "TOKENIZER_KEY", NULL);
	is(e, "AUTHORIZATION", NULL);
	is(e, "HTTP_BEARER", NULL);
	is(e, "AUTHOR_TOKEN", NULL);
	env_free(e);
}

static void test_places_are_those_inside(void **state)
{
	const char *env[] = { "HOME=/root", "PWD=/x", "TMPDIR=/var/tmp/me", "USER=root",
			      NULL };
	char **e;

	(void)state;
	reset();
	entry("HOME", NULL);
	entry("PWD", NULL);
	entry("TMPDIR", NULL);
	entry("USER", NULL);
	entry("LOGNAME", NULL);
	e = build(env);
	is(e, "HOME", "/home/u");
	is(e, "PWD", "/home/u/p");
	is(e, "TMPDIR", "/tmp");
	is(e, "USER", "u");
	is(e, "LOGNAME", NULL); /* the caller has none */
	env_free(e);
}

static void test_home_is_told_also_where_the_caller_has_none(void **state)
{
	const char *env[] = { NULL };
	char **e;

	(void)state;
	reset();
	e = build(env);
	is(e, "HOME", NULL); /* nobody keeps it */
	env_free(e);
	entry("HOME", NULL);
	e = build(env);
	is(e, "HOME", "/home/u");
	env_free(e);
}

static void test_set_wins_and_knows_the_roots(void **state)
{
	const char *env[] = { "CI=no", "A=1", NULL };
	char **e;

	(void)state;
	reset();
	entry("CI", NULL);
	entry("CI", "1");
	entry("CACHE", "${HOME}/.c:${PROJECT_DIR}:${TMPDIR}:${SESSION_DIR}|");
	entry("ODD", "${NOPE} $HOME ${");
	e = build(env);
	is(e, "CI", "1");
	is(e, "CACHE", "/home/u/.c:/home/u/p:/tmp:|");
	is(e, "ODD", "${NOPE} $HOME ${");
	is(e, "A", NULL);
	env_free(e);
}

static void test_many_roots_in_one_value(void **state)
{
	const char *env[] = { NULL };
	char value[400] = "", **e;

	(void)state;
	for (int i = 0; i < 40; i++)
		strcat(value, "${HOME}");
	reset();
	entry("X", value);
	e = build(env);
	assert_int_equal(strlen(envp_get(e, "X")), 40 * strlen("/home/u"));
	env_free(e);
}

static void test_where_commands_are_looked_for(void **state)
{
	const char *none[] = { "PATHX=/x", "PATH", NULL };
	const char *two[] = { "PATHX=/x", "PATH=/a:/b", "PATH=/c", NULL };
	const char *empty[] = { "PATH=", NULL };

	(void)state;
	assert_string_equal(envp_path(NULL), "/usr/local/bin:/usr/bin:/bin");
	assert_string_equal(envp_path((char *const *)(uintptr_t)none), "/usr/local/bin:/usr/bin:/bin");
	assert_string_equal(envp_path((char *const *)(uintptr_t)two), "/a:/b");
	assert_string_equal(envp_path((char *const *)(uintptr_t)empty), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_where_commands_are_looked_for),
		cmocka_unit_test(test_only_kept_names_pass),
		cmocka_unit_test(test_loaders_and_proxies_need_their_whole_name),
		cmocka_unit_test(test_words_that_only_look_like_credentials_are_kept),
		cmocka_unit_test(test_places_are_those_inside),
		cmocka_unit_test(test_home_is_told_also_where_the_caller_has_none),
		cmocka_unit_test(test_set_wins_and_knows_the_roots),
		cmocka_unit_test(test_many_roots_in_one_value),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
