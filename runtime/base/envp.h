/* What an environment (NAME=VALUE, NULL at the end) says.  No allocation; usable between fork and
 * exec. */
#ifndef RUNTIME_BASE_ENVP_H
#define RUNTIME_BASE_ENVP_H

/* The value of the first NAME; NULL if there is none, or no environment. */
const char *envp_get(char *const *envp, const char *name);
/* Where a command is looked for by its name. */
const char *envp_path(char *const *envp);

#endif
