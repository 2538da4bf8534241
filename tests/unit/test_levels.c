/*
 * Semantics 3, row by row: five levels, `final`, `locked`, narrow-only files,
 * lifted defaults, scalars, facts, the environment.  Each row is decided by
 * the reference evaluator on what sema and lower made.
 */
#include "tests/unit/sema_fixture.h"

#include "compiler/analysis/lift.h"
#include "compiler/eval/eval.h"

/* Files of a row: managed, managed-file, project, discovered, user; base and
 * floor stand in for std/base and floor.pol. */
struct texts {
	const char *m, *f, *p, *d, *u, *base, *floor;
};

static void load(struct fx *f, const struct texts *t, const char *last)
{
	fx_init(f);
	if (t->base)
		fx_write(f, "std/base.pol", t->base);
	if (t->floor)
		fx_write(f, "std/floor.pol", t->floor);
	if (t->m)
		fx_add(f, "m.pol", t->m, IR_MANAGED, false);
	if (t->f)
		fx_add(f, "f.pol", t->f, IR_MANAGED_FILE, false);
	if (t->p)
		fx_add(f, "p.pol", t->p, IR_PROJECT, false);
	if (t->d)
		fx_add(f, "d.pol", t->d, IR_PROJECT, true);
	if (t->u)
		fx_add(f, "u.pol", t->u, IR_USER, false);
	if (last)
		fx_add(f, "t.pol", last, IR_USER, false);
}

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

/* --- errors ---------------------------------------------------------------- */

static const struct {
	struct texts t;
	const char *code, *say;
} errors[] = {
	{ { .p = "command { final deny \"x\" }" }, "P0312", "reserved for managed levels" },
	{ { .p = "command { final deny \"x\" }" }, "P0312", "level 'project'" },
	{ { .u = "file { final allow read \"/x\" }" }, "P0312", "drop 'final'" },
	{ { .d = "command { final deny \"x\" }" }, "P0312", "as a discovered file" },
	{ { .base = "command { final deny \"x\" }" }, "P0312", "level 'default'" },
	{ { .m = "command { final ask \"x\" }" }, "P0314", "no lower level can loosen" },
	{ { .p = "locked command { }" }, "P0313", "reserved for managed levels" },
	{ { .u = "command { locked otherwise deny }" }, "P0313", "reserved" },
	{ { .u = "env { locked keep PATH }" }, "P0313", "reserved" },
	{ { .p = "policy p { locked base std }" }, "P0313", "reserved" },
	{ { .m = "command { locked opaque deny }", .u = "command { opaque ask }" },
	  "P0311", "'command opaque' is locked by level 'managed'" },
	{ { .m = "command { locked otherwise ask }", .f = "command { otherwise deny }" },
	  "P0311", "'command otherwise'" },
	{ { .m = "limits { locked time 60s }", .d = "limits { time 1s }" }, "P0311",
	  "'limits time'" },
	{ { .f = "locked limits { time 60s }", .u = "limits { time 1s }" }, "P0311",
	  "managed-file" },
	{ { .m = "env { locked keep PATH }", .u = "env { keep += X }" }, "P0311",
	  "'env keep' is locked" },
	{ { .m = "env { locked set A = \"1\" }", .u = "env { set A = \"2\" }" }, "P0311",
	  "'A' is locked by level 'managed'" },
	{ { .p = "limits { time 1s time 2s }" }, "P0310", "two values" },
	{ { .p = "command { otherwise ask otherwise deny }" }, "P0310", "two values" },
	{ { .p = "env { keep A  keep B }" }, "P0310", "'keep +='" },
	{ { .p = "env { set A = \"1\" set A = \"2\" }" }, "P0310", "'A' two values" },
	{ { .p = "network limited { } network full { }" }, "P0310", "'network mode'" },
	{ { .p = "env { set A = \"\\${HOME} ${HOME}\" }" }, "P0205", "a root's name" },
	{ { .p = "env { set A = r\"${HOME}\" }" }, "P0205", "a root's name" },
};

static void test_every_fault_has_its_message(void **state)
{
	(void)state;
	for (size_t i = 0; i < POL_LEN(errors); i++) {
		struct fx f;

		load(&f, &errors[i].t, NULL);
		if (fx_run(&f) || !fx_said(&f, errors[i].code, errors[i].say)) {
			fx_show(&f);
			fail_msg("row %zu: no %s '%s'", i, errors[i].code, errors[i].say);
		}
		fx_release(&f);
	}
}

/* --- what is dropped, and says so ------------------------------------------ */

