/*
 * Decides the kind of a scalar where a certain type is wanted.  The front end uses it
 * to read; the YAML writer uses it to ask whether a text reads back as the same value.
 */
#ifndef COMPILER_FRONTEND_YAML_SCALAR_H
#define COMPILER_FRONTEND_YAML_SCALAR_H

#include "compiler/frontend/yaml_keys.h"

/*
 * The kind of value that `text` is.  For YML_T_ANY the text must stand without quotes.
 * False if it is no value of this type.
 */
bool yml_scalar(enum yml_type type, struct str text, enum ast_value_kind *ret);
/* A bare name for a `let`: not a word of the language. */
bool yml_is_free_name(struct str s);

#endif
