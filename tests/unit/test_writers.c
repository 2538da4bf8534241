/* Whose group a group is, by the texts of /etc/passwd and /etc/group. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "runtime/base/writers.h"

#define USERS "# users\nroot:x:0:0:root:/root:/bin/sh\n\nann:x:1000:1000:A:/home/ann:/bin/sh\n"
#define GROUPS "root:x:0:\nann:x:1000:\nteam:x:1002:ann,ben\n"
#define BEN "ben:x:1001:1001::/home/ben:/bin/sh\n"

static const struct {
	const char *name, *users, *groups, *why; /* NULL: it is private */
} cases[] = {
	{ "as useradd makes it", USERS BEN, GROUPS, NULL },
	{ "no last line end", USERS "ben:x:1001:1001::/home/ben:", "ann:x:1000:", NULL },
	{ "the user as the only member", USERS, "ann:x:1000:ann\n", NULL },
	{ "the user twice", USERS, "ann:x:1000:ann,ann\n", NULL },
	{ "a locked password", USERS, "ann:!:1000:\n", NULL },
	{ "no password that could be", USERS, "ann:*:1000:\n", NULL },
	{ "a comment", USERS, "# ben:x:1000:ben\nann:x:1000:\n", NULL },

	{ "a second member", USERS BEN, "ann:x:1000:ann,ben\n", "another member" },
	{ "another member alone", USERS BEN, "ann:x:1000:ben\n", "another member" },
	{ "a member who is no user", USERS, "ann:x:1000:gone\n", "another member" },
	{ "a name that begins as the user's", USERS, "ann:x:1000:anna\n", "another member" },
	{ "the beginning of the user's name", USERS, "ann:x:1000:an\n", "another member" },
	{ "an empty member", USERS, "ann:x:1000:,\n", "another member" },
	{ "an empty member after the user", USERS, "ann:x:1000:ann,,\n", "another member" },
	{ "a space", USERS, "ann:x:1000:ann, ben\n", "another member" },
	{ "a member at a line end of DOS", USERS, "ann:x:1000:\r\n", "another member" },

	{ "another user's primary group", USERS "ben:x:1001:1000::/:\n", GROUPS, "another user's primary" },
	{ "and this one comes first", "ben:x:1001:1000::/:\n" USERS, GROUPS, "another user's primary" },
	{ "a number with a zero before it", USERS "ben:x:1001:01000::/:\n", GROUPS, "another user's primary" },
	{ "not the primary group", "ann:x:1000:100::/:\n", GROUPS, "not this user's primary" },
	{ "not the group's name", USERS, "users:x:1000:\n", "user's name" },
	{ "the name has another number", USERS, "ann:x:1001:\n", "user's name" },
	{ "the group has a password", USERS, "ann:$6$a$b:1000:\n", "password" },
	{ "the group's password is empty", USERS, "ann::1000:\n", "password" },

	{ "no user", "root:x:0:0:root:/root:/bin/sh\n", GROUPS, "do not tell" },
	{ "no users", "", GROUPS, "do not tell" },
	{ "no group", USERS, "root:x:0:\n", "do not tell" },
	{ "no groups", USERS, "", "do not tell" },
	{ "two names of the user", USERS "ann2:x:1000:1000::/:\n", GROUPS, "do not tell" },
	{ "two entries of the group", USERS, GROUPS "ann:x:1000:\n", "do not tell" },
	{ "two names of the number", USERS, GROUPS "also:x:1000:ben\n", "do not tell" },
	{ "two numbers of the name", USERS, GROUPS "ann:x:1005:\n", "do not tell" },
	{ "users of NIS", USERS "+::::::\n", GROUPS, "do not tell" },
	{ "groups of NIS", USERS, GROUPS "+:::\n", "do not tell" },
	{ "a user whose line is cut off", USERS "ben:x:1001\n", GROUPS, "do not tell" },
	{ "a number that another reader takes", USERS "ben:x:1001: 1000::/:\n", GROUPS, "do not tell" },
	{ "a sign", USERS "ben:x:1001:+1000::/:\n", GROUPS, "do not tell" },
	{ "a group without members' field", USERS, GROUPS "also:x:1000\n", "do not tell" },
	{ "a group with too many fields", USERS, "ann:x:1000::ben\n", "do not tell" },
	{ "a group's number that is none", USERS, GROUPS "also:x:1000x:ben\n", "do not tell" },
	{ "a line of spaces", USERS, GROUPS "  \n", "do not tell" },
};

static void test_texts(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *why = writers_private_group(cases[i].users, cases[i].groups, 1000, 1000);
		const char *want = cases[i].why;

		if (!why != !want || (want && !strstr(why, want)))
			fail_msg("%s: %s", cases[i].name, why ? why : "private");
	}
}

static void test_users_without_one(void **state)
{
	(void)state;
	assert_null(writers_private_group(USERS, GROUPS, 1000, 1000)); /* the control */
	assert_non_null(writers_private_group(USERS, GROUPS, 1000, 1002));
	assert_non_null(writers_private_group(USERS, GROUPS, 1001, 1000));
	assert_non_null(writers_private_group(USERS, GROUPS, 0, 0));
	assert_non_null(writers_private_group("ann:x:1000:0::/:\n", "ann:x:0:\n", 1000, 0));
	/* who has no number here looks like this user, whoever it is */
	assert_non_null(writers_private_group("nobody:x:65534:65534::/:\n", "nobody:x:65534:\n", 65534, 65534));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_users_without_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
