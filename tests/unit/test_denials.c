/* The list of denials, the cBPF interpreter that names them, and their words. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <cmocka.h>

#include "runtime/base/sysname.h"
#include "runtime/decide/bpf.h"
#include "runtime/supervise/explain_denials.h"
#include "runtime/supervise/listener.h"

static void test_repeated_denials_are_counted(void **state)
{
	struct denials d = { 0 };

	(void)state;
	denials_add(&d, "file", "write", "/a", 0, 3);
	denials_add(&d, "file", "write", "/b", 0, 3);
	denials_add(&d, "file", "write", "/a", 0, 3);
	denials_add(&d, "file", "read", "/a", 0, 3);
	denials_add(&d, "file", "write", "/a", 0, 4);
	assert_int_equal(d.n, 4);
	assert_int_equal(d.v[0].count, 2);
	assert_int_equal(d.v[1].count, 1);
	assert_int_equal(d.lost, 0);
	free(d.v);
}

static void test_the_list_is_bounded(void **state)
{
	struct denials d = { 0 };
	char subject[32];

	(void)state;
	for (int i = 0; i < DENIALS_MAX + 7; i++) {
		(void)snprintf(subject, sizeof(subject), "/f%d", i);
		denials_add(&d, "file", "read", subject, 0, 1);
	}
	assert_int_equal(d.n, DENIALS_MAX);
	assert_int_equal(d.lost, 7);
	denials_add(&d, "file", "read", "/f0", 0, 1); /* known: counted, not lost */
	assert_int_equal(d.v[0].count, 2);
	assert_int_equal(d.lost, 7);
	free(d.v);
}

/* What stands for many has a place, and every request is counted somewhere. */
static void test_notes_have_a_place_and_nothing_is_uncounted(void **state)
{
	struct denials d = { 0 };
	uint64_t sum = 0;
	char subject[32];

	(void)state;
	for (int i = 0; i < DENIALS_MAX + 7; i++) {
		(void)snprintf(subject, sizeof(subject), "tcp h%d:1", i);
		denials_add_net(&d, "connect", subject, ECONNREFUSED, 1, 0, 10);
	}
	for (int i = 0; i < DENIALS_NOTES + 2; i++) {
		denials_add_note(&d, "connect", "many others", ECONNREFUSED, (uint32_t)i, 0, 1000);
		denials_add_note(&d, "connect", "many others", ECONNREFUSED, (uint32_t)i, 0, 1);
	}
	assert_int_equal(d.n, DENIALS_MAX + DENIALS_NOTES);
	assert_string_equal(d.v[DENIALS_MAX].subject, "many others");
	assert_int_equal(d.v[DENIALS_MAX].count, 1001);
	assert_int_equal(d.lost, 70 + 2 * 1001);
	for (size_t i = 0; i < d.n; i++)
		sum += d.v[i].count;
	assert_int_equal(sum + d.lost, (DENIALS_MAX + 7) * 10 + (DENIALS_NOTES + 2) * 1001);
	free(d.v);
}

