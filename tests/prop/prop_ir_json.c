/*
 * ir.json: what was written is read, and what was read is written again with
 * the same bytes; on random IRs, on random policy texts, on the goldens and
 * the examples.  Damaged bytes end in an answer.  SEED= RUNS= repeat a run.
 */
#include <glob.h>

#include "compiler/ir/read.h"
#include "tests/prop/laws.h"

static struct str written(const struct ir *ir, struct arena *a)
{
	struct buf b;

	buf_init(&b, a);
	ir_json(&b, ir);
	return buf_view(&b);
}

static void reads_back(const struct ir *ir, struct arena *a)
{
	struct str text = written(ir, a), again;
	const char *why = NULL;
	struct ir *back = ir_read(a, text, &why);

	if (!back)
		fail_msg("%s\n%.*s", why, STR_ARG(text));
	again = written(back, a);
	assert_true(str_eq(text, again));
	assert_int_equal(back->rules.n, ir->rules.n);
}

/* --- random ones ----------------------------------------------------------------- */

static struct ir_value random_value(struct rnd *r, unsigned depth)
{
	static const char *const numbers[] = { "0", "-7", "1.50", "18446744073709551615",
					       "0.001" };
	static const char *const texts[] = { "", "a b", "\xe9", "\xc3\xa9\n", "${HOME}" };
	static const char *const keys[] = { "a", "b.c", "b\xff", "x y" };
	struct ir_value v = { .type = (enum ir_value_type)rnd_below(r, depth < 3 ? 5 : 3) };
	size_t i;

	v.yes = v.type == IR_V_BOOL && rnd_one_in(r, 2);
	if (v.type == IR_V_NUMBER)
		v.text = str_from(RND_PICK(r, numbers));
	if (v.type == IR_V_TEXT)
		v.text = str_from(RND_PICK(r, texts));
	if (v.type != IR_V_LIST && v.type != IR_V_MAP)
		return v;
	v.nitems = rnd_below(r, POL_LEN(keys) + 1);
	v.items = arena_array(r->a, v.nitems + 1, sizeof(*v.items));
	for (i = 0; i < v.nitems; i++) {
		v.items[i] = random_value(r, depth + 1);
		if (v.type == IR_V_MAP)
			v.items[i].key = str_from(keys[i]);
	}
	return v;
}

static struct ir_setting random_setting(struct rnd *r, enum ir_part part,
					enum ir_level level)
{
	struct ir_setting s = { .part = part, .key = STR("a.key"), .level = level,
				.id = STR("id"), .source = STR("the \"statement\"") };

	s.at = (struct ir_place){ STR("s.pol"), 3, 2, SPAN_NONE };
	s.acts = rnd_one_in(r, 2);
	s.value = random_value(r, 0);
	return s;
}

/* The parts that rnd_ir() knows nothing of. */
static void add_carried(struct rnd *r, struct ir *ir)
{
	struct ir_place at = { STR("s.pol"), 9, 1, SPAN_NONE };
	int part;

	for (part = 0; part < IR_PART_COUNT; part++) {
		struct ir_setting s = random_setting(r, (enum ir_part)part, IR_MANAGED);

		if (rnd_one_in(r, 2))
			continue;
		s.locked = rnd_one_in(r, 2);
		if (rnd_one_in(r, 2)) {
			s.nover = 1;
			s.over = ARENA_NEW(r->a, struct ir_setting);
			s.over[0] = random_setting(r, (enum ir_part)part, IR_USER);
		}
		VEC_PUSH(r->a, &ir->settings, s);
	}
	if (rnd_one_in(r, 2)) {
		struct ir_env_secret e = { .name = STR("KEY"), .file = rnd_one_in(r, 2),
					   .from = STR("/run/k"), .level = IR_USER,
					   .id = STR("env"), .at = at };
		struct ir_role role = { STR("tester"), at, STR("00ff"), STR("0ff0") };

		VEC_PUSH(r->a, &ir->secrets, e);
		VEC_PUSH(r->a, &ir->roles, role);
		ir->role = role.name;
		ir->until = STR("2027-01-01");
	}
}

static struct ir_when random_when(struct rnd *r)
{
	struct ir_when w = { .is = rnd_one_in(r, 2) };

	w.i = w.is && rnd_one_in(r, 2);
	w.x = w.is && rnd_one_in(r, 2);
	if (w.is)
		w.text = STR("a|\"b\xff");
	return w;
}

