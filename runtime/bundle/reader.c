/*
 * From the bytes of a bundle to checked views: the archive, the digest of the manifest,
 * the signatures over it, the manifest, its agreement with the archive, then the members
 * that every run needs. The other members are verified on request.
 */
#include "runtime/bundle/reader.h"

#include <errno.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime/base/sys.h"
#include "runtime/bundle/blocks.h"
#include "runtime/bundle/canonical.h"
#include "runtime/bundle/check.h"
#include "runtime/bundle/common.h"
#include "runtime/bundle/common_bytes.h"
#include "runtime/bundle/manifest.h"
#include "runtime/bundle/members.h"
#include "runtime/bundle/nft_batch.h"
#include "runtime/bundle/sshsig.h"
#include "runtime/bundle/tar.h"

#define FAST_FROM ((size_t)128 * 1024)

/* sodium_init() makes the library choose the best code for the processor. It takes 40 us;
 * for one MiB it saves ten times as much. */
static void digest_of(const uint8_t *data, size_t size, uint8_t out[32])
{
	if (size > FAST_FROM)
		(void)!sodium_init();
	(void)crypto_generichash(out, 32, data, size, NULL, 0);
}

/* Reads manifest.json and manifest.b2. `b2sum -l 256 -c` can check them as well. */
static int read_manifest(struct bundle *b, size_t *at, struct rt_err *err)
{
	static const char tail[] = "  " PB_MANIFEST "\n";
	struct tar_member json, sum;
	uint8_t is[32], want[32];
	int r;

	r = tar_next(b->bytes, b->size, at, &json, err);
	if (r < 0)
		return r;
	if (r == 0 || strcmp(json.path, PB_MANIFEST) != 0)
		return rt_fail(err, EBADMSG, "the first member is not " PB_MANIFEST);
	r = tar_next(b->bytes, b->size, at, &sum, err);
	if (r < 0)
		return r;
	if (r == 0 || strcmp(sum.path, PB_MANIFEST_B2) != 0)
		return rt_fail(err, EBADMSG,
			       "the second member is not " PB_MANIFEST_B2);
	if (sum.size != 64 + sizeof(tail) - 1 ||
	    memcmp(sum.data + 64, tail, sizeof(tail) - 1) != 0 ||
	    !canonical_unhex((const char *)sum.data, want))
		return rt_fail(err, EBADMSG, PB_MANIFEST_B2 " holds no digest");
	digest_of(json.data, json.size, is);
	if (memcmp(is, want, 32) != 0)
		return rt_fail(
			err, EBADMSG,
			PB_MANIFEST
			" is damaged: its digest is not the one in " PB_MANIFEST_B2);
	b->manifest = json.data;
	b->manifest_size = json.size;
	canonical_hex(is, b->digest);
	return 0;
}

static bool is_signature(const char *path)
{
	return strncmp(path, PB_SIGNATURES, strlen(PB_SIGNATURES)) == 0;
}

/* Each signature verifies and is named after its key, so no key signs twice. */
static int read_signature(struct bundle *b, const struct tar_member *t,
			  struct rt_err *err)
{
	struct bundle_signature *s = b->signatures + b->nsignatures;
	char name[SSHKEY_NAME_CAP], want[TAR_PATH_MAX + 1];
	struct rt_err why = { 0 };

	if (b->nsignatures == PB_MAX_SIGNATURES)
		return rt_fail(err, E2BIG, "it has more than %u signatures",
			       PB_MAX_SIGNATURES);
	if (sshsig_check(t->data, t->size, b->manifest, b->manifest_size, &s->key,
			 &why) < 0)
		return rt_fail(err, why.err, "signature '%s': %s", t->path, why.text);
	sshkey_name(&s->key, name);
	(void)snprintf(want, sizeof(want), PB_SIGNATURES "%s" PB_SIGNATURE_END, name);
	if (strcmp(t->path, want) != 0)
		return rt_fail(err, EBADMSG, "signature '%s' is not called by its key",
			       t->path);
	if (b->nsignatures > 0 && strcmp(s[-1].path, t->path) >= 0)
		return rt_fail(err, EBADMSG, "signature '%s' is repeated or out of order",
			       t->path);
	s->path = t->path;
	s->data = t->data;
	s->size = t->size;
	b->nsignatures++;
	return 0;
}

