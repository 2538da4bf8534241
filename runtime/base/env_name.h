/*
 * Which names of variables a policy's `keep` names.  polrun, `polc explain` and the analyses ask here,
 * so that they agree.  The lists of names are guesses: what they miss is kept where a policy keeps "*", and
 * what they take is kept where a policy says its whole name.
 */
#ifndef RUNTIME_BASE_ENV_NAME_H
#define RUNTIME_BASE_ENV_NAME_H

#include <stdbool.h>
#include <stddef.h>

enum env_name {
	ENV_NAME_PLAIN,
	/* read by loaders, by shells and interpreters before anything else, and by proxy clients: kept
	 * only by its whole name */
	ENV_NAME_LOADS,
	/* a credential, an account of a cloud, a socket or agent of the caller's session: not kept by a
	 * lone "*" */
	ENV_NAME_SECRET,
};

/* By its name alone: DATABASE_URL is plain, whatever it holds. */
enum env_name env_name_kind(const char *name, size_t len);
/* Does `keep PATTERN` keep the variable?  A `*` may stand at the pattern's end. */
bool env_name_kept(const char *pattern, size_t plen, const char *name, size_t len);
/* Does `keep PATTERN` keep whatever `keep NAME` does?  Here the name may end in `*` as well. */
bool env_name_covers(const char *pattern, size_t plen, const char *name, size_t len);

#endif
