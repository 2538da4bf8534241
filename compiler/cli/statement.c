/*
 * Counts what a comparison has found, and lists what widens and what may.  The reader
 * (runtime/bundle/changes.c) refuses a statement whose numbers do not agree.
 */
#include "compiler/cli/statement.h"

#include <stdlib.h>
#include <string.h>

#include "compiler/base/json_buf.h"
#include "compiler/cli/cli.h"
#include "compiler/cli/compare.h"
#include "compiler/cli/diff_print.h"
#include "compiler/cli/loaded.h"

/* At most this many bytes of a text; each is at most two in JSON, since it has no controls. */
#define MAX_TEXT 400

struct tally {
	const char *kind;
	struct changes_count n;
};

/* Which of a kind's numbers counts this change? */
static uint64_t *place(struct changes_count *n, enum diff_change c)
{
	return c == DIFF_ALLOWED ? &n->allowed :
	       c == DIFF_ASKED   ? &n->asked :
	       c == DIFF_DENIED  ? &n->denied :
				   &n->other;
}

static int by_name(const void *x, const void *y)
{
	return strcmp(((const struct tally *)x)->kind, ((const struct tally *)y)->kind);
}

/* By kind, in the order of their names. */
static struct tally *tally(const struct diff_result *r, struct arena *a, size_t *ret_n)
{
	struct tally *v = arena_array(a, r->findings.n + 1, sizeof(*v));
	size_t n = 0;

	for (size_t i = 0; i < r->findings.n; i++) {
		const struct diff_finding *f = &r->findings.v[i];
		size_t k = 0;

		while (k < n && strcmp(v[k].kind, f->kind) != 0)
			k++;
		if (k == n)
			v[n++] = (struct tally){ .kind = f->kind };
		++*place(&v[k].n, f->change);
		v[k].n.widening += f->widening;
	}
	qsort(v, n, sizeof(*v), by_name);
	*ret_n = n;
	return v;
}

static struct str cut(struct arena *a, struct str s)
{
	size_t n = MAX_TEXT;

	if (s.n <= MAX_TEXT)
		return s;
	while (n && ((unsigned char)s.p[n] & 0xc0) == 0x80)
		n--;
	return str_printf(a, "%.*s…", (int)n, s.p);
}

/* An element of a list stands on its line. */
static void begin(struct json *j)
{
	json_object(j, NULL);
	j->layout = JSON_SPACED;
}

static void end(struct json *j)
{
	json_object_end(j);
	j->layout = JSON_INDENTED;
}

static void put_kinds(struct json *j, const struct diff_result *r, struct arena *a)
{
	size_t n;
	const struct tally *v = tally(r, a, &n);

	json_array(j, "kinds");
	for (size_t i = 0; i < n; i++) {
		begin(j);
		json_cstr(j, "kind", v[i].kind);
		json_uint(j, "allowed", v[i].n.allowed);
		json_uint(j, "asked", v[i].n.asked);
		json_uint(j, "denied", v[i].n.denied);
		json_uint(j, "other", v[i].n.other);
		json_uint(j, "widening", v[i].n.widening);
		end(j);
	}
	json_array_end(j);
}

static void put_sides(struct json *j, const struct diff_said side[2], struct arena *a)
{
	json_buf_str(j, "old", cut(a, diff_side_text(a, &side[0])));
	json_buf_str(j, "new", cut(a, diff_side_text(a, &side[1])));
}

static void put_findings(struct json *j, const struct diff_show *s,
			 const struct diff_result *wide, struct arena *a)
{
	json_array(j, "findings");
	for (size_t i = 0; i < wide->findings.n && i < CHANGES_MAX_LIST; i++) {
		const struct diff_finding *f = &wide->findings.v[i];

		begin(j);
		json_cstr(j, "kind", f->kind);
		json_cstr(j, "change", diff_change_name(f->change));
		json_buf_str(j, "what", cut(a, diff_subject(a, s, f)));
		put_sides(j, f->side, a);
		end(j);
	}
	json_array_end(j);
}

static void put_doubts(struct json *j, const struct diff_result *wide, struct arena *a)
{
	json_array(j, "doubts");
	for (size_t i = 0; i < wide->doubts.n && i < CHANGES_MAX_LIST; i++) {
		begin(j);
		json_buf_str(j, "why", cut(a, diff_doubt_text(a, &wide->doubts.v[i])));
		put_sides(j, wide->doubts.v[i].side, a);
		end(j);
	}
	json_array_end(j);
}

bool statement_make(struct bundle *old, const char *path, const struct ir *ir,
		    struct arena *a, struct str *ret)
{
	static const struct options sandbox = { .scope = IR_SANDBOX };
	const char *doubt = NULL;
	const struct ir *before = loaded_ir(old, path, NULL, a, &doubt);
	struct compare c = { .role = NULL };
	struct diff_result r, wide;
	struct diff_show s = { .o = &sandbox, .r = &wide, .made = c.made,
			       .roots = &c.where.roots };
	struct json j;
	struct buf b;

	if (!before)
		return false;
	compare_anywhere(&c);
	compare_resolved(&c, before, ir, doubt, a, &r);
	compare_only_widening(&r, a, &wide);
	buf_init(&b, a);
	json_buf_init(&j, &b);
	j.layout = JSON_INDENTED;
	j.text = JSON_BYTES;
	/* it stands in the manifest's object, which has written the key */
	j.depth = 1;
	j.keyed = true;
	json_object(&j, NULL);
	json_cstr(&j, "against", old->digest);
	json_uint(&j, "serial", old->serial);
	put_kinds(&j, &r, a);
	json_uint(&j, "undecided", r.doubts.n);
	json_uint(&j, "may_widen", wide.doubts.n);
	put_findings(&j, &s, &wide, a);
	put_doubts(&j, &wide, a);
	json_object_end(&j);
	*ret = buf_view(&b);
	return true;
}
