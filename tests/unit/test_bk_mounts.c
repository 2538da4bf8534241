/* mounts.bin: which places it names, how well each rule holds, what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "compiler/backend/mounts/places.h"
#include "compiler/ir/texts.h"
#include "runtime/bundle/check.h"
#include "tests/unit/bundle_make.h"

/* --- places ---------------------------------------- */

static void test_patterns_become_places(void **state)
{
	static const struct {
		const char *pattern;
		enum mounts_shape shape;
		const char *paths; /* joined by blanks */
	} rows[] = {
		{ "", MOUNTS_LITERAL, "" },
		{ "/usr", MOUNTS_LITERAL, "/usr" },
		{ "/{a,b}/c", MOUNTS_LITERAL, "/a/c /b/c" },
		{ "/{a,a}", MOUNTS_LITERAL, "/a" },
		{ "/x{,/y}", MOUNTS_LITERAL, "/x /x/y" },
		{ "/{.,..}/c", MOUNTS_LITERAL, "" },
		{ "/{a,{b,c}}{1,2}", MOUNTS_LITERAL, "/a1 /b1 /c1 /a2 /b2 /c2" },
		{ "/src/**/*.ts", MOUNTS_WILD, "/src" },
		{ "/src/a*", MOUNTS_WILD, "/src" },
		{ "/a?/b", MOUNTS_WILD, "" },
		{ "/src/{a,b*}/c", MOUNTS_WILD, "/src" },
		{ "/src/x**", MOUNTS_WILD, "/src" },
		{ "/**/.env*", MOUNTS_ANY, "" },
		{ "/**/node_modules", MOUNTS_ANY, "" },
	};
	struct mk m;

	(void)state;
	mk_init(&m);
	for (size_t i = 0; i < POL_LEN(rows); i++) {
		struct ir_path p = mk_path(&m, IR_ROOT_FS, rows[i].pattern);
		struct mounts_places at;
		struct buf b;

		mounts_places(&m.a, &p, &at);
		buf_init(&b, &m.a);
		for (size_t k = 0; k < at.paths.n; k++)
			buf_printf(&b, "%s%.*s", k ? " " : "", STR_ARG(at.paths.v[k]));
		if (at.shape != rows[i].shape || !str_eqz(buf_view(&b), rows[i].paths))
			fail_msg("%s: %d '%.*s'", rows[i].pattern, (int)at.shape,
				 STR_ARG(buf_view(&b)));
	}
	mk_release(&m);
}

static void test_any_depth_hangs_off_the_root_only(void **state)
{
	struct mounts_places at;
	struct ir_path p;
	struct mk m;

	(void)state;
	mk_init(&m);
	p = mk_path(&m, IR_ROOT_PROJECT, "/**/.env*");
	mounts_places(&m.a, &p, &at);
	assert_int_equal(at.shape, MOUNTS_WILD);
	assert_int_equal(at.paths.v[0].n, 0);
	/* Too many choices are a wildcard, not a longer list. */
	p = mk_path(&m, IR_ROOT_FS, "/{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}");
	mounts_places(&m.a, &p, &at);
	assert_int_equal(at.shape, MOUNTS_LITERAL);
	assert_int_equal(at.paths.n, IR_MOST_NAMES);
	p = mk_path(&m, IR_ROOT_FS, "/{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}");
	mounts_places(&m.a, &p, &at);
	assert_int_equal(at.shape, MOUNTS_WILD);
	mk_release(&m);
}

/* --- exactness ---------------------------------------- */

static void check(struct mk *m)
{
	bk_mounts.check(m->ir, &m->report, &m->sink);
}

static bool has_code(const struct mk *m, enum diag_code code)
{
	for (size_t i = 0; i < m->sink.list.n; i++) {
		if (m->sink.list.v[i]->code == code)
			return true;
	}
	return false;
}

