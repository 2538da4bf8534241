/*
 * L6 for what no request shows, and for tools.  Policies of one statement of each kind
 * (variables, limits, settings, locks, facts, what is carried, days), and pairs
 * that differ in one of them: whatever else they say, diff must not say alike, and
 * where the new text permits more it says so.  The same statements in another order are
 * alike.  Tools by brute force, as in prop_diff_net.c.  SEED= RUNS= repeat a run.
 */
#include "compiler/analysis/diff.h"
#include "tests/prop/diff_says.h"
#include "tests/prop/diff_slots.h"
#include "tests/prop/laws.h"

#define ROLE "r1"

static struct {
	unsigned long changed[POL_LEN(slots)], widened[POL_LEN(slots)], differ, widen, alike;
} seen;

static struct pol of_texts(const char *text)
{
	struct pol p = { .role = ROLE };

	p.text[POL_MANAGED] = text;
	p.text[POL_BASE] = "network disabled\n";
	p.text[POL_FLOOR] = "file { }\n";
	return p;
}

/* Each in a section of its own; `back`: the last one first. */
static struct pol written(struct arena *a, const uint32_t *choice, bool back)
{
	struct buf b;
	size_t i;

	buf_init(&b, a);
	buf_z(&b, "role " ROLE " { }\nrole r2 { }\nenv { secret GW from file \"/gw\" }\n");
	for (i = 0; i < POL_LEN(slots); i++) {
		size_t k = back ? POL_LEN(slots) - 1 - i : i;
		const char *text = slots[k].text[choice[k]];

		if (slots[k].section && *text)
			buf_printf(&b, "%s { %s }\n", slots[k].section, text);
		else
			buf_printf(&b, "%s\n", text);
	}
	return of_texts(str_z(a, buf_view(&b)));
}

static struct rnd random_of(const struct law *l, unsigned long run, struct arena *a)
{
	struct rnd r = { .s = (l->seed + run) * 0x9e3779b97f4a7c15u | 1, .a = a };
	int i;

	for (i = 0; i < 8; i++)
		(void)rnd_below(&r, 2);
	return r;
}

static void broken(struct law *l, unsigned long run, const struct pol t[2], const char *why)
{
	law_show(&t[0]);
	law_show(&t[1]);
	printf("SEED=%llu RUNS=1\n", (unsigned long long)l->seed + run);
	fail_msg("%s", why);
}

/* What diff says of two texts, none of which may be refused. */
static struct diff_result compared(struct law *l, unsigned long run, const struct pol t[2],
				   const struct ir *ret_ir[2], struct arena *a)
{
	struct diff_where where = { .scope = IR_SANDBOX, .cwd = STR("/h/p") };
	struct diff_result res;
	int i;

	for (i = 0; i < 2; i++) {
		ret_ir[i] = law_ir(l, &t[i], a);
		if (!ret_ir[i])
			broken(l, run, t, "a text is refused (SHOW=1 says why)");
	}
	for (i = 0; i < IR_ROOT_COUNT; i++)
		where.roots.dir[i] = i == IR_ROOT_FS ? STR("/") : STR("/h/p");
	diff_policies(ret_ir[0], ret_ir[1], &where, a, &res);
	return res;
}

/* --- one statement of each kind ------------------------------------------------------- */

static void one_change(struct law *l, unsigned long run, struct arena *a)
{
	struct rnd r = random_of(l, run, a);
	uint32_t old[POL_LEN(slots)], new[POL_LEN(slots)], at, n, i;
	const struct ir *ir[2];
	struct diff_result res;
	struct pol t[2];

	for (i = 0; i < POL_LEN(slots); i++)
		old[i] = new[i] = rnd_below(&r, texts_of(&slots[i]));
	/* each statement in turn; in every other round its new text is looser for certain */
	at = (uint32_t)((l->seed + run) % POL_LEN(slots));
	n = texts_of(&slots[at]);
	if (slots[at].loosens && (l->seed + run) / POL_LEN(slots) % 2 == 0) {
		old[at] = rnd_below(&r, n - 1);
		new[at] = old[at] + 1 + rnd_below(&r, n - 1 - old[at]);
	} else {
		new[at] = (old[at] + 1 + rnd_below(&r, n - 1)) % n;
	}
	/* what the gateway does shows only where there is one */
	if (slots[at].section && !strcmp(slots[at].section, "network"))
		for (i = 0; i < POL_LEN(slots); i++)
			if (!strcmp(slots[i].text[0], "network disabled"))
				old[i] = new[i] = 1;
	t[0] = written(a, old, false);
	t[1] = written(a, new, rnd_one_in(&r, 2));
	res = compared(l, run, t, ir, a);
	if (!res.findings.n && !res.doubts.n)
		broken(l, run, t, slots[at].text[new[at]]);
	if (slots[at].loosens && new[at] > old[at]) {
		seen.widened[at]++;
		if (!diff_says_widening(&res))
			broken(l, run, t, "diff sees no widening, and the new text permits more");
	}
	seen.changed[at]++;
	l->bites++;
	/* the control */
	t[1] = written(a, old, true);
	res = compared(l, run, t, ir, a);
	if (res.findings.n || res.doubts.n)
		broken(l, run, t, "the same in another order is not alike");
}

