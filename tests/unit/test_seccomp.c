/*
 * The back end as its callers see it: what check reports and refuses, that
 * rules of one statement are one, that equal input gives equal bytes, and
 * that the disassembly names calls and rules.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "compiler/backend/seccomp/members.h"
#include "compiler/backend/seccomp/seccomp.h"
#include "compiler/backend/seccomp/select.h"
#include "tests/lib/syscall_ir.h"

struct fixture {
	struct arena a;
	struct ir *ir;
	struct diag_sink sink;
	struct bk_report report;
	struct bk_output out;
};

static void start(struct fixture *f, enum ir_effect otherwise)
{
	arena_init(&f->a, ARENA_DEFAULT_BUDGET);
	f->ir = ir_new(&f->a);
	f->ir->scalars[IR_S_SYSCALL_OTHERWISE].effect = otherwise;
	diag_init(&f->sink, &f->a);
	f->report = (struct bk_report){ .a = &f->a };
	f->out = (struct bk_output){ .a = &f->a };
}

static struct ir_cond *flag(struct fixture *f, unsigned arg, uint64_t bit)
{
	return sir_cmp(&f->a, arg, 32, IR_NE, bit, 0);
}

static void check(struct fixture *f)
{
	sir_finish(f->ir);
	bk_seccomp.check(f->ir, &f->report, &f->sink);
}

static const struct bk_note *note_of(const struct fixture *f, const struct ir_rule *r)
{
	for (size_t i = 0; i < f->report.notes.n; i++)
		if (f->report.notes.v[i].rule == r)
			return &f->report.notes.v[i];
	return NULL;
}

static bool has(struct str text, const char *part)
{
	return memmem(text.p, text.n, part, strlen(part)) != NULL;
}

static void test_check_reports_exactness(void **state)
{
	struct fixture f;
	struct ir_rule *deny, *ask, *host, *clone;

	(void)state;
	start(&f, IR_ALLOW);
	deny = sir_rule(f.ir, IR_USER, IR_DENY, sir_nr("ptrace"), NULL);
	ask = sir_rule(f.ir, IR_USER, IR_ASK, sir_nr("bpf"), NULL);
	host = sir_rule(f.ir, IR_USER, IR_DENY, sir_nr("mount"), NULL);
	host->scopes = IR_HOST;
	clone = sir_rule(f.ir, IR_USER, IR_DENY, sir_nr("clone"),
			 flag(&f, 0, 0x10000000));
	check(&f);
	assert_int_equal(f.sink.errors, 0);
	assert_int_equal(note_of(&f, deny)->exactness, BK_EXACT);
	assert_int_equal(note_of(&f, ask)->exactness, BK_OVER);
	assert_true(has(note_of(&f, ask)->note, "cannot ask"));
	assert_null(note_of(&f, host));
	assert_int_equal(note_of(&f, clone)->exactness, BK_EXACT);
	assert_true(has(note_of(&f, clone)->note, "clone3"));
	arena_release(&f.a);
}

static void test_check_is_content_with_clone3_denied(void **state)
{
	struct fixture f;
	struct ir_rule *clone;

	(void)state;
	start(&f, IR_ALLOW);
	sir_rule(f.ir, IR_USER, IR_DENY, sir_nr("clone3"), NULL)->err = ENOSYS;
	clone = sir_rule(f.ir, IR_USER, IR_DENY, sir_nr("clone"),
			 flag(&f, 0, 0x10000000));
	check(&f);
	assert_int_equal(note_of(&f, clone)->note.n, 0);
	arena_release(&f.a);
}

static void test_check_refuses_what_stops_the_launch(void **state)
{
	static const char *const needs[] = { "execve", "read", "write", "close",
					     "exit_group" };

	(void)state;
	for (size_t i = 0; i < POL_LEN(needs); i++)
		for (unsigned effect = IR_ASK; effect <= IR_DENY; effect++) {
			struct fixture f;
			struct ir_rule *r;

			start(&f, IR_ALLOW);
			r = sir_rule(f.ir, IR_USER, (enum ir_effect)effect,
				     sir_nr(needs[i]), NULL);
			sir_finish(f.ir);
			r->at.span = (struct span){ 0, 7, 3 };
			bk_seccomp.check(f.ir, &f.report, &f.sink);
			assert_int_equal(f.sink.errors, 1);
			assert_int_equal(f.sink.list.v[0]->code, DIAG_SECCOMP_LAUNCH);
			assert_int_equal(f.sink.list.v[0]->at.off, 7);
			assert_true(has(f.sink.list.v[0]->text, needs[i]));
			arena_release(&f.a);
		}
}

static void test_check_lets_conditions_on_launch_calls_pass(void **state)
{
	struct fixture f;

	(void)state;
	start(&f, IR_ALLOW);
	sir_rule(f.ir, IR_USER, IR_DENY, sir_nr("write"), flag(&f, 0, 0x80));
	sir_rule(f.ir, IR_DEFAULT, IR_DENY, sir_nr("getpid"), NULL);
	check(&f);
	assert_int_equal(f.sink.errors, 0);
	arena_release(&f.a);
	/* otherwise deny: each of the five has to be allowed */
	start(&f, IR_DENY);
	sir_rule(f.ir, IR_USER, IR_ALLOW, sir_nr("execve"), NULL);
	check(&f);
	assert_int_equal(f.sink.errors, 4);
	arena_release(&f.a);
}