static void test_how_well_each_rule_holds(void **state)
{
	static const struct {
		enum ir_effect effect;
		unsigned ops;
		const char *pattern;
		enum bk_exactness exactness;
		const char *part;
	} rows[] = {
		{ IR_ALLOW, IR_READ, "/usr", BK_EXACT, "mounted where it exists" },
		{ IR_ALLOW, IR_READ, "/usr/*.so", BK_OVER, "opens nothing" },
		{ IR_ALLOW, IR_WRITE, "/src/**/x", BK_OVER, "not mounted, and so not written" },
		{ IR_ALLOW, IR_WRITE, "/**/*.log", BK_OVER, "not mounted, and so not written" },
		{ IR_ALLOW, IR_WRITE, "", BK_OVER, "no rule lets be read" },
		{ IR_ALLOW, IR_READ, "/{a,b}", BK_EXACT, "mounted where it exists" },
		{ IR_DENY, IR_WRITE, "/etc", BK_EXACT, "each writing call by name" },
		{ IR_DENY, IR_WRITE, "/etc/*.conf", BK_EXACT, "'/etc' or above" },
		{ IR_DENY, IR_WRITE, "/**/.env*", BK_EXACT, "makes each writing call" },
		{ IR_DENY, IR_EXEC, "/etc", BK_EXACT, "noexec" },
		{ IR_DENY, IR_READ, "/secret", BK_OVER, "masked" },
		{ IR_HIDE, IR_ALL_OPS, "/root", BK_EXACT, "name stays visible" },
		{ IR_ASK, IR_WRITE, "/ask", BK_OVER, "cannot ask" },
		{ IR_HIDE, IR_ALL_OPS, "/home/*/.ssh", BK_EXACT, "polrun opens each file" },
		{ IR_HIDE, IR_ALL_OPS, "/**/.ssh", BK_EXACT, "polrun opens each file" },
		{ IR_HIDE, IR_ALL_OPS, "/**/.ssh", BK_ENTRY_ONLY, "/proc and /dev" },
		{ IR_DENY, IR_READ, "/etc/*.key", BK_EXACT, "names stay visible" },
		{ IR_ASK, IR_READ, "/etc/?", BK_EXACT, "polrun opens each file" },
		{ IR_DENY, IR_EXEC, "/x/**/y", BK_ENTRY_ONLY, "dynamic linker" },
	};

	(void)state;
	for (size_t i = 0; i < POL_LEN(rows); i++) {
		const struct ir_rule *r;
		struct mk m;

		mk_init(&m);
		r = mk_file(&m, rows[i].effect, rows[i].ops, IR_ROOT_FS,
			    rows[i].pattern);
		check(&m);
		if (mk_exactness(&m, r, "mounts", rows[i].part) != rows[i].exactness)
			fail_msg("%s %s: not %s with '%s'",
				 ir_effect_name(rows[i].effect), rows[i].pattern,
				 bk_exactness_name(rows[i].exactness), rows[i].part);
		assert_int_equal(m.sink.errors, 0);
		/* Where only askers look, the view says nothing. */
		mk_release(&m);
		mk_init(&m);
		mk_file(&m, rows[i].effect, rows[i].ops, IR_ROOT_FS, rows[i].pattern)
			->scopes = IR_HOST;
		check(&m);
		assert_int_equal(mk_exactness(&m, m.ir->rules.v[0], "mounts", NULL),
				 BK_NONE);
		mk_release(&m);
	}
}

static void test_scratch_floor_and_pairs(void **state)
{
	struct ir_rule *scratch, *any, *floor, *read;
	struct mk m;

	(void)state;
	mk_init(&m);
	any = mk_file(&m, IR_DENY, IR_WRITE, IR_ROOT_FS, "/**/.env");
	check(&m);
	assert_int_equal(mk_exactness(&m, any, "mounts", "scratch"), BK_NONE);
	mk_release(&m);

	mk_init(&m);
	scratch = mk_file(&m, IR_ALLOW, IR_WRITE, IR_ROOT_TMP, "");
	scratch->scratch = true;
	scratch->scopes = IR_SANDBOX;
	any = mk_file(&m, IR_DENY, IR_WRITE, IR_ROOT_FS, "/**/.env");
	floor = mk_file(&m, IR_DENY, IR_WRITE, IR_ROOT_PROJECT, "/.git/hooks");
	floor->floor = true;
	floor->level = IR_DEFAULT;
	read = mk_file(&m, IR_DENY, IR_READ, IR_ROOT_HOME, "/x");
	(void)mk_file(&m, IR_DENY, IR_WRITE, IR_ROOT_HOME, "/x");
	(void)mk_file(&m, IR_DENY, IR_EXEC, IR_ROOT_HOME, "/x");
	check(&m);
	assert_int_equal(mk_exactness(&m, scratch, "mounts", "tmpfs"), BK_EXACT);
	assert_int_equal(mk_exactness(&m, any, "mounts", "in scratch"), BK_NONE);
	assert_int_equal(mk_exactness(&m, any, "mounts", "decides and makes each"), BK_EXACT);
	assert_int_equal(mk_exactness(&m, floor, "mounts", "is made with it, and told"), BK_EXACT);
	assert_int_equal(mk_exactness(&m, read, "mounts", "masked"), BK_EXACT);
	for (size_t i = 0; i < m.report.notes.n; i++)
		assert_false(m.report.notes.v[i].is_fatal);
	assert_int_equal(m.sink.errors, 0);
	mk_release(&m);
}

