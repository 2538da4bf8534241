/* The environment of the command: what the policy keeps and sets, without the variables
 * that change which programs are loaded or which servers are asked. */
#ifndef RUNTIME_POLRUN_ENV_H
#define RUNTIME_POLRUN_ENV_H

#include <stdbool.h>

#include "runtime/base/err.h"
#include "runtime/bundle/reader.h"
#include "runtime/decide/decide.h"

struct env_input {
	const struct pb_env *env;      /* may be NULL: nothing is kept */
	char *const *environ;          /* the caller's environment */
	const struct decide_roots *roots;
	const char *user;
	const char *pwd;               /* working directory inside */
};

/* Returns a NULL-terminated vector, malloc'ed with its strings; release it with
 * env_free(). */
int env_build(const struct env_input *in, char ***ret, struct rt_err *err);
void env_free(char **envp);
/* Expands ${ROOT} in a value of `set`, or in the path of a secret; malloc'ed, NULL without
 * memory. */
char *env_expand(const struct decide_roots *roots, const char *s, size_t len);
#endif