static void test_long_subjects_are_cut(void **state)
{
	struct denials d = { 0 };
	char big[2000];

	(void)state;
	memset(big, 'x', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	denials_add(&d, "a layer with a long name", big, big, 0, 0);
	assert_int_equal(strlen(d.v[0].subject), sizeof(d.v[0].subject) - 1);
	assert_int_equal(strlen(d.v[0].op), sizeof(d.v[0].op) - 1);
	free(d.v);
}

#define ST(c, v) { (uint16_t)(c), 0, 0, (uint32_t)(v) }
#define JP(c, v, t, f) { (uint16_t)((c) | BPF_JMP | BPF_K), t, f, (uint32_t)(v) }
#define LD(o) ST(BPF_LD | BPF_W | BPF_ABS, o)
#define RET(v) ST(BPF_RET | BPF_K, v)
#define ARG(n) (uint32_t)(offsetof(struct seccomp_data, args) + 8 * (n))

/* socket(AF_PACKET) → 4, masked third argument of ioctl → 8, else 9 */
static const struct sock_filter program[] = {
	LD(0),
	JP(BPF_JEQ, SYS_socket, 0, 3),
	LD(ARG(0)),
	JP(BPF_JEQ, 17, 0, 5),
	RET(SECCOMP_RET_USER_NOTIF),
	JP(BPF_JEQ, SYS_ioctl, 0, 3),
	LD(ARG(2) + 4),
	JP(BPF_JSET, 0xf0, 0, 1),
	RET(SECCOMP_RET_USER_NOTIF),
	RET(SECCOMP_RET_ALLOW),
};

static int run(int nr, uint64_t a0, uint64_t a2, unsigned *args)
{
	struct seccomp_data d = { .nr = nr, .args = { a0, 0, a2 } };
	uint32_t value;

	return bpf_run(program, sizeof(program) / sizeof(program[0]), &d, &value, args);
}

static void test_the_interpreter_finds_the_returning_instruction(void **state)
{
	unsigned args;

	(void)state;
	assert_int_equal(run(SYS_socket, 17, 0, &args), 4);
	assert_int_equal(args, 1);
	assert_int_equal(run(SYS_socket, 2, 0, &args), 9);
	/* the low half decides: the upper one is another load */
	assert_int_equal(run(SYS_socket, 17 | UINT64_C(1) << 40, 0, &args), 4);
	assert_int_equal(run(SYS_ioctl, 0, UINT64_C(0x10) << 32, &args), 8);
	assert_int_equal(args, 4);
	assert_int_equal(run(SYS_ioctl, 0, 0x10, &args), 9);
	assert_int_equal(run(SYS_read, 0, 0, &args), 9);
	assert_int_equal(args, 0);
}

static void test_every_instruction_of_the_interpreter(void **state)
{
	static const struct sock_filter arithmetic[] = {
		ST(BPF_LD | BPF_IMM, 6),		   /* A = 6 */
		ST(BPF_MISC | BPF_TAX, 0),		   /* X = 6 */
		ST(BPF_ALU | BPF_MUL | BPF_X, 0),	   /* 36 */
		ST(BPF_ALU | BPF_ADD | BPF_K, 5),	   /* 41 */
		ST(BPF_ALU | BPF_SUB | BPF_K, 1),	   /* 40 */
		ST(BPF_ALU | BPF_DIV | BPF_K, 5),	   /* 8 */
		ST(BPF_ALU | BPF_LSH | BPF_K, 2),	   /* 32 */
		ST(BPF_ALU | BPF_OR | BPF_K, 3),	   /* 35 */
		ST(BPF_ALU | BPF_RSH | BPF_K, 1),	   /* 17 */
		ST(BPF_ALU | BPF_XOR | BPF_K, 1),	   /* 16 */
		ST(BPF_ALU | BPF_AND | BPF_K, 0x10),	   /* 16 */
		ST(BPF_ALU | BPF_NEG, 0),		   /* -16 */
		ST(BPF_ST, 3),
		ST(BPF_LD | BPF_IMM, 0),
		ST(BPF_LDX | BPF_MEM, 3),
		ST(BPF_MISC | BPF_TXA, 0),		   /* -16 */
		JP(BPF_JA, 1, 0, 0),
		RET(1),
		JP(BPF_JGE, 0xfffffff0u, 0, 1),
		JP(BPF_JGT, 0xfffffff0u, 0, 1),
		RET(2),
		ST(BPF_RET | BPF_A, 0),
	};
	struct seccomp_data d = { 0 };
	uint32_t value = 0;
	unsigned args;

	(void)state;
	assert_int_equal(bpf_run(arithmetic, sizeof(arithmetic) / sizeof(arithmetic[0]),
				 &d, &value, &args),
			 21);
	assert_int_equal(value, 0xfffffff0u);
}

static void test_bad_programs_are_no_answer(void **state)
{
	static const struct sock_filter far_[] = { JP(BPF_JA, 5, 0, 0), RET(0) };
	static const struct sock_filter end[] = { LD(0) };
	static const struct sock_filter load[] = { LD(64), RET(0) };
	static const struct sock_filter odd[] = { LD(2), RET(0) };
	static const struct sock_filter zero[] = { ST(BPF_ALU | BPF_DIV | BPF_K, 0),
						   RET(0) };
	static const struct sock_filter mem[] = { ST(BPF_ST, 16), RET(0) };
	struct seccomp_data d = { 0 };
	uint32_t value;
	unsigned args;

	(void)state;
	assert_int_equal(bpf_run(far_, 2, &d, &value, &args), -1);
	assert_int_equal(bpf_run(end, 1, &d, &value, &args), -1);
	assert_int_equal(bpf_run(load, 2, &d, &value, &args), -1);
	assert_int_equal(bpf_run(odd, 2, &d, &value, &args), -1);
	assert_int_equal(bpf_run(zero, 2, &d, &value, &args), -1);
	assert_int_equal(bpf_run(mem, 2, &d, &value, &args), -1);
	assert_int_equal(bpf_run(end, 0, &d, &value, &args), -1);
}

static struct {
	struct pb_map map;
	struct pb_map_entry e[2];
} map = {
	{ .entries = { offsetof(__typeof__(map), e), 2 } },
	{ { .pc = 4, .verdict = PB_V_DENY, .err = EACCES, .rule = 5 },
	  { .pc = 8, .verdict = PB_V_TRACE, .rule = UINT32_MAX } },
};

static void test_a_notification_that_nothing_explains_is_denied(void **state)
{
	struct listener l = { .fd = -1,
			      .insns = program,
			      .ninsns = sizeof(program) / sizeof(program[0]),
			      .map = &map.map };
	struct seccomp_data d = { .nr = SYS_socket, .args = { 17 } };
	struct listener_verdict v;

	(void)state;
	listener_judge(&l, &d, &v);
	assert_int_equal(v.verdict, PB_V_DENY);
	assert_int_equal(v.err, EACCES);
	assert_int_equal(v.rule, 5);
	/* returns, but the map does not know the place */
	d.nr = SYS_read;
	listener_judge(&l, &d, &v);
	assert_int_equal(v.verdict, PB_V_DENY);
	assert_int_equal(v.err, EPERM);
	assert_int_equal(v.rule, UINT32_MAX);
	/* a trace verdict continues only under a trace filter */
	d.nr = SYS_ioctl;
	d.args[2] = UINT64_C(0x10) << 32;
	listener_judge(&l, &d, &v);
	assert_int_equal(v.verdict, PB_V_DENY);
	l.kind = PB_FILTER_BROKER;
	listener_judge(&l, &d, &v);
	assert_int_equal(v.verdict, PB_V_DENY);
	l.kind = PB_FILTER_TRACE;
	listener_judge(&l, &d, &v);
	assert_int_equal(v.verdict, PB_V_TRACE);
	/* and so is one of the broker */
	map.e[1].verdict = PB_V_BROKER;
	for (unsigned k = 0; k < PB_FILTER_COUNT; k++) {
		l.kind = (enum pb_filter_kind)k;
		listener_judge(&l, &d, &v);
		assert_int_equal(v.verdict,
				 k == PB_FILTER_BROKER ? PB_V_BROKER : PB_V_DENY);
		assert_int_equal(v.err, EPERM);
	}
	map.e[1].verdict = PB_V_TRACE;
}

static void test_names_of_calls(void **state)
{
	char buf[SYSNAME_CAP];

	(void)state;
	assert_string_equal(sysname(SYS_ptrace, buf), "ptrace");
	assert_string_equal(sysname(SYS_landlock_restrict_self, buf),
			    "landlock_restrict_self");
	assert_string_equal(sysname(99999, buf), "syscall 99999");
	assert_string_equal(sysname(-1, buf), "syscall -1");
}

static struct {
	struct pb_rules rules;
	struct pb_rule r[1];
	char pool[64];
} table;

static void test_one_line_for_each_denial(void **state)
{
	struct bundle b = { .rules = &table.rules };
	struct denials d = { 0 };
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	(void)state;
	table.rules.rules = (struct pb_table){ offsetof(__typeof__(table), r), 1 };
	memcpy(table.pool, "no-rawp.polbec\x1b", 15);
	table.r[0].id = (struct pb_str){ offsetof(__typeof__(table), pool), 6 };
	table.r[0].file = (struct pb_str){ offsetof(__typeof__(table), pool) + 6, 5 };
	table.r[0].reason = (struct pb_str){ offsetof(__typeof__(table), pool) + 11, 4 };
	table.r[0].line = 12;
	denials_add(&d, "seccomp", "ptrace", "ptrace()", EPERM, 0);
	denials_add(&d, "file", "read", "/x", 0, 0);
	denials_add(&d, "file", "read", "/x", 0, 0);
	denials_add(&d, "file", "write", "/y", 0, 77);
	d.lost = 2;
	explain_denials(out, &b, &d, &(struct explain_how){ .asked = true, .failed = true });
	(void)fclose(out);
	assert_string_equal(
		text,
		"polrun: blocked: system call ptrace(): rule no-raw at p.pol:12: bec\\x1b; to let it pass: "
		"syscall { allow ptrace }\n"
		"polrun: blocked: read /x (2 times): rule no-raw at p.pol:12: bec\\x1b; to let it pass: file { "
		"allow read \"/x\" }\n"
		"polrun: blocked: write /y: no rule\n"
		"polrun: blocked: 2 more that were not kept\n");
	free(text);
	free(d.v);
}

/* The text of explain_denials() of five calls by one rule, the third with ENOSYS. */
static char *told(const struct explain_how *how)
{
	static const int errs[] = { EPERM, EPERM, ENOSYS, EPERM, EPERM };
	struct bundle b = { .rules = &table.rules };
	struct denials d = { 0 };
	char *text = NULL, name[8];
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	for (size_t i = 0; i < sizeof(errs) / sizeof(errs[0]); i++) {
		(void)snprintf(name, sizeof(name), "call%zu", i + 1);
		denials_add(&d, "seccomp", name, name, errs[i], 0);
	}
	denials_add(&d, "seccomp", "call1", "call1", EPERM, 0);
	explain_denials(out, &b, &d, how);
	(void)fclose(out);
	free(d.v);
	return text;
}

static void test_without_being_asked_the_last_ones_are_named_and_the_others_counted(void **state)
{
	char *text = told(&(struct explain_how){ .failed = true });

	(void)state;
	assert_non_null(strstr(text, "call1 (2 times)"));
	assert_null(strstr(text, "call2"));
	assert_null(strstr(text, "call3"));
	assert_non_null(strstr(text, "call4"));
	assert_non_null(strstr(text, "call5"));
	assert_non_null(strstr(text, "1 other request was blocked (1 different): --explain"));
	free(text);
	text = told(&(struct explain_how){ .failed = false });
	assert_string_equal(text, "");
	free(text);
	table.r[0].flags = PB_F_FLOOR;
	text = told(&(struct explain_how){ .failed = false });
	assert_string_equal(text, ""); /* a call is no write */
	free(text);
	table.r[0].flags = 0;
	text = told(&(struct explain_how){ .asked = true, .verbose = true });
	assert_non_null(strstr(text, "call3"));
	assert_null(strstr(text, "other requests"));
	free(text);
}

static void test_what_the_floor_did_not_let_be_written_is_always_named(void **state)
{
	struct bundle b = { .rules = &table.rules };
	struct denials d = { 0 };
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	(void)state;
	table.r[0].flags = PB_F_FLOOR;
	denials_add(&d, "file", "write", "/p/.git/config", 0, 0);
	denials_add(&d, "file", "read", "/p/x", 0, 0);
	explain_denials(out, &b, &d, &(struct explain_how){ .failed = false });
	(void)fclose(out);
	assert_non_null(strstr(text, "blocked: write /p/.git/config: rule no-raw"));
	assert_null(strstr(text, "blocked: read"));
	table.r[0].flags = 0;
	free(text);
	free(d.v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_repeated_denials_are_counted),
		cmocka_unit_test(test_the_list_is_bounded),
		cmocka_unit_test(test_notes_have_a_place_and_nothing_is_uncounted),
		cmocka_unit_test(test_long_subjects_are_cut),
		cmocka_unit_test(test_the_interpreter_finds_the_returning_instruction),
		cmocka_unit_test(test_every_instruction_of_the_interpreter),
		cmocka_unit_test(test_bad_programs_are_no_answer),
		cmocka_unit_test(test_a_notification_that_nothing_explains_is_denied),
		cmocka_unit_test(test_names_of_calls),
		cmocka_unit_test(test_one_line_for_each_denial),
		cmocka_unit_test(test_without_being_asked_the_last_ones_are_named_and_the_others_counted),
		cmocka_unit_test(test_what_the_floor_did_not_let_be_written_is_always_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
