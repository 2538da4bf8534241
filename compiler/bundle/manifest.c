/*
 * Writes manifest.json.  It has one layout and one order of keys, so that equal input
 * gives equal bytes and the reader needs no JSON library.  Keys for later versions are
 * there with the value null.
 */
#include "compiler/bundle/manifest.h"

#include <sodium.h>
#include <time.h>

#include "runtime/bundle/format.h"

struct str bundle_digest(struct arena *a, struct str bytes)
{
	unsigned char sum[32];
	struct buf b;

	(void)crypto_generichash(sum, sizeof(sum), (const unsigned char *)bytes.p,
				 bytes.n, NULL, 0);
	buf_init(&b, a);
	for (size_t i = 0; i < sizeof(sum); i++)
		buf_printf(&b, "%02x", sum[i]);
	return buf_view(&b);
}

static size_t utf8_len(const unsigned char *p, size_t n)
{
	static const uint32_t least[5] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t len = p[0] < 0x80           ? 1 :
		     (p[0] & 0xe0) == 0xc0 ? 2 :
		     (p[0] & 0xf0) == 0xe0 ? 3 :
		     (p[0] & 0xf8) == 0xf0 ? 4 :
					     0;
	uint32_t v;

	if (len <= 1 || len > n)
		return len > n ? 0 : len;
	v = p[0] & (0x7fu >> len);
	for (size_t i = 1; i < len; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		v = v << 6 | (p[i] & 0x3fu);
	}
	if (v < least[len] || v > 0x10ffff || (v >= 0xd800 && v <= 0xdfff))
		return 0;
	return len;
}

/* Every text has one spelling: \", \\, and \u00XX for bytes that must be escaped. */
static void string(struct buf *b, struct str s)
{
	const unsigned char *p = (const unsigned char *)s.p;

	buf_ch(b, '"');
	for (size_t i = 0; i < s.n;) {
		size_t len = p[i] < 0x20 || p[i] == 0x7f ? 0 : utf8_len(p + i, s.n - i);

		if (p[i] == '"' || p[i] == '\\')
			buf_printf(b, "\\%c", p[i]);
		else if (len == 0)
			buf_printf(b, "\\u00%02x", p[i]);
		else
			buf_add(b, p + i, len);
		i += len ? len : 1;
	}
	buf_ch(b, '"');
}

static void key(struct buf *b, const char *name)
{
	buf_printf(b, ",\n  \"%s\": ", name);
}

static void optional(struct buf *b, const char *name, struct str text)
{
	key(b, name);
	if (text.n == 0)
		buf_z(b, "null");
	else
		string(b, text);
}

static void created(struct buf *b, int64_t at)
{
	struct tm tm;
	time_t t = (time_t)at;

	key(b, "created");
	if (at < 0 || !gmtime_r(&t, &tm))
		buf_z(b, "null");
	else
		buf_printf(b, "\"%04d-%02d-%02dT%02d:%02d:%02dZ\"", tm.tm_year + 1900,
			   tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec);
}

static void next_item(struct buf *b, size_t i)
{
	buf_z(b, i == 0 ? "[\n    " : ",\n    ");
}

static void end_list(struct buf *b, size_t n)
{
	buf_z(b, n == 0 ? "[]" : "\n  ]");
}

/* The version of libnftables that made nft.batch; null without a ruleset. */
static void nft(struct buf *b, const struct bk_nft *n)
{
	key(b, "nft");
	if (!n->limited) {
		buf_z(b, "null");
		return;
	}
	buf_z(b, "{\"libnftables\": ");
	if (n->version.n)
		string(b, n->version);
	else
		buf_z(b, "null");
	buf_printf(b, ", \"batch\": %s}", n->batch ? "true" : "false");
}

static void sources(struct buf *b, const struct bundle_plan *plan)
{
	key(b, "sources");
	for (size_t i = 0; i < plan->sources.n; i++) {
		const struct bundle_source *s = &plan->sources.v[i];

		next_item(b, i);
		buf_printf(b, "{\"level\": \"%s\", \"narrow\": %s, \"name\": ",
			   ir_level_name(s->level), s->narrow ? "true" : "false");
		string(b, s->name);
		buf_z(b, ", \"path\": ");
		if (s->path.n)
			string(b, s->path);
		else
			buf_z(b, "null");
		buf_printf(b, ", \"size\": %zu, \"blake2b\": \"%.*s\"}", s->text.n,
			   STR_ARG(bundle_digest(b->a, s->text)));
	}
	end_list(b, plan->sources.n);
}

static void members(struct buf *b, const struct bundle_plan *plan)
{
	key(b, "members");
	for (size_t i = 0; i < plan->members.n; i++) {
		const struct bk_member *m = &plan->members.v[i];

		next_item(b, i);
		buf_z(b, "{\"path\": ");
		string(b, m->path);
		buf_printf(b, ", \"size\": %zu, \"blake2b\": \"%.*s\"}", m->bytes.n,
			   STR_ARG(bundle_digest(b->a, m->bytes)));
	}
	end_list(b, plan->members.n);
}

/* The stated day, but no later than the last day on which all allows count. */
static struct str last_day(const struct ir *ir, const struct bundle_options *opt)
{
	struct str stated = opt->expires.n ? opt->expires : ir->expires;

	if (!ir->until.n || (stated.n && str_cmp(stated, ir->until) < 0))
		return stated;
	return ir->until;
}

void bundle_manifest(struct buf *out, const struct ir *ir,
		     const struct bundle_plan *plan, const struct bundle_options *opt)
{
	uint64_t serial = opt->serial ? opt->serial : ir->serial;

	buf_printf(out, "{\n  \"format\": %u", PB_FORMAT_VERSION);
	key(out, "name");
	string(out, ir->name);
	key(out, "serial");
	buf_printf(out, "%llu", (unsigned long long)serial);
	optional(out, "previous", opt->previous);
	created(out, opt->created);
	optional(out, "not_before", opt->not_before);
	optional(out, "not_after", last_day(ir, opt));
	key(out, "compiler");
	string(out, str_from(opt->version));
	key(out, "features");
	for (size_t i = 0; i < plan->features.n; i++) {
		next_item(out, i);
		string(out, plan->features.v[i]);
	}
	end_list(out, plan->features.n);
	nft(out, &opt->nft);
	sources(out, plan);
	key(out, "keys");
	if (opt->signatures)
		buf_printf(out, "{\"threshold\": %u}", opt->signatures);
	else
		buf_z(out, "null");
	key(out, "parent");
	buf_z(out, "null");
	members(out, plan);
	key(out, "changes");
	buf_z(out, "null\n}\n");
}
