/* Paths in the configuration files of agents. */
#ifndef COMPILER_FRONTEND_YAML_PATHS_H
#define COMPILER_FRONTEND_YAML_PATHS_H

#include "compiler/frontend/yaml_shape.h"

/* Names the place of the project in a container, unless the file mounts it. */
void yml_name_project(struct yml *y, struct ast_value *v);

#endif
