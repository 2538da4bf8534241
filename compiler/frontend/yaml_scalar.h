/*
 * What a scalar is where a value of a type is wanted.  The front end reads by
 * it, and who writes YAML asks it whether a text reads back as the same value.
 */
#ifndef COMPILER_FRONTEND_YAML_SCALAR_H
#define COMPILER_FRONTEND_YAML_SCALAR_H

#include "compiler/frontend/yaml_keys.h"

/*
 * The kind of value that `text` is; of YML_T_ANY where it stands without
 * quotes.  False: it is none of this type.
 */
bool yml_scalar(enum yml_type type, struct str text, enum ast_value_kind *ret);
/* A bare name of the language that is no word of it: of a `let`. */
bool yml_is_free_name(struct str s);

#endif
