/*
 * Writer and reader: what goes in comes out, and which files are opened at
 * all.  What is damaged stands in test_bundle_damage.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "compiler/bundle/manifest.h"
#include "runtime/bundle/check.h"
#include "runtime/bundle/manifest.h"
#include "runtime/bundle/tar.h"
#include "runtime/bundle/members.h"
#include "runtime/bundle/verified.h"
#include "tests/unit/bundle_parse.h"
#include "tests/unit/scratch_dir.h"

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
	assert_int_equal(mk_parse(s, &b, NULL), 0);
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
	assert_int_equal(bundle_filter(&b, PB_FILTER_ENFORCE, &insns, &n, &map, NULL),
			 0);
	assert_true(n > 3 && map->entries.count > 0);
	assert_int_equal(bundle_filter(&b, PB_FILTER_BROKER, &insns, &n, &map, NULL),
			 0);
	assert_int_equal(bundle_filter(&b, PB_FILTER_TRACE, &insns, &n, &map, NULL), 0);
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
	assert_int_equal(mk_parse(mk_bundle(&m, opt), &b, &err), 0);
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
	assert_int_equal(mk_parse(mk_bundle(&m, MK_OPTIONS), &b, NULL), 0);
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
	/* Once the command is decided: nobody reads zeros for tables. */
	assert_non_null(bundle_member(&b, PB_COMMANDS));
	bundle_forget_commands(&b);
	assert_null(bundle_member(&b, PB_COMMANDS));
	assert_null(b.commands);
	assert_int_equal(b.rules->rules.count, ((const struct pb_rules *)(const void *)
			 bundle_member(&b, PB_RULES)->data)->rules.count);
	bundle_forget_commands(&b);
	bundle_release(&b);
	if (getuid() == 0) { /* another user's group may be private: tests/live/private_group.sh */
		put_file("group.polb", s, 0664);
		not_opened("group.polb", "writable by its group or others");
	}
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
	not_opened("empty.polb", "it is no bundle");
	put_file("text.polb", STR("#!/bin/sh\n"), 0600);
	not_opened("text.polb", "it is no bundle");
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

static int enter(void **state)
{
	(void)state;
	return scratch_enter(dir);
}

static int leave(void **state)
{
	(void)state;
	return scratch_leave(dir);
}

/* A bundle whose filter may be loaded is not opened if that one is damaged, and only then. */
static void test_a_damaged_filter_is_found_at_once(void **state)
{
	struct mk m;
	struct str s;

	(void)state;
	mk_sample(&m);
	s = mk_bundle(&m, MK_OPTIONS);
	for (unsigned i = 0; i < 2 * PB_FILTER_COUNT; i++) {
		const struct member_filter *f = &member_filters[i / 2];
		const char *path = i % 2 ? f->map : f->bpf;

		for (unsigned trace = 0; trace < 2; trace++) {
			struct verified_options o = { .bytes = mk_malloced(s), .size = s.n,
						      .home = "/nonexistent", .now = 1800000000,
						      .trace = trace };
			bool needed = trace == (i / 2 == PB_FILTER_TRACE);
			/* its header; the data follows */
			uint8_t *at = memmem(o.bytes, s.n, path, strlen(path) + 1);
			struct rt_err err = { 0 };
			struct trust t;
			struct bundle b;

			/* the manifest lists it, too, without the NUL */
			assert_non_null(at);
			at[512 + 30] ^= 4;
			assert_int_equal(verified_open(&o, &b, &t, &err) < 0, needed);
			if (needed) {
				assert_non_null(strstr(err.text, path));
				assert_non_null(strstr(err.text, "is damaged"));
			}
			bundle_release(&b);
		}
	}
	mk_release(&m);
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
		cmocka_unit_test(test_a_damaged_filter_is_found_at_once),
	};

	return cmocka_run_group_tests(tests, enter, leave);
}
