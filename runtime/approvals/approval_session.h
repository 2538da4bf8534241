/* The session for which an answer is remembered. */
#ifndef RUNTIME_APPROVALS_APPROVAL_SESSION_H
#define RUNTIME_APPROVALS_APPROVAL_SESSION_H

#include <stdbool.h>

#define APPROVAL_SESSION 160 /* bytes of a session's name, its NUL included */

/*
 * The session: --session ID is "id:ID"; without one the terminal's, of getsid()
 * and the time when that process started, so that a number used again is
 * another session.  False: there is none (no --session, and the leader of the
 * session is gone or not to be seen).
 */
bool approval_session(const char *id, char out[APPROVAL_SESSION]);
/* Is it an ID that --session takes: 1 to 128 of [A-Za-z0-9._:@-]? */
bool approval_session_id(const char *id);
bool approval_session_is(const char *session);    /* has it the form of a session? */
bool approval_session_named(const char *session); /* of --session */
bool approval_session_lives(const char *session); /* its leader is there still */

#endif
