/* Compares two small policies, for the tests of diff. */
#ifndef TESTS_UNIT_DIFF_FIXTURE_H
#define TESTS_UNIT_DIFF_FIXTURE_H

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compiler/analysis/diff.h"
#include "compiler/cli/passes.h"
#include "compiler/eval/eval.h"
#include "compiler/eval/line.h"
#include "tests/unit/fixture.h"

static struct diff_result res;
static const char *own_stdlib; /* the folder of another library, or NULL */

static inline struct ir *resolved(const char *text)
{
	struct compilation *c = ARENA_NEW(&arena, struct compilation);
	struct options *o = ARENA_NEW(&arena, struct options);
	char path[] = "/tmp/pol-diff.XXXXXX";
	struct sema_input in = { .level = 0 };
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	assert_int_equal(close(fd), 0);
	*o = (struct options){ .scope = IR_SANDBOX, .verb = CLI_CHECK };
	in.path = arena_printf(&arena, "%s", path);
	in.name = STR("p.pol");
	VEC_PUSH(&arena, &o->inputs, in);
	compilation_init(c, o, &arena);
	if (own_stdlib)
		c->sema.stdlib_dir = own_stdlib;
	if (passes_run(c, "lift") != CLI_CLEAN) {
		diag_render(stderr, &c->sink, &c->map, false);
		fail_msg("%s", text);
	}
	assert_int_equal(unlink(path), 0);
	return c->ir;
}

static inline void compare_irs(const struct ir *old, const struct ir *new)
{
	struct diff_where w = { .scope = IR_SANDBOX, .cwd = STR("/home/dev/app") };

	w.roots.dir[IR_ROOT_FS] = STR("/");
	w.roots.dir[IR_ROOT_HOME] = STR("/home/dev");
	w.roots.dir[IR_ROOT_PROJECT] = STR("/home/dev/app");
	w.roots.dir[IR_ROOT_TMP] = STR("/tmp");
	w.roots.dir[IR_ROOT_SESSION] = STR("/session");
	w.roots.dir[IR_ROOT_GIT] = STR("/home/dev/repository/.git");
	diff_policies(old, new, &w, &arena, &res);
}

/* The body of a managed policy without the base. */
static inline struct ir *managed(const char *body)
{
	return resolved(arena_printf(&arena, "policy p { level managed  base none }\n%s", body));
}

/* Bodies of managed policies without the base. */
static inline void compare(const char *old, const char *new)
{
	compare_irs(managed(old), managed(new));
}

static inline const struct diff_finding *only_finding(enum diff_change change, bool widening)
{
	const struct diff_finding *f = res.findings.v;

	assert_int_equal(res.findings.n, 1);
	assert_int_equal(res.doubts.n, 0);
	assert_string_equal(diff_change_name(f->change), diff_change_name(change));
	assert_int_equal(f->widening, widening);
	return f;
}

static inline void says(const char *old, const char *new, enum diff_change change,
		 bool widening)
{
	compare(old, new);
	(void)only_finding(change, widening);
	/* and the other way round it is no longer the same finding */
	compare(new, old);
	assert_int_equal(res.findings.n, 1);
	assert_int_equal(res.findings.v[0].widening && widening, false);
}

static inline void is_same(const char *old, const char *new)
{
	compare(old, new);
	assert_int_equal(res.findings.n, 0);
	assert_int_equal(res.doubts.n, 0);
	compare(new, old);
	assert_int_equal(res.findings.n + res.doubts.n, 0);
}

#endif
