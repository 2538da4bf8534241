/*
 * Collects the members of a bundle, puts them into the order of the format and writes
 * the archive.  It does not know what the members mean.
 */
#include "compiler/bundle/writer.h"

#include <sodium.h>
#include <stdlib.h>

#include "compiler/base/num.h"
#include "compiler/ir/value.h"
#include "compiler/bundle/manifest.h"
#include "runtime/bundle/blocks.h"
#include "runtime/bundle/format.h"
#include "runtime/bundle/manifest.h"
#include "runtime/bundle/members.h"
#include "runtime/bundle/tar.h"

/* --- validation ---------------------------------------- */

static bool check_date(struct str day, const char *what, struct diag_sink *sink)
{
	int64_t days;

	if (day.n == 0 || (num_date(day, &days) && days >= 0))
		return true;
	diag_add(sink, DIAG_BUNDLE_DATE, SPAN_NONE,
		 "'%.*s' is no day for %s: write YYYY-MM-DD, from 1970-01-01 on",
		 STR_ARG(day), what);
	return false;
}

static bool check_names(const struct ir *ir, struct diag_sink *sink)
{
	if (ir->name.n > MANIFEST_MAX_NAME) {
		diag_add(sink, DIAG_BUNDLE_LIMIT, SPAN_NONE,
			 "the policy's name has %zu bytes, a bundle holds at most %d",
			 ir->name.n, MANIFEST_MAX_NAME);
		return false;
	}
	for (size_t i = 0; i < ir->name.n; i++) {
		unsigned char c = (unsigned char)ir->name.p[i];

		if (c < 0x20 || c >= 0x7f || c == '"' || c == '\\') {
			diag_add(sink, DIAG_BUNDLE_LIMIT, SPAN_NONE,
				 "the policy's name may hold printable ASCII only");
			return false;
		}
	}
	return true;
}

/* --- sources ---------------------------------------- */

/*
 * Makes a member path from the name of a source, which may be absolute, have ".."
 * components and contain any byte.  Bytes that a member path cannot hold are written
 * as %XX, and so is the first byte of a component that is empty, "." or "..".
 */
static struct str safe_name(struct arena *a, struct str name)
{
	struct buf b;
	size_t start = 0;

	buf_init(&b, a);
	for (size_t i = 0; i <= name.n; i++) {
		struct str part;

		if (i < name.n && name.p[i] != '/')
			continue;
		part = str_sub(name, start, i - start);
		start = i + 1;
		if (part.n == 0 && b.n == 0 && i < name.n)
			continue; /* the '/' of an absolute name */
		if (b.n)
			buf_ch(&b, '/');
		if (part.n == 0 || str_eqz(part, ".") || str_eqz(part, "..")) {
			buf_printf(&b, "%%%02X%s", part.n ? '.' : '/',
				   part.n > 1 ? "." : "");
			continue;
		}
		for (size_t k = 0; k < part.n; k++) {
			if (part.p[k] != '%' && tar_path_ok(part.p + k, 1))
				buf_ch(&b, part.p[k]);
			else if (part.p[k] == '.')
				buf_ch(&b, '.');
			else
				buf_printf(&b, "%%%02X", (unsigned char)part.p[k]);
		}
	}
	return buf_view(&b);
}

static bool is_taken(const struct bundle_plan *plan, struct str path)
{
	for (size_t i = 0; i < plan->sources.n; i++) {
		if (str_eq(plan->sources.v[i].path, path))
			return true;
	}
	return false;
}

