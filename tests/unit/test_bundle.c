/* Writer and reader: what goes in comes out, and every refusal by its name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include <linux/filter.h>

#include "compiler/bundle/manifest.h"
#include "runtime/bundle/check.h"
#include "runtime/bundle/manifest.h"
#include "runtime/bundle/tar.h"
#include "tests/unit/bundle_make.h"

static int parse(struct str bytes, struct bundle *b, struct rt_err *err)
{
	return bundle_parse(mk_malloced(bytes), bytes.n, b, err);
}

static void refused(struct str bytes, const char *why)
{
	struct rt_err err = { .err = 0 };
	struct bundle b;

	assert_true(parse(bytes, &b, &err) < 0);
	if (!strstr(err.text, why))
		fail_msg("'%s' does not say '%s'", err.text, why);
}

static void test_what_is_written_is_read(void **state)
{
	const struct pb_map *map;
	const void *insns;
	struct bundle b;
	struct str s;
	size_t n;
	struct mk m;

	(void)state;
	mk_sample(&m);
	m.ir->serial = 7;
	m.ir->expires = STR("2030-01-01");
	s = mk_bundle(&m, MK_OPTIONS);
	assert_int_equal(parse(s, &b, NULL), 0);
	assert_string_equal(b.name, "by-hand");
	assert_int_equal(b.serial, 7);
	assert_int_equal(b.not_after, 1893542399);
	assert_true(b.created == MANIFEST_NO_TIME);
	assert_int_equal(b.rules->ir_rules, 4);
	assert_int_equal(bundle_rule(&b, 2)->kind, PB_SYSCALL);
	assert_null(bundle_rule(&b, b.rules->rules.count));
	assert_int_equal(b.mounts->anchors.count, 3);
	assert_int_equal(b.mounts->disk, 1 << 20);
	assert_int_equal(b.limits->limits.count, 2);
	assert_int_equal(b.env->entries.count, 2);
	assert_int_equal(b.landlock->abis.count, 7);
	assert_int_equal(bundle_filter(&b, false, &insns, &n, &map, NULL), 0);
	assert_true(n > 3 && map->entries.count > 0);
	assert_int_equal(bundle_filter(&b, true, &insns, &n, &map, NULL), 0);
	assert_non_null(bundle_member(&b, "sources/project/hand.pol"));
	assert_non_null(bundle_member(&b, "sources/default/std/base.pol"));
	assert_non_null(bundle_member(&b, PB_IR));
	assert_null(bundle_member(&b, "sources/project/other.pol"));
	bundle_release(&b);
	mk_release(&m);
}

static void test_settings_are_one_object(void **state)
{
	static const char *const good[] = {
		"{}", "{}\n", "{\n\"a\":{\n\"b\":[1,-2.5,true,false,\"\\u00e9\\n\"]\n}\n}\n",
	};
	static const char *const bad[] = {
		"", "[]", "{", "{}{}", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}",
		"{\"a\":01}", "{\"a\":1.}", "{\"a\":+1}", "{\"a\":null}", "{\"a\":\"\\x\"}",
		"{\"a\":\"\\u12\"}", "{\"a\":\"\n\"}", "{\"a\":[1 2]}", "{ }", "{\"a\":tru",
		"{\"a\":[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]}",
	};
	struct rt_err err = { .err = 0 };

	(void)state;
	for (size_t i = 0; i < POL_LEN(good); i++)
		if (bundle_check_settings(good[i], strlen(good[i]), &err) < 0)
			fail_msg("'%s': %s", good[i], err.text);
	for (size_t i = 0; i < POL_LEN(bad); i++)
		if (bundle_check_settings(bad[i], strlen(bad[i]), &err) == 0)
			fail_msg("'%s' is taken", bad[i]);
}

static void test_equal_input_gives_equal_bytes(void **state)
{
	struct mk x, y;
	struct str s, t;

	(void)state;
	mk_sample(&x);
	mk_sample(&y);
	s = mk_bundle(&x, MK_OPTIONS);
	t = mk_bundle(&y, MK_OPTIONS);
	assert_int_equal(s.n, t.n);
	assert_memory_equal(s.p, t.p, s.n);
	mk_release(&x);
	mk_release(&y);
}

static void test_options_reach_the_manifest(void **state)
{
	struct bundle_options opt = MK_OPTIONS;
	struct rt_err err = { .err = 0 };
	struct bundle b;
	struct mk m;

	(void)state;
	mk_sample(&m);
	opt.created = 1000000000;
	opt.serial = 9;
	opt.expires = STR("2031-12-31");
	opt.not_before = STR("2001-01-01");
	opt.no_sources = true;
	assert_int_equal(parse(mk_bundle(&m, opt), &b, &err), 0);
	assert_int_equal(b.created, 1000000000);
	assert_int_equal(b.serial, 9);
	assert_null(bundle_member(&b, "sources/project/hand.pol"));
	assert_int_equal(bundle_check_time(&b, 1000000000, NULL), 0);
	assert_int_equal(bundle_check_time(&b, 1000000000 - 86400, NULL), 0);
	assert_true(bundle_check_time(&b, 1000000000 - 86401, &err) < 0);
	assert_non_null(strstr(err.text, "future"));
	assert_true(bundle_check_time(&b, 1956527999 + 1, &err) < 0);
	assert_non_null(strstr(err.text, "expired"));
	assert_true(bundle_check_time(&b, 978307199, &err) < 0);
	assert_non_null(strstr(err.text, "not valid yet"));
	bundle_release(&b);
	mk_release(&m);
}

static void test_the_writer_refuses(void **state)
{
	struct bundle_options opt = MK_OPTIONS;
	struct buf junk;
	struct mk m;
	bool ok;

	(void)state;
	mk_sample(&m);
	assert_true(mk_emit(&m));
	opt.expires = STR("2027-02-30");
	(void)mk_write(&m, opt, &ok);
	assert_false(ok);
	m.ir->name = STR("a\nb");
	(void)mk_write(&m, MK_OPTIONS, &ok);
	assert_false(ok);
	m.ir->name = STR("by-hand");
	(void)mk_write(&m, MK_OPTIONS, &ok);
	assert_true(ok);
	buf_init(&junk, &m.a);
	buf_add(&junk, "0123456789abcdef", 16);
	bk_add_member(&m.out, PB_LIMITS, &junk);
	(void)mk_write(&m, MK_OPTIONS, &ok);
	assert_false(ok);
	m.out.members.n--;
	bk_add_member(&m.out, "unknown.bin", &junk);
	(void)mk_write(&m, MK_OPTIONS, &ok);
	assert_false(ok);
	m.out.members.n--;
	bk_add_feature(&m.out, "telepathy");
	(void)mk_write(&m, MK_OPTIONS, &ok);
	assert_false(ok);
	assert_int_equal(m.sink.errors, 5);
	mk_release(&m);
}

static void test_source_names_become_member_paths(void **state)
{
	static const char *const names[] = {
		"/abs/p.pol",
		"../up/p.pol",
		"a b/\xc3\xa4.pol",
		"x",
		"x",
		"./p.pol",
		"a/very/long/name/that/does/not/fit/into/the/hundred/bytes/of/a/tar/"
		"header/because/it/goes/on/and/on/policy.pol",
	};
	static const char *const want[] = { "sources/user/abs/p.pol",
					    "sources/user/%2E./up/p.pol",
					    "sources/user/a%20b/%C3%A4.pol",
					    "sources/user/x",
					    NULL,
					    "sources/user/%2E/p.pol",
					    NULL };
	size_t n = POL_LEN(names), found = 0;
	struct bundle b;
	struct mk m;

	(void)state;
	mk_sample(&m);
	for (size_t i = 0; i < n; i++)
		mk_source(&m, IR_USER, names[i], i == 4 ? "other" : "text");
	assert_int_equal(parse(mk_bundle(&m, MK_OPTIONS), &b, NULL), 0);
	for (size_t i = 0; i < n; i++) {
		if (want[i] && !bundle_member(&b, want[i]))
			fail_msg("no member %s", want[i]);
	}
	for (size_t i = 0; i < b.nmembers; i++)
		found += strncmp(b.members[i].path, "sources/user/", 13) == 0;
	assert_int_equal(found, n);
	bundle_release(&b);
	mk_release(&m);
}

/* --- files ---------------------------------------- */