static void test_rules_of_one_statement_are_one(void **state)
{
	static const char *const group[] = { "fsopen", "fsconfig", "fsmount" };
	struct fixture f;
	struct emitted e;
	struct ir_rule *r[3];

	(void)state;
	start(&f, IR_ALLOW);
	for (size_t i = 0; i < 3; i++)
		r[i] = sir_rule(f.ir, IR_USER, IR_DENY, sir_nr(group[i]), NULL);
	sir_finish(f.ir);
	for (size_t i = 0; i < 3; i++) {
		r[i]->id = STR("no-mounts");
		r[i]->at.line = 4;
	}
	assert_int_equal(sel_rule_number(f.ir, r[2]), 0);
	assert_true(bk_seccomp.emit(f.ir, &f.out, &f.sink));
	assert_null(emitted_read(&f.out, PB_FILTER_ENFORCE, &f.a, &e));
	/* one denial and the architecture's kill */
	assert_int_equal(e.nmap, 2);
	assert_null(bk_seccomp.verify(f.ir, &f.out, &f.a));
	arena_release(&f.a);
}

static void test_equal_input_gives_equal_bytes(void **state)
{
	struct fixture f[2];

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		start(&f[i], IR_ALLOW);
		for (unsigned k = 0; k < 40; k++)
			sir_rule(f[i].ir, IR_USER, IR_DENY, k * 7,
				 flag(&f[i], k % 3, 1u << k % 30));
		sir_finish(f[i].ir);
		assert_true(bk_seccomp.emit(f[i].ir, &f[i].out, &f[i].sink));
	}
	assert_int_equal(f[0].out.members.n, 6);
	for (size_t k = 0; k < 6; k++) {
		assert_true(str_eq(f[0].out.members.v[k].path,
				   f[1].out.members.v[k].path));
		assert_true(str_eq(f[0].out.members.v[k].bytes,
				   f[1].out.members.v[k].bytes));
	}
	arena_release(&f[0].a);
	arena_release(&f[1].a);
}

static void test_print_names_calls_and_rules(void **state)
{
	struct fixture f;
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);

	(void)state;
	start(&f, IR_ALLOW);
	sir_rule(f.ir, IR_USER, IR_DENY, sir_nr("ioctl"),
		 sir_cmp(&f.a, 1, 32, IR_EQ, UINT32_MAX, 0x5412))->err = EACCES;
	sir_finish(f.ir);
	assert_true(bk_seccomp.emit(f.ir, &f.out, &f.sink));
	bk_seccomp.print(out, &f.out);
	fclose(out);
	/* without a rule table a rule is a number */
	assert_non_null(strstr(text, "; EACCES by rule 0"));
	assert_non_null(strstr(text, "ld   arg1.lo"));
	assert_non_null(strstr(text, "; ioctl"));
	assert_non_null(strstr(text, "ret  errno ENOSYS"));
	assert_non_null(strstr(text, "ret  kill"));
	assert_non_null(strstr(text, "; trace"));
	assert_non_null(strstr(text, "; broker"));
	assert_null(strstr(text, "??"));
	free(text);
	arena_release(&f.a);
}

static void test_verify_refuses_broken_members(void **state)
{
	struct fixture f;

	(void)state;
	start(&f, IR_ALLOW);
	sir_rule(f.ir, IR_USER, IR_DENY, sir_nr("ptrace"), NULL);
	sir_finish(f.ir);
	assert_non_null(bk_seccomp.verify(f.ir, &f.out, &f.a)); /* nothing emitted */
	assert_true(bk_seccomp.emit(f.ir, &f.out, &f.sink));
	assert_null(bk_seccomp.verify(f.ir, &f.out, &f.a));
	for (size_t i = 0; i < f.out.members.n; i++) {
		struct str whole = f.out.members.v[i].bytes;

		f.out.members.v[i].bytes.n -= 8;
		assert_non_null(bk_seccomp.verify(f.ir, &f.out, &f.a));
		f.out.members.v[i].bytes = whole;
	}
	/* another policy's filter */
	sir_rule(f.ir, IR_USER, IR_DENY, sir_nr("bpf"), NULL);
	sir_finish(f.ir);
	assert_non_null(bk_seccomp.verify(f.ir, &f.out, &f.a));
	arena_release(&f.a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_check_reports_exactness),
		cmocka_unit_test(test_check_is_content_with_clone3_denied),
		cmocka_unit_test(test_check_refuses_what_stops_the_launch),
		cmocka_unit_test(test_check_lets_conditions_on_launch_calls_pass),
		cmocka_unit_test(test_rules_of_one_statement_are_one),
		cmocka_unit_test(test_equal_input_gives_equal_bytes),
		cmocka_unit_test(test_print_names_calls_and_rules),
		cmocka_unit_test(test_verify_refuses_broken_members),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
