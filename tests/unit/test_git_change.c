/* Which changes of a repository's configuration a run may make, and how the texts are read. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "runtime/supervise/git_change.h"

#define CORE "[core]\n\trepositoryformatversion = 0\n\tbare = false\n"

static bool may(const char *was, const char *is, const char *want_key)
{
	struct git_change c;
	bool ret = git_change_may(was, strlen(was), is, strlen(is), "my-box.example", &c);

	assert_string_equal(c.key, want_key ? want_key : "");
	assert_int_equal(c.unread, !ret && !want_key);
	return ret;
}

static void test_harmless(void **state)
{
	static const char *const added[] = {
		"", "[branch \"a/b\"]\n\tremote = .\n\tmerge = refs/heads/a/b\n",
		"[remote \"o\"]\n\turl = https://a.example/x\n[branch \"b\"]\n\tremote = o\n\tmerge = refs/heads/b\n",
		"[remote \"o\"]\n\turl = ssh://git@a.example:22/x\n",
		"[remote \"o\"]\n\turl = https://a_b+c:d@a-b.example:8443/~x/127.0/localhost?y=z&w,v\n",
		"[remote \"o\"]\n\turl = http://192.168.0.127/x\n", "[remote \"o\"]\n\turl = my-box-2:x\n",
		"[remote \"o\"]\n\turl = git@my-box.com:x\n", "[remote \"o\"]\n\turl = 0x.example:x\n",
		"[remote \"o\"]\n\turl = git@a.example:x/y.git\n\tfetch = +refs/heads/*:refs/remotes/o/*\n",
		"[user]\n\tname = A  B, C.\n\temail = a@b\n",
		"# a comment\n\n  ; another\n[PULL]\n  ReBase=true\n", "[submodule \"a b\"]\n\tactive = true",
		"[extensions]\n\tworktreeConfig = true\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(added) / sizeof(added[0]); i++) {
		char text[512] = CORE;

		strcat(text, added[i]);
		assert_true(may(CORE, text, NULL));
		if (!strstr(added[i], "url"))
			assert_true(may(text, CORE, NULL));
	}
	assert_true(may("", "[user]\n\tname = a\n", NULL));
	assert_true(may(CORE, "[core]\n\trepositoryformatversion = 1\n\tbare = false\n", NULL));
}

static void test_kept(void **state)
{
	static const char *const rows[][2] = {
		{ CORE "[core]\n\tpager = x\n", "core.pager" },
		{ CORE "\tpager = x\n", "core.pager" },
		{ CORE "[user]\n\tname = a\n[Alias]\n\tx = !y\n", "Alias.x" },
		{ "[core]\n\tbare = false\n", "core.bare" },
		{ "[core]\n\trepositoryformatversion = 2\n\tbare = false\n", "core.repositoryformatversion" },
		{ "", "core.repositoryformatversion" },
		{ CORE "[core \"x\"]\n\tsparsecheckout = true\n", "core.x.sparsecheckout" },
		{ CORE "[remote]\n\turl = x\n", "remote.url" },
		{ CORE "[remote \"-o\"]\n\turl = x\n", "remote.-o.url" },
		{ CORE "[remote \"o\"]\n\turl = ext::sh -c x\n", "remote.o.url" },
		{ CORE "[remote \"o\"]\n\turl = -x\n", "remote.o.url" },
		{ CORE "[remote \"o\"]\n\turl = ssh://-x/y\n", "remote.o.url" },
		{ CORE "[remote \"o\"]\n\turl = a b\n", "remote.o.url" },
		{ CORE "[remote \"o\"]\n\turl = ../x\n", "remote.o.url" },
		{ CORE "[remote \"o\"]\n\turl = /x/y.git\n", "remote.o.url" },
		{ CORE "[remote \"o\"]\n\turl = x\n", "remote.o.url" },
		{ CORE "[remote \"o\"]\n\turl = ./a:b\n", "remote.o.url" },
		{ CORE "[remote \"o\"]\n\turl = file:///x\n", "remote.o.url" },
		{ CORE "[remote \"o\"]\n\turl = ssh://localhost/x\n", "remote.o.url" },
		{ CORE "[remote \"o\"]\n\turl = 127.0.0.1:x\n", "remote.o.url" },
		/* this machine in other spellings, and by its own name */
		{ CORE "[remote \"o\"]\n\turl = ssh://LocalHost/x\n", "remote.o.url" },
		{ CORE "[remote \"o\"]\n\turl = a@x.LOCALHOST:x\n", "remote.o.url" },
		{ CORE "[remote \"o\"]\n\turl = ip6-loopback:x\n", "remote.o.url" },
		{ CORE "[remote \"o\"]\n\turl = ssh://0/x\n", "remote.o.url" },
		{ CORE "[remote \"o\"]\n\turl = ssh://a@2130706433:22/x\n", "remote.o.url" },
		{ CORE "[remote \"o\"]\n\turl = 0x7f.1:x\n", "remote.o.url" },
		{ CORE "[remote \"o\"]\n\turl = 0X7F000001:x\n", "remote.o.url" },
		{ CORE "[remote \"o\"]\n\turl = 0177.0.0.1:x\n", "remote.o.url" },
		{ CORE "[remote \"o\"]\n\turl = 0.0.0.0:x\n", "remote.o.url" },
		{ CORE "[remote \"o\"]\n\turl = 127.1:x\n", "remote.o.url" },
		{ CORE "[remote \"o\"]\n\turl = 10.1:x\n", "remote.o.url" },
		{ CORE "[remote \"o\"]\n\turl = ssh://my-box.example/x\n", "remote.o.url" },
		{ CORE "[remote \"o\"]\n\turl = a@MY-BOX:x\n", "remote.o.url" },
		{ CORE "[remote \"o\"]\n\turl = my-box.local:x\n", "remote.o.url" },
		/* a command of the user's (ssh's ProxyCommand) may hold the host, and its name in the shell's hands */
		{ CORE "[remote \"o\"]\n\turl = a&make&b:x\n", "remote.o.url" },
		{ CORE "[remote \"o\"]\n\turl = ssh://a&make&b/x\n", "remote.o.url" },
		{ CORE "[remote \"o\"]\n\turl = ssh://a&make&b@c.example/x\n", "remote.o.url" },
		{ CORE "[remote \"o\"]\n\turl = ssh://a~b/x\n", "remote.o.url" },
		{ CORE "[remote \"o\"]\n\turl = ssh://a=b?/x\n", "remote.o.url" },
		{ CORE "[remote \"o\"]\n\turl = ssh://a.example:x/y\n", "remote.o.url" },
		{ CORE "[remote \"o\"]\n\turl = ssh://a@b@c/y\n", "remote.o.url" },
		{ CORE "[remote \"o\"]\n\turl = ssh://.a/y\n", "remote.o.url" },
		{ CORE "[remote \"o\"]\n\turl = ssh://@a/y\n", "remote.o.url" },
		{ CORE "[remote \"/x/evil.git\"]\n\turl = https://a.example/x\n", "remote./x/evil.git.url" },
		{ CORE "[remote \"o\"]\n\turl = ssh:///x\n", "remote.o.url" },
		{ CORE "[branch \"b\"]\n\tremote = evil\n", "branch.b.remote" },
		{ CORE "[branch \"b\"]\n\tpushremote = ./evil\n", "branch.b.pushremote" },
		{ CORE "[remote]\n\tpushdefault = evil\n", "remote.pushdefault" },
		{ CORE "[remote \"o\"]\n\turl =\n", "remote.o.url" },
		{ CORE "[branch \"b\"]\n\trebase = x\n", "branch.b.rebase" },
		{ CORE "[submodule \"s\"]\n\tupdate = !x\n", "submodule.s.update" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_false(may(CORE, rows[i][0], rows[i][1]));
	/* the order of what is kept counts: git takes the last */
	assert_false(may("[a]\n\tx = 1\n\tx = 2\n", "[a]\n\tx = 2\n\tx = 1\n", "a.x"));
	/* a remote does not go: its name would be a path, for a setting and for `git push o` */
	assert_false(may("[remote \"o\"]\n\turl = https://a/x\n", "", "remote.o.url"));
	assert_true(may("[remote \"o\"]\n\turl = https://a/x\n", "[remote \"o\"]\n\turl = https://b/x\n", NULL));
	assert_false(may("[remote \"o\"]\n\turl = https://a/x\n[branch \"b\"]\n\tremote = o\n",
			 "[branch \"b\"]\n\tremote = o\n", "remote.o.url"));
	assert_false(may("[remote]\n\tpushdefault = o\n[remote \"o\"]\n\turl = https://a/x\n",
			 "[remote]\n\tpushdefault = o\n", "remote.o.url"));
	assert_true(may("[branch \"b\"]\n\tremote = o\n", "[branch \"b\"]\n\tremote = o\n\trebase = true\n", NULL));
	/* what was there already may stay, whatever it is */
	assert_true(may("[remote \"o\"]\n\turl = ext::x\n", "[remote \"o\"]\n\turl = ext::x\n\tfetch = x\n", NULL));
	assert_false(may("[core]\n\trepositoryformatversion = 1\n", "[core]\n\trepositoryformatversion = 0\n",
			 "core.repositoryformatversion"));
}

