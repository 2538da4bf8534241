/* libpol: bundles, their rules, and contexts. Decides how structs of other versions are
 * read and filled; pol_decide.c makes the decisions. */
#include "runtime/libpol/pol.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/git_common.h"
#include "runtime/base/io.h"
#include "runtime/base/place.h"
#include "runtime/bundle/verified.h"
#include "runtime/decide/rule_text.h"
#include "runtime/libpol/pol_own.h"

/* No struct that we take or fill is as large. */
#define MAX_STRUCT 65536

const char *pol_version(void)
{
	return POL_VERSION;
}

/* --- structs of other versions ---------------------------------------------------- */

static size_t said_size(const void *p)
{
	size_t n;

	memcpy(&n, p, sizeof(n));
	return n;
}

int pol_take(void *own, size_t own_size, const void *from, struct rt_err *err)
{
	size_t n = said_size(from), i;

	if (n < sizeof(n) || n > MAX_STRUCT)
		return rt_fail(err, EINVAL, "'size' is not that of the struct");
	for (i = own_size; i < n; i++)
		if (((const uint8_t *)from)[i])
			return rt_fail(err, E2BIG,
				       "a field is set that this version does not know");
	memset(own, 0, own_size);
	memcpy(own, from, n < own_size ? n : own_size);
	return 0;
}

void pol_give(void *ret, const void *own, size_t own_size)
{
	size_t n = said_size(ret), have = n < own_size ? n : own_size;

	if (n < sizeof(n) || n > MAX_STRUCT)
		return;
	memset(ret, 0, n);
	memcpy(ret, own, have);
	memcpy(ret, &n, sizeof(n));
}

int pol_fail(struct pol_error *err, int r, const struct rt_err *why)
{
	struct pol_error own = { .code = -r };

	if (!err)
		return r;
	io_plain(own.text, sizeof(own.text), why->text[0] ? why->text : strerror(-r));
	pol_give(err, &own, sizeof(own));
	return r;
}

/* --- bundles ------------------------------------------------------------------------ */

static int open_bundle(struct verified_options *o, const struct pol_options *opt,
		       struct pol_bundle **ret, struct rt_err *err)
{
	struct pol_options own = { 0 };
	struct pol_bundle *p = NULL;
	int r = opt ? pol_take(&own, sizeof(own), opt, err) : 0;

	if (r == 0) {
		p = calloc(1, sizeof(*p));
		if (p)
			p->b = calloc(1, sizeof(*p->b));
		if (!p || !p->b)
			r = rt_fail(err, ENOMEM, "out of memory");
	}
	if (r < 0) {
		free(o->bytes);
		free(p);
		return r;
	}
	o->signers = own.allowed_signers;
	o->home = own.home;
	o->now = own.now;
	o->require = own.require_signed != 0;
	/* takes over the bytes and verifies the filter now, so that nothing is left to do
	 * when several threads ask */
	r = verified_open(o, p->b, &p->trust, err);
	if (r < 0) {
		pol_close(p);
		return r;
	}
	*ret = p;
	return 0;
}

int pol_open(const char *path, const struct pol_options *opt, struct pol_bundle **ret,
	     struct pol_error *err)
{
	struct verified_options o = { .path = path };
	struct rt_err why = { 0 };
	int r = path ? open_bundle(&o, opt, ret, &why) : rt_fail(&why, EINVAL, "no path");

	return r < 0 ? pol_fail(err, r, &why) : 0;
}

int pol_open_bytes(const void *bytes, size_t n, const struct pol_options *opt,
		   struct pol_bundle **ret, struct pol_error *err)
{
	struct verified_options o = { .size = n };
	struct rt_err why = { 0 };
	int r;

	if (!bytes && n)
		r = rt_fail(&why, EINVAL, "no bytes");
	else if (n > PB_MAX_BUNDLE)
		r = rt_fail(&why, EFBIG, "a bundle of more than %u MiB",
			    (unsigned)(PB_MAX_BUNDLE >> 20));
	else if (!(o.bytes = malloc(n + 1)))
		r = rt_fail(&why, ENOMEM, "out of memory");
	else {
		if (n)
			memcpy(o.bytes, bytes, n);
		o.bytes[n] = 0;
		r = open_bundle(&o, opt, ret, &why);
	}
	return r < 0 ? pol_fail(err, r, &why) : 0;
}

void pol_close(struct pol_bundle *b)
{
	if (!b)
		return;
	if (b->b)
		bundle_release(b->b);
	free(b->b);
	free(b);
}

