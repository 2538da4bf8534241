/* Bundles that are right in all but one thing: every refusal by its name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <linux/filter.h>

#include "compiler/bundle/manifest.h"
#include "runtime/bundle/check.h"
#include "runtime/bundle/manifest.h"
#include "runtime/bundle/tar.h"
#include "tests/unit/bundle_parse.h"

static void test_members_added_dropped_and_swapped(void **state)
{
	struct str s, t;
	struct mk m;
	bool ok;
	size_t first;

	(void)state;
	mk_sample(&m);
	s = mk_bundle(&m, MK_OPTIONS);
	/* An unlisted member in front of the end. */
	first = s.n - 1024;
	t = str_cat(
		&m.a, str_sub(s, 0, first),
		str_cat(&m.a, str_sub(s, first - 1024, 1024), str_sub(s, first, 1024)));
	mk_refused(t, "not in the manifest");
	/* The last one dropped. */
	t = str_cat(&m.a, str_sub(s, 0, first - 1024), str_sub(s, first, 1024));
	mk_refused(t, "is missing");
	/* The manifest not first. */
	mk_refused(str_sub(s, 512, s.n - 512), "");
	/* A bundle without a member that every run needs. */
	for (size_t i = 0; i < m.out.members.n; i++) {
		struct bk_member gone = m.out.members.v[i];

		if (str_eqz(gone.path, PB_PUBLISH)) /* only a policy that says something of it has one */
			continue;
		m.out.members.v[i] = m.out.members.v[m.out.members.n - 1];
		m.out.members.n--;
		t = mk_write(&m, MK_OPTIONS, &ok);
		assert_true(ok);
		mk_refused(t, "is missing");
		m.out.members.n++;
		m.out.members.v[m.out.members.n - 1] = m.out.members.v[i];
		m.out.members.v[i] = gone;
	}
	mk_release(&m);
}

/* `s` with the first `from` of its manifest replaced by `to`, of one length;
 * with `again` manifest.b2 agrees. */
static struct str with_manifest(struct mk *m, struct str s, const char *from,
				const char *to, bool again)
{
	char *p = arena_dup(&m->a, s.p, s.n), *at = memmem(p, s.n, from, strlen(from));
	size_t size = strtoul(p + 124, NULL, 8);
	struct str sum;

	assert_non_null(at);
	assert_int_equal(strlen(from), strlen(to));
	memcpy(at, to, strlen(to));
	sum = bundle_digest(&m->a, (struct str){ p + 512, size });
	if (again)
		memcpy(p + 512 + tar_padded(size) + 512, sum.p, 64);
	return (struct str){ p, s.n };
}

static void test_a_changed_manifest_is_refused(void **state)
{
	struct bundle b;
	struct str s;
	struct mk m;

	(void)state;
	mk_sample(&m);
	s = mk_bundle(&m, MK_OPTIONS);
	mk_refused(with_manifest(&m, s, "by-hand", "by-hook", false), "is damaged");
	assert_int_equal(
		mk_parse(with_manifest(&m, s, "by-hand", "by-hook", true), &b, NULL), 0);
	assert_string_equal(b.name, "by-hook");
	bundle_release(&b);
	mk_refused(with_manifest(&m, s, "\"size\": 584", "\"size\": 583", true),
		"another size");
	mk_refused(with_manifest(&m, s, "\"landlock.bin\"", "\"landlock.bim\"", true),
		"not known");
	mk_refused(with_manifest(&m, s, "{\"path\": \"sources/project/hand",
			      "{\"path\": \"sources/project/hund", true),
		"the manifest has");
	mk_release(&m);
}

/* A changed member under a manifest that agrees: the structure is what stops it. */
static void patched(const char *path, size_t at, uint32_t value, const char *why)
{
	struct bk_member *member = NULL;
	struct str s;
	char *bytes;
	struct mk m;
	bool ok;

	mk_sample(&m);
	assert_true(mk_emit(&m));
	for (size_t i = 0; i < m.out.members.n; i++) {
		if (str_eqz(m.out.members.v[i].path, path))
			member = &m.out.members.v[i];
	}
	assert_non_null(member);
	assert_true(at + 4 <= member->bytes.n);
	bytes = arena_dup(&m.a, member->bytes.p, member->bytes.n);
	memcpy(bytes + at, &value, 4);
	member->bytes.p = bytes;
	s = mk_write(&m, MK_OPTIONS, &ok);
	assert_true(ok);
	mk_refused(s, why);
	mk_release(&m);
}

