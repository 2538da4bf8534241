/* Compares two configurations of a repository: git_change.h. */
#include "runtime/supervise/git_change.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_ENTRIES 4096u

struct text {
	const char *p;
	size_t n;
};

struct entry {
	struct text section, name, key, value;
	bool named; /* the section has a name, maybe an empty one */
};

struct entries {
	struct entry *v; /* malloc'ed */
	size_t n, cap;
};

/* --- reading -------------------------------------------------------------------------------- */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static struct text trim(struct text t)
{
	while (t.n && is_blank(t.p[0]))
		t.p++, t.n--;
	while (t.n && is_blank(t.p[t.n - 1]))
		t.n--;
	return t;
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_word(char c)
{
	return is_letter(c) || (c >= '0' && c <= '9') || c == '-';
}

static size_t word(struct text t)
{
	size_t n = 0;

	while (n < t.n && is_word(t.p[n]))
		n++;
	return n;
}

/* `[section]` or `[section "name"]`, and nothing behind it. */
static bool read_header(struct text t, struct entry *ret)
{
	size_t n;

	t.p++, t.n--;
	n = word(t);
	*ret = (struct entry){ .section = { t.p, n } };
	t.p += n, t.n -= n;
	if (n && t.n == 1 && t.p[0] == ']')
		return true;
	if (!n || t.n < 4 || memcmp(t.p, " \"", 2) != 0 || memcmp(t.p + t.n - 2, "\"]", 2) != 0)
		return false;
	ret->named = true;
	ret->name = (struct text){ t.p + 2, t.n - 4 };
	return !memchr(ret->name.p, '"', ret->name.n) && !memchr(ret->name.p, '\\', ret->name.n);
}

/* `key = value`; a key alone is true, and is not read here. */
static bool read_setting(struct text t, struct entry *ret)
{
	size_t n = word(t);

	ret->key = (struct text){ t.p, n };
	if (!n || !is_letter(t.p[0]))
		return false;
	t = trim((struct text){ t.p + n, t.n - n });
	if (!t.n || t.p[0] != '=')
		return false;
	ret->value = trim((struct text){ t.p + 1, t.n - 1 });
	for (size_t i = 0; i < ret->value.n; i++)
		if (strchr("\"\\#;\t", ret->value.p[i]))
			return false;
	return true;
}

static bool add(struct entries *e, const struct entry *x)
{
	if (e->n == e->cap) {
		size_t cap = e->cap ? 2 * e->cap : 32;
		struct entry *v = e->n < MOST_ENTRIES ? realloc(e->v, cap * sizeof(*v)) : NULL;

		if (!v)
			return false;
		e->v = v;
		e->cap = cap;
	}
	e->v[e->n++] = *x;
	return true;
}

/* False: this text is not written as git writes it. */
static bool read_all(const char *p, size_t n, struct entries *ret)
{
	struct entry now = { .section = { NULL, 0 } };
	const char *end = p + n;

	while (p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p)), *stop = nl ? nl : end;
		struct text line = trim((struct text){ p, (size_t)(stop - p) });

		for (const char *c = p; c < stop; c++)
			if (((unsigned char)*c < ' ' && *c != '\t') || *c == 0x7f)
				return false;
		p = nl ? nl + 1 : end;
		if (!line.n || line.p[0] == '#' || line.p[0] == ';')
			continue;
		if (line.p[0] == '[') {
			if (!read_header(line, &now))
				return false;
			continue;
		}
		if (!now.section.p || !read_setting(line, &now) || !add(ret, &now))
			return false;
	}
	return true;
}

/* --- what names nothing to run ----------------------------------------------------------------- */

enum value { NAME, REF, REFS, URL, SWITCH, REBASE, FAST, TAGS, WORDS };

