/*
 * Writes commands.bin: the tables first, then the automata of `when`, then
 * the strings.  The size of the tables is known before, so each record is put
 * where it belongs.
 */
#include "compiler/backend/automaton.h"
#include "compiler/backend/commands/internal.h"
#include "compiler/backend/util.h"
#include "runtime/bundle/check.h"

struct emit {
	struct arena *a;
	const struct ir *ir;
	struct diag_sink *sink;
	struct merged m;
	struct commands_whens whens;
	struct bk_pool pool;
	struct buf b;
	struct map shared; /* bytes of records -> struct pb_table */
	size_t at; /* where the next record goes */
};

/* The place of a table of n records, and past it. */
static struct pb_table take(struct emit *e, size_t n, size_t record)
{
	struct pb_table t = { (uint32_t)e->at, (uint32_t)n };

	e->at += (n * record + 7) & ~(size_t)7;
	return t;
}

static void put(struct emit *e, struct pb_table t, size_t i, const void *record,
		size_t size)
{
	memcpy(e->b.p + t.off + i * size, record, size);
}

/* A table of a program: many programs have the same one, which is there once. */
static struct pb_table put_shared(struct emit *e, const struct buf *records, size_t n)
{
	struct pb_table t = { 0, (uint32_t)n }, *seen;
	struct str bytes = buf_view(records);

	if (!n)
		return take(e, 0, 1);
	seen = map_get(&e->shared, bytes);
	if (seen && seen->count == n)
		return *seen;
	t = take(e, n, bytes.n / n);
	put(e, t, 0, bytes.p, bytes.n);
	seen = ARENA_NEW(e->a, struct pb_table);
	*seen = t;
	(void)map_put(&e->shared, bytes, seen);
	return t;
}

static struct pb_table put_options(struct emit *e, const struct merged_program *p)
{
	struct buf b;

	buf_init(&b, e->a);
	for (size_t i = 0; i < p->options.n; i++) {
		const struct merged_option *o = &p->options.v[i];
		struct pb_option r = {
			.name = bk_pool_add(&e->pool, o->name),
			.takes = o->takes,
			.flags = o->flags,
			.same = (uint16_t)o->same,
			.when = commands_when(&e->whens, &o->when),
		};

		buf_add(&b, &r, sizeof(r));
	}
	return put_shared(e, &b, p->options.n);
}

static bool has_stems(const struct merged_program *p)
{
	for (size_t i = 0; i < p->options.n; i++) {
		struct str name = p->options.v[i].name;

		if (name.n && name.p[name.n - 1] == '*')
			return true;
	}
	return false;
}

static struct pb_table put_codes(struct emit *e, const struct merged_program *p)
{
	struct buf b;
	size_t n;

	buf_init(&b, e->a);
	for (n = 0; n < p->codes.n && p->codes.v[n].kind == IR_PLACE_CODE; n++) {
		struct pb_code r = { p->codes.v[n].operand,
				     commands_when(&e->whens, &p->codes.v[n].when) };

		buf_add(&b, &r, sizeof(r));
	}
	return put_shared(e, &b, n);
}

static struct pb_table put_places(struct emit *e, const struct merged_program *p)
{
	struct buf b;
	size_t n = 0;

	buf_init(&b, e->a);
	for (size_t i = 0; i < p->codes.n; i++) {
		struct pb_place r = { p->codes.v[i].kind, p->codes.v[i].operand,
				      commands_when(&e->whens, &p->codes.v[i].when) };

		if (p->codes.v[i].kind == IR_PLACE_CODE)
			continue;
		buf_add(&b, &r, sizeof(r));
		n++;
	}
	return put_shared(e, &b, n);
}

static struct pb_table put_words(struct emit *e, const struct str *v, size_t n)
{
	struct buf b;

	buf_init(&b, e->a);
	for (size_t i = 0; i < n; i++) {
		struct pb_word r = { bk_pool_add(&e->pool, v[i]) };

		buf_add(&b, &r, sizeof(r));
	}
	return put_shared(e, &b, n);
}

static struct pb_table put_programs(struct emit *e)
{
	struct pb_table t = take(e, e->m.programs.n, sizeof(struct pb_program));

	for (size_t i = 0; i < e->m.programs.n; i++) {
		const struct merged_program *p = &e->m.programs.v[i];
		struct pb_program r = { .name = bk_pool_add(&e->pool, p->name),
					.kinds = p->kinds,
					.flags = p->flags,
					.skip = p->skip,
					.stems = has_stems(p),
					.base = p->base };

		r.options = put_options(e, p);
		r.codes = put_codes(e, p);
		r.places = put_places(e, p);
		r.after = put_words(e, p->after.v, p->after.n);
		r.ends = put_words(e, p->ends.v, p->ends.n);
		r.also = put_words(e, p->also.v, p->also.n);
		r.defaults = put_words(e, p->defaults.v, p->defaults.n);
		put(e, t, i, &r, sizeof(r));
	}
	return t;
}