static int read_signatures(struct bundle *b, size_t *at, struct rt_err *err)
{
	struct tar_member t;
	size_t next = *at;
	int r = tar_next(b->bytes, b->size, &next, &t, err);

	if (r <= 0 || !is_signature(t.path))
		return r < 0 ? r : 0;
	b->signatures = calloc(PB_MAX_SIGNATURES, sizeof(*b->signatures));
	if (!b->signatures)
		return rt_fail(err, ENOMEM, "out of memory");
	while (r > 0 && is_signature(t.path)) {
		r = read_signature(b, &t, err);
		if (r < 0)
			return r;
		*at = next;
		r = tar_next(b->bytes, b->size, &next, &t, err);
	}
	return r < 0 ? r : 0;
}

/* The program's own bytes in the place of equal ones of the archive. */
static void take_common(struct bundle_member *m)
{
	if (strcmp(m->path, PB_COMMANDS) == 0 && bundle_common_is(m->size, m->b2)) {
		m->data = bundle_common.data;
		m->verified = true;
	}
}

static bool is_common(const struct bundle_member *m)
{
	return bundle_common.size && m->data == bundle_common.data;
}

/* What a run does not need, the end of the archive included, was not read: the manifest
 * says how long it is. */
static int match_idle(const struct bundle *b, const struct manifest *m, size_t at,
		      struct rt_err *err)
{
	size_t left = b->size - at;

	for (size_t i = b->nmembers; i < m->nmembers; i++) {
		const struct manifest_member *mm = m->members + i;
		size_t need = mm->size < left ? TAR_BLOCK + tar_padded(mm->size) : SIZE_MAX;

		if (!member_is_idle(mm->path, mm->path_len))
			return rt_fail(err, EBADMSG, "member '%.*s' of the manifest is missing",
				       (int)mm->path_len, mm->path);
		if (need > left)
			return rt_fail(err, EBADMSG, "member '%.*s' is cut short",
				       (int)mm->path_len, mm->path);
		left -= need;
	}
	if (left == 2 * (size_t)TAR_BLOCK)
		return 0;
	return rt_fail(err, EBADMSG, left < 2 * (size_t)TAR_BLOCK ?
		       "the archive ends in the middle of a header" :
		       "bytes follow the end of the archive");
}

static bool is_next_idle(const struct bundle *b, const struct manifest *m)
{
	const struct manifest_member *mm = m->members + b->nmembers;

	return b->run && b->nmembers < m->nmembers &&
	       member_is_idle(mm->path, mm->path_len);
}

/* The rest of the archive must be what the manifest lists, in the same order. */
static int match_members(struct bundle *b, const struct manifest *m, size_t at,
			 struct rt_err *err)
{
	struct tar_member t;
	int r;

	b->members = calloc(m->nmembers + 1, sizeof(*b->members));
	if (!b->members)
		return rt_fail(err, ENOMEM, "out of memory");
	for (;;) {
		if (is_next_idle(b, m))
			return match_idle(b, m, at, err);
		r = tar_next(b->bytes, b->size, &at, &t, err);
		if (r <= 0)
			break;
		const struct manifest_member *mm = m->members + b->nmembers;
		struct bundle_member *bm = b->members + b->nmembers;

		if (b->nmembers == m->nmembers)
			return rt_fail(err, EBADMSG,
				       "member '%s' is not in the manifest", t.path);
		if (strlen(t.path) != mm->path_len ||
		    memcmp(t.path, mm->path, mm->path_len) != 0)
			return rt_fail(
				err, EBADMSG,
				"member '%s' stands where the manifest has '%.*s'",
				t.path, (int)mm->path_len, mm->path);
		if (t.size != mm->size)
			return rt_fail(
				err, EBADMSG,
				"member '%s' has another size than in the manifest",
				t.path);
		*bm = (struct bundle_member){ .path = t.path,
					      .data = t.data,
					      .size = t.size };
		memcpy(bm->b2, mm->b2, 32);
		take_common(bm);
		b->nmembers++;
	}
	if (r == 0 && b->nmembers != m->nmembers)
		return rt_fail(err, EBADMSG, "member '%.*s' of the manifest is missing",
			       (int)m->members[b->nmembers].path_len,
			       m->members[b->nmembers].path);
	return r;
}