/* Of git-config(1), and what VS Code and gh keep of a branch and a remote. */
static const struct harmless {
	const char *section, *key;
	bool named;
	enum value value;
} all[] = {
	{ "branch", "remote", true, NAME },
	{ "branch", "pushremote", true, NAME },
	{ "branch", "merge", true, REF },
	{ "branch", "rebase", true, REBASE },
	{ "branch", "vscode-merge-base", true, NAME },
	{ "remote", "url", true, URL },
	{ "remote", "pushurl", true, URL },
	{ "remote", "fetch", true, REFS },
	{ "remote", "tagopt", true, TAGS },
	{ "remote", "prune", true, SWITCH },
	{ "remote", "gh-resolved", true, NAME },
	{ "submodule", "url", true, URL },
	{ "submodule", "active", true, SWITCH },
	{ "user", "name", false, WORDS },
	{ "user", "email", false, WORDS },
	{ "core", "sparsecheckout", false, SWITCH },
	{ "core", "sparsecheckoutcone", false, SWITCH },
	{ "extensions", "worktreeconfig", false, SWITCH },
	{ "index", "sparse", false, SWITCH },
	{ "pull", "rebase", false, REBASE },
	{ "pull", "ff", false, FAST },
	{ "push", "autosetupremote", false, SWITCH },
	{ "fetch", "prune", false, SWITCH },
	{ "rebase", "autostash", false, SWITCH },
};

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c;
}

static bool is_called(struct text t, const char *name)
{
	if (strlen(name) != t.n)
		return false;
	for (size_t i = 0; i < t.n; i++)
		if (lower(t.p[i]) != name[i])
			return false;
	return true;
}

static bool is_same_text(struct text a, struct text b)
{
	return a.n == b.n && (!a.n || memcmp(a.p, b.p, a.n) == 0);
}

static bool is_same_word(struct text a, struct text b)
{
	if (a.n != b.n)
		return false;
	for (size_t i = 0; i < a.n; i++)
		if (lower(a.p[i]) != lower(b.p[i]))
			return false;
	return true;
}

static bool is_any(struct text t, const char *const *words)
{
	for (; *words; words++)
		if (strlen(*words) == t.n && memcmp(*words, t.p, t.n) == 0)
			return true;
	return false;
}

/* Letters, digits, bytes beyond ASCII, and these; no '-' in front, which would be an option. */
static bool is_of(struct text t, const char *others)
{
	if (!t.n || t.p[0] == '-')
		return false;
	for (size_t i = 0; i < t.n; i++)
		if (!is_word(t.p[i]) && (unsigned char)t.p[i] < 0x80 && !strchr(others, t.p[i]))
			return false;
	return true;
}

static bool holds(struct text t, const char *what)
{
	return memmem(t.p, t.n, what, strlen(what)) != NULL;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The text behind the last `c`, or all of it. */
static struct text behind(struct text t, char c)
{
	const char *at = memrchr(t.p, c, t.n);

	return at ? (struct text){ at + 1, t.n - (size_t)(at + 1 - t.p) } : t;
}

/* Numbers are addresses in many spellings (127.1, 0x7f000001): four decimal ones are taken, of another machine. */
static bool is_number_of_other(struct text host)
{
	unsigned n = 1, labels = 1, first = 0;

	for (size_t i = 0, digits = 0; i < host.n; i++) {
		if (host.p[i] == '.') {
			labels++;
			digits = 0;
			continue;
		}
		if (!is_digit(host.p[i]) || digits == 3 || (digits == 1 && host.p[i - 1] == '0'))
			return false;
		n = digits ? n * 10 + (unsigned)(host.p[i] - '0') : (unsigned)(host.p[i] - '0');
		digits++;
		first = labels == 1 ? n : first;
	}
	return labels == 4 && first != 0 && first != 127;
}

static bool is_number(struct text host)
{
	struct text last = behind(host, '.');
	bool hex = last.n > 1 && last.p[0] == '0' && lower(last.p[1]) == 'x';

	for (size_t i = hex ? 2 : 0; i < last.n; i++)
		if (!is_digit(last.p[i]) && !(hex && strchr("abcdef", lower(last.p[i]))))
			return false;
	return true;
}

/* `here` as it is, without what follows its first point, and as mDNS has it. */
static bool is_here(struct text host, const char *here)
{
	size_t n = strcspn(here, ".");
	const struct text whole = { here, strlen(here) }, name = { here, n };

	if (!n)
		return false;
	if (is_same_word(host, whole) || is_same_word(host, name))
		return true;
	return host.n == n + 6 && is_same_word((struct text){ host.p, n }, name) &&
	       is_called((struct text){ host.p + n, 6 }, ".local");
}

/* USER@HOST, with a port (`full`, and a password) or without.  Programs that the user's settings name, as the
 * ProxyCommand of ssh, may hand the host and the user to a shell. */
static bool is_host_of_other(struct text t, bool full, const char *here)
{
	struct text host = behind(t, '@'), port = behind(host, ':');
	struct text user = { t.p, host.n == t.n ? 0 : t.n - host.n - 1 };
	char low[256];

	if (host.n != t.n && !is_of(user, full ? "._+:" : "._+"))
		return false;
	if (full && port.n != host.n) {
		host.n -= port.n + 1;
		for (size_t i = 0; i < port.n; i++)
			if (!is_digit(port.p[i]))
				return false;
	}
	if (!is_of(host, "._") || !is_word(host.p[0]) || host.n >= sizeof(low) || is_here(host, here))
		return false;
	for (size_t i = 0; i < host.n; i++)
		low[i] = lower(host.p[i]);
	low[host.n] = '\0';
	if (strstr(low, "localhost") || strstr(low, "loopback"))
		return false;
	return !is_number(host) || is_number_of_other(host);
}

/* The address of another machine.  A path may lead to a repository that the run has made, whose hooks
 * a push into it runs.  Two colons name a program (git-remote-ext runs what stands behind them), and a
 * host that begins with '-' would be an option of ssh. */
static bool is_address(struct text t, const char *here)
{
	static const char *const schemes[] = { "https://", "http://", "ssh://", "git://" };
	const char *colon = memchr(t.p, ':', t.n), *slash = memchr(t.p, '/', t.n);

	if (!is_of(t, "._/+@:~=?&,") || holds(t, "::") || holds(t, "//-") || holds(t, "@-") || holds(t, ":-"))
		return false;
	for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++) {
		size_t n = strlen(schemes[i]);

		if (t.n > n && memcmp(t.p, schemes[i], n) == 0) {
			const char *end = memchr(t.p + n, '/', t.n - n);

			return is_host_of_other((struct text){ t.p + n, end ? (size_t)(end - t.p) - n : t.n - n },
						true, here);
		}
	}
	/* user@host:path */
	return colon && (!slash || colon + 1 < slash) &&
	       is_host_of_other((struct text){ t.p, (size_t)(colon - t.p) }, false, here);
}