/* The first statement that was never changed, or never widened; NULL: none. */
static const char *unchanged(void)
{
	for (size_t i = 0; i < POL_LEN(slots); i++)
		if (!seen.changed[i] || (slots[i].loosens && !seen.widened[i]))
			return slots[i].text[1];
	return NULL;
}

static bool is_each_changed(void)
{
	return !unchanged();
}

static void test_L6_each_kind_of_statement(void **state)
{
	struct law l;

	(void)state;
	memset(&seen, 0, sizeof(seen));
	law_begin(&l, "L6 kinds", 720, 0); /* with the sanitizers 240 */
	assert_true(l.usual >= 2 * POL_LEN(slots));
	l.met = is_each_changed;
	law_repeat(&l, one_change);
	if (law_is_whole(&l) && unchanged())
		print_message("never changed: %s\n", unchanged());
	law_end(&l);
}

/* --- tools ------------------------------------------------------------------------------ */

#define MAX_TOOLS 5

static const char *const tool_names[] = { "a", "b", "ab", "ba", "aab", "x", "ax", "read_a" };
static const char *const tool_globs[] = { "a", "b", "a*", "*b", "?", "{a|b}", "a?", "*", "x", "read_*" };
static const char *const tool_classes[] = { "", "read-only", "writes-workspace", "network", "exec" };

struct tools {
	uint32_t otherwise, n;
	struct {
		bool named, final, in_role; /* `tool NAME`, which may have a class */
		uint32_t effect, glob, except, class;
	} rule[MAX_TOOLS + 1];
};

static void a_tool_rule(struct rnd *r, struct tools *p, uint32_t at)
{
	p->rule[at].named = rnd_one_in(r, 3);
	p->rule[at].final = rnd_one_in(r, 6);
	p->rule[at].in_role = rnd_one_in(r, 4);
	p->rule[at].effect = rnd_below(r, 3);
	p->rule[at].glob = rnd_below(r, POL_LEN(tool_globs));
	p->rule[at].except = rnd_one_in(r, 4) ? 1 + rnd_below(r, POL_LEN(tool_globs) - 1) : 0;
	p->rule[at].class = rnd_below(r, POL_LEN(tool_classes));
}

static struct pol tools_text(struct arena *a, const struct tools *p)
{
	static const char *const otherwise[] = {
		"", "otherwise allow", "otherwise ask", "otherwise deny",
		"otherwise by risk { low allow  medium ask  high ask  critical deny }",
	};
	static const char *const effects[] = { "allow", "ask", "deny" };
	struct buf b;
	uint32_t i;

	buf_init(&b, a);
	buf_printf(&b, "role " ROLE " { }\ntools { %s }\n", otherwise[p->otherwise]);
	for (i = 0; i < p->n; i++) {
		const char *effect = effects[p->rule[i].effect];
		const char *class = tool_classes[p->rule[i].class];

		/* a name is said once: each rule has its own */
		buf_z(&b, p->rule[i].in_role ? "role " ROLE " { " : "");
		if (p->rule[i].named)
			buf_printf(&b, "tool \"%s\" { %s%s  %s }", tool_names[i], *class ? "risk " : "",
				   class, effect);
		else
			buf_printf(&b, "tools { %s%s \"%s\"",
				   p->rule[i].final && p->rule[i].effect != 1 ? "final " : "", effect,
				   tool_globs[p->rule[i].glob]);
		if (!p->rule[i].named && p->rule[i].except)
			buf_printf(&b, " except \"%s\"", tool_globs[p->rule[i].except]);
		buf_printf(&b, "%s%s\n", p->rule[i].named ? "" : " }", p->rule[i].in_role ? " }" : "");
	}
	return of_texts(str_z(a, buf_view(&b)));
}