static char dir[] = "/tmp/pol-test-bundle.XXXXXX";

static void put_file(const char *name, struct str s, mode_t mode)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, s.p, s.n), s.n);
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
}

static void not_opened(const char *name, const char *why)
{
	struct rt_err err = { .err = 0 };
	struct bundle b;

	assert_true(bundle_open(name, &b, &err) < 0);
	if (!strstr(err.text, why) || !strstr(err.text, name))
		fail_msg("'%s' does not say '%s' of '%s'", err.text, why, name);
	err.text[0] = '\0';
	assert_true(bundle_open_run(name, &b, &err) < 0);
	if (!strstr(err.text, why) || !strstr(err.text, name))
		fail_msg("for a run '%s' does not say '%s' of '%s'", err.text, why,
			 name);
}

static void test_owner_mode_and_links(void **state)
{
	struct bundle b;
	struct str s;
	struct mk m;

	(void)state;
	mk_sample(&m);
	s = mk_bundle(&m, MK_OPTIONS);
	put_file("good.polb", s, 0644);
	assert_int_equal(bundle_open("good.polb", &b, NULL), 0);
	bundle_release(&b);
	/* A run reads less, sees the same views, and has none of the rest. */
	assert_int_equal(bundle_open_run("good.polb", &b, NULL), 0);
	assert_memory_equal(b.bytes, s.p,
			    (size_t)(bundle_member(&b, PB_ENV)->data - b.bytes));
	assert_null(bundle_member(&b, PB_IR));
	assert_null(bundle_member(&b, "sources/project/hand.pol"));
	assert_non_null(bundle_member(&b, PB_SECCOMP_TRACE));
	bundle_release(&b);
	put_file("group.polb", s, 0664);
	not_opened("group.polb", "writable by its group or others");
	put_file("others.polb", s, 0646);
	not_opened("others.polb", "writable by its group or others");
	assert_int_equal(symlink("good.polb", "link.polb"), 0);
	not_opened("link.polb", "symbolic link");
	not_opened("absent.polb", "cannot be opened");
	assert_int_equal(mkfifo("fifo.polb", 0600), 0);
	not_opened("fifo.polb", "no regular file");
	not_opened(".", "no regular file");
	put_file("cut.polb", str_sub(s, 0, 1536), 0600);
	not_opened("cut.polb", "cut short");
	put_file("tail.polb", str_sub(s, 0, s.n - 512), 0600);
	not_opened("tail.polb", "middle of a header");
	put_file("more.polb", str_cat(&m.a, s, str_sub(s, s.n - 512, 512)), 0600);
	not_opened("more.polb", "follow the end");
	put_file("empty.polb", STR(""), 0600);
	not_opened("empty.polb", "middle of a header");
	put_file("text.polb", STR("#!/bin/sh\n"), 0600);
	not_opened("text.polb", "middle of a header");
	put_file("big.polb", STR(""), 0600);
	assert_int_equal(truncate("big.polb", (off_t)PB_MAX_BUNDLE + 1), 0);
	not_opened("big.polb", "larger than 64 MiB");
	if (getuid() == 0) {
		put_file("owner.polb", s, 0644);
		assert_int_equal(chown("owner.polb", 12345, 12345), 0);
		not_opened("owner.polb", "belongs to uid 12345");
	}
	mk_release(&m);
}

