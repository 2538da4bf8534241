/*
 * Decides which bytes of a command are taken for a secret.  What a variable holds is named
 * there by `$NAME`, which is kept: only the name stands in the line.
 */
#include "runtime/traffic/redact.h"

#include <string.h>
#include <strings.h>

struct scan {
	struct redact *r;
	const char *s;
	size_t n, i; /* i: the next byte that is read */
	char *out;
	size_t len;
};

static bool is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '-';
}

static bool is_token(char c)
{
	return is_name(c) || (c && strchr(".+/=~", c));
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

static bool is_quote(char c)
{
	return c == '\'' || c == '"' || c == '`';
}

/* Does the text go on like this?  Case does not count, and '-' is as good as '_'. */
static bool goes_on(const char *s, size_t n, const char *word)
{
	size_t k = 0;

	for (; word[k]; k++) {
		if (k >= n)
			return false;
		if (s[k] == '-' ? word[k] != '_' && word[k] != '-' :
				  strncasecmp(s + k, word + k, 1) != 0)
			return false;
	}
	return true;
}

static bool holds(const char *s, size_t n, const char *const *words)
{
	for (; *words; words++)
		for (size_t i = 0; i < n; i++)
			if (goes_on(s + i, n - i, *words))
				return true;
	return false;
}

static bool is_secret_name(const char *s, size_t n)
{
	static const char *const secret[] = { "PASSWORD", "PASSWD",	 "PASSPHRASE", "SECRET",
					      "TOKEN",	  "API_KEY",	 "APIKEY",     "ACCESS_KEY",
					      "PRIVATE_KEY", "CREDENTIAL", "AUTH_KEY",   NULL };
	/* these name where it is, not what it is */
	static const char *const place[] = { "FILE", "PATH", "STDIN", NULL };

	return holds(s, n, secret) && !holds(s, n, place);
}

/* Its value may hold blanks: a line of a header. */
static bool is_header(const char *s, size_t n)
{
	static const char *const names[] = { "AUTHORIZATION", "COOKIE", NULL };

	return holds(s, n, names);
}

/* --- output ------------------------------------------------------------------ */

static void copy(struct scan *c, size_t to)
{
	memcpy(c->out + c->len, c->s + c->i, to - c->i);
	c->len += to - c->i;
	c->i = to;
}

static void replace(struct scan *c, size_t to)
{
	if (to <= c->i)
		return;
	memcpy(c->out + c->len, REDACTED, sizeof(REDACTED) - 1);
	c->len += sizeof(REDACTED) - 1;
	c->i = to;
	c->r->count++;
}

/* --- values ------------------------------------------------------------------ */

/* Replaces the value that begins here: up to its quote, or to the end of its word. */
static void replace_value(struct scan *c, bool word, bool header)
{
	size_t to = c->i;
	char quote = 0;

	if (to < c->n && !word && is_quote(c->s[to])) {
		quote = c->s[to];
		copy(c, ++to);
	}
	if (to < c->n && c->s[to] == '$')
		return;
	for (; to < c->n; to++) {
		char x = c->s[to];

		if (quote ? x == quote : header ? is_quote(x) || x == '\n' :
		    !word && (is_blank(x) || is_quote(x) || strchr(";&|<>()", x)))
			break;
	}
	replace(c, to);
}

/* USER:SECRET */
static void replace_after_colon(struct scan *c, bool word)
{
	size_t to = c->i;

	if (to < c->n && is_quote(c->s[to]))
		to++;
	while (to < c->n && c->s[to] != ':' && !is_blank(c->s[to]) && !is_quote(c->s[to]))
		to++;
	if (to >= c->n || c->s[to] != ':')
		return;
	copy(c, to + 1);
	replace_value(c, word, false);
}

/* "://USER:SECRET@", and "://TOKEN@" if it is long */
static void replace_userinfo(struct scan *c)
{
	enum { LONG = 20 };
	size_t at = c->i, colon = 0;

	while (at < c->n && c->s[at] != '@' && c->s[at] != '/' && !is_blank(c->s[at]) &&
	       !is_quote(c->s[at])) {
		if (c->s[at] == ':' && !colon)
			colon = at;
		at++;
	}
	if (at >= c->n || c->s[at] != '@')
		return;
	if (colon)
		copy(c, colon + 1);
	else if (at - c->i < LONG)
		return;
	if (c->s[c->i] != '$')
		replace(c, at);
}

/* --- words ------------------------------------------------------------------- */

/* A token that is known by its beginning; how long it is, or 0. */
static size_t token_at(const struct scan *c)
{
	static const char *const begins[] = { "sk-",	"ghp_",	 "gho_",  "ghs_",  "ghu_",
					      "github_pat_", "glpat-", "xoxb-", "xoxp-", "xoxa-",
					      "AKIA",	"ASIA",	 "AIza",  "eyJ",   "npm_",
					      "hf_",	"ya29.", NULL };
	enum { LEAST = 16 };
	const char *s = c->s + c->i;
	size_t left = c->n - c->i, n = 0;

	for (size_t k = 0; begins[k] && !n; k++) {
		size_t len = strlen(begins[k]);

		if (left < len || memcmp(s, begins[k], len) != 0)
			continue;
		for (n = len; n < left && is_token(s[n]);)
			n++;
	}
	return n >= LEAST ? n : 0;
}

static bool begins(const struct scan *c, const char *text)
{
	size_t n = strlen(text);

	return c->n - c->i >= n && memcmp(c->s + c->i, text, n) == 0;
}

/* After a name, which is copied already: is what follows its value? */
static void after_name(struct scan *c, const char *name, size_t n, bool word)
{
	bool secret = is_secret_name(name, n), header = is_header(name, n);
	bool option = n > 1 && name[0] == '-';
	bool user = option && ((n == 2 && name[1] == 'u') || (n == 6 && !memcmp(name, "--user", 6)));
	bool bearer = n == 6 && goes_on(name, n, "bearer");
	char next = c->i < c->n ? c->s[c->i] : '\0';
	size_t to = c->i + 1;

	if (c->i == c->n) {
		c->r->next = word && option && secret;
		c->r->next_user = word && user;
		return;
	}
	while (to < c->n && c->s[to] == ' ')
		to++;
	if (next == '=' && (secret || header)) {
		copy(c, c->i + 1);
		replace_value(c, word, header);
	} else if (next == ':' && (secret || header)) {
		copy(c, to);
		replace_value(c, word, header);
	} else if (next == ' ' && !word && option && secret && to < c->n && c->s[to] != '-') {
		copy(c, to);
		replace_value(c, false, false);
	} else if ((next == ' ' || next == '=') && user && (!word || next == '=')) {
		copy(c, to);
		replace_after_colon(c, word);
	} else if (next == ' ' && bearer) {
		copy(c, to);
		replace_value(c, false, false);
	}
}

size_t redact_text(struct redact *r, const char *s, size_t n, bool word, char *out)
{
	struct scan c = { .r = r, .s = s, .n = n, .out = out };
	bool next = r->next && n && s[0] != '-', next_user = r->next_user;

	r->next = r->next_user = false;
	if (next)
		replace_value(&c, true, false);
	else if (next_user)
		replace_after_colon(&c, true);
	while (c.i < n) {
		size_t from = c.i, len;

		if (begins(&c, "-----BEGIN")) {
			replace(&c, n);
			break;
		}
		if (begins(&c, "://")) {
			copy(&c, c.i + 3);
			replace_userinfo(&c);
			continue;
		}
		if (!is_name(s[c.i])) {
			copy(&c, c.i + 1);
			continue;
		}
		len = token_at(&c);
		if (len) {
			replace(&c, c.i + len);
			continue;
		}
		for (len = 0; from + len < n && is_name(s[from + len]);)
			len++;
		copy(&c, from + len);
		after_name(&c, s + from, len, word);
	}
	return c.len;
}
