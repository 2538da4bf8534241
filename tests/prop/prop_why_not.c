/*
 * `explain --why-not` on random policies: the statements that it proposes are pasted, as
 * text, and the policy is compiled again.  It must allow the request; no other request that
 * is asked may be decided otherwise unless something was said about it; and where no rule is
 * said to help, a rule that allows everything does not.  SEED= RUNS= repeat a run.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/cli/passes.h"
#include "compiler/cli/request.h"
#include "compiler/cli/show.h"
#include "compiler/cli/why_not.h"
#include "compiler/eval/eval.h"
#include "tests/prop/runs.h"

/* One section on each line, so that a statement is replaced by its line. */
static const char *const lines[] = {
	"command { allow \"npm test:*\" }",
	"command { deny \"rm:*\" with -rf except \"rm -rf build\" }",
	"command { ask \"make:*\" without -n }",
	"command { deny /^git .*force/ }",
	"command { ask \"git push:*\", \"git pull:*\" as sharing }",
	"command { otherwise allow }",
	"command { otherwise deny }",
	"command { allow \"git:*\" with only -q }",
	"file { deny read, write \"/srv/both\" }",
	"file { hide \"/srv/hidden\" }",
	"file { ask write \"./src\" }",
	"file { deny write \"**/*.lock\" }",
	"file { allow read, write \"/srv\" }",
	"file { allow read \"/srv/a?c\" }",
	"network limited { allow tcp \"*.example\" port 443 }",
	"network { deny tcp 10.1.0.0/16 }",
	"network { ask udp any }",
	"network { mode disabled }",
	"network { allow tcp \"a.example\" }",
	"unix { deny \"/run/*.sock\" }",
	"unix { otherwise ask }",
	"syscall { deny ptrace, socket(AF_NETLINK) }",
	"syscall { ask mount }",
	"tools { deny \"web_*\" }",
	"tools { otherwise by risk { low allow medium deny high deny critical deny } }",
};

struct asked {
	const char *words[5];
	const char *everything; /* a rule that allows all of its kind */
};

#define COMMAND "command { allow \"*:*\" }"
#define FILES "file { allow read, write, exec \"/\" }"
#define NET "network { allow any }"
#define UNIX "unix { allow \"/\" }"
#define TOOLS "tools { allow \"*\" }"