static void add_programs(struct rnd *r, struct ir *ir)
{
	static struct str words[] = { { ";", 1 }, { "-e\xff", 3 } };
	struct ir_place at = { STR("s.pol"), 9, 1, SPAN_NONE };
	struct ir_program p = { .name = STR("prog"), .level = IR_USER, .at = at };
	size_t i;

	p.kind = 1u << rnd_below(r, 3);
	p.flags = (unsigned)rnd_below(r, 512);
	p.skip = (uint32_t)rnd_below(r, 256);
	p.noptions = rnd_below(r, 4);
	p.options = arena_array(r->a, p.noptions + 1, sizeof(*p.options));
	for (i = 0; i < p.noptions; i++) {
		struct ir_optspec *o = &p.options[i];

		o->name = str_printf(r->a, "--o%zu", i);
		o->flags = (unsigned)rnd_below(r, 2 * LINE_OF_NAMES);
		o->says_takes = !(o->flags & ~(unsigned)LINE_OF_GLOBAL) || rnd_one_in(r, 2);
		if (o->says_takes)
			o->takes = (enum line_option_takes)rnd_below(r, 3);
		o->same = (uint32_t)rnd_below(r, 65536);
		if (o->flags & LINE_OF_CODE)
			o->when = random_when(r);
	}
	p.ncodes = rnd_below(r, 3);
	p.codes = arena_array(r->a, p.ncodes + 1, sizeof(*p.codes));
	for (i = 0; i < p.ncodes; i++) {
		p.codes[i].operand = rnd_one_in(r, 3) ? LINE_ANY_OPERAND :
						    1 + (uint32_t)rnd_below(r, 255);
		p.codes[i].when = random_when(r);
	}
	p.after = p.ends = words;
	p.nafter = rnd_below(r, 3);
	p.nends = rnd_below(r, 3);
	VEC_PUSH(r->a, &ir->programs, p);
}

static struct ir_glob text_glob(struct rnd *r, const char *text)
{
	struct ir_glob g = { .n = strlen(text) };

	g.v = arena_array(r->a, g.n + 1, sizeof(*g.v));
	for (size_t i = 0; i < g.n; i++)
		g.v[i] = text[i] == '*' ?
				 (struct ir_glob_item){ .op = IR_G_STAR } :
				 (struct ir_glob_item){ .op = IR_G_BYTE,
							.byte = (uint8_t)text[i] };
	return g;
}

static struct ir_guard random_guard(struct rnd *r)
{
	static const char *const names[] = { "-f", "--force", "-rf", "--d*", "+O", "-\xff" };
	struct ir_guard g = { .kind = (enum ir_guard_kind)rnd_below(r, 4) };
	size_t n = 1 + rnd_below(r, 3), i;

	if (g.kind == IR_GD_WITHIN) {
		g.paths = arena_array(r->a, n, sizeof(*g.paths));
		for (g.npaths = 0; g.npaths < n; g.npaths++)
			g.paths[g.npaths] = (struct ir_path){
				.root = rnd_file_root(r),
				.glob = text_glob(r, "/a*b"),
				.below = rnd_one_in(r, 2),
				.text = STR("/a*b"),
			};
		return g;
	}
	g.options = arena_array(r->a, n, sizeof(*g.options));
	for (i = 0; i < n; i++) {
		const char *name = RND_PICK(r, names);

		g.options[i] = (struct ir_option){ .name = text_glob(r, name),
						   .text = str_from(name) };
		if (!rnd_one_in(r, 3))
			continue;
		g.options[i].value = ARENA_NEW(r->a, struct ir_glob);
		*g.options[i].value = text_glob(r, rnd_one_in(r, 2) ? "" : "x*");
	}
	g.noptions = n;
	return g;
}

/* Of each third set of commands, words and what stands for them. */
static void add_guards(struct rnd *r, struct ir_set *s)
{
	struct ir_command *c = &s->u.command;
	size_t n = rnd_below(r, 3), i;

	if (rnd_one_in(r, 3))
		*c = (struct ir_command){ .regex = true, .text = STR("a|\"\xff$"),
					  .regex_i = rnd_one_in(r, 2),
					  .regex_x = rnd_one_in(r, 2),
					  .opaque = rnd_one_in(r, 2) };
	c->guards = arena_array(r->a, n + 1, sizeof(*c->guards));
	for (i = 0; i < n; i++)
		c->guards[i] = random_guard(r);
	c->nguards = n;
}

static size_t guard_commands(struct rnd *r, struct ir *ir)
{
	size_t seen = 0, i, k;

	for (i = 0; i < ir->rules.n; i++) {
		struct ir_rule *rule = ir->rules.v[i];

		if (rule->kind != IR_COMMAND)
			continue;
		add_guards(r, &rule->set);
		for (k = 0; k < rule->nexcept; k++)
			add_guards(r, &rule->except[k]);
		seen++;
	}
	return seen;
}

