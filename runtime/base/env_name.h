/*
 * Which names of variables a policy's `keep` names.  polrun, `polc explain` and the analyses ask here,
 * so that they agree.  The lists of names are guesses: what they miss is kept where a policy keeps "*", and
 * what they take is kept where a policy says its whole name.
 */
#ifndef RUNTIME_BASE_ENV_NAME_H
#define RUNTIME_BASE_ENV_NAME_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Does `keep PATTERN` keep the variable?  A `*` may stand at the pattern's end.  What loaders, shells, interpreters and
 * proxy clients read is kept only by its whole name; a credential, an account of a cloud, a socket or agent of the
 * session not by a lone `*`.  The name alone counts: DATABASE_URL is kept, whatever it holds.
 */
bool env_name_kept(const char *pattern, size_t plen, const char *name, size_t len);
/* Is it a password, a token or a key by its name?  Not an agent's socket, nor a name that only looks so. */
bool env_name_is_credential(const char *name, size_t len);
/* Does `keep PATTERN` keep whatever `keep NAME` does?  Here the name may end in `*` as well. */
bool env_name_covers(const char *pattern, size_t plen, const char *name, size_t len);

#endif
