/*
 * Decides what looks like a secret: by names under which people keep what nobody else
 * may read, and by the beginnings of well-known tokens.  This is a guess, and therefore
 * a warning.
 */
#include "compiler/frontend/plain_secret.h"

#include <strings.h>

#include "compiler/frontend/parser.h"

static bool has_word(struct str s, const char *word)
{
	size_t n = strlen(word);

	for (size_t i = 0; i + n <= s.n; i++)
		if (strncasecmp(s.p + i, word, n) == 0)
			return true;
	return false;
}

static bool looks_secret(struct str name, struct str value)
{
	static const char *const names[] = { "PASSWORD",   "PASSWD",	  "SECRET",
					     "TOKEN",	   "API_KEY",	  "APIKEY",
					     "ACCESS_KEY", "PRIVATE_KEY", "CREDENTIAL" };
	static const char *const begins[] = { "sk-",	     "ghp_",   "gho_",
					      "github_pat_", "glpat-", "xoxb-",
					      "xoxp-",	     "AKIA",   "AIza",
					      "eyJ",	     "-----BEGIN" };

	if (value.n < 4 || memmem(value.p, value.n, "${", 2) || value.p[0] == '/' ||
	    str_eqz(value, "true") || str_eqz(value, "false"))
		return false;
	for (size_t i = 0; i < POL_LEN(begins); i++)
		if (str_starts(value, str_from(begins[i])))
			return true;
	for (size_t i = 0; i < POL_LEN(names); i++)
		if (has_word(name, names[i]))
			return true;
	return false;
}

struct diag *plain_secret(struct diag_sink *sink, struct str name, struct str value,
			  struct span at)
{
	if (!looks_secret(name, value))
		return NULL;
	return diag_add(sink, DIAG_PLAIN_SECRET, at,
			"the value of '%.*s' looks like a secret in plain text",
			STR_ARG(name));
}

struct ast_stmt *dsl_variable(struct dsl_parser *p, struct ast_stmt *set)
{
	struct diag *d =
		plain_secret(p->sink, set->name, set->values->text, set->values->at);

	if (d)
		diag_help(p->sink, d, "name the secret instead: secret %.*s from store \"%.*s\"",
			  STR_ARG(set->name), STR_ARG(set->name));
	return set;
}
