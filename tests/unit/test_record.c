/*
 * What polc takes from polnft-record.  This program plays both: executed under the
 * helper's name, it answers as the first word of its standard input says.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>
#include <fcntl.h>

#include "compiler/backend/nft/capture.h"
#include "compiler/backend/nft/record.h"
#include "runtime/base/io.h"

/* --- the helper's side ------------------------------------------------------------- */

static void __attribute__((noreturn)) flood(void)
{
	static const char words[4096] = "words";

	while (io_write_all(1, words, sizeof(words)) == 0)
		;
	_exit(0);
}

static void __attribute__((noreturn)) play(const char *as)
{
	struct {
		struct record_answer r;
		char rest[64];
	} a = { .r = { .verdict = RECORD_REFUSED, .why = "because" } };
	size_t n = sizeof(a.r);

	memcpy(a.r.magic, RECORD_MAGIC, sizeof(a.r.magic));
	if (strcmp(as, "namespace") == 0)
		a.r.verdict = RECORD_NO_NAMESPACE;
	else if (strcmp(as, "environment") == 0)
		(void)snprintf(a.r.why, sizeof(a.r.why), "%s", environ[0] ?: "empty");
	else if (strcmp(as, "more") == 0)
		n++;
	else if (strcmp(as, "less") == 0)
		n--;
	else if (strcmp(as, "nothing") == 0)
		n = 0;
	else if (strcmp(as, "garbage") == 0)
		memset(&a, 'y', n = sizeof(a));
	else if (strcmp(as, "nobody") == 0)
		a.r.verdict = 0;
	else if (strcmp(as, "promise") == 0)
		a.r.verdict = RECORD_DONE, a.r.batch = UINT32_MAX, a.r.listing[0] = 64;
	else if (strcmp(as, "batch") == 0)
		a.r.verdict = RECORD_DONE, a.r.batch = 64, n += 64;
	else if (strcmp(as, "hang") == 0)
		(void)pause();
	else if (strcmp(as, "flood") == 0)
		flood();
	(void)io_write_all(1, &a, n);
	if (strcmp(as, "die") == 0)
		(void)raise(SIGKILL);
	_exit(strcmp(as, "status") == 0 ? 3 : 0);
}

/* --- polc's side ------------------------------------------------------------------- */

static void test_an_answer_is_taken_whole_or_not_at_all(void **state)
{
	static const struct {
		const char *as, *why;
		enum nft_capture_result result;
	} rows[] = {
		/* the controls: complete answers say what they say */
		{ "refused", "because", NFT_REFUSED },
		{ "namespace", "because", NFT_NO_NAMESPACE },
		{ "environment", "empty", NFT_REFUSED },
		{ "more", "another length", NFT_REFUSED },
		{ "less", "no answer that polc understands", NFT_REFUSED },
		{ "nothing", "no answer that polc understands", NFT_REFUSED },
		{ "garbage", "no answer that polc understands", NFT_REFUSED },
		{ "nobody", "because", NFT_REFUSED },
		{ "promise", "another length", NFT_REFUSED },
		{ "batch", "nft.batch", NFT_REFUSED },
		{ "hang", "polnft-record took longer than 1 s", NFT_REFUSED },
		{ "flood", "does not end its answer", NFT_REFUSED },
		{ "die", "polnft-record was killed: Killed", NFT_REFUSED },
		{ "status", "polnft-record ended with status 3", NFT_REFUSED },
	};
	AUTO_CLOSE int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	(void)state;
	assert_true(self >= 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		bool hangs = strcmp(rows[i].as, "hang") == 0;
		struct nft_captured c;
		const char *why = "";
		struct arena a;

		arena_init(&a, ARENA_DEFAULT_BUDGET);
		assert_int_equal(nft_capture_by(&a, self, hangs ? 1 : 60,
						str_from(rows[i].as), &c, &why),
				 rows[i].result);
		if (!strstr(why, rows[i].why))
			fail_msg("%s: '%s' does not say '%s'", rows[i].as, why,
				 rows[i].why);
		assert_null(c.version.p);
		arena_release(&a);
	}
}

static void test_what_cannot_be_executed_is_said(void **state)
{
	AUTO_CLOSE int self = open("/dev/null", O_RDONLY | O_CLOEXEC);
	struct nft_captured c;
	const char *why = "";
	struct arena a;

	(void)state;
	arena_init(&a, ARENA_DEFAULT_BUDGET);
	assert_int_equal(nft_capture_by(&a, self, 60, STR("refused"), &c, &why),
			 NFT_REFUSED);
	assert_string_equal(why, "executing polnft-record: Permission denied");
	arena_release(&a);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_an_answer_is_taken_whole_or_not_at_all),
		cmocka_unit_test(test_what_cannot_be_executed_is_said),
	};
	AUTO_FREE char *as = NULL;
	size_t n;

	if (argc == 1 && strcmp(argv[0], RECORD_PROGRAM) == 0)
		play(io_read_all(0, 4096, &as, &n) < 0 ? "" : as);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
