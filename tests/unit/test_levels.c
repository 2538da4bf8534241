/*
 * Semantics 3, row by row: five levels, `final`, `locked`, narrow-only files and lifted
 * defaults.  Each row is decided by the reference evaluator on what sema and lower made.
 */
#include "compiler/analysis/lift.h"
#include "compiler/eval/eval.h"
#include "tests/unit/levels_fixture.h"

/* --- rules ----------------------------------------------------------------- */

static const struct row {
	struct texts t;
	const char *request; /* with what is wanted: "argv \"x\" => deny by r" */
} rows[] = {
	/* step 5: nobody says anything */
	{ { 0 }, "argv \"x\" => ask by command-otherwise" },
	{ { 0 }, "file read \"/x\" => deny by file-otherwise-read" },
	{ { 0 }, "file write \"/x\" => deny" },
	{ { 0 }, "file exec \"/x\" => deny" },
	{ { 0 }, "net tcp \"a.example\" port 1 => deny by network-mode" },
	{ { 0 }, "unix \"/x\" => deny" },
	{ { 0 }, "syscall getpid => allow" },
	{ { 0 }, "tool t => ask" },
	/* step 3: the most restrictive, whatever its level */
	{ { .m = "command { allow \"x\" as a }" }, "argv \"x\" => allow by a" },
	{ { .m = "command { allow \"x\" }", .u = "command { deny \"x\" as d }" },
	  "argv \"x\" => deny by d" },
	{ { .m = "command { allow \"x\" }", .u = "command { ask \"x\" as d }" },
	  "argv \"x\" => ask by d" },
	{ { .m = "command { deny \"x\" as d }", .u = "command { allow \"x\" }" },
	  "argv \"x\" => deny by d" },
	{ { .m = "command { ask \"x\" as d }", .f = "command { allow \"x\" }" },
	  "argv \"x\" => ask by d" },
	{ { .f = "command { deny \"x\" as d }", .p = "command { allow \"x\" }" },
	  "argv \"x\" => deny by d" },
	{ { .f = "command { allow \"x\" }", .p = "command { deny \"x\" as d }" },
	  "argv \"x\" => deny by d" },
	{ { .p = "command { allow \"x\" }", .u = "command { deny \"x\" as d }" },
	  "argv \"x\" => deny by d" },
	{ { .p = "command { deny \"x\" as d }", .u = "command { allow \"x\" }" },
	  "argv \"x\" => deny by d" },
	/* the deciding rule: the first by level, then by line */
	{ { .m = "command { deny \"x\" as first }", .u = "command { deny \"x\" as second }" },
	  "argv \"x\" => deny by first" },
	{ { .p = "command { deny \"x\" as first  deny \"x *\" as other\n deny \"x\" as last }" },
	  "argv \"x\" => deny by first" },
	{ { .p = "command { allow \"x\" as a  allow \"x:*\" as b }" },
	  "argv \"x\" => allow by a" },
	/* a mount's place is a name of its tree, for denies of every level … */
	{ { .m = "file { deny write \"/w/x\" as d }",
	    .u = "file { mount \"/srv\" at \"/w\" read, write }" },
	  "file write \"/srv/x\" => deny by d" },
	{ { .m = "file { deny write \"/srv/x\" as d }",
	    .u = "file { mount \"/srv\" at \"/w\" read, write }" },
	  "file write \"/w/x\" => deny by d" },
	{ { .u = "file { mount \"/srv\" at \"/w\" read, write }" },
	  "file write \"/w/x\" => allow" },
	/* … and for allows of those that may know of it */
	{ { .m = "file { mount \"/srv\" at \"/w\" read }",
	    .u = "file { allow write \"/w/x\" as a }" },
	  "file write \"/srv/x\" => allow by a" },
	{ { .m = "file { allow write \"/w/x\" as a }",
	    .u = "file { mount \"/srv\" at \"/w\" read }" },
	  "file write \"/srv/x\" => deny by file-otherwise-write" },
	{ { .m = "file { allow write \"/w/x\" as a }",
	    .u = "file { mount \"/srv\" at \"/w\" read }" },
	  "file write \"/w/x\" => deny by file-otherwise-write" },
	/* of two at one place the higher level's; what the lock and a level that
	   allows nothing take away is still a name for denies */
	{ { .m = "file { mount \"/srv\" at \"/w\" read }",
	    .u = "file { mount \"/opt\" at \"/w\" read, write }" },
	  "file read \"/w/x\" => allow" },
	{ { .m = "file { mount \"/srv\" at \"/w\" read }",
	    .u = "file { mount \"/opt\" at \"/w\" read, write }" },
	  "file read \"/opt/x\" => deny by file-otherwise-read" },
	{ { .m = "locked file { allow write \"/srv\" }",
	    .u = "file { mount \"/srv\" at \"/w\" read  deny write \"/w/x\" as d }" },
	  "file write \"/srv/x\" => deny by d" },
	{ { .m = "locked file { allow write \"/srv\" }",
	    .u = "file { mount \"/srv\" at \"/w\" read  deny write \"/w/x\" as d }" },
	  "file write \"/w/x\" => deny by d" },
	{ { .p = "file { allow write \"/srv\" }",
	    .d = "file { mount \"/srv\" at \"/w\" read  deny write \"/w/x\" as d }" },
	  "file write \"/srv/x\" => deny by d" },
	{ { .p = "file { allow write \"/srv\" }",
	    .d = "file { mount \"/srv\" at \"/w\" read, write }" },
	  "file read \"/srv/x\" => deny by file-otherwise-read" },
	/* an exception of an allow holds in both spellings, too */
	{ { .u = "file { mount \"/srv\" at \"/w\" read  allow write \"/srv\" except \"/w/x\" }" },
	  "file write \"/srv/x\" => deny by file-otherwise-write" },
	{ { .u = "file { mount \"/srv\" at \"/w\" read  allow write \"/srv\" except \"/*/x\" }" },
	  "file write \"/w/x\" => deny by file-otherwise-write" },
	/* sockets have these names as well */
	{ { .u = "file { mount \"/srv\" at \"/w\" read } unix { allow \"/w/s\" as a }" },
	  "unix \"/srv/s\" => allow by a" },
	{ { .u = "file { mount \"/srv\" at \"/w\" read } unix { allow \"/srv/s\" as a }" },
	  "unix \"/w/s\" => allow by a" },
	/* exceptions belong to their rule */
	{ { .m = "command { deny \"x:*\" as d except \"x y\" }",
	    .u = "command { allow \"x:*\" as a }" }, "argv \"x\", \"y\" => allow by a" },
	{ { .m = "command { deny \"x:*\" as d except \"x y\" }",
	    .u = "command { allow \"x:*\" as a }" }, "argv \"x\", \"z\" => deny by d" },
	/* step 1: final */
	{ { .m = "command { final allow \"x\" as fin }", .u = "command { deny \"x\" }" },
	  "argv \"x\" => allow by fin" },
	{ { .m = "command { final allow \"x\" as fin }", .f = "command { deny \"x\" }" },
	  "argv \"x\" => allow by fin" },
	{ { .m = "command { final allow \"x\"  deny \"x\" as d }" },
	  "argv \"x\" => deny by d" },
	{ { .f = "command { final allow \"x\" as fin }", .p = "command { deny \"x\" }" },
	  "argv \"x\" => allow by fin" },
	{ { .m = "command { deny \"x\" as d }", .f = "command { final allow \"x\" }" },
	  "argv \"x\" => deny by d" },
	{ { .m = "command { ask \"x\" as d }", .f = "command { final allow \"x\" }",
	    .u = "command { deny \"x\" }" }, "argv \"x\" => ask by d" },
	{ { .m = "command { final deny \"x\" as fin }", .u = "command { deny \"x\" as u }" },
	  "argv \"x\" => deny by fin" },
	{ { .m = "command { final allow \"y\" }", .u = "command { deny \"x\" as d }" },
	  "argv \"x\" => deny by d" },
	{ { .m = "file { final allow read \"/a\" as fin }", .p = "file { hide \"/a/b\" }" },
	  "file read \"/a/b\" => allow by fin" },
	{ { .m = "file { final allow read \"/a\" as fin }", .p = "file { hide \"/a/b\" as h }" },
	  "file write \"/a/b\" => deny by h" },
	/* locked: an allow-list */
	{ { .m = "locked command { allow \"y\" }", .u = "command { allow \"x\" }" },
	  "argv \"x\" => ask by command-otherwise" },
	{ { .m = "locked command { allow \"x\" as a }", .u = "command { allow \"x\" }" },
	  "argv \"x\" => allow by a" },
	{ { .m = "locked command { allow \"x\" }", .u = "command { deny \"x\" as d }" },
	  "argv \"x\" => deny by d" },
	{ { .m = "locked command { allow \"x\" }", .u = "command { ask \"x\" as d }" },
	  "argv \"x\" => ask by d" },
	{ { .m = "locked command { otherwise deny }", .u = "command { ask \"x\" }" },
	  "argv \"x\" => deny by command-otherwise" },
	{ { .f = "locked command { otherwise deny }", .u = "command { ask \"x\" }" },
	  "argv \"x\" => deny by command-otherwise" },
	{ { .f = "locked command { otherwise deny }", .m = "command { ask \"x\" as d }" },
	  "argv \"x\" => ask by d" },
	{ { .f = "locked command { }", .m = "command { allow \"x\" as a }" },
	  "argv \"x\" => allow by a" },
	{ { .m = "locked command { }", .f = "command { final allow \"x\" }" },
	  "argv \"x\" => ask by command-otherwise" },
	{ { .m = "locked file { allow read \"/a\" }", .p = "file { allow write \"/a\" }" },
	  "file write \"/a\" => deny" },
	{ { .m = "locked file { }", .base = "file { allow read \"/b\" }" },
	  "file read \"/b\" => deny by file-otherwise-read" },
	{ { .m = "locked command { allow \"x\" }", .p = "file { allow read \"/a\" as a }" },
	  "file read \"/a\" => allow by a" },
	/* narrow-only */
	{ { .d = "command { allow \"x\" }" }, "argv \"x\" => ask by command-otherwise" },
	{ { .d = "command { deny \"x\" as d }", .u = "command { allow \"x\" }" },
	  "argv \"x\" => deny by d" },
	{ { .d = "command { ask \"x\" as d }", .u = "command { allow \"x\" }" },
	  "argv \"x\" => ask by d" },
	{ { .d = "command { ask \"x\" }", .u = "command { otherwise deny }" },
	  "argv \"x\" => deny by command-otherwise" },
	{ { .p = "command { ask \"x\" as d }", .u = "command { otherwise deny }" },
	  "argv \"x\" => ask by d" },
	{ { .d = "file { scratch \"/s\" }" }, "file write \"/s/x\" => deny" },
	{ { .d = "file { hide \"/a\" as h }", .p = "file { allow read \"/a\" }" },
	  "file read \"/a\" => deny by h" },
	/* steps 2 and 4: defaults */
	{ { .base = "file { allow read \"/b\" as b }" }, "file read \"/b\" => allow by b" },
	{ { .base = "file { allow read \"/b\" }", .u = "file { deny read \"/b\" as d }" },
	  "file read \"/b\" => deny by d" },
	{ { .base = "file { deny read \"/b\" as b }", .u = "file { allow read \"/a\" }" },
	  "file read \"/b\" => deny by b" },
	{ { .base = "file { hide \"/b\" as b }", .u = "file { allow read \"/b/c\" as a }" },
	  "file read \"/b/c\" => allow by a" },
	{ { .base = "file { hide \"/b\" as b }", .u = "file { allow read \"/b/c\" }" },
	  "file read \"/b/d\" => deny by b" },
	{ { .base = "file { hide \"/b/c\" as b }", .u = "file { allow read \"/b\" }" },
	  "file read \"/b/c\" => deny by b" },
	{ { .base = "file { hide \"/b\" as b }", .d = "file { allow read \"/b/c\" }" },
	  "file read \"/b/c\" => deny by b" },
	{ { .base = "syscall { deny socket(AF_INET) as b }",
	    .u = "syscall { allow socket(AF_INET, SOCK_STREAM) as a }" },
	  "syscall socket(AF_INET, SOCK_STREAM, 0) => allow by a" },
	{ { .base = "syscall { deny socket(AF_INET) as b }",
	    .u = "syscall { allow socket(*, SOCK_STREAM) as a }" },
	  "syscall socket(AF_INET, SOCK_STREAM, 0) => deny by b" },
	{ { .base = "command { ask \"x:*\" as b }", .u = "command { allow \"x y\" as a }" },
	  "argv \"x\", \"y\" => allow by a" },
	{ { .base = "command { deny \"x:*\" as b }",
	    .m = "locked command { }", .u = "command { allow \"x y\" }" },
	  "argv \"x\", \"y\" => deny by b" },
	/* the floor */
	{ { .floor = "network disabled file { deny write \"/f\" as fl }",
	    .p = "file { allow write \"/f\" }" }, "file write \"/f\" => deny by fl" },
	{ { .floor = "network disabled file { deny write \"/f\" as fl }",
	    .m = "file { allow write \"/f\" }" }, "file write \"/f\" => deny by fl" },
	{ { .floor = "network disabled file { deny write \"/f\" as fl }",
	    .m = "file { final allow write \"/f\" as a }" },
	  "file write \"/f\" => allow by a" },
	{ { .floor = "network disabled file { deny write \"/f\" as fl }",
	    .base = "file { deny write \"/f\" as b }" }, "file write \"/f\" => deny by b" },
	/* otherwise and scalars */
	{ { .m = "command { otherwise deny }", .u = "command { otherwise allow }" },
	  "argv \"x\" => deny" },
	{ { .u = "command { otherwise allow }" }, "argv \"x\" => allow" },
	{ { .p = "command { otherwise ask }", .u = "command { otherwise allow }" },
	  "argv \"x\" => ask" },
	{ { .d = "command { otherwise allow }", .u = "command { otherwise deny }" },
	  "argv \"x\" => deny" },
	{ { .d = "command { otherwise deny }", .u = "command { otherwise allow }" },
	  "argv \"x\" => deny" },
	{ { .m = "command { otherwise allow }", .d = "command { otherwise deny }" },
	  "argv \"x\" => allow" },
	{ { .m = "locked command { otherwise ask }", .u = "command { otherwise deny }" },
	  "argv \"x\" => deny" },
	{ { .m = "locked command { otherwise ask }", .u = "command { otherwise allow }" },
	  "argv \"x\" => ask" },
	{ { .m = "locked command { otherwise allow }",
	    .base = "command { otherwise deny }" }, "argv \"x\" => allow" },
	{ { .m = "locked command { }", .base = "command { otherwise deny }" },
	  "argv \"x\" => deny" },
	{ { .m = "locked command { }", .base = "command { otherwise allow }" },
	  "argv \"x\" => ask" },
	{ { .base = "command { otherwise by risk { low allow medium ask high deny critical "
		    "deny }  risk low \"x\" }" }, "argv \"x\" => allow" },
	{ { .base = "command { otherwise by risk { low allow medium ask high deny critical "
		    "deny }  risk low \"x\" }", .d = "command { otherwise ask }" },
	  "argv \"x\" => ask" },
	{ { .base = "command { otherwise by risk { low allow medium ask high deny critical "
		    "deny }  risk high \"x\" }", .d = "command { otherwise ask }" },
	  "argv \"x\" => deny" },
	{ { .base = "command { otherwise by risk { low allow medium ask high deny critical "
		    "deny }  risk low \"x\" }", .m = "locked command { }" },
	  "argv \"x\" => ask" },
	{ { .m = "network limited { allow tcp \"a.example\" port 1 as a }" },
	  "net tcp \"a.example\" port 1 => allow by a" },
	{ { .m = "network limited { }", .u = "network full { }" },
	  "net tcp \"a.example\" port 1 => deny by network-otherwise" },
	{ { .m = "network full { }", .d = "network disabled" },
	  "net tcp \"a.example\" port 1 => allow" },
	{ { .m = "locked network full { }", .u = "network disabled" },
	  "net tcp \"a.example\" port 1 => deny by network-mode" },
	{ { .d = "network full { }" }, "net tcp \"a.example\" port 1 => deny by network-mode" },
	/* facts */
	{ { .u = "command { risk low \"x\"  otherwise by risk { low allow medium ask high "
		 "ask critical deny } }" }, "argv \"x\" => allow" },
	{ { .d = "command { risk low \"x\" }",
	    .u = "command { otherwise by risk { low allow medium ask high ask critical "
		 "deny } }" }, "argv \"x\" => ask" },
	{ { .d = "command { risk critical \"x\" }",
	    .u = "command { risk low \"x\" otherwise by risk { low allow medium ask high "
		 "ask critical deny } }" }, "argv \"x\" => deny" },
	{ { .m = "command { final deny \"y\" }",
	    .u = "command { risk low \"x\" otherwise by risk { low allow medium ask high "
		 "ask critical deny } }" }, "argv \"x\" => ask" },
	{ { .m = "command { otherwise by risk { low allow medium ask high ask critical "
		 "deny } }", .u = "command { risk low \"x\" }" }, "argv \"x\" => allow" },
};

