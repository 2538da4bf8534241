/*
 * Where a request takes place: the directories behind the roots, physical, from
 * what the request says, else from polquery's own surroundings.
 */
#ifndef RUNTIME_QUERY_QUERY_WHERE_H
#define RUNTIME_QUERY_QUERY_WHERE_H

#include <limits.h>

#include "runtime/decide/decide.h"
#include "runtime/entry/roots.h"
#include "runtime/query/query_request.h"

struct query_where {
	/* of polquery itself; "" where there is none */
	char own_cwd[PATH_MAX], own_home[PATH_MAX], own_tmpdir[PATH_MAX];
	/* of the request at hand */
	char cwd[PATH_MAX], home[PATH_MAX], project[PATH_MAX], tmpdir[PATH_MAX],
		session[PATH_MAX], path[PATH_MAX];
};

/* Looks at $HOME, $TMPDIR, /etc/passwd and the working directory. */
void query_where_init(struct query_where *w);
/*
 * The roots and the working directory of a request, into *ctx, whose scope is
 * set.  False with a message that names the key: a directory that cannot be
 * known, and the projects that polrun refuses.
 */
bool query_where_find(struct query_where *w, const struct query_request *q,
		      struct decide_ctx *ctx, struct rt_err *err);
/* The request's path without symbolic links; NULL with a message. */
const char *query_where_path(struct query_where *w, const struct query_request *q,
			     struct rt_err *err);

#endif
