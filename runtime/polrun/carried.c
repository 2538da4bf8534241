/* Says which parts of the bundle polrun does not act on: secrets by name, the rest in
 * one line.  Also checks that the bundle belongs to the chosen role. */
#include "runtime/polrun/carried.h"

#include <errno.h>
#include <string.h>

#include "runtime/base/io.h"
#include "runtime/bundle/format.h"

#define MAX_SECRETS 8u

int carried_check_role(const struct bundle *b, const char *role, struct rt_err *err)
{
	struct pb_str has = b->rules->role;
	const char *name = pb_strp(b->rules, has);
	char want[80], is[80];

	if (!role || (strlen(role) == has.len && memcmp(role, name, has.len) == 0))
		return 0;
	io_escape(want, sizeof(want), role, strlen(role));
	io_escape(is, sizeof(is), name, has.len);
	if (!has.len)
		return rt_fail(err, EINVAL,
			       "--role '%s': the bundle was compiled for no role (polc "
			       "compile --role %s)", want, want);
	return rt_fail(err, EINVAL,
		       "--role '%s': the bundle was compiled for the role '%s'", want, is);
}

static const struct pb_env_entry *entry_at(const struct pb_env *env, uint32_t i)
{
	return pb_at(env, env->entries, sizeof(struct pb_env_entry), i);
}

bool carried_is_secret(const struct pb_env *env, const char *name, size_t len)
{
	for (uint32_t i = 0; env && i < env->entries.count; i++) {
		const struct pb_env_entry *e = entry_at(env, i);

		if (e->set == 2 && e->name.len == len &&
		    memcmp(pb_strp(env, e->name), name, len) == 0)
			return true;
	}
	return false;
}

/* The gateway uses it, for a proxy or for a header, and the command is not to have it. */
static bool is_the_gateways(const struct bundle *b, const struct pb_env_entry *entry)
{
	const struct pb_egress *e = b->egress;

	for (uint32_t i = 0; e && i < e->grants.count; i++) {
		const struct pb_grant *g = pb_at(e, e->grants, sizeof(*g), i);
		const struct pb_str used[] = { g->secret, g->via_secret };

		for (size_t k = 0; k < sizeof(used) / sizeof(*used); k++)
			if (used[k].len && used[k].len == entry->name.len &&
			    memcmp(pb_strp(e, used[k]), pb_strp(b->env, entry->name),
				   used[k].len) == 0)
				return true;
	}
	return false;
}

bool carried_secret(const struct bundle *b, uint32_t *at, char *ret, size_t cap)
{
	for (; b->env && *at < b->env->entries.count; ++*at) {
		const struct pb_env_entry *e = entry_at(b->env, *at);
		char name[80], from[160];

		if (e->set != 2 || is_the_gateways(b, e))
			continue;
		io_escape(name, sizeof(name), pb_strp(b->env, e->name), e->name.len);
		io_escape(from, sizeof(from), pb_strp(b->env, e->value), e->value.len);
		(void)snprintf(ret, cap, "the secret %s (from %s) is not given by this version: "
			       "the variable is not set", name, from);
		++*at;
		return true;
	}
	return false;
}

void carried_secrets(FILE *out, const char *head, const struct bundle *b)
{
	char line[CARRIED_LINE];
	unsigned n = 0;

	for (uint32_t i = 0; carried_secret(b, &i, line, sizeof(line));)
		if (++n <= MAX_SECRETS)
			fprintf(out, "%s%s\n", head, line);
	if (n > MAX_SECRETS)
		fprintf(out, "%s%u more secrets are not given\n", head, n - MAX_SECRETS);
}

bool carried_values(const struct bundle *b, char *ret, size_t cap)
{
	uint32_t n = b->rules->carried;

	if (n)
		(void)snprintf(ret, cap, "%u value%s of the policy (runner, session, audit, "
			       "alert, tool or setting) %s carried, not acted on: polc check "
			       "names them", n, n == 1 ? "" : "s", n == 1 ? "is" : "are");
	return n;
}
