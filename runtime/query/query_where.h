/*
 * Where a request takes place: the directories of the roots, as physical paths.  They
 * come from the request, or else from polquery's own surroundings.
 */
#ifndef RUNTIME_QUERY_QUERY_WHERE_H
#define RUNTIME_QUERY_QUERY_WHERE_H

#include <limits.h>

#include "runtime/decide/decide.h"
#include "runtime/entry/roots.h"
#include "runtime/query/query_request.h"

struct query_where {
	/* polquery's own; "" if there is none */
	char own_cwd[PATH_MAX], own_home[PATH_MAX], own_tmpdir[PATH_MAX],
		own_agent[PATH_MAX];
	/* of the current request */
	char cwd[PATH_MAX], home[PATH_MAX], project[PATH_MAX], tmpdir[PATH_MAX],
		git_common[PATH_MAX], session[PATH_MAX], path[PATH_MAX];
};

/* Looks at $HOME, $TMPDIR, $SSH_AUTH_SOCK, /etc/passwd and the working directory. */
void query_where_init(struct query_where *w);
/*
 * Finds the roots and the working directory of a request and stores them in *ctx, whose
 * scope must be set.  False with a message that names the key, if a directory cannot be
 * found, or if polrun would refuse the project.
 */
bool query_where_find(struct query_where *w, const struct query_request *q,
		      struct decide_ctx *ctx, struct rt_err *err);
/* The path in the request without symbolic links; NULL with a message. */
const char *query_where_path(struct query_where *w, const struct query_request *q,
			     struct rt_err *err);

#endif