static struct pb_table put_vars(struct emit *e)
{
	struct pb_table t = take(e, e->m.vars.n, sizeof(struct pb_var));

	for (size_t i = 0; i < e->m.vars.n; i++) {
		struct pb_var r = { bk_pool_add(&e->pool, e->m.vars.v[i].name),
				    e->m.vars.v[i].taint, 0 };

		put(e, t, i, &r, sizeof(r));
	}
	return t;
}

static struct pb_table put_pins(struct emit *e)
{
	struct pb_table t = take(e, e->ir->pins.n, sizeof(struct pb_pin));

	for (size_t i = 0; i < e->ir->pins.n; i++) {
		struct pb_pin r;

		commands_pin(&e->ir->pins.v[i], &r);
		r.name = bk_pool_add(&e->pool, e->ir->pins.v[i].name);
		r.path = bk_pool_add(&e->pool, e->ir->pins.v[i].path);
		put(e, t, i, &r, sizeof(r));
	}
	return t;
}

/* An upper bound of the tables, the header among them. */
static size_t tables_size(const struct emit *e)
{
	size_t n = sizeof(struct pb_commands) + 8 * sizeof(uint64_t);

	n += e->m.vars.n * sizeof(struct pb_var) +
	     e->ir->pins.n * sizeof(struct pb_pin) +
	     e->whens.list.n * sizeof(struct pb_automaton);
	for (size_t i = 0; i < e->m.programs.n; i++) {
		const struct merged_program *p = &e->m.programs.v[i];

		n += sizeof(struct pb_program) +
		     p->options.n * sizeof(struct pb_option) +
		     p->codes.n * sizeof(struct pb_place) +
		     (p->after.n + p->ends.n + p->also.n + p->defaults.n) *
			     sizeof(struct pb_word);
	}
	return n;
}

static void put_whens(struct emit *e, struct pb_table t)
{
	struct bk_tables tables;

	bk_tables_init(&tables, e->a, &e->b);
	for (size_t i = 0; i < e->whens.list.n; i++) {
		struct pb_automaton r = { .kind = 0 };

		bk_automaton_put(&tables, &e->whens.list.v[i]->dfa, &r);
		put(e, t, i, &r, sizeof(r));
	}
	buf_align(&e->b, 8);
}

/* With so many bytes for the tables; returns how many of them are used. */
static size_t put_tables(struct emit *e, size_t tables)
{
	struct pb_commands h = { .head = { .magic = PB_MAGIC_COMMANDS,
					   .version = PB_FORMAT_VERSION } };

	buf_init(&e->b, e->a);
	map_init(&e->shared, e->a);
	while (e->b.n < tables)
		buf_u64(&e->b, 0);
	e->at = sizeof(h);
	h.whens = take(e, e->whens.list.n, sizeof(struct pb_automaton));
	put_whens(e, h.whens);
	bk_pool_init(&e->pool, e->a, e->b.n);
	h.programs = put_programs(e);
	h.vars = put_vars(e);
	h.pins = put_pins(e);
	h.dialect = commands_dialect(e->ir);
	h.shell = bk_pool_add(&e->pool, e->ir->shell.path);
	h.shell_name = bk_pool_add(&e->pool, commands_shell_name(e->ir));
	memcpy(e->b.p, &h, sizeof(h));
	return e->at;
}

static void put_member(struct emit *e, struct bk_output *out)
{
	/* what is shared is known once they are written, and they end where the automata
	 * begin */
	(void)put_tables(e, put_tables(e, tables_size(e)));
	buf_str(&e->b, buf_view(&e->pool.bytes));
	bk_add_member(out, PB_COMMANDS, &e->b);
}

bool commands_emit(const struct ir *ir, struct bk_output *out, struct diag_sink *sink)
{
	struct emit e = { .a = out->a, .ir = ir, .sink = sink };

	if (!commands_merge(e.a, ir, &e.m)) {
		diag_add(sink, DIAG_PLAN_LIMIT, SPAN_NONE,
			 "the tables of the program '%.*s' have more than %u lines",
			 STR_ARG(e.m.too_large), COMMANDS_MAX_RECORDS);
		return false;
	}
	if (e.m.programs.n > PB_MAX_RULES || e.m.vars.n > PB_MAX_RULES ||
	    ir->pins.n > PB_MAX_RULES) {
		diag_add(sink, DIAG_PLAN_LIMIT, SPAN_NONE,
			 "more than %u programs, variables or pins", PB_MAX_RULES);
		return false;
	}
	if (!commands_whens(e.a, &e.m, sink, &e.whens))
		return false;
	put_member(&e, out);
	return true;
}
