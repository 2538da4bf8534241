/* Which files and variables programs read, and when. */
#include "runtime/polrun/known_reads.h"

#include <string.h>

#include "runtime/decide/rule_text.h"
#include "runtime/polrun/fetches.h"

static const struct known_reads table[] = {
	{ "npm", true, " .npmrc", " NPM_TOKEN NODE_AUTH_TOKEN", "package.json" },
	{ "npx", true, " .npmrc", " NPM_TOKEN NODE_AUTH_TOKEN", NULL },
	{ "pnpm", true, " .npmrc .config/pnpm/rc", " NPM_TOKEN NODE_AUTH_TOKEN", "package.json" },
	{ "yarn", true, " .yarnrc.yml .yarnrc .npmrc", " NPM_TOKEN YARN_NPM_AUTH_TOKEN", "package.json" },
	{ "bun", true, " .bunfig.toml .npmrc", " NPM_TOKEN", "package.json" },
	{ "pip", true, " .config/pip/pip.conf .pip/pip.conf .netrc", " PIP_*", NULL },
	{ "pip3", true, " .config/pip/pip.conf .pip/pip.conf .netrc", " PIP_*", NULL },
	{ "uv", true, " .config/uv/uv.toml .netrc", " UV_*", NULL },
	{ "uvx", true, " .config/uv/uv.toml .netrc", " UV_*", NULL },
	{ "poetry", true, " .config/pypoetry/config.toml .config/pypoetry/auth.toml", " POETRY_*", NULL },
	{ "twine", false, " .pypirc", " TWINE_*", NULL },
	{ "cargo", true, " .cargo/config.toml .cargo/config .cargo/credentials.toml", " CARGO_*", NULL },
	{ "go", true, " .netrc .config/go/env", " GOPRIVATE GOPROXY GONOSUMDB", NULL },
	{ "mvn", false, " .m2/settings.xml", "", NULL },
	{ "mvnw", false, " .m2/settings.xml", "", NULL },
	{ "gradle", false, " .gradle/gradle.properties", " ORG_GRADLE_PROJECT_*", NULL },
	{ "gradlew", false, " .gradle/gradle.properties", " ORG_GRADLE_PROJECT_*", NULL },
	{ "gem", true, " .gemrc .gem/credentials", " GEM_HOST_API_KEY", NULL },
	{ "bundle", true, " .bundle/config", " BUNDLE_*", NULL },
	{ "composer", true, " .config/composer/auth.json .composer/auth.json", " COMPOSER_AUTH", NULL },
	{ "git", false, " .gitconfig .config/git/config", "", NULL },
	{ "ssh", false, " .ssh/config", " SSH_AUTH_SOCK", NULL },
	{ "scp", false, " .ssh/config", " SSH_AUTH_SOCK", NULL },
	{ "sftp", false, " .ssh/config", " SSH_AUTH_SOCK", NULL },
	{ "gpg", false, " .gnupg", "", NULL },
	{ "curl", false, " .curlrc", "", NULL },
	{ "wget", false, " .wgetrc .netrc", "", NULL },
	{ "gh", false, " .config/gh/hosts.yml", " GH_TOKEN GITHUB_TOKEN", NULL },
	{ "glab", false, " .config/glab-cli/config.yml", " GITLAB_TOKEN", NULL },
	{ "docker", false, " .docker/config.json", " DOCKER_*", NULL },
	{ "kubectl", false, " .kube/config", " KUBECONFIG", NULL },
	{ "helm", false, " .kube/config", " KUBECONFIG", NULL },
	{ "aws", false, " .aws/config .aws/credentials", " AWS_*", NULL },
	{ "gcloud", false, " .config/gcloud", " CLOUDSDK_* GOOGLE_*", NULL },
	{ "az", false, " .azure", " AZURE_*", NULL },
	{ "terraform", false, " .terraformrc .terraform.d/credentials.tfrc.json", " TF_*", NULL },
	{ "psql", false, " .pgpass .psqlrc .pg_service.conf", " PG*", NULL },
	{ "pg_dump", false, " .pgpass .pg_service.conf", " PG*", NULL },
	{ "pg_restore", false, " .pgpass .pg_service.conf", " PG*", NULL },
	{ "mysql", false, " .my.cnf", " MYSQL_*", NULL },
	{ "mysqldump", false, " .my.cnf", " MYSQL_*", NULL },
	{ "ansible-playbook", false, " .ansible.cfg", " ANSIBLE_*", NULL },
	{ "claude", false, " .claude.json .claude/settings.json", " ANTHROPIC_*", NULL },
	{ "codex", false, " .codex/auth.json .codex/config.toml", " OPENAI_* CODEX_*", NULL },
	{ "gemini", false, " .gemini/settings.json", " GEMINI_* GOOGLE_*", NULL },
	{ "make", false, "", "", "Makefile" },
	{ "just", false, "", "", "justfile" },
};

/* Yarn Classic takes another folder where it cannot write; uv and Gradle lock what they read. */
static const struct known_cache caches[] = {
	{ "yarn", ".cache/yarn", "std/cache/yarn" },
	{ "uv", ".cache/uv", "std/cache/uv" },
	{ "uvx", ".cache/uv", "std/cache/uv" },
	{ "gradle", ".gradle/caches", "std/cache/gradle" },
	{ "gradlew", ".gradle/caches", "std/cache/gradle" },
};

const struct known_cache *known_cache_of(const struct known_reads *k)
{
	for (size_t i = 0; i < sizeof(caches) / sizeof(caches[0]); i++)
		if (strcmp(caches[i].program, k->program) == 0)
			return &caches[i];
	return NULL;
}

const struct known_reads *known_reads_of(const struct cmd_part *p)
{
	size_t n;
	const char *name = explain_program(p, &n);

	for (size_t i = 0; name && i < sizeof(table) / sizeof(table[0]); i++)
		if (strlen(table[i].program) == n && memcmp(table[i].program, name, n) == 0)
			return &table[i];
	return NULL;
}

bool known_reads_apply(const struct known_reads *k, const struct cmd_part *p)
{
	return !k->fetching || fetches_part(p);
}

bool known_reads_next(const char **at, const char **ret, size_t *ret_n)
{
	if (**at != ' ')
		return false;
	*ret = *at + 1;
	*ret_n = strcspn(*ret, " ");
	*at = *ret + *ret_n;
	return true;
}