/* Which rules take starts; who takes reading away as well has no linker to think of. */
static void test_programs_of_a_wildcard(void **state)
{
	struct ir_rule *hide, *exec, *allow;
	struct mk m;

	(void)state;
	mk_init(&m);
	hide = mk_file(&m, IR_HIDE, IR_ALL_OPS, IR_ROOT_FS, "/srv/**/.env*");
	check(&m);
	assert_int_equal(mk_exactness(&m, hide, "mounts", "is not started"), BK_NONE);
	mk_release(&m);

	mk_init(&m);
	(void)mk_file(&m, IR_ALLOW, IR_EXEC, IR_ROOT_PROJECT, "");
	hide = mk_file(&m, IR_HIDE, IR_ALL_OPS, IR_ROOT_FS, "/srv/**/.env*");
	exec = mk_file(&m, IR_DENY, IR_EXEC, IR_ROOT_HOME, "/x*");
	(void)mk_file(&m, IR_DENY, IR_READ, IR_ROOT_HOME, "/x*");
	allow = mk_file(&m, IR_ALLOW, IR_EXEC, IR_ROOT_FS, "/opt");
	mk_except(&m, allow, "/**/y*");
	check(&m);
	assert_int_equal(mk_exactness(&m, hide, "mounts", "is not started"), BK_OVER);
	assert_int_equal(mk_exactness(&m, exec, "mounts", "is not started"), BK_NONE);
	assert_int_equal(mk_exactness(&m, exec, "mounts", "linker"), BK_NONE);
	assert_int_equal(mk_exactness(&m, allow, "mounts", "is not started"), BK_OVER);
	assert_int_equal(mk_exactness(&m, allow, "mounts", "linker"), BK_ENTRY_ONLY);
	assert_int_equal(m.sink.errors, 0);
	mk_release(&m);
}

static void test_what_is_refused(void **state)
{
	static const struct {
		enum ir_effect effect;
		unsigned ops;
		const char *pattern, *except;
		enum diag_code code;
	} rows[] = {
		{ IR_HIDE, IR_ALL_OPS, "/proc/*/environ", NULL, DIAG_WILD_SYSTEM },
		{ IR_DENY, IR_READ, "/proc/sys/*", NULL, DIAG_WILD_SYSTEM },
		{ IR_DENY, IR_EXEC, "/sys/**/y", NULL, DIAG_WILD_SYSTEM },
		{ IR_ASK, IR_READ, "/dev/?", NULL, DIAG_WILD_SYSTEM },
		{ IR_ALLOW, IR_READ, "/dev", "/dev/tty*", DIAG_WILD_SYSTEM },
	};

	(void)state;
	for (size_t i = 0; i < POL_LEN(rows); i++) {
		struct ir_rule *r;
		struct mk m;

		mk_init(&m);
		r = mk_file(&m, rows[i].effect, rows[i].ops, IR_ROOT_FS,
			    rows[i].pattern);
		if (rows[i].except)
			mk_except(&m, r, rows[i].except);
		check(&m);
		if (m.sink.errors != 1 || !has_code(&m, rows[i].code))
			fail_msg("%s '%s' is not refused",
				 ir_effect_name(rows[i].effect), rows[i].pattern);
		assert_false(bk_mounts.emit(m.ir, &m.out, &m.sink));
		assert_int_equal(m.out.members.n, 0);
		mk_release(&m);
		/* An asker may have it. */
		mk_init(&m);
		r = mk_file(&m, rows[i].effect, rows[i].ops, IR_ROOT_FS,
			    rows[i].pattern);
		r->scopes = IR_HOST;
		assert_true(bk_mounts.emit(m.ir, &m.out, &m.sink));
		mk_release(&m);
	}
}

