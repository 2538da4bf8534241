/* Decides what the lines of a config.toml say about hooks (developers.openai.com/codex/
 * hooks: the tables [features] and [hooks]).  If in doubt, a line is undecided. */
#include "runtime/hooks/hook_toml.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A name may contain the path of a file. */
enum { NAME_CAP = PATH_MAX + 200, VALUE_CAP = 4096, EVENTS = 16 };

struct reading {
	struct hook_toml *ret;
	const struct hook_toml_each *each;
	char table[NAME_CAP]; /* plain: a.b.c */
	/* the hook whose table we are in, and its texts */
	struct hook_found hook;
	bool open, matched;
	char event[80], command[VALUE_CAP], matcher[VALUE_CAP], status[VALUE_CAP];
	struct {
		char event[80];
		unsigned groups, hooks;
	} seen[EVENTS];
	size_t nseen;
	unsigned line;
	char quote;           /* quote of an unfinished multi-line text, or '\0' */
};

static void undecided(struct reading *r)
{
	if (!r->ret->unread)
		r->ret->unread = r->line;
}

/* Takes the quotes and blanks off a key or a table's name; false: it is not one. */
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

/* True if nothing but blanks or a comment follows. */
static bool ends_here(const char *s)
{
	s += strspn(s, " \t\r");
	return *s == '\0' || *s == '#';
}

/* Reads a quoted text on one line, without escapes. */
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

/* The tables "hooks.EVENT" and "hooks.EVENT.hooks" are for a group and for a hook. */
static bool is_of_hooks(const char *path)
{
	return strncmp(path, "hooks.", 6) == 0 && strncmp(path, "hooks.state", 11) != 0;
}

/* The end of the hook's table: reports the hook. */
static void end_hook(struct reading *r)
{
	if (r->open && r->command[0]) {
		r->hook.event = r->event;
		r->hook.command = r->command;
		r->hook.matcher = r->matched ? r->matcher : NULL;
		r->hook.status = r->status[0] ? r->status : NULL;
		r->each->hook(r->each->arg, &r->hook);
	}
	r->open = false;
}

/* Begins a table.  Counts the groups of each event, and the hooks of each group. */
static void begin_table(struct reading *r, const char *name)
{
	const char *rest = strncmp(name, "hooks.", 6) == 0 ? name + 6 : "";
	size_t n = strcspn(rest, "."), i = 0;

	end_hook(r);
	if (!n || n >= sizeof(r->event) || !is_of_hooks(name))
		return;
	memcpy(r->event, rest, n);
	r->event[n] = '\0';
	while (i < r->nseen && strcmp(r->seen[i].event, r->event) != 0)
		i++;
	if (i == EVENTS) {
		undecided(r);
		return;
	}
	if (i == r->nseen) {
		r->nseen++;
		memcpy(r->seen[i].event, r->event, n + 1);
		r->seen[i].groups = r->seen[i].hooks = 0;
	}
	if (!rest[n]) {
		r->seen[i].groups++;
		r->seen[i].hooks = 0;
		r->matched = false;
	} else if (strcmp(rest + n, ".hooks") == 0) {
		r->hook = (struct hook_found){ .timeout = -1,
					       .group = r->seen[i].groups ?
							r->seen[i].groups - 1 : 0,
					       .index = r->seen[i].hooks++ };
		r->command[0] = r->status[0] = '\0';
		r->open = true;
	}
}

static void take_hook(struct reading *r, const char *path, const char *value)
{
	const char *rest = path + 6 + strcspn(path + 6, ".");

	if (strcmp(rest, ".matcher") == 0) {
		r->matched = true;
		if (strncmp(value, "\"\"", 2) == 0 && ends_here(value + 2))
			r->matcher[0] = '\0';
		else if (!text_value(value, r->matcher))
			undecided(r);
	} else if (!r->open || strncmp(rest, ".hooks.", 7) != 0) {
		undecided(r);
	} else if (strcmp(rest, ".hooks.command") == 0) {
		if (!text_value(value, r->command))
			undecided(r);
	} else if (strcmp(rest, ".hooks.statusMessage") == 0) {
		if (!text_value(value, r->status))
			undecided(r);
	} else if (strcmp(rest, ".hooks.timeout") == 0) {
		char *end;

		r->hook.timeout = strtod(value, &end);
		r->hook.odd |= !ends_here(end) || r->hook.timeout < 0;
	} else if (strcmp(rest, ".hooks.type") == 0 || strcmp(rest, ".hooks.async") == 0) {
		char type[VALUE_CAP];

		if (strncmp(value, "false", 5) != 0 &&
		    (!text_value(value, type) || strcmp(type, "command") != 0))
			undecided(r);
	} else {
		r->hook.odd = true;
	}
}

/* Handles "hooks.state.KEY.NAME"; KEY may contain dots. */
static void take_state(struct reading *r, char *path, const char *value)
{
	char *key = path + 12, *name = strrchr(key, '.'), text[VALUE_CAP];
	bool ok = text_value(value, text);

	if (!ok && (strncmp(value, "true", 4) == 0 || strncmp(value, "false", 5) == 0)) {
		size_t n = value[0] == 't' ? 4 : 5;

		(void)snprintf(text, sizeof(text), "%.*s", (int)n, value);
		ok = ends_here(value + n);
	}
	if (value[0] == '{') /* an inline table for the whole KEY */
		r->each->state(r->each->arg, key, "", NULL);
	else if (name) {
		*name = '\0';
		r->each->state(r->each->arg, key, name + 1, ok ? text : NULL);
	}
}

static void take_pair(struct reading *r, char *path, const char *value)
{
	if (strcmp(path, "features.hooks") == 0 || strcmp(path, "features.codex_hooks") == 0)
		take_flag(r, value, &r->ret->hooks);
	else if (strcmp(path, "allow_managed_hooks_only") == 0)
		take_flag(r, value, &r->ret->managed_only);
	else if (strncmp(path, "hooks.state.", 12) == 0)
		take_state(r, path, value);
	else if (strcmp(path, "hooks.state") == 0)
		undecided(r);
	else if (is_of_hooks(path))
		take_hook(r, path, value);
	else if (strcmp(path, "hooks") == 0 || strncmp(path, "features.hooks", 14) == 0 ||
		 strncmp(path, "features.codex_hooks", 20) == 0 ||
		 /* in a profile, which may be the one in use */
		 (strncmp(path, "profiles", 8) == 0 && strstr(path, "hooks")) ||
		 (strcmp(path, "features") == 0 && strstr(value, "hooks")))
		undecided(r);
}

/* Notes a multi-line text that begins on this line and does not end on it. */
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
		begin_table(r, name);
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

void hook_toml_read(char *text, const struct hook_toml_each *each, struct hook_toml *ret)
{
	struct reading r = { .ret = ret, .each = each };

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
	end_hook(&r);
	if (r.quote)
		undecided(&r);
}
