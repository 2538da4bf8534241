/*
 * What a config.toml says of hooks.  Debian has no C library for TOML, and this is
 * no reader of all of it: it reads the lines that people and the agent itself write,
 * and says of every other line that speaks of hooks that it is undecided.
 */
#ifndef RUNTIME_HOOKS_HOOK_TOML_H
#define RUNTIME_HOOKS_HOOK_TOML_H

#include <stdbool.h>

#include "runtime/hooks/hook_found.h"

enum hook_toml_said { HOOK_TOML_NOTHING, HOOK_TOML_FALSE, HOOK_TOML_TRUE };

struct hook_toml {
	enum hook_toml_said hooks;        /* [features] hooks, or its older name */
	enum hook_toml_said managed_only; /* allow_managed_hooks_only */
	unsigned unread;                  /* a line that says something of hooks, and
	                                   * cannot be read here; 0: there is none */
};

struct hook_toml_each {
	/* A hook, with its matcher, its place and what else is read of it. */
	void (*hook)(void *arg, const struct hook_found *h);
	/* A line of [hooks.state."KEY"]; `value` as in hook_trust.h. */
	void (*state)(void *arg, const char *key, const char *name, const char *value);
	void *arg;
};

/* `text` is changed. */
void hook_toml_read(char *text, const struct hook_toml_each *each, struct hook_toml *ret);

#endif
