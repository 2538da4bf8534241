/*
 * The environment of a run: the names that are taken over from the caller's, then
 * the values that are set.  Everything else is dropped.  polrun replaces ${ROOT}
 * in values.
 */
#include "compiler/backend/limits/limits.h"
#include "compiler/backend/common/util.h"
#include "runtime/bundle/check.h"

static void check(const struct ir *ir, struct bk_report *report, struct diag_sink *sink)
{
	(void)sink;
	bk_note(report, NULL, "env", BK_EXACT,
		"%zu names are kept, %zu set, every other variable is dropped",
		ir->keep.n, ir->env.n);
}

static struct pb_env_entry entry(struct rec_pool *pool, struct str name, struct str value,
				 uint32_t set)
{
	return (struct pb_env_entry){ rec_pool_add(pool, name), rec_pool_add(pool, value),
				      set, UINT32_MAX };
}

/* Where the value of a secret would come from, for messages. */
static struct str source_of(struct arena *a, const struct ir_env_secret *s)
{
	return str_cat(a, s->file ? STR("file ") : STR("store "), s->from);
}

static bool emit(const struct ir *ir, struct bk_output *out, struct diag_sink *sink)
{
	struct pb_env h = { .head = { PB_MAGIC_ENV, PB_FORMAT_VERSION, 0, 0 } };
	size_t n = ir->keep.n + ir->env.n + ir->secrets.n;
	struct rec_pool pool;
	struct buf b;

	if (n > CHECK_MAX_ENV) {
		diag_add(sink, DIAG_PLAN_LIMIT, SPAN_NONE,
			 "%zu variables are kept or set, a bundle holds at most %u", n,
			 CHECK_MAX_ENV);
		return false;
	}
	h.entries = (struct pb_table){ sizeof(h), (uint32_t)n };
	rec_pool_init(&pool, out->a, sizeof(h) + n * sizeof(struct pb_env_entry));
	buf_init(&b, out->a);
	buf_add(&b, &h, sizeof(h));
	for (size_t i = 0; i < ir->keep.n; i++) {
		struct pb_env_entry e = entry(&pool, ir->keep.v[i].name, STR(""), 0);

		buf_add(&b, &e, sizeof(e));
	}
	for (size_t i = 0; i < ir->env.n; i++) {
		struct pb_env_entry e = entry(&pool, ir->env.v[i].name,
					      ir->env.v[i].value, 1);

		buf_add(&b, &e, sizeof(e));
	}
	for (size_t i = 0; i < ir->secrets.n; i++) {
		const struct ir_env_secret *s = &ir->secrets.v[i];
		struct pb_env_entry e = entry(&pool, s->name, source_of(out->a, s), 2);

		buf_add(&b, &e, sizeof(e));
	}
	buf_str(&b, buf_view(&pool.bytes));
	bk_add_member(out, PB_ENV, &b);
	return true;
}

static const struct pb_env *open_member(const struct bk_output *in, struct rt_err *err)
{
	const struct bk_member *m = bk_member(in, PB_ENV);

	if (!m || bundle_check_env(m->bytes.p, m->bytes.n, 0, err) < 0)
		return NULL;
	return (const void *)m->bytes.p;
}

static struct str text_of(const struct pb_env *h, struct pb_str s)
{
	return (struct str){ (const char *)h + s.off, s.len };
}

static void print(FILE *out, const struct bk_output *in)
{
	const struct pb_env *h = open_member(in, NULL);
	const struct pb_env_entry *v;

	if (!h)
		return;
	v = (const void *)((const char *)h + h->entries.off);
	for (uint32_t i = 0; i < h->entries.count; i++) {
		struct str name = text_of(h, v[i].name);
		struct buf value;

		if (!v[i].set) {
			(void)fprintf(out, "env keep %.*s\n", STR_ARG(name));
			continue;
		}
		buf_init(&value, in->a);
		buf_quoted(&value, text_of(h, v[i].value));
		(void)fprintf(out, "env %s %.*s = %.*s\n",
			      v[i].set == 2 ? "secret" : "set ", STR_ARG(name),
			      STR_ARG(buf_view(&value)));
	}
}

static const char *verify(const struct ir *ir, const struct bk_output *in,
			  struct arena *a)
{
	struct rt_err err = { .err = 0 };
	const struct pb_env *h = open_member(in, &err);
	const struct pb_env_entry *v;

	if (!h)
		return arena_printf(a, "%s", err.err ? err.text : PB_ENV " is missing");
	v = (const void *)((const char *)h + h->entries.off);
	if (h->entries.count != ir->keep.n + ir->env.n + ir->secrets.n)
		return "a variable is missing or has been added";
	for (uint32_t i = 0; i < h->entries.count; i++) {
		struct str name, value = STR("");
		uint32_t set = 0;

		if (i < ir->keep.n) {
			name = ir->keep.v[i].name;
		} else if (i < ir->keep.n + ir->env.n) {
			name = ir->env.v[i - ir->keep.n].name;
			value = ir->env.v[i - ir->keep.n].value;
			set = 1;
		} else {
			const struct ir_env_secret *s =
				&ir->secrets.v[i - ir->keep.n - ir->env.n];

			name = s->name;
			value = source_of(a, s);
			set = 2;
		}
		if (v[i].set != set || !str_eq(name, text_of(h, v[i].name)) ||
		    !str_eq(value, text_of(h, v[i].value)))
			return arena_printf(a, "variable '%.*s' is not the policy's",
					    STR_ARG(name));
	}
	return NULL;
}

const struct backend bk_env = {
	.name = "env",
	.check = check,
	.emit = emit,
	.print = print,
	.verify = verify,
};
