/* Checks mounts.bin, landlock.bin, limits.bin, env.bin and publish.bin: the plan of a run. */
#include <string.h>

#include "runtime/bundle/check.h"

#define MAX_ANCHORS PB_MAX_RULES
#define MAX_ABIS 64u

/* --- mounts.bin ---------------------------------------- */

/* "" or "/name/name": the rest of a path under its root. */
static bool rest_ok(const char *p, size_t n)
{
	size_t start = 1;

	if (n == 0)
		return true;
	if (p[0] != '/')
		return false;
	for (size_t i = 1; i <= n; i++) {
		if (i < n && p[i] != '/')
			continue;
		if (i == start || (i == start + 1 && p[start] == '.') ||
		    (i == start + 2 && p[start] == '.' && p[start + 1] == '.'))
			return false;
		start = i + 1;
	}
	return true;
}

static int check_anchor(struct check *c, const struct pb_anchor *a, uint32_t nrules)
{
	if (a->kind > PB_A_ANY || a->root >= PB_ROOT_COUNT ||
	    a->effect >= PB_EFFECT_COUNT)
		return check_bad(c, "an anchor has an unknown kind, root or effect");
	if (a->flags & ~(PB_AF_BELOW | PB_AF_SCRATCH | PB_AF_FLOOR | PB_AF_SOCKET))
		return check_bad(c, "an anchor has an unknown flag");
	if ((a->flags & PB_AF_SOCKET) &&
	    (a->flags != PB_AF_SOCKET || a->kind != PB_A_PATH || a->ops != 0))
		return check_bad(c, "an anchor of a socket says more than a name");
	if (!(a->flags & PB_AF_SOCKET) &&
	    (a->ops == 0 || (a->ops & ~(PB_READ | PB_WRITE | PB_EXEC))))
		return check_bad(c, "an anchor has an unknown operation");
	if (a->zero[0] || a->zero[1] || a->zero[2] || a->zero2)
		return check_bad(c, "an anchor has bytes that must be zero");
	if (a->rule >= nrules)
		return check_bad(c, "an anchor names no rule");
	CHECK_TRY(check_string(c, a->path, "an anchor's path"));
	if (!rest_ok((const char *)c->data + a->path.off, a->path.len) ||
	    (a->kind == PB_A_ANY && a->path.len != 0))
		return check_bad(c, "an anchor's path is not resolved");
	return 0;
}

static bool is_below(const struct check *c, struct pb_str path, struct pb_str top)
{
	const char *p = (const char *)c->data + path.off;
	const char *t = (const char *)c->data + top.off;

	return path.len >= top.len && !memcmp(p, t, top.len) &&
	       (path.len == top.len || p[top.len] == '/');
}

static int check_mount(struct check *c, const struct pb_mount *v, uint32_t i,
		       uint32_t nrules)
{
	const struct pb_mount *m = v + i;

	if (m->root >= PB_ROOT_COUNT || m->rule >= nrules)
		return check_bad(c, "a mount has an unknown root or rule");
	if (m->zero[0] || m->zero[1] || m->zero[2])
		return check_bad(c, "a mount has bytes that must be zero");
	CHECK_TRY(check_string(c, m->path, "a mount's tree"));
	CHECK_TRY(check_string(c, m->place, "a mount's place"));
	if (!rest_ok((const char *)c->data + m->path.off, m->path.len) ||
	    (m->root == PB_ROOT_FS && m->path.len == 0) ||
	    !rest_ok((const char *)c->data + m->place.off, m->place.len) ||
	    m->place.len == 0 || m->place.len >= PB_MAX_PLACE)
		return check_bad(c, "a mount's tree or place is not resolved");
	for (uint32_t k = 0; k < i; k++)
		if (is_below(c, m->place, v[k].place) || is_below(c, v[k].place, m->place))
			return check_bad(c, "a mount lies in another");
	return 0;
}

int bundle_check_mounts(const void *data, size_t size, uint32_t nrules,
			struct rt_err *err)
{
	struct check c = { .data = data, .size = size, .member = PB_MOUNTS, .err = err };
	const struct pb_mounts *h = data;
	const struct pb_anchor *v;
	const struct pb_mount *m;

	CHECK_TRY(check_head(&c, PB_MAGIC_MOUNTS, sizeof(*h)));
	CHECK_TRY(check_table(&c, h->anchors, sizeof(*v), MAX_ANCHORS, "anchors"));
	if (h->zero || h->disk_rule >= nrules)
		return check_bad(&c, "the disk limit names no rule");
	v = (const void *)(c.data + h->anchors.off);
	for (uint32_t i = 0; i < h->anchors.count; i++)
		CHECK_TRY(check_anchor(&c, v + i, nrules));
	CHECK_TRY(check_table(&c, h->mounts, sizeof(*m), PB_MAX_MOUNTS, "mounts"));
	m = (const void *)(c.data + h->mounts.off);
	for (uint32_t i = 0; i < h->mounts.count; i++)
		CHECK_TRY(check_mount(&c, m, i, nrules));
	return 0;
}

/* --- landlock.bin ---------------------------------------- */

/* A rule whose anchor is a file takes only these rights. */
#define FILE_RIGHTS ((uint64_t)(1u << 0 | 1u << 1 | 1u << 2 | 1u << 14 | 1u << 15))