void pol_info(const struct pol_bundle *b, struct pol_info *ret)
{
	const struct pb_rules *rules = b->b->rules;
	struct pol_info own = { .name = b->b->name,
				.digest = b->b->digest,
				.role = pb_strp(rules, rules->role),
				.role_n = rules->role.len,
				.serial = b->b->serial,
				.nrules = rules->risk_first,
				.is_signed = b->trust.trusted };

	pol_give(ret, &own, sizeof(own));
}

int pol_settings(const struct pol_bundle *b, const char **ret, size_t *ret_n)
{
	/* its digest was verified when the bundle was opened */
	const struct bundle_member *m = bundle_member(b->b, PB_SETTINGS);

	if (!m)
		return -ENOENT;
	*ret = (const char *)m->data;
	*ret_n = m->size;
	return 0;
}

int pol_rule_get(const struct pol_bundle *b, uint32_t number, struct pol_rule *ret)
{
	const struct pb_rules *rules = b->b->rules;
	const struct pb_rule *r = bundle_rule(b->b, number);
	struct pol_rule own;

	/* the records after them are classes of risk, which have no effect */
	if (!r || number >= rules->risk_first)
		return -ENOENT;
	own = (struct pol_rule){
		.id = pb_strp(rules, r->id), .id_n = r->id.len,
		.file = pb_strp(rules, r->file), .file_n = r->file.len,
		.text = pb_strp(rules, r->text), .text_n = r->text.len,
		.reason = pb_strp(rules, r->reason), .reason_n = r->reason.len,
		.level = explain_level(r->level),
		.line = r->line,
		.effect = r->effect > PB_DENY ? POL_DENY : (int32_t)r->effect,
	};
	pol_give(ret, &own, sizeof(own));
	return 0;
}

/* --- contexts ------------------------------------------------------------------------ */

void pol_ctx_init(struct pol_ctx *c, struct bundle *b, void *block, size_t size)
{
	*c = (struct pol_ctx){ .b = b, .block = block, .size = size };
}

int pol_ctx_grow(struct pol_ctx *c, size_t n, struct rt_err *err)
{
	const struct decide_ctx ctx = { .b = c->b };
	size_t need;
	void *p;

	/* a line of n bytes needs less than 4 KiB for each of them */
	if (n > SIZE_MAX / 4096)
		return rt_fail(err, ENOMEM, "out of memory");
	need = decide_block_size(&ctx, n);
	if (c->size >= need)
		return 0;
	p = malloc(need);
	if (!p)
		return rt_fail(err, ENOMEM, "out of memory");
	free(c->block);
	c->block = p;
	c->size = need;
	c->kind = 0;
	return 0;
}

int pol_ctx_new(const struct pol_bundle *b, size_t line_max, struct pol_ctx **ret,
		struct pol_error *err)
{
	struct pol_ctx *c = malloc(sizeof(*c));
	struct rt_err why = { 0 };
	int r;

	if (!c)
		return pol_fail(err, rt_fail(&why, ENOMEM, "out of memory"), &why);
	pol_ctx_init(c, b->b, NULL, 0);
	r = pol_ctx_grow(c, line_max, &why);
	if (r < 0) {
		free(c);
		return pol_fail(err, r, &why);
	}
	*ret = c;
	return 0;
}

int pol_ctx_reserve(struct pol_ctx *c, size_t line_max, struct pol_error *err)
{
	struct rt_err why = { 0 };
	int r = pol_ctx_grow(c, line_max, &why);

	return r < 0 ? pol_fail(err, r, &why) : 0;
}

void pol_ctx_free(struct pol_ctx *c)
{
	if (!c)
		return;
	free(c->block);
	free(c);
}

/* --- where ----------------------------------------------------------------------------- */

int pol_physical(const char *path, char ret[POL_PATH_MAX])
{
	return place_is_plain(path) ? place_physical(path, ret) : -EINVAL;
}

int pol_project(const char *cwd, const char *home, char ret[POL_PATH_MAX])
{
	char *found;
	int r = 0;

	if (!place_is_plain(cwd) || !place_is_plain(home))
		return -EINVAL;
	errno = 0;
	found = place_project(cwd, home);
	if (!found)
		return errno ? -errno : -ENOENT;
	if ((size_t)snprintf(ret, POL_PATH_MAX, "%s", found) >= POL_PATH_MAX)
		r = -ENAMETOOLONG;
	free(found);
	return r;
}

int pol_git_common_dir(const char *project, const char *home, char ret[POL_PATH_MAX])
{
	if (!place_is_plain(project) || !place_is_plain(home))
		return -EINVAL;
	return git_common_find(project, home, getuid(), ret);
}