/* Variables, inert patterns, pins and the shell. */
static void add_names(struct rnd *r, struct ir *ir)
{
	struct ir_place at = { STR("s.pol"), 9, 1, SPAN_NONE };
	struct ir_var v = { .name = STR("LD_*"), .taint = rnd_one_in(r, 2),
			    .level = IR_PROJECT, .at = at };
	struct ir_pin pin = { .name = STR("git"), .path = STR("/usr/bin/\xff"),
			      .level = IR_MANAGED, .id = STR("id"), .at = at };
	struct ir_inert f = { .level = IR_DEFAULT, .at = at };

	if (rnd_one_in(r, 2))
		pin.sha256 = STR("0123456789abcdef0123456789abcdef"
				 "0123456789abcdef0123456789abcdef");
	for (size_t i = 0; i < ir->rules.n; i++) {
		const struct ir_rule *rule = ir->rules.v[i];

		if (rule->kind != IR_COMMAND || rule->effect != IR_ALLOW)
			continue;
		f.set = rule->set;
		f.except = rule->except;
		f.nexcept = rule->nexcept;
		VEC_PUSH(r->a, &ir->inert, f);
	}
	VEC_PUSH(r->a, &ir->vars, v);
	VEC_PUSH(r->a, &ir->pins, pin);
	if (rnd_one_in(r, 2))
		ir->shell = (struct ir_shell){ .name = STR("zsh"), .level = IR_USER,
					       .at = at };
	if (ir->shell.level && rnd_one_in(r, 2))
		ir->shell.path = STR("/bin/zsh");
}

static void one_ir(struct law *l, unsigned long run, struct arena *a)
{
	struct rnd r = { .s = (l->seed + run) * 0x9e3779b97f4a7c15u | 1, .a = a };
	struct ir *ir = rnd_ir(&r);

	add_carried(&r, ir);
	l->requests += guard_commands(&r, ir);
	add_programs(&r, ir);
	add_names(&r, ir);
	assert_null(ir_verify(ir, a));
	if (rnd_one_in(&r, 2))
		ir->name = str_printf(a, "p\xff\xc3\xa9 \"\\u00e9%c", 1 + rnd_below(&r, 255));
	l->bites += ir->rules.n > 0;
	l->compiled++;
	reads_back(ir, a);
}

static void test_random_irs_come_back(void **state)
{
	struct law l;

	(void)state;
	law_begin(&l, "ir.json of random IRs", 400, 0);
	law_repeat(&l, one_ir);
	assert_true(l.requests > 0); /* commands that got guards */
	law_end(&l);
}

static void one_text(struct law *l, unsigned long run, struct arena *a)
{
	struct pol_gen g = law_gen(l, run, a);
	g.mounts = true;
	struct pol p = pol_random(&g);
	const struct ir *ir = law_ir(l, &p, a);

	if (!ir)
		return;
	l->bites += ir->tests.n > 0;
	reads_back(ir, a);
}

static void test_random_policies_come_back(void **state)
{
	struct law l;

	(void)state;
	law_begin(&l, "ir.json of random policies", 150, 0);
	law_repeat(&l, one_text);
	law_end(&l);
}

/* --- files ------------------------------------------------------------------------- */

static bool read_policy(const char *path, struct arena *a)
{
	struct options o = { .created = -1, .scope = IR_SANDBOX, .verb = CLI_CHECK };
	struct sema_input in = { .path = path };
	struct compilation c;

	VEC_PUSH(a, &o.inputs, in);
	compilation_init(&c, &o, a);
	if (passes_run(&c, "lift") != CLI_CLEAN)
		return false;
	reads_back(c.ir, a);
	return true;
}

static void test_goldens_and_examples_come_back(void **state)
{
	static const char *const where[] = { "tests/golden/*/*.pol", "examples/*/*.pol" };
	size_t i, k, read = 0;
	glob_t g;

	(void)state;
	for (i = 0; i < POL_LEN(where); i++) {
		assert_int_equal(glob(where[i], 0, NULL, &g), 0);
		for (k = 0; k < g.gl_pathc; k++) {
			struct arena a;

			arena_init(&a, ARENA_DEFAULT_BUDGET);
			read += read_policy(g.gl_pathv[k], &a);
			arena_release(&a);
		}
		globfree(&g);
	}
	printf("%zu policies read back\n", read);
	assert_true(read >= 20);
}