static const struct pb_anchor *anchors(const struct mk *m, uint32_t *ret_n)
{
	const struct bk_member *b = bk_member(&m->out, PB_MOUNTS);
	const struct pb_mounts *h;

	assert_non_null(b);
	assert_int_equal(
		bundle_check_mounts(b->bytes.p, b->bytes.n, bk_rule_count(m->ir), NULL),
		0);
	h = (const void *)b->bytes.p;
	*ret_n = h->anchors.count;
	return (const void *)(b->bytes.p + h->anchors.off);
}

static void test_otherwise_and_sockets(void **state)
{
	static const enum ir_scalar_id ids[] = { IR_S_FILE_READ, IR_S_FILE_WRITE,
						 IR_S_FILE_EXEC };
	struct ir_rule *path, *abstract, *allow, *wild, *bus;
	const struct pb_anchor *v;
	uint32_t n;
	struct mk m;

	(void)state;
	for (size_t i = 0; i < POL_LEN(ids); i++) {
		mk_init(&m);
		m.ir->scalars[ids[i]].effect = IR_ALLOW;
		check(&m);
		assert_int_equal(m.sink.errors, 0);
		assert_true(bk_mounts.emit(m.ir, &m.out, &m.sink));
		mk_release(&m);
	}
	mk_init(&m);
	path = mk_rule(&m, IR_UNIX, IR_DENY);
	path->set.u.unix_path = mk_path(&m, IR_ROOT_FS, "/run/docker.sock");
	abstract = mk_rule(&m, IR_UNIX, IR_DENY);
	abstract->set.u.unix_path = mk_path(&m, IR_ROOT_FS, "x11*");
	abstract->set.u.unix_path.abstract = true;
	allow = mk_rule(&m, IR_UNIX, IR_ALLOW);
	allow->set.u.unix_path = mk_path(&m, IR_ROOT_FS, "/run/x");
	wild = mk_rule(&m, IR_UNIX, IR_ALLOW);
	wild->set.u.unix_path = mk_path(&m, IR_ROOT_FS, "/run/user/*/bus");
	bus = mk_rule(&m, IR_UNIX, IR_ALLOW);
	bus->set.u.unix_path = mk_path(&m, IR_ROOT_FS, "bus");
	bus->set.u.unix_path.abstract = true;
	check(&m);
	assert_int_equal(mk_exactness(&m, path, "mounts", NULL), BK_ENTRY_ONLY);
	assert_int_equal(mk_exactness(&m, abstract, "mounts", NULL), BK_EXACT);
	assert_int_equal(mk_exactness(&m, allow, "mounts", "absent"), BK_EXACT);
	assert_int_equal(mk_exactness(&m, wild, "mounts", "wildcard"), BK_OVER);
	assert_int_equal(mk_exactness(&m, bus, "mounts", "namespace"), BK_OVER);
	/* the names of socket files are places; patterns and abstract names are none */
	assert_true(bk_mounts.emit(m.ir, &m.out, &m.sink));
	v = anchors(&m, &n);
	assert_int_equal(n, 2);
	for (uint32_t i = 0; i < n; i++)
		assert_true(v[i].kind == PB_A_PATH && v[i].flags == PB_AF_SOCKET && !v[i].ops);
	assert_true(v[0].rule == path->index && v[0].effect == PB_DENY);
	assert_true(v[1].rule == allow->index && v[1].effect == PB_ALLOW);
	assert_null(bk_mounts.verify(m.ir, &m.out, &m.a));
	mk_release(&m);
	/* the host's network has the host's abstract names */
	mk_init(&m);
	m.ir->scalars[IR_S_NET_MODE].num = IR_NET_FULL;
	bus = mk_rule(&m, IR_UNIX, IR_ALLOW);
	bus->set.u.unix_path = mk_path(&m, IR_ROOT_FS, "bus");
	bus->set.u.unix_path.abstract = true;
	check(&m);
	assert_int_equal(mk_exactness(&m, bus, "mounts", "Landlock's scope"), BK_OVER);
	mk_release(&m);
}

