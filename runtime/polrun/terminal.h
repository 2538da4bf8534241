/* Gives the caller's terminal back when a run has ended. */
#ifndef RUNTIME_POLRUN_TERMINAL_H
#define RUNTIME_POLRUN_TERMINAL_H

#include <stdbool.h>
#include <sys/types.h>
#include <termios.h>

struct terminal {
	int fd;     /* -1: there is none, or polrun was not in its foreground */
	pid_t pgrp; /* polrun's */
	struct termios modes;
	bool has_modes;
};

#define TERMINAL_NONE { .fd = -1 }

/* Before the command starts, and before polrun can open no file any more. */
void terminal_note(struct terminal *t);
/*
 * After everything of the run has ended.  If the run's process group is still in the foreground,
 * polrun's takes its place: a shell with job control inside a run cannot give the terminal back,
 * since it does not see the group that had it (getpgrp() is 0 there).  With `modes` the terminal's modes
 * are restored as well: what a program sets that ends of itself is meant to stay (stty), what one
 * leaves that was killed is not.  A shell does the same.
 */
void terminal_give_back(struct terminal *t, bool modes);

#endif