static void decide(struct fx *f, struct ir_test_case *c)
{
	static const struct ir_roots roots = {
		.dir = { [IR_ROOT_FS] = { "/", 1 }, [IR_ROOT_HOME] = { "/h", 2 },
			 [IR_ROOT_PROJECT] = { "/h/p", 4 }, [IR_ROOT_TMP] = { "/tmp", 4 } }
	};
	struct str path = c->request.path;
	struct eval_decision d;
	enum ir_root root;
	size_t len;
	struct str id;

	if (sema_root_prefix(path, &root, &len))
		c->request.path = str_cat(&f->a, roots.dir[root],
					  str_sub(path, len, path.n - len));
	c->request.roots = roots;
	c->request.cwd = roots.dir[IR_ROOT_PROJECT];
	eval_decide(f->ir, &c->request, &f->a, &d);
	id = d.rule ? d.rule->id : f->ir->scalars[d.scalar].id;
	if ((d.effect == IR_HIDE ? IR_DENY : d.effect) != c->want ||
	    (c->by.n && !str_eq(c->by, id)))
		fail_msg("line %u, '%.*s': got %s by %.*s", c->at.line,
			 STR_ARG(c->request.text), ir_effect_name(d.effect),
			 STR_ARG(id));
}

static void test_every_row_of_precedence(void **state)
{
	size_t n = 0;

	(void)state;
	for (size_t i = 0; i < POL_LEN(rows); i++) {
		struct fx f;
		char test[300];

		if (!rows[i].request)
			continue;
		snprintf(test, sizeof(test), "test \"t\" { %s }", rows[i].request);
		load(&f, &rows[i].t, test);
		if (!fx_run(&f)) {
			fx_show(&f);
			fail_msg("row %zu does not compile", i);
		}
		assert_true(pass_lift(f.ir, &f.sink));
		decide(&f, &f.ir->tests.v[0].cases[0]);
		fx_release(&f);
		n++;
	}
	assert_true(n >= 60);
}

/* What is shipped: the tests in std/base, the thirteen commands among them. */
static void test_the_baselines_own_tests_hold(void **state)
{
	struct fx f;
	size_t n = 0;

	(void)state;
	fx_init(&f);
	f.s.stdlib_dir = POL_STDLIB_DIR;
	f.in[f.nin++] = (struct sema_input){ .path = POL_STDLIB_DIR "/base.pol" };
	assert_true(fx_run(&f));
	assert_true(pass_lift(f.ir, &f.sink));
	for (size_t i = 0; i < f.ir->tests.n; i++)
		for (size_t k = 0; k < f.ir->tests.v[i].ncases; k++, n++) {
			struct ir_test_case *c = &f.ir->tests.v[i].cases[k];

			c->request.scope = f.ir->tests.v[i].scopes == IR_HOST ? IR_HOST :
										IR_SANDBOX;
			decide(&f, c);
		}
	assert_true(n >= 39);
	fx_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_row_of_precedence),
		cmocka_unit_test(test_the_baselines_own_tests_hold),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