static void test_a_writable_tree_without_exec_is_noted(void **state)
{
	static const struct {
		enum ir_root root;
		const char *exec;
		bool noted;
	} rows[] = {
		{ IR_ROOT_PROJECT, NULL, true },
		{ IR_ROOT_PROJECT, "", false },
		{ IR_ROOT_PROJECT, "/build", false },
		{ IR_ROOT_PROJECT, "/other", true },
		{ IR_ROOT_HOME, "/build", true },
		{ IR_ROOT_PROJECT, "/build/bin", false },
		{ IR_ROOT_PROJECT, "/build2", true },
	};

	(void)state;
	for (size_t i = 0; i < POL_LEN(rows); i++) {
		struct mk m;

		mk_init(&m);
		(void)mk_file(&m, IR_ALLOW, IR_WRITE, IR_ROOT_PROJECT, "/build");
		if (rows[i].exec)
			(void)mk_file(&m, IR_ALLOW, IR_EXEC, rows[i].root,
				      rows[i].exec);
		check(&m);
		if (has_code(&m, DIAG_NO_EXEC_TREE) != rows[i].noted)
			fail_msg("row %zu", i);
		assert_int_equal(m.sink.errors, 0);
		mk_release(&m);
	}
}

/* What is written anywhere must be read anywhere; the root's own names are nobody's. */
static void test_writing_anywhere(void **state)
{
	struct ir_rule *write, *wild, *deny;
	const struct pb_anchor *v;
	struct mk m;
	uint32_t n;

	(void)state;
	mk_init(&m);
	(void)mk_file(&m, IR_ALLOW, IR_READ, IR_ROOT_FS, "");
	write = mk_file(&m, IR_ALLOW, IR_WRITE, IR_ROOT_FS, "");
	wild = mk_file(&m, IR_ALLOW, IR_WRITE, IR_ROOT_FS, "/**/*.log");
	/* what it leaves out lies in trees where names are decided anyway */
	deny = mk_file(&m, IR_DENY, IR_WRITE, IR_ROOT_FS, "/**/.env");
	mk_except(&m, deny, "/**/x/.env");
	check(&m);
	assert_int_equal(mk_exactness(&m, write, "mounts", "directly in /"), BK_EXACT);
	assert_int_equal(mk_exactness(&m, wild, "mounts", "makes each writing call"), BK_EXACT);
	assert_int_equal(m.sink.errors, 0);
	assert_true(bk_mounts.emit(m.ir, &m.out, &m.sink));
	v = anchors(&m, &n);
	assert_int_equal(n, 4);
	assert_true(v[1].kind == PB_A_PATH && v[1].path.len == 0 && v[1].ops == PB_WRITE);
	assert_true(v[2].kind == PB_A_WILD && v[2].root == PB_ROOT_FS && v[2].path.len == 0 &&
		    v[2].effect == PB_ALLOW && v[2].rule == wild->index);
	assert_true(v[3].kind == PB_A_ANY && v[3].effect == PB_DENY);
	assert_null(bk_mounts.verify(m.ir, &m.out, &m.a));
	mk_release(&m);
}

/* --- the member ---------------------------------------- */

static void test_anchors_of_rules_and_exceptions(void **state)
{
	const struct pb_anchor *v;
	struct ir_rule *r;
	struct mk m;
	uint32_t n;

	(void)state;
	mk_init(&m);
	r = mk_file(&m, IR_ALLOW, IR_WRITE, IR_ROOT_PROJECT, "");
	mk_except(&m, r, "/{a,b}");
	(void)mk_file(&m, IR_ALLOW, IR_READ, IR_ROOT_FS, "/x/*");
	r = mk_file(&m, IR_DENY, IR_WRITE, IR_ROOT_HOME, "/k");
	mk_except(&m, r, "/k/*.pub");
	(void)mk_file(&m, IR_DENY, IR_WRITE, IR_ROOT_FS, "/**/.env");
	(void)mk_file(&m, IR_DENY, IR_WRITE, IR_ROOT_PROJECT, "/src/*.lock");
	r = mk_file(&m, IR_ALLOW, IR_WRITE, IR_ROOT_PROJECT, "/w");
	mk_except(&m, r, "/w/*.o");
	assert_true(bk_mounts.emit(m.ir, &m.out, &m.sink));
	v = anchors(&m, &n);
	assert_int_equal(n, 9);
	assert_true(v[0].kind == PB_A_PATH && v[0].effect == PB_ALLOW &&
		    v[0].path.len == 0);
	assert_true(v[1].kind == PB_A_PATH && v[1].effect == PB_DENY && v[1].rule == 0);
	assert_true(v[2].effect == PB_DENY && v[2].path.len == 2);
	assert_true(v[3].effect == PB_DENY && v[3].root == PB_ROOT_HOME &&
		    v[3].rule == 2);
	/* what a wildcard lets be written is decided by name below its directory */
	assert_true(v[4].kind == PB_A_WILD && v[4].effect == PB_ALLOW && v[4].rule == 2);
	assert_true(v[5].kind == PB_A_ANY && v[5].rule == 3);
	assert_true(v[6].kind == PB_A_WILD && v[6].path.len == 4 && v[6].rule == 4);
	assert_true(v[7].kind == PB_A_PATH && v[7].rule == 5);
	assert_true(v[8].kind == PB_A_WILD && v[8].effect == PB_DENY &&
		    v[8].path.len == 2);
	assert_null(bk_mounts.verify(m.ir, &m.out, &m.a));
	mk_release(&m);
}