/* --- damage ---------------------------------------------------------------------------- */

static void judge(struct str text, struct arena *a, unsigned long *accepted)
{
	const char *why = NULL;
	struct ir *ir = ir_read(a, text, &why);

	if (!ir) {
		assert_non_null(why);
		return;
	}
	++*accepted;
	assert_true(str_eq(written(ir, a), text));
}

static void damage(struct law *l, unsigned long run, struct arena *a)
{
	static const char bytes[] = "\"\\{}[],:0189-.eaftn\xff\x01 ";
	struct rnd r = { .s = (l->seed + run) * 0x9e3779b97f4a7c15u | 1, .a = a };
	struct str text = written(rnd_ir(&r), a);
	char *p = arena_dup(a, text.p, text.n);
	uint32_t i, at = rnd_below(&r, (uint32_t)text.n), n = rnd_below(&r, 40);

	switch (rnd_below(&r, 4)) {
	case 0: /* cut */
		text.n = at;
		break;
	case 1: /* some bytes taken out */
		memmove(p + at, p + at + (at + n < text.n ? n : 0),
			text.n - at - (at + n < text.n ? n : 0));
		text.n -= at + n < text.n ? n : 0;
		break;
	case 2: /* a record doubled */
		for (i = 0; i < n && at + n + i < text.n; i++)
			p[at + n + i] = p[at + i];
		break;
	default:
		for (i = 0; i < 1 + n / 8; i++)
			p[rnd_below(&r, (uint32_t)text.n)] =
				bytes[rnd_below(&r, sizeof(bytes))];
	}
	text.p = p;
	l->compiled++;
	judge(text, a, &l->bites);
}

static void test_damaged_bytes_end_in_an_answer(void **state)
{
	struct law l;

	(void)state;
	law_begin(&l, "damaged ir.json", 1500, 0);
	law_repeat(&l, damage);
	printf("%lu of %lu are another policy\n", l.bites, l.runs);
	l.bites++;
	law_end(&l);
}

static const char *refused(const char *text, struct arena *a)
{
	const char *why = NULL;

	assert_null(ir_read(a, str_from(text), &why));
	assert_non_null(why);
	return why;
}

static void test_what_is_too_large_or_deep_is_refused(void **state)
{
	struct arena a;
	struct buf b;
	size_t i;

	(void)state;
	arena_init(&a, ARENA_DEFAULT_BUDGET);
	buf_init(&b, &a);
	for (i = 0; i < 100000; i++)
		buf_ch(&b, '[');
	buf_ch(&b, 0);
	assert_non_null(strstr(refused((const char *)b.p, &a), "no JSON"));
	b.n = 0;
	for (i = 0; i < IR_READ_MAX_LISTS + 2; i++)
		buf_z(&b, i ? "[]," : "[");
	buf_ch(&b, 0);
	assert_non_null(strstr(refused((const char *)b.p, &a), "too many"));
	b.n = 0;
	for (i = 0; i < IR_READ_MAX_BYTES + 1; i++)
		buf_ch(&b, ' ');
	buf_ch(&b, 0);
	assert_non_null(strstr(refused((const char *)b.p, &a), "too large"));
	assert_non_null(strstr(refused("", &a), "no JSON"));
	assert_non_null(strstr(refused("{\"format\":2}", &a), "'format'"));
	arena_release(&a);
}

/* What this version does not know must not be left out. */
static void test_an_unknown_or_double_key_is_refused(void **state)
{
	struct arena a;
	struct str text;
	char *with;

	(void)state;
	arena_init(&a, ARENA_DEFAULT_BUDGET);
	text = written(ir_new(&a), &a);
	with = arena_printf(&a, "{\"deny_all\":true,%.*s", (int)text.n - 1, text.p + 1);
	assert_non_null(strstr(refused(with, &a), "canonical"));
	with = arena_printf(&a, "{\"format\":1,%.*s", (int)text.n - 1, text.p + 1);
	assert_non_null(strstr(refused(with, &a), "canonical"));
	with = arena_printf(&a, "%.*s ", (int)text.n, text.p);
	assert_non_null(strstr(refused(with, &a), "canonical"));
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_irs_come_back),
		cmocka_unit_test(test_random_policies_come_back),
		cmocka_unit_test(test_goldens_and_examples_come_back),
		cmocka_unit_test(test_damaged_bytes_end_in_an_answer),
		cmocka_unit_test(test_what_is_too_large_or_deep_is_refused),
		cmocka_unit_test(test_an_unknown_or_double_key_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
