/* publish.bin: the ports of the run that polrun publishes on this machine's loopback, and those that
 * it never does.  A policy that says nothing of it has no such member. */
#include "compiler/backend/common/util.h"
#include "compiler/backend/limits/limits.h"
#include "runtime/bundle/check.h"

static void check(const struct ir *ir, struct bk_report *report, struct diag_sink *sink)
{
	(void)sink;
	if (ir->publish.n)
		bk_note(report, NULL, "publish", BK_EXACT,
			"polrun leads connections to 127.0.0.1 and ::1 of this machine, where every local "
			"user reaches them, to these ports of the run");
}

static struct pb_publish_entry entry(struct rec_pool *pool, const struct ir_publish *p)
{
	return (struct pb_publish_entry){
		.text = rec_pool_add(pool, p->text), .file = rec_pool_add(pool, p->at.file),
		.line = p->at.line, .lo = p->lo, .hi = p->hi, .deny = p->deny,
	};
}

static bool emit(const struct ir *ir, struct bk_output *out, struct diag_sink *sink)
{
	struct pb_publish h = { .head = { PB_MAGIC_PUBLISH, PB_FORMAT_VERSION, 0, 0 } };
	size_t n = ir->publish.n;
	struct rec_pool pool;
	struct buf b;

	if (n == 0)
		return true;
	if (n > CHECK_MAX_PUBLISH) {
		diag_add(sink, DIAG_PLAN_LIMIT, SPAN_NONE,
			 "%zu ranges of ports are published or denied, a bundle holds at most %u", n,
			 CHECK_MAX_PUBLISH);
		return false;
	}
	h.entries = (struct pb_table){ sizeof(h), (uint32_t)n };
	rec_pool_init(&pool, out->a, sizeof(h) + n * sizeof(struct pb_publish_entry));
	buf_init(&b, out->a);
	buf_add(&b, &h, sizeof(h));
	for (size_t i = 0; i < n; i++) {
		struct pb_publish_entry e = entry(&pool, &ir->publish.v[i]);

		buf_add(&b, &e, sizeof(e));
	}
	buf_str(&b, buf_view(&pool.bytes));
	bk_add_member(out, PB_PUBLISH, &b);
	return true;
}

/* NULL if there is none, or with `err` if it is damaged. */
static const struct pb_publish *open_member(const struct bk_output *in, struct rt_err *err)
{
	const struct bk_member *m = bk_member(in, PB_PUBLISH);

	if (!m || bundle_check_publish(m->bytes.p, m->bytes.n, err) < 0)
		return NULL;
	return (const void *)m->bytes.p;
}

static const struct pb_publish_entry *entries(const struct pb_publish *h)
{
	return (const void *)((const char *)h + h->entries.off);
}

static struct str text_of(const struct pb_publish *h, struct pb_str s)
{
	return (struct str){ (const char *)h + s.off, s.len };
}

static void print(FILE *out, const struct bk_output *in)
{
	const struct pb_publish *h = open_member(in, NULL);

	for (uint32_t i = 0; h && i < h->entries.count; i++) {
		const struct pb_publish_entry *e = &entries(h)[i];

		(void)fprintf(out, "%s tcp %u-%u  # %.*s:%u\n", e->deny ? "deny publish" : "publish",
			      e->lo, e->hi, STR_ARG(text_of(h, e->file)), e->line);
	}
}

static const char *verify(const struct ir *ir, const struct bk_output *in, struct arena *a)
{
	struct rt_err err = { .err = 0 };
	const struct pb_publish *h = open_member(in, &err);

	if (err.err)
		return arena_printf(a, "%s", err.text);
	if ((h ? h->entries.count : 0) != ir->publish.n)
		return "a published port is missing or has been added";
	for (size_t i = 0; i < ir->publish.n; i++) {
		const struct ir_publish *p = &ir->publish.v[i];
		const struct pb_publish_entry *e = &entries(h)[i];

		if (e->lo != p->lo || e->hi != p->hi || e->deny != p->deny || e->line != p->at.line ||
		    !str_eq(text_of(h, e->file), p->at.file) || !str_eq(text_of(h, e->text), p->text))
			return arena_printf(a, "a published port is not the policy's: %.*s",
					    STR_ARG(p->text));
	}
	return NULL;
}

const struct backend bk_publish = {
	.name = "publish",
	.check = check,
	.emit = emit,
	.print = print,
	.verify = verify,
};
