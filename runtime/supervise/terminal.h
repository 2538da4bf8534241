/*
 * The caller's terminal.
 *
 * A run is a process group of its own, so that kill(0) and the terminal's signals in it reach nothing
 * else.  A terminal has one group in its foreground: the others are stopped when they read it, and ^C
 * does not reach them.  Two rules decide who has it.
 *
 * - A run whose input and output are the terminal gets it at the start, if polrun has it: so programs
 *   see that they are in the foreground (git shows its progress only then).
 * - Of any other run some neighbour in a pipeline may read the terminal (`polrun a | less`).  Such a
 *   run gets it when the kernel stops it because it reads the terminal or sets its modes.
 *
 * What the kernel does to the group in the foreground polrun does to its own where the run has taken its
 * place: it stops when the run is stopped, and ends by the signal of ^C that has ended the command, so
 * that a script around it stops as well.
 */
#ifndef RUNTIME_SUPERVISE_TERMINAL_H
#define RUNTIME_SUPERVISE_TERMINAL_H

#include <stdbool.h>
#include <sys/types.h>
#include <termios.h>

struct terminal {
	int fd;     /* -1: there is none */
	pid_t pgrp; /* polrun's */
	pid_t run;  /* the run's group */
	bool given; /* the run has had the foreground in place of polrun */
	struct termios modes; /* when polrun had the foreground last */
	bool has_modes;
};

#define TERMINAL_NONE { .fd = -1 }

/* Before the command starts, and before polrun can open a file no more.  `run`: its process group,
 * which gets the foreground if its input and output are the terminal. */
void terminal_begin(struct terminal *t, pid_t run);
/* The kernel has stopped the run since it is in the background, or the caller has continued polrun, as
 * `fg` does.  True if the run has the foreground now, which it gets if polrun has it. */
bool terminal_give(struct terminal *t);
/* The same, but a run that has not yet had the foreground does not get it. */
void terminal_give_again(struct terminal *t);
/*
 * Stops polrun, as `sig` has stopped the run, and with it the rest of its process group where ^Z would
 * have stopped that.  Returns when polrun is continued, or at once if nobody could continue it: the
 * kernel stops no group of which no parent controls the jobs.
 */
void terminal_stop(const struct terminal *t, int sig);
/*
 * After everything of the run has ended.  If the run's process group is still in the foreground,
 * polrun's takes its place.  With `modes` the terminal's modes are restored as well: what a program
 * sets that ends of itself is meant to stay (stty), what one leaves that was killed is not.  A shell
 * does the same.
 */
void terminal_give_back(struct terminal *t, bool modes);
/* A run that had the foreground was ended by ^C or ^\: ends polrun and signals its group as the terminal
 * would have.  Returns if it was another signal, or the run did not have it. */
void terminal_end(const struct terminal *t, int sig);

#endif
