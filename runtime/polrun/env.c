/* Builds the command's environment from env.bin: the `keep` names pass and the `set`
 * values are added; HOME, PWD, TMPDIR and the user's name get the values that hold
 * inside.  All other variables are dropped. */
#include "runtime/polrun/env.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/io.h"
#include "runtime/polrun/carried.h"

static const char *const risky[] = {
	/* read by loaders and libc */
	"LD_*", "GLIBC_TUNABLES", "GCONV_PATH", "GETCONF_DIR", "HOSTALIASES",
	"LOCALDOMAIN", "LOCPATH", "MALLOC_TRACE", "NIS_PATH", "NLSPATH",
	"RESOLV_HOST_CONF", "RES_OPTIONS",
	/* what shells and interpreters run before anything else */
	"BASH_ENV", "ENV", "BASH_FUNC_*", "SHELLOPTS", "BASHOPTS", "PS4",
	"PROMPT_COMMAND", "PERL5LIB", "PERL5OPT", "PERL5DB", "PYTHONPATH",
	"PYTHONHOME", "PYTHONSTARTUP", "PYTHONINSPECT", "RUBYOPT", "RUBYLIB",
	"NODE_OPTIONS", "NODE_PATH", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS",
	/* java(1), "Using the JDK_JAVA_OPTIONS launcher environment variable" */
	"JDK_JAVA_OPTIONS",
	/* lua(1): code; Lua 5.4's reference manual 6.3: where require() looks for modules */
	"LUA_INIT*", "LUA_PATH*", "LUA_CPATH*",
	/* .NET: docs/design/features/host-startup-hook.md of its runtime, and "Set up a profiling
	 * environment" */
	"DOTNET_STARTUP_HOOKS", "DOTNET_ADDITIONAL_DEPS", "CORECLR_*", "COR_*",
	/* php(1), "Directives": the configuration may name a file that is run first */
	"PHPRC", "PHP_INI_SCAN_DIR",
	/* the manual of Julia, "Environment Variables"; R's Startup(Rd) */
	"JULIA_LOAD_PATH", "JULIA_DEPOT_PATH", "R_PROFILE*", "R_ENVIRON*",
	/* zsh(1), "Startup/shutdown files"; erl(1), "Environment variables" */
	"ZDOTDIR", "ERL_FLAGS", "ERL_AFLAGS", "ERL_ZFLAGS", "ERL_LIBS",
	/* programs that others start by themselves: git(1), less(1) "Input preprocessor", cargo's
	 * "Environment Variables" */
	"GIT_SSH", "GIT_SSH_COMMAND", "GIT_EXTERNAL_DIFF", "GIT_EXEC_PATH",
	"GIT_PROXY_COMMAND", "GIT_ASKPASS", "GIT_TEMPLATE_DIR", "LESSOPEN", "LESSCLOSE",
	"RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER",
	/* libraries that load modules: openssl-env(7) */
	"OPENSSL_CONF", "OPENSSL_MODULES", "OPENSSL_ENGINES",
	/* proxy settings */
	"http_proxy", "https_proxy", "ftp_proxy", "all_proxy", "no_proxy",
	"HTTP_PROXY", "HTTPS_PROXY", "FTP_PROXY", "ALL_PROXY", "NO_PROXY",
	/* access to the caller's session */
	"SSH_AUTH_SOCK", "SSH_AGENT_PID", "GPG_AGENT_INFO", "DBUS_SESSION_BUS_ADDRESS",
};

static bool name_matches(const char *pattern, size_t plen, const char *name, size_t len)
{
	if (plen && pattern[plen - 1] == '*')
		return len >= plen - 1 && memcmp(pattern, name, plen - 1) == 0;
	return plen == len && memcmp(pattern, name, len) == 0;
}

bool env_is_risky(const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof(risky) / sizeof(risky[0]); i++)
		if (name_matches(risky[i], strlen(risky[i]), name, len))
			return true;
	return false;
}

static bool is_kept(const struct pb_env *env, const char *name, size_t len)
{
	if (carried_is_secret(env, name, len))
		return false;
	for (uint32_t i = 0; env && i < env->entries.count; i++) {
		const struct pb_env_entry *e =
			pb_at(env, env->entries, sizeof(*e), i);
		const char *p = pb_strp(env, e->name);
		bool wild = e->name.len && p[e->name.len - 1] == '*';

		if (!e->set && name_matches(p, e->name.len, name, len) &&
		    !(wild && env_is_risky(name, len)))
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
