/*
 * Writes the facts as one block: first the tables, then the automata of `when`, then
 * the texts.  The size of the tables is computed first, so that each record can be
 * written at its final place.
 */
#include "compiler/lower/line_facts.h"

#include "compiler/lower/facts_merge.h"
#include "compiler/lower/ready.h"
#include "compiler/record/automaton.h"
#include "compiler/record/pool.h"

struct block {
	struct arena *a;
	const struct ir *ir;
	struct merged m;
	struct merged_whens whens;
	struct rec_pool pool;
	struct buf b;
	struct map shared; /* bytes of records -> struct pb_table */
	size_t at; /* where the next record goes */
};

/* Reserves a table of n records. */
static struct pb_table take(struct block *e, size_t n, size_t record)
{
	struct pb_table t = { (uint32_t)e->at, (uint32_t)n };

	e->at += (n * record + 7) & ~(size_t)7;
	return t;
}

static void put(struct block *e, struct pb_table t, size_t i, const void *record,
		size_t size)
{
	memcpy(e->b.p + t.off + i * size, record, size);
}

/* Writes a table of a program.  Equal tables of several programs are stored once. */
static struct pb_table put_shared(struct block *e, const struct buf *records, size_t n)
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

static struct pb_table put_options(struct block *e, const struct merged_program *p)
{
	struct buf b;

