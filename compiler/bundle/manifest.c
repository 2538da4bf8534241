/*
 * Writes manifest.json.  It has one layout and one order of keys, so that equal input
 * gives equal bytes and the reader needs no JSON library.  Keys for later versions are
 * there with the value null.
 */
#include "compiler/bundle/manifest.h"

#include <sodium.h>
#include <time.h>

#include "compiler/base/json_buf.h"
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

/* A text, or null if it is empty. */
static void optional(struct json *j, const char *key, struct str text)
{
	if (text.n)
		json_buf_str(j, key, text);
	else
		json_null(j, key);
}

/* An object on one line. */
static void begin(struct json *j, const char *key)
{
	json_object(j, key);
	j->layout = JSON_SPACED;
}

static void end(struct json *j)
{
	json_object_end(j);
	j->layout = JSON_INDENTED;
}

static void created(struct json *j, int64_t at)
{
	char text[64] = "";
	struct tm tm;
	time_t t = (time_t)at;

	if (at >= 0 && gmtime_r(&t, &tm))
		(void)snprintf(text, sizeof(text), "%04d-%02d-%02dT%02d:%02d:%02dZ",
			       tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour,
			       tm.tm_min, tm.tm_sec);
	optional(j, "created", str_from(text));
}

/* The version of libnftables that made nft.batch; null without a ruleset. */
static void nft(struct json *j, const struct bk_nft *n)
{
	if (!n->limited) {
		json_null(j, "nft");
		return;
	}
	begin(j, "nft");
	optional(j, "libnftables", n->version);
	json_bool(j, "batch", n->batch);
	end(j);
}

static void size_and_digest(struct json *j, struct arena *a, struct str bytes)
{
	json_uint(j, "size", bytes.n);
	json_buf_str(j, "blake2b", bundle_digest(a, bytes));
}

static void sources(struct json *j, struct arena *a, const struct bundle_plan *plan)
{
	json_array(j, "sources");
	for (size_t i = 0; i < plan->sources.n; i++) {
		const struct bundle_source *s = &plan->sources.v[i];

		begin(j, NULL);
		json_cstr(j, "level", ir_level_name(s->level));
		json_bool(j, "narrow", s->narrow);
		json_buf_str(j, "name", s->name);
		optional(j, "path", s->path);
		size_and_digest(j, a, s->text);
		end(j);
	}
	json_array_end(j);
}

static void members(struct json *j, struct arena *a, const struct bundle_plan *plan)
{
	json_array(j, "members");
	for (size_t i = 0; i < plan->members.n; i++) {
		begin(j, NULL);
		json_buf_str(j, "path", plan->members.v[i].path);
		size_and_digest(j, a, plan->members.v[i].bytes);
		end(j);
	}
	json_array_end(j);
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
	struct json j;

	json_buf_init(&j, out);
	j.layout = JSON_INDENTED;
	j.text = JSON_BYTES;
	json_object(&j, NULL);
	json_uint(&j, "format", PB_BUNDLE_FORMAT);
	json_buf_str(&j, "name", ir->name);
	json_uint(&j, "serial", opt->serial ? opt->serial : ir->serial);
	optional(&j, "previous", opt->previous);
	created(&j, opt->created);
	optional(&j, "not_before", opt->not_before);
	optional(&j, "not_after", last_day(ir, opt));
	json_cstr(&j, "compiler", opt->version);
	json_array(&j, "features");
	for (size_t i = 0; i < plan->features.n; i++)
		json_buf_str(&j, NULL, plan->features.v[i]);
	json_array_end(&j);
	nft(&j, &opt->nft);
	sources(&j, out->a, plan);
	if (opt->signatures) {
		begin(&j, "keys");
		json_uint(&j, "threshold", opt->signatures);
		end(&j);
	} else {
		json_null(&j, "keys");
	}
	json_null(&j, "parent");
	members(&j, out->a, plan);
	if (opt->changes.n)
		json_raw(&j, "changes", opt->changes.p, opt->changes.n);
	else
		json_null(&j, "changes");
	json_object_end(&j);
	buf_ch(out, '\n');
}
