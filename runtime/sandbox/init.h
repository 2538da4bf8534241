/* Pid 1 of the run: the second stage of the set-up. */
#ifndef RUNTIME_SANDBOX_INIT_H
#define RUNTIME_SANDBOX_INIT_H

/* Receives the plan over `sock`, executes it, starts the command, reaps. */
int init_main(int sock);

#endif