	buf_init(&b, e->a);
	for (size_t i = 0; i < p->options.n; i++) {
		const struct merged_option *o = &p->options.v[i];
		struct line_option r = {
			.name = rec_pool_add(&e->pool, o->name),
			.takes = o->takes,
			.flags = o->flags,
			.same = (uint16_t)o->same,
			.when = facts_when(&e->whens, &o->when),
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

static struct pb_table put_codes(struct block *e, const struct merged_program *p)
{
	struct buf b;
	size_t n;

	buf_init(&b, e->a);
	for (n = 0; n < p->codes.n && p->codes.v[n].kind == LINE_PLACE_CODE; n++) {
		struct line_code r = { p->codes.v[n].operand,
				     facts_when(&e->whens, &p->codes.v[n].when) };

		buf_add(&b, &r, sizeof(r));
	}
	return put_shared(e, &b, n);
}

static struct pb_table put_places(struct block *e, const struct merged_program *p)
{
	struct buf b;
	size_t n = 0;

	buf_init(&b, e->a);
	for (size_t i = 0; i < p->codes.n; i++) {
		struct line_place r = { p->codes.v[i].kind, p->codes.v[i].operand,
				      facts_when(&e->whens, &p->codes.v[i].when) };

		if (p->codes.v[i].kind == LINE_PLACE_CODE)
			continue;
		buf_add(&b, &r, sizeof(r));
		n++;
	}
	return put_shared(e, &b, n);
}

static struct pb_table put_words(struct block *e, const struct str *v, size_t n)
{
	struct buf b;

	buf_init(&b, e->a);
	for (size_t i = 0; i < n; i++) {
		struct line_word r = { rec_pool_add(&e->pool, v[i]) };

		buf_add(&b, &r, sizeof(r));
	}
	return put_shared(e, &b, n);
}

static struct pb_table put_programs(struct block *e)
{
	struct pb_table t = take(e, e->m.programs.n, sizeof(struct line_program));

	for (size_t i = 0; i < e->m.programs.n; i++) {
		const struct merged_program *p = &e->m.programs.v[i];
		struct line_program r = { .name = rec_pool_add(&e->pool, p->name),
					.kinds = p->kinds,
					.flags = p->flags,
					.skip = p->skip,
					.stems = has_stems(p),
					.base = p->base,
					.as = p->as };

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

static struct pb_table put_vars(struct block *e)
{
	struct pb_table t = take(e, e->m.vars.n, sizeof(struct line_var));

	for (size_t i = 0; i < e->m.vars.n; i++) {
		struct line_var r = { rec_pool_add(&e->pool, e->m.vars.v[i].name),
				    e->m.vars.v[i].taint, 0 };

		put(e, t, i, &r, sizeof(r));
	}
	return t;
}

void facts_pin(const struct ir_pin *p, struct line_pin *ret)
{
	*ret = (struct line_pin){ .has_digest = p->sha256.n != 0 };
	for (size_t i = 0; i < p->sha256.n; i++) {
		char c = p->sha256.p[i];
		unsigned digit = (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);

		ret->sha256[i / 2] = (uint8_t)((unsigned)ret->sha256[i / 2] << 4 | digit);
	}
}

struct str facts_shell_name(const struct ir *ir)
{
	return ir->shell.level ? ir->shell.name : STR("bash");
}

/* Which grammar reads a line; none for a shell that we do not know. */
uint32_t facts_dialect(const struct ir *ir)
{
	struct str name = facts_shell_name(ir);

	if (str_eqz(name, "bash"))
		return LINE_DIALECT_BASH;
	if (str_eqz(name, "posix") || str_eqz(name, "sh") || str_eqz(name, "dash"))
		return LINE_DIALECT_POSIX;
	return LINE_DIALECT_NONE;
}

static struct pb_table put_pins(struct block *e)
{
	struct pb_table t = take(e, e->ir->pins.n, sizeof(struct line_pin));

	for (size_t i = 0; i < e->ir->pins.n; i++) {
		struct line_pin r;

		facts_pin(&e->ir->pins.v[i], &r);
		r.name = rec_pool_add(&e->pool, e->ir->pins.v[i].name);
		r.path = rec_pool_add(&e->pool, e->ir->pins.v[i].path);
		put(e, t, i, &r, sizeof(r));
	}
	return t;
}

/* An upper bound for the size of the header and the tables. */
static size_t tables_size(const struct block *e)
{
	size_t n = sizeof(struct line_facts) + 8 * sizeof(uint64_t);

	n += e->m.vars.n * sizeof(struct line_var) +
	     e->ir->pins.n * sizeof(struct line_pin) +
	     e->whens.list.n * sizeof(struct pb_automaton);
	for (size_t i = 0; i < e->m.programs.n; i++) {
		const struct merged_program *p = &e->m.programs.v[i];

		n += sizeof(struct line_program) +
		     p->options.n * sizeof(struct line_option) +
		     p->codes.n * sizeof(struct line_place) +
		     (p->after.n + p->ends.n + p->also.n + p->defaults.n) *
			     sizeof(struct line_word);
	}
	return n;
}

static void put_whens(struct block *e, struct pb_table t)
{
	struct rec_tables tables;

	rec_tables_init(&tables, e->a, &e->b);
	for (size_t i = 0; i < e->whens.list.n; i++) {
		struct pb_automaton r = { .kind = 0 };

		rec_automaton_put(&tables, &e->whens.list.v[i]->dfa, &r);
		put(e, t, i, &r, sizeof(r));
	}
	buf_align(&e->b, 8);
}

/*
 * Writes the tables, with `tables` bytes reserved for them; returns how many bytes they
 * take.
 */
static size_t put_tables(struct block *e, size_t tables)
{
	struct line_facts h = { .head = { .magic = PB_MAGIC_COMMANDS,
					   .version = PB_FORMAT_VERSION } };

	buf_init(&e->b, e->a);
	map_init(&e->shared, e->a);
	while (e->b.n < tables)
		buf_u64(&e->b, 0);
	e->at = sizeof(h);
	h.whens = take(e, e->whens.list.n, sizeof(struct pb_automaton));
	put_whens(e, h.whens);
	rec_pool_init(&e->pool, e->a, e->b.n);
	h.programs = put_programs(e);
	h.vars = put_vars(e);
	h.pins = put_pins(e);
	h.dialect = facts_dialect(e->ir);
	h.shell = rec_pool_add(&e->pool, e->ir->shell.path);
	h.shell_name = rec_pool_add(&e->pool, facts_shell_name(e->ir));
	memcpy(e->b.p, &h, sizeof(h));
	return e->at;
}

static bool too_many(struct diag_sink *sink, const char *what)
{
	if (sink)
		diag_add(sink, DIAG_PLAN_LIMIT, SPAN_NONE, "%s", what);
	return false;
}

static bool merge(struct block *e, struct diag_sink *sink)
{
	if (!facts_merge(e->a, e->ir, &e->m))
		return too_many(sink, arena_printf(e->a, "the tables of the program '%.*s' have "
						   "more than %u lines",
						   STR_ARG(e->m.too_large), FACTS_MAX_RECORDS));
	if (e->m.programs.n > FACTS_MAX_NAMES || e->m.vars.n > FACTS_MAX_NAMES ||
	    e->ir->pins.n > FACTS_MAX_NAMES)
		return too_many(sink, arena_printf(e->a, "more than %u programs, variables or pins",
						   FACTS_MAX_NAMES));
	return facts_whens(e->a, &e->m, sink, &e->whens);
}

const struct line_facts *lower_line_facts(const struct ir *ir, struct arena *a,
					  struct diag_sink *sink)
{
	const struct line_facts *ready = facts_ready_for(ir);

	return ready ? ready : lower_line_facts_anew(ir, a, sink);
}

const struct line_facts *lower_line_facts_anew(const struct ir *ir, struct arena *a,
					       struct diag_sink *sink)
{
	struct block e = { .a = a, .ir = ir };

	if (!merge(&e, sink))
		return NULL;
	/* write them twice: the first pass shows how much is shared, and so where the
	 * automata begin */
	(void)put_tables(&e, put_tables(&e, tables_size(&e)));
	buf_str(&e.b, buf_view(&e.pool.bytes));
	buf_patch_u32(&e.b, offsetof(struct pb_head, size), (uint32_t)e.b.n);
	return (const struct line_facts *)(const void *)e.b.p;
}
