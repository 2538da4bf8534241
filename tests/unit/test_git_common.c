/* Which .git files lead to a repository that names the project, too. */
#include "runtime/base/git_common.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char top[PATH_MAX];

static const char *at(const char *name)
{
	static char path[4][PATH_MAX + 64];
	static unsigned turn;
	char *ret = path[turn++ % 4];

	(void)snprintf(ret, sizeof(path[0]), "%s/%s", top, name);
	return ret;
}

static void put(const char *name, const char *text)
{
	FILE *f = fopen(at(name), "w");

	assert_non_null(f);
	for (; *text; text++) /* "@" stands for the test's folder */
		*text == '@' ? fputs(top, f) : fputc(*text, f);
	assert_int_equal(fclose(f), 0);
}

static int set_up(void **state)
{
	char made[] = "/tmp/git-common-XXXXXX";
	static const char *const dirs[] = { "home", "home/p", "home/m", "home/m/worktrees", "home/m/worktrees/p",
					    "home/m/modules", "home/m/modules/p", "home/m/objects", "home/m/refs",
					    "home/m/modules/p/objects", "home/m/modules/p/refs" };

	(void)state;
	if (!mkdtemp(made) || !realpath(made, top))
		return -1;
	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++)
		if (mkdir(at(dirs[i]), 0755) != 0)
			return -1;
	put("home/m/HEAD", "ref: refs/heads/main\n");
	put("home/m/modules/p/HEAD", "ref: refs/heads/main\n");
	put("home/m/worktrees/p/commondir", "../..\n");
	put("home/m/worktrees/p/gitdir", "@/home/p/.git\n");
	put("home/m/modules/p/config", "[core]\n\tbare = false\n\tworktree = ../../../p\n");
	put("home/p/.git", "gitdir: @/home/m/worktrees/p\n");
	return 0;
}

static int tear_down(void **state)
{
	char command[PATH_MAX + 32];

	(void)state;
	(void)snprintf(command, sizeof(command), "rm -rf '%s'", top);
	return system(command);
}

static char found[PATH_MAX];

static int find_from(const char *project)
{
	return git_common_find(at(project), at("home"), getuid(), found);
}

static void assert_worktree(void)
{
	assert_int_equal(find_from("home/p"), 0);
	assert_string_equal(found, at("home/m"));
}

static void test_a_worktree(void **state)
{
	(void)state;
	assert_worktree();
	/* as `git worktree add --relative-paths` writes them */
	put("home/p/.git", "gitdir: ../m/worktrees/p\n");
	put("home/m/worktrees/p/gitdir", "../../../p/.git\n");
	assert_worktree();
}

static void test_a_submodule(void **state)
{
	(void)state;
	put("home/p/.git", "gitdir: ../m/modules/p\n");
	assert_int_equal(find_from("home/p"), 0);
	assert_string_equal(found, at("home/m/modules/p"));
	put("home/m/modules/p/config", "[core]\n\tbare = false\n");
	assert_int_equal(find_from("home/p"), -EPERM);
	put("home/m/modules/p/config.worktree", "[core]\n\tworktree = ../../../p\n");
	assert_int_equal(find_from("home/p"), 0);
}

static void test_no_word_of_the_repository(void **state)
{
	static const char *const configs[] = {
		"", "[core]\n\tworktree = ../../../q\n", "[core]\n\tworktree = \"../../../p\"\n",
		"[core \"x\"]\n\tworktree = ../../../p\n", "[other]\n\tworktree = ../../../p\n",
		"[core]\n\tworktree = ../../../p # ../../../p\n", "[core]\n\tworktree\n",
		"[core]\n\tworktree = ../../../p\\\n", "[core]\n\tworktree = ../../../p\n\tworktree = /\n",
	};

	(void)state;
	put("home/m/worktrees/p/gitdir", "@/home/q/.git\n");
	assert_int_equal(find_from("home/p"), -EPERM);
	assert_int_equal(unlink(at("home/m/worktrees/p/gitdir")), 0);
	assert_int_equal(find_from("home/p"), -EPERM);
	put("home/p/.git", "gitdir: ../m/modules/p\n");
	for (size_t i = 0; i < sizeof(configs) / sizeof(configs[0]); i++) {
		put("home/m/modules/p/config", configs[i]);
		assert_int_equal(find_from("home/p"), -EPERM);
	}
}

static void test_a_commondir_that_is_not_above(void **state)
{
	(void)state;
	assert_int_equal(mkdir(at("home/v"), 0755), 0);
	put("home/m/worktrees/p/commondir", "@/home/v\n");
	assert_int_equal(find_from("home/p"), -EPERM);
	assert_int_equal(mkdir(at("home/v/objects"), 0755) | mkdir(at("home/v/refs"), 0755), 0);
	assert_int_equal(find_from("home/p"), -EPERM);
	put("home/m/worktrees/p/commondir", "..\n");
	assert_int_equal(find_from("home/p"), -EPERM);
}

