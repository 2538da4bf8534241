/* Decides what the lines of a config.toml say of hooks (developers.openai.com/codex/
 * hooks: the tables [features] and [hooks]); in doubt a line is undecided. */
#include "runtime/cli/hook_toml.h"

#include <stdio.h>
#include <string.h>

enum { NAME_CAP = 200, VALUE_CAP = 4096 };

struct reading {
	struct hook_toml *ret;
	hook_toml_command *each;
	void *arg;
	char table[NAME_CAP]; /* plain: a.b.c */
	char matcher[NAME_CAP];
	unsigned line;
	char quote;           /* of a text of several lines that is open, or '\0' */
};

static void undecided(struct reading *r)
{
	if (!r->ret->unread)
		r->ret->unread = r->line;
}

/* A key or a table's name without its quotes and blanks; false: it is none. */
static bool plain_name(const char *s, size_t n, char out[NAME_CAP])
{
	char quote = '\0';
	size_t at = 0;

	for (size_t i = 0; i < n; i++) {
		char c = s[i];

		if (quote ? c == quote : c == '"' || c == '\'') {
			quote = quote ? '\0' : c;
			continue;
		}
		if (!quote && (c == ' ' || c == '\t'))
			continue;
		if (c == '\\' || (!quote && !strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOP"
						    "QRSTUVWXYZ0123456789_-.", c)))
			return false;
		if (at + 1 >= NAME_CAP)
			return false;
		out[at++] = c;
	}
	out[at] = '\0';
	return at > 0 && !quote;
}

/* What stands before a comment, with no blanks behind it. */
static bool ends_here(const char *s)
{
	s += strspn(s, " \t\r");
	return *s == '\0' || *s == '#';
}

/* A text of one line in quotes, without escapes. */
static bool text_value(const char *s, char out[VALUE_CAP])
{
	char quote = s[0];
	const char *end = quote == '"' || quote == '\'' ? strchr(s + 1, quote) : NULL;
	size_t n = end ? (size_t)(end - s - 1) : 0;

	if (!end || n == 0 || n >= VALUE_CAP || !ends_here(end + 1) ||
	    (quote == '"' && memchr(s + 1, '\\', n)))
		return false;
	memcpy(out, s + 1, n);
	out[n] = '\0';
	return true;
}

static void take_flag(struct reading *r, const char *value, enum hook_toml_said *ret)
{
	if (strncmp(value, "true", 4) == 0 && ends_here(value + 4))
		*ret = *ret == HOOK_TOML_FALSE ? *ret : HOOK_TOML_TRUE;
	else if (strncmp(value, "false", 5) == 0 && ends_here(value + 5))
		*ret = HOOK_TOML_FALSE;
	else
		undecided(r);
}

/* "hooks.EVENT" and "hooks.EVENT.hooks" are the tables of a group and of a hook. */
static bool is_of_hooks(const char *path)
{
	return strncmp(path, "hooks.", 6) == 0 && strncmp(path, "hooks.state", 11) != 0;
}

static void take_hook(struct reading *r, const char *path, const char *value)
{
	char event[NAME_CAP], text[VALUE_CAP];
	const char *rest = path + 6;
	size_t n = strcspn(rest, ".");

	(void)snprintf(event, sizeof(event), "%.*s", (int)n, rest);
	rest += n;
	if (strcmp(rest, ".matcher") == 0) {
		if (!text_value(value, text) || strlen(text) >= sizeof(r->matcher))
			undecided(r);
		else
			memcpy(r->matcher, text, strlen(text) + 1);
	} else if (strcmp(rest, ".hooks.command") == 0) {
		if (text_value(value, text))
			r->each(r->arg, event, text, r->matcher);
		else
			undecided(r);
	} else if (strncmp(rest, ".hooks.", 7) != 0) {
		undecided(r);
	}
}

static void take_pair(struct reading *r, const char *path, const char *value)
{
	if (strcmp(path, "features.hooks") == 0 || strcmp(path, "features.codex_hooks") == 0)
		take_flag(r, value, &r->ret->hooks);
	else if (strcmp(path, "allow_managed_hooks_only") == 0)
		take_flag(r, value, &r->ret->managed_only);
	else if (is_of_hooks(path))
		take_hook(r, path, value);
	else if (strcmp(path, "hooks") == 0 ||
		 (strcmp(path, "features") == 0 && strstr(value, "hooks")))
		undecided(r);
}

/* A text of several lines that begins here and does not end here. */
static void open_text(struct reading *r, const char *value)
{
	const char *mark = value[0] == '"' ? "\"\"\"" : "'''";

	if (strncmp(value, mark, 3) == 0 && !strstr(value + 3, mark))
		r->quote = value[0];
}

static void take_line(struct reading *r, char *line)
{
	char name[NAME_CAP], path[2 * NAME_CAP];
	const char *eq = strchr(line, '='), *value;
	size_t n = strlen(line), skip = line[0] == '[' && line[1] == '[' ? 2 : 1;
	const char *end = memchr(line, ']', n);

	if (line[0] == '[' && end && plain_name(line + skip, (size_t)(end - line) - skip, name)) {
		if (strcmp(name, r->table) != 0 && strncmp(name, r->table, strlen(r->table)))
			r->matcher[0] = '\0';
		if (skip == 2 && strchr(name, '.') == strrchr(name, '.'))
			r->matcher[0] = '\0'; /* another group */
		memcpy(r->table, name, sizeof(name));
		return;
	}
	if (!eq || !plain_name(line, (size_t)(eq - line), name)) {
		if (line[0] == '[' && strstr(line, "hooks"))
			undecided(r);
		return;
	}
	value = eq + 1 + strspn(eq + 1, " \t");
	(void)snprintf(path, sizeof(path), "%s%s%s", r->table, r->table[0] ? "." : "", name);
	take_pair(r, path, value);
	open_text(r, value);
}

void hook_toml_read(char *text, hook_toml_command *each, void *arg, struct hook_toml *ret)
{
	struct reading r = { .ret = ret, .each = each, .arg = arg };

	*ret = (struct hook_toml){ .unread = 0 };
	for (char *line = text, *next; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		r.line++;
		if (r.quote) {
			if (strstr(line, r.quote == '"' ? "\"\"\"" : "'''"))
				r.quote = '\0';
			continue;
		}
		line += strspn(line, " \t");
		if (line[0] && line[0] != '#')
			take_line(&r, line);
	}
	if (r.quote)
		undecided(&r);
}