/* verify() must see a plan that is not the policy's. */
static void test_verify_sees_a_wrong_plan(void **state)
{
	struct bk_member *b;
	struct pb_anchor *v;
	struct mk m;

	(void)state;
	mk_init(&m);
	(void)mk_file(&m, IR_ALLOW, IR_WRITE, IR_ROOT_PROJECT, "/w");
	(void)mk_file(&m, IR_DENY, IR_WRITE, IR_ROOT_PROJECT, "/w/x");
	assert_non_null(bk_mounts.verify(m.ir, &m.out, &m.a));
	assert_true(bk_mounts.emit(m.ir, &m.out, &m.sink));
	assert_null(bk_mounts.verify(m.ir, &m.out, &m.a));
	b = &m.out.members.v[0];
	b->bytes.p = arena_dup(&m.a, b->bytes.p, b->bytes.n);
	v = (struct pb_anchor *)(uintptr_t)(b->bytes.p + sizeof(struct pb_mounts));
#define WRONG(field, value)                                            \
	do {                                                           \
		struct pb_anchor was = v[1];                           \
		v[1].field = value;                                    \
		assert_non_null(bk_mounts.verify(m.ir, &m.out, &m.a)); \
		v[1] = was;                                            \
	} while (0)
	WRONG(effect, PB_ALLOW);
	WRONG(root, PB_ROOT_HOME);
	WRONG(ops, PB_READ);
	WRONG(rule, 0);
	WRONG(path, v[0].path);
	WRONG(kind, PB_A_WILD);
#undef WRONG
	assert_null(bk_mounts.verify(m.ir, &m.out, &m.a));
	mk_release(&m);
}

static void test_print_names_places_and_rules(void **state)
{
	char *text = NULL;
	size_t n = 0;
	struct mk m;
	FILE *f;

	(void)state;
	mk_sample(&m);
	assert_true(mk_emit(&m));
	f = open_memstream(&text, &n);
	bk_mounts.print(f, &m.out);
	assert_int_equal(fclose(f), 0);
	assert_non_null(strstr(text, "hide  rwx ${HOME}/.ssh  rule-3 (hand.pol:4)\n"));
	assert_non_null(strstr(text, "allow r-- /usr  rule-0 (hand.pol:1)\n"));
	assert_non_null(strstr(text, "at most 1048576 bytes"));
	free(text);
	mk_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_patterns_become_places),
		cmocka_unit_test(test_any_depth_hangs_off_the_root_only),
		cmocka_unit_test(test_how_well_each_rule_holds),
		cmocka_unit_test(test_scratch_floor_and_pairs),
		cmocka_unit_test(test_programs_of_a_wildcard),
		cmocka_unit_test(test_what_is_refused),
		cmocka_unit_test(test_otherwise_and_sockets),
		cmocka_unit_test(test_a_writable_tree_without_exec_is_noted),
		cmocka_unit_test(test_writing_anywhere),
		cmocka_unit_test(test_anchors_of_rules_and_exceptions),
		cmocka_unit_test(test_verify_sees_a_wrong_plan),
		cmocka_unit_test(test_print_names_places_and_rules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