static bool is_value(enum value v, struct text t, const char *here)
{
	static const char *const switches[] = { "true", "false", "yes", "no", "on", "off", "1", "0", NULL };
	static const char *const rebase[] = { "true", "false", "merges", NULL };
	static const char *const fast[] = { "true", "false", "only", NULL };
	static const char *const tags[] = { "--tags", "--no-tags", NULL };

	switch (v) {
	case NAME:
		return is_of(t, "._/+@");
	case REF:
		return is_of(t, "._/+@");
	case REFS:
		return is_of(t, "._/+@:*^");
	case URL:
		return is_address(t, here);
	case SWITCH:
		return is_any(t, switches);
	case REBASE:
		return is_any(t, rebase);
	case FAST:
		return is_any(t, fast);
	case TAGS:
		return is_any(t, tags);
	case WORDS:
		return t.n > 0;
	}
	return false;
}

/* Git does not know a remote whose name begins with '/', and takes the name for a path. */
static bool is_nick(struct text name)
{
	return is_of(name, "._/+@ ") && name.p[0] != '/';
}

static const struct harmless *harmless(const struct entry *e)
{
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (is_called(e->section, all[i].section) && is_called(e->key, all[i].key) &&
		    e->named == all[i].named && (!e->named || is_nick(e->name)))
			return &all[i];
	return NULL;
}

/* --- comparing ----------------------------------------------------------------------------------- */

static bool is_same(const struct entry *a, const struct entry *b)
{
	return a->named == b->named && is_same_word(a->section, b->section) && is_same_text(a->name, b->name) &&
	       is_same_word(a->key, b->key) && is_same_text(a->value, b->value);
}

static bool is_in(const struct entries *all_of, const struct entry *e)
{
	for (size_t i = 0; i < all_of->n; i++)
		if (is_same(&all_of->v[i], e))
			return true;
	return false;
}

static bool is_url(const struct entry *e)
{
	return e->named && is_called(e->section, "remote") && is_called(e->key, "url");
}

/* Has the remote of this address none any more?  Then `git push NAME` takes its name for a path, too. */
static bool is_remote_lost(const struct entries *is, const struct entry *url)
{
	for (size_t i = 0; i < is->n; i++)
		if (is_url(&is->v[i]) && is_same_text(is->v[i].name, url->name))
			return false;
	return true;
}

/* Does another setting name a remote whose address is not there?  Then git takes the name for a path:
 * of a folder that the run may make, with hooks in it. */
