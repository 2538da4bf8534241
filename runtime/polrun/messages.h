/* polrun's messages on standard error, where a terminal shows them. */
#ifndef RUNTIME_POLRUN_MESSAGES_H
#define RUNTIME_POLRUN_MESSAGES_H

/*
 * If standard error is a terminal: replaces `stderr` by a stream that sets the terminal plain before the
 * first message.  Call it once, before the first write to stderr.
 */
void messages_begin(void);
/* Call it after the run, which may have changed the terminal: the next message sets it plain again. */
void messages_after_run(void);

#endif