static const struct asked requests[] = {
	{ { "command", "npm test" }, COMMAND }, { { "command", "npm run x" }, COMMAND },
	{ { "argv", "--", "rm", "-rf", "src" }, COMMAND }, { { "command", "rm -r -f build" }, COMMAND },
	{ { "command", "make all" }, COMMAND }, { { "command", "make -n" }, COMMAND },
	{ { "command", "git push --force" }, COMMAND }, { { "command", "git push" }, COMMAND },
	{ { "command", "git push -q" }, COMMAND }, { { "command", "git pull" }, COMMAND },
	{ { "command", "frob 'a b' '*' '$x' '\"'" }, COMMAND }, { { "command", "frob" }, COMMAND },
	{ { "command", "frob x" }, COMMAND }, { { "command", "./frob x" }, COMMAND },
	{ { "command", "/usr/bin/frob x:" }, COMMAND }, { { "command", "frob \"$y\"" }, COMMAND },
	{ { "command", "frob 1 && make all | tee /srv/both/x" }, COMMAND },
	{ { "command", "xargs frob </srv/hidden/y" }, COMMAND }, { { "command", "eval \"$x\"" }, COMMAND },
	{ { "file", "read", "/srv/both" }, FILES }, { { "file", "read", "/srv/both/x" }, FILES },
	{ { "file", "write", "/srv/both/x" }, FILES }, { { "file", "read", "/srv/hidden/x" }, FILES },
	{ { "file", "write", "/srv/hidden/x" }, FILES }, { { "file", "read", "/srv/hidden" }, FILES },
	{ { "file", "write", "${PROJECT_DIR}/src/a.lock" }, FILES },
	{ { "file", "write", "${PROJECT_DIR}/src/b/c" }, FILES }, { { "file", "read", "/srv/a?c" }, FILES },
	{ { "file", "read", "/srv/abc" }, FILES }, { { "file", "read", "${HOME}/.ssh/id" }, FILES },
	{ { "file", "write", "${PROJECT_DIR}/.pol/x" }, FILES }, { { "file", "exec", "/srv/x{y},z" }, FILES },
	{ { "net", "tcp", "a.example:443" }, NET }, { { "net", "tcp", "a.example:80" }, NET },
	{ { "net", "tcp", "b.example:443" }, NET }, { { "net", "udp", "b.other:53" }, NET },
	{ { "net", "tcp", "10.1.2.3:443" }, NET }, { { "net", "tcp", "10.1.2.3:80" }, NET },
	{ { "net", "tcp", "[2001:db8::1]:443" }, NET }, { { "unix", "/run/x.sock" }, UNIX },
	{ { "unix", "/run/x.sock/y" }, UNIX }, { { "unix", "@bus" }, UNIX }, { { "unix", "/srv/s" }, UNIX },
	{ { "syscall", "ptrace" }, "syscall { allow ptrace }" },
	{ { "syscall", "ptrace(1)" }, "syscall { allow ptrace }" },
	{ { "syscall", "mount" }, "syscall { allow mount }" },
	{ { "syscall", "mount(1,2)" }, "syscall { allow mount }" },
	{ { "syscall", "socket(AF_NETLINK,3)" }, "syscall { allow socket }" },
	{ { "syscall", "reboot(0,0,3)" }, "syscall { allow reboot }" },
	{ { "tool", "web_fetch" }, TOOLS }, { { "tool", "read" }, TOOLS }, { { "tool", "re{a}d*" }, TOOLS },
};

static struct {
	unsigned long answer[WHY_NONE + 1], one, more, instead, final, differed, asked;
} seen;

/* --- policies ------------------------------------------------------------------------ */

struct text {
	enum ir_level level;
	struct str s;
};

static struct ir *compile(struct arena *a, const struct text *v, size_t n)
{
	struct compilation *c = ARENA_NEW(a, struct compilation);
	struct options *o = ARENA_NEW(a, struct options);

	*o = (struct options){ .verb = CLI_EXPLAIN, .scope = IR_SANDBOX };
	for (size_t i = 0; i < n; i++) {
		struct sema_input in = { .path = i ? "b" : "a", .name = i ? STR("b") : STR("a"),
					 .level = v[i].level };

		in.text = str_printf(a, "policy p { level %s }\n%.*s", ir_level_name(v[i].level),
				     STR_ARG(v[i].s));
		VEC_PUSH(a, &o->inputs, in);
	}
	compilation_init(c, o, a);
	return passes_run(c, "lift") == CLI_CLEAN ? c->ir : NULL;
}

/* --- requests ---------------------------------------------------------------------------- */

static struct ir_request request(struct arena *a, const struct asked *q, struct options *o)
{
	struct ir_request ret;
	struct roots roots;
	const char *why;

	o->request = q->words;
	for (o->nrequest = 0; o->nrequest < 5 && q->words[o->nrequest];)
		o->nrequest++;
	assert_true(roots_find(o, a, &roots, stderr));
	assert_true(request_read(o, &roots, a, &ret, &why, stderr));
	return ret;
}

static enum ir_effect effect(const struct ir *ir, const struct ir_request *q, struct arena *a)
{
	struct eval_decision d;

	eval_decide(ir, q, a, &d);
	return d.effect;
}

/* --- one policy ---------------------------------------------------------------------------- */

struct run {
	struct rnd *r;
	struct arena *a;
	struct options o;
	struct text was;
	const struct asked *asked;
	struct ir_request req;
	struct why_not why;
	const struct ir *old;
};

