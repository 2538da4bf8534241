/*
 * rules.bin: one record for each rule of the IR in its order, each scalar and
 * each risk fact, with everything that a decision or a message needs.  The report
 * (bk_rules_annotate) says how well each layer enforces a rule.
 */
#include <inttypes.h>

#include "compiler/backend/rules/rules.h"
#include "compiler/base/map.h"
#include "runtime/bundle/check.h"
#include "runtime/bundle/format.h"

#define SAME(name) _Static_assert((int)PB_S_##name == (int)IR_S_##name, #name)
SAME(COMMAND_OTHERWISE);
SAME(COMMAND_OPAQUE);
SAME(FILE_READ);
SAME(FILE_WRITE);
SAME(FILE_EXEC);
SAME(NET_MODE);
SAME(NET_OTHERWISE);
SAME(UNIX_OTHERWISE);
SAME(SYSCALL_OTHERWISE);
SAME(TOOL_OTHERWISE);
SAME(ASK_ANSWER);

struct table {
	struct arena *a;
	const struct ir *ir;
	const struct bk_report *report; /* or NULL */
	const struct bk_note **notes;   /* of record i: first_note[i] .. [i + 1] */
	size_t *first_note;
	struct pb_rules head;
	struct pb_rule *records;
	VEC(uint32_t) lifted;
	struct buf strings;
	struct map seen;   /* text -> offset in strings, + 1 */
	struct str last; /* the last long string that was added */
	struct pb_str last_at;
	uint32_t base;     /* offset of the strings in the member */
};

static struct pb_str add_string(struct table *t, struct str s)
{
	uintptr_t at;

	if (!s.n)
		return (struct pb_str){ t->base, 0 };
	/* the rules of a long statement share its text: hash it only once */
	if (t->last.p == s.p && t->last.n == s.n)
		return t->last_at;
	at = (uintptr_t)map_get(&t->seen, s);
	if (!at) {
		at = t->strings.n + 1;
		buf_str(&t->strings, s);
		map_put(&t->seen, s, (void *)at);
	}
	if (s.n > 256) {
		t->last = s;
		t->last_at = (struct pb_str){ t->base + (uint32_t)(at - 1),
					      (uint32_t)s.n };
	}
	return (struct pb_str){ t->base + (uint32_t)(at - 1), (uint32_t)s.n };
}

static void set_place(struct table *t, struct pb_rule *r, const struct ir_place *at)
{
	r->file = add_string(t, at->file);
	r->line = at->line;
	r->col = at->col;
}

/* --- how well a rule is enforced --------------------------------------------- */

/* From good to bad; the worst layer counts. */
static const struct {
	enum bk_exactness in;
	enum pb_exactness out;
} exactness[] = {
	{ BK_NONE, PB_X_NONE },             { BK_EXACT, PB_X_EXACT },
	{ BK_OVER, PB_X_OVER },             { BK_ENTRY_ONLY, PB_X_ENTRY_ONLY },
	{ BK_UNDER, PB_X_UNDER },           { BK_ADVISORY, PB_X_ADVISORY },
};

static size_t badness(enum bk_exactness e)
{
	size_t i;

	for (i = 0; i + 1 < POL_LEN(exactness); i++)
		if (exactness[i].in == e)
			break;
	return i;
}

/* The record that a note is about: that of its rule or its scalar. */
static size_t record_of(const struct table *t, const struct bk_note *n)
{
	return n->rule ? n->rule->index : t->ir->rules.n + (size_t)n->scalar;
}

/* Sorts the notes by record and keeps their order in each. */
static void sort_notes(struct table *t)
{
	size_t records = t->ir->rules.n + IR_SCALAR_COUNT, n = t->report->notes.n, i;
	const struct bk_note *v = t->report->notes.v;

	t->first_note = arena_array(t->a, records + 2, sizeof(*t->first_note));
	t->notes = arena_array(t->a, n + 1, sizeof(*t->notes));
	for (i = 0; i < n; i++)
		if (!v[i].whole)
			t->first_note[record_of(t, &v[i]) + 2]++;
	for (i = 2; i < records + 2; i++)
		t->first_note[i] += t->first_note[i - 1];
	/* while they are filled in, the counts are shifted by one record */
	for (i = 0; i < n; i++)
		if (!v[i].whole)
			t->notes[t->first_note[record_of(t, &v[i]) + 1]++] = &v[i];
}

