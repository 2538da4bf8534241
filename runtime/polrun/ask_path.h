/*
 * The socket of --ask-socket: whoever answers there speaks for the person.  A run that
 * could connect to it would answer its own questions, and so would a run that could put
 * a socket of its own in its place: polrun refuses both.
 */
#ifndef RUNTIME_POLRUN_ASK_PATH_H
#define RUNTIME_POLRUN_ASK_PATH_H

#include "runtime/sandbox/sandbox.h"

enum { ASK_PATH_CAP = 108 }; /* as the kernel's sun_path */

/*
 * The physical path of the socket `given`.  It need not exist yet, but its directory
 * must; what exists must be a socket.
 */
int ask_path_find(const char *given, char ret[ASK_PATH_CAP], struct rt_err *err);
/* -EPERM if the run could reach it: a unix rule allows it, or the view shows it. */
int ask_path_check(const struct sandbox_run *run, const struct sandbox_view *view,
		   const char *given, const char *path, struct rt_err *err);

#endif
