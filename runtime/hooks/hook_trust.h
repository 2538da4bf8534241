/*
 * Codex runs a hook of a user or a project only while its config.toml trusts the
 * hook as it stands there, and says nothing where it does not.  The key of an entry
 * is "FILE:EVENT:GROUP:INDEX"; the hash is of the hook's own words (seen in
 * codex-cli 0.169.0, whose app-server tells both in hooks/list).
 */
#ifndef RUNTIME_HOOKS_HOOK_TRUST_H
#define RUNTIME_HOOKS_HOOK_TRUST_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/hooks/hook_found.h"

struct hook_trust_entry;
struct hook_trusted;

struct hook_trust {
	struct hook_trusted *hooks;       /* those found; malloc'ed */
	struct hook_trust_entry *entries; /* what config.toml says; malloc'ed */
	size_t nhooks, nentries;
	bool lost;                        /* memory ran out: nothing is known */
};

/* A hook of Codex, in `file`. */
void hook_trust_add(struct hook_trust *t, const char *file, const struct hook_found *h);
/* A line of [hooks.state.KEY]; `value` is a plain text, or "true", "false", or NULL
 * where it could not be read. */
void hook_trust_entry(struct hook_trust *t, const char *key, const char *name,
		      const char *value);
/* Is each hook trusted?  `each` gets a line for one that is not. */
bool hook_trust_holds(const struct hook_trust *t,
		      void (*each)(void *arg, const char *text, const char *more), void *arg);
void hook_trust_release(struct hook_trust *t);

#endif
