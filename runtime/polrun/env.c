/* Builds the command's environment from env.bin: the `keep` names pass and the `set`
 * values are added; HOME, PWD, TMPDIR and the user's name get the values that hold
 * inside.  All other variables are dropped. */
#include "runtime/polrun/env.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/env_name.h"
#include "runtime/base/io.h"
#include "runtime/polrun/carried.h"

static bool is_kept(const struct pb_env *env, const char *name, size_t len)
{
	if (carried_is_secret(env, name, len))
		return false;
	for (uint32_t i = 0; env && i < env->entries.count; i++) {
		const struct pb_env_entry *e =
			pb_at(env, env->entries, sizeof(*e), i);

		if (!e->set && env_name_kept(pb_strp(env, e->name), e->name.len, name, len))
			return true;
	}
	return false;
}

struct vec {
	char **v;
	size_t n, cap;
};

static size_t find(const struct vec *v, const char *name, size_t len)
{
	for (size_t i = 0; i < v->n; i++)
		if (strncmp(v->v[i], name, len) == 0 && v->v[i][len] == '=')
			return i;
	return SIZE_MAX;
}

/* Adds NAME=VALUE, or replaces it. */
static int put(struct vec *v, const char *name, size_t nlen, const char *value,
	       size_t vlen)
{
	size_t at = find(v, name, nlen);
	char *s = malloc(nlen + vlen + 2);

	if (!s)
		return -ENOMEM;
	memcpy(s, name, nlen);
	s[nlen] = '=';
	memcpy(s + nlen + 1, value, vlen);
	s[nlen + 1 + vlen] = '\0';
	if (at != SIZE_MAX) {
		free(v->v[at]);
		v->v[at] = s;
		return 0;
	}
	if (v->n + 2 > v->cap) {
		size_t cap = v->cap ? v->cap * 2 : 32;
		char **p = realloc(v->v, cap * sizeof(*p));

		if (!p) {
			free(s);
			return -ENOMEM;
		}
		v->v = p;
		v->cap = cap;
	}
	v->v[v->n++] = s;
	v->v[v->n] = NULL;
	return 0;
}

static int put_str(struct vec *v, const char *name, const char *value)
{
	return put(v, name, strlen(name), value, strlen(value));
}

static int keep(struct vec *v, const struct env_input *in)
{
	for (char *const *p = in->environ; p && *p; p++) {
		const char *eq = strchr(*p, '=');
		size_t len = eq ? (size_t)(eq - *p) : 0;
		int r;

		if (!len || !is_kept(in->env, *p, len) || find(v, *p, len) != SIZE_MAX)
			continue;
		r = put(v, *p, len, eq + 1, strlen(eq + 1));
		if (r < 0)
			return r;
	}
	return 0;
}

/* Variables that describe the place and the user must be right inside. */
static int tell_truth(struct vec *v, const struct env_input *in)
{
	const char *home = in->roots->dir[PB_ROOT_HOME];
	const struct {
		const char *name, *value;
		bool always; /* set it even if the caller has none */
	} facts[] = {
		{ "HOME", home, true },
		{ "PWD", in->pwd, false },
		{ "TMPDIR", "/tmp", false },
		{ "TMP", "/tmp", false },
		{ "TEMP", "/tmp", false },
		{ "USER", in->user, false },
		{ "LOGNAME", in->user, false },
		{ "SSH_AUTH_SOCK", in->roots->dir[PB_ROOT_AGENT], false },
	};

	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		size_t len = strlen(facts[i].name);
		bool has = find(v, facts[i].name, len) != SIZE_MAX;
		int r;

		if (!facts[i].value ||
		    !(has || (facts[i].always && is_kept(in->env, facts[i].name, len))))
			continue;
		r = put_str(v, facts[i].name, facts[i].value);
		if (r < 0)
			return r;
	}
	return 0;
}

static const char *root_value(const struct decide_roots *roots, const char *name,
			      size_t len)
{
	static const struct {
		const char *name;
		enum pb_root root;
	} names[] = {
		{ "HOME", PB_ROOT_HOME },
		{ "PROJECT_DIR", PB_ROOT_PROJECT },
		{ "GIT_COMMON_DIR", PB_ROOT_GIT },
		{ "SESSION_DIR", PB_ROOT_SESSION },
		{ "TMPDIR", PB_ROOT_TMP },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i].name) == len && memcmp(names[i].name, name, len) == 0)
			return roots->dir[names[i].root] ? roots->dir[names[i].root] : "";
	return NULL;
}

char *env_expand(const struct decide_roots *roots, const char *s, size_t len)
{
	size_t cap = len + 1, at = 0;
	char *out;

	for (int r = 0; r < PB_ROOT_COUNT; r++)
		if (roots->dir[r])
			cap += (len / 4 + 1) * strlen(roots->dir[r]);
	out = malloc(cap);
	for (size_t i = 0; out && i < len;) {
		const char *end = NULL, *value = NULL;

		if (s[i] == '$' && i + 1 < len && s[i + 1] == '{')
			end = memchr(s + i, '}', len - i);
		if (end)
			value = root_value(roots, s + i + 2,
					   (size_t)(end - s) - i - 2);
		if (value) {
			memcpy(out + at, value, strlen(value));
			at += strlen(value);
			i = (size_t)(end - s) + 1;
		} else {
			out[at++] = s[i++];
		}
	}
	if (out)
		out[at] = '\0';
	return out;
}

static int apply_sets(struct vec *v, const struct env_input *in)
{
	const struct pb_env *env = in->env;

	for (uint32_t i = 0; env && i < env->entries.count; i++) {
		const struct pb_env_entry *e =
			pb_at(env, env->entries, sizeof(*e), i);
		AUTO_FREE char *value = NULL;
		int r;

		if (e->set != 1)
			continue;
		value = env_expand(in->roots, pb_strp(env, e->value), e->value.len);
		if (!value)
			return -ENOMEM;
		r = put(v, pb_strp(env, e->name), e->name.len, value, strlen(value));
		if (r < 0)
			return r;
	}
	return 0;
}

int env_build(const struct env_input *in, char ***ret, struct rt_err *err)
{
	struct vec v = { 0 };
	int r;

	v.v = calloc(1, sizeof(*v.v));
	v.cap = 1;
	r = v.v ? keep(&v, in) : -ENOMEM;
	if (r == 0)
		r = tell_truth(&v, in);
	if (r == 0)
		r = apply_sets(&v, in);
	if (r < 0) {
		env_free(v.v);
		return rt_fail_errno(err, -r, "the environment");
	}
	*ret = v.v;
	return 0;
}

void env_free(char **envp)
{
	for (char **p = envp; p && *p; p++)
		free(*p);
	free(envp);
}
