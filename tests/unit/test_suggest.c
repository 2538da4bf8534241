/* "did you mean": near words are found, far ones are not guessed. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "compiler/diag/diag.h"

static const char *const words[] = { "allow", "deny", "because", "network", "ask", "file" };

static void check(const char *word, const char *want)
{
	const char *got = diag_suggest(str_from(word), words, POL_LEN(words));

	print_message("%s\n", word);
	if (want)
		assert_string_equal(got ? got : "(none)", want);
	else
		assert_null(got);
}

static void test_slips_are_found(void **state)
{
	(void)state;
	check("alow", "allow");	    /* left out */
	check("alloow", "allow");   /* doubled */
	check("denx", "deny");	    /* changed */
	check("dney", "deny");	    /* swapped */
	check("becuase", "because");
	check("netwrok", "network");
	check("Allow", "allow");    /* case */
	check("FILE", "file");
}

static void test_other_words_are_not_guessed(void **state)
{
	(void)state;
	check("permit", NULL);
	check("x", NULL);
	check("", NULL);
	check("as", NULL);	    /* two letters: no distance left */
	check("dxxy", NULL);	    /* more than a third */
	check("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", NULL);
}

static void test_the_nearest_wins(void **state)
{
	static const char *const near[] = { "options", "option", "operand" };

	(void)state;
	assert_string_equal(diag_suggest(STR("optio"), near, 3), "option");
	assert_string_equal(diag_suggest(STR("optionss"), near, 3), "options");
	assert_null(diag_suggest(STR("option"), near, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_slips_are_found),
		cmocka_unit_test(test_other_words_are_not_guessed),
		cmocka_unit_test(test_the_nearest_wins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
