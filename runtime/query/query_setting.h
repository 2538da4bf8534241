/* The settings of a bundle by name, for askers. */
#ifndef RUNTIME_QUERY_QUERY_SETTING_H
#define RUNTIME_QUERY_QUERY_SETTING_H

#include <stddef.h>

#include "runtime/bundle/reader.h"

struct json_object;

struct query_settings {
	struct json_object *doc; /* settings.json */
};

/* 0, or -errno where the member is damaged; without one there are no settings. */
int query_settings_init(struct query_settings *s, struct bundle *b, struct rt_err *err);
void query_settings_release(struct query_settings *s);
/*
 * The value of a setting ("context.storage"), or of what another part says, its
 * name in front ("runner.mode"), as JSON; NULL where nobody says it.  It lives
 * until the next call.
 */
const char *query_setting(const struct query_settings *s, const char *name, size_t *ret_n);

#endif