static void add_notes(struct table *t, struct pb_rule *r, size_t record)
{
	struct buf text;
	size_t i, worst = 0, bad;

	if (!t->report)
		return;
	buf_init(&text, t->a);
	for (i = t->first_note[record]; i < t->first_note[record + 1]; i++) {
		const struct bk_note *n = t->notes[i];

		bad = badness(n->exactness);
		worst = bad > worst ? bad : worst;
		if (bad < 2 || !n->note.n) /* nothing to say about exact ones */
			continue;
		buf_printf(&text, "%s%s: %.*s", text.n ? "; " : "", n->layer,
			   STR_ARG(n->note));
	}
	r->exactness = (uint8_t)exactness[worst].out;
	r->note = add_string(t, buf_view(&text));
}

/* --- records ------------------------------------------------------------------ */

static uint8_t flags_of(const struct ir_rule *r)
{
	bool answer = r->effect == IR_ASK && r->level <= IR_MANAGED_FILE && !r->may_yes;

	return (uint8_t)((r->final ? PB_F_FINAL : 0) | (r->floor ? PB_F_FLOOR : 0) |
			 (r->scratch ? PB_F_SCRATCH : 0) | (r->soft ? PB_F_SOFT : 0) |
			 (answer ? PB_F_ANSWER : 0) |
			 (ir_rule_shows_host(r) ? PB_F_HOST : 0));
}

static void rule_record(struct table *t, struct pb_rule *r, const struct ir_rule *rule)
{
	size_t i;

	r->id = add_string(t, rule->id);
	r->text = add_string(t, rule->text);
	r->reason = add_string(t, rule->because);
	r->note = add_string(t, STR_NULL);
	set_place(t, r, &rule->at);
	r->kind = (uint8_t)rule->kind;
	r->effect = (uint8_t)rule->effect;
	r->level = (uint8_t)rule->level;
	r->flags = flags_of(rule);
	r->scopes = (uint8_t)rule->scopes;
	r->ops = rule->kind == IR_FILE ? (uint8_t)rule->set.u.file.ops : 0;
	r->err = rule->err;
	r->lifted_off = (uint32_t)t->lifted.n;
	r->lifted_count = (uint32_t)rule->nlifted_by;
	for (i = 0; i < rule->nlifted_by; i++)
		VEC_PUSH(t->a, &t->lifted, rule->lifted_by[i]);
	add_notes(t, r, rule->index);
}

/* By risk there is an effect for each class, and ir.json has no other one: that of medium stands
 * here, as it decides about what has no class. */
static uint8_t effect_of(const struct ir_scalar *s)
{
	return (uint8_t)(s->by_risk ? s->effects[IR_RISK_MEDIUM] : s->effect);
}

static void scalar_record(struct table *t, struct pb_rule *r, enum ir_scalar_id id)
{
	const struct ir_scalar *s = &t->ir->scalars[id];
	size_t i;

	r->id = add_string(t, s->id);
	r->text = add_string(t, s->source);
	r->reason = r->note = add_string(t, STR_NULL);
	set_place(t, r, &s->at);
	r->kind = PB_SCALAR;
	r->effect = effect_of(s);
	r->level = (uint8_t)s->level;
	r->flags = id == IR_S_COMMAND_OPAQUE || id == IR_S_SANDBOX_OPAQUE ? PB_F_ANSWER : 0;
	if (ir_is_of_sandbox(id))
		r->scopes = s->set ? PB_SANDBOX : 0;
	r->by_risk = s->by_risk;
	for (i = 0; i < POL_LEN(r->effects); i++)
		r->effects[i] = (uint8_t)(s->by_risk ? s->effects[i] : s->effect);
	r->value = s->num;
	add_notes(t, r, t->ir->rules.n + (size_t)id);
}

static void risk_record(struct table *t, struct pb_rule *r,
			const struct ir_risk_fact *f)
{
	r->id = add_string(t, f->id);
	r->text = r->reason = r->note = add_string(t, STR_NULL);
	set_place(t, r, &f->at);
	r->kind = PB_RISK;
	r->effect = (uint8_t)f->risk;
	r->level = (uint8_t)f->level;
}

