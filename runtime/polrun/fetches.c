/*
 * Programs and verbs that fetch.  It is no fact of the policy: it decides whether the
 * message that the network is off comes with the first request or after a second try, and
 * nothing else.
 */
#include "runtime/polrun/fetches.h"

#include <string.h>

#include "runtime/decide/rule_text.h"

static const struct {
	const char *program, *verbs; /* NULL: whatever it is called with */
} table[] = {
	{ "npm", " install i add ci update up install-test create exec audit view info publish search " },
	{ "npx", NULL },
	{ "pnpm", " install i add update up dlx create fetch publish audit " },
	{ "yarn", " install add up upgrade dlx create " },
	{ "bun", " install i add update x create " },
	{ "bunx", NULL },
	{ "pip", " install download wheel index " },
	{ "pip3", " install download wheel index " },
	{ "pipx", " install run upgrade " },
	{ "uv", " sync add pip lock tool python run " },
	{ "uvx", NULL },
	{ "poetry", " install add update lock " },
	{ "conda", " install create update search " },
	{ "cargo", " install fetch update add search publish " },
	{ "go", " get install mod " },
	{ "gem", " install update fetch " },
	{ "bundle", " install update add " },
	{ "composer", " install update require " },
	{ "apt", " install update upgrade " },
	{ "apt-get", " install update upgrade " },
	{ "apk", " add update " },
	{ "dnf", " install update " },
	{ "brew", " install update upgrade " },
	{ "git", " clone fetch pull push ls-remote " },
	{ "gh", NULL },
	{ "curl", NULL },
	{ "wget", NULL },
	{ "ssh", NULL },
	{ "scp", NULL },
	{ "rsync", NULL },
};

static bool is_word(const struct sh_word *w, const char *text, size_t n)
{
	return sh_is_literal(w) && w->seg.n == n && memcmp(w->seg.p, text, n) == 0;
}

static bool has_verb(const struct cmd_part *p, const char *verbs)
{
	for (uint32_t i = 1; i < p->nwords; i++)
		for (const char *v = verbs; *v == ' ' && v[1]; v += 1 + strcspn(v + 1, " "))
			if (is_word(p->words[i].w, v + 1, strcspn(v + 1, " ")))
				return true;
	return false;
}

bool fetches_part(const struct cmd_part *p)
{
	size_t n;
	const char *name = explain_program(p, &n);

	for (size_t i = 0; name && i < sizeof(table) / sizeof(table[0]); i++)
		if (strlen(table[i].program) == n && memcmp(table[i].program, name, n) == 0 &&
		    (!table[i].verbs || has_verb(p, table[i].verbs)))
			return true;
	return false;
}

bool fetches(const struct entry *e)
{
	for (const struct cmd_part *p = e->parts.first; p; p = p->next)
		if (fetches_part(p))
			return true;
	return false;
}