static void test_what_leads_to_no_repository(void **state)
{
	static const char *const texts[] = { "", "gitdir: \n", "gitdir: ../none\n", "gitdir:../m/worktrees/p\n", "../m\n" };

	(void)state;
	assert_int_equal(find_from("home/m"), -ENOENT);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		put("home/p/.git", texts[i]);
		assert_int_equal(find_from("home/p"), -ENOENT);
	}
	/* a link, whatever it leads to */
	put("home/p/file", "gitdir: ../m/worktrees/p\n");
	assert_int_equal(unlink(at("home/p/.git")), 0);
	assert_int_equal(symlink("file", at("home/p/.git")), 0);
	assert_int_equal(find_from("home/p"), -ENOENT);
}

static void test_no_repository_s_folders(void **state)
{
	(void)state;
	assert_int_equal(rmdir(at("home/m/refs")), 0);
	assert_int_equal(find_from("home/p"), -EPERM);
	assert_int_equal(mkdir(at("home/m/refs"), 0755), 0);
	assert_worktree();
	assert_int_equal(unlink(at("home/m/HEAD")), 0);
	assert_int_equal(find_from("home/p"), -EPERM);
}

/* A clone or an archive can hold folders that look like a repository. */
static void test_no_project_and_no_content_of_one(void **state)
{
	static const char *const marks[] = { "home/m/.git", "home/m/.pol", "home/a/.git", "home/a/.pol" };

	(void)state;
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		if (i == 2) { /* from here on the repository lies in the folder a */
			assert_int_equal(mkdir(at("home/a"), 0755), 0);
			assert_int_equal(rename(at("home/m"), at("home/a/m")), 0);
			put("home/p/.git", "gitdir: ../a/m/worktrees/p\n");
			assert_int_equal(find_from("home/p"), 0);
		}
		assert_int_equal(mkdir(at(marks[i]), 0755), 0);
		assert_int_equal(find_from("home/p"), -EPERM);
		assert_int_equal(rmdir(at(marks[i])), 0);
		assert_int_equal(find_from("home/p"), 0);
	}
	/* a file that leads elsewhere, and one that leads there: "a" has worktrees only */
	put("home/a/.git", "gitdir: ../p\n");
	assert_int_equal(find_from("home/p"), -EPERM);
	put("home/a/.git", "gitdir: ./m\n");
	assert_int_equal(find_from("home/p"), 0);
	assert_int_equal(mkdir(at("home/a/.pol"), 0755), 0);
	assert_int_equal(find_from("home/p"), 0);
	/* below a .git, which no clone brings */
	assert_int_equal(unlink(at("home/a/.git")) | mkdir(at("home/a/.git"), 0755), 0);
	assert_int_equal(rename(at("home/a/m"), at("home/a/.git/m")), 0);
	put("home/p/.git", "gitdir: ../a/.git/m/worktrees/p\n");
	assert_int_equal(find_from("home/p"), 0);
}

/* What the repository names is the project itself, and not what leads there by a link. */
static void test_no_word_through_a_link(void **state)
{
	(void)state;
	assert_int_equal(symlink("p", at("home/q")), 0);
	put("home/m/worktrees/p/gitdir", "@/home/q/.git\n");
	assert_int_equal(find_from("home/p"), -EPERM);
	put("home/m/worktrees/p/gitdir", "../../../q/.git\n");
	assert_int_equal(find_from("home/p"), -EPERM);
	put("home/p/.git", "gitdir: ../m/modules/p\n");
	put("home/m/modules/p/config", "[core]\n\tworktree = ../../../q\n");
	assert_int_equal(find_from("home/p"), -EPERM);
	put("home/m/modules/p/config", "[core]\n\tworktree = ../../../p\n");
	assert_int_equal(find_from("home/p"), 0);
}

static void test_not_the_caller_s_own(void **state)
{
	(void)state;
	assert_int_equal(git_common_find(at("home/p"), at("home"), getuid() + 1, found), -ENOENT);
	assert_worktree();
}

static void test_not_around_the_project_or_home(void **state)
{
	(void)state;
	assert_int_equal(mkdir(at("home/m/in"), 0755), 0);
	put("home/m/in/.git", "gitdir: ../worktrees/p\n");
	put("home/m/worktrees/p/gitdir", "@/home/m/in/.git\n");
	assert_int_equal(find_from("home/m/in"), -EPERM);
	put("home/m/worktrees/p/gitdir", "@/home/p/.git\n");
	assert_int_equal(git_common_find(at("home/p"), at("home/m/in"), getuid(), found), -EPERM);
	assert_worktree();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_a_worktree, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_a_submodule, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_no_word_of_the_repository, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_a_commondir_that_is_not_above, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_what_leads_to_no_repository, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_no_repository_s_folders, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_no_project_and_no_content_of_one, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_no_word_through_a_link, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_not_the_caller_s_own, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_not_around_the_project_or_home, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
