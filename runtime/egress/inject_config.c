/* Reads and checks polinject's part of the policy (inject_config.h). */
#include "runtime/egress/inject_config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "runtime/bundle/check.h"
#include "runtime/decide/egress.h"
#include "runtime/egress/inject.h"

#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)
#define MOST ((size_t)256 * 1024 * 1024)

static size_t padded(size_t n)
{
	return (n + 7) & ~(size_t)7;
}

static bool is_value(const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i] < ' ' || p[i] >= 0x7f)
			return false;
	return n > 0 && p[0] != ' ' && p[n - 1] != ' ';
}

static bool is_header(const struct pb_egress *e, const struct pb_grant *g)
{
	const char *name = pb_strp(e, g->header), *prefix = pb_strp(e, g->prefix);

	for (uint32_t i = 0; i < g->header.len; i++)
		if (!http_is_token((uint8_t)name[i]))
			return false;
	for (uint32_t i = 0; i < g->prefix.len; i++)
		if (prefix[i] < ' ' || prefix[i] >= 0x7f)
			return false;
	/* with the Host line this must stay below what a head grows by */
	return g->header.len <= 256 && g->prefix.len <= 1024;
}

static int read_secrets(struct inject_config *c, const uint8_t *p, size_t n,
			uint32_t count, struct rt_err *err)
{
	const struct pb_egress *e = c->egress;

	for (uint32_t i = 0; i < count; i++) {
		const struct gate_secret *s = (const void *)p;
		const struct pb_grant *g;

		if (n < sizeof(*s) || s->size > n - sizeof(*s) ||
		    s->grant >= e->grants.count)
			return rt_fail(err, EBADMSG, "the secrets are cut short");
		g = pb_at(e, e->grants, sizeof(*g), s->grant);
		if (g->header.len == 0 || c->secrets[s->grant])
			return rt_fail(err, EBADMSG, "a secret that no rule injects");
		if (s->size > INJECT_SECRET_MAX ||
		    !is_value((const char *)(s + 1), s->size))
			return rt_fail(err, EBADMSG,
				       "the secret '%.*s' is no line of printable "
				       "ASCII of at most %d bytes",
				       (int)g->secret.len, pb_strp(e, g->secret),
				       INJECT_SECRET_MAX);
		c->secrets[s->grant] = s;
		if (padded(sizeof(*s) + s->size) > n)
			return rt_fail(err, EBADMSG, "the secrets are cut short");
		p += padded(sizeof(*s) + s->size);
		n -= padded(sizeof(*s) + s->size);
	}
	return n == 0 ? 0 : rt_fail(err, EBADMSG, "bytes behind the secrets");
}

static int check_grants(const struct inject_config *c, struct rt_err *err)
{
	const struct pb_egress *e = c->egress;

	for (uint32_t i = 0; i < e->grants.count; i++) {
		const struct pb_grant *g = pb_at(e, e->grants, sizeof(*g), i);

		if (g->header.len && !c->secrets[i])
			return rt_fail(err, EBADMSG, "the secret '%.*s' is missing",
				       (int)g->secret.len, pb_strp(e, g->secret));
		if (g->header.len && !is_header(e, g))
			return rt_fail(err, EBADMSG, "a header that is none");
	}
	return 0;
}

int inject_config_read(struct inject_config *ret, int fd, struct rt_err *err)
{
	const struct gate_config *g;
	const uint8_t *p;
	struct stat st;
	size_t size, at;
	int seals = fcntl(fd, F_GET_SEALS), r;

	if (seals < 0 || (seals & SEALS) != SEALS)
		return rt_fail(err, EPERM, "the configuration is not sealed");
	if (fstat(fd, &st) < 0 || st.st_size < (off_t)sizeof(*g) ||
	    (size_t)st.st_size > MOST)
		return rt_fail(err, EBADMSG, "the configuration's size");
	size = (size_t)st.st_size;
	p = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED)
		return rt_fail_errno(err, errno, "the configuration");
	g = (const void *)p;
	if (g->magic != GATE_MAGIC || g->size != sizeof(*g) ||
	    g->egress_size > size - sizeof(*g) || g->secret_count > g->egress_size)
		return rt_fail(err, EBADMSG, "the configuration is another version's");
	r = bundle_check_egress(p + sizeof(*g), g->egress_size, g->rule_count, err);
	if (r < 0)
		return r;
	ret->egress = (const void *)(p + sizeof(*g));
	ret->rule_count = g->rule_count;
	ret->secrets = calloc(ret->egress->grants.count, sizeof(*ret->secrets));
	if (!ret->secrets)
		return rt_fail_errno(err, ENOMEM, "the secrets");
	at = sizeof(*g) + padded(g->egress_size);
	if (at > size)
		at = size; /* no secret, and no padding before it */
	r = read_secrets(ret, p + at, size - at, g->secret_count, err);
	return r < 0 ? r : check_grants(ret, err);
}

bool inject_config_find(const struct inject_config *c, const char *name,
			struct inject_header *ret)
{
	const struct pb_egress *e = c->egress;
	const struct pb_host *host = egress_host(e, name, strlen(name));
	const struct pb_piece *piece;
	const struct pb_grant *g;
	const struct gate_secret *s;

	/* a secret is for hosts that the policy names one by one */
	if (!host || host->below)
		return false;
	piece = egress_name(e, host->class_, false, INJECT_PORT);
	if (piece->effect == PB_DENY || piece->grant >= e->grants.count)
		return false;
	g = egress_grant(e, piece);
	s = c->secrets[piece->grant];
	if (g->header.len == 0 || !s)
		return false;
	*ret = (struct inject_header){ pb_strp(e, g->header), pb_strp(e, g->prefix),
				       (const char *)(s + 1), g->header.len,
				       g->prefix.len,         s->size };
	return true;
}