static void make_records(struct table *t)
{
	const struct ir *ir = t->ir;
	size_t i, n = 0;

	for (i = 0; i < ir->rules.n; i++)
		rule_record(t, &t->records[n++], ir->rules.v[i]);
	for (i = 0; i < IR_SCALAR_COUNT; i++)
		scalar_record(t, &t->records[n++], (enum ir_scalar_id)i);
	for (i = 0; i < ir->risks.n; i++)
		risk_record(t, &t->records[n++], &ir->risks.v[i]);
}

static uint32_t carried_count(const struct ir *ir)
{
	uint32_t n = 0;
	size_t i;

	for (i = 0; i < ir->settings.n; i++)
		n += !ir->settings.v[i].acts;
	return n;
}

static void fill_head(struct table *t, size_t count, size_t nlifted)
{
	const struct ir *ir = t->ir;
	struct pb_rules *h = &t->head;
	size_t i, lifted_at = sizeof(*h) + count * sizeof(struct pb_rule);

	h->head.magic = PB_MAGIC_RULES;
	h->head.version = PB_FORMAT_VERSION;
	h->rules = (struct pb_table){ sizeof(*h), (uint32_t)count };
	h->lifted = (struct pb_table){ (uint32_t)lifted_at, (uint32_t)nlifted };
	h->ir_rules = h->scalar_first = (uint32_t)ir->rules.n;
	h->scalar_count = IR_SCALAR_COUNT;
	h->risk_first = h->scalar_first + h->scalar_count;
	h->risk_count = (uint32_t)ir->risks.n;
	for (i = 0; i < IR_KIND_COUNT; i++)
		h->locked[i] = (uint32_t)ir->locked[i].level;
	t->base = (uint32_t)(lifted_at + (nlifted + nlifted % 2) * sizeof(uint32_t));
	h->policy = add_string(t, ir->name);
	h->role = add_string(t, ir->role);
	h->carried = carried_count(ir);
}

static bool make_member(const struct ir *ir, const struct bk_report *report,
			struct arena *a, struct diag_sink *sink, struct str *ret)
{
	struct table t = { .a = a, .ir = ir, .report = report };
	size_t count = ir->rules.n + IR_SCALAR_COUNT + ir->risks.n, nlifted = 0, i;
	struct buf out;

	for (i = 0; i < ir->rules.n; i++)
		nlifted += ir->rules.v[i]->nlifted_by;
	if (count > PB_MAX_RULES || nlifted > PB_MAX_BUNDLE / sizeof(uint32_t)) {
		diag_add(sink, DIAG_PLAN_LIMIT, SPAN_NONE,
			 "the policy has %zu rules, %zu at most fit into a bundle",
			 count, (size_t)PB_MAX_RULES);
		return false;
	}
	buf_init(&t.strings, a);
	map_init(&t.seen, a);
	t.records = arena_array(a, count, sizeof(*t.records));
	fill_head(&t, count, nlifted);
	if (report)
		sort_notes(&t);
	make_records(&t);
	if (t.base + t.strings.n > PB_MAX_BUNDLE) {
		diag_add(sink, DIAG_PLAN_LIMIT, SPAN_NONE,
			 "the texts of the rules do not fit into a bundle");
		return false;
	}
	t.head.head.size = (uint32_t)(t.base + t.strings.n);
	buf_init(&out, a);
	buf_add(&out, &t.head, sizeof(t.head));
	buf_add(&out, t.records, count * sizeof(*t.records));
	buf_add(&out, t.lifted.v, nlifted * sizeof(uint32_t));
	buf_align(&out, 8);
	buf_str(&out, buf_view(&t.strings));
	*ret = buf_view(&out);
	return true;
}

static bool rules_emit(const struct ir *ir, struct bk_output *out,
		       struct diag_sink *sink)
{
	struct bk_member m = { .path = STR(PB_RULES) };

	if (!make_member(ir, NULL, out->a, sink, &m.bytes))
		return false;
	VEC_PUSH(out->a, &out->members, m);
	return true;
}

bool bk_rules_annotate(const struct ir *ir, const struct bk_report *report,
		       struct bk_output *out, struct diag_sink *sink)
{
	size_t i;

