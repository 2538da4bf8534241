/* Paths in the configuration files that agents have. */
#ifndef COMPILER_FRONTEND_YAML_PATHS_H
#define COMPILER_FRONTEND_YAML_PATHS_H

#include "compiler/frontend/yaml_shape.h"

/* The project's place in a container, where nothing of the file mounts it. */
void yml_name_project(struct yml *y, struct ast_value *v);

#endif