static void test_other_tools_read_it(void **state)
{
	struct mk m;

	(void)state;
	mk_sample(&m);
	put_file("tools.polb", mk_bundle(&m, MK_OPTIONS), 0644);
	assert_int_equal(system("tar tvf tools.polb >list 2>&1 && "
				"grep -q ' sources/project/hand.pol$' list && "
				"! grep -qv '^-rw-r--r-- 0/0 ' list"),
			 0);
	assert_int_equal(system("mkdir -p x && tar xf tools.polb -C x && cd x && "
				"b2sum -l 256 --quiet -c manifest.b2 && "
				"test \"$(head -c 64 manifest.b2)\" = "
				"\"$(b2sum -l 256 <manifest.json | head -c 64)\""),
			 0);
	mk_release(&m);
}

/* --- damage ---------------------------------------- */

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
	refused(t, "not in the manifest");
	/* The last one dropped. */
	t = str_cat(&m.a, str_sub(s, 0, first - 1024), str_sub(s, first, 1024));
	refused(t, "is missing");
	/* The manifest not first. */
	refused(str_sub(s, 512, s.n - 512), "");
	/* A bundle without a member that every run needs. */
	for (size_t i = 0; i < m.out.members.n; i++) {
		struct bk_member gone = m.out.members.v[i];

		m.out.members.v[i] = m.out.members.v[m.out.members.n - 1];
		m.out.members.n--;
		t = mk_write(&m, MK_OPTIONS, &ok);
		assert_true(ok);
		refused(t, "is missing");
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
	refused(with_manifest(&m, s, "by-hand", "by-hook", false), "is damaged");
	assert_int_equal(
		parse(with_manifest(&m, s, "by-hand", "by-hook", true), &b, NULL), 0);
	assert_string_equal(b.name, "by-hook");
	bundle_release(&b);
	refused(with_manifest(&m, s, "\"size\": 584", "\"size\": 583", true),
		"another size");
	refused(with_manifest(&m, s, "\"landlock.bin\"", "\"landlock.bim\"", true),
		"not known");
	refused(with_manifest(&m, s, "{\"path\": \"sources/project/hand",
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
	refused(s, why);
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
#define AT_ANCHOR(field) (sizeof(struct pb_mounts) + offsetof(struct pb_anchor, field))
#define AT_ABI(field) \
	(sizeof(struct pb_landlock) + offsetof(struct pb_landlock_abi, field))
#define AT_LIMIT(field) (sizeof(struct pb_limits) + offsetof(struct pb_limit, field))
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
		{ PB_RULES, 4, 2, "format version" },
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
		{ PB_MATCHER, AT_AUTO(zero2), 1, "unknown flag" },
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
		{ PB_MATCHER, AT_STATE(3, set) + 8, 2, "no rule of its kind" },
		{ PB_MATCHER, AT_STATE(3, set) + 8, 0xffffffff, "no rule of its kind" },
		{ PB_MOUNTS, AT_ANCHOR(kind), 0x00010003, "unknown kind" },
		{ PB_MOUNTS, AT_ANCHOR(kind), 0x00000000, "unknown operation" },
		{ PB_MOUNTS, AT_ANCHOR(flags), 0x80, "unknown flag" },
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
	struct rt_err err;

	(void)state;
#define CHECK() bundle_check_filter(f, sizeof(f), &map, sizeof(map), 1, &err)
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
	f[3].k = 0x7fc00000;
	assert_true(CHECK() < 0);
	f[3].k = 0x7fff0000;
	f[3].code = 0x16;
	assert_true(CHECK() < 0);
	assert_true(bundle_check_filter(f, 31, &map, sizeof(map), 1, &err) < 0);
	assert_true(bundle_check_filter(f, 0, &map, sizeof(map), 1, &err) < 0);
#undef CHECK
#undef BROKEN
}

static int enter(void **state)
{
	(void)state;
	return mkdtemp(dir) && chdir(dir) == 0 ? 0 : -1;
}

static int leave(void **state)
{
	char cmd[80];

	(void)state;
	(void)snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
	return chdir("/") == 0 ? system(cmd) : -1;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_written_is_read),
		cmocka_unit_test(test_settings_are_one_object),
		cmocka_unit_test(test_equal_input_gives_equal_bytes),
		cmocka_unit_test(test_options_reach_the_manifest),
		cmocka_unit_test(test_the_writer_refuses),
		cmocka_unit_test(test_source_names_become_member_paths),
		cmocka_unit_test(test_owner_mode_and_links),
		cmocka_unit_test(test_other_tools_read_it),
		cmocka_unit_test(test_members_added_dropped_and_swapped),
		cmocka_unit_test(test_a_changed_manifest_is_refused),
		cmocka_unit_test(test_broken_structure_is_refused),
		cmocka_unit_test(test_broken_mounts_are_refused),
		cmocka_unit_test(test_broken_filters_are_refused),
	};

	return cmocka_run_group_tests(tests, enter, leave);
}
