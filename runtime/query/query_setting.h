/* Looks up the settings of a bundle by name. */
#ifndef RUNTIME_QUERY_QUERY_SETTING_H
#define RUNTIME_QUERY_QUERY_SETTING_H

#include <stddef.h>

#include "runtime/bundle/reader.h"

struct json_object;

struct query_settings {
	struct json_object *doc; /* parsed settings.json */
};

/* 0, or -errno if the member is damaged.  A bundle without the member has no settings. */
int query_settings_init(struct query_settings *s, struct bundle *b, struct rt_err *err);
void query_settings_release(struct query_settings *s);
/*
 * The value, as JSON, of a setting ("context.storage"), or of another part with the
 * part's name in front ("runner.mode").  NULL if the policy does not set it.  Valid
 * until the next call.
 */
const char *query_setting(const struct query_settings *s, const char *name, size_t *ret_n);

#endif
