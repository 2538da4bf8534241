/* The facts of std/base that are a part of the program (runtime/bundle/common_bytes.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <sodium.h>

#include "runtime/bundle/canonical.h"
#include "runtime/bundle/check.h"
#include "runtime/bundle/common.h"
#include "runtime/bundle/common_bytes.h"
#include "runtime/bundle/manifest.h"
#include "tests/unit/bundle_parse.h"

#define FILE_NAME "common.polb"

static void test_the_bytes_are_a_member_with_that_digest(void **state)
{
	uint8_t is[32], want[32];
	struct rt_err err = { 0 };

	(void)state;
	assert_int_equal(crypto_generichash(is, 32, bundle_common.data, bundle_common.size,
					    NULL, 0), 0);
	assert_true(canonical_unhex(bundle_common.b2, want));
	assert_memory_equal(is, want, 32);
	assert_true(bundle_common_is(bundle_common.size, is));
	assert_int_equal(bundle_check_commands(bundle_common.data, bundle_common.size, &err),
			 0);
	is[31] ^= 1;
	assert_false(bundle_common_is(bundle_common.size, is));
	is[31] ^= 1;
	assert_false(bundle_common_is(bundle_common.size - 8, is));
}

/* A bundle with these commands.bin, in FILE_NAME; `flip`: a byte of them is damaged. */
static void write_bundle(const void *commands, size_t n, bool flip)
{
	struct mk m;
	struct str s;
	char *copy, *at;
	bool ok;
	FILE *f;

	mk_sample(&m);
	assert_true(mk_emit(&m));
	for (size_t i = 0; i < m.out.members.n; i++) {
		struct bk_member *v = &m.out.members.v[i];

		if (str_eqz(v->path, PB_COMMANDS) && commands)
			v->bytes = (struct str){ commands, n };
		else if (str_eqz(v->path, PB_COMMANDS))
			commands = v->bytes.p, n = v->bytes.n;
	}
	s = mk_write(&m, MK_OPTIONS, &ok);
	assert_true(ok);
	copy = arena_dup(&m.a, s.p, s.n);
	at = memmem(copy, s.n, commands, n);
	assert_non_null(at);
	if (flip)
		at[n / 2] ^= 1;
	f = fopen(FILE_NAME, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(copy, 1, s.n, f), s.n);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(chmod(FILE_NAME, 0600), 0);
	mk_release(&m);
}

/* The archive's bytes are not even read. */
static void test_equal_facts_are_taken_from_the_program(void **state)
{
	(void)state;
	for (int flip = 0; flip < 2; flip++) {
		struct rt_err err = { 0 };
		const struct bundle_member *m;
		struct bundle b;

		write_bundle(bundle_common.data, bundle_common.size, flip);
		assert_int_equal(bundle_open_run(FILE_NAME, &b, &err), 0);
		assert_ptr_equal(b.commands, bundle_common.data);
		m = bundle_member(&b, PB_COMMANDS);
		assert_non_null(m);
		assert_ptr_equal(m->data, bundle_common.data);
		bundle_forget_commands(&b);
		assert_null(bundle_member(&b, PB_COMMANDS));
		bundle_release(&b);
	}
	(void)unlink(FILE_NAME);
}

static void test_other_facts_are_the_bundles_own(void **state)
{
	struct rt_err err = { 0 };
	struct bundle b;

	(void)state;
	write_bundle(NULL, 0, false);
	assert_int_equal(bundle_open_run(FILE_NAME, &b, &err), 0);
	assert_ptr_not_equal(b.commands, bundle_common.data);
	bundle_release(&b);
	write_bundle(NULL, 0, true);
	assert_true(bundle_open_run(FILE_NAME, &b, &err) < 0);
	assert_non_null(strstr(err.text, "is damaged"));
	(void)unlink(FILE_NAME);
}

/* Who writes the digest of our bytes into the manifest for others gets nothing. */
static void test_the_manifest_must_mean_our_bytes(void **state)
{
	char line[200];
	int n = snprintf(line, sizeof(line),
			 "{\"path\": \"" PB_COMMANDS "\", \"size\": %zu, \"blake2b\": \"%s\"}",
			 bundle_common.size, bundle_common.b2);

	(void)state;
	assert_true(bundle_common_in(line, (size_t)n));
	assert_false(bundle_common_in(line, (size_t)n - 1));
	line[n - 3] ^= 1;
	assert_false(bundle_common_in(line, (size_t)n));
	line[n - 3] ^= 1;
	memcpy(strstr(line, "commands"), "Commands", 8);
	assert_false(bundle_common_in(line, (size_t)n));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_bytes_are_a_member_with_that_digest),
		cmocka_unit_test(test_equal_facts_are_taken_from_the_program),
		cmocka_unit_test(test_other_facts_are_the_bundles_own),
		cmocka_unit_test(test_the_manifest_must_mean_our_bytes),
	};

	char dir[] = "/tmp/pol-test-common.XXXXXX";
	int failed;

	if (!bundle_common.size) {
		puts("this variant has no common.o");
		return 0;
	}
	if (!mkdtemp(dir) || chdir(dir) != 0)
		return 1;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	return chdir("/") == 0 && rmdir(dir) == 0 ? failed : 1;
}