static bool leads_nowhere(const struct entries *all_of, const struct entry *e)
{
	bool names = e->named ? is_called(e->section, "branch") &&
					(is_called(e->key, "remote") || is_called(e->key, "pushremote")) :
				is_called(e->section, "remote") && is_called(e->key, "pushdefault");

	if (!names || is_same_text(e->value, (struct text){ ".", 1 }))
		return false;
	for (size_t i = 0; i < all_of->n; i++) {
		const struct entry *x = &all_of->v[i];

		if (is_url(x) && is_nick(x->name) && is_same_text(x->name, e->value))
			return false;
	}
	return true;
}

static bool no(struct git_change *ret, const struct entry *e)
{
	char name[64] = "";

	if (e->named)
		(void)snprintf(name, sizeof(name), "%.*s.", (int)(e->name.n < 60 ? e->name.n : 60), e->name.p);
	(void)snprintf(ret->key, sizeof(ret->key), "%.*s.%s%.*s", (int)(e->section.n < 24 ? e->section.n : 24),
		       e->section.p, name, (int)(e->key.n < 32 ? e->key.n : 32), e->key.p);
	return false;
}

/* Git goes from format 0 to 1 when it sets an extension; never back. */
static bool is_newer_format(const struct entry *was, const struct entry *is)
{
	const struct text zero = { "0", 1 }, one = { "1", 1 };

	return !was->named && !is->named && is_called(was->section, "core") && is_called(is->section, "core") &&
	       is_called(was->key, "repositoryformatversion") && is_called(is->key, "repositoryformatversion") &&
	       is_same_text(was->value, zero) && is_same_text(is->value, one);
}

/*
 * With extensions.worktreeConfig, core.bare and core.worktree of this file hold in every worktree, too
 * (git-worktree(1), "Configuration File").  Git moves them to config.worktree in the same step, which a run
 * may not; a half of the step would leave worktrees that git takes for bare.
 */
static bool changes_worktrees(const struct entries *is, const struct entry *e)
{
	if (e->named || !is_called(e->section, "extensions") || !is_called(e->key, "worktreeconfig"))
		return false;
	for (size_t i = 0; i < is->n; i++) {
		const struct entry *x = &is->v[i];

		if (!x->named && is_called(x->section, "core") &&
		    (is_called(x->key, "worktree") || (is_called(x->key, "bare") && !is_called(x->value, "false"))))
			return true;
	}
	return false;
}

/* The next entry from `*i` on that a run may not change, or NULL. */
static const struct entry *next_kept(const struct entries *e, size_t *i)
{
	while (*i < e->n && harmless(&e->v[*i]))
		++*i;
	return *i < e->n ? &e->v[(*i)++] : NULL;
}

static bool compare(const struct entries *was, const struct entries *is, const char *here, struct git_change *ret)
{
	size_t i = 0, k = 0;

	/* the others are there as before, in the same order */
	for (;;) {
		const struct entry *x = next_kept(was, &i), *y = next_kept(is, &k);

		if (!x && !y)
			break;
		if (!x || !y || !(is_same(x, y) || is_newer_format(x, y)))
			return no(ret, y ? y : x);
	}
	for (size_t n = 0; n < was->n; n++)
		if (is_url(&was->v[n]) && is_remote_lost(is, &was->v[n]))
			return no(ret, &was->v[n]);
	for (size_t n = 0; n < is->n; n++) {
		const struct harmless *h = harmless(&is->v[n]);

		if (h && !is_value(h->value, is->v[n].value, here) && !is_in(was, &is->v[n]))
			return no(ret, &is->v[n]);
		if (changes_worktrees(is, &is->v[n]) && !is_in(was, &is->v[n]))
			return no(ret, &is->v[n]);
		if (leads_nowhere(is, &is->v[n]) && !(is_in(was, &is->v[n]) && leads_nowhere(was, &is->v[n])))
			return no(ret, &is->v[n]);
	}
	return true;
}

bool git_change_may(const char *was, size_t nwas, const char *is, size_t nis, const char *here,
		    struct git_change *ret)
{
	struct entries old = { NULL, 0, 0 }, new = { NULL, 0, 0 };
	bool may;

	*ret = (struct git_change){ .unread = false };
	ret->unread = nwas > GIT_CHANGE_MOST || nis > GIT_CHANGE_MOST || !read_all(was, nwas, &old) ||
		      !read_all(is, nis, &new);
	may = !ret->unread && compare(&old, &new, here, ret);
	free(old.v);
	free(new.v);
	return may;
}