static struct bundle_member *find(struct bundle *b, const char *path)
{
	for (size_t i = 0; i < b->nmembers; i++) {
		if (strcmp(b->members[i].path, path) == 0)
			return &b->members[i];
	}
	return NULL;
}

static bool has_digest(const struct bundle_member *m)
{
	uint8_t is[32];

	digest_of(m->data, m->size, is);
	return memcmp(is, m->b2, 32) == 0;
}

static bool has_blocks(const struct bundle *b, const struct bundle_member *m)
{
	return b->blocks && strcmp(m->path, PB_BLOCKS) != 0 &&
	       !member_is_idle(m->path, strlen(m->path));
}

/* The blocks' digests are the manifest's as well, and take a run an eighth of the time.
 * Whoever does not run the bundle compares both. */
static int verify(const struct bundle *b, struct bundle_member *m, struct rt_err *err)
{
	bool blocks = has_blocks(b, m);

	if (m->verified)
		return 0;
	if (blocks && !blocks_match(blocks_best(), m->data, m->size, b->blocks + m->block))
		return rt_fail(err, EBADMSG, "member '%s' is damaged: the digests of its "
			       "blocks are not those of '" PB_BLOCKS "'", m->path);
	if ((!blocks || !b->run) && !has_digest(m))
		return rt_fail(
			err, EBADMSG,
			"member '%s' is damaged: its digest is not the manifest's",
			m->path);
	m->verified = true;
	return 0;
}

/* Finds a member that must be there, and verifies its digest. */
static int need(struct bundle *b, const char *path, struct bundle_member **ret,
		struct rt_err *err)
{
	*ret = find(b, path);
	if (!*ret)
		return rt_fail(err, EBADMSG, "member '%s' is missing", path);
	return verify(b, *ret, err);
}

/* blocks.b2 has one digest for each block of the members that a run may read. */
static int read_blocks(struct bundle *b, uint64_t format, struct rt_err *err)
{
	struct bundle_member *list = find(b, PB_BLOCKS);
	size_t n = 0;

	if (format < PB_BUNDLE_FORMAT)
		return !list ? 0 : rt_fail(err, EBADMSG, "member '" PB_BLOCKS "' does not "
					   "belong to the bundle's format");
	CHECK_TRY(need(b, PB_BLOCKS, &list, err));
	for (size_t i = 0; i < b->nmembers; i++) {
		struct bundle_member *m = &b->members[i];

		if (m == list || member_is_idle(m->path, strlen(m->path)))
			continue;
		m->block = n;
		n += blocks_count(m->size);
	}
	if (list->size != n * 32)
		return rt_fail(err, EBADMSG, "member '" PB_BLOCKS "' does not list the "
			       "blocks of this bundle");
	b->blocks = (const void *)list->data;
	return 0;
}

static int check_required(struct bundle *b, struct rt_err *err)
{
	for (const struct member_kind *k = member_kinds; k->path; k++) {
		if (k->required && !find(b, k->path))
			return rt_fail(err, EBADMSG,
				       "member '%s' is missing: " BUNDLE_OTHER_POLC,
				       k->path);
	}
	return 0;
}