static const struct {
	struct texts t;
	const char *why;
	size_t n;
} drops[] = {
	{ { .d = "command { allow \"x\" }" }, "narrow-only", 1 },
	{ { .d = "file { scratch \"/s\" }" }, "narrow-only", 1 },
	{ { .d = "command { safe A  inert \"x\"  program p { }  risk low \"x\" }" },
	  "narrow-only", 4 },
	{ { .d = "command { taint A  risk high \"x\"  deny \"y\" }" }, "", 0 },
	{ { .d = "limits { time 2h }", .u = "limits { time 1h }" }, "tightens", 1 },
	{ { .d = "limits { time 1h }", .u = "limits { time 2h }" }, "", 0 },
	{ { .d = "env { set A = \"1\" }" }, "sets no variables", 1 },
	{ { .d = "env { keep += A }" }, "tightens", 1 },
	{ { .d = "env { keep A, B }", .u = "env { keep A }" }, "tightens", 1 },
	{ { .m = "locked command { }", .u = "command { allow \"x\" }" },
	  "locked by managed", 1 },
	{ { .m = "locked command { }", .p = "command { safe A  risk low \"x\" }" },
	  "lower facts", 2 },
	{ { .m = "locked command { }",
	    .f = "command { safe A  pin p = \"/bin/p\"  shell posix  interpreter i { }  "
		 "wrapper w { }  program p { }  inert \"x\"  risk low \"x\" }" },
	  "lower facts", 8 },
	{ { .m = "command { final deny \"x\" }",
	    .f = "command { safe A  taint B  risk high \"x\" } tool t { risk read-only }" },
	  "lower facts", 1 },
	{ { .m = "locked tools { }",
	    .f = "tool t { risk read-only } tool v { risk network }" }, "class one lower", 1 },
	{ { .m = "tools { final deny \"x\" }", .f = "tool t { risk read-only }" },
	  "class one lower", 1 },
	/* a level's own, and those of a level above */
	{ { .f = "locked command { safe A }" }, "", 0 },
	{ { .f = "locked command { }", .m = "command { safe A }" }, "", 0 },
	{ { .m = "locked command { }", .base = "command { safe A  program p { } }" }, "", 0 },
	{ { .m = "locked file { }", .f = "command { safe A }" }, "", 0 },
	{ { .m = "locked command { otherwise deny }", .u = "command { otherwise ask }" },
	  "only tighter", 1 },
	{ { .m = "locked file { }", .base = "file { allow read \"/b\" }" },
	  "locked by managed", 1 },
	{ { .d = "policy d { base none }" }, "tightens", 1 },
};

static void test_what_is_dropped_says_so(void **state)
{
	(void)state;
	for (size_t i = 0; i < POL_LEN(drops); i++) {
		struct fx f;

		load(&f, &drops[i].t, NULL);
		if (!fx_run(&f)) {
			fx_show(&f);
			fail_msg("row %zu does not compile", i);
		}
		if (f.ir->dropped.n != drops[i].n)
			fail_msg("row %zu: %zu dropped, not %zu", i, f.ir->dropped.n,
				 drops[i].n);
		for (size_t k = 0; k < f.ir->dropped.n; k++) {
			const struct ir_dropped *d = &f.ir->dropped.v[k];

			assert_non_null(memmem(d->why.p, d->why.n, drops[i].why,
					       strlen(drops[i].why)));
			assert_true(d->at.line > 0 && d->text.n > 0);
		}
		fx_release(&f);
	}
}

/* --- scalars --------------------------------------------------------------- */

static void test_a_scalar_knows_what_it_overrode(void **state)
{
	static const struct texts t = { .m = "limits { time 10s }",
					.u = "limits { time 20s }",
					.base = "limits { time 30s }" };
	const struct ir_scalar *s;
	struct fx f;

	(void)state;
	load(&f, &t, NULL);
	assert_true(fx_run(&f));
	s = &f.ir->scalars[IR_S_LIMIT_TIME];
	assert_int_equal(s->num, 10000);
	assert_int_equal(s->level, IR_MANAGED);
	assert_int_equal(s->nover, 2);
	assert_int_equal(s->over[0].num, 20000);
	assert_int_equal(s->over[1].num, 30000);
	assert_int_equal(s->over[1].level, IR_DEFAULT);
	assert_true(str_eqz(s->over[0].at.file, "u.pol"));
	fx_release(&f);
}