	for (i = 0; i < out->members.n; i++)
		if (str_eqz(out->members.v[i].path, PB_RULES))
			return make_member(ir, report, out->a, sink,
					   &out->members.v[i].bytes);
	return false;
}

static void rules_check(const struct ir *ir, struct bk_report *report,
			struct diag_sink *sink)
{
	/* the table itself enforces nothing */
	(void)ir;
	(void)report;
	(void)sink;
}

/* --- reading it back ---------------------------------------------------- */

static struct str text_of(const void *member, struct pb_str s)
{
	return (struct str){ (const char *)member + s.off, s.len };
}

static const struct pb_rules *member_of(const struct bk_output *in, size_t *ret_size)
{
	const struct bk_member *m = bk_member(in, PB_RULES);

	if (!m || m->bytes.n < sizeof(struct pb_rules))
		return NULL;
	*ret_size = m->bytes.n;
	return (const struct pb_rules *)(const void *)m->bytes.p;
}

static const struct pb_rule *record(const struct pb_rules *h, size_t i)
{
	const uint8_t *p = (const uint8_t *)h + h->rules.off;

	return (const struct pb_rule *)(const void *)p + i;
}

static const uint32_t *lifted_of(const struct pb_rules *h, const struct pb_rule *r)
{
	const uint8_t *p = (const uint8_t *)h + h->lifted.off;

	return (const uint32_t *)(const void *)p + r->lifted_off;
}

static bool same_place(const void *m, const struct pb_rule *r,
		       const struct ir_place *at)
{
	return str_eq(text_of(m, r->file), at->file) && r->line == at->line &&
	       r->col == at->col;
}

static bool same_rule(const struct pb_rules *h, const struct pb_rule *r,
		      const struct ir_rule *x)
{
	size_t n = x->nlifted_by * sizeof(uint32_t);

	return str_eq(text_of(h, r->id), x->id) &&
	       str_eq(text_of(h, r->text), x->text) &&
	       str_eq(text_of(h, r->reason), x->because) && same_place(h, r, &x->at) &&
	       r->kind == (uint8_t)x->kind && r->effect == (uint8_t)x->effect &&
	       r->level == (uint8_t)x->level && r->flags == flags_of(x) &&
	       r->scopes == x->scopes && r->err == x->err &&
	       r->ops == (x->kind == IR_FILE ? x->set.u.file.ops : 0) &&
	       r->lifted_count == x->nlifted_by &&
	       (n == 0 || memcmp(lifted_of(h, r), x->lifted_by, n) == 0);
}

static bool same_scalar(const struct pb_rules *h, const struct pb_rule *r,
			const struct ir_scalar *s)
{
	size_t i;

	for (i = 0; i < IR_RISK_COUNT; i++)
		if (r->effects[i] != (uint8_t)(s->by_risk ? s->effects[i] : s->effect))
			return false;
	return r->kind == PB_SCALAR && r->effect == effect_of(s) &&
	       r->level == (uint8_t)s->level && r->by_risk == s->by_risk &&
	       r->value == s->num && str_eq(text_of(h, r->id), s->id) &&
	       same_place(h, r, &s->at);
}

static const char *rules_verify(const struct ir *ir, const struct bk_output *in,
				struct arena *a)
{
	size_t size = 0, i, n = 0;
	const struct pb_rules *h = member_of(in, &size);
	struct rt_err err = { .err = 0 };

	if (!h)
		return "there is no " PB_RULES;
	if (bundle_check_rules(h, size, &err) < 0)
		return arena_printf(a, "%s", err.text);
	if (h->ir_rules != ir->rules.n || h->scalar_count != IR_SCALAR_COUNT ||
	    h->risk_count != ir->risks.n)
		return PB_RULES ": the counts differ";
	for (i = 0; i < IR_KIND_COUNT; i++)
		if (h->locked[i] != (uint32_t)ir->locked[i].level)
			return PB_RULES ": a lock differs";
	if (!str_eq(text_of(h, h->role), ir->role) || h->carried != carried_count(ir))
		return PB_RULES ": the role, or what is carried, differs";
	for (i = 0; i < ir->rules.n; i++)
		if (!same_rule(h, record(h, n++), ir->rules.v[i]))
			return arena_printf(a, PB_RULES ": rule %zu differs", i);
	for (i = 0; i < IR_SCALAR_COUNT; i++)
		if (!same_scalar(h, record(h, n++), &ir->scalars[i]))
			return arena_printf(a, PB_RULES ": scalar %zu differs", i);
	for (i = 0; i < ir->risks.n; i++, n++)
		if (record(h, n)->effect != (uint8_t)ir->risks.v[i].risk ||
		    !same_place(h, record(h, n), &ir->risks.v[i].at))
			return arena_printf(a, PB_RULES ": risk fact %zu differs", i);
	return NULL;
}