/* The members of an enabled network must fit its mode, and what egress.bin says of it. */
static int check_network(struct bundle *b, struct rt_err *err)
{
	unsigned mode = bundle_net_mode(b);
	struct bundle_member *m;

	if (mode == PB_NET_DISABLED && find(b, PB_EGRESS))
		return rt_fail(err, EBADMSG, "member '" PB_EGRESS "' does not belong to the "
			       "network's mode");
	if (mode != PB_NET_DISABLED) {
		CHECK_TRY(need(b, PB_EGRESS, &m, err));
		CHECK_TRY(bundle_check_egress(m->data, m->size, b->rules->rules.count, err));
		b->egress = (const void *)m->data;
		if (b->egress->guard != (mode == PB_NET_LIMITED))
			return rt_fail(err, EBADMSG, "member '" PB_EGRESS "' is that of "
				       "another mode");
	}
	if (!bundle_net_gate(b) && (find(b, PB_NFT_JSON) || find(b, PB_NFT_BATCH)))
		return rt_fail(err, EBADMSG, "member '" PB_NFT_JSON "' or '" PB_NFT_BATCH
			       "' does not belong to the network's mode");
	if (bundle_net_gate(b) && !find(b, PB_NFT_JSON))
		return rt_fail(err, EBADMSG, "member '" PB_NFT_JSON "' is missing");
	return 0;
}

static int check_members(struct bundle *b, struct rt_err *err)
{
	struct bundle_member *m;
	uint32_t n;

	CHECK_TRY(check_required(b, err));
	CHECK_TRY(need(b, PB_RULES, &m, err));
	CHECK_TRY(bundle_check_rules(m->data, m->size, err));
	b->rules = (const void *)m->data;
	n = b->rules->rules.count;
	CHECK_TRY(need(b, PB_MATCHER, &m, err));
	CHECK_TRY(bundle_check_matcher(m->data, m->size, b->rules, err));
	b->matcher = (const void *)m->data;
	CHECK_TRY(need(b, PB_COMMANDS, &m, err));
	if (!is_common(m)) /* these were checked when the program was built */
		CHECK_TRY(bundle_check_commands(m->data, m->size, err));
	b->commands = (const void *)m->data;
	CHECK_TRY(check_network(b, err));
	CHECK_TRY(need(b, PB_LANDLOCK, &m, err));
	CHECK_TRY(bundle_check_landlock(m->data, m->size, err));
	b->landlock = (const void *)m->data;
	CHECK_TRY(need(b, PB_MOUNTS, &m, err));
	CHECK_TRY(bundle_check_mounts(m->data, m->size, n, err));
	b->mounts = (const void *)m->data;
	CHECK_TRY(need(b, PB_LIMITS, &m, err));
	CHECK_TRY(bundle_check_limits(m->data, m->size, n, err));
	b->limits = (const void *)m->data;
	CHECK_TRY(need(b, PB_ENV, &m, err));
	CHECK_TRY(bundle_check_env(m->data, m->size, n, err));
	b->env = (const void *)m->data;
	m = find(b, PB_PUBLISH);
	if (m) {
		CHECK_TRY(verify(b, m, err));
		CHECK_TRY(bundle_check_publish(m->data, m->size, err));
		b->publish = (const void *)m->data;
	}
	m = find(b, PB_SETTINGS);
	if (!m)
		return 0;
	CHECK_TRY(verify(b, m, err));
	return bundle_check_settings(m->data, m->size, err);
}

static int parse(struct bundle *b,
		 int (*gate)(void *ctx, const struct bundle *b, struct rt_err *err),
		 void *ctx, struct rt_err *err)
{
	struct manifest m;
	size_t at = 0;
	int r;

	if (b->size > PB_MAX_BUNDLE)
		return rt_fail(err, EFBIG, "larger than %u MiB", PB_MAX_BUNDLE >> 20);
	r = read_manifest(b, &at, err);
	if (r == 0)
		r = read_signatures(b, &at, err);
	if (r == 0 && gate)
		r = gate(ctx, b, err);
	if (r < 0)
		return r;
	r = manifest_parse(b->manifest, b->manifest_size, &m, err);
	if (r < 0)
		return r;
	memcpy(b->name, m.name, sizeof(m.name));
	memcpy(b->previous, m.previous, sizeof(m.previous));
	b->serial = m.serial;
	b->levels = m.levels;
	b->threshold = m.threshold;
	b->created = m.created;
	b->not_before = m.not_before;
	b->not_after = m.not_after;
	b->changes = m.changes;
	m.changes = NULL;
	r = match_members(b, &m, at, err);
	if (r == 0 && m.nft_batch != (find(b, PB_NFT_BATCH) != NULL))
		r = rt_fail(err, EBADMSG, PB_MANIFEST " and the members do not agree "
			    "whether there is a '" PB_NFT_BATCH "'");
	if (r == 0)
		r = read_blocks(b, m.format, err);
	manifest_release(&m);
	return r < 0 ? r : check_members(b, err);
}

