/* Decides whether Codex would run a hook that is in its settings. */
#include "runtime/hooks/hook_trust.h"

#include <ctype.h>
#include <json-c/json.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Codex's default if a hook sets no timeout (codex-rs/hooks). */
#define DEFAULT_TIMEOUT 600
#define HASH_CAP (sizeof("sha256:") + 2 * crypto_hash_sha256_BYTES)

struct hook_trusted {
	char *key;
	char hash[HASH_CAP]; /* "": unknown */
};

struct hook_trust_entry {
	char *key, *hash;
	bool off, unread;
};

/* Turns "PreToolUse" into "pre_tool_use". */
static void event_label(const char *event, char *out, size_t cap)
{
	size_t at = 0;

	for (; *event && at + 2 < cap; event++) {
		if (isupper((unsigned char)*event) && at)
			out[at++] = '_';
		out[at++] = (char)tolower((unsigned char)*event);
	}
	out[at] = '\0';
}

/* Hashes JSON with sorted keys and without blanks; false: no memory. */
static bool hash_of(struct json_object *o, char out[HASH_CAP])
{
	const char *text = json_object_to_json_string_ext(
		o, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);
	uint8_t sum[crypto_hash_sha256_BYTES];

	if (!text)
		return false;
	crypto_hash_sha256(sum, (const uint8_t *)text, strlen(text));
	memcpy(out, "sha256:", 7);
	(void)sodium_bin2hex(out + 7, HASH_CAP - 7, sum, sizeof(sum));
	return true;
}

static void put(struct json_object *o, const char *key, const char *text)
{
	(void)json_object_object_add(o, key, json_object_new_string(text));
}

static bool hook_hash(const struct hook_found *h, char out[HASH_CAP])
{
	struct json_object *o = json_object_new_object(), *list = json_object_new_array(),
			   *hook = json_object_new_object();
	double seconds = h->timeout < 0 ? DEFAULT_TIMEOUT : h->timeout < 1 ? 1 : h->timeout;
	char event[80];
	bool ok;

	if (!o || !list || !hook)
		abort();
	event_label(h->event, event, sizeof(event));
	(void)json_object_object_add(hook, "async", json_object_new_boolean(false));
	put(hook, "command", h->command);
	if (h->status)
		put(hook, "statusMessage", h->status);
	(void)json_object_object_add(hook, "timeout", json_object_new_int64((int64_t)seconds));
	put(hook, "type", "command");
	(void)json_object_array_add(list, hook);
	put(o, "event_name", event);
	(void)json_object_object_add(o, "hooks", list);
	if (h->matcher)
		put(o, "matcher", h->matcher);
	ok = hash_of(o, out);
	json_object_put(o);
	return ok;
}

void hook_trust_add(struct hook_trust *t, const char *file, const struct hook_found *h)
{
	struct hook_trusted one = { .hash = "" },
			    *more = realloc(t->hooks, (t->nhooks + 1) * sizeof(*more));
	char *real = realpath(file, NULL), event[80];
	int n;

	event_label(h->event, event, sizeof(event));
	n = asprintf(&one.key, "%s:%s:%u:%u", real ? real : file, event, h->group, h->index);
	free(real);
	if (more)
		t->hooks = more;
	if (!more || n < 0) {
		t->lost = true;
		return;
	}
	if (!h->odd && !hook_hash(h, one.hash))
		t->lost = true;
	t->hooks[t->nhooks++] = one;
}

static struct hook_trust_entry *entry_of(struct hook_trust *t, const char *key)
{
	struct hook_trust_entry *more, one = { .off = false };

	for (size_t i = 0; i < t->nentries; i++)
		if (strcmp(t->entries[i].key, key) == 0)
			return &t->entries[i];
	more = realloc(t->entries, (t->nentries + 1) * sizeof(*more));
	if (more)
		t->entries = more;
	one.key = strdup(key);
	if (!more || !one.key) {
		free(one.key);
		t->lost = true;
		return NULL;
	}
	t->entries[t->nentries++] = one;
	return &t->entries[t->nentries - 1];
}

void hook_trust_entry(struct hook_trust *t, const char *key, const char *name,
		      const char *value)
{
	struct hook_trust_entry *e = entry_of(t, key);

	if (!e)
		return;
	if (value && strcmp(name, "trusted_hash") == 0) {
		free(e->hash);
		e->hash = strdup(value);
		t->lost |= !e->hash;
	} else if (value && strcmp(name, "enabled") == 0) {
		e->off |= strcmp(value, "true") != 0;
	} else {
		e->unread = true;
	}
}

static bool holds(const struct hook_trust *t, const struct hook_trusted *h,
		  void (*each)(void *arg, const char *text, const char *more), void *arg)
{
	const struct hook_trust_entry *e = NULL;
	const char *why = NULL;

	for (size_t i = 0; i < t->nentries; i++)
		if (strcmp(t->entries[i].key, h->key) == 0)
			e = &t->entries[i];
	if (e && e->off)
		why = "it is switched off in Codex's config.toml ('enabled'), and skipped in "
		      "silence: ";
	else if (!e || (!e->hash && !e->unread))
		why = "Codex does not trust it, and skips it in silence (open '/hooks' there): ";
	else if (e->unread || !h->hash[0])
		why = "cannot tell whether Codex trusts it, or skips it in silence: ";
	else if (strcmp(e->hash, h->hash) != 0)
		why = "it was changed since Codex was told to trust it, and is skipped in "
		      "silence (open '/hooks' there): ";
	if (why)
		each(arg, why, h->key);
	return !why;
}

bool hook_trust_holds(const struct hook_trust *t,
		      void (*each)(void *arg, const char *text, const char *more), void *arg)
{
	bool good = !t->lost;

	if (t->lost)
		each(arg, "cannot tell whether Codex trusts it: out of memory", "");
	for (size_t i = 0; i < t->nhooks; i++)
		good &= holds(t, &t->hooks[i], each, arg);
	return good;
}

void hook_trust_release(struct hook_trust *t)
{
	for (size_t i = 0; i < t->nhooks; i++)
		free(t->hooks[i].key);
	for (size_t i = 0; i < t->nentries; i++) {
		free(t->entries[i].key);
		free(t->entries[i].hash);
	}
	free(t->hooks);
	free(t->entries);
	*t = (struct hook_trust){ .hooks = NULL };
}