static void change_tools(struct rnd *r, struct tools *p)
{
	uint32_t at = rnd_below(r, p->n);

	switch (rnd_below(r, 8)) {
	case 0:
		p->rule[at] = p->rule[--p->n];
		break;
	case 1:
		a_tool_rule(r, p, p->n++);
		break;
	case 2:
		p->otherwise = rnd_below(r, 5);
		break;
	case 3:
		p->rule[at].effect = rnd_below(r, 3);
		break;
	case 4:
		p->rule[at].class = rnd_below(r, POL_LEN(tool_classes));
		break;
	case 5:
		p->rule[at].except = rnd_below(r, POL_LEN(tool_globs));
		break;
	default:
		p->rule[at].glob = rnd_below(r, POL_LEN(tool_globs));
		break;
	}
}

/* All names in both scopes: is some answer another, is some milder? */
static void ask_tools(struct law *l, const struct ir *const ir[2], bool *ret_differ, bool *ret_widen)
{
	struct ir_request q = { .kind = IR_TOOL, .cwd = STR("/h/p") };
	struct eval_decision d[2];
	size_t i;
	int s, scope;

	*ret_differ = *ret_widen = false;
	for (i = 0; i < IR_ROOT_COUNT; i++)
		q.roots.dir[i] = i == IR_ROOT_FS ? STR("/") : STR("/h/p");
	for (i = 0; i < POL_LEN(tool_names); i++)
		for (scope = IR_SANDBOX; scope <= IR_HOST; scope++) {
			struct arena tmp;

			q.scope = (enum ir_scope)scope;
			q.tool = str_from(tool_names[i]);
			arena_init(&tmp, ARENA_DEFAULT_BUDGET);
			for (s = 0; s < 2; s++)
				d[s] = law_decide(l, ir[s], &q, &tmp);
			arena_release(&tmp);
			*ret_differ |= d[0].effect != d[1].effect ||
				       d[0].needs_person != d[1].needs_person;
			*ret_widen |= d[1].effect < d[0].effect ||
				      (d[1].effect == d[0].effect && d[0].needs_person &&
				       !d[1].needs_person);
		}
}

static void one_pair_of_tools(struct law *l, unsigned long run, struct arena *a)
{
	struct rnd r = random_of(l, run, a);
	struct tools old = { .otherwise = rnd_below(&r, 5), .n = 1 + rnd_below(&r, MAX_TOOLS) }, new;
	const struct ir *ir[2];
	struct diff_result res;
	bool differ, widen;
	struct pol t[2];
	uint32_t i;

	for (i = 0; i < old.n; i++)
		a_tool_rule(&r, &old, i);
	new = old;
	change_tools(&r, &new);
	t[0] = tools_text(a, &old);
	t[1] = tools_text(a, &new);
	res = compared(l, run, t, ir, a);
	ask_tools(l, ir, &differ, &widen);
	if (differ && !res.findings.n && !res.doubts.n)
		broken(l, run, t, "diff says alike, and a tool is answered otherwise");
	if (widen && !diff_says_widening(&res))
		broken(l, run, t, "diff sees no widening, and a tool is answered milder");
	seen.differ += differ;
	seen.widen += widen;
	seen.alike += !differ && !res.findings.n && !res.doubts.n;
	l->bites += differ;
}

static void test_L6_tools(void **state)
{
	struct law l;

	(void)state;
	memset(&seen, 0, sizeof(seen));
	law_begin(&l, "L6 tools", 450, 0);
	law_repeat(&l, one_pair_of_tools);
	printf("%lu differ, %lu of them widen; %lu alike\n", seen.differ, seen.widen, seen.alike);
	law_end(&l);
	if (law_is_whole(&l))
		assert_true(seen.differ > l.runs / 5 && seen.widen > l.runs / 12 &&
			    seen.alike > l.runs / 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_L6_each_kind_of_statement),
		cmocka_unit_test(test_L6_tools),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
