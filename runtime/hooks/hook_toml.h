/*
 * What a config.toml says about hooks.  Debian has no C library for TOML, and this is
 * not a complete parser: it reads the lines that people and the agent itself write, and
 * reports every other line about hooks as undecided.
 */
#ifndef RUNTIME_HOOKS_HOOK_TOML_H
#define RUNTIME_HOOKS_HOOK_TOML_H

#include <stdbool.h>

#include "runtime/hooks/hook_found.h"

enum hook_toml_said { HOOK_TOML_NOTHING, HOOK_TOML_FALSE, HOOK_TOML_TRUE };

struct hook_toml {
	enum hook_toml_said hooks;        /* [features] hooks, or its older name */
	enum hook_toml_said managed_only; /* allow_managed_hooks_only */
	unsigned unread;                  /* number of a line about hooks that cannot be
	                                     read here; 0: none */
};

struct hook_toml_each {
	/* Called for a hook, with its matcher, its place and the other fields that are
	 * read. */
	void (*hook)(void *arg, const struct hook_found *h);
	/* Called for a line of [hooks.state."KEY"]; `value` as in hook_trust.h. */
	void (*state)(void *arg, const char *key, const char *name, const char *value);
	void *arg;
};

/* Changes `text`. */
void hook_toml_read(char *text, const struct hook_toml_each *each, struct hook_toml *ret);

#endif