#define AT_RULES(field) offsetof(struct pb_rules, field)
#define AT_RULE(field) (sizeof(struct pb_rules) + offsetof(struct pb_rule, field))
/* The sample has four rules in front of its scalars. */
#define AT_SCALAR(n, field) (AT_RULE(field) + (4 + (n)) * sizeof(struct pb_rule))
#define AT_AUTO(field) \
	(sizeof(struct pb_matcher) + offsetof(struct pb_automaton, field))
/* Behind the states lie one move, the places of two sets, and a tag. */
#define AT_STATE(n, field)                                                        \
	(sizeof(struct pb_matcher) + sizeof(struct pb_automaton) + 256 +          \
	 (n) * sizeof(struct pb_state) + offsetof(struct pb_state, field))
/* In commands.bin the tables follow the head without gaps: the one program, its
 * option, its code place, its two words, the variable, the pin. */
#define AT_COMMANDS(field) offsetof(struct line_facts, field)
#define AT_PROGRAM(field) (sizeof(struct line_facts) + offsetof(struct line_program, field))
#define AT_OPTION(field)                                            \
	(sizeof(struct line_facts) + sizeof(struct line_program) +   \
	 offsetof(struct line_option, field))
#define AT_CODE(field) \
	(AT_OPTION(name) + (sizeof(struct line_option) + 7) / 8 * 8 + offsetof(struct line_code, field))
#define AT_VAR(field)                                        \
	(AT_CODE(operand) + sizeof(struct line_code) +         \
	 2 * sizeof(struct line_word) + offsetof(struct line_var, field))
#define AT_PIN(field) \
	(AT_VAR(name) + sizeof(struct line_var) + offsetof(struct line_pin, field))
#define AT_ANCHOR(field) (sizeof(struct pb_mounts) + offsetof(struct pb_anchor, field))
#define AT_ABI(field) \
	(sizeof(struct pb_landlock) + offsetof(struct pb_landlock_abi, field))
#define AT_LIMIT(field) (sizeof(struct pb_limits) + offsetof(struct pb_limit, field))
#define AT_PUBLISH(field) (sizeof(struct pb_publish) + offsetof(struct pb_publish_entry, field))
#define AT_ENV(field) (sizeof(struct pb_env) + offsetof(struct pb_env_entry, field))