/* --- printing ----------------------------------------------------------- */

static const char *const kind_words[] = { "command", "file", "net", "unix", "syscall",
					  "tool", "scalar", "risk" };
static const char *const exactness_words[] = { "-", "exact", "over", "under",
					       "entry only", "advisory" };

static void print_flags(FILE *out, const struct pb_rule *r)
{
	static const char *const words[] = { "final", "floor", "scratch", "soft",
					     "person" };
	size_t i;

	for (i = 0; i < POL_LEN(words); i++)
		if (r->flags >> i & 1)
			fprintf(out, " %s", words[i]);
	if (r->ops)
		fprintf(out, " %s%s%s", r->ops & PB_READ ? "r" : "",
			r->ops & PB_WRITE ? "w" : "", r->ops & PB_EXEC ? "x" : "");
	if (r->scopes == PB_SANDBOX || r->scopes == PB_HOST)
		fprintf(out, " %s", r->scopes == PB_HOST ? "host" : "sandbox");
	if (r->err)
		fprintf(out, " errno=%u", r->err);
}

static void print_record(FILE *out, const struct pb_rules *h, size_t i)
{
	const struct pb_rule *r = record(h, i);
	struct str id = text_of(h, r->id), file = text_of(h, r->file);
	struct str note = text_of(h, r->note);
	uint32_t k;

	fprintf(out, "%zu %s", i, kind_words[r->kind]);
	if (r->kind == PB_RISK)
		fprintf(out, " %s", ir_risk_name((enum ir_risk)r->effect));
	else if (r->by_risk)
		fprintf(out, " by risk %s %s %s %s",
			ir_effect_name((enum ir_effect)r->effects[0]),
			ir_effect_name((enum ir_effect)r->effects[1]),
			ir_effect_name((enum ir_effect)r->effects[2]),
			ir_effect_name((enum ir_effect)r->effects[3]));
	else
		fprintf(out, " %s", ir_effect_name((enum ir_effect)r->effect));
	fprintf(out, " %s %.*s", ir_level_name((enum ir_level)r->level), STR_ARG(id));
	if (r->line)
		fprintf(out, " %.*s:%u", STR_ARG(file), r->line);
	print_flags(out, r);
	if (r->value)
		fprintf(out, " value=%" PRIu64, r->value);
	for (k = 0; k < r->lifted_count; k++)
		fprintf(out, "%s%u", k ? "," : " lifted-by=", lifted_of(h, r)[k]);
	if (r->exactness != PB_X_NONE)
		fprintf(out, " [%s%s%.*s]", exactness_words[r->exactness],
			note.n ? ": " : "", STR_ARG(note));
	fputc('\n', out);
}

static void rules_print(FILE *out, const struct bk_output *in)
{
	size_t size = 0, i;
	const struct pb_rules *h = member_of(in, &size);
	struct rt_err err;

	if (!h || bundle_check_rules(h, size, &err) < 0) {
		fprintf(out, PB_RULES ": not readable\n");
		return;
	}
	if (h->role.len)
		fprintf(out, "role %.*s\n", STR_ARG(text_of(h, h->role)));
	for (i = 0; i < IR_KIND_COUNT; i++)
		if (h->locked[i])
			fprintf(out, "locked %s by %s\n", kind_words[i],
				ir_level_name((enum ir_level)h->locked[i]));
	for (i = 0; i < h->rules.count; i++)
		print_record(out, h, i);
}

const struct backend bk_rules = {
	.name = "rules",
	.check = rules_check,
	.emit = rules_emit,
	.print = rules_print,
	.verify = rules_verify,
};
