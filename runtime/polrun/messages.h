/* polrun's messages on standard error, where a terminal shows them. */
#ifndef RUNTIME_POLRUN_MESSAGES_H
#define RUNTIME_POLRUN_MESSAGES_H

/*
 * Makes `stderr` a stream that sets the terminal plain before the first message, if standard error is a
 * terminal.  Call it once, before anything is written to stderr.
 */
void messages_begin(void);
/* The command had the terminal: the next message sets it plain again. */
void messages_after_run(void);

#endif