static void test_broken_structure_is_refused(void **state)
{
	static const struct {
		const char *path;
		size_t at;
		uint32_t value;
		const char *why;
	} rows[] = {
		{ PB_RULES, 0, 1, "does not begin" },
		{ PB_RULES, 4, 2, "it has format 2, not 1: another version of polc" },
		{ PB_RULES, 8, 3, "wrong size" },
		{ PB_RULES, AT_RULES(rules.off), 0xfffffff8, "leaves the member" },
		{ PB_RULES, AT_RULES(rules.count), 0x10000000, "leaves the member" },
		{ PB_RULES, AT_RULES(rules.off), 4, "leaves the member" },
		{ PB_RULES, AT_RULES(ir_rules), 3, "do not fill" },
		{ PB_RULES, AT_RULES(risk_count), 0xffffffff, "do not fill" },
		{ PB_RULES, AT_RULES(locked), 9, "lock" },
		{ PB_RULES, AT_RULES(policy.off), 0xffffff00, "leaves the member" },
		{ PB_RULES, AT_RULE(id.len), 0x7fffffff, "leaves the member" },
		{ PB_RULES, AT_RULE(id.off), 0, "holds a NUL" },
		{ PB_RULES, AT_RULE(kind), 0x01010009, "unknown kind" },
		{ PB_RULES, AT_RULE(kind), 0x00030006, "another part" },
		{ PB_RULES, AT_RULE(kind), 0x00060001, "unknown level" },
		{ PB_RULES, AT_RULE(kind), 0x80030001, "unknown flag" },
		{ PB_RULES, AT_RULE(lifted_off), 1, "lifted by no rule" },
		{ PB_RULES, AT_RULE(lifted_count), 1, "lifted by no rule" },
		{ PB_RULES, AT_SCALAR(PB_S_NET_MODE, value), 3, "unknown mode" },
		{ PB_MATCHER, AT_AUTO(kind), 6, "unknown kind" },
		{ PB_MATCHER, AT_AUTO(except), 8, "unknown flag" },
		{ PB_MATCHER, AT_AUTO(kind), 0x0901, "unknown root" },
		{ PB_MATCHER, AT_AUTO(nstates), 0, "dimensions" },
		{ PB_MATCHER, AT_AUTO(nstates), 0x7fffffff, "dimensions" },
		{ PB_MATCHER, AT_AUTO(nclasses), 257, "dimensions" },
		{ PB_MATCHER, AT_AUTO(nclasses), 1, "no class" },
		{ PB_MATCHER, AT_AUTO(start), 2, "dimensions" },
		{ PB_MATCHER, AT_AUTO(cls), 0xffffff00, "leaves the member" },
		{ PB_MATCHER, AT_AUTO(ntags), 0x40000000, "leaves the member" },
		{ PB_MATCHER, AT_AUTO(ntags), 0, "begin and end" },
		{ PB_MATCHER, AT_AUTO(nsets), 0, "dimensions" },
		{ PB_MATCHER, AT_AUTO(hides), 1, "what its rules hide" },
		{ PB_MATCHER, AT_AUTO(states), 0xfffffffc, "leaves the member" },
		{ PB_MATCHER, AT_AUTO(moves), 0xfffffffc, "leaves the member" },
		{ PB_MATCHER, AT_AUTO(nmoves), 0, "do not end" },
		{ PB_MATCHER, AT_STATE(0, other), 1, "dead state" },
		{ PB_MATCHER, AT_STATE(0, set), 1, "dead state" },
		{ PB_MATCHER, AT_STATE(0, moves), 1, "dead state" },
		{ PB_MATCHER, AT_STATE(1, moves), 1, "dead state" },
		{ PB_MATCHER, AT_STATE(1, other), 2, "leads nowhere" },
		{ PB_MATCHER, AT_STATE(1, set), 2, "no set" },
		{ PB_MATCHER, AT_STATE(2, moves), 0, "do not end" },
		{ PB_MATCHER, AT_STATE(2, other), 1, "do not end" },
		{ PB_MATCHER, AT_STATE(3, moves), PB_MOVE(1, 2), "leads nowhere" },
		{ PB_MATCHER, AT_STATE(3, moves), PB_MOVE(2, 1), "leads nowhere" },
		{ PB_MATCHER, AT_STATE(3, other), 1, "begin and end" },
		{ PB_MATCHER, AT_STATE(3, set), 1, "begin and end" },
		{ PB_COMMANDS, 0, 1, "does not begin" },
		{ PB_COMMANDS, AT_COMMANDS(programs.count), 0x10000000, "leaves" },
		{ PB_COMMANDS, AT_COMMANDS(programs.off), 4, "leaves the member" },
		{ PB_COMMANDS, AT_COMMANDS(vars.off), 0xfffffff8, "leaves the member" },
		{ PB_COMMANDS, AT_COMMANDS(pins.count), 0x7fffffff, "leaves" },
		{ PB_COMMANDS, AT_COMMANDS(whens.count), 1, "of a 'when'" },
		{ PB_COMMANDS, AT_COMMANDS(dialect), 3, "unknown dialect" },
		{ PB_COMMANDS, AT_COMMANDS(zero), 1, "unknown dialect" },
		{ PB_COMMANDS, AT_COMMANDS(shell.len), 0x7fffffff, "leaves the member" },
		{ PB_COMMANDS, AT_COMMANDS(shell_name.len), 0, "is empty" },
		{ PB_COMMANDS, AT_PROGRAM(name.len), 0, "is empty" },
		{ PB_COMMANDS, AT_PROGRAM(name.len), 0x7fffffff, "leaves the member" },
		{ PB_COMMANDS, AT_PROGRAM(name.off), 8, "holds a NUL" },
		{ PB_COMMANDS, AT_PROGRAM(kinds), 0, "unknown kind" },
		{ PB_COMMANDS, AT_PROGRAM(kinds), 8, "unknown kind" },
		{ PB_COMMANDS, AT_PROGRAM(flags), 2 * LINE_PF_FILES_ONLY, "unknown kind or flag" },
		{ PB_COMMANDS, AT_PROGRAM(skip), 256, "unknown kind or flag" },
		{ PB_COMMANDS, AT_PROGRAM(stems), 1, "names of its options" },
		{ PB_COMMANDS, AT_PROGRAM(options.count), 0x10000000, "leaves" },
		{ PB_COMMANDS, AT_PROGRAM(codes.off), 0xfffffff8, "leaves the member" },
		{ PB_COMMANDS, AT_PROGRAM(after.off), 2, "leaves the member" },
		{ PB_COMMANDS, AT_OPTION(name.len), 0, "is empty" },
		{ PB_COMMANDS, AT_OPTION(takes), 4, "unknown flag" },
		{ PB_COMMANDS, AT_OPTION(takes), 0x100, "unknown flag" },
		{ PB_COMMANDS, AT_OPTION(flags), 2 * LINE_OF_NAMES, "unknown flag" },
		{ PB_COMMANDS, AT_OPTION(takes), 0x10000, "the same as no other" },
		{ PB_COMMANDS, AT_OPTION(when), 0, "no code has a 'when'" },
		{ PB_COMMANDS, AT_CODE(operand), 0, "repeated or not sorted" },
		{ PB_COMMANDS, AT_CODE(when), 0, "names no 'when'" },
		{ PB_COMMANDS, AT_VAR(taint), 2, "unknown kind" },
		{ PB_COMMANDS, AT_PIN(path.len), 0, "is empty" },
		{ PB_COMMANDS, AT_PIN(has_digest), 2, "unknown digest" },
		{ PB_COMMANDS, AT_PIN(sha256), 1, "unknown digest" },
		{ PB_MATCHER, AT_STATE(3, set) + 8, 2, "no rule of its kind" },
		{ PB_MATCHER, AT_STATE(3, set) + 8, 0xffffffff, "no rule of its kind" },
		{ PB_MOUNTS, AT_ANCHOR(kind), 0x00010003, "unknown kind" },
		{ PB_MOUNTS, AT_ANCHOR(kind), 0x00000000, "unknown operation" },
		{ PB_MOUNTS, AT_ANCHOR(flags), 0x80, "unknown flag" },
		{ PB_MOUNTS, AT_ANCHOR(flags), PB_AF_SOCKET, "says more than a name" },
		{ PB_MOUNTS, AT_ANCHOR(rule), 999, "names no rule" },
		{ PB_MOUNTS, AT_ANCHOR(path.len), 1, "not resolved" },
		{ PB_MOUNTS, AT_ANCHOR(path.off), 0xffffffff, "leaves the member" },
		{ PB_MOUNTS, offsetof(struct pb_mounts, disk_rule), 999,
		  "names no rule" },
		{ PB_MOUNTS, offsetof(struct pb_mounts, mounts.count), 1,
		  "leaves the member" },
		{ PB_LANDLOCK, AT_ABI(abi), 2, "ABI 1 is missing" },
		{ PB_LANDLOCK, AT_ABI(handled_fs), 1, "does not handle" },
		{ PB_LANDLOCK, AT_ABI(read_file), 8, "only directories have" },
		{ PB_LANDLOCK, AT_ABI(exec_dir), 0, "without rights" },
		{ PB_LANDLOCK, sizeof(struct pb_landlock_abi) + AT_ABI(abi), 1,
		  "ascend" },
		{ PB_LIMITS, AT_LIMIT(kind), 11, "unknown kind" },
		{ PB_LIMITS, AT_LIMIT(kind), 9, "repeated or not sorted" },
		{ PB_LIMITS, AT_LIMIT(rule), 999, "unknown kind or rule" },
		{ PB_PUBLISH, AT_PUBLISH(lo), 4000 | 3999u << 16, "a range of ports is none" },
		{ PB_PUBLISH, AT_PUBLISH(lo), 3999u << 16, "a range of ports is none" },
		{ PB_PUBLISH, AT_PUBLISH(deny), 2, "a range of ports is none" },
		{ PB_PUBLISH, AT_PUBLISH(text.off), 0xffffffff, "leaves the member" },
		{ PB_PUBLISH, offsetof(struct pb_publish, entries.count), 2, "leaves the member" },
		{ PB_ENV, AT_ENV(set), 3, "unknown kind" },
		{ PB_ENV, AT_ENV(set), 1, "star" },
		{ PB_ENV, AT_ENV(name.len), 0, "no valid name" },
		{ PB_ENV, AT_ENV(rule), 999, "unknown kind or rule" },
		{ PB_ENV, AT_ENV(value.len), 1, "has a value" },
	};

	(void)state;
	for (size_t i = 0; i < POL_LEN(rows); i++)
		patched(rows[i].path, rows[i].at, rows[i].value, rows[i].why);
}

