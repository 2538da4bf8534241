/* Facts about a whole YAML file that are needed before it is read. */
#ifndef COMPILER_FRONTEND_YAML_SCAN_H
#define COMPILER_FRONTEND_YAML_SCAN_H

#include "compiler/frontend/yaml_shape.h"

/* Sets `locks`, `mode`, `mounted` and `hosts` of the state. */
void yml_scan(struct yml *y, const struct yml_node *root);
/* Does the mode of the file run commands in this runner, as first choice or always? */
bool yml_is_own(const struct yml *y, const char *runner);

#endif