static void test_a_file_overrides_what_it_uses(void **state)
{
	struct fx f;

	(void)state;
	fx_init(&f);
	fx_write(&f, "lib.pol", "limits { time 10s }\nenv { keep A  set X = \"1\" }\n"
		 "command { otherwise deny }\n");
	fx_add(&f, "p.pol", "use ./lib\nlimits { time 20s }\n"
	       "env { keep B  set X = \"2\" }\ncommand { otherwise ask }\n",
	       IR_PROJECT, false);
	if (!fx_run(&f))
		fx_show(&f);
	assert_non_null(f.ir);
	assert_int_equal(f.ir->scalars[IR_S_LIMIT_TIME].num, 20000);
	assert_int_equal(f.ir->scalars[IR_S_COMMAND_OTHERWISE].effect, IR_ASK);
	assert_int_equal(f.ir->keep.n, 1);
	assert_true(str_eqz(f.ir->keep.v[0].name, "B"));
	assert_int_equal(f.ir->env.n, 1);
	assert_true(str_eqz(f.ir->env.v[0].value, "2"));
	fx_release(&f);
}

static void test_two_files_of_one_level_must_agree(void **state)
{
	struct fx f;

	(void)state;
	fx_init(&f);
	fx_add(&f, "a.pol", "limits { time 10s }\n", IR_USER, false);
	fx_add(&f, "b.pol", "limits { time 20s }\n", IR_USER, false);
	assert_false(fx_run(&f));
	assert_true(fx_said(&f, "P0310", "level 'user' gives 'limits time' two values"));
	fx_release(&f);
	fx_init(&f);
	fx_add(&f, "a.pol", "limits { time 10s }\n", IR_USER, false);
	fx_add(&f, "b.pol", "limits { time 10s }\n", IR_USER, false);
	assert_true(fx_run(&f));
	fx_release(&f);
}

static void test_the_environment(void **state)
{
	static const struct texts t = {
		.base = "env { keep PATH, \"LC_*\"  set A = \"base\" }",
		.u = "env { keep += X  set A = \"\\$x ${HOME}\" }",
		.d = "env { keep PATH, LC_ALL, Y }",
		.m = "env { keep += Z }",
	};
	struct fx f;

	(void)state;
	load(&f, &t, NULL);
	assert_true(fx_run(&f));
	/* base, X; narrow: PATH and LC_ALL are among them, Y and X are not; Z */
	assert_int_equal(f.ir->keep.n, 3);
	assert_true(str_eqz(f.ir->keep.v[0].name, "PATH"));
	assert_true(str_eqz(f.ir->keep.v[1].name, "LC_ALL"));
	assert_true(str_eqz(f.ir->keep.v[2].name, "Z"));
	assert_int_equal(f.ir->keep.v[2].level, IR_MANAGED);
	assert_int_equal(f.ir->env.n, 1);
	assert_true(str_eqz(f.ir->env.v[0].value, "$x ${HOME}"));
	fx_release(&f);
}

/* --- marks ----------------------------------------------------------------- */

static void test_rules_carry_their_marks(void **state)
{
	static const struct texts t = {
		.m = "locked command { final deny \"a\"  ask \"b\" }",
		.f = "command { ask \"c\" }",
		.d = "command { ask \"d\" }\nfile { ask read \"/x\" }",
		.u = "command { ask \"e\"  deny \"f\" because \"w\\$\" }",
	};
	struct fx f;

	(void)state;
	load(&f, &t, NULL);
	assert_true(fx_run(&f));
	assert_true(fx_rule(&f, 0)->final);
	assert_false(fx_rule(&f, 1)->soft);
	assert_true(fx_rule(&f, 2)->soft);  /* below a lock */
	assert_true(fx_rule(&f, 3)->soft);  /* narrow-only and below */
	assert_false(fx_rule(&f, 3)->full);
	assert_true(fx_rule(&f, 4)->soft);  /* narrow-only */
	assert_true(fx_rule(&f, 5)->soft);
	assert_true(fx_rule(&f, 5)->full);
	assert_true(str_eqz(fx_rule(&f, 6)->because, "w$"));
	assert_int_equal(f.ir->locked[IR_COMMAND].level, IR_MANAGED);
	assert_true(str_eqz(f.ir->locked[IR_COMMAND].at.file, "m.pol"));
	assert_int_equal(f.ir->locked[IR_FILE].level, 0);
	fx_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_row_of_precedence),
		cmocka_unit_test(test_the_baselines_own_tests_hold),
		cmocka_unit_test(test_every_fault_has_its_message),
		cmocka_unit_test(test_what_is_dropped_says_so),
		cmocka_unit_test(test_a_scalar_knows_what_it_overrode),
		cmocka_unit_test(test_a_file_overrides_what_it_uses),
		cmocka_unit_test(test_two_files_of_one_level_must_agree),
		cmocka_unit_test(test_the_environment),
		cmocka_unit_test(test_rules_carry_their_marks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