/* A member that an older or newer polc wrote is not called damaged: what to do is another thing. */
static void test_a_member_of_another_version_says_so(void **state)
{
	static const struct {
		const char *path;
		uint32_t magic;
	} rows[] = {
		{ PB_RULES, PB_MAGIC_RULES },       { PB_MATCHER, PB_MAGIC_MATCHER },
		{ PB_COMMANDS, PB_MAGIC_COMMANDS }, { PB_MOUNTS, PB_MAGIC_MOUNTS },
		{ PB_LANDLOCK, PB_MAGIC_LANDLOCK }, { PB_LIMITS, PB_MAGIC_LIMITS },
		{ PB_ENV, PB_MAGIC_ENV },           { PB_PUBLISH, PB_MAGIC_PUBLISH },
	};

	(void)state;
	for (size_t i = 0; i < POL_LEN(rows); i++) {
		patched(rows[i].path, 0, (rows[i].magic & 0xffffff) | (uint32_t)'9' << 24, "9: " BUNDLE_OTHER_POLC);
		patched(rows[i].path, 4, PB_FORMAT_VERSION + 1, "it has format 2, not 1: " BUNDLE_OTHER_POLC);
		/* the control: other bytes are no version */
		patched(rows[i].path, 0, rows[i].magic ^ 1, "does not begin as this member does");
		patched(rows[i].path, 0, (rows[i].magic & 0xffffff) | (uint32_t)'x' << 24, "does not begin");
	}
}

