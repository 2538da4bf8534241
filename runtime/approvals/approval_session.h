/* The session for which an answer is remembered. */
#ifndef RUNTIME_APPROVALS_APPROVAL_SESSION_H
#define RUNTIME_APPROVALS_APPROVAL_SESSION_H

#include <stdbool.h>

#define APPROVAL_SESSION 160 /* size of a session's name in bytes, with its NUL */

/*
 * Writes the session's name.  With --session ID it is "id:ID".  Otherwise it is made of
 * the terminal session's getsid() and the time when that process started, so that a
 * reused pid is another session.  False if there is none: no --session, and the leader
 * of the session is gone or cannot be seen.
 */
bool approval_session(const char *id, char out[APPROVAL_SESSION]);
/* Is this a valid ID for --session: 1 to 128 characters of [A-Za-z0-9._:@-]? */
bool approval_session_id(const char *id);
bool approval_session_is(const char *session);    /* has it the form of a session's name? */
bool approval_session_named(const char *session); /* does it come from --session? */
bool approval_session_lives(const char *session); /* does its leader still exist? */

#endif