static void test_unread(void **state)
{
	static const char *const rows[] = {
		"x = y\n", "[a\n", "[a] b = c\n", "[a.b]\n\tc = d\n", "[a \"b\\\"]\n\tc = d\n", "[a  \"b\"]\n\tc = d\n",
		"[a]\n\tb\n", "[a]\n\tb = c\\\n\td = e\n", "[a]\n\tb = \"c\"\n", "[a]\n\tb = c # d\n", "[a]\n\tb = c;d\n",
		"[a]\r\n\tb = c\n", "\xef\xbb\xbf[a]\n\tb = c\n", "[a]\n\t1b = c\n", "[a]\n\tb_c = d\n", "[a]\n\tb = c\td\n",
		"[a \"b]\n\tc = d\n", "[]\n\tc = d\n", "[a]\n\tb c = d\n", "[a]\n\tb = c\x01\n",
	};
	struct git_change c;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_false(may(CORE, rows[i], NULL));
		assert_false(may(rows[i], CORE, NULL));
	}
	assert_false(git_change_may("", 0, "[a]\n\tb = c\0d\n", 13, "", &c));
	assert_true(c.unread);
	assert_false(git_change_may("", GIT_CHANGE_MOST + 1, "", 0, "", &c));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_harmless),
		cmocka_unit_test(test_kept),
		cmocka_unit_test(test_unread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