/* sources/LEVEL/NAME; if that is too long or taken, with the digest of the text. */
static struct str source_path(struct arena *a, const struct bundle_plan *plan,
			      const struct ir_level_file *f)
{
	struct str name = safe_name(a, f->name), tail = name, path;

	path = str_printf(a, "%s%s/%.*s", MEMBERS_SOURCES, ir_level_name(f->level),
			  STR_ARG(name));
	for (size_t n = 0; !tar_path_ok(path.p, path.n) || is_taken(plan, path); n++) {
		struct str sum = bundle_digest(a, str_cat(a, f->name, f->text));

		if (tail.n > 40)
			tail = str_sub(name, name.n - 40, 40);
		while (tail.n && (tail.p[0] == '/' || tail.p[0] == '.'))
			tail = str_sub(tail, 1, tail.n - 1);
		path = str_printf(a, "%s%s/%.16s-%zu/%.*s", MEMBERS_SOURCES,
				  ir_level_name(f->level), sum.p, n, STR_ARG(tail));
		/* Cutting may have left part of an escape or of a component. */
		if (!tar_path_ok(path.p, path.n))
			path = str_printf(a, "%s%s/%.16s-%zu", MEMBERS_SOURCES,
					  ir_level_name(f->level), sum.p, n);
	}
	return path;
}

static void add_sources(struct bundle_plan *plan, const struct ir *ir, bool no_texts)
{
	for (size_t i = 0; i < ir->files.n; i++) {
		const struct ir_level_file *f = &ir->files.v[i];
		struct bundle_source s = { f->level, f->narrow, f->name, STR_NULL,
					   f->text };

		if (!no_texts) {
			struct bk_member m;

			s.path = source_path(ir->a, plan, f);
			m = (struct bk_member){ s.path, f->text };
			VEC_PUSH(ir->a, &plan->members, m);
		}
		VEC_PUSH(ir->a, &plan->sources, s);
	}
}

/* --- members ---------------------------------------- */

static int by_place(const void *x, const void *y)
{
	const struct bk_member *a = x, *b = y;
	int ra = member_rank(a->path.p, a->path.n),
	    rb = member_rank(b->path.p, b->path.n);

	return ra != rb ? (ra < rb ? -1 : 1) : str_cmp(a->path, b->path);
}

static bool sort_members(struct bundle_plan *plan, struct diag_sink *sink)
{
	bool ok = true;

	for (size_t i = 0; i < plan->members.n; i++) {
		struct str path = plan->members.v[i].path;

		if (member_rank(path.p, path.n) >= 0 && tar_path_ok(path.p, path.n))
			continue;
		diag_add(sink, DIAG_BUNDLE_MEMBER, SPAN_NONE,
			 "member '%.*s' has no place in the bundle format",
			 STR_ARG(path));
		ok = false;
	}
	if (!ok)
		return false;
	qsort(plan->members.v, plan->members.n, sizeof(*plan->members.v), by_place);
	for (size_t i = 1; i < plan->members.n; i++) {
		if (!str_eq(plan->members.v[i - 1].path, plan->members.v[i].path))
			continue;
		diag_add(sink, DIAG_BUNDLE_MEMBER, SPAN_NONE,
			 "member '%.*s' is there twice",
			 STR_ARG(plan->members.v[i].path));
		ok = false;
	}
	if (plan->members.n > PB_MAX_MEMBERS) {
		diag_add(sink, DIAG_BUNDLE_LIMIT, SPAN_NONE,
			 "the bundle has %zu members, the limit is %u", plan->members.n,
			 PB_MAX_MEMBERS);
		ok = false;
	}
	return ok;
}

/* blocks.b2, the first member: the digests of the blocks of those that follow. */
static struct str blocks_of(const struct bundle_plan *plan, struct arena *a)
{
	struct buf b;

	buf_init(&b, a);
	for (size_t i = 1; i < plan->members.n; i++) {
		const struct bk_member *m = &plan->members.v[i];

		if (member_is_idle(m->path.p, m->path.n))
			break;
		for (size_t at = 0; at < m->bytes.n; at += BLOCKS_SIZE) {
			struct str block = str_sub(m->bytes, at, BLOCKS_SIZE);
			uint8_t sum[32];

			(void)crypto_generichash(sum, sizeof(sum), (const uint8_t *)block.p,
						 block.n, NULL, 0);
			buf_add(&b, sum, sizeof(sum));
		}
	}
	return buf_view(&b);
}

static int by_bytes(const void *x, const void *y)
{
	return str_cmp(*(const struct str *)x, *(const struct str *)y);
}

