/* The change statement of a bundle in the JSON of `inspect` and `verify`. */
#ifndef COMPILER_CLI_CHANGES_JSON_H
#define COMPILER_CLI_CHANGES_JSON_H

#include "runtime/base/json.h"
#include "runtime/bundle/changes.h"

/* Adds it under the key "changes"; NULL: null. */
void changes_json(struct json *j, const struct changes *c);

#endif