static void test_broken_mounts_are_refused(void **state)
{
	struct {
		struct pb_mounts h;
		struct pb_mount m[2];
		char pool[24];
	} x, good = { { { PB_MAGIC_MOUNTS, PB_FORMAT_VERSION, sizeof(x), 0 },
			{ sizeof(struct pb_mounts), 0 },
			{ sizeof(struct pb_mounts), 2 }, 0, 0, 0 },
		      { { PB_ROOT_HOME, { 0 }, 0, { offsetof(typeof(x), pool), 0 },
			  { offsetof(typeof(x), pool), 2 } },
			{ PB_ROOT_FS, { 0 }, 0, { offsetof(typeof(x), pool), 2 },
			  { offsetof(typeof(x), pool) + 2, 2 } } },
		      "/a/b/a/c/../d/" };
	struct rt_err err;

	(void)state;
#define CHECK() bundle_check_mounts(&x, sizeof(x), 1, &err)
#define BREAK(change, why)                               \
	do {                                             \
		x = good;                                \
		change;                                  \
		assert_true(CHECK() < 0);                \
		if (!strstr(err.text, why))              \
			fail_msg("%s", err.text);        \
	} while (0)
	x = good;
	assert_int_equal(CHECK(), 0);
	BREAK(x.m[0].root = PB_ROOT_COUNT, "unknown root");
	BREAK(x.m[0].rule = 1, "unknown root or rule");
	BREAK(x.m[0].zero[1] = 1, "must be zero");
	BREAK(x.m[0].place.len = 99, "leaves the member");
	BREAK(x.m[0].path.off = UINT32_MAX, "leaves the member");
	BREAK(x.m[0].place.len = 0, "not resolved");
	BREAK(x.m[1].path.len = 0, "not resolved");
	BREAK(x.m[0].place.len = 5, "not resolved");
	BREAK((x.m[1].place.off += 4, x.m[1].place.len = 7), "not resolved");
	BREAK(x.m[1].place.off -= 2, "lies in another");
	BREAK((x.m[1].place.off -= 2, x.m[1].place.len = 4), "lies in another");
#undef BREAK
#undef CHECK
}