static int check_abi(const struct check *c, const struct pb_landlock_abi *a)
{
	uint64_t dir = a->read_dir | a->write_dir | a->exec_dir;
	uint64_t file = a->read_file | a->write_file | a->exec_file;

	if (a->zero)
		return check_bad(c, "an ABI has bytes that must be zero");
	/* The kernel refuses rights that are not handled; refuse them early. */
	if (a->handled_fs == 0 || (dir & ~a->handled_fs) || (file & ~a->handled_fs))
		return check_bad(c, "ABI %u grants rights that it does not handle",
				 a->abi);
	if (file & ~FILE_RIGHTS)
		return check_bad(c, "ABI %u grants a file what only directories have",
				 a->abi);
	if (!a->read_dir || !a->write_dir || !a->exec_dir || !a->read_file ||
	    !a->write_file || !a->exec_file)
		return check_bad(c, "ABI %u has an operation without rights", a->abi);
	return 0;
}

int bundle_check_landlock(const void *data, size_t size, struct rt_err *err)
{
	struct check c = { .data = data, .size = size, .member = PB_LANDLOCK, .err = err };
	const struct pb_landlock *h = data;
	const struct pb_landlock_abi *v;

	CHECK_TRY(check_head(&c, PB_MAGIC_LANDLOCK, sizeof(*h)));
	CHECK_TRY(check_table(&c, h->abis, sizeof(*v), MAX_ABIS, "ABI versions"));
	v = (const void *)(c.data + h->abis.off);
	if (h->abis.count == 0 || v[0].abi != 1)
		return check_bad(&c, "ABI 1 is missing");
	for (uint32_t i = 0; i < h->abis.count; i++) {
		if (i > 0 && v[i].abi <= v[i - 1].abi)
			return check_bad(&c, "the ABI versions do not ascend");
		CHECK_TRY(check_abi(&c, v + i));
	}
	return 0;
}

/* --- limits.bin ---------------------------------------- */

int bundle_check_limits(const void *data, size_t size, uint32_t nrules,
			struct rt_err *err)
{
	struct check c = { .data = data, .size = size, .member = PB_LIMITS, .err = err };
	const struct pb_limits *h = data;
	const struct pb_limit *v;

	CHECK_TRY(check_head(&c, PB_MAGIC_LIMITS, sizeof(*h)));
	CHECK_TRY(check_table(&c, h->limits, sizeof(*v), PB_L_COUNT, "limits"));
	v = (const void *)(c.data + h->limits.off);
	for (uint32_t i = 0; i < h->limits.count; i++) {
		if (v[i].kind >= PB_L_COUNT || v[i].rule >= nrules)
			return check_bad(&c, "a limit has an unknown kind or rule");
		if (i > 0 && v[i].kind <= v[i - 1].kind)
			return check_bad(&c, "the limits are repeated or not sorted");
	}
	return 0;
}

/* --- env.bin ---------------------------------------- */

static int check_entry(struct check *c, const struct pb_env_entry *e, uint32_t nrules)
{
	const char *name = (const char *)c->data + e->name.off;
	size_t n = e->name.len;

	if (e->set > 2 || (e->rule >= nrules && e->rule != UINT32_MAX))
		return check_bad(c, "a variable has an unknown kind or rule");
	CHECK_TRY(check_string(c, e->name, "a variable's name"));
	CHECK_TRY(check_string(c, e->value, "a variable's value"));
	if (n == 0 || memchr(name, '=', n))
		return check_bad(c, "a variable has no valid name");
	/* A star means "and whatever follows"; it may only end the name of a kept
	 * variable. */
	if (memchr(name, '*', e->set ? n : n - 1))
		return check_bad(c, "a variable's name has a star where none may be");
	if (!e->set && e->value.len != 0)
		return check_bad(c, "a variable that is kept has a value");
	return 0;
}

int bundle_check_env(const void *data, size_t size, uint32_t nrules, struct rt_err *err)
{
	struct check c = { .data = data, .size = size, .member = PB_ENV, .err = err };
	const struct pb_env *h = data;
	const struct pb_env_entry *v;

	CHECK_TRY(check_head(&c, PB_MAGIC_ENV, sizeof(*h)));
	CHECK_TRY(check_table(&c, h->entries, sizeof(*v), CHECK_MAX_ENV, "variables"));
	v = (const void *)(c.data + h->entries.off);
	for (uint32_t i = 0; i < h->entries.count; i++) {
		CHECK_TRY(check_entry(&c, v + i, nrules));
		if (i > 0 && v[i].set < v[i - 1].set)
			return check_bad(
				&c, "a variable that is kept follows one that is set");
	}
	return 0;
}

/* --- publish.bin ------------------------------------ */

int bundle_check_publish(const void *data, size_t size, struct rt_err *err)
{
	struct check c = { .data = data, .size = size, .member = PB_PUBLISH, .err = err };
	const struct pb_publish *h = data;
	const struct pb_publish_entry *v;

	CHECK_TRY(check_head(&c, PB_MAGIC_PUBLISH, sizeof(*h)));
	CHECK_TRY(check_table(&c, h->entries, sizeof(*v), CHECK_MAX_PUBLISH, "ranges of ports"));
	v = (const void *)(c.data + h->entries.off);
	for (uint32_t i = 0; i < h->entries.count; i++) {
		CHECK_TRY(check_string(&c, v[i].text, "a statement"));
		CHECK_TRY(check_string(&c, v[i].file, "a statement's file"));
		if (!v[i].lo || v[i].lo > v[i].hi || v[i].deny > 1)
			return check_bad(&c, "a range of ports is none");
	}
	return 0;
}
