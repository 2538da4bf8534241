/* limits.bin, env.bin and the network's mode: what is written, what is said. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "runtime/bundle/check.h"
#include "tests/unit/bundle_make.h"

static enum bk_exactness of_scalar(const struct mk *m, enum ir_scalar_id id,
				   const char *part)
{
	for (size_t i = 0; i < m->report.notes.n; i++) {
		const struct bk_note *n = &m->report.notes.v[i];

		if (!n->rule && !n->whole && n->scalar == id &&
		    memmem(n->note.p, n->note.n, part, strlen(part)))
			return n->exactness;
	}
	return BK_NONE;
}

static void test_each_limit_names_its_mechanism(void **state)
{
	static const struct {
		enum ir_scalar_id id;
		enum pb_limit_kind kind;
		enum bk_exactness exactness;
		const char *part;
	} rows[] = {
		{ IR_S_LIMIT_CPU, PB_L_CPU, BK_ENTRY_ONLY, "cpu: " },
		{ IR_S_LIMIT_MEMORY, PB_L_MEMORY, BK_UNDER, "RLIMIT_DATA per process" },
		{ IR_S_LIMIT_PROCESSES, PB_L_PROCESSES, BK_EXACT, "RLIMIT_NPROC" },
		{ IR_S_LIMIT_FILES, PB_L_FILES, BK_EXACT, "RLIMIT_NOFILE" },
		{ IR_S_LIMIT_DISK, PB_L_DISK, BK_ENTRY_ONLY, "tmpfs" },
		{ IR_S_LIMIT_TIME, PB_L_TIME, BK_EXACT, "timer" },
		{ IR_S_LIMIT_OUTPUT, PB_L_OUTPUT, BK_ENTRY_ONLY, "output: " },
		{ IR_S_LIMIT_STDOUT, PB_L_STDOUT, BK_ENTRY_ONLY, "stdout: " },
		{ IR_S_LIMIT_STDERR, PB_L_STDERR, BK_ENTRY_ONLY, "stderr: " },
		{ IR_S_LIMIT_FILE_SIZE, PB_L_FILE_SIZE, BK_EXACT, "RLIMIT_FSIZE" },
		{ IR_S_LIMIT_WRITTEN, PB_L_WRITTEN, BK_ENTRY_ONLY, "written: " },
	};

	(void)state;
	for (size_t i = 0; i < POL_LEN(rows); i++) {
		const struct pb_limits *h;
		const struct pb_limit *l;
		struct mk m;

		mk_init(&m);
		mk_scalar(&m, rows[i].id, 1000 + i);
		bk_limits.check(m.ir, &m.report, &m.sink);
		assert_int_equal(m.report.notes.n, 1);
		assert_int_equal(of_scalar(&m, rows[i].id, rows[i].part),
				 rows[i].exactness);
		assert_true(bk_limits.emit(m.ir, &m.out, &m.sink));
		assert_null(bk_limits.verify(m.ir, &m.out, &m.a));
		h = (const void *)m.out.members.v[0].bytes.p;
		assert_int_equal(h->limits.count, 1);
		l = (const void *)((const char *)h + h->limits.off);
		assert_int_equal(l->kind, rows[i].kind);
		assert_int_equal(l->value, 1000 + i);
		assert_int_equal(l->rule, m.ir->rules.n + rows[i].id);
		mk_release(&m);
	}
}

static void test_verify_sees_another_limit(void **state)
{
	struct pb_limit *l;
	struct bk_member *b;
	struct mk m;

	(void)state;
	mk_init(&m);
	mk_scalar(&m, IR_S_LIMIT_TIME, 60000);
	mk_scalar(&m, IR_S_LIMIT_MEMORY, 1 << 30);
	assert_true(bk_limits.emit(m.ir, &m.out, &m.sink));
	assert_null(bk_limits.verify(m.ir, &m.out, &m.a));
	b = &m.out.members.v[0];
	b->bytes.p = arena_dup(&m.a, b->bytes.p, b->bytes.n);
	l = (struct pb_limit *)(uintptr_t)(b->bytes.p + sizeof(struct pb_limits));
	l[1].value++;
	assert_non_null(bk_limits.verify(m.ir, &m.out, &m.a));
	l[1].value--;
	l[1].rule--;
	assert_non_null(bk_limits.verify(m.ir, &m.out, &m.a));
	l[1].rule++;
	assert_null(bk_limits.verify(m.ir, &m.out, &m.a));
	mk_scalar(&m, IR_S_LIMIT_FILES, 9);
	assert_non_null(bk_limits.verify(m.ir, &m.out, &m.a));
	mk_release(&m);
}

static void test_environment(void **state)
{
	char *text = NULL;
	size_t n = 0;
	struct mk m;
	FILE *f;

	(void)state;
	mk_init(&m);
	mk_env(&m, "CI", "a \"b\" ${HOME}");
	mk_env(&m, "PATH", NULL);
	mk_env(&m, "LC_*", NULL);
	assert_true(bk_env.emit(m.ir, &m.out, &m.sink));
	assert_null(bk_env.verify(m.ir, &m.out, &m.a));
	f = open_memstream(&text, &n);
	bk_env.print(f, &m.out);
	assert_int_equal(fclose(f), 0);
	assert_string_equal(text, "env keep PATH\nenv keep LC_*\n"
				  "env set  CI = \"a \\\"b\\\" ${HOME}\"\n");
	free(text);
	m.ir->env.v[0].value = STR("2");
	assert_non_null(bk_env.verify(m.ir, &m.out, &m.a));
	mk_release(&m);
}

static void test_published_ports(void **state)
{
	char *text = NULL;
	size_t n = 0;
	struct mk m;
	FILE *f;

	(void)state;
	mk_init(&m);
	assert_true(bk_publish.emit(m.ir, &m.out, &m.sink));
	assert_null(bk_member(&m.out, PB_PUBLISH)); /* a policy without any has no such member */
	assert_null(bk_publish.verify(m.ir, &m.out, &m.a));
	mk_publish(&m, 3000, 3999, false);
	mk_publish(&m, 5432, 5432, true);
	assert_non_null(bk_publish.verify(m.ir, &m.out, &m.a));
	assert_true(bk_publish.emit(m.ir, &m.out, &m.sink));
	assert_null(bk_publish.verify(m.ir, &m.out, &m.a));
	f = open_memstream(&text, &n);
	bk_publish.print(f, &m.out);
	assert_int_equal(fclose(f), 0);
	assert_string_equal(text, "publish tcp 3000-3999  # p.pol:3\ndeny publish tcp 5432-5432  # p.pol:3\n");
	free(text);
	m.ir->publish.v[1].deny = false;
	assert_non_null(bk_publish.verify(m.ir, &m.out, &m.a));
	mk_release(&m);
}

static void test_environment_has_a_limit(void **state)
{
	struct mk m;

	(void)state;
	mk_init(&m);
	for (size_t i = 0; i < CHECK_MAX_ENV; i++)
		mk_env(&m, arena_printf(&m.a, "V%zu", i), NULL);
	assert_true(bk_env.emit(m.ir, &m.out, &m.sink));
	mk_env(&m, "ONE_MORE", NULL);
	assert_false(bk_env.emit(m.ir, &m.out, &m.sink));
	assert_int_equal(m.sink.errors, 1);
	mk_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_limit_names_its_mechanism),
		cmocka_unit_test(test_verify_sees_another_limit),
		cmocka_unit_test(test_environment),
		cmocka_unit_test(test_published_ports),
		cmocka_unit_test(test_environment_has_a_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
