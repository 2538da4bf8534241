/*
 * Codex runs a hook of a user or a project only while its config.toml trusts the hook
 * exactly as it is there; otherwise it says nothing.  The key of an entry is
 * "FILE:EVENT:GROUP:INDEX"; the hash covers the hook's own fields (seen in codex-cli
 * 0.169.0, whose app-server returns both in hooks/list).
 */
#ifndef RUNTIME_HOOKS_HOOK_TRUST_H
#define RUNTIME_HOOKS_HOOK_TRUST_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/hooks/hook_found.h"

struct hook_trust_entry;
struct hook_trusted;

struct hook_trust {
	struct hook_trusted *hooks;       /* the hooks that were found; malloc'ed */
	struct hook_trust_entry *entries; /* the entries of config.toml; malloc'ed */
	size_t nhooks, nentries;
	bool lost;                        /* memory ran out: nothing can be said */
};

/* Adds a hook of Codex that is in `file`. */
void hook_trust_add(struct hook_trust *t, const char *file, const struct hook_found *h);
/* Adds a line of [hooks.state.KEY].  `value` is a plain text, or "true", "false", or
 * NULL if it could not be read. */
void hook_trust_entry(struct hook_trust *t, const char *key, const char *name,
		      const char *value);
/* Is each hook trusted?  `each` is called with a line for each one that is not. */
bool hook_trust_holds(const struct hook_trust *t,
		      void (*each)(void *arg, const char *text, const char *more), void *arg);
void hook_trust_release(struct hook_trust *t);

#endif