static bool bad(const struct run *x, const char *what, const struct asked *of)
{
	printf("at level %s: %s\n%.*s\nasked:", ir_level_name(x->was.level), what, STR_ARG(x->was.s));
	for (int i = 0; i < 5 && x->asked->words[i]; i++)
		printf(" %s", x->asked->words[i]);
	for (int i = 0; of && i < 5 && of->words[i]; i++)
		printf("%s %s", i ? "" : "\nsample:", of->words[i]);
	putchar('\n');
	why_not_text(stdout, &x->why, &x->o, x->a);
	return false;
}

/* The policy's text without the lines that are replaced; the first line is its level. */
static struct str rest_of(struct run *x)
{
	struct buf b;
	uint32_t line = 2;
	bool out = false;

	buf_init(&b, x->a);
	for (size_t i = 0, from = 0; i < x->was.s.n; i++) {
		if (x->was.s.p[i] != '\n')
			continue;
		out = false;
		for (size_t k = 0; k < x->why.edits.v.n; k++)
			out |= x->why.edits.v.v[k].instead.line == line;
		if (!out)
			buf_str(&b, str_sub(x->was.s, from, i + 1 - from));
		from = i + 1;
		line++;
	}
	return buf_view(&b);
}

static const struct ir *pasted(struct run *x)
{
	struct text v[2] = { { x->was.level, rest_of(x) }, { x->why.level, STR("") } };
	struct buf b;

	buf_init(&b, x->a);
	for (size_t i = 0; i < x->why.edits.v.n; i++) {
		const struct why_edit *e = &x->why.edits.v.v[i];

		buf_str(&b, why_edit_statement(x->a, e));
		buf_ch(&b, '\n');
		seen.instead += e->instead.line != 0;
		seen.final += str_starts(e->text, STR("final "));
	}
	v[1].s = buf_view(&b);
	return compile(x->a, v, 2);
}

/* Is the sample the request, or one of the commands of the line? */
static bool is_asked(const struct run *x, const struct asked *q)
{
	return q == x->asked || (x->req.kind == IR_COMMAND && q->words[1] && x->asked->words[1] &&
				 strstr(x->asked->words[1], q->words[1]));
}

static bool is_said(const struct run *x, enum ir_kind kind)
{
	if (x->why.more.doubts.n)
		return true;
	for (size_t i = 0; i < x->why.more.findings.n; i++) {
		const struct diff_finding *f = &x->why.more.findings.v[i];

		/* what is not about a request, such as the network's mode, is about many */
		if (!f->asked || f->request.kind == kind)
			return true;
	}
	return false;
}

static bool samples_hold(struct run *x, const struct ir *new)
{
	for (size_t i = 0; i < POL_LEN(requests); i++) {
		struct ir_request q = request(x->a, &requests[i], &x->o);

		for (int scope = IR_SANDBOX; scope <= IR_HOST; scope <<= 1) {
			q.scope = (enum ir_scope)scope;
			seen.asked++;
			if (is_asked(x, &requests[i]) ||
			    effect(x->old, &q, x->a) == effect(new, &q, x->a))
				continue;
			seen.differed++;
			/* a file of the line, too, is decided for whoever names it */
			if (!is_said(x, q.kind) && x->req.kind == q.kind)
				return bad(x, "this changes, and nothing says so", &requests[i]);
		}
	}
	return true;
}

static bool findings_hold(struct run *x, const struct ir *new)
{
	for (size_t i = 0; i < x->why.more.findings.n; i++) {
		const struct diff_finding *f = &x->why.more.findings.v[i];
		enum ir_effect e;

		if (!f->asked || f->change != DIFF_ALLOWED)
			continue;
		e = effect(new, &f->request, x->a);
		if (e != IR_ALLOW || effect(x->old, &f->request, x->a) == IR_ALLOW)
			return bad(x, "what is said to be newly allowed is not", NULL);
	}
	return true;
}