static bool add_features(struct bundle_plan *plan, const struct bk_output *out,
			 struct diag_sink *sink)
{
	struct str *all = arena_array(out->a, out->features.n + 1, sizeof(*all));
	size_t n = out->features.n;
	bool ok = true;

	for (size_t i = 0; i < n; i++)
		all[i] = out->features.v[i];
	qsort(all, n, sizeof(*all), by_bytes);
	for (size_t i = 0; i < n; i++) {
		if (i > 0 && str_eq(all[i - 1], all[i]))
			continue;
		if (!member_feature_known(all[i].p, all[i].n)) {
			diag_add(sink, DIAG_BUNDLE_MEMBER, SPAN_NONE,
				 "feature '%.*s' is not in the bundle format",
				 STR_ARG(all[i]));
			ok = false;
		}
		VEC_PUSH(out->a, &plan->features, all[i]);
	}
	return ok;
}

/* --- the archive ---------------------------------------- */

void bundle_put(struct buf *b, struct str path, struct str bytes)
{
	uint8_t header[TAR_BLOCK];

	tar_header(header, path.p, path.n, bytes.n);
	buf_add(b, header, sizeof(header));
	buf_str(b, bytes);
	buf_align(b, TAR_BLOCK);
}

bool bundle_write(const struct ir *ir, const struct bk_output *out,
		  const struct bundle_options *opt, struct buf *ret_bytes,
		  struct diag_sink *sink)
{
	static const unsigned char end[2 * TAR_BLOCK];
	struct bundle_plan plan = { .members = { NULL, 0, 0 } };
	struct buf json, settings, manifest;
	struct bk_member own[3];
	struct str sum;

	if (!check_date(opt->expires, "the last day", sink) ||
	    !check_date(ir->expires, "the last day", sink) ||
	    !check_date(opt->not_before, "the first day", sink) ||
	    !check_names(ir, sink))
		return false;
	for (size_t i = 0; i < out->members.n; i++)
		VEC_PUSH(ir->a, &plan.members, out->members.v[i]);
	buf_init(&json, ir->a);
	ir_json(&json, ir);
	buf_init(&settings, ir->a);
	ir_settings_json(&settings, ir);
	own[0] = (struct bk_member){ STR(PB_IR), buf_view(&json) };
	own[1] = (struct bk_member){ STR(PB_SETTINGS), buf_view(&settings) };
	own[2] = (struct bk_member){ STR(PB_BLOCKS), STR_NULL };
	for (size_t i = 0; i < POL_LEN(own); i++)
		VEC_PUSH(ir->a, &plan.members, own[i]);
	add_sources(&plan, ir, opt->no_sources);
	if (!add_features(&plan, out, sink) || !sort_members(&plan, sink))
		return false;
	plan.members.v[0].bytes = blocks_of(&plan, ir->a);

	buf_init(&manifest, ir->a);
	bundle_manifest(&manifest, ir, &plan, opt);
	sum = str_printf(ir->a, "%.*s  " PB_MANIFEST "\n",
			 STR_ARG(bundle_digest(ir->a, buf_view(&manifest))));
	bundle_put(ret_bytes, STR(PB_MANIFEST), buf_view(&manifest));
	bundle_put(ret_bytes, STR(PB_MANIFEST_B2), sum);
	for (size_t i = 0; i < plan.members.n; i++)
		bundle_put(ret_bytes, plan.members.v[i].path, plan.members.v[i].bytes);
	buf_add(ret_bytes, end, sizeof(end));
	if (ret_bytes->n > PB_MAX_BUNDLE || manifest.n > MANIFEST_MAX_BYTES) {
		diag_add(
			sink, DIAG_BUNDLE_LIMIT, SPAN_NONE,
			"the bundle has %zu bytes and its manifest %zu, the limits are "
			"%u and %zu",
			ret_bytes->n, manifest.n, PB_MAX_BUNDLE, MANIFEST_MAX_BYTES);
		return false;
	}
	return true;
}