static void test_broken_filters_are_refused(void **state)
{
	struct sock_filter f[4] = { { 0x20, 0, 0, 0 },
				    { 0x06, 0, 0, 0x7fc00000 },
				    { 0x06, 0, 0, 0x80000000 },
				    { 0x06, 0, 0, 0x7fff0000 } };
	struct {
		struct pb_map h;
		struct pb_map_entry e[2];
	} map = { { { PB_MAGIC_MAP, PB_FORMAT_VERSION, sizeof(map), 0 },
		    { sizeof(struct pb_map), 2 } },
		  { { 1, PB_V_DENY, 0, 1, 0, 0 },
		    { 2, PB_V_KILL, 0, 0, UINT32_MAX, 0 } } },
	  was = map;
	enum pb_filter_kind kind = PB_FILTER_ENFORCE;
	struct rt_err err;

	(void)state;
#define CHECK() bundle_check_filter(kind, f, sizeof(f), &map, sizeof(map), 1, &err)
#define BROKEN(change)                    \
	do {                              \
		change;                   \
		assert_true(CHECK() < 0); \
		map = was;                \
	} while (0)
	assert_int_equal(CHECK(), 0);
	BROKEN(map.e[0].pc = 4);
	BROKEN(map.e[0].pc = 0);
	BROKEN(map.e[0].pc = 3);
	BROKEN(map.e[0].pc = 2);
	BROKEN(map.e[1].pc = 1);
	BROKEN(map.e[0].verdict = 0);
	BROKEN(map.e[0].verdict = PB_V_KILL);
	BROKEN(map.e[0].verdict = PB_V_TRACE);
	BROKEN(map.e[0].err = 0);
	BROKEN(map.e[0].err = 4096);
	BROKEN(map.e[0].rule = 1);
	BROKEN(map.e[1].rule = 0);
	BROKEN(map.e[1].err = 1);
	BROKEN(map.h.entries.count = 1);
	BROKEN(map.h.entries.count = 3);
	assert_int_equal(CHECK(), 0);
	/* a verdict about an allowed call belongs to one filter */
	for (unsigned k = 0; k < PB_FILTER_COUNT; k++) {
		kind = (enum pb_filter_kind)k;
		map.e[0] = (struct pb_map_entry){ 1, PB_V_TRACE, 0, 0, UINT32_MAX, 0 };
		assert_int_equal(CHECK() == 0, kind == PB_FILTER_TRACE);
		map.e[0].verdict = PB_V_BROKER;
		assert_int_equal(CHECK() == 0, kind == PB_FILTER_BROKER);
		BROKEN(map.e[0].err = 1);
		map.e[0] = (struct pb_map_entry){ 1, PB_V_BROKER, 0, 0, UINT32_MAX, 0 };
		BROKEN(map.e[0].rule = 0);
		assert_int_equal(CHECK(), 0);
	}
	f[3].k = 0x7fc00000;
	assert_true(CHECK() < 0);
	f[3].k = 0x7fff0000;
	f[3].code = 0x16;
	assert_true(CHECK() < 0);
	assert_true(bundle_check_filter(kind, f, 31, &map, sizeof(map), 1, &err) < 0);
	assert_true(bundle_check_filter(kind, f, 0, &map, sizeof(map), 1, &err) < 0);
#undef CHECK
#undef BROKEN
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_members_added_dropped_and_swapped),
		cmocka_unit_test(test_a_changed_manifest_is_refused),
		cmocka_unit_test(test_broken_structure_is_refused),
		cmocka_unit_test(test_a_member_of_another_version_says_so),
		cmocka_unit_test(test_broken_mounts_are_refused),
		cmocka_unit_test(test_broken_filters_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