static bool rules_hold(struct run *x)
{
	const struct ir *new = pasted(x);

	if (!new)
		return bad(x, "what is proposed does not compile", NULL);
	if (effect(new, &x->req, x->a) != IR_ALLOW)
		return bad(x, "what is proposed does not allow it", NULL);
	*(x->why.more.findings.n || x->why.more.doubts.n ? &seen.more : &seen.one) += 1;
	return samples_hold(x, new) && findings_hold(x, new);
}

/* A rule that allows everything is one of this level. */
static bool nothing_helps(struct run *x)
{
	struct text v[2] = { x->was, { x->why.level, str_from(x->asked->everything) } };
	const struct ir *new = compile(x->a, v, 2);

	if (new && effect(new, &x->req, x->a) == IR_ALLOW)
		return bad(x, "no rule is said to allow it, and this one does", NULL);
	return true;
}

static bool one(struct rnd *r)
{
	static const enum ir_level own[] = { IR_USER, IR_PROJECT, IR_USER, IR_MANAGED_FILE };
	static const enum ir_level asked[] = { IR_USER, IR_PROJECT, IR_USER, IR_MANAGED };
	struct run x = { .r = r, .a = r->a };
	struct buf b;

	x.o = (struct options){ .verb = CLI_EXPLAIN, .scope = IR_SANDBOX };
	x.o.root[IR_ROOT_HOME] = "/nonexistent/dev";
	x.o.root[IR_ROOT_PROJECT] = "/nonexistent/dev/app";
	x.o.root[IR_ROOT_TMP] = "/nonexistent/tmp";
	buf_init(&b, x.a);
	for (size_t i = 0; i < POL_LEN(lines); i++)
		if (rnd_below(r, 3) == 0)
			buf_printf(&b, "%s\n", lines[i]);
	x.was = (struct text){ own[rnd_below(r, (uint32_t)POL_LEN(own))], buf_view(&b) };
	x.old = compile(x.a, &x.was, 1);
	if (!x.old)
		return true; /* two values of one mode */
	x.asked = &requests[r->seed % POL_LEN(requests)];
	x.o.why_level = asked[rnd_below(r, (uint32_t)POL_LEN(asked))];
	x.req = request(x.a, x.asked, &x.o);
	assert_true(why_not(x.old, &x.req, &x.o, x.a, &x.why));
	seen.answer[x.why.answer]++;
	switch (x.why.answer) {
	case WHY_ALLOWED:
		return effect(x.old, &x.req, x.a) == IR_ALLOW || bad(&x, "it is not allowed", NULL);
	case WHY_RULES:
		return rules_hold(&x);
	case WHY_LOCKED:
	case WHY_NONE:
		break;
	}
	return nothing_helps(&x);
}

static void test_what_is_proposed_allows_it(void **state)
{
	unsigned long usual = POL_LEN(requests), n; /* each request once */

	(void)state;
	assert_true(prop_runs(usual, one, &n));
	printf("%lu allowed, %lu by rules (%lu alone, %lu with more; %lu in place, %lu final), "
	       "%lu locked, %lu never; %lu of %lu samples differed\n", seen.answer[WHY_ALLOWED],
	       seen.answer[WHY_RULES], seen.one, seen.more, seen.instead, seen.final,
	       seen.answer[WHY_LOCKED], seen.answer[WHY_NONE], seen.differed, seen.asked);
	/* the floor is locked, or a final allow of a managed level lifts it */
	if (n >= usual)
		assert_true(seen.one && seen.more && seen.differed && seen.answer[WHY_ALLOWED] &&
			    (seen.answer[WHY_LOCKED] || seen.final));
	if (n >= 4 * usual)
		assert_true(seen.instead && seen.final && seen.answer[WHY_LOCKED]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_proposed_allows_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