int bundle_parse_gated(uint8_t *bytes, size_t size, bool run,
		       int (*gate)(void *ctx, const struct bundle *b,
				   struct rt_err *err),
		       void *ctx, struct bundle *ret, struct rt_err *err)
{
	struct bundle b = { .bytes = bytes, .size = size, .run = run };
	int r;

	_Static_assert(sizeof(b.name) == MANIFEST_MAX_NAME + 1, "names fit");
	r = parse(&b, gate, ctx, err);
	if (r < 0) {
		bundle_release(&b);
		return r;
	}
	*ret = b;
	return 0;
}

int bundle_parse(uint8_t *bytes, size_t size, struct bundle *ret, struct rt_err *err)
{
	return bundle_parse_gated(bytes, size, false, NULL, NULL, ret, err);
}

void bundle_release(struct bundle *b)
{
	free(b->members);
	free(b->signatures);
	free(b->changes);
	free(b->bytes);
	*b = (struct bundle){ .bytes = NULL };
}

int bundle_check_time(const struct bundle *b, int64_t now, struct rt_err *err)
{
	if (b->not_before != MANIFEST_NO_TIME && now < b->not_before)
		return rt_fail(err, EKEYREJECTED,
			       "the bundle is not valid yet (not_before)");
	if (b->not_after != MANIFEST_NO_TIME && now > b->not_after)
		return rt_fail(err, EKEYEXPIRED, "the bundle has expired (not_after)");
	if (b->created != MANIFEST_NO_TIME && b->created > now + 86400)
		return rt_fail(
			err, EKEYREJECTED,
			"the bundle was made in the future: is the clock right?");
	return 0;
}

const struct bundle_member *bundle_member(struct bundle *b, const char *path)
{
	struct bundle_member *m = find(b, path);

	return m && m->data && verify(b, m, NULL) == 0 ? m : NULL;
}

void bundle_forget_commands(struct bundle *b)
{
	struct bundle_member *m = find(b, PB_COMMANDS);
	const uint8_t *data = m ? m->data : NULL;

	b->commands = NULL;
	if (!data)
		return;
	/* the pages will read as zeros, which are not valid tables: nobody may get the
	 * member */
	m->data = NULL;
	sys_advise(data, m->size, MADV_DONTNEED);
}

int bundle_filter(struct bundle *b, enum pb_filter_kind kind, const void **ret_insns,
		  size_t *ret_count, const struct pb_map **ret_map, struct rt_err *err)
{
	struct bundle_member *bpf, *map;

	CHECK_TRY(need(b, member_filters[kind].bpf, &bpf, err));
	CHECK_TRY(need(b, member_filters[kind].map, &map, err));
	CHECK_TRY(bundle_check_filter(kind, bpf->data, bpf->size, map->data, map->size,
				      b->rules->rules.count, err));
	*ret_insns = bpf->data;
	*ret_count = bpf->size / 8;
	*ret_map = (const void *)map->data;
	return 0;
}

int bundle_nft(struct bundle *b, const void **ret_batch, size_t *ret_size,
	       const void **ret_json, size_t *ret_json_size, struct rt_err *err)
{
	struct bundle_member *json, *batch = NULL;

	CHECK_TRY(need(b, PB_NFT_JSON, &json, err));
	if (find(b, PB_NFT_BATCH)) {
		CHECK_TRY(need(b, PB_NFT_BATCH, &batch, err));
		CHECK_TRY(nft_batch_check(batch->data, batch->size, err));
	}
	*ret_batch = batch ? batch->data : NULL;
	*ret_size = batch ? batch->size : 0;
	*ret_json = json->data;
	*ret_json_size = json->size;
	return 0;
}
