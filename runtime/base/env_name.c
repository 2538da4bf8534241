/* Names of variables that a wildcard does not keep. */
#include "runtime/base/env_name.h"

#include <string.h>
#include <strings.h>

static const char *const loads[] = {
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

/* Anywhere in the name, in any case. */
static const char *const secret_parts[] = {
	"KEY", "TOKEN", "SECRET", "PASSW", "PASSPHRASE", "CREDENTIAL", "AUTH", "PRIVATE", "COOKIE",
	"WEBHOOK", "CONNECTION_STRING",
};
/* The same, of the caller's session. */
static const char *const session_parts[] = { "ASKPASS", "SOCK", "AGENT", "KEYRING", "XAUTH" };
/* Between underscores, or at an end of the name. */
static const char *const secret_words[] = {
	"PASS", "PWD", "PAT", "PIN", "JWT", "CRED", "CREDS", "DSN", "SAS", "IPC", "PKCS12", "BEARER",
};
/* Whole words that have one of the parts above and mean something else. */
static const char *const plain_words[] = {
	"AUTHOR", "AUTHORS", "TOKENIZER", "TOKENIZERS", "KEYBOARD", "KEYMAP", "KEYWORD", "KEYWORDS", "MONKEY",
};
/* Accounts of clouds and of services, and the caller's session. */
static const char *const secret_names[] = {
	"AWS_*", "AMAZON_*", "AZURE_*", "ARM_*", "GOOGLE_*", "GCP_*", "GCLOUD_*", "CLOUDSDK_*", "BOTO_*",
	"DIGITALOCEAN_*", "HCLOUD_*", "LINODE_*", "SCW_*", "OVH_*", "OCI_*", "IBMCLOUD_*", "ALIBABA*",
	"ALICLOUD_*", "TENCENTCLOUD_*", "OS_*", "HEROKU_*", "CLOUDFLARE_*", "CF_*", "FLY_*", "VERCEL_*",
	"NETLIFY_*", "TF_VAR_*", "PULUMI_*", "VAULT_*", "OP_*", "BW_*", "KUBE*", "KRB5*",
	"DOCKER_*", "CONTAINER_*", "BUILDKIT_*", "DBUS_*", "GNOME_*", "GPG_*", "GNUPGHOME", "SSH_*", "SUDO_*",
	"XDG_RUNTIME_DIR", "XAUTHORITY", "DISPLAY", "WAYLAND_*", "TMUX*", "STY", "VSCODE_*", "JOURNAL_STREAM",
	"NOTIFY_*", "LISTEN_*", "INVOCATION_ID", "PGSERVICE*",
};
/* Names that the parts above would take, and that everybody may see. */
static const char *const plain[] = {
	"PWD", "OLDPWD", "GIT_AUTHOR_*", "GIT_COMMITTER_*", "KEYTIMEOUT",
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static bool matches(const char *pattern, size_t plen, const char *name, size_t len)
{
	if (plen && pattern[plen - 1] == '*')
		return len >= plen - 1 && memcmp(pattern, name, plen - 1) == 0;
	return plen == len && memcmp(pattern, name, len) == 0;
}

static bool is_one_of(const char *const *v, size_t n, const char *name, size_t len)
{
	for (size_t i = 0; i < n; i++)
		if (matches(v[i], strlen(v[i]), name, len))
			return true;
	return false;
}

static bool is_edge(const char *name, size_t len, size_t at)
{
	return at >= len || name[at] == '_';
}

/* Is what stands there a part of a word that means something else? */
static bool in_plain_word(const char *name, size_t len, size_t at)
{
	size_t from = at, end = at;

	while (from && name[from - 1] != '_')
		from--;
	while (!is_edge(name, len, end))
		end++;
	for (size_t i = 0; i < COUNT(plain_words); i++)
		if (strlen(plain_words[i]) == end - from && strncasecmp(plain_words[i], name + from, end - from) == 0)
			return true;
	return false;
}

/* Does the name have one of the words, as a whole one if `whole`? */
static bool has_one_of(const char *const *v, size_t n, bool whole, const char *name, size_t len)
{
	for (size_t i = 0; i < n; i++) {
		const size_t w = strlen(v[i]);

		for (size_t at = 0; at + w <= len; at++)
			if (strncasecmp(name + at, v[i], w) == 0 &&
			    !in_plain_word(name, len, at) &&
			    (!whole || ((!at || is_edge(name, len, at - 1)) && is_edge(name, len, at + w))))
				return true;
	}
	return false;
}

static bool is_secret(const char *name, size_t len)
{
	return !is_one_of(plain, COUNT(plain), name, len) &&
	       (is_one_of(secret_names, COUNT(secret_names), name, len) ||
		has_one_of(secret_parts, COUNT(secret_parts), false, name, len) ||
		has_one_of(session_parts, COUNT(session_parts), false, name, len) ||
		has_one_of(secret_words, COUNT(secret_words), true, name, len));
}

bool env_name_is_credential(const char *name, size_t len)
{
	return !is_one_of(plain, COUNT(plain), name, len) &&
	       !has_one_of(session_parts, COUNT(session_parts), false, name, len) &&
	       (has_one_of(secret_parts, COUNT(secret_parts), false, name, len) ||
		has_one_of(secret_words, COUNT(secret_words), true, name, len));
}

bool env_name_kept(const char *pattern, size_t plen, const char *name, size_t len)
{
	if (!matches(pattern, plen, name, len))
		return false;
	if (pattern[plen - 1] != '*')
		return true;
	return !is_one_of(loads, COUNT(loads), name, len) && (plen > 1 || !is_secret(name, len));
}

bool env_name_covers(const char *pattern, size_t plen, const char *name, size_t len)
{
	if (!len || name[len - 1] != '*')
		return env_name_kept(pattern, plen, name, len);
	/* a longer wildcard keeps credentials, which a lone one does not */
	return plen == 1 ? len == 1 && pattern[0] == '*' : matches(pattern, plen, name, len);
}
